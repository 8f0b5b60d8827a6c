/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flush: whoever waits is let go at once, nothing from before comes out afterwards, and what had ended lives again. */
#include "test-run.h"

#include <string.h>

#include "device/holo-runtime-hooks.h"

typedef struct
{
  HoloPlan *plan;
  HoloScheduler *scheduler;
  HoloEnd *in;
  HoloEnd *in_2; /* nullable */
  HoloEnd *out;
} Fixture;

static void
set_up (Fixture *fixture, const gchar *text, HoloDriving driving)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloGraph) graph = holo_graph_new_from_text (text, -1, &error);
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);

  g_assert_no_error (error);
  fixture->plan = holo_compiler_compile (compiler, graph, NULL, &error);
  g_assert_no_error (error);
  fixture->scheduler = holo_scheduler_new (fixture->plan);
  fixture->in = test_input (fixture->scheduler, "in");
  fixture->in_2 = holo_scheduler_get_input (fixture->scheduler, "in2", NULL);
  fixture->out = test_output (fixture->scheduler, "out");
  holo_scheduler_set_driving (fixture->scheduler, driving);
  g_assert_true (holo_scheduler_start (fixture->scheduler, &error));
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  holo_scheduler_stop (fixture->scheduler);
  g_assert_true (holo_scheduler_wait (fixture->scheduler, &error));
  g_assert_no_error (error);
  holo_end_unref (fixture->in);
  g_clear_pointer (&fixture->in_2, holo_end_unref);
  holo_end_unref (fixture->out);
  g_object_unref (fixture->scheduler);
  holo_plan_unref (fixture->plan);
}

static HoloOpResult
push (HoloEnd *input, gfloat value)
{
  const gint64 shape[] = { 1, 2 };
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;
  HoloTensorDesc desc;
  HoloOpResult result;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, shape);
  g_assert_true (holo_frame_init_alloc (&frame, &desc, &error));
  ((gfloat *) holo_frame_get_data (&frame))[0] = ((gfloat *) holo_frame_get_data (&frame))[1] = value;
  result = holo_end_push (input, &frame, NULL, &error);
  g_assert_no_error (error);
  return result;
}

static HoloOpResult
pull (HoloEnd *output, gfloat *value)
{
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;
  HoloOpResult result = holo_end_pull (output, &frame, NULL, &error);

  g_assert_no_error (error);
  if (result == HOLO_OP_OK)
    *value = *(gfloat *) holo_frame_get_data (&frame);
  return result;
}

#define NODE(name, type, params) "\"" name "\": {\"type\": \"" type "\", \"params\": {" params "}}"
#define EDGE(from, to, in)       "{\"from\": \"" from "\", \"out\": 0, \"to\": \"" to "\", \"in\": " in "}"
#define INPUT(name)              NODE (name, "Input", "\"dtype\": \"F32\", \"shape\": [1, 2]")
#define CHAIN(middle)                                                                                                  \
  "{\"nodes\": {" INPUT ("in") ", " middle ", " NODE ("out", "Output", "") "}, \"edges\": [" EDGE (                    \
      "in", "m", "0") ", " EDGE ("m", "out", "0") "]}"

static const gchar *const chains[] = {
  CHAIN (NODE ("m", "Queue", "\"capacity\": 3")),
  CHAIN (NODE ("m", "Sqrt", "")),
  CHAIN (NODE ("m", "BatchQueue", "\"target_capacity\": 4, \"output_size\": 1, \"output_stride\": 1")),
  CHAIN (NODE ("m", "RateLimiter", "\"max_fps\": 0.01")),
};

/* ---- blocked pushes and pulls ---- */

typedef struct
{
  Fixture *fixture;
  guint n_pushed;
  HoloOpResult result;
} Thread;

static gpointer
push_until_refused (gpointer data)
{
  Thread *thread = data;

  do
    thread->result = push (thread->fixture->in, 100.0f);
  while (thread->result == HOLO_OP_OK && ++thread->n_pushed > 0);
  return NULL;
}

