/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts, ends and questions that meet: from several threads, from the scheduler's own callbacks, and with the last
 * reference dropped there. */
#include "case-frames.h"
#include "case-kinds.h"
#include "test-run.h"

#define MS      1000 /* us */
#define OUT     "out Output\n"
#define FORWARD CASE_INPUT ("in") OUT "in > out\n"
#define COLLECTED(count)                                                                                               \
  "s Sequence {\"shape\": [2], \"count\": " count "}\nq Queue\nsink HistoryCollect\ns > q > sink\n"

static HoloScheduler *
new_scheduler (const gchar *text)
{
  g_autoptr (HoloPlan) plan = test_compile (text, NULL);

  test_watchdog (12 * CASE_SOON);
  return holo_scheduler_new (plan);
}

static void
count_end (HoloScheduler *scheduler, const GError *error, gpointer user_data)
{
  g_assert_no_error (error);
  g_atomic_int_inc ((gint *) user_data);
}

/* ---- push against start ---- */

typedef struct
{
  HoloEnd *input;
  gint over;
  gint n_taken, n_refused;
} Pusher;

static gpointer
push_all_the_time (gpointer user_data)
{
  Pusher *pusher = user_data;

  while (!g_atomic_int_get (&pusher->over))
    {
      g_autoptr (GError) error = NULL;
      HoloOpResult result = case_try_push (pusher->input, 1, &error);

      if (result == HOLO_OP_ERROR)
        g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE); /* not started yet */
      else if (result != HOLO_OP_OK)
        g_assert_cmpint (result, ==, HOLO_OP_CANCELLED); /* stopped */
      g_atomic_int_inc (result == HOLO_OP_OK ? &pusher->n_taken : &pusher->n_refused);
    }
  return NULL;
}

/* Whatever a push meets, the run goes on until it is stopped. */
static void
check_push_against_start (HoloDriving driving)
{
  g_autoptr (HoloScheduler) scheduler = new_scheduler (FORWARD);
  g_autoptr (HoloEnd) in = test_input (scheduler, "in"), out = test_output (scheduler, "out");
  Pusher pusher = { in, FALSE, 0, 0 };
  enum
  {
    N = 500
  };
  gint n_ends = 0;
  GThread *thread;

  holo_scheduler_set_driving (scheduler, driving);
  holo_scheduler_set_ended_func (scheduler, count_end, &n_ends, NULL);
  holo_end_set_unread (out, TRUE);
  thread = g_thread_new ("pusher", push_all_the_time, &pusher);
  for (gint i = 0; i < N; i++)
    {
      gint n_taken = g_atomic_int_get (&pusher.n_taken);

      test_start (scheduler);
      if (i % 10 == 0)
        TEST_WAIT_UNTIL (g_atomic_int_get (&pusher.n_taken) > n_taken, CASE_SOON);
      g_assert_cmpint (g_atomic_int_get (&n_ends), ==, i);
      g_assert_true (holo_scheduler_is_running (scheduler));
      test_finish (scheduler);
      g_assert_true (holo_scheduler_was_stopped (scheduler));
      g_assert_cmpint (g_atomic_int_get (&n_ends), ==, i + 1);
    }
  g_atomic_int_set (&pusher.over, TRUE);
  g_thread_join (thread);
  g_assert_cmpint (pusher.n_taken, >=, N / 10);
  g_clear_object (&scheduler);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
  test_watchdog (0);
}

static void
test_push_against_start (gconstpointer user_data)
{
  check_push_against_start ((HoloDriving) GPOINTER_TO_INT (user_data));
}

/* ---- two starts ---- */

typedef struct
{
  HoloScheduler *scheduler;
  gint n_ready, n_started, n_refused;
} Starters;

static gpointer
start_at_once (gpointer user_data)
{
  Starters *starters = user_data;
  g_autoptr (GError) error = NULL;

  g_atomic_int_inc (&starters->n_ready);
  while (g_atomic_int_get (&starters->n_ready) < 2)
    ;
  if (holo_scheduler_start (starters->scheduler, &error))
    {
      g_assert_no_error (error);
      g_atomic_int_inc (&starters->n_started);
    }
  else
    {
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
      g_atomic_int_inc (&starters->n_refused);
    }
  return NULL;
}

