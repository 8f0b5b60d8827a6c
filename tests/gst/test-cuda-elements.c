/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements on a GPU, next to GStreamer's own CUDA elements: memory, contexts, planes, errors. */
#include "cuda-pipeline.h"

#if GST_CHECK_VERSION(1, 23, 0)
#include <gst/cuda/gstcuda.h>
#else
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudautils.h>
#endif

static guint64
get_foreign_waits (GstElement *pipeline, const gchar *name)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), name);

  return get_stat (element, "foreign-waits");
}

/* ---- between our elements ---- */

static void
test_up_and_down (void)
{
  GstHarness *harness = gst_harness_new_parse ("holomemcpy target=Device ! holosqrt name=sqrt ! queue ! holoqueue ! "
                                               "holosqrt ! holomemcpy target=Host");
  g_autoptr (GstElement) sqrt = gst_harness_find_element (harness, "holosqrt");

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint i = 0; i < 300; i++)
    {
      gfloat value = i % 64; /* whose fourth power a float holds */

      g_assert_cmpint (gst_harness_push (harness, new_frame (value * value * value * value, i)), ==, GST_FLOW_OK);
      if (i % 3 == 2)
        for (guint k = i - 2; k <= i; k++)
          assert_frame (gst_harness_pull (harness), k % 64);
    }
  g_assert_cmpuint (get_stat (sqrt, "foreign-waits"), ==, 0);
  gst_harness_teardown (harness);
}

/* Large frames, so that work is not done before it is looked at; tee gives both branches the same memory. */
static void
test_branches (void)
{
  const gchar *line = "videotestsrc num-buffers=40 ! video/x-raw,format=GRAY16_LE,width=1024,height=1024 ! "
                      "holovideototensor ! holomemcpy target=Device ! holoconversion target=F32 ! tee name=t "
                      "t. ! queue ! holosqrt ! holosqrt ! fakesink "
                      "t. ! queue ! holoqueue ! holosqrt ! holomemcpy target=Host ! appsink name=out";
  const gchar *host = "videotestsrc num-buffers=40 ! video/x-raw,format=GRAY16_LE,width=1024,height=1024 ! "
                      "holovideototensor ! holoconversion target=F32 ! holosqrt ! appsink name=out";

  cuda_pipeline_assert_same (line, host);
}

/* The host reads device tensors through GStreamer's own map. */
static void
test_foreign_sink (void)
{
  const gchar *line = "videotestsrc num-buffers=30 ! video/x-raw,format=GRAY16_LE,width=1000,height=501 ! "
                      "holovideototensor ! holomemcpy target=Device ! holoconversion target=F32 name=last ! "
                      "appsink name=out";
  const gchar *host = "videotestsrc num-buffers=30 ! video/x-raw,format=GRAY16_LE,width=1000,height=501 ! "
                      "holovideototensor ! holoconversion target=F32 ! appsink name=out";

  cuda_pipeline_assert_same (line, host);
}

/* A live pipeline of elements of ours, a graph among them, never makes the host wait before a push. */
static void
test_graph_between (void)
{
  g_autofree gchar *line = with_graph (
      "videotestsrc num-buffers=50 ! video/x-raw,format=GRAY8,width=640,height=480 ! holovideototensor ! "
      "holomemcpy target=Device name=up ! holoconversion target=F32 name=convert ! holoflowbin name=graph GRAPH ! "
      "holomemcpy target=Host ! appsink name=out",
      GRAPH_SQRT);
  const gchar *host = "videotestsrc num-buffers=50 ! video/x-raw,format=GRAY8,width=640,height=480 ! "
                      "holovideototensor ! holoconversion target=F32 ! holosqrt ! appsink name=out";
  g_autoptr (GstElement) pipeline = cuda_pipeline_parse (line);
  g_autoptr (GPtrArray) found = cuda_pipeline_collect (pipeline, line);
  g_autoptr (GPtrArray) wanted = cuda_pipeline_collect_line (host);

  cuda_pipeline_assert_equal (found, wanted);
  g_assert_cmpuint (get_foreign_waits (pipeline, "convert"), ==, 0);
}

/* ---- pictures of GStreamer's elements ---- */

