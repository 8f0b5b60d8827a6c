/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The application's handle of a run. */
#include "runtime/holo-scheduler.h"

#include "base/holo-define-type.h"
#include "base/holo-error.h"
#include "runtime/holo-scheduler-private.h"

struct _HoloScheduler
{
  GObject parent_instance;

  HoloRunner *runner;
};

HOLO_DEFINE_TYPE (HoloScheduler, holo_scheduler, G_TYPE_OBJECT, G_TYPE_FLAG_FINAL)

HoloRunner *
_holo_scheduler_get_runner (HoloScheduler *scheduler)
{
  return scheduler->runner;
}

static void
holo_scheduler_dispose (GObject *object)
{
  HoloScheduler *self = HOLO_SCHEDULER (object);

  if (self->runner != NULL)
    {
      _holo_runner_close (self->runner);
      _holo_owner_unref (&g_steal_pointer (&self->runner)->owner);
    }
  G_OBJECT_CLASS (holo_scheduler_parent_class)->dispose (object);
}

static void
holo_scheduler_class_init (HoloSchedulerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = holo_scheduler_dispose;
}

/**
 * holo_scheduler_new:
 * @plan: a compiled plan (not one that was only inferred); no other scheduler runs it
 *
 * Returns: (transfer full): a scheduler that has not started
 *
 * Since: 0.1
 */
HoloScheduler *
holo_scheduler_new (HoloPlan *plan)
{
  HoloScheduler *self;

  g_return_val_if_fail (plan != NULL && plan->runnable, NULL);

  self = g_object_new (HOLO_TYPE_SCHEDULER, NULL);
  self->runner = _holo_runner_new (self);
  _holo_plan_commit (plan);
  self->runner->bound = _holo_bound_new (&self->runner->owner, self->runner->router, plan, NULL);
  _holo_bound_attach (self->runner->bound);
  return self;
}

/**
 * holo_scheduler_get_plan:
 * @scheduler: a scheduler
 *
 * Returns: (transfer full): the plan of this moment. It stays as it is; an update or a setting brings another
 *
 * Since: 0.1
 */
HoloPlan *
holo_scheduler_get_plan (HoloScheduler *scheduler)
{
  HoloPlan *plan;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler), NULL);

  _holo_bound_unref (_holo_runner_get_bound (scheduler->runner, &plan));
  return plan;
}

/**
 * holo_scheduler_get_event_router:
 * @scheduler: a scheduler
 *
 * Returns: (transfer none): where events go to nodes and come from them; one for all its runs and plans
 *
 * Since: 0.1
 */
HoloEventRouter *
holo_scheduler_get_event_router (HoloScheduler *scheduler)
{
  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler), NULL);

  return scheduler->runner->router;
}

/**
 * holo_scheduler_get_section:
 * @scheduler: a scheduler
 * @section: number of a section in its plan of this moment
 *
 * Returns: (transfer full) (nullable): the section; %NULL when the plan has fewer
 *
 * Since: 0.1
 */
HoloSection *
holo_scheduler_get_section (HoloScheduler *scheduler, guint section)
{
  HoloSection *found = NULL;
  HoloBound *bound;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler), NULL);

  bound = _holo_runner_get_bound (scheduler->runner, NULL);
  if (section < bound->n_sections)
    found = holo_section_ref (bound->sections[section]);
  _holo_bound_unref (bound);
  return found;
}

/* ---- before the start ---- */

static gboolean
is_at_work (HoloRunner *runner)
{
  gboolean works;

  _holo_runner_lock (runner);
  works = runner->starting || runner->state == HOLO_RUN_RUNNING;
  _holo_runner_unlock (runner);
  return works;
}

/**
 * holo_scheduler_set_driving:
 * @scheduler: a scheduler that does not run
 * @driving: who drives its sections
 *
 * %HOLO_DRIVING_THREADS unless set.
 *
 * Since: 0.1
 */
void
holo_scheduler_set_driving (HoloScheduler *scheduler, HoloDriving driving)
{
  HoloRunner *runner;

  g_return_if_fail (HOLO_IS_SCHEDULER (scheduler) && !is_at_work (scheduler->runner));

  runner = scheduler->runner;
  runner->owner.driving = driving;
  for (guint i = 0; i < runner->bound->n_sections; i++)
    _holo_section_choose_driver (runner->bound->sections[i]);
}

