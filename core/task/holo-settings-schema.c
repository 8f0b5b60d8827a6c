/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One setting, and all settings of a kind, as JSON Schema. */
#include "task/holo-settings-private.h"


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
      /* Not through double: large limits must stay exact. And always: 1e300 is an integer to a validator. */
      gint64 low = G_IS_PARAM_SPEC_INT64 (pspec) ? G_PARAM_SPEC_INT64 (pspec)->minimum : info->int_minimum;
      gint64 high = G_IS_PARAM_SPEC_INT64 (pspec) ? G_PARAM_SPEC_INT64 (pspec)->maximum : info->int_maximum;

      json_object_set_int_member (schema, "minimum", low);
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

/* A setting of type JSON takes everything but this. */
static void
refuse_null (JsonObject *schema)
{
  JsonObject *null = json_object_new ();

  json_object_set_string_member (null, "type", "null");
  json_object_set_object_member (schema, "not", null);
}

/* "type": "array" or ["integer", "array", "null"]: a number alone is an array of one. */
static void
add_type (JsonObject *schema, GParamSpec *pspec, const gchar *element_type, gboolean nullable)
{
  const gchar *type = get_type_name (pspec);
  JsonArray *types;

  if (type == NULL)
    {
      if (!nullable)
        refuse_null (schema);
      return;
    }
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

/* (transfer full): the schema of a value of @pspec, whatever the name it is given by. */
JsonObject *
_holo_setting_to_json_schema (GParamSpec *pspec)
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
  /* Of an array too: they are those of a number alone. */
  add_limits (schema, pspec);
  if (G_IS_PARAM_SPEC_ENUM (pspec))
    add_nicks (schema, pspec, nullable);
  if (holo_setting_get_unit (pspec) != NULL)
    json_object_set_string_member (schema, "x-unit", holo_setting_get_unit (pspec));
  json_object_set_boolean_member (schema, "x-live", (flags & HOLO_SETTING_LIVE) != 0);
  add_default (schema, pspec, flags);
  return schema;
}

/**
 * holo_settings_to_json_schema:
 * @factory_class: a factory class
 *
 * The schema accepts what holo_settings_apply_json() and holo_settings_check_required() accept together, in
 * every spelling: '_' or '-', groups as nested objects or flat, aliases, `null`. JSON Schema has no word for
 * one thing only: 2.0 is an integer to it.
 *
 * Returns: (transfer full): a JSON Schema (2020-12) of the settings object; units are in "x-unit", and
 *   "x-live" says which settings can change while frames flow
 */
JsonNode *
holo_settings_to_json_schema (gpointer factory_class)
{
  JsonObject *schema = _holo_settings_group_to_json_schema (factory_class, "", FALSE);
  JsonArray *conditions = _holo_settings_list_spelling_conditions (factory_class);
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  const gchar *summary = holo_task_factory_class_get_summary (factory_class);

  json_object_set_string_member (schema, "$schema", HOLO_JSON_SCHEMA_DIALECT);
  if (summary != NULL)
    json_object_set_string_member (schema, "description", summary);
  if (json_array_get_length (conditions) > 0)
    json_object_set_array_member (schema, "allOf", conditions);
  else
    json_array_unref (conditions);
  json_node_take_object (node, schema);
  return node;
}
