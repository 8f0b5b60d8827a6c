/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers whose rows lie otherwise than the caps say: the graph is compiled for them too, and the plans for the layouts
 * that came last are kept. What the graph does not take is packed, one copy per frame. */
#include "gstholohost-private.h"

#include <string.h>

#define GST_CAT_DEFAULT gst_holo_host_debug

/* Layouts that are kept, the one at work and refused ones included. */
#define MAX_LAYOUTS 4

/* Where a tensor begins is no matter: Inputs take it anywhere. */
gboolean
gst_holo_same_layout (const HoloTensorDesc *a, const HoloTensorDesc *b)
{
  return memcmp (a->strides, b->strides, a->rank * sizeof (a->strides[0])) == 0;
}

/* ---- one layout of each input ---- */

/* (transfer full): those that the plan at work was made for. */
HoloTensorDesc *
gst_holo_run_copy_layouts (GstHoloRun *run)
{
  HoloTensorDesc *layouts = g_new0 (HoloTensorDesc, run->inputs->len + 1);

  for (guint i = 0; i < run->inputs->len; i++)
    layouts[i] = ((GstHoloInput *) g_ptr_array_index (run->inputs, i))->layout;
  return layouts;
}

/* Nothing of the run is at work. The lock is for those who compile beside. */
void
gst_holo_run_set_layouts (GstHoloRun *run, const HoloTensorDesc *layouts)
{
  g_mutex_lock (&run->compile_lock);
  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);

      input->layout = layouts[i];
      input->layout.offset = 0;
    }
  g_mutex_unlock (&run->compile_lock);
}

/* ---- plans that are kept ---- */

/* What was found out about one layout of each input. */
typedef struct
{
  HoloTensorDesc *layouts;
  HoloPlan *plan; /* NULL: the graph does not take them */
  HoloScheduler *scheduler;
} KeptPlan;

static void
free_kept_plan (KeptPlan *kept)
{
  g_clear_object (&kept->scheduler);
  g_clear_pointer (&kept->plan, holo_plan_unref);
  g_free (kept->layouts);
  g_free (kept);
}

GPtrArray *
gst_holo_kept_plans_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) free_kept_plan);
}

static gboolean
has_layouts (GstHoloRun *run, const KeptPlan *kept, const HoloTensorDesc *layouts)
{
  for (guint i = 0; i < run->inputs->len; i++)
    if (!gst_holo_same_layout (&kept->layouts[i], &layouts[i]))
      return FALSE;
  return TRUE;
}

/* With the run's lock. What was used last comes first. */
static KeptPlan *
find (GstHoloRun *run, const HoloTensorDesc *layouts)
{
  for (guint i = 0; i < run->kept_plans->len; i++)
    if (has_layouts (run, g_ptr_array_index (run->kept_plans, i), layouts))
      {
        KeptPlan *kept = g_ptr_array_steal_index (run->kept_plans, i);

        g_ptr_array_insert (run->kept_plans, 0, kept);
        return kept;
      }
  return NULL;
}

/* Keeps what compiling for @layouts gave: @plan and @scheduler, or %NULL for a refusal. The one that was not used for
 * longest goes. */
void
gst_holo_run_keep_plan (GstHoloRun *run, const HoloTensorDesc *layouts, HoloPlan *plan, HoloScheduler *scheduler)
{
  KeptPlan *kept = g_new0 (KeptPlan, 1), *oldest = NULL;

  kept->layouts = g_memdup2 (layouts, (run->inputs->len + 1) * sizeof *layouts);
  kept->plan = plan != NULL ? holo_plan_ref (plan) : NULL;
  kept->scheduler = scheduler != NULL ? g_object_ref (scheduler) : NULL;
  g_mutex_lock (&run->lock);
  g_ptr_array_insert (run->kept_plans, 0, kept);
  if (run->kept_plans->len > MAX_LAYOUTS)
    oldest = g_ptr_array_steal_index (run->kept_plans, MAX_LAYOUTS);
  g_mutex_unlock (&run->lock);
  g_clear_pointer (&oldest, free_kept_plan);
}

