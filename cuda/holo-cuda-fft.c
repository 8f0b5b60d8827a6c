/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-cuda-fft.h"

#include <gmodule.h>

#include "holo-cuda-work-area.h"

/* What is needed of cuFFT's interface; the values have not changed since its first version. */
#define CUFFT_C2C     0x29
#define CUFFT_Z2Z     0x69
#define CUFFT_FORWARD (-1)
#define CUFFT_INVERSE 1

typedef struct
{
  int (*create) (int *plan);
  int (*destroy) (int plan);
  int (*set_auto_allocation) (int plan, int on);
  int (*make) (int plan, int rank, long long *n, long long *in_embed, long long in_stride, long long in_distance,
               long long *out_embed, long long out_stride, long long out_distance, int type, long long batch,
               size_t *work_size);
  int (*set_work_area) (int plan, void *area);
  int (*set_stream) (int plan, cudaStream_t stream);
  int (*execute_single) (int plan, void *in, void *out, int direction);
  int (*execute_double) (int plan, void *in, void *out, int direction);
} Cufft;

struct _HoloCudaFft
{
  HoloCudaDevice *device; /* the task's */
  const Cufft *cufft;
  int plan;
  gboolean has_plan;
  gboolean is_double;
  HoloCudaWorkArea *work;
};

/* ---- the library ---- */

static GModule *
open_library (void)
{
  static const gchar *const names[] = {
    "libcufft.so.12",
    "libcufft.so.11",
    "/usr/local/cuda/lib64/libcufft.so.12",
    "/usr/local/cuda/lib64/libcufft.so.11",
  };
  GModule *module = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names) && module == NULL; i++)
    module = g_module_open (names[i], G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  return module;
}

static gboolean
find_functions (GModule *module, Cufft *cufft)
{
  return g_module_symbol (module, "cufftCreate", (gpointer *) &cufft->create) &&
         g_module_symbol (module, "cufftDestroy", (gpointer *) &cufft->destroy) &&
         g_module_symbol (module, "cufftSetAutoAllocation", (gpointer *) &cufft->set_auto_allocation) &&
         g_module_symbol (module, "cufftMakePlanMany64", (gpointer *) &cufft->make) &&
         g_module_symbol (module, "cufftSetWorkArea", (gpointer *) &cufft->set_work_area) &&
         g_module_symbol (module, "cufftSetStream", (gpointer *) &cufft->set_stream) &&
         g_module_symbol (module, "cufftExecC2C", (gpointer *) &cufft->execute_single) &&
         g_module_symbol (module, "cufftExecZ2Z", (gpointer *) &cufft->execute_double);
}

static const Cufft *
get_cufft (GError **error)
{
  static GMutex lock;
  static Cufft cufft;
  static gboolean is_found;
  gboolean ok;

  g_mutex_lock (&lock);
  if (!is_found)
    {
      GModule *module = open_library ();

      is_found = module != NULL && find_functions (module, &cufft);
      if (is_found)
        g_module_make_resident (module);
      if (module != NULL)
        g_module_close (module);
    }
  ok = is_found;
  g_mutex_unlock (&lock);
  if (!ok)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED,
                 "Fourier transforms on the device need cuFFT, which was not found: install libcufft.so.12 (or .11) "
                 "where the loader looks, or put a Memcpy with target Host before the transform");
  return ok ? &cufft : NULL;
}

static gboolean
check (HoloCudaFft *fft, int result, const gchar *call, GError **error)
{
  if (result == 0)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "%s: %s failed: cuFFT error %d",
               holo_cuda_device_get_name (fft->device), call, result);
  return FALSE;
}

/* ---- plans ---- */

static gboolean
make_plan (HoloCudaFft *fft, cudaStream_t stream, gint64 height, gint64 width, gint64 batch, GError **error)
{
  long long n[2] = { height, width };
  size_t work_size = 0;

  if (!check (fft, fft->cufft->create (&fft->plan), "cufftCreate", error))
    return FALSE;
  fft->has_plan = TRUE;
  if (!check (fft, fft->cufft->set_auto_allocation (fft->plan, 0), "cufftSetAutoAllocation", error) ||
      !check (fft,
              fft->cufft->make (fft->plan, 2, n, NULL, 1, height * width, NULL, 1, height * width,
                                fft->is_double ? CUFFT_Z2Z : CUFFT_C2C, batch, &work_size),
              "cufftMakePlanMany64", error))
    return FALSE;
  fft->work = holo_cuda_work_area_get (fft->device, stream, work_size, error);
  return fft->work != NULL &&
         check (fft, fft->cufft->set_work_area (fft->plan, fft->work->data), "cufftSetWorkArea", error) &&
         check (fft, fft->cufft->set_stream (fft->plan, stream), "cufftSetStream", error);
}

/**
 * holo_cuda_fft_new:
 * @device: a device, whose context is entered
 * @stream: where it will run
 * @dtype: CF32 or CF64
 * @height: rows of a picture
 * @width: columns
 * @batch: pictures, one behind the other
 * @error: return location
 *
 * Returns: (nullable): transforms of both directions; the plan is made here, and the work area unless the stream has one
 */
HoloCudaFft *
holo_cuda_fft_new (HoloCudaDevice *device, cudaStream_t stream, HoloDType dtype, gint64 height, gint64 width,
                   gint64 batch, GError **error)
{
  HoloCudaFft *fft;
  const Cufft *cufft = get_cufft (error);

  if (cufft == NULL)
    return NULL;
  fft = g_new0 (HoloCudaFft, 1);
  fft->device = device;
  fft->cufft = cufft;
  fft->is_double = dtype == HOLO_DTYPE_CF64;
  if (make_plan (fft, stream, height, width, batch, error))
    return fft;
  holo_cuda_fft_free (fft);
  return NULL;
}

gboolean
holo_cuda_fft_execute (HoloCudaFft *fft, gpointer in, gpointer out, gboolean inverse, GError **error)
{
  int direction = inverse ? CUFFT_INVERSE : CUFFT_FORWARD;

  if (fft->is_double)
    return check (fft, fft->cufft->execute_double (fft->plan, in, out, direction), "cufftExecZ2Z", error);
  return check (fft, fft->cufft->execute_single (fft->plan, in, out, direction), "cufftExecC2C", error);
}

void
holo_cuda_fft_free (HoloCudaFft *fft)
{
  if (fft->has_plan)
    fft->cufft->destroy (fft->plan);
  g_clear_pointer (&fft->work, holo_cuda_work_area_unref);
  g_free (fft);
}

/* Where its intermediate numbers lie; for tests. */
gconstpointer
holo_cuda_fft_get_work_area (HoloCudaFft *fft)
{
  return fft->work->data;
}
