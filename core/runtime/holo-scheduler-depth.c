/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far sections run ahead of the device. */
#include "runtime/holo-scheduler-private.h"

/**
 * holo_scheduler_set_max_in_flight:
 * @scheduler: a scheduler that does not run
 * @max_in_flight: from 1 to 16, or 0: what is right
 *
 * Sets how many iterations of a section may be under way on the device. More hide more of the host's time, and make a
 * stop, which waits for them, take longer; they use no more memory. By default two, and up to 16 as long as the device
 * is done with them in a millisecond.
 */
void
holo_scheduler_set_max_in_flight (HoloScheduler *scheduler, guint max_in_flight)
{
  g_return_if_fail (max_in_flight <= HOLO_MAX_IN_FLIGHT);

  for (guint i = 0; i < scheduler->sections->len; i++)
    {
      HoloSection *section = _holo_scheduler_section (scheduler, i);

      section->fixed_depth = max_in_flight != 0;
      section->max_in_flight = max_in_flight != 0 ? max_in_flight : HOLO_MIN_IN_FLIGHT;
      section->device_time = 0;
    }
}
