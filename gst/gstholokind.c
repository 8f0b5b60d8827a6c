/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholokind.h"

#include "gstholohostelement.h"
#include "gstholoparamspec.h"
#include "gstholosink.h"
#include "gstholosource.h"
#include "gstholotransform.h"

/**
 * gst_holo_kind_new:
 * @registry: a registry
 * @kind: a registered kind or alias
 *
 * Returns: (transfer full): its description; class_data of an element class, so it is never freed
 */
GstHoloKind *
gst_holo_kind_new (HoloRegistry *registry, const gchar *kind)
{
  GstHoloKind *self = g_new0 (GstHoloKind, 1);
  g_autofree gchar *lower = g_ascii_strdown (kind, -1), *element = g_strconcat ("holo", lower, NULL);

  self->kind = g_intern_string (kind);
  self->element = g_intern_string (element);
  self->factory_type = holo_registry_get_factory_type (registry, kind, NULL);
  self->factory_class = g_type_class_ref (self->factory_type);
  self->task_type = holo_task_factory_class_get_task_type (self->factory_class);
  self->inputs = holo_task_factory_class_get_inputs (self->factory_class, &self->n_inputs);
  self->outputs = holo_task_factory_class_get_outputs (self->factory_class, &self->n_outputs);
  self->settings = holo_settings_list (self->factory_class, &self->n_settings);
  return self;
}

static gboolean
is_at_most_one (const HoloSlot *slots, guint n)
{
  return n == 0 || (n == 1 && (slots[0].flags & (HOLO_SLOT_OPTIONAL | HOLO_SLOT_REPEATED)) == 0);
}

gboolean
gst_holo_kind_is_simple (const GstHoloKind *kind)
{
  return kind->task_type == HOLO_TASK_SYNC && kind->n_inputs + kind->n_outputs > 0 &&
         is_at_most_one (kind->inputs, kind->n_inputs) && is_at_most_one (kind->outputs, kind->n_outputs);
}

gboolean
gst_holo_kind_may_move (gpointer factory_class)
{
  guint n;
  g_autofree GParamSpec **settings = holo_settings_list (factory_class, &n);

  for (guint i = 0; i < n; i++)
    if (settings[i]->value_type == HOLO_TYPE_MEM_LOC)
      return TRUE;
  return FALSE;
}

GParamSpec *
gst_holo_kind_get_setting (const GstHoloKind *kind, guint property_id)
{
  guint index = property_id - GST_HOLO_KIND_FIRST_SETTING;

  return property_id >= GST_HOLO_KIND_FIRST_SETTING && index < kind->n_settings ? kind->settings[index] : NULL;
}

HoloTaskFactory *
gst_holo_kind_create_factory (const GstHoloKind *kind)
{
  return holo_registry_create_factory (holo_registry_get_default (), kind->kind, NULL);
}

/* ---- classes ---- */

void
gst_holo_kind_install_properties (const GstHoloKind *kind, GObjectClass *klass)
{
  gst_holo_settings_install (klass, kind->factory_class, GST_HOLO_KIND_FIRST_SETTING);
}

void
gst_holo_kind_set_metadata (const GstHoloKind *kind, GstElementClass *klass, const gchar *classification)
{
  g_autofree gchar *name = g_strdup_printf ("Holoflow %s", kind->kind);
  const gchar *summary = holo_task_factory_class_get_summary (kind->factory_class);

  gst_element_class_set_metadata (klass, name, classification, summary != NULL ? summary : name,
                                  "The Holoflow for GStreamer authors");
}

GstPadTemplate *
gst_holo_slot_new_pad_template (const HoloSlot *slot, guint mem_locs, const gchar *name, GstPadDirection direction,
                                GstPadPresence presence)
{
  g_autoptr (GstCaps) caps =
      gst_holo_caps_new_template (slot->dtypes, slot->mem_locs & mem_locs, slot->min_rank, slot->max_rank);

  GST_MINI_OBJECT_FLAG_SET (caps, GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED);
  return gst_pad_template_new (name, direction, presence, caps);
}

GType
gst_holo_kind_register_type (const GstHoloKind *kind, GType base, GClassInitFunc class_init)
{
  g_autofree gchar *name = g_strdup_printf ("GstHolo%s", kind->kind);
  GTypeInfo info = { .class_init = class_init, .class_data = kind };
  GType type = g_type_from_name (name);
  GTypeQuery query;

  /* plugin_init can run twice in one process */
  if (type != G_TYPE_INVALID && g_type_is_a (type, base) && !G_TYPE_IS_ABSTRACT (type))
    return type;
  /* a kind called like one of our base classes */
  if (type != G_TYPE_INVALID)
    {
      g_free (name);
      name = g_strdup_printf ("GstHoloKind%s", kind->kind);
    }
  g_type_query (base, &query);
  info.class_size = (guint16) query.class_size;
  info.instance_size = (guint16) query.instance_size;
  return g_type_register_static (base, name, &info, 0);
}

static GType
get_base (const GstHoloKind *kind, GClassInitFunc *class_init)
{
  if (!gst_holo_kind_is_simple (kind))
    {
      *class_init = gst_holo_host_element_kind_class_init;
      return GST_TYPE_HOLO_HOST_ELEMENT;
    }
  if (kind->n_inputs == 0)
    {
      *class_init = gst_holo_source_kind_class_init;
      return GST_TYPE_HOLO_SOURCE;
    }
  if (kind->n_outputs == 0)
    {
      *class_init = gst_holo_sink_kind_class_init;
      return GST_TYPE_HOLO_SINK;
    }
  *class_init = gst_holo_transform_kind_class_init;
  return GST_TYPE_HOLO_TRANSFORM;
}

static void
register_kind (GstPlugin *plugin, HoloRegistry *registry, const gchar *name)
{
  GstHoloKind *kind = gst_holo_kind_new (registry, name);
  GClassInitFunc class_init;
  GType base = get_base (kind, &class_init);

  gst_element_register (plugin, kind->element, GST_RANK_NONE, gst_holo_kind_register_type (kind, base, class_init));
}

void
gst_holo_kinds_register (GstPlugin *plugin)
{
  HoloRegistry *registry = holo_registry_get_default ();
  g_auto (GStrv) kinds = holo_registry_list_kinds (registry);

  for (guint i = 0; kinds[i] != NULL; i++)
    if (!g_str_equal (kinds[i], "Input") && !g_str_equal (kinds[i], "Output"))
      register_kind (plugin, registry, kinds[i]);
}
