/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 12: the running tasks. A node of the previous plan with the same name and kind hands its task on: its factory
 * decides what of it survives, and until the new plan is committed the old task behaves as before. */
#include "compiler/holo-compilation.h"
#include "compiler/holo-plan-change.h"
#include "base/holo-error.h"
#include "task/holo-task-private.h"

static HoloPlanNode *
find_previous (HoloCompilation *c, const HoloPlanNode *node)
{
  guint index;

  if (c->previous == NULL || node->implicit || !holo_plan_find_node (c->previous, node->name, &index))
    return NULL;
  return g_str_equal (_holo_plan_node (c->previous, index)->kind, node->kind) &&
                 _holo_plan_node (c->previous, index)->task != NULL
             ? _holo_plan_node (c->previous, index)
             : NULL;
}

static HoloStream *
get_stream (HoloPlan *plan, gint section)
{
  return section >= 0 ? _holo_plan_section (plan, (guint) section)->stream->stream : NULL;
}

static HoloTask *
make_sync (HoloPlan *plan, HoloPlanNode *node, HoloPlanNode *previous, GError **error)
{
  HoloSyncTaskFactory *factory = HOLO_SYNC_TASK_FACTORY (node->factory);
  HoloSyncCreateContext context = { get_stream (plan, node->section_in), plan->device };

  if (previous == NULL)
    return (HoloTask *) holo_sync_task_factory_create (factory, &node->inference, &context, error);
  return (HoloTask *) holo_sync_task_factory_update (factory, HOLO_SYNC_TASK (previous->task), &previous->inference,
                                                     &node->inference, &context, error);
}

static HoloTask *
make_async (HoloPlan *plan, HoloPlanNode *node, HoloPlanNode *previous, GError **error)
{
  HoloAsyncTaskFactory *factory = HOLO_ASYNC_TASK_FACTORY (node->factory);
  HoloAsyncCreateContext context = { get_stream (plan, node->section_in), get_stream (plan, node->section_out),
                                     plan->device };

  if (previous == NULL)
    return (HoloTask *) holo_async_task_factory_create (factory, &node->inference, &context, error);
  return (HoloTask *) holo_async_task_factory_update (factory, HOLO_ASYNC_TASK (previous->task), &previous->inference,
                                                      &node->inference, &context, error);
}

static gboolean
same_type (const HoloPlanNode *node, const HoloPlanNode *previous)
{
  return _holo_plan_node_is_sync (node) ? HOLO_IS_SYNC_TASK (previous->task) : HOLO_IS_ASYNC_TASK (previous->task);
}

HoloTask *
_holo_plan_make_task (HoloPlan *plan, HoloPlanNode *node, HoloPlanNode *previous, GError **error)
{
  HoloTask *task;

  if (previous != NULL && !_holo_task_begin_change (previous->task, error))
    return NULL;
  task = _holo_plan_node_is_sync (node) ? make_sync (plan, node, previous, error)
                                        : make_async (plan, node, previous, error);
  if (previous != NULL && task != previous->task)
    _holo_task_end_change (previous->task);
  return task;
}

/* What a task was made for, besides its settings and tensors. */
static gboolean
same_place (HoloCompilation *c, const HoloPlanNode *node, const HoloPlanNode *previous)
{
  if (c->plan->device != c->previous->device)
    return FALSE;
  return holo_device_is_host (c->plan->device) ||
         (get_stream (c->plan, node->section_in) == get_stream (c->previous, previous->section_in) &&
          get_stream (c->plan, node->section_out) == get_stream (c->previous, previous->section_out));
}

/* A node that has not changed keeps its task, unasked: a change of one restarts no other. Another's task stays marked as
 * changing, if it stays, until the plan is committed or given up. */
static HoloTask *
make_task (HoloCompilation *c, HoloPlanNode *node, GError **error)
{
  HoloPlanNode *previous = find_previous (c, node);
  HoloTask *task;

  if (previous != NULL && !same_type (node, previous))
    previous = NULL;
  if (previous != NULL && same_place (c, node, previous) && _holo_plan_node_is_unchanged (node, previous))
    return g_object_ref (previous->task);
  task = _holo_plan_make_task (c->plan, node, previous, error);
  if (previous != NULL && task == previous->task)
    g_ptr_array_add (c->plan->staged, g_object_ref (task));
  return task;
}

static gboolean
instantiate (HoloCompilation *c, HoloPlanNode *node, GError **error)
{
  node->task = make_task (c, node, error);
  if (node->task != NULL)
    return TRUE;
  if (error != NULL && *error == NULL)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_FAILED, "the factory gave no task and no reason");
  _holo_compilation_prefix_node (error, node);
  return FALSE;
}

static gboolean
is_in_use (HoloCompilation *c, const HoloPlanStream *stream)
{
  for (guint i = 0; c->previous != NULL && i < c->previous->sections->len; i++)
    if (_holo_plan_section (c->previous, i)->stream == stream)
      return TRUE;
  return FALSE;
}

gboolean
_holo_pass_instantiate (HoloCompilation *c, GError **error)
{
  for (guint i = 0; i < c->plan->nodes->len; i++)
    if (!instantiate (c, _holo_plan_node (c->plan, i), error))
      return FALSE;
  /* Set-up work that factories put on the streams ends before the first frame: by the order of the stream where it is one
   * that the previous plan works on, which must not have to wait for it, nor this compilation for its frames. */
  for (guint i = 0; i < c->plan->sections->len; i++)
    if (!is_in_use (c, _holo_plan_section (c->plan, i)->stream) &&
        !holo_stream_synchronize (_holo_plan_section (c->plan, i)->stream->stream, error))
      return FALSE;
  return TRUE;
}
