/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A task module with one kind: Gamma. docs/writing-a-task.md goes through it from top to bottom. */
#include <math.h>

#include <holoflow/holoflow.h>

/* ---- the factory: one object per node; its properties are the node's settings ---- */

#define GAMMA_TYPE_FACTORY (gamma_factory_get_type ())
G_DECLARE_FINAL_TYPE (GammaFactory, gamma_factory, GAMMA, FACTORY, HoloMapFactory)

struct _GammaFactory
{
  HoloMapFactory parent_instance;

  gdouble exponent;
};

G_DEFINE_FINAL_TYPE (GammaFactory, gamma_factory, HOLO_TYPE_MAP_FACTORY)

/* ---- the formula, on a dense run; `out` may be `in` ---- */

static void
gamma_f32 (HoloMapFactory *factory, gpointer out, gconstpointer in, gsize n)
{
  gfloat exponent = (gfloat) GAMMA_FACTORY (factory)->exponent;
  const gfloat *src = in;
  gfloat *dst = out;

  for (gsize i = 0; i < n; i++)
    dst[i] = powf (src[i], exponent);
}

static void
gamma_f64 (HoloMapFactory *factory, gpointer out, gconstpointer in, gsize n)
{
  gdouble exponent = GAMMA_FACTORY (factory)->exponent;
  const gdouble *src = in;
  gdouble *dst = out;

  for (gsize i = 0; i < n; i++)
    dst[i] = pow (src[i], exponent);
}

/* ---- what the kind is: texts, settings, element types ---- */

static void
gamma_factory_class_init (GammaFactoryClass *klass)
{
  holo_task_factory_class_set_description (
      klass, "Raises every element to a power",
      "`out = in ^ exponent`, as C's `pow()`.\n\n"
      "A negative element gives NaN unless the exponent is a whole number; 0 to a negative power gives\n"
      "infinity. Pictures are brightened by exponents below 1: put a `Normalize` before it.");
  holo_task_factory_class_set_example (klass, "{\"exponent\": 0.45}");
  holo_settings_install_double (klass, "exponent", "The power", NULL, -100, 100, 1, HOLO_SETTING_NONE,
                                G_STRUCT_OFFSET (GammaFactory, exponent));
  holo_map_factory_class_add (klass, HOLO_DTYPE_F32, HOLO_DTYPE_F32, gamma_f32);
  holo_map_factory_class_add (klass, HOLO_DTYPE_F64, HOLO_DTYPE_F64, gamma_f64);
}

static void
gamma_factory_init (GammaFactory *self)
{
}

/* ---- the module ---- */

static gboolean
register_kinds (HoloRegistry *registry, GError **error)
{
  return holo_registry_register_sync (registry, "Gamma", GAMMA_TYPE_FACTORY, error);
}

HOLO_MODULE_DEFINE ("gamma", register_kinds)
