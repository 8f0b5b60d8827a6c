/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every provider against the definition of the transform, computed in double (long sums) for each axis. */
#include <holoflow/holoflow.h>
#include <math.h>
#include <string.h>

typedef struct
{
  gdouble re, im;
} Complex;

/* One axis by the definition. */
static void
dft_axis (Complex *data, gint64 outer, gint64 n, gint64 inner, gboolean inverse)
{
  g_autofree Complex *line = g_new (Complex, MAX (n, 1));
  g_autofree Complex *roots = g_new (Complex, MAX (n, 1));

  for (gint64 k = 0; k < n; k++)
    {
      gdouble phase = (inverse ? 2 : -2) * G_PI * (gdouble) k / (gdouble) n;

      roots[k] = (Complex){ cos (phase), sin (phase) };
    }
  for (gint64 o = 0; o < outer; o++)
    for (gint64 i = 0; i < inner; i++)
      {
        Complex *first = data + o * n * inner + i;

        for (gint64 k = 0; k < n; k++)
          {
            Complex sum = { 0, 0 };

            for (gint64 j = 0; j < n; j++)
              {
                Complex w = roots[j * k % n], x = first[j * inner];

                sum.re += x.re * w.re - x.im * w.im;
                sum.im += x.re * w.im + x.im * w.re;
              }
            line[k] = sum;
          }
        for (gint64 k = 0; k < n; k++)
          first[k * inner] = line[k];
      }
}

static void
dft (Complex *data, const HoloFftSpec *spec, gint64 n_elements)
{
  gint64 inner = 1;

  for (guint i = spec->n_axes; i-- > 0;)
    {
      gint64 n = spec->shape[i];

      if (n_elements > 0)
        dft_axis (data, n_elements / (n * inner), n, inner, spec->inverse);
      inner *= n;
    }
  for (gint64 i = 0; i < n_elements; i++)
    {
      data[i].re *= spec->scale;
      data[i].im *= spec->scale;
    }
}

static gint64
count (const HoloFftSpec *spec)
{
  gint64 n = spec->batch;

  for (guint i = 0; i < spec->n_axes; i++)
    n *= spec->shape[i];
  return n;
}

static void
set_element (gpointer data, HoloDType dtype, gint64 i, Complex value)
{
  if (dtype == HOLO_DTYPE_CF32)
    {
      ((gfloat *) data)[2 * i] = (gfloat) value.re;
      ((gfloat *) data)[2 * i + 1] = (gfloat) value.im;
    }
  else
    ((Complex *) data)[i] = value;
}

static Complex
get_element (gconstpointer data, HoloDType dtype, gint64 i)
{
  if (dtype == HOLO_DTYPE_CF32)
    return (Complex){ ((const gfloat *) data)[2 * i], ((const gfloat *) data)[2 * i + 1] };
  return ((const Complex *) data)[i];
}

/* Fills @data and gives the same numbers (as they are after rounding) in double. */
static Complex *
make_input (gpointer data, HoloDType dtype, gint64 n, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  Complex *values = g_new (Complex, MAX (n, 1));

  for (gint64 i = 0; i < n; i++)
    {
      set_element (data, dtype, i, (Complex){ g_rand_double_range (rand, -1, 1), g_rand_double_range (rand, -1, 1) });
      values[i] = get_element (data, dtype, i);
    }
  return values;
}

/* Largest error relative to the root mean square of what is expected. */
static gdouble
get_error (gconstpointer data, HoloDType dtype, const Complex *expected, gint64 n)
{
  gdouble worst = 0, power = 0;

  for (gint64 i = 0; i < n; i++)
    {
      Complex found = get_element (data, dtype, i);

      worst = MAX (worst, hypot (found.re - expected[i].re, found.im - expected[i].im));
      power += expected[i].re * expected[i].re + expected[i].im * expected[i].im;
      g_assert_true (isfinite (found.re) && isfinite (found.im));
    }
  return n == 0 ? 0 : worst / MAX (sqrt (power / (gdouble) n), 1e-30);
}

