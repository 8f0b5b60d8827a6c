/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/holo-device.h"

#include "base/holo-define-type.h"
#include "base/holo-error.h"
#include "device/holo-stream-private.h"

HOLO_NO_CLASS_INIT (HoloDevice, holo_device)
HOLO_DEFINE_TYPE (HoloDevice, holo_device, G_TYPE_OBJECT, G_TYPE_FLAG_ABSTRACT)

/**
 * holo_device_is_host:
 * @device: a device
 *
 * Returns: whether it is that of holo_device_get_host(). Any thread
 *
 * Since: 0.1
 */
gboolean
holo_device_is_host (HoloDevice *device)
{
  return device == holo_device_get_host ();
}

/**
 * holo_device_get_name:
 * @device: a device
 *
 * Returns: (transfer none): "host", "cuda:0"
 *
 * Since: 0.1
 */
const gchar *
holo_device_get_name (HoloDevice *device)
{
  return HOLO_DEVICE_GET_CLASS (device)->get_name (device);
}

/**
 * holo_device_alloc:
 * @device: a device
 * @loc: device memory, or host memory that the device copies from and to
 * @size: bytes; 0 gives a valid address all the same
 * @error: return location
 *
 * Returns: (nullable): memory aligned to %HOLO_MEMORY_ALIGNMENT bytes
 *
 * Since: 0.1
 */
gpointer
holo_device_alloc (HoloDevice *device, HoloMemLoc loc, gsize size, GError **error)
{
  HoloDeviceClass *klass = HOLO_DEVICE_GET_CLASS (device);

  size = MAX (size, 1);
  return loc == HOLO_MEM_LOC_DEVICE ? klass->alloc (device, size, error) : klass->alloc_host (device, size, error);
}

/**
 * holo_device_free:
 * @device: a device
 * @loc: the place that was given to holo_device_alloc()
 * @data: (nullable): what it returned
 *
 * Frees memory that no work uses any more. Any thread.
 *
 * Since: 0.1
 */
void
holo_device_free (HoloDevice *device, HoloMemLoc loc, gpointer data)
{
  HoloDeviceClass *klass = HOLO_DEVICE_GET_CLASS (device);

  if (data == NULL)
    return;
  if (loc == HOLO_MEM_LOC_DEVICE)
    klass->free (device, data);
  else
    klass->free_host (device, data);
}

/**
 * holo_device_create_stream:
 * @device: a device
 * @error: return location
 *
 * Returns: (transfer none) (nullable): a stream that nobody else uses, until holo_device_release_stream()
 *
 * Since: 0.1
 */
HoloStream *
holo_device_create_stream (HoloDevice *device, GError **error)
{
  HoloStream *stream = HOLO_DEVICE_GET_CLASS (device)->create_stream (device, error);

  if (stream != NULL)
    _holo_stream_set_device (stream, device);
  return stream;
}

/**
 * holo_device_release_stream:
 * @device: a device
 * @stream: (transfer none): what holo_device_create_stream() or holo_device_wrap_stream() gave; its work has ended
 *
 * Gives a stream back, for reuse by a later holo_device_create_stream(). Any thread.
 *
 * Since: 0.1
 */
void
holo_device_release_stream (HoloDevice *device, HoloStream *stream)
{
  HOLO_DEVICE_GET_CLASS (device)->release_stream (device, stream);
}

/**
 * holo_device_copy:
 * @device: a device
 * @stream: a stream of @device, or any for the host device, which copies at once
 * @dst: (not nullable): where to; valid until the stream has passed the copy
 * @src: (not nullable): from where; same element type and shape as @dst, valid as long
 * @error: return location
 *
 * Enqueues a copy between any two layouts, host to device, device to host or within the device.
 *
 * Returns: %FALSE with %HOLO_ERROR_DEVICE when the device refuses
 *
 * Since: 0.1
 */
gboolean
holo_device_copy (HoloDevice *device, HoloStream *stream, const HoloTensorView *dst, const HoloTensorView *src,
                  GError **error)
{
  return HOLO_DEVICE_GET_CLASS (device)->copy (device, stream, dst, src, error);
}

/**
 * holo_device_fill_zero:
 * @device: a device
 * @stream: a stream of @device
 * @data: memory of @device
 * @size: bytes
 * @error: return location
 *
 * Enqueues zeroing of a dense piece of memory.
 *
 * Returns: %FALSE with %HOLO_ERROR_DEVICE when the device refuses
 *
 * Since: 0.1
 */
gboolean
holo_device_fill_zero (HoloDevice *device, HoloStream *stream, gpointer data, gsize size, GError **error)
{
  return HOLO_DEVICE_GET_CLASS (device)->fill_zero (device, stream, data, size, error);
}

