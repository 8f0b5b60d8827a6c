/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of device memory outside of graphs: where a layout is not taken as it is. */
#pragma once

#include <gst/holoflow/gstholoflow.h>

#include "gstholoplace.h"

G_BEGIN_DECLS

/**
 * GstHoloPacker:
 *
 * A stream and memory for copies. Empty when zero-filled. One thread.
 */
typedef struct
{
  HoloDevice *device;
  HoloStream *stream;
  GstHoloRecycler *recycler;
} GstHoloPacker;

void gst_holo_packer_clear (GstHoloPacker *packer);
/* Copies @src into a mapped buffer of device memory, whose fence is that of the copy. @src is cleared. */
gboolean gst_holo_packer_copy_to_buffer (GstHoloPacker *packer, HoloFrame *src, GstHoloBufferMap *dst, GError **error);
/* Replaces @frame, which lies on a device, by a copy laid out as @desc. */
gboolean gst_holo_packer_pack (GstHoloPacker *packer, GstHoloPlace *place, HoloFrame *frame, const HoloTensorDesc *desc,
                               GError **error);
/* A buffer of device memory. Its fences are those of its earlier users. */
GstBuffer *gst_holo_recycler_acquire_buffer (GstHoloRecycler *recycler, GError **error);

G_END_DECLS
