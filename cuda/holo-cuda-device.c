/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-cuda-device.h"

#include <string.h>

#include "holo-cuda-driver.h"
#include "holo-cuda-memory.h"
#include "holo-cuda-retirer.h"
#include "holo-cuda-stream.h"
#include "holo-cuda-task.h"

struct _HoloCudaDevice
{
  HoloDevice parent_instance;

  gint ordinal;
  gchar *name;
  const HoloCudaDriver *driver;
  CUdevice cu_device;
  CUcontext context;  /* the primary one (NULL until it is retained), or one of somebody else */
  gboolean is_shared; /* the context is somebody else's */
  HoloCudaMemory *memory;
  HoloCudaRetirer *retirer;

  GMutex lock; /* guards the following */
  GPtrArray *streams;
  GPtrArray *free_streams;
  GPtrArray *wrapped_streams;
  GPtrArray *free_wrapped_streams;
  GPtrArray *free_sleepers;
  gchar *failure; /* (nullable): the error that CUDA does not forget */
  gint failed;    /* atomic */
};

G_DEFINE_FINAL_TYPE (HoloCudaDevice, holo_cuda_device, HOLO_TYPE_DEVICE)

/* ---- context ---- */

/* One bit for each time this thread has entered a device and not left it yet, the last one lowest: whether
 * that changed the context. */
static __thread guint64 pushed;

static gboolean
push (HoloCudaDevice *self, GError **error)
{
  CUcontext current = NULL;
  CUresult result = self->driver->get_current (&current);

  if (result == CUDA_SUCCESS && current == self->context)
    {
      pushed <<= 1;
      return TRUE;
    }
  result = self->driver->push (self->context);
  if (result == CUDA_SUCCESS)
    {
      pushed = pushed << 1 | 1;
      return TRUE;
    }
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "%s: cuCtxPushCurrent failed with driver error %d", self->name,
               (gint) result);
  return FALSE;
}

/**
 * holo_cuda_device_enter:
 * @device: a device
 * @error: return location
 *
 * Makes the device's context current in this thread until holo_cuda_device_leave(). Calls may be nested, at most
 * 64 deep; those that find the context current cost next to nothing.
 *
 * Returns: %FALSE when the device has failed
 */
gboolean
holo_cuda_device_enter (HoloCudaDevice *device, GError **error)
{
  return holo_cuda_device_check_usable (device, error) && push (device, error);
}

void
holo_cuda_device_leave (HoloCudaDevice *device)
{
  CUcontext context;

  if (pushed & 1)
    device->driver->pop (&context);
  pushed >>= 1;
}

const gchar *
holo_cuda_device_get_name (HoloCudaDevice *device)
{
  return device->name;
}

/* ---- failure ---- */

void
holo_cuda_device_poison (HoloCudaDevice *device, const gchar *message)
{
  g_mutex_lock (&device->lock);
  if (device->failure == NULL)
    device->failure = g_strdup (message);
  g_mutex_unlock (&device->lock);
  g_atomic_int_set (&device->failed, TRUE);
}

gboolean
holo_cuda_device_has_failed (HoloCudaDevice *device)
{
  return g_atomic_int_get (&device->failed);
}

gboolean
holo_cuda_device_check_usable (HoloCudaDevice *device, GError **error)
{
  if (!holo_cuda_device_has_failed (device))
    return TRUE;
  g_mutex_lock (&device->lock);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "%s cannot be used any more in this process; found at: %s",
               device->name, device->failure);
  g_mutex_unlock (&device->lock);
  return FALSE;
}

/* ---- waiting ---- */

static void
sleeper_free (gpointer data)
{
  HoloCudaSleeper *sleeper = data;

  if (sleeper->event != NULL)
    cudaEventDestroy (sleeper->event);
  if (sleeper->stream != NULL)
    cudaStreamDestroy (sleeper->stream);
  g_free (sleeper);
}

/* The context is entered. */
HoloCudaSleeper *
holo_cuda_device_take_sleeper (HoloCudaDevice *device, GError **error)
{
  HoloCudaSleeper *sleeper = NULL;

  g_mutex_lock (&device->lock);
  if (device->free_sleepers->len > 0)
    sleeper = g_ptr_array_steal_index_fast (device->free_sleepers, device->free_sleepers->len - 1);
  g_mutex_unlock (&device->lock);
  if (sleeper != NULL)
    return sleeper;
  sleeper = g_new0 (HoloCudaSleeper, 1);
  if (HOLO_CUDA_CHECK (device, cudaStreamCreateWithFlags (&sleeper->stream, cudaStreamNonBlocking), error) &&
      HOLO_CUDA_CHECK (
          device, cudaEventCreateWithFlags (&sleeper->event, cudaEventDisableTiming | cudaEventBlockingSync), error))
    return sleeper;
  sleeper_free (sleeper);
  return NULL;
}

