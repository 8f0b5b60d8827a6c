/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholopacker.h"

#include "holoflow/gstholocuda-private.h"
#include "holoflow/gstholodevice-private.h"

void
gst_holo_packer_clear (GstHoloPacker *packer)
{
  if (packer->stream != NULL)
    {
      holo_stream_synchronize (packer->stream, NULL);
      holo_device_release_stream (packer->device, packer->stream);
    }
  packer->stream = NULL;
  g_clear_pointer (&packer->recycler, _gst_holo_recycler_close);
  g_clear_object (&packer->device);
}

static gboolean
ensure_stream (GstHoloPacker *packer, HoloDevice *device, GError **error)
{
  if (packer->device == device)
    return TRUE;
  gst_holo_packer_clear (packer);
  packer->stream = holo_device_create_stream (device, error);
  if (packer->stream == NULL)
    return FALSE;
  packer->device = g_object_ref (device);
  return TRUE;
}

static gboolean
enqueue (GstHoloPacker *packer, const HoloFrame *src, gpointer dst, gsize dst_size, const HoloTensorDesc *dst_desc,
         const HoloFenceSet *dst_fences, HoloFence *fence, GError **error)
{
  HoloStorage from = {
    .data = src->block->data, .size = src->block->size, .mem_loc = HOLO_MEM_LOC_DEVICE, .device = packer->device
  };
  HoloStorage to = { .data = dst, .size = dst_size, .mem_loc = HOLO_MEM_LOC_DEVICE, .device = packer->device };
  HoloTensorView src_view, dst_view;

  holo_tensor_view_init (&src_view, &src->desc, &from);
  holo_tensor_view_init (&dst_view, dst_desc, &to);
  return holo_stream_wait_fence (packer->stream, &src->fence, error) &&
         holo_fence_set_wait_stream (dst_fences, packer->stream, error) &&
         holo_device_copy (packer->device, packer->stream, &dst_view, &src_view, error) &&
         holo_stream_record (packer->stream, fence, error);
}

/* Copies @src to @dst on @device, behind the fence of @src and @dst_fences; @fence is that of the copy. @src is
 * cleared. */
static gboolean
copy (GstHoloPacker *packer, HoloDevice *device, HoloFrame *src, gpointer dst, gsize dst_size,
      const HoloTensorDesc *dst_desc, const HoloFenceSet *dst_fences, HoloFence *fence, GError **error)
{
  if (!ensure_stream (packer, device, error) ||
      !enqueue (packer, src, dst, dst_size, dst_desc, dst_fences, fence, error))
    return FALSE;
  src->fence = *fence; /* the memory goes back behind the copy, which came behind the fence it had */
  holo_frame_clear (src);
  return TRUE;
}

/* Who had the memory before may still read it: our work by its fences, that of others by its stream. */
static gboolean
collect_users (GstMemory *memory, HoloDevice *device, HoloFenceSet *fences, GError **error)
{
  HoloFence foreign;

  _gst_holo_memory_collect_fences (memory, fences);
  if (!_gst_holo_cuda_is_memory (memory))
    return TRUE;
  if (!_gst_holo_cuda_memory_record (memory, device, &foreign, error))
    return FALSE;
  holo_fence_set_add (fences, &foreign);
  return TRUE;
}

gboolean
gst_holo_packer_copy_to_buffer (GstHoloPacker *packer, HoloFrame *src, GstHoloBufferMap *dst, GError **error)
{
  GstMemory *memory = gst_buffer_peek_memory (dst->buffer, 0);
  HoloDevice *device = dst->storage.device;
  HoloFenceSet fences = { 0 };
  HoloFence fence;
  gboolean ok;

  if (src->block->device != device)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
                   "the tensor lies on %s, but the next element works on %s or in another CUDA context",
                   holo_device_get_name (src->block->device), holo_device_get_name (device));
      return FALSE;
    }
  ok = collect_users (memory, device, &fences, error) &&
       copy (packer, device, src, dst->view.storage->data, dst->view.storage->size, &dst->view.desc, &fences, &fence,
             error);
  holo_fence_set_clear (&fences);
  if (ok)
    gst_holo_memory_set_write_fence (memory, &fence);
  return ok;
}

static HoloBlock *
take_block (GstHoloPacker *packer, GstHoloPlace *place, gsize size, GError **error)
{
  GstBuffer *buffer;

  if (packer->recycler != NULL && _gst_holo_recycler_get_size (packer->recycler) != size)
    g_clear_pointer (&packer->recycler, _gst_holo_recycler_close);
  if (packer->recycler == NULL)
    packer->recycler = gst_holo_place_new_recycler (place, packer->device, size, error);
  buffer = packer->recycler != NULL ? gst_holo_recycler_acquire_buffer (packer->recycler, error) : NULL;
  return buffer != NULL ? gst_holo_block_new_from_buffer (buffer, TRUE, error) : NULL;
}

gboolean
gst_holo_packer_pack (GstHoloPacker *packer, GstHoloPlace *place, HoloFrame *frame, const HoloTensorDesc *desc,
                      GError **error)
{
  HoloFrame packed = { .desc = *desc, .stamp = frame->stamp };

  if (!ensure_stream (packer, frame->block->device, error))
    return FALSE;
  packed.block = take_block (packer, place, holo_tensor_desc_get_size (desc), error);
  if (packed.block == NULL)
    return FALSE;
  if (!copy (packer, packer->device, frame, packed.block->data, packed.block->size, desc, &packed.block->fences,
             &packed.fence, error))
    {
      holo_frame_clear (&packed);
      return FALSE;
    }
  holo_fence_set_clear (&packed.block->fences);
  *frame = packed;
  return TRUE;
}

GstBuffer *
gst_holo_recycler_acquire_buffer (GstHoloRecycler *recycler, GError **error)
{
  GstMemory *memory = _gst_holo_recycler_acquire (recycler, error);
  GstBuffer *buffer;

  if (memory == NULL)
    return NULL;
  buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, memory);
  return buffer;
}
