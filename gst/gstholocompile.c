/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a run's graph and the tensors of its inputs to a plan, a scheduler for it, and who drives which section. */
#include "gstholohost-private.h"

#define GST_CAT_DEFAULT gst_holo_host_debug

/* For @layouts of the inputs whose caps are known. */
HoloCompiler *
gst_holo_run_new_compiler (GstHoloRun *run, const HoloTensorDesc *layouts)
{
  HoloCompiler *compiler = holo_compiler_new (gst_holo_host_get_registry (run->host));

  holo_compiler_set_device (compiler, run->device);
  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);

      if (input->has_info)
        holo_compiler_set_input_desc (compiler, input->name, &layouts[i]);
    }
  return compiler;
}

/* The tensor that an Input asks for by its own settings; FALSE when it leaves that to the caps. */
gboolean
gst_holo_run_get_input_desc (GstHoloRun *run, GstHoloInput *input, HoloTensorDesc *desc)
{
  HoloRegistry *registry = gst_holo_host_get_registry (run->host);
  g_autoptr (HoloGraph) wish = gst_holo_run_ref_wish (run);
  g_autoptr (HoloTaskFactory) factory = NULL;
  HoloInference inference;
  const HoloGraphNode *node;
  guint number;

  holo_graph_find_node (wish, input->name, &number);
  node = holo_graph_get_node (wish, number);
  factory = holo_registry_create_factory (registry, node->kind, NULL);
  if (factory == NULL || node->settings == NULL || !JSON_NODE_HOLDS_OBJECT (node->settings) ||
      !holo_settings_apply_json (factory, json_node_get_object (node->settings), "", NULL) ||
      !holo_task_factory_infer (factory, NULL, 0, &inference, NULL))
    return FALSE;
  *desc = *holo_inference_get_output_desc (&inference, 0);
  holo_inference_clear (&inference);
  return TRUE;
}

/* Whether the tensors of all inputs are known, from caps or from the settings of the graph. */
gboolean
gst_holo_run_can_compile (GstHoloRun *run)
{
  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);
      HoloTensorDesc desc;

      if (!input->has_info && !gst_holo_run_get_input_desc (run, input, &desc))
        return FALSE;
    }
  return TRUE;
}

/* Everything that can be found out before data flows. */
gboolean
gst_holo_run_check (GstHoloRun *run, GError **error)
{
  g_autofree HoloTensorDesc *layouts = gst_holo_run_copy_layouts (run);
  g_autoptr (GError) local = NULL;
  gboolean ok;

  if (!gst_holo_run_can_compile (run))
    return TRUE;
  ok = gst_holo_run_infer (run, layouts, &local);
  if (!ok && gst_holo_run_lacks_device (run, local))
    {
      g_clear_error (&local);
      ok = gst_holo_run_find_device (run, &local) && gst_holo_run_infer (run, layouts, &local);
    }
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&local));
  return ok;
}

/* Whether the graph takes @layouts. Makes no task. */
gboolean
gst_holo_run_infer (GstHoloRun *run, const HoloTensorDesc *layouts, GError **error)
{
  g_autoptr (HoloCompiler) compiler = gst_holo_run_new_compiler (run, layouts);
  g_autoptr (HoloPlan) plan = NULL;

  g_mutex_lock (&run->compile_lock);
  plan = holo_compiler_infer (compiler, run->graph, error);
  g_mutex_unlock (&run->compile_lock);
  return plan != NULL;
}

static gint
find_section (HoloPlan *plan, const gchar *name, gboolean output)
{
  guint node;

  return holo_plan_find_node (plan, name, &node) ? holo_plan_get_node_section (plan, node, output) : -1;
}

static GstHoloInput *
find_input_of_section (GstHoloRun *run, HoloPlan *plan, gint section)
{
  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);

      if (find_section (plan, input->name, TRUE) == section)
        return input;
    }
  return NULL;
}

