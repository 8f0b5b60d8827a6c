/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholosource.h"

#include "gstholomessage.h"
#include "gstholonegotiation.h"

GST_DEBUG_CATEGORY_STATIC (source_debug);
#define GST_CAT_DEFAULT source_debug

typedef struct
{
  GstHoloNode node;
  GstHoloTensorInfo info;
} GstHoloSourcePrivate;

/* Not G_DEFINE_ABSTRACT_TYPE: instance_init needs the class of the kind. */
static void gst_holo_source_class_init (GstHoloSourceClass *klass);
static void gst_holo_source_init (GstHoloSource *self, GstHoloSourceClass *klass);
static gpointer parent_class;
static gint private_offset;

GType
gst_holo_source_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type))
    {
      GType new_type = g_type_register_static_simple (
          GST_TYPE_PUSH_SRC, "GstHoloSource", sizeof (GstHoloSourceClass),
          (GClassInitFunc) (void (*) (void)) gst_holo_source_class_init, sizeof (GstHoloSource),
          (GInstanceInitFunc) (void (*) (void)) gst_holo_source_init, G_TYPE_FLAG_ABSTRACT);

      private_offset = g_type_add_instance_private (new_type, sizeof (GstHoloSourcePrivate));
      g_once_init_leave (&type, new_type);
    }
  return type;
}

static inline GstHoloSourcePrivate *
get_private (gpointer self)
{
  return G_STRUCT_MEMBER_P (self, private_offset);
}

/* ---- caps ---- */

/* Before it is started a source does not know what it gives: its settings may still change. */
static GstCaps *
gst_holo_source_get_caps (GstBaseSrc *source, GstCaps *filter)
{
  GstHoloSourcePrivate *priv = get_private (source);
  g_autoptr (GstCaps) caps = NULL;

  GST_OBJECT_LOCK (source);
  if (priv->info.size > 0 || priv->info.desc.rate_d > 0)
    caps = gst_holo_caps_from_desc (&priv->info.desc, NULL);
  GST_OBJECT_UNLOCK (source);
  if (caps == NULL)
    caps = gst_pad_get_pad_template_caps (GST_BASE_SRC_PAD (source));
  return filter != NULL ? gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST) : g_steal_pointer (&caps);
}

static void
set_info (GstBaseSrc *source, const HoloTensorDesc *desc)
{
  GstHoloSourcePrivate *priv = get_private (source);
  HoloTensorDesc dense;

  GST_OBJECT_LOCK (source);
  if (desc != NULL)
    gst_holo_tensor_info_from_desc (&priv->info, holo_tensor_desc_init_dense_like (&dense, desc));
  else
    priv->info = (GstHoloTensorInfo){ .size = 0 };
  GST_OBJECT_UNLOCK (source);
}

/* The base class fails without words. */
static gboolean
gst_holo_source_negotiate (GstBaseSrc *source)
{
  g_autoptr (GstCaps) caps = NULL, peer = NULL;
  g_autofree gchar *gives = NULL, *takes = NULL;
  g_autoptr (GError) error = NULL;

  if (GST_BASE_SRC_CLASS (parent_class)->negotiate (source))
    return TRUE;
  if (GST_PAD_IS_FLUSHING (GST_BASE_SRC_PAD (source)))
    return FALSE;
  caps = gst_holo_source_get_caps (source, NULL);
  peer = gst_pad_peer_query_caps (GST_BASE_SRC_PAD (source), NULL);
  gives = gst_caps_to_string (caps);
  takes = gst_caps_to_string (peer);
  error = g_error_new (HOLO_ERROR, HOLO_ERROR_INFERENCE,
                       "no format in common with the next element: this element gives %s, but the next one takes %s",
                       gives, takes);
  gst_holo_element_post_once (source, error);
  return FALSE;
}

static gboolean
gst_holo_source_decide_allocation (GstBaseSrc *source, GstQuery *query)
{
  gst_holo_query_complete_pool (query, get_private (source)->info.size);
  return GST_BASE_SRC_CLASS (parent_class)->decide_allocation (source, query);
}

/* ---- frames ---- */

