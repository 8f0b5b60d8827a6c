/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Output: an application pulls frames out of the graph here. It adopts the memory, so nothing is copied. The frame waits
 * in the application's end; the task is the section's side of that. */
#include "base/holo-error.h"
#include "runtime/holo-end-private.h"
#include "tasks/holo-builtin-kinds.h"

#define HOLO_TYPE_OUTPUT_FACTORY (holo_output_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloOutputFactory, holo_output_factory, HOLO, OUTPUT_FACTORY, HoloAsyncTaskFactory)

#define HOLO_TYPE_OUTPUT_TASK (holo_output_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloOutputTask, holo_output_task, HOLO, OUTPUT_TASK, HoloAsyncTask)

gboolean holo_output_register (HoloRegistry *registry, GError **error);

/* ---- task ---- */

struct _HoloOutputTask
{
  HoloAsyncTask parent_instance;

  HoloEnd *end; /* nullable; a reference */
};

G_DEFINE_FINAL_TYPE (HoloOutputTask, holo_output_task, HOLO_TYPE_ASYNC_TASK)

static void
output_bind_end (HoloAsyncTask *task, HoloEnd *end)
{
  HoloOutputTask *self = HOLO_OUTPUT_TASK (task);
  HoloEnd *old = self->end;

  self->end = end != NULL ? holo_end_ref (end) : NULL;
  g_clear_pointer (&old, holo_end_unref);
}

static HoloOpResult
output_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  HoloOutputTask *self = (HoloOutputTask *) task; /* once per frame: unchecked */

  return self->end != NULL ? _holo_end_offer (self->end, context->inputs[0]) : HOLO_OP_NOT_READY;
}

static HoloOpResult
output_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "nothing inside a graph can read an Output");
  return HOLO_OP_ERROR;
}

static void
output_end_of_input (HoloAsyncTask *task)
{
  if (HOLO_OUTPUT_TASK (task)->end != NULL)
    _holo_end_no_more_input (HOLO_OUTPUT_TASK (task)->end);
}

/* Its reader is the application, which says itself when it has closed. */
static void
output_end_of_output (HoloAsyncTask *task)
{
}

static gboolean
output_reset (HoloTask *task, GError **error)
{
  if (HOLO_OUTPUT_TASK (task)->end != NULL)
    _holo_end_reset (HOLO_OUTPUT_TASK (task)->end);
  return TRUE;
}

static void
holo_output_task_finalize (GObject *object)
{
  g_clear_pointer (&HOLO_OUTPUT_TASK (object)->end, holo_end_unref);
  G_OBJECT_CLASS (holo_output_task_parent_class)->finalize (object);
}

static void
holo_output_task_class_init (HoloOutputTaskClass *klass)
{
  HoloAsyncTaskClass *async_class = HOLO_ASYNC_TASK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = holo_output_task_finalize;
  HOLO_TASK_CLASS (klass)->reset = output_reset;
  async_class->try_push = output_try_push;
  async_class->try_pop = output_try_pop;
  async_class->end_of_input = output_end_of_input;
  async_class->end_of_output = output_end_of_output;
  async_class->bind_end = output_bind_end;
}

static void
holo_output_task_init (HoloOutputTask *self)
{
}

/* ---- factory ---- */

struct _HoloOutputFactory
{
  HoloAsyncTaskFactory parent_instance;
};

G_DEFINE_FINAL_TYPE (HoloOutputFactory, holo_output_factory, HOLO_TYPE_ASYNC_TASK_FACTORY)

static gboolean
output_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  holo_inference_get_input (inference, 0)->adopts = TRUE;
  inference->handles_fences = TRUE;
  inference->signals_readiness = TRUE;
  inference->stateful = FALSE;
  return TRUE;
}

static HoloAsyncTask *
output_create (HoloAsyncTaskFactory *factory, const HoloInference *inference, const HoloAsyncCreateContext *context,
               GError **error)
{
  return g_object_new (HOLO_TYPE_OUTPUT_TASK, NULL);
}

static HoloAsyncTask *
output_update (HoloAsyncTaskFactory *factory, HoloAsyncTask *old, const HoloInference *old_inference,
               const HoloInference *inference, const HoloAsyncCreateContext *context, GError **error)
{
  /* A frame that waits carries its own description: it stays right whatever comes next. */
  return old != NULL && HOLO_IS_OUTPUT_TASK (old) ? g_object_ref (old)
                                                  : output_create (factory, inference, context, error);
}

static void
holo_output_factory_class_init (HoloOutputFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = output_infer;
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->create = output_create;
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->is_pulled = TRUE;
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->update = output_update;

  holo_task_factory_class_set_description (
      klass, "Gives frames to the application",
      "The application (or a source pad) pulls frames here. It adopts the memory of the frame: nothing is copied. The memory "
      "comes from the allocator that the application sets, otherwise from a pool of the plan, and may come back in any "
      "order, from any thread, late or never.");
  holo_task_factory_class_set_example (klass, "{}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "The frame");
}

static void
holo_output_factory_init (HoloOutputFactory *self)
{
}

gboolean
holo_output_register (HoloRegistry *registry, GError **error)
{
  return holo_registry_register_async (registry, "Output", HOLO_TYPE_OUTPUT_FACTORY, error);
}
