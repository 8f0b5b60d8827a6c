/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changing a graph while it runs: nothing is lost, the old one goes on when the new one cannot be. */
#include <string.h>

#include "test-run.h"

static HoloGraph *
new_passing (const gchar *node, const gchar *capacity)
{
  g_autofree gchar *text =
      g_strdup_printf ("{\"nodes\": {\"in\": {\"type\": \"Input\", \"params\": {\"dtype\": \"F32\", \"shape\": [2]}},"
                       " \"queue\": {\"type\": \"Queue\", \"params\": {\"capacity\": %s}}, \"work\": %s,"
                       " \"out\": {\"type\": \"Output\", \"params\": {}}},"
                       " \"edges\": [{\"from\": \"in\", \"out\": 0, \"to\": \"queue\", \"in\": 0},"
                       " {\"from\": \"queue\", \"out\": 0, \"to\": \"work\", \"in\": 0},"
                       " {\"from\": \"work\", \"out\": 0, \"to\": \"out\", \"in\": 0}]}",
                       capacity, node);
  g_autoptr (GError) error = NULL;
  HoloGraph *graph = holo_graph_new_from_text (text, -1, &error);

  g_assert_no_error (error);
  return graph;
}

#define SQRT     "{\"type\": \"Sqrt\", \"params\": {}}"
#define IDENTITY "{\"type\": \"Abs\", \"params\": {}}"
#define DOUBLE   "{\"type\": \"Conversion\", \"params\": {\"target\": \"F64\"}}"

typedef struct
{
  GMutex lock;
  GCond cond;
  gboolean done;
  guint64 n_discarded;
  gchar *message;
} Report;

static void
on_updated (HoloScheduler *scheduler, guint64 n_discarded, const GError *error, gpointer user_data)
{
  Report *report = user_data;

  g_mutex_lock (&report->lock);
  report->done = TRUE;
  report->n_discarded = n_discarded;
  report->message = error != NULL ? g_strdup (error->message) : NULL;
  g_cond_signal (&report->cond);
  g_mutex_unlock (&report->lock);
}

static void
wait_for_report (Report *report)
{
  g_mutex_lock (&report->lock);
  while (!report->done)
    g_cond_wait (&report->cond, &report->lock);
  g_mutex_unlock (&report->lock);
}

/* The report that all went well, with that many frames lost. */
static void
assert_report (Report *report, guint64 n_discarded)
{
  wait_for_report (report);
  g_assert_cmpstr (report->message, ==, NULL);
  g_assert_cmpuint (report->n_discarded, ==, n_discarded);
}

typedef struct
{
  HoloEnd *input;
  guint n_frames;
  Report *before_last; /* nullable: the last frame goes in after this update */
} Pusher;

static gpointer
push_frames (gpointer user_data)
{
  Pusher *pusher = user_data;
  const gint64 shape[] = { 2 };
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  for (guint i = 0; i < pusher->n_frames; i++)
    {
      g_autoptr (GError) error = NULL;
      HoloFrame frame;

      if (pusher->before_last != NULL && i == pusher->n_frames - 1)
        wait_for_report (pusher->before_last);
      g_assert_true (holo_frame_init_alloc (&frame, &desc, &error));
      ((gfloat *) holo_frame_get_data (&frame))[0] = ((gfloat *) holo_frame_get_data (&frame))[1] = (gfloat) i * i;
      g_assert_cmpint (holo_end_push (pusher->input, &frame, NULL, &error), ==, HOLO_OP_OK);
      g_assert_no_error (error);
    }
  holo_end_push_end (pusher->input, NULL);
  return NULL;
}

static void
assert_plan (HoloScheduler *scheduler, HoloPlan *plan)
{
  g_autoptr (HoloPlan) running = holo_scheduler_get_plan (scheduler);

  g_assert_true (running == plan);
}

static gdouble
read_value (const HoloFrame *frame)
{
  return frame->desc.dtype == HOLO_DTYPE_F64 ? *(gdouble *) holo_frame_get_data (frame)
                                             : (gdouble) * (gfloat *) holo_frame_get_data (frame);
}

/* Takes all frames; asks for an update to @graph once @update_at have come. Every frame is there, in order, and has gone
 * through the old or the new task. */
