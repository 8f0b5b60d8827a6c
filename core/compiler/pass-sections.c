/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 4: cuts the graph at its asynchronous nodes.
 *
 * A synchronous node is one place; an asynchronous one has two, its input and its output side. Every edge unites the place
 * it leaves with the place it reaches, and what is united is a section. An edge between two asynchronous nodes thus
 * becomes a section without synchronous nodes, which only forwards. */
#include "compiler/holo-compilation.h"
#include "base/holo-error.h"

typedef struct
{
  guint *parent; /* place 2i: input side of node i, 2i+1: output side (the same place for synchronous nodes) */
} Places;

static guint
find (Places *places, guint place)
{
  while (places->parent[place] != place)
    {
      places->parent[place] = places->parent[places->parent[place]];
      place = places->parent[place];
    }
  return place;
}

static void
unite (Places *places, guint a, guint b)
{
  a = find (places, a);
  b = find (places, b);
  if (a != b)
    places->parent[MAX (a, b)] = MIN (a, b);
}

static gint
get_section (HoloCompilation *c, GHashTable *ids, guint root)
{
  gpointer known;
  HoloPlanSection section = { 0 };
  guint id = c->plan->sections->len;

  if (g_hash_table_lookup_extended (ids, GUINT_TO_POINTER (root), NULL, &known))
    return GPOINTER_TO_INT (known);
  g_hash_table_insert (ids, GUINT_TO_POINTER (root), GINT_TO_POINTER (id));
  section.name = g_strdup_printf ("section-%u", id);
  section.nodes = g_array_new (FALSE, FALSE, sizeof (guint));
  section.pops = g_array_new (FALSE, FALSE, sizeof (guint));
  section.pushes = g_array_new (FALSE, FALSE, sizeof (guint));
  section.waits = g_array_new (FALSE, TRUE, sizeof (gboolean));
  section.pop_waits = g_array_new (FALSE, TRUE, sizeof (gboolean));
  g_array_append_val (c->plan->sections, section);
  return (gint) id;
}

static void
assign (HoloCompilation *c, Places *places)
{
  g_autoptr (GHashTable) ids = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < c->order->len; i++)
    {
      guint index = g_array_index (c->order, guint, i);
      HoloPlanNode *node = _holo_plan_node (c->plan, index);

      if (_holo_plan_node_is_sync (node))
        {
          node->section_in = node->section_out = get_section (c, ids, find (places, 2 * index));
          g_array_append_val (_holo_plan_section (c->plan, (guint) node->section_in)->nodes, index);
          continue;
        }
      if (node->n_inputs > 0)
        node->section_in = get_section (c, ids, find (places, 2 * index));
    }
  /* Output sides last, so that sections are numbered by their first synchronous node where they have one. */
  for (guint i = 0; i < c->order->len; i++)
    {
      guint index = g_array_index (c->order, guint, i);
      HoloPlanNode *node = _holo_plan_node (c->plan, index);

      if (!_holo_plan_node_is_sync (node) && node->n_outputs > 0)
        node->section_out = get_section (c, ids, find (places, 2 * index + 1));
    }
  for (guint i = 0; i < c->plan->nodes->len; i++)
    {
      HoloPlanNode *node = _holo_plan_node (c->plan, i);

      if (_holo_plan_node_is_sync (node))
        continue;
      if (node->section_in >= 0)
        g_array_append_val (_holo_plan_section (c->plan, (guint) node->section_in)->pushes, i);
      if (node->section_out >= 0)
        g_array_append_val (_holo_plan_section (c->plan, (guint) node->section_out)->pops, i);
    }
}

/* Producers that synchronise their stream go first: the barrier before the others may then be left out. */
static void
order_pushes (HoloCompilation *c)
{
  for (guint s = 0; s < c->plan->sections->len; s++)
    {
      HoloPlanSection *section = _holo_plan_section (c->plan, s);
      g_autoptr (GArray) rest = g_array_new (FALSE, FALSE, sizeof (guint));
      guint n_first = 0;

      for (guint i = 0; i < section->pushes->len; i++)
        {
          guint node = g_array_index (section->pushes, guint, i);

          if (_holo_plan_node (c->plan, node)->inference.synchronizes_producer_stream)
            g_array_index (section->pushes, guint, n_first++) = node;
          else
            g_array_append_val (rest, node);
        }
      for (guint i = 0; i < rest->len; i++)
        g_array_index (section->pushes, guint, n_first + i) = g_array_index (rest, guint, i);
      section->synchronizing_push = n_first > 0;
    }
}

