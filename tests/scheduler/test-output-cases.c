/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Outputs whose allocator blocks or changes, and Outputs that nobody reads: for good, or for a while. */
#include "case-frames.h"
#include "case-kinds.h"
#include "device/holo-runtime-hooks.h"
#include "test-run.h"

#define OUT      "out Output\n"
#define N_FRAMES 20000

static void
flush (HoloScheduler *scheduler, const gchar *input)
{
  g_autoptr (HoloEnd) end = test_input (scheduler, input);
  g_autoptr (GError) error = NULL;
  gboolean stopped;

  holo_scheduler_flush_start (scheduler, end);
  stopped = holo_scheduler_flush_stop (scheduler, end, &error);
  g_assert_no_error (error);
  g_assert_true (stopped);
}

/* ---- an allocator that blocks ---- */

static gint memory_is_short, n_waiting, n_cancelled;

static HoloBlock *
alloc_when_there_is (gsize size, GCancellable *cancellable, gpointer user_data, GError **error)
{
  g_atomic_int_inc (&n_waiting);
  while (g_atomic_int_get (&memory_is_short) && !g_cancellable_is_cancelled (cancellable))
    g_usleep (100);
  g_atomic_int_add (&n_waiting, -1);
  if (!g_cancellable_set_error_if_cancelled (cancellable, error))
    return case_alloc (size, cancellable, NULL, error);
  g_atomic_int_inc (&n_cancelled);
  return NULL;
}

static HoloScheduler *
new_short_of_memory (void)
{
  g_autoptr (HoloPlan) plan = test_compile (CASE_INPUT ("a") "w Sqrt\n" OUT "a > w > out\n", NULL);
  HoloScheduler *scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloEnd) out = test_output (scheduler, "out");

  g_atomic_int_set (&memory_is_short, TRUE);
  g_atomic_int_set (&n_cancelled, 0);
  holo_end_set_allocator (out, alloc_when_there_is, NULL, NULL);
  test_watchdog (12 * CASE_SOON);
  test_start (scheduler);
  case_push (scheduler, "a", 4);
  TEST_WAIT_UNTIL (g_atomic_int_get (&n_waiting) == 1, CASE_SOON);
  return scheduler;
}

static void
test_flush_while_allocator_blocks (void)
{
  g_autoptr (HoloScheduler) scheduler = new_short_of_memory ();

  flush (scheduler, "a");
  g_atomic_int_set (&memory_is_short, FALSE);
  case_push (scheduler, "a", 9);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 3);
  g_assert_cmpint (g_atomic_int_get (&n_cancelled), >=, 1);
  g_assert_true (holo_scheduler_is_running (scheduler));
  case_finish (scheduler);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
}

/* The change does not wait for the memory, and the frame for which it was wanted is still there. */
static void
test_update_while_allocator_blocks (void)
{
  g_autoptr (HoloScheduler) scheduler = new_short_of_memory ();

  g_assert_cmpuint (
      case_update_and_wait (scheduler, CASE_INPUT ("a") "w Sqrt\nx Scale {\"factor\": 2}\n" OUT "a > w > x > out\n"),
      ==, 0);
  g_assert_cmpint (g_atomic_int_get (&n_cancelled), >=, 1);
  g_atomic_int_set (&memory_is_short, FALSE);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 4);
  case_push (scheduler, "a", 9);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 6);
  case_finish (scheduler);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
}

/* ---- an allocator that is changed while frames are written ---- */

typedef struct
{
  gint n_inside;
  gint notified;
} Allocator;

static gint n_notified, n_misused;

static HoloBlock *
alloc_slowly (gsize size, GCancellable *cancellable, gpointer user_data, GError **error)
{
  Allocator *allocator = user_data;

  g_atomic_int_inc (&allocator->n_inside);
  g_usleep (20); /* as one that waits for a buffer */
  if (g_atomic_int_get (&allocator->notified))
    g_atomic_int_inc (&n_misused);
  g_atomic_int_add (&allocator->n_inside, -1);
  return case_alloc (size, cancellable, NULL, error);
}

static void
on_last_use (gpointer user_data)
{
  Allocator *allocator = user_data;

  g_atomic_int_set (&allocator->notified, TRUE);
  if (g_atomic_int_get (&allocator->n_inside) != 0)
    g_atomic_int_inc (&n_misused);
  g_atomic_int_inc (&n_notified);
}

