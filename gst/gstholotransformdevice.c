/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One frame of a transform whose input or output lies on a device: the task's work is enqueued behind the fences
 * of the memory, and its own fence goes with the memory. */
#include "gstholotransform-private.h"

#include "gstholomessage.h"
#include "holoflow/gstholocuda-private.h"
#include "holoflow/gstholodevice-private.h"

void
gst_holo_transform_clear_device (GstHoloTransformPrivate *priv)
{
  g_clear_pointer (&priv->recycler, _gst_holo_recycler_close);
  gst_holo_packer_clear (&priv->packer);
  priv->n_ahead = 0;
  priv->on_device = FALSE;
}

/* After new caps. */
void
gst_holo_transform_configure_device (GstHoloTransformPrivate *priv)
{
  gst_holo_transform_clear_device (priv);
  priv->on_device = !holo_device_is_host (priv->node.device);
}

/* ---- the output's memory ---- */

GstBuffer *
gst_holo_transform_acquire_on_device (GstHoloTransformPrivate *priv, GError **error)
{
  if (priv->recycler == NULL)
    priv->recycler = gst_holo_place_new_recycler (&priv->place, priv->node.device, priv->out_info.size, error);
  return priv->recycler != NULL ? gst_holo_recycler_acquire_buffer (priv->recycler, error) : NULL;
}

/* Only memory of ours: a decoder may still need what it gave away. */
gboolean
gst_holo_transform_may_overwrite_on_device (GstHoloTransformPrivate *priv, GstBuffer *in)
{
  return priv->node.layouts[0]->may_share && priv->in_info.desc.mem_loc == HOLO_MEM_LOC_DEVICE &&
         priv->out_info.desc.mem_loc == HOLO_MEM_LOC_DEVICE && gst_holo_transform_is_own_memory (in) &&
         gst_buffer_get_size (in) == priv->in_info.size && gst_buffer_get_holo_tensor_meta (in) == NULL &&
         _gst_holo_buffer_is_device (in) && _gst_holo_memory_is_recycled (gst_buffer_peek_memory (in, 0));
}

/* Parts of device memory cannot be cut out: where the tensor begins and how it lies says a meta. */
GstBuffer *
gst_holo_transform_share_on_device (GstHoloTransformPrivate *priv, GstBuffer *in)
{
  const HoloTensorDesc *seen;
  HoloTensorDesc input;
  GstHoloLayout *layout;

  if (!gst_holo_buffer_get_desc (in, &priv->in_info, &input, NULL))
    return NULL;
  layout = gst_holo_node_find_layout (&priv->node, &input);
  if (layout == NULL || !layout->is_view)
    return NULL;
  seen = holo_inference_get_output_desc (&layout->inference, 0);
  if (holo_tensor_desc_is_dense (seen) && seen->offset == 0 &&
      gst_buffer_get_size (in) == holo_tensor_desc_get_payload (seen) && gst_buffer_get_holo_tensor_meta (in) == NULL)
    return in;
  return gst_holo_transform_show (priv, in, seen);
}

/* ---- one frame ---- */

/* The memory that is written, mapped. */
typedef struct
{
  GstBuffer *buffer;
  GstMapInfo info;
  gboolean on_device;
} Target;

static gboolean
open_target (GstHoloTransformPrivate *priv, GstBuffer *buffer, Target *target, GError **error)
{
  HoloFenceSet fences = { 0 };
  GstMapFlags flags = GST_MAP_READWRITE;
  gboolean ok = TRUE;

  target->buffer = buffer;
  target->on_device = _gst_holo_buffer_is_device (buffer);
  if (target->on_device)
    {
      flags |= GST_HOLO_MAP_DEVICE;
      _gst_holo_memory_collect_fences (gst_buffer_peek_memory (buffer, 0), &fences);
      ok = holo_fence_set_wait_stream (&fences, priv->node.stream, error);
      holo_fence_set_clear (&fences);
    }
  if (!ok || gst_buffer_map (buffer, &target->info, flags))
    return ok;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY, "the buffer cannot be mapped for writing");
  return FALSE;
}

