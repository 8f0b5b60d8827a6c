/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines by KissFFT, compiled for float and for double by the two files that include it.
 *
 * KissFFT takes n * p steps for a prime factor p. Lengths with a prime factor above LARGEST_FACTOR go through
 * Bluestein's chirp transform instead: with w[k] = exp (-i pi k^2 / n),
 *
 *   X[k] = w[k] * sum over j of (x[j] * w[j]) * conj (w[k - j])
 *
 * is a convolution, done by two transforms of a convenient length m >= 2n - 1. */
#include <string.h>

#include "fft/holo-fft-private.h"
#include "base/holo-error.h"
#include "kiss_fft.h"

#define NAME_(name, suffix) _holo_kiss_##name##_##suffix
#define NAME2(name, suffix) NAME_ (name, suffix)
#define NAME(name)          NAME2 (name, KISS_SUFFIX)

/* Where both ways take about the same time. */
#define LARGEST_FACTOR 31

typedef struct
{
  gint length;
  gint n_lines;
  gboolean inverse;
  kiss_fft_cfg direct; /* NULL for lengths with a large prime factor; then the rest is set: */
  gint padded_length;
  kiss_fft_cfg forward;
  kiss_fft_cfg backward;
  kiss_fft_cpx *chirp;    /* w, length elements */
  kiss_fft_cpx *spectrum; /* of conj (w), wrapped around, divided by padded_length */
} LinesPlan;

static gint
get_largest_factor (gint n)
{
  gint largest = 1;

  for (gint p = 2; p <= n / p; p++)
    while (n % p == 0)
      {
        largest = p;
        n /= p;
      }
  return MAX (largest, n);
}

/* k^2 modulo 2n keeps the phase exact for any length. */
static void
fill_chirp (LinesPlan *plan)
{
  guint64 period = 2 * (guint64) plan->length;

  for (gint k = 0; k < plan->length; k++)
    {
      gdouble phase = -G_PI * (gdouble) ((guint64) k * (guint64) k % period) / plan->length;

      plan->chirp[k].r = (kiss_fft_scalar) cos (phase);
      plan->chirp[k].i = (kiss_fft_scalar) (plan->inverse ? -sin (phase) : sin (phase));
    }
}

static void
fill_spectrum (LinesPlan *plan, kiss_fft_cpx *wrapped)
{
  gint m = plan->padded_length;

  memset (wrapped, 0, (gsize) m * sizeof *wrapped);
  for (gint k = 0; k < plan->length; k++)
    {
      wrapped[k].r = plan->chirp[k].r;
      wrapped[k].i = -plan->chirp[k].i;
      if (k > 0)
        wrapped[m - k] = wrapped[k];
    }
  kiss_fft (plan->forward, wrapped, plan->spectrum);
  for (gint k = 0; k < m; k++)
    {
      plan->spectrum[k].r /= (kiss_fft_scalar) m;
      plan->spectrum[k].i /= (kiss_fft_scalar) m;
    }
}

static gboolean
plan_chirp (LinesPlan *plan)
{
  g_autofree kiss_fft_cpx *wrapped = NULL;

  plan->padded_length = kiss_fft_next_fast_size (2 * plan->length - 1);
  plan->forward = kiss_fft_alloc (plan->padded_length, 0, NULL, NULL);
  plan->backward = kiss_fft_alloc (plan->padded_length, 1, NULL, NULL);
  plan->chirp = g_try_new (kiss_fft_cpx, plan->length);
  plan->spectrum = g_try_new (kiss_fft_cpx, plan->padded_length);
  wrapped = g_try_new (kiss_fft_cpx, plan->padded_length);
  if (plan->forward == NULL || plan->backward == NULL || plan->chirp == NULL || plan->spectrum == NULL ||
      wrapped == NULL)
    return FALSE;
  fill_chirp (plan);
  fill_spectrum (plan, wrapped);
  return TRUE;
}

gpointer
NAME (plan) (gint length, gint n_lines, gboolean inverse, GError **error)
{
  LinesPlan *plan = g_new0 (LinesPlan, 1);
  gboolean ok;

  plan->length = length;
  plan->n_lines = n_lines;
  plan->inverse = inverse;
  if (get_largest_factor (length) > LARGEST_FACTOR)
    ok = plan_chirp (plan);
  else
    ok = (plan->direct = kiss_fft_alloc (length, inverse, NULL, NULL)) != NULL;
  if (ok)
    return plan;
  NAME (free) (plan);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY, "no memory for the Fourier transform of %d elements", length);
  return NULL;
}

gsize
NAME (get_scratch_size) (gpointer data)
{
  LinesPlan *plan = data;

  return 2 * (gsize) plan->padded_length * sizeof (kiss_fft_cpx);
}

static inline kiss_fft_cpx
multiply (kiss_fft_cpx a, kiss_fft_cpx b)
{
  return (kiss_fft_cpx){ a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r };
}

static void
transform_by_chirp (LinesPlan *plan, const kiss_fft_cpx *in, kiss_fft_cpx *out, kiss_fft_cpx *scratch)
{
  gint n = plan->length, m = plan->padded_length;
  kiss_fft_cpx *padded = scratch, *product = scratch + m;

  for (gint k = 0; k < n; k++)
    padded[k] = multiply (in[k], plan->chirp[k]);
  memset (padded + n, 0, (gsize) (m - n) * sizeof *padded);
  kiss_fft (plan->forward, padded, product);
  for (gint k = 0; k < m; k++)
    product[k] = multiply (product[k], plan->spectrum[k]);
  kiss_fft (plan->backward, product, padded);
  for (gint k = 0; k < n; k++)
    out[k] = multiply (padded[k], plan->chirp[k]);
}

void
NAME (execute) (gpointer data, gconstpointer in, gpointer out, gpointer scratch)
{
  LinesPlan *plan = data;

  for (gint i = 0; i < plan->n_lines; i++)
    {
      const kiss_fft_cpx *from = (const kiss_fft_cpx *) in + (gsize) i * plan->length;
      kiss_fft_cpx *to = (kiss_fft_cpx *) out + (gsize) i * plan->length;

      if (plan->direct != NULL)
        kiss_fft (plan->direct, from, to);
      else
        transform_by_chirp (plan, from, to, scratch);
    }
}

void
NAME (free) (gpointer data)
{
  LinesPlan *plan = data;

  kiss_fft_free (plan->direct);
  kiss_fft_free (plan->forward);
  kiss_fft_free (plan->backward);
  g_free (plan->chirp);
  g_free (plan->spectrum);
  g_free (plan);
}
