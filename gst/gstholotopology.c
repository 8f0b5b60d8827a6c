/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholotopology.h"

/* ---- sets that grow together ---- */

static guint
find_root (guint *parents, guint i)
{
  while (parents[i] != i)
    i = parents[i] = parents[parents[i]];
  return i;
}

static void
join (guint *parents, guint a, guint b)
{
  parents[find_root (parents, a)] = find_root (parents, b);
}

static guint *
new_sets (guint n)
{
  guint *parents = g_new (guint, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    parents[i] = i;
  return parents;
}

/* ---- questions ---- */

gboolean
gst_holo_graph_is_input (HoloGraph *graph, guint node)
{
  return g_str_equal (holo_graph_get_node (graph, node)->kind, "Input");
}

gboolean
gst_holo_graph_is_output (HoloGraph *graph, guint node)
{
  return g_str_equal (holo_graph_get_node (graph, node)->kind, "Output");
}

gboolean
gst_holo_graph_has_sink (HoloGraph *graph)
{
  g_autofree gboolean *feeds = g_new0 (gboolean, holo_graph_get_n_nodes (graph) + 1);

  for (guint i = 0; i < holo_graph_get_n_edges (graph); i++)
    feeds[holo_graph_get_edge (graph, i)->from] = TRUE;
  for (guint i = 0; i < holo_graph_get_n_nodes (graph); i++)
    if (!feeds[i] && !gst_holo_graph_is_output (graph, i))
      return TRUE;
  return FALSE;
}

gboolean
gst_holo_graph_reaches (HoloGraph *graph, guint from, guint to)
{
  guint n_nodes = holo_graph_get_n_nodes (graph), n_edges = holo_graph_get_n_edges (graph);
  g_autofree gboolean *reached = g_new0 (gboolean, n_nodes);
  gboolean changed = TRUE;

  reached[from] = TRUE;
  while (changed)
    {
      changed = FALSE;
      for (guint i = 0; i < n_edges; i++)
        {
          const HoloGraphEdge *edge = holo_graph_get_edge (graph, i);

          if (reached[edge->from] && !reached[edge->to])
            reached[edge->to] = changed = TRUE;
        }
    }
  return reached[to];
}

static const HoloGraphEdge *
find_edge_into (HoloGraph *graph, guint node, gint64 slot)
{
  for (guint i = 0; i < holo_graph_get_n_edges (graph); i++)
    {
      const HoloGraphEdge *edge = holo_graph_get_edge (graph, i);

      if (edge->to == node && edge->in == slot)
        return edge;
    }
  return NULL;
}

gboolean
gst_holo_graph_find_leader (HoloGraph *graph, guint node, guint *leader)
{
  /* A graph with a cycle is refused later; here it must only not hang. */
  for (guint steps = 0; steps <= holo_graph_get_n_nodes (graph); steps++)
    {
      const HoloGraphEdge *edge = find_edge_into (graph, node, 0);

      if (edge == NULL)
        break;
      node = edge->from;
    }
  *leader = node;
  return gst_holo_graph_is_input (graph, node);
}

/* ---- parts ---- */

static void
copy_node (HoloGraph *graph, HoloGraph *from, guint node)
{
  const HoloGraphNode *original = holo_graph_get_node (from, node);
  guint copy = holo_graph_add_node (graph, original->name, original->kind, original->settings);

  holo_graph_set_node_debug (graph, copy, original->debug);
}

static HoloGraph *
copy_part (HoloGraph *graph, guint *parents, guint root)
{
  HoloGraph *part = holo_graph_new ();
  guint n_nodes = holo_graph_get_n_nodes (graph), n = 0;
  g_autofree guint *numbers = g_new0 (guint, n_nodes);

  for (guint i = 0; i < n_nodes; i++)
    if (find_root (parents, i) == root)
      {
        copy_node (part, graph, i);
        numbers[i] = n++;
      }
  for (guint i = 0; i < holo_graph_get_n_edges (graph); i++)
    {
      const HoloGraphEdge *edge = holo_graph_get_edge (graph, i);

      if (find_root (parents, edge->from) == root)
        holo_graph_add_edge (part, numbers[edge->from], edge->out, numbers[edge->to], edge->in);
    }
  return part;
}

GPtrArray *
gst_holo_graph_split (HoloGraph *graph)
{
  guint n_nodes = holo_graph_get_n_nodes (graph);
  g_autofree guint *parents = new_sets (n_nodes);
  GPtrArray *parts = g_ptr_array_new_with_free_func ((GDestroyNotify) holo_graph_unref);

  for (guint i = 0; i < holo_graph_get_n_edges (graph); i++)
    {
      const HoloGraphEdge *edge = holo_graph_get_edge (graph, i);

      join (parents, edge->from, edge->to);
    }
  for (guint i = 0; i < n_nodes; i++)
    if (find_root (parents, i) == i)
      g_ptr_array_add (parts, copy_part (graph, parents, i));
  return parts;
}

/* ---- checks before inference ---- */

static gboolean
check_slot (gint64 slot, guint n_slots, const HoloSlot *slots, const HoloGraphNode *node, const gchar *side,
            GError **error)
{
  gboolean repeated = n_slots > 0 && (slots[n_slots - 1].flags & HOLO_SLOT_REPEATED);

  if (slot >= 0 && (repeated || slot < n_slots))
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH,
               "node \"%s\" of kind %s has no %s slot %" G_GINT64_FORMAT "; it has %u, counted from 0", node->name,
               node->kind, side, slot, n_slots);
  return FALSE;
}

