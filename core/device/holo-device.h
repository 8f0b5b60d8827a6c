/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-stream.h"
#include "holo-tensor-view.h"

G_BEGIN_DECLS

/**
 * HoloDevice:
 *
 * What computes: the host, or a GPU. Owns memory and streams. Any thread.
 *
 * Since: 0.1
 */
#define HOLO_TYPE_DEVICE (holo_device_get_type ())
HOLO_API
G_DECLARE_DERIVABLE_TYPE (HoloDevice, holo_device, HOLO, DEVICE, GObject)

/**
 * HoloDeviceClass:
 * @get_name: short name, "host" or "cuda:0"; borrowed
 * @alloc: allocates @size (> 0) bytes of device memory, aligned to at least 256
 * @free: frees what @alloc gave; the device has finished with it
 * @alloc_host: allocates host memory that device copies touch (pinned), aligned to at least 256
 * @free_host: frees what @alloc_host gave
 * @create_stream: makes a stream; the device owns it until it is itself finalised, so that fences stay valid
 * @release_stream: gives a stream back for reuse by a later create_stream; its work has ended
 * @copy: enqueues a copy on @stream (host to device, device to host, device to device) of any strides; both views
 *   have the same dtype and shape and must stay valid until the stream has passed it
 * @fill_zero: enqueues zeroing of a dense piece of device memory
 * @create_task: (nullable): makes the running task of @factory's kind for this device; sets HOLO_ERROR_NOT_SUPPORTED when the
 *   device has no implementation of the kind for these tensors
 * @synchronize: waits until all work of the device has ended
 * @retire: takes over @block, whose last reference is gone and whose fences may not have passed; calls
 *   block->release() once they have, from any thread, within 1 ms
 * @supports_kind: (nullable): whether create_task knows @kind at all
 * @enter: (nullable): the calling thread is about to make many calls for this device, which are cheaper until @leave;
 *   %FALSE: there is nothing to leave
 * @leave: (nullable): ends that; the caller's current device and context are what they were before
 * @get_native_context: (nullable): what its driver calls the context that everything of the device lives in (a
 *   CUcontext), and the driver's number of the GPU
 * @with_native_context: (nullable): the device object that works in another context of the same GPU; @device itself
 *   when that is its own. The caller keeps @context alive as long as the object
 * @wrap_stream: (nullable): a stream over one that somebody else made in the device's context (a CUstream). It can be
 *   recorded and made to wait; nobody enqueues tasks on it. Given back by release_stream before the native stream ends
 *
 * What the compiler and the runtime need from a device. Calls may come from any thread unless said otherwise; they do
 * not change the caller's current device or context, but between @enter and @leave.
 *
 * Since: 0.1
 */
struct _HoloDeviceClass
{
  GObjectClass parent_class;

  const gchar *(*get_name) (HoloDevice *device);
  gpointer (*alloc) (HoloDevice *device, gsize size, GError **error);
  void (*free) (HoloDevice *device, gpointer data);
  gpointer (*alloc_host) (HoloDevice *device, gsize size, GError **error);
  void (*free_host) (HoloDevice *device, gpointer data);
  HoloStream *(*create_stream) (HoloDevice *device, GError **error);
  void (*release_stream) (HoloDevice *device, HoloStream *stream);
  gboolean (*copy) (HoloDevice *device, HoloStream *stream, const HoloTensorView *dst, const HoloTensorView *src,
                    GError **error);
  gboolean (*fill_zero) (HoloDevice *device, HoloStream *stream, gpointer data, gsize size, GError **error);
  HoloTask *(*create_task) (HoloDevice *device, HoloTaskFactory *factory, const HoloInference *inference,
                            gconstpointer create_context, GError **error);
  gboolean (*synchronize) (HoloDevice *device, GError **error);
  void (*retire) (HoloDevice *device, HoloBlock *block);
  gboolean (*supports_kind) (HoloDevice *device, const gchar *kind);
  gboolean (*enter) (HoloDevice *device);
  void (*leave) (HoloDevice *device);
  gpointer (*get_native_context) (HoloDevice *device, gint *number);
  HoloDevice *(*with_native_context) (HoloDevice *device, gpointer context, GError **error);
  HoloStream *(*wrap_stream) (HoloDevice *device, gpointer stream, GError **error);

  gpointer padding[3];
};

/**
 * HOLO_MEMORY_ALIGNMENT:
 *
 * Bytes to whose multiples all memory of devices is aligned.
 *
 * Since: 0.1
 */
#define HOLO_MEMORY_ALIGNMENT 256

HOLO_API HoloDevice *holo_device_get_host (void);
HOLO_API gboolean holo_device_is_host (HoloDevice *device);
HOLO_API const gchar *holo_device_get_name (HoloDevice *device);
HOLO_API gpointer holo_device_alloc (HoloDevice *device, HoloMemLoc loc, gsize size, GError **error);
HOLO_API void holo_device_free (HoloDevice *device, HoloMemLoc loc, gpointer data);
HOLO_API HoloStream *holo_device_create_stream (HoloDevice *device, GError **error);
HOLO_API void holo_device_release_stream (HoloDevice *device, HoloStream *stream);
HOLO_API gboolean holo_device_copy (HoloDevice *device, HoloStream *stream, const HoloTensorView *dst,
                                    const HoloTensorView *src, GError **error);
HOLO_API gboolean holo_device_fill_zero (HoloDevice *device, HoloStream *stream, gpointer data, gsize size,
                                         GError **error);
HOLO_API HoloTask *holo_device_create_task (HoloDevice *device, HoloTaskFactory *factory,
                                            const HoloInference *inference, gconstpointer create_context,
                                            GError **error);
HOLO_API gboolean holo_device_supports_kind (HoloDevice *device, const gchar *kind);
HOLO_API gboolean holo_device_synchronize (HoloDevice *device, GError **error);
HOLO_API void holo_device_retire (HoloDevice *device, HoloBlock *block);

/* For who shares the GPU with other libraries. */
HOLO_API gpointer holo_device_get_native_context (HoloDevice *device, gint *number);
HOLO_API HoloDevice *holo_device_with_native_context (HoloDevice *device, gpointer context, GError **error);
HOLO_API HoloStream *holo_device_wrap_stream (HoloDevice *device, gpointer stream, GError **error);

G_END_DECLS