void
holo_cuda_device_give_sleeper (HoloCudaDevice *device, HoloCudaSleeper *sleeper)
{
  g_mutex_lock (&device->lock);
  g_ptr_array_add (device->free_sleepers, sleeper);
  g_mutex_unlock (&device->lock);
}

/* ---- memory ---- */

static const gchar *
get_name (HoloDevice *device)
{
  return HOLO_CUDA_DEVICE (device)->name;
}

static gpointer
alloc (HoloDevice *device, gsize size, GError **error)
{
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (device);
  gpointer data;

  if (!holo_cuda_device_enter (self, error))
    return NULL;
  data = holo_cuda_memory_alloc (self->memory, size, error);
  holo_cuda_device_leave (self);
  return data;
}

static void
free_memory (HoloDevice *device, gpointer data)
{
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (device);

  if (!holo_cuda_device_enter (self, NULL))
    return; /* the memory of a context that has failed goes with the process */
  holo_cuda_memory_free (self->memory, data);
  holo_cuda_device_leave (self);
}

static gpointer
alloc_host (HoloDevice *device, gsize size, GError **error)
{
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (device);
  gpointer data = NULL;

  if (!holo_cuda_device_enter (self, error))
    return NULL;
  HOLO_CUDA_CHECK (self, cudaHostAlloc (&data, size, cudaHostAllocPortable), error);
  holo_cuda_device_leave (self);
  return data;
}

static void
free_host (HoloDevice *device, gpointer data)
{
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (device);

  if (!holo_cuda_device_enter (self, NULL))
    return;
  HOLO_CUDA_CHECK (self, cudaFreeHost (data), NULL);
  holo_cuda_device_leave (self);
}

/* ---- streams ---- */

static HoloStream *
make_stream (HoloCudaDevice *self, GError **error)
{
  HoloStream *stream;

  if (!holo_cuda_device_enter (self, error))
    return NULL;
  stream = holo_cuda_stream_new (self, error);
  holo_cuda_device_leave (self);
  if (stream == NULL)
    return NULL;
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->streams, stream);
  g_mutex_unlock (&self->lock);
  return stream;
}

static HoloStream *
create_stream (HoloDevice *device, GError **error)
{
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (device);
  HoloStream *stream = NULL;

  if (!holo_cuda_device_check_usable (self, error))
    return NULL;
  g_mutex_lock (&self->lock);
  if (self->free_streams->len > 0)
    stream = g_ptr_array_steal_index_fast (self->free_streams, self->free_streams->len - 1);
  g_mutex_unlock (&self->lock);
  return stream != NULL ? stream : make_stream (self, error);
}

static void
release_stream (HoloDevice *device, HoloStream *stream)
{
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (device);
  gboolean is_wrapped = holo_cuda_stream_is_wrapped (HOLO_CUDA_STREAM (stream));

  g_mutex_lock (&self->lock);
  g_ptr_array_add (is_wrapped ? self->free_wrapped_streams : self->free_streams, stream);
  g_mutex_unlock (&self->lock);
}

/* With the lock. A later number on a stream implies the earlier ones: only when these have passed may it stand
 * for another native stream. */
static HoloStream *
take_wrapped (HoloCudaDevice *self)
{
  for (guint i = 0; i < self->free_wrapped_streams->len; i++)
    if (holo_cuda_stream_is_idle (g_ptr_array_index (self->free_wrapped_streams, i)))
      return g_ptr_array_steal_index_fast (self->free_wrapped_streams, i);
  return NULL;
}

static HoloStream *
wrap_stream (HoloDevice *device, gpointer stream, GError **error)
{
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (device);
  HoloStream *wrapped;

  if (!holo_cuda_device_check_usable (self, error))
    return NULL;
  g_mutex_lock (&self->lock);
  wrapped = take_wrapped (self);
  if (wrapped == NULL)
    {
      wrapped = holo_cuda_stream_new_wrapped (self, stream);
      g_ptr_array_add (self->wrapped_streams, wrapped);
    }
  else
    holo_cuda_stream_set_wrapped (HOLO_CUDA_STREAM (wrapped), stream);
  g_mutex_unlock (&self->lock);
  return wrapped;
}

/* ---- work ---- */

static gboolean
copy (HoloDevice *device, HoloStream *stream, const HoloTensorView *dst, const HoloTensorView *src, GError **error)
{
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (device);
  gboolean ok;

  if (!holo_cuda_device_enter (self, error))
    return FALSE;
  ok = holo_cuda_copy (self, holo_cuda_stream_get (HOLO_CUDA_STREAM (stream)), dst, src, error);
  holo_cuda_device_leave (self);
  return ok;
}

