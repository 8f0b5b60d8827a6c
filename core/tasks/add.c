/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tasks/holo-builtin-kinds.h"

/* Signed integers are added as unsigned ones: the bits are the same, and wrapping is defined. */
HOLO_BINARY (add_8, guint8, guint8, x + y)
HOLO_BINARY (add_16, guint16, guint16, x + y)
HOLO_BINARY (add_32, guint32, guint32, x + y)
HOLO_BINARY (add_64, guint64, guint64, x + y)
HOLO_BINARY (add_f32, gfloat, gfloat, x + y)
HOLO_BINARY (add_f64, gdouble, gdouble, x + y)

/* Complex elements are added part by part. */
static void
add_cf32 (gpointer factory, gpointer out, gconstpointer const *in, gsize n)
{
  add_f32 (factory, out, in, 2 * n);
}

static void
add_cf64 (gpointer factory, gpointer out, gconstpointer const *in, gsize n)
{
  add_f64 (factory, out, in, 2 * n);
}

static void
holo_add_class_init (gpointer klass)
{
  static const struct
  {
    HoloDType dtype;
    HoloMapFunc func;
  } funcs[] = {
    { HOLO_DTYPE_U8, add_8 },    { HOLO_DTYPE_I8, add_8 },      { HOLO_DTYPE_U16, add_16 },
    { HOLO_DTYPE_I16, add_16 },  { HOLO_DTYPE_U32, add_32 },    { HOLO_DTYPE_I32, add_32 },
    { HOLO_DTYPE_U64, add_64 },  { HOLO_DTYPE_I64, add_64 },    { HOLO_DTYPE_F32, add_f32 },
    { HOLO_DTYPE_F64, add_f64 }, { HOLO_DTYPE_CF32, add_cf32 }, { HOLO_DTYPE_CF64, add_cf64 },
  };

  holo_task_factory_class_set_description (
      klass, "Sum of two tensors, element by element",
      "`out = a + b`. Both inputs have one element type, which the sum keeps.\n\n"
      "Shapes are broadcast as in NumPy: aligned at the last dimension, extents equal or 1; the frame\n"
      "rate is that of `a`. Integers wrap around (200 + 100 = 44 in U8), as in NumPy; for a sum that\n"
      "cannot wrap put a `Conversion` before both inputs. NaN, infinities and signed zeros follow IEEE\n"
      "754.");
  holo_task_factory_class_set_example (klass, "{}");
  HOLO_MAP_FACTORY_CLASS (klass)->pair_hint =
      "both must have the same element type: put a Conversion before one of them";
  for (guint i = 0; i < G_N_ELEMENTS (funcs); i++)
    holo_map_factory_class_add_pair (klass, funcs[i].dtype, funcs[i].dtype, funcs[i].dtype, funcs[i].func);
}

HOLO_DEFINE_BINARY_KIND (holo_add, "Add", HoloMapFactory)
