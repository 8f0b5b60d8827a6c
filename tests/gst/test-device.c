/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device memory between elements, on a device that is not there: it is slow and its memory cannot be read by the
 * host, so that a wait that is missing, or a map that should not be, shows. */
#include "gst-test.h"
#include "host-test.h"

#include "sim-device.h"

#define FEATURE "memory:CUDAMemory"
#define DEVICE_CAPS                                                                                                    \
  "tensor/strided(memory:CUDAMemory),type=(string)float32,dims=(int)<4>,dims-order=(string)row-major,"                 \
  "framerate=(fraction)30/1"
#define MAX_DELAY 200 /* us */

static SimDevice *the_device;

static HoloDevice *
create_device (const gchar *name, GError **error)
{
  return HOLO_DEVICE (g_object_ref (the_device));
}

/* ---- chains of elements ---- */

static void
test_up_and_down (void)
{
  GstHarness *harness =
      gst_harness_new_parse ("holomemcpy target=Device device=sim:0 ! holosqrt device=sim:0 name=sqrt ! "
                             "queue ! holoqueue device=sim:0 name=queue ! holosqrt device=sim:0 ! "
                             "holomemcpy target=Host device=sim:0");
  g_autoptr (GstElement) sqrt = gst_harness_find_element (harness, "holosqrt");

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint i = 0; i < 100; i++)
    {
      g_assert_cmpint (gst_harness_push (harness, new_frame (i * i * i * i, i)), ==, GST_FLOW_OK);
      if (i % 3 == 2)
        for (guint k = i - 2; k <= i; k++)
          {
            GstBuffer *out = gst_harness_pull (harness);

            g_assert_cmpuint (GST_BUFFER_PTS (out), ==, gst_util_uint64_scale_int (k * GST_SECOND, 1, 30));
            assert_frame (out, k);
          }
    }
  g_assert_cmpuint (get_stat (sqrt, "foreign-waits"), ==, 0);
  gst_harness_teardown (harness);
}

/* What follows knows no fences: it gets memory whose work has ended. */
static void
test_foreign_peer (void)
{
  GstHarness *harness = gst_harness_new_parse ("holomemcpy target=Device device=sim:0 name=up");
  g_autoptr (GstElement) up = gst_harness_find_element (harness, "holomemcpy");

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint i = 0; i < 20; i++)
    {
      HoloFence fence;
      GstBuffer *out;

      g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
      out = gst_harness_pull (harness);
      gst_holo_memory_get_write_fence (gst_buffer_peek_memory (out, 0), &fence);
      g_assert_nonnull (fence.stream);
      g_assert_true (holo_fence_is_passed (&fence));
      gst_buffer_unref (out);
    }
  g_assert_cmpuint (get_stat (up, "foreign-waits"), >, 0);
  gst_harness_teardown (harness);
}

static void
drop_all (GstHarness *harness)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (harness)) != NULL)
    gst_buffer_unref (buffer);
}

/* In the steady state nothing is allocated. */
static void
test_memory_goes_round (void)
{
  GstHarness *harness = gst_harness_new_parse (
      "holomemcpy target=Device device=sim:0 ! holosqrt device=sim:0 ! holomemcpy target=Host device=sim:0");
  guint n_before = 0;

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint i = 0; i < 200; i++)
    {
      if (i == 20)
        n_before = sim_device_get_n_allocations (the_device);
      g_assert_cmpint (gst_harness_push (harness, new_frame (i, i)), ==, GST_FLOW_OK);
      drop_all (harness);
    }
  g_assert_cmpuint (sim_device_get_n_allocations (the_device), ==, n_before);
  gst_harness_teardown (harness);
}

/* ---- graphs ---- */

#define GRAPH_UP_DOWN                                                                                                  \
  GRAPH (NODE ("in", "Input", "") "," NODE ("up", "Memcpy", "\"target\": \"Device\"") "," NODE (                       \
             "sqrt", "Sqrt",                                                                                           \
             "") "," NODE ("q", "Queue", "\"capacity\": 2") "," NODE ("down", "Memcpy",                                \
                                                                      "\"target\": \"Host\"") "," NODE ("out",         \
                                                                                                        "Output", ""), \
         EDGE ("in", 0, "up", 0) "," EDGE ("up", 0, "sqrt", 0) "," EDGE ("sqrt", 0, "q", 0) "," EDGE (                 \
             "q", 0, "down", 0) "," EDGE ("down", 0, "out", 0))

