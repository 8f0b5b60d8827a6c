/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-cuda-loop.h"

#include <string.h>

G_STATIC_ASSERT (HOLO_CUDA_MAX_RANK == HOLO_MAX_RANK);
G_STATIC_ASSERT ((int) HOLO_CUDA_U8 == (int) HOLO_DTYPE_U8 && (int) HOLO_CUDA_I64 == (int) HOLO_DTYPE_I64);
G_STATIC_ASSERT ((int) HOLO_CUDA_F16 == (int) HOLO_DTYPE_F16 && (int) HOLO_CUDA_CF64 == (int) HOLO_DTYPE_CF64);

/* Stride of @desc along dimension @dim of a result of @rank dimensions; 0 where it is broadcast. */
static gint64
get_stride (const HoloTensorDesc *desc, guint dim, guint rank)
{
  gint own = (gint) dim - (gint) (rank - desc->rank);

  return own < 0 || desc->shape[own] == 1 ? 0 : desc->strides[own];
}

/* Whether the last dimension of @loop and one of @extent inside it lie like one. */
static gboolean
can_join (const HoloCudaLoop *loop, gint64 extent, const gint64 *strides, guint n_operands)
{
  if (loop->rank == 0)
    return FALSE;
  for (guint i = 0; i < n_operands; i++)
    if (loop->strides[i][loop->rank - 1] != extent * strides[i])
      return FALSE;
  return TRUE;
}

static void
add_dimension (HoloCudaLoop *loop, gint64 extent, const gint64 *strides, guint n_operands)
{
  gboolean joined = can_join (loop, extent, strides, n_operands);
  gint at = joined ? loop->rank - 1 : loop->rank++;

  loop->shape[at] = joined ? loop->shape[at] * extent : extent;
  for (guint i = 0; i < n_operands; i++)
    loop->strides[i][at] = strides[i];
}

/**
 * holo_cuda_loop_init:
 * @loop: filled in
 * @out: the output, whose shape is that of the loop
 * @a: (nullable): first input, broadcast to it
 * @b: (nullable): second input
 */
void
holo_cuda_loop_init (HoloCudaLoop *loop, const HoloTensorDesc *out, const HoloTensorDesc *a, const HoloTensorDesc *b)
{
  const HoloTensorDesc *descs[] = { out, a, b };
  guint n_operands = b != NULL ? 3 : a != NULL ? 2 : 1;

  memset (loop, 0, sizeof *loop);
  loop->count = holo_tensor_desc_count (out);
  for (guint dim = 0; dim < out->rank && loop->count > 0; dim++)
    {
      gint64 strides[3];

      for (guint i = 0; i < n_operands; i++)
        strides[i] = get_stride (descs[i], dim, out->rank);
      if (out->shape[dim] != 1)
        add_dimension (loop, out->shape[dim], strides, n_operands);
    }
  loop->is_dense = loop->rank <= 1;
  for (guint i = 0; i < n_operands && loop->rank == 1; i++)
    loop->is_dense &= loop->strides[i][0] == (gint64) holo_dtype_get_size (descs[i]->dtype);
}
