/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Giving a factory its settings, all of them or none, and reading them back. */
#include "task/holo-settings-private.h"

#include <string.h>

#include "base/holo-json-private.h"
#include "base/holo-error.h"
#include "base/holo-nearest-names-private.h"
#include "task/holo-registry.h"

/* ---- one change ---- */

typedef struct
{
  GParamSpec *pspec;
  GValue value;
  gboolean unset; /* JSON null */
  gchar *path;
} Change;

static void
change_free (Change *change)
{
  if (G_IS_VALUE (&change->value))
    g_value_unset (&change->value);
  g_free (change->path);
  g_free (change);
}

static void
set_value (HoloTaskFactory *factory, GParamSpec *pspec, const GValue *value, gboolean unset)
{
  g_object_set_property (G_OBJECT (factory), pspec->name, unset ? g_param_spec_get_default_value (pspec) : value);
  if (unset)
    g_hash_table_remove (_holo_task_factory_get_set_names (factory), pspec->name);
}

/* ---- a JSON object ---- */

typedef struct
{
  HoloTaskFactory *factory;
  GPtrArray *changes;  /* of Change */
  GPtrArray *warnings; /* of text */
} Reading;

static gpointer
get_class (Reading *reading)
{
  return HOLO_TASK_FACTORY_GET_CLASS (reading->factory);
}

static gboolean
add_change (Reading *reading, GParamSpec *pspec, JsonNode *node, const gchar *path, GError **error)
{
  Change *change;

  for (guint i = 0; i < reading->changes->len; i++)
    {
      const Change *other = g_ptr_array_index (reading->changes, i);

      if (other->pspec == pspec)
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING,
                       "%s: the setting \"%s\" is already given by %s; leave one out", path, pspec->name, other->path);
          return FALSE;
        }
    }
  change = g_new0 (Change, 1);
  change->pspec = pspec;
  change->path = g_strdup (path);
  change->unset = JSON_NODE_HOLDS_NULL (node);
  g_ptr_array_add (reading->changes, change);
  return holo_setting_value_from_json (pspec, node, path, &change->value, error);
}

/* The names that JSON may use, as it writes them. */
static GStrv
list_json_names (gpointer klass, gboolean with_aliases)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (klass, &n);
  GHashTableIter iter;
  gpointer alias;

  for (guint i = 0; i < n; i++)
    {
      g_autofree gchar *name = _holo_setting_get_json_name (pspecs[i]->name);

      g_strv_builder_add (builder, name);
    }
  g_hash_table_iter_init (&iter, _holo_factory_class_get_aliases (klass));
  while (with_aliases && g_hash_table_iter_next (&iter, &alias, NULL))
    {
      g_autofree gchar *name = _holo_setting_get_json_name (alias);

      g_strv_builder_add (builder, name);
    }
  return g_strv_builder_end (builder);
}

static void
set_unknown_error (HoloTaskFactory *factory, const gchar *path, const gchar *name, GError **error)
{
  gpointer klass = HOLO_TASK_FACTORY_GET_CLASS (factory);
  const gchar *kind = holo_task_factory_get_kind (factory);
  g_auto (GStrv) candidates = list_json_names (klass, TRUE), names = list_json_names (klass, FALSE);
  g_autofree gchar *json_name = _holo_setting_get_json_name (name), *list = g_strjoinv (", ", names);
  g_autofree gchar *quoted = _holo_json_quote (json_name);
  g_autofree gchar *suggestion = _holo_did_you_mean (json_name, (const gchar *const *) candidates);

  if (names[0] == NULL)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "%s: %s has no setting %s; it has none at all", path, kind,
                 quoted);
  else
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "%s: %s has no setting %s%s%s %s", path, kind, quoted,
                 suggestion, *suggestion != '\0' ? " It has" : "; it has", list);
}

GParamSpec *
_holo_settings_require (HoloTaskFactory *factory, const gchar *name, const gchar *path, GError **error)
{
  GParamSpec *pspec = _holo_settings_find (HOLO_TASK_FACTORY_GET_CLASS (factory), name);

  if (pspec == NULL)
    set_unknown_error (factory, path, name, error);
  return pspec;
}