static void
run_with_update (HoloGraph *first, HoloGraph *second, guint n_frames, guint update_at, HoloDriving driving)
{
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloPlan) plan = holo_compiler_compile (compiler, first, NULL, &error);
  g_autoptr (HoloScheduler) scheduler = NULL;
  g_autoptr (HoloEnd) in = NULL;
  g_autoptr (HoloEnd) out = NULL;
  Report report = { 0 };
  Pusher pusher;
  GThread *thread;
  guint n = 0, n_new = 0;
  HoloNodeStatistics statistics;
  HoloFrame frame;

  g_assert_no_error (error);
  scheduler = holo_scheduler_new (plan);
  in = test_input (scheduler, "in");
  out = test_output (scheduler, "out"); /* the same in both graphs */
  holo_scheduler_set_driving (scheduler, driving);
  holo_scheduler_set_drain_limit (scheduler, 10 * G_USEC_PER_SEC); /* however slow this machine is */
  g_assert_true (holo_scheduler_start (scheduler, &error));
  pusher = (Pusher){ in, n_frames, &report };
  thread = g_thread_new ("pusher", push_frames, &pusher);
  while (holo_end_pull (out, &frame, NULL, &error) == HOLO_OP_OK)
    {
      gdouble old_value = n, new_value = (gdouble) n * n, value = read_value (&frame);

      g_assert_true (value == old_value || value == new_value);
      g_assert_cmpuint (frame.stamp.seq, ==, n);
      n_new += value == new_value && n > 1;
      /* Once the new task is at work the old one never comes back. */
      if (n > 1 && n_new > 0)
        g_assert_cmpfloat (value, ==, new_value);
      holo_frame_clear (&frame);
      if (++n == update_at)
        {
          g_autoptr (HoloPlan) next = holo_compiler_compile (compiler, second, plan, &error);

          g_assert_no_error (error);
          holo_scheduler_update (scheduler, next, on_updated, &report);
        }
    }
  g_assert_no_error (error);
  g_assert_cmpuint (n, ==, n_frames);
  assert_report (&report, 0);
  g_thread_join (thread);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (n_new, >, 0);

  /* Numbers count from the start of the run, not from the update. */
  test_node_statistics (scheduler, "work", &statistics);
  g_assert_cmpuint (statistics.execute.calls, ==, n_frames);
  test_node_statistics (scheduler, "queue", &statistics);
  g_assert_cmpuint (statistics.push.calls, ==, n_frames);
  g_assert_cmpuint (statistics.pop.calls, ==, n_frames);
}

static void
test_new_task (gconstpointer user_data)
{
  g_autoptr (HoloGraph) first = new_passing (SQRT, "4"), second = new_passing (IDENTITY, "4");

  for (guint at = 1; at < 40; at += 3)
    run_with_update (first, second, 400, at, (HoloDriving) GPOINTER_TO_INT (user_data));
}

static void
test_new_type (gconstpointer user_data)
{
  g_autoptr (HoloGraph) first = new_passing (SQRT, "4"), second = new_passing (DOUBLE, "9");

  for (guint at = 1; at < 40; at += 3)
    run_with_update (first, second, 400, at, (HoloDriving) GPOINTER_TO_INT (user_data));
}

/* The plan must fit the one that runs; otherwise the report says so and nothing changes. */
static void
test_foreign_plan_is_refused (void)
{
  g_autoptr (HoloGraph) graph = new_passing (SQRT, "4");
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloPlan) plan = holo_compiler_compile (compiler, graph, NULL, &error);
  g_autoptr (HoloPlan) foreign = holo_compiler_compile (compiler, graph, NULL, &error);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  Report report = { 0 };

  g_assert_true (holo_scheduler_start (scheduler, &error));
  holo_scheduler_update (scheduler, foreign, on_updated, &report);
  wait_for_report (&report);
  g_assert_nonnull (report.message);
  g_assert_true (strstr (report.message, "compile it again") != NULL);
  assert_plan (scheduler, plan);
  g_free (report.message);
  holo_scheduler_stop (scheduler);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
}

/* A compilation that fails leaves the running plan as it was, staged changes included. */
static void
test_failed_compilation_changes_nothing (void)
{
  g_autoptr (HoloGraph) first = new_passing (SQRT, "4");
  g_autoptr (HoloGraph) bad = new_passing ("{\"type\": \"FFT2\", \"params\": {}}", "7");
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloPlan) plan = holo_compiler_compile (compiler, first, NULL, &error);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloEnd) in = test_input (scheduler, "in");
  g_autoptr (HoloEnd) out = test_output (scheduler, "out");
  Pusher pusher = { in, 50, NULL };
  GThread *thread;
  HoloFrame frame;
  guint n = 0;

  g_assert_true (holo_scheduler_start (scheduler, &error));
  g_assert_null (holo_compiler_compile (compiler, bad, plan, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE);
  g_clear_error (&error);
  thread = g_thread_new ("pusher", push_frames, &pusher);
  for (; holo_end_pull (out, &frame, NULL, &error) == HOLO_OP_OK; n++)
    {
      g_assert_cmpfloat (read_value (&frame), ==, n);
      holo_frame_clear (&frame);
    }
  g_assert_cmpuint (n, ==, 50);
  g_thread_join (thread);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
}

