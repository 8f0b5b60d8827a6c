/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sink pads of the host: frames into Inputs, and what travels beside them. */
#include "gstholohost-private.h"
#include "gstholomessage.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

/* ---- making ---- */

GstHoloInput *
gst_holo_input_new (GstHoloRun *run, const gchar *name)
{
  GstHoloInput *input = g_new0 (GstHoloInput, 1);

  input->run = run;
  input->host = run->host;
  input->name = g_strdup (name);
  input->outputs = g_ptr_array_new ();
  input->followers = g_ptr_array_new ();
  g_queue_init (&input->metas);
  gst_segment_init (&input->segment, GST_FORMAT_UNDEFINED);
  return input;
}

void
gst_holo_input_free (GstHoloInput *input)
{
  gst_holo_input_drop_slot (input);
  gst_holo_input_drop_metas (input);
  gst_holo_input_set_pad (input, NULL);
  gst_holo_packer_clear (&input->packer);
  g_ptr_array_unref (input->outputs);
  g_ptr_array_unref (input->followers);
  g_free (input->name);
  g_free (input);
}

void
gst_holo_input_set_pad (GstHoloInput *input, GstPad *pad)
{
  GstPad *old;

  g_mutex_lock (&input->run->lock);
  old = input->pad;
  input->pad = pad != NULL ? gst_object_ref (pad) : NULL;
  g_mutex_unlock (&input->run->lock);
  gst_clear_object (&old);
}

void
gst_holo_input_drop_slot (GstHoloInput *input)
{
  if (input->full)
    holo_frame_clear (&input->slot);
  input->full = input->inside = FALSE;
}

/* ---- flow ---- */

/* What the outputs' results mean for upstream: end of stream and not-linked only when all say so. */
GstFlowReturn
gst_holo_input_combine_flows (GstHoloInput *input)
{
  guint n_eos = 0, n_not_linked = 0;

  for (guint i = 0; i < input->outputs->len; i++)
    {
      GstFlowReturn flow = g_atomic_int_get (&((GstHoloOutput *) g_ptr_array_index (input->outputs, i))->flow);

      if (G_LIKELY (flow == GST_FLOW_OK))
        continue;
      if (flow == GST_FLOW_EOS)
        n_eos++;
      else if (flow == GST_FLOW_NOT_LINKED)
        n_not_linked++;
      else
        return flow;
    }
  if (G_LIKELY (n_eos + n_not_linked < input->outputs->len || input->outputs->len == 0))
    return GST_FLOW_OK;
  return n_eos > 0 ? GST_FLOW_EOS : GST_FLOW_NOT_LINKED;
}

gboolean
gst_holo_input_is_flushing (GstHoloInput *input)
{
  gboolean flushing;

  g_mutex_lock (&input->run->lock);
  flushing = input->flushing;
  g_mutex_unlock (&input->run->lock);
  return flushing;
}

/* Whether frames of @input are still for somebody. */
gboolean
gst_holo_input_is_wanted (GstHoloInput *input)
{
  gboolean wanted;

  g_mutex_lock (&input->run->lock);
  wanted = input->run->active && !input->run->failed && !input->flushing;
  g_mutex_unlock (&input->run->lock);
  return wanted;
}

/* Under the lock: waits while the run stands still; then says whether frames may pass. */
GstFlowReturn
gst_holo_input_check_locked (GstHoloInput *input)
{
  GstHoloRun *run = input->run;

  while (run->draining && run->active && !run->failed && !input->flushing)
    g_cond_wait (&run->cond, &run->lock);
  if (!run->active || input->flushing)
    return GST_FLOW_FLUSHING;
  if (run->failed)
    return run->failure;
  if (input->eos)
    return GST_FLOW_EOS;
  if (!input->has_info && run->scheduler == NULL)
    return GST_FLOW_NOT_NEGOTIATED;
  return GST_FLOW_OK;
}

void
gst_holo_input_leave (GstHoloInput *input)
{
  GstHoloRun *run = input->run;

  if (g_atomic_int_dec_and_test (&run->n_users) && G_UNLIKELY (g_atomic_int_get (&run->gate)))
    {
      g_mutex_lock (&run->lock);
      g_cond_broadcast (&run->cond);
      g_mutex_unlock (&run->lock);
    }
}

/* Says that this thread uses the scheduler. Whoever shuts the gate first sets it, then waits for the users.
 */
