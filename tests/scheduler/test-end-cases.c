/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ends in the hands of several threads, and while their state changes: who learns of what, and what becomes of the frames. */
#include "case-frames.h"
#include "case-kinds.h"
#include "test-run.h"

#define MS  1000 /* us */
#define OUT "out Output\n"

/* ---- several threads at one end ---- */

typedef struct
{
  HoloEnd *end;
  guint first, n;
} Pusher;

static gpointer
push_numbers (gpointer user_data)
{
  Pusher *pusher = user_data;

  for (guint i = 0; i < pusher->n; i++)
    g_assert_cmpint (case_try_push (pusher->end, (gfloat) (pusher->first + i), NULL), ==, HOLO_OP_OK);
  return NULL;
}

/* Each frame goes to one reader, in the order of its pusher; all readers learn of the end. */
static void
test_several_pushers_and_readers (void)
{
  enum
  {
    N_READERS = 3,
    N_PUSHERS = 2,
    N = 400
  };

  for (guint round = 0; round < 10; round++)
    {
      g_autoptr (HoloScheduler) scheduler =
          case_start (CASE_INPUT ("a") "q Queue {\"capacity\": 3}\n" OUT "a > q > out\n", HOLO_DRIVING_THREADS);
      g_autoptr (HoloEnd) a = test_input (scheduler, "a");
      CaseReader *readers[N_READERS];
      Pusher pushers[N_PUSHERS];
      GThread *threads[N_PUSHERS];
      guint seen[N_PUSHERS * N] = { 0 };

      for (guint i = 0; i < N_READERS; i++)
        readers[i] = case_reader_new (scheduler, "out");
      for (guint i = 0; i < N_PUSHERS; i++)
        {
          pushers[i] = (Pusher){ a, i * N, N };
          threads[i] = g_thread_new ("pusher", push_numbers, &pushers[i]);
        }
      for (guint i = 0; i < N_PUSHERS; i++)
        g_thread_join (threads[i]);
      test_push_end_into (scheduler, "a");
      for (guint i = 0; i < N_READERS; i++)
        {
          gint last[N_PUSHERS] = { -1, -1 };

          for (guint k = 0, n = case_reader_join (readers[i]); k < n; k++)
            {
              gint value = (gint) case_reader_get (readers[i], k);

              g_assert_cmpint (value, >, last[value / N]);
              last[value / N] = value;
              seen[value]++;
            }
          g_assert_cmpint (readers[i]->result, ==, HOLO_OP_EOF);
          case_reader_free (readers[i]);
        }
      for (guint i = 0; i < N_PUSHERS * N; i++)
        g_assert_cmpuint (seen[i], ==, 1);
      g_assert_true (holo_scheduler_wait (scheduler, NULL));
      g_assert_cmpuint (case_get_n_blocks (), ==, 0);
    }
  test_watchdog (0);
}

/* ---- what wakes all that sleep at an end ---- */

typedef struct
{
  HoloEnd *end;
  GThread *thread;
  HoloOpResult result;
  GError *error;
} Sleeper;

static gpointer
pull_once (gpointer user_data)
{
  Sleeper *sleeper = user_data;
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

  sleeper->result = holo_end_pull (sleeper->end, &frame, NULL, &sleeper->error);
  return NULL;
}

static gpointer
push_once (gpointer user_data)
{
  Sleeper *sleeper = user_data;

  sleeper->result = case_try_push (sleeper->end, 1, &sleeper->error);
  return NULL;
}

static void
do_stop (HoloScheduler *scheduler)
{
  holo_scheduler_stop (scheduler);
}

static void
do_flush_start (HoloScheduler *scheduler)
{
  g_autoptr (HoloEnd) a = test_input (scheduler, "a");

  holo_scheduler_flush_start (scheduler, a);
}

static void
do_end (HoloScheduler *scheduler)
{
  test_push_end_into (scheduler, "a");
}

static void
do_close (HoloScheduler *scheduler)
{
  g_autoptr (HoloEnd) out = test_output (scheduler, "out");

  holo_end_close (out);
}

static void
do_remove (HoloScheduler *scheduler)
{
  case_update_and_wait (scheduler, CASE_INPUT ("b") "other Output\nb > other\n");
}

typedef struct
{
  const gchar *name;
  void (*event) (HoloScheduler *scheduler);
  gboolean pushing; /* sleeping in push, else in pull */
  HoloOpResult result;
} WakeCase;

