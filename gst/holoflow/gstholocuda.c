/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GStreamer's CUDA library, and what differs between its versions:
 *
 *   before 1.24   gst_cuda_allocator_alloc() takes 3 arguments; there are no streams, and every element waits
 *                 for its own work on the host before it pushes;
 *   from 1.24 on  it takes 4 arguments under the same name; memory may carry a stream, and work on it that
 *                 nobody has waited for is marked by NEED_SYNC.
 *
 * A program built for one side must never call the other: see check_version(). */
#include "gstholocuda-private.h"

#include <gst/holoflow/gstholoinfo.h>

#if HAVE_GST_CUDA

#if GST_CHECK_VERSION(1, 23, 0)
#include <gst/cuda/gstcuda.h>
#define HAVE_STREAMS 1
#else
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudautils.h>
#define HAVE_STREAMS 0
#endif

G_STATIC_ASSERT (GST_HOLO_MAP_DEVICE == (GstMapFlags) GST_MAP_CUDA);

/* ---- loading ---- */

/* Odd minors are development versions of the next even one: 1.23 has the functions of 1.24. */
static gboolean
check_version (GError **error)
{
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  if ((minor >= 23) == HAVE_STREAMS)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
               "device memory cannot be used: the plugin was built for GStreamer 1.%d and runs with 1.%u, "
               "whose CUDA library has other functions under the same names; build it again",
               GST_VERSION_MINOR, minor);
  return FALSE;
}

static gboolean
load (GError **error)
{
  if (!check_version (error))
    return FALSE;
  if (gst_cuda_load_library ())
    {
      gst_cuda_memory_init_once ();
      return TRUE;
    }
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
               "there is no CUDA device: GStreamer's CUDA library finds no NVIDIA driver that it can use");
  return FALSE;
}

/* ---- contexts ---- */

GstObject *
_gst_holo_cuda_context_from (GstElement *element, GstContext *context, gint number)
{
  GstCudaContext *found = NULL;

  if (!gst_context_has_context_type (context, GST_CUDA_CONTEXT_TYPE))
    return NULL;
  gst_cuda_handle_set_context (element, context, number, &found);
  return (GstObject *) found;
}

GstContext *
_gst_holo_cuda_context_pack (GstObject *context)
{
  return gst_context_new_cuda_context (GST_CUDA_CONTEXT (context));
}

gboolean
_gst_holo_cuda_context_answer (GstElement *element, GstQuery *query, GstObject *context)
{
  return gst_cuda_handle_context_query (element, query, GST_CUDA_CONTEXT (context));
}

static void
free_weak_ref (gpointer weak_ref)
{
  g_weak_ref_clear (weak_ref);
  g_free (weak_ref);
}

static gpointer
get_weak (gpointer holder, const gchar *key)
{
  GWeakRef *weak_ref = g_object_get_data (holder, key);

  return weak_ref != NULL ? g_weak_ref_get (weak_ref) : NULL;
}

static void
set_weak (gpointer holder, const gchar *key, gpointer object)
{
  GWeakRef *weak_ref = g_new0 (GWeakRef, 1);

  g_weak_ref_init (weak_ref, object);
  g_object_set_data_full (holder, key, weak_ref, free_weak_ref);
}

/* Device and context find each other by weak references. A context that we wrap around the device's own keeps
 * the device; a device made for somebody's context keeps that. */
#define KEY_CONTEXT "gst-holo-cuda-context"
#define KEY_DEVICE  "gst-holo-device"
#define KEY_KEPT    "gst-holo-kept"
static GMutex link_lock;

static void
link_both (GstCudaContext *context, HoloDevice *device)
{
  set_weak (device, KEY_CONTEXT, context);
  set_weak (context, KEY_DEVICE, device);
}

static GstCudaContext *
wrap_context (HoloDevice *device, GError **error)
{
  gint number = 0;
  gpointer native = holo_device_get_native_context (device, &number);
  GstCudaContext *context = native != NULL ? gst_cuda_context_new_wrapped (native, number) : NULL;

  if (context == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "%s: GStreamer's CUDA library does not take its context",
                   holo_device_get_name (device));
      return NULL;
    }
  g_object_set_data_full (G_OBJECT (context), KEY_KEPT, g_object_ref (device), g_object_unref);
  link_both (context, device);
  return context;
}

GstObject *
_gst_holo_cuda_context_of_device (HoloDevice *device, GError **error)
{
  GstCudaContext *context;

  if (!load (error))
    return NULL;
  g_mutex_lock (&link_lock);
  context = get_weak (device, KEY_CONTEXT);
  if (context == NULL)
    context = wrap_context (device, error);
  g_mutex_unlock (&link_lock);
  return (GstObject *) context;
}

