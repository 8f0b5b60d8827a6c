/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "../graph/holo-graph.h"
#include "../task/holo-task-factory.h"

G_BEGIN_DECLS

/**
 * HoloPlan:
 *
 * What a compiler makes of a graph: factories frozen, tensors inferred, memory allocated, sections cut, tasks created.
 * Reference counted and immutable as seen from outside; one scheduler at a time runs it.
 *
 * Since: 0.1
 */
#define HOLO_TYPE_PLAN (holo_plan_get_type ())
HOLO_API GType holo_plan_get_type (void);

/**
 * holo_plan_ref:
 * @plan: a plan
 *
 * Any thread.
 *
 * Returns: (transfer full): @plan, with one reference more
 *
 * Since: 0.1
 */
HOLO_API HoloPlan *holo_plan_ref (HoloPlan *plan);
/**
 * holo_plan_unref:
 * @plan: (transfer full): a plan
 *
 * Drops a reference; the last one frees tasks, memory and streams that no other plan has taken over. Any thread.
 *
 * Since: 0.1
 */
HOLO_API void holo_plan_unref (HoloPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloPlan, holo_plan_unref)

/**
 * holo_plan_get_n_nodes:
 * @plan: a plan
 *
 * Returns: number of nodes, those that the compiler inserted among them. Any thread
 *
 * Since: 0.1
 */
HOLO_API guint holo_plan_get_n_nodes (HoloPlan *plan);
/**
 * holo_plan_get_n_sections:
 * @plan: a plan
 *
 * Returns: number of sections. Any thread
 *
 * Since: 0.1
 */
HOLO_API guint holo_plan_get_n_sections (HoloPlan *plan);
/**
 * holo_plan_get_n_tensors:
 * @plan: a plan
 *
 * Returns: number of tensors. Any thread
 *
 * Since: 0.1
 */
HOLO_API guint holo_plan_get_n_tensors (HoloPlan *plan);
/**
 * holo_plan_get_n_storages:
 * @plan: a plan
 *
 * Returns: number of pieces of memory, which tensors share. Any thread
 *
 * Since: 0.1
 */
HOLO_API guint holo_plan_get_n_storages (HoloPlan *plan);
HOLO_API gboolean holo_plan_find_node (HoloPlan *plan, const gchar *name, guint *index);
/**
 * holo_plan_get_node_name:
 * @plan: a plan
 * @node: number of a node
 *
 * Returns: its name, as in the graph; valid as long as @plan. Any thread
 *
 * Since: 0.1
 */
HOLO_API const gchar *holo_plan_get_node_name (HoloPlan *plan, guint node);
/**
 * holo_plan_get_node_kind:
 * @plan: a plan
 * @node: number of a node
 *
 * Returns: its kind; valid as long as @plan. Any thread
 *
 * Since: 0.1
 */
HOLO_API const gchar *holo_plan_get_node_kind (HoloPlan *plan, guint node);
HOLO_API HoloTask *holo_plan_get_node_task (HoloPlan *plan, guint node);
/**
 * holo_plan_get_node_factory:
 * @plan: a plan
 * @node: number of a node
 *
 * Returns: (transfer none): its factory, frozen: the settings
 *
 * Since: 0.1
 */
HOLO_API HoloTaskFactory *holo_plan_get_node_factory (HoloPlan *plan, guint node);
/**
 * holo_plan_get_node_inference:
 * @plan: a plan
 * @node: number of a node
 *
 * Returns: (transfer none): the contract of the node: its tensors, and how it treats them
 *
 * Since: 0.1
 */
HOLO_API const HoloInference *holo_plan_get_node_inference (HoloPlan *plan, guint node);
/* Section of a synchronous node; for an asynchronous one the section that pushes (or pops, with @output). -1 = none. */
HOLO_API gint holo_plan_get_node_section (HoloPlan *plan, guint node, gboolean output);
/**
 * holo_plan_get_section_name:
 * @plan: a plan
 * @section: number of a section
 *
 * Returns: its name; valid as long as @plan
 *
 * Since: 0.1
 */
HOLO_API const gchar *holo_plan_get_section_name (HoloPlan *plan, guint section);
/**
 * holo_plan_get_section_stream:
 * @plan: a plan
 * @section: number of a section
 *
 * Returns: (transfer none) (nullable): the stream of its device work; %NULL in a plan of holo_compiler_infer()
 *
 * Since: 0.1
 */
HOLO_API HoloStream *holo_plan_get_section_stream (HoloPlan *plan, guint section);
/**
 * holo_plan_get_device:
 * @plan: a plan
 *
 * Returns: (transfer none): the device it is compiled for; the host device unless one was set
 *
 * Since: 0.1
 */
HOLO_API HoloDevice *holo_plan_get_device (HoloPlan *plan);
HOLO_API gsize holo_plan_get_peak_bytes (HoloPlan *plan, HoloMemLoc loc);
/**
 * holo_plan_get_n_copies:
 * @plan: a plan
 *
 * Returns: number of copies that the compiler inserted. Any thread
 *
 * Since: 0.1
 */
HOLO_API guint holo_plan_get_n_copies (HoloPlan *plan);

HOLO_API gchar *holo_plan_to_text (HoloPlan *plan);
HOLO_API JsonNode *holo_plan_to_json (HoloPlan *plan);
HOLO_API gchar *holo_plan_to_dot (HoloPlan *plan);

G_END_DECLS
