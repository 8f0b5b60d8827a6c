/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One connected part of a host's graph at work: its ends, its gates, and how it starts and stops. */
#include "gstholohost-private.h"
#include "gstholotopology.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

/* ---- making ---- */

static void
connect_ends (GstHoloRun *run)
{
  for (guint o = 0; o < run->outputs->len; o++)
    {
      GstHoloOutput *output = g_ptr_array_index (run->outputs, o);
      guint output_node, leader;

      holo_graph_find_node (run->wish, output->name, &output_node);
      if (!gst_holo_graph_find_leader (run->wish, output_node, &leader))
        leader = G_MAXUINT;
      for (guint i = 0; i < run->inputs->len; i++)
        {
          GstHoloInput *input = g_ptr_array_index (run->inputs, i);
          guint input_node;

          holo_graph_find_node (run->wish, input->name, &input_node);
          if (gst_holo_graph_reaches (run->wish, input_node, output_node))
            {
              g_ptr_array_add (input->outputs, output);
              g_ptr_array_add (output->inputs, input);
            }
          if (input_node == leader)
            {
              g_ptr_array_add (input->followers, output);
              output->leader = input;
            }
        }
    }
}

static void
free_group (gpointer data)
{
  GstHoloGroup *group = data;

  g_ptr_array_unref (group->inputs);
  g_free (group);
}

static GstHoloGroup *
add_group (GstHoloRun *run)
{
  GstHoloGroup *group = g_new0 (GstHoloGroup, 1);

  group->inputs = g_ptr_array_new ();
  g_ptr_array_add (run->groups, group);
  return group;
}

/* By order, inputs of one section go together. By time, all do: what meets behind a queue must be sorted out
 * before it. */
static void
group_inputs (GstHoloRun *run)
{
  gboolean by_time = gst_holo_host_get_pairing (run->host) == GST_HOLO_PAIRING_TIME;
  HoloRegistry *registry = gst_holo_host_get_registry (run->host);
  g_autofree guint *sections = gst_holo_graph_number_sections (run->wish, registry);
  g_autoptr (GHashTable) groups = g_hash_table_new (NULL, NULL);

  if (run->inputs->len < 2)
    return;
  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);
      gpointer key;
      guint node;

      holo_graph_find_node (run->wish, input->name, &node);
      key = GUINT_TO_POINTER (by_time ? 0 : sections[node]);
      input->group = g_hash_table_lookup (groups, key);
      if (input->group == NULL)
        g_hash_table_insert (groups, key, input->group = add_group (run));
      g_ptr_array_add (input->group->inputs, input);
    }
}

/**
 * gst_holo_run_new:
 * @host: the element
 * @wish: (transfer full): a connected graph
 * @device: where it shall run
 *
 * Returns: (transfer full): the part with its inputs and outputs, not compiled
 */
GstHoloRun *
gst_holo_run_new (GstHoloHost *host, HoloGraph *wish, HoloDevice *device)
{
  GstHoloRun *run = g_new0 (GstHoloRun, 1);

  run->host = host;
  run->wish = wish;
  run->device = g_object_ref (device);
  run->is_sink = gst_holo_graph_has_sink (wish);
  run->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_holo_input_free);
  run->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_holo_output_free);
  run->drivers = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_holo_driver_unref);
  run->groups = g_ptr_array_new_with_free_func (free_group);
  g_mutex_init (&run->lock);
  g_mutex_init (&run->compile_lock);
  g_mutex_init (&run->start_lock);
  g_cond_init (&run->cond);
  run->flushed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  run->kept_plans = gst_holo_kept_plans_new ();
  run->past = gst_holo_numbers_new ();
  for (guint i = 0; i < holo_graph_get_n_nodes (wish); i++)
    {
      const gchar *name = holo_graph_get_node (wish, i)->name;

      if (gst_holo_graph_is_input (wish, i))
        g_ptr_array_add (run->inputs, gst_holo_input_new (run, name));
      else if (gst_holo_graph_is_output (wish, i))
        g_ptr_array_add (run->outputs, gst_holo_output_new (run, name));
    }
  connect_ends (run);
  group_inputs (run);
  run->graph = gst_holo_graph_add_queues (wish, gst_holo_host_get_registry (host));
  gst_holo_run_update_gates (run);
  return run;
}

