/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Output: an application pulls frames out of the graph here. It adopts the memory, so nothing is copied. */
#include "holo-error.h"
#include "tasks/holo-builtin-kinds.h"
#include "tasks/holo-output.h"

gboolean holo_output_register (HoloRegistry *registry, GError **error);

/* ---- task ---- */

struct _HoloOutputTask
{
  HoloAsyncTask parent_instance;

  GMutex lock;
  HoloFrame slot; /* block NULL = empty */
  gboolean ended;
  gboolean closed;
};

G_DEFINE_FINAL_TYPE (HoloOutputTask, holo_output_task, HOLO_TYPE_ASYNC_TASK)

static HoloOpResult
output_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  HoloOutputTask *self = HOLO_OUTPUT_TASK (task);
  const HoloTensorView *view = context->inputs[0];
  HoloOpResult result = HOLO_OP_OK;

  g_mutex_lock (&self->lock);
  if (self->closed)
    result = HOLO_OP_EOF;
  else if (self->slot.block != NULL)
    result = HOLO_OP_NOT_READY;
  else
    {
      self->slot.block = holo_block_ref (view->storage->block);
      self->slot.desc = view->desc;
      self->slot.desc.offset += (guint8 *) view->storage->data - (guint8 *) view->storage->block->data;
      self->slot.stamp = view->stamp;
      self->slot.fence = view->fence;
    }
  g_mutex_unlock (&self->lock);
  return result;
}

static HoloOpResult
output_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "nothing inside a graph can read an Output");
  return HOLO_OP_ERROR;
}

HoloOpResult
_holo_output_task_take (HoloOutputTask *self, HoloFrame *frame)
{
  HoloOpResult result = HOLO_OP_OK;

  g_mutex_lock (&self->lock);
  if (self->slot.block != NULL)
    {
      *frame = self->slot;
      self->slot.block = NULL;
    }
  else
    result = self->ended || self->closed ? HOLO_OP_EOF : HOLO_OP_NOT_READY;
  g_mutex_unlock (&self->lock);
  return result;
}

gboolean
_holo_output_task_has_frame (HoloOutputTask *self)
{
  gboolean has_frame;

  g_mutex_lock (&self->lock);
  has_frame = self->slot.block != NULL;
  g_mutex_unlock (&self->lock);
  return has_frame;
}

static void
output_end_of_input (HoloAsyncTask *task)
{
  HoloOutputTask *self = HOLO_OUTPUT_TASK (task);

  g_mutex_lock (&self->lock);
  self->ended = TRUE;
  g_mutex_unlock (&self->lock);
}

static guint
drop_frame (HoloOutputTask *self)
{
  HoloFrame slot = self->slot;
  guint n = slot.block != NULL;

  self->slot.block = NULL;
  g_mutex_unlock (&self->lock);
  holo_frame_clear (&slot);
  g_mutex_lock (&self->lock);
  return n;
}

void
_holo_output_task_set_closed (HoloOutputTask *self, gboolean closed)
{
  g_mutex_lock (&self->lock);
  self->closed = closed;
  /* Being closed had ended the input as well. */
  self->ended = self->ended && closed;
  if (closed)
    holo_task_add_discarded (HOLO_TASK (self), drop_frame (self));
  g_mutex_unlock (&self->lock);
}

static void
output_end_of_output (HoloAsyncTask *task)
{
  _holo_output_task_set_closed (HOLO_OUTPUT_TASK (task), TRUE);
}

static gboolean
output_reset (HoloTask *task, GError **error)
{
  HoloOutputTask *self = HOLO_OUTPUT_TASK (task);

  g_mutex_lock (&self->lock);
  drop_frame (self);
  self->ended = self->closed = FALSE;
  g_mutex_unlock (&self->lock);
  return TRUE;
}

static void
holo_output_task_finalize (GObject *object)
{
  HoloOutputTask *self = HOLO_OUTPUT_TASK (object);

  g_mutex_lock (&self->lock);
  drop_frame (self);
  g_mutex_unlock (&self->lock);
  g_mutex_clear (&self->lock);
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
}

static void
holo_output_task_init (HoloOutputTask *self)
{
  g_mutex_init (&self->lock);
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
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->update = output_update;

  holo_task_factory_class_set_description (
    klass, "Gives frames to the application",
    "The application (or a source pad) pulls frames here. It adopts the memory of the frame: nothing is copied. The memory "
    "comes from the allocator that the application sets, otherwise from a pool of the plan, and may come back in any "
    "order, from any thread, late or never.");
  holo_task_factory_class_set_example (klass, "{}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                     HOLO_SLOT_NONE, "The frame");
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
