/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/holo-error.h"
#include "tensor/holo-roll.h"
#include "task/holo-task-factory.h"
#include "tasks/holo-builtin-kinds.h"

#define HOLO_TYPE_FFT_SHIFT_FACTORY (holo_fft_shift_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloFFTShiftFactory, holo_fft_shift_factory, HOLO, FFT_SHIFT_FACTORY, HoloSyncTaskFactory)

struct _HoloFFTShiftFactory
{
  HoloSyncTaskFactory parent_instance;

  GArray *axes;
  gboolean inverse;
};

G_DEFINE_FINAL_TYPE (HoloFFTShiftFactory, holo_fft_shift_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

/* ---- task ---- */

#define HOLO_TYPE_FFT_SHIFT_TASK (holo_fft_shift_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloFFTShiftTask, holo_fft_shift_task, HOLO, FFT_SHIFT_TASK, HoloSyncTask)

struct _HoloFFTShiftTask
{
  HoloSyncTask parent_instance;

  GArray *blocks;
};

G_DEFINE_FINAL_TYPE (HoloFFTShiftTask, holo_fft_shift_task, HOLO_TYPE_SYNC_TASK)

static HoloOpResult
holo_fft_shift_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  GArray *blocks = HOLO_FFT_SHIFT_TASK (task)->blocks;

  for (guint i = 0; i < blocks->len; i++)
    {
      const HoloRollBlock *block = &g_array_index (blocks, HoloRollBlock, i);
      guint8 *out = holo_tensor_view_get_data (context->outputs[0]);
      const guint8 *in = holo_tensor_view_get_data (context->inputs[0]);

      holo_tensor_copy_elements (out + block->out.offset, &block->out, in + block->in.offset, &block->in);
    }
  return HOLO_OP_OK;
}

static void
holo_fft_shift_task_finalize (GObject *object)
{
  g_array_unref (HOLO_FFT_SHIFT_TASK (object)->blocks);
  G_OBJECT_CLASS (holo_fft_shift_task_parent_class)->finalize (object);
}

static void
holo_fft_shift_task_class_init (HoloFFTShiftTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_fft_shift_task_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = holo_fft_shift_task_execute;
}

static void
holo_fft_shift_task_init (HoloFFTShiftTask *self)
{
}

/* ---- factory ---- */

static gboolean
get_shifts (HoloFFTShiftFactory *self, const HoloTensorDesc *desc, gint64 *shifts, GError **error)
{
  gint64 rank = desc->rank;
  gboolean is_shifted[HOLO_MAX_RANK] = { FALSE };

  for (guint i = 0; self->axes != NULL && i < self->axes->len; i++)
    {
      gint64 axis = g_array_index (self->axes, gint64, i), dim = axis < 0 ? axis + rank : axis;

      if (dim < 0 || dim >= rank)
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                       "axes: %" G_GINT64_FORMAT " is not a dimension of a tensor of rank %" G_GINT64_FORMAT, axis,
                       rank);
          return FALSE;
        }
      if (is_shifted[dim])
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                       "axes: dimension %" G_GINT64_FORMAT " is named twice; name each once", dim);
          return FALSE;
        }
      is_shifted[dim] = TRUE;
    }
  for (gint64 dim = 0; dim < rank; dim++)
    {
      gint64 half = desc->shape[dim] / 2;

      shifts[dim] = self->axes != NULL && !is_shifted[dim] ? 0 : self->inverse ? -half : half;
    }
  return TRUE;
}

static gboolean
holo_fft_shift_factory_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  HoloTensorDesc desc;
  gint64 shifts[HOLO_MAX_RANK];

  if (!get_shifts (HOLO_FFT_SHIFT_FACTORY (factory), input, shifts, error))
    return FALSE;
  holo_tensor_desc_init_dense_like (&desc, input);
  holo_inference_add_output (inference, &desc);
  inference->stateful = FALSE;
  inference->capture_safe = input->mem_loc == HOLO_MEM_LOC_DEVICE;
  return TRUE;
}

static HoloSyncTask *
holo_fft_shift_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                               const HoloSyncCreateContext *context, GError **error)
{
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  HoloFFTShiftTask *self;
  gint64 shifts[HOLO_MAX_RANK];

  if (!get_shifts (HOLO_FFT_SHIFT_FACTORY (factory), input, shifts, error))
    return NULL;
  self = g_object_new (HOLO_TYPE_FFT_SHIFT_TASK, NULL);
  self->blocks = _holo_roll_get_blocks (input, holo_inference_get_output_desc (inference, 0), shifts);
  return HOLO_SYNC_TASK (self);
}

static void
holo_fft_shift_factory_class_init (HoloFFTShiftFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = holo_fft_shift_factory_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = holo_fft_shift_factory_create;
  holo_task_factory_class_set_description (
      klass, "Moves the zero frequency of a spectrum from its corner to its middle",
      "Element i of a dimension of extent n goes to `(i + floor (n/2)) mod n`, as NumPy's `fftshift`:\n"
      "[0,1,2,3,4] becomes [3,4,0,1,2]. With `inverse` it goes to `(i - floor (n/2)) mod n`, as\n"
      "`ifftshift`: at odd extents the two differ, and one undoes the other.\n\n"
      "Any element type. The original's name `FFTShiftNp` is another name of this kind.");
  holo_task_factory_class_set_example (klass, "{\"axes\": [-2, -1]}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "any layout");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "type, shape and place of the input, dense");
  holo_settings_install_int64_array (
      klass, "axes", "Dimensions to shift, each once; negative ones count from the end; unset: all", NULL,
      -HOLO_MAX_RANK, HOLO_MAX_RANK - 1, HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (HoloFFTShiftFactory, axes));
  holo_settings_install_boolean (klass, "inverse", "Move it back from the middle to the corner", FALSE,
                                 HOLO_SETTING_NONE, G_STRUCT_OFFSET (HoloFFTShiftFactory, inverse));
}

static void
holo_fft_shift_factory_init (HoloFFTShiftFactory *self)
{
}

gboolean holo_fft_shift_register (HoloRegistry *registry, GError **error);

gboolean
holo_fft_shift_register (HoloRegistry *registry, GError **error)
{
  return holo_registry_register_sync (registry, "FFTShift", HOLO_TYPE_FFT_SHIFT_FACTORY, error) &&
         holo_registry_register_alias (registry, "FFTShiftNp", "FFTShift", error);
}
