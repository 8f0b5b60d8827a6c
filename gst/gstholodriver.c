/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that drive the sections behind the first asynchronous task, and push what comes out. */
#include "gstholohost-private.h"
#include "gstholotopology.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

/* With the run's lock held. */
static gboolean
is_wanted (GstHoloDriver *driver)
{
  GstHoloRun *run = driver->run;

  if (!run->active || run->failed || run->scheduler == NULL || driver->ended)
    return FALSE;
  if (run->held && !gst_holo_run_has_pads (run))
    return FALSE;
  if (driver->output != NULL && driver->output->flush_held)
    return FALSE;
  for (guint i = 0; i < driver->inputs->len; i++)
    if (((GstHoloInput *) g_ptr_array_index (driver->inputs, i))->flushing)
      return FALSE;
  return TRUE;
}

/* With the run's lock held. A task that was stopped must not be made to pause: nobody would wake it. */
static void
pause_task (GstHoloDriver *driver)
{
  if (!driver->stopped)
    gst_task_pause (driver->task);
}

/* From the task itself. A start that comes later finds it paused and wakes it; one that came before makes it
 * wanted. */
static void
pause_unless_wanted (GstHoloDriver *driver)
{
  g_mutex_lock (&driver->run->lock);
  if (!is_wanted (driver))
    pause_task (driver);
  g_mutex_unlock (&driver->run->lock);
}

static void
finish (GstHoloDriver *driver)
{
  GstHoloRun *run = driver->run;
  gboolean draining;

  if (driver->output != NULL)
    {
      gst_holo_output_send_due (driver->output, G_MAXUINT64);
      g_mutex_lock (&run->lock);
      draining = run->draining;
      g_mutex_unlock (&run->lock);
      if (!draining)
        gst_holo_output_send_eos (driver->output);
    }
  g_mutex_lock (&run->lock);
  driver->ended = TRUE;
  g_cond_broadcast (&run->cond);
  pause_task (driver);
  g_mutex_unlock (&run->lock);
}

static gboolean
is_ending (GstHoloRun *run)
{
  gboolean ending;

  g_mutex_lock (&run->lock);
  ending = run->ending && run->active;
  g_mutex_unlock (&run->lock);
  return ending;
}

static void
drive (gpointer user_data)
{
  GstHoloDriver *driver = user_data;
  g_autoptr (GError) error = NULL;

  if (driver->output != NULL && g_atomic_int_get (&driver->output->n_items) > 0)
    gst_holo_output_send_due (driver->output, gst_holo_output_get_left (driver->output));
  switch (holo_section_iterate (driver->section, NULL, &error))
    {
    case HOLO_OP_OK:
      if (driver->output != NULL)
        gst_holo_output_push_next (driver->output);
      else if (!gst_holo_run_has_pads (driver->run))
        pause_unless_wanted (driver);
      break;
    case HOLO_OP_EOF:
      finish (driver);
      break;
    case HOLO_OP_ERROR:
      gst_holo_run_fail (driver->run, error);
      pause_unless_wanted (driver);
      break;
    case HOLO_OP_NOT_READY:
      /* Interrupted: an event waits. */
      break;
    case HOLO_OP_CANCELLED:
      if (is_ending (driver->run))
        finish (driver);
      else
        pause_unless_wanted (driver);
      break;
    default:
      pause_unless_wanted (driver);
      break;
    }
}

static void
post_status (GstHoloDriver *driver, GstTask *task, GstStreamStatusType type)
{
  GstElement *element = GST_ELEMENT (driver->run->host);
  GValue object = G_VALUE_INIT;
  GstMessage *message = gst_message_new_stream_status (GST_OBJECT (element), type, element);

  g_value_init (&object, GST_TYPE_TASK);
  g_value_set_object (&object, task);
  gst_message_set_stream_status_object (message, &object);
  g_value_unset (&object);
  gst_element_post_message (element, message);
}

static void
enter (GstTask *task, GThread *thread, gpointer user_data)
{
  post_status (user_data, task, GST_STREAM_STATUS_TYPE_ENTER);
}

static void
leave (GstTask *task, GThread *thread, gpointer user_data)
{
  post_status (user_data, task, GST_STREAM_STATUS_TYPE_LEAVE);
}

static gboolean
reaches_section (HoloGraph *graph, GstHoloInput *input, HoloPlan *plan, guint section)
{
  guint from, to;

  if (!holo_graph_find_node (graph, input->name, &from))
    return FALSE;
  for (guint i = 0; i < holo_plan_get_n_nodes (plan); i++)
    if (holo_plan_get_node_section (plan, i, TRUE) == (gint) section &&
        holo_graph_find_node (graph, holo_plan_get_node_name (plan, i), &to) &&
        gst_holo_graph_reaches (graph, from, to))
      return TRUE;
  return FALSE;
}

/* Only those: a flush of another one leaves the section at work, and would wait for it. */
static void
add_inputs (GstHoloDriver *driver, HoloPlan *plan, guint section)
{
  GstHoloRun *run = driver->run;
  g_autoptr (HoloGraph) graph = gst_holo_run_ref_graph (run);

  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);

      if (reaches_section (graph, input, plan, section))
        g_ptr_array_add (driver->inputs, input);
    }
}

