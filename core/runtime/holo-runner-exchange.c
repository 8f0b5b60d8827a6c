/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One plan goes and another comes, between two iterations of every section. */
#include "runtime/holo-runner-private.h"

#include <string.h>

#include "task/holo-task-private.h"
#include "runtime/holo-runner-drain.h"
#include "event/holo-event-router-private.h"
#include "device/holo-runtime-hooks.h"

/* ---- what goes on ---- */

/* What tasks that go have counted stays with their node. */
static void
remember_counts (HoloBound *before, HoloBound *bound)
{
  for (guint i = 0; i < before->n_nodes; i++)
    {
      HoloTask *task = _holo_plan_node (before->plan, i)->task;

      if (_holo_plan_has_task (bound->plan, task) || holo_runtime_mutant == HOLO_RUNTIME_MUTANT_FORGET_DISCARDED)
        continue;
      _holo_counter_add (&before->records[i]->discarded, holo_task_get_discarded (task));
      _holo_counter_add (&before->records[i]->dropped, holo_task_get_dropped (task));
    }
}

/* ---- what goes ---- */

static gboolean
has_end (HoloBound *bound, HoloEnd *end)
{
  for (guint i = 0; i < bound->n_nodes; i++)
    if (bound->boundaries[i] != NULL && bound->boundaries[i]->end == end)
      return TRUE;
  return FALSE;
}

/* Ends whose node has gone; how many frames lay in Inputs. (Those of an Output can still be pulled.) */
static guint
unbind_ends (HoloBound *before, HoloBound *bound)
{
  guint n = 0;

  for (guint i = 0; i < before->n_nodes; i++)
    {
      HoloEnd *end = before->boundaries[i] != NULL ? before->boundaries[i]->end : NULL;

      if (end == NULL || has_end (bound, end))
        continue;
      _holo_end_unbind (end);
      if (holo_end_is_input (end))
        n += _holo_end_drop (end);
    }
  return n;
}

static void
detach_events (HoloRunner *runner, HoloBound *before, HoloBound *bound)
{
  for (guint i = 0; i < before->n_nodes; i++)
    {
      const gchar *name = _holo_plan_node (before->plan, i)->name;

      if (_holo_bound_find (bound, name) < 0)
        _holo_event_router_detach_node (runner->router, name);
    }
}

static void
release_ends (HoloBound *bound)
{
  for (guint i = 0; i < bound->n_nodes; i++)
    if (bound->boundaries[i] != NULL && bound->boundaries[i]->end != NULL)
      _holo_end_set_held (bound->boundaries[i]->end, FALSE);
}

static gboolean
has_section (HoloBound *bound, HoloSection *section)
{
  for (guint i = 0; i < bound->n_sections; i++)
    if (bound->sections[i] == section)
      return TRUE;
  return FALSE;
}

static void
mark_gone (HoloBound *before, HoloBound *bound)
{
  for (guint i = 0; i < before->n_sections; i++)
    if (!has_section (bound, before->sections[i]))
      {
        __atomic_store_n (&before->sections[i]->gone, 1, __ATOMIC_RELEASE);
        __atomic_store_n (&before->sections[i]->finished, 1, __ATOMIC_RELEASE);
      }
}

/* Nobody drives a new section before everything is in place. */
static void
hold_new (HoloBound *before, HoloBound *bound)
{
  for (guint i = 0; i < bound->n_sections; i++)
    if (!has_section (before, bound->sections[i]))
      {
        _holo_section_request (bound->sections[i], HOLO_REQUEST_REST);
        g_mutex_lock (&bound->sections[i]->role);
      }
}

static void
unrest_new (HoloRunner *runner, HoloBound *before, HoloBound *bound)
{
  g_autofree gboolean *is_new = g_new0 (gboolean, bound->n_sections + 1);

  for (guint i = 0; i < bound->n_sections; i++)
    is_new[i] = !has_section (before, bound->sections[i]);
  _holo_runner_unrest (runner, bound, is_new);
}

