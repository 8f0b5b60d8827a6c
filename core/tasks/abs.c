/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "tensor/holo-convert.h"
#include "tasks/holo-builtin-kinds.h"

/* Negated as unsigned: the smallest integer has no opposite and stays what it is, without undefined
 * behaviour. */
HOLO_MAP (abs_i8, gint8, gint8, x < 0 ? 0u - (guint8) x : (guint8) x)
HOLO_MAP (abs_i16, gint16, gint16, x < 0 ? 0u - (guint16) x : (guint16) x)
HOLO_MAP (abs_i32, gint32, gint32, x < 0 ? 0u - (guint32) x : (guint32) x)
HOLO_MAP (abs_i64, gint64, gint64, x < 0 ? (guint64) 0 - (guint64) x : (guint64) x)
HOLO_MAP (abs_f32, gfloat, gfloat, fabsf (x))
HOLO_MAP (abs_f64, gdouble, gdouble, fabs (x))

#define DEFINE_COPY(size)                                                                                              \
  static void copy_##size (gpointer factory, gpointer out, gconstpointer const *in, gsize n)                           \
  {                                                                                                                    \
    if (out != in[0])                                                                                                  \
      memcpy (out, in[0], n *size);                                                                                    \
  }

DEFINE_COPY (1)
DEFINE_COPY (2)
DEFINE_COPY (4)
DEFINE_COPY (8)

static void
abs_cf32 (gpointer factory, gpointer out, gconstpointer const *in, gsize n)
{
  _holo_complex_part_func (HOLO_DTYPE_CF32, HOLO_COMPLEX_MODULUS) (out, in[0], n);
}

static void
abs_cf64 (gpointer factory, gpointer out, gconstpointer const *in, gsize n)
{
  _holo_complex_part_func (HOLO_DTYPE_CF64, HOLO_COMPLEX_MODULUS) (out, in[0], n);
}

static void
holo_abs_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (
      klass, "Absolute value of every element; of complex elements the modulus",
      "`out = |in|`. Complex elements give real ones of the same precision (CF32 gives F32, CF64 gives\n"
      "F64); all other types stay.\n\n"
      "- The modulus is `hypot (re, im)`: it neither overflows nor vanishes where the result fits. If a\n"
      "  part is infinite the modulus is infinite, also when the other is NaN; otherwise a NaN gives\n"
      "  NaN.\n"
      "- The smallest value of a signed integer type has no opposite in it and stays as it is, as in\n"
      "  NumPy.\n"
      "- Unsigned integers are copied.");
  holo_task_factory_class_set_example (klass, "{}");
  holo_map_factory_class_add (klass, HOLO_DTYPE_U8, HOLO_DTYPE_U8, copy_1);
  holo_map_factory_class_add (klass, HOLO_DTYPE_I8, HOLO_DTYPE_I8, abs_i8);
  holo_map_factory_class_add (klass, HOLO_DTYPE_U16, HOLO_DTYPE_U16, copy_2);
  holo_map_factory_class_add (klass, HOLO_DTYPE_I16, HOLO_DTYPE_I16, abs_i16);
  holo_map_factory_class_add (klass, HOLO_DTYPE_U32, HOLO_DTYPE_U32, copy_4);
  holo_map_factory_class_add (klass, HOLO_DTYPE_I32, HOLO_DTYPE_I32, abs_i32);
  holo_map_factory_class_add (klass, HOLO_DTYPE_U64, HOLO_DTYPE_U64, copy_8);
  holo_map_factory_class_add (klass, HOLO_DTYPE_I64, HOLO_DTYPE_I64, abs_i64);
  holo_map_factory_class_add (klass, HOLO_DTYPE_F32, HOLO_DTYPE_F32, abs_f32);
  holo_map_factory_class_add (klass, HOLO_DTYPE_F64, HOLO_DTYPE_F64, abs_f64);
  holo_map_factory_class_add (klass, HOLO_DTYPE_CF32, HOLO_DTYPE_F32, abs_cf32);
  holo_map_factory_class_add (klass, HOLO_DTYPE_CF64, HOLO_DTYPE_F64, abs_cf64);
}

HOLO_DEFINE_MAP_KIND (holo_abs, "Abs", HoloMapFactory)
