/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholotransform.h"

#include "gstholomessage.h"
#include "gstholonegotiation.h"
#include "gstholotransform-private.h"
#include "holoflow/gstholoallocator-private.h"

GST_DEBUG_CATEGORY_STATIC (transform_debug);
#define GST_CAT_DEFAULT transform_debug

/* Not G_DEFINE_ABSTRACT_TYPE: instance_init needs the class of the kind. */
static void gst_holo_transform_class_init (GstHoloTransformClass *klass);
static void gst_holo_transform_init (GstHoloTransform *self, GstHoloTransformClass *klass);
static gpointer parent_class;
static gint private_offset;

GType
gst_holo_transform_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type))
    {
      GType new_type = g_type_register_static_simple (
          GST_TYPE_BASE_TRANSFORM, "GstHoloTransform", sizeof (GstHoloTransformClass),
          (GClassInitFunc) (void (*) (void)) gst_holo_transform_class_init, sizeof (GstHoloTransform),
          (GInstanceInitFunc) (void (*) (void)) gst_holo_transform_init, G_TYPE_FLAG_ABSTRACT);

      private_offset = g_type_add_instance_private (new_type, sizeof (GstHoloTransformPrivate));
      g_once_init_leave (&type, new_type);
    }
  return type;
}

static inline GstHoloTransformPrivate *
get_private (gpointer self)
{
  return G_STRUCT_MEMBER_P (self, private_offset);
}

enum
{
  PROP_DEVICE = GST_HOLO_NODE_PROP_STATS + 1,
};

/* ---- caps ---- */

/* Tensors stay where they are, unless the kind's settings say where they go. */
static guint
get_other_places (GstHoloTransformPrivate *priv, GstCaps *caps)
{
  g_autofree gchar *name = gst_holo_place_dup_name (&priv->place);

  if (g_str_equal (name, "host"))
    return HOLO_MEM_LOCS_HOST;
  return gst_holo_kind_may_move (priv->node.kind->factory_class) ? HOLO_MEM_LOCS_ANY : gst_holo_caps_get_places (caps);
}

/* The output follows from an input that is fixed. Anything else is answered by the templates. */
static GstCaps *
transform_structure (GstHoloTransformPrivate *priv, GstCaps *caps, guint index)
{
  g_autoptr (GstCaps) one = gst_caps_copy_nth (caps, index);
  g_autoptr (GError) error = NULL;
  GstCaps *result;

  if (!gst_caps_is_fixed (one))
    return NULL;
  result = gst_holo_node_infer_caps (&priv->node, one, &error);
  if (result != NULL)
    return result;
  GST_INFO_OBJECT (priv->node.element, "%s", error->message);
  return gst_caps_new_empty ();
}

static GstCaps *
gst_holo_transform_transform_caps (GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps,
                                   GstCaps *filter)
{
  GstHoloTransformPrivate *priv = get_private (transform);
  GstPad *other =
      direction == GST_PAD_SINK ? GST_BASE_TRANSFORM_SRC_PAD (transform) : GST_BASE_TRANSFORM_SINK_PAD (transform);
  g_autoptr (GstCaps) template = gst_pad_get_pad_template_caps (other);
  g_autoptr (GstCaps) result = gst_caps_new_empty ();
  gboolean open = gst_caps_is_any (caps) || (direction == GST_PAD_SRC && !gst_caps_is_empty (caps));

  for (guint i = 0; direction == GST_PAD_SINK && i < gst_caps_get_size (caps); i++)
    {
      GstCaps *inferred = transform_structure (priv, caps, i);

      if (inferred != NULL)
        gst_caps_append (result, inferred);
      else
        open = TRUE;
    }
  if (open)
    gst_caps_append (result, gst_holo_caps_filter_places (template, get_other_places (priv, caps)));
  if (filter == NULL)
    return g_steal_pointer (&result);
  return gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST);
}

static gboolean
gst_holo_transform_query_func (GstBaseTransform *transform, GstPadDirection direction, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT &&
      gst_holo_place_answer_context (&get_private (transform)->place, query))
    return TRUE;
  return gst_holo_transform_query (transform, direction, query, parent_class);
}

