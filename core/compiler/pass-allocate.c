/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 11: memory, pools and streams. Takes from the previous plan what fits exactly. */
#include "compiler/holo-compilation.h"

/* Who allocates it. */
static HoloDevice *
get_allocator (HoloCompilation *c, const HoloPlanStorage *storage)
{
  return storage->mem_loc == HOLO_MEM_LOC_DEVICE || storage->pinned ? c->plan->device : holo_device_get_host ();
}

/* By memory: all storages in one are touched by the same side. */
static HoloDevice **
find_allocators (HoloCompilation *c)
{
  HoloDevice **allocators = g_new0 (HoloDevice *, c->plan->memory_sizes->len + 1);

  for (guint i = 0; i < c->plan->storages->len; i++)
    if (_holo_plan_storage (c->plan, i)->memory >= 0)
      allocators[_holo_plan_storage (c->plan, i)->memory] = get_allocator (c, _holo_plan_storage (c->plan, i));
  return allocators;
}

/* Memory that a running plan goes on using may be shared: the two never run together, and contents do not outlive an
 * iteration. */
static HoloPlanMemory *
find_reusable (HoloCompilation *c, GHashTable *used, HoloDevice *device, HoloMemLoc mem_loc, gsize size)
{
  for (guint i = 0; c->previous != NULL && i < c->previous->memories->len; i++)
    {
      HoloPlanMemory *memory = c->previous->memories->pdata[i];

      if (memory->device == device && memory->mem_loc == mem_loc && memory->size == size &&
          g_hash_table_add (used, memory))
        return _holo_plan_memory_ref (memory);
    }
  return NULL;
}

/* For a message: whose tensor it was meant for. */
static void
prefix_producer (HoloCompilation *c, guint storage, GError **error)
{
  for (guint i = 0; i < c->plan->tensors->len; i++)
    if (_holo_plan_tensor (c->plan, i)->storage == storage)
      {
        const HoloPlanPort *producer = &_holo_plan_tensor (c->plan, i)->producer;

        g_prefix_error (error, "output %u: ", producer->slot);
        _holo_compilation_prefix_node (error, _holo_plan_node (c->plan, producer->node));
        return;
      }
}

/* The one that made @memory as large as it is. */
static guint
find_largest_storage (HoloCompilation *c, guint memory)
{
  guint largest = 0;
  gsize size = 0;

  for (guint i = 0; i < c->plan->storages->len; i++)
    if (_holo_plan_storage (c->plan, i)->memory == (gint) memory && _holo_plan_storage (c->plan, i)->size >= size)
      {
        largest = i;
        size = _holo_plan_storage (c->plan, i)->size;
      }
  return largest;
}

static gboolean
allocate_memories (HoloCompilation *c, GError **error)
{
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  g_autofree HoloDevice **allocators = find_allocators (c);

  for (guint i = 0; i < c->plan->memory_sizes->len; i++)
    {
      gsize size = g_array_index (c->plan->memory_sizes, gsize, i);
      HoloMemLoc mem_loc = g_array_index (c->plan->memory_locs, HoloMemLoc, i);
      HoloPlanMemory *memory = find_reusable (c, used, allocators[i], mem_loc, size);

      if (memory == NULL)
        memory = _holo_plan_memory_new (allocators[i], mem_loc, size, error);
      if (memory == NULL)
        {
          prefix_producer (c, find_largest_storage (c, i), error);
          return FALSE;
        }
      g_ptr_array_add (c->plan->memories, memory);
    }
  return TRUE;
}

static gboolean
fill_storages (HoloCompilation *c, GError **error)
{
  for (guint i = 0; i < c->plan->storages->len; i++)
    {
      HoloPlanStorage *planned = _holo_plan_storage (c->plan, i);
      HoloStorage *storage = planned->storage;

      storage->size = planned->size;
      storage->mem_loc = planned->mem_loc;
      storage->device = planned->mem_loc == HOLO_MEM_LOC_DEVICE ? c->plan->device : NULL;
      if (planned->memory >= 0)
        storage->data = ((HoloPlanMemory *) c->plan->memories->pdata[planned->memory])->data;
      if (planned->storage_class != HOLO_STORAGE_POOL)
        continue;
      planned->pool = _holo_pool_new (get_allocator (c, planned), planned->mem_loc, planned->size);
      if (planned->pool_output < 0 && !_holo_pool_preallocate (planned->pool, planned->pool_blocks, error))
        {
          prefix_producer (c, i, error);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
has_name (HoloPlan *plan, GArray *nodes, const gchar *name)
{
  for (guint i = 0; i < nodes->len; i++)
    if (g_str_equal (_holo_plan_node (plan, g_array_index (nodes, guint, i))->name, name))
      return TRUE;
  return FALSE;
}

static guint
count_shared (HoloPlan *plan, GArray *nodes, HoloPlan *previous, GArray *previous_nodes)
{
  guint n = 0;

  for (guint i = 0; i < nodes->len; i++)
    n += has_name (previous, previous_nodes, _holo_plan_node (plan, g_array_index (nodes, guint, i))->name);
  return n;
}

static guint
count_shared_nodes (HoloCompilation *c, guint section, guint previous)
{
  const HoloPlanSection *a = _holo_plan_section (c->plan, section), *b = _holo_plan_section (c->previous, previous);

  return count_shared (c->plan, a->nodes, c->previous, b->nodes) +
         count_shared (c->plan, a->pops, c->previous, b->pops) +
         count_shared (c->plan, a->pushes, c->previous, b->pushes);
}

/* The pair of sections, neither spoken for, that shares most nodes; FALSE when none shares any. */
static gboolean
find_pair (HoloCompilation *c, const gboolean *taken, guint *section, guint *previous)
{
  guint most = 0;

  for (guint i = 0; i < c->plan->sections->len; i++)
    for (guint k = 0; k < c->previous->sections->len && _holo_plan_section (c->plan, i)->inherits < 0; k++)
      {
        guint n = taken[k] ? 0 : count_shared_nodes (c, i, k);

        if (n <= most)
          continue;
        most = n;
        *section = i;
        *previous = k;
      }
  return most > 0;
}

/* Thread, driver and stream pass to the section that shares most nodes. */
static void
find_heirs (HoloCompilation *c)
{
  g_autofree gboolean *taken = NULL;
  guint section = 0, previous = 0;

  for (guint i = 0; i < c->plan->sections->len; i++)
    _holo_plan_section (c->plan, i)->inherits = -1;
  if (c->previous == NULL)
    return;
  taken = g_new0 (gboolean, c->previous->sections->len + 1);
  while (find_pair (c, taken, &section, &previous))
    {
      _holo_plan_section (c->plan, section)->inherits = (gint) previous;
      taken[previous] = TRUE;
    }
}

static gboolean
create_streams (HoloCompilation *c, GError **error)
{
  find_heirs (c);
  for (guint i = 0; i < c->plan->sections->len; i++)
    {
      HoloPlanSection *section = _holo_plan_section (c->plan, i);
      HoloPlanStream *inherited =
          section->inherits >= 0 ? _holo_plan_section (c->previous, (guint) section->inherits)->stream : NULL;

      if (inherited != NULL && inherited->device == c->plan->device)
        section->stream = _holo_plan_stream_ref (inherited);
      else
        section->stream = _holo_plan_stream_new (c->plan->device, error);
      if (section->stream == NULL)
        return FALSE;
    }
  return TRUE;
}

gboolean
_holo_pass_allocate (HoloCompilation *c, GError **error)
{
  return allocate_memories (c, error) && fill_storages (c, error) && create_streams (c, error);
}
