/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind FourierMask on the device: the weights are those that the host's task gives for a spectrum of ones, so
 * there is one rule for them. */
#include <math.h>

#include "holo-cuda-kinds.h"
#include "holo-cuda-roll.h"
#include "holo-cuda-stream.h"

typedef struct
{
  HoloDevice *device; /* the task's */
  GArray *pieces;
  guint8 *weights;
  HoloDType dtype; /* CF32 or CF64 */
  HoloDType real;
} State;

static void
free_state (gpointer data)
{
  State *state = data;

  holo_device_free (state->device, HOLO_MEM_LOC_DEVICE, state->weights);
  g_clear_pointer (&state->pieces, g_array_unref);
  g_free (state);
}

static gboolean
run (HoloCudaTask *task, HoloSyncContext *context, cudaStream_t stream, GError **error)
{
  const State *state = task->state;
  guint8 *out = holo_tensor_view_get_data (context->outputs[0]);
  const guint8 *in = holo_tensor_view_get_data (context->inputs[0]);

  for (guint i = 0; i < state->pieces->len; i++)
    {
      const HoloCudaPiece *piece = &g_array_index (state->pieces, HoloCudaPiece, i);

      if (!HOLO_CUDA_CHECK (task->device,
                            holo_cuda_multiply (&piece->loop, (int) state->dtype, (int) state->dtype, (int) state->real,
                                                out + piece->out_offset, in + piece->in_offset,
                                                state->weights + piece->weights_offset, NULL, stream),
                            error))
        return FALSE;
    }
  return TRUE;
}

/* ---- weights ---- */

/* Runs the kind on the host on one picture of ones, in place of itself: @ones gets the weights, as complex
 * numbers, where the output has them. */
static gboolean
weigh_ones (HoloTaskFactory *factory, const HoloTensorDesc *desc, gpointer ones, gpointer out, GError **error)
{
  HoloSyncCreateContext context = { NULL, holo_device_get_host () };
  g_auto (HoloInference) inference = { 0 };
  g_autoptr (HoloSyncTask) task = NULL;
  HoloStorage storages[2];
  HoloTensorView views[2], *inputs[1] = { &views[0] }, *outputs[1] = { &views[1] };
  HoloSyncContext call = { .inputs = inputs, .outputs = outputs, .n_inputs = 1, .n_outputs = 1 };

  for (guint i = 0; i < 2; i++)
    {
      holo_storage_init (&storages[i], i == 0 ? ones : out, holo_tensor_desc_get_size (desc));
      holo_tensor_view_init (&views[i], desc, &storages[i]);
    }
  if (!holo_task_factory_infer (factory, desc, 1, &inference, error))
    return FALSE;
  task = holo_sync_task_factory_create (HOLO_SYNC_TASK_FACTORY (factory), &inference, &context, error);
  return task != NULL && holo_sync_task_execute (task, &call, error) == HOLO_OP_OK;
}

static void
fill_ones (gpointer data, HoloDType dtype, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (dtype == HOLO_DTYPE_CF32)
      ((gfloat *) data)[2 * i] = 1;
    else
      ((gdouble *) data)[2 * i] = 1;
}

/* Real parts, in front of each other. */
static void
take_real (gpointer data, HoloDType dtype, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (dtype == HOLO_DTYPE_CF32)
      ((gfloat *) data)[i] = ((gfloat *) data)[2 * i];
    else
      ((gdouble *) data)[i] = ((gdouble *) data)[2 * i];
}

static gboolean
make_weights (State *state, HoloTaskFactory *factory, const HoloTensorDesc *in, cudaStream_t stream, GError **error)
{
  HoloTensorDesc desc;
  gsize n, bytes;
  g_autofree guint8 *ones = NULL;
  g_autofree guint8 *out = NULL;

  holo_tensor_desc_init (&desc, in->dtype, HOLO_MEM_LOC_HOST, 2, in->shape + in->rank - 2);
  n = (gsize) holo_tensor_desc_count (&desc);
  bytes = n * holo_dtype_get_size (state->real);
  ones = g_try_malloc0 (2 * bytes);
  out = g_try_malloc0 (2 * bytes);
  state->weights = holo_device_alloc (state->device, HOLO_MEM_LOC_DEVICE, bytes, error);
  if (state->weights == NULL)
    return FALSE;
  if (ones == NULL || out == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY, "could not allocate %" G_GSIZE_FORMAT " bytes for weights",
                   4 * bytes);
      return FALSE;
    }
  fill_ones (ones, in->dtype, n);
  if (!weigh_ones (factory, &desc, ones, out, error))
    return FALSE;
  take_real (out, in->dtype, n);
  return HOLO_CUDA_CHECK (HOLO_CUDA_DEVICE (state->device),
                          cudaMemcpyAsync (state->weights, out, bytes, cudaMemcpyHostToDevice, stream), error) &&
         HOLO_CUDA_CHECK (HOLO_CUDA_DEVICE (state->device), cudaStreamSynchronize (stream), error);
}

/* ---- set up ---- */

/* Minus the centre, to the nearest whole index, as on the host. */
static gint64
get_shift (gdouble center, gint64 extent)
{
  return extent > 0 ? -(gint64) rint (fmod (center, (gdouble) extent)) : 0;
}

static void
make_pieces (State *state, HoloTaskFactory *factory, const HoloTensorDesc *in, const HoloTensorDesc *out)
{
  guint y = in->rank - 2, x = in->rank - 1;
  gint64 shifts[HOLO_MAX_RANK] = { 0 }, strides[HOLO_MAX_RANK] = { 0 };
  gdouble center_y, center_x;
  HoloTensorDesc weights;
  gboolean recenter;

  g_object_get (factory, "center-y", &center_y, "center-x", &center_x, "recenter", &recenter, NULL);
  strides[x] = (gint64) holo_dtype_get_size (state->real);
  strides[y] = in->shape[x] * strides[x];
  holo_tensor_desc_init_strided (&weights, state->real, in->mem_loc, in->rank, in->shape, strides, 0);
  if (recenter)
    {
      shifts[y] = get_shift (center_y, in->shape[y]);
      shifts[x] = get_shift (center_x, in->shape[x]);
    }
  state->pieces = holo_cuda_roll (out, in, &weights, shifts);
}

gboolean
holo_cuda_set_up_fourier_mask (HoloCudaTask *task, HoloTaskFactory *factory, const HoloInference *inference,
                               const HoloSyncCreateContext *context, GError **error)
{
  const HoloTensorDesc *in = holo_inference_get_input_desc (inference, 0);
  State *state = g_new0 (State, 1);

  state->device = HOLO_DEVICE (task->device);
  state->dtype = in->dtype;
  state->real = in->dtype == HOLO_DTYPE_CF32 ? HOLO_DTYPE_F32 : HOLO_DTYPE_F64;
  task->run = run;
  task->state = state;
  task->free_state = free_state;
  make_pieces (state, factory, in, holo_inference_get_output_desc (inference, 0));
  return holo_tensor_desc_is_empty (in) ||
         make_weights (state, factory, in, holo_cuda_stream_get (HOLO_CUDA_STREAM (context->stream)), error);
}
