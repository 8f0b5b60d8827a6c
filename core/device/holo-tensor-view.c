/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/holo-tensor-view.h"

#include <string.h>

#include "base/holo-error.h"

G_DEFINE_BOXED_TYPE (HoloFrame, holo_frame, holo_frame_copy, holo_frame_free)

/**
 * holo_storage_init:
 * @storage: a storage
 * @data: (nullable): start of host memory, which stays the caller's
 * @size: bytes from @data
 *
 * Makes it one of host memory without a block.
 *
 * Since: 0.1
 */
void
holo_storage_init (HoloStorage *storage, gpointer data, gsize size)
{
  *storage = (HoloStorage){ .data = data, .size = size, .mem_loc = HOLO_MEM_LOC_HOST };
}

/**
 * holo_tensor_view_init:
 * @view: a view
 * @desc: shape, type and layout; copied
 * @storage: the memory, which must outlive @view
 *
 * Makes it a view with an empty stamp and a fence that has passed.
 *
 * Since: 0.1
 */
void
holo_tensor_view_init (HoloTensorView *view, const HoloTensorDesc *desc, HoloStorage *storage)
{
  view->desc = *desc;
  view->storage = storage;
  view->fence = (HoloFence) HOLO_FENCE_INIT;
  holo_stamp_init (&view->stamp);
}

/**
 * holo_tensor_view_is_null:
 * @view: a view
 *
 * Returns: whether its memory is not published
 *
 * Since: 0.1
 */
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
 *
 * Since: 0.1
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
 *
 * Since: 0.1
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
 *
 * Since: 0.1
 */
void
holo_frame_clear (HoloFrame *frame)
{
  if (frame->block != NULL)
    holo_block_unref_after (g_steal_pointer (&frame->block), &frame->fence);
}

/**
 * holo_frame_copy:
 * @frame: a frame, which may be cleared
 *
 * Returns: (transfer full): another reference to the same memory, to be freed with holo_frame_free()
 *
 * Since: 0.1
 */
HoloFrame *
holo_frame_copy (const HoloFrame *frame)
{
  HoloFrame *copy = g_memdup2 (frame, sizeof *frame);

  if (copy->block != NULL)
    holo_block_ref (copy->block);
  return copy;
}

/**
 * holo_frame_free:
 * @frame: (transfer full): what holo_frame_copy() gave
 *
 * Clears and frees it.
 *
 * Since: 0.1
 */
void
holo_frame_free (HoloFrame *frame)
{
  holo_frame_clear (frame);
  g_free (frame);
}

static void
release_bytes (HoloBlock *block)
{
  g_bytes_unref (block->owner);
  holo_block_free (block);
}

/**
 * holo_frame_init_bytes:
 * @frame: a cleared frame
 * @desc: a host tensor that lies in @bytes
 * @bytes: the memory; kept, not copied, and never written
 * @error: return location
 *
 * Fills in a frame with memory of somebody else and an empty stamp. For languages whose arrays give bytes.
 *
 * Returns: %FALSE with %HOLO_ERROR_FAILED when @desc reaches beyond @bytes, and what holo_tensor_desc_validate() gives
 *
 * Since: 0.1
 */
gboolean
holo_frame_init_bytes (HoloFrame *frame, const HoloTensorDesc *desc, GBytes *bytes, GError **error)
{
  gsize size = g_bytes_get_size (bytes);

  if (!holo_tensor_desc_validate (desc, error))
    return FALSE;
  if (holo_tensor_desc_get_size (desc) > size)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_FAILED,
                   "the tensor needs %" G_GSIZE_FORMAT " bytes; %" G_GSIZE_FORMAT " are there",
                   holo_tensor_desc_get_size (desc), size);
      return FALSE;
    }
  *frame = (HoloFrame) HOLO_FRAME_INIT;
  frame->desc = *desc;
  frame->block = holo_block_new ((gpointer) g_bytes_get_data (bytes, NULL), size, release_bytes, g_bytes_ref (bytes));
  frame->block->read_only = TRUE;
  return TRUE;
}

/**
 * holo_frame_dup_bytes:
 * @frame: a frame that holds host memory whose fence has passed, as one that was pulled does
 *
 * Returns: (transfer full): a copy of its elements, row-major without gaps
 *
 * Since: 0.1
 */
GBytes *
holo_frame_dup_bytes (const HoloFrame *frame)
{
  HoloTensorDesc dense;
  gsize size;
  gpointer data;

  g_return_val_if_fail (frame->block != NULL && frame->desc.mem_loc == HOLO_MEM_LOC_HOST, NULL);

  holo_tensor_desc_init_dense_like (&dense, &frame->desc);
  size = holo_tensor_desc_get_size (&dense);
  data = g_malloc (size);
  holo_tensor_copy_elements (data, &dense, holo_frame_get_data (frame), &frame->desc);
  return g_bytes_new_take (data, size);
}
