/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bench-handoff.h"

#include <gst/gst.h>
#include <time.h>

#include "bench-kinds.h"

#define PERIOD 1000000
#define CAPS   "tensor/strided,type=(string)float32,dims=(int)<16>,dims-order=(string)row-major,framerate=(fraction)0/1"

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

/* ---- the taking end ---- */

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gint64 now = bench_now_ns (), stamp;

  gst_buffer_extract (buffer, 0, &stamp, sizeof stamp);
  stamp = now - stamp;
  g_array_append_val ((GArray *) gst_pad_get_element_private (pad), stamp);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
take_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    g_atomic_int_set ((gint *) g_object_get_data (G_OBJECT (pad), "ended"), TRUE);
  gst_event_unref (event);
  return TRUE;
}

/* ---- the giving end ---- */

static void
push_events (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start ("bench"));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
}

static void
push_buffers (GstPad *pad, guint n_buffers)
{
  gint64 next = bench_now_ns ();

  for (guint i = 0; i < n_buffers; i++)
    {
      GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64, NULL);
      struct timespec time;
      gint64 now;

      next += PERIOD;
      time.tv_sec = next / 1000000000;
      time.tv_nsec = next % 1000000000;
      clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
      now = bench_now_ns ();
      gst_buffer_fill (buffer, 0, &now, sizeof now);
      gst_pad_push (pad, buffer);
    }
}

gboolean
bench_handoff_gst (const gchar *description, guint n_buffers, GArray *latencies, gint64 *cpu, gint64 *wall)
{
  GstElement *bin = gst_parse_bin_from_description_full (description, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  g_autoptr (GstPad) src = gst_pad_new_from_static_template (&src_template, "src");
  g_autoptr (GstPad) sink = gst_pad_new_from_static_template (&sink_template, "sink");
  g_autoptr (GstPad) in = NULL, out = NULL;
  gint ended = FALSE;
  gint64 cpu_start = bench_cpu_ns (), wall_start = bench_now_ns ();

  if (bin == NULL)
    return FALSE;
  gst_object_ref_sink (bin);
  in = gst_element_get_static_pad (bin, "sink");
  out = gst_element_get_static_pad (bin, "src");
  gst_pad_set_chain_function (sink, chain);
  gst_pad_set_event_function (sink, take_event);
  gst_pad_set_element_private (sink, latencies);
  g_object_set_data (G_OBJECT (sink), "ended", &ended);
  gst_pad_link (src, in);
  gst_pad_link (out, sink);
  gst_pad_set_active (sink, TRUE);
  gst_element_set_state (bin, GST_STATE_PLAYING);
  gst_pad_set_active (src, TRUE);
  push_events (src);
  push_buffers (src, n_buffers);
  gst_pad_push_event (src, gst_event_new_eos ());
  while (!g_atomic_int_get (&ended))
    g_usleep (1000);
  *cpu += bench_cpu_ns () - cpu_start;
  *wall += bench_now_ns () - wall_start;
  gst_element_set_state (bin, GST_STATE_NULL);
  gst_pad_set_active (src, FALSE);
  gst_pad_set_active (sink, FALSE);
  gst_object_unref (bin);
  return TRUE;
}
