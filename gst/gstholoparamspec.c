/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholoparamspec.h"

/* ---- types that do not clamp ---- */

static gboolean
leave_alone (GParamSpec *pspec, GValue *value)
{
  return FALSE;
}

static gboolean
is_always_valid (GParamSpec *pspec, const GValue *value)
{
  return TRUE;
}

static void
unclamped_class_init (gpointer klass, gpointer class_data)
{
  GParamSpecClass *param_class = klass;

  param_class->value_validate = leave_alone;
  param_class->value_is_valid = is_always_valid;
}

/* A subclass of @parent, so that gst-inspect-1.0 and bindings see the type and range they know. */
static GType
register_unclamped (const gchar *name, GType parent)
{
  GTypeInfo info = { .class_init = unclamped_class_init };
  GTypeQuery query;

  g_type_query (parent, &query);
  info.class_size = (guint16) query.class_size;
  info.instance_size = (guint16) query.instance_size;
  return g_type_register_static (parent, name, &info, 0);
}

#define DEFINE_UNCLAMPED(function, name, parent)                                                                       \
  static GType function (void)                                                                                         \
  {                                                                                                                    \
    static gsize type = 0;                                                                                             \
                                                                                                                       \
    if (g_once_init_enter (&type))                                                                                     \
      g_once_init_leave (&type, register_unclamped (name, parent));                                                    \
    return type;                                                                                                       \
  }

DEFINE_UNCLAMPED (get_int64_type, "GstHoloParamInt64", G_TYPE_PARAM_INT64)
DEFINE_UNCLAMPED (get_double_type, "GstHoloParamDouble", G_TYPE_PARAM_DOUBLE)
DEFINE_UNCLAMPED (get_enum_type, "GstHoloParamEnum", G_TYPE_PARAM_ENUM)
DEFINE_UNCLAMPED (get_array_type, "GstHoloParamArray", GST_TYPE_PARAM_ARRAY_LIST)

/* ---- making them ---- */

#define PROPERTY_FLAGS (G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING)

static GParamSpec *
new_int64 (const gchar *name, const gchar *blurb, gint64 minimum, gint64 maximum, gint64 default_value)
{
  GParamSpec *pspec = g_param_spec_internal (get_int64_type (), name, name, blurb, PROPERTY_FLAGS);

  G_PARAM_SPEC_INT64 (pspec)->minimum = minimum;
  G_PARAM_SPEC_INT64 (pspec)->maximum = maximum;
  G_PARAM_SPEC_INT64 (pspec)->default_value = default_value;
  return pspec;
}

static GParamSpec *
new_double (const gchar *name, const gchar *blurb, gdouble minimum, gdouble maximum, gdouble default_value)
{
  GParamSpec *pspec = g_param_spec_internal (get_double_type (), name, name, blurb, PROPERTY_FLAGS);

  G_PARAM_SPEC_DOUBLE (pspec)->minimum = minimum;
  G_PARAM_SPEC_DOUBLE (pspec)->maximum = maximum;
  G_PARAM_SPEC_DOUBLE (pspec)->default_value = default_value;
  return pspec;
}

static GParamSpec *
new_enum (const gchar *name, const gchar *blurb, GParamSpecEnum *setting)
{
  GParamSpec *pspec = g_param_spec_internal (get_enum_type (), name, name, blurb, PROPERTY_FLAGS);

  pspec->value_type = G_ENUM_CLASS_TYPE (setting->enum_class);
  G_PARAM_SPEC_ENUM (pspec)->enum_class = g_type_class_ref (pspec->value_type);
  G_PARAM_SPEC_ENUM (pspec)->default_value = setting->default_value;
  gst_type_mark_as_plugin_api (pspec->value_type, 0);
  return pspec;
}

/* The range of int64 elements goes through double; only the outermost values lose by it, and they are no real
 * limits. */