static HoloDevice *
make_device (GstCudaContext *context, HoloRegistry *registry, GError **error)
{
  g_autoptr (HoloDevice) own = NULL;
  g_autofree gchar *name = NULL;
  HoloDevice *device;
  guint number = 0;

  g_object_get (context, "cuda-device-id", &number, NULL);
  name = g_strdup_printf ("cuda:%u", number);
  own = holo_registry_create_device (registry, name, error);
  if (own == NULL)
    return NULL;
  device = holo_device_with_native_context (own, gst_cuda_context_get_handle (context), error);
  if (device == NULL)
    return NULL;
  if (device != own)
    g_object_set_data_full (G_OBJECT (device), KEY_KEPT, g_object_ref (context), g_object_unref);
  link_both (context, device);
  return device;
}

HoloDevice *
_gst_holo_cuda_context_get_device (GstObject *context, HoloRegistry *registry, GError **error)
{
  HoloDevice *device;

  if (!load (error))
    return NULL;
  g_mutex_lock (&link_lock);
  device = get_weak (context, KEY_DEVICE);
  if (device == NULL)
    device =
        make_device (GST_CUDA_CONTEXT (context), registry != NULL ? registry : holo_registry_get_default (), error);
  g_mutex_unlock (&link_lock);
  return device;
}

/* ---- memory ---- */

GstMiniObject *
_gst_holo_cuda_stream_new (GstObject *context)
{
#if HAVE_STREAMS
  return (GstMiniObject *) gst_cuda_stream_new (GST_CUDA_CONTEXT (context));
#else
  return NULL;
#endif
}

static GstMemory *
alloc (GstCudaContext *context, GstMiniObject *stream, const GstVideoInfo *info)
{
#if HAVE_STREAMS
  return gst_cuda_allocator_alloc (NULL, context, (GstCudaStream *) stream, info);
#else
  g_autoptr (GstAllocator) allocator = gst_allocator_find (GST_CUDA_MEMORY_TYPE_NAME);

  return gst_cuda_allocator_alloc (GST_CUDA_ALLOCATOR (allocator), context, info);
#endif
}

/* The library knows pictures only: bytes are one row of RGBA. Every format with several rows has a pitch. */
GstMemory *
_gst_holo_cuda_alloc (GstObject *context, GstMiniObject *stream, gsize size, GError **error)
{
  gsize width = MAX ((size + 3) / 4, 1);
  GstMemory *memory = NULL;
  GstVideoInfo info;

  if (!load (error))
    return NULL;
  if (width <= G_MAXINT / 4 && gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGBA, (guint) width, 1))
    memory = alloc (GST_CUDA_CONTEXT (context), stream, &info);
  if (memory != NULL)
    {
      gst_memory_resize (memory, 0, size);
      return memory;
    }
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY,
               "%" G_GSIZE_FORMAT " bytes of device memory could not be allocated%s", size,
               width > G_MAXINT / 4 ? ": a buffer holds at most 2 GiB" : "");
  return NULL;
}

gboolean
_gst_holo_cuda_is_memory (GstMemory *memory)
{
  return gst_is_cuda_memory (memory);
}

GstObject *
_gst_holo_cuda_memory_get_context (GstMemory *memory)
{
  return (GstObject *) GST_CUDA_MEMORY_CAST (memory)->context;
}

void
_gst_holo_cuda_memory_get_rows (GstMemory *memory, guint plane, gsize *offset, gint *stride)
{
  const GstVideoInfo *info = &GST_CUDA_MEMORY_CAST (memory)->info;

  *offset = GST_VIDEO_INFO_PLANE_OFFSET (info, plane);
  *stride = GST_VIDEO_INFO_PLANE_STRIDE (info, plane);
}

/* ---- order ---- */

#if HAVE_STREAMS

typedef struct
{
  HoloDevice *device;
  HoloStream *stream;
} WrappedStream;

static void
free_wrapped_stream (gpointer data)
{
  WrappedStream *wrapped = data;

  holo_device_release_stream (wrapped->device, wrapped->stream);
  g_object_unref (wrapped->device);
  g_free (wrapped);
}

/* Our view of somebody's stream, made once and given back before that stream ends. */
static HoloStream *
get_wrapped_stream (GstCudaStream *stream, HoloDevice *device, GError **error)
{
  static GMutex lock;
  GQuark key = g_quark_from_static_string ("gst-holo-stream");
  WrappedStream *wrapped;
  HoloStream *made;

  g_mutex_lock (&lock);
  wrapped = gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (stream), key);
  if (wrapped == NULL)
    {
      made = holo_device_wrap_stream (device, gst_cuda_stream_get_handle (stream), error);
      if (made != NULL)
        {
          wrapped = g_new (WrappedStream, 1);
          *wrapped = (WrappedStream){ g_object_ref (device), made };
          gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (stream), key, wrapped, free_wrapped_stream);
        }
    }
  g_mutex_unlock (&lock);
  return wrapped != NULL ? wrapped->stream : NULL;
}