/* Ends take frames of the same Input, or whatever an Output was given, over to another task. */
static void
move_kept (HoloBound *before, HoloBound *bound)
{
  for (guint i = 0; i < before->n_nodes; i++)
    {
      HoloBoundary *from = before->boundaries[i];
      gint index = _holo_bound_find (bound, _holo_plan_node (before->plan, i)->name);
      HoloBoundary *to = index >= 0 ? bound->boundaries[index] : NULL;

      if (from == NULL || to == NULL || from == to || from->end == NULL || from->end != to->end)
        continue;
      if (from->is_output)
        to->pending = g_steal_pointer (&from->pending);
      else if (_holo_drain_takes_same (bound->plan, _holo_plan_node (before->plan, i)))
        to->returned = g_steal_pointer (&from->returned);
    }
}

/* Fences of frames under way may name them. */
static void
retire_streams (HoloRunner *runner, HoloBound *before, HoloBound *bound)
{
  for (guint i = 0; i < before->n_sections && !holo_device_is_host (before->plan->device); i++)
    if (!has_section (bound, before->sections[i]))
      g_ptr_array_add (runner->retired_streams, _holo_plan_stream_ref (_holo_plan_section (before->plan, i)->stream));
}

/* Tasks that are gone complete their work as at the end of a run. */
static void
finish_replaced (HoloBound *before, HoloBound *bound)
{
  for (guint i = 0; i < before->n_nodes; i++)
    {
      HoloTask *task = _holo_plan_node (before->plan, i)->task;
      g_autoptr (GError) error = NULL;

      if (!_holo_plan_has_task (bound->plan, task) && !holo_task_finish (task, HOLO_OP_EOF, &error))
        holo_task_log (task, G_LOG_LEVEL_MESSAGE, "could not complete its work: %s", error->message);
    }
}

/* ---- the exchange itself ---- */

/* Faults that tests look for. */
static void
make_mistakes (HoloRunner *runner, HoloBound *bound)
{
  for (guint i = 0; i < bound->n_nodes; i++)
    if (holo_runtime_mutant == HOLO_RUNTIME_MUTANT_RENEW_KEPT &&
        _holo_plan_node_is_sync (_holo_plan_node (bound->plan, i)))
      holo_task_reset (_holo_plan_node (bound->plan, i)->task, NULL);
    else if (holo_runtime_mutant == HOLO_RUNTIME_MUTANT_DROP_EVENTS)
      holo_event_reader_drop_all (bound->readers[i]);
    else if (holo_runtime_mutant == HOLO_RUNTIME_MUTANT_RESTART_COUNTS)
      memset (bound->records[i]->counters, 0, sizeof bound->records[i]->counters);
}

/* With the roles of all sections of @before. */
static void
swap (HoloRunner *runner, HoloBound *before, HoloBound *bound)
{
  _holo_bound_remember_ended (before);
  remember_counts (before, bound);
  mark_gone (before, bound);
  retire_streams (runner, before, bound);
  _holo_bound_detach (before);
  if (holo_runtime_mutant != HOLO_RUNTIME_MUTANT_SKIP_COMMIT)
    _holo_plan_commit (bound->plan);
  _holo_bound_attach (bound);
  make_mistakes (runner, bound);
}

static void
join_ends (HoloBound *bound)
{
  for (guint i = 0; i < bound->n_nodes; i++)
    if (bound->boundaries[i] != NULL && bound->boundaries[i]->end != NULL)
      _holo_end_join (bound->boundaries[i]->end);
}

/* From here on everybody sees @bound. */
static void
publish (HoloRunner *runner, HoloBound *bound)
{
  guint n_unfinished = _holo_bound_count_unfinished (bound);

  join_ends (bound);
  __atomic_fetch_add (&_holo_awake_sections, (gint) bound->n_sections - runner->n_counted, __ATOMIC_RELAXED);
  runner->n_counted = (gint) bound->n_sections;
  _holo_runner_lock (runner);
  while (runner->n_cancelling > 0) /* what is about to be cancelled is not reset before it has been */
    g_cond_wait (&runner->changed, &runner->control);
  runner->bound = bound;
  runner->n_unfinished = n_unfinished;
  if (runner->flushing->len > 0)
    holo_runtime_count_state (HOLO_RUNTIME_STATE_UPDATE_IN_FLUSH);
  _holo_runner_apply_flushes (runner);
  if (n_unfinished == 0)
    _holo_runner_queue_end (runner);
  _holo_runner_unlock (runner);
}

