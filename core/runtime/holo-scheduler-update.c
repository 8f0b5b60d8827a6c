/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changing a running graph: sections park upstream first, holding nothing; the new plan takes over; they go on. */
#include "holo-error.h"
#include "holo-private.h"
#include "runtime/holo-runtime-hooks.h"
#include "runtime/holo-scheduler-private.h"

typedef struct
{
  HoloPlan *plan;
  HoloSchedulerUpdatedFunc func;
  gpointer data;
} Update;

/* ---- parking ---- */

/* Sections in the order in which frames pass them. */
static void
visit_section (HoloScheduler *self, guint index, gboolean *seen, GArray *order)
{
  const HoloPlanSection *section = _holo_plan_section (self->plan, index);

  if (seen[index])
    return;
  seen[index] = TRUE;
  for (guint i = 0; i < section->pops->len; i++)
    {
      gint before = _holo_plan_node (self->plan, g_array_index (section->pops, guint, i))->section_in;

      if (before >= 0)
        visit_section (self, (guint) before, seen, order);
    }
  g_array_append_val (order, index);
}

static GArray *
order_sections (HoloScheduler *self)
{
  GArray *order = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree gboolean *seen = g_new0 (gboolean, self->plan->sections->len + 1);

  for (guint i = 0; i < self->plan->sections->len; i++)
    visit_section (self, i, seen, order);
  return order;
}

static gboolean
plan_has_task (HoloPlan *plan, HoloTask *task)
{
  for (guint i = 0; i < plan->nodes->len; i++)
    if (_holo_plan_node (plan, i)->task == task)
      return TRUE;
  return FALSE;
}

/* Whether every asynchronous task the section takes from lives on, so that what it holds may stay there. */
static gboolean
keeps_contents (HoloScheduler *self, HoloSection *section, HoloPlan *next)
{
  for (guint i = 0; i < section->n_pops; i++)
    if (!plan_has_task (next, section->pops[i].task))
      return FALSE;
  return TRUE;
}

static gboolean
holds_nothing (HoloSection *section)
{
  for (guint i = 0; i < section->n_pops; i++)
    if (section->phase != HOLO_PHASE_IDLE && section->pops[i].done)
      return FALSE;
  return section->phase <= HOLO_PHASE_POP;
}

/* Returns with the role held and the section between two iterations. */
static void
park (HoloScheduler *self, HoloSection *section, HoloPlan *next)
{
  gint request = HOLO_REQUEST_PARK;
  HoloOpResult result = HOLO_OP_OK;

  if (section->n_pops > 0 && !keeps_contents (self, section, next))
    request |= HOLO_REQUEST_DRAIN;
  _holo_section_request (section, request);
  g_mutex_lock (&section->role);
  holo_runtime_observe (section);
  section->clock = g_get_monotonic_time () * 1000;
  /* Callers drive only when they have something to bring: what is left is done here. */
  while (result == HOLO_OP_OK
         && (!holds_nothing (section) || ((request & HOLO_REQUEST_DRAIN) && !holo_section_is_finished (section))))
    {
      g_autoptr (GError) error = NULL;

      result = _holo_section_run (section, TRUE, NULL, &error);
      if (result == HOLO_OP_ERROR)
        _holo_scheduler_fail (self, g_steal_pointer (&error));
    }
  if (section->uses_device)
    holo_stream_synchronize (section->stream, NULL);
  _holo_section_abort (section, FALSE);
}

/* ---- swapping ---- */

/* What outlives an exchange, by "node/type": whether a part has finished, as its node has then finished in the new plan
 * too, and its numbers, which count from the start of the run. */
typedef struct
{
  gboolean finished;
  HoloCounters counters;
} Remembered;

static gchar *
part_key (HoloScheduler *self, const HoloPart *part)
{
  return g_strdup_printf ("%s/%d", _holo_plan_node (self->plan, part->node)->name, part->type);
}

static GHashTable *
remember_parts (HoloScheduler *self)
{
  GHashTable *parts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (guint i = 0; i < self->plan->sections->len; i++)
    {
      HoloSection *section = _holo_scheduler_section (self, i);

      for (guint k = 0; k < section->n_parts; k++)
        {
          const HoloPart *part = &section->parts[k];
          Remembered remembered = { part->finished, part->counters };

          g_hash_table_insert (parts, part_key (self, part), g_memdup2 (&remembered, sizeof remembered));
        }
    }
  return parts;
}

