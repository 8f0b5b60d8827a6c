/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of the host elements share: small tensors, graphs, and waiting for a condition with a limit.
 */
#pragma once

#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <holoflow/holoflow.h>

#include "stop-times.h"

#define CAPS "tensor/strided,type=(string)float32,dims=(int)<4>,dims-order=(string)row-major,framerate=(fraction)30/1"
#define CAPS_1X4                                                                                                       \
  "tensor/strided,type=(string)float32,dims=(int)<1,4>,dims-order=(string)row-major,framerate=(fraction)30/"           \
  "1"
#define N_ELEMENTS 4

#define NODE(name, kind, params) "\"" name "\": { \"type\": \"" kind "\", \"params\": {" params "} }"
#define EDGE(from, out, to, in)  "{ \"from\": \"" from "\", \"out\": " #out ", \"to\": \"" to "\", \"in\": " #in " }"
#define GRAPH(nodes, edges)      "{ \"nodes\": { " nodes " }, \"edges\": [ " edges " ] }"

#define GRAPH_SQRT                                                                                                     \
  GRAPH (NODE ("in", "Input", "") "," NODE ("sqrt", "Sqrt", "") "," NODE ("out", "Output", ""),                        \
         EDGE ("in", 0, "sqrt", 0) "," EDGE ("sqrt", 0, "out", 0))
#define GRAPH_COPY                                                                                                     \
  GRAPH (NODE ("in", "Input", "") "," NODE ("copy", "Memcpy", "\"target\": \"Host\"") "," NODE ("out", "Output", ""),  \
         EDGE ("in", 0, "copy", 0) "," EDGE ("copy", 0, "out", 0))
#define GRAPH_QUEUE                                                                                                    \
  GRAPH (NODE ("in", "Input", "") "," NODE ("q", "Queue", "\"capacity\": 2") "," NODE ("out", "Output", ""),           \
         EDGE ("in", 0, "q", 0) "," EDGE ("q", 0, "out", 0))
#define GRAPH_ADD                                                                                                      \
  GRAPH (                                                                                                              \
      NODE ("a", "Input", "") "," NODE ("b", "Input", "") "," NODE ("add", "Add", "") "," NODE ("out", "Output", ""),  \
      EDGE ("a", 0, "add", 0) "," EDGE ("b", 0, "add", 1) "," EDGE ("add", 0, "out", 0))
#define GRAPH_TWO_OUTPUTS                                                                                              \
  GRAPH (NODE ("in", "Input", "") "," NODE ("sqrt", "Sqrt", "") "," NODE ("x", "Output", "") "," NODE ("y", "Output",  \
                                                                                                       ""),            \
         EDGE ("in", 0, "sqrt", 0) "," EDGE ("sqrt", 0, "x", 0) "," EDGE ("in", 0, "y", 0))

/* A frame whose elements are all @value; frame @number at 30 per second. */
static inline GstBuffer *
new_frame (gfloat value, guint64 number)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, N_ELEMENTS * sizeof (gfloat), NULL);
  gfloat values[N_ELEMENTS] = { value, value, value, value };

  gst_buffer_fill (buffer, 0, values, sizeof values);
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale_int (number * GST_SECOND, 1, 30);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 30;
  return buffer;
}

static inline gfloat
get_element (GstBuffer *buffer, guint index)
{
  gfloat value = -1;

  g_assert_cmpuint (gst_buffer_extract (buffer, index * sizeof value, &value, sizeof value), ==, sizeof value);
  return value;
}

/* Takes @buffer, whose elements must all be @value. */
static inline void
assert_frame (GstBuffer *buffer, gfloat value)
{
  g_assert_nonnull (buffer);
  for (guint i = 0; i < N_ELEMENTS; i++)
    g_assert_cmpfloat_with_epsilon (get_element (buffer, i), value, 1e-5);
  gst_buffer_unref (buffer);
}