static GstHarness *
new_device_bin (const gchar *graph, const gchar *caps)
{
  GstElement *bin = gst_element_factory_make ("holoflowbin", NULL);
  GstHarness *harness;

  g_object_set (bin, "graph", graph, "device", "sim:0", NULL);
  harness = gst_harness_new_with_element (bin, "sink_in", "src_out");
  gst_object_unref (bin);
  gst_harness_set_src_caps_str (harness, caps);
  return harness;
}

static void
test_graph_with_host_pads (void)
{
  GstHarness *harness = new_device_bin (GRAPH_UP_DOWN, CAPS);

  for (guint i = 0; i < 60; i++)
    {
      g_assert_cmpint (gst_harness_push (harness, new_frame (i * i, i)), ==, GST_FLOW_OK);
      assert_frame (gst_harness_pull (harness), i);
    }
  gst_harness_teardown (harness);
}

/* Device memory in at one pad and out at the other; views and copies too. */
static void
test_graph_with_device_pads (void)
{
  g_autofree gchar *line = with_graph ("holomemcpy target=Device device=sim:0 ! holoflowbin device=sim:0 GRAPH ! "
                                       "holomemcpy target=Host device=sim:0",
                                       GRAPH_SQRT);
  GstHarness *harness = gst_harness_new_parse (line);

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint i = 0; i < 60; i++)
    {
      g_assert_cmpint (gst_harness_push (harness, new_frame (i * i, i)), ==, GST_FLOW_OK);
      assert_frame (gst_harness_pull (harness), i);
    }
  {
    g_autoptr (GstElement) found = gst_harness_find_element (harness, "holoflowbin");

    g_assert_cmpuint (get_stat (found, "foreign-waits"), ==, 0);
    g_assert_cmpuint (get_stat (found, "copies"), ==, 0);
  }
  gst_harness_teardown (harness);
}

/* ---- memory that was lent comes back by itself ---- */

static void
note_back (gpointer n_back)
{
  g_atomic_int_inc ((gint *) n_back);
}

static void
test_input_comes_back (void)
{
  GstHarness *harness = new_device_bin (GRAPH_UP_DOWN, CAPS);
  gint n_back = 0;
  gfloat data[4] = { 4, 4, 4, 4 };

  for (guint i = 0; i < 3; i++)
    {
      GstBuffer *buffer =
          gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, data, sizeof data, 0, sizeof data, &n_back, note_back);

      g_assert_cmpint (gst_harness_push (harness, buffer), ==, GST_FLOW_OK);
    }
  wait_until (g_atomic_int_get (&n_back) == 3);
  gst_harness_teardown (harness);
}

/* Memory that waits for a device that stands still is not given back. */
static void
test_input_is_held (void)
{
  GstHarness *harness = gst_harness_new_parse ("holomemcpy target=Device device=sim:0 ! holoqueue device=sim:0");
  gint n_back = 0;
  gfloat data[4] = { 4, 4, 4, 4 };

  gst_harness_set_src_caps_str (harness, CAPS);
  sim_device_hold (the_device, TRUE);
  g_assert_cmpint (gst_harness_push (harness, gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, data, sizeof data,
                                                                           0, sizeof data, &n_back, note_back)),
                   ==, GST_FLOW_OK);
  g_usleep (20000);
  g_assert_cmpint (g_atomic_int_get (&n_back), ==, 0);
  sim_device_hold (the_device, FALSE);
  wait_until (g_atomic_int_get (&n_back) == 1);
  gst_harness_teardown (harness);
}

/* ---- what upstream is offered ---- */

static void
test_pinned_pool_is_offered (void)
{
  GstHarness *harness = new_device_bin (GRAPH_UP_DOWN, CAPS);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (harness->element, "sink_in");
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
  g_autoptr (GstBufferPool) pool = NULL;
  g_autoptr (GstBuffer) buffer = NULL;
  guint size, minimum, maximum;

  g_assert_true (gst_pad_query (pad, query));
  g_assert_cmpuint (gst_query_get_n_allocation_pools (query), ==, 1);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &minimum, &maximum);
  g_assert_nonnull (pool);
  g_assert_cmpuint (minimum, >=, 2);
  g_assert_cmpuint (maximum, ==, 0);
  g_assert_true (gst_holo_query_has_fences (query));
  g_assert_true (gst_buffer_pool_set_active (pool, TRUE));
  g_assert_cmpint (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), ==, GST_FLOW_OK);
  g_assert_cmpstr (gst_buffer_peek_memory (buffer, 0)->allocator->mem_type, ==, "HoloMemory");
  for (guint i = 0; i < 4; i++)
    {
      gfloat value = 9;

      gst_buffer_fill (buffer, i * sizeof value, &value, sizeof value);
    }
  g_assert_cmpint (gst_harness_push (harness, g_steal_pointer (&buffer)), ==, GST_FLOW_OK);
  assert_frame (gst_harness_pull (harness), 3);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_harness_teardown (harness);
}

