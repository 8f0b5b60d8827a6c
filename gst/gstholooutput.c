/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Source pads of the host: frames out of Outputs, and what travels beside them. */
#include "gstholohost-private.h"
#include "gstholomessage.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

/* ---- making ---- */

GstHoloOutput *
gst_holo_output_new (GstHoloRun *run, const gchar *name)
{
  GstHoloOutput *output = g_new0 (GstHoloOutput, 1);

  output->run = run;
  output->host = run->host;
  output->name = g_strdup (name);
  output->inputs = g_ptr_array_new ();
  g_queue_init (&output->items);
  return output;
}

static void
free_item (GstHoloItem *item)
{
  gst_event_unref (item->event);
  g_free (item);
}

void
gst_holo_output_free (GstHoloOutput *output)
{
  gst_holo_output_reset (output, FALSE);
  gst_holo_output_clear_pool (output);
  gst_holo_packer_clear (&output->packer);
  gst_holo_output_set_pad (output, NULL);
  gst_clear_object (&output->push_pad);
  gst_clear_caps (&output->caps);
  g_ptr_array_unref (output->inputs);
  g_free (output->name);
  g_free (output);
}

void
gst_holo_output_set_pad (GstHoloOutput *output, GstPad *pad)
{
  GstPad *old;

  g_mutex_lock (&output->run->lock);
  old = output->pad;
  output->pad = pad != NULL ? gst_object_ref (pad) : NULL;
  g_atomic_int_inc (&output->pad_serial);
  g_atomic_int_set (&output->flow, pad != NULL ? GST_FLOW_OK : GST_FLOW_NOT_LINKED);
  g_mutex_unlock (&output->run->lock);
  gst_clear_object (&old);
}

/* The two halves of a bargain: who brings an event first puts it into the list and then looks here; who
 * pushes first writes here and then looks at the list. One of them sees the other. */
guint64
gst_holo_output_get_left (GstHoloOutput *output)
{
  return __atomic_load_n (&output->left, __ATOMIC_SEQ_CST);
}

void
gst_holo_output_set_left (GstHoloOutput *output, guint64 number)
{
  if (number > __atomic_load_n (&output->left, __ATOMIC_RELAXED))
    __atomic_store_n (&output->left, number, __ATOMIC_SEQ_CST);
}

/* (transfer full) (nullable) */
GstPad *
gst_holo_output_ref_pad (GstHoloOutput *output)
{
  GstPad *pad;

  g_mutex_lock (&output->run->lock);
  pad = output->pad != NULL ? gst_object_ref (output->pad) : NULL;
  g_mutex_unlock (&output->run->lock);
  return pad;
}

gboolean
gst_holo_output_push_event (GstHoloOutput *output, GstEvent *event)
{
  GstPad *pad = gst_holo_output_ref_pad (output);
  gboolean ok = FALSE;

  if (pad == NULL)
    gst_event_unref (event);
  else
    {
      ok = gst_pad_push_event (pad, event);
      gst_object_unref (pad);
    }
  return ok;
}

gboolean
gst_holo_output_peer_query (GstHoloOutput *output, GstQuery *query)
{
  GstPad *pad = gst_holo_output_ref_pad (output);
  gboolean ok = FALSE;

  if (pad != NULL)
    {
      ok = gst_pad_peer_query (pad, query);
      gst_object_unref (pad);
    }
  return ok;
}

/* ---- caps and what must come before a frame ---- */

static void
post_caps_refused (GstHoloOutput *output, GstPad *pad, GstCaps *caps)
{
  GstCaps *peer = gst_pad_peer_query_caps (pad, NULL);
  g_autofree gchar *have = gst_caps_to_string (caps);
  g_autofree gchar *want = gst_caps_to_string (peer);

  gst_caps_unref (peer);
  GST_ELEMENT_ERROR (output->host, CORE, NEGOTIATION,
                     ("Output \"%s\" gives %s, but downstream takes %s", output->name, have, want), (NULL));
}

