/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds FFT2 and IFFT2: Fourier transform of the trailing two axes. */
#include <math.h>

#include "fft/holo-fft.h"
#include "base/holo-error.h"
#include "task/holo-settings.h"
#include "task/holo-sync-task.h"
#include "tasks/holo-builtin-kinds.h"

gboolean holo_fft2_register (HoloRegistry *registry, GError **error);

/* ---- the running task ---- */

#define HOLO_TYPE_FFT2_TASK (holo_fft2_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloFft2Task, holo_fft2_task, HOLO, FFT2_TASK, HoloSyncTask)

struct _HoloFft2Task
{
  HoloSyncTask parent_instance;

  HoloFft *fft;
  gboolean packs; /* the input is strided: its elements are packed into the output and transformed there */
};

G_DEFINE_FINAL_TYPE (HoloFft2Task, holo_fft2_task, HOLO_TYPE_SYNC_TASK)

static HoloOpResult
holo_fft2_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  HoloFft2Task *self = HOLO_FFT2_TASK (task);
  gconstpointer in = holo_tensor_view_get_data (context->inputs[0]);
  gpointer out = holo_tensor_view_get_data (context->outputs[0]);

  if (self->packs)
    {
      holo_tensor_copy_elements (out, &context->outputs[0]->desc, in, &context->inputs[0]->desc);
      in = out;
    }
  holo_fft_execute (self->fft, in, out);
  return HOLO_OP_OK;
}

static void
holo_fft2_task_finalize (GObject *object)
{
  g_clear_pointer (&HOLO_FFT2_TASK (object)->fft, holo_fft_free);
  G_OBJECT_CLASS (holo_fft2_task_parent_class)->finalize (object);
}

static void
holo_fft2_task_class_init (HoloFft2TaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_fft2_task_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = holo_fft2_task_execute;
}

static void
holo_fft2_task_init (HoloFft2Task *task)
{
}

/* ---- settings ---- */

typedef enum
{
  NORM_BACKWARD,
  NORM_NONE, /* another name of backward */
  NORM_FORWARD,
  NORM_ORTHO,
} Norm;

static GType
norm_get_type (void)
{
  static gsize type;
  static const GEnumValue values[] = {
    { NORM_BACKWARD, "backward", "backward" },
    { NORM_NONE, "none", "none" },
    { NORM_FORWARD, "forward", "forward" },
    { NORM_ORTHO, "ortho", "ortho" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("HoloFft2Norm", values));
  return type;
}

/* ---- the factories: IFFT2 is FFT2 with another sign ---- */

typedef struct
{
  HoloSyncTaskFactory parent_instance;

  GArray *axes;
  gint norm;
} HoloFft2Factory;

typedef struct
{
  HoloSyncTaskFactoryClass parent_class;

  gboolean inverse;
} HoloFft2FactoryClass;

typedef HoloFft2Factory HoloIfft2Factory;
typedef HoloFft2FactoryClass HoloIfft2FactoryClass;

static GType holo_fft2_factory_get_type (void);
static GType holo_ifft2_factory_get_type (void);
G_DEFINE_TYPE (HoloFft2Factory, holo_fft2_factory, HOLO_TYPE_SYNC_TASK_FACTORY)
G_DEFINE_TYPE (HoloIfft2Factory, holo_ifft2_factory, holo_fft2_factory_get_type ())

static gboolean
check_axes (const GArray *axes, guint rank, GError **error)
{
  guint seen = 0;

  if (axes == NULL)
    return TRUE;
  for (guint i = 0; i < axes->len; i++)
    {
      gint64 axis = g_array_index (axes, gint64, i), from_end = axis < 0 ? -axis : (gint64) rank - axis;

      if (from_end == 1 || from_end == 2)
        seen |= 1u << from_end;
    }
  if (axes->len == 2 && seen == ((1u << 1) | (1u << 2)))
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
holo_fft2_factory_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloFft2Factory *self = (HoloFft2Factory *) factory;
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  HoloInferredOutput *output;
  HoloTensorDesc desc;

  if (!check_axes (self->axes, input->rank, error) || !check_lengths (input, error))
    return FALSE;
  output = holo_inference_add_output (inference, holo_tensor_desc_init_dense_like (&desc, input));
  if (holo_tensor_desc_is_dense (input) && input->offset == 0)
    {
      output->in_place = HOLO_IN_PLACE_MAY;
      output->in_place_input = 0;
    }
  inference->stateful = FALSE;
  return TRUE;
}

static gdouble
get_scale (Norm norm, gboolean inverse, gdouble n)
{
  if (norm == NORM_ORTHO)
    return 1.0 / sqrt (n);
  return inverse == (norm != NORM_FORWARD) ? 1.0 / n : 1.0;
}

static HoloSyncTask *
holo_fft2_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                          const HoloSyncCreateContext *context, GError **error)
{
  HoloFft2Factory *self = (HoloFft2Factory *) factory;
  gboolean inverse = G_TYPE_INSTANCE_GET_CLASS (factory, 0, HoloFft2FactoryClass)->inverse;
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  gint64 height = input->shape[input->rank - 2], width = input->shape[input->rank - 1];
  HoloFftSpec spec = {
    .dtype = input->dtype,
    .inverse = inverse,
    .n_axes = 2,
    .shape = { height, width },
    .batch = 1,
    .scale = get_scale (self->norm, inverse, (gdouble) MAX (height, 1) * (gdouble) MAX (width, 1)),
  };
  HoloFft2Task *task;
  HoloFft *fft;

  for (guint i = 0; i + 2 < input->rank; i++)
    spec.batch *= input->shape[i];
  fft = holo_fft_new (&spec, error);
  if (fft == NULL)
    return NULL;
  task = g_object_new (HOLO_TYPE_FFT2_TASK, NULL);
  task->fft = fft;
  task->packs = !holo_tensor_desc_is_dense (input);
  return HOLO_SYNC_TASK (task);
}

