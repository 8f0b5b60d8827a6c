/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "task/holo-binary-factory.h"
#include "tensor/holo-convert.h"
#include "tasks/holo-builtin-kinds.h"

#define HOLO_TYPE_MULTIPLY_FACTORY (holo_multiply_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloMultiplyFactory, holo_multiply_factory, HOLO, MULTIPLY_FACTORY, HoloBinaryFactory)

struct _HoloMultiplyFactory
{
  HoloBinaryFactory parent_instance;
};

G_DEFINE_FINAL_TYPE (HoloMultiplyFactory, holo_multiply_factory, HOLO_TYPE_BINARY_FACTORY)

/* ---- formulas ---- */

#define DEFINE_MULTIPLY(name, type, wide)                                                                              \
  static void multiply_##name (HoloBinaryFactory *factory, gpointer out, gconstpointer a, gconstpointer b, gsize n)    \
  {                                                                                                                    \
    const type *x = a, *y = b;                                                                                         \
    type *dst = out;                                                                                                   \
                                                                                                                       \
    HOLO_INDEPENDENT                                                                                                   \
    for (gsize i = 0; i < n; i++)                                                                                      \
      dst[i] = (type) ((wide) x[i] * (wide) y[i]);                                                                     \
  }

/* Products are taken of unsigned numbers of at least 32 bits: the low bits are those of the signed product,
 * and neither wrapping nor the promotion of 65535 * 65535 to int is undefined. */
DEFINE_MULTIPLY (8, guint8, guint32)
DEFINE_MULTIPLY (16, guint16, guint32)
DEFINE_MULTIPLY (32, guint32, guint32)
DEFINE_MULTIPLY (64, guint64, guint64)
DEFINE_MULTIPLY (f32, gfloat, gfloat)
DEFINE_MULTIPLY (f64, gdouble, gdouble)

#define DEFINE_COMPLEX(name, type)                                                                                     \
  static void multiply_##name (HoloBinaryFactory *factory, gpointer out, gconstpointer a, gconstpointer b, gsize n)    \
  {                                                                                                                    \
    const type *x = a, *y = b;                                                                                         \
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
  static void multiply_##name##_real (HoloBinaryFactory *factory, gpointer out, gconstpointer a, gconstpointer b,      \
                                      gsize n)                                                                         \
  {                                                                                                                    \
    const type *x = a, *y = b;                                                                                         \
    type *dst = out;                                                                                                   \
                                                                                                                       \
    HOLO_INDEPENDENT                                                                                                   \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        type factor = y[i];                                                                                            \
                                                                                                                       \
        dst[2 * i] = x[2 * i] * factor;                                                                                \
        dst[2 * i + 1] = x[2 * i + 1] * factor;                                                                        \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void multiply_real_##name (HoloBinaryFactory *factory, gpointer out, gconstpointer a, gconstpointer b,        \
                                    gsize n)                                                                           \
  {                                                                                                                    \
    multiply_##name##_real (factory, out, b, a, n);                                                                    \
  }

DEFINE_COMPLEX (cf32, gfloat)
DEFINE_COMPLEX (cf64, gdouble)

static const HoloBinaryFunc funcs[HOLO_N_DTYPES] = {
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
    holo_binary_factory_class_add_converted (klass, a, b, out, real, out,
                                             single ? multiply_cf32_real : multiply_cf64_real);
  else if (!holo_dtype_is_complex (a) && holo_dtype_is_complex (b))
    holo_binary_factory_class_add_converted (klass, a, b, real, out, out,
                                             single ? multiply_real_cf32 : multiply_real_cf64);
  else
    holo_binary_factory_class_add_converted (klass, a, b, out, out, out, funcs[out]);
}

static void
holo_multiply_factory_class_init (HoloMultiplyFactoryClass *klass)
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
  HOLO_BINARY_FACTORY_CLASS (klass)->pair_hint = "no element type holds both: put a Conversion before one of them";
  for (guint a = 0; a < HOLO_N_DTYPES; a++)
    for (guint b = 0; b < HOLO_N_DTYPES; b++)
      add_pair (klass, (HoloDType) a, (HoloDType) b);
}

static void
holo_multiply_factory_init (HoloMultiplyFactory *self)
{
}

HOLO_DEFINE_SYNC_KIND (multiply, "Multiply", HOLO_TYPE_MULTIPLY_FACTORY)
