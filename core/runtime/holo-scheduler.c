/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The life of a run: bind a plan, start threads, count who is inside, end, join. */
#include "runtime/holo-scheduler.h"

#include "holo-error.h"
#include "holo-private.h"
#include "runtime/holo-runtime-hooks.h"
#include "runtime/holo-scheduler-private.h"
#include "tasks/holo-input.h"
#include "tasks/holo-output.h"

G_DEFINE_FINAL_TYPE (HoloScheduler, holo_scheduler, G_TYPE_OBJECT)

/* ---- binding a plan ---- */

static void
wake_boundary (gpointer data)
{
  HoloBoundary *boundary = data;

  if (boundary->producer != NULL)
    _holo_waiter_notify (boundary->producer);
  if (boundary->consumer != NULL)
    _holo_waiter_notify (boundary->consumer);
}

static HoloSection *
get_section_or_null (HoloScheduler *self, gint index)
{
  return index >= 0 ? _holo_scheduler_section (self, (guint) index) : NULL;
}

static HoloBoundary *
find_kept (HoloScheduler *self, const gchar *name)
{
  for (guint i = 0; i < self->kept_boundaries->len; i++)
    {
      HoloBoundary *boundary = self->kept_boundaries->pdata[i];

      if (g_str_equal (boundary->name, name))
        return g_ptr_array_steal_index_fast (self->kept_boundaries, i);
    }
  return NULL;
}

static HoloBoundary *
get_boundary (HoloScheduler *self, const HoloPlanNode *node)
{
  HoloBoundary *boundary = find_kept (self, node->name);

  if (boundary == NULL)
    {
      boundary = g_new0 (HoloBoundary, 1);
      boundary->name = g_strdup (node->name);
      g_mutex_init (&boundary->lock);
      _holo_waiter_init (&boundary->end);
    }
  g_mutex_lock (&boundary->lock);
  if (boundary->task != (HoloAsyncTask *) node->task)
    {
      /* Another task starts from the beginning, whatever the old one had seen. */
      boundary->input_ended = boundary->output_ended = 0;
      g_set_object (&boundary->task, HOLO_ASYNC_TASK (node->task));
    }
  g_mutex_unlock (&boundary->lock);
  __atomic_store_n (&boundary->gone, FALSE, __ATOMIC_RELEASE);
  return boundary;
}

/* Half of what the node can hold; 1 = its other side is woken at each call. */
static guint
get_wake_batch (const HoloPlanNode *node)
{
  guint held = node->n_outputs > 0 ? holo_inference_get_output (&node->inference, 0)->held_max : 0;

  return node->inference.signals_readiness ? CLAMP (held / 2, 1, 16) : 1;
}

static HoloBoundary *
bind_boundary (HoloScheduler *self, guint index)
{
  const HoloPlanNode *node = _holo_plan_node (self->plan, index);
  HoloBoundary *boundary = get_boundary (self, node);

  boundary->node = index;
  boundary->is_input = HOLO_IS_INPUT_TASK (node->task);
  boundary->is_output = HOLO_IS_OUTPUT_TASK (node->task);
  boundary->handles_fences = node->inference.handles_fences;
  boundary->signals_readiness = node->inference.signals_readiness;
  boundary->synchronizes = node->inference.synchronizes_producer_stream;
  boundary->wake_batch = get_wake_batch (node);
  boundary->producer_section = get_section_or_null (self, node->section_in);
  boundary->consumer_section = get_section_or_null (self, node->section_out);
  boundary->producer = boundary->producer_section != NULL ? &boundary->producer_section->waiter : NULL;
  boundary->consumer = boundary->consumer_section != NULL ? &boundary->consumer_section->waiter : NULL;
  if (boundary->is_input)
    boundary->producer = &boundary->end;
  if (boundary->is_output)
    boundary->consumer = &boundary->end;
  return boundary;
}

static void
free_boundary (HoloBoundary *boundary)
{
  if (boundary->alloc_notify != NULL)
    boundary->alloc_notify (boundary->alloc_data);
  g_clear_object (&boundary->task);
  _holo_waiter_clear (&boundary->end);
  g_mutex_clear (&boundary->lock);
  g_free (boundary->name);
  g_free (boundary);
}

