/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fences that travel with memory, so that elements hand over device memory without waiting for the device. */
#pragma once

#include <gst/holoflow/gstholo-api.h>

G_BEGIN_DECLS

/**
 * GST_HOLO_FENCE_META_API_TYPE:
 *
 * An element that honours fences lists this API in its answer to the ALLOCATION query. There is no such meta
 * on buffers: the fences lie on the #GstMemory. Towards a peer that does not list it, the device work must
 * have ended (or be ordered by other means) before a buffer is pushed. `tee` intersects the answers of its
 * branches and `queue` forwards the query, so the agreement holds through both.
 */
#define GST_HOLO_FENCE_META_API_TYPE (gst_holo_fence_meta_api_get_type ())
GST_HOLO_API GType gst_holo_fence_meta_api_get_type (void);

GST_HOLO_API void gst_holo_query_add_fences (GstQuery *query);
GST_HOLO_API gboolean gst_holo_query_has_fences (GstQuery *query);

/* The work that last wrote the memory. Reading (on a stream or the host) comes after it. Any thread. */
GST_HOLO_API void gst_holo_memory_set_write_fence (GstMemory *memory, const HoloFence *fence);
GST_HOLO_API void gst_holo_memory_get_write_fence (GstMemory *memory, HoloFence *fence);
/* Work that still reads the memory. Writing comes after it. A write fence set later replaces these. Any
 * thread. */
GST_HOLO_API void gst_holo_memory_add_read_fence (GstMemory *memory, const HoloFence *fence);
GST_HOLO_API void gst_holo_memory_get_read_fences (GstMemory *memory, HoloFenceSet *fences);

/* Waits on the host until @memory may be read, or (with @write) written by the host. */
GST_HOLO_API gboolean gst_holo_memory_wait_host (GstMemory *memory, gboolean write, GError **error);
GST_HOLO_API gboolean gst_holo_buffer_wait_host (GstBuffer *buffer, gboolean write, GError **error);

/* Before a buffer goes to an element that does not list the API. */
GST_HOLO_API gboolean gst_holo_buffer_settle_fences (GstBuffer *buffer, GError **error);

G_END_DECLS
