/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One value of a setting: from JSON, from text, to JSON, and in words what is allowed. */
#include "task/holo-settings-private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/holo-json-private.h"
#include "base/holo-error.h"
#include "base/holo-nearest-names-private.h"
#include "task/holo-registry.h"

/* ---- what is allowed ---- */

static void
append_int_range (GString *text, gint64 minimum, gint64 maximum)
{
  if (minimum > G_MININT64 && maximum < G_MAXINT64)
    g_string_append_printf (text, " from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, minimum, maximum);
  else if (minimum > G_MININT64)
    g_string_append_printf (text, " of at least %" G_GINT64_FORMAT, minimum);
  else if (maximum < G_MAXINT64)
    g_string_append_printf (text, " of at most %" G_GINT64_FORMAT, maximum);
}

static void
append_double_range (GString *text, gdouble minimum, gdouble maximum)
{
  g_autofree gchar *low = _holo_json_format_double (minimum), *high = _holo_json_format_double (maximum);
  gboolean has_low = minimum > -G_MAXDOUBLE, has_high = maximum < G_MAXDOUBLE;

  /* The smallest normal number as a minimum means "not zero". */
  if (minimum > 0 && minimum <= G_MINDOUBLE)
    {
      g_string_append (text, " greater than 0");
      if (has_high)
        g_string_append_printf (text, " and at most %s", high);
    }
  else if (has_low && has_high)
    g_string_append_printf (text, " from %s to %s", low, high);
  else if (has_low)
    g_string_append_printf (text, " of at least %s", low);
  else if (has_high)
    g_string_append_printf (text, " of at most %s", high);
}

static void
append_enum (GString *text, GParamSpec *pspec)
{
  const GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;

  g_string_append (text, "one of");
  for (guint i = 0; i < klass->n_values; i++)
    g_string_append_printf (text, "%s %s", i == 0 ? "" : ",", klass->values[i].value_nick);
}

/**
 * holo_setting_describe_allowed:
 * @pspec: a setting
 *
 * Returns: (transfer full): "an integer from 1 to 16", to follow the word "expected"
 *
 * Since: 0.1
 */
gchar *
holo_setting_describe_allowed (GParamSpec *pspec)
{
  const HoloSettingInfo *info = _holo_setting_get_info (pspec);
  GString *text = g_string_new (NULL);

  if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    g_string_append (text, "true or false");
  else if (G_IS_PARAM_SPEC_INT64 (pspec))
    {
      g_string_append (text, "an integer");
      append_int_range (text, G_PARAM_SPEC_INT64 (pspec)->minimum, G_PARAM_SPEC_INT64 (pspec)->maximum);
    }
  else if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    {
      g_string_append (text, "a number");
      append_double_range (text, G_PARAM_SPEC_DOUBLE (pspec)->minimum, G_PARAM_SPEC_DOUBLE (pspec)->maximum);
    }
  else if (G_IS_PARAM_SPEC_ENUM (pspec))
    append_enum (text, pspec);
  else if (pspec->value_type == HOLO_TYPE_INT64_ARRAY)
    {
      g_string_append (text, "an array of integers, each");
      append_int_range (text, info->int_minimum, info->int_maximum);
    }
  else if (pspec->value_type == HOLO_TYPE_DOUBLE_ARRAY)
    {
      g_string_append (text, "an array of numbers, each");
      append_double_range (text, info->double_minimum, info->double_maximum);
    }
  else
    g_string_append (text, G_IS_PARAM_SPEC_STRING (pspec) ? "a string" : "a JSON value");
  if (g_str_has_suffix (text->str, ", each"))
    g_string_truncate (text, text->len - strlen (", each"));
  if (info->flags & HOLO_SETTING_NULLABLE)
    g_string_append (text, G_IS_PARAM_SPEC_BOOLEAN (pspec) ? ", or null" : " or null");
  if (info->unit != NULL)
    g_string_append_printf (text, " (%s)", info->unit);
  return g_string_free (text, FALSE);
}

/* Always FALSE. @found is text to show as it is. */
gboolean
_holo_setting_refuse (GParamSpec *pspec, const gchar *path, const gchar *found, GError **error)
{
  g_autofree gchar *allowed = holo_setting_describe_allowed (pspec);

  g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "%s: %s is not allowed; expected %s", path, found, allowed);
  return FALSE;
}