static gboolean
send_caps (GstHoloOutput *output, GstPad *pad)
{
  GstCaps *caps, *allowed;
  gboolean ok;

  g_mutex_lock (&output->run->lock);
  caps = g_steal_pointer (&output->caps);
  g_mutex_unlock (&output->run->lock);
  if (caps == NULL)
    return TRUE;
  allowed = gst_pad_peer_query_caps (pad, caps);
  ok = !gst_caps_is_empty (allowed);
  gst_caps_unref (allowed);
  if (!ok)
    {
      post_caps_refused (output, pad, caps);
      g_atomic_int_set (&output->flow, GST_FLOW_NOT_NEGOTIATED);
      gst_holo_run_fail_flow (output->run, GST_FLOW_NOT_NEGOTIATED, NULL);
    }
  else if (gst_pad_push_event (pad, gst_event_new_caps (caps)))
    gst_holo_output_negotiate_memory (output, pad, caps);
  gst_caps_unref (caps);
  return ok;
}

/* Outputs of graphs without Input, and streams whose upstream forgot. */
static void
ensure_stream_start (GstHoloOutput *output, GstPad *pad)
{
  g_autofree gchar *id = NULL;
  GstEvent *event;

  if (output->stream_started)
    return;
  output->stream_started = TRUE;
  id = gst_pad_create_stream_id (pad, GST_ELEMENT (output->host), output->name);
  event = gst_event_new_stream_start (id);
  gst_event_set_group_id (event, gst_util_group_id_next ());
  gst_pad_push_event (pad, event);
}

static gboolean
ensure_caps (GstHoloOutput *output, GstPad *pad)
{
  if (G_LIKELY (output->caps == NULL))
    return TRUE;
  ensure_stream_start (output, pad);
  return send_caps (output, pad);
}

static void
ensure_segment (GstHoloOutput *output, GstPad *pad)
{
  GstSegment segment;

  if (G_LIKELY (output->segment_sent))
    return;
  output->segment_sent = TRUE;
  if (output->segment != NULL)
    {
      gst_pad_push_event (pad, gst_event_ref (output->segment));
      return;
    }
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
}

/* Caps do not say where the elements lie. */
static gboolean
have_same_caps (const HoloTensorDesc *a, const HoloTensorDesc *b)
{
  return a->dtype == b->dtype && a->mem_loc == b->mem_loc && holo_tensor_desc_same_shape (a, b) &&
         a->rate_n == b->rate_n && a->rate_d == b->rate_d;
}

/* The tensors that will come out: announced in caps before the next frame. */
void
gst_holo_output_set_desc (GstHoloOutput *output, const HoloTensorDesc *desc)
{
  g_autoptr (GError) error = NULL;
  GstCaps *caps;

  if (G_LIKELY (output->has_desc) && G_LIKELY (have_same_caps (&output->desc, desc)))
    return;
  caps = gst_holo_caps_from_desc (desc, &error);
  if (caps == NULL)
    {
      gst_holo_run_fail (output->run, error);
      return;
    }
  g_mutex_lock (&output->run->lock); /* a query may ask */
  output->desc = *desc;
  output->has_desc = TRUE;
  gst_caps_take (&output->caps, caps);
  g_mutex_unlock (&output->run->lock);
}

/* ---- events ---- */

/* Keeps @event (taken) for the place before frame @number. Any thread. */
void
gst_holo_output_queue_event (GstHoloOutput *output, guint64 number, GstEvent *event)
{
  GstHoloItem *item = g_new (GstHoloItem, 1);

  item->number = number;
  item->event = event;
  g_mutex_lock (&output->run->lock);
  g_queue_push_tail (&output->items, item);
  g_atomic_int_inc (&output->n_items);
  if (output->driver != NULL && gst_holo_output_get_left (output) >= number)
    gst_holo_driver_wake (output->driver);
  g_mutex_unlock (&output->run->lock);
}

