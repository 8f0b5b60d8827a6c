/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/holo-tensor-view.h"

#include <string.h>

#include "base/holo-error.h"

void
holo_storage_init (HoloStorage *storage, gpointer data, gsize size)
{
  *storage = (HoloStorage){ .data = data, .size = size, .mem_loc = HOLO_MEM_LOC_HOST };
}

void
holo_tensor_view_init (HoloTensorView *view, const HoloTensorDesc *desc, HoloStorage *storage)
{
  view->desc = *desc;
  view->storage = storage;
  view->fence = (HoloFence) HOLO_FENCE_INIT;
  holo_stamp_init (&view->stamp);
}

gboolean
holo_tensor_view_is_null (const HoloTensorView *view)
{
  return view->storage == NULL || view->storage->data == NULL;
}

/* A size that the compiler knows makes a load and a store of memcpy(). */
#define COPY_LINE(size)                                                                                                \
  for (gint64 i = 0; i < n; i++)                                                                                       \
  memcpy (dst + i * dst_stride, src + i * src_stride, size)

static void
copy_line (guint8 *dst, gint64 dst_stride, const guint8 *src, gint64 src_stride, gint64 n, gsize bytes)
{
  switch (bytes)
    {
    case 1:
      COPY_LINE (1);
      break;
    case 2:
      COPY_LINE (2);
      break;
    case 4:
      COPY_LINE (4);
      break;
    case 8:
      COPY_LINE (8);
      break;
    case 16:
      COPY_LINE (16);
      break;
    default:
      COPY_LINE (bytes);
      break;
    }
}

/* Copies dimension @dim and those inside it, which are dense in both from @dense_from on. */
static void
copy_dims (guint8 *dst, const HoloTensorDesc *dst_desc, const guint8 *src, const HoloTensorDesc *src_desc, guint dim,
           guint dense_from, gsize dense_bytes)
{
  if (dim == dense_from)
    memcpy (dst, src, dense_bytes);
  else if (dim + 1 == dense_from)
    copy_line (dst, dst_desc->strides[dim], src, src_desc->strides[dim], src_desc->shape[dim], dense_bytes);
  else
    for (gint64 i = 0; i < src_desc->shape[dim]; i++)
      copy_dims (dst + i * dst_desc->strides[dim], dst_desc, src + i * src_desc->strides[dim], src_desc, dim + 1,
                 dense_from, dense_bytes);
}

/**
 * holo_tensor_copy_elements:
 * @dst: address of the first element of the destination (offset already added)
 * @dst_desc: its layout
 * @src: address of the first element of the source
 * @src_desc: its layout; same shape and element size as @dst_desc
 *
 * Copies host memory between any two layouts of one shape. The memory must not overlap.
 */
void
holo_tensor_copy_elements (gpointer dst, const HoloTensorDesc *dst_desc, gconstpointer src,
                           const HoloTensorDesc *src_desc)
{
  gsize dense_bytes = holo_dtype_get_size (src_desc->dtype);
  guint dense_from = src_desc->rank;

  if (holo_tensor_desc_is_empty (src_desc))
    return;
  while (dense_from > 0)
    {
      guint dim = dense_from - 1;

      if (src_desc->shape[dim] != 1 &&
          (src_desc->strides[dim] != (gint64) dense_bytes || dst_desc->strides[dim] != (gint64) dense_bytes))
        break;
      dense_bytes *= (gsize) src_desc->shape[dim];
      dense_from = dim;
    }
  copy_dims (dst, dst_desc, src, src_desc, 0, dense_from, dense_bytes);
}

/**
 * holo_frame_init_alloc:
 * @frame: (out caller-allocates): a frame
 * @desc: a host tensor
 * @error: return location
 *
 * Fills in a frame with host memory of its own and an empty stamp.
 *
 * Returns: %FALSE with %HOLO_ERROR_MEMORY
 */
gboolean
holo_frame_init_alloc (HoloFrame *frame, const HoloTensorDesc *desc, GError **error)
{
  *frame = (HoloFrame) HOLO_FRAME_INIT;
  frame->desc = *desc;
  frame->block = holo_block_new_alloc (holo_tensor_desc_get_size (desc), error);
  return frame->block != NULL;
}

/**
 * holo_frame_clear:
 * @frame: a frame
 *
 * Gives the memory back. Does nothing on a cleared frame.
 */
void
holo_frame_clear (HoloFrame *frame)
{
  if (frame->block != NULL)
    holo_block_unref_after (g_steal_pointer (&frame->block), &frame->fence);
}