static gboolean
refuse_node (GParamSpec *pspec, JsonNode *node, const gchar *path, GError **error)
{
  g_autofree gchar *found = _holo_json_to_short_text (node);

  return _holo_setting_refuse (pspec, path, found, error);
}

static gboolean
is_array_in_range (const GArray *array, GParamSpec *pspec)
{
  const HoloSettingInfo *info = _holo_setting_get_info (pspec);

  for (guint i = 0; array != NULL && i < array->len; i++)
    if (pspec->value_type == HOLO_TYPE_INT64_ARRAY)
      {
        gint64 number = g_array_index (array, gint64, i);

        if (number < info->int_minimum || number > info->int_maximum)
          return FALSE;
      }
    else
      {
        gdouble number = g_array_index (array, gdouble, i);

        /* Written so that NaN is out of every range. */
        if (!(number >= info->double_minimum && number <= info->double_maximum))
          return FALSE;
      }
  return TRUE;
}

/* The value has the setting's type. Nothing is ever clamped. */
gboolean
_holo_setting_check_range (GParamSpec *pspec, const GValue *value)
{
  if (G_IS_PARAM_SPEC_INT64 (pspec))
    return g_value_get_int64 (value) >= G_PARAM_SPEC_INT64 (pspec)->minimum &&
           g_value_get_int64 (value) <= G_PARAM_SPEC_INT64 (pspec)->maximum;
  if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    return g_value_get_double (value) >= G_PARAM_SPEC_DOUBLE (pspec)->minimum &&
           g_value_get_double (value) <= G_PARAM_SPEC_DOUBLE (pspec)->maximum;
  if (G_IS_PARAM_SPEC_ENUM (pspec))
    return g_enum_get_value (G_PARAM_SPEC_ENUM (pspec)->enum_class, g_value_get_enum (value)) != NULL;
  if (pspec->value_type == HOLO_TYPE_INT64_ARRAY || pspec->value_type == HOLO_TYPE_DOUBLE_ARRAY)
    return is_array_in_range (g_value_get_boxed (value), pspec);
  return TRUE;
}

/* ---- from JSON ---- */

/* g_enum_get_value_by_nick() of newer GLib finds "f32" for "F32". */
static const GEnumValue *
find_nick (const GEnumClass *klass, const gchar *nick)
{
  for (guint i = 0; i < klass->n_values; i++)
    if (g_str_equal (klass->values[i].value_nick, nick))
      return &klass->values[i];
  return NULL;
}

static gboolean
read_enum (GParamSpec *pspec, const gchar *nick, const gchar *path, GValue *value, GError **error)
{
  GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;
  const GEnumValue *found = find_nick (klass, nick);
  g_autofree const gchar **nicks = NULL;
  g_autofree gchar *quoted = NULL, *suggestion = NULL, *allowed = NULL;

  if (found != NULL)
    {
      g_value_set_enum (value, found->value);
      return TRUE;
    }
  nicks = g_new0 (const gchar *, klass->n_values + 1);
  for (guint i = 0; i < klass->n_values; i++)
    nicks[i] = klass->values[i].value_nick;
  quoted = _holo_json_quote (nick);
  suggestion = _holo_did_you_mean (nick, nicks);
  allowed = holo_setting_describe_allowed (pspec);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "%s: %s is not allowed; expected %s%s", path, quoted, allowed,
               suggestion);
  return FALSE;
}

static gboolean
append_number (GParamSpec *pspec, GArray *array, JsonNode *node, const gchar *path, GError **error)
{
  GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;

  if (type == G_TYPE_INT64 && pspec->value_type == HOLO_TYPE_INT64_ARRAY)
    {
      gint64 number = json_node_get_int (node);

      g_array_append_val (array, number);
      return TRUE;
    }
  if ((type == G_TYPE_INT64 || type == G_TYPE_DOUBLE) && pspec->value_type == HOLO_TYPE_DOUBLE_ARRAY)
    {
      gdouble number = json_node_get_double (node);

      g_array_append_val (array, number);
      return TRUE;
    }
  return refuse_node (pspec, node, path, error);
}

