/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run: its start, and its end. */
#include "runtime/holo-runner-private.h"

#include "base/holo-error.h"
#include "device/holo-runtime-hooks.h"
#include "task/holo-task-private.h"

/* ---- the end ---- */

/* How the run ends, or ended: ERROR, CANCELLED after a stop, or EOF. */
static HoloOpResult
get_result (HoloRunner *runner)
{
  HoloOpResult result;

  _holo_runner_lock (runner);
  result = runner->error != NULL ? HOLO_OP_ERROR : runner->stop_requested ? HOLO_OP_CANCELLED : HOLO_OP_EOF;
  _holo_runner_unlock (runner);
  return result;
}

static void
ask_sections_to_stop (HoloBound *bound)
{
  for (guint i = 0; i < bound->n_sections; i++)
    {
      _holo_section_request (bound->sections[i], HOLO_REQUEST_STOP);
      g_cancellable_cancel (bound->sections[i]->cancellable);
      g_cancellable_cancel (bound->sections[i]->memory_cancellable);
    }
}

static void
abort_sections (HoloBound *bound)
{
  for (guint i = 0; i < bound->n_sections; i++)
    {
      HoloSection *section = bound->sections[i];

      g_mutex_lock (&section->role);
      holo_runtime_observe (section);
      if (section->uses_device && section->stream != NULL && !holo_runtime_drops_wait (HOLO_RUNTIME_WAIT_END))
        holo_stream_synchronize (section->stream, NULL);
      _holo_section_abort (section);
      holo_runtime_publish (section);
      g_mutex_unlock (&section->role);
    }
}

static void
finish_tasks (HoloRunner *runner, HoloBound *bound, HoloOpResult result)
{
  for (guint i = 0; i < bound->n_nodes; i++)
    {
      const HoloPlanNode *node = _holo_plan_node (bound->plan, i);
      g_autoptr (GError) error = NULL;

      if (holo_task_finish (node->task, result, &error))
        continue;
      g_prefix_error (&error, "node \"%s\" (%s), finish: ", node->name, node->kind);
      _holo_runner_lock (runner);
      if (runner->error == NULL)
        runner->error = g_steal_pointer (&error);
      _holo_runner_unlock (runner);
    }
}

static void
clear_handler (gpointer data)
{
  HoloEndedHandler *handler = data;

  if (handler->notify != NULL)
    handler->notify (handler->data);
}

static void
release_handler (HoloEndedHandler *handler)
{
  if (handler != NULL)
    g_atomic_rc_box_release_full (handler, clear_handler);
}

/* Takes @handler, which may be NULL. */
void
_holo_runner_set_ended_handler (HoloRunner *runner, HoloEndedHandler *handler)
{
  HoloEndedHandler *old;

  _holo_runner_lock (runner);
  old = runner->ended_handler;
  runner->ended_handler = handler;
  _holo_runner_unlock (runner);
  release_handler (old);
}

static void
call_ended (HoloRunner *runner, HoloScheduler *handle, gpointer data)
{
  GError *error = data;
  HoloEndedHandler *handler;

  _holo_runner_lock (runner);
  handler = runner->ended_handler != NULL ? g_atomic_rc_box_acquire (runner->ended_handler) : NULL;
  _holo_runner_unlock (runner);
  if (handler != NULL && handle != NULL)
    handler->func (handle, error, handler->data);
  release_handler (handler);
  g_clear_error (&error);
}

/* Whether the run ends here. A flush or an update that came first may have brought nodes back. */
static gboolean
begin_end (HoloRunner *runner)
{
  gboolean ends;

  _holo_runner_lock (runner);
  runner->end_queued = FALSE;
  ends = runner->state == HOLO_RUN_RUNNING &&
         (runner->stop_requested || runner->error != NULL || runner->n_unfinished == 0);
  if (ends)
    __atomic_store_n (&runner->owner.running, 0, __ATOMIC_RELEASE);
  while (ends && runner->n_cancelling > 0)
    g_cond_wait (&runner->changed, &runner->control);
  g_cond_broadcast (&runner->changed);
  _holo_runner_unlock (runner);
  return ends;
}

