/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The test list of the original's compiler and scheduler, with its inputs and values, one test per row.
 * Where a contract
 * differs (end of stream drains, asynchronous tasks may be neighbours, errors are values, two owners of one
 * tensor are joined
 * by a copy), the test states ours. */
#include "test-run.h"

#include <math.h>
#include <string.h>

#define LINEAR                                                                                                         \
  "source VectorSource {\"values\": [1, 2, 3, 4]}\n"                                                                   \
  "unary Scale {\"factor\": 2}\n"                                                                                      \
  "sink HistoryCollect {}\n"                                                                                           \
  "source > unary > sink\n"

static void
assert_refused (HoloGraph *graph, HoloError code, const gchar *word)
{
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (test_kinds_get_registry ());
  g_autoptr (GError) error = NULL;

  g_assert_null (holo_compiler_compile (compiler, graph, NULL, &error));
  g_assert_error (error, HOLO_ERROR, (gint) code);
  if (strstr (error->message, word) == NULL)
    g_error ("\"%s\" does not name %s", error->message, word);
}

/* ---- compiler ---- */

static void
test_linear (void)
{
  g_autoptr (HoloPlan) plan = test_compile (LINEAR, NULL);

  g_assert_cmpuint (holo_plan_get_n_nodes (plan), ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_true (HOLO_IS_SYNC_TASK (holo_plan_get_node_task (plan, i)));
  g_assert_cmpuint (holo_plan_get_n_sections (plan), >=, 1);
  g_assert_cmpuint (holo_plan_get_n_tensors (plan), ==, 2);
}

static void
test_unknown_kind (void)
{
  g_autoptr (HoloGraph) graph = test_graph ("node missing {}\n");

  assert_refused (graph, HOLO_ERROR_UNKNOWN_KIND, "missing");
}

static void
test_cycle (void)
{
  g_autoptr (HoloGraph) graph = test_graph ("source Scale {}\nunary Scale {}\nsink Scale {}\n"
                                            "source > unary > sink > source\n");

  assert_refused (graph, HOLO_ERROR_GRAPH, "source");
}

static void
test_output_slot (void)
{
  g_autoptr (HoloGraph) graph = test_graph ("source VectorSource {\"values\": [1, 2, 3, 4]}\n"
                                            "sink HistoryCollect {}\nsource.5 > sink\n");

  assert_refused (graph, HOLO_ERROR_GRAPH, "5");
}

static void
test_metrics (void)
{
  g_autoptr (HoloPlan) plan = test_compile (LINEAR, NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  static const gchar *const names[] = { "source", "unary", "sink" };
  g_autoptr (GVariant) all = NULL;
  g_autoptr (GError) error = NULL;

  test_watchdog (5);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  g_assert_true (holo_scheduler_is_running (scheduler));
  TEST_WAIT_UNTIL (test_task_get_n_calls (test_task (plan, "sink")) >= 3, 5);
  holo_scheduler_stop (scheduler);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
  g_assert_no_error (error);
  g_assert_false (holo_scheduler_is_running (scheduler));
  g_assert_true (holo_scheduler_was_stopped (scheduler));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      HoloNodeStatistics statistics;

      test_node_statistics (scheduler, names[i], &statistics);
      g_assert_cmpstr (statistics.kind, ==, holo_plan_get_node_kind (plan, test_node (plan, names[i])));
      g_assert_cmpuint (statistics.execute.calls, >=, 3);
      g_assert_cmpuint (statistics.execute.bytes, >=, 3 * 16);
    }
  all = holo_scheduler_get_statistics (scheduler);
  g_assert_false (g_variant_is_floating (all));
  g_assert_true (g_variant_is_of_type (all, G_VARIANT_TYPE_VARDICT));
  test_watchdog (0);
}

static void
test_empty (void)
{
  g_autoptr (HoloGraph) graph = holo_graph_new ();

  assert_refused (graph, HOLO_ERROR_GRAPH, "empty");
}

static void
test_duplicate_names (void)
{
  g_autoptr (HoloGraph) graph = holo_graph_new ();

  holo_graph_add_node_text (graph, "same", "VectorSource", "{\"values\": [1]}");
  holo_graph_add_node_text (graph, "same", "VectorSource", "{\"values\": [1]}");
  assert_refused (graph, HOLO_ERROR_GRAPH, "same");
}

static void
test_duplicate_destination (void)
{
  g_autoptr (HoloGraph) graph = test_graph ("a VectorSource {\"values\": [1]}\nb VectorSource {\"values\": [1]}\n"
                                            "sink HistoryCollect {}\na > sink\nb > sink\n");

  assert_refused (graph, HOLO_ERROR_GRAPH, "sink");
}

/* The second plan makes use of the first one's tasks, stream and memory; of what is unchanged no task is asked. */
static void
test_reuse (void)
{
  g_autoptr (HoloGraph) graph = test_graph ("source VectorSource {\"values\": [1, 2, 3, 4, 5, 6, 7, 8]}\n"
                                            "sink Collect {}\nsource > sink\n");
  guint n_created = test_kinds_get_n_created (), n_updated = test_kinds_get_n_updated ();
  g_autoptr (HoloPlan) first = test_compile_graph (graph, NULL, NULL);
  g_autoptr (HoloPlan) second = NULL;
  gconstpointer address;
  HoloStream *stream;

  test_watchdog (5);
  g_assert_cmpuint (test_kinds_get_n_created () - n_created, ==, 2);
  test_run_plan (first);
  address = test_collect_get_last_address (test_task (first, "sink"));
  stream = holo_plan_get_section_stream (first, 0);
  g_assert_nonnull (stream);
  second = test_compile_graph (graph, NULL, first);
  g_assert_cmpuint (test_kinds_get_n_created () - n_created, ==, 2);
  g_assert_cmpuint (test_kinds_get_n_updated () - n_updated, ==, 0);
  g_assert_true (test_task (second, "source") == test_task (first, "source"));
  g_assert_true (test_task (second, "sink") == test_task (first, "sink"));
  g_assert_true (holo_plan_get_section_stream (second, 0) == stream);
  g_assert_cmpuint (holo_plan_get_n_storages (second), ==, 1);
  test_run_plan (second);
  g_assert_true (test_collect_get_last_address (test_task (second, "sink")) == address);
  test_watchdog (0);
}

/* Where the original writes log, trace and picture to files, a plan is printed as text, JSON and DOT. */
static void
test_printing (void)
{
  g_autoptr (HoloPlan) plan = test_compile (LINEAR, NULL);
  g_autofree gchar *text = holo_plan_to_text (plan);
  g_autofree gchar *dot = holo_plan_to_dot (plan);
  g_autoptr (JsonNode) json = holo_plan_to_json (plan);

  g_assert_nonnull (strstr (text, "unary"));
  g_assert_nonnull (strstr (text, "Scale"));
  g_assert_true (JSON_NODE_HOLDS_OBJECT (json));
  g_assert_true (g_str_has_prefix (strstr (dot, "digraph"), "digraph"));
  g_assert_nonnull (strstr (dot, "unary"));
}

static void
test_two_owners (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("source OwnedSource {\"frames\": 2}\nrelay Relay {}\n"
                                            "sink HistoryCollect {}\nsource > relay > sink\n",
                                            NULL);
  g_autofree gchar *text = holo_plan_to_text (plan);
  TestRelayReport report;

  g_assert_cmpuint (holo_plan_get_n_copies (plan), ==, 1);
  g_assert_nonnull (strstr (text, "cop"));
  test_watchdog (5);
  test_run_plan (plan);
  test_watchdog (0);
  g_assert_cmpuint (test_collect_get_n_frames (test_task (plan, "sink")), ==, 2);
  test_assert_frame (plan, "sink", 0, 2, 8.0, 16.0);
  test_assert_frame (plan, "sink", 1, 2, 10.0, 18.0);
  test_relay_get_report (test_task (plan, "relay"), &report);
  g_assert_true (report.saw_own_input);
  test_relay_get_report (test_task (plan, "source"), &report);
  g_assert_cmpuint (report.n_releases, ==, 2);
}

static void
test_adjacent_asynchronous (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("source SequenceSource {\"base\": [0, 10], \"end\": 20}\n"
                                            "a Bridge {}\nb Bridge {}\nsink HistoryCollect {}\n"
                                            "source > a > b > sink\n",
                                            NULL);

  g_assert_cmpuint (holo_plan_get_n_sections (plan), ==, 3);
  test_watchdog (5);
  test_run_plan (plan);
  test_watchdog (0);
  g_assert_cmpuint (test_collect_get_n_frames (test_task (plan, "sink")), ==, 20);
  for (guint i = 0; i < 20; i++)
    test_assert_frame (plan, "sink", i, 2, (gdouble) i, 10.0 + i);
}

static void
test_synchronizing_first (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("source SequenceSource {\"base\": [0], \"end\": 4}\n"
                                            "ordinary Bridge {}\nsynchronizing Bridge {\"synchronizes\": true}\n"
                                            "sink-a HistoryCollect {}\nsink-b HistoryCollect {}\n"
                                            "source > ordinary > sink-a\nsource > synchronizing > sink-b\n",
                                            NULL);

  test_watchdog (5);
  test_run_plan (plan);
  test_watchdog (0);
  g_assert_cmpint (test_section (plan, "ordinary", FALSE), ==, test_section (plan, "source", FALSE));
  g_assert_cmpint (test_section (plan, "synchronizing", FALSE), ==, test_section (plan, "source", FALSE));
  g_assert_cmpuint (test_bridge_get_first_push (test_task (plan, "synchronizing")), <,
                    test_bridge_get_first_push (test_task (plan, "ordinary")));
  g_assert_cmpuint (test_collect_get_n_frames (test_task (plan, "sink-a")), ==, 4);
  g_assert_cmpuint (test_collect_get_n_frames (test_task (plan, "sink-b")), ==, 4);
}

/* ---- scheduler: results and life cycle ---- */

static void
run_result (const gchar *result, gboolean fails)
{
  g_autofree gchar *text = g_strdup_printf ("node Result {\"result\": \"%s\"}\n", result);
  g_autoptr (HoloPlan) plan = test_compile (text, NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (GError) error = NULL;

  test_watchdog (5);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  g_assert_cmpint (holo_scheduler_wait (scheduler, &error), ==, !fails);
  test_watchdog (0);
  g_assert_false (holo_scheduler_is_running (scheduler));
  g_assert_cmpuint (test_task_get_n_calls (test_task (plan, "node")), ==, 1);
  if (!fails)
    return;
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_TASK);
  g_assert_nonnull (strstr (error->message, "\"node\""));
  g_assert_nonnull (strstr (error->message, "Result"));
}

static void
test_result_cancelled (void)
{
  run_result ("cancelled", FALSE);
}

static void
test_result_eof (void)
{
  run_result ("eof", FALSE);
}

/* Forbidden to synchronous tasks: an error that names the node, and the run ends. */
static void
test_result_not_ready (void)
{
  run_result ("not-ready", TRUE);
}

static void
test_result_error (void)
{
  run_result ("error", TRUE);
}

static void
test_repeated_life_cycle (void)
{
  g_autoptr (HoloPlan) plan = test_compile (LINEAR, NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (GError) error = NULL;

  test_watchdog (5);
  holo_scheduler_stop (scheduler);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  if (!holo_scheduler_start (scheduler, &error))
    g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
  holo_scheduler_stop (scheduler);
  holo_scheduler_stop (scheduler);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  g_assert_false (holo_scheduler_is_running (scheduler));
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  test_watchdog (0);
}

static void
test_shared_storage (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("source VectorSource {\"values\": [4, 8]}\nrelay Relay {}\n"
                                            "sink Collect {}\nsource > relay > sink\n",
                                            NULL);
  TestRelayReport report;

  test_watchdog (5);
  test_run_plan (plan);
  test_watchdog (0);
  test_relay_get_report (test_task (plan, "relay"), &report);
  g_assert_cmpuint (report.n_acquires, >=, 2);
  g_assert_true (report.saw_own_input);
  g_assert_true (report.storage_checked);
  g_assert_true (test_collect_get_last_address (test_task (plan, "sink")) == report.output);
  test_assert_frame (plan, "sink", 0, 2, 8.0, 16.0);
  g_assert_cmpuint (report.n_releases, ==, 1);
  g_assert_cmpuint (holo_plan_get_n_copies (plan), ==, 0);
}

static void
test_owned_output_at_eof (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("source OwnedSource {}\nsink Collect {}\nsource > sink\n", NULL);
  TestRelayReport report;

  test_watchdog (5);
  test_run_plan (plan);
  test_watchdog (0);
  test_relay_get_report (test_task (plan, "source"), &report);
  g_assert_cmpuint (report.n_releases, ==, 0);
  g_assert_cmpuint (test_collect_get_n_frames (test_task (plan, "sink")), ==, 0);
}

/* ---- scheduler: functions ---- */

static void
test_serial (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("source VectorSource {\"values\": [1, 2, 3, 4]}\nbridge-a Bridge {}\n"
                                            "twice Scale {\"factor\": 2}\nbridge-b Bridge {}\n"
                                            "thrice Scale {\"factor\": 3}\nsink Collect {}\n"
                                            "source > bridge-a > twice > bridge-b > thrice > sink\n",
                                            NULL);

  g_assert_cmpuint (holo_plan_get_n_sections (plan), ==, 3);
  g_assert_cmpint (test_section (plan, "bridge-a", FALSE), ==, test_section (plan, "source", FALSE));
  g_assert_cmpint (test_section (plan, "bridge-a", TRUE), ==, test_section (plan, "twice", FALSE));
  g_assert_cmpint (test_section (plan, "bridge-b", FALSE), ==, test_section (plan, "twice", FALSE));
  g_assert_cmpint (test_section (plan, "bridge-b", TRUE), ==, test_section (plan, "sink", FALSE));
  test_watchdog (5);
  test_run_plan (plan);
  test_watchdog (0);
  test_assert_frame (plan, "sink", 0, 4, 6.0, 12.0, 18.0, 24.0);
  g_assert_cmpuint (test_task_get_n_pushes (test_task (plan, "bridge-a")) +
                        test_task_get_n_pushes (test_task (plan, "bridge-b")),
                    >=, 2);
  g_assert_cmpuint (
      test_task_get_n_pops (test_task (plan, "bridge-a")) + test_task_get_n_pops (test_task (plan, "bridge-b")), >=, 2);
}

static void
test_parallel_producers (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("left VectorSource {\"values\": [1, 2]}\nleft-bridge Bridge {}\n"
                                            "twice Scale {\"factor\": 2}\n"
                                            "right VectorSource {\"values\": [10, 20]}\nright-bridge Bridge {}\n"
                                            "half Scale {\"factor\": 0.5}\nadd TestAdd {}\nsink Collect {}\n"
                                            "left > left-bridge > twice > add.0\n"
                                            "right > right-bridge > half > add.1\nadd > sink\n",
                                            NULL);

  g_assert_cmpuint (holo_plan_get_n_sections (plan), ==, 3);
  g_assert_cmpint (test_section (plan, "left", FALSE), !=, test_section (plan, "right", FALSE));
  g_assert_cmpint (test_section (plan, "left-bridge", TRUE), ==, test_section (plan, "sink", FALSE));
  g_assert_cmpint (test_section (plan, "right-bridge", TRUE), ==, test_section (plan, "sink", FALSE));
  test_watchdog (5);
  test_run_plan (plan);
  test_watchdog (0);
  test_assert_frame (plan, "sink", 0, 2, 7.0, 14.0);
}

static void
test_diamond (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("source VectorSource {\"values\": [1, 2, 3]}\n"
                                            "bridge-a Bridge {}\nbridge-b Bridge {}\n"
                                            "twice Scale {\"factor\": 2}\nthrice Scale {\"factor\": 3}\n"
                                            "add TestAdd {}\nsink Collect {}\n"
                                            "source > bridge-a > twice > add.0\n"
                                            "source > bridge-b > thrice > add.1\nadd > sink\n",
                                            NULL);

  g_assert_cmpuint (holo_plan_get_n_sections (plan), ==, 2);
  g_assert_cmpint (test_section (plan, "bridge-a", FALSE), ==, test_section (plan, "source", FALSE));
  g_assert_cmpint (test_section (plan, "bridge-b", FALSE), ==, test_section (plan, "source", FALSE));
  g_assert_cmpint (test_section (plan, "bridge-a", TRUE), ==, test_section (plan, "sink", FALSE));
  g_assert_cmpint (test_section (plan, "bridge-b", TRUE), ==, test_section (plan, "sink", FALSE));
  test_watchdog (5);
  test_run_plan (plan);
  test_watchdog (0);
  test_assert_frame (plan, "sink", 0, 3, 5.0, 10.0, 15.0);
}

static void
run_jitter (const gchar *base, const gdouble *values, guint n_values, guint n_frames, guint32 seed)
{
  g_autofree gchar *text =
      g_strdup_printf ("source SequenceSource {\"base\": %s}\n"
                       "bridge Bridge {\"seed\": %u, \"max_yields\": 7, \"forced_push\": 2, \"forced_pop\": 2}\n"
                       "twice Scale {\"factor\": 2}\nsink HistoryCollect {\"count\": %u}\n"
                       "source > bridge > twice > sink\n",
                       base, seed, n_frames);
  g_autoptr (HoloPlan) plan = test_compile (text, NULL);
  HoloTask *bridge = test_task (plan, "bridge"), *sink = test_task (plan, "sink");

  test_watchdog (20);
  test_run_plan (plan);
  test_watchdog (0);
  g_assert_cmpuint (test_collect_get_n_frames (sink), ==, n_frames);
  for (guint n = 0; n < n_frames; n++)
    {
      guint length;
      const gfloat *frame = test_collect_get_frame (sink, n, &length);

      g_assert_cmpuint (length, ==, n_values);
      for (guint i = 0; i < n_values; i++)
        g_assert_cmpfloat (frame[i], ==, (gfloat) ((values[i] + n) * 2));
    }
  g_assert_cmpuint (test_task_get_n_push_refusals (bridge), >, 0);
  g_assert_cmpuint (test_task_get_n_pop_refusals (bridge), >, 0);
}

static void
test_backpressure (void)
{
  const gdouble values[] = { 0, 10, 20, 30 };

  run_jitter ("[0, 10, 20, 30]", values, G_N_ELEMENTS (values), 64, 0xC0FFEE);
}

static void
test_jitter (gconstpointer data)
{
  const gdouble values[] = { 1, 2, 4, 8, 16, 32, 64, 128 };

  run_jitter ("[1, 2, 4, 8, 16, 32, 64, 128]", values, G_N_ELEMENTS (values), 32, GPOINTER_TO_UINT (data));
}

static void
test_cancel (void)
{
  g_autoptr (HoloPlan) plan =
      test_compile ("source SequenceSource {\"base\": [0]}\n"
                    "a Bridge {\"seed\": 2779096485, \"max_yields\": 7}\nscale Scale {\"factor\": 2}\n"
                    "b Bridge {\"seed\": 2779096485, \"max_yields\": 7}\nsink HistoryCollect {}\n"
                    "source > a > scale > b > sink\n",
                    NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

  test_watchdog (10);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  TEST_WAIT_UNTIL (test_collect_get_n_frames (test_task (plan, "sink")) >= 16, 5);
  holo_scheduler_stop (scheduler);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  test_watchdog (0);
  g_assert_true (holo_scheduler_was_stopped (scheduler));
  g_assert_false (holo_scheduler_is_running (scheduler));
}

static void
test_vector_math (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("a VectorSource {\"values\": [1, 2, 3, 4]}\n"
                                            "b VectorSource {\"values\": [10, 20, 30, 40]}\n"
                                            "add TestAdd {}\nscale Scale {\"factor\": 0.5}\nsink Collect {}\n"
                                            "a > add.0\nb > add.1\nadd > scale > sink\n",
                                            NULL);

  test_watchdog (5);
  test_run_plan (plan);
  test_watchdog (0);
  test_assert_frame (plan, "sink", 0, 4, 5.5, 11.0, 16.5, 22.0);
  g_assert_cmpuint (test_task_get_n_calls (test_task (plan, "a")), ==, 1);
  g_assert_cmpuint (test_task_get_n_calls (test_task (plan, "b")), ==, 1);
  g_assert_cmpuint (test_task_get_n_calls (test_task (plan, "add")), ==, 1);
  g_assert_cmpuint (test_task_get_n_calls (test_task (plan, "scale")), ==, 1);
  g_assert_cmpuint (test_task_get_n_calls (test_task (plan, "sink")), ==, 1);
  g_assert_true (test_task_had_stream (test_task (plan, "add")));
}

static void
test_asynchronous_boundary (void)
{
  g_autoptr (HoloPlan) plan = test_compile ("source VectorSource {\"values\": [2, 4, 6, 8]}\nbridge Bridge {}\n"
                                            "scale Scale {\"factor\": 3}\nsink Collect {}\n"
                                            "source > bridge > scale > sink\n",
                                            NULL);

  g_assert_cmpuint (holo_plan_get_n_sections (plan), ==, 2);
  g_assert_true (test_task_had_stream (test_task (plan, "bridge"))); /* two that differ */
  test_watchdog (5);
  test_run_plan (plan);
  test_watchdog (0);
  test_assert_frame (plan, "sink", 0, 4, 6.0, 12.0, 18.0, 24.0);
  g_assert_cmpuint (test_task_get_n_pushes (test_task (plan, "bridge")), >, 0);
  g_assert_cmpuint (test_task_get_n_pops (test_task (plan, "bridge")), >, 0);
}

/* ---- pictures ---- */

static void
test_dot (void)
{
  g_autoptr (HoloPlan) plan =
      test_compile ("source VectorSource {\"values\": [1, 2, 3, 4], \"label\": \"quoted\\\"\\nvalue\"}\n"
                    "bridge Bridge {}\nsink HistoryCollect {}\nsource > bridge > sink\n",
                    NULL);
  g_autofree gchar *dot = holo_plan_to_dot (plan);
  static const gchar *const words[] = { "digraph", "octagon", "source", "bridge", "quoted", "value", "F32", "4" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (dot, words[i]) == NULL)
      g_error ("\"%s\" is missing in\n%s", words[i], dot);
  g_assert_null (strstr (dot, "quoted\"\n"));
  g_assert_nonnull (strstr (dot, holo_plan_get_section_name (plan, 0)));
  g_assert_true (g_str_has_suffix (dot, "}\n"));
}

static void
test_dot_empty (void)
{
  g_autoptr (HoloGraph) graph = holo_graph_new ();
  g_autofree gchar *dot = holo_graph_to_dot (graph);

  g_assert_nonnull (strstr (dot, "digraph"));
  g_assert_true (g_str_has_suffix (dot, "}\n"));
}

int
main (int argc, char **argv)
{
  static const guint32 seeds[] = { 0,          1,          2,          3,          0x12345678, 0x23456789,
                                   0x3456789A, 0x456789AB, 0x56789ABC, 0x6789ABCD, 0x789ABCDE, 0x89ABCDEF,
                                   0x9ABCDEF0, 0xABCDEF01, 0xC001D00D, 0xFFFFFFFF };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/compiler/linear-graph", test_linear);
  g_test_add_func ("/compiler/unknown-kind", test_unknown_kind);
  g_test_add_func ("/compiler/cycle", test_cycle);
  g_test_add_func ("/compiler/output-slot-out-of-range", test_output_slot);
  g_test_add_func ("/compiler/empty-graph", test_empty);
  g_test_add_func ("/compiler/duplicate-names", test_duplicate_names);
  g_test_add_func ("/compiler/duplicate-destination", test_duplicate_destination);
  g_test_add_func ("/compiler/reuse", test_reuse);
  g_test_add_func ("/compiler/printing", test_printing);
  g_test_add_func ("/compiler/two-owners", test_two_owners);
  g_test_add_func ("/compiler/adjacent-asynchronous", test_adjacent_asynchronous);
  g_test_add_func ("/compiler/synchronizing-first", test_synchronizing_first);
  g_test_add_func ("/scheduler/metrics", test_metrics);
  g_test_add_func ("/scheduler/result/cancelled", test_result_cancelled);
  g_test_add_func ("/scheduler/result/eof", test_result_eof);
  g_test_add_func ("/scheduler/result/not-ready", test_result_not_ready);
  g_test_add_func ("/scheduler/result/error", test_result_error);
  g_test_add_func ("/scheduler/repeated-life-cycle", test_repeated_life_cycle);
  g_test_add_func ("/scheduler/shared-storage", test_shared_storage);
  g_test_add_func ("/scheduler/owned-output-at-eof", test_owned_output_at_eof);
  g_test_add_func ("/scheduler/serial", test_serial);
  g_test_add_func ("/scheduler/parallel-producers", test_parallel_producers);
  g_test_add_func ("/scheduler/diamond", test_diamond);
  g_test_add_func ("/scheduler/backpressure", test_backpressure);
  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++)
    {
      g_autofree gchar *path = g_strdup_printf ("/scheduler/jitter/%08x", seeds[i]);

      g_test_add_data_func (path, GUINT_TO_POINTER (seeds[i]), test_jitter);
    }
  g_test_add_func ("/scheduler/cancel", test_cancel);
  g_test_add_func ("/scheduler/vector-math", test_vector_math);
  g_test_add_func ("/scheduler/asynchronous-boundary", test_asynchronous_boundary);
  g_test_add_func ("/display/plan", test_dot);
  g_test_add_func ("/display/empty-graph", test_dot_empty);
  return g_test_run ();
}