static gboolean
any_begins_with (GHashTable *names, const gchar *prefix)
{
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (g_str_has_prefix (name, prefix))
      return TRUE;
  return FALSE;
}

/* Whether "filter-" begins names of settings, aliases or ignored keys: then "filter" may be an object. */
static gboolean
is_group (gpointer klass, const gchar *prefix)
{
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (klass, &n);

  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (pspecs[i]->name, prefix))
      return TRUE;
  return any_begins_with (_holo_factory_class_get_aliases (klass), prefix) ||
         any_begins_with (_holo_factory_class_get_ignored (klass), prefix);
}

/* `null` for a group leaves all of it unset. */
static gboolean
add_group_null (Reading *reading, const gchar *prefix, JsonNode *node, const gchar *path, GError **error)
{
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (get_class (reading), &n);

  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (pspecs[i]->name, prefix) && !add_change (reading, pspecs[i], node, path, error))
      return FALSE;
  return TRUE;
}

static gboolean read_object (Reading *reading, JsonObject *object, const gchar *path, const gchar *prefix,
                             GError **error);

static gboolean
read_member (Reading *reading, const gchar *name, JsonNode *node, const gchar *path, GError **error)
{
  gpointer klass = get_class (reading);
  g_autofree gchar *prefix = g_strconcat (name, "-", NULL);
  GParamSpec *pspec = _holo_settings_find (klass, name);
  const gchar *reason;

  if (JSON_NODE_HOLDS_OBJECT (node) && is_group (klass, prefix) &&
      (pspec == NULL || pspec->value_type != JSON_TYPE_NODE))
    return read_object (reading, json_node_get_object (node), path, prefix, error);
  if (pspec != NULL)
    return add_change (reading, pspec, node, path, error);
  reason = g_hash_table_lookup (_holo_factory_class_get_ignored (klass), name);
  if (reason != NULL)
    {
      g_ptr_array_add (reading->warnings, g_strdup_printf ("%s means nothing to %s here and is ignored: %s", path,
                                                           holo_task_factory_get_kind (reading->factory), reason));
      return TRUE;
    }
  if (JSON_NODE_HOLDS_NULL (node) && is_group (klass, prefix))
    return add_group_null (reading, prefix, node, path, error);
  set_unknown_error (reading->factory, path, name, error);
  return FALSE;
}