static gdouble
get_tolerance (HoloDType dtype)
{
  return dtype == HOLO_DTYPE_CF32 ? 4e-6 : 1e-12;
}

/* Out of place (aligned and not) and in place. */
static void
check (const HoloFftSpec *spec)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloFft) fft = holo_fft_new (spec, &error);
  gint64 n = count (spec);
  gsize size = (gsize) n * holo_dtype_get_size (spec->dtype);
  g_autofree guint8 *in = g_malloc0 (size + 16);
  g_autofree guint8 *in_copy = NULL;
  g_autofree guint8 *out = g_malloc0 (size + 16);
  g_autofree Complex *expected = make_input (in, spec->dtype, n, 7);

  g_assert_no_error (error);
  in_copy = g_memdup2 (in, size + 16);
  dft (expected, spec, n);

  holo_fft_execute (fft, in, out);
  g_assert_cmpfloat (get_error (out, spec->dtype, expected, n), <, get_tolerance (spec->dtype));
  g_assert_cmpmem (in, size, in_copy, size);

  memset (out, 0, size + 16);
  memmove (in + 8, in_copy, size);
  holo_fft_execute (fft, in + 8, out + 8);
  g_assert_cmpfloat (get_error (out + 8, spec->dtype, expected, n), <, get_tolerance (spec->dtype));

  memcpy (out, in_copy, size);
  holo_fft_execute (fft, out, out);
  g_assert_cmpfloat (get_error (out, spec->dtype, expected, n), <, get_tolerance (spec->dtype));
}

static void
check_all_kinds (guint n_axes, const gint64 *shape, gint64 batch)
{
  for (guint i = 0; i < 4; i++)
    {
      HoloFftSpec spec = {
        i & 1 ? HOLO_DTYPE_CF64 : HOLO_DTYPE_CF32, (i & 2) != 0, n_axes, { 0 }, batch, i & 2 ? 0.25 : 1.0
      };

      memcpy (spec.shape, shape, n_axes * sizeof *shape);
      check (&spec);
    }
}

static void
test_lengths (void)
{
  /* powers of two, small primes, primes that go through the chirp, products of both, one more and one less
   * than a block */
  static const gint64 lengths[] = { 1,  2,  3,  4,  5,  6,  7,   8,   9,   11,  13,  16,  17,  30,  31,
                                    32, 37, 41, 64, 74, 97, 127, 128, 211, 243, 256, 267, 341, 509, 625 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      check_all_kinds (1, &lengths[i], 1);
      check_all_kinds (1, &lengths[i], 9);
    }
}