/* Everybody leaves, slots and frames go back, tasks complete their work. */
static void
end_run (HoloRunner *runner, HoloOperation *operation)
{
  g_autoptr (GPtrArray) ends = NULL;
  HoloBound *bound = runner->bound;
  HoloOpResult result;

  if (!begin_end (runner))
    return;
  result = get_result (runner);
  ask_sections_to_stop (bound);
  ends = _holo_runner_list_ends (runner);
  abort_sections (bound);
  for (guint i = 0; i < bound->n_sections; i++)
    _holo_runner_join (runner, bound->sections[i]);
  __atomic_fetch_sub (&_holo_awake_sections, runner->n_counted, __ATOMIC_RELAXED);
  runner->n_counted = 0;
  finish_tasks (runner, bound, result);
  for (guint i = 0; i < ends->len; i++)
    _holo_end_finish (ends->pdata[i], result == HOLO_OP_EOF ? HOLO_OP_EOF : HOLO_OP_CANCELLED);
  _holo_runner_lock (runner);
  runner->state = HOLO_RUN_ENDED;
  holo_runtime_publish (runner);
  if (runner->ended_handler != NULL)
    _holo_runner_queue_callback (runner, call_ended, runner->error != NULL ? g_error_copy (runner->error) : NULL);
  g_cond_broadcast (&runner->changed);
  _holo_runner_unlock (runner);
}

/* With control. */
void
_holo_runner_queue_end (HoloRunner *runner)
{
  if (runner->end_queued)
    return;
  runner->end_queued = TRUE;
  _holo_runner_queue (runner, end_run, NULL);
}

void
_holo_runner_section_finished (HoloOwner *owner)
{
  HoloRunner *runner = (HoloRunner *) owner;

  _holo_runner_lock (runner);
  if (--runner->n_unfinished == 0 && runner->state == HOLO_RUN_RUNNING)
    _holo_runner_queue_end (runner);
  g_cond_broadcast (&runner->changed); /* a drain may wait for it */
  _holo_runner_unlock (runner);
}

void
_holo_runner_section_revived (HoloOwner *owner)
{
  HoloRunner *runner = (HoloRunner *) owner;

  _holo_runner_lock (runner);
  runner->n_unfinished++;
  g_cond_broadcast (&runner->changed);
  _holo_runner_unlock (runner);
}

/* Calls run no further; the end itself is an operation. */
void
_holo_runner_stop (HoloOwner *owner, GError *error)
{
  HoloRunner *runner = (HoloRunner *) owner;
  HoloBound *bound = NULL;

  _holo_runner_lock (runner);
  if (runner->state == HOLO_RUN_RUNNING)
    {
      bound = _holo_bound_ref (runner->bound);
      if (error == NULL)
        runner->stop_requested = TRUE;
      else if (runner->error == NULL)
        runner->error = g_steal_pointer (&error);
      __atomic_store_n (&runner->owner.running, 0, __ATOMIC_RELEASE);
      runner->n_cancelling++;
      _holo_runner_queue_end (runner);
    }
  g_cond_broadcast (&runner->changed);
  _holo_runner_unlock (runner);
  g_clear_error (&error);
  if (bound == NULL)
    return;
  ask_sections_to_stop (bound); /* handlers of these cancellables are not ours */
  _holo_bound_unref (bound);
  _holo_runner_lock (runner);
  runner->n_cancelling--;
  g_cond_broadcast (&runner->changed);
  _holo_runner_unlock (runner);
}

/* ---- the start ---- */

