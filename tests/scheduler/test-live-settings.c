/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings that change while frames flow: one node is asked, all others keep their tasks, contents and counts. */
#include <string.h>

#include "case-frames.h"
#include "case-kinds.h"
#include "test-kinds.h"
#include "test-run.h"

#define OUT "out Output\n"

static void
set_text (HoloScheduler *scheduler, const gchar *node, const gchar *setting, const gchar *text)
{
  g_autoptr (GError) error = NULL;
  gboolean set = holo_scheduler_set_setting_text (scheduler, node, setting, text, &error);

  g_assert_no_error (error);
  g_assert_true (set);
}

/* ---- one node changes, the others do not notice ---- */

#define CHAIN                                                                                                          \
  "seq Sequence {\"shape\": [2], \"count\": 2000}\nm0 Metered {\"id\": 0}\nm1 Metered {\"id\": 1}\n"                   \
  "q Queue {\"capacity\": 4}\nm2 Metered {\"id\": 2}\nscale Scale {\"factor\": 1}\n" OUT                               \
  "seq > m0 > m1 > q > m2 > scale > out\n"

static const gchar *const chain_nodes[] = { "seq", "m0", "m1", "q", "m2", "scale", "out" };

typedef struct
{
  HoloTask *tasks[G_N_ELEMENTS (chain_nodes)];
  CaseMeter meters[3];
  guint n_created, n_updated;
} Snapshot;

static void
take_snapshot (HoloScheduler *scheduler, Snapshot *snapshot)
{
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);

  for (guint i = 0; i < G_N_ELEMENTS (chain_nodes); i++)
    snapshot->tasks[i] = test_task (plan, chain_nodes[i]);
  for (guint i = 0; i < G_N_ELEMENTS (snapshot->meters); i++)
    snapshot->meters[i] = case_metered_get (i);
  snapshot->n_created = test_kinds_get_n_created ();
  snapshot->n_updated = test_kinds_get_n_updated ();
}

/* What happened since @before: @infers of each Metered, @made tasks, @changed the only node that may have a new one. */
static void
assert_only (HoloScheduler *scheduler, const Snapshot *before, guint metered, gint infers, guint made,
             const gchar *changed)
{
  Snapshot now;

  take_snapshot (scheduler, &now);
  for (guint i = 0; i < G_N_ELEMENTS (chain_nodes); i++)
    if (!g_str_equal (chain_nodes[i], changed))
      g_assert_true (now.tasks[i] == before->tasks[i]);
  for (guint i = 0; i < G_N_ELEMENTS (now.meters); i++)
    {
      g_assert_cmpint (now.meters[i].n_infers - before->meters[i].n_infers, ==, i == metered ? infers : 0);
      if (i != metered)
        g_assert_cmpint (now.meters[i].n_updates - before->meters[i].n_updates, ==, 0);
    }
  g_assert_cmpuint (now.n_created - before->n_created, ==, made);
  g_assert_cmpuint (now.n_updated - before->n_updated, ==, infers > 0 || g_str_equal (changed, "scale"));
}

/* Takes @n frames; frame i is i * factor + amount, with those of @old up to some frame and of @now from it on. Returns how
 * many were old. */
typedef struct
{
  gdouble factor, amount;
} Formula;

static guint
pull_changed (HoloScheduler *scheduler, guint *next, guint n, Formula old, Formula now)
{
  guint n_old = 0;

  for (guint i = 0; i < n; i++, (*next)++)
    {
      gfloat value = case_pull (scheduler, "out");

      if (n_old == i && value == (gfloat) (*next * old.factor + old.amount))
        n_old++;
      else
        g_assert_cmpfloat (value, ==, (gfloat) (*next * now.factor + now.amount));
    }
  return n_old;
}

static void
pull_rest (HoloScheduler *scheduler, guint *next, Formula formula)
{
  pull_changed (scheduler, next, 2000 - *next, formula, formula);
  case_assert_pull_gives (scheduler, "out", HOLO_OP_EOF);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  test_watchdog (0);
}

