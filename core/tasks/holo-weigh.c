/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tasks/holo-weigh.h"

#include "base/holo-types.h"

#define DEFINE_WEIGH(name, type)                                                                                       \
  void name (gpointer unused, gpointer out, gconstpointer const *in, gsize n)                                          \
  {                                                                                                                    \
    const type *src = in[0], *weights = in[1];                                                                         \
    type *dst = out;                                                                                                   \
                                                                                                                       \
    HOLO_INDEPENDENT                                                                                                   \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        type weight = weights[i];                                                                                      \
                                                                                                                       \
        dst[2 * i] = src[2 * i] * weight;                                                                              \
        dst[2 * i + 1] = src[2 * i + 1] * weight;                                                                      \
      }                                                                                                                \
  }

DEFINE_WEIGH (_holo_weigh_cf32, gfloat)
DEFINE_WEIGH (_holo_weigh_cf64, gdouble)
