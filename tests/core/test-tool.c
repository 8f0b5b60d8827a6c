/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The `holoflow` command as a user runs it: exit status, what it prints, and what it says of wrong input. */
#include <glib/gstdio.h>
#include <holoflow/holoflow.h>
#include <string.h>

#include "tool-process.h"

static const gchar *const sequence_graph =
    "{\"nodes\": {\"source\": {\"type\": \"Sequence\", \"params\": {\"shape\": [4], \"count\": 7}},"
    " \"queue\": {\"type\": \"Queue\", \"params\": {}}, \"root\": {\"type\": \"Sqrt\", \"params\": {}}},"
    " \"edges\": [{\"from\": \"source\", \"out\": 0, \"to\": \"queue\", \"in\": 0},"
    " {\"from\": \"queue\", \"out\": 0, \"to\": \"root\", \"in\": 0}]}";

static void
test_usage (void)
{
  static const gchar *const wrong[] = { "",       "lst", "run", "run a b", "plan --json --dot x", "check --nonsense x",
                                        "inspect" };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_auto (ToolResult) result = { 0 };

      tool_run (&result, "holoflow %s", wrong[i]);
      g_assert_cmpint (result.status, ==, 2);
      g_assert_cmpstr (result.err, !=, "");
      g_assert_cmpstr (result.out, ==, "");
    }
}

static void
test_help (void)
{
  static const gchar *const right[] = { "--help",       "--version",   "list --help", "inspect --help",
                                        "check --help", "plan --help", "run --help" };

  for (guint i = 0; i < G_N_ELEMENTS (right); i++)
    {
      g_auto (ToolResult) result = { 0 };

      tool_run (&result, "holoflow %s", right[i]);
      g_assert_cmpint (result.status, ==, 0);
      tool_assert_contains (result.out, "holoflow");
    }
}

static void
test_list_and_inspect (void)
{
  g_auto (GStrv) kinds = holo_registry_list_kinds (holo_registry_get_default ());
  g_auto (ToolResult) list = { 0 }, schema = { 0 }, unknown = { 0 }, second = { 0 }, kind = { 0 };
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GError) error = NULL;

  tool_run (&list, "holoflow list");
  g_assert_cmpint (list.status, ==, 0);
  for (guint i = 0; kinds[i] != NULL; i++)
    {
      g_auto (ToolResult) result = { 0 };

      tool_assert_contains (list.out, kinds[i]);
      tool_run (&result, "holoflow inspect %s", kinds[i]);
      g_assert_cmpint (result.status, ==, 0);
      tool_assert_contains (result.out, "Settings:");
    }
  tool_run (&schema, "holoflow inspect --json-schema");
  g_assert_cmpint (schema.status, ==, 0);
  root = holo_json_parse (schema.out, -1, &error);
  g_assert_no_error (error);
  g_assert_true (
      json_object_has_member (json_object_get_object_member (json_node_get_object (root), "$defs"), "Queue"));
  tool_run (&second, "holoflow inspect Normalize");
  tool_assert_contains (second.out, "; also called max\n");
  tool_run (&kind, "holoflow inspect FFTShift");
  tool_assert_contains (kind.out, "FFTShift, also called FFTShiftNp: ");
  tool_run (&unknown, "holoflow inspect Qeue");
  g_assert_cmpint (unknown.status, ==, 1);
  tool_assert_contains (unknown.err, "\"Queue\"");
}

static void
test_run (void)
{
  g_auto (ToolResult) a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

  tool_run (&a, "holoflow run --stats sequence.json");
  g_assert_cmpint (a.status, ==, 0);
  tool_assert_contains (a.out, "done after 7 frames");
  tool_assert_contains (a.out, "queue");
  tool_run (&b, "holoflow run --stats --set source.count=9 --set queue.capacity=3 sequence.json");
  g_assert_cmpint (b.status, ==, 0);
  tool_assert_contains (b.out, "done after 9 frames");
  tool_run (&c, "holoflow run --set source.count=-3 sequence.json");
  g_assert_cmpint (c.status, ==, 1);
  tool_assert_contains (c.err, "-3");
  tool_run (&d, "holoflow run --set sorce.count=3 sequence.json");
  g_assert_cmpint (d.status, ==, 1);
  tool_assert_contains (d.err, "\"source\"");
}

