/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "case-frames.h"

#include "test-run.h"

/* ---- runs ---- */

HoloScheduler *
case_start (const gchar *text, HoloDriving driving)
{
  g_autoptr (HoloPlan) plan = test_compile (text, NULL);
  HoloScheduler *scheduler = holo_scheduler_new (plan);

  test_watchdog (12 * CASE_SOON);
  holo_scheduler_set_driving (scheduler, driving);
  test_start (scheduler);
  return scheduler;
}

void
case_finish (HoloScheduler *scheduler)
{
  test_finish (scheduler);
  test_watchdog (0);
}

void
case_wait_for_end (HoloScheduler *scheduler)
{
  g_autoptr (GError) error = NULL;
  gboolean ended = holo_scheduler_wait (scheduler, &error);

  g_assert_no_error (error);
  g_assert_true (ended);
  g_assert_false (holo_scheduler_was_stopped (scheduler));
  test_watchdog (0);
}

HoloNodeStatistics
case_statistics (HoloScheduler *scheduler, const gchar *node)
{
  HoloNodeStatistics statistics;

  test_node_statistics (scheduler, node, &statistics);
  return statistics;
}

void
case_wait_until_popped (HoloScheduler *scheduler, const gchar *node, guint64 n)
{
  TEST_WAIT_UNTIL (case_statistics (scheduler, node).pop.calls >= n, CASE_SOON);
}

/* ---- memory ---- */

static gint n_blocks;

static void
release_block (HoloBlock *block)
{
  gpointer data = block->data;

  holo_block_free (block);
  g_free (data);
  g_atomic_int_add (&n_blocks, -1);
}

static HoloBlock *
new_block (gsize size)
{
  g_atomic_int_inc (&n_blocks);
  return holo_block_new (g_malloc0 (size), size, release_block, NULL);
}

guint
case_get_n_blocks (void)
{
  return (guint) g_atomic_int_get (&n_blocks);
}

HoloBlock *
case_alloc (gsize size, GCancellable *cancellable, gpointer user_data, GError **error)
{
  return new_block (size);
}

