/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../event/holo-event.h"
#include "../device/holo-stream.h"
#include "../device/holo-tensor-view.h"

G_BEGIN_DECLS

/**
 * HoloTask:
 *
 * The running instance of a node: what all tasks have. Made by a factory; the library calls it.
 *
 * Since: 0.1
 */
#define HOLO_TYPE_TASK (holo_task_get_type ())
HOLO_API
G_DECLARE_DERIVABLE_TYPE (HoloTask, holo_task, HOLO, TASK, GObject)

/**
 * HoloTaskClass:
 * @acquire_input: owned inputs only: before the node that writes this tensor runs, in the thread of the producing
 *   section. Publishes the address of a free slot (view->storage->data) and returns OK, NOT_READY when
 *   there is none now, or EOF when nothing will be taken any more.
 *   A task that handles fences also sets view->fence to the fence of the slot's last readers. At most one slot per
 *   input is acquired at a time; the next try_push() (or execute() of a synchronous sink) takes it.
 * @abort_input: owned inputs only: the acquired slot will not be used; it is free again. Producing thread.
 * @release_output: owned outputs only: all use of the slot popped (or executed) last is over behind @fence, which has
 *   passed unless the task handles fences. Consuming thread. Exactly once for each output that returned OK.
 * @reset: drops contents and state, so that a following run is like the first. No call is in progress and the device is
 *   idle. Mandatory for asynchronous tasks; the default of synchronous tasks does nothing.
 * @finish: (nullable): the run has ended and no call of it follows: a sink completes its file here. @result says how it
 *   ended: EOF (every node has finished), CANCELLED (stopped) or ERROR. Called once per run, the device is idle. FALSE
 *   with @error becomes the error of a run that has none.
 * @commit: takes the change that the factory's update() staged into use. No call is in progress. Cannot fail.
 * @rollback: forgets the staged change. Cannot fail.
 * @clear: (nullable): frees what the state holds, see #HoloSyncFunctions.clear
 *
 * One running instance of a node. Indices are slot numbers of the node.
 *
 * Since: 0.1
 */
struct _HoloTaskClass
{
  GObjectClass parent_class;

  HoloOpResult (*acquire_input) (HoloTask *task, guint index, HoloTensorView *view, GError **error);
  void (*abort_input) (HoloTask *task, guint index);
  void (*release_output) (HoloTask *task, guint index, const HoloFence *fence);
  gboolean (*reset) (HoloTask *task, GError **error);
  void (*commit) (HoloTask *task);
  void (*rollback) (HoloTask *task);
  gboolean (*finish) (HoloTask *task, HoloOpResult result, GError **error);
  void (*clear) (HoloTask *task);

  gpointer padding[6];
};

/**
 * HOLO_TASK_STATE_OFFSET:
 *
 * Where the state of a task begins that is made from #HoloSyncFunctions or #HoloAsyncFunctions: behind the instance, which
 * has no public members whether synchronous or not.
 *
 * Since: 0.1
 */
#define HOLO_TASK_STATE_OFFSET ((sizeof (GObject) + 15) & ~(gsize) 15)

/**
 * holo_task_get_state:
 * @task: a task of a kind that declares the size of its state
 *
 * Returns: (transfer none): the state: zeros until set_up() fills it in
 */
static inline gpointer
holo_task_get_state (gpointer task)
{
  return (guint8 *) task + HOLO_TASK_STATE_OFFSET;
}

HOLO_API const gchar *holo_task_get_node_name (HoloTask *task);
HOLO_API const gchar *holo_task_get_kind (HoloTask *task);
HOLO_API void holo_task_bind (HoloTask *task, const gchar *node_name, const gchar *kind, guint n_inputs,
                              HoloStorage **input_storages, guint n_outputs, HoloStorage **output_storages);
HOLO_API HoloStorage *holo_task_get_input_storage (HoloTask *task, guint index, GError **error);
HOLO_API HoloStorage *holo_task_get_output_storage (HoloTask *task, guint index, GError **error);
HOLO_API void holo_task_log (HoloTask *task, GLogLevelFlags level, const gchar *format, ...) G_GNUC_PRINTF (3, 4);
HOLO_API void holo_task_add_discarded (HoloTask *task, guint64 n_frames);
HOLO_API void holo_task_add_dropped (HoloTask *task, guint64 n_frames);
HOLO_API guint64 holo_task_get_discarded (HoloTask *task);
HOLO_API guint64 holo_task_get_dropped (HoloTask *task);

HOLO_API HoloOpResult holo_task_acquire_input (HoloTask *task, guint index, HoloTensorView *view, GError **error);
HOLO_API void holo_task_abort_input (HoloTask *task, guint index);
HOLO_API gboolean holo_task_release_output (HoloTask *task, guint index, const HoloFence *fence, GError **error);
HOLO_API gboolean holo_task_reset (HoloTask *task, GError **error);
HOLO_API gboolean holo_task_finish (HoloTask *task, HoloOpResult result, GError **error);
HOLO_API void holo_task_commit (HoloTask *task);
HOLO_API void holo_task_rollback (HoloTask *task);

G_END_DECLS