static void
test_allocator_is_changed (void)
{
  g_autoptr (HoloScheduler) scheduler =
      case_start ("s Sequence {\"shape\": [2]}\nw Abs\n" OUT "s > w > out\n", HOLO_DRIVING_THREADS);
  g_autoptr (HoloEnd) out = test_output (scheduler, "out");
  g_autoptr (CaseReader) reader = case_reader_new (scheduler, "out");
  enum
  {
    N = 300
  };
  Allocator allocators[N] = { { 0 } }; /* kept, so that a late use is seen */

  n_notified = n_misused = 0;
  for (guint i = 0; i < N; i++)
    {
      holo_end_set_allocator (out, alloc_slowly, &allocators[i], on_last_use);
      if (i % 10 == 0)
        case_reader_wait_for (reader, case_reader_get_n (reader) + 3);
      else
        g_usleep (g_random_int_range (0, 100));
    }
  holo_end_set_allocator (out, NULL, NULL, NULL);
  TEST_WAIT_UNTIL (g_atomic_int_get (&n_notified) == N, CASE_SOON);
  case_reader_wait_for (reader, case_reader_get_n (reader) + 10);
  test_finish (scheduler);
  g_assert_cmpint (g_atomic_int_get (&n_misused), ==, 0);
  for (guint i = 0, n = case_reader_join (reader); i < n; i++)
    g_assert_cmpfloat (case_reader_get (reader, i), ==, (gfloat) i);
  g_clear_object (&scheduler);
  test_watchdog (0);
  g_assert_cmpint (n_notified, ==, N);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
}

/* ---- an Output without a reader ---- */

#define FORKED CASE_INPUT ("a") "w Abs\nx Output\ny Output\na > w > x\nw > y\n"

static void
push_and_pull (HoloScheduler *scheduler, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      case_push (scheduler, "a", -(gfloat) i);
      g_assert_cmpfloat (case_pull (scheduler, "x"), ==, (gfloat) i);
    }
}

/* Closed is closed for the run, whatever is flushed; the next run has all ends again. */
static void
test_closed_stays_closed (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (FORKED, HOLO_DRIVING_THREADS);
  g_autoptr (HoloEnd) y = test_output (scheduler, "y");

  holo_end_close (y);
  push_and_pull (scheduler, 20);
  case_assert_pull_gives (scheduler, "y", HOLO_OP_EOF);
  flush (scheduler, "a");
  push_and_pull (scheduler, 20);
  case_assert_pull_gives (scheduler, "y", HOLO_OP_EOF);
  test_finish (scheduler);

  test_start (scheduler);
  case_push (scheduler, "a", -7);
  g_assert_cmpfloat (case_pull (scheduler, "x"), ==, 7);
  g_assert_cmpfloat (case_pull (scheduler, "y"), ==, 7);
  case_finish (scheduler);
}

/* Unread takes everything, counts it, and ends nobody. */
static void
test_unread_stays_unread (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (FORKED, HOLO_DRIVING_THREADS);
  g_autoptr (HoloEnd) y = test_output (scheduler, "y");
  HoloNodeStatistics statistics;

  holo_end_set_unread (y, TRUE);
  push_and_pull (scheduler, 20);
  flush (scheduler, "a");
  push_and_pull (scheduler, 20);
  case_assert_no_frame (scheduler, "y");
  TEST_WAIT_UNTIL ((test_node_statistics (scheduler, "y", &statistics), statistics.dropped == 40), CASE_SOON);
  g_assert_cmpuint (statistics.discarded, ==, 0);
  holo_end_set_unread (y, FALSE);
  case_push (scheduler, "a", -5);
  g_assert_cmpfloat (case_pull (scheduler, "x"), ==, 5);
  g_assert_cmpfloat (case_pull (scheduler, "y"), ==, 5);
  case_finish (scheduler);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
}

static void
pause_sometimes (HoloRuntimePause pause)
{
  if (g_random_int_range (0, 40) == 0)
    g_usleep (g_random_int_range (0, 100));
}

static const HoloRuntimeHooks pauses = { .pause = pause_sometimes };

/* A few frames, or none, as the other branch sees them go by. */
static void
wait_for_some (CaseReader *reader)
{
  guint n = case_reader_get_n (reader) + (guint) g_random_int_range (0, 20);

  while (case_reader_get_n (reader) < MIN (n, N_FRAMES))
    g_thread_yield ();
}

/* x is unread now and then while all goes on. It never ends before the source does, and each of its frames is taken or
 * counted. */
