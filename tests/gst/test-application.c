/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The helper library as an application uses it: tensors into appsrc, out of appsink. */
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include "gst-test.h"

typedef struct
{
  GstElement *pipeline;
  GstAppSrc *source;
  GstAppSink *sink;
} Application;

static void
open_application (Application *app, const gchar *middle, const HoloTensorDesc *desc)
{
  g_autofree gchar *text =
      g_strdup_printf ("appsrc name=source format=time ! %s ! appsink name=sink sync=false", middle);
  g_autoptr (GstCaps) caps = gst_holo_caps_from_desc (desc, NULL);

  app->pipeline = test_launch (text);
  app->source = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (app->pipeline), "source"));
  app->sink = GST_APP_SINK (gst_bin_get_by_name (GST_BIN (app->pipeline), "sink"));
  gst_app_src_set_caps (app->source, caps);
  gst_element_set_state (app->pipeline, GST_STATE_PLAYING);
}

static void
close_application (Application *app)
{
  gst_element_set_state (app->pipeline, GST_STATE_NULL);
  gst_object_unref (app->source);
  gst_object_unref (app->sink);
  gst_object_unref (app->pipeline);
  /* the streaming thread may still be on its way out, with its references */
  gst_task_cleanup_all ();
}

static gint n_released;

static void
release (HoloBlock *block)
{
  g_atomic_int_inc (&n_released);
  g_free (block->owner);
  holo_block_free (block);
}

/* Memory of the application goes in without a copy, comes back to it, and the result is read as a tensor. */
static void
test_frames (void)
{
  const gint64 shape[] = { 3, 4 };
  HoloTensorDesc desc;
  Application app;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, shape);
  desc.rate_n = 10;
  open_application (&app, "holosqrt", &desc);
  n_released = 0;
  for (guint n = 0; n < 5; n++)
    {
      gfloat *data = g_new (gfloat, 12);
      HoloFrame frame = HOLO_FRAME_INIT;

      for (guint i = 0; i < 12; i++)
        data[i] = (gfloat) ((n + i) * (n + i));
      frame.block = holo_block_new (data, 12 * sizeof *data, release, data);
      frame.desc = desc;
      frame.stamp.pts = n * 100 * GST_MSECOND;
      frame.stamp.duration = 100 * GST_MSECOND;
      g_assert_cmpint (gst_app_src_push_buffer (app.source, gst_holo_buffer_new_from_frame (&frame, FALSE, NULL)), ==,
                       GST_FLOW_OK);
    }
  gst_app_src_end_of_stream (app.source);
  for (guint n = 0; n < 5; n++)
    {
      g_autoptr (GstSample) sample = gst_app_sink_pull_sample (app.sink);
      GstHoloTensorInfo info;
      GstHoloBufferMap map;
      const gfloat *data;

      g_assert_true (gst_holo_tensor_info_from_caps (&info, gst_sample_get_caps (sample), NULL));
      g_assert_cmpint (info.desc.rate_n, ==, 10);
      g_assert_true (gst_holo_buffer_map (gst_sample_get_buffer (sample), &info, GST_MAP_READ, &map, NULL));
      data = holo_tensor_view_get_data (&map.view);
      for (guint i = 0; i < 12; i++)
        g_assert_cmpfloat (data[i], ==, n + i);
      g_assert_cmpuint (map.view.stamp.pts, ==, n * 100 * GST_MSECOND);
      gst_holo_buffer_unmap (&map);
    }
  g_assert_null (gst_app_sink_pull_sample (app.sink));
  close_application (&app);
  g_assert_cmpint (g_atomic_int_get (&n_released), ==, 5);
}

/* Video of an odd width as a frame: the strides of the picture, no copy. */
static void
test_video (void)
{
  g_autoptr (GstElement) pipeline =
      test_launch ("videotestsrc num-buffers=1 pattern=snow ! video/x-raw,format=GRAY8,width=7,height=5 ! "
                   "appsink name=sink sync=false");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstSample) sample = NULL;
  GstHoloTensorInfo info;
  HoloFrame frame;
  GstBuffer *buffer;
  guint8 raw[40];

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  sample = gst_app_sink_pull_sample (GST_APP_SINK (sink));
  buffer = gst_sample_get_buffer (sample);
  gst_buffer_extract (buffer, 0, raw, 40);
  g_assert_true (gst_holo_tensor_info_from_caps (&info, gst_sample_get_caps (sample), NULL));
  g_assert_true (gst_holo_frame_from_buffer (&frame, gst_buffer_ref (buffer), &info, FALSE, NULL));
  g_assert_true (gst_holo_block_get_buffer (frame.block) == buffer);
  g_assert_cmpint (frame.desc.strides[1], ==, 8);
  for (guint y = 0; y < 5; y++)
    for (guint x = 0; x < 7; x++)
      g_assert_cmpint (((guint8 *) holo_frame_get_data (&frame))[y * frame.desc.strides[1] + x], ==, raw[y * 8 + x]);
  holo_frame_clear (&frame);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

int
main (int argc, char **argv)
{
  test_init_gst (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/application/frames", test_frames);
  g_test_add_func ("/application/video", test_video);
  return g_test_run ();
}
