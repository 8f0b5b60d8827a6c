/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flushes of the host's inputs, and seeks that flush several of them. */
#include "gstholohost-private.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

/* FLUSH_START goes on once per output, whichever of its inputs comes first. */
static void
forward_flush_start (GstHoloInput *input, GstEvent *event)
{
  GstHoloRun *run = input->run;

  for (guint i = 0; i < input->outputs->len; i++)
    {
      GstHoloOutput *output = g_ptr_array_index (input->outputs, i);
      gboolean first;

      g_mutex_lock (&run->lock);
      first = output->n_flushing++ == 0 && !output->flush_held;
      g_mutex_unlock (&run->lock);
      if (first)
        gst_holo_output_push_event (output, gst_event_ref (event));
    }
}

/* From any thread. Returns when nobody works on what came from @input. */
void
gst_holo_input_flush_start (GstHoloInput *input, GstEvent *event)
{
  GstHoloRun *run = input->run;
  g_autoptr (GPtrArray) drivers = NULL;

  if (gst_holo_input_is_flushing (input))
    return;
  forward_flush_start (input, event);
  g_mutex_lock (&run->lock);
  input->flushing = TRUE;
  gst_holo_run_update_gates (run);
  g_mutex_unlock (&run->lock);
  gst_holo_preroll_flush_start (gst_holo_host_get_preroll (input->host), input);
  gst_holo_run_flush_start (run, input);
  drivers = gst_holo_run_list_drivers (run);
  for (guint i = 0; i < drivers->len; i++)
    {
      GstHoloDriver *driver = g_ptr_array_index (drivers, i);

      if (g_ptr_array_find (driver->inputs, input, NULL))
        gst_holo_driver_wait_idle (driver);
    }
}

/* With the run's lock. Whether one of @inputs will be flushed by a seek, but was not yet. */
static gboolean
any_awaits_flush (GPtrArray *inputs)
{
  for (guint i = 0; i < inputs->len; i++)
    if (((GstHoloInput *) g_ptr_array_index (inputs, i))->awaited)
      return TRUE;
  return FALSE;
}

static void
forward_flush_stop (GstHoloInput *input, GstEvent *event)
{
  GstHoloRun *run = input->run;

  for (guint i = 0; i < input->outputs->len; i++)
    {
      GstHoloOutput *output = g_ptr_array_index (input->outputs, i);
      gboolean last;

      g_mutex_lock (&run->lock);
      output->n_flushing -= output->n_flushing > 0;
      output->flush_held = any_awaits_flush (output->inputs);
      last = output->n_flushing == 0 && !output->flush_held;
      g_mutex_unlock (&run->lock);
      if (output->leader == input)
        gst_holo_output_set_left (output, input->next);
      if (last)
        gst_holo_output_push_event (output, gst_event_ref (event));
      if (output->leader == input)
        gst_holo_output_reset (output, TRUE);
      else
        gst_holo_output_flushed (output);
    }
}

static gboolean
restart_flushed (GstHoloInput *input, GError **error)
{
  g_autoptr (HoloScheduler) scheduler = NULL;
  g_autoptr (HoloEnd) end = NULL;

  if (!gst_holo_run_restart (input->run, error))
    return FALSE;
  scheduler = gst_holo_input_ref_scheduler (input, &end);
  return scheduler == NULL || holo_scheduler_flush_stop (scheduler, end, error);
}

static gboolean
has_finished (GstHoloInput *input, HoloScheduler *scheduler)
{
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
  g_autoptr (HoloSection) section = NULL;
  gint number = -1;
  guint node;

  if (holo_plan_find_node (plan, input->name, &node))
    number = holo_plan_get_node_section (plan, node, TRUE);
  if (number >= 0)
    section = holo_scheduler_get_section (scheduler, (guint) number);
  return section != NULL && holo_section_is_finished (section);
}

static gboolean
revive_scheduler (GstHoloInput *input, GError **error)
{
  GstHoloRun *run = input->run;
  g_autoptr (HoloScheduler) scheduler = NULL;
  g_autoptr (HoloEnd) end = NULL;

  g_mutex_lock (&run->lock);
  input->ended = FALSE;
  g_mutex_unlock (&run->lock);
  scheduler = gst_holo_input_ref_scheduler (input, &end);
  if (scheduler == NULL || run->failed || !run->active)
    return TRUE;
  if (run->stale || !holo_scheduler_is_running (scheduler))
    return restart_flushed (input, error);
  if (!holo_scheduler_flush_stop (scheduler, end, error))
    return FALSE;
  gst_holo_run_note_flush (run, input, scheduler);
  /* The run may have been about to end: then nothing was revived. */
  return !has_finished (input, scheduler) || restart_flushed (input, error);
}

