/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tasks/task-runner.h"

static void
test_types (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint dtype = 0; dtype < HOLO_N_DTYPES; dtype++)
    {
      g_autoptr (TaskArray) array = task_array_new_random ((HoloDType) dtype, TASK_SHAPE (2, 3, 5), rand);

      task_check ("Memcpy", "{\"target\": \"Host\"}", &array, 1, (HoloDType) dtype, TASK_SHAPE (2, 3, 5),
                  array->data, 0);
    }
}

static void
test_sizes (void)
{
  g_autoptr (TaskArray) empty = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2, 0), NULL);
  g_autoptr (TaskArray) number = task_array_new (HOLO_DTYPE_F32, TASK_SCALAR, (const gfloat[]){ 7 });

  task_check ("Memcpy", "{\"target\": \"Host\"}", &empty, 1, HOLO_DTYPE_F32, TASK_SHAPE (2, 0), NULL, 0);
  task_check ("Memcpy", "{\"target\": \"Host\"}", &number, 1, HOLO_DTYPE_F32, TASK_SCALAR,
              (const gfloat[]){ 7 }, 0);
}

/* The output is dense at offset 0, however the input lies: an offset that is kept would need a larger
 * storage. */
static void
test_packs (void)
{
  g_autoptr (TaskArray) dense = task_array_new (HOLO_DTYPE_U16, TASK_SHAPE (2, 3), NULL);
  g_autoptr (TaskArray) padded = task_array_copy (dense, TASK_LAYOUT_PADDED);
  g_autoptr (TaskRunner) runner = task_runner_new ("Memcpy", "{\"target\": \"Host\"}", NULL);
  const HoloInferredOutput *output;

  g_assert_cmpint (padded->desc.offset, ==, 6);
  g_assert_true (task_runner_infer (runner, &padded, 1, NULL));
  output = holo_inference_get_output (&runner->inference, 0);
  g_assert_true (holo_tensor_desc_equal (&output->desc, &dense->desc));
  g_assert_cmpint (output->in_place, ==, HOLO_IN_PLACE_NONE);
  g_assert_false (runner->inference.uses_stream);
}

static void
test_places (void)
{
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_U16, TASK_SHAPE (2, 3), NULL);
  g_autoptr (TaskRunner) up = task_runner_new ("Memcpy", "{\"target\": \"Device\"}", NULL);
  g_autoptr (TaskRunner) down = task_runner_new ("Memcpy", "{\"target\": \"Host\"}", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (task_runner_infer (up, &array, 1, NULL));
  g_assert_cmpint (holo_inference_get_output_desc (&up->inference, 0)->mem_loc, ==, HOLO_MEM_LOC_DEVICE);
  g_assert_true (up->inference.uses_stream);
  g_assert_false (task_runner_create (up, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
  array->desc.mem_loc = HOLO_MEM_LOC_DEVICE;
  g_assert_true (task_runner_infer (down, &array, 1, NULL));
  g_assert_cmpint (holo_inference_get_output_desc (&down->inference, 0)->mem_loc, ==, HOLO_MEM_LOC_HOST);
  g_assert_true (down->inference.uses_stream);
}

static void
test_refused (void)
{
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_U16, TASK_SHAPE (2, 3), NULL);

  task_check_refused ("Memcpy", "{}", &array, 1, HOLO_ERROR_SETTING, "target");
  task_check_refused ("Memcpy", "{\"target\": \"Moon\"}", &array, 1, HOLO_ERROR_SETTING, "Moon");
  task_check_refused ("Memcpy", "{\"target\": \"Host\"}", NULL, 0, HOLO_ERROR_INFERENCE, "not connected");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/memcpy/types", test_types);
  g_test_add_func ("/tasks/memcpy/sizes", test_sizes);
  g_test_add_func ("/tasks/memcpy/packs", test_packs);
  g_test_add_func ("/tasks/memcpy/places", test_places);
  g_test_add_func ("/tasks/memcpy/refused", test_refused);
  return g_test_run ();
}
