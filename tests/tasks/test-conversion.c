/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "tasks/task-runner.h"

#define F32(...) ((const gfloat[]){ __VA_ARGS__ })
#define F64(...) ((const gdouble[]){ __VA_ARGS__ })

static void
check (const gchar *settings, HoloDType in, guint n_in, gconstpointer values, HoloDType out, gconstpointer expected,
       gdouble tolerance)
{
  g_autoptr (TaskArray) array = task_array_new (in, TASK_SHAPE (n_in), values);

  task_check ("Conversion", settings, &array, 1, out, TASK_SHAPE (n_in), expected, tolerance);
}

/* Bug report J9: one rule for what does not fit. */
static void
test_float_to_integer (void)
{
  const gfloat f32[] = { -1, -0.3f, 0.5f, 1.5f, 254.5f, 255.5f, 300, 1e10f, NAN, INFINITY, -INFINITY };
  const guint8 u8[] = { 0, 0, 0, 2, 254, 255, 255, 255, 0, 255, 0 };
  const guint16 u16[] = { 0, 0, 0, 2, 254, 256, 300, 65535, 0, 65535, 0 };
  const gint8 i8[] = { -1, 0, 0, 2, 127, 127, 127, 127, 0, 127, -128 };
  const gint64 i64[] = { -1, 0, 0, 2, 254, 256, 300, 10000000000, 0, G_MAXINT64, G_MININT64 };
  const guint64 u64[] = { 0, 0, 0, 2, 254, 256, 300, 10000000000, 0, G_MAXUINT64, 0 };
  const gint32 i32[] = { -1, 0, 0, 2, 254, 256, 300, G_MAXINT32, 0, G_MAXINT32, G_MININT32 };
  const guint32 u32[] = { 0, 0, 0, 2, 254, 256, 300, G_MAXUINT32, 0, G_MAXUINT32, 0 };
  gdouble f64[G_N_ELEMENTS (f32)];

  for (guint i = 0; i < G_N_ELEMENTS (f32); i++)
    f64[i] = f32[i];
#define CHECK_BOTH(name, values)                                                                                       \
  check ("{\"target\": \"" #name "\"}", HOLO_DTYPE_F32, 11, f32, HOLO_DTYPE_##name, values, 0);                        \
  check ("{\"target\": \"" #name "\", \"strategy\": \"Real\"}", HOLO_DTYPE_F64, 11, f64, HOLO_DTYPE_##name, values, 0)
  CHECK_BOTH (U8, u8);
  CHECK_BOTH (U16, u16);
  CHECK_BOTH (I8, i8);
  CHECK_BOTH (I64, i64);
  CHECK_BOTH (U64, u64);
  CHECK_BOTH (I32, i32);
  CHECK_BOTH (U32, u32);
  /* Next to the bounds. */
  check ("{\"target\": \"I32\"}", HOLO_DTYPE_F64, 4, F64 (2147483646.5, 2147483647.4, -2147483648.5, -2147483648.6),
         HOLO_DTYPE_I32, ((const gint32[]){ 2147483646, G_MAXINT32, G_MININT32, G_MININT32 }), 0);
  check ("{\"target\": \"U64\"}", HOLO_DTYPE_F64, 3, F64 (0x1p64, 0x1p64 - 2048, 0x1p63), HOLO_DTYPE_U64,
         ((const guint64[]){ G_MAXUINT64, G_MAXUINT64 - 2047, G_GUINT64_CONSTANT (1) << 63 }), 0);
}

static void
test_integer_to_integer (void)
{
  check ("{\"target\": \"U8\"}", HOLO_DTYPE_I16, 4, ((const gint16[]){ -5, 0, 255, 256 }), HOLO_DTYPE_U8,
         ((const guint8[]){ 0, 0, 255, 255 }), 0);
  check ("{\"target\": \"I8\"}", HOLO_DTYPE_U64, 3, ((const guint64[]){ 0, 127, G_MAXUINT64 }), HOLO_DTYPE_I8,
         ((const gint8[]){ 0, 127, 127 }), 0);
  check ("{\"target\": \"I64\"}", HOLO_DTYPE_U64, 2, ((const guint64[]){ 1, G_MAXUINT64 }), HOLO_DTYPE_I64,
         ((const gint64[]){ 1, G_MAXINT64 }), 0);
  check ("{\"target\": \"U64\"}", HOLO_DTYPE_I64, 3, ((const gint64[]){ G_MININT64, -1, G_MAXINT64 }), HOLO_DTYPE_U64,
         ((const guint64[]){ 0, 0, G_MAXINT64 }), 0);
  check ("{\"target\": \"I32\"}", HOLO_DTYPE_U32, 2, ((const guint32[]){ 7, G_MAXUINT32 }), HOLO_DTYPE_I32,
         ((const gint32[]){ 7, G_MAXINT32 }), 0);
  check ("{\"target\": \"U16\"}", HOLO_DTYPE_U8, 2, ((const guint8[]){ 7, 255 }), HOLO_DTYPE_U16,
         ((const guint16[]){ 7, 255 }), 0);
}

static void
test_to_float (void)
{
  check ("{\"target\": \"F32\"}", HOLO_DTYPE_U8, 3, ((const guint8[]){ 0, 7, 255 }), HOLO_DTYPE_F32, F32 (0, 7, 255),
         0);
  check ("{\"target\": \"F32\"}", HOLO_DTYPE_U16, 3, ((const guint16[]){ 0, 4095, 65535 }), HOLO_DTYPE_F32,
         F32 (0, 4095, 65535), 0);
  check ("{\"target\": \"F32\"}", HOLO_DTYPE_I32, 2, ((const gint32[]){ 16777217, -16777219 }), HOLO_DTYPE_F32,
         F32 (16777216, -16777220), 0);
  check ("{\"target\": \"F64\"}", HOLO_DTYPE_U64, 2, ((const guint64[]){ G_MAXUINT64, 9007199254740993 }),
         HOLO_DTYPE_F64, F64 (0x1p64, 9007199254740992.), 0);
  check ("{\"target\": \"F32\"}", HOLO_DTYPE_F64, 4, F64 (0.1, 1e300, -1e-300, NAN), HOLO_DTYPE_F32,
         F32 (0.1f, INFINITY, -0.0f, NAN), 0);
  check ("{\"target\": \"CF32\"}", HOLO_DTYPE_U16, 2, ((const guint16[]){ 3, 65535 }), HOLO_DTYPE_CF32,
         F32 (3, 0, 65535, 0), 0);
  check ("{\"target\": \"CF64\", \"strategy\": \"Real\"}", HOLO_DTYPE_F32, 2, F32 (0.5f, -1), HOLO_DTYPE_CF64,
         F64 (0.5, 0, -1, 0), 0);
  check ("{\"target\": \"CF64\"}", HOLO_DTYPE_CF32, 1, F32 (0.5f, -1), HOLO_DTYPE_CF64, F64 (0.5, -1), 0);
  check ("{\"target\": \"CF32\"}", HOLO_DTYPE_CF64, 1, F64 (0.1, -1e300), HOLO_DTYPE_CF32, F32 (0.1f, -INFINITY), 0);
}

/* All 65536 halves to float and back; and every rounding case of the way back. */
static void
test_half (void)
{
  g_autofree guint16 *halves = g_new (guint16, 65536);
  g_autoptr (TaskArray) in = NULL, wide = NULL, back = NULL;
  const gdouble values[] = { 1,        -2,        65504,          65519.99,    65520,         0x1p-24,
                             0x1p-25,  0x1.8p-24, 0x1.000002p-25, 1 + 0x1p-11, 1 + 0x1.8p-10, 0x1p-14 - 0x1p-26,
                             INFINITY, -0.0 };
  const guint16 expected[] = { 0x3c00, 0xc000, 0x7bff, 0x7bff, 0x7c00, 0x0001, 0x0000,
                               0x0002, 0x0001, 0x3c00, 0x3c02, 0x0400, 0x7c00, 0x8000 };

  for (guint i = 0; i < 65536; i++)
    halves[i] = (guint16) i;
  in = task_array_new (HOLO_DTYPE_F16, TASK_SHAPE (65536), halves);
  wide = task_run ("Conversion", "{\"target\": \"F32\"}", &in, 1, TASK_RUN_NORMAL, NULL);
  back = task_run ("Conversion", "{\"target\": \"F16\"}", &wide, 1, TASK_RUN_NORMAL, NULL);
  for (guint i = 0; i < 65536; i++)
    if (isnan (task_array_get_real (wide, i)))
      g_assert_cmpuint ((guint) task_array_get_real (back, i) & 0x7e00, ==, 0x7e00);
    else
      g_assert_cmpuint ((guint) task_array_get_real (back, i), ==, i);
  g_assert_cmpfloat (task_array_get_real (wide, 0x3555), ==, 0x1.554p-2);
  check ("{\"target\": \"F16\"}", HOLO_DTYPE_F64, G_N_ELEMENTS (values), values, HOLO_DTYPE_F16, expected, 0);
  check ("{\"target\": \"U8\"}", HOLO_DTYPE_F16, 2, ((const guint16[]){ 0x3e00, 0x7c00 }), HOLO_DTYPE_U8,
         ((const guint8[]){ 2, 255 }), 0);
  check ("{\"target\": \"CF32\"}", HOLO_DTYPE_F16, 1, ((const guint16[]){ 0xc000 }), HOLO_DTYPE_CF32, F32 (-2, 0), 0);
  check ("{\"target\": \"F16\", \"strategy\": \"Modulus\"}", HOLO_DTYPE_CF32, 1, F32 (3, 4), HOLO_DTYPE_F16,
         ((const guint16[]){ 0x4500 }), 0);
}

static void
test_complex_to_real (void)
{
  const gfloat values[] = { 3, 4, -2, 0, 0, -1, 1e30f, 1e30f };

  check ("{\"target\": \"F32\", \"strategy\": \"Modulus\"}", HOLO_DTYPE_CF32, 4, values, HOLO_DTYPE_F32,
         F32 (5, 2, 1, 1.41421356e30f), 0);
  check ("{\"target\": \"F32\", \"strategy\": \"Argument\"}", HOLO_DTYPE_CF32, 4, values, HOLO_DTYPE_F32,
         F32 (0.92729522f, (gfloat) G_PI, (gfloat) -G_PI_2, (gfloat) G_PI_4), 1e-6);
  check ("{\"target\": \"F32\", \"strategy\": \"Real\"}", HOLO_DTYPE_CF32, 4, values, HOLO_DTYPE_F32,
         F32 (3, -2, 0, 1e30f), 0);
  check ("{\"target\": \"U8\", \"strategy\": \"Modulus\"}", HOLO_DTYPE_CF32, 4, values, HOLO_DTYPE_U8,
         ((const guint8[]){ 5, 2, 1, 255 }), 0);
  check ("{\"target\": \"F64\", \"strategy\": \"Modulus\"}", HOLO_DTYPE_CF32, 1, values, HOLO_DTYPE_F64, F64 (5), 0);
}

static void
test_scaled (void)
{
  check ("{\"target\": \"U8\", \"strategy\": \"Scaled\"}", HOLO_DTYPE_F32, 4, F32 (-1, 0, 1, 2), HOLO_DTYPE_U8,
         ((const guint8[]){ 0, 85, 170, 255 }), 0);
  /* 127.5 goes to the even neighbour; infinities count as the extremes; NaN gives 0 and disturbs nothing. */
  check ("{\"target\": \"U8\", \"strategy\": \"Scaled\"}", HOLO_DTYPE_F32, 6,
         F32 (0, 0.5f, 1, NAN, INFINITY, -INFINITY), HOLO_DTYPE_U8, ((const guint8[]){ 0, 128, 255, 0, 255, 0 }), 0);
  check ("{\"target\": \"U16\", \"strategy\": \"Scaled\"}", HOLO_DTYPE_F32, 3, F32 (10, 20, 30), HOLO_DTYPE_U16,
         ((const guint16[]){ 0, 32768, 65535 }), 0);
  check ("{\"target\": \"U8\", \"strategy\": \"Scaled\"}", HOLO_DTYPE_U16, 3, ((const guint16[]){ 1000, 2000, 3000 }),
         HOLO_DTYPE_U8, ((const guint8[]){ 0, 128, 255 }), 0);
  check ("{\"target\": \"I8\", \"strategy\": \"Scaled\"}", HOLO_DTYPE_F64, 2, F64 (-5, 5), HOLO_DTYPE_I8,
         ((const gint8[]){ 0, 127 }), 0);
  check ("{\"target\": \"U64\", \"strategy\": \"Scaled\"}", HOLO_DTYPE_F64, 2, F64 (-5, 5), HOLO_DTYPE_U64,
         ((const guint64[]){ 0, G_MAXUINT64 }), 0);
}

/* What has no range, and ranges that do not fit a double. */
static void
test_scaled_degenerate (void)
{
  const guint8 zeros[4] = { 0 };

  check ("{\"target\": \"U8\", \"strategy\": \"Scaled\"}", HOLO_DTYPE_F32, 4, F32 (7, 7, 7, 7), HOLO_DTYPE_U8, zeros,
         0);
  check ("{\"target\": \"U8\", \"strategy\": \"Scaled\"}", HOLO_DTYPE_F32, 4, F32 (7, 7, INFINITY, NAN), HOLO_DTYPE_U8,
         zeros, 0);
  check ("{\"target\": \"U8\", \"strategy\": \"Scaled\"}", HOLO_DTYPE_F32, 4, F32 (NAN, NAN, INFINITY, -INFINITY),
         HOLO_DTYPE_U8, zeros, 0);
  check ("{\"target\": \"U8\", \"strategy\": \"Scaled\"}", HOLO_DTYPE_F32, 3, F32 (-G_MAXFLOAT, 0, G_MAXFLOAT),
         HOLO_DTYPE_U8, ((const guint8[]){ 0, 128, 255 }), 0);
  check ("{\"target\": \"U8\", \"strategy\": \"Scaled\"}", HOLO_DTYPE_F64, 3, F64 (-G_MAXDOUBLE, 0, G_MAXDOUBLE),
         HOLO_DTYPE_U8, ((const guint8[]){ 0, 128, 255 }), 0);
  check ("{\"target\": \"U8\", \"strategy\": \"Scaled\"}", HOLO_DTYPE_F64, 2, F64 (0, 5e-324), HOLO_DTYPE_U8,
         ((const guint8[]){ 0, 255 }), 0);
}

/* More elements than a tile and than a vector: every position is treated alike, by the formula of the
 * documentation. */
static void
test_scaled_long (void)
{
  const gint n = 1003;
  g_autofree gfloat *values = g_new (gfloat, n);
  g_autofree guint16 *expected = g_new (guint16, n);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  gdouble lo = INFINITY, hi = -INFINITY;

  for (gint i = 0; i < n; i++)
    {
      values[i] = (gfloat) g_rand_double_range (rand, -3, 5);
      lo = MIN (lo, values[i]);
      hi = MAX (hi, values[i]);
    }
  for (gint i = 0; i < n; i++)
    expected[i] = (guint16) rint ((values[i] - lo) * 65535 / (hi - lo));
  check ("{\"target\": \"U16\", \"strategy\": \"Scaled\"}", HOLO_DTYPE_F32, n, values, HOLO_DTYPE_U16, expected, 0);
}

static void
test_refused (void)
{
  g_autoptr (TaskArray) real = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2), NULL);
  g_autoptr (TaskArray) complex = task_array_new (HOLO_DTYPE_CF32, TASK_SHAPE (2), NULL);

  task_check_refused ("Conversion", "{}", &real, 1, HOLO_ERROR_SETTING, "target");
  task_check_refused ("Conversion", "{\"target\": \"U9\"}", &real, 1, HOLO_ERROR_SETTING, "U9");
  task_check_refused ("Conversion", "{\"target\": \"U8\", \"strategy\": \"Magic\"}", &real, 1, HOLO_ERROR_SETTING,
                      "Magic");
  task_check_refused ("Conversion", "{\"target\": \"F32\"}", &complex, 1, HOLO_ERROR_INFERENCE, "Modulus");
  task_check_refused ("Conversion", "{\"target\": \"F32\", \"strategy\": \"Modulus\"}", &real, 1, HOLO_ERROR_INFERENCE,
                      "complex input");
  task_check_refused ("Conversion", "{\"target\": \"F32\", \"strategy\": \"Scaled\"}", &real, 1, HOLO_ERROR_INFERENCE,
                      "Normalize");
  task_check_refused ("Conversion", "{\"target\": \"U8\", \"strategy\": \"Scaled\"}", &complex, 1, HOLO_ERROR_INFERENCE,
                      "no order");
  task_check_refused ("Conversion", "{\"target\": \"CF64\", \"strategy\": \"Real\"}", &complex, 1, HOLO_ERROR_INFERENCE,
                      "leave strategy out");
}

