/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind RateLimiter: passes frames on at most so fast, and never drops one. It holds one frame; how is the
 * setting `mode`. */
#include "base/holo-define-type.h"
#include "base/holo-error.h"
#include "tasks/holo-builtin-kinds.h"
#include "tasks/holo-pacer.h"

typedef enum
{
  MODE_ADOPT,
  MODE_COPY,
  MODE_SLOT,
} Mode;

HOLO_DEFINE_ENUM_TYPE (HoloRateLimiterMode, mode,
                       { MODE_ADOPT, "adopt: holds the producer's memory by reference", "adopt" },
                       { MODE_COPY, "copy: copies into memory of its own, and out again", "copy" },
                       { MODE_SLOT, "slot: the producer writes into its memory, the consumer reads there", "slot" })

typedef struct
{
  HoloAsyncTaskFactory parent_instance;

  gdouble max_fps;
  gint mode;
} RateLimiterSettings;

/* ---- the running task ---- */

/* Who has the frame. The producer makes FULL of EMPTY, the consumer the rest. */
typedef enum
{
  STATE_EMPTY,
  STATE_FULL,
  STATE_GIVEN_OUT, /* mode slot: until it is released */
  STATE_DROPPED,   /* on its way out: a push that began before the end of the output must not meet it */
} State;

typedef struct
{
  Mode mode;
  HoloPacer pacer;      /* consumer */
  gint64 staged_period; /* 0: none */
  gint state;           /* atomic */
  gint input_ended;     /* atomic */
  gint output_ended;    /* atomic */

  /* The frame, valid while FULL; storage.block is a reference. Modes copy and slot: memory of the task's
   * own. */
  HoloStorage storage;
  HoloTensorDesc desc;
  HoloStamp stamp;
  HoloFence written;
  HoloFence read; /* what used the memory last */
  HoloDevice *device;
} RateLimiterState;

static gboolean
change_state (RateLimiterState *self, State from, State to)
{
  return g_atomic_int_compare_and_exchange (&self->state, from, to);
}

/* Takes the frame away, wherever it is held; returns whether there was one. */
static gboolean
drop_frame (RateLimiterState *self)
{
  if (!change_state (self, STATE_FULL, STATE_DROPPED))
    return FALSE;
  if (self->storage.block != NULL)
    holo_block_unref_after (g_steal_pointer (&self->storage.block), &self->written);
  g_atomic_int_set (&self->state, STATE_EMPTY);
  return TRUE;
}

/* A copy between the producer's or consumer's tensor and the own one, behind @after; @fence covers it. */
static gboolean
copy_frame (RateLimiterState *self, const HoloTensorView *dst, const HoloTensorView *src, HoloStream *stream,
            const HoloFence *after, HoloFence *fence, GError **error)
{
  if (self->desc.mem_loc == HOLO_MEM_LOC_HOST)
    {
      holo_tensor_copy_elements (holo_tensor_view_get_data (dst), &dst->desc, holo_tensor_view_get_data (src),
                                 &src->desc);
      return TRUE;
    }
  return holo_stream_wait_fence (stream, after, error) && holo_device_copy (self->device, stream, dst, src, error) &&
         holo_stream_record (stream, fence, error);
}

static HoloTensorView
get_own_view (RateLimiterState *self)
{
  HoloTensorView view;

  holo_tensor_view_init (&view, &self->desc, &self->storage);
  return view;
}

static HoloOpResult
limiter_acquire_input (HoloTask *task, guint index, HoloTensorView *view, GError **error)
{
  RateLimiterState *self = holo_task_get_state (task);

  /* Behind an ended output a producer that also feeds others still needs memory to write into. */
  if (g_atomic_int_get (&self->state) != STATE_EMPTY && !g_atomic_int_get (&self->output_ended))
    return HOLO_OP_NOT_READY;
  view->storage->data = self->storage.data;
  view->fence = self->read;
  return HOLO_OP_OK;
}

static gboolean
take_frame (RateLimiterState *self, HoloPushContext *context, GError **error)
{
  const HoloTensorView *view = context->inputs[0];
  HoloTensorView own = get_own_view (self);

  self->stamp = view->stamp;
  self->written = view->fence;
  switch (self->mode)
    {
    case MODE_ADOPT:
      self->storage.block = holo_block_ref (view->storage->block);
      self->storage.data = view->storage->data;
      self->storage.size = view->storage->size;
      return TRUE;
    case MODE_COPY:
      return copy_frame (self, &own, view, context->stream, &self->read, &self->written, error);
    case MODE_SLOT:
    default:
      if (view->storage->data == self->storage.data)
        return TRUE;
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_STATE,
                   "the tensor pushed into a RateLimiter does not lie in the slot it gave");
      return FALSE;
    }
}

