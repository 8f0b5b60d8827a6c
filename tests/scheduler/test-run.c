/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test-run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hb-checker.h"

/* "name.2" -> name, 2 */
static gchar *
parse_end (const gchar *text, gint64 *slot)
{
  const gchar *dot = strchr (text, '.');

  *slot = dot != NULL ? g_ascii_strtoll (dot + 1, NULL, 10) : 0;
  return g_strstrip (dot != NULL ? g_strndup (text, (gsize) (dot - text)) : g_strdup (text));
}

static void
add_chain (HoloGraph *graph, const gchar *line)
{
  g_auto (GStrv) ends = g_strsplit (line, ">", -1);

  for (guint i = 0; ends[i + 1] != NULL; i++)
    {
      gint64 out, in;
      g_autofree gchar *from = parse_end (ends[i], &out);
      g_autofree gchar *to = parse_end (ends[i + 1], &in);
      g_autoptr (GError) error = NULL;

      holo_graph_link (graph, from, out, to, in, &error);
      g_assert_no_error (error);
    }
}

static void
add_node (HoloGraph *graph, const gchar *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", 3);

  g_assert_nonnull (words[1]);
  holo_graph_add_node_text (graph, words[0], words[1], words[2]);
}

HoloGraph *
test_graph (const gchar *text)
{
  HoloGraph *graph = holo_graph_new ();
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      const gchar *line = g_strstrip (lines[i]);

      if (*line == '\0')
        continue;
      if (strchr (line, '>') != NULL)
        add_chain (graph, line);
      else
        add_node (graph, line);
    }
  return graph;
}

HoloPlan *
test_compile_graph (HoloGraph *graph, HoloDevice *device, HoloPlan *previous)
{
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (test_kinds_get_registry ());
  g_autoptr (GError) error = NULL;
  HoloPlan *plan;

  if (device != NULL)
    holo_compiler_set_device (compiler, device);
  plan = holo_compiler_compile (compiler, graph, previous, &error);
  g_assert_no_error (error);
  g_assert_nonnull (plan);
  return plan;
}

HoloPlan *
test_compile (const gchar *text, HoloDevice *device)
{
  g_autoptr (HoloGraph) graph = test_graph (text);

  return test_compile_graph (graph, device, NULL);
}

guint
test_node (HoloPlan *plan, const gchar *name)
{
  guint index;

  if (!holo_plan_find_node (plan, name, &index))
    g_error ("the plan has no node \"%s\"", name);
  return index;
}

HoloTask *
test_task (HoloPlan *plan, const gchar *name)
{
  return holo_plan_get_node_task (plan, test_node (plan, name));
}

gint
test_section (HoloPlan *plan, const gchar *name, gboolean output)
{
  return holo_plan_get_node_section (plan, test_node (plan, name), output);
}

void
test_start (HoloScheduler *scheduler)
{
  g_autoptr (GError) error = NULL;
  gboolean started;

  if (hb_checker_is_active ())
    {
      g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);

      hb_checker_add_plan (plan);
    }
  started = holo_scheduler_start (scheduler, &error);
  g_assert_no_error (error);
  g_assert_true (started);
}

static void
wait_for_end (HoloScheduler *scheduler)
{
  g_autoptr (GError) error = NULL;
  gboolean ended = holo_scheduler_wait (scheduler, &error);

  g_assert_no_error (error);
  g_assert_true (ended);
}

void
test_run (HoloScheduler *scheduler)
{
  test_start (scheduler);
  wait_for_end (scheduler);
  g_assert_false (holo_scheduler_is_running (scheduler));
}

void
test_finish (HoloScheduler *scheduler)
{
  holo_scheduler_stop (scheduler);
  wait_for_end (scheduler);
}

void
test_run_plan (HoloPlan *plan)
{
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

  test_run (scheduler);
}

HoloEnd *
test_input (HoloScheduler *scheduler, const gchar *name)
{
  g_autoptr (GError) error = NULL;
  HoloEnd *input = holo_scheduler_get_input (scheduler, name, &error);

  g_assert_no_error (error);
  g_assert_nonnull (input);
  return input;
}

HoloEnd *
test_output (HoloScheduler *scheduler, const gchar *name)
{
  g_autoptr (GError) error = NULL;
  HoloEnd *output = holo_scheduler_get_output (scheduler, name, &error);

  g_assert_no_error (error);
  g_assert_nonnull (output);
  return output;
}

void
test_push_into (HoloScheduler *scheduler, const gchar *input, HoloFrame *frame)
{
  g_autoptr (HoloEnd) end = test_input (scheduler, input);

  g_assert_cmpint (holo_end_push (end, frame, NULL, NULL), ==, HOLO_OP_OK);
}

void
test_pull_from (HoloScheduler *scheduler, const gchar *output, HoloFrame *frame)
{
  g_autoptr (HoloEnd) end = test_output (scheduler, output);

  g_assert_cmpint (holo_end_pull (end, frame, NULL, NULL), ==, HOLO_OP_OK);
}

void
test_push_end_into (HoloScheduler *scheduler, const gchar *input)
{
  g_autoptr (HoloEnd) end = test_input (scheduler, input);

  g_assert_cmpint (holo_end_push_end (end, NULL), ==, HOLO_OP_OK);
}

void
test_node_statistics (HoloScheduler *scheduler, const gchar *name, HoloNodeStatistics *statistics)
{
  if (!holo_scheduler_get_node_statistics (scheduler, name, statistics))
    g_error ("no numbers of a node \"%s\"", name);
}

gboolean
test_drive (HoloScheduler *scheduler, GError **error)
{
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
  guint n_sections = holo_plan_get_n_sections (plan);
  guint n_idle = 0, n_finished = 0;
  gint64 deadline = g_get_monotonic_time () + G_USEC_PER_SEC;

  while (n_finished < n_sections)
    {
      n_finished = n_idle = 0;
      for (guint i = 0; i < n_sections; i++)
        {
          g_autoptr (HoloSection) section = holo_scheduler_get_section (scheduler, i);
          HoloOpResult result = holo_section_try_iterate (section, error);

          if (result == HOLO_OP_ERROR)
            return FALSE;
          n_finished += result == HOLO_OP_EOF || result == HOLO_OP_CANCELLED;
          n_idle += result == HOLO_OP_NOT_READY;
        }
      /* a device may still be at work: only a long rest is a standstill */
      if (n_finished + n_idle < n_sections)
        deadline = g_get_monotonic_time () + G_USEC_PER_SEC;
      else if (n_finished < n_sections && g_get_monotonic_time () > deadline)
        return FALSE;
    }
  return TRUE;
}

void
test_assert_frame (HoloPlan *plan, const gchar *name, guint frame, guint n, ...)
{
  guint length;
  const gfloat *values = test_collect_get_frame (test_task (plan, name), frame, &length);
  va_list args;

  g_assert_cmpuint (length, ==, n);
  va_start (args, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (values[i], ==, (gfloat) va_arg (args, gdouble));
  va_end (args);
}

static gchar watchdog_label[4096];

static void
bark (int number)
{
  static const gchar text[] = "\nBail out! the watchdog found this standing still:\n";

  if (write (STDOUT_FILENO, text, sizeof text - 1) < 0 ||
      write (STDOUT_FILENO, watchdog_label, strlen (watchdog_label)) < 0)
    _exit (2);
  abort ();
}

void
test_watchdog (guint seconds)
{
  signal (SIGALRM, bark);
  alarm (seconds);
}

void
test_watchdog_label (const gchar *label)
{
  g_strlcpy (watchdog_label, label, sizeof watchdog_label);
}
