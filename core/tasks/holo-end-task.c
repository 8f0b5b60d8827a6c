/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tasks/holo-end-task.h"

void
_holo_end_task_bind_end (HoloAsyncTask *task, HoloEnd *end)
{
  HoloEndTaskState *self = holo_task_get_state (task);
  HoloEnd *old = self->end;

  self->end = end != NULL ? holo_end_ref (end) : NULL;
  g_clear_pointer (&old, holo_end_unref);
}

void
_holo_end_task_end_of_input (HoloAsyncTask *task)
{
  HoloEndTaskState *self = holo_task_get_state (task);

  if (self->end != NULL)
    _holo_end_no_more_input (self->end);
}

gboolean
_holo_end_task_reset (HoloTask *task, GError **error)
{
  HoloEndTaskState *self = holo_task_get_state (task);

  if (self->end != NULL)
    _holo_end_reset (self->end);
  return TRUE;
}

void
_holo_end_task_clear (HoloTask *task)
{
  HoloEndTaskState *self = holo_task_get_state (task);

  g_clear_pointer (&self->end, holo_end_unref);
}
