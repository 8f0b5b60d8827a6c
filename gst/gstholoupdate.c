/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Other settings while the graph is at work. */
#include "gstholohost-private.h"
#include "gstholomessage.h"
#include "gstholotopology.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

static void
updated (HoloScheduler *scheduler, const GError *error, gpointer user_data)
{
  GstHoloHost *host = user_data;

  if (error != NULL)
    gst_holo_element_post_warning (host, error);
  gst_element_post_message (GST_ELEMENT (host), gst_message_new_latency (GST_OBJECT (host)));
}

static HoloPlan *
compile_beside (GstHoloRun *run, HoloGraph *graph, HoloPlan *previous, GError **error)
{
  g_autofree HoloTensorDesc *layouts = gst_holo_run_copy_layouts (run);
  g_autoptr (HoloCompiler) compiler = gst_holo_run_new_compiler (run, layouts);

  return holo_compiler_compile (compiler, graph, previous, error);
}

static void
set_wish (GstHoloRun *run, HoloGraph *wish, HoloGraph *graph)
{
  HoloGraph *old_wish, *old_graph;

  g_mutex_lock (&run->lock);
  old_wish = run->wish;
  old_graph = run->graph;
  run->wish = holo_graph_ref (wish);
  run->graph = holo_graph_ref (graph);
  g_mutex_unlock (&run->lock);
  holo_graph_unref (old_wish);
  holo_graph_unref (old_graph);
}

/* The scheduler stays. Plans that are kept have the old settings. */
static void
exchange_plan (GstHoloRun *run, HoloPlan *plan)
{
  g_autofree HoloTensorDesc *layouts = gst_holo_run_copy_layouts (run);
  HoloPlan *old_plan;

  g_mutex_lock (&run->lock);
  old_plan = run->plan;
  run->plan = plan;
  g_mutex_unlock (&run->lock);
  holo_plan_unref (old_plan);
  run->n_compiled++;
  gst_holo_run_forget_plans (run);
  gst_holo_run_keep_plan (run, layouts, plan, run->scheduler);
}

/**
 * gst_holo_run_update:
 * @run: a run at work, or about to be
 * @wish: the same graph with other settings
 * @error: return location
 *
 * Takes other settings into use between two frames. Any thread; one at a time.
 *
 * Returns: %FALSE when they are refused: everything goes on as before
 */
gboolean
gst_holo_run_update (GstHoloRun *run, HoloGraph *wish, GError **error)
{
  g_autoptr (HoloGraph) graph = gst_holo_graph_add_queues (wish, gst_holo_host_get_registry (run->host));
  HoloPlan *plan;

  g_mutex_lock (&run->compile_lock);
  if (run->scheduler == NULL)
    {
      set_wish (run, wish, graph);
      g_mutex_unlock (&run->compile_lock);
      return TRUE;
    }
  plan = compile_beside (run, graph, run->plan, error);
  if (plan != NULL)
    {
      set_wish (run, wish, graph);
      holo_scheduler_update (run->scheduler, plan, updated, run->host);
      exchange_plan (run, plan);
    }
  g_mutex_unlock (&run->compile_lock);
  return plan != NULL;
}
