/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flush, seek and stop, whatever the element is blocked in: a push downstream, an empty queue, a full input,
 * a rate limiter, a sink in preroll. */
#include "gst-test.h"
#include "host-test.h"

/* ---- a harness whose element is blocked somewhere ---- */

typedef struct
{
  GstHarness *harness;
  GstPad *src;
  gulong probe;
  GThread *pusher;
  gint n_pushed;
} Blocked;

static gpointer
push_until_refused (gpointer data)
{
  Blocked *self = data;
  guint number = 0;

  while (gst_harness_push (self->harness, new_frame (number, number)) == GST_FLOW_OK)
    {
      number++;
      g_atomic_int_inc (&self->n_pushed);
    }
  return NULL;
}

static void
setup (Blocked *self, const gchar *element, const gchar *caps)
{
  *self = (Blocked){ .harness = gst_harness_new_parse (element) };
  gst_harness_set_src_caps_str (self->harness, caps);
  self->src = gst_pad_get_peer (self->harness->sinkpad);
}

static void
block_push (Blocked *self)
{
  self->probe = gst_pad_add_probe (self->src, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, NULL, NULL, NULL);
}

static void
unblock_push (Blocked *self)
{
  if (self->probe != 0)
    gst_pad_remove_probe (self->src, self->probe);
  self->probe = 0;
}

static void
teardown (Blocked *self)
{
  gst_object_unref (self->src);
  gst_harness_teardown (self->harness);
}

static void
join (Blocked *self)
{
  g_thread_join (g_steal_pointer (&self->pusher));
}

static void
stop_flush (GstHarness *harness)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  g_assert_true (gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE)));
  g_assert_true (gst_harness_push_event (harness, gst_event_new_segment (&segment)));
}

/* A whole flush from another thread than the one that may be blocked. */
static void
flush (GstHarness *harness)
{
  g_assert_true (gst_harness_push_event (harness, gst_event_new_flush_start ()));
  stop_flush (harness);
}

static void
drop_all (GstHarness *harness)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (harness)) != NULL)
    gst_buffer_unref (buffer);
}

/* After a flush nothing old comes, and the stream goes on without new caps. */
static void
assert_goes_on (GstHarness *harness, guint n_per_output)
{
  for (guint i = 0; i < 3 * n_per_output; i++)
    g_assert_cmpint (gst_harness_push (harness, new_frame (7000 + i, i)), ==, GST_FLOW_OK);
  for (guint i = 0; i < 3; i++)
    {
      GstBuffer *buffer = gst_harness_pull (harness);

      g_assert_nonnull (buffer);
      for (guint k = 0; k < n_per_output; k++)
        g_assert_cmpfloat (get_element (buffer, k * N_ELEMENTS), ==, 7000 + i * n_per_output + k);
      gst_buffer_unref (buffer);
    }
}

/* ---- where it may be blocked: each makes sure that it is ---- */

static void
enter_push (Blocked *self)
{
  setup (self, "holoqueue max-size-buffers=2", CAPS);
  block_push (self);
  self->pusher = g_thread_new ("pusher", push_until_refused, self);
  wait_until (gst_pad_is_blocking (self->src));
  /* One is on its way out, two are held; the fourth or fifth waits for room. */
  wait_until (g_atomic_int_get (&self->n_pushed) >= 3);
}

static void
enter_push_in_thread_of_input (Blocked *self)
{
  *self = (Blocked){ .harness = new_bin_harness (GRAPH_COPY, "sink_in", "src_out") };
  gst_harness_set_src_caps_str (self->harness, CAPS);
  self->src = gst_pad_get_peer (self->harness->sinkpad);
  block_push (self);
  self->pusher = g_thread_new ("pusher", push_until_refused, self);
  wait_until (gst_pad_is_blocking (self->src));
}

static void
enter_pop (Blocked *self)
{
  setup (self, "holoqueue", CAPS);
  g_assert_cmpint (gst_harness_push (self->harness, new_frame (0, 0)), ==, GST_FLOW_OK);
  assert_frame (gst_harness_pull (self->harness), 0);
}

