/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tasks of Input and Output have in common: the frame waits in the application's end; the task is the section's
 * side of that. */
#pragma once

#include "runtime/holo-end-private.h"
#include "task/holo-async-task.h"

typedef struct
{
  HoloEnd *end; /* nullable; a reference */
} HoloEndTaskState;

void _holo_end_task_bind_end (HoloAsyncTask *task, HoloEnd *end);
void _holo_end_task_end_of_input (HoloAsyncTask *task);
gboolean _holo_end_task_reset (HoloTask *task, GError **error);
void _holo_end_task_clear (HoloTask *task);
