/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every kind that the device has, against the host: element types, shapes, layouts, in place and not. */
#include <math.h>
#include <string.h>

#include "cuda-test.h"
#include "holo-cuda-fft.h"

static HoloDevice *device;
static guint n_checked;
static gboolean is_quick; /* under a sanitizer: two layouts, not in place, no special numbers */

/* Tolerances: relative to max (1, |expected|); 0 is bit by bit. A change here needs a reason in the commit.
 */
typedef struct
{
  const gchar *kind;
  const gchar *settings;
  guint n_inputs;
  gdouble single;
  gdouble twice; /* where F64 or CF64 takes part */
} Case;

static const Case cases[] = {
  { "Sqrt", "{}", 1, 0, 0 },
  { "Memcpy", "{\"target\": \"Device\"}", 1, 0, 0 },
  { "Reshape", "{\"shape\": [-1]}", 1, 0, 0 },
  { "Reshape", "{\"shape\": [-1], \"copy\": true}", 1, 0, 0 },
  { "Abs", "{}", 1, 0, 4e-16 }, /* of complex numbers: hypot() of two libraries */
  { "Add", "{}", 2, 0, 0 },
  { "Multiply", "{}", 2, 0, 0 },
  { "Conversion", "{\"target\": \"U8\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"I8\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"U16\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"I16\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"U32\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"I32\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"U64\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"I64\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"F16\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"F32\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"F64\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"CF32\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"CF64\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"F32\", \"strategy\": \"Real\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"U8\", \"strategy\": \"Real\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"F32\", \"strategy\": \"Modulus\"}", 1, 2e-7, 0 },
  { "Conversion", "{\"target\": \"F64\", \"strategy\": \"Modulus\"}", 1, 0, 4e-16 },
  { "Conversion", "{\"target\": \"F32\", \"strategy\": \"Argument\"}", 1, 5e-7, 0 },
  { "Conversion", "{\"target\": \"F64\", \"strategy\": \"Argument\"}", 1, 0, 5e-7 }, /* CF32's is single */
  { "Conversion", "{\"target\": \"U8\", \"strategy\": \"Scaled\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"I16\", \"strategy\": \"Scaled\"}", 1, 0, 0 },
  { "Conversion", "{\"target\": \"U64\", \"strategy\": \"Scaled\"}", 1, 0, 0 },
  { "Normalize", "{}", 1, 0, 0 },
  { "Normalize", "{\"minimum\": 255, \"maximum\": -3, \"axes\": [-1]}", 1, 0, 0 },
  { "Normalize", "{\"maximum\": 255, \"axes\": [-2, -1]}", 1, 0, 0 },
  { "FFTShift", "{}", 1, 0, 0 },
  { "FFTShift", "{\"axes\": [-1], \"inverse\": true}", 1, 0, 0 },
  { "FourierMask", "{\"r_outer\": 4, \"s_outer\": 3, \"r_inner\": 1}", 1, 0, 0 },
  { "FourierMask", "{\"r_outer\": 96, \"s_outer\": 32, \"center_y\": 5, \"center_x\": -2.5, \"recenter\": true}", 1, 0,
    0 },
  { "FFT2", "{}", 1, 2e-6, 1e-14 },
  { "FFT2", "{\"norm\": \"ortho\"}", 1, 2e-6, 1e-14 },
  { "IFFT2", "{}", 1, 2e-6, 1e-14 },
  { "IFFT2", "{\"norm\": \"forward\"}", 1, 2e-6, 1e-14 },
};

/* ---- inputs ---- */

typedef struct
{
  guint rank;
  gint64 shape[HOLO_MAX_RANK];
} Shape;

