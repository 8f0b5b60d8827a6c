/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "tasks/task-runner.h"

#define F32(...) ((const gfloat[]){ __VA_ARGS__ })
#define F64(...) ((const gdouble[]){ __VA_ARGS__ })

static void
check (const gchar *settings, HoloDType dtype, guint rank, const gint64 *shape, gconstpointer values,
       gconstpointer expected)
{
  g_autoptr (TaskArray) array = task_array_new (dtype, rank, shape, values);

  task_check ("Normalize", settings, &array, 1, dtype, rank, shape, expected, 0);
}

static void
test_values (void)
{
  check ("{}", HOLO_DTYPE_F32, TASK_SHAPE (2, 2), F32 (-1, 0, 1, 3), F32 (0, .25f, .5f, 1));
  check ("{\"maximum\": 255}", HOLO_DTYPE_F32, TASK_SHAPE (4), F32 (0, 1, 2, 3), F32 (0, 85, 170, 255));
  check ("{\"min\": -1, \"max\": 1}", HOLO_DTYPE_F64, TASK_SHAPE (3), F64 (10, 20, 30), F64 (-1, 0, 1));
  check ("{\"minimum\": 1, \"maximum\": 0}", HOLO_DTYPE_F32, TASK_SHAPE (3), F32 (0, 1, 4), F32 (1, .75f, 0));
}

/* Constant, NaN, infinite: bug report J7. */
static void
test_degenerate (void)
{
  check ("{\"minimum\": 2, \"maximum\": 255}", HOLO_DTYPE_F32, TASK_SHAPE (3), F32 (7, 7, 7), F32 (2, 2, 2));
  check ("{\"maximum\": 255}", HOLO_DTYPE_F32, TASK_SHAPE (1), F32 (7), F32 (0));
  check ("{\"maximum\": 10}", HOLO_DTYPE_F32, TASK_SHAPE (5), F32 (NAN, 0, INFINITY, 4, -INFINITY),
         F32 (NAN, 0, 10, 10, 0));
  check ("{\"minimum\": 3}", HOLO_DTYPE_F32, TASK_SHAPE (3), F32 (NAN, INFINITY, -INFINITY), F32 (NAN, 3, 3));
  check ("{}", HOLO_DTYPE_F64, TASK_SHAPE (3), F64 (-G_MAXDOUBLE, 0, G_MAXDOUBLE), F64 (0, .5, 1));
  check ("{}", HOLO_DTYPE_F64, TASK_SHAPE (2), F64 (0, 5e-324), F64 (0, 1));
  check ("{}", HOLO_DTYPE_F32, TASK_SHAPE (2, 0), NULL, NULL);
}

static void
test_axes (void)
{
  const gfloat values[] = { 0, 1, 2, 4, 10, 10, 10, 20 };

  check ("{\"axes\": [-2, -1]}", HOLO_DTYPE_F32, TASK_SHAPE (2, 2, 2), values, F32 (0, .25f, .5f, 1, 0, 0, 0, 1));
  check ("{\"axes\": [2, 1]}", HOLO_DTYPE_F32, TASK_SHAPE (2, 2, 2), values, F32 (0, .25f, .5f, 1, 0, 0, 0, 1));
  check ("{\"axes\": [-1]}", HOLO_DTYPE_F32, TASK_SHAPE (2, 2, 2), values, F32 (0, 1, 0, 1, 0, 0, 0, 1));
  check ("{\"axes\": [0, 1, 2]}", HOLO_DTYPE_F32, TASK_SHAPE (2, 2, 2), values,
         F32 (0, .05f, .1f, .2f, .5f, .5f, .5f, 1));
}

