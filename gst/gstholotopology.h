/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a host must know about a graph before it is compiled. */
#pragma once

#include <holoflow/holoflow.h>

G_BEGIN_DECLS

/* The connected parts of @graph, each a graph of its own. */
GPtrArray *gst_holo_graph_split (HoloGraph *graph);
gboolean gst_holo_graph_is_input (HoloGraph *graph, guint node);
gboolean gst_holo_graph_is_output (HoloGraph *graph, guint node);
/* Whether something ends in the graph: a node that feeds nothing and is no Output. */
gboolean gst_holo_graph_has_sink (HoloGraph *graph);
gboolean gst_holo_graph_reaches (HoloGraph *graph, guint from, guint to);
/* Follows input slot 0 from @node up to an Input; FALSE when it ends at a source. */
gboolean gst_holo_graph_find_leader (HoloGraph *graph, guint node, guint *leader);
/* Checks that edges name slots that can exist; kinds and settings one by one. Before any inference. */
gboolean gst_holo_graph_check (HoloGraph *graph, HoloRegistry *registry, GError **error);
/* A copy of @graph in which every Output that cannot be pushed by a sink pad's thread, nor by a thread that
 * drives its section alone, has a Queue of one frame before it. */
HoloGraph *gst_holo_graph_add_queues (HoloGraph *graph, HoloRegistry *registry);
/* Sections by number: inputs whose sections are equal are popped together. Array of guint by node (popping
 * side). */
guint *gst_holo_graph_number_sections (HoloGraph *graph, HoloRegistry *registry);

G_END_DECLS
