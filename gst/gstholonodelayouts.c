/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks of a node: one for each layout in which its input comes, and the device they work on. */
#include "gstholonode-private.h"

static void
free_layout (GstHoloLayout *layout)
{
  holo_inference_clear (&layout->inference);
  g_clear_object (&layout->task);
  g_free (layout);
}

/* Tasks are idle only when the device is. */
gboolean
gst_holo_node_await_device (GstHoloNode *node, GError **error)
{
  return node->stream == NULL || holo_device_is_host (node->device) || holo_stream_synchronize (node->stream, error);
}

void
gst_holo_node_drop_layouts (GstHoloNode *node)
{
  gst_holo_node_await_device (node, NULL);
  for (guint i = 0; i < GST_HOLO_NODE_MAX_LAYOUTS; i++)
    g_clear_pointer (&node->layouts[i], free_layout);
  node->bound = NULL;
  node->next_layout = 0;
}

/* ---- the device ---- */

static gboolean
set_device (GstHoloNode *node, HoloDevice *device, GError **error)
{
  HoloStream *stream;

  if (device == node->device)
    return TRUE;
  stream = holo_device_create_stream (device, error);
  if (stream == NULL)
    return FALSE;
  gst_holo_node_drop_layouts (node);
  holo_device_release_stream (node->device, node->stream);
  g_set_object (&node->device, device);
  node->stream = stream;
  return TRUE;
}

static gboolean
needs_device (const HoloInference *inference)
{
  for (guint i = 0; i < holo_inference_get_n_inputs (inference); i++)
    if (holo_inference_get_input_desc (inference, i)->mem_loc == HOLO_MEM_LOC_DEVICE)
      return TRUE;
  for (guint i = 0; i < holo_inference_get_n_outputs (inference); i++)
    if (holo_inference_get_output_desc (inference, i)->mem_loc == HOLO_MEM_LOC_DEVICE)
      return TRUE;
  return FALSE;
}

/* The host, unless a tensor lies on a device. */
static gboolean
choose_device (GstHoloNode *node, HoloTaskFactory *factory, const HoloTensorDesc *input, GError **error)
{
  g_autoptr (HoloDevice) device = NULL;
  HoloInference inference;
  gboolean needed;

  if (!gst_holo_node_infer_with (node, factory, input, &inference, error))
    return FALSE;
  needed = needs_device (&inference);
  holo_inference_clear (&inference);
  if (!needed)
    return set_device (node, holo_device_get_host (), error);
  device = gst_holo_place_get_device (node->place, holo_registry_get_default (), error);
  return device != NULL && set_device (node, device, error);
}

static gboolean
starts_dense (const HoloTensorDesc *desc)
{
  return desc->offset == 0 && holo_tensor_desc_is_dense (desc);
}

static void
measure_layout (GstHoloLayout *layout)
{
  const HoloInferredOutput *output;

  if (holo_inference_get_n_inputs (&layout->inference) > 0)
    layout->owned_in = holo_inference_get_input (&layout->inference, 0)->owned;
  if (holo_inference_get_n_outputs (&layout->inference) == 0)
    return;
  output = holo_inference_get_output (&layout->inference, 0);
  layout->owned_out = output->owned;
  layout->out_size = holo_tensor_desc_get_size (&output->desc);
  layout->is_view = output->in_place == HOLO_IN_PLACE_VIEW;
  layout->is_plain = (output->in_place == HOLO_IN_PLACE_NONE || output->in_place == HOLO_IN_PLACE_MAY) &&
                     starts_dense (&layout->input) && starts_dense (&output->desc);
  layout->may_share = (output->in_place == HOLO_IN_PLACE_MAY || output->in_place == HOLO_IN_PLACE_MUST) &&
                      !layout->owned_in && !layout->owned_out && starts_dense (&layout->input) &&
                      starts_dense (&output->desc) && layout->out_size == holo_tensor_desc_get_size (&layout->input);
}

static void
bind_task (GstHoloNode *node, HoloSyncTask *task)
{
  HoloStorage *in = &node->in_storage, *out = &node->out_storage;

  holo_task_bind (HOLO_TASK (task), GST_OBJECT_NAME (node->element), node->kind->kind, node->kind->n_inputs, &in,
                  node->kind->n_outputs, &out);
}

/* A task for @input. With @old (nullable), what @old holds goes on if the kind can do that. */
static GstHoloLayout *
create_layout (GstHoloNode *node, HoloTaskFactory *factory, const HoloTensorDesc *input, GstHoloLayout *old,
               GError **error)
{
  HoloSyncCreateContext context = { .stream = node->stream, .device = node->device };
  HoloSyncTaskFactory *sync_factory = HOLO_SYNC_TASK_FACTORY (factory);
  GstHoloLayout *layout = g_new0 (GstHoloLayout, 1);

  if (!gst_holo_node_infer_with (node, factory, input, &layout->inference, error))
    {
      g_free (layout);
      return NULL;
    }
  if (input != NULL)
    layout->input = *input;
  layout->task = old != NULL ? holo_sync_task_factory_update (sync_factory, old->task, &old->inference,
                                                              &layout->inference, &context, error)
                             : holo_sync_task_factory_create (sync_factory, &layout->inference, &context, error);
  if (layout->task == NULL)
    {
      free_layout (layout);
      return NULL;
    }
  if (old != NULL && layout->task == old->task)
    holo_task_commit (HOLO_TASK (layout->task));
  bind_task (node, layout->task);
  measure_layout (layout);
  if (!needs_device (&layout->inference) || (!layout->owned_in && !layout->owned_out))
    return layout;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED,
               "a task with device memory of its own works in a graph only: use holoflowbin");
  free_layout (layout);
  return NULL;
}

