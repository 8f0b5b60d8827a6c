/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Axes and batches over the lines of a provider.
 *
 * The innermost axis is done where it lies when that is allowed; every other one in groups of LINES_PER_BLOCK
 * neighbouring columns, which are gathered into dense lines, transformed and put back. One column at a time
 * would fetch a cache line for each element. FFTW's own plans for planes of a power of two walk columns in
 * place and are four times slower than this unless planning measures for half a second (docs/decisions.md has
 * the numbers). */
#include <string.h>

#include "fft/holo-fft-private.h"
#include "device/holo-device.h"
#include "base/holo-error.h"

/* Eight complex floats are one cache line. */
#define LINES_PER_BLOCK 8
/* Very long lines go one by one, so that scratch memory stays within bounds. */
#define LONG_LINE_BYTES (8 << 20)

typedef struct _Scratch Scratch;

struct _Scratch
{
  Scratch *next;
  gpointer memory; /* gathered lines, transformed lines, the provider's own */
};

typedef struct
{
  gint64 outer; /* arrays before this axis */
  gint64 length;
  gint64 inner;  /* elements between neighbours along the axis */
  gint n_lines;  /* lines of one call of the provider */
  gpointer plan; /* NULL for length 1 */
} Axis;

struct _HoloFft
{
  const HoloFftProvider *provider;
  HoloFftSpec spec;
  guint n_axes;
  Axis axes[HOLO_MAX_RANK]; /* in the order they are done: innermost first; those of length 1 are left out */
  gsize element_size;
  gint64 n_elements;
  gsize block_size;
  gsize provider_scratch_size;
  GMutex lock;
  Scratch *free_scratch; /* under lock: one per thread that has ever executed at the same time */
};

static gboolean
check_spec (const HoloFftSpec *spec, GError **error)
{
  gint64 n = spec->batch, n_bytes;
  gboolean overflow = spec->batch < 0;

  g_return_val_if_fail (spec->dtype == HOLO_DTYPE_CF32 || spec->dtype == HOLO_DTYPE_CF64, FALSE);
  g_return_val_if_fail (spec->n_axes >= 1 && spec->n_axes <= HOLO_MAX_RANK, FALSE);

  for (guint i = 0; i < spec->n_axes; i++)
    {
      if (spec->shape[i] < 0 || spec->shape[i] > HOLO_FFT_MAX_LENGTH)
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED,
                       "a Fourier transform over %" G_GINT64_FORMAT
                       " elements is not supported; at most %" G_GINT64_FORMAT,
                       spec->shape[i], HOLO_FFT_MAX_LENGTH);
          return FALSE;
        }
      overflow = __builtin_mul_overflow (n, spec->shape[i], &n) || overflow;
    }
  if (overflow || __builtin_mul_overflow (n, (gint64) holo_dtype_get_size (spec->dtype), &n_bytes))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_OVERFLOW, "the size of the Fourier transform does not fit 63 bits");
      return FALSE;
    }
  return TRUE;
}

static gboolean
plan_axis (HoloFft *fft, gint64 outer, gint64 length, gint64 inner, GError **error)
{
  Axis *axis = &fft->axes[fft->n_axes];
  gsize line_size = (gsize) length * fft->element_size, scratch_size;

  *axis = (Axis){ outer, length, inner, line_size > LONG_LINE_BYTES ? 1 : LINES_PER_BLOCK, NULL };
  axis->plan = fft->provider->plan (fft->spec.dtype, (gint) length, axis->n_lines, fft->spec.inverse, error);
  if (axis->plan == NULL)
    return FALSE;
  fft->n_axes++;
  fft->block_size = MAX (fft->block_size, line_size * (gsize) axis->n_lines);
  if (fft->provider->get_scratch_size != NULL)
    {
      scratch_size = fft->provider->get_scratch_size (axis->plan);
      fft->provider_scratch_size = MAX (fft->provider_scratch_size, scratch_size);
    }
  return TRUE;
}

static gboolean
plan_axes (HoloFft *fft, GError **error)
{
  gint64 outer = fft->n_elements, inner = 1;

  if (fft->n_elements == 0)
    return TRUE;
  for (guint i = fft->spec.n_axes; i-- > 0;)
    {
      gint64 length = fft->spec.shape[i];

      outer = fft->n_elements / (length * inner);
      if (length > 1 && !plan_axis (fft, outer, length, inner, error))
        return FALSE;
      inner *= length;
    }
  return TRUE;
}

/* ---- scratch memory ---- */

static gsize
align_up (gsize size)
{
  return (size + HOLO_MEMORY_ALIGNMENT - 1) & ~(gsize) (HOLO_MEMORY_ALIGNMENT - 1);
}

