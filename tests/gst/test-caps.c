/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/holoflow/gstholoflow.h>

static void
assert_refused (const gchar *text, const gchar *word)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  g_autoptr (GError) error = NULL;
  GstHoloTensorInfo info;

  g_assert_nonnull (caps);
  g_assert_false (gst_holo_tensor_info_from_caps (&info, caps, &error));
  g_assert_nonnull (error);
  if (strstr (error->message, word) == NULL)
    g_error ("\"%s\" does not name \"%s\"", error->message, word);
}

/* caps -> description -> caps */
static void
test_round_trip (void)
{
  static const gint64 shape[] = { 4, 512, 511, 1, 2, 3, 0, 5 };

  for (guint dtype = 0; dtype < HOLO_N_DTYPES; dtype++)
    for (guint rank = 0; rank <= HOLO_MAX_RANK; rank++)
      for (guint loc = 0; loc < 2; loc++)
        {
          g_autoptr (GstCaps) caps = NULL, again = NULL;
          g_autoptr (GError) error = NULL;
          g_autofree gchar *text = NULL;
          HoloTensorDesc desc, back;

          holo_tensor_desc_init (&desc, dtype, loc, rank, shape);
          desc.rate_n = 30000;
          desc.rate_d = 1001;
          caps = gst_holo_caps_from_desc (&desc, &error);
          g_assert_no_error (error);
          g_assert_true (gst_caps_is_fixed (caps));
          g_assert_true (gst_holo_caps_to_desc (caps, &back, &error));
          g_assert_no_error (error);
          g_assert_true (holo_tensor_desc_equal (&desc, &back));
          g_assert_cmpint (back.rate_n, ==, 30000);
          g_assert_cmpint (back.rate_d, ==, 1001);

          text = gst_caps_to_string (caps);
          again = gst_caps_from_string (text);
          g_assert_true (gst_caps_is_equal (caps, again));
        }
}

static void
test_text (void)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      "tensor/strided, type=(string)float32, dims=(int)<4,512,512>, dims-order=(string)row-major, "
      "framerate=(fraction)25/2");
  HoloTensorDesc desc;

  g_assert_true (gst_holo_caps_to_desc (caps, &desc, NULL));
  g_assert_cmpint (desc.dtype, ==, HOLO_DTYPE_F32);
  g_assert_cmpuint (desc.rank, ==, 3);
  g_assert_cmpint (desc.shape[0], ==, 4);
  g_assert_cmpint (desc.strides[1], ==, 2048);
  g_assert_cmpint (desc.mem_loc, ==, HOLO_MEM_LOC_HOST);
  g_assert_cmpint (desc.rate_n, ==, 25);
  g_assert_cmpint (desc.rate_d, ==, 2);

  gst_caps_take (&caps, gst_caps_from_string ("tensor/strided(memory:CUDAMemory), type=complex64, dims=(int)<7>"));
  g_assert_true (gst_holo_caps_to_desc (caps, &desc, NULL));
  g_assert_cmpint (desc.dtype, ==, HOLO_DTYPE_CF32);
  g_assert_cmpint (desc.mem_loc, ==, HOLO_MEM_LOC_DEVICE);
  g_assert_cmpint (desc.rate_n, ==, 0);
}

static void
test_bad (void)
{
  assert_refused ("tensor/strided, dims=(int)<4>", "type");
  assert_refused ("tensor/strided, type=float31, dims=(int)<4>", "float31");
  assert_refused ("tensor/strided, type=5, dims=(int)<4>", "type");
  assert_refused ("tensor/strided, type=float32", "dims");
  assert_refused ("tensor/strided, type=float32, dims=4", "dims");
  assert_refused ("tensor/strided, type=float32, dims=(int)<4,-1>", "-1");
  assert_refused ("tensor/strided, type=float32, dims=(string)<a>", "dimension 0");
  assert_refused ("tensor/strided, type=float32, dims=(int)<1,1,1,1,1,1,1,1,1>", "9");
  assert_refused ("tensor/strided, type=float32, dims=(int)<2147483647,2147483647,2147483647>", "63 bits");
  assert_refused ("tensor/strided, type=float32, dims=(int)<4>, dims-order=col-major", "col-major");
  assert_refused ("tensor/strided, type={uint8,uint16}, dims=(int)<4>", "not fixed");
  assert_refused ("tensor/strided(memory:DMABuf), type=uint8, dims=(int)<4>", "DMABuf");
  assert_refused ("audio/x-raw", "audio/x-raw");
  assert_refused ("video/x-raw, format=I420, width=4, height=4, framerate=1/1", "I420");
  assert_refused ("video/x-raw, format=GRAY8, height=4, framerate=1/1", "video");
}

static void
test_extent_too_large (void)
{
  const gint64 shape[] = { (gint64) G_MAXINT + 1 };
  g_autoptr (GError) error = NULL;
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 1, shape);
  g_assert_null (gst_holo_caps_from_desc (&desc, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_OVERFLOW);
}

