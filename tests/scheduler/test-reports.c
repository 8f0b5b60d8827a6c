/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Failures that users of similar software have met, each as a case of its class. */
#include "test-run.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "sim-device.h"

/* ---- a missing output must not make others wait for ever ---- */

static gint64
cpu_time (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * G_USEC_PER_SEC + usage.ru_utime.tv_usec +
         usage.ru_stime.tv_usec;
}

static void
test_forbidden_result (void)
{
  g_autoptr (HoloPlan) plan =
      test_compile ("source SequenceSource {\"base\": [0]}\n"
                    "lazy FailAt {\"frame\": 2, \"result\": \"not-ready\"}\nqueue TestQueue {}\n"
                    "sink HistoryCollect {}\nsource > lazy > queue > sink\n",
                    NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (GError) error = NULL;

  test_watchdog (5);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  g_assert_false (holo_scheduler_wait (scheduler, &error));
  test_watchdog (0);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_TASK);
  g_assert_nonnull (strstr (error->message, "lazy"));
}

static void
test_task_that_never_pops (void)
{
  g_autoptr (HoloPlan) plan =
      test_compile ("source SequenceSource {\"base\": [0], \"end\": 5}\nstuck Bridge {\"forced_pop\": 2147483647}\n"
                    "sink HistoryCollect {}\nother HistoryCollect {}\nfree TestQueue {}\n"
                    "numbers SequenceSource {\"base\": [0], \"end\": 100}\n"
                    "source > stuck > sink\nnumbers > free > other\n",
                    NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  gint64 used;

  test_watchdog (10);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  /* what has nothing to do with it comes to its end */
  TEST_WAIT_UNTIL (test_collect_get_n_frames (test_task (plan, "other")) == 100, 5);
  used = cpu_time ();
  g_usleep (200000);
  used = cpu_time () - used;
  g_test_message ("%" G_GINT64_FORMAT " us of CPU in 200 ms", used);
  g_assert_cmpint (used, <, 50000);
  g_assert_true (holo_scheduler_is_running (scheduler));
  holo_scheduler_stop (scheduler);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  test_watchdog (0);
}

/* ---- stop with many threads ---- */

static void
test_many_short_runs (void)
{
  GString *text = g_string_new ("source SequenceSource {\"base\": [0, 1]}\nr0 Random {\"max_us\": 20}\n");
  GString *chain = g_string_new ("source > r0");
  g_autoptr (HoloPlan) plan = NULL;
  g_autoptr (HoloScheduler) scheduler = NULL;
  GRand *rand = g_rand_new_with_seed (11);

  for (guint i = 1; i < 8; i++)
    {
      g_string_append_printf (text, "q%u TestQueue {\"capacity\": %u, \"mode\": \"%s\"}\n", i, 1 + i % 3,
                              i % 2 == 0 ? "owned" : "copy");
      g_string_append_printf (text, "r%u Random {\"max_us\": %u, \"seed\": %u}\n", i, 10 * i, i);
      g_string_append_printf (chain, " > q%u > r%u", i, i);
    }
  g_string_append_printf (text, "sink HistoryCollect {}\n%s > sink\n", chain->str);
  plan = test_compile (text->str, NULL);
  g_assert_cmpuint (holo_plan_get_n_sections (plan), ==, 8);
  scheduler = holo_scheduler_new (plan);
  test_watchdog (120);
  for (guint i = 0; i < 300; i++)
    {
      gint64 start;

      g_assert_true (holo_scheduler_start (scheduler, NULL));
      g_usleep ((gulong) g_rand_int_range (rand, 0, 3000));
      start = g_get_monotonic_time ();
      holo_scheduler_stop (scheduler);
      g_assert_true (holo_scheduler_wait (scheduler, NULL));
      g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC);
      for (guint k = 0; k < test_collect_get_n_frames (test_task (plan, "sink")); k++)
        test_assert_frame (plan, "sink", k, 2, (gdouble) k, 1.0 + k);
    }
  test_watchdog (0);
  g_rand_free (rand);
  g_string_free (chain, TRUE);
  g_string_free (text, TRUE);
}

/* ---- calls from inside a task ---- */

typedef struct
{
  HoloScheduler *scheduler;
  HoloPlan *next;
  gint n_calls;
  gint n_updates;
} Inside;

static void
note_update (HoloScheduler *scheduler, guint64 n_discarded, const GError *error, gpointer user_data)
{
  Inside *inside = user_data;

  g_assert_no_error (error);
  g_assert_cmpuint (n_discarded, ==, 0);
  g_atomic_int_inc (&inside->n_updates);
}