/**
 * gst_holo_driver_new:
 * @run: a run with a scheduler
 * @plan: its plan
 * @section: the section
 * @output: (nullable): the output that the section ends in
 *
 * Returns: (transfer full): a driver that does not run yet
 */
GstHoloDriver *
gst_holo_driver_new (GstHoloRun *run, HoloPlan *plan, guint section, GstHoloOutput *output)
{
  GstHoloDriver *driver = g_new0 (GstHoloDriver, 1);
  g_autofree gchar *name = NULL;

  driver->ref_count = 1;
  driver->run = run;
  driver->section = holo_scheduler_get_section (run->scheduler, section);
  driver->output = output;
  driver->inputs = g_ptr_array_new ();
  driver->ended = TRUE;
  g_rec_mutex_init (&driver->task_lock);
  driver->task = gst_task_new (drive, driver, NULL);
  name = g_strdup_printf ("%s:%s", GST_OBJECT_NAME (run->host), holo_plan_get_section_name (plan, section));
  gst_object_set_name (GST_OBJECT (driver->task), name);
  gst_task_set_lock (driver->task, &driver->task_lock);
  gst_task_set_enter_callback (driver->task, enter, driver, NULL);
  gst_task_set_leave_callback (driver->task, leave, driver, NULL);
  add_inputs (driver, plan, section);
  if (output != NULL)
    {
      g_mutex_lock (&run->lock);
      output->driver = driver;
      g_mutex_unlock (&run->lock);
    }
  post_status (driver, driver->task, GST_STREAM_STATUS_TYPE_CREATE);
  return driver;
}

/* For good. Waits for the thread, whose waits must have been ended. */
static void
stop (GstHoloDriver *driver)
{
  g_mutex_lock (&driver->run->lock);
  if (driver->output != NULL)
    driver->output->driver = NULL;
  driver->stopped = TRUE;
  gst_task_stop (driver->task);
  g_mutex_unlock (&driver->run->lock);
  gst_task_join (driver->task);
}

/* It has been stopped. */
void
gst_holo_driver_unref (GstHoloDriver *driver)
{
  if (!g_atomic_int_dec_and_test (&driver->ref_count))
    return;
  gst_object_unref (driver->task);
  holo_section_unref (driver->section);
  g_ptr_array_unref (driver->inputs);
  g_rec_mutex_clear (&driver->task_lock);
  g_free (driver);
}

/* ---- those of a run ---- */

static gpointer
ref_driver (gconstpointer driver, gpointer user_data)
{
  g_atomic_int_inc (&((GstHoloDriver *) driver)->ref_count);
  return (gpointer) driver;
}

/* (transfer full): the drivers of this moment: a flush may come while the plan is exchanged, and they with it. */
GPtrArray *
gst_holo_run_list_drivers (GstHoloRun *run)
{
  GPtrArray *drivers;

  g_mutex_lock (&run->lock);
  drivers = g_ptr_array_copy (run->drivers, ref_driver, NULL);
  g_mutex_unlock (&run->lock);
  g_ptr_array_set_free_func (drivers, (GDestroyNotify) gst_holo_driver_unref);
  return drivers;
}

void
gst_holo_run_add_driver (GstHoloRun *run, GstHoloDriver *driver)
{
  g_mutex_lock (&run->lock);
  g_ptr_array_add (run->drivers, driver);
  g_mutex_unlock (&run->lock);
}

/* Stops them all. */
void
gst_holo_run_drop_drivers (GstHoloRun *run)
{
  GPtrArray *drivers;

  g_mutex_lock (&run->lock);
  drivers = run->drivers;
  run->drivers = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_holo_driver_unref);
  g_mutex_unlock (&run->lock);
  g_ptr_array_foreach (drivers, (GFunc) (void (*) (void)) stop, NULL);
  g_ptr_array_unref (drivers);
}

/* Starts or goes on, if there is something to do. */
static void
start (GstHoloDriver *driver)
{
  g_mutex_lock (&driver->run->lock);
  if (!driver->stopped && is_wanted (driver))
    gst_task_start (driver->task);
  g_mutex_unlock (&driver->run->lock);
}

/* Those that have something to do. */
void
gst_holo_run_start_drivers (GstHoloRun *run)
{
  g_autoptr (GPtrArray) drivers = gst_holo_run_list_drivers (run);

  for (guint i = 0; i < drivers->len; i++)
    start (g_ptr_array_index (drivers, i));
}

/* ---- one ---- */

/* Waits until the thread has left its work. The caller has made sure that it will (or is that thread). */
void
gst_holo_driver_wait_idle (GstHoloDriver *driver)
{
  g_mutex_lock (&driver->run->lock);
  pause_task (driver);
  g_mutex_unlock (&driver->run->lock);
  g_rec_mutex_lock (&driver->task_lock);
  g_rec_mutex_unlock (&driver->task_lock);
}

/* Makes the thread look at the events that wait for its output. With the run's lock held. */
void
gst_holo_driver_wake (GstHoloDriver *driver)
{
  holo_section_interrupt (driver->section);
}
