/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "tasks/task-runner.h"

#define MAX_SLOTS 8

/* ---- life ---- */

TaskRunner *
task_runner_new (const gchar *kind, const gchar *settings_json, GError **error)
{
  g_autoptr (TaskRunner) runner = g_new0 (TaskRunner, 1);
  g_autoptr (GError) unknown = NULL;

  runner->factory = holo_registry_create_factory (holo_registry_get_default (), kind, &unknown);
  g_assert_no_error (unknown);
  runner->stream = holo_device_create_stream (holo_device_get_host (), NULL);
  if (!task_runner_set (runner, settings_json, error))
    return NULL;
  return g_steal_pointer (&runner);
}

static void
forget_inference (TaskRunner *runner)
{
  if (runner->is_inferred)
    holo_inference_clear (&runner->inference);
  runner->is_inferred = FALSE;
}

void
task_runner_free (TaskRunner *runner)
{
  forget_inference (runner);
  g_clear_object (&runner->task);
  if (runner->stream != NULL)
    holo_device_release_stream (holo_device_get_host (), runner->stream);
  g_clear_object (&runner->factory);
  g_free (runner);
}

gboolean
task_runner_set (TaskRunner *runner, const gchar *settings_json, GError **error)
{
  g_autoptr (JsonNode) node = json_from_string (settings_json, error);

  return node != NULL &&
         holo_settings_apply_json (runner->factory, json_node_get_object (node), "/nodes/test/params", error);
}

static void
collect_descs (TaskArray *const *inputs, guint n_inputs, HoloTensorDesc *descs)
{
  g_assert_cmpuint (n_inputs, <=, MAX_SLOTS);
  for (guint i = 0; i < n_inputs; i++)
    descs[i] = inputs[i]->desc;
}

gboolean
task_runner_infer (TaskRunner *runner, TaskArray *const *inputs, guint n_inputs, GError **error)
{
  HoloTensorDesc descs[MAX_SLOTS];

  collect_descs (inputs, n_inputs, descs);
  forget_inference (runner);
  runner->is_inferred = holo_task_factory_infer (runner->factory, descs, n_inputs, &runner->inference, error);
  return runner->is_inferred;
}

gboolean
task_runner_create (TaskRunner *runner, GError **error)
{
  HoloSyncCreateContext context = { runner->stream, holo_device_get_host () };
  g_autoptr (HoloTaskFactory) frozen = holo_task_factory_copy (runner->factory);

  g_clear_object (&runner->task);
  runner->task = holo_sync_task_factory_create (HOLO_SYNC_TASK_FACTORY (frozen), &runner->inference, &context, error);
  return runner->task != NULL;
}

gboolean
task_runner_update (TaskRunner *runner, TaskArray *const *inputs, guint n_inputs, GError **error)
{
  HoloSyncCreateContext context = { runner->stream, holo_device_get_host () };
  g_autoptr (HoloTaskFactory) frozen = holo_task_factory_copy (runner->factory);
  g_auto (HoloInference) old_inference = { 0 };
  HoloSyncTask *task;

  holo_inference_copy (&old_inference, &runner->inference);
  if (!task_runner_infer (runner, inputs, n_inputs, error))
    return FALSE;
  task = holo_sync_task_factory_update (HOLO_SYNC_TASK_FACTORY (frozen), runner->task, &old_inference,
                                        &runner->inference, &context, error);
  if (task == NULL)
    return FALSE;
  g_clear_object (&runner->task);
  runner->task = task;
  holo_task_commit (HOLO_TASK (task));
  return TRUE;
}

gboolean
task_runner_can_run_in_place (TaskRunner *runner)
{
  for (guint i = 0; i < holo_inference_get_n_outputs (&runner->inference); i++)
    if (holo_inference_get_output (&runner->inference, i)->in_place == HOLO_IN_PLACE_MAY)
      return TRUE;
  return FALSE;
}

/* ---- one call ---- */

typedef struct
{
  TaskArray *arrays[MAX_SLOTS];
  HoloStorage storages[MAX_SLOTS];
  HoloTensorView views[MAX_SLOTS];
  HoloTensorView *pointers[MAX_SLOTS];
} Side;

static void
set_view (Side *side, guint index, const HoloTensorDesc *desc)
{
  holo_storage_init (&side->storages[index], side->arrays[index]->data, side->arrays[index]->size);
  holo_tensor_view_init (&side->views[index], desc, &side->storages[index]);
  side->pointers[index] = &side->views[index];
}

static gboolean
shares (const HoloInferredOutput *output, TaskRunMode mode)
{
  return output->in_place == HOLO_IN_PLACE_VIEW || output->in_place == HOLO_IN_PLACE_MUST ||
         (output->in_place == HOLO_IN_PLACE_MAY && mode == TASK_RUN_IN_PLACE);
}

/* A copy of the same layout: what the task may overwrite. */
static TaskArray *
duplicate (const TaskArray *array)
{
  TaskArray *copy = task_array_new_for_desc (&array->desc);

  memcpy (copy->data, array->data, copy->size);
  return copy;
}

static void
set_outputs (TaskRunner *runner, TaskRunMode mode, Side *in, Side *out, guint n_outputs)
{
  for (guint i = 0; i < n_outputs; i++)
    {
      const HoloInferredOutput *output = holo_inference_get_output (&runner->inference, i);

      g_assert_false (output->owned);
      out->arrays[i] =
          shares (output, mode) ? in->arrays[output->in_place_input] : task_array_new_for_desc (&output->desc);
      set_view (out, i, &output->desc);
      if (holo_inference_get_n_inputs (&runner->inference) > 0)
        out->views[i].stamp = in->views[0].stamp;
    }
}

