/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "tasks/task-runner.h"

static void
check (HoloDType in, HoloDType out, guint rank, const gint64 *shape, gconstpointer values, gconstpointer expected,
       gdouble tolerance)
{
  g_autoptr (TaskArray) array = task_array_new (in, rank, shape, values);

  task_check ("Abs", "{}", &array, 1, out, rank, shape, expected, tolerance);
}

static void
test_real (void)
{
  const guint8 u8[] = { 0, 1, 128, 255 };
  const guint16 u16[] = { 0, 1, 1000, 65535 };

  check (HOLO_DTYPE_U8, HOLO_DTYPE_U8, TASK_SHAPE (4), u8, u8, 0);
  check (HOLO_DTYPE_U16, HOLO_DTYPE_U16, TASK_SHAPE (4), u16, u16, 0);
  check (HOLO_DTYPE_F32, HOLO_DTYPE_F32, TASK_SHAPE (4), (const gfloat[]){ 0, 1.5f, 3.14f, 100 },
         (const gfloat[]){ 0, 1.5f, 3.14f, 100 }, 0);
  check (HOLO_DTYPE_F32, HOLO_DTYPE_F32, TASK_SHAPE (4), (const gfloat[]){ -3.14f, 0, 2.71f, -1 },
         (const gfloat[]){ 3.14f, 0, 2.71f, 1 }, 0);
  check (HOLO_DTYPE_F32, HOLO_DTYPE_F32, TASK_SHAPE (2, 3), (const gfloat[]){ -1, 2, -3, 4, -5, 6 },
         (const gfloat[]){ 1, 2, 3, 4, 5, 6 }, 0);
  check (HOLO_DTYPE_F64, HOLO_DTYPE_F64, TASK_SHAPE (4), (const gdouble[]){ -0.0, -INFINITY, NAN, -1e-310 },
         (const gdouble[]){ 0, INFINITY, NAN, 1e-310 }, 0);
}

/* The smallest integer stays what it is, as in NumPy. */
static void
test_signed (void)
{
  check (HOLO_DTYPE_I8, HOLO_DTYPE_I8, TASK_SHAPE (4), (const gint8[]){ -128, -127, 0, 127 },
         (const gint8[]){ -128, 127, 0, 127 }, 0);
  check (HOLO_DTYPE_I16, HOLO_DTYPE_I16, TASK_SHAPE (3), (const gint16[]){ G_MININT16, -1, 5 },
         (const gint16[]){ G_MININT16, 1, 5 }, 0);
  check (HOLO_DTYPE_I32, HOLO_DTYPE_I32, TASK_SHAPE (3), (const gint32[]){ G_MININT32, -7, 5 },
         (const gint32[]){ G_MININT32, 7, 5 }, 0);
  check (HOLO_DTYPE_I64, HOLO_DTYPE_I64, TASK_SHAPE (3), (const gint64[]){ G_MININT64, G_MININT64 + 1, 5 },
         (const gint64[]){ G_MININT64, G_MAXINT64, 5 }, 0);
}

static void
test_complex (void)
{
  check (HOLO_DTYPE_CF32, HOLO_DTYPE_F32, TASK_SHAPE (4), (const gfloat[]){ 1, 2, -3, 4, 0, 0, 3, -4 },
         (const gfloat[]){ 2.2360680f, 5, 0, 5 }, 0);
  check (HOLO_DTYPE_CF64, HOLO_DTYPE_F64, TASK_SHAPE (2), (const gdouble[]){ 3e300, 4e300, 3e-300, -4e-300 },
         (const gdouble[]){ 5e300, 5e-300 }, 1e-15);
}

/* Bug report J5: the modulus must not go by way of squares that overflow. */
static void
test_modulus_range (void)
{
  const gfloat values[] = { 3e30f, 4e30f, 3e-30f, 4e-30f, 3e38f, 0, INFINITY, NAN, NAN, 1, -0.0f, 0, NAN, -INFINITY };
  const gfloat expected[] = { 5e30f, 5e-30f, 3e38f, INFINITY, NAN, 0, INFINITY };
  gdouble wide[G_N_ELEMENTS (values)], wide_expected[G_N_ELEMENTS (expected)];

  check (HOLO_DTYPE_CF32, HOLO_DTYPE_F32, TASK_SHAPE (7), values, expected, 0);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    wide[i] = values[i];
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    wide_expected[i] = i < 2 ? hypot (wide[2 * i], wide[2 * i + 1]) : expected[i];
  check (HOLO_DTYPE_CF64, HOLO_DTYPE_F64, TASK_SHAPE (7), wide, wide_expected, 0);
}

static void
test_inference (void)
{
  g_autoptr (TaskArray) half = task_array_new (HOLO_DTYPE_F16, TASK_SHAPE (2), NULL);
  g_autoptr (TaskArray) complex = task_array_new (HOLO_DTYPE_CF32, TASK_SHAPE (2), NULL);
  g_autoptr (TaskRunner) runner = task_runner_new ("Abs", "{}", NULL);

  task_check_refused ("Abs", "{}", &half, 1, HOLO_ERROR_INFERENCE, "F16");
  task_check_refused ("Abs", "{}", NULL, 0, HOLO_ERROR_INFERENCE, "not connected");
  g_assert_true (task_runner_infer (runner, &complex, 1, NULL));
  g_assert_false (task_runner_can_run_in_place (runner));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/abs/real", test_real);
  g_test_add_func ("/tasks/abs/signed", test_signed);
  g_test_add_func ("/tasks/abs/complex", test_complex);
  g_test_add_func ("/tasks/abs/modulus-range", test_modulus_range);
  g_test_add_func ("/tasks/abs/inference", test_inference);
  return g_test_run ();
}
