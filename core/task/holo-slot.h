/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../tensor/holo-dtype.h"

G_BEGIN_DECLS

/**
 * HoloSlotFlags:
 * @HOLO_SLOT_OPTIONAL: the slot may be left unconnected (only after the mandatory ones)
 * @HOLO_SLOT_REPEATED: one or more tensors (only the last slot)
 * @HOLO_SLOT_DENSE: strided tensors are refused with a reason before infer() sees them
 * @HOLO_SLOT_DEVICE_BY_MODULE: the kind takes device memory here as soon as a module has it for a device; set by the library
 *
 * What holds for a slot.
 *
 * Since: 0.1
 */
typedef enum
{
  HOLO_SLOT_NONE = 0,
  HOLO_SLOT_OPTIONAL = 1 << 0,
  HOLO_SLOT_REPEATED = 1 << 1,
  HOLO_SLOT_DENSE = 1 << 2,
  HOLO_SLOT_DEVICE_BY_MODULE = 1 << 3,
} HoloSlotFlags;

/**
 * HoloSlot:
 * @name: short name, used for pads and messages
 * @dtypes: set of #HoloDType, HOLO_DTYPES (U8) | ...
 * @mem_locs: set of #HoloMemLoc
 * @min_rank: smallest rank
 * @max_rank: largest rank
 * @flags: #HoloSlotFlags
 * @blurb: (nullable): what the tensor means
 *
 * What a factory class declares about one input or output before any inference; static strings.
 *
 * Since: 0.1
 */
struct _HoloSlot
{
  const gchar *name;
  guint dtypes;
  guint mem_locs;
  guint min_rank;
  guint max_rank;
  guint flags;
  const gchar *blurb;
};

G_END_DECLS