static void
test_two_starts (void)
{
  g_autoptr (HoloScheduler) scheduler = new_scheduler (FORWARD);

  for (guint i = 0; i < 300; i++)
    {
      Starters starters = { scheduler, 0, 0, 0 };
      GThread *other = g_thread_new ("start", start_at_once, &starters);

      start_at_once (&starters);
      g_thread_join (other);
      g_assert_cmpint (starters.n_started, ==, 1);
      g_assert_cmpint (starters.n_refused, ==, 1);
      case_push (scheduler, "in", (gfloat) i);
      g_assert_cmpfloat (case_pull (scheduler, "out"), ==, (gfloat) i);
      test_finish (scheduler);
    }
  test_watchdog (0);
}

/* ---- a section that somebody else drives ---- */

typedef struct
{
  HoloSection *section;
  GCancellable *cancellable;
  HoloOpResult result;
  GError *error;
  gint returned;
} Iteration;

static gpointer
iterate_once (gpointer user_data)
{
  Iteration *iteration = user_data;

  iteration->result = holo_section_iterate (iteration->section, iteration->cancellable, &iteration->error);
  g_atomic_int_set (&iteration->returned, TRUE);
  return NULL;
}

/* Refused, or called off by the caller's own cancellable; never held up by whoever drives. */
static void
assert_iterate_comes_back (HoloSection *section)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Iteration iteration = { section, cancellable, HOLO_OP_OK, NULL, FALSE };
  GThread *thread = g_thread_new ("iterate", iterate_once, &iteration);

  g_usleep (10 * MS);
  g_cancellable_cancel (cancellable);
  TEST_WAIT_UNTIL (g_atomic_int_get (&iteration.returned), CASE_SOON);
  g_thread_join (thread);
  if (iteration.result == HOLO_OP_ERROR)
    g_assert_error (iteration.error, HOLO_ERROR, HOLO_ERROR_STATE);
  else
    g_assert_cmpint (iteration.result, ==, HOLO_OP_CANCELLED);
  g_clear_error (&iteration.error);
}

static gpointer
try_iterate_once (gpointer user_data)
{
  Iteration *iteration = user_data;

  iteration->result = holo_section_try_iterate (iteration->section, &iteration->error);
  g_atomic_int_set (&iteration->returned, TRUE);
  return NULL;
}

static void
assert_try_iterate_comes_back (HoloSection *section)
{
  Iteration iteration = { section, NULL, HOLO_OP_OK, NULL, FALSE };
  GThread *thread = g_thread_new ("iterate", try_iterate_once, &iteration);

  TEST_WAIT_UNTIL (g_atomic_int_get (&iteration.returned), CASE_SOON);
  g_thread_join (thread);
  if (iteration.result == HOLO_OP_ERROR)
    g_assert_error (iteration.error, HOLO_ERROR, HOLO_ERROR_STATE);
  else
    g_assert_cmpint (iteration.result, ==, HOLO_OP_NOT_READY);
  g_clear_error (&iteration.error);
}

static gpointer
push_numbers (gpointer user_data)
{
  for (guint i = 0; i < 10; i++)
    case_push (user_data, "in", (gfloat) i);
  return NULL;
}

/* Once the section's own thread waits for a frame, once a caller that pushes waits for room. */
static void
test_iterate_beside_driver (gconstpointer user_data)
{
  HoloDriving driving = (HoloDriving) GPOINTER_TO_INT (user_data);
  g_autoptr (HoloScheduler) scheduler =
      case_start (CASE_INPUT ("in") "q Queue {\"capacity\": 2}\n" OUT "in > q > out\n", driving);
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
  gint n = test_section (plan, "in", TRUE);
  g_autoptr (HoloSection) section = holo_scheduler_get_section (scheduler, (guint) n);
  GThread *thread;

  if (driving == HOLO_DRIVING_THREADS)
    {
      g_usleep (5 * MS);
      assert_iterate_comes_back (section);
      assert_try_iterate_comes_back (section);
    }
  thread = g_thread_new ("pusher", push_numbers, scheduler);
  TEST_WAIT_UNTIL (case_statistics (scheduler, "q").push.calls >= 2, CASE_SOON);
  g_usleep (5 * MS);
  assert_iterate_comes_back (section);
  assert_try_iterate_comes_back (section);
  for (guint i = 0; i < 10; i++)
    {
      g_autoptr (HoloSection) reader = holo_scheduler_get_section (scheduler, (guint) (1 - n));

      if (driving == HOLO_DRIVING_CALLER)
        g_assert_cmpint (holo_section_iterate (reader, NULL, NULL), ==, HOLO_OP_OK);
      g_assert_cmpfloat (case_pull (scheduler, "out"), ==, (gfloat) i);
    }
  g_thread_join (thread);
  case_finish (scheduler);
}

