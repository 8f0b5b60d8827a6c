/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Graphs that end in the element itself (in a file, say) make it a sink: it is PAUSED once a first frame is there,
 * holds that until PLAYING, and tells the application when all has ended. The rules, and the order of messages and
 * states, are those of GstBaseSink.
 *
 * Part of a graph        its frames in PAUSED           the element
 * Input ... Output       go on, and the sink behind     no sink
 *                        holds them
 * Input ... sink         the first one waits here       sink; PAUSED is reached with it
 * Input ... both         as in the first line           sink, for the end alone
 * source ... Output      as in the first line           source
 * source ... sink        none is made                   source and sink
 */
#include "gstholopreroll.h"

#include "gstholohost-private.h"
#include "gstholotopology.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

void
gst_holo_preroll_init (GstHoloPreroll *preroll, GstHoloHost *host)
{
  preroll->host = host;
  g_mutex_init (&preroll->lock);
  g_cond_init (&preroll->cond);
}

void
gst_holo_preroll_clear (GstHoloPreroll *preroll)
{
  g_mutex_clear (&preroll->lock);
  g_cond_clear (&preroll->cond);
}

/* ---- roles ---- */

static void
set_flag (GstHoloHost *host, guint flag, gboolean set)
{
  GST_OBJECT_LOCK (host);
  if (set)
    GST_OBJECT_FLAG_SET (host, flag);
  else
    GST_OBJECT_FLAG_UNSET (host, flag);
  GST_OBJECT_UNLOCK (host);
}

/* What bins must know of the element: as soon as @graph (nullable) is set, since they look when it is added. */
void
gst_holo_host_set_roles (GstHoloHost *host, HoloGraph *graph)
{
  gboolean has_input = graph == NULL;

  for (guint i = 0; graph != NULL && i < holo_graph_get_n_nodes (graph); i++)
    has_input |= gst_holo_graph_is_input (graph, i);
  set_flag (host, GST_ELEMENT_FLAG_SOURCE, !has_input);
  set_flag (host, GST_ELEMENT_FLAG_SINK, graph != NULL && gst_holo_graph_has_sink (graph));
}

/* Whether @run takes frames and gives none: then the first one waits for PLAYING here. */
static inline gboolean
prerolls (GstHoloRun *run)
{
  return run->inputs->len > 0 && run->outputs->len == 0;
}

static gboolean
has_prerolling_run (GstHoloPreroll *preroll)
{
  GPtrArray *runs = gst_holo_host_get_runs (preroll->host);

  for (guint i = 0; i < runs->len; i++)
    if (prerolls (g_ptr_array_index (runs, i)))
      return TRUE;
  return FALSE;
}

static gboolean
all_done (GstHoloPreroll *preroll)
{
  GPtrArray *runs = gst_holo_host_get_runs (preroll->host);
  gboolean any = FALSE;

  for (guint i = 0; i < runs->len; i++)
    {
      GstHoloRun *run = g_ptr_array_index (runs, i);

      if (!run->is_sink)
        continue;
      any = TRUE;
      if (!g_atomic_int_get (&run->done))
        return FALSE;
    }
  return any;
}

/* ---- the end ---- */

/* With the lock. Only in PLAYING: until then it waits, as a frame does. */
static void
post_eos (GstHoloPreroll *preroll)
{
  GstMessage *message;

  if (preroll->holding || preroll->eos_posted || !all_done (preroll))
    return;
  preroll->eos_posted = TRUE;
  message = gst_message_new_eos (GST_OBJECT (preroll->host));
  if (preroll->eos_seqnum != 0)
    gst_message_set_seqnum (message, preroll->eos_seqnum);
  gst_element_post_message (GST_ELEMENT (preroll->host), message);
}

/* A part of the graph has ended, with all its files complete. @seqnum: of the event that ended it, or 0. */
void
gst_holo_preroll_end (GstHoloPreroll *preroll, guint32 seqnum)
{
  g_mutex_lock (&preroll->lock);
  if (seqnum != 0)
    preroll->eos_seqnum = seqnum;
  post_eos (preroll);
  g_mutex_unlock (&preroll->lock);
}

/* ---- waiting ---- */

static void
post_state (GstHoloHost *host, GstState from, GstState to, GstState pending)
{
  gst_element_post_message (GST_ELEMENT (host), gst_message_new_state_changed (GST_OBJECT (host), from, to, pending));
}

static void
post_async_done (GstHoloPreroll *preroll)
{
  GstClockTime time = preroll->reset_time ? 0 : GST_CLOCK_TIME_NONE;

  preroll->reset_time = FALSE;
  gst_element_post_message (GST_ELEMENT (preroll->host), gst_message_new_async_done (GST_OBJECT (preroll->host), time));
}

/* With the lock. Takes the state that the element was on its way to. gst_element_continue_state() would do it, but wants
 * the state lock, which somebody may hold who waits for this thread. */
