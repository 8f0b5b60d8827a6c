/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan for programs. */
#include "compiler/holo-plan-private.h"

static void
add_ids (JsonBuilder *builder, const gchar *name, const guint *ids, guint n)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < n; i++)
    json_builder_add_int_value (builder, ids[i]);
  json_builder_end_array (builder);
}

static void
add_string (JsonBuilder *builder, const gchar *name, const gchar *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
add_int (JsonBuilder *builder, const gchar *name, gint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
add_bool (JsonBuilder *builder, const gchar *name, gboolean value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, value);
}

static void
add_node (JsonBuilder *builder, const HoloPlanNode *node)
{
  json_builder_begin_object (builder);
  add_string (builder, "name", node->name);
  add_string (builder, "kind", node->kind);
  add_string (builder, "type", node->inference.type == HOLO_TASK_SYNC ? "sync" : "async");
  add_bool (builder, "implicit", node->implicit);
  add_ids (builder, "inputs", node->inputs, node->n_inputs);
  add_ids (builder, "outputs", node->outputs, node->n_outputs);
  add_int (builder, "section_in", node->section_in);
  add_int (builder, "section_out", node->section_out);
  if (node->note != NULL)
    add_string (builder, "note", node->note);
  json_builder_end_object (builder);
}

static void
add_tensor (JsonBuilder *builder, HoloPlan *plan, const HoloPlanTensor *tensor)
{
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "desc");
  json_builder_add_value (builder, holo_tensor_desc_to_json (&tensor->desc));
  add_string (builder, "producer", _holo_plan_node (plan, tensor->producer.node)->name);
  add_int (builder, "slot", tensor->producer.slot);
  json_builder_set_member_name (builder, "consumers");
  json_builder_begin_array (builder);
  for (guint i = 0; i < tensor->consumers->len; i++)
    {
      HoloPlanPort port = g_array_index (tensor->consumers, HoloPlanPort, i);

      json_builder_begin_object (builder);
      add_string (builder, "node", _holo_plan_node (plan, port.node)->name);
      add_int (builder, "slot", port.slot);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  add_int (builder, "storage", tensor->storage);
  add_bool (builder, "shares", tensor->shares);
  if (tensor->note != NULL)
    add_string (builder, "note", tensor->note);
  json_builder_end_object (builder);
}

static void
add_storage (JsonBuilder *builder, HoloPlan *plan, const HoloPlanStorage *storage)
{
  json_builder_begin_object (builder);
  add_string (builder, "class", _holo_storage_class_get_name (storage->storage_class));
  add_int (builder, "bytes", (gint64) storage->size);
  add_string (builder, "mem_loc", holo_mem_loc_get_name (storage->mem_loc));
  add_int (builder, "section", storage->section);
  add_bool (builder, "writable", storage->writable);
  if (storage->memory >= 0)
    add_int (builder, "memory", storage->memory);
  if (storage->storage_class == HOLO_STORAGE_POOL)
    add_int (builder, "blocks", storage->pool_blocks);
  json_builder_end_object (builder);
}

static void
add_section (JsonBuilder *builder, const HoloPlanSection *section)
{
  json_builder_begin_object (builder);
  add_string (builder, "name", section->name);
  add_bool (builder, "uses_device", section->uses_device);
  add_ids (builder, "pops", (const guint *) section->pops->data, section->pops->len);
  add_ids (builder, "nodes", (const guint *) section->nodes->data, section->nodes->len);
  add_ids (builder, "pushes", (const guint *) section->pushes->data, section->pushes->len);
  json_builder_end_object (builder);
}

#define ADD_ALL(name, array, call)                                                                                     \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    json_builder_set_member_name (builder, name);                                                                      \
    json_builder_begin_array (builder);                                                                                \
    for (guint i = 0; i < (array)->len; i++)                                                                           \
      call;                                                                                                            \
    json_builder_end_array (builder);                                                                                  \
  }                                                                                                                    \
  G_STMT_END

/**
 * holo_plan_to_json:
 * @plan: a plan
 *
 * Returns: (transfer full): an object with `device`, `copies`, `host_bytes`, `device_bytes` and the arrays `sections`,
 *   `nodes`, `tensors`, `storages`, which refer to each other by index
 *
 * Since: 0.1
 */
JsonNode *
holo_plan_to_json (HoloPlan *plan)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  add_string (builder, "device", holo_device_get_name (plan->device));
  add_int (builder, "copies", plan->n_copies);
  add_int (builder, "host_bytes", (gint64) holo_plan_get_peak_bytes (plan, HOLO_MEM_LOC_HOST));
  add_int (builder, "device_bytes", (gint64) holo_plan_get_peak_bytes (plan, HOLO_MEM_LOC_DEVICE));
  ADD_ALL ("sections", plan->sections, add_section (builder, _holo_plan_section (plan, i)));
  ADD_ALL ("nodes", plan->nodes, add_node (builder, _holo_plan_node (plan, i)));
  ADD_ALL ("tensors", plan->tensors, add_tensor (builder, plan, _holo_plan_tensor (plan, i)));
  ADD_ALL ("storages", plan->storages, add_storage (builder, plan, _holo_plan_storage (plan, i)));
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}
