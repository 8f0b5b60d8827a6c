/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <gst/base/gstbasesink.h>

#include "gst-test.h"

static gfloat
pull_first (GstElement *sink, GstClockTime *pts)
{
  g_autoptr (GstSample) sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink), 10 * GST_SECOND);
  gfloat first = -1;

  g_assert_nonnull (sample);
  gst_buffer_extract (gst_sample_get_buffer (sample), 0, &first, 4);
  if (pts != NULL)
    *pts = GST_BUFFER_PTS (gst_sample_get_buffer (sample));
  return first;
}

static void
assert_eos (GstElement *sink)
{
  g_autoptr (GstSample) sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink), 10 * GST_SECOND);

  g_assert_null (sample);
  g_assert_true (gst_app_sink_is_eos (GST_APP_SINK (sink)));
}

/* ---- sources ---- */

/* Frames in order, with times from the rate, then the end; after a seek to the start the same again. */
static void
test_sequence (void)
{
  g_autoptr (GstElement) pipeline =
      test_launch ("holosequence shape=<2,3> start=5 step=2 count=4 rate=25 ! appsink name=sink sync=false");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint round = 0; round < 3; round++)
    {
      for (guint n = 0; n < 4; n++)
        {
          GstClockTime pts;

          g_assert_cmpfloat (pull_first (sink, &pts), ==, 5 + 2 * n);
          g_assert_cmpuint (pts, ==, n * 40 * GST_MSECOND);
        }
      assert_eos (sink);
      g_assert_true (gst_element_seek_simple (pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
    }
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* And again after NULL, READY and with other settings. */
static void
test_restart (void)
{
  g_autoptr (GstElement) pipeline = test_launch ("holosequence name=source shape=<2,3> ! fakesink name=sink");
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  TestSeen seen = { 0 };

  test_watch_buffers (pipeline, "sink", &seen);
  for (guint round = 1; round < 5; round++)
    {
      g_autoptr (GstMessage) message = NULL;

      seen.n_buffers = 0;
      g_object_set (source, "count", (gint64) round, NULL);
      gst_element_set_state (pipeline, GST_STATE_PLAYING);
      message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
      g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
      gst_element_set_state (pipeline, round % 2 ? GST_STATE_READY : GST_STATE_NULL);
      g_assert_cmpuint (seen.n_buffers, ==, round);
    }
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

static void
test_num_buffers (void)
{
  g_autoptr (GstElement) pipeline = test_launch ("holosequence shape=<4> num-buffers=7 ! fakesink name=sink");
  g_autofree gchar *error = NULL;
  TestSeen seen = { 0 };

  test_watch_buffers (pipeline, "sink", &seen);
  error = test_play (pipeline);
  g_assert_cmpstr (error, ==, NULL);
  g_assert_cmpuint (seen.n_buffers, ==, 7);
  g_assert_cmpuint (seen.n_bytes, ==, 16);
}

static void
assert_play_fails (const gchar *text, const gchar *first, const gchar *second)
{
  g_autoptr (GstElement) pipeline = test_launch (text);
  g_autofree gchar *error = test_play (pipeline);

  test_assert_names (error, first);
  test_assert_names (error, second);
}

static void
test_source_errors (void)
{
  assert_play_fails ("holosequence ! fakesink", "shape", "must be given");
  assert_play_fails ("holosequence shape=<2,3> count=-3 ! fakesink", "count: -3", "at least 0");
  assert_play_fails ("holosequence shape=<2147483647,2147483647,2147483647> ! fakesink", "Sequence", "63 bits");
  assert_play_fails ("holosequence shape=<2,3> ! tensor/strided,dims=(int)<3,3> ! fakesink", "< 2, 3 >", "< 3, 3 >");
  assert_play_fails ("holonpyreader path=/nonexistent/file.npy ! fakesink", "NpyReader", "/nonexistent/file.npy");
  assert_play_fails ("holonpyreader path=/ ! fakesink", "NpyReader", "/");
}

/* Another shape while it plays: new caps with the next frame. */
static void
test_new_shape (void)
{
  g_autoptr (GstElement) pipeline =
      test_launch ("holosequence name=source shape=<2,3> ! appsink name=sink sync=false max-buffers=1");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  gsize size = 24;
  guint n = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pull_first (sink, NULL);
  gst_util_set_object_arg (G_OBJECT (source), "shape", "<5>");
  /* frames on their way still have the old shape; each agrees with its caps */
  for (; n < 10 && size != 20; n++)
    {
      g_autoptr (GstSample) sample = gst_app_sink_pull_sample (GST_APP_SINK (sink));
      HoloTensorDesc desc;

      g_assert_true (gst_holo_caps_to_desc (gst_sample_get_caps (sample), &desc, NULL));
      size = gst_buffer_get_size (gst_sample_get_buffer (sample));
      g_assert_cmpuint (size, ==, holo_tensor_desc_get_size (&desc));
    }
  g_assert_cmpuint (size, ==, 20);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* ---- sinks ---- */

/* What a sink has written is complete when EOS is heard, and a source reads it back: also with padded rows
 * and with a tensor that is not dense. */
static void
test_npy (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("holo-XXXXXX", NULL), *path = g_build_filename (folder, "a.npy", NULL);
  g_autofree gchar *write =
      g_strdup_printf ("holosequence shape=<3,5> dtype=U16 count=6 ! holonpywriter path=%s", path);
  g_autofree gchar *read = g_strdup_printf ("holonpyreader path=%s ! appsink name=sink sync=false", path);
  g_autoptr (GstElement) writer = test_launch (write), reader = test_launch (read), sink = NULL;
  g_autoptr (GstBus) bus = gst_element_get_bus (writer);
  g_autoptr (GstMessage) message = NULL;

  gst_element_set_state (writer, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  /* the writer is still playing */
  sink = gst_bin_get_by_name (GST_BIN (reader), "sink");
  gst_element_set_state (reader, GST_STATE_PLAYING);
  for (guint n = 0; n < 6; n++)
    {
      g_autoptr (GstSample) sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink), 10 * GST_SECOND);
      guint16 found[15];

      g_assert_nonnull (sample);
      g_assert_cmpuint (gst_buffer_extract (gst_sample_get_buffer (sample), 0, found, sizeof found), ==, sizeof found);
      for (guint i = 0; i < 15; i++)
        g_assert_cmpuint (found[i], ==, n + i);
    }
  assert_eos (sink);
  gst_element_set_state (reader, GST_STATE_NULL);
  gst_element_set_state (writer, GST_STATE_NULL);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_sink_strided (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("holo-XXXXXX", NULL), *path = g_build_filename (folder, "v.npy", NULL);
  g_autofree gchar *write =
      g_strdup_printf ("videotestsrc num-buffers=2 pattern=snow ! video/x-raw,format=GRAY8,width=7,height=5 ! "
                       "holovideototensor name=convert ! holonpywriter name=writer path=%s",
                       path);
  g_autoptr (GstElement) pipeline = test_launch (write);
  g_autoptr (GstElement) convert = gst_bin_get_by_name (GST_BIN (pipeline), "convert");
  g_autofree gchar *error = NULL, *contents = NULL;
  gsize size;

  error = test_play (pipeline);
  g_assert_cmpstr (error, ==, NULL);
  /* the rows were not packed on the way: the writer takes them as they lie */
  g_assert_cmpuint (test_get_stat (convert, "frames"), ==, 2);
  g_assert_cmpuint (test_get_stat (convert, "copies"), ==, 0);
  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  g_assert_cmpuint (size % 64, ==, (2 * 35) % 64);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_sink_errors (void)
{
  assert_play_fails ("holosequence shape=<2> count=1 ! holonpywriter", "path", "must be given");
  assert_play_fails ("holosequence shape=<2> count=1 ! holonpywriter path=/nonexistent/a.npy", "NpyWriter",
                     "/nonexistent/a.npy");
}

static void
test_sink_does_not_wait (void)
{
  g_autoptr (GstElement) sink = gst_object_ref_sink (gst_element_factory_make ("holonpywriter", NULL));

  g_assert_false (gst_base_sink_get_sync (GST_BASE_SINK (sink)));
}

int
main (int argc, char **argv)
{
  test_init_gst (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/source/sequence", test_sequence);
  g_test_add_func ("/source/restart", test_restart);
  g_test_add_func ("/source/num-buffers", test_num_buffers);
  g_test_add_func ("/source/errors", test_source_errors);
  g_test_add_func ("/source/new-shape", test_new_shape);
  g_test_add_func ("/sink/npy", test_npy);
  g_test_add_func ("/sink/strided", test_sink_strided);
  g_test_add_func ("/sink/errors", test_sink_errors);
  g_test_add_func ("/sink/does-not-wait", test_sink_does_not_wait);
  return g_test_run ();
}
