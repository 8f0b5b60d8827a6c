/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 5: numbers the tensors. Every output, connected or not, is one; all edges of an output share it. */
#include "compiler/holo-compilation.h"

guint
_holo_compilation_add_tensor (HoloCompilation *c, const HoloTensorDesc *desc, guint node, guint slot)
{
  HoloPlanTensor tensor = {
    .desc = *desc,
    .producer = { node, slot },
    .consumers = g_array_new (FALSE, FALSE, sizeof (HoloPlanPort)),
    .storage = G_MAXUINT,
  };

  g_array_append_val (c->plan->tensors, tensor);
  return c->plan->tensors->len - 1;
}

gboolean
_holo_pass_tensors (HoloCompilation *c, GError **error)
{
  for (guint i = 0; i < c->order->len; i++)
    {
      guint index = g_array_index (c->order, guint, i);
      HoloPlanNode *node = _holo_plan_node (c->plan, index);

      for (guint slot = 0; slot < node->n_outputs; slot++)
        node->outputs[slot] =
            _holo_compilation_add_tensor (c, holo_inference_get_output_desc (&node->inference, slot), index, slot);
    }
  for (guint i = 0; i < c->edges->len; i++)
    {
      const HoloCompilationEdge *edge = &g_array_index (c->edges, HoloCompilationEdge, i);
      guint tensor = _holo_plan_node (c->plan, edge->from)->outputs[edge->out];
      HoloPlanPort consumer = { edge->to, edge->in };

      _holo_plan_node (c->plan, edge->to)->inputs[edge->in] = tensor;
      g_array_append_val (_holo_plan_tensor (c->plan, tensor)->consumers, consumer);
    }
  return TRUE;
}
