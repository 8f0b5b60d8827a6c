/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tasks/holo-builtin-kinds.h"
#include "tasks/holo-weigh.h"

/* ---- formulas ---- */

/* Products are taken of unsigned numbers of at least 32 bits: the low bits are those of the signed product,
 * and neither wrapping nor the promotion of 65535 * 65535 to int is undefined. */
HOLO_BINARY (multiply_8, guint8, guint8, (guint32) x *y)
HOLO_BINARY (multiply_16, guint16, guint16, (guint32) x *y)
HOLO_BINARY (multiply_32, guint32, guint32, x *y)
HOLO_BINARY (multiply_64, guint64, guint64, x *y)
HOLO_BINARY (multiply_f32, gfloat, gfloat, x *y)
HOLO_BINARY (multiply_f64, gdouble, gdouble, x *y)

#define DEFINE_COMPLEX(name, type)                                                                                     \
  static void multiply_##name (gpointer factory, gpointer out, gconstpointer const *in, gsize n)                       \
  {                                                                                                                    \
    const type *x = in[0], *y = in[1];                                                                                 \
    type *dst = out;                                                                                                   \
                                                                                                                       \
    HOLO_INDEPENDENT                                                                                                   \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        type x_re = x[2 * i], x_im = x[2 * i + 1], y_re = y[2 * i], y_im = y[2 * i + 1];                               \
                                                                                                                       \
        dst[2 * i] = x_re * y_re - x_im * y_im;                                                                        \
        dst[2 * i + 1] = x_re * y_im + x_im * y_re;                                                                    \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void weigh_by_##name (gpointer factory, gpointer out, gconstpointer const *in, gsize n)                       \
  {                                                                                                                    \
    _holo_weigh_##name (factory, out, (gconstpointer[]){ in[1], in[0] }, n);                                           \
  }

DEFINE_COMPLEX (cf32, gfloat)
DEFINE_COMPLEX (cf64, gdouble)

static const HoloMapFunc funcs[HOLO_N_DTYPES] = {
  [HOLO_DTYPE_U8] = multiply_8,    [HOLO_DTYPE_I8] = multiply_8,      [HOLO_DTYPE_U16] = multiply_16,
  [HOLO_DTYPE_I16] = multiply_16,  [HOLO_DTYPE_U32] = multiply_32,    [HOLO_DTYPE_I32] = multiply_32,
  [HOLO_DTYPE_U64] = multiply_64,  [HOLO_DTYPE_I64] = multiply_64,    [HOLO_DTYPE_F32] = multiply_f32,
  [HOLO_DTYPE_F64] = multiply_f64, [HOLO_DTYPE_CF32] = multiply_cf32, [HOLO_DTYPE_CF64] = multiply_cf64,
};

/* ---- promotion ---- */

static gboolean
is_integer (HoloDType dtype)
{
  return dtype <= HOLO_DTYPE_I64;
}

static gboolean
is_signed (HoloDType dtype)
{
  return dtype == HOLO_DTYPE_I8 || dtype == HOLO_DTYPE_I16 || dtype == HOLO_DTYPE_I32 || dtype == HOLO_DTYPE_I64;
}

/* The smallest integer type that holds all values of both; U64 with a signed type has none. */
static gboolean
promote_integers (HoloDType a, HoloDType b, HoloDType *out)
{
  HoloDType wider = holo_dtype_get_size (a) >= holo_dtype_get_size (b) ? a : b;

  *out = wider;
  if (is_signed (a) == is_signed (b))
    return TRUE;
  if (is_signed (wider) && holo_dtype_get_size (a) != holo_dtype_get_size (b))
    return TRUE;
  switch (holo_dtype_get_size (wider))
    {
    case 1:
      *out = HOLO_DTYPE_I16;
      return TRUE;
    case 2:
      *out = HOLO_DTYPE_I32;
      return TRUE;
    case 4:
      *out = HOLO_DTYPE_I64;
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
promote (HoloDType a, HoloDType b, HoloDType *out)
{
  gboolean is_double = a == HOLO_DTYPE_F64 || a == HOLO_DTYPE_CF64 || b == HOLO_DTYPE_F64 || b == HOLO_DTYPE_CF64;

  if (a == HOLO_DTYPE_F16 || b == HOLO_DTYPE_F16)
    return FALSE;
  if (is_integer (a) && is_integer (b))
    return promote_integers (a, b, out);
  if (holo_dtype_is_complex (a) || holo_dtype_is_complex (b))
    *out = is_double ? HOLO_DTYPE_CF64 : HOLO_DTYPE_CF32;
  else
    *out = is_double ? HOLO_DTYPE_F64 : HOLO_DTYPE_F32;
  return TRUE;
}

/* A real factor of a complex one stays real: half the work, and no NaN from infinity times 0i. */
static void
add_pair (gpointer klass, HoloDType a, HoloDType b)
{
  HoloDType out, real;
  gboolean single;

  if (!promote (a, b, &out))
    return;
  single = out == HOLO_DTYPE_CF32;
  real = single ? HOLO_DTYPE_F32 : HOLO_DTYPE_F64;
  if (holo_dtype_is_complex (a) && !holo_dtype_is_complex (b))
    holo_map_factory_class_add_converted_pair (klass, a, b, out, real, out,
                                               single ? _holo_weigh_cf32 : _holo_weigh_cf64);
  else if (!holo_dtype_is_complex (a) && holo_dtype_is_complex (b))
    holo_map_factory_class_add_converted_pair (klass, a, b, real, out, out, single ? weigh_by_cf32 : weigh_by_cf64);
  else
    holo_map_factory_class_add_converted_pair (klass, a, b, out, out, out, funcs[out]);
}

static void
holo_multiply_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (
      klass, "Product of two tensors, element by element",
      "`out = a * b`. Shapes are broadcast as in NumPy: aligned at the last dimension, extents equal or\n"
      "1; the frame rate is that of `a`.\n\n"
      "The element types may differ; both inputs are converted to what comes out:\n\n"
      "| inputs | output |\n"
      "|---|---|\n"
      "| complex with any | CF64 if one of them is CF64 or F64, else CF32 |\n"
      "| F32 or F64 with real | F64 if one of them is F64, else F32 |\n"
      "| two integers | the smallest integer type that holds all values of both |\n\n"
      "So U8 with U16 gives U16, U8 with I8 gives I16, U32 with I32 gives I64; U64 with a signed type\n"
      "is refused. Integers wrap around, as in NumPy. A real factor of a complex one multiplies both\n"
      "parts; two complex factors give `(a.re*b.re - a.im*b.im, a.re*b.im + a.im*b.re)` without care\n"
      "for infinities, as in NumPy.");
  holo_task_factory_class_set_example (klass, "{}");
  HOLO_MAP_FACTORY_CLASS (klass)->pair_hint = "no element type holds both: put a Conversion before one of them";
  for (guint a = 0; a < HOLO_N_DTYPES; a++)
    for (guint b = 0; b < HOLO_N_DTYPES; b++)
      add_pair (klass, (HoloDType) a, (HoloDType) b);
}

HOLO_DEFINE_BINARY_KIND (holo_multiply, "Multiply", HoloMapFactory)
