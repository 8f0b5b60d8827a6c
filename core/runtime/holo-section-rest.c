/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What becomes of an iteration that will not go on: everything is given back or kept by the boundaries, so that a section rests
 * with empty hands. Nodes that have run are never run again for the same frames. */
#include "runtime/holo-section-phases.h"

#include "device/holo-runtime-hooks.h"

static void
end_of_fold (HoloSection *section)
{
  _holo_section_abort_slots (section);
  _holo_section_give_back (section, NULL);
  _holo_section_deliver_wakes (section);
  section->phase = HOLO_PHASE_IDLE;
  section->iteration++;
  _holo_section_forget_in_flight (section);
}

static void
uncount_pop (HoloPart *pop)
{
  _holo_counter_add (&pop->counters->calls, (guint64) -1);
  _holo_counter_add (&pop->counters->bytes, (guint64) -pop->bytes);
}

/* A frame in hand that is lost: it counts once, as discarded. */
static void
discard_pop (HoloPart *pop)
{
  uncount_pop (pop);
  holo_task_add_discarded (pop->task, 1);
}

/* ---- the end of a run ---- */

static gboolean
is_flushed_end (const HoloPart *pop)
{
  return pop->boundary->is_input && _holo_end_is_flushing (pop->boundary->end);
}

void
_holo_section_abort (HoloSection *section)
{
  if (section->phase == HOLO_PHASE_IDLE)
    return;
  for (guint i = 0; i < section->n_pops && section->phase > HOLO_PHASE_DELIVER; i++)
    if (section->pops[i].done && !is_flushed_end (&section->pops[i]))
      discard_pop (&section->pops[i]);
  if (section->phase > HOLO_PHASE_DELIVER)
    end_of_fold (section);
  section->phase = HOLO_PHASE_IDLE;
}

/* ---- keeping ---- */

/* A slot of the task's own, that it has given this time. */
static gboolean
can_unpop (const HoloPart *pop)
{
  if (HOLO_ASYNC_TASK_GET_CLASS (pop->task)->unpop == NULL)
    return FALSE;
  for (guint i = 0; i < pop->n_outputs; i++)
    if (!pop->output_owned[i] || pop->output_held[i])
      return FALSE;
  return TRUE;
}

static gboolean
reads_block (const HoloPart *push, const HoloBlock *block)
{
  for (guint i = 0; i < push->n_inputs; i++)
    if (push->views[i]->storage->block == block)
      return TRUE;
  return FALSE;
}

/* What another push brings further, or has brought, goes its own way: behind it the new plan may have it overwritten. */
static gboolean
shares_block (HoloSection *section, const HoloPart *push)
{
  for (guint k = 0; k < section->n_pushes; k++)
    for (guint i = 0; &section->pushes[k] != push && i < push->n_inputs; i++)
      if (push->views[i]->storage->block != NULL && reads_block (&section->pushes[k], push->views[i]->storage->block))
        return TRUE;
  return FALSE;
}

static gboolean
prepare_part (HoloSection *section, HoloPart *part, GError **error)
{
  gboolean is_pop = part->type == HOLO_PART_POP;

  part->held = _holo_held_frame_new (part->views, is_pop ? part->n_outputs : part->n_inputs,
                                     !is_pop && shares_block (section, part), section->device, error);
  if (part->held == NULL)
    g_prefix_error (error, "node \"%s\" (%s), memory for a frame under way: ", holo_task_get_node_name (part->task),
                    holo_task_get_kind (part->task));
  return part->held != NULL;
}

/* A popped frame that nobody has used: the task takes it back, or the boundary keeps it. */
static gboolean
return_frame (HoloSection *section, HoloPart *pop, GError **error)
{
  holo_runtime_count_state (HOLO_RUNTIME_STATE_RETURNED);
  if (pop->held == NULL)
    {
      holo_runtime_count_state (HOLO_RUNTIME_STATE_WINDOW_OUT);
      HOLO_ASYNC_TASK_GET_CLASS (pop->task)->unpop (HOLO_ASYNC_TASK (pop->task), &pop->pop);
      uncount_pop (pop);
      pop->done = FALSE;
      return TRUE;
    }
  for (guint i = 0; i < pop->n_outputs; i++)
    if (pop->output_owned[i])
      holo_runtime_count_state (HOLO_RUNTIME_STATE_WINDOW_OUT);
  if (!_holo_held_frame_fill (pop->held, pop->views, TRUE, section->device, section->stream, error) ||
      !_holo_section_release_part (section, pop, error))
    return FALSE;
  if (holo_runtime_mutant != HOLO_RUNTIME_MUTANT_LOSE_RETURNED)
    pop->boundary->returned = g_steal_pointer (&pop->held);
  uncount_pop (pop);
  pop->done = FALSE;
  return TRUE;
}