static void
bind_tasks (HoloScheduler *self)
{
  for (guint i = 0; i < self->n_nodes; i++)
    {
      const HoloPlanNode *node = _holo_plan_node (self->plan, i);
      g_autofree HoloStorage **storages = g_new0 (HoloStorage *, node->n_inputs + node->n_outputs + 1);

      for (guint k = 0; k < node->n_inputs; k++)
        storages[k] = self->views[node->inputs[k]]->storage;
      for (guint k = 0; k < node->n_outputs; k++)
        storages[node->n_inputs + k] = self->views[node->outputs[k]]->storage;
      _holo_task_bind (node->task, node->name, node->kind, node->n_inputs, storages, node->n_outputs,
                       storages + node->n_inputs);
      if (self->boundaries[i] != NULL)
        holo_async_task_set_wake_func (self->boundaries[i]->task, wake_boundary, self->boundaries[i]);
    }
}

static void
bind_events (HoloScheduler *self)
{
  for (guint i = 0; i < self->n_nodes; i++)
    holo_event_router_bind_node (self->router, _holo_plan_node (self->plan, i)->name, &self->readers[i],
                                 &self->writers[i], NULL);
}

/* Gives the section objects the inside of @plan. Roles are held, or nothing runs. */
void
_holo_scheduler_bind (HoloScheduler *self, HoloPlan *plan)
{
  self->plan = holo_plan_ref (plan);
  self->n_nodes = plan->nodes->len;
  self->n_views = plan->tensors->len;
  self->views = g_new0 (HoloTensorView *, self->n_views + 1);
  for (guint i = 0; i < self->n_views; i++)
    {
      const HoloPlanTensor *tensor = _holo_plan_tensor (plan, i);

      self->views[i] = g_new0 (HoloTensorView, 1);
      holo_tensor_view_init (self->views[i], &tensor->desc, _holo_plan_storage (plan, tensor->storage)->storage);
    }
  while (self->sections->len < plan->sections->len)
    g_ptr_array_add (self->sections, _holo_section_new (self, self->sections->len));
  self->boundaries = g_new0 (HoloBoundary *, self->n_nodes + 1);
  self->readers = g_new0 (HoloEventReader *, self->n_nodes + 1);
  self->writers = g_new0 (HoloEventWriter *, self->n_nodes + 1);
  for (guint i = 0; i < self->n_nodes; i++)
    if (!_holo_plan_node_is_sync (_holo_plan_node (plan, i)))
      self->boundaries[i] = bind_boundary (self, i);
  /* Only now is it known whose node is gone: whoever waits at an end that stays must not take a moment of the exchange
   * for the end of the stream. */
  for (guint i = 0; i < self->kept_boundaries->len; i++)
    __atomic_store_n (&((HoloBoundary *) self->kept_boundaries->pdata[i])->gone, TRUE, __ATOMIC_RELEASE);
  bind_tasks (self);
  bind_events (self);
  for (guint i = 0; i < plan->sections->len; i++)
    _holo_section_bind (_holo_scheduler_section (self, i), plan, self->views, self->boundaries, self->readers,
                        self->writers);
}

void
_holo_scheduler_unbind (HoloScheduler *self)
{
  for (guint i = 0; i < self->sections->len; i++)
    _holo_section_unbind (_holo_scheduler_section (self, i));
  for (guint i = 0; i < self->n_nodes; i++)
    if (self->boundaries[i] != NULL)
      {
        holo_async_task_set_wake_func (self->boundaries[i]->task, NULL, NULL);
        g_ptr_array_add (self->kept_boundaries, self->boundaries[i]);
      }
  for (guint i = 0; i < self->n_views; i++)
    g_free (self->views[i]);
  g_clear_pointer (&self->views, g_free);
  g_clear_pointer (&self->boundaries, g_free);
  g_clear_pointer (&self->readers, g_free);
  g_clear_pointer (&self->writers, g_free);
  g_clear_pointer (&self->plan, holo_plan_unref);
}

/* ---- object ---- */

