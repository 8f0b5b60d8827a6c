/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What our elements do about caps and memory that the base class does not do, or does without words. */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

void gst_holo_query_complete_pool (GstQuery *query, gsize size);
gboolean gst_holo_transform_query (GstBaseTransform *transform, GstPadDirection direction, GstQuery *query,
                                   GstBaseTransformClass *parent_class);
gboolean gst_holo_transform_accept_caps (GstBaseTransform *transform, GstPadDirection direction,
                                         GstCaps *caps);
void gst_holo_transform_init_pads (GstBaseTransform *transform);
void gst_holo_transform_post_not_negotiated (GstBaseTransform *transform, GstCaps *in_caps,
                                             const GError *reason);

G_END_DECLS
