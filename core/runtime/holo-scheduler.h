/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "../compiler/holo-plan.h"
#include "holo-end.h"
#include "../event/holo-event-router.h"
#include "holo-section.h"
#include "holo-statistics.h"

G_BEGIN_DECLS

#define HOLO_TYPE_SCHEDULER (holo_scheduler_get_type ())
HOLO_API
G_DECLARE_FINAL_TYPE (HoloScheduler, holo_scheduler, HOLO, SCHEDULER, GObject)

/**
 * HoloScheduler:
 *
 * Runs a plan: one thread per section, or as holo_scheduler_set_driving() says.
 *
 * Start, stop, flush, update and the end of a run are steps of one order: each takes effect as if it had come wholly before
 * the next, whatever threads ask for them. All functions may be called from any thread at any time unless they say
 * otherwise. Those that wait (holo_scheduler_start(), holo_scheduler_wait(), holo_scheduler_run(),
 * holo_scheduler_flush_stop(), holo_scheduler_set_setting()) give %HOLO_ERROR_STATE from inside a task, an allocator or
 * the release of a block, where they could wait for their own caller.
 *
 * Callbacks come from a thread of the scheduler's own, which holds nothing: they may call all functions, and may drop the
 * last reference, which then stops the run without waiting for its end. Dropped elsewhere it stops the run and waits.
 * Never drop it inside a task.
 *
 * A run ends when every node has finished, on an error, or on holo_scheduler_stop(). Afterwards the same scheduler can
 * be started again: everything is reset first.
 *
 * Since: 0.1
 */
HOLO_API HoloScheduler *holo_scheduler_new (HoloPlan *plan);
HOLO_API HoloPlan *holo_scheduler_get_plan (HoloScheduler *scheduler);

/* Before the start only. */
HOLO_API void holo_scheduler_set_driving (HoloScheduler *scheduler, HoloDriving driving);
HOLO_API void holo_scheduler_set_may_spin (HoloScheduler *scheduler, gboolean may_spin);
HOLO_API void holo_scheduler_set_max_in_flight (HoloScheduler *scheduler, guint max_in_flight);

HOLO_API gboolean holo_scheduler_start (HoloScheduler *scheduler, GError **error);
HOLO_API void holo_scheduler_stop (HoloScheduler *scheduler);
HOLO_API gboolean holo_scheduler_wait (HoloScheduler *scheduler, GError **error);
HOLO_API gboolean holo_scheduler_run (HoloScheduler *scheduler, GCancellable *cancellable, GError **error);
HOLO_API gboolean holo_scheduler_is_running (HoloScheduler *scheduler);
HOLO_API gboolean holo_scheduler_was_stopped (HoloScheduler *scheduler);

/**
 * HoloSchedulerEndedFunc:
 * @scheduler: the scheduler
 * @error: (nullable): why the run failed; %NULL after a normal end or a stop
 * @user_data: what was given with the function
 *
 * Called once per run, after its end, in the scheduler's own thread, without locks held. holo_scheduler_wait() returns
 * after it, except in it.
 *
 * Since: 0.1
 */
typedef void (*HoloSchedulerEndedFunc) (HoloScheduler *scheduler, const GError *error, gpointer user_data);
HOLO_API void holo_scheduler_set_ended_func (HoloScheduler *scheduler, HoloSchedulerEndedFunc func, gpointer user_data,
                                             GDestroyNotify notify);

HOLO_API HoloSection *holo_scheduler_get_section (HoloScheduler *scheduler, guint section);
HOLO_API HoloEventRouter *holo_scheduler_get_event_router (HoloScheduler *scheduler);

/* Numbers of the current or last run; readable while it runs. */
HOLO_API gboolean holo_scheduler_get_node_statistics (HoloScheduler *scheduler, const gchar *node,
                                                      HoloNodeStatistics *statistics);
HOLO_API gboolean holo_scheduler_get_section_statistics (HoloScheduler *scheduler, guint section,
                                                         HoloSectionStatistics *statistics);
HOLO_API GVariant *holo_scheduler_get_statistics (HoloScheduler *scheduler);
HOLO_API JsonNode *holo_scheduler_get_statistics_json (HoloScheduler *scheduler);
HOLO_API gchar *holo_scheduler_get_statistics_text (HoloScheduler *scheduler);

/* --- Ends of the graph: nodes of kind Input and Output. --- */
HOLO_API HoloEnd *holo_scheduler_get_input (HoloScheduler *scheduler, const gchar *node, GError **error);
HOLO_API HoloEnd *holo_scheduler_get_output (HoloScheduler *scheduler, const gchar *node, GError **error);
HOLO_API HoloOpResult holo_scheduler_process (HoloScheduler *scheduler, HoloFrame *in, HoloFrame *out,
                                              GCancellable *cancellable, GError **error);

/* --- Flush: drops everything that came from an Input. --- */
HOLO_API void holo_scheduler_flush_start (HoloScheduler *scheduler, HoloEnd *input);
HOLO_API gboolean holo_scheduler_flush_stop (HoloScheduler *scheduler, HoloEnd *input, GError **error);

/* --- Changing a running graph. --- */

/**
 * HoloSchedulerUpdatedFunc:
 * @scheduler: the scheduler
 * @n_discarded: frames that were lost with nodes that the update replaced or took away: a drain that came to no end in
 *   time, or a frame that no node of the new plan can take
 * @error: (nullable): why the update failed (the old plan goes on), or %NULL
 * @user_data: what was given with the function
 *
 * Reports the end of holo_scheduler_update(): exactly once, in the scheduler's own thread.
 *
 * Since: 0.1
 */
typedef void (*HoloSchedulerUpdatedFunc) (HoloScheduler *scheduler, guint64 n_discarded, const GError *error,
                                          gpointer user_data);
HOLO_API void holo_scheduler_update (HoloScheduler *scheduler, HoloPlan *plan, HoloSchedulerUpdatedFunc func,
                                     gpointer user_data);
HOLO_API void holo_scheduler_set_drain_limit (HoloScheduler *scheduler, gint64 limit);

HOLO_API gboolean holo_scheduler_set_setting (HoloScheduler *scheduler, const gchar *node, const gchar *setting,
                                              const GValue *value, GError **error);
HOLO_API gboolean holo_scheduler_set_setting_text (HoloScheduler *scheduler, const gchar *node, const gchar *setting,
                                                   const gchar *text, GError **error);
HOLO_API gboolean holo_scheduler_set_settings (HoloScheduler *scheduler, const gchar *node, JsonObject *settings,
                                               GError **error);

G_END_DECLS