static void
enter_full_batch (Blocked *self)
{
  setup (self, "holobatchqueue output-size=2 target-capacity=4", CAPS_1X4);
  block_push (self);
  self->pusher = g_thread_new ("pusher", push_until_refused, self);
  wait_until (gst_pad_is_blocking (self->src));
  wait_until (g_atomic_int_get (&self->n_pushed) >= 4);
}

static void
enter_rate_limiter (Blocked *self)
{
  setup (self, "holoratelimiter max-fps=0.01", CAPS);
  self->pusher = g_thread_new ("pusher", push_until_refused, self);
  assert_frame (gst_harness_pull (self->harness), 0);
}

static void
enter_full_input (Blocked *self)
{
  *self = (Blocked){ .harness = new_bin_harness (GRAPH_ADD, "sink_a", "src_out") };
  gst_harness_set_src_caps_str (self->harness, CAPS);
  self->src = gst_pad_get_peer (self->harness->sinkpad);
  /* The second frame waits for a partner of the first. */
  self->pusher = g_thread_new ("pusher", push_until_refused, self);
  wait_until (g_atomic_int_get (&self->n_pushed) >= 1);
}

typedef struct
{
  void (*enter) (Blocked *self);
  guint n_per_output; /* 0: nothing can come out of it */
} Place;

static const Place places[] = {
  { enter_push, 1 },         { enter_push_in_thread_of_input, 1 },
  { enter_pop, 1 },          { enter_full_batch, 2 },
  { enter_rate_limiter, 0 }, { enter_full_input, 0 },
};

static void
test_flush (gconstpointer data)
{
  const Place *place = data;
  Blocked blocked;

  for (guint round = 0; round < 20; round++)
    {
      place->enter (&blocked);
      g_assert_true (gst_harness_push_event (blocked.harness, gst_event_new_flush_start ()));
      unblock_push (&blocked);
      if (blocked.pusher != NULL)
        join (&blocked);
      stop_flush (blocked.harness);
      drop_all (blocked.harness);
      if (place->n_per_output > 0)
        assert_goes_on (blocked.harness, place->n_per_output);
      teardown (&blocked);
    }
}

/* To NULL while it is blocked there: within 100 ms. */
static void
test_stop (gconstpointer data)
{
  const Place *place = data;
  Blocked blocked;

  for (guint round = 0; round < 20; round++)
    {
      place->enter (&blocked);
      stop_soon (blocked.harness->element);
      if (blocked.pusher != NULL)
        join (&blocked);
      teardown (&blocked);
    }
  assert_stopped_soon ();
}

/* ---- contents ---- */

/* What a batch had of the time before goes; the format stays. */
static void
test_flush_batch (void)
{
  GstHarness *harness = gst_harness_new_parse ("holobatchqueue output-size=4");

  gst_harness_set_src_caps_str (harness, CAPS_1X4);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
  flush (harness);
  assert_goes_on (harness, 4);
  g_assert_null (gst_harness_try_pull (harness));
  gst_harness_teardown (harness);
}

/* A flushed queue holds nothing, and says so. */
static void
test_flush_level (void)
{
  Blocked blocked;
  GstElement *queue;
  guint level;

  enter_push (&blocked);
  queue = gst_harness_find_element (blocked.harness, "holoqueue");
  g_object_get (queue, "current-level-buffers", &level, NULL);
  g_assert_cmpuint (level, ==, 2);
  g_assert_true (gst_harness_push_event (blocked.harness, gst_event_new_flush_start ()));
  unblock_push (&blocked);
  join (&blocked);
  stop_flush (blocked.harness);
  g_object_get (queue, "current-level-buffers", &level, NULL);
  g_assert_cmpuint (level, ==, 0);
  drop_all (blocked.harness);
  assert_goes_on (blocked.harness, 1);
  wait_until ((g_object_get (queue, "current-level-buffers", &level, NULL), level == 0));
  gst_object_unref (queue);
  teardown (&blocked);
}