/* Settings that change the tensor are taken if the next element takes it. */
static GstFlowReturn
take_settings (GstBaseSrc *source)
{
  GstHoloSourcePrivate *priv = get_private (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstCaps) caps = NULL;
  HoloTensorDesc output;
  gboolean new_output;

  if (gst_holo_node_update (&priv->node, &new_output, &error))
    {
      if (!new_output)
        return GST_FLOW_OK;
      if (gst_holo_node_infer (&priv->node, NULL, &output, &error))
        caps = gst_holo_caps_from_desc (&output, &error);
      if (caps != NULL && gst_pad_peer_query_accept_caps (GST_BASE_SRC_PAD (source), caps))
        {
          if (!gst_holo_node_configure (&priv->node, NULL, &error))
            return gst_holo_node_to_flow (&priv->node, HOLO_OP_ERROR, g_steal_pointer (&error));
          set_info (source, &output);
          return gst_base_src_set_caps (source, caps) && gst_base_src_negotiate (source) ? GST_FLOW_OK
                                                                                         : GST_FLOW_NOT_NEGOTIATED;
        }
      if (caps != NULL)
        g_set_error (&error, HOLO_ERROR, HOLO_ERROR_SETTING,
                     "%s (%s): with these settings the output is one which the next element does not take",
                     GST_OBJECT_NAME (source), priv->node.kind->kind);
    }
  gst_holo_node_revert (&priv->node);
  gst_holo_element_post_warning (source, error);
  return GST_FLOW_OK;
}

static GstFlowReturn
acquire_buffer (GstBaseSrc *source, GstBuffer **buffer)
{
  GstHoloSourcePrivate *priv = get_private (source);
  g_autoptr (GstBufferPool) pool = gst_base_src_get_buffer_pool (source);
  GstAllocator *allocator = NULL;
  GstAllocationParams params;

  if (pool != NULL)
    return gst_buffer_pool_acquire_buffer (pool, buffer, NULL);
  gst_base_src_get_allocator (source, &allocator, &params);
  *buffer = gst_buffer_new_allocate (allocator, priv->info.size, &params);
  gst_clear_object (&allocator);
  if (*buffer != NULL)
    return GST_FLOW_OK;
  return gst_holo_node_to_flow (&priv->node, HOLO_OP_ERROR,
                                g_error_new (HOLO_ERROR, HOLO_ERROR_MEMORY,
                                             "%" G_GSIZE_FORMAT " bytes for a tensor cannot be allocated",
                                             priv->info.size));
}

/* Frames without a time get one from their number and the rate, when there is a rate. */
static void
set_time (GstHoloSourcePrivate *priv, GstBuffer *buffer, const HoloStamp *stamp, guint64 number)
{
  const HoloTensorDesc *desc = &priv->info.desc;

  gst_holo_buffer_set_stamp (buffer, stamp);
  GST_BUFFER_OFFSET (buffer) = number;
  GST_BUFFER_OFFSET_END (buffer) = number + 1;
  if (stamp->pts != HOLO_TIME_NONE || desc->rate_n <= 0)
    return;
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (number, GST_SECOND * (guint64) desc->rate_d, (guint64) desc->rate_n);
  GST_BUFFER_DURATION (buffer) =
      gst_util_uint64_scale (number + 1, GST_SECOND * (guint64) desc->rate_d, (guint64) desc->rate_n) -
      GST_BUFFER_PTS (buffer);
}

static GstFlowReturn
run (GstHoloSourcePrivate *priv, GstBuffer *buffer)
{
  GError *error = NULL;
  HoloStamp stamp = HOLO_STAMP_INIT;
  guint64 number = priv->node.n_frames;
  HoloOpResult result;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READWRITE))
    return gst_holo_node_to_flow (&priv->node, HOLO_OP_ERROR,
                                  g_error_new (HOLO_ERROR, HOLO_ERROR_MEMORY, "the buffer cannot be mapped"));
  result = gst_holo_node_execute (&priv->node, priv->node.layouts[0], NULL, 0, map.data, map.size, &stamp, &error);
  gst_buffer_unmap (buffer, &map);
  if (result != HOLO_OP_OK)
    return gst_holo_node_to_flow (&priv->node, result, error);
  set_time (priv, buffer, &stamp, number);
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_holo_source_create (GstPushSrc *push_source, GstBuffer **result)
{
  GstBaseSrc *source = GST_BASE_SRC (push_source);
  GstHoloSourcePrivate *priv = get_private (source);
  g_autoptr (GstBuffer) buffer = NULL;
  GstFlowReturn flow = GST_FLOW_OK;

  if (gst_holo_node_is_stale (&priv->node))
    flow = take_settings (source);
  if (flow == GST_FLOW_OK)
    flow = acquire_buffer (source, &buffer);
  if (flow == GST_FLOW_OK)
    flow = run (priv, buffer);
  if (flow == GST_FLOW_OK)
    *result = g_steal_pointer (&buffer);
  return flow;
}

/* ---- state ---- */

