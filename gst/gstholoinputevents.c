/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sink pads of the host: caps, events and queries. */
#include "gstholohost-private.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

/* ---- caps ---- */

static gboolean
compile_again (GstHoloInput *input, GError **error)
{
  GstHoloRun *run = input->run;

  if (!gst_holo_run_can_compile (run))
    return TRUE;
  return gst_holo_run_compile (run, error) && gst_holo_run_resume (run, error);
}

static gboolean
is_same_info (const GstHoloTensorInfo *a, const GstHoloTensorInfo *b)
{
  return holo_tensor_desc_equal (&a->desc, &b->desc) && a->size == b->size && a->is_video == b->is_video &&
         a->swap_bytes == b->swap_bytes && a->desc.rate_n == b->desc.rate_n && a->desc.rate_d == b->desc.rate_d;
}

/* New caps: what came before leaves first, then the graph is compiled for what comes. */
static gboolean
set_caps (GstHoloInput *input, GstCaps *caps)
{
  GstHoloRun *run = input->run;
  g_autoptr (GError) error = NULL;
  GstHoloTensorInfo info;
  gboolean ok;

  if (!gst_holo_tensor_info_from_caps_with_plane (&info, caps, gst_holo_host_get_plane (input->host), &error))
    {
      g_prefix_error (&error, "input \"%s\": ", input->name);
      gst_holo_run_fail_flow (run, GST_FLOW_NOT_NEGOTIATED, error);
      return FALSE;
    }
  if (input->has_info && is_same_info (&info, &input->info))
    {
      input->info = info;
      return TRUE;
    }
  if (!gst_holo_run_drain (run, input))
    return FALSE;
  input->info = info;
  input->has_info = TRUE;
  ok = compile_again (input, &error);
  gst_holo_run_open_gate (run);
  if (!ok)
    gst_holo_run_fail_flow (run, GST_FLOW_NOT_NEGOTIATED, error);
  else
    gst_holo_input_try_drive (input);
  return ok;
}

/* ---- serialized events ---- */

static gboolean
send_to_followers (GstHoloInput *input, GstEvent *event)
{
  for (guint i = 0; i < input->followers->len; i++)
    {
      GstHoloOutput *output = g_ptr_array_index (input->followers, i);

      gst_holo_output_queue_event (output, input->next, gst_event_ref (event));
      if (output == input->direct || output->driver == NULL)
        gst_holo_output_send_due (output, input->next);
    }
  gst_event_unref (event);
  return TRUE;
}

/* Several streams of one element need names of their own. */
static GstEvent *
make_stream_start (GstHoloOutput *output, GstEvent *event)
{
  const gchar *id;
  g_autofree gchar *own_id = NULL;
  GstStreamFlags flags;
  GstEvent *made;
  GstPad *pad;
  guint group;

  gst_event_parse_stream_start (event, &id);
  pad = gst_holo_output_ref_pad (output);
  if (pad == NULL)
    return gst_event_ref (event);
  own_id = g_strconcat (id, "/", output->name, NULL);
  made = gst_event_new_stream_start (own_id);
  gst_event_parse_stream_flags (event, &flags);
  gst_event_set_stream_flags (made, flags);
  if (gst_event_parse_group_id (event, &group))
    gst_event_set_group_id (made, group);
  gst_event_set_seqnum (made, gst_event_get_seqnum (event));
  gst_object_unref (pad);
  return made;
}

/* A stream after the end of another: the run starts anew once every ended input has a new stream. */
static void
revive (GstHoloInput *input)
{
  GstHoloRun *run = input->run;
  g_autoptr (GError) error = NULL;

  g_mutex_lock (&run->lock);
  if (!input->eos)
    {
      g_mutex_unlock (&run->lock);
      return;
    }
  input->eos = input->ended = FALSE;
  g_atomic_int_set (&run->done, FALSE);
  gst_holo_run_update_gates (run);
  for (guint i = 0; i < run->inputs->len; i++)
    if (((GstHoloInput *) g_ptr_array_index (run->inputs, i))->eos)
      {
        g_mutex_unlock (&run->lock);
        return;
      }
  g_mutex_unlock (&run->lock);
  for (guint i = 0; i < run->outputs->len; i++)
    {
      GstHoloOutput *output = g_ptr_array_index (run->outputs, i);

      g_atomic_int_set (&output->eos_sent, FALSE);
      g_atomic_int_set (&output->flow, GST_FLOW_OK);
    }
  if (run->scheduler != NULL && !gst_holo_run_restart (run, &error))
    gst_holo_run_fail (run, error);
}

static gboolean
start_stream (GstHoloInput *input, GstEvent *event)
{
  GstHoloRun *run = input->run;

  revive (input);
  if (run->inputs->len == 1 && run->outputs->len == 1 && gst_holo_host_get_runs (input->host)->len == 1)
    return send_to_followers (input, event);
  for (guint i = 0; i < input->followers->len; i++)
    {
      GstHoloOutput *output = g_ptr_array_index (input->followers, i);

      gst_holo_output_queue_event (output, input->next, make_stream_start (output, event));
      if (output->driver == NULL)
        gst_holo_output_send_due (output, input->next);
    }
  gst_event_unref (event);
  return TRUE;
}

