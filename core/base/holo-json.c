/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads RFC 8259 and nothing else, into the tree of json-glib. json-glib's own reader takes more than JSON
 * (`var x = {}`, comments), turns integers beyond 64 bits into others and large numbers into infinity, keeps
 * the last of two equal keys, and recurses as deep as the text says. A scan before it would have to read
 * strings, numbers and keys all the same, so this is the reader. */
#include "base/holo-json-private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/holo-error.h"

#define MAX_NESTING   200
#define MAX_FILE_SIZE (64u << 20)

typedef struct
{
  const gchar *text;
  const gchar *pos;
  const gchar *end;
  GString *path; /* JSON pointer of the value being read */
  guint nesting;
  GError **error;
} Reader;

static JsonNode *read_value (Reader *reader);

/* ---- errors ---- */

static void
get_position (Reader *reader, const gchar *pos, guint *line, glong *column)
{
  const gchar *start = reader->text;

  *line = 1;
  for (const gchar *p = reader->text; p < pos; p++)
    if (*p == '\n')
      {
        (*line)++;
        start = p + 1;
      }
  *column = g_utf8_strlen (start, pos - start) + 1;
}

static gpointer fail (Reader *reader, const gchar *pos, const gchar *format, ...) G_GNUC_PRINTF (3, 4);

/* Always NULL, which is FALSE where a boolean is returned. */
static gpointer
fail (Reader *reader, const gchar *pos, const gchar *format, ...)
{
  g_autofree gchar *message = NULL;
  guint line;
  glong column;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  get_position (reader, pos, &line, &column);
  g_set_error (reader->error, HOLO_ERROR, HOLO_ERROR_JSON, "line %u, column %ld%s%s%s: %s", line, column,
               reader->path->len > 0 ? " (" : "", reader->path->str, reader->path->len > 0 ? ")" : "", message);
  return NULL;
}

static gpointer
fail_expected (Reader *reader, const gchar *expected)
{
  g_autofree gchar *found = NULL;

  if (reader->pos == reader->end)
    return fail (reader, reader->pos, "expected %s, but the text ends", expected);
  if (*reader->pos == '/')
    return fail (reader, reader->pos, "expected %s, found '/'; JSON has no comments", expected);
  if (*reader->pos == '\'')
    return fail (reader, reader->pos, "expected %s, found '; JSON strings have double quotes", expected);
  if (g_ascii_iscntrl (*reader->pos))
    return fail (reader, reader->pos, "expected %s, found the control character 0x%02x", expected,
                 (guint) *reader->pos);
  found = g_strndup (reader->pos, (gsize) (g_utf8_next_char (reader->pos) - reader->pos));
  return fail (reader, reader->pos, "expected %s, found '%s'", expected, found);
}

/* ---- pieces ---- */

static gchar
peek (Reader *reader)
{
  return reader->pos < reader->end ? *reader->pos : '\0';
}

static gchar
peek_after_space (Reader *reader)
{
  while (reader->pos < reader->end && strchr (" \t\r\n", *reader->pos) != NULL)
    reader->pos++;
  return peek (reader);
}

static gboolean
read_hex4 (Reader *reader, gunichar *unit)
{
  *unit = 0;
  for (guint i = 0; i < 4; i++, reader->pos++)
    {
      gint digit = g_ascii_xdigit_value (peek (reader));

      if (digit < 0)
        return FALSE;
      *unit = *unit * 16 + (gunichar) digit;
    }
  return TRUE;
}

/* After "\u". A code point beyond 16 bits is written as two escapes. */
static gboolean
read_unicode_escape (Reader *reader, GString *text)
{
  const gchar *start = reader->pos - 2;
  gunichar unit, low;

  if (!read_hex4 (reader, &unit))
    return fail (reader, start, "\\u is followed by four hexadecimal digits") != NULL;
  if (unit == 0)
    return fail (reader, start, "\\u0000 is not allowed") != NULL;
  if (unit >= 0xd800 && unit < 0xe000)
    {
      if (unit >= 0xdc00 || reader->end - reader->pos < 6 || reader->pos[0] != '\\' || reader->pos[1] != 'u')
        return fail (reader, start, "half of a surrogate pair is not a character") != NULL;
      reader->pos += 2;
      if (!read_hex4 (reader, &low) || low < 0xdc00 || low >= 0xe000)
        return fail (reader, start, "half of a surrogate pair is not a character") != NULL;
      unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }
  g_string_append_unichar (text, unit);
  return TRUE;
}