static gpointer
pull_once (gpointer data)
{
  Thread *thread = data;
  gfloat value;

  do
    thread->result = pull (thread->fixture->out, &value);
  while (thread->result == HOLO_OP_OK);
  return NULL;
}

/* Flush at random moments of a full or empty graph; then one new frame goes through, and nothing else. */
static void
run_flushes (const gchar *text, HoloDriving driving, gboolean full)
{
  Fixture fixture;
  gboolean passes = strstr (text, "RateLimiter") == NULL;

  set_up (&fixture, text, driving);
  for (guint round = 0; round < 40; round++)
    {
      Thread thread = { &fixture, 0, HOLO_OP_OK };
      GThread *handle = g_thread_new ("blocked", full ? push_until_refused : pull_once, &thread);
      g_autoptr (GError) error = NULL;
      gint64 start;
      gfloat value = 0;

      if (round % 4)
        g_usleep (round * 50);
      start = g_get_monotonic_time ();
      holo_scheduler_flush_start (fixture.scheduler, fixture.in);
      g_thread_join (handle);
      g_assert_cmpint (thread.result, ==, HOLO_OP_FLUSHED);
      g_assert_true (holo_scheduler_flush_stop (fixture.scheduler, fixture.in, &error));
      g_assert_no_error (error);
      g_assert_cmpint (g_get_monotonic_time () - start, <, 2 * G_USEC_PER_SEC);
      if (!passes)
        continue;
      g_assert_cmpint (push (fixture.in, 4.0f), ==, HOLO_OP_OK);
      g_assert_cmpint (pull (fixture.out, &value), ==, HOLO_OP_OK);
      g_assert_cmpfloat (value, ==, strstr (text, "Sqrt") != NULL ? 2.0f : 4.0f);
    }
  tear_down (&fixture);
}

static void
test_blocked_in_push (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (chains); i++)
    run_flushes (chains[i], (HoloDriving) GPOINTER_TO_INT (data), TRUE);
}

static void
test_blocked_in_pull (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (chains); i++)
    run_flushes (chains[i], (HoloDriving) GPOINTER_TO_INT (data), FALSE);
}

/* ---- after the end ---- */

/* Part of the graph has ended, the run goes on thanks to another Input; the flush brings the part back. */
static void
test_revives_what_ended (gconstpointer data)
{
  Fixture fixture;
  g_autoptr (GError) error = NULL;
  gfloat value = 0;

  set_up (&fixture,
          "{\"nodes\": {" INPUT ("in") ", " INPUT ("in2") ", " NODE ("m", "Queue", "") ", " NODE (
              "out", "Output", "") ", " NODE ("out2", "Output",
                                              "") "}, \"edges\": [" EDGE ("in", "m",
                                                                          "0") ", " EDGE ("m", "out",
                                                                                          "0") ", " EDGE ("in2", "out2",
                                                                                                          "0") "]}",
          (HoloDriving) GPOINTER_TO_INT (data));
  for (guint round = 0; round < 3; round++)
    {
      g_assert_cmpint (push (fixture.in, 1.0f), ==, HOLO_OP_OK);
      g_assert_cmpint (holo_end_push_end (fixture.in, &error), !=, HOLO_OP_ERROR);
      g_assert_cmpint (pull (fixture.out, &value), ==, HOLO_OP_OK);
      g_assert_cmpint (pull (fixture.out, &value), ==, HOLO_OP_EOF);
      g_assert_true (holo_scheduler_is_running (fixture.scheduler));
      g_assert_cmpint (push (fixture.in, 1.0f), ==, HOLO_OP_EOF);
      holo_scheduler_flush_start (fixture.scheduler, fixture.in);
      g_assert_true (holo_scheduler_flush_stop (fixture.scheduler, fixture.in, &error));
      g_assert_no_error (error);
    }
  g_assert_cmpint (push (fixture.in, 7.0f), ==, HOLO_OP_OK);
  g_assert_cmpint (pull (fixture.out, &value), ==, HOLO_OP_OK);
  g_assert_cmpfloat (value, ==, 7.0f);
  tear_down (&fixture);
}

