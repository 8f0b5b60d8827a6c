/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Discrete Fourier transforms on host memory: plan once, execute for each frame.
 *
 *   HoloFftSpec spec = {
 *     .dtype = HOLO_DTYPE_CF32, .n_axes = 2, .shape = { 512, 640 }, .batch = 4, .scale = 1.0,
 *   };
 *   HoloFft *fft = holo_fft_new (&spec, &error);
 *
 *   holo_fft_execute (fft, in, out);      any number of times, from any thread
 *   holo_fft_free (fft);
 *
 * A provider knows nothing but dense lines of one length; this file walks axes and batches. KissFFT is built
 * in; a module may add another (see holo_fft_register_provider()). */
#pragma once

#include "../tensor/holo-dtype.h"

G_BEGIN_DECLS

/**
 * HoloFftSpec:
 * @dtype: %HOLO_DTYPE_CF32 or %HOLO_DTYPE_CF64
 * @inverse: exponent +i instead of -i; nothing is divided by the size (see @scale)
 * @n_axes: number of transformed axes, the innermost ones of a dense array
 * @shape: their extents, outermost first; 0 and 1 are legal
 * @batch: number of such arrays, one behind the other
 * @scale: factor on every result
 *
 * What to transform.
 *
 * Since: 0.1
 */
typedef struct
{
  HoloDType dtype;
  gboolean inverse;
  guint n_axes;
  gint64 shape[HOLO_MAX_RANK];
  gint64 batch;
  gdouble scale;

  /*< private >*/
  gpointer padding[4];
} HoloFftSpec;

/**
 * HOLO_FFT_MAX_LENGTH:
 *
 * The longest axis: sizes inside the providers are int, and a line of prime length needs four times its size.
 *
 * Since: 0.1
 */
#define HOLO_FFT_MAX_LENGTH (G_GINT64_CONSTANT (1) << 28)

/**
 * HoloFft:
 *
 * A planned transform. Immutable: any number of threads may execute it at a time.
 *
 * Since: 0.1
 */
typedef struct _HoloFft HoloFft;

HOLO_API HoloFft *holo_fft_new (const HoloFftSpec *spec, GError **error);
HOLO_API void holo_fft_execute (HoloFft *fft, gconstpointer in, gpointer out);
HOLO_API void holo_fft_free (HoloFft *fft);
HOLO_API const gchar *holo_fft_get_provider_name (HoloFft *fft);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloFft, holo_fft_free)

/**
 * HoloFftProvider:
 * @name: what HOLOFLOW_FFT calls it
 * @license: SPDX identifier of the code behind it
 * @priority: the largest one is used unless HOLOFLOW_FFT names another; KissFFT has 0
 * @alignment: lines must start at multiples of this many bytes
 * @plan: prepares the transform of @n_lines dense lines of @length (>= 2) elements; any thread. Unscaled.
 * @get_scratch_size: (nullable): bytes of scratch memory for one @execute
 * @execute: transforms @n_lines lines from @in to @out, which differ; any number of threads at a time, each
 *   with a @scratch of its own, aligned as @alignment says
 * @free: frees a plan
 *
 * Code that transforms lines; static. Registered by holo_fft_register_provider().
 *
 * Since: 0.1
 */
typedef struct
{
  const gchar *name;
  const gchar *license;
  gint priority;
  gsize alignment;
  gpointer (*plan) (HoloDType dtype, gint length, gint n_lines, gboolean inverse, GError **error);
  gsize (*get_scratch_size) (gpointer plan);
  void (*execute) (gpointer plan, gconstpointer in, gpointer out, gpointer scratch);
  void (*free) (gpointer plan);

  gpointer padding[4];
} HoloFftProvider;

HOLO_API gboolean holo_fft_register_provider (const HoloFftProvider *provider, GError **error);
HOLO_API const HoloFftProvider *holo_fft_get_provider (GError **error);
HOLO_API GPtrArray *holo_fft_list_providers (void);

G_END_DECLS
