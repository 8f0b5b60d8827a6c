/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The life of a run: stopped in every state it can wait in, started again, idle, ended from inside. */
#include "test-run.h"

#include "hb-checker.h"
#include "sim-device.h"
#include "stop-times.h"

#include <string.h>
#include <sys/resource.h>

static gint64
stop_and_join (HoloScheduler *scheduler)
{
  gint64 start = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;

  holo_scheduler_stop (scheduler);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
  g_assert_no_error (error);
  g_assert_false (holo_scheduler_is_running (scheduler));
  g_assert_true (holo_scheduler_was_stopped (scheduler));
  return g_get_monotonic_time () - start;
}

/* Starts @plan, waits until @blocked says it stands, and stops it: more than once, since the second run shows what the first
 * left. */
static void
check_stop (HoloPlan *plan, gboolean (*blocked) (HoloPlan *plan))
{
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

  test_watchdog (20);
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (holo_scheduler_start (scheduler, &error));
      g_assert_no_error (error);
      TEST_WAIT_UNTIL (blocked (plan), 5);
      note_stop (stop_and_join (scheduler), 10 * STOP_LIMIT);
    }
  assert_stopped_soon ();
  test_watchdog (0);
}

/* ---- states to be stopped in ---- */

static gboolean
gate_is_entered (HoloPlan *plan)
{
  return test_gate_get_n_waiting () > 0;
}

static void
test_stop_in_task (void)
{
  g_autoptr (HoloPlan) plan =
      test_compile ("source SequenceSource {\"base\": [0]}\ngate Gate {}\nsink HistoryCollect {}\n"
                    "source > gate > sink\n",
                    NULL);

  test_gate_set_open (FALSE);
  check_stop (plan, gate_is_entered);
}

/* Stands when the number of refusals or pushes does not change for a while, counted by the calls. */
static gboolean
queue_is_full (HoloPlan *plan)
{
  HoloTask *task = test_task (plan, "queue");

  return test_gate_get_n_waiting () > 0 && test_task_get_n_push_refusals (task) > 0;
}

static void
test_stop_in_push (void)
{
  g_autoptr (HoloPlan) plan =
      test_compile ("source SequenceSource {\"base\": [0]}\nqueue TestQueue {\"capacity\": 2}\ngate Gate {}\n"
                    "sink HistoryCollect {}\nsource > queue > gate > sink\n",
                    NULL);

  test_gate_set_open (FALSE);
  check_stop (plan, queue_is_full);
}

static gboolean
source_waits_for_slot (HoloPlan *plan)
{
  return test_gate_get_n_waiting () > 0 && test_task_get_n_pushes (test_task (plan, "queue")) % 2 == 0 &&
         test_task_get_n_pushes (test_task (plan, "queue")) > 0;
}

static void
test_stop_in_acquire (void)
{
  g_autoptr (HoloPlan) plan =
      test_compile ("source SequenceSource {\"base\": [0]}\nqueue TestQueue {\"capacity\": 2, \"mode\": \"owned\"}\n"
                    "gate Gate {}\nsink HistoryCollect {}\nsource > queue > gate > sink\n",
                    NULL);

  test_gate_set_open (FALSE);
  check_stop (plan, source_waits_for_slot);
}

static gboolean
pop_was_refused (HoloPlan *plan)
{
  return test_task_get_n_pop_refusals (test_task (plan, "mailbox")) > 0;
}

static void
test_stop_in_pop (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("mailbox Mailbox {}\nsink HistoryCollect {}\nmailbox > sink\n", NULL);

  check_stop (plan, pop_was_refused);
}

/* Waits on the timer of a task that signals nothing. */
static gboolean
bridge_refuses (HoloPlan *plan)
{
  return test_task_get_n_push_refusals (test_task (plan, "bridge")) > 2;
}

static void
test_stop_in_retry (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("source SequenceSource {\"base\": [0]}\nbridge Bridge {}\ngate Gate {}\n"
                                            "sink HistoryCollect {}\nsource > bridge > gate > sink\n",
                                            NULL);

  test_gate_set_open (FALSE);
  check_stop (plan, bridge_refuses);
}

