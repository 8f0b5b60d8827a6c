/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Queue: holds frames by reference, so that the sections before and behind it work at their own pace.
 *
 * One ring, one pushing and one popping thread. Without a leak the two indices are all they share; a leaky queue, whose
 * pushing side also removes frames, takes a lock on both sides. */
#include "base/holo-define-type.h"
#include "tasks/holo-builtin-kinds.h"

typedef enum
{
  HOLO_QUEUE_LEAKY_NO,
  HOLO_QUEUE_LEAKY_UPSTREAM,
  HOLO_QUEUE_LEAKY_DOWNSTREAM,
} HoloQueueLeaky;

HOLO_DEFINE_ENUM_TYPE (HoloQueueLeaky, leaky, { HOLO_QUEUE_LEAKY_NO, "nothing: the side that gives waits", "no" },
                       { HOLO_QUEUE_LEAKY_UPSTREAM, "the new frame", "upstream" },
                       { HOLO_QUEUE_LEAKY_DOWNSTREAM, "the oldest frame", "downstream" })

typedef struct
{
  HoloAsyncTaskFactory parent_instance;

  gint64 capacity;
  gint leaky;
} QueueSettings;

/* ---- task ---- */

#define CACHE_LINE 64

/* Allocated on cache lines of its own: producer and consumer each write one line and read the other's. */
typedef struct
{
  guint64 tail;        /* frames pushed; written by the pushing side */
  guint64 cached_head; /* the pushing side's last look at head */
  gboolean mark_discont;
  gchar pad_1[CACHE_LINE - 24];
  guint64 head; /* frames taken out; written by the popping side (or under the lock) */
  guint64 cached_tail;
  gchar pad_2[CACHE_LINE - 16];
  gint ended;
  gint closed;
} HoloQueueShared;

typedef struct
{
  HoloBlock *block;
  gpointer data; /* storage->data; need not be the block's start */
  gsize size;
  HoloStamp stamp;
  HoloFence fence;
} HoloQueueItem;

typedef struct
{
  HoloTask *task; /* that this is the state of */
  HoloQueueShared *shared;
  HoloQueueItem *items;
  guint64 mask; /* allocated items - 1; a power of two */
  guint capacity;
  HoloQueueLeaky leaky;
  GMutex lock;

  gboolean has_staged;
  guint staged_capacity;
  HoloQueueLeaky staged_leaky;
} QueueState;

static void
lock_if_leaky (QueueState *self)
{
  if (self->leaky != HOLO_QUEUE_LEAKY_NO)
    g_mutex_lock (&self->lock);
}

static void
unlock_if_leaky (QueueState *self)
{
  if (self->leaky != HOLO_QUEUE_LEAKY_NO)
    g_mutex_unlock (&self->lock);
}

static void
drop_item (HoloQueueItem *item)
{
  holo_block_unref_after (g_steal_pointer (&item->block), &item->fence);
}

/* Takes the oldest frame out; FALSE when there is none. Only when nobody pops. */
static gboolean
take_oldest (QueueState *self, HoloQueueItem *item)
{
  guint64 head = self->shared->head;

  if (head == __atomic_load_n (&self->shared->tail, __ATOMIC_ACQUIRE))
    return FALSE;
  *item = self->items[head & self->mask];
  self->items[head & self->mask].block = NULL;
  __atomic_store_n (&self->shared->head, head + 1, __ATOMIC_RELEASE);
  return TRUE;
}

/* Removes everything; returns how many frames. Only when nobody pops. Giving a block back calls code of its owner: not under
 * the lock. */
static guint64
drop_all (QueueState *self, gboolean locks)
{
  HoloQueueItem item;
  guint64 n = 0;
  gboolean taken;

  for (;;)
    {
      if (locks)
        g_mutex_lock (&self->lock);
      taken = take_oldest (self, &item);
      if (locks)
        g_mutex_unlock (&self->lock);
      if (!taken)
        return n;
      drop_item (&item);
      n++;
    }
}

/* Makes room in a full leaky queue: @leaked gets the frame that goes. FALSE: the new frame is the one to go. */
static gboolean
leak (QueueState *self, HoloQueueItem *leaked)
{
  HoloQueueShared *shared = self->shared;

  holo_task_add_dropped (self->task, 1);
  if (self->leaky == HOLO_QUEUE_LEAKY_UPSTREAM)
    {
      shared->mark_discont = TRUE;
      return FALSE;
    }
  take_oldest (self, leaked);
  /* The oldest is gone: the gap is before what is now first. */
  if (shared->head != shared->tail)
    self->items[shared->head & self->mask].stamp.flags |= HOLO_STAMP_DISCONT;
  else
    shared->mark_discont = TRUE;
  return TRUE;
}