static void
holo_scheduler_finalize (GObject *object)
{
  HoloScheduler *self = HOLO_SCHEDULER (object);

  if (self->plan != NULL)
    _holo_scheduler_unbind (self);
  g_ptr_array_unref (self->kept_boundaries);
  g_ptr_array_unref (self->sections);
  g_clear_object (&self->router);
  g_clear_error (&self->error);
  g_clear_pointer (&self->last_statistics, g_variant_unref);
  g_rw_lock_clear (&self->binding);
  g_mutex_clear (&self->control);
  g_mutex_clear (&self->operation);
  g_cond_clear (&self->changed);
  G_OBJECT_CLASS (holo_scheduler_parent_class)->finalize (object);
}

/* The last reference may go while a run is on: it is stopped and joined. */
static void
holo_scheduler_dispose (GObject *object)
{
  HoloScheduler *self = HOLO_SCHEDULER (object);

  holo_scheduler_stop (self);
  holo_scheduler_wait (self, NULL);
  G_OBJECT_CLASS (holo_scheduler_parent_class)->dispose (object);
}

static void
holo_scheduler_class_init (HoloSchedulerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = holo_scheduler_dispose;
  G_OBJECT_CLASS (klass)->finalize = holo_scheduler_finalize;
}

static void
holo_scheduler_init (HoloScheduler *self)
{
  g_rw_lock_init (&self->binding);
  self->kept_boundaries = g_ptr_array_new_with_free_func ((GDestroyNotify) free_boundary);
  g_mutex_init (&self->control);
  g_mutex_init (&self->operation);
  g_cond_init (&self->changed);
  g_queue_init (&self->updates);
  self->sections = g_ptr_array_new_with_free_func ((GDestroyNotify) _holo_section_free);
  self->router = holo_event_router_new (HOLO_EVENT_DEFAULT_CAPACITY, HOLO_EVENT_DEFAULT_CAPACITY);
}

/**
 * holo_scheduler_new:
 * @plan: a compiled plan (not one that was only inferred); no other scheduler runs it
 *
 * Returns: (transfer full): a scheduler that has not started
 */
HoloScheduler *
holo_scheduler_new (HoloPlan *plan)
{
  HoloScheduler *self;

  g_return_val_if_fail (plan != NULL && plan->runnable, NULL);

  self = g_object_new (HOLO_TYPE_SCHEDULER, NULL);
  _holo_plan_commit (plan);
  _holo_scheduler_bind (self, plan);
  return self;
}

/**
 * holo_scheduler_get_plan:
 * @scheduler: a scheduler
 *
 * Returns: (transfer none): its plan; stays valid until an update is reported
 */
HoloPlan *
holo_scheduler_get_plan (HoloScheduler *scheduler)
{
  return scheduler->plan;
}

HoloEventRouter *
holo_scheduler_get_event_router (HoloScheduler *scheduler)
{
  return scheduler->router;
}

HoloSection *
holo_scheduler_get_section (HoloScheduler *scheduler, guint section)
{
  g_return_val_if_fail (section < scheduler->sections->len, NULL);

  return _holo_scheduler_section (scheduler, section);
}

void
holo_scheduler_set_caller_driven (HoloScheduler *scheduler, guint section, gboolean caller_driven)
{
  g_return_if_fail (section < scheduler->sections->len);

  _holo_scheduler_section (scheduler, section)->caller_driven = caller_driven;
}

void
holo_scheduler_set_inputs_caller_driven (HoloScheduler *scheduler, gboolean caller_driven)
{
  for (guint i = 0; i < scheduler->n_nodes; i++)
    if (scheduler->boundaries[i] != NULL && scheduler->boundaries[i]->is_input
        && scheduler->boundaries[i]->consumer_section != NULL)
      scheduler->boundaries[i]->consumer_section->caller_driven = caller_driven;
}

void
holo_scheduler_set_ended_func (HoloScheduler *scheduler, HoloSchedulerEndedFunc func, gpointer user_data)
{
  g_mutex_lock (&scheduler->control);
  scheduler->ended_func = func;
  scheduler->ended_data = user_data;
  g_mutex_unlock (&scheduler->control);
}

