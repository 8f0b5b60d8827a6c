/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A GStreamer application that opens the aperture of the graph off-axis.json step by step while it plays, and
 * prints the statistics of its nodes at the end:
 *
 *   app off-axis.json hologram.png "videoconvert ! autovideosink"
 */

#include <gst/gst.h>

/* What changes while playing: the property Mask::r-outer of holoflowbin is setting r_outer of node Mask. */
static const gdouble radii[] = { 4.0, 16.0, 32.0, 96.0 };

typedef struct
{
  GMainLoop *loop;
  GstElement *pipeline;
  GstElement *graph;
  guint step;
  gboolean failed;
} App;

static gboolean
next_step (gpointer user_data)
{
  App *app = user_data;
  gdouble radius = 0.0;

  gst_child_proxy_set (GST_CHILD_PROXY (app->graph), "Mask::r-outer", radii[app->step++], NULL);
  gst_child_proxy_get (GST_CHILD_PROXY (app->graph), "Mask::r-outer", &radius, NULL);
  g_print ("Mask::r-outer = %g\n", radius);
  return app->step < G_N_ELEMENTS (radii) ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer user_data)
{
  App *app = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree gchar *details = NULL;

  switch (GST_MESSAGE_TYPE (message))
    {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, &details);
      g_printerr ("app: %s: %s\n%s\n", GST_OBJECT_NAME (message->src), error->message, details != NULL ? details : "");
      app->failed = TRUE;
      g_main_loop_quit (app->loop);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, &details);
      g_printerr ("app: warning: %s\n%s\n", error->message, details != NULL ? details : "");
      break;
    case GST_MESSAGE_EOS:
      g_main_loop_quit (app->loop);
      break;
    default:
      break;
    }
  return G_SOURCE_CONTINUE;
}

/* One row per node: calls and time of execute, or of push and pop where the node is asynchronous. */
static void
print_calls (const gchar *node, const GstStructure *numbers, const gchar *call)
{
  g_autoptr (GstStructure) part = NULL;
  guint64 calls = 0, time = 0;

  if (!gst_structure_get (numbers, call, GST_TYPE_STRUCTURE, &part, NULL))
    return;
  gst_structure_get (part, "calls", G_TYPE_UINT64, &calls, "time", G_TYPE_UINT64, &time, NULL);
  g_print ("%-16s %-8s %6" G_GUINT64_FORMAT " calls %10.3f ms each\n", node, call, calls,
           calls > 0 ? (gdouble) time / (gdouble) calls / 1e6 : 0.0);
}

static gboolean
print_node (GQuark node, const GValue *value, gpointer user_data)
{
  print_calls (g_quark_to_string (node), gst_value_get_structure (value), "execute");
  print_calls (g_quark_to_string (node), gst_value_get_structure (value), "push");
  print_calls (g_quark_to_string (node), gst_value_get_structure (value), "pop");
  return TRUE;
}

static void
print_statistics (GstElement *graph)
{
  g_autoptr (GstStructure) statistics = NULL, nodes = NULL;

  g_object_get (graph, "holo-stats", &statistics, NULL);
  if (gst_structure_get (statistics, "nodes", GST_TYPE_STRUCTURE, &nodes, NULL))
    gst_structure_foreach (nodes, print_node, NULL);
}

/* The picture again and again, 20 times a second for a second and a half, as a camera would give it. */
static GstElement *
make_pipeline (const gchar *graph, const gchar *hologram, const gchar *sink, GError **error)
{
  g_autofree gchar *text =
      g_strdup_printf ("filesrc name=file ! pngdec ! imagefreeze is-live=true num-buffers=30 ! videoconvert"
                       " ! video/x-raw,format=GRAY8,framerate=20/1 ! holovideototensor ! holoflowbin name=graph"
                       " ! holotensortovideo ! %s",
                       sink);
  g_autoptr (GstElement) pipeline = gst_parse_launch_full (text, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_autoptr (GstElement) file = NULL, bin = NULL;

  if (pipeline == NULL)
    return NULL;
  file = gst_bin_get_by_name (GST_BIN (pipeline), "file");
  bin = gst_bin_get_by_name (GST_BIN (pipeline), "graph");
  g_object_set (file, "location", hologram, NULL);
  g_object_set (bin, "graph-location", graph, NULL);
  return g_steal_pointer (&pipeline);
}

int
main (int argc, char **argv)
{
  App app = { NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GstBus) bus = NULL;

  gst_init (&argc, &argv);
  if (argc < 3 || argc > 4)
    {
      g_printerr ("Usage: %s GRAPH.json HOLOGRAM.png [SINK]\n", argv[0]);
      return 2;
    }
  app.pipeline = make_pipeline (argv[1], argv[2], argc == 4 ? argv[3] : "fakesink sync=true", &error);
  if (app.pipeline == NULL)
    {
      g_printerr ("app: %s\n", error->message);
      return 1;
    }
  app.graph = gst_bin_get_by_name (GST_BIN (app.pipeline), "graph");
  app.loop = g_main_loop_new (NULL, FALSE);
  bus = gst_element_get_bus (app.pipeline);
  gst_bus_add_watch (bus, on_message, &app);

  gst_element_set_state (app.pipeline, GST_STATE_PLAYING);
  g_timeout_add (250, next_step, &app);
  g_main_loop_run (app.loop);
  if (!app.failed)
    print_statistics (app.graph);

  gst_element_set_state (app.pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  g_main_loop_unref (app.loop);
  gst_object_unref (app.graph);
  gst_object_unref (app.pipeline);
  return app.failed ? 1 : 0;
}
