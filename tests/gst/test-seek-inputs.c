/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One element, two inputs, one seek: each source flushes in its own time, and what comes of it downstream is one flush,
 * after which the first frames of both meet. */
#include "gst-test.h"
#include "host-test.h"

#define OLD_VALUE 1000

/* ---- sources that can be sought ---- */

typedef enum
{
  AT_ONCE,   /* flush start and stop, then the other source hears of the seek */
  TOGETHER,  /* as a demuxer: start on both pads, then stop on both */
  ONLY_FIRST /* the second source cannot seek */
} Manner;

typedef struct _Test Test;

typedef struct
{
  Test *test;
  GstPad *pad;
  GThread *thread;
  gfloat first; /* value of the first frame after the seek */
  guint delay;  /* us until it flushes, and before each frame */
} Source;

struct _Test
{
  Manner manner;
  GstElement *element;
  Source sources[2];
  GstHarness *outputs[2];
  GString *seen[2];
  guint n_outputs;
  guint n_sought;
};

#define N_FRAMES 20

static void
push_segment (Source *source, GstClockTime start, guint32 seqnum)
{
  GstSegment segment;
  GstEvent *event;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = start;
  event = gst_event_new_segment (&segment);
  gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (source->pad, event);
}

static void
push_flush (Source *source, gboolean start, guint32 seqnum)
{
  GstEvent *event = start ? gst_event_new_flush_start () : gst_event_new_flush_stop (TRUE);

  gst_event_set_seqnum (event, seqnum);
  g_assert_true (gst_pad_push_event (source->pad, event));
}

static gpointer
stream (gpointer user_data)
{
  Source *source = user_data;

  for (guint n = 0; n < N_FRAMES; n++)
    {
      g_usleep (source->delay);
      g_assert_cmpint (gst_pad_push (source->pad, new_frame (source->first + n, 30 + n)), ==, GST_FLOW_OK);
    }
  gst_pad_push_event (source->pad, gst_event_new_eos ());
  return NULL;
}

static void
start (Source *source, guint32 seqnum)
{
  /* From the seeking thread, as some do. */
  push_segment (source, GST_SECOND, seqnum);
  source->thread = g_thread_new ("source", stream, source);
}

static gboolean
seek_alone (Source *source, guint32 seqnum)
{
  g_usleep (source->delay);
  push_flush (source, TRUE, seqnum);
  g_usleep (source->delay);
  push_flush (source, FALSE, seqnum);
  start (source, seqnum);
  return TRUE;
}

/* The first that hears of it does it for both. */
static gboolean
seek_together (Test *test, guint32 seqnum)
{
  if (test->n_sought++ > 0)
    return TRUE;
  for (guint step = 0; step < 3; step++)
    for (guint i = 0; i < 2; i++)
      if (step < 2)
        push_flush (&test->sources[i], step == 0, seqnum);
      else
        start (&test->sources[i], seqnum);
  return TRUE;
}

static gboolean
source_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Source *source = gst_pad_get_element_private (pad);
  Test *test = source->test;
  guint32 seqnum = gst_event_get_seqnum (event);
  gboolean is_seek = GST_EVENT_TYPE (event) == GST_EVENT_SEEK;

  gst_event_unref (event);
  if (!is_seek)
    return TRUE;
  if (test->manner == TOGETHER)
    return seek_together (test, seqnum);
  if (test->manner == ONLY_FIRST && test->n_sought++ > 0)
    return FALSE;
  return seek_alone (source, seqnum);
}

static void
open_source (Test *test, guint i)
{
  static const gchar *const names[] = { "sink_a", "sink_b" };
  Source *source = &test->sources[i];
  g_autoptr (GstPad) peer = gst_element_request_pad_simple (test->element, names[i]);
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);

  source->test = test;
  source->pad = gst_pad_new (NULL, GST_PAD_SRC);
  gst_pad_set_element_private (source->pad, source);
  gst_pad_set_event_function (source->pad, source_event);
  gst_pad_set_active (source->pad, TRUE);
  g_assert_cmpint (gst_pad_link (source->pad, peer), ==, GST_PAD_LINK_OK);
  gst_pad_push_event (source->pad, gst_event_new_stream_start (names[i]));
  gst_pad_push_event (source->pad, gst_event_new_caps (caps));
  push_segment (source, 0, 1);
}

/* ---- what comes out ---- */

/* "<" and ">" for a flush, "s" for a segment at the new place, "o" for one at the old, "." for each new frame, "!" for one
 * from before, "e" for the end. */
