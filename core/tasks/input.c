/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Input: an application pushes frames into the graph here. One frame waits in a slot; its memory is lent to the graph
 * and given back when the last reader has let go of it. */
#include "holo-device.h"
#include "holo-error.h"
#include "tasks/holo-builtin-kinds.h"
#include "tasks/holo-input.h"

gboolean holo_input_register (HoloRegistry *registry, GError **error);

/* ---- task ---- */

struct _HoloInputTask
{
  HoloAsyncTask parent_instance;

  HoloTensorDesc desc;
  gboolean writable;
  HoloDevice *device; /* of the plan */

  GMutex lock;
  HoloFrame slot;     /* block NULL = empty */
  HoloFrame returned; /* a popped frame that a flush elsewhere gave back: goes out first */
  gboolean ended;
  gboolean closed; /* nobody pops any more */
  guint64 next_number;
};

G_DEFINE_FINAL_TYPE (HoloInputTask, holo_input_task, HOLO_TYPE_ASYNC_TASK)

/* What another device holds cannot be reached from here, not even where the two are one GPU with two contexts. */
static gboolean
check_device (HoloInputTask *self, const HoloFrame *frame, GError **error)
{
  if (frame->block == NULL || frame->block->mem_loc != HOLO_MEM_LOC_DEVICE || frame->block->device == NULL
      || frame->block->device == self->device)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
               "node \"%s\" (Input) is in a graph on %s, but was given a tensor that lies on %s; bring it to the host "
               "there (Memcpy with target Host), and onto this device behind the Input (Memcpy with target Device)",
               holo_task_get_node_name (HOLO_TASK (self)), holo_device_get_name (self->device),
               holo_device_get_name (frame->block->device));
  return FALSE;
}

static gboolean
check_frame (HoloInputTask *self, const HoloFrame *frame, GError **error)
{
  HoloTensorDesc expected = self->desc;
  g_autofree gchar *want = NULL, *found = NULL;

  if (!check_device (self, frame, error))
    return FALSE;

  expected.offset = frame->desc.offset;
  if (holo_tensor_desc_equal (&expected, &frame->desc) && frame->block != NULL
      && frame->block->mem_loc == frame->desc.mem_loc
      && frame->block->size >= holo_tensor_desc_get_size (&frame->desc)
      && (!self->writable || !frame->block->read_only))
    return TRUE;
  want = holo_tensor_desc_to_string (&self->desc);
  found = holo_tensor_desc_to_string (&frame->desc);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK,
               "node \"%s\" (Input) takes %s, but was given %s in a %sblock of %" G_GSIZE_FORMAT " bytes",
               holo_task_get_node_name (HOLO_TASK (self)), want, found,
               frame->block != NULL && frame->block->read_only ? "read-only " : "",
               frame->block != NULL ? frame->block->size : 0);
  return FALSE;
}

HoloOpResult
_holo_input_task_offer (HoloInputTask *self, HoloFrame *frame, GError **error)
{
  HoloOpResult result = HOLO_OP_OK;

  if (!check_frame (self, frame, error))
    return HOLO_OP_ERROR;
  g_mutex_lock (&self->lock);
  if (self->ended || self->closed)
    result = HOLO_OP_EOF;
  else if (self->slot.block != NULL)
    result = HOLO_OP_NOT_READY;
  else
    {
      self->slot = *frame;
      frame->block = NULL;
      if (self->slot.stamp.seq == HOLO_TIME_NONE)
        self->slot.stamp.seq = self->slot.stamp.first = self->slot.stamp.last = self->next_number;
      self->next_number = self->slot.stamp.last + 1;
    }
  g_mutex_unlock (&self->lock);
  return result;
}

gboolean
_holo_input_task_is_ready (HoloInputTask *self)
{
  gboolean ready;

  g_mutex_lock (&self->lock);
  ready = self->slot.block != NULL || self->returned.block != NULL || self->ended || self->closed;
  g_mutex_unlock (&self->lock);
  return ready;
}

gboolean
_holo_input_task_has_frame (HoloInputTask *self)
{
  gboolean has_frame;

  g_mutex_lock (&self->lock);
  has_frame = self->slot.block != NULL;
  g_mutex_unlock (&self->lock);
  return has_frame;
}

guint64
_holo_input_task_get_next_number (HoloInputTask *self)
{
  guint64 number;

  g_mutex_lock (&self->lock);
  number = self->next_number;
  g_mutex_unlock (&self->lock);
  return number;
}

void
_holo_input_task_put_back (HoloInputTask *self, HoloTensorView *view)
{
  g_mutex_lock (&self->lock);
  self->returned.block = g_steal_pointer (&view->storage->block);
  self->returned.desc = view->desc;
  self->returned.desc.offset += (guint8 *) view->storage->data - (guint8 *) self->returned.block->data;
  self->returned.stamp = view->stamp;
  self->returned.fence = view->fence;
  view->storage->data = NULL;
  g_mutex_unlock (&self->lock);
}