static const Shape shapes[] = {
  { 0, { 0 } },
  { 1, { 1 } },
  { 1, { 0 } },
  { 1, { 257 } },
  { 2, { 1, 1 } },
  { 2, { 7, 1 } },
  { 2, { 16, 32 } },
  { 2, { 31, 127 } },
  { 3, { 3, 0, 5 } },
  { 3, { 3, 8, 9 } },
  { 4, { 2, 3, 5, 7 } },
  { 8, { 1, 2, 1, 3, 1, 2, 4, 5 } },
  { 2, { 515, 509 } },
  { 5, { 2, 1, 3, 4, 5 } },
  { 6, { 1, 2, 3, 1, 2, 8 } },
  { 7, { 2, 1, 2, 1, 3, 2, 3 } },
};

static const gdouble specials[] = {
  0.0,     -0.0,   1.0,     -1.0,   0.5,     1.5,      2.5,       -0.5,  -1.5,       255.0,   255.5,
  256.0,   -128.5, 65535.5, 1e-310, 1e300,   -1e300,   3.5e38,    1e-40, 65504.0,    65520.0, 0x1p31,
  -0x1p31, 0x1p32, 0x1p63,  0x1p64, -0x1p63, INFINITY, -INFINITY, NAN,   16777217.0, 0x1p-24, 3.0,
};

/* Numbers of every kind in front, random ones behind. */
static TaskArray *
make_input (HoloDType dtype, const Shape *shape, GRand *rand, gboolean with_specials)
{
  TaskArray *array = task_array_new_random (dtype, shape->rank, shape->shape, rand);
  gsize n =
      array->size / (holo_dtype_is_complex (dtype) ? holo_dtype_get_size (dtype) / 2 : holo_dtype_get_size (dtype));

  if (!holo_dtype_is_float (dtype) && !holo_dtype_is_complex (dtype))
    for (gsize i = 0; i < array->size && with_specials; i++)
      array->data[i] = (guint8) (i < 64 ? (i % 3 == 0 ? 0x80 : i % 3 == 1 ? 0xff : 0) : g_rand_int (rand));
  for (gsize i = 0; i < n && i < G_N_ELEMENTS (specials) && with_specials; i++)
    {
      if (dtype == HOLO_DTYPE_F32 || dtype == HOLO_DTYPE_CF32)
        ((gfloat *) (gpointer) array->data)[i] = (gfloat) specials[i];
      else if (dtype == HOLO_DTYPE_F64 || dtype == HOLO_DTYPE_CF64)
        ((gdouble *) (gpointer) array->data)[i] = specials[i];
    }
  return array;
}

/* ---- comparing ---- */

static gdouble
get_tolerance (const Case *c, const HoloTensorDesc *desc)
{
  return desc->dtype == HOLO_DTYPE_F64 || desc->dtype == HOLO_DTYPE_CF64 ? c->twice : c->single;
}

static gdouble
get_largest (const TaskArray *array)
{
  gdouble largest = 1, re, im;

  for (guint64 i = 0; i < holo_tensor_desc_count (&array->desc); i++)
    {
      task_array_get (array, i, &re, &im);
      if (isfinite (re) && isfinite (im))
        largest = MAX (largest, MAX (fabs (re), fabs (im)));
    }
  return largest;
}

static gboolean
is_near (gdouble x, gdouble expected, gdouble distance)
{
  if (isnan (expected) || isinf (expected))
    return isnan (expected) ? isnan (x) : x == expected;
  return fabs (x - expected) <= distance;
}

static gboolean
is_same (const Case *c, const TaskArray *output, const TaskArray *expected)
{
  gdouble tolerance = get_tolerance (c, &expected->desc), distance = tolerance * get_largest (expected);

  if (tolerance == 0 || !holo_tensor_desc_same_shape (&output->desc, &expected->desc))
    return task_array_is_same (output, expected, 0);
  for (guint64 i = 0; i < holo_tensor_desc_count (&expected->desc); i++)
    {
      gdouble re, im, expected_re, expected_im;

      task_array_get (output, i, &re, &im);
      task_array_get (expected, i, &expected_re, &expected_im);
      if (is_near (re, expected_re, distance) && is_near (im, expected_im, distance))
        continue;
      g_test_message ("element %" G_GUINT64_FORMAT ": expected %.17g%+.17gi, found %.17g%+.17gi", i, expected_re,
                      expected_im, re, im);
      return FALSE;
    }
  return TRUE;
}

