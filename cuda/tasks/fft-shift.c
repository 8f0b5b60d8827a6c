/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind FFTShift on the device. */
#include "holo-cuda-kinds.h"
#include "holo-cuda-roll.h"

static void
free_pieces (gpointer data)
{
  g_array_unref (data);
}

static gboolean
run (HoloCudaTask *task, HoloSyncContext *context, cudaStream_t stream, GError **error)
{
  GArray *pieces = task->state;
  guint8 *out = holo_tensor_view_get_data (context->outputs[0]);
  const guint8 *in = holo_tensor_view_get_data (context->inputs[0]);
  int size = (int) holo_dtype_get_size (context->inputs[0]->desc.dtype);

  for (guint i = 0; i < pieces->len; i++)
    {
      const HoloCudaPiece *piece = &g_array_index (pieces, HoloCudaPiece, i);

      if (!HOLO_CUDA_CHECK (task->device,
                            holo_cuda_copy_elements (&piece->loop, size, out + piece->out_offset, in + piece->in_offset,
                                                     NULL, stream),
                            error))
        return FALSE;
    }
  return TRUE;
}

static void
get_shifts (HoloTaskFactory *factory, const HoloTensorDesc *desc, gint64 *shifts)
{
  gboolean inverse, is_shifted[HOLO_MAX_RANK] = { FALSE };
  GArray *axes = NULL;

  g_object_get (factory, "axes", &axes, "inverse", &inverse, NULL);
  for (guint i = 0; axes != NULL && i < axes->len; i++)
    {
      gint64 axis = g_array_index (axes, gint64, i);

      is_shifted[axis < 0 ? axis + desc->rank : axis] = TRUE;
    }
  for (guint dim = 0; dim < desc->rank; dim++)
    {
      gint64 half = desc->shape[dim] / 2;

      shifts[dim] = axes != NULL && !is_shifted[dim] ? 0 : inverse ? -half : half;
    }
  if (axes != NULL)
    g_array_unref (axes);
}

gboolean
holo_cuda_set_up_fft_shift (HoloCudaTask *task, HoloTaskFactory *factory, const HoloInference *inference,
                            const HoloSyncCreateContext *context, GError **error)
{
  const HoloTensorDesc *in = holo_inference_get_input_desc (inference, 0);
  gint64 shifts[HOLO_MAX_RANK];

  get_shifts (factory, in, shifts);
  task->run = run;
  task->state = holo_cuda_roll (holo_inference_get_output_desc (inference, 0), in, NULL, shifts);
  task->free_state = free_pieces;
  return TRUE;
}
