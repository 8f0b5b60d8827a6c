/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One frame of a transform in host memory: in place, into memory of its own, or as another view of what came. */
#include "gstholotransform-private.h"

#include "gstholomessage.h"

/* ---- views ---- */

/* A part of the memory of @in, with its metas, but for the one that says how the tensor lay in the whole. */
static GstBuffer *
copy_part (GstBuffer *in, gsize offset, gsize size)
{
  GstBuffer *out = gst_buffer_copy_region (in, GST_BUFFER_COPY_ALL, offset, size);
  GstHoloTensorMeta *meta = gst_buffer_get_holo_tensor_meta (out);

  if (meta != NULL)
    gst_buffer_remove_meta (out, &meta->meta);
  return out;
}

/* The memory of @in as a kind sees it that only looks at it in another way; NULL when it must be copied. */
GstBuffer *
gst_holo_transform_share_on_host (GstHoloTransformPrivate *priv, GstBuffer *in)
{
  HoloTensorDesc input;
  GstHoloLayout *layout;
  const HoloInferredOutput *output;
  gsize payload;

  if (!gst_holo_buffer_get_desc (in, &priv->in_info, &input, NULL))
    return NULL;
  layout = gst_holo_node_find_layout (&priv->node, &input);
  if (layout == NULL || gst_buffer_get_size (in) < holo_tensor_desc_get_size (&input))
    return NULL;
  output = holo_inference_get_output (&layout->inference, 0);
  payload = holo_tensor_desc_get_payload (&output->desc);
  if (output->in_place != HOLO_IN_PLACE_VIEW)
    return NULL;
  if (holo_tensor_desc_is_dense (&output->desc))
    {
      if (output->desc.offset == 0 && gst_buffer_get_size (in) == payload &&
          gst_buffer_get_holo_tensor_meta (in) == NULL)
        return in;
      return copy_part (in, (gsize) output->desc.offset, payload);
    }
  return gst_holo_transform_show (priv, in, &output->desc);
}

/* The output buffer shows the input's memory already. */
GstFlowReturn
gst_holo_transform_run_shared (GstHoloTransformPrivate *priv, GstBuffer *in, GstBuffer *out)
{
  GError *error = NULL;
  GstHoloBufferMap map;
  GstHoloLayout *layout;
  HoloStamp stamp;
  HoloOpResult result;

  if (!gst_holo_buffer_map (in, &priv->in_info, GST_MAP_READ, &map, &error))
    return gst_holo_node_to_flow (&priv->node, HOLO_OP_ERROR, error);
  gst_holo_element_warn_trailing (priv->node.element, map.trailing, &priv->warned_trailing);
  stamp = map.view.stamp;
  layout = gst_holo_node_find_layout (&priv->node, &map.layout);
  result = gst_holo_node_execute (&priv->node, layout, map.info.data, map.info.size, map.info.data, map.info.size,
                                  &stamp, &error);
  gst_holo_buffer_unmap (&map);
  if (in != out)
    gst_holo_transform_set_output_stamp (out, &map.view.stamp, &stamp);
  return G_LIKELY (result == HOLO_OP_OK) ? GST_FLOW_OK : gst_holo_node_to_flow (&priv->node, result, error);
}

/* ---- one frame ---- */

static GstFlowReturn
run_in_place (GstHoloTransformPrivate *priv, GstBuffer *buffer)
{
  GError *error = NULL;
  GstHoloBufferMap map;
  HoloStamp stamp;
  HoloOpResult result;

  if (!gst_holo_buffer_map (buffer, &priv->in_info, GST_MAP_READWRITE, &map, &error))
    return gst_holo_node_to_flow (&priv->node, HOLO_OP_ERROR, error);
  stamp = map.view.stamp;
  result = gst_holo_node_execute (&priv->node, priv->node.layouts[0], map.view.storage->data, map.view.storage->size,
                                  map.view.storage->data, map.view.storage->size, &stamp, &error);
  gst_holo_transform_set_output_stamp (buffer, &map.view.stamp, &stamp);
  gst_holo_buffer_unmap (&map);
  return G_LIKELY (result == HOLO_OP_OK) ? GST_FLOW_OK : gst_holo_node_to_flow (&priv->node, result, error);
}

/* The short way for what nearly every buffer is: one dense tensor, aligned, without a meta. FALSE, with
 * nothing done, for any other. */
static gboolean
run_plain (GstHoloTransformPrivate *priv, GstBuffer *in, GstBuffer *out, GstFlowReturn *flow)
{
  GstHoloLayout *layout = priv->node.layouts[0];
  GstMapInfo source, target;
  GError *error = NULL;
  HoloStamp before, after;
  HoloOpResult result;
  gboolean plain;

  if (!layout->is_plain || gst_buffer_get_holo_tensor_meta (in) != NULL ||
      !gst_buffer_map (in, &source, in == out ? GST_MAP_READWRITE : GST_MAP_READ))
    return FALSE;
  if (in == out)
    target = source;
  else if (!gst_buffer_map (out, &target, GST_MAP_READWRITE))
    {
      gst_buffer_unmap (in, &source);
      return FALSE;
    }
  plain = source.size == priv->in_info.size && target.size >= layout->out_size &&
          (((guintptr) source.data | (guintptr) target.data) & (sizeof (gdouble) - 1)) == 0;
  if (plain)
    {
      gst_holo_buffer_get_stamp (in, &before);
      after = before;
      result = gst_holo_node_execute (&priv->node, layout, source.data, source.size, target.data, target.size, &after,
                                      &error);
      gst_holo_transform_set_output_stamp (out, &before, &after);
    }
  if (in != out)
    gst_buffer_unmap (out, &target);
  gst_buffer_unmap (in, &source);
  if (plain)
    *flow = G_LIKELY (result == HOLO_OP_OK) ? GST_FLOW_OK : gst_holo_node_to_flow (&priv->node, result, error);
  return plain;
}