static void
assert_video (const gchar *format, gint width, gint height, const gchar *expected, gint64 row, gboolean swap)
{
  g_autofree gchar *text =
      g_strdup_printf ("video/x-raw, format=%s, width=%d, height=%d, framerate=30/1", format, width, height);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  g_autoptr (GError) error = NULL;
  GstHoloTensorInfo info;
  HoloTensorDesc dense;
  g_autofree gchar *found = NULL;

  g_assert_true (gst_holo_tensor_info_from_caps (&info, caps, &error));
  g_assert_no_error (error);
  g_assert_true (info.is_video);
  g_assert_cmpint (info.swap_bytes, ==, swap);
  g_assert_cmpint (info.desc.strides[1], ==, row);
  g_assert_cmpuint (info.size, ==, row * height);
  g_assert_cmpint (info.desc.rate_n, ==, 30);
  found = holo_tensor_desc_to_string (holo_tensor_desc_init_dense_like (&dense, &info.desc));
  g_assert_true (g_str_has_prefix (found, expected));
}

/* Row sizes as GStreamer gives them: multiples of 4 bytes. Height comes before width. */
static void
test_video (void)
{
  gboolean big = G_BYTE_ORDER == G_BIG_ENDIAN;

  assert_video ("GRAY8", 7, 5, "U8[1,5,7]", 8, FALSE);
  assert_video ("GRAY8", 5, 7, "U8[1,7,5]", 8, FALSE);
  assert_video ("GRAY16_LE", 7, 5, "U16[1,5,7]", 16, big);
  assert_video ("GRAY16_BE", 6, 5, "U16[1,5,6]", 12, !big);
  assert_video ("RGB", 7, 5, "U8[1,5,7,3]", 24, FALSE);
  assert_video ("BGRx", 7, 5, "U8[1,5,7,4]", 28, FALSE);
  assert_video ("ARGB64_BE", 7, 5, "U16[1,5,7,4]", 56, !big);
}

static void
test_squeeze (void)
{
  GstVideoInfo video;
  GstHoloTensorInfo info;

  gst_video_info_set_format (&video, GST_VIDEO_FORMAT_RGB, 7, 5);
  g_assert_true (gst_holo_tensor_info_from_video (&info, &video, TRUE, NULL));
  g_assert_cmpuint (info.desc.rank, ==, 3);
  g_assert_cmpint (info.desc.shape[0], ==, 5);
  g_assert_cmpint (info.desc.shape[1], ==, 7);
  g_assert_cmpint (info.desc.shape[2], ==, 3);
  g_assert_cmpint (info.desc.strides[0], ==, 24);
}

/* A template must survive the registry file, hold every fixed tensor of its ranks, and no other. */
static void
test_template (void)
{
  g_autoptr (GstCaps) caps = gst_holo_caps_new_template (HOLO_DTYPES (U8) | HOLO_DTYPES (F32), HOLO_MEM_LOCS_ANY, 1, 3);
  g_autofree gchar *text = gst_caps_to_string (caps);
  g_autoptr (GstCaps) again = gst_caps_from_string (text);
  gint64 shape[] = { 3, 0, 7, 2 };

  g_assert_nonnull (again);
  g_assert_true (gst_caps_is_equal (caps, again));
  for (guint dtype = 0; dtype < HOLO_N_DTYPES; dtype++)
    for (guint rank = 0; rank <= 4; rank++)
      for (guint loc = 0; loc < 2; loc++)
        {
          g_autoptr (GstCaps) fixed = NULL;
          HoloTensorDesc desc;
          gboolean expected = (dtype == HOLO_DTYPE_U8 || dtype == HOLO_DTYPE_F32) && rank >= 1 && rank <= 3;

          fixed = gst_holo_caps_from_desc (holo_tensor_desc_init (&desc, dtype, loc, rank, shape), NULL);
          g_assert_cmpint (gst_caps_can_intersect (fixed, caps), ==, expected);
        }
}

static void
test_template_any_rank (void)
{
  g_autoptr (GstCaps) caps = gst_holo_caps_new_template (HOLO_DTYPES_ALL, HOLO_MEM_LOCS_HOST, 0, HOLO_MAX_RANK);
  g_autoptr (GstCaps) scalar = gst_caps_from_string ("tensor/strided, type=float64, dims=(int)< >");
  HoloTensorDesc desc;

  g_assert_true (gst_caps_can_intersect (scalar, caps));
  g_assert_true (gst_holo_caps_to_desc (scalar, &desc, NULL));
  g_assert_cmpuint (desc.rank, ==, 0);
}

/* Rank matters: 5x8 and 1x5x8 are not the same. */
static void
test_rank_matters (void)
{
  g_autoptr (GstCaps) a = gst_caps_from_string ("tensor/strided, type=uint8, dims=(int)<5,8>");
  g_autoptr (GstCaps) b = gst_caps_from_string ("tensor/strided, type=uint8, dims=(int)<1,5,8>");

  g_assert_false (gst_caps_can_intersect (a, b));
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/caps/round-trip", test_round_trip);
  g_test_add_func ("/caps/text", test_text);
  g_test_add_func ("/caps/bad", test_bad);
  g_test_add_func ("/caps/extent-too-large", test_extent_too_large);
  g_test_add_func ("/caps/video", test_video);
  g_test_add_func ("/caps/squeeze", test_squeeze);
  g_test_add_func ("/caps/template", test_template);
  g_test_add_func ("/caps/template-any-rank", test_template_any_rank);
  g_test_add_func ("/caps/rank-matters", test_rank_matters);
  return g_test_run ();
}
