/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-device.h"

#include "holo-error.h"
#include "holo-private.h"
#include "holo-registry.h"

G_DEFINE_ABSTRACT_TYPE (HoloDevice, holo_device, G_TYPE_OBJECT)

static void
holo_device_class_init (HoloDeviceClass *klass)
{
}

static void
holo_device_init (HoloDevice *device)
{
}

/**
 * holo_device_new_by_name:
 * @registry: knows the device modules
 * @name: "host", "cuda:0", or "auto" (the first device there is, else the host)
 * @error: return location
 *
 * Returns: (transfer full) (nullable): the device
 */
HoloDevice *
holo_device_new_by_name (HoloRegistry *registry, const gchar *name, GError **error)
{
  if (g_str_equal (name, "host"))
    return g_object_ref (holo_device_get_host ());
  if (g_str_equal (name, "auto"))
    {
      HoloDevice *device = holo_registry_create_device (registry, "cuda:0", NULL);

      return device != NULL ? device : g_object_ref (holo_device_get_host ());
    }
  return holo_registry_create_device (registry, name, error);
}

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
 */
gpointer
holo_device_alloc (HoloDevice *device, HoloMemLoc loc, gsize size, GError **error)
{
  HoloDeviceClass *klass = HOLO_DEVICE_GET_CLASS (device);

  size = MAX (size, 1);
  return loc == HOLO_MEM_LOC_DEVICE ? klass->alloc (device, size, error) : klass->alloc_host (device, size, error);
}

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
 */
HoloStream *
holo_device_create_stream (HoloDevice *device, GError **error)
{
  HoloStream *stream = HOLO_DEVICE_GET_CLASS (device)->create_stream (device, error);

  if (stream != NULL)
    _holo_stream_set_device (stream, device);
  return stream;
}

void
holo_device_release_stream (HoloDevice *device, HoloStream *stream)
{
  HOLO_DEVICE_GET_CLASS (device)->release_stream (device, stream);
}

gboolean
holo_device_copy (HoloDevice *device, HoloStream *stream, const HoloTensorView *dst, const HoloTensorView *src,
                  GError **error)
{
  return HOLO_DEVICE_GET_CLASS (device)->copy (device, stream, dst, src, error);
}

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
 */
HoloTask *
holo_device_create_task (HoloDevice *device, HoloTaskFactory *factory, const HoloInference *inference,
                         gconstpointer create_context, GError **error)
{
  return HOLO_DEVICE_GET_CLASS (device)->create_task (device, factory, inference, create_context, error);
}

gboolean
holo_device_supports_kind (HoloDevice *device, const gchar *kind)
{
  HoloDeviceClass *klass = HOLO_DEVICE_GET_CLASS (device);

  return klass->supports_kind != NULL && klass->supports_kind (device, kind);
}

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
 */
void
holo_device_retire (HoloDevice *device, HoloBlock *block)
{
  HOLO_DEVICE_GET_CLASS (device)->retire (device, block);
}