static void
restore_parts (HoloScheduler *self, GHashTable *parts)
{
  for (guint i = 0; i < self->plan->sections->len; i++)
    {
      HoloSection *section = _holo_scheduler_section (self, i);

      for (guint k = 0; k < section->n_parts; k++)
        {
          HoloPart *part = &section->parts[k];
          g_autofree gchar *key = part_key (self, part);
          const Remembered *remembered = g_hash_table_lookup (parts, key);

          part->finished = remembered != NULL && remembered->finished;
          if (remembered != NULL)
            part->counters = remembered->counters;
        }
    }
}

/* An asynchronous task that is new stands between a side that has ended and one that has not heard of it. */
static void
pass_on_ends (HoloScheduler *self)
{
  for (guint i = 0; i < self->plan->sections->len; i++)
    {
      HoloSection *section = _holo_scheduler_section (self, i);

      for (guint k = 0; k < section->n_pushes; k++)
        if (section->pushes[k].finished)
          _holo_boundary_end_input (section->pushes[k].boundary);
      for (guint k = 0; k < section->n_pops; k++)
        if (section->pops[k].finished)
          _holo_boundary_end_output (section->pops[k].boundary);
    }
}

/* Tasks that are gone complete their work as at the end of a run. */
static void
finish_replaced (HoloScheduler *self, HoloPlan *next)
{
  for (guint i = 0; i < self->n_nodes; i++)
    {
      const HoloPlanNode *node = _holo_plan_node (self->plan, i);
      g_autoptr (GError) error = NULL;

      if (!plan_has_task (next, node->task) && !holo_task_finish (node->task, HOLO_OP_EOF, &error))
        holo_task_log (node->task, G_LOG_LEVEL_MESSAGE, "could not complete its work: %s", error->message);
    }
}

/* New sections are driven as the old ones were. */
static void
choose_drivers (HoloScheduler *self, guint n_before)
{
  gboolean all = TRUE;

  for (guint i = 0; i < n_before; i++)
    all &= _holo_scheduler_section (self, i)->caller_driven;
  for (guint i = n_before; i < self->sections->len; i++)
    _holo_scheduler_section (self, i)->caller_driven = all && n_before > 0;
}

static void
swap (HoloScheduler *self, HoloPlan *next)
{
  g_autoptr (GHashTable) parts = remember_parts (self);
  guint n_before = self->sections->len;
  guint n_unfinished = 0;

  finish_replaced (self, next);
  g_rw_lock_writer_lock (&self->binding);
  _holo_scheduler_unbind (self);
  _holo_plan_commit (next);
  _holo_scheduler_bind (self, next);
  restore_parts (self, parts);
  choose_drivers (self, n_before);
  g_rw_lock_writer_unlock (&self->binding);
  __atomic_fetch_add (&_holo_awake_sections, (gint) next->sections->len - self->n_counted, __ATOMIC_RELAXED);
  self->n_counted = (gint) next->sections->len;
  pass_on_ends (self);
  for (guint i = 0; i < self->sections->len; i++)
    {
      HoloSection *section = _holo_scheduler_section (self, i);
      gboolean finished = section->plan == NULL || _holo_section_all_finished (section);

      n_unfinished += !finished;
      __atomic_store_n (&section->finished, finished, __ATOMIC_RELEASE);
    }
  g_mutex_lock (&self->control);
  self->n_unfinished = n_unfinished;
  g_mutex_unlock (&self->control);
}

/* Applications keep their frames while an exchange is on its way, so that a drain comes to an end. */
static void
hold_inputs (HoloScheduler *self, gboolean hold)
{
  for (guint i = 0; i < self->n_nodes; i++)
    if (self->boundaries[i] != NULL && self->boundaries[i]->is_input)
      __atomic_store_n (&self->boundaries[i]->end_held, hold, __ATOMIC_RELEASE);
  for (guint i = 0; i < self->n_nodes && !hold; i++)
    if (self->boundaries[i] != NULL)
      _holo_waiter_notify (&self->boundaries[i]->end);
  for (guint i = 0; i < self->kept_boundaries->len && !hold; i++)
    {
      HoloBoundary *gone = self->kept_boundaries->pdata[i];

      __atomic_store_n (&gone->end_held, FALSE, __ATOMIC_RELEASE);
      _holo_waiter_notify (&gone->end);
    }
}

static void
let_go (HoloScheduler *self, guint n_parked)
{
  for (guint i = 0; i < n_parked; i++)
    {
      HoloSection *section = _holo_scheduler_section (self, i);

      holo_runtime_publish (section);
      _holo_section_clear_request (section, HOLO_REQUEST_PARK | HOLO_REQUEST_DRAIN);
      g_mutex_unlock (&section->role);
    }
  g_mutex_lock (&self->control);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->control);
  for (guint i = 0; i < self->sections->len; i++)
    if (_holo_scheduler_section (self, i)->thread == NULL && !_holo_scheduler_section (self, i)->caller_driven
        && _holo_scheduler_section (self, i)->plan != NULL)
      _holo_scheduler_start_thread (self, _holo_scheduler_section (self, i));
}

