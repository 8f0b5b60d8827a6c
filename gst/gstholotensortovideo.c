/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-holotensortovideo
 *
 * Gives each tensor as pictures: [H,W], [N,H,W] and [N,H,W,C]; with squeeze=true rank 3 means [H,W,C]. N
 * pictures become N buffers, among which the time of the tensor is divided. Elements are U8 or U16; others
 * need a Conversion first. Nothing is copied if the next element takes the rows as they lie (GstVideoMeta).
 * Tensors in device memory become pictures there, by one copy on the device: GStreamer's CUDA elements look at
 * the memory itself, which must be made for a picture. GRAY8 and GRAY16 exist in host memory only.
 *
 * |[
 * gst-launch-1.0 ... ! holoconversion target=U8 ! holotensortovideo ! videoconvert ! autovideosink
 * ]|
 */
#include "gstholotensortovideo.h"

#include "gstholomessage.h"
#include "gstholonegotiation.h"
#include "gstholopacker.h"
#include "gstholovideocaps.h"
#include "holoflow/gstholocuda-private.h"

GST_DEBUG_CATEGORY_STATIC (tensor_to_video_debug);
#define GST_CAT_DEFAULT tensor_to_video_debug

struct _GstHoloTensorToVideo
{
  GstBaseTransform parent_instance;

  gboolean squeeze;
  GstHoloTensorInfo info;    /* of the tensors that come in */
  GstHoloPictures pictures;  /* how they are read */
  GstHoloTensorInfo picture; /* of one picture that goes out, in the layout of its caps */
  gboolean sends_meta;       /* the next element takes GstVideoMeta */
  gboolean sends_fences;     /* the next element waits for fences itself */
  GstHoloPlace place;
  GstHoloPacker packer; /* into pictures in device memory */
  gboolean warned_trailing;
  GError *refused; /* why the last caps were refused */

  GstBuffer *tensor; /* being taken apart */
  gint64 next;       /* its next picture */
  guint64 n_frames;
  guint64 n_pictures;
  guint64 n_copies;
};

G_DEFINE_FINAL_TYPE (GstHoloTensorToVideo, gst_holo_tensor_to_video, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE (holotensortovideo, "holotensortovideo", GST_RANK_NONE, GST_TYPE_HOLO_TENSOR_TO_VIDEO)

enum
{
  PROP_0,
  PROP_SQUEEZE,
  PROP_STATS,
  N_PROPS
};

/* ---- caps ---- */

static GstHoloPictureMode
get_mode (GstHoloTensorToVideo *self)
{
  return self->squeeze ? GST_HOLO_PICTURE_ANY_SQUEEZED : GST_HOLO_PICTURE_ANY;
}

/* Towards the tensors every type and rank is named behind the right ones: a wrong one shall link and then be
 * refused with words that name what is missing, instead of "could not link". */
static GstCaps *
gst_holo_tensor_to_video_transform_caps (GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps,
                                         GstCaps *filter)
{
  GstHoloTensorToVideo *self = GST_HOLO_TENSOR_TO_VIDEO (transform);
  g_autoptr (GstCaps) result = NULL;

  if (direction == GST_PAD_SINK)
    result = gst_holo_video_caps_from_tensor (caps, get_mode (self), GST_HOLO_PLANE_ONLY);
  else
    {
      g_autoptr (GstCaps) template = gst_pad_get_pad_template_caps (GST_BASE_TRANSFORM_SINK_PAD (transform));

      result = gst_holo_video_caps_to_tensor (caps, get_mode (self), GST_HOLO_PLANE_ONLY);
      gst_caps_append (result, gst_holo_caps_filter_places (template, gst_holo_caps_get_places (caps)));
    }
  if (filter == NULL)
    return g_steal_pointer (&result);
  return gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST);
}

static gboolean
gst_holo_tensor_to_video_query (GstBaseTransform *transform, GstPadDirection direction, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT &&
      gst_holo_place_answer_context (&GST_HOLO_TENSOR_TO_VIDEO (transform)->place, query))
    return TRUE;
  return gst_holo_transform_query (transform, direction, query,
                                   GST_BASE_TRANSFORM_CLASS (gst_holo_tensor_to_video_parent_class));
}