/* ---- two Inputs ---- */

#define SUM                                                                                                            \
  "{\"nodes\": {" INPUT ("in") ", " INPUT ("in2") ", " NODE ("m", "Add", "") ", " NODE (                               \
      "out", "Output", "") "},"                                                                                        \
                           " \"edges\": [" EDGE ("in", "m", "0") ", " EDGE ("in2", "m", "1") ", " EDGE ("m", "out",    \
                                                                                                        "0") "]}"

/* The frame that another Input brought is still there for the next partner. */
static void
test_other_input_keeps_its_frame (gconstpointer data)
{
  Fixture fixture;
  g_autoptr (GError) error = NULL;
  gfloat value = 0;

  set_up (&fixture, SUM, (HoloDriving) GPOINTER_TO_INT (data));
  g_assert_cmpint (push (fixture.in_2, 5.0f), ==, HOLO_OP_OK);
  for (guint round = 0; round < 20; round++)
    {
      if (round % 3 == 0)
        g_usleep (200);
      holo_scheduler_flush_start (fixture.scheduler, fixture.in);
      g_assert_true (holo_scheduler_flush_stop (fixture.scheduler, fixture.in, &error));
      g_assert_no_error (error);
    }
  g_assert_cmpint (push (fixture.in, 1.0f), ==, HOLO_OP_OK);
  g_assert_cmpint (pull (fixture.out, &value), ==, HOLO_OP_OK);
  g_assert_cmpfloat (value, ==, 6.0f);
  tear_down (&fixture);
}

/* One thread may feed two Inputs, in either order: neither push waits for the other frame. */
static void
test_one_thread_feeds_two_inputs (gconstpointer data)
{
  Fixture fixture;
  gfloat value = 0;

  set_up (&fixture, SUM, (HoloDriving) GPOINTER_TO_INT (data));
  for (guint i = 0; i < 100; i++)
    {
      g_assert_cmpint (push (i % 2 ? fixture.in : fixture.in_2, (gfloat) i), ==, HOLO_OP_OK);
      g_assert_cmpint (push (i % 2 ? fixture.in_2 : fixture.in, 1.0f), ==, HOLO_OP_OK);
      g_assert_cmpint (pull (fixture.out, &value), ==, HOLO_OP_OK);
      g_assert_cmpfloat (value, ==, (gfloat) i + 1);
    }
  tear_down (&fixture);
}

typedef struct
{
  HoloEnd *input;
  guint n;
} Feeder;

static gpointer
feed (gpointer data)
{
  Feeder *feeder = data;

  for (guint i = 0; i < feeder->n; i++)
    g_assert_cmpint (push (feeder->input, (gfloat) i), ==, HOLO_OP_OK);
  holo_end_push_end (feeder->input, NULL);
  return NULL;
}

/* Two threads, each an Input: whoever completes a set drives; no set is left lying. */
static void
test_two_threads_feed_two_inputs (gconstpointer data)
{
  for (guint round = 0; round < 10; round++)
    {
      Fixture fixture;
      Feeder a = { NULL, 300 }, b = { NULL, 300 };
      GThread *threads[2];
      gfloat value = 0;

      set_up (&fixture, SUM, (HoloDriving) GPOINTER_TO_INT (data));
      a.input = fixture.in;
      b.input = fixture.in_2;
      threads[0] = g_thread_new ("a", feed, &a);
      threads[1] = g_thread_new ("b", feed, &b);
      for (guint i = 0; i < 300; i++)
        {
          g_assert_cmpint (pull (fixture.out, &value), ==, HOLO_OP_OK);
          g_assert_cmpfloat (value, ==, 2.0f * (gfloat) i);
        }
      g_assert_cmpint (pull (fixture.out, &value), ==, HOLO_OP_EOF);
      g_thread_join (threads[0]);
      g_thread_join (threads[1]);
      tear_down (&fixture);
    }
}

