/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <holoflow/holoflow.h>

#include <glib/gstdio.h>
#include <string.h>

static HoloGraph *
parse (const gchar *text)
{
  g_autoptr (GError) error = NULL;
  HoloGraph *graph = holo_graph_new_from_text (text, -1, &error);

  g_assert_no_error (error);
  return graph;
}

static void
assert_refused (const gchar *text, HoloError code, const gchar *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (holo_graph_new_from_text (text, -1, &error));
  g_assert_error (error, HOLO_ERROR, (gint) code);
  g_assert_cmpstr (error->message, ==, message);
}

static gchar *
get_settings (HoloGraph *graph, const gchar *name)
{
  guint index;

  g_assert_true (holo_graph_find_node (graph, name, &index));
  return holo_json_to_text (holo_graph_get_node (graph, index)->settings, FALSE);
}

/* ---- the original's rows ---- */

static void
test_round_trip (void)
{
  g_autoptr (HoloGraph) graph = holo_graph_new (), again = NULL;
  g_autofree gchar *text = NULL, *text_again = NULL;
  guint source = holo_graph_add_node_text (graph, "source", "Source", "{\"frames\": 4}");
  guint sink = holo_graph_add_node (graph, "sink", "Sink", NULL);

  holo_graph_set_node_debug (graph, sink, FALSE);
  holo_graph_add_edge (graph, source, 0, sink, 0);
  text = holo_graph_to_text (graph, NULL);
  again = parse (text);
  text_again = holo_graph_to_text (again, NULL);
  g_assert_cmpstr (text, ==, text_again);
  g_assert_cmpuint (holo_graph_get_n_nodes (again), ==, 2);
  g_assert_cmpuint (holo_graph_get_n_edges (again), ==, 1);
  g_assert_cmpstr (text, ==,
                   "{\n"
                   "  \"edges\": [\n"
                   "    {\n"
                   "      \"from\": \"source\",\n"
                   "      \"in\": 0,\n"
                   "      \"out\": 0,\n"
                   "      \"to\": \"sink\"\n"
                   "    }\n"
                   "  ],\n"
                   "  \"nodes\": {\n"
                   "    \"sink\": {\n"
                   "      \"debug\": false,\n"
                   "      \"params\": {},\n"
                   "      \"type\": \"Sink\"\n"
                   "    },\n"
                   "    \"source\": {\n"
                   "      \"params\": {\n"
                   "        \"frames\": 4\n"
                   "      },\n"
                   "      \"type\": \"Source\"\n"
                   "    }\n"
                   "  }\n"
                   "}\n");
}

static void
test_vertex_order (void)
{
  g_autoptr (HoloGraph) graph = parse ("{\"nodes\": {\"z\": {\"type\": \"T\", \"params\": {}}, "
                                       "\"a\": {\"type\": \"T\", \"params\": {}}}, \"edges\": []}");

  g_assert_cmpstr (holo_graph_get_node (graph, 0)->name, ==, "a");
  g_assert_cmpstr (holo_graph_get_node (graph, 1)->name, ==, "z");
}

static void
test_malformed_documents (void)
{
  assert_refused ("[]", HOLO_ERROR_JSON, "/: expected an object with \"nodes\" and \"edges\", found an array");
  assert_refused ("{\"nodes\": []}", HOLO_ERROR_JSON,
                  "/nodes: expected an object with a member per node, found an array");
  assert_refused ("{\"nodes\": {\"source\": {\"type\": \"T\", \"params\": {}}}, "
                  "\"edges\": [{\"from\": \"sorce\", \"to\": \"x\", \"out\": 0, \"in\": 0}]}",
                  HOLO_ERROR_GRAPH, "/edges/0/from: there is no node \"sorce\"; did you mean \"source\"?");
}

