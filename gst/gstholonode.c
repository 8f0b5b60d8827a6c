/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholonode-private.h"

#include <time.h>

#include "gstholomessage.h"

void
gst_holo_node_init (GstHoloNode *node, gpointer element, const GstHoloKind *kind)
{
  node->element = element;
  node->kind = kind;
  g_mutex_init (&node->lock);
  node->factory = gst_holo_kind_create_factory (kind);
  node->pending = gst_holo_node_new_pending ();
  node->cancellable = g_cancellable_new ();
  node->device = g_object_ref (holo_device_get_host ());
  node->in_views[0] = &node->in_view;
  node->out_views[0] = &node->out_view;
}

void
gst_holo_node_clear (GstHoloNode *node)
{
  gst_holo_node_stop (node);
  g_clear_object (&node->factory);
  g_clear_object (&node->cancellable);
  g_clear_object (&node->device);
  g_hash_table_unref (node->pending);
  g_mutex_clear (&node->lock);
}

/* Which element and kind @error is about. */
void
gst_holo_node_prefix (GstHoloNode *node, GError **error)
{
  g_prefix_error (error, "%s (%s): ", GST_OBJECT_NAME (node->element), node->kind->kind);
}

/* ---- settings ---- */

/* (transfer full): the settings in force, and (nullable) which they are. */
HoloTaskFactory *
gst_holo_node_ref_factory (GstHoloNode *node, gint *serial)
{
  HoloTaskFactory *factory;

  g_mutex_lock (&node->lock);
  factory = g_object_ref (node->factory);
  if (serial != NULL)
    *serial = node->serial;
  g_mutex_unlock (&node->lock);
  return factory;
}

/* Frames per second of the output: a source knows them itself, others pass on their input's. */
static void
set_rate (const HoloTensorDesc *input, const HoloInferredOutput *inferred, HoloTensorDesc *output)
{
  *output = inferred->desc;
  if (input == NULL ||
      (inferred->rate_n > 0 && gst_util_fraction_multiply (input->rate_n, MAX (input->rate_d, 1), inferred->rate_n,
                                                           inferred->rate_d, &output->rate_n, &output->rate_d)))
    return;
  output->rate_n = 0;
  output->rate_d = 1;
}

/* What the kind gives for @input (nullable) with the settings of @factory. */
gboolean
gst_holo_node_infer_with (GstHoloNode *node, HoloTaskFactory *factory, const HoloTensorDesc *input,
                          HoloInference *inference, GError **error)
{
  if (input != NULL && input->mem_loc != HOLO_MEM_LOC_HOST && node->place == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED, "tensors in device memory are not taken here");
      return FALSE;
    }
  if (!holo_task_factory_infer (factory, input, input != NULL ? 1 : 0, inference, error))
    return FALSE;
  for (guint i = 0; i < holo_inference_get_n_outputs (inference); i++)
    {
      HoloInferredOutput *output = holo_inference_get_output (inference, i);

      if (output->desc.mem_loc != HOLO_MEM_LOC_HOST && node->place == NULL)
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "the output would lie on a device, but none is chosen");
          holo_inference_clear (inference);
          return FALSE;
        }
      set_rate (input, output, &output->desc);
    }
  return TRUE;
}

/* With the lock. Whether @candidate may replace the settings in force. */
gboolean
gst_holo_node_try_settings (GstHoloNode *node, HoloTaskFactory *candidate, GError **error)
{
  HoloInference inference;

  if (!node->has_input)
    return TRUE;
  if (!gst_holo_node_infer_with (node, candidate, node->kind->n_inputs > 0 ? &node->input : NULL, &inference, error))
    return FALSE;
  holo_inference_clear (&inference);
  return TRUE;
}

/* ---- numbers ---- */

static inline void
count (guint64 *number, guint64 n)
{
  __atomic_store_n (number, *number + n, __ATOMIC_RELAXED);
}

