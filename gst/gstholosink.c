/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholosink.h"

#include "gstholomessage.h"

GST_DEBUG_CATEGORY_STATIC (sink_debug);
#define GST_CAT_DEFAULT sink_debug

typedef struct
{
  GstHoloNode node;
  GstHoloTensorInfo info;
  gboolean warned_trailing;
} GstHoloSinkPrivate;

/* Not G_DEFINE_ABSTRACT_TYPE: instance_init needs the class of the kind. */
static void gst_holo_sink_class_init (GstHoloSinkClass *klass);
static void gst_holo_sink_init (GstHoloSink *self, GstHoloSinkClass *klass);
static gpointer parent_class;
static gint private_offset;

GType
gst_holo_sink_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type))
    {
      GType new_type = g_type_register_static_simple (
          GST_TYPE_BASE_SINK, "GstHoloSink", sizeof (GstHoloSinkClass),
          (GClassInitFunc) (void (*) (void)) gst_holo_sink_class_init, sizeof (GstHoloSink),
          (GInstanceInitFunc) (void (*) (void)) gst_holo_sink_init, G_TYPE_FLAG_ABSTRACT);

      private_offset = g_type_add_instance_private (new_type, sizeof (GstHoloSinkPrivate));
      g_once_init_leave (&type, new_type);
    }
  return type;
}

static inline GstHoloSinkPrivate *
get_private (gpointer self)
{
  return G_STRUCT_MEMBER_P (self, private_offset);
}

/* ---- caps ---- */

static gboolean
gst_holo_sink_set_caps (GstBaseSink *sink, GstCaps *caps)
{
  GstHoloSinkPrivate *priv = get_private (sink);
  g_autoptr (GError) error = NULL;
  HoloTensorDesc input;

  if (gst_holo_caps_to_desc (caps, &input, &error) && gst_holo_node_configure (&priv->node, &input, &error))
    {
      gst_holo_tensor_info_from_desc (&priv->info, &input);
      priv->warned_trailing = FALSE;
      return TRUE;
    }
  gst_holo_element_post_once (sink, error);
  return FALSE;
}

static gboolean
gst_holo_sink_propose_allocation (GstBaseSink *sink, GstQuery *query)
{
  gst_query_add_allocation_meta (query, GST_HOLO_TENSOR_META_API_TYPE, NULL);
  return TRUE;
}

/* ---- frames ---- */

static void
take_settings (GstBaseSink *sink)
{
  GstHoloSinkPrivate *priv = get_private (sink);
  g_autoptr (GError) error = NULL;
  gboolean new_output;

  if (gst_holo_node_update (&priv->node, &new_output, &error))
    return;
  gst_holo_node_revert (&priv->node);
  gst_holo_element_post_warning (sink, error);
}

static GstFlowReturn
run_packed (GstHoloSinkPrivate *priv, const HoloTensorView *view, HoloStamp *stamp)
{
  GError *error = NULL;
  HoloTensorDesc dense;
  HoloOpResult result;
  gpointer data;
  gsize size;

  holo_tensor_desc_init_dense_like (&dense, &view->desc);
  size = holo_tensor_desc_get_size (&dense);
  data = g_aligned_alloc (1, MAX (size, 1), HOLO_MEMORY_ALIGNMENT);
  gst_holo_element_log_copy (priv->node.element, size, "the task does not take it as it lies");
  gst_holo_node_count_copy (&priv->node);
  holo_tensor_copy_elements (data, &dense, holo_tensor_view_get_data (view), &view->desc);
  result = gst_holo_node_execute (&priv->node, priv->node.layouts[0], data, size, NULL, 0, stamp, &error);
  g_aligned_free (data);
  return result == HOLO_OP_OK ? GST_FLOW_OK : gst_holo_node_to_flow (&priv->node, result, error);
}

static GstFlowReturn
gst_holo_sink_render (GstBaseSink *sink, GstBuffer *buffer)
{
  GstHoloSinkPrivate *priv = get_private (sink);
  GError *error = NULL;
  GstHoloBufferMap map;
  GstHoloLayout *layout;
  GstFlowReturn flow = GST_FLOW_OK;
  HoloOpResult result;
  HoloStamp stamp;

  if (priv->node.layouts[0] == NULL)
    return GST_FLOW_NOT_NEGOTIATED;
  if (gst_holo_node_is_stale (&priv->node))
    take_settings (sink);
  if (!gst_holo_buffer_map (buffer, &priv->info, GST_MAP_READ, &map, &error))
    return gst_holo_node_to_flow (&priv->node, HOLO_OP_ERROR, error);
  gst_holo_element_warn_trailing (sink, map.trailing, &priv->warned_trailing);
  stamp = map.view.stamp;
  layout = gst_holo_node_find_layout (&priv->node, &map.view.desc);
  if (layout == NULL)
    flow = run_packed (priv, &map.view, &stamp);
  else
    {
      result = gst_holo_node_execute (&priv->node, layout, map.view.storage->data, map.view.storage->size, NULL, 0,
                                      &stamp, &error);
      if (G_UNLIKELY (result != HOLO_OP_OK))
        flow = gst_holo_node_to_flow (&priv->node, result, error);
    }
  gst_holo_buffer_unmap (&map);
  return flow;
}

