/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Output: an application pulls frames out of the graph here. It adopts the memory, so nothing is copied. */
#include "base/holo-error.h"
#include "tasks/holo-builtin-kinds.h"
#include "tasks/holo-end-task.h"

static gboolean
output_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  holo_inference_get_input (inference, 0)->adopts = TRUE;
  inference->handles_fences = TRUE;
  inference->signals_readiness = TRUE;
  inference->stateful = FALSE;
  return TRUE;
}

static HoloOpResult
output_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  HoloEndTaskState *self = holo_task_get_state (task);

  return self->end != NULL ? _holo_end_offer (self->end, context->inputs[0]) : HOLO_OP_NOT_READY;
}

static HoloOpResult
output_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "nothing inside a graph can read an Output");
  return HOLO_OP_ERROR;
}

/* A frame that waits carries its own description: it stays right whatever comes next. */
static HoloChange
output_change (HoloAsyncTaskFactory *factory, HoloAsyncTask *task, const HoloInference *old_inference,
               const HoloInference *inference, const HoloAsyncCreateContext *context, GError **error)
{
  return HOLO_CHANGE_STAGED;
}

static void
holo_output_class_init (gpointer klass)
{
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->is_pulled = TRUE;
  holo_task_factory_class_set_description (
      klass, "Gives frames to the application",
      "The application (or a source pad) pulls frames here. It adopts the memory of the frame: nothing is copied. The memory "
      "comes from the allocator that the application sets, otherwise from a pool of the plan, and may come back in any "
      "order, from any thread, late or never.");
  holo_task_factory_class_set_example (klass, "{}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "The frame");
}

/* Its reader is the application, which says itself when it has closed: there is no end_of_output. */
static const HoloAsyncFunctions functions = {
  .state_size = sizeof (HoloEndTaskState),
  .infer = output_infer,
  .try_push = output_try_push,
  .try_pop = output_try_pop,
  .end_of_input = _holo_end_task_end_of_input,
  .reset = _holo_end_task_reset,
  .clear = _holo_end_task_clear,
  .bind_end = _holo_end_task_bind_end,
  .change = output_change,
};

HOLO_DEFINE_ASYNC_KIND (holo_output, "Output", HoloAsyncTaskFactory, functions)