/* ---- the end of a run ---- */

static void
abort_sections (HoloScheduler *self)
{
  for (guint i = 0; i < self->sections->len; i++)
    {
      HoloSection *section = _holo_scheduler_section (self, i);

      g_mutex_lock (&section->role);
      holo_runtime_observe (section);
      if (section->uses_device && section->stream != NULL && !holo_runtime_drops_wait (HOLO_RUNTIME_WAIT_END))
        holo_stream_synchronize (section->stream, NULL);
      _holo_section_abort (section, FALSE);
      holo_runtime_publish (section);
      g_mutex_unlock (&section->role);
    }
}

static void
finish_tasks (HoloScheduler *self, HoloOpResult result)
{
  for (guint i = 0; i < self->n_nodes; i++)
    {
      const HoloPlanNode *node = _holo_plan_node (self->plan, i);
      g_autoptr (GError) error = NULL;

      if (holo_task_finish (node->task, result, &error))
        continue;
      g_prefix_error (&error, "node \"%s\" (%s), finish: ", node->name, node->kind);
      g_mutex_lock (&self->control);
      if (self->error == NULL)
        self->error = g_steal_pointer (&error);
      g_mutex_unlock (&self->control);
    }
}

/* Ends of the application that wait learn that nothing comes any more. */
static void
wake_ends (HoloScheduler *self)
{
  g_rw_lock_reader_lock (&self->binding); /* an exchange may begin as soon as the run is over */
  for (guint i = 0; i < self->n_nodes; i++)
    if (self->boundaries[i] != NULL)
      _holo_waiter_notify (&self->boundaries[i]->end);
  g_rw_lock_reader_unlock (&self->binding);
}

/* How the run ends, or ended: ERROR, CANCELLED after a stop, or EOF. */
HoloOpResult
_holo_scheduler_get_result (HoloScheduler *self)
{
  HoloOpResult result;

  g_mutex_lock (&self->control);
  result = self->error != NULL ? HOLO_OP_ERROR : self->stop_requested ? HOLO_OP_CANCELLED : HOLO_OP_EOF;
  g_mutex_unlock (&self->control);
  return result;
}

/* Called by the last one that leaves. */
static void
finalize_run (HoloScheduler *self)
{
  HoloSchedulerEndedFunc func;
  gpointer data;
  g_autoptr (GError) error = NULL;

  __atomic_fetch_sub (&_holo_awake_sections, self->n_counted, __ATOMIC_RELAXED);
  abort_sections (self);
  finish_tasks (self, _holo_scheduler_get_result (self));
  g_mutex_lock (&self->control);
  func = self->ended_func;
  data = self->ended_data;
  error = self->error != NULL ? g_error_copy (self->error) : NULL;
  g_mutex_unlock (&self->control);
  if (func != NULL)
    func (self, error, data);
  g_mutex_lock (&self->control);
  self->state = HOLO_RUN_ENDED;
  holo_runtime_publish (self);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->control);
  wake_ends (self);
}

gboolean
_holo_scheduler_enter (HoloScheduler *self)
{
  g_atomic_int_inc (&self->n_active);
  if (__atomic_load_n (&self->accepting, __ATOMIC_ACQUIRE))
    return TRUE;
  _holo_scheduler_leave (self);
  return FALSE;
}

void
_holo_scheduler_leave (HoloScheduler *self)
{
  if (g_atomic_int_dec_and_test (&self->n_active))
    {
      gboolean run_over;

      g_mutex_lock (&self->control);
      run_over = self->state == HOLO_RUN_RUNNING && !self->finalizing
                 && __atomic_load_n (&self->n_active, __ATOMIC_ACQUIRE) == 0;
      self->finalizing |= run_over;
      g_mutex_unlock (&self->control);
      if (run_over)
        finalize_run (self);
    }
}

