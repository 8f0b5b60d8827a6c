/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pipelines as users run them, on a GPU: decoder to graph to file, holography, a fast camera. */
#include "cuda-pipeline.h"
#include "gst-test.h"

#include <glib/gstdio.h>
#include <gst/app/gstappsrc.h>
#include <math.h>

#define N_FRAMES 500

static const gchar *const decoder_elements[] = { "x264enc",   "mp4mux",   "qtdemux", "h264parse",
                                                 "nvh264dec", "filesink", NULL };

/* (transfer full): a film of N_FRAMES frames. */
static gchar *
make_film (const gchar *folder)
{
  gchar *path = g_build_filename (folder, "film.mp4", NULL);
  g_autofree gchar *line =
      g_strdup_printf ("videotestsrc num-buffers=%d ! video/x-raw,format=I420,width=640,height=360,framerate=30/1 ! "
                       "x264enc speed-preset=ultrafast key-int-max=30 ! mp4mux ! filesink location=\"%s\"",
                       N_FRAMES, path);

  cuda_pipeline_run (line, 60);
  return path;
}

static guint
count_frames (const gchar *line, const gchar *name, guint seconds)
{
  g_autoptr (GstElement) pipeline = cuda_pipeline_parse (line);
  TestSeen seen = { 0 };

  test_watch_buffers (pipeline, name, &seen);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  cuda_pipeline_wait_eos (pipeline, seconds, line);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return seen.n_buffers;
}

#define GRAPH_LUMINANCE                                                                                                                                                                            \
  GRAPH (                                                                                                                                                                                          \
      NODE ("in", "Input", "") "," NODE ("q1", "Queue", "\"capacity\": 4") "," NODE ("f", "Conversion", "\"target\": \"F32\"") "," NODE ("q2", "Queue", "\"capacity\": 8") "," NODE (              \
          "sqrt", "Sqrt",                                                                                                                                                                          \
          "") "," NODE ("contrast", "Normalize",                                                                                                                                                   \
                        "\"minimum\": 0, \"maximum\": 255, \"axes\": [-2, -1]") "," NODE ("u", "Conversion",                                                                                       \
                                                                                          "\"target\": \"U8\"") "," NODE ("down",                                                                  \
                                                                                                                          "Memcpy",                                                                \
                                                                                                                          "\"target\": \"Host\"") "," NODE ("q3",                                  \
                                                                                                                                                            "Queue",                               \
                                                                                                                                                            "\"capacity\": 4") "," NODE ("out",    \
                                                                                                                                                                                         "Output", \
                                                                                                                                                                                         ""),      \
      EDGE ("in", 0, "q1", 0) "," EDGE ("q1", 0, "f", 0) "," EDGE ("f", 0, "q2", 0) "," EDGE (                                                                                                     \
          "q2", 0, "sqrt", 0) "," EDGE ("sqrt", 0, "contrast",                                                                                                                                     \
                                        0) "," EDGE ("contrast", 0, "u",                                                                                                                           \
                                                     0) "," EDGE ("u", 0, "down", 0) "," EDGE ("down", 0, "q3",                                                                                    \
                                                                                               0) "," EDGE ("q3", 0,                                                                               \
                                                                                                            "out", 0))

