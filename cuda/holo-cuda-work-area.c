/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work areas by stream. The order of the stream is what lets its tasks share one: also those of a plan that is
 * compiled beside the one that runs on the stream. An area never grows, since who uses it has its address;
 * a task that needs a larger one gets another, which serves the tasks after it. */
#include "holo-cuda-work-area.h"

static GMutex lock;
static GPtrArray *areas; /* of all devices; under the lock */

static HoloCudaWorkArea *
find (cudaStream_t stream, gsize size)
{
  for (guint i = 0; areas != NULL && i < areas->len; i++)
    {
      HoloCudaWorkArea *area = g_ptr_array_index (areas, i);

      if (area->stream == stream && area->size >= size)
        return area;
    }
  return NULL;
}

static HoloCudaWorkArea *
add (HoloCudaDevice *device, cudaStream_t stream, gsize size, GError **error)
{
  gpointer data = holo_device_alloc (HOLO_DEVICE (device), HOLO_MEM_LOC_DEVICE, size, error);
  HoloCudaWorkArea *area;

  if (data == NULL)
    return NULL;
  area = g_new (HoloCudaWorkArea, 1);
  *area = (HoloCudaWorkArea){ .device = g_object_ref (device), .stream = stream, .size = size, .data = data };
  if (areas == NULL)
    areas = g_ptr_array_new ();
  g_ptr_array_add (areas, area);
  return area;
}

/**
 * holo_cuda_work_area_get:
 * @device: a device
 * @stream: a stream of it
 * @size: bytes; 0 gives a valid address all the same
 * @error: return location
 *
 * Returns: (transfer full) (nullable): an area of at least @size bytes for work on @stream
 */
HoloCudaWorkArea *
holo_cuda_work_area_get (HoloCudaDevice *device, cudaStream_t stream, gsize size, GError **error)
{
  HoloCudaWorkArea *area;

  g_mutex_lock (&lock);
  area = find (stream, size);
  if (area == NULL)
    area = add (device, stream, size, error);
  if (area != NULL)
    area->n_users++;
  g_mutex_unlock (&lock);
  return area;
}

/**
 * holo_cuda_work_area_unref:
 * @area: (transfer full): an area whose work of this user has ended
 */
void
holo_cuda_work_area_unref (HoloCudaWorkArea *area)
{
  gboolean is_last;

  g_mutex_lock (&lock);
  is_last = --area->n_users == 0;
  if (is_last)
    g_ptr_array_remove_fast (areas, area);
  if (areas->len == 0)
    g_clear_pointer (&areas, g_ptr_array_unref);
  g_mutex_unlock (&lock);
  if (!is_last)
    return;
  holo_device_free (HOLO_DEVICE (area->device), HOLO_MEM_LOC_DEVICE, area->data);
  g_object_unref (area->device);
  g_free (area);
}
