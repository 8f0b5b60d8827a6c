/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `run`: a graph from its sources to its sinks, with a progress line and statistics. */
#include "tools/tool.h"

#include <stdio.h>

/* Sinks that got different numbers of frames each say theirs: one of them is what a file holds. */
static void
print_summary (HoloScheduler *scheduler, GStrv sinks, const gchar *how, gdouble seconds)
{
  guint64 frames = tool_count_most_frames (scheduler, sinks);
  gboolean equal = TRUE;

  printf ("%s after %" G_GUINT64_FORMAT " frames in %.3f s (%.0f frames/s)\n", how, frames, seconds,
          (gdouble) frames / MAX (seconds, 1e-9));
  for (guint i = 0; sinks[i] != NULL; i++)
    equal &= tool_count_frames (scheduler, sinks[i]) == frames;
  for (guint i = 0; !equal && sinks[i] != NULL; i++)
    printf ("  %s: %" G_GUINT64_FORMAT " frames\n", sinks[i], tool_count_frames (scheduler, sinks[i]));
}

/* To the end of the graph or to a signal. FALSE with @error is a failure. */
static gboolean
run_to_end (HoloScheduler *scheduler, GCancellable *cancellable, const gchar **how, GError **error)
{
  g_autoptr (GError) reason = NULL;
  gboolean success = holo_scheduler_run (scheduler, cancellable, &reason);
  gboolean cancelled =
      g_cancellable_is_cancelled (cancellable) && g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED);

  *how = cancelled || holo_scheduler_was_stopped (scheduler) ? "stopped" : "done";
  if (!success && !cancelled)
    g_propagate_error (error, g_steal_pointer (&reason));
  return success || cancelled;
}

static int
run_plan (HoloPlan *plan, GStrv sinks, gboolean statistics)
{
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (GCancellable) cancellable = tool_signals_begin_run ();
  g_autoptr (GError) error = NULL;
  const gchar *how;
  ToolProgress *progress = tool_progress_start (scheduler, sinks);
  gint64 start = g_get_monotonic_time ();
  gboolean success = run_to_end (scheduler, cancellable, &how, &error);
  gdouble seconds = (gdouble) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  int status = tool_signals_end_run (success ? TOOL_OK : TOOL_FAILED);

  tool_progress_stop (progress);
  if (success)
    print_summary (scheduler, sinks, how, seconds);
  if (statistics)
    {
      g_autofree gchar *table = holo_scheduler_get_statistics_text (scheduler);

      printf ("%s", table);
    }
  return success ? status : tool_fail (error);
}

static gboolean
has_open_ends (HoloPlan *plan, GError **error)
{
  for (guint i = 0; i < holo_plan_get_n_nodes (plan); i++)
    if (g_str_equal (holo_plan_get_node_kind (plan, i), "Input") ||
        g_str_equal (holo_plan_get_node_kind (plan, i), "Output"))
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
  g_auto (GStrv) assignments = NULL, sinks = NULL;
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
  int status;

  if (!tool_parse (&argc, &argv, "GRAPH",
                   "Runs a graph until its sources end. Ctrl-C (SIGINT), SIGTERM and SIGHUP stop it and complete its "
                   "files; a second one ends it at once.",
                   entries, 1, FALSE, &status))
    return status;
  tool_signals_watch ();
  graph = tool_load_graph (argv[1], assignments, &error);
  compiler = graph != NULL ? tool_new_compiler (graph, device, NULL, &error) : NULL;
  plan = compiler != NULL ? holo_compiler_compile (compiler, graph, NULL, &error) : NULL;
  if (plan == NULL || has_open_ends (plan, &error))
    return tool_fail (error);
  sinks = tool_list_sinks (graph);
  return run_plan (plan, sinks, statistics);
}