static void
test_check_and_plan (void)
{
  g_auto (ToolResult) a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 }, e = { 0 }, f = { 0 };
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GError) error = NULL;

  tool_run (&a, "holoflow check sequence.json");
  g_assert_cmpint (a.status, ==, 0);
  tool_write_file ("wrong.json", "{\"nodes\": {\"a\": {\"type\": \"Sqrrt\", \"params\": {}}}}");
  tool_run (&b, "holoflow check wrong.json");
  g_assert_cmpint (b.status, ==, 1);
  tool_assert_contains (b.err, "\"Sqrt\"");
  tool_run (&c, "holoflow plan sequence.json");
  g_assert_cmpint (c.status, ==, 0);
  tool_assert_contains (c.out, "section-1");
  tool_run (&d, "holoflow plan --json sequence.json");
  g_assert_cmpint (d.status, ==, 0);
  root = holo_json_parse (d.out, -1, &error);
  g_assert_no_error (error);
  tool_run (&e, "holoflow plan --dot sequence.json");
  tool_assert_contains (e.out, "digraph holoflow_compiled");
  tool_run (&f, "holoflow check /nonexistent/graph.json");
  g_assert_cmpint (f.status, ==, 1);
  tool_assert_contains (f.err, "/nonexistent/graph.json");
}

/* Each message names the option or the file, the place in the graph, and what was perhaps meant. */
static void
test_wrong_values (void)
{
  static const struct
  {
    const gchar *arguments, *message;
  } cases[] = {
    { "--set source.cont=1", "--set source.cont=1: sequence.json: /nodes/source/params/cont: Sequence has no setting "
                             "\"cont\"; did you mean \"count\"? It has shape, " },
    { "--set sorce.count=1", "--set sorce.count=1: sequence.json: /nodes: there is no node \"sorce\"; did you mean "
                             "\"source\"?" },
    { "--set source.count=x", "/nodes/source/params/count: \"x\" is not allowed; expected an integer of at least 0" },
    { "--set source.dtype=F23", "/nodes/source/params/dtype: \"F23\" is not allowed; expected one of U8" },
    { "--set source.dtype=F23", "did you mean \"F32\"" },
    { "--set source.shape=[1,", "/nodes/source/params/shape: line 1, column 4 (/1): expected a JSON value" },
    { "--set source", "--set source: expected NODE.SETTING=VALUE" },
    { "-i zz=F32:8,8", "--input zz=F32:8,8: /nodes: there is no Input \"zz\"; the graph has none" },
    { "-i source=F32:8,8", "--input source=F32:8,8: /nodes: there is no Input \"source\"" },
  };
  g_auto (ToolResult) nearest = { 0 }, dimension = { 0 }, type = { 0 }, right = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (ToolResult) result = { 0 };

      tool_run (&result, "holoflow check %s sequence.json", cases[i].arguments);
      g_assert_cmpint (result.status, ==, 1);
      tool_assert_contains (result.err, cases[i].message);
    }
  tool_write_file ("open.json", "{\"nodes\": {\"camera\": {\"type\": \"Input\", \"params\": {}}, \"out\": {\"type\": "
                                "\"Output\", \"params\": {}}}, \"edges\": [{\"from\": \"camera\", \"out\": 0, \"to\": "
                                "\"out\", \"in\": 0}]}");
  tool_run (&nearest, "holoflow check -i camrea=F32:8,8 open.json");
  tool_assert_contains (nearest.err, "there is no Input \"camrea\"; did you mean \"camera\"?");
  tool_run (&dimension, "holoflow check -i camera=F32:8,x open.json");
  tool_assert_contains (dimension.err,
                        "--input camera=F32:8,x: the dimension \"x\" is not allowed; expected an integer");
  tool_run (&type, "holoflow check -i camera=F23:8 open.json");
  tool_assert_contains (type.err, "--input camera=F23:8: ");
  tool_run (&right, "holoflow check -i camera=F32:8,8 open.json");
  g_assert_cmpint (right.status, ==, 0);
}