static inline guint64
read_count (const guint64 *number)
{
  return __atomic_load_n (number, __ATOMIC_RELAXED);
}

GstStructure *
gst_holo_node_make_stats (GstHoloNode *node)
{
  return gst_structure_new ("holo-stats", "kind", G_TYPE_STRING, node->kind->kind, "frames", G_TYPE_UINT64,
                            read_count (&node->n_frames), "bytes", G_TYPE_UINT64, read_count (&node->n_bytes), "time",
                            G_TYPE_UINT64, read_count (&node->time), "in-place", G_TYPE_UINT64,
                            read_count (&node->n_in_place), "copies", G_TYPE_UINT64, read_count (&node->n_copies),
                            "foreign-waits", G_TYPE_UINT64, read_count (&node->n_waits), NULL);
}

void
gst_holo_node_count_copy (GstHoloNode *node)
{
  count (&node->n_copies, 1);
}

void
gst_holo_node_count_wait (GstHoloNode *node)
{
  count (&node->n_waits, 1);
}

/* ---- inference ---- */

gboolean
gst_holo_node_infer (GstHoloNode *node, const HoloTensorDesc *input, HoloTensorDesc *output, GError **error)
{
  g_autoptr (HoloTaskFactory) factory = gst_holo_node_ref_factory (node, NULL);
  g_auto (HoloInference) inference = { 0 };
  HoloInference found;

  if (!gst_holo_node_infer_with (node, factory, input, &found, error))
    {
      gst_holo_node_prefix (node, error);
      return FALSE;
    }
  inference = found;
  if (output != NULL)
    *output = *holo_inference_get_output_desc (&inference, 0);
  return TRUE;
}

/**
 * gst_holo_node_infer_caps:
 * @node: a node with an input and an output
 * @caps: fixed caps of the input
 * @error: return location
 *
 * Returns: (transfer full) (nullable): caps of the output; %NULL when the kind does not take the tensor
 */
GstCaps *
gst_holo_node_infer_caps (GstHoloNode *node, GstCaps *caps, GError **error)
{
  HoloTensorDesc input, output;

  if (!gst_holo_caps_to_desc (caps, &input, error))
    {
      gst_holo_node_prefix (node, error);
      return NULL;
    }
  return gst_holo_node_infer (node, &input, &output, error) ? gst_holo_caps_from_desc (&output, error) : NULL;
}

/* ---- starting and stopping ---- */

gboolean
gst_holo_node_start (GstHoloNode *node, GError **error)
{
  g_cancellable_reset (node->cancellable);
  node->n_frames = node->n_bytes = node->n_in_place = node->n_copies = node->n_waits = node->time = 0;
  if (node->stream == NULL)
    node->stream = holo_device_create_stream (node->device, error);
  if (node->stream == NULL)
    return FALSE;
  if (node->router == NULL)
    node->router = holo_event_router_new (HOLO_EVENT_DEFAULT_CAPACITY, HOLO_EVENT_DEFAULT_CAPACITY);
  return node->reader != NULL || holo_event_router_bind_node (node->router, GST_OBJECT_NAME (node->element),
                                                              &node->reader, &node->writer, error);
}

void
gst_holo_node_stop (GstHoloNode *node)
{
  g_autoptr (GError) error = NULL;

  if (!gst_holo_node_finish (node, HOLO_OP_CANCELLED, &error))
    GST_WARNING_OBJECT (node->element, "%s", error->message);
  g_mutex_lock (&node->lock);
  node->has_input = FALSE;
  g_mutex_unlock (&node->lock);
  gst_holo_node_drop_layouts (node);
  g_clear_object (&node->applied_factory);
  node->reader = NULL;
  node->writer = NULL;
  g_clear_object (&node->router);
  if (node->stream != NULL)
    holo_device_release_stream (node->device, g_steal_pointer (&node->stream));
  g_set_object (&node->device, holo_device_get_host ());
}

