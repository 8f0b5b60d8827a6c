/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Simulates what the camera of an off-axis holographic microscope records, and writes it as an 8-bit grey
 * picture (.png or .pgm, by the ending of the name):
 *
 *   object      text and resolution bars that absorb, a disc that only delays the light, and the weak
 *               defocus of a lens, all blurred by the finite aperture of the microscope
 *   reference   a plane wave as bright as the object wave, tilted so that it makes `carrier` fringes per
 *               picture height and width
 *   sensor      intensity of the sum, shot noise, readout noise, 8-bit quantisation
 *
 * The spectrum of the picture then holds the undiffracted light around frequency (0, 0), the object wave
 * (the +1 order) around +carrier and its complex conjugate (the -1 order) around -carrier. The defaults put
 * the +1 order where off-axis.json looks for it. Everything is derived from the seed: the same arguments
 * give the same picture on the same machine.
 *
 * Plain C11 and libm; nothing else is needed to build it.
 */

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct
{
  long size;      /* pixels per side */
  long carrier_y; /* fringes per picture height */
  long carrier_x; /* fringes per picture width */
  long radius;    /* half-width of the object's spectrum, in the same units */
  long electrons; /* electrons of a pixel that is just saturated: sets the shot noise */
  long readout;   /* readout noise, electrons RMS */
  long seed;
  const char *path;
} Options;

/* --- random numbers: splitmix64, and normal deviates by Box and Muller's method --- */