/* Everything that gets data from @node. */
static gboolean *
find_downstream (HoloCompilation *c, guint node)
{
  gboolean *downstream = g_new0 (gboolean, c->plan->nodes->len + 1), changed = TRUE;

  downstream[node] = TRUE;
  while (changed)
    {
      changed = FALSE;
      for (guint i = 0; i < c->edges->len; i++)
        {
          const HoloCompilationEdge *edge = &g_array_index (c->edges, HoloCompilationEdge, i);

          if (downstream[edge->from] && !downstream[edge->to])
            downstream[edge->to] = changed = TRUE;
        }
    }
  return downstream;
}

/* @path: the asynchronous nodes of the cycle of sections. The by-pass is an edge that reaches what is behind the first one
 * from what is not. */
static void
set_bypass_error (HoloCompilation *c, GArray *path, GError **error)
{
  g_autofree gboolean *downstream = find_downstream (c, g_array_index (path, guint, 0));
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree gchar *edge_text = g_strdup ("that path");
  gint bypass = -1;

  for (guint i = 0; i < path->len; i++)
    g_string_append_printf (text, "%s\"%s\"", i ? ", " : "",
                            _holo_plan_node (c->plan, g_array_index (path, guint, i))->name);
  for (guint i = 0; i < c->edges->len; i++)
    {
      const HoloCompilationEdge *edge = &g_array_index (c->edges, HoloCompilationEdge, i);
      const HoloPlanNode *from = _holo_plan_node (c->plan, edge->from), *to = _holo_plan_node (c->plan, edge->to);

      if (!downstream[edge->to] || downstream[edge->from] || edge->to == g_array_index (path, guint, 0))
        continue;
      bypass = (gint) i;
      g_free (edge_text);
      edge_text = g_strdup_printf ("edge \"%s\":%u -> \"%s\":%u", from->name, edge->out, to->name, edge->in);
      break;
    }
  g_set_error (
      error, HOLO_ERROR, HOLO_ERROR_GRAPH,
      "a synchronous path leads around asynchronous node%s %s, so that both ends would wait for each other; put "
      "a Queue on %s",
      path->len > 1 ? "s" : "", text->str, edge_text);
  if (bypass >= 0)
    _holo_compilation_prefix_edge (error, (guint) bypass, NULL);
}

/* Depth first over sections; @path holds the asynchronous nodes walked through. */
static gboolean
visit (HoloCompilation *c, guint section, guint8 *state, GArray *path, GArray *stack, GError **error)
{
  GArray *pushes = _holo_plan_section (c->plan, section)->pushes;

  state[section] = 1;
  g_array_append_val (stack, section);
  for (guint i = 0; i < pushes->len; i++)
    {
      guint node = g_array_index (pushes, guint, i);
      gint next = _holo_plan_node (c->plan, node)->section_out;

      if (next < 0 || state[next] == 2)
        continue;
      g_array_append_val (path, node);
      if (state[next] == 1)
        {
          guint start = 0;

          while (g_array_index (stack, guint, start) != (guint) next)
            start++;
          g_array_remove_range (path, 0, start);
          set_bypass_error (c, path, error);
          return FALSE;
        }
      if (!visit (c, (guint) next, state, path, stack, error))
        return FALSE;
      g_array_set_size (path, path->len - 1);
    }
  g_array_set_size (stack, stack->len - 1);
  state[section] = 2;
  return TRUE;
}

static gboolean
check_cycles (HoloCompilation *c, GError **error)
{
  g_autofree guint8 *state = g_new0 (guint8, c->plan->sections->len + 1);
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < c->plan->sections->len; i++)
    if (state[i] == 0 && !visit (c, i, state, path, stack, error))
      return FALSE;
  return TRUE;
}

gboolean
_holo_pass_sections (HoloCompilation *c, GError **error)
{
  guint n_places = 2 * c->plan->nodes->len;
  g_autofree guint *parent = g_new (guint, n_places + 1);
  Places places = { parent };

  for (guint i = 0; i < n_places; i++)
    parent[i] = i;
  for (guint i = 0; i < c->plan->nodes->len; i++)
    if (_holo_plan_node_is_sync (_holo_plan_node (c->plan, i)))
      unite (&places, 2 * i, 2 * i + 1);
  for (guint i = 0; i < c->edges->len; i++)
    {
      const HoloCompilationEdge *edge = &g_array_index (c->edges, HoloCompilationEdge, i);

      unite (&places, 2 * edge->from + 1, 2 * edge->to);
    }
  assign (c, &places);
  order_pushes (c);
  return check_cycles (c, error);
}