static void
stop_from_inside (HoloTask *task, gpointer user_data)
{
  Inside *inside = user_data;

  if (g_atomic_int_add (&inside->n_calls, 1) == 3)
    holo_scheduler_stop (inside->scheduler);
}

static void
update_from_inside (HoloTask *task, gpointer user_data)
{
  Inside *inside = user_data;

  if (g_atomic_int_add (&inside->n_calls, 1) == 3)
    holo_scheduler_update (inside->scheduler, inside->next, note_update, inside);
}

#define INSIDE_LINE                                                                                                    \
  "source SequenceSource {\"base\": [0]}\nq TestQueue {}\ninside Random {}\nscale Scale {\"factor\": %u}\n"            \
  "sink HistoryCollect {}\nsource > q > inside > scale > sink\n"

static void
test_stop_from_inside (void)
{
  g_autofree gchar *text = g_strdup_printf (INSIDE_LINE, 2);
  g_autoptr (HoloPlan) plan = test_compile (text, NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  Inside inside = { scheduler, NULL, 0, 0 };

  test_watchdog (10);
  test_kinds_set_inside (stop_from_inside, &inside);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  test_kinds_set_inside (NULL, NULL);
  test_watchdog (0);
  g_assert_true (holo_scheduler_was_stopped (scheduler));
  g_assert_cmpint (inside.n_calls, >=, 4);
}

/* The one node that the update changes works with the new factor from some frame on; all others know nothing of it. */
static void
test_update_from_inside (void)
{
  g_autofree gchar *text = g_strdup_printf (INSIDE_LINE, 2);
  g_autofree gchar *changed_text = g_strdup_printf (INSIDE_LINE, 5);
  g_autoptr (HoloPlan) plan = test_compile (text, NULL);
  g_autoptr (HoloGraph) changed = test_graph (changed_text);
  g_autoptr (HoloPlan) next = test_compile_graph (changed, NULL, plan);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  Inside inside = { scheduler, next, 0, 0 };
  HoloTask *sink = test_task (next, "sink");
  guint before, n = 0;

  g_assert_true (sink == test_task (plan, "sink"));
  test_watchdog (10);
  test_kinds_set_inside (update_from_inside, &inside);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  TEST_WAIT_UNTIL (g_atomic_int_get (&inside.n_updates) == 1, 5);
  before = test_collect_get_n_frames (sink);
  TEST_WAIT_UNTIL (test_collect_get_n_frames (sink) >= before + 5, 5);
  holo_scheduler_stop (scheduler);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  test_kinds_set_inside (NULL, NULL);
  test_watchdog (0);
  while (n < before && *test_collect_get_frame (sink, n, NULL) == 2.0f * (gfloat) n)
    n++;
  g_assert_cmpuint (n, >=, 4); /* it was asked for in the fourth frame */
  for (; n < test_collect_get_n_frames (sink); n++)
    test_assert_frame (next, "sink", n, 1, 5.0 * n);
}

/* ---- graphs that cannot be ---- */

static void
assert_refused (const gchar *json, const gchar *word)
{
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (test_kinds_get_registry ());
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloGraph) graph = holo_graph_new_from_text (json, -1, &error);
  g_autoptr (HoloPlan) plan = NULL;

  if (graph != NULL)
    plan = holo_compiler_compile (compiler, graph, NULL, &error);
  g_assert_null (plan);
  g_assert_nonnull (error);
  g_assert_true (error->domain == HOLO_ERROR);
  if (strstr (error->message, word) == NULL)
    g_error ("\"%s\" does not name %s", error->message, word);
}

#define NODE(name, kind, params) "\"" name "\": {\"type\": \"" kind "\", \"params\": " params "}"
#define EDGE(from, out, to, in)  "{\"from\": \"" from "\", \"out\": " #out ", \"to\": \"" to "\", \"in\": " #in "}"
#define GRAPH(nodes, edges)      "{\"nodes\": {" nodes "}, \"edges\": [" edges "]}"
#define SOURCE                   NODE ("s", "VectorSource", "{\"values\": [1]}")

