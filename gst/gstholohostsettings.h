/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values that properties gave to settings of nodes, over those in the graph: in force, or refused and
 * pending. */
#pragma once

#include "gstholohost.h"

G_BEGIN_DECLS

typedef struct _GstHoloHostSettings GstHoloHostSettings;

GstHoloHostSettings *gst_holo_host_settings_new (GstHoloHost *host);
void gst_holo_host_settings_free (GstHoloHostSettings *settings);
/* Keeps changes of settings away, and with them others who use the host's runs from outside the stream. */
void gst_holo_host_settings_lock (GstHoloHostSettings *settings);
void gst_holo_host_settings_unlock (GstHoloHostSettings *settings);
/* (transfer full) (nullable): a copy of @graph with every value, in force and pending, in its nodes'
 * settings. */
HoloGraph *gst_holo_host_settings_apply (GstHoloHostSettings *settings, HoloGraph *graph, HoloRegistry *registry,
                                         GError **error);
GstHoloHostSettings *gst_holo_host_get_settings (GstHoloHost *host);

G_END_DECLS
