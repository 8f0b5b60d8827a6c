/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds FFT2 and IFFT2: what they add to the transforms that tests/core/test-fft.c checks. */
#include <math.h>
#include <string.h>

#include "async-driver.h"

/* Runs @kind once on a host tensor; returns the dense output. */
static gpointer
run_kind (const gchar *kind, const gchar *settings, const HoloTensorDesc *desc, gpointer data, gboolean in_place)
{
  HoloSyncCreateContext context = { NULL, holo_device_get_host () };
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloTaskFactory) factory = async_driver_make_factory (kind, settings, &error);
  g_auto (HoloInference) inference = { 0 };
  g_autoptr (HoloSyncTask) task = NULL;
  HoloStorage in_storage, out_storage;
  HoloTensorView in, out, *ins[] = { &in }, *outs[] = { &out };
  HoloSyncContext call = { .inputs = ins, .outputs = outs, .n_inputs = 1, .n_outputs = 1 };
  gpointer result;
  gsize size;

  g_assert_no_error (error);
  holo_task_factory_infer (factory, desc, 1, &inference, &error);
  g_assert_no_error (error);
  task = holo_sync_task_factory_create (HOLO_SYNC_TASK_FACTORY (factory), &inference, &context, &error);
  g_assert_no_error (error);
  size = holo_tensor_desc_get_size (holo_inference_get_output_desc (&inference, 0));
  result = in_place ? data : g_malloc (size + 1);
  if (!in_place)
    memset (result, 0xA5, size + 1);
  holo_storage_init (&in_storage, data, holo_tensor_desc_get_size (desc));
  holo_storage_init (&out_storage, result, size);
  holo_tensor_view_init (&in, desc, &in_storage);
  holo_tensor_view_init (&out, holo_inference_get_output_desc (&inference, 0), &out_storage);
  for (guint i = 0; i < 2; i++)
    {
      g_assert_cmpint (holo_sync_task_execute (task, &call, &error), ==, HOLO_OP_OK);
      if (in_place)
        break;
    }
  return result;
}

/* Rounding errors of a transform are as large everywhere: relative to the largest element. */
static void
assert_close (const gfloat *found, const gfloat *expected, gsize n, gdouble tolerance)
{
  gdouble largest = 0;

  for (gsize i = 0; i < n; i++)
    largest = MAX (largest, fabs (expected[i]));
  for (gsize i = 0; i < n; i++)
    if (!(fabs ((gdouble) found[i] - expected[i]) <= tolerance * largest))
      g_error ("element %" G_GSIZE_FORMAT ": %g, expected %g", i, found[i], expected[i]);
}

static HoloTensorDesc
make_desc (HoloDType dtype, guint rank, const gint64 *shape)
{
  HoloTensorDesc desc;

  return *holo_tensor_desc_init (&desc, dtype, HOLO_MEM_LOC_HOST, rank, shape);
}

/* numpy.fft.fft2 ([[1, 2, 3], [4, 5, 6]]) */
static const gfloat numpy_in[12] = { 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0 };
static const gfloat numpy_out[12] = { 21, 0, -3, 1.7320508f, -3, -1.7320508f, -9, 0, 0, 0, 0, 0 };

static void
test_numpy_values (void)
{
  HoloTensorDesc desc = make_desc (HOLO_DTYPE_CF32, 2, (gint64[]){ 2, 3 });
  gfloat data[12];
  g_autofree gfloat *out = NULL, *back = NULL;

  memcpy (data, numpy_in, sizeof data);
  out = run_kind ("FFT2", "{}", &desc, data, FALSE);
  assert_close (out, numpy_out, 12, 1e-6);
  assert_close (data, numpy_in, 12, 0);
  back = run_kind ("IFFT2", "{}", &desc, out, FALSE);
  assert_close (back, numpy_in, 12, 1e-6);
  run_kind ("FFT2", "{}", &desc, data, TRUE);
  assert_close (data, numpy_out, 12, 1e-6);
}

static void
test_norm (void)
{
  static const struct
  {
    const gchar *settings;
    gdouble forward, inverse;
  } cases[] = {
    { "{}", 1, 1.0 / 6 },
    { "{\"norm\": \"backward\"}", 1, 1.0 / 6 },
    { "{\"norm\": \"none\"}", 1, 1.0 / 6 },
    { "{\"norm\": null}", 1, 1.0 / 6 },
    { "{\"norm\": \"forward\"}", 1.0 / 6, 1 },
    { "{\"norm\": \"ortho\"}", 0.40824829046386302, 0.40824829046386302 },
  };
  HoloTensorDesc desc = make_desc (HOLO_DTYPE_CF64, 2, (gint64[]){ 2, 3 });

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gdouble ones[12] = { 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0 };
      g_autofree gdouble *forward = run_kind ("FFT2", cases[i].settings, &desc, ones, FALSE);
      g_autofree gdouble *inverse = run_kind ("IFFT2", cases[i].settings, &desc, ones, FALSE);
      g_autofree gdouble *back = run_kind ("IFFT2", cases[i].settings, &desc, forward, FALSE);

      g_assert_cmpfloat_with_epsilon (forward[0], 6 * cases[i].forward, 1e-14);
      g_assert_cmpfloat_with_epsilon (inverse[0], 6 * cases[i].inverse, 1e-14);
      for (guint k = 0; k < 12; k++)
        g_assert_cmpfloat_with_epsilon (back[k], ones[k], 1e-14);
    }
}