static void
test_planes (void)
{
  static const gint64 planes[][2] = { { 1, 1 },   { 1, 8 },   { 8, 1 },   { 2, 3 },   { 3, 2 },  { 4, 4 },
                                      { 7, 9 },   { 8, 64 },  { 64, 8 },  { 17, 19 }, { 37, 5 }, { 5, 37 },
                                      { 43, 41 }, { 31, 62 }, { 64, 48 }, { 1, 53 },  { 53, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (planes); i++)
    {
      check_all_kinds (2, planes[i], 1);
      check_all_kinds (2, planes[i], 3);
    }
}

static void
test_volume (void)
{
  check_all_kinds (3, (const gint64[]){ 4, 4, 4 }, 3);
  check_all_kinds (3, (const gint64[]){ 3, 5, 37 }, 2);
}

static void
test_empty (void)
{
  check_all_kinds (2, (const gint64[]){ 0, 8 }, 2);
  check_all_kinds (2, (const gint64[]){ 8, 0 }, 2);
  check_all_kinds (2, (const gint64[]){ 8, 8 }, 0);
  check_all_kinds (1, (const gint64[]){ 0 }, 1);
}

static void
check_refused (gint64 height, gint64 width, gint64 batch, gint code)
{
  HoloFftSpec spec = { HOLO_DTYPE_CF32, FALSE, 2, { height, width }, batch, 1.0 };
  g_autoptr (GError) error = NULL;

  g_assert_null (holo_fft_new (&spec, &error));
  g_assert_error (error, HOLO_ERROR, code);
}

static void
test_refused (void)
{
  check_refused (1, HOLO_FFT_MAX_LENGTH + 1, 1, HOLO_ERROR_NOT_SUPPORTED);
  check_refused (-1, 4, 1, HOLO_ERROR_NOT_SUPPORTED);
  check_refused (4, 4, -1, HOLO_ERROR_OVERFLOW);
  check_refused (HOLO_FFT_MAX_LENGTH, HOLO_FFT_MAX_LENGTH, 1024, HOLO_ERROR_OVERFLOW);
}

/* J2: [1]*8 -> [8, 0, ...], and there and back for each size of the report. */
static void
test_round_trip (void)
{
  static const gint64 shapes[][2] = { { 1, 1 }, { 1, 7 }, { 1, 8 }, { 1, 267 }, { 238, 267 }, { 1023, 1023 } };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      gint64 n = shapes[i][0] * shapes[i][1];
      HoloFftSpec spec = { HOLO_DTYPE_CF32, FALSE, 2, { shapes[i][0], shapes[i][1] }, 1, 1.0 };
      HoloFftSpec back = { HOLO_DTYPE_CF32, TRUE, 2, { shapes[i][0], shapes[i][1] }, 1, 1.0 / (gdouble) n };
      g_autoptr (HoloFft) forward = holo_fft_new (&spec, NULL);
      g_autoptr (HoloFft) inverse = holo_fft_new (&back, NULL);
      g_autofree gfloat *data = g_new0 (gfloat, 2 * n);
      g_autofree Complex *expected = make_input (data, HOLO_DTYPE_CF32, n, 3);

      holo_fft_execute (forward, data, data);
      holo_fft_execute (inverse, data, data);
      g_assert_cmpfloat (get_error (data, HOLO_DTYPE_CF32, expected, n), <, 5e-6);
    }
}

static void
test_ones (void)
{
  HoloFftSpec spec = { HOLO_DTYPE_CF32, FALSE, 1, { 8 }, 1, 1.0 };
  g_autoptr (HoloFft) fft = holo_fft_new (&spec, NULL);
  gfloat data[16] = { 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0 };
  const gfloat expected[16] = { 8 };

  holo_fft_execute (fft, data, data);
  for (guint i = 0; i < 16; i++)
    g_assert_cmpfloat_with_epsilon (data[i], expected[i], 1e-6);
}

/* ---- threads ---- */

typedef struct
{
  HoloFft *fft;
  const gfloat *in;
  const gfloat *expected;
  gsize size;
  guint n_wrong;
} ThreadData;

static gpointer
execute_often (gpointer data)
{
  ThreadData *shared = data;
  g_autofree gfloat *out = g_malloc (shared->size);

  for (guint i = 0; i < 200; i++)
    {
      holo_fft_execute (shared->fft, shared->in, out);
      if (memcmp (out, shared->expected, shared->size) != 0)
        __atomic_fetch_add (&shared->n_wrong, 1, __ATOMIC_RELAXED);
    }
  return NULL;
}

static void
test_threads (void)
{
  HoloFftSpec spec = { HOLO_DTYPE_CF32, FALSE, 2, { 37, 24 }, 2, 1.0 };
  g_autoptr (HoloFft) fft = holo_fft_new (&spec, NULL);
  gsize size = 2 * 37 * 24 * 2 * sizeof (gfloat);
  g_autofree gfloat *in = g_malloc (size);
  g_autofree gfloat *expected = g_malloc (size);
  ThreadData shared = { fft, in, expected, size, 0 };
  GThread *threads[4];

  g_free (make_input (in, HOLO_DTYPE_CF32, 2 * 37 * 24, 5));
  holo_fft_execute (fft, in, expected);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("fft", execute_often, &shared);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (shared.n_wrong, ==, 0);
}

