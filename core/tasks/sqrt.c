/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "tensor/holo-convert.h"
#include "task/holo-map-factory.h"
#include "tasks/holo-builtin-kinds.h"

#define HOLO_TYPE_SQRT_FACTORY (holo_sqrt_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloSqrtFactory, holo_sqrt_factory, HOLO, SQRT_FACTORY, HoloMapFactory)

struct _HoloSqrtFactory
{
  HoloMapFactory parent_instance;
};

G_DEFINE_FINAL_TYPE (HoloSqrtFactory, holo_sqrt_factory, HOLO_TYPE_MAP_FACTORY)

static void
sqrt_f32 (HoloMapFactory *factory, gpointer out, gconstpointer in, gsize n)
{
  const gfloat *src = in;
  gfloat *dst = out;

  HOLO_INDEPENDENT
  for (gsize i = 0; i < n; i++)
    dst[i] = sqrtf (src[i]);
}

static void
sqrt_f64 (HoloMapFactory *factory, gpointer out, gconstpointer in, gsize n)
{
  const gdouble *src = in;
  gdouble *dst = out;

  HOLO_INDEPENDENT
  for (gsize i = 0; i < n; i++)
    dst[i] = sqrt (src[i]);
}

static void
holo_sqrt_factory_class_init (HoloSqrtFactoryClass *klass)
{
  holo_task_factory_class_set_description (
      klass, "Square root of every element",
      "`out = sqrt (in)`, correctly rounded (IEEE 754).\n\n"
      "A negative element gives NaN, -0 gives -0, infinity gives infinity and NaN stays NaN; numbers\n"
      "below the normal range are not flushed to zero. For other element types put a `Conversion`\n"
      "before it.");
  holo_task_factory_class_set_example (klass, "{}");
  holo_map_factory_class_add (klass, HOLO_DTYPE_F32, HOLO_DTYPE_F32, sqrt_f32);
  holo_map_factory_class_add (klass, HOLO_DTYPE_F64, HOLO_DTYPE_F64, sqrt_f64);
}

static void
holo_sqrt_factory_init (HoloSqrtFactory *self)
{
}

HOLO_DEFINE_SYNC_KIND (sqrt, "Sqrt", HOLO_TYPE_SQRT_FACTORY)
