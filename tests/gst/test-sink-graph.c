/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Graphs that end in the element, or begin in it: it is a sink or a source to its pipeline. */
#include "gst-test.h"
#include "host-test.h"

#include <glib/gstdio.h>

#define VIDEO        "video/x-raw,format=GRAY8,width=16,height=8,framerate=30/1"
#define PICTURES     "videotestsrc name=v num-buffers=10 ! " VIDEO " ! holoflowbin name=h"
#define ENDLESS      "videotestsrc name=v ! " VIDEO " ! holoflowbin name=h"
#define TEN_PICTURES "(10, 1, 8, 16)"

/* The file's path stands for %s. */
#define WRITER(name) NODE (name, "NpyWriter", "\"path\": \"%s\"")
#define GRAPH_FILE   GRAPH (NODE ("in", "Input", "") "," WRITER ("file"), EDGE ("in", 0, "file", 0))
#define GRAPH_QUEUE_FILE                                                                                               \
  GRAPH (NODE ("in", "Input", "") "," NODE ("q", "Queue", "\"capacity\": 4") "," WRITER ("file"),                      \
         EDGE ("in", 0, "q", 0) "," EDGE ("q", 0, "file", 0))
#define GRAPH_BOTH                                                                                                     \
  GRAPH (NODE ("in", "Input", "") "," NODE ("q", "Queue", "") "," WRITER ("file") "," NODE ("out", "Output", ""),      \
         EDGE ("in", 0, "out", 0) "," EDGE ("in", 0, "q", 0) "," EDGE ("q", 0, "file", 0))