/* A number alone is an array of one: the original writes `"axis": 1` as well as `"axis": [1, 2]`. */
static gboolean
read_array (GParamSpec *pspec, JsonNode *node, const gchar *path, GValue *value, GError **error)
{
  g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (gint64));
  JsonArray *elements;

  G_STATIC_ASSERT (sizeof (gint64) == sizeof (gdouble));

  if (!JSON_NODE_HOLDS_ARRAY (node))
    {
      if (!append_number (pspec, array, node, path, error))
        return FALSE;
      g_value_take_boxed (value, g_steal_pointer (&array));
      return TRUE;
    }
  elements = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (elements); i++)
    {
      g_autofree gchar *element_path = g_strdup_printf ("%s/%u", path, i);

      if (!append_number (pspec, array, json_array_get_element (elements, i), element_path, error))
        return FALSE;
    }
  g_value_take_boxed (value, g_steal_pointer (&array));
  return TRUE;
}

static gboolean
read_value (GParamSpec *pspec, JsonNode *node, const gchar *path, GValue *value, GError **error)
{
  GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;

  if (pspec->value_type == JSON_TYPE_NODE)
    g_value_take_boxed (value, _holo_json_copy (node));
  else if (pspec->value_type == HOLO_TYPE_INT64_ARRAY || pspec->value_type == HOLO_TYPE_DOUBLE_ARRAY)
    return read_array (pspec, node, path, value, error);
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec) && type == G_TYPE_BOOLEAN)
    g_value_set_boolean (value, json_node_get_boolean (node));
  else if (G_IS_PARAM_SPEC_INT64 (pspec) && type == G_TYPE_INT64)
    g_value_set_int64 (value, json_node_get_int (node));
  else if (G_IS_PARAM_SPEC_DOUBLE (pspec) && (type == G_TYPE_DOUBLE || type == G_TYPE_INT64))
    g_value_set_double (value, json_node_get_double (node));
  else if (G_IS_PARAM_SPEC_STRING (pspec) && type == G_TYPE_STRING)
    g_value_set_string (value, json_node_get_string (node));
  else if (G_IS_PARAM_SPEC_ENUM (pspec) && type == G_TYPE_STRING)
    return read_enum (pspec, json_node_get_string (node), path, value, error);
  else
    return refuse_node (pspec, node, path, error);
  return TRUE;
}

static void
init_value (GParamSpec *pspec, GValue *value)
{
  if (G_IS_VALUE (value))
    g_value_reset (value);
  else
    g_value_init (value, pspec->value_type);
}

/**
 * holo_setting_value_from_json:
 * @pspec: a setting
 * @node: its value as JSON; `null` gives the default of a setting that may be unset
 * @path: JSON path of @node, for messages
 * @value: (inout): zero-filled, or initialised to the setting's type
 * @error: return location
 *
 * Integers are taken for numbers with decimals, never the other way round, not even 2.0 for 2. Values out of
 * range are refused, not clamped.
 *
 * Returns: %FALSE with %HOLO_ERROR_SETTING
 *
 * Since: 0.1
 */
gboolean
holo_setting_value_from_json (GParamSpec *pspec, JsonNode *node, const gchar *path, GValue *value, GError **error)
{
  init_value (pspec, value);
  if (JSON_NODE_HOLDS_NULL (node))
    {
      if ((holo_setting_get_flags (pspec) & HOLO_SETTING_NULLABLE) == 0)
        return _holo_setting_refuse (pspec, path, "null", error);
      g_value_copy (g_param_spec_get_default_value (pspec), value);
      return TRUE;
    }
  if (!read_value (pspec, node, path, value, error))
    return FALSE;
  return _holo_setting_check_range (pspec, value) || refuse_node (pspec, node, path, error);
}

/* ---- from text ---- */

/* (transfer full): a boolean or a number where @text is what the setting takes, else a string, for the reader to judge. */
static JsonNode *
text_to_json (GParamSpec *pspec, const gchar *text)
{
  static const gchar *const yes[] = { "true", "yes", "1", NULL }, *const no[] = { "false", "no", "0", NULL };
  JsonNode *node = json_node_alloc ();
  gchar *end = NULL;
  gint64 integer = 0;
  gdouble number = 0;

  if (g_str_equal (text, "null"))
    return json_node_init_null (node);
  if (G_IS_PARAM_SPEC_BOOLEAN (pspec) && (g_strv_contains (yes, text) || g_strv_contains (no, text)))
    return json_node_init_boolean (node, g_strv_contains (yes, text));
  if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    number = g_ascii_strtod (text, &end);
  errno = 0;
  if (G_IS_PARAM_SPEC_INT64 (pspec))
    integer = g_ascii_strtoll (text, &end, 10);
  if (end == NULL || end == text || *end != '\0' || errno != 0 || g_ascii_isspace (*text) || !isfinite (number))
    return json_node_init_string (node, text);
  return G_IS_PARAM_SPEC_INT64 (pspec) ? json_node_init_int (node, integer) : json_node_init_double (node, number);
}