static gboolean
check_edge (HoloGraph *graph, const HoloGraphEdge *edge, HoloRegistry *registry, GError **error)
{
  const HoloGraphNode *from = holo_graph_get_node (graph, edge->from), *to = holo_graph_get_node (graph, edge->to);
  GType from_type = holo_registry_get_factory_type (registry, from->kind, NULL);
  GType to_type = holo_registry_get_factory_type (registry, to->kind, NULL);
  g_autoptr (GTypeClass) from_class = g_type_class_ref (from_type);
  g_autoptr (GTypeClass) to_class = g_type_class_ref (to_type);
  guint n_outputs, n_inputs;
  const HoloSlot *outputs = holo_task_factory_class_get_outputs (from_class, &n_outputs);
  const HoloSlot *inputs = holo_task_factory_class_get_inputs (to_class, &n_inputs);

  return check_slot (edge->out, n_outputs, outputs, from, "output", error) &&
         check_slot (edge->in, n_inputs, inputs, to, "input", error);
}

static gboolean
check_node (const HoloGraphNode *node, HoloRegistry *registry, GError **error)
{
  g_autofree gchar *path = g_strdup_printf ("/nodes/%s/params", node->name);
  g_autoptr (HoloTaskFactory) factory = NULL;
  GError *local = NULL;

  factory = holo_registry_create_factory (registry, node->kind, &local);
  if (factory != NULL && node->settings != NULL && JSON_NODE_HOLDS_OBJECT (node->settings))
    holo_settings_apply_json (factory, json_node_get_object (node->settings), path, &local);
  if (local == NULL)
    holo_settings_check_required (factory, &local);
  if (local == NULL)
    return TRUE;
  g_propagate_prefixed_error (error, local, "node \"%s\" of kind %s: ", node->name, node->kind);
  return FALSE;
}

gboolean
gst_holo_graph_check (HoloGraph *graph, HoloRegistry *registry, GError **error)
{
  for (guint i = 0; i < holo_graph_get_n_nodes (graph); i++)
    if (!check_node (holo_graph_get_node (graph, i), registry, error))
      return FALSE;
  for (guint i = 0; i < holo_graph_get_n_edges (graph); i++)
    if (!check_edge (graph, holo_graph_get_edge (graph, i), registry, error))
      return FALSE;
  return TRUE;
}

