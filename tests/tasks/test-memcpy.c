/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "simulated/sim-device.h"
#include "tasks/task-runner.h"

static void
test_types (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint dtype = 0; dtype < HOLO_N_DTYPES; dtype++)
    {
      g_autoptr (TaskArray) array = task_array_new_random ((HoloDType) dtype, TASK_SHAPE (2, 3, 5), rand);

      task_check ("Memcpy", "{\"target\": \"Host\"}", &array, 1, (HoloDType) dtype, TASK_SHAPE (2, 3, 5), array->data,
                  0);
    }
}

static void
test_sizes (void)
{
  g_autoptr (TaskArray) empty = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2, 0), NULL);
  g_autoptr (TaskArray) number = task_array_new (HOLO_DTYPE_F32, TASK_SCALAR, (const gfloat[]){ 7 });

  task_check ("Memcpy", "{\"target\": \"Host\"}", &empty, 1, HOLO_DTYPE_F32, TASK_SHAPE (2, 0), NULL, 0);
  task_check ("Memcpy", "{\"target\": \"Host\"}", &number, 1, HOLO_DTYPE_F32, TASK_SCALAR, (const gfloat[]){ 7 }, 0);
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

/* One Memcpy node on @device: from @in to @out, enqueued. */
static void
copy_on (HoloDevice *device, HoloStream *stream, const gchar *target, const HoloTensorDesc *in_desc,
         HoloStorage *in_storage, HoloStorage *out_storage)
{
  g_autofree gchar *settings = g_strdup_printf ("{\"target\": \"%s\"}", target);
  g_autoptr (TaskRunner) runner = task_runner_new ("Memcpy", settings, NULL);
  HoloSyncCreateContext create = { stream, device };
  HoloTensorView in, out, *inputs[] = { &in }, *outputs[] = { &out };
  HoloSyncContext context = { .inputs = inputs, .outputs = outputs, .n_inputs = 1, .n_outputs = 1, .stream = stream };
  g_autoptr (GError) error = NULL;
  g_auto (HoloInference) inference = { 0 };
  g_autoptr (HoloSyncTask) task = NULL;

  g_assert_true (holo_task_factory_infer (runner->factory, in_desc, 1, &inference, &error));
  task = holo_sync_task_factory_create (HOLO_SYNC_TASK_FACTORY (runner->factory), &inference, &create, &error);
  g_assert_no_error (error);
  holo_tensor_view_init (&in, in_desc, in_storage);
  holo_tensor_view_init (&out, holo_inference_get_output_desc (&inference, 0), out_storage);
  g_assert_cmpint (holo_sync_task_execute (task, &context, &error), ==, HOLO_OP_OK);
  g_assert_true (holo_stream_synchronize (stream, &error));
}

/* Up and down again, from every layout: device memory holds the dense elements. */
static void
test_device (void)
{
  g_autoptr (HoloDevice) device = sim_device_new (1, 100);
  HoloStream *stream = holo_device_create_stream (device, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  g_autoptr (TaskArray) array = task_array_new_random (HOLO_DTYPE_F32, TASK_SHAPE (3, 4, 5), rand);

  for (guint layout = 0; layout < TASK_N_LAYOUTS; layout++)
    {
      g_autoptr (TaskArray) laid_out = task_array_copy (array, (TaskLayout) layout);
      g_autoptr (TaskArray) back = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (3, 4, 5), NULL);
      HoloTensorDesc device_desc = array->desc;
      HoloStorage from, there, to;
      gpointer memory = holo_device_alloc (device, HOLO_MEM_LOC_DEVICE, array->size, NULL);

      device_desc.mem_loc = HOLO_MEM_LOC_DEVICE;
      holo_storage_init (&from, laid_out->data, laid_out->size);
      there = (HoloStorage){ memory, array->size, HOLO_MEM_LOC_DEVICE, device, NULL };
      holo_storage_init (&to, back->data, back->size);
      copy_on (device, stream, "Device", &laid_out->desc, &from, &there);
      copy_on (device, stream, "Host", &device_desc, &there, &to);
      task_array_assert_same (back, array, 0);
      holo_device_free (device, HOLO_MEM_LOC_DEVICE, memory);
    }
  holo_device_release_stream (device, stream);
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
  g_test_add_func ("/tasks/memcpy/device", test_device);
  g_test_add_func ("/tasks/memcpy/refused", test_refused);
  return g_test_run ();
}