static GstPadProbeReturn
note (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GString *seen = user_data;
  const GstSegment *segment;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    {
      g_string_append_c (seen, get_element (GST_PAD_PROBE_INFO_BUFFER (info), 0) >= OLD_VALUE ? '!' : '.');
      return GST_PAD_PROBE_OK;
    }
  switch (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)))
    {
    case GST_EVENT_FLUSH_START:
      g_string_append_c (seen, '<');
      break;
    case GST_EVENT_FLUSH_STOP:
      g_string_append_c (seen, '>');
      break;
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (GST_PAD_PROBE_INFO_EVENT (info), &segment);
      g_string_append_c (seen, segment->start == GST_SECOND ? 's' : 'o');
      break;
    case GST_EVENT_EOS:
      g_string_append_c (seen, 'e');
      break;
    default:
      break;
    }
  return GST_PAD_PROBE_OK;
}

static void
open_output (Test *test, const gchar *name)
{
  guint i = test->n_outputs++;

  test->outputs[i] = gst_harness_new_with_element (test->element, NULL, name);
  test->seen[i] = g_string_new (NULL);
  gst_pad_add_probe (test->outputs[i]->sinkpad,
                     GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
                     note, test->seen[i], NULL);
}

static void
setup (Test *test, const gchar *graph, Manner manner)
{
  *test = (Test){ .manner = manner, .element = gst_element_factory_make ("holoflowbin", NULL) };
  gst_object_ref_sink (test->element);
  g_object_set (test->element, "graph", graph, NULL);
  open_output (test, "src_out");
  if (strstr (graph, "\"other\"") != NULL)
    open_output (test, "src_other");
  for (guint i = 0; i < 2; i++)
    open_source (test, i);
}

static void
teardown (Test *test)
{
  for (guint i = 0; i < 2; i++)
    if (test->sources[i].thread != NULL)
      g_thread_join (test->sources[i].thread);
  gst_element_set_state (test->element, GST_STATE_NULL);
  for (guint i = 0; i < 2; i++)
    {
      gst_pad_set_active (test->sources[i].pad, FALSE);
      gst_object_unref (test->sources[i].pad);
    }
  for (guint i = 0; i < test->n_outputs; i++)
    {
      gst_harness_teardown (test->outputs[i]);
      g_string_free (test->seen[i], TRUE);
    }
  gst_object_unref (test->element);
}

/* Old frames everywhere: sets that came out, and more of one input than of the other. */
static void
fill (Test *test, guint n_pairs, guint n_more, gboolean end)
{
  for (guint n = 0; n < n_pairs; n++)
    for (guint i = 0; i < 2; i++)
      g_assert_cmpint (gst_pad_push (test->sources[i].pad, new_frame (OLD_VALUE, n)), ==, GST_FLOW_OK);
  for (guint n = 0; n < n_more; n++)
    g_assert_cmpint (gst_pad_push (test->sources[1].pad, new_frame (OLD_VALUE, n_pairs + n)), ==, GST_FLOW_OK);
  for (guint i = 0; i < n_pairs * test->n_outputs; i++)
    gst_buffer_unref (gst_harness_pull (test->outputs[i % test->n_outputs]));
  for (guint i = 0; end && i < 2; i++)
    gst_pad_push_event (test->sources[i].pad, gst_event_new_eos ());
  for (guint i = 0; end && i < test->n_outputs; i++)
    wait_eos (test->outputs[i]);
  for (guint i = 0; i < test->n_outputs; i++)
    g_string_truncate (test->seen[i], 0);
}

static gboolean
seek (Test *test)
{
  GstEvent *event = gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, GST_SECOND,
                                        GST_SEEK_TYPE_NONE, GST_CLOCK_TIME_NONE);

  return gst_harness_push_upstream_event (test->outputs[0], event);
}

/* ---- the tests ---- */

#define GRAPH_ADD_QUEUES                                                                                               \
  GRAPH (NODE ("a", "Input", "") "," NODE ("b", "Input", "") "," NODE ("qa", "Queue", "\"capacity\": 4") "," NODE (    \
             "qb", "Queue", "\"capacity\": 4") "," NODE ("add", "Add", "") "," NODE ("out", "Output", ""),             \
         EDGE ("a", 0, "qa", 0) "," EDGE ("b", 0, "qb", 0) "," EDGE ("qa", 0, "add", 0) "," EDGE (                     \
             "qb", 0, "add", 1) "," EDGE ("add", 0, "out", 0))
#define GRAPH_ADD_TWO_OUTPUTS                                                                                          \
  GRAPH (NODE ("a", "Input", "") "," NODE ("b", "Input", "") "," NODE ("add", "Add", "") "," NODE (                    \
             "out", "Output", "") "," NODE ("product", "Multiply", "") "," NODE ("other", "Output", ""),               \
         EDGE ("a", 0, "add", 0) "," EDGE ("b", 0, "add", 1) "," EDGE ("add", 0, "out", 0) "," EDGE (                  \
             "b", 0, "product", 0) "," EDGE ("a", 0, "product", 1) "," EDGE ("product", 0, "other", 0))