void
gst_holo_run_free (GstHoloRun *run)
{
  gst_holo_run_stop (run);
  g_ptr_array_unref (run->drivers);
  g_ptr_array_unref (run->groups);
  g_ptr_array_unref (run->inputs);
  g_ptr_array_unref (run->outputs);
  holo_graph_unref (run->wish);
  holo_graph_unref (run->graph);
  g_object_unref (run->device);
  g_hash_table_unref (run->flushed);
  g_ptr_array_unref (run->kept_plans);
  gst_holo_numbers_free (run->past);
  g_mutex_clear (&run->lock);
  g_mutex_clear (&run->compile_lock);
  g_mutex_clear (&run->start_lock);
  g_cond_clear (&run->cond);
  g_free (run);
}

/* ---- gates ---- */

/* With the lock held (or before anybody else knows the run): frames look at everything when something is
 * special. */
void
gst_holo_run_update_gates (GstHoloRun *run)
{
  gboolean special = !run->active || run->draining || run->failed || run->scheduler == NULL;

  g_atomic_int_set (&run->gate, special);
  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);

      g_atomic_int_set (&input->gate, special || input->flushing || input->eos || input->awaited);
    }
  g_cond_broadcast (&run->cond);
}

/* Frames may pass again. */
void
gst_holo_run_open_gate (GstHoloRun *run)
{
  g_mutex_lock (&run->lock);
  run->draining = FALSE;
  gst_holo_run_update_gates (run);
  g_mutex_unlock (&run->lock);
}

/* ---- the plan at work ---- */

/* With the lock: what inputs and outputs are called in the scheduler. Those of the one before go to @old. */
static void
exchange_end (HoloEnd **end, HoloEnd *new_end, GPtrArray *old)
{
  if (*end != NULL)
    g_ptr_array_add (old, *end);
  *end = new_end;
}

static void
exchange_ends (GstHoloRun *run, GPtrArray *old)
{
  HoloScheduler *scheduler = run->scheduler;

  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);

      exchange_end (&input->end, scheduler != NULL ? holo_scheduler_get_input (scheduler, input->name, NULL) : NULL,
                    old);
    }
  for (guint i = 0; i < run->outputs->len; i++)
    {
      GstHoloOutput *output = g_ptr_array_index (run->outputs, i);

      exchange_end (&output->end, scheduler != NULL ? holo_scheduler_get_output (scheduler, output->name, NULL) : NULL,
                    old);
    }
}

/* Others may look for the scheduler (a flush, a state change) while it is exchanged. Takes both. */
void
gst_holo_run_set_plan (GstHoloRun *run, HoloPlan *plan, HoloScheduler *scheduler)
{
  g_autoptr (GPtrArray) old_ends = g_ptr_array_new_with_free_func ((GDestroyNotify) holo_end_unref);
  HoloPlan *old_plan;
  HoloScheduler *old_scheduler;

  g_mutex_lock (&run->lock);
  old_plan = run->plan;
  old_scheduler = run->scheduler;
  run->plan = plan;
  run->scheduler = scheduler;
  exchange_ends (run, old_ends);
  g_mutex_unlock (&run->lock);
  g_clear_object (&old_scheduler);
  g_clear_pointer (&old_plan, holo_plan_unref);
}

/* (transfer full) (nullable): the scheduler of this moment, for callers from outside the stream. */
HoloScheduler *
gst_holo_run_ref_scheduler (GstHoloRun *run)
{
  HoloScheduler *scheduler;

  g_mutex_lock (&run->lock);
  scheduler = run->scheduler != NULL ? g_object_ref (run->scheduler) : NULL;
  g_mutex_unlock (&run->lock);
  return scheduler;
}

