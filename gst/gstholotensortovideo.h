/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_HOLO_TENSOR_TO_VIDEO (gst_holo_tensor_to_video_get_type ())
G_DECLARE_FINAL_TYPE (GstHoloTensorToVideo, gst_holo_tensor_to_video, GST, HOLO_TENSOR_TO_VIDEO, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (holotensortovideo)

G_END_DECLS
