/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A task module with one kind: Gamma. docs/writing-a-task.md goes through it from top to bottom. */
#include <holoflow/holoflow.h>

/* ---- the settings: one object per node ---- */

typedef struct
{
  HoloMapFactory parent_instance;

  gdouble exponent;
} GammaSettings;

/* ---- the formula, for each element type ---- */

HOLO_MAP_WITH_SETTINGS (gamma_f32, gfloat, gfloat, GammaSettings, powf (x, (gfloat) settings->exponent))
HOLO_MAP_WITH_SETTINGS (gamma_f64, gdouble, gdouble, GammaSettings, pow (x, settings->exponent))

/* ---- what the kind is: texts, settings, element types ---- */

static void
gamma_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (
      klass, "Raises every element to a power",
      "`out = in ^ exponent`, as C's `pow()`.\n\n"
      "A negative element gives NaN unless the exponent is a whole number; 0 to a negative power gives\n"
      "infinity. Pictures are brightened by exponents below 1: put a `Normalize` before it.");
  holo_task_factory_class_set_example (klass, "{\"exponent\": 0.45}");
  holo_settings_install_double (klass, "exponent", "The power", NULL, -100, 100, 1, HOLO_SETTING_NONE,
                                G_STRUCT_OFFSET (GammaSettings, exponent));
  holo_map_factory_class_add (klass, HOLO_DTYPE_F32, HOLO_DTYPE_F32, gamma_f32);
  holo_map_factory_class_add (klass, HOLO_DTYPE_F64, HOLO_DTYPE_F64, gamma_f64);
}

HOLO_DEFINE_MAP_KIND (gamma, "Gamma", GammaSettings)

/* ---- the module ---- */

HOLO_MODULE_DEFINE ("gamma", gamma_register)