/* A decoder has few surfaces: a graph with queues must not keep them all. And the way back to a file. */
static void
test_decoder (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("holoflow-XXXXXX", NULL), *film = NULL, *line = NULL, *counted = NULL,
                   *written = NULL, *to_file = NULL, *from_file = NULL, *finished = NULL;

  if (!cuda_pipeline_have (decoder_elements))
    return;
  film = make_film (folder);
  line = g_strdup_printf ("filesrc location=\"%s\" ! qtdemux ! h264parse ! nvh264dec ! " DEVICE_VIDEO
                          " ! queue ! holoflowbin GRAPH ! fakesink name=last sync=false",
                          film);
  counted = with_graph (line, GRAPH_LUMINANCE);
  g_assert_cmpuint (count_frames (counted, "last", 60), ==, N_FRAMES);

  written = g_build_filename (folder, "written.mp4", NULL);
  to_file = g_strdup_printf ("filesrc location=\"%s\" ! qtdemux ! h264parse ! nvh264dec ! " DEVICE_VIDEO
                             " ! holoflowbin GRAPH ! holotensortovideo ! videoconvert ! "
                             "x264enc speed-preset=ultrafast ! mp4mux ! filesink location=\"%s\"",
                             film, written);
  finished = with_graph (to_file, GRAPH_LUMINANCE);
  cuda_pipeline_run (finished, 120);
  from_file = g_strdup_printf ("filesrc location=\"%s\" ! qtdemux ! h264parse ! fakesink name=last", written);
  g_assert_cmpuint (count_frames (from_file, "last", 30), ==, N_FRAMES);
  g_unlink (written);
  g_unlink (film);
  g_rmdir (folder);
}

/* The luminance that the decoder gives is what it gives in host memory. */
static void
test_decoded_luminance (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("holoflow-XXXXXX", NULL), *film = NULL, *line = NULL, *host = NULL;

  if (!cuda_pipeline_have (decoder_elements))
    return;
  film = make_film (folder);
  line = g_strdup_printf ("filesrc location=\"%s\" ! qtdemux ! h264parse ! nvh264dec ! " DEVICE_VIDEO
                          ",format=NV12 ! holovideototensor ! holoqueue ! holomemcpy target=Host ! appsink name=out",
                          film);
  host = g_strdup_printf ("filesrc location=\"%s\" ! qtdemux ! h264parse ! nvh264dec ! video/x-raw,format=NV12 ! "
                          "holovideototensor plane=0 ! holomemcpy target=Host ! appsink name=out",
                          film);
  cuda_pipeline_assert_same (line, host);
  g_unlink (film);
  g_rmdir (folder);
}

/* ---- holography ---- */

#define SIZE 1024

/* Fringes around (332, 332) that carry an object, and some light without it. */
static GstBuffer *
make_hologram (guint number)
{
  guint8 *pixels = g_malloc (SIZE * SIZE);
  guint32 noise = 1 + number;

  for (guint y = 0; y < SIZE; y++)
    for (guint x = 0; x < SIZE; x++)
      {
        gdouble dy = y - SIZE / 2.0, dx = x - SIZE / 2.0, object = hypot (dy, dx) < 200 + number ? 1 : 0.4;

        noise = noise * 1664525u + 1013904223u;
        pixels[y * SIZE + x] =
            (guint8) (120 + 60 * object * cos (2 * G_PI * 332 * (x + y) / SIZE + object) + (noise >> 29));
      }
  return gst_buffer_new_wrapped (pixels, SIZE * SIZE);
}

static GPtrArray *
reconstruct (const gchar *line)
{
  GstHarness *harness = gst_harness_new_parse (line);
  GPtrArray *pictures = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);

  gst_harness_set_src_caps_str (harness, "tensor/strided,type=(string)uint8,dims=(int)<1,1024,1024>,"
                                         "dims-order=(string)row-major,framerate=(fraction)30/1");
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (gst_harness_push (harness, make_hologram (i)), ==, GST_FLOW_OK);
  for (guint i = 0; i < 4; i++)
    g_ptr_array_add (pictures, gst_harness_pull (harness));
  gst_harness_teardown (harness);
  return pictures;
}

/* Transforms differ in the last digits: a pixel may fall on the other side of a half. */
static void
assert_similar (GstBuffer *a, GstBuffer *b)
{
  GstMapInfo map_a, map_b;
  guint n_different = 0;

  g_assert_true (gst_buffer_map (a, &map_a, GST_MAP_READ) && gst_buffer_map (b, &map_b, GST_MAP_READ));
  g_assert_cmpuint (map_a.size, ==, SIZE * SIZE);
  g_assert_cmpuint (map_b.size, ==, SIZE * SIZE);
  for (guint i = 0; i < SIZE * SIZE; i++)
    {
      gint difference = ABS ((gint) map_a.data[i] - (gint) map_b.data[i]);

      g_assert_cmpint (difference, <=, 1);
      n_different += difference;
    }
  g_assert_cmpuint (n_different, <, SIZE * SIZE / 1000);
  gst_buffer_unmap (a, &map_a);
  gst_buffer_unmap (b, &map_b);
}

