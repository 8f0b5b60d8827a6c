/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include <gst/holoflow/gstholoflow.h>

static void
info_from_text (GstHoloTensorInfo *info, const gchar *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  g_autoptr (GError) error = NULL;

  gst_holo_tensor_info_from_caps (info, caps, &error);
  g_assert_no_error (error);
}

/* A buffer of @size bytes 0, 1, 2 ... */
static GstBuffer *
new_buffer (gsize size)
{
  guint8 *data = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) i;
  return gst_buffer_new_wrapped (data, size);
}

static void
assert_fails (GstBuffer *buffer, const GstHoloTensorInfo *info, const gchar *first, const gchar *second)
{
  g_autoptr (GError) error = NULL;
  GstHoloBufferMap map;
  HoloFrame frame;

  g_assert_false (gst_holo_buffer_map (buffer, info, GST_MAP_READ, &map, &error));
  if (strstr (error->message, first) == NULL || strstr (error->message, second) == NULL)
    g_error ("\"%s\" does not name \"%s\" and \"%s\"", error->message, first, second);
  g_clear_error (&error);
  g_assert_false (gst_holo_frame_from_buffer (&frame, gst_buffer_ref (buffer), info, FALSE, &error));
  g_assert_nonnull (strstr (error->message, second));
}

static void
test_map (void)
{
  g_autoptr (GstBuffer) buffer = new_buffer (24);
  GstHoloTensorInfo info;
  GstHoloBufferMap map;
  gfloat *element;

  info_from_text (&info, "tensor/strided, type=float32, dims=(int)<2,3>");
  GST_BUFFER_PTS (buffer) = 7;
  GST_BUFFER_DURATION (buffer) = 9;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  g_assert_true (gst_holo_buffer_map (buffer, &info, GST_MAP_READWRITE, &map, NULL));
  g_assert_false (map.copied);
  g_assert_cmpuint (map.trailing, ==, 0);
  g_assert_cmpuint (map.view.stamp.pts, ==, 7);
  g_assert_cmpuint (map.view.stamp.duration, ==, 9);
  g_assert_cmpuint (map.view.stamp.flags, ==, HOLO_STAMP_DISCONT);
  element = holo_tensor_view_get_data (&map.view);
  element[5] = 0.5f;
  gst_holo_buffer_unmap (&map);
  {
    gfloat found;

    gst_buffer_extract (buffer, 20, &found, 4);
    g_assert_cmpfloat (found, ==, 0.5f);
  }
}

static void
test_short (void)
{
  g_autoptr (GstBuffer) buffer = new_buffer (32);
  GstHoloTensorInfo info;

  info_from_text (&info, "video/x-raw, format=GRAY8, width=8, height=8, framerate=1/1");
  assert_fails (buffer, &info, "32", "64");
  info_from_text (&info, "tensor/strided, type=uint8, dims=(int)<8,8>");
  assert_fails (buffer, &info, "32", "64");
}

static void
test_trailing (void)
{
  g_autoptr (GstBuffer) buffer = new_buffer (44);
  GstHoloTensorInfo info;
  GstHoloBufferMap map;

  info_from_text (&info, "video/x-raw, format=GRAY8, width=8, height=4, framerate=1/1");
  g_assert_true (gst_holo_buffer_map (buffer, &info, GST_MAP_READ, &map, NULL));
  g_assert_cmpuint (map.trailing, ==, 12);
  gst_holo_buffer_unmap (&map);
}

/* The padding behind the last row may be missing. */
static void
test_no_last_padding (void)
{
  g_autoptr (GstBuffer) buffer = new_buffer (39);
  GstHoloTensorInfo info;
  GstHoloBufferMap map;

  info_from_text (&info, "video/x-raw, format=GRAY8, width=7, height=5, framerate=1/1");
  g_assert_true (gst_holo_buffer_map (buffer, &info, GST_MAP_READ, &map, NULL));
  g_assert_cmpuint (map.trailing, ==, 0);
  gst_holo_buffer_unmap (&map);
}

