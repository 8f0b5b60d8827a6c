/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "tasks/task-runner.h"

#define CHECK(a_dtype, a_shape, a_values, b_dtype, b_shape, b_values, dtype, shape, expected)                          \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    g_autoptr (TaskArray) a = task_array_new (a_dtype, a_shape, a_values);                                             \
    g_autoptr (TaskArray) b = task_array_new (b_dtype, b_shape, b_values);                                             \
    TaskArray *inputs[] = { a, b };                                                                                    \
                                                                                                                       \
    task_check ("Multiply", "{}", inputs, 2, dtype, shape, expected, 0);                                               \
  }                                                                                                                    \
  G_STMT_END
#define F32(...) ((const gfloat[]){ __VA_ARGS__ })
#define F64(...) ((const gdouble[]){ __VA_ARGS__ })
#define U16(...) ((const guint16[]){ __VA_ARGS__ })

static void
test_values (void)
{
  CHECK (HOLO_DTYPE_F32, TASK_SHAPE (3), F32 (2, 3, 4), HOLO_DTYPE_U16, TASK_SHAPE (3), U16 (10, 20, 30),
         HOLO_DTYPE_F32, TASK_SHAPE (3), F32 (20, 60, 120));
  CHECK (HOLO_DTYPE_F32, TASK_SHAPE (2, 2), F32 (1, 2, 3, 4), HOLO_DTYPE_F32, TASK_SHAPE (2), F32 (10, 100),
         HOLO_DTYPE_F32, TASK_SHAPE (2, 2), F32 (10, 200, 30, 400));
  CHECK (HOLO_DTYPE_CF32, TASK_SHAPE (2), F32 (1, 2, 3, 4), HOLO_DTYPE_F32, TASK_SHAPE (2), F32 (2, .5f),
         HOLO_DTYPE_CF32, TASK_SHAPE (2), F32 (2, 4, 1.5f, 2));
  CHECK (HOLO_DTYPE_F32, TASK_SHAPE (2), F32 (2, .5f), HOLO_DTYPE_CF32, TASK_SHAPE (2), F32 (1, 2, 3, 4),
         HOLO_DTYPE_CF32, TASK_SHAPE (2), F32 (2, 4, 1.5f, 2));
  CHECK (HOLO_DTYPE_CF32, TASK_SHAPE (2), F32 (1, 2, 0, 1), HOLO_DTYPE_CF32, TASK_SHAPE (2), F32 (3, -4, 0, 1),
         HOLO_DTYPE_CF32, TASK_SHAPE (2), F32 (11, 2, -1, 0));
  CHECK (HOLO_DTYPE_U8, TASK_SHAPE (2), ((const guint8[]){ 200, 3 }), HOLO_DTYPE_U16, TASK_SHAPE (2), U16 (300, 4),
         HOLO_DTYPE_U16, TASK_SHAPE (2), U16 (60000, 12));
}

static void
test_integers (void)
{
  CHECK (HOLO_DTYPE_U16, TASK_SHAPE (2), U16 (65535, 256), HOLO_DTYPE_U16, TASK_SHAPE (2), U16 (65535, 256),
         HOLO_DTYPE_U16, TASK_SHAPE (2), U16 (1, 0));
  CHECK (HOLO_DTYPE_I8, TASK_SHAPE (2), ((const gint8[]){ -128, 100 }), HOLO_DTYPE_U8, TASK_SHAPE (2),
         ((const guint8[]){ 255, 2 }), HOLO_DTYPE_I16, TASK_SHAPE (2), ((const gint16[]){ -32640, 200 }));
  CHECK (HOLO_DTYPE_I32, TASK_SHAPE (2), ((const gint32[]){ G_MININT32, -3 }), HOLO_DTYPE_I32, TASK_SHAPE (2),
         ((const gint32[]){ -1, 5 }), HOLO_DTYPE_I32, TASK_SHAPE (2), ((const gint32[]){ G_MININT32, -15 }));
  CHECK (HOLO_DTYPE_U32, TASK_SHAPE (1), ((const guint32[]){ 4000000000u }), HOLO_DTYPE_I32, TASK_SHAPE (1),
         ((const gint32[]){ -2 }), HOLO_DTYPE_I64, TASK_SHAPE (1), ((const gint64[]){ -8000000000 }));
  CHECK (HOLO_DTYPE_I64, TASK_SHAPE (1), ((const gint64[]){ G_MININT64 }), HOLO_DTYPE_I64, TASK_SHAPE (1),
         ((const gint64[]){ -1 }), HOLO_DTYPE_I64, TASK_SHAPE (1), ((const gint64[]){ G_MININT64 }));
}

/* A real factor stays real: infinity times it gives no NaN in the other part. Two complex ones follow
 * NumPy. */
static void
test_ieee (void)
{
  CHECK (HOLO_DTYPE_CF32, TASK_SHAPE (2), F32 (INFINITY, 1, NAN, 1), HOLO_DTYPE_F32, TASK_SHAPE (2), F32 (2, 2),
         HOLO_DTYPE_CF32, TASK_SHAPE (2), F32 (INFINITY, 2, NAN, 2));
  CHECK (HOLO_DTYPE_CF32, TASK_SHAPE (1), F32 (INFINITY, 1), HOLO_DTYPE_CF32, TASK_SHAPE (1), F32 (2, 0),
         HOLO_DTYPE_CF32, TASK_SHAPE (1), F32 (INFINITY, NAN));
  CHECK (HOLO_DTYPE_F32, TASK_SHAPE (5), F32 (0, -0.0f, 1e-45f, 1.1754944e-38f, 1e38f), HOLO_DTYPE_F32, TASK_SHAPE (5),
         F32 (INFINITY, 3, 2, .5f, 10), HOLO_DTYPE_F32, TASK_SHAPE (5),
         F32 (NAN, -0.0f, 1e-45f * 2, 1.1754944e-38f / 2, INFINITY));
}

