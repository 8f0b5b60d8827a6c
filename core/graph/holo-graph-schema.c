/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file format of graphs as JSON Schema, for editors. */
#include "graph/holo-graph.h"

#include "task/holo-registry.h"
#include "task/holo-settings-private.h"
#include "base/holo-json.h"

static JsonNode *parse (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

/* A schema that is simple enough to be written down. */
static JsonNode *
parse (const gchar *format, ...)
{
  g_autofree gchar *text = NULL;
  JsonNode *node;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  node = holo_json_parse (text, -1, NULL);
  g_assert (node != NULL);
  return node;
}

/* Kinds and their aliases. */
static JsonNode *
new_type_schema (HoloRegistry *registry, const gchar *kind)
{
  g_auto (GStrv) names = holo_registry_list_names (registry);
  JsonObject *schema = json_object_new ();
  JsonArray *allowed = json_array_new ();
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);

  for (guint i = 0; names[i] != NULL; i++)
    if (kind == NULL || g_str_equal (holo_registry_resolve_alias (registry, names[i]), kind))
      json_array_add_string_element (allowed, names[i]);
  json_object_set_array_member (schema, "enum", allowed);
  json_node_take_object (node, schema);
  return node;
}

/* A node of @kind has these settings. `null` is for "none". */
static JsonNode *
new_kind_rule (HoloRegistry *registry, const gchar *kind, JsonObject *settings)
{
  JsonArray *required = json_object_get_array_member (settings, "required");
  const gchar *null = json_array_get_length (required) > 0 ? "" : "{\"type\": \"null\"}, ";
  JsonNode *rule = parse ("{\"if\": {\"properties\": {}, \"required\": [\"type\"]}, \"then\": {\"properties\": "
                          "{\"params\": {\"anyOf\": [%s{\"$ref\": \"#/$defs/%s\"}]}}}}",
                          null, kind);
  JsonObject *condition = json_object_get_object_member (json_node_get_object (rule), "if");

  json_object_set_member (json_object_get_object_member (condition, "properties"), "type",
                          new_type_schema (registry, kind));
  return rule;
}

static void
add_kind (HoloRegistry *registry, const gchar *kind, JsonObject *definitions, JsonArray *rules)
{
  GTypeClass *klass = g_type_class_ref (holo_registry_get_factory_type (registry, kind, NULL));
  JsonNode *schema = holo_settings_to_json_schema (klass);

  /* Only a whole document has a dialect. */
  json_object_remove_member (json_node_get_object (schema), "$schema");
  json_object_set_member (definitions, kind, schema);
  json_array_add_element (rules, new_kind_rule (registry, kind, json_node_get_object (schema)));
  g_type_class_unref (klass);
}

static JsonNode *
new_node_schema (HoloRegistry *registry, JsonArray *rules)
{
  JsonNode *node = parse ("{\"type\": \"object\", \"required\": [\"type\", \"params\"], "
                          "\"properties\": {\"debug\": {\"type\": \"boolean\", \"default\": true}}}");
  JsonObject *schema = json_node_get_object (node);

  json_object_set_member (json_object_get_object_member (schema, "properties"), "type",
                          new_type_schema (registry, NULL));
  json_object_set_array_member (schema, "allOf", rules);
  return node;
}

static JsonNode *
new_edge_schema (void)
{
  return parse ("{\"type\": \"object\", \"required\": [\"from\", \"out\", \"to\", \"in\"], \"properties\": {"
                "\"from\": {\"type\": \"string\"}, \"out\": {\"type\": \"integer\", \"minimum\": 0}, "
                "\"to\": {\"type\": \"string\"}, \"in\": {\"type\": \"integer\", \"minimum\": 0}}}");
}

/**
 * holo_graph_get_json_schema:
 * @registry: the kinds that a graph may have
 *
 * What one place of the file says about another (that edges lead to nodes and slots that are there) is beyond a
 * schema; so is what tensors fit.
 *
 * Returns: (transfer full): a JSON Schema (2020-12) of graph files; "$defs" has the settings of each kind
 *
 * Since: 0.1
 */
JsonNode *
holo_graph_get_json_schema (HoloRegistry *registry)
{
  JsonNode *root =
      parse ("{\"$schema\": \"" HOLO_JSON_SCHEMA_DIALECT "\", \"title\": \"Holoflow graph\", "
             "\"type\": \"object\", \"required\": [\"nodes\"], \"properties\": {"
             "\"nodes\": {\"type\": \"object\", \"minProperties\": 1, \"propertyNames\": {\"minLength\": 1}}, "
             "\"edges\": {\"type\": \"array\"}}}");
  JsonObject *schema = json_node_get_object (root), *definitions = json_object_new ();
  JsonObject *properties = json_object_get_object_member (schema, "properties");
  JsonArray *rules = json_array_new ();
  g_auto (GStrv) kinds = holo_registry_list_kinds (registry);

  for (guint i = 0; kinds[i] != NULL; i++)
    add_kind (registry, kinds[i], definitions, rules);
  json_object_set_member (json_object_get_object_member (properties, "nodes"), "additionalProperties",
                          new_node_schema (registry, rules));
  json_object_set_member (json_object_get_object_member (properties, "edges"), "items", new_edge_schema ());
  json_object_set_object_member (schema, "$defs", definitions);
  return root;
}
