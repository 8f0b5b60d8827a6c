/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* docs/examples/make-hologram: arguments are the program and the folder of the examples. */

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "example.h"

static const gchar *program;
static gchar *folder;

/* Runs the program with space separated @options and the output file @name; returns the exit status. */
static gint
make (const gchar *options, const gchar *name, gchar **errors)
{
  g_autofree gchar *path = g_build_filename (folder, name, NULL);
  g_autoptr (GStrvBuilder) argv = g_strv_builder_new ();
  g_auto (GStrv) words = g_strsplit (options, " ", -1);
  g_auto (GStrv) vector = NULL;

  g_strv_builder_add (argv, program);
  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\0')
      g_strv_builder_add (argv, words[i]);
  g_strv_builder_add (argv, path);
  vector = g_strv_builder_end (argv);
  return example_run (vector, NULL, errors);
}

static GBytes *
make_and_read (const gchar *options, const gchar *name)
{
  g_autofree gchar *errors = NULL;

  g_assert_cmpint (make (options, name, &errors), ==, 0);
  g_assert_cmpstr (errors, ==, "");
  return example_read (folder, name);
}

#define SMALL "--size 256 --carrier-y 83 --carrier-x 70 --radius 32"

static void
test_seed (void)
{
  g_autoptr (GBytes) first = make_and_read (SMALL " --seed 7", "first.pgm");
  g_autoptr (GBytes) again = make_and_read (SMALL " --seed 7", "again.pgm");
  g_autoptr (GBytes) other = make_and_read (SMALL " --seed 8", "other.pgm");

  g_assert_true (g_bytes_equal (first, again));
  g_assert_false (g_bytes_equal (first, other));
}

/* Modulus of one point of the picture's spectrum, divided by the number of pixels. */
static gdouble
modulus_at (const guint8 *pixels, gint size, gint row, gint column)
{
  gdouble re = 0.0, im = 0.0;

  for (gint y = 0; y < size; y++)
    for (gint x = 0; x < size; x++)
      {
        gdouble angle = -2.0 * G_PI * (((gint64) row * y + (gint64) column * x) % size) / size;

        re += pixels[y * size + x] * cos (angle);
        im += pixels[y * size + x] * sin (angle);
      }
  return hypot (re, im) / ((gdouble) size * size);
}

static void
test_carrier (void)
{
  g_autoptr (GBytes) file = make_and_read (SMALL, "carrier.pgm");
  const guint8 *pixels = example_pgm_pixels (file, 256, 256);
  gdouble zero = modulus_at (pixels, 256, 0, 0);
  gdouble carrier = modulus_at (pixels, 256, 83, 70);

  /* Two equal waves make fringes from black to full: each order has at most half of what frequency 0 has. */
  g_assert_cmpfloat (zero, >, 64.0);
  g_assert_cmpfloat (carrier, >, 0.2 * zero);
  g_assert_cmpfloat (carrier, <, 0.5 * zero);
  g_assert_cmpfloat_with_epsilon (carrier, modulus_at (pixels, 256, -83, -70), 1e-9);
  /* With rows and columns exchanged there is nothing but noise. */
  g_assert_cmpfloat (modulus_at (pixels, 256, 70, -83), <, 0.002 * zero);
}

static void
test_noise (void)
{
  const gchar *dark = SMALL " --electrons 1000000000 --readout 0";
  g_autoptr (GBytes) clean = make_and_read (dark, "clean.pgm");
  g_autoptr (GBytes) noisy = make_and_read (SMALL " --electrons 1000 --readout 10", "noisy.pgm");
  const guint8 *a = example_pgm_pixels (clean, 256, 256);
  const guint8 *b = example_pgm_pixels (noisy, 256, 256);
  gdouble sum = 0.0, squares = 0.0;
  guint n = 0;

  /* At level L of 255 the variance is (L / 255 * 1000 + 10 * 10) electrons squared, and 1/12 for rounding. */
  for (guint i = 0; i < 256 * 256; i++)
    if (a[i] >= 100 && a[i] <= 110)
      {
        sum += b[i] - a[i];
        squares += (b[i] - a[i]) * (b[i] - a[i]);
        n++;
      }
  g_assert_cmpuint (n, >, 500);
  g_assert_cmpfloat_with_epsilon (sum / n, 0.0, 1.0);
  g_assert_cmpfloat_with_epsilon (sqrt (squares / n), 255.0 / 1000.0 * sqrt (0.41 * 1000.0 + 100.0), 0.6);
}

static guint32
read_be32 (const guint8 *data)
{
  return (guint32) data[0] << 24 | (guint32) data[1] << 16 | (guint32) data[2] << 8 | data[3];
}

static guint32
crc32_of (const guint8 *data, gsize n)
{
  guint32 crc = 0xffffffffu;

  for (gsize i = 0; i < n; i++)
    for (guint bit = 0; bit < 8; bit++)
      crc = (crc >> 1) ^ (((crc ^ (data[i] >> bit)) & 1) ? 0xedb88320u : 0u);
  return ~crc;
}

