/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ends of a graph: an application pushes into Inputs and pulls from Outputs. */
#include "holo-error.h"
#include "runtime/holo-runtime-hooks.h"
#include "runtime/holo-scheduler-private.h"
#include "tasks/holo-input.h"
#include "tasks/holo-output.h"

HoloBoundary *
_holo_scheduler_get_end (HoloScheduler *self, guint node, gboolean input)
{
  HoloBoundary *boundary;

  g_rw_lock_reader_lock (&self->binding);
  boundary = node < self->n_nodes ? self->boundaries[node] : NULL;
  if (boundary != NULL && !(input ? boundary->is_input : boundary->is_output))
    boundary = NULL;
  g_rw_lock_reader_unlock (&self->binding);
  return boundary;
}

static HoloOpResult
set_no_end (const gchar *what, guint node, GError **error)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_SLOT, "node number %u is no %s", node, what);
  return HOLO_OP_ERROR;
}

static void
on_cancelled (GCancellable *cancellable, gpointer user_data)
{
  _holo_waiter_notify (user_data);
}

typedef HoloOpResult (*Attempt) (HoloScheduler *self, HoloBoundary *boundary, HoloFrame *frame, GError **error);

/* Repeats @attempt, asleep between refusals, as long as the run, a flush and the caller allow. */
static HoloOpResult
wait_at_end (HoloScheduler *self, HoloBoundary *boundary, HoloFrame *frame, Attempt attempt,
             GCancellable *cancellable, GError **error)
{
  gulong handler = 0;
  HoloOpResult result;

  for (;;)
    {
      result = attempt (self, boundary, frame, error);
      if (result != HOLO_OP_NOT_READY)
        break;
      _holo_waiter_prepare (&boundary->end, HOLO_WAITER_URGENT);
      if (cancellable != NULL && handler == 0)
        handler = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), &boundary->end, NULL);
      result = attempt (self, boundary, frame, error);
      if (result == HOLO_OP_NOT_READY && cancellable != NULL && g_cancellable_is_cancelled (cancellable))
        result = HOLO_OP_CANCELLED;
      if (result != HOLO_OP_NOT_READY)
        {
          _holo_waiter_cancel (&boundary->end);
          break;
        }
      holo_runtime_pause (HOLO_RUNTIME_PAUSE_BEFORE_SLEEP);
      _holo_waiter_wait (&boundary->end, 0);
      if (cancellable != NULL && g_cancellable_is_cancelled (cancellable))
        {
          result = attempt (self, boundary, frame, error);
          if (result == HOLO_OP_NOT_READY)
            result = HOLO_OP_CANCELLED;
          break;
        }
    }
  if (handler != 0)
    g_cancellable_disconnect (cancellable, handler);
  return result;
}

/* Section objects live as long as the scheduler. */
static HoloSection *
get_consumer_section (HoloScheduler *self, HoloBoundary *boundary)
{
  HoloSection *section;

  g_rw_lock_reader_lock (&self->binding);
  section = boundary->consumer_section;
  g_rw_lock_reader_unlock (&self->binding);
  return section;
}

static HoloSection *
get_producer_section (HoloScheduler *self, HoloBoundary *boundary)
{
  HoloSection *section;

  g_rw_lock_reader_lock (&self->binding);
  section = boundary->producer_section;
  g_rw_lock_reader_unlock (&self->binding);
  return section;
}

/* ---- Input ---- */