/* The whole table, by what NumPy calls the kinds: integers among each other are checked by the ranges of
 * their types. */
static void
test_types (void)
{
  static const gdouble lowest[] = { 0, -128, 0, -32768, 0, -2147483648., 0, -0x1p63 };
  static const gdouble highest[] = { 255, 127, 65535, 32767, 4294967295., 2147483647., 0x1p64 - 2048, 0x1p63 - 1024 };

  for (guint a = 0; a < HOLO_N_DTYPES; a++)
    for (guint b = 0; b < HOLO_N_DTYPES; b++)
      {
        g_autoptr (TaskArray) x = task_array_new ((HoloDType) a, TASK_SHAPE (3), NULL);
        g_autoptr (TaskArray) y = task_array_new ((HoloDType) b, TASK_SHAPE (3), NULL);
        g_autoptr (TaskRunner) runner = task_runner_new ("Multiply", "{}", NULL);
        TaskArray *inputs[] = { x, y };
        gboolean accepted = task_runner_infer (runner, inputs, 2, NULL);
        gboolean is_double = a == HOLO_DTYPE_F64 || b == HOLO_DTYPE_F64 || a == HOLO_DTYPE_CF64 || b == HOLO_DTYPE_CF64;
        HoloDType out;

        if (a == HOLO_DTYPE_F16 || b == HOLO_DTYPE_F16)
          {
            g_assert_false (accepted);
            continue;
          }
        if (!accepted)
          {
            g_assert_true ((a == HOLO_DTYPE_U64 && b < 8 && lowest[b] < 0) ||
                           (b == HOLO_DTYPE_U64 && a < 8 && lowest[a] < 0));
            continue;
          }
        out = holo_inference_get_output_desc (&runner->inference, 0)->dtype;
        if (holo_dtype_is_complex ((HoloDType) a) || holo_dtype_is_complex ((HoloDType) b))
          g_assert_cmpint (out, ==, is_double ? HOLO_DTYPE_CF64 : HOLO_DTYPE_CF32);
        else if (a >= 8 || b >= 8)
          g_assert_cmpint (out, ==, is_double ? HOLO_DTYPE_F64 : HOLO_DTYPE_F32);
        else
          {
            g_assert_cmpfloat (lowest[out], <=, MIN (lowest[a], lowest[b]));
            g_assert_cmpfloat (highest[out], >=, MAX (highest[a], highest[b]));
            for (guint smaller = 0; smaller < 8; smaller++)
              if (holo_dtype_get_size ((HoloDType) smaller) < holo_dtype_get_size (out))
                g_assert_false (lowest[smaller] <= MIN (lowest[a], lowest[b]) &&
                                highest[smaller] >= MAX (highest[a], highest[b]));
          }
      }
}

/* Every accepted pair of types against doubles, with numbers that no product takes out of any type. */
static void
test_pairs (void)
{
  for (guint a = 0; a < HOLO_N_DTYPES; a++)
    for (guint b = 0; b < HOLO_N_DTYPES; b++)
      {
        g_autoptr (TaskArray) small = task_array_new (HOLO_DTYPE_F64, TASK_SHAPE (3), F64 (1, 2, 3));
        g_autofree gchar *to_a = g_strdup_printf ("{\"target\": \"%s\"}", holo_dtype_get_name ((HoloDType) a));
        g_autofree gchar *to_b = g_strdup_printf ("{\"target\": \"%s\"}", holo_dtype_get_name ((HoloDType) b));
        g_autoptr (TaskArray) x = task_run ("Conversion", to_a, &small, 1, TASK_RUN_NORMAL, NULL);
        g_autoptr (TaskArray) y = task_run ("Conversion", to_b, &small, 1, TASK_RUN_NORMAL, NULL);
        TaskArray *inputs[] = { x, y };
        g_autoptr (TaskArray) product = task_run ("Multiply", "{}", inputs, 2, TASK_RUN_NORMAL, NULL);
        g_autoptr (TaskArray) in_place = task_run ("Multiply", "{}", inputs, 2, TASK_RUN_IN_PLACE, NULL);

        g_assert_true ((product == NULL) == (in_place == NULL));
        for (guint i = 0; product != NULL && i < 3; i++)
          {
            g_assert_cmpfloat (task_array_get_real (product, i), ==, (i + 1) * (i + 1));
            g_assert_cmpfloat (task_array_get_real (in_place, i), ==, (i + 1) * (i + 1));
          }
      }
}

static void
test_refused (void)
{
  g_autoptr (TaskArray) u64 = task_array_new (HOLO_DTYPE_U64, TASK_SHAPE (3), NULL);
  g_autoptr (TaskArray) i8 = task_array_new (HOLO_DTYPE_I8, TASK_SHAPE (3), NULL);
  TaskArray *inputs[] = { u64, i8 };

  task_check_refused ("Multiply", "{}", NULL, 0, HOLO_ERROR_INFERENCE, "not connected");
  task_check_refused ("Multiply", "{}", inputs, 2, HOLO_ERROR_INFERENCE, "no element type holds both");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/multiply/values", test_values);
  g_test_add_func ("/tasks/multiply/integers", test_integers);
  g_test_add_func ("/tasks/multiply/ieee", test_ieee);
  g_test_add_func ("/tasks/multiply/types", test_types);
  g_test_add_func ("/tasks/multiply/pairs", test_pairs);
  g_test_add_func ("/tasks/multiply/refused", test_refused);
  return g_test_run ();
}
