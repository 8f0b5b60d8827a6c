/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-holovideototensor
 *
 * Gives each video frame as a tensor: [1,H,W] for gray formats, [1,H,W,C] for those with channels;
 * squeeze=true drops the 1. Nothing is copied, also when rows are padded: the next element is told the
 * distance of the rows if it understands GstHoloTensorMeta. Otherwise padded rows are packed, and samples of
 * 16 bits in the other byte order are swapped; both copies are logged in GST_PERFORMANCE and counted in
 * holo-stats. Frames in device memory stay there. Of formats with several planes (NV12, I420, ...) one plane is
 * the tensor: the property "plane" says which.
 *
 * |[
 * gst-launch-1.0 videotestsrc ! video/x-raw,format=GRAY8 ! holovideototensor ! holosqrt ! fakesink -v
 * ]|
 */
#include "gstholovideototensor.h"

#include "gstholomessage.h"
#include "gstholonegotiation.h"
#include "gstholopacker.h"
#include "gstholovideocaps.h"
#include "holoflow/gstholocuda-private.h"

GST_DEBUG_CATEGORY_STATIC (video_to_tensor_debug);
#define GST_CAT_DEFAULT video_to_tensor_debug

/* Frames in device memory that elements of ours behind this one may hold at a time. */
#define HELD 8

struct _GstHoloVideoToTensor
{
  GstBaseTransform parent_instance;

  gboolean squeeze;
  gint plane;
  GstHoloPlace place;
  GstHoloPacker packer; /* of frames in device memory */
  GstHoloTensorInfo info;
  HoloTensorDesc out_desc;
  gboolean sends_meta;   /* the next element takes GstHoloTensorMeta */
  gboolean sends_fences; /* and waits for fences itself */
  gboolean warned_trailing;
  GError *refused; /* why the last caps were refused */
  guint64 n_frames;
  guint64 n_copies;
};

G_DEFINE_FINAL_TYPE (GstHoloVideoToTensor, gst_holo_video_to_tensor, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE (holovideototensor, "holovideototensor", GST_RANK_NONE, GST_TYPE_HOLO_VIDEO_TO_TENSOR)

enum
{
  PROP_0,
  PROP_SQUEEZE,
  PROP_PLANE,
  PROP_STATS,
  N_PROPS
};

/* ---- caps ---- */

static GstHoloPictureMode
get_mode (GstHoloVideoToTensor *self)
{
  return self->squeeze ? GST_HOLO_PICTURE_SQUEEZED : GST_HOLO_PICTURE_ONE;
}

static GstCaps *
gst_holo_video_to_tensor_transform_caps (GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps,
                                         GstCaps *filter)
{
  GstHoloVideoToTensor *self = GST_HOLO_VIDEO_TO_TENSOR (transform);
  g_autoptr (GstCaps) result = direction == GST_PAD_SINK
                                   ? gst_holo_video_caps_to_tensor (caps, get_mode (self), self->plane)
                                   : gst_holo_video_caps_from_tensor (caps, get_mode (self), self->plane);

  if (filter == NULL)
    return g_steal_pointer (&result);
  return gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST);
}

static gboolean
gst_holo_video_to_tensor_query (GstBaseTransform *transform, GstPadDirection direction, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT &&
      gst_holo_place_answer_context (&GST_HOLO_VIDEO_TO_TENSOR (transform)->place, query))
    return TRUE;
  return gst_holo_transform_query (transform, direction, query,
                                   GST_BASE_TRANSFORM_CLASS (gst_holo_video_to_tensor_parent_class));
}