/* ---- application side ---- */

/* The library maps device memory for the device and says what to wait for. */
static void
test_map_for_the_device (void)
{
  GstHarness *harness = gst_harness_new_parse ("holomemcpy target=Device device=sim:0");
  g_autoptr (GError) error = NULL;
  GstHoloTensorInfo info;
  GstHoloBufferMap map;
  GstBuffer *out;
  GstCaps *caps;

  gst_harness_set_src_caps_str (harness, CAPS);
  g_assert_cmpint (gst_harness_push (harness, new_frame (7, 0)), ==, GST_FLOW_OK);
  out = gst_harness_pull (harness);
  caps = gst_pad_get_current_caps (harness->sinkpad);
  g_assert_true (gst_holo_tensor_info_from_caps (&info, caps, &error));
  g_assert_cmpint (info.desc.mem_loc, ==, HOLO_MEM_LOC_DEVICE);
  g_assert_true (gst_holo_buffer_map (out, &info, GST_MAP_READ, &map, &error));
  g_assert_no_error (error);
  g_assert_true (map.view.storage->device == HOLO_DEVICE (the_device));
  g_assert_true (holo_fence_wait_host (&map.view.fence, NULL));
  g_assert_cmpfloat (((gfloat *) sim_device_map (the_device, holo_tensor_view_get_data (&map.view)))[2], ==, 7);
  gst_holo_buffer_unmap (&map);
  gst_caps_unref (caps);
  gst_buffer_unref (out);
  gst_harness_teardown (harness);
}

/* Memory outlives the elements that made it. */
static void
test_memory_outlives_elements (void)
{
  GstHarness *harness = gst_harness_new_parse ("holomemcpy target=Device device=sim:0 ! holosqrt device=sim:0");
  GstBuffer *out[4];

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint i = 0; i < 4; i++)
    {
      g_assert_cmpint (gst_harness_push (harness, new_frame (16, i)), ==, GST_FLOW_OK);
      out[i] = gst_harness_pull (harness);
    }
  gst_harness_teardown (harness);
  for (guint i = 0; i < 4; i++)
    {
      g_assert_true (gst_holo_buffer_wait_host (out[i], TRUE, NULL));
      gst_buffer_unref (out[i]);
    }
  g_assert_cmpuint (sim_device_get_allocated (the_device), ==, 0);
}

/* ---- states ---- */

static void
test_start_and_stop (void)
{
  g_autoptr (GstElement) pipeline =
      test_launch ("videotestsrc ! video/x-raw,format=GRAY8,width=16,height=16 ! holovideototensor ! "
                   "holomemcpy target=Device device=sim:0 ! holoconversion target=F32 device=sim:0 ! queue ! "
                   "holosqrt device=sim:0 ! holoqueue device=sim:0 ! holomemcpy target=Host device=sim:0 ! fakesink");

  for (guint i = 0; i < 20; i++)
    {
      gst_element_set_state (pipeline, GST_STATE_PLAYING);
      g_usleep (i * 2000);
      stop_soon (pipeline);
    }
  assert_stopped_soon ();
  g_assert_cmpuint (sim_device_get_allocated (the_device), ==, 0);
}

static void
test_flush (void)
{
  GstHarness *harness =
      gst_harness_new_parse ("holomemcpy target=Device device=sim:0 ! holoqueue device=sim:0 ! holosqrt device=sim:0 ! "
                             "holomemcpy target=Host device=sim:0");

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint round = 0; round < 5; round++)
    {
      GstSegment segment;

      for (guint i = 0; i < 3; i++)
        g_assert_cmpint (gst_harness_push (harness, new_frame (round * round, i)), ==, GST_FLOW_OK);
      gst_harness_push_event (harness, gst_event_new_flush_start ());
      gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
      drop_all (harness);
      gst_segment_init (&segment, GST_FORMAT_TIME);
      gst_harness_push_event (harness, gst_event_new_segment (&segment));
      g_assert_cmpint (gst_harness_push (harness, new_frame (64, 0)), ==, GST_FLOW_OK);
      assert_frame (gst_harness_pull (harness), 8);
    }
  gst_harness_teardown (harness);
}

/* ---- errors ---- */

