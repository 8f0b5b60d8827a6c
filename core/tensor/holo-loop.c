/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tensor/holo-loop.h"

#include <string.h>

/* ---- making ---- */

static gsize
get_alignment (HoloDType dtype)
{
  gsize size = holo_dtype_get_size (dtype);

  return holo_dtype_is_complex (dtype) ? size / 2 : size;
}

/* Byte stride of input dimension that meets output dimension @dim when shapes are aligned at the end; 0
 * repeats. */
static gint64
get_broadcast_stride (const HoloTensorDesc *input, guint dim, guint rank)
{
  gint own = (gint) dim - (gint) (rank - input->rank);

  return own < 0 || input->shape[own] == 1 ? 0 : input->strides[own];
}

/* The outer dimension continues where the inner one ends, in all operands. */
static gboolean
can_merge (const HoloLoop *loop, guint outer, const gint64 *inner_strides, gint64 inner_extent)
{
  for (guint i = 0; i < 1 + HOLO_LOOP_MAX_INPUTS; i++)
    if (loop->strides[outer][i] != inner_strides[i] * inner_extent)
      return FALSE;
  return TRUE;
}

static void
add_dim (HoloLoop *loop, gint64 extent, const gint64 *strides)
{
  if (extent == 1)
    return;
  if (loop->rank > 0 && can_merge (loop, loop->rank - 1, strides, extent))
    {
      loop->shape[loop->rank - 1] *= extent;
      memcpy (loop->strides[loop->rank - 1], strides, sizeof loop->strides[0]);
      return;
    }
  loop->shape[loop->rank] = extent;
  memcpy (loop->strides[loop->rank], strides, sizeof loop->strides[0]);
  loop->rank++;
}

static void
add_innermost_dim (HoloLoop *loop)
{
  loop->shape[loop->rank] = 1;
  loop->strides[loop->rank][0] = (gint64) loop->out_size;
  for (guint i = 0; i < HOLO_LOOP_MAX_INPUTS; i++)
    loop->strides[loop->rank][1 + i] = (gint64) loop->inputs[i].size;
  loop->rank++;
}

/**
 * _holo_loop_init:
 * @loop: (out caller-allocates): a loop
 * @func: the formula
 * @out: (nullable): the output, or %NULL when @func only reads
 * @a: the first input; broadcast to the shape of @out
 * @b: (nullable): the second
 */
void
_holo_loop_init (HoloLoop *loop, HoloRunFunc func, const HoloTensorDesc *out, const HoloTensorDesc *a,
                 const HoloTensorDesc *b)
{
  const HoloTensorDesc *shape = out != NULL ? out : a, *inputs[] = { a, b };

  *loop = (HoloLoop){ .func = func, .n_inputs = b != NULL ? 2 : 1, .is_empty = holo_tensor_desc_is_empty (shape) };
  if (out != NULL)
    loop->out_size = holo_dtype_get_size (out->dtype);
  for (guint i = 0; i < loop->n_inputs; i++)
    {
      loop->inputs[i].size = holo_dtype_get_size (inputs[i]->dtype);
      loop->inputs[i].alignment = get_alignment (inputs[i]->dtype);
    }
  for (guint dim = 0; dim < shape->rank; dim++)
    {
      gint64 strides[1 + HOLO_LOOP_MAX_INPUTS] = { out != NULL ? out->strides[dim] : 0 };

      for (guint i = 0; i < loop->n_inputs; i++)
        strides[1 + i] = get_broadcast_stride (inputs[i], dim, shape->rank);
      add_dim (loop, shape->shape[dim], strides);
    }
  /* A run is dense in the output: where the innermost dimension is not, a run is one element. */
  if (loop->rank == 0 || (out != NULL && loop->strides[loop->rank - 1][0] != (gint64) loop->out_size))
    add_innermost_dim (loop);
}

/**
 * _holo_loop_convert_input:
 * @loop: a loop
 * @index: an input
 * @from: its element type
 * @to: what the formula takes
 */
void
_holo_loop_convert_input (HoloLoop *loop, guint index, HoloDType from, HoloDType to)
{
  loop->inputs[index].converts = from != to;
  _holo_converter_init (&loop->inputs[index].converter, from, to, HOLO_COMPLEX_REAL);
}

/* ---- running ---- */

