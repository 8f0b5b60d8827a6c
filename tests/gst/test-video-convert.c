/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/app/gstappsink.h>

#include "gst-test.h"

#define GRAY8_7X5 "video/x-raw,format=GRAY8,width=7,height=5,framerate=10/1"

static void
fill_numbers (guint8 *data, gsize size)
{
  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) i;
}

static GstBuffer *
new_numbers (gsize size)
{
  g_autofree guint8 *data = g_malloc (size);

  fill_numbers (data, size);
  return test_new_buffer (data, size);
}

static void
assert_caps (GstHarness *h, const gchar *expected)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad), wanted = gst_caps_from_string (expected);

  if (!gst_caps_can_intersect (caps, wanted))
    {
      g_autofree gchar *text = gst_caps_to_string (caps);

      g_error ("caps are %s, not %s", text, expected);
    }
}

/* ---- video to tensor ---- */

/* Padded rows are packed for an element that does not know about strides: no pad byte becomes a pixel. */
static void
test_packed (void)
{
  GstHarness *h = gst_harness_new ("holovideototensor");
  g_autoptr (GstBuffer) out = NULL;
  guint8 expected[35];

  for (guint y = 0; y < 5; y++)
    for (guint x = 0; x < 7; x++)
      expected[y * 7 + x] = (guint8) (y * 8 + x);
  gst_harness_set_src_caps_str (h, GRAY8_7X5);
  out = gst_harness_push_and_pull (h, new_numbers (40));
  assert_caps (h, "tensor/strided,type=uint8,dims=(int)<1,5,7>,framerate=10/1");
  test_assert_bytes (out, expected, 35);
  g_assert_cmpuint (test_get_stat (h->element, "copies"), ==, 1);
  gst_harness_teardown (h);
}

/* One that knows gets the memory itself and a meta. */
static void
test_strided (void)
{
  GstHarness *h = gst_harness_new ("holovideototensor");
  GstBuffer *in = new_numbers (40);
  GstMemory *memory = gst_buffer_peek_memory (in, 0);
  g_autoptr (GstBuffer) out = NULL;
  GstHoloTensorMeta *meta;

  gst_harness_add_propose_allocation_meta (h, GST_HOLO_TENSOR_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (h, GRAY8_7X5);
  out = gst_harness_push_and_pull (h, in);
  meta = gst_buffer_get_holo_tensor_meta (out);
  g_assert_nonnull (meta);
  g_assert_cmpuint (meta->desc.rank, ==, 3);
  g_assert_cmpint (meta->desc.strides[1], ==, 8);
  g_assert_true (gst_buffer_peek_memory (out, 0) == memory);
  g_assert_cmpuint (test_get_stat (h->element, "copies"), ==, 0);
  gst_harness_teardown (h);
}

/* Without padding the buffer itself goes on, whoever comes next, also when a tee holds it too. */
static void
test_dense (void)
{
  GstHarness *h = gst_harness_new ("holovideototensor");
  g_autoptr (GstBuffer) in = new_numbers (40), out = NULL;

  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY16_LE,width=4,height=5,framerate=0/1");
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  g_assert_true (gst_buffer_peek_memory (out, 0) == gst_buffer_peek_memory (in, 0));
  assert_caps (h, "tensor/strided,type=uint16,dims=(int)<1,5,4>,framerate=0/1");
  gst_harness_teardown (h);
}

static void
test_squeeze (void)
{
  GstHarness *h = test_harness ("holovideototensor squeeze=true");
  g_autoptr (GstBuffer) out = NULL;

  gst_harness_set_src_caps_str (h, "video/x-raw,format=RGB,width=4,height=2,framerate=10/1");
  out = gst_harness_push_and_pull (h, new_numbers (24));
  assert_caps (h, "tensor/strided,type=uint8,dims=(int)<2,4,3>");
  test_assert_bytes (
      out, (const guint8[]){ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 },
      24);
  gst_harness_teardown (h);
}

/* Both byte orders give the same values. */
static void
test_byte_order (void)
{
  static const guint16 values[] = { 0x0102, 0x0304, 0x0506, 0x0708 };

  for (guint big = 0; big < 2; big++)
    {
      GstHarness *h = gst_harness_new ("holovideototensor");
      g_autofree gchar *caps =
          g_strdup_printf ("video/x-raw,format=GRAY16_%s,width=2,height=2,framerate=1/1", big ? "BE" : "LE");
      g_autoptr (GstBuffer) out = NULL;
      guint16 raw[4];

      for (guint i = 0; i < 4; i++)
        raw[i] = big ? GUINT16_TO_BE (values[i]) : GUINT16_TO_LE (values[i]);
      gst_harness_set_src_caps_str (h, caps);
      out = gst_harness_push_and_pull (h, test_new_buffer (raw, sizeof raw));
      test_assert_bytes (out, values, sizeof values);
      gst_harness_teardown (h);
    }
}

/* A row distance of a single buffer that cannot be is an error; the frames before it are exact. */
static void
test_bad_stride (void)
{
  static const gint bad[] = { 0, 3, -8 };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      GstHarness *h = gst_harness_new ("holovideototensor");
      g_autoptr (GstBus) bus = test_watch (h);
      g_autofree gchar *text = NULL, *number = g_strdup_printf ("%d", bad[i]);
      gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
      gint stride[GST_VIDEO_MAX_PLANES] = { 8 };
      GstBuffer *buffer = new_numbers (40);

      gst_harness_set_src_caps_str (h, GRAY8_7X5);
      gst_buffer_add_video_meta_full (buffer, 0, GST_VIDEO_FORMAT_GRAY8, 7, 5, 1, offset, stride);
      g_assert_cmpint (gst_harness_push (h, buffer), ==, GST_FLOW_OK);
      gst_buffer_unref (gst_harness_pull (h));
      buffer = new_numbers (40);
      stride[0] = bad[i];
      gst_buffer_add_video_meta_full (buffer, 0, GST_VIDEO_FORMAT_GRAY8, 7, 5, 1, offset, stride);
      g_assert_cmpint (gst_harness_push (h, buffer), ==, GST_FLOW_ERROR);
      text = test_pop_text (bus, GST_MESSAGE_ERROR);
      test_assert_names (text, number);
      gst_element_set_bus (h->element, NULL);
      gst_harness_teardown (h);
    }
}

