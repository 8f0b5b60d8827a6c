/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/holoflow/gstholoframe.h>

#include "gstholobuffer-private.h"
#include "gstholocuda-private.h"
#include "gstholodevice-private.h"
#include "gstholorecycler-private.h"
#include <gst/holoflow/gstholobuffer.h>
#include <gst/holoflow/gstholofence.h>
#include <gst/holoflow/gstholotensormeta.h>

/* A block around a mapped buffer. The buffer stays mapped as long as the block lives. */
typedef struct
{
  HoloBlock block;
  GstBuffer *buffer;
  GstMapInfo info;
  HoloDevice *device; /* (nullable): of device memory */
} BufferBlock;

static void
free_buffer_block (BufferBlock *self)
{
  holo_fence_set_clear (&self->block.fences);
  g_clear_object (&self->device);
  g_slice_free (BufferBlock, self);
}

/* Whoever writes next into memory of ours waits for its fences: it need not be held for them. */
static gboolean
is_recycled (BufferBlock *self)
{
  return self->device != NULL && _gst_holo_memory_is_recycled (gst_buffer_peek_memory (self->buffer, 0));
}

static void
leave_fences (BufferBlock *self)
{
  GstMemory *memory = gst_buffer_peek_memory (self->buffer, 0);

  for (guint i = 0; i < self->block.fences.n_fences; i++)
    gst_holo_memory_add_read_fence (memory, holo_fence_set_get (&self->block.fences, i));
}

static void
release_buffer_block (HoloBlock *block)
{
  BufferBlock *self = (BufferBlock *) block;

  if (is_recycled (self))
    leave_fences (self);
  else if (!holo_fence_set_is_passed (&block->fences))
    {
      /* The device calls this again once its work has ended. */
      holo_device_retire (holo_stream_get_device (holo_fence_set_get (&block->fences, 0)->stream), block);
      return;
    }
  gst_buffer_unmap (self->buffer, &self->info);
  gst_buffer_unref (self->buffer);
  free_buffer_block (self);
}

/**
 * gst_holo_block_new_from_buffer:
 * @buffer: (transfer full): a buffer in host or device memory; released also when this fails
 * @writable: also for writing; @buffer must be writable then
 * @error: return location
 *
 * Lends the memory of @buffer to a graph: it stays mapped and referenced until the last reference to the
 * block goes and its fences have passed. The fences of device memory are not waited for: those of a writable
 * block are in `block->fences`, to be waited for by who takes it. Also the way to let a graph write into a
 * buffer of a pool (see holo_end_set_allocator()).
 *
 * Returns: (transfer full) (nullable): a block over all memory of @buffer
 *
 * Since: 0.1
 */
HoloBlock *
gst_holo_block_new_from_buffer (GstBuffer *buffer, gboolean writable, GError **error)
{
  g_autoptr (GstBuffer) owned = buffer;
  g_autoptr (HoloDevice) device = NULL;
  GstMapFlags flags = writable ? GST_MAP_READWRITE : GST_MAP_READ;
  BufferBlock *self;

  if (_gst_holo_buffer_is_device (buffer))
    {
      device = _gst_holo_buffer_get_device (buffer, error);
      if (device == NULL)
        return NULL;
      flags |= GST_HOLO_MAP_DEVICE;
    }
  self = g_slice_new (BufferBlock);
  if (!gst_buffer_map (buffer, &self->info, flags))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY, "the buffer cannot be mapped for %s",
                   writable ? "writing" : "reading");
      g_slice_free (BufferBlock, self);
      return NULL;
    }
  self->buffer = g_steal_pointer (&owned);
  self->device = g_steal_pointer (&device);
  holo_block_init (&self->block, self->info.data, self->info.size, release_buffer_block, NULL);
  self->block.read_only = !writable;
  if (self->device != NULL)
    {
      self->block.mem_loc = HOLO_MEM_LOC_DEVICE;
      self->block.device = self->device;
      if (writable)
        _gst_holo_memory_collect_fences (gst_buffer_peek_memory (buffer, 0), &self->block.fences);
    }
  return &self->block;
}