static Fixture *between; /* what a hook works on, once */

static void
finish_between (HoloRuntimePause pause)
{
  Fixture *fixture = between;
  gfloat value = 0;

  if (pause != HOLO_RUNTIME_PAUSE_HAND_OVER || fixture == NULL)
    return;
  between = NULL;
  g_assert_cmpint (push (fixture->in_2, 3.0f), ==, HOLO_OP_OK);
  g_assert_cmpint (pull (fixture->out, &value), ==, HOLO_OP_OK);
  g_assert_cmpfloat (value, ==, 5.0f);
  holo_end_push_end (fixture->in_2, NULL);
}

/* A frame goes in, and before its thread comes to drive, another one has worked it off and ended its Input, and with that
 * the run: the frame has arrived all the same. The next one is refused. */
static void
test_last_frame_is_taken (void)
{
  static const HoloRuntimeHooks hooks = { .pause = finish_between };
  Fixture fixture;

  set_up (&fixture, SUM, HOLO_DRIVING_INPUTS);
  between = &fixture;
  holo_runtime_set_hooks (&hooks);
  g_assert_cmpint (push (fixture.in, 2.0f), ==, HOLO_OP_OK);
  holo_scheduler_wait (fixture.scheduler, NULL); /* hooks change while nothing runs */
  holo_runtime_set_hooks (NULL);
  g_assert_null (between);
  g_assert_cmpint (push (fixture.in, 2.0f), ==, HOLO_OP_EOF);
  tear_down (&fixture);
}

/* ---- an Output that nobody reads ---- */

#define TWO_OUTPUTS                                                                                                    \
  "{\"nodes\": {" INPUT ("in") ", " NODE ("m", "Sqrt", "") ", " NODE ("out", "Output", "") ", " NODE (                 \
      "out2", "Output", "") "}, \"edges\": [" EDGE ("in", "m", "0") ", " EDGE ("m", "out",                             \
                                                                               "0") ", " EDGE ("in", "out2", "0") "]}"

/* One frame through the branch of "out"; that of "out2" sees it too, before or afterwards. */
static void
pass_frame (Fixture *fixture, gfloat root)
{
  gfloat value = 0;

  g_assert_cmpint (push (fixture->in, root * root), ==, HOLO_OP_OK);
  g_assert_cmpint (pull (fixture->out, &value), ==, HOLO_OP_OK);
  g_assert_cmpfloat (value, ==, root);
}

static gint armed;
static HoloEnd *read_again;

static void
read_again_before_pop (HoloTask *task, HoloRuntimeCall call, HoloTensorView *const *views, guint n_views,
                       guint n_inputs)
{
  if (call == HOLO_RUNTIME_POP && g_atomic_int_compare_and_exchange (&armed, TRUE, FALSE))
    holo_end_set_unread (read_again, FALSE);
}

/* A reader comes back when its section has woken for a frame and has not taken it yet: the reader gets that frame. */
static void
test_read_again_before_pop (void)
{
  static const HoloRuntimeHooks hooks = { .before_call = read_again_before_pop };
  g_autoptr (HoloEnd) out_2 = NULL;
  Fixture fixture;
  gfloat value = 0;

  holo_runtime_set_hooks (&hooks); /* while nothing runs */
  set_up (&fixture, TWO_OUTPUTS, HOLO_DRIVING_THREADS);
  read_again = out_2 = test_output (fixture.scheduler, "out2");
  test_watchdog (20);
  for (guint round = 0; round < 50; round++)
    {
      holo_end_set_unread (out_2, TRUE);
      pass_frame (&fixture, 2.0f);
      g_atomic_int_set (&armed, TRUE);
      pass_frame (&fixture, 3.0f);
      g_assert_cmpint (pull (out_2, &value), ==, HOLO_OP_OK);
      g_assert_cmpfloat (value, ==, 9.0f);
      g_assert_false (g_atomic_int_get (&armed));
    }
  test_watchdog (0);
  tear_down (&fixture);
  holo_runtime_set_hooks (NULL);
}

