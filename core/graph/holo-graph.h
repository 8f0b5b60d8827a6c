/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "../base/holo-types.h"

G_BEGIN_DECLS

/**
 * HoloGraph:
 *
 * What the user asked for: named nodes of a kind with settings, and edges between their slots. Reference counted; built by
 * hand or read from the original's JSON. Not thread safe while it is changed; a compiler copies what it needs.
 *
 * Nodes are numbered in insertion order; reading JSON inserts them in byte-wise order of their names.
 *
 * Since: 0.1
 */
#define HOLO_TYPE_GRAPH (holo_graph_get_type ())
HOLO_API GType holo_graph_get_type (void);

/**
 * HoloGraphNode:
 * @name: unique name
 * @kind: kind in the registry
 * @settings: settings as given; usually a JSON object
 * @debug: whether pictures show the settings
 *
 * A node as it was asked for. Read only; valid until the graph changes.
 *
 * Since: 0.1
 */
typedef struct
{
  gchar *name;
  gchar *kind;
  JsonNode *settings;
  gboolean debug;
} HoloGraphNode;

/**
 * HoloGraphEdge:
 * @from: number of the producing node
 * @to: number of the consuming node
 * @out: output slot of @from (as given; the compiler checks it)
 * @in: input slot of @to
 *
 * An edge as it was asked for. Read only; valid until the graph changes.
 *
 * Since: 0.1
 */
typedef struct
{
  guint from;
  guint to;
  gint64 out;
  gint64 in;
} HoloGraphEdge;

HOLO_API HoloGraph *holo_graph_new (void);
HOLO_API HoloGraph *holo_graph_ref (HoloGraph *graph);
HOLO_API void holo_graph_unref (HoloGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloGraph, holo_graph_unref)
HOLO_API HoloGraph *holo_graph_copy (HoloGraph *graph);

HOLO_API guint holo_graph_add_node (HoloGraph *graph, const gchar *name, const gchar *kind, JsonNode *settings);
HOLO_API guint holo_graph_add_node_text (HoloGraph *graph, const gchar *name, const gchar *kind,
                                         const gchar *settings_json);
HOLO_API void holo_graph_set_node_debug (HoloGraph *graph, guint node, gboolean debug);
HOLO_API void holo_graph_set_node_settings (HoloGraph *graph, guint node, JsonNode *settings);
HOLO_API gboolean holo_graph_set_setting (HoloGraph *graph, const gchar *node, const gchar *setting, JsonNode *value,
                                          GError **error);
HOLO_API gboolean holo_graph_set_setting_text (HoloGraph *graph, HoloRegistry *registry, const gchar *node,
                                               const gchar *setting, const gchar *text, GError **error);
HOLO_API void holo_graph_add_edge (HoloGraph *graph, guint from, gint64 out, guint to, gint64 in);
HOLO_API gboolean holo_graph_link (HoloGraph *graph, const gchar *from, gint64 out, const gchar *to, gint64 in,
                                   GError **error);

HOLO_API guint holo_graph_get_n_nodes (HoloGraph *graph);
HOLO_API const HoloGraphNode *holo_graph_get_node (HoloGraph *graph, guint index);
HOLO_API gboolean holo_graph_find_node (HoloGraph *graph, const gchar *name, guint *index);
HOLO_API guint holo_graph_get_n_edges (HoloGraph *graph);
HOLO_API const HoloGraphEdge *holo_graph_get_edge (HoloGraph *graph, guint index);

HOLO_API HoloGraph *holo_graph_new_from_json (JsonNode *root, GError **error);
HOLO_API HoloGraph *holo_graph_new_from_text (const gchar *text, gssize length, GError **error);
HOLO_API HoloGraph *holo_graph_new_from_file (const gchar *filename, GError **error);
HOLO_API JsonNode *holo_graph_to_json (HoloGraph *graph, GError **error);
HOLO_API gchar *holo_graph_to_text (HoloGraph *graph, GError **error);
HOLO_API gchar *holo_graph_to_dot (HoloGraph *graph);
/* A JSON Schema (2020-12) of graphs of the kinds in @registry. */
HOLO_API JsonNode *holo_graph_get_json_schema (HoloRegistry *registry);

G_END_DECLS
