/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 1: names, kinds, settings and the form of the edges. Makes the plan's nodes, each with its frozen factory. */
#include "compiler/holo-compilation.h"
#include "base/holo-error.h"
#include "task/holo-task-private.h"

HoloTaskFactory *
_holo_compilation_new_factory (HoloRegistry *registry, const HoloGraphNode *node, GError **error)
{
  g_autoptr (HoloTaskFactory) factory = holo_registry_create_factory (registry, node->kind, error);
  g_autofree gchar *path = g_strdup_printf ("/nodes/%s/params", node->name);

  if (factory == NULL)
    {
      g_prefix_error (error, "node \"%s\": ", node->name);
      return NULL;
    }
  if (node->settings == NULL || JSON_NODE_HOLDS_NULL (node->settings))
    return g_steal_pointer (&factory);
  if (!JSON_NODE_HOLDS_OBJECT (node->settings))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "%s: settings must be an object", path);
      return NULL;
    }
  if (!holo_settings_apply_json (factory, json_node_get_object (node->settings), path, error))
    return NULL;
  return g_steal_pointer (&factory);
}

static gboolean
add_node (HoloCompilation *c, const HoloGraphNode *node, GError **error)
{
  g_autoptr (HoloTaskFactory) factory = _holo_compilation_new_factory (c->plan->registry, node, error);
  HoloPlanNode plan_node = { .section_in = -1, .section_out = -1, .debug = node->debug };

  if (factory == NULL)
    return FALSE;
  plan_node.name = g_strdup (node->name);
  plan_node.kind = g_strdup (node->kind);
  plan_node.factory = g_steal_pointer (&factory);
  g_array_append_val (c->plan->nodes, plan_node);
  return TRUE;
}

static gboolean
check_edge (HoloCompilation *c, const HoloGraphEdge *edge, GHashTable *destinations, GError **error)
{
  const HoloPlanNode *from = _holo_plan_node (c->plan, edge->from), *to = _holo_plan_node (c->plan, edge->to);
  HoloCompilationEdge checked = { edge->from, (guint) edge->out, edge->to, (guint) edge->in };
  g_autofree gchar *destination = g_strdup_printf ("%u:%" G_GINT64_FORMAT, edge->to, edge->in);

  if (edge->out < 0 || edge->in < 0 || edge->out > G_MAXUINT16 || edge->in > G_MAXUINT16)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH,
                   "edge \"%s\":%" G_GINT64_FORMAT " -> \"%s\":%" G_GINT64_FORMAT ": slot numbers must be 0 to %d",
                   from->name, edge->out, to->name, edge->in, G_MAXUINT16);
      return FALSE;
    }
  if (!g_hash_table_add (destinations, g_steal_pointer (&destination)))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH,
                   "more than one edge leads to input %" G_GINT64_FORMAT " of node \"%s\" (%s); the second comes from "
                   "\"%s\"",
                   edge->in, to->name, to->kind, from->name);
      return FALSE;
    }
  g_array_append_val (c->edges, checked);
  return TRUE;
}

/* Inputs must be connected from 0 on without gaps. */
static gboolean
check_gaps (HoloCompilation *c, GError **error)
{
  guint n_nodes = c->plan->nodes->len;
  g_autofree guint *n_inputs = g_new0 (guint, n_nodes + 1);

  for (guint i = 0; i < c->edges->len; i++)
    n_inputs[g_array_index (c->edges, HoloCompilationEdge, i).to]++;
  for (guint i = 0; i < c->edges->len; i++)
    {
      const HoloCompilationEdge *edge = &g_array_index (c->edges, HoloCompilationEdge, i);
      const HoloPlanNode *to = _holo_plan_node (c->plan, edge->to);

      if (edge->in >= n_inputs[edge->to])
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH,
                       "edge \"%s\":%u -> \"%s\":%u: node \"%s\" (%s) has %u connected input%s, so its inputs must be "
                       "numbered 0 to %u",
                       _holo_plan_node (c->plan, edge->from)->name, edge->out, to->name, edge->in, to->name, to->kind,
                       n_inputs[edge->to], n_inputs[edge->to] == 1 ? "" : "s", n_inputs[edge->to] - 1);
          return FALSE;
        }
    }
  for (guint i = 0; i < n_nodes; i++)
    {
      HoloPlanNode *node = _holo_plan_node (c->plan, i);

      node->n_inputs = n_inputs[i];
      node->inputs = g_new0 (guint, n_inputs[i]);
    }
  return TRUE;
}

gboolean
_holo_pass_validate (HoloCompilation *c, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) destinations = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (holo_graph_get_n_nodes (c->graph) == 0)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH, "the graph is empty: it has no nodes");
      return FALSE;
    }
  for (guint i = 0; i < holo_graph_get_n_nodes (c->graph); i++)
    {
      const HoloGraphNode *node = holo_graph_get_node (c->graph, i);

      if (node->name == NULL || *node->name == '\0')
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH, "node number %u (%s) has no name", i, node->kind);
          return FALSE;
        }
      if (!g_hash_table_add (names, node->name))
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH, "two nodes have the name \"%s\"", node->name);
          return FALSE;
        }
      if (!add_node (c, node, error))
        return FALSE;
    }
  for (guint i = 0; i < holo_graph_get_n_edges (c->graph); i++)
    if (!check_edge (c, holo_graph_get_edge (c->graph, i), destinations, error))
      return FALSE;
  return check_gaps (c, error);
}
