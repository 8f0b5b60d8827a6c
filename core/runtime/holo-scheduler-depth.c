/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far sections run ahead of the device. */
#include "runtime/holo-scheduler-private.h"

/**
 * holo_scheduler_set_max_in_flight:
 * @scheduler: a scheduler that does not run
 * @max_in_flight: from 1 to 16
 *
 * Sets how many iterations of a section may be under way on the device. More hide more of the host's time, and make a
 * stop, which waits for them, take longer; they use no more memory.
 */
void
holo_scheduler_set_max_in_flight (HoloScheduler *scheduler, guint max_in_flight)
{
  g_return_if_fail (max_in_flight >= 1 && max_in_flight <= HOLO_MAX_IN_FLIGHT);

  for (guint i = 0; i < scheduler->sections->len; i++)
    _holo_scheduler_section (scheduler, i)->max_in_flight = max_in_flight;
}
