/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers whose elements lie in one way after the other, through graphs that take that and graphs that do not. */
#include "gst-test.h"
#include "host-test.h"
#include "toy-kind.h"

#define F32_2X3                                                                                                        \
  "tensor/strided,type=(string)float32,dims=(int)<2,3>,dims-order=(string)row-major,framerate=(fraction)30/"           \
  "1"
#define N_LAYOUTS 5

/* Byte strides of the 2x3 tensor: dense, padded rows, more padding, columns first, gaps between all. */
static const gint64 layouts[N_LAYOUTS][2] = { { 12, 4 }, { 16, 4 }, { 32, 4 }, { 4, 8 }, { 40, 8 } };

/* Element i of frame @number is @number + i; what lies between them is no element. Where a tensor begins differs too. */
static GstBuffer *
new_tensor (const gint64 *strides, guint number)
{
  const gint64 shape[] = { 2, 3 };
  gint64 offset = number % 2 * 4;
  gsize size = (gsize) (offset + ABS (strides[0]) + 2 * ABS (strides[1]) + 4);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, MAX (size, 24), NULL);
  HoloTensorDesc desc;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data, 0x7f, map.size);
  for (gint64 i = 0; i < 6 && strides[0] > 0 && strides[1] > 0; i++)
    {
      gfloat value = (gfloat) (number + i);

      memcpy (map.data + offset + i / 3 * strides[0] + i % 3 * strides[1], &value, sizeof value);
    }
  gst_buffer_unmap (buffer, &map);
  holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, shape, strides, offset);
  gst_buffer_add_holo_tensor_meta (buffer, &desc);
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale_int (number * GST_SECOND, 1, 30);
  return buffer;
}

/* Takes @buffer: dense, element i is @first + i times @factor. */
static void
assert_tensor (GstBuffer *buffer, guint first, gfloat factor)
{
  g_assert_nonnull (buffer);
  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, 24);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpfloat_with_epsilon (get_element (buffer, i), (gfloat) (first + i) * factor, 1e-5);
  gst_buffer_unref (buffer);
}

#define GRAPH_DOUBLE                                                                                                   \
  GRAPH (NODE ("in", "Input", "") "," NODE ("sum", "Add", "") "," NODE ("out", "Output", ""),                          \
         EDGE ("in", 0, "sum", 0) "," EDGE ("in", 0, "sum", 1) "," EDGE ("sum", 0, "out", 0))

static GstHarness *
new_layout_harness (const gchar *graph)
{
  GstHarness *harness = new_bin_harness (graph, "sink_in", "src_out");

  gst_harness_set_src_caps_str (harness, F32_2X3);
  return harness;
}

/* As many as are kept: compiled once each, whatever their order afterwards. */
static void
test_kept (void)
{
  GstHarness *harness = new_layout_harness (GRAPH_DOUBLE);
  guint n = 0;

  for (guint round = 0; round < 8; round++)
    for (guint i = 0; i < 4; i++, n++)
      assert_tensor (gst_harness_push_and_pull (harness, new_tensor (layouts[round % 2 ? 3 - i : i], n)), n, 2);
  g_assert_cmpuint (get_stat (harness->element, "compiled"), ==, 4);
  g_assert_cmpuint (get_stat (harness->element, "packed"), ==, 0);
  g_assert_cmpuint (get_stat (harness->element, "copies"), ==, 0);
  g_assert_cmpuint (get_calls (harness->element, "sum", "execute"), ==, n);
  test_teardown (harness);
}

