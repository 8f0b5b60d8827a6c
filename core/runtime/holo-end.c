/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "runtime/holo-end-private.h"

#include "base/holo-error.h"
#include "device/holo-device.h"
#include "device/holo-runtime-hooks.h"

G_DEFINE_BOXED_TYPE (HoloEnd, holo_end, holo_end_ref, holo_end_unref)

/* ---- life ---- */

HoloEnd *
_holo_end_new (HoloOwner *owner, const gchar *name, gboolean is_input)
{
  HoloEnd *end = g_new0 (HoloEnd, 1);

  end->ref_count = 1;
  end->owner = _holo_owner_ref (owner);
  end->name = g_strdup (name);
  end->is_input = is_input;
  pthread_mutex_init (&end->lock, NULL);
  pthread_cond_init (&end->wake, NULL);
  return end;
}

/**
 * holo_end_ref:
 * @end: an end
 *
 * Returns: (transfer full): the same
 *
 * Since: 0.1
 */
HoloEnd *
holo_end_ref (HoloEnd *end)
{
  g_return_val_if_fail (end != NULL, NULL);

  g_atomic_int_inc (&end->ref_count);
  return end;
}

/**
 * holo_end_unref:
 * @end: (transfer full): an end
 *
 * Since: 0.1
 */
void
holo_end_unref (HoloEnd *end)
{
  g_return_if_fail (end != NULL);

  if (!g_atomic_int_dec_and_test (&end->ref_count))
    return;
  holo_frame_clear (&end->slot);
  g_clear_pointer (&end->worker, _holo_worker_unref);
  g_clear_pointer (&end->allocator, _holo_end_allocator_unref);
  pthread_cond_destroy (&end->wake);
  pthread_mutex_destroy (&end->lock);
  _holo_owner_unref (end->owner);
  g_free (end->name);
  g_free (end);
}

const gchar *
holo_end_get_name (HoloEnd *end)
{
  return end->name;
}

gboolean
holo_end_is_input (HoloEnd *end)
{
  return end->is_input;
}

static void
lock (HoloEnd *end)
{
  pthread_mutex_lock (&end->lock);
}

static void
unlock (HoloEnd *end)
{
  pthread_mutex_unlock (&end->lock);
}

/* A frame or room for one: one sleeper. The signal comes after the lock is free, as a waiter's does. */
static void
unlock_and_wake_one (HoloEnd *end)
{
  gboolean any = end->n_sleepers > 0;

  unlock (end);
  if (any && holo_runtime_mutant != HOLO_RUNTIME_MUTANT_WAKE_NONE)
    pthread_cond_signal (&end->wake);
}

static void
unlock_and_wake_all (HoloEnd *end)
{
  end->n_wakes++;
  unlock (end);
  if (holo_runtime_mutant == HOLO_RUNTIME_MUTANT_WAKE_ONE)
    pthread_cond_signal (&end->wake);
  else
    pthread_cond_broadcast (&end->wake);
}

/* ---- the runner's side ---- */

void
_holo_end_bind (HoloEnd *end, HoloTask *task, HoloWorker *worker)
{
  HoloWorker *old;

  lock (end);
  old = end->worker;
  end->worker = worker != NULL ? _holo_worker_ref (worker) : NULL;
  end->task = task;
  unlock (end);
  if (old != NULL)
    _holo_worker_unref (old);
}

/* The node is gone. Frames in an Output can still be pulled; those in an Input have nowhere to go. */
void
_holo_end_unbind (HoloEnd *end)
{
  HoloWorker *worker;

  lock (end);
  worker = g_steal_pointer (&end->worker);
  end->task = NULL;
  end->ended = end->flushing = end->held = FALSE;
  __atomic_store_n (&end->unwanted, FALSE, __ATOMIC_RELEASE);
  end->next_number = 0;
  unlock_and_wake_all (end);
  if (worker != NULL)
    _holo_worker_unref (worker);
}

void
_holo_end_set_desc (HoloEnd *input, const HoloTensorDesc *desc, gboolean writable, HoloDevice *device)
{
  lock (input);
  input->desc = *desc;
  input->writable = writable;
  input->device = device;
  unlock (input);
}

