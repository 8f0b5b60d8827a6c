/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings as JSON Schema. */
#include "holo-settings-private.h"

#include "graph/holo-json-private.h"

static const gchar *
get_type_name (GParamSpec *pspec)
{
  if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    return "boolean";
  if (G_IS_PARAM_SPEC_INT64 (pspec))
    return "integer";
  if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    return "number";
  if (G_IS_PARAM_SPEC_STRING (pspec) || G_IS_PARAM_SPEC_ENUM (pspec))
    return "string";
  return pspec->value_type == JSON_TYPE_NODE ? NULL : "array";
}

static void
add_limits (JsonObject *schema, GParamSpec *pspec)
{
  const HoloSettingInfo *info = _holo_setting_get_info (pspec);
  gdouble minimum, maximum;

  if (G_IS_PARAM_SPEC_INT64 (pspec) || pspec->value_type == HOLO_TYPE_INT64_ARRAY)
    {
      /* Not through double: large limits must stay exact. */
      gint64 low = G_IS_PARAM_SPEC_INT64 (pspec) ? G_PARAM_SPEC_INT64 (pspec)->minimum : info->int_minimum;
      gint64 high = G_IS_PARAM_SPEC_INT64 (pspec) ? G_PARAM_SPEC_INT64 (pspec)->maximum : info->int_maximum;

      if (low > G_MININT64)
        json_object_set_int_member (schema, "minimum", low);
      if (high < G_MAXINT64)
        json_object_set_int_member (schema, "maximum", high);
    }
  else if (holo_setting_get_range (pspec, &minimum, &maximum))
    {
      if (minimum > -G_MAXDOUBLE)
        json_object_set_double_member (schema, "minimum", minimum);
      if (maximum < G_MAXDOUBLE)
        json_object_set_double_member (schema, "maximum", maximum);
    }
}

static void
add_nicks (JsonObject *schema, GParamSpec *pspec, gboolean nullable)
{
  const GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;
  JsonArray *nicks = json_array_new ();

  for (guint i = 0; i < klass->n_values; i++)
    json_array_add_string_element (nicks, klass->values[i].value_nick);
  if (nullable)
    json_array_add_null_element (nicks);
  json_object_set_array_member (schema, "enum", nicks);
}

/* "type": "array" or ["integer", "array", "null"]: a number alone is an array of one. */
static void
add_type (JsonObject *schema, GParamSpec *pspec, const gchar *element_type, gboolean nullable)
{
  const gchar *type = get_type_name (pspec);
  JsonArray *types;

  if (type == NULL)
    return;
  if (!nullable && element_type == NULL)
    {
      json_object_set_string_member (schema, "type", type);
      return;
    }
  types = json_array_new ();
  json_array_add_string_element (types, type);
  if (element_type != NULL)
    json_array_add_string_element (types, element_type);
  if (nullable)
    json_array_add_string_element (types, "null");
  json_object_set_array_member (schema, "type", types);
}

static void
add_default (JsonObject *schema, GParamSpec *pspec, HoloSettingFlags flags)
{
  JsonNode *node;

  if (flags & (HOLO_SETTING_REQUIRED | HOLO_SETTING_NULLABLE))
    return;
  node = holo_setting_to_json (pspec, g_param_spec_get_default_value (pspec));
  if (JSON_NODE_HOLDS_NULL (node))
    json_node_unref (node);
  else
    json_object_set_member (schema, "default", node);
}

static JsonObject *
get_schema (GParamSpec *pspec)
{
  JsonObject *schema = json_object_new ();
  HoloSettingFlags flags = holo_setting_get_flags (pspec);
  gboolean nullable = (flags & HOLO_SETTING_NULLABLE) != 0;

  json_object_set_string_member (schema, "description", g_param_spec_get_blurb (pspec));
  if (pspec->value_type == HOLO_TYPE_INT64_ARRAY || pspec->value_type == HOLO_TYPE_DOUBLE_ARRAY)
    {
      const gchar *element_type = pspec->value_type == HOLO_TYPE_INT64_ARRAY ? "integer" : "number";
      JsonObject *items = json_object_new ();

      add_type (schema, pspec, element_type, nullable);
      json_object_set_string_member (items, "type", element_type);
      add_limits (items, pspec);
      json_object_set_object_member (schema, "items", items);
    }
  else
    add_type (schema, pspec, NULL, nullable);
  if (!G_TYPE_IS_BOXED (pspec->value_type))
    add_limits (schema, pspec);
  if (G_IS_PARAM_SPEC_ENUM (pspec))
    add_nicks (schema, pspec, nullable);
  if (holo_setting_get_unit (pspec) != NULL)
    json_object_set_string_member (schema, "x-unit", holo_setting_get_unit (pspec));
  json_object_set_boolean_member (schema, "x-live", (flags & HOLO_SETTING_LIVE) != 0);
  add_default (schema, pspec, flags);
  return schema;
}

