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
 *
 * Since: 0.1
 */
#define GST_HOLO_FENCE_META_API_TYPE (gst_holo_fence_meta_api_get_type ())
GST_HOLO_API GType gst_holo_fence_meta_api_get_type (void);

GST_HOLO_API void gst_holo_query_add_fences (GstQuery *query);
GST_HOLO_API gboolean gst_holo_query_has_fences (GstQuery *query);

/**
 * gst_holo_memory_set_write_fence:
 * @memory: a memory
 * @fence: the work that writes it
 *
 * Reading, on a stream or the host, comes after @fence from now on. Replaces an earlier write fence and the read fences.
 * Any thread.
 *
 * Since: 0.1
 */
GST_HOLO_API void gst_holo_memory_set_write_fence (GstMemory *memory, const HoloFence *fence);
/**
 * gst_holo_memory_get_write_fence:
 * @memory: a memory
 * @fence: (out caller-allocates): the work that last wrote it; one that has always passed when none was set
 *
 * Any thread.
 *
 * Since: 0.1
 */
GST_HOLO_API void gst_holo_memory_get_write_fence (GstMemory *memory, HoloFence *fence);
/**
 * gst_holo_memory_add_read_fence:
 * @memory: a memory
 * @fence: work that reads it
 *
 * Writing comes after @fence from now on, until a write fence replaces it. Any thread.
 *
 * Since: 0.1
 */
GST_HOLO_API void gst_holo_memory_add_read_fence (GstMemory *memory, const HoloFence *fence);
GST_HOLO_API void gst_holo_memory_get_read_fences (GstMemory *memory, HoloFenceSet *fences);

/**
 * gst_holo_memory_wait_host:
 * @memory: a memory
 * @write: whether the host is to write it, not only to read
 * @error: return location
 *
 * Blocks until the host may touch @memory. Any thread.
 *
 * Returns: %FALSE when a device reports an error
 *
 * Since: 0.1
 */
GST_HOLO_API gboolean gst_holo_memory_wait_host (GstMemory *memory, gboolean write, GError **error);
/**
 * gst_holo_buffer_wait_host:
 * @buffer: a buffer
 * @write: whether the host is to write it, not only to read
 * @error: return location
 *
 * gst_holo_memory_wait_host() for each memory of @buffer.
 *
 * Returns: %FALSE when a device reports an error
 *
 * Since: 0.1
 */
GST_HOLO_API gboolean gst_holo_buffer_wait_host (GstBuffer *buffer, gboolean write, GError **error);

/* Before a buffer goes to an element that does not list the API. */
GST_HOLO_API gboolean gst_holo_buffer_settle_fences (GstBuffer *buffer, GError **error);

G_END_DECLS