/* The rows of a buffer may be further apart than the caps say, and start later. */
static void
test_wide_stride (void)
{
  GstHarness *h = gst_harness_new ("holovideototensor");
  gsize offset[GST_VIDEO_MAX_PLANES] = { 3 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 10 };
  GstBuffer *buffer = new_numbers (64);
  g_autoptr (GstBuffer) out = NULL;
  guint8 expected[35];

  for (guint y = 0; y < 5; y++)
    for (guint x = 0; x < 7; x++)
      expected[y * 7 + x] = (guint8) (3 + y * 10 + x);
  gst_harness_set_src_caps_str (h, GRAY8_7X5);
  gst_buffer_add_video_meta_full (buffer, 0, GST_VIDEO_FORMAT_GRAY8, 7, 5, 1, offset, stride);
  out = gst_harness_push_and_pull (h, buffer);
  test_assert_bytes (out, expected, 35);
  gst_harness_teardown (h);
}

static void
test_short_buffer (void)
{
  GstHarness *h = gst_harness_new ("holovideototensor");
  g_autoptr (GstBus) bus = test_watch (h);
  g_autofree gchar *text = NULL;

  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=8,height=8,framerate=1/1");
  g_assert_cmpint (gst_harness_push (h, new_numbers (64)), ==, GST_FLOW_OK);
  g_assert_cmpint (gst_harness_push (h, new_numbers (32)), ==, GST_FLOW_ERROR);
  text = test_pop_text (bus, GST_MESSAGE_ERROR);
  test_assert_names (text, "32");
  test_assert_names (text, "64");
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

static void
test_long_buffer (void)
{
  GstHarness *h = gst_harness_new ("holovideototensor");
  g_autoptr (GstBus) bus = test_watch (h);
  g_autofree gchar *text = NULL;
  guint8 expected[32];

  fill_numbers (expected, 32);
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=8,height=4,framerate=1/1");
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, new_numbers (44));

      test_assert_bytes (out, expected, 32);
    }
  text = test_pop_text (bus, GST_MESSAGE_WARNING);
  test_assert_names (text, "12");
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