/* Frames of the other input stay: they wait for what comes after the flush. */
static void
test_flush_one_of_two (void)
{
  GstHarness *a = new_bin_harness (GRAPH_ADD, "sink_a", "src_out");
  GstHarness *b = gst_harness_new_with_element (a->element, "sink_b", NULL);

  gst_harness_set_src_caps_str (a, CAPS);
  gst_harness_set_src_caps_str (b, CAPS);
  for (guint round = 0; round < 50; round++)
    {
      g_assert_cmpint (gst_harness_push (b, new_frame (100 + round, 0)), ==, GST_FLOW_OK);
      flush (a);
      g_assert_cmpint (gst_harness_push (a, new_frame (round, 0)), ==, GST_FLOW_OK);
      assert_frame (gst_harness_pull (a), 100 + 2 * round);
    }
  gst_harness_teardown (b);
  gst_harness_teardown (a);
}

#define GRAPH_BESIDE                                                                                                   \
  GRAPH (                                                                                                              \
      NODE ("a", "Input", "") "," NODE ("qa", "Queue", "") "," NODE ("b", "Input", "") "," NODE (                      \
          "q1", "Queue", "") "," NODE ("sqrt", "Sqrt", "") "," NODE ("q2", "Queue",                                    \
                                                                     "") "," NODE ("add", "Add",                       \
                                                                                   "") "," NODE ("out", "Output", ""), \
      EDGE ("a", 0, "qa", 0) "," EDGE ("qa", 0, "add", 0) "," EDGE ("b", 0, "q1", 0) "," EDGE (                        \
          "q1", 0, "sqrt", 0) "," EDGE ("sqrt", 0, "q2", 0) "," EDGE ("q2", 0, "add", 1) "," EDGE ("add", 0, "out",    \
                                                                                                   0))

/* A thread inside the graph that waits for the other input is no concern of the flush. */
static void
test_flush_beside (void)
{
  GstHarness *a = new_bin_harness (GRAPH_BESIDE, "sink_a", "src_out");
  GstHarness *b = gst_harness_new_with_element (a->element, "sink_b", NULL);

  gst_harness_set_src_caps_str (a, CAPS);
  gst_harness_set_src_caps_str (b, CAPS);
  for (guint round = 0; round < 50; round++)
    {
      g_assert_cmpint (gst_harness_push (a, new_frame (round, 0)), ==, GST_FLOW_OK);
      g_assert_cmpint (gst_harness_push (b, new_frame (4, 0)), ==, GST_FLOW_OK);
      assert_frame (gst_harness_pull (a), round + 2);
      flush (a);
    }
  gst_harness_teardown (b);
  test_teardown (a);
}

/* The end of a stream, then a flush and another stream: as after a seek. */
static void
test_flush_after_eos (gconstpointer data)
{
  GstHarness *harness = gst_harness_new_parse (data);

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint round = 0; round < 50; round++)
    {
      for (guint i = 0; i < 3; i++)
        g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
      g_assert_true (gst_harness_push_event (harness, gst_event_new_eos ()));
      for (guint i = 0; i < 3; i++)
        assert_frame (gst_harness_pull (harness), i);
      wait_eos (harness);
      g_assert_cmpint (gst_harness_push (harness, new_frame (0, 0)), ==, GST_FLOW_EOS);
      flush (harness);
    }
  gst_harness_teardown (harness);
}

/* The end of a stream, then another one without a flush. */
static void
test_stream_after_eos (gconstpointer data)
{
  GstHarness *harness = gst_harness_new_parse (data);

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint round = 0; round < 50; round++)
    {
      g_autofree gchar *id = g_strdup_printf ("stream-%u", round);
      GstSegment segment;

      gst_segment_init (&segment, GST_FORMAT_TIME);
      g_assert_true (gst_harness_push_event (harness, gst_event_new_stream_start (id)));
      g_assert_true (gst_harness_push_event (harness, gst_event_new_segment (&segment)));
      for (guint i = 0; i < 3; i++)
        g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
      g_assert_true (gst_harness_push_event (harness, gst_event_new_eos ()));
      for (guint i = 0; i < 3; i++)
        assert_frame (gst_harness_pull (harness), i);
      wait_eos (harness);
    }
  gst_harness_teardown (harness);
}