void
case_frame_init (HoloFrame *frame, gfloat value)
{
  const gint64 shape[] = { 2 };
  gfloat *data;

  *frame = (HoloFrame) HOLO_FRAME_INIT;
  holo_tensor_desc_init (&frame->desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  frame->block = new_block (2 * sizeof (gfloat));
  data = frame->block->data;
  data[0] = data[1] = value;
}

gfloat
case_frame_get_value (const HoloFrame *frame)
{
  return *(const gfloat *) holo_frame_get_data (frame);
}

/* ---- single frames ---- */

HoloOpResult
case_try_push (HoloEnd *input, gfloat value, GError **error)
{
  HoloOpResult result;
  HoloFrame frame;

  case_frame_init (&frame, value);
  result = holo_end_push (input, &frame, NULL, error);
  /* What is refused stays the caller's. (A frame may be taken, and the caller then be called off from driving it.) */
  if (result == HOLO_OP_OK)
    g_assert_null (frame.block);
  if (result == HOLO_OP_ERROR)
    g_assert_nonnull (frame.block);
  holo_frame_clear (&frame);
  return result;
}

void
case_push (HoloScheduler *scheduler, const gchar *input, gfloat value)
{
  g_autoptr (HoloEnd) end = test_input (scheduler, input);
  g_autoptr (GError) error = NULL;
  HoloOpResult result = case_try_push (end, value, &error);

  g_assert_no_error (error);
  g_assert_cmpint (result, ==, HOLO_OP_OK);
}

gfloat
case_pull (HoloScheduler *scheduler, const gchar *output)
{
  HoloFrame frame = HOLO_FRAME_INIT;
  gfloat value;

  test_pull_from (scheduler, output, &frame);
  value = case_frame_get_value (&frame);
  holo_frame_clear (&frame);
  return value;
}

void
case_assert_pull_gives (HoloScheduler *scheduler, const gchar *output, HoloOpResult expected)
{
  g_autoptr (HoloEnd) end = test_output (scheduler, output);
  g_autoptr (GError) error = NULL;
  HoloFrame frame = HOLO_FRAME_INIT;
  HoloOpResult result = holo_end_pull (end, &frame, NULL, &error);

  g_assert_cmpint (result, ==, expected);
  g_assert_true ((error != NULL) == (expected == HOLO_OP_ERROR));
  g_assert_null (frame.block);
}

void
case_assert_no_frame (HoloScheduler *scheduler, const gchar *output)
{
  g_autoptr (HoloEnd) end = test_output (scheduler, output);
  HoloFrame frame = HOLO_FRAME_INIT;

  g_assert_cmpint (holo_end_try_pull (end, &frame, NULL), ==, HOLO_OP_NOT_READY);
  g_assert_null (frame.block);
}

/* ---- reports ---- */

void
case_report_func (HoloScheduler *scheduler, guint64 n_discarded, const GError *error, gpointer user_data)
{
  CaseReport *report = user_data;

  report->n_discarded = n_discarded;
  report->message = error != NULL ? g_strdup (error->message) : NULL;
  report->time = g_get_monotonic_time ();
  g_atomic_int_inc (&report->n);
}

guint64
case_report_wait (CaseReport *report)
{
  TEST_WAIT_UNTIL (g_atomic_int_get (&report->n) > 0, CASE_SOON);
  g_assert_cmpstr (report->message, ==, NULL);
  g_assert_cmpint (g_atomic_int_get (&report->n), ==, 1);
  return report->n_discarded;
}

void
case_update (HoloScheduler *scheduler, const gchar *text, CaseReport *report)
{
  g_autoptr (HoloPlan) running = holo_scheduler_get_plan (scheduler);
  g_autoptr (HoloGraph) graph = test_graph (text);
  g_autoptr (HoloPlan) next = test_compile_graph (graph, NULL, running);

  *report = (CaseReport){ 0 };
  holo_scheduler_update (scheduler, next, case_report_func, report);
}

guint64
case_update_and_wait (HoloScheduler *scheduler, const gchar *text)
{
  CaseReport report;

  case_update (scheduler, text, &report);
  return case_report_wait (&report);
}

/* ---- readers ---- */

static gpointer
read_frames (gpointer user_data)
{
  CaseReader *reader = user_data;
  HoloFrame frame = HOLO_FRAME_INIT;

  for (;;)
    {
      HoloOpResult result = holo_end_pull (reader->output, &frame, NULL, NULL);
      gfloat value;

      if (result == HOLO_OP_FLUSHED)
        {
          g_usleep (200);
          continue;
        }
      if (result != HOLO_OP_OK)
        {
          reader->result = result;
          return NULL;
        }
      value = case_frame_get_value (&frame);
      g_mutex_lock (&reader->lock);
      g_array_append_val (reader->values, value);
      g_array_append_val (reader->sizes, frame.desc.shape[0]);
      g_mutex_unlock (&reader->lock);
      holo_frame_clear (&frame);
    }
}

CaseReader *
case_reader_new (HoloScheduler *scheduler, const gchar *output)
{
  CaseReader *reader = g_new0 (CaseReader, 1);

  reader->scheduler = scheduler;
  reader->output = test_output (scheduler, output);
  reader->values = g_array_new (FALSE, FALSE, sizeof (gfloat));
  reader->sizes = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_mutex_init (&reader->lock);
  reader->thread = g_thread_new ("reader", read_frames, reader);
  return reader;
}

guint
case_reader_get_n (CaseReader *reader)
{
  guint n;

  g_mutex_lock (&reader->lock);
  n = reader->values->len;
  g_mutex_unlock (&reader->lock);
  return n;
}

gfloat
case_reader_get (CaseReader *reader, guint frame)
{
  gfloat value;

  g_mutex_lock (&reader->lock);
  value = g_array_index (reader->values, gfloat, frame);
  g_mutex_unlock (&reader->lock);
  return value;
}

void
case_reader_wait_for (CaseReader *reader, guint n)
{
  TEST_WAIT_UNTIL (case_reader_get_n (reader) >= n, CASE_SOON);
}

guint
case_reader_join (CaseReader *reader)
{
  if (reader->thread != NULL)
    g_thread_join (g_steal_pointer (&reader->thread));
  return case_reader_get_n (reader);
}

void
case_reader_free (CaseReader *reader)
{
  case_reader_join (reader);
  holo_end_unref (reader->output);
  g_array_unref (reader->values);
  g_array_unref (reader->sizes);
  g_mutex_clear (&reader->lock);
  g_free (reader);
}
