/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "task/holo-task.h"

#include "base/holo-define-type.h"
#include "base/holo-error.h"
#include "task/holo-task-private.h"

typedef struct
{
  gchar *node_name;
  const gchar *kind; /* interned */
  guint n_inputs;
  guint n_outputs;
  HoloStorage **input_storages; /* borrowed from the plan */
  HoloStorage **output_storages;
  guint64 discarded;
  guint64 dropped;
  gint changing; /* atomic: a plan has staged a change */
} HoloTaskPrivate;

HOLO_DEFINE_TYPE_WITH_PRIVATE (HoloTask, holo_task, G_TYPE_OBJECT, G_TYPE_FLAG_ABSTRACT)

static gboolean
set_not_owned (HoloTask *task, const gchar *what, guint index, GError **error)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_SLOT, "node \"%s\" (%s) owns no %s %u", holo_task_get_node_name (task),
               holo_task_get_kind (task), what, index);
  return FALSE;
}

static HoloOpResult
default_acquire_input (HoloTask *task, guint index, HoloTensorView *view, GError **error)
{
  set_not_owned (task, "input", index, error);
  return HOLO_OP_ERROR;
}

static gboolean
default_reset (HoloTask *task, GError **error)
{
  return TRUE;
}

static void
holo_task_finalize (GObject *object)
{
  HoloTaskPrivate *priv = holo_task_get_instance_private (HOLO_TASK (object));

  g_free (priv->node_name);
  g_free (priv->input_storages);
  g_free (priv->output_storages);
  G_OBJECT_CLASS (holo_task_parent_class)->finalize (object);
}

static void
holo_task_class_init (HoloTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_task_finalize;
  klass->acquire_input = default_acquire_input;
  klass->reset = default_reset;
}

/* Gives a task its name and its storage. Called after every task of a plan exists, before the first call to it. */
void
_holo_task_bind (HoloTask *task, const gchar *node_name, const gchar *kind, guint n_inputs,
                 HoloStorage **input_storages, guint n_outputs, HoloStorage **output_storages)
{
  HoloTaskPrivate *priv = holo_task_get_instance_private (task);

  /* A task that an update keeps may be logging. */
  if (g_strcmp0 (priv->node_name, node_name) != 0)
    {
      g_free (priv->node_name);
      priv->node_name = g_strdup (node_name);
    }
  priv->kind = g_intern_string (kind);
  g_free (priv->input_storages);
  g_free (priv->output_storages);
  priv->n_inputs = n_inputs;
  priv->n_outputs = n_outputs;
  priv->input_storages = g_memdup2 (input_storages, n_inputs * sizeof *input_storages);
  priv->output_storages = g_memdup2 (output_storages, n_outputs * sizeof *output_storages);
}

/**
 * holo_task_bind:
 * @task: a task that no plan runs
 * @node_name: name for messages
 * @kind: its kind
 * @n_inputs: number of inputs
 * @input_storages: (array length=n_inputs): their storage; must outlive @task
 * @n_outputs: number of outputs
 * @output_storages: (array length=n_outputs): their storage; must outlive @task
 *
 * For those who run a task themselves, without a plan: before the first call to it, and before it publishes a slot.
 *
 * Since: 0.1
 */
void
holo_task_bind (HoloTask *task, const gchar *node_name, const gchar *kind, guint n_inputs, HoloStorage **input_storages,
                guint n_outputs, HoloStorage **output_storages)
{
  _holo_task_bind (task, node_name, kind, n_inputs, input_storages, n_outputs, output_storages);
}

void
_holo_task_reset_counters (HoloTask *task)
{
  HoloTaskPrivate *priv = holo_task_get_instance_private (task);

  __atomic_store_n (&priv->discarded, 0, __ATOMIC_RELAXED);
  __atomic_store_n (&priv->dropped, 0, __ATOMIC_RELAXED);
}

/**
 * holo_task_get_node_name:
 * @task: a task
 *
 * Returns: the name of its node; "(unbound)" before a plan has bound it
 *
 * Since: 0.1
 */
const gchar *
holo_task_get_node_name (HoloTask *task)
{
  HoloTaskPrivate *priv = holo_task_get_instance_private (task);

  return priv->node_name != NULL ? priv->node_name : "(unbound)";
}

/**
 * holo_task_get_kind:
 * @task: a task
 *
 * Returns: the kind of its node; the type name before a plan has bound it
 *
 * Since: 0.1
 */
