/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the nodes of a section finish, and with them those that depend on them or work only for them; and how they come
 * back. */
#include "runtime/holo-section-phases.h"

#include "runtime/holo-runtime-hooks.h"

static gboolean
all_consumers_finished (const HoloPart *part)
{
  for (guint i = 0; i < part->n_to; i++)
    if (!part->to[i]->finished)
      return FALSE;
  return TRUE;
}

void
_holo_boundary_end_input (HoloBoundary *boundary)
{
  if (__atomic_exchange_n (&boundary->input_ended, 1, __ATOMIC_ACQ_REL))
    return;
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
  holo_runtime_before_call (HOLO_TASK (boundary->task), HOLO_RUNTIME_END_OF_INPUT, NULL, 0, 0);
  holo_async_task_end_of_input (boundary->task);
  holo_runtime_after_call (HOLO_TASK (boundary->task), HOLO_RUNTIME_END_OF_INPUT, NULL, 0, 0, HOLO_OP_OK);
  if (boundary->consumer != NULL)
    _holo_waiter_notify (boundary->consumer);
}

void
_holo_boundary_end_output (HoloBoundary *boundary)
{
  if (__atomic_load_n (&boundary->output_ended, __ATOMIC_ACQUIRE))
    return;
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
  holo_runtime_before_call (HOLO_TASK (boundary->task), HOLO_RUNTIME_END_OF_OUTPUT, NULL, 0, 0);
  holo_async_task_end_of_output (boundary->task);
  holo_runtime_after_call (HOLO_TASK (boundary->task), HOLO_RUNTIME_END_OF_OUTPUT, NULL, 0, 0, HOLO_OP_OK);
  __atomic_store_n (&boundary->output_ended, 1, __ATOMIC_RELEASE);
  if (boundary->producer != NULL)
    _holo_waiter_notify (boundary->producer);
}

/* A part finishes once, and with it whoever needs its output and whoever only worked for it. */
void
_holo_section_finish_part (HoloSection *section, HoloPart *part, gboolean lost_input)
{
  if (part->finished)
    return;
  part->finished = TRUE;
  part->finished_in = section->iteration;
  part->lost_input = lost_input;
  if (part->type == HOLO_PART_PUSH)
    _holo_boundary_end_input (part->boundary);
  else if (part->type == HOLO_PART_POP)
    _holo_boundary_end_output (part->boundary);
  for (guint i = 0; i < part->n_to; i++)
    _holo_section_finish_part (section, part->to[i], TRUE);
  for (guint i = 0; i < part->n_from; i++)
    if (!part->from[i]->finished && all_consumers_finished (part->from[i]))
      _holo_section_finish_part (section, part->from[i], FALSE);
}

gboolean
_holo_section_all_finished (HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    if (!section->parts[i].finished)
      return FALSE;
  return TRUE;
}

/* Consumers behind our asynchronous nodes may have ended. */
void
_holo_section_check_ended_outputs (HoloSection *section)
{
  for (guint i = 0; i < section->n_pushes; i++)
    if (!section->pushes[i].finished
        && __atomic_load_n (&section->pushes[i].boundary->output_ended, __ATOMIC_ACQUIRE))
      _holo_section_finish_part (section, &section->pushes[i], FALSE);
}

static void
revive_part (HoloPart *part)
{
  part->finished = part->lost_input = part->refused = FALSE;
  part->backoff = part->next_try = 0;
}

/* What gets nothing any more, or still has no reader, has not come back for long. */
static void
finish_again (HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    for (guint k = 0; k < section->parts[i].n_from; k++)
      if (section->parts[i].from[k]->finished)
        _holo_section_finish_part (section, &section->parts[i], TRUE);
  _holo_section_check_ended_outputs (section);
}

void
_holo_section_revive (HoloSection *section, const gboolean *nodes)
{
  for (guint i = 0; i < section->n_parts; i++)
    {
      HoloPart *part = &section->parts[i];

      if (!part->finished || (nodes != NULL ? !nodes[part->node] : part->lost_input))
        continue;
      if (nodes == NULL && part->type == HOLO_PART_PUSH
          && __atomic_load_n (&part->boundary->output_ended, __ATOMIC_ACQUIRE))
        continue;
      /* A pop that finished by itself (EOF) has told its task so; only a flush undoes that. */
      if (nodes == NULL && part->type == HOLO_PART_POP)
        continue;
      revive_part (part);
      if (part->type == HOLO_PART_PUSH)
        __atomic_store_n (&part->boundary->input_ended, 0, __ATOMIC_RELEASE);
    }
  finish_again (section);
  if (!_holo_section_all_finished (section) && __atomic_exchange_n (&section->finished, 0, __ATOMIC_ACQ_REL))
    _holo_scheduler_section_revived (section->scheduler, section);
}

void
_holo_section_check_revive (HoloSection *section)
{
  if ((__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & HOLO_REQUEST_REVIVE) == 0)
    return;
  _holo_section_clear_request (section, HOLO_REQUEST_REVIVE);
  _holo_section_revive (section, NULL);
  section->reacquire = TRUE;
}