static gboolean
fill_zero (HoloDevice *device, HoloStream *stream, gpointer data, gsize size, GError **error)
{
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (device);
  gboolean ok;

  if (!holo_cuda_device_enter (self, error))
    return FALSE;
  ok = HOLO_CUDA_CHECK (self, cudaMemsetAsync (data, 0, size, holo_cuda_stream_get (HOLO_CUDA_STREAM (stream))), error);
  holo_cuda_device_leave (self);
  return ok;
}

static HoloTask *
create_task (HoloDevice *device, HoloTaskFactory *factory, const HoloInference *inference, gconstpointer create_context,
             GError **error)
{
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (device);
  HoloTask *task;

  if (!holo_cuda_device_enter (self, error))
    return NULL;
  task = holo_cuda_task_new (self, factory, inference, create_context, error);
  holo_cuda_device_leave (self);
  return task;
}

static gboolean
supports_kind (HoloDevice *device, const gchar *kind)
{
  return holo_cuda_task_supports_kind (kind);
}

/* Streams are only ever added. */
static HoloStream *
peek_stream (HoloCudaDevice *self, guint index)
{
  HoloStream *stream = NULL;

  g_mutex_lock (&self->lock);
  if (index < self->streams->len)
    stream = g_ptr_array_index (self->streams, index);
  g_mutex_unlock (&self->lock);
  return stream;
}

static gboolean
synchronize (HoloDevice *device, GError **error)
{
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (device);
  HoloStream *stream;

  for (guint i = 0; (stream = peek_stream (self, i)) != NULL; i++)
    if (!holo_stream_synchronize (stream, error))
      return FALSE;
  return holo_cuda_device_check_usable (self, error);
}

static gboolean
enter (HoloDevice *device)
{
  return holo_cuda_device_enter (HOLO_CUDA_DEVICE (device), NULL);
}

static void
leave (HoloDevice *device)
{
  holo_cuda_device_leave (HOLO_CUDA_DEVICE (device));
}

static void
retire (HoloDevice *device, HoloBlock *block)
{
  holo_cuda_retirer_add (HOLO_CUDA_DEVICE (device)->retirer, device, block);
}

/* ---- contexts of others ---- */

static HoloDevice *make_device (gint ordinal, CUcontext context, GError **error);

static gpointer
get_native_context (HoloDevice *device, gint *number)
{
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (device);

  if (number != NULL)
    *number = self->cu_device;
  return self->context;
}

static void
free_weak_ref (gpointer weak_ref)
{
  g_weak_ref_clear (weak_ref);
  g_free (weak_ref);
}

static HoloDevice *
with_native_context (HoloDevice *device, gpointer context, GError **error)
{
  static GMutex lock;
  static GHashTable *devices; /* CUcontext -> GWeakRef */
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (device);
  HoloDevice *found = NULL;
  GWeakRef *weak_ref;

  if (context == self->context)
    return g_object_ref (device);
  g_mutex_lock (&lock);
  if (devices == NULL)
    devices = g_hash_table_new_full (NULL, NULL, NULL, free_weak_ref);
  weak_ref = g_hash_table_lookup (devices, context);
  if (weak_ref != NULL)
    found = g_weak_ref_get (weak_ref);
  if (found == NULL)
    found = make_device (self->ordinal, context, error);
  if (found != NULL)
    {
      weak_ref = g_new0 (GWeakRef, 1);
      g_weak_ref_init (weak_ref, found);
      g_hash_table_replace (devices, context, weak_ref);
    }
  g_mutex_unlock (&lock);
  return found;
}

/* ---- life ---- */

static void
holo_cuda_device_finalize (GObject *object)
{
  HoloCudaDevice *self = HOLO_CUDA_DEVICE (object);
  gboolean entered = self->context != NULL && push (self, NULL);

  holo_cuda_retirer_finish (self->retirer);
  g_ptr_array_unref (self->free_streams);
  g_ptr_array_unref (self->streams);
  g_ptr_array_unref (self->free_wrapped_streams);
  g_ptr_array_unref (self->wrapped_streams);
  g_ptr_array_unref (self->free_sleepers);
  g_clear_pointer (&self->memory, holo_cuda_memory_destroy);
  if (entered)
    holo_cuda_device_leave (self);
  if (self->context != NULL && !self->is_shared)
    self->driver->release_primary (self->cu_device);
  g_mutex_clear (&self->lock);
  g_free (self->failure);
  g_free (self->name);
  G_OBJECT_CLASS (holo_cuda_device_parent_class)->finalize (object);
}

