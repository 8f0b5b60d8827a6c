/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The life of a run: start, threads, stop, end, and what the last one puts out. */
#include "runtime/holo-runner-private.h"

#include "base/holo-error.h"
#include "task/holo-task-private.h"
#include "device/holo-runtime-hooks.h"

#define DRAIN_LIMIT (100 * G_TIME_SPAN_MILLISECOND)
#define STALL_TIME  (4 * G_USEC_PER_SEC)

/* ---- the object ---- */

HoloRunner *
_holo_runner_new (HoloScheduler *handle)
{
  HoloRunner *runner = g_new0 (HoloRunner, 1);

  runner->ref_count = 1;
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

HoloRunner *
_holo_runner_ref (HoloRunner *runner)
{
  g_atomic_int_inc (&runner->ref_count);
  return runner;
}

void
_holo_runner_unref (HoloRunner *runner)
{
  if (!g_atomic_int_dec_and_test (&runner->ref_count))
    return;
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

HoloEnd *
_holo_runner_get_end (HoloRunner *runner, const gchar *name, gboolean is_input)
{
  GHashTable *ends = is_input ? runner->inputs : runner->outputs;
  HoloEnd *end = g_hash_table_lookup (ends, name);

  if (end == NULL)
    {
      end = _holo_end_new (runner, name, is_input);
      g_hash_table_insert (ends, end->name, end);
    }
  return end;
}

gboolean
_holo_runner_is_running (HoloRunner *runner)
{
  return __atomic_load_n (&runner->running, __ATOMIC_ACQUIRE) != 0;
}

void
_holo_runner_tell (HoloRunner *runner)
{
  _holo_runner_lock (runner);
  g_cond_broadcast (&runner->changed);
  _holo_runner_unlock (runner);
}

/* ---- threads of sections ---- */

/* A section that has finished may be revived by a flush or an update: its thread stays until the run is over. */
static void
wait_finished (HoloRunner *runner, HoloSection *section)
{
  _holo_runner_lock (runner);
  while (__atomic_load_n (&section->finished, __ATOMIC_ACQUIRE) && _holo_runner_is_running (runner) &&
         !__atomic_load_n (&section->gone, __ATOMIC_ACQUIRE) &&
         (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & ~HOLO_REQUEST_INTERRUPT) == 0)
    g_cond_wait (&runner->changed, &runner->control);
  _holo_runner_unlock (runner);
}

static void
wait_permitted (HoloRunner *runner, HoloSection *section, gint requests)
{
  if ((__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & requests) == 0)
    return;
  _holo_runner_lock (runner);
  g_cond_broadcast (&runner->changed); /* whoever waits for the section to rest */
  while (_holo_runner_is_running (runner) && (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & requests) != 0)
    g_cond_wait (&runner->changed, &runner->control);
  _holo_runner_unlock (runner);
}

void
_holo_runner_wait_unrested (HoloRunner *runner, HoloSection *section)
{
  wait_permitted (runner, section, HOLO_REQUEST_REST);
}

static HoloOpResult
run_until_interrupted (HoloSection *section)
{
  g_autoptr (GError) error = NULL;
  HoloOpResult result;

  g_mutex_lock (&section->role);
  holo_runtime_observe (section);
  section->clock = g_get_monotonic_time () * 1000;
  do
    result = _holo_section_run (section, TRUE, NULL, &error);
  while (result == HOLO_OP_OK);
  holo_runtime_publish (section);
  g_mutex_unlock (&section->role);
  if (result == HOLO_OP_ERROR)
    _holo_runner_fail (section->runner, g_steal_pointer (&error));
  return result;
}

static gboolean
is_thread_wanted (HoloSection *section)
{
  return _holo_runner_is_running (section->runner) && !__atomic_load_n (&section->gone, __ATOMIC_ACQUIRE) &&
         !__atomic_load_n (&section->caller_driven, __ATOMIC_ACQUIRE);
}

/* A section that an update takes away, or gives to callers, within a flush is not let go by the end of that. */
static void
wait_wanted (HoloRunner *runner, HoloSection *section)
{
  const gint requests = HOLO_REQUEST_FLUSH | HOLO_REQUEST_REST;

  if ((__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & requests) == 0)
    return;
  _holo_runner_lock (runner);
  g_cond_broadcast (&runner->changed); /* whoever waits for the section to rest */
  while (is_thread_wanted (section) && (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & requests) != 0)
    g_cond_wait (&runner->changed, &runner->control);
  _holo_runner_unlock (runner);
}

static gpointer
section_thread (gpointer data)
{
  HoloSection *section = data;
  HoloRunner *runner = section->runner;

  _holo_runner_enter_tasks (runner);
  while (is_thread_wanted (section))
    {
      HoloOpResult result = run_until_interrupted (section);

      if (result == HOLO_OP_CANCELLED || result == HOLO_OP_ERROR)
        break;
      if (result == HOLO_OP_EOF)
        wait_finished (runner, section);
      wait_wanted (runner, section);
    }
  _holo_runner_leave_tasks (NULL);
  _holo_runner_tell (runner);
  holo_section_unref (section);
  return NULL;
}

void
_holo_runner_start_thread (HoloRunner *runner, HoloSection *section)
{
  /* Linux shows 15 characters. */
  g_autofree gchar *name = g_strdup_printf ("holo-%u", section->id);

  holo_runtime_publish (section);
  section->thread = g_thread_new (name, section_thread, holo_section_ref (section));
}

void
_holo_runner_join (HoloRunner *runner, HoloSection *section)
{
  if (section->thread == NULL)
    return;
  g_thread_join (g_steal_pointer (&section->thread));
  holo_runtime_observe (section);
}

/* ---- the end ---- */

/* How the run ends, or ended: ERROR, CANCELLED after a stop, or EOF. */
HoloOpResult
_holo_runner_get_result (HoloRunner *runner)
{
  HoloOpResult result;

  _holo_runner_lock (runner);
  result = runner->error != NULL ? HOLO_OP_ERROR : runner->stop_requested ? HOLO_OP_CANCELLED : HOLO_OP_EOF;
  _holo_runner_unlock (runner);
  return result;
}

static GPtrArray *
list_ends (HoloRunner *runner)
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
call_ended (HoloRunner *runner, HoloScheduler *handle, gpointer data)
{
  GError *error = data;
  HoloSchedulerEndedFunc func;
  gpointer user_data;

  _holo_runner_lock (runner);
  func = runner->ended_func;
  user_data = runner->ended_data;
  _holo_runner_unlock (runner);
  if (func != NULL && handle != NULL)
    func (handle, error, user_data);
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
    __atomic_store_n (&runner->running, 0, __ATOMIC_RELEASE);
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
  result = _holo_runner_get_result (runner);
  ask_sections_to_stop (bound);
  ends = list_ends (runner);
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
  if (runner->ended_func != NULL)
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
_holo_runner_section_finished (HoloRunner *runner)
{
  _holo_runner_lock (runner);
  if (--runner->n_unfinished == 0 && runner->state == HOLO_RUN_RUNNING)
    _holo_runner_queue_end (runner);
  g_cond_broadcast (&runner->changed); /* a drain may wait for it */
  _holo_runner_unlock (runner);
}

void
_holo_runner_section_revived (HoloRunner *runner)
{
  _holo_runner_lock (runner);
  runner->n_unfinished++;
  g_cond_broadcast (&runner->changed);
  _holo_runner_unlock (runner);
}

/* Calls run no further; the end itself is an operation. @error (nullable, transfer full): why. */
static void
request_stop (HoloRunner *runner, GError *error)
{
  HoloBound *bound = NULL;

  _holo_runner_lock (runner);
  if (runner->state == HOLO_RUN_RUNNING)
    {
      bound = _holo_bound_ref (runner->bound);
      if (error == NULL)
        runner->stop_requested = TRUE;
      else if (runner->error == NULL)
        runner->error = g_steal_pointer (&error);
      __atomic_store_n (&runner->running, 0, __ATOMIC_RELEASE);
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

void
_holo_runner_stop (HoloRunner *runner)
{
  request_stop (runner, NULL);
}

void
_holo_runner_fail (HoloRunner *runner, GError *error)
{
  request_stop (runner, error);
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
  g_autoptr (GPtrArray) ends = list_ends (runner);

  for (guint i = 0; i < bound->n_sections; i++)
    restart_section (bound->sections[i]);
  runner->n_counted = (gint) bound->n_sections;
  __atomic_fetch_add (&_holo_awake_sections, runner->n_counted, __ATOMIC_RELAXED);
  _holo_runner_lock (runner);
  g_clear_error (&runner->error);
  runner->stop_requested = runner->stall_reported = FALSE;
  g_atomic_int_set (&runner->has_unread, FALSE);
  runner->n_unfinished = bound->n_sections;
  g_ptr_array_set_size (runner->flushing, 0);
  runner->state = HOLO_RUN_RUNNING;
  __atomic_store_n (&runner->running, 1, __ATOMIC_RELEASE);
  _holo_runner_apply_flushes (runner);
  if (bound->n_sections == 0)
    _holo_runner_queue_end (runner);
  _holo_runner_unlock (runner);
  for (guint i = 0; i < ends->len; i++)
    _holo_end_open (ends->pdata[i]);
  /* Consumers first, so that the first frame finds somebody. */
  for (guint i = bound->n_sections; i-- > 0;)
    if (!bound->sections[i]->caller_driven)
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

  if (_holo_runner_refuses_to_wait (runner, error) || !claim_start (runner, error))
    return FALSE;
  _holo_runner_call (runner, start_run, &start);
  return start.success;
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

  if (_holo_runner_refuses_to_wait (runner, error))
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
  g_autoptr (GPtrArray) ends = list_ends (runner);
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
  _holo_runner_stop (runner);
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

  if (_holo_runner_is_operation_thread (runner) || _holo_runner_refuses_to_wait (runner, NULL))
    {
      close_inside (runner);
      return;
    }
  _holo_runner_stop (runner);
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

/* ---- stall ---- */

static gboolean
all_stalled (HoloRunner *runner, gint64 limit)
{
  for (guint i = 0; i < runner->bound->n_sections; i++)
    {
      HoloSection *section = runner->bound->sections[i];

      if (__atomic_load_n (&section->finished, __ATOMIC_ACQUIRE))
        continue;
      if (section->stall_text == NULL || __atomic_load_n (&section->sleep_kind, __ATOMIC_ACQUIRE) != 1 ||
          __atomic_load_n (&section->sleep_since, __ATOMIC_RELAXED) > limit)
        return FALSE;
    }
  return !runner->stall_reported;
}

/* @section has slept for want of the others for 5 s and waits for @text. When all do: says once who waits for whom. */
void
_holo_runner_check_stall (HoloRunner *runner, HoloSection *section, const gchar *text)
{
  GString *message = NULL;

  _holo_runner_lock (runner);
  g_free (section->stall_text);
  section->stall_text = g_strdup (text);
  if (runner->bound != NULL && all_stalled (runner, g_get_monotonic_time () - STALL_TIME))
    {
      runner->stall_reported = TRUE;
      message = g_string_new ("nothing has moved for 5 seconds:");
      for (guint i = 0; i < runner->bound->n_sections; i++)
        if (!__atomic_load_n (&runner->bound->sections[i]->finished, __ATOMIC_ACQUIRE))
          g_string_append (message, runner->bound->sections[i]->stall_text);
    }
  _holo_runner_unlock (runner);
  if (message == NULL)
    return;
  g_message ("%s", message->str);
  g_string_free (message, TRUE);
}
