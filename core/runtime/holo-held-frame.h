/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tensors of one call of an asynchronous task, kept while the section they were on their way in rests. */
#pragma once

#include "device/holo-device.h"

typedef struct
{
  HoloStorage storage; /* as it was: a block that moved here, or a block of our own with a copy */
  HoloTensorDesc desc;
  HoloStamp stamp;
  HoloFence fence;
  gboolean is_copy;
} HoloHeldTensor;

typedef struct
{
  guint n_tensors;
  HoloHeldTensor *tensors;
} HoloHeldFrame;

/* Makes room for the tensors of @views: memory for those that do not travel in a block of their own, and with @copies for all.
 * @device is the plan's. */
HoloHeldFrame *_holo_held_frame_new (HoloTensorView **views, guint n_views, gboolean copies, HoloDevice *device,
                                     GError **error);
/* Takes the tensors: blocks by reference, others as copies. All device work on them is over. @moves: the view gives its block
 * away. */
gboolean _holo_held_frame_fill (HoloHeldFrame *frame, HoloTensorView **views, gboolean moves, HoloDevice *device,
                                HoloStream *stream, GError **error);
void _holo_held_frame_free (HoloHeldFrame *frame);
/* Copies a held tensor into the memory of @view; the copy is complete on return. */
gboolean _holo_held_tensor_copy_to (const HoloHeldTensor *tensor, HoloTensorView *view, HoloDevice *device,
                                    HoloStream *stream, GError **error);
