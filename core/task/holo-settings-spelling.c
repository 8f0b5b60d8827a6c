/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The spellings of a setting's name, for the JSON Schema. "filter-r-inner" may be "filter_r_inner", "filter-r_inner",
 * an "r_inner" in an object "filter", and so on: between two words stands '-', '_' or the border of an object. These
 * are 3^(words - 1) spellings, of which a text may use one. A schema can only say so by listing them; names of settings
 * are short enough for that. */
#include "task/holo-settings-private.h"

#include <string.h>

/* What a key stands for, as the reader sees it. */
typedef struct
{
  GParamSpec *pspec;   /* a setting: by its name or an alias */
  const gchar *reason; /* an ignored key */
  gboolean is_group;   /* an object goes to the settings behind it */
  gboolean is_null;    /* `null` too */
} Meaning;

static gboolean
is_all_nullable (gpointer klass, const gchar *prefix)
{
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (klass, &n);

  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (pspecs[i]->name, prefix) && (holo_setting_get_flags (pspecs[i]) & HOLO_SETTING_NULLABLE) == 0)
      return FALSE;
  return TRUE;
}

static Meaning
get_meaning (gpointer klass, const gchar *name)
{
  g_autofree gchar *prefix = g_strconcat (name, "-", NULL);
  Meaning meaning = { .pspec = _holo_settings_find (klass, name) };

  if (meaning.pspec == NULL)
    meaning.reason = g_hash_table_lookup (_holo_factory_class_get_ignored (klass), name);
  meaning.is_group =
      (meaning.pspec == NULL || meaning.pspec->value_type != JSON_TYPE_NODE) && _holo_settings_is_group (klass, prefix);
  meaning.is_null =
      meaning.is_group && meaning.pspec == NULL && meaning.reason == NULL && is_all_nullable (klass, prefix);
  return meaning;
}

/* Every way to write @words as one key: "r_inner" first, which is how we write. */
static GPtrArray *
list_keys (const gchar *words)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  guint n_dashes = 0;

  for (const gchar *p = words; *p != '\0'; p++)
    n_dashes += *p == '-';
  for (guint mask = 0; mask < 1u << n_dashes; mask++)
    {
      gchar *key = g_strdup (words);
      guint dash = 0;

      for (gchar *p = key; *p != '\0'; p++)
        if (*p == '-' && (mask >> dash++ & 1) == 0)
          *p = '_';
      g_ptr_array_add (keys, key);
    }
  return keys;
}

/* All names that the kind knows, each once. */
static GHashTable *
list_names (gpointer klass)
{
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (klass, &n);
  GHashTableIter iter;
  gpointer name;

  for (guint i = 0; i < n; i++)
    g_hash_table_add (names, (gpointer) pspecs[i]->name);
  g_hash_table_iter_init (&iter, _holo_factory_class_get_aliases (klass));
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_hash_table_add (names, name);
  g_hash_table_iter_init (&iter, _holo_factory_class_get_ignored (klass));
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_hash_table_add (names, name);
  return names;
}

/* ---- what an object may hold ---- */

static JsonObject *
new_typed (const gchar *type)
{
  JsonObject *schema = json_object_new ();

  json_object_set_string_member (schema, "type", type);
  return schema;
}

static JsonObject *
new_ignored (const gchar *reason, gboolean is_group)
{
  JsonObject *schema = json_object_new ();
  g_autofree gchar *text = g_strdup_printf ("Ignored: %s", reason);

  json_object_set_string_member (schema, "description", text);
  json_object_set_boolean_member (schema, "deprecated", TRUE);
  if (is_group)
    json_object_set_object_member (schema, "not", new_typed ("object"));
  return schema;
}

static JsonObject *
new_either (JsonObject *a, JsonObject *b)
{
  JsonObject *schema = json_object_new ();
  JsonArray *options = json_array_new ();

  json_array_add_object_element (options, a);
  json_array_add_object_element (options, b);
  json_object_set_array_member (schema, "anyOf", options);
  return schema;
}

static JsonObject *
new_value (gpointer klass, const gchar *name)
{
  Meaning meaning = get_meaning (klass, name);
  g_autofree gchar *prefix = g_strconcat (name, "-", NULL);
  JsonObject *own = NULL, *group = NULL;

  if (meaning.pspec != NULL)
    own = _holo_setting_to_json_schema (meaning.pspec);
  else if (meaning.reason != NULL)
    own = new_ignored (meaning.reason, meaning.is_group);
  if (meaning.is_group)
    group = _holo_settings_group_to_json_schema (klass, prefix, meaning.is_null);
  if (own != NULL && group != NULL)
    return new_either (own, group);
  return own != NULL ? own : group;
}

/* Where the word that begins at @start ends. */
static gsize
end_of_word (const gchar *name, gsize start)
{
  return start + strcspn (name + start, "-");
}

/* The keys, in the object for @prefix, with which @name can begin: "r", "r_inner" and "r-inner". */
static void
add_properties (JsonObject *properties, gpointer klass, const gchar *prefix, const gchar *name)
{
  gsize start = strlen (prefix);

  for (gsize end = end_of_word (name, start);; end = end_of_word (name, end + 1))
    {
      g_autofree gchar *full = g_strndup (name, end);
      g_autoptr (GPtrArray) keys = list_keys (full + start);

      for (guint i = 0; i < keys->len; i++)
        if (!json_object_has_member (properties, keys->pdata[i]))
          json_object_set_object_member (properties, keys->pdata[i], new_value (klass, full));
      if (name[end] == '\0')
        break;
    }
}