static const gchar *const transfer_elements[] = { "cudaupload", "cudadownload", NULL };

/* the caps feature is there so that cudadownload does not let device memory pass */
#define HOST_VIDEO "video/x-raw(memory:SystemMemory)"

#define RGBA "video/x-raw,format=RGBA,width=321,height=123,framerate=30/1"

static void
test_pictures (void)
{
  if (!cuda_pipeline_have (transfer_elements))
    return;
  cuda_pipeline_assert_same ("videotestsrc num-buffers=30 pattern=smpte ! " RGBA " ! cudaupload ! holovideototensor ! "
                             "holoqueue ! holotensortovideo ! cudadownload ! " HOST_VIDEO " ! appsink name=out",
                             "videotestsrc num-buffers=30 pattern=smpte ! " RGBA " ! appsink name=out");
  cuda_pipeline_assert_same ("videotestsrc num-buffers=30 pattern=snow ! " RGBA
                             " ! cudaupload ! holovideototensor squeeze=true ! holomemcpy target=Device ! "
                             "holotensortovideo squeeze=true ! " DEVICE_VIDEO ",format=RGBA ! "
                             "cudadownload ! " HOST_VIDEO " ! appsink name=out",
                             "videotestsrc num-buffers=30 pattern=snow ! " RGBA " ! appsink name=out");
}

/* From a pipeline's CUDA pictures into a graph, and out to the host. */
static void
test_pictures_into_graph (void)
{
  g_autofree gchar *line = NULL;

  if (!cuda_pipeline_have (transfer_elements))
    return;
  line = with_graph ("videotestsrc num-buffers=20 ! " RGBA " ! cudaupload ! holoflowbin GRAPH ! appsink name=out",
                     GRAPH (NODE ("in", "Input", "") "," NODE ("q", "Queue", "\"capacity\": 4") "," NODE (
                                "f", "Conversion",
                                "\"target\": \"F32\"") "," NODE ("down", "Memcpy",
                                                                 "\"target\": \"Host\"") "," NODE ("out", "Output", ""),
                            EDGE ("in", 0, "q", 0) "," EDGE ("q", 0, "f", 0) "," EDGE ("f", 0, "down", 0) "," EDGE (
                                "down", 0, "out", 0)));
  cuda_pipeline_assert_same (line, "videotestsrc num-buffers=20 ! " RGBA
                                   " ! holovideototensor ! holoconversion target=F32 ! appsink name=out");
}

static void
assert_plane (const gchar *format, guint width, guint height, guint plane)
{
  g_autofree gchar *source = g_strdup_printf (
                       "videotestsrc num-buffers=5 pattern=smpte ! video/x-raw,format=%s,width=%u,height=%u", format,
                       width, height),
                   *line = g_strdup_printf ("%s ! cudaupload ! holovideototensor plane=%u ! "
                                            "holomemcpy target=Host ! appsink name=out",
                                            source, plane),
                   *host = g_strdup_printf ("%s ! holovideototensor plane=%u ! holomemcpy target=Host ! "
                                            "appsink name=out",
                                            source, plane);

  g_test_message ("%s %ux%u plane %u", format, width, height, plane);
  cuda_pipeline_assert_same (line, host);
}

static void
test_planes (void)
{
  const struct
  {
    const gchar *format;
    guint n_planes;
  } formats[] = { { "NV12", 2 }, { "I420", 3 }, { "Y444", 3 } };

  if (!cuda_pipeline_have (transfer_elements))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint plane = 0; plane < formats[i].n_planes; plane++)
      {
        assert_plane (formats[i].format, 320, 240, plane);
        assert_plane (formats[i].format, 322, 130, plane);
      }
}

