/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forwarding sections that others run while their own thread sleeps: which are lent, and that stop, flush and exchange
 * of plans find them wherever they are. */
#include "device/holo-runtime-hooks.h"
#include "test-run.h"

#include <string.h>

enum
{
  N_FRAMES = 2000
};

/* Two queues in a row: a section between them that only forwards. The source pauses, so that it falls asleep. */
static const gchar chain[] = "source SequenceSource {\"base\": [0], \"end\": 2000}\npause Random {\"max-us\": 200}\n"
                             "a Queue {\"capacity\": 4}\nb Queue {\"capacity\": 4}\nsink HistoryCollect {}\n"
                             "source > pause > a > b > sink\n";

/* What the hook sees of the forwarding section; all atomic. */
static struct
{
  HoloTask *forwards_from; /* its pops are the section's */
  HoloTask *runs_before;   /* its calls are those of the section before */
  GThread *before;
  gint n_borrowed;
  gint n_own;
  gint delay;    /* us in each pop */
  gint held;     /* a borrower waits while this is set */
  gint n_inside; /* borrowers that wait */
} seen;

static void
watch_calls (HoloTask *task, HoloRuntimeCall call, HoloTensorView *const *views, guint n_views, guint n_inputs)
{
  if (task == g_atomic_pointer_get (&seen.runs_before))
    {
      /* by then the section behind is asleep: the first frame finds it lent, however slow this machine is */
      if (g_atomic_pointer_get (&seen.before) == NULL)
        g_usleep (50000);
      g_atomic_pointer_set (&seen.before, g_thread_self ());
    }
  if (task != g_atomic_pointer_get (&seen.forwards_from) || call != HOLO_RUNTIME_POP)
    return;
  if (g_atomic_int_get (&seen.delay) > 0)
    g_usleep ((gulong) g_atomic_int_get (&seen.delay));
  if (g_thread_self () != g_atomic_pointer_get (&seen.before))
    {
      g_atomic_int_inc (&seen.n_own);
      return;
    }
  g_atomic_int_inc (&seen.n_borrowed);
  if (!g_atomic_int_get (&seen.held))
    return;
  g_atomic_int_inc (&seen.n_inside);
  while (g_atomic_int_get (&seen.held))
    g_usleep (100);
}

static const HoloRuntimeHooks watching = { .before_call = watch_calls };

static void
watch (HoloPlan *plan, guint delay)
{
  memset (&seen, 0, sizeof seen);
  seen.forwards_from = test_task (plan, "a");
  seen.runs_before = test_task (plan, "source");
  seen.delay = (gint) delay;
  holo_runtime_set_hooks (&watching);
}

static void
check_all_frames (HoloPlan *plan)
{
  HoloTask *sink = test_task (plan, "sink");

  g_assert_cmpuint (test_collect_get_n_frames (sink), ==, N_FRAMES);
  for (guint i = 0; i < N_FRAMES; i++)
    test_assert_frame (plan, "sink", i, 1, (gdouble) i);
}

/* All of the chain, with pops of the forwarding section that take @delay us. */
static void
run_watched (guint delay)
{
  g_autoptr (HoloPlan) plan = test_compile (chain, NULL);

  test_watchdog (60);
  watch (plan, delay);
  test_run_plan (plan);
  holo_runtime_set_hooks (NULL);
  test_watchdog (0);
  check_all_frames (plan);
  g_test_message ("%d looks borrowed, %d its own", seen.n_borrowed, seen.n_own);
}

static void
test_light (void)
{
  run_watched (0);
  g_assert_cmpint (seen.n_borrowed, >, 0);
}

/* Forwarding that takes time stays in its own thread, but for the first frames, before that is known. */
static void
test_slow (void)
{
  run_watched (100);
  g_assert_cmpint (seen.n_own, >=, N_FRAMES - 10);
  g_assert_cmpint (seen.n_borrowed, <, 10);
}

/* ---- while somebody else runs it ---- */

static gpointer
let_go_later (gpointer data)
{
  g_usleep (20000);
  g_atomic_int_set (&seen.held, FALSE);
  return NULL;
}

/* Starts @scheduler and returns once a borrower is held inside the forwarding section. */
static void
start_and_hold (HoloScheduler *scheduler, HoloPlan *plan)
{
  watch (plan, 0);
  g_atomic_int_set (&seen.held, TRUE);
  test_start (scheduler);
  TEST_WAIT_UNTIL (g_atomic_int_get (&seen.n_inside) > 0, 20);
}

static void
test_stop (void)
{
  g_autoptr (HoloPlan) plan = test_compile (chain, NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

  test_watchdog (60);
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (GError) error = NULL;
      GThread *thread;

      start_and_hold (scheduler, plan);
      thread = g_thread_new ("let-go", let_go_later, NULL);
      holo_scheduler_stop (scheduler);
      g_assert_true (holo_scheduler_wait (scheduler, &error));
      g_assert_no_error (error);
      g_assert_true (holo_scheduler_was_stopped (scheduler));
      g_thread_join (thread);
    }
  holo_runtime_set_hooks (NULL);
  test_watchdog (0);
}

static void
count_report (HoloScheduler *scheduler, guint64 n_discarded, const GError *error, gpointer user_data)
{
  g_assert_no_error (error);
  g_assert_cmpuint (n_discarded, ==, 0);
  g_atomic_int_inc ((gint *) user_data);
}

/* The queues live on with what they hold: every frame arrives. */
static void
test_update (void)
{
  g_autoptr (HoloGraph) graph = test_graph (chain);
  g_autoptr (HoloPlan) first = test_compile_graph (graph, NULL, NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (first);
  g_autoptr (HoloPlan) second = test_compile_graph (graph, NULL, first);
  g_autoptr (GError) error = NULL;
  gint n_reports = 0;
  GThread *thread;

  test_watchdog (60);
  start_and_hold (scheduler, first);
  thread = g_thread_new ("let-go", let_go_later, NULL);
  holo_scheduler_update (scheduler, second, count_report, &n_reports);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
  g_assert_no_error (error);
  g_thread_join (thread);
  holo_runtime_set_hooks (NULL);
  TEST_WAIT_UNTIL (g_atomic_int_get (&n_reports) == 1, 5);
  test_watchdog (0);
  check_all_frames (second);
}

/* A queue that ends by itself finishes the forwarding section before it, wherever that runs, and with it the source. */
static void
test_end (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("source SequenceSource {\"base\": [0]}\npause Random {\"max-us\": 200}\n"
                                            "a Queue {}\nb TestQueue {\"limit\": 5}\nsink HistoryCollect {}\n"
                                            "source > pause > a > b > sink\n",
                                            NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

  test_watchdog (60);
  watch (plan, 0);
  test_run (scheduler);
  holo_runtime_set_hooks (NULL);
  test_watchdog (0);
  g_assert_cmpuint (test_collect_get_n_frames (test_task (plan, "sink")), ==, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/lend/light", test_light);
  g_test_add_func ("/holo/lend/slow", test_slow);
  g_test_add_func ("/holo/lend/stop", test_stop);
  g_test_add_func ("/holo/lend/update", test_update);
  g_test_add_func ("/holo/lend/end", test_end);
  return g_test_run ();
}