/* (transfer full): the schema of the object that stands for @prefix ("filter-"); "" is all settings. */
JsonObject *
_holo_settings_group_to_json_schema (gpointer factory_class, const gchar *prefix, gboolean nullable)
{
  JsonObject *schema = json_object_new (), *properties = json_object_new ();
  g_autoptr (GHashTable) names = list_names (factory_class);
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (g_str_has_prefix (name, prefix))
      add_properties (properties, factory_class, prefix, name);
  if (nullable)
    {
      JsonArray *types = json_array_new ();

      json_array_add_string_element (types, "object");
      json_array_add_string_element (types, "null");
      json_object_set_array_member (schema, "type", types);
    }
  else
    json_object_set_string_member (schema, "type", "object");
  json_object_set_object_member (schema, "properties", properties);
  json_object_set_boolean_member (schema, "additionalProperties", FALSE);
  return schema;
}

/* ---- one spelling at a time ---- */

typedef struct
{
  gpointer klass;
  const gchar *name; /* of the setting, or an alias */
  gboolean is_alias;
  GPtrArray *keys; /* from the outermost object inwards, as far as they are chosen */
  JsonArray *ways; /* a schema for each spelling: "it is given in this one" */
} Spelling;

/* {"required": ["filter"], "properties": {"filter": {"type": "object", "required": ["r_inner"]}}}; @value (taken,
 * nullable) is what the innermost key holds. */
static void
add_way (Spelling *spelling, JsonObject *value)
{
  JsonObject *way = NULL;

  for (guint i = spelling->keys->len; i-- > 0; value = way)
    {
      const gchar *key = g_ptr_array_index (spelling->keys, i);
      JsonArray *required = json_array_new ();
      JsonObject *properties;

      way = i > 0 ? new_typed ("object") : json_object_new ();
      json_array_add_string_element (required, key);
      json_object_set_array_member (way, "required", required);
      if (value == NULL)
        continue;
      properties = json_object_new ();
      json_object_set_object_member (properties, key, value);
      json_object_set_object_member (way, "properties", properties);
    }
  json_array_add_object_element (spelling->ways, way);
}

/* The whole name is spelt. An object would be for the settings behind it. */
static void
end_spelling (Spelling *spelling)
{
  JsonObject *value = NULL;

  if (get_meaning (spelling->klass, spelling->name).is_group)
    {
      value = json_object_new ();
      json_object_set_object_member (value, "not", new_typed ("object"));
    }
  add_way (spelling, value);
}

/* The name is spelt up to @start; the rest is one key more or several. */
static void
spell_rest (Spelling *spelling, gsize start)
{
  const gchar *name = spelling->name;

  for (gsize end = end_of_word (name, start);; end = end_of_word (name, end + 1))
    {
      g_autofree gchar *full = g_strndup (name, end);
      g_autoptr (GPtrArray) keys = list_keys (full + start);
      Meaning meaning = get_meaning (spelling->klass, full);

      for (guint i = 0; i < keys->len; i++)
        {
          g_ptr_array_add (spelling->keys, keys->pdata[i]);
          if (name[end] == '\0')
            end_spelling (spelling);
          else if (meaning.is_group)
            {
              /* `null` for a group unsets the settings that are called so, not those with such an alias. */
              if (meaning.is_null && !spelling->is_alias)
                add_way (spelling, new_typed ("null"));
              spell_rest (spelling, end + 1);
            }
          g_ptr_array_set_size (spelling->keys, (gint) spelling->keys->len - 1);
        }
      if (name[end] == '\0')
        break;
    }
}

/* (transfer full): a schema for each way to give @pspec. */
static JsonArray *
list_ways (gpointer klass, GParamSpec *pspec)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  Spelling spelling = { .klass = klass, .name = pspec->name, .keys = keys, .ways = json_array_new () };
  GHashTableIter iter;
  gpointer alias, name;

  spell_rest (&spelling, 0);
  spelling.is_alias = TRUE;
  g_hash_table_iter_init (&iter, _holo_factory_class_get_aliases (klass));
  while (g_hash_table_iter_next (&iter, &alias, &name))
    if (g_str_equal (name, pspec->name))
      {
        spelling.name = alias;
        spell_rest (&spelling, 0);
      }
  return spelling.ways;
}

static JsonObject *
new_none_of (JsonArray *ways)
{
  JsonObject *schema = json_object_new (), *any = json_object_new ();

  json_object_set_array_member (any, "anyOf", ways);
  json_object_set_object_member (schema, "not", any);
  return schema;
}

/* (transfer full): what JSON Schema cannot say beside the single keys: a setting is given once, whatever the spelling,
 * and a required one is given. */
JsonArray *
_holo_settings_list_spelling_conditions (gpointer factory_class)
{
  JsonArray *conditions = json_array_new ();
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (factory_class, &n);

  for (guint i = 0; i < n; i++)
    {
      gboolean required = (holo_setting_get_flags (pspecs[i]) & HOLO_SETTING_REQUIRED) != 0;
      JsonArray *ways = list_ways (factory_class, pspecs[i]);
      JsonObject *condition;

      if (!required && json_array_get_length (ways) == 1)
        {
          json_array_unref (ways);
          continue;
        }
      condition = json_object_new ();
      if (!required)
        json_array_add_object_element (ways, new_none_of (list_ways (factory_class, pspecs[i])));
      json_object_set_array_member (condition, "oneOf", ways);
      json_array_add_object_element (conditions, condition);
    }
  return conditions;
}
