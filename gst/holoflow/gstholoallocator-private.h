/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/holoflow/gstholo-api.h>

G_BEGIN_DECLS

/**
 * GstHoloAllocator:
 *
 * Memory that a HoloDevice gives: host memory from and to which it copies fast (pinned), or its own memory, for
 * devices that are no CUDA devices. Allocating is slow: for pools.
 */
#define GST_TYPE_HOLO_ALLOCATOR (gst_holo_allocator_get_type ())
G_DECLARE_FINAL_TYPE (GstHoloAllocator, gst_holo_allocator, GST, HOLO_ALLOCATOR, GstAllocator)

GstAllocator *_gst_holo_allocator_new (HoloDevice *device, HoloMemLoc mem_loc);
/* Whether @memory is device memory from here; its device (borrowed). */
gboolean _gst_holo_allocator_is_device_memory (GstMemory *memory, HoloDevice **device);

G_END_DECLS
