/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "task/holo-inference.h"
#include "task/holo-task-private.h"
#include "base/holo-boxed.h"

HOLO_DEFINE_PLAIN_TYPE (HoloInferredInput, holo_inferred_input)
HOLO_DEFINE_PLAIN_TYPE (HoloInferredOutput, holo_inferred_output)
G_DEFINE_BOXED_TYPE (HoloInference, holo_inference, holo_inference_dup, holo_inference_free)

/**
 * holo_inference_init:
 * @inference: (out caller-allocates): an inference
 * @type: synchronous or asynchronous
 *
 * Fills in an inference without slots and with the defaults of each member.
 *
 * Since: 0.1
 */
void
holo_inference_init (HoloInference *inference, HoloTaskType type)
{
  *inference = (HoloInference){
    .type = type,
    .inputs = g_array_new (FALSE, TRUE, sizeof (HoloInferredInput)),
    .outputs = g_array_new (FALSE, TRUE, sizeof (HoloInferredOutput)),
    .stateful = TRUE,
  };
}

/**
 * holo_inference_clear:
 * @inference: an inference
 *
 * Frees what it holds; holo_inference_init() makes it usable again. Does nothing on a cleared or zero-filled one.
 *
 * Since: 0.1
 */
void
holo_inference_clear (HoloInference *inference)
{
  g_clear_pointer (&inference->inputs, g_array_unref);
  g_clear_pointer (&inference->outputs, g_array_unref);
}

/**
 * holo_inference_copy:
 * @dst: (out caller-allocates): becomes a copy
 * @src: an inference
 *
 * Since: 0.1
 */
void
holo_inference_copy (HoloInference *dst, const HoloInference *src)
{
  *dst = *src;
  dst->inputs = g_array_copy (src->inputs);
  dst->outputs = g_array_copy (src->outputs);
}

/**
 * holo_inference_get_n_inputs:
 * @inference: an inference
 *
 * Returns: number of inputs
 *
 * Since: 0.1
 */
guint
holo_inference_get_n_inputs (const HoloInference *inference)
{
  return inference->inputs->len;
}

/**
 * holo_inference_get_n_outputs:
 * @inference: an inference
 *
 * Returns: number of outputs
 *
 * Since: 0.1
 */
guint
holo_inference_get_n_outputs (const HoloInference *inference)
{
  return inference->outputs->len;
}

/**
 * holo_inference_add_input:
 * @inference: an inference
 * @desc: the tensor that is connected
 *
 * Returns: (transfer none): the new input, neither owned nor adopted; valid until the next one is added
 *
 * Since: 0.1
 */
HoloInferredInput *
holo_inference_add_input (HoloInference *inference, const HoloTensorDesc *desc)
{
  HoloInferredInput input = { .desc = *desc };

  g_array_append_val (inference->inputs, input);
  return holo_inference_get_input (inference, inference->inputs->len - 1);
}

/**
 * holo_inference_add_output:
 * @inference: an inference
 * @desc: the tensor the task gives
 *
 * Returns: (transfer none): the new output: storage of its own, one frame per frame, nothing held back; valid until the
 *   next one is added
 *
 * Since: 0.1
 */
HoloInferredOutput *
holo_inference_add_output (HoloInference *inference, const HoloTensorDesc *desc)
{
  HoloInferredOutput output = {
    .desc = *desc,
    .lends_input = -1,
    .in_place_input = -1,
    .rate_n = 1,
    .rate_d = 1,
  };

  g_array_append_val (inference->outputs, output);
  return holo_inference_get_output (inference, inference->outputs->len - 1);
}

/**
 * holo_inference_get_input:
 * @inference: an inference
 * @index: an input, from 0
 *
 * Returns: (transfer none): it, valid until one is added
 *
 * Since: 0.1
 */