/* ---- sections ----
 * Each node has two ends: 2n is where it takes, 2n + 1 where it gives. They are one for a synchronous node.
 */

static guint *
find_sections (HoloGraph *graph, HoloRegistry *registry)
{
  guint n_nodes = holo_graph_get_n_nodes (graph);
  guint *parents = new_sets (2 * n_nodes);

  for (guint i = 0; i < n_nodes; i++)
    if (holo_registry_is_sync (registry, holo_graph_get_node (graph, i)->kind))
      join (parents, 2 * i, 2 * i + 1);
  for (guint i = 0; i < holo_graph_get_n_edges (graph); i++)
    {
      const HoloGraphEdge *edge = holo_graph_get_edge (graph, i);

      join (parents, 2 * edge->from + 1, 2 * edge->to);
    }
  return parents;
}

guint *
gst_holo_graph_number_sections (HoloGraph *graph, HoloRegistry *registry)
{
  guint n_nodes = holo_graph_get_n_nodes (graph);
  g_autofree guint *parents = find_sections (graph, registry);
  guint *sections = g_new (guint, MAX (n_nodes, 1));

  for (guint i = 0; i < n_nodes; i++)
    sections[i] = find_root (parents, 2 * i + 1);
  return sections;
}

static gboolean
needs_queue (HoloGraph *graph, HoloRegistry *registry, guint *parents, guint output)
{
  guint section = find_root (parents, 2 * output), n_inputs = 0, n_outputs = 0, n_others = 0;

  for (guint i = 0; i < holo_graph_get_n_nodes (graph); i++)
    {
      if (gst_holo_graph_is_output (graph, i) && find_root (parents, 2 * i) == section)
        n_outputs++;
      if (find_root (parents, 2 * i + 1) != section || gst_holo_graph_is_output (graph, i))
        continue;
      if (gst_holo_graph_is_input (graph, i))
        n_inputs++;
      else if (holo_registry_is_async (registry, holo_graph_get_node (graph, i)->kind))
        n_others++;
    }
  if (n_outputs > 1)
    return TRUE;
  return n_inputs > 1 || (n_inputs == 1 && n_others > 0);
}

static gchar *
choose_name (HoloGraph *graph, const gchar *output)
{
  gchar *name = g_strconcat (output, "-queue", NULL);

  while (holo_graph_find_node (graph, name, NULL))
    {
      gchar *longer = g_strconcat (name, "-", NULL);

      g_free (name);
      name = longer;
    }
  return name;
}

HoloGraph *
gst_holo_graph_add_queues (HoloGraph *graph, HoloRegistry *registry)
{
  guint n_nodes = holo_graph_get_n_nodes (graph);
  g_autofree guint *parents = find_sections (graph, registry);
  g_autofree gint *queues = g_new (gint, MAX (n_nodes, 1));
  HoloGraph *copy = holo_graph_new ();

  for (guint i = 0; i < n_nodes; i++)
    copy_node (copy, graph, i);
  for (guint i = 0; i < n_nodes; i++)
    {
      queues[i] = -1;
      if (gst_holo_graph_is_output (graph, i) && needs_queue (graph, registry, parents, i))
        {
          g_autofree gchar *name = choose_name (copy, holo_graph_get_node (graph, i)->name);

          queues[i] = (gint) holo_graph_add_node_text (copy, name, "Queue", "{\"capacity\": 1}");
        }
    }
  for (guint i = 0; i < holo_graph_get_n_edges (graph); i++)
    {
      const HoloGraphEdge *edge = holo_graph_get_edge (graph, i);

      if (queues[edge->to] < 0)
        holo_graph_add_edge (copy, edge->from, edge->out, edge->to, edge->in);
      else
        {
          holo_graph_add_edge (copy, edge->from, edge->out, (guint) queues[edge->to], 0);
          holo_graph_add_edge (copy, (guint) queues[edge->to], 0, edge->to, edge->in);
        }
    }
  return copy;
}