#define GRAPH_ALONE(count)                                                                                             \
  GRAPH (NODE ("s", "Sequence", "\"shape\": [4], \"count\": " #count) "," NODE ("q", "Queue", "") "," WRITER ("file"), \
         EDGE ("s", 0, "q", 0) "," EDGE ("q", 0, "file", 0))
#define GRAPH_SOURCE                                                                                                   \
  GRAPH (NODE ("s", "Sequence", "\"shape\": [4]") "," NODE ("q", "Queue", "") "," NODE ("out", "Output", ""),          \
         EDGE ("s", 0, "q", 0) "," EDGE ("q", 0, "out", 0))
#define GRAPH_TWO_INPUTS                                                                                               \
  GRAPH (NODE ("a", "Input", "") "," NODE ("b", "Input", "") "," NODE ("sum", "Add", "") "," WRITER ("file"),          \
         EDGE ("a", 0, "sum", 0) "," EDGE ("b", 0, "sum", 1) "," EDGE ("sum", 0, "file", 0))

static gchar *path;

static GstElement *
get_bin (GstElement *pipeline)
{
  return gst_bin_get_by_name (GST_BIN (pipeline), "h");
}

/* As gst-launch-1.0 does with a single element. */
static GstElement *
launch_pipeline (const gchar *text)
{
  GstElement *element = test_launch (text), *pipeline;

  if (GST_IS_PIPELINE (element))
    return element;
  pipeline = gst_pipeline_new (NULL);
  gst_bin_add (GST_BIN (pipeline), element);
  return pipeline;
}

/* The graph is set before READY, as late as may be. */
static GstElement *
new_pipeline (const gchar *text, const gchar *format)
{
  GstElement *pipeline = launch_pipeline (text);
  g_autoptr (GstElement) bin = get_bin (pipeline);
  g_auto (GStrv) parts = g_strsplit (format, "%s", -1);
  g_autofree gchar *graph = g_strjoinv (path, parts);

  g_unlink (path);
  g_object_set (bin, "graph", graph, NULL);
  return pipeline;
}

static void
drop_pipeline (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* The file is complete: its name and its header say so. */
static void
assert_file (const gchar *shape)
{
  g_autofree gchar *part = g_strconcat (path, ".part", NULL), *contents = NULL;
  gsize length;

  g_assert_false (g_file_test (part, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  g_assert_cmpuint (length, >, 128);
  contents[127] = '\0';
  test_assert_names (contents + 10, shape);
}

static void
assert_state (GstElement *element, GstState expected)
{
  GstState state;

  g_assert_cmpint (gst_element_get_state (element, &state, NULL, 10 * GST_SECOND), ==, GST_STATE_CHANGE_SUCCESS);
  g_assert_cmpint (state, ==, expected);
}

static void
reach (GstElement *pipeline, GstState state)
{
  g_assert_cmpint (gst_element_set_state (pipeline, state), !=, GST_STATE_CHANGE_FAILURE);
  assert_state (pipeline, state);
}

static guint64
count_written (GstElement *pipeline)
{
  g_autoptr (GstElement) bin = get_bin (pipeline);

  return get_calls (bin, "file", "execute");
}

/* ---- the end ---- */

/* A pipeline ends by itself, and the file is whole when the application hears of it. */
static void
test_end (void)
{
  const struct
  {
    const gchar *pipeline, *graph, *shape;
  } cases[] = {
    { PICTURES, GRAPH_FILE, TEN_PICTURES },
    { PICTURES, GRAPH_QUEUE_FILE, TEN_PICTURES },
    { "videotestsrc is-live=true num-buffers=3 ! " VIDEO " ! holoflowbin name=h", GRAPH_FILE, "(3, 1, 8, 16)" },
    { PICTURES " ! fakesink", GRAPH_BOTH, TEN_PICTURES },
    { "videotestsrc num-buffers=10 ! " VIDEO " ! tee name=t ! queue ! holoflowbin name=h t. ! queue ! fakesink",
      GRAPH_FILE, TEN_PICTURES },
    { "videotestsrc num-buffers=10 ! " VIDEO " ! tee name=t ! queue ! h.sink_a t. ! queue ! h.sink_b "
      "holoflowbin name=h",
      GRAPH_TWO_INPUTS, TEN_PICTURES },
    { "holoflowbin name=h", GRAPH_ALONE (25), "(25, 4)" },
  };

  for (guint round = 0; round < 5; round++)
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
      {
        GstElement *pipeline = new_pipeline (cases[i].pipeline, cases[i].graph);

        gst_element_set_state (pipeline, GST_STATE_PLAYING);
        assert_eos (pipeline);
        assert_file (cases[i].shape);
        drop_pipeline (pipeline);
      }
}

/* The message bears the number of the event that ended the stream. */
static void
test_seqnum (void)
{
  GstElement *pipeline = new_pipeline (PICTURES, GRAPH_FILE);
  g_autoptr (GstElement) bin = get_bin (pipeline);
  g_autoptr (GstPad) pad = gst_object_ref (bin->sinkpads->data);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstEvent) event = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = wait_message (pipeline, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  /* The pad keeps it when the element is through with it. */
  wait_until ((event = gst_pad_get_sticky_event (pad, GST_EVENT_EOS, 0)) != NULL);
  g_assert_cmpuint (gst_message_get_seqnum (message), ==, gst_event_get_seqnum (event));
  drop_pipeline (pipeline);
}

/* An end without a frame is an end. */
static void
test_empty (void)
{
  GstElement *pipeline = new_pipeline ("appsrc name=a format=time caps=" VIDEO " ! holoflowbin name=h", GRAPH_FILE);
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  GstFlowReturn flow;

  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PAUSED), ==, GST_STATE_CHANGE_ASYNC);
  g_assert_cmpint (gst_element_get_state (pipeline, NULL, NULL, 50 * GST_MSECOND), ==, GST_STATE_CHANGE_ASYNC);
  g_signal_emit_by_name (source, "end-of-stream", &flow);
  assert_state (pipeline, GST_STATE_PAUSED);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  assert_eos (pipeline);
  drop_pipeline (pipeline);
}

/* A task that has enough ends the stream. */
static void
test_task_ends (void)
{
  GstElement *pipeline = new_pipeline (ENDLESS, GRAPH (NODE ("in", "Input", "") "," NODE ("file", "NpyWriter",
                                                                                          "\"path\": \"%s\", "
                                                                                          "\"mode\": \"whole\""),
                                                       EDGE ("in", 0, "file", 0)));

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  assert_eos (pipeline);
  assert_file ("(1, 8, 16)");
  drop_pipeline (pipeline);
}

/* A file that cannot be written is an error, and no end. */
static void
test_error (void)
{
  GstElement *pipeline = test_launch (PICTURES);
  g_autoptr (GstElement) bin = get_bin (pipeline);
  g_autofree gchar *text = NULL;

  g_object_set (bin, "graph",
                GRAPH (NODE ("in", "Input", "") "," NODE ("file", "NpyWriter", "\"path\": \"/nonexistent/a.npy\""),
                       EDGE ("in", 0, "file", 0)),
                NULL);
  text = test_play (pipeline);
  test_assert_names (text, "/nonexistent/a.npy");
  gst_object_unref (pipeline);
}

/* ---- states ---- */

/* PAUSED is reached with the first frame, which waits there. */
static void
test_preroll (void)
{
  GstElement *pipeline = new_pipeline (PICTURES, GRAPH_FILE);

  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PAUSED), ==, GST_STATE_CHANGE_ASYNC);
  assert_state (pipeline, GST_STATE_PAUSED);
  g_usleep (20000);
  g_assert_cmpuint (count_written (pipeline), ==, 0);
  reach (pipeline, GST_STATE_PLAYING);
  assert_eos (pipeline);
  assert_file (TEN_PICTURES);

  /* Bins forget the end in PAUSED: it is told again. */
  reach (pipeline, GST_STATE_PAUSED);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  assert_eos (pipeline);

  /* And all of it once more. */
  reach (pipeline, GST_STATE_READY);
  g_unlink (path);
  reach (pipeline, GST_STATE_PLAYING);
  assert_eos (pipeline);
  assert_file (TEN_PICTURES);
  drop_pipeline (pipeline);
}