/* Takes `operation` and joins the run; FALSE when there is none. A run that is ending takes nobody in, but its sections are
 * still at work: its end is waited for, without `operation`, which those who are told of the end may need. */
static gboolean
enter_or_wait_for_end (HoloScheduler *self)
{
  for (;;)
    {
      g_mutex_lock (&self->operation);
      if (_holo_scheduler_enter (self))
        return TRUE;
      if (!holo_scheduler_is_running (self))
        {
          holo_runtime_observe (self);
          return FALSE;
        }
      g_mutex_unlock (&self->operation);
      g_mutex_lock (&self->control);
      while (self->state == HOLO_RUN_RUNNING)
        g_cond_wait (&self->changed, &self->control);
      g_mutex_unlock (&self->control);
    }
}

/* FALSE when the run ended meanwhile, which parking itself may bring about: nothing was exchanged then. */
static gboolean
exchange_running (HoloScheduler *self, HoloPlan *plan)
{
  g_autoptr (GArray) order = order_sections (self);
  guint n_parked = self->plan->sections->len;
  gboolean swapped;

  hold_inputs (self, TRUE);
  for (guint i = 0; i < order->len; i++)
    park (self, _holo_scheduler_section (self, g_array_index (order, guint, i)), plan);
  swapped = !_holo_scheduler_is_stopping (self);
  if (swapped)
    swap (self, plan);
  let_go (self, n_parked);
  hold_inputs (self, FALSE);
  return swapped;
}

/* The next start takes the new plan. */
static void
exchange_at_rest (HoloScheduler *self, HoloPlan *plan)
{
  g_rw_lock_writer_lock (&self->binding);
  _holo_scheduler_unbind (self);
  _holo_plan_commit (plan);
  _holo_scheduler_bind (self, plan);
  g_rw_lock_writer_unlock (&self->binding);
}

static void
run_update (HoloScheduler *self, HoloPlan *plan)
{
  gboolean exchanged = FALSE;

  while (!exchanged && enter_or_wait_for_end (self))
    {
      exchanged = exchange_running (self, plan);
      g_mutex_unlock (&self->operation); /* whoever leaves last tells of the end */
      _holo_scheduler_leave (self);
    }
  if (exchanged)
    return;
  exchange_at_rest (self, plan);
  g_mutex_unlock (&self->operation);
}

static gpointer
update_thread (gpointer data)
{
  HoloScheduler *self = data;

  for (;;)
    {
      g_autoptr (GError) error = NULL;
      Update *update;

      g_mutex_lock (&self->control);
      update = g_queue_pop_head (&self->updates);
      if (update == NULL)
        {
          self->updating = FALSE;
          g_cond_broadcast (&self->changed);
          g_mutex_unlock (&self->control);
          return NULL;
        }
      g_mutex_unlock (&self->control);
      if (update->plan->compiled_from == self->plan)
        run_update (self, update->plan);
      else
        g_set_error (&error, HOLO_ERROR, HOLO_ERROR_STATE,
                     "the plan was compiled beside another plan than the one that runs now; compile it again");
      if (update->func != NULL)
        update->func (self, error, update->data);
      holo_plan_unref (update->plan);
      g_free (update);
    }
}

/**
 * holo_scheduler_update:
 * @scheduler: a scheduler
 * @plan: a plan compiled with the scheduler's current plan as previous
 * @func: (nullable): told when it is done, in a thread of the scheduler
 * @user_data: for @func
 *
 * Changes to @plan without ending the run. Asynchronous tasks that both plans share keep what they hold; what others hold is
 * passed on first. Sections are told apart by their number. When the run ends meanwhile the next one has the new plan. Returns
 * at once.
 */
void
holo_scheduler_update (HoloScheduler *scheduler, HoloPlan *plan, HoloSchedulerUpdatedFunc func, gpointer user_data)
{
  Update *update;
  GThread *old = NULL;

  g_return_if_fail (HOLO_IS_SCHEDULER (scheduler) && plan != NULL && plan->runnable);

  update = g_new (Update, 1);
  *update = (Update) { holo_plan_ref (plan), func, user_data };
  g_mutex_lock (&scheduler->control);
  g_queue_push_tail (&scheduler->updates, update);
  if (!scheduler->updating)
    {
      scheduler->updating = TRUE;
      old = scheduler->update_thread;
      scheduler->update_thread = g_thread_new ("holo-update", update_thread, scheduler);
    }
  g_mutex_unlock (&scheduler->control);
  if (old != NULL)
    g_thread_join (old); /* it has said that it is through */
}
