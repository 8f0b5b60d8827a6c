/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of GstHoloNode share. */
#pragma once

#include "gstholonode.h"

GHashTable *gst_holo_node_new_pending (void);
HoloTaskFactory *gst_holo_node_ref_factory (GstHoloNode *node, gint *serial);
gboolean gst_holo_node_try_settings (GstHoloNode *node, HoloTaskFactory *candidate, GError **error);
gboolean gst_holo_node_infer_with (GstHoloNode *node, HoloTaskFactory *factory, const HoloTensorDesc *input,
                                   HoloInference *inference, GError **error);
void gst_holo_node_prefix (GstHoloNode *node, GError **error);
gboolean gst_holo_node_await_device (GstHoloNode *node, GError **error);
void gst_holo_node_drop_layouts (GstHoloNode *node);
