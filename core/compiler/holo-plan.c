/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compiler/holo-plan-private.h"

G_DEFINE_BOXED_TYPE (HoloPlan, holo_plan, holo_plan_ref, holo_plan_unref)

/* ---- shared resources ---- */

HoloPlanMemory *
_holo_plan_memory_new (HoloDevice *device, HoloMemLoc mem_loc, gsize size, GError **error)
{
  gpointer data = holo_device_alloc (device, mem_loc, size, error);
  HoloPlanMemory *memory;

  if (data == NULL)
    return NULL;
  memory = g_new (HoloPlanMemory, 1);
  *memory = (HoloPlanMemory){ 1, g_object_ref (device), mem_loc, size, data };
  return memory;
}

HoloPlanMemory *
_holo_plan_memory_ref (HoloPlanMemory *memory)
{
  g_atomic_int_inc (&memory->ref_count);
  return memory;
}

void
_holo_plan_memory_unref (HoloPlanMemory *memory)
{
  if (!g_atomic_int_dec_and_test (&memory->ref_count))
    return;
  holo_device_free (memory->device, memory->mem_loc, memory->data);
  g_object_unref (memory->device);
  g_free (memory);
}

HoloPlanStream *
_holo_plan_stream_new (HoloDevice *device, GError **error)
{
  HoloStream *stream = holo_device_create_stream (device, error);
  HoloPlanStream *plan_stream;

  if (stream == NULL)
    return NULL;
  plan_stream = g_new (HoloPlanStream, 1);
  *plan_stream = (HoloPlanStream){ 1, g_object_ref (device), stream };
  return plan_stream;
}

HoloPlanStream *
_holo_plan_stream_ref (HoloPlanStream *stream)
{
  g_atomic_int_inc (&stream->ref_count);
  return stream;
}

void
_holo_plan_stream_unref (HoloPlanStream *stream)
{
  if (!g_atomic_int_dec_and_test (&stream->ref_count))
    return;
  /* Work that a stopped run left behind may still use memory that goes next. */
  holo_stream_synchronize (stream->stream, NULL);
  holo_device_release_stream (stream->device, stream->stream);
  g_object_unref (stream->device);
  g_free (stream);
}

/* ---- the plan ---- */

static void
clear_node (gpointer data)
{
  HoloPlanNode *node = data;

  g_clear_object (&node->task);
  g_clear_object (&node->factory);
  if (node->inferred)
    holo_inference_clear (&node->inference);
  g_free (node->name);
  g_free (node->kind);
  g_free (node->note);
  g_free (node->inputs);
  g_free (node->outputs);
}

static void
clear_tensor (gpointer data)
{
  HoloPlanTensor *tensor = data;

  g_array_unref (tensor->consumers);
  g_free (tensor->note);
}

static void
clear_storage (gpointer data)
{
  HoloPlanStorage *storage = data;

  g_clear_pointer (&storage->pool, _holo_pool_unref);
  g_atomic_rc_box_release (storage->storage); /* plans that differ in one setting share it */
}

static void
clear_section (gpointer data)
{
  HoloPlanSection *section = data;

  g_clear_pointer (&section->stream, _holo_plan_stream_unref);
  g_array_unref (section->nodes);
  g_array_unref (section->pops);
  g_array_unref (section->pushes);
  g_array_unref (section->waits);
  g_array_unref (section->pop_waits);
  g_free (section->name);
}

static GArray *
new_array (guint size, GDestroyNotify clear)
{
  GArray *array = g_array_new (FALSE, TRUE, size);

  g_array_set_clear_func (array, clear);
  return array;
}

HoloPlan *
_holo_plan_new (HoloRegistry *registry, HoloDevice *device)
{
  static guint64 n_plans;
  HoloPlan *plan = g_new0 (HoloPlan, 1);

  plan->ref_count = 1;
  plan->serial = __atomic_add_fetch (&n_plans, 1, __ATOMIC_RELAXED);
  plan->registry = g_object_ref (registry);
  plan->device = g_object_ref (device);
  plan->nodes = new_array (sizeof (HoloPlanNode), clear_node);
  plan->tensors = new_array (sizeof (HoloPlanTensor), clear_tensor);
  plan->storages = new_array (sizeof (HoloPlanStorage), clear_storage);
  plan->sections = new_array (sizeof (HoloPlanSection), clear_section);
  plan->memories = g_ptr_array_new_with_free_func ((GDestroyNotify) _holo_plan_memory_unref);
  plan->memory_sizes = g_array_new (FALSE, FALSE, sizeof (gsize));
  plan->memory_locs = g_array_new (FALSE, FALSE, sizeof (HoloMemLoc));
  plan->staged = g_ptr_array_new_with_free_func (g_object_unref);
  return plan;
}

HoloPlan *
holo_plan_ref (HoloPlan *plan)
{
  g_return_val_if_fail (plan != NULL, NULL);

  g_atomic_int_inc (&plan->ref_count);
  return plan;
}

void
holo_plan_unref (HoloPlan *plan)
{
  g_return_if_fail (plan != NULL);

  if (!g_atomic_int_dec_and_test (&plan->ref_count))
    return;
  /* A plan that never ran gives up the changes it staged. */
  for (guint i = 0; i < plan->staged->len; i++)
    holo_task_rollback (plan->staged->pdata[i]);
  g_ptr_array_unref (plan->staged);
  g_array_unref (plan->nodes); /* tasks first: they may use streams and memory */
  g_array_unref (plan->tensors);
  g_array_unref (plan->sections);
  g_array_unref (plan->storages);
  g_ptr_array_unref (plan->memories);
  g_array_unref (plan->memory_sizes);
  g_array_unref (plan->memory_locs);
  g_object_unref (plan->registry);
  g_object_unref (plan->device);
  g_clear_pointer (&plan->graph, holo_graph_unref);
  g_clear_pointer (&plan->input_descs, g_hash_table_unref);
  g_free (plan);
}