const gchar *
holo_task_get_kind (HoloTask *task)
{
  HoloTaskPrivate *priv = holo_task_get_instance_private (task);

  return priv->kind != NULL ? priv->kind : G_OBJECT_TYPE_NAME (task);
}

/**
 * holo_task_get_input_storage:
 * @task: a bound task
 * @index: input slot
 * @error: return location
 *
 * The storage of an input, into whose `data` an owner publishes its slot. Producing thread.
 *
 * Returns: (transfer none) (nullable): %NULL with %HOLO_ERROR_SLOT when there is no such slot
 *
 * Since: 0.1
 */
HoloStorage *
holo_task_get_input_storage (HoloTask *task, guint index, GError **error)
{
  HoloTaskPrivate *priv = holo_task_get_instance_private (task);

  if (index < priv->n_inputs)
    return priv->input_storages[index];
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_SLOT, "node \"%s\" (%s) has %u inputs, there is no input %u",
               holo_task_get_node_name (task), holo_task_get_kind (task), priv->n_inputs, index);
  return NULL;
}

/**
 * holo_task_get_output_storage:
 * @task: a bound task
 * @index: output slot
 * @error: return location
 *
 * The storage of an output. Consuming thread.
 *
 * Returns: (transfer none) (nullable): %NULL with %HOLO_ERROR_SLOT when there is no such slot
 *
 * Since: 0.1
 */
HoloStorage *
holo_task_get_output_storage (HoloTask *task, guint index, GError **error)
{
  HoloTaskPrivate *priv = holo_task_get_instance_private (task);

  if (index < priv->n_outputs)
    return priv->output_storages[index];
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_SLOT, "node \"%s\" (%s) has %u outputs, there is no output %u",
               holo_task_get_node_name (task), holo_task_get_kind (task), priv->n_outputs, index);
  return NULL;
}

/**
 * holo_task_log:
 * @task: a task
 * @level: log level
 * @format: printf format
 * @...: its arguments
 *
 * Writes a structured log line that carries node name and kind (fields HOLO_NODE and HOLO_KIND). Any thread.
 *
 * Since: 0.1
 */
void
holo_task_log (HoloTask *task, GLogLevelFlags level, const gchar *format, ...)
{
  g_autofree gchar *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_log_structured ("holoflow", level, "HOLO_NODE", holo_task_get_node_name (task), "HOLO_KIND",
                    holo_task_get_kind (task), "MESSAGE", "%s (%s): %s", holo_task_get_node_name (task),
                    holo_task_get_kind (task), text);
}

/**
 * holo_task_add_discarded:
 * @task: a task
 * @n_frames: how many
 *
 * Counts frames that a rule of the model makes undeliverable (an incomplete batch, what is held at the end of output).
 *
 * Since: 0.1
 */
void
holo_task_add_discarded (HoloTask *task, guint64 n_frames)
{
  HoloTaskPrivate *priv = holo_task_get_instance_private (task);

  __atomic_fetch_add (&priv->discarded, n_frames, __ATOMIC_RELAXED);
}

/**
 * holo_task_add_dropped:
 * @task: a task
 * @n_frames: how many
 *
 * Counts frames that the task drops because its settings tell it to (a leaky queue).
 *
 * Since: 0.1
 */
void
holo_task_add_dropped (HoloTask *task, guint64 n_frames)
{
  HoloTaskPrivate *priv = holo_task_get_instance_private (task);

  __atomic_fetch_add (&priv->dropped, n_frames, __ATOMIC_RELAXED);
}

/**
 * holo_task_get_discarded:
 * @task: a task
 *
 * Returns: frames that a rule of the model made undeliverable, so far. Any thread
 *
 * Since: 0.1
 */
guint64
holo_task_get_discarded (HoloTask *task)
{
  HoloTaskPrivate *priv = holo_task_get_instance_private (task);

  return __atomic_load_n (&priv->discarded, __ATOMIC_RELAXED);
}

/**
 * holo_task_get_dropped:
 * @task: a task
 *
 * Returns: frames that were dropped because the task was told to, so far. Any thread
 *
 * Since: 0.1
 */
guint64
holo_task_get_dropped (HoloTask *task)
{
  HoloTaskPrivate *priv = holo_task_get_instance_private (task);

  return __atomic_load_n (&priv->dropped, __ATOMIC_RELAXED);
}