static gboolean
gst_holo_video_to_tensor_set_caps (GstBaseTransform *transform, GstCaps *in_caps, GstCaps *out_caps)
{
  GstHoloVideoToTensor *self = GST_HOLO_VIDEO_TO_TENSOR (transform);
  GstVideoInfo video;

  g_clear_error (&self->refused);
  if (!gst_video_info_from_caps (&video, in_caps))
    return FALSE;
  if (!gst_holo_tensor_info_from_video_plane (&self->info, &video, gst_holo_caps_get_loc (in_caps), self->plane,
                                              self->squeeze, &self->refused) ||
      !gst_holo_caps_to_desc (out_caps, &self->out_desc, &self->refused))
    return FALSE;
  self->warned_trailing = FALSE;
  return TRUE;
}

static gboolean
gst_holo_video_to_tensor_sink_event (GstBaseTransform *transform, GstEvent *event)
{
  GstHoloVideoToTensor *self = GST_HOLO_VIDEO_TO_TENSOR (transform);
  g_autoptr (GstCaps) caps = NULL;
  gboolean ok;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    {
      gst_event_parse_caps (event, &caps);
      gst_caps_ref (caps);
    }
  ok = GST_BASE_TRANSFORM_CLASS (gst_holo_video_to_tensor_parent_class)->sink_event (transform, event);
  if (!ok && caps != NULL)
    gst_holo_transform_post_not_negotiated (transform, caps, self->refused);
  return ok;
}

/* ---- allocation ---- */

static gboolean
gst_holo_video_to_tensor_transform_size (GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps,
                                         gsize size, GstCaps *other_caps, gsize *other_size)
{
  GstHoloVideoToTensor *self = GST_HOLO_VIDEO_TO_TENSOR (transform);

  *other_size = direction == GST_PAD_SINK ? holo_tensor_desc_get_size (&self->out_desc) : self->info.size;
  return TRUE;
}

