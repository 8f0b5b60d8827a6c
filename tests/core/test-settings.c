/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <holoflow/holoflow.h>

#include "comma-locale.h"

/* ---- a kind with a setting of each type ---- */

typedef struct
{
  HoloSyncTaskFactory parent_instance;
  gboolean enabled;
  gint64 capacity;
  gdouble max_fps;
  gchar *path;
  HoloDType target;
  GArray *axes;
  GArray *weights;
  JsonNode *extra;
  gint64 filter_r_inner, filter_r_outer;
  gdouble positive;
} Toy;

typedef HoloSyncTaskFactoryClass ToyClass;

static GType toy_get_type (void);
G_DEFINE_TYPE (Toy, toy, HOLO_TYPE_SYNC_TASK_FACTORY)

static gboolean
toy_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  return TRUE;
}

static void
toy_class_init (ToyClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = toy_infer;
  holo_task_factory_class_set_description (klass, "A toy", NULL);
  holo_settings_install_boolean (klass, "enabled", "Whether it works", TRUE, HOLO_SETTING_LIVE,
                                 G_STRUCT_OFFSET (Toy, enabled));
  holo_settings_install_int64 (klass, "capacity", "Frames held at most", "frames", 1, 16, 2, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (Toy, capacity));
  holo_settings_install_double (klass, "max-fps", "Frames per second", "1/s", 0.5, 1000, 25, HOLO_SETTING_NULLABLE,
                                G_STRUCT_OFFSET (Toy, max_fps));
  holo_settings_install_string (klass, "path", "File", "default.bin", HOLO_SETTING_NULLABLE,
                                G_STRUCT_OFFSET (Toy, path));
  holo_settings_install_enum (klass, "target", "Element type", HOLO_TYPE_DTYPE, HOLO_DTYPE_F32, HOLO_SETTING_REQUIRED,
                              G_STRUCT_OFFSET (Toy, target));
  holo_settings_install_int64_array (klass, "axes", "Axes", NULL, -8, 7, HOLO_SETTING_NULLABLE,
                                     G_STRUCT_OFFSET (Toy, axes));
  holo_settings_install_double_array (klass, "weights", "Weights", NULL, 0, 1, HOLO_SETTING_NONE,
                                      G_STRUCT_OFFSET (Toy, weights));
  holo_settings_install_json (klass, "extra", "Anything", HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (Toy, extra));
  holo_settings_install_int64 (klass, "filter-r-inner", "Inner radius", "pixels", 0, G_MAXINT64, 0,
                               HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (Toy, filter_r_inner));
  holo_settings_install_int64 (klass, "filter-r-outer", "Outer radius", "pixels", G_MININT64, G_MAXINT64, 7,
                               HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (Toy, filter_r_outer));
  holo_settings_install_double (klass, "positive", "Not zero", NULL, G_MINDOUBLE, G_MAXDOUBLE, 1, HOLO_SETTING_NONE,
                                G_STRUCT_OFFSET (Toy, positive));
  holo_settings_add_alias (klass, "axes", "axis");
  holo_settings_add_ignored (klass, "use_buffer", "memory is planned");
}

static void
toy_init (Toy *toy)
{
}

/* A subclass with one setting more: GObject resets set_property in its class. */
typedef struct
{
  Toy parent_instance;
  gint64 depth;
} Sub;
typedef HoloSyncTaskFactoryClass SubClass;

static GType sub_get_type (void);
G_DEFINE_TYPE (Sub, sub, toy_get_type ())

static void
sub_class_init (SubClass *klass)
{
  holo_settings_install_int64 (klass, "depth", "Depth", NULL, 0, 9, 4, HOLO_SETTING_NONE, G_STRUCT_OFFSET (Sub, depth));
}

static void
sub_init (Sub *sub)
{
}

/* ---- helpers ---- */

static Toy *
toy_new (void)
{
  return g_object_new (toy_get_type (), NULL);
}