/* What the caller gets lies in memory of its own. */
static TaskArray *
take_output (Side *out, guint index)
{
  TaskArray whole = *out->arrays[index];

  whole.desc = out->views[index].desc;
  return task_array_copy (&whole, TASK_LAYOUT_DENSE);
}

/* A task writes into its inputs only where it was told to. */
static void
check_untouched (const Side *in, TaskArray *const *inputs, guint n_inputs, const Side *out, guint n_outputs)
{
  for (guint i = 0; i < n_inputs; i++)
    {
      gboolean is_shared = FALSE;

      for (guint k = 0; k < n_outputs; k++)
        is_shared |= out->arrays[k] == in->arrays[i];
      if (!is_shared && memcmp (in->arrays[i]->data, inputs[i]->data, in->arrays[i]->size) != 0)
        g_error ("the task wrote into input %u", i);
    }
}

static void
free_output_arrays (const Side *in, guint n_inputs, const Side *out, guint n_outputs)
{
  for (guint i = 0; i < n_outputs; i++)
    {
      gboolean is_shared = FALSE;

      for (guint k = 0; k < n_inputs; k++)
        is_shared |= out->arrays[i] == in->arrays[k];
      if (!is_shared)
        task_array_free (out->arrays[i]);
    }
}

HoloOpResult
task_runner_execute (TaskRunner *runner, TaskRunMode mode, TaskArray *const *inputs, guint n_inputs,
                     TaskArray **outputs, HoloStamp *stamps, GError **error)
{
  Side in = { 0 }, out = { 0 };
  guint n_outputs = holo_inference_get_n_outputs (&runner->inference);
  HoloSyncContext context = {
    .inputs = in.pointers,
    .outputs = out.pointers,
    .n_inputs = n_inputs,
    .n_outputs = n_outputs,
    .stream = runner->stream,
  };
  HoloOpResult result;

  g_assert_cmpuint (n_inputs, ==, holo_inference_get_n_inputs (&runner->inference));
  for (guint i = 0; i < n_inputs; i++)
    {
      in.arrays[i] = duplicate (inputs[i]);
      set_view (&in, i, &inputs[i]->desc);
    }
  set_outputs (runner, mode, &in, &out, n_outputs);
  result = holo_sync_task_execute (runner->task, &context, error);
  check_untouched (&in, inputs, n_inputs, &out, n_outputs);
  for (guint i = 0; i < n_outputs && result == HOLO_OP_OK; i++)
    {
      outputs[i] = take_output (&out, i);
      if (stamps != NULL)
        stamps[i] = out.views[i].stamp;
    }
  free_output_arrays (&in, n_inputs, &out, n_outputs);
  for (guint i = 0; i < n_inputs; i++)
    task_array_free (in.arrays[i]);
  return result;
}

/* ---- all at once ---- */

TaskArray *
task_run (const gchar *kind, const gchar *settings_json, TaskArray *const *inputs, guint n_inputs, TaskRunMode mode,
          GError **error)
{
  g_autoptr (TaskRunner) runner = task_runner_new (kind, settings_json, error);
  TaskArray *output = NULL;

  if (runner == NULL || !task_runner_infer (runner, inputs, n_inputs, error) || !task_runner_create (runner, error))
    return NULL;
  g_assert_cmpuint (holo_inference_get_n_outputs (&runner->inference), ==, 1);
  task_runner_execute (runner, mode, inputs, n_inputs, &output, NULL, error);
  return output;
}

static void
check_once (const gchar *kind, const gchar *settings_json, TaskArray *const *inputs, guint n_inputs, TaskLayout layout,
            TaskRunMode mode, const TaskArray *expected, gdouble tolerance)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TaskArray) output = NULL;
  TaskArray *laid_out[MAX_SLOTS];

  for (guint i = 0; i < n_inputs; i++)
    laid_out[i] = task_array_copy (inputs[i], layout);
  output = task_run (kind, settings_json, laid_out, n_inputs, mode, &error);
  for (guint i = 0; i < n_inputs; i++)
    task_array_free (laid_out[i]);
  g_assert_no_error (error);
  g_assert_nonnull (output);
  if (!task_array_is_same (output, expected, tolerance))
    g_error ("%s %s, layout %d, mode %d: wrong result (see the messages above)", kind, settings_json, layout, mode);
}

void
task_check (const gchar *kind, const gchar *settings_json, TaskArray *const *inputs, guint n_inputs, HoloDType dtype,
            guint rank, const gint64 *shape, gconstpointer expected, gdouble tolerance)
{
  g_autoptr (TaskArray) wanted = task_array_new (dtype, rank, shape, expected);

  for (guint layout = 0; layout < TASK_N_LAYOUTS; layout++)
    for (guint mode = TASK_RUN_NORMAL; mode <= TASK_RUN_IN_PLACE; mode++)
      check_once (kind, settings_json, inputs, n_inputs, (TaskLayout) layout, (TaskRunMode) mode, wanted, tolerance);
}

void
task_check_refused (const gchar *kind, const gchar *settings_json, TaskArray *const *inputs, guint n_inputs, gint code,
                    const gchar *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TaskRunner) runner = task_runner_new (kind, settings_json, &error);

  g_assert_false (runner != NULL && task_runner_infer (runner, inputs, n_inputs, &error));
  g_assert_error (error, HOLO_ERROR, code);
  if (strstr (error->message, text) == NULL)
    g_error ("the message \"%s\" does not say \"%s\"", error->message, text);
}