/* A join of which one side gives nothing. */
static void
test_stop_in_join (void)
{
  g_autoptr (HoloPlan) plan =
      test_compile ("mailbox Mailbox {}\nsource SequenceSource {\"base\": [0]}\nqueue TestQueue {}\nadd TestAdd {}\n"
                    "sink HistoryCollect {}\nsource > queue\nmailbox > add.0\nqueue > add.1\nadd > sink\n",
                    NULL);

  check_stop (plan, pop_was_refused);
}

/* Device work goes on for a while: it is awaited, and the rest of the stop keeps its limit. */
static void
test_stop_with_device_work (void)
{
  HoloDevice *device = sim_device_new (7, 300);
  {
    g_autoptr (HoloPlan) plan =
        test_compile ("source SequenceSource {\"base\": [0, 1]}\nup Transfer {\"target\": \"Device\"}\n"
                      "scale Scale {\"factor\": 2}\nqueue TestQueue {\"fences\": true, \"mode\": \"owned\"}\n"
                      "down Transfer {\"target\": \"Host\"}\nsink HistoryCollect {}\n"
                      "source > up > scale > queue > down > sink\n",
                      device);
    g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
    guint n;

    test_watchdog (20);
    for (guint i = 0; i < 10; i++)
      {
        g_assert_true (holo_scheduler_start (scheduler, NULL));
        TEST_WAIT_UNTIL (test_collect_get_n_frames (test_task (plan, "sink")) >= 3, 5);
        note_stop (stop_and_join (scheduler), 10 * STOP_LIMIT);
        n = test_collect_get_n_frames (test_task (plan, "sink"));
        for (guint k = 0; k < n; k++)
          test_assert_frame (plan, "sink", k, 2, 2.0 * k, 2.0 * (1 + k));
      }
    assert_stopped_soon ();
    test_watchdog (0);
  }
  g_assert_finalize_object (device);
}

/* ---- callers that wait ---- */

typedef struct
{
  HoloEnd *end;         /* pushed into or pulled from */
  HoloSection *section; /* or iterated */
  GCancellable *cancellable;
  gint n_calls;
  HoloOpResult result;
} Caller;

static gpointer
push_until_refused (gpointer data)
{
  Caller *caller = data;
  const gint64 shape[] = { 2 };
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  do
    {
      g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

      g_assert_true (holo_frame_init_alloc (&frame, &desc, NULL));
      g_atomic_int_inc (&caller->n_calls);
      caller->result = holo_end_push (caller->end, &frame, caller->cancellable, NULL);
    }
  while (caller->result == HOLO_OP_OK);
  return NULL;
}

static gpointer
pull_until_refused (gpointer data)
{
  Caller *caller = data;

  do
    {
      g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

      g_atomic_int_inc (&caller->n_calls);
      caller->result = holo_end_pull (caller->end, &frame, caller->cancellable, NULL);
    }
  while (caller->result == HOLO_OP_OK);
  return NULL;
}

static gpointer
iterate_until_refused (gpointer data)
{
  Caller *caller = data;

  do
    {
      g_atomic_int_inc (&caller->n_calls);
      caller->result = holo_section_iterate (caller->section, caller->cancellable, NULL);
    }
  while (caller->result == HOLO_OP_OK);
  return NULL;
}

/* A thread of the application waits in a push, a pull or an iteration; a stop of the run, or its own
 * cancellable, ends that. */
