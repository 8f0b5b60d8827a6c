/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/holoflow/gstholobuffer.h>

#include "gstholobuffer-private.h"
#include "gstholocuda-private.h"
#include "gstholodevice-private.h"
#include <gst/holoflow/gstholofence.h>
#include <gst/holoflow/gstholotensormeta.h>

GST_DEBUG_CATEGORY_STATIC (category);
GST_DEBUG_CATEGORY_STATIC (performance_category);
#define GST_CAT_DEFAULT category

static void
init_debug (void)
{
  static gsize done = 0;

  if (g_once_init_enter (&done))
    {
      GST_DEBUG_CATEGORY_INIT (category, "holoflow-buffer", 0, "Holoflow: buffers as tensors");
      GST_DEBUG_CATEGORY_GET (performance_category, "GST_PERFORMANCE");
      g_once_init_leave (&done, 1);
    }
}

/* ---- layout ---- */

/* Orders the dimensions with more than one element by stride, smallest first. */
static guint
sort_dims (const HoloTensorDesc *desc, guint *order)
{
  guint n = 0;

  for (guint i = desc->rank; i-- > 0;)
    if (desc->shape[i] > 1)
      {
        guint at = n++;

        while (at > 0 && desc->strides[order[at - 1]] > desc->strides[i])
          {
            order[at] = order[at - 1];
            at--;
          }
        order[at] = i;
      }
  return n;
}

/* Elements must not share bytes: a stride of zero, less than zero or too small is a producer's mistake. */
static gboolean
check_strides (const HoloTensorDesc *desc, GError **error)
{
  gint64 span = (gint64) holo_dtype_get_size (desc->dtype);
  guint order[HOLO_MAX_RANK], n;

  if (holo_tensor_desc_is_empty (desc))
    return TRUE;
  n = sort_dims (desc, order);
  for (guint i = 0; i < n; i++)
    {
      gint64 stride = desc->strides[order[i]];

      if (stride < span)
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                       "the buffer's meta gives dimension %u a stride of %" G_GINT64_FORMAT
                       " bytes; at least %" G_GINT64_FORMAT " are needed",
                       order[i], stride, span);
          return FALSE;
        }
      if (__builtin_mul_overflow (stride, desc->shape[order[i]] - 1, &stride) ||
          __builtin_add_overflow (span, stride, &span))
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_OVERFLOW, "the strides of the buffer's meta overflow");
          return FALSE;
        }
    }
  return holo_tensor_desc_validate (desc, error);
}

static gboolean
desc_from_tensor_meta (const GstHoloTensorMeta *meta, const GstHoloTensorInfo *info, HoloTensorDesc *desc,
                       GError **error)
{
  if (meta->desc.dtype != info->desc.dtype || meta->desc.rank > HOLO_MAX_RANK ||
      !holo_tensor_desc_same_shape (&meta->desc, &info->desc))
    {
      g_autofree gchar *found = holo_tensor_desc_to_string (&meta->desc);
      g_autofree gchar *expected = holo_tensor_desc_to_string (&info->desc);

      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "the buffer's meta describes %s, the caps %s", found,
                   expected);
      return FALSE;
    }
  *desc = info->desc;
  for (guint i = 0; i < desc->rank; i++)
    desc->strides[i] = meta->desc.strides[i];
  desc->offset = meta->desc.offset;
  return check_strides (desc, error);
}

/* [.., H, W] or [.., H, W, C] */
static gboolean
set_rows (const GstHoloTensorInfo *info, gsize offset, gint stride, const gchar *source, HoloTensorDesc *desc,
          GError **error)
{
  guint row_dim = info->row_dim;
  gint64 row = desc->shape[row_dim + 1] * desc->strides[row_dim + 1];

  if (stride < row)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "%s puts rows %d bytes apart, but a row of %" G_GINT64_FORMAT " pixels has %" G_GINT64_FORMAT
                   " bytes",
                   source, stride, desc->shape[row_dim + 1], row);
      return FALSE;
    }
  desc->offset = (gint64) offset;
  desc->strides[row_dim] = stride;
  if (row_dim > 0)
    desc->strides[0] = (gint64) stride * MAX (desc->shape[row_dim], 1);
  return check_strides (desc, error);
}

