/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "tasks/task-runner.h"

static void
test_values (void)
{
  g_autoptr (TaskArray) single =
      task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (3, 3), (const gfloat[]){ 0, 1, 4, 9, 2, -0.0f, -1, INFINITY, NAN });
  g_autoptr (TaskArray) twice = task_array_new (HOLO_DTYPE_F64, TASK_SHAPE (3), (const gdouble[]){ 2, 1e-300, -2 });

  task_check ("Sqrt", "{}", &single, 1, HOLO_DTYPE_F32, TASK_SHAPE (3, 3),
              (const gfloat[]){ 0, 1, 2, 3, 1.41421356f, -0.0f, NAN, INFINITY, NAN }, 0);
  task_check ("Sqrt", "{}", &twice, 1, HOLO_DTYPE_F64, TASK_SHAPE (3), (const gdouble[]){ sqrt (2), 1e-150, NAN }, 0);
}

/* A transposed view must be read in view order and come out dense: bug report A8. */
static void
test_strided (void)
{
  HoloTensorDesc view;
  g_autoptr (TaskArray) whole = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (3, 4), NULL);
  TaskArray transposed, columns, *inputs[] = { &transposed, &columns };
  gfloat expected_transposed[12], expected_columns[6];

  for (gint k = 0; k < 12; k++)
    {
      ((gfloat *) (gpointer) whole->data)[k] = (gfloat) (k * k);
      expected_transposed[k % 4 * 3 + k / 4] = (gfloat) k;
    }
  transposed = columns = *whole;
  holo_tensor_desc_init_strided (&view, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, TASK_SHAPE (4, 3), (const gint64[]){ 4, 16 },
                                 0);
  transposed.desc = view;
  task_check ("Sqrt", "{}", &inputs[0], 1, HOLO_DTYPE_F32, TASK_SHAPE (4, 3), expected_transposed, 0);
  holo_tensor_desc_init_strided (&view, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, TASK_SHAPE (3, 2), (const gint64[]){ 16, 8 },
                                 4);
  columns.desc = view;
  for (gint k = 0; k < 6; k++)
    expected_columns[k] = (gfloat) (k / 2 * 4 + k % 2 * 2 + 1);
  task_check ("Sqrt", "{}", &inputs[1], 1, HOLO_DTYPE_F32, TASK_SHAPE (3, 2), expected_columns, 0);
}

/* Numbers below the normal range are not flushed to zero, neither in tasks nor in the process: bug report
 * J10. */
static void
test_subnormal (void)
{
  volatile gfloat tiny = 1e-45f, small = 1.1754944e-38f;
  g_autoptr (TaskArray) in = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2), (const gfloat[]){ 1e-40f, 1e-45f });

  task_check ("Sqrt", "{}", &in, 1, HOLO_DTYPE_F32, TASK_SHAPE (2),
              (const gfloat[]){ (gfloat) sqrt (1e-40f), (gfloat) sqrt (1e-45f) }, 0);
  g_assert_true (tiny * 2 > tiny && small / 2 > 0);
}

static void
test_inference (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TaskRunner) runner = task_runner_new ("Sqrt", "{}", &error);
  g_autoptr (TaskArray) single = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (4), NULL);
  g_autoptr (TaskArray) bytes = task_array_new (HOLO_DTYPE_U8, TASK_SHAPE (4), NULL);
  TaskArray *two[] = { single, single };

  g_assert_no_error (error);
  g_assert_true (task_runner_infer (runner, &single, 1, &error));
  g_assert_cmpint (holo_inference_get_output (&runner->inference, 0)->in_place, ==, HOLO_IN_PLACE_MAY);
  g_assert_false (runner->inference.stateful);
  task_check_refused ("Sqrt", "{}", &bytes, 1, HOLO_ERROR_INFERENCE, "takes F32, F64");
  task_check_refused ("Sqrt", "{}", NULL, 0, HOLO_ERROR_INFERENCE, "not connected");
  task_check_refused ("Sqrt", "{}", two, 2, HOLO_ERROR_INFERENCE, "2 inputs are connected");
  task_check_refused ("Sqrt", "{\"capacity\": 3}", &single, 1, HOLO_ERROR_SETTING, "capacity");
}

/* In place only where element i of both is the same bytes. */
static void
test_in_place (void)
{
  g_autoptr (TaskRunner) runner = task_runner_new ("Sqrt", "{}", NULL);
  g_autoptr (TaskArray) line = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (4), NULL);

  for (guint layout = 0; layout < TASK_N_LAYOUTS; layout++)
    {
      g_autoptr (TaskArray) array = task_array_copy (line, (TaskLayout) layout);

      g_assert_true (task_runner_infer (runner, &array, 1, NULL));
      g_assert_true (task_runner_can_run_in_place (runner) == (array->desc.offset == 0 && array->desc.strides[0] == 4));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/sqrt/values", test_values);
  g_test_add_func ("/tasks/sqrt/strided", test_strided);
  g_test_add_func ("/tasks/sqrt/subnormal", test_subnormal);
  g_test_add_func ("/tasks/sqrt/inference", test_inference);
  g_test_add_func ("/tasks/sqrt/in-place", test_in_place);
  return g_test_run ();
}