static uint64_t
random_bits (uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double
random_normal (uint64_t *state)
{
  double u = ((double) (random_bits (state) >> 11) + 1.0) / 9007199254740993.0;
  double v = (double) (random_bits (state) >> 11) / 9007199254740992.0;

  return sqrt (-2.0 * log (u)) * cos (2.0 * PI * v);
}

/* --- the object: positions run from 0 to 1 over the picture --- */

/* Four letters, 5 columns by 7 rows; the highest of the five bits is the leftmost column. */
static const uint8_t letters[4][7] = {
  { 0x11, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11 }, /* H */
  { 0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e }, /* O */
  { 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x1f }, /* L */
  { 0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e }, /* O */
};

static bool
in_text (double y, double x)
{
  const double pixel = 0.030, top = 0.10, left = 0.155;
  long row = lround (floor ((y - top) / pixel));
  long column = lround (floor ((x - left) / pixel));

  if (row < 0 || row >= 7 || column < 0 || column >= 4 * 6 || column % 6 == 5)
    return false;
  return (letters[column / 6][row] >> (4 - column % 6)) & 1;
}

/* Three bars of width @pitch with gaps of the same width, in a square whose corner is (@top, @left). */
static bool
in_bars (double y, double x, double top, double left, double pitch, bool upright)
{
  double along = (upright ? y - top : x - left) / pitch;
  double across = (upright ? x - left : y - top) / pitch;

  return along >= 0 && along < 5 && across >= 0 && across < 5 && ((int) across) % 2 == 0;
}

static bool
is_dark (double y, double x)
{
  static const double pitches[] = { 0.026, 0.018, 0.013, 0.009, 0.006 };
  double left = 0.10;

  for (size_t i = 0; i < sizeof pitches / sizeof pitches[0]; i++)
    {
      if (in_bars (y, x, 0.42, left, pitches[i], true) || in_bars (y, x, 0.58, left, pitches[i], false))
        return true;
      left += 5.0 * pitches[i] + 0.10;
    }
  return in_text (y, x);
}

/* Radians: the bowl of a slightly defocused lens, and a disc (say a cell) that delays but does not absorb. */
static double
phase_at (double y, double x)
{
  double dy = y - 0.5, dx = x - 0.5;
  double phase = 8.0 * (dy * dy + dx * dx);

  return hypot (y - 0.84, x - 0.5) < 0.09 ? phase + 2.0 : phase;
}

static void
draw_object (const Options *o, float *re, float *im)
{
  for (long y = 0; y < o->size; y++)
    for (long x = 0; x < o->size; x++)
      {
        double v = (y + 0.5) / o->size, u = (x + 0.5) / o->size;
        double amplitude = is_dark (v, u) ? 0.15 : 1.0;
        double phase = phase_at (v, u);

        re[y * o->size + x] = (float) (amplitude * cos (phase));
        im[y * o->size + x] = (float) (amplitude * sin (phase));
      }
}

/* --- the microscope: its aperture passes frequencies up to `radius`, here by a Gaussian --- */

static void
blur_lines (float *data, long size, long step, long line_step, const double *kernel, long reach, float *line)
{
  for (long l = 0; l < size; l++)
    {
      float *start = data + l * line_step;

      for (long i = 0; i < size; i++)
        line[i] = start[i * step];
      for (long i = 0; i < size; i++)
        {
          double sum = 0.0;

          for (long k = -reach; k <= reach; k++)
            {
              long j = i + k < 0 ? 0 : i + k >= size ? size - 1 : i + k;
              sum += kernel[k + reach] * line[j];
            }
          start[i * step] = (float) sum;
        }
    }
}

static bool
blur (const Options *o, float *re, float *im)
{
  /* A Gaussian of this width passes 4 % at `radius`. */
  double sigma = 0.4 * (double) o->size / (double) o->radius;
  long reach = (long) ceil (4.0 * sigma);
  double *kernel = calloc ((size_t) (2 * reach + 1), sizeof *kernel);
  float *line = malloc ((size_t) o->size * sizeof *line);
  double sum = 0.0;

  if (kernel != NULL && line != NULL)
    {
      for (long k = -reach; k <= reach; k++)
        sum += kernel[k + reach] = exp (-0.5 * (double) (k * k) / (sigma * sigma));
      for (long k = 0; k <= 2 * reach; k++)
        kernel[k] /= sum;

      blur_lines (re, o->size, 1, o->size, kernel, reach, line);
      blur_lines (re, o->size, o->size, 1, kernel, reach, line);
      blur_lines (im, o->size, 1, o->size, kernel, reach, line);
      blur_lines (im, o->size, o->size, 1, kernel, reach, line);
    }

  free (line);
  free (kernel);
  return sum > 0.0;
}

/* --- the camera --- */

static void
record (const Options *o, const float *re, const float *im, uint8_t *picture)
{
  /* Two waves of amplitude 1 interfere to 4 at most; the exposure puts that at 90 % of saturation. */
  const double exposure = 0.9 / 4.0;
  uint64_t state = (uint64_t) o->seed;

  for (long y = 0; y < o->size; y++)
    for (long x = 0; x < o->size; x++)
      {
        double turns = (double) ((y * o->carrier_y + x * o->carrier_x) % o->size) / (double) o->size;
        double a = re[y * o->size + x] + cos (-2.0 * PI * turns);
        double b = im[y * o->size + x] + sin (-2.0 * PI * turns);
        double electrons = exposure * (a * a + b * b) * (double) o->electrons;
        double level;

        electrons += sqrt (electrons) * random_normal (&state);
        electrons += (double) o->readout * random_normal (&state);
        level = rint (electrons * 255.0 / (double) o->electrons);
        picture[y * o->size + x] = (uint8_t) (level < 0.0 ? 0.0 : level > 255.0 ? 255.0 : level);
      }
}

/* --- writing: PGM, and PNG with its data stored uncompressed, which needs no compression library --- */

static void
put_be32 (uint8_t *out, uint32_t value)
{
  for (int i = 0; i < 4; i++)
    out[i] = (uint8_t) (value >> (24 - 8 * i));
}

static uint32_t
crc32_of (uint32_t crc, const uint8_t *data, size_t n)
{
  for (size_t i = 0; i < n; i++)
    {
      crc ^= data[i];
      for (int bit = 0; bit < 8; bit++)
        crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320u : 0u);
    }
  return crc;
}

static bool
write_chunk (FILE *file, const char *type, const uint8_t *data, size_t n)
{
  uint8_t head[8], tail[4];
  uint32_t crc;

  put_be32 (head, (uint32_t) n);
  memcpy (head + 4, type, 4);
  crc = crc32_of (0xffffffffu, head + 4, 4);
  put_be32 (tail, crc32_of (crc, data, n) ^ 0xffffffffu);

  return fwrite (head, 1, 8, file) == 8 && fwrite (data, 1, n, file) == n && fwrite (tail, 1, 4, file) == 4;
}

