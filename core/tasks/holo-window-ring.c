/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tasks/holo-window-ring.h"

#include <string.h>

static gint64
get_gcd (gint64 a, gint64 b)
{
  while (b != 0)
    {
      gint64 rest = a % b;

      a = b;
      b = rest;
    }
  return a;
}

/* The smallest multiple of @unit that is not smaller than @value. */
static gboolean
round_up (gint64 value, gint64 unit, gint64 *result)
{
  gint64 sum;

  if (__builtin_add_overflow (value, unit - 1, &sum))
    return FALSE;
  *result = sum - sum % unit;
  return TRUE;
}

/* Without a mirror, windows start at multiples of the stride and groups at multiples of their size, and both
 * divide the ring. That may need a much larger ring, which the mirror then avoids. */
static gboolean
find_size (HoloWindowRing *ring, gint64 needed)
{
  gint64 unit = MAX (ring->group, 1), common;

  ring->n_mirrored = 0;
  if (ring->stride >= ring->size &&
      !__builtin_mul_overflow (unit / get_gcd (unit, ring->stride), ring->stride, &common) &&
      round_up (needed, common, &ring->n_elements) && ring->n_elements / 2 <= needed)
    return TRUE;
  ring->n_mirrored = ring->size - 1;
  return round_up (needed, unit, &ring->n_elements);
}

/* Returns FALSE when the sizes overflow. There is room for @capacity elements and one more group, and never
 * less than a window and a group, or a window could not become complete. */
gboolean
_holo_window_ring_init (HoloWindowRing *ring, gint64 group, gint64 capacity, gint64 size, gint64 stride)
{
  gint64 needed, sum;

  memset (ring, 0, sizeof *ring);
  ring->group = group;
  ring->size = size;
  ring->stride = stride;
  if (__builtin_add_overflow (MAX (capacity, size), group, &needed) || !find_size (ring, needed) ||
      __builtin_add_overflow (ring->n_elements, ring->n_mirrored, &sum))
    return FALSE;
  ring->limit = ring->n_elements;
  return TRUE;
}

void
_holo_window_ring_reset (HoloWindowRing *ring)
{
  ring->written = ring->consumed = ring->accounted = 0;
  ring->write_position = ring->read_position = 0;
}

/* All elements before @end that nobody has accounted for are discarded. Producer and consumer may both call
 * this. Returns their number. */
guint64
_holo_window_ring_account (HoloWindowRing *ring, guint64 end)
{
  guint64 accounted = __atomic_load_n (&ring->accounted, __ATOMIC_RELAXED);

  while ((gint64) (end - accounted) > 0)
    if (__atomic_compare_exchange_n (&ring->accounted, &accounted, end, FALSE, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return end - accounted;
  return 0;
}
