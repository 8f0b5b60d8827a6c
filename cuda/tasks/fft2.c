/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds FFT2 and IFFT2 on the device, by cuFFT. */
#include <math.h>

#include "holo-cuda-fft.h"
#include "holo-cuda-kinds.h"
#include "holo-cuda-stream.h"

/* Of the kind's setting. */
enum
{
  NORM_BACKWARD,
  NORM_NONE,
  NORM_FORWARD,
  NORM_ORTHO,
};

typedef struct
{
  HoloCudaFft *fft; /* NULL for no elements */
  HoloCudaLoop loop;
  gboolean is_dense;
  gboolean inverse;
  HoloDType dtype;
  gdouble scale;
} State;

static void
free_state (gpointer data)
{
  State *state = data;

  g_clear_pointer (&state->fft, holo_cuda_fft_free);
  g_free (state);
}

static gboolean
run (HoloCudaTask *task, HoloSyncContext *context, cudaStream_t stream, GError **error)
{
  const State *state = task->state;
  gpointer out = holo_tensor_view_get_data (context->outputs[0]);
  gpointer in = holo_tensor_view_get_data (context->inputs[0]);
  gsize size = holo_dtype_get_size (state->dtype);

  if (state->fft == NULL)
    return TRUE;
  if (!state->is_dense || (gsize) in % size != 0) /* packed into the output and transformed there */
    {
      if (!HOLO_CUDA_CHECK (task->device, holo_cuda_copy_elements (&state->loop, (int) size, out, in, NULL, stream),
                            error))
        return FALSE;
      in = out;
    }
  if (!holo_cuda_fft_execute (state->fft, in, out, state->inverse, error))
    return FALSE;
  return state->scale == 1 ||
         HOLO_CUDA_CHECK (task->device,
                          holo_cuda_weigh (state->loop.count, (int) state->dtype, out, state->scale, stream), error);
}

static gdouble
get_scale (HoloTaskFactory *factory, gboolean inverse, gdouble n)
{
  gint norm = NORM_BACKWARD;

  if (holo_settings_is_set (factory, "norm"))
    g_object_get (factory, "norm", &norm, NULL);
  if (norm == NORM_ORTHO)
    return 1.0 / sqrt (n);
  return inverse == (norm != NORM_FORWARD) ? 1.0 / n : 1.0;
}

gboolean
holo_cuda_set_up_fft2 (HoloCudaTask *task, HoloTaskFactory *factory, const HoloInference *inference,
                       const HoloSyncCreateContext *context, GError **error)
{
  const HoloTensorDesc *in = holo_inference_get_input_desc (inference, 0);
  gint64 height = in->shape[in->rank - 2], width = in->shape[in->rank - 1], batch = 1;
  State *state = g_new0 (State, 1);

  holo_cuda_loop_init (&state->loop, holo_inference_get_output_desc (inference, 0), in, NULL);
  state->is_dense = holo_tensor_desc_is_dense (in);
  state->inverse = g_str_equal (holo_task_factory_get_kind (factory), "IFFT2");
  state->dtype = in->dtype;
  state->scale = get_scale (factory, state->inverse, (gdouble) height * (gdouble) width);
  task->run = run;
  task->state = state;
  task->free_state = free_state;
  if (holo_tensor_desc_is_empty (in))
    return TRUE;
  for (guint i = 0; i + 2 < in->rank; i++)
    batch *= in->shape[i];
  state->fft = holo_cuda_fft_new (task->device, holo_cuda_stream_get (HOLO_CUDA_STREAM (context->stream)), in->dtype,
                                  height, width, batch, error);
  return state->fft != NULL;
}