/* The definition, for one picture of a strided tensor. */
static void
dft2 (const gfloat *data, const HoloTensorDesc *desc, gint64 batch, gboolean inverse, gfloat *out)
{
  gint64 h = desc->shape[desc->rank - 2], w = desc->shape[desc->rank - 1];
  const guint8 *first = (const guint8 *) data + desc->offset + (desc->rank > 2 ? batch * desc->strides[0] : 0);

  for (gint64 k = 0; k < h; k++)
    for (gint64 l = 0; l < w; l++)
      {
        gdouble re = 0, im = 0;

        for (gint64 m = 0; m < h; m++)
          for (gint64 n = 0; n < w; n++)
            {
              const gfloat *x =
                  (const gfloat *) (first + m * desc->strides[desc->rank - 2] + n * desc->strides[desc->rank - 1]);
              gdouble phase = (inverse ? 2 : -2) * G_PI *
                              ((gdouble) (k * m % h) / (gdouble) h + (gdouble) (l * n % w) / (gdouble) w);

              re += x[0] * cos (phase) - x[1] * sin (phase);
              im += x[0] * sin (phase) + x[1] * cos (phase);
            }
        *out++ = (gfloat) (re / (inverse ? (gdouble) (h * w) : 1));
        *out++ = (gfloat) (im / (inverse ? (gdouble) (h * w) : 1));
      }
}

static void
check_layout (const HoloTensorDesc *desc)
{
  gsize size = holo_tensor_desc_get_size (desc), n = (gsize) holo_tensor_desc_count (desc);
  gsize picture = 2 * (gsize) (desc->shape[desc->rank - 1] * desc->shape[desc->rank - 2]);
  g_autofree gfloat *data = g_malloc (size);
  g_autofree gfloat *expected = g_new (gfloat, 2 * n);

  for (gsize i = 0; i < size / sizeof *data; i++)
    data[i] = (gfloat) (i % 23) - 11;
  for (guint inverse = 0; inverse < 2; inverse++)
    {
      g_autofree gfloat *out = run_kind (inverse ? "IFFT2" : "FFT2", "{}", desc, data, FALSE);

      for (gsize i = 0; i < 2 * n / picture; i++)
        dft2 (data, desc, (gint64) i, inverse, expected + i * picture);
      assert_close (out, expected, 2 * n, 1e-6);
    }
}

/* Contiguous, transposed, every second column, a batch that is not the slowest axis, broadcast, and behind an
 * offset. */
static void
test_layouts (void)
{
  static const struct
  {
    guint rank;
    gint64 shape[3], strides[3], offset;
  } cases[] = {
    { 3, { 4, 4, 4 }, { 128, 32, 8 }, 0 }, { 3, { 3, 4, 4 }, { 128, 8, 32 }, 0 }, { 3, { 4, 4, 4 }, { 8, 32, 128 }, 0 },
    { 2, { 7, 5 }, { 80, 16 }, 0 },        { 2, { 5, 7 }, { 8, 40 }, 0 },         { 3, { 2, 3, 5 }, { 0, 40, 8 }, 0 },
    { 2, { 3, 37 }, { 296, 8 }, 64 },      { 3, { 2, 1, 9 }, { 72, 999, 8 }, 8 }, { 2, { 1, 1 }, { 8, 8 }, 24 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      HoloTensorDesc desc;

      holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_CF32, HOLO_MEM_LOC_HOST, cases[i].rank, cases[i].shape,
                                     cases[i].strides, cases[i].offset);
      check_layout (&desc);
    }
}

static void
check_inference (const HoloTensorDesc *desc, HoloInPlace in_place)
{
  g_autoptr (HoloTaskFactory) factory = async_driver_make_factory ("FFT2", "{}", NULL);
  g_auto (HoloInference) inference = { 0 };
  g_autoptr (GError) error = NULL;
  const HoloInferredOutput *output;

  holo_task_factory_infer (factory, desc, 1, &inference, &error);
  g_assert_no_error (error);
  output = holo_inference_get_output (&inference, 0);
  g_assert_cmpint (inference.type, ==, HOLO_TASK_SYNC);
  g_assert_false (inference.stateful);
  g_assert_false (output->owned);
  g_assert_cmpint (output->in_place, ==, in_place);
  g_assert_true (holo_tensor_desc_same_shape (&output->desc, desc));
  g_assert_true (output->desc.dtype == desc->dtype);
  g_assert_true (holo_tensor_desc_is_dense (&output->desc));
}