/* Rank and type are part of the agreement, in both directions. */
static void
test_mismatch (void)
{
  static const struct
  {
    const gchar *filter;
    gboolean fits;
  } cases[] = {
    { "tensor/strided,type=uint8,dims=(int)<1,5,8>", TRUE },
    { "tensor/strided,type=uint8,dims=(int)<5,8>", FALSE },
    { "tensor/strided,type=uint16,dims=(int)<1,5,8>", FALSE },
    { "tensor/strided,type=uint8,dims=(int)<1,8,5>", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GstElement) pipeline =
          test_launch ("videotestsrc num-buffers=1 ! capsfilter name=in "
                       "caps=video/x-raw,format=GRAY8,width=8,height=5,framerate=1/1 ! holovideototensor ! "
                       "capsfilter name=out ! fakesink name=sink");
      g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
      g_autoptr (GstCaps) caps = gst_caps_from_string (cases[i].filter);
      g_autofree gchar *error = NULL;
      TestSeen seen = { 0 };

      test_watch_buffers (pipeline, "sink", &seen);
      g_object_set (out, "caps", caps, NULL);
      error = test_play (pipeline);
      g_assert_cmpint (error == NULL, ==, cases[i].fits);
      g_assert_cmpuint (seen.n_buffers, ==, cases[i].fits ? 1 : 0);
    }
}

/* Where the element itself is told, it names what it makes and what is asked for. */
static void
test_mismatch_words (void)
{
  GstHarness *h = gst_harness_new ("holovideototensor");
  g_autoptr (GstBus) bus = test_watch (h);
  g_autofree gchar *text = NULL;

  gst_harness_set_caps_str (h, "video/x-raw,format=GRAY8,width=8,height=5,framerate=1/1",
                            "tensor/strided,type=uint8,dims=(int)<5,8>");
  g_assert_cmpint (gst_harness_push (h, new_numbers (40)), ==, GST_FLOW_NOT_NEGOTIATED);
  text = test_pop_text (bus, GST_MESSAGE_ERROR);
  test_assert_names (text, "< 1, 5, 8 >");
  test_assert_names (text, "< 5, 8 >");
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

/* ---- tensor to video ---- */

static void
test_pictures (void)
{
  GstHarness *h = gst_harness_new ("holotensortovideo");
  GstBuffer *in = new_numbers (3 * 2 * 4);

  GST_BUFFER_PTS (in) = GST_SECOND;
  GST_BUFFER_DURATION (in) = 100;
  gst_harness_set_src_caps_str (h, "tensor/strided,type=uint8,dims=(int)<3,2,4>,framerate=10/1");
  g_assert_cmpint (gst_harness_push (h, in), ==, GST_FLOW_OK);
  assert_caps (h, "video/x-raw,format=GRAY8,width=4,height=2,framerate=30/1");
  g_assert_cmpuint (gst_harness_buffers_in_queue (h), ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GstBuffer) out = gst_harness_pull (h);
      guint8 expected[8];

      for (guint k = 0; k < 8; k++)
        expected[k] = (guint8) (i * 8 + k);
      test_assert_bytes (out, expected, 8);
      g_assert_cmpuint (GST_BUFFER_PTS (out), ==, GST_SECOND + i * 100 / 3);
      g_assert_cmpuint (GST_BUFFER_DURATION (out), ==, (i + 1) * 100 / 3 - i * 100 / 3);
      g_assert_true (gst_buffer_peek_memory (out, 0)->parent != NULL || gst_buffer_n_memory (out) == 1);
    }
  g_assert_cmpuint (test_get_stat (h->element, "copies"), ==, 0);
  gst_harness_teardown (h);
}

/* Rows of 7 bytes: video wants 8 unless the next element reads its meta. */
static void
test_rows (void)
{
  for (gint knows = 0; knows < 2; knows++)
    {
      GstHarness *h = gst_harness_new ("holotensortovideo");
      g_autoptr (GstBuffer) out = NULL;
      g_autoptr (GstCaps) caps = NULL;
      GstVideoInfo info;
      GstVideoFrame frame;

      if (knows)
        gst_harness_add_propose_allocation_meta (h, GST_VIDEO_META_API_TYPE, NULL);
      gst_harness_set_src_caps_str (h, "tensor/strided,type=uint8,dims=(int)<5,7>,framerate=10/1");
      out = gst_harness_push_and_pull (h, new_numbers (35));
      caps = gst_pad_get_current_caps (h->sinkpad);
      g_assert_true (gst_video_info_from_caps (&info, caps));
      g_assert_true (gst_video_frame_map (&frame, &info, out, GST_MAP_READ));
      for (gint y = 0; y < 5; y++)
        for (gint x = 0; x < 7; x++)
          g_assert_cmpint (((guint8 *) frame.data[0])[y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0) + x], ==, y * 7 + x);
      gst_video_frame_unmap (&frame);
      g_assert_cmpuint (test_get_stat (h->element, "copies"), ==, knows ? 0 : 1);
      gst_harness_teardown (h);
    }
}

