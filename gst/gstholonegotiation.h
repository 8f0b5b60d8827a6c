/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What our elements do about caps and memory that the base class does not do, or does without words. */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/holoflow/gstholoflow.h>

G_BEGIN_DECLS

void gst_holo_query_complete_pool (GstQuery *query, gsize size);
void gst_holo_query_drop_pools (GstQuery *query);
/* Offers upstream a pool of @pool's (taken) type; one that cannot be set up is left out. */
void gst_holo_query_offer_pool (GstQuery *query, GstBufferPool *pool, GstCaps *caps, gsize size, guint minimum,
                                GstAllocator *allocator, const gchar *option);
/* Offers host memory from which @device copies fast. */
void gst_holo_query_offer_pinned_memory (GstQuery *query, HoloDevice *device, GstCaps *caps,
                                         const GstHoloTensorInfo *info, guint minimum, gboolean need_pool);

/* The places (set of HoloMemLoc) of memory that @caps name; and what of @caps lies there. */
guint gst_holo_caps_get_places (const GstCaps *caps);
guint gst_holo_caps_get_place (const GstCaps *caps, guint index);
HoloMemLoc gst_holo_caps_get_loc (const GstCaps *caps);
GstCaps *gst_holo_caps_filter_places (GstCaps *caps, guint mem_locs);

gboolean gst_holo_transform_query (GstBaseTransform *transform, GstPadDirection direction, GstQuery *query,
                                   GstBaseTransformClass *parent_class);
gboolean gst_holo_transform_accept_caps (GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps);
void gst_holo_transform_init_pads (GstBaseTransform *transform);
void gst_holo_transform_post_not_negotiated (GstBaseTransform *transform, GstCaps *in_caps, const GError *reason);

G_END_DECLS