static gint64
to_int64 (gdouble limit)
{
  if (limit >= (gdouble) G_MAXINT64)
    return G_MAXINT64;
  return limit <= (gdouble) G_MININT64 ? G_MININT64 : (gint64) limit;
}

static GParamSpec *
new_array (const gchar *name, const gchar *blurb, GParamSpec *setting)
{
  GParamSpec *pspec = g_param_spec_internal (get_array_type (), name, name, blurb, PROPERTY_FLAGS);
  gdouble minimum = -G_MAXDOUBLE, maximum = G_MAXDOUBLE;
  GParamSpec *element;

  holo_setting_get_range (setting, &minimum, &maximum);
  if (setting->value_type == HOLO_TYPE_INT64_ARRAY)
    element = new_int64 ("element", "One element", to_int64 (minimum), to_int64 (maximum), MAX (to_int64 (minimum), 0));
  else
    element = new_double ("element", "One element", minimum, maximum, MAX (minimum, 0));
  GST_PARAM_SPEC_ARRAY_LIST (pspec)->element_spec = g_param_spec_ref_sink (element);
  pspec->value_type = GST_TYPE_ARRAY;
  return pspec;
}

static gchar *
make_blurb (GParamSpec *setting)
{
  const gchar *unit = holo_setting_get_unit (setting), *blurb = g_param_spec_get_blurb (setting);
  HoloSettingFlags flags = holo_setting_get_flags (setting);
  const gchar *need = flags & HOLO_SETTING_REQUIRED ? "; must be set" : "";
  const gchar *json = setting->value_type == JSON_TYPE_NODE ? " (JSON)" : "";

  if (unit != NULL)
    return g_strdup_printf ("%s (%s)%s", blurb, unit, need);
  return g_strdup_printf ("%s%s%s", blurb, json, need);
}

GParamSpec *
gst_holo_setting_to_param_spec (GParamSpec *setting)
{
  g_autofree gchar *blurb = make_blurb (setting);
  const gchar *name = setting->name;

  if (G_IS_PARAM_SPEC_BOOLEAN (setting))
    return g_param_spec_boolean (name, name, blurb, G_PARAM_SPEC_BOOLEAN (setting)->default_value, PROPERTY_FLAGS);
  if (G_IS_PARAM_SPEC_INT64 (setting))
    return new_int64 (name, blurb, G_PARAM_SPEC_INT64 (setting)->minimum, G_PARAM_SPEC_INT64 (setting)->maximum,
                      G_PARAM_SPEC_INT64 (setting)->default_value);
  if (G_IS_PARAM_SPEC_DOUBLE (setting))
    return new_double (name, blurb, G_PARAM_SPEC_DOUBLE (setting)->minimum, G_PARAM_SPEC_DOUBLE (setting)->maximum,
                       G_PARAM_SPEC_DOUBLE (setting)->default_value);
  if (G_IS_PARAM_SPEC_ENUM (setting))
    return new_enum (name, blurb, G_PARAM_SPEC_ENUM (setting));
  if (setting->value_type == HOLO_TYPE_INT64_ARRAY || setting->value_type == HOLO_TYPE_DOUBLE_ARRAY)
    return new_array (name, blurb, setting);
  return g_param_spec_string (name, name, blurb,
                              G_IS_PARAM_SPEC_STRING (setting) ? G_PARAM_SPEC_STRING (setting)->default_value : NULL,
                              PROPERTY_FLAGS);
}

guint
gst_holo_settings_install (GObjectClass *klass, gpointer factory_class, guint first_id)
{
  guint n;
  g_autofree GParamSpec **settings = holo_settings_list (factory_class, &n);

  for (guint i = 0; i < n; i++)
    g_object_class_install_property (klass, first_id + i, gst_holo_setting_to_param_spec (settings[i]));
  return n;
}

/* ---- values ---- */