/* Who drives what: sections with an Input by the sink pads' threads, all others by a driver each. */
static void
assign_sections (GstHoloRun *run, HoloPlan *plan)
{
  guint n_sections = holo_plan_get_n_sections (plan);
  g_autofree GstHoloOutput **outputs = g_new0 (GstHoloOutput *, n_sections + 1);

  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);

      input->direct = NULL;
    }
  for (guint i = 0; i < run->outputs->len; i++)
    {
      GstHoloOutput *output = g_ptr_array_index (run->outputs, i);
      gint section = find_section (plan, output->name, FALSE);
      GstHoloInput *input = find_input_of_section (run, plan, section);

      output->driver = NULL;
      if (input != NULL)
        input->direct = output;
      else if (section >= 0)
        outputs[section] = output;
    }
  for (guint s = 0; s < n_sections; s++)
    if (find_input_of_section (run, plan, (gint) s) == NULL)
      gst_holo_run_add_driver (run, gst_holo_driver_new (run, plan, s, outputs[s]));
}

/* Whether the frames of one output may share frames of its input: windows that overlap. Then the frames of an
 * output have not left for good when it has. */
static gboolean
node_overlaps (HoloPlan *plan, guint node)
{
  const HoloInference *inference = holo_plan_get_node_inference (plan, node);

  for (guint i = 0; i < holo_inference_get_n_outputs (inference); i++)
    {
      const HoloInferredOutput *output = holo_inference_get_output (inference, i);

      if (output->rate_n > 0 && (guint64) (output->held_min + 1) * output->rate_n > (guint64) output->rate_d)
        return TRUE;
    }
  return FALSE;
}

static gboolean
any_overlaps (HoloPlan *plan)
{
  for (guint i = 0; i < holo_plan_get_n_nodes (plan); i++)
    if (node_overlaps (plan, i))
      return TRUE;
  return FALSE;
}

static void
announce_outputs (GstHoloRun *run, HoloPlan *plan)
{
  gboolean overlaps = any_overlaps (plan);

  for (guint i = 0; i < run->outputs->len; i++)
    {
      GstHoloOutput *output = g_ptr_array_index (run->outputs, i);
      const HoloInference *inference;
      guint node;

      output->overlaps = overlaps;
      if (!holo_plan_find_node (plan, output->name, &node))
        continue;
      inference = holo_plan_get_node_inference (plan, node);
      gst_holo_output_set_desc (output, holo_inference_get_input_desc (inference, 0));
      /* The output outlives the scheduler. */
      holo_end_set_allocator (output->end, gst_holo_output_allocate, output, NULL);
    }
}

static void
log_plan (GstHoloRun *run, HoloPlan *plan)
{
  g_autofree gchar *text = NULL;

  if (gst_debug_category_get_threshold (GST_CAT_DEFAULT) < GST_LEVEL_INFO)
    return;
  text = holo_plan_to_text (plan);
  GST_INFO_OBJECT (run->host, "plan:\n%s", text);
}

static HoloScheduler *
new_scheduler (GstHoloRun *run, HoloPlan *plan)
{
  HoloScheduler *scheduler = holo_scheduler_new (plan);

  holo_scheduler_set_ended_func (scheduler, gst_holo_run_ended, run, NULL);
  /* Streaming threads and our own tasks: while they wait they have nothing else to do. */
  holo_scheduler_set_driving (scheduler, HOLO_DRIVING_CALLER);
  holo_scheduler_set_may_spin (scheduler, TRUE);
  /* They always go on, however long a sink holds them. */
  holo_scheduler_set_drain_limit (scheduler, -1);
  return scheduler;
}

/* With the compile lock. The plan for the layouts that the inputs have: one that was kept, or a new one. */
static gboolean
get_plan (GstHoloRun *run, HoloPlan **plan, HoloScheduler **scheduler, GError **error)
{
  g_autofree HoloTensorDesc *layouts = gst_holo_run_copy_layouts (run);
  g_autoptr (HoloCompiler) compiler = NULL;

  if (gst_holo_run_find_plan (run, layouts, plan, scheduler))
    return TRUE;
  compiler = gst_holo_run_new_compiler (run, layouts);
  *plan = holo_compiler_compile (compiler, run->graph, NULL, error);
  if (*plan == NULL)
    return FALSE;
  *scheduler = new_scheduler (run, *plan);
  run->n_compiled++;
  g_mutex_lock (&run->lock);
  run->behind = FALSE;
  g_mutex_unlock (&run->lock);
  gst_holo_run_keep_plan (run, layouts, *plan, *scheduler);
  log_plan (run, *plan);
  return TRUE;
}