#define GATHER(bytes)                                                                                                  \
  for (gsize i = 0; i < n; i++)                                                                                        \
  memcpy ((guint8 *) tile + i * bytes, src + (gssize) i * stride, bytes)

static void
gather (gpointer tile, const guint8 *src, gint64 stride, gsize size, gsize n)
{
  switch (size)
    {
    case 1:
      GATHER (1);
      break;
    case 2:
      GATHER (2);
      break;
    case 4:
      GATHER (4);
      break;
    case 8:
      GATHER (8);
      break;
    default:
      GATHER (16);
      break;
    }
}

static gboolean
is_dense (const HoloLoopInput *input, const guint8 *src, gint64 stride)
{
  return stride == (gint64) input->size && ((guintptr) src & (input->alignment - 1)) == 0;
}

/* Where a part of an input can be read as the formula wants it: in place, or in a tile. */
static gconstpointer
prepare (const HoloLoopInput *input, const guint8 *src, gint64 stride, gsize n, gpointer raw_tile, gpointer tile)
{
  gconstpointer dense = src;

  if (!is_dense (input, src, stride))
    {
      gather (input->converts ? raw_tile : tile, src, stride, input->size, n);
      dense = input->converts ? raw_tile : tile;
    }
  if (!input->converts)
    return dense;
  _holo_converter_run (&input->converter, tile, dense, n);
  return tile;
}

/* The last dimension, in tiles. A repeated element fills its tile once. */
static void
run_tiles (const HoloLoop *loop, gpointer user_data, guint8 *out, const guint8 *const *in, const gint64 *strides,
           gsize n)
{
  gdouble raw_tile[HOLO_TILE_BYTES / sizeof (gdouble)];
  gdouble tiles[HOLO_LOOP_MAX_INPUTS][HOLO_TILE_BYTES / sizeof (gdouble)];
  gconstpointer ready[HOLO_LOOP_MAX_INPUTS] = { NULL, NULL };

  for (gsize done = 0; done < n; done += HOLO_TILE_ELEMENTS)
    {
      gsize m = MIN (n - done, HOLO_TILE_ELEMENTS);

      for (guint i = 0; i < loop->n_inputs; i++)
        if (done == 0 || strides[1 + i] != 0)
          ready[i] =
              prepare (&loop->inputs[i], in[i] + (gssize) done * strides[1 + i], strides[1 + i], m, raw_tile, tiles[i]);
      loop->func (user_data, out != NULL ? out + done * loop->out_size : NULL, ready, m);
    }
}

static void
run_line (const HoloLoop *loop, gpointer user_data, guint8 *out, const guint8 *const *in)
{
  const gint64 *strides = loop->strides[loop->rank - 1];
  gsize n = (gsize) loop->shape[loop->rank - 1];

  for (guint i = 0; i < loop->n_inputs; i++)
    if (loop->inputs[i].converts || !is_dense (&loop->inputs[i], in[i], strides[1 + i]))
      {
        run_tiles (loop, user_data, out, in, strides, n);
        return;
      }
  loop->func (user_data, out, (gconstpointer const *) in, n);
}

static void
run_dims (const HoloLoop *loop, gpointer user_data, guint dim, guint8 *out, const guint8 *const *in)
{
  const gint64 *strides = loop->strides[dim];

  if (dim == loop->rank - 1)
    {
      run_line (loop, user_data, out, in);
      return;
    }
  for (gint64 i = 0; i < loop->shape[dim]; i++)
    {
      const guint8 *at[HOLO_LOOP_MAX_INPUTS] = { in[0] + i * strides[1], in[1] };

      if (loop->n_inputs > 1)
        at[1] += i * strides[2];
      run_dims (loop, user_data, dim + 1, out != NULL ? out + i * strides[0] : NULL, at);
    }
}

/**
 * _holo_loop_run:
 * @loop: a loop
 * @user_data: for the formula
 * @out: (nullable): address of the first element of the output
 * @a: address of the first element of the first input; may equal @out where both have the same dense layout
 * @b: (nullable): of the second one
 */
void
_holo_loop_run (const HoloLoop *loop, gpointer user_data, gpointer out, gconstpointer a, gconstpointer b)
{
  const guint8 *in[HOLO_LOOP_MAX_INPUTS] = { a, b };

  if (!loop->is_empty)
    run_dims (loop, user_data, 0, out, in);
}
