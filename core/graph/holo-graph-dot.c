/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A picture of what the user asked for. */
#include "graph/holo-graph.h"
#include "graph/holo-dot.h"

#include "base/holo-json-private.h"

void
_holo_dot_append_escaped (GString *dot, const gchar *text)
{
  for (; *text != '\0'; text++)
    if (*text == '\\' || *text == '"')
      g_string_append_printf (dot, "\\%c", *text);
    else if (*text == '\n')
      g_string_append (dot, "\\n");
    else if (*text != '\r')
      g_string_append_c (dot, *text);
}

static gboolean
has_settings (const HoloGraphNode *node)
{
  return !JSON_NODE_HOLDS_NULL (node->settings) && !(JSON_NODE_HOLDS_OBJECT (node->settings) &&
                                                     json_object_get_size (json_node_get_object (node->settings)) == 0);
}

static void
append_node (GString *dot, guint index, const HoloGraphNode *node)
{
  g_string_append_printf (dot, "  v%u [label=\"", index);
  _holo_dot_append_escaped (dot, *node->name != '\0' ? node->name : "(unnamed)");
  if (*node->kind != '\0')
    {
      g_string_append (dot, "\\n(");
      _holo_dot_append_escaped (dot, node->kind);
      g_string_append_c (dot, ')');
    }
  if (node->debug && has_settings (node))
    {
      g_autofree gchar *settings = g_strchomp (holo_json_to_text (node->settings, TRUE));

      g_string_append (dot, "\\n");
      _holo_dot_append_escaped (dot, settings);
    }
  g_string_append (dot, "\"];\n");
}

/**
 * holo_graph_to_dot:
 * @graph: a graph
 *
 * Returns: (transfer full): the graph in the language of Graphviz; nodes show their settings unless debug is
 *   off
 *
 * Since: 0.1
 */
gchar *
holo_graph_to_dot (HoloGraph *graph)
{
  GString *dot = g_string_new ("digraph holoflow_graph {\n"
                               "  rankdir=LR;\n"
                               "  node [shape=box, fontname=\"Helvetica\"];\n"
                               "  edge [fontname=\"Helvetica\"];\n");

  for (guint i = 0; i < holo_graph_get_n_nodes (graph); i++)
    append_node (dot, i, holo_graph_get_node (graph, i));
  for (guint i = 0; i < holo_graph_get_n_edges (graph); i++)
    {
      const HoloGraphEdge *edge = holo_graph_get_edge (graph, i);

      g_string_append_printf (dot,
                              "  v%u -> v%u [taillabel=\"%" G_GINT64_FORMAT "\" headlabel=\"%" G_GINT64_FORMAT "\"];\n",
                              edge->from, edge->to, edge->out, edge->in);
    }
  g_string_append (dot, "}\n");
  return g_string_free (dot, FALSE);
}
