/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The `holoflow` command as a user runs it: exit status, what it prints, and what it says of wrong input. */
#include <glib/gstdio.h>
#include <holoflow/holoflow.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

typedef struct
{
  gint status; /* exit status */
  gchar *out;
  gchar *err;
} Result;

static void
clear_result (Result *result)
{
  g_free (result->out);
  g_free (result->err);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Result, clear_result)

static void
run (Result *result, const gchar *command)
{
  g_autofree gchar *line = g_strdup_printf ("%s %s", g_getenv ("HOLOFLOW_TOOL"), command);
  g_autoptr (GError) error = NULL;
  gint wait_status;

  g_spawn_command_line_sync (line, &result->out, &result->err, &wait_status, &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (wait_status));
  result->status = WEXITSTATUS (wait_status);
}

static void
assert_contains (const gchar *text, const gchar *part)
{
  if (strstr (text, part) == NULL)
    g_error ("\"%s\" is not in: %s", part, text);
}

static gchar *
write_graph (const gchar *text)
{
  g_autoptr (GError) error = NULL;
  gchar *name = NULL;
  gint fd = g_file_open_tmp ("holoflow-XXXXXX.json", &name, &error);

  g_assert_no_error (error);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (name, text, -1, NULL));
  return name;
}

static const gchar *const sequence_graph
  = "{\"nodes\": {\"source\": {\"type\": \"Sequence\", \"params\": {\"shape\": [4], \"dtype\": \"F32\", \"count\": %s}},"
    " \"queue\": {\"type\": \"Queue\", \"params\": {}}, \"root\": {\"type\": \"Sqrt\", \"params\": {}}},"
    " \"edges\": [{\"from\": \"source\", \"out\": 0, \"to\": \"queue\", \"in\": 0},"
    " {\"from\": \"queue\", \"out\": 0, \"to\": \"root\", \"in\": 0}]}";

static void
test_usage (void)
{
  static const gchar *const wrong[] = { "", "lst", "run", "run a b", "plan --json --dot x", "check --nonsense x", "inspect" };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_auto (Result) result = { 0 };

      run (&result, wrong[i]);
      g_assert_cmpint (result.status, ==, 2);
      g_assert_cmpstr (result.err, !=, "");
      g_assert_cmpstr (result.out, ==, "");
    }
}

static void
test_help (void)
{
  static const gchar *const right[]
    = { "--help", "--version", "list --help", "inspect --help", "check --help", "plan --help", "run --help" };

  for (guint i = 0; i < G_N_ELEMENTS (right); i++)
    {
      g_auto (Result) result = { 0 };

      run (&result, right[i]);
      g_assert_cmpint (result.status, ==, 0);
      assert_contains (result.out, "holoflow");
    }
}

static void
test_list_and_inspect (void)
{
  g_auto (GStrv) kinds = holo_registry_list_kinds (holo_registry_get_default ());
  g_auto (Result) list = { 0 }, schema = { 0 }, unknown = { 0 };
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GError) error = NULL;

  run (&list, "list");
  g_assert_cmpint (list.status, ==, 0);
  for (guint i = 0; kinds[i] != NULL; i++)
    {
      g_autofree gchar *command = g_strconcat ("inspect ", kinds[i], NULL);
      g_auto (Result) result = { 0 };

      assert_contains (list.out, kinds[i]);
      run (&result, command);
      g_assert_cmpint (result.status, ==, 0);
      assert_contains (result.out, "Settings:");
    }
  run (&schema, "inspect --json-schema");
  g_assert_cmpint (schema.status, ==, 0);
  root = holo_json_parse (schema.out, -1, &error);
  g_assert_no_error (error);
  g_assert_true (json_object_has_member (json_object_get_object_member (json_node_get_object (root), "$defs"), "Queue"));
  run (&unknown, "inspect Qeue");
  g_assert_cmpint (unknown.status, ==, 1);
  assert_contains (unknown.err, "\"Queue\"");
}

