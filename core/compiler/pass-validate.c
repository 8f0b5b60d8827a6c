/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 1: names, kinds, settings and the form of the edges. Makes the plan's nodes, each with its frozen factory. */
#include "compiler/holo-compilation.h"
#include "base/holo-error.h"
#include "base/holo-json-private.h"
#include "graph/holo-graph-private.h"
#include "task/holo-settings-private.h"
#include "task/holo-task-private.h"

void
_holo_compilation_prefix_node (GError **error, const HoloPlanNode *node)
{
  g_autofree gchar *path = _holo_json_path_append ("/nodes", node->name);

  /* What the compiler has put in has no place in the graph. */
  g_prefix_error (error, "%s%snode \"%s\" (%s): ", node->implicit ? "" : path, node->implicit ? "" : ": ", node->name,
                  node->kind);
}

/* Numbers of edges are those of the graph, as long as no copy has been spliced in. */
void
_holo_compilation_prefix_edge (GError **error, guint edge, const gchar *member)
{
  g_prefix_error (error, "/edges/%u%s%s: ", edge, member != NULL ? "/" : "", member != NULL ? member : "");
}

HoloTaskFactory *
_holo_compilation_new_factory (HoloRegistry *registry, const HoloGraphNode *node, GError **error)
{
  g_autoptr (HoloTaskFactory) factory = holo_registry_create_factory (registry, node->kind, error);
  g_autofree gchar *node_path = _holo_json_path_append ("/nodes", node->name);
  g_autofree gchar *path = _holo_json_path_append (node_path, "params");

  if (factory == NULL)
    {
      g_prefix_error (error, "%s/type: ", node_path);
      return NULL;
    }
  if (!JSON_NODE_HOLDS_OBJECT (node->settings))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "%s: expected the settings (an object), found %s", path,
                   _holo_json_get_type_name (node->settings));
      return NULL;
    }
  if (!holo_settings_apply_json (factory, json_node_get_object (node->settings), path, error) ||
      !_holo_settings_check_required (factory, path, error))
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
check_slot_number (const HoloPlanNode *node, gint64 slot, guint edge, const gchar *member, GError **error)
{
  if (slot >= 0 && slot <= G_MAXUINT16)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH,
               "node \"%s\" (%s) has no slot %" G_GINT64_FORMAT "; slots are numbered from 0 to %d", node->name,
               node->kind, slot, G_MAXUINT16);
  _holo_compilation_prefix_edge (error, edge, member);
  return FALSE;
}

static gboolean
check_edge (HoloCompilation *c, guint number, GHashTable *destinations, GError **error)
{
  const HoloGraphEdge *edge = holo_graph_get_edge (c->graph, number);
  const HoloPlanNode *from = _holo_plan_node (c->plan, edge->from), *to = _holo_plan_node (c->plan, edge->to);
  HoloCompilationEdge checked = { edge->from, (guint) edge->out, edge->to, (guint) edge->in };
  g_autofree gchar *destination = g_strdup_printf ("%u:%" G_GINT64_FORMAT, edge->to, edge->in);

  if (!check_slot_number (from, edge->out, number, "out", error) ||
      !check_slot_number (to, edge->in, number, "in", error))
    return FALSE;
  if (!g_hash_table_add (destinations, g_steal_pointer (&destination)))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH,
                   "more than one edge leads to input %" G_GINT64_FORMAT " of node \"%s\" (%s); the second comes from "
                   "\"%s\"",
                   edge->in, to->name, to->kind, from->name);
      _holo_compilation_prefix_edge (error, number, "in");
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
                       "node \"%s\" (%s) has %u connected input%s, so its inputs must be numbered 0 to %u, not %u",
                       to->name, to->kind, n_inputs[edge->to], n_inputs[edge->to] == 1 ? "" : "s",
                       n_inputs[edge->to] - 1, edge->in);
          _holo_compilation_prefix_edge (error, i, "in");
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

  if (!_holo_graph_check_not_empty (c->graph, error))
    return FALSE;
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
    if (!check_edge (c, i, destinations, error))
      return FALSE;
  return check_gaps (c, error);
}
