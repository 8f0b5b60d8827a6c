/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A setting of a running graph. Where the tensors stay what they are, only the sections beside the node rest for a moment, one
 * node is inferred and nothing is compiled; otherwise the graph is compiled anew and exchanged. */
#include "compiler/holo-compilation.h"
#include "compiler/holo-plan-change.h"
#include "base/holo-error.h"
#include "graph/holo-graph-private.h"
#include "task/holo-settings-private.h"
#include "task/holo-task-private.h"
#include "runtime/holo-scheduler-private.h"

typedef struct
{
  const gchar *node;
  JsonObject *settings;
  GError **error;
  gboolean success;
} Change;

/* ---- one node ---- */

typedef struct
{
  guint index;
  HoloGraph *graph;
  HoloTaskFactory *factory;
  HoloInference inference;
  gboolean inferred;
  HoloTask *task;
} Other;

static void
other_clear (Other *other)
{
  g_clear_pointer (&other->graph, holo_graph_unref);
  g_clear_object (&other->factory);
  g_clear_object (&other->task);
  if (other->inferred)
    holo_inference_clear (&other->inference);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Other, other_clear)

static gboolean
infer (HoloPlan *plan, Other *other, GError **error)
{
  const HoloPlanNode *node = _holo_plan_node (plan, other->index);
  g_autofree HoloTensorDesc *descs = g_new0 (HoloTensorDesc, MAX (node->n_inputs, 1));
  guint number;

  holo_graph_find_node (other->graph, node->name, &number);
  other->factory = _holo_compilation_new_factory (plan->registry, holo_graph_get_node (other->graph, number), error);
  if (other->factory == NULL)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    descs[i] = *holo_inference_get_input_desc (&node->inference, i);
  if (!holo_task_factory_infer (other->factory, descs, node->n_inputs, &other->inference, error))
    {
      _holo_compilation_prefix_node (error, node);
      return FALSE;
    }
  other->inferred = TRUE;
  _holo_inference_set_rates (&other->inference);
  for (guint i = 0; i < node->n_inputs; i++) /* what the compiler has decided about them */
    *holo_inference_get_input (&other->inference, i) =
        (HoloInferredInput){ descs[i], holo_inference_get_input (&other->inference, i)->owned,
                             holo_inference_get_input (&other->inference, i)->adopts };
  return TRUE;
}

static gboolean
make_task (HoloPlan *plan, Other *other, GError **error)
{
  HoloPlanNode *node = _holo_plan_node (plan, other->index);
  HoloPlanNode changed = *node;

  changed.factory = other->factory;
  changed.inference = other->inference;
  other->task = _holo_plan_make_task (plan, &changed, node, error);
  if (other->task == NULL)
    _holo_compilation_prefix_node (error, node);
  return other->task != NULL;
}

/* With the roles of the sections beside the node, which hold nothing. */
static void
replace (HoloRunner *runner, HoloBound *bound, Other *other, const gboolean *which)
{
  HoloPlan *old = bound->plan;
  HoloPlanNode *node = _holo_plan_node (old, other->index);
  HoloTask *old_task = node->task;
  HoloPlan *plan = _holo_plan_change_node (old, other->graph, other->index, g_steal_pointer (&other->factory),
                                           g_object_ref (other->task), &other->inference);

  other->inferred = FALSE;
  if (other->task == old_task)
    holo_task_commit (old_task);
  else
    {
      _holo_counter_add (&bound->records[other->index]->discarded, holo_task_get_discarded (old_task));
      _holo_counter_add (&bound->records[other->index]->dropped, holo_task_get_dropped (old_task));
    }
  _holo_runner_lock (runner);
  bound->plan = plan;
  _holo_runner_unlock (runner);
  if (other->task != old_task)
    _holo_bound_attach_task (bound, other->index);
  for (guint i = 0; i < bound->n_sections; i++)
    if (which[i])
      _holo_section_replace_task (bound->sections[i], other->task, other->index);
  holo_plan_unref (old);
}

static void
finish (HoloTask *task)
{
  g_autoptr (GError) error = NULL;

  if (!holo_task_finish (task, HOLO_OP_EOF, &error))
    holo_task_log (task, G_LOG_LEVEL_MESSAGE, "could not complete its work: %s", error->message);
}

