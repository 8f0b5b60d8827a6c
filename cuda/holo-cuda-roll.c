/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tensors whose elements move round along some dimensions. */
#include "holo-cuda-roll.h"

typedef struct
{
  GArray *pieces;
  const gint64 *shifts;
  gboolean has_weights;
} Roll;

typedef struct
{
  HoloTensorDesc out, in, weights;
  HoloCudaPiece piece;
} Cut;

static void
set_extent (Cut *cut, guint dim, gint64 extent)
{
  cut->out.shape[dim] = cut->in.shape[dim] = cut->weights.shape[dim] = extent;
}

/* Cut along @dim in two: what stays below the end, and what comes round. */
static void
add_pieces (const Roll *roll, Cut cut, guint dim)
{
  gint64 extent, shift;

  if (dim == cut.in.rank)
    {
      holo_cuda_loop_init (&cut.piece.loop, &cut.out, &cut.in, roll->has_weights ? &cut.weights : NULL);
      g_array_append_val (roll->pieces, cut.piece);
      return;
    }
  extent = cut.in.shape[dim];
  shift = extent > 0 ? (roll->shifts[dim] % extent + extent) % extent : 0;
  if (shift > 0)
    {
      Cut round = cut;

      set_extent (&round, dim, shift);
      round.piece.in_offset += (extent - shift) * round.in.strides[dim];
      add_pieces (roll, round, dim + 1);
    }
  set_extent (&cut, dim, extent - shift);
  cut.piece.out_offset += shift * cut.out.strides[dim];
  cut.piece.weights_offset += shift * cut.weights.strides[dim];
  add_pieces (roll, cut, dim + 1);
}

/**
 * holo_cuda_roll:
 * @out: where the elements go
 * @in: where they come from; the same shape
 * @weights: (nullable): a second input, which lies like the output and is not moved
 * @shifts: how far they move up along each dimension; what leaves at the end comes in at the start
 *
 * Returns: (transfer full) (element-type HoloCudaPiece): what to copy
 */
GArray *
holo_cuda_roll (const HoloTensorDesc *out, const HoloTensorDesc *in, const HoloTensorDesc *weights,
                const gint64 *shifts)
{
  Roll roll = { g_array_new (FALSE, FALSE, sizeof (HoloCudaPiece)), shifts, weights != NULL };
  Cut whole = { .out = *out, .in = *in, .weights = weights != NULL ? *weights : *out };

  if (!holo_tensor_desc_is_empty (in))
    add_pieces (&roll, whole, 0);
  return roll.pieces;
}
