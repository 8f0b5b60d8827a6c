/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A node of holoflowbin's graph as an object with properties: what `node::setting` reaches. */
#pragma once

#include "gstholohost.h"

G_BEGIN_DECLS

#define GST_TYPE_HOLO_BIN_NODE (gst_holo_bin_node_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstHoloBinNode, gst_holo_bin_node, GST, HOLO_BIN_NODE, GstObject)

struct _GstHoloBinNodeClass
{
  GstObjectClass parent_class;
  gconstpointer kind;
};

/* (transfer full) (nullable): %NULL when the kind is not registered. @settings (nullable): those in the
 * graph. */
GstHoloBinNode *gst_holo_bin_node_new (GstHoloHost *host, const HoloGraphNode *node);

G_END_DECLS