/* Each of several graphs of one pipeline, and pipelines beside each other, on one GPU. */
static void
test_several_pipelines (void)
{
  const gchar *line = "videotestsrc num-buffers=60 ! video/x-raw,format=GRAY16_LE,width=512,height=512 ! "
                      "holovideototensor ! holomemcpy target=Device ! holoconversion target=F32 ! holoqueue ! "
                      "holosqrt ! holomemcpy target=Host ! fakesink";
  GstElement *pipelines[4];

  for (guint i = 0; i < G_N_ELEMENTS (pipelines); i++)
    {
      pipelines[i] = cuda_pipeline_parse (line);
      gst_element_set_state (pipelines[i], GST_STATE_PLAYING);
    }
  for (guint i = 0; i < G_N_ELEMENTS (pipelines); i++)
    {
      cuda_pipeline_wait_eos (pipelines[i], 30, line);
      gst_element_set_state (pipelines[i], GST_STATE_NULL);
      gst_object_unref (pipelines[i]);
    }
}

/* ---- memory comes back ---- */

static gboolean
can_acquire (GstBufferPool *pool, guint n)
{
  GstBufferPoolAcquireParams params = { .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT };
  GstBuffer *buffers[8] = { NULL };
  gboolean all = TRUE;

  for (guint i = 0; i < n && all; i++)
    all = gst_buffer_pool_acquire_buffer (pool, &buffers[i], &params) == GST_FLOW_OK;
  for (guint i = 0; i < n; i++)
    gst_clear_buffer (&buffers[i]);
  return all;
}

/* Microseconds until all four are there. */
static gint64
measure_return (GstBufferPool *pool)
{
  gint64 start = g_get_monotonic_time (), limit = start + 10 * G_USEC_PER_SEC;

  while (!can_acquire (pool, 4))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, limit);
      g_usleep (20);
    }
  return g_get_monotonic_time () - start;
}

/* Until the device has read what was pushed. */
static void
await_last_output (GstHarness *harness, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GstBuffer) buffer = gst_harness_pull (harness);

      g_assert_true (gst_holo_buffer_wait_host (buffer, FALSE, NULL));
    }
}

static GstBufferPool *
new_pool_of_four (GstCudaContext *context, GstCaps *caps)
{
  GstBufferPool *pool = gst_cuda_buffer_pool_new (context);
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstVideoInfo info;

  gst_video_info_from_caps (&info, caps);
  gst_buffer_pool_config_set_params (config, caps, (guint) info.size, 4, 4);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  g_assert_true (gst_buffer_pool_set_config (pool, config));
  g_assert_true (gst_buffer_pool_set_active (pool, TRUE));
  return pool;
}

/* As an application makes one, with a context of GStreamer's own. */
static GstCudaContext *
new_context (void)
{
  GstCudaContext *context;

  g_assert_true (gst_cuda_load_library ());
  gst_cuda_memory_init_once ();
  context = gst_cuda_context_new (0);
  g_assert_nonnull (context);
  return context;
}

static GstHarness *
new_bin_with_context (const gchar *graph, GstCudaContext *context)
{
  GstElement *bin = gst_element_factory_make ("holoflowbin", NULL);
  GstContext *shared = gst_context_new_cuda_context (context);
  GstHarness *harness;

  g_object_set (bin, "graph", graph, NULL);
  gst_element_set_context (bin, shared);
  gst_context_unref (shared);
  harness = gst_harness_new_with_element (bin, "sink_in", "src_out");
  gst_object_unref (bin);
  return harness;
}

#define N_ROUNDS 21

/* A pool of four, of which three are pushed: all come back without another frame, at once. */
static void
test_input_comes_back (void)
{
  GstCudaContext *context = new_context ();
  GstCaps *caps = gst_caps_from_string (DEVICE_VIDEO ",format=RGBA,width=1024,height=1024,framerate=30/1");
  g_autoptr (GstBufferPool) pool = new_pool_of_four (context, caps);
  GstHarness *harness =
      new_bin_with_context (GRAPH (NODE ("in", "Input", "") "," NODE (
                                       "f", "Conversion", "\"target\": \"F32\"") "," NODE ("out", "Output", ""),
                                   EDGE ("in", 0, "f", 0) "," EDGE ("f", 0, "out", 0)),
                            context);
  gint64 times[N_ROUNDS];

  gst_harness_set_src_caps (harness, caps);
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      for (guint i = 0; i < 3; i++)
        {
          GstBuffer *buffer = NULL;

          g_assert_cmpint (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), ==, GST_FLOW_OK);
          g_assert_cmpint (gst_harness_push (harness, buffer), ==, GST_FLOW_OK);
        }
      await_last_output (harness, 3);
      times[round] = measure_return (pool);
    }
  qsort (times, N_ROUNDS, sizeof times[0], compare_times);
  g_test_message ("back %" G_GINT64_FORMAT " us after the last read (median; longest %" G_GINT64_FORMAT " us)",
                  times[N_ROUNDS / 2], times[N_ROUNDS - 1]);
  g_assert_cmpint (times[N_ROUNDS / 2], <, 1000);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_harness_teardown (harness);
  gst_object_unref (context);
}

