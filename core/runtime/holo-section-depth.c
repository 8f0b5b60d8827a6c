/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far a section runs ahead of its device. */
#include "runtime/holo-section-phases.h"

#define TIME_AHEAD 1000000 /* ns */

/* ---- how far ---- */

/* A section may run ahead of the device by TIME_AHEAD: with short iterations that takes more of them. */
static void
set_device_time (HoloSection *section, gint64 time)
{
  section->device_time = MAX (time, 1);
  section->max_in_flight = (guint) CLAMP (TIME_AHEAD / section->device_time, HOLO_MIN_IN_FLIGHT, HOLO_MAX_IN_FLIGHT);
}

/* A wait since @since has ended: the first @n_passed iterations are over. Where the device is what takes the time, waits
 * follow each other as fast as it finishes iterations; it takes no less than a wait that stands alone. */
static void
learn_from_wait (HoloSection *section, guint64 n_passed, gint64 since)
{
  gint64 now = _holo_section_now (), n = (gint64) (n_passed - section->n_passed);
  gint64 took = (now - section->throttled_at) / n, least = (now - since) / n;
  gboolean in_a_row = section->n_throttled == section->n_passed && section->n_passed > 0;

  section->throttled_at = now;
  section->n_throttled = n_passed;
  if (section->fixed_depth)
    return;
  if (in_a_row)
    set_device_time (section,
                     section->device_time == 0 ? took : section->device_time + (took - section->device_time) / 4);
  else if (section->device_time != 0 && section->device_time < least)
    set_device_time (section, least);
}

/* Where the host is, the device took no longer for an iteration than from its start until it was seen to be over. */
static void
learn_from_pass (HoloSection *section, const HoloInFlight *entry)
{
  gint64 bound = section->clock - entry->started;

  if (!section->fixed_depth && section->max_in_flight < HOLO_MAX_IN_FLIGHT &&
      (section->device_time == 0 || bound < section->device_time))
    set_device_time (section, bound);
}

/* ---- iterations under way ---- */

/* A section that gives nothing back has fences for the sake of its depth only: a few at a time are enough. */
gboolean
_holo_section_needs_fence (HoloSection *section)
{
  return section->gives_back || section->iteration + 1 >= section->n_fenced + MAX (section->max_in_flight / 4, 1);
}

void
_holo_section_note_in_flight (HoloSection *section)
{
  section->n_fenced = section->iteration + 1;
  section->in_flight[section->n_in_flight++] =
      (HoloInFlight){ .fence = section->fence, .n_iterations = section->n_fenced, .started = section->started };
}

/* Nothing is under way any more. */
void
_holo_section_forget_in_flight (HoloSection *section)
{
  section->n_in_flight = 0;
  section->n_throttled = 0;
  section->n_passed = section->n_fenced = section->iteration;
}

static void
drop_first (HoloSection *section, guint n)
{
  section->n_passed = section->in_flight[n - 1].n_iterations;
  section->n_in_flight -= n;
  for (guint i = 0; i < section->n_in_flight; i++)
    section->in_flight[i] = section->in_flight[i + n];
}

/* Before the next iteration: not too many ahead of the device. */
gboolean
_holo_section_throttle (HoloSection *section, GError **error)
{
  guint64 n_started = section->iteration + 2;
  gint64 since;
  guint n = 0;

  if (n_started <= section->n_passed + section->max_in_flight)
    return TRUE;
  while (n < section->n_in_flight && section->in_flight[n++].n_iterations + section->max_in_flight < n_started)
    ;
  if (n == 0)
    return TRUE;
  if (!holo_runtime_drops_wait (HOLO_RUNTIME_WAIT_THROTTLE))
    {
      const HoloInFlight *entry = &section->in_flight[n - 1];

      if (holo_fence_is_passed (&entry->fence))
        learn_from_pass (section, entry);
      else
        {
          __atomic_store_n (&section->statistics.waits_throttle, section->statistics.waits_throttle + 1,
                            __ATOMIC_RELAXED);
          since = _holo_section_now ();
          if (!holo_fence_wait_host (&entry->fence, error))
            return FALSE;
          learn_from_wait (section, entry->n_iterations, since);
        }
    }
  drop_first (section, n);
  return TRUE;
}
