/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/holoflow/gstholo-api.h>

G_BEGIN_DECLS

GST_HOLO_API void gst_holo_elements_register (GstPlugin *plugin);

G_END_DECLS
