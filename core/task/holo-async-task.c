/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "task/holo-async-task.h"

typedef struct
{
  GMutex lock; /* guards the two below: a wake may come from any thread while a run ends */
  HoloWakeFunc wake_func;
  gpointer wake_data;
} HoloAsyncTaskPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (HoloAsyncTask, holo_async_task, HOLO_TYPE_TASK)

static void
holo_async_task_finalize (GObject *object)
{
  HoloAsyncTaskPrivate *priv = holo_async_task_get_instance_private (HOLO_ASYNC_TASK (object));

  g_mutex_clear (&priv->lock);
  G_OBJECT_CLASS (holo_async_task_parent_class)->finalize (object);
}

static void
holo_async_task_class_init (HoloAsyncTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_async_task_finalize;
}

static void
holo_async_task_init (HoloAsyncTask *task)
{
  HoloAsyncTaskPrivate *priv = holo_async_task_get_instance_private (task);

  g_mutex_init (&priv->lock);
}

/**
 * holo_async_task_try_push:
 * @task: a task
 * @context: the frame
 * @error: return location
 *
 * Calls HoloAsyncTaskClass.try_push(). By the thread that drives the producing section.
 *
 * Returns: what the task says; NOT_READY when it takes nothing now
 *
 * Since: 0.1
 */
HoloOpResult
holo_async_task_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  return HOLO_ASYNC_TASK_GET_CLASS (task)->try_push (task, context, error);
}

/**
 * holo_async_task_try_pop:
 * @task: a task
 * @context: where the frame goes
 * @error: return location
 *
 * Calls HoloAsyncTaskClass.try_pop(). By the thread that drives the consuming section.
 *
 * Returns: what the task says; NOT_READY when it has nothing now
 *
 * Since: 0.1
 */
HoloOpResult
holo_async_task_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  return HOLO_ASYNC_TASK_GET_CLASS (task)->try_pop (task, context, error);
}

/**
 * holo_async_task_end_of_input:
 * @task: a task
 *
 * Says that no push follows: HoloAsyncTaskClass.end_of_input(). By the producing thread.
 *
 * Since: 0.1
 */
void
holo_async_task_end_of_input (HoloAsyncTask *task)
{
  if (HOLO_ASYNC_TASK_GET_CLASS (task)->end_of_input != NULL)
    HOLO_ASYNC_TASK_GET_CLASS (task)->end_of_input (task);
}

/**
 * holo_async_task_end_of_output:
 * @task: a task
 *
 * Says that no pop follows: HoloAsyncTaskClass.end_of_output(). By the consuming thread.
 *
 * Since: 0.1
 */
void
holo_async_task_end_of_output (HoloAsyncTask *task)
{
  if (HOLO_ASYNC_TASK_GET_CLASS (task)->end_of_output != NULL)
    HOLO_ASYNC_TASK_GET_CLASS (task)->end_of_output (task);
}

/**
 * holo_async_task_wake:
 * @task: a task
 *
 * Says that try_push, try_pop or acquire_input may now give another answer, for reasons that the runtime cannot see (a
 * device interrupt, another thread). Any thread; must not be called with a lock held that those functions take.
 *
 * Since: 0.1
 */
void
holo_async_task_wake (HoloAsyncTask *task)
{
  HoloAsyncTaskPrivate *priv = holo_async_task_get_instance_private (task);

  g_mutex_lock (&priv->lock);
  if (priv->wake_func != NULL)
    priv->wake_func (priv->wake_data);
  g_mutex_unlock (&priv->lock);
}

/**
 * holo_async_task_set_wake_func:
 * @task: a task
 * @func: (scope forever) (nullable): what a wake does
 * @user_data: for @func
 *
 * For whoever drives the task; the scheduler sets it for the time of a run.
 *
 * Since: 0.1
 */
void
holo_async_task_set_wake_func (HoloAsyncTask *task, HoloWakeFunc func, gpointer user_data)
{
  HoloAsyncTaskPrivate *priv = holo_async_task_get_instance_private (task);

  g_mutex_lock (&priv->lock);
  priv->wake_func = func;
  priv->wake_data = user_data;
  g_mutex_unlock (&priv->lock);
}