/* ---- statistics in several threads ---- */

typedef struct
{
  HoloScheduler *scheduler;
  gint over;
  gint n_answers;
} Asker;

static gpointer
ask_all_the_time (gpointer user_data)
{
  Asker *asker = user_data;
  guint64 last = 0;

  while (!g_atomic_int_get (&asker->over))
    {
      g_autoptr (GVariant) variant = holo_scheduler_get_statistics (asker->scheduler);
      g_autoptr (JsonNode) json = holo_scheduler_get_statistics_json (asker->scheduler);
      g_autofree gchar *text = holo_scheduler_get_statistics_text (asker->scheduler);
      HoloSectionStatistics section;
      HoloNodeStatistics node;

      g_assert_nonnull (variant);
      g_assert_true (g_variant_is_normal_form (variant));
      g_assert_true (JSON_NODE_HOLDS_OBJECT (json));
      g_assert_true (g_str_has_prefix (text, "node"));
      g_assert_true (holo_scheduler_get_section_statistics (asker->scheduler, 0, &section));
      test_node_statistics (asker->scheduler, "work", &node);
      g_assert_cmpstr (node.kind, ==, "Abs");
      g_assert_cmpuint (node.execute.calls, >=, last);
      last = node.execute.calls;
      g_atomic_int_inc (&asker->n_answers);
    }
  return NULL;
}