/* The queue grows while it holds frames, and holds them still. The update does not wait for somebody to take them. */
static void
test_live_setting_keeps_contents (void)
{
  g_autoptr (HoloGraph) first = new_passing (SQRT, "3"), second = new_passing (SQRT, "8");
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloPlan) plan = holo_compiler_compile (compiler, first, NULL, &error);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloPlan) next = NULL;
  g_autoptr (HoloEnd) in = test_input (scheduler, "in");
  g_autoptr (HoloEnd) out = test_output (scheduler, "out");
  Pusher pusher = { in, 3, NULL };
  Report report = { 0 };
  HoloFrame frame;
  guint n = 0;

  g_assert_true (holo_scheduler_start (scheduler, &error));
  push_frames (&pusher); /* nobody pulls: the frames rest inside */
  next = holo_compiler_compile (compiler, second, plan, &error);
  g_assert_no_error (error);
  g_assert_true (test_task (next, "queue") == test_task (plan, "queue"));
  holo_scheduler_update (scheduler, next, on_updated, &report);
  assert_report (&report, 0);
  for (; holo_end_pull (out, &frame, NULL, &error) == HOLO_OP_OK; n++)
    {
      g_assert_cmpfloat (read_value (&frame), ==, n);
      holo_frame_clear (&frame);
    }
  g_assert_cmpuint (n, ==, 3);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
}

/* A stop in the middle of an update drops what is under way, but not the wish for the new plan. */
static void
check_stop_during_update (const gchar *node, guint n_frames)
{
  g_autoptr (HoloGraph) first = new_passing (SQRT, "3"), second = new_passing (node, "8");

  for (guint round = 0; round < 50; round++)
    {
      g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (HoloPlan) plan = holo_compiler_compile (compiler, first, NULL, &error);
      g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
      g_autoptr (HoloPlan) next = NULL;
      g_autoptr (HoloEnd) in = test_input (scheduler, "in");
      Pusher pusher = { in, n_frames, NULL };
      Report report = { 0 };

      g_assert_true (holo_scheduler_start (scheduler, &error));
      if (n_frames > 0)
        push_frames (&pusher);
      next = holo_compiler_compile (compiler, second, plan, &error);
      holo_scheduler_update (scheduler, next, on_updated, &report);
      if (round % 2)
        g_thread_yield ();
      holo_scheduler_stop (scheduler);
      g_assert_true (holo_scheduler_wait (scheduler, &error));
      g_assert_no_error (error);
      assert_plan (scheduler, next);
      wait_for_report (&report);
      g_assert_cmpstr (report.message, ==, NULL);
    }
}

static void
test_stop_during_update (void)
{
  check_stop_during_update (DOUBLE, 3);
}

static void
test_stop_during_live_setting (void)
{
  check_stop_during_update (SQRT, 0);
}

static HoloGraph *
new_collecting (const gchar *queue)
{
  g_autofree gchar *text =
      g_strdup_printf ("{\"nodes\": {\"in\": {\"type\": \"Input\", \"params\": {\"dtype\": \"F32\", \"shape\": [2]}},"
                       " \"%s\": {\"type\": \"TestQueue\", \"params\": {\"capacity\": 4}},"
                       " \"sink\": {\"type\": \"HistoryCollect\", \"params\": {}}},"
                       " \"edges\": [{\"from\": \"in\", \"out\": 0, \"to\": \"%s\", \"in\": 0},"
                       " {\"from\": \"%s\", \"out\": 0, \"to\": \"sink\", \"in\": 0}]}",
                       queue, queue, queue);
  g_autoptr (GError) error = NULL;
  HoloGraph *graph = holo_graph_new_from_text (text, -1, &error);

  g_assert_no_error (error);
  return graph;
}

static gpointer
drive (gpointer section)
{
  while (holo_section_iterate (section, NULL, NULL) == HOLO_OP_OK)
    ;
  return NULL;
}

/* What a queue that goes still holds is passed on first, by whoever drives its reader; here that is the end of the run.
 * If nobody drives, the frames are lost after the drain limit, and counted. The new plan is there for the next run. */
