/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `run`: a graph from its sources to its sinks, with a progress line and statistics. */
#include "tool.h"

#include <glib-unix.h>
#include <stdio.h>
#include <unistd.h>

typedef struct
{
  GMainLoop *loop;
  HoloScheduler *scheduler;
  gint64 start;
  guint64 last_frames;
  gint64 last_time;
  gboolean interrupted;
  guint width; /* of the line on the terminal */
} Run;

static void
on_ended (HoloScheduler *scheduler, const GError *error, gpointer user_data)
{
  g_main_loop_quit (((Run *) user_data)->loop);
}

static gboolean
on_signal (gpointer user_data)
{
  Run *run = user_data;

  run->interrupted = TRUE;
  holo_scheduler_stop (run->scheduler);
  return G_SOURCE_CONTINUE;
}

/* Frames that reached an end of the graph: the most frames any section has worked on. */
static guint64
count_frames (Run *run)
{
  HoloPlan *plan = holo_scheduler_get_plan (run->scheduler);
  guint64 frames = 0;

  for (guint i = 0; i < holo_plan_get_n_sections (plan); i++)
    {
      HoloSectionStatistics section;

      holo_scheduler_get_section_statistics (run->scheduler, i, &section);
      frames = MAX (frames, section.iterations);
    }
  return frames;
}

static void
append_queues (Run *run, GString *line)
{
  HoloPlan *plan = holo_scheduler_get_plan (run->scheduler);

  for (guint i = 0; i < holo_plan_get_n_nodes (plan); i++)
    {
      HoloNodeStatistics node;
      guint64 out;

      holo_scheduler_get_node_statistics (run->scheduler, i, &node);
      if (node.type != HOLO_TASK_ASYNC)
        continue;
      out = node.pop.calls + node.discarded + node.dropped;
      g_string_append_printf (line, "  %s %" G_GUINT64_FORMAT, node.name,
                              node.push.calls > out ? node.push.calls - out : 0);
    }
}

static gboolean
show_progress (gpointer user_data)
{
  Run *run = user_data;
  guint64 frames = count_frames (run);
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GString) line = g_string_new (NULL);

  g_string_append_printf (line, "%" G_GUINT64_FORMAT " frames, %.0f frames/s", frames,
                          (gdouble) (frames - run->last_frames) * G_USEC_PER_SEC / (gdouble) MAX (1, now - run->last_time));
  append_queues (run, line);
  run->last_frames = frames;
  run->last_time = now;
  fprintf (stderr, "\r%-*.*s", run->width, 110, line->str);
  run->width = MIN ((guint) line->len, 110);
  return G_SOURCE_CONTINUE;
}

static void
print_calls (const gchar *name, const gchar *what, const HoloCallStatistics *calls)
{
  if (calls->calls == 0)
    return;
  printf ("%-20s %-8s %10" G_GUINT64_FORMAT " %12.1f %10.2f %10.1f %10.1f\n", name, what, calls->calls,
          (gdouble) calls->bytes / 1e6, (gdouble) calls->time / 1e3 / (gdouble) calls->calls,
          (gdouble) calls->wait_input / 1e6, (gdouble) calls->wait_room / 1e6);
}

static void
print_statistics (Run *run)
{
  HoloPlan *plan = holo_scheduler_get_plan (run->scheduler);

  printf ("%-20s %-8s %10s %12s %10s %10s %10s\n", "node", "call", "calls", "MB", "us/call", "wait in ms", "wait out ms");
  for (guint i = 0; i < holo_plan_get_n_nodes (plan); i++)
    {
      HoloNodeStatistics node;

      holo_scheduler_get_node_statistics (run->scheduler, i, &node);
      print_calls (node.name, "execute", &node.execute);
      print_calls (node.name, "push", &node.push);
      print_calls (node.name, "pop", &node.pop);
      if (node.discarded + node.dropped > 0)
        printf ("%-20s          %" G_GUINT64_FORMAT " discarded, %" G_GUINT64_FORMAT " dropped\n", node.name,
                node.discarded, node.dropped);
    }
}