static const WakeCase wake_cases[] = {
  { "pull/stop", do_stop, FALSE, HOLO_OP_CANCELLED },
  { "pull/flush", do_flush_start, FALSE, HOLO_OP_FLUSHED },
  { "pull/end", do_end, FALSE, HOLO_OP_EOF },
  { "pull/close", do_close, FALSE, HOLO_OP_EOF },
  { "pull/removal", do_remove, FALSE, HOLO_OP_ERROR },
  { "push/stop", do_stop, TRUE, HOLO_OP_CANCELLED },
  { "push/flush", do_flush_start, TRUE, HOLO_OP_FLUSHED },
  { "push/close", do_close, TRUE, HOLO_OP_EOF },
  { "push/removal", do_remove, TRUE, HOLO_OP_ERROR },
};

static void
fill_graph (HoloScheduler *scheduler)
{
  HoloNodeStatistics statistics;

  for (guint i = 0; i < 3; i++)
    case_push (scheduler, "a", (gfloat) i);
  /* one in the Output, one on its way, one in the Input's slot */
  TEST_WAIT_UNTIL ((test_node_statistics (scheduler, "a", &statistics), statistics.pop.calls == 2), CASE_SOON);
}

static void
test_all_sleepers_wake (gconstpointer user_data)
{
  const WakeCase *wake = user_data;
  enum
  {
    N = 4
  };

  for (guint round = 0; round < 5; round++)
    {
      g_autoptr (HoloScheduler) scheduler =
          case_start (CASE_INPUT ("a") "w Abs\n" OUT "a > w > out\n", HOLO_DRIVING_THREADS);
      g_autoptr (HoloEnd) end = wake->pushing ? test_input (scheduler, "a") : test_output (scheduler, "out");
      Sleeper sleepers[N] = { { NULL } };

      holo_scheduler_set_drain_limit (scheduler, MS);
      if (wake->pushing)
        fill_graph (scheduler);
      for (guint i = 0; i < N; i++)
        {
          sleepers[i].end = end;
          sleepers[i].thread = g_thread_new ("sleeper", wake->pushing ? push_once : pull_once, &sleepers[i]);
        }
      g_usleep (round * 5 * MS); /* some come later than the event in the first round */
      wake->event (scheduler);
      for (guint i = 0; i < N; i++)
        {
          g_thread_join (sleepers[i].thread);
          g_assert_cmpint (sleepers[i].result, ==, wake->result);
          if (wake->result == HOLO_OP_ERROR)
            g_assert_error (sleepers[i].error, HOLO_ERROR, HOLO_ERROR_STATE);
          else
            g_assert_no_error (sleepers[i].error);
          g_clear_error (&sleepers[i].error);
        }
      test_finish (scheduler);
    }
  test_watchdog (0);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
}

/* A caller's own cancellable ends its call alone; the frame stays with it. */
static gpointer
cancel_later (gpointer user_data)
{
  g_usleep (10 * MS);
  g_cancellable_cancel (user_data);
  return NULL;
}

static void
test_own_cancellable (void)
{
  g_autoptr (HoloScheduler) scheduler =
      case_start (CASE_INPUT ("a") "w Abs\n" OUT "a > w > out\n", HOLO_DRIVING_THREADS);
  g_autoptr (HoloEnd) a = test_input (scheduler, "a"), out = test_output (scheduler, "out");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GThread *thread = g_thread_new ("cancel", cancel_later, cancellable);
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

  g_assert_cmpint (holo_end_pull (out, &frame, cancellable, NULL), ==, HOLO_OP_CANCELLED);
  g_thread_join (thread);
  g_cancellable_reset (cancellable);
  fill_graph (scheduler);
  thread = g_thread_new ("cancel", cancel_later, cancellable);
  case_frame_init (&frame, 3);
  g_assert_cmpint (holo_end_push (a, &frame, cancellable, NULL), ==, HOLO_OP_CANCELLED);
  g_thread_join (thread);
  g_assert_nonnull (frame.block);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat (case_pull (scheduler, "out"), ==, (gfloat) i);
  g_assert_cmpint (holo_end_push (a, &frame, NULL, NULL), ==, HOLO_OP_OK);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 3);
  case_finish (scheduler);
}

/* ---- before, between and after runs ---- */