static gboolean
apply (Toy *toy, const gchar *text, GError **error)
{
  g_autoptr (JsonNode) node = holo_json_parse (text, -1, NULL);

  g_assert_nonnull (node);
  return holo_settings_apply_json ((HoloTaskFactory *) toy, json_node_get_object (node), "/nodes/a/params", error);
}

static gchar *
get_text (Toy *toy)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);

  json_node_take_object (node, holo_settings_get_json ((HoloTaskFactory *) toy));
  return holo_json_to_text (node, FALSE);
}

static void
assert_applies (const gchar *text, const gchar *expected)
{
  Toy *toy = toy_new ();
  g_autoptr (GError) error = NULL;
  g_autofree gchar *result = NULL;

  apply (toy, text, &error);
  g_assert_no_error (error);
  result = get_text (toy);
  g_assert_cmpstr (result, ==, expected);
  g_object_unref (toy);
}

/* Refused with exactly this message, and nothing is applied. */
static void
assert_refused (const gchar *text, const gchar *message)
{
  Toy *toy = toy_new ();
  g_autoptr (GError) error = NULL;
  g_autofree gchar *result = NULL;

  g_assert_false (apply (toy, text, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SETTING);
  g_assert_cmpstr (error->message, ==, message);
  result = get_text (toy);
  g_assert_cmpstr (result, ==, "{}");
  g_object_unref (toy);
}

/* ---- tests ---- */

static void
test_defaults (void)
{
  Toy *toy = toy_new ();
  gint64 capacity = 0;
  g_autofree gchar *path = NULL;

  g_assert_true (toy->enabled);
  g_assert_cmpint (toy->capacity, ==, 2);
  g_assert_cmpfloat (toy->max_fps, ==, 25);
  g_assert_cmpstr (toy->path, ==, "default.bin");
  g_assert_cmpint (toy->target, ==, HOLO_DTYPE_F32);
  g_assert_null (toy->axes);
  g_assert_null (toy->extra);
  g_object_get (toy, "capacity", &capacity, "path", &path, NULL);
  g_assert_cmpint (capacity, ==, 2);
  g_assert_cmpstr (path, ==, "default.bin");
  g_assert_false (holo_settings_is_set ((HoloTaskFactory *) toy, "capacity"));
  g_object_unref (toy);
}

static void
test_every_type (void)
{
  assert_applies ("{\"enabled\": false, \"capacity\": 16, \"max_fps\": 12.5, \"path\": \"a\\n\", \"target\": \"CF32\","
                  " \"axes\": [-2, -1], \"weights\": [0, 0.25, 1], \"extra\": {\"b\": [1, {\"c\": null}]}}",
                  "{\"axes\":[-2,-1],\"capacity\":16,\"enabled\":false,\"extra\":{\"b\":[1,{\"c\":null}]},"
                  "\"max_fps\":12.5,\"path\":\"a\\n\",\"target\":\"CF32\",\"weights\":[0.0,0.25,1.0]}");
}

static void
test_spelling (void)
{
  assert_applies ("{\"max_fps\": 1}", "{\"max_fps\":1.0}");
  assert_applies ("{\"max-fps\": 1}", "{\"max_fps\":1.0}");
  assert_applies ("{\"axis\": 3}", "{\"axes\":[3]}");
  assert_refused ("{\"axis\": 3, \"axes\": [1]}",
                  "/nodes/a/params/axes: the setting \"axes\" is already given by /nodes/a/params/axis; leave one out");
}

static void
test_nested (void)
{
  assert_applies ("{\"filter\": {\"r_inner\": 3, \"r-outer\": -4}}", "{\"filter_r_inner\":3,\"filter_r_outer\":-4}");
  assert_applies ("{\"filter\": {\"r\": {\"inner\": 3}}}", "{\"filter_r_inner\":3}");
  assert_applies ("{\"filter_r_inner\": 3}", "{\"filter_r_inner\":3}");
  assert_applies ("{\"filter\": null}", "{}");
  assert_refused ("{\"filter\": {\"r_inner\": -3}}", "/nodes/a/params/filter/r_inner: -3 is not allowed; "
                                                     "expected an integer of at least 0 or null (pixels)");
  assert_refused ("{\"filter\": 3}", "/nodes/a/params/filter: Toy has no setting \"filter\"; did you mean"
                                     " \"filter_r_inner\" or \"filter_r_outer\"? It has enabled, capacity, max_fps,"
                                     " path, target, axes, weights, extra, filter_r_inner, filter_r_outer, positive");
}

static void
test_null (void)
{
  Toy *toy = toy_new ();
  g_autofree gchar *text = NULL;

  g_assert_true (apply (toy, "{\"max_fps\": 2, \"path\": \"x\", \"axes\": 1, \"extra\": 1}", NULL));
  g_assert_true (apply (toy, "{\"max_fps\": null, \"path\": null, \"axes\": null, \"extra\": null}", NULL));
  text = get_text (toy);
  g_assert_cmpstr (text, ==, "{}");
  g_assert_cmpfloat (toy->max_fps, ==, 25);
  g_assert_cmpstr (toy->path, ==, "default.bin");
  g_assert_null (toy->axes);
  g_assert_null (toy->extra);
  g_assert_false (holo_settings_is_set ((HoloTaskFactory *) toy, "max_fps"));
  g_object_unref (toy);
  assert_refused ("{\"capacity\": null}",
                  "/nodes/a/params/capacity: null is not allowed; expected an integer from 1 to 16 (frames)");
}

static void
test_wrong_type (void)
{
  assert_refused ("{\"enabled\": 1}", "/nodes/a/params/enabled: 1 is not allowed; expected true or false");
  assert_refused ("{\"capacity\": 2.0}",
                  "/nodes/a/params/capacity: 2.0 is not allowed; expected an integer from 1 to 16 (frames)");
  assert_refused ("{\"capacity\": \"2\"}",
                  "/nodes/a/params/capacity: \"2\" is not allowed; expected an integer from 1 to 16 (frames)");
  assert_refused ("{\"capacity\": {}}",
                  "/nodes/a/params/capacity: {} is not allowed; expected an integer from 1 to 16 (frames)");
  assert_refused ("{\"max_fps\": true}",
                  "/nodes/a/params/max_fps: true is not allowed; expected a number from 0.5 to 1000.0 or null (1/s)");
  assert_refused ("{\"path\": 1}", "/nodes/a/params/path: 1 is not allowed; expected a string or null");
  assert_refused ("{\"axes\": [0, 1.5]}", "/nodes/a/params/axes/1: 1.5 is not allowed; expected an array of integers,"
                                          " each from -8 to 7 or null");
  assert_refused ("{\"axes\": \"x\"}", "/nodes/a/params/axes: \"x\" is not allowed; expected an array of integers,"
                                       " each from -8 to 7 or null");
}

static void
test_range (void)
{
  assert_applies ("{\"capacity\": 1}", "{\"capacity\":1}");
  assert_refused ("{\"capacity\": 0}",
                  "/nodes/a/params/capacity: 0 is not allowed; expected an integer from 1 to 16 (frames)");
  assert_refused ("{\"capacity\": 17}",
                  "/nodes/a/params/capacity: 17 is not allowed; expected an integer from 1 to 16 (frames)");
  assert_refused ("{\"max_fps\": 0.4999}",
                  "/nodes/a/params/max_fps: 0.4999 is not allowed; expected a number from 0.5 to 1000.0 or null (1/s)");
  assert_refused ("{\"axes\": [0, 8]}", "/nodes/a/params/axes: [0,8] is not allowed; expected an array of integers,"
                                        " each from -8 to 7 or null");
  assert_refused ("{\"weights\": [1.5]}",
                  "/nodes/a/params/weights: [1.5] is not allowed; expected an array of numbers, each from 0.0 to 1.0");
  assert_refused ("{\"positive\": 0}", "/nodes/a/params/positive: 0 is not allowed; expected a number greater than 0");
}

static void
test_enum (void)
{
  assert_refused (
      "{\"target\": \"f32\"}",
      "/nodes/a/params/target: \"f32\" is not allowed; expected one of U8, I8, U16, I16, U32, I32, U64, I64,"
      " F16, F32, F64, CF32, CF64; did you mean \"F32\"?");
  assert_refused ("{\"target\": 9}", "/nodes/a/params/target: 9 is not allowed; expected one of U8, I8, U16, I16, U32,"
                                     " I32, U64, I64, F16, F32, F64, CF32, CF64");
}

static void
test_unknown (void)
{
  assert_refused ("{\"capcity\": 3}", "/nodes/a/params/capcity: Toy has no setting \"capcity\"; did you mean"
                                      " \"capacity\"? It has enabled, capacity, max_fps, path, target, axes, weights,"
                                      " extra, filter_r_inner, filter_r_outer, positive");
  assert_refused ("{\"a/b~\": 3}", "/nodes/a/params/a~1b~0: Toy has no setting \"a/b~\"; it has enabled, capacity,"
                                   " max_fps, path, target, axes, weights, extra, filter_r_inner, filter_r_outer,"
                                   " positive");
}

/* The second key is wrong: the first must not be applied either. */
static void
test_all_or_none (void)
{
  Toy *toy = toy_new ();
  g_autofree gchar *text = NULL;

  g_assert_true (apply (toy, "{\"capacity\": 5}", NULL));
  g_assert_false (apply (toy, "{\"capacity\": 6, \"max_fps\": \"no\"}", NULL));
  g_assert_cmpint (toy->capacity, ==, 5);
  text = get_text (toy);
  g_assert_cmpstr (text, ==, "{\"capacity\":5}");
  g_object_unref (toy);
}

static guint n_messages;
static gchar *last_message;

static GLogWriterOutput
count_messages (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer user_data)
{
  n_messages++;
  g_assert_cmpint (level & G_LOG_LEVEL_MASK, ==, G_LOG_LEVEL_MESSAGE);
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "MESSAGE"))
      {
        g_free (last_message);
        last_message = g_strdup (fields[i].value);
      }
  return G_LOG_WRITER_HANDLED;
}