/* Looks again and again until @condition holds; fails after ten seconds. */
#define wait_until(condition)                                                                                          \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    gint64 limit_ = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;                                                     \
                                                                                                                       \
    while (!(condition))                                                                                               \
      {                                                                                                                \
        if (g_get_monotonic_time () > limit_)                                                                          \
          g_error ("%s:%d: still not: %s", __FILE__, __LINE__, #condition);                                            \
        g_thread_yield ();                                                                                             \
      }                                                                                                                \
  }                                                                                                                    \
  G_STMT_END

/* Takes events until the end of the stream; fails when it does not come. */
static inline void
wait_eos (GstHarness *harness)
{
  for (;;)
    {
      GstEvent *event = gst_harness_pull_event (harness);
      gboolean over;

      g_assert_nonnull (event);
      over = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
      gst_event_unref (event);
      if (over)
        return;
    }
}

static inline guint64
get_stat (GstElement *element, const gchar *name)
{
  GstStructure *stats;
  guint64 value = G_MAXUINT64;

  g_object_get (element, "holo-stats", &stats, NULL);
  g_assert_true (gst_structure_get_uint64 (stats, name, &value));
  gst_structure_free (stats);
  return value;
}

/* `stats.nodes.<node>.<call>.calls` */
static inline guint64
get_calls (GstElement *element, const gchar *node, const gchar *call)
{
  GstStructure *stats, *nodes = NULL, *one = NULL, *calls = NULL;
  guint64 value = 0;

  g_object_get (element, "holo-stats", &stats, NULL);
  if (gst_structure_get (stats, "nodes", GST_TYPE_STRUCTURE, &nodes, NULL) &&
      gst_structure_get (nodes, node, GST_TYPE_STRUCTURE, &one, NULL) &&
      gst_structure_get (one, call, GST_TYPE_STRUCTURE, &calls, NULL))
    gst_structure_get_uint64 (calls, "calls", &value);
  g_clear_pointer (&calls, gst_structure_free);
  g_clear_pointer (&one, gst_structure_free);
  g_clear_pointer (&nodes, gst_structure_free);
  gst_structure_free (stats);
  return value;
}

/* A harness around `holoflowbin` with @graph; pads NULL = none. */
static inline GstHarness *
new_bin_harness (const gchar *graph, const gchar *sink, const gchar *src)
{
  GstElement *bin = gst_element_factory_make ("holoflowbin", NULL);
  GstHarness *harness;

  g_assert_nonnull (bin);
  g_object_set (bin, "graph", graph, NULL);
  harness = gst_harness_new_with_element (bin, sink, src);
  gst_object_unref (bin);
  return harness;
}

/* @line with "GRAPH" replaced by the property that holds @graph. */
static inline gchar *
with_graph (const gchar *line, const gchar *graph)
{
  g_autofree gchar *escaped = g_strescape (graph, NULL), *property = g_strdup_printf ("graph=\"%s\"", escaped);
  g_auto (GStrv) parts = g_strsplit (line, "GRAPH", 2);

  return g_strjoinv (property, parts);
}

/* The first message of @types, within ten seconds; (transfer full). */
static inline GstMessage *
wait_message (GstElement *pipeline, GstMessageType types)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND, types);

  if (message == NULL)
    g_error ("no message of the kinds wanted within ten seconds");
  return message;
}

static inline gchar *
get_error_text (GstMessage *message)
{
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else
    gst_message_parse_error (message, &error, NULL);
  return g_strdup (error->message);
}

static inline void
assert_eos (GstElement *pipeline)
{
  g_autoptr (GstMessage) message = wait_message (pipeline, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    {
      g_autofree gchar *text = get_error_text (message);

      g_error ("%s", text);
    }
}

/* Plays until the error that must come; its text. */
static inline gchar *
play_to_error (GstElement *pipeline)
{
  g_autoptr (GstMessage) message = NULL;
  gchar *text;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = wait_message (pipeline, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_ERROR);
  text = get_error_text (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return text;
}

/* PLAYING (or whatever) to NULL. */
static inline void
stop_soon (GstElement *element)
{
  gint64 start = g_get_monotonic_time ();

  g_assert_cmpint (gst_element_set_state (element, GST_STATE_NULL), ==, GST_STATE_CHANGE_SUCCESS);
  note_stop (g_get_monotonic_time () - start, 5 * G_USEC_PER_SEC);
}