/* Arrays and JSON are read as JSON; the brackets of an array may be left out: "1,2". */
static gboolean
parse_as_json (GParamSpec *pspec, const gchar *text, const gchar *path, GValue *value, GError **error)
{
  g_autofree gchar *array = NULL;
  g_autoptr (JsonNode) node = NULL;

  if (pspec->value_type != JSON_TYPE_NODE && strchr (text, '[') == NULL && !g_str_equal (text, "null"))
    text = array = g_strdup_printf ("[%s]", text);
  node = holo_json_parse (text, -1, error);
  if (node == NULL)
    {
      g_prefix_error (error, "%s: ", path);
      return FALSE;
    }
  return holo_setting_value_from_json (pspec, node, path, value, error);
}

/**
 * holo_setting_value_from_string:
 * @pspec: a setting
 * @text: its value as a command line gives it
 * @value: (inout): zero-filled, or initialised to the setting's type
 * @error: return location
 *
 * Numbers are read in the C locale. "null" gives the default of a setting other than a string that may be
 * unset.
 *
 * Returns: %FALSE with %HOLO_ERROR_SETTING or %HOLO_ERROR_JSON
 *
 * Since: 0.1
 */
gboolean
holo_setting_value_from_string (GParamSpec *pspec, const gchar *text, GValue *value, GError **error)
{
  return _holo_setting_value_from_text (pspec, text, pspec->name, value, error);
}

gboolean
_holo_setting_value_from_text (GParamSpec *pspec, const gchar *text, const gchar *path, GValue *value, GError **error)
{
  g_autoptr (JsonNode) node = NULL;

  if (G_TYPE_IS_BOXED (pspec->value_type))
    return parse_as_json (pspec, text, path, value, error);
  if (G_IS_PARAM_SPEC_STRING (pspec))
    {
      init_value (pspec, value);
      g_value_set_string (value, text);
      return TRUE;
    }
  node = text_to_json (pspec, text);
  return holo_setting_value_from_json (pspec, node, path, value, error);
}

/* ---- to JSON ---- */

static JsonNode *
array_to_json (GParamSpec *pspec, const GArray *numbers)
{
  JsonArray *array = json_array_sized_new (numbers->len);
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);

  for (guint i = 0; i < numbers->len; i++)
    if (pspec->value_type == HOLO_TYPE_INT64_ARRAY)
      json_array_add_int_element (array, g_array_index (numbers, gint64, i));
    else
      json_array_add_double_element (array, g_array_index (numbers, gdouble, i));
  json_node_take_array (node, array);
  return node;
}

/**
 * holo_setting_to_json:
 * @pspec: a setting
 * @value: a value of its type
 *
 * Returns: (transfer full): the value as JSON, `null` for an array, string or JSON that is not set
 *
 * Since: 0.1
 */
JsonNode *
holo_setting_to_json (GParamSpec *pspec, const GValue *value)
{
  JsonNode *node = json_node_alloc ();

  if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    return json_node_init_boolean (node, g_value_get_boolean (value));
  if (G_IS_PARAM_SPEC_INT64 (pspec))
    return json_node_init_int (node, g_value_get_int64 (value));
  if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    return json_node_init_double (node, g_value_get_double (value));
  if (G_IS_PARAM_SPEC_ENUM (pspec))
    {
      const GEnumValue *found = g_enum_get_value (G_PARAM_SPEC_ENUM (pspec)->enum_class, g_value_get_enum (value));

      return json_node_init_string (node, found != NULL ? found->value_nick : "");
    }
  if (G_IS_PARAM_SPEC_STRING (pspec) && g_value_get_string (value) != NULL)
    return json_node_init_string (node, g_value_get_string (value));
  if (G_TYPE_IS_BOXED (pspec->value_type) && g_value_get_boxed (value) != NULL)
    {
      json_node_free (node);
      return pspec->value_type == JSON_TYPE_NODE ? _holo_json_copy (g_value_get_boxed (value))
                                                 : array_to_json (pspec, g_value_get_boxed (value));
    }
  return json_node_init_null (node);
}