/* Whether results of the plan depend on earlier frames. */
static gboolean
remembers (HoloPlan *plan)
{
  for (guint i = 0; i < holo_plan_get_n_nodes (plan); i++)
    if (holo_plan_get_node_inference (plan, i)->stateful)
      return TRUE;
  return FALSE;
}

/**
 * gst_holo_run_use_layouts:
 * @run: a run whose inputs are known; nothing of an earlier plan is at work
 * @error: return location
 *
 * Takes the plan for the layouts of the inputs, and its scheduler, which starts with gst_holo_run_resume().
 *
 * Returns: %FALSE when the graph does not take them
 */
gboolean
gst_holo_run_use_layouts (GstHoloRun *run, GError **error)
{
  HoloScheduler *scheduler = NULL;
  g_autoptr (HoloPlan) plan = NULL;

  gst_holo_run_drop_drivers (run);
  gst_holo_run_save_numbers (run);
  g_mutex_lock (&run->compile_lock);
  if (get_plan (run, &plan, &scheduler, error))
    {
      g_mutex_lock (&run->start_lock);
      gst_holo_run_set_plan (run, holo_plan_ref (plan), scheduler);
      g_mutex_unlock (&run->start_lock);
    }
  g_mutex_unlock (&run->compile_lock);
  if (plan == NULL)
    return FALSE;
  run->remembers = remembers (plan);
  assign_sections (run, plan);
  announce_outputs (run, plan);
  return TRUE;
}

/* On the host; where something lies on a device, there. */
static gboolean
use_layouts_anywhere (GstHoloRun *run, GError **error)
{
  g_autoptr (GError) local = NULL;

  if (gst_holo_run_use_layouts (run, &local))
    return TRUE;
  if (gst_holo_run_lacks_device (run, local))
    return gst_holo_run_find_device (run, error) && gst_holo_run_use_layouts (run, error);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/* The layouts that the caps mean. TRUE when @dense makes a difference. */
static gboolean
set_layouts_of_caps (GstHoloRun *run, gboolean dense)
{
  g_autofree HoloTensorDesc *layouts = gst_holo_run_copy_layouts (run);
  gboolean changed = FALSE;

  for (guint i = 0; i < run->inputs->len; i++)
    {
      GstHoloInput *input = g_ptr_array_index (run->inputs, i);

      layouts[i] = input->info.desc;
      if (!input->has_info || !dense || holo_tensor_desc_is_dense (&layouts[i]))
        continue;
      holo_tensor_desc_init_dense_like (&layouts[i], &input->info.desc);
      changed = TRUE;
    }
  gst_holo_run_set_layouts (run, layouts);
  return changed;
}

/**
 * gst_holo_run_compile:
 * @run: a run whose inputs are known
 * @error: return location
 *
 * Makes the plan for the present caps and a scheduler for it. Nothing of an earlier plan may be at work. Pictures have
 * padded rows by nature: a graph that does not take these gets packed ones.
 *
 * Returns: %FALSE when the graph does not fit the caps
 */
gboolean
gst_holo_run_compile (GstHoloRun *run, GError **error)
{
  g_autoptr (GError) local = NULL;
  gboolean ok;

  gst_holo_run_forget_plans (run);
  set_layouts_of_caps (run, FALSE);
  ok = use_layouts_anywhere (run, &local);
  if (!ok && set_layouts_of_caps (run, TRUE))
    {
      GST_INFO_OBJECT (run->host, "rows are packed, one copy per frame: %s", local->message);
      g_clear_error (&local);
      ok = gst_holo_run_use_layouts (run, &local);
    }
  if (!ok)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  gst_element_post_message (GST_ELEMENT (run->host), gst_message_new_latency (GST_OBJECT (run->host)));
  return TRUE;
}
