/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks with contents that an update replaces or removes: what they hold comes out, or is counted, and then they are gone. */
#include "case-frames.h"
#include "case-kinds.h"
#include "test-run.h"

#define MS          1000 /* us */
#define OUT         "out Output\n"
#define QUEUE(name) name " Queue {\"capacity\": 4}\n"

/* ---- the end of an Input while the change is on its way ---- */

#define ENDING(writable, queue)                                                                                        \
  "a Input {\"dtype\": \"F32\", \"shape\": [2], \"writable\": " writable                                               \
  "}\n" QUEUE (queue) "w Sqrt\n" OUT "a > " queue " > w > out\n"

static gpointer
push_end (gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (holo_end_push_end (user_data, &error), ==, HOLO_OP_OK);
  g_assert_no_error (error);
  return NULL;
}

/* Pulls to the end; returns how many frames came, in order, of 0, 1, ... whose squares went in. */
static guint
pull_roots (HoloScheduler *scheduler)
{
  g_autoptr (CaseReader) reader = case_reader_new (scheduler, "out");
  guint n = case_reader_join (reader);

  g_assert_cmpint (reader->result, ==, HOLO_OP_EOF);
  for (guint i = 1; i < n; i++)
    g_assert_cmpfloat (case_reader_get (reader, i), >, case_reader_get (reader, i - 1));
  return n;
}

/* Input and queue are replaced, and drain as far as they are read. With a long limit nothing is lost; with a short one
 * what is lost is counted. The end arrives behind the frames either way. */
static void
check_end_during_change (gint64 drain_limit, gboolean loses)
{
  g_autoptr (HoloScheduler) scheduler = case_start (ENDING ("false", "q"), HOLO_DRIVING_THREADS);
  g_autoptr (HoloEnd) input = test_input (scheduler, "a");
  CaseReport report;
  GThread *thread;
  guint n;

  holo_scheduler_set_drain_limit (scheduler, drain_limit);
  for (guint i = 0; i < 4; i++)
    case_push (scheduler, "a", (gfloat) (i * i));
  case_update (scheduler, ENDING ("true", "r"), &report);
  g_usleep (20 * MS);
  thread = g_thread_new ("end", push_end, input);
  if (loses)
    case_report_wait (&report);
  n = pull_roots (scheduler);
  g_assert_cmpuint (n + case_report_wait (&report), ==, 4);
  g_assert_true ((n < 4) == loses);
  g_thread_join (thread);
  case_wait_for_end (scheduler);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
}

static void
test_end_during_change (void)
{
  check_end_during_change (CASE_SOON * G_USEC_PER_SEC, FALSE);
  check_end_during_change (20 * MS, TRUE);
}

/* ---- contents of what goes ---- */

#define WITH_QUEUE                                                                                                     \
  CASE_INPUT ("in") "q Queue {\"capacity\": 8}\nwork Scale {\"factor\": 2}\n" OUT "in > q > work > out\n"
#define WITHOUT_QUEUE CASE_INPUT ("in") "work Scale {\"factor\": 2}\n" OUT "in > work > out\n"

static gpointer
iterate_until_over (gpointer user_data)
{
  while (holo_section_iterate (user_data, NULL, NULL) == HOLO_OP_OK)
    ;
  return NULL;
}

/* Callers drive everything, and the one who should read the queue is away: the drain gives up at its limit. */
static void
test_queue_with_idle_reader_goes (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (WITH_QUEUE, HOLO_DRIVING_CALLER);
  gint64 start;

  holo_scheduler_set_drain_limit (scheduler, 30 * MS);
  for (guint i = 0; i < 5; i++)
    case_push (scheduler, "in", (gfloat) i);
  g_assert_cmpuint (case_statistics (scheduler, "q").push.calls, ==, 5);
  start = g_get_monotonic_time ();
  g_assert_cmpuint (case_update_and_wait (scheduler, WITHOUT_QUEUE), ==, 5);
  g_assert_cmpint (g_get_monotonic_time () - start, >=, 30 * MS);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
  case_push (scheduler, "in", 7);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 14);
  test_push_end_into (scheduler, "in");
  case_assert_pull_gives (scheduler, "out", HOLO_OP_EOF);
  case_wait_for_end (scheduler);
  g_assert_cmpuint (case_statistics (scheduler, "work").execute.calls, ==, 1);
}

