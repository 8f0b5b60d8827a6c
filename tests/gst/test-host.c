/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of asynchronous kinds and of kinds with several pads: memory, order, levels, latency. */
#include "gst-test.h"
#include "host-test.h"

#include <string.h>

#include <gst/video/video.h>

static GstHarness *
new_harness (const gchar *element, const gchar *caps)
{
  GstHarness *harness = gst_harness_new_parse (element);

  gst_harness_set_src_caps_str (harness, caps);
  return harness;
}

/* ---- memory ---- */

/* The very buffer that went in comes out: nothing is copied, not even its metadata. */
static void
test_same_buffer (void)
{
  GstHarness *harness = new_harness ("holoqueue", CAPS);
  GstElement *queue = gst_harness_find_element (harness, "holoqueue");

  for (guint i = 0; i < 100; i++)
    {
      GstBuffer *in = new_frame (i, i), *out;
      GstMemory *memory = gst_buffer_peek_memory (in, 0);

      g_assert_cmpint (gst_harness_push (harness, in), ==, GST_FLOW_OK);
      out = gst_harness_pull (harness);
      g_assert_true (out == in);
      g_assert_true (gst_buffer_peek_memory (out, 0) == memory);
      g_assert_cmpuint (GST_BUFFER_PTS (out), ==, gst_util_uint64_scale_int (i * GST_SECOND, 1, 30));
      assert_frame (out, i);
    }
  g_assert_cmpuint (get_stat (queue, "copies"), ==, 0);
  gst_object_unref (queue);
  gst_harness_teardown (harness);
}

static gpointer
push_many (gpointer data)
{
  GstHarness *harness = data;

  for (guint i = 0; i < 1000; i++)
    g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
  return NULL;
}

/* An encoder keeps many frames and gives them back in any order: the queue's depth has nothing to do with
 * that. */
static void
test_held_out_of_order (void)
{
  GstHarness *harness = new_harness ("holoqueue max-size-buffers=2", CAPS);
  GThread *pusher = g_thread_new ("pusher", push_many, harness);
  GstBuffer *held[48] = { NULL };
  GRand *rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < 1000; i++)
    {
      guint place = i < 48 ? i : (guint) g_rand_int_range (rand, 0, 48);
      GstBuffer *buffer = gst_harness_pull (harness);

      g_assert_cmpfloat (get_element (buffer, 0), ==, i);
      gst_clear_buffer (&held[place]);
      held[place] = buffer;
    }
  g_thread_join (pusher);
  for (guint i = 48; i-- > 0;)
    gst_clear_buffer (&held[i]);
  g_rand_free (rand);
  gst_harness_teardown (harness);
}

/* Frames outlive the element, its pool and its harness. */
static void
test_outlive (void)
{
  GstHarness *harness = new_bin_harness (GRAPH_SQRT, "sink_in", "src_out");
  GstBuffer *kept[8];

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      g_assert_cmpint (gst_harness_push (harness, new_frame (i * i, i)), ==, GST_FLOW_OK);
      kept[i] = gst_harness_pull (harness);
    }
  gst_harness_teardown (harness);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    assert_frame (kept[i], i);
}

/* After a tee the other branch must see what came in. */
static void
test_shared_input (void)
{
  GstHarness *harness = new_bin_harness (GRAPH_SQRT, "sink_in", "src_out");

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint i = 0; i < 50; i++)
    {
      GstBuffer *shared = new_frame (16, i);

      g_assert_cmpint (gst_harness_push (harness, gst_buffer_ref (shared)), ==, GST_FLOW_OK);
      assert_frame (gst_harness_pull (harness), 4);
      assert_frame (shared, 16);
    }
  gst_harness_teardown (harness);
}