static void
test_dot_escapes (void)
{
  g_autoptr (HoloGraph) graph = holo_graph_new ();
  g_autofree gchar *dot = NULL;

  holo_graph_add_node_text (graph, "source", "Source", "{\"label\": \"line\\n\\\"quoted\\\"\"}");
  holo_graph_add_node (graph, "sink", "Sink", NULL);
  holo_graph_add_edge (graph, 0, 0, 1, 0);
  dot = holo_graph_to_dot (graph);
  g_assert_nonnull (strstr (dot, "digraph holoflow_graph"));
  g_assert_nonnull (strstr (dot, "rankdir=LR"));
  g_assert_nonnull (strstr (dot, "v0 [label=\"source\\n(Source)\\n{\\n  \\\"label\\\": "
                                 "\\\"line\\\\n\\\\\\\"quoted\\\\\\\"\\\"\\n}\"]"));
  g_assert_nonnull (strstr (dot, "v1 [label=\"sink\\n(Sink)\"]"));
  g_assert_nonnull (strstr (dot, "v0 -> v1 [taillabel=\"0\" headlabel=\"0\"]"));
}

static void
test_defaults (void)
{
  g_autoptr (HoloGraph) graph = parse ("{\"nodes\": {\"a\": {\"type\": \"T\", \"params\": {}}, "
                                       "\"b\": {\"type\": \"T\", \"params\": 42, \"debug\": false}}}");
  g_autofree gchar *a = get_settings (graph, "a"), *b = get_settings (graph, "b");
  g_autoptr (JsonNode) json = holo_graph_to_json (graph, NULL);
  JsonArray *edges = json_object_get_array_member (json_node_get_object (json), "edges");

  g_assert_cmpstr (a, ==, "{}");
  g_assert_true (holo_graph_get_node (graph, 0)->debug);
  g_assert_cmpstr (b, ==, "42");
  g_assert_false (holo_graph_get_node (graph, 1)->debug);
  g_assert_cmpuint (json_array_get_length (edges), ==, 0);
}

#define ONE_NODE "{\"nodes\": {\"a\": {\"type\": \"T\", \"params\": {}}}, \"edges\": "