static void
holo_fft2_factory_class_init (HoloFft2FactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = holo_fft2_factory_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = holo_fft2_factory_create;

  holo_task_factory_class_set_description (
      klass, "Fourier transform of the last two axes",
      "`X[k, l] = scale * sum over m, n of x[m, n] * exp (-2 pi i (k m / H + l n / W))` for each picture of "
      "a tensor `[..., H, W]`, as `numpy.fft.fft2` gives it: the zero frequency is element `[0, 0]`, and "
      "nothing is scaled unless `norm` says so. Any size: powers of two, odd numbers and primes. Planned "
      "once, when the graph is compiled.\n\n"
      "`norm`: `backward` (default, also `none`): 1; `forward`: 1 / (H W); `ortho`: 1 / sqrt (H W).");
  holo_task_factory_class_set_example (klass, "{}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_COMPLEX, HOLO_MEM_LOCS_ANY, 2, HOLO_MAX_RANK,
                                     HOLO_SLOT_NONE, "pictures [..., H, W]; any strides");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_COMPLEX, HOLO_MEM_LOCS_ANY, 2, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "same shape and type, dense");
  holo_settings_install_int64_array (klass, "axes", "Axes to transform: the last two, which is also what unset means",
                                     NULL, -HOLO_MAX_RANK, HOLO_MAX_RANK - 1, HOLO_SETTING_NULLABLE,
                                     G_STRUCT_OFFSET (HoloFft2Factory, axes));
  holo_settings_install_enum (klass, "norm", "Which direction is divided by the number of elements", norm_get_type (),
                              NORM_BACKWARD, HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (HoloFft2Factory, norm));
}

static void
holo_fft2_factory_init (HoloFft2Factory *factory)
{
}

static void
holo_ifft2_factory_class_init (HoloIfft2FactoryClass *klass)
{
  klass->inverse = TRUE;
  holo_task_factory_class_set_description (
      klass, "Inverse Fourier transform of the last two axes",
      "`x[m, n] = scale * sum over k, l of X[k, l] * exp (2 pi i (k m / H + l n / W))` for each picture of "
      "a tensor `[..., H, W]`, as `numpy.fft.ifft2` gives it: FFT2 and then IFFT2 with the same `norm` give "
      "the input back.\n\n"
      "`norm`: `backward` (default, also `none`): 1 / (H W); `forward`: 1; `ortho`: 1 / sqrt (H W).");
  holo_task_factory_class_set_example (klass, "{}");
}

static void
holo_ifft2_factory_init (HoloIfft2Factory *factory)
{
}

gboolean
holo_fft2_register (HoloRegistry *registry, GError **error)
{
  return holo_registry_register_sync (registry, "FFT2", holo_fft2_factory_get_type (), error) &&
         holo_registry_register_sync (registry, "IFFT2", holo_ifft2_factory_get_type (), error);
}
