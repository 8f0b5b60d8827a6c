/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstholohost.h"

G_BEGIN_DECLS

#define GST_TYPE_HOLO_BIN (gst_holo_bin_get_type ())
G_DECLARE_FINAL_TYPE (GstHoloBin, gst_holo_bin, GST, HOLO_BIN, GstHoloHost)

GST_ELEMENT_REGISTER_DECLARE (holoflowbin)

G_END_DECLS
