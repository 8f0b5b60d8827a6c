/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Element types into each other.
 *
 * The rules, which a device implementation must meet bit by bit (but for modulus and argument, which depend
 * on the mathematical library):
 *
 *   integer to integer   the nearest value the type holds (saturates)
 *   integer to float     rounded to nearest even
 *   float to integer     NaN gives 0; else rounded to nearest even, then the nearest value the type holds
 *   float to float       rounded to nearest even; too large gives infinity
 *   real to complex      imaginary part +0
 *   complex to complex   part by part
 *
 * Rounding is done by adding 1.5 * 2^23 (2^52 for doubles): the sum has no bits left for a fraction, so the
 * addition itself rounds, and its low bits are the integer in two's complement. Unlike rint() every processor
 * does that on whole vectors. It needs values below 2^22 (2^51): clamped before. */
#include "tensor/holo-convert.h"

#include <math.h>
#include <string.h>

/* ---- real types ---- */

#define FLOAT_MAGIC  0x1.8p23f
#define DOUBLE_MAGIC 0x1.8p52

static inline guint32
round_float (gfloat x)
{
  guint32 bits;

  x += FLOAT_MAGIC;
  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static inline guint64
round_double (gdouble x)
{
  guint64 bits;

  x += DOUBLE_MAGIC;
  memcpy (&bits, &x, sizeof bits);
  return bits;
}

#define DEFINE(name, in_type, out_type, expression)                                                                    \
  static void convert_##name (gpointer out, gconstpointer in, gsize n)                                                 \
  {                                                                                                                    \
    const in_type *src = in;                                                                                           \
    out_type *dst = out;                                                                                               \
                                                                                                                       \
    HOLO_INDEPENDENT                                                                                                   \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        in_type x = src[i];                                                                                            \
                                                                                                                       \
        dst[i] = expression;                                                                                           \
      }                                                                                                                \
  }

#define DEFINE_CLAMP(type)                                                                                             \
  static inline type clamp_##type (type x, type lo, type hi)                                                           \
  {                                                                                                                    \
    return x < lo ? lo : x > hi ? hi : x;                                                                              \
  }

DEFINE_CLAMP (gint32)
DEFINE_CLAMP (gint64)
DEFINE_CLAMP (guint64)

/* Every smallest value fits 63 bits, every largest one 64: bounds of the output, cut to what @wide holds. */
#define LOWER(wide_min, out_min) ((gint64) (wide_min) > (gint64) (out_min) ? (gint64) (wide_min) : (gint64) (out_min))
#define UPPER(wide_max, out_max)                                                                                       \
  ((guint64) (wide_max) < (guint64) (out_max) ? (guint64) (wide_max) : (guint64) (out_max))
#define CLAMP_INT(x, wide, wide_min, wide_max, out_type, out_min, out_max)                                             \
  (out_type) clamp_##wide (x, (wide) LOWER (wide_min, out_min), (wide) UPPER (wide_max, out_max))

