/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "tasks/task-runner.h"

/* One dtype in and out; shapes may differ. */
#define CHECK(dtype, a_shape, a_values, b_shape, b_values, shape, expected)                                            \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    g_autoptr (TaskArray) a = task_array_new (dtype, a_shape, a_values);                                               \
    g_autoptr (TaskArray) b = task_array_new (dtype, b_shape, b_values);                                               \
    TaskArray *inputs[] = { a, b };                                                                                    \
                                                                                                                       \
    task_check ("Add", "{}", inputs, 2, dtype, shape, expected, 0);                                                    \
  }                                                                                                                    \
  G_STMT_END
#define F32(...) ((const gfloat[]){ __VA_ARGS__ })

static void
test_same_shape (void)
{
  CHECK (HOLO_DTYPE_F32, TASK_SHAPE (4), F32 (1, -2, 3.5f, 0), TASK_SHAPE (4), F32 (.5f, 1, -1.5f, 2), TASK_SHAPE (4),
         F32 (1.5f, -1, 2, 2));
  CHECK (HOLO_DTYPE_F32, TASK_SHAPE (2, 3), F32 (1, 2, 3, 4, 5, 6), TASK_SHAPE (2, 3), F32 (-1, -2, -3, -4, -5, -6),
         TASK_SHAPE (2, 3), F32 (0, 0, 0, 0, 0, 0));
  CHECK (HOLO_DTYPE_U8, TASK_SHAPE (4), ((const guint8[]){ 0, 10, 100, 200 }), TASK_SHAPE (4),
         ((const guint8[]){ 1, 20, 50, 55 }), TASK_SHAPE (4), ((const guint8[]){ 1, 30, 150, 255 }));
  CHECK (HOLO_DTYPE_U16, TASK_SHAPE (4), ((const guint16[]){ 0, 100, 1000, 60000 }), TASK_SHAPE (4),
         ((const guint16[]){ 1, 200, 500, 5000 }), TASK_SHAPE (4), ((const guint16[]){ 1, 300, 1500, 65000 }));
  CHECK (HOLO_DTYPE_CF32, TASK_SHAPE (4), F32 (1, 2, -3, 4, 0, 0, 5, -1), TASK_SHAPE (4),
         F32 (2, -1, 1, 1, 3, 3, -2, 2), TASK_SHAPE (4), F32 (3, 1, -2, 5, 3, 3, 3, 1));
}

static void
test_broadcast (void)
{
  CHECK (HOLO_DTYPE_F32, TASK_SHAPE (4), F32 (1, 2, 3, 4), TASK_SHAPE (1), F32 (10), TASK_SHAPE (4),
         F32 (11, 12, 13, 14));
  CHECK (HOLO_DTYPE_F32, TASK_SHAPE (3, 3), F32 (1, 2, 3, 4, 5, 6, 7, 8, 9), TASK_SHAPE (1, 3), F32 (10, 20, 30),
         TASK_SHAPE (3, 3), F32 (11, 22, 33, 14, 25, 36, 17, 28, 39));
  CHECK (HOLO_DTYPE_F32, TASK_SHAPE (3), F32 (10, 20, 30), TASK_SHAPE (2, 3), F32 (1, 2, 3, 4, 5, 6), TASK_SHAPE (2, 3),
         F32 (11, 22, 33, 14, 25, 36));
  CHECK (HOLO_DTYPE_F32, TASK_SHAPE (3, 1), F32 (1, 2, 3), TASK_SHAPE (1, 2), F32 (10, 20), TASK_SHAPE (3, 2),
         F32 (11, 21, 12, 22, 13, 23));
  CHECK (HOLO_DTYPE_F32, TASK_SCALAR, F32 (1), TASK_SCALAR, F32 (2), TASK_SCALAR, F32 (3));
  CHECK (HOLO_DTYPE_F32, TASK_SHAPE (2, 2), F32 (1, 2, 3, 4), TASK_SCALAR, F32 (0.5f), TASK_SHAPE (2, 2),
         F32 (1.5f, 2.5f, 3.5f, 4.5f));
}

/* A broadcast row longer than a tile, so that the repeated element is used for several tiles. */
static void
test_long_broadcast (void)
{
  const gint64 n = 1000;
  g_autoptr (TaskArray) a = task_array_new (HOLO_DTYPE_I32, TASK_SHAPE (2, n), NULL);
  g_autoptr (TaskArray) b = task_array_new (HOLO_DTYPE_I32, TASK_SHAPE (2, 1), (const gint32[]){ 100000, 200000 });
  TaskArray *inputs[] = { a, b };
  g_autofree gint32 *expected = g_new (gint32, 2 * n);

  for (gint i = 0; i < 2 * n; i++)
    {
      ((gint32 *) (gpointer) a->data)[i] = i;
      expected[i] = i + (i < n ? 100000 : 200000);
    }
  task_check ("Add", "{}", inputs, 2, HOLO_DTYPE_I32, TASK_SHAPE (2, n), expected, 0);
}

