/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands behind a HoloScheduler, from its first reference to its last. */
#include "runtime/holo-runner-private.h"

#include "base/holo-error.h"
#include "device/holo-runtime-hooks.h"

#define DRAIN_LIMIT (100 * G_TIME_SPAN_MILLISECOND)

/* ---- the object ---- */

static void
free_runner (HoloOwner *owner)
{
  HoloRunner *runner = (HoloRunner *) owner;

  _holo_runner_set_ended_handler (runner, NULL);
  g_hash_table_unref (runner->inputs);
  g_hash_table_unref (runner->outputs);
  g_ptr_array_unref (runner->flushing);
  g_ptr_array_unref (runner->retired_streams);
  g_clear_error (&runner->error);
  g_object_unref (runner->router);
  g_mutex_clear (&runner->control);
  g_cond_clear (&runner->changed);
  g_free (runner);
}

static void
tell (HoloOwner *owner)
{
  HoloRunner *runner = (HoloRunner *) owner;

  _holo_runner_lock (runner);
  g_cond_broadcast (&runner->changed);
  _holo_runner_unlock (runner);
}

static HoloEnd *
get_end (HoloOwner *owner, const gchar *name, gboolean is_input)
{
  HoloRunner *runner = (HoloRunner *) owner;
  GHashTable *ends = is_input ? runner->inputs : runner->outputs;
  HoloEnd *end;

  _holo_runner_lock (runner);
  end = g_hash_table_lookup (ends, name);
  if (end == NULL)
    {
      end = _holo_end_new (owner, name, is_input);
      g_hash_table_insert (ends, end->name, end);
    }
  _holo_runner_unlock (runner);
  return end;
}

static const HoloOwnerClass owner_class = {
  .free = free_runner,
  .stop = _holo_runner_stop,
  .tell = tell,
  .wait_unrested = _holo_runner_wait_unrested,
  .section_finished = _holo_runner_section_finished,
  .section_revived = _holo_runner_section_revived,
  .check_stall = _holo_runner_check_stall,
  .get_end = get_end,
};

HoloRunner *
_holo_runner_new (HoloScheduler *handle)
{
  HoloRunner *runner = g_new0 (HoloRunner, 1);

  _holo_owner_init (&runner->owner, &owner_class);
  runner->handle = handle;
  g_mutex_init (&runner->control);
  g_cond_init (&runner->changed);
  g_queue_init (&runner->operations);
  g_queue_init (&runner->callbacks);
  runner->inputs = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) holo_end_unref);
  runner->outputs = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) holo_end_unref);
  runner->flushing = g_ptr_array_new_with_free_func (g_free);
  runner->retired_streams = g_ptr_array_new_with_free_func ((GDestroyNotify) _holo_plan_stream_unref);
  runner->drain_limit = DRAIN_LIMIT;
  runner->router = holo_event_router_new (HOLO_EVENT_DEFAULT_CAPACITY, HOLO_EVENT_DEFAULT_CAPACITY);
  return runner;
}

HoloBound *
_holo_runner_get_bound (HoloRunner *runner, HoloPlan **plan)
{
  HoloBound *bound;

  _holo_runner_lock (runner);
  bound = runner->bound != NULL ? _holo_bound_ref (runner->bound) : NULL;
  if (plan != NULL)
    *plan = bound != NULL ? holo_plan_ref (bound->plan) : NULL;
  _holo_runner_unlock (runner);
  return bound;
}

GPtrArray *
_holo_runner_list_ends (HoloRunner *runner)
{
  GPtrArray *ends = g_ptr_array_new_with_free_func ((GDestroyNotify) holo_end_unref);
  GHashTableIter iter;
  gpointer end;

  _holo_runner_lock (runner);
  g_hash_table_iter_init (&iter, runner->inputs);
  while (g_hash_table_iter_next (&iter, NULL, &end))
    g_ptr_array_add (ends, holo_end_ref (end));
  g_hash_table_iter_init (&iter, runner->outputs);
  while (g_hash_table_iter_next (&iter, NULL, &end))
    g_ptr_array_add (ends, holo_end_ref (end));
  _holo_runner_unlock (runner);
  return ends;
}