static void
check_unread_now_and_then (const gchar *text)
{
  g_autoptr (HoloScheduler) scheduler = case_start (text, HOLO_DRIVING_THREADS);
  g_autoptr (CaseReader) y = case_reader_new (scheduler, "y");
  g_autoptr (HoloEnd) x = test_output (scheduler, "x");
  HoloFrame frame = HOLO_FRAME_INIT;
  HoloNodeStatistics statistics;
  HoloOpResult result;
  gfloat last = -1;
  guint n = 0;

  while ((result = holo_end_pull (x, &frame, NULL, NULL)) == HOLO_OP_OK)
    {
      g_assert_cmpfloat (case_frame_get_value (&frame), >, last);
      last = case_frame_get_value (&frame);
      holo_frame_clear (&frame);
      n++;
      holo_end_set_unread (x, TRUE);
      if (n % 3 == 0)
        g_usleep (g_random_int_range (0, 200));
      else
        wait_for_some (y);
      holo_end_set_unread (x, FALSE);
    }
  g_assert_cmpint (result, ==, HOLO_OP_EOF);
  g_assert_cmpuint (case_reader_join (y), ==, N_FRAMES);
  g_assert_cmpint (y->result, ==, HOLO_OP_EOF);
  for (guint i = 0; i < N_FRAMES; i++)
    g_assert_cmpfloat (case_reader_get (y, i), ==, (gfloat) i);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  test_watchdog (0);
  test_node_statistics (scheduler, "x", &statistics);
  g_assert_cmpuint (n, >, 10);
  g_assert_cmpuint (n + statistics.dropped + statistics.discarded, ==, N_FRAMES);
}

#define SOURCE                                                                                                         \
  "a Sequence {\"shape\": [2], \"count\": " G_STRINGIFY (N_FRAMES) "}\nw Abs\nx Output\ny Output\na > w > "            \
                                                                   "y\n"

static void
test_unread_now_and_then (gconstpointer user_data)
{
  check_unread_now_and_then (user_data);
  holo_runtime_set_hooks (&pauses);
  check_unread_now_and_then (user_data);
  holo_runtime_set_hooks (NULL);
}

/* Behind a queue the closed end is final too, and the branch beside it goes on. */
static void
test_closed_behind_queue (void)
{
  g_autoptr (HoloScheduler) scheduler =
      case_start (SOURCE "q Queue {\"capacity\": 4}\nw > q > x\n", HOLO_DRIVING_THREADS);
  g_autoptr (HoloEnd) x = test_output (scheduler, "x");
  g_autoptr (CaseReader) y = case_reader_new (scheduler, "y");
  guint64 n_given, n_through;
  HoloNodeStatistics statistics;

  g_assert_cmpfloat (case_pull (scheduler, "x"), ==, 0);
  holo_end_close (x);
  case_assert_pull_gives (scheduler, "x", HOLO_OP_EOF);
  g_assert_cmpuint (case_reader_join (y), ==, N_FRAMES);
  case_assert_pull_gives (scheduler, "x", HOLO_OP_EOF);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  test_watchdog (0);
  /* pushed = popped + discarded, at each of the two */
  test_node_statistics (scheduler, "q", &statistics);
  g_assert_cmpuint (statistics.push.calls, ==, statistics.pop.calls + statistics.discarded);
  n_through = statistics.pop.calls;
  test_node_statistics (scheduler, "x", &statistics);
  n_given = statistics.push.calls;
  g_assert_cmpuint (n_given, <=, n_through);
  g_assert_cmpuint (n_given, ==, 1 + statistics.discarded + statistics.dropped);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  case_kinds_register ();
  g_test_add_func ("/holo/output-cases/flush-while-allocator-blocks", test_flush_while_allocator_blocks);
  g_test_add_func ("/holo/output-cases/update-while-allocator-blocks", test_update_while_allocator_blocks);
  g_test_add_func ("/holo/output-cases/allocator-is-changed", test_allocator_is_changed);
  g_test_add_func ("/holo/output-cases/closed-stays-closed", test_closed_stays_closed);
  g_test_add_func ("/holo/output-cases/closed-behind-queue", test_closed_behind_queue);
  g_test_add_func ("/holo/output-cases/unread-stays-unread", test_unread_stays_unread);
  g_test_add_data_func ("/holo/output-cases/unread-now-and-then/direct", SOURCE "w > x\n", test_unread_now_and_then);
  g_test_add_data_func ("/holo/output-cases/unread-now-and-then/queue", SOURCE "q Queue {\"capacity\": 4}\nw > q > x\n",
                        test_unread_now_and_then);
  return g_test_run ();
}
