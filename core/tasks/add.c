/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "task/holo-binary-factory.h"
#include "tensor/holo-convert.h"
#include "tasks/holo-builtin-kinds.h"

#define HOLO_TYPE_ADD_FACTORY (holo_add_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloAddFactory, holo_add_factory, HOLO, ADD_FACTORY, HoloBinaryFactory)

struct _HoloAddFactory
{
  HoloBinaryFactory parent_instance;
};

G_DEFINE_FINAL_TYPE (HoloAddFactory, holo_add_factory, HOLO_TYPE_BINARY_FACTORY)

/* @parts is 2 for complex elements, which are added part by part. */
#define DEFINE_ADD(name, type, parts)                                                                                  \
  static void add_##name (HoloBinaryFactory *factory, gpointer out, gconstpointer a, gconstpointer b, gsize n)         \
  {                                                                                                                    \
    const type *x = a, *y = b;                                                                                         \
    type *dst = out;                                                                                                   \
                                                                                                                       \
    HOLO_INDEPENDENT                                                                                                   \
    for (gsize i = 0; i < parts * n; i++)                                                                              \
      dst[i] = (type) (x[i] + y[i]);                                                                                   \
  }

/* Signed integers are added as unsigned ones: the bits are the same, and wrapping is defined. */
DEFINE_ADD (8, guint8, 1)
DEFINE_ADD (16, guint16, 1)
DEFINE_ADD (32, guint32, 1)
DEFINE_ADD (64, guint64, 1)
DEFINE_ADD (f32, gfloat, 1)
DEFINE_ADD (f64, gdouble, 1)
DEFINE_ADD (cf32, gfloat, 2)
DEFINE_ADD (cf64, gdouble, 2)

static void
holo_add_factory_class_init (HoloAddFactoryClass *klass)
{
  static const struct
  {
    HoloDType dtype;
    HoloBinaryFunc func;
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
  HOLO_BINARY_FACTORY_CLASS (klass)->pair_hint =
      "both must have the same element type: put a Conversion before one of them";
  for (guint i = 0; i < G_N_ELEMENTS (funcs); i++)
    holo_binary_factory_class_add (klass, funcs[i].dtype, funcs[i].dtype, funcs[i].dtype, funcs[i].func);
}

static void
holo_add_factory_init (HoloAddFactory *self)
{
}

HOLO_DEFINE_SYNC_KIND (add, "Add", HOLO_TYPE_ADD_FACTORY)
