/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tasks/holo-axes.h"

#include "base/holo-error.h"

gboolean
_holo_axes_get_set (const GArray *axes, guint rank, guint *set, GError **error)
{
  *set = 0;
  for (guint i = 0; i < axes->len; i++)
    {
      gint64 axis = g_array_index (axes, gint64, i), dim = axis < 0 ? axis + rank : axis;

      if (dim < 0 || dim >= rank)
        g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                     "axes: %" G_GINT64_FORMAT " is not a dimension of a tensor of rank %u", axis, rank);
      else if (*set & 1u << dim)
        g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                     "axes: dimension %" G_GINT64_FORMAT " is named twice; name each once", dim);
      else
        {
          *set |= 1u << dim;
          continue;
        }
      return FALSE;
    }
  return TRUE;
}
