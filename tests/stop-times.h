/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long stops took. The contract is 100 ms; a sanitizer and two busy cores get more. A stop may meet a moment in which the
 * machine does something else, so that the median is judged; one whose wake is missing never ends. */
#pragma once

#include <glib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STOP_LIMIT (1000 * 1000) /* us */
#else
#define STOP_LIMIT (100 * 1000)
#endif

static GArray *stop_times G_GNUC_UNUSED; /* of this test */

/* @longest: what a single one may take. In us, both. */
static inline void
note_stop (gint64 time, gint64 longest)
{
  g_assert_cmpint (time, <, longest);
  if (stop_times == NULL)
    stop_times = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_val (stop_times, time);
}

static inline gint
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static inline void
assert_stopped_soon (void)
{
  g_array_sort (stop_times, compare_times);
  g_assert_cmpint (g_array_index (stop_times, gint64, stop_times->len / 2), <, STOP_LIMIT);
  g_clear_pointer (&stop_times, g_array_unref);
}