static void
assert_not_started (HoloEnd *input, HoloEnd *output)
{
  g_autoptr (GError) error = NULL;
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

  g_assert_cmpint (case_try_push (input, 1, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
  g_clear_error (&error);
  g_assert_cmpint (holo_end_push_end (input, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
  g_clear_error (&error);
  g_assert_cmpint (holo_end_pull (output, &frame, NULL, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
  g_clear_error (&error);
  g_assert_cmpint (holo_end_try_pull (output, &frame, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
}

static void
test_life_of_an_end (void)
{
  g_autoptr (HoloPlan) plan = test_compile (CASE_INPUT ("a") OUT "a > out\n", NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloEnd) a = test_input (scheduler, "a"), out = test_output (scheduler, "out");
  g_autoptr (GError) error = NULL;
  HoloNodeStatistics statistics;

  test_watchdog (12 * CASE_SOON);
  g_assert_cmpstr (holo_end_get_name (a), ==, "a");
  g_assert_true (holo_end_is_input (a));
  g_assert_false (holo_end_is_input (out));
  g_assert_null (holo_scheduler_get_output (scheduler, "a", &error));
  g_assert_nonnull (error);
  assert_not_started (a, out);

  /* to the end: what is left comes first */
  test_start (scheduler);
  case_push (scheduler, "a", 1);
  test_push_end_into (scheduler, "a");
  g_assert_cmpint (case_try_push (a, 2, NULL), ==, HOLO_OP_EOF);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 1);
  case_assert_pull_gives (scheduler, "out", HOLO_OP_EOF);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  case_assert_pull_gives (scheduler, "out", HOLO_OP_EOF);
  g_assert_cmpint (case_try_push (a, 2, NULL), ==, HOLO_OP_EOF);

  /* to a stop, likewise */
  test_start (scheduler);
  case_push (scheduler, "a", 3);
  TEST_WAIT_UNTIL ((test_node_statistics (scheduler, "out", &statistics), statistics.push.calls == 1), CASE_SOON);
  test_finish (scheduler);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 3);
  case_assert_pull_gives (scheduler, "out", HOLO_OP_CANCELLED);
  g_assert_cmpint (case_try_push (a, 4, NULL), ==, HOLO_OP_CANCELLED);

  /* beyond the scheduler */
  g_clear_object (&scheduler);
  assert_not_started (a, out);
  g_assert_cmpstr (holo_end_get_name (out), ==, "out");
  test_watchdog (0);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
}

/* ---- flushes of two Inputs ---- */

/* They overlap and end one by one. */
static void
test_two_flushes (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (
      CASE_INPUT ("a") CASE_INPUT ("b") "add Add\n" OUT "a > add\nb > add.1\nadd > out\n", HOLO_DRIVING_THREADS);
  g_autoptr (HoloEnd) a = test_input (scheduler, "a"), b = test_input (scheduler, "b");
  g_autoptr (GError) error = NULL;

  holo_scheduler_flush_start (scheduler, a);
  holo_scheduler_flush_start (scheduler, b);
  g_assert_cmpint (case_try_push (b, 1, NULL), ==, HOLO_OP_FLUSHED);
  g_assert_true (holo_scheduler_flush_stop (scheduler, b, &error));
  g_assert_no_error (error);
  case_assert_pull_gives (scheduler, "out", HOLO_OP_FLUSHED);
  g_assert_cmpint (case_try_push (a, 1, NULL), ==, HOLO_OP_FLUSHED);
  g_assert_true (holo_scheduler_flush_stop (scheduler, a, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < 5; i++)
    {
      case_push (scheduler, "a", (gfloat) i);
      case_push (scheduler, "b", 10);
      g_assert_cmpfloat (case_pull (scheduler, "out"), ==, (gfloat) i + 10);
    }
  case_finish (scheduler);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  case_kinds_register ();
  g_test_add_func ("/holo/end-cases/several-pushers-and-readers", test_several_pushers_and_readers);
  for (guint i = 0; i < G_N_ELEMENTS (wake_cases); i++)
    {
      g_autofree gchar *path = g_strdup_printf ("/holo/end-cases/all-sleepers-wake/%s", wake_cases[i].name);

      g_test_add_data_func (path, &wake_cases[i], test_all_sleepers_wake);
    }
  g_test_add_func ("/holo/end-cases/own-cancellable", test_own_cancellable);
  g_test_add_func ("/holo/end-cases/life-of-an-end", test_life_of_an_end);
  g_test_add_func ("/holo/end-cases/two-flushes", test_two_flushes);
  return g_test_run ();
}