/* It would run for ever, or rather: there is nothing that could end. */
static void
test_empty_graph (void)
{
  static const gchar *const commands[] = { "check", "plan", "plan --json", "plan --dot", "run" };
  static const gchar *const graphs[] = { "{\"nodes\": {}, \"edges\": []}", "{\"nodes\": {}}" };

  for (guint i = 0; i < G_N_ELEMENTS (commands) * G_N_ELEMENTS (graphs); i++)
    {
      g_auto (ToolResult) result = { 0 };

      tool_write_file ("empty.json", graphs[i % G_N_ELEMENTS (graphs)]);
      tool_run (&result, "holoflow %s empty.json", commands[i / G_N_ELEMENTS (graphs)]);
      g_assert_cmpint (result.status, ==, 1);
      g_assert_cmpstr (result.out, ==, "");
      tool_assert_contains (result.err, "empty.json: /nodes: the graph is empty");
      tool_assert_contains (result.err, "Sequence");
    }
}

static const gchar *const printing[] = { "--help",
                                         "--version",
                                         "list",
                                         "list --help",
                                         "inspect Queue",
                                         "inspect --json-schema",
                                         "check sequence.json",
                                         "plan sequence.json",
                                         "plan --json sequence.json",
                                         "run sequence.json",
                                         "run --stats sequence.json" };

static void
test_full_output (void)
{
  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS))
    {
      g_test_skip ("there is no /dev/full");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (printing); i++)
    {
      g_auto (ToolResult) result = { 0 };

      tool_run (&result, "holoflow %s > /dev/full", printing[i]);
      g_assert_cmpint (result.status, ==, 1);
      tool_assert_contains (result.err, "holoflow: standard output: ");
    }
}

static void
test_closed_output (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (printing); i++)
    {
      g_auto (ToolResult) result = { 0 };

      tool_run (&result, "holoflow %s >&-", printing[i]);
      g_assert_cmpint (result.status, ==, 1);
      tool_assert_contains (result.err, "holoflow: standard output: ");
    }
}

static void
test_standard_input (void)
{
  g_auto (ToolResult) right = { 0 }, folder = { 0 }, closed = { 0 };

  tool_run (&right, "holoflow run - < sequence.json");
  g_assert_cmpint (right.status, ==, 0);
  tool_assert_contains (right.out, "done after 7 frames");
  tool_run (&folder, "holoflow run - < .");
  g_assert_cmpint (folder.status, ==, 1);
  tool_assert_contains (folder.err, "standard input: ");
  tool_run (&closed, "holoflow run - <&-");
  g_assert_cmpint (closed.status, ==, 1);
  tool_assert_contains (closed.err, "standard input: ");
}

/* Arguments come in the locale's encoding. */
static void
test_locale (void)
{
  g_auto (ToolResult) result = { 0 };

  tool_run (&result, "env LC_ALL=C.UTF-8 holoflow check --set r\303\266\303\266t.path=x sequence.json");
  g_assert_cmpint (result.status, ==, 1);
  tool_assert_contains (result.err, "no node \"r\303\266\303\266t\"");
}

int
main (int argc, char **argv)
{
  gchar *folder;
  gint status;

  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("HOLOFLOW_TOOL") == NULL)
    {
      g_test_message ("HOLOFLOW_TOOL does not name the tool");
      return 77;
    }
  folder = tool_enter_folder ();
  tool_write_file ("sequence.json", sequence_graph);
  g_test_add_func ("/holo/tool/usage", test_usage);
  g_test_add_func ("/holo/tool/help", test_help);
  g_test_add_func ("/holo/tool/list-and-inspect", test_list_and_inspect);
  g_test_add_func ("/holo/tool/run", test_run);
  g_test_add_func ("/holo/tool/check-and-plan", test_check_and_plan);
  g_test_add_func ("/holo/tool/wrong-values", test_wrong_values);
  g_test_add_func ("/holo/tool/empty-graph", test_empty_graph);
  g_test_add_func ("/holo/tool/full-output", test_full_output);
  g_test_add_func ("/holo/tool/closed-output", test_closed_output);
  g_test_add_func ("/holo/tool/standard-input", test_standard_input);
  g_test_add_func ("/holo/tool/locale", test_locale);
  status = g_test_run ();
  tool_leave_folder (folder);
  return status;
}
