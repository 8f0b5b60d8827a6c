/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "tasks/task-runner.h"

typedef struct
{
  gdouble r_inner, r_outer, s_inner, s_outer, center_y, center_x;
} Mask;

static gchar *
get_settings (const Mask *mask, gboolean recenter)
{
  return g_strdup_printf ("{\"r_inner\": %.17g, \"r_outer\": %.17g, \"s_inner\": %.17g, \"s_outer\": %.17g, "
                          "\"center_y\": %.17g, \"center_x\": %.17g, \"recenter\": %s}",
                          mask->r_inner, mask->r_outer, mask->s_inner, mask->s_outer, mask->center_y, mask->center_x,
                          recenter ? "true" : "false");
}

/* The definition, written the slow way: the nearest of all periodic copies of the centre. */
static gdouble
get_weight (const Mask *mask, gint64 y, gint64 x, gint64 height, gint64 width)
{
  gdouble center_y = mask->center_y - floor (mask->center_y / height) * height;
  gdouble center_x = mask->center_x - floor (mask->center_x / width) * width;
  gdouble d = INFINITY, a, b;

  for (gint i = -1; i <= 1; i++)
    for (gint k = -1; k <= 1; k++)
      d = fmin (d, sqrt (pow (y - center_y + i * height, 2) + pow (x - center_x + k * width, 2)));
  a = d < mask->r_outer                   ? 1
      : d < mask->r_outer + mask->s_outer ? cos (G_PI / 2 * (d - mask->r_outer) / mask->s_outer)
                                          : 0;
  b = d < mask->r_inner                   ? 1
      : d < mask->r_inner + mask->s_inner ? cos (G_PI / 2 * (d - mask->r_inner) / mask->s_inner)
                                          : 0;
  return a * (1 - b);
}

static void
check_mask (HoloDType dtype, const Mask *mask, gint64 height, gint64 width)
{
  gint64 n = 2 * height * width, plane = height * width;
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autoptr (TaskArray) in = task_array_new_random (dtype, TASK_SHAPE (2, height, width), rand);
  g_autoptr (TaskArray) out = task_array_new (dtype, TASK_SHAPE (2, height, width), NULL);
  g_autofree gchar *settings = get_settings (mask, FALSE);

  for (gint64 i = 0; i < n; i++)
    {
      gdouble re, im, weight = get_weight (mask, i % plane / width, i % width, height, width);

      task_array_get (in, (guint64) i, &re, &im);
      if (dtype == HOLO_DTYPE_CF32)
        {
          ((gfloat *) (gpointer) out->data)[2 * i] = (gfloat) (re * weight);
          ((gfloat *) (gpointer) out->data)[2 * i + 1] = (gfloat) (im * weight);
        }
      else
        {
          ((gdouble *) (gpointer) out->data)[2 * i] = re * weight;
          ((gdouble *) (gpointer) out->data)[2 * i + 1] = im * weight;
        }
    }
  task_check ("FourierMask", settings, &in, 1, dtype, TASK_SHAPE (2, height, width), out->data,
              dtype == HOLO_DTYPE_CF32 ? 2e-7 : 1e-12);
}

static void
test_weights (void)
{
  static const Mask masks[] = {
    { 0, 3, 0, 0, 0, 0 },             /* a sharp disc */
    { 0, 2, 0, 3, 0, 0 },             /* a soft one */
    { 1, 3, 1, 1, 0, 0 },             /* a ring */
    { 0, 2, 1.5, 2, 0, 0 },           /* soft inside without radius */
    { 0, 2.5, 0, 1.5, 3, 4 },         /* off the axis */
    { 1, 2, .5, 1, -2, 5.5 },         /* negative and between two indices */
    { 0, 2, 0, 1, 1000003, -777777 }, /* far away: round and round */
    { 0, 100, 0, 0, 0, 0 },           /* all pass */
    { 0, 0, 0, 0, 0, 0 },             /* none passes */
  };

  for (guint i = 0; i < G_N_ELEMENTS (masks); i++)
    {
      check_mask (HOLO_DTYPE_CF64, &masks[i], 8, 10);
      check_mask (HOLO_DTYPE_CF32, &masks[i], 7, 9);
      check_mask (HOLO_DTYPE_CF32, &masks[i], 1, 5);
    }
}

static void
test_symmetry (void)
{
  g_autoptr (TaskArray) ones = task_array_new (HOLO_DTYPE_CF64, TASK_SHAPE (5, 7), NULL);
  g_autoptr (TaskArray) out = NULL;

  for (guint i = 0; i < 35; i++)
    ((gdouble *) (gpointer) ones->data)[2 * i] = 1;
  out = task_run ("FourierMask", "{\"r_outer\": 1, \"s_outer\": 2}", &ones, 1, TASK_RUN_IN_PLACE, NULL);
  for (gint y = 0; y < 5; y++)
    for (gint x = 0; x < 7; x++)
      g_assert_cmpfloat (task_array_get_real (out, (guint64) (y * 7 + x)), ==,
                         task_array_get_real (out, (guint64) ((5 - y) % 5 * 7 + (7 - x) % 7)));
  g_assert_cmpfloat (task_array_get_real (out, 0), ==, 1);
  g_assert_cmpfloat (task_array_get_real (out, 6), ==, cos (0));
}

