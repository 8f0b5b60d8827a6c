/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one order of all that changes a run, and the thread that callbacks come from.
 *
 * Each operation stands in a queue and is run when it is the first. One that a caller waits for (start, flush_stop, a setting)
 * is run by that caller, without a switch of threads; what nobody waits for (an update, the end of a run) by the operation
 * thread. That thread also calls the application back, between operations and holding nothing. When a callback calls one of
 * our functions that waits, the operations before it are the callback's own to run. */
#include "runtime/holo-runner-private.h"

typedef struct
{
  HoloCallbackFunc func;
  gpointer data;
} Callback;

/* ---- whose thread is this ---- */

static __thread HoloRunner *runner_of_operations; /* whose operation thread this is */

gboolean
_holo_runner_is_operation_thread (HoloRunner *runner)
{
  return runner_of_operations == runner;
}

/* ---- running them ---- */

static HoloOperation *
get_next (HoloRunner *runner)
{
  return runner->busy ? NULL : g_queue_peek_head (&runner->operations);
}

/* The first one. With control, which is released meanwhile. */
static void
run_operation (HoloRunner *runner, HoloOperation *operation)
{
  HoloOwner *before = _holo_owner_enter_tasks (&runner->owner); /* it may call tasks, which must not wait for it */

  runner->busy = TRUE;
  _holo_runner_unlock (runner);
  operation->func (runner, operation);
  _holo_runner_lock (runner);
  _holo_owner_leave_tasks (before);
  runner->busy = FALSE;
  g_queue_pop_head (&runner->operations);
  g_cond_broadcast (&runner->changed);
}

/* One that nobody waits for, if it is the next; whether there was one. */
static gboolean
run_queued (HoloRunner *runner)
{
  HoloOperation *operation = get_next (runner);

  if (operation == NULL || operation->is_call)
    return FALSE;
  run_operation (runner, operation);
  g_free (operation);
  return TRUE;
}

void
_holo_runner_wait_changed (HoloRunner *runner)
{
  if (!_holo_runner_is_operation_thread (runner) || !run_queued (runner))
    g_cond_wait (&runner->changed, &runner->control);
}

/* Not from inside a task. */
void
_holo_runner_call (HoloRunner *runner, HoloOperationFunc func, gpointer data)
{
  HoloOperation operation = { func, TRUE, data };

  _holo_runner_lock (runner);
  g_queue_push_tail (&runner->operations, &operation);
  while (get_next (runner) != &operation)
    _holo_runner_wait_changed (runner);
  run_operation (runner, &operation);
  _holo_runner_unlock (runner);
}

/* ---- the operation thread ---- */

static gboolean
run_callback (HoloRunner *runner)
{
  Callback *callback = g_queue_pop_head (&runner->callbacks);
  HoloScheduler *handle = runner->handle;

  if (callback == NULL)
    return FALSE;
  _holo_runner_unlock (runner);
  callback->func (runner, handle, callback->data);
  g_free (callback);
  _holo_runner_lock (runner);
  runner->n_callbacks--;
  g_cond_broadcast (&runner->changed);
  return TRUE;
}

void
_holo_runner_run_callbacks (HoloRunner *runner)
{
  while (run_callback (runner))
    ;
}

static gpointer
operation_thread (gpointer data)
{
  HoloRunner *runner = data;

  runner_of_operations = runner;
  _holo_runner_lock (runner);
  for (;;)
    {
      if (run_callback (runner) || run_queued (runner))
        continue;
      if (runner->quit && runner->operations.length == 0)
        break;
      g_cond_wait (&runner->changed, &runner->control);
    }
  _holo_runner_unlock (runner);
  _holo_owner_unref (&runner->owner);
  return NULL;
}

static void
wake_thread (HoloRunner *runner)
{
  if (runner->thread == NULL && !runner->quit)
    runner->thread = g_thread_new ("holo-control", operation_thread, _holo_owner_ref (&runner->owner));
  g_cond_broadcast (&runner->changed);
}

void
_holo_runner_queue (HoloRunner *runner, HoloOperationFunc func, gpointer data)
{
  HoloOperation *operation = g_new (HoloOperation, 1);

  *operation = (HoloOperation){ func, FALSE, data };
  g_queue_push_tail (&runner->operations, operation);
  wake_thread (runner);
}

void
_holo_runner_queue_callback (HoloRunner *runner, HoloCallbackFunc func, gpointer data)
{
  Callback *callback = g_new (Callback, 1);

  *callback = (Callback){ func, data };
  g_queue_push_tail (&runner->callbacks, callback);
  runner->n_callbacks++;
  wake_thread (runner);
}
