/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input, Queue and Output: what an application pushes comes out, by reference, in order, with and without threads. */
#include "test-run.h"

static HoloPlan *
compile (const gchar *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloGraph) graph = holo_graph_new_from_text (text, -1, &error);
  g_autoptr (HoloCompiler) compiler = NULL;
  HoloPlan *plan;

  g_assert_no_error (error);
  compiler = holo_compiler_new (NULL);
  plan = holo_compiler_compile (compiler, graph, NULL, &error);
  g_assert_no_error (error);
  return plan;
}

static const gchar *const through_queue =
    "{\"nodes\": {\"in\": {\"type\": \"Input\", \"params\": {\"dtype\": \"F32\", \"shape\": [4]}},"
    " \"queue\": {\"type\": \"Queue\", \"params\": {\"capacity\": 3}}, \"out\": {\"type\": \"Output\", \"params\": {}}},"
    " \"edges\": [{\"from\": \"in\", \"out\": 0, \"to\": \"queue\", \"in\": 0},"
    " {\"from\": \"queue\", \"out\": 0, \"to\": \"out\", \"in\": 0}]}";

typedef struct
{
  HoloEnd *input;
  guint n_frames;
  gpointer *data; /* addresses in the order of pushing */
} Pusher;

static gpointer
push_frames (gpointer user_data)
{
  Pusher *pusher = user_data;
  g_autoptr (GError) error = NULL;
  const gint64 shape[] = { 4 };
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  for (guint i = 0; i < pusher->n_frames; i++)
    {
      HoloFrame frame;

      holo_frame_init_alloc (&frame, &desc, &error);
      g_assert_no_error (error);
      *(gfloat *) holo_frame_get_data (&frame) = (gfloat) i;
      pusher->data[i] = holo_frame_get_data (&frame);
      g_assert_cmpint (holo_end_push (pusher->input, &frame, NULL, &error), ==, HOLO_OP_OK);
      g_assert_no_error (error);
    }
  holo_end_push_end (pusher->input, &error);
  g_assert_no_error (error);
  return NULL;
}

static void
test_passes_by_reference (gconstpointer user_data)
{
  g_autoptr (HoloPlan) plan = compile (through_queue);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloEnd) in = test_input (scheduler, "in");
  g_autoptr (HoloEnd) out = test_output (scheduler, "out");
  g_autoptr (GError) error = NULL;
  enum
  {
    N = 500
  };
  gpointer data[N];
  Pusher pusher = { in, N, data };
  guint n = 0;

  g_assert_true (holo_end_is_input (in));
  g_assert_false (holo_end_is_input (out));
  g_assert_cmpstr (holo_end_get_name (out), ==, "out");
  holo_scheduler_set_driving (scheduler, (HoloDriving) GPOINTER_TO_INT (user_data));
  for (guint round = 0; round < 3; round++)
    {
      GThread *thread;
      HoloOpResult result;
      HoloFrame frame;

      g_assert_true (holo_scheduler_start (scheduler, &error));
      g_assert_no_error (error);
      thread = g_thread_new ("pusher", push_frames, &pusher);
      for (n = 0; (result = holo_end_pull (out, &frame, NULL, &error)) == HOLO_OP_OK; n++)
        {
          g_assert_cmpfloat (*(gfloat *) holo_frame_get_data (&frame), ==, (gfloat) n);
          g_assert_true (holo_frame_get_data (&frame) == data[n]);
          g_assert_cmpuint (frame.stamp.seq, ==, n);
          holo_frame_clear (&frame);
        }
      g_assert_no_error (error);
      g_assert_cmpint (result, ==, HOLO_OP_EOF);
      g_assert_cmpuint (n, ==, N);
      g_thread_join (thread);
      g_assert_true (holo_scheduler_wait (scheduler, &error));
      g_assert_no_error (error);
    }
  g_assert_cmpuint (holo_plan_get_n_copies (plan), ==, 0);
}

/* ---- an Output that nobody reads ---- */

#define SOURCE "{\"nodes\": {\"in\": {\"type\": \"Sequence\", \"params\": {\"shape\": [4]}}, "
#define QUEUE  "\"q\": {\"type\": \"Queue\", \"params\": {}}, "
#define DIRECT "\"edges\": [{\"from\": \"in\", \"out\": 0, \"to\": \"%s\", \"in\": 0}]}"
#define QUEUED                                                                                                         \
  "\"edges\": [{\"from\": \"in\", \"out\": 0, \"to\": \"q\", \"in\": 0}, {\"from\": \"q\", \"out\": 0, \"to\": "       \
  "\"%s\", \"in\": 0}]}"

static gint n_reports[4]; /* by the digit in the Output's name */