/* In PAUSED nothing moves; afterwards it goes on. */
static void
test_pause (void)
{
  GstElement *pipeline = new_pipeline (ENDLESS, GRAPH_FILE);
  guint64 n;

  for (guint round = 0; round < 10; round++)
    {
      reach (pipeline, GST_STATE_PLAYING);
      n = count_written (pipeline);
      wait_until (count_written (pipeline) > n);
      reach (pipeline, GST_STATE_PAUSED);
      n = count_written (pipeline);
      g_usleep (5000);
      g_assert_cmpuint (count_written (pipeline), ==, n);
    }
  stop_soon (pipeline);
  assert_stopped_soon ();
  gst_object_unref (pipeline);
}

/* A part of the graph without pads works in PLAYING only, and ends when it is told to. */
static void
test_alone (void)
{
  GstElement *pipeline = new_pipeline ("holoflowbin name=h", GRAPH_ALONE (0));
  guint64 n;

  reach (pipeline, GST_STATE_PAUSED);
  g_usleep (10000);
  g_assert_cmpuint (count_written (pipeline), ==, 0);
  for (guint round = 0; round < 3; round++)
    {
      reach (pipeline, GST_STATE_PLAYING);
      n = count_written (pipeline);
      wait_until (count_written (pipeline) > n + 10);
      reach (pipeline, GST_STATE_PAUSED);
      /* the iterations that were begun */
      g_usleep (20000);
      n = count_written (pipeline);
      g_usleep (20000);
      g_assert_cmpuint (count_written (pipeline), ==, n);
    }
  reach (pipeline, GST_STATE_PLAYING);
  g_assert_true (gst_element_send_event (pipeline, gst_event_new_eos ()));
  assert_eos (pipeline);
  assert_file (", 4)");
  drop_pipeline (pipeline);
}

/* Stopped in every situation a sink can be in. */
static void
test_stop (void)
{
  const gchar *const graphs[] = { GRAPH_FILE, GRAPH_QUEUE_FILE };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (graphs); i++)
    {
      GstElement *waiting = new_pipeline ("appsrc caps=" VIDEO " ! holoflowbin name=h", graphs[i / 2]);
      GstElement *playing = new_pipeline (ENDLESS, graphs[i / 2]);

      g_assert_cmpint (gst_element_set_state (waiting, i % 2 ? GST_STATE_PLAYING : GST_STATE_PAUSED), ==,
                       GST_STATE_CHANGE_ASYNC);
      stop_soon (waiting);
      reach (playing, GST_STATE_PAUSED);
      stop_soon (playing);
      reach (playing, GST_STATE_PLAYING);
      stop_soon (playing);
      gst_object_unref (waiting);
      gst_object_unref (playing);
    }
  assert_stopped_soon ();
}

/* ---- flush ---- */

/* To the start, for ten pictures. */
static void
seek_to_start (GstElement *pipeline)
{
  g_assert_true (gst_element_seek (pipeline, 1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
                                   GST_SEEK_TYPE_SET, 10 * GST_SECOND / 30));
}

/* A seek lets the waiting frame go and waits for another; one after the end starts the file anew. */
static void
test_seek (void)
{
  const gchar *const graphs[] = { GRAPH_FILE, GRAPH_QUEUE_FILE };

  for (guint i = 0; i < 10; i++)
    {
      GstElement *pipeline = new_pipeline (ENDLESS, graphs[i % 2]);

      reach (pipeline, GST_STATE_PAUSED);
      seek_to_start (pipeline);
      assert_state (pipeline, GST_STATE_PAUSED);
      g_assert_cmpuint (count_written (pipeline), ==, 0);
      reach (pipeline, GST_STATE_PLAYING);
      assert_eos (pipeline);
      assert_file (TEN_PICTURES);
      seek_to_start (pipeline);
      assert_state (pipeline, GST_STATE_PLAYING);
      assert_eos (pipeline);
      assert_file (TEN_PICTURES);
      drop_pipeline (pipeline);
    }
}

