/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cyclic shifts, cut into the blocks that move as a whole. */
#pragma once

#include "tensor/holo-tensor-desc.h"

/**
 * HoloRollBlock:
 * @in: the block in the input; @in.offset is from the first element of the tensor
 * @out: where it goes in the output, likewise
 */
typedef struct
{
  HoloTensorDesc in;
  HoloTensorDesc out;
} HoloRollBlock;

/* Blocks (HoloRollBlock) of the shift that moves element i of each dimension to (i + shift) mod extent;
 * @shifts may be negative. Both descriptions have the same shape, which may be empty. */
GArray *_holo_roll_get_blocks (const HoloTensorDesc *in, const HoloTensorDesc *out, const gint64 *shifts);