static guint64
count_dropped (Fixture *fixture, const gchar *output)
{
  HoloNodeStatistics statistics;

  test_node_statistics (fixture->scheduler, output, &statistics);
  g_assert_cmpuint (statistics.discarded, ==, 0);
  return statistics.dropped;
}

/* A reader that is away ends nobody, and what it misses is counted. One that has closed is gone for the run, and when the
 * last one has, the producers end. */
static void
test_unread_and_closed_output (gconstpointer data)
{
  Fixture fixture;
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  g_autoptr (HoloEnd) out_2 = NULL;
  g_autoptr (GError) error = NULL;
  gfloat value = 0;

  set_up (&fixture, TWO_OUTPUTS, (HoloDriving) GPOINTER_TO_INT (data));
  out_2 = test_output (fixture.scheduler, "out2");
  holo_end_set_unread (out_2, TRUE);
  for (guint i = 0; i < 5; i++)
    pass_frame (&fixture, 2.0f);
  TEST_WAIT_UNTIL (count_dropped (&fixture, "out2") == 5, 5);
  holo_end_set_unread (out_2, FALSE);
  pass_frame (&fixture, 3.0f);
  g_assert_cmpint (pull (out_2, &value), ==, HOLO_OP_OK);
  g_assert_cmpfloat (value, ==, 9.0f);
  g_assert_cmpuint (count_dropped (&fixture, "out2"), ==, 5);
  holo_end_close (out_2);
  for (guint i = 0; i < 5; i++)
    pass_frame (&fixture, 2.0f);
  holo_scheduler_flush_start (fixture.scheduler, fixture.in);
  g_assert_true (holo_scheduler_flush_stop (fixture.scheduler, fixture.in, &error));
  for (guint i = 0; i < 5; i++)
    pass_frame (&fixture, 3.0f);
  g_assert_cmpint (holo_end_try_pull (out_2, &frame, &error), ==, HOLO_OP_EOF);
  g_assert_no_error (error);
  holo_end_close (fixture.out);
  /* Nobody reads any more: the section finds out with the next frame at the latest. */
  while (push (fixture.in, 1.0f) == HOLO_OP_OK)
    g_thread_yield ();
  tear_down (&fixture);
}

#define ADD(name, func)                                                                                                \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    g_test_add_data_func ("/holo/flush/" name "/threads", GINT_TO_POINTER (HOLO_DRIVING_THREADS), func);               \
    g_test_add_data_func ("/holo/flush/" name "/caller-driven", GINT_TO_POINTER (HOLO_DRIVING_INPUTS), func);          \
  }                                                                                                                    \
  G_STMT_END

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("blocked-in-push", test_blocked_in_push);
  ADD ("blocked-in-pull", test_blocked_in_pull);
  ADD ("revives-what-ended", test_revives_what_ended);
  ADD ("other-input-keeps-its-frame", test_other_input_keeps_its_frame);
  ADD ("one-thread-feeds-two-inputs", test_one_thread_feeds_two_inputs);
  ADD ("two-threads-feed-two-inputs", test_two_threads_feed_two_inputs);
  ADD ("unread-and-closed-output", test_unread_and_closed_output);
  g_test_add_func ("/holo/flush/last-frame-is-taken", test_last_frame_is_taken);
  g_test_add_func ("/holo/flush/read-again-before-pop", test_read_again_before_pop);
  return g_test_run ();
}