/* A run begins; the tasks have been reset. */
void
_holo_end_open (HoloEnd *end)
{
  lock (end);
  end->run = HOLO_END_OPEN;
  end->n_frames = 0;
  end->held = end->reported = FALSE;
  unlock_and_wake_all (end);
}

/* Its node has come with an update of a run that is on. */
void
_holo_end_join (HoloEnd *end)
{
  lock (end);
  if (end->run == HOLO_END_UNSTARTED)
    end->run = HOLO_END_OPEN;
  unlock (end);
}

void
_holo_end_finish (HoloEnd *end, HoloOpResult over)
{
  lock (end);
  end->run = HOLO_END_OVER;
  end->over = over;
  unlock_and_wake_all (end);
}

void
_holo_end_set_flushing (HoloEnd *end, gboolean flushing)
{
  lock (end);
  end->flushing = flushing;
  unlock_and_wake_all (end);
}

void
_holo_end_set_held (HoloEnd *end, gboolean held)
{
  lock (end);
  end->held = held;
  unlock_and_wake_all (end);
}

void
_holo_end_wake (HoloEnd *end)
{
  lock (end);
  unlock_and_wake_all (end);
}

/* Giving memory back calls code of its owner: not under the lock. */
static gboolean
unlock_and_drop (HoloEnd *end)
{
  HoloFrame frame = end->slot;

  end->slot.block = NULL;
  unlock_and_wake_all (end);
  if (frame.block == NULL)
    return FALSE;
  holo_frame_clear (&frame);
  return TRUE;
}

/* An update gave an Input readers again. */
void
_holo_end_set_wanted (HoloEnd *input)
{
  lock (input);
  __atomic_store_n (&input->unwanted, FALSE, __ATOMIC_RELEASE);
  unlock (input);
}

gboolean
_holo_end_drop (HoloEnd *end)
{
  lock (end);
  return unlock_and_drop (end);
}

/* ---- the section's side ---- */

/* The slot is free again once its frame is popped: the caller may bring the next one while this one is worked on. */
HoloOpResult
_holo_end_pop (HoloEnd *input, HoloTensorView *view)
{
  HoloFrame *frame = &input->slot;

  lock (input);
  if (frame->block == NULL)
    {
      HoloOpResult result = input->ended || input->held ? HOLO_OP_EOF : HOLO_OP_NOT_READY;

      unlock (input);
      return result;
    }
  view->storage->block = frame->block;
  view->storage->data = (guint8 *) frame->block->data + frame->desc.offset - view->desc.offset;
  view->storage->size = frame->block->size;
  view->stamp = frame->stamp;
  view->fence = frame->fence;
  frame->block = NULL;
  unlock_and_wake_one (input);
  return HOLO_OP_OK;
}

HoloOpResult
_holo_end_offer (HoloEnd *output, const HoloTensorView *view)
{
  HoloFrame *frame = &output->slot;
  HoloOpResult result = HOLO_OP_OK;

  lock (output);
  if (output->unwanted)
    result = HOLO_OP_EOF;
  else if (output->unread)
    holo_task_add_dropped (output->task, 1);
  else if (frame->block != NULL)
    result = HOLO_OP_NOT_READY;
  else
    {
      frame->block = holo_block_ref (view->storage->block);
      frame->desc = view->desc;
      frame->desc.offset += (guint8 *) view->storage->data - (guint8 *) view->storage->block->data;
      frame->stamp = view->stamp;
      frame->fence = view->fence;
      unlock_and_wake_one (output);
      return result;
    }
  unlock (output);
  return result;
}

/* Whether a pop will not wait. */
gboolean
_holo_end_is_ready (HoloEnd *input)
{
  gboolean ready;

  lock (input);
  ready = input->slot.block != NULL || input->ended || input->unwanted;
  unlock (input);
  return ready;
}

gboolean
_holo_end_is_flushing (HoloEnd *end)
{
  gboolean flushing;

  lock (end);
  flushing = end->flushing;
  unlock (end);
  return flushing;
}