static GstHoloItem *
take_due (GstHoloOutput *output, guint64 number)
{
  GstHoloItem *item;

  g_mutex_lock (&output->run->lock);
  item = g_queue_peek_head (&output->items);
  if (item != NULL && item->number <= number)
    {
      g_queue_pop_head (&output->items);
      g_atomic_int_add (&output->n_items, -1);
    }
  else
    item = NULL;
  g_mutex_unlock (&output->run->lock);
  return item;
}

/* Before the caps are known only the start of the stream may go out: sticky events have an order. */
static gboolean
must_wait_for_caps (GstHoloOutput *output)
{
  GstHoloItem *item;
  gboolean wait;

  if (output->has_desc)
    return FALSE;
  g_mutex_lock (&output->run->lock);
  item = g_queue_peek_head (&output->items);
  wait = item != NULL && GST_EVENT_TYPE (item->event) != GST_EVENT_STREAM_START;
  g_mutex_unlock (&output->run->lock);
  return wait;
}

static void
send_item (GstHoloOutput *output, GstPad *pad, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    output->stream_started = TRUE;
  else
    ensure_caps (output, pad);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    {
      output->segment_sent = TRUE;
      gst_event_replace (&output->segment, event);
    }
  gst_pad_push_event (pad, gst_event_ref (event));
}

/* Sends what waits for the place before frame @number, in order. Pushing thread. */
void
gst_holo_output_send_due (GstHoloOutput *output, guint64 number)
{
  GstHoloItem *item;
  GstPad *pad;

  if (number != G_MAXUINT64 && must_wait_for_caps (output))
    return;
  pad = gst_holo_output_ref_pad (output);
  while ((item = take_due (output, number)) != NULL)
    {
      if (pad != NULL)
        send_item (output, pad, item->event);
      free_item (item);
      if (number != G_MAXUINT64 && must_wait_for_caps (output))
        break;
    }
  gst_clear_object (&pad);
}

void
gst_holo_output_send_eos (GstHoloOutput *output)
{
  GstPad *pad;

  if (!g_atomic_int_compare_and_exchange (&output->eos_sent, FALSE, TRUE))
    return;
  pad = gst_holo_output_ref_pad (output);
  if (pad == NULL)
    return;
  ensure_stream_start (output, pad);
  if (!output->run->failed)
    {
      ensure_caps (output, pad);
      ensure_segment (output, pad);
    }
  gst_pad_push_event (pad, gst_event_new_eos ());
  gst_object_unref (pad);
}

/* Downstream was flushed: it has forgotten its segment and the end, and takes frames again. */
void
gst_holo_output_flushed (GstHoloOutput *output)
{
  output->segment_sent = FALSE;
  g_atomic_int_set (&output->eos_sent, FALSE);
  g_mutex_lock (&output->run->lock);
  g_atomic_int_set (&output->flow, output->pad != NULL ? GST_FLOW_OK : GST_FLOW_NOT_LINKED);
  g_mutex_unlock (&output->run->lock);
}

/* After the leader's stream was flushed, or at the end of all: drops what waits. Sticky events of a flushed stream stay
 * known to the pad, except where that stream was and that it ended. */
void
gst_holo_output_reset (GstHoloOutput *output, gboolean keep_sticky)
{
  GstPad *pad = keep_sticky ? gst_holo_output_ref_pad (output) : NULL;
  GstHoloItem *item;

  while ((item = take_due (output, G_MAXUINT64)) != NULL)
    {
      GstEventType type = GST_EVENT_TYPE (item->event);

      if (pad != NULL && GST_EVENT_IS_STICKY (item->event) && type != GST_EVENT_SEGMENT && type != GST_EVENT_EOS)
        {
          gst_pad_store_sticky_event (pad, item->event);
          output->stream_started |= type == GST_EVENT_STREAM_START;
        }
      free_item (item);
    }
  gst_clear_object (&pad);
  gst_clear_event (&output->segment);
  gst_holo_output_flushed (output);
}

/* ---- frames ---- */

