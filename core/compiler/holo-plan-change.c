/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compiler/holo-plan-change.h"

/* ---- comparing ---- */

static gboolean
same_input (const HoloInferredInput *a, const HoloInferredInput *b)
{
  return holo_tensor_desc_equal (&a->desc, &b->desc) && a->owned == b->owned && a->adopts == b->adopts;
}

static gboolean
same_output (const HoloInferredOutput *a, const HoloInferredOutput *b)
{
  return holo_tensor_desc_equal (&a->desc, &b->desc) && a->owned == b->owned && a->lent == b->lent &&
         a->writable == b->writable && a->lends_input == b->lends_input && a->in_place == b->in_place &&
         a->in_place_input == b->in_place_input;
}

gboolean
_holo_inference_fits (const HoloInference *a, const HoloInference *b)
{
  if (a->type != b->type || a->inputs->len != b->inputs->len || a->outputs->len != b->outputs->len ||
      a->stateful != b->stateful || a->handles_fences != b->handles_fences ||
      a->signals_readiness != b->signals_readiness || a->capture_safe != b->capture_safe ||
      a->synchronizes_producer_stream != b->synchronizes_producer_stream || a->uses_stream != b->uses_stream)
    return FALSE;
  for (guint i = 0; i < a->inputs->len; i++)
    if (!same_input (holo_inference_get_input (a, i), holo_inference_get_input (b, i)))
      return FALSE;
  for (guint i = 0; i < a->outputs->len; i++)
    if (!same_output (holo_inference_get_output (a, i), holo_inference_get_output (b, i)))
      return FALSE;
  return TRUE;
}

static gboolean
same_settings (HoloTaskFactory *a, HoloTaskFactory *b)
{
  g_autoptr (JsonObject) a_json = holo_settings_get_json (a), b_json = holo_settings_get_json (b);
  g_autoptr (JsonNode) a_node = json_node_init_object (json_node_alloc (), a_json);
  g_autoptr (JsonNode) b_node = json_node_init_object (json_node_alloc (), b_json);

  return json_node_equal (a_node, b_node);
}

gboolean
_holo_plan_node_is_unchanged (const HoloPlanNode *node, const HoloPlanNode *previous)
{
  return G_OBJECT_TYPE (node->factory) == G_OBJECT_TYPE (previous->factory) &&
         _holo_inference_fits (&node->inference, &previous->inference) &&
         same_settings (node->factory, previous->factory);
}

/* ---- copying ---- */

static void
copy_nodes (HoloPlan *copy, HoloPlan *plan)
{
  for (guint i = 0; i < plan->nodes->len; i++)
    {
      HoloPlanNode node = *_holo_plan_node (plan, i);

      node.name = g_strdup (node.name);
      node.kind = g_strdup (node.kind);
      node.note = g_strdup (node.note);
      node.factory = g_object_ref (node.factory);
      node.task = g_object_ref (node.task);
      node.inputs = g_memdup2 (node.inputs, node.n_inputs * sizeof (guint));
      node.outputs = g_memdup2 (node.outputs, node.n_outputs * sizeof (guint));
      holo_inference_copy (&node.inference, &_holo_plan_node (plan, i)->inference);
      g_array_append_val (copy->nodes, node);
    }
}

static void
copy_tensors (HoloPlan *copy, HoloPlan *plan)
{
  for (guint i = 0; i < plan->tensors->len; i++)
    {
      HoloPlanTensor tensor = *_holo_plan_tensor (plan, i);

      g_array_ref (tensor.consumers);
      tensor.note = g_strdup (tensor.note);
      g_array_append_val (copy->tensors, tensor);
    }
}

static void
copy_storages (HoloPlan *copy, HoloPlan *plan)
{
  for (guint i = 0; i < plan->storages->len; i++)
    {
      HoloPlanStorage storage = *_holo_plan_storage (plan, i);

      g_atomic_rc_box_acquire (storage.storage);
      if (storage.pool != NULL)
        _holo_pool_ref (storage.pool);
      g_array_append_val (copy->storages, storage);
    }
}

static void
copy_sections (HoloPlan *copy, HoloPlan *plan)
{
  for (guint i = 0; i < plan->sections->len; i++)
    {
      HoloPlanSection section = *_holo_plan_section (plan, i);

      section.name = g_strdup (section.name);
      section.inherits = (gint) i;
      _holo_plan_stream_ref (section.stream);
      g_array_ref (section.nodes);
      g_array_ref (section.pops);
      g_array_ref (section.pushes);
      g_array_ref (section.waits);
      g_array_ref (section.pop_waits);
      g_array_append_val (copy->sections, section);
    }
}

static void
copy_memories (HoloPlan *copy, HoloPlan *plan)
{
  for (guint i = 0; i < plan->memories->len; i++)
    g_ptr_array_add (copy->memories, _holo_plan_memory_ref (plan->memories->pdata[i]));
  g_array_append_vals (copy->memory_sizes, plan->memory_sizes->data, plan->memory_sizes->len);
  g_array_append_vals (copy->memory_locs, plan->memory_locs->data, plan->memory_locs->len);
}

HoloPlan *
_holo_plan_change_node (HoloPlan *plan, HoloGraph *graph, guint node, HoloTaskFactory *factory, HoloTask *task,
                        HoloInference *inference)
{
  HoloPlan *copy = _holo_plan_new (plan->registry, plan->device);
  HoloPlanNode *changed;

  copy->graph = holo_graph_ref (graph);
  copy->input_descs = g_hash_table_ref (plan->input_descs);
  copy->storage_sharing = plan->storage_sharing;
  copy->in_place = plan->in_place;
  copy->runnable = TRUE;
  copy->n_copies = plan->n_copies;
  copy_nodes (copy, plan);
  copy_tensors (copy, plan);
  copy_storages (copy, plan);
  copy_sections (copy, plan);
  copy_memories (copy, plan);
  changed = _holo_plan_node (copy, node);
  g_object_unref (changed->factory);
  g_object_unref (changed->task);
  holo_inference_clear (&changed->inference);
  changed->factory = factory;
  changed->task = task;
  changed->inference = *inference;
  return copy;
}
