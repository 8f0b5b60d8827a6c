/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds TestQueue and TestBatch: a ring of slots on host or device. */
#include "test-kinds-private.h"

#include <string.h>

#include "hb-checker.h"

typedef struct
{
  HoloStorage storage;
  HoloStamp stamp;
  HoloFence written; /* the writer's work */
  HoloFence read;    /* the readers' work */
} Slot;

#define RING_STATE                                                                                                     \
  GMutex lock;                                                                                                         \
  Slot *slots;                                                                                                         \
  guint n_slots;                                                                                                       \
  guint first;      /* slot that is popped next */                                                                     \
  guint n_full;     /* slots that can be popped */                                                                     \
  guint n_popped;   /* owned: 0 or 1, the one before first, not yet released */                                        \
  guint n_gathered; /* batch: frames in the slot behind the full ones */                                               \
  gboolean acquired;                                                                                                   \
  guint n_given; /* frames popped in this run */                                                                       \
  gboolean input_ended;                                                                                                \
  gboolean output_ended;

DEFINE_ASYNC_KIND (Queue, queue, gint64 capacity; gint64 limit; gchar * mode; gboolean fences; gboolean signals;
                   , RING_STATE)
DEFINE_ASYNC_KIND (Batch, batch, gint64 size; gint64 capacity;, RING_STATE)

/* A batch is a ring whose slots hold several frames. */
typedef TestQueueTask Ring;

/* What the lock orders is told to the checker, which sees the copies between tensors and slots. */
static void
ring_lock (Ring *self)
{
  g_mutex_lock (&self->lock);
  hb_observe (self);
}

static void
ring_unlock (Ring *self)
{
  hb_publish (self);
  g_mutex_unlock (&self->lock);
}

static gboolean
queue_is_owned (gpointer factory)
{
  return g_str_equal (((TestQueueFactory *) factory)->mode, "owned");
}

static gboolean
queue_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  TestQueueFactory *self = (TestQueueFactory *) factory;
  gboolean owned = queue_is_owned (self);
  /* a slot is read as it was written */
  HoloInferredOutput *output = owned
                                   ? holo_inference_add_output (inference, holo_inference_get_input_desc (inference, 0))
                                   : test_add_output_like_input (inference);

  output->held_max = (guint) self->capacity;
  output->owned = owned;
  output->writable = owned;
  holo_inference_get_input (inference, 0)->owned = owned;
  /* a copy by the host needs its tensor now: only slots that change hands, and copies on a stream, can go by
   * fences */
  inference->handles_fences = self->fences && (owned || output->desc.mem_loc == HOLO_MEM_LOC_DEVICE);
  inference->signals_readiness = self->signals;
  return TRUE;
}

