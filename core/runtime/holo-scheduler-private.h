/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a scheduler, for the files that make it up. */
#pragma once

#include "runtime/holo-section-private.h"

typedef enum
{
  HOLO_RUN_IDLE,    /* never started, or joined */
  HOLO_RUN_RUNNING,
  HOLO_RUN_ENDED,   /* everybody is out; threads may be left to join */
} HoloRunState;

struct _HoloScheduler
{
  GObject parent_instance;

  HoloPlan *plan;
  HoloTensorView **views; /* by tensor */
  guint n_views;
  HoloBoundary **boundaries; /* by node; NULL for synchronous ones */
  HoloEventReader **readers; /* by node */
  HoloEventWriter **writers;
  guint n_nodes;
  GPtrArray *sections; /* HoloSection, as many as any plan had */
  HoloEventRouter *router;

  GRWLock binding; /* write: plans are exchanged; read: whoever looks at plan, boundaries or parts without a role */
  GPtrArray *kept_boundaries; /* HoloBoundary of earlier plans: reused by name, freed with the scheduler */

  GMutex control; /* state, error, parking; never held while a task is called */
  GCond changed;
  HoloRunState state;
  gboolean stop_requested;
  GError *error;
  gint n_active;     /* atomic: the run itself, threads, and callers inside */
  gint accepting;    /* atomic: callers may enter */
  guint n_unfinished; /* sections; under control */
  gint n_counted;     /* sections in _holo_awake_sections */
  gboolean stall_reported;
  gboolean finalizing;

  GMutex operation; /* one start, wait, flush or update at a time */
  GQueue updates; /* under control */
  gboolean updating;
  GThread *update_thread;
  HoloSchedulerEndedFunc ended_func;
  gpointer ended_data;
  GVariant *last_statistics;
  gint64 last_statistics_time;
};

HoloOpResult _holo_scheduler_get_result (HoloScheduler *self);
void _holo_scheduler_bind (HoloScheduler *self, HoloPlan *plan);
void _holo_scheduler_unbind (HoloScheduler *self);
gboolean _holo_scheduler_reset_all (HoloScheduler *self, GError **error);
void _holo_scheduler_start_thread (HoloScheduler *self, HoloSection *section);
HoloBoundary *_holo_scheduler_get_end (HoloScheduler *self, guint node, gboolean input);
static inline HoloSection *
_holo_scheduler_section (HoloScheduler *self, guint index)
{
  return g_ptr_array_index (self->sections, index);
}
