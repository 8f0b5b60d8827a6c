/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks host tensors of any strides in dense runs, so that the formula of an element-wise kind is a plain
 * loop. */
#pragma once

#include "tensor/holo-convert.h"
#include "tensor/holo-tensor-desc.h"

#define HOLO_LOOP_MAX_INPUTS 2

/* One dense run: @n elements of each input and of the output; aligned. */
typedef void (*HoloRunFunc) (gpointer user_data, gpointer out, gconstpointer const *in, gsize n);

typedef struct
{
  gsize size; /* of one element as it lies in memory */
  gsize alignment;
  gboolean converts;
  HoloConverter converter; /* to the type that the formula takes */
} HoloLoopInput;

/**
 * HoloLoop:
 *
 * How to walk one output and up to two inputs. Dimensions that lie one behind the other in all of them are
 * one, so that dense tensors of equal shape are a single run. Inputs that are strided, misaligned, repeated
 * (stride 0) or of another type are gathered tile by tile into the cache. Plain value, made once in create().
 */
typedef struct
{
  HoloRunFunc func;
  guint n_inputs;
  HoloLoopInput inputs[HOLO_LOOP_MAX_INPUTS];
  gsize out_size; /* 0: there is no output */
  gboolean is_empty;
  guint rank; /* at least 1 unless empty */
  gint64 shape[HOLO_MAX_RANK + 1];
  gint64 strides[HOLO_MAX_RANK + 1][1 + HOLO_LOOP_MAX_INPUTS]; /* the output's, then those of the inputs; bytes */
} HoloLoop;

void _holo_loop_init (HoloLoop *loop, HoloRunFunc func, const HoloTensorDesc *out, const HoloTensorDesc *a,
                      const HoloTensorDesc *b);
void _holo_loop_convert_input (HoloLoop *loop, guint index, HoloDType from, HoloDType to);
void _holo_loop_run (const HoloLoop *loop, gpointer user_data, gpointer out, gconstpointer a, gconstpointer b);