static void
test_run (void)
{
  g_autofree gchar *text = g_strdup_printf (sequence_graph, "7");
  g_autofree gchar *file = write_graph (text);
  g_autofree gchar *plain = g_strdup_printf ("run --stats %s", file);
  g_autofree gchar *set = g_strdup_printf ("run --stats --set source.count=9 --set queue.capacity=3 %s", file);
  g_autofree gchar *wrong = g_strdup_printf ("run --set source.count=-3 %s", file);
  g_autofree gchar *missing = g_strdup_printf ("run --set sorce.count=3 %s", file);
  g_auto (Result) a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

  run (&a, plain);
  g_assert_cmpint (a.status, ==, 0);
  assert_contains (a.out, "done after 7 frames");
  assert_contains (a.out, "queue");
  run (&b, set);
  g_assert_cmpint (b.status, ==, 0);
  assert_contains (b.out, "done after 9 frames");
  run (&c, wrong);
  g_assert_cmpint (c.status, ==, 1);
  assert_contains (c.err, "-3");
  run (&d, missing);
  g_assert_cmpint (d.status, ==, 1);
  assert_contains (d.err, "\"source\"");
  g_unlink (file);
}

static void
test_check_and_plan (void)
{
  g_autofree gchar *text = g_strdup_printf (sequence_graph, "7");
  g_autofree gchar *file = write_graph (text), *bad = write_graph ("{\"nodes\": {\"a\": {\"type\": \"Sqrrt\", \"params\": {}}}}");
  g_autofree gchar *check = g_strdup_printf ("check %s", file), *check_bad = g_strdup_printf ("check %s", bad);
  g_autofree gchar *plan = g_strdup_printf ("plan %s", file), *json = g_strdup_printf ("plan --json %s", file);
  g_autofree gchar *dot = g_strdup_printf ("plan --dot %s", file);
  g_auto (Result) a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 }, e = { 0 }, f = { 0 };
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GError) error = NULL;

  run (&a, check);
  g_assert_cmpint (a.status, ==, 0);
  run (&b, check_bad);
  g_assert_cmpint (b.status, ==, 1);
  assert_contains (b.err, "\"Sqrt\"");
  run (&c, plan);
  g_assert_cmpint (c.status, ==, 0);
  assert_contains (c.out, "section-1");
  run (&d, json);
  g_assert_cmpint (d.status, ==, 0);
  root = holo_json_parse (d.out, -1, &error);
  g_assert_no_error (error);
  run (&e, dot);
  assert_contains (e.out, "digraph holoflow_compiled");
  run (&f, "check /nonexistent/graph.json");
  g_assert_cmpint (f.status, ==, 1);
  assert_contains (f.err, "/nonexistent/graph.json");
  g_unlink (file);
  g_unlink (bad);
}

/* Ctrl-C ends an endless graph and the statistics still come. */
static void
test_interrupt (void)
{
  g_autofree gchar *text = g_strdup_printf (sequence_graph, "9000000000000");
  g_autofree gchar *file = write_graph (text), *out = NULL;
  const gchar *argv[] = { g_getenv ("HOLOFLOW_TOOL"), "run", "--stats", file, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = g_subprocess_newv (argv, G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error);

  g_assert_no_error (error);
  /* The handler is in place once the process works; a signal that comes earlier would kill it, so wait for CPU time. */
  for (guint i = 0; i < 200; i++)
    {
      g_autofree gchar *path = g_strdup_printf ("/proc/%s/task", g_subprocess_get_identifier (process));
      g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
      guint n = 0;

      while (dir != NULL && g_dir_read_name (dir) != NULL)
        n++;
      if (n >= 4)
        break;
      g_usleep (10000);
    }
  g_usleep (100000);
  g_subprocess_send_signal (process, SIGINT);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &out, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 0);
  assert_contains (out, "stopped after");
  assert_contains (out, "source");
  g_unlink (file);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/tool/usage", test_usage);
  g_test_add_func ("/holo/tool/help", test_help);
  g_test_add_func ("/holo/tool/list-and-inspect", test_list_and_inspect);
  g_test_add_func ("/holo/tool/run", test_run);
  g_test_add_func ("/holo/tool/check-and-plan", test_check_and_plan);
  g_test_add_func ("/holo/tool/interrupt", test_interrupt);
  return g_test_run ();
}
