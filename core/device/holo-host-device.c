/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The host as a device: memory, and streams on which nothing ever waits, so that the runtime needs no special case. */
#include <stdlib.h>
#include <string.h>

#include "device/holo-device.h"
#include "base/holo-define-type.h"
#include "base/holo-error.h"

/* ---- stream ---- */

struct _HoloHostStream
{
  HoloStream parent_instance;
};
#define HOLO_TYPE_HOST_STREAM (holo_host_stream_get_type ())
G_DECLARE_FINAL_TYPE (HoloHostStream, holo_host_stream, HOLO, HOST_STREAM, HoloStream)
HOLO_DEFINE_TYPE (HoloHostStream, holo_host_stream, HOLO_TYPE_STREAM, G_TYPE_FLAG_FINAL)

static gboolean
host_stream_record (HoloStream *stream, guint64 *number, GError **error)
{
  *number = 0;
  return TRUE;
}

static gboolean
host_stream_wait_fence (HoloStream *stream, const HoloFence *fence, GError **error)
{
  /* Host code runs at once: waiting in stream order is waiting now. */
  return holo_fence_wait_host (fence, error);
}

static gboolean
host_stream_is_passed (HoloStream *stream, guint64 number)
{
  return TRUE;
}

static gboolean
host_stream_wait_host (HoloStream *stream, guint64 number, GError **error)
{
  return TRUE;
}

static gboolean
host_stream_enqueue_func (HoloStream *stream, HoloStreamFunc func, gpointer user_data, GError **error)
{
  func (user_data);
  return TRUE;
}

static void
holo_host_stream_class_init (HoloHostStreamClass *klass)
{
  HoloStreamClass *stream_class = HOLO_STREAM_CLASS (klass);

  stream_class->record_number = host_stream_record;
  stream_class->wait_fence = host_stream_wait_fence;
  stream_class->is_passed = host_stream_is_passed;
  stream_class->wait_host = host_stream_wait_host;
  stream_class->enqueue_func = host_stream_enqueue_func;
}

/* ---- device ---- */

struct _HoloHostDevice
{
  HoloDevice parent_instance;

  GMutex lock;
  GPtrArray *streams; /* all that were made */
  GPtrArray *free_streams;
};
#define HOLO_TYPE_HOST_DEVICE (holo_host_device_get_type ())
G_DECLARE_FINAL_TYPE (HoloHostDevice, holo_host_device, HOLO, HOST_DEVICE, HoloDevice)
G_DEFINE_FINAL_TYPE (HoloHostDevice, holo_host_device, HOLO_TYPE_DEVICE)

static const gchar *
host_device_get_name (HoloDevice *device)
{
  return "host";
}

static gpointer
host_device_alloc (HoloDevice *device, gsize size, GError **error)
{
  gpointer data = NULL;

  if (size > G_MAXSSIZE - HOLO_MEMORY_ALIGNMENT || posix_memalign (&data, HOLO_MEMORY_ALIGNMENT, size) != 0)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY, "could not allocate %" G_GSIZE_FORMAT " bytes of host memory",
                   size);
      return NULL;
    }
  return data;
}

static void
host_device_free (HoloDevice *device, gpointer data)
{
  free (data);
}

static HoloStream *
host_device_create_stream (HoloDevice *device, GError **error)
{
  HoloHostDevice *self = HOLO_HOST_DEVICE (device);
  HoloStream *stream;

  g_mutex_lock (&self->lock);
  if (self->free_streams->len > 0)
    stream = g_ptr_array_steal_index_fast (self->free_streams, self->free_streams->len - 1);
  else
    {
      stream = g_object_new (HOLO_TYPE_HOST_STREAM, NULL);
      g_ptr_array_add (self->streams, stream);
    }
  g_mutex_unlock (&self->lock);
  return stream;
}

static void
host_device_release_stream (HoloDevice *device, HoloStream *stream)
{
  HoloHostDevice *self = HOLO_HOST_DEVICE (device);

  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->free_streams, stream);
  g_mutex_unlock (&self->lock);
}

static gboolean
host_device_copy (HoloDevice *device, HoloStream *stream, const HoloTensorView *dst, const HoloTensorView *src,
                  GError **error)
{
  holo_tensor_copy_elements (holo_tensor_view_get_data (dst), &dst->desc, holo_tensor_view_get_data (src), &src->desc);
  return TRUE;
}

static gboolean
host_device_fill_zero (HoloDevice *device, HoloStream *stream, gpointer data, gsize size, GError **error)
{
  memset (data, 0, size);
  return TRUE;
}

static gboolean
host_device_synchronize (HoloDevice *device, GError **error)
{
  return TRUE;
}

static void
host_device_retire (HoloDevice *device, HoloBlock *block)
{
  if (!holo_fence_set_wait_host (&block->fences, NULL))
    g_message ("a block is released although its device failed");
  holo_fence_set_clear (&block->fences);
  block->release (block);
}

static void
holo_host_device_class_init (HoloHostDeviceClass *klass)
{
  HoloDeviceClass *device_class = HOLO_DEVICE_CLASS (klass);

  device_class->get_name = host_device_get_name;
  device_class->alloc = host_device_alloc;
  device_class->free = host_device_free;
  device_class->alloc_host = host_device_alloc;
  device_class->free_host = host_device_free;
  device_class->create_stream = host_device_create_stream;
  device_class->release_stream = host_device_release_stream;
  device_class->copy = host_device_copy;
  device_class->fill_zero = host_device_fill_zero;
  device_class->synchronize = host_device_synchronize;
  device_class->retire = host_device_retire;
}

static void
holo_host_device_init (HoloHostDevice *self)
{
  g_mutex_init (&self->lock);
  self->streams = g_ptr_array_new_with_free_func (g_object_unref);
  self->free_streams = g_ptr_array_new ();
}

/**
 * holo_device_get_host:
 *
 * Returns: (transfer none): the host as a device; one per process
 *
 * Since: 0.1
 */
HoloDevice *
holo_device_get_host (void)
{
  static HoloDevice *host;

  if (g_once_init_enter (&host))
    g_once_init_leave (&host, g_object_new (HOLO_TYPE_HOST_DEVICE, NULL));
  return host;
}
