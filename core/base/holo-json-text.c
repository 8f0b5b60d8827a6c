/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes JSON so that equal trees give equal text, whatever the locale and the order of insertion. */
#include "base/holo-json-private.h"

#include <math.h>
#include <string.h>

#define SHORT_TEXT 80

typedef struct
{
  GString *text;
  gboolean pretty;
  guint indent;
} Writer;

static void write_node (Writer *writer, JsonNode *node);

static void
write_string (GString *text, const gchar *string)
{
  static const gchar letters[] = "\"\\bfnrt", characters[] = "\"\\\b\f\n\r\t";

  g_string_append_c (text, '"');
  for (; *string != '\0'; string++)
    {
      const gchar *found = strchr (characters, *string);

      if (found != NULL)
        g_string_append_printf (text, "\\%c", letters[found - characters]);
      else if ((guchar) *string < 0x20)
        g_string_append_printf (text, "\\u%04x", (guint) *string);
      else
        g_string_append_c (text, *string);
    }
  g_string_append_c (text, '"');
}

gchar *
_holo_json_quote (const gchar *string)
{
  GString *text = g_string_new (NULL);

  write_string (text, string);
  return g_string_free (text, FALSE);
}

gchar *
_holo_json_format_double (gdouble number)
{
  gchar buffer[G_ASCII_DTOSTR_BUF_SIZE];
  static const gchar *const formats[] = { "%.15g", "%.16g", "%.17g" };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_ascii_formatd (buffer, sizeof buffer, formats[i], number);
      if (g_ascii_strtod (buffer, NULL) == number)
        break;
    }
  /* Without it the number would be read back as an integer. */
  return g_strconcat (buffer, strpbrk (buffer, ".en") == NULL ? ".0" : "", NULL);
}

static void
write_break (Writer *writer)
{
  if (!writer->pretty)
    return;
  g_string_append_c (writer->text, '\n');
  for (guint i = 0; i < writer->indent; i++)
    g_string_append (writer->text, "  ");
}

static void
write_object (Writer *writer, JsonObject *object)
{
  g_autoptr (GList) names = g_list_sort (json_object_get_members (object), (GCompareFunc) strcmp);

  g_string_append_c (writer->text, '{');
  writer->indent++;
  for (GList *l = names; l != NULL; l = l->next)
    {
      write_break (writer);
      write_string (writer->text, l->data);
      g_string_append (writer->text, writer->pretty ? ": " : ":");
      write_node (writer, json_object_get_member (object, l->data));
      if (l->next != NULL)
        g_string_append_c (writer->text, ',');
    }
  writer->indent--;
  if (names != NULL)
    write_break (writer);
  g_string_append_c (writer->text, '}');
}

/* Arrays of numbers, shapes for example, stay on one line. */
static gboolean
is_flat (JsonArray *array)
{
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!JSON_NODE_HOLDS_VALUE (json_array_get_element (array, i)))
      return FALSE;
  return TRUE;
}

static void
write_array (Writer *writer, JsonArray *array)
{
  guint n = json_array_get_length (array);
  gboolean flat = is_flat (array);

  g_string_append_c (writer->text, '[');
  writer->indent++;
  for (guint i = 0; i < n; i++)
    {
      if (!flat)
        write_break (writer);
      write_node (writer, json_array_get_element (array, i));
      if (i + 1 < n)
        g_string_append (writer->text, flat && writer->pretty ? ", " : ",");
    }
  writer->indent--;
  if (!flat)
    write_break (writer);
  g_string_append_c (writer->text, ']');
}

static void
write_number (GString *text, gdouble number)
{
  g_autofree gchar *string = NULL;

  /* JSON has no word for infinity or NaN. */
  if (!isfinite (number))
    {
      g_string_append (text, "null");
      return;
    }
  string = _holo_json_format_double (number);
  g_string_append (text, string);
}

static void
write_value (GString *text, JsonNode *node)
{
  switch (json_node_get_value_type (node))
    {
    case G_TYPE_INT64:
      g_string_append_printf (text, "%" G_GINT64_FORMAT, json_node_get_int (node));
      break;
    case G_TYPE_DOUBLE:
      write_number (text, json_node_get_double (node));
      break;
    case G_TYPE_BOOLEAN:
      g_string_append (text, json_node_get_boolean (node) ? "true" : "false");
      break;
    default:
      write_string (text, json_node_get_string (node) != NULL ? json_node_get_string (node) : "");
      break;
    }
}

static void
write_node (Writer *writer, JsonNode *node)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    write_object (writer, json_node_get_object (node));
  else if (JSON_NODE_HOLDS_ARRAY (node))
    write_array (writer, json_node_get_array (node));
  else if (JSON_NODE_HOLDS_VALUE (node))
    write_value (writer->text, node);
  else
    g_string_append (writer->text, "null");
}

/**
 * holo_json_to_text:
 * @node: a tree
 * @pretty: several lines, two spaces per level, and a line end after the last; else one line without spaces
 *
 * Returns: (transfer full): the text, with sorted members and numbers that read back as the same
 *
 * Since: 0.1
 */
gchar *
holo_json_to_text (JsonNode *node, gboolean pretty)
{
  Writer writer = { g_string_new (NULL), pretty, 0 };

  write_node (&writer, node);
  if (pretty)
    g_string_append_c (writer.text, '\n');
  return g_string_free (writer.text, FALSE);
}

gchar *
_holo_json_to_short_text (JsonNode *node)
{
  g_autofree gchar *text = holo_json_to_text (node, FALSE), *cut = NULL;

  if (g_utf8_strlen (text, -1) <= SHORT_TEXT)
    return g_steal_pointer (&text);
  cut = g_utf8_substring (text, 0, SHORT_TEXT);
  return g_strconcat (cut, "...", NULL);
}

const gchar *
_holo_json_get_type_name (JsonNode *node)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    return "an object";
  if (JSON_NODE_HOLDS_ARRAY (node))
    return "an array";
  if (JSON_NODE_HOLDS_NULL (node))
    return "null";
  switch (json_node_get_value_type (node))
    {
    case G_TYPE_INT64:
      return "an integer";
    case G_TYPE_DOUBLE:
      return "a number";
    case G_TYPE_BOOLEAN:
      return "a boolean";
    default:
      return "a string";
    }
}

/* ---- copying ---- */

static JsonNode *
copy_object (JsonObject *object)
{
  g_autoptr (JsonObject) copy = json_object_new ();
  JsonObjectIter iter;
  const gchar *key;
  JsonNode *member;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &member))
    json_object_set_member (copy, key, _holo_json_copy (member));
  return json_node_init_object (json_node_alloc (), copy);
}

static JsonNode *
copy_array (JsonArray *array)
{
  g_autoptr (JsonArray) copy = json_array_sized_new (json_array_get_length (array));

  for (guint i = 0; i < json_array_get_length (array); i++)
    json_array_add_element (copy, _holo_json_copy (json_array_get_element (array, i)));
  return json_node_init_array (json_node_alloc (), copy);
}

JsonNode *
_holo_json_copy (JsonNode *node)
{
  g_auto (GValue) value = G_VALUE_INIT;
  JsonNode *copy;

  if (JSON_NODE_HOLDS_OBJECT (node))
    return copy_object (json_node_get_object (node));
  if (JSON_NODE_HOLDS_ARRAY (node))
    return copy_array (json_node_get_array (node));
  copy = json_node_new (JSON_NODE_TYPE (node));
  if (JSON_NODE_HOLDS_VALUE (node))
    {
      json_node_get_value (node, &value);
      json_node_set_value (copy, &value);
    }
  return copy;
}
