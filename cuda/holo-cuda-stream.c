/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A non-blocking CUDA stream. A fence is a number on it: each is an event, which goes back to the pool of the
 * stream as soon as somebody has seen that it passed. */
#include "holo-cuda-stream.h"

#include "holo-cuda-driver.h"

/* Short waits ask again and again, asleep in between; longer ones sleep on an event, which wakes later. */
#define POLL_US         20
#define POLL_AT_MOST_US 1000

/* With that many fences outstanding, recording one looks whether the first have passed: where nobody else does.
 */
#define MANY_MARKS 32

typedef struct _Mark Mark;
struct _Mark
{
  Mark *next;
  cudaEvent_t event;
  guint64 number;
};

struct _HoloCudaStream
{
  HoloStream parent_instance;

  HoloCudaDevice *device; /* borrowed: it owns its streams */
  cudaStream_t stream;
  gboolean is_wrapped; /* the stream is somebody else's */
  GMutex lock;         /* guards the following */
  guint64 recorded;    /* the last number */
  Mark *first;         /* outstanding, by number */
  Mark *last;
  Mark *unused;
  guint n_marks;
  guint64 passed; /* written under the lock, read anywhere */
};

G_DEFINE_FINAL_TYPE (HoloCudaStream, holo_cuda_stream, HOLO_TYPE_STREAM)

cudaStream_t
holo_cuda_stream_get (HoloCudaStream *stream)
{
  return stream->stream;
}

/* ---- marks; the lock is held and the context entered ---- */

static Mark *
take_mark (HoloCudaStream *self, GError **error)
{
  Mark *mark = self->unused;

  if (mark != NULL)
    {
      self->unused = mark->next;
      mark->next = NULL;
      return mark;
    }
  mark = g_new0 (Mark, 1);
  if (HOLO_CUDA_CHECK (self->device, cudaEventCreateWithFlags (&mark->event, cudaEventDisableTiming), error))
    return mark;
  g_free (mark);
  return NULL;
}

static void
put_mark (HoloCudaStream *self, Mark *mark)
{
  mark->next = self->unused;
  self->unused = mark;
}

static void
append_mark (HoloCudaStream *self, Mark *mark)
{
  if (self->first == NULL)
    self->first = mark;
  else
    self->last->next = mark;
  self->last = mark;
  self->n_marks++;
}

/* The mark that says about @number: its own, or the next. */
static Mark *
find_mark (HoloCudaStream *self, guint64 number)
{
  Mark *mark = self->first;

  while (mark != NULL && mark->number < number)
    mark = mark->next;
  return mark;
}

static void
note_passed (HoloCudaStream *self, guint64 number)
{
  while (self->first != NULL && self->first->number <= number)
    {
      Mark *mark = self->first;

      self->first = mark->next;
      self->n_marks--;
      put_mark (self, mark);
    }
  if (number > self->passed)
    __atomic_store_n (&self->passed, number, __ATOMIC_RELEASE);
}

/* An error means that nothing runs any more: nobody shall wait for it. */
static gboolean
ask (HoloCudaStream *self, Mark *mark)
{
  cudaError_t status = holo_cuda_query_event (mark->event);

  if (status == cudaErrorNotReady)
    return FALSE;
  if (HOLO_CUDA_CHECK (self->device, status, NULL))
    note_passed (self, mark->number);
  else
    holo_cuda_device_poison (self->device, "an event could not be asked");
  return TRUE;
}

/* Halfway between @mark and the last one. */
static Mark *
find_later (Mark *mark)
{
  Mark *middle = mark;

  for (Mark *end = mark->next; end != NULL && end->next != NULL; end = end->next->next)
    middle = middle->next;
  return middle;
}

/* A later fence that has passed takes the earlier ones with it: where the device keeps up, one question answers
 * the next ones too. */
static gboolean
ask_for (HoloCudaStream *self, guint64 number)
{
  Mark *mark = find_mark (self, number), *later;

  if (mark == NULL)
    return TRUE;
  later = find_later (mark);
  return (later != mark && ask (self, later)) || ask (self, mark);
}

static gboolean
is_known_passed (HoloCudaStream *self, guint64 number)
{
  return __atomic_load_n (&self->passed, __ATOMIC_ACQUIRE) >= number;
}

/* ---- what the class says ---- */

static gboolean
record_locked (HoloCudaStream *self, guint64 *number, GError **error)
{
  Mark *mark;

  while (self->n_marks >= MANY_MARKS && ask (self, self->first))
    if (holo_cuda_device_has_failed (self->device))
      break;
  mark = take_mark (self, error);
  if (mark == NULL)
    return FALSE;
  if (!HOLO_CUDA_CHECK (self->device, holo_cuda_record_event (mark->event, self->stream), error))
    {
      put_mark (self, mark);
      return FALSE;
    }
  mark->number = *number = ++self->recorded;
  append_mark (self, mark);
  return TRUE;
}

static gboolean
holo_cuda_stream_record (HoloStream *stream, guint64 *number, GError **error)
{
  HoloCudaStream *self = HOLO_CUDA_STREAM (stream);
  gboolean ok;

  if (!holo_cuda_device_enter (self->device, error))
    return FALSE;
  g_mutex_lock (&self->lock);
  ok = record_locked (self, number, error);
  g_mutex_unlock (&self->lock);
  holo_cuda_device_leave (self->device);
  return ok;
}

static gboolean
wait_for (HoloCudaStream *source, guint64 number, cudaStream_t stream, GError **error)
{
  Mark *mark;
  gboolean ok = TRUE;

  /* Under the lock: the event is this fence's until it is known to have passed. */
  g_mutex_lock (&source->lock);
  mark = find_mark (source, number);
  if (mark != NULL)
    ok = HOLO_CUDA_CHECK (source->device, holo_cuda_wait_event (stream, mark->event), error);
  g_mutex_unlock (&source->lock);
  return ok;
}

