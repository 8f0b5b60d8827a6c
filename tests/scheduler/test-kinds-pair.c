/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Pair: takes a frame into a slot of its own beside one that only passes through, which it gives on. */
#include "test-kinds-private.h"

#include "hb-checker.h"

DEFINE_ASYNC_KIND (Pair, pair, , GMutex lock; HoloStorage slot; gboolean acquired; gboolean input_ended;
                   gboolean output_ended; HoloBlock * block; gpointer data; gsize size; HoloStamp stamp;
                   HoloFence fence;)

static gboolean
pair_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloInferredOutput *output = holo_inference_add_output (inference, holo_inference_get_input_desc (inference, 1));

  holo_inference_get_input (inference, 0)->owned = TRUE;
  holo_inference_get_input (inference, 1)->adopts = TRUE;
  output->lent = TRUE;
  output->lends_input = 1;
  output->held_max = 1;
  inference->handles_fences = TRUE;
  inference->signals_readiness = TRUE;
  return TRUE;
}

static gboolean
pair_prepare (TestAsyncTask *task, GError **error)
{
  TestPairTask *self = (TestPairTask *) task;
  const HoloTensorDesc *desc = holo_inference_get_input_desc (&task->common.inference, 0);

  self->slot.size = holo_tensor_desc_get_size (desc);
  self->slot.mem_loc = desc->mem_loc;
  self->slot.data = holo_device_alloc (task->common.device, desc->mem_loc, self->slot.size, error);
  return self->slot.data != NULL;
}

static void
pair_lock (TestPairTask *self)
{
  g_mutex_lock (&self->lock);
  hb_observe (self);
}

static void
pair_unlock (TestPairTask *self)
{
  hb_publish (self);
  g_mutex_unlock (&self->lock);
}

static HoloOpResult
pair_acquire_input (HoloTask *task, guint index, HoloTensorView *view, GError **error)
{
  TestPairTask *self = (TestPairTask *) task;
  HoloOpResult result = HOLO_OP_NOT_READY;

  pair_lock (self);
  if (self->block == NULL)
    {
      view->storage->data = self->slot.data;
      self->acquired = TRUE;
      result = HOLO_OP_OK;
    }
  pair_unlock (self);
  return result;
}

static void
pair_abort_input (HoloTask *task, guint index)
{
  ((TestPairTask *) task)->acquired = FALSE;
}

static HoloOpResult
pair_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  TestPairTask *self = (TestPairTask *) task;
  const HoloTensorView *view = context->inputs[1];
  HoloOpResult result = HOLO_OP_NOT_READY;

  test_count_call (task);
  pair_lock (self);
  if (self->output_ended)
    result = HOLO_OP_EOF;
  else if (self->block == NULL)
    {
      g_assert (self->acquired && context->inputs[0]->storage->data == self->slot.data);
      self->acquired = FALSE;
      self->block = holo_block_ref (view->storage->block);
      self->data = view->storage->data;
      self->size = view->storage->size;
      self->stamp = view->stamp;
      self->fence = view->fence;
      result = HOLO_OP_OK;
    }
  pair_unlock (self);
  return result;
}

static HoloOpResult
pair_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  TestPairTask *self = (TestPairTask *) task;
  HoloTensorView *view = context->outputs[0];
  HoloOpResult result;

  test_count_call (task);
  pair_lock (self);
  result = self->block != NULL ? HOLO_OP_OK : self->input_ended ? HOLO_OP_EOF : HOLO_OP_NOT_READY;
  if (result == HOLO_OP_OK)
    {
      view->storage->block = g_steal_pointer (&self->block);
      view->storage->data = self->data;
      view->storage->size = self->size;
      view->stamp = self->stamp;
      view->fence = self->fence;
    }
  pair_unlock (self);
  return result;
}

static void
pair_end_of_input (HoloAsyncTask *task)
{
  TestPairTask *self = (TestPairTask *) task;

  pair_lock (self);
  self->input_ended = TRUE;
  pair_unlock (self);
}

static void
pair_drop (TestPairTask *self)
{
  if (self->block == NULL)
    return;
  holo_block_unref_after (g_steal_pointer (&self->block), &self->fence);
  holo_task_add_discarded (HOLO_TASK (self), 1);
}

static void
pair_end_of_output (HoloAsyncTask *task)
{
  TestPairTask *self = (TestPairTask *) task;

  pair_lock (self);
  self->output_ended = TRUE;
  pair_drop (self);
  pair_unlock (self);
}

static gboolean
pair_reset (HoloTask *task, GError **error)
{
  TestPairTask *self = (TestPairTask *) task;

  pair_drop (self);
  self->acquired = self->input_ended = self->output_ended = FALSE;
  return TRUE;
}

static void
pair_finalize (GObject *object)
{
  TestPairTask *self = (TestPairTask *) object;

  pair_drop (self);
  holo_device_free (self->parent_instance.common.device, self->slot.mem_loc, self->slot.data);
  G_OBJECT_CLASS (test_pair_task_parent_class)->finalize (object);
}

static void
test_pair_task_class_init (TestPairTaskClass *klass)
{
  HoloTaskClass *task_class = HOLO_TASK_CLASS (klass);
  HoloAsyncTaskClass *async_class = HOLO_ASYNC_TASK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = pair_finalize;
  task_class->acquire_input = pair_acquire_input;
  task_class->abort_input = pair_abort_input;
  task_class->reset = pair_reset;
  async_class->try_push = pair_try_push;
  async_class->try_pop = pair_try_pop;
  async_class->end_of_input = pair_end_of_input;
  async_class->end_of_output = pair_end_of_output;
  ((TestAsyncTaskClass *) klass)->prepare = pair_prepare;
}

static void
test_pair_factory_class_init (TestPairFactoryClass *klass)
{
  test_kind_declare (klass, test_pair_task_get_type (), "A slot, and a frame that passes through", 2, 1,
                     HOLO_MEM_LOCS_ANY);
  HOLO_TASK_FACTORY_CLASS (klass)->infer = pair_infer;
}