/**
 * gst_holo_run_find_plan:
 * @run: a run
 * @layouts: one layout of each input
 * @plan: (out) (transfer full): the plan that is kept for them
 * @scheduler: (out) (transfer full): its scheduler, at rest or at work
 *
 * Returns: whether there is one
 */
gboolean
gst_holo_run_find_plan (GstHoloRun *run, const HoloTensorDesc *layouts, HoloPlan **plan, HoloScheduler **scheduler)
{
  const KeptPlan *kept;
  gboolean found;

  g_mutex_lock (&run->lock);
  kept = find (run, layouts);
  found = kept != NULL && kept->plan != NULL;
  if (found)
    {
      *plan = holo_plan_ref (kept->plan);
      *scheduler = g_object_ref (kept->scheduler);
    }
  g_mutex_unlock (&run->lock);
  return found;
}

/* The tensors or the settings are others: none is worth anything any more. */
void
gst_holo_run_forget_plans (GstHoloRun *run)
{
  GPtrArray *old;

  g_mutex_lock (&run->lock);
  old = run->kept_plans;
  run->kept_plans = gst_holo_kept_plans_new ();
  g_mutex_unlock (&run->lock);
  g_ptr_array_unref (old);
}

/* ---- other layouts than those of the plan at work ---- */

/* A refusal is kept like a plan: it is not found out for each frame. */
static gboolean
ask_graph (GstHoloRun *run, const HoloTensorDesc *layouts)
{
  g_autoptr (GError) error = NULL;

  if (gst_holo_run_infer (run, layouts, &error))
    return TRUE;
  GST_INFO_OBJECT (run->host, "rows are packed, one copy per frame: %s", error->message);
  gst_holo_run_keep_plan (run, layouts, NULL, NULL);
  return FALSE;
}

/**
 * gst_holo_run_takes_layouts:
 * @run: a run at work
 * @layouts: what comes, one layout of each input
 *
 * Another plan has other tasks, and these know nothing of the frames before: where results depend on them, frames are
 * packed from the second on.
 *
 * Returns: whether gst_holo_run_adopt_layouts() shall be called; otherwise frames are packed
 */
gboolean
gst_holo_run_takes_layouts (GstHoloRun *run, const HoloTensorDesc *layouts)
{
  const KeptPlan *kept;
  gboolean known, taken;

  if (run->remembers && g_atomic_int_get (&run->fed))
    return FALSE;
  g_mutex_lock (&run->lock);
  kept = find (run, layouts);
  known = kept != NULL;
  taken = known && kept->plan != NULL;
  g_mutex_unlock (&run->lock);
  return known ? taken : ask_graph (run, layouts);
}

/* What was inferred may still fail for want of memory: the old layouts were good. */
static void
return_to_layouts (GstHoloRun *run, const HoloTensorDesc *layouts, const HoloTensorDesc *refused, GError **error)
{
  GST_INFO_OBJECT (run->host, "rows are packed, one copy per frame: %s", (*error)->message);
  g_clear_error (error);
  gst_holo_run_keep_plan (run, refused, NULL, NULL);
  gst_holo_run_set_layouts (run, layouts);
  gst_holo_run_use_layouts (run, error);
}

/**
 * gst_holo_run_adopt_layouts:
 * @run: a run at work
 * @caller: the input whose streaming thread calls; it uses the scheduler no more
 * @layouts: one layout of each input
 *
 * Lets everything out that is in the graph and exchanges the plan for one that takes @layouts. A flush, a stop or an
 * error may come between.
 */
void
gst_holo_run_adopt_layouts (GstHoloRun *run, GstHoloInput *caller, const HoloTensorDesc *layouts)
{
  g_autofree HoloTensorDesc *old_layouts = NULL;
  g_autoptr (GError) error = NULL;

  if (!gst_holo_run_drain (run, caller))
    return;
  old_layouts = gst_holo_run_copy_layouts (run);
  gst_holo_run_set_layouts (run, layouts);
  if (!gst_holo_run_use_layouts (run, &error))
    return_to_layouts (run, old_layouts, layouts, &error);
  if (error != NULL || !gst_holo_run_resume (run, &error))
    gst_holo_run_fail (run, error);
  gst_holo_run_open_gate (run);
}