static void
check (const Case *c, TaskArray *const *inputs, const TaskArray *expected, TaskLayout layout, TaskRunMode mode)
{
  TaskArray *laid_out[2] = { NULL, NULL };
  g_autoptr (TaskArray) output = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < c->n_inputs; i++)
    laid_out[i] = task_array_copy (inputs[i], layout);
  output = cuda_test_run (device, c->kind, c->settings, laid_out, c->n_inputs, mode, &error);
  if (output == NULL || !is_same (c, output, expected))
    {
      g_autofree gchar *text = holo_tensor_desc_to_string (&laid_out[0]->desc);

      g_error ("%s %s on %s, layout %d, mode %d: %s", c->kind, c->settings, text, layout, mode,
               error != NULL ? error->message : "wrong result (see the messages above)");
    }
  for (guint i = 0; i < c->n_inputs; i++)
    task_array_free (laid_out[i]);
  n_checked++;
}

/* Numbers are random in every layout, in place and not; the special ones dense. */
static void
check_all (const Case *c, HoloDType a, HoloDType b, const Shape *shape, GRand *rand, gboolean with_specials)
{
  TaskArray *inputs[2] = { make_input (a, shape, rand, with_specials), make_input (b, shape, rand, with_specials) };
  const gchar *target = strcmp (c->kind, "Memcpy") == 0 ? "{\"target\": \"Host\"}" : c->settings;
  g_autoptr (TaskArray) expected = task_run (c->kind, target, inputs, c->n_inputs, TASK_RUN_NORMAL, NULL);
  guint n_layouts = with_specials ? 1 : TASK_N_LAYOUTS;
  guint last_mode = is_quick || with_specials ? TASK_RUN_NORMAL : TASK_RUN_IN_PLACE;

  if (expected != NULL)
    for (guint layout = 0; layout < n_layouts; layout += is_quick ? TASK_LAYOUT_TRANSPOSED : 1)
      for (guint mode = TASK_RUN_NORMAL; mode <= last_mode; mode++)
        check (c, inputs, expected, (TaskLayout) layout, (TaskRunMode) mode);
  task_array_free (inputs[0]);
  task_array_free (inputs[1]);
}

static guint
get_dtypes (const gchar *kind, guint input)
{
  g_autoptr (HoloTaskFactory) factory = holo_registry_create_factory (holo_registry_get_default (), kind, NULL);
  guint n_inputs;
  const HoloSlot *slots = holo_task_factory_class_get_inputs (HOLO_TASK_FACTORY_GET_CLASS (factory), &n_inputs);

  return input < n_inputs ? slots[input].dtypes : HOLO_DTYPES (U8);
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  guint a_dtypes = get_dtypes (c->kind, 0), b_dtypes = c->n_inputs > 1 ? get_dtypes (c->kind, 1) : HOLO_DTYPES (U8);
  GRand *rand = g_rand_new_with_seed (1);

  n_checked = 0;
  for (guint a = 0; a < HOLO_N_DTYPES; a++)
    for (guint b = 0; b < HOLO_N_DTYPES; b++)
      for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
        if ((a_dtypes >> a & 1) && (b_dtypes >> b & 1) && (c->n_inputs < 2 || i % 3 == 0 || a == b))
          {
            check_all (c, (HoloDType) a, (HoloDType) b, &shapes[i], rand, FALSE);
            if (strstr (c->kind, "FFT2") == NULL && !is_quick)
              check_all (c, (HoloDType) a, (HoloDType) b, &shapes[i], rand, TRUE);
          }
  g_test_message ("%s %s: %u comparisons", c->kind, c->settings, n_checked);
  g_assert_cmpuint (n_checked, >, is_quick ? 5 : 50);
  g_rand_free (rand);
}