void
_holo_plan_commit (HoloPlan *plan)
{
  for (guint i = 0; i < plan->staged->len; i++)
    holo_task_commit (plan->staged->pdata[i]);
  g_ptr_array_set_size (plan->staged, 0);
}

/* ---- questions ---- */

gboolean
_holo_plan_has_task (HoloPlan *plan, HoloTask *task)
{
  for (guint i = 0; i < plan->nodes->len; i++)
    if (_holo_plan_node (plan, i)->task == task)
      return TRUE;
  return FALSE;
}

guint
holo_plan_get_n_nodes (HoloPlan *plan)
{
  return plan->nodes->len;
}

guint
holo_plan_get_n_sections (HoloPlan *plan)
{
  return plan->sections->len;
}

guint
holo_plan_get_n_tensors (HoloPlan *plan)
{
  return plan->tensors->len;
}

guint
holo_plan_get_n_storages (HoloPlan *plan)
{
  return plan->storages->len;
}

/**
 * holo_plan_find_node:
 * @plan: a plan
 * @name: name of a node
 * @index: (out) (optional): its number
 *
 * Returns: whether there is such a node
 *
 * Since: 0.1
 */
gboolean
holo_plan_find_node (HoloPlan *plan, const gchar *name, guint *index)
{
  for (guint i = 0; i < plan->nodes->len; i++)
    if (g_str_equal (_holo_plan_node (plan, i)->name, name))
      {
        if (index != NULL)
          *index = i;
        return TRUE;
      }
  return FALSE;
}

const gchar *
holo_plan_get_node_name (HoloPlan *plan, guint node)
{
  g_return_val_if_fail (node < plan->nodes->len, NULL);

  return _holo_plan_node (plan, node)->name;
}

const gchar *
holo_plan_get_node_kind (HoloPlan *plan, guint node)
{
  g_return_val_if_fail (node < plan->nodes->len, NULL);

  return _holo_plan_node (plan, node)->kind;
}

/**
 * holo_plan_get_node_task:
 * @plan: a plan
 * @node: number of a node
 *
 * Returns: (transfer none) (nullable): its running task; %NULL in a plan that was only inferred
 *
 * Since: 0.1
 */
HoloTask *
holo_plan_get_node_task (HoloPlan *plan, guint node)
{
  g_return_val_if_fail (node < plan->nodes->len, NULL);

  return _holo_plan_node (plan, node)->task;
}

HoloTaskFactory *
holo_plan_get_node_factory (HoloPlan *plan, guint node)
{
  g_return_val_if_fail (node < plan->nodes->len, NULL);

  return _holo_plan_node (plan, node)->factory;
}

const HoloInference *
holo_plan_get_node_inference (HoloPlan *plan, guint node)
{
  g_return_val_if_fail (node < plan->nodes->len, NULL);

  return &_holo_plan_node (plan, node)->inference;
}

/**
 * holo_plan_get_node_section:
 * @plan: a plan
 * @node: number of a node
 * @output: for an asynchronous node: the section that pops from it instead of the one that pushes to it
 *
 * Returns: number of a section, -1 when there is none
 *
 * Since: 0.1
 */
gint
holo_plan_get_node_section (HoloPlan *plan, guint node, gboolean output)
{
  g_return_val_if_fail (node < plan->nodes->len, -1);

  return output ? _holo_plan_node (plan, node)->section_out : _holo_plan_node (plan, node)->section_in;
}

const gchar *
holo_plan_get_section_name (HoloPlan *plan, guint section)
{
  g_return_val_if_fail (section < plan->sections->len, NULL);

  return _holo_plan_section (plan, section)->name;
}

HoloStream *
holo_plan_get_section_stream (HoloPlan *plan, guint section)
{
  g_return_val_if_fail (section < plan->sections->len, NULL);

  return plan->runnable ? _holo_plan_section (plan, section)->stream->stream : NULL;
}

HoloDevice *
holo_plan_get_device (HoloPlan *plan)
{
  return plan->device;
}

/**
 * holo_plan_get_peak_bytes:
 * @plan: a plan
 * @loc: place of memory
 *
 * Returns: bytes that the plan holds there: its memory and the blocks of its pools; not what tasks hold themselves
 *
 * Since: 0.1
 */
gsize
holo_plan_get_peak_bytes (HoloPlan *plan, HoloMemLoc loc)
{
  gsize sum = 0;

  for (guint i = 0; i < plan->memory_sizes->len; i++)
    if (g_array_index (plan->memory_locs, HoloMemLoc, i) == loc)
      sum += g_array_index (plan->memory_sizes, gsize, i);
  for (guint i = 0; i < plan->storages->len; i++)
    {
      const HoloPlanStorage *storage = _holo_plan_storage (plan, i);

      if (storage->storage_class == HOLO_STORAGE_POOL && storage->mem_loc == loc)
        sum += storage->size * storage->pool_blocks;
    }
  return sum;
}

guint
holo_plan_get_n_copies (HoloPlan *plan)
{
  return plan->n_copies;
}
