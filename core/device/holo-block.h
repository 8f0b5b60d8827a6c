/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-fence.h"
#include "../tensor/holo-dtype.h"

G_BEGIN_DECLS

/**
 * HoloBlockRelease:
 * @block: the block whose last reference is gone
 *
 * Gives the memory back to its owner. Called once, in any thread, without locks held. @block->fences holds the work that
 * may still read or write the memory; a release function that reuses the memory on the host waits for them or hands the
 * block to holo_device_retire(). It must free or recycle the block itself.
 *
 * Since: 0.1
 */
typedef void (*HoloBlockRelease) (HoloBlock *block);

/**
 * HoloBlock:
 * @data: start of the memory (a device address when @mem_loc says so)
 * @size: bytes from @data
 * @mem_loc: where the memory lies
 * @read_only: nobody inside the graph may write into it
 * @device: (nullable): the device of device memory; borrowed
 * @owner: whatever @release needs (a buffer, a pool); borrowed or owned as @release says
 * @release: called when the last reference goes
 * @next: free for the holder of the last reference (pools chain blocks with it)
 * @fences: work that uses the memory; read it only in @release
 *
 * Reference-counted memory that is lent to a graph or travels through it by reference: the buffer behind an Input, a
 * block of a pool, memory of an Output's allocator. Tasks that adopt an input keep a reference instead of copying.
 *
 * Since: 0.1
 */
struct _HoloBlock
{
  gint ref_count;
  HoloMemLoc mem_loc;
  gboolean read_only;
  gint fence_lock;
  gpointer data;
  gsize size;
  HoloDevice *device;
  gpointer owner;
  HoloBlockRelease release;
  HoloBlock *next;
  HoloFenceSet fences;

  /*< private >*/
  gpointer padding[4];
};

#define HOLO_TYPE_BLOCK (holo_block_get_type ())
HOLO_API GType holo_block_get_type (void);

HOLO_API void holo_block_init (HoloBlock *block, gpointer data, gsize size, HoloBlockRelease release, gpointer owner);
HOLO_API HoloBlock *holo_block_new (gpointer data, gsize size, HoloBlockRelease release, gpointer owner);
HOLO_API HoloBlock *holo_block_new_alloc (gsize size, GError **error);
HOLO_API HoloBlock *holo_block_ref (HoloBlock *block);
HOLO_API void holo_block_unref (HoloBlock *block);
HOLO_API void holo_block_unref_after (HoloBlock *block, const HoloFence *fence);
HOLO_API void holo_block_free (HoloBlock *block);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloBlock, holo_block_unref)

G_END_DECLS
