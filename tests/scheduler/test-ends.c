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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/holo/ends/passes-by-reference/threads", GINT_TO_POINTER (HOLO_DRIVING_THREADS),
                        test_passes_by_reference);
  g_test_add_data_func ("/holo/ends/passes-by-reference/caller-driven", GINT_TO_POINTER (HOLO_DRIVING_INPUTS),
                        test_passes_by_reference);
  return g_test_run ();
}