guint64
_holo_end_get_n_frames (HoloEnd *end)
{
  guint64 n_frames;

  lock (end);
  n_frames = end->n_frames;
  unlock (end);
  return n_frames;
}

gboolean
_holo_end_lacks_reader (HoloEnd *output)
{
  gboolean lacks;

  lock (output);
  lacks = output->n_frames == 0 && !output->reported;
  unlock (output);
  return lacks;
}

/* A reader that has come once may pause as long as it likes; a program that forgot one waits for ever. */
void
_holo_end_report_no_reader (HoloEnd *output)
{
  gboolean lacks;

  lock (output);
  lacks = output->n_frames == 0 && !output->reported && output->run == HOLO_END_OPEN;
  output->reported |= lacks;
  unlock (output);
  if (lacks)
    g_message (
        "Output \"%s\" has held its first frame for 5 seconds, and everything before it waits: pull from it "
        "(holo_end_pull()), say that nobody reads it (holo_end_set_unread()), or end the graph in a sink such as "
        "NpyWriter",
        output->name);
}

void
_holo_end_no_more_input (HoloEnd *end)
{
  lock (end);
  end->ended = TRUE;
  unlock_and_wake_all (end);
}

/* An Input that nobody pops from any more. (An Output's reader is the application, which says so itself.) */
void
_holo_end_no_more_output (HoloEnd *end)
{
  HoloTask *task;

  lock (end);
  __atomic_store_n (&end->unwanted, TRUE, __ATOMIC_RELEASE);
  task = end->task;
  if (unlock_and_drop (end))
    holo_task_add_discarded (task, 1);
}

/* What the application has closed stays closed until the run ends. */
void
_holo_end_reset (HoloEnd *end)
{
  lock (end);
  end->ended = FALSE;
  end->next_number = 0;
  if (end->is_input || end->run != HOLO_END_OPEN || holo_runtime_mutant == HOLO_RUNTIME_MUTANT_REVIVE_CLOSED)
    __atomic_store_n (&end->unwanted, FALSE, __ATOMIC_RELEASE);
  unlock_and_drop (end);
}

/* ---- the allocator ---- */

void
_holo_end_allocator_unref (HoloEndAllocator *allocator)
{
  if (!g_atomic_int_dec_and_test (&allocator->ref_count))
    return;
  if (allocator->notify != NULL)
    allocator->notify (allocator->data);
  g_free (allocator);
}

HoloEndAllocator *
_holo_end_get_allocator (HoloEnd *end)
{
  HoloEndAllocator *allocator;

  lock (end);
  allocator = end->allocator;
  if (allocator != NULL)
    g_atomic_int_inc (&allocator->ref_count);
  unlock (end);
  return allocator;
}

/**
 * holo_end_set_allocator:
 * @output: an Output
 * @func: (nullable) (scope notified) (closure user_data) (destroy notify): gives the memory for its frames; %NULL for
 *   memory of the plan
 * @user_data: for @func
 * @notify: (nullable): called once when @func is in use no more, in the thread that lets go of it last
 *
 * Says where the frames of an Output are written. From the next frame on, also while the graph runs.
 *
 * Since: 0.1
 */
void
holo_end_set_allocator (HoloEnd *output, HoloAllocFunc func, gpointer user_data, GDestroyNotify notify)
{
  HoloEndAllocator *allocator, *old;

  g_return_if_fail (output != NULL && !output->is_input);

  allocator = g_new (HoloEndAllocator, 1);
  *allocator = (HoloEndAllocator){ 1, func, user_data, notify };
  lock (output);
  old = output->allocator;
  output->allocator = allocator;
  unlock (output);
  if (old != NULL)
    _holo_end_allocator_unref (old);
}

/* ---- waiting ---- */

static HoloOpResult
set_state_error (HoloEnd *end, const gchar *what, GError **error)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_STATE, "%s \"%s\": %s", end->is_input ? "Input" : "Output", end->name,
               what);
  return HOLO_OP_ERROR;
}

