/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 2: topological order of all nodes, smallest number first among equals; a cycle is named. */
#include "compiler/holo-compilation.h"
#include "base/holo-error.h"

guint *
_holo_compilation_sort_edges (HoloCompilation *c, guint **first)
{
  guint n_nodes = c->plan->nodes->len, *sorted = g_new0 (guint, c->edges->len + 1);
  g_autofree guint *fill = NULL;

  *first = g_new0 (guint, n_nodes + 2);
  for (guint i = 0; i < c->edges->len; i++)
    (*first)[g_array_index (c->edges, HoloCompilationEdge, i).from + 1]++;
  for (guint i = 0; i < n_nodes; i++)
    (*first)[i + 1] += (*first)[i];
  fill = g_memdup2 (*first, (n_nodes + 1) * sizeof **first);
  for (guint i = 0; i < c->edges->len; i++)
    sorted[fill[g_array_index (c->edges, HoloCompilationEdge, i).from]++] = i;
  return sorted;
}

/* A node left over lies on or behind a cycle: going backwards among the left-over nodes must come round. */
static void
set_cycle_error (HoloCompilation *c, const guint *n_waiting, GError **error)
{
  guint n_nodes = c->plan->nodes->len, node = 0, length = 0, closing = 0;
  g_autofree gint *seen_at = g_new (gint, n_nodes);
  g_autoptr (GArray) walk = g_array_new (FALSE, FALSE, sizeof (guint));
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n_nodes; i++)
    seen_at[i] = -1;
  while (n_waiting[node] == 0)
    node++;
  while (seen_at[node] < 0)
    {
      seen_at[node] = (gint) walk->len;
      g_array_append_val (walk, node);
      for (guint i = 0; i < c->edges->len; i++)
        {
          const HoloCompilationEdge *edge = &g_array_index (c->edges, HoloCompilationEdge, i);

          if (edge->to == node && n_waiting[edge->from] > 0)
            {
              node = edge->from;
              break;
            }
        }
    }
  for (guint i = walk->len; i-- > (guint) seen_at[node];)
    {
      g_string_append_printf (text, "\"%s\" -> ", _holo_plan_node (c->plan, g_array_index (walk, guint, i))->name);
      if (++length == 16)
        {
          g_string_append (text, "... -> ");
          break;
        }
    }
  g_string_append_printf (text, "\"%s\"", _holo_plan_node (c->plan, g_array_index (walk, guint, walk->len - 1))->name);
  /* The walk went against the edges: this one leads from where it came round to where it had been. */
  while (g_array_index (c->edges, HoloCompilationEdge, closing).from != node ||
         g_array_index (c->edges, HoloCompilationEdge, closing).to != g_array_index (walk, guint, walk->len - 1))
    closing++;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH,
               "the graph contains a cycle: %s; a graph must not feed a node with its own results", text->str);
  _holo_compilation_prefix_edge (error, closing, NULL);
  g_string_free (text, TRUE);
}

gboolean
_holo_pass_order (HoloCompilation *c, GError **error)
{
  guint n_nodes = c->plan->nodes->len;
  g_autofree guint *n_waiting = g_new0 (guint, n_nodes + 1), *first = NULL;
  g_autofree guint *edges = _holo_compilation_sort_edges (c, &first);
  g_autoptr (GArray) ready = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < c->edges->len; i++)
    n_waiting[g_array_index (c->edges, HoloCompilationEdge, i).to]++;
  for (guint i = 0; i < n_nodes; i++)
    if (n_waiting[i] == 0)
      g_array_append_val (ready, i);
  for (guint next = 0; next < ready->len; next++)
    {
      guint node = g_array_index (ready, guint, next);

      g_array_append_val (c->order, node);
      for (guint i = first[node]; i < first[node + 1]; i++)
        {
          guint to = g_array_index (c->edges, HoloCompilationEdge, edges[i]).to;

          if (--n_waiting[to] == 0)
            g_array_append_val (ready, to);
        }
    }
  if (c->order->len == n_nodes)
    return TRUE;
  set_cycle_error (c, n_waiting, error);
  return FALSE;
}
