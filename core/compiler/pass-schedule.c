/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 7: the order of the synchronous nodes of each section: producers before consumers, readers before those that
 * overwrite in place, the smallest number first among equals. */
#include "compiler/holo-compilation.h"

typedef struct
{
  HoloCompilation *c;
  guint8 *state;   /* by node: 0 new, 1 done */
  GArray **before; /* by node: nodes that must run first */
  GArray *sorted;
} Sorter;

/* Depth first with a stack of its own: chains may be thousands of nodes long. */
static void
emit (Sorter *sorter, guint root, guint section)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));

  g_array_append_val (stack, root);
  while (stack->len > 0)
    {
      guint node = g_array_index (stack, guint, stack->len - 1);
      GArray *before = sorter->before[node];
      gboolean waits = FALSE;

      for (guint i = 0; before != NULL && i < before->len; i++)
        {
          guint other = g_array_index (before, guint, i);

          if (sorter->state[other] == 0)
            {
              g_array_append_val (stack, other);
              waits = TRUE;
            }
        }
      if (waits)
        continue;
      g_array_set_size (stack, stack->len - 1);
      if (sorter->state[node] == 0)
        {
          sorter->state[node] = 1;
          g_array_append_val (sorter->sorted, node);
        }
    }
}

static void
add_before (Sorter *sorter, guint node, guint other)
{
  if (sorter->before[node] == NULL)
    sorter->before[node] = g_array_new (FALSE, FALSE, sizeof (guint));
  g_array_append_val (sorter->before[node], other);
}

static void
collect (Sorter *sorter)
{
  HoloCompilation *c = sorter->c;

  for (guint n = 0; n < c->plan->nodes->len; n++)
    {
      const HoloPlanNode *node = _holo_plan_node (c->plan, n);

      for (guint i = 0; _holo_plan_node_is_sync (node) && i < node->n_inputs; i++)
        {
          guint producer = _holo_plan_tensor (c->plan, node->inputs[i])->producer.node;

          if (_holo_plan_node_is_sync (_holo_plan_node (c->plan, producer)))
            add_before (sorter, n, producer);
        }
    }
  for (guint i = 0; i < c->orderings->len; i++)
    {
      const HoloCompilationEdge *ordering = &g_array_index (c->orderings, HoloCompilationEdge, i);

      add_before (sorter, ordering->to, ordering->from);
    }
}

gboolean
_holo_pass_schedule (HoloCompilation *c, GError **error)
{
  guint n_nodes = c->plan->nodes->len;
  g_autofree guint8 *state = g_new0 (guint8, n_nodes + 1);
  g_autofree GArray **before = g_new0 (GArray *, n_nodes + 1);
  Sorter sorter = { c, state, before, NULL };

  collect (&sorter);
  for (guint s = 0; s < c->plan->sections->len; s++)
    {
      HoloPlanSection *section = _holo_plan_section (c->plan, s);

      sorter.sorted = g_array_sized_new (FALSE, FALSE, sizeof (guint), section->nodes->len);
      for (guint i = 0; i < section->nodes->len; i++)
        emit (&sorter, g_array_index (section->nodes, guint, i), s);
      g_array_unref (section->nodes);
      section->nodes = sorter.sorted;
    }
  for (guint i = 0; i < n_nodes; i++)
    if (before[i] != NULL)
      g_array_unref (before[i]);
  return TRUE;
}