static gboolean
run_loop (Run *run, GError **error)
{
  guint int_id = g_unix_signal_add (SIGINT, on_signal, run), term_id = g_unix_signal_add (SIGTERM, on_signal, run);
  guint progress_id = isatty (STDERR_FILENO) ? g_timeout_add (250, show_progress, run) : 0;
  gboolean success;

  run->start = run->last_time = g_get_monotonic_time ();
  holo_scheduler_set_ended_func (run->scheduler, on_ended, run);
  success = holo_scheduler_start (run->scheduler, error);
  if (success)
    {
      g_main_loop_run (run->loop);
      success = holo_scheduler_wait (run->scheduler, error);
    }
  if (progress_id != 0)
    {
      g_source_remove (progress_id);
      fprintf (stderr, "\r%-*s\r", run->width, "");
    }
  g_source_remove (int_id);
  g_source_remove (term_id);
  return success;
}

static gboolean
has_open_ends (HoloPlan *plan, GError **error)
{
  for (guint i = 0; i < holo_plan_get_n_nodes (plan); i++)
    if (g_str_equal (holo_plan_get_node_kind (plan, i), "Input")
        || g_str_equal (holo_plan_get_node_kind (plan, i), "Output"))
      {
        g_set_error (error, HOLO_ERROR, HOLO_ERROR_GRAPH,
                     "node \"%s\" is an %s, which only an application or holoflowbin can serve; use a source such as "
                     "NpyReader or Sequence and a sink such as NpyWriter instead",
                     holo_plan_get_node_name (plan, i), holo_plan_get_node_kind (plan, i));
        return TRUE;
      }
  return FALSE;
}

int
tool_run (int argc, char **argv)
{
  gboolean statistics = FALSE;
  g_auto (GStrv) assignments = NULL;
  g_autofree gchar *device = NULL;
  const GOptionEntry entries[] = {
    { "stats", 0, 0, G_OPTION_ARG_NONE, &statistics, "Print statistics of every node at the end", NULL },
    { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &assignments, "Change a setting", "NODE.SETTING=VALUE" },
    { "device", 'd', 0, G_OPTION_ARG_STRING, &device, "host, auto or cuda:N", "DEVICE" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloGraph) graph = NULL;
  g_autoptr (HoloCompiler) compiler = NULL;
  g_autoptr (HoloPlan) plan = NULL;
  Run run = { 0 };
  gboolean success;
  int status;

  if (!tool_parse (&argc, &argv, "GRAPH", "Runs a graph until its sources end. Ctrl-C stops it.", entries, 1, FALSE,
                   &status))
    return status;
  graph = tool_load_graph (argv[1], assignments, &error);
  compiler = graph != NULL ? tool_new_compiler (device, NULL, &error) : NULL;
  plan = compiler != NULL ? holo_compiler_compile (compiler, graph, NULL, &error) : NULL;
  if (plan == NULL || has_open_ends (plan, &error))
    return tool_fail (error);
  run.loop = g_main_loop_new (NULL, FALSE);
  run.scheduler = holo_scheduler_new (plan);
  success = run_loop (&run, &error);
  if (success)
    {
      gdouble seconds = (gdouble) (g_get_monotonic_time () - run.start) / G_USEC_PER_SEC;
      guint64 frames = count_frames (&run);

      printf ("%s after %" G_GUINT64_FORMAT " frames in %.3f s (%.0f frames/s)\n",
              run.interrupted ? "stopped" : "done", frames, seconds, (gdouble) frames / MAX (seconds, 1e-9));
    }
  if (statistics)
    print_statistics (&run);
  g_object_unref (run.scheduler);
  g_main_loop_unref (run.loop);
  return success ? TOOL_OK : tool_fail (error);
}
