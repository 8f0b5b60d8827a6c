/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of a section share: holo-section.c is the machine, each step has a file of its own. All with the role held. */
#pragma once

#include <time.h>

#include "device/holo-runtime-hooks.h"
#include "runtime/holo-section-private.h"

/* One look at everything a step waits for: OK, NOT_READY, or why it ends. */
typedef HoloOpResult (*HoloPassFunc) (HoloSection *section, GError **error);

/* holo-section-finish.c */
void _holo_section_check_ended_outputs (HoloSection *section);

/* holo-section-deliver.c */
HoloOpResult _holo_section_deliver_pass (HoloSection *section, GError **error);
gboolean _holo_section_take_returned (HoloSection *section, HoloPart *part, GError **error);

/* holo-section-wake.c */
void _holo_section_wake_other_side (HoloSection *section, HoloPart *part);
void _holo_section_deliver_wakes (HoloSection *section);

/* holo-section-lend.c */
gboolean _holo_section_is_lendable (HoloSection *section);
void _holo_section_note_work (HoloSection *section);
gboolean _holo_section_lend (HoloSection *section);
void _holo_section_take_back (HoloSection *section);
gboolean _holo_section_borrow (HoloSection *section, HoloSection *borrower);

/* holo-section-wait.c */
HoloOpResult _holo_section_check_requests (HoloSection *section, GCancellable *cancellable, gboolean waiting);
gboolean _holo_section_leaves_to_rest (HoloSection *section);
gboolean _holo_section_owes_to_drained (HoloSection *section);
HoloOpResult _holo_section_wait (HoloSection *section, GCancellable *cancellable);
void _holo_section_end_wait (HoloSection *section);
void _holo_section_count_wait (HoloSection *section, guint64 waited, gboolean timed_out);
gboolean _holo_section_wait_order (HoloSection *section, HoloRuntimeWait wait, const HoloFence *fence, GError **error);
HoloOpResult _holo_section_handle_cancelled (HoloSection *section, GCancellable *cancellable);

/* holo-section-acquire.c */
HoloOpResult _holo_section_acquire_pass (HoloSection *section, GError **error);
HoloOpResult _holo_section_acquire_blocks (HoloSection *section, GError **error);
HoloOpResult _holo_section_acquire_pop_blocks (HoloSection *section, HoloPart *part, GError **error);

/* holo-section-pop.c */
gboolean _holo_section_wait_for_stream (HoloSection *section, HoloRuntimeWait wait, GError **error);
HoloOpResult _holo_section_pop_pass (HoloSection *section, GError **error);

/* holo-section-execute.c */
HoloOpResult _holo_section_execute_nodes (HoloSection *section, GCancellable *cancellable, GError **error);

/* holo-section-push.c */
gboolean _holo_section_record (HoloSection *section, GError **error);
gboolean _holo_section_order_pushed (HoloSection *section, GError **error);
HoloOpResult _holo_section_push_pass (HoloSection *section, GError **error);

/* holo-section-spin.c */
gboolean _holo_section_may_spin (HoloSection *section);
void _holo_section_start_spin (HoloSection *section);
gboolean _holo_section_spin (HoloSection *section);
void _holo_section_note_wake (HoloSection *section);

/* holo-section-depth.c */
gboolean _holo_section_needs_fence (HoloSection *section);
void _holo_section_note_in_flight (HoloSection *section);
gboolean _holo_section_throttle (HoloSection *section, GError **error);

/* holo-section-release.c */
void _holo_section_count_discarded (HoloSection *section);
void _holo_section_abort_slots (HoloSection *section);
gboolean _holo_section_release_part (HoloSection *section, HoloPart *part, GError **error);
gboolean _holo_section_give_back (HoloSection *section, GError **error);
void _holo_section_start_iteration (HoloSection *section);
HoloOpResult _holo_section_end_iteration (HoloSection *section, GError **error);

/* Puts node, kind and @phase before @error; gives ERROR. */
HoloOpResult _holo_section_error (HoloSection *section, HoloTask *task, const gchar *phase, GError **error);
/* Prefixes @error with "found at SECTION, PHASE" and returns ERROR. */
HoloOpResult _holo_section_device_error (HoloSection *section, const gchar *phase, GError **error);

static inline gint64
_holo_section_now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (gint64) time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Time since the last look: one look at the clock between two calls serves both. */
static inline guint64
_holo_section_lap (HoloSection *section)
{
  gint64 now = _holo_section_now (), before = section->clock;

  section->clock = now;
  return (guint64) (now - before);
}

/* After a call that returned OK. */
static inline void
_holo_section_count_call (HoloSection *section, HoloPart *part)
{
  guint64 time = _holo_section_lap (section);

  _holo_counter_add (&part->counters->calls, 1);
  _holo_counter_add (&part->counters->bytes, part->bytes);
  _holo_counter_add (&part->counters->time, time);
  section->work += time;
}