static void
test_bad_graphs (void)
{
  assert_refused (
      GRAPH (NODE ("a", "Scale", "{}") "," NODE ("b", "Scale", "{}"), EDGE ("a", 0, "b", 0) "," EDGE ("b", 0, "a", 0)),
      "a");
  assert_refused (GRAPH (NODE ("a", "Scale", "{}"), EDGE ("a", 0, "a", 0)), "a");
  assert_refused (GRAPH (SOURCE "," NODE ("b", "Scale", "{}") "," NODE ("c", "Collect", "{}"),
                         EDGE ("s", 0, "b", 0) "," EDGE ("s", 0, "c", 0) "," EDGE ("b", 0, "c", 0)),
                  "c");
  assert_refused (GRAPH (SOURCE, EDGE ("s", 0, "nowhere", 0)), "nowhere");
  assert_refused (GRAPH (SOURCE "," NODE ("c", "Collect", "{}"), EDGE ("s", 99, "c", 0)), "99");
  assert_refused (GRAPH (SOURCE "," NODE ("c", "Collect", "{}"), EDGE ("s", 0, "c", 99)), "99");
  assert_refused (GRAPH (SOURCE "," NODE ("c", "Collect", "{}"), EDGE ("s", -1, "c", 0)), "-1");
  assert_refused (GRAPH (SOURCE "," NODE ("c", "Collect", "{}"), EDGE ("s", 0, "c", -1)), "-1");
  assert_refused (GRAPH (SOURCE "," NODE ("add", "TestAdd", "{}") "," NODE ("c", "Collect", "{}"),
                         EDGE ("s", 0, "add", 0) "," EDGE ("add", 0, "c", 0)),
                  "add");
  assert_refused (GRAPH (NODE ("a", "Scalee", "{}"), ""), "Scale");
  assert_refused (GRAPH (SOURCE "," SOURCE, ""), "s");
  /* a by-pass of a queue */
  assert_refused (
      GRAPH (SOURCE "," NODE ("q", "TestQueue", "{}") "," NODE ("add", "TestAdd", "{}") "," NODE ("c", "Collect", "{}"),
             EDGE ("s", 0, "q", 0) "," EDGE ("q", 0, "add", 0) "," EDGE ("s", 0, "add", 1) "," EDGE ("add", 0, "c", 0)),
      "s");
}

static void
test_deep_settings (void)
{
  GString *text = g_string_new ("{\"nodes\": {\"a\": {\"type\": \"Scale\", \"params\": ");

  for (guint i = 0; i < 100000; i++)
    g_string_append_c (text, '[');
  assert_refused (text->str, "nest");
  g_string_free (text, TRUE);
}

static void
test_long_chain (void)
{
  g_autoptr (HoloGraph) graph = holo_graph_new ();
  g_autoptr (HoloPlan) plan = NULL;
  gint64 start = g_get_monotonic_time ();
  guint last;

  last = holo_graph_add_node_text (graph, "source", "SequenceSource", "{\"base\": [1, 2], \"end\": 2}");
  for (guint i = 0; i < 10000; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("bump%05u", i);
      guint node = holo_graph_add_node_text (graph, name, "Bump", "{\"amount\": 1}");

      holo_graph_add_edge (graph, last, 0, node, 0);
      last = node;
    }
  holo_graph_add_edge (graph, last, 0, holo_graph_add_node_text (graph, "sink", "HistoryCollect", "{}"), 0);
  plan = test_compile_graph (graph, NULL, NULL);
  g_test_message ("10000 nodes compiled in %.2f s", (gdouble) (g_get_monotonic_time () - start) / G_USEC_PER_SEC);
  test_watchdog (20);
  test_run_plan (plan);
  test_watchdog (0);
  test_assert_frame (plan, "sink", 0, 2, 10001.0, 10002.0);
  test_assert_frame (plan, "sink", 1, 2, 10002.0, 10003.0);
}

/* ---- data that is still in use ---- */

/* Ten thousand numbered frames as fast as can be, into a queue of four, to a reader that takes its time. */
static void
test_overflow (gconstpointer data)
{
  const gchar *queue = data;
  g_autofree gchar *text = g_strdup_printf (
      "source SequenceSource {\"base\": [0, 0, 0, 0, 0, 0, 0, 0], \"end\": 10000}\nqueue %s\n"
      "slow Random {\"max_us\": 1, \"seed\": 3}\nsink HistoryCollect {}\nsource > queue > slow > sink\n",
      queue);
  g_autoptr (HoloPlan) plan = test_compile (text, NULL);
  HoloTask *sink = test_task (plan, "sink");

  test_watchdog (60);
  test_run_plan (plan);
  test_watchdog (0);
  g_assert_cmpuint (test_collect_get_n_frames (sink), ==, 10000);
  for (guint n = 0; n < 10000; n++)
    {
      const gfloat *frame = test_collect_get_frame (sink, n, NULL);

      for (guint i = 0; i < 8; i++)
        g_assert_cmpfloat (frame[i], ==, (gfloat) n);
    }
}

