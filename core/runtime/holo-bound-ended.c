/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rule of what has ended: what ended by itself or for want of input has ended for good, what ended for want of readers comes
 * back with one, and a node put into an ended branch has ended. Kept by node over an exchange of plans; all roles are held. */
#include "runtime/holo-bound.h"

#include "device/holo-runtime-hooks.h"

static void
remember_section (HoloBound *bound, HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    bound->records[section->parts[i].node]->finished[section->parts[i].type] = section->parts[i].finished;
}

void
_holo_bound_remember_ended (HoloBound *bound)
{
  for (guint i = 0; i < bound->n_sections; i++)
    remember_section (bound, bound->sections[i]);
}

static HoloFinish
recall (const HoloNodeRecord *record, HoloPartType type)
{
  HoloFinish finished = record->finished[type];

  if (holo_runtime_mutant == HOLO_RUNTIME_MUTANT_FORGET_ENDED)
    return HOLO_UNFINISHED;
  if (finished != HOLO_UNFINISHED)
    holo_runtime_count_state (HOLO_RUNTIME_STATE_ENDED_BRANCH);
  if (finished == HOLO_FINISHED_NO_READER && holo_runtime_mutant != HOLO_RUNTIME_MUTANT_FORGET_UNREAD)
    return HOLO_UNFINISHED; /* comes back if it has a reader now; if not, it ends again below */
  return finished;
}

static void
recall_section (HoloBound *bound, HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    {
      HoloPart *part = &section->parts[i];

      part->finished = recall (bound->records[part->node], part->type);
    }
}

/* A task whose readers had all finished was told so, and is empty. It has a reader again. */
static void
revive_unread (HoloPart *pop)
{
  HoloBoundary *boundary = pop->boundary;

  if (pop->finished)
    return;
  if (boundary->is_input)
    {
      _holo_end_set_wanted (boundary->end);
      __atomic_store_n (&boundary->output_ended, 0, __ATOMIC_RELEASE);
      return;
    }
  if (!__atomic_load_n (&boundary->output_ended, __ATOMIC_ACQUIRE))
    return;
  if (!holo_task_reset (pop->task, NULL))
    return;
  __atomic_store_n (&boundary->output_ended, 0, __ATOMIC_RELEASE);
  __atomic_store_n (&boundary->input_ended, 0,
                    __ATOMIC_RELEASE); /* its writers come back with it; if not, they say so again */
}

/* An asynchronous task that is new stands between a side that has ended and one that has not heard of it. */
static void
pass_on_ends (HoloSection *section)
{
  for (guint i = 0; i < section->n_pushes; i++)
    if (section->pushes[i].finished)
      _holo_boundary_end_input (section->pushes[i].boundary);
  for (guint i = 0; i < section->n_pops; i++)
    if (section->pops[i].finished)
      _holo_boundary_end_output (section->pops[i].boundary);
}

static void
close_sections (HoloBound *bound, gboolean beyond)
{
  gboolean again = TRUE;

  while (again)
    {
      again = FALSE;
      for (guint i = 0; i < bound->n_sections; i++)
        again |= _holo_section_close_ends (bound->sections[i], beyond);
    }
}

/* From what is remembered, closed over the plan. */
void
_holo_bound_close_ended (HoloBound *bound)
{
  for (guint i = 0; i < bound->n_sections; i++)
    recall_section (bound, bound->sections[i]);
  /* first within each section: a pop that still has a reader then has come back */
  close_sections (bound, FALSE);
  for (guint i = 0; i < bound->n_sections; i++)
    for (guint k = 0; k < bound->sections[i]->n_pops; k++)
      revive_unread (&bound->sections[i]->pops[k]);
  close_sections (bound, TRUE);
  for (guint i = 0; i < bound->n_sections; i++)
    pass_on_ends (bound->sections[i]);
}

guint
_holo_bound_count_unfinished (HoloBound *bound)
{
  guint n = 0;

  for (guint i = 0; i < bound->n_sections; i++)
    {
      gboolean finished = _holo_section_all_finished (bound->sections[i]);

      __atomic_store_n (&bound->sections[i]->finished, finished, __ATOMIC_RELEASE);
      n += !finished;
    }
  return n;
}
