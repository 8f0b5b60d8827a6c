/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks that stretch the range of a tensor, or of each of its parts, to another one. */
#include "holo-cuda-range.h"

/* Blocks of threads that look for the range of one part, at most: enough to keep a large GPU busy. */
#define MAX_CHUNKS         512
#define ELEMENTS_PER_CHUNK 4096

typedef struct
{
  HoloCudaDevice *device; /* the task's */
  HoloCudaLoop loop;
  HoloCudaParts parts;
  HoloDType out;
  HoloDType in;
  gboolean normalizes;
  gdouble minimum;
  gdouble maximum;
  gpointer memory;
} State;

static void
free_state (gpointer data)
{
  State *state = data;

  holo_device_free (HOLO_DEVICE (state->device), HOLO_MEM_LOC_DEVICE, state->memory);
  g_free (state);
}

static gboolean
run (HoloCudaTask *task, HoloSyncContext *context, cudaStream_t stream, GError **error)
{
  const State *state = task->state;
  gpointer out = holo_tensor_view_get_data (context->outputs[0]);
  gconstpointer in = holo_tensor_view_get_data (context->inputs[0]);

  return HOLO_CUDA_CHECK (task->device, holo_cuda_find_range (&state->loop, (int) state->in, in, &state->parts, stream),
                          error) &&
         HOLO_CUDA_CHECK (task->device,
                          holo_cuda_scale (&state->loop, (int) state->out, out, (int) state->in, in, &state->parts,
                                           state->normalizes, state->minimum, state->maximum, stream),
                          error);
}

static gboolean
divide (State *state, const HoloTensorDesc *in, guint n_outer, GError **error)
{
  HoloCudaParts *parts = &state->parts;

  parts->n_outer = 1;
  for (guint i = 0; i < n_outer; i++)
    parts->n_outer *= (uint64_t) in->shape[i];
  parts->n_inner = MAX (parts->n_outer > 0 ? state->loop.count / parts->n_outer : 0, 1);
  parts->n_chunks = (unsigned) CLAMP (parts->n_inner / ELEMENTS_PER_CHUNK, 1, MAX_CHUNKS);
  while (parts->n_chunks > 1 && parts->n_outer * parts->n_chunks > 65536)
    parts->n_chunks /= 2;
  if (parts->n_outer <= G_MAXINT32)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED,
               "the device normalises at most %d parts of a tensor, not %" G_GUINT64_FORMAT, G_MAXINT32,
               (guint64) parts->n_outer);
  return FALSE;
}

/**
 * holo_cuda_task_set_range:
 * @task: the task to be
 * @inference: of its node
 * @n_outer: dimensions in front; each of their combinations is a part with a range of its own
 * @normalizes: by the rule of Normalize, else by that of Conversion with Scaled
 * @minimum: what the smallest element becomes
 * @maximum: what the largest element becomes
 * @error: return location
 *
 * Returns: %FALSE when there is no memory for the ranges
 */
gboolean
holo_cuda_task_set_range (HoloCudaTask *task, const HoloInference *inference, guint n_outer, gboolean normalizes,
                          gdouble minimum, gdouble maximum, GError **error)
{
  const HoloTensorDesc *in = holo_inference_get_input_desc (inference, 0);
  const HoloTensorDesc *out = holo_inference_get_output_desc (inference, 0);
  State *state = g_new0 (State, 1);
  gsize n;

  holo_cuda_loop_init (&state->loop, out, in, NULL);
  state->device = task->device;
  state->in = in->dtype;
  state->out = out->dtype;
  state->normalizes = normalizes;
  state->minimum = minimum;
  state->maximum = maximum;
  task->run = run;
  task->state = state;
  task->free_state = free_state;
  if (!divide (state, in, n_outer, error))
    return FALSE;
  n = 2 * (gsize) state->parts.n_outer;
  state->memory = holo_device_alloc (HOLO_DEVICE (task->device), HOLO_MEM_LOC_DEVICE,
                                     n * (state->parts.n_chunks + 1) * sizeof (gdouble), error);
  if (state->memory == NULL)
    return FALSE;
  state->parts.ranges = state->memory;
  state->parts.partial = state->parts.ranges + n;
  return TRUE;
}
