/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers as frames of a graph and back, without copying either way. */
#pragma once

#include <gst/holoflow/gstholoinfo.h>

G_BEGIN_DECLS

GST_HOLO_API HoloBlock *gst_holo_block_new_from_buffer (GstBuffer *buffer, gboolean writable, GError **error);
GST_HOLO_API GstBuffer *gst_holo_block_get_buffer (HoloBlock *block);
GST_HOLO_API GstMemory *gst_holo_memory_new_from_block (HoloBlock *block, gsize offset, gsize size);

GST_HOLO_API gboolean gst_holo_frame_from_buffer (HoloFrame *frame, GstBuffer *buffer, const GstHoloTensorInfo *info,
                                                  gboolean writable, GError **error);
GST_HOLO_API gboolean gst_holo_frame_is_plain (const HoloFrame *frame);
GST_HOLO_API GstBuffer *gst_holo_buffer_new_from_frame (HoloFrame *frame, gboolean strided, GError **error);

G_END_DECLS