static void
test_inference (void)
{
  HoloTensorDesc desc = make_desc (HOLO_DTYPE_CF32, 2, (gint64[]){ 2, 3 });

  check_inference (&desc, HOLO_IN_PLACE_MAY);
  desc = make_desc (HOLO_DTYPE_CF64, 4, (gint64[]){ 2, 0, 3, 5 });
  check_inference (&desc, HOLO_IN_PLACE_MAY);
  holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_CF32, HOLO_MEM_LOC_HOST, 2, (gint64[]){ 2, 3 }, (gint64[]){ 8, 16 },
                                 0);
  check_inference (&desc, HOLO_IN_PLACE_NONE);
}

static void
test_axes (void)
{
  static const gchar *const good[] = { "{\"axes\": [-2, -1]}", "{\"axes\": [-1, -2]}", "{\"axes\": [1, 2]}",
                                       "{\"axes\": null}" };
  static const gchar *const bad[] = { "{\"axes\": [0, 1]}",    "{\"axes\": [0, 2]}", "{\"axes\": [2]}",
                                      "{\"axes\": [0]}",       "{\"axes\": [2, 2]}", "{\"axes\": []}",
                                      "{\"axes\": [2, 1, 0]}", "{\"axes\": [1, 5]}" };
  HoloTensorDesc desc = make_desc (HOLO_DTYPE_CF32, 3, (gint64[]){ 4, 4, 4 });

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      gfloat data[128] = { 1 };
      g_autofree gfloat *out = run_kind ("FFT2", good[i], &desc, data, FALSE);

      g_assert_cmpfloat (out[2 * 15], ==, 1);
      g_assert_cmpfloat (out[2 * 16], ==, 0);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    assert_inference_refused ("IFFT2", bad[i], &desc, "last two axes");
}

static void
test_refused (void)
{
  HoloTensorDesc desc = make_desc (HOLO_DTYPE_F32, 2, (gint64[]){ 2, 3 });

  assert_inference_refused ("FFT2", "{}", &desc, "CF32");
  desc = make_desc (HOLO_DTYPE_CF32, 1, (gint64[]){ 8 });
  assert_inference_refused ("FFT2", "{}", &desc, "rank");
  desc = make_desc (HOLO_DTYPE_CF32, 2, (gint64[]){ 1, HOLO_FFT_MAX_LENGTH + 1 });
  assert_inference_refused ("FFT2", "{}", &desc, "at most");
  assert_settings_refused ("FFT2", "{\"norm\": \"unitary\"}", "ortho");
  assert_settings_refused ("FFT2", "{\"axes\": [-2, 1.5]}", "/params/axes");
  assert_settings_refused ("FFT2", "{\"axis\": -1}", "axis");
}

static void
test_empty (void)
{
  HoloTensorDesc desc = make_desc (HOLO_DTYPE_CF32, 3, (gint64[]){ 2, 0, 4 });
  gfloat data[1] = { 3 };
  g_autofree guint8 *out = run_kind ("FFT2", "{\"norm\": \"ortho\"}", &desc, data, FALSE);

  g_assert_cmpuint (out[0], ==, 0xA5);
}

/* A picture higher than wide stays so: one bright pixel, there and back. */
static void
test_pixel (void)
{
  HoloTensorDesc desc = make_desc (HOLO_DTYPE_CF32, 2, (gint64[]){ 64, 32 });
  g_autofree gfloat *data = g_new0 (gfloat, 2 * 64 * 32);

  data[2 * (3 * 32 + 10)] = 1;
  run_kind ("FFT2", "{}", &desc, data, TRUE);
  run_kind ("IFFT2", "{}", &desc, data, TRUE);
  for (guint i = 0; i < 64 * 32; i++)
    g_assert_cmpfloat_with_epsilon (data[2 * i], i == 3 * 32 + 10 ? 1 : 0, 1e-6);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/fft2/numpy-values", test_numpy_values);
  g_test_add_func ("/holo/fft2/norm", test_norm);
  g_test_add_func ("/holo/fft2/layouts", test_layouts);
  g_test_add_func ("/holo/fft2/inference", test_inference);
  g_test_add_func ("/holo/fft2/axes", test_axes);
  g_test_add_func ("/holo/fft2/refused", test_refused);
  g_test_add_func ("/holo/fft2/empty", test_empty);
  g_test_add_func ("/holo/fft2/pixel", test_pixel);
  return g_test_run ();
}
