/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every pair of public functions from two threads at random, on graphs at work. No call hangs, each gives one of the answers
 * that the headers allow, and in the end nothing lives any more.
 *
 * HOLO_TEST_ROUNDS=n multiplies the rounds; HOLO_TEST_PAIR=a/b runs that pair alone. */
#include <string.h>

#include "case-frames.h"
#include "case-kinds.h"
#include "pair-calls.h"
#include "test-run.h"

#define N_CALLS 12  /* of each thread in a round */
#define TICK    200 /* us */
#define PATIENT                                                                                                        \
  (2 * 1000) /* us: a blocking call that takes longer waits for something that this round does not bring */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LONGEST (20 * G_USEC_PER_SEC)
#else
#define LONGEST (2 * G_USEC_PER_SEC)
#endif

/* ---- the graphs ---- */

typedef struct
{
  const gchar *name;
  HoloDriving driving;
  const gchar *inputs[3];
  const gchar *texts[4];
} PairGraph;

#define LINEAR(id, capacity)                                                                                           \
  CASE_INPUT ("in")                                                                                                    \
  "m Metered {\"id\": " id "}\nq Queue {\"capacity\": " capacity "}\nn Metered {\"id\": 1}\nout Output\n"              \
  "in > m > q > n > out\n"
#define OTHER_QUEUE                                                                                                    \
  CASE_INPUT ("in")                                                                                                    \
  "m Metered\nr Queue {\"capacity\": 2}\nout Output\nin > m > r > out\n"
#define JOIN(kind)                                                                                                     \
  CASE_INPUT ("in")                                                                                                    \
  CASE_INPUT ("b")                                                                                                     \
  "j " kind "\nm Metered\nout Output\nin > j\nb > j.1\nj > m > out\n"
#define QUEUED_JOIN                                                                                                    \
  CASE_INPUT ("in")                                                                                                    \
  CASE_INPUT ("b")                                                                                                     \
  "q Queue {\"capacity\": 2}\nj Add\nm Metered\nout Output\nin > q > j\nb > j.1\nj > m > out\n"

static const PairGraph graphs[] = {
  { "linear", HOLO_DRIVING_THREADS, { "in" }, { LINEAR ("0", "4"), LINEAR ("2", "3"), OTHER_QUEUE } },
  { "join", HOLO_DRIVING_INPUTS, { "in", "b" }, { JOIN ("Add"), JOIN ("Multiply"), QUEUED_JOIN } },
  { "caller", HOLO_DRIVING_CALLER, { "in" }, { LINEAR ("0", "4"), LINEAR ("2", "4"), OTHER_QUEUE } },
  { "join-threads", HOLO_DRIVING_THREADS, { "in", "b" }, { JOIN ("Add"), QUEUED_JOIN, JOIN ("Multiply") } },
};

/* ---- threads that keep the graph at work ---- */

typedef struct
{
  PairRound round;
  gint n_read;
} Work;

static gpointer
feed (gpointer user_data)
{
  PairRound *round = user_data;

  for (guint i = 0; !g_atomic_int_get (&round->over); i++)
    {
      g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

      case_frame_init (&frame, (gfloat) (i % 100));
      if (holo_end_push (round->inputs[i % round->n_inputs], &frame, round->cancellable, NULL) != HOLO_OP_OK)
        g_usleep (TICK);
    }
  return NULL;
}

static gpointer
read_all (gpointer user_data)
{
  Work *work = user_data;

  while (!g_atomic_int_get (&work->round.over))
    {
      g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

      if (holo_end_pull (work->round.output, &frame, work->round.cancellable, NULL) == HOLO_OP_OK)
        g_atomic_int_inc (&work->n_read);
      else
        g_usleep (TICK);
    }
  return NULL;
}