static void
add_video_meta (GstBuffer *buffer, gsize offset, gint stride)
{
  gsize offsets[GST_VIDEO_MAX_PLANES] = { offset };
  gint strides[GST_VIDEO_MAX_PLANES] = { stride };

  gst_buffer_add_video_meta_full (buffer, 0, GST_VIDEO_FORMAT_GRAY8, 7, 3, 1, offsets, strides);
}

static void
test_video_meta (void)
{
  GstHoloTensorInfo info;
  static const gint bad[] = { 0, 3, -8, 6 };

  info_from_text (&info, "video/x-raw, format=GRAY8, width=7, height=3, framerate=1/1");
  {
    g_autoptr (GstBuffer) buffer = new_buffer (64);
    GstHoloBufferMap map;

    add_video_meta (buffer, 5, 20);
    g_assert_true (gst_holo_buffer_map (buffer, &info, GST_MAP_READ, &map, NULL));
    g_assert_cmpuint (map.trailing, ==, 0);
    g_assert_cmpint (((guint8 *) holo_tensor_view_get_data (&map.view))[map.view.desc.strides[1] * 2 + 6], ==, 51);
    gst_holo_buffer_unmap (&map);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GstBuffer) buffer = new_buffer (64);
      g_autofree gchar *text = g_strdup_printf ("%d", bad[i]);

      add_video_meta (buffer, 0, bad[i]);
      assert_fails (buffer, &info, text, "7");
    }
}

static void
test_tensor_meta (void)
{
  const gint64 shape[] = { 3, 2 }, wrong[] = { 2, 3 };
  g_autoptr (GstBuffer) buffer = new_buffer (64), copy = NULL;
  GstHoloTensorInfo info;
  GstHoloBufferMap map;
  HoloTensorDesc desc;

  /* transposed, every second element, from byte 4 on */
  info_from_text (&info, "tensor/strided, type=uint8, dims=(int)<3,2>");
  holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 2, shape, (gint64[]){ 2, 10 }, 4);
  gst_buffer_add_holo_tensor_meta (buffer, &desc);
  copy = gst_buffer_copy_deep (buffer);
  g_assert_true (gst_holo_buffer_map (copy, &info, GST_MAP_READ, &map, NULL));
  g_assert_true (holo_tensor_desc_equal (&map.view.desc, &desc));
  g_assert_cmpint (*(guint8 *) holo_tensor_view_get_data (&map.view), ==, 4);
  gst_holo_buffer_unmap (&map);

  gst_buffer_get_holo_tensor_meta (copy)->desc.strides[0] = 0;
  assert_fails (copy, &info, "stride of 0", "1");
  gst_buffer_get_holo_tensor_meta (copy)->desc.strides[0] = 2;
  gst_buffer_get_holo_tensor_meta (copy)->desc.strides[1] = 3;
  assert_fails (copy, &info, "stride of 3", "5");
  gst_buffer_get_holo_tensor_meta (copy)->desc.strides[1] = 10;
  gst_buffer_get_holo_tensor_meta (copy)->desc.offset = 60;
  assert_fails (copy, &info, "64", "75");
  holo_tensor_desc_init (&gst_buffer_get_holo_tensor_meta (copy)->desc, HOLO_DTYPE_U8, 0, 2, wrong);
  assert_fails (copy, &info, "[2,3]", "[3,2]");
}

/* A part of a buffer has not the layout of the whole. */
static void
test_meta_of_region (void)
{
  const gint64 shape[] = { 4 };
  g_autoptr (GstBuffer) buffer = new_buffer (16), part = NULL;
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 1, shape);
  gst_buffer_add_holo_tensor_meta (buffer, &desc);
  part = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_ALL, 4, 8);
  g_assert_null (gst_buffer_get_holo_tensor_meta (part));
}

