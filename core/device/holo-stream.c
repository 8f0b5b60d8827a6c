/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/holo-stream.h"

#include "device/holo-device.h"
#include "base/holo-define-type.h"
#include "base/holo-error.h"
#include "device/holo-stream-private.h"

typedef struct
{
  HoloDevice *device; /* borrowed: the device owns its streams */
} HoloStreamPrivate;

HOLO_NO_CLASS_INIT (HoloStream, holo_stream)
HOLO_DEFINE_TYPE_WITH_PRIVATE (HoloStream, holo_stream, G_TYPE_OBJECT, G_TYPE_FLAG_ABSTRACT)

void
_holo_stream_set_device (HoloStream *stream, HoloDevice *device)
{
  HoloStreamPrivate *priv = holo_stream_get_instance_private (stream);

  priv->device = device;
}

/**
 * holo_stream_get_device:
 * @stream: a stream
 *
 * Returns: (transfer none): its device
 *
 * Since: 0.1
 */
HoloDevice *
holo_stream_get_device (HoloStream *stream)
{
  HoloStreamPrivate *priv = holo_stream_get_instance_private (stream);

  return priv->device;
}

/**
 * holo_stream_record:
 * @stream: a stream
 * @fence: (out caller-allocates): "everything enqueued so far"
 * @error: return location
 *
 * Returns: %FALSE when the device reports an error
 *
 * Since: 0.1
 */
gboolean
holo_stream_record (HoloStream *stream, HoloFence *fence, GError **error)
{
  fence->stream = stream;
  fence->number = 0;
  return HOLO_STREAM_GET_CLASS (stream)->record_number (stream, &fence->number, error);
}

/**
 * holo_stream_wait_fence:
 * @stream: a stream
 * @fence: a fence of the same device
 * @error: return location
 *
 * Makes later work on @stream wait for @fence. Does nothing for a fence of @stream itself or one that has passed always.
 *
 * Returns: %FALSE when the device reports an error
 *
 * Since: 0.1
 */
gboolean
holo_stream_wait_fence (HoloStream *stream, const HoloFence *fence, GError **error)
{
  if (fence->stream == NULL || fence->stream == stream)
    return TRUE;
  return HOLO_STREAM_GET_CLASS (stream)->wait_fence (stream, fence, error);
}

/**
 * holo_stream_synchronize:
 * @stream: a stream
 * @error: return location
 *
 * Waits on the host until everything enqueued so far has ended.
 *
 * Returns: %FALSE when the device reports an error
 *
 * Since: 0.1
 */
gboolean
holo_stream_synchronize (HoloStream *stream, GError **error)
{
  HoloFence fence;

  return holo_stream_record (stream, &fence, error) && holo_fence_wait_host (&fence, error);
}

/**
 * holo_stream_enqueue_func:
 * @stream: a stream of a device that simulates
 * @func: (scope async): what to run in order on the stream, once
 * @user_data: for @func
 * @error: return location
 *
 * Returns: %FALSE with %HOLO_ERROR_NOT_SUPPORTED on real devices
 *
 * Since: 0.1
 */
gboolean
holo_stream_enqueue_func (HoloStream *stream, HoloStreamFunc func, gpointer user_data, GError **error)
{
  HoloStreamClass *klass = HOLO_STREAM_GET_CLASS (stream);

  if (klass->enqueue_func == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED, "streams of this device run no host functions");
      return FALSE;
    }
  return klass->enqueue_func (stream, func, user_data, error);
}