static HoloOpResult
push_item (QueueState *self, const HoloTensorView *view, HoloQueueItem *leaked)
{
  HoloQueueShared *shared = self->shared;
  guint64 tail = shared->tail;
  HoloQueueItem *item;

  if (tail - shared->cached_head >= self->capacity)
    {
      shared->cached_head = __atomic_load_n (&shared->head, __ATOMIC_ACQUIRE);
      if (tail - shared->cached_head >= self->capacity)
        {
          if (self->leaky == HOLO_QUEUE_LEAKY_NO)
            return HOLO_OP_NOT_READY;
          if (!leak (self, leaked))
            return HOLO_OP_OK;
        }
    }
  item = &self->items[tail & self->mask];
  item->block = holo_block_ref (view->storage->block);
  item->data = view->storage->data;
  item->size = view->storage->size;
  item->stamp = view->stamp;
  item->fence = view->fence;
  if (shared->mark_discont)
    {
      item->stamp.flags |= HOLO_STAMP_DISCONT;
      shared->mark_discont = FALSE;
    }
  __atomic_store_n (&shared->tail, tail + 1, __ATOMIC_SEQ_CST);
  return HOLO_OP_OK;
}

/* The other side may close the queue while a frame goes in. Whichever of the two comes second sees the other, so that the
 * frame is dropped and counted exactly once. */
static void
drop_after_close (QueueState *self)
{
  holo_task_add_discarded (self->task, drop_all (self, TRUE));
}

static HoloOpResult
queue_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  QueueState *self = holo_task_get_state (task);
  HoloQueueItem leaked = { NULL };
  HoloOpResult result;

  if (__atomic_load_n (&self->shared->closed, __ATOMIC_SEQ_CST))
    return HOLO_OP_EOF;
  lock_if_leaky (self);
  result = push_item (self, context->inputs[0], &leaked);
  unlock_if_leaky (self);
  if (leaked.block != NULL)
    drop_item (&leaked);
  if (result == HOLO_OP_OK && __atomic_load_n (&self->shared->closed, __ATOMIC_SEQ_CST))
    drop_after_close (self);
  return result;
}

static HoloOpResult
pop_item (QueueState *self, HoloTensorView *view)
{
  HoloQueueShared *shared = self->shared;
  guint64 head = shared->head;
  HoloQueueItem *item;
  gboolean ended;

  if (head == shared->cached_tail || self->leaky != HOLO_QUEUE_LEAKY_NO)
    {
      /* "Ended" before "empty": a frame pushed before the end is then seen. */
      ended = __atomic_load_n (&shared->ended, __ATOMIC_ACQUIRE);
      shared->cached_tail = __atomic_load_n (&shared->tail, __ATOMIC_ACQUIRE);
      if (head == shared->cached_tail)
        return ended ? HOLO_OP_EOF : HOLO_OP_NOT_READY;
    }
  item = &self->items[head & self->mask];
  view->storage->block = g_steal_pointer (&item->block);
  view->storage->data = item->data;
  view->storage->size = item->size;
  view->stamp = item->stamp;
  view->fence = item->fence;
  __atomic_store_n (&shared->head, head + 1, __ATOMIC_RELEASE);
  return HOLO_OP_OK;
}

static HoloOpResult
queue_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  QueueState *self = holo_task_get_state (task);
  HoloOpResult result;

  lock_if_leaky (self);
  result = pop_item (self, context->outputs[0]);
  unlock_if_leaky (self);
  return result;
}

static void
queue_end_of_input (HoloAsyncTask *task)
{
  __atomic_store_n (&((QueueState *) holo_task_get_state (task))->shared->ended, TRUE, __ATOMIC_RELEASE);
}

static void
queue_end_of_output (HoloAsyncTask *task)
{
  QueueState *self = holo_task_get_state (task);

  __atomic_store_n (&self->shared->closed, TRUE, __ATOMIC_SEQ_CST);
  drop_after_close (self);
}

static gboolean
queue_reset (HoloTask *task, GError **error)
{
  QueueState *self = holo_task_get_state (task);
  HoloQueueShared *shared = self->shared;

  drop_all (self, FALSE);
  shared->cached_head = shared->cached_tail = shared->tail;
  shared->mark_discont = FALSE;
  shared->ended = shared->closed = FALSE;
  return TRUE;
}

static guint64
round_up (guint64 n)
{
  guint64 power = 1;

  while (power < n)
    power *= 2;
  return power;
}

/* Gives the ring room for @capacity frames; what it holds stays, even if that is more. */
static void
resize (QueueState *self, guint capacity)
{
  guint64 level = self->shared->tail - self->shared->head;
  guint64 size = round_up (MAX (capacity, MAX (level, 2)));
  HoloQueueItem *items = g_new0 (HoloQueueItem, size);

  for (guint64 i = 0; i < level; i++)
    items[i] = self->items[(self->shared->head + i) & self->mask];
  g_free (self->items);
  self->items = items;
  self->mask = size - 1;
  self->capacity = capacity;
  self->shared->head = self->shared->cached_head = 0;
  self->shared->tail = self->shared->cached_tail = level;
}

