/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A setting of a graph at full speed: how long do results stay away, and does one get lost? Each round asks for another value and
 * looks for the longest time between two results from just before the call until just after it. */
#include <holoflow/holoflow.h>
#include <stdio.h>
#include <stdlib.h>

#define N_ROUNDS 200
#define AROUND   1000  /* us, before and after a call */
#define MAX_GAP  200.0 /* us */
#define N_STAMPS 65536 /* a power of two */

static const gchar graph_text[] =
    "{\"nodes\": {\"source\": {\"type\": \"Sequence\", \"params\": {\"shape\": [64, 64]}},"
    " \"queue\": {\"type\": \"Queue\", \"params\": {\"capacity\": 8}},"
    " \"scale\": {\"type\": \"Normalize\", \"params\": {\"maximum\": 1.0}}, \"out\": {\"type\": \"Output\", \"params\": {}}},"
    " \"edges\": [{\"from\": \"source\", \"out\": 0, \"to\": \"queue\", \"in\": 0},"
    " {\"from\": \"queue\", \"out\": 0, \"to\": \"scale\", \"in\": 0},"
    " {\"from\": \"scale\", \"out\": 0, \"to\": \"out\", \"in\": 0}]}";

typedef struct
{
  HoloEnd *output;
  gint64 stamps[N_STAMPS]; /* us */
  guint n;                 /* atomic */
  guint n_missing;
} Reader;

static gpointer
read_all (gpointer user_data)
{
  Reader *reader = user_data;
  HoloFrame frame;
  guint64 next = 0;

  while (holo_end_pull (reader->output, &frame, NULL, NULL) == HOLO_OP_OK)
    {
      guint n = g_atomic_int_get (&reader->n);

      reader->n_missing += frame.stamp.seq != next;
      next = frame.stamp.seq + 1;
      reader->stamps[n % N_STAMPS] = g_get_monotonic_time ();
      g_atomic_int_set (&reader->n, n + 1);
      holo_frame_clear (&frame);
    }
  return NULL;
}

/* Longest time between results since @first. */
static gdouble
find_gap (Reader *reader, guint first)
{
  guint n = g_atomic_int_get (&reader->n);
  gint64 longest = 0;

  for (guint i = first + 1; i < n; i++)
    longest = MAX (longest, reader->stamps[i % N_STAMPS] - reader->stamps[(i - 1) % N_STAMPS]);
  return (gdouble) longest;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

/* @setting NULL: nothing is set, for comparison. */
static void
measure (HoloScheduler *scheduler, Reader *reader, const gchar *node, const gchar *setting,
         const gchar *const values[2])
{
  gdouble gaps[N_ROUNDS], calls[N_ROUNDS];

  for (guint i = 0; i < N_ROUNDS; i++)
    {
      guint first = g_atomic_int_get (&reader->n);
      g_autoptr (GError) error = NULL;
      gint64 start;

      g_usleep (AROUND);
      start = g_get_monotonic_time ();
      if (setting != NULL && !holo_scheduler_set_setting_text (scheduler, node, setting, values[i % 2], &error))
        g_error ("%s", error->message);
      calls[i] = (gdouble) (g_get_monotonic_time () - start);
      g_usleep (AROUND);
      gaps[i] = find_gap (reader, first);
    }
  qsort (gaps, N_ROUNDS, sizeof *gaps, compare);
  qsort (calls, N_ROUNDS, sizeof *calls, compare);
  printf ("%-24s call %6.1f us; longest gap between results, median %6.1f us, 90 %% %6.1f us   (target %.0f)\n",
          setting != NULL ? setting : "nothing", calls[N_ROUNDS / 2], gaps[N_ROUNDS / 2], gaps[N_ROUNDS * 9 / 10],
          MAX_GAP);
}

int
main (int argc, char **argv)
{
  g_autoptr (HoloGraph) graph = holo_graph_new_from_text (graph_text, -1, NULL);
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloPlan) plan = holo_compiler_compile (compiler, graph, NULL, &error);
  g_autoptr (HoloScheduler) scheduler = plan != NULL ? holo_scheduler_new (plan) : NULL;
  g_autofree Reader *reader = g_new0 (Reader, 1);
  GThread *thread;

  if (scheduler == NULL || !holo_scheduler_start (scheduler, &error))
    g_error ("%s", error->message);
  reader->output = holo_scheduler_get_output (scheduler, "out", NULL);
  thread = g_thread_new ("reader", read_all, reader);
  measure (scheduler, reader, NULL, NULL, NULL);
  measure (scheduler, reader, "queue", "capacity", (const gchar *const[]){ "4", "8" });
  measure (scheduler, reader, "scale", "maximum", (const gchar *const[]){ "2.0", "1.0" });
  holo_scheduler_stop (scheduler);
  holo_scheduler_wait (scheduler, NULL);
  g_thread_join (thread);
  printf ("%u results, %u of them not the next one\n", reader->n, reader->n_missing);
  holo_end_unref (reader->output);
  return reader->n_missing != 0;
}