/* Forgets what the input brought so far, inside the graph too. */
static gboolean
clear_input (GstHoloInput *input)
{
  GstHoloRun *run = input->run;
  g_autoptr (GError) error = NULL;

  g_mutex_lock (&run->lock);
  input->awaited = FALSE;
  input->eos = FALSE;
  g_atomic_int_set (&run->done, FALSE);
  gst_holo_input_drop_slot (input);
  gst_holo_input_drop_metas (input);
  g_mutex_unlock (&run->lock);
  gst_segment_init (&input->segment, GST_FORMAT_UNDEFINED);
  if (!revive_scheduler (input, &error))
    gst_holo_run_fail (run, error);
  return error == NULL;
}

static void
let_go (GstHoloInput *input)
{
  GstHoloRun *run = input->run;

  g_mutex_lock (&run->lock);
  input->flushing = FALSE;
  for (guint i = 0; i < run->drivers->len; i++)
    {
      GstHoloDriver *driver = g_ptr_array_index (run->drivers, i);

      if (g_ptr_array_find (driver->inputs, input, NULL))
        driver->ended = FALSE;
    }
  gst_holo_run_update_gates (run);
  g_mutex_unlock (&run->lock);
  gst_holo_run_start_drivers (run);
}

/* FALSE when the graph cannot begin anew. */
gboolean
gst_holo_input_flush_stop (GstHoloInput *input, GstEvent *event)
{
  gboolean ok, reset_time;

  gst_event_parse_flush_stop (event, &reset_time);
  gst_holo_input_flush_start (input, event);
  gst_holo_preroll_flush_stop (gst_holo_host_get_preroll (input->host), reset_time);
  ok = clear_input (input);
  forward_flush_stop (input, event);
  let_go (input);
  return ok;
}

/* After the pad of a running element went away: another may come and start from nothing. */
void
gst_holo_input_flush (GstHoloInput *input)
{
  if (!input->run->active)
    return;
  clear_input (input);
  let_go (input);
}

/* ---- seeks ----
 * One seek of an element with several inputs flushes each of them in turn. Until the last one was flushed, frames and
 * threads of the others wait: they must not meet frames from before the seek. */

static void
set_awaited (GstHoloRun *run, GPtrArray *inputs, gboolean awaited)
{
  g_mutex_lock (&run->lock);
  for (guint i = 0; i < inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (inputs, i);

      if (input->pad != NULL)
        input->awaited = awaited;
    }
  gst_holo_run_update_gates (run);
  g_mutex_unlock (&run->lock);
}

/* With the run's lock. */
gboolean
gst_holo_run_awaits_flush (GstHoloRun *run)
{
  return any_awaits_flush (run->inputs);
}

/* Before the seek @event goes up through all @inputs in turn. */
void
gst_holo_run_begin_seek (GstHoloRun *run, GPtrArray *inputs, GstEvent *event)
{
  GstSeekFlags flags;

  gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  if ((flags & GST_SEEK_FLAG_FLUSH) && inputs->len > 1)
    set_awaited (run, inputs, TRUE);
}

static void
release_flush (GstHoloOutput *output, guint32 seqnum)
{
  GstEvent *event;
  gboolean held;

  g_mutex_lock (&output->run->lock);
  held = output->flush_held && output->n_flushing == 0;
  output->flush_held = FALSE;
  g_mutex_unlock (&output->run->lock);
  if (!held)
    return;
  event = gst_event_new_flush_stop (TRUE);
  gst_event_set_seqnum (event, seqnum);
  gst_holo_output_push_event (output, event);
}

/* After it: whoever was not flushed by now will not be. Downstream first, then frames. */
void
gst_holo_run_end_seek (GstHoloRun *run, GPtrArray *inputs, GstEvent *event)
{
  for (guint i = 0; i < run->outputs->len; i++)
    release_flush (g_ptr_array_index (run->outputs, i), gst_event_get_seqnum (event));
  set_awaited (run, inputs, FALSE);
  gst_holo_run_start_drivers (run);
}