static void
test_ignored (void)
{
  g_log_set_writer_func (count_messages, NULL, NULL);
  assert_applies ("{\"use_buffer\": {\"any\": 1}, \"capacity\": 3}", "{\"capacity\":3}");
  g_assert_cmpuint (n_messages, ==, 1);
  g_assert_cmpstr (last_message, ==,
                   "Warning: /nodes/a/params/use_buffer means nothing to Toy here and is ignored: memory is planned");
  g_clear_pointer (&last_message, g_free);
  assert_refused ("{\"use_buffer\": 1, \"capacity\": 99}",
                  "/nodes/a/params/capacity: 99 is not allowed; expected an integer from 1 to 16 (frames)");
  g_assert_cmpuint (n_messages, ==, 1);
}

static void
test_required (void)
{
  Toy *toy = toy_new ();
  g_autoptr (GError) error = NULL;
  HoloInference inference;

  g_assert_false (holo_task_factory_infer ((HoloTaskFactory *) toy, NULL, 0, &inference, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SETTING);
  g_assert_cmpstr (
      error->message, ==,
      "the setting \"target\" must be given: Element type; expected one of U8, I8, U16, I16, U32, I32, U64,"
      " I64, F16, F32, F64, CF32, CF64");
  g_object_set (toy, "target", HOLO_DTYPE_U8, NULL);
  g_assert_true (holo_settings_check_required ((HoloTaskFactory *) toy, NULL));
  g_object_unref (toy);
}

/* What g_object_set() and g_object_new() set counts as set. */
static void
test_object_set (void)
{
  const gint64 numbers[] = { 1, 2 };
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (gint64));
  Toy *toy = g_object_new (toy_get_type (), "capacity", (gint64) 9, NULL);
  g_autofree gchar *text = NULL;

  g_array_append_vals (axes, numbers, 2);
  g_object_set (toy, "axes", axes, "max-fps", 30.0, NULL);
  /* The factory has a copy. */
  g_array_set_size (axes, 0);
  text = get_text (toy);
  g_assert_cmpstr (text, ==, "{\"axes\":[1,2],\"capacity\":9,\"max_fps\":30.0}");
  g_assert_true (holo_settings_is_set ((HoloTaskFactory *) toy, "max_fps"));
  g_object_unref (toy);
}