/* ---- frames ---- */

static void
init_storage (GstHoloNode *node, HoloStorage *storage, const HoloTensorDesc *desc)
{
  holo_storage_init (storage, NULL, 0);
  storage->mem_loc = desc->mem_loc;
  storage->device = desc->mem_loc == HOLO_MEM_LOC_DEVICE ? node->device : NULL;
}

static guint64
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (guint64) time.tv_sec * GST_SECOND + (guint64) time.tv_nsec;
}

static void
bind_views (GstHoloNode *node, const GstHoloLayout *layout)
{
  const HoloTensorDesc *output;

  if (node->kind->n_inputs > 0)
    {
      init_storage (node, &node->in_storage, &layout->input);
      holo_tensor_view_init (&node->in_view, &layout->input, &node->in_storage);
    }
  if (node->kind->n_outputs > 0)
    {
      output = holo_inference_get_output_desc (&layout->inference, 0);
      init_storage (node, &node->out_storage, output);
      holo_tensor_view_init (&node->out_view, output, &node->out_storage);
    }
  node->bound = layout;
}

/* A task that owns its input is given a copy in its slot. */
static HoloOpResult
fill_owned_input (GstHoloNode *node, GstHoloLayout *layout, gconstpointer data, GError **error)
{
  HoloOpResult result;

  node->in_storage.data = NULL;
  result = holo_task_acquire_input (HOLO_TASK (layout->task), 0, &node->in_view, error);
  if (result != HOLO_OP_OK)
    return result;
  holo_tensor_copy_elements (holo_tensor_view_get_data (&node->in_view), &layout->input,
                             (const guint8 *) data + layout->input.offset, &layout->input);
  count (&node->n_copies, 1);
  return HOLO_OP_OK;
}

/* What a task published as its own memory is copied out, and given back to it. */
static gboolean
empty_owned_output (GstHoloNode *node, GstHoloLayout *layout, gpointer data, GError **error)
{
  HoloFence fence = HOLO_FENCE_INIT;

  if (node->out_storage.data == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "the task published no output");
      return FALSE;
    }
  holo_tensor_copy_elements ((guint8 *) data + node->out_view.desc.offset, &node->out_view.desc,
                             holo_tensor_view_get_data (&node->out_view), &node->out_view.desc);
  count (&node->n_copies, 1);
  return holo_task_release_output (HOLO_TASK (layout->task), 0, &fence, error);
}

/* What the task tells the application becomes an element message "holoflow-event" with the node's name and
 * the JSON. */
static void
post_events (GstHoloNode *node)
{
  HoloEvent *event;

  while ((event = holo_event_router_receive (node->router)) != NULL)
    {
      g_autofree gchar *text = event->data != NULL ? holo_json_to_text (event->data, FALSE) : NULL;
      GstStructure *structure =
          gst_structure_new ("holoflow-event", "node", G_TYPE_STRING, event->node, "data", G_TYPE_STRING, text, NULL);

      gst_element_post_message (node->element, gst_message_new_element (GST_OBJECT (node->element), structure));
      holo_event_unref (event);
    }
}

/**
 * gst_holo_node_execute:
 * @node: a configured node
 * @layout: from gst_holo_node_find_layout()
 * @in_data: (nullable): start of the input's memory
 * @in_size: its bytes
 * @out_data: (nullable): start of the output's memory; equal to @in_data in place
 * @out_size: its bytes
 * @stamp: (inout): the input's time; the output's afterwards
 * @error: set exactly when the result is ERROR
 *
 * Returns: what the task said
 */