static gboolean
read_in_caps (GstHoloTensorToVideo *self, GstCaps *caps, GstHoloTensorInfo *info, GstHoloPictures *pictures)
{
  g_clear_error (&self->refused);
  return gst_holo_tensor_info_from_caps (info, caps, &self->refused) &&
         gst_holo_pictures_from_desc (pictures, &info->desc, get_mode (self), &self->refused);
}

static gboolean
gst_holo_tensor_to_video_set_caps (GstBaseTransform *transform, GstCaps *in_caps, GstCaps *out_caps)
{
  GstHoloTensorToVideo *self = GST_HOLO_TENSOR_TO_VIDEO (transform);
  GstVideoInfo video;

  if (!read_in_caps (self, in_caps, &self->info, &self->pictures) || !gst_video_info_from_caps (&video, out_caps) ||
      !gst_holo_tensor_info_from_video_plane (&self->picture, &video, self->info.desc.mem_loc, GST_HOLO_PLANE_ONLY,
                                              TRUE, &self->refused))
    return FALSE;
  if (self->info.desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    {
      g_autoptr (HoloDevice) device =
          gst_holo_place_get_device (&self->place, holo_registry_get_default (), &self->refused);

      if (device == NULL)
        return FALSE;
    }
  self->warned_trailing = FALSE;
  return TRUE;
}

static gboolean
handle_caps (GstHoloTensorToVideo *self, GstEvent *event)
{
  GstHoloTensorInfo info;
  GstHoloPictures pictures;
  g_autoptr (GstCaps) caps = NULL;
  gboolean ok;

  gst_event_parse_caps (event, &caps);
  gst_caps_ref (caps);
  if (read_in_caps (self, caps, &info, &pictures))
    ok =
        GST_BASE_TRANSFORM_CLASS (gst_holo_tensor_to_video_parent_class)->sink_event (GST_BASE_TRANSFORM (self), event);
  else
    {
      gst_event_unref (event);
      ok = FALSE;
    }
  if (!ok)
    gst_holo_transform_post_not_negotiated (GST_BASE_TRANSFORM (self), caps, self->refused);
  return ok;
}

static gboolean
gst_holo_tensor_to_video_sink_event (GstBaseTransform *transform, GstEvent *event)
{
  GstHoloTensorToVideo *self = GST_HOLO_TENSOR_TO_VIDEO (transform);

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    return handle_caps (self, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    gst_clear_buffer (&self->tensor);
  return GST_BASE_TRANSFORM_CLASS (gst_holo_tensor_to_video_parent_class)->sink_event (transform, event);
}

/* ---- allocation ---- */

static gboolean
gst_holo_tensor_to_video_transform_size (GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps,
                                         gsize size, GstCaps *other_caps, gsize *other_size)
{
  GstHoloTensorToVideo *self = GST_HOLO_TENSOR_TO_VIDEO (transform);

  *other_size = direction == GST_PAD_SINK ? self->picture.size : self->info.size;
  return TRUE;
}

static gboolean
gst_holo_tensor_to_video_propose_allocation (GstBaseTransform *transform, GstQuery *decide_query, GstQuery *query)
{
  gst_query_add_allocation_meta (query, GST_HOLO_TENSOR_META_API_TYPE, NULL);
  gst_holo_query_add_fences (query);
  return TRUE;
}

/* Pictures in device memory come from a pool of GStreamer's: downstream's, or one of our own. */
static gboolean
choose_device_pool (GstHoloTensorToVideo *self, GstQuery *query)
{
  g_autoptr (GstObject) context = gst_holo_place_ref_context (&self->place);
  g_autoptr (GstBufferPool) pool = NULL;
  guint size = (guint) self->picture.size, minimum = 0, maximum = 0;
  GstStructure *config;
  GstCaps *caps;

  if (context == NULL)
    return FALSE;
  gst_query_parse_allocation (query, &caps, NULL);
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &minimum, &maximum);
  if (pool == NULL || !_gst_holo_cuda_is_video_pool (pool, context))
    {
      gst_clear_object (&pool);
      pool = _gst_holo_cuda_video_pool_new (context);
      maximum = 0;
    }
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, MAX (size, (guint) self->picture.size), minimum, maximum);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config (pool, config))
    return FALSE;
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_params (config, NULL, &size, NULL, NULL);
  gst_structure_free (config);
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, minimum, maximum);
  else
    gst_query_add_allocation_pool (query, pool, size, minimum, maximum);
  return TRUE;
}

