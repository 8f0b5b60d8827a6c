/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ring's positions and counts without a task around them: preset so that the counts wrap around in
 * mid-run, in one thread and in two. */
#include <sched.h>

#include <holoflow/holoflow.h>

#include "../../core/tasks/holo-window-ring.h"

#define HEADROOM 1000 /* elements before the counts wrap around */

static void
preset (HoloWindowRing *ring)
{
  ring->written = ring->consumed = ring->accounted = G_MAXUINT64 - HEADROOM;
}

static void
test_layout (void)
{
  HoloWindowRing ring;

  /* 4096 and a batch of 8, windows of 32: nothing is mirrored */
  g_assert_true (_holo_window_ring_init (&ring, 8, 4096, 32, 32));
  g_assert_cmpint (ring.n_elements, ==, 4128);
  g_assert_cmpint (ring.n_mirrored, ==, 0);
  /* the common multiple of 1023 and 1024 would be a million elements */
  g_assert_true (_holo_window_ring_init (&ring, 1023, 2048, 1024, 1024));
  g_assert_cmpint (ring.n_elements, ==, 4 * 1023);
  g_assert_cmpint (ring.n_mirrored, ==, 1023);
  /* overlap */
  g_assert_true (_holo_window_ring_init (&ring, 1, 4, 4, 1));
  g_assert_cmpint (ring.n_mirrored, ==, 3);
  g_assert_true (_holo_window_ring_init (&ring, 0, 4, 4, 4));
  g_assert_cmpint (ring.n_elements, ==, 4);
  g_assert_false (_holo_window_ring_init (&ring, G_MAXINT64 - 2, 4, 4, 4));
  g_assert_false (_holo_window_ring_init (&ring, G_GINT64_CONSTANT (1) << 62, G_GINT64_CONSTANT (1) << 62, 4, 3));
}

/* Positions follow the counts, across the wrap. */
static void
check_wrap (gint64 group, gint64 capacity, gint64 size, gint64 stride)
{
  HoloWindowRing ring;
  guint64 n_written = 0, n_consumed = 0, n_skipped = 0, n_windows = 0;

  g_assert_true (_holo_window_ring_init (&ring, group, capacity, size, stride));
  preset (&ring);
  while (n_written < 3 * HEADROOM)
    {
      while (_holo_window_ring_can_push (&ring))
        {
          g_assert_cmpint (ring.write_position, ==, n_written % (guint64) ring.n_elements);
          _holo_window_ring_push (&ring);
          n_written += (guint64) group;
        }
      g_assert_true (_holo_window_ring_can_pop (&ring));
      while (_holo_window_ring_can_pop (&ring))
        {
          g_assert_cmpint (ring.read_position, ==, n_consumed % (guint64) ring.n_elements);
          g_assert_cmpint (ring.read_position + size, <=, ring.n_elements + ring.n_mirrored);
          g_assert_cmpuint (n_consumed + (guint64) size, <=, n_written);
          g_assert_cmpuint (n_consumed + (guint64) ring.n_elements, >=, n_written);
          n_skipped += _holo_window_ring_pop (&ring);
          _holo_window_ring_release (&ring);
          n_consumed += (guint64) stride;
          n_windows++;
        }
    }
  n_skipped += _holo_window_ring_account (&ring, ring.written);
  g_assert_cmpuint (
      n_skipped + (stride >= size ? n_windows * (guint64) size : (n_windows - 1) * (guint64) stride + (guint64) size),
      ==, n_written);
  g_assert_cmpuint (_holo_window_ring_account (&ring, ring.written), ==, 0);
}

static void
test_wrap (void)
{
  for (gint64 group = 1; group <= 5; group++)
    for (gint64 capacity = 1; capacity <= 9; capacity += 2)
      for (gint64 size = 1; size <= 5; size++)
        for (gint64 stride = 1; stride <= 7; stride++)
          check_wrap (group, capacity, size, stride);
}

/* ---- two threads: the shared memory is the ring's, without a lock ---- */

typedef struct
{
  HoloWindowRing *ring;
  guint64 *elements;
  guint64 n_groups;
} Shared;

static gpointer
produce (gpointer data)
{
  Shared *shared = data;
  HoloWindowRing *ring = shared->ring;
  guint64 next = 0;

  for (guint64 i = 0; i < shared->n_groups; i++)
    {
      while (!_holo_window_ring_can_push (ring))
        sched_yield ();
      for (gint64 k = 0; k < ring->group; k++, next++)
        {
          gint64 position = ring->write_position + k;

          shared->elements[position] = next;
          if (position < ring->n_mirrored)
            shared->elements[ring->n_elements + position] = next;
        }
      _holo_window_ring_push (ring);
    }
  return NULL;
}

static void
check_threads (gint64 group, gint64 capacity, gint64 size, gint64 stride)
{
  Shared shared;
  g_autofree guint64 *elements = NULL;
  HoloWindowRing *ring = g_aligned_alloc0 (1, sizeof *ring, 64);
  guint64 n_windows, start = 0;
  GThread *producer;

  g_assert_true (_holo_window_ring_init (ring, group, capacity, size, stride));
  preset (ring);
  elements = g_new (guint64, ring->n_elements + ring->n_mirrored);
  shared = (Shared){ ring, elements, (g_test_slow () ? 10000000 : 20000) / (guint64) group };
  n_windows = (shared.n_groups * (guint64) group - (guint64) size) / (guint64) stride + 1;
  producer = g_thread_new ("producer", produce, &shared);
  for (guint64 i = 0; i < n_windows; i++, start += (guint64) stride)
    {
      while (!_holo_window_ring_can_pop (ring))
        sched_yield ();
      for (gint64 k = 0; k < size; k++)
        if (elements[ring->read_position + k] != start + (guint64) k)
          g_error ("window %" G_GUINT64_FORMAT " is torn", i);
      _holo_window_ring_pop (ring);
      _holo_window_ring_release (ring);
    }
  g_thread_join (producer);
  g_aligned_free (ring);
}

static void
test_threads (void)
{
  static const gint64 capacities[] = { 1, 2, 3, 7 };

  for (guint c = 0; c < G_N_ELEMENTS (capacities); c++)
    for (gint64 group = 1; group <= 5; group++)
      {
        check_threads (group, capacities[c], 1, 1);
        check_threads (group, capacities[c], 3, 2);
        check_threads (group, capacities[c], 2, 5);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/window-ring/layout", test_layout);
  g_test_add_func ("/holo/window-ring/wrap", test_wrap);
  g_test_add_func ("/holo/window-ring/threads", test_threads);
  return g_test_run ();
}
