/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <holoflow/holoflow.h>

#include <string.h>

#include "comma-locale.h"

/* Copies the bytes to memory of exactly their size, so that a sanitizer sees any read beyond them. */
static JsonNode *
parse_bytes (const gchar *text, gsize length, GError **error)
{
  gchar *bytes = g_memdup2 (length > 0 ? text : "x", MAX (length, 1));
  JsonNode *node = holo_json_parse (bytes, (gssize) length, error);

  g_free (bytes);
  return node;
}

static void
assert_reads (const gchar *text, const gchar *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = parse_bytes (text, strlen (text), &error);
  g_autofree gchar *result = NULL;

  g_assert_no_error (error);
  result = holo_json_to_text (node, FALSE);
  g_assert_cmpstr (result, ==, expected);
}

static void
assert_refused_bytes (const gchar *text, gsize length, const gchar *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (parse_bytes (text, length, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_JSON);
  g_assert_cmpstr (error->message, ==, message);
}

static void
assert_refused (const gchar *text, const gchar *message)
{
  assert_refused_bytes (text, strlen (text), message);
}

static void
test_values (void)
{
  assert_reads ("null", "null");
  assert_reads (" \t\r\n true \n", "true");
  assert_reads ("false", "false");
  assert_reads ("\"\"", "\"\"");
  assert_reads ("[]", "[]");
  assert_reads ("{}", "{}");
  assert_reads ("[1, [], {\"a\": [{}]}, \"x\"]", "[1,[],{\"a\":[{}]},\"x\"]");
  assert_reads ("{\"\": 1}", "{\"\":1}");
  assert_reads ("\xef\xbb\xbf{}", "{}");
}

static void
test_numbers (void)
{
  assert_reads ("[0, -0, 1, -1, 9223372036854775807, -9223372036854775808]",
                "[0,0,1,-1,9223372036854775807,-9223372036854775808]");
  assert_reads ("[0.0, -0.0, 0.1, 1e2, 1E+2, 1e-2, 1.7976931348623157e308, 5e-324, 1e-400]",
                "[0.0,-0.0,0.1,100.0,100.0,0.01,1.7976931348623157e+308,4.94065645841247e-324,0.0]");
  assert_refused ("9223372036854775808", "line 1, column 1: the integer 9223372036854775808 does not fit 64 bits");
  assert_refused ("{\"a\": -99999999999999999999}",
                  "line 1, column 7 (/a): the integer -99999999999999999999 does not fit 64 bits");
  assert_refused ("1e400", "line 1, column 1: the number 1e400 is too large");
  assert_refused ("[1, -1e999]", "line 1, column 5 (/1): the number -1e999 is too large");
  assert_refused ("01", "line 1, column 1: a number does not start with 0");
  assert_refused ("-", "line 1, column 2: expected a digit, but the text ends");
  assert_refused ("1.", "line 1, column 3: expected a digit after the point, but the text ends");
  assert_refused (".5", "line 1, column 1: expected a JSON value, found '.'");
  assert_refused ("+1", "line 1, column 1: expected a JSON value, found '+'");
  assert_refused ("1e", "line 1, column 3: expected a digit in the exponent, but the text ends");
  assert_refused ("0x10", "line 1, column 2: expected the end of the text, found 'x'");
  assert_refused ("NaN", "line 1, column 1: expected a JSON value, found 'N'");
  assert_refused ("[Infinity]", "line 1, column 2 (/0): expected a JSON value, found 'I'");
}

static void
test_strings (void)
{
  g_autoptr (JsonNode) node = holo_json_parse ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\xc3\xa9\"", -1, NULL);

  g_assert_cmpstr (json_node_get_string (node), ==, "\"\\/\b\f\n\r\t\xc3\xa9\xf0\x9f\x98\x80\xc3\xa9");
  assert_reads ("\"a\\u0001b\\/\"", "\"a\\u0001b/\"");
  assert_refused ("\"a\\u0000\"", "line 1, column 3: \\u0000 is not allowed");
  assert_refused ("\"\\ud800\"", "line 1, column 2: half of a surrogate pair is not a character");
  assert_refused ("\"\\ud800\\u0041\"", "line 1, column 2: half of a surrogate pair is not a character");
  assert_refused ("\"\\udc00\\ud800\"", "line 1, column 2: half of a surrogate pair is not a character");
  assert_refused ("\"\\u12g4\"", "line 1, column 2: \\u is followed by four hexadecimal digits");
  assert_refused ("\"\\u12", "line 1, column 2: \\u is followed by four hexadecimal digits");
  assert_refused ("\"\\x41\"", "line 1, column 2: a backslash is followed by one of \" \\ / b f n r t u");
  assert_refused ("\"\\", "line 1, column 2: a backslash is followed by one of \" \\ / b f n r t u");
  assert_refused ("\"\\\xc3\xa9\"", "line 1, column 2: a backslash is followed by one of \" \\ / b f n r t u");
  assert_refused ("\"abc", "line 1, column 1: the string that starts here has no end");
  assert_refused ("\"a\nb\"", "line 1, column 3: the control character 0x0a in a string must be escaped");
}