static gboolean
gst_holo_tensor_to_video_decide_allocation (GstBaseTransform *transform, GstQuery *query)
{
  GstHoloTensorToVideo *self = GST_HOLO_TENSOR_TO_VIDEO (transform);

  self->sends_meta = gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  self->sends_fences = gst_holo_query_has_fences (query);
  if (self->picture.desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    return choose_device_pool (self, query);
  return GST_BASE_TRANSFORM_CLASS (gst_holo_tensor_to_video_parent_class)->decide_allocation (transform, query);
}

/* ---- frames ---- */

static GstFlowReturn
fail (GstHoloTensorToVideo *self, GError *error)
{
  gst_holo_element_post_error (self, error);
  g_error_free (error);
  return GST_FLOW_ERROR;
}

/* The layout of picture @index inside the tensor of @layout: [H,W] or [H,W,C]. */
static void
get_picture_layout (GstHoloTensorToVideo *self, const HoloTensorDesc *layout, gint64 index, HoloTensorDesc *picture)
{
  guint first = self->pictures.row_dim;

  *picture = self->picture.desc;
  for (guint i = 0; i < picture->rank; i++)
    picture->strides[i] = layout->strides[first + i];
  picture->offset = layout->offset;
  if (self->pictures.n_dim >= 0)
    picture->offset += index * layout->strides[self->pictures.n_dim];
}

/* Whether video can describe @layout at all: only its rows may lie apart. */
static gboolean
has_dense_rows (GstHoloTensorToVideo *self, const HoloTensorDesc *layout)
{
  const HoloTensorDesc *expected = &self->picture.desc;

  for (guint i = 1; i < layout->rank; i++)
    if (layout->shape[i] != 1 && layout->strides[i] != expected->strides[i])
      return FALSE;
  return layout->shape[0] == 1 || (layout->strides[0] <= G_MAXINT && layout->strides[0] > 0);
}

static void
add_video_meta (GstHoloTensorToVideo *self, GstBuffer *buffer, gint row_stride)
{
  const GstVideoInfo *video = &self->picture.video;
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  gint stride[GST_VIDEO_MAX_PLANES] = { row_stride };

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT (video),
                                  GST_VIDEO_INFO_WIDTH (video), GST_VIDEO_INFO_HEIGHT (video), 1, offset, stride);
}

/* A buffer over the memory of the tensor itself, when the next element can read it there; NULL otherwise. */
static GstBuffer *
share_picture (GstHoloTensorToVideo *self, const HoloTensorDesc *layout)
{
  gint64 caps_stride = self->picture.desc.strides[0];
  gint64 row_stride = layout->shape[0] == 1 ? caps_stride : layout->strides[0];
  gsize rows = (gsize) layout->shape[0];
  gsize size, available = gst_buffer_get_size (self->tensor) - (gsize) layout->offset;
  GstBuffer *picture;

  if (self->picture.desc.mem_loc == HOLO_MEM_LOC_DEVICE || self->picture.swap_bytes || !has_dense_rows (self, layout) ||
      (row_stride != caps_stride && !self->sends_meta))
    return NULL;
  /* Video counts the padding of the last row; where the tensor ends before it, only a meta can say so. */
  size = row_stride * rows;
  if (available < size)
    {
      if (!self->sends_meta)
        return NULL;
      size = holo_tensor_desc_get_size (layout) - (gsize) layout->offset;
    }
  picture = gst_buffer_copy_region (self->tensor, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_MEMORY, layout->offset, size);
  if (row_stride != caps_stride || size != self->picture.size)
    add_video_meta (self, picture, (gint) row_stride);
  return picture;
}

