/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds FFT2 and IFFT2: Fourier transform of the trailing two axes; IFFT2 is FFT2 with another sign. */
#include "base/holo-define-type.h"
#include "base/holo-error.h"
#include "fft/holo-fft.h"
#include "task/holo-task-private.h"
#include "tasks/holo-axes.h"
#include "tasks/holo-builtin-kinds.h"

typedef enum
{
  NORM_BACKWARD,
  NORM_NONE, /* another name of backward */
  NORM_FORWARD,
  NORM_ORTHO,
} Norm;

HOLO_DEFINE_ENUM_TYPE (HoloFft2Norm, norm,
                       { NORM_BACKWARD, "the inverse is divided by the number of elements", "backward" },
                       { NORM_NONE, "another name of backward", "none" },
                       { NORM_FORWARD, "the forward transform is divided by it", "forward" },
                       { NORM_ORTHO, "both are divided by its square root", "ortho" })

typedef struct
{
  HoloSyncTaskFactory parent_instance;

  GArray *axes;
  gint norm;
} FFT2Settings;

typedef struct
{
  HoloFft *fft;
  gboolean packs; /* the input is strided: its elements are packed into the output and transformed there */
} FFT2State;

static gboolean
check_axes (const GArray *axes, guint rank, GError **error)
{
  guint set;

  if (axes == NULL || (_holo_axes_get_set (axes, rank, &set, NULL) && set == 3u << (rank - 2)))
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
               "setting \"axes\" must name the last two axes, [-2, -1] or [%u, %u]: only these are transformed",
               rank - 2, rank - 1);
  return FALSE;
}

static gboolean
check_lengths (const HoloTensorDesc *desc, GError **error)
{
  for (guint i = desc->rank - 2; i < desc->rank; i++)
    if (desc->shape[i] > HOLO_FFT_MAX_LENGTH)
      {
        g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                     "axis %u has %" G_GINT64_FORMAT " elements; a Fourier transform takes at most %" G_GINT64_FORMAT,
                     i, desc->shape[i], HOLO_FFT_MAX_LENGTH);
        return FALSE;
      }
  return TRUE;
}

static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);

  if (!check_axes (((FFT2Settings *) factory)->axes, input->rank, error) || !check_lengths (input, error))
    return FALSE;
  _holo_inference_offer_in_place (inference, _holo_inference_add_dense_output (inference, input->dtype), 0);
  inference->capture_safe = FALSE;
  return TRUE;
}

static gdouble
get_scale (Norm norm, gboolean inverse, gdouble n)
{
  if (norm == NORM_ORTHO)
    return 1.0 / sqrt (n);
  return inverse == (norm != NORM_FORWARD) ? 1.0 / n : 1.0;
}

static gboolean
set_up (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  FFT2State *state = holo_task_get_state (task);
  gboolean inverse = g_str_equal (holo_task_factory_get_kind (HOLO_TASK_FACTORY (factory)), "IFFT2");
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  gint64 height = input->shape[input->rank - 2], width = input->shape[input->rank - 1];
  gdouble n = (gdouble) MAX (height, 1) * (gdouble) MAX (width, 1);
  HoloFftSpec spec = {
    .dtype = input->dtype,
    .inverse = inverse,
    .n_axes = 2,
    .shape = { height, width },
    .batch = 1,
    .scale = get_scale (((FFT2Settings *) factory)->norm, inverse, n),
  };

  for (guint i = 0; i + 2 < input->rank; i++)
    spec.batch *= input->shape[i];
  state->packs = !holo_tensor_desc_is_dense (input);
  state->fft = holo_fft_new (&spec, error);
  return state->fft != NULL;
}

static HoloOpResult
execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  FFT2State *state = holo_task_get_state (task);
  gconstpointer in = holo_tensor_view_get_data (context->inputs[0]);
  gpointer out = holo_tensor_view_get_data (context->outputs[0]);

  if (state->packs)
    {
      holo_tensor_copy_elements (out, &context->outputs[0]->desc, in, &context->inputs[0]->desc);
      in = out;
    }
  holo_fft_execute (state->fft, in, out);
  return HOLO_OP_OK;
}

static void
clear (HoloTask *task)
{
  g_clear_pointer (&((FFT2State *) holo_task_get_state (task))->fft, holo_fft_free);
}

static void
declare (gpointer klass)
{
  holo_task_factory_class_set_example (klass, "{}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_COMPLEX, HOLO_MEM_LOCS_ANY, 2, HOLO_MAX_RANK,
                                     HOLO_SLOT_NONE, "pictures [..., H, W]; any strides");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_COMPLEX, HOLO_MEM_LOCS_ANY, 2, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "same shape and type, dense");
  holo_settings_install_int64_array (klass, "axes", "Axes to transform: the last two, which is also what unset means",
                                     NULL, -HOLO_MAX_RANK, HOLO_MAX_RANK - 1, HOLO_SETTING_NULLABLE,
                                     G_STRUCT_OFFSET (FFT2Settings, axes));
  holo_settings_install_enum (klass, "norm", "Which direction is divided by the number of elements", norm_get_type (),
                              NORM_BACKWARD, HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (FFT2Settings, norm));
}

static void
fft2_class_init (gpointer klass)
{
  declare (klass);
  holo_task_factory_class_set_description (
      klass, "Fourier transform of the last two axes",
      "`X[k, l] = scale * sum over m, n of x[m, n] * exp (-2 pi i (k m / H + l n / W))` for each picture of "
      "a tensor `[..., H, W]`, as `numpy.fft.fft2` gives it: the zero frequency is element `[0, 0]`, and "
      "nothing is scaled unless `norm` says so. H and W are at most 2^28 each; apart from that any size: powers "
      "of two, odd numbers and primes. Planned once, when the graph is compiled.\n\n"
      "`norm`: `backward` (default, also `none`): 1; `forward`: 1 / (H W); `ortho`: 1 / sqrt (H W).\n\n"
      "On the host FFTW transforms where its module is installed, otherwise KissFFT, which is always there; the "
      "environment variable `HOLOFLOW_FFT` chooses, and `holoflow list` shows what there is. On a CUDA device it is "
      "cuFFT. They differ in the last digits: no element of a result is off by more than 4e-6 (CF32) or 1e-12 (CF64) "
      "times the root mean square of all.");
}

static void
ifft2_class_init (gpointer klass)
{
  declare (klass);
  holo_task_factory_class_set_description (
      klass, "Inverse Fourier transform of the last two axes",
      "`x[m, n] = scale * sum over k, l of X[k, l] * exp (2 pi i (k m / H + l n / W))` for each picture of "
      "a tensor `[..., H, W]`, as `numpy.fft.ifft2` gives it: FFT2 and then IFFT2 with the same `norm` give "
      "the input back, but for rounding.\n\n"
      "`norm`: `backward` (default, also `none`): 1 / (H W); `forward`: 1; `ortho`: 1 / sqrt (H W).\n\n"
      "Sizes, providers and accuracy are those of [FFT2](FFT2.md).");
}

static const HoloSyncFunctions functions = {
  .state_size = sizeof (FFT2State),
  .infer = infer,
  .set_up = set_up,
  .execute = execute,
  .clear = clear,
};

HOLO_DEFINE_SYNC_KIND (fft2, "FFT2", FFT2Settings, functions)
HOLO_DEFINE_SYNC_KIND (ifft2, "IFFT2", FFT2Settings, functions)

gboolean holo_fft2_register (HoloRegistry *registry, GError **error);

gboolean
holo_fft2_register (HoloRegistry *registry, GError **error)
{
  return fft2_register (registry, error) && ifft2_register (registry, error);
}
