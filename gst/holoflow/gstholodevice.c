/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholodevice-private.h"

#include "gstholoallocator-private.h"
#include "gstholocuda-private.h"
#include "gstholorecycler-private.h"
#include <gst/holoflow/gstholofence.h>

static gboolean
is_device_memory (GstMemory *memory)
{
  HoloDevice *device;

  return _gst_holo_cuda_is_memory (memory) || _gst_holo_allocator_is_device_memory (memory, &device);
}

gboolean
_gst_holo_buffer_is_device (GstBuffer *buffer)
{
  return gst_buffer_n_memory (buffer) == 1 && is_device_memory (gst_buffer_peek_memory (buffer, 0));
}

static HoloDevice *
get_device (GstMemory *memory, GError **error)
{
  HoloDevice *device;

  if (_gst_holo_allocator_is_device_memory (memory, &device))
    return g_object_ref (device);
  if (_gst_holo_cuda_is_memory (memory))
    return _gst_holo_cuda_context_get_device (_gst_holo_cuda_memory_get_context (memory), NULL, error);
  g_set_error (
      error, HOLO_ERROR, HOLO_ERROR_MEMORY, "the caps say device memory, but the buffer holds memory of type \"%s\"",
      memory->allocator != NULL && memory->allocator->mem_type != NULL ? memory->allocator->mem_type : "unknown");
  return NULL;
}

HoloDevice *
_gst_holo_buffer_get_device (GstBuffer *buffer, GError **error)
{
  guint n = gst_buffer_n_memory (buffer);

  if (n == 1)
    return get_device (gst_buffer_peek_memory (buffer, 0), error);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY,
               "a buffer of device memory consists of %u memories; one is expected", n);
  return NULL;
}

/* ---- fences ---- */

gboolean
_gst_holo_memory_get_fence (GstMemory *memory, HoloDevice *device, HoloFence *fence, GError **error)
{
  HoloFence own;

  gst_holo_memory_get_write_fence (memory, &own);
  *fence = own;
  /* what only our elements had in hand has no other writers */
  if (!_gst_holo_cuda_is_memory (memory) ||
      (_gst_holo_memory_is_recycled (memory) && !_gst_holo_memory_was_foreign (memory)))
    return TRUE;
  return _gst_holo_cuda_memory_get_fence (memory, device, &own, fence, error);
}

void
_gst_holo_memory_collect_fences (GstMemory *memory, HoloFenceSet *fences)
{
  HoloFence write;

  gst_holo_memory_get_write_fence (memory, &write);
  holo_fence_set_add (fences, &write);
  gst_holo_memory_get_read_fences (memory, fences);
}

static gboolean
settle_memory (GstMemory *memory, gboolean *waited, GError **error)
{
  g_autoptr (HoloDevice) device = get_device (memory, error);
  HoloFenceSet fences = { 0 };
  gboolean ordered = FALSE, ok = device != NULL;

  if (!ok)
    return FALSE;
  _gst_holo_memory_collect_fences (memory, &fences);
  if (!holo_fence_set_is_passed (&fences))
    {
      if (_gst_holo_cuda_is_memory (memory))
        ok = _gst_holo_cuda_memory_hold_readers (memory, device, &fences, &ordered, error);
      if (ok && !ordered)
        {
          *waited = TRUE;
          ok = holo_fence_set_wait_host (&fences, error);
        }
    }
  holo_fence_set_clear (&fences);
  _gst_holo_memory_mark_foreign (memory);
  return ok;
}

gboolean
_gst_holo_buffer_settle (GstBuffer *buffer, gboolean *waited, GError **error)
{
  *waited = FALSE;
  return !_gst_holo_buffer_is_device (buffer) || settle_memory (gst_buffer_peek_memory (buffer, 0), waited, error);
}

/**
 * gst_holo_buffer_settle_fences:
 * @buffer: a buffer, of device memory or not
 * @error: return location
 *
 * To be called before @buffer goes to an element that knows no fences (see gst_holo_query_has_fences()). From
 * GStreamer 1.24 on the stream of the memory waits for them, and the memory says that it must be waited for;
 * otherwise this call waits until they have passed.
 *
 * Returns: %FALSE when the device reports an error
 *
 * Since: 0.1
 */
gboolean
gst_holo_buffer_settle_fences (GstBuffer *buffer, GError **error)
{
  gboolean waited;

  return _gst_holo_buffer_settle (buffer, &waited, error);
}