/* Pictures of GStreamer's CUDA elements have rows with a pitch, which their memory knows too. */
static gboolean
desc_from_device_memory (GstBuffer *buffer, const GstHoloTensorInfo *info, HoloTensorDesc *desc, GError **error)
{
  gsize offset;
  gint stride;

  if (gst_buffer_n_memory (buffer) != 1 || !_gst_holo_cuda_is_memory (gst_buffer_peek_memory (buffer, 0)))
    return TRUE;
  _gst_holo_cuda_memory_get_rows (gst_buffer_peek_memory (buffer, 0), info->plane, &offset, &stride);
  return set_rows (info, offset, stride, "the device memory", desc, error);
}

static gboolean
desc_from_video_meta (const GstVideoMeta *meta, const GstHoloTensorInfo *info, HoloTensorDesc *desc, GError **error)
{
  const GstVideoInfo *video = &info->video;

  if (meta->format != GST_VIDEO_INFO_FORMAT (video) || (gint) meta->width != GST_VIDEO_INFO_WIDTH (video) ||
      (gint) meta->height != GST_VIDEO_INFO_HEIGHT (video))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "the buffer's meta describes %s %ux%u, the caps %s %dx%d",
                   gst_video_format_to_string (meta->format), meta->width, meta->height, GST_VIDEO_INFO_NAME (video),
                   GST_VIDEO_INFO_WIDTH (video), GST_VIDEO_INFO_HEIGHT (video));
      return FALSE;
    }
  return set_rows (info, meta->offset[info->plane], meta->stride[info->plane], "the buffer's meta", desc, error);
}

/**
 * gst_holo_buffer_get_desc:
 * @buffer: a buffer
 * @info: what the caps say
 * @desc: (out caller-allocates): the tensor in this buffer, with the strides and offset of its meta
 * @error: return location
 *
 * Returns: %FALSE when the meta does not fit the caps, or its strides are zero, negative or too small
 *
 * Since: 0.1
 */
gboolean
gst_holo_buffer_get_desc (GstBuffer *buffer, const GstHoloTensorInfo *info, HoloTensorDesc *desc, GError **error)
{
  GstHoloTensorMeta *meta = gst_buffer_get_holo_tensor_meta (buffer);
  GstVideoMeta *video = info->is_video && meta == NULL ? gst_buffer_get_video_meta (buffer) : NULL;

  *desc = info->desc;
  if (meta != NULL)
    return desc_from_tensor_meta (meta, info, desc, error);
  if (video != NULL)
    return desc_from_video_meta (video, info, desc, error);
  if (info->is_video && info->desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    return desc_from_device_memory (buffer, info, desc, error);
  return TRUE;
}

/* Bytes that @layout needs of @buffer; more than that and not from a meta is what a producer added behind. */
gboolean
_gst_holo_check_size (const GstHoloTensorInfo *info, const HoloTensorDesc *layout, gsize found, gsize *trailing,
                      GError **error)
{
  gboolean plain = holo_tensor_desc_equal (layout, &info->desc);
  gsize needed = plain && !info->is_video ? info->size : holo_tensor_desc_get_size (layout);

  *trailing = plain && info->desc.mem_loc == HOLO_MEM_LOC_HOST && found > info->size ? found - info->size : 0;
  if (G_LIKELY (found >= needed))
    return TRUE;
  {
    g_autofree gchar *text = holo_tensor_desc_to_string (layout);

    g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                 "the buffer has %" G_GSIZE_FORMAT " bytes, but the tensor %s needs %" G_GSIZE_FORMAT, found, text,
                 needed);
  }
  return FALSE;
}