/**
 * gst_holo_block_get_buffer:
 * @block: any block
 *
 * Returns: (transfer none) (nullable): the buffer behind it, when gst_holo_block_new_from_buffer() made it
 *
 * Since: 0.1
 */
GstBuffer *
gst_holo_block_get_buffer (HoloBlock *block)
{
  return block->release == release_buffer_block ? ((BufferBlock *) block)->buffer : NULL;
}

/* Takes the buffer out of @block if nobody else holds the block, else gives another reference to it. */
static GstBuffer *
take_buffer (HoloBlock *block)
{
  BufferBlock *self = (BufferBlock *) block;
  GstBuffer *buffer = self->buffer;
  gboolean recycled = is_recycled (self);

  if (g_atomic_int_get (&block->ref_count) != 1 || (!recycled && !holo_fence_set_is_passed (&block->fences)))
    {
      gst_buffer_ref (buffer);
      holo_block_unref (block);
      return buffer;
    }
  if (recycled)
    leave_fences (self);
  gst_buffer_unmap (buffer, &self->info);
  free_buffer_block (self);
  return buffer;
}

/* ---- buffer to frame ---- */

static gboolean
frame_from_copy (HoloFrame *frame, const guint8 *data, const HoloTensorDesc *layout, gboolean swap_bytes,
                 GError **error)
{
  HoloStamp stamp = frame->stamp;
  HoloTensorDesc dense;

  holo_tensor_desc_init_dense_like (&dense, layout);
  if (!holo_frame_init_alloc (frame, &dense, error))
    return FALSE;
  frame->stamp = stamp;
  _gst_holo_pack (frame->block->data, &dense, data, layout, swap_bytes);
  return TRUE;
}

static void
set_place_error (HoloBlock *block, GError **error)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY, "the caps say %s memory, but the buffer holds %s memory",
               block->mem_loc == HOLO_MEM_LOC_HOST ? "device" : "host",
               block->mem_loc == HOLO_MEM_LOC_HOST ? "host" : "device");
}

/* Takes the block. */
static gboolean
take_device_block (HoloFrame *frame, HoloBlock **block, const HoloTensorDesc *layout, GError **error)
{
  GstBuffer *buffer = gst_holo_block_get_buffer (*block);

  if (!_gst_holo_memory_get_fence (gst_buffer_peek_memory (buffer, 0), (*block)->device, &frame->fence, error))
    return FALSE;
  frame->block = g_steal_pointer (block);
  frame->desc = *layout;
  return TRUE;
}

/**
 * gst_holo_frame_from_buffer:
 * @frame: (out caller-allocates): filled in on success; clear it with holo_frame_clear()
 * @buffer: (transfer full): a buffer; released also when this fails
 * @info: what its caps say
 * @writable: the graph may overwrite the memory, if nobody else holds it
 * @error: return location
 *
 * Makes a frame that shows the memory of @buffer itself, with the strides of its meta. Copies only samples of
 * the other byte order or that are not aligned. The sequence number is left 0. The fence of device memory is
 * the work that wrote it.
 *
 * Returns: %FALSE when the buffer is too short (the message has both sizes), its meta does not fit, or it
 * cannot be
 *   mapped
 *
 * Since: 0.1
 */
gboolean
gst_holo_frame_from_buffer (HoloFrame *frame, GstBuffer *buffer, const GstHoloTensorInfo *info, gboolean writable,
                            GError **error)
{
  g_autoptr (HoloBlock) block = NULL;
  HoloTensorDesc layout;
  gsize trailing;

  if (!gst_holo_buffer_get_desc (buffer, info, &layout, error))
    {
      gst_buffer_unref (buffer);
      return FALSE;
    }
  gst_holo_buffer_get_stamp (buffer, &frame->stamp);
  writable = writable && gst_buffer_is_writable (buffer) && gst_buffer_is_all_memory_writable (buffer);
  block = gst_holo_block_new_from_buffer (buffer, writable, error);
  if (block == NULL || !_gst_holo_check_size (info, &layout, block->size, &trailing, error))
    return FALSE;
  if (block->mem_loc != info->desc.mem_loc)
    {
      set_place_error (block, error);
      return FALSE;
    }
  if (block->mem_loc == HOLO_MEM_LOC_DEVICE)
    return take_device_block (frame, &block, &layout, error);
  if (G_UNLIKELY (info->swap_bytes || !_gst_holo_is_aligned (&layout, block->data)))
    return frame_from_copy (frame, block->data, &layout, info->swap_bytes, error);
  frame->block = g_steal_pointer (&block);
  frame->desc = layout;
  frame->fence = (HoloFence) HOLO_FENCE_INIT;
  return TRUE;
}

