/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* docs/examples/app: arguments are the programs app and make-hologram, and the folder of the examples. */

#include <gio/gio.h>
#include <string.h>

#include "example.h"

static const gchar *app, *make_hologram;
static gchar *graph, *folder;

static gint
run_app (const gchar *graph_path, const gchar *hologram, const gchar *sink, gchar **output, gchar **errors)
{
  const gchar *argv[] = { app, graph_path, hologram, sink, NULL };

  return example_run ((gchar **) argv, output, errors);
}

/* A small hologram, and off-axis.json with its sideband. */
static gchar *
make_small (gchar **small_graph)
{
  gchar *hologram = g_build_filename (folder, "hologram.png", NULL);
  const gchar *argv[] = { make_hologram, "--size",   "256", "--carrier-y", "83", "--carrier-x",
                          "83",          "--radius", "32",  hologram,      NULL };
  g_autoptr (GError) error = NULL;
  g_autofree gchar *text = NULL;
  g_autoptr (GString) changed = NULL;

  g_assert_cmpint (example_run ((gchar **) argv, NULL, NULL), ==, 0);
  g_file_get_contents (graph, &text, NULL, &error);
  g_assert_no_error (error);
  changed = g_string_new (text);
  g_assert_cmpuint (
      g_string_replace (changed, "\"center_y\": 332, \"center_x\": 332", "\"center_y\": 83, \"center_x\": 83", 0), ==,
      1);
  *small_graph = g_build_filename (folder, "small.json", NULL);
  g_file_set_contents (*small_graph, changed->str, -1, &error);
  g_assert_no_error (error);
  return hologram;
}

/* Sum of the differences of neighbours: a picture seen through a small aperture is smooth. */
static guint64
get_roughness (GBytes *picture)
{
  gsize size;
  const guint8 *pixels = g_bytes_get_data (picture, &size);
  guint64 sum = 0;

  g_assert_cmpuint (size, ==, 256 * 256);
  for (gsize i = 1; i < size; i++)
    sum += ABS (pixels[i] - pixels[i - 1]);
  return sum;
}

static void
test_run (void)
{
  static const gchar *const said[] = { "Mask::r-outer = 4\n", "Mask::r-outer = 16\n", "Mask::r-outer = 32\n",
                                       "Mask::r-outer = 96\n" };
  static const gchar *const rows[] = { "^Fourier +execute +30 calls +[0-9.]+ ms each$",
                                       "^SpectrumQueue +push +30 calls", "^SpectrumQueue +pop +30 calls" };
  g_autofree gchar *small_graph = NULL, *hologram = make_small (&small_graph);
  g_autofree gchar *pattern = g_build_filename (folder, "frame-%02d.raw", NULL);
  g_autofree gchar *sink = g_strdup_printf ("multifilesink location=%s", pattern);
  g_autofree gchar *output = NULL, *errors = NULL;
  guint64 smoothest = G_MAXUINT64, roughest = 0;

  if (run_app (small_graph, hologram, sink, &output, &errors) != 0 || errors[0] != '\0')
    g_error ("app failed: %s", errors);
  for (guint i = 0; i < G_N_ELEMENTS (said); i++)
    example_assert_contains (output, said[i]);
  /* All 30 frames are in the statistics, whatever changed meanwhile. */
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (!g_regex_match_simple (rows[i], output, G_REGEX_MULTILINE, 0))
      g_error ("expected %s in:\n%s", rows[i], output);

  for (guint i = 0; i < 30; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("frame-%02u.raw", i);
      g_autoptr (GBytes) picture = example_read (folder, name);
      guint64 roughness = get_roughness (picture);

      smoothest = MIN (smoothest, roughness);
      roughest = MAX (roughest, roughness);
    }
  g_assert_cmpuint (roughest, >, 2 * smoothest);
}

static void
test_errors (void)
{
  g_autofree gchar *missing = g_build_filename (folder, "missing.png", NULL);
  g_autofree gchar *no_file = NULL, *no_element = NULL, *no_graph = NULL;

  g_assert_cmpint (run_app (graph, missing, NULL, NULL, &no_file), ==, 1);
  example_assert_contains (no_file, "missing.png");
  g_assert_cmpint (run_app (graph, missing, "nosuchelement", NULL, &no_element), ==, 1);
  example_assert_contains (no_element, "nosuchelement");
  g_assert_cmpint (run_app (missing, missing, NULL, NULL, &no_graph), ==, 1);
  example_assert_contains (no_graph, "missing.png");
}

/* Has GStreamer's scanner process look at the plugins of the system: looking at them in the program itself
 * leaves memory behind, which a leak checker would count as ours. The scanner cannot load a plugin built with
 * a sanitizer. */
static void
fill_registry (void)
{
  const gchar *argv[] = { app, NULL };
  g_auto (GStrv) environment = g_get_environ ();
  g_autoptr (GError) error = NULL;

  environment = g_environ_unsetenv (environment, "GST_REGISTRY_FORK");
  environment = g_environ_unsetenv (environment, "GST_PLUGIN_PATH_1_0");
  g_spawn_sync (NULL, (gchar **) argv, environment, G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  gint status;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, >=, 4);
  app = argv[1];
  make_hologram = argv[2];
  graph = g_build_filename (argv[3], "off-axis.json", NULL);
  folder = g_dir_make_tmp ("holoflow-test-XXXXXX", NULL);
  g_assert_nonnull (folder);
  fill_registry ();

  g_test_add_func ("/examples/app/changes-a-setting-while-playing", test_run);
  g_test_add_func ("/examples/app/errors-are-explained", test_errors);

  status = g_test_run ();
  example_remove_folder (folder);
  g_free (folder);
  g_free (graph);
  return status;
}