gboolean
_gst_holo_cuda_memory_get_fence (GstMemory *memory, HoloDevice *device, const HoloFence *after, HoloFence *fence,
                                 GError **error)
{
  GstCudaStream *stream = gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (memory));
  HoloStream *wrapped;

  *fence = *after;
  if (stream == NULL || !GST_MEMORY_FLAG_IS_SET (memory, GST_CUDA_MEMORY_TRANSFER_NEED_SYNC))
    return TRUE;
  /* the flag stays: others may have to wait too */
  wrapped = get_wrapped_stream (stream, device, error);
  return wrapped != NULL && holo_stream_wait_fence (wrapped, after, error) &&
         holo_stream_record (wrapped, fence, error);
}

gboolean
_gst_holo_cuda_memory_record (GstMemory *memory, HoloDevice *device, HoloFence *fence, GError **error)
{
  GstCudaStream *stream = gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (memory));
  HoloStream *wrapped;

  *fence = (HoloFence) HOLO_FENCE_INIT;
  if (stream == NULL)
    return TRUE;
  wrapped = get_wrapped_stream (stream, device, error);
  return wrapped != NULL && holo_stream_record (wrapped, fence, error);
}

gboolean
_gst_holo_cuda_memory_hold_readers (GstMemory *memory, HoloDevice *device, const HoloFenceSet *fences,
                                    gboolean *ordered, GError **error)
{
  GstCudaStream *stream = gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (memory));
  HoloStream *wrapped;

  *ordered = stream != NULL;
  if (stream == NULL)
    return TRUE;
  wrapped = get_wrapped_stream (stream, device, error);
  if (wrapped == NULL || !holo_fence_set_wait_stream (fences, wrapped, error))
    return FALSE;
  GST_MINI_OBJECT_FLAG_SET (memory, GST_CUDA_MEMORY_TRANSFER_NEED_SYNC);
  return TRUE;
}

#endif /* HAVE_STREAMS */

/* ---- pools of pictures ---- */

GstBufferPool *
_gst_holo_cuda_video_pool_new (GstObject *context)
{
  /* whoever made the context may not have prepared its memory */
  gst_cuda_memory_init_once ();
  return gst_cuda_buffer_pool_new (GST_CUDA_CONTEXT (context));
}

gboolean
_gst_holo_cuda_is_video_pool (GstBufferPool *pool, GstObject *context)
{
  return GST_IS_CUDA_BUFFER_POOL (pool) && (GstObject *) GST_CUDA_BUFFER_POOL (pool)->context == context;
}

#else /* built without the library: no CUDA context is ever made, so that only the first calls are reached */

static gboolean
load (GError **error)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
               "the plugin was built without GStreamer's CUDA library: device memory cannot pass its pads");
  return FALSE;
}

GstObject *
_gst_holo_cuda_context_from (GstElement *element, GstContext *context, gint number)
{
  return NULL;
}

GstContext *
_gst_holo_cuda_context_pack (GstObject *context)
{
  g_return_val_if_reached (NULL);
}

gboolean
_gst_holo_cuda_context_answer (GstElement *element, GstQuery *query, GstObject *context)
{
  return FALSE;
}

GstObject *
_gst_holo_cuda_context_of_device (HoloDevice *device, GError **error)
{
  load (error);
  return NULL;
}

HoloDevice *
_gst_holo_cuda_context_get_device (GstObject *context, HoloRegistry *registry, GError **error)
{
  load (error);
  return NULL;
}

GstMiniObject *
_gst_holo_cuda_stream_new (GstObject *context)
{
  return NULL;
}

GstMemory *
_gst_holo_cuda_alloc (GstObject *context, GstMiniObject *stream, gsize size, GError **error)
{
  load (error);
  return NULL;
}

gboolean
_gst_holo_cuda_is_memory (GstMemory *memory)
{
  return FALSE;
}

GstObject *
_gst_holo_cuda_memory_get_context (GstMemory *memory)
{
  g_return_val_if_reached (NULL);
}

void
_gst_holo_cuda_memory_get_rows (GstMemory *memory, guint plane, gsize *offset, gint *stride)
{
  g_return_if_reached ();
}

GstBufferPool *
_gst_holo_cuda_video_pool_new (GstObject *context)
{
  g_return_val_if_reached (NULL);
}

gboolean
_gst_holo_cuda_is_video_pool (GstBufferPool *pool, GstObject *context)
{
  return FALSE;
}

#endif /* HAVE_GST_CUDA */

#if !HAVE_GST_CUDA || !HAVE_STREAMS

/* Nothing but fences orders the work on memory. */
gboolean
_gst_holo_cuda_memory_get_fence (GstMemory *memory, HoloDevice *device, const HoloFence *after, HoloFence *fence,
                                 GError **error)
{
  *fence = *after;
  return TRUE;
}

gboolean
_gst_holo_cuda_memory_record (GstMemory *memory, HoloDevice *device, HoloFence *fence, GError **error)
{
  *fence = (HoloFence) HOLO_FENCE_INIT;
  return TRUE;
}

gboolean
_gst_holo_cuda_memory_hold_readers (GstMemory *memory, HoloDevice *device, const HoloFenceSet *fences,
                                    gboolean *ordered, GError **error)
{
  *ordered = FALSE;
  return TRUE;
}

#endif