/* The same with somebody who drives the reader all the time: everything comes out. */
static void
test_queue_with_busy_reader_goes (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (WITH_QUEUE, HOLO_DRIVING_CALLER);
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
  g_autoptr (HoloSection) section = holo_scheduler_get_section (scheduler, (guint) test_section (plan, "work", FALSE));
  g_autoptr (CaseReader) reader = NULL;
  CaseReport report;
  GThread *thread;

  holo_scheduler_set_drain_limit (scheduler, CASE_SOON * G_USEC_PER_SEC);
  for (guint i = 0; i < 5; i++)
    case_push (scheduler, "in", (gfloat) i);
  case_update (scheduler, WITHOUT_QUEUE, &report);
  reader = case_reader_new (scheduler, "out");
  thread = g_thread_new ("driver", iterate_until_over, section);
  g_assert_cmpuint (case_report_wait (&report), ==, 0);
  case_push (scheduler, "in", 5);
  test_push_end_into (scheduler, "in");
  g_assert_cmpuint (case_reader_join (reader), ==, 6);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpfloat (case_reader_get (reader, i), ==, 2 * (gfloat) i);
  case_wait_for_end (scheduler);
  g_thread_join (thread);
  g_assert_cmpuint (case_statistics (scheduler, "work").execute.calls, ==, 6);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
}

/* An Output goes while it holds a frame and another waits before it. What it holds its end still gives, what cannot go in is
 * counted; the branch beside it loses nothing. */