static gboolean
gst_holo_video_to_tensor_propose_allocation (GstBaseTransform *transform, GstQuery *decide_query, GstQuery *query)
{
  GstHoloVideoToTensor *self = GST_HOLO_VIDEO_TO_TENSOR (transform);
  g_autoptr (GstObject) context = gst_holo_place_ref_context (&self->place);
  gboolean need_pool;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, &need_pool);
  if (caps != NULL && need_pool && context != NULL && self->info.desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    gst_holo_query_offer_pool (query, _gst_holo_cuda_video_pool_new (context), caps, self->info.size, HELD, NULL,
                               GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_holo_query_add_fences (query);
  return TRUE;
}

static gboolean
gst_holo_video_to_tensor_decide_allocation (GstBaseTransform *transform, GstQuery *query)
{
  GstHoloVideoToTensor *self = GST_HOLO_VIDEO_TO_TENSOR (transform);

  self->sends_meta = gst_query_find_allocation_meta (query, GST_HOLO_TENSOR_META_API_TYPE, NULL);
  self->sends_fences = gst_holo_query_has_fences (query);
  if (self->out_desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    {
      gst_holo_query_drop_pools (query);
      return TRUE;
    }
  return GST_BASE_TRANSFORM_CLASS (gst_holo_video_to_tensor_parent_class)->decide_allocation (transform, query);
}

/* ---- frames ---- */

static GstFlowReturn
fail (GstHoloVideoToTensor *self, GError *error)
{
  gst_holo_element_post_error (self, error);
  g_error_free (error);
  return GST_FLOW_ERROR;
}

static gboolean
is_aligned_and_in_order (GstHoloVideoToTensor *self, const HoloTensorDesc *layout)
{
  gsize unit = holo_dtype_get_size (layout->dtype);
  gint64 bits = layout->offset;

  for (guint i = 0; i < layout->rank; i++)
    bits |= layout->strides[i];
  return !self->info.swap_bytes && ((gsize) bits & (unit - 1)) == 0;
}

/* The memory of @in as it is: cut to the tensor, or with a meta that says where its rows are. Its video meta
 * stays: a pool may have locked it, and readers of tensors do not look at it. */
static GstBuffer *
share_memory (GstBuffer *in, const HoloTensorDesc *layout, gboolean dense)
{
  gsize payload = holo_tensor_desc_get_payload (layout);
  GstBuffer *out;

  if (dense && layout->offset == 0 && gst_buffer_get_size (in) == payload)
    return in;
  out = gst_buffer_is_writable (in) ? in : gst_buffer_copy (in);
  if (dense)
    gst_buffer_resize (out, layout->offset, payload);
  else
    gst_buffer_add_holo_tensor_meta (out, layout);
  return out;
}

/* Nothing of device memory is cut off, and a pool's buffer is never resized: a meta says where the tensor lies. */
static GstBuffer *
share_device_memory (GstBuffer *in, const HoloTensorDesc *layout)
{
  GstBuffer *out = gst_buffer_is_writable (in) ? in : gst_buffer_copy (in);

  gst_buffer_add_holo_tensor_meta (out, layout);
  return out;
}

static GstBuffer *
pack_on_device (GstHoloVideoToTensor *self, GstBuffer *in, GError **error)
{
  HoloFrame frame = HOLO_FRAME_INIT;
  GstBuffer *out = NULL;
  HoloTensorDesc dense;

  self->n_copies++;
  gst_holo_element_log_copy (self, holo_tensor_desc_get_payload (&self->info.desc),
                             "its rows are padded and the next element takes packed ones");
  if (!gst_holo_frame_from_buffer (&frame, gst_buffer_ref (in), &self->info, FALSE, error))
    return NULL;
  holo_tensor_desc_init_dense_like (&dense, &self->info.desc);
  if (gst_holo_packer_pack (&self->packer, &self->place, &frame, &dense, error))
    out = gst_holo_buffer_new_from_frame (&frame, FALSE, error);
  else
    holo_frame_clear (&frame);
  if (out != NULL)
    GST_BASE_TRANSFORM_GET_CLASS (self)->copy_metadata (GST_BASE_TRANSFORM (self), in, out);
  return out;
}

static GstFlowReturn
prepare_on_device (GstHoloVideoToTensor *self, GstBuffer *in, GstBuffer **out)
{
  GError *error = NULL;
  HoloTensorDesc layout;

  if (!gst_holo_buffer_get_desc (in, &self->info, &layout, &error))
    return fail (self, error);
  if (holo_tensor_desc_is_dense (&layout) && layout.offset == 0 &&
      gst_buffer_get_size (in) == holo_tensor_desc_get_payload (&layout))
    *out = in;
  else
    *out = self->sends_meta ? share_device_memory (in, &layout) : pack_on_device (self, in, &error);
  if (*out == NULL)
    return fail (self, error);
  if (!self->sends_fences && !gst_holo_buffer_settle_fences (*out, &error))
    return fail (self, error);
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_holo_video_to_tensor_prepare_output_buffer (GstBaseTransform *transform, GstBuffer *in, GstBuffer **out)
{
  GstHoloVideoToTensor *self = GST_HOLO_VIDEO_TO_TENSOR (transform);
  GError *error = NULL;
  HoloTensorDesc layout;
  gsize needed, size = gst_buffer_get_size (in);
  gboolean dense;

  if (self->info.desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    return prepare_on_device (self, in, out);
  if (!gst_holo_buffer_get_desc (in, &self->info, &layout, &error))
    return fail (self, error);
  needed = holo_tensor_desc_get_size (&layout);
  if (size < needed)
    {
      g_autofree gchar *text = holo_tensor_desc_to_string (&layout);

      g_set_error (&error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "the video buffer has %" G_GSIZE_FORMAT " bytes, but the picture %s needs %" G_GSIZE_FORMAT, size,
                   text, needed);
      return fail (self, error);
    }
  if (size > self->info.size && gst_buffer_get_video_meta (in) == NULL)
    gst_holo_element_warn_trailing (self, size - self->info.size, &self->warned_trailing);
  dense = holo_tensor_desc_is_dense (&layout);
  if ((dense || self->sends_meta) && is_aligned_and_in_order (self, &layout))
    {
      *out = share_memory (in, &layout, dense);
      return GST_FLOW_OK;
    }
  return GST_BASE_TRANSFORM_CLASS (gst_holo_video_to_tensor_parent_class)->prepare_output_buffer (transform, in, out);
}

static gboolean
shares_memory (GstBuffer *a, GstBuffer *b)
{
  return gst_buffer_n_memory (a) > 0 && gst_buffer_n_memory (b) > 0 &&
         gst_buffer_peek_memory (a, 0) == gst_buffer_peek_memory (b, 0);
}

/* Only reached with a fresh output buffer when a copy is needed. */
static GstFlowReturn
gst_holo_video_to_tensor_transform (GstBaseTransform *transform, GstBuffer *in, GstBuffer *out)
{
  GstHoloVideoToTensor *self = GST_HOLO_VIDEO_TO_TENSOR (transform);
  GstHoloTensorInfo out_info;
  GstHoloBufferMap source, target;
  GError *error = NULL;

  self->n_frames++;
  if (in == out || shares_memory (in, out) || self->info.desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    return GST_FLOW_OK;
  self->n_copies++;
  gst_holo_tensor_info_from_desc (&out_info, &self->out_desc);
  if (!gst_holo_buffer_map (in, &self->info, GST_MAP_READ, &source, &error))
    return fail (self, error);
  if (!gst_holo_buffer_map (out, &out_info, GST_MAP_WRITE, &target, &error))
    {
      gst_holo_buffer_unmap (&source);
      return fail (self, error);
    }
  if (!source.copied)
    gst_holo_element_log_copy (self, self->info.size, "its rows are padded and the next element takes packed ones");
  holo_tensor_copy_elements (holo_tensor_view_get_data (&target.view), &target.view.desc,
                             holo_tensor_view_get_data (&source.view), &source.view.desc);
  gst_holo_buffer_unmap (&target);
  gst_holo_buffer_unmap (&source);
  return GST_FLOW_OK;
}

/* ---- object ---- */

static GstStructure *
make_stats (GstHoloVideoToTensor *self)
{
  return gst_structure_new ("holo-stats", "frames", G_TYPE_UINT64, self->n_frames, "copies", G_TYPE_UINT64,
                            self->n_copies, NULL);
}

static void
gst_holo_video_to_tensor_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstHoloVideoToTensor *self = GST_HOLO_VIDEO_TO_TENSOR (object);

  switch (id)
    {
    case PROP_SQUEEZE:
      g_value_set_boolean (value, self->squeeze);
      break;
    case PROP_PLANE:
      g_value_set_int (value, self->plane);
      break;
    case PROP_STATS:
      g_value_take_boxed (value, make_stats (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
gst_holo_video_to_tensor_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstHoloVideoToTensor *self = GST_HOLO_VIDEO_TO_TENSOR (object);

  switch (id)
    {
    case PROP_SQUEEZE:
      self->squeeze = g_value_get_boolean (value);
      gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
      break;
    case PROP_PLANE:
      self->plane = g_value_get_int (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static gboolean
gst_holo_video_to_tensor_start (GstBaseTransform *transform)
{
  GstHoloVideoToTensor *self = GST_HOLO_VIDEO_TO_TENSOR (transform);

  self->n_frames = self->n_copies = 0;
  self->sends_meta = self->sends_fences = FALSE;
  gst_holo_element_forget_posted (self);
  return TRUE;
}

static gboolean
gst_holo_video_to_tensor_stop (GstBaseTransform *transform)
{
  gst_holo_packer_clear (&GST_HOLO_VIDEO_TO_TENSOR (transform)->packer);
  return TRUE;
}

static GstStateChangeReturn
gst_holo_video_to_tensor_change_state (GstElement *element, GstStateChange transition)
{
  GstStateChangeReturn result =
      GST_ELEMENT_CLASS (gst_holo_video_to_tensor_parent_class)->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    gst_holo_place_close (&GST_HOLO_VIDEO_TO_TENSOR (element)->place);
  return result;
}

static void
gst_holo_video_to_tensor_set_context (GstElement *element, GstContext *context)
{
  gst_holo_place_set_context (&GST_HOLO_VIDEO_TO_TENSOR (element)->place, context);
  GST_ELEMENT_CLASS (gst_holo_video_to_tensor_parent_class)->set_context (element, context);
}

static void
gst_holo_video_to_tensor_finalize (GObject *object)
{
  gst_holo_place_clear (&GST_HOLO_VIDEO_TO_TENSOR (object)->place);
  g_clear_error (&GST_HOLO_VIDEO_TO_TENSOR (object)->refused);
  G_OBJECT_CLASS (gst_holo_video_to_tensor_parent_class)->finalize (object);
}

static void
add_pad_templates (GstElementClass *klass)
{
  g_autoptr (GstCaps) video = gst_holo_caps_new_video_template_full (HOLO_MEM_LOCS_ANY, 0);
  g_autoptr (GstCaps) tensor =
      gst_holo_caps_new_template (HOLO_DTYPES (U8) | HOLO_DTYPES (U16), HOLO_MEM_LOCS_ANY, 2, 4);

  gst_element_class_add_pad_template (klass, gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, video));
  gst_element_class_add_pad_template (klass, gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, tensor));
}

static void
gst_holo_video_to_tensor_class_init (GstHoloVideoToTensorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *transform_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (video_to_tensor_debug, "holovideototensor", 0, "Holoflow: video to tensor");
  object_class->get_property = gst_holo_video_to_tensor_get_property;
  object_class->set_property = gst_holo_video_to_tensor_set_property;
  object_class->finalize = gst_holo_video_to_tensor_finalize;
  element_class->change_state = gst_holo_video_to_tensor_change_state;
  element_class->set_context = gst_holo_video_to_tensor_set_context;
  g_object_class_install_property (
      object_class, PROP_SQUEEZE,
      g_param_spec_boolean ("squeeze", "Squeeze", "Give [H,W] and [H,W,C] instead of [1,H,W] and [1,H,W,C]", FALSE,
                            G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (object_class, PROP_PLANE, gst_holo_plane_new_param_spec ());
  g_object_class_install_property (object_class, PROP_STATS,
                                   g_param_spec_boxed ("holo-stats", "Statistics",
                                                       "Frames, and how many of them had to be copied",
                                                       GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));

  gst_element_class_set_static_metadata (element_class, "Video to tensor", "Filter/Converter/Video/Tensor",
                                         "Gives video frames as tensors, without copying",
                                         "The Holoflow for GStreamer authors");
  add_pad_templates (element_class);

  transform_class->start = gst_holo_video_to_tensor_start;
  transform_class->stop = gst_holo_video_to_tensor_stop;
  transform_class->transform_caps = gst_holo_video_to_tensor_transform_caps;
  transform_class->query = gst_holo_video_to_tensor_query;
  transform_class->accept_caps = gst_holo_transform_accept_caps;
  transform_class->set_caps = gst_holo_video_to_tensor_set_caps;
  transform_class->sink_event = gst_holo_video_to_tensor_sink_event;
  transform_class->transform_size = gst_holo_video_to_tensor_transform_size;
  transform_class->propose_allocation = gst_holo_video_to_tensor_propose_allocation;
  transform_class->decide_allocation = gst_holo_video_to_tensor_decide_allocation;
  transform_class->prepare_output_buffer = gst_holo_video_to_tensor_prepare_output_buffer;
  transform_class->transform = gst_holo_video_to_tensor_transform;
  transform_class->passthrough_on_same_caps = FALSE;
}

static void
gst_holo_video_to_tensor_init (GstHoloVideoToTensor *self)
{
  self->plane = GST_HOLO_PLANE_AUTO;
  gst_holo_place_init (&self->place, self);
  gst_holo_transform_init_pads (GST_BASE_TRANSFORM (self));
}