static void
check_caller (const gchar *text, HoloEnd *(*get_end) (HoloScheduler *scheduler, const gchar *name), const gchar *name,
              GThreadFunc func, gint n_calls, HoloDriving driving)
{
  g_autoptr (HoloPlan) plan = test_compile (text, NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloEnd) end = get_end != NULL ? get_end (scheduler, name) : NULL;
  g_autoptr (HoloSection) section = holo_scheduler_get_section (scheduler, 0);

  test_gate_set_open (FALSE);
  holo_scheduler_set_driving (scheduler, driving);
  test_watchdog (20);
  for (guint i = 0; i < 6; i++)
    {
      gboolean cancel = i % 2;
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      Caller caller = { end, section, cancellable, 0, HOLO_OP_OK };
      GThread *thread;
      gint64 start;

      g_assert_true (holo_scheduler_start (scheduler, NULL));
      thread = g_thread_new ("caller", func, &caller);
      TEST_WAIT_UNTIL (g_atomic_int_get (&caller.n_calls) == n_calls, 5);
      g_usleep (2000); /* mostly it sleeps by now; right it must be in any case */
      start = g_get_monotonic_time ();
      if (cancel)
        g_cancellable_cancel (cancellable);
      else
        holo_scheduler_stop (scheduler);
      g_thread_join (thread);
      note_stop (g_get_monotonic_time () - start, 10 * STOP_LIMIT);
      g_assert_cmpint (caller.result, ==, HOLO_OP_CANCELLED);
      if (cancel)
        g_assert_true (holo_scheduler_is_running (scheduler));
      stop_and_join (scheduler);
    }
  assert_stopped_soon ();
  test_watchdog (0);
}

#define GATED                                                                                                          \
  "in Input {\"dtype\": \"F32\", \"shape\": [2]}\ngate Gate {}\nsink Null {}\nq Queue {\"capacity\": 1}\n"             \
  "in > q > gate > sink\n"

static void
test_stop_in_caller_push (gconstpointer data)
{
  /* one frame in the gate, one in the queue; then the driver waits; or one in the forwarding section, one in
   * the slot */
  HoloDriving driving = (HoloDriving) GPOINTER_TO_INT (data);

  check_caller (GATED, test_input, "in", push_until_refused, driving == HOLO_DRIVING_INPUTS ? 3 : 5, driving);
}

static void
test_stop_in_caller_pull (void)
{
  check_caller ("mailbox Mailbox {\"size\": 2}\nout Output {}\nmailbox > out\n", test_output, "out", pull_until_refused,
                1, HOLO_DRIVING_THREADS);
}

static void
test_stop_in_iterate (void)
{
  check_caller ("mailbox Mailbox {}\nsink Null {}\nmailbox > sink\n", NULL, NULL, iterate_until_refused, 1,
                HOLO_DRIVING_CALLER);
}

/* ---- restart ---- */

