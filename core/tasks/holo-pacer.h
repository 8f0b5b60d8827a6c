/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the next frame may go. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * HoloPacer:
 * @period: ns from frame to frame, at least 1
 * @due: monotonic time in ns at which the next frame may go; %HOLO_PACER_NEVER_USED before the first one
 *
 * Deadlines are absolute: each is one period after the one before, not after the moment at which the frame
 * really went, so that neither work nor late wake-ups add up. A frame that is later than half a period starts
 * a new series, so that time lost is not made up: no two frames are closer than half a period, and n frames
 * never take less than n - 1.5 periods.
 */
typedef struct
{
  gint64 period;
  gint64 due;
} HoloPacer;

#define HOLO_PACER_NEVER_USED G_MININT64

static inline gboolean
_holo_pacer_is_due (const HoloPacer *pacer, gint64 now)
{
  return now >= pacer->due;
}

/* Monotonic time in µs, as g_get_monotonic_time() counts, at which the next frame may go. */
static inline gint64
_holo_pacer_get_retry_time (const HoloPacer *pacer)
{
  return pacer->due / 1000 + (pacer->due % 1000 != 0);
}

static inline void
_holo_pacer_pass (HoloPacer *pacer, gint64 now)
{
  gboolean in_series = pacer->due != HOLO_PACER_NEVER_USED && now - pacer->due <= pacer->period / 2;

  pacer->due = (in_series ? pacer->due : now) + pacer->period;
}

G_END_DECLS
