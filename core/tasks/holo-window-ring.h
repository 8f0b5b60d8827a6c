/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where windows of elements lie in a ring that one thread fills by groups and another reads by windows:
 * positions and counts only, no memory. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * HoloWindowRing:
 * @n_elements: elements the ring has room for; a multiple of @group
 * @n_mirrored: elements behind its end that repeat its first ones, so that windows across the end are
 *   contiguous: size - 1, or 0 where no window crosses the end
 * @limit: elements held at most
 * @group: elements of one push; 0 when pushes are empty
 * @size: elements of one window
 * @stride: distance of windows
 *
 * One producer calls can_push and push, one consumer calls can_pop, pop and release. The counts are modulo
 * 2^64 and only ever compared by difference, so that they may wrap around; positions are kept beside them.
 * `consumed` runs ahead of `written` while elements between two windows (stride > size) have yet to come.
 *
 * Every element is accounted for exactly once: when the first window that holds it is popped, or as
 * discarded.
 */
typedef struct
{
  gint64 n_elements;
  gint64 n_mirrored;
  gint64 limit;
  gint64 group;
  gint64 size;
  gint64 stride;

  /* Producer; read by the consumer. On cache lines of their own. */
  guint64 written __attribute__ ((aligned (64)));
  gint64 write_position;

  /* Consumer; read by the producer. */
  guint64 consumed __attribute__ ((aligned (64)));
  gint64 read_position;

  guint64 accounted __attribute__ ((aligned (64)));
  guint64 accounted_before; /* the last pop, but after what lay before its window */
} HoloWindowRing;

gboolean _holo_window_ring_init (HoloWindowRing *ring, gint64 group, gint64 capacity, gint64 size, gint64 stride);
void _holo_window_ring_reset (HoloWindowRing *ring);
guint64 _holo_window_ring_account (HoloWindowRing *ring, guint64 end);

/* Producer: elements of the ring that are in use, at least 0. */
static inline gint64
_holo_window_ring_get_used (const HoloWindowRing *ring)
{
  gint64 used = (gint64) (ring->written - __atomic_load_n (&ring->consumed, __ATOMIC_ACQUIRE));

  return MAX (used, 0);
}

/* Producer: whether @group elements from @write_position on may be overwritten. */
static inline gboolean
_holo_window_ring_can_push (const HoloWindowRing *ring)
{
  return _holo_window_ring_get_used (ring) <= ring->limit - ring->group;
}

/* Producer: the group at @write_position is filled in. Sequentially consistent, as a flag that ends the
 * output is read behind it. */
static inline void
_holo_window_ring_push (HoloWindowRing *ring)
{
  ring->write_position += ring->group;
  if (ring->write_position == ring->n_elements)
    ring->write_position = 0;
  __atomic_store_n (&ring->written, ring->written + (guint64) ring->group, __ATOMIC_SEQ_CST);
}

/* Consumer: whether the window at @read_position is complete. */
static inline gboolean
_holo_window_ring_can_pop (const HoloWindowRing *ring)
{
  return (gint64) (__atomic_load_n (&ring->written, __ATOMIC_ACQUIRE) - ring->consumed) >= ring->size;
}

/* Consumer: the window at @read_position is given out. Returns the elements before it that were never in
 * one. */
static inline guint64
_holo_window_ring_pop (HoloWindowRing *ring)
{
  guint64 skipped = _holo_window_ring_account (ring, ring->consumed), end = ring->consumed + (guint64) ring->size;

  ring->accounted_before = ring->accounted;
  if ((gint64) (end - ring->accounted) > 0)
    __atomic_store_n (&ring->accounted, end, __ATOMIC_RELAXED);
  return skipped;
}

/* Consumer: the window given out last was not used, and comes again. */
static inline void
_holo_window_ring_unpop (HoloWindowRing *ring)
{
  __atomic_store_n (&ring->accounted, ring->accounted_before, __ATOMIC_RELAXED);
}

/* Consumer: the window is used no more. */
static inline void
_holo_window_ring_release (HoloWindowRing *ring)
{
  ring->read_position = (ring->read_position + ring->stride) % ring->n_elements;
  __atomic_store_n (&ring->consumed, ring->consumed + (guint64) ring->stride, __ATOMIC_RELEASE);
}

G_END_DECLS
