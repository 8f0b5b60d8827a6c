/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changing a graph while it runs: nothing is lost, the old one goes on when the new one cannot be. */
#include <string.h>

#include "test-kinds.h"

static HoloGraph *
new_passing (const gchar *node, const gchar *capacity)
{
  g_autofree gchar *text = g_strdup_printf (
    "{\"nodes\": {\"in\": {\"type\": \"Input\", \"params\": {\"dtype\": \"F32\", \"shape\": [2]}},"
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

#define SQRT "{\"type\": \"Sqrt\", \"params\": {}}"
#define IDENTITY "{\"type\": \"Abs\", \"params\": {}}"
#define DOUBLE "{\"type\": \"Conversion\", \"params\": {\"target\": \"F64\"}}"

typedef struct
{
  GMutex lock;
  GCond cond;
  gboolean done;
  gchar *message;
} Report;

static void
on_updated (HoloScheduler *scheduler, const GError *error, gpointer user_data)
{
  Report *report = user_data;

  g_mutex_lock (&report->lock);
  report->done = TRUE;
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

typedef struct
{
  HoloScheduler *scheduler;
  guint input;
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
      g_assert_cmpint (holo_scheduler_push (pusher->scheduler, pusher->input, &frame, NULL, &error), ==, HOLO_OP_OK);
      g_assert_no_error (error);
    }
  holo_scheduler_push_end (pusher->scheduler, pusher->input, NULL);
  return NULL;
}

static guint
find (HoloScheduler *scheduler, const gchar *name)
{
  guint index = 0;

  g_assert_true (holo_plan_find_node (holo_scheduler_get_plan (scheduler), name, &index));
  return index;
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
run_with_update (HoloGraph *first, HoloGraph *second, guint n_frames, guint update_at, gboolean caller_driven)
{
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloPlan) plan = holo_compiler_compile (compiler, first, NULL, &error);
  g_autoptr (HoloScheduler) scheduler = NULL;
  Report report = { 0 };
  Pusher pusher;
  GThread *thread;
  guint n = 0, n_new = 0, out;
  HoloNodeStatistics statistics;
  HoloFrame frame;

  g_assert_no_error (error);
  scheduler = holo_scheduler_new (plan);
  holo_scheduler_set_inputs_caller_driven (scheduler, caller_driven);
  g_assert_true (holo_scheduler_start (scheduler, &error));
  pusher = (Pusher){ scheduler, find (scheduler, "in"), n_frames, &report };
  out = find (scheduler, "out"); /* the same in both graphs */
  thread = g_thread_new ("pusher", push_frames, &pusher);
  while (holo_scheduler_pull (scheduler, out, &frame, NULL, &error) == HOLO_OP_OK)
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
          g_autoptr (HoloPlan) next
            = holo_compiler_compile (compiler, second, holo_scheduler_get_plan (scheduler), &error);

          g_assert_no_error (error);
          holo_scheduler_update (scheduler, next, on_updated, &report);
        }
    }
  g_assert_no_error (error);
  g_assert_cmpuint (n, ==, n_frames);
  wait_for_report (&report);
  g_assert_null (report.message);
  g_thread_join (thread);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (n_new, >, 0);

  /* Numbers count from the start of the run, not from the update. */
  g_assert_true (holo_scheduler_get_node_statistics (scheduler, find (scheduler, "work"), &statistics));
  g_assert_cmpuint (statistics.execute.calls, ==, n_frames);
  g_assert_true (holo_scheduler_get_node_statistics (scheduler, find (scheduler, "queue"), &statistics));
  g_assert_cmpuint (statistics.push.calls, ==, n_frames);
  g_assert_cmpuint (statistics.pop.calls, ==, n_frames);
}

static void
test_new_task (gconstpointer user_data)
{
  g_autoptr (HoloGraph) first = new_passing (SQRT, "4"), second = new_passing (IDENTITY, "4");

  for (guint at = 1; at < 40; at += 3)
    run_with_update (first, second, 400, at, GPOINTER_TO_INT (user_data));
}