/* Host memory leaves complete: its reader knows no fences. */
static gboolean
close_target (Target *target, const HoloFence *fence, GError **error)
{
  gst_buffer_unmap (target->buffer, &target->info);
  if (!target->on_device)
    return holo_fence_wait_host (fence, error);
  gst_holo_memory_set_write_fence (gst_buffer_peek_memory (target->buffer, 0), fence);
  return TRUE;
}

static gboolean
enqueue_copy (GstHoloTransformPrivate *priv, gpointer dst, gsize dst_size, const HoloTensorDesc *dst_desc, gpointer src,
              gsize src_size, const HoloTensorDesc *src_desc, GError **error)
{
  HoloStorage to = { .data = dst, .size = dst_size, .mem_loc = dst_desc->mem_loc, .device = priv->node.device };
  HoloStorage from = { .data = src, .size = src_size, .mem_loc = src_desc->mem_loc, .device = priv->node.device };
  HoloTensorView dst_view, src_view;

  gst_holo_node_count_copy (&priv->node);
  holo_tensor_view_init (&dst_view, dst_desc, &to);
  holo_tensor_view_init (&src_view, src_desc, &from);
  return holo_device_copy (priv->node.device, priv->node.stream, &dst_view, &src_view, error);
}

static HoloOpResult
run_task (GstHoloTransformPrivate *priv, GstHoloLayout *layout, HoloFrame *source, Target *target, HoloStamp *stamp,
          GError **error)
{
  gpointer in = source->block->data, out = target->info.data;
  gsize in_size = source->block->size, out_size = target->info.size;
  HoloOpResult result;

  switch (holo_inference_get_output (&layout->inference, 0)->in_place)
    {
    case HOLO_IN_PLACE_VIEW:
      result = gst_holo_node_execute (&priv->node, layout, in, in_size, in, in_size, stamp, error);
      if (result == HOLO_OP_OK && !enqueue_copy (priv, out, out_size, &priv->out_info.desc, in, in_size,
                                                 holo_inference_get_output_desc (&layout->inference, 0), error))
        return HOLO_OP_ERROR;
      return result;
    case HOLO_IN_PLACE_MUST:
      if (!enqueue_copy (priv, out, out_size, &priv->in_info.desc, in, in_size, &source->desc, error))
        return HOLO_OP_ERROR;
      return gst_holo_node_execute (&priv->node, priv->node.layouts[0], out, out_size, out, out_size, stamp, error);
    default:
      return gst_holo_node_execute (&priv->node, layout, in, in_size, out, out_size, stamp, error);
    }
}

/* The task for @source as it lies; a dense copy of it where there is none. */
static GstHoloLayout *
find_layout (GstHoloTransformPrivate *priv, HoloFrame *source, GError **error)
{
  GstHoloLayout *layout = gst_holo_node_find_layout (&priv->node, &source->desc);
  HoloTensorDesc dense;

  if (G_LIKELY (layout != NULL))
    return layout;
  if (source->desc.mem_loc == HOLO_MEM_LOC_HOST)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED, "a tensor that lies so is not taken");
      return NULL;
    }
  gst_holo_element_log_copy (priv->node.element, holo_tensor_desc_get_payload (&source->desc),
                             "the task does not take it as it lies");
  gst_holo_node_count_copy (&priv->node);
  holo_tensor_desc_init_dense_like (&dense, &source->desc);
  return gst_holo_packer_pack (&priv->packer, &priv->place, source, &dense, error) ? priv->node.layouts[0] : NULL;
}

/* Enqueues everything for one frame; @fence is behind it. */
static HoloOpResult
enqueue_frame (GstHoloTransformPrivate *priv, HoloFrame *source, Target *target, HoloStamp *stamp, HoloFence *fence,
               GError **error)
{
  GstHoloLayout *layout = find_layout (priv, source, error);
  HoloOpResult result;

  if (layout == NULL || !holo_stream_wait_fence (priv->node.stream, &source->fence, error))
    return HOLO_OP_ERROR;
  result = run_task (priv, layout, source, target, stamp, error);
  /* also behind what a task that failed may have enqueued */
  if (!holo_stream_record (priv->node.stream, fence, result == HOLO_OP_ERROR ? NULL : error))
    return HOLO_OP_ERROR;
  source->fence = *fence;
  return result;
}

