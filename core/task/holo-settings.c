/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declaring settings, and where their values are kept. */
#include "task/holo-settings-private.h"

#include <string.h>

#include "base/holo-json-private.h"

/* ---- types ---- */

/* A deep copy: what a plan has frozen must not change when somebody appends to the array he set. */
static GArray *
copy_array (GArray *array)
{
  return g_array_copy (array);
}

typedef GArray HoloInt64Array;
typedef GArray HoloDoubleArray;

G_DEFINE_BOXED_TYPE (HoloInt64Array, holo_int64_array, copy_array, g_array_unref)
G_DEFINE_BOXED_TYPE (HoloDoubleArray, holo_double_array, copy_array, g_array_unref)

static GQuark
setting_info_quark (void)
{
  return g_quark_from_static_string ("holo-setting-info");
}

/* ---- members ---- */

static gpointer
get_member (GObject *object, GParamSpec *pspec)
{
  return G_STRUCT_MEMBER_P (object, _holo_setting_get_info (pspec)->offset);
}

static void
free_member (GObject *object, GParamSpec *pspec)
{
  gpointer member = get_member (object, pspec);

  if (pspec->value_type == G_TYPE_STRING)
    g_clear_pointer ((gchar **) member, g_free);
  else if (pspec->value_type == JSON_TYPE_NODE)
    g_clear_pointer ((JsonNode **) member, json_node_unref);
  else if (G_TYPE_IS_BOXED (pspec->value_type))
    g_clear_pointer ((GArray **) member, g_array_unref);
}

/* A deep copy of a string, JSON (json_node_copy() shares the objects inside) or an array. */
static gpointer
copy_pointer (const GValue *value)
{
  JsonNode *copy;

  if (G_VALUE_HOLDS_STRING (value))
    return g_value_dup_string (value);
  if (!G_VALUE_HOLDS (value, JSON_TYPE_NODE))
    return g_value_dup_boxed (value);
  if (g_value_get_boxed (value) == NULL)
    return NULL;
  copy = _holo_json_copy (g_value_get_boxed (value));
  json_node_seal (copy);
  return copy;
}

static void
store_value (GObject *object, GParamSpec *pspec, const GValue *value)
{
  gpointer member = get_member (object, pspec), copy;
  GType type = pspec->value_type;

  if (type == G_TYPE_BOOLEAN)
    *(gboolean *) member = g_value_get_boolean (value);
  else if (type == G_TYPE_INT64)
    *(gint64 *) member = g_value_get_int64 (value);
  else if (type == G_TYPE_DOUBLE)
    *(gdouble *) member = g_value_get_double (value);
  else if (G_TYPE_IS_ENUM (type))
    *(gint *) member = g_value_get_enum (value);
  else
    {
      copy = copy_pointer (value);
      free_member (object, pspec);
      *(gpointer *) member = copy;
    }
}

static void
setting_set_property (GObject *object, guint property_id, const GValue *value, GParamSpec *pspec)
{
  store_value (object, pspec, value);
  g_hash_table_add (_holo_task_factory_get_set_names (HOLO_TASK_FACTORY (object)), (gpointer) pspec->name);
}

static void
setting_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  gpointer member = get_member (object, pspec);
  GType type = pspec->value_type;

  if (type == G_TYPE_BOOLEAN)
    g_value_set_boolean (value, *(gboolean *) member);
  else if (type == G_TYPE_INT64)
    g_value_set_int64 (value, *(gint64 *) member);
  else if (type == G_TYPE_DOUBLE)
    g_value_set_double (value, *(gdouble *) member);
  else if (G_TYPE_IS_ENUM (type))
    g_value_set_enum (value, *(gint *) member);
  else if (type == G_TYPE_STRING)
    g_value_set_string (value, *(gchar **) member);
  else
    g_value_set_boxed (value, *(gpointer *) member);
}

/* Members hold the declared defaults before anybody sets a property: settings are no construct properties,
 * since these would count as set. */
