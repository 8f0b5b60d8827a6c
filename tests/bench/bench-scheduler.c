/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the runtime itself costs: per synchronous node, per iteration, per asynchronous boundary; against GStreamer's queue
 * in the same run. Prints a table of medians, of one part only with an argument: nodes, queues or latency. */
#include "bench-handoff.h"
#include "bench-kinds.h"

#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  REPEATS = 7
};

static int
compare (const void *a, const void *b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

static gdouble
median (gdouble *values, guint n)
{
  qsort (values, n, sizeof *values, compare);
  return values[n / 2];
}

static gdouble
run_graph (HoloGraph *graph, guint64 n_frames)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloRegistry) registry = bench_registry_new ();
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (registry);
  g_autoptr (HoloPlan) plan = holo_compiler_compile (compiler, graph, NULL, &error);
  g_autoptr (HoloScheduler) scheduler = NULL;
  gint64 start;
  gboolean success;

  g_assert_no_error (error);
  scheduler = holo_scheduler_new (plan);
  start = bench_now_ns ();
  success = holo_scheduler_start (scheduler, &error) && holo_scheduler_wait (scheduler, &error);
  g_assert_no_error (error);
  g_assert_true (success);
  return (gdouble) (bench_now_ns () - start) / (gdouble) n_frames;
}

static HoloGraph *
new_graph (guint64 n_frames, gint64 period)
{
  HoloGraph *graph = holo_graph_new ();
  g_autofree gchar *settings =
      g_strdup_printf ("{\"count\": %" G_GUINT64_FORMAT ", \"period\": %" G_GINT64_FORMAT "}", n_frames, period);

  holo_graph_add_node_text (graph, "source", "BenchSource", settings);
  return graph;
}

static HoloGraph *
new_chain (guint n_nodes, guint64 n_frames)
{
  HoloGraph *graph = new_graph (n_frames, 0);
  guint last = 0;

  for (guint i = 0; i < n_nodes; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("noop%u", i);
      guint node = holo_graph_add_node_text (graph, name, "BenchNoop", "{}");

      holo_graph_add_edge (graph, last, 0, node, 0);
      last = node;
    }
  holo_graph_add_edge (graph, last, 0, holo_graph_add_node_text (graph, "sink", "BenchSink", "{}"), 0);
  return graph;
}

static HoloGraph *
new_queues (guint n_queues, guint capacity, guint64 n_frames, gint64 period)
{
  HoloGraph *graph = new_graph (n_frames, period);
  g_autofree gchar *settings = g_strdup_printf ("{\"capacity\": %u}", capacity);
  guint last = 0;

  for (guint i = 0; i < n_queues; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("queue%u", i);
      guint node = holo_graph_add_node_text (graph, name, "Queue", settings);

      holo_graph_add_edge (graph, last, 0, node, 0);
      last = node;
    }
  holo_graph_add_edge (graph, last, 0, holo_graph_add_node_text (graph, "sink", "BenchSink", "{}"), 0);
  return graph;
}

/* ---- GStreamer ---- */

static gdouble
run_pipeline (const gchar *description, guint64 n_buffers)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  gint64 start;
  gdouble time;

  g_assert_no_error (error);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  start = bench_now_ns ();
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  time = (gdouble) (bench_now_ns () - start) / (gdouble) n_buffers;
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return time;
}

static gdouble
run_gst_queues (guint n_queues, guint64 n_buffers)
{
  GString *text = g_string_new (NULL);
  gdouble time;

  g_string_append_printf (text, "fakesrc num-buffers=%" G_GUINT64_FORMAT " sizetype=fixed sizemax=64 filltype=nothing",
                          n_buffers);
  for (guint i = 0; i < n_queues; i++)
    g_string_append (text, " ! queue max-size-buffers=8 max-size-bytes=0 max-size-time=0");
  g_string_append (text, " ! fakesink sync=false async=true silent=true");
  time = run_pipeline (text->str, n_buffers);
  g_string_free (text, TRUE);
  return time;
}

/* ---- the table ---- */

static void
measure_nodes (void)
{
  static const guint n_nodes[] = { 1, 8, 32 };
  gdouble times[G_N_ELEMENTS (n_nodes)], slope;

  for (guint i = 0; i < G_N_ELEMENTS (n_nodes); i++)
    {
      gdouble values[REPEATS];
      guint64 n_frames = 8000000 / (n_nodes[i] + 4);

      for (guint r = 0; r < REPEATS; r++)
        {
          g_autoptr (HoloGraph) graph = new_chain (n_nodes[i], n_frames);

          values[r] = run_graph (graph, n_frames);
        }
      times[i] = median (values, REPEATS);
      printf ("%-44s %10.1f ns\n",
              n_nodes[i] == 1   ? "iteration: source, 1 node, sink"
              : n_nodes[i] == 8 ? "iteration: source, 8 nodes, sink"
                                : "iteration: source, 32 nodes, sink",
              times[i]);
    }
  slope = (times[2] - times[0]) / (n_nodes[2] - n_nodes[0]);
  printf ("%-44s %10.1f ns   (target 80)\n", "per synchronous node (slope)", slope);
  printf ("%-44s %10.1f ns   (target 200)\n", "per iteration (intercept, with source, sink)", times[0] - slope);
}