static void
test_refused (void)
{
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2, 2), NULL);
  g_autoptr (TaskArray) bytes = task_array_new (HOLO_DTYPE_U8, TASK_SHAPE (2, 2), NULL);

  task_check_refused ("Normalize", "{}", &bytes, 1, HOLO_ERROR_INFERENCE, "takes F32, F64");
  task_check_refused ("Normalize", "{\"axes\": [0]}", &array, 1, HOLO_ERROR_INFERENCE, "the last dimensions");
  task_check_refused ("Normalize", "{\"axes\": [-1, 1]}", &array, 1, HOLO_ERROR_INFERENCE, "each once");
  task_check_refused ("Normalize", "{\"axes\": []}", &array, 1, HOLO_ERROR_INFERENCE, "the last dimensions");
  task_check_refused ("Normalize", "{\"axes\": [-3]}", &array, 1, HOLO_ERROR_INFERENCE, "-3 is not a dimension");
  task_check_refused ("Normalize", "{\"axes\": [9]}", &array, 1, HOLO_ERROR_SETTING, "axes");
  task_check_refused ("Normalize", "{\"maximum\": \"big\"}", &array, 1, HOLO_ERROR_SETTING, "maximum");
}

/* A change of the bounds waits for the commit, and a rollback forgets it. */
static void
test_update (void)
{
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (3), F32 (0, 1, 2));
  g_autoptr (TaskRunner) runner = task_runner_new ("Normalize", "{}", NULL);
  g_autoptr (HoloSyncTask) first = NULL;
  g_autoptr (TaskArray) before = NULL, staged = NULL, after = NULL;
  HoloSyncCreateContext context = { runner->stream, holo_device_get_host () };
  HoloSyncTask *task;

  g_assert_true (task_runner_infer (runner, &array, 1, NULL) && task_runner_create (runner, NULL));
  first = g_object_ref (runner->task);
  g_assert_true (task_runner_set (runner, "{\"maximum\": 10}", NULL));
  task = holo_sync_task_factory_update (HOLO_SYNC_TASK_FACTORY (runner->factory), first, &runner->inference,
                                        &runner->inference, &context, NULL);
  g_assert_true (task == first);
  g_object_unref (task);
  task_runner_execute (runner, TASK_RUN_NORMAL, &array, 1, &staged, NULL, NULL);
  task_array_assert (staged, HOLO_DTYPE_F32, TASK_SHAPE (3), F32 (0, .5f, 1), 0);
  holo_task_rollback (HOLO_TASK (first));
  holo_task_commit (HOLO_TASK (first));
  task_runner_execute (runner, TASK_RUN_NORMAL, &array, 1, &before, NULL, NULL);
  task_array_assert (before, HOLO_DTYPE_F32, TASK_SHAPE (3), F32 (0, .5f, 1), 0);
  g_assert_true (task_runner_update (runner, &array, 1, NULL));
  task_runner_execute (runner, TASK_RUN_NORMAL, &array, 1, &after, NULL, NULL);
  task_array_assert (after, HOLO_DTYPE_F32, TASK_SHAPE (3), F32 (0, 5, 10), 0);
}

/* What the demonstration does with a picture. */
static void
test_before_conversion (void)
{
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (5), F32 (5, 6, 6.5f, NAN, 9));
  g_autoptr (TaskArray) stretched = task_run ("Normalize", "{\"maximum\": 255}", &array, 1, TASK_RUN_IN_PLACE, NULL);

  task_check ("Conversion", "{\"target\": \"U8\"}", &stretched, 1, HOLO_DTYPE_U8, TASK_SHAPE (5),
              ((const guint8[]){ 0, 64, 96, 0, 255 }), 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/normalize/values", test_values);
  g_test_add_func ("/tasks/normalize/degenerate", test_degenerate);
  g_test_add_func ("/tasks/normalize/axes", test_axes);
  g_test_add_func ("/tasks/normalize/refused", test_refused);
  g_test_add_func ("/tasks/normalize/update", test_update);
  g_test_add_func ("/tasks/normalize/before-conversion", test_before_conversion);
  return g_test_run ();
}