void
_holo_settings_init_members (HoloTaskFactory *factory)
{
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (HOLO_TASK_FACTORY_GET_CLASS (factory), &n);

  for (guint i = 0; i < n; i++)
    store_value (G_OBJECT (factory), pspecs[i], g_param_spec_get_default_value (pspecs[i]));
}

void
_holo_settings_free_members (HoloTaskFactory *factory)
{
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (HOLO_TASK_FACTORY_GET_CLASS (factory), &n);

  for (guint i = 0; i < n; i++)
    free_member (G_OBJECT (factory), pspecs[i]);
}

/* ---- declaring ---- */

static HoloSettingInfo *
install (gpointer klass, GParamSpec *pspec, const gchar *unit, HoloSettingFlags flags, gsize offset)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  HoloSettingInfo *info = g_new0 (HoloSettingInfo, 1);
  guint n;

  g_free (holo_settings_list (klass, &n));
  info->flags = flags;
  info->unit = unit;
  info->offset = offset;
  g_param_spec_set_qdata_full (pspec, setting_info_quark (), info, g_free);
  /* GObject clears both in the class of every subclass, so each class that declares a setting sets them
   * again. */
  object_class->set_property = setting_set_property;
  object_class->get_property = setting_get_property;
  /* Growing ids keep the order of declaration. */
  g_object_class_install_property (object_class, n + 1, pspec);
  return info;
}

#define SETTING_PARAM_FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)

/**
 * holo_settings_install_boolean:
 * @klass: a factory class, in its class_init
 * @name: name of the setting, words joined by "-"; JSON may also write "_"
 * @blurb: one line for people, without a full stop
 * @default_value: value when it is not set
 * @flags: what holds for it
 * @offset: of the member in the instance structure of the factory, G_STRUCT_OFFSET()
 *
 * Declares a setting whose member is a gboolean.
 *
 * Since: 0.1
 */
void
holo_settings_install_boolean (gpointer klass, const gchar *name, const gchar *blurb, gboolean default_value,
                               HoloSettingFlags flags, gsize offset)
{
  install (klass, g_param_spec_boolean (name, name, blurb, default_value, SETTING_PARAM_FLAGS), NULL, flags, offset);
}

/**
 * holo_settings_install_int64:
 * @klass: a factory class, in its class_init
 * @name: name of the setting, words joined by "-"; JSON may also write "_"
 * @blurb: one line for people, without a full stop
 * @unit: (nullable): what it counts ("frames"), or %NULL
 * @minimum: least value
 * @maximum: greatest value
 * @default_value: value when it is not set
 * @flags: what holds for it
 * @offset: of the member in the instance structure of the factory, G_STRUCT_OFFSET()
 *
 * Declares a setting whose member is a gint64.
 *
 * Since: 0.1
 */
void
holo_settings_install_int64 (gpointer klass, const gchar *name, const gchar *blurb, const gchar *unit, gint64 minimum,
                             gint64 maximum, gint64 default_value, HoloSettingFlags flags, gsize offset)
{
  install (klass, g_param_spec_int64 (name, name, blurb, minimum, maximum, default_value, SETTING_PARAM_FLAGS), unit,
           flags, offset);
}

/**
 * holo_settings_install_double:
 * @klass: a factory class, in its class_init
 * @name: name of the setting, words joined by "-"; JSON may also write "_"
 * @blurb: one line for people, without a full stop
 * @unit: (nullable): what it is measured in ("pixels"), or %NULL
 * @minimum: least value
 * @maximum: greatest value
 * @default_value: value when it is not set
 * @flags: what holds for it
 * @offset: of the member in the instance structure of the factory, G_STRUCT_OFFSET()
 *
 * Declares a setting whose member is a gdouble.
 *
 * Since: 0.1
 */