static void
test_swap (void)
{
  const gchar *format = G_BYTE_ORDER == G_LITTLE_ENDIAN ? "GRAY16_BE" : "GRAY16_LE";
  g_autofree gchar *text = g_strdup_printf ("video/x-raw, format=%s, width=3, height=2, framerate=1/1", format);
  g_autoptr (GstBuffer) buffer = new_buffer (16);
  GstHoloTensorInfo info;
  GstHoloBufferMap map;
  HoloFrame frame;
  guint16 *samples;

  info_from_text (&info, text);
  g_assert_true (gst_holo_buffer_map (buffer, &info, GST_MAP_READWRITE, &map, NULL));
  g_assert_true (map.copied);
  g_assert_true (holo_tensor_desc_is_dense (&map.view.desc));
  samples = holo_tensor_view_get_data (&map.view);
  g_assert_cmphex (samples[0], ==, G_BYTE_ORDER == G_LITTLE_ENDIAN ? 0x0001 : 0x0100);
  g_assert_cmphex (samples[3], ==, G_BYTE_ORDER == G_LITTLE_ENDIAN ? 0x0809 : 0x0908);
  samples[0] = 0x1234;
  gst_holo_buffer_unmap (&map);
  {
    guint16 raw;

    gst_buffer_extract (buffer, 0, &raw, 2);
    g_assert_cmphex (raw, ==, 0x3412);
  }
  g_assert_true (gst_holo_frame_from_buffer (&frame, g_steal_pointer (&buffer), &info, FALSE, NULL));
  g_assert_cmphex (((guint16 *) holo_frame_get_data (&frame))[0], ==, 0x1234);
  holo_frame_clear (&frame);
}

/* Memory that is not aligned for its type is copied instead of read wrongly. */
static void
test_unaligned (void)
{
  g_autoptr (GstBuffer) buffer = new_buffer (17);
  GstHoloTensorInfo info;
  GstHoloBufferMap map;
  gdouble expected;
  guint8 bytes[17];

  info_from_text (&info, "tensor/strided, type=float64, dims=(int)<2>");
  gst_buffer_extract (buffer, 0, bytes, 17);
  memcpy (&expected, bytes + 1, 8);
  gst_buffer_resize (buffer, 1, 16);
  g_assert_true (gst_holo_buffer_map (buffer, &info, GST_MAP_READ, &map, NULL));
  g_assert_true (map.copied);
  g_assert_cmpint ((guintptr) holo_tensor_view_get_data (&map.view) % 8, ==, 0);
  g_assert_cmpmem (holo_tensor_view_get_data (&map.view), 8, &expected, 8);
  gst_holo_buffer_unmap (&map);
}

/* All memories of a buffer together are the tensor. */
static void
test_several_memories (void)
{
  g_autoptr (GstBuffer) buffer = new_buffer (5), second = new_buffer (7);
  GstHoloTensorInfo info;
  GstHoloBufferMap map;

  info_from_text (&info, "tensor/strided, type=uint8, dims=(int)<12>");
  buffer = gst_buffer_append (buffer, g_steal_pointer (&second));
  g_assert_cmpuint (gst_buffer_n_memory (buffer), ==, 2);
  g_assert_true (gst_holo_buffer_map (buffer, &info, GST_MAP_READ, &map, NULL));
  g_assert_cmpint (((guint8 *) holo_tensor_view_get_data (&map.view))[4], ==, 4);
  g_assert_cmpint (((guint8 *) holo_tensor_view_get_data (&map.view))[11], ==, 6);
  gst_holo_buffer_unmap (&map);
}

static void
test_empty (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstHoloTensorInfo info;
  GstHoloBufferMap map;

  info_from_text (&info, "tensor/strided, type=float32, dims=(int)<0,8>");
  g_assert_true (gst_holo_buffer_map (buffer, &info, GST_MAP_READ, &map, NULL));
  gst_holo_buffer_unmap (&map);
}

/* ---- frames ---- */

static guint n_finalized;

static void
count_finalized (gpointer data, GstMiniObject *object)
{
  n_finalized++;
}

