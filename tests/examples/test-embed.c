/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* docs/examples/embed and off-axis.json: arguments are embed, make-hologram, and the examples' folder. */

#include <gio/gio.h>
#include <string.h>

#include "example.h"

static const gchar *embed, *make_hologram;
static gchar *graph, *folder;

static gchar *
in_folder (const gchar *name)
{
  return g_build_filename (folder, name, NULL);
}

static gint
run_embed (const gchar *graph_path, const gchar *in, const gchar *out, gchar **errors)
{
  g_autofree gchar *in_path = in_folder (in);
  g_autofree gchar *out_path = in_folder (out);
  const gchar *argv[] = { embed, graph_path, in_path, out_path, NULL };

  return example_run ((gchar **) argv, NULL, errors);
}

static void
write_text (const gchar *name, const gchar *text, gssize length)
{
  g_autofree gchar *path = in_folder (name);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, text, length, &error);
  g_assert_no_error (error);
}

/* Smallest and largest pixel of the 9 x 9 around (@y, @x). */
static void
get_range (const guint8 *pixels, gint y, gint x, gint *lo, gint *hi)
{
  *lo = 255;
  *hi = 0;
  for (gint i = y - 4; i <= y + 4; i++)
    for (gint j = x - 4; j <= x + 4; j++)
      {
        *lo = MIN (*lo, pixels[i * 1024 + j]);
        *hi = MAX (*hi, pixels[i * 1024 + j]);
      }
}

static void
test_reconstruction (void)
{
  /* What make-hologram draws, as (row, column) of 1024 x 1024 pixels. */
  static const struct
  {
    const gchar *what;
    gint y, x;
    gboolean bright;
  } spots[] = {
    { "left stroke of the H", 210, 174, FALSE },
    { "stroke of the L", 210, 543, FALSE },
    { "inside of the first O", 210, 420, TRUE },
    { "first upright bar", 460, 115, FALSE },
    { "gap beside it", 460, 142, TRUE },
    { "background", 350, 512, TRUE },
    { "disc that absorbs nothing", 860, 512, TRUE },
  };
  g_autofree gchar *hologram = in_folder ("hologram.pgm");
  g_autofree gchar *errors = NULL;
  g_autoptr (GBytes) before = NULL, after = NULL;
  const gchar *argv[] = { make_hologram, hologram, NULL };
  const guint8 *fringes, *picture;

  g_assert_cmpint (example_run ((gchar **) argv, NULL, NULL), ==, 0);
  g_assert_cmpint (run_embed (graph, "hologram.pgm", "picture.pgm", &errors), ==, 0);
  g_assert_cmpstr (errors, ==, "");
  before = example_read (folder, "hologram.pgm");
  after = example_read (folder, "picture.pgm");
  fringes = example_pgm_pixels (before, 1024, 1024);
  picture = example_pgm_pixels (after, 1024, 1024);

  for (guint i = 0; i < G_N_ELEMENTS (spots); i++)
    {
      gint lo, hi;

      g_test_message ("%s", spots[i].what);
      get_range (fringes, spots[i].y, spots[i].x, &lo, &hi);
      g_assert_cmpint (hi - lo, >, spots[i].bright ? 150 : 30);
      get_range (picture, spots[i].y, spots[i].x, &lo, &hi);
      if (spots[i].bright)
        g_assert_cmpint (lo, >, 230);
      else
        g_assert_cmpint (hi, <, 40);
    }
}

static void
test_bad_input (void)
{
  static const gchar small[] = "P5\n2 2\n255\nabcd";
  static const struct
  {
    const gchar *text;
    gssize length;
  } pictures[] = {
    { "", 0 },
    { "P5", 2 },
    { "P5\n2 2\n255\nabc", 14 },
    { "P5\n2 2\n255\nabcde", 16 },
    { "P5\n0 2\n255\n", 11 },
    { "P5\n2 2\n65535\nabcdabcd", 21 },
    { "P6\n2 2\n255\nabcdabcdabcd", 23 },
    { "P5\n99999 99999\n255\nabcd", 23 },
    { "P5\n-2 -2\n255\nabcd", 17 },
  };
  g_autofree gchar *missing = NULL, *bad_graph = in_folder ("bad.json"), *kind = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++)
    {
      g_autofree gchar *errors = NULL;

      write_text ("bad.pgm", pictures[i].text, pictures[i].length);
      g_assert_cmpint (run_embed (graph, "bad.pgm", "out.pgm", &errors), ==, 1);
      example_assert_contains (errors, "is not a whole 8-bit binary PGM picture");
    }
  g_assert_cmpint (run_embed (graph, "missing.pgm", "out.pgm", &missing), ==, 1);
  example_assert_contains (missing, "missing.pgm");

  write_text ("small.pgm", small, sizeof small - 1);
  write_text ("bad.json", "{\"nodes\": {\"Input\": {\"type\": \"Imput\", \"params\": {}}}}", -1);
  g_assert_cmpint (run_embed (bad_graph, "small.pgm", "out.pgm", &kind), ==, 1);
  example_assert_contains (kind, "Imput");
}

int
main (int argc, char **argv)
{
  gint status;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, >=, 4);
  embed = argv[1];
  make_hologram = argv[2];
  graph = g_build_filename (argv[3], "off-axis.json", NULL);
  folder = g_dir_make_tmp ("holoflow-test-XXXXXX", NULL);
  g_assert_nonnull (folder);

  g_test_add_func ("/examples/embed/off-axis-json-shows-the-object", test_reconstruction);
  g_test_add_func ("/examples/embed/bad-input-is-explained", test_bad_input);

  status = g_test_run ();
  example_remove_folder (folder);
  g_free (folder);
  g_free (graph);
  return status;
}