/* OK while the run lets frames pass here. With the lock. */
static HoloOpResult
check_run (HoloEnd *end, GError **error)
{
  if (end->task == NULL)
    return set_state_error (end, "the graph has no such node any more", error);
  if (end->run == HOLO_END_UNSTARTED)
    return set_state_error (end, "nothing has been started yet", error);
  if (end->flushing)
    return HOLO_OP_FLUSHED;
  return end->run == HOLO_END_OVER ? end->over : HOLO_OP_OK;
}

typedef HoloOpResult (*Attempt) (HoloEnd *end, HoloFrame *frame, GError **error);

static void
on_cancelled (GCancellable *cancellable, gpointer user_data)
{
  _holo_end_wake (user_data);
}

/* Connects to the cancellable, whose handlers are not ours, without the lock: a frame may have come meanwhile. 0: it is
 * cancelled already. */
static gulong
watch (HoloEnd *end, GCancellable *cancellable)
{
  gulong handler;

  unlock (end);
  handler = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), end, NULL);
  lock (end);
  return handler;
}

/* Repeats @attempt, asleep between refusals. Between two of them @help (nullable) may do something about it, without the
 * lock. The lock is held on entry and on return. */
static HoloOpResult
wait_for (HoloEnd *end, HoloFrame *frame, Attempt attempt, void (*help) (HoloEnd *end, GCancellable *cancellable),
          GCancellable *cancellable, GError **error)
{
  gulong handler = 0;
  HoloOpResult result;

  while ((result = attempt (end, frame, error)) == HOLO_OP_NOT_READY)
    {
      guint n_wakes = end->n_wakes;

      if (cancellable != NULL && handler == 0)
        {
          handler = watch (end, cancellable);
          if (handler != 0)
            continue;
        }
      if (cancellable != NULL && g_cancellable_is_cancelled (cancellable))
        {
          result = HOLO_OP_CANCELLED;
          break;
        }
      if (help != NULL)
        {
          unlock (end);
          help (end, cancellable);
          lock (end);
          result = attempt (end, frame, error);
          if (result != HOLO_OP_NOT_READY)
            break;
        }
      if (n_wakes != end->n_wakes)
        continue;
      end->n_sleepers++;
      holo_runtime_pause (HOLO_RUNTIME_PAUSE_BEFORE_SLEEP);
      pthread_cond_wait (&end->wake, &end->lock);
      end->n_sleepers--;
    }
  if (handler != 0)
    {
      unlock (end);
      g_cancellable_disconnect (cancellable, handler);
      lock (end);
    }
  return result;
}

/* ---- Input ---- */

/* What another device holds cannot be reached from here, not even where the two are one GPU with two contexts. */
static gboolean
check_device (HoloEnd *input, const HoloFrame *frame, GError **error)
{
  if (frame->block == NULL || frame->block->mem_loc != HOLO_MEM_LOC_DEVICE || frame->block->device == NULL ||
      frame->block->device == input->device)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
               "node \"%s\" (Input) is in a graph on %s, but was given a tensor that lies on %s; bring it to the host "
               "there (Memcpy with target Host), and onto this device behind the Input (Memcpy with target Device)",
               input->name, holo_device_get_name (input->device), holo_device_get_name (frame->block->device));
  return FALSE;
}

static gboolean
check_frame (HoloEnd *input, const HoloFrame *frame, GError **error)
{
  HoloTensorDesc expected = input->desc;
  g_autofree gchar *want = NULL, *found = NULL;

  if (!check_device (input, frame, error))
    return FALSE;
  expected.offset = frame->desc.offset;
  if (holo_tensor_desc_equal (&expected, &frame->desc) && frame->block != NULL &&
      frame->block->mem_loc == frame->desc.mem_loc && frame->block->size >= holo_tensor_desc_get_size (&frame->desc) &&
      (!input->writable || !frame->block->read_only))
    return TRUE;
  want = holo_tensor_desc_to_string (&input->desc);
  found = holo_tensor_desc_to_string (&frame->desc);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK,
               "node \"%s\" (Input) takes %s, but was given %s in a %sblock of %" G_GSIZE_FORMAT " bytes", input->name,
               want, found, frame->block != NULL && frame->block->read_only ? "read-only " : "",
               frame->block != NULL ? frame->block->size : 0);
  return FALSE;
}