static void
test_subclass (void)
{
  HoloTaskFactory *sub = g_object_new (sub_get_type (), NULL);
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (G_OBJECT_GET_CLASS (sub), &n);

  g_assert_cmpuint (n, ==, 12);
  g_assert_cmpstr (pspecs[0]->name, ==, "enabled");
  g_assert_cmpstr (pspecs[10]->name, ==, "positive");
  g_assert_cmpstr (pspecs[11]->name, ==, "depth");
  g_assert_cmpint (((Sub *) sub)->depth, ==, 4);
  g_assert_true (apply ((Toy *) sub, "{\"depth\": 5, \"capacity\": 6, \"axis\": 1}", NULL));
  g_assert_cmpint (((Sub *) sub)->depth, ==, 5);
  g_assert_cmpint (((Toy *) sub)->capacity, ==, 6);
  g_object_unref (sub);
}

static void
test_copy (void)
{
  Toy *toy = toy_new (), *copy;
  g_autofree gchar *text = NULL;
  JsonObject *extra;

  g_assert_true (apply (toy, "{\"axes\": [1], \"extra\": {\"a\": 1}, \"path\": \"p\", \"target\": \"U8\"}", NULL));
  copy = (Toy *) holo_task_factory_copy ((HoloTaskFactory *) toy);
  g_assert_cmpstr (holo_task_factory_get_kind ((HoloTaskFactory *) copy), ==, "Toy");
  /* Changes of the original do not reach the copy. */
  g_array_index (toy->axes, gint64, 0) = 5;
  extra = json_node_get_object (toy->extra);
  g_assert_true (json_node_is_immutable (toy->extra));
  g_assert_false (extra == json_node_get_object (copy->extra));
  g_object_set (toy, "path", "q", NULL);
  text = get_text (copy);
  g_assert_cmpstr (text, ==, "{\"axes\":[1],\"extra\":{\"a\":1},\"path\":\"p\",\"target\":\"U8\"}");
  g_object_unref (toy);
  g_object_unref (copy);
}