static GstBuffer *
new_picture (gsize stride, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  memset (map.data, 255, size);
  for (guint y = 0; y < 5; y++)
    for (guint x = 0; x < 7; x++)
      map.data[y * stride + x] = (guint8) (y * 7 + x);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Rows of 7 bytes lie 8 apart: whatever the queue does about it, pad bytes never become pixels. */
static void
test_video_rows (void)
{
  GstHarness *harness = new_bin_harness (GRAPH_QUEUE, "sink_in", "src_out");
  GstBuffer *out;
  GstMapInfo map;

  gst_harness_set_src_caps_str (harness, "video/x-raw,format=GRAY8,width=7,height=5,framerate=30/1");
  for (guint n = 0; n < 3; n++)
    {
      g_assert_cmpint (gst_harness_push (harness, new_picture (8, 40)), ==, GST_FLOW_OK);
      out = gst_harness_pull (harness);
      g_assert_cmpuint (gst_buffer_get_size (out), ==, 35);
      g_assert_true (gst_buffer_map (out, &map, GST_MAP_READ));
      for (guint i = 0; i < 35; i++)
        g_assert_cmpuint (map.data[i], ==, i);
      gst_buffer_unmap (out, &map);
      gst_buffer_unref (out);
    }
  gst_harness_teardown (harness);
}

#define GRAPH_FLOAT                                                                                                    \
  GRAPH (NODE ("in", "Input", "") "," NODE ("c", "Conversion", "\"target\": \"F32\"") "," NODE ("out", "Output", ""),  \
         EDGE ("in", 0, "c", 0) "," EDGE ("c", 0, "out", 0))

/* A camera that pads its rows more than the caps say: the graph reads them where they lie. */
static void
test_padded_rows (void)
{
  GstHarness *harness = new_bin_harness (GRAPH_FLOAT, "sink_in", "src_out");
  gsize offsets[GST_VIDEO_MAX_PLANES] = { 0 };
  gint strides[GST_VIDEO_MAX_PLANES] = { 0 };

  gst_harness_set_src_caps_str (harness, "video/x-raw,format=GRAY8,width=7,height=5,framerate=30/1");
  for (guint n = 0; n < 6; n++)
    {
      guint stride = n == 4 ? 32 : 16;
      GstBuffer *in = new_picture (stride, stride * 5), *out;

      strides[0] = (gint) stride;
      gst_buffer_add_video_meta_full (in, 0, GST_VIDEO_FORMAT_GRAY8, 7, 5, 1, offsets, strides);
      g_assert_cmpint (gst_harness_push (harness, in), ==, GST_FLOW_OK);
      out = gst_harness_pull (harness);
      for (guint i = 0; i < 35; i++)
        g_assert_cmpfloat (get_element (out, i), ==, i);
      gst_buffer_unref (out);
      /* the one whose rows lie otherwise again too */
      g_assert_cmpuint (get_stat (harness->element, "copies"), ==, 0);
    }
  gst_harness_teardown (harness);
}

static void
test_short_buffer (void)
{
  GstHarness *harness = new_harness ("holoqueue", CAPS);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  g_autofree gchar *text = NULL;

  gst_element_set_bus (harness->element, bus);
  g_assert_cmpint (gst_harness_push (harness, gst_buffer_new_allocate (NULL, 12, NULL)), ==, GST_FLOW_ERROR);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  text = get_error_text (message);
  g_assert_nonnull (strstr (text, "12"));
  g_assert_nonnull (strstr (text, "16"));
  gst_message_unref (message);
  gst_element_set_bus (harness->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (harness);
}

/* ---- order, levels, limits ---- */

static void
test_levels (void)
{
  GstHarness *harness = new_harness ("holoqueue max-size-buffers=3", CAPS);
  GstElement *queue = gst_harness_find_element (harness, "holoqueue");
  GstPad *src = gst_element_get_static_pad (queue, "src");
  gint64 capacity;
  guint level;
  gulong probe;

  g_object_get (queue, "capacity", &capacity, NULL);
  g_assert_cmpint (capacity, ==, 3);
  probe = gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, NULL, NULL, NULL);
  /* One frame is stopped on its way out; three are in the queue. */
  for (guint i = 0; i < 4; i++)
    {
      g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
      if (i == 0)
        wait_until (gst_pad_is_blocking (src));
    }
  g_object_get (queue, "current-level-buffers", &level, NULL);
  g_assert_cmpuint (level, ==, 3);
  gst_pad_remove_probe (src, probe);
  for (guint i = 0; i < 4; i++)
    assert_frame (gst_harness_pull (harness), i);
  wait_until ((g_object_get (queue, "current-level-buffers", &level, NULL), level == 0));
  gst_object_unref (src);
  gst_object_unref (queue);
  gst_harness_teardown (harness);
}

static void
test_leaky (void)
{
  GstHarness *harness = new_harness ("holoqueue max-size-buffers=2 leaky=downstream", CAPS);
  GstElement *queue = gst_harness_find_element (harness, "holoqueue");
  GstPad *src = gst_element_get_static_pad (queue, "src");
  gulong probe = gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, NULL, NULL, NULL);
  GstBuffer *buffer;

  for (guint i = 0; i < 10; i++)
    {
      g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
      if (i == 0)
        wait_until (gst_pad_is_blocking (src));
    }
  gst_pad_remove_probe (src, probe);
  assert_frame (gst_harness_pull (harness), 0);
  buffer = gst_harness_pull (harness);
  /* What comes after a gap says so. */
  g_assert_true (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
  assert_frame (buffer, 8);
  buffer = gst_harness_pull (harness);
  g_assert_false (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
  assert_frame (buffer, 9);
  gst_object_unref (src);
  gst_object_unref (queue);
  gst_harness_teardown (harness);
}

static gpointer
push_until_refused (gpointer data)
{
  GstHarness *harness = data;
  gulong n = 0;

  while (gst_harness_push (harness, new_frame (n, n)) == GST_FLOW_OK)
    n++;
  return (gpointer) n;
}

/* A consumer that takes nothing holds the producer back: what is in between is bounded by what was asked for.
 */
static void
test_back_pressure (void)
{
  GstHarness *harness = new_harness ("holobatchqueue output-size=4 target-capacity=8", CAPS_1X4);
  GstElement *queue = gst_harness_find_element (harness, "holobatchqueue");
  GstPad *src = gst_element_get_static_pad (queue, "src");
  GThread *pusher;
  guint64 calls;

  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, NULL, NULL, NULL);
  pusher = g_thread_new ("pusher", push_until_refused, harness);
  wait_until (gst_pad_is_blocking (src));
  wait_until (get_calls (queue, "task", "push") >= 8);
  for (guint i = 0; i < 1000; i++)
    g_thread_yield ();
  calls = get_calls (queue, "task", "push");
  g_assert_cmpuint (calls, <=, 4 + 2 * 8);
  stop_soon (queue);
  g_assert_cmpuint ((gulong) g_thread_join (pusher), <=, calls + 1);
  gst_object_unref (src);
  gst_object_unref (queue);
  gst_harness_teardown (harness);
  assert_stopped_soon ();
}

/* ---- batches ---- */

static void
assert_windows (const gchar *element, guint n_frames, guint size, guint stride, guint n_windows)
{
  GstHarness *harness = new_harness (element, CAPS_1X4);

  gst_harness_use_systemclock (harness);
  for (guint i = 0; i < n_frames; i++)
    g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
  g_assert_true (gst_harness_push_event (harness, gst_event_new_eos ()));
  for (guint w = 0; w < n_windows; w++)
    {
      GstBuffer *buffer = gst_harness_pull (harness);

      g_assert_nonnull (buffer);
      g_assert_cmpuint (gst_buffer_get_size (buffer), ==, size * N_ELEMENTS * sizeof (gfloat));
      for (guint k = 0; k < size; k++)
        g_assert_cmpfloat (get_element (buffer, k * N_ELEMENTS), ==, w * stride + k);
      g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, gst_util_uint64_scale_int (w * stride * GST_SECOND, 1, 30));
      gst_buffer_unref (buffer);
    }
  wait_eos (harness);
  g_assert_null (gst_harness_try_pull (harness));
  gst_harness_teardown (harness);
}

