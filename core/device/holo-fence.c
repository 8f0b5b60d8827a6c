/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/holo-fence.h"

#include "device/holo-stream.h"
#include "base/holo-boxed.h"

HOLO_DEFINE_PLAIN_TYPE (HoloFence, holo_fence)

/**
 * holo_fence_is_passed:
 * @fence: a fence
 *
 * Returns: whether all work before it has ended; never blocks
 *
 * Since: 0.1
 */
gboolean
holo_fence_is_passed (const HoloFence *fence)
{
  return fence->stream == NULL || HOLO_STREAM_GET_CLASS (fence->stream)->is_passed (fence->stream, fence->number);
}

/**
 * holo_fence_wait_host:
 * @fence: a fence
 * @error: return location
 *
 * Blocks the caller until the fence has passed.
 *
 * Returns: %FALSE when the device reports an error
 *
 * Since: 0.1
 */
gboolean
holo_fence_wait_host (const HoloFence *fence, GError **error)
{
  return fence->stream == NULL ||
         HOLO_STREAM_GET_CLASS (fence->stream)->wait_host (fence->stream, fence->number, error);
}

static HoloFence *
set_at (const HoloFenceSet *set, guint index)
{
  HoloFenceSet *mutable_set = (HoloFenceSet *) set;

  return index < G_N_ELEMENTS (set->inline_fences) ? &mutable_set->inline_fences[index]
                                                   : &mutable_set->more[index - G_N_ELEMENTS (set->inline_fences)];
}

/**
 * holo_fence_set_add:
 * @set: a set
 * @fence: a fence; one that has always passed is ignored
 *
 * Adds @fence, replacing an earlier one of the same stream.
 *
 * Since: 0.1
 */
void
holo_fence_set_add (HoloFenceSet *set, const HoloFence *fence)
{
  guint n_inline = G_N_ELEMENTS (set->inline_fences);

  if (fence->stream == NULL)
    return;
  for (guint i = 0; i < set->n_fences; i++)
    {
      HoloFence *old = set_at (set, i);

      if (old->stream == fence->stream)
        {
          old->number = MAX (old->number, fence->number);
          return;
        }
    }
  if (set->n_fences >= n_inline && set->n_fences - n_inline == set->n_allocated)
    {
      set->n_allocated = MAX (4, set->n_allocated * 2);
      set->more = g_renew (HoloFence, set->more, set->n_allocated);
    }
  *set_at (set, set->n_fences++) = *fence;
}

/**
 * holo_fence_set_add_all:
 * @set: a set
 * @other: another set
 *
 * Adds each fence of @other as holo_fence_set_add() does.
 *
 * Since: 0.1
 */
void
holo_fence_set_add_all (HoloFenceSet *set, const HoloFenceSet *other)
{
  for (guint i = 0; i < other->n_fences; i++)
    holo_fence_set_add (set, set_at (other, i));
}

/**
 * holo_fence_set_get:
 * @set: a set
 * @index: from 0 to the number of fences less one
 *
 * Returns: (transfer none): a fence, valid until the set changes
 *
 * Since: 0.1
 */
const HoloFence *
holo_fence_set_get (const HoloFenceSet *set, guint index)
{
  g_return_val_if_fail (index < set->n_fences, NULL);

  return set_at (set, index);
}

/**
 * holo_fence_set_is_passed:
 * @set: a set
 *
 * Returns: whether all its fences have passed; an empty set has. Never blocks
 *
 * Since: 0.1
 */
gboolean
holo_fence_set_is_passed (const HoloFenceSet *set)
{
  for (guint i = 0; i < set->n_fences; i++)
    if (!holo_fence_is_passed (set_at (set, i)))
      return FALSE;
  return TRUE;
}

/**
 * holo_fence_set_wait_host:
 * @set: a set
 * @error: return location
 *
 * Blocks the caller until all fences have passed.
 *
 * Returns: %FALSE when a device reports an error
 *
 * Since: 0.1
 */
gboolean
holo_fence_set_wait_host (const HoloFenceSet *set, GError **error)
{
  for (guint i = 0; i < set->n_fences; i++)
    if (!holo_fence_wait_host (set_at (set, i), error))
      return FALSE;
  return TRUE;
}

/**
 * holo_fence_set_wait_stream:
 * @set: a set
 * @stream: a stream
 * @error: return location
 *
 * Makes later work on @stream wait for all fences; does not block the host.
 *
 * Returns: %FALSE when the device reports an error
 *
 * Since: 0.1
 */
gboolean
holo_fence_set_wait_stream (const HoloFenceSet *set, HoloStream *stream, GError **error)
{
  for (guint i = 0; i < set->n_fences; i++)
    if (!holo_stream_wait_fence (stream, set_at (set, i), error))
      return FALSE;
  return TRUE;
}

/**
 * holo_fence_set_clear:
 * @set: a set
 *
 * Makes it empty again; keeps the memory for fences beyond the inline ones only if there is none.
 *
 * Since: 0.1
 */
void
holo_fence_set_clear (HoloFenceSet *set)
{
  set->n_fences = 0;
  set->n_allocated = 0;
  g_clear_pointer (&set->more, g_free);
}
