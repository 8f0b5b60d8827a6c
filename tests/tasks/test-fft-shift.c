/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tasks/task-runner.h"

#define U8(...) ((const guint8[]){ __VA_ARGS__ })

static void
check (const gchar *settings, guint rank, const gint64 *shape, gconstpointer values, gconstpointer expected)
{
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_U8, rank, shape, values);

  task_check ("FFTShift", settings, &array, 1, HOLO_DTYPE_U8, rank, shape, expected, 0);
}

/* Bug report J1: odd extents as NumPy. */
static void
test_values (void)
{
  check ("{}", TASK_SHAPE (5), U8 (0, 1, 2, 3, 4), U8 (3, 4, 0, 1, 2));
  check ("{\"inverse\": true}", TASK_SHAPE (5), U8 (0, 1, 2, 3, 4), U8 (2, 3, 4, 0, 1));
  check ("{}", TASK_SHAPE (4), U8 (0, 1, 2, 3), U8 (2, 3, 0, 1));
  check ("{}", TASK_SHAPE (1, 1), U8 (7), U8 (7));
  check ("{}", TASK_SCALAR, U8 (7), U8 (7));
  check ("{}", TASK_SHAPE (3, 0), NULL, NULL);
  check ("{}", TASK_SHAPE (3, 5), U8 (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14),
         U8 (13, 14, 10, 11, 12, 3, 4, 0, 1, 2, 8, 9, 5, 6, 7));
  check ("{\"axes\": [1]}", TASK_SHAPE (3, 4), U8 (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
         U8 (3, 4, 1, 2, 7, 8, 5, 6, 11, 12, 9, 10));
  check ("{\"axes\": [-2, -1]}", TASK_SHAPE (2, 3, 3),
         U8 (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18),
         U8 (8, 6, 7, 2, 0, 1, 5, 3, 4, 18, 16, 17, 12, 10, 11, 15, 13, 14));
  check ("{\"axes\": []}", TASK_SHAPE (4), U8 (0, 1, 2, 3), U8 (0, 1, 2, 3));
}

/* Element i goes to (i + floor (n/2)) mod n, in every type, and the inverse brings it back. */
static void
test_types (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (guint dtype = 0; dtype < HOLO_N_DTYPES; dtype++)
    for (guint n = 1; n < 8; n++)
      {
        g_autoptr (TaskArray) array = task_array_new_random ((HoloDType) dtype, TASK_SHAPE (2, n, 9 - n), rand);
        g_autoptr (TaskArray) shifted = task_run ("FFTShift", "{}", &array, 1, TASK_RUN_NORMAL, NULL);
        g_autoptr (TaskArray) back = task_run ("FFTShiftNp", "{\"inverse\": true}", &shifted, 1, TASK_RUN_NORMAL, NULL);

        task_array_assert_same (back, array, 0);
        for (guint i = 0; i < 2 * n * (9 - n); i++)
          {
            guint x = i % (9 - n), y = i / (9 - n) % n, z = i / (9 - n) / n;
            guint to = (((z + 1) % 2) * n + (y + n / 2) % n) * (9 - n) + (x + (9 - n) / 2) % (9 - n);

            g_assert_cmpfloat (task_array_get_real (shifted, to), ==, task_array_get_real (array, i));
          }
      }
}

static void
test_refused (void)
{
  g_autoptr (TaskArray) array = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (3, 4), NULL);

  task_check_refused ("FFTShift", "{\"axes\": [1, 1]}", &array, 1, HOLO_ERROR_INFERENCE, "named twice");
  task_check_refused ("FFTShift", "{\"axes\": [1, -1]}", &array, 1, HOLO_ERROR_INFERENCE, "named twice");
  task_check_refused ("FFTShift", "{\"axes\": [2]}", &array, 1, HOLO_ERROR_INFERENCE, "2 is not a dimension");
  task_check_refused ("FFTShift", "{\"axes\": [-3]}", &array, 1, HOLO_ERROR_INFERENCE, "-3 is not a dimension");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/fft-shift/values", test_values);
  g_test_add_func ("/tasks/fft-shift/types", test_types);
  g_test_add_func ("/tasks/fft-shift/refused", test_refused);
  return g_test_run ();
}
