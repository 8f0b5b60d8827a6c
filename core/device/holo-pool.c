/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/holo-pool.h"

#include "device/holo-device.h"
#include "base/holo-error.h"
#include "device/holo-runtime-hooks.h"

struct _HoloPool
{
  gint ref_count; /* the pool's user, and one for each block that is out */
  gboolean closed;
  HoloDevice *device;
  HoloMemLoc mem_loc;
  gsize size;
  guint n_blocks;
  HoloBlock *ready;    /* only the taker sees these */
  HoloBlock *returned; /* pushed by anyone, taken all at once: no ABA problem and no lock */
};

static void
free_block (HoloPool *pool, HoloBlock *block)
{
  if (!holo_runtime_drops_wait (HOLO_RUNTIME_WAIT_FREE) && !holo_fence_set_wait_host (&block->fences, NULL))
    g_message ("memory of a pool is freed although its device failed");
  holo_runtime_observe (block->data);
  holo_device_free (pool->device, pool->mem_loc, block->data);
  holo_block_free (block);
}

static void
free_blocks (HoloPool *pool, HoloBlock *block)
{
  while (block != NULL)
    {
      HoloBlock *next = block->next;

      free_block (pool, block);
      block = next;
    }
}

static void
pool_free (HoloPool *pool)
{
  free_blocks (pool, pool->ready);
  free_blocks (pool, pool->returned);
  g_object_unref (pool->device);
  g_free (pool);
}

static void
release_block (HoloBlock *block)
{
  HoloPool *pool = block->owner;
  HoloBlock *head = __atomic_load_n (&pool->returned, __ATOMIC_RELAXED);

  do
    block->next = head;
  while (!__atomic_compare_exchange_n (&pool->returned, &head, block, TRUE, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  _holo_pool_unref (pool);
}

HoloPool *
_holo_pool_new (HoloDevice *device, HoloMemLoc mem_loc, gsize size)
{
  HoloPool *pool = g_new0 (HoloPool, 1);

  pool->ref_count = 1;
  pool->device = g_object_ref (device);
  pool->mem_loc = mem_loc;
  pool->size = size;
  return pool;
}

HoloPool *
_holo_pool_ref (HoloPool *pool)
{
  g_atomic_int_inc (&pool->ref_count);
  return pool;
}

void
_holo_pool_unref (HoloPool *pool)
{
  if (g_atomic_int_dec_and_test (&pool->ref_count))
    pool_free (pool);
}

static HoloBlock *
new_block (HoloPool *pool, GError **error)
{
  gpointer data = holo_device_alloc (pool->device, pool->mem_loc, pool->size, error);
  HoloBlock *block;

  if (data == NULL)
    return NULL;
  block = holo_block_new (data, pool->size, release_block, pool);
  block->mem_loc = pool->mem_loc;
  block->device = pool->device;
  pool->n_blocks++;
  return block;
}

gboolean
_holo_pool_preallocate (HoloPool *pool, guint n, GError **error)
{
  while (pool->n_blocks < n)
    {
      HoloBlock *block = new_block (pool, error);

      if (block == NULL)
        return FALSE;
      block->next = pool->ready;
      pool->ready = block;
    }
  return TRUE;
}

HoloBlock *
_holo_pool_take (HoloPool *pool, GError **error)
{
  HoloBlock *block;

  if (pool->ready == NULL)
    pool->ready = __atomic_exchange_n (&pool->returned, NULL, __ATOMIC_ACQUIRE);
  block = pool->ready;
  if (block != NULL)
    pool->ready = block->next;
  else
    block = new_block (pool, error);
  if (block == NULL)
    return NULL;
  block->next = NULL;
  __atomic_store_n (&block->ref_count, 1, __ATOMIC_RELAXED);
  g_atomic_int_inc (&pool->ref_count);
  return block;
}

guint
_holo_pool_get_n_blocks (HoloPool *pool)
{
  return pool->n_blocks;
}