static void
test_invalid_fields (void)
{
  const struct
  {
    const gchar *text, *message;
  } cases[] = {
    { "{}", "/nodes: missing; expected an object with a member per node" },
    { "{\"nodes\": null}", "/nodes: expected an object with a member per node, found null" },
    { "{\"nodes\": {\"\": {\"type\": \"T\", \"params\": {}}}}", "/nodes/: the name of a node must not be empty" },
    { "{\"nodes\": {\"a\": 1}}", "/nodes/a: expected an object with \"type\" and \"params\", found an integer" },
    { "{\"nodes\": {\"a\": {\"params\": {}}}}", "/nodes/a/type: missing; expected the kind (a string)" },
    { "{\"nodes\": {\"a\": {\"type\": null, \"params\": {}}}}",
      "/nodes/a/type: expected the kind (a string), found null" },
    { "{\"nodes\": {\"a\": {\"type\": 1, \"params\": {}}}}",
      "/nodes/a/type: expected the kind (a string), found an integer" },
    { "{\"nodes\": {\"a\": {\"type\": \"T\"}}}",
      "/nodes/a/params: missing; expected the settings (an object, {} when there are none)" },
    { "{\"nodes\": {\"a\": {\"type\": \"T\", \"params\": {}, \"debug\": 1}}}",
      "/nodes/a/debug: expected true or false, found an integer" },
    { "{\"nodes\": {\"a\": {\"type\": \"T\", \"params\": {}, \"debug\": null}}}",
      "/nodes/a/debug: expected true or false, found null" },
    { ONE_NODE "{}}", "/edges: expected an array with an object per edge, found an object" },
    { ONE_NODE "null}", "/edges: expected an array with an object per edge, found null" },
    { ONE_NODE "[1]}", "/edges/0: expected an object with \"from\", \"out\", \"to\" and \"in\", found an integer" },
    { ONE_NODE "[{\"to\": \"a\", \"out\": 0, \"in\": 0}]}",
      "/edges/0/from: missing; expected the name of a node (a string)" },
    { ONE_NODE "[{\"from\": null, \"to\": \"a\", \"out\": 0, \"in\": 0}]}",
      "/edges/0/from: expected the name of a node (a string), found null" },
    { ONE_NODE "[{\"from\": \"a\", \"to\": 7, \"out\": 0, \"in\": 0}]}",
      "/edges/0/to: expected the name of a node (a string), found an integer" },
    { ONE_NODE "[{\"from\": \"a\", \"to\": \"a\", \"out\": \"bad\", \"in\": 0}]}",
      "/edges/0/out: expected a slot number (an integer), found a string" },
    { ONE_NODE "[{\"from\": \"a\", \"to\": \"a\", \"out\": 0, \"in\": 1.0}]}",
      "/edges/0/in: expected a slot number (an integer), found a number" },
    { ONE_NODE "[{\"from\": \"a\", \"to\": \"a\", \"in\": 0}]}",
      "/edges/0/out: missing; expected a slot number (an integer)" },
    { ONE_NODE "[{\"from\": \"a\", \"to\": \"a\", \"out\": 0}]}",
      "/edges/0/in: missing; expected a slot number (an integer)" },
    { "{\"nodes\": {\"a\": {\"type\": \"T\", \"params\": {}}, \"a\": {\"type\": \"U\", \"params\": {}}}}",
      "line 1, column 46 (/nodes): the key \"a\" appears twice" },
    { "{\"nodes\": {\"a/b\": 1}}", "/nodes/a~1b: expected an object with \"type\" and \"params\", found an integer" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_refused (cases[i].text, HOLO_ERROR_JSON, cases[i].message);
}

static void
test_unnamed_nodes (void)
{
  g_autoptr (HoloGraph) graph = holo_graph_new ();
  g_autoptr (GError) error = NULL;

  holo_graph_add_node (graph, "", "Sink", NULL);
  g_assert_null (holo_graph_to_json (graph, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH);
  g_assert_cmpstr (error->message, ==, "node 0 (Sink) has no name and cannot be written");
}

static void
test_duplicate_nodes (void)
{
  g_autoptr (HoloGraph) graph = holo_graph_new ();
  g_autoptr (GError) error = NULL;

  holo_graph_add_node (graph, "same", "A", NULL);
  holo_graph_add_node (graph, "same", "B", NULL);
  g_assert_null (holo_graph_to_text (graph, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH);
  g_assert_nonnull (strstr (error->message, "\"same\""));
}

static void
test_dot_unnamed (void)
{
  g_autoptr (HoloGraph) graph = holo_graph_new ();
  g_autofree gchar *dot = NULL;

  holo_graph_add_node_text (graph, "", "", "\"line\\r\\nvalue\"");
  dot = holo_graph_to_dot (graph);
  g_assert_nonnull (strstr (dot, "label=\"(unnamed)\\n\\\"line"));
  g_assert_nonnull (strstr (dot, "value"));
  g_assert_null (strchr (dot, '\r'));
  /* The name itself may hold one too. */
  g_clear_pointer (&dot, g_free);
  holo_graph_add_node (graph, "a\r\nb", "K", NULL);
  dot = holo_graph_to_dot (graph);
  g_assert_nonnull (strstr (dot, "label=\"a\\nb\\n(K)\""));
}

static void
test_null_params (void)
{
  g_autoptr (HoloGraph) graph = parse ("{\"nodes\": {\"a\": {\"type\": \"T\", \"params\": null}}}");
  g_autofree gchar *settings = get_settings (graph, "a");

  g_assert_cmpstr (settings, ==, "{}");
}

/* ---- ours ---- */

static void
test_unknown_keys (void)
{
  g_autoptr (HoloGraph) graph =
      parse ("{\"comment\": 1, \"nodes\": {\"a\": {\"type\": \"T\", \"params\": {}, \"x\": 1}}, "
             "\"edges\": [{\"from\": \"a\", \"to\": \"a\", \"out\": -1, "
             "\"in\": 9223372036854775807, \"color\": \"red\"}]}");
  const HoloGraphEdge *edge = holo_graph_get_edge (graph, 0);

  g_assert_cmpint (edge->out, ==, -1);
  g_assert_cmpint (edge->in, ==, G_MAXINT64);
}

/* Equal graphs give equal text, whatever the order they were built in. */
static void
test_stable_text (void)
{
  g_autoptr (HoloGraph) one = holo_graph_new (), two = holo_graph_new ();
  g_autofree gchar *text_one = NULL, *text_two = NULL;

  holo_graph_add_node_text (one, "a", "A", "{\"x\": 1, \"b\": 0.1}");
  holo_graph_add_node (one, "b", "B", NULL);
  g_assert_true (holo_graph_link (one, "a", 0, "b", 0, NULL));
  g_assert_true (holo_graph_link (one, "a", 1, "b", 1, NULL));
  holo_graph_add_node (two, "b", "B", NULL);
  holo_graph_add_node_text (two, "a", "A", "{\"b\": 0.1, \"x\": 1}");
  g_assert_true (holo_graph_link (two, "a", 1, "b", 1, NULL));
  g_assert_true (holo_graph_link (two, "a", 0, "b", 0, NULL));
  text_one = holo_graph_to_text (one, NULL);
  text_two = holo_graph_to_text (two, NULL);
  g_assert_cmpstr (text_one, ==, text_two);
  g_assert_nonnull (strstr (text_one, "\"b\": 0.1,"));
}

static void
test_copy (void)
{
  g_autoptr (HoloGraph) graph = parse (ONE_NODE "[{\"from\": \"a\", \"to\": \"a\", \"out\": 0, \"in\": 0}]}");
  g_autoptr (HoloGraph) copy = holo_graph_copy (graph);
  g_autoptr (JsonNode) value = json_node_init_int (json_node_alloc (), 3);
  g_autofree gchar *original = NULL, *changed = NULL;

  g_assert_true (holo_graph_set_setting (copy, "a", "x-y", value, NULL));
  original = get_settings (graph, "a");
  changed = get_settings (copy, "a");
  g_assert_cmpstr (original, ==, "{}");
  g_assert_cmpstr (changed, ==, "{\"x_y\":3}");
  g_assert_cmpuint (holo_graph_get_n_edges (copy), ==, 1);
}

static void
assert_set (const gchar *settings, const gchar *name, const gchar *expected)
{
  g_autoptr (HoloGraph) graph = holo_graph_new ();
  g_autoptr (JsonNode) value = json_node_init_int (json_node_alloc (), 3);
  g_autofree gchar *result = NULL;

  holo_graph_add_node_text (graph, "a", "A", settings);
  g_assert_true (holo_graph_set_setting (graph, "a", name, value, NULL));
  result = get_settings (graph, "a");
  g_assert_cmpstr (result, ==, expected);
}

static gpointer
copy_often (gpointer graph)
{
  for (guint i = 0; i < 20000; i++)
    holo_graph_unref (holo_graph_copy (graph));
  return NULL;
}

/* json-glib counts who shares a value without atomic operations: copies in two threads must share none. */
static void
test_copy_in_threads (void)
{
  static const gchar *texts[] = { "3", "0.5", "\"cover\"", "true", "[1, 2.5, null]", "{\"a\": \"b\"}" };
  g_autoptr (HoloGraph) graph = holo_graph_new ();
  g_autofree gchar *before = NULL, *after = NULL;
  GThread *threads[3];

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree gchar *json = g_strdup_printf ("{\"value\": %s}", texts[i]), *name = g_strdup_printf ("n%u", i);
      g_autoptr (JsonNode) settings = holo_json_parse (json, -1, NULL);

      g_assert_nonnull (settings);
      holo_graph_add_node (graph, name, "Queue", settings);
    }
  before = holo_graph_to_text (graph, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("copy", copy_often, graph);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  after = holo_graph_to_text (graph, NULL);
  g_assert_cmpstr (before, ==, after);
}

static void
test_set_setting (void)
{
  g_autoptr (HoloGraph) graph = holo_graph_new ();
  g_autoptr (JsonNode) value = json_node_init_int (json_node_alloc (), 3);
  g_autoptr (GError) error = NULL;

  assert_set ("{}", "max-fps", "{\"max_fps\":3}");
  assert_set ("{\"max-fps\": 1}", "max_fps", "{\"max_fps\":3}");
  assert_set ("{\"filter\": {\"r_inner\": 1, \"r_outer\": 2}}", "filter-r-inner",
              "{\"filter\":{\"r_outer\":2},\"filter_r_inner\":3}");
  assert_set ("{\"filter\": null}", "filter-r-inner", "{\"filter_r_inner\":3}");
  assert_set ("{\"fil\": {\"x\": 1}}", "filter-x", "{\"fil\":{\"x\":1},\"filter_x\":3}");

  holo_graph_add_node_text (graph, "node", "A", "42");
  g_assert_false (holo_graph_set_setting (graph, "nod", "x", value, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH);
  g_assert_cmpstr (error->message, ==, "there is no node \"nod\"; did you mean \"node\"?");
  g_clear_error (&error);
  g_assert_false (holo_graph_set_setting (graph, "node", "x", value, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH);
  g_assert_cmpstr (error->message, ==, "/nodes/node/params is an integer; settings are an object");
}

static void
test_file (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("holo-graph-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "graph.json", NULL);
  g_autoptr (HoloGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, ONE_NODE "[]}", -1, NULL));
  graph = holo_graph_new_from_file (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (holo_graph_get_n_nodes (graph), ==, 1);

  g_assert_true (g_file_set_contents (path, "[]", -1, NULL));
  g_assert_null (holo_graph_new_from_file (path, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_JSON);
  g_assert_true (g_str_has_prefix (error->message, path));
  g_unlink (path);
  g_rmdir (folder);
}

/* 10,000 nodes in a chain are read, linked and written in well under a second each. */
static void
test_large (void)
{
  g_autoptr (HoloGraph) graph = holo_graph_new (), again = NULL;
  g_autofree gchar *text = NULL;

  for (guint i = 0; i < 10000; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("n%u", i);

      holo_graph_add_node (graph, name, "Sqrt", NULL);
      if (i > 0)
        holo_graph_add_edge (graph, i - 1, 0, i, 0);
    }
  text = holo_graph_to_text (graph, NULL);
  again = parse (text);
  g_assert_cmpuint (holo_graph_get_n_nodes (again), ==, 10000);
  g_assert_cmpuint (holo_graph_get_n_edges (again), ==, 9999);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/graph/round-trip", test_round_trip);
  g_test_add_func ("/holo/graph/vertex-order", test_vertex_order);
  g_test_add_func ("/holo/graph/malformed-documents", test_malformed_documents);
  g_test_add_func ("/holo/graph/dot-escapes", test_dot_escapes);
  g_test_add_func ("/holo/graph/defaults", test_defaults);
  g_test_add_func ("/holo/graph/invalid-fields", test_invalid_fields);
  g_test_add_func ("/holo/graph/unnamed-nodes", test_unnamed_nodes);
  g_test_add_func ("/holo/graph/duplicate-nodes", test_duplicate_nodes);
  g_test_add_func ("/holo/graph/dot-unnamed", test_dot_unnamed);
  g_test_add_func ("/holo/graph/null-params", test_null_params);
  g_test_add_func ("/holo/graph/unknown-keys", test_unknown_keys);
  g_test_add_func ("/holo/graph/stable-text", test_stable_text);
  g_test_add_func ("/holo/graph/copy", test_copy);
  g_test_add_func ("/holo/graph/copy-in-threads", test_copy_in_threads);
  g_test_add_func ("/holo/graph/set-setting", test_set_setting);
  g_test_add_func ("/holo/graph/file", test_file);
  g_test_add_func ("/holo/graph/large", test_large);
  return g_test_run ();
}
