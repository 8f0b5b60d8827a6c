/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tensor/holo-roll.h"

/* @block is cut along @dim in two: what stays below the end, and what comes round. */
static void
add_blocks (GArray *blocks, HoloRollBlock block, guint dim, const gint64 *shifts)
{
  gint64 extent, shift;

  if (dim == block.in.rank)
    {
      g_array_append_val (blocks, block);
      return;
    }
  extent = block.in.shape[dim];
  shift = (shifts[dim] % extent + extent) % extent;
  if (shift > 0)
    {
      HoloRollBlock round = block;

      round.in.shape[dim] = round.out.shape[dim] = shift;
      round.in.offset += (extent - shift) * round.in.strides[dim];
      add_blocks (blocks, round, dim + 1, shifts);
    }
  block.in.shape[dim] = block.out.shape[dim] = extent - shift;
  block.out.offset += shift * block.out.strides[dim];
  add_blocks (blocks, block, dim + 1, shifts);
}

GArray *
_holo_roll_get_blocks (const HoloTensorDesc *in, const HoloTensorDesc *out, const gint64 *shifts)
{
  GArray *blocks = g_array_new (FALSE, FALSE, sizeof (HoloRollBlock));
  HoloRollBlock whole = { *in, *out };

  whole.in.offset = whole.out.offset = 0;
  if (!holo_tensor_desc_is_empty (in))
    add_blocks (blocks, whole, 0, shifts);
  return blocks;
}