static gboolean
read_escape (Reader *reader, GString *text)
{
  static const gchar letters[] = "\"\\/bfnrt", characters[] = "\"\\/\b\f\n\r\t";
  const gchar *start = reader->pos++, *found;
  gchar letter = peek (reader);

  found = letter != '\0' ? strchr (letters, letter) : NULL;
  reader->pos++;
  if (letter == 'u')
    return read_unicode_escape (reader, text);
  if (found == NULL)
    return fail (reader, start, "a backslash is followed by one of \" \\ / b f n r t u") != NULL;
  g_string_append_c (text, characters[found - letters]);
  return TRUE;
}

static gchar *
read_string (Reader *reader)
{
  const gchar *start = reader->pos++;
  g_autoptr (GString) text = g_string_new (NULL);

  while (reader->pos < reader->end && *reader->pos != '"')
    {
      if (*reader->pos == '\\')
        {
          if (!read_escape (reader, text))
            return NULL;
        }
      else if ((guchar) *reader->pos < 0x20)
        return fail (reader, reader->pos, "the control character 0x%02x in a string must be escaped",
                     (guint) *reader->pos);
      else
        g_string_append_c (text, *reader->pos++);
    }
  if (reader->pos >= reader->end)
    return fail (reader, start, "the string that starts here has no end");
  reader->pos++;
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gsize
skip_digits (Reader *reader)
{
  const gchar *start = reader->pos;

  while (g_ascii_isdigit (peek (reader)))
    reader->pos++;
  return (gsize) (reader->pos - start);
}

static JsonNode *
make_number (Reader *reader, const gchar *start, gboolean is_integer)
{
  g_autofree gchar *token = g_strndup (start, (gsize) (reader->pos - start));
  gdouble number;
  gint64 integer;

  if (is_integer)
    {
      errno = 0;
      integer = g_ascii_strtoll (token, NULL, 10);
      if (errno != 0)
        return fail (reader, start, "the integer %.40s does not fit 64 bits", token);
      return json_node_init_int (json_node_alloc (), integer);
    }
  number = g_ascii_strtod (token, NULL);
  if (!isfinite (number))
    return fail (reader, start, "the number %.40s is too large", token);
  return json_node_init_double (json_node_alloc (), number);
}

static JsonNode *
read_number (Reader *reader)
{
  const gchar *start = reader->pos;
  gboolean is_integer = TRUE;

  if (peek (reader) == '-')
    reader->pos++;
  if (peek (reader) == '0' && reader->pos + 1 < reader->end && g_ascii_isdigit (reader->pos[1]))
    return fail (reader, start, "a number does not start with 0");
  if (skip_digits (reader) == 0)
    return fail_expected (reader, "a digit");
  if (peek (reader) == '.')
    {
      is_integer = FALSE;
      reader->pos++;
      if (skip_digits (reader) == 0)
        return fail_expected (reader, "a digit after the point");
    }
  if (peek (reader) == 'e' || peek (reader) == 'E')
    {
      is_integer = FALSE;
      reader->pos++;
      if (peek (reader) == '+' || peek (reader) == '-')
        reader->pos++;
      if (skip_digits (reader) == 0)
        return fail_expected (reader, "a digit in the exponent");
    }
  return make_number (reader, start, is_integer);
}

static gboolean
skip_word (Reader *reader, const gchar *word)
{
  gsize length = strlen (word);

  if ((gsize) (reader->end - reader->pos) < length || memcmp (reader->pos, word, length) != 0 ||
      (reader->pos + length < reader->end && g_ascii_isalnum (reader->pos[length])))
    return FALSE;
  reader->pos += length;
  return TRUE;
}

/* ---- containers ---- */

static void
append_path (GString *path, const gchar *key)
{
  g_string_append_c (path, '/');
  for (; *key != '\0'; key++)
    if (*key == '~')
      g_string_append (path, "~0");
    else if (*key == '/')
      g_string_append (path, "~1");
    else
      g_string_append_c (path, *key);
}

/* What is read until @reader->path is cut again lies at @key in the container. */
static JsonNode *
read_value_at (Reader *reader, const gchar *key)
{
  gsize length = reader->path->len;
  JsonNode *value;

  append_path (reader->path, key);
  value = read_value (reader);
  if (value != NULL)
    g_string_truncate (reader->path, length);
  return value;
}

static gboolean
read_member (Reader *reader, JsonObject *object)
{
  const gchar *start;
  g_autofree gchar *key = NULL;
  JsonNode *value;

  if (peek_after_space (reader) != '"')
    return fail_expected (reader, "a key in double quotes") != NULL;
  start = reader->pos;
  key = read_string (reader);
  if (key == NULL)
    return FALSE;
  if (json_object_has_member (object, key))
    return fail (reader, start, "the key \"%s\" appears twice", key) != NULL;
  if (peek_after_space (reader) != ':')
    return fail_expected (reader, "':' after a key") != NULL;
  reader->pos++;
  value = read_value_at (reader, key);
  if (value != NULL)
    json_object_set_member (object, key, value);
  return value != NULL;
}

static gboolean
read_element (Reader *reader, JsonArray *array)
{
  gchar number[16];
  JsonNode *element;

  g_snprintf (number, sizeof number, "%u", json_array_get_length (array));
  element = read_value_at (reader, number);
  if (element != NULL)
    json_array_add_element (array, element);
  return element != NULL;
}

/* An object or an array, whichever is not %NULL; @close ends it. */
static gboolean
read_container (Reader *reader, JsonObject *object, JsonArray *array, gchar close)
{
  gboolean more;

  if (++reader->nesting > MAX_NESTING)
    return fail (reader, reader->pos, "objects and arrays are nested deeper than %d", MAX_NESTING) != NULL;
  reader->pos++;
  for (more = peek_after_space (reader) != close; more; reader->pos += more)
    {
      if (object != NULL ? !read_member (reader, object) : !read_element (reader, array))
        return FALSE;
      more = peek_after_space (reader) == ',';
      if (!more && peek (reader) != close)
        return fail_expected (reader, object != NULL ? "',' or '}'" : "',' or ']'") != NULL;
    }
  reader->pos++;
  reader->nesting--;
  return TRUE;
}

static JsonNode *
read_object (Reader *reader)
{
  g_autoptr (JsonObject) object = json_object_new ();

  return read_container (reader, object, NULL, '}') ? json_node_init_object (json_node_alloc (), object) : NULL;
}

static JsonNode *
read_array (Reader *reader)
{
  g_autoptr (JsonArray) array = json_array_new ();

  return read_container (reader, NULL, array, ']') ? json_node_init_array (json_node_alloc (), array) : NULL;
}

static JsonNode *
read_value (Reader *reader)
{
  gchar first = peek_after_space (reader);

  if (first == '{')
    return read_object (reader);
  if (first == '[')
    return read_array (reader);
  if (first == '"')
    {
      g_autofree gchar *text = read_string (reader);

      return text != NULL ? json_node_init_string (json_node_alloc (), text) : NULL;
    }
  if (first == '-' || g_ascii_isdigit (first))
    return read_number (reader);
  if (skip_word (reader, "true"))
    return json_node_init_boolean (json_node_alloc (), TRUE);
  if (skip_word (reader, "false"))
    return json_node_init_boolean (json_node_alloc (), FALSE);
  if (skip_word (reader, "null"))
    return json_node_init_null (json_node_alloc ());
  return fail_expected (reader, "a JSON value");
}

static gboolean
check_encoding (Reader *reader)
{
  const gchar *bad;

  if (g_utf8_validate_len (reader->text, (gsize) (reader->end - reader->text), &bad))
    return TRUE;
  if (reader->end - reader->text >= 2 &&
      (memcmp (reader->text, "\xff\xfe", 2) == 0 || memcmp (reader->text, "\xfe\xff", 2) == 0))
    return fail (reader, reader->text, "the text is UTF-16; JSON is UTF-8") != NULL;
  if (*bad == '\0')
    return fail (reader, bad, "there is a zero byte in the text") != NULL;
  return fail (reader, bad, "the byte 0x%02x is not UTF-8", (guint) (guchar) *bad) != NULL;
}

static JsonNode *
read_text (Reader *reader)
{
  g_autoptr (JsonNode) root = NULL;

  if (!check_encoding (reader))
    return NULL;
  /* Editors put a byte order mark there; it means nothing in UTF-8. */
  if (reader->end - reader->text >= 3 && memcmp (reader->text, "\xef\xbb\xbf", 3) == 0)
    reader->pos += 3;
  if (peek_after_space (reader) == '\0')
    return fail (reader, reader->pos, "the text is empty");
  root = read_value (reader);
  if (root == NULL)
    return NULL;
  if (peek_after_space (reader) != '\0')
    return fail_expected (reader, "the end of the text");
  return g_steal_pointer (&root);
}

/**
 * holo_json_parse:
 * @text: JSON, UTF-8
 * @length: bytes of @text, -1 when it ends with a zero byte
 * @error: return location
 *
 * Returns: (transfer full) (nullable): the tree; %NULL with %HOLO_ERROR_JSON, whose message has line, column
 *   and path
 *
 * Since: 0.1
 */
JsonNode *
holo_json_parse (const gchar *text, gssize length, GError **error)
{
  g_autoptr (GString) path = g_string_new (NULL);
  Reader reader = { .path = path, .error = error };

  g_return_val_if_fail (text != NULL || length == 0, NULL);

  /* No bytes may have no address. */
  reader.text = reader.pos = text != NULL ? text : "";
  reader.end = reader.text + (length < 0 ? strlen (text) : (gsize) length);
  return read_text (&reader);
}

/* Not g_file_get_contents(): a device or a pipe may never end. NULL: @reason says why. */
static GBytes *
load_bytes (const gchar *filename, const gchar **reason)
{
  FILE *file = g_fopen (filename, "rb");
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint8 buffer[16 * 1024];
  gsize n;

  *reason = NULL;
  while (file != NULL && *reason == NULL && (n = fread (buffer, 1, sizeof buffer, file)) > 0)
    {
      g_byte_array_append (bytes, buffer, (guint) n);
      if (bytes->len > MAX_FILE_SIZE)
        *reason = "it has more than 64 MiB";
    }
  if (file == NULL || ferror (file))
    *reason = g_strerror (errno);
  if (file != NULL)
    fclose (file);
  return *reason == NULL ? g_byte_array_free_to_bytes (g_steal_pointer (&bytes)) : NULL;
}

/**
 * holo_json_load_file:
 * @filename: a file of at most 64 MiB
 * @error: return location
 *
 * Returns: (transfer full) (nullable): the tree; %NULL with %HOLO_ERROR_FILE when the file cannot be read,
 *   and %HOLO_ERROR_JSON when it is not JSON; both name the file
 *
 * Since: 0.1
 */
JsonNode *
holo_json_load_file (const gchar *filename, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  const gchar *reason;
  JsonNode *root;

  g_return_val_if_fail (filename != NULL, NULL);

  if (g_file_test (filename, G_FILE_TEST_IS_DIR))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE, "\"%s\" is a folder, not a file", filename);
      return NULL;
    }
  bytes = load_bytes (filename, &reason);
  if (bytes == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE, "\"%s\" cannot be read: %s", filename, reason);
      return NULL;
    }
  root = holo_json_parse (g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes), error);
  if (root == NULL)
    g_prefix_error (error, "%s: ", filename);
  return root;
}

gchar *
_holo_json_path_append (const gchar *path, const gchar *key)
{
  GString *result = g_string_new (path);

  append_path (result, key);
  return g_string_free (result, FALSE);
}