/* ---- waiting ---- */

static gboolean
is_over (HoloRunner *runner)
{
  if (runner->state == HOLO_RUN_RUNNING || runner->starting)
    return FALSE;
  return _holo_runner_is_operation_thread (runner) || (!runner->has_update && runner->n_callbacks == 0);
}

gboolean
_holo_runner_wait (HoloRunner *runner, GError **error)
{
  gboolean success;

  if (_holo_owner_refuses_to_wait (&runner->owner, error))
    return FALSE;
  _holo_runner_lock (runner);
  while (!is_over (runner))
    _holo_runner_wait_changed (runner);
  holo_runtime_observe (runner);
  success = runner->error == NULL;
  if (!success && error != NULL)
    *error = g_error_copy (runner->error);
  _holo_runner_unlock (runner);
  return success;
}

/* ---- the last one puts out ---- */

/* Nothing runs any more, and nothing will: what is left is a shell for those that still hold a section or an end. */
static void
release (HoloRunner *runner)
{
  g_autoptr (GPtrArray) ends = _holo_runner_list_ends (runner);
  HoloBound *bound;

  _holo_runner_lock (runner);
  bound = g_steal_pointer (&runner->bound);
  _holo_runner_unlock (runner);
  for (guint i = 0; bound != NULL && i < bound->n_sections; i++)
    __atomic_store_n (&bound->sections[i]->gone, 1, __ATOMIC_RELEASE);
  if (bound != NULL)
    _holo_bound_detach (bound);
  for (guint i = 0; i < ends->len; i++)
    {
      _holo_end_unbind (ends->pdata[i]);
      if (holo_end_is_input (ends->pdata[i]))
        _holo_end_drop (ends->pdata[i]);
    }
  _holo_runner_lock (runner);
  g_hash_table_steal_all (runner->inputs);
  g_hash_table_steal_all (runner->outputs);
  _holo_runner_unlock (runner);
  for (guint i = 0; i < ends->len; i++)
    holo_end_unref (ends->pdata[i]);
  g_clear_pointer (&bound, _holo_bound_unref);
}

static void
release_last (HoloRunner *runner, HoloOperation *operation)
{
  release (runner);
}

/* The handle goes while one of its callbacks is being run (or, which is forbidden, inside a task): nobody waits here. */
static void
close_inside (HoloRunner *runner)
{
  _holo_owner_stop (&runner->owner);
  _holo_runner_lock (runner);
  runner->closed = TRUE;
  _holo_runner_give_up_updates (runner);
  if (_holo_runner_is_operation_thread (runner))
    _holo_runner_run_callbacks (runner);
  runner->handle = NULL;
  _holo_runner_queue (runner, release_last, NULL);
  runner->quit = TRUE;
  g_clear_pointer (&runner->thread, g_thread_unref);
  _holo_runner_unlock (runner);
}

void
_holo_runner_close (HoloRunner *runner)
{
  GThread *thread;

  if (_holo_runner_is_operation_thread (runner) || _holo_owner_refuses_to_wait (&runner->owner, NULL))
    {
      close_inside (runner);
      return;
    }
  _holo_owner_stop (&runner->owner);
  _holo_runner_wait (runner, NULL);
  _holo_runner_lock (runner);
  runner->closed = runner->quit = TRUE;
  thread = g_steal_pointer (&runner->thread);
  g_cond_broadcast (&runner->changed);
  _holo_runner_unlock (runner);
  if (thread != NULL)
    g_thread_join (thread);
  _holo_runner_lock (runner);
  runner->handle = NULL;
  _holo_runner_unlock (runner);
  release (runner);
}