/* Wraps @raw into a zlib stream of stored blocks; returns its length. */
static size_t
store_zlib (const uint8_t *raw, size_t n, uint8_t *out)
{
  uint32_t a = 1, b = 0;
  size_t at = 0;

  out[at++] = 0x78;
  out[at++] = 0x01;
  for (size_t done = 0; done < n;)
    {
      size_t part = n - done < 65535 ? n - done : 65535;

      out[at++] = done + part == n;
      out[at++] = (uint8_t) part;
      out[at++] = (uint8_t) (part >> 8);
      out[at++] = (uint8_t) ~part;
      out[at++] = (uint8_t) (~part >> 8);
      memcpy (out + at, raw + done, part);
      at += part;
      done += part;
    }
  for (size_t i = 0; i < n; i++)
    {
      a = (a + raw[i]) % 65521;
      b = (b + a) % 65521;
    }
  put_be32 (out + at, b << 16 | a);
  return at + 4;
}

static bool
write_png (FILE *file, const uint8_t *picture, long size)
{
  static const uint8_t signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
  size_t n = (size_t) size * ((size_t) size + 1);
  uint8_t header[13] = { 0 };
  uint8_t *raw = malloc (n);
  uint8_t *packed = malloc (n + 5 * (n / 65535 + 1) + 6);
  bool ok = raw != NULL && packed != NULL;

  put_be32 (header, (uint32_t) size);
  put_be32 (header + 4, (uint32_t) size);
  header[8] = 8; /* bits per pixel; the zeros after it mean grey, deflate, not interlaced */

  if (ok)
    {
      for (long y = 0; y < size; y++)
        {
          raw[y * (size + 1)] = 0; /* each row starts with its filter: none */
          memcpy (raw + y * (size + 1) + 1, picture + y * size, (size_t) size);
        }
      ok = fwrite (signature, 1, 8, file) == 8 && write_chunk (file, "IHDR", header, 13) &&
           write_chunk (file, "IDAT", packed, store_zlib (raw, n, packed)) && write_chunk (file, "IEND", header, 0);
    }

  free (packed);
  free (raw);
  return ok;
}

static bool
write_pgm (FILE *file, const uint8_t *picture, long size)
{
  size_t n = (size_t) size * (size_t) size;

  return fprintf (file, "P5\n%ld %ld\n255\n", size, size) > 0 && fwrite (picture, 1, n, file) == n;
}

static bool
ends_with (const char *text, const char *ending)
{
  size_t n = strlen (text), m = strlen (ending);

  return n > m && strcmp (text + n - m, ending) == 0;
}

static bool
write_picture (const Options *o, const uint8_t *picture)
{
  FILE *file = fopen (o->path, "wb");
  bool ok;

  if (file == NULL)
    {
      fprintf (stderr, "make-hologram: cannot write \"%s\": %s\n", o->path, strerror (errno));
      return false;
    }

  errno = 0;
  ok = ends_with (o->path, ".pgm") ? write_pgm (file, picture, o->size) : write_png (file, picture, o->size);
  ok = fclose (file) == 0 && ok;
  if (!ok)
    fprintf (stderr, "make-hologram: writing \"%s\" failed: %s\n", o->path,
             errno != 0 ? strerror (errno) : "out of memory");
  return ok;
}

static bool
simulate (const Options *o)
{
  size_t n = (size_t) o->size * (size_t) o->size;
  float *re = malloc (n * sizeof *re);
  float *im = malloc (n * sizeof *im);
  uint8_t *picture = malloc (n);
  bool ok = re != NULL && im != NULL && picture != NULL;

  if (ok)
    {
      draw_object (o, re, im);
      ok = blur (o, re, im);
    }
  if (ok)
    {
      record (o, re, im, picture);
      ok = write_picture (o, picture);
    }
  else
    fprintf (stderr, "make-hologram: not enough memory for %ldx%ld pixels\n", o->size, o->size);

  free (picture);
  free (im);
  free (re);
  return ok;
}

/* --- the command line --- */

