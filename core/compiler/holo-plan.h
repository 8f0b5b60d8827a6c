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
 */
#define HOLO_TYPE_PLAN (holo_plan_get_type ())
HOLO_API GType holo_plan_get_type (void);

HOLO_API HoloPlan *holo_plan_ref (HoloPlan *plan);
HOLO_API void holo_plan_unref (HoloPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloPlan, holo_plan_unref)

HOLO_API guint holo_plan_get_n_nodes (HoloPlan *plan);
HOLO_API guint holo_plan_get_n_sections (HoloPlan *plan);
HOLO_API guint holo_plan_get_n_tensors (HoloPlan *plan);
HOLO_API guint holo_plan_get_n_storages (HoloPlan *plan);
HOLO_API gboolean holo_plan_find_node (HoloPlan *plan, const gchar *name, guint *index);
HOLO_API const gchar *holo_plan_get_node_name (HoloPlan *plan, guint node);
HOLO_API const gchar *holo_plan_get_node_kind (HoloPlan *plan, guint node);
HOLO_API HoloTask *holo_plan_get_node_task (HoloPlan *plan, guint node);
HOLO_API HoloTaskFactory *holo_plan_get_node_factory (HoloPlan *plan, guint node);
HOLO_API const HoloInference *holo_plan_get_node_inference (HoloPlan *plan, guint node);
/* Section of a synchronous node; for an asynchronous one the section that pushes (or pops, with @output). -1 = none. */
HOLO_API gint holo_plan_get_node_section (HoloPlan *plan, guint node, gboolean output);
HOLO_API const gchar *holo_plan_get_section_name (HoloPlan *plan, guint section);
HOLO_API HoloStream *holo_plan_get_section_stream (HoloPlan *plan, guint section);
HOLO_API HoloDevice *holo_plan_get_device (HoloPlan *plan);
HOLO_API gsize holo_plan_get_peak_bytes (HoloPlan *plan, HoloMemLoc loc);
HOLO_API guint holo_plan_get_n_copies (HoloPlan *plan);

HOLO_API gchar *holo_plan_to_text (HoloPlan *plan);
HOLO_API JsonNode *holo_plan_to_json (HoloPlan *plan);
HOLO_API gchar *holo_plan_to_dot (HoloPlan *plan);

G_END_DECLS