static Scratch *
new_scratch (HoloFft *fft, GError **error)
{
  gsize size = 2 * align_up (fft->block_size) + fft->provider_scratch_size;
  gpointer memory = holo_device_alloc (holo_device_get_host (), HOLO_MEM_LOC_HOST, size, error);
  Scratch *scratch;

  if (memory == NULL)
    return NULL;
  /* The last block of an axis may use some of its lines only: the others must be numbers. */
  memset (memory, 0, 2 * align_up (fft->block_size));
  scratch = g_new (Scratch, 1);
  scratch->memory = memory;
  return scratch;
}

static void
give_scratch (HoloFft *fft, Scratch *scratch)
{
  g_mutex_lock (&fft->lock);
  scratch->next = fft->free_scratch;
  fft->free_scratch = scratch;
  g_mutex_unlock (&fft->lock);
}

static Scratch *
take_scratch (HoloFft *fft)
{
  Scratch *scratch;

  g_mutex_lock (&fft->lock);
  scratch = fft->free_scratch;
  if (scratch != NULL)
    fft->free_scratch = scratch->next;
  g_mutex_unlock (&fft->lock);
  if (scratch == NULL)
    {
      g_autoptr (GError) error = NULL;

      /* Only when more threads execute at a time than ever before; the first one was made with the plan. */
      scratch = new_scratch (fft, &error);
      if (scratch == NULL)
        g_error ("Fourier transform: %s", error->message);
    }
  return scratch;
}

/* ---- execution ---- */

static void
scale_elements (HoloDType dtype, gpointer data, gsize n, gdouble factor)
{
  if (factor == 1.0)
    return;
  if (dtype == HOLO_DTYPE_CF32)
    {
      gfloat *values = data, f = (gfloat) factor;

      for (gsize i = 0; i < 2 * n; i++)
        values[i] *= f;
    }
  else
    {
      gdouble *values = data;

      for (gsize i = 0; i < 2 * n; i++)
        values[i] *= factor;
    }
}

/* @width columns of a plane of @n rows, @inner elements apart, become lines; @element_size is a constant
 *   where inlined. */
static inline void
gather (guint8 *lines, const guint8 *plane, gint64 n, gint64 inner, gint width, gsize element_size)
{
  for (gint64 row = 0; row < n; row++)
    for (gint i = 0; i < width; i++)
      memcpy (lines + ((gsize) i * n + row) * element_size, plane + ((gsize) row * inner + i) * element_size,
              element_size);
}

static inline void
scatter (guint8 *plane, const guint8 *lines, gint64 n, gint64 inner, gint width, gsize element_size)
{
  for (gint64 row = 0; row < n; row++)
    for (gint i = 0; i < width; i++)
      memcpy (plane + ((gsize) row * inner + i) * element_size, lines + ((gsize) i * n + row) * element_size,
              element_size);
}

static void
gather_any (guint8 *lines, const guint8 *plane, gint64 n, gint64 inner, gint width, gsize element_size)
{
  if (element_size == 8)
    gather (lines, plane, n, inner, width, 8);
  else
    gather (lines, plane, n, inner, width, 16);
}

static void
scatter_any (guint8 *plane, const guint8 *lines, gint64 n, gint64 inner, gint width, gsize element_size)
{
  if (element_size == 8)
    scatter (plane, lines, n, inner, width, 8);
  else
    scatter (plane, lines, n, inner, width, 16);
}

typedef struct
{
  guint8 *gathered;
  guint8 *transformed;
  gpointer provider;
} Blocks;

static Blocks
get_blocks (HoloFft *fft, Scratch *scratch)
{
  guint8 *memory = scratch->memory;
  gsize size = align_up (fft->block_size);

  return (Blocks){ memory, memory + size, memory + 2 * size };
}

/* Lines that lie one behind the other. */
static void
transform_rows (HoloFft *fft, const Axis *axis, const guint8 *in, guint8 *out, const Blocks *blocks, gdouble scale)
{
  gsize line_size = (gsize) axis->length * fft->element_size;
  gsize alignment = fft->provider->alignment;

  for (gint64 first = 0; first < axis->outer; first += axis->n_lines)
    {
      gint n = (gint) MIN (axis->n_lines, axis->outer - first);
      const guint8 *from = in + (gsize) first * line_size;
      guint8 *to = out + (gsize) first * line_size;

      if (n == axis->n_lines && in != out && ((gsize) from | (gsize) to) % alignment == 0)
        fft->provider->execute (axis->plan, from, to, blocks->provider);
      else
        {
          memcpy (blocks->gathered, from, (gsize) n * line_size);
          fft->provider->execute (axis->plan, blocks->gathered, blocks->transformed, blocks->provider);
          memcpy (to, blocks->transformed, (gsize) n * line_size);
        }
      scale_elements (fft->spec.dtype, to, (gsize) n * (gsize) axis->length, scale);
    }
}