/* Buffer -> frame -> buffer is the same buffer, with the stamp's time; nothing is copied. */
static void
test_frame_same_buffer (void)
{
  GstBuffer *buffer = new_buffer (16), *back;
  GstHoloTensorInfo info;
  HoloFrame frame = HOLO_FRAME_INIT;

  info_from_text (&info, "tensor/strided, type=uint8, dims=(int)<16>");
  GST_BUFFER_PTS (buffer) = 100;
  GST_BUFFER_DTS (buffer) = 90;
  g_assert_true (gst_holo_frame_from_buffer (&frame, buffer, &info, TRUE, NULL));
  g_assert_false (frame.block->read_only);
  g_assert_true (gst_holo_block_get_buffer (frame.block) == buffer);
  g_assert_cmpuint (frame.stamp.pts, ==, 100);
  frame.stamp.pts = 200;
  frame.stamp.flags = HOLO_STAMP_DISCONT;
  back = gst_holo_buffer_new_from_frame (&frame, FALSE, NULL);
  g_assert_true (back == buffer);
  g_assert_null (frame.block);
  g_assert_cmpuint (GST_BUFFER_PTS (back), ==, 200);
  g_assert_cmpuint (GST_BUFFER_DTS (back), ==, GST_CLOCK_TIME_NONE);
  g_assert_true (GST_BUFFER_IS_DISCONT (back));
  g_assert_true (gst_buffer_is_writable (back));
  gst_buffer_unref (back);
}

/* A second holder keeps the memory; the buffer that leaves is then no longer writable in place. */
static void
test_frame_shared (void)
{
  GstBuffer *buffer = new_buffer (16), *back;
  HoloBlock *second;
  GstHoloTensorInfo info;
  HoloFrame frame;

  n_finalized = 0;
  gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), count_finalized, NULL);
  info_from_text (&info, "tensor/strided, type=uint8, dims=(int)<16>");
  g_assert_true (gst_holo_frame_from_buffer (&frame, buffer, &info, FALSE, NULL));
  g_assert_true (frame.block->read_only);
  second = holo_block_ref (frame.block);
  back = gst_holo_buffer_new_from_frame (&frame, FALSE, NULL);
  g_assert_true (gst_buffer_peek_memory (back, 0) == gst_buffer_peek_memory (buffer, 0));
  g_assert_false (gst_buffer_is_all_memory_writable (back));
  g_assert_cmpuint (n_finalized, ==, 0);
  g_assert_cmpint (((guint8 *) second->data)[15], ==, 15);
  /* nothing had to be changed in it: it is the buffer itself */
  g_assert_true (back == buffer);
  g_assert_false (gst_buffer_is_writable (back));
  holo_block_unref (second);
  g_assert_cmpuint (n_finalized, ==, 0);
  g_assert_true (gst_buffer_is_all_memory_writable (back));
  gst_buffer_unref (back);
  g_assert_cmpuint (n_finalized, ==, 1);
}

/* A buffer that somebody else also holds is lent for reading only, whatever is asked for. */
static void
test_frame_of_shared_buffer (void)
{
  g_autoptr (GstBuffer) buffer = new_buffer (16);
  GstHoloTensorInfo info;
  HoloFrame frame;

  info_from_text (&info, "tensor/strided, type=uint8, dims=(int)<16>");
  g_assert_true (gst_holo_frame_from_buffer (&frame, gst_buffer_ref (buffer), &info, TRUE, NULL));
  g_assert_true (frame.block->read_only);
  holo_frame_clear (&frame);
  g_assert_cmpint (GST_MINI_OBJECT_REFCOUNT_VALUE (buffer), ==, 1);
}

static void
count_release (HoloBlock *block)
{
  n_finalized++;
  g_free (block->owner);
  holo_block_free (block);
}