/* One reads what the other overwrites, in both orders of the edges, and in a chain of three. */
static void
test_in_place (gconstpointer data)
{
  HoloDevice *device = GPOINTER_TO_INT (data) ? sim_device_new (1, 100) : NULL;
  static const gchar *const nodes = "source SequenceSource {\"base\": [4, 9], \"end\": 6}\na Bump "
                                    "{\"amount\": 1}\nb Bump {\"amount\": 10}\n"
                                    "c Scale {\"factor\": 2}\nreader Scale {\"factor\": -1}\nout1 "
                                    "HistoryCollect {}\nout2 HistoryCollect {}\n";
  static const gchar *const host_edges[] = { "source > a > out1\nsource > reader > out2\n",
                                             "source > reader > out2\nsource > a > out1\n",
                                             "source > a > b > c > out1\nsource > reader > out2\n",
                                             "source > reader > out2\nsource > a > b > c > out1\n" };
  static const gchar *const device_edges[] = { "source > up\nup > a > down1\nup > reader > down2\n",
                                               "source > up\nup > reader > down2\nup > a > down1\n",
                                               "source > up\nup > a > b > c > down1\nup > reader > down2\n",
                                               "source > up\nup > reader > down2\nup > a > b > c > down1\n" };

  test_watchdog (30);
  for (guint i = 0; i < 4; i++)
    {
      g_autofree gchar *text = device != NULL
                                   ? g_strconcat (nodes, "up Transfer {}\ndown1 Transfer {\"target\": \"Host\"}\n",
                                                  "down2 Transfer {\"target\": \"Host\"}\ndown1 > out1\ndown2 > out2\n",
                                                  device_edges[i], NULL)
                                   : g_strconcat (nodes, host_edges[i], NULL);
      gboolean chain = i >= 2;
      g_autoptr (HoloGraph) graph = NULL;
      g_autoptr (HoloPlan) plan = NULL;

      /* the nodes of the chain that a case does not have would be without input */
      if (!chain)
        {
          gchar *b = strstr (text, "b Bump"), *end = strstr (text, "reader Scale");

          memset (b, '\n', (gsize) (end - b));
        }
      graph = test_graph (text);
      plan = test_compile_graph (graph, device, NULL);
      test_run_plan (plan);
      g_assert_cmpuint (test_collect_get_n_frames (test_task (plan, "out1")), ==, 6);
      g_assert_cmpuint (test_collect_get_n_frames (test_task (plan, "out2")), ==, 6);
      for (guint n = 0; n < 6; n++)
        {
          gdouble x = 4.0 + n, y = 9.0 + n;

          test_assert_frame (plan, "out1", n, 2, chain ? (x + 11) * 2 : x + 1, chain ? (y + 11) * 2 : y + 1);
          test_assert_frame (plan, "out2", n, 2, -x, -y);
        }
    }
  test_watchdog (0);
  g_clear_object (&device);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reports/missing-output/forbidden-result", test_forbidden_result);
  g_test_add_func ("/reports/missing-output/task-that-never-pops", test_task_that_never_pops);
  g_test_add_func ("/reports/stop/many-short-runs", test_many_short_runs);
  g_test_add_func ("/reports/inside/stop", test_stop_from_inside);
  g_test_add_func ("/reports/inside/update", test_update_from_inside);
  g_test_add_func ("/reports/graphs/bad", test_bad_graphs);
  g_test_add_func ("/reports/graphs/deep-settings", test_deep_settings);
  g_test_add_func ("/reports/graphs/long-chain", test_long_chain);
  g_test_add_data_func ("/reports/overflow/copies", "TestQueue {\"capacity\": 4}", test_overflow);
  g_test_add_data_func ("/reports/overflow/slots", "TestQueue {\"capacity\": 4, \"mode\": \"owned\"}", test_overflow);
  g_test_add_data_func ("/reports/overflow/queue", "Queue {\"capacity\": 4}", test_overflow);
  g_test_add_data_func ("/reports/in-place/host", GINT_TO_POINTER (FALSE), test_in_place);
  g_test_add_data_func ("/reports/in-place/device", GINT_TO_POINTER (TRUE), test_in_place);
  return g_test_run ();
}