/* The Sequence goes on, the one node is asked once, and what the graph holds comes out as it was made. Nobody pulls while
 * the setting changes. */
static void
test_others_go_on (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (CHAIN, HOLO_DRIVING_THREADS);
  Formula formula = { 1, 0 };
  guint next = 0;

  for (guint i = 1; i <= 16; i++)
    {
      Formula changed = { 1, i * 0.125 };
      g_autofree gchar *text = g_strdup_printf ("%g", changed.amount);
      Snapshot before;

      pull_changed (scheduler, &next, 30, formula, formula);
      take_snapshot (scheduler, &before);
      set_text (scheduler, "m1", "amount", text);
      assert_only (scheduler, &before, 1, 1, 1, "m1");
      /* the queue, a frame on each side of it, one in the Output */
      g_assert_cmpuint (pull_changed (scheduler, &next, 30, formula, changed), <=, 4 + 4);
      formula = changed;
    }
  pull_rest (scheduler, &next, formula);
  for (guint i = 0; i < G_N_ELEMENTS (chain_nodes); i++)
    {
      HoloNodeStatistics statistics = case_statistics (scheduler, chain_nodes[i]);

      if (statistics.type == HOLO_TASK_SYNC)
        g_assert_cmpuint (statistics.execute.calls, ==, 2000);
      else
        g_assert_cmpuint (statistics.push.calls, ==, 2000);
      g_assert_cmpuint (statistics.discarded + statistics.dropped, ==, 0);
    }
  g_assert_cmpuint (case_statistics (scheduler, "q").pop.calls, ==, 2000);
}

/* A task that stages its change stays itself; a queue stays full. */
static void
test_staged_changes (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (CHAIN, HOLO_DRIVING_THREADS);
  Formula formula = { 1, 0 };
  guint next = 0;

  for (guint i = 2; i < 10; i++)
    {
      Formula changed = { i, 0 };
      g_autofree gchar *number = g_strdup_printf ("%u", i);
      Snapshot before;

      pull_changed (scheduler, &next, 30, formula, formula);
      take_snapshot (scheduler, &before);
      set_text (scheduler, "q", "capacity", number);
      assert_only (scheduler, &before, 99, 0, 0, "none");
      set_text (scheduler, "scale", "factor", number);
      assert_only (scheduler, &before, 99, 0, 0, "scale");
      g_assert_cmpuint (pull_changed (scheduler, &next, 30, formula, changed), <=, 4);
      formula = changed;
    }
  pull_rest (scheduler, &next, formula);
  g_assert_cmpuint (case_statistics (scheduler, "scale").execute.calls, ==, 2000);
}

/* An update whose graph differs in one node asks that node alone, too. */
static void
test_update_of_one_node (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (CHAIN, HOLO_DRIVING_THREADS);
  g_auto (GStrv) parts = g_strsplit (CHAIN, "{\"id\": 1}", 2);
  g_autofree gchar *text = g_strjoinv ("{\"id\": 1, \"amount\": 0.5}", parts);
  Formula formula = { 1, 0 }, changed = { 1, 0.5 };
  guint next = 0;
  Snapshot before, now;

  pull_changed (scheduler, &next, 30, formula, formula);
  take_snapshot (scheduler, &before);
  g_assert_cmpuint (case_update_and_wait (scheduler, text), ==, 0);
  take_snapshot (scheduler, &now);
  g_assert_cmpuint (now.n_created - before.n_created, ==, 1);
  for (guint i = 0; i < G_N_ELEMENTS (chain_nodes); i++)
    if (!g_str_equal (chain_nodes[i], "m1"))
      g_assert_true (now.tasks[i] == before.tasks[i]);
  g_assert_cmpuint (pull_changed (scheduler, &next, 30, formula, changed), <=, 8);
  pull_rest (scheduler, &next, changed);
  g_assert_cmpuint (case_statistics (scheduler, "seq").execute.calls, ==, 2000);
  g_assert_cmpuint (case_statistics (scheduler, "m1").execute.calls, ==, 2000);
}

/* ---- the three spellings, and what is refused ---- */

