/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a graph that runs and has nothing to do costs: CPU time of the process while some seconds go by. */
#include "bench-kinds.h"

#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>

#define TARGET 1.0

static gdouble seconds = 5;

/* In per cent of one core, once everything has settled. */
static gdouble
measure (void)
{
  gint64 cpu, wall;

  g_usleep (G_USEC_PER_SEC / 2);
  cpu = bench_cpu_ns ();
  wall = bench_now_ns ();
  g_usleep ((gulong) (seconds * G_USEC_PER_SEC));
  return 100.0 * (gdouble) (bench_cpu_ns () - cpu) / (gdouble) (bench_now_ns () - wall);
}

static void
print (const gchar *name, gdouble percent)
{
  printf ("%-56s cpu %6.3f %%   (target %.1f)\n", name, percent, TARGET);
}

/* ---- the library: threads that wait for an Input ---- */

static void
push_frame (HoloEnd *input, const HoloTensorDesc *desc)
{
  g_autoptr (GError) error = NULL;
  HoloFrame frame;

  g_assert_true (holo_frame_init_alloc (&frame, desc, &error));
  g_assert_cmpint (holo_end_push (input, &frame, NULL, &error), ==, HOLO_OP_OK);
}

/* Input -> Queue -> Sqrt -> ... -> Output: three frames go through, then none comes. */
static void
measure_graph (guint n_queues)
{
  const gint64 shape[] = { 16 };
  g_autoptr (HoloGraph) graph = holo_graph_new ();
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (holo_registry_get_default ());
  g_autofree gchar *name = g_strdup_printf ("graph of %u queues that waits for its Input", n_queues);
  g_autoptr (HoloPlan) plan = NULL;
  g_autoptr (HoloScheduler) scheduler = NULL;
  g_autoptr (HoloEnd) input = NULL;
  g_autoptr (HoloEnd) output = NULL;
  g_autoptr (GError) error = NULL;
  guint last = holo_graph_add_node_text (graph, "in", "Input", "{}");
  HoloTensorDesc desc;

  for (guint i = 0; i < n_queues; i++)
    {
      g_autofree gchar *queue = g_strdup_printf ("queue%u", i), *root = g_strdup_printf ("root%u", i);
      guint first = holo_graph_add_node_text (graph, queue, "Queue", "{}");

      holo_graph_add_edge (graph, last, 0, first, 0);
      last = holo_graph_add_node_text (graph, root, "Sqrt", "{}");
      holo_graph_add_edge (graph, first, 0, last, 0);
    }
  holo_graph_add_edge (graph, last, 0, holo_graph_add_node_text (graph, "out", "Output", "{}"), 0);
  holo_compiler_set_input_desc (compiler, "in",
                                holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape));
  plan = holo_compiler_compile (compiler, graph, NULL, &error);
  g_assert_no_error (error);
  scheduler = holo_scheduler_new (plan);
  input = holo_scheduler_get_input (scheduler, "in", &error);
  output = holo_scheduler_get_output (scheduler, "out", &error);
  g_assert_no_error (error);
  g_assert_true (holo_scheduler_start (scheduler, &error));
  for (guint i = 0; i < 3; i++)
    {
      HoloFrame frame;

      push_frame (input, &desc);
      g_assert_cmpint (holo_end_pull (output, &frame, NULL, &error), ==, HOLO_OP_OK);
      holo_frame_clear (&frame);
    }
  print (name, measure ());
  holo_scheduler_stop (scheduler);
  holo_scheduler_wait (scheduler, NULL);
}

/* ---- elements ---- */

#define GRAPH                                                                                                          \
  "holoflowbin graph=\"{\\\"nodes\\\":{\\\"in\\\":{\\\"type\\\":\\\"Input\\\",\\\"params\\\":{}},"                     \
  "\\\"q\\\":{\\\"type\\\":\\\"Queue\\\",\\\"params\\\":{}},\\\"c\\\":{\\\"type\\\":\\\"Conversion\\\","               \
  "\\\"params\\\":{\\\"target\\\":\\\"F32\\\"}},\\\"out\\\":{\\\"type\\\":\\\"Output\\\",\\\"params\\\":{}}},"         \
  "\\\"edges\\\":[{\\\"from\\\":\\\"in\\\",\\\"out\\\":0,\\\"to\\\":\\\"q\\\",\\\"in\\\":0},"                          \
  "{\\\"from\\\":\\\"q\\\",\\\"out\\\":0,\\\"to\\\":\\\"c\\\",\\\"in\\\":0},"                                          \
  "{\\\"from\\\":\\\"c\\\",\\\"out\\\":0,\\\"to\\\":\\\"out\\\",\\\"in\\\":0}]}\""

static gdouble
measure_pipeline (const gchar *source, const gchar *middle, GstState state)
{
  g_autofree gchar *text = g_strdup_printf ("%s ! %s ! fakesink sync=false", source, middle);
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error);
  gdouble percent;

  g_assert_no_error (error);
  gst_element_set_state (pipeline, state);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  percent = measure ();
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return percent;
}

static void
measure_element (const gchar *name, const gchar *source, GstState state)
{
  gdouble whole = measure_pipeline (source, GRAPH, state), rest = measure_pipeline (source, "queue", state);

  print (name, whole);
  printf ("%-56s cpu %6.3f %%\n", "  the same with GStreamer's queue in its place", rest);
}

/* An argument is the number of seconds for each line. */
int
main (int argc, char **argv)
{
  g_autoptr (GstElementFactory) factory = NULL;

  gst_init (&argc, &argv);
  setvbuf (stdout, NULL, _IOLBF, 0);
  if (argc > 1)
    seconds = g_ascii_strtod (argv[1], NULL);
  measure_graph (1);
  measure_graph (4);
  factory = gst_element_factory_find ("holoflowbin");
  if (factory == NULL)
    {
      fprintf (stderr, "there is no holoflowbin: set GST_PLUGIN_PATH to the folder of the plugin\n");
      return 1;
    }
  measure_element ("holoflowbin in PAUSED, its source blocked", "videotestsrc ! video/x-raw,format=GRAY8",
                   GST_STATE_PAUSED);
  measure_element ("holoflowbin behind a source of 2 frames per second",
                   "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=64,height=64,framerate=2/1",
                   GST_STATE_PLAYING);
  return 0;
}
