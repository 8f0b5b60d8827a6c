/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Conversion on the device: element by element, or (Scaled) with the range of the tensor first. */
#include "holo-cuda-kinds.h"
#include "holo-cuda-range.h"

/* Of the kind's strategies. */
enum
{
  STRATEGY_REAL,
  STRATEGY_SCALED,
  STRATEGY_MODULUS,
  STRATEGY_ARGUMENT,
};

static gdouble
get_largest (HoloDType dtype)
{
  static const gdouble largest[HOLO_N_DTYPES] = {
    [HOLO_DTYPE_U8] = G_MAXUINT8,  [HOLO_DTYPE_I8] = G_MAXINT8,    [HOLO_DTYPE_U16] = G_MAXUINT16,
    [HOLO_DTYPE_I16] = G_MAXINT16, [HOLO_DTYPE_U32] = G_MAXUINT32, [HOLO_DTYPE_I32] = G_MAXINT32,
    [HOLO_DTYPE_U64] = 0x1p64,     [HOLO_DTYPE_I64] = 0x1p63,
  };

  return largest[dtype];
}

gboolean
holo_cuda_set_up_conversion (HoloCudaTask *task, HoloTaskFactory *factory, const HoloInference *inference,
                             const HoloSyncCreateContext *context, GError **error)
{
  static const int parts[] = {
    [STRATEGY_REAL] = 0, [STRATEGY_SCALED] = 0, [STRATEGY_MODULUS] = 1, [STRATEGY_ARGUMENT] = 2
  };
  HoloDType target = holo_inference_get_output_desc (inference, 0)->dtype;
  gint strategy = STRATEGY_REAL;

  if (holo_settings_is_set (factory, "strategy"))
    g_object_get (factory, "strategy", &strategy, NULL);
  if (strategy == STRATEGY_SCALED)
    return holo_cuda_task_set_range (task, inference, 0, FALSE, 0, get_largest (target), error);
  holo_cuda_task_set_map (task, inference, holo_cuda_conversion, parts[strategy]);
  return TRUE;
}
