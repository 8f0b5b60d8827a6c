/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Letting everything out of a run, and starting it again. */
#include "gstholohost-private.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

static gboolean
is_interrupted (GstHoloRun *run, GstHoloInput *caller)
{
  return !run->active || run->failed || (caller != NULL && caller->flushing);
}

static gboolean
all_ended (GstHoloRun *run)
{
  for (guint i = 0; i < run->drivers->len; i++)
    if (!((GstHoloDriver *) g_ptr_array_index (run->drivers, i))->ended)
      return FALSE;
  return TRUE;
}

/* Keeps other threads out of the scheduler and waits until those inside have left. */
static gboolean
shut_gate (GstHoloRun *run, GstHoloInput *caller)
{
  gboolean ok;

  g_mutex_lock (&run->lock);
  while (run->draining && !is_interrupted (run, caller))
    g_cond_wait (&run->cond, &run->lock);
  if (is_interrupted (run, caller))
    {
      g_mutex_unlock (&run->lock);
      return FALSE;
    }
  run->draining = TRUE;
  gst_holo_run_update_gates (run);
  while (g_atomic_int_get (&run->n_users) > 0 && !is_interrupted (run, caller))
    g_cond_wait (&run->cond, &run->lock);
  ok = !is_interrupted (run, caller);
  if (!ok)
    {
      run->draining = FALSE;
      gst_holo_run_update_gates (run);
    }
  g_mutex_unlock (&run->lock);
  return ok;
}

static void
end_inputs (GstHoloRun *run)
{
  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);

      if (!input->ended)
        holo_end_push_end (input->end, NULL);
      if (input->direct != NULL)
        gst_holo_output_push_next (input->direct);
    }
}

static void
wait_idle (GstHoloRun *run)
{
  g_autoptr (GPtrArray) drivers = gst_holo_run_list_drivers (run);

  for (guint i = 0; i < drivers->len; i++)
    gst_holo_driver_wait_idle (g_ptr_array_index (drivers, i));
}

/**
 * gst_holo_run_drain:
 * @run: a run
 * @caller: the input whose streaming thread calls
 *
 * Lets everything out that earlier frames can give; the rest (an incomplete batch) is discarded. Frames of
 * other inputs wait meanwhile. After %TRUE the run stands still until gst_holo_run_resume().
 *
 * Returns: %FALSE when a flush, a stop or an error came between
 */
gboolean
gst_holo_run_drain (GstHoloRun *run, GstHoloInput *caller)
{
  gboolean ok;

  if (!shut_gate (run, caller))
    return FALSE;
  if (run->scheduler == NULL)
    return TRUE;
  end_inputs (run);
  g_mutex_lock (&run->lock);
  while (!all_ended (run) && !is_interrupted (run, caller))
    g_cond_wait (&run->cond, &run->lock);
  ok = !is_interrupted (run, caller);
  if (!ok)
    {
      run->stale = TRUE;
      run->draining = FALSE;
      gst_holo_run_update_gates (run);
    }
  g_mutex_unlock (&run->lock);
  if (ok)
    wait_idle (run);
  return ok && holo_scheduler_wait (run->scheduler, NULL);
}

static void
end_again (GstHoloRun *run)
{
  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);

      if (input->ended)
        holo_end_push_end (input->end, NULL);
    }
}

/* After a drain, with the old plan or a new one: starts everything again. */
gboolean
gst_holo_run_resume (GstHoloRun *run, GError **error)
{
  gboolean ok = gst_holo_run_start_scheduler (run, error);

  if (ok)
    end_again (run);
  g_mutex_lock (&run->lock);
  run->draining = run->stale = FALSE;
  gst_holo_run_update_gates (run);
  g_mutex_unlock (&run->lock);
  if (ok)
    gst_holo_run_start_drivers (run);
  return ok;
}

/* Drops everything and starts anew, for a stream after the end of another. */
gboolean
gst_holo_run_restart (GstHoloRun *run, GError **error)
{
  gst_holo_run_stop_scheduler (run);
  if (!shut_gate (run, NULL))
    return TRUE;
  gst_holo_run_stop_scheduler (run);
  wait_idle (run);
  holo_scheduler_wait (run->scheduler, NULL);
  return gst_holo_run_resume (run, error);
}
