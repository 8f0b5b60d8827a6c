/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tasks/holo-builtin-kinds.h"

HOLO_MAP (sqrt_f32, gfloat, gfloat, sqrtf (x))
HOLO_MAP (sqrt_f64, gdouble, gdouble, sqrt (x))

static void
holo_sqrt_class_init (gpointer klass)
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

HOLO_DEFINE_MAP_KIND (holo_sqrt, "Sqrt", HoloMapFactory)