static void
test_colour (void)
{
  GstHarness *h = gst_harness_new ("holotensortovideo");
  g_autoptr (GstBuffer) out = NULL;

  gst_harness_set_caps_str (h, "tensor/strided,type=uint8,dims=(int)<1,2,2,4>,framerate=10/1",
                            "video/x-raw,format=BGRA");
  out = gst_harness_push_and_pull (h, new_numbers (16));
  test_assert_bytes (out, (const guint8[]){ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }, 16);
  assert_caps (h, "video/x-raw,format=BGRA,width=2,height=2,framerate=10/1");
  gst_harness_teardown (h);
}

/* [H,W,C] and [N,H,W] look alike; the property says which it is. */
static void
test_back_squeeze (void)
{
  GstHarness *h = test_harness ("holotensortovideo squeeze=true");
  g_autoptr (GstBuffer) out = NULL;

  gst_harness_set_src_caps_str (h, "tensor/strided,type=uint8,dims=(int)<2,4,3>,framerate=10/1");
  out = gst_harness_push_and_pull (h, new_numbers (24));
  assert_caps (h, "video/x-raw,format=RGB,width=4,height=2,framerate=10/1");
  gst_harness_teardown (h);
}

static void
test_swapped_output (void)
{
  const gchar *other = G_BYTE_ORDER == G_LITTLE_ENDIAN ? "BE" : "LE";
  GstHarness *h = gst_harness_new ("holotensortovideo");
  g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=GRAY16_%s", other);
  static const guint16 values[] = { 0x0102, 0x0304 };
  g_autoptr (GstBuffer) out = NULL;
  guint16 expected[] = { GUINT16_SWAP_LE_BE (0x0102), GUINT16_SWAP_LE_BE (0x0304) };

  gst_harness_set_caps_str (h, "tensor/strided,type=uint16,dims=(int)<1,2>,framerate=10/1", caps);
  out = gst_harness_push_and_pull (h, test_new_buffer (values, sizeof values));
  test_assert_bytes (out, expected, sizeof expected);
  gst_harness_teardown (h);
}

static void
assert_refused (const gchar *caps, const gchar *word)
{
  GstHarness *h = gst_harness_new ("holotensortovideo");
  g_autoptr (GstBus) bus = test_watch (h);
  g_autofree gchar *text = NULL;

  gst_harness_set_src_caps_str (h, caps);
  g_assert_cmpint (gst_harness_push (h, new_numbers (64)), ==, GST_FLOW_NOT_NEGOTIATED);
  text = test_pop_text (bus, GST_MESSAGE_ERROR);
  test_assert_names (text, word);
  /* said once, although the caps are offered again with each buffer */
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR));
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

static void
test_no_pictures (void)
{
  assert_refused ("tensor/strided,type=float32,dims=(int)<4,4>", "Conversion");
  assert_refused ("tensor/strided,type=complex64,dims=(int)<2,4>", "Conversion");
  assert_refused ("tensor/strided,type=uint8,dims=(int)<64>", "[64]");
  assert_refused ("tensor/strided,type=uint8,dims=(int)<2,2,2,2,4>", "[2,2,2,2,4]");
  assert_refused ("tensor/strided,type=uint8,dims=(int)<1,4,4,2>", "[1,4,4,2]");
  assert_refused ("tensor/strided,type=uint8,dims=(int)<0,4>", "[0,4]");
}

/* There and back, for each format and odd sizes: the same pixels, rows stay rows. */
static void
test_round_trip (void)
{
  static const gchar *const formats[] = { "GRAY8", "GRAY16_LE", "GRAY16_BE", "RGB",      "BGR",
                                          "RGBA",  "xRGB",      "RGBA64_LE", "ARGB64_BE" };
  static const gint sizes[][2] = { { 5, 7 }, { 7, 5 }, { 64, 32 }, { 1, 9 } };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,framerate=1/1", formats[f],
                                                  sizes[s][0], sizes[s][1]);
        g_autofree gchar *chain = g_strdup_printf ("holovideototensor ! holotensortovideo ! capsfilter caps=%s", caps);
        GstHarness *h = gst_harness_new_parse (chain);
        g_autoptr (GstCaps) in_caps = gst_caps_from_string (caps);
        g_autoptr (GstBuffer) in = NULL, out = NULL;
        GstVideoInfo info;
        GstVideoFrame a, b;
        gint row;

        g_assert_true (gst_video_info_from_caps (&info, in_caps));
        in = new_numbers (GST_VIDEO_INFO_SIZE (&info));
        gst_harness_set_src_caps_str (h, caps);
        out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
        g_assert_true (gst_video_frame_map (&a, &info, in, GST_MAP_READ));
        g_assert_true (gst_video_frame_map (&b, &info, out, GST_MAP_READ));
        row = GST_VIDEO_INFO_WIDTH (&info) * GST_VIDEO_INFO_COMP_PSTRIDE (&info, 0);
        for (gint y = 0; y < GST_VIDEO_INFO_HEIGHT (&info); y++)
          g_assert_cmpmem ((guint8 *) a.data[0] + y * GST_VIDEO_FRAME_PLANE_STRIDE (&a, 0), row,
                           (guint8 *) b.data[0] + y * GST_VIDEO_FRAME_PLANE_STRIDE (&b, 0), row);
        gst_video_frame_unmap (&b);
        gst_video_frame_unmap (&a);
        gst_harness_teardown (h);
      }
}