/* One more than are kept, in rotation: each was forgotten when it comes again. The results are right all the same. */
static void
test_rotation (void)
{
  GstHarness *harness = new_layout_harness (GRAPH_DOUBLE);
  guint n = 0;

  for (guint round = 0; round < 4; round++)
    for (guint i = 0; i < N_LAYOUTS; i++, n++)
      assert_tensor (gst_harness_push_and_pull (harness, new_tensor (layouts[i], n)), n, 2);
  g_assert_cmpuint (get_stat (harness->element, "compiled"), ==, n);
  g_assert_cmpuint (get_stat (harness->element, "packed"), ==, 0);
  g_assert_cmpuint (get_calls (harness->element, "sum", "execute"), ==, n);

  /* What came last is still there. */
  for (guint round = 0; round < 4; round++)
    for (guint i = 1; i < N_LAYOUTS; i++, n++)
      assert_tensor (gst_harness_push_and_pull (harness, new_tensor (layouts[i], n)), n, 2);
  g_assert_cmpuint (get_stat (harness->element, "compiled"), ==, 20);
  test_teardown (harness);
}

#define GRAPH_TOY                                                                                                      \
  GRAPH (NODE ("in", "Input", "") "," NODE ("toy", "Toy", "") "," NODE ("out", "Output", ""),                          \
         EDGE ("in", 0, "toy", 0) "," EDGE ("toy", 0, "out", 0))

/* A kind that takes dense tensors only, and counts its frames: they are packed, and it goes on counting. */
static void
test_packed (void)
{
  GstHarness *harness = new_layout_harness (GRAPH_TOY);
  guint n = 0;

  for (guint round = 0; round < 4; round++)
    for (guint i = 0; i < N_LAYOUTS; i++, n++)
      assert_tensor (gst_harness_push_and_pull (harness, new_tensor (layouts[i], n)), 2 * n, 1);
  g_assert_cmpuint (get_stat (harness->element, "compiled"), ==, 1);
  g_assert_cmpuint (get_stat (harness->element, "packed"), ==, 4 * (N_LAYOUTS - 1));
  g_assert_cmpuint (get_stat (harness->element, "copies"), ==, 4 * (N_LAYOUTS - 1));
  test_teardown (harness);
}

#define GRAPH_BATCH                                                                                                    \
  GRAPH (NODE ("in", "Input", "") "," NODE ("batch", "BatchQueue",                                                     \
                                            "\"target_capacity\": 12, \"output_size\": 6, "                            \
                                            "\"output_stride\": 6") "," NODE ("out", "Output", ""),                    \
         EDGE ("in", 0, "batch", 0) "," EDGE ("batch", 0, "out", 0))

/* Frames that the graph still holds are not given up for another layout: three frames of two rows make a batch. */
static void
test_remembering (void)
{
  GstHarness *harness = new_layout_harness (GRAPH_BATCH);
  guint n_batches = 4;

  for (guint n = 0; n < 3 * n_batches; n++)
    g_assert_cmpint (gst_harness_push (harness, new_tensor (layouts[(n + 1) % N_LAYOUTS], n)), ==, GST_FLOW_OK);
  for (guint batch = 0; batch < n_batches; batch++)
    {
      g_autoptr (GstBuffer) out = gst_harness_pull (harness);

      g_assert_cmpuint (gst_buffer_get_size (out), ==, 72);
      for (guint i = 0; i < 18; i++)
        g_assert_cmpfloat (get_element (out, i), ==, 3 * batch + i / 6 + i % 6);
    }
  g_assert_cmpuint (get_stat (harness->element, "compiled"), <=, 2);
  g_assert_cmpuint (get_stat (harness->element, "packed"), >, 0);
  test_teardown (harness);
}

/* Behind a queue nothing is lost or overtaken. Packed are those that leave for an element without strides. */
static void
test_queue (void)
{
  GstHarness *harness = new_layout_harness (GRAPH_QUEUE);
  guint n_frames = 40;

  for (guint n = 0; n < n_frames; n++)
    g_assert_cmpint (gst_harness_push (harness, new_tensor (layouts[n % 3], n)), ==, GST_FLOW_OK);
  for (guint n = 0; n < n_frames; n++)
    {
      GstBuffer *out = gst_harness_pull (harness);

      g_assert_cmpuint (GST_BUFFER_PTS (out), ==, gst_util_uint64_scale_int (n * GST_SECOND, 1, 30));
      assert_tensor (out, n, 1);
    }
  g_assert_cmpuint (get_stat (harness->element, "compiled"), ==, 3);
  g_assert_cmpuint (get_calls (harness->element, "q", "push"), ==, n_frames);
  g_assert_true (gst_harness_push_event (harness, gst_event_new_eos ()));
  wait_eos (harness);
  g_assert_cmpuint (get_calls (harness->element, "q", "pop"), ==, n_frames);
  g_assert_cmpuint (get_stat (harness->element, "packed"), ==, 26);
  test_teardown (harness);
}