void
holo_settings_install_double (gpointer klass, const gchar *name, const gchar *blurb, const gchar *unit, gdouble minimum,
                              gdouble maximum, gdouble default_value, HoloSettingFlags flags, gsize offset)
{
  install (klass, g_param_spec_double (name, name, blurb, minimum, maximum, default_value, SETTING_PARAM_FLAGS), unit,
           flags, offset);
}

/**
 * holo_settings_install_string:
 * @klass: a factory class, in its class_init
 * @name: name of the setting, words joined by "-"; JSON may also write "_"
 * @blurb: one line for people, without a full stop
 * @default_value: (nullable): value when it is not set
 * @flags: what holds for it
 * @offset: of the member in the instance structure of the factory, G_STRUCT_OFFSET()
 *
 * Declares a setting whose member is a gchar *, owned by the factory.
 *
 * Since: 0.1
 */
void
holo_settings_install_string (gpointer klass, const gchar *name, const gchar *blurb, const gchar *default_value,
                              HoloSettingFlags flags, gsize offset)
{
  install (klass, g_param_spec_string (name, name, blurb, default_value, SETTING_PARAM_FLAGS), NULL, flags, offset);
}

/**
 * holo_settings_install_enum:
 * @klass: a factory class, in its class_init
 * @name: name of the setting, words joined by "-"; JSON may also write "_"
 * @blurb: one line for people, without a full stop
 * @enum_type: a registered enumeration; its nicks are the names that JSON uses
 * @default_value: value when it is not set
 * @flags: what holds for it
 * @offset: of the member in the instance structure of the factory, G_STRUCT_OFFSET()
 *
 * Declares a setting whose member is an enumeration.
 *
 * Since: 0.1
 */
void
holo_settings_install_enum (gpointer klass, const gchar *name, const gchar *blurb, GType enum_type, gint default_value,
                            HoloSettingFlags flags, gsize offset)
{
  install (klass, g_param_spec_enum (name, name, blurb, enum_type, default_value, SETTING_PARAM_FLAGS), NULL, flags,
           offset);
}

/**
 * holo_settings_install_int64_array:
 * @klass: a factory class, in its class_init
 * @name: name of the setting, words joined by "-"; JSON may also write "_"
 * @blurb: one line for people, without a full stop
 * @unit: (nullable): what the elements count, or %NULL
 * @minimum: least element
 * @maximum: greatest element
 * @flags: what holds for it
 * @offset: of the member in the instance structure of the factory, G_STRUCT_OFFSET()
 *
 * Declares a setting whose member is a #GArray of gint64, owned by the factory; %NULL while it is not set.
 *
 * Since: 0.1
 */
void
holo_settings_install_int64_array (gpointer klass, const gchar *name, const gchar *blurb, const gchar *unit,
                                   gint64 minimum, gint64 maximum, HoloSettingFlags flags, gsize offset)
{
  HoloSettingInfo *info = install (
      klass, g_param_spec_boxed (name, name, blurb, HOLO_TYPE_INT64_ARRAY, SETTING_PARAM_FLAGS), unit, flags, offset);

  info->int_minimum = minimum;
  info->int_maximum = maximum;
}

/**
 * holo_settings_install_double_array:
 * @klass: a factory class, in its class_init
 * @name: name of the setting, words joined by "-"; JSON may also write "_"
 * @blurb: one line for people, without a full stop
 * @unit: (nullable): what the elements are measured in, or %NULL
 * @minimum: least element
 * @maximum: greatest element
 * @flags: what holds for it
 * @offset: of the member in the instance structure of the factory, G_STRUCT_OFFSET()
 *
 * Declares a setting whose member is a #GArray of gdouble, owned by the factory; %NULL while it is not set.
 *
 * Since: 0.1
 */
