/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of pipelines on a GPU share. */
#pragma once

#include "host-test.h"

#include <gst/app/gstappsink.h>
#include <gst/holoflow/gstholoflow.h>
#include <gst/video/video.h>
#include <stdlib.h>
#include <string.h>

#define FEATURE      "memory:CUDAMemory"
#define DEVICE_VIDEO "video/x-raw(" FEATURE ")"

/* Without a device the program says so as a TAP result, and ends. */
static inline void
cuda_pipeline_init (int *argc, char ***argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloDevice) device = NULL;

  gst_init (argc, argv);
  g_test_init (argc, argv, NULL);
  device = holo_registry_create_device (holo_registry_get_default (), "cuda:0", &error);
  if (device != NULL)
    return;
  g_print ("1..0 # SKIP no CUDA device (%s)\n", error->message);
  exit (0);
}

/* Skips the test when an element is missing. */
static inline gboolean
cuda_pipeline_have (const gchar *const *elements)
{
  for (guint i = 0; elements[i] != NULL; i++)
    {
      g_autoptr (GstElementFactory) factory = gst_element_factory_find (elements[i]);
      g_autofree gchar *text = NULL;

      if (factory != NULL)
        continue;
      text = g_strdup_printf ("there is no element %s", elements[i]);
      g_test_skip (text);
      return FALSE;
    }
  return TRUE;
}

static inline GstElement *
cuda_pipeline_parse (const gchar *line)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  if (error != NULL)
    g_error ("%s: %s", line, error->message);
  return pipeline;
}

static inline void
cuda_pipeline_wait_eos (GstElement *pipeline, guint seconds, const gchar *line)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message =
      gst_bus_timed_pop_filtered (bus, seconds * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  if (message == NULL)
    g_error ("%s: not at its end after %u s", line, seconds);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    {
      g_autofree gchar *text = get_error_text (message);

      g_error ("%s: %s", line, text);
    }
}

/* Runs to the end. */
static inline void
cuda_pipeline_run (const gchar *line, guint seconds)
{
  g_autoptr (GstElement) pipeline = cuda_pipeline_parse (line);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  cuda_pipeline_wait_eos (pipeline, seconds, line);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

static inline void
cuda_pipeline_append_plane (GByteArray *bytes, GstVideoFrame *frame, guint plane)
{
  guint component = 0;

  while (GST_VIDEO_FRAME_COMP_PLANE (frame, component) != (gint) plane)
    component++;
  for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (frame, component); y++)
    g_byte_array_append (
        bytes,
        (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, plane) + (gssize) y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, plane),
        (guint) (GST_VIDEO_FRAME_COMP_WIDTH (frame, component) * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, component)));
}

/* What the rows of a picture hold, without what pads them. */
static inline GBytes *
cuda_pipeline_read_picture (GstBuffer *buffer, GstVideoInfo *info)
{
  GByteArray *bytes = g_byte_array_new ();
  GstVideoFrame frame;

  g_assert_true (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (&frame); plane++)
    cuda_pipeline_append_plane (bytes, &frame, plane);
  gst_video_frame_unmap (&frame);
  return g_byte_array_free_to_bytes (bytes);
}

static inline GBytes *
cuda_pipeline_read_sample (GstSample *sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstCaps *caps = gst_sample_get_caps (sample);
  GstVideoInfo info;
  gpointer data;
  gsize size;

  if (gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw"))
    {
      g_assert_true (gst_video_info_from_caps (&info, caps));
      return cuda_pipeline_read_picture (buffer, &info);
    }
  gst_buffer_extract_dup (buffer, 0, gst_buffer_get_size (buffer), &data, &size);
  return g_bytes_new_take (data, size);
}

/* The contents of all buffers that arrive at an appsink called "out", as the host reads them. */
static inline GPtrArray *
cuda_pipeline_collect (GstElement *pipeline, const gchar *line)
{
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  GPtrArray *frames = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  GstSample *sample;

  g_object_set (sink, "sync", FALSE, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink), 20 * GST_SECOND)) != NULL)
    {
      g_ptr_array_add (frames, cuda_pipeline_read_sample (sample));
      gst_sample_unref (sample);
    }
  cuda_pipeline_wait_eos (pipeline, 1, line);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return frames;
}

static inline GPtrArray *
cuda_pipeline_collect_line (const gchar *line)
{
  g_autoptr (GstElement) pipeline = cuda_pipeline_parse (line);

  return cuda_pipeline_collect (pipeline, line);
}

static inline void
cuda_pipeline_assert_equal (GPtrArray *a, GPtrArray *b)
{
  g_assert_cmpuint (a->len, >, 0);
  g_assert_cmpuint (a->len, ==, b->len);
  for (guint i = 0; i < a->len; i++)
    {
      gsize size_a, size_b;
      const guint8 *data_a = g_bytes_get_data (g_ptr_array_index (a, i), &size_a);
      const guint8 *data_b = g_bytes_get_data (g_ptr_array_index (b, i), &size_b);

      g_assert_cmpuint (size_a, ==, size_b);
      for (gsize k = 0; k < size_a; k++)
        if (data_a[k] != data_b[k])
          g_error ("frame %u differs first at byte %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT ": %u, not %u", i, k,
                   size_a, data_a[k], data_b[k]);
    }
}

/* Both lines give the same bytes. */
static inline void
cuda_pipeline_assert_same (const gchar *line, const gchar *expected)
{
  g_autoptr (GPtrArray) found = cuda_pipeline_collect_line (line);
  g_autoptr (GPtrArray) wanted = cuda_pipeline_collect_line (expected);

  cuda_pipeline_assert_equal (found, wanted);
}