/* Each thread gets answers of its own, while frames flow and while the plan is exchanged. */
static void
test_statistics_in_threads (void)
{
  static const gchar *const texts[] = { CASE_INPUT ("in") "work Abs\n" OUT "in > work > out\n",
                                        CASE_INPUT ("in") "q Queue\nwork Abs\n" OUT "in > q > work > out\n" };
  g_autoptr (HoloScheduler) scheduler = new_scheduler (texts[0]);
  Asker asker = { scheduler, FALSE, 0 };
  GThread *threads[3];
  HoloNodeStatistics statistics;
  enum
  {
    N = 1000
  };

  test_start (scheduler);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("asker", ask_all_the_time, &asker);
  for (guint i = 0; i < N || g_atomic_int_get (&asker.n_answers) < 100; i++)
    {
      case_push (scheduler, "in", (gfloat) i);
      g_assert_cmpfloat (case_pull (scheduler, "out"), ==, (gfloat) i);
      if (i < N && i % 50 == 49)
        g_assert_cmpuint (case_update_and_wait (scheduler, texts[i / 50 % 2]), ==, 0);
      test_node_statistics (scheduler, "work", &statistics);
      g_assert_cmpuint (statistics.execute.calls, ==, i + 1);
    }
  g_atomic_int_set (&asker.over, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  case_finish (scheduler);
}

/* ---- the last reference, dropped in a callback ---- */

#define COUNTED "s Sequence {\"shape\": [2], \"count\": 3}\nm Metered\nq Queue\nr Metered\n" OUT "s > m > q > r > out\n"

static void
on_gone (gpointer user_data, GObject *object)
{
  g_atomic_int_inc ((gint *) user_data);
}

static void
drop_at_end (HoloScheduler *scheduler, const GError *error, gpointer user_data)
{
  g_object_unref (scheduler);
  g_atomic_int_inc ((gint *) user_data);
}

/* Everything goes, and the callback comes back. */
static void
test_dropped_in_ended (void)
{
  g_assert_cmpuint (case_metered_get_n_alive (), ==, 0);
  for (guint round = 0; round < 20; round++)
    {
      HoloScheduler *scheduler = new_scheduler (COUNTED);
      g_autoptr (HoloEnd) out = test_output (scheduler, "out");
      gint n_returned = 0, n_gone = 0;

      g_assert_cmpuint (case_metered_get_n_alive (), ==, 2);
      g_object_weak_ref (G_OBJECT (scheduler), on_gone, &n_gone);
      holo_scheduler_set_ended_func (scheduler, drop_at_end, &n_returned, NULL);
      test_start (scheduler);
      for (guint i = 0; i < 3; i++)
        {
          HoloFrame frame = HOLO_FRAME_INIT;

          g_assert_cmpint (holo_end_pull (out, &frame, NULL, NULL), ==, HOLO_OP_OK);
          g_assert_cmpfloat (case_frame_get_value (&frame), ==, (gfloat) i);
          holo_frame_clear (&frame);
        }
      TEST_WAIT_UNTIL (g_atomic_int_get (&n_returned) == 1, CASE_SOON);
      TEST_WAIT_UNTIL (g_atomic_int_get (&n_gone) == 1, CASE_SOON);
      TEST_WAIT_UNTIL (case_metered_get_n_alive () == 0, CASE_SOON);
    }
  test_watchdog (0);
}

static void
drop_at_report (HoloScheduler *scheduler, guint64 n_discarded, const GError *error, gpointer user_data)
{
  g_assert_no_error (error);
  g_object_unref (scheduler);
  g_atomic_int_inc ((gint *) user_data);
}

/* The run that it drops is in full swing: it stops. */
static void
test_dropped_in_updated (void)
{
  const gchar *text = "s Sequence {\"shape\": [2]}\nm Metered\nq Queue\nr Metered\n" OUT "s > m > q > r > out\n";

  for (guint round = 0; round < 20; round++)
    {
      HoloScheduler *scheduler = new_scheduler (text);
      g_autoptr (CaseReader) reader = NULL;
      gint n_returned = 0, n_gone = 0;

      g_object_weak_ref (G_OBJECT (scheduler), on_gone, &n_gone);
      test_start (scheduler);
      reader = case_reader_new (scheduler, "out");
      case_reader_wait_for (reader, 10);
      {
        g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
        g_autoptr (HoloGraph) graph = test_graph (COUNTED);
        g_autoptr (HoloPlan) next = test_compile_graph (graph, NULL, plan);

        holo_scheduler_update (scheduler, next, drop_at_report, &n_returned);
      }
      TEST_WAIT_UNTIL (g_atomic_int_get (&n_returned) == 1, CASE_SOON);
      TEST_WAIT_UNTIL (g_atomic_int_get (&n_gone) == 1, CASE_SOON);
      case_reader_join (reader);
      g_assert_cmpint (reader->result, !=, HOLO_OP_OK);
      TEST_WAIT_UNTIL (case_metered_get_n_alive () == 0, CASE_SOON);
    }
  test_watchdog (0);
}

/* A report is owed for every update, also when the scheduler goes before it is done. */
static void
test_dropped_before_the_report (void)
{
  for (guint round = 0; round < 30; round++)
    {
      HoloScheduler *scheduler = new_scheduler (COUNTED);
      CaseReport report;

      if (round % 3 != 0)
        test_start (scheduler);
      case_update (scheduler, "s Sequence {\"shape\": [2]}\nm Metered\n" OUT "s > m > out\n", &report);
      if (round % 3 == 2)
        g_usleep (g_random_int_range (0, 500));
      g_object_unref (scheduler);
      g_assert_cmpint (g_atomic_int_get (&report.n), ==, 1);
      g_free (report.message);
      g_assert_cmpuint (case_metered_get_n_alive (), ==, 0);
    }
  test_watchdog (0);
}

/* ---- callbacks that go on ---- */

typedef struct
{
  gint n_ends;
  gint n_starts;
  gint wait_returned;
} Again;

static void
start_again (HoloScheduler *scheduler, const GError *error, gpointer user_data)
{
  Again *again = user_data;
  g_autoptr (GError) own = NULL;

  g_assert_no_error (error);
  /* In the callback the run is over already: wait() says so at once. */
  g_assert_true (holo_scheduler_wait (scheduler, &own));
  g_assert_no_error (own);
  g_atomic_int_inc (&again->wait_returned);
  if (g_atomic_int_add (&again->n_ends, 1) < 4)
    {
      g_assert_true (holo_scheduler_start (scheduler, &own));
      g_assert_no_error (own);
      g_atomic_int_inc (&again->n_starts);
    }
}

static void
test_ended_starts_again (void)
{
  g_autoptr (HoloScheduler) scheduler = new_scheduler (COLLECTED ("7"));
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
  Again again = { 0 };
  HoloNodeStatistics statistics;

  holo_scheduler_set_ended_func (scheduler, start_again, &again, NULL);
  test_start (scheduler);
  TEST_WAIT_UNTIL (g_atomic_int_get (&again.n_ends) == 5, CASE_SOON);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  g_assert_cmpint (again.n_starts, ==, 4);
  g_assert_cmpint (again.wait_returned, ==, 5);
  g_assert_false (holo_scheduler_is_running (scheduler));
  /* what is counted and kept is of the last run alone */
  test_node_statistics (scheduler, "s", &statistics);
  g_assert_cmpuint (statistics.execute.calls, ==, 7);
  g_assert_cmpuint (test_collect_get_n_frames (test_task (plan, "sink")), ==, 7);
  test_watchdog (0);
}

#define AMOUNT(amount) CASE_INPUT ("in") "m Metered {\"amount\": " amount "}\n" OUT "in > m > out\n"

typedef struct
{
  gint n_reports;
  gboolean inside; /* still in the first call */
  gint n_nested;
} Chain;

/* Each report asks for the next change, and asks all else that may be asked. */
static void
change_again (HoloScheduler *scheduler, guint64 n_discarded, const GError *error, gpointer user_data)
{
  static const gchar *const texts[] = { AMOUNT ("20"), AMOUNT ("30"), AMOUNT ("40") };
  Chain *chain = user_data;
  gint n = g_atomic_int_add (&chain->n_reports, 1);

  g_assert_no_error (error);
  g_assert_cmpuint (n_discarded, ==, 0);
  if (n < (gint) G_N_ELEMENTS (texts))
    {
      g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
      g_autoptr (HoloGraph) graph = test_graph (texts[n]);
      g_autoptr (HoloPlan) next = test_compile_graph (graph, NULL, plan);
      g_autofree gchar *text = holo_scheduler_get_statistics_text (scheduler);

      g_assert_nonnull (text);
      holo_scheduler_update (scheduler, next, change_again, chain);
      return;
    }
  {
    g_autoptr (GError) own = NULL;
    gboolean set = holo_scheduler_set_setting_text (scheduler, "m", "amount", "50", &own);

    g_assert_no_error (own);
    g_assert_true (set);
  }
  case_push (scheduler, "in", 2);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 52);
  holo_scheduler_stop (scheduler);
  g_atomic_int_inc (&chain->n_nested);
}