static gboolean
gst_holo_transform_set_caps (GstBaseTransform *transform, GstCaps *in_caps, GstCaps *out_caps)
{
  GstHoloTransformPrivate *priv = get_private (transform);
  HoloTensorDesc input, output;

  g_clear_error (&priv->refused);
  if (!gst_holo_caps_to_desc (in_caps, &input, &priv->refused) ||
      !gst_holo_caps_to_desc (out_caps, &output, &priv->refused) ||
      !gst_holo_node_configure (&priv->node, &input, &priv->refused))
    return FALSE;
  gst_holo_tensor_info_from_desc (&priv->in_info, &input);
  gst_holo_tensor_info_from_desc (&priv->out_info, &output);
  gst_holo_transform_configure_device (priv);
  /* leaving a frame out changes what a kind with memory gives for the next ones */
  if (priv->node.layouts[0]->inference.stateful)
    gst_base_transform_set_qos_enabled (transform, FALSE);
  priv->warned_trailing = FALSE;
  return TRUE;
}

/* Asks the kind before the base class does, since its answer has words. */
static gboolean
handle_caps (GstBaseTransform *transform, GstEvent *event)
{
  GstHoloTransformPrivate *priv = get_private (transform);
  g_autoptr (GstCaps) caps = NULL, inferred = NULL;
  gboolean ok = FALSE;

  gst_event_parse_caps (event, &caps);
  gst_caps_ref (caps);
  g_clear_error (&priv->refused);
  inferred = gst_holo_node_infer_caps (&priv->node, caps, &priv->refused);
  if (inferred != NULL)
    ok = GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (transform, event);
  else
    gst_event_unref (event);
  if (!ok)
    gst_holo_transform_post_not_negotiated (transform, caps, priv->refused);
  return ok;
}

/* ---- events ---- */

static void
handle_flush_stop (GstBaseTransform *transform)
{
  GstHoloTransformPrivate *priv = get_private (transform);
  g_autoptr (GError) error = NULL;

  g_cancellable_reset (priv->node.cancellable);
  gst_holo_element_report (transform, gst_holo_node_reset (&priv->node, &error), &error);
}

static void
handle_eos (GstBaseTransform *transform)
{
  GstHoloTransformPrivate *priv = get_private (transform);
  g_autoptr (GError) error = NULL;

  gst_holo_element_report (transform, gst_holo_node_finish (&priv->node, HOLO_OP_EOF, &error), &error);
}

static gboolean
gst_holo_transform_sink_event (GstBaseTransform *transform, GstEvent *event)
{
  GstHoloTransformPrivate *priv = get_private (transform);

  switch (GST_EVENT_TYPE (event))
    {
    case GST_EVENT_CAPS:
      return handle_caps (transform, event);
    case GST_EVENT_FLUSH_START:
      g_cancellable_cancel (priv->node.cancellable);
      break;
    case GST_EVENT_FLUSH_STOP:
      handle_flush_stop (transform);
      break;
    case GST_EVENT_EOS:
      handle_eos (transform);
      break;
    default:
      break;
    }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (transform, event);
}

/* ---- allocation ---- */

static gboolean
gst_holo_transform_transform_size (GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps, gsize size,
                                   GstCaps *other_caps, gsize *other_size)
{
  GstHoloTransformPrivate *priv = get_private (transform);

  *other_size = direction == GST_PAD_SINK ? priv->out_info.size : priv->in_info.size;
  return TRUE;
}

static gboolean
gst_holo_transform_propose_allocation (GstBaseTransform *transform, GstQuery *decide_query, GstQuery *query)
{
  GstHoloTransformPrivate *priv = get_private (transform);
  gboolean need_pool;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, &need_pool);
  if (priv->on_device && caps != NULL && priv->in_info.desc.mem_loc == HOLO_MEM_LOC_HOST)
    gst_holo_query_offer_pinned_memory (query, priv->node.device, caps, &priv->in_info,
                                        GST_HOLO_TRANSFORM_MAX_AHEAD + 1, need_pool);
  else if (priv->on_device)
    gst_query_add_allocation_pool (query, NULL, (guint) priv->in_info.size, GST_HOLO_TRANSFORM_MAX_AHEAD + 1, 0);
  gst_query_add_allocation_meta (query, GST_HOLO_TENSOR_META_API_TYPE, NULL);
  gst_holo_query_add_fences (query);
  return TRUE;
}

/* What a device writes for the host it writes fast into memory that does not move. */
static void
choose_pinned_memory (GstHoloTransformPrivate *priv, GstQuery *query)
{
  g_autoptr (GstAllocator) allocator = NULL;
  GstAllocationParams params;

  if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
  if (allocator != NULL)
    return;
  gst_allocation_params_init (&params);
  allocator = _gst_holo_allocator_new (priv->node.device, HOLO_MEM_LOC_HOST);
  if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_set_nth_allocation_param (query, 0, allocator, &params);
  else
    gst_query_add_allocation_param (query, allocator, &params);
}