HoloOpResult
gst_holo_node_execute (GstHoloNode *node, GstHoloLayout *layout, gpointer in_data, gsize in_size, gpointer out_data,
                       gsize out_size, HoloStamp *stamp, GError **error)
{
  HoloSyncContext context = {
    .inputs = node->in_views,
    .outputs = node->out_views,
    .n_inputs = node->kind->n_inputs,
    .n_outputs = node->kind->n_outputs,
    .stream = node->stream,
    .cancellable = node->cancellable,
    .reader = node->reader,
    .writer = node->writer,
  };
  HoloOpResult result;
  guint64 begin = now ();

  /* a new stream after the end of one: the task starts anew, as after a flush */
  if (G_UNLIKELY (!node->needs_finish) && !gst_holo_node_reset (node, error))
    return HOLO_OP_ERROR;
  if (node->bound != layout)
    bind_views (node, layout);
  node->in_storage.data = in_data;
  node->in_storage.size = in_size;
  node->out_storage.data = layout->owned_out ? NULL : out_data;
  node->out_storage.size = out_size;
  stamp->seq = stamp->first = stamp->last = node->n_frames;
  node->in_view.stamp = node->out_view.stamp = *stamp;
  if (G_UNLIKELY (layout->owned_in))
    {
      result = fill_owned_input (node, layout, in_data, error);
      if (result != HOLO_OP_OK)
        return result;
    }
  result = holo_sync_task_execute (layout->task, &context, error);
  post_events (node);
  if (G_LIKELY (result == HOLO_OP_OK))
    {
      if (G_UNLIKELY (layout->owned_out) && !empty_owned_output (node, layout, out_data, error))
        return HOLO_OP_ERROR;
      count (&node->n_frames, 1);
      count (&node->n_bytes, context.n_outputs > 0 ? out_size : in_size);
      count (&node->time, now () - begin);
      if (in_data != NULL && in_data == out_data)
        count (&node->n_in_place, 1);
    }
  if (context.n_outputs > 0)
    *stamp = node->out_view.stamp;
  return result;
}

gboolean
gst_holo_node_reset (GstHoloNode *node, GError **error)
{
  if (!gst_holo_node_await_device (node, error))
    return FALSE;
  for (guint i = 0; i < GST_HOLO_NODE_MAX_LAYOUTS; i++)
    if (node->layouts[i] != NULL && node->layouts[i]->task != NULL &&
        !holo_task_reset (HOLO_TASK (node->layouts[i]->task), error))
      {
        gst_holo_node_prefix (node, error);
        return FALSE;
      }
  node->needs_finish = node->layouts[0] != NULL;
  return TRUE;
}

/* The stream has ended, or is given up (CANCELLED). Once: until gst_holo_node_reset() nothing follows. */
gboolean
gst_holo_node_finish (GstHoloNode *node, HoloOpResult result, GError **error)
{
  if (!node->needs_finish)
    return TRUE;
  if (!gst_holo_node_await_device (node, error))
    return FALSE;
  node->needs_finish = FALSE;
  for (guint i = 0; i < GST_HOLO_NODE_MAX_LAYOUTS; i++)
    if (node->layouts[i] != NULL && node->layouts[i]->task != NULL &&
        !holo_task_finish (HOLO_TASK (node->layouts[i]->task), result, error))
      {
        gst_holo_node_prefix (node, error);
        return FALSE;
      }
  return TRUE;
}

GstFlowReturn
gst_holo_node_to_flow (GstHoloNode *node, HoloOpResult result, GError *error)
{
  switch (result)
    {
    case HOLO_OP_OK:
      return GST_FLOW_OK;
    case HOLO_OP_EOF:
      return GST_FLOW_EOS;
    case HOLO_OP_CANCELLED:
    case HOLO_OP_FLUSHED:
      return GST_FLOW_FLUSHING;
    case HOLO_OP_NOT_READY:
      error =
          g_error_new (HOLO_ERROR, HOLO_ERROR_TASK, "the task said NOT_READY, which a synchronous task must not say");
      break;
    case HOLO_OP_ERROR:
      break;
    }
  gst_holo_node_prefix (node, &error);
  gst_holo_element_post_error (node->element, error);
  g_error_free (error);
  return GST_FLOW_ERROR;
}