static HoloOpResult
input_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "nothing inside a graph can feed an Input");
  return HOLO_OP_ERROR;
}

/* The slot is free again once its frame is popped: the caller may bring the next one while this one is worked on. */
static HoloOpResult
input_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  HoloInputTask *self = HOLO_INPUT_TASK (task);
  HoloTensorView *view = context->outputs[0];
  HoloOpResult result = HOLO_OP_OK;
  HoloFrame *frame;

  g_mutex_lock (&self->lock);
  frame = self->returned.block != NULL ? &self->returned : &self->slot;
  if (frame->block != NULL)
    {
      view->storage->block = frame->block;
      view->storage->data = (guint8 *) frame->block->data + frame->desc.offset - self->desc.offset;
      view->storage->size = frame->block->size;
      view->stamp = frame->stamp;
      view->fence = frame->fence;
      frame->block = NULL;
    }
  else
    result = self->ended ? HOLO_OP_EOF : HOLO_OP_NOT_READY;
  g_mutex_unlock (&self->lock);
  return result;
}

static void
input_end_of_input (HoloAsyncTask *task)
{
  HoloInputTask *self = HOLO_INPUT_TASK (task);

  g_mutex_lock (&self->lock);
  self->ended = TRUE;
  g_mutex_unlock (&self->lock);
}

static guint
drop_frames (HoloInputTask *self)
{
  guint n = (self->slot.block != NULL) + (self->returned.block != NULL);
  HoloFrame slot = self->slot, returned = self->returned;

  self->slot.block = self->returned.block = NULL;
  /* Giving memory back calls code of its owner: not under the lock. */
  g_mutex_unlock (&self->lock);
  holo_frame_clear (&slot);
  holo_frame_clear (&returned);
  g_mutex_lock (&self->lock);
  return n;
}

static void
input_end_of_output (HoloAsyncTask *task)
{
  HoloInputTask *self = HOLO_INPUT_TASK (task);

  g_mutex_lock (&self->lock);
  self->closed = TRUE;
  holo_task_add_discarded (HOLO_TASK (task), drop_frames (self));
  g_mutex_unlock (&self->lock);
}

static gboolean
input_reset (HoloTask *task, GError **error)
{
  HoloInputTask *self = HOLO_INPUT_TASK (task);

  g_mutex_lock (&self->lock);
  drop_frames (self);
  self->ended = self->closed = FALSE;
  self->next_number = 0;
  g_mutex_unlock (&self->lock);
  return TRUE;
}

static void
holo_input_task_finalize (GObject *object)
{
  HoloInputTask *self = HOLO_INPUT_TASK (object);

  g_mutex_lock (&self->lock);
  drop_frames (self);
  g_mutex_unlock (&self->lock);
  g_mutex_clear (&self->lock);
  g_clear_object (&self->device);
  G_OBJECT_CLASS (holo_input_task_parent_class)->finalize (object);
}

static void
holo_input_task_class_init (HoloInputTaskClass *klass)
{
  HoloAsyncTaskClass *async_class = HOLO_ASYNC_TASK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = holo_input_task_finalize;
  HOLO_TASK_CLASS (klass)->reset = input_reset;
  async_class->try_push = input_try_push;
  async_class->try_pop = input_try_pop;
  async_class->end_of_input = input_end_of_input;
  async_class->end_of_output = input_end_of_output;
}

static void
holo_input_task_init (HoloInputTask *self)
{
  g_mutex_init (&self->lock);
}

/* ---- factory ---- */

struct _HoloInputFactory
{
  HoloAsyncTaskFactory parent_instance;

  gint dtype;
  GArray *shape;
  gint mem_loc;
  gboolean writable;
  gboolean has_desc;
  HoloTensorDesc desc; /* what will be pushed, when somebody has said so */
};

G_DEFINE_FINAL_TYPE (HoloInputFactory, holo_input_factory, HOLO_TYPE_ASYNC_TASK_FACTORY)

void
_holo_input_factory_set_desc (HoloInputFactory *factory, const HoloTensorDesc *desc)
{
  factory->has_desc = desc != NULL;
  if (desc != NULL)
    factory->desc = *desc;
}

static gboolean
check_shape (HoloInputFactory *self, GError **error)
{
  if (self->shape == NULL || self->shape->len <= HOLO_MAX_RANK)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "shape has %u dimensions, at most %d are allowed",
               self->shape->len, HOLO_MAX_RANK);
  return FALSE;
}