static void
test_windows (void)
{
  assert_windows ("holobatchqueue output-size=4 output-stride=4", 10, 4, 4, 2);
  assert_windows ("holobatchqueue output-size=4 output-stride=4", 3, 4, 4, 0);
  assert_windows ("holobatchqueue output-size=4 output-stride=6", 10, 4, 6, 2);
  assert_windows ("holobatchqueue output-size=4 output-stride=1", 10, 4, 1, 7);
  assert_windows ("holobatchqueue output-size=4 output-stride=3", 12, 4, 3, 3);
}

/* ---- several inputs ---- */

typedef struct
{
  GstHarness *harness;
  guint n_frames;
  guint rate; /* frames per second */
} Feed;

static gpointer
feed (gpointer data)
{
  Feed *self = data;

  for (guint i = 0; i < self->n_frames; i++)
    {
      GstBuffer *buffer = new_frame (i, 0);

      GST_BUFFER_PTS (buffer) = gst_util_uint64_scale_int (i * GST_SECOND, 1, (gint) self->rate);
      GST_BUFFER_DURATION (buffer) = GST_SECOND / self->rate;
      if (gst_harness_push (self->harness, buffer) != GST_FLOW_OK)
        break;
    }
  gst_harness_push_event (self->harness, gst_event_new_eos ());
  return NULL;
}