/* Memory of a graph leaves as GstMemory and goes home when that is freed. */
static void
test_frame_of_block (void)
{
  const gint64 shape[] = { 4 };
  guint8 *data = g_malloc0 (32);
  HoloFrame frame = HOLO_FRAME_INIT;
  GstBuffer *buffer;
  guint8 found[4];

  n_finalized = 0;
  for (guint i = 0; i < 32; i++)
    data[i] = (guint8) i;
  frame.block = holo_block_new (data, 32, count_release, data);
  holo_tensor_desc_init_strided (&frame.desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 1, shape, NULL, 8);
  frame.stamp.pts = 5;
  buffer = gst_holo_buffer_new_from_frame (&frame, FALSE, NULL);
  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, 4);
  gst_buffer_extract (buffer, 0, found, 4);
  g_assert_cmpint (found[0], ==, 8);
  g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, 5);
  g_assert_cmpuint (n_finalized, ==, 0);
  gst_buffer_unref (buffer);
  g_assert_cmpuint (n_finalized, ==, 1);
}

/* A tensor that is not dense leaves with a meta, or packed to somebody who does not know the meta. */
static void
test_frame_strided (void)
{
  const gint64 shape[] = { 2, 3 };

  for (gint strided = 0; strided < 2; strided++)
    {
      HoloFrame frame = HOLO_FRAME_INIT;
      GstBuffer *buffer;

      frame.block = holo_block_new_alloc (64, NULL);
      for (guint i = 0; i < 64; i++)
        ((guint8 *) frame.block->data)[i] = (guint8) i;
      holo_tensor_desc_init_strided (&frame.desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 2, shape, (gint64[]){ 10, 2 }, 3);
      buffer = gst_holo_buffer_new_from_frame (&frame, strided, NULL);
      if (strided)
        {
          GstHoloTensorMeta *meta = gst_buffer_get_holo_tensor_meta (buffer);

          g_assert_nonnull (meta);
          g_assert_cmpint (meta->desc.offset, ==, 3);
          g_assert_cmpint (meta->desc.strides[0], ==, 10);
        }
      else
        {
          const guint8 expected[] = { 3, 5, 7, 13, 15, 17 };
          guint8 found[6];

          g_assert_null (gst_buffer_get_holo_tensor_meta (buffer));
          g_assert_cmpuint (gst_buffer_get_size (buffer), ==, 6);
          gst_buffer_extract (buffer, 0, found, 6);
          g_assert_cmpmem (found, 6, expected, 6);
        }
      gst_buffer_unref (buffer);
    }
}

/* A buffer of a pool that a graph writes into leaves as itself and goes back to its pool. */
static void
test_frame_of_pool (void)
{
  g_autoptr (GstBufferPool) pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstMemory *first_memory = NULL;

  gst_buffer_pool_config_set_params (config, NULL, 16, 1, 1);
  g_assert_true (gst_buffer_pool_set_config (pool, config));
  g_assert_true (gst_buffer_pool_set_active (pool, TRUE));
  for (guint i = 0; i < 3; i++)
    {
      const gint64 shape[] = { 16 };
      HoloFrame frame = HOLO_FRAME_INIT;
      GstBuffer *buffer, *back;

      g_assert_cmpint (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), ==, GST_FLOW_OK);
      if (i == 0)
        first_memory = gst_buffer_peek_memory (buffer, 0);
      g_assert_true (gst_buffer_peek_memory (buffer, 0) == first_memory);
      frame.block = gst_holo_block_new_from_buffer (buffer, TRUE, NULL);
      g_assert_false (frame.block->read_only);
      memset (frame.block->data, 0x55, 16);
      holo_tensor_desc_init (&frame.desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 1, shape);
      back = gst_holo_buffer_new_from_frame (&frame, FALSE, NULL);
      g_assert_true (back == buffer);
      gst_buffer_unref (back);
    }
  gst_buffer_pool_set_active (pool, FALSE);
}