/* The run takes no more callers and ends when those inside have left. Once per run. */
static void
close_run (HoloScheduler *self)
{
  if (__atomic_exchange_n (&self->accepting, 0, __ATOMIC_ACQ_REL) == 0)
    return;
  g_mutex_lock (&self->control);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->control);
  g_rw_lock_reader_lock (&self->binding);
  for (guint i = 0; i < self->sections->len; i++)
    _holo_waiter_notify (&_holo_scheduler_section (self, i)->waiter);
  g_rw_lock_reader_unlock (&self->binding);
  wake_ends (self);
  _holo_scheduler_leave (self);
}

void
_holo_scheduler_section_finished (HoloScheduler *self, HoloSection *section)
{
  gboolean last;

  g_mutex_lock (&self->control);
  last = --self->n_unfinished == 0;
  g_mutex_unlock (&self->control);
  if (last)
    close_run (self);
}

static void
request_stop (HoloScheduler *self)
{
  g_rw_lock_reader_lock (&self->binding); /* an exchange may add sections */
  for (guint i = 0; i < self->sections->len; i++)
    {
      HoloSection *section = _holo_scheduler_section (self, i);

      _holo_section_request (section, HOLO_REQUEST_STOP);
      g_cancellable_cancel (section->cancellable);
    }
  g_rw_lock_reader_unlock (&self->binding);
  close_run (self);
}

void
_holo_scheduler_fail (HoloScheduler *self, GError *error)
{
  g_mutex_lock (&self->control);
  if (self->error == NULL)
    self->error = error;
  else
    g_error_free (error);
  g_mutex_unlock (&self->control);
  request_stop (self);
}

/**
 * holo_scheduler_stop:
 * @scheduler: a scheduler
 *
 * Ends the run as soon as possible: waits are woken, tasks see their cancellable, frames under way are dropped. Does not
 * wait for the end. Harmless when nothing runs. May be called from inside a task.
 */
void
holo_scheduler_stop (HoloScheduler *scheduler)
{
  gboolean running;

  g_return_if_fail (HOLO_IS_SCHEDULER (scheduler));

  g_mutex_lock (&scheduler->control);
  running = scheduler->state == HOLO_RUN_RUNNING;
  if (running)
    scheduler->stop_requested = TRUE;
  g_mutex_unlock (&scheduler->control);
  if (running)
    request_stop (scheduler);
}

gboolean
_holo_scheduler_is_stopping (HoloScheduler *self)
{
  return !__atomic_load_n (&self->accepting, __ATOMIC_ACQUIRE);
}

/* ---- threads ---- */

/* A section that has finished may be revived by a flush: its thread stays until the run is over. */
static void
rest (HoloSection *section)
{
  HoloScheduler *self = section->scheduler;

  g_mutex_lock (&self->control);
  while (__atomic_load_n (&section->finished, __ATOMIC_ACQUIRE) && __atomic_load_n (&self->accepting, __ATOMIC_ACQUIRE)
         && (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & ~HOLO_REQUEST_INTERRUPT) == 0)
    g_cond_wait (&self->changed, &self->control);
  g_mutex_unlock (&self->control);
}

/* Returns once the section may go on after FLUSHED or being parked. */
static void
wait_for_permission (HoloSection *section)
{
  HoloScheduler *self = section->scheduler;

  g_mutex_lock (&self->control);
  while (__atomic_load_n (&self->accepting, __ATOMIC_ACQUIRE)
         && (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & (HOLO_REQUEST_FLUSH | HOLO_REQUEST_PARK)) != 0)
    g_cond_wait (&self->changed, &self->control);
  g_mutex_unlock (&self->control);
}

void
_holo_scheduler_wait_unparked (HoloScheduler *self, HoloSection *section)
{
  if ((__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & HOLO_REQUEST_PARK) == 0)
    return;
  /* While a drain goes on the section still works. */
  if (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & HOLO_REQUEST_DRAIN)
    return;
  g_mutex_lock (&self->control);
  while (__atomic_load_n (&self->accepting, __ATOMIC_ACQUIRE)
         && (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & HOLO_REQUEST_PARK) != 0)
    g_cond_wait (&self->changed, &self->control);
  g_mutex_unlock (&self->control);
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
    _holo_scheduler_fail (section->scheduler, g_steal_pointer (&error));
  return result;
}