static HoloOpResult
attempt_push (HoloScheduler *self, HoloBoundary *boundary, HoloFrame *frame, GError **error)
{
  HoloOpResult result;

  if (__atomic_load_n (&boundary->end_flushing, __ATOMIC_ACQUIRE))
    return HOLO_OP_FLUSHED;
  if (__atomic_load_n (&boundary->gone, __ATOMIC_ACQUIRE))
    return HOLO_OP_EOF;
  g_mutex_lock (&boundary->lock);
  result = __atomic_load_n (&boundary->end_held, __ATOMIC_ACQUIRE)
             ? HOLO_OP_NOT_READY
             : _holo_input_task_offer (HOLO_INPUT_TASK (boundary->task), frame, error);
  g_mutex_unlock (&boundary->lock);
  /* The run may be over because it ended, or because somebody stopped it. */
  if (result == HOLO_OP_NOT_READY && _holo_scheduler_is_stopping (self))
    return holo_scheduler_was_stopped (self) ? HOLO_OP_CANCELLED : HOLO_OP_EOF;
  return result;
}

static gboolean
has_frame (HoloBoundary *boundary)
{
  gboolean has_frame;

  g_mutex_lock (&boundary->lock);
  has_frame = _holo_input_task_has_frame (HOLO_INPUT_TASK (boundary->task));
  g_mutex_unlock (&boundary->lock);
  return has_frame;
}

/* The section may end before the caller comes to drive it: a frame that somebody else has worked off is not refused. */
static HoloOpResult
drive_frame (HoloSection *section, HoloBoundary *boundary, GCancellable *cancellable, GError **error)
{
  HoloOpResult result = _holo_section_drive (section, FALSE, cancellable, error);

  return result == HOLO_OP_EOF && !has_frame (boundary) ? HOLO_OP_OK : result;
}

HoloOpResult
holo_scheduler_push (HoloScheduler *scheduler, guint input, HoloFrame *frame, GCancellable *cancellable,
                     GError **error)
{
  HoloBoundary *boundary = _holo_scheduler_get_end (scheduler, input, TRUE);
  HoloOpResult result;

  if (boundary == NULL)
    return set_no_end ("Input", input, error);
  if (!_holo_scheduler_enter (scheduler))
    return holo_scheduler_was_stopped (scheduler) ? HOLO_OP_CANCELLED : HOLO_OP_EOF;
  if (frame->block != NULL)
    holo_runtime_publish (frame->block->data);
  result = wait_at_end (scheduler, boundary, frame, attempt_push, cancellable, error);
  if (result == HOLO_OP_OK)
    {
      HoloSection *section = get_consumer_section (scheduler, boundary);

      if (section != NULL)
        _holo_waiter_notify (&section->waiter);
      if (section != NULL && section->caller_driven)
        result = drive_frame (section, boundary, cancellable, error);
    }
  _holo_scheduler_leave (scheduler);
  return result;
}

HoloOpResult
holo_scheduler_push_end (HoloScheduler *scheduler, guint input, GError **error)
{
  HoloBoundary *boundary = _holo_scheduler_get_end (scheduler, input, TRUE);
  HoloOpResult result = HOLO_OP_OK;
  HoloSection *section;

  if (boundary == NULL)
    return set_no_end ("Input", input, error);
  if (!_holo_scheduler_enter (scheduler))
    return HOLO_OP_EOF;
  g_rw_lock_reader_lock (&scheduler->binding);
  _holo_boundary_end_input (boundary);
  g_rw_lock_reader_unlock (&scheduler->binding);
  section = get_consumer_section (scheduler, boundary);
  if (section != NULL && section->caller_driven)
    result = _holo_section_drive (section, TRUE, NULL, error);
  _holo_scheduler_leave (scheduler);
  return result == HOLO_OP_NOT_READY ? HOLO_OP_OK : result;
}

/* ---- Output ---- */

