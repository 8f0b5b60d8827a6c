/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an element of one kind costs per buffer beside GStreamer's own: in place against `identity`, out of
 * place against a bare GstBaseTransform with a pool. One thread pushes small buffers of a pool through the
 * element; the two sides take turns, and the median of the ratios is what counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>

enum
{
  N_ELEMENTS = 16,
  N_BUFFERS = 100000,
  N_TURNS = 9
};

#define CAPS                                                                                                 \
  "tensor/strided,type=(string)float32,dims-order=(string)row-major,dims=(int)<4,4>,framerate=(fraction)0/1"

/* ---- the bare transform: maps, takes roots, unmaps ---- */

typedef GstBaseTransform BareTransform;
typedef GstBaseTransformClass BareTransformClass;
GType bare_transform_get_type (void);
G_DEFINE_TYPE (BareTransform, bare_transform, GST_TYPE_BASE_TRANSFORM)

static GstFlowReturn
bare_transform_transform (GstBaseTransform *transform, GstBuffer *in, GstBuffer *out)
{
  GstMapInfo source, target;

  gst_buffer_map (in, &source, GST_MAP_READ);
  gst_buffer_map (out, &target, GST_MAP_WRITE);
  for (guint i = 0; i < N_ELEMENTS; i++)
    ((gfloat *) target.data)[i] = sqrtf (((gfloat *) source.data)[i]);
  gst_buffer_unmap (out, &target);
  gst_buffer_unmap (in, &source);
  return GST_FLOW_OK;
}

static gboolean
bare_transform_get_unit_size (GstBaseTransform *transform, GstCaps *caps, gsize *size)
{
  *size = N_ELEMENTS * sizeof (gfloat);
  return TRUE;
}

static gboolean
bare_transform_decide_allocation (GstBaseTransform *transform, GstQuery *query)
{
  if (gst_query_get_n_allocation_pools (query) == 0)
    gst_query_add_allocation_pool (query, NULL, N_ELEMENTS * sizeof (gfloat), 0, 0);
  return GST_BASE_TRANSFORM_CLASS (bare_transform_parent_class)->decide_allocation (transform, query);
}

static void
bare_transform_class_init (BareTransformClass *klass)
{
  static GstStaticPadTemplate sink =
      GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  static GstStaticPadTemplate src =
      GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &sink);
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &src);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "Bare", "Filter", "Bare", "Bare");
  klass->transform = bare_transform_transform;
  klass->get_unit_size = bare_transform_get_unit_size;
  klass->decide_allocation = bare_transform_decide_allocation;
  klass->passthrough_on_same_caps = FALSE;
}

static void
bare_transform_init (BareTransform *self)
{
}

/* ---- measuring ---- */

/* --cpu: time of the thread instead of the wall's, for a machine with other work to do. */
static gboolean use_cpu_time;

typedef struct
{
  GstElement *element;
  GstPad *src, *sink;
  GstBufferPool *pool;
} Bench;

static GstFlowReturn
take (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
open_bench (Bench *bench, GstElement *element)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);
  GstStructure *config;
  GstSegment segment;
  GstPad *pad;

  bench->element = gst_object_ref_sink (element);
  bench->src = gst_pad_new ("out", GST_PAD_SRC);
  bench->sink = gst_pad_new ("in", GST_PAD_SINK);
  gst_pad_set_chain_function (bench->sink, take);
  pad = gst_element_get_static_pad (element, "sink");
  gst_pad_link (bench->src, pad);
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (element, "src");
  gst_pad_link (pad, bench->sink);
  gst_object_unref (pad);
  gst_pad_set_active (bench->src, TRUE);
  gst_pad_set_active (bench->sink, TRUE);
  gst_element_set_state (element, GST_STATE_PLAYING);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (bench->src, gst_event_new_stream_start ("bench"));
  gst_pad_push_event (bench->src, gst_event_new_caps (caps));
  gst_pad_push_event (bench->src, gst_event_new_segment (&segment));

  bench->pool = gst_buffer_pool_new ();
  config = gst_buffer_pool_get_config (bench->pool);
  gst_buffer_pool_config_set_params (config, NULL, N_ELEMENTS * sizeof (gfloat), 2, 0);
  gst_buffer_pool_set_config (bench->pool, config);
  gst_buffer_pool_set_active (bench->pool, TRUE);
}

static void
close_bench (Bench *bench)
{
  gst_element_set_state (bench->element, GST_STATE_NULL);
  gst_pad_set_active (bench->src, FALSE);
  gst_pad_set_active (bench->sink, FALSE);
  gst_buffer_pool_set_active (bench->pool, FALSE);
  gst_object_unref (bench->pool);
  gst_object_unref (bench->element);
  gst_object_unref (bench->src);
  gst_object_unref (bench->sink);
}

static gdouble
now (void)
{
  struct timespec time;

  clock_gettime (use_cpu_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return (gdouble) time.tv_sec * 1e9 + (gdouble) time.tv_nsec;
}

/* ns per buffer. With @shared the pusher keeps a reference, so that nobody may work in place. */
static gdouble
measure (Bench *bench, gboolean shared)
{
  gdouble begin = now ();

  for (guint n = 0; n < N_BUFFERS; n++)
    {
      GstBuffer *buffer = NULL;

      if (gst_buffer_pool_acquire_buffer (bench->pool, &buffer, NULL) != GST_FLOW_OK)
        abort ();
      if (shared)
        gst_buffer_ref (buffer);
      if (gst_pad_push (bench->src, buffer) != GST_FLOW_OK)
        abort ();
      if (shared)
        gst_buffer_unref (buffer);
    }
  return (now () - begin) / N_BUFFERS;
}

static int
compare (const void *a, const void *b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

static void
report (const gchar *name, GstElement *ours, GstElement *theirs, gboolean shared, gdouble limit)
{
  gdouble a[N_TURNS], b[N_TURNS], ratio[N_TURNS];
  Bench bench_a, bench_b;

  open_bench (&bench_a, ours);
  open_bench (&bench_b, theirs);
  measure (&bench_a, shared);
  measure (&bench_b, shared);
  for (guint i = 0; i < N_TURNS; i++)
    {
      a[i] = measure (&bench_a, shared);
      b[i] = measure (&bench_b, shared);
      ratio[i] = a[i] / b[i];
    }
  close_bench (&bench_a);
  close_bench (&bench_b);
  qsort (a, N_TURNS, sizeof *a, compare);
  qsort (b, N_TURNS, sizeof *b, compare);
  qsort (ratio, N_TURNS, sizeof *ratio, compare);
  printf ("%-44s %8.1f %8.1f %7.2f %7.2f\n", name, a[N_TURNS / 2], b[N_TURNS / 2], ratio[N_TURNS / 2], limit);
}

static GstElement *
make (const gchar *name)
{
  GstElement *element = gst_element_factory_make (name, NULL);

  if (element != NULL)
    return element;
  fprintf (stderr, "there is no element %s; set GST_PLUGIN_PATH to the plugin of this build\n", name);
  exit (1);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  use_cpu_time = argc > 1 && g_str_equal (argv[1], "--cpu");
  printf ("%-44s %8s %8s %7s %7s\n", "4x4 float32, ns per buffer", "ours", "theirs", "ratio", "limit");
  report ("holosqrt in place : identity", make ("holosqrt"), make ("identity"), FALSE, 1.6);
  report ("holosqrt out of place : bare transform", make ("holosqrt"),
          g_object_new (bare_transform_get_type (), NULL), TRUE, 1.3);
  return 0;
}
