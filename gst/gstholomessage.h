/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the elements say on the bus. */
#pragma once

#include <gst/holoflow/gstholoflow.h>

G_BEGIN_DECLS

void gst_holo_element_post_error (gpointer element, const GError *error);
gboolean gst_holo_element_report (gpointer element, gboolean ok, GError **error);
void gst_holo_element_post_once (gpointer element, const GError *error);
void gst_holo_element_forget_posted (gpointer element);
void gst_holo_element_post_warning (gpointer element, const GError *error);
void gst_holo_element_warn_trailing (gpointer element, gsize trailing, gboolean *warned);
void gst_holo_element_log_copy (gpointer element, gsize size, const gchar *reason);

G_END_DECLS
