/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies between host and device, and on the device, of any strides. */
#include "holo-cuda-device.h"
#include "holo-cuda-loop.h"

typedef struct
{
  HoloCudaDevice *device;
  cudaStream_t stream;
  HoloCudaLoop loop; /* output: destination, input: source */
  guint8 *dst;
  const guint8 *src;
  gsize size; /* of an element */
} Copy;

/* Pageable memory cannot be read by a kernel. */
static gboolean
can_kernel_reach (gconstpointer data, gpointer *address)
{
  struct cudaPointerAttributes attributes;

  if (cudaPointerGetAttributes (&attributes, data) != cudaSuccess)
    {
      cudaGetLastError ();
      return FALSE;
    }
  *address = attributes.devicePointer;
  return attributes.devicePointer != NULL &&
         (attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeHost);
}

static gboolean
copy_by_kernel (const Copy *self, GError **error)
{
  return HOLO_CUDA_CHECK (
      self->device, holo_cuda_copy_elements (&self->loop, (int) self->size, self->dst, self->src, NULL, self->stream),
      error);
}

static gboolean
copy_row (const Copy *self, guint8 *dst, const guint8 *src, gsize width, GError **error)
{
  return HOLO_CUDA_CHECK (self->device, cudaMemcpyAsync (dst, src, width, cudaMemcpyDefault, self->stream), error);
}

/* Rows of @width bytes along dimension @dim: one piece where the engine takes the pitches, else one by one.
 */
static gboolean
copy_rows (const Copy *self, guint8 *dst, const guint8 *src, gsize width, guint dim, GError **error)
{
  gint64 dst_pitch = self->loop.strides[0][dim], src_pitch = self->loop.strides[1][dim], n = self->loop.shape[dim];

  if (dst_pitch >= (gint64) width && src_pitch >= (gint64) width && MAX (dst_pitch, src_pitch) <= G_MAXINT32)
    return HOLO_CUDA_CHECK (self->device,
                            cudaMemcpy2DAsync (dst, (gsize) dst_pitch, src, (gsize) src_pitch, width, (gsize) n,
                                               cudaMemcpyDefault, self->stream),
                            error);
  for (gint64 i = 0; i < n; i++)
    if (!copy_row (self, dst + i * dst_pitch, src + i * src_pitch, width, error))
      return FALSE;
  return TRUE;
}

/* @n_outer dimensions are walked here; then come rows of @width bytes along the next one. */
static gboolean
copy_outer (const Copy *self, guint8 *dst, const guint8 *src, guint dim, guint n_outer, gsize width, GError **error)
{
  if (dim == n_outer)
    return copy_rows (self, dst, src, width, dim, error);
  for (gint64 i = 0; i < self->loop.shape[dim]; i++)
    if (!copy_outer (self, dst + i * self->loop.strides[0][dim], src + i * self->loop.strides[1][dim], dim + 1, n_outer,
                     width, error))
      return FALSE;
  return TRUE;
}

static gboolean
copy_strided (Copy *self, GError **error)
{
  const HoloCudaLoop *loop = &self->loop;
  guint last = (guint) loop->rank - 1;
  gboolean has_rows = loop->strides[0][last] == (gint64) self->size && loop->strides[1][last] == (gint64) self->size;
  gpointer dst, src;

  if (has_rows && loop->rank > 1)
    return copy_outer (self, self->dst, self->src, 0, last - 1, (gsize) loop->shape[last] * self->size, error);
  if (!can_kernel_reach (self->dst, &dst) || !can_kernel_reach (self->src, &src))
    return copy_outer (self, self->dst, self->src, 0, last, self->size, error);
  self->dst = dst;
  self->src = src;
  return copy_by_kernel (self, error);
}

gboolean
holo_cuda_copy (HoloCudaDevice *device, cudaStream_t stream, const HoloTensorView *dst, const HoloTensorView *src,
                GError **error)
{
  Copy copy = { .device = device,
                .stream = stream,
                .dst = holo_tensor_view_get_data (dst),
                .src = holo_tensor_view_get_data (src),
                .size = holo_dtype_get_size (dst->desc.dtype) };

  holo_cuda_loop_init (&copy.loop, &dst->desc, &src->desc, NULL);
  if (copy.loop.count == 0)
    return TRUE;
  if (copy.loop.is_dense || copy.loop.rank == 0)
    return copy_row (&copy, copy.dst, copy.src, (gsize) copy.loop.count * copy.size, error);
  if (dst->desc.mem_loc == HOLO_MEM_LOC_DEVICE && src->desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    return copy_by_kernel (&copy, error);
  return copy_strided (&copy, error);
}
