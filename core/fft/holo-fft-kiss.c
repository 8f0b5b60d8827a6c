/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The provider that is always there. */
#include "fft/holo-fft-private.h"
#include "device/holo-device.h"

typedef struct
{
  HoloDType dtype;
  gpointer plan;
} KissPlan;

static gpointer
kiss_plan (HoloDType dtype, gint length, gint n_lines, gboolean inverse, GError **error)
{
  KissPlan *kiss;
  gpointer plan = dtype == HOLO_DTYPE_CF32 ? _holo_kiss_plan_f32 (length, n_lines, inverse, error)
                                           : _holo_kiss_plan_f64 (length, n_lines, inverse, error);

  if (plan == NULL)
    return NULL;
  kiss = g_new (KissPlan, 1);
  *kiss = (KissPlan){ dtype, plan };
  return kiss;
}

static gsize
kiss_get_scratch_size (gpointer plan)
{
  KissPlan *kiss = plan;

  return kiss->dtype == HOLO_DTYPE_CF32 ? _holo_kiss_get_scratch_size_f32 (kiss->plan)
                                        : _holo_kiss_get_scratch_size_f64 (kiss->plan);
}

static void
kiss_execute (gpointer plan, gconstpointer in, gpointer out, gpointer scratch)
{
  KissPlan *kiss = plan;

  if (kiss->dtype == HOLO_DTYPE_CF32)
    _holo_kiss_execute_f32 (kiss->plan, in, out, scratch);
  else
    _holo_kiss_execute_f64 (kiss->plan, in, out, scratch);
}

static void
kiss_free (gpointer plan)
{
  KissPlan *kiss = plan;

  if (kiss->dtype == HOLO_DTYPE_CF32)
    _holo_kiss_free_f32 (kiss->plan);
  else
    _holo_kiss_free_f64 (kiss->plan);
  g_free (kiss);
}

const HoloFftProvider _holo_fft_kiss = {
  .name = "kiss",
  .license = "BSD-3-Clause",
  .priority = 0,
  .alignment = sizeof (gdouble),
  .plan = kiss_plan,
  .get_scratch_size = kiss_get_scratch_size,
  .execute = kiss_execute,
  .free = kiss_free,
};