static HoloOpResult
limiter_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  RateLimiterState *self = holo_task_get_state (task);

  if (g_atomic_int_get (&self->output_ended))
    return HOLO_OP_EOF;
  if (g_atomic_int_get (&self->state) != STATE_EMPTY)
    return HOLO_OP_NOT_READY;
  if (!take_frame (self, context, error))
    return HOLO_OP_ERROR;
  g_atomic_int_set (&self->state, STATE_FULL);
  /* Either this thread sees the end of the output, or the one that ends it sees the frame. */
  if (g_atomic_int_get (&self->output_ended) && drop_frame (self))
    holo_task_add_discarded (HOLO_TASK (task), 1);
  return HOLO_OP_OK;
}

static gboolean
give_frame (RateLimiterState *self, HoloPopContext *context, GError **error)
{
  HoloTensorView *view = context->outputs[0];
  HoloTensorView own = get_own_view (self);

  view->stamp = self->stamp;
  switch (self->mode)
    {
    case MODE_ADOPT:
      view->storage->block = g_steal_pointer (&self->storage.block);
      view->storage->data = self->storage.data;
      view->storage->size = self->storage.size;
      view->fence = self->written;
      g_atomic_int_set (&self->state, STATE_EMPTY);
      return TRUE;
    case MODE_COPY:
      if (!copy_frame (self, view, &own, context->stream, &self->written, &self->read, error))
        return FALSE;
      g_atomic_int_set (&self->state, STATE_EMPTY);
      return TRUE;
    case MODE_SLOT:
    default:
      view->storage->data = self->storage.data;
      view->fence = self->written;
      g_atomic_int_set (&self->state, STATE_GIVEN_OUT);
      return TRUE;
    }
}

static HoloOpResult
limiter_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  RateLimiterState *self = holo_task_get_state (task);
  gboolean ended = g_atomic_int_get (&self->input_ended); /* before "empty" */
  State state = (State) g_atomic_int_get (&self->state);
  gint64 now;

  if (state == STATE_GIVEN_OUT)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_STATE, "a RateLimiter was popped before its last output was released");
      return HOLO_OP_ERROR;
    }
  if (state == STATE_EMPTY)
    return ended ? HOLO_OP_EOF : HOLO_OP_NOT_READY;
  now = g_get_monotonic_time () * 1000;
  if (!_holo_pacer_is_due (&self->pacer, now))
    {
      context->retry_at = _holo_pacer_get_retry_time (&self->pacer);
      return HOLO_OP_NOT_READY;
    }
  if (!give_frame (self, context, error))
    return HOLO_OP_ERROR;
  _holo_pacer_pass (&self->pacer, now);
  return HOLO_OP_OK;
}

static void
limiter_release_output (HoloTask *task, guint index, const HoloFence *fence)
{
  RateLimiterState *self = holo_task_get_state (task);

  if (fence != NULL)
    self->read = *fence;
  change_state (self, STATE_GIVEN_OUT, STATE_EMPTY);
}

static void
limiter_end_of_input (HoloAsyncTask *task)
{
  g_atomic_int_set (&((RateLimiterState *) holo_task_get_state (task))->input_ended, TRUE);
}

static void
limiter_end_of_output (HoloAsyncTask *task)
{
  RateLimiterState *self = holo_task_get_state (task);

  g_atomic_int_set (&self->output_ended, TRUE);
  if (drop_frame (self))
    holo_task_add_discarded (HOLO_TASK (task), 1);
}

static gboolean
limiter_reset (HoloTask *task, GError **error)
{
  RateLimiterState *self = holo_task_get_state (task);

  drop_frame (self);
  self->state = STATE_EMPTY;
  self->input_ended = self->output_ended = FALSE;
  self->written = self->read = (HoloFence) HOLO_FENCE_INIT;
  self->pacer.due = HOLO_PACER_NEVER_USED;
  return TRUE;
}

static void
limiter_commit (HoloTask *task)
{
  RateLimiterState *self = holo_task_get_state (task);

  if (self->staged_period == 0)
    return;
  /* The frame that waits goes by the new rate. */
  if (self->pacer.due != HOLO_PACER_NEVER_USED)
    self->pacer.due += self->staged_period - self->pacer.period;
  self->pacer.period = self->staged_period;
  self->staged_period = 0;
}

static void
limiter_rollback (HoloTask *task)
{
  ((RateLimiterState *) holo_task_get_state (task))->staged_period = 0;
}

static void
limiter_clear (HoloTask *task)
{
  RateLimiterState *self = holo_task_get_state (task);

  if (self->mode == MODE_ADOPT)
    drop_frame (self);
  else
    {
      holo_fence_wait_host (&self->written, NULL);
      holo_fence_wait_host (&self->read, NULL);
      holo_device_free (self->device, self->desc.mem_loc, self->storage.data);
    }
  g_clear_object (&self->device);
}

/* ---- making it ---- */

/* Slower than a frame in eleven days or faster than one in a nanosecond is a mistake, and these periods fit
 * 63 bits. */
#define MIN_FPS 1e-6
#define MAX_FPS 1e9