/**
 * holo_scheduler_set_may_spin:
 * @scheduler: a scheduler that does not run
 * @may_spin: whether callers that drive may look again for a moment before they sleep
 *
 * For callers that have nothing better to do. What a wake of a sleeping thread costs here bounds that moment (some 2 to
 * 120 us); a processor must be spare, and it is offered to others meanwhile. Off unless set. (Threads of the scheduler do
 * so always.)
 *
 * Since: 0.1
 */
void
holo_scheduler_set_may_spin (HoloScheduler *scheduler, gboolean may_spin)
{
  HoloRunner *runner;

  g_return_if_fail (HOLO_IS_SCHEDULER (scheduler) && !is_at_work (scheduler->runner));

  runner = scheduler->runner;
  runner->owner.may_spin = may_spin;
  for (guint i = 0; i < runner->bound->n_sections; i++)
    runner->bound->sections[i]->may_spin = may_spin;
}

/**
 * holo_scheduler_set_max_in_flight:
 * @scheduler: a scheduler that does not run
 * @max_in_flight: from 1 to 16, or 0: what is right
 *
 * Sets how many iterations of a section may be under way on the device. More hide more of the host's time, and make a
 * stop, which waits for them, take longer; they use no more memory. By default two, and up to 16 as long as the device
 * is done with them in a millisecond.
 *
 * Since: 0.1
 */
void
holo_scheduler_set_max_in_flight (HoloScheduler *scheduler, guint max_in_flight)
{
  HoloRunner *runner;

  g_return_if_fail (HOLO_IS_SCHEDULER (scheduler) && max_in_flight <= HOLO_MAX_IN_FLIGHT);
  g_return_if_fail (!is_at_work (scheduler->runner));

  runner = scheduler->runner;
  runner->owner.max_in_flight = max_in_flight;
  for (guint i = 0; i < runner->bound->n_sections; i++)
    _holo_section_choose_depth (runner->bound->sections[i]);
}

/**
 * holo_scheduler_set_ended_func:
 * @scheduler: a scheduler
 * @func: (nullable) (scope notified) (closure user_data) (destroy notify): called at the end of each run
 * @user_data: for @func
 * @notify: (nullable): called once when @func is in use no more, in the thread that lets go of it last
 *
 * Any thread, at any time; a run that ends from then on calls @func.
 *
 * Since: 0.1
 */
void
holo_scheduler_set_ended_func (HoloScheduler *scheduler, HoloSchedulerEndedFunc func, gpointer user_data,
                               GDestroyNotify notify)
{
  HoloEndedHandler *handler = NULL;

  g_return_if_fail (HOLO_IS_SCHEDULER (scheduler));

  if (func != NULL)
    {
      handler = g_atomic_rc_box_new (HoloEndedHandler);
      *handler = (HoloEndedHandler){ func, user_data, notify };
    }
  _holo_runner_set_ended_handler (scheduler->runner, handler);
}

/* ---- a run ---- */

/**
 * holo_scheduler_start:
 * @scheduler: a scheduler
 * @error: return location
 *
 * Resets everything and starts a run. While a run is on, or another thread starts one, it returns at once with
 * %HOLO_ERROR_STATE; a run that is just coming to its end is waited for.
 *
 * Returns: whether a run was started
 *
 * Since: 0.1
 */
gboolean
holo_scheduler_start (HoloScheduler *scheduler, GError **error)
{
  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler), FALSE);

  return _holo_runner_start (scheduler->runner, error);
}

/**
 * holo_scheduler_stop:
 * @scheduler: a scheduler
 *
 * Ends the run as soon as possible: waits are woken, tasks see their cancellable, frames under way are dropped. Does not
 * wait for the end. Harmless when nothing runs. May be called from inside a task.
 *
 * Since: 0.1
 */
void
holo_scheduler_stop (HoloScheduler *scheduler)
{
  g_return_if_fail (HOLO_IS_SCHEDULER (scheduler));

  _holo_owner_stop (&scheduler->runner->owner);
}

/**
 * holo_scheduler_wait:
 * @scheduler: a scheduler
 * @error: return location
 *
 * Waits until the run has ended, its threads have too, and everything that was to be reported has been (in a callback: not
 * for those reports). Returns at once when nothing was started.
 *
 * Returns: %FALSE when the run failed; %FALSE with %HOLO_ERROR_STATE inside a task
 *
 * Since: 0.1
 */
gboolean
holo_scheduler_wait (HoloScheduler *scheduler, GError **error)
{
  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler), FALSE);

  return _holo_runner_wait (scheduler->runner, error);
}

static void
on_cancelled (GCancellable *cancellable, gpointer user_data)
{
  _holo_owner_stop (user_data);
}

