/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks of one size that go round: taken by the section that writes, given back from any thread. */
#pragma once

#include "device/holo-block.h"

typedef struct _HoloPool HoloPool;

HoloPool *_holo_pool_new (HoloDevice *device, HoloMemLoc mem_loc, gsize size);
HoloPool *_holo_pool_ref (HoloPool *pool);
void _holo_pool_unref (HoloPool *pool);
/* Makes sure that @n blocks exist. */
gboolean _holo_pool_preallocate (HoloPool *pool, guint n, GError **error);
/* One taker at a time. The block's fences are those of its last readers and are the taker's to wait for. */
HoloBlock *_holo_pool_take (HoloPool *pool, GError **error);
guint _holo_pool_get_n_blocks (HoloPool *pool);
