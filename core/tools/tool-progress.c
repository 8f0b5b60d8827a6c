/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far a run has come: frames at the ends of the graph, and a line on the terminal that says so. */
#include "tools/tool.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define INTERVAL  (250 * G_TIME_SPAN_MILLISECOND)
#define MAX_WIDTH 110

struct _ToolProgress
{
  HoloScheduler *scheduler;
  GStrv sinks; /* borrowed */
  GThread *thread;
  GMutex lock;
  GCond changed;
  gboolean over;
  guint64 last_frames;
  gint64 last_time;
  gint width; /* of the line on the terminal */
};

/* ---- frames ---- */

GStrv
tool_list_sinks (HoloGraph *graph)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  guint n_edges = holo_graph_get_n_edges (graph);

  for (guint node = 0; node < holo_graph_get_n_nodes (graph); node++)
    {
      guint edge = 0;

      while (edge < n_edges && holo_graph_get_edge (graph, edge)->from != node)
        edge++;
      if (edge == n_edges)
        g_strv_builder_add (names, holo_graph_get_node (graph, node)->name);
    }
  return g_strv_builder_end (names);
}

guint64
tool_count_frames (HoloScheduler *scheduler, const gchar *sink)
{
  HoloNodeStatistics node;

  if (!holo_scheduler_get_node_statistics (scheduler, sink, &node))
    return 0;
  return node.type == HOLO_TASK_ASYNC ? node.push.calls : node.execute.calls;
}

guint64
tool_count_most_frames (HoloScheduler *scheduler, GStrv sinks)
{
  guint64 frames = 0;

  for (guint i = 0; sinks[i] != NULL; i++)
    frames = MAX (frames, tool_count_frames (scheduler, sinks[i]));
  return frames;
}

/* ---- the line ---- */

static void
append_queues (ToolProgress *self, GString *line)
{
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (self->scheduler);

  for (guint i = 0; i < holo_plan_get_n_nodes (plan); i++)
    {
      const gchar *name = holo_plan_get_node_name (plan, i);
      HoloNodeStatistics node;
      guint64 out;

      if (!holo_scheduler_get_node_statistics (self->scheduler, name, &node) || node.type != HOLO_TASK_ASYNC)
        continue;
      out = node.pop.calls + node.discarded + node.dropped;
      g_string_append_printf (line, "  %s %" G_GUINT64_FORMAT, name, node.push.calls > out ? node.push.calls - out : 0);
    }
}

/* A terminal that stands still (Ctrl-S) takes nothing: rather no line than waiting for it. */
static gboolean
can_write (void)
{
  struct pollfd terminal = { .fd = STDERR_FILENO, .events = POLLOUT };

  return poll (&terminal, 1, 0) == 1 && (terminal.revents & POLLOUT) != 0;
}

static void
show (ToolProgress *self)
{
  g_autoptr (GString) line = g_string_new (NULL);
  guint64 frames = tool_count_most_frames (self->scheduler, self->sinks);
  gint64 now = g_get_monotonic_time ();

  g_string_append_printf (line, "%" G_GUINT64_FORMAT " frames, %.0f frames/s", frames,
                          (gdouble) (frames - self->last_frames) * G_USEC_PER_SEC /
                              (gdouble) MAX (1, now - self->last_time));
  append_queues (self, line);
  self->last_frames = frames;
  self->last_time = now;
  if (!can_write ())
    return;
  fprintf (stderr, "\r%-*.*s", self->width, MAX_WIDTH, line->str);
  self->width = (gint) MIN (line->len, MAX_WIDTH);
}

static gpointer
show_until_over (gpointer data)
{
  ToolProgress *self = data;
  gint64 next = self->last_time;

  g_mutex_lock (&self->lock);
  while (!self->over)
    {
      next += INTERVAL;
      while (!self->over && g_cond_wait_until (&self->changed, &self->lock, next))
        ;
      if (self->over)
        break;
      g_mutex_unlock (&self->lock);
      show (self);
      g_mutex_lock (&self->lock);
    }
  g_mutex_unlock (&self->lock);
  return NULL;
}

ToolProgress *
tool_progress_start (HoloScheduler *scheduler, GStrv sinks)
{
  ToolProgress *self;

  if (!isatty (STDERR_FILENO))
    return NULL;
  self = g_new0 (ToolProgress, 1);
  self->scheduler = scheduler;
  self->sinks = sinks;
  self->last_time = g_get_monotonic_time ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->thread = g_thread_new ("holoflow-line", show_until_over, self);
  return self;
}

void
tool_progress_stop (ToolProgress *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  self->over = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  if (can_write ())
    fprintf (stderr, "\r%-*s\r", self->width, "");
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self);
}