static HoloOpResult
run_out_of_place (GstHoloTransformPrivate *priv, GstBuffer *in, GstBuffer *out, HoloFence *fence, GError **error)
{
  g_auto (HoloFrame) source = HOLO_FRAME_INIT;
  HoloOpResult result;
  HoloStamp before, after;
  Target target;

  if (!gst_holo_frame_from_buffer (&source, gst_buffer_ref (in), &priv->in_info, FALSE, error) ||
      !gst_holo_frame_check_device (&source, priv->node.device, "this element", "let both share one CUDA context",
                                    error) ||
      !open_target (priv, out, &target, error))
    return HOLO_OP_ERROR;
  before = after = source.stamp;
  result = enqueue_frame (priv, &source, &target, &after, fence, error);
  if (!close_target (&target, fence, result == HOLO_OP_ERROR ? NULL : error))
    return HOLO_OP_ERROR;
  if (result == HOLO_OP_OK)
    gst_holo_transform_set_output_stamp (out, &before, &after);
  return result;
}

static HoloOpResult
run_in_place (GstHoloTransformPrivate *priv, GstBuffer *buffer, HoloFence *fence, GError **error)
{
  HoloOpResult result;
  HoloStamp before, after;
  Target target;

  if (!open_target (priv, buffer, &target, error))
    return HOLO_OP_ERROR;
  gst_holo_buffer_get_stamp (buffer, &before);
  after = before;
  result = gst_holo_node_execute (&priv->node, priv->node.layouts[0], target.info.data, target.info.size,
                                  target.info.data, target.info.size, &after, error);
  if (!holo_stream_record (priv->node.stream, fence, result == HOLO_OP_ERROR ? NULL : error))
    result = HOLO_OP_ERROR;
  close_target (&target, fence, NULL);
  gst_holo_transform_set_output_stamp (buffer, &before, &after);
  return result;
}

/* Not too many frames ahead of the device: each holds memory. */
static gboolean
throttle (GstHoloTransformPrivate *priv, const HoloFence *fence, GError **error)
{
  HoloFence *slot = &priv->ahead[priv->n_ahead % GST_HOLO_TRANSFORM_MAX_AHEAD];

  if (priv->n_ahead >= GST_HOLO_TRANSFORM_MAX_AHEAD && !holo_fence_wait_host (slot, error))
    return FALSE;
  *slot = *fence;
  priv->n_ahead++;
  return TRUE;
}

GstFlowReturn
gst_holo_transform_run_on_device (GstHoloTransformPrivate *priv, GstBuffer *in, GstBuffer *out)
{
  HoloFence fence = HOLO_FENCE_INIT;
  GError *error = NULL;
  HoloOpResult result;

  result = in == out ? run_in_place (priv, out, &fence, &error) : run_out_of_place (priv, in, out, &fence, &error);
  if (result == HOLO_OP_OK && !throttle (priv, &fence, &error))
    result = HOLO_OP_ERROR;
  return G_LIKELY (result == HOLO_OP_OK) ? GST_FLOW_OK : gst_holo_node_to_flow (&priv->node, result, error);
}

GstFlowReturn
gst_holo_transform_settle (GstHoloTransformPrivate *priv, GstBuffer *out)
{
  GError *error = NULL;
  gboolean waited;

  if (priv->sends_fences || priv->out_info.desc.mem_loc == HOLO_MEM_LOC_HOST)
    return GST_FLOW_OK;
  if (!_gst_holo_buffer_settle (out, &waited, &error))
    return gst_holo_node_to_flow (&priv->node, HOLO_OP_ERROR, error);
  if (waited)
    gst_holo_node_count_wait (&priv->node);
  return GST_FLOW_OK;
}
