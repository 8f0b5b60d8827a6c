/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A meta that describes the tensor in a buffer where the caps are not enough: strides and offset. */
#pragma once

#include <gst/holoflow/gstholo-api.h>

G_BEGIN_DECLS

/**
 * GstHoloTensorMeta:
 * @desc: element type, shape, byte strides and offset of the first element from the start of the buffer
 *
 * Caps mean a dense tensor at the start of the buffer. Another layout travels in this meta, and only to a
 * peer that lists %GST_HOLO_TENSOR_META_API_TYPE in its answer to the ALLOCATION query. Type and shape must
 * equal those of the caps.
 *
 * Since: 0.1
 */
typedef struct
{
  GstMeta meta;
  HoloTensorDesc desc;
} GstHoloTensorMeta;

/**
 * GST_HOLO_TENSOR_META_API_TYPE:
 *
 * What an element that takes tensors of any layout lists in its answer to the ALLOCATION query.
 *
 * Since: 0.1
 */
#define GST_HOLO_TENSOR_META_API_TYPE (gst_holo_tensor_meta_api_get_type ())
/**
 * GST_HOLO_TENSOR_META_INFO:
 *
 * The #GstMetaInfo of #GstHoloTensorMeta.
 *
 * Since: 0.1
 */
#define GST_HOLO_TENSOR_META_INFO (gst_holo_tensor_meta_get_info ())

GST_HOLO_API GType gst_holo_tensor_meta_api_get_type (void);
/**
 * gst_holo_tensor_meta_get_info:
 *
 * Returns: (transfer none): how GStreamer handles the meta; static. Any thread
 *
 * Since: 0.1
 */
GST_HOLO_API const GstMetaInfo *gst_holo_tensor_meta_get_info (void);
GST_HOLO_API GstHoloTensorMeta *gst_buffer_add_holo_tensor_meta (GstBuffer *buffer, const HoloTensorDesc *desc);
GST_HOLO_API GstHoloTensorMeta *gst_buffer_get_holo_tensor_meta (GstBuffer *buffer);

G_END_DECLS