static GstFlowReturn
enter (GstHoloInput *input)
{
  GstHoloRun *run = input->run;
  GstFlowReturn flow;

  for (;;)
    {
      g_atomic_int_inc (&run->n_users);
      if (G_LIKELY (g_atomic_int_get (&input->gate) == 0))
        return GST_FLOW_OK;
      gst_holo_input_leave (input);
      g_mutex_lock (&run->lock);
      flow = gst_holo_input_check_locked (input);
      if (flow == GST_FLOW_OK && run->scheduler == NULL)
        flow = GST_FLOW_NOT_NEGOTIATED;
      g_mutex_unlock (&run->lock);
      if (flow != GST_FLOW_OK)
        return flow;
    }
}

/* ---- frames ---- */

/* A frame in the layout that the plan was made for: one copy when it comes in another. */
static gboolean
bring_into_layout (GstHoloInput *input, HoloFrame *frame, GError **error)
{
  HoloFrame copy;

  gst_holo_element_log_copy (input->host, holo_tensor_desc_get_payload (&input->layout),
                             "its rows lie otherwise than the graph was compiled for");
  if (frame->desc.mem_loc == HOLO_MEM_LOC_DEVICE)
    return gst_holo_input_pack_on_device (input, frame, error);
  if (!holo_frame_init_alloc (&copy, &input->layout, error))
    return FALSE;
  input->n_packed++;
  holo_tensor_copy_elements (holo_frame_get_data (&copy), &copy.desc, holo_frame_get_data (frame), &frame->desc);
  copy.stamp = frame->stamp;
  holo_frame_clear (frame);
  *frame = copy;
  return TRUE;
}

static gboolean
make_frame (GstHoloInput *input, GstBuffer *buffer, HoloFrame *frame, GError **error)
{
  if (!gst_holo_frame_from_buffer (frame, buffer, &input->info, FALSE, error))
    return FALSE;
  if (G_UNLIKELY (!gst_holo_input_check_place (input, frame, error)))
    {
      holo_frame_clear (frame);
      return FALSE;
    }
  frame->stamp.seq = frame->stamp.first = frame->stamp.last = input->next++;
  return TRUE;
}

/* Takes @buffer. */
static GstFlowReturn
prepare_frame (GstHoloInput *input, GstBuffer *buffer, HoloFrame *frame)
{
  g_autoptr (GError) error = NULL;
  GstFlowReturn flow;

  if (!input->has_info)
    {
      gst_buffer_unref (buffer);
      return GST_FLOW_NOT_NEGOTIATED;
    }
  gst_holo_input_keep_metas (input, buffer, input->next);
  if (G_LIKELY (make_frame (input, buffer, frame, &error)))
    return GST_FLOW_OK;
  g_prefix_error (&error, "input \"%s\": ", input->name);
  gst_holo_run_fail (input->run, error);
  g_mutex_lock (&input->run->lock);
  flow = gst_holo_input_check_locked (input);
  g_mutex_unlock (&input->run->lock);
  return flow == GST_FLOW_OK ? GST_FLOW_ERROR : flow;
}

/* Gives one frame to the scheduler, whose section is driven if that completes what it needs. The block of
 * @frame is gone if it was taken. */
HoloOpResult
gst_holo_input_push_frame (GstHoloInput *input, HoloFrame *frame)
{
  g_autoptr (GError) error = NULL;
  HoloOpResult result = HOLO_OP_ERROR;

  if (G_UNLIKELY (!g_atomic_int_get (&input->run->fed)))
    g_atomic_int_set (&input->run->fed, TRUE);
  if (G_LIKELY (gst_holo_same_layout (&frame->desc, &input->layout)) || bring_into_layout (input, frame, &error))
    result = holo_end_push (input->end, frame, NULL, &error);
  if (G_UNLIKELY (result == HOLO_OP_ERROR))
    gst_holo_run_fail (input->run, error);
  else if (G_LIKELY (result == HOLO_OP_OK || result == HOLO_OP_EOF) && input->direct != NULL)
    gst_holo_output_push_next (input->direct);
  return result;
}

/* ---- chain ---- */

/* After an interruption that was not meant for this input (a restart, a flush of another one): keep the frame
 * and go on. */
static gboolean
shall_retry (GstHoloInput *input, HoloOpResult result, HoloFrame *frame)
{
  gboolean retry;

  if (G_LIKELY (!gst_holo_is_interruption (result)) || frame->block == NULL)
    return FALSE;
  g_mutex_lock (&input->run->lock);
  retry = input->run->active && !input->flushing;
  g_mutex_unlock (&input->run->lock);
  return retry;
}