static void
apply_value (Toy *toy, const gchar *name, GType type, const gchar *text, const gchar *message)
{
  g_auto (GValue) value = G_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  g_value_init (&value, type);
  if (type == G_TYPE_INT)
    g_value_set_int (&value, atoi (text));
  else if (type == G_TYPE_UINT64)
    g_value_set_uint64 (&value, g_ascii_strtoull (text, NULL, 10));
  else if (type == G_TYPE_FLOAT)
    g_value_set_float (&value, (gfloat) g_ascii_strtod (text, NULL));
  else if (type == G_TYPE_DOUBLE)
    g_value_set_double (&value, g_ascii_strtod (text, NULL));
  else if (type == G_TYPE_STRING)
    g_value_set_string (&value, text);
  else
    g_assert_not_reached ();
  g_assert_true (holo_settings_apply_value ((HoloTaskFactory *) toy, name, &value, &error) == (message == NULL));
  if (message != NULL)
    {
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SETTING);
      g_assert_cmpstr (error->message, ==, message);
    }
}

static void
test_apply_value (void)
{
  Toy *toy = toy_new ();

  apply_value (toy, "capacity", G_TYPE_INT, "7", NULL);
  g_assert_cmpint (toy->capacity, ==, 7);
  apply_value (toy, "capacity", G_TYPE_STRING, "8", NULL);
  g_assert_cmpint (toy->capacity, ==, 8);
  apply_value (toy, "capacity", G_TYPE_INT, "17",
               "capacity: 17 is not allowed; expected an integer from 1 to 16 (frames)");
  apply_value (toy, "capacity", G_TYPE_UINT64, "18446744073709551615",
               "capacity: a value of type guint64 is not allowed; expected an integer from 1 to 16 (frames)");
  apply_value (toy, "capacity", G_TYPE_DOUBLE, "7",
               "capacity: a value of type gdouble is not allowed; expected an integer from 1 to 16 (frames)");
  g_assert_cmpint (toy->capacity, ==, 8);
  apply_value (toy, "max_fps", G_TYPE_INT, "7", NULL);
  g_assert_cmpfloat (toy->max_fps, ==, 7);
  apply_value (toy, "max-fps", G_TYPE_FLOAT, "7.5", NULL);
  g_assert_cmpfloat (toy->max_fps, ==, 7.5);
  apply_value (toy, "max-fps", G_TYPE_DOUBLE, "nan",
               "max-fps: nan is not allowed; expected a number from 0.5 to 1000.0 or null (1/s)");
  apply_value (toy, "path", G_TYPE_STRING, NULL, NULL);
  g_assert_cmpstr (toy->path, ==, "default.bin");
  apply_value (toy, "axis", G_TYPE_STRING, "1,2", NULL);
  g_assert_cmpint (g_array_index (toy->axes, gint64, 1), ==, 2);
  g_object_unref (toy);
}

