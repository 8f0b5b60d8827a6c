/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flush: drops everything that came from an Input, without ending the run, and brings back what had finished. */
#include "holo-error.h"
#include "holo-private.h"
#include "runtime/holo-runtime-hooks.h"
#include "runtime/holo-scheduler-private.h"
#include "tasks/holo-input.h"

typedef struct
{
  gboolean *nodes;    /* by node: reachable from the Input, itself included */
  gboolean *sections; /* by section: holds a reachable node or side of one */
} Reach;

static void
mark (HoloScheduler *self, guint index, Reach *reach)
{
  const HoloPlanNode *node = _holo_plan_node (self->plan, index);

  if (reach->nodes[index])
    return;
  reach->nodes[index] = TRUE;
  if (node->section_out >= 0)
    reach->sections[node->section_out] = TRUE;
  if (node->section_in >= 0)
    reach->sections[node->section_in] = TRUE;
  for (guint o = 0; o < node->n_outputs; o++)
    {
      GArray *consumers = _holo_plan_tensor (self->plan, node->outputs[o])->consumers;

      for (guint i = 0; i < consumers->len; i++)
        mark (self, g_array_index (consumers, HoloPlanPort, i).node, reach);
    }
}

static void
find_reach (HoloScheduler *self, guint input, Reach *reach)
{
  reach->nodes = g_new0 (gboolean, self->n_nodes + 1);
  reach->sections = g_new0 (gboolean, self->plan->sections->len + 1);
  mark (self, input, reach);
}

static void
clear_reach (Reach *reach)
{
  g_free (reach->nodes);
  g_free (reach->sections);
}

void
_holo_scheduler_section_revived (HoloScheduler *self, HoloSection *section)
{
  g_mutex_lock (&self->control);
  self->n_unfinished++;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->control);
}

/* ---- flush ---- */

/**
 * holo_scheduler_flush_start:
 * @scheduler: a scheduler
 * @input: number of an Input
 *
 * From now on everything reachable from @input refuses to wait: pushes, pulls and iterations return FLUSHED. Returns at
 * once; does nothing when nothing runs.
 */
void
holo_scheduler_flush_start (HoloScheduler *scheduler, guint input)
{
  HoloScheduler *self = scheduler;
  Reach reach;

  g_return_if_fail (_holo_scheduler_get_end (self, input, TRUE) != NULL);

  g_rw_lock_reader_lock (&self->binding); /* an exchange may be under way */
  find_reach (self, input, &reach);
  for (guint i = 0; i < self->n_nodes; i++)
    if (reach.nodes[i] && self->boundaries[i] != NULL && (i == input || self->boundaries[i]->is_output))
      {
        __atomic_store_n (&self->boundaries[i]->end_flushing, 1, __ATOMIC_RELEASE);
        _holo_waiter_notify (&self->boundaries[i]->end);
      }
  for (guint i = 0; i < self->plan->sections->len; i++)
    if (reach.sections[i])
      {
        _holo_section_request (_holo_scheduler_section (self, i), HOLO_REQUEST_FLUSH);
        g_cancellable_cancel (_holo_scheduler_section (self, i)->cancellable);
      }
  g_rw_lock_reader_unlock (&self->binding);
  clear_reach (&reach);
}

static gboolean
reset_reached (HoloScheduler *self, const Reach *reach, GError **error)
{
  for (guint i = 0; i < self->n_nodes; i++)
    {
      const HoloPlanNode *node = _holo_plan_node (self->plan, i);

      if (!reach->nodes[i])
        continue;
      if (!holo_task_reset (node->task, error))
        {
          g_prefix_error (error, "node \"%s\" (%s), reset: ", node->name, node->kind);
          return FALSE;
        }
      if (self->boundaries[i] != NULL)
        {
          __atomic_store_n (&self->boundaries[i]->input_ended, 0, __ATOMIC_RELEASE);
          __atomic_store_n (&self->boundaries[i]->output_ended, 0, __ATOMIC_RELEASE);
        }
    }
  return TRUE;
}

static void
let_go (HoloScheduler *self, const Reach *reach)
{
  for (guint i = 0; i < self->n_nodes; i++)
    if (reach->nodes[i] && self->boundaries[i] != NULL)
      __atomic_store_n (&self->boundaries[i]->end_flushing, 0, __ATOMIC_RELEASE);
  for (guint i = 0; i < self->plan->sections->len; i++)
    {
      HoloSection *section = _holo_scheduler_section (self, i);

      if (!reach->sections[i])
        continue;
      if (!_holo_scheduler_is_stopping (self))
        g_cancellable_reset (section->cancellable);
      _holo_section_clear_request (section, HOLO_REQUEST_FLUSH);
      g_mutex_unlock (&section->role);
    }
  g_mutex_lock (&self->control);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->control);
}

/**
 * holo_scheduler_flush_stop:
 * @scheduler: a scheduler
 * @input: number of the Input given to holo_scheduler_flush_start()
 * @error: return location
 *
 * Waits until no call is in progress and the device is idle, drops what is under way, resets every task reachable from
 * @input, brings back nodes that had finished, and lets go. When the run has ended meanwhile nothing is left to revive:
 * then wait and start it again.
 *
 * Returns: %FALSE when a task could not be reset; the run has then failed
 */
gboolean
holo_scheduler_flush_stop (HoloScheduler *scheduler, guint input, GError **error)
{
  HoloScheduler *self = scheduler;
  g_autoptr (GError) local_error = NULL;
  gboolean success;
  Reach reach;

  g_return_val_if_fail (_holo_scheduler_get_end (self, input, TRUE) != NULL, FALSE);

  if (!_holo_scheduler_enter (self))
    {
      g_rw_lock_reader_lock (&self->binding);
      find_reach (self, input, &reach);
      for (guint i = 0; i < self->n_nodes; i++)
        if (reach.nodes[i] && self->boundaries[i] != NULL)
          __atomic_store_n (&self->boundaries[i]->end_flushing, 0, __ATOMIC_RELEASE);
      g_rw_lock_reader_unlock (&self->binding);
      clear_reach (&reach);
      return TRUE;
    }
  g_mutex_lock (&self->operation);
  find_reach (self, input, &reach);
  for (guint i = 0; i < self->plan->sections->len; i++)
    {
      HoloSection *section = _holo_scheduler_section (self, i);

      if (!reach.sections[i])
        continue;
      g_mutex_lock (&section->role);
      holo_runtime_observe (section);
      if (section->uses_device)
        holo_stream_synchronize (section->stream, NULL);
      _holo_section_abort (section, TRUE);
    }
  success = reset_reached (self, &reach, &local_error);
  for (guint i = 0; i < self->plan->sections->len && success; i++)
    if (reach.sections[i])
      {
        _holo_section_revive (_holo_scheduler_section (self, i), reach.nodes);
        holo_runtime_publish (_holo_scheduler_section (self, i));
      }
  let_go (self, &reach);
  clear_reach (&reach);
  g_mutex_unlock (&self->operation);
  if (!success)
    {
      _holo_scheduler_fail (self, g_error_copy (local_error));
      g_propagate_error (error, g_steal_pointer (&local_error));
    }
  _holo_scheduler_leave (self);
  return success;
}