static gboolean
change_live (HoloRunner *runner, Other *other, GError **error)
{
  HoloBound *bound = runner->bound;
  const HoloPlanNode *node = _holo_plan_node (bound->plan, other->index);
  g_autofree gboolean *which = g_new0 (gboolean, bound->n_sections + 1);
  g_autoptr (HoloTask) old_task = g_object_ref (node->task);
  gboolean success;

  if (node->section_in >= 0)
    which[node->section_in] = TRUE;
  if (node->section_out >= 0)
    which[node->section_out] = TRUE;
  _holo_runner_rest (runner, bound, which);
  _holo_runner_synchronize (bound, which);
  success = _holo_runner_fold (bound, which, error);
  if (success)
    replace (runner, bound, other, which);
  else if (other->task == old_task)
    holo_task_rollback (old_task);
  _holo_runner_unrest (runner, bound, which);
  if (success && other->task != old_task)
    finish (old_task);
  return success;
}

/* ---- the whole graph ---- */

static gboolean
change_whole (HoloRunner *runner, HoloGraph *graph, GError **error)
{
  HoloPlan *old = runner->bound->plan;
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (old->registry);
  g_autoptr (HoloPlan) plan = NULL;
  guint64 n_discarded = 0;
  GHashTableIter iter;
  gpointer name, desc;

  holo_compiler_set_device (compiler, old->device);
  holo_compiler_set_storage_sharing (compiler, old->storage_sharing);
  holo_compiler_set_in_place (compiler, old->in_place);
  g_hash_table_iter_init (&iter, old->input_descs);
  while (g_hash_table_iter_next (&iter, &name, &desc))
    holo_compiler_set_input_desc (compiler, name, desc);
  plan = holo_compiler_compile (compiler, graph, old, error);
  return plan != NULL && _holo_runner_exchange (runner, plan, &n_discarded, error);
}

/* ---- the operation ---- */

/* The graph may have a setting under another of its names. */
static gboolean
set_all (HoloPlan *plan, HoloGraph *graph, const gchar *node, JsonObject *settings, GError **error)
{
  JsonObjectIter iter;
  const gchar *name;
  JsonNode *value;
  guint number, index;

  json_object_iter_init (&iter, settings);
  while (json_object_iter_next (&iter, &name, &value))
    if (holo_graph_find_node (graph, node, &number) && holo_plan_find_node (plan, node, &index))
      _holo_graph_remove_setting (graph, number, HOLO_TASK_FACTORY_GET_CLASS (_holo_plan_node (plan, index)->factory),
                                  name);
  json_object_iter_init (&iter, settings);
  while (json_object_iter_next (&iter, &name, &value))
    if (!holo_graph_set_setting (graph, node, name, value, error))
      return FALSE;
  return TRUE;
}

/* Whether the node may change alone: an asynchronous task that is replaced has to be drained. */
static gboolean
may_change_alone (HoloPlan *plan, const Other *other)
{
  const HoloPlanNode *node = _holo_plan_node (plan, other->index);

  return _holo_inference_fits (&other->inference, &node->inference) &&
         (_holo_plan_node_is_sync (node) || other->task == node->task);
}

static gboolean
change (HoloRunner *runner, Change *change, GError **error)
{
  HoloPlan *plan = runner->bound->plan;
  g_auto (Other) other = { .graph = holo_graph_copy (plan->graph) };
  const HoloPlanNode *node;

  if (!set_all (plan, other.graph, change->node, change->settings, error))
    return FALSE;
  other.index = (guint) _holo_bound_find (runner->bound, change->node);
  node = _holo_plan_node (plan, other.index);
  if (runner->bound->boundaries[other.index] != NULL && runner->bound->boundaries[other.index]->end != NULL)
    return change_whole (runner, other.graph, error);
  if (!infer (plan, &other, error))
    return FALSE;
  if (!_holo_inference_fits (&other.inference, &node->inference))
    return change_whole (runner, other.graph, error);
  if (!make_task (plan, &other, error))
    return FALSE;
  if (may_change_alone (plan, &other))
    return change_live (runner, &other, error);
  return change_whole (runner, other.graph, error);
}

static void
run_change (HoloRunner *runner, HoloOperation *operation)
{
  Change *wish = operation->data;

  wish->success = change (runner, wish, wish->error);
}

