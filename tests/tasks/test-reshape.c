/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tasks/task-runner.h"

static const gfloat numbers[] = { 1, 2, 3, 4, 5, 6 };

static HoloInPlace
get_in_place (const gchar *settings, const TaskArray *array, HoloTensorDesc *out)
{
  g_autoptr (TaskRunner) runner = task_runner_new ("Reshape", settings, NULL);
  TaskArray *input = (TaskArray *) array;

  g_assert_true (task_runner_infer (runner, &input, 1, NULL));
  *out = *holo_inference_get_output_desc (&runner->inference, 0);
  return holo_inference_get_output (&runner->inference, 0)->in_place;
}

static void
test_values (void)
{
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2, 3), numbers);
  g_autoptr (TaskArray) one = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (1, 1), numbers);

  task_check ("Reshape", "{\"shape\": [3, 2]}", &array, 1, HOLO_DTYPE_F32, TASK_SHAPE (3, 2), numbers, 0);
  task_check ("Reshape", "{\"shape\": [3, 2], \"copy\": true}", &array, 1, HOLO_DTYPE_F32, TASK_SHAPE (3, 2), numbers,
              0);
  task_check ("Reshape", "{\"shape\": [6], \"copy\": true}", &array, 1, HOLO_DTYPE_F32, TASK_SHAPE (6), numbers, 0);
  task_check ("Reshape", "{\"shape\": [-1]}", &array, 1, HOLO_DTYPE_F32, TASK_SHAPE (6), numbers, 0);
  task_check ("Reshape", "{\"shape\": [1, 3, -1, 1]}", &array, 1, HOLO_DTYPE_F32, TASK_SHAPE (1, 3, 2, 1), numbers, 0);
  task_check ("Reshape", "{\"shape\": []}", &one, 1, HOLO_DTYPE_F32, TASK_SCALAR, numbers, 0);
}

static void
test_view (void)
{
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2, 3), numbers);
  HoloTensorDesc out;

  g_assert_cmpint (get_in_place ("{\"shape\": [3, 2]}", array, &out), ==, HOLO_IN_PLACE_VIEW);
  g_assert_cmpint (get_in_place ("{\"shape\": [3, 2], \"copy\": null}", array, &out), ==, HOLO_IN_PLACE_VIEW);
  g_assert_cmpint (get_in_place ("{\"shape\": [3, 2], \"copy\": false}", array, &out), ==, HOLO_IN_PLACE_VIEW);
  g_assert_cmpint (get_in_place ("{\"shape\": [3, 2], \"copy\": true}", array, &out), ==, HOLO_IN_PLACE_NONE);
}

/* Views of strided tensors keep offset and strides; where there is none the elements are packed. */
static void
test_strided (void)
{
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_U8, TASK_SHAPE (2, 4, 6), NULL);
  g_autoptr (TaskArray) padded = NULL, transposed = NULL;
  HoloTensorDesc out;

  for (guint i = 0; i < 48; i++)
    array->data[i] = (guint8) i;
  padded = task_array_copy (array, TASK_LAYOUT_PADDED); /* rows of 6 every 11 bytes, offset 3 */
  transposed = task_array_copy (array, TASK_LAYOUT_TRANSPOSED);
  g_assert_cmpint (get_in_place ("{\"shape\": [8, 2, 3]}", padded, &out), ==, HOLO_IN_PLACE_VIEW);
  g_assert_cmpint (out.offset, ==, 3);
  g_assert_cmpint (out.strides[0], ==, 11);
  g_assert_cmpint (out.strides[1], ==, 3);
  g_assert_cmpint (out.strides[2], ==, 1);
  g_assert_cmpint (get_in_place ("{\"shape\": [2, 24]}", padded, &out), ==, HOLO_IN_PLACE_NONE);
  g_assert_cmpint (out.offset, ==, 0);
  g_assert_cmpint (get_in_place ("{\"shape\": [2, 2, 2, 3, 2]}", transposed, &out), ==, HOLO_IN_PLACE_VIEW);
  g_assert_cmpint (get_in_place ("{\"shape\": [8, 6]}", transposed, &out), ==, HOLO_IN_PLACE_NONE);
  task_check_refused ("Reshape", "{\"shape\": [48], \"copy\": false}", &transposed, 1, HOLO_ERROR_INFERENCE,
                      "copy is false");
  task_check ("Reshape", "{\"shape\": [8, 2, 3]}", &array, 1, HOLO_DTYPE_U8, TASK_SHAPE (8, 2, 3), array->data, 0);
  task_check ("Reshape", "{\"shape\": [2, 2, 2, 3, 2]}", &array, 1, HOLO_DTYPE_U8, TASK_SHAPE (2, 2, 2, 3, 2),
              array->data, 0);
  task_check ("Reshape", "{\"shape\": [48]}", &array, 1, HOLO_DTYPE_U8, TASK_SHAPE (48), array->data, 0);
}

