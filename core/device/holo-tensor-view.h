/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-block.h"
#include "../tensor/holo-stamp.h"
#include "../tensor/holo-tensor-desc.h"

G_BEGIN_DECLS

/**
 * HoloStorage:
 * @data: (nullable): start of the memory; %NULL until it is allocated or published
 * @size: bytes from @data
 * @mem_loc: where it lies
 * @device: (nullable): the device of device memory; borrowed
 * @block: (nullable): the reference-counted memory behind @data, when it is lent or adopted
 *
 * The memory behind one or more tensors. One storage of a plan has a stable address; every view of it points here, so
 * that publishing a slot is one assignment to @data. Whoever owns the memory publishes and withdraws it.
 *
 * Since: 0.1
 */
struct _HoloStorage
{
  gpointer data;
  gsize size;
  HoloMemLoc mem_loc;
  HoloDevice *device;
  HoloBlock *block;

  /*< private >*/
  gpointer padding[2];
};

/**
 * HoloTensorView:
 * @desc: shape, type, layout
 * @storage: the memory
 * @stamp: time and number of the frame
 * @fence: asynchronous tasks that handle fences: the writer's fence of a pushed or popped tensor, the readers' fence of
 *   an acquired one; otherwise always passed
 *
 * A tensor at work: description and memory. A plain value that owns nothing.
 *
 * Since: 0.1
 */
struct _HoloTensorView
{
  HoloTensorDesc desc;
  HoloStorage *storage;
  HoloStamp stamp;
  HoloFence fence;

  /*< private >*/
  gpointer padding[2];
};

/**
 * HoloFrame:
 * @block: memory; one reference
 * @desc: layout inside the block (`data = block->data + desc.offset`)
 * @stamp: time and number
 * @fence: the writer's fence; host memory that leaves a graph has always passed
 *
 * A tensor that owns its memory: what an application pushes into an Input and pulls from an Output.
 *
 * Since: 0.1
 */
struct _HoloFrame
{
  HoloBlock *block;
  HoloTensorDesc desc;
  HoloStamp stamp;
  HoloFence fence;

  /*< private >*/
  gpointer padding[2];
};

HOLO_API void holo_storage_init (HoloStorage *storage, gpointer data, gsize size);
HOLO_API void holo_tensor_view_init (HoloTensorView *view, const HoloTensorDesc *desc, HoloStorage *storage);
HOLO_API gboolean holo_tensor_view_is_null (const HoloTensorView *view);
HOLO_API void holo_tensor_copy_elements (gpointer dst, const HoloTensorDesc *dst_desc, gconstpointer src,
                                         const HoloTensorDesc *src_desc);

#define HOLO_TYPE_FRAME (holo_frame_get_type ())
HOLO_API GType holo_frame_get_type (void);

HOLO_API HoloFrame *holo_frame_copy (const HoloFrame *frame);
HOLO_API void holo_frame_free (HoloFrame *frame);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloFrame, holo_frame_free)
HOLO_API gboolean holo_frame_init_bytes (HoloFrame *frame, const HoloTensorDesc *desc, GBytes *bytes, GError **error);
HOLO_API GBytes *holo_frame_dup_bytes (const HoloFrame *frame);
HOLO_API gboolean holo_frame_init_alloc (HoloFrame *frame, const HoloTensorDesc *desc, GError **error);
HOLO_API void holo_frame_clear (HoloFrame *frame);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HoloFrame, holo_frame_clear)
/**
 * HOLO_FRAME_INIT:
 *
 * Initialiser of a #HoloFrame without memory. For C and C++.
 *
 * Since: 0.1
 */
#define HOLO_FRAME_INIT                                                                                                \
  {                                                                                                                    \
    NULL, HOLO_TENSOR_DESC_INIT, HOLO_STAMP_INIT, HOLO_FENCE_INIT,                                                     \
    {                                                                                                                  \
      NULL, NULL                                                                                                       \
    }                                                                                                                  \
  }

/**
 * holo_tensor_view_get_data:
 * @view: a view with published storage
 *
 * Returns: the address of the first element
 */
static inline gpointer
holo_tensor_view_get_data (const HoloTensorView *view)
{
  return (guint8 *) view->storage->data + view->desc.offset;
}

/**
 * holo_frame_get_data:
 * @frame: a frame that holds memory
 *
 * Returns: the address of the first element
 */
static inline gpointer
holo_frame_get_data (const HoloFrame *frame)
{
  return (guint8 *) frame->block->data + frame->desc.offset;
}

G_END_DECLS
