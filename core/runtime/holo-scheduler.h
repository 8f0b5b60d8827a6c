/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "compiler/holo-plan.h"
#include "runtime/holo-event-router.h"
#include "runtime/holo-section.h"
#include "runtime/holo-statistics.h"

G_BEGIN_DECLS

#define HOLO_TYPE_SCHEDULER (holo_scheduler_get_type ())
HOLO_API G_DECLARE_FINAL_TYPE (HoloScheduler, holo_scheduler, HOLO, SCHEDULER, GObject)

/**
 * HoloScheduler:
 *
 * Runs a plan: one thread per section, except sections that a caller drives (see holo_scheduler_set_caller_driven()).
 * All functions may be called from any thread; those that say so must not be called from inside a task.
 *
 * A run ends when every node has finished, on an error, or on holo_scheduler_stop(). Afterwards the same scheduler can
 * be started again: everything is reset first.
 */
HOLO_API HoloScheduler *holo_scheduler_new (HoloPlan *plan);
HOLO_API HoloPlan *holo_scheduler_get_plan (HoloScheduler *scheduler);

/* Sections that the application drives with holo_section_iterate() or holo_scheduler_push(): no thread is made for
 * them. Call before start. The second form marks every section that an Input feeds. */
HOLO_API void holo_scheduler_set_caller_driven (HoloScheduler *scheduler, guint section, gboolean caller_driven);
HOLO_API void holo_scheduler_set_max_in_flight (HoloScheduler *scheduler, guint max_in_flight);
HOLO_API void holo_scheduler_set_inputs_caller_driven (HoloScheduler *scheduler, gboolean caller_driven);

HOLO_API gboolean holo_scheduler_start (HoloScheduler *scheduler, GError **error);
HOLO_API void holo_scheduler_stop (HoloScheduler *scheduler);
/* Waits until the run has ended and joins its threads. FALSE with @error when a task failed. Not from inside a task. */
HOLO_API gboolean holo_scheduler_wait (HoloScheduler *scheduler, GError **error);
HOLO_API gboolean holo_scheduler_is_running (HoloScheduler *scheduler);
HOLO_API gboolean holo_scheduler_was_stopped (HoloScheduler *scheduler);

/**
 * HoloSchedulerEndedFunc:
 * @error: (nullable): why the run failed; %NULL after a normal end or a stop
 *
 * Called once per run, in the thread that ended it, without locks held.
 */
typedef void (*HoloSchedulerEndedFunc) (HoloScheduler *scheduler, const GError *error, gpointer user_data);
HOLO_API void holo_scheduler_set_ended_func (HoloScheduler *scheduler, HoloSchedulerEndedFunc func,
                                             gpointer user_data);

HOLO_API HoloSection *holo_scheduler_get_section (HoloScheduler *scheduler, guint section);
HOLO_API HoloEventRouter *holo_scheduler_get_event_router (HoloScheduler *scheduler);

/* Numbers of the current or last run; readable while it runs. */
HOLO_API gboolean holo_scheduler_get_node_statistics (HoloScheduler *scheduler, guint node,
                                                      HoloNodeStatistics *statistics);
HOLO_API gboolean holo_scheduler_get_section_statistics (HoloScheduler *scheduler, guint section,
                                                         HoloSectionStatistics *statistics);
/* a{sv} of everything: cumulative numbers, and rates since the previous call with the same @interval_id. */
HOLO_API GVariant *holo_scheduler_get_statistics (HoloScheduler *scheduler);

/* --- Ends of the graph: nodes of kind Input and Output, by node number of the plan. --- */

/* Puts @frame (taken on OK only) into the one-frame slot of @input; blocks while that slot is full. If the Input's section is caller-driven and
 * this completes its set of frames, drives the section. OK, EOF (nothing is taken any more), FLUSHED, CANCELLED, ERROR. */
HOLO_API HoloOpResult holo_scheduler_push (HoloScheduler *scheduler, guint input, HoloFrame *frame,
                                           GCancellable *cancellable, GError **error);
/* No frame follows on @input. Drives a caller-driven section until it waits for another Input or has finished; blocks like a
 * push meanwhile. */
HOLO_API HoloOpResult holo_scheduler_push_end (HoloScheduler *scheduler, guint input, GError **error);
/* Takes the next frame of @output; blocks while there is none. OK, EOF, FLUSHED, CANCELLED, ERROR. */
HOLO_API HoloOpResult holo_scheduler_pull (HoloScheduler *scheduler, guint output, HoloFrame *frame,
                                           GCancellable *cancellable, GError **error);
/* The same without blocking: NOT_READY when there is none now. */
HOLO_API HoloOpResult holo_scheduler_try_pull (HoloScheduler *scheduler, guint output, HoloFrame *frame,
                                               GError **error);
/* Nobody reads @output any more (@closed), or somebody does again. */
HOLO_API void holo_scheduler_close_output (HoloScheduler *scheduler, guint output, gboolean closed);

/**
 * HoloAllocFunc:
 * @size: bytes wanted
 *
 * Gives memory that a frame of an Output will be written into. Called in the thread of the writing section; may block
 * as long as @cancellable allows.
 * Returns: (transfer full) (nullable): a block of at least @size bytes, or %NULL with @error
 */
typedef HoloBlock *(*HoloAllocFunc) (gsize size, GCancellable *cancellable, gpointer user_data, GError **error);
HOLO_API void holo_scheduler_set_output_allocator (HoloScheduler *scheduler, guint output, HoloAllocFunc func,
                                                   gpointer user_data, GDestroyNotify notify);

/* --- Flush: drops everything that came from an Input. --- */
HOLO_API void holo_scheduler_flush_start (HoloScheduler *scheduler, guint input);
HOLO_API gboolean holo_scheduler_flush_stop (HoloScheduler *scheduler, guint input, GError **error);

/**
 * HoloSchedulerUpdatedFunc:
 * @error: (nullable): why the update failed (the old plan goes on), or %NULL
 *
 * Reports the end of holo_scheduler_update().
 */
typedef void (*HoloSchedulerUpdatedFunc) (HoloScheduler *scheduler, const GError *error, gpointer user_data);
/* Changes to @plan, which was compiled with the running plan as previous. Returns at once; may be called from inside a task. */
HOLO_API void holo_scheduler_update (HoloScheduler *scheduler, HoloPlan *plan, HoloSchedulerUpdatedFunc func,
                                     gpointer user_data);

G_END_DECLS
