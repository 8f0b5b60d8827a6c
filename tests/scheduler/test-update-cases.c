/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A graph changes while its sections hold something or wait for something: reported in time, nothing lost that is not
 * counted, every frame through the tasks of before or of after. */
#include <string.h>

#include "case-frames.h"
#include "case-kinds.h"
#include "stop-times.h"
#include "test-run.h"

#define MS          1000 /* us */
#define OUT         "out Output\n"
#define QUEUE(name) name " Queue {\"capacity\": 4}\n"

/* ---- a section that holds one of the two frames of a join ---- */

typedef struct
{
  const gchar *name;
  HoloDriving driving;
  const gchar *popped; /* nullable: the boundary whose frame the section holds before the change */
  const gchar *before, *after;
  gfloat (*result) (gfloat a, gfloat b); /* of @after */
} JoinCase;

#define JOIN_EDGES  "a > join\nb > join.1\njoin > out\n"
#define PLAIN(kind) CASE_INPUT ("a") CASE_INPUT ("b") "join " kind "\n" OUT JOIN_EDGES
#define RENAMED     CASE_INPUT ("a") CASE_INPUT ("b") "other Multiply\n" OUT "a > other\nb > other.1\nother > out\n"
#define WRITABLE    "b Input {\"dtype\": \"F32\", \"shape\": [2], \"writable\": true}\n"
#define MADE_ANEW   CASE_INPUT ("a") WRITABLE "join Add\n" OUT JOIN_EDGES
#define LONGER                                                                                                         \
  CASE_INPUT ("a")                                                                                                     \
  CASE_INPUT ("b")                                                                                                     \
  "more Metered {\"amount\": 100}\njoin Add\n" OUT "a > more > join\nb > join.1\njoin > out\n"
#define QUEUED(kind, capacity)                                                                                         \
  CASE_INPUT ("a")                                                                                                     \
  CASE_INPUT ("b")                                                                                                     \
  "qa Queue {\"capacity\": " capacity "}\n" QUEUE ("qb") "join " kind "\n" OUT                                         \
                                                         "a > qa > join\nb > qb\nqb > join.1\njoin > out\n"

static gfloat
sum (gfloat a, gfloat b)
{
  return a + b;
}

static gfloat
product (gfloat a, gfloat b)
{
  return a * b;
}

static gfloat
sum_and_hundred (gfloat a, gfloat b)
{
  return a + b + 100;
}

static const JoinCase join_cases[] = {
  { "threads/other-kind", HOLO_DRIVING_THREADS, "a", PLAIN ("Add"), PLAIN ("Multiply"), product },
  { "threads/renamed", HOLO_DRIVING_THREADS, "a", PLAIN ("Add"), RENAMED, product },
  { "threads/input-made-anew", HOLO_DRIVING_THREADS, "a", PLAIN ("Add"), MADE_ANEW, sum },
  { "threads/node-before-it", HOLO_DRIVING_THREADS, "a", PLAIN ("Add"), LONGER, sum_and_hundred },
  { "threads/queues-live-setting", HOLO_DRIVING_THREADS, "qa", QUEUED ("Add", "4"), QUEUED ("Add", "5"), sum },
  { "threads/queues-other-kind", HOLO_DRIVING_THREADS, "qa", QUEUED ("Add", "4"), QUEUED ("Multiply", "4"), product },
  { "inputs/other-kind", HOLO_DRIVING_INPUTS, NULL, PLAIN ("Add"), PLAIN ("Multiply"), product },
  { "inputs/input-made-anew", HOLO_DRIVING_INPUTS, NULL, PLAIN ("Add"), MADE_ANEW, sum },
  { "inputs/node-before-it", HOLO_DRIVING_INPUTS, NULL, PLAIN ("Add"), LONGER, sum_and_hundred },
  { "inputs/queues-live-setting", HOLO_DRIVING_INPUTS, "qa", QUEUED ("Add", "4"), QUEUED ("Add", "5"), sum },
  { "caller/other-kind", HOLO_DRIVING_CALLER, NULL, PLAIN ("Add"), PLAIN ("Multiply"), product },
  { "caller/input-made-anew", HOLO_DRIVING_CALLER, NULL, PLAIN ("Add"), MADE_ANEW, sum },
};