/**
 * holo_scheduler_run:
 * @scheduler: a scheduler
 * @cancellable: (nullable): stops the run
 * @error: return location
 *
 * Starts a run and waits for its end: all a program needs whose graph ends by itself.
 *
 * Returns: %FALSE when it could not start or failed; %FALSE with %G_IO_ERROR_CANCELLED when @cancellable ended it
 *
 * Since: 0.1
 */
gboolean
holo_scheduler_run (HoloScheduler *scheduler, GCancellable *cancellable, GError **error)
{
  gulong handler = 0;
  gboolean success;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler), FALSE);

  if (g_cancellable_set_error_if_cancelled (cancellable, error) || !holo_scheduler_start (scheduler, error))
    return FALSE;
  if (cancellable != NULL)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), &scheduler->runner->owner, NULL);
  success = holo_scheduler_wait (scheduler, error);
  if (handler != 0)
    g_cancellable_disconnect (cancellable, handler);
  return success &&
         !(holo_scheduler_was_stopped (scheduler) && g_cancellable_set_error_if_cancelled (cancellable, error));
}

/**
 * holo_scheduler_is_running:
 * @scheduler: a scheduler
 *
 * Returns: whether a run has been started and its end has not come
 *
 * Since: 0.1
 */
gboolean
holo_scheduler_is_running (HoloScheduler *scheduler)
{
  gboolean running;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler), FALSE);

  _holo_runner_lock (scheduler->runner);
  running = scheduler->runner->state == HOLO_RUN_RUNNING;
  _holo_runner_unlock (scheduler->runner);
  return running;
}

/**
 * holo_scheduler_was_stopped:
 * @scheduler: a scheduler
 *
 * Returns: whether the current or last run was ended by holo_scheduler_stop() or by a task that said CANCELLED
 *
 * Since: 0.1
 */
gboolean
holo_scheduler_was_stopped (HoloScheduler *scheduler)
{
  gboolean stopped;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler), FALSE);

  _holo_runner_lock (scheduler->runner);
  stopped = scheduler->runner->stop_requested;
  _holo_runner_unlock (scheduler->runner);
  return stopped;
}

/* ---- changes of a run ---- */

/**
 * holo_scheduler_flush_start:
 * @scheduler: a scheduler
 * @input: an Input of it
 *
 * From now on everything reachable from @input refuses to wait: pushes into it, pulls and iterations return FLUSHED. A thread
 * that drives such a section for another Input leaves it; its frame stays in the graph. Returns at once; may be called from
 * inside a task; does nothing when nothing runs, or when @input is being flushed already. Flushes of several Inputs may
 * overlap.
 *
 * Since: 0.1
 */
void
holo_scheduler_flush_start (HoloScheduler *scheduler, HoloEnd *input)
{
  g_return_if_fail (HOLO_IS_SCHEDULER (scheduler) && input != NULL && holo_end_is_input (input));

  _holo_runner_flush_start (scheduler->runner, input);
}

/**
 * holo_scheduler_flush_stop:
 * @scheduler: a scheduler
 * @input: the Input given to holo_scheduler_flush_start()
 * @error: return location
 *
 * Waits until no call is in progress in what @input reaches and the device is idle, drops what is under way there, resets
 * every task reachable from @input, brings back nodes that had finished (what the application has closed stays closed), and
 * lets go: of what another flush reaches as well when that one ends. Without a flush_start it is both in one. When the run
 * has ended meanwhile nothing is left to revive: then start it again.
 *
 * Returns: %FALSE when a task could not be reset; the run has then failed. %FALSE with %HOLO_ERROR_STATE inside a task
 *
 * Since: 0.1
 */
gboolean
holo_scheduler_flush_stop (HoloScheduler *scheduler, HoloEnd *input, GError **error)
{
  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler) && input != NULL && holo_end_is_input (input), FALSE);

  return _holo_runner_flush_stop (scheduler->runner, input, error);
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
 *
 * Since: 0.1
 */
void
holo_scheduler_update (HoloScheduler *scheduler, HoloPlan *plan, HoloSchedulerUpdatedFunc func, gpointer user_data)
{
  g_return_if_fail (HOLO_IS_SCHEDULER (scheduler) && plan != NULL && plan->runnable);

  _holo_runner_update (scheduler->runner, plan, func, user_data);
}

/**
 * holo_scheduler_set_drain_limit:
 * @scheduler: a scheduler
 * @limit: microseconds, or -1 for no limit
 *
 * How long an update waits for the readers of a task that goes without one of their calls being successful. 100 ms unless
 * set; without limit where readers are known to come, however late.
 *
 * Since: 0.1
 */