static void
assert_says (const gchar *text, const gchar *word)
{
  g_autofree gchar *line = with_graph (text, GRAPH_UP_DOWN), *said = NULL;
  g_autoptr (GstElement) pipeline = test_launch (line);

  said = play_to_error (pipeline);
  if (strstr (said, word) == NULL)
    g_error ("%s: \"%s\" does not say \"%s\"", text, said, word);
}

#define VIDEO "videotestsrc num-buffers=3 ! video/x-raw,format=GRAY8,width=8,height=4 ! holovideototensor ! "

/* One clear error, and the rest of the plugin works. */
static void
test_no_device (void)
{
  g_autoptr (HoloDevice) device = holo_registry_create_device (holo_registry_get_default (), "cuda:0", NULL);

  if (device != NULL)
    {
      g_test_skip ("there is a CUDA device");
      return;
    }
  assert_says (VIDEO "holoflowbin device=cuda:0 GRAPH ! fakesink", "there is no CUDA device");
  assert_says (VIDEO "holoqueue device=cuda:0 ! fakesink", "there is no CUDA device");
  assert_says (VIDEO "holoabs device=cuda:7 ! fakesink", "there is no CUDA device");
  /* found out only when the tensors are known */
  assert_says (VIDEO "holomemcpy target=Device ! fakesink", "there is no CUDA device");
  assert_says (VIDEO "holoflowbin GRAPH ! fakesink", "there is no CUDA device");
}

static void
test_wrong_device (void)
{
  assert_says (VIDEO "holoqueue device=nonsense ! fakesink", "nonsense");
  assert_says (VIDEO "holomemcpy target=Device device=host ! fakesink", "\"host\"");
  assert_says (VIDEO "holoflowbin device=host GRAPH ! fakesink", "device");
}

/* Pads offer device memory behind host memory, and only where all that follows takes it. */
static void
test_caps (void)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch (
      "holovideototensor name=a ! holoconversion target=F32 name=b ! holoqueue name=c ! holonpywriter "
      "path=/nowhere name=d holosqrt name=e ! fakesink",
      NULL);
  const gchar *names[] = { "a", "b", "c" };

  gst_element_set_state (pipeline, GST_STATE_READY);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), names[i]);
      g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
      g_autoptr (GstCaps) caps = NULL;
      g_autofree gchar *text = NULL;

      caps = gst_pad_query_caps (pad, NULL);
      text = gst_caps_to_string (caps);
      if (strstr (text, FEATURE) != NULL)
        g_error ("%s: %s", names[i], text);
    }
  {
    g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), "e");
    g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
    g_autoptr (GstCaps) caps = gst_pad_query_caps (pad, NULL);

    g_assert_true (
        gst_caps_features_is_equal (gst_caps_get_features (caps, 0), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY));
    g_assert_true (gst_caps_features_contains (gst_caps_get_features (caps, gst_caps_get_size (caps) - 1), FEATURE));
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

int
main (int argc, char **argv)
{
  static const gchar *const kinds[] = { "Abs", "Conversion", "Sqrt" };
  int status;

  test_init_gst (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  the_device = SIM_DEVICE (sim_device_new (1, MAX_DELAY));
  g_assert_true (holo_registry_register_device (holo_registry_get_default (), "sim", create_device, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) /* as the CUDA module says of its devices */
    holo_registry_add_device_kind (holo_registry_get_default (), kinds[i]);
  g_test_add_func ("/device/up-and-down", test_up_and_down);
  g_test_add_func ("/device/foreign-peer", test_foreign_peer);
  g_test_add_func ("/device/memory-goes-round", test_memory_goes_round);
  g_test_add_func ("/device/graph-with-host-pads", test_graph_with_host_pads);
  g_test_add_func ("/device/graph-with-device-pads", test_graph_with_device_pads);
  g_test_add_func ("/device/input-comes-back", test_input_comes_back);
  g_test_add_func ("/device/input-is-held", test_input_is_held);
  g_test_add_func ("/device/pinned-pool-is-offered", test_pinned_pool_is_offered);
  g_test_add_func ("/device/map-for-the-device", test_map_for_the_device);
  g_test_add_func ("/device/memory-outlives-elements", test_memory_outlives_elements);
  g_test_add_func ("/device/start-and-stop", test_start_and_stop);
  g_test_add_func ("/device/flush", test_flush);
  g_test_add_func ("/device/no-device", test_no_device);
  g_test_add_func ("/device/wrong-device", test_wrong_device);
  g_test_add_func ("/device/caps", test_caps);
  status = g_test_run ();
  g_object_unref (the_device);
  return status;
}