/* ---- events ---- */

static gboolean
gst_holo_sink_event (GstBaseSink *sink, GstEvent *event)
{
  GstHoloSinkPrivate *priv = get_private (sink);
  g_autoptr (GError) error = NULL;
  gboolean ok = TRUE;

  switch (GST_EVENT_TYPE (event))
    {
    case GST_EVENT_FLUSH_STOP:
      ok = gst_holo_element_report (sink, gst_holo_node_reset (&priv->node, &error), &error);
      break;
    case GST_EVENT_EOS:
      /* before the base class posts the message: who hears it may read the file */
      ok = gst_holo_element_report (sink, gst_holo_node_finish (&priv->node, HOLO_OP_EOF, &error), &error);
      break;
    default:
      break;
    }
  if (ok)
    return GST_BASE_SINK_CLASS (parent_class)->event (sink, event);
  gst_event_unref (event);
  return FALSE;
}

/* ---- state ---- */

static gboolean
gst_holo_sink_start (GstBaseSink *sink)
{
  g_autoptr (GError) error = NULL;

  gst_holo_element_forget_posted (sink);
  return gst_holo_element_report (sink, gst_holo_node_start (&get_private (sink)->node, &error), &error);
}

static gboolean
gst_holo_sink_stop (GstBaseSink *sink)
{
  gst_holo_node_stop (&get_private (sink)->node);
  return TRUE;
}

static gboolean
gst_holo_sink_unlock (GstBaseSink *sink)
{
  g_cancellable_cancel (get_private (sink)->node.cancellable);
  return TRUE;
}

static gboolean
gst_holo_sink_unlock_stop (GstBaseSink *sink)
{
  g_cancellable_reset (get_private (sink)->node.cancellable);
  return TRUE;
}

static GstStateChangeReturn
gst_holo_sink_change_state (GstElement *element, GstStateChange transition)
{
  if (!gst_holo_node_allows_change (&get_private (element)->node, transition))
    return GST_STATE_CHANGE_FAILURE;
  return GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
}

/* ---- object ---- */

static void
gst_holo_sink_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  gst_holo_node_get_object_property (&get_private (object)->node, object, id, value, pspec);
}

static void
gst_holo_sink_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  gst_holo_node_set_object_property (&get_private (object)->node, object, id, value, pspec);
}

static void
gst_holo_sink_finalize (GObject *object)
{
  gst_holo_node_clear (&get_private (object)->node);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_holo_sink_class_init (GstHoloSinkClass *klass)
{
  GstBaseSinkClass *sink_class = GST_BASE_SINK_CLASS (klass);

  parent_class = g_type_class_peek_parent (klass);
  g_type_class_adjust_private_offset (klass, &private_offset);
  GST_DEBUG_CATEGORY_INIT (sink_debug, "holoflow-sink", 0, "Holoflow: elements of kinds without output");

  G_OBJECT_CLASS (klass)->finalize = gst_holo_sink_finalize;
  GST_ELEMENT_CLASS (klass)->change_state = gst_holo_sink_change_state;
  sink_class->start = gst_holo_sink_start;
  sink_class->stop = gst_holo_sink_stop;
  sink_class->unlock = gst_holo_sink_unlock;
  sink_class->unlock_stop = gst_holo_sink_unlock_stop;
  sink_class->set_caps = gst_holo_sink_set_caps;
  sink_class->propose_allocation = gst_holo_sink_propose_allocation;
  sink_class->event = gst_holo_sink_event;
  sink_class->render = gst_holo_sink_render;
}

static void
gst_holo_sink_init (GstHoloSink *self, GstHoloSinkClass *klass)
{
  gst_holo_node_init (&get_private (self)->node, self, klass->kind);
  GST_PAD_SET_ACCEPT_INTERSECT (GST_BASE_SINK_PAD (self));
  GST_PAD_SET_ACCEPT_TEMPLATE (GST_BASE_SINK_PAD (self));
  /* what it writes does not depend on the clock */
  gst_base_sink_set_sync (GST_BASE_SINK (self), FALSE);
}

void
gst_holo_sink_kind_class_init (gpointer klass, gpointer class_data)
{
  const GstHoloKind *kind = class_data;
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  ((GstHoloSinkClass *) klass)->kind = kind;
  object_class->get_property = gst_holo_sink_get_property;
  object_class->set_property = gst_holo_sink_set_property;
  gst_holo_node_install_properties (kind, object_class,
                                    "Frames, bytes, time in the task (ns), and copies that a layout forced");
  gst_holo_kind_set_metadata (kind, klass, "Sink/Tensor");
  gst_element_class_add_pad_template (klass, gst_holo_slot_new_pad_template (&kind->inputs[0], HOLO_MEM_LOCS_HOST,
                                                                             "sink", GST_PAD_SINK, GST_PAD_ALWAYS));
}