static gboolean
gst_holo_source_start (GstBaseSrc *source)
{
  GstHoloSourcePrivate *priv = get_private (source);
  g_autoptr (GError) error = NULL;

  gst_holo_element_forget_posted (source);
  if (!gst_holo_node_start (&priv->node, &error) || !gst_holo_node_configure (&priv->node, NULL, &error))
    return gst_holo_element_report (source, FALSE, &error);
  set_info (source, &priv->node.output);
  return TRUE;
}

static gboolean
gst_holo_source_stop (GstBaseSrc *source)
{
  GstHoloSourcePrivate *priv = get_private (source);

  set_info (source, NULL);
  gst_holo_node_stop (&priv->node);
  return TRUE;
}

static gboolean
gst_holo_source_unlock (GstBaseSrc *source)
{
  g_cancellable_cancel (get_private (source)->node.cancellable);
  return TRUE;
}

static gboolean
gst_holo_source_unlock_stop (GstBaseSrc *source)
{
  g_cancellable_reset (get_private (source)->node.cancellable);
  return TRUE;
}

/* A source of frames can only start anew. */
static gboolean
gst_holo_source_do_seek (GstBaseSrc *source, GstSegment *segment)
{
  GstHoloSourcePrivate *priv = get_private (source);
  g_autoptr (GError) error = NULL;

  if (segment->rate <= 0 || segment->start != 0)
    {
      GST_WARNING_OBJECT (source, "only seeks to the start are possible");
      return FALSE;
    }
  if (!gst_holo_node_reset (&priv->node, &error))
    return gst_holo_element_report (source, FALSE, &error);
  priv->node.n_frames = 0;
  segment->time = 0;
  segment->position = 0;
  return TRUE;
}

static gboolean
gst_holo_source_is_seekable (GstBaseSrc *source)
{
  return TRUE;
}

static GstStateChangeReturn
gst_holo_source_change_state (GstElement *element, GstStateChange transition)
{
  if (!gst_holo_node_allows_change (&get_private (element)->node, transition))
    return GST_STATE_CHANGE_FAILURE;
  return GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
}

/* ---- object ---- */

static void
gst_holo_source_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  gst_holo_node_get_object_property (&get_private (object)->node, object, id, value, pspec);
}

static void
gst_holo_source_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  gst_holo_node_set_object_property (&get_private (object)->node, object, id, value, pspec);
}

static void
gst_holo_source_finalize (GObject *object)
{
  gst_holo_node_clear (&get_private (object)->node);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_holo_source_class_init (GstHoloSourceClass *klass)
{
  GstBaseSrcClass *source_class = GST_BASE_SRC_CLASS (klass);

  parent_class = g_type_class_peek_parent (klass);
  g_type_class_adjust_private_offset (klass, &private_offset);
  GST_DEBUG_CATEGORY_INIT (source_debug, "holoflow-source", 0, "Holoflow: elements of kinds without input");

  G_OBJECT_CLASS (klass)->finalize = gst_holo_source_finalize;
  GST_ELEMENT_CLASS (klass)->change_state = gst_holo_source_change_state;
  source_class->start = gst_holo_source_start;
  source_class->stop = gst_holo_source_stop;
  source_class->unlock = gst_holo_source_unlock;
  source_class->unlock_stop = gst_holo_source_unlock_stop;
  source_class->do_seek = gst_holo_source_do_seek;
  source_class->is_seekable = gst_holo_source_is_seekable;
  source_class->get_caps = gst_holo_source_get_caps;
  source_class->negotiate = gst_holo_source_negotiate;
  source_class->decide_allocation = gst_holo_source_decide_allocation;
  GST_PUSH_SRC_CLASS (klass)->create = gst_holo_source_create;
}

static void
gst_holo_source_init (GstHoloSource *self, GstHoloSourceClass *klass)
{
  gst_holo_node_init (&get_private (self)->node, self, klass->kind);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

void
gst_holo_source_kind_class_init (gpointer klass, gpointer class_data)
{
  const GstHoloKind *kind = class_data;
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  ((GstHoloSourceClass *) klass)->kind = kind;
  object_class->get_property = gst_holo_source_get_property;
  object_class->set_property = gst_holo_source_set_property;
  gst_holo_node_install_properties (kind, object_class, "Frames, bytes, time in the task (ns)");
  gst_holo_kind_set_metadata (kind, klass, "Source/Tensor");
  gst_element_class_add_pad_template (klass, gst_holo_slot_new_pad_template (&kind->outputs[0], HOLO_MEM_LOCS_HOST,
                                                                             "src", GST_PAD_SRC, GST_PAD_ALWAYS));
}