static gboolean
refuse (GParamSpec *setting, const GValue *value, GError **error)
{
  g_autofree gchar *allowed = holo_setting_describe_allowed (setting), *found = gst_value_serialize (value);

  g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "%s: %s is not allowed; expected %s", setting->name,
               found != NULL ? found : G_VALUE_TYPE_NAME (value), allowed);
  return FALSE;
}

/* Appends @element to @array as the setting's type. Whole numbers serve as numbers with decimals, not the
 * other way. */
static gboolean
append_element (GParamSpec *setting, GArray *array, const GValue *element)
{
  GValue number = G_VALUE_INIT;
  gboolean is_int = setting->value_type == HOLO_TYPE_INT64_ARRAY;
  gboolean is_float = G_VALUE_HOLDS_DOUBLE (element) || G_VALUE_HOLDS_FLOAT (element);
  gint64 integer;
  gdouble real;

  if (G_VALUE_HOLDS_STRING (element) || G_VALUE_HOLDS_BOOLEAN (element) || (is_int && is_float))
    return FALSE;
  g_value_init (&number, is_int ? G_TYPE_INT64 : G_TYPE_DOUBLE);
  if (!g_value_transform (element, &number))
    return FALSE;
  if (is_int)
    {
      integer = g_value_get_int64 (&number);
      g_array_append_val (array, integer);
    }
  else
    {
      real = g_value_get_double (&number);
      g_array_append_val (array, real);
    }
  return TRUE;
}

static gboolean
read_array (GParamSpec *setting, const GValue *value, GValue *converted, GError **error)
{
  gboolean is_list = GST_VALUE_HOLDS_LIST (value);
  guint n = is_list ? gst_value_list_get_size (value) : gst_value_array_get_size (value);
  g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < n; i++)
    if (!append_element (setting, array,
                         is_list ? gst_value_list_get_value (value, i) : gst_value_array_get_value (value, i)))
      return refuse (setting, value, error);
  g_value_init (converted, setting->value_type);
  g_value_take_boxed (converted, g_steal_pointer (&array));
  return TRUE;
}

gboolean
gst_holo_setting_from_property (GParamSpec *setting, const GValue *value, GValue *converted, GError **error)
{
  if (GST_VALUE_HOLDS_ARRAY (value) || GST_VALUE_HOLDS_LIST (value))
    {
      if (setting->value_type == HOLO_TYPE_INT64_ARRAY || setting->value_type == HOLO_TYPE_DOUBLE_ARRAY)
        return read_array (setting, value, converted, error);
      return refuse (setting, value, error);
    }
  g_value_init (converted, G_VALUE_TYPE (value));
  g_value_copy (value, converted);
  return TRUE;
}

static void
write_array (GParamSpec *setting, const GArray *array, GValue *value)
{
  g_value_reset (value);
  for (guint i = 0; array != NULL && i < array->len; i++)
    {
      GValue element = G_VALUE_INIT;

      if (setting->value_type == HOLO_TYPE_INT64_ARRAY)
        {
          g_value_init (&element, G_TYPE_INT64);
          g_value_set_int64 (&element, g_array_index (array, gint64, i));
        }
      else
        {
          g_value_init (&element, G_TYPE_DOUBLE);
          g_value_set_double (&element, g_array_index (array, gdouble, i));
        }
      gst_value_array_append_and_take_value (value, &element);
    }
}

void
gst_holo_setting_to_property (GParamSpec *setting, const GValue *setting_value, GValue *value)
{
  if (setting->value_type == HOLO_TYPE_INT64_ARRAY || setting->value_type == HOLO_TYPE_DOUBLE_ARRAY)
    write_array (setting, g_value_get_boxed (setting_value), value);
  else if (setting->value_type == JSON_TYPE_NODE)
    g_value_take_string (value, g_value_get_boxed (setting_value) != NULL
                                    ? holo_json_to_text (g_value_get_boxed (setting_value), FALSE)
                                    : NULL);
  else
    g_value_copy (setting_value, value);
}
