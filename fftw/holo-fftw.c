/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Module: Fourier transforms by FFTW. This file may be used under the library's licence; linked with FFTW it
 * is GPL-2.0-or-later.
 *
 * FFTW_ESTIMATE: for single lines it plans in under 2 ms and loses nothing (docs/decisions.md), plans are the
 * same in every run, and so are the last bits of the results. */
#include <fftw3.h>
#include <holoflow/holoflow.h>

/* FFTW aligns to this what it allocates itself; plans assume it. */
#define FFTW_ALIGNMENT 64

typedef struct
{
  HoloDType dtype;
  fftwf_plan f32;
  fftw_plan f64;
} Plan;

/* Planning, and freeing a plan, is not thread safe: one lock for the process. Execution is. */
static GMutex planner_lock;

static void
fftw_provider_free (gpointer data)
{
  Plan *plan = data;

  g_mutex_lock (&planner_lock);
  if (plan->f32 != NULL)
    fftwf_destroy_plan (plan->f32);
  if (plan->f64 != NULL)
    fftw_destroy_plan (plan->f64);
  g_mutex_unlock (&planner_lock);
  g_free (plan);
}

/* The addresses only tell the alignment: FFTW_ESTIMATE does not touch them. */
static void
plan_lines (Plan *plan, int length, int n_lines, int sign)
{
  gpointer in = (gpointer) (gsize) (4 * FFTW_ALIGNMENT), out = (gpointer) ((gsize) 1 << 40);

  if (plan->dtype == HOLO_DTYPE_CF32)
    plan->f32 = fftwf_plan_many_dft (1, &length, n_lines, in, NULL, 1, length, out, NULL, 1, length, sign,
                                     FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
  else
    plan->f64 = fftw_plan_many_dft (1, &length, n_lines, in, NULL, 1, length, out, NULL, 1, length, sign,
                                    FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
}

static gpointer
fftw_provider_plan (HoloDType dtype, gint length, gint n_lines, gboolean inverse, GError **error)
{
  Plan *plan = g_new0 (Plan, 1);

  plan->dtype = dtype;
  g_mutex_lock (&planner_lock);
  plan_lines (plan, length, n_lines, inverse ? FFTW_BACKWARD : FFTW_FORWARD);
  g_mutex_unlock (&planner_lock);
  if (plan->f32 != NULL || plan->f64 != NULL)
    return plan;
  fftw_provider_free (plan);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_FAILED, "FFTW has no plan for %d lines of %d elements", n_lines, length);
  return NULL;
}

static void
fftw_provider_execute (gpointer data, gconstpointer in, gpointer out, gpointer scratch)
{
  Plan *plan = data;

  /* FFTW_PRESERVE_INPUT: the cast takes no promise back. */
  if (plan->dtype == HOLO_DTYPE_CF32)
    fftwf_execute_dft (plan->f32, (gpointer) in, out);
  else
    fftw_execute_dft (plan->f64, (gpointer) in, out);
}

static const HoloFftProvider fftw_provider = {
  .name = "fftw",
  .license = "GPL-2.0-or-later",
  .priority = 10,
  .alignment = FFTW_ALIGNMENT,
  .plan = fftw_provider_plan,
  .execute = fftw_provider_execute,
  .free = fftw_provider_free,
};

static gboolean
register_provider (HoloRegistry *registry, GError **error)
{
  return holo_fft_register_provider (&fftw_provider, error);
}

HOLO_MODULE_DEFINE ("fftw", register_provider)