/* Every pair of real types on numbers that all of them hold. */
static void
test_pairs (void)
{
  g_autoptr (TaskArray) source = task_array_new (HOLO_DTYPE_F64, TASK_SHAPE (4), F64 (0, 1, 100, 127));

  for (guint a = 0; a < HOLO_N_DTYPES; a++)
    for (guint b = 0; b < HOLO_N_DTYPES; b++)
      {
        g_autofree gchar *to_a = g_strdup_printf ("{\"target\": \"%s\"}", holo_dtype_get_name ((HoloDType) a));
        g_autofree gchar *to_b =
            g_strdup_printf ("{\"target\": \"%s\"%s}", holo_dtype_get_name ((HoloDType) b),
                             holo_dtype_is_complex ((HoloDType) a) && !holo_dtype_is_complex ((HoloDType) b)
                                 ? ", \"strategy\": \"Modulus\""
                                 : "");
        g_autoptr (TaskArray) x = task_run ("Conversion", to_a, &source, 1, TASK_RUN_NORMAL, NULL);
        g_autoptr (TaskArray) y = task_run ("Conversion", to_b, &x, 1, TASK_RUN_IN_PLACE, NULL);
        g_autoptr (TaskArray) back = NULL;

        g_assert_nonnull (y);
        back = task_run ("Conversion",
                         holo_dtype_is_complex ((HoloDType) b) ? "{\"target\": \"F64\", \"strategy\": \"Real\"}"
                                                               : "{\"target\": \"F64\"}",
                         &y, 1, TASK_RUN_NORMAL, NULL);
        task_array_assert_same (back, source, 0);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/conversion/float-to-integer", test_float_to_integer);
  g_test_add_func ("/tasks/conversion/integer-to-integer", test_integer_to_integer);
  g_test_add_func ("/tasks/conversion/to-float", test_to_float);
  g_test_add_func ("/tasks/conversion/half", test_half);
  g_test_add_func ("/tasks/conversion/complex-to-real", test_complex_to_real);
  g_test_add_func ("/tasks/conversion/scaled", test_scaled);
  g_test_add_func ("/tasks/conversion/scaled-degenerate", test_scaled_degenerate);
  g_test_add_func ("/tasks/conversion/scaled-long", test_scaled_long);
  g_test_add_func ("/tasks/conversion/refused", test_refused);
  g_test_add_func ("/tasks/conversion/pairs", test_pairs);
  return g_test_run ();
}
