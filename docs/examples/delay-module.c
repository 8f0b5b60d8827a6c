/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A task module with one asynchronous kind: Delay. docs/writing-a-task.md goes through it from top to bottom. */
#include <holoflow/holoflow.h>

/* ---- settings and state ---- */

typedef struct
{
  HoloAsyncTaskFactory parent_instance;

  gint64 frames;
} DelaySettings;

/* A frame that is held: a reference to the memory, where in it the tensor lies, and who is still writing it. */
typedef struct
{
  HoloBlock *block;
  gpointer data;
  gsize size;
  HoloStamp stamp;
  HoloFence fence;
} Item;

typedef struct
{
  guint frames;   /* held back while more may come */
  guint capacity; /* items of the ring */
  Item *items;

  GMutex lock; /* guards what follows: one thread pushes while another pops */
  guint first; /* the oldest item */
  guint n;
  gboolean ended;  /* nothing more comes */
  gboolean closed; /* nothing more is taken away */
} DelayState;

/* ---- what comes out, and who owns memory ---- */

static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const DelaySettings *settings = (const DelaySettings *) factory;
  HoloInferredInput *input = holo_inference_get_input (inference, 0);
  HoloInferredOutput *output = holo_inference_add_output (inference, &input->desc);

  input->adopts = TRUE;
  output->lent = TRUE;
  output->lends_input = 0;
  output->writable = TRUE;
  output->held_min = (guint) settings->frames;
  output->held_max = (guint) settings->frames + 1;
  inference->handles_fences = TRUE;
  inference->signals_readiness = TRUE;
  return TRUE;
}

static gboolean
set_up (HoloAsyncTaskFactory *factory, HoloAsyncTask *task, const HoloInference *inference,
        const HoloAsyncCreateContext *context, GError **error)
{
  const DelaySettings *settings = (const DelaySettings *) factory;
  DelayState *self = holo_task_get_state (task);

  g_mutex_init (&self->lock);
  self->frames = (guint) settings->frames;
  self->capacity = self->frames + 1;
  self->items = g_new0 (Item, self->capacity);
  return TRUE;
}

/* ---- taking and giving ---- */

static HoloOpResult
try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  DelayState *self = holo_task_get_state (task);
  const HoloTensorView *view = context->inputs[0];
  HoloOpResult result = HOLO_OP_OK;

  g_mutex_lock (&self->lock);
  if (self->closed)
    result = HOLO_OP_EOF;
  else if (self->n == self->capacity)
    result = HOLO_OP_NOT_READY;
  else
    {
      Item *item = &self->items[(self->first + self->n) % self->capacity];

      item->block = holo_block_ref (view->storage->block);
      item->data = view->storage->data;
      item->size = view->storage->size;
      item->stamp = view->stamp;
      item->fence = view->fence;
      self->n++;
    }
  g_mutex_unlock (&self->lock);
  return result;
}

/* Takes the oldest item out. With the lock held, and one there. */
static Item
take (DelayState *self)
{
  Item item = self->items[self->first];

  self->first = (self->first + 1) % self->capacity;
  self->n--;
  return item;
}

static HoloOpResult
try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  DelayState *self = holo_task_get_state (task);
  HoloTensorView *view = context->outputs[0];
  HoloOpResult result = HOLO_OP_OK;

  g_mutex_lock (&self->lock);
  if (self->ended && self->n == 0)
    result = HOLO_OP_EOF;
  else if (!self->ended && self->n <= self->frames)
    result = HOLO_OP_NOT_READY;
  else
    {
      Item item = take (self);

      view->storage->block = item.block; /* the reference goes along */
      view->storage->data = item.data;
      view->storage->size = item.size;
      view->stamp = item.stamp;
      view->fence = item.fence;
    }
  g_mutex_unlock (&self->lock);
  return result;
}

/* ---- ends ---- */

static void
end_of_input (HoloAsyncTask *task)
{
  DelayState *self = holo_task_get_state (task);

  g_mutex_lock (&self->lock);
  self->ended = TRUE;
  g_mutex_unlock (&self->lock);
}

/* Gives everything back and returns how many frames that were. Memory is given back without the lock: that calls code of
 * its owner. */
static guint
drop_all (DelayState *self)
{
  for (guint n = 0;; n++)
    {
      Item item = { NULL };

      g_mutex_lock (&self->lock);
      if (self->n > 0)
        item = take (self);
      g_mutex_unlock (&self->lock);
      if (item.block == NULL)
        return n;
      holo_block_unref_after (item.block, &item.fence);
    }
}

static void
end_of_output (HoloAsyncTask *task)
{
  DelayState *self = holo_task_get_state (task);

  g_mutex_lock (&self->lock);
  self->closed = TRUE;
  g_mutex_unlock (&self->lock);
  holo_task_add_discarded (HOLO_TASK (task), drop_all (self));
}

static gboolean
reset (HoloTask *task, GError **error)
{
  DelayState *self = holo_task_get_state (task);

  drop_all (self);
  self->ended = self->closed = FALSE;
  return TRUE;
}

static void
clear (HoloTask *task)
{
  DelayState *self = holo_task_get_state (task);

  drop_all (self);
  g_free (self->items);
  g_mutex_clear (&self->lock);
}

/* ---- what the kind is ---- */

static void
delay_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (
      klass, "Gives each frame when some later ones have come",
      "Frame n comes out when frame n + `frames` has come in; what is held at the end of the stream comes\n"
      "out then. Frames are held by reference: nothing is copied.");
  holo_task_factory_class_set_example (klass, "{\"frames\": 8}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "any tensor");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "the same tensor, later");
  holo_settings_install_int64 (klass, "frames", "How many frames later", "frames", 1, 1000, 1, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (DelaySettings, frames));
}

static const HoloAsyncFunctions functions = {
  .state_size = sizeof (DelayState),
  .infer = infer,
  .set_up = set_up,
  .try_push = try_push,
  .try_pop = try_pop,
  .end_of_input = end_of_input,
  .end_of_output = end_of_output,
  .reset = reset,
  .clear = clear,
};

HOLO_DEFINE_ASYNC_KIND (delay, "Delay", DelaySettings, functions)

HOLO_MODULE_DEFINE ("delay", delay_register)