static void
declare_memory (HoloInference *inference, Mode mode)
{
  HoloInferredInput *input = holo_inference_get_input (inference, 0);
  HoloInferredOutput *output;
  HoloTensorDesc desc = input->desc;

  if (mode == MODE_COPY)
    holo_tensor_desc_init_dense_like (&desc, &input->desc);
  output = holo_inference_add_output (inference, &desc);
  output->held_max = 1;
  if (mode == MODE_ADOPT)
    {
      input->adopts = output->lent = TRUE;
      output->lends_input = 0;
    }
  else if (mode == MODE_SLOT)
    input->owned = output->owned = TRUE;
  output->writable = mode != MODE_COPY;
  /* The copies are made here, on the host or fenced by the task itself. */
  inference->handles_fences = mode != MODE_COPY;
}

static gboolean
limiter_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  RateLimiterSettings *self = (RateLimiterSettings *) factory;

  /* Written so that NaN is refused. */
  if (!(self->max_fps >= MIN_FPS && self->max_fps <= MAX_FPS))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING,
                   "setting \"max_fps\" is %g, but must be from %g to %g frames per second", self->max_fps, MIN_FPS,
                   MAX_FPS);
      return FALSE;
    }
  declare_memory (inference, (Mode) self->mode);
  inference->signals_readiness = TRUE;
  return TRUE;
}

static gint64
get_period (const RateLimiterSettings *self)
{
  return MAX (1, (gint64) (1e9 / self->max_fps + 0.5));
}

static gboolean
limiter_set_up (HoloAsyncTaskFactory *factory, HoloAsyncTask *task, const HoloInference *inference,
                const HoloAsyncCreateContext *context, GError **error)
{
  const RateLimiterSettings *settings = (RateLimiterSettings *) factory;
  RateLimiterState *self = holo_task_get_state (task);
  gsize size;

  self->mode = (Mode) settings->mode;
  self->pacer.due = HOLO_PACER_NEVER_USED;
  self->pacer.period = get_period (settings);
  self->desc = *holo_inference_get_output_desc (inference, 0);
  self->device = g_object_ref (context->device);
  if (self->mode == MODE_ADOPT)
    return TRUE;
  size = holo_tensor_desc_get_size (&self->desc);
  holo_storage_init (&self->storage, holo_device_alloc (self->device, self->desc.mem_loc, size, error), size);
  self->storage.mem_loc = self->desc.mem_loc;
  self->storage.device = self->desc.mem_loc == HOLO_MEM_LOC_DEVICE ? self->device : NULL;
  return self->storage.data != NULL;
}

/* Another rate alone keeps the frame that waits. */
static HoloChange
limiter_change (HoloAsyncTaskFactory *factory, HoloAsyncTask *task, const HoloInference *old_inference,
                const HoloInference *inference, const HoloAsyncCreateContext *context, GError **error)
{
  const RateLimiterSettings *settings = (RateLimiterSettings *) factory;
  RateLimiterState *self = holo_task_get_state (task);

  if (!holo_tensor_desc_equal (holo_inference_get_input_desc (old_inference, 0),
                               holo_inference_get_input_desc (inference, 0)) ||
      self->mode != (Mode) settings->mode || self->device != context->device)
    return HOLO_CHANGE_NEW_TASK;
  self->staged_period = get_period (settings);
  return HOLO_CHANGE_STAGED;
}

static void
holo_rate_limiter_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (
      klass, "Passes frames on at most so fast",
      "Holds one frame until it may go; meanwhile the node before waits. Nothing is dropped.\n\n"
      "Frames go at absolute times, one period apart: work and late wake-ups do not add up. After a frame "
      "that is late by more than half a period the series starts anew, so that lost time is not made up by "
      "a burst: no two frames are closer than half a period. The end of the stream does not wait.\n\n"
      "`mode`: `adopt` (default) holds the producer's memory by reference; `copy` copies into memory of its "
      "own and out again; with `slot` the producer writes into the limiter's one slot and the consumer "
      "reads there, so that the two work in turns.");
  holo_task_factory_class_set_example (klass, "{\"max_fps\": 30}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "any tensor");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "the same tensor, not sooner than it may");
  holo_settings_install_double (klass, "max-fps", "Frames per second at most", "frames/s", MIN_FPS, MAX_FPS, 30.0,
                                HOLO_SETTING_REQUIRED | HOLO_SETTING_LIVE,
                                G_STRUCT_OFFSET (RateLimiterSettings, max_fps));
  holo_settings_install_enum (klass, "mode", "How the frame is held", mode_get_type (), MODE_ADOPT, HOLO_SETTING_NONE,
                              G_STRUCT_OFFSET (RateLimiterSettings, mode));
}

static const HoloAsyncFunctions functions = {
  .state_size = sizeof (RateLimiterState),
  .infer = limiter_infer,
  .set_up = limiter_set_up,
  .try_push = limiter_try_push,
  .try_pop = limiter_try_pop,
  .end_of_input = limiter_end_of_input,
  .end_of_output = limiter_end_of_output,
  .reset = limiter_reset,
  .clear = limiter_clear,
  .acquire_input = limiter_acquire_input,
  .release_output = limiter_release_output,
  .change = limiter_change,
  .commit = limiter_commit,
  .rollback = limiter_rollback,
};

HOLO_DEFINE_ASYNC_KIND (holo_rate_limiter, "RateLimiter", RateLimiterSettings, functions)
