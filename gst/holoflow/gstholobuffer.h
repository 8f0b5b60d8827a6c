/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A buffer as a tensor view: map, work, unmap. */
#pragma once

#include <gst/holoflow/gstholoinfo.h>

G_BEGIN_DECLS

/**
 * GstHoloBufferMap:
 * @view: the tensor: description, memory, stamp
 * @copied: the view is a copy of the buffer's tensor, because samples had to be swapped or were not aligned
 * @trailing: bytes of the buffer behind the tensor that nothing accounts for; they are ignored
 *
 * A mapped buffer. @view points into the structure itself: do not move it while it is mapped.
 *
 * Since: 0.1
 */
typedef struct
{
  HoloTensorView view;
  gboolean copied;
  gsize trailing;

  /*< private >*/
  HoloStorage storage;
  HoloTensorDesc layout;
  GstBuffer *buffer;
  GstMapInfo info;
  gpointer copy;
  gboolean swap_bytes;
  gpointer _gst_reserved[GST_PADDING];
} GstHoloBufferMap;

GST_HOLO_API gboolean gst_holo_buffer_get_desc (GstBuffer *buffer, const GstHoloTensorInfo *info, HoloTensorDesc *desc,
                                                GError **error);
GST_HOLO_API gboolean gst_holo_buffer_map (GstBuffer *buffer, const GstHoloTensorInfo *info, GstMapFlags flags,
                                           GstHoloBufferMap *map, GError **error);
GST_HOLO_API void gst_holo_buffer_unmap (GstHoloBufferMap *map);

GST_HOLO_API void gst_holo_buffer_get_stamp (GstBuffer *buffer, HoloStamp *stamp);
GST_HOLO_API void gst_holo_buffer_set_stamp (GstBuffer *buffer, const HoloStamp *stamp);

G_END_DECLS