static GstFlowReturn
copy_on_device (GstHoloTensorToVideo *self, const HoloTensorDesc *layout, GstBuffer *picture)
{
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  GstHoloBufferMap target;
  GError *error = NULL;
  gboolean ok;

  if (!gst_holo_frame_from_buffer (&frame, gst_buffer_ref (self->tensor), &self->info, FALSE, &error) ||
      !gst_holo_buffer_map (picture, &self->picture, GST_MAP_WRITE, &target, &error))
    return fail (self, error);
  frame.desc = *layout;
  ok = gst_holo_packer_copy_to_buffer (&self->packer, &frame, &target, &error);
  gst_holo_buffer_unmap (&target);
  if (ok && !self->sends_fences)
    ok = gst_holo_buffer_settle_fences (picture, &error);
  return ok ? GST_FLOW_OK : fail (self, error);
}

static GstFlowReturn
copy_picture (GstHoloTensorToVideo *self, const HoloTensorDesc *layout, GstBuffer *picture)
{
  GstHoloBufferMap target;
  GError *error = NULL;
  GstMapInfo map;

  self->n_copies++;
  if (self->picture.desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    return copy_on_device (self, layout, picture);
  gst_holo_element_log_copy (self, self->picture.size, "the next element does not take the picture as it lies");
  if (!gst_holo_buffer_map (picture, &self->picture, GST_MAP_WRITE, &target, &error))
    return fail (self, error);
  if (!gst_buffer_map (self->tensor, &map, GST_MAP_READ))
    {
      gst_holo_buffer_unmap (&target);
      g_set_error (&error, HOLO_ERROR, HOLO_ERROR_MEMORY, "the tensor's buffer cannot be mapped for reading");
      return fail (self, error);
    }
  holo_tensor_copy_elements (holo_tensor_view_get_data (&target.view), &target.view.desc, map.data + layout->offset,
                             layout);
  gst_buffer_unmap (self->tensor, &map);
  gst_holo_buffer_unmap (&target);
  return GST_FLOW_OK;
}

/* The next picture of @tensor, copied into @picture. Only here so that the base class knows that we do not
 * work in place; generate_output does without it. */
static GstFlowReturn
gst_holo_tensor_to_video_transform (GstBaseTransform *transform, GstBuffer *tensor, GstBuffer *picture)
{
  GstHoloTensorToVideo *self = GST_HOLO_TENSOR_TO_VIDEO (transform);
  HoloTensorDesc tensor_layout, layout;
  GError *error = NULL;

  if (!gst_holo_buffer_get_desc (tensor, &self->info, &tensor_layout, &error))
    return fail (self, error);
  get_picture_layout (self, &tensor_layout, self->next, &layout);
  return copy_picture (self, &layout, picture);
}

/* Divides the time of the tensor among its pictures. */
static void
set_time (GstHoloTensorToVideo *self, GstBuffer *picture, gint64 index)
{
  GstClockTime pts = GST_BUFFER_PTS (self->tensor), duration = GST_BUFFER_DURATION (self->tensor);
  gint64 n = self->pictures.n;

  if (!GST_CLOCK_TIME_IS_VALID (duration) && self->info.desc.rate_n > 0)
    duration = gst_util_uint64_scale (GST_SECOND, self->info.desc.rate_d, self->info.desc.rate_n);
  GST_BUFFER_DTS (picture) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_OFFSET (picture) = self->n_pictures;
  GST_BUFFER_OFFSET_END (picture) = self->n_pictures + 1;
  if (index > 0)
    GST_BUFFER_FLAG_UNSET (picture, GST_BUFFER_FLAG_DISCONT);
  if (GST_CLOCK_TIME_IS_VALID (duration))
    {
      GstClockTime begin = gst_util_uint64_scale (duration, index, n);

      GST_BUFFER_DURATION (picture) = gst_util_uint64_scale (duration, index + 1, n) - begin;
      GST_BUFFER_PTS (picture) = GST_CLOCK_TIME_IS_VALID (pts) ? pts + begin : GST_CLOCK_TIME_NONE;
      return;
    }
  GST_BUFFER_DURATION (picture) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_PTS (picture) = index == 0 ? pts : GST_CLOCK_TIME_NONE;
}

static gboolean
take_tensor (GstHoloTensorToVideo *self, GstBuffer *tensor, HoloTensorDesc *layout)
{
  GError *error = NULL;
  gsize size = gst_buffer_get_size (tensor), needed;

  if (!gst_holo_buffer_get_desc (tensor, &self->info, layout, &error))
    {
      fail (self, error);
      return FALSE;
    }
  needed = holo_tensor_desc_get_size (layout);
  if (size >= needed)
    {
      if (holo_tensor_desc_equal (layout, &self->info.desc))
        gst_holo_element_warn_trailing (self, size - needed, &self->warned_trailing);
      return TRUE;
    }
  {
    g_autofree gchar *text = holo_tensor_desc_to_string (layout);

    g_set_error (&error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                 "the buffer has %" G_GSIZE_FORMAT " bytes, but the tensor %s needs %" G_GSIZE_FORMAT, size, text,
                 needed);
  }
  fail (self, error);
  return FALSE;
}

static GstFlowReturn
make_picture (GstHoloTensorToVideo *self, GstBuffer **out)
{
  GstBaseTransform *transform = GST_BASE_TRANSFORM (self);
  HoloTensorDesc tensor_layout, layout;
  GstFlowReturn flow;

  if (!take_tensor (self, self->tensor, &tensor_layout))
    return GST_FLOW_ERROR;
  get_picture_layout (self, &tensor_layout, self->next, &layout);
  *out = share_picture (self, &layout);
  if (*out != NULL)
    return GST_FLOW_OK;
  flow = GST_BASE_TRANSFORM_CLASS (gst_holo_tensor_to_video_parent_class)
             ->prepare_output_buffer (transform, self->tensor, out);
  return flow == GST_FLOW_OK ? copy_picture (self, &layout, *out) : flow;
}

/* The base class calls this until there is no picture left. */
static GstFlowReturn
gst_holo_tensor_to_video_generate_output (GstBaseTransform *transform, GstBuffer **out)
{
  GstHoloTensorToVideo *self = GST_HOLO_TENSOR_TO_VIDEO (transform);
  GstFlowReturn flow;

  *out = NULL;
  if (transform->queued_buf != NULL)
    {
      gst_clear_buffer (&self->tensor);
      self->tensor = g_steal_pointer (&transform->queued_buf);
      self->next = 0;
      self->n_frames++;
    }
  if (self->tensor == NULL)
    return GST_FLOW_OK;
  flow = make_picture (self, out);
  if (flow == GST_FLOW_OK)
    {
      set_time (self, *out, self->next);
      self->n_pictures++;
    }
  else
    gst_clear_buffer (out);
  if (flow != GST_FLOW_OK || ++self->next >= self->pictures.n)
    gst_clear_buffer (&self->tensor);
  return flow;
}

/* ---- object ---- */

static GstStructure *
make_stats (GstHoloTensorToVideo *self)
{
  return gst_structure_new ("holo-stats", "frames", G_TYPE_UINT64, self->n_frames, "pictures", G_TYPE_UINT64,
                            self->n_pictures, "copies", G_TYPE_UINT64, self->n_copies, NULL);
}

static void
gst_holo_tensor_to_video_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstHoloTensorToVideo *self = GST_HOLO_TENSOR_TO_VIDEO (object);

  switch (id)
    {
    case PROP_SQUEEZE:
      g_value_set_boolean (value, self->squeeze);
      break;
    case PROP_STATS:
      g_value_take_boxed (value, make_stats (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
gst_holo_tensor_to_video_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstHoloTensorToVideo *self = GST_HOLO_TENSOR_TO_VIDEO (object);

  switch (id)
    {
    case PROP_SQUEEZE:
      self->squeeze = g_value_get_boolean (value);
      gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static gboolean
gst_holo_tensor_to_video_start (GstBaseTransform *transform)
{
  GstHoloTensorToVideo *self = GST_HOLO_TENSOR_TO_VIDEO (transform);

  self->n_frames = self->n_pictures = self->n_copies = 0;
  self->sends_meta = self->sends_fences = FALSE;
  gst_holo_element_forget_posted (self);
  return TRUE;
}

static gboolean
gst_holo_tensor_to_video_stop (GstBaseTransform *transform)
{
  gst_clear_buffer (&GST_HOLO_TENSOR_TO_VIDEO (transform)->tensor);
  gst_holo_packer_clear (&GST_HOLO_TENSOR_TO_VIDEO (transform)->packer);
  return TRUE;
}

static GstStateChangeReturn
gst_holo_tensor_to_video_change_state (GstElement *element, GstStateChange transition)
{
  GstStateChangeReturn result =
      GST_ELEMENT_CLASS (gst_holo_tensor_to_video_parent_class)->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    gst_holo_place_close (&GST_HOLO_TENSOR_TO_VIDEO (element)->place);
  return result;
}

static void
gst_holo_tensor_to_video_set_context (GstElement *element, GstContext *context)
{
  gst_holo_place_set_context (&GST_HOLO_TENSOR_TO_VIDEO (element)->place, context);
  GST_ELEMENT_CLASS (gst_holo_tensor_to_video_parent_class)->set_context (element, context);
}

static void
gst_holo_tensor_to_video_finalize (GObject *object)
{
  GstHoloTensorToVideo *self = GST_HOLO_TENSOR_TO_VIDEO (object);

  gst_holo_place_clear (&self->place);
  g_clear_error (&self->refused);
  gst_clear_buffer (&self->tensor);
  G_OBJECT_CLASS (gst_holo_tensor_to_video_parent_class)->finalize (object);
}

/* U8 and U16 pictures first, then everything: see transform_caps. */
static void
add_pad_templates (GstElementClass *klass)
{
  g_autoptr (GstCaps) video = gst_holo_caps_new_video_template ();
  g_autoptr (GstCaps) tensor =
      gst_holo_caps_new_template (HOLO_DTYPES (U8) | HOLO_DTYPES (U16), HOLO_MEM_LOCS_HOST, 2, 4);

  gst_caps_append (video, gst_holo_caps_new_video_template_full (HOLO_MEM_LOCS_DEVICE, GST_HOLO_PLANE_ONLY));
  gst_caps_append (tensor, gst_holo_caps_new_template (HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK));
  gst_element_class_add_pad_template (klass, gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, tensor));
  gst_element_class_add_pad_template (klass, gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, video));
}

static void
gst_holo_tensor_to_video_class_init (GstHoloTensorToVideoClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *transform_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (tensor_to_video_debug, "holotensortovideo", 0, "Holoflow: tensor to video");
  object_class->get_property = gst_holo_tensor_to_video_get_property;
  object_class->set_property = gst_holo_tensor_to_video_set_property;
  object_class->finalize = gst_holo_tensor_to_video_finalize;
  element_class->change_state = gst_holo_tensor_to_video_change_state;
  element_class->set_context = gst_holo_tensor_to_video_set_context;
  g_object_class_install_property (
      object_class, PROP_SQUEEZE,
      g_param_spec_boolean ("squeeze", "Squeeze", "Read tensors of rank 3 as [H,W,C] instead of [N,H,W]", FALSE,
                            G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (object_class, PROP_STATS,
                                   g_param_spec_boxed ("holo-stats", "Statistics",
                                                       "Tensors, pictures, and how many of these had to be copied",
                                                       GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));

  gst_element_class_set_static_metadata (element_class, "Tensor to video", "Filter/Converter/Video/Tensor",
                                         "Gives tensors of pictures as video frames, without copying",
                                         "The Holoflow for GStreamer authors");
  add_pad_templates (element_class);

  transform_class->start = gst_holo_tensor_to_video_start;
  transform_class->stop = gst_holo_tensor_to_video_stop;
  transform_class->transform_caps = gst_holo_tensor_to_video_transform_caps;
  transform_class->query = gst_holo_tensor_to_video_query;
  transform_class->accept_caps = gst_holo_transform_accept_caps;
  transform_class->set_caps = gst_holo_tensor_to_video_set_caps;
  transform_class->sink_event = gst_holo_tensor_to_video_sink_event;
  transform_class->transform_size = gst_holo_tensor_to_video_transform_size;
  transform_class->propose_allocation = gst_holo_tensor_to_video_propose_allocation;
  transform_class->decide_allocation = gst_holo_tensor_to_video_decide_allocation;
  transform_class->transform = gst_holo_tensor_to_video_transform;
  transform_class->generate_output = gst_holo_tensor_to_video_generate_output;
  transform_class->passthrough_on_same_caps = FALSE;
}

static void
gst_holo_tensor_to_video_init (GstHoloTensorToVideo *self)
{
  gst_holo_place_init (&self->place, self);
  gst_holo_transform_init_pads (GST_BASE_TRANSFORM (self));
}