static gpointer
drive (gpointer user_data)
{
  PairRound *round = user_data;

  while (!g_atomic_int_get (&round->over))
    {
      g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (round->scheduler);
      gboolean moved = FALSE;

      for (guint i = 0; i < holo_plan_get_n_sections (plan); i++)
        {
          g_autoptr (HoloSection) section = holo_scheduler_get_section (round->scheduler, i);

          if (section != NULL)
            moved |= holo_section_try_iterate (section, NULL) == HOLO_OP_OK;
        }
      if (!moved)
        g_usleep (TICK / 4);
    }
  return NULL;
}

/* ---- two threads that call ---- */

typedef struct
{
  PairRound *round;
  const PairCall *call;
  GRand *rand;
  GThread *thread;
  gint n_begun, n_done; /* calls */
  /* the main thread's */
  gint seen;
  gint64 since;
} Caller;

static gpointer
call_at_random (gpointer user_data)
{
  Caller *caller = user_data;

  for (guint i = 0; i < N_CALLS && !g_atomic_int_get (&caller->round->over); i++)
    {
      if (g_rand_boolean (caller->rand))
        g_usleep ((gulong) g_rand_int_range (caller->rand, 0, 100));
      g_atomic_int_inc (&caller->n_begun);
      caller->call->call (caller->round, caller->rand);
      g_atomic_int_inc (&caller->n_done);
    }
  g_atomic_int_set (&caller->n_done, N_CALLS + 1);
  return NULL;
}

static gboolean
is_finished (Caller *caller)
{
  return g_atomic_int_get (&caller->n_done) > N_CALLS;
}

/* How long the call that goes on has taken, as far as seen from here. */
static gint64
get_duration (Caller *caller)
{
  gint n = g_atomic_int_get (&caller->n_done);

  if (n != caller->seen || caller->since == 0)
    {
      caller->seen = n;
      caller->since = g_get_monotonic_time ();
    }
  return g_get_monotonic_time () - caller->since;
}

static void
assert_in_time (Caller *caller, gboolean may_block)
{
  if (is_finished (caller) || (may_block && caller->call->blocks))
    return;
  if (get_duration (caller) > LONGEST)
    {
      test_watchdog (1); /* shows the label, and leaves a core */
      g_usleep (2 * G_USEC_PER_SEC);
    }
}

/* Until both have done what they should, or wait for what only the end can bring. */
static void
watch_callers (Caller *callers)
{
  for (;;)
    {
      guint n_idle = 0;

      for (guint i = 0; i < 2; i++)
        {
          assert_in_time (&callers[i], TRUE);
          n_idle += is_finished (&callers[i]) || (callers[i].call->blocks && get_duration (&callers[i]) > PATIENT);
        }
      if (n_idle == 2)
        return;
      g_usleep (TICK);
    }
}

/* From now on every call comes back. A start may come after any stop. */
static void
end_callers (PairRound *round, Caller *callers)
{
  g_atomic_int_set (&round->over, TRUE);
  g_cancellable_cancel (round->cancellable);
  callers[0].since = callers[1].since = 0;
  while (!is_finished (&callers[0]) || !is_finished (&callers[1]))
    {
      holo_scheduler_stop (round->scheduler);
      for (guint i = 0; i < 2; i++)
        assert_in_time (&callers[i], FALSE);
      g_usleep (TICK);
    }
  for (guint i = 0; i < 2; i++)
    {
      g_thread_join (callers[i].thread);
      g_rand_free (callers[i].rand);
    }
}

/* ---- one round ---- */

static void
begin_round (PairRound *round, const PairGraph *graph)
{
  g_autoptr (HoloPlan) plan = NULL;

  round->texts = graph->texts;
  round->cancellable = g_cancellable_new ();
  plan = pair_round_compile (round, 0, NULL);
  round->scheduler = holo_scheduler_new (plan);
  holo_scheduler_set_driving (round->scheduler, graph->driving);
  holo_scheduler_set_drain_limit (round->scheduler, 1000);
  holo_scheduler_set_ended_func (round->scheduler, pair_round_on_ended, round, NULL);
  for (; graph->inputs[round->n_inputs] != NULL; round->n_inputs++)
    round->inputs[round->n_inputs] = test_input (round->scheduler, graph->inputs[round->n_inputs]);
  round->output = test_output (round->scheduler, "out");
  test_start (round->scheduler);
  round->n_starts = 1;
}

