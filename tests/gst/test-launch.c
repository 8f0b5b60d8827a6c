/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gst-launch-1.0 as a user types it: what is wrong is said in plain words, and the exit status is not 0. */
#include "gst-test.h"
#include "host-test.h"

#include <string.h>
#include <sys/wait.h>

#define SOURCE                                                                                                         \
  "videotestsrc num-buffers=5 ! video/x-raw,format=GRAY8,width=8,height=4,framerate=30/1 ! "                           \
  "holovideototensor"

/* Runs gst-launch-1.0 with @line; returns its exit status (-1: killed after twenty seconds) and what it said.
 */
static gint
launch (const gchar *line, const gchar *options, gchar **said)
{
  g_autofree gchar *program = g_find_program_in_path ("gst-launch-1.0");
  g_autofree gchar *command = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree gchar *out = NULL, *err = NULL;
  gint status;

  command = g_strdup_printf ("timeout -s KILL 20 %s %s %s", program, options, line);
  g_assert_true (g_spawn_command_line_sync (command, &out, &err, &status, &error));
  g_assert_no_error (error);
  *said = g_strconcat (out, err, NULL);
  return WIFEXITED (status) && WEXITSTATUS (status) != 137 ? WEXITSTATUS (status) : -1;
}

static gboolean
have_launch (void)
{
  g_autofree gchar *program = g_find_program_in_path ("gst-launch-1.0");

  if (program == NULL)
    g_test_skip ("gst-launch-1.0 is not installed");
  return program != NULL;
}

static void
assert_fails (const gchar *line, const gchar *word)
{
  g_autofree gchar *said = NULL;
  gint status = launch (line, "", &said);

  if (status <= 0)
    g_error ("%s: exit status %d: %s", line, status, said);
  if (strstr (said, word) == NULL)
    g_error ("%s: \"%s\" does not name \"%s\"", line, said, word);
  g_assert_null (strstr (said, "CRITICAL"));
}

static void
assert_works (const gchar *line, const gchar *options)
{
  g_autofree gchar *said = NULL;
  gint status = launch (line, options, &said);

  if (status != 0)
    g_error ("%s: exit status %d: %s", line, status, said);
  g_assert_null (strstr (said, "CRITICAL"));
}

/* "graph" for a command line. */
static gchar *
quote (const gchar *graph)
{
  g_autofree gchar *assignment = g_strconcat ("graph=", graph, NULL);

  return g_shell_quote (assignment);
}

static void
test_works (void)
{
  g_autofree gchar *graph = quote (GRAPH_QUEUE), *line = NULL, *named = NULL;

  if (!have_launch ())
    return;
  line = g_strdup_printf (SOURCE " ! holoflowbin %s q::capacity=3 ! fakesink", graph);
  assert_works (line, "-q");
  named = g_strdup_printf ("holoflowbin name=h q::capacity=3 %s " SOURCE " ! h.sink_in h.src_out ! fakesink", graph);
  assert_works (named, "-q");
  assert_works (SOURCE " ! holoqueue max-size-buffers=4 ! holobatchqueue output-size=2 ! fakesink", "-q");
}

static void
test_bad_setting (void)
{
  if (!have_launch ())
    return;
  assert_fails (SOURCE " ! holobatchqueue output-size=0 ! fakesink", "output-size");
  assert_fails (SOURCE " ! holobatchqueue output-size=-1 ! fakesink", "output-size");
  assert_fails (SOURCE " ! holoqueue capacity=0 ! fakesink", "capacity");
  assert_fails (SOURCE " ! holoqueue max-size-buffers=0 ! fakesink", "capacity");
  assert_fails (SOURCE " ! holoratelimiter max-fps=0 ! fakesink", "max-fps");
  assert_fails (SOURCE " ! holoratelimiter max-fps=-3 ! fakesink", "max-fps");
  assert_fails (SOURCE " ! holoratelimiter ! fakesink", "max_fps");
  assert_fails (SOURCE " ! holoqueue leaky=sideways ! fakesink", "leaky");
}

static void
test_bad_graph (void)
{
  g_autofree gchar *kind = quote (GRAPH (NODE ("a", "Sqtr", ""), "")), *kind_line = NULL;
  g_autofree gchar *setting = quote (GRAPH (NODE ("in", "Input", "") "," NODE (
                                                "q", "Queue", "\"capacity\": \"many\"") "," NODE ("out", "Output", ""),
                                            EDGE ("in", 0, "q", 0) "," EDGE ("q", 0, "out", 0))),
                   *setting_line = NULL;

  if (!have_launch ())
    return;
  assert_fails (SOURCE " ! holoflowbin ! fakesink", "there is no graph");
  assert_fails (SOURCE " ! holoflowbin graph='{' ! fakesink", "line 1");
  assert_fails (SOURCE " ! holoflowbin graph-location=/nowhere/graph.json ! fakesink", "/nowhere/graph.json");
  kind_line = g_strdup_printf (SOURCE " ! holoflowbin %s ! fakesink", kind);
  assert_fails (kind_line, "Sqrt");
  setting_line = g_strdup_printf (SOURCE " ! holoflowbin %s ! fakesink", setting);
  assert_fails (setting_line, "/nodes/q/params/capacity");
}

static void
test_bad_node (void)
{
  g_autofree gchar *graph = quote (GRAPH_QUEUE), *line = NULL, *value = NULL;

  if (!have_launch ())
    return;
  line = g_strdup_printf (SOURCE " ! holoflowbin %s queue::capacity=3 ! fakesink", graph);
  assert_fails (line, "no node \"queue\"");
  value = g_strdup_printf (SOURCE " ! holoflowbin %s q::capacity=0 ! fakesink", graph);
  assert_fails (value, "node \"q\"");
}

/* A batching element must not swallow the end, neither after an error nor without one. */
static void
test_eos_on_shutdown (void)
{
  g_autofree gchar *said = NULL;
  gint status;

  if (!have_launch ())
    return;
#define LIVE                                                                                                           \
  "videotestsrc is-live=true num-buffers=10 ! video/x-raw,format=GRAY8,width=8,height=4,framerate=100/1 ! "            \
  "holovideototensor ! holobatchqueue output-size=4"
  status = launch (LIVE " ! 'tensor/strided,type=(string)uint8,dims=(int)<9,9,9>' ! fakesink", "-e", &said);
  if (status <= 0)
    g_error ("exit status %d: %s", status, said);
  assert_works (LIVE " ! fakesink", "-e -q");
}

gint
main (gint argc, gchar **argv)
{
  test_init_gst (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_unsetenv ("G_DEBUG");
  g_test_add_func ("/gst/launch/works", test_works);
  g_test_add_func ("/gst/launch/bad-setting", test_bad_setting);
  g_test_add_func ("/gst/launch/bad-graph", test_bad_graph);
  g_test_add_func ("/gst/launch/bad-node", test_bad_node);
  g_test_add_func ("/gst/launch/eos-on-shutdown", test_eos_on_shutdown);
  return g_test_run ();
}
