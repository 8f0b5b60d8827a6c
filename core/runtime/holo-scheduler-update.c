/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changing a running graph: tasks that go are drained, all sections rest with empty hands, the new plan takes over, they go
 * on. An operation: it comes wholly before or after any other change. */
#include "base/holo-error.h"
#include "task/holo-task-private.h"
#include "runtime/holo-drain.h"
#include "runtime/holo-exchange.h"
#include "device/holo-runtime-hooks.h"

typedef struct
{
  HoloPlan *plan;
  HoloSchedulerUpdatedFunc func;
  gpointer data;
  guint64 n_discarded;
  GError *error;
} Update;

static void
update_free (Update *update)
{
  g_clear_pointer (&update->plan, holo_plan_unref);
  g_clear_error (&update->error);
  g_free (update);
}

static void
call_updated (HoloRunner *runner, HoloScheduler *handle, gpointer data)
{
  Update *update = data;

  if (update->func != NULL)
    update->func (handle, update->n_discarded, update->error, update->data);
  update_free (update);
}

static void
report (HoloRunner *runner, Update *update)
{
  _holo_runner_lock (runner);
  runner->has_update = FALSE;
  _holo_runner_queue_callback (runner, call_updated, update);
  g_cond_broadcast (&runner->changed);
  _holo_runner_unlock (runner);
}

static void
run_update (HoloRunner *runner, HoloOperation *operation)
{
  Update *update = operation->data;

  if (update->plan->compiled_from != runner->bound->plan)
    g_set_error (&update->error, HOLO_ERROR, HOLO_ERROR_STATE,
                 "the plan was compiled beside another plan than the one that runs now; compile it again");
  else
    _holo_runner_exchange (runner, update->plan, &update->n_discarded, &update->error);
  report (runner, update);
}

void
_holo_runner_give_up_updates (HoloRunner *runner)
{
  for (GList *l = runner->operations.head, *next; l != NULL; l = next)
    {
      HoloOperation *operation = l->data;
      Update *update = operation->data;

      next = l->next;
      if (operation->is_call || operation->func != run_update || (runner->busy && l == runner->operations.head))
        continue;
      g_queue_delete_link (&runner->operations, l);
      g_set_error (&update->error, HOLO_ERROR, HOLO_ERROR_STATE, "the scheduler went before the update");
      runner->has_update = FALSE;
      _holo_runner_queue_callback (runner, call_updated, update);
      g_free (operation);
    }
}

/**
 * holo_scheduler_update:
 * @scheduler: a scheduler
 * @plan: a plan compiled with the scheduler's current plan as previous
 * @func: (nullable) (scope async) (closure user_data): told when it is done, once
 * @user_data: for @func
 *
 * Changes to @plan without ending the run. Returns at once; may be called from inside a task.
 *
 * Nodes whose kind, settings and tensors are the same keep their tasks, with what these hold, and go on; so do nodes whose
 * factory could stage the change. Frames under way are kept: what a section had popped and not used its next reader gets
 * first, what it had made and not pushed goes in first. A task that is replaced or taken away is drained: its readers get
 * what it holds, as long as they make progress (see holo_scheduler_set_drain_limit()); what is left then is discarded, and
 * its number reported.
 *
 * Without a drain the report comes within 100 ms plus the longest rest of an iteration, whatever sections wait for. One
 * update is on its way at a time: another is reported with %HOLO_ERROR_STATE. When the run ends or is stopped before it,
 * the next run has the new plan.
 */
void
holo_scheduler_update (HoloScheduler *scheduler, HoloPlan *plan, HoloSchedulerUpdatedFunc func, gpointer user_data)
{
  HoloRunner *runner;
  Update *update;

  g_return_if_fail (HOLO_IS_SCHEDULER (scheduler) && plan != NULL && plan->runnable);

  runner = _holo_scheduler_get_runner (scheduler);
  update = g_new (Update, 1);
  *update = (Update){ holo_plan_ref (plan), func, user_data, 0, NULL };
  _holo_runner_lock (runner);
  if (runner->has_update)
    {
      g_set_error (&update->error, HOLO_ERROR, HOLO_ERROR_STATE,
                   "another update is on its way; compile again once it has been reported");
      _holo_runner_queue_callback (runner, call_updated, update);
    }
  else
    {
      runner->has_update = TRUE;
      _holo_runner_queue (runner, run_update, update);
    }
  _holo_runner_unlock (runner);
}

/**
 * holo_scheduler_set_drain_limit:
 * @scheduler: a scheduler
 * @limit: microseconds, or -1 for no limit
 *
 * How long an update waits for the readers of a task that goes without one of their calls being successful. 100 ms unless
 * set; without limit where readers are known to come, however late.
 */
void
holo_scheduler_set_drain_limit (HoloScheduler *scheduler, gint64 limit)
{
  HoloRunner *runner;

  g_return_if_fail (HOLO_IS_SCHEDULER (scheduler) && limit >= -1);

  runner = _holo_scheduler_get_runner (scheduler);
  _holo_runner_lock (runner);
  runner->drain_limit = limit;
  _holo_runner_unlock (runner);
}
