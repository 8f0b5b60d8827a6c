/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../base/holo-types.h"

G_BEGIN_DECLS

/**
 * HoloFence:
 * @stream: (nullable): the stream, or %NULL for a fence that has always passed
 * @number: position on that stream
 *
 * "Everything that was enqueued on @stream when the fence was made." A plain value: immutable, freely copied; a later
 * number on the same stream implies the earlier ones. Streams live as long as their device, so a fence owns nothing.
 *
 * Since: 0.1
 */
struct _HoloFence
{
  HoloStream *stream;
  guint64 number;
};

/**
 * HOLO_FENCE_INIT:
 *
 * Initialiser of a #HoloFence that has always passed. For C and C++.
 *
 * Since: 0.1
 */
#define HOLO_FENCE_INIT                                                                                                \
  {                                                                                                                    \
    NULL, 0                                                                                                            \
  }

/**
 * HoloFenceSet:
 *
 * At most one fence per stream, the latest. Starts empty when zero-filled. Not thread safe by itself.
 *
 * Since: 0.1
 */
struct _HoloFenceSet
{
  guint n_fences;
  guint n_allocated;
  HoloFence inline_fences[2];
  HoloFence *more; /* fences beyond the inline ones */
};

#define HOLO_TYPE_FENCE (holo_fence_get_type ())
HOLO_API GType holo_fence_get_type (void);

/**
 * holo_fence_copy:
 * @fence: a fence
 *
 * Any thread.
 *
 * Returns: (transfer full): a copy, to be freed with holo_fence_free()
 *
 * Since: 0.1
 */
HOLO_API HoloFence *holo_fence_copy (const HoloFence *fence);
/**
 * holo_fence_free:
 * @fence: (transfer full): what holo_fence_copy() gave
 *
 * Any thread.
 *
 * Since: 0.1
 */
HOLO_API void holo_fence_free (HoloFence *fence);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloFence, holo_fence_free)
HOLO_API gboolean holo_fence_is_passed (const HoloFence *fence);
HOLO_API gboolean holo_fence_wait_host (const HoloFence *fence, GError **error);

HOLO_API void holo_fence_set_add (HoloFenceSet *set, const HoloFence *fence);
HOLO_API void holo_fence_set_add_all (HoloFenceSet *set, const HoloFenceSet *other);
HOLO_API const HoloFence *holo_fence_set_get (const HoloFenceSet *set, guint index);
HOLO_API gboolean holo_fence_set_is_passed (const HoloFenceSet *set);
HOLO_API gboolean holo_fence_set_wait_host (const HoloFenceSet *set, GError **error);
HOLO_API gboolean holo_fence_set_wait_stream (const HoloFenceSet *set, HoloStream *stream, GError **error);
HOLO_API void holo_fence_set_clear (HoloFenceSet *set);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HoloFenceSet, holo_fence_set_clear)

G_END_DECLS