static gboolean
gst_holo_transform_decide_allocation (GstBaseTransform *transform, GstQuery *query)
{
  GstHoloTransformPrivate *priv = get_private (transform);

  priv->sends_meta = gst_query_find_allocation_meta (query, GST_HOLO_TENSOR_META_API_TYPE, NULL);
  priv->sends_fences = gst_holo_query_has_fences (query);
  if (priv->out_info.desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    {
      gst_holo_query_drop_pools (query); /* device memory is always our own */
      return TRUE;
    }
  if (priv->on_device)
    choose_pinned_memory (priv, query);
  gst_holo_query_complete_pool (query, priv->out_info.size);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->decide_allocation (transform, query);
}

/* ---- settings between two frames ---- */

static gboolean
next_takes (GstBaseTransform *transform, GstCaps *caps)
{
  return gst_pad_peer_query_accept_caps (GST_BASE_TRANSFORM_SRC_PAD (transform), caps);
}

static void
take_settings (GstBaseTransform *transform)
{
  GstHoloTransformPrivate *priv = get_private (transform);
  g_autoptr (GstCaps) caps = NULL, in_caps = NULL;
  g_autoptr (GError) error = NULL;
  gboolean new_output;

  if (gst_holo_node_update (&priv->node, &new_output, &error))
    {
      if (!new_output)
        return;
      in_caps = gst_holo_caps_from_desc (&priv->in_info.desc, NULL);
      caps = gst_holo_node_infer_caps (&priv->node, in_caps, &error);
      if (caps != NULL && next_takes (transform, caps))
        {
          gst_base_transform_reconfigure_src (transform);
          return;
        }
      if (caps != NULL)
        {
          g_autofree gchar *text = gst_caps_to_string (caps);

          g_set_error (&error, HOLO_ERROR, HOLO_ERROR_SETTING,
                       "%s (%s): with these settings the output is %s, which the next element does not take",
                       GST_OBJECT_NAME (transform), priv->node.kind->kind, text);
        }
    }
  gst_holo_node_revert (&priv->node);
  gst_holo_element_post_warning (transform, error);
}

static GstFlowReturn
gst_holo_transform_submit_input_buffer (GstBaseTransform *transform, gboolean is_discont, GstBuffer *buffer)
{
  GstHoloTransformPrivate *priv = get_private (transform);
  GstFlowReturn flow;

  if (gst_holo_node_is_stale (&priv->node) && priv->node.layouts[0] != NULL)
    take_settings (transform);
  flow = GST_BASE_TRANSFORM_CLASS (parent_class)->submit_input_buffer (transform, is_discont, buffer);
  if (G_UNLIKELY (flow == GST_FLOW_NOT_NEGOTIATED))
    {
      g_autoptr (GstCaps) caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (transform));

      gst_holo_transform_post_not_negotiated (transform, caps, priv->refused);
    }
  return flow;
}

/* ---- frames ---- */

gboolean
gst_holo_transform_is_own_memory (GstBuffer *buffer)
{
  return gst_buffer_is_writable (buffer) && gst_buffer_is_all_memory_writable (buffer);
}

/* All memory of @in with a meta that says how the tensor @seen lies in it; NULL when the next element takes none. */
GstBuffer *
gst_holo_transform_show (GstHoloTransformPrivate *priv, GstBuffer *in, const HoloTensorDesc *seen)
{
  GstBuffer *out;

  if (!priv->sends_meta)
    return NULL;
  out = gst_buffer_copy_region (in, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_MEMORY, 0, -1);
  gst_buffer_add_holo_tensor_meta (out, seen);
  return out;
}

static GstFlowReturn
prepare_on_device (GstBaseTransform *transform, GstBuffer *in, GstBuffer **out)
{
  GstHoloTransformPrivate *priv = get_private (transform);
  GError *error = NULL;

  *out = NULL;
  if (gst_holo_transform_may_overwrite_on_device (priv, in))
    *out = in;
  else if (priv->node.layouts[0]->is_view)
    {
      *out = gst_holo_transform_share_on_device (priv, in);
      priv->shared = *out != NULL;
    }
  if (*out != NULL)
    return GST_FLOW_OK;
  if (priv->out_info.desc.mem_loc == HOLO_MEM_LOC_HOST)
    return GST_BASE_TRANSFORM_CLASS (parent_class)->prepare_output_buffer (transform, in, out);
  *out = gst_holo_transform_acquire_on_device (priv, &error);
  if (*out == NULL)
    return gst_holo_node_to_flow (&priv->node, HOLO_OP_ERROR, error);
  GST_BASE_TRANSFORM_GET_CLASS (transform)->copy_metadata (transform, in, *out);
  return GST_FLOW_OK;
}

