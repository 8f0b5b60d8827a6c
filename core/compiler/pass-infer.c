/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 3: asks every factory what it makes of the tensors that reach it. */
#include "compiler/holo-compilation.h"
#include "base/holo-error.h"

/* Frames per second of an output: the input's, times the factor that the kind declares. */
static void
set_rate (HoloInferredOutput *output, const HoloInference *inference)
{
  const HoloTensorDesc *input = inference->inputs->len > 0 ? holo_inference_get_input_desc (inference, 0) : NULL;
  gint64 n, d, gcd, rest;

  if (input == NULL)
    return; /* a source knows its rate itself */
  n = (gint64) input->rate_n * output->rate_n;
  d = (gint64) input->rate_d * output->rate_d;
  for (gcd = n, rest = d; rest != 0;)
    {
      gint64 next = gcd % rest;

      gcd = rest;
      rest = next;
    }
  if (gcd > 0)
    {
      n /= gcd;
      d /= gcd;
    }
  if (n <= 0 || d <= 0 || n > G_MAXINT || d > G_MAXINT)
    {
      n = 0;
      d = 1;
    }
  output->desc.rate_n = (gint) n;
  output->desc.rate_d = (gint) d;
}

void
_holo_inference_set_rates (HoloInference *inference)
{
  for (guint i = 0; i < inference->outputs->len; i++)
    set_rate (holo_inference_get_output (inference, i), inference);
}

/* Tells a kind that the application feeds what will come. */
static void
set_desc (HoloCompilation *c, HoloPlanNode *node)
{
  HoloAsyncTaskFactoryClass *klass;

  if (!HOLO_IS_ASYNC_TASK_FACTORY (node->factory))
    return;
  klass = HOLO_ASYNC_TASK_FACTORY_GET_CLASS (node->factory);
  if (klass->set_desc != NULL)
    klass->set_desc (HOLO_ASYNC_TASK_FACTORY (node->factory), g_hash_table_lookup (c->input_descs, node->name));
}

static gboolean
infer_node (HoloCompilation *c, HoloPlanNode *node, const HoloTensorDesc *inputs, GError **error)
{
  set_desc (c, node);
  if (!holo_task_factory_infer (node->factory, inputs, node->n_inputs, &node->inference, error))
    {
      _holo_compilation_prefix_node (error, node);
      return FALSE;
    }
  node->inferred = TRUE;
  node->n_outputs = node->inference.outputs->len;
  node->outputs = g_new0 (guint, node->n_outputs);
  _holo_inference_set_rates (&node->inference);
  return TRUE;
}

static gboolean
check_places (HoloCompilation *c, const HoloPlanNode *node, GError **error)
{
  for (guint i = 0; i < node->n_outputs; i++)
    if (holo_inference_get_output_desc (&node->inference, i)->mem_loc == HOLO_MEM_LOC_DEVICE &&
        holo_device_is_host (c->plan->device))
      {
        g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
                     "output %u would lie on a device, but no device is chosen (the plan is for the host)", i);
        _holo_compilation_prefix_node (error, node);
        return FALSE;
      }
  return TRUE;
}

gboolean
_holo_pass_infer (HoloCompilation *c, GError **error)
{
  guint n_nodes = c->plan->nodes->len;
  g_autoptr (GPtrArray) descs = g_ptr_array_new_with_free_func (g_free);
  g_autofree guint *first = NULL, *by_source = _holo_compilation_sort_edges (c, &first);

  for (guint i = 0; i < n_nodes; i++)
    g_ptr_array_add (descs, g_new0 (HoloTensorDesc, MAX (1, _holo_plan_node (c->plan, i)->n_inputs)));

  for (guint i = 0; i < c->order->len; i++)
    {
      guint index = g_array_index (c->order, guint, i);
      HoloPlanNode *node = _holo_plan_node (c->plan, index);

      if (!infer_node (c, node, descs->pdata[index], error) || !check_places (c, node, error))
        return FALSE;
      for (guint e = first[index]; e < first[index + 1]; e++)
        {
          const HoloCompilationEdge *edge = &g_array_index (c->edges, HoloCompilationEdge, by_source[e]);

          if (edge->out >= node->n_outputs)
            {
              g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH,
                           "node \"%s\" (%s) has %u output%s, there is no output %u", node->name, node->kind,
                           node->n_outputs, node->n_outputs == 1 ? "" : "s", edge->out);
              _holo_compilation_prefix_edge (error, by_source[e], "out");
              return FALSE;
            }
          ((HoloTensorDesc *) descs->pdata[edge->to])[edge->in] =
              *holo_inference_get_output_desc (&node->inference, edge->out);
        }
    }
  return TRUE;
}