/* The end of `a` ends the join, and may have ended the run already. */
static void
end_other_input (HoloScheduler *scheduler)
{
  g_autoptr (HoloEnd) b = test_input (scheduler, "b");
  HoloOpResult result = holo_end_push_end (b, NULL);

  g_assert_true (result == HOLO_OP_OK || result == HOLO_OP_EOF);
}

/* The frame of `a` is there before the change, its partner comes after the report: what was only held goes through what is
 * new, and meets that partner. */
static void
test_half_a_join (gconstpointer user_data)
{
  const JoinCase *join = user_data;
  g_autoptr (HoloScheduler) scheduler = case_start (join->before, join->driving);
  enum
  {
    N = 6
  };

  case_push (scheduler, "a", 3);
  if (join->popped != NULL)
    case_wait_until_popped (scheduler, join->popped, 1);
  g_assert_cmpuint (case_update_and_wait (scheduler, join->after), ==, 0);
  case_assert_no_frame (scheduler, "out");
  case_push (scheduler, "b", 4);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, join->result (3, 4));
  for (guint i = 1; i < N; i++)
    {
      case_push (scheduler, "a", (gfloat) i);
      case_push (scheduler, "b", (gfloat) (10 * i));
      g_assert_cmpfloat (case_pull (scheduler, "out"), ==, join->result ((gfloat) i, (gfloat) (10 * i)));
    }
  test_push_end_into (scheduler, "a");
  end_other_input (scheduler);
  case_assert_pull_gives (scheduler, "out", HOLO_OP_EOF);
  case_wait_for_end (scheduler);
  /* What was given back and popped again went through once. */
  g_assert_cmpuint (case_statistics (scheduler, "a").pop.calls, ==, N);
  g_assert_cmpuint (case_statistics (scheduler, "b").pop.calls, ==, N);
  g_assert_cmpuint (case_statistics (scheduler, "a").discarded, ==, 0);
  g_assert_cmpuint (case_statistics (scheduler, "out").push.calls, ==, N);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
}

/* Two sources that nobody holds back, queues of different size, a join: half a pair is held at nearly any moment. */
#define SOURCES(capacity)                                                                                              \
  "a Sequence {\"shape\": [2]}\nb Sequence {\"shape\": [2], \"start\": 0.5}\n"                                         \
  "qa Queue {\"capacity\": " capacity "}\nqb Queue {\"capacity\": 9}\njoin Add\n" OUT                                  \
  "a > qa > join\nb > qb\nqb > join.1\njoin > out\n"

static void
test_free_running_sources (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (SOURCES ("2"), HOLO_DRIVING_THREADS);
  g_autoptr (CaseReader) reader = case_reader_new (scheduler, "out");

  for (guint i = 0; i < 20; i++)
    {
      CaseReport report;
      gint64 start;

      case_reader_wait_for (reader, case_reader_get_n (reader) + 10);
      start = g_get_monotonic_time ();
      case_update (scheduler, i % 2 ? SOURCES ("2") : SOURCES ("5"), &report);
      g_assert_cmpuint (case_report_wait (&report), ==, 0);
      note_stop (report.time - start, 10 * STOP_LIMIT);
    }
  assert_stopped_soon ();
  case_reader_wait_for (reader, case_reader_get_n (reader) + 10);
  test_finish (scheduler);
  /* Both sources went on where they were, and no pair was torn apart. */
  for (guint i = 0, n = case_reader_join (reader); i < MIN (n, 1u << 22); i++)
    g_assert_cmpfloat (case_reader_get (reader, i), ==, 2 * (gfloat) i + 0.5f);
  test_watchdog (0);
}

/* ---- what has been worked on and cannot leave ---- */

#define WORKING(kind) CASE_INPUT ("in") "work " kind "\n" OUT "in > work > out\n"

