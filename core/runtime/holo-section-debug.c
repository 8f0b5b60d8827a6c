/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What HOLOFLOW_SYNC, HOLOFLOW_POISON and HOLOFLOW_STALL do to a run. Nothing of it costs anything when they
 * are not set. */
#include <string.h>

#include "base/holo-environment.h"
#include "device/holo-runtime-hooks.h"
#include "runtime/holo-section-private.h"

#define POISON    0xa5
#define MAX_STALL 200 /* µs */

/* ---- around each node ---- */

/* Memory of the plan, or a fresh block, in which nothing of an input lives. Slots of tasks are theirs. */
static gboolean
is_fresh (HoloPlan *plan, const HoloPlanNode *node, guint output)
{
  const HoloPlanTensor *tensor = _holo_plan_tensor (plan, node->outputs[output]);
  const HoloPlanStorage *storage = _holo_plan_storage (plan, tensor->storage);

  return !tensor->shares && storage->mem_loc == HOLO_MEM_LOC_HOST &&
         (storage->storage_class == HOLO_STORAGE_PLAN || storage->storage_class == HOLO_STORAGE_POOL);
}

static void
poison_outputs (HoloPart *part)
{
  for (guint i = 0; i < part->n_outputs; i++)
    {
      HoloTensorView *view = part->views[part->n_inputs + i];
      gsize span = 0;

      if (part->output_fresh[i] && !holo_tensor_view_is_null (view) &&
          holo_tensor_desc_get_span (&view->desc, &span, NULL))
        memset (holo_tensor_view_get_data (view), POISON, span);
    }
}

/* Around the task's own execute(). */
static HoloOpResult
execute_checked (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  HoloPart *part = (HoloPart *) ((guint8 *) context - G_STRUCT_OFFSET (HoloPart, sync));
  HoloOpResult result;

  if (part->output_fresh != NULL)
    {
      /* The device may still use the memory. */
      if (!holo_stream_synchronize (context->stream, error))
        return HOLO_OP_ERROR;
      poison_outputs (part);
    }
  result = HOLO_SYNC_TASK_GET_CLASS (task)->execute (task, context, error);
  if (result == HOLO_OP_OK && holo_environment_get_sync () && !holo_stream_synchronize (context->stream, error))
    return HOLO_OP_ERROR;
  return result;
}

/* With @plan, before the section's first iteration. */
void
_holo_section_read_environment (HoloSection *section, HoloPlan *plan)
{
  gboolean poisons = holo_environment_get_poison ();

  if (!poisons && !holo_environment_get_sync ())
    return;
  for (guint i = 0; i < section->n_nodes; i++)
    {
      HoloPart *part = &section->nodes[i];

      part->execute = execute_checked;
      if (!poisons)
        continue;
      part->output_fresh = g_new0 (guint8, part->n_outputs + 1);
      for (guint k = 0; k < part->n_outputs; k++)
        part->output_fresh[k] = (guint8) is_fresh (plan, _holo_plan_node (plan, part->node), k);
    }
}

/* ---- stall ---- */

static guint64
next_random (void)
{
  static __thread guint64 state;
  static gint n_threads;

  if (state == 0)
    {
      state = holo_environment_get_stall () + (guint64) g_atomic_int_add (&n_threads, 1);
      state = (state * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) | 1;
    }
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* One time in four a sleep, one in four a mere yield. */
static void
stall (HoloRuntimePause pause)
{
  guint64 random = next_random ();

  if ((random & 3) == 0)
    g_usleep ((gulong) ((random >> 8) % MAX_STALL));
  else if ((random & 3) == 1)
    g_thread_yield ();
}

/* Before the first section of the process runs. */
void
_holo_runtime_read_environment (void)
{
  static gsize once;

  if (!g_once_init_enter (&once))
    return;
  if (holo_environment_get_stall () != 0 && holo_runtime_pause_func == NULL)
    holo_runtime_pause_func = stall;
  g_once_init_leave (&once, 1);
}