/* ---- frame to buffer ---- */

static void
unref_block (gpointer block)
{
  holo_block_unref (block);
}

/**
 * gst_holo_memory_new_from_block:
 * @block: (transfer full): a block in host memory whose writers have finished
 * @offset: first byte
 * @size: number of bytes
 *
 * Returns: (transfer full): memory that shows the block and drops the reference when it is freed
 *
 * Since: 0.1
 */
GstMemory *
gst_holo_memory_new_from_block (HoloBlock *block, gsize offset, gsize size)
{
  return gst_memory_new_wrapped (block->read_only ? GST_MEMORY_FLAG_READONLY : 0, block->data, block->size, offset,
                                 size, block, unref_block);
}

/* The buffer of a lent block, cut to the frame. */
static GstBuffer *
buffer_from_lent (HoloFrame *frame, gsize offset, gsize size)
{
  GstBuffer *buffer = take_buffer (g_steal_pointer (&frame->block)), *part;

  if (offset == 0 && size == gst_buffer_get_size (buffer))
    return buffer;
  part = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_MEMORY,
                                 offset, size);
  /* The part must not outlive a buffer that belongs to a pool: its memory would be used again. */
  if (buffer->pool != NULL)
    gst_buffer_add_parent_buffer_meta (part, buffer);
  gst_buffer_unref (buffer);
  return part;
}

static GstBuffer *
buffer_from_block (HoloFrame *frame, gsize offset, gsize size)
{
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_append_memory (buffer, gst_holo_memory_new_from_block (g_steal_pointer (&frame->block), offset, size));
  return buffer;
}

static gboolean
pack_frame (HoloFrame *frame, GError **error)
{
  HoloFrame packed = { .stamp = frame->stamp };

  if (!frame_from_copy (&packed, frame->block->data, &frame->desc, FALSE, error))
    return FALSE;
  holo_frame_clear (frame);
  *frame = packed;
  return TRUE;
}

/* What a pool put there stays, as the pool wants it back; it describes memory of that very layout. */
static gboolean
is_stale_layout (const GstMeta *meta)
{
  GType api = meta->info->api;

  return (api == GST_HOLO_TENSOR_META_API_TYPE || api == GST_VIDEO_META_API_TYPE) &&
         !GST_META_FLAG_IS_SET (meta, GST_META_FLAG_LOCKED);
}

static gboolean
drop_layout_meta (GstBuffer *buffer, GstMeta **meta, gpointer user_data)
{
  if (is_stale_layout (*meta))
    *meta = NULL;
  return TRUE;
}

/* Whether @buffer can go out as it is, though others may hold it too: one that only passed through
 * a graph. */
static gboolean
is_as_wanted (GstBuffer *buffer, const HoloStamp *stamp)
{
  gpointer state = NULL;
  HoloStamp own;
  GstMeta *meta;

  gst_holo_buffer_get_stamp (buffer, &own);
  if (own.pts != stamp->pts || own.duration != stamp->duration || own.flags != stamp->flags)
    return FALSE;
  while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL)
    if (is_stale_layout (meta))
      return FALSE;
  return TRUE;
}

/* Layout metas of the time before the graph say nothing about what it holds now. */
static void
set_layout (GstBuffer *buffer, const HoloTensorDesc *desc)
{
  gst_buffer_foreach_meta (buffer, drop_layout_meta, NULL);
  if (desc != NULL)
    gst_buffer_add_holo_tensor_meta (buffer, desc);
}