static HoloOpResult
attempt_push (HoloEnd *input, HoloFrame *frame, GError **error)
{
  HoloOpResult result = check_run (input, error);

  if (result != HOLO_OP_OK)
    return result;
  if (input->held)
    return HOLO_OP_NOT_READY;
  if (input->ended || input->unwanted)
    return HOLO_OP_EOF;
  if (!check_frame (input, frame, error))
    return HOLO_OP_ERROR;
  if (input->slot.block != NULL)
    return HOLO_OP_NOT_READY;
  if (frame->stamp.seq == HOLO_TIME_NONE)
    frame->stamp.seq = frame->stamp.first = frame->stamp.last = input->next_number;
  input->next_number = frame->stamp.last + 1;
  input->slot = *frame;
  input->n_frames++;
  frame->block = NULL;
  return HOLO_OP_OK;
}

static HoloWorker *
get_worker (HoloEnd *end)
{
  return end->worker != NULL ? _holo_worker_ref (end->worker) : NULL;
}

/* A worker, and which of its insides: an update may have given it another by the time it is driven. */
typedef struct
{
  HoloWorker *worker; /* nullable, a reference */
  guint n_bindings;
} Place;

/* With the lock, under which an end is bound to a section before that gets its inside. */
static Place
get_place (HoloEnd *end)
{
  HoloWorker *worker = get_worker (end);

  return (Place){ worker, worker != NULL ? __atomic_load_n (&worker->n_bindings, __ATOMIC_ACQUIRE) : 0 };
}

static Place
lock_and_get_place (HoloEnd *end)
{
  Place place;

  lock (end);
  place = get_place (end);
  unlock (end);
  return place;
}

/* Tells the worker, and drives it if its callers do; where an update moves the Input meanwhile, there. */
static HoloOpResult
notify_and_drive (HoloEnd *input, Place place, gboolean end, GCancellable *cancellable, GError **error)
{
  HoloOpResult result = HOLO_OP_OK;

  while (place.worker != NULL)
    {
      HoloWorker *worker = place.worker;
      gboolean moved;

      _holo_waiter_notify (&worker->waiter);
      if (__atomic_load_n (&worker->caller_driven, __ATOMIC_ACQUIRE))
        result = worker->drive (worker, end, cancellable, error);
      moved = result != HOLO_OP_ERROR && place.n_bindings != __atomic_load_n (&worker->n_bindings, __ATOMIC_ACQUIRE);
      _holo_worker_unref (worker);
      place = moved ? lock_and_get_place (input) : (Place){ NULL, 0 };
    }
  return result;
}

/* The section may end before the caller comes to drive it, or a flush of another Input may stop it: a frame that is in is not
 * refused any more. */
static HoloOpResult
get_push_result (HoloEnd *input, HoloOpResult driven)
{
  HoloOpResult result = driven;

  lock (input);
  if (driven == HOLO_OP_EOF && input->slot.block == NULL)
    result = HOLO_OP_OK;
  else if (driven == HOLO_OP_NOT_READY || (driven == HOLO_OP_FLUSHED && !input->flushing))
    result = HOLO_OP_OK;
  unlock (input);
  return result;
}

/* A section that callers drive and whose frames are all there, but that nobody drives: whoever had begun was called off, or an
 * update has taken the other Inputs away. Without lock. */
static void
drive_while_full (HoloEnd *input, GCancellable *cancellable)
{
  HoloWorker *worker = lock_and_get_place (input).worker;

  if (worker == NULL)
    return;
  if (__atomic_load_n (&worker->caller_driven, __ATOMIC_ACQUIRE))
    worker->drive (worker, FALSE, cancellable, NULL);
  _holo_worker_unref (worker);
}

/**
 * holo_end_push:
 * @input: an Input
 * @frame: the frame; taken (its block is %NULL afterwards) exactly when the result is OK or the frame was
 *   taken and driving it was called off
 * @cancellable: (nullable): ends this call only
 * @error: set exactly when the result is ERROR
 *
 * Puts @frame into the one-frame slot of @input; blocks while that is full. If the Input's section is driven by its callers
 * and this completes its set of frames, drives the section until the frame is done. A frame of another dtype, shape, layout
 * or place is ERROR with %HOLO_ERROR_TASK, and nothing else happens.
 *
 * Returns: OK, EOF (nothing is taken any more), FLUSHED, CANCELLED, ERROR
 *
 * Since: 0.1
 */
