/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "runtime/holo-held-frame.h"

#include "device/holo-pool.h"

/* Memory that has room for the tensor behind its offset. A pool of one block: it goes when the block does. */
static HoloBlock *
new_block (const HoloTensorDesc *desc, HoloDevice *device, GError **error)
{
  gsize size = MAX (holo_tensor_desc_get_size (desc), 1);
  HoloDevice *allocator = desc->mem_loc == HOLO_MEM_LOC_DEVICE ? device : holo_device_get_host ();
  HoloPool *pool = _holo_pool_new (allocator, desc->mem_loc, size);
  HoloBlock *block = _holo_pool_take (pool, error);

  _holo_pool_unref (pool);
  return block;
}

HoloHeldFrame *
_holo_held_frame_new (HoloTensorView **views, guint n_views, gboolean copies, HoloDevice *device, GError **error)
{
  HoloHeldFrame *frame = g_new0 (HoloHeldFrame, 1);

  frame->tensors = g_new0 (HoloHeldTensor, MAX (n_views, 1));
  frame->n_tensors = n_views;
  for (guint i = 0; i < n_views; i++)
    {
      HoloHeldTensor *tensor = &frame->tensors[i];

      tensor->desc = views[i]->desc;
      tensor->storage = *views[i]->storage;
      tensor->storage.block = NULL;
      tensor->is_copy = copies || views[i]->storage->block == NULL;
      if (!tensor->is_copy)
        continue;
      tensor->storage.block = new_block (&tensor->desc, device, error);
      if (tensor->storage.block == NULL)
        {
          _holo_held_frame_free (frame);
          return NULL;
        }
      tensor->storage.data = tensor->storage.block->data;
      tensor->storage.size = tensor->storage.block->size;
    }
  return frame;
}

/* Complete on return: nobody will be there to wait for a fence. */
static gboolean
copy_view (const HoloTensorView *dst, const HoloTensorView *src, HoloDevice *device, HoloStream *stream, GError **error)
{
  if (dst->desc.mem_loc == HOLO_MEM_LOC_DEVICE || src->desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    return holo_device_copy (device, stream, dst, src, error) && holo_stream_synchronize (stream, error);
  holo_tensor_copy_elements (holo_tensor_view_get_data (dst), &dst->desc, holo_tensor_view_get_data (src), &src->desc);
  return TRUE;
}

gboolean
_holo_held_frame_fill (HoloHeldFrame *frame, HoloTensorView **views, gboolean moves, HoloDevice *device,
                       HoloStream *stream, GError **error)
{
  for (guint i = 0; i < frame->n_tensors; i++)
    {
      HoloHeldTensor *tensor = &frame->tensors[i];
      HoloTensorView own;

      tensor->stamp = views[i]->stamp;
      tensor->fence = views[i]->fence;
      if (!tensor->is_copy)
        {
          tensor->storage.block = moves ? views[i]->storage->block : holo_block_ref (views[i]->storage->block);
          if (moves)
            {
              views[i]->storage->block = NULL;
              views[i]->storage->data = NULL;
            }
          continue;
        }
      holo_tensor_view_init (&own, &tensor->desc, &tensor->storage);
      if (!holo_fence_wait_host (&tensor->fence, error) || !copy_view (&own, views[i], device, stream, error))
        return FALSE;
      tensor->fence = (HoloFence) HOLO_FENCE_INIT;
    }
  return TRUE;
}

gboolean
_holo_held_tensor_copy_to (const HoloHeldTensor *tensor, HoloTensorView *view, HoloDevice *device, HoloStream *stream,
                           GError **error)
{
  HoloStorage storage = tensor->storage;
  HoloTensorView own;

  holo_tensor_view_init (&own, &tensor->desc, &storage);
  return holo_fence_wait_host (&tensor->fence, error) && holo_fence_wait_host (&view->fence, error) &&
         copy_view (view, &own, device, stream, error);
}

void
_holo_held_frame_free (HoloHeldFrame *frame)
{
  if (frame == NULL)
    return;
  for (guint i = 0; i < frame->n_tensors; i++)
    if (frame->tensors[i].storage.block != NULL)
      holo_block_unref_after (frame->tensors[i].storage.block, &frame->tensors[i].fence);
  g_free (frame->tensors);
  g_free (frame);
}