/* In place where the task allows it and nobody else sees the memory; a branch of a tee does. */
static GstFlowReturn
gst_holo_transform_prepare_output_buffer (GstBaseTransform *transform, GstBuffer *in, GstBuffer **out)
{
  GstHoloTransformPrivate *priv = get_private (transform);
  const GstHoloLayout *layout = priv->node.layouts[0];

  if (priv->on_device)
    return prepare_on_device (transform, in, out);
  if (layout->may_share && gst_holo_transform_is_own_memory (in) && gst_buffer_get_size (in) == priv->in_info.size &&
      gst_buffer_get_holo_tensor_meta (in) == NULL)
    {
      *out = in;
      return GST_FLOW_OK;
    }
  if (layout->is_view)
    {
      *out = gst_holo_transform_share_on_host (priv, in);
      priv->shared = *out != NULL;
      if (priv->shared)
        return GST_FLOW_OK;
    }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->prepare_output_buffer (transform, in, out);
}

void
gst_holo_transform_set_output_stamp (GstBuffer *out, const HoloStamp *before, const HoloStamp *after)
{
  if (before->pts != after->pts || before->duration != after->duration || before->flags != after->flags)
    gst_holo_buffer_set_stamp (out, after);
}

static GstFlowReturn
gst_holo_transform_transform (GstBaseTransform *transform, GstBuffer *in, GstBuffer *out)
{
  GstHoloTransformPrivate *priv = get_private (transform);
  GstFlowReturn flow;

  if (priv->shared)
    flow = gst_holo_transform_run_shared (priv, in, out);
  else if (priv->on_device)
    flow = gst_holo_transform_run_on_device (priv, in, out);
  else
    flow = gst_holo_transform_run_on_host (priv, in, out);
  priv->shared = FALSE;
  if (priv->on_device && flow == GST_FLOW_OK)
    flow = gst_holo_transform_settle (priv, out);
  /* the task has reached its end: what is behind it needs to know, upstream learns it by the result */
  if (G_UNLIKELY (flow == GST_FLOW_EOS))
    gst_pad_push_event (GST_BASE_TRANSFORM_SRC_PAD (transform), gst_event_new_eos ());
  return flow;
}

/* ---- state ---- */

static gboolean
gst_holo_transform_start (GstBaseTransform *transform)
{
  GstHoloTransformPrivate *priv = get_private (transform);
  g_autoptr (GError) error = NULL;

  priv->sends_meta = FALSE;
  gst_holo_element_forget_posted (transform);
  return gst_holo_element_report (transform, gst_holo_node_start (&priv->node, &error), &error);
}

static gboolean
gst_holo_transform_stop (GstBaseTransform *transform)
{
  GstHoloTransformPrivate *priv = get_private (transform);

  gst_holo_node_stop (&priv->node);
  gst_holo_transform_clear_device (priv);
  return TRUE;
}

static gboolean
open_place (GstHoloTransformPrivate *priv, GstStateChange transition)
{
  g_autoptr (GError) error = NULL;

  if (transition != GST_STATE_CHANGE_NULL_TO_READY && transition != GST_STATE_CHANGE_READY_TO_PAUSED)
    return TRUE;
  return gst_holo_element_report (priv->node.element,
                                  gst_holo_place_open (&priv->place, holo_registry_get_default (), &error), &error);
}

static GstStateChangeReturn
gst_holo_transform_change_state (GstElement *element, GstStateChange transition)
{
  GstHoloTransformPrivate *priv = get_private (element);
  GstStateChangeReturn result;

  if (!gst_holo_node_allows_change (&priv->node, transition) || !open_place (priv, transition))
    return GST_STATE_CHANGE_FAILURE;
  /* before the base class waits for the streaming thread */
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    g_cancellable_cancel (priv->node.cancellable);
  result = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    gst_holo_place_close (&priv->place);
  return result;
}

static void
gst_holo_transform_set_context (GstElement *element, GstContext *context)
{
  gst_holo_place_set_context (&get_private (element)->place, context);
  GST_ELEMENT_CLASS (parent_class)->set_context (element, context);
}

