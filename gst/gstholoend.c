/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a run ends: all its nodes have finished, or one of them has failed. */
#include "gstholohost-private.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

static gboolean
set_failed (GstHoloRun *run, GstFlowReturn flow)
{
  gboolean first;

  g_mutex_lock (&run->lock);
  first = !run->failed && run->active;
  if (first)
    {
      run->failed = TRUE;
      run->failure = flow;
      gst_holo_run_update_gates (run);
    }
  g_mutex_unlock (&run->lock);
  if (first)
    gst_holo_preroll_wake (gst_holo_host_get_preroll (run->host));
  return first;
}

/* Frames that nobody will see go back to their pools now, not when the element is stopped. */
static void
discard_contents (GstHoloRun *run)
{
  g_autoptr (HoloScheduler) scheduler = gst_holo_run_ref_scheduler (run);
  g_autoptr (HoloPlan) plan = NULL;

  if (scheduler == NULL)
    return;
  holo_scheduler_wait (scheduler, NULL);
  g_mutex_lock (&run->compile_lock);
  plan = holo_scheduler_get_plan (scheduler);
  for (guint i = 0; !holo_scheduler_is_running (scheduler) && i < holo_plan_get_n_nodes (plan); i++)
    holo_task_reset (holo_plan_get_node_task (plan, i), NULL);
  g_mutex_unlock (&run->compile_lock);
}

/* The scheduler tells, in a thread of its own, that the run has ended or failed; the thread that met the failure learns it
 * from its own call and does the rest. */
void
gst_holo_run_ended (HoloScheduler *scheduler, const GError *error, gpointer user_data)
{
  GstHoloRun *run = user_data;

  if (error != NULL)
    {
      if (set_failed (run, GST_FLOW_ERROR))
        gst_holo_host_post_error (run->host, error);
      return;
    }
  g_mutex_lock (&run->lock);
  run->ended = run->ending || !holo_scheduler_was_stopped (scheduler);
  g_mutex_unlock (&run->lock);
  gst_holo_run_check_end (run);
}

/* With the lock. Nothing that was not there can become true again before the run starts anew. */
static gboolean
is_done (GstHoloRun *run, guint32 *seqnum)
{
  gboolean idle = run->scheduler == NULL || (run->ending && !run->counting);

  if (!run->is_sink || !run->active || run->failed || run->draining || !(run->ended || idle))
    return FALSE;
  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);

      if (!input->eos)
        return FALSE;
      *seqnum = input->eos_seqnum;
    }
  return TRUE;
}

/* Tells the application when the run has ended for good and all its files are complete. */
void
gst_holo_run_check_end (GstHoloRun *run)
{
  guint32 seqnum = 0;
  gboolean done;

  g_mutex_lock (&run->lock);
  done = is_done (run, &seqnum);
  if (done)
    g_atomic_int_set (&run->done, TRUE);
  g_mutex_unlock (&run->lock);
  if (done)
    gst_holo_preroll_end (gst_holo_host_get_preroll (run->host), seqnum);
}

/* An EOS event for an element without sink pads: sources stop, what their frames have become is given up. */
void
gst_holo_run_end (GstHoloRun *run)
{
  if (run->inputs->len > 0)
    return;
  g_mutex_lock (&run->lock);
  run->ending = TRUE;
  g_mutex_unlock (&run->lock);
  g_mutex_lock (&run->start_lock);
  gst_holo_run_stop_scheduler (run);
  g_mutex_unlock (&run->start_lock);
  gst_holo_run_check_end (run);
}

/* Stops the run, with what the sink pads shall answer. @error (nullable) goes to the application, once;
 * without it somebody downstream has told it. Any thread, but not from inside the scheduler. */
void
gst_holo_run_fail_flow (GstHoloRun *run, GstFlowReturn flow, const GError *error)
{
  if (set_failed (run, flow) && error != NULL)
    gst_holo_host_post_error (run->host, error);
  gst_holo_run_stop_scheduler (run);
  discard_contents (run);
}

void
gst_holo_run_fail (GstHoloRun *run, const GError *error)
{
  gst_holo_run_fail_flow (run, GST_FLOW_ERROR, error);
}