static GstBuffer *
make_buffer (GstHoloOutput *output, HoloFrame *frame)
{
  guint64 first = frame->stamp.first, last = frame->stamp.last;
  g_autoptr (GError) error = NULL;
  GstBuffer *buffer;

  if (frame->desc.mem_loc == HOLO_MEM_LOC_HOST && !output->takes_meta &&
      G_UNLIKELY (!holo_tensor_desc_is_dense (&frame->desc)))
    {
      output->n_packed++;
      gst_holo_element_log_copy (output->host, holo_tensor_desc_get_payload (&frame->desc),
                                 "it is not dense and the next element takes no strides");
    }
  if (frame->desc.mem_loc == HOLO_MEM_LOC_DEVICE && !gst_holo_output_make_leavable (output, frame, &error))
    buffer = NULL;
  else
    buffer = gst_holo_buffer_new_from_frame (frame, output->takes_meta, &error);
  if (G_UNLIKELY (buffer == NULL))
    {
      gst_holo_run_fail (output->run, error);
      return NULL;
    }
  if (output->leader != NULL && G_UNLIKELY (!g_queue_is_empty (&output->leader->metas)))
    buffer = gst_holo_input_copy_metas (output->leader, first, last, buffer);
  return buffer;
}

/* What a push gave decides what follows: a flush drops the frame, an end or a missing peer concerns this
 * output alone, anything else the whole run. */
static void
take_flow (GstHoloOutput *output, GstFlowReturn flow)
{
  g_atomic_int_set (&output->flow, flow);
  if (G_LIKELY (flow >= GST_FLOW_OK) || flow == GST_FLOW_FLUSHING || flow == GST_FLOW_EOS ||
      flow == GST_FLOW_NOT_LINKED)
    return;
  gst_holo_run_fail_flow (output->run, flow, NULL);
}

/* The pad of this moment, without a lock for each frame. A pad that went away meanwhile is flushing: pushing
 * is harmless. */
static GstPad *
get_push_pad (GstHoloOutput *output)
{
  gint serial = g_atomic_int_get (&output->pad_serial);

  if (G_UNLIKELY (serial != output->push_serial))
    {
      gst_clear_object (&output->push_pad);
      output->push_pad = gst_holo_output_ref_pad (output);
      output->push_serial = serial;
    }
  return output->push_pad;
}

/* Device work goes on; who knows no fences must not see memory before it has ended. */
static void
push_buffer (GstHoloOutput *output, GstPad *pad, GstBuffer *buffer)
{
  g_autoptr (GError) error = NULL;

  if (output->desc.mem_loc == HOLO_MEM_LOC_DEVICE && !output->takes_fences &&
      !gst_holo_output_settle (output, buffer, &error))
    {
      gst_buffer_unref (buffer);
      gst_holo_run_fail (output->run, error);
      return;
    }
  take_flow (output, gst_pad_push (pad, buffer));
}

static void
push (GstHoloOutput *output, HoloFrame *frame)
{
  guint64 first = frame->stamp.first, next = (output->overlaps ? first : frame->stamp.last) + 1;
  GstBuffer *buffer;
  GstPad *pad;

  if (G_UNLIKELY (g_atomic_int_get (&output->n_items) > 0))
    gst_holo_output_send_due (output, first);
  if (G_UNLIKELY (g_atomic_int_get (&output->flow) == GST_FLOW_EOS))
    {
      holo_frame_clear (frame);
      gst_holo_output_set_left (output, next);
      return;
    }
  gst_holo_output_set_desc (output, &frame->desc);
  buffer = make_buffer (output, frame);
  if (buffer == NULL)
    return;
  gst_holo_output_set_left (output, next);
  pad = get_push_pad (output);
  if (pad == NULL)
    {
      gst_buffer_unref (buffer);
      return;
    }
  ensure_stream_start (output, pad);
  if (ensure_caps (output, pad))
    {
      ensure_segment (output, pad);
      if (G_UNLIKELY (g_atomic_int_compare_and_exchange (&output->reconfigure, TRUE, FALSE)))
        gst_holo_output_renegotiate_memory (output, pad);
      push_buffer (output, pad, buffer);
    }
  else
    gst_buffer_unref (buffer);
  if (G_UNLIKELY (g_atomic_int_get (&output->n_items) > 0))
    gst_holo_output_send_due (output, gst_holo_output_get_left (output));
}

