/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a checker looks into a running graph: every call of a task, every hand-over between host threads, the places where
 * a test makes a thread pause, and the waits that a test leaves out. All but the pauses, which HOLOFLOW_STALL has too, is
 * nothing in the installed library: the tests have one of their own, built with HOLO_TESTING. */
#pragma once

#include "device/holo-stream.h"
#include "device/holo-tensor-view.h"

G_BEGIN_DECLS

/**
 * HoloRuntimeCall:
 *
 * A call of a task. Views: of an execute the inputs, then the outputs; of the others those of the call, with published
 * addresses.
 */
typedef enum
{
  HOLO_RUNTIME_EXECUTE,
  HOLO_RUNTIME_ACQUIRE_INPUT,
  HOLO_RUNTIME_ABORT_INPUT,
  HOLO_RUNTIME_PUSH,
  HOLO_RUNTIME_POP,
  HOLO_RUNTIME_RELEASE_OUTPUT,
  HOLO_RUNTIME_END_OF_INPUT,
  HOLO_RUNTIME_END_OF_OUTPUT,
} HoloRuntimeCall;

/**
 * HoloRuntimePause:
 * @HOLO_RUNTIME_PAUSE_BEFORE_SLEEP: after a refusal, before the thread compares the wake counter and sleeps
 * @HOLO_RUNTIME_PAUSE_BEFORE_CALL: before a task is called
 * @HOLO_RUNTIME_PAUSE_HAND_OVER: something was done that another thread is about to be told of
 */
typedef enum
{
  HOLO_RUNTIME_PAUSE_BEFORE_SLEEP,
  HOLO_RUNTIME_PAUSE_BEFORE_CALL,
  HOLO_RUNTIME_PAUSE_HAND_OVER,
} HoloRuntimePause;

/**
 * HoloRuntimeWait:
 * @HOLO_RUNTIME_WAIT_NONE: none
 * @HOLO_RUNTIME_WAIT_SLOT_STREAM: before device work fills a slot: until its last readers are done
 * @HOLO_RUNTIME_WAIT_SLOT_HOST: the same before host code
 * @HOLO_RUNTIME_WAIT_BLOCK_STREAM: before device work fills a block of a pool: until its last readers are done
 * @HOLO_RUNTIME_WAIT_BLOCK_HOST: the same before host code
 * @HOLO_RUNTIME_WAIT_POPPED_STREAM: before device work reads a frame: until it is written
 * @HOLO_RUNTIME_WAIT_POPPED_HOST: the same before host code
 * @HOLO_RUNTIME_WAIT_POP: before an asynchronous task fills host memory of the section: until the device has read it
 * @HOLO_RUNTIME_WAIT_NODE: before a host task touches memory that device work of its section uses
 * @HOLO_RUNTIME_WAIT_PUSHED: before a frame leaves behind others: the stream waits for what only passes through
 * @HOLO_RUNTIME_WAIT_PUSH: before a task that handles no fences takes a frame
 * @HOLO_RUNTIME_WAIT_RELEASE: before a task that handles no fences gets its slot back
 * @HOLO_RUNTIME_WAIT_THROTTLE: before a section runs further ahead of the device
 * @HOLO_RUNTIME_WAIT_PULL: before host memory leaves the graph
 * @HOLO_RUNTIME_WAIT_FREE: before memory of a block is freed
 * @HOLO_RUNTIME_WAIT_END: before slots and frames of a section go back at the end of a run
 *
 * The kinds of waits for device work. That each is needed is shown by leaving it out.
 */
typedef enum
{
  HOLO_RUNTIME_WAIT_NONE,
  HOLO_RUNTIME_WAIT_SLOT_STREAM,
  HOLO_RUNTIME_WAIT_SLOT_HOST,
  HOLO_RUNTIME_WAIT_BLOCK_STREAM,
  HOLO_RUNTIME_WAIT_BLOCK_HOST,
  HOLO_RUNTIME_WAIT_POPPED_STREAM,
  HOLO_RUNTIME_WAIT_POPPED_HOST,
  HOLO_RUNTIME_WAIT_POP,
  HOLO_RUNTIME_WAIT_NODE,
  HOLO_RUNTIME_WAIT_PUSHED,
  HOLO_RUNTIME_WAIT_PUSH,
  HOLO_RUNTIME_WAIT_RELEASE,
  HOLO_RUNTIME_WAIT_THROTTLE,
  HOLO_RUNTIME_WAIT_PULL,
  HOLO_RUNTIME_WAIT_FREE,
  HOLO_RUNTIME_WAIT_END,
  HOLO_RUNTIME_N_WAITS,
} HoloRuntimeWait;