static void
test_updated_goes_on (void)
{
  g_autoptr (HoloScheduler) scheduler = new_scheduler (AMOUNT ("0"));
  Chain chain = { 0 };

  test_start (scheduler);
  case_push (scheduler, "in", 1);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 1);
  {
    g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
    g_autoptr (HoloGraph) graph = test_graph (AMOUNT ("10"));
    g_autoptr (HoloPlan) next = test_compile_graph (graph, NULL, plan);

    holo_scheduler_update (scheduler, next, change_again, &chain);
  }
  TEST_WAIT_UNTIL (g_atomic_int_get (&chain.n_nested) == 1, CASE_SOON);
  g_assert_cmpint (g_atomic_int_get (&chain.n_reports), ==, 4);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  g_assert_true (holo_scheduler_was_stopped (scheduler));
  test_watchdog (0);
}

/* ---- a run from start to end in one call ---- */

static gpointer
cancel_later (gpointer user_data)
{
  g_usleep (20 * MS);
  g_cancellable_cancel (user_data);
  return NULL;
}

static void
check_run_is_cancelled (HoloScheduler *scheduler, gboolean before)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *thread = NULL;
  gint n_ends = 0;

  holo_scheduler_set_ended_func (scheduler, count_end, &n_ends, NULL);
  if (before)
    g_cancellable_cancel (cancellable);
  else
    thread = g_thread_new ("cancel", cancel_later, cancellable);
  g_assert_false (holo_scheduler_run (scheduler, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_false (holo_scheduler_is_running (scheduler));
  g_assert_cmpint (g_atomic_int_get (&n_ends), <=, 1);
  if (thread != NULL)
    {
      g_assert_true (holo_scheduler_was_stopped (scheduler));
      g_assert_cmpint (g_atomic_int_get (&n_ends), ==, 1);
      g_thread_join (thread);
    }
}

static void
test_whole_run (void)
{
  g_autoptr (HoloScheduler) scheduler = new_scheduler (COLLECTED ("100"));
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  gint n_ends = 0;

  holo_scheduler_set_ended_func (scheduler, count_end, &n_ends, NULL);
  for (gint i = 1; i <= 3; i++)
    {
      gboolean ended = holo_scheduler_run (scheduler, i == 2 ? NULL : cancellable, &error);

      g_assert_no_error (error);
      g_assert_true (ended);
      g_assert_false (holo_scheduler_was_stopped (scheduler));
      g_assert_cmpuint (test_collect_get_n_frames (test_task (plan, "sink")), ==, 100);
      g_assert_cmpint (g_atomic_int_get (&n_ends), ==, i);
    }
  g_clear_object (&scheduler);
  scheduler = new_scheduler ("s Sequence {\"shape\": [2]}\nq Queue\nsink Null\ns > q > sink\n");
  check_run_is_cancelled (scheduler, FALSE);
  check_run_is_cancelled (scheduler, TRUE);
  check_run_is_cancelled (scheduler, FALSE);
  test_watchdog (0);
}

/* A graph that waits for somebody who never comes is cancelled all the same. */
static void
test_run_is_cancelled_while_it_waits (void)
{
  g_autoptr (HoloScheduler) scheduler = new_scheduler (FORWARD);

  for (guint i = 0; i < 3; i++)
    check_run_is_cancelled (scheduler, FALSE);
  test_watchdog (0);
}

static void
test_run_that_fails (void)
{
  g_autoptr (HoloScheduler) scheduler =
      new_scheduler ("s Sequence {\"shape\": [2]}\nf FailAt {\"frame\": 5}\nsink Null\ns > f > sink\n");
  g_autoptr (GError) error = NULL;

  g_assert_false (holo_scheduler_run (scheduler, NULL, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_TASK);
  g_assert_nonnull (g_strstr_len (error->message, -1, "\"f\""));
  g_clear_error (&error);
  /* one run at a time */
  g_clear_object (&scheduler);
  scheduler = new_scheduler (FORWARD);
  test_start (scheduler);
  g_assert_false (holo_scheduler_run (scheduler, NULL, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
  case_finish (scheduler);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  case_kinds_register ();
  g_test_add_data_func ("/holo/start-cases/push-against-start/threads", GINT_TO_POINTER (HOLO_DRIVING_THREADS),
                        test_push_against_start);
  g_test_add_data_func ("/holo/start-cases/push-against-start/inputs", GINT_TO_POINTER (HOLO_DRIVING_INPUTS),
                        test_push_against_start);
  g_test_add_func ("/holo/start-cases/two-starts", test_two_starts);
  g_test_add_data_func ("/holo/start-cases/iterate-beside-driver/threads", GINT_TO_POINTER (HOLO_DRIVING_THREADS),
                        test_iterate_beside_driver);
  g_test_add_data_func ("/holo/start-cases/iterate-beside-driver/caller", GINT_TO_POINTER (HOLO_DRIVING_CALLER),
                        test_iterate_beside_driver);
  g_test_add_func ("/holo/start-cases/statistics-in-threads", test_statistics_in_threads);
  g_test_add_func ("/holo/start-cases/dropped-in-ended", test_dropped_in_ended);
  g_test_add_func ("/holo/start-cases/dropped-in-updated", test_dropped_in_updated);
  g_test_add_func ("/holo/start-cases/dropped-before-the-report", test_dropped_before_the_report);
  g_test_add_func ("/holo/start-cases/ended-starts-again", test_ended_starts_again);
  g_test_add_func ("/holo/start-cases/updated-goes-on", test_updated_goes_on);
  g_test_add_func ("/holo/start-cases/run", test_whole_run);
  g_test_add_func ("/holo/start-cases/run-is-cancelled-while-it-waits", test_run_is_cancelled_while_it_waits);
  g_test_add_func ("/holo/start-cases/run-that-fails", test_run_that_fails);
  return g_test_run ();
}