static void
test_off_axis (void)
{
  const gchar *folder = g_getenv ("HOLOFLOW_TEST_EXAMPLES");
  g_autofree gchar *graph = g_build_filename (folder != NULL ? folder : "docs/examples", "off-axis.json", NULL);
  g_autofree gchar *line = g_strdup_printf ("identity ! holoflowbin graph-location=\"%s\" ! identity", graph);
  g_autofree gchar *on_device =
      g_strdup_printf ("holomemcpy target=Device ! holoflowbin graph-location=\"%s\" ! holomemcpy target=Host", graph);
  g_autoptr (GPtrArray) host = NULL, device = NULL;

  if (!g_file_test (graph, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("off-axis.json is not there");
      return;
    }
  host = reconstruct (line);
  device = reconstruct (on_device);
  for (guint i = 0; i < host->len; i++)
    assert_similar (g_ptr_array_index (device, i), g_ptr_array_index (host, i));
}

/* ---- a fast camera ---- */

#define RATE    1000
#define SECONDS 2

static gpointer
film_live (gpointer user_data)
{
  GstAppSrc *source = user_data;
  gint64 start = g_get_monotonic_time ();

  for (guint i = 0; i < RATE * SECONDS; i++)
    {
      gint64 wait = start + (gint64) i * G_USEC_PER_SEC / RATE - g_get_monotonic_time ();

      if (wait > 0)
        g_usleep ((gulong) wait);
      if (gst_app_src_push_buffer (source, gst_buffer_new_allocate (NULL, 512 * 512, NULL)) != GST_FLOW_OK)
        break;
    }
  gst_app_src_end_of_stream (source);
  return NULL;
}

static void
test_live (void)
{
  const gchar *line = "appsrc name=camera is-live=true do-timestamp=true format=time max-buffers=16 block=false "
                      "caps=\"video/x-raw,format=GRAY8,width=512,height=512,framerate=1000/1\" ! holovideototensor ! "
                      "holomemcpy target=Device ! holoconversion target=F32 ! holoqueue ! holosqrt ! holoqueue ! "
                      "holomemcpy target=Host ! fakesink name=last sync=false";
  g_autoptr (GstElement) pipeline = cuda_pipeline_parse (line);
  g_autoptr (GstElement) camera = gst_bin_get_by_name (GST_BIN (pipeline), "camera");
  TestSeen seen = { 0 };
  gint64 start;
  GThread *thread;

  test_watch_buffers (pipeline, "last", &seen);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  start = g_get_monotonic_time ();
  thread = g_thread_new ("camera", film_live, camera);
  cuda_pipeline_wait_eos (pipeline, 20, line);
  g_test_message ("%u frames in %.3f s", seen.n_buffers, (g_get_monotonic_time () - start) / 1e6);
  g_assert_cmpint (g_get_monotonic_time () - start, <, (SECONDS + 0.5) * G_USEC_PER_SEC);
  g_assert_cmpuint (seen.n_buffers, ==, RATE * SECONDS);
  g_thread_join (thread);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

int
main (int argc, char **argv)
{
  cuda_pipeline_init (&argc, &argv);
  g_test_add_func ("/cuda-pipelines/off-axis", test_off_axis);
  g_test_add_func ("/cuda-pipelines/live", test_live);
  g_test_add_func ("/cuda-pipelines/decoder", test_decoder);
  g_test_add_func ("/cuda-pipelines/decoded-luminance", test_decoded_luminance);
  return g_test_run ();
}
