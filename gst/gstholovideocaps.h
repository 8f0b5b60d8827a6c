/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of pictures as caps of tensors and back, also when they are not fixed yet. */
#pragma once

#include <gst/holoflow/gstholoflow.h>

G_BEGIN_DECLS

/**
 * GstHoloPictureMode:
 * @GST_HOLO_PICTURE_ONE: one picture: [1,H,W] or [1,H,W,C]
 * @GST_HOLO_PICTURE_SQUEEZED: one picture: [H,W] or [H,W,C]
 * @GST_HOLO_PICTURE_ANY: N pictures: [H,W], [N,H,W] or [N,H,W,C]
 * @GST_HOLO_PICTURE_ANY_SQUEEZED: N pictures: [H,W], [H,W,C] or [N,H,W,C]
 *
 * Which shapes stand for pictures.
 */
typedef enum
{
  GST_HOLO_PICTURE_ONE,
  GST_HOLO_PICTURE_SQUEEZED,
  GST_HOLO_PICTURE_ANY,
  GST_HOLO_PICTURE_ANY_SQUEEZED,
} GstHoloPictureMode;

/**
 * GstHoloPictures:
 * @n: pictures
 * @height: rows
 * @width: pixels
 * @channels: samples per pixel
 * @n_dim: dimension of @n, or -1
 * @row_dim: dimension of the rows
 *
 * A tensor read as pictures.
 */
typedef struct
{
  gint64 n;
  gint64 height;
  gint64 width;
  gint64 channels;
  gint n_dim;
  guint row_dim;
} GstHoloPictures;

gboolean gst_holo_pictures_from_desc (GstHoloPictures *pictures, const HoloTensorDesc *desc, GstHoloPictureMode mode,
                                      GError **error);
/* @plane: see GstHoloTensorInfo; GST_HOLO_PLANE_AUTO. Memory stays where it is. */
GstCaps *gst_holo_video_caps_to_tensor (GstCaps *caps, GstHoloPictureMode mode, gint plane);
GstCaps *gst_holo_video_caps_from_tensor (GstCaps *caps, GstHoloPictureMode mode, gint plane);
/* The property "plane": which plane is meant. */
GParamSpec *gst_holo_plane_new_param_spec (void);

G_END_DECLS