static void
finish_buffer (GstBuffer **buffer, const HoloTensorDesc *layout, const HoloStamp *stamp)
{
  if (layout == NULL && is_as_wanted (*buffer, stamp))
    return;
  *buffer = gst_buffer_make_writable (*buffer);
  set_layout (*buffer, layout);
  gst_holo_buffer_set_stamp (*buffer, stamp);
}

/* Device memory is never cut nor copied here: only a meta says where in it the tensor lies. */
static GstBuffer *
buffer_from_device_frame (HoloFrame *frame, gboolean strided, GError **error)
{
  GstBuffer *buffer = gst_holo_block_get_buffer (frame->block);
  HoloFence fence = frame->fence;
  gboolean plain = gst_holo_frame_is_plain (frame);

  if (buffer == NULL || (!plain && !strided))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED,
                   buffer == NULL ? "device memory that is no GStreamer memory cannot leave a graph as it is"
                                  : "the tensor in device memory is not dense, and the receiver takes no strides");
      return NULL;
    }
  if (!frame->block->read_only && fence.stream != NULL)
    gst_holo_memory_set_write_fence (gst_buffer_peek_memory (buffer, 0), &fence);
  buffer = take_buffer (g_steal_pointer (&frame->block));
  finish_buffer (&buffer, plain ? NULL : &frame->desc, &frame->stamp);
  return buffer;
}

static GstBuffer *
buffer_from_host_frame (HoloFrame *frame, gboolean strided, GError **error)
{
  GstBuffer *buffer;
  HoloTensorDesc layout;
  gboolean dense = holo_tensor_desc_is_dense (&frame->desc);
  gsize offset = 0, size;

  if (!holo_fence_wait_host (&frame->fence, error) || (!dense && !strided && !pack_frame (frame, error)))
    return NULL;
  dense = dense || !strided;
  layout = frame->desc;
  size = dense ? holo_tensor_desc_get_payload (&layout) : frame->block->size;
  offset = dense ? (gsize) layout.offset : 0;
  buffer = gst_holo_block_get_buffer (frame->block) != NULL ? buffer_from_lent (frame, offset, size)
                                                            : buffer_from_block (frame, offset, size);
  finish_buffer (&buffer, dense ? NULL : &layout, &frame->stamp);
  return buffer;
}

/**
 * gst_holo_frame_is_plain:
 * @frame: a frame
 *
 * Returns: whether its tensor is dense and all of its memory, so that caps alone describe a buffer of it
 *
 * Since: 0.1
 */
gboolean
gst_holo_frame_is_plain (const HoloFrame *frame)
{
  return frame->desc.offset == 0 && holo_tensor_desc_is_dense (&frame->desc) &&
         frame->block->size == holo_tensor_desc_get_payload (&frame->desc);
}

/**
 * gst_holo_buffer_new_from_frame:
 * @frame: (transfer full): a frame; cleared in every case
 * @strided: the receiver takes #GstHoloTensorMeta; otherwise a tensor in host memory that is not dense is
 *   copied once, and one in device memory is an error
 * @error: return location
 *
 * Makes a buffer of the memory of @frame: the buffer that was lent, when it is one, else memory that gives
 * the block back when it is freed, in any thread, at any time. Time and flags are the stamp's. Device memory
 * must be that of a buffer; it leaves with the fence of the frame (see gst_holo_buffer_settle_fences()).
 *
 * Returns: (transfer full) (nullable): a buffer; it and its memory may be shared
 *
 * Since: 0.1
 */
GstBuffer *
gst_holo_buffer_new_from_frame (HoloFrame *frame, gboolean strided, GError **error)
{
  GstBuffer *buffer = frame->desc.mem_loc == HOLO_MEM_LOC_DEVICE ? buffer_from_device_frame (frame, strided, error)
                                                                 : buffer_from_host_frame (frame, strided, error);

  holo_frame_clear (frame);
  return buffer;
}