static void
print_help (void)
{
  puts ("Usage: make-hologram [OPTION VALUE]... OUTPUT.png|OUTPUT.pgm\n"
        "Simulate an off-axis hologram and write it as an 8-bit grey picture.\n"
        "\n"
        "  --size N         pixels per side, 16 to 8192 (1024)\n"
        "  --carrier-y N    fringes per picture height, the row of the +1 order (332)\n"
        "  --carrier-x N    fringes per picture width, the column of the +1 order (332)\n"
        "  --radius N       radius of the +1 order in the same units (128)\n"
        "  --electrons N    electrons of a saturated pixel, sets the shot noise (10000)\n"
        "  --readout N      readout noise, electrons RMS (20)\n"
        "  --seed N         start of the random numbers (1)\n"
        "  --help           this text");
}

static bool
parse_option (const char *name, const char *text, long *value, long min, long max)
{
  char *end = NULL;

  errno = 0;
  *value = text != NULL ? strtol (text, &end, 10) : 0;
  if (text != NULL && *text != '\0' && *end == '\0' && errno == 0 && *value >= min && *value <= max)
    return true;

  fprintf (stderr, "make-hologram: --%s needs an integer from %ld to %ld, not %s\n", name, min, max,
           text != NULL ? text : "nothing");
  return false;
}

static bool
parse_arguments (int argc, char **argv, Options *o)
{
  const struct
  {
    const char *name;
    long *value, min, max;
  } known[] = {
    { "size", &o->size, 16, 8192 },
    { "carrier-y", &o->carrier_y, 0, 4096 },
    { "carrier-x", &o->carrier_x, 0, 4096 },
    { "radius", &o->radius, 1, 4096 },
    { "electrons", &o->electrons, 100, 1000000000 },
    { "readout", &o->readout, 0, 1000000 },
    { "seed", &o->seed, 0, 2147483647 },
  };
  const size_t n_known = sizeof known / sizeof known[0];

  for (int i = 1; i < argc; i++)
    {
      size_t k = 0;

      if (strncmp (argv[i], "--", 2) != 0)
        {
          if (o->path != NULL)
            {
              fprintf (stderr, "make-hologram: one output only, but there are \"%s\" and \"%s\"\n", o->path, argv[i]);
              return false;
            }
          o->path = argv[i];
          continue;
        }
      while (k < n_known && strcmp (argv[i] + 2, known[k].name) != 0)
        k++;
      if (k == n_known)
        {
          fprintf (stderr, "make-hologram: unknown option \"%s\"; --help lists them\n", argv[i]);
          return false;
        }
      i++;
      if (!parse_option (known[k].name, i < argc ? argv[i] : NULL, known[k].value, known[k].min, known[k].max))
        return false;
    }
  return true;
}

/* The orders must fit side by side: the undiffracted light fills twice the radius around frequency 0. */
static bool
check_options (const Options *o)
{
  long reach = (o->carrier_y > o->carrier_x ? o->carrier_y : o->carrier_x) + o->radius;

  if (o->path == NULL || !(ends_with (o->path, ".png") || ends_with (o->path, ".pgm")))
    fputs ("make-hologram: name one output that ends in .png or .pgm; --help lists the options\n", stderr);
  else if (reach > o->size / 2)
    fprintf (stderr,
             "make-hologram: carrier + radius is %ld, but %ld pixels resolve %ld fringes at most: use a "
             "larger --size, or a smaller --carrier-y, --carrier-x and --radius\n",
             reach, o->size, o->size / 2);
  else if (hypot ((double) o->carrier_y, (double) o->carrier_x) < 3.0 * (double) o->radius)
    fprintf (stderr,
             "make-hologram: the carrier (%ld, %ld) is less than 3 radii of %ld away from the undiffracted "
             "light: the orders would overlap\n",
             o->carrier_y, o->carrier_x, o->radius);
  else
    return true;
  return false;
}

int
main (int argc, char **argv)
{
  Options o = { 1024, 332, 332, 128, 10000, 20, 1, NULL };

  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--help") == 0)
      {
        print_help ();
        return 0;
      }
  if (!parse_arguments (argc, argv, &o) || !check_options (&o))
    return 2;
  return simulate (&o) ? 0 : 1;
}