/* Pushes the frame that the last iteration gave, if it gave one; sends the end of stream when that was
 * reached. */
GstFlowReturn
gst_holo_output_push_next (GstHoloOutput *output)
{
  GstHoloRun *run = output->run;
  g_autoptr (GError) error = NULL;
  HoloFrame frame;
  gboolean draining;

  switch (holo_end_try_pull (output->end, &frame, &error))
    {
    case HOLO_OP_OK:
      push (output, &frame);
      break;
    case HOLO_OP_EOF:
      gst_holo_output_send_due (output, G_MAXUINT64);
      g_mutex_lock (&run->lock);
      draining = run->draining;
      g_mutex_unlock (&run->lock);
      if (!draining)
        gst_holo_output_send_eos (output);
      break;
    case HOLO_OP_ERROR:
      gst_holo_run_fail (run, error);
      break;
    default:
      break;
    }
  return g_atomic_int_get (&output->flow);
}

/* ---- events and queries from downstream ---- */

/* One flush for the outputs although every input is flushed in turn. */
static gboolean
seek (GstHoloOutput *output, GstPad *pad, GstObject *parent, GstEvent *event)
{
  gboolean ok;

  gst_event_ref (event);
  gst_holo_run_begin_seek (output->run, output->inputs, event);
  ok = gst_pad_event_default (pad, parent, event);
  gst_holo_run_end_seek (output->run, output->inputs, event);
  gst_event_unref (event);
  return ok;
}

static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  g_autoptr (GPtrArray) runs = NULL;
  GstHoloOutput *output = gst_holo_pad_ref_output (pad, parent, &runs);

  if (output == NULL)
    return gst_pad_event_default (pad, parent, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    return seek (output, pad, parent, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE)
    {
      /* Whoever is new downstream takes frames again, and may know another pool (the pad keeps that in mind).
       */
      g_atomic_int_compare_and_exchange (&output->flow, GST_FLOW_NOT_LINKED, GST_FLOW_OK);
      g_atomic_int_set (&output->reconfigure, TRUE);
    }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
query_caps (GstHoloOutput *output, GstPad *pad, GstQuery *query)
{
  GstCaps *filter, *caps = NULL;
  gboolean has_desc = FALSE;
  HoloTensorDesc desc;

  if (output != NULL)
    {
      g_mutex_lock (&output->run->lock);
      has_desc = output->has_desc;
      desc = output->desc;
      g_mutex_unlock (&output->run->lock);
    }
  if (has_desc)
    caps = gst_holo_caps_from_desc (&desc, NULL);
  if (caps == NULL)
    caps = gst_pad_get_pad_template_caps (pad);
  gst_query_parse_caps (query, &filter);
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

static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  g_autoptr (GPtrArray) runs = NULL;
  GstHoloOutput *output = gst_holo_pad_ref_output (pad, parent, &runs);

  switch (GST_QUERY_TYPE (query))
    {
    case GST_QUERY_LATENCY:
      return output != NULL && gst_holo_output_query_latency (output, query);
    case GST_QUERY_CAPS:
      return query_caps (output, pad, query);
    case GST_QUERY_CONTEXT:
      return gst_holo_place_answer_context (gst_holo_host_get_place (GST_HOLO_HOST (parent)), query) ||
             gst_pad_query_default (pad, parent, query);
    default:
      return gst_pad_query_default (pad, parent, query);
    }
}

static gboolean
activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  return mode == GST_PAD_MODE_PUSH;
}

void
gst_holo_pad_setup_src (GstPad *pad)
{
  gst_pad_set_event_function (pad, src_event);
  gst_pad_set_query_function (pad, src_query);
  gst_pad_set_activatemode_function (pad, activate_mode);
  gst_pad_set_iterate_internal_links_function (pad, gst_holo_host_iterate_links);
}