/* An element that repeats (stride 0) has a view in every shape that keeps its dimension whole. */
static void
test_broadcast (void)
{
  const gint64 shape[] = { 4, 3 }, strides[] = { 0, 4 };
  g_autoptr (TaskArray) row = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (3), numbers);
  TaskArray repeated = *row, *input = &repeated;
  HoloTensorDesc out;

  holo_tensor_desc_init_strided (&repeated.desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, shape, strides, 0);
  g_assert_cmpint (get_in_place ("{\"shape\": [2, 2, 3]}", &repeated, &out), ==, HOLO_IN_PLACE_VIEW);
  g_assert_cmpint (out.strides[0], ==, 0);
  g_assert_cmpint (out.strides[1], ==, 0);
  g_assert_cmpint (get_in_place ("{\"shape\": [12]}", &repeated, &out), ==, HOLO_IN_PLACE_NONE);
  task_check ("Reshape", "{\"shape\": [12]}", &input, 1, HOLO_DTYPE_F32, TASK_SHAPE (12),
              ((const gfloat[]){ 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3 }), 0);
}

static void
test_empty (void)
{
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (0, 3), NULL);

  task_check ("Reshape", "{\"shape\": [3, 0]}", &array, 1, HOLO_DTYPE_F32, TASK_SHAPE (3, 0), NULL, 0);
  task_check ("Reshape", "{\"shape\": [-1, 5]}", &array, 1, HOLO_DTYPE_F32, TASK_SHAPE (0, 5), NULL, 0);
  task_check ("Reshape", "{\"shape\": [7, 0, 2], \"copy\": true}", &array, 1, HOLO_DTYPE_F32, TASK_SHAPE (7, 0, 2),
              NULL, 0);
  task_check_refused ("Reshape", "{\"shape\": [0, -1]}", &array, 1, HOLO_ERROR_INFERENCE, "any number");
}

static void
test_refused (void)
{
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2, 3), numbers);

  task_check_refused ("Reshape", "{}", &array, 1, HOLO_ERROR_SETTING, "shape");
  task_check_refused ("Reshape", "{\"shape\": [-1, -1]}", &array, 1, HOLO_ERROR_INFERENCE, "only one extent may be -1");
  task_check_refused ("Reshape", "{\"shape\": [-2, 3]}", &array, 1, HOLO_ERROR_SETTING, "-2");
  task_check_refused ("Reshape", "{\"shape\": [7]}", &array, 1, HOLO_ERROR_INFERENCE, "another number of elements");
  task_check_refused ("Reshape", "{\"shape\": [4, -1]}", &array, 1, HOLO_ERROR_INFERENCE, "no whole number");
  task_check_refused ("Reshape", "{\"shape\": [1, 1, 1, 1, 1, 1, 1, 2, 3]}", &array, 1, HOLO_ERROR_INFERENCE,
                      "more than 8");
  task_check_refused ("Reshape", "{\"shape\": [4611686018427387904, 4611686018427387904]}", &array, 1,
                      HOLO_ERROR_INFERENCE, "does not fit");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/reshape/values", test_values);
  g_test_add_func ("/tasks/reshape/view", test_view);
  g_test_add_func ("/tasks/reshape/strided", test_strided);
  g_test_add_func ("/tasks/reshape/broadcast", test_broadcast);
  g_test_add_func ("/tasks/reshape/empty", test_empty);
  g_test_add_func ("/tasks/reshape/refused", test_refused);
  return g_test_run ();
}