/* Nothing will come out any more: the end goes on at once. */
static void
end_outputs (GstHoloInput *input)
{
  for (guint i = 0; i < input->outputs->len; i++)
    {
      GstHoloOutput *output = g_ptr_array_index (input->outputs, i);

      gst_holo_output_send_due (output, G_MAXUINT64);
      gst_holo_output_send_eos (output);
    }
}

/* Keeps the scheduler where it is for calls that are no frames; FALSE when there is none to call. */
static gboolean
begin_use (GstHoloInput *input)
{
  GstHoloRun *run = input->run;
  gboolean ok;

  g_mutex_lock (&run->lock);
  while (run->draining && run->active && !run->failed && !input->flushing)
    g_cond_wait (&run->cond, &run->lock);
  ok = run->active && !run->failed && !input->flushing && run->scheduler != NULL;
  if (ok)
    g_atomic_int_inc (&run->n_users);
  g_mutex_unlock (&run->lock);
  return ok;
}

/* No frame follows. What the graph still holds comes out first; the outputs then end themselves. */
gboolean
gst_holo_input_end (GstHoloInput *input)
{
  GstHoloRun *run = input->run;
  g_autoptr (GError) error = NULL;
  gboolean in_use = begin_use (input);

  g_mutex_lock (&run->lock);
  input->ended = TRUE;
  g_cond_broadcast (&run->cond);
  g_mutex_unlock (&run->lock);
  if (!in_use)
    {
      if (run->active && !input->flushing)
        end_outputs (input);
      gst_holo_run_check_end (run);
      return run->active && !input->flushing;
    }
  if (holo_end_push_end (input->end, &error) == HOLO_OP_ERROR)
    gst_holo_run_fail (run, error);
  if (input->direct != NULL)
    gst_holo_output_push_next (input->direct);
  gst_holo_input_leave (input);
  if (run->failed)
    end_outputs (input);
  gst_holo_run_check_end (run);
  return TRUE;
}

static gboolean
end_stream (GstHoloInput *input, GstEvent *event)
{
  GstHoloRun *run = input->run;
  gboolean first, wait;

  g_mutex_lock (&run->lock);
  input->eos_seqnum = gst_event_get_seqnum (event);
  gst_event_unref (event);
  first = !input->eos;
  /* A frame that still waits for its partners goes first: whoever drives that set then ends this input. */
  wait = input->group != NULL && (input->full || input->group->driving) && !run->failed;
  input->eos = TRUE;
  gst_holo_run_update_gates (run);
  g_mutex_unlock (&run->lock);
  if (wait)
    gst_holo_input_try_drive (input);
  return !first || wait || gst_holo_input_end (input);
}

static gboolean
serialized_event (GstHoloInput *input, GstEvent *event)
{
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event))
    {
    case GST_EVENT_STREAM_START:
      return start_stream (input, event);
    case GST_EVENT_CAPS:
      {
        gboolean ok;

        gst_event_parse_caps (event, &caps);
        ok = set_caps (input, caps);
        gst_event_unref (event);
        return ok;
      }
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment (event, &input->segment);
      return send_to_followers (input, event);
    case GST_EVENT_EOS:
      return end_stream (input, event);
    default:
      return send_to_followers (input, event);
    }
}

/* ---- events ---- */

static gboolean
forward (GstHoloInput *input, GstEvent *event)
{
  gboolean ok = input->outputs->len == 0;

  for (guint i = 0; i < input->outputs->len; i++)
    ok |= gst_holo_output_push_event (g_ptr_array_index (input->outputs, i), gst_event_ref (event));
  gst_event_unref (event);
  return ok;
}

GstFlowReturn
gst_holo_input_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstHoloInput *input = gst_holo_pad_get_input (pad);
  gboolean ok = FALSE;

  if (input == NULL)
    {
      gst_event_unref (event);
      return GST_FLOW_OK;
    }
  GST_LOG_OBJECT (pad, "event %" GST_PTR_FORMAT, event);
  switch (GST_EVENT_TYPE (event))
    {
    case GST_EVENT_FLUSH_START:
      gst_holo_input_flush_start (input, event);
      gst_event_unref (event);
      return GST_FLOW_OK;
    case GST_EVENT_FLUSH_STOP:
      ok = gst_holo_input_flush_stop (input, event);
      gst_event_unref (event);
      return ok ? GST_FLOW_OK : GST_FLOW_ERROR;
    default:
      break;
    }
  if (!GST_EVENT_IS_SERIALIZED (event))
    {
      forward (input, event);
      return GST_FLOW_OK;
    }
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS || GST_EVENT_TYPE (event) == GST_EVENT_GAP)
    gst_holo_preroll_wait (gst_holo_host_get_preroll (input->host), input);
  if (gst_holo_input_is_flushing (input))
    {
      gst_event_unref (event);
      return GST_FLOW_FLUSHING;
    }
  if (serialized_event (input, event))
    return GST_FLOW_OK;
  return input->run->failed ? input->run->failure : GST_FLOW_FLUSHING;
}