static void
assert_from_string (const gchar *name, const gchar *text, const gchar *expected)
{
  gpointer klass = g_type_class_ref (toy_get_type ());
  GParamSpec *pspec = g_object_class_find_property (klass, name);
  g_auto (GValue) value = G_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  if (holo_setting_value_from_string (pspec, text, &value, &error))
    {
      g_autoptr (JsonNode) node = holo_setting_to_json (pspec, &value);
      g_autofree gchar *result = holo_json_to_text (node, FALSE);

      g_assert_cmpstr (result, ==, expected);
    }
  else
    {
      g_assert_nonnull (error);
      g_assert_null (expected);
    }
  g_type_class_unref (klass);
}

static void
test_from_string (void)
{
  assert_from_string ("enabled", "true", "true");
  assert_from_string ("enabled", "no", "false");
  assert_from_string ("enabled", "maybe", NULL);
  assert_from_string ("capacity", "16", "16");
  assert_from_string ("capacity", "16 ", NULL);
  assert_from_string ("capacity", " 16", NULL);
  assert_from_string ("capacity", "", NULL);
  assert_from_string ("capacity", "1.0", NULL);
  assert_from_string ("capacity", "17", NULL);
  assert_from_string ("capacity", "99999999999999999999", NULL);
  assert_from_string ("max-fps", "2.5", "2.5");
  assert_from_string ("max-fps", "2,5", NULL);
  assert_from_string ("max-fps", "nan", NULL);
  assert_from_string ("max-fps", "inf", NULL);
  assert_from_string ("max-fps", "null", "25.0");
  assert_from_string ("path", "null", "\"null\"");
  assert_from_string ("target", "U16", "\"U16\"");
  assert_from_string ("target", "u16", NULL);
  assert_from_string ("axes", "-2,-1", "[-2,-1]");
  assert_from_string ("axes", "[1]", "[1]");
  assert_from_string ("axes", "", "[]");
  assert_from_string ("axes", "null", "null");
  assert_from_string ("axes", "1;2", NULL);
  assert_from_string ("weights", "0.5", "[0.5]");
  assert_from_string ("extra", "{\"a\": [true]}", "{\"a\":[true]}");
  assert_from_string ("extra", "{", NULL);
}

/* Numbers have a point in every locale. */
static void
check_locale (void)
{
  assert_applies ("{\"max_fps\": 12.5}", "{\"max_fps\":12.5}");
  assert_from_string ("max-fps", "2.5", "2.5");
  assert_from_string ("max-fps", "2,5", NULL);
  assert_refused ("{\"max_fps\": 0.25}",
                  "/nodes/a/params/max_fps: 0.25 is not allowed; expected a number from 0.5 to 1000.0 or null (1/s)");
}

