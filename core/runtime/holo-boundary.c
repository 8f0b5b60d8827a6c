/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "runtime/holo-boundary.h"

#include "device/holo-runtime-hooks.h"

HoloBoundary *
_holo_boundary_new (const HoloPlanNode *node, HoloEnd *end)
{
  HoloBoundary *boundary = g_new0 (HoloBoundary, 1);

  boundary->ref_count = 1;
  boundary->task = HOLO_ASYNC_TASK (g_object_ref (node->task));
  boundary->end = end != NULL ? holo_end_ref (end) : NULL;
  boundary->is_input = end != NULL && holo_end_is_input (end);
  boundary->is_output = end != NULL && !holo_end_is_input (end);
  return boundary;
}

HoloBoundary *
_holo_boundary_ref (HoloBoundary *boundary)
{
  g_atomic_int_inc (&boundary->ref_count);
  return boundary;
}

void
_holo_boundary_unref (HoloBoundary *boundary)
{
  if (!g_atomic_int_dec_and_test (&boundary->ref_count))
    return;
  _holo_boundary_drop_kept (boundary);
  g_clear_pointer (&boundary->end, holo_end_unref);
  g_object_unref (boundary->task);
  g_free (boundary);
}

static void
wake_both (gpointer data)
{
  HoloBoundary *boundary = data;

  if (boundary->producer != NULL)
    _holo_waiter_notify (boundary->producer);
  if (boundary->consumer != NULL)
    _holo_waiter_notify (boundary->consumer);
}

void
_holo_boundary_set_wakes (HoloBoundary *boundary, gboolean enabled)
{
  holo_async_task_set_wake_func (boundary->task, enabled ? wake_both : NULL, enabled ? boundary : NULL);
}

/* Behind the frame that still has to go in. */
void
_holo_boundary_end_input (HoloBoundary *boundary)
{
  if (boundary->pending != NULL || __atomic_exchange_n (&boundary->input_ended, 1, __ATOMIC_ACQ_REL))
    return;
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
  holo_runtime_before_call (HOLO_TASK (boundary->task), HOLO_RUNTIME_END_OF_INPUT, NULL, 0, 0);
  holo_async_task_end_of_input (boundary->task);
  holo_runtime_after_call (HOLO_TASK (boundary->task), HOLO_RUNTIME_END_OF_INPUT, NULL, 0, 0, HOLO_OP_OK);
  if (boundary->consumer != NULL)
    _holo_waiter_notify (boundary->consumer);
}

void
_holo_boundary_end_output (HoloBoundary *boundary)
{
  if (__atomic_load_n (&boundary->output_ended, __ATOMIC_ACQUIRE))
    return;
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
  holo_runtime_before_call (HOLO_TASK (boundary->task), HOLO_RUNTIME_END_OF_OUTPUT, NULL, 0, 0);
  holo_async_task_end_of_output (boundary->task);
  holo_runtime_after_call (HOLO_TASK (boundary->task), HOLO_RUNTIME_END_OF_OUTPUT, NULL, 0, 0, HOLO_OP_OK);
  __atomic_store_n (&boundary->output_ended, 1, __ATOMIC_RELEASE);
  if (boundary->producer != NULL)
    _holo_waiter_notify (boundary->producer);
}

guint
_holo_boundary_drop_kept (HoloBoundary *boundary)
{
  guint n = (boundary->returned != NULL) + (boundary->pending != NULL);

  g_clear_pointer (&boundary->returned, _holo_held_frame_free);
  g_clear_pointer (&boundary->pending, _holo_held_frame_free);
  return n;
}

void
_holo_boundary_restart (HoloBoundary *boundary)
{
  __atomic_store_n (&boundary->input_ended, 0, __ATOMIC_RELEASE);
  __atomic_store_n (&boundary->output_ended, 0, __ATOMIC_RELEASE);
  __atomic_store_n (&boundary->draining, 0, __ATOMIC_RELEASE);
  __atomic_store_n (&boundary->drained, 0, __ATOMIC_RELEASE);
  _holo_boundary_drop_kept (boundary);
}

gboolean
_holo_boundary_is_ready (HoloBoundary *boundary)
{
  return boundary->returned != NULL || boundary->end == NULL || _holo_end_is_ready (boundary->end);
}