/* ---- pipelines ---- */

#define SOURCE                                                                                                         \
  "videotestsrc num-buffers=%d ! video/x-raw,format=GRAY8,width=8,height=4,framerate=30/1 ! "                          \
  "holovideototensor"

static GstElement *
parse (const gchar *element, const gchar *sink, guint n_buffers)
{
  g_autofree gchar *source = g_strdup_printf (SOURCE, n_buffers);
  g_autofree gchar *text = g_strdup_printf ("%s ! %s ! %s", source, element, sink);
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error);

  g_assert_no_error (error);
  return pipeline;
}

static const gchar *const elements[] = {
  "holoqueue",
  "holobatchqueue output-size=2",
  "holoratelimiter max-fps=10000",
  "holoqueue ! holobatchqueue output-size=1 ! holoqueue",
};

/* A sink that prerolled blocks the thread that pushes into it: stopping and seeking must not care. */
static void
test_preroll (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    for (guint round = 0; round < 10; round++)
      {
        GstElement *pipeline = parse (elements[i], "fakesink sync=true", 1000);

        gst_element_set_state (pipeline, GST_STATE_PAUSED);
        g_assert_cmpint (gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND), ==, GST_STATE_CHANGE_SUCCESS);
        if (round % 2 == 0)
          g_assert_true (gst_element_seek_simple (pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SECOND));
        if (round % 4 == 0)
          g_assert_cmpint (gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND), ==, GST_STATE_CHANGE_SUCCESS);
        stop_soon (pipeline);
        gst_object_unref (pipeline);
      }
  assert_stopped_soon ();
}

static void
test_seek_after_eos (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    {
      GstElement *pipeline = parse (elements[i], "fakesink sync=false", 6);

      gst_element_set_state (pipeline, GST_STATE_PLAYING);
      for (guint round = 0; round < 10; round++)
        {
          assert_eos (pipeline);
          g_assert_true (gst_element_seek_simple (pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
        }
      assert_eos (pipeline);
      stop_soon (pipeline);
      gst_object_unref (pipeline);
    }
  assert_stopped_soon ();
}

typedef struct
{
  GstClockTime start;
  gboolean first;
  gint n_frames; /* since the last flush */
} Seen;

static GstPadProbeReturn
check_first (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Seen *seen = user_data;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    {
      if (seen->first)
        g_assert_cmpuint (GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)), ==, seen->start);
      seen->first = FALSE;
      g_atomic_int_inc (&seen->n_frames);
    }
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_SEGMENT)
    {
      const GstSegment *segment;

      gst_event_parse_segment (GST_PAD_PROBE_INFO_EVENT (info), &segment);
      seen->start = segment->start;
      seen->first = TRUE;
    }
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_FLUSH_STOP)
    g_atomic_int_set (&seen->n_frames, 0);
  return GST_PAD_PROBE_OK;
}

/* Seeks at any moment: the first frame of the new segment is the one asked for, none from before comes in
 * between. */
static void
test_seek_often (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    {
      GstElement *pipeline = parse (elements[i], "fakesink name=s sync=false", 100000);
      g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
      g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
      Seen seen = { 0, FALSE, 0 };

      gst_pad_add_probe (
          pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
          check_first, &seen, NULL);
      gst_element_set_state (pipeline, GST_STATE_PLAYING);
      g_assert_cmpint (gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND), ==, GST_STATE_CHANGE_SUCCESS);
      for (guint round = 0; round < 200; round++)
        {
          gint64 start = g_get_monotonic_time ();
          GstClockTime target = (round * 37 % 100) * GST_SECOND;

          g_assert_true (gst_element_seek_simple (pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, target));
          g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC);
          if (round % 3 == 0)
            {
              wait_until (g_atomic_int_get (&seen.n_frames) > 0);
              g_assert_cmpuint (seen.start, ==, target);
            }
        }
      stop_soon (pipeline);
      gst_object_unref (pipeline);
    }
  assert_stopped_soon ();
}