/* Whether every element of @layout at @data is aligned for its type, as C wants it. */
gboolean
_gst_holo_is_aligned (const HoloTensorDesc *layout, gconstpointer data)
{
  guintptr unit = holo_dtype_get_size (layout->dtype);
  guintptr bits = (guintptr) data + (guintptr) layout->offset;

  if (holo_dtype_is_complex (layout->dtype))
    unit /= 2;
  for (guint i = 0; i < layout->rank; i++)
    bits |= (guintptr) layout->strides[i];
  return (bits & (unit - 1)) == 0;
}

/* ---- copies ---- */

static void
swap_samples (guint16 *samples, gsize n)
{
  for (gsize i = 0; i < n; i++)
    samples[i] = GUINT16_SWAP_LE_BE (samples[i]);
}

/* Reads the tensor of @layout at @data into dense memory, in host byte order. */
void
_gst_holo_pack (gpointer dst, const HoloTensorDesc *dense, gconstpointer data, const HoloTensorDesc *layout,
                gboolean swap_bytes)
{
  init_debug ();
  GST_CAT_LOG (performance_category, "copying a tensor of %" G_GSIZE_FORMAT " bytes: %s",
               holo_tensor_desc_get_payload (layout),
               swap_bytes ? "its samples have the other byte order" : "its layout is not taken as it is");
  holo_tensor_copy_elements (dst, dense, (const guint8 *) data + layout->offset, layout);
  if (swap_bytes)
    swap_samples (dst, holo_tensor_desc_count (dense));
}

static void
write_back (GstHoloBufferMap *map)
{
  if (map->swap_bytes)
    swap_samples (map->copy, holo_tensor_desc_count (&map->view.desc));
  holo_tensor_copy_elements (map->info.data + map->layout.offset, &map->layout, map->copy, &map->view.desc);
}

static void
map_copy (GstHoloBufferMap *map, GstMapFlags flags)
{
  HoloTensorDesc dense;
  gsize size;

  holo_tensor_desc_init_dense_like (&dense, &map->layout);
  size = holo_tensor_desc_get_size (&dense);
  map->copy = g_aligned_alloc (1, MAX (size, 1), HOLO_MEMORY_ALIGNMENT);
  map->copied = TRUE;
  if (flags & GST_MAP_READ)
    _gst_holo_pack (map->copy, &dense, map->info.data, &map->layout, map->swap_bytes);
  holo_storage_init (&map->storage, map->copy, size);
  map->view.desc = dense;
}

/* ---- map ---- */

/* Maps all of @buffer and checks that what is at map->layout lies in it. */
static gboolean
map_memory (GstBuffer *buffer, const GstHoloTensorInfo *info, GstMapFlags flags, GstHoloBufferMap *map, GError **error)
{
  if (!gst_buffer_map (buffer, &map->info, flags))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY, "the %s cannot be mapped for %s",
                   flags & GST_HOLO_MAP_DEVICE ? "device memory" : "buffer",
                   flags & GST_MAP_WRITE ? "writing" : "reading");
      return FALSE;
    }
  if (!_gst_holo_check_size (info, &map->layout, map->info.size, &map->trailing, error))
    {
      gst_buffer_unmap (buffer, &map->info);
      return FALSE;
    }
  map->buffer = buffer;
  map->copy = NULL;
  map->copied = FALSE;
  return TRUE;
}

static gboolean
map_device (GstBuffer *buffer, const GstHoloTensorInfo *info, GstMapFlags flags, GstHoloBufferMap *map, GError **error)
{
  g_autoptr (HoloDevice) device = _gst_holo_buffer_get_device (buffer, error);
  GstMemory *memory;

  if (device == NULL)
    return FALSE;
  memory = gst_buffer_peek_memory (buffer, 0);
  if (!_gst_holo_memory_get_fence (memory, device, &map->view.fence, error))
    return FALSE;
  if (!map_memory (buffer, info, flags | GST_HOLO_MAP_DEVICE, map, error))
    return FALSE;
  map->swap_bytes = FALSE;
  map->storage = (HoloStorage){
    .data = map->info.data, .size = map->info.size, .mem_loc = HOLO_MEM_LOC_DEVICE, .device = g_steal_pointer (&device)
  };
  map->view.desc = map->layout;
  map->view.storage = &map->storage;
  gst_holo_buffer_get_stamp (buffer, &map->view.stamp);
  return TRUE;
}