/**
 * HoloRuntimeHooks:
 * @before_call: (nullable): in the calling thread, before a task is called
 * @after_call: (nullable): after it; calls without result give OK
 * @publish: (nullable): what this thread did so far happens before what a thread does after it observed @object
 * @observe: (nullable): the other end of @publish
 * @pause: (nullable): may sleep or yield
 *
 * Functions that the runtime calls when they are set.
 */
typedef struct
{
  void (*before_call) (HoloTask *task, HoloRuntimeCall call, HoloTensorView *const *views, guint n_views,
                       guint n_inputs);
  void (*after_call) (HoloTask *task, HoloRuntimeCall call, HoloTensorView *const *views, guint n_views, guint n_inputs,
                      HoloOpResult result);
  void (*publish) (gconstpointer object);
  void (*observe) (gconstpointer object);
  void (*pause) (HoloRuntimePause pause);
} HoloRuntimeHooks;

/* (nullable): what a thread does where threads may meet. Set before the first section of the process runs. */
#ifdef HOLO_TESTING
HOLO_API void (*holo_runtime_pause_func) (HoloRuntimePause pause);
#else
extern void (*holo_runtime_pause_func) (HoloRuntimePause pause);
#endif

/**
 * HoloRuntimeState:
 * @HOLO_RUNTIME_STATE_HALF_JOIN: some of the frames of a join were in hand
 * @HOLO_RUNTIME_STATE_RETURNED: a popped frame went back
 * @HOLO_RUNTIME_STATE_PENDING: a frame that was made was kept
 * @HOLO_RUNTIME_STATE_WINDOW_OUT: what went back lay in a slot of the task's own
 * @HOLO_RUNTIME_STATE_SLOT_HELD: a slot of a consumer was given back unused
 * @HOLO_RUNTIME_STATE_DRAIN: a task was drained
 * @HOLO_RUNTIME_STATE_UPDATE_IN_FLUSH: an update came within a flush
 * @HOLO_RUNTIME_STATE_ENDED_BRANCH: an update met a branch that had ended
 *
 * States in which sections were made to rest. A test counts them, to know that it has met them.
 */
typedef enum
{
  HOLO_RUNTIME_STATE_HALF_JOIN,
  HOLO_RUNTIME_STATE_RETURNED,
  HOLO_RUNTIME_STATE_PENDING,
  HOLO_RUNTIME_STATE_WINDOW_OUT,
  HOLO_RUNTIME_STATE_SLOT_HELD,
  HOLO_RUNTIME_STATE_DRAIN,
  HOLO_RUNTIME_STATE_UPDATE_IN_FLUSH,
  HOLO_RUNTIME_STATE_ENDED_BRANCH,
  HOLO_RUNTIME_N_STATES,
} HoloRuntimeState;

/**
 * HoloRuntimeMutant:
 *
 * Faults made on purpose, one at a time: that a test finds each shows what it is worth.
 */
typedef enum
{
  HOLO_RUNTIME_MUTANT_NONE,
  HOLO_RUNTIME_MUTANT_SKIP_FOLD, /* what is in hand is thrown away */
  HOLO_RUNTIME_MUTANT_LOSE_RETURNED,
  HOLO_RUNTIME_MUTANT_LOSE_PENDING,
  HOLO_RUNTIME_MUTANT_WAKE_ONE,         /* at an end: one sleeper instead of all */
  HOLO_RUNTIME_MUTANT_WAKE_NONE,        /* at an end: no sleeper for a frame */
  HOLO_RUNTIME_MUTANT_FORGET_ENDED,     /* an update brings back whatever had finished */
  HOLO_RUNTIME_MUTANT_FORGET_UNREAD,    /* what ended for want of readers stays so */
  HOLO_RUNTIME_MUTANT_FORGET_DISCARDED, /* counts of tasks that go are lost */
  HOLO_RUNTIME_MUTANT_SKIP_DRAIN,
  HOLO_RUNTIME_MUTANT_DRAIN_FINISHES, /* the end of a drained task ends its readers */
  HOLO_RUNTIME_MUTANT_RENEW_KEPT,     /* unchanged nodes get new tasks */
  HOLO_RUNTIME_MUTANT_SKIP_COMMIT,    /* staged changes are not taken into use */
  HOLO_RUNTIME_MUTANT_SKIP_RESET,     /* a flush resets nothing */
  HOLO_RUNTIME_MUTANT_FLUSH_ALL,      /* a flush drops what came from other Inputs, too */
  HOLO_RUNTIME_MUTANT_UNFLUSH_ALL,    /* the end of one flush ends the others */
  HOLO_RUNTIME_MUTANT_KEEP_FLUSHED,   /* kept frames survive the flush that reaches them */
  HOLO_RUNTIME_MUTANT_RESTART_COUNTS, /* an update sets the nodes' numbers to 0 */
  HOLO_RUNTIME_MUTANT_DROP_EVENTS,    /* mailboxes are emptied by an update */
  HOLO_RUNTIME_MUTANT_REVIVE_CLOSED,  /* a flush opens what was closed */
  HOLO_RUNTIME_MUTANT_PENDING_LAST,   /* kept frames go behind newer ones */
  HOLO_RUNTIME_N_MUTANTS,
} HoloRuntimeMutant;

