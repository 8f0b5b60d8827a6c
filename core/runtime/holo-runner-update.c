/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changing a running graph: tasks that go are drained, all sections rest with empty hands, the new plan takes over, they go
 * on. An operation: it comes wholly before or after any other change. */
#include "base/holo-error.h"
#include "task/holo-task-private.h"
#include "runtime/holo-runner-drain.h"
#include "runtime/holo-runner-private.h"
#include "device/holo-runtime-hooks.h"

typedef struct
{
  HoloPlan *plan;
  HoloUpdatedFunc func;
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

  if (update->plan->compiled_from != runner->bound->plan->serial)
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

void
_holo_runner_update (HoloRunner *runner, HoloPlan *plan, HoloUpdatedFunc func, gpointer user_data)
{
  Update *update = g_new (Update, 1);

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
