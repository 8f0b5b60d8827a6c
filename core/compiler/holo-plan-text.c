/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan for reading: what runs where and in which order, which memory it uses, and why. */
#include "compiler/holo-plan-private.h"

static const gchar *const storage_classes[] = { "plan", "pool", "slot of consumer", "slot of producer", "lent" };

const gchar *
_holo_storage_class_get_name (HoloStorageClass storage_class)
{
  return storage_classes[storage_class];
}

static void
append_tensors (GString *text, const gchar *arrow, const guint *tensors, guint n)
{
  if (n > 0)
    g_string_append_printf (text, " %s", arrow);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s t%u", i ? "," : "", tensors[i]);
}

static void
append_node (GString *text, HoloPlan *plan, const gchar *verb, guint index, gboolean inputs, gboolean outputs,
             const gchar *remark)
{
  const HoloPlanNode *node = _holo_plan_node (plan, index);

  g_string_append_printf (text, "  %-7s \"%s\" (%s)", verb, node->name, node->kind);
  if (inputs)
    append_tensors (text, "<-", node->inputs, node->n_inputs);
  if (outputs)
    append_tensors (text, "->", node->outputs, node->n_outputs);
  if (node->note != NULL)
    g_string_append_printf (text, "  [%s]", node->note);
  g_string_append_printf (text, "%s\n", remark);
}

static void
append_memory (GString *text, HoloPlan *plan)
{
  g_string_append_printf (text, "memory: %" G_GSIZE_FORMAT " bytes on the host",
                          holo_plan_get_peak_bytes (plan, HOLO_MEM_LOC_HOST));
  if (!holo_device_is_host (plan->device))
    g_string_append_printf (text, ", %" G_GSIZE_FORMAT " bytes on %s",
                            holo_plan_get_peak_bytes (plan, HOLO_MEM_LOC_DEVICE), holo_device_get_name (plan->device));
  g_string_append_c (text, '\n');
}

static void
append_section (GString *text, HoloPlan *plan, guint index)
{
  const HoloPlanSection *section = _holo_plan_section (plan, index);

  g_string_append_printf (text, "%s%s%s:\n", section->name, section->uses_device ? ", device work on its stream" : "",
                          section->nodes->len == 0 ? ", forwards" : "");
  for (guint i = 0; i < section->pops->len; i++)
    append_node (text, plan, "pop", g_array_index (section->pops, guint, i), FALSE, TRUE,
                 g_array_index (section->pop_waits, gboolean, i) ? "  [the host waits for the stream first]" : "");
  for (guint i = 0; i < section->nodes->len; i++)
    append_node (text, plan, "execute", g_array_index (section->nodes, guint, i), TRUE, TRUE,
                 g_array_index (section->waits, gboolean, i)
                     ? "  [the host waits for the stream first; a Queue before it removes the wait]"
                     : "");
  for (guint i = 0; i < section->pushes->len; i++)
    append_node (text, plan, "push", g_array_index (section->pushes, guint, i), TRUE, FALSE, "");
}

static void
append_tensor (GString *text, HoloPlan *plan, guint index)
{
  const HoloPlanTensor *tensor = _holo_plan_tensor (plan, index);
  g_autofree gchar *desc = holo_tensor_desc_to_string (&tensor->desc);

  g_string_append_printf (text, "  t%u %s in s%u%s, from \"%s\":%u", index, desc, tensor->storage,
                          tensor->shares ? "*" : "", _holo_plan_node (plan, tensor->producer.node)->name,
                          tensor->producer.slot);
  for (guint i = 0; i < tensor->consumers->len; i++)
    {
      HoloPlanPort port = g_array_index (tensor->consumers, HoloPlanPort, i);

      g_string_append_printf (text, "%s\"%s\":%u", i ? ", " : " to ", _holo_plan_node (plan, port.node)->name,
                              port.slot);
    }
  if (tensor->desc.rate_n > 0)
    g_string_append_printf (text, ", %d/%d frames/s", tensor->desc.rate_n, tensor->desc.rate_d);
  if (tensor->note != NULL)
    g_string_append_printf (text, "  [%s]", tensor->note);
  g_string_append_c (text, '\n');
}