static void
test_structure (void)
{
  assert_refused ("", "line 1, column 1: the text is empty");
  assert_refused (" \n ", "line 2, column 2: the text is empty");
  assert_refused ("var x = {};", "line 1, column 1: expected a JSON value, found 'v'");
  assert_refused ("{} {}", "line 1, column 4: expected the end of the text, found '{'");
  assert_refused ("{\"a\": 1,}", "line 1, column 9: expected a key in double quotes, found '}'");
  assert_refused ("[1,]", "line 1, column 4 (/1): expected a JSON value, found ']'");
  assert_refused ("{\"a\" 1}", "line 1, column 6: expected ':' after a key, found '1'");
  assert_refused ("{\"a\": 1 \"b\": 2}", "line 1, column 9: expected ',' or '}', found '\"'");
  assert_refused ("{\n  \"b\": {\n    \"c\": [1 2]", "line 3, column 13 (/b/c): expected ',' or ']', found '2'");
  assert_refused ("{\"a\": ", "line 1, column 7 (/a): expected a JSON value, but the text ends");
  assert_refused ("[", "line 1, column 2 (/0): expected a JSON value, but the text ends");
  assert_refused ("{", "line 1, column 2: expected a key in double quotes, but the text ends");
  assert_refused ("]", "line 1, column 1: expected a JSON value, found ']'");
  assert_refused ("{a: 1}", "line 1, column 2: expected a key in double quotes, found 'a'");
  assert_refused ("{'a': 1}",
                  "line 1, column 2: expected a key in double quotes, found '; JSON strings have double quotes");
  assert_refused ("// x\n{}", "line 1, column 1: expected a JSON value, found '/'; JSON has no comments");
  assert_refused ("{} /* x */", "line 1, column 4: expected the end of the text, found '/'; JSON has no comments");
  assert_refused ("nul", "line 1, column 1: expected a JSON value, found 'n'");
  assert_refused ("nullx", "line 1, column 1: expected a JSON value, found 'n'");
  assert_refused ("{\"\xc3\xa9\": \xc3\xa9}", "line 1, column 7 (/\xc3\xa9): expected a JSON value, found '\xc3\xa9'");
}

static void
test_duplicate_keys (void)
{
  assert_refused ("{\"a\": 1, \"b\": 2, \"a\": 3}", "line 1, column 18: the key \"a\" appears twice");
  assert_refused ("{\"x\": {\"a/b\": {\"k\": 1, \"\\u006b\": 2}}}",
                  "line 1, column 24 (/x/a~1b): the key \"k\" appears twice");
}

static void
test_encoding (void)
{
  assert_refused_bytes ("{\"a\": \"\xff\"}", 10, "line 1, column 8: the byte 0xff is not UTF-8");
  assert_refused_bytes ("{}\0{}", 5, "line 1, column 3: there is a zero byte in the text");
  assert_refused_bytes ("\xff\xfe{\0}\0", 6, "line 1, column 1: the text is UTF-16; JSON is UTF-8");
  assert_refused_bytes ("\"\xc3", 2, "line 1, column 2: the byte 0xc3 is not UTF-8");
  /* The length counts, not a zero byte behind it. */
  assert_refused_bytes ("[1]", 2, "line 1, column 3: expected ',' or ']', but the text ends");
}

static gchar *
make_nested (guint n, gboolean closed)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append (text, i % 2 ? "{\"a\":" : "[");
  g_string_append (text, "1");
  for (guint i = n; closed && i-- > 0;)
    g_string_append_c (text, i % 2 ? '}' : ']');
  return g_string_free (text, FALSE);
}

static void
test_nesting (void)
{
  g_autofree gchar *deep = make_nested (200, TRUE), *deeper = make_nested (201, TRUE);
  g_autofree gchar *open = make_nested (100000, FALSE);
  g_autoptr (GError) error = NULL;
  const gchar *const texts[] = { deeper, open };

  assert_reads (deep, deep);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_assert_null (holo_json_parse (texts[i], -1, &error));
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_JSON);
      g_assert_true (g_str_has_suffix (error->message, ": objects and arrays are nested deeper than 200"));
      g_clear_error (&error);
    }
}

