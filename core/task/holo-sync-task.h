/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-task.h"

G_BEGIN_DECLS

/**
 * HoloSyncContext:
 * @inputs: (array length=n_inputs): input tensors by slot
 * @outputs: (array length=n_outputs): output tensors by slot; where the plan shares storage in place, the data pointer
 *   equals the input's. Contents are undefined before the call, also those of an earlier call.
 * @stream: the section's stream; device work of the task goes there and nowhere else
 * @cancellable: a long call watches it and returns CANCELLED
 * @reader: events for this node
 * @writer: events from this node
 *
 * What one call of holo_sync_task_execute() works on. Valid during the call.
 *
 * Since: 0.1
 */
typedef struct
{
  HoloTensorView **inputs;
  HoloTensorView **outputs;
  guint n_inputs;
  guint n_outputs;
  HoloStream *stream;
  GCancellable *cancellable;
  HoloEventReader *reader;
  HoloEventWriter *writer;
} HoloSyncContext;

/**
 * HoloSyncTask:
 *
 * A task that is called once per frame: what it gives belongs to what it got in the same call.
 *
 * Since: 0.1
 */
#define HOLO_TYPE_SYNC_TASK (holo_sync_task_get_type ())
HOLO_API
G_DECLARE_DERIVABLE_TYPE (HoloSyncTask, holo_sync_task, HOLO, SYNC_TASK, HoloTask)

/**
 * HoloSyncTaskClass:
 * @execute: turns the inputs of one frame into its outputs; in the section's thread. Device work is enqueued on the
 *   stream and need not have ended. Returns OK, CANCELLED, EOF or ERROR; NOT_READY is an error.
 *
 * Since: 0.1
 */
struct _HoloSyncTaskClass
{
  HoloTaskClass parent_class;

  HoloOpResult (*execute) (HoloSyncTask *task, HoloSyncContext *context, GError **error);

  gpointer padding[4];
};

HOLO_API HoloOpResult holo_sync_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error);

G_END_DECLS