/* A kind that the device has is in the table above. */
static void
test_coverage (void)
{
  g_auto (GStrv) kinds = holo_registry_list_kinds (holo_registry_get_default ());

  for (guint i = 0; kinds[i] != NULL; i++)
    {
      gboolean is_there = !holo_device_supports_kind (device, kinds[i]);

      for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
        is_there |= g_str_equal (cases[k].kind, kinds[i]);
      if (!is_there)
        g_error ("%s runs on the device, but is compared with the host nowhere", kinds[i]);
    }
}

/* Transforms of one stream share what they need in between; those of another must not. */
static void
test_work_areas (void)
{
  HoloStream *streams[] = { holo_device_create_stream (device, NULL), holo_device_create_stream (device, NULL) };
  HoloCudaDevice *cuda = HOLO_CUDA_DEVICE (device);
  cudaStream_t a = holo_cuda_stream_get (HOLO_CUDA_STREAM (streams[0])),
               b = holo_cuda_stream_get (HOLO_CUDA_STREAM (streams[1]));
  HoloCudaFft *first, *second, *smaller, *other;
  g_autoptr (GError) error = NULL;

  g_assert_true (holo_cuda_device_enter (cuda, NULL));
  first = holo_cuda_fft_new (cuda, a, HOLO_DTYPE_CF32, 509, 521, 2, &error);
  g_assert_no_error (error);
  second = holo_cuda_fft_new (cuda, a, HOLO_DTYPE_CF32, 509, 521, 2, &error);
  g_assert_no_error (error);
  smaller = holo_cuda_fft_new (cuda, a, HOLO_DTYPE_CF32, 16, 16, 1, &error);
  g_assert_no_error (error);
  other = holo_cuda_fft_new (cuda, b, HOLO_DTYPE_CF32, 509, 521, 2, &error);
  g_assert_no_error (error);
  g_assert_true (holo_cuda_fft_get_work_area (first) == holo_cuda_fft_get_work_area (second));
  g_assert_true (holo_cuda_fft_get_work_area (first) == holo_cuda_fft_get_work_area (smaller));
  g_assert_true (holo_cuda_fft_get_work_area (first) != holo_cuda_fft_get_work_area (other));
  holo_cuda_fft_free (first); /* the others keep the area */
  holo_cuda_fft_free (second);
  holo_cuda_fft_free (smaller);
  holo_cuda_fft_free (other);
  holo_cuda_device_leave (cuda);
  holo_device_release_stream (device, streams[0]);
  holo_device_release_stream (device, streams[1]);
}

/* The device refuses in words what it does not have. */
static void
test_unknown_kind (void)
{
  g_autoptr (GError) error = NULL;
  HoloSyncCreateContext context = { NULL, device };
  g_autoptr (HoloTaskFactory) factory =
      holo_registry_create_factory (holo_registry_get_default (), "NpyWriter", &error);
  g_auto (HoloInference) inference = { 0 };

  g_assert_no_error (error);
  holo_inference_init (&inference, HOLO_TASK_SYNC);
  g_assert_null (holo_device_create_task (device, factory, &inference, &context, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED);
}

int
main (int argc, char **argv)
{
  gint result;

  g_test_init (&argc, &argv, NULL);
  is_quick = g_getenv ("HOLOFLOW_TEST_QUICK") != NULL;
  device = cuda_test_open ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gboolean scales = strstr (cases[i].settings, "Scaled") != NULL;
      g_autofree gchar *path = g_strdup_printf ("/cuda/kinds/%s/%u%s", cases[i].kind, i, scales ? "-scaled" : "");

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/cuda/kinds/coverage", test_coverage);
  g_test_add_func ("/cuda/kinds/work-areas", test_work_areas);
  g_test_add_func ("/cuda/kinds/unknown", test_unknown_kind);
  result = g_test_run ();
  g_assert_finalize_object (device);
  return result;
}