static void
test_wrap (void)
{
  CHECK (HOLO_DTYPE_U8, TASK_SHAPE (2), ((const guint8[]){ 200, 255 }), TASK_SHAPE (2), ((const guint8[]){ 100, 1 }),
         TASK_SHAPE (2), ((const guint8[]){ 44, 0 }));
  CHECK (HOLO_DTYPE_I8, TASK_SHAPE (2), ((const gint8[]){ 127, -128 }), TASK_SHAPE (2), ((const gint8[]){ 1, -1 }),
         TASK_SHAPE (2), ((const gint8[]){ -128, 127 }));
  CHECK (HOLO_DTYPE_I16, TASK_SHAPE (1), ((const gint16[]){ G_MAXINT16 }), TASK_SHAPE (1), ((const gint16[]){ 2 }),
         TASK_SHAPE (1), ((const gint16[]){ G_MININT16 + 1 }));
  CHECK (HOLO_DTYPE_I32, TASK_SHAPE (1), ((const gint32[]){ G_MAXINT32 }), TASK_SHAPE (1), ((const gint32[]){ 1 }),
         TASK_SHAPE (1), ((const gint32[]){ G_MININT32 }));
  CHECK (HOLO_DTYPE_I64, TASK_SHAPE (1), ((const gint64[]){ G_MAXINT64 }), TASK_SHAPE (1), ((const gint64[]){ 1 }),
         TASK_SHAPE (1), ((const gint64[]){ G_MININT64 }));
  CHECK (HOLO_DTYPE_U64, TASK_SHAPE (1), ((const guint64[]){ G_MAXUINT64 }), TASK_SHAPE (1), ((const guint64[]){ 3 }),
         TASK_SHAPE (1), ((const guint64[]){ 2 }));
}

static void
test_ieee (void)
{
  CHECK (HOLO_DTYPE_F32, TASK_SHAPE (6), F32 (INFINITY, INFINITY, NAN, -0.0f, -0.0f, 3e38f), TASK_SHAPE (6),
         F32 (-INFINITY, 1, 1, -0.0f, 0.0f, 3e38f), TASK_SHAPE (6), F32 (NAN, INFINITY, NAN, -0.0f, 0.0f, INFINITY));
}

static void
test_refused (void)
{
  g_autoptr (TaskArray) f32 = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2, 3), NULL);
  g_autoptr (TaskArray) u16 = task_array_new (HOLO_DTYPE_U16, TASK_SHAPE (2, 3), NULL);
  g_autoptr (TaskArray) other = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2, 4), NULL);
  TaskArray *mixed[] = { f32, u16 }, *shapes[] = { f32, other }, *three[] = { f32, f32, f32 };

  task_check_refused ("Add", "{}", NULL, 0, HOLO_ERROR_INFERENCE, "not connected");
  task_check_refused ("Add", "{}", mixed, 1, HOLO_ERROR_INFERENCE, "\"b\"");
  task_check_refused ("Add", "{}", three, 3, HOLO_ERROR_INFERENCE, "3 inputs");
  task_check_refused ("Add", "{}", mixed, 2, HOLO_ERROR_INFERENCE, "Conversion");
  task_check_refused ("Add", "{}", shapes, 2, HOLO_ERROR_INFERENCE, "extents 3 and 4");
}

static gboolean
offers_device (TaskRunner *runner)
{
  guint n;

  return (holo_task_factory_class_get_inputs (HOLO_TASK_FACTORY_GET_CLASS (runner->factory), &n)[0].mem_locs &
          HOLO_MEM_LOCS_DEVICE) != 0;
}

/* The place is part of the descriptor: no memory is touched. */
static void
test_places (void)
{
  g_autoptr (TaskArray) host = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (4), NULL);
  g_autoptr (TaskArray) device = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (4), NULL);
  TaskArray *inputs[] = { host, device }, *both[] = { device, device };
  g_autoptr (TaskRunner) runner = task_runner_new ("Add", "{}", NULL);

  device->desc.mem_loc = HOLO_MEM_LOC_DEVICE;
  if (!offers_device (runner)) /* an installed module may have it */
    task_check_refused ("Add", "{}", both, 2, HOLO_ERROR_INFERENCE,
                        "no module that is loaded has this kind for a device");
  holo_registry_add_device_kind (holo_registry_get_default (), "Add");
  task_check_refused ("Add", "{}", inputs, 2, HOLO_ERROR_INFERENCE, "Memcpy");
  g_assert_true (task_runner_infer (runner, both, 2, NULL));
  g_assert_cmpint (holo_inference_get_output_desc (&runner->inference, 0)->mem_loc, ==, HOLO_MEM_LOC_DEVICE);
  g_assert_true (runner->inference.capture_safe);
}

/* Which input the sum may be written over: the first that has its shape. */
static void
test_in_place (void)
{
  g_autoptr (TaskArray) whole = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2, 3), NULL);
  g_autoptr (TaskArray) row = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (3), NULL);
  g_autoptr (TaskArray) column = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2, 1), NULL);
  g_autoptr (TaskRunner) runner = task_runner_new ("Add", "{}", NULL);
  TaskArray *first[] = { whole, row }, *second[] = { row, whole }, *none[] = { row, column };
  const HoloInferredOutput *output;

  g_assert_true (task_runner_infer (runner, first, 2, NULL));
  output = holo_inference_get_output (&runner->inference, 0);
  g_assert_cmpint (output->in_place, ==, HOLO_IN_PLACE_MAY);
  g_assert_cmpint (output->in_place_input, ==, 0);
  g_assert_true (task_runner_infer (runner, second, 2, NULL));
  output = holo_inference_get_output (&runner->inference, 0);
  g_assert_cmpint (output->in_place_input, ==, 1);
  g_assert_true (task_runner_infer (runner, none, 2, NULL));
  g_assert_false (task_runner_can_run_in_place (runner));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/add/same-shape", test_same_shape);
  g_test_add_func ("/tasks/add/broadcast", test_broadcast);
  g_test_add_func ("/tasks/add/long-broadcast", test_long_broadcast);
  g_test_add_func ("/tasks/add/wrap", test_wrap);
  g_test_add_func ("/tasks/add/ieee", test_ieee);
  g_test_add_func ("/tasks/add/refused", test_refused);
  g_test_add_func ("/tasks/add/places", test_places);
  g_test_add_func ("/tasks/add/in-place", test_in_place);
  return g_test_run ();
}
