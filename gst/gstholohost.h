/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element that runs a graph: pads for its Inputs and Outputs, and threads of its own behind every queue
 * in it. */
#pragma once

#include <gst/gst.h>
#include <holoflow/holoflow.h>

G_BEGIN_DECLS

/**
 * GstHoloPairing:
 * @GST_HOLO_PAIRING_ORDER: the n-th frames of all inputs belong together
 * @GST_HOLO_PAIRING_TIME: frames of (nearly) the same running time belong together; what has no partner is
 * dropped
 *
 * How frames of several sink pads that meet in the graph find each other.
 */
typedef enum
{
  GST_HOLO_PAIRING_ORDER,
  GST_HOLO_PAIRING_TIME,
} GstHoloPairing;

#define GST_TYPE_HOLO_PAIRING (gst_holo_pairing_get_type ())
GType gst_holo_pairing_get_type (void);

#define GST_TYPE_HOLO_HOST (gst_holo_host_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstHoloHost, gst_holo_host, GST, HOLO_HOST, GstElement)

/**
 * GstHoloHostClass:
 * @build_graph: (transfer full) (nullable): the graph as the user wants it, without the settings given
 * through gst_holo_host_set_setting(); called at NULL->READY. %NULL with @error names what is wrong
 * @check: (nullable): further reasons for an error at NULL->READY
 */
struct _GstHoloHostClass
{
  GstElementClass parent_class;

  HoloGraph *(*build_graph) (GstHoloHost *host, GError **error);
  gboolean (*check) (GstHoloHost *host, GError **error);

  gpointer padding[4];
};

HoloRegistry *gst_holo_host_get_registry (GstHoloHost *host);
void gst_holo_host_set_plane (GstHoloHost *host, gint plane);
void gst_holo_host_set_pairing (GstHoloHost *host, GstHoloPairing pairing);

/* Pads before READY, for the input or output of the graph called @node; bound to it when the graph is known.
 */
GstPad *gst_holo_host_add_pad (GstHoloHost *host, GstPadTemplate *templ, const gchar *pad_name, const gchar *node);
void gst_holo_host_remove_pad (GstHoloHost *host, GstPad *pad);

/* Settings of nodes. Before READY they are remembered and checked there. While the graph is at work a value
 * that cannot be taken gives a warning message and stays pending. */
void gst_holo_host_set_setting (GstHoloHost *host, const gchar *node, const gchar *setting, const GValue *value);
void gst_holo_host_set_settings (GstHoloHost *host, const gchar *node, const GstStructure *settings);
gboolean gst_holo_host_get_setting (GstHoloHost *host, const gchar *node, const gchar *setting, GValue *value);

GstStructure *gst_holo_host_get_statistics (GstHoloHost *host);
guint64 gst_holo_host_get_level (GstHoloHost *host, const gchar *node);

G_END_DECLS
