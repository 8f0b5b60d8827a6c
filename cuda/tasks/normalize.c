/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Normalize on the device. */
#include "holo-cuda-kinds.h"
#include "holo-cuda-range.h"

gboolean
holo_cuda_set_up_normalize (HoloCudaTask *task, HoloTaskFactory *factory, const HoloInference *inference,
                            const HoloSyncCreateContext *context, GError **error)
{
  guint rank = holo_inference_get_input_desc (inference, 0)->rank, n_outer = 0;
  gdouble minimum, maximum;
  GArray *axes = NULL;

  g_object_get (factory, "minimum", &minimum, "maximum", &maximum, "axes", &axes, NULL);
  if (axes != NULL)
    {
      n_outer = rank - axes->len;
      g_array_unref (axes);
    }
  return holo_cuda_task_set_range (task, inference, n_outer, TRUE, minimum, maximum, error);
}
