/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flush: drops everything that came from an Input, without ending the run, and brings back what had finished. Its beginning
 * only sets marks, so that it can be called from anywhere; its end is an operation. */
#include "base/holo-error.h"
#include "task/holo-task-private.h"
#include "runtime/holo-runner-private.h"
#include "device/holo-runtime-hooks.h"

/* ---- what is being flushed ---- */

/* All that some Input reaches that is being flushed. With control. */
static void
find_flushed (HoloRunner *runner, HoloReach *all)
{
  HoloBound *bound = runner->bound;

  all->nodes = g_new0 (gboolean, bound->n_nodes + 1);
  all->sections = g_new0 (gboolean, bound->n_sections + 1);
  for (guint i = 0; i < runner->flushing->len; i++)
    {
      gint index = _holo_bound_find (bound, runner->flushing->pdata[i]);
      g_auto (HoloReach) reach = { NULL, NULL };

      if (index < 0)
        continue;
      _holo_bound_find_reach (bound, (guint) index, &reach);
      for (guint k = 0; k < bound->n_nodes; k++)
        all->nodes[k] |= reach.nodes[k];
      for (guint k = 0; k < bound->n_sections; k++)
        all->sections[k] |= reach.sections[k];
    }
}

/* Only the Input itself refuses frames: another one that is reached by nothing is not flushed, whatever becomes of the section
 * behind it. */
static gboolean
is_flushed_end (HoloBound *bound, guint index, const HoloReach *reach)
{
  return reach->nodes[index] && bound->boundaries[index] != NULL && bound->boundaries[index]->end != NULL;
}

static void
mark_ends (HoloBound *bound, const HoloReach *reach)
{
  for (guint i = 0; i < bound->n_nodes; i++)
    if (bound->boundaries[i] != NULL && bound->boundaries[i]->end != NULL)
      _holo_end_set_flushing (bound->boundaries[i]->end, is_flushed_end (bound, i, reach));
}

void
_holo_runner_apply_flushes (HoloRunner *runner)
{
  g_auto (HoloReach) reach = { NULL, NULL };

  find_flushed (runner, &reach);
  mark_ends (runner->bound, &reach);
  for (guint i = 0; i < runner->bound->n_sections; i++)
    {
      HoloSection *section = runner->bound->sections[i];

      if (reach.sections[i])
        _holo_section_request (section, HOLO_REQUEST_FLUSH);
      else if (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & HOLO_REQUEST_FLUSH)
        {
          _holo_section_clear_request (section, HOLO_REQUEST_FLUSH);
          if (_holo_owner_is_running (&runner->owner))
            g_cancellable_reset (section->cancellable);
        }
    }
  g_cond_broadcast (&runner->changed);
}

static gint
find_name (HoloRunner *runner, const gchar *name)
{
  for (guint i = 0; i < runner->flushing->len; i++)
    if (g_str_equal (runner->flushing->pdata[i], name))
      return (gint) i;
  return -1;
}

/* ---- start ---- */

/* Notes the flush; a list of the sections that have to be called off, or NULL when nothing runs. */
static HoloBound *
note_flush (HoloRunner *runner, HoloEnd *input, HoloReach *reach)
{
  HoloBound *bound = NULL;
  gint index;

  _holo_runner_lock (runner);
  index = runner->bound != NULL ? _holo_bound_find (runner->bound, holo_end_get_name (input)) : -1;
  if (runner->state == HOLO_RUN_RUNNING && _holo_owner_is_running (&runner->owner) && index >= 0 &&
      find_name (runner, holo_end_get_name (input)) < 0)
    {
      bound = _holo_bound_ref (runner->bound);
      g_ptr_array_add (runner->flushing, g_strdup (holo_end_get_name (input)));
      find_flushed (runner, reach);
      mark_ends (bound, reach);
      for (guint i = 0; i < bound->n_sections; i++)
        if (reach->sections[i])
          _holo_section_request (bound->sections[i], HOLO_REQUEST_FLUSH);
      runner->n_cancelling++;
      runner->n_flushes++;
      g_cond_broadcast (&runner->changed); /* a drain ends */
    }
  _holo_runner_unlock (runner);
  return bound;
}

void
_holo_runner_flush_start (HoloRunner *runner, HoloEnd *input)
{
  g_auto (HoloReach) reach = { NULL, NULL };
  HoloBound *bound;

  bound = note_flush (runner, input, &reach);
  if (bound == NULL)
    return;
  for (guint i = 0; i < bound->n_sections; i++)
    if (reach.sections[i])
      {
        g_cancellable_cancel (bound->sections[i]->cancellable);
        g_cancellable_cancel (bound->sections[i]->memory_cancellable);
      }
  _holo_bound_unref (bound);
  _holo_runner_lock (runner);
  runner->n_cancelling--;
  g_cond_broadcast (&runner->changed);
  _holo_runner_unlock (runner);
}

/* ---- stop ---- */

typedef struct
{
  HoloEnd *input;
  GError **error;
  gboolean success;
} Stop;