void
holo_settings_install_double_array (gpointer klass, const gchar *name, const gchar *blurb, const gchar *unit,
                                    gdouble minimum, gdouble maximum, HoloSettingFlags flags, gsize offset)
{
  HoloSettingInfo *info = install (
      klass, g_param_spec_boxed (name, name, blurb, HOLO_TYPE_DOUBLE_ARRAY, SETTING_PARAM_FLAGS), unit, flags, offset);

  info->double_minimum = minimum;
  info->double_maximum = maximum;
}

/**
 * holo_settings_install_json:
 * @klass: a factory class, in its class_init
 * @name: name of the setting, words joined by "-"; JSON may also write "_"
 * @blurb: one line for people, without a full stop
 * @flags: what holds for it
 * @offset: of the member in the instance structure of the factory, G_STRUCT_OFFSET()
 *
 * Declares a setting whose member is a #JsonNode, owned by the factory: any JSON; %NULL while it is not set.
 *
 * Since: 0.1
 */
void
holo_settings_install_json (gpointer klass, const gchar *name, const gchar *blurb, HoloSettingFlags flags, gsize offset)
{
  install (klass, g_param_spec_boxed (name, name, blurb, JSON_TYPE_NODE, SETTING_PARAM_FLAGS), NULL, flags, offset);
}

static const gchar *
intern_canonical (const gchar *name)
{
  g_autofree gchar *canonical = _holo_setting_canonicalize (name);

  return g_intern_string (canonical);
}

/**
 * holo_settings_add_alias:
 * @klass: a factory class
 * @name: a setting
 * @alias: a second name for it
 *
 * Since: 0.1
 */
void
holo_settings_add_alias (gpointer klass, const gchar *name, const gchar *alias)
{
  g_hash_table_insert (_holo_factory_class_get_aliases (klass), (gpointer) intern_canonical (alias),
                       (gpointer) intern_canonical (name));
}

/**
 * holo_settings_add_ignored:
 * @klass: a factory class
 * @key: a key of the original without meaning here; nested keys as one name with dashes
 * @reason: why, for the warning: "memory is planned"
 *
 * Since: 0.1
 */
void
holo_settings_add_ignored (gpointer klass, const gchar *key, const gchar *reason)
{
  g_hash_table_insert (_holo_factory_class_get_ignored (klass), (gpointer) intern_canonical (key),
                       (gpointer) g_intern_string (reason));
}

/* ---- asking ---- */

HoloSettingInfo *
_holo_setting_get_info (GParamSpec *pspec)
{
  return g_param_spec_get_qdata (pspec, setting_info_quark ());
}

/**
 * holo_setting_is_setting:
 * @pspec: any property
 *
 * Returns: whether it is a setting, made by holo_settings_install_int64() or one of its like
 *
 * Since: 0.1
 */
gboolean
holo_setting_is_setting (GParamSpec *pspec)
{
  return _holo_setting_get_info (pspec) != NULL;
}

/**
 * holo_setting_get_flags:
 * @pspec: a property that holo_settings_install_int64() or one of its like made
 *
 * Returns: what was given there
 *
 * Since: 0.1
 */
HoloSettingFlags
holo_setting_get_flags (GParamSpec *pspec)
{
  return _holo_setting_get_info (pspec)->flags;
}

/**
 * holo_setting_get_unit:
 * @pspec: a setting
 *
 * Returns: (nullable): its unit, "frames"
 *
 * Since: 0.1
 */
const gchar *
holo_setting_get_unit (GParamSpec *pspec)
{
  return _holo_setting_get_info (pspec)->unit;
}

/**
 * holo_setting_get_range:
 * @pspec: a setting
 * @minimum: (out): smallest value, of the elements for an array
 * @maximum: (out): largest value
 *
 * Returns: %FALSE when the type has no range
 *
 * Since: 0.1
 */