/* What the settings say must agree with what arrives. */
static gboolean
check_desc (HoloInputFactory *self, GError **error)
{
  gboolean has_dtype = holo_settings_is_set (HOLO_TASK_FACTORY (self), "dtype");
  gboolean has_mem_loc = holo_settings_is_set (HOLO_TASK_FACTORY (self), "mem-loc");
  gboolean agrees = (!has_dtype || self->dtype == (gint) self->desc.dtype)
                    && (!has_mem_loc || self->mem_loc == (gint) self->desc.mem_loc);
  g_autofree gchar *found = NULL;

  if (self->shape != NULL)
    {
      agrees = agrees && self->shape->len == self->desc.rank;
      for (guint i = 0; agrees && i < self->desc.rank; i++)
        agrees = g_array_index (self->shape, gint64, i) == self->desc.shape[i];
    }
  if (agrees)
    return TRUE;
  found = holo_tensor_desc_to_string (&self->desc);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
               "%s arrives, but the settings dtype, shape or mem_loc of this Input ask for something else", found);
  return FALSE;
}

static gboolean
input_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloInputFactory *self = HOLO_INPUT_FACTORY (factory);
  HoloInferredOutput *output;
  HoloTensorDesc desc;

  if (!check_shape (self, error))
    return FALSE;
  if (self->has_desc)
    {
      if (!check_desc (self, error))
        return FALSE;
      desc = self->desc;
    }
  else if (self->shape != NULL && holo_settings_is_set (factory, "dtype"))
    holo_tensor_desc_init (&desc, (HoloDType) self->dtype, (HoloMemLoc) self->mem_loc, self->shape->len,
                           (const gint64 *) self->shape->data);
  else
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "the tensor that will be pushed is not known yet: set dtype and shape, or let the first frame decide");
      return FALSE;
    }
  output = holo_inference_add_output (inference, &desc);
  output->lent = TRUE;
  output->writable = self->writable;
  output->held_max = 1;
  inference->handles_fences = TRUE;
  inference->signals_readiness = TRUE;
  inference->stateful = FALSE;
  return TRUE;
}

static HoloAsyncTask *
input_create (HoloAsyncTaskFactory *factory, const HoloInference *inference, const HoloAsyncCreateContext *context,
              GError **error)
{
  HoloInputTask *task = g_object_new (HOLO_TYPE_INPUT_TASK, NULL);

  task->desc = *holo_inference_get_output_desc (inference, 0);
  task->writable = HOLO_INPUT_FACTORY (factory)->writable;
  task->device = g_object_ref (context->device);
  return HOLO_ASYNC_TASK (task);
}

/* Frames that wait are kept as long as they fit. */
static HoloAsyncTask *
input_update (HoloAsyncTaskFactory *factory, HoloAsyncTask *old, const HoloInference *old_inference,
              const HoloInference *inference, const HoloAsyncCreateContext *context, GError **error)
{
  if (old != NULL && HOLO_IS_INPUT_TASK (old) && HOLO_INPUT_TASK (old)->device == context->device
      && HOLO_INPUT_TASK (old)->writable == HOLO_INPUT_FACTORY (factory)->writable
      && holo_tensor_desc_equal (&HOLO_INPUT_TASK (old)->desc, holo_inference_get_output_desc (inference, 0)))
    return g_object_ref (old);
  return input_create (factory, inference, context, error);
}

static void
holo_input_factory_class_init (HoloInputFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = input_infer;
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->create = input_create;
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->update = input_update;

  holo_task_factory_class_set_description (
    klass, "Takes frames from the application",
    "The application (or a sink pad) pushes frames here. Their memory is lent to the graph, not copied, and given back "
    "when the last reader has let go of it. `dtype` and `shape` may be left out: then the first frame, or the caps, "
    "decide and the graph is compiled at that moment. Memory is read-only inside the graph unless `writable` promises "
    "that the application does not look at it again.");
  holo_task_factory_class_set_example (klass, "{\"dtype\": \"U8\", \"shape\": [1024, 1024]}");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "The frame");
  holo_settings_install_enum (klass, "dtype", "Element type of the frames", HOLO_TYPE_DTYPE, HOLO_DTYPE_F32,
                              HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (HoloInputFactory, dtype));
  holo_settings_install_int64_array (klass, "shape", "Extent of each dimension, outermost first", "elements", 0,
                                     G_MAXINT64, HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (HoloInputFactory, shape));
  holo_settings_install_enum (klass, "mem-loc", "Where the frames lie", HOLO_TYPE_MEM_LOC, HOLO_MEM_LOC_HOST,
                              HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (HoloInputFactory, mem_loc));
  holo_settings_install_boolean (klass, "writable", "Tasks may overwrite the frames in place", FALSE,
                                 HOLO_SETTING_NONE, G_STRUCT_OFFSET (HoloInputFactory, writable));
}

static void
holo_input_factory_init (HoloInputFactory *self)
{
}

gboolean
holo_input_register (HoloRegistry *registry, GError **error)
{
  return holo_registry_register_async (registry, "Input", HOLO_TYPE_INPUT_FACTORY, error);
}