static void
test_update_that_ends_the_run (gconstpointer user_data)
{
  gboolean driven = GPOINTER_TO_INT (user_data);
  g_autoptr (HoloGraph) first = new_collecting ("queue"), second = new_collecting ("other");
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (test_kinds_get_registry ());
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloPlan) plan = holo_compiler_compile (compiler, first, NULL, &error);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloPlan) next = holo_compiler_compile (compiler, second, plan, &error);
  g_autoptr (HoloEnd) in = test_input (scheduler, "in");
  g_autoptr (HoloSection) reader = holo_scheduler_get_section (scheduler, (guint) test_section (plan, "queue", TRUE));
  HoloTask *sink = test_task (plan, "sink");
  Pusher pusher = { in, 3, NULL };
  Report report = { 0 };
  GThread *thread = NULL;

  g_assert_no_error (error);
  test_watchdog (30);
  holo_scheduler_set_driving (scheduler, HOLO_DRIVING_CALLER);
  if (driven)
    holo_scheduler_set_drain_limit (scheduler, 10 * G_USEC_PER_SEC); /* however slow this machine is */
  g_assert_true (holo_scheduler_start (scheduler, &error));
  push_frames (&pusher);
  g_assert_cmpuint (test_collect_get_n_frames (sink), ==, 0);
  holo_scheduler_update (scheduler, next, on_updated, &report);
  if (driven)
    thread = g_thread_new ("driver", drive, reader);
  assert_report (&report, driven ? 0 : 3);
  if (driven)
    g_thread_join (thread);
  else
    g_assert_cmpint (holo_section_iterate (reader, NULL, &error), ==, HOLO_OP_EOF);
  g_assert_no_error (error);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
  g_assert_cmpuint (test_collect_get_n_frames (sink), ==, driven ? 3 : 0);
  assert_plan (scheduler, next);
  g_assert_true (holo_scheduler_start (scheduler, &error));
  push_frames (&pusher);
  holo_scheduler_stop (scheduler);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
  test_watchdog (0);
}

/* A task holds one change that is on its way; the next one is refused until that is over, and taken then. */
static void
test_second_change (void)
{
  g_autoptr (HoloGraph) first = new_passing (SQRT, "3"), second = new_passing (SQRT, "8"),
                        third = new_passing (SQRT, "9");
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloPlan) plan = holo_compiler_compile (compiler, first, NULL, &error);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  HoloPlan *next = holo_compiler_compile (compiler, second, plan, &error), *last;
  Report report = { 0 };

  g_assert_no_error (error);
  g_assert_null (holo_compiler_compile (compiler, third, plan, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
  g_assert_true (strstr (error->message, "still on its way") != NULL);
  g_clear_error (&error);
  g_assert_null (holo_compiler_compile (compiler, third, next, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
  g_clear_error (&error);

  g_assert_true (holo_scheduler_start (scheduler, &error));
  holo_scheduler_update (scheduler, next, on_updated, &report);
  wait_for_report (&report);
  last = holo_compiler_compile (compiler, third, next, &error);
  g_assert_no_error (error);
  holo_plan_unref (last); /* never used: the way is free again */
  last = holo_compiler_compile (compiler, third, next, &error);
  g_assert_no_error (error);
  holo_plan_unref (last);
  holo_plan_unref (next);
  holo_scheduler_stop (scheduler);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/holo/update/new-task/threads", GINT_TO_POINTER (HOLO_DRIVING_THREADS), test_new_task);
  g_test_add_data_func ("/holo/update/new-task/caller-driven", GINT_TO_POINTER (HOLO_DRIVING_INPUTS), test_new_task);
  g_test_add_data_func ("/holo/update/new-type/threads", GINT_TO_POINTER (HOLO_DRIVING_THREADS), test_new_type);
  g_test_add_data_func ("/holo/update/new-type/caller-driven", GINT_TO_POINTER (HOLO_DRIVING_INPUTS), test_new_type);
  g_test_add_func ("/holo/update/foreign-plan-is-refused", test_foreign_plan_is_refused);
  g_test_add_func ("/holo/update/failed-compilation-changes-nothing", test_failed_compilation_changes_nothing);
  g_test_add_func ("/holo/update/live-setting-keeps-contents", test_live_setting_keeps_contents);
  g_test_add_func ("/holo/update/stop-during-update", test_stop_during_update);
  g_test_add_data_func ("/holo/update/ends-the-run/driven", GINT_TO_POINTER (TRUE), test_update_that_ends_the_run);
  g_test_add_data_func ("/holo/update/ends-the-run/left-alone", GINT_TO_POINTER (FALSE), test_update_that_ends_the_run);
  g_test_add_func ("/holo/update/stop-during-live-setting", test_stop_during_live_setting);
  g_test_add_func ("/holo/update/second-change", test_second_change);
  return g_test_run ();
}
