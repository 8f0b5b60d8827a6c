/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tensor/holo-roll.h"
#include "task/holo-task-private.h"
#include "tasks/holo-axes.h"
#include "tasks/holo-builtin-kinds.h"

typedef struct
{
  HoloSyncTaskFactory parent_instance;

  GArray *axes;
  gboolean inverse;
} FFTShiftSettings;

typedef struct
{
  GArray *blocks;
} FFTShiftState;

static gboolean
get_shifts (gpointer factory, const HoloTensorDesc *desc, gint64 *shifts, GError **error)
{
  const FFTShiftSettings *settings = factory;
  guint set = (1u << desc->rank) - 1;

  if (settings->axes != NULL && !_holo_axes_get_set (settings->axes, desc->rank, &set, error))
    return FALSE;
  for (guint dim = 0; dim < desc->rank; dim++)
    shifts[dim] = set & 1u << dim ? desc->shape[dim] / 2 * (settings->inverse ? -1 : 1) : 0;
  return TRUE;
}

static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  gint64 shifts[HOLO_MAX_RANK];

  _holo_inference_add_dense_output (inference, input->dtype);
  return get_shifts (factory, input, shifts, error);
}

static gboolean
set_up (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  FFTShiftState *state = holo_task_get_state (task);
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  gint64 shifts[HOLO_MAX_RANK];

  if (!get_shifts (factory, input, shifts, error))
    return FALSE;
  state->blocks = _holo_roll_get_blocks (input, holo_inference_get_output_desc (inference, 0), shifts);
  return TRUE;
}

static HoloOpResult
execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  GArray *blocks = ((FFTShiftState *) holo_task_get_state (task))->blocks;
  guint8 *out = holo_tensor_view_get_data (context->outputs[0]);
  const guint8 *in = holo_tensor_view_get_data (context->inputs[0]);

  for (guint i = 0; i < blocks->len; i++)
    {
      const HoloRollBlock *block = &g_array_index (blocks, HoloRollBlock, i);

      holo_tensor_copy_elements (out + block->out.offset, &block->out, in + block->in.offset, &block->in);
    }
  return HOLO_OP_OK;
}

static void
clear (HoloTask *task)
{
  g_clear_pointer (&((FFTShiftState *) holo_task_get_state (task))->blocks, g_array_unref);
}

static void
fft_shift_class_init (gpointer klass)
{
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
      -HOLO_MAX_RANK, HOLO_MAX_RANK - 1, HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (FFTShiftSettings, axes));
  holo_settings_install_boolean (klass, "inverse", "Move it back from the middle to the corner", FALSE,
                                 HOLO_SETTING_NONE, G_STRUCT_OFFSET (FFTShiftSettings, inverse));
}

static const HoloSyncFunctions functions = {
  .state_size = sizeof (FFTShiftState),
  .infer = infer,
  .set_up = set_up,
  .execute = execute,
  .clear = clear,
};

HOLO_DEFINE_SYNC_KIND (fft_shift, "FFTShift", FFTShiftSettings, functions)

gboolean holo_fft_shift_register (HoloRegistry *registry, GError **error);

gboolean
holo_fft_shift_register (HoloRegistry *registry, GError **error)
{
  return fft_shift_register (registry, error) &&
         holo_registry_register_alias (registry, "FFTShiftNp", "FFTShift", error);
}