static gpointer
section_thread (gpointer data)
{
  HoloSection *section = data;
  HoloScheduler *self = section->scheduler;

  while (__atomic_load_n (&self->accepting, __ATOMIC_ACQUIRE))
    {
      switch (run_until_interrupted (section))
        {
        case HOLO_OP_EOF:
          rest (section);
          break;
        case HOLO_OP_FLUSHED:
        case HOLO_OP_NOT_READY:
          break;
        default:
          goto out;
        }
      wait_for_permission (section);
    }
out:
  _holo_scheduler_leave (self);
  return NULL;
}

void
_holo_scheduler_start_thread (HoloScheduler *self, HoloSection *section)
{
  /* Linux shows 15 characters. */
  g_autofree gchar *name = g_strdup_printf ("holo-%u", section->id);

  g_atomic_int_inc (&self->n_active);
  holo_runtime_publish (section);
  section->thread = g_thread_new (name, section_thread, section);
}

/* ---- start and wait ---- */

gboolean
_holo_scheduler_reset_all (HoloScheduler *self, GError **error)
{
  for (guint i = 0; i < self->n_nodes; i++)
    {
      const HoloPlanNode *node = _holo_plan_node (self->plan, i);

      if (!holo_task_reset (node->task, error))
        {
          g_prefix_error (error, "node \"%s\" (%s), reset: ", node->name, node->kind);
          return FALSE;
        }
      _holo_task_reset_counters (node->task);
      if (self->boundaries[i] != NULL)
        {
          self->boundaries[i]->input_ended = self->boundaries[i]->output_ended = 0;
          self->boundaries[i]->end_flushing = 0;
        }
    }
  return TRUE;
}

/* With `operation` held. Who sees that it runs may stop it at once: everything is in place then, and threads that start after
 * that leave at once. We do not count as somebody inside, since whoever leaves last waits for the device. */
static void
begin_run (HoloScheduler *self)
{
  guint n_sections = self->plan->sections->len;

  for (guint i = 0; i < self->sections->len; i++)
    {
      HoloSection *section = _holo_scheduler_section (self, i);

      section->requests = 0;
      g_cancellable_reset (section->cancellable);
      _holo_section_restart (section);
    }
  self->n_counted = (gint) n_sections;
  __atomic_fetch_add (&_holo_awake_sections, self->n_counted, __ATOMIC_RELAXED);
  g_mutex_lock (&self->control);
  g_clear_error (&self->error);
  self->stop_requested = self->stall_reported = self->finalizing = FALSE;
  self->n_unfinished = n_sections;
  g_atomic_int_set (&self->n_active, 1);
  __atomic_store_n (&self->accepting, 1, __ATOMIC_RELEASE);
  self->state = HOLO_RUN_RUNNING;
  g_mutex_unlock (&self->control);
  /* Consumers first, so that the first frame finds somebody. */
  for (guint i = n_sections; i-- > 0;)
    if (!_holo_scheduler_section (self, i)->caller_driven)
      _holo_scheduler_start_thread (self, _holo_scheduler_section (self, i));
  if (n_sections == 0)
    close_run (self);
}

/**
 * holo_scheduler_start:
 * @scheduler: a scheduler
 * @error: return location
 *
 * Resets everything and starts a run. A scheduler that runs already is left alone, with %HOLO_ERROR_STATE.
 *
 * Returns: whether a run was started
 */
gboolean
holo_scheduler_start (HoloScheduler *scheduler, GError **error)
{
  HoloScheduler *self = scheduler;
  gboolean success;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler), FALSE);

  if (holo_scheduler_is_running (self))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_STATE, "the scheduler is running already");
      return FALSE;
    }
  holo_scheduler_wait (self, NULL);
  g_mutex_lock (&self->operation);
  holo_runtime_observe (self);
  success = _holo_scheduler_reset_all (self, error);
  if (success)
    begin_run (self);
  g_mutex_unlock (&self->operation);
  return success;
}

static void
join_threads (HoloScheduler *self)
{
  for (guint i = 0; i < self->sections->len; i++)
    {
      HoloSection *section = _holo_scheduler_section (self, i);

      if (section->thread == NULL)
        continue;
      g_thread_join (g_steal_pointer (&section->thread));
      holo_runtime_observe (section);
    }
}