static void
append_storage (GString *text, HoloPlan *plan, guint index)
{
  const HoloPlanStorage *storage = _holo_plan_storage (plan, index);

  g_string_append_printf (text, "  s%u %s, %" G_GSIZE_FORMAT " bytes, %s%s", index,
                          _holo_storage_class_get_name (storage->storage_class), storage->size,
                          storage->pinned ? "pinned " : "", holo_mem_loc_get_name (storage->mem_loc));
  switch (storage->storage_class)
    {
    case HOLO_STORAGE_PLAN:
      g_string_append_printf (text, ", memory m%d", storage->memory);
      break;
    case HOLO_STORAGE_POOL:
      g_string_append_printf (text, ", %u blocks", storage->pool_blocks);
      if (storage->pool_output >= 0)
        g_string_append_printf (text, ", from the allocator of \"%s\" if it has one",
                                _holo_plan_node (plan, (guint) storage->pool_output)->name);
      break;
    default:
      g_string_append_printf (text, " \"%s\":%u%s", _holo_plan_node (plan, storage->owner.node)->name,
                              storage->owner.slot, storage->writable ? "" : ", read-only");
    }
  g_string_append_c (text, '\n');
}

void
_holo_plan_append_sections (GString *text, HoloPlan *plan)
{
  for (guint i = 0; i < plan->sections->len; i++)
    append_section (text, plan, i);
}

void
_holo_plan_append_tensors (GString *text, HoloPlan *plan)
{
  for (guint i = 0; i < plan->tensors->len; i++)
    append_tensor (text, plan, i);
}

void
_holo_plan_append_storages (GString *text, HoloPlan *plan)
{
  for (guint i = 0; i < plan->storages->len; i++)
    append_storage (text, plan, i);
}

static void
append_live_settings (GString *text, HoloTaskFactory *factory)
{
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (HOLO_TASK_FACTORY_GET_CLASS (factory), &n);
  guint n_live = 0;

  for (guint i = 0; i < n; i++)
    if (holo_setting_get_flags (pspecs[i]) & HOLO_SETTING_LIVE)
      g_string_append_printf (text, "%s%s", n_live++ == 0 ? ", and while only these change: " : ", ", pspecs[i]->name);
}

/* What an update does to what nodes hold between two frames. */
static void
append_states (GString *text, HoloPlan *plan)
{
  for (guint i = 0; i < plan->nodes->len; i++)
    {
      const HoloPlanNode *node = _holo_plan_node (plan, i);
      gboolean sync = _holo_plan_node_is_sync (node);

      if (node->implicit || (sync && !node->inference.stateful))
        continue;
      g_string_append_printf (text, "  \"%s\" (%s): kept while nothing of the node changes", node->name, node->kind);
      append_live_settings (text, node->factory);
      g_string_append_printf (text, "; otherwise %s\n", sync ? "it starts anew" : "drained first");
    }
}

/**
 * holo_plan_to_text:
 * @plan: a plan
 *
 * Returns: (transfer full): sections with their order of work, tensors (`*` shares its input's storage), storages
 *
 * Since: 0.1
 */
gchar *
holo_plan_to_text (HoloPlan *plan)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "plan for %s: %u nodes, %u sections, %u tensors, %u storages, %u copies inserted\n",
                          holo_device_get_name (plan->device), plan->nodes->len, plan->sections->len,
                          plan->tensors->len, plan->storages->len, plan->n_copies);
  append_memory (text, plan);
  _holo_plan_append_sections (text, plan);
  g_string_append (text, "tensors:\n");
  _holo_plan_append_tensors (text, plan);
  g_string_append (text, "storages:\n");
  _holo_plan_append_storages (text, plan);
  g_string_append (text, "an update of the graph and what nodes hold:\n");
  append_states (text, plan);
  return g_string_free (text, FALSE);
}
