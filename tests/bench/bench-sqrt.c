/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Six Sqrt stages on 512x512 F32 in one section against a plain C loop over the same number of buffers, built with the same
 * flags, in place and not. Pairs of runs, median of their ratios. */
#include "bench-kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  N = 512 * 512,
  STAGES = 6,
  FRAMES = 300,
  REPEATS = 9
};

static int
compare (const void *a, const void *b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

static __attribute__ ((noinline)) void
plain_sqrt (const gfloat *restrict in, gfloat *restrict out, gsize n)
{
  for (gsize i = 0; i < n; i++)
    out[i] = sqrtf (in[i]);
}

static __attribute__ ((noinline)) void
plain_sqrt_in_place (gfloat *data, gsize n)
{
  for (gsize i = 0; i < n; i++)
    data[i] = sqrtf (data[i]);
}

static gdouble
run_plain (gboolean in_place)
{
  gfloat *buffers[2];
  gint64 start;
  gdouble time;

  for (guint i = 0; i < 2; i++)
    {
      buffers[i] = aligned_alloc (256, N * sizeof (gfloat));
      for (guint k = 0; k < N; k++)
        buffers[i][k] = 0.5f;
    }
  start = bench_now_ns ();
  for (guint f = 0; f < FRAMES; f++)
    for (guint s = 0; s < STAGES; s++)
      if (in_place)
        plain_sqrt_in_place (buffers[0], N);
      else
        plain_sqrt (buffers[s % 2], buffers[(s + 1) % 2], N);
  time = (gdouble) (bench_now_ns () - start) / FRAMES;
  free (buffers[0]);
  free (buffers[1]);
  return time;
}

static gdouble
run_graph (gboolean in_place)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloRegistry) registry = bench_registry_new ();
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (registry);
  g_autoptr (HoloGraph) graph = holo_graph_new ();
  g_autoptr (HoloPlan) plan = NULL;
  g_autoptr (HoloScheduler) scheduler = NULL;
  g_autofree gchar *settings = g_strdup_printf ("{\"count\": %d, \"n\": %d}", FRAMES, N);
  guint last = holo_graph_add_node_text (graph, "source", "BenchSource", settings);
  gint64 start;

  for (guint i = 0; i < STAGES; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("sqrt%u", i);
      guint node = holo_graph_add_node_text (graph, name, "Sqrt", "{}");

      holo_graph_add_edge (graph, last, 0, node, 0);
      last = node;
    }
  holo_graph_add_edge (graph, last, 0, holo_graph_add_node_text (graph, "sink", "BenchSink", "{}"), 0);
  holo_compiler_set_in_place (compiler, in_place);
  plan = holo_compiler_compile (compiler, graph, NULL, &error);
  g_assert_no_error (error);
  scheduler = holo_scheduler_new (plan);
  start = bench_now_ns ();
  g_assert_true (holo_scheduler_start (scheduler, &error));
  g_assert_true (holo_scheduler_wait (scheduler, &error));
  return (gdouble) (bench_now_ns () - start) / FRAMES;
}

static void
measure (gboolean in_place)
{
  gdouble ours[REPEATS], plain[REPEATS], ratios[REPEATS];

  for (guint r = 0; r < REPEATS; r++)
    {
      plain[r] = run_plain (in_place);
      ours[r] = run_graph (in_place);
      ratios[r] = ours[r] / plain[r];
    }
  qsort (ours, REPEATS, sizeof *ours, compare);
  qsort (plain, REPEATS, sizeof *plain, compare);
  qsort (ratios, REPEATS, sizeof *ratios, compare);
  printf ("six Sqrt, 512x512 F32, %-12s %8.1f us; plain loop %8.1f us; ratio %.2f   (target 1.10)\n",
          in_place ? "in place" : "not in place", ours[REPEATS / 2] / 1000, plain[REPEATS / 2] / 1000,
          ratios[REPEATS / 2]);
}

int
main (void)
{
  setvbuf (stdout, NULL, _IOLBF, 0);
  measure (TRUE);
  measure (FALSE);
  return 0;
}