/* ---- contexts ---- */

static GstObject *
ask_for_context (GstElement *element)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstQuery) query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
  GstObject *found = NULL;
  GstContext *context;

  if (!gst_pad_query (pad, query))
    return NULL;
  gst_query_parse_context (query, &context);
  gst_structure_get (gst_context_get_structure (context), GST_CUDA_CONTEXT_TYPE, GST_TYPE_CUDA_CONTEXT, &found, NULL);
  return found;
}

/* An application's context is used by all, also after the application has dropped it. */
static void
test_context_of_application (void)
{
  const gchar *line =
      "videotestsrc num-buffers=30 ! " RGBA " ! cudaupload ! holovideototensor ! "
      "holomemcpy target=Device name=copy ! holoqueue name=queue ! holotensortovideo ! cudadownload ! " HOST_VIDEO
      " ! appsink name=out";
  g_autoptr (GstElement) pipeline = NULL, copy = NULL;
  g_autoptr (GPtrArray) found = NULL, wanted = NULL;
  GstCudaContext *context;
  GstObject *used;
  GstContext *shared;

  if (!cuda_pipeline_have (transfer_elements))
    return;
  context = new_context ();
  pipeline = cuda_pipeline_parse (line);
  shared = gst_context_new_cuda_context (context);
  gst_element_set_context (pipeline, shared);
  gst_context_unref (shared);
  copy = gst_bin_get_by_name (GST_BIN (pipeline), "copy");
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND);
  used = ask_for_context (copy);
  g_assert_true (used == GST_OBJECT (context));
  gst_object_unref (used);
  gst_object_unref (context);
  found = cuda_pipeline_collect (pipeline, line);
  wanted = cuda_pipeline_collect_line ("videotestsrc num-buffers=30 ! " RGBA " ! appsink name=out");
  cuda_pipeline_assert_equal (found, wanted);
}