HoloOpResult
holo_end_push (HoloEnd *input, HoloFrame *frame, GCancellable *cancellable, GError **error)
{
  Place place = { NULL, 0 };
  HoloOpResult result;

  g_return_val_if_fail (input != NULL && input->is_input && frame != NULL, HOLO_OP_ERROR);

  if (_holo_owner_refuses_to_wait (input->owner, error))
    return HOLO_OP_ERROR;
  if (frame->block != NULL)
    holo_runtime_publish (frame->block->data);
  lock (input);
  result = attempt_push (input, frame, error);
  if (result == HOLO_OP_NOT_READY)
    result = wait_for (input, frame, attempt_push, drive_while_full, cancellable, error);
  if (result == HOLO_OP_OK)
    place = get_place (input);
  unlock (input);
  if (place.worker == NULL)
    return result;
  return get_push_result (input, notify_and_drive (input, place, FALSE, cancellable, error));
}

/**
 * holo_end_push_end:
 * @input: an Input
 * @error: set exactly when the result is ERROR
 *
 * Says that no frame follows in this run. If the Input's section is driven by its callers, drives it until it waits for
 * another Input or has finished; blocks like a push meanwhile.
 *
 * Returns: OK, EOF (the run is over), FLUSHED, CANCELLED, ERROR
 *
 * Since: 0.1
 */
HoloOpResult
holo_end_push_end (HoloEnd *input, GError **error)
{
  Place place = { NULL, 0 };
  HoloOpResult result;

  g_return_val_if_fail (input != NULL && input->is_input, HOLO_OP_ERROR);

  if (_holo_owner_refuses_to_wait (input->owner, error))
    return HOLO_OP_ERROR;
  lock (input);
  result = check_run (input, error);
  if (result == HOLO_OP_OK)
    {
      input->ended = TRUE;
      place = get_place (input);
    }
  unlock_and_wake_all (input);
  if (place.worker == NULL)
    return result;
  result = notify_and_drive (input, place, TRUE, NULL, error);
  return result == HOLO_OP_EOF ? HOLO_OP_OK : get_push_result (input, result);
}

/* ---- Output ---- */

static HoloOpResult
attempt_pull (HoloEnd *output, HoloFrame *frame, GError **error)
{
  HoloOpResult result = HOLO_OP_OK;

  if (output->flushing)
    return HOLO_OP_FLUSHED;
  if (output->slot.block != NULL)
    {
      *frame = output->slot;
      output->slot.block = NULL;
      output->n_frames++;
      return HOLO_OP_OK;
    }
  result = check_run (output, error);
  if (result == HOLO_OP_OK)
    result = output->ended || output->unwanted ? HOLO_OP_EOF : HOLO_OP_NOT_READY;
  return result;
}

/* Host memory leaves complete: its reader knows no fences. */
static HoloOpResult
complete_frame (HoloWorker *worker, HoloFrame *frame, GError **error)
{
  holo_runtime_observe (frame->block->data);
  if (frame->desc.mem_loc != HOLO_MEM_LOC_HOST || frame->fence.stream == NULL ||
      holo_runtime_drops_wait (HOLO_RUNTIME_WAIT_PULL))
    return HOLO_OP_OK;
  if (!holo_fence_is_passed (&frame->fence) && worker != NULL)
    __atomic_fetch_add (&worker->waits_foreign, 1, __ATOMIC_RELAXED);
  if (!holo_fence_wait_host (&frame->fence, error))
    {
      holo_frame_clear (frame);
      return HOLO_OP_ERROR;
    }
  frame->fence = (HoloFence) HOLO_FENCE_INIT;
  return HOLO_OP_OK;
}