static void
test_full_output_goes (void)
{
  g_autoptr (HoloScheduler) scheduler =
      case_start (CASE_INPUT ("in") "x Output\ny Output\nq Queue\nin > q > x\nin > y\n", HOLO_DRIVING_THREADS);
  g_autoptr (HoloEnd) x = test_output (scheduler, "x");
  g_autoptr (GError) error = NULL;
  HoloFrame frame = HOLO_FRAME_INIT;

  holo_scheduler_set_drain_limit (scheduler, 10 * MS);
  for (guint i = 0; i < 2; i++)
    {
      case_push (scheduler, "in", (gfloat) i);
      g_assert_cmpfloat (case_pull (scheduler, "y"), ==, (gfloat) i);
    }
  case_wait_until_popped (scheduler, "q", 2);
  g_assert_cmpuint (case_update_and_wait (scheduler, CASE_INPUT ("in") "y Output\nin > y\n"), ==, 1);
  g_assert_cmpint (holo_end_pull (x, &frame, NULL, &error), ==, HOLO_OP_OK);
  g_assert_cmpfloat (case_frame_get_value (&frame), ==, 0);
  holo_frame_clear (&frame);
  g_assert_cmpint (holo_end_pull (x, &frame, NULL, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
  case_push (scheduler, "in", 2);
  g_assert_cmpfloat (case_pull (scheduler, "y"), ==, 2);
  case_finish (scheduler);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
}

/* ---- a frame that is held for its time ---- */

#define LIMITED(mode)                                                                                                  \
  CASE_INPUT ("a")                                                                                                     \
  "rl RateLimiter {\"max_fps\": 5, \"mode\": \"" mode "\"}\n" OUT "a > rl > out\n"

/* The RateLimiter says NOT_READY while it holds a frame: it is not empty. */
static void
check_rate_limiter (gint64 drain_limit, guint expected)
{
  g_autoptr (HoloScheduler) scheduler = case_start (LIMITED ("adopt"), HOLO_DRIVING_THREADS);
  g_autoptr (CaseReader) reader = case_reader_new (scheduler, "out");
  guint64 n_lost;

  holo_scheduler_set_drain_limit (scheduler, drain_limit);
  case_push (scheduler, "a", 0);
  case_push (scheduler, "a", 1);
  case_reader_wait_for (reader, 1);
  TEST_WAIT_UNTIL (case_statistics (scheduler, "rl").push.calls == 2, CASE_SOON);
  n_lost = case_update_and_wait (scheduler, LIMITED ("copy"));
  case_push (scheduler, "a", 2);
  test_push_end_into (scheduler, "a");
  g_assert_cmpuint (case_reader_join (reader), ==, expected);
  g_assert_cmpuint (n_lost, ==, 3 - expected);
  g_assert_cmpfloat (case_reader_get (reader, 0), ==, 0);
  g_assert_cmpfloat (case_reader_get (reader, 1), ==, expected == 3 ? 1 : 2);
  g_assert_cmpfloat (case_reader_get (reader, expected - 1), ==, 2);
  case_wait_for_end (scheduler);
  /* pushed = popped + discarded, over the change */
  g_assert_cmpuint (case_statistics (scheduler, "rl").push.calls, ==, 3);
  g_assert_cmpuint (case_statistics (scheduler, "rl").pop.calls, ==, expected);
  g_assert_cmpuint (case_statistics (scheduler, "rl").discarded, ==, 3 - expected);
}

static void
test_rate_limiter_is_replaced (void)
{
  check_rate_limiter (CASE_SOON * G_USEC_PER_SEC, 3);
  check_rate_limiter (10 * MS, 2);
}

/* ---- what goes is gone ---- */

static gint n_batch_tasks;

static void
on_task_gone (gpointer user_data, GObject *object)
{
  g_atomic_int_add (&n_batch_tasks, -1);
}

static gchar *
get_renamed (guint number)
{
  return g_strdup_printf ("a Input {\"dtype\": \"F32\", \"shape\": [1, 2]}\nw Abs\n"
                          "q%u BatchQueue {\"output_size\": 4}\n" OUT "a > w > q%u > out\n",
                          number, number);
}

static void
watch_batch_task (HoloScheduler *scheduler, guint number)
{
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
  g_autofree gchar *name = g_strdup_printf ("q%u", number);

  g_atomic_int_inc (&n_batch_tasks);
  g_object_weak_ref (G_OBJECT (test_task (plan, name)), on_task_gone, NULL);
}

static void
push_row (HoloScheduler *scheduler, gfloat value)
{
  const gint64 shape[] = { 1, 2 };
  HoloFrame frame;

  case_frame_init (&frame, value);
  holo_tensor_desc_init (&frame.desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, shape);
  test_push_into (scheduler, "a", &frame);
}

/* Rows that have got into the queue of that number. */
static guint64
count_pushed (HoloScheduler *scheduler, guint number)
{
  g_autofree gchar *name = g_strdup_printf ("q%u", number);
  HoloNodeStatistics statistics;

  test_node_statistics (scheduler, name, &statistics);
  return statistics.push.calls;
}

/* A new name is a new node: the old task goes with the plan, not with the scheduler; the row that its window still lacked
 * company for is counted. */
static void
test_renamed_task_is_freed (void)
{
  g_autofree gchar *first = get_renamed (0);
  g_autoptr (HoloScheduler) scheduler = case_start (first, HOLO_DRIVING_THREADS);

  watch_batch_task (scheduler, 0);
  for (guint i = 1; i <= 20; i++)
    {
      g_autofree gchar *text = get_renamed (i);

      for (guint k = 0; k < 5; k++)
        push_row (scheduler, (gfloat) (10 * i + k));
      g_assert_cmpfloat (case_pull (scheduler, "out"), ==, (gfloat) (10 * i));
      TEST_WAIT_UNTIL (count_pushed (scheduler, i - 1) == 5, CASE_SOON);
      g_assert_cmpuint (case_update_and_wait (scheduler, text), ==, 1);
      watch_batch_task (scheduler, i);
      TEST_WAIT_UNTIL (g_atomic_int_get (&n_batch_tasks) == 1, CASE_SOON);
    }
  case_finish (scheduler);
  g_clear_object (&scheduler);
  g_assert_cmpint (g_atomic_int_get (&n_batch_tasks), ==, 0);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  case_kinds_register ();
  g_test_add_func ("/holo/drain-cases/end-during-change", test_end_during_change);
  g_test_add_func ("/holo/drain-cases/queue-with-idle-reader-goes", test_queue_with_idle_reader_goes);
  g_test_add_func ("/holo/drain-cases/queue-with-busy-reader-goes", test_queue_with_busy_reader_goes);
  g_test_add_func ("/holo/drain-cases/full-output-goes", test_full_output_goes);
  g_test_add_func ("/holo/drain-cases/rate-limiter-is-replaced", test_rate_limiter_is_replaced);
  g_test_add_func ("/holo/drain-cases/renamed-task-is-freed", test_renamed_task_is_freed);
  return g_test_run ();
}
