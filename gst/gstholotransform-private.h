/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the transform share: gstholotransform.c is the element; gstholotransformhost.c works on frames in
 * host memory, gstholotransformdevice.c on those on a device. */
#pragma once

#include <gst/base/gstbasetransform.h>

#include "gstholonode.h"
#include "gstholopacker.h"

G_BEGIN_DECLS

/* So many frames may be on their way through the device. */
#define GST_HOLO_TRANSFORM_MAX_AHEAD 4

typedef struct
{
  GstHoloNode node;
  GstHoloPlace place;
  GstHoloTensorInfo in_info, out_info;
  gboolean sends_meta; /* the next element takes GstHoloTensorMeta */
  gboolean shared;     /* the output buffer at hand shows the input's memory */
  gboolean warned_trailing;
  GError *refused; /* why the last caps were refused */

  /* where input or output lie on a device */
  gboolean on_device;
  gboolean sends_fences; /* the next element waits for fences itself */
  GstHoloRecycler *recycler;
  GstHoloPacker packer;
  HoloFence ahead[GST_HOLO_TRANSFORM_MAX_AHEAD]; /* of the last frames, a ring */
  guint n_ahead;
} GstHoloTransformPrivate;

/* ---- gstholotransform.c ---- */
gboolean gst_holo_transform_is_own_memory (GstBuffer *buffer);
GstBuffer *gst_holo_transform_show (GstHoloTransformPrivate *priv, GstBuffer *in, const HoloTensorDesc *seen);
void gst_holo_transform_set_output_stamp (GstBuffer *out, const HoloStamp *before, const HoloStamp *after);

/* ---- gstholotransformhost.c; streaming thread ---- */
/* The memory of @in as a kind sees it that only looks at it in another way; NULL when it must be copied. */
GstBuffer *gst_holo_transform_share_on_host (GstHoloTransformPrivate *priv, GstBuffer *in);
/* For either memory: the output buffer shows the input's already. */
GstFlowReturn gst_holo_transform_run_shared (GstHoloTransformPrivate *priv, GstBuffer *in, GstBuffer *out);
GstFlowReturn gst_holo_transform_run_on_host (GstHoloTransformPrivate *priv, GstBuffer *in, GstBuffer *out);

/* ---- gstholotransformdevice.c; streaming thread ---- */
void gst_holo_transform_configure_device (GstHoloTransformPrivate *priv);
void gst_holo_transform_clear_device (GstHoloTransformPrivate *priv);
/* For an input in device memory that is only looked at in another way; NULL when it must be copied. */
GstBuffer *gst_holo_transform_share_on_device (GstHoloTransformPrivate *priv, GstBuffer *in);
gboolean gst_holo_transform_may_overwrite_on_device (GstHoloTransformPrivate *priv, GstBuffer *in);
GstBuffer *gst_holo_transform_acquire_on_device (GstHoloTransformPrivate *priv, GError **error);
GstFlowReturn gst_holo_transform_run_on_device (GstHoloTransformPrivate *priv, GstBuffer *in, GstBuffer *out);
/* Before @out is pushed. */
GstFlowReturn gst_holo_transform_settle (GstHoloTransformPrivate *priv, GstBuffer *out);

G_END_DECLS