/* (transfer full): what the user asked for, for who does not keep changes of settings off. */
HoloGraph *
gst_holo_run_ref_wish (GstHoloRun *run)
{
  HoloGraph *wish;

  g_mutex_lock (&run->lock);
  wish = holo_graph_ref (run->wish);
  g_mutex_unlock (&run->lock);
  return wish;
}

/* (transfer full): likewise, with the queues. */
HoloGraph *
gst_holo_run_ref_graph (GstHoloRun *run)
{
  HoloGraph *graph;

  g_mutex_lock (&run->lock);
  graph = holo_graph_ref (run->graph);
  g_mutex_unlock (&run->lock);
  return graph;
}

/* The scheduler of this moment, and what @input is called in it: (out) (transfer full), set when there is a scheduler. */
HoloScheduler *
gst_holo_input_ref_scheduler (GstHoloInput *input, HoloEnd **end)
{
  GstHoloRun *run = input->run;
  HoloScheduler *scheduler = NULL;

  g_mutex_lock (&run->lock);
  if (run->scheduler != NULL)
    {
      scheduler = g_object_ref (run->scheduler);
      *end = holo_end_ref (input->end);
    }
  g_mutex_unlock (&run->lock);
  return scheduler;
}

void
gst_holo_run_stop_scheduler (GstHoloRun *run)
{
  g_autoptr (HoloScheduler) scheduler = gst_holo_run_ref_scheduler (run);

  if (scheduler != NULL)
    holo_scheduler_stop (scheduler);
}

/* ---- starting and stopping ---- */

/* A flush that began while nothing ran must hold now. */
static void
flush_again (GstHoloRun *run)
{
  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);

      if (gst_holo_input_is_flushing (input))
        holo_scheduler_flush_start (run->scheduler, input->end);
    }
}

static gboolean
is_active (GstHoloRun *run)
{
  gboolean active;

  g_mutex_lock (&run->lock);
  active = run->active;
  g_mutex_unlock (&run->lock);
  return active;
}

/* Not when the element is on its way to READY: that one would not be stopped. */
static gboolean
start_if_active (GstHoloRun *run, GError **error)
{
  gboolean ok = TRUE;

  g_mutex_lock (&run->start_lock);
  if (is_active (run))
    {
      ok = holo_scheduler_start (run->scheduler, error);
      if (ok)
        flush_again (run);
    }
  g_mutex_unlock (&run->start_lock);
  return ok;
}

/* Everything that comes from @input is dropped from now on, and nobody waits for it. */
void
gst_holo_run_flush_start (GstHoloRun *run, GstHoloInput *input)
{
  g_autoptr (HoloScheduler) scheduler = NULL;
  g_autoptr (HoloEnd) end = NULL;

  g_mutex_lock (&run->start_lock);
  scheduler = gst_holo_input_ref_scheduler (input, &end);
  if (scheduler != NULL)
    holo_scheduler_flush_start (scheduler, end);
  g_mutex_unlock (&run->start_lock);
}

gboolean
gst_holo_run_start_scheduler (GstHoloRun *run, GError **error)
{
  gst_holo_run_save_numbers (run);
  /* The end may be told as soon as it has started. */
  g_mutex_lock (&run->lock);
  run->ended = FALSE;
  g_atomic_int_set (&run->done, FALSE);
  g_mutex_unlock (&run->lock);
  if (!start_if_active (run, error))
    return FALSE;
  gst_holo_run_begin_counting (run);
  g_atomic_int_set (&run->fed, FALSE);
  g_mutex_lock (&run->lock);
  g_hash_table_remove_all (run->flushed);
  for (guint i = 0; i < run->drivers->len; i++)
    {
      GstHoloDriver *driver = g_ptr_array_index (run->drivers, i);

      driver->ended = FALSE;
    }
  for (guint i = 0; i < run->inputs->len; i++)
    ((GstHoloInput *) g_ptr_array_index (run->inputs, i))->inside = FALSE;
  g_mutex_unlock (&run->lock);
  return TRUE;
}

/* READY to PAUSED, before the pads are active. A graph without Input is compiled now: nothing more will be
 * known. */
