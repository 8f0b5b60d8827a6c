/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholorecycler-private.h"

#include "gstholoallocator-private.h"
#include "gstholocuda-private.h"
#include <gst/holoflow/gstholofence.h>

/* Elements that know no fences drop what their work still reads: memory that was with them rests as long as
 * that many others have not come back. */
#define N_RESTING 3

struct _GstHoloRecycler
{
  gint ref_count; /* the user's, and one for each memory that is out */
  HoloDevice *device;
  GstObject *context;
  GstMiniObject *stream;
  GstAllocator *allocator; /* where there is no context */
  gsize size;

  GMutex lock;
  GQueue free; /* the longest unused first */
  gboolean closed;
  gboolean has_foreign;
};

/* On each memory. */
typedef struct
{
  GstHoloRecycler *recycler; /* one reference while the memory is out */
  gint foreign;
} Ticket;

static GQuark
get_quark (void)
{
  static gsize quark = 0;

  if (g_once_init_enter (&quark))
    g_once_init_leave (&quark, g_quark_from_static_string ("gst-holo-ticket"));
  return (GQuark) quark;
}

static Ticket *
get_ticket (GstMemory *memory)
{
  return gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (memory), get_quark ());
}

GstHoloRecycler *
_gst_holo_recycler_ref (GstHoloRecycler *recycler)
{
  g_atomic_int_inc (&recycler->ref_count);
  return recycler;
}

void
_gst_holo_recycler_unref (GstHoloRecycler *recycler)
{
  if (!g_atomic_int_dec_and_test (&recycler->ref_count))
    return;
  gst_clear_mini_object (&recycler->stream);
  gst_clear_object (&recycler->allocator);
  gst_clear_object (&recycler->context);
  g_object_unref (recycler->device);
  g_mutex_clear (&recycler->lock);
  g_free (recycler);
}

/**
 * _gst_holo_recycler_new:
 * @device: where the memory lies
 * @context: (nullable): GStreamer's context of @device
 * @stream: (nullable): GStreamer's stream that the memory carries
 * @size: bytes of each memory
 *
 * Returns: (transfer full): memory to acquire, until _gst_holo_recycler_close()
 */
GstHoloRecycler *
_gst_holo_recycler_new (HoloDevice *device, GstObject *context, GstMiniObject *stream, gsize size)
{
  GstHoloRecycler *recycler = g_new0 (GstHoloRecycler, 1);

  recycler->ref_count = 1;
  recycler->device = g_object_ref (device);
  recycler->size = size;
  if (context != NULL)
    recycler->context = gst_object_ref (context);
  else
    recycler->allocator = _gst_holo_allocator_new (device, HOLO_MEM_LOC_DEVICE);
  if (stream != NULL)
    recycler->stream = gst_mini_object_ref (stream);
  g_mutex_init (&recycler->lock);
  g_queue_init (&recycler->free);
  return recycler;
}

gsize
_gst_holo_recycler_get_size (GstHoloRecycler *recycler)
{
  return recycler->size;
}

static GstMemory *
pop_free (GstHoloRecycler *recycler)
{
  GstMemory *memory;

  g_mutex_lock (&recycler->lock);
  memory = g_queue_pop_head (&recycler->free);
  g_mutex_unlock (&recycler->lock);
  return memory;
}

/* Takes the caller's reference. */
void
_gst_holo_recycler_close (GstHoloRecycler *recycler)
{
  GstMemory *memory;

  g_mutex_lock (&recycler->lock);
  recycler->closed = TRUE;
  g_mutex_unlock (&recycler->lock);
  while ((memory = pop_free (recycler)) != NULL)
    {
      _gst_holo_recycler_ref (recycler); /* as if it were out: it gives this back */
      gst_memory_unref (memory);
    }
  _gst_holo_recycler_unref (recycler);
}

/* The last reference to a memory is gone. FALSE: it lives on. */
static gboolean
come_back (GstMiniObject *object)
{
  GstMemory *memory = GST_MEMORY_CAST (object);
  GstHoloRecycler *recycler = get_ticket (memory)->recycler;
  gboolean keep;

  g_mutex_lock (&recycler->lock);
  keep = !recycler->closed;
  if (keep)
    g_queue_push_tail (&recycler->free, gst_memory_ref (memory));
  g_mutex_unlock (&recycler->lock);
  /* nobody will wait for the fences any more */
  if (!keep && !gst_holo_memory_wait_host (memory, TRUE, NULL))
    GST_WARNING ("device memory is freed although its device failed");
  _gst_holo_recycler_unref (recycler);
  return !keep;
}

static GstMemory *
make_memory (GstHoloRecycler *recycler, GError **error)
{
  GstMemory *memory;
  Ticket *ticket;

  if (recycler->context != NULL)
    memory = _gst_holo_cuda_alloc (recycler->context, recycler->stream, recycler->size, error);
  else
    memory = gst_allocator_alloc (recycler->allocator, recycler->size, NULL);
  if (memory == NULL)
    {
      if (error != NULL && *error == NULL)
        g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY,
                     "%" G_GSIZE_FORMAT " bytes of device memory could not be allocated", recycler->size);
      return NULL;
    }
  ticket = g_new0 (Ticket, 1);
  ticket->recycler = recycler;
  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory), get_quark (), ticket, g_free);
  GST_MINI_OBJECT_CAST (memory)->dispose = come_back;
  return memory;
}

static GstMemory *
take_free (GstHoloRecycler *recycler)
{
  GstMemory *memory = NULL;

  g_mutex_lock (&recycler->lock);
  if (recycler->free.length > (recycler->has_foreign ? N_RESTING : 0))
    memory = g_queue_pop_head (&recycler->free);
  g_mutex_unlock (&recycler->lock);
  return memory;
}

/* Its readers there may have enqueued work on the stream of the memory. */
static gboolean
note_foreign_readers (GstHoloRecycler *recycler, GstMemory *memory, GError **error)
{
  Ticket *ticket = get_ticket (memory);
  HoloFence fence;

  if (!g_atomic_int_compare_and_exchange (&ticket->foreign, TRUE, FALSE) || recycler->context == NULL)
    return TRUE;
  if (!_gst_holo_cuda_memory_record (memory, recycler->device, &fence, error))
    return FALSE;
  gst_holo_memory_add_read_fence (memory, &fence);
  return TRUE;
}

GstMemory *
_gst_holo_recycler_acquire (GstHoloRecycler *recycler, GError **error)
{
  GstMemory *memory = take_free (recycler);

  if (memory == NULL)
    memory = make_memory (recycler, error);
  if (memory == NULL)
    return NULL;
  _gst_holo_recycler_ref (recycler);
  gst_memory_resize (memory, -(gssize) memory->offset, recycler->size);
  if (note_foreign_readers (recycler, memory, error))
    return memory;
  gst_memory_unref (memory);
  return NULL;
}

gboolean
_gst_holo_memory_is_recycled (GstMemory *memory)
{
  return get_ticket (memory) != NULL;
}

void
_gst_holo_memory_mark_foreign (GstMemory *memory)
{
  Ticket *ticket = get_ticket (memory);

  if (ticket == NULL)
    return;
  g_atomic_int_set (&ticket->foreign, TRUE);
  g_mutex_lock (&ticket->recycler->lock);
  ticket->recycler->has_foreign = TRUE;
  g_mutex_unlock (&ticket->recycler->lock);
}

gboolean
_gst_holo_memory_was_foreign (GstMemory *memory)
{
  Ticket *ticket = get_ticket (memory);

  return ticket != NULL && g_atomic_int_get (&ticket->foreign);
}