/* A set of frames has one layout per input. */
static void
test_two_inputs (void)
{
  GstHarness *a = new_bin_harness (GRAPH_ADD, "sink_a", "src_out");
  GstHarness *b = gst_harness_new_with_element (a->element, "sink_b", NULL);
  guint n = 0;

  gst_harness_set_src_caps_str (a, F32_2X3);
  gst_harness_set_src_caps_str (b, F32_2X3);
  for (guint round = 0; round < 4; round++)
    for (guint i = 0; i < 4; i++, n++)
      {
        g_assert_cmpint (gst_harness_push (a, new_tensor (layouts[i % 2], n)), ==, GST_FLOW_OK);
        g_assert_cmpint (gst_harness_push (b, new_tensor (layouts[i / 2], n)), ==, GST_FLOW_OK);
        assert_tensor (gst_harness_pull (a), n, 2);
      }
  g_assert_cmpuint (get_stat (a->element, "compiled"), ==, 4);
  g_assert_cmpuint (get_stat (a->element, "packed"), ==, 0);
  test_teardown (b);
  test_teardown (a);
}

#define GRAPH_SCALE                                                                                                    \
  GRAPH (NODE ("in", "Input", "") "," NODE ("scale", "Normalize", "") "," NODE ("out", "Output", ""),                  \
         EDGE ("in", 0, "scale", 0) "," EDGE ("scale", 0, "out", 0))

static gfloat
push_and_get_last (GstHarness *harness, guint layout, guint number)
{
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (harness, new_tensor (layouts[layout], number));

  return get_element (out, 5);
}

/* A plan that is kept has old settings: they are not those of frames after a change. */
static void
test_settings (void)
{
  GstHarness *harness = new_layout_harness (GRAPH_SCALE);

  for (guint n = 0; n < 4; n++)
    g_assert_cmpfloat (push_and_get_last (harness, n % 2, n), ==, 1);
  g_assert_cmpuint (get_stat (harness->element, "compiled"), ==, 2);
  for (guint round = 2; round < 6; round++)
    {
      gst_child_proxy_set (GST_CHILD_PROXY (harness->element), "scale::maximum", (gdouble) round, NULL);
      /* The plan is exchanged by a thread of its own, between any two frames; then the value is there for good. */
      for (guint n = 0; push_and_get_last (harness, n % 2, 0) != (gfloat) round; n++)
        {
          g_assert_cmpuint (n, <, 5000);
          g_usleep (100);
        }
      for (guint n = 0; n < 4; n++)
        g_assert_cmpfloat (push_and_get_last (harness, n % 2, n), ==, round);
    }
  test_teardown (harness);
}

/* Other caps: a layout of the same strides is another tensor. */
static void
test_caps_change (void)
{
  GstHarness *harness = new_layout_harness (GRAPH_DOUBLE);
  const gint64 shape[] = { 2, 2 };

  assert_tensor (gst_harness_push_and_pull (harness, new_tensor (layouts[1], 1)), 1, 2);
  gst_harness_set_src_caps_str (harness, "tensor/strided,type=(string)float32,dims=(int)<2,2>,"
                                         "dims-order=(string)row-major,framerate=(fraction)30/1");
  for (guint n = 0; n < 4; n++)
    {
      GstBuffer *in = new_tensor (layouts[n % 2], n), *out;
      HoloTensorDesc *desc = &gst_buffer_get_holo_tensor_meta (in)->desc;

      holo_tensor_desc_init_strided (desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, shape, layouts[n % 2], desc->offset);
      out = gst_harness_push_and_pull (harness, in);
      g_assert_cmpuint (gst_buffer_get_size (out), ==, 16);
      g_assert_cmpfloat (get_element (out, 2), ==, 2 * (n + 3));
      gst_buffer_unref (out);
    }
  /* Rows of two are dense at 8 bytes: neither of the two is what the caps mean. */
  g_assert_cmpuint (get_stat (harness->element, "compiled"), ==, 5);
  test_teardown (harness);
}