/* A dense copy of a tensor whose layout the task does not take. */
typedef struct
{
  HoloTensorDesc desc;
  gpointer data;
} Packed;

static GstHoloLayout *
pack (GstHoloTransformPrivate *priv, const HoloTensorView *view, Packed *packed)
{
  gsize size;

  holo_tensor_desc_init_dense_like (&packed->desc, &view->desc);
  size = holo_tensor_desc_get_size (&packed->desc);
  packed->data = g_aligned_alloc (1, MAX (size, 1), HOLO_MEMORY_ALIGNMENT);
  gst_holo_element_log_copy (priv->node.element, size, "the task does not take it as it lies");
  gst_holo_node_count_copy (&priv->node);
  holo_tensor_copy_elements (packed->data, &packed->desc, holo_tensor_view_get_data (view), &view->desc);
  return priv->node.layouts[0];
}

/* The output of a kind that only looks at its input in another way is a copy of what it sees: dense, as the
 * caps say. */
static void
copy_seen (GstHoloTransformPrivate *priv, const GstHoloLayout *layout, gconstpointer in_data, gpointer out_data)
{
  const HoloTensorDesc *seen = holo_inference_get_output_desc (&layout->inference, 0);

  gst_holo_element_log_copy (priv->node.element, priv->out_info.size, "the next element does not take it as it lies");
  gst_holo_node_count_copy (&priv->node);
  holo_tensor_copy_elements (out_data, &priv->out_info.desc, (const guint8 *) in_data + seen->offset, seen);
}

static HoloOpResult
run_on (GstHoloTransformPrivate *priv, GstHoloLayout *layout, gpointer in_data, gsize in_size, gpointer out_data,
        gsize out_size, HoloStamp *stamp, GError **error)
{
  const HoloInferredOutput *output = holo_inference_get_output (&layout->inference, 0);
  HoloOpResult result;

  switch (output->in_place)
    {
    case HOLO_IN_PLACE_VIEW:
      result = gst_holo_node_execute (&priv->node, layout, in_data, in_size, in_data, in_size, stamp, error);
      if (result == HOLO_OP_OK)
        copy_seen (priv, layout, in_data, out_data);
      return result;
    case HOLO_IN_PLACE_MUST:
      /* the task works on the input's memory: on a copy of it in the output's */
      holo_tensor_copy_elements (out_data, &priv->in_info.desc, (guint8 *) in_data + layout->input.offset,
                                 &layout->input);
      return gst_holo_node_execute (&priv->node, priv->node.layouts[0], out_data, out_size, out_data, out_size, stamp,
                                    error);
    default:
      return gst_holo_node_execute (&priv->node, layout, in_data, in_size, out_data, out_size, stamp, error);
    }
}

static GstFlowReturn
run_out_of_place (GstHoloTransformPrivate *priv, GstBuffer *in, GstBuffer *out)
{
  GError *error = NULL;
  GstHoloBufferMap source, target;
  Packed packed = { .data = NULL };
  GstHoloLayout *layout;
  HoloStamp stamp;
  HoloOpResult result;

  if (!gst_holo_buffer_map (in, &priv->in_info, GST_MAP_READ, &source, &error))
    return gst_holo_node_to_flow (&priv->node, HOLO_OP_ERROR, error);
  if (!gst_holo_buffer_map (out, &priv->out_info, GST_MAP_READWRITE, &target, &error))
    {
      gst_holo_buffer_unmap (&source);
      return gst_holo_node_to_flow (&priv->node, HOLO_OP_ERROR, error);
    }
  gst_holo_element_warn_trailing (priv->node.element, source.trailing, &priv->warned_trailing);
  layout = gst_holo_node_find_layout (&priv->node, &source.view.desc);
  if (G_UNLIKELY (layout == NULL))
    layout = pack (priv, &source.view, &packed);
  stamp = source.view.stamp;
  result = run_on (priv, layout, packed.data != NULL ? packed.data : source.view.storage->data,
                   packed.data != NULL ? holo_tensor_desc_get_size (&packed.desc) : source.view.storage->size,
                   target.view.storage->data, target.view.storage->size, &stamp, &error);
  gst_holo_transform_set_output_stamp (out, &source.view.stamp, &stamp);
  g_aligned_free (packed.data);
  gst_holo_buffer_unmap (&target);
  gst_holo_buffer_unmap (&source);
  return G_LIKELY (result == HOLO_OP_OK) ? GST_FLOW_OK : gst_holo_node_to_flow (&priv->node, result, error);
}

GstFlowReturn
gst_holo_transform_run_on_host (GstHoloTransformPrivate *priv, GstBuffer *in, GstBuffer *out)
{
  GstFlowReturn flow;

  if (run_plain (priv, in, out, &flow))
    return flow;
  return in == out ? run_in_place (priv, out) : run_out_of_place (priv, in, out);
}