/* A frame that was made and is not taken yet. */
static gboolean
keep_frame (HoloSection *section, HoloPart *push, GError **error)
{
  holo_runtime_count_state (HOLO_RUNTIME_STATE_PENDING);
  if (!_holo_held_frame_fill (push->held, push->views, FALSE, section->device, section->stream, error))
    return FALSE;
  if (holo_runtime_mutant == HOLO_RUNTIME_MUTANT_LOSE_PENDING)
    return TRUE;
  push->boundary->pending = g_steal_pointer (&push->held);
  section->has_pending = TRUE;
  return TRUE;
}

/* ---- the fold ---- */

static gboolean
is_owed (const HoloPart *push)
{
  return !push->done && !push->finished;
}

static gboolean
is_kept (const HoloPart *pop)
{
  return pop->done && !pop->finished;
}

void
_holo_section_cancel_fold (HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    g_clear_pointer (&section->parts[i].held, _holo_held_frame_free);
}

static gboolean
prepare_pushes (HoloSection *section, GError **error)
{
  HoloOpResult result = _holo_section_push_pass (section, error);

  if (result == HOLO_OP_ERROR)
    return FALSE;
  _holo_section_end_wait (section);
  for (guint i = 0; i < section->n_pushes; i++)
    if (is_owed (&section->pushes[i]) && !prepare_part (section, &section->pushes[i], error))
      return FALSE;
  return TRUE;
}

gboolean
_holo_section_prepare_fold (HoloSection *section, GError **error)
{
  if (section->phase == HOLO_PHASE_PUSH)
    return prepare_pushes (section, error);
  if (section->phase != HOLO_PHASE_POP)
    return TRUE;
  for (guint i = 0; i < section->n_pops; i++)
    if (is_kept (&section->pops[i]) && !can_unpop (&section->pops[i]) &&
        !prepare_part (section, &section->pops[i], error))
      return FALSE;
  return TRUE;
}

static void
count_states (HoloSection *section)
{
  guint n_done = 0;

  for (guint i = 0; i < section->n_pops; i++)
    n_done += section->phase == HOLO_PHASE_POP && section->pops[i].done;
  if (n_done > 0 && n_done < section->n_pops)
    holo_runtime_count_state (HOLO_RUNTIME_STATE_HALF_JOIN);
  for (guint i = 0; i < section->n_slots && section->phase > HOLO_PHASE_DELIVER; i++)
    if (section->slots[i].acquired)
      {
        holo_runtime_count_state (HOLO_RUNTIME_STATE_SLOT_HELD);
        break;
      }
}

static gboolean
fold_pushes (HoloSection *section, GError **error)
{
  for (guint i = 0; i < section->n_pushes; i++)
    if (is_owed (&section->pushes[i]) && !keep_frame (section, &section->pushes[i], error))
      return FALSE;
  return _holo_section_end_iteration (section, error) != HOLO_OP_ERROR;
}

static gboolean
fold_pops (HoloSection *section, GError **error)
{
  _holo_section_count_discarded (section); /* for nodes that have finished the frame has come to its end */
  for (guint i = 0; i < section->n_pops; i++)
    if (is_kept (&section->pops[i]) && !return_frame (section, &section->pops[i], error))
      return FALSE;
  end_of_fold (section);
  return TRUE;
}

gboolean
_holo_section_fold (HoloSection *section, GError **error)
{
  gboolean success = TRUE;

  if (holo_runtime_mutant == HOLO_RUNTIME_MUTANT_SKIP_FOLD)
    {
      _holo_section_cancel_fold (section);
      end_of_fold (section);
      return TRUE;
    }
  count_states (section);
  switch (section->phase)
    {
    case HOLO_PHASE_IDLE:
    case HOLO_PHASE_DELIVER:
      section->phase = HOLO_PHASE_IDLE;
      break;
    case HOLO_PHASE_ACQUIRE:
      end_of_fold (section);
      break;
    case HOLO_PHASE_POP:
      success = fold_pops (section, error);
      break;
    case HOLO_PHASE_PUSH:
      success = fold_pushes (section, error);
      break;
    case HOLO_PHASE_EXECUTE: /* a task was called off by a stop or a flush, or has failed */
    case HOLO_PHASE_RELEASE:
    default:
      _holo_section_abort (section);
      break;
    }
  _holo_section_deliver_wakes (section);
  _holo_section_cancel_fold (section);
  _holo_section_forget_in_flight (section);
  return success;
}