static HoloOpResult
pull (HoloEnd *output, HoloFrame *frame, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  HoloWorker *worker = NULL;
  HoloOpResult result;

  lock (output);
  result =
      may_wait ? wait_for (output, frame, attempt_pull, NULL, cancellable, error) : attempt_pull (output, frame, error);
  if (result == HOLO_OP_OK)
    worker = get_worker (output);
  unlock (output);
  if (result != HOLO_OP_OK)
    return result;
  if (worker != NULL)
    _holo_waiter_notify (&worker->waiter);
  result = complete_frame (worker, frame, error);
  if (worker != NULL)
    _holo_worker_unref (worker);
  return result;
}

/**
 * holo_end_pull:
 * @output: an Output
 * @frame: (out caller-allocates): the frame; set exactly when the result is OK. The caller gives it back with
 *   holo_frame_clear(), in any order, from any thread
 * @cancellable: (nullable): ends this call only
 * @error: set exactly when the result is ERROR
 *
 * Takes the next frame; blocks while there is none. A frame in host memory is complete; one on a device comes with its
 * fence.
 *
 * Returns: OK, EOF, FLUSHED, CANCELLED, ERROR
 *
 * Since: 0.1
 */
HoloOpResult
holo_end_pull (HoloEnd *output, HoloFrame *frame, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (output != NULL && !output->is_input && frame != NULL, HOLO_OP_ERROR);

  if (_holo_owner_refuses_to_wait (output->owner, error))
    return HOLO_OP_ERROR;
  return pull (output, frame, TRUE, cancellable, error);
}

/**
 * holo_end_try_pull:
 * @output: an Output
 * @frame: (out caller-allocates): as in holo_end_pull()
 * @error: set exactly when the result is ERROR
 *
 * Returns: as holo_end_pull(), NOT_READY when there is no frame now
 *
 * Since: 0.1
 */
HoloOpResult
holo_end_try_pull (HoloEnd *output, HoloFrame *frame, GError **error)
{
  g_return_val_if_fail (output != NULL && !output->is_input && frame != NULL, HOLO_OP_ERROR);

  return pull (output, frame, FALSE, NULL, error);
}

/**
 * holo_end_close:
 * @output: an Output
 *
 * Nobody reads @output any more in this run, flushes included: what it holds is dropped and counted as discarded, and
 * nodes that work for it alone finish. Does nothing when nothing runs. (For a reader that may come back there is
 * holo_end_set_unread().)
 *
 * Since: 0.1
 */
void
holo_end_close (HoloEnd *output)
{
  HoloWorker *worker = NULL;
  HoloTask *task = NULL;

  g_return_if_fail (output != NULL && !output->is_input);

  lock (output);
  if (output->run != HOLO_END_OPEN || output->task == NULL)
    {
      unlock (output);
      return;
    }
  __atomic_store_n (&output->unwanted, TRUE, __ATOMIC_RELEASE);
  worker = get_worker (output);
  task = g_object_ref (output->task);
  if (unlock_and_drop (output))
    holo_task_add_discarded (task, 1);
  g_object_unref (task);
  if (worker == NULL)
    return;
  _holo_waiter_notify (&worker->waiter);
  _holo_worker_unref (worker);
}

/**
 * holo_end_set_unread:
 * @output: an Output
 * @unread: whether nobody reads it at present
 *
 * Frames of an Output that nobody reads are dropped, and counted as dropped; nothing waits for a reader, and nobody
 * finishes. Holds until it is changed, over runs and updates.
 *
 * Since: 0.1
 */
void
holo_end_set_unread (HoloEnd *output, gboolean unread)
{
  HoloWorker *worker;
  HoloTask *task;
  gboolean dropped = FALSE;

  g_return_if_fail (output != NULL && !output->is_input);

  lock (output);
  output->unread = unread;
  worker = get_worker (output);
  task = output->task != NULL ? g_object_ref (output->task) : NULL;
  if (unread)
    dropped = unlock_and_drop (output);
  else
    unlock (output);
  if (dropped && task != NULL)
    holo_task_add_dropped (task, 1);
  g_clear_object (&task);
  if (worker == NULL)
    return;
  _holo_waiter_notify (&worker->waiter);
  _holo_worker_unref (worker);
}
