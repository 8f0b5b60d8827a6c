/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/holoflow/gstholoinfo.h>

gboolean _gst_holo_check_size (const GstHoloTensorInfo *info, const HoloTensorDesc *layout, gsize found,
                               gsize *trailing, GError **error);
gboolean _gst_holo_is_aligned (const HoloTensorDesc *layout, gconstpointer data);
void _gst_holo_pack (gpointer dst, const HoloTensorDesc *dense, gconstpointer data, const HoloTensorDesc *layout,
                     gboolean swap_bytes);
