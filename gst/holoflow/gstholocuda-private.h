/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All that is asked of GStreamer's CUDA library. gstholocuda.c alone knows that library and its versions; built
 * without it, or where it cannot be used, every function says so. Contexts are GstCudaContext, streams
 * GstCudaStream, which only GStreamer 1.24 and later have. */
#pragma once

#include <gst/video/video.h>

#include <gst/holoflow/gstholo-api.h>

G_BEGIN_DECLS

/* For gst_buffer_map(): the address on the device. Equal to GST_MAP_CUDA. */
#define GST_HOLO_MAP_DEVICE ((GstMapFlags) (GST_MAP_FLAG_LAST << 1))

#define GST_HOLO_CUDA_CONTEXT_TYPE "gst.cuda.context"

/* ---- contexts ---- */
/* What @context holds, when that is a CUDA context of GPU @number (-1: any); (transfer full) (nullable). */
GstObject *_gst_holo_cuda_context_from (GstElement *element, GstContext *context, gint number);
GstContext *_gst_holo_cuda_context_pack (GstObject *context);
gboolean _gst_holo_cuda_context_answer (GstElement *element, GstQuery *query, GstObject *context);
/* One context per device, which it keeps alive; (transfer full) (nullable). */
GstObject *_gst_holo_cuda_context_of_device (HoloDevice *device, GError **error);
/* The device that works in @context; (transfer full) (nullable). @registry (nullable) knows devices. */
HoloDevice *_gst_holo_cuda_context_get_device (GstObject *context, HoloRegistry *registry, GError **error);

/* ---- memory ---- */
/* (nullable): NULL before 1.24. */
GstMiniObject *_gst_holo_cuda_stream_new (GstObject *context);
GstMemory *_gst_holo_cuda_alloc (GstObject *context, GstMiniObject *stream, gsize size, GError **error);
gboolean _gst_holo_cuda_is_memory (GstMemory *memory);
GstObject *_gst_holo_cuda_memory_get_context (GstMemory *memory);
/* Where the rows of @plane lie in video memory without a GstVideoMeta. */
void _gst_holo_cuda_memory_get_rows (GstMemory *memory, guint plane, gsize *offset, gint *stride);

/* ---- order with the work of other elements ---- */
/* @after and what others have enqueued that writes @memory. */
gboolean _gst_holo_cuda_memory_get_fence (GstMemory *memory, HoloDevice *device, const HoloFence *after,
                                          HoloFence *fence, GError **error);
/* A fence behind all that others have enqueued on the stream of @memory; always passed when it has none. */
gboolean _gst_holo_cuda_memory_record (GstMemory *memory, HoloDevice *device, HoloFence *fence, GError **error);
/* Has the readers of @memory wait on the device. @ordered FALSE: it has no stream, wait on the host. */
gboolean _gst_holo_cuda_memory_hold_readers (GstMemory *memory, HoloDevice *device, const HoloFenceSet *fences,
                                             gboolean *ordered, GError **error);

/* ---- pools of pictures ---- */
GstBufferPool *_gst_holo_cuda_video_pool_new (GstObject *context);
gboolean _gst_holo_cuda_is_video_pool (GstBufferPool *pool, GstObject *context);

G_END_DECLS