/* Nobody pulls: one frame fills the Output, one has been through the old task and cannot go on, one waits. */
static void
test_output_that_nobody_pulls (gconstpointer user_data)
{
  g_autoptr (HoloScheduler) scheduler = case_start (WORKING ("Scale {\"factor\": 2}"), HOLO_DRIVING_THREADS);

  for (guint i = 1; i <= 3; i++)
    case_push (scheduler, "in", (gfloat) i);
  TEST_WAIT_UNTIL (case_statistics (scheduler, "work").execute.calls == 2, CASE_SOON);
  g_assert_cmpuint (case_update_and_wait (scheduler, user_data), ==, 0);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 2);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 4);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 3 + 100);
  case_push (scheduler, "in", 4);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 4 + 100);
  test_push_end_into (scheduler, "in");
  case_assert_pull_gives (scheduler, "out", HOLO_OP_EOF);
  case_wait_for_end (scheduler);
  g_assert_cmpuint (case_statistics (scheduler, "out").push.calls, ==, 4);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
}

/* ---- branches that have ended ---- */

#define TWO_BRANCHES CASE_INPUT ("a") CASE_INPUT ("b") "x Output\ny Output\n"

/* A node that is put into a branch that has ended has ended too: nothing runs on nothing. */
static void
test_node_in_ended_branch (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (TWO_BRANCHES "a > x\nb > y\n", HOLO_DRIVING_THREADS);

  case_push (scheduler, "a", 1);
  test_push_end_into (scheduler, "a");
  g_assert_cmpfloat (case_pull (scheduler, "x"), ==, 1);
  case_assert_pull_gives (scheduler, "x", HOLO_OP_EOF);
  case_update_and_wait (scheduler, TWO_BRANCHES "work Sqrt\nq Queue\na > work > q > x\nb > y\n");
  case_assert_pull_gives (scheduler, "x", HOLO_OP_EOF);
  for (guint i = 0; i < 3; i++)
    {
      case_push (scheduler, "b", (gfloat) i);
      g_assert_cmpfloat (case_pull (scheduler, "y"), ==, (gfloat) i);
    }
  g_assert_cmpuint (case_statistics (scheduler, "work").execute.calls, ==, 0);
  test_push_end_into (scheduler, "b");
  case_assert_pull_gives (scheduler, "y", HOLO_OP_EOF);
  case_wait_for_end (scheduler);
}

static void
count_end (HoloScheduler *scheduler, const GError *error, gpointer user_data)
{
  g_assert_no_error (error);
  g_atomic_int_inc ((gint *) user_data);
}

/* The change takes away all that had not ended. */
static void
test_last_branch_goes (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (TWO_BRANCHES "a > x\nb > y\n", HOLO_DRIVING_THREADS);
  g_autoptr (HoloEnd) b = test_input (scheduler, "b");
  g_autoptr (GError) error = NULL;
  gint n_ends = 0;

  holo_scheduler_set_ended_func (scheduler, count_end, &n_ends, NULL);
  test_push_end_into (scheduler, "a");
  case_assert_pull_gives (scheduler, "x", HOLO_OP_EOF);
  g_assert_true (holo_scheduler_is_running (scheduler));
  case_update_and_wait (scheduler, CASE_INPUT ("a") "x Output\na > x\n");
  case_wait_for_end (scheduler);
  g_assert_cmpint (g_atomic_int_get (&n_ends), ==, 1);
  g_assert_false (holo_scheduler_is_running (scheduler));
  g_assert_cmpint (case_try_push (b, 1, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
}

/* ---- names last, numbers do not ---- */

static void
test_end_outlives_its_node (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (CASE_INPUT ("in") OUT "in > out\n", HOLO_DRIVING_THREADS);
  g_autoptr (HoloEnd) in = test_input (scheduler, "in");
  g_autoptr (GError) error = NULL;

  case_push (scheduler, "in", -1);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, -1);
  /* all numbers shift */
  case_update_and_wait (scheduler, "abs Abs\n" CASE_INPUT ("in") OUT "in > abs > out\n");
  g_assert_cmpint (case_try_push (in, -2, &error), ==, HOLO_OP_OK);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 2);
  /* the node goes ... */
  case_update_and_wait (scheduler, CASE_INPUT ("other") OUT "other > out\n");
  g_assert_cmpint (case_try_push (in, -3, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "\"in\""));
  g_clear_error (&error);
  case_push (scheduler, "other", -4);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, -4);
  /* ... and comes back */
  case_update_and_wait (scheduler, "abs Abs\n" CASE_INPUT ("in") OUT "in > abs > out\n");
  g_assert_cmpint (case_try_push (in, -5, &error), ==, HOLO_OP_OK);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, 5);
  case_finish (scheduler);
}