/* The centre comes to index 0: the same as the mask followed by a roll. */
static void
test_recenter (void)
{
  const Mask mask = { 0, 2, 0, 1.5, 2, -3 };
  const gint64 height = 5, width = 8;
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  g_autoptr (TaskArray) in = task_array_new_random (HOLO_DTYPE_CF64, TASK_SHAPE (2, height, width), rand);
  g_autofree gchar *settings = get_settings (&mask, TRUE), *plain = get_settings (&mask, FALSE);
  g_autoptr (TaskArray) masked = task_run ("FourierMask", plain, &in, 1, TASK_RUN_NORMAL, NULL);
  gdouble expected[2 * 2 * 40];

  for (gint64 z = 0; z < 2; z++)
    for (gint64 y = 0; y < height; y++)
      for (gint64 x = 0; x < width; x++)
        {
          gint64 to = (z * height + y) * width + x;

          task_array_get (masked, (guint64) ((z * height + (y + 2) % height) * width + (x + width - 3) % width),
                          &expected[2 * to], &expected[2 * to + 1]);
        }
  task_check ("FourierMask", settings, &in, 1, HOLO_DTYPE_CF64, TASK_SHAPE (2, height, width), expected, 0);
}

static void
test_sizes (void)
{
  g_autoptr (TaskArray) empty = task_array_new (HOLO_DTYPE_CF32, TASK_SHAPE (3, 0, 4), NULL);
  g_autoptr (TaskArray) line = task_array_new (HOLO_DTYPE_CF32, TASK_SHAPE (4), NULL);
  g_autoptr (TaskArray) real = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (4, 4), NULL);

  task_check ("FourierMask", "{\"r_outer\": 1}", &empty, 1, HOLO_DTYPE_CF32, TASK_SHAPE (3, 0, 4), NULL, 0);
  task_check ("FourierMask", "{\"r_outer\": 1, \"center_y\": 2, \"recenter\": true}", &empty, 1, HOLO_DTYPE_CF32,
              TASK_SHAPE (3, 0, 4), NULL, 0);
  task_check_refused ("FourierMask", "{\"r_outer\": 1}", &line, 1, HOLO_ERROR_INFERENCE, "rank");
  task_check_refused ("FourierMask", "{\"r_outer\": 1}", &real, 1, HOLO_ERROR_INFERENCE, "CF32, CF64");
  task_check_refused ("FourierMask", "{}", &empty, 1, HOLO_ERROR_SETTING, "r_outer");
  task_check_refused ("FourierMask", "{\"r_outer\": -1}", &empty, 1, HOLO_ERROR_SETTING, "r_outer");
}

/* New numbers are staged in the running task and used from the commit on. */
static void
test_update (void)
{
  const gfloat ones[] = { 1, 0, 1, 0, 1, 0, 1, 0 };
  g_autoptr (TaskArray) in = task_array_new (HOLO_DTYPE_CF32, TASK_SHAPE (1, 4), ones);
  g_autoptr (TaskRunner) runner = task_runner_new ("FourierMask", "{\"r_outer\": 0.5}", NULL);
  g_autoptr (TaskArray) before = NULL, after = NULL, recentred = NULL;
  HoloSyncTask *task;

  g_assert_true (task_runner_infer (runner, &in, 1, NULL) && task_runner_create (runner, NULL));
  task = runner->task;
  task_runner_execute (runner, TASK_RUN_NORMAL, &in, 1, &before, NULL, NULL);
  task_array_assert (before, HOLO_DTYPE_CF32, TASK_SHAPE (1, 4), ((const gfloat[]){ 1, 0, 0, 0, 0, 0, 0, 0 }), 0);
  g_assert_true (task_runner_set (runner, "{\"center_x\": 2}", NULL));
  g_assert_true (task_runner_update (runner, &in, 1, NULL));
  g_assert_true (runner->task == task);
  task_runner_execute (runner, TASK_RUN_NORMAL, &in, 1, &after, NULL, NULL);
  task_array_assert (after, HOLO_DTYPE_CF32, TASK_SHAPE (1, 4), ((const gfloat[]){ 0, 0, 0, 0, 1, 0, 0, 0 }), 0);
  g_assert_true (task_runner_set (runner, "{\"recenter\": true}", NULL));
  g_assert_true (task_runner_update (runner, &in, 1, NULL));
  task_runner_execute (runner, TASK_RUN_NORMAL, &in, 1, &recentred, NULL, NULL);
  task_array_assert (recentred, HOLO_DTYPE_CF32, TASK_SHAPE (1, 4), ((const gfloat[]){ 1, 0, 0, 0, 0, 0, 0, 0 }), 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/fourier-mask/weights", test_weights);
  g_test_add_func ("/tasks/fourier-mask/symmetry", test_symmetry);
  g_test_add_func ("/tasks/fourier-mask/recenter", test_recenter);
  g_test_add_func ("/tasks/fourier-mask/sizes", test_sizes);
  g_test_add_func ("/tasks/fourier-mask/update", test_update);
  return g_test_run ();
}
