/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of a kind as JSON Schema, in the spelling that we write. The reader takes others too (docs/graph-format.md);
 * to list them all would take a schema of 3^(words - 1) names for each. */
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

/* "type": "integer" or ["integer", "null"]. A setting of type JSON takes everything, but perhaps null. */
static void
add_type (JsonObject *schema, const gchar *type, gboolean nullable)
{
  JsonArray *types = json_array_new ();
  JsonObject *null;

  if (type != NULL && nullable)
    {
      json_array_add_string_element (types, type);
      json_array_add_string_element (types, "null");
      json_object_set_array_member (schema, "type", types);
      return;
    }
  json_array_unref (types);
  if (type != NULL)
    json_object_set_string_member (schema, "type", type);
  else if (!nullable)
    {
      null = json_object_new ();
      json_object_set_string_member (null, "type", "null");
      json_object_set_object_member (schema, "not", null);
    }
}

static void
add_int_range (JsonObject *schema, gint64 minimum, gint64 maximum)
{
  /* Always: 1e300 is an integer to a validator. */
  json_object_set_int_member (schema, "minimum", minimum);
  json_object_set_int_member (schema, "maximum", maximum);
}

static void
add_double_range (JsonObject *schema, gdouble minimum, gdouble maximum)
{
  if (minimum > -G_MAXDOUBLE)
    json_object_set_double_member (schema, "minimum", minimum);
  if (maximum < G_MAXDOUBLE)
    json_object_set_double_member (schema, "maximum", maximum);
}

static void
add_items (JsonObject *schema, GParamSpec *pspec)
{
  const HoloSettingInfo *info = _holo_setting_get_info (pspec);
  JsonObject *items = json_object_new ();

  if (pspec->value_type == HOLO_TYPE_INT64_ARRAY)
    add_int_range (items, info->int_minimum, info->int_maximum);
  else
    add_double_range (items, info->double_minimum, info->double_maximum);
  add_type (items, pspec->value_type == HOLO_TYPE_INT64_ARRAY ? "integer" : "number", FALSE);
  json_object_set_object_member (schema, "items", items);
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
new_setting_schema (GParamSpec *pspec)
{
  JsonObject *schema = json_object_new ();
  HoloSettingFlags flags = holo_setting_get_flags (pspec);
  gboolean nullable = (flags & HOLO_SETTING_NULLABLE) != 0;
  const gchar *unit = holo_setting_get_unit (pspec);

  json_object_set_string_member (schema, "description", g_param_spec_get_blurb (pspec));
  add_type (schema, get_type_name (pspec), nullable);
  if (G_IS_PARAM_SPEC_INT64 (pspec))
    add_int_range (schema, G_PARAM_SPEC_INT64 (pspec)->minimum, G_PARAM_SPEC_INT64 (pspec)->maximum);
  else if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    add_double_range (schema, G_PARAM_SPEC_DOUBLE (pspec)->minimum, G_PARAM_SPEC_DOUBLE (pspec)->maximum);
  else if (G_IS_PARAM_SPEC_ENUM (pspec))
    add_nicks (schema, pspec, nullable);
  else if (pspec->value_type == HOLO_TYPE_INT64_ARRAY || pspec->value_type == HOLO_TYPE_DOUBLE_ARRAY)
    add_items (schema, pspec);
  if (unit != NULL)
    json_object_set_string_member (schema, "x-unit", unit);
  json_object_set_boolean_member (schema, "x-live", (flags & HOLO_SETTING_LIVE) != 0);
  add_default (schema, pspec, flags);
  return schema;
}

/**
 * holo_settings_to_json_schema:
 * @factory_class: a factory class
 *
 * The schema accepts what holo_settings_apply_json() and holo_settings_check_required() accept together, in the spelling of
 * holo_settings_get_json(). JSON Schema has no word for one thing: 2.0 is an integer to it.
 *
 * Returns: (transfer full): a JSON Schema (2020-12) of the settings object; units are in "x-unit", and
 *   "x-live" says which settings can change while frames flow
 *
 * Since: 0.1
 */
JsonNode *
holo_settings_to_json_schema (gpointer factory_class)
{
  JsonObject *schema = json_object_new (), *properties = json_object_new ();
  JsonArray *required = json_array_new ();
  const gchar *summary = holo_task_factory_class_get_summary (factory_class);
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (factory_class, &n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree gchar *name = _holo_setting_get_json_name (pspecs[i]->name);

      json_object_set_object_member (properties, name, new_setting_schema (pspecs[i]));
      if (holo_setting_get_flags (pspecs[i]) & HOLO_SETTING_REQUIRED)
        json_array_add_string_element (required, name);
    }
  json_object_set_string_member (schema, "$schema", HOLO_JSON_SCHEMA_DIALECT);
  json_object_set_string_member (schema, "type", "object");
  if (summary != NULL)
    json_object_set_string_member (schema, "description", summary);
  json_object_set_object_member (schema, "properties", properties);
  json_object_set_array_member (schema, "required", required);
  json_object_set_boolean_member (schema, "additionalProperties", FALSE);
  json_node_take_object (node, schema);
  return node;
}