static gboolean
reset_all (HoloBound *bound, GError **error)
{
  for (guint i = 0; i < bound->n_nodes; i++)
    {
      const HoloPlanNode *node = _holo_plan_node (bound->plan, i);

      if (!holo_task_reset (node->task, error))
        {
          g_prefix_error (error, "node \"%s\" (%s), reset: ", node->name, node->kind);
          return FALSE;
        }
      _holo_task_reset_counters (node->task);
      __atomic_store_n (&bound->records[i]->discarded, 0, __ATOMIC_RELAXED);
      __atomic_store_n (&bound->records[i]->dropped, 0, __ATOMIC_RELAXED);
      if (bound->boundaries[i] != NULL)
        _holo_boundary_restart (bound->boundaries[i]);
    }
  return TRUE;
}

static void
restart_section (HoloSection *section)
{
  __atomic_store_n (&section->requests, 0, __ATOMIC_RELEASE);
  g_cancellable_reset (section->cancellable);
  g_cancellable_reset (section->memory_cancellable);
  g_mutex_lock (&section->role);
  _holo_section_restart (section);
  holo_runtime_publish (section);
  g_mutex_unlock (&section->role);
}

/* Who sees that it runs may stop it at once: everything is in place then. */
static void
begin_run (HoloRunner *runner, HoloBound *bound)
{
  g_autoptr (GPtrArray) ends = _holo_runner_list_ends (runner);

  for (guint i = 0; i < bound->n_sections; i++)
    restart_section (bound->sections[i]);
  runner->n_counted = (gint) bound->n_sections;
  __atomic_fetch_add (&_holo_awake_sections, runner->n_counted, __ATOMIC_RELAXED);
  _holo_runner_lock (runner);
  g_clear_error (&runner->error);
  runner->stop_requested = runner->stall_reported = FALSE;
  g_atomic_int_set (&runner->owner.has_unread, FALSE);
  runner->n_unfinished = bound->n_sections;
  g_ptr_array_set_size (runner->flushing, 0);
  runner->state = HOLO_RUN_RUNNING;
  __atomic_store_n (&runner->owner.started, 1, __ATOMIC_RELEASE);
  __atomic_store_n (&runner->owner.running, 1, __ATOMIC_RELEASE);
  _holo_runner_apply_flushes (runner);
  if (bound->n_sections == 0)
    _holo_runner_queue_end (runner);
  _holo_runner_unlock (runner);
  for (guint i = 0; i < ends->len; i++)
    _holo_end_open (ends->pdata[i]);
  /* Consumers first, so that the first frame finds somebody. */
  for (guint i = bound->n_sections; i-- > 0;)
    if (!bound->sections[i]->worker.caller_driven)
      _holo_runner_start_thread (runner, bound->sections[i]);
}

typedef struct
{
  gboolean success;
  GError **error;
} Start;

static void
start_run (HoloRunner *runner, HoloOperation *operation)
{
  Start *start = operation->data;

  if (runner->state == HOLO_RUN_RUNNING)
    g_set_error (start->error, HOLO_ERROR, HOLO_ERROR_STATE, "the scheduler is running already");
  else if (reset_all (runner->bound, start->error))
    {
      holo_runtime_observe (runner);
      g_ptr_array_set_size (runner->retired_streams, 0); /* nothing that names them is left */
      begin_run (runner, runner->bound);
      start->success = TRUE;
    }
  _holo_runner_lock (runner);
  runner->starting = FALSE;
  _holo_runner_unlock (runner);
}

/* A run whose end is certain is waited for; any other is left alone. */
static gboolean
claim_start (HoloRunner *runner, GError **error)
{
  gboolean claimed;

  _holo_runner_lock (runner);
  claimed = !runner->closed && !runner->starting && (runner->state != HOLO_RUN_RUNNING || runner->end_queued);
  if (claimed)
    runner->starting = TRUE;
  else
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_STATE, "the scheduler is %s already",
                 runner->closed     ? "gone"
                 : runner->starting ? "being started"
                                    : "running");
  _holo_runner_unlock (runner);
  return claimed;
}

gboolean
_holo_runner_start (HoloRunner *runner, GError **error)
{
  Start start = { FALSE, error };

  if (_holo_owner_refuses_to_wait (&runner->owner, error) || !claim_start (runner, error))
    return FALSE;
  _holo_runner_call (runner, start_run, &start);
  return start.success;
}
