/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <holoflow/holoflow.h>

HOLO_MAP (twin_f32, gfloat, gfloat, x)

static void
twin_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (klass, "A kind that two modules define", "`out = in`");
  holo_task_factory_class_set_example (klass, "{}");
  holo_map_factory_class_add (klass, HOLO_DTYPE_F32, HOLO_DTYPE_F32, twin_f32);
}

HOLO_DEFINE_MAP_KIND (twin, "Twin", HoloMapFactory)
HOLO_MODULE_DEFINE ("twin", twin_register)