#define SINGLE CASE_INPUT ("in") "m Metered {\"amount\": 1}\nq Queue\n" OUT "in > m > q > out\n"

static void
assert_through (HoloScheduler *scheduler, gfloat value, gfloat expected)
{
  case_push (scheduler, "in", value);
  g_assert_cmpfloat (case_pull (scheduler, "out"), ==, expected);
}

static void
test_spellings (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (SINGLE, HOLO_DRIVING_THREADS);
  g_autoptr (JsonObject) object = json_object_new ();
  g_auto (GValue) value = G_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  assert_through (scheduler, 1, 2);
  g_value_init (&value, G_TYPE_DOUBLE);
  g_value_set_double (&value, 10);
  g_assert_true (holo_scheduler_set_setting (scheduler, "m", "amount", &value, &error));
  g_assert_no_error (error);
  assert_through (scheduler, 1, 11);
  set_text (scheduler, "m", "amount", "20");
  assert_through (scheduler, 1, 21);
  json_object_set_double_member (object, "amount", 30);
  g_assert_true (holo_scheduler_set_settings (scheduler, "m", object, &error));
  g_assert_no_error (error);
  assert_through (scheduler, 1, 31);

  g_assert_false (holo_scheduler_set_setting_text (scheduler, "n", "amount", "2", &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "\"n\""));
  g_clear_error (&error);
  g_assert_false (holo_scheduler_set_setting_text (scheduler, "m", "amont", "2", &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SETTING);
  g_assert_nonnull (strstr (error->message, "\"amont\""));
  g_clear_error (&error);
  g_assert_false (holo_scheduler_set_setting_text (scheduler, "m", "amount", "much", &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SETTING);
  g_clear_error (&error);
  /* all or nothing */
  json_object_set_double_member (object, "amount", 40);
  json_object_set_int_member (object, "id", 1000);
  g_assert_false (holo_scheduler_set_settings (scheduler, "m", object, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SETTING);
  assert_through (scheduler, 1, 31);
  case_finish (scheduler);
}

/* The graph has the setting under its second name, the change comes under either; both at once are one too many. */
static void
test_second_names (void)
{
  g_autoptr (HoloGraph) graph = holo_graph_new ();
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (HoloPlan) plan = NULL;
  g_autoptr (HoloScheduler) scheduler = NULL;
  g_autoptr (JsonObject) both = json_object_new ();
  g_autoptr (GError) error = NULL;

  holo_graph_add_node_text (graph, "in", "Input", "{\"dtype\": \"F32\", \"shape\": [2]}");
  holo_graph_add_node_text (graph, "n", "Normalize", "{\"max\": 255}");
  holo_graph_add_node_text (graph, "out", "Output", NULL);
  holo_graph_add_edge (graph, 0, 0, 1, 0);
  holo_graph_add_edge (graph, 1, 0, 2, 0);
  plan = holo_compiler_compile (compiler, graph, NULL, &error);
  g_assert_no_error (error);
  scheduler = holo_scheduler_new (plan);
  set_text (scheduler, "n", "maximum", "10");
  set_text (scheduler, "n", "max", "20");
  set_text (scheduler, "n", "maximum", "30");
  json_object_set_double_member (both, "max", 1);
  json_object_set_double_member (both, "maximum", 2);
  g_assert_false (holo_scheduler_set_settings (scheduler, "n", both, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SETTING);
  g_assert_nonnull (strstr (error->message, "already given"));
  /* The same without a run. */
  g_clear_error (&error);
  g_assert_true (holo_graph_set_setting_text (graph, holo_registry_get_default (), "n", "maximum", "3", &error));
  g_assert_true (holo_graph_set_setting_text (graph, holo_registry_get_default (), "n", "max", "4", &error));
  g_assert_no_error (error);
  g_assert_true (holo_compiler_check (compiler, graph, &error));
  g_assert_no_error (error);
}

/* What is set at rest is there in the next run; a change lasts over runs. */
static void
test_setting_at_rest (void)
{
  g_autoptr (HoloPlan) plan = test_compile (SINGLE, NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

  test_watchdog (12 * CASE_SOON);
  set_text (scheduler, "m", "amount", "2");
  test_start (scheduler);
  assert_through (scheduler, 1, 3);
  set_text (scheduler, "m", "amount", "3");
  test_finish (scheduler);
  set_text (scheduler, "q", "capacity", "9");
  test_start (scheduler);
  assert_through (scheduler, 1, 4);
  test_finish (scheduler);
  set_text (scheduler, "m", "amount", "5");
  test_start (scheduler);
  assert_through (scheduler, 1, 6);
  case_finish (scheduler);
}

/* A plan that was compiled beside one that has gone since is refused, also when the plan at work lies where that one lay. */
static void
test_plan_of_the_past (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (SINGLE, HOLO_DRIVING_THREADS);
  g_autoptr (HoloPlan) late = NULL;
  gconstpointer beside;
  gboolean met = FALSE;

  {
    g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);

    g_autoptr (HoloGraph) graph = test_graph (SINGLE);

    late = test_compile_graph (graph, NULL, plan);
    beside = plan;
  }
  for (guint i = 0; i < 16; i++)
    {
      g_autofree gchar *amount = g_strdup_printf ("%u", i % 5);
      CaseReport report = { 0 };

      set_text (scheduler, "m", "amount", amount);
      {
        g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);

        met |= plan == beside;
      }
      holo_scheduler_update (scheduler, late, case_report_func, &report);
      while (!g_atomic_int_get (&report.n))
        g_usleep (100);
      g_assert_nonnull (report.message);
      g_assert_nonnull (strstr (report.message, "compile it again"));
      g_free (report.message);
    }
  if (!met)
    g_test_message ("no later plan lay where the first one had");
  case_finish (scheduler);
}

/* A task that cannot be made leaves everything as it was. */
static void
test_setting_that_fails (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (SINGLE, HOLO_DRIVING_THREADS);
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
  g_autoptr (GError) error = NULL;
  HoloTask *task = test_task (plan, "m");

  test_kinds_fail_update (1);
  g_assert_false (holo_scheduler_set_setting_text (scheduler, "m", "amount", "2", &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_FAILED);
  test_kinds_fail_update (0);
  assert_through (scheduler, 1, 2);
  {
    g_autoptr (HoloPlan) after = holo_scheduler_get_plan (scheduler);

    g_assert_true (test_task (after, "m") == task);
  }
  set_text (scheduler, "m", "amount", "2");
  assert_through (scheduler, 1, 3);
  case_finish (scheduler);
}

/* Many setters at once: each gets its answer, and the last word is in force. */
static gpointer
set_all_the_time (gpointer user_data)
{
  for (guint i = 0; i < 50; i++)
    {
      g_autofree gchar *text = g_strdup_printf ("%u", i % 7);

      set_text (user_data, "m", "amount", text);
    }
  return NULL;
}

static void
test_setters_in_threads (void)
{
  g_autoptr (HoloScheduler) scheduler = case_start (SINGLE, HOLO_DRIVING_THREADS);
  GThread *threads[3];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("setter", set_all_the_time, scheduler);
  for (guint i = 0; i < 500; i++)
    {
      gfloat value;

      case_push (scheduler, "in", (gfloat) (10 * i));
      value = case_pull (scheduler, "out") - (gfloat) (10 * i);
      g_assert_true (value >= 0 && value <= 6 && value == (gint) value);
    }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  set_text (scheduler, "m", "amount", "8");
  assert_through (scheduler, 1, 9);
  g_assert_cmpuint (case_statistics (scheduler, "m").execute.calls, ==, 501);
  case_finish (scheduler);
}

/* ---- a window's size ---- */

#define N_ROWS 6000
#define WINDOWS(size)                                                                                                  \
  "src Sequence {\"shape\": [1, 2], \"count\": 6000}\nslow Random {\"max-us\": 20}\n"                                  \
  "batch BatchQueue {\"target_capacity\": 8, \"output_size\": " size "}\n" OUT "src > slow > batch > out\n"

static const guint sizes[] = { 4, 3, 7, 1, 16, 2 };

static void
change_by_update (HoloScheduler *scheduler, guint size)
{
  g_autofree gchar *number = g_strdup_printf ("%u", size);
  g_auto (GStrv) parts = g_strsplit (WINDOWS ("@"), "@", 2);
  g_autofree gchar *text = g_strjoinv (number, parts);

  case_update_and_wait (scheduler, text);
}

static void
change_by_setting (HoloScheduler *scheduler, guint size)
{
  g_autofree gchar *text = g_strdup_printf ("%u", size);

  set_text (scheduler, "batch", "output-size", text);
}

/* Rows of all windows in order; a gap is what a window lacked when it was given up, which is less than one. */
static guint
check_rows (CaseReader *reader, guint *n_lost)
{
  guint n_rows = 0, next = 0;
  gint64 last_size = 0;

  *n_lost = 0;
  for (guint i = 0; i < case_reader_join (reader); i++)
    {
      gint64 size = g_array_index (reader->sizes, gint64, i);
      guint first = (guint) case_reader_get (reader, i);

      g_assert_cmpuint (first, >=, next);
      if (first > next)
        {
          g_assert_cmpint (size, !=, last_size); /* only where the size has changed */
          g_assert_cmpint (first - next, <, last_size);
        }
      *n_lost += first - next;
      next = first + (guint) size;
      n_rows += (guint) size;
      last_size = size;
    }
  *n_lost += N_ROWS - next;
  return n_rows;
}

static void
test_window_size (gconstpointer user_data)
{
  void (*change) (HoloScheduler * scheduler, guint size) = user_data;
  g_autoptr (HoloScheduler) scheduler = case_start (WINDOWS ("5"), HOLO_DRIVING_THREADS);
  g_autoptr (CaseReader) reader = NULL;
  guint n_rows, n_lost, n_windows[G_N_ELEMENTS (sizes)];
  HoloNodeStatistics statistics;

  holo_scheduler_set_drain_limit (scheduler, CASE_SOON * G_USEC_PER_SEC);
  reader = case_reader_new (scheduler, "out");
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      case_reader_wait_for (reader, case_reader_get_n (reader) + 20);
      change (scheduler, sizes[i]);
      n_windows[i] = case_reader_get_n (reader);
    }
  n_rows = check_rows (reader, &n_lost);
  g_assert_cmpint (reader->result, ==, HOLO_OP_EOF);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  statistics = case_statistics (scheduler, "batch");
  g_assert_cmpuint (statistics.push.calls, ==, N_ROWS);
  g_assert_cmpuint (statistics.pop.calls, ==, case_reader_get_n (reader));
  g_assert_cmpuint (n_rows + statistics.discarded, ==, N_ROWS);
  g_assert_cmpuint (statistics.discarded, ==, n_lost);
  /* What was pulled after the change, but for the window that was in the reader's hands, has the new size. */
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (n_windows[i] + 1 < case_reader_get_n (reader))
      g_assert_cmpint (g_array_index (reader->sizes, gint64, n_windows[i] + 1), ==, sizes[i]);
  test_watchdog (0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  case_kinds_register ();
  g_test_add_func ("/holo/live-settings/others-go-on", test_others_go_on);
  g_test_add_func ("/holo/live-settings/staged-changes", test_staged_changes);
  g_test_add_func ("/holo/live-settings/update-of-one-node", test_update_of_one_node);
  g_test_add_func ("/holo/live-settings/spellings", test_spellings);
  g_test_add_func ("/holo/live-settings/second-names", test_second_names);
  g_test_add_func ("/holo/live-settings/at-rest", test_setting_at_rest);
  g_test_add_func ("/holo/live-settings/plan-of-the-past", test_plan_of_the_past);
  g_test_add_func ("/holo/live-settings/one-that-fails", test_setting_that_fails);
  g_test_add_func ("/holo/live-settings/setters-in-threads", test_setters_in_threads);
  g_test_add_data_func ("/holo/live-settings/window-size/update", change_by_update, test_window_size);
  g_test_add_data_func ("/holo/live-settings/window-size/setting", change_by_setting, test_window_size);
  return g_test_run ();
}