/* One frame per second against thirty: five pairs of the same time, nothing shown twice. */
static void
test_pairing_by_time (void)
{
  GstElement *add = gst_element_factory_make ("holoadd", NULL);
  GstHarness *a = gst_harness_new_with_element (add, "sink_a", "src");
  GstHarness *b = gst_harness_new_with_element (add, "sink_b", NULL);
  Feed slow = { a, 5, 1 }, fast = { b, 150, 30 };
  GThread *threads[2];
  GstClockTime last = GST_CLOCK_TIME_NONE;

  gst_harness_set_src_caps_str (a, CAPS);
  gst_harness_set_src_caps_str (b, CAPS);
  threads[0] = g_thread_new ("slow", feed, &slow);
  threads[1] = g_thread_new ("fast", feed, &fast);
  for (guint i = 0; i < 5; i++)
    {
      GstBuffer *buffer = gst_harness_pull (a);

      g_assert_nonnull (buffer);
      g_assert_true (last == GST_CLOCK_TIME_NONE || GST_BUFFER_PTS (buffer) > last);
      last = GST_BUFFER_PTS (buffer);
      assert_frame (buffer, i + i * 30);
    }
  g_thread_join (threads[0]);
  g_thread_join (threads[1]);
  wait_eos (a);
  g_assert_null (gst_harness_try_pull (a));
  g_assert_cmpuint (get_stat (add, "unpaired"), >=, 4 * 29);
  gst_harness_teardown (b);
  gst_harness_teardown (a);
  gst_object_unref (add);
}

/* One thread brings the frames of both inputs in turn: it must never be kept in one for want of the other. */
static void
test_one_thread_two_inputs (void)
{
  GstHarness *a = new_bin_harness (GRAPH_ADD, "sink_a", "src_out");
  GstHarness *b = gst_harness_new_with_element (a->element, "sink_b", NULL);

  gst_harness_set_src_caps_str (a, CAPS);
  gst_harness_set_src_caps_str (b, CAPS);
  for (guint i = 0; i < 200; i++)
    {
      g_assert_cmpint (gst_harness_push (a, new_frame (i, i)), ==, GST_FLOW_OK);
      g_assert_cmpint (gst_harness_push (b, new_frame (1000, i)), ==, GST_FLOW_OK);
      assert_frame (gst_harness_pull (a), 1000 + i);
    }
  gst_harness_teardown (b);
  gst_harness_teardown (a);
}

/* Also when a frame comes before the other pad has caps. */
static void
test_frame_before_other_caps (void)
{
  GstHarness *a = new_bin_harness (GRAPH_ADD, "sink_a", "src_out");
  GstHarness *b = gst_harness_new_with_element (a->element, "sink_b", NULL);

  gst_harness_set_src_caps_str (a, CAPS);
  g_assert_cmpint (gst_harness_push (a, new_frame (1, 0)), ==, GST_FLOW_OK);
  gst_harness_set_src_caps_str (b, CAPS);
  g_assert_cmpint (gst_harness_push (b, new_frame (2, 0)), ==, GST_FLOW_OK);
  assert_frame (gst_harness_pull (a), 3);
  gst_harness_teardown (b);
  gst_harness_teardown (a);
}

/* ---- whole pipelines ---- */

G_GNUC_PRINTF (1, 2)
static GstElement *
parse (const gchar *format, ...)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *text = NULL;
  GstElement *pipeline;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  pipeline = gst_parse_launch (text, &error);
  g_assert_no_error (error);
  return pipeline;
}