static void
test_seek_while_playing (void)
{
  GstElement *pipeline = new_pipeline (ENDLESS, GRAPH_QUEUE_FILE);

  reach (pipeline, GST_STATE_PLAYING);
  for (guint round = 0; round < 10; round++)
    {
      guint64 n = count_written (pipeline);

      wait_until (count_written (pipeline) > n);
      g_assert_true (gst_element_seek_simple (pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
      assert_state (pipeline, GST_STATE_PLAYING);
    }
  seek_to_start (pipeline);
  assert_eos (pipeline);
  assert_file (TEN_PICTURES);
  drop_pipeline (pipeline);
}

/* Both streams of a set are sought, through the element itself. */
static void
test_seek_two_inputs (void)
{
  GstElement *pipeline = new_pipeline ("holoflowbin name=h videotestsrc ! " VIDEO " ! h.sink_a "
                                       "videotestsrc ! " VIDEO " ! h.sink_b",
                                       GRAPH_TWO_INPUTS);

  reach (pipeline, GST_STATE_PAUSED);
  for (guint round = 0; round < 5; round++)
    {
      seek_to_start (pipeline);
      reach (pipeline, GST_STATE_PLAYING);
      assert_eos (pipeline);
      assert_file (TEN_PICTURES);
    }
  drop_pipeline (pipeline);
}

/* ---- pads ---- */

/* The pad of a frame that waits goes away. */
static void
test_remove_pad (void)
{
  GstElement *pipeline = new_pipeline (ENDLESS, GRAPH_FILE);
  g_autoptr (GstElement) bin = get_bin (pipeline);
  g_autoptr (GstPad) pad = gst_object_ref (bin->sinkpads->data);

  reach (pipeline, GST_STATE_PAUSED);
  gst_element_release_request_pad (bin, pad);
  stop_soon (pipeline);
  assert_stopped_soon ();
  gst_object_unref (pipeline);
}

/* ---- sources ---- */

/* An EOS event for the pipeline ends sources, and what they feed. */
static void
test_source_ends (void)
{
  GstElement *pipeline = new_pipeline ("holoflowbin name=h ! fakesink", GRAPH_SOURCE);
  g_autoptr (GstElement) bin = get_bin (pipeline);

  for (guint round = 0; round < 3; round++)
    {
      if (round != 1)
        reach (pipeline, GST_STATE_PAUSED);
      reach (pipeline, GST_STATE_PLAYING);
      wait_until (get_calls (bin, "q", "pop") > 10);
      g_assert_true (gst_element_send_event (pipeline, gst_event_new_eos ()));
      assert_eos (pipeline);
      stop_soon (pipeline);
    }
  assert_stopped_soon ();
  gst_object_unref (pipeline);
}

static void
assert_flags (const gchar *graph, gboolean sink, gboolean source)
{
  g_autoptr (GstElement) bin = gst_object_ref_sink (gst_element_factory_make ("holoflowbin", NULL));

  g_object_set (bin, "graph", graph, NULL);
  g_assert_cmpint (GST_OBJECT_FLAG_IS_SET (bin, GST_ELEMENT_FLAG_SINK), ==, sink);
  g_assert_cmpint (GST_OBJECT_FLAG_IS_SET (bin, GST_ELEMENT_FLAG_SOURCE), ==, source);
}

static void
test_flags (void)
{
  assert_flags (GRAPH_COPY, FALSE, FALSE);
  assert_flags (GRAPH_FILE, TRUE, FALSE);
  assert_flags (GRAPH_BOTH, TRUE, FALSE);
  assert_flags (GRAPH_SOURCE, FALSE, TRUE);
  assert_flags (GRAPH_ALONE (1), TRUE, TRUE);
  assert_flags ("no graph", FALSE, FALSE);
}

int
main (int argc, char **argv)
{
  g_autofree gchar *folder = g_dir_make_tmp ("holo-sink-graph-XXXXXX", NULL);
  int status;

  test_init_gst (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  path = g_build_filename (folder, "frames.npy", NULL);
  g_test_add_func ("/gst/sink-graph/end", test_end);
  g_test_add_func ("/gst/sink-graph/seqnum", test_seqnum);
  g_test_add_func ("/gst/sink-graph/empty", test_empty);
  g_test_add_func ("/gst/sink-graph/task-ends", test_task_ends);
  g_test_add_func ("/gst/sink-graph/error", test_error);
  g_test_add_func ("/gst/sink-graph/preroll", test_preroll);
  g_test_add_func ("/gst/sink-graph/pause", test_pause);
  g_test_add_func ("/gst/sink-graph/alone", test_alone);
  g_test_add_func ("/gst/sink-graph/stop", test_stop);
  g_test_add_func ("/gst/sink-graph/seek", test_seek);
  g_test_add_func ("/gst/sink-graph/seek-while-playing", test_seek_while_playing);
  g_test_add_func ("/gst/sink-graph/seek-two-inputs", test_seek_two_inputs);
  g_test_add_func ("/gst/sink-graph/remove-pad", test_remove_pad);
  g_test_add_func ("/gst/sink-graph/source-ends", test_source_ends);
  g_test_add_func ("/gst/sink-graph/flags", test_flags);
  status = g_test_run ();
  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
  return status;
}