/* ---- object ---- */

static void
gst_holo_transform_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstHoloTransformPrivate *priv = get_private (object);

  if (id == PROP_DEVICE)
    g_value_take_string (value, gst_holo_place_dup_name (&priv->place));
  else
    gst_holo_node_get_object_property (&priv->node, object, id, value, pspec);
}

static void
gst_holo_transform_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstHoloTransformPrivate *priv = get_private (object);

  if (id == PROP_DEVICE)
    gst_holo_place_set_name (&priv->place, g_value_get_string (value));
  else
    gst_holo_node_set_object_property (&priv->node, object, id, value, pspec);
}

static void
gst_holo_transform_finalize (GObject *object)
{
  GstHoloTransformPrivate *priv = get_private (object);

  gst_holo_node_clear (&priv->node);
  gst_holo_place_clear (&priv->place);
  g_clear_error (&priv->refused);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_holo_transform_class_init (GstHoloTransformClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstBaseTransformClass *transform_class = GST_BASE_TRANSFORM_CLASS (klass);

  parent_class = g_type_class_peek_parent (klass);
  g_type_class_adjust_private_offset (klass, &private_offset);
  GST_DEBUG_CATEGORY_INIT (transform_debug, "holoflow-transform", 0,
                           "Holoflow: elements of kinds with one input and output");

  object_class->finalize = gst_holo_transform_finalize;
  GST_ELEMENT_CLASS (klass)->change_state = gst_holo_transform_change_state;
  GST_ELEMENT_CLASS (klass)->set_context = gst_holo_transform_set_context;

  transform_class->start = gst_holo_transform_start;
  transform_class->stop = gst_holo_transform_stop;
  transform_class->transform_caps = gst_holo_transform_transform_caps;
  transform_class->query = gst_holo_transform_query_func;
  transform_class->accept_caps = gst_holo_transform_accept_caps;
  transform_class->set_caps = gst_holo_transform_set_caps;
  transform_class->sink_event = gst_holo_transform_sink_event;
  transform_class->transform_size = gst_holo_transform_transform_size;
  transform_class->propose_allocation = gst_holo_transform_propose_allocation;
  transform_class->decide_allocation = gst_holo_transform_decide_allocation;
  transform_class->submit_input_buffer = gst_holo_transform_submit_input_buffer;
  transform_class->prepare_output_buffer = gst_holo_transform_prepare_output_buffer;
  transform_class->transform = gst_holo_transform_transform;
  transform_class->passthrough_on_same_caps = FALSE;
}

static void
gst_holo_transform_init (GstHoloTransform *self, GstHoloTransformClass *klass)
{
  GstHoloTransformPrivate *priv = get_private (self);

  gst_holo_node_init (&priv->node, self, klass->kind);
  gst_holo_place_init (&priv->place, self);
  if (klass->kind->inputs[0].mem_locs & HOLO_MEM_LOCS_DEVICE || klass->kind->outputs[0].mem_locs & HOLO_MEM_LOCS_DEVICE)
    priv->node.place = &priv->place;
  gst_holo_transform_init_pads (GST_BASE_TRANSFORM (self));
  gst_base_transform_set_qos_enabled (GST_BASE_TRANSFORM (self), TRUE);
}

void
gst_holo_transform_kind_class_init (gpointer klass, gpointer class_data)
{
  const GstHoloKind *kind = class_data;
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  ((GstHoloTransformClass *) klass)->kind = kind;
  object_class->get_property = gst_holo_transform_get_property;
  object_class->set_property = gst_holo_transform_set_property;
  g_object_class_install_property (object_class, PROP_DEVICE, gst_holo_place_new_param_spec ());
  gst_holo_node_install_properties (kind, object_class,
                                    "Frames, bytes, time in the task (ns), frames processed in "
                                    "place, copies that a layout forced, and waits for the device before a frame "
                                    "went to an element that knows no fences");
  gst_holo_kind_set_metadata (kind, klass, "Filter/Effect/Tensor");
  gst_element_class_add_pad_template (klass, gst_holo_slot_new_pad_template (&kind->inputs[0], HOLO_MEM_LOCS_ANY,
                                                                             "sink", GST_PAD_SINK, GST_PAD_ALWAYS));
  gst_element_class_add_pad_template (
      klass, gst_holo_slot_new_pad_template (&kind->outputs[0], HOLO_MEM_LOCS_ANY, "src", GST_PAD_SRC, GST_PAD_ALWAYS));
}
