/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of a device in buffers, whoever allocated it. */
#pragma once

#include <gst/holoflow/gstholo-api.h>

G_BEGIN_DECLS

/* Whether the one memory of @buffer is a device's; device memory is never one of several. */
gboolean _gst_holo_buffer_is_device (GstBuffer *buffer);
/* The device whose memory it is; (transfer full) (nullable). */
HoloDevice *_gst_holo_buffer_get_device (GstBuffer *buffer, GError **error);
/* The work, ours or of other elements, that wrote @memory. */
gboolean _gst_holo_memory_get_fence (GstMemory *memory, HoloDevice *device, HoloFence *fence, GError **error);
/* Adds all work that a new writer must wait for. */
void _gst_holo_memory_collect_fences (GstMemory *memory, HoloFenceSet *fences);
/* gst_holo_buffer_settle_fences() that says whether the host had to wait. */
gboolean _gst_holo_buffer_settle (GstBuffer *buffer, gboolean *waited, GError **error);

G_END_DECLS