static void
transform_columns (HoloFft *fft, const Axis *axis, const guint8 *in, guint8 *out, const Blocks *blocks, gdouble scale)
{
  gsize plane_size = (gsize) (axis->length * axis->inner) * fft->element_size;

  for (gint64 i = 0; i < axis->outer; i++)
    for (gint64 column = 0; column < axis->inner; column += axis->n_lines)
      {
        gint n = (gint) MIN (axis->n_lines, axis->inner - column);
        gsize start = (gsize) i * plane_size + (gsize) column * fft->element_size;

        gather_any (blocks->gathered, in + start, axis->length, axis->inner, n, fft->element_size);
        fft->provider->execute (axis->plan, blocks->gathered, blocks->transformed, blocks->provider);
        scale_elements (fft->spec.dtype, blocks->transformed, (gsize) n * (gsize) axis->length, scale);
        scatter_any (out + start, blocks->transformed, axis->length, axis->inner, n, fft->element_size);
      }
}

/**
 * holo_fft_execute:
 * @fft: a plan
 * @in: dense arrays as the plan describes; unchanged unless it is @out
 * @out: as many elements; @in itself, or memory that does not overlap it
 *
 * Any thread, and any number of threads at a time.
 *
 * Since: 0.1
 */
void
holo_fft_execute (HoloFft *fft, gconstpointer in, gpointer out)
{
  Scratch *scratch;
  Blocks blocks;

  if (fft->n_axes == 0)
    {
      if (in != out && fft->n_elements > 0)
        memcpy (out, in, (gsize) fft->n_elements * fft->element_size);
      scale_elements (fft->spec.dtype, out, (gsize) fft->n_elements, fft->spec.scale);
      return;
    }
  scratch = take_scratch (fft);
  blocks = get_blocks (fft, scratch);
  for (guint i = 0; i < fft->n_axes; i++)
    {
      const Axis *axis = &fft->axes[i];
      gdouble scale = i + 1 == fft->n_axes ? fft->spec.scale : 1.0;

      if (axis->inner == 1)
        transform_rows (fft, axis, in, out, &blocks, scale);
      else
        transform_columns (fft, axis, in, out, &blocks, scale);
      in = out;
    }
  give_scratch (fft, scratch);
}

/* ---- life ---- */

/**
 * holo_fft_new: (skip)
 * @spec: what to transform
 * @error: return location
 *
 * Plans with the provider of holo_fft_get_provider(). Any thread. Left out of introspection: it works on plain memory.
 *
 * Returns: (transfer full) (nullable): a plan, or %NULL with %HOLO_ERROR_NOT_SUPPORTED, %HOLO_ERROR_OVERFLOW,
 *   %HOLO_ERROR_MEMORY or %HOLO_ERROR_MODULE
 *
 * Since: 0.1
 */
HoloFft *
holo_fft_new (const HoloFftSpec *spec, GError **error)
{
  g_autoptr (HoloFft) fft = NULL;
  const HoloFftProvider *provider = holo_fft_get_provider (error);
  Scratch *scratch;

  if (provider == NULL || !check_spec (spec, error))
    return NULL;
  fft = g_new0 (HoloFft, 1);
  g_mutex_init (&fft->lock);
  fft->provider = provider;
  fft->spec = *spec;
  fft->element_size = holo_dtype_get_size (spec->dtype);
  fft->n_elements = spec->batch;
  for (guint i = 0; i < spec->n_axes; i++)
    fft->n_elements *= spec->shape[i];
  if (!plan_axes (fft, error))
    return NULL;
  if (fft->n_axes > 0)
    {
      scratch = new_scratch (fft, error);
      if (scratch == NULL)
        return NULL;
      give_scratch (fft, scratch);
    }
  return g_steal_pointer (&fft);
}

/**
 * holo_fft_free:
 * @fft: (transfer full): a plan that nobody executes
 *
 * Since: 0.1
 */
void
holo_fft_free (HoloFft *fft)
{
  while (fft->free_scratch != NULL)
    {
      Scratch *scratch = fft->free_scratch;

      fft->free_scratch = scratch->next;
      holo_device_free (holo_device_get_host (), HOLO_MEM_LOC_HOST, scratch->memory);
      g_free (scratch);
    }
  for (guint i = 0; i < fft->n_axes; i++)
    fft->provider->free (fft->axes[i].plan);
  g_mutex_clear (&fft->lock);
  g_free (fft);
}

/**
 * holo_fft_get_provider_name:
 * @fft: a transform
 *
 * Returns: name of the provider that computes it, "kiss" or "fftw"
 *
 * Since: 0.1
 */
const gchar *
holo_fft_get_provider_name (HoloFft *fft)
{
  return fft->provider->name;
}
