/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "runtime/holo-bound.h"

#include "task/holo-task-private.h"
#include "event/holo-event-router-private.h"

/* ---- making one ---- */

static HoloTensorView **
new_views (HoloPlan *plan)
{
  HoloTensorView **views = g_new0 (HoloTensorView *, plan->tensors->len + 1);

  for (guint i = 0; i < plan->tensors->len; i++)
    {
      const HoloPlanTensor *tensor = _holo_plan_tensor (plan, i);

      views[i] = g_new0 (HoloTensorView, 1);
      holo_tensor_view_init (views[i], &tensor->desc, _holo_plan_storage (plan, tensor->storage)->storage);
    }
  return views;
}

/* The name of a node is its identity, under whatever kind. Copies that the plan inserts are numbered anew each time. */
static HoloNodeRecord *
get_record (HoloBound *before, const HoloPlanNode *node, gint old)
{
  return old >= 0 && !node->implicit ? _holo_node_record_ref (before->records[old]) : _holo_node_record_new ();
}

static gboolean
is_end (const HoloPlanNode *node)
{
  return HOLO_ASYNC_TASK_GET_CLASS (node->task)->bind_end != NULL;
}

/* Goes on as long as its task does. */
static HoloBoundary *
get_boundary (HoloOwner *owner, HoloBound *before, const HoloPlanNode *node, gint old)
{
  HoloBoundary *boundary = old >= 0 ? before->boundaries[old] : NULL;
  HoloEnd *end = NULL;

  if (boundary != NULL && boundary->task == (HoloAsyncTask *) node->task)
    return _holo_boundary_ref (boundary);
  if (is_end (node))
    end = owner->klass->get_end (owner, node->name, node->n_inputs == 0);
  return _holo_boundary_new (node, end);
}

static HoloSection *
get_section (HoloOwner *owner, HoloBound *before, const HoloPlanSection *section)
{
  if (before != NULL && section->inherits >= 0)
    return holo_section_ref (before->sections[section->inherits]);
  return _holo_section_new (owner);
}

HoloBound *
_holo_bound_new (HoloOwner *owner, HoloEventRouter *router, HoloPlan *plan, HoloBound *before)
{
  HoloBound *bound = g_new0 (HoloBound, 1);

  bound->ref_count = 1;
  bound->plan = holo_plan_ref (plan);
  bound->router = router;
  bound->n_nodes = plan->nodes->len;
  bound->n_sections = plan->sections->len;
  bound->n_views = plan->tensors->len;
  bound->views = new_views (plan);
  bound->boundaries = g_new0 (HoloBoundary *, bound->n_nodes + 1);
  bound->records = g_new0 (HoloNodeRecord *, bound->n_nodes + 1);
  bound->readers = g_new0 (HoloEventReader *, bound->n_nodes + 1);
  bound->writers = g_new0 (HoloEventWriter *, bound->n_nodes + 1);
  bound->sections = g_new0 (HoloSection *, bound->n_sections + 1);
  for (guint i = 0; i < bound->n_nodes; i++)
    {
      const HoloPlanNode *node = _holo_plan_node (plan, i);
      gint old = before != NULL ? _holo_bound_find (before, node->name) : -1;

      bound->records[i] = get_record (before, node, old);
      if (!_holo_plan_node_is_sync (node))
        bound->boundaries[i] = get_boundary (owner, before, node, old);
    }
  for (guint i = 0; i < bound->n_sections; i++)
    bound->sections[i] = get_section (owner, before, _holo_plan_section (plan, i));
  return bound;
}

HoloBound *
_holo_bound_ref (HoloBound *bound)
{
  g_atomic_int_inc (&bound->ref_count);
  return bound;
}

void
_holo_bound_unref (HoloBound *bound)
{
  if (!g_atomic_int_dec_and_test (&bound->ref_count))
    return;
  for (guint i = 0; i < bound->n_views; i++)
    g_free (bound->views[i]);
  for (guint i = 0; i < bound->n_nodes; i++)
    {
      g_clear_pointer (&bound->boundaries[i], _holo_boundary_unref);
      _holo_node_record_unref (bound->records[i]);
    }
  for (guint i = 0; i < bound->n_sections; i++)
    holo_section_unref (bound->sections[i]);
  g_free (bound->views);
  g_free (bound->boundaries);
  g_free (bound->records);
  g_free (bound->readers);
  g_free (bound->writers);
  g_free (bound->sections);
  holo_plan_unref (bound->plan);
  g_free (bound);
}

/* ---- attaching it ---- */

static HoloSection *
get_section_or_null (HoloBound *bound, gint index)
{
  return index >= 0 ? bound->sections[index] : NULL;
}

/* Half of what the node can hold; 1 = its other side is woken at each call. */
static guint
get_wake_batch (const HoloPlanNode *node)
{
  guint held = node->n_outputs > 0 ? holo_inference_get_output (&node->inference, 0)->held_max : 0;

  return node->inference.signals_readiness ? CLAMP (held / 2, 1, 16) : 1;
}

