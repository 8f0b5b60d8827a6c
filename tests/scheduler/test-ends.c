/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input, Queue and Output: what an application pushes comes out, by reference, in order, with and without threads. */
#include <holoflow/holoflow.h>

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

static guint
find (HoloPlan *plan, const gchar *name)
{
  guint index = 0;

  g_assert_true (holo_plan_find_node (plan, name, &index));
  return index;
}

static const gchar *const through_queue
  = "{\"nodes\": {\"in\": {\"type\": \"Input\", \"params\": {\"dtype\": \"F32\", \"shape\": [4]}},"
    " \"queue\": {\"type\": \"Queue\", \"params\": {\"capacity\": 3}}, \"out\": {\"type\": \"Output\", \"params\": {}}},"
    " \"edges\": [{\"from\": \"in\", \"out\": 0, \"to\": \"queue\", \"in\": 0},"
    " {\"from\": \"queue\", \"out\": 0, \"to\": \"out\", \"in\": 0}]}";

typedef struct
{
  HoloScheduler *scheduler;
  guint input;
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
      g_assert_cmpint (holo_scheduler_push (pusher->scheduler, pusher->input, &frame, NULL, &error), ==, HOLO_OP_OK);
      g_assert_no_error (error);
    }
  holo_scheduler_push_end (pusher->scheduler, pusher->input, &error);
  g_assert_no_error (error);
  return NULL;
}

static void
test_passes_by_reference (gconstpointer user_data)
{
  gboolean caller_driven = GPOINTER_TO_INT (user_data);
  g_autoptr (HoloPlan) plan = compile (through_queue);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (GError) error = NULL;
  enum { N = 500 };
  gpointer data[N];
  Pusher pusher = { scheduler, find (plan, "in"), N, data };
  guint n = 0;

  holo_scheduler_set_inputs_caller_driven (scheduler, caller_driven);
  for (guint round = 0; round < 3; round++)
    {
      GThread *thread;
      HoloOpResult result;
      HoloFrame frame;

      g_assert_true (holo_scheduler_start (scheduler, &error));
      g_assert_no_error (error);
      thread = g_thread_new ("pusher", push_frames, &pusher);
      for (n = 0; (result = holo_scheduler_pull (scheduler, find (plan, "out"), &frame, NULL, &error)) == HOLO_OP_OK; n++)
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
  g_test_add_data_func ("/holo/ends/passes-by-reference/threads", GINT_TO_POINTER (FALSE), test_passes_by_reference);
  g_test_add_data_func ("/holo/ends/passes-by-reference/caller-driven", GINT_TO_POINTER (TRUE),
                        test_passes_by_reference);
  return g_test_run ();
}