static gboolean
ring_prepare (Ring *self, guint n_slots, GError **error)
{
  const HoloTensorDesc *desc = holo_inference_get_output_desc (&self->parent_instance.common.inference, 0);
  HoloDevice *device = self->parent_instance.common.device;

  self->slots = g_new0 (Slot, n_slots);
  self->n_slots = n_slots;
  for (guint i = 0; i < n_slots; i++)
    {
      HoloStorage *storage = &self->slots[i].storage;

      storage->size = holo_tensor_desc_get_size (desc);
      storage->mem_loc = desc->mem_loc;
      storage->device = device;
      storage->data = holo_device_alloc (device, desc->mem_loc, storage->size, error);
      if (storage->data == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
queue_prepare (TestAsyncTask *task, GError **error)
{
  return ring_prepare ((Ring *) task, (guint) ((TestQueueFactory *) task->common.factory)->capacity, error);
}

static void
ring_free (Ring *self)
{
  for (guint i = 0; i < self->n_slots; i++)
    holo_device_free (self->parent_instance.common.device, self->slots[i].storage.mem_loc, self->slots[i].storage.data);
  g_free (self->slots);
}

static void
queue_finalize (GObject *object)
{
  ring_free ((Ring *) object);
  G_OBJECT_CLASS (test_queue_task_parent_class)->finalize (object);
}

static Slot *
slot_at (Ring *self, guint index)
{
  return &self->slots[(self->first + index) % self->n_slots];
}

/* Copies between a slot and a tensor of a section, in the order of the section's stream. */
static gboolean
ring_copy (Ring *self, HoloStream *stream, HoloTensorView *dst, HoloTensorView *src, const HoloFence *before,
           HoloFence *after, GError **error)
{
  TestTaskCommon *common = &self->parent_instance.common;

  if (src->desc.mem_loc == HOLO_MEM_LOC_HOST)
    {
      holo_tensor_copy_elements (test_floats (dst), &dst->desc, test_floats (src), &src->desc);
      return TRUE;
    }
  /* @src: of a task that handles fences the writer's work may still go on */
  if (!holo_stream_wait_fence (stream, before, error) || !holo_stream_wait_fence (stream, &src->fence, error) ||
      !holo_device_copy (common->device, stream, dst, src, error))
    return FALSE;
  if (common->inference.handles_fences)
    return holo_stream_record (stream, after, error);
  return holo_stream_synchronize (stream, error);
}

/* A view of the part of @slot that frame number @part of a batch goes to, or of the whole slot. */
static void
slot_view (Slot *slot, const HoloTensorDesc *desc, guint part, HoloTensorView *view)
{
  holo_tensor_view_init (view, desc, &slot->storage);
  view->desc.offset = (gint64) (part * holo_tensor_desc_get_size (desc));
}

static HoloOpResult
count_result (Ring *self, HoloOpResult result, gboolean push)
{
  TestTaskCommon *common = &self->parent_instance.common;

  if (push)
    g_atomic_int_inc (result == HOLO_OP_OK ? &common->n_pushes : &common->n_push_refusals);
  else
    g_atomic_int_inc (result == HOLO_OP_OK ? &common->n_pops : &common->n_pop_refusals);
  return result;
}

static HoloOpResult
queue_acquire_input (HoloTask *task, guint index, HoloTensorView *view, GError **error)
{
  Ring *self = (Ring *) task;
  HoloOpResult result = HOLO_OP_NOT_READY;

  ring_lock (self);
  g_assert (!self->acquired);
  if (self->n_full + self->n_popped < self->n_slots)
    {
      Slot *slot = slot_at (self, self->n_full);

      self->acquired = TRUE;
      view->storage->data = slot->storage.data;
      view->fence = slot->read;
      result = HOLO_OP_OK;
    }
  ring_unlock (self);
  return result;
}

static void
queue_abort_input (HoloTask *task, guint index)
{
  Ring *self = (Ring *) task;

  ring_lock (self);
  g_assert (self->acquired);
  self->acquired = FALSE;
  ring_unlock (self);
}

static HoloOpResult
queue_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  Ring *self = (Ring *) task;
  HoloTensorView *view = context->inputs[0], to;
  HoloOpResult result = HOLO_OP_NOT_READY;
  Slot *slot;

  test_count_call (task);
  ring_lock (self);
  if (self->output_ended)
    result = HOLO_OP_EOF;
  else if (self->acquired)
    {
      slot = slot_at (self, self->n_full);
      g_assert (view->storage->data == slot->storage.data);
      slot->written = view->fence;
      result = HOLO_OP_OK;
    }
  else if (!queue_is_owned (self->parent_instance.common.factory) && self->n_full < self->n_slots)
    {
      slot = slot_at (self, self->n_full);
      slot_view (slot, &view->desc, 0, &to);
      holo_tensor_desc_init_dense_like (&to.desc, &view->desc);
      result =
          ring_copy (self, context->stream, &to, view, &slot->read, &slot->written, error) ? HOLO_OP_OK : HOLO_OP_ERROR;
    }
  if (result == HOLO_OP_OK)
    {
      slot_at (self, self->n_full++)->stamp = view->stamp;
      self->acquired = FALSE;
    }
  ring_unlock (self);
  return count_result (self, result, TRUE);
}

static HoloOpResult
queue_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  Ring *self = (Ring *) task;
  HoloTensorView *view = context->outputs[0], from;
  TestQueueFactory *factory = (TestQueueFactory *) self->parent_instance.common.factory;
  gboolean owned = queue_is_owned (factory);
  HoloOpResult result = HOLO_OP_NOT_READY;

  test_count_call (task);
  ring_lock (self);
  g_assert (self->n_popped == 0);
  if (factory->limit > 0 && self->n_given >= factory->limit)
    {
      holo_task_add_discarded (HOLO_TASK (task), self->n_full);
      self->n_full = 0;
      self->output_ended = TRUE;
      result = HOLO_OP_EOF;
    }
  else if (self->n_full > 0)
    {
      self->n_given++;
      Slot *slot = slot_at (self, 0);

      view->stamp = slot->stamp;
      result = HOLO_OP_OK;
      if (owned)
        {
          view->storage->data = slot->storage.data;
          view->fence = slot->written;
          self->n_popped = 1;
        }
      else
        {
          slot_view (slot, &view->desc, 0, &from);
          if (!ring_copy (self, context->stream, view, &from, &slot->written, &slot->read, error))
            result = HOLO_OP_ERROR;
          view->fence = slot->read; /* the copy that it enqueues itself it fences itself */
        }
      self->first = (self->first + 1) % self->n_slots;
      self->n_full--;
    }
  else if (self->input_ended)
    result = HOLO_OP_EOF;
  ring_unlock (self);
  return count_result (self, result, FALSE);
}

static void
queue_release_output (HoloTask *task, guint index, const HoloFence *fence)
{
  Ring *self = (Ring *) task;

  ring_lock (self);
  g_assert (self->n_popped == 1);
  slot_at (self, self->n_slots - 1)->read = *fence;
  self->n_popped = 0;
  ring_unlock (self);
}

static void
ring_end_of_input (HoloAsyncTask *task)
{
  Ring *self = (Ring *) task;

  ring_lock (self);
  self->input_ended = TRUE;
  ring_unlock (self);
}

static void
ring_end_of_output (HoloAsyncTask *task)
{
  Ring *self = (Ring *) task;

  ring_lock (self);
  self->output_ended = TRUE;
  holo_task_add_discarded (HOLO_TASK (task), self->n_full);
  self->n_full = 0;
  ring_unlock (self);
}

static gboolean
ring_reset (HoloTask *task, GError **error)
{
  Ring *self = (Ring *) task;

  self->first = self->n_full = self->n_popped = self->n_gathered = self->n_given = 0;
  self->acquired = self->input_ended = self->output_ended = FALSE;
  for (guint i = 0; i < self->n_slots; i++)
    self->slots[i].written = self->slots[i].read = (HoloFence) HOLO_FENCE_INIT;
  return TRUE;
}

static void
test_queue_task_class_init (TestQueueTaskClass *klass)
{
  HoloTaskClass *task_class = HOLO_TASK_CLASS (klass);
  HoloAsyncTaskClass *async_class = HOLO_ASYNC_TASK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = queue_finalize;
  task_class->acquire_input = queue_acquire_input;
  task_class->abort_input = queue_abort_input;
  task_class->release_output = queue_release_output;
  task_class->reset = ring_reset;
  async_class->try_push = queue_try_push;
  async_class->try_pop = queue_try_pop;
  async_class->end_of_input = ring_end_of_input;
  async_class->end_of_output = ring_end_of_output;
  ((TestAsyncTaskClass *) klass)->prepare = queue_prepare;
}

static void
test_queue_factory_class_init (TestQueueFactoryClass *klass)
{
  test_kind_declare (klass, test_queue_task_get_type (), "A queue by copies or by slots", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_int64 (klass, "capacity", "Frames held at most", "frames", 1, 4096, 2, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestQueueFactory, capacity));
  holo_settings_install_int64 (klass, "limit", "Frames before it ends by itself, 0 for no end", "frames", 0, G_MAXINT,
                               0, HOLO_SETTING_NONE, G_STRUCT_OFFSET (TestQueueFactory, limit));
  holo_settings_install_string (klass, "mode", "copy or owned", "copy", HOLO_SETTING_NONE,
                                G_STRUCT_OFFSET (TestQueueFactory, mode));
  holo_settings_install_boolean (klass, "fences", "Passes fences on", FALSE, HOLO_SETTING_NONE,
                                 G_STRUCT_OFFSET (TestQueueFactory, fences));
  holo_settings_install_boolean (klass, "signals", "Needs no timer", TRUE, HOLO_SETTING_NONE,
                                 G_STRUCT_OFFSET (TestQueueFactory, signals));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = queue_infer;
}

static gboolean
batch_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  TestBatchFactory *self = (TestBatchFactory *) factory;
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  gint64 shape[HOLO_MAX_RANK] = { self->size };
  HoloInferredOutput *output;
  HoloTensorDesc desc;

  memcpy (&shape[1], input->shape, input->rank * sizeof *shape);
  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, input->mem_loc, input->rank + 1, shape);
  output = holo_inference_add_output (inference, &desc);
  output->rate_d = (gint) self->size;
  output->held_min = (guint) self->size - 1;
  output->held_max = (guint) (self->size * self->capacity);
  inference->signals_readiness = TRUE;
  return TRUE;
}