static void
holo_cuda_device_class_init (HoloCudaDeviceClass *klass)
{
  HoloDeviceClass *device_class = HOLO_DEVICE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = holo_cuda_device_finalize;
  device_class->get_name = get_name;
  device_class->alloc = alloc;
  device_class->free = free_memory;
  device_class->alloc_host = alloc_host;
  device_class->free_host = free_host;
  device_class->create_stream = create_stream;
  device_class->release_stream = release_stream;
  device_class->copy = copy;
  device_class->fill_zero = fill_zero;
  device_class->create_task = create_task;
  device_class->supports_kind = supports_kind;
  device_class->enter = enter;
  device_class->leave = leave;
  device_class->synchronize = synchronize;
  device_class->retire = retire;
  device_class->get_native_context = get_native_context;
  device_class->with_native_context = with_native_context;
  device_class->wrap_stream = wrap_stream;
}

static void
holo_cuda_device_init (HoloCudaDevice *self)
{
  g_mutex_init (&self->lock);
  self->streams = g_ptr_array_new_with_free_func (g_object_unref);
  self->free_streams = g_ptr_array_new ();
  self->wrapped_streams = g_ptr_array_new_with_free_func (g_object_unref);
  self->free_wrapped_streams = g_ptr_array_new ();
  self->free_sleepers = g_ptr_array_new_with_free_func (sleeper_free);
  self->retirer = holo_cuda_retirer_new ();
}

/* ---- finding it ---- */

/* What CUDA says about a machine without driver or GPU is said in plain words. */
static gboolean
count_devices (const gchar *name, gint *n_devices, GError **error)
{
  cudaError_t status = cudaGetDeviceCount (n_devices);
  const gchar *reason = "this machine has none";
  int version = 0;

  if (status == cudaSuccess && *n_devices > 0)
    return TRUE;
  cudaGetLastError ();
  if (cudaDriverGetVersion (&version) != cudaSuccess || version == 0)
    reason = "no NVIDIA driver is installed";
  else if (status != cudaSuccess && status != cudaErrorNoDevice)
    reason = cudaGetErrorString (status);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "there is no CUDA device \"%s\": %s", name, reason);
  return FALSE;
}

static gboolean
parse_name (const gchar *name, gint *ordinal, GError **error)
{
  const gchar *number = g_str_equal (name, "cuda") ? "0" : name + strlen ("cuda:");
  guint64 value = 0;
  gint n_devices = 0;

  if (!count_devices (name, &n_devices, error))
    return FALSE;
  if (g_str_has_prefix (name, "cuda:") || number[0] == '0')
    if (g_ascii_string_to_unsigned (number, 10, 0, (guint64) (n_devices - 1), &value, NULL))
      {
        *ordinal = (gint) value;
        return TRUE;
      }
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
               "there is no CUDA device \"%s\": this machine has %d, named cuda:0 to cuda:%d", name, n_devices,
               n_devices - 1);
  return FALSE;
}

static gboolean
open_device (HoloCudaDevice *self, GError **error)
{
  CUresult result;
  gboolean ok;

  self->driver = holo_cuda_driver_get (error);
  if (self->driver == NULL)
    return FALSE;
  result = self->driver->device_get (&self->cu_device, self->ordinal);
  if (result == CUDA_SUCCESS && !self->is_shared)
    result = self->driver->retain_primary (&self->context, self->cu_device);
  if (result != CUDA_SUCCESS)
    {
      if (!self->is_shared)
        self->context = NULL;
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "%s: its context could not be had: driver error %d",
                   self->name, (gint) result);
      return FALSE;
    }
  if (!push (self, error))
    return FALSE;
  self->memory = holo_cuda_memory_new (self, self->ordinal, !self->is_shared, error);
  ok = self->memory != NULL;
  holo_cuda_device_leave (self);
  return ok;
}

/* @context NULL: the primary one. */
static HoloDevice *
make_device (gint ordinal, CUcontext context, GError **error)
{
  g_autoptr (HoloCudaDevice) self = g_object_new (HOLO_TYPE_CUDA_DEVICE, NULL);

  self->ordinal = ordinal;
  self->context = context;
  self->is_shared = context != NULL;
  self->name = g_strdup_printf ("cuda:%d", ordinal);
  return open_device (self, error) ? HOLO_DEVICE (g_steal_pointer (&self)) : NULL;
}

HoloDevice *
holo_cuda_device_new (const gchar *name, GError **error)
{
  static GMutex lock;
  static GWeakRef devices[64];
  HoloDevice *device = NULL;
  gint ordinal;

  if (!parse_name (name, &ordinal, error))
    return NULL;
  g_mutex_lock (&lock);
  if (ordinal < (gint) G_N_ELEMENTS (devices))
    device = g_weak_ref_get (&devices[ordinal]);
  if (device == NULL)
    {
      device = make_device (ordinal, NULL, error);
      if (device != NULL && ordinal < (gint) G_N_ELEMENTS (devices))
        g_weak_ref_set (&devices[ordinal], device);
    }
  g_mutex_unlock (&lock);
  return device;
}