static gpointer
plan_often (gpointer data)
{
  for (guint i = 0; i < 20; i++)
    {
      HoloFftSpec spec = { i & 1 ? HOLO_DTYPE_CF64 : HOLO_DTYPE_CF32, FALSE, 2, { 8 + i, 5 }, 1, 1.0 };
      g_autoptr (HoloFft) fft = holo_fft_new (&spec, NULL);

      g_assert_nonnull (fft);
    }
  return NULL;
}

static void
test_planning_threads (void)
{
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("plan", plan_often, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* ---- providers ---- */

static void
test_unknown_provider (void)
{
  HoloFftSpec spec = { HOLO_DTYPE_CF32, FALSE, 1, { 8 }, 1, 1.0 };
  g_autoptr (GError) error = NULL;

  g_setenv ("HOLOFLOW_FFT", "abacus", TRUE);
  g_assert_null (holo_fft_new (&spec, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_MODULE);
  g_assert_nonnull (strstr (error->message, "abacus"));
  g_assert_nonnull (strstr (error->message, "\"kiss\""));
  g_unsetenv ("HOLOFLOW_FFT");
}

static void
test_name_taken (void)
{
  static const HoloFftProvider other = { .name = "kiss" };
  g_autoptr (GError) error = NULL;

  g_assert_false (holo_fft_register_provider (&other, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS);
}

/* As a search does that finds the module for two registries. */
static gboolean
load_fftw (void)
{
  if (*HOLO_TEST_FFTW_MODULE == '\0')
    return FALSE;
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (HoloRegistry) registry = holo_registry_new ();
      g_autoptr (GError) error = NULL;

      holo_registry_load_module (registry, HOLO_TEST_FFTW_MODULE, &error);
      g_assert_no_error (error);
    }
  return TRUE;
}

static void
test_provider_choice (void)
{
  g_autoptr (GPtrArray) list = holo_fft_list_providers ();

  g_assert_cmpuint (list->len, ==, 2);
  g_unsetenv ("HOLOFLOW_FFT");
  g_assert_cmpstr (holo_fft_get_provider (NULL)->name, ==, "fftw");
  g_assert_cmpstr (holo_fft_get_provider (NULL)->license, ==, "GPL-2.0-or-later");
  g_setenv ("HOLOFLOW_FFT", "kiss", TRUE);
  g_assert_cmpstr (holo_fft_get_provider (NULL)->name, ==, "kiss");
  g_unsetenv ("HOLOFLOW_FFT");
}

static void
add_tests (const gchar *provider)
{
  static const struct
  {
    const gchar *name;
    GTestFunc func;
  } tests[] = {
    { "lengths", test_lengths }, { "planes", test_planes },           { "volume", test_volume },
    { "empty", test_empty },     { "refused", test_refused },         { "round-trip", test_round_trip },
    { "ones", test_ones },       { "threads/execute", test_threads }, { "threads/plan", test_planning_threads },
  };

  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree gchar *path = g_strdup_printf ("/holo/fft/%s/%s", provider, tests[i].name);

      g_test_add_func (path, tests[i].func);
    }
}

static int
run_with_fftw (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!load_fftw ())
    {
      g_print ("1..0 # SKIP built without FFTW\n");
      return 0;
    }
  add_tests ("fftw");
  g_test_add_func ("/holo/fft/fftw/provider-choice", test_provider_choice);
  return g_test_run ();
}

/* "fftw" as the only argument tests the module; a process can only ever gain providers. */
int
main (int argc, char **argv)
{
  g_unsetenv ("HOLOFLOW_FFT");
  if (argc > 1 && g_str_equal (argv[1], "fftw"))
    return run_with_fftw (argc, argv);
  g_test_init (&argc, &argv, NULL);
  add_tests ("kiss");
  g_test_add_func ("/holo/fft/unknown-provider", test_unknown_provider);
  g_test_add_func ("/holo/fft/name-taken", test_name_taken);
  return g_test_run ();
}