/* ---- states ---- */

static GstBusSyncReply
ready_at_eos (GstBus *bus, GstMessage *message, gpointer user_data)
{
  gint *seen = user_data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    g_atomic_int_set (seen, TRUE);
  return GST_BUS_PASS;
}

static void
count_frame (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer user_data)
{
  g_atomic_int_inc ((gint *) user_data);
}

/* READY in the very moment of the end, then again from the start: the same frames each time. */
static void
test_restart (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    {
      GstElement *pipeline = parse (elements[i], "fakesink name=s sync=false signal-handoffs=true", 6);
      g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
      g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
      gint seen, n_frames;

      g_signal_connect (sink, "handoff", G_CALLBACK (count_frame), &n_frames);
      gst_bus_set_sync_handler (bus, ready_at_eos, &seen, NULL);
      for (guint round = 0; round < 125; round++)
        {
          seen = n_frames = 0;
          gst_element_set_state (pipeline, GST_STATE_PLAYING);
          wait_until (g_atomic_int_get (&seen));
          g_assert_cmpint (g_atomic_int_get (&n_frames), ==, i == 1 ? 3 : 6);
          gst_element_set_state (pipeline, GST_STATE_READY);
          if (round % 2 == 0)
            gst_element_set_state (pipeline, GST_STATE_NULL);
        }
      stop_soon (pipeline);
      gst_object_unref (pipeline);
    }
  assert_stopped_soon ();
}

/* NULL at any moment of a stream. */
static void
test_stop_often (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    {
      GstElement *pipeline = parse (elements[i], "fakesink name=s sync=false", -1);

      for (guint round = 0; round < 125; round++)
        {
          gst_element_set_state (pipeline, GST_STATE_PLAYING);
          for (guint k = round % 11; k > 0; k--)
            g_thread_yield ();
          stop_soon (pipeline);
        }
      gst_object_unref (pipeline);
    }
  assert_stopped_soon ();
}

gint
main (gint argc, gchar **argv)
{
  static const gchar *const names[] = { "push",      "push-in-thread-of-input", "pop", "full-batch", "rate-limiter",
                                        "full-input" };

  test_init_gst (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree gchar *flush_path = g_strconcat ("/gst/flush/blocked-in/", names[i], NULL);
      g_autofree gchar *stop_path = g_strconcat ("/gst/flush/stop-in/", names[i], NULL);

      g_test_add_data_func (flush_path, &places[i], test_flush);
      g_test_add_data_func (stop_path, &places[i], test_stop);
    }
  g_test_add_func ("/gst/flush/batch", test_flush_batch);
  g_test_add_func ("/gst/flush/level", test_flush_level);
  g_test_add_func ("/gst/flush/one-of-two", test_flush_one_of_two);
  g_test_add_func ("/gst/flush/beside", test_flush_beside);
  g_test_add_data_func ("/gst/flush/after-eos/queue", "holoqueue", test_flush_after_eos);
  g_test_add_data_func ("/gst/flush/after-eos/two-queues", "holoqueue ! holoqueue", test_flush_after_eos);
  g_test_add_data_func ("/gst/flush/stream-after-eos/queue", "holoqueue", test_stream_after_eos);
  g_test_add_func ("/gst/flush/preroll", test_preroll);
  g_test_add_func ("/gst/flush/seek-after-eos", test_seek_after_eos);
  g_test_add_func ("/gst/flush/seek-often", test_seek_often);
  g_test_add_func ("/gst/flush/restart", test_restart);
  g_test_add_func ("/gst/flush/stop-often", test_stop_often);
  return g_test_run ();
}