static GLogWriterOutput
count_reports (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer user_data)
{
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "MESSAGE") &&
        strstr (fields[i].value, "held its first frame for 5 seconds") != NULL)
      {
        const gchar *name = strstr (fields[i].value, "\"out-");

        g_assert_nonnull (name);
        g_atomic_int_inc (&n_reports[name[5] - '0']);
      }
  return G_LOG_WRITER_HANDLED;
}

/* @name: of the Output; @queued: with a Queue before it, whose section only forwards. */
static HoloScheduler *
start_without_reader (const gchar *source, const gchar *name, gboolean queued, HoloDriving driving)
{
  g_autofree gchar *format = g_strconcat (
      source, queued ? QUEUE : "", "\"%s\": {\"type\": \"Output\", \"params\": {}}}, ", queued ? QUEUED : DIRECT, NULL);
  g_auto (GStrv) parts = g_strsplit (format, "%s", -1);
  g_autofree gchar *text = g_strjoinv (name, parts);
  g_autoptr (HoloPlan) plan = compile (text);
  g_autoptr (GError) error = NULL;
  HoloScheduler *scheduler = holo_scheduler_new (plan);

  holo_scheduler_set_driving (scheduler, driving);
  g_assert_true (holo_scheduler_start (scheduler, &error));
  g_assert_no_error (error);
  return scheduler;
}

static void
pull_one (HoloScheduler *scheduler, const gchar *name)
{
  g_autoptr (HoloEnd) output = holo_scheduler_get_output (scheduler, name, NULL);
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

  g_assert_cmpint (holo_end_pull (output, &frame, NULL, NULL), ==, HOLO_OP_OK);
}

static gpointer
push_until_stopped (gpointer scheduler)
{
  g_autoptr (HoloEnd) input = holo_scheduler_get_input (scheduler, "in", NULL);
  HoloTensorDesc desc;
  HoloOpResult result = HOLO_OP_OK;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, (const gint64[]){ 4 });
  while (result == HOLO_OP_OK)
    {
      g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

      g_assert_true (holo_frame_init_alloc (&frame, &desc, NULL));
      result = holo_end_push (input, &frame, NULL, NULL);
    }
  return NULL;
}

/* Each is named once per run; one that was read from before never is. */
static void
test_no_reader (void)
{
  static const gchar input[] =
      "{\"nodes\": {\"in\": {\"type\": \"Input\", \"params\": {\"dtype\": \"F32\", \"shape\": [4]}}, ";
  HoloScheduler *schedulers[4];
  GThread *pusher;

  g_log_set_writer_func (count_reports, NULL, NULL);
  schedulers[0] = start_without_reader (SOURCE, "out-0", FALSE, HOLO_DRIVING_THREADS);
  schedulers[1] = start_without_reader (SOURCE, "out-1", TRUE, HOLO_DRIVING_THREADS);
  schedulers[2] = start_without_reader (input, "out-2", FALSE, HOLO_DRIVING_INPUTS);
  schedulers[3] = start_without_reader (SOURCE, "out-3", FALSE, HOLO_DRIVING_THREADS);
  pusher = g_thread_new ("pusher", push_until_stopped, schedulers[2]);
  pull_one (schedulers[3], "out-3");
  g_usleep (4 * G_USEC_PER_SEC);
  for (guint i = 0; i < G_N_ELEMENTS (schedulers); i++)
    g_assert_cmpint (g_atomic_int_get (&n_reports[i]), ==, 0);
  g_usleep (3 * G_USEC_PER_SEC);
  holo_scheduler_stop (schedulers[0]);
  holo_scheduler_wait (schedulers[0], NULL);
  g_assert_true (holo_scheduler_start (schedulers[0], NULL));
  g_usleep (7 * G_USEC_PER_SEC);
  for (guint i = 0; i < G_N_ELEMENTS (schedulers); i++)
    holo_scheduler_stop (schedulers[i]);
  g_thread_join (pusher);
  for (guint i = 0; i < G_N_ELEMENTS (schedulers); i++)
    {
      static const gint expected[] = { 2, 1, 1, 0 };

      holo_scheduler_wait (schedulers[i], NULL);
      g_assert_cmpint (g_atomic_int_get (&n_reports[i]), ==, expected[i]);
      g_object_unref (schedulers[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/holo/ends/passes-by-reference/threads", GINT_TO_POINTER (HOLO_DRIVING_THREADS),
                        test_passes_by_reference);
  g_test_add_data_func ("/holo/ends/passes-by-reference/caller-driven", GINT_TO_POINTER (HOLO_DRIVING_INPUTS),
                        test_passes_by_reference);
  g_test_add_func ("/holo/ends/no-reader", test_no_reader); /* last: it takes over the log */
  return g_test_run ();
}