/* ---- flush ---- */

/* Whether an iteration that has run its nodes may run again from the same frames, as far as they do not come from what is
 * flushed. */
static gboolean
may_run_again (HoloSection *section, const gboolean *nodes)
{
  for (guint i = 0; i < section->n_nodes; i++)
    if (section->nodes[i].done && !nodes[section->nodes[i].node] && section->nodes[i].stateful)
      return FALSE;
  for (guint i = 0; i < section->n_pushes; i++)
    if (section->pushes[i].done || !nodes[section->pushes[i].node])
      return FALSE;
  return TRUE;
}

/* What of the iteration is kept, and room for it. */
static gboolean
prepare_flushed (HoloSection *section, const gboolean *nodes, gboolean returns, GError **error)
{
  for (guint i = 0; i < section->n_pops && returns; i++)
    {
      HoloPart *pop = &section->pops[i];

      if (pop->done && !nodes[pop->node] && (section->phase == HOLO_PHASE_POP || !pop->overwritten) &&
          !can_unpop (pop) && !prepare_part (section, pop, error))
        return FALSE;
    }
  for (guint i = 0; i < section->n_pushes && section->phase == HOLO_PHASE_PUSH; i++)
    if (is_owed (&section->pushes[i]) && !nodes[section->pushes[i].node] &&
        !prepare_part (section, &section->pushes[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
fold_flushed_pop (HoloSection *section, HoloPart *pop, gboolean returns, GError **error)
{
  gboolean whole = section->phase == HOLO_PHASE_POP || !pop->overwritten;

  if (returns && whole)
    return return_frame (section, pop, error);
  if (holo_runtime_mutant == HOLO_RUNTIME_MUTANT_FLUSH_ALL)
    return TRUE;
  discard_pop (pop);
  return TRUE;
}

gboolean
_holo_section_fold_flushed (HoloSection *section, const gboolean *nodes, GError **error)
{
  gboolean returns = holo_runtime_mutant != HOLO_RUNTIME_MUTANT_FLUSH_ALL &&
                     (section->phase == HOLO_PHASE_POP || may_run_again (section, nodes));
  gboolean success = TRUE;

  if (section->phase <= HOLO_PHASE_DELIVER)
    {
      section->phase = HOLO_PHASE_IDLE;
      return TRUE;
    }
  count_states (section);
  success = prepare_flushed (section, nodes, returns, error);
  for (guint i = 0; i < section->n_pushes && success && section->phase == HOLO_PHASE_PUSH; i++)
    if (section->pushes[i].held != NULL)
      success = keep_frame (section, &section->pushes[i], error);
  for (guint i = 0; i < section->n_pops && success && section->phase >= HOLO_PHASE_POP; i++)
    if (section->pops[i].done && !nodes[section->pops[i].node])
      success = fold_flushed_pop (section, &section->pops[i], returns, error);
  _holo_section_cancel_fold (section);
  end_of_fold (section);
  return success;
}

/* ---- drain ---- */

/* Nobody drives the section: its last pushes are made here, asleep between refusals until @deadline (µs). */
gboolean
_holo_section_deliver_drained (HoloSection *section, gint64 deadline, GError **error)
{
  gboolean woken = TRUE;

  if (section->phase != HOLO_PHASE_PUSH)
    return TRUE;
  while (_holo_section_owes_to_drained (section) && woken &&
         _holo_section_check_requests (section, NULL, FALSE) == HOLO_OP_OK)
    {
      _holo_waiter_prepare (&section->worker.waiter, HOLO_WAITER_URGENT);
      section->clock = _holo_section_now ();
      if (_holo_section_push_pass (section, error) == HOLO_OP_ERROR)
        return FALSE;
      _holo_section_deliver_wakes (section);
      if (!_holo_section_owes_to_drained (section))
        break;
      woken = _holo_waiter_wait (&section->worker.waiter, deadline);
    }
  _holo_waiter_cancel (&section->worker.waiter);
  return !_holo_section_owes_to_drained (section);
}