gboolean
gst_holo_run_activate (GstHoloRun *run, GError **error)
{
  if (run->inputs->len == 0 && !gst_holo_run_compile (run, error))
    return FALSE;
  g_mutex_lock (&run->lock);
  run->active = run->held = TRUE;
  run->failed = run->draining = run->stale = run->ending = run->ended = run->counting = FALSE;
  g_atomic_int_set (&run->done, FALSE);
  gst_holo_run_update_gates (run);
  g_mutex_unlock (&run->lock);
  return TRUE;
}

/* After the pads have become active: sources start, and the sinks behind them hold the first frame. */
void
gst_holo_run_begin (GstHoloRun *run)
{
  g_autoptr (GError) error = NULL;

  if (run->inputs->len == 0 && run->outputs->len > 0 && !gst_holo_run_resume (run, &error))
    gst_holo_run_fail (run, error);
}

/* PLAYING: what no sink behind holds starts, or goes on. */
void
gst_holo_run_play (GstHoloRun *run)
{
  g_autoptr (GError) error = NULL;

  if (gst_holo_run_has_pads (run))
    return;
  g_mutex_lock (&run->lock);
  run->held = FALSE;
  g_mutex_unlock (&run->lock);
  if (run->counting)
    gst_holo_run_start_drivers (run);
  else if (!gst_holo_run_resume (run, &error))
    gst_holo_run_fail (run, error);
}

/* PAUSED again: its threads stop after the iteration they are in. */
void
gst_holo_run_hold (GstHoloRun *run)
{
  g_mutex_lock (&run->lock);
  run->held = TRUE;
  g_mutex_unlock (&run->lock);
}

/* Makes every wait of the run end. Does not wait itself. */
void
gst_holo_run_interrupt (GstHoloRun *run)
{
  g_mutex_lock (&run->lock);
  run->active = FALSE;
  gst_holo_run_update_gates (run);
  g_mutex_unlock (&run->lock);
  gst_holo_preroll_wake (gst_holo_host_get_preroll (run->host));
  g_mutex_lock (&run->start_lock);
  gst_holo_run_stop_scheduler (run);
  g_mutex_unlock (&run->start_lock);
}

static void
reset_ends (GstHoloRun *run)
{
  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);

      gst_holo_input_drop_slot (input);
      gst_holo_input_drop_metas (input);
      gst_holo_packer_clear (&input->packer);
      input->flushing = input->eos = input->ended = input->has_info = input->awaited = FALSE;
      input->next = 0;
      gst_segment_init (&input->segment, GST_FORMAT_UNDEFINED);
    }
  for (guint i = 0; i < run->outputs->len; i++)
    {
      GstHoloOutput *output = g_ptr_array_index (run->outputs, i);

      gst_holo_output_reset (output, FALSE);
      gst_holo_output_clear_pool (output);
      gst_holo_packer_clear (&output->packer);
      __atomic_store_n (&output->left, 0, __ATOMIC_SEQ_CST);
      output->stream_started = output->segment_sent = FALSE;
      output->n_flushing = 0;
      output->flush_held = FALSE;
      g_mutex_lock (&run->lock); /* a query may ask */
      output->has_desc = FALSE;
      g_clear_pointer (&output->caps, gst_caps_unref);
      g_mutex_unlock (&run->lock);
    }
}

/* PAUSED to READY, after gst_holo_run_interrupt() and with no pad active: joins the threads and forgets the
 * stream. */
void
gst_holo_run_stop (GstHoloRun *run)
{
  gst_holo_run_drop_drivers (run);
  if (run->scheduler != NULL)
    {
      holo_scheduler_stop (run->scheduler);
      holo_scheduler_wait (run->scheduler, NULL);
    }
  g_mutex_lock (&run->compile_lock); /* a change of settings may be under way */
  reset_ends (run);
  gst_holo_run_set_plan (run, NULL, NULL);
  gst_holo_run_forget_plans (run);
  g_mutex_unlock (&run->compile_lock);
  gst_holo_run_wait_updated (run);
  run->n_users = 0;
}
