/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps to tensor description and back. */
#pragma once

#include <gst/video/video.h>

#include <gst/holoflow/gstholo-api.h>

G_BEGIN_DECLS

/**
 * GST_HOLO_TENSOR_MEDIA_TYPE:
 *
 * Media type of one tensor per buffer: `tensor/strided, type=(string)float32, dims=(int)<4,512,512>,
 * dims-order=(string)row-major, framerate=(fraction)30/1`. Rank counts: <5,8> and <1,5,8> are different.
 *
 * Since: 0.1
 */
#define GST_HOLO_TENSOR_MEDIA_TYPE "tensor/strided"

/**
 * GST_HOLO_FEATURE_CUDA:
 *
 * Caps feature of tensors in device memory.
 *
 * Since: 0.1
 */
#define GST_HOLO_FEATURE_CUDA "memory:CUDAMemory"

/**
 * GST_HOLO_VIDEO_FORMATS:
 *
 * Formats of video/x-raw that are a tensor: one plane whose pixels are 1, 3 or 4 samples of 8 or 16 bits.
 *
 * Since: 0.1
 */
#define GST_HOLO_VIDEO_FORMATS                                                                                         \
  "{ GRAY8, GRAY16_LE, GRAY16_BE, RGB, BGR, RGBA, BGRA, ARGB, ABGR, RGBx, BGRx, xRGB, xBGR, "                          \
  "RGBA64_LE, RGBA64_BE, BGRA64_LE, BGRA64_BE, ARGB64_LE, ARGB64_BE, ABGR64_LE, ABGR64_BE }"

/**
 * GST_HOLO_CUDA_VIDEO_FORMATS:
 *
 * Formats of video/x-raw in device memory, as far as they are tensors: GStreamer's CUDA elements know no gray
 * ones.
 *
 * Since: 0.1
 */
#define GST_HOLO_CUDA_VIDEO_FORMATS "{ RGBA, BGRA, ARGB, ABGR, RGBx, BGRx, RGB, BGR }"

/**
 * GST_HOLO_PLANAR_VIDEO_FORMATS:
 *
 * Formats whose planes are tensors, in host or device memory: the first plane is the luminance [1,H,W]; the
 * second of NV12 and NV21 is [1,(H+1)/2,(W+1)/2,2], those of I420 and YV12
 * are [1,(H+1)/2,(W+1)/2].
 *
 * Since: 0.1
 */
#define GST_HOLO_PLANAR_VIDEO_FORMATS "{ NV12, NV21, I420, YV12, Y42B, Y444 }"

/**
 * GST_HOLO_PLANE_AUTO:
 *
 * The only plane of a picture, or the first one of a picture in device memory.
 *
 * Since: 0.1
 */
#define GST_HOLO_PLANE_AUTO (-1)

/**
 * GST_HOLO_PLANE_ONLY:
 *
 * The only plane of a picture; formats with several are refused.
 *
 * Since: 0.1
 */
#define GST_HOLO_PLANE_ONLY (-2)

/**
 * GstHoloTensorInfo:
 * @desc: tensor of a buffer that carries no meta; `rate_n/rate_d` is the framerate
 * @size: bytes that such a buffer has at least
 * @is_video: the caps were video/x-raw
 * @swap_bytes: samples of 16 bits arrive in the other byte order; mapping copies and swaps
 * @video: the caps as GstVideoInfo, when @is_video
 * @plane: which plane of it the tensor is
 *
 * What fixed caps say about the buffers behind them. A plain value.
 *
 * Since: 0.1
 */
typedef struct
{
  HoloTensorDesc desc;
  gsize size;
  gboolean is_video;
  gboolean swap_bytes;
  GstVideoInfo video;
  guint plane;

  /*< private >*/
  guint row_dim; /* dimension of the rows of a picture */
  gpointer _gst_reserved[GST_PADDING];
} GstHoloTensorInfo;

GST_HOLO_API gboolean gst_holo_tensor_info_from_caps (GstHoloTensorInfo *info, const GstCaps *caps, GError **error);
GST_HOLO_API gboolean gst_holo_tensor_info_from_video (GstHoloTensorInfo *info, const GstVideoInfo *video,
                                                       gboolean squeeze, GError **error);
GST_HOLO_API gboolean gst_holo_tensor_info_from_caps_with_plane (GstHoloTensorInfo *info, const GstCaps *caps,
                                                                 gint plane, GError **error);
GST_HOLO_API gboolean gst_holo_tensor_info_from_video_plane (GstHoloTensorInfo *info, const GstVideoInfo *video,
                                                             HoloMemLoc mem_loc, gint plane, gboolean squeeze,
                                                             GError **error);
GST_HOLO_API void gst_holo_tensor_info_from_desc (GstHoloTensorInfo *info, const HoloTensorDesc *desc);

GST_HOLO_API gboolean gst_holo_caps_to_desc (const GstCaps *caps, HoloTensorDesc *desc, GError **error);
GST_HOLO_API GstCaps *gst_holo_caps_from_desc (const HoloTensorDesc *desc, GError **error);
GST_HOLO_API GstCaps *gst_holo_caps_new_template (guint dtypes, guint mem_locs, guint min_rank, guint max_rank);
GST_HOLO_API GstCaps *gst_holo_caps_new_video_template (void);
GST_HOLO_API GstCaps *gst_holo_caps_new_video_template_full (guint mem_locs, gint plane);

G_END_DECLS
