/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "runtime/holo-runner-drain.h"

#include "device/holo-runtime-hooks.h"

/* ---- what has to be empty ---- */

/* The frame of an Input lies in its end, not in its task: it stays if the new task takes it. */
gboolean
_holo_drain_takes_same (HoloPlan *plan, const HoloPlanNode *node)
{
  guint index;
  const HoloPlanNode *next = holo_plan_find_node (plan, node->name, &index) ? _holo_plan_node (plan, index) : NULL;

  return next != NULL && g_str_equal (next->kind, node->kind) &&
         holo_tensor_desc_equal (holo_inference_get_output_desc (&next->inference, 0),
                                 holo_inference_get_output_desc (&node->inference, 0));
}

static gboolean
goes (HoloDrain *drain, guint index)
{
  const HoloPlanNode *node = _holo_plan_node (drain->bound->plan, index);
  const HoloBoundary *boundary = drain->bound->boundaries[index];

  if (boundary == NULL || boundary->is_output || _holo_plan_has_task (drain->next, node->task))
    return FALSE; /* what an Output holds its end keeps */
  return !boundary->is_input || !_holo_drain_takes_same (drain->next, node);
}

void
_holo_drain_init (HoloDrain *drain, HoloRunner *runner, HoloBound *bound, HoloPlan *next)
{
  *drain = (HoloDrain){ .runner = runner, .bound = bound, .next = next };
  drain->goes = g_new0 (gboolean, bound->n_nodes + 1);
  drain->resting = g_new0 (gboolean, bound->n_sections + 1);
  drain->discarded = g_new0 (guint64, bound->n_nodes + 1);
  for (guint i = 0; i < bound->n_nodes; i++)
    {
      drain->goes[i] = goes (drain, i);
      drain->discarded[i] = holo_task_get_discarded (_holo_plan_node (bound->plan, i)->task);
    }
}

void
_holo_drain_clear (HoloDrain *drain)
{
  g_free (drain->goes);
  g_free (drain->discarded);
  g_free (drain->resting);
}

/* ---- how long ---- */

static guint64
load (const guint64 *counter)
{
  return __atomic_load_n (counter, __ATOMIC_RELAXED);
}

/* Calls of asynchronous tasks that were successful. */
static guint64
count_progress (HoloBound *bound)
{
  guint64 sum = 0;

  for (guint i = 0; i < bound->n_nodes; i++)
    if (bound->boundaries[i] != NULL)
      sum += load (&bound->records[i]->counters[HOLO_PART_POP].calls) +
             load (&bound->records[i]->counters[HOLO_PART_PUSH].calls);
  return sum;
}

static void
renew_deadline (HoloDrain *drain)
{
  gint64 limit = drain->runner->drain_limit;

  drain->progress = count_progress (drain->bound);
  drain->deadline = limit >= 0 ? g_get_monotonic_time () + limit : 0;
}

/* With control. */
static gboolean
is_called_off (HoloDrain *drain)
{
  return !_holo_owner_is_running (&drain->runner->owner) || drain->runner->n_flushes != drain->n_flushes;
}

/* Until something changes, for as long as calls succeed. With control. */
static void
wait_for_progress (HoloDrain *drain)
{
  HoloRunner *runner = drain->runner;

  if (is_called_off (drain))
    drain->is_over = TRUE;
  else if (drain->deadline == 0)
    g_cond_wait (&runner->changed, &runner->control);
  else if (!g_cond_wait_until (&runner->changed, &runner->control, drain->deadline))
    {
      if (count_progress (drain->bound) == drain->progress)
        drain->is_over = TRUE;
      else
        renew_deadline (drain);
    }
}

/* ---- the section before ---- */

/* Its driver leaves once what was made for the tasks that go is in them; if nobody drives it that is done here. */
static void
rest_producer (HoloDrain *drain, gint index)
{
  HoloSection *section = index >= 0 ? drain->bound->sections[index] : NULL;
  g_autoptr (GError) error = NULL;

  if (section == NULL || drain->resting[index])
    return;
  _holo_section_request (section, HOLO_REQUEST_REST | HOLO_REQUEST_DELIVER);
  g_cancellable_cancel (section->memory_cancellable);
  _holo_runner_lock (drain->runner);
  while (!drain->is_over && !g_mutex_trylock (&section->role))
    wait_for_progress (drain);
  _holo_runner_unlock (drain->runner);
  drain->resting[index] = TRUE;
  if (drain->is_over)
    {
      /* what does not go in is kept, and discarded with the task */
      _holo_section_clear_request (section, HOLO_REQUEST_DELIVER);
      _holo_waiter_notify (&section->worker.waiter);
      g_mutex_lock (&section->role);
      holo_runtime_observe (section);
      return;
    }
  holo_runtime_observe (section);
  if (!_holo_section_deliver_drained (section, drain->deadline, &error))
    drain->is_over = error == NULL;
  if (error != NULL)
    _holo_owner_fail (&drain->runner->owner, g_steal_pointer (&error));
}