static GstFlowReturn
flow_of (GstHoloInput *input, HoloOpResult result)
{
  gboolean stopped;

  if (G_LIKELY (result == HOLO_OP_OK))
    return gst_holo_input_combine_flows (input);
  if (result == HOLO_OP_ERROR)
    return GST_FLOW_ERROR;
  if (result == HOLO_OP_EOF)
    return GST_FLOW_EOS;
  g_mutex_lock (&input->run->lock);
  stopped = input->flushing || !input->run->active;
  g_mutex_unlock (&input->run->lock);
  return stopped ? GST_FLOW_FLUSHING : GST_FLOW_OK;
}

/* Exchanges the plan for one that takes @layout, after leaving the scheduler. FALSE when frames are packed. */
static gboolean
adopt_layout (GstHoloInput *input, const HoloTensorDesc *layout)
{
  g_autofree HoloTensorDesc *layouts = gst_holo_run_copy_layouts (input->run);

  layouts[0] = *layout;
  if (!gst_holo_run_takes_layouts (input->run, layouts))
    return FALSE;
  gst_holo_input_leave (input);
  gst_holo_run_adopt_layouts (input->run, input, layouts);
  return TRUE;
}

static GstFlowReturn
chain_alone (GstHoloInput *input, GstBuffer *buffer)
{
  HoloFrame frame = HOLO_FRAME_INIT;
  HoloOpResult result;
  GstFlowReturn flow;

  do
    {
      flow = enter (input);
      if (G_LIKELY (flow == GST_FLOW_OK) && buffer != NULL)
        {
          flow = prepare_frame (input, g_steal_pointer (&buffer), &frame);
          if (G_UNLIKELY (flow != GST_FLOW_OK))
            gst_holo_input_leave (input);
        }
      if (G_UNLIKELY (flow != GST_FLOW_OK))
        {
          gst_clear_buffer (&buffer);
          holo_frame_clear (&frame);
          return flow;
        }
      if (G_UNLIKELY (!gst_holo_same_layout (&frame.desc, &input->layout)) && adopt_layout (input, &frame.desc))
        {
          result = HOLO_OP_FLUSHED; /* once more, with the new plan */
          continue;
        }
      result = gst_holo_input_push_frame (input, &frame);
      gst_holo_input_leave (input);
    }
  while (G_UNLIKELY (shall_retry (input, result, &frame)));
  if (G_UNLIKELY (frame.block != NULL))
    holo_frame_clear (&frame);
  return flow_of (input, result);
}

static GstFlowReturn
chain_together (GstHoloInput *input, GstBuffer *buffer)
{
  HoloFrame frame;
  GstFlowReturn flow;

  g_mutex_lock (&input->run->lock);
  flow = gst_holo_input_check_locked (input);
  g_mutex_unlock (&input->run->lock);
  if (flow != GST_FLOW_OK)
    {
      gst_buffer_unref (buffer);
      return flow;
    }
  flow = prepare_frame (input, buffer, &frame);
  return flow == GST_FLOW_OK ? gst_holo_input_put_into_slot (input, &frame) : flow;
}

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstHoloInput *input = gst_holo_pad_get_input (pad);

  if (G_UNLIKELY (input == NULL))
    {
      gst_buffer_unref (buffer);
      return GST_FLOW_NOT_NEGOTIATED;
    }
  gst_holo_preroll_wait (gst_holo_host_get_preroll (input->host), input);
  return G_LIKELY (input->group == NULL) ? chain_alone (input, buffer) : chain_together (input, buffer);
}

/* ---- pads ---- */

static gboolean
activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstHoloInput *input = gst_holo_pad_get_input (pad);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active || input == NULL)
    return TRUE;
  /* Whoever waits in chain must leave, or the pad cannot be deactivated. */
  g_mutex_lock (&input->run->lock);
  input->flushing = TRUE;
  gst_holo_run_update_gates (input->run);
  g_mutex_unlock (&input->run->lock);
  gst_holo_preroll_wake (gst_holo_host_get_preroll (input->host));
  gst_holo_run_flush_start (input->run, input);
  return TRUE;
}

void
gst_holo_pad_setup_sink (GstPad *pad)
{
  gst_pad_set_chain_function (pad, chain);
  gst_pad_set_event_full_function (pad, gst_holo_input_event);
  gst_pad_set_query_function (pad, gst_holo_input_query);
  gst_pad_set_activatemode_function (pad, activate_mode);
  gst_pad_set_iterate_internal_links_function (pad, gst_holo_host_iterate_links);
  GST_PAD_SET_ACCEPT_INTERSECT (pad);
  GST_PAD_SET_ACCEPT_TEMPLATE (pad);
}
