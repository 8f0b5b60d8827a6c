/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The smallest and the largest finite element of a tensor. */
#pragma once

#include "tensor/holo-loop.h"

/**
 * HoloRange:
 * @loop: over the tensor
 * @dtype: F32 or F64: what its elements are read as
 * @lo: the smallest finite element found last, 0 where there is none
 * @hi: the largest one
 *
 * Plain value, made once in set_up().
 */
typedef struct
{
  HoloLoop loop;
  HoloDType dtype;
  gdouble lo, hi;
} HoloRange;

/* @desc: of real elements. */
void _holo_range_init (HoloRange *range, const HoloTensorDesc *desc);
void _holo_range_find (HoloRange *range, gconstpointer data);
