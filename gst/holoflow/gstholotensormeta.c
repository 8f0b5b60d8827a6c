/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/holoflow/gstholotensormeta.h>

#include <string.h>

/**
 * gst_holo_tensor_meta_api_get_type:
 *
 * Returns: the API to list in an ALLOCATION query
 *
 * Since: 0.1
 */
GType
gst_holo_tensor_meta_api_get_type (void)
{
  static gsize type = 0;
  /* It describes memory: transforms that write other memory must not copy it. */
  static const gchar *tags[] = { "memory", NULL };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, gst_meta_api_type_register ("GstHoloTensorMetaAPI", tags));
  return type;
}

static gboolean
meta_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  memset (&((GstHoloTensorMeta *) meta)->desc, 0, sizeof (HoloTensorDesc));
  return TRUE;
}

/* Only a copy of the whole buffer keeps its layout. */
static gboolean
meta_transform (GstBuffer *transbuf, GstMeta *meta, GstBuffer *buffer, GQuark type, gpointer data)
{
  GstMetaTransformCopy *copy = data;

  if (!GST_META_TRANSFORM_IS_COPY (type) || copy->region)
    return FALSE;
  return gst_buffer_add_holo_tensor_meta (transbuf, &((GstHoloTensorMeta *) meta)->desc) != NULL;
}

const GstMetaInfo *
gst_holo_tensor_meta_get_info (void)
{
  static const GstMetaInfo *info = NULL;

  if (g_once_init_enter (&info))
    g_once_init_leave (&info, gst_meta_register (GST_HOLO_TENSOR_META_API_TYPE, "GstHoloTensorMeta",
                                                 sizeof (GstHoloTensorMeta), meta_init, NULL, meta_transform));
  return info;
}

/**
 * gst_buffer_add_holo_tensor_meta:
 * @buffer: a writable buffer
 * @desc: the tensor in it
 *
 * Returns: (transfer none): the meta
 *
 * Since: 0.1
 */
GstHoloTensorMeta *
gst_buffer_add_holo_tensor_meta (GstBuffer *buffer, const HoloTensorDesc *desc)
{
  GstHoloTensorMeta *meta = (GstHoloTensorMeta *) gst_buffer_add_meta (buffer, GST_HOLO_TENSOR_META_INFO, NULL);

  meta->desc = *desc;
  return meta;
}

/**
 * gst_buffer_get_holo_tensor_meta:
 * @buffer: a buffer
 *
 * Returns: (transfer none) (nullable): its tensor meta
 *
 * Since: 0.1
 */
GstHoloTensorMeta *
gst_buffer_get_holo_tensor_meta (GstBuffer *buffer)
{
  return (GstHoloTensorMeta *) gst_buffer_get_meta (buffer, GST_HOLO_TENSOR_META_API_TYPE);
}
