/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of elements share. */
#pragma once

#include <stdio.h>
#include <string.h>

#include <gst/check/gstharness.h>
#include <gst/holoflow/gstholoflow.h>

#ifdef TEST_STATIC_PLUGIN
GST_PLUGIN_STATIC_DECLARE (holoflow);
#endif

/* GStreamer with our elements: from the plugin of this build, or from the program itself. */
static inline void
test_init_gst (int *argc, char ***argv)
{
  gst_init (argc, argv);
#ifdef TEST_STATIC_PLUGIN
  GST_PLUGIN_STATIC_REGISTER (holoflow);
#endif
}

/* Call before test_init_gst(). */
static inline void
test_init_leaks (void)
{
  g_setenv ("GST_TRACERS", "leaks", TRUE);
}

/* How many objects are alive whose type name begins with @prefix; "" counts all. Waits for threads that are
 * ending. */
static inline guint
test_count_alive (const gchar *prefix)
{
  GList *tracers = gst_tracing_get_active_tracers ();
  guint n = 0;

  gst_task_cleanup_all ();
  g_assert_nonnull (tracers);
  for (GList *l = tracers; l != NULL; l = l->next)
    {
      GstStructure *alive = NULL;
      const GValue *list;

      if (!g_str_equal (G_OBJECT_TYPE_NAME (l->data), "GstLeaksTracer"))
        continue;
      g_signal_emit_by_name (l->data, "get-live-objects", &alive);
      list = gst_structure_get_value (alive, "live-objects-list");
      for (guint i = 0; i < gst_value_list_get_size (list); i++)
        {
          const GstStructure *object = gst_value_get_structure (gst_value_list_get_value (list, i));
          const GValue *value = gst_structure_get_value (object, "object");

          if (!g_str_has_prefix (G_VALUE_TYPE_NAME (value), prefix))
            continue;
          g_test_message ("alive: %s", G_VALUE_TYPE_NAME (value));
          n++;
        }
      gst_structure_free (alive);
    }
  g_list_free_full (tracers, g_object_unref);
  return n;
}

/* Sanitizers keep freed memory for a while, so that resident memory says nothing; they find leaks themselves.
 * */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_HAVE_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_HAVE_SANITIZER 1
#endif
#endif
#ifndef TEST_HAVE_SANITIZER
#define TEST_HAVE_SANITIZER 0
#endif

/* Resident memory in bytes. */
static inline gsize
test_get_resident (void)
{
  g_autofree gchar *text = NULL;
  gulong total = 0, resident = 0;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  g_assert_cmpint (sscanf (text, "%lu %lu", &total, &resident), ==, 2);
  return (gsize) resident * 4096;
}

static inline GstElement *
test_launch (const gchar *text)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch_full (text, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);

  g_assert_no_error (error);
  return pipeline;
}

/* A harness around one element, described as for gst-launch-1.0. */
static inline GstHarness *
test_harness (const gchar *text)
{
  GstElement *element = gst_object_ref_sink (test_launch (text));
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");

  gst_object_unref (element);
  return h;
}

/* Ends the element's threads before the harness takes its pads apart, which it does while they may be looked at. */
static inline void
test_teardown (GstHarness *h)
{
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_harness_teardown (h);
}

/* Plays until the end. The text of the error that came first, or NULL after EOS. */
static inline gchar *
test_play (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return error != NULL ? g_strdup (error->message) : NULL;
}

typedef struct
{
  guint n_buffers;
  gsize n_bytes; /* of the last one */
} TestSeen;

static inline GstPadProbeReturn
test_see (GstPad *pad, GstPadProbeInfo *info, gpointer seen)
{
  ((TestSeen *) seen)->n_buffers++;
  ((TestSeen *) seen)->n_bytes = gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

/* Counts what arrives at the element called @name. */
static inline void
test_watch_buffers (GstElement *pipeline, const gchar *name, TestSeen *seen)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, test_see, seen, NULL);
}

static inline void
test_assert_names (const gchar *text, const gchar *word)
{
  g_assert_nonnull (text);
  if (strstr (text, word) == NULL)
    g_error ("\"%s\" does not name \"%s\"", text, word);
}

static inline GstBus *
test_watch (GstHarness *h)
{
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (h->element, bus);
  return bus;
}

/* The text of the next message of @type, which must be there. */
static inline gchar *
test_pop_text (GstBus *bus, GstMessageType type)
{
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, type);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (message);
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  return g_strdup (error->message);
}

static inline GstBuffer *
test_new_buffer (gconstpointer data, gsize size)
{
  return gst_buffer_new_wrapped (g_memdup2 (data, size), size);
}

static inline void
test_assert_bytes (GstBuffer *buffer, gconstpointer expected, gsize size)
{
  GstMapInfo map;

  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, size);
  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_assert_cmpmem (map.data, map.size, expected, size);
  gst_buffer_unmap (buffer, &map);
}

static inline guint64
test_get_stat (gpointer element, const gchar *name)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 value = 0;

  g_object_get (element, "holo-stats", &stats, NULL);
  g_assert_true (gst_structure_get_uint64 (stats, name, &value));
  return value;
}
