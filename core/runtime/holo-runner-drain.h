/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks that an update replaces or takes away let out what they hold, to the readers they have. */
#pragma once

#include "runtime/holo-runner-private.h"

typedef struct
{
  HoloRunner *runner;
  HoloBound *bound;   /* what runs */
  HoloPlan *next;     /* what will */
  gboolean *goes;     /* by node: it has to be empty first */
  guint64 *discarded; /* by node: what its task had counted before */
  gboolean *resting;  /* by section: its role is held here */
  guint n_flushes;    /* of the runner, at the beginning: another flush ends the drain */
  gint64 deadline;    /* µs; 0: none. Moved by every successful call */
  guint64 progress;
  gboolean is_over; /* time is up, or a stop or flush came */
} HoloDrain;

/* Whether what an Input of the plan at work holds fits the node of that name in @plan. */
gboolean _holo_drain_takes_same (HoloPlan *plan, const HoloPlanNode *node);
void _holo_drain_init (HoloDrain *drain, HoloRunner *runner, HoloBound *bound, HoloPlan *next);
void _holo_drain_clear (HoloDrain *drain);
/* Upstream first; returns when all are empty or it is over. The sections that push into them rest then. */
void _holo_drain_run (HoloDrain *drain);
/* As if nothing had been drained: the update will not come. Sections rest. */
void _holo_drain_undo (HoloDrain *drain);
/* Drops and counts what is left. */
guint64 _holo_drain_discard (HoloDrain *drain);