/* ---- calls ---- */

/**
 * holo_task_acquire_input:
 * @task: a task
 * @index: an owned input
 * @view: gets the address of a free slot
 * @error: return location
 *
 * Calls HoloTaskClass.acquire_input().
 *
 * Returns: OK, NOT_READY when no slot is free, EOF, or ERROR
 *
 * Since: 0.1
 */
HoloOpResult
holo_task_acquire_input (HoloTask *task, guint index, HoloTensorView *view, GError **error)
{
  return HOLO_TASK_GET_CLASS (task)->acquire_input (task, index, view, error);
}

/**
 * holo_task_abort_input:
 * @task: a task
 * @index: an input whose slot was acquired
 *
 * Gives the slot back unused: HoloTaskClass.abort_input().
 *
 * Since: 0.1
 */
void
holo_task_abort_input (HoloTask *task, guint index)
{
  HoloTaskClass *klass = HOLO_TASK_GET_CLASS (task);

  if (klass->abort_input != NULL)
    klass->abort_input (task, index);
}

/**
 * holo_task_release_output:
 * @task: a task
 * @index: output slot
 * @fence: the readers' work
 * @error: return location
 *
 * Returns: %FALSE with %HOLO_ERROR_SLOT when the task owns no outputs
 *
 * Since: 0.1
 */
gboolean
holo_task_release_output (HoloTask *task, guint index, const HoloFence *fence, GError **error)
{
  HoloTaskClass *klass = HOLO_TASK_GET_CLASS (task);

  if (klass->release_output == NULL)
    return set_not_owned (task, "output", index, error);
  klass->release_output (task, index, fence);
  return TRUE;
}

/**
 * holo_task_reset:
 * @task: a task of a run that is over or flushed
 * @error: return location
 *
 * Drops contents, state and counters: HoloTaskClass.reset().
 *
 * Returns: %FALSE when it cannot
 *
 * Since: 0.1
 */
gboolean
holo_task_reset (HoloTask *task, GError **error)
{
  return HOLO_TASK_GET_CLASS (task)->reset (task, error);
}

/**
 * holo_task_finish:
 * @task: a task
 * @result: how the run ended: EOF, CANCELLED or ERROR
 * @error: return location
 *
 * Tells a task that the run it was part of has ended, see #HoloTaskClass.finish.
 *
 * Returns: %FALSE with @error when the task could not complete what it has to
 *
 * Since: 0.1
 */
gboolean
holo_task_finish (HoloTask *task, HoloOpResult result, GError **error)
{
  HoloTaskClass *klass = HOLO_TASK_GET_CLASS (task);

  return klass->finish == NULL || klass->finish (task, result, error);
}

/* A task stages one change at a time: the second would be written while the first is taken into use. A commit or rollback ends
 * it, or _holo_task_end_change() when nothing was staged. */
gboolean
_holo_task_begin_change (HoloTask *task, GError **error)
{
  HoloTaskPrivate *priv = holo_task_get_instance_private (task);

  if (g_atomic_int_compare_and_exchange (&priv->changing, FALSE, TRUE))
    return TRUE;
  g_set_error (
      error, HOLO_ERROR, HOLO_ERROR_STATE,
      "another plan that changes this task is still on its way; compile again once its update has been reported");
  return FALSE;
}

void
_holo_task_end_change (HoloTask *task)
{
  HoloTaskPrivate *priv = holo_task_get_instance_private (task);

  g_atomic_int_set (&priv->changing, FALSE);
}

/**
 * holo_task_commit:
 * @task: a task
 *
 * Takes the change that its factory staged into use: HoloTaskClass.commit(). No call of the task is in progress.
 *
 * Since: 0.1
 */
void
holo_task_commit (HoloTask *task)
{
  HoloTaskClass *klass = HOLO_TASK_GET_CLASS (task);

  if (klass->commit != NULL)
    klass->commit (task);
  _holo_task_end_change (task);
}

/**
 * holo_task_rollback:
 * @task: a task
 *
 * Forgets the change that its factory staged: HoloTaskClass.rollback().
 *
 * Since: 0.1
 */
void
holo_task_rollback (HoloTask *task)
{
  HoloTaskClass *klass = HOLO_TASK_GET_CLASS (task);

  if (klass->rollback != NULL)
    klass->rollback (task);
  _holo_task_end_change (task);
}