static void
test_new_type (gconstpointer user_data)
{
  g_autoptr (HoloGraph) first = new_passing (SQRT, "4"), second = new_passing (DOUBLE, "9");

  for (guint at = 1; at < 40; at += 3)
    run_with_update (first, second, 400, at, GPOINTER_TO_INT (user_data));
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
  g_assert_true (holo_scheduler_get_plan (scheduler) == plan);
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
  Pusher pusher;
  GThread *thread;
  HoloFrame frame;
  guint n = 0;

  g_assert_true (holo_scheduler_start (scheduler, &error));
  g_assert_null (holo_compiler_compile (compiler, bad, plan, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE);
  g_clear_error (&error);
  pusher = (Pusher){ scheduler, find (scheduler, "in"), 50, NULL };
  thread = g_thread_new ("pusher", push_frames, &pusher);
  for (; holo_scheduler_pull (scheduler, find (scheduler, "out"), &frame, NULL, &error) == HOLO_OP_OK; n++)
    {
      g_assert_cmpfloat (read_value (&frame), ==, n);
      holo_frame_clear (&frame);
    }
  g_assert_cmpuint (n, ==, 50);
  g_thread_join (thread);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
}

/* The queue grows while it holds frames, and holds them still. */
static void
test_live_setting_keeps_contents (void)
{
  g_autoptr (HoloGraph) first = new_passing (SQRT, "3"), second = new_passing (SQRT, "8");
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloPlan) plan = holo_compiler_compile (compiler, first, NULL, &error);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloPlan) next = NULL;
  Report report = { 0 };
  Pusher pusher;
  HoloFrame frame;
  guint n = 0, out;

  g_assert_true (holo_scheduler_start (scheduler, &error));
  pusher = (Pusher){ scheduler, find (scheduler, "in"), 3, NULL };
  push_frames (&pusher); /* nobody pulls: the frames rest inside */
  next = holo_compiler_compile (compiler, second, plan, &error);
  g_assert_no_error (error);
  g_assert_true (holo_plan_get_node_task (next, find (scheduler, "queue"))
                 == holo_plan_get_node_task (plan, find (scheduler, "queue")));
  out = find (scheduler, "out");
  holo_scheduler_update (scheduler, next, on_updated, &report);
  /* The frame that waits in the Output holds its section up until it is taken. */
  for (; holo_scheduler_pull (scheduler, out, &frame, NULL, &error) == HOLO_OP_OK; n++)
    {
      g_assert_cmpfloat (read_value (&frame), ==, n);
      holo_frame_clear (&frame);
    }
  g_assert_cmpuint (n, ==, 3);
  wait_for_report (&report);
  g_assert_null (report.message);
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
      Report report = { 0 };
      Pusher pusher;

      g_assert_true (holo_scheduler_start (scheduler, &error));
      pusher = (Pusher){ scheduler, find (scheduler, "in"), n_frames, NULL };
      if (n_frames > 0)
        push_frames (&pusher);
      next = holo_compiler_compile (compiler, second, plan, &error);
      holo_scheduler_update (scheduler, next, on_updated, &report);
      if (round % 2)
        g_thread_yield ();
      holo_scheduler_stop (scheduler);
      g_assert_true (holo_scheduler_wait (scheduler, &error));
      g_assert_no_error (error);
      g_assert_true (holo_scheduler_get_plan (scheduler) == next);
      wait_for_report (&report);
      g_free (report.message);
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
  g_autofree gchar *text
    = g_strdup_printf ("{\"nodes\": {\"in\": {\"type\": \"Input\", \"params\": {\"dtype\": \"F32\", \"shape\": [2]}},"
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

/* What a queue that goes still holds is passed on by the update itself; here that is the end of the run. The new plan is
 * there for the next one all the same. */
static void
test_update_that_ends_the_run (void)
{
  g_autoptr (HoloGraph) first = new_collecting ("queue"), second = new_collecting ("other");
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (test_kinds_get_registry ());
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloPlan) plan = holo_compiler_compile (compiler, first, NULL, &error);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloPlan) next = holo_compiler_compile (compiler, second, plan, &error);
  HoloTask *sink = holo_plan_get_node_task (plan, find (scheduler, "sink"));
  Report report = { 0 };
  Pusher pusher;

  g_assert_no_error (error);
  for (guint i = 0; i < holo_plan_get_n_sections (plan); i++)
    holo_scheduler_set_caller_driven (scheduler, i, TRUE);
  g_assert_true (holo_scheduler_start (scheduler, &error));
  pusher = (Pusher){ scheduler, find (scheduler, "in"), 3, NULL };
  push_frames (&pusher);
  g_assert_cmpuint (test_collect_get_n_frames (sink), ==, 0);
  holo_scheduler_update (scheduler, next, on_updated, &report);
  wait_for_report (&report);
  g_assert_null (report.message);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
  g_assert_cmpuint (test_collect_get_n_frames (sink), ==, 3);
  g_assert_true (holo_scheduler_get_plan (scheduler) == next);
  g_assert_true (holo_scheduler_start (scheduler, &error));
  pusher.input = find (scheduler, "in");
  push_frames (&pusher);
  holo_scheduler_stop (scheduler);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
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
  g_test_add_data_func ("/holo/update/new-task/threads", GINT_TO_POINTER (FALSE), test_new_task);
  g_test_add_data_func ("/holo/update/new-task/caller-driven", GINT_TO_POINTER (TRUE), test_new_task);
  g_test_add_data_func ("/holo/update/new-type/threads", GINT_TO_POINTER (FALSE), test_new_type);
  g_test_add_data_func ("/holo/update/new-type/caller-driven", GINT_TO_POINTER (TRUE), test_new_type);
  g_test_add_func ("/holo/update/foreign-plan-is-refused", test_foreign_plan_is_refused);
  g_test_add_func ("/holo/update/failed-compilation-changes-nothing", test_failed_compilation_changes_nothing);
  g_test_add_func ("/holo/update/live-setting-keeps-contents", test_live_setting_keeps_contents);
  g_test_add_func ("/holo/update/stop-during-update", test_stop_during_update);
  g_test_add_func ("/holo/update/ends-the-run", test_update_that_ends_the_run);
  g_test_add_func ("/holo/update/stop-during-live-setting", test_stop_during_live_setting);
  g_test_add_func ("/holo/update/second-change", test_second_change);
  return g_test_run ();
}