/* One integer type into the other types. @wide holds every value of @type and is cheap to compare. */
#define FROM_INT(name, type, wide, wide_min, wide_max)                                                                 \
  DEFINE (name##_U8, type, guint8, CLAMP_INT (x, wide, wide_min, wide_max, guint8, 0, G_MAXUINT8))                     \
  DEFINE (name##_I8, type, gint8, CLAMP_INT (x, wide, wide_min, wide_max, gint8, G_MININT8, G_MAXINT8))                \
  DEFINE (name##_U16, type, guint16, CLAMP_INT (x, wide, wide_min, wide_max, guint16, 0, G_MAXUINT16))                 \
  DEFINE (name##_I16, type, gint16, CLAMP_INT (x, wide, wide_min, wide_max, gint16, G_MININT16, G_MAXINT16))           \
  DEFINE (name##_U32, type, guint32, CLAMP_INT (x, wide, wide_min, wide_max, guint32, 0, G_MAXUINT32))                 \
  DEFINE (name##_I32, type, gint32, CLAMP_INT (x, wide, wide_min, wide_max, gint32, G_MININT32, G_MAXINT32))           \
  DEFINE (name##_U64, type, guint64, CLAMP_INT (x, wide, wide_min, wide_max, guint64, 0, G_MAXUINT64))                 \
  DEFINE (name##_I64, type, gint64, CLAMP_INT (x, wide, wide_min, wide_max, gint64, G_MININT64, G_MAXINT64))           \
  DEFINE (name##_F32, type, gfloat, (gfloat) x)                                                                        \
  DEFINE (name##_F64, type, gdouble, (gdouble) x)

FROM_INT (U8, guint8, gint32, G_MININT32, G_MAXINT32)
FROM_INT (I8, gint8, gint32, G_MININT32, G_MAXINT32)
FROM_INT (U16, guint16, gint32, G_MININT32, G_MAXINT32)
FROM_INT (I16, gint16, gint32, G_MININT32, G_MAXINT32)
FROM_INT (U32, guint32, gint64, G_MININT64, G_MAXINT64)
FROM_INT (I32, gint32, gint64, G_MININT64, G_MAXINT64)
FROM_INT (U64, guint64, guint64, 0, G_MAXUINT64)
FROM_INT (I64, gint64, gint64, G_MININT64, G_MAXINT64)

static inline gint64
double_to_i64 (gdouble x)
{
  if (x != x)
    return 0;
  if (x >= 0x1p63)
    return G_MAXINT64;
  return x < -0x1p63 ? G_MININT64 : (gint64) rint (x);
}

static inline guint64
double_to_u64 (gdouble x)
{
  if (!(x > 0))
    return 0;
  return x >= 0x1p64 ? G_MAXUINT64 : (guint64) rint (x);
}

/* Comparisons in the form of the processors' minimum and maximum, which give the second operand when one is NaN.
 * The bounds are hidden from the compiler, which otherwise pulls the rounding of both apart from that of the rest and
 * makes three times as many instructions of it. */
#define DEFINE_BOUNDED(name, in_type, out_type, work, lowest, highest, round)                                          \
  static void convert_##name (gpointer out, gconstpointer in, gsize n)                                                 \
  {                                                                                                                    \
    const volatile work bounds[] = { lowest, highest };                                                                \
    const work lo = bounds[0], hi = bounds[1];                                                                         \
    const in_type *src = in;                                                                                           \
    out_type *dst = out;                                                                                               \
                                                                                                                       \
    HOLO_INDEPENDENT                                                                                                   \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        work x = src[i];                                                                                               \
                                                                                                                       \
        if (lowest < 0)                                                                                                \
          x = x == x ? x : 0;                                                                                          \
        x = x > lo ? x : lo;                                                                                           \
        x = x < hi ? x : hi;                                                                                           \
        dst[i] = (out_type) round (x);                                                                                 \
      }                                                                                                                \
  }

DEFINE_BOUNDED (F32_U8, gfloat, guint8, gfloat, 0, G_MAXUINT8, round_float)
DEFINE_BOUNDED (F32_I8, gfloat, gint8, gfloat, G_MININT8, G_MAXINT8, round_float)
DEFINE_BOUNDED (F32_U16, gfloat, guint16, gfloat, 0, G_MAXUINT16, round_float)
DEFINE_BOUNDED (F32_I16, gfloat, gint16, gfloat, G_MININT16, G_MAXINT16, round_float)
DEFINE_BOUNDED (F32_U32, gfloat, guint32, gdouble, 0, G_MAXUINT32, round_double)
DEFINE_BOUNDED (F32_I32, gfloat, gint32, gdouble, G_MININT32, G_MAXINT32, round_double)
DEFINE (F32_U64, gfloat, guint64, double_to_u64 (x))
DEFINE (F32_I64, gfloat, gint64, double_to_i64 (x))
DEFINE (F32_F32, gfloat, gfloat, x)
DEFINE (F32_F64, gfloat, gdouble, x)

DEFINE_BOUNDED (F64_U8, gdouble, guint8, gdouble, 0, G_MAXUINT8, round_double)
DEFINE_BOUNDED (F64_I8, gdouble, gint8, gdouble, G_MININT8, G_MAXINT8, round_double)
DEFINE_BOUNDED (F64_U16, gdouble, guint16, gdouble, 0, G_MAXUINT16, round_double)
DEFINE_BOUNDED (F64_I16, gdouble, gint16, gdouble, G_MININT16, G_MAXINT16, round_double)
DEFINE_BOUNDED (F64_U32, gdouble, guint32, gdouble, 0, G_MAXUINT32, round_double)
DEFINE_BOUNDED (F64_I32, gdouble, gint32, gdouble, G_MININT32, G_MAXINT32, round_double)
DEFINE (F64_U64, gdouble, guint64, double_to_u64 (x))
DEFINE (F64_I64, gdouble, gint64, double_to_i64 (x))
DEFINE (F64_F32, gdouble, gfloat, (gfloat) x)
DEFINE (F64_F64, gdouble, gdouble, x)

/* ---- half ---- */

/* F16 is 1 sign, 5 exponent (bias 15) and 10 fraction bits. All its values are doubles; no compiler of the
 * supported range has the type on every processor, so it is taken apart here. */
static inline gdouble
half_to_double (guint16 half)
{
  guint exponent = (half >> 10) & 31, fraction = half & 1023;
  gdouble magnitude;

  if (exponent == 31)
    magnitude = fraction != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = fraction * 0x1p-24;
  else
    magnitude = ldexp (1024 + fraction, (gint) exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

static inline guint16
double_to_half (gdouble x)
{
  guint16 sign = signbit (x) ? 0x8000 : 0;
  gdouble magnitude = fabs (x);
  gint exponent;

  if (x != x)
    return sign | 0x7e00;
  if (magnitude >= 65520) /* halfway between the largest number and what would follow: even is the latter */
    return sign | 0x7c00;
  if (magnitude < 0x1p-14)
    return sign | (guint16) rint (magnitude * 0x1p24);
  frexp (magnitude, &exponent);
  /* 11 significant bits; a carry out of the fraction goes into the exponent, which is right */
  return sign | (guint16) (((exponent + 13) << 10) + (gint) rint (ldexp (magnitude, 11 - exponent)));
}

DEFINE (F16_F64, guint16, gdouble, half_to_double (x))
DEFINE (F64_F16, gdouble, guint16, double_to_half (x))
DEFINE (F16_F16, guint16, guint16, x)

/* ---- complex ---- */

#define DEFINE_COMPLEX(name, type)                                                                                     \
  static void name##_from_real (gpointer out, gconstpointer in, gsize n)                                               \
  {                                                                                                                    \
    const type *src = in;                                                                                              \
    type *dst = out;                                                                                                   \
                                                                                                                       \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        dst[2 * i] = src[i];                                                                                           \
        dst[2 * i + 1] = 0;                                                                                            \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void name##_real (gpointer out, gconstpointer in, gsize n)                                                    \
  {                                                                                                                    \
    const type *src = in;                                                                                              \
    type *dst = out;                                                                                                   \
                                                                                                                       \
    for (gsize i = 0; i < n; i++)                                                                                      \
      dst[i] = src[2 * i];                                                                                             \
  }                                                                                                                    \
                                                                                                                       \
  static void name##_argument (gpointer out, gconstpointer in, gsize n)                                                \
  {                                                                                                                    \
    const type *src = in;                                                                                              \
    type *dst = out;                                                                                                   \
                                                                                                                       \
    for (gsize i = 0; i < n; i++)                                                                                      \
      dst[i] = (type) (sizeof (type) == 4 ? atan2f (src[2 * i + 1], src[2 * i]) : atan2 (src[2 * i + 1], src[2 * i])); \
  }

DEFINE_COMPLEX (cf32, gfloat)
DEFINE_COMPLEX (cf64, gdouble)

/* Squares of floats are exact in double and neither overflow nor vanish there: hypot() without its care. */
static void
cf32_modulus (gpointer out, gconstpointer in, gsize n)
{
  const gfloat *src = in;
  gfloat *dst = out;

  HOLO_INDEPENDENT
  for (gsize i = 0; i < n; i++)
    {
      gdouble re = src[2 * i], im = src[2 * i + 1], modulus = sqrt (re * re + im * im);

      dst[i] = (gfloat) (fabs (re) == INFINITY || fabs (im) == INFINITY ? INFINITY : modulus);
    }
}

static void
cf64_modulus (gpointer out, gconstpointer in, gsize n)
{
  const gdouble *src = in;
  gdouble *dst = out;

  for (gsize i = 0; i < n; i++)
    dst[i] = hypot (src[2 * i], src[2 * i + 1]);
}

HoloConvertFunc
_holo_complex_part_func (HoloDType dtype, HoloComplexPart part)
{
  gboolean is_single = dtype == HOLO_DTYPE_CF32;

  switch (part)
    {
    case HOLO_COMPLEX_MODULUS:
      return is_single ? cf32_modulus : cf64_modulus;
    case HOLO_COMPLEX_ARGUMENT:
      return is_single ? cf32_argument : cf64_argument;
    default:
      return is_single ? cf32_real : cf64_real;
    }
}

static void
cf32_to_cf64 (gpointer out, gconstpointer in, gsize n)
{
  convert_F32_F64 (out, in, 2 * n);
}

static void
cf64_to_cf32 (gpointer out, gconstpointer in, gsize n)
{
  convert_F64_F32 (out, in, 2 * n);
}

static void
copy_cf32 (gpointer out, gconstpointer in, gsize n)
{
  convert_F32_F32 (out, in, 2 * n);
}

static void
copy_cf64 (gpointer out, gconstpointer in, gsize n)
{
  convert_F64_F64 (out, in, 2 * n);
}

/* ---- converter ---- */

#define ROW(name)                                                                                                      \
  [HOLO_DTYPE_##name] = {                                                                                              \
    [HOLO_DTYPE_U8] = convert_##name##_U8,   [HOLO_DTYPE_I8] = convert_##name##_I8,                                    \
    [HOLO_DTYPE_U16] = convert_##name##_U16, [HOLO_DTYPE_I16] = convert_##name##_I16,                                  \
    [HOLO_DTYPE_U32] = convert_##name##_U32, [HOLO_DTYPE_I32] = convert_##name##_I32,                                  \
    [HOLO_DTYPE_U64] = convert_##name##_U64, [HOLO_DTYPE_I64] = convert_##name##_I64,                                  \
    [HOLO_DTYPE_F32] = convert_##name##_F32, [HOLO_DTYPE_F64] = convert_##name##_F64,                                  \
  }

static const HoloConvertFunc real_funcs[HOLO_N_DTYPES][HOLO_N_DTYPES] = {
  ROW (U8), ROW (I8), ROW (U16), ROW (I16), ROW (U32), ROW (I32), ROW (U64), ROW (I64), ROW (F32), ROW (F64),
};

static void
add_step (HoloConverter *converter, HoloConvertFunc func)
{
  g_assert (func != NULL && converter->n_steps < G_N_ELEMENTS (converter->steps));
  converter->steps[converter->n_steps++] = func;
}

/* F16 goes by way of F64, which holds every F16 exactly and so keeps it at one rounding. (64-bit integers are
 * rounded to F64 first; those it rounds are infinite in F16.) */
static void
add_real_steps (HoloConverter *converter, HoloDType in, HoloDType out)
{
  if (in == HOLO_DTYPE_F16 && out == HOLO_DTYPE_F16)
    add_step (converter, convert_F16_F16);
  else if (in == HOLO_DTYPE_F16)
    {
      add_step (converter, convert_F16_F64);
      if (out != HOLO_DTYPE_F64)
        add_step (converter, real_funcs[HOLO_DTYPE_F64][out]);
    }
  else if (out == HOLO_DTYPE_F16)
    {
      if (in != HOLO_DTYPE_F64)
        add_step (converter, real_funcs[in][HOLO_DTYPE_F64]);
      add_step (converter, convert_F64_F16);
    }
  else
    add_step (converter, real_funcs[in][out]);
}

void
_holo_converter_init (HoloConverter *converter, HoloDType in, HoloDType out, HoloComplexPart part)
{
  HoloDType in_real = in == HOLO_DTYPE_CF32 ? HOLO_DTYPE_F32 : in == HOLO_DTYPE_CF64 ? HOLO_DTYPE_F64 : in;
  HoloDType out_real = out == HOLO_DTYPE_CF32 ? HOLO_DTYPE_F32 : out == HOLO_DTYPE_CF64 ? HOLO_DTYPE_F64 : out;

  *converter = (HoloConverter){ .in_size = holo_dtype_get_size (in), .out_size = holo_dtype_get_size (out) };
  if (in_real != in && out_real != out)
    {
      if (in == out)
        add_step (converter, in == HOLO_DTYPE_CF32 ? copy_cf32 : copy_cf64);
      else
        add_step (converter, in == HOLO_DTYPE_CF32 ? cf32_to_cf64 : cf64_to_cf32);
      return;
    }
  if (in_real != in)
    add_step (converter, _holo_complex_part_func (in, part));
  if (in_real != out_real || (in_real == in && out_real == out))
    add_real_steps (converter, in_real, out_real);
  if (out_real != out)
    add_step (converter, out == HOLO_DTYPE_CF32 ? cf32_from_real : cf64_from_real);
}

/**
 * _holo_converter_run:
 * @converter: a conversion
 * @out: @n dense elements; may equal @in when both sizes are equal
 * @in: @n dense elements
 * @n: number of elements
 */
void
_holo_converter_run (const HoloConverter *converter, gpointer out, gconstpointer in, gsize n)
{
  gdouble tiles[2][HOLO_TILE_BYTES / sizeof (gdouble)];
  guint8 *dst = out;
  const guint8 *src = in;

  if (converter->n_steps == 1)
    {
      converter->steps[0](out, in, n);
      return;
    }
  while (n > 0)
    {
      gsize m = MIN (n, HOLO_TILE_ELEMENTS);
      gconstpointer from = src;

      for (guint step = 0; step < converter->n_steps; step++)
        {
          gpointer to = step + 1 == converter->n_steps ? (gpointer) dst : (gpointer) tiles[step & 1];

          converter->steps[step](to, from, m);
          from = to;
        }
      src += m * converter->in_size;
      dst += m * converter->out_size;
      n -= m;
    }
}