static void
measure_queues (void)
{
  static const guint n_queues[] = { 1, 2, 4 };

  for (guint i = 0; i < G_N_ELEMENTS (n_queues); i++)
    {
      gdouble ours[REPEATS], theirs[REPEATS], a, b;
      guint64 n_frames = n_queues[i] == 1 ? 1000000 : 300000;

      for (guint r = 0; r < REPEATS; r++)
        {
          g_autoptr (HoloGraph) graph = new_queues (n_queues[i], 8, n_frames, 0);

          ours[r] = run_graph (graph, n_frames);
          theirs[r] = run_gst_queues (n_queues[i], n_frames);
        }
      a = median (ours, REPEATS);
      b = median (theirs, REPEATS);
      printf (
          "%u boundary/ies, depth 8, saturated              %10.1f ns; GStreamer queue %10.1f ns; ratio %.2f   (target "
          "0.60)\n",
          n_queues[i], a, b, a / b);
    }
}

/* ---- one frame each millisecond ---- */

typedef struct
{
  const gchar *name;
  GArray *latencies;
  gint64 cpu, wall;
  gdouble median, tail;
} Handoff;

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static void
handoff_init (Handoff *handoff, const gchar *name)
{
  *handoff = (Handoff){ .name = name, .latencies = g_array_new (FALSE, FALSE, sizeof (gint64)) };
}

static void
handoff_print (Handoff *handoff, const Handoff *reference)
{
  const gint64 *times = (const gint64 *) (gpointer) handoff->latencies->data;
  guint n = handoff->latencies->len;

  if (n == 0)
    return;
  g_array_sort (handoff->latencies, compare_times);
  handoff->median = (gdouble) times[n / 2] / 1000;
  handoff->tail = (gdouble) times[n - 1 - n / 1000] / 1000;
  printf ("  %-24s median %6.1f us, 99.9 %% %6.1f us, cpu %.2f %%", handoff->name, handoff->median, handoff->tail,
          100.0 * (gdouble) handoff->cpu / (gdouble) handoff->wall);
  if (reference != NULL)
    printf ("; ratios %.2f and %.2f   (target 1.00)", handoff->median / reference->median,
            handoff->tail / reference->tail);
  printf ("\n");
}

static void
handoff_ours (Handoff *handoff, guint n_queues, guint n_frames)
{
  g_autoptr (HoloGraph) graph = new_queues (n_queues, 8, n_frames, 1000000);
  gint64 cpu = bench_cpu_ns (), wall = bench_now_ns ();

  bench_latencies = handoff->latencies;
  run_graph (graph, n_frames);
  bench_latencies = NULL;
  handoff->cpu += bench_cpu_ns () - cpu;
  handoff->wall += bench_now_ns () - wall;
}

static void
handoff_gst (Handoff *handoff, guint n_queues, guint n_frames, const gchar *element)
{
  GString *text = g_string_new (element);

  for (guint i = 1; i < n_queues; i++)
    g_string_append_printf (text, " ! %s", element);
  bench_handoff_gst (text->str, n_frames, handoff->latencies, &handoff->cpu, &handoff->wall);
  g_string_free (text, TRUE);
}

/* In turn, since the machine may be another one a second later. */
static void
measure_latency (guint n_queues)
{
  enum
  {
    ROUNDS = 5,
    N_FRAMES = 1000
  };
  Handoff theirs, ours, element;

  handoff_init (&theirs, "GStreamer queue");
  handoff_init (&ours, "Queue");
  handoff_init (&element, "holoqueue");
  for (guint i = 0; i < ROUNDS; i++)
    {
      handoff_gst (&theirs, n_queues, N_FRAMES, "queue max-size-buffers=8 max-size-bytes=0 max-size-time=0");
      handoff_ours (&ours, n_queues, N_FRAMES);
      handoff_gst (&element, n_queues, N_FRAMES, "holoqueue max-size-buffers=8");
    }
  printf ("hand-off at 1 kHz through %u boundary/ies\n", n_queues);
  handoff_print (&theirs, NULL);
  handoff_print (&ours, &theirs);
  handoff_print (&element, &theirs);
  g_array_unref (theirs.latencies);
  g_array_unref (ours.latencies);
  g_array_unref (element.latencies);
}

int
main (int argc, char **argv)
{
  const gchar *part;

  gst_init (&argc, &argv);
  part = argc > 1 ? argv[1] : NULL;
  setvbuf (stdout, NULL, _IOLBF, 0);
  if (part == NULL || g_str_equal (part, "nodes"))
    measure_nodes ();
  if (part == NULL || g_str_equal (part, "queues"))
    measure_queues ();
  if (part == NULL || g_str_equal (part, "latency"))
    {
      measure_latency (1);
      measure_latency (2);
    }
  return 0;
}
