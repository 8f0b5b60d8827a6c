/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-task.h"

G_BEGIN_DECLS

/**
 * HoloPushContext:
 * @inputs: (array length=n_inputs): input tensors by slot
 * @n_inputs: number of inputs
 * @retry_at: set by the task when it returns NOT_READY: monotonic time (µs, g_get_monotonic_time()) at which a retry
 *   makes sense although nothing woke it; 0 = none. Reset before each call.
 * @stream: the producing section's stream
 * @cancellable: cancelled by a stop or a flush
 * @reader: events for the node
 * @writer: events from the node
 *
 * What a task gets in try_push(). Filled in by the library; valid during the call.
 *
 * Since: 0.1
 */
typedef struct
{
  HoloTensorView **inputs;
  guint n_inputs;
  gint64 retry_at;
  HoloStream *stream;
  GCancellable *cancellable;
  HoloEventReader *reader;
  HoloEventWriter *writer;
} HoloPushContext;

/**
 * HoloPopContext:
 * @outputs: (array length=n_outputs): output tensors by slot; the task sets their stamp, publishes owned and lent
 *   slots, and fills the others
 * @retry_at: as in #HoloPushContext
 * @stream: the consuming section's stream
 * @cancellable: as in #HoloPushContext
 * @reader: as in #HoloPushContext
 * @writer: as in #HoloPushContext
 *
 * What a task gets in try_pop(). Filled in by the library; valid during the call.
 *
 * Since: 0.1
 */
typedef struct
{
  HoloTensorView **outputs;
  guint n_outputs;
  gint64 retry_at;
  HoloStream *stream;
  GCancellable *cancellable;
  HoloEventReader *reader;
  HoloEventWriter *writer;
} HoloPopContext;

/**
 * HoloAsyncTask:
 *
 * A task whose two sides go on independently: frames are pushed in by one thread and popped by another.
 *
 * Since: 0.1
 */
#define HOLO_TYPE_ASYNC_TASK (holo_async_task_get_type ())
HOLO_API
G_DECLARE_DERIVABLE_TYPE (HoloAsyncTask, holo_async_task, HOLO, ASYNC_TASK, HoloTask)

/**
 * HoloAsyncTaskClass:
 * @try_push: offers one frame, in the producing section's thread. OK: taken (an adopted input by holo_block_ref() of
 *   storage->block). NOT_READY: no room now. EOF: nothing will be taken any more. Never blocks.
 * @try_pop: asks for one frame, in the consuming section's thread. OK, NOT_READY, or EOF once the input has ended and
 *   nothing is left: implementations read "ended" before "empty". Never blocks.
 * @end_of_input: (nullable): no push follows. Producing thread (or the one that ends the stream). try_pop then gives what is left;
 *   what can never be given is counted with holo_task_add_discarded().
 * @end_of_output: (nullable): no pop follows. Consuming thread. What is still held is dropped and counted as discarded; later
 *   pushes return EOF.
 * @unpop: (nullable): takes back the frame of the last try_pop(), which nobody has used, as if it had never been given: its
 *   slot is not released, and the next try_pop() gives it again. Consuming thread, before any other call of its side.
 *   Without it, a frame in a slot of the task's own is copied when the section behind it has to rest.
 * @bind_end: (nullable): the library's own: kinds whose other side is the application
 *
 * A task with independent input and output: one thread pushes while another pops. The runtime itself wakes the
 * other side after a push or pop that returned OK, after release_output, abort_input, end_of_input and end_of_output. A task
 * with other reasons to become ready calls holo_async_task_wake() or sets retry_at.
 *
 * Since: 0.1
 */
struct _HoloAsyncTaskClass
{
  HoloTaskClass parent_class;

  HoloOpResult (*try_push) (HoloAsyncTask *task, HoloPushContext *context, GError **error);
  HoloOpResult (*try_pop) (HoloAsyncTask *task, HoloPopContext *context, GError **error);
  void (*end_of_input) (HoloAsyncTask *task);
  void (*end_of_output) (HoloAsyncTask *task);
  void (*unpop) (HoloAsyncTask *task, HoloPopContext *context);
  void (*bind_end) (HoloAsyncTask *task, HoloEnd *end);

  gpointer padding[2];
};

/**
 * HoloWakeFunc:
 * @user_data: what was given with the function
 *
 * Called by holo_async_task_wake() in the caller's thread.
 *
 * Since: 0.1
 */
typedef void (*HoloWakeFunc) (gpointer user_data);

HOLO_API HoloOpResult holo_async_task_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error);
HOLO_API HoloOpResult holo_async_task_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error);
HOLO_API void holo_async_task_end_of_input (HoloAsyncTask *task);
HOLO_API void holo_async_task_end_of_output (HoloAsyncTask *task);
HOLO_API void holo_async_task_wake (HoloAsyncTask *task);
HOLO_API void holo_async_task_set_wake_func (HoloAsyncTask *task, HoloWakeFunc func, gpointer user_data);

G_END_DECLS