/* Elements that share bytes, lie backwards or overlap are a producer's mistake. */
static void
test_wrong_strides (void)
{
  static const gint64 wrong[][2] = { { 0, 4 }, { 12, 0 }, { -12, 4 }, { 12, -4 }, { 8, 4 }, { 12, 2 }, { 4, 4 } };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    for (guint queue = 0; queue < 2; queue++)
      {
        GstHarness *harness = new_layout_harness (queue ? GRAPH_QUEUE : GRAPH_DOUBLE);
        g_autoptr (GstBus) bus = test_watch (harness);
        g_autofree gchar *text = NULL;

        assert_tensor (gst_harness_push_and_pull (harness, new_tensor (layouts[1], 0)), 0, queue ? 1 : 2);
        g_assert_cmpint (gst_harness_push (harness, new_tensor (wrong[i], 0)), ==, GST_FLOW_ERROR);
        text = test_pop_text (bus, GST_MESSAGE_ERROR);
        test_assert_names (text, "input \"in\"");
        test_assert_names (text, "stride");
        gst_element_set_bus (harness->element, NULL);
        test_teardown (harness);
      }
}

static gpointer
push_layouts (gpointer user_data)
{
  GstHarness *harness = user_data;

  for (guint n = 0;; n++)
    if (gst_harness_push (harness, new_tensor (layouts[n % N_LAYOUTS], n)) != GST_FLOW_OK)
      return NULL;
}

/* Flushed, and stopped, while one plan follows the other. */
static void
test_interrupted (void)
{
  for (guint round = 0; round < 20; round++)
    {
      GstHarness *harness = new_layout_harness (round % 2 ? GRAPH_QUEUE : GRAPH_DOUBLE);
      GThread *thread = g_thread_new ("push", push_layouts, harness);
      g_autoptr (GstBuffer) first = gst_harness_pull (harness), after = NULL;
      GstPad *pad = gst_element_get_static_pad (harness->element, "sink_in");
      GstSegment segment;

      g_assert_nonnull (first);
      g_usleep (g_random_int_range (0, 3000));
      g_assert_true (gst_pad_send_event (pad, gst_event_new_flush_start ()));
      g_thread_join (thread);
      g_assert_true (gst_pad_send_event (pad, gst_event_new_flush_stop (TRUE)));
      gst_segment_init (&segment, GST_FORMAT_TIME);
      g_assert_true (gst_harness_push_event (harness, gst_event_new_segment (&segment)));
      thread = g_thread_new ("push", push_layouts, harness);
      after = gst_harness_pull (harness);
      g_assert_nonnull (after);
      stop_soon (harness->element);
      g_thread_join (thread);
      gst_object_unref (pad);
      test_teardown (harness);
    }
  assert_stopped_soon ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  toy_kind_register (holo_registry_get_default ());
  test_init_gst (&argc, &argv);
  g_test_add_func ("/gst/layouts/kept", test_kept);
  g_test_add_func ("/gst/layouts/rotation", test_rotation);
  g_test_add_func ("/gst/layouts/packed", test_packed);
  g_test_add_func ("/gst/layouts/remembering", test_remembering);
  g_test_add_func ("/gst/layouts/queue", test_queue);
  g_test_add_func ("/gst/layouts/two-inputs", test_two_inputs);
  g_test_add_func ("/gst/layouts/settings", test_settings);
  g_test_add_func ("/gst/layouts/caps-change", test_caps_change);
  g_test_add_func ("/gst/layouts/wrong-strides", test_wrong_strides);
  g_test_add_func ("/gst/layouts/interrupted", test_interrupted);
  return g_test_run ();
}