/* ---- events ---- */

#define HEARING(gain, work)                                                                                            \
  CASE_INPUT ("a")                                                                                                     \
  "work " work "\near Ear {\"gain\": " gain "}\n" OUT "a > work > ear > out\n"

static void
tell (HoloScheduler *scheduler, gint number)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_VALUE);
  g_autoptr (GError) error = NULL;

  json_node_set_int (node, number);
  g_assert_true (holo_event_router_send (holo_scheduler_get_event_router (scheduler), "ear", node, &error));
  g_assert_no_error (error);
}

static void
assert_answer (HoloScheduler *scheduler, gint heard, gdouble frame)
{
  g_autoptr (HoloEvent) event = holo_event_router_receive (holo_scheduler_get_event_router (scheduler));
  JsonObject *object;

  g_assert_nonnull (event);
  g_assert_cmpstr (event->node, ==, "ear");
  object = json_node_get_object (event->data);
  g_assert_cmpint (json_object_get_int_member (object, "heard"), ==, heard);
  g_assert_cmpfloat (json_object_get_double_member (object, "frame"), ==, frame);
}

/* Events reach a node that stays and one that is made anew, those sent before the change too. */
static void
test_events_go_on (void)
{
  static const gchar *const texts[] = { HEARING ("1", "Sqrt"), HEARING ("1", "Abs"), HEARING ("2", "Abs"),
                                        HEARING ("2", "Sqrt") };
  g_autoptr (HoloScheduler) scheduler = case_start (HEARING ("1", "Abs"), HOLO_DRIVING_THREADS);
  guint n_deaf = case_ear_get_n_deaf (), n_calls = case_ear_get_n_calls ();

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      tell (scheduler, (gint) (2 * i));
      case_update_and_wait (scheduler, texts[i]);
      tell (scheduler, (gint) (2 * i + 1));
      case_push (scheduler, "a", 1);
      g_assert_cmpfloat (case_pull (scheduler, "out"), ==, i < 2 ? 1 : 2);
      assert_answer (scheduler, (gint) (2 * i), 1);
      assert_answer (scheduler, (gint) (2 * i + 1), 1);
      g_assert_null (holo_event_router_receive (holo_scheduler_get_event_router (scheduler)));
    }
  g_assert_cmpuint (case_ear_get_n_calls () - n_calls, ==, G_N_ELEMENTS (texts));
  g_assert_cmpuint (case_ear_get_n_deaf () - n_deaf, ==, 0);
  case_finish (scheduler);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  case_kinds_register ();
  for (guint i = 0; i < G_N_ELEMENTS (join_cases); i++)
    {
      g_autofree gchar *path = g_strdup_printf ("/holo/update-cases/half-a-join/%s", join_cases[i].name);

      g_test_add_data_func (path, &join_cases[i], test_half_a_join);
    }
  g_test_add_func ("/holo/update-cases/free-running-sources", test_free_running_sources);
  g_test_add_data_func ("/holo/update-cases/output-that-nobody-pulls/other-kind", WORKING ("Metered {\"amount\": 100}"),
                        test_output_that_nobody_pulls);
  g_test_add_data_func ("/holo/update-cases/output-that-nobody-pulls/longer",
                        CASE_INPUT ("in") "other Metered {\"amount\": 40}\nmore Metered {\"amount\": 60}\n" OUT
                                          "in > other > more > out\n",
                        test_output_that_nobody_pulls);
  g_test_add_func ("/holo/update-cases/node-in-ended-branch", test_node_in_ended_branch);
  g_test_add_func ("/holo/update-cases/last-branch-goes", test_last_branch_goes);
  g_test_add_func ("/holo/update-cases/end-outlives-its-node", test_end_outlives_its_node);
  g_test_add_func ("/holo/update-cases/events-go-on", test_events_go_on);
  return g_test_run ();
}