/* Whoever comes first, there is one context in a pipeline: ours, when we are asked for a device by name. */
static void
test_context_is_shared (void)
{
  const gchar *line = "videotestsrc num-buffers=10 ! " RGBA " ! cudaupload name=up ! holovideototensor ! "
                      "holomemcpy target=Device device=cuda:0 name=copy ! holotensortovideo ! cudadownload ! fakesink";
  g_autoptr (GstElement) pipeline = NULL, copy = NULL, up = NULL;
  g_autoptr (GstObject) ours = NULL, theirs = NULL;

  if (!cuda_pipeline_have (transfer_elements))
    return;
  pipeline = cuda_pipeline_parse (line);
  copy = gst_bin_get_by_name (GST_BIN (pipeline), "copy");
  up = gst_bin_get_by_name (GST_BIN (pipeline), "up");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  cuda_pipeline_wait_eos (pipeline, 20, line);
  ours = ask_for_context (copy);
  theirs = ask_for_context (up);
  g_assert_nonnull (ours);
  g_assert_true (ours == theirs);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* The pipeline goes, its context too; then all again. */
static void
test_again_and_again (void)
{
  const gchar *line = "videotestsrc num-buffers=5 ! " RGBA " ! cudaupload ! holovideototensor ! holoqueue ! "
                      "holotensortovideo ! cudadownload ! fakesink";

  if (!cuda_pipeline_have (transfer_elements))
    return;
  for (guint i = 0; i < 10; i++)
    cuda_pipeline_run (line, 20);
}

static void
test_start_and_stop (void)
{
  g_autoptr (GstElement) pipeline =
      cuda_pipeline_parse ("videotestsrc ! video/x-raw,format=GRAY8,width=512,height=512 ! holovideototensor ! "
                           "holomemcpy target=Device ! holoconversion target=F32 ! queue ! holosqrt ! holoqueue ! "
                           "holomemcpy target=Host ! fakesink");

  for (guint i = 0; i < 15; i++)
    {
      gst_element_set_state (pipeline, GST_STATE_PLAYING);
      g_usleep (i * 4000);
      stop_soon (pipeline);
    }
  assert_stopped_soon ();
}

/* ---- several GPUs ---- */

static gboolean
have_two_devices (void)
{
  g_autoptr (HoloDevice) second = holo_registry_create_device (holo_registry_get_default (), "cuda:1", NULL);

  if (second == NULL)
    g_test_skip ("there is one GPU");
  return second != NULL;
}

#define FRAMES                                                                                                         \
  "videotestsrc num-buffers=30 pattern=snow ! video/x-raw,format=GRAY16_LE,width=500,height=300 ! "                    \
  "holovideototensor ! "

static void
test_two_devices (void)
{
  const gchar *line =
      FRAMES "holomemcpy target=Device device=cuda:1 ! holoconversion target=F32 device=cuda:1 ! queue ! "
             "holosqrt device=cuda:1 ! holomemcpy target=Host device=cuda:1 ! "
             "holomemcpy target=Device device=cuda:0 ! queue ! holosqrt device=cuda:0 ! "
             "holomemcpy target=Host device=cuda:0 ! appsink name=out";

  if (have_two_devices ())
    cuda_pipeline_assert_same (line, FRAMES "holoconversion target=F32 ! holosqrt ! holosqrt ! appsink name=out");
}

static void
test_tensor_of_other_device (void)
{
  g_autoptr (GstElement) pipeline = NULL;
  g_autofree gchar *text = NULL;

  if (!have_two_devices ())
    return;
  pipeline = cuda_pipeline_parse (FRAMES "holomemcpy target=Device device=cuda:0 ! holoconversion target=F32 "
                                         "device=cuda:1 ! fakesink");
  text = play_to_error (pipeline);
  if (strstr (text, "lies on cuda:0") == NULL || strstr (text, "works on cuda:1") == NULL)
    g_error ("%s", text);
}

/* ---- errors ---- */

static void
test_bad_ordinal (void)
{
  g_autoptr (GstElement) pipeline =
      cuda_pipeline_parse ("videotestsrc num-buffers=3 ! video/x-raw,format=GRAY8 ! holovideototensor ! "
                           "holomemcpy target=Device device=cuda:99 ! fakesink");
  g_autofree gchar *text = play_to_error (pipeline);

  if (strstr (text, "there is no CUDA device \"cuda:99\"") == NULL)
    g_error ("%s", text);
}

int
main (int argc, char **argv)
{
  cuda_pipeline_init (&argc, &argv);
  g_test_add_func ("/cuda-elements/up-and-down", test_up_and_down);
  g_test_add_func ("/cuda-elements/branches", test_branches);
  g_test_add_func ("/cuda-elements/foreign-sink", test_foreign_sink);
  g_test_add_func ("/cuda-elements/graph-between", test_graph_between);
  g_test_add_func ("/cuda-elements/pictures", test_pictures);
  g_test_add_func ("/cuda-elements/pictures-into-graph", test_pictures_into_graph);
  g_test_add_func ("/cuda-elements/planes", test_planes);
  g_test_add_func ("/cuda-elements/several-pipelines", test_several_pipelines);
  g_test_add_func ("/cuda-elements/input-comes-back", test_input_comes_back);
  g_test_add_func ("/cuda-elements/context-of-application", test_context_of_application);
  g_test_add_func ("/cuda-elements/context-is-shared", test_context_is_shared);
  g_test_add_func ("/cuda-elements/again-and-again", test_again_and_again);
  g_test_add_func ("/cuda-elements/start-and-stop", test_start_and_stop);
  g_test_add_func ("/cuda-elements/two-devices", test_two_devices);
  g_test_add_func ("/cuda-elements/tensor-of-other-device", test_tensor_of_other_device);
  g_test_add_func ("/cuda-elements/bad-ordinal", test_bad_ordinal);
  return g_test_run ();
}