void
holo_scheduler_set_drain_limit (HoloScheduler *scheduler, gint64 limit)
{
  HoloRunner *runner;

  g_return_if_fail (HOLO_IS_SCHEDULER (scheduler) && limit >= -1);

  runner = scheduler->runner;
  _holo_runner_lock (runner);
  runner->drain_limit = limit;
  _holo_runner_unlock (runner);
}

/* ---- ends ---- */

static HoloEnd *
get_end (HoloRunner *runner, const gchar *node, gboolean is_input, GError **error)
{
  HoloEnd *end = NULL;
  gint index;

  _holo_runner_lock (runner);
  index = _holo_bound_find (runner->bound, node);
  if (index >= 0 && runner->bound->boundaries[index] != NULL)
    end = runner->bound->boundaries[index]->end;
  if (end != NULL && holo_end_is_input (end) != is_input)
    end = NULL;
  if (end != NULL)
    holo_end_ref (end);
  _holo_runner_unlock (runner);
  if (end == NULL)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_SLOT,
                 index >= 0 ? "node \"%s\" is no %s" : "there is no node \"%s\", so no %s", node,
                 is_input ? "Input" : "Output");
  return end;
}

/**
 * holo_scheduler_get_input:
 * @scheduler: a scheduler
 * @node: name of a node of kind Input
 * @error: return location
 *
 * Returns: (transfer full) (nullable): where to push frames; %NULL with %HOLO_ERROR_SLOT when there is no such Input
 *
 * Since: 0.1
 */
HoloEnd *
holo_scheduler_get_input (HoloScheduler *scheduler, const gchar *node, GError **error)
{
  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler) && node != NULL, NULL);

  return get_end (scheduler->runner, node, TRUE, error);
}

/**
 * holo_scheduler_get_output:
 * @scheduler: a scheduler
 * @node: name of a node of kind Output
 * @error: return location
 *
 * Returns: (transfer full) (nullable): where to pull frames; %NULL with %HOLO_ERROR_SLOT when there is no such Output
 *
 * Since: 0.1
 */
HoloEnd *
holo_scheduler_get_output (HoloScheduler *scheduler, const gchar *node, GError **error)
{
  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler) && node != NULL, NULL);

  return get_end (scheduler->runner, node, FALSE, error);
}

/* The only one of the plan. */
static HoloEnd *
get_only_end (HoloRunner *runner, gboolean is_input, GError **error)
{
  g_autoptr (HoloEnd) found = NULL;
  guint n = 0;

  _holo_runner_lock (runner);
  for (guint i = 0; i < runner->bound->n_nodes; i++)
    {
      HoloEnd *end = runner->bound->boundaries[i] != NULL ? runner->bound->boundaries[i]->end : NULL;

      if (end == NULL || holo_end_is_input (end) != is_input)
        continue;
      if (n++ == 0)
        found = holo_end_ref (end);
    }
  _holo_runner_unlock (runner);
  if (n == 1)
    return g_steal_pointer (&found);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_SLOT, "the graph has %u %ss, where one is needed", n,
               is_input ? "Input" : "Output");
  return NULL;
}

/**
 * holo_scheduler_process:
 * @scheduler: a scheduler at work, whose graph has one Input and one Output
 * @in: a frame for the Input; taken as by holo_end_push()
 * @out: (out caller-allocates): the frame that comes out; set exactly when the result is OK
 * @cancellable: (nullable): ends this call only
 * @error: set exactly when the result is ERROR
 *
 * One frame in, one frame out. For graphs that give a frame per frame: behind a batch it would wait for more.
 *
 * Returns: as holo_end_push() and holo_end_pull()
 *
 * Since: 0.1
 */
HoloOpResult
holo_scheduler_process (HoloScheduler *scheduler, HoloFrame *in, HoloFrame *out, GCancellable *cancellable,
                        GError **error)
{
  g_autoptr (HoloEnd) input = NULL, output = NULL;
  HoloOpResult result;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler) && in != NULL && out != NULL, HOLO_OP_ERROR);

  input = get_only_end (scheduler->runner, TRUE, error);
  output = input != NULL ? get_only_end (scheduler->runner, FALSE, error) : NULL;
  if (output == NULL)
    return HOLO_OP_ERROR;
  result = holo_end_push (input, in, cancellable, error);
  return result == HOLO_OP_OK ? holo_end_pull (output, out, cancellable, error) : result;
}
