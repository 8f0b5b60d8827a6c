/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Other settings while the graph is at work. */
#include "gstholohost-private.h"
#include "gstholomessage.h"
#include "gstholotopology.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

#if GST_CHECK_VERSION(1, 28, 0)
typedef GstObject Called;
#define call_async gst_object_call_async
#else
typedef GstElement Called;
#define call_async(object, func, data) gst_element_call_async (GST_ELEMENT (object), func, data, NULL)
#endif

static void
catch_up_later (Called *host, gpointer user_data)
{
  gst_holo_host_catch_up (GST_HOLO_HOST (host));
}

/* In a thread of the scheduler, which those that free a scheduler wait for: it waits for nobody. */
static void
updated (HoloScheduler *scheduler, guint64 n_discarded, const GError *error, gpointer user_data)
{
  GstHoloRun *run = user_data;
  GstElement *element = GST_ELEMENT (run->host);

  if (n_discarded > 0)
    GST_INFO_OBJECT (element, "%" G_GUINT64_FORMAT " frames were lost with nodes that other settings made anew",
                     n_discarded);
  if (error != NULL)
    gst_holo_element_post_warning (element, error);
  gst_element_post_message (element, gst_message_new_latency (GST_OBJECT (element)));
  g_mutex_lock (&run->lock);
  run->n_updating--;
  if (run->behind && run->active)
    call_async (GST_OBJECT (element), catch_up_later, NULL);
  g_cond_broadcast (&run->cond);
  g_mutex_unlock (&run->lock);
}

/* Whether a change is on its way. Then its report finds @run behind, from the same moment on. */
static gboolean
is_updating (GstHoloRun *run, gboolean *was_behind)
{
  gboolean updating;

  g_mutex_lock (&run->lock);
  updating = run->n_updating > 0;
  *was_behind = run->behind;
  run->behind |= updating;
  g_mutex_unlock (&run->lock);
  return updating;
}

static gboolean
is_behind (GstHoloRun *run)
{
  gboolean behind;

  g_mutex_lock (&run->lock);
  behind = run->behind && run->active;
  g_mutex_unlock (&run->lock);
  return behind;
}

/* For the layouts of the plan at work. */
static HoloCompiler *
new_compiler (GstHoloRun *run)
{
  g_autofree HoloTensorDesc *layouts = gst_holo_run_copy_layouts (run);

  return gst_holo_run_new_compiler (run, layouts);
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
  run->n_updating++;
  run->behind = FALSE;
  g_mutex_unlock (&run->lock);
  holo_plan_unref (old_plan);
  holo_scheduler_update (run->scheduler, plan, updated, run);
  run->n_compiled++;
  gst_holo_run_forget_plans (run);
  gst_holo_run_keep_plan (run, layouts, plan, run->scheduler);
}

/* A task stages one change at a time. While one is on its way it is only found out whether the graph takes the next. */
static gboolean
fall_behind (GstHoloRun *run, HoloCompiler *compiler, HoloGraph *graph, gboolean was_behind, GError **error)
{
  g_autoptr (HoloPlan) plan = holo_compiler_infer (compiler, graph, error);

  if (plan != NULL)
    gst_holo_run_forget_plans (run);
  else
    {
      g_mutex_lock (&run->lock);
      run->behind = was_behind;
      g_mutex_unlock (&run->lock);
    }
  return plan != NULL;
}

/* With the compile lock. */
static gboolean
update (GstHoloRun *run, HoloGraph *graph, GError **error)
{
  g_autoptr (HoloCompiler) compiler = NULL;
  g_autoptr (HoloPlan) at_work = NULL;
  gboolean was_behind;
  HoloPlan *plan;

  if (run->scheduler == NULL)
    return TRUE;
  compiler = new_compiler (run);
  if (is_updating (run, &was_behind))
    return fall_behind (run, compiler, graph, was_behind, error);
  at_work = holo_scheduler_get_plan (run->scheduler);
  plan = holo_compiler_compile (compiler, graph, at_work, error);
  if (plan != NULL)
    exchange_plan (run, plan);
  return plan != NULL;
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
  gboolean ok;

  g_mutex_lock (&run->compile_lock);
  ok = update (run, graph, error);
  if (ok)
    set_wish (run, wish, graph);
  g_mutex_unlock (&run->compile_lock);
  return ok;
}

/**
 * gst_holo_run_catch_up:
 * @run: a run
 * @error: return location
 *
 * Takes the settings into use that came while others were on their way, if it has not been done yet.
 *
 * Returns: %FALSE when that failed; the next change tries them again
 */
gboolean
gst_holo_run_catch_up (GstHoloRun *run, GError **error)
{
  gboolean ok = TRUE;

  g_mutex_lock (&run->compile_lock);
  if (is_behind (run))
    ok = update (run, run->graph, error);
  g_mutex_unlock (&run->compile_lock);
  return ok;
}

/* Until everything that was on its way has been reported. Its scheduler has come to rest. */
void
gst_holo_run_wait_updated (GstHoloRun *run)
{
  g_mutex_lock (&run->lock);
  while (run->n_updating > 0)
    g_cond_wait (&run->cond, &run->lock);
  g_mutex_unlock (&run->lock);
}
