/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_HOLO_VIDEO_TO_TENSOR (gst_holo_video_to_tensor_get_type ())
G_DECLARE_FINAL_TYPE (GstHoloVideoToTensor, gst_holo_video_to_tensor, GST, HOLO_VIDEO_TO_TENSOR, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (holovideototensor)

G_END_DECLS