/* An update that was asked for before the end is over before wait() returns, whoever joins its thread; it needs `operation`
 * itself. */
static void
join_update (HoloScheduler *self)
{
  GThread *thread;

  g_mutex_lock (&self->control);
  thread = g_steal_pointer (&self->update_thread);
  while (self->updating)
    g_cond_wait (&self->changed, &self->control);
  g_mutex_unlock (&self->control);
  if (thread != NULL)
    g_thread_join (thread);
}

/**
 * holo_scheduler_wait:
 * @scheduler: a scheduler
 * @error: return location
 *
 * Waits until the run has ended, and joins its threads. Returns at once when nothing was started. Not from inside a task.
 *
 * Returns: %FALSE when the run failed
 */
gboolean
holo_scheduler_wait (HoloScheduler *scheduler, GError **error)
{
  HoloScheduler *self = scheduler;
  gboolean success;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler), FALSE);

  g_mutex_lock (&self->control);
  while (self->state == HOLO_RUN_RUNNING)
    g_cond_wait (&self->changed, &self->control);
  holo_runtime_observe (self);
  g_mutex_unlock (&self->control);
  join_update (self);
  g_mutex_lock (&self->operation);
  join_threads (self);
  g_mutex_lock (&self->control);
  if (self->state == HOLO_RUN_ENDED)
    self->state = HOLO_RUN_IDLE;
  success = self->error == NULL;
  if (!success && error != NULL)
    *error = g_error_copy (self->error);
  g_mutex_unlock (&self->control);
  g_mutex_unlock (&self->operation);
  return success;
}

gboolean
holo_scheduler_is_running (HoloScheduler *scheduler)
{
  gboolean running;

  g_mutex_lock (&scheduler->control);
  running = scheduler->state == HOLO_RUN_RUNNING;
  g_mutex_unlock (&scheduler->control);
  return running;
}

/**
 * holo_scheduler_was_stopped:
 * @scheduler: a scheduler
 *
 * Returns: whether the current or last run was ended by holo_scheduler_stop() or by a task that said CANCELLED
 */
gboolean
holo_scheduler_was_stopped (HoloScheduler *scheduler)
{
  gboolean stopped;

  g_mutex_lock (&scheduler->control);
  stopped = scheduler->stop_requested;
  g_mutex_unlock (&scheduler->control);
  return stopped;
}

/* ---- stall ---- */

/* All sections have slept for want of each other for 5 s: say once who waits for whom. */
void
_holo_scheduler_check_stall (HoloScheduler *self)
{
  gint64 limit = g_get_monotonic_time () - 4 * G_USEC_PER_SEC;
  GString *text;

  g_mutex_lock (&self->control);
  for (guint i = 0; i < self->plan->sections->len; i++)
    {
      HoloSection *section = _holo_scheduler_section (self, i);

      if (__atomic_load_n (&section->finished, __ATOMIC_ACQUIRE))
        continue;
      if (__atomic_load_n (&section->sleep_kind, __ATOMIC_ACQUIRE) != 1
          || __atomic_load_n (&section->sleep_since, __ATOMIC_RELAXED) > limit)
        {
          g_mutex_unlock (&self->control);
          return;
        }
    }
  if (self->stall_reported)
    {
      g_mutex_unlock (&self->control);
      return;
    }
  self->stall_reported = TRUE;
  text = g_string_new ("nothing has moved for 5 seconds:");
  for (guint i = 0; i < self->plan->sections->len; i++)
    {
      HoloSection *section = _holo_scheduler_section (self, i);

      for (guint k = 0; k < section->n_parts && !section->finished; k++)
        if (section->parts[k].refused)
          g_string_append_printf (text, " %s waits for \"%s\" to %s;", section->name,
                                  holo_task_get_node_name (section->parts[k].task),
                                  section->parts[k].type == HOLO_PART_POP ? "give a frame" : "take a frame");
    }
  g_mutex_unlock (&self->control);
  g_message ("%s", text->str);
  g_string_free (text, TRUE);
}