static gboolean
holo_cuda_stream_wait_fence (HoloStream *stream, const HoloFence *fence, GError **error)
{
  HoloCudaStream *self = HOLO_CUDA_STREAM (stream), *source;
  gboolean ok;

  if (!HOLO_IS_CUDA_STREAM (fence->stream))
    return holo_fence_wait_host (fence, error);
  source = HOLO_CUDA_STREAM (fence->stream);
  if (is_known_passed (source, fence->number))
    return holo_cuda_device_check_usable (self->device, error);
  if (!holo_cuda_device_enter (self->device, error))
    return FALSE;
  ok = wait_for (source, fence->number, self->stream, error);
  holo_cuda_device_leave (self->device);
  return ok;
}

static gboolean
holo_cuda_stream_is_passed (HoloStream *stream, guint64 number)
{
  HoloCudaStream *self = HOLO_CUDA_STREAM (stream);
  gboolean passed;

  if (is_known_passed (self, number))
    return TRUE;
  if (!holo_cuda_device_enter (self->device, NULL))
    return TRUE; /* a device that has failed runs nothing any more */
  g_mutex_lock (&self->lock);
  passed = ask_for (self, number);
  g_mutex_unlock (&self->lock);
  holo_cuda_device_leave (self->device);
  return passed;
}

/* The fences themselves have no interrupt: only who waits long pays for one. */
static gboolean
sleep_until (HoloCudaStream *self, guint64 number, GError **error)
{
  HoloCudaSleeper *sleeper;
  gboolean ok;

  if (!holo_cuda_device_enter (self->device, error))
    return FALSE;
  sleeper = holo_cuda_device_take_sleeper (self->device, error);
  ok = sleeper != NULL && wait_for (self, number, sleeper->stream, error) &&
       HOLO_CUDA_CHECK (self->device, cudaEventRecord (sleeper->event, sleeper->stream), error) &&
       HOLO_CUDA_CHECK (self->device, cudaEventSynchronize (sleeper->event), error);
  if (sleeper != NULL)
    holo_cuda_device_give_sleeper (self->device, sleeper);
  if (ok)
    {
      g_mutex_lock (&self->lock);
      note_passed (self, number);
      g_mutex_unlock (&self->lock);
    }
  holo_cuda_device_leave (self->device);
  return ok;
}

static gboolean
holo_cuda_stream_wait_host (HoloStream *stream, guint64 number, GError **error)
{
  HoloCudaStream *self = HOLO_CUDA_STREAM (stream);
  gint64 start = 0;

  while (!holo_cuda_stream_is_passed (stream, number))
    {
      gint64 now = g_get_monotonic_time ();

      if (start == 0)
        start = now;
      if (now - start > POLL_AT_MOST_US)
        return sleep_until (self, number, error);
      g_usleep (POLL_US);
    }
  return holo_cuda_device_check_usable (self->device, error);
}

static void
free_marks (Mark *mark)
{
  while (mark != NULL)
    {
      Mark *next = mark->next;

      cudaEventDestroy (mark->event);
      g_free (mark);
      mark = next;
    }
}

/* The device has entered its context. */
static void
holo_cuda_stream_finalize (GObject *object)
{
  HoloCudaStream *self = HOLO_CUDA_STREAM (object);

  if (self->stream != NULL && !self->is_wrapped)
    {
      cudaStreamSynchronize (self->stream);
      cudaStreamDestroy (self->stream);
    }
  free_marks (self->first);
  free_marks (self->unused);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (holo_cuda_stream_parent_class)->finalize (object);
}

static void
holo_cuda_stream_class_init (HoloCudaStreamClass *klass)
{
  HoloStreamClass *stream_class = HOLO_STREAM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = holo_cuda_stream_finalize;
  stream_class->record_number = holo_cuda_stream_record;
  stream_class->wait_fence = holo_cuda_stream_wait_fence;
  stream_class->is_passed = holo_cuda_stream_is_passed;
  stream_class->wait_host = holo_cuda_stream_wait_host;
}

static void
holo_cuda_stream_init (HoloCudaStream *self)
{
  g_mutex_init (&self->lock);
}

/* The context is entered. */
HoloStream *
holo_cuda_stream_new (HoloCudaDevice *device, GError **error)
{
  g_autoptr (HoloCudaStream) self = g_object_new (HOLO_TYPE_CUDA_STREAM, NULL);

  self->device = device;
  if (!HOLO_CUDA_CHECK (device, cudaStreamCreateWithFlags (&self->stream, cudaStreamNonBlocking), error))
    return NULL;
  return HOLO_STREAM (g_steal_pointer (&self));
}

HoloStream *
holo_cuda_stream_new_wrapped (HoloCudaDevice *device, cudaStream_t stream)
{
  HoloCudaStream *self = g_object_new (HOLO_TYPE_CUDA_STREAM, NULL);

  self->device = device;
  self->stream = stream;
  self->is_wrapped = TRUE;
  return HOLO_STREAM (self);
}

void
holo_cuda_stream_set_wrapped (HoloCudaStream *stream, cudaStream_t wrapped)
{
  stream->stream = wrapped;
}

gboolean
holo_cuda_stream_is_wrapped (HoloCudaStream *stream)
{
  return stream->is_wrapped;
}

gboolean
holo_cuda_stream_is_idle (HoloCudaStream *stream)
{
  guint64 recorded;

  g_mutex_lock (&stream->lock);
  recorded = stream->recorded;
  g_mutex_unlock (&stream->lock);
  return holo_cuda_stream_is_passed (HOLO_STREAM (stream), recorded);
}
