/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the nodes of a section finish, and with them those that depend on them or work only for them; and how they come
 * back. */
#include "runtime/holo-section-phases.h"

#include "device/holo-runtime-hooks.h"

static gboolean
all_consumers_finished (const HoloPart *part)
{
  for (guint i = 0; i < part->n_to; i++)
    if (!part->to[i]->finished)
      return FALSE;
  return TRUE;
}

/* A part finishes once, and with it whoever needs its output and whoever only worked for it. */
void
_holo_section_finish_part (HoloSection *section, HoloPart *part, HoloFinish why)
{
  if (part->finished)
    return;
  part->finished = why;
  part->finished_in = section->iteration;
  if (why == HOLO_FINISHED_NO_READER)
    g_atomic_int_set (&section->owner->has_unread, TRUE);
  if (part->type == HOLO_PART_PUSH)
    _holo_boundary_end_input (part->boundary);
  else if (part->type == HOLO_PART_POP)
    _holo_boundary_end_output (part->boundary);
  for (guint i = 0; i < part->n_to; i++)
    _holo_section_finish_part (section, part->to[i], HOLO_FINISHED_NO_INPUT);
  for (guint i = 0; i < part->n_from; i++)
    if (!part->from[i]->finished && all_consumers_finished (part->from[i]))
      _holo_section_finish_part (section, part->from[i], HOLO_FINISHED_NO_READER);
}

/* What it made for others is theirs to have first. */
gboolean
_holo_section_all_finished (HoloSection *section)
{
  if (section->has_pending)
    return FALSE;
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
    if (!section->pushes[i].finished && _holo_part_is_unread (&section->pushes[i]))
      _holo_section_finish_part (section, &section->pushes[i], HOLO_FINISHED_NO_READER);
}

static gboolean
lacks_input (const HoloPart *part)
{
  for (guint i = 0; i < part->n_from; i++)
    if (part->from[i]->finished)
      return TRUE;
  return FALSE;
}

static gboolean
has_no_reader (const HoloPart *part, gboolean beyond)
{
  if (part->type == HOLO_PART_PUSH)
    return beyond && _holo_part_is_unread (part);
  return part->n_to > 0 && all_consumers_finished (part);
}

gboolean
_holo_section_close_ends (HoloSection *section, gboolean beyond)
{
  gboolean any = FALSE;

  for (guint i = 0; i < section->n_parts; i++)
    {
      HoloPart *part = &section->parts[i];
      gboolean no_input = lacks_input (part);

      if (part->finished || !(no_input || has_no_reader (part, beyond)))
        continue;
      _holo_section_finish_part (section, part, no_input ? HOLO_FINISHED_NO_INPUT : HOLO_FINISHED_NO_READER);
      any = TRUE;
    }
  return any;
}

/* After a flush: what gets nothing any more, or still has no reader, has not come back for long. */
void
_holo_section_revive (HoloSection *section, const gboolean *nodes)
{
  for (guint i = 0; i < section->n_parts; i++)
    {
      HoloPart *part = &section->parts[i];

      /* what had ended for want of readers comes back with them, or they would have no input */
      if (!part->finished || (!nodes[part->node] && part->finished != HOLO_FINISHED_NO_READER))
        continue;
      part->finished = HOLO_UNFINISHED;
      part->refused = FALSE;
      part->backoff = part->next_try = 0;
    }
  while (_holo_section_close_ends (section, TRUE))
    ;
  if (!_holo_section_all_finished (section) && __atomic_exchange_n (&section->finished, 0, __ATOMIC_ACQ_REL))
    section->owner->klass->section_revived (section->owner);
}