/**
 * gst_holo_buffer_map:
 * @buffer: a buffer; stays the caller's, who keeps it until gst_holo_buffer_unmap()
 * @info: what the caps say
 * @flags: %GST_MAP_READ, %GST_MAP_WRITE or both
 * @map: (out caller-allocates): filled in on success
 * @error: return location
 *
 * Maps all memory of @buffer for the host and describes the tensor in it; device memory is mapped for the
 * device: `view.storage->data` is an address there, `view.storage->device` the device, and `view.fence` the work
 * that must have ended before (see gst_holo_memory_get_read_fences() before writing). Nothing is copied unless the
 * samples have the other byte order, are not aligned for their type, or the buffer has several memories
 * (GStreamer merges them); copies are logged in GST_PERFORMANCE. What is written into a copy is written back
 * when it is unmapped.
 *
 * Returns: %FALSE when the buffer is too short (the message has both sizes), its meta does not fit, or it
 * cannot be
 *   mapped
 *
 * Since: 0.1
 */
gboolean
gst_holo_buffer_map (GstBuffer *buffer, const GstHoloTensorInfo *info, GstMapFlags flags, GstHoloBufferMap *map,
                     GError **error)
{
  if (!gst_holo_buffer_get_desc (buffer, info, &map->layout, error))
    return FALSE;
  if (info->desc.mem_loc != HOLO_MEM_LOC_HOST)
    return map_device (buffer, info, flags, map, error);
  if (!map_memory (buffer, info, flags, map, error))
    return FALSE;
  map->swap_bytes = info->swap_bytes;
  holo_storage_init (&map->storage, map->info.data, map->info.size);
  holo_tensor_view_init (&map->view, &map->layout, &map->storage);
  map->storage.device = NULL;
  if (info->swap_bytes || !_gst_holo_is_aligned (&map->layout, map->info.data))
    map_copy (map, flags);
  gst_holo_buffer_get_stamp (buffer, &map->view.stamp);
  return TRUE;
}

/**
 * gst_holo_buffer_unmap:
 * @map: a mapped buffer
 *
 * Ends the access. The view is invalid afterwards.
 *
 * Since: 0.1
 */
void
gst_holo_buffer_unmap (GstHoloBufferMap *map)
{
  if (map->copy != NULL)
    {
      if (map->info.flags & GST_MAP_WRITE)
        write_back (map);
      g_aligned_free (g_steal_pointer (&map->copy));
    }
  gst_buffer_unmap (map->buffer, &map->info);
  g_clear_object (&map->storage.device);
  map->buffer = NULL;
  map->view.storage = NULL;
}

/* ---- stamps ---- */

/**
 * gst_holo_buffer_get_stamp:
 * @buffer: a buffer
 * @stamp: (out caller-allocates): its time and flags; the sequence numbers are 0
 *
 * Since: 0.1
 */
void
gst_holo_buffer_get_stamp (GstBuffer *buffer, HoloStamp *stamp)
{
  *stamp = (HoloStamp){ .pts = GST_BUFFER_PTS (buffer), .duration = GST_BUFFER_DURATION (buffer) };
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT))
    stamp->flags |= HOLO_STAMP_DISCONT;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
    stamp->flags |= HOLO_STAMP_GAP;
}

/**
 * gst_holo_buffer_set_stamp:
 * @buffer: a writable buffer
 * @stamp: time and flags to set; a decoding time that is no longer true is dropped
 *
 * Since: 0.1
 */
void
gst_holo_buffer_set_stamp (GstBuffer *buffer, const HoloStamp *stamp)
{
  if (GST_BUFFER_PTS (buffer) != stamp->pts)
    {
      GST_BUFFER_PTS (buffer) = stamp->pts;
      GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
    }
  GST_BUFFER_DURATION (buffer) = stamp->duration;
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_GAP);
  if (stamp->flags & HOLO_STAMP_DISCONT)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (stamp->flags & HOLO_STAMP_GAP)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
}