/* The payload of the chunk at @at, which must be of @type with a right checksum. */
static const guint8 *
next_chunk (const guint8 *png, gsize size, gsize *at, const gchar *type, gsize *length)
{
  const guint8 *chunk = png + *at;

  g_assert_cmpuint (*at + 12, <=, size);
  *length = read_be32 (chunk);
  g_assert_cmpuint (*at + 12 + *length, <=, size);
  g_assert_cmpmem (chunk + 4, 4, type, 4);
  g_assert_cmphex (read_be32 (chunk + 8 + *length), ==, crc32_of (chunk + 4, 4 + *length));
  *at += 12 + *length;
  return chunk + 8;
}

static void
test_png (void)
{
  /* 300 x 301 bytes need more than one stored block of 65535. */
  const gchar *options = "--size 300 --carrier-y 100 --carrier-x 90 --radius 40";
  g_autoptr (GBytes) pgm = make_and_read (options, "picture.pgm");
  g_autoptr (GBytes) file = make_and_read (options, "picture.png");
  const guint8 *pixels = example_pgm_pixels (pgm, 300, 300);
  g_autoptr (GZlibDecompressor) inflate = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  g_autofree guint8 *rows = g_malloc (300 * 301 + 1);
  g_autoptr (GError) error = NULL;
  gsize size, at = 8, length, n_read = 0, n_written = 0;
  const guint8 *png = g_bytes_get_data (file, &size);
  const guint8 *data;

  g_assert_cmpmem (png, 8, "\x89PNG\r\n\x1a\n", 8);
  data = next_chunk (png, size, &at, "IHDR", &length);
  g_assert_cmpmem (data, length, "\0\0\x01\x2c\0\0\x01\x2c\x08\0\0\0\0", 13);
  data = next_chunk (png, size, &at, "IDAT", &length);
  g_assert_cmpint (g_converter_convert (G_CONVERTER (inflate), data, length, rows, 300 * 301 + 1,
                                        G_CONVERTER_INPUT_AT_END, &n_read, &n_written, &error),
                   ==, G_CONVERTER_FINISHED);
  g_assert_no_error (error);
  g_assert_cmpuint (n_read, ==, length);
  g_assert_cmpuint (n_written, ==, 300 * 301);
  next_chunk (png, size, &at, "IEND", &length);
  g_assert_cmpuint (length, ==, 0);
  g_assert_cmpuint (at, ==, size);

  for (guint y = 0; y < 300; y++)
    {
      g_assert_cmpuint (rows[y * 301], ==, 0);
      g_assert_cmpmem (rows + y * 301 + 1, 300, pixels + y * 300, 300);
    }
}

static void
test_bad_arguments (void)
{
  static const struct
  {
    const gchar *options, *name, *words;
  } cases[] = {
    { "", "picture.gif", "ends in .png or .pgm" },
    { "--size", "a.png", "--size needs an integer from 16 to 8192" },
    { "--size 12x", "a.png", "--size needs an integer from 16 to 8192, not 12x" },
    { "--size 99999999999999999999", "a.png", "not 99999999999999999999" },
    { "--size 8193", "a.png", "not 8193" },
    { "--sice 16", "a.png", "unknown option \"--sice\"" },
    { "--size 512", "a.png", "512 pixels resolve 256 fringes at most" },
    { "--carrier-y 200 --carrier-x 200", "a.png", "the orders would overlap" },
    { "b.png", "a.png", "one output only" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree gchar *errors = NULL;

      g_assert_cmpint (make (cases[i].options, cases[i].name, &errors), ==, 2);
      example_assert_contains (errors, cases[i].words);
    }
}

static void
test_unwritable (void)
{
  g_autofree gchar *errors = NULL;

  g_assert_cmpint (make (SMALL, "no-such-folder/a.png", &errors), ==, 1);
  example_assert_contains (errors, "cannot write");
  example_assert_contains (errors, "No such file or directory");
}

int
main (int argc, char **argv)
{
  gint status;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, >=, 2);
  program = argv[1];
  folder = g_dir_make_tmp ("holoflow-test-XXXXXX", NULL);
  g_assert_nonnull (folder);

  g_test_add_func ("/examples/make-hologram/the-seed-decides-the-noise", test_seed);
  g_test_add_func ("/examples/make-hologram/the-order-lies-at-the-carrier", test_carrier);
  g_test_add_func ("/examples/make-hologram/noise-is-as-large-as-asked", test_noise);
  g_test_add_func ("/examples/make-hologram/png-holds-what-pgm-holds", test_png);
  g_test_add_func ("/examples/make-hologram/bad-arguments-are-explained", test_bad_arguments);
  g_test_add_func ("/examples/make-hologram/an-unwritable-output-fails", test_unwritable);

  status = g_test_run ();
  example_remove_folder (folder);
  g_free (folder);
  return status;
}