static void
commit_state (GstHoloPreroll *preroll)
{
  GstElement *element = GST_ELEMENT (preroll->host);
  GstState current, next, pending;

  preroll->committed = TRUE;
  GST_OBJECT_LOCK (element);
  current = GST_STATE (element);
  next = GST_STATE_NEXT (element);
  pending = GST_STATE_PENDING (element);
  if (pending != GST_STATE_PAUSED && pending != GST_STATE_PLAYING)
    {
      GST_OBJECT_UNLOCK (element);
      return;
    }
  GST_STATE (element) = pending;
  GST_STATE_NEXT (element) = GST_STATE_PENDING (element) = GST_STATE_VOID_PENDING;
  GST_STATE_RETURN (element) = GST_STATE_CHANGE_SUCCESS;
  GST_OBJECT_UNLOCK (element);

  if (pending == GST_STATE_PLAYING)
    g_atomic_int_set (&preroll->holding, FALSE);
  if (pending == GST_STATE_PAUSED)
    post_state (preroll->host, current, next, GST_STATE_VOID_PENDING);
  else if (current == GST_STATE_READY)
    post_state (preroll->host, current, next, pending);
  post_async_done (preroll);
  if (pending == GST_STATE_PLAYING)
    {
      post_state (preroll->host, GST_STATE_PAUSED, pending, GST_STATE_VOID_PENDING);
      post_eos (preroll);
    }
  GST_STATE_BROADCAST (element);
}

/**
 * gst_holo_preroll_wait:
 * @preroll: of the input's element
 * @input: an input
 *
 * What every frame, gap and end of stream of a part without Output passes; also when it flushes, which the caller finds
 * out afterwards. Streaming thread, without locks.
 */
void
gst_holo_preroll_wait (GstHoloPreroll *preroll, GstHoloInput *input)
{
  if (G_LIKELY (!g_atomic_int_get (&preroll->holding)) || !prerolls (input->run))
    return;
  g_mutex_lock (&preroll->lock);
  preroll->n_waiting++;
  while (preroll->holding && gst_holo_input_is_wanted (input))
    if (!preroll->committed)
      commit_state (preroll);
    else
      g_cond_wait (&preroll->cond, &preroll->lock);
  preroll->n_waiting--;
  g_mutex_unlock (&preroll->lock);
}

/* Whoever waits looks again: an input flushes, or the run stops. */
void
gst_holo_preroll_wake (GstHoloPreroll *preroll)
{
  g_mutex_lock (&preroll->lock);
  g_cond_broadcast (&preroll->cond);
  g_mutex_unlock (&preroll->lock);
}

/* ---- flush ---- */

/* @input flushes: the state is to be reached anew. */
void
gst_holo_preroll_flush_start (GstHoloPreroll *preroll, GstHoloInput *input)
{
  if (!input->run->is_sink)
    return;
  g_mutex_lock (&preroll->lock);
  preroll->eos_posted = FALSE;
  g_cond_broadcast (&preroll->cond);
  if (prerolls (input->run))
    {
      g_atomic_int_set (&preroll->holding, TRUE);
      preroll->committed = FALSE;
      gst_element_lost_state (GST_ELEMENT (preroll->host));
    }
  g_mutex_unlock (&preroll->lock);
}

void
gst_holo_preroll_flush_stop (GstHoloPreroll *preroll, gboolean reset_time)
{
  g_mutex_lock (&preroll->lock);
  preroll->reset_time |= reset_time;
  g_mutex_unlock (&preroll->lock);
}

/* ---- states ---- */

/* With the lock. */
static GstStateChangeReturn
begin_async (GstHoloPreroll *preroll)
{
  preroll->committed = FALSE;
  gst_element_post_message (GST_ELEMENT (preroll->host), gst_message_new_async_start (GST_OBJECT (preroll->host)));
  return GST_STATE_CHANGE_ASYNC;
}

static gboolean
needs_preroll (GstHoloPreroll *preroll)
{
  return has_prerolling_run (preroll) && preroll->n_waiting == 0 && !all_done (preroll);
}

static GstStateChangeReturn
start_playing (GstHoloPreroll *preroll)
{
  if (needs_preroll (preroll))
    return begin_async (preroll);
  g_atomic_int_set (&preroll->holding, FALSE);
  post_eos (preroll);
  g_cond_broadcast (&preroll->cond);
  return GST_STATE_CHANGE_SUCCESS;
}

/* Before the parent class changes the state upwards. */
GstStateChangeReturn
gst_holo_preroll_go_up (GstHoloPreroll *preroll, GstStateChange transition)
{
  GstStateChangeReturn result = GST_STATE_CHANGE_SUCCESS;

  g_mutex_lock (&preroll->lock);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    {
      g_atomic_int_set (&preroll->holding, TRUE);
      preroll->committed = TRUE;
      preroll->eos_posted = preroll->reset_time = FALSE;
      preroll->eos_seqnum = 0;
      if (has_prerolling_run (preroll))
        result = begin_async (preroll);
    }
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    result = start_playing (preroll);
  g_mutex_unlock (&preroll->lock);
  return result;
}

/* After it has changed it downwards. */
GstStateChangeReturn
gst_holo_preroll_go_down (GstHoloPreroll *preroll, GstStateChange transition)
{
  GstStateChangeReturn result = GST_STATE_CHANGE_SUCCESS;

  g_mutex_lock (&preroll->lock);
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    {
      g_atomic_int_set (&preroll->holding, TRUE);
      /* Bins forget who has ended. */
      preroll->eos_posted = FALSE;
      if (needs_preroll (preroll))
        result = begin_async (preroll);
    }
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY && !preroll->committed)
    {
      preroll->committed = TRUE;
      post_async_done (preroll);
    }
  g_mutex_unlock (&preroll->lock);
  return result;
}