#ifdef HOLO_TESTING

HOLO_API const HoloRuntimeHooks *holo_runtime_hooks;
HOLO_API guint64 holo_runtime_states[HOLO_RUNTIME_N_STATES];
HOLO_API HoloRuntimeMutant holo_runtime_mutant;
/* The kind of wait that is left out: every run then computes with what it should have waited for. */
HOLO_API HoloRuntimeWait holo_runtime_dropped_wait;

HOLO_API void holo_runtime_set_hooks (const HoloRuntimeHooks *hooks);
HOLO_API guint64 holo_runtime_get_state_count (HoloRuntimeState state);
HOLO_API void holo_runtime_set_mutant (HoloRuntimeMutant mutant);
HOLO_API void holo_runtime_drop_wait (HoloRuntimeWait wait);

#define HOLO_RUNTIME_HOOK(function, ...)                                                                               \
  do                                                                                                                   \
    if (G_UNLIKELY (holo_runtime_hooks != NULL) && holo_runtime_hooks->function != NULL)                               \
      holo_runtime_hooks->function (__VA_ARGS__);                                                                      \
  while (0)

static inline void
holo_runtime_count_state (HoloRuntimeState state)
{
  __atomic_fetch_add (&holo_runtime_states[state], 1, __ATOMIC_RELAXED);
}

static inline gboolean
holo_runtime_drops_wait (HoloRuntimeWait wait)
{
  return G_UNLIKELY (holo_runtime_dropped_wait == wait);
}

#else

#define HOLO_RUNTIME_HOOK(function, ...) ((void) 0)
#define holo_runtime_mutant              HOLO_RUNTIME_MUTANT_NONE
#define holo_runtime_count_state(state)  ((void) 0)
#define holo_runtime_drops_wait(wait)    FALSE

#endif

static inline gboolean
holo_runtime_wait_stream (HoloRuntimeWait wait, HoloStream *stream, const HoloFence *fence, GError **error)
{
  return holo_runtime_drops_wait (wait) || holo_stream_wait_fence (stream, fence, error);
}

static inline gboolean
holo_runtime_wait_host (HoloRuntimeWait wait, const HoloFence *fence, GError **error)
{
  return holo_runtime_drops_wait (wait) || holo_fence_wait_host (fence, error);
}

static inline void
holo_runtime_before_call (HoloTask *task, HoloRuntimeCall call, HoloTensorView *const *views, guint n_views,
                          guint n_inputs)
{
  HOLO_RUNTIME_HOOK (before_call, task, call, views, n_views, n_inputs);
}

static inline void
holo_runtime_after_call (HoloTask *task, HoloRuntimeCall call, HoloTensorView *const *views, guint n_views,
                         guint n_inputs, HoloOpResult result)
{
  HOLO_RUNTIME_HOOK (after_call, task, call, views, n_views, n_inputs, result);
}

static inline void
holo_runtime_publish (gconstpointer object)
{
  HOLO_RUNTIME_HOOK (publish, object);
}

static inline void
holo_runtime_observe (gconstpointer object)
{
  HOLO_RUNTIME_HOOK (observe, object);
}

static inline void
holo_runtime_pause (HoloRuntimePause pause)
{
  if (G_UNLIKELY (holo_runtime_pause_func != NULL))
    holo_runtime_pause_func (pause);
}

G_END_DECLS