static void
set_first_layout (GstHoloNode *node, GstHoloLayout *layout, HoloTaskFactory *factory, gint serial)
{
  gst_holo_node_drop_layouts (node);
  node->layouts[0] = layout;
  node->applied = serial;
  g_set_object (&node->applied_factory, factory);
  if (node->kind->n_outputs > 0)
    node->output = *holo_inference_get_output_desc (&layout->inference, 0);
}

/**
 * gst_holo_node_configure:
 * @node: a started node
 * @input: (nullable): the tensor that the caps describe; %NULL for sources
 * @error: return location
 *
 * Makes the task for a new input. Tasks for the old one are dropped.
 *
 * Returns: %FALSE when the kind does not take it or the task cannot be made; there is no task then
 */
gboolean
gst_holo_node_configure (GstHoloNode *node, const HoloTensorDesc *input, GError **error)
{
  gint serial;
  g_autoptr (HoloTaskFactory) factory = gst_holo_node_ref_factory (node, &serial);
  GstHoloLayout *layout;

  /* what ends here is complete: a sink's file, say */
  if (!gst_holo_node_finish (node, HOLO_OP_EOF, error))
    return FALSE;
  layout = choose_device (node, factory, input, error) ? create_layout (node, factory, input, NULL, error) : NULL;
  if (layout == NULL)
    {
      gst_holo_node_prefix (node, error);
      gst_holo_node_drop_layouts (node);
      return FALSE;
    }
  set_first_layout (node, layout, factory, serial);
  node->needs_finish = TRUE;
  g_mutex_lock (&node->lock);
  node->has_input = TRUE;
  if (input != NULL)
    node->input = *input;
  g_mutex_unlock (&node->lock);
  return TRUE;
}

gboolean
gst_holo_node_update (GstHoloNode *node, gboolean *new_output, GError **error)
{
  gint serial;
  g_autoptr (HoloTaskFactory) factory = gst_holo_node_ref_factory (node, &serial);
  GstHoloLayout *old = node->layouts[0], *layout;
  const HoloTensorDesc *input = node->kind->n_inputs > 0 ? &old->input : NULL;
  HoloInference inference;

  *new_output = FALSE;
  if (!gst_holo_node_infer_with (node, factory, input, &inference, error))
    {
      gst_holo_node_prefix (node, error);
      return FALSE;
    }
  if (node->kind->n_outputs > 0)
    *new_output = !holo_tensor_desc_equal (holo_inference_get_output_desc (&inference, 0), &node->output);
  holo_inference_clear (&inference);
  if (*new_output)
    return TRUE;
  layout = create_layout (node, factory, input, old, error);
  if (layout == NULL || (layout->task != old->task && !holo_task_finish (HOLO_TASK (old->task), HOLO_OP_EOF, error)))
    {
      g_clear_pointer (&layout, free_layout);
      gst_holo_node_prefix (node, error);
      return FALSE;
    }
  set_first_layout (node, layout, factory, serial);
  return TRUE;
}

/* Keeps the answer, also a refusal: a layout without task. */
static GstHoloLayout *
add_layout (GstHoloNode *node, const HoloTensorDesc *input)
{
  guint slot = 1 + node->next_layout++ % (GST_HOLO_NODE_MAX_LAYOUTS - 1);
  g_autoptr (GError) error = NULL;
  GstHoloLayout *layout = create_layout (node, node->applied_factory, input, NULL, &error);

  if (layout == NULL)
    {
      GST_DEBUG_OBJECT (node->element, "this layout is not taken: %s", error->message);
      layout = g_new0 (GstHoloLayout, 1);
      layout->input = *input;
      holo_inference_init (&layout->inference, HOLO_TASK_SYNC);
    }
  if (node->bound == node->layouts[slot])
    node->bound = NULL;
  g_clear_pointer (&node->layouts[slot], free_layout);
  node->layouts[slot] = layout;
  return layout;
}

static gboolean
gives_same_tensor (GstHoloNode *node, const GstHoloLayout *layout)
{
  const HoloTensorDesc *output;

  if (node->kind->n_outputs == 0)
    return TRUE;
  output = holo_inference_get_output_desc (&layout->inference, 0);
  return output->dtype == node->output.dtype && holo_tensor_desc_same_shape (output, &node->output);
}

GstHoloLayout *
gst_holo_node_find_layout (GstHoloNode *node, const HoloTensorDesc *input)
{
  GstHoloLayout *layout = NULL;

  for (guint i = 0; i < GST_HOLO_NODE_MAX_LAYOUTS && layout == NULL; i++)
    if (node->layouts[i] != NULL && holo_tensor_desc_equal (&node->layouts[i]->input, input))
      layout = node->layouts[i];
  /* A second task would not know what the first one remembers. */
  if (layout == NULL && node->layouts[0]->inference.stateful)
    return NULL;
  if (layout == NULL)
    layout = add_layout (node, input);
  return layout->task != NULL && gives_same_tensor (node, layout) ? layout : NULL;
}
