/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A moment of looking again and again before a section sleeps.
 *
 * Sleeping and being woken has a price: from 2 us between busy cores to 60 us where a virtual machine's core has gone idle.
 * A frame that comes sooner than that is cheaper to wait for awake. So a section spins for twice as long as its last wakes
 * took, of which SPIN_LONGEST counts at most: whatever comes, it spends at most three times what the better choice costs.
 * Once as long is not enough: who waits for somebody that is just being woken would fall asleep in his turn. */
#include <sched.h>

#include "runtime/holo-section-phases.h"

#define SPIN_SHORTEST 2000  /* ns */
#define SPIN_LONGEST  60000 /* ns */
#define SPIN_QUIET    1000  /* ns, before the processor is offered to others between two looks */

gint _holo_awake_sections;

static gboolean
is_processor_spare (void)
{
  static guint n_processors; /* benign race: every thread finds the same */

  if (__atomic_load_n (&n_processors, __ATOMIC_RELAXED) == 0)
    __atomic_store_n (&n_processors, g_get_num_processors (), __ATOMIC_RELAXED);
  return (guint) __atomic_load_n (&_holo_awake_sections, __ATOMIC_RELAXED) <=
         __atomic_load_n (&n_processors, __ATOMIC_RELAXED);
}

/* Never in a caller's thread unless the embedder allows it, never with more sections awake than there are processors. */
gboolean
_holo_section_may_spin (HoloSection *section)
{
  if (!section->may_spin && section->worker.caller_driven)
    return FALSE;
  for (guint i = 0; i < section->n_parts; i++)
    if (section->parts[i].refused &&
        (section->parts[i].boundary == NULL || !section->parts[i].boundary->signals_readiness))
      return FALSE;
  if (section->spin_skip > 0)
    {
      section->spin_skip--;
      return FALSE;
    }
  return is_processor_spare ();
}

static void
relax (void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause ();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Learns what a wake costs here. */
void
_holo_section_note_wake (HoloSection *section)
{
  gint64 took = CLAMP (section->clock - section->worker.waiter.woken_at, 0, SPIN_LONGEST);

  section->wake_time += (took - section->wake_time) / 8;
}

void
_holo_section_start_spin (HoloSection *section)
{
  _holo_section_lap (section);
  _holo_section_deliver_wakes (section);
  section->spin_start = section->clock;
  section->wait_stage = HOLO_WAIT_SPINNING;
}

/* A moment between two looks; FALSE when it is time to sleep. Spins that find nothing make the next ones rarer, so that a
 * slow graph hardly spins at all. */
gboolean
_holo_section_spin (HoloSection *section)
{
  gint64 spun;

  _holo_section_count_wait (section, _holo_section_lap (section), FALSE);
  spun = section->clock - section->spin_start;
  if (spun >= MAX (2 * section->wake_time, SPIN_SHORTEST) || !is_processor_spare ())
    {
      section->spin_failures = MIN (section->spin_failures + 1, 7);
      section->spin_skip = (1u << (section->spin_failures - 1)) - 1;
      return FALSE;
    }
  if (spun > SPIN_QUIET)
    sched_yield (); /* g_thread_yield() sleeps in newer GLib */
  else
    for (guint i = 0; i < 20; i++)
      relax ();
  return TRUE;
}