static gboolean
batch_prepare (TestAsyncTask *task, GError **error)
{
  return ring_prepare ((Ring *) task, (guint) ((TestBatchFactory *) task->common.factory)->capacity, error);
}

static void
batch_finalize (GObject *object)
{
  ring_free ((Ring *) object);
  G_OBJECT_CLASS (test_batch_task_parent_class)->finalize (object);
}

static HoloOpResult
batch_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  Ring *self = (Ring *) task;
  guint size = (guint) ((TestBatchFactory *) self->parent_instance.common.factory)->size;
  HoloTensorView *view = context->inputs[0], to;
  HoloOpResult result = HOLO_OP_NOT_READY;

  test_count_call (task);
  ring_lock (self);
  if (self->output_ended)
    result = HOLO_OP_EOF;
  else if (self->n_full < self->n_slots)
    {
      Slot *slot = slot_at (self, self->n_full);
      HoloTensorDesc dense;

      holo_tensor_desc_init_dense_like (&dense, &view->desc);
      slot_view (slot, &dense, self->n_gathered, &to);
      result =
          ring_copy (self, context->stream, &to, view, &slot->read, &slot->written, error) ? HOLO_OP_OK : HOLO_OP_ERROR;
      if (self->n_gathered == 0)
        slot->stamp = view->stamp;
      else
        holo_stamp_merge (&slot->stamp, &view->stamp);
      if (++self->n_gathered == size)
        {
          self->n_full++;
          self->n_gathered = 0;
        }
    }
  ring_unlock (self);
  return count_result (self, result, TRUE);
}

