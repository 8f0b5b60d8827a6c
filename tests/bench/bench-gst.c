/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What our elements cost inside GStreamer, per buffer, against its own: identity, queue, and a bare GstBaseTransform with a
 * pool. Small buffers, so that overhead is all there is. Runs alternate; medians of their ratios. */
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
  REPEATS = 9,
  BUFFERS = 200000
};

#define CAPS "tensor/strided,type=(string)float32,dims=(int)<16>,dims-order=(string)row-major,framerate=(fraction)0/1"

/* ---- a bare transform: copies, out of place, with a pool ---- */

typedef GstBaseTransform BenchTransform;
typedef GstBaseTransformClass BenchTransformClass;
GType bench_transform_get_type (void);
G_DEFINE_TYPE (BenchTransform, bench_transform, GST_TYPE_BASE_TRANSFORM)

static GstFlowReturn
bench_transform_transform (GstBaseTransform *transform, GstBuffer *in, GstBuffer *out)
{
  GstMapInfo in_map, out_map;

  gst_buffer_map (in, &in_map, GST_MAP_READ);
  gst_buffer_map (out, &out_map, GST_MAP_WRITE);
  memcpy (out_map.data, in_map.data, MIN (in_map.size, out_map.size));
  gst_buffer_unmap (out, &out_map);
  gst_buffer_unmap (in, &in_map);
  return GST_FLOW_OK;
}

static gboolean
bench_transform_get_unit_size (GstBaseTransform *transform, GstCaps *caps, gsize *size)
{
  *size = 64;
  return TRUE;
}

static gboolean
bench_transform_decide_allocation (GstBaseTransform *transform, GstQuery *query)
{
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  gst_buffer_pool_config_set_params (config, caps, 64, 2, 0);
  gst_buffer_pool_set_config (pool, config);
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_set_nth_allocation_pool (query, 0, pool, 64, 2, 0);
  else
    gst_query_add_allocation_pool (query, pool, 64, 2, 0);
  gst_object_unref (pool);
  return TRUE;
}

static void
bench_transform_class_init (BenchTransformClass *klass)
{
  static GstStaticPadTemplate sink =
      GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  static GstStaticPadTemplate src = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  gst_element_class_add_static_pad_template (element_class, &sink);
  gst_element_class_add_static_pad_template (element_class, &src);
  gst_element_class_set_static_metadata (element_class, "Bare transform", "Filter", "Copies", "Holoflow");
  klass->transform = bench_transform_transform;
  klass->get_unit_size = bench_transform_get_unit_size;
  klass->decide_allocation = bench_transform_decide_allocation;
}

static void
bench_transform_init (BenchTransform *self)
{
}

/* ---- measuring ---- */

static gint64
now_ns (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (gint64) time.tv_sec * 1000000000 + time.tv_nsec;
}

static int
compare (const void *a, const void *b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

/* Time per buffer through @middle, PLAYING to EOS. */
static gdouble
run (const gchar *middle)
{
  g_autofree gchar *text = g_strdup_printf ("fakesrc num-buffers=%d sizetype=fixed sizemax=64 filltype=zero ! " CAPS
                                            " ! %s ! fakesink sync=false silent=true",
                                            BUFFERS, middle);
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error);
  GstBus *bus;
  GstMessage *message;
  gint64 start;
  gdouble time;

  g_assert_no_error (error);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  start = now_ns ();
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  time = (gdouble) (now_ns () - start) / BUFFERS;
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return time;
}

static void
compare_elements (const gchar *name, const gchar *ours, const gchar *reference_name, const gchar *reference,
                  gdouble target)
{
  gdouble a[REPEATS], b[REPEATS], ratios[REPEATS];

  for (guint i = 0; i < REPEATS; i++)
    {
      b[i] = run (reference);
      a[i] = run (ours);
      ratios[i] = a[i] / b[i];
    }
  qsort (a, REPEATS, sizeof *a, compare);
  qsort (b, REPEATS, sizeof *b, compare);
  qsort (ratios, REPEATS, sizeof *ratios, compare);
  printf ("%-34s %8.0f ns/buffer; %-16s %8.0f; ratio %.2f   (target %.2f)\n", name, a[REPEATS / 2], reference_name,
          b[REPEATS / 2], ratios[REPEATS / 2], target);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  gst_element_register (NULL, "benchtransform", GST_RANK_NONE, bench_transform_get_type ());
  setvbuf (stdout, NULL, _IOLBF, 0);
  compare_elements ("in-place transform (holosqrt)", "holosqrt", "identity", "identity silent=true", 1.6);
  compare_elements ("out-of-place (holoconversion)", "holoconversion target=F64", "bare transform", "benchtransform",
                    1.3);
  compare_elements ("holoqueue, depth 8", "holoqueue max-size-buffers=8", "queue",
                    "queue max-size-buffers=8 max-size-bytes=0 max-size-time=0", 0.6);
  compare_elements ("holoflowbin, one node",
                    "holoflowbin graph=\"{\\\"nodes\\\":{\\\"in\\\":{\\\"type\\\":\\\"Input\\\",\\\"params\\\":{}},"
                    "\\\"a\\\":{\\\"type\\\":\\\"Sqrt\\\",\\\"params\\\":{}},"
                    "\\\"out\\\":{\\\"type\\\":\\\"Output\\\",\\\"params\\\":{}}},"
                    "\\\"edges\\\":[{\\\"from\\\":\\\"in\\\",\\\"out\\\":0,\\\"to\\\":\\\"a\\\",\\\"in\\\":0},"
                    "{\\\"from\\\":\\\"a\\\",\\\"out\\\":0,\\\"to\\\":\\\"out\\\",\\\"in\\\":0}]}\"",
                    "bare transform", "benchtransform", 2.0);
  return 0;
}