/* ---- queries ---- */

static gboolean
has_left (GstHoloInput *input)
{
  gboolean left = TRUE;

  g_mutex_lock (&input->run->lock);
  for (guint i = 0; i < input->followers->len; i++)
    left = left && gst_holo_output_get_left (g_ptr_array_index (input->followers, i)) >= input->next;
  g_mutex_unlock (&input->run->lock);
  return left && input->followers->len > 0;
}

/* Everything before the query leaves (or is discarded); then it goes on. */
static gboolean
answer_serialized (GstHoloInput *input, GstQuery *query)
{
  g_autoptr (GError) error = NULL;
  gboolean answered = GST_QUERY_TYPE (query) == GST_QUERY_DRAIN;

  if (!has_left (input))
    {
      if (!gst_holo_run_drain (input->run, input))
        return FALSE;
      if (input->run->scheduler != NULL && !gst_holo_run_resume (input->run, &error))
        gst_holo_run_fail (input->run, error);
      gst_holo_run_open_gate (input->run);
    }
  for (guint i = 0; i < input->followers->len; i++)
    {
      GstHoloOutput *output = g_ptr_array_index (input->followers, i);

      gst_holo_output_send_due (output, input->next);
      answered |= gst_holo_output_peer_query (output, query);
    }
  return answered;
}

gboolean
gst_holo_input_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  g_autoptr (GPtrArray) runs = NULL;
  GstHoloInput *input = gst_holo_pad_ref_input (pad, parent, &runs);

  switch (GST_QUERY_TYPE (query))
    {
    case GST_QUERY_CAPS:
      {
        GstCaps *filter, *caps;

        gst_query_parse_caps (query, &filter);
        caps = input != NULL ? gst_holo_input_get_caps (input) : gst_pad_get_pad_template_caps (pad);
        if (filter != NULL)
          {
            GstCaps *filtered = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);

            gst_caps_unref (caps);
            caps = filtered;
          }
        gst_query_set_caps_result (query, caps);
        gst_caps_unref (caps);
        return TRUE;
      }
    case GST_QUERY_ALLOCATION:
      return input != NULL && gst_holo_input_answer_allocation (input, query);
    case GST_QUERY_CONTEXT:
      return gst_holo_place_answer_context (gst_holo_host_get_place (GST_HOLO_HOST (parent)), query) ||
             gst_pad_query_default (pad, parent, query);
    default:
      if (input != NULL && GST_QUERY_IS_SERIALIZED (query))
        return answer_serialized (input, query);
      return gst_pad_query_default (pad, parent, query);
    }
}

/* Pads that take no video at all stay so: what is given here is cut by the template. */
static GstCaps *
make_own_caps (GstHoloInput *input, guint mem_locs, const HoloTensorDesc *desc)
{
  GstCaps *own = gst_caps_new_empty ();

  for (guint loc = HOLO_MEM_LOC_HOST; loc <= HOLO_MEM_LOC_DEVICE; loc++)
    {
      HoloTensorDesc there;
      GstCaps *caps;

      if ((mem_locs & HOLO_MEM_LOC_MASK (loc)) == 0)
        continue;
      if (desc == NULL)
        {
          gst_caps_append (own,
                           gst_holo_caps_new_template (HOLO_DTYPES_ALL, HOLO_MEM_LOC_MASK (loc), 0, HOLO_MAX_RANK));
          continue;
        }
      there = *desc;
      there.mem_loc = (HoloMemLoc) loc;
      caps = gst_holo_caps_from_desc (&there, NULL);
      if (caps == NULL)
        continue;
      gst_structure_remove_field (gst_caps_get_structure (caps, 0), "framerate");
      gst_caps_append (own, caps);
    }
  gst_caps_append (own, gst_holo_caps_new_video_template_full (mem_locs, gst_holo_host_get_plane (input->host)));
  return own;
}

/* What the pad's template takes, narrowed by what the Input itself asks for, and by the places that the graph
 * takes. */
GstCaps *
gst_holo_input_get_caps (GstHoloInput *input)
{
  g_autoptr (GstCaps) template = NULL, own = NULL;
  guint mem_locs = HOLO_MEM_LOCS_HOST;
  gboolean has_desc;
  HoloTensorDesc desc;
  GstPad *pad;

  g_mutex_lock (&input->run->lock);
  pad = input->pad != NULL ? gst_object_ref (input->pad) : NULL;
  g_mutex_unlock (&input->run->lock);
  if (pad == NULL)
    return gst_caps_new_any ();
  template = gst_pad_get_pad_template_caps (pad);
  gst_object_unref (pad);
  if (gst_holo_run_takes_device_memory (input->run, input))
    mem_locs |= HOLO_MEM_LOCS_DEVICE;
  has_desc = gst_holo_run_get_input_desc (input->run, input, &desc);
  own = make_own_caps (input, mem_locs, has_desc ? &desc : NULL);
  return gst_caps_intersect_full (own, template, GST_CAPS_INTERSECT_FIRST);
}