static void
test_locale (void)
{
  comma_locale_run (check_locale);
}

static JsonNode *
get_member (JsonNode *node, const gchar *name)
{
  return json_object_get_member (json_node_get_object (node), name);
}

static void
assert_schema (JsonNode *schema, const gchar *expected)
{
  g_autofree gchar *text = NULL;

  g_assert_nonnull (schema);
  text = holo_json_to_text (schema, FALSE);
  g_assert_cmpstr (text, ==, expected);
}

/* tests/core/test-json-schema.py compares what it accepts with what the reader accepts. */
static void
test_schema (void)
{
  gpointer klass = g_type_class_ref (toy_get_type ());
  g_autoptr (JsonNode) node = holo_settings_to_json_schema (klass);
  JsonNode *properties = get_member (node, "properties");
  guint n;

  g_free (holo_settings_list (klass, &n));
  assert_schema (get_member (properties, "capacity"),
                 "{\"default\":2,\"description\":\"Frames held at most\",\"maximum\":16,\"minimum\":1,"
                 "\"type\":\"integer\",\"x-live\":false,\"x-unit\":\"frames\"}");
  assert_schema (get_member (properties, "axes"),
                 "{\"description\":\"Axes\",\"items\":{\"maximum\":7,\"minimum\":-8,\"type\":\"integer\"},"
                 "\"type\":[\"array\",\"null\"],\"x-live\":false}");
  assert_schema (get_member (node, "required"), "[\"target\"]");
  assert_schema (get_member (node, "additionalProperties"), "false");
  /* Each setting once, as it is written: no second name, no group, no ignored key. */
  g_assert_cmpuint (json_object_get_size (json_node_get_object (properties)), ==, n);
  g_assert_nonnull (get_member (properties, "filter_r_inner"));
  g_type_class_unref (klass);
}

static void
test_nearest_names (void)
{
  const gchar *const names[] = { "FFT2", "IFFT2", "Queue", "BatchQueue", "Sqrt", NULL };
  const struct
  {
    const gchar *name, *expected;
  } cases[] = {
    { "fft2", "\"FFT2\"" },
    { "Queu", "\"Queue\"" },
    { "Qeuue", "\"Queue\"" },
    { "Batch", "\"BatchQueue\"" },
    { "batch_queue", "\"BatchQueue\"" },
    { "Sqr", "\"Sqrt\"" },
    { "FTF2", "\"FFT2\"" },
    { "Blur", NULL },
    { "", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree gchar *nearest = holo_nearest_names (cases[i].name, names);

      g_assert_cmpstr (nearest, ==, cases[i].expected);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/settings/defaults", test_defaults);
  g_test_add_func ("/holo/settings/every-type", test_every_type);
  g_test_add_func ("/holo/settings/spelling", test_spelling);
  g_test_add_func ("/holo/settings/nested", test_nested);
  g_test_add_func ("/holo/settings/null", test_null);
  g_test_add_func ("/holo/settings/wrong-type", test_wrong_type);
  g_test_add_func ("/holo/settings/range", test_range);
  g_test_add_func ("/holo/settings/enum", test_enum);
  g_test_add_func ("/holo/settings/unknown", test_unknown);
  g_test_add_func ("/holo/settings/all-or-none", test_all_or_none);
  g_test_add_func ("/holo/settings/ignored", test_ignored);
  g_test_add_func ("/holo/settings/required", test_required);
  g_test_add_func ("/holo/settings/object-set", test_object_set);
  g_test_add_func ("/holo/settings/subclass", test_subclass);
  g_test_add_func ("/holo/settings/copy", test_copy);
  g_test_add_func ("/holo/settings/apply-value", test_apply_value);
  g_test_add_func ("/holo/settings/from-string", test_from_string);
  g_test_add_func ("/holo/settings/locale", test_locale);
  g_test_add_func ("/holo/settings/schema", test_schema);
  g_test_add_func ("/holo/settings/nearest-names", test_nearest_names);
  return g_test_run ();
}