/* A pool locks the metas of its buffers; that they cannot be removed is no reason to fail. */
static void
test_frame_of_video_pool (void)
{
  g_autoptr (GstBufferPool) pool = gst_video_buffer_pool_new ();
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-raw, format=GRAY8, width=8, height=2, framerate=1/1");
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstHoloTensorInfo info;

  gst_buffer_pool_config_set_params (config, caps, 16, 1, 1);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  g_assert_true (gst_buffer_pool_set_config (pool, config));
  g_assert_true (gst_buffer_pool_set_active (pool, TRUE));
  g_assert_true (gst_holo_tensor_info_from_caps (&info, caps, NULL));
  for (guint i = 0; i < 3; i++)
    {
      HoloFrame frame;
      GstBuffer *buffer, *back;

      g_assert_cmpint (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), ==, GST_FLOW_OK);
      g_assert_nonnull (gst_buffer_get_video_meta (buffer));
      g_assert_true (gst_holo_frame_from_buffer (&frame, buffer, &info, TRUE, NULL));
      back = gst_holo_buffer_new_from_frame (&frame, TRUE, NULL);
      g_assert_true (back == buffer);
      g_assert_null (gst_buffer_get_holo_tensor_meta (back));
      gst_buffer_unref (back);
    }
  gst_buffer_pool_set_active (pool, FALSE);
}

/* ---- fences ---- */

static void
test_fences (void)
{
  g_autoptr (GstBuffer) buffer = new_buffer (16);
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("tensor/strided");
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, FALSE);
  HoloDevice *device = holo_device_get_host ();
  HoloFence fence = { holo_device_create_stream (device, NULL), 42 }, found;

  g_assert_false (gst_holo_query_has_fences (query));
  gst_holo_query_add_fences (query);
  gst_holo_query_add_fences (query);
  g_assert_true (gst_holo_query_has_fences (query));
  g_assert_cmpuint (gst_query_get_n_allocation_metas (query), ==, 1);

  gst_holo_memory_get_write_fence (memory, &found);
  g_assert_null (found.stream);
  g_assert_true (gst_holo_buffer_wait_host (buffer, TRUE, NULL));
  gst_holo_memory_set_write_fence (memory, &fence);
  gst_holo_memory_get_write_fence (memory, &found);
  g_assert_true (found.stream == fence.stream);
  g_assert_cmpuint (found.number, ==, 42);

  {
    HoloFenceSet reads = { 0 };

    fence.number = 43;
    gst_holo_memory_add_read_fence (memory, &fence);
    gst_holo_memory_get_read_fences (memory, &reads);
    g_assert_cmpuint (reads.n_fences, ==, 1);
    g_assert_cmpuint (holo_fence_set_get (&reads, 0)->number, ==, 43);
    holo_fence_set_clear (&reads);
    /* a new writer comes after those who read */
    fence.number = 44;
    gst_holo_memory_set_write_fence (memory, &fence);
    gst_holo_memory_get_read_fences (memory, &reads);
    g_assert_cmpuint (reads.n_fences, ==, 0);
  }
  holo_device_release_stream (device, fence.stream);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/buffer/map", test_map);
  g_test_add_func ("/buffer/short", test_short);
  g_test_add_func ("/buffer/trailing", test_trailing);
  g_test_add_func ("/buffer/no-last-padding", test_no_last_padding);
  g_test_add_func ("/buffer/video-meta", test_video_meta);
  g_test_add_func ("/buffer/tensor-meta", test_tensor_meta);
  g_test_add_func ("/buffer/meta-of-region", test_meta_of_region);
  g_test_add_func ("/buffer/swap", test_swap);
  g_test_add_func ("/buffer/unaligned", test_unaligned);
  g_test_add_func ("/buffer/several-memories", test_several_memories);
  g_test_add_func ("/buffer/empty", test_empty);
  g_test_add_func ("/frame/same-buffer", test_frame_same_buffer);
  g_test_add_func ("/frame/shared", test_frame_shared);
  g_test_add_func ("/frame/of-shared-buffer", test_frame_of_shared_buffer);
  g_test_add_func ("/frame/of-block", test_frame_of_block);
  g_test_add_func ("/frame/strided", test_frame_strided);
  g_test_add_func ("/frame/of-pool", test_frame_of_pool);
  g_test_add_func ("/frame/of-video-pool", test_frame_of_video_pool);
  g_test_add_func ("/fences", test_fences);
  return g_test_run ();
}
