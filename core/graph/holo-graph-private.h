/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "graph/holo-graph.h"

/* As holo_graph_find_node(), with the nearest names in the message. */
gboolean _holo_graph_find_node (HoloGraph *graph, const gchar *name, guint *index, GError **error);
void _holo_graph_remove_setting (HoloGraph *graph, guint node, gpointer factory_class, const gchar *setting);
gboolean _holo_graph_check_not_empty (HoloGraph *graph, GError **error);
/* (transfer full): "/nodes/NODE/params/SETTING" */
gchar *_holo_graph_get_setting_path (const gchar *node, const gchar *setting);
void _holo_graph_set_file (HoloGraph *graph, const gchar *filename);
/* A message about @graph starts with the file it was read from, if it was. */
void _holo_graph_prefix_file (HoloGraph *graph, GError **error);