/* ---- one task ---- */

static gboolean
is_drained (HoloBoundary *boundary)
{
  return __atomic_load_n (&boundary->drained, __ATOMIC_ACQUIRE) ||
         __atomic_load_n (&boundary->output_ended, __ATOMIC_ACQUIRE);
}

static void
drain_node (HoloDrain *drain, guint index)
{
  const HoloPlanNode *node = _holo_plan_node (drain->bound->plan, index);
  HoloBoundary *boundary = drain->bound->boundaries[index];

  holo_runtime_count_state (HOLO_RUNTIME_STATE_DRAIN);
  if (holo_runtime_mutant != HOLO_RUNTIME_MUTANT_DRAIN_FINISHES)
    __atomic_store_n (&boundary->draining, 1, __ATOMIC_RELEASE);
  if (boundary->is_input)
    _holo_end_set_held (boundary->end, TRUE);
  rest_producer (drain, node->section_in);
  if (drain->is_over || boundary->consumer_section == NULL)
    return;
  if (!boundary->is_input) /* which ends by being held */
    _holo_boundary_end_input (boundary);
  _holo_waiter_notify (&boundary->consumer_section->worker.waiter);
  _holo_runner_lock (drain->runner);
  renew_deadline (drain);
  while (!drain->is_over && !is_drained (boundary))
    wait_for_progress (drain);
  _holo_runner_unlock (drain->runner);
}

/* ---- in which order ---- */

static void
visit (HoloDrain *drain, guint section_index, gboolean *seen, GArray *order)
{
  const HoloPlanSection *section = _holo_plan_section (drain->bound->plan, section_index);

  if (seen[section_index])
    return;
  seen[section_index] = TRUE;
  for (guint i = 0; i < section->pops->len; i++)
    {
      guint node = g_array_index (section->pops, guint, i);
      gint before = _holo_plan_node (drain->bound->plan, node)->section_in;

      if (before >= 0)
        visit (drain, (guint) before, seen, order);
      if (drain->goes[node])
        g_array_append_val (order, node);
    }
}

/* A task after all that could still send frames to the section before it. */
static GArray *
order_nodes (HoloDrain *drain)
{
  GArray *order = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree gboolean *seen = g_new0 (gboolean, drain->bound->n_sections + 1);

  for (guint i = 0; i < drain->bound->n_sections; i++)
    visit (drain, i, seen, order);
  return order;
}

void
_holo_drain_run (HoloDrain *drain)
{
  g_autoptr (GArray) order = order_nodes (drain);

  if (holo_runtime_mutant == HOLO_RUNTIME_MUTANT_SKIP_DRAIN)
    return;
  _holo_runner_lock (drain->runner);
  drain->n_flushes = drain->runner->n_flushes;
  drain->is_over = is_called_off (drain);
  renew_deadline (drain);
  _holo_runner_unlock (drain->runner);
  for (guint i = 0; i < order->len && !drain->is_over; i++)
    drain_node (drain, g_array_index (order, guint, i));
}

/* ---- afterwards ---- */

void
_holo_drain_undo (HoloDrain *drain)
{
  for (guint i = 0; i < drain->bound->n_nodes; i++)
    {
      HoloBoundary *boundary = drain->bound->boundaries[i];

      if (!drain->goes[i] || !__atomic_load_n (&boundary->draining, __ATOMIC_ACQUIRE))
        continue;
      if (__atomic_exchange_n (&boundary->input_ended, 0, __ATOMIC_ACQ_REL))
        holo_task_reset (HOLO_TASK (boundary->task), NULL); /* empty; it forgets that its input had ended */
      __atomic_store_n (&boundary->draining, 0, __ATOMIC_RELEASE);
      __atomic_store_n (&boundary->drained, 0, __ATOMIC_RELEASE);
      if (boundary->is_input)
        _holo_end_set_held (boundary->end, FALSE);
    }
}

guint64
_holo_drain_discard (HoloDrain *drain)
{
  guint64 n = 0;

  for (guint i = 0; i < drain->bound->n_nodes; i++)
    {
      HoloBoundary *boundary = drain->bound->boundaries[i];
      HoloTask *task = boundary != NULL ? HOLO_TASK (boundary->task) : NULL;

      if (task == NULL || _holo_plan_has_task (drain->next, task))
        continue;
      if (drain->goes[i] && boundary->is_input)
        holo_task_add_discarded (task, _holo_end_drop (boundary->end));
      else if (drain->goes[i])
        {
          _holo_boundary_end_input (boundary);
          _holo_boundary_end_output (boundary);
        }
      holo_task_add_discarded (task, _holo_boundary_drop_kept (boundary));
      n += holo_task_get_discarded (task) - drain->discarded[i];
    }
  return n;
}