/* New sections get threads, those that have gone lose theirs, and so does one that callers drive now. */
static void
adjust_threads (HoloRunner *runner, HoloBound *before, HoloBound *bound)
{
  for (guint i = 0; i < before->n_sections; i++)
    if (before->sections[i]->gone || before->sections[i]->worker.caller_driven)
      _holo_runner_join (runner, before->sections[i]);
  for (guint i = 0; i < bound->n_sections; i++)
    if (bound->sections[i]->thread == NULL && !bound->sections[i]->worker.caller_driven &&
        _holo_owner_is_running (&runner->owner))
      _holo_runner_start_thread (runner, bound->sections[i]);
}

/* Sections that are new begin within the run, so a stop that has been asked for is theirs too. */
static void
request_stop_of_new (HoloRunner *runner, HoloBound *bound)
{
  for (guint i = 0; i < bound->n_sections && !_holo_owner_is_running (&runner->owner); i++)
    _holo_section_request (bound->sections[i], HOLO_REQUEST_STOP);
}

static void
rest_others (HoloDrain *drain)
{
  g_autofree gboolean *others = g_new0 (gboolean, drain->bound->n_sections + 1);

  for (guint i = 0; i < drain->bound->n_sections; i++)
    others[i] = !drain->resting[i];
  _holo_runner_rest (drain->runner, drain->bound, others);
}

static gboolean
exchange_running (HoloRunner *runner, HoloPlan *plan, guint64 *n_discarded, GError **error)
{
  HoloBound *before = runner->bound;
  HoloBound *bound = _holo_bound_new (&runner->owner, runner->router, plan, before);
  HoloDrain drain;
  gboolean success;

  _holo_drain_init (&drain, runner, before, plan);
  _holo_drain_run (&drain);
  rest_others (&drain);
  _holo_runner_synchronize (before, NULL);
  success = _holo_runner_fold (before, NULL, error);
  if (success)
    {
      hold_new (before, bound);
      move_kept (before, bound);
      *n_discarded += _holo_drain_discard (&drain);
      swap (runner, before, bound);
      *n_discarded += unbind_ends (before, bound);
      detach_events (runner, before, bound);
      _holo_bound_close_ended (bound);
      publish (runner, bound);
      request_stop_of_new (runner, bound);
    }
  else
    _holo_drain_undo (&drain);
  _holo_drain_clear (&drain);
  release_ends (success ? bound : before);
  _holo_runner_unrest (runner, before, NULL);
  if (success)
    {
      unrest_new (runner, before, bound);
      adjust_threads (runner, before, bound);
      finish_replaced (before, bound);
    }
  _holo_bound_unref (success ? before : bound);
  return success;
}

/* The next start takes the new plan, with everything reset. */
static void
exchange_at_rest (HoloRunner *runner, HoloPlan *plan)
{
  HoloBound *before = runner->bound;
  HoloBound *bound = _holo_bound_new (&runner->owner, runner->router, plan, before);

  mark_gone (before, bound);
  _holo_bound_detach (before);
  _holo_plan_commit (plan);
  _holo_bound_attach (bound);
  unbind_ends (before, bound);
  detach_events (runner, before, bound);
  _holo_runner_lock (runner);
  runner->bound = bound;
  _holo_runner_unlock (runner);
  _holo_bound_unref (before);
}

gboolean
_holo_runner_exchange (HoloRunner *runner, HoloPlan *plan, guint64 *n_discarded, GError **error)
{
  if (runner->state == HOLO_RUN_RUNNING)
    return exchange_running (runner, plan, n_discarded, error);
  exchange_at_rest (runner, plan);
  return TRUE;
}