HoloInferredInput *
holo_inference_get_input (const HoloInference *inference, guint index)
{
  g_return_val_if_fail (index < inference->inputs->len, NULL);

  return &g_array_index (inference->inputs, HoloInferredInput, index);
}

/**
 * holo_inference_get_output:
 * @inference: an inference
 * @index: an output, from 0
 *
 * Returns: (transfer none): it, valid until one is added
 *
 * Since: 0.1
 */
HoloInferredOutput *
holo_inference_get_output (const HoloInference *inference, guint index)
{
  g_return_val_if_fail (index < inference->outputs->len, NULL);

  return &g_array_index (inference->outputs, HoloInferredOutput, index);
}

/**
 * holo_inference_get_input_desc:
 * @inference: an inference
 * @index: an input, from 0
 *
 * Returns: (transfer none): its tensor, valid until an input is added
 *
 * Since: 0.1
 */
const HoloTensorDesc *
holo_inference_get_input_desc (const HoloInference *inference, guint index)
{
  return &holo_inference_get_input (inference, index)->desc;
}

/**
 * holo_inference_get_output_desc:
 * @inference: an inference
 * @index: an output, from 0
 *
 * Returns: (transfer none): its tensor, valid until an output is added
 *
 * Since: 0.1
 */
const HoloTensorDesc *
holo_inference_get_output_desc (const HoloInference *inference, guint index)
{
  return &holo_inference_get_output (inference, index)->desc;
}

/**
 * _holo_inference_offer_in_place:
 * @inference: holds the inputs
 * @output: an output whose desc is final
 * @index: an input
 *
 * Only where element i of both is the same bytes, since a run may be read after its neighbour was written. An
 * input with an offset is left alone: the output would have to take that offset over, also where it gets
 * storage of its own.
 */
void
_holo_inference_offer_in_place (const HoloInference *inference, HoloInferredOutput *output, guint index)
{
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, index);

  if (output->in_place != HOLO_IN_PLACE_NONE || input->offset != 0 || input->mem_loc != output->desc.mem_loc ||
      holo_dtype_get_size (input->dtype) != holo_dtype_get_size (output->desc.dtype) ||
      !holo_tensor_desc_is_dense (input) || !holo_tensor_desc_same_shape (input, &output->desc))
    return;
  output->in_place = HOLO_IN_PLACE_MAY;
  output->in_place_input = (gint) index;
}

HoloInferredOutput *
_holo_inference_add_dense_output (HoloInference *inference, HoloDType dtype)
{
  HoloTensorDesc desc = *holo_inference_get_input_desc (inference, 0);

  desc.dtype = dtype;
  holo_tensor_desc_init_dense_like (&desc, &desc);
  inference->stateful = FALSE;
  inference->capture_safe = desc.mem_loc == HOLO_MEM_LOC_DEVICE;
  return holo_inference_add_output (inference, &desc);
}

/**
 * holo_inference_new:
 * @type: synchronous or asynchronous
 *
 * Returns: (transfer full): what holo_inference_init() fills in, to be freed with holo_inference_free()
 *
 * Since: 0.1
 */
HoloInference *
holo_inference_new (HoloTaskType type)
{
  HoloInference *inference = g_new (HoloInference, 1);

  holo_inference_init (inference, type);
  return inference;
}

/**
 * holo_inference_dup:
 * @inference: an inference
 *
 * Returns: (transfer full): a copy, to be freed with holo_inference_free()
 *
 * Since: 0.1
 */
HoloInference *
holo_inference_dup (const HoloInference *inference)
{
  HoloInference *copy = g_new (HoloInference, 1);

  holo_inference_copy (copy, inference);
  return copy;
}

/**
 * holo_inference_free:
 * @inference: (transfer full): what holo_inference_new() or holo_inference_dup() gave
 *
 * Clears and frees it.
 *
 * Since: 0.1
 */
void
holo_inference_free (HoloInference *inference)
{
  holo_inference_clear (inference);
  g_free (inference);
}