/* The size that the end of the pipeline asks for reaches the source. */
static void
test_size_from_downstream (void)
{
  g_autoptr (GstElement) pipeline = test_launch ("videotestsrc num-buffers=1 ! holovideototensor ! holotensortovideo ! "
                                                 "video/x-raw,format=GRAY8,width=64,height=48 ! fakesink name=sink");
  g_autofree gchar *error = NULL;
  TestSeen seen = { 0 };

  test_watch_buffers (pipeline, "sink", &seen);
  error = test_play (pipeline);
  g_assert_cmpstr (error, ==, NULL);
  g_assert_cmpuint (seen.n_bytes, ==, 64 * 48);
}

/* Memory does not grow with the frames, and nothing is left behind, whether rows are padded or not. */
static void
test_no_leak (void)
{
  static const gint widths[] = { 1920, 1921 };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      g_autofree gchar *text = g_strdup_printf (
          "videotestsrc num-buffers=600 pattern=black ! "
          "video/x-raw,format=GRAY8,width=%d,height=64 ! holovideototensor ! holoconversion target=F32 ! "
          "holosqrt ! holoconversion target=U8 ! holotensortovideo ! "
          "appsink name=sink sync=false max-buffers=2",
          widths[i]);
      GstElement *pipeline = test_launch (text);
      GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
      gsize early = 0, late;
      guint n = 0;

      gst_element_set_state (pipeline, GST_STATE_PLAYING);
      for (GstSample *sample; (sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL; n++)
        {
          gst_sample_unref (sample);
          if (n == 200)
            early = test_get_resident ();
        }
      late = test_get_resident ();
      g_assert_cmpuint (n, ==, 600);
      /* 400 leaked frames would be 48 MiB */
      if (!TEST_HAVE_SANITIZER)
        g_assert_cmpuint (late, <, early + 8 * 1024 * 1024);
      gst_element_set_state (pipeline, GST_STATE_NULL);
      gst_object_unref (sink);
      gst_object_unref (pipeline);
      g_assert_cmpuint (test_count_alive ("GstBuffer"), ==, 0);
      g_assert_cmpuint (test_count_alive ("GstHolo"), ==, 0);
    }
}

int
main (int argc, char **argv)
{
  test_init_leaks ();
  test_init_gst (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/to-tensor/packed", test_packed);
  g_test_add_func ("/to-tensor/strided", test_strided);
  g_test_add_func ("/to-tensor/dense", test_dense);
  g_test_add_func ("/to-tensor/squeeze", test_squeeze);
  g_test_add_func ("/to-tensor/byte-order", test_byte_order);
  g_test_add_func ("/to-tensor/bad-stride", test_bad_stride);
  g_test_add_func ("/to-tensor/wide-stride", test_wide_stride);
  g_test_add_func ("/to-tensor/short-buffer", test_short_buffer);
  g_test_add_func ("/to-tensor/long-buffer", test_long_buffer);
  g_test_add_func ("/to-tensor/mismatch", test_mismatch);
  g_test_add_func ("/to-tensor/mismatch-words", test_mismatch_words);
  g_test_add_func ("/to-video/pictures", test_pictures);
  g_test_add_func ("/to-video/rows", test_rows);
  g_test_add_func ("/to-video/colour", test_colour);
  g_test_add_func ("/to-video/squeeze", test_back_squeeze);
  g_test_add_func ("/to-video/swapped", test_swapped_output);
  g_test_add_func ("/to-video/no-pictures", test_no_pictures);
  g_test_add_func ("/both/round-trip", test_round_trip);
  g_test_add_func ("/both/size-from-downstream", test_size_from_downstream);
  g_test_add_func ("/both/no-leak", test_no_leak);
  return g_test_run ();
}