static HoloOpResult
attempt_pull (HoloScheduler *self, HoloBoundary *boundary, HoloFrame *frame, GError **error)
{
  HoloOpResult result;
  HoloSection *section;
  gboolean stopping;

  if (__atomic_load_n (&boundary->end_flushing, __ATOMIC_ACQUIRE))
    return HOLO_OP_FLUSHED;
  stopping = _holo_scheduler_is_stopping (self);
  g_mutex_lock (&boundary->lock);
  result = _holo_output_task_take (HOLO_OUTPUT_TASK (boundary->task), frame);
  g_mutex_unlock (&boundary->lock);
  if (result == HOLO_OP_NOT_READY && __atomic_load_n (&boundary->gone, __ATOMIC_ACQUIRE))
    return HOLO_OP_EOF;
  if (result == HOLO_OP_NOT_READY && stopping)
    return _holo_scheduler_get_result (self) == HOLO_OP_EOF ? HOLO_OP_EOF : HOLO_OP_CANCELLED;
  if (result != HOLO_OP_OK)
    return result;
  section = get_producer_section (self, boundary);
  if (section != NULL)
    _holo_waiter_notify (&section->waiter);
  holo_runtime_observe (frame->block->data);
  /* Host memory leaves complete: its reader knows no fences. */
  if (frame->desc.mem_loc == HOLO_MEM_LOC_HOST && frame->fence.stream != NULL
      && !holo_runtime_drops_wait (HOLO_RUNTIME_WAIT_PULL))
    {
      if (!holo_fence_is_passed (&frame->fence) && section != NULL)
        __atomic_fetch_add (&section->statistics.waits_foreign, 1, __ATOMIC_RELAXED);
      if (!holo_fence_wait_host (&frame->fence, error))
        {
          holo_frame_clear (frame);
          return HOLO_OP_ERROR;
        }
      frame->fence = (HoloFence) HOLO_FENCE_INIT;
    }
  return HOLO_OP_OK;
}

HoloOpResult
holo_scheduler_pull (HoloScheduler *scheduler, guint output, HoloFrame *frame, GCancellable *cancellable,
                     GError **error)
{
  HoloBoundary *boundary = _holo_scheduler_get_end (scheduler, output, FALSE);

  if (boundary == NULL)
    return set_no_end ("Output", output, error);
  return wait_at_end (scheduler, boundary, frame, attempt_pull, cancellable, error);
}

HoloOpResult
holo_scheduler_try_pull (HoloScheduler *scheduler, guint output, HoloFrame *frame, GError **error)
{
  HoloBoundary *boundary = _holo_scheduler_get_end (scheduler, output, FALSE);

  if (boundary == NULL)
    return set_no_end ("Output", output, error);
  return attempt_pull (scheduler, boundary, frame, error);
}

void
holo_scheduler_close_output (HoloScheduler *scheduler, guint output, gboolean closed)
{
  HoloBoundary *boundary = _holo_scheduler_get_end (scheduler, output, FALSE);
  HoloSection *section;

  g_return_if_fail (boundary != NULL);

  g_mutex_lock (&boundary->lock);
  _holo_output_task_set_closed (HOLO_OUTPUT_TASK (boundary->task), closed);
  __atomic_store_n (&boundary->output_ended, closed, __ATOMIC_RELEASE);
  g_mutex_unlock (&boundary->lock);
  _holo_waiter_notify (&boundary->end);
  section = get_producer_section (scheduler, boundary);
  if (section == NULL)
    return;
  if (closed)
    _holo_waiter_notify (&section->waiter);
  else
    {
      _holo_section_request (section, HOLO_REQUEST_REVIVE);
      g_mutex_lock (&scheduler->control);
      g_cond_broadcast (&scheduler->changed);
      g_mutex_unlock (&scheduler->control);
    }
}

void
holo_scheduler_set_output_allocator (HoloScheduler *scheduler, guint output, HoloAllocFunc func, gpointer user_data,
                                     GDestroyNotify notify)
{
  HoloBoundary *boundary = _holo_scheduler_get_end (scheduler, output, FALSE);

  g_return_if_fail (boundary != NULL);

  if (boundary->alloc_notify != NULL)
    boundary->alloc_notify (boundary->alloc_data);
  boundary->alloc_func = func;
  boundary->alloc_data = user_data;
  boundary->alloc_notify = notify;
}
