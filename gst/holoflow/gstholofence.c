/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/holoflow/gstholofence.h>

/* Lies on a GstMemory as qdata: one path for every GStreamer version. */
typedef struct
{
  GMutex lock;
  HoloFence write;
  HoloFenceSet reads;
  GPtrArray *devices; /* a fence owns nothing, and memory may outlive the element that wrote it */
} MemoryFences;

static void
memory_fences_free (MemoryFences *fences)
{
  holo_fence_set_clear (&fences->reads);
  g_ptr_array_unref (fences->devices);
  g_mutex_clear (&fences->lock);
  g_free (fences);
}

static GQuark
get_quark (void)
{
  static gsize quark = 0;

  if (g_once_init_enter (&quark))
    g_once_init_leave (&quark, g_quark_from_static_string ("gst-holo-memory-fences"));
  return (GQuark) quark;
}

static MemoryFences *
find_fences (GstMemory *memory)
{
  return gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (memory), get_quark ());
}

/* Two threads may want to be the first: making the record is serialised for the whole process, using it is
 * not. */
static MemoryFences *
ensure_fences (GstMemory *memory)
{
  static GMutex create_lock;
  MemoryFences *fences = find_fences (memory);

  if (fences != NULL)
    return fences;
  g_mutex_lock (&create_lock);
  fences = find_fences (memory);
  if (fences == NULL)
    {
      fences = g_new0 (MemoryFences, 1);
      g_mutex_init (&fences->lock);
      fences->devices = g_ptr_array_new_with_free_func (g_object_unref);
      gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory), get_quark (), fences,
                                 (GDestroyNotify) memory_fences_free);
    }
  g_mutex_unlock (&create_lock);
  return fences;
}

GType
gst_holo_fence_meta_api_get_type (void)
{
  static gsize type = 0;
  static const gchar *tags[] = { "memory", NULL };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, gst_meta_api_type_register ("GstHoloFenceMetaAPI", tags));
  return type;
}

/**
 * gst_holo_query_add_fences:
 * @query: an ALLOCATION query that is being answered
 *
 * Promises that the element waits for the fences of the memory it is given.
 *
 * Since: 0.1
 */
void
gst_holo_query_add_fences (GstQuery *query)
{
  if (!gst_holo_query_has_fences (query))
    gst_query_add_allocation_meta (query, GST_HOLO_FENCE_META_API_TYPE, NULL);
}

/**
 * gst_holo_query_has_fences:
 * @query: an answered ALLOCATION query
 *
 * Returns: whether everybody behind the pad honours fences
 *
 * Since: 0.1
 */
gboolean
gst_holo_query_has_fences (GstQuery *query)
{
  return gst_query_find_allocation_meta (query, GST_HOLO_FENCE_META_API_TYPE, NULL);
}

/* With the lock. */
static void
keep_device (MemoryFences *fences, const HoloFence *fence)
{
  HoloDevice *device = fence->stream != NULL ? holo_stream_get_device (fence->stream) : NULL;

  if (device != NULL && !g_ptr_array_find (fences->devices, device, NULL))
    g_ptr_array_add (fences->devices, g_object_ref (device));
}

void
gst_holo_memory_set_write_fence (GstMemory *memory, const HoloFence *fence)
{
  MemoryFences *fences = ensure_fences (memory);

  g_mutex_lock (&fences->lock);
  keep_device (fences, fence);
  fences->write = *fence;
  holo_fence_set_clear (&fences->reads);
  g_mutex_unlock (&fences->lock);
}

void
gst_holo_memory_get_write_fence (GstMemory *memory, HoloFence *fence)
{
  MemoryFences *fences = find_fences (memory);

  *fence = (HoloFence) HOLO_FENCE_INIT;
  if (fences == NULL)
    return;
  g_mutex_lock (&fences->lock);
  *fence = fences->write;
  g_mutex_unlock (&fences->lock);
}

void
gst_holo_memory_add_read_fence (GstMemory *memory, const HoloFence *fence)
{
  MemoryFences *fences = ensure_fences (memory);

  g_mutex_lock (&fences->lock);
  keep_device (fences, fence);
  holo_fence_set_add (&fences->reads, fence);
  g_mutex_unlock (&fences->lock);
}

/**
 * gst_holo_memory_get_read_fences:
 * @memory: a memory
 * @fences: a set to which they are added
 *
 * Since: 0.1
 */
void
gst_holo_memory_get_read_fences (GstMemory *memory, HoloFenceSet *fences)
{
  MemoryFences *own = find_fences (memory);

  if (own == NULL)
    return;
  g_mutex_lock (&own->lock);
  holo_fence_set_add_all (fences, &own->reads);
  g_mutex_unlock (&own->lock);
}

gboolean
gst_holo_memory_wait_host (GstMemory *memory, gboolean write, GError **error)
{
  HoloFenceSet reads = { 0 };
  HoloFence fence;
  gboolean ok;

  gst_holo_memory_get_write_fence (memory, &fence);
  if (write)
    gst_holo_memory_get_read_fences (memory, &reads);
  ok = holo_fence_wait_host (&fence, error) && holo_fence_set_wait_host (&reads, error);
  holo_fence_set_clear (&reads);
  return ok;
}

gboolean
gst_holo_buffer_wait_host (GstBuffer *buffer, gboolean write, GError **error)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++)
    if (!gst_holo_memory_wait_host (gst_buffer_peek_memory (buffer, i), write, error))
      return FALSE;
  return TRUE;
}