static HoloOpResult
batch_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  Ring *self = (Ring *) task;
  HoloTensorView *view = context->outputs[0], from;
  HoloOpResult result = HOLO_OP_NOT_READY;

  test_count_call (task);
  ring_lock (self);
  if (self->n_full > 0)
    {
      Slot *slot = slot_at (self, 0);

      slot_view (slot, &view->desc, 0, &from);
      view->stamp = slot->stamp;
      result = ring_copy (self, context->stream, view, &from, &slot->written, &slot->read, error) ? HOLO_OP_OK
                                                                                                  : HOLO_OP_ERROR;
      self->first = (self->first + 1) % self->n_slots;
      self->n_full--;
    }
  else if (self->input_ended)
    result = HOLO_OP_EOF;
  ring_unlock (self);
  return count_result (self, result, FALSE);
}

static void
batch_end_of_input (HoloAsyncTask *task)
{
  Ring *self = (Ring *) task;

  ring_lock (self);
  self->input_ended = TRUE;
  holo_task_add_discarded (HOLO_TASK (task), self->n_gathered);
  self->n_gathered = 0;
  ring_unlock (self);
}

static void
batch_end_of_output (HoloAsyncTask *task)
{
  Ring *self = (Ring *) task;
  guint size = (guint) ((TestBatchFactory *) self->parent_instance.common.factory)->size;

  ring_lock (self);
  self->output_ended = TRUE;
  holo_task_add_discarded (HOLO_TASK (task), self->n_full * size + self->n_gathered);
  self->n_full = self->n_gathered = 0;
  ring_unlock (self);
}

static void
test_batch_task_class_init (TestBatchTaskClass *klass)
{
  HoloAsyncTaskClass *async_class = HOLO_ASYNC_TASK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = batch_finalize;
  HOLO_TASK_CLASS (klass)->reset = ring_reset;
  async_class->try_push = batch_try_push;
  async_class->try_pop = batch_try_pop;
  async_class->end_of_input = batch_end_of_input;
  async_class->end_of_output = batch_end_of_output;
  ((TestAsyncTaskClass *) klass)->prepare = batch_prepare;
}

static void
test_batch_factory_class_init (TestBatchFactoryClass *klass)
{
  test_kind_declare (klass, test_batch_task_get_type (), "Stacks frames", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_int64 (klass, "size", "Frames per batch", "frames", 1, 64, 2, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestBatchFactory, size));
  holo_settings_install_int64 (klass, "capacity", "Batches held at most", "batches", 1, 4096, 2, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestBatchFactory, capacity));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = batch_infer;
}