static const gchar *const graphs[] = { GRAPH_ADD, GRAPH_ADD_QUEUES, GRAPH_ADD_TWO_OUTPUTS };

static void
check_frames (Test *test)
{
  for (guint n = 0; n < N_FRAMES; n++)
    for (guint i = 0; i < test->n_outputs; i++)
      {
        GstBuffer *out = gst_harness_pull (test->outputs[i]);

        g_assert_nonnull (out);
        g_assert_cmpuint (GST_BUFFER_PTS (out), ==, gst_util_uint64_scale_int ((30 + n) * GST_SECOND, 1, 30));
        assert_frame (out, i == 0 ? (1 + n) + (10 + n) : (1 + n) * (10 + n));
      }
  for (guint i = 0; i < test->n_outputs; i++)
    {
      wait_eos (test->outputs[i]);
      g_assert_cmpstr (test->seen[i]->str, ==, "<>s....................e");
    }
}

static void
run (guint graph, Manner manner, guint order, gboolean end)
{
  Test test;

  setup (&test, graphs[graph], manner);
  test.sources[0].first = 1;
  test.sources[1].first = 10;
  /* The one that hears of the seek first is quick: its frames are there before the other flushes. */
  test.sources[order % 2].delay = order < 2 ? 0 : 300;
  test.sources[1 - order % 2].delay = order < 2 ? 3000 : 0;
  fill (&test, 3, !end && graph == 1 ? 3 : !end, end);
  g_assert_true (seek (&test));
  check_frames (&test);
  teardown (&test);
}

static void
test_seek (gconstpointer data)
{
  Manner manner = GPOINTER_TO_UINT (data);

  for (guint round = 0; round < 3; round++)
    for (guint graph = 0; graph < G_N_ELEMENTS (graphs); graph++)
      for (guint order = 0; order < 4; order++)
        for (guint end = 0; end < 2; end++)
          run (graph, manner, order, end);
}

/* One source refuses: the flush ends for all outputs when the seek does, and frames go on. */
static void
test_refused (void)
{
  for (guint graph = 0; graph < G_N_ELEMENTS (graphs); graph++)
    {
      Test test;
      GstBuffer *out;

      setup (&test, graphs[graph], ONLY_FIRST);
      fill (&test, 3, 0, FALSE);
      seek (&test);
      /* Whichever was flushed: the other goes on where it was. */
      for (guint i = 0; i < 2; i++)
        if (test.sources[i].thread == NULL)
          test.sources[i].thread = g_thread_new ("source", stream, &test.sources[i]);
      for (guint n = 0; n < N_FRAMES * test.n_outputs; n++)
        {
          out = gst_harness_pull (test.outputs[n % test.n_outputs]);
          g_assert_nonnull (out);
          gst_buffer_unref (out);
        }
      for (guint i = 0; i < test.n_outputs; i++)
        {
          wait_eos (test.outputs[i]);
          g_assert_true (g_str_has_prefix (test.seen[i]->str, "<>"));
          g_assert_true (g_str_has_suffix (test.seen[i]->str, "....................e"));
          g_assert_cmpuint (test.seen[i]->len, ==, 2 + 1 + N_FRAMES + 1);
        }
      teardown (&test);
    }
}

/* A flush of one input alone: downstream forgets its segment and gets it again. */
static void
test_flush_of_one (void)
{
  for (guint which = 0; which < 2; which++)
    {
      Test test;

      setup (&test, GRAPH_ADD, AT_ONCE);
      push_segment (&test.sources[0], GST_SECOND, 1);
      fill (&test, 2, 0, FALSE);
      push_flush (&test.sources[which], TRUE, 7);
      push_flush (&test.sources[which], FALSE, 7);
      push_segment (&test.sources[which], which == 0 ? GST_SECOND : 0, 7);
      for (guint i = 0; i < 2; i++)
        g_assert_cmpint (gst_pad_push (test.sources[i].pad, new_frame (5, 3)), ==, GST_FLOW_OK);
      assert_frame (gst_harness_pull (test.outputs[0]), 10);
      g_assert_cmpstr (test.seen[0]->str, ==, "<>s.");
      teardown (&test);
    }
}

int
main (int argc, char **argv)
{
  test_init_gst (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/gst/seek-inputs/at-once", GUINT_TO_POINTER (AT_ONCE), test_seek);
  g_test_add_data_func ("/gst/seek-inputs/together", GUINT_TO_POINTER (TOGETHER), test_seek);
  g_test_add_func ("/gst/seek-inputs/refused", test_refused);
  g_test_add_func ("/gst/seek-inputs/flush-of-one", test_flush_of_one);
  return g_test_run ();
}
