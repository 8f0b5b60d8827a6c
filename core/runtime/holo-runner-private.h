/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a HoloScheduler is the handle of. The handle may be dropped in a callback while threads are still on their way out:
 * they hold references to the runner.
 *
 * Three kinds of locks, taken in this order: a section's role, held across calls of tasks; `control`; the mutex of an end. No
 * code that is not the library's runs under the last two. */
#pragma once

#include "runtime/holo-bound.h"
#include "runtime/holo-scheduler.h"

typedef enum
{
  HOLO_RUN_NEVER,
  HOLO_RUN_RUNNING,
  HOLO_RUN_ENDED,
} HoloRunState;

typedef struct _HoloOperation HoloOperation;
typedef void (*HoloOperationFunc) (HoloRunner *runner, HoloOperation *operation);

/* One step of the order of all that changes a run. */
struct _HoloOperation
{
  HoloOperationFunc func;
  gboolean
      is_call; /* the thread that asked runs it and waits for its turn; else the operation thread does, and frees it */
  gpointer data; /* what `func` wants */
};

struct _HoloRunner
{
  gint ref_count;

  GMutex control; /* guards what follows, up to the atomics */
  GCond changed;
  HoloScheduler *handle; /* NULL once it is being disposed of in a callback */
  gboolean closed;       /* nothing can be started any more */
  HoloBound *bound;      /* NULL once the handle has gone */
  GHashTable *inputs;    /* name -> HoloEnd, a reference: all that were ever asked for or bound */
  GHashTable *outputs;
  GPtrArray *flushing; /* names of Inputs that are being flushed */
  guint n_flushes;     /* that have begun: a drain looks */
  guint n_cancelling;  /* threads about to cancel sections for a flush or stop that is noted already */
  HoloRunState state;
  gboolean starting;
  gboolean end_queued;
  gboolean stop_requested;
  GError *error;
  guint n_unfinished; /* sections */
  gboolean stall_reported;
  HoloSchedulerEndedFunc ended_func;
  gpointer ended_data;
  gint64 asked_at; /* µs: the last question for statistics; 0: none yet */

  GQueue operations; /* HoloOperation, in order */
  gboolean busy;     /* the first of them is being run */
  GQueue callbacks;  /* for the operation thread */
  guint n_callbacks; /* that have not returned */
  GThread *thread;   /* the operation thread; made when first needed */
  gboolean quit;
  gboolean has_update; /* one is on its way */
  gint64 drain_limit;  /* µs; -1: none */

  gint running;    /* atomic: calls may enter; set by start, cleared by the first that ends the run */
  gint has_unread; /* atomic: something has finished in this run for want of readers */
  gint n_counted;  /* sections in _holo_awake_sections; the order's */

  HoloEventRouter *router;
  HoloDriving driving; /* these three: before the start only */
  gboolean may_spin;
  guint max_in_flight;        /* 0: what is right */
  GPtrArray *retired_streams; /* of the plan's device, that fences in frames under way may still name; the order's */
};

HoloRunner *_holo_runner_new (HoloScheduler *handle);
HoloRunner *_holo_runner_ref (HoloRunner *runner);
void _holo_runner_unref (HoloRunner *runner);
HoloRunner *_holo_scheduler_get_runner (HoloScheduler *scheduler);

/* ---- holo-runner.c: the life of a run ---- */
HoloBound *_holo_runner_get_bound (HoloRunner *runner, HoloPlan **plan); /* references; @plan nullable */
HoloEnd *_holo_runner_get_end (HoloRunner *runner, const gchar *name, gboolean is_input); /* with control; borrowed */
gboolean _holo_runner_start (HoloRunner *runner, GError **error);
void _holo_runner_stop (HoloRunner *runner);
gboolean _holo_runner_wait (HoloRunner *runner, GError **error);
void _holo_runner_fail (HoloRunner *runner, GError *error);
void _holo_runner_close (HoloRunner *runner);
void _holo_runner_start_thread (HoloRunner *runner, HoloSection *section);
void _holo_runner_join (HoloRunner *runner, HoloSection *section);
gboolean _holo_runner_is_running (HoloRunner *runner);
/* What a section that has been left at an instant when it should not be driven has to wait for. */
void _holo_runner_wait_unrested (HoloRunner *runner, HoloSection *section);
void _holo_runner_tell (HoloRunner *runner);      /* something that may be waited for with `control` has changed */
void _holo_runner_queue_end (HoloRunner *runner); /* with control */
void _holo_runner_section_finished (HoloRunner *runner);
void _holo_runner_section_revived (HoloRunner *runner);
void _holo_runner_check_stall (HoloRunner *runner, HoloSection *section, const gchar *text);
HoloOpResult _holo_runner_get_result (HoloRunner *runner);

/* ---- holo-operation.c: the order ---- */
/* TRUE in a call of a task (allocator, ...) of @runner: sets HOLO_ERROR_STATE. */
gboolean _holo_runner_refuses_to_wait (HoloRunner *runner, GError **error);
HoloRunner *_holo_runner_enter_tasks (HoloRunner *runner);
void _holo_runner_leave_tasks (HoloRunner *before);
gboolean _holo_runner_is_operation_thread (HoloRunner *runner);
void _holo_runner_call (HoloRunner *runner, HoloOperationFunc func, gpointer data);
void _holo_runner_queue (HoloRunner *runner, HoloOperationFunc func, gpointer data); /* with control */
typedef void (*HoloCallbackFunc) (HoloRunner *runner, HoloScheduler *handle, gpointer data);
void _holo_runner_queue_callback (HoloRunner *runner, HoloCallbackFunc func, gpointer data); /* with control */
/* Until something changes; the operation thread does meanwhile what waits for it. With control. */
void _holo_runner_wait_changed (HoloRunner *runner);
/* All that wait, in the operation thread, inside another of them. With control. */
void _holo_runner_run_callbacks (HoloRunner *runner);

/* ---- holo-rest.c: sections stand still ---- */
/* Take the roles of those sections of @bound that @which (nullable: all) names; afterwards they rest between two looks. */
void _holo_runner_rest (HoloRunner *runner, HoloBound *bound, const gboolean *which);
void _holo_runner_unrest (HoloRunner *runner, HoloBound *bound, const gboolean *which);
void _holo_runner_synchronize (HoloBound *bound, const gboolean *which);
/* What is under way goes back to where it can wait. FALSE: no memory for it, and nothing has been touched. */
gboolean _holo_runner_fold (HoloBound *bound, const gboolean *which, GError **error);

/* ---- holo-scheduler-update.c ---- */
/* Reports all updates that have not begun as failed. In the operation thread, inside a callback; with control. */
void _holo_runner_give_up_updates (HoloRunner *runner);

/* ---- holo-scheduler-flush.c ---- */
void _holo_runner_apply_flushes (HoloRunner *runner); /* with control and all roles, or nothing runs */

static inline void
_holo_runner_lock (HoloRunner *runner)
{
  g_mutex_lock (&runner->control);
}

static inline void
_holo_runner_unlock (HoloRunner *runner)
{
  g_mutex_unlock (&runner->control);
}