static void
end_round (PairRound *round)
{
  for (guint i = 0; i < round->n_inputs; i++)
    holo_end_unref (round->inputs[i]);
  holo_end_unref (round->output);
  test_finish (round->scheduler);
  g_assert_false (holo_scheduler_is_running (round->scheduler));
  g_assert_finalize_object (round->scheduler);
  g_object_unref (round->cancellable);
  g_assert_cmpint (g_atomic_int_get (&round->n_reports), ==, round->n_updates);
  g_assert_cmpint (g_atomic_int_get (&round->n_ends), >=, round->n_starts);
  g_assert_cmpint (g_atomic_int_get (&round->n_ends), <=, round->n_starts + round->n_maybe_starts);
  g_assert_cmpint (g_atomic_int_get (&round->n_notified), ==, round->n_allocators);
  g_assert_cmpint (g_atomic_int_get (&round->n_tasks), ==, 0);
  g_assert_cmpuint (case_metered_get_n_alive (), ==, 0);
  g_assert_cmpuint (case_get_n_blocks (), ==, 0);
}

static void
run_round (const PairGraph *graph, const PairCall *a, const PairCall *b, guint32 seed)
{
  Work work = { { 0 } };
  Caller callers[2] = { { &work.round, a, g_rand_new_with_seed (seed) },
                        { &work.round, b, g_rand_new_with_seed (seed + 1) } };
  GThread *feeder, *reader, *driver = NULL;

  begin_round (&work.round, graph);
  feeder = g_thread_new ("feeder", feed, &work.round);
  reader = g_thread_new ("reader", read_all, &work);
  if (graph->driving == HOLO_DRIVING_CALLER)
    driver = g_thread_new ("driver", drive, &work.round);
  while (g_atomic_int_get (&work.n_read) == 0) /* the watchdog looks on */
    g_usleep (TICK);
  for (guint i = 0; i < 2; i++)
    callers[i].thread = g_thread_new (callers[i].call->name, call_at_random, &callers[i]);
  watch_callers (callers);
  end_callers (&work.round, callers);
  g_thread_join (feeder);
  g_thread_join (reader);
  if (driver != NULL)
    g_thread_join (driver);
  end_round (&work.round);
}

static guint
get_n_rounds (void)
{
  const gchar *text = g_getenv ("HOLO_TEST_ROUNDS");

  return text != NULL ? (guint) g_ascii_strtoull (text, NULL, 10) : 1;
}

static gboolean
is_wanted (const PairCall *a, const PairCall *b)
{
  const gchar *only = g_getenv ("HOLO_TEST_PAIR");
  g_autofree gchar *name = g_strdup_printf ("%s/%s", a->name, b->name);

  return only == NULL || g_str_equal (only, name);
}

/* One function with each that comes after it, and with itself. */
static void
test_pairs_of (gconstpointer user_data)
{
  guint first = GPOINTER_TO_UINT (user_data);

  for (guint second = first; second < pair_get_n_calls (); second++)
    for (guint k = 0; k < get_n_rounds () * G_N_ELEMENTS (graphs); k++)
      {
        const PairGraph *graph = &graphs[k % G_N_ELEMENTS (graphs)];
        const PairCall *a = &pair_calls[first], *b = &pair_calls[second];
        g_autofree gchar *label = g_strdup_printf ("%s/%s, graph %s, round %u\n", a->name, b->name, graph->name, k);

        if (!is_wanted (a, b))
          continue;
        test_watchdog_label (label);
        test_watchdog (4 * LONGEST / G_USEC_PER_SEC);
        run_round (graph, a, b, (first * 100 + second) * 1000 + k);
      }
  test_watchdog (0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  case_kinds_register ();
  for (guint i = 0; i < pair_get_n_calls (); i++)
    {
      g_autofree gchar *path = g_strdup_printf ("/holo/pairs/%s", pair_calls[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_pairs_of);
    }
  return g_test_run ();
}