/**
 * holo_device_create_task:
 * @device: a device
 * @factory: the frozen factory of the node
 * @inference: what it inferred
 * @create_context: #HoloSyncCreateContext or #HoloAsyncCreateContext, as the factory's type says
 * @error: return location
 *
 * Returns: (transfer full) (nullable): a running task for tensors on the device
 *
 * Since: 0.1
 */
HoloTask *
holo_device_create_task (HoloDevice *device, HoloTaskFactory *factory, const HoloInference *inference,
                         gconstpointer create_context, GError **error)
{
  HoloDeviceClass *klass = HOLO_DEVICE_GET_CLASS (device);

  if (klass->create_task != NULL)
    return klass->create_task (device, factory, inference, create_context, error);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED, "%s makes no tasks", klass->get_name (device));
  return NULL;
}

/**
 * holo_device_supports_kind:
 * @device: a device
 * @kind: name of a kind
 *
 * Returns: whether @device has an implementation of @kind for some tensors at least. Any thread
 *
 * Since: 0.1
 */
gboolean
holo_device_supports_kind (HoloDevice *device, const gchar *kind)
{
  HoloDeviceClass *klass = HOLO_DEVICE_GET_CLASS (device);

  return klass->supports_kind != NULL && klass->supports_kind (device, kind);
}

/**
 * holo_device_synchronize:
 * @device: a device
 * @error: return location
 *
 * Blocks until all work of the device that was enqueued so far has ended.
 *
 * Returns: %FALSE with %HOLO_ERROR_DEVICE when work has failed
 *
 * Since: 0.1
 */
gboolean
holo_device_synchronize (HoloDevice *device, GError **error)
{
  return HOLO_DEVICE_GET_CLASS (device)->synchronize (device, error);
}

/**
 * holo_device_retire:
 * @device: the device whose work @block->fences names
 * @block: a block without references
 *
 * Has @block released again (its release function is called) once its fences have passed, without blocking the caller.
 *
 * Since: 0.1
 */
void
holo_device_retire (HoloDevice *device, HoloBlock *block)
{
  HOLO_DEVICE_GET_CLASS (device)->retire (device, block);
}

/* ---- together with other libraries ---- */

/**
 * holo_device_get_native_context:
 * @device: a device
 * @number: (out) (optional): the driver's number of the GPU
 *
 * Returns: (transfer none) (nullable): the context (a CUcontext) in which everything of @device lives, as long as
 *   @device; %NULL when it has none
 *
 * Since: 0.1
 */
gpointer
holo_device_get_native_context (HoloDevice *device, gint *number)
{
  HoloDeviceClass *klass = HOLO_DEVICE_GET_CLASS (device);

  return klass->get_native_context != NULL ? klass->get_native_context (device, number) : NULL;
}

/**
 * holo_device_with_native_context:
 * @device: a device
 * @context: a context of the same GPU (a CUcontext), which outlives the device object that is returned
 * @error: return location
 *
 * There is one object per context while somebody holds it.
 *
 * Returns: (transfer full) (nullable): the device that works in @context; @device itself when that is its own
 *
 * Since: 0.1
 */
HoloDevice *
holo_device_with_native_context (HoloDevice *device, gpointer context, GError **error)
{
  HoloDeviceClass *klass = HOLO_DEVICE_GET_CLASS (device);

  if (klass->with_native_context != NULL)
    return klass->with_native_context (device, context, error);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED, "%s has no contexts to share", klass->get_name (device));
  return NULL;
}

/**
 * holo_device_wrap_stream:
 * @device: a device
 * @stream: a stream that somebody else made in the device's context (a CUstream)
 * @error: return location
 *
 * For the order with work of others: holo_stream_record() gives a fence behind what they enqueued so far,
 * holo_stream_wait_fence() makes what they enqueue later wait. No task works on it.
 *
 * Returns: (transfer none) (nullable): a stream over @stream until holo_device_release_stream(), which comes before the
 *   end of @stream; its fences stay valid
 *
 * Since: 0.1
 */
HoloStream *
holo_device_wrap_stream (HoloDevice *device, gpointer stream, GError **error)
{
  HoloDeviceClass *klass = HOLO_DEVICE_GET_CLASS (device);
  HoloStream *wrapped;

  if (klass->wrap_stream == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED, "%s has no streams of others",
                   klass->get_name (device));
      return NULL;
    }
  wrapped = klass->wrap_stream (device, stream, error);
  if (wrapped != NULL)
    _holo_stream_set_device (wrapped, device);
  return wrapped;
}
