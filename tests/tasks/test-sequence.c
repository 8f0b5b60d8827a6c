/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tasks/task-runner.h"

static TaskRunner *
start (const gchar *settings)
{
  g_autoptr (GError) error = NULL;
  TaskRunner *runner = task_runner_new ("Sequence", settings, &error);

  g_assert_no_error (error);
  g_assert_true (task_runner_infer (runner, NULL, 0, &error));
  g_assert_true (task_runner_create (runner, &error));
  return runner;
}

static TaskArray *
next (TaskRunner *runner, HoloStamp *stamp)
{
  TaskArray *frame = NULL;

  g_assert_cmpint (task_runner_execute (runner, TASK_RUN_NORMAL, NULL, 0, &frame, stamp, NULL), ==, HOLO_OP_OK);
  return frame;
}

static void
assert_end (TaskRunner *runner)
{
  TaskArray *frame = NULL;

  g_assert_cmpint (task_runner_execute (runner, TASK_RUN_NORMAL, NULL, 0, &frame, NULL, NULL), ==, HOLO_OP_EOF);
}

static void
test_values (void)
{
  g_autoptr (TaskRunner) runner =
      start ("{\"shape\": [2, 2], \"dtype\": \"I16\", \"count\": 2, \"start\": -1, \"step\": 10}");
  HoloStamp stamp;

  for (gint n = 0; n < 2; n++)
    {
      g_autoptr (TaskArray) frame = next (runner, &stamp);
      const gint16 expected[] = { (gint16) (10 * n - 1), (gint16) (10 * n), (gint16) (10 * n + 1),
                                  (gint16) (10 * n + 2) };

      task_array_assert (frame, HOLO_DTYPE_I16, TASK_SHAPE (2, 2), expected, 0);
      g_assert_cmpuint (stamp.seq, ==, n);
      g_assert_cmpuint (stamp.pts, ==, HOLO_TIME_NONE);
    }
  assert_end (runner);
  assert_end (runner);
  g_assert_true (holo_task_reset (HOLO_TASK (runner->task), NULL));
  {
    g_autoptr (TaskArray) again = next (runner, &stamp);

    g_assert_cmpfloat (task_array_get_real (again, 0), ==, -1);
    g_assert_cmpuint (stamp.seq, ==, 0);
  }
}

/* Integers saturate, as everywhere. */
static void
test_types (void)
{
  g_autoptr (TaskRunner) bytes = start ("{\"shape\": [3], \"dtype\": \"U8\", \"start\": 254}");
  g_autoptr (TaskRunner) complex = start ("{\"shape\": [], \"dtype\": \"CF32\", \"start\": 0.5}");
  g_autoptr (TaskRunner) empty = start ("{\"shape\": [0, 3], \"count\": 1}");
  g_autoptr (TaskArray) a = next (bytes, NULL);
  g_autoptr (TaskArray) b = next (complex, NULL);
  g_autoptr (TaskArray) c = next (empty, NULL);

  task_array_assert (a, HOLO_DTYPE_U8, TASK_SHAPE (3), ((const guint8[]){ 254, 255, 255 }), 0);
  task_array_assert (b, HOLO_DTYPE_CF32, TASK_SCALAR, ((const gfloat[]){ 0.5f, 0 }), 0);
  task_array_assert (c, HOLO_DTYPE_F32, TASK_SHAPE (0, 3), NULL, 0);
  assert_end (empty);
}

/* More elements than a tile. */
static void
test_long (void)
{
  g_autoptr (TaskRunner) runner = start ("{\"shape\": [1000], \"dtype\": \"I32\", \"step\": 1000}");

  for (gint n = 0; n < 3; n++)
    {
      g_autoptr (TaskArray) frame = next (runner, NULL);

      for (gint i = 0; i < 1000; i++)
        g_assert_cmpfloat (task_array_get_real (frame, (guint64) i), ==, 1000 * n + i);
    }
}

static void
test_times (void)
{
  g_autoptr (TaskRunner) runner = start ("{\"shape\": [1], \"rate\": 30}");
  g_autoptr (TaskRunner) television = start ("{\"shape\": [1], \"rate\": 29.97}");
  const HoloTensorDesc *desc = holo_inference_get_output_desc (&television->inference, 0);
  const guint64 expected[] = { 0, 33333333, 66666666, 100000000, 133333333 };
  HoloStamp stamp;

  for (guint n = 0; n < G_N_ELEMENTS (expected) - 1; n++)
    {
      task_array_free (next (runner, &stamp));
      g_assert_cmpuint (stamp.pts, ==, expected[n]);
      g_assert_cmpuint (stamp.duration, ==, expected[n + 1] - expected[n]);
    }
  g_assert_cmpint (desc->rate_n, ==, 30000);
  g_assert_cmpint (desc->rate_d, ==, 1001);
}

/* A rate whose products need more than 64 bits when multiplied out. */
static void
test_fast (void)
{
  g_autoptr (TaskRunner) runner = start ("{\"shape\": [0], \"rate\": 999999.5}");
  HoloStamp stamp;

  for (guint n = 0; n < 100000; n++)
    {
      task_array_free (next (runner, &stamp));
      g_assert_cmpuint (stamp.pts, ==, (guint64) (n * (1e9 / 999999.5) + 1e-6));
    }
}

static void
test_refused (void)
{
  task_check_refused ("Sequence", "{}", NULL, 0, HOLO_ERROR_SETTING, "shape");
  task_check_refused ("Sequence", "{\"shape\": [-1]}", NULL, 0, HOLO_ERROR_SETTING, "-1");
  task_check_refused ("Sequence", "{\"shape\": [1], \"count\": -1}", NULL, 0, HOLO_ERROR_SETTING, "count");
  task_check_refused ("Sequence", "{\"shape\": [1], \"dtype\": \"F23\"}", NULL, 0, HOLO_ERROR_SETTING, "F23");
  task_check_refused ("Sequence", "{\"shape\": [4611686018427387904, 4]}", NULL, 0, HOLO_ERROR_OVERFLOW, "63 bits");
  task_check_refused ("Sequence", "{\"shape\": [1, 1, 1, 1, 1, 1, 1, 1, 1]}", NULL, 0, HOLO_ERROR_INFERENCE,
                      "at most 8");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/sequence/values", test_values);
  g_test_add_func ("/tasks/sequence/types", test_types);
  g_test_add_func ("/tasks/sequence/long", test_long);
  g_test_add_func ("/tasks/sequence/times", test_times);
  g_test_add_func ("/tasks/sequence/fast", test_fast);
  g_test_add_func ("/tasks/sequence/refused", test_refused);
  return g_test_run ();
}
