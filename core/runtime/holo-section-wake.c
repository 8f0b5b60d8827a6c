/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a section tells those on the other side of its asynchronous tasks that there is a frame, or room. */
#include "runtime/holo-section-phases.h"

#include "device/holo-runtime-hooks.h"

#define WAKE_DELAY 20000 /* ns */

static HoloWaiter *
get_other_side (HoloPart *part)
{
  return part->type == HOLO_PART_POP ? part->boundary->producer : part->boundary->consumer;
}

static void
deliver (HoloSection *section, HoloPart *part)
{
  HoloBoundary *boundary = part->boundary;
  HoloSection *other = part->type == HOLO_PART_POP ? boundary->producer_section : boundary->consumer_section;

  part->wakes_due = 0;
  part->last_wake = section->clock;
  if (other == NULL || !_holo_section_borrow (other, section))
    _holo_waiter_notify (get_other_side (part));
}

/* After a pop there is room, after a push a frame. Waking a thread costs a system call and a switch, so that a wake per frame
 * is dearer than a small frame itself.
 *
 * Room: who waits for room sleeps patiently at first, for PATIENCE; it is woken once half of the queue is free, or when we
 * sleep ourselves. If its patience ends first it looks for itself, and from then on is woken at each pop. So the capacity of
 * a queue counts in full whatever its consumer does between two pops.
 *
 * Frames: only a section that does nothing but forward puts wakes off, since nothing but its own sleep, before which it
 * delivers them, can hold it up; and never for longer than WAKE_DELAY. */
void
_holo_section_wake_other_side (HoloSection *section, HoloPart *part)
{
  HoloWaiter *other = get_other_side (part);
  gboolean may_wait;

  if (other == NULL)
    return;
  if (part->type == HOLO_PART_POP)
    may_wait = !_holo_waiter_is_urgent (other);
  else
    may_wait = !section->worker.caller_driven && section->clock - part->last_wake < WAKE_DELAY;
  if (++part->wakes_due < part->wake_batch && may_wait)
    {
      section->wakes_due = TRUE;
      return;
    }
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
  deliver (section, part);
}

void
_holo_section_deliver_wakes (HoloSection *section)
{
  if (!section->wakes_due)
    return;
  section->wakes_due = FALSE;
  for (guint i = 0; i < section->n_parts; i++)
    if (section->parts[i].wakes_due > 0)
      deliver (section, &section->parts[i]);
}