static void
add_aliases (JsonObject *properties, gpointer factory_class)
{
  GHashTableIter iter;
  gpointer alias, name;

  g_hash_table_iter_init (&iter, _holo_factory_class_get_aliases (factory_class));
  while (g_hash_table_iter_next (&iter, &alias, &name))
    {
      GParamSpec *pspec = _holo_settings_find (factory_class, name);
      g_autofree gchar *json_name = _holo_setting_get_json_name (alias);

      if (pspec != NULL)
        json_object_set_object_member (properties, json_name, get_schema (pspec));
    }
}

static void
add_ignored (JsonObject *properties, gpointer factory_class)
{
  GHashTableIter iter;
  gpointer key, reason;

  g_hash_table_iter_init (&iter, _holo_factory_class_get_ignored (factory_class));
  while (g_hash_table_iter_next (&iter, &key, &reason))
    {
      JsonObject *schema = json_object_new ();
      g_autofree gchar *json_name = _holo_setting_get_json_name (key);
      g_autofree gchar *text = g_strdup_printf ("Ignored: %s", (const gchar *) reason);

      json_object_set_string_member (schema, "description", text);
      json_object_set_boolean_member (schema, "deprecated", TRUE);
      json_object_set_object_member (properties, json_name, schema);
    }
}

static void
add_option (JsonArray *options, const gchar *name)
{
  g_autofree gchar *json_name = _holo_setting_get_json_name (name);
  JsonObject *option = json_object_new ();
  JsonArray *required = json_array_new ();

  json_array_add_string_element (required, json_name);
  json_object_set_array_member (option, "required", required);
  json_array_add_object_element (options, option);
}

/* {"anyOf": [{"required": ["axes"]}, {"required": ["axis"]}]} */
static void
add_required (JsonArray *conditions, gpointer factory_class, GParamSpec *pspec)
{
  JsonArray *options = json_array_new ();
  JsonObject *condition = json_object_new ();
  GHashTableIter iter;
  gpointer alias, name;

  add_option (options, pspec->name);
  g_hash_table_iter_init (&iter, _holo_factory_class_get_aliases (factory_class));
  while (g_hash_table_iter_next (&iter, &alias, &name))
    if (g_str_equal (name, pspec->name))
      add_option (options, alias);
  json_object_set_array_member (condition, "anyOf", options);
  json_array_add_object_element (conditions, condition);
}

/**
 * holo_settings_to_json_schema:
 * @factory_class: a factory class
 *
 * The schema describes the form that this library writes: flat names with '_'. What it also reads (dashes,
 * groups as nested objects) is not in it.
 *
 * Returns: (transfer full): a JSON Schema (2020-12) of the settings object; units are in "x-unit", and
 *   "x-live" says which settings can change while frames flow
 */
JsonNode *
holo_settings_to_json_schema (gpointer factory_class)
{
  JsonObject *schema = json_object_new (), *properties = json_object_new ();
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  JsonArray *conditions = json_array_new ();
  const gchar *summary = holo_task_factory_class_get_summary (factory_class);
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (factory_class, &n);

  json_object_set_string_member (schema, "$schema", "https://json-schema.org/draft/2020-12/schema");
  if (summary != NULL)
    json_object_set_string_member (schema, "description", summary);
  json_object_set_string_member (schema, "type", "object");
  for (guint i = 0; i < n; i++)
    {
      g_autofree gchar *json_name = _holo_setting_get_json_name (pspecs[i]->name);

      json_object_set_object_member (properties, json_name, get_schema (pspecs[i]));
      if (holo_setting_get_flags (pspecs[i]) & HOLO_SETTING_REQUIRED)
        add_required (conditions, factory_class, pspecs[i]);
    }
  add_aliases (properties, factory_class);
  add_ignored (properties, factory_class);
  json_object_set_object_member (schema, "properties", properties);
  if (json_array_get_length (conditions) > 0)
    json_object_set_array_member (schema, "allOf", conditions);
  else
    json_array_unref (conditions);
  json_object_set_boolean_member (schema, "additionalProperties", FALSE);
  json_node_take_object (node, schema);
  return node;
}
