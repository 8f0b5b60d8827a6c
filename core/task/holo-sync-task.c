/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "task/holo-sync-task.h"

#include "base/holo-define-type.h"

HOLO_NO_CLASS_INIT (HoloSyncTask, holo_sync_task)
HOLO_DEFINE_TYPE (HoloSyncTask, holo_sync_task, HOLO_TYPE_TASK, G_TYPE_FLAG_ABSTRACT)

/**
 * holo_sync_task_execute:
 * @task: a task
 * @context: its tensors and services
 * @error: set exactly when the result is %HOLO_OP_ERROR
 *
 * Returns: OK, CANCELLED, EOF or ERROR
 *
 * Since: 0.1
 */
HoloOpResult
holo_sync_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  return HOLO_SYNC_TASK_GET_CLASS (task)->execute (task, context, error);
}
