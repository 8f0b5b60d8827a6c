/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-cuda-loop.h"

G_BEGIN_DECLS

/**
 * HoloCudaPiece:
 *
 * A part of a tensor that is copied in one go, with where it starts in the output, in the input and in the
 * weights.
 */
typedef struct
{
  HoloCudaLoop loop;
  gint64 out_offset;
  gint64 in_offset;
  gint64 weights_offset;
} HoloCudaPiece;

GArray *holo_cuda_roll (const HoloTensorDesc *out, const HoloTensorDesc *in, const HoloTensorDesc *weights,
                        const gint64 *shifts);

G_END_DECLS