/* What a node holds; only where no other flush will do it anyway does it matter that it is done now. */
static gboolean
reset_node (HoloBound *bound, guint index, GError **error)
{
  const HoloPlanNode *node = _holo_plan_node (bound->plan, index);

  if (holo_runtime_mutant != HOLO_RUNTIME_MUTANT_SKIP_RESET && !holo_task_reset (node->task, error))
    {
      g_prefix_error (error, "node \"%s\" (%s), reset: ", node->name, node->kind);
      return FALSE;
    }
  if (bound->boundaries[index] == NULL)
    return TRUE;
  if (holo_runtime_mutant == HOLO_RUNTIME_MUTANT_KEEP_FLUSHED)
    {
      __atomic_store_n (&bound->boundaries[index]->input_ended, 0, __ATOMIC_RELEASE);
      __atomic_store_n (&bound->boundaries[index]->output_ended, 0, __ATOMIC_RELEASE);
    }
  else
    _holo_boundary_restart (bound->boundaries[index]);
  return TRUE;
}

static gboolean
reset_reached (HoloBound *bound, const HoloReach *reach, GError **error)
{
  for (guint i = 0; i < bound->n_nodes; i++)
    if (reach->nodes[i] && !reset_node (bound, i, error))
      return FALSE;
  return TRUE;
}

/* What other flushes reach has as good as come back: its tasks are reset when they end. */
static gboolean *
find_coming_back (HoloRunner *runner, const HoloReach *reach)
{
  g_auto (HoloReach) all = { NULL, NULL };

  _holo_runner_lock (runner);
  find_flushed (runner, &all);
  for (guint i = 0; i < runner->bound->n_nodes; i++)
    all.nodes[i] |= reach->nodes[i];
  _holo_runner_unlock (runner);
  return g_steal_pointer (&all.nodes);
}

static void
revive (HoloRunner *runner, const HoloReach *reach, const gboolean *rested)
{
  g_autofree gboolean *nodes = find_coming_back (runner, reach);
  HoloBound *bound = runner->bound;

  for (guint i = 0; i < bound->n_sections; i++)
    if (reach->sections[i])
      {
        _holo_section_look_for_pending (bound->sections[i]);
        _holo_section_revive (bound->sections[i], nodes);
      }
  if (rested != NULL)
    return;
  /* with all roles: what had ended for want of the readers that are back */
  _holo_bound_remember_ended (bound);
  _holo_bound_close_ended (bound);
  _holo_runner_lock (runner);
  runner->n_unfinished = _holo_bound_count_unfinished (bound);
  if (runner->n_unfinished == 0)
    _holo_runner_queue_end (runner);
  _holo_runner_unlock (runner);
}

/* With the roles of what is reached, or (@rested NULL) of all. */
static gboolean
drop_reached (HoloRunner *runner, const HoloReach *reach, const gboolean *rested, GError **error)
{
  HoloBound *bound = runner->bound;
  g_autofree gboolean *others = g_new0 (gboolean, bound->n_sections + 1);

  for (guint i = 0; i < bound->n_sections; i++)
    {
      others[i] = rested == NULL && !reach->sections[i];
      if (reach->sections[i] && !_holo_section_fold_flushed (bound->sections[i], reach->nodes, error))
        return FALSE;
    }
  if (!_holo_runner_fold (bound, others, error) || !reset_reached (bound, reach, error))
    return FALSE;
  revive (runner, reach, rested);
  return TRUE;
}

/* Takes the flush off; whether it was on. */
static gboolean
forget_flush (HoloRunner *runner, HoloEnd *input)
{
  gint index = find_name (runner, holo_end_get_name (input));

  if (index < 0)
    return FALSE;
  if (holo_runtime_mutant == HOLO_RUNTIME_MUTANT_UNFLUSH_ALL)
    g_ptr_array_set_size (runner->flushing, 0);
  else
    g_ptr_array_remove_index (runner->flushing, (guint) index);
  return TRUE;
}

static void
wake_ends (HoloBound *bound)
{
  for (guint i = 0; i < bound->n_nodes; i++)
    if (bound->boundaries[i] != NULL && bound->boundaries[i]->end != NULL)
      _holo_end_wake (bound->boundaries[i]->end);
}

static void
stop_flush (HoloRunner *runner, HoloOperation *operation)
{
  Stop *stop = operation->data;
  g_auto (HoloReach) reach = { NULL, NULL };
  HoloBound *bound = runner->bound;
  gint index = _holo_bound_find (bound, holo_end_get_name (stop->input));
  gboolean runs = _holo_owner_is_running (&runner->owner) && index >= 0;
  const gboolean *rested = NULL;

  stop->success = TRUE;
  if (runs)
    {
      _holo_bound_find_reach (bound, (guint) index, &reach);
      /* only where something may come back with a reader do sections rest that are not reached */
      rested = g_atomic_int_get (&runner->owner.has_unread) ? NULL : reach.sections;
      _holo_runner_rest (runner, bound, rested);
      _holo_runner_synchronize (bound, rested);
      stop->success = drop_reached (runner, &reach, rested, stop->error);
    }
  _holo_runner_lock (runner);
  while (runner->n_cancelling > 0)
    g_cond_wait (&runner->changed, &runner->control);
  if (forget_flush (runner, stop->input))
    _holo_runner_apply_flushes (runner);
  _holo_runner_unlock (runner);
  if (runs)
    _holo_runner_unrest (runner, bound, rested);
  wake_ends (bound);
}

gboolean
_holo_runner_flush_stop (HoloRunner *runner, HoloEnd *input, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  Stop stop = { input, &local_error, FALSE };

  if (_holo_owner_refuses_to_wait (&runner->owner, error))
    return FALSE;
  _holo_runner_call (runner, stop_flush, &stop);
  if (stop.success)
    return TRUE;
  _holo_owner_fail (&runner->owner, g_error_copy (local_error));
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}
