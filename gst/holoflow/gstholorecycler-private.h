/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device memory that goes round. Allocating and freeing it costs as much as a small frame takes, and waits for
 * the whole GPU. */
#pragma once

#include <gst/holoflow/gstholo-api.h>

G_BEGIN_DECLS

typedef struct _GstHoloRecycler GstHoloRecycler;

/* @context and @stream are GStreamer's; NULL where the device is no CUDA device, or has no streams. */
GstHoloRecycler *_gst_holo_recycler_new (HoloDevice *device, GstObject *context, GstMiniObject *stream, gsize size);
GstHoloRecycler *_gst_holo_recycler_ref (GstHoloRecycler *recycler);
void _gst_holo_recycler_unref (GstHoloRecycler *recycler);
/* No more than what is outstanding lives on; what comes back is freed. */
void _gst_holo_recycler_close (GstHoloRecycler *recycler);
gsize _gst_holo_recycler_get_size (GstHoloRecycler *recycler);
/* Memory whose fences (of earlier readers and writers) are the caller's to wait for before it writes. */
GstMemory *_gst_holo_recycler_acquire (GstHoloRecycler *recycler, GError **error);

/* Whether @memory comes from a recycler, whose next user waits for its fences: nobody else need hold it for
 * that. */
gboolean _gst_holo_memory_is_recycled (GstMemory *memory);
/* @memory goes to an element that knows no fences. */
void _gst_holo_memory_mark_foreign (GstMemory *memory);
/* Whether it ever did since it was acquired. */
gboolean _gst_holo_memory_was_foreign (GstMemory *memory);

G_END_DECLS
