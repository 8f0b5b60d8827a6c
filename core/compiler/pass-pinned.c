/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 9: which host memory is pinned: what device copies touch, wherever adopting tasks carry its blocks. Such memory is
 * scarce and slow to allocate; what only host tasks see is ordinary memory. */
#include "compiler/holo-compilation.h"

static HoloPlanStorage *
get_storage (HoloCompilation *c, guint tensor)
{
  return _holo_plan_storage (c->plan, _holo_plan_tensor (c->plan, tensor)->storage);
}

/* Blocks that @node lends out are those that it adopted. */
static void
carry_back (HoloCompilation *c, const HoloPlanNode *node)
{
  for (guint i = 0; i < node->n_outputs; i++)
    {
      gint input = holo_inference_get_output (&node->inference, i)->lends_input;

      if (holo_inference_get_output (&node->inference, i)->lent && input >= 0 &&
          get_storage (c, node->outputs[i])->pinned)
        get_storage (c, node->inputs[input])->pinned = TRUE;
    }
}

gboolean
_holo_pass_pinned (HoloCompilation *c, GError **error)
{
  for (guint i = 0; i < c->plan->storages->len; i++)
    {
      HoloPlanStorage *storage = _holo_plan_storage (c->plan, i);

      storage->pinned = storage->mem_loc == HOLO_MEM_LOC_HOST && storage->stream_access;
    }
  for (guint i = c->order->len; i-- > 0;)
    carry_back (c, _holo_plan_node (c->plan, g_array_index (c->order, guint, i)));
  return TRUE;
}