static void
run_to_eos (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  assert_eos (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* Two sinks without queues before them: each prerolls on its own thread. */
static void
test_two_sinks (void)
{
  g_autofree gchar *graph = g_strescape (GRAPH_TWO_OUTPUTS, NULL);

  run_to_eos (
      parse ("holoflowbin name=h graph=\"%s\" videotestsrc num-buffers=20 ! "
             "video/x-raw,format=GRAY8,width=8,height=4,framerate=30/1 ! holovideototensor ! "
             "holoflowbin graph=\"%s\" ! h.sink_in h.src_x ! fakesink h.src_y ! fakesink",
             graph,
             "{ \\\"nodes\\\": { \\\"i\\\": { \\\"type\\\": \\\"Input\\\", \\\"params\\\": {} }, "
             "\\\"c\\\": { \\\"type\\\": \\\"Conversion\\\", \\\"params\\\": { \\\"target\\\": \\\"F32\\\" } }, "
             "\\\"o\\\": { \\\"type\\\": \\\"Output\\\", \\\"params\\\": {} } }, \\\"edges\\\": [ "
             "{ \\\"from\\\": \\\"i\\\", \\\"out\\\": 0, \\\"to\\\": \\\"c\\\", \\\"in\\\": 0 }, "
             "{ \\\"from\\\": \\\"c\\\", \\\"out\\\": 0, \\\"to\\\": \\\"o\\\", \\\"in\\\": 0 } ] }"));
}

/* The encoder holds 48 frames before it gives the first. */
static void
test_x264enc (void)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("x264enc");

  if (factory == NULL)
    {
      g_test_skip ("x264enc is not installed");
      return;
    }
  run_to_eos (parse ("videotestsrc num-buffers=120 ! video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1 ! "
                     "holovideototensor ! holoqueue max-size-buffers=2 ! holotensortovideo ! videoconvert ! x264enc ! "
                     "fakesink"));
}

/* The size changes in mid-stream: results of each size, none of the old one after the new one came. */
static void
on_handoff (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer user_data)
{
  guint *counts = user_data;

  if (gst_buffer_get_size (buffer) == 16 * 16)
    {
      g_assert_cmpuint (counts[1], ==, 0);
      counts[0]++;
    }
  else
    {
      g_assert_cmpuint (gst_buffer_get_size (buffer), ==, 33 * 9);
      counts[1]++;
    }
}

static void
test_size_change (void)
{
  static const gchar *elements[] = { "holoqueue", "holobatchqueue output-size=1", "holoqueue ! holoqueue" };

  for (guint i = 0; i < 15; i++)
    {
      guint counts[2] = { 0, 0 };
      GstElement *pipeline =
          parse ("concat name=c ! %s ! fakesink name=s signal-handoffs=true sync=false "
                 "videotestsrc num-buffers=3 ! video/x-raw,format=GRAY8,width=16,height=16 ! holovideototensor ! c. "
                 "videotestsrc num-buffers=3 ! video/x-raw,format=GRAY8,width=33,height=9 ! holovideototensor ! c.",
                 elements[i % G_N_ELEMENTS (elements)]);
      g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");

      g_signal_connect (sink, "handoff", G_CALLBACK (on_handoff), counts);
      run_to_eos (pipeline);
      g_assert_cmpuint (counts[0], ==, 3);
      g_assert_cmpuint (counts[1], ==, 3);
    }
}

/* A batch of eight comes seven frames after its first one; sinks must know. */
static void
test_latency (void)
{
  GstHarness *harness = new_harness ("holobatchqueue output-size=8", CAPS_1X4);

  gst_harness_set_upstream_latency (harness, 10 * GST_MSECOND);
  g_assert_cmpint (gst_harness_push (harness, new_frame (0, 0)), ==, GST_FLOW_OK);
  g_assert_cmpuint (gst_harness_query_latency (harness), >=,
                    10 * GST_MSECOND + 7 * gst_util_uint64_scale_int (GST_SECOND, 1, 30));
  g_assert_cmpuint (gst_harness_query_latency (harness), <=,
                    10 * GST_MSECOND + 8 * gst_util_uint64_scale_int (GST_SECOND, 1, 30));
  gst_harness_teardown (harness);

  harness = new_harness ("holoqueue", CAPS);
  gst_harness_set_upstream_latency (harness, 10 * GST_MSECOND);
  g_assert_cmpint (gst_harness_push (harness, new_frame (0, 0)), ==, GST_FLOW_OK);
  g_assert_cmpuint (gst_harness_query_latency (harness), ==, 10 * GST_MSECOND);
  gst_harness_teardown (harness);
}

/* ---- speed ---- */

#define N_LARGE 20000

static gpointer
push_large (gpointer data)
{
  GstHarness *harness = data;
  GstBuffer *buffers[8];

  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    buffers[i] = gst_buffer_new_allocate (NULL, 4 << 20, NULL);
  for (guint i = 0; i < N_LARGE; i++)
    g_assert_cmpint (gst_harness_push (harness, gst_buffer_ref (buffers[i % 8])), ==, GST_FLOW_OK);
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    gst_buffer_unref (buffers[i]);
  g_assert_true (gst_harness_push_event (harness, gst_event_new_eos ()));
  return NULL;
}

static gint64
measure (const gchar *element, guint64 *copies)
{
  GstHarness *harness =
      new_harness (element, "tensor/strided,type=(string)uint8,dims=(int)<1,2048,2048>,dims-order=(string)row-major,"
                            "framerate=(fraction)30/1");
  gint64 start;

  gst_harness_set_drop_buffers (harness, TRUE);
  start = g_get_monotonic_time ();
  g_thread_join (g_thread_new ("pusher", push_large, harness));
  wait_eos (harness);
  start = g_get_monotonic_time () - start;
  g_assert_cmpuint (gst_harness_buffers_received (harness), ==, N_LARGE);
  if (copies != NULL)
    {
      GstElement *queue = gst_harness_find_element (harness, "holoqueue");

      *copies = get_stat (queue, "copies");
      gst_object_unref (queue);
    }
  gst_harness_teardown (harness);
  return start;
}

/* 4 MiB frames: pointers move. The best of several rounds each, since the machine may be busy. */
static void
test_large_frames (void)
{
  gint64 ours = G_MAXINT64, theirs = G_MAXINT64;
  guint64 copies = G_MAXUINT64;

  for (guint i = 0; i < 3; i++)
    {
      ours = MIN (ours, measure ("holoqueue max-size-buffers=8", &copies));
      theirs = MIN (theirs, measure ("queue max-size-buffers=8 max-size-bytes=0 max-size-time=0", NULL));
      g_assert_cmpuint (copies, ==, 0);
    }
  g_test_message ("%d frames of 4 MiB: holoqueue %" G_GINT64_FORMAT " us, queue %" G_GINT64_FORMAT " us", N_LARGE, ours,
                  theirs);
}

gint
main (gint argc, gchar **argv)
{
  test_init_gst (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/host/same-buffer", test_same_buffer);
  g_test_add_func ("/gst/host/held-out-of-order", test_held_out_of_order);
  g_test_add_func ("/gst/host/outlive", test_outlive);
  g_test_add_func ("/gst/host/shared-input", test_shared_input);
  g_test_add_func ("/gst/host/video-rows", test_video_rows);
  g_test_add_func ("/gst/host/padded-rows", test_padded_rows);
  g_test_add_func ("/gst/host/short-buffer", test_short_buffer);
  g_test_add_func ("/gst/host/levels", test_levels);
  g_test_add_func ("/gst/host/leaky", test_leaky);
  g_test_add_func ("/gst/host/back-pressure", test_back_pressure);
  g_test_add_func ("/gst/host/windows", test_windows);
  g_test_add_func ("/gst/host/pairing-by-time", test_pairing_by_time);
  g_test_add_func ("/gst/host/one-thread-two-inputs", test_one_thread_two_inputs);
  g_test_add_func ("/gst/host/frame-before-other-caps", test_frame_before_other_caps);
  g_test_add_func ("/gst/host/two-sinks", test_two_sinks);
  g_test_add_func ("/gst/host/x264enc", test_x264enc);
  g_test_add_func ("/gst/host/size-change", test_size_change);
  g_test_add_func ("/gst/host/latency", test_latency);
  g_test_add_func ("/gst/host/large-frames", test_large_frames);
  return g_test_run ();
}
