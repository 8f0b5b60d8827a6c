/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Element types into each other: the rules of kind Conversion, on dense runs. See convert.c for the loops. */
#pragma once

#include "tensor/holo-dtype.h"

/* Elements that are worked on at a time where they are not dense: what fits the first-level cache. */
#define HOLO_TILE_ELEMENTS 256
#define HOLO_TILE_BYTES    (HOLO_TILE_ELEMENTS * 16)

/* @out and @in hold @n dense, aligned elements; they may be equal when the sizes are. */
typedef void (*HoloConvertFunc) (gpointer out, gconstpointer in, gsize n);

/**
 * HoloComplexPart:
 *
 * What is left of a complex number in a real one.
 */
typedef enum
{
  HOLO_COMPLEX_REAL,
  HOLO_COMPLEX_MODULUS,  /* hypot (re, im): does not overflow, infinity wins over NaN */
  HOLO_COMPLEX_ARGUMENT, /* atan2 (im, re) */
} HoloComplexPart;

/**
 * HoloConverter:
 *
 * A conversion in up to three steps, each a loop over a tile: part of a complex number, number format, real
 * to complex. Plain value.
 */
typedef struct
{
  guint n_steps;
  gsize in_size;
  gsize out_size;
  HoloConvertFunc steps[3];
} HoloConverter;

/* @part matters when @in is complex and @out is not. */
void _holo_converter_init (HoloConverter *converter, HoloDType in, HoloDType out, HoloComplexPart part);
void _holo_converter_run (const HoloConverter *converter, gpointer out, gconstpointer in, gsize n);

/* The loop of one part of CF32 (to F32) or CF64 (to F64). */
HoloConvertFunc _holo_complex_part_func (HoloDType dtype, HoloComplexPart part);