static void
attach_end (HoloBound *bound, const HoloPlanNode *node, HoloBoundary *boundary)
{
  HoloSection *section = boundary->is_input ? boundary->consumer_section : boundary->producer_section;

  _holo_end_bind (boundary->end, node->task, section != NULL ? &section->worker : NULL);
  if (boundary->is_input)
    {
      const HoloInferredOutput *output = holo_inference_get_output (&node->inference, 0);

      _holo_end_set_desc (boundary->end, &output->desc, output->writable, bound->plan->device);
    }
  HOLO_ASYNC_TASK_GET_CLASS (boundary->task)->bind_end (boundary->task, boundary->end);
}

static void
attach_boundary (HoloBound *bound, guint index)
{
  const HoloPlanNode *node = _holo_plan_node (bound->plan, index);
  HoloBoundary *boundary = bound->boundaries[index];

  boundary->handles_fences = node->inference.handles_fences;
  boundary->signals_readiness = node->inference.signals_readiness;
  boundary->synchronizes = node->inference.synchronizes_producer_stream;
  boundary->wake_batch = get_wake_batch (node);
  boundary->producer_section = get_section_or_null (bound, node->section_in);
  boundary->consumer_section = get_section_or_null (bound, node->section_out);
  boundary->producer = boundary->producer_section != NULL ? &boundary->producer_section->worker.waiter : NULL;
  boundary->consumer = boundary->consumer_section != NULL ? &boundary->consumer_section->worker.waiter : NULL;
  if (boundary->end != NULL)
    attach_end (bound, node, boundary);
}

void
_holo_bound_attach_task (HoloBound *bound, guint index)
{
  const HoloPlanNode *node = _holo_plan_node (bound->plan, index);
  g_autofree HoloStorage **storages = g_new0 (HoloStorage *, node->n_inputs + node->n_outputs + 1);

  for (guint k = 0; k < node->n_inputs; k++)
    storages[k] = bound->views[node->inputs[k]]->storage;
  for (guint k = 0; k < node->n_outputs; k++)
    storages[node->n_inputs + k] = bound->views[node->outputs[k]]->storage;
  _holo_task_bind (node->task, node->name, node->kind, node->n_inputs, storages, node->n_outputs,
                   storages + node->n_inputs);
}

void
_holo_bound_attach (HoloBound *bound)
{
  const HoloWiring wiring = { bound->plan,    bound->views,   bound->boundaries,
                              bound->records, bound->readers, bound->writers };

  for (guint i = 0; i < bound->n_nodes; i++)
    {
      _holo_bound_attach_task (bound, i);
      if (bound->boundaries[i] != NULL)
        attach_boundary (bound, i);
    }
  for (guint i = 0; i < bound->n_nodes; i++)
    _holo_event_router_attach_node (bound->router, _holo_plan_node (bound->plan, i)->name, &bound->readers[i],
                                    &bound->writers[i]);
  for (guint i = 0; i < bound->n_sections; i++)
    _holo_section_bind (bound->sections[i], &wiring, i);
  for (guint i = 0; i < bound->n_nodes; i++)
    if (bound->boundaries[i] != NULL)
      _holo_boundary_set_wakes (bound->boundaries[i], TRUE);
}

void
_holo_bound_detach (HoloBound *bound)
{
  for (guint i = 0; i < bound->n_nodes; i++)
    if (bound->boundaries[i] != NULL)
      {
        _holo_boundary_set_wakes (bound->boundaries[i], FALSE);
        if (bound->boundaries[i]->end != NULL)
          HOLO_ASYNC_TASK_GET_CLASS (bound->boundaries[i]->task)->bind_end (bound->boundaries[i]->task, NULL);
      }
  for (guint i = 0; i < bound->n_sections; i++)
    _holo_section_unbind (bound->sections[i]);
}

/* ---- questions ---- */

gint
_holo_bound_find (HoloBound *bound, const gchar *name)
{
  guint index;

  return holo_plan_find_node (bound->plan, name, &index) ? (gint) index : -1;
}

static void
mark (HoloBound *bound, guint index, HoloReach *reach)
{
  const HoloPlanNode *node = _holo_plan_node (bound->plan, index);

  if (reach->nodes[index])
    return;
  reach->nodes[index] = TRUE;
  if (node->section_out >= 0)
    reach->sections[node->section_out] = TRUE;
  if (node->section_in >= 0)
    reach->sections[node->section_in] = TRUE;
  for (guint o = 0; o < node->n_outputs; o++)
    {
      GArray *consumers = _holo_plan_tensor (bound->plan, node->outputs[o])->consumers;

      for (guint i = 0; i < consumers->len; i++)
        mark (bound, g_array_index (consumers, HoloPlanPort, i).node, reach);
    }
}

void
_holo_bound_find_reach (HoloBound *bound, guint index, HoloReach *reach)
{
  reach->nodes = g_new0 (gboolean, bound->n_nodes + 1);
  reach->sections = g_new0 (gboolean, bound->n_sections + 1);
  mark (bound, index, reach);
}

void
_holo_reach_clear (HoloReach *reach)
{
  g_clear_pointer (&reach->nodes, g_free);
  g_clear_pointer (&reach->sections, g_free);
}