static gboolean
read_object (Reading *reading, JsonObject *object, const gchar *path, const gchar *prefix, GError **error)
{
  JsonObjectIter iter;
  const gchar *key;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &node))
    {
      g_autofree gchar *canonical = _holo_setting_canonicalize (key), *name = g_strconcat (prefix, canonical, NULL);
      g_autofree gchar *member_path = _holo_json_path_append (path, key);

      if (!read_member (reading, name, node, member_path, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * holo_settings_apply_json:
 * @factory: a factory
 * @object: settings; keys with '_' and '-' are the same, an object inside stands for a prefix of names
 * @path: JSON path of @object, for messages
 * @error: return location
 *
 * Settings that @object does not name keep what they have; `null` puts one that may be unset back to its
 * default. Either all of @object is applied or nothing. Keys of the original that are declared as ignored
 * give a log message: not a warning in GLib's sense, since it must not end a program that makes warnings
 * fatal.
 *
 * Returns: %FALSE with %HOLO_ERROR_SETTING, whose message names path, value and what is allowed
 *
 * Since: 0.1
 */
gboolean
holo_settings_apply_json (HoloTaskFactory *factory, JsonObject *object, const gchar *path, GError **error)
{
  g_autoptr (GPtrArray) changes = g_ptr_array_new_with_free_func ((GDestroyNotify) change_free);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  Reading reading = { factory, changes, warnings };

  if (!read_object (&reading, object, path, "", error))
    return FALSE;
  for (guint i = 0; i < changes->len; i++)
    {
      const Change *change = g_ptr_array_index (changes, i);

      set_value (factory, change->pspec, &change->value, change->unset);
    }
  for (guint i = 0; i < warnings->len; i++)
    g_message ("Warning: %s", (const gchar *) g_ptr_array_index (warnings, i));
  return TRUE;
}

/* ---- one value ---- */

static gboolean
get_integer (const GValue *value, gint64 *integer)
{
  GValue wide = G_VALUE_INIT;

  if (G_VALUE_HOLDS_UINT64 (value) || G_VALUE_HOLDS_ULONG (value))
    {
      guint64 unsigned_value =
          G_VALUE_HOLDS_UINT64 (value) ? g_value_get_uint64 (value) : (guint64) g_value_get_ulong (value);

      *integer = (gint64) unsigned_value;
      return unsigned_value <= G_MAXINT64;
    }
  if (!G_VALUE_HOLDS_INT (value) && !G_VALUE_HOLDS_UINT (value) && !G_VALUE_HOLDS_LONG (value) &&
      !G_VALUE_HOLDS_INT64 (value) && !G_VALUE_HOLDS_CHAR (value) && !G_VALUE_HOLDS_UCHAR (value))
    return FALSE;
  g_value_init (&wide, G_TYPE_INT64);
  g_value_transform (value, &wide);
  *integer = g_value_get_int64 (&wide);
  return TRUE;
}

/* As JSON, except for what JSON has no word for. */
static gchar *
describe_value (GParamSpec *pspec, const GValue *value)
{
  g_autoptr (JsonNode) node = NULL;

  if (G_IS_PARAM_SPEC_ENUM (pspec))
    return g_strdup_printf ("%d", g_value_get_enum (value));
  if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    return _holo_json_format_double (g_value_get_double (value));
  node = holo_setting_to_json (pspec, value);
  return _holo_json_to_short_text (node);
}

/* Widens numbers and reads strings; everything else must have the setting's own type. */
static gboolean
convert_value (GParamSpec *pspec, const GValue *value, GValue *converted, GError **error)
{
  g_autofree gchar *contents = NULL;
  gint64 integer;

  if (G_VALUE_HOLDS_STRING (value) && !G_IS_PARAM_SPEC_STRING (pspec) && g_value_get_string (value) != NULL)
    return holo_setting_value_from_string (pspec, g_value_get_string (value), converted, error);
  g_value_init (converted, pspec->value_type);
  if (G_VALUE_HOLDS (value, pspec->value_type))
    g_value_copy (value, converted);
  else if (G_IS_PARAM_SPEC_INT64 (pspec) && get_integer (value, &integer))
    g_value_set_int64 (converted, integer);
  else if (G_IS_PARAM_SPEC_DOUBLE (pspec) && G_VALUE_HOLDS_FLOAT (value))
    g_value_set_double (converted, (gdouble) g_value_get_float (value));
  else if (G_IS_PARAM_SPEC_DOUBLE (pspec) && get_integer (value, &integer))
    g_value_set_double (converted, (gdouble) integer);
  else
    {
      contents = g_strdup_printf ("a value of type %s", G_VALUE_TYPE_NAME (value));
      return _holo_setting_refuse (pspec, pspec->name, contents, error);
    }
  if (_holo_setting_check_range (pspec, converted))
    return TRUE;
  contents = describe_value (pspec, converted);
  return _holo_setting_refuse (pspec, pspec->name, contents, error);
}

static gboolean
is_null (const GValue *value)
{
  return (G_VALUE_HOLDS_STRING (value) && g_value_get_string (value) == NULL) ||
         (G_VALUE_HOLDS_BOXED (value) && g_value_get_boxed (value) == NULL);
}

/**
 * holo_settings_apply_value:
 * @factory: a factory
 * @name: a setting or an alias, in either spelling
 * @value: a value of the setting's type, a narrower number, or a string to be parsed
 * @error: return location
 *
 * Returns: %FALSE with %HOLO_ERROR_SETTING; the old value stays
 *
 * Since: 0.1
 */
gboolean
holo_settings_apply_value (HoloTaskFactory *factory, const gchar *name, const GValue *value, GError **error)
{
  GParamSpec *pspec = _holo_settings_require (factory, name, name, error);
  g_auto (GValue) converted = G_VALUE_INIT;

  if (pspec == NULL)
    return FALSE;
  if (is_null (value))
    {
      if ((holo_setting_get_flags (pspec) & HOLO_SETTING_NULLABLE) == 0)
        return _holo_setting_refuse (pspec, pspec->name, "null", error);
      set_value (factory, pspec, NULL, TRUE);
      return TRUE;
    }
  if (!convert_value (pspec, value, &converted, error))
    return FALSE;
  set_value (factory, pspec, &converted, FALSE);
  return TRUE;
}

/* ---- all of a factory ---- */

/**
 * holo_settings_check_required:
 * @factory: a factory
 * @error: return location
 *
 * Returns: %FALSE with %HOLO_ERROR_SETTING when a setting that has no default was not given
 *
 * Since: 0.1
 */
gboolean
holo_settings_check_required (HoloTaskFactory *factory, GError **error)
{
  return _holo_settings_check_required (factory, NULL, error);
}

gboolean
_holo_settings_check_required (HoloTaskFactory *factory, const gchar *path, GError **error)
{
  GHashTable *set_names = _holo_task_factory_get_set_names (factory);
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (HOLO_TASK_FACTORY_GET_CLASS (factory), &n);

  for (guint i = 0; i < n; i++)
    if ((holo_setting_get_flags (pspecs[i]) & HOLO_SETTING_REQUIRED) &&
        !g_hash_table_contains (set_names, pspecs[i]->name))
      {
        g_autofree gchar *allowed = holo_setting_describe_allowed (pspecs[i]);
        g_autofree gchar *name = _holo_setting_get_json_name (pspecs[i]->name);

        g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "the setting \"%s\" must be given: %s; expected %s", name,
                     g_param_spec_get_blurb (pspecs[i]), allowed);
        if (path != NULL)
          g_prefix_error (error, "%s/%s: ", path, name);
        return FALSE;
      }
  return TRUE;
}

/**
 * holo_settings_get_json:
 * @factory: a factory
 *
 * Returns: (transfer full): the settings that were given a value, in the original's spelling; applied to a
 *   new factory of the kind they make it equal
 *
 * Since: 0.1
 */
JsonObject *
holo_settings_get_json (HoloTaskFactory *factory)
{
  JsonObject *object = json_object_new ();
  GHashTable *set_names = _holo_task_factory_get_set_names (factory);
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (HOLO_TASK_FACTORY_GET_CLASS (factory), &n);

  for (guint i = 0; i < n; i++)
    if (g_hash_table_contains (set_names, pspecs[i]->name))
      {
        g_autofree gchar *name = _holo_setting_get_json_name (pspecs[i]->name);
        g_auto (GValue) value = G_VALUE_INIT;

        g_value_init (&value, pspecs[i]->value_type);
        g_object_get_property (G_OBJECT (factory), pspecs[i]->name, &value);
        json_object_set_member (object, name, holo_setting_to_json (pspecs[i], &value));
      }
  return object;
}

/**
 * holo_settings_copy:
 * @dst: a factory
 * @src: another of the same type
 *
 * Gives @dst all values of @src, the unset ones included.
 *
 * Since: 0.1
 */
void
holo_settings_copy (HoloTaskFactory *dst, HoloTaskFactory *src)
{
  GHashTable *set_names = _holo_task_factory_get_set_names (src);
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (HOLO_TASK_FACTORY_GET_CLASS (src), &n);

  g_return_if_fail (G_OBJECT_TYPE (dst) == G_OBJECT_TYPE (src));

  for (guint i = 0; i < n; i++)
    {
      g_auto (GValue) value = G_VALUE_INIT;

      g_value_init (&value, pspecs[i]->value_type);
      g_object_get_property (G_OBJECT (src), pspecs[i]->name, &value);
      set_value (dst, pspecs[i], &value, !g_hash_table_contains (set_names, pspecs[i]->name));
    }
}