/**
 * holo_scheduler_set_settings:
 * @scheduler: a scheduler, running or not
 * @node: name of a node of its plan
 * @settings: (transfer none): names and values as in a graph file; others stay as they are
 * @error: return location; a value that is refused names its JSON path and what is allowed
 *
 * Changes settings of one node, together. Returns when they are in force: frames that the node gets afterwards are
 * treated by them, no frame is lost, and no other node is restarted. If the tensors stay what they are only the sections
 * beside the node rest for a moment; otherwise the graph is compiled anew and exchanged as by holo_scheduler_update().
 *
 * Returns: %FALSE when they are refused, and nothing has changed; %FALSE with %HOLO_ERROR_STATE inside a task
 *
 * Since: 0.1
 */
gboolean
holo_scheduler_set_settings (HoloScheduler *scheduler, const gchar *node, JsonObject *settings, GError **error)
{
  HoloRunner *runner;
  Change change = { node, settings, error, FALSE };

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler) && node != NULL && settings != NULL, FALSE);

  runner = _holo_scheduler_get_runner (scheduler);
  if (_holo_owner_refuses_to_wait (&runner->owner, error))
    return FALSE;
  _holo_runner_call (runner, run_change, &change);
  return change.success;
}

/* The property of the node's kind, (transfer none): classes of factories stay. */
static GParamSpec *
find_setting (HoloScheduler *scheduler, const gchar *node, const gchar *setting, const gchar *path, GError **error)
{
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
  guint index;

  if (!_holo_graph_find_node (plan->graph, node, NULL, error) || !holo_plan_find_node (plan, node, &index))
    return NULL;
  return _holo_settings_require (holo_plan_get_node_factory (plan, index), setting, path, error);
}

/**
 * holo_scheduler_set_setting:
 * @scheduler: a scheduler, running or not
 * @node: name of a node of its plan
 * @setting: name of a setting, in either spelling
 * @value: its value, of the type of the setting's property or one that can be transformed to it
 * @error: return location
 *
 * As holo_scheduler_set_settings() for one setting.
 *
 * Returns: %FALSE when it is refused
 *
 * Since: 0.1
 */
gboolean
holo_scheduler_set_setting (HoloScheduler *scheduler, const gchar *node, const gchar *setting, const GValue *value,
                            GError **error)
{
  g_autoptr (JsonObject) settings = json_object_new ();
  g_autofree gchar *path = NULL;
  g_auto (GValue) own = G_VALUE_INIT;
  GParamSpec *pspec;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler) && node != NULL && setting != NULL && value != NULL, FALSE);

  path = _holo_graph_get_setting_path (node, setting);
  pspec = find_setting (scheduler, node, setting, path, error);
  if (pspec == NULL)
    return FALSE;
  g_value_init (&own, pspec->value_type);
  if (!g_value_transform (value, &own))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "%s: expected a value of type %s, found one of type %s", path,
                   g_type_name (pspec->value_type), G_VALUE_TYPE_NAME (value));
      return FALSE;
    }
  json_object_set_member (settings, pspec->name, holo_setting_to_json (pspec, &own));
  return holo_scheduler_set_settings (scheduler, node, settings, error);
}

/**
 * holo_scheduler_set_setting_text:
 * @scheduler: a scheduler, running or not
 * @node: name of a node of its plan
 * @setting: name of a setting, in either spelling
 * @text: its value as on a command line: `3`, `upstream`, `[2, 4]`
 * @error: return location
 *
 * As holo_scheduler_set_settings() for one setting.
 *
 * Returns: %FALSE when it is refused
 *
 * Since: 0.1
 */
gboolean
holo_scheduler_set_setting_text (HoloScheduler *scheduler, const gchar *node, const gchar *setting, const gchar *text,
                                 GError **error)
{
  g_autofree gchar *path = NULL;
  g_auto (GValue) value = G_VALUE_INIT;
  GParamSpec *pspec;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler) && node != NULL && setting != NULL && text != NULL, FALSE);

  path = _holo_graph_get_setting_path (node, setting);
  pspec = find_setting (scheduler, node, setting, path, error);
  return pspec != NULL && _holo_setting_value_from_text (pspec, text, path, &value, error) &&
         holo_scheduler_set_setting (scheduler, node, setting, &value, error);
}