static void
test_restart (void)
{
  g_autoptr (HoloPlan) plan = test_compile (
      "source SequenceSource {\"base\": [0, 10], \"end\": 23}\nsum Sum {}\nqueue TestQueue {}\n"
      "batch TestBatch {\"size\": 4}\nbridge Bridge {\"forced_push\": 2, \"forced_pop\": 1}\nlast Sum {}\n"
      "sink HistoryCollect {}\nsource > sum > queue > batch > bridge > last > sink\n",
      NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  HoloTask *sink = test_task (plan, "sink");
  gfloat first[5][8];

  test_watchdog (20);
  for (guint run = 0; run < 20; run++)
    {
      /* an ended run, a stopped one, an ended one ... */
      if (run % 2 == 1)
        {
          /* which may end by itself before the stop */
          g_assert_true (holo_scheduler_start (scheduler, NULL));
          holo_scheduler_stop (scheduler);
          g_assert_true (holo_scheduler_wait (scheduler, NULL));
          continue;
        }
      test_run (scheduler);
      g_assert_cmpuint (test_collect_get_n_frames (sink), ==, 5);
      for (guint n = 0; n < 5; n++)
        {
          const gfloat *frame = test_collect_get_frame (sink, n, NULL);

          if (run == 0)
            memcpy (first[n], frame, sizeof first[n]);
          g_assert_cmpmem (frame, sizeof first[n], first[n], sizeof first[n]);
        }
      g_assert_cmpuint (holo_task_get_discarded (test_task (plan, "batch")), ==, 3);
    }
  test_watchdog (0);
}

static void
test_start_and_stop_at_once (void)
{
  g_autoptr (HoloPlan) plan =
      test_compile ("source SequenceSource {\"base\": [0]}\na TestQueue {}\nb TestQueue {\"mode\": \"owned\"}\n"
                    "c Bridge {\"forced_every\": 3}\nsink HistoryCollect {}\nsource > a > b > c > sink\n",
                    NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  GRand *rand = g_rand_new_with_seed (5);

  test_watchdog (60);
  for (guint i = 0; i < 200; i++)
    {
      g_assert_true (holo_scheduler_start (scheduler, NULL));
      if (i % 2 == 0)
        g_usleep ((gulong) g_rand_int_range (rand, 0, 500));
      note_stop (stop_and_join (scheduler), 10 * STOP_LIMIT);
    }
  assert_stopped_soon ();
  g_rand_free (rand);
  test_watchdog (0);
}

/* A run that nobody waits for, of a scheduler that goes away. */
static void
test_drop_while_running (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("source SequenceSource {\"base\": [0]}\nqueue TestQueue {}\n"
                                            "sink HistoryCollect {}\nsource > queue > sink\n",
                                            NULL);

  test_watchdog (10);
  for (guint i = 0; i < 10; i++)
    {
      HoloScheduler *scheduler = holo_scheduler_new (plan);

      g_assert_true (holo_scheduler_start (scheduler, NULL));
      g_object_unref (scheduler);
    }
  test_watchdog (0);
}

static void
count_end (HoloScheduler *scheduler, const GError *error, gpointer user_data)
{
  g_assert_no_error (error);
  g_atomic_int_inc ((gint *) user_data);
}

static void
count_notify (gpointer user_data)
{
  g_atomic_int_inc ((gint *) user_data);
}

static void
test_ended_func (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("source SequenceSource {\"base\": [0], \"end\": 5}\nqueue TestQueue {}\n"
                                            "sink HistoryCollect {}\nsource > queue > sink\n",
                                            NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  gint n_ends = 0;

  test_watchdog (10);
  holo_scheduler_set_ended_func (scheduler, count_end, &n_ends, NULL);
  for (gint i = 1; i <= 10; i++)
    {
      test_run (scheduler);
      g_assert_cmpint (g_atomic_int_get (&n_ends), ==, i);
    }

  /* data are freed once, when another function comes or the scheduler goes */
  holo_scheduler_set_ended_func (scheduler, count_end, &n_ends, count_notify);
  g_assert_cmpint (g_atomic_int_get (&n_ends), ==, 10);
  holo_scheduler_set_ended_func (scheduler, count_end, &n_ends, count_notify);
  g_assert_cmpint (g_atomic_int_get (&n_ends), ==, 11);
  test_run (scheduler);
  g_assert_cmpint (g_atomic_int_get (&n_ends), ==, 12);
  g_clear_object (&scheduler);
  g_assert_cmpint (g_atomic_int_get (&n_ends), ==, 13);
  test_watchdog (0);
}

/* ---- idle ---- */

static gint64
cpu_time (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * G_USEC_PER_SEC + usage.ru_utime.tv_usec +
         usage.ru_stime.tv_usec;
}

/* Four sections that wait for input, room and a closed gate, none of them on a timer: under 1 % of a core. */
static void
test_idle (void)
{
  g_autoptr (HoloPlan) plan =
      test_compile ("mailbox Mailbox {}\nidle HistoryCollect {}\nmailbox > idle\n"
                    "source SequenceSource {\"base\": [0]}\na TestQueue {}\nb TestQueue {\"mode\": \"owned\"}\n"
                    "gate Gate {}\nsink HistoryCollect {}\nsource > a > b > gate > sink\n",
                    NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  guint n_calls, refusals;
  gint64 before, used;

  test_gate_set_open (FALSE);
  test_watchdog (20);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  TEST_WAIT_UNTIL (test_gate_get_n_waiting () > 0 && test_task_get_n_push_refusals (test_task (plan, "a")) > 0 &&
                       pop_was_refused (plan),
                   5);
  g_usleep (20000); /* the last frames settle */
  n_calls = test_task_get_n_calls (test_task (plan, "a")) + test_task_get_n_calls (test_task (plan, "mailbox"));
  refusals = test_task_get_n_push_refusals (test_task (plan, "a"));
  before = cpu_time ();
  g_usleep (500000);
  used = cpu_time () - before;
  g_test_message ("%" G_GINT64_FORMAT " us of CPU in 500 ms", used);
  g_assert_cmpint (used, <, 5000);
  g_assert_cmpuint (test_task_get_n_calls (test_task (plan, "a")) + test_task_get_n_calls (test_task (plan, "mailbox")),
                    ==, n_calls);
  g_assert_cmpuint (test_task_get_n_push_refusals (test_task (plan, "a")), ==, refusals);
  stop_and_join (scheduler);
  test_watchdog (0);
}

/* What is put into the mailbox arrives without a timer. */
static void
test_wake (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("mailbox Mailbox {}\nsink HistoryCollect {}\nmailbox > sink\n", NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  HoloTask *mailbox = test_task (plan, "mailbox"), *sink = test_task (plan, "sink");
  HoloNodeStatistics statistics;

  test_watchdog (20);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  for (guint i = 0; i < 2000; i++)
    {
      TEST_WAIT_UNTIL (test_mailbox_put (mailbox, i), 5);
      if (i % 3 == 0)
        TEST_WAIT_UNTIL (test_collect_get_n_frames (sink) > i, 5);
    }
  test_mailbox_end (mailbox);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  g_assert_cmpuint (test_collect_get_n_frames (sink), ==, 2000);
  for (guint i = 0; i < 2000; i++)
    test_assert_frame (plan, "sink", i, 1, (gdouble) i);
  test_node_statistics (scheduler, "mailbox", &statistics);
  g_assert_cmpuint (statistics.pop.retries, ==, 0);
  g_assert_cmpuint (statistics.pop.calls, ==, 2000);
  test_watchdog (0);
}

/* A task without signals is retried on a timer, and that is counted. */
static void
test_retries_are_counted (void)
{
  g_autoptr (HoloPlan) plan =
      test_compile ("source SequenceSource {\"base\": [0], \"end\": 10}\nbridge Bridge {\"forced_pop\": 5}\n"
                    "sink HistoryCollect {}\nsource > bridge > sink\n",
                    NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  HoloNodeStatistics statistics;

  test_watchdog (10);
  test_run (scheduler);
  test_watchdog (0);
  g_assert_cmpuint (test_collect_get_n_frames (test_task (plan, "sink")), ==, 10);
  test_node_statistics (scheduler, "bridge", &statistics);
  g_assert_cmpuint (statistics.push.calls, ==, 10);
  g_assert_cmpuint (statistics.pop.calls, ==, 10);
  g_assert_cmpuint (statistics.pop.retries, >=, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/life/stop/in-task", test_stop_in_task);
  g_test_add_func ("/life/stop/in-push", test_stop_in_push);
  g_test_add_func ("/life/stop/in-acquire", test_stop_in_acquire);
  g_test_add_func ("/life/stop/in-pop", test_stop_in_pop);
  g_test_add_func ("/life/stop/in-retry", test_stop_in_retry);
  g_test_add_func ("/life/stop/in-join", test_stop_in_join);
  g_test_add_func ("/life/stop/with-device-work", test_stop_with_device_work);
  g_test_add_data_func ("/life/stop/caller/push", GINT_TO_POINTER (HOLO_DRIVING_THREADS), test_stop_in_caller_push);
  g_test_add_data_func ("/life/stop/caller/push-and-drive", GINT_TO_POINTER (HOLO_DRIVING_INPUTS),
                        test_stop_in_caller_push);
  g_test_add_func ("/life/stop/caller/pull", test_stop_in_caller_pull);
  g_test_add_func ("/life/stop/caller/iterate", test_stop_in_iterate);
  g_test_add_func ("/life/restart", test_restart);
  g_test_add_func ("/life/start-and-stop-at-once", test_start_and_stop_at_once);
  g_test_add_func ("/life/drop-while-running", test_drop_while_running);
  g_test_add_func ("/life/ended-func", test_ended_func);
  g_test_add_func ("/life/idle", test_idle);
  g_test_add_func ("/life/wake", test_wake);
  g_test_add_func ("/life/retries-are-counted", test_retries_are_counted);
  return g_test_run ();
}