gboolean
holo_setting_get_range (GParamSpec *pspec, gdouble *minimum, gdouble *maximum)
{
  const HoloSettingInfo *info = _holo_setting_get_info (pspec);

  if (G_IS_PARAM_SPEC_INT64 (pspec))
    {
      *minimum = (gdouble) G_PARAM_SPEC_INT64 (pspec)->minimum;
      *maximum = (gdouble) G_PARAM_SPEC_INT64 (pspec)->maximum;
    }
  else if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    {
      *minimum = G_PARAM_SPEC_DOUBLE (pspec)->minimum;
      *maximum = G_PARAM_SPEC_DOUBLE (pspec)->maximum;
    }
  else if (pspec->value_type == HOLO_TYPE_INT64_ARRAY)
    {
      *minimum = (gdouble) info->int_minimum;
      *maximum = (gdouble) info->int_maximum;
    }
  else if (pspec->value_type == HOLO_TYPE_DOUBLE_ARRAY)
    {
      *minimum = info->double_minimum;
      *maximum = info->double_maximum;
    }
  else
    return FALSE;
  return TRUE;
}

/**
 * holo_settings_list:
 * @factory_class: a factory class
 * @n_settings: (out): their number
 *
 * Returns: (transfer container) (array length=n_settings): the settings in the order of declaration, those of
 *   parent classes first; free the array with g_free()
 *
 * Since: 0.1
 */
GParamSpec **
holo_settings_list (gpointer factory_class, guint *n_settings)
{
  guint n_properties, n = 0;
  GParamSpec **pspecs = g_object_class_list_properties (G_OBJECT_CLASS (factory_class), &n_properties);

  for (guint i = 0; i < n_properties; i++)
    if (holo_setting_is_setting (pspecs[i]))
      pspecs[n++] = pspecs[i];
  *n_settings = n;
  return pspecs;
}

/**
 * holo_settings_list_aliases:
 * @factory_class: a factory class
 * @name: a setting
 *
 * Returns: (transfer full): its second names, in alphabetical order and as JSON writes them; mostly none
 *
 * Since: 0.1
 */
GStrv
holo_settings_list_aliases (gpointer factory_class, const gchar *name)
{
  g_autoptr (GList) aliases = g_hash_table_get_keys (_holo_factory_class_get_aliases (factory_class));
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  aliases = g_list_sort (aliases, (GCompareFunc) strcmp);
  for (GList *l = aliases; l != NULL; l = l->next)
    if (g_str_equal (g_hash_table_lookup (_holo_factory_class_get_aliases (factory_class), l->data), name))
      {
        g_autofree gchar *json_name = _holo_setting_get_json_name (l->data);

        g_strv_builder_add (builder, json_name);
      }
  return g_strv_builder_end (builder);
}

/* "max_fps" and "max-fps" are one name. */
gchar *
_holo_setting_canonicalize (const gchar *name)
{
  return g_strdelimit (g_strdup (name), "_", '-');
}

/* The original's spelling, which is what we write. */
gchar *
_holo_setting_get_json_name (const gchar *name)
{
  return g_strdelimit (g_strdup (name), "-", '_');
}

/* By name or alias, in either spelling. */
GParamSpec *
_holo_settings_find (gpointer factory_class, const gchar *name)
{
  g_autofree gchar *canonical = _holo_setting_canonicalize (name);
  const gchar *target = g_hash_table_lookup (_holo_factory_class_get_aliases (factory_class), canonical);
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_CLASS (factory_class), target != NULL ? target : canonical);

  return pspec != NULL && holo_setting_is_setting (pspec) ? pspec : NULL;
}

/**
 * holo_settings_is_set:
 * @factory: a factory
 * @name: a setting
 *
 * Returns: whether it was given a value (by JSON, holo_settings_apply_value() or g_object_set())
 *
 * Since: 0.1
 */
gboolean
holo_settings_is_set (HoloTaskFactory *factory, const gchar *name)
{
  GParamSpec *pspec = _holo_settings_find (HOLO_TASK_FACTORY_GET_CLASS (factory), name);

  g_return_val_if_fail (pspec != NULL, FALSE);

  return g_hash_table_contains (_holo_task_factory_get_set_names (factory), pspec->name);
}