static void
queue_commit (HoloTask *task)
{
  QueueState *self = holo_task_get_state (task);

  if (!self->has_staged)
    return;
  if (self->staged_capacity != self->capacity)
    resize (self, self->staged_capacity);
  /* a leaking writer has moved the reader's index: what the reader remembers of the other may lie behind its own */
  self->shared->cached_head = self->shared->head;
  self->shared->cached_tail = self->shared->tail;
  self->leaky = self->staged_leaky;
  self->has_staged = FALSE;
  /* a leaky queue holds what its capacity says, and not more for ever because it held more once */
  while (self->leaky == HOLO_QUEUE_LEAKY_DOWNSTREAM && self->shared->tail - self->shared->head > self->capacity)
    {
      HoloQueueItem item;

      take_oldest (self, &item);
      drop_item (&item);
      holo_task_add_dropped (task, 1);
    }
  self->shared->cached_head = self->shared->head;
}

static void
queue_rollback (HoloTask *task)
{
  ((QueueState *) holo_task_get_state (task))->has_staged = FALSE;
}

static void
queue_clear (HoloTask *task)
{
  QueueState *self = holo_task_get_state (task);

  drop_all (self, FALSE);
  g_free (self->items);
  g_aligned_free (self->shared);
  g_mutex_clear (&self->lock);
}

/* ---- making it ---- */

static gboolean
queue_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloInferredOutput *output = holo_inference_add_output (inference, holo_inference_get_input_desc (inference, 0));

  holo_inference_get_input (inference, 0)->adopts = TRUE;
  output->lent = TRUE;
  output->writable = TRUE;
  output->lends_input = 0;
  output->held_max = (guint) ((QueueSettings *) factory)->capacity;
  inference->handles_fences = TRUE;
  inference->signals_readiness = TRUE;
  inference->stateful = FALSE;
  return TRUE;
}

static gboolean
queue_set_up (HoloAsyncTaskFactory *factory, HoloAsyncTask *task, const HoloInference *inference,
              const HoloAsyncCreateContext *context, GError **error)
{
  const QueueSettings *settings = (QueueSettings *) factory;
  QueueState *self = holo_task_get_state (task);

  self->task = HOLO_TASK (task);
  g_mutex_init (&self->lock);
  self->shared = g_aligned_alloc0 (1, sizeof *self->shared, CACHE_LINE);
  resize (self, (guint) settings->capacity);
  self->leaky = (HoloQueueLeaky) settings->leaky;
  return TRUE;
}

static HoloChange
queue_change (HoloAsyncTaskFactory *factory, HoloAsyncTask *task, const HoloInference *old_inference,
              const HoloInference *inference, const HoloAsyncCreateContext *context, GError **error)
{
  const QueueSettings *settings = (QueueSettings *) factory;
  QueueState *self = holo_task_get_state (task);

  if (!holo_tensor_desc_equal (holo_inference_get_input_desc (old_inference, 0),
                               holo_inference_get_input_desc (inference, 0)))
    return HOLO_CHANGE_NEW_TASK;
  self->has_staged = TRUE;
  self->staged_capacity = (guint) settings->capacity;
  self->staged_leaky = (HoloQueueLeaky) settings->leaky;
  return HOLO_CHANGE_STAGED;
}

static void
holo_queue_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (
      klass, "Holds frames so that what is before and behind works at its own pace",
      "Frames are held by reference: nothing is copied. When `capacity` frames wait, the side that gives waits too; with "
      "`leaky` set to `upstream` the new frame is dropped instead, with `downstream` the oldest one. Dropped frames are "
      "counted as `dropped`, and the next frame is marked as discontinuous.");
  holo_task_factory_class_set_example (klass, "{\"capacity\": 4}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "Any tensor");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "The same tensor, later");
  holo_settings_install_int64 (klass, "capacity", "Frames held at most", "frames", 1, G_MAXINT16, 2, HOLO_SETTING_LIVE,
                               G_STRUCT_OFFSET (QueueSettings, capacity));
  holo_settings_install_enum (klass, "leaky", "What a full queue drops instead of waiting", leaky_get_type (),
                              HOLO_QUEUE_LEAKY_NO, HOLO_SETTING_LIVE, G_STRUCT_OFFSET (QueueSettings, leaky));
}

static const HoloAsyncFunctions functions = {
  .state_size = sizeof (QueueState),
  .infer = queue_infer,
  .set_up = queue_set_up,
  .try_push = queue_try_push,
  .try_pop = queue_try_pop,
  .end_of_input = queue_end_of_input,
  .end_of_output = queue_end_of_output,
  .reset = queue_reset,
  .clear = queue_clear,
  .change = queue_change,
  .commit = queue_commit,
  .rollback = queue_rollback,
};

HOLO_DEFINE_ASYNC_KIND (holo_queue, "Queue", QueueSettings, functions)