static void
test_file (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("holo-json-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "a.json", NULL), *expected = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = NULL;

  g_assert_null (holo_json_load_file (path, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, path));
  g_clear_error (&error);

  g_assert_null (holo_json_load_file (folder, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_FILE);
  expected = g_strdup_printf ("\"%s\" is a folder, not a file", folder);
  g_assert_cmpstr (error->message, ==, expected);
  g_clear_error (&error);

  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  g_assert_null (holo_json_load_file (path, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_JSON);
  g_clear_pointer (&expected, g_free);
  expected = g_strdup_printf ("%s: line 1, column 1: the text is empty", path);
  g_assert_cmpstr (error->message, ==, expected);

  g_clear_error (&error);
  g_assert_null (holo_json_load_file ("/dev/zero", &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_FILE);
  g_assert_cmpstr (error->message, ==, "\"/dev/zero\" cannot be read: it has more than 64 MiB");

  g_assert_true (g_file_set_contents (path, "{\"a\": 1}\n", -1, NULL));
  node = holo_json_load_file (path, NULL);
  g_assert_nonnull (node);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_pretty (void)
{
  g_autoptr (JsonNode) node =
      holo_json_parse ("{\"b\": [1, 2.5], \"a\": {\"z\": [], \"y\": {}}, \"c\": [{\"x\": null}, [true]]}", -1, NULL);
  g_autofree gchar *text = holo_json_to_text (node, TRUE);

  g_assert_cmpstr (text, ==,
                   "{\n"
                   "  \"a\": {\n"
                   "    \"y\": {},\n"
                   "    \"z\": []\n"
                   "  },\n"
                   "  \"b\": [1, 2.5],\n"
                   "  \"c\": [\n"
                   "    {\n"
                   "      \"x\": null\n"
                   "    },\n"
                   "    [true]\n"
                   "  ]\n"
                   "}\n");
}

/* Random doubles read back as the same bits. */
static void
test_doubles_round_trip (void)
{
  for (guint i = 0; i < 20000; i++)
    {
      union
      {
        guint64 bits;
        gdouble number;
      } value;
      g_autoptr (JsonNode) node = json_node_alloc (), again = NULL;
      g_autofree gchar *text = NULL;
      gdouble result;

      value.bits = ((guint64) (guint32) g_test_rand_int () << 32) | (guint32) g_test_rand_int ();
      if (!(value.number - value.number == 0))
        continue;
      json_node_init_double (node, value.number);
      text = holo_json_to_text (node, FALSE);
      again = holo_json_parse (text, -1, NULL);
      g_assert_nonnull (again);
      g_assert_cmpint (json_node_get_value_type (again), ==, G_TYPE_DOUBLE);
      result = json_node_get_double (again);
      g_assert_cmpmem (&result, sizeof result, &value.number, sizeof value.number);
    }
}

/* What JSON has no word for becomes null rather than text that nobody can read. */
static void
test_not_finite (void)
{
  g_autoptr (JsonNode) node = json_node_init_double (json_node_alloc (), G_MAXDOUBLE * 10);
  g_autofree gchar *text = holo_json_to_text (node, FALSE);

  g_assert_cmpstr (text, ==, "null");
}

static void
check_locale (void)
{
  assert_reads ("[0.5, 1e3, -12.25]", "[0.5,1000.0,-12.25]");
  assert_refused ("[0,5.]", "line 1, column 6 (/1): expected a digit after the point, found ']'");
}

static void
test_locale (void)
{
  comma_locale_run (check_locale);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/json/values", test_values);
  g_test_add_func ("/holo/json/numbers", test_numbers);
  g_test_add_func ("/holo/json/strings", test_strings);
  g_test_add_func ("/holo/json/structure", test_structure);
  g_test_add_func ("/holo/json/duplicate-keys", test_duplicate_keys);
  g_test_add_func ("/holo/json/encoding", test_encoding);
  g_test_add_func ("/holo/json/nesting", test_nesting);
  g_test_add_func ("/holo/json/file", test_file);
  g_test_add_func ("/holo/json/pretty", test_pretty);
  g_test_add_func ("/holo/json/doubles-round-trip", test_doubles_round_trip);
  g_test_add_func ("/holo/json/not-finite", test_not_finite);
  g_test_add_func ("/holo/json/locale", test_locale);
  return g_test_run ();
}
