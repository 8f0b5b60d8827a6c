/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a HoloScheduler is the handle of. The handle may be dropped in a callback while threads are still on their way out:
 * they hold references to the runner.
 *
 * Three kinds of locks, taken in this order: a section's role, held across calls of tasks; `control`; the mutex of an end. No
 * code that is not the library's runs under the last two. */
#pragma once

#include "event/holo-event-router.h"
#include "runtime/holo-bound.h"

/* HoloSchedulerEndedFunc and HoloSchedulerUpdatedFunc */
/* What is called at the end of a run; counted by g_atomic_rc_box_acquire(), since it may be replaced while it is called. */
typedef struct
{
  void (*func) (HoloScheduler *handle, const GError *error, gpointer user_data);
  gpointer data;
  GDestroyNotify notify;
} HoloEndedHandler;
typedef void (*HoloUpdatedFunc) (HoloScheduler *handle, guint64 n_discarded, const GError *error, gpointer user_data);

typedef enum
{
  HOLO_RUN_NEVER,
  HOLO_RUN_RUNNING,
  HOLO_RUN_ENDED,
} HoloRunState;

typedef struct _HoloRunner HoloRunner;
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
  HoloOwner owner; /* what sections and ends know of it */

  GMutex control; /* guards what follows */
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
  HoloEndedHandler *ended_handler; /* (nullable) */
  gint64 asked_at;                 /* µs: the last question for statistics; 0: none yet */

  GQueue operations; /* HoloOperation, in order */
  gboolean busy;     /* the first of them is being run */
  GQueue callbacks;  /* for the operation thread */
  guint n_callbacks; /* that have not returned */
  GThread *thread;   /* the operation thread; made when first needed */
  gboolean quit;
  gboolean has_update; /* one is on its way */
  gint64 drain_limit;  /* µs; -1: none */

  gint n_counted; /* sections in _holo_awake_sections; the order's */

  HoloEventRouter *router;
  GPtrArray *retired_streams; /* of the plan's device, that fences in frames under way may still name; the order's */
};

HoloRunner *_holo_runner_new (HoloScheduler *handle);
HoloBound *_holo_runner_get_bound (HoloRunner *runner, HoloPlan **plan); /* references; @plan nullable */
GPtrArray *_holo_runner_list_ends (HoloRunner *runner);                  /* references */
gboolean _holo_runner_wait (HoloRunner *runner, GError **error);
void _holo_runner_close (HoloRunner *runner);

/* ---- holo-runner-run.c: one run ---- */
gboolean _holo_runner_start (HoloRunner *runner, GError **error);
void _holo_runner_queue_end (HoloRunner *runner); /* with control */

/* ---- holo-runner-threads.c ---- */
void _holo_runner_start_thread (HoloRunner *runner, HoloSection *section);
void _holo_runner_join (HoloRunner *runner, HoloSection *section);

/* ---- holo-runner-order.c: all that changes a run, one after the other ---- */
gboolean _holo_runner_is_operation_thread (HoloRunner *runner);
void _holo_runner_call (HoloRunner *runner, HoloOperationFunc func, gpointer data);
void _holo_runner_queue (HoloRunner *runner, HoloOperationFunc func, gpointer data); /* with control */
typedef void (*HoloCallbackFunc) (HoloRunner *runner, HoloScheduler *handle, gpointer data);
void _holo_runner_queue_callback (HoloRunner *runner, HoloCallbackFunc func, gpointer data); /* with control */
/* Until something changes; the operation thread does meanwhile what waits for it. With control. */
void _holo_runner_wait_changed (HoloRunner *runner);
/* All that wait, in the operation thread, inside another of them. With control. */
void _holo_runner_run_callbacks (HoloRunner *runner);

/* ---- holo-runner-rest.c: sections stand still ---- */
/* Take the roles of those sections of @bound that @which (nullable: all) names; afterwards they rest between two looks. */
void _holo_runner_rest (HoloRunner *runner, HoloBound *bound, const gboolean *which);
void _holo_runner_unrest (HoloRunner *runner, HoloBound *bound, const gboolean *which);
void _holo_runner_synchronize (HoloBound *bound, const gboolean *which);
/* What is under way goes back to where it can wait. FALSE: no memory for it, and nothing has been touched. */
gboolean _holo_runner_fold (HoloBound *bound, const gboolean *which, GError **error);

/* ---- holo-runner-exchange.c ---- */
/* Changes to @plan, compiled beside the one that is bound, running or not. FALSE with @error: everything is as before. */
gboolean _holo_runner_exchange (HoloRunner *runner, HoloPlan *plan, guint64 *n_discarded, GError **error);

/* ---- holo-runner-update.c ---- */
void _holo_runner_update (HoloRunner *runner, HoloPlan *plan, HoloUpdatedFunc func, gpointer user_data);
/* Reports all updates that have not begun as failed. In the operation thread, inside a callback; with control. */
void _holo_runner_give_up_updates (HoloRunner *runner);

/* ---- holo-runner-flush.c ---- */
void _holo_runner_flush_start (HoloRunner *runner, HoloEnd *input);
gboolean _holo_runner_flush_stop (HoloRunner *runner, HoloEnd *input, GError **error);
void _holo_runner_apply_flushes (HoloRunner *runner); /* with control and all roles, or nothing runs */

/* ---- what it answers as the owner of sections and ends, see holo-owner.h ---- */
void _holo_runner_stop (HoloOwner *owner, GError *error);
void _holo_runner_wait_unrested (HoloOwner *owner, HoloSection *section);
void _holo_runner_section_finished (HoloOwner *owner);
void _holo_runner_section_revived (HoloOwner *owner);
void _holo_runner_set_ended_handler (HoloRunner *runner, HoloEndedHandler *handler);
void _holo_runner_check_stall (HoloOwner *owner, HoloSection *section, const gchar *text);

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
