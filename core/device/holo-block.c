/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/holo-block.h"

#include <stdlib.h>

#include "device/holo-device.h"
#include "base/holo-error.h"
#include "device/holo-runtime-hooks.h"

G_DEFINE_BOXED_TYPE (HoloBlock, holo_block, holo_block_ref, holo_block_unref)

/**
 * holo_block_init:
 * @block: a block inside a structure of the caller
 * @data: the memory
 * @size: its bytes
 * @release: (scope async): called when the last reference goes
 * @owner: for @release
 *
 * Fills in a writable host block with one reference.
 *
 * Since: 0.1
 */
void
holo_block_init (HoloBlock *block, gpointer data, gsize size, HoloBlockRelease release, gpointer owner)
{
  *block = (HoloBlock){
    .ref_count = 1,
    .mem_loc = HOLO_MEM_LOC_HOST,
    .data = data,
    .size = size,
    .release = release,
    .owner = owner,
  };
}

/**
 * holo_block_new:
 * @data: the memory
 * @size: its bytes
 * @release: (scope async): called when the last reference goes; must end with holo_block_free() or keep the block
 * @owner: for @release
 *
 * Returns: (transfer full): a block around memory of somebody else
 *
 * Since: 0.1
 */
HoloBlock *
holo_block_new (gpointer data, gsize size, HoloBlockRelease release, gpointer owner)
{
  HoloBlock *block = g_new (HoloBlock, 1);

  holo_block_init (block, data, size, release, owner);
  return block;
}

static void
free_own_memory (HoloBlock *block)
{
  if (!holo_runtime_drops_wait (HOLO_RUNTIME_WAIT_FREE) && !holo_fence_set_wait_host (&block->fences, NULL))
    g_message ("memory is freed although its device failed");
  holo_device_free (holo_device_get_host (), HOLO_MEM_LOC_HOST, block->owner);
  holo_block_free (block);
}

/**
 * holo_block_new_alloc:
 * @size: bytes
 * @error: return location
 *
 * Returns: (transfer full) (nullable): a block with host memory of its own
 *
 * Since: 0.1
 */
HoloBlock *
holo_block_new_alloc (gsize size, GError **error)
{
  gpointer data = holo_device_alloc (holo_device_get_host (), HOLO_MEM_LOC_HOST, MAX (size, 1), error);

  return data != NULL ? holo_block_new (data, size, free_own_memory, data) : NULL;
}

/**
 * holo_block_ref:
 * @block: a block
 *
 * Any thread.
 *
 * Returns: (transfer full): @block, with one reference more
 *
 * Since: 0.1
 */
HoloBlock *
holo_block_ref (HoloBlock *block)
{
  g_atomic_int_inc (&block->ref_count);
  return block;
}

/**
 * holo_block_unref:
 * @block: (transfer full): a block
 *
 * Drops a reference whose holder has no device work left.
 *
 * Since: 0.1
 */
void
holo_block_unref (HoloBlock *block)
{
  holo_runtime_publish (block);
  if (!g_atomic_int_dec_and_test (&block->ref_count))
    return;
  holo_runtime_observe (block);
  holo_runtime_observe (block->data); /* who gave a reference away instead of dropping it said so by the address */
  holo_runtime_publish (block->data);
  block->release (block);
}

/**
 * holo_block_unref_after:
 * @block: (transfer full): a block
 * @fence: work of this holder that may still use the memory
 *
 * Drops a reference; the owner gets the memory back together with @fence.
 *
 * Since: 0.1
 */
void
holo_block_unref_after (HoloBlock *block, const HoloFence *fence)
{
  if (fence->stream != NULL)
    {
      /* Holders are few and the section is short: a lock bit costs less than a mutex per block. */
      g_bit_lock (&block->fence_lock, 0);
      holo_fence_set_add (&block->fences, fence);
      g_bit_unlock (&block->fence_lock, 0);
    }
  holo_block_unref (block);
}

/**
 * holo_block_free:
 * @block: (transfer full): a block made by holo_block_new() whose last reference is gone
 *
 * Frees the block itself, not the memory behind it.
 *
 * Since: 0.1
 */
void
holo_block_free (HoloBlock *block)
{
  holo_fence_set_clear (&block->fences);
  g_free (block);
}
