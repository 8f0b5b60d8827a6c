/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every public function of scheduler, ends and sections that may be called from any thread at any time, each with what it may
 * return whatever another thread does meanwhile. */
#pragma once

#include <holoflow/holoflow.h>

G_BEGIN_DECLS

/* A running scheduler under test, and what two threads have done to it. */
typedef struct
{
  const gchar *const *texts; /* %NULL-terminated; the first is what runs at the start */
  HoloScheduler *scheduler;
  HoloEnd *inputs[2];
  guint n_inputs;
  HoloEnd *output;
  GCancellable *cancellable; /* of all calls that take one */
  gint over;
  gint interrupted; /* by somebody */

  /* counts that must agree in the end */
  gint n_tasks; /* alive */
  gint n_updates, n_reports;
  gint n_starts, n_maybe_starts, n_ends;
  gint n_allocators, n_notified;
} PairRound;

typedef struct
{
  const gchar *name;
  void (*call) (PairRound *round, GRand *rand);
  gboolean blocks; /* as long as the graph gives a reason for it; every other call comes back by itself */
} PairCall;

extern const PairCall pair_calls[];
guint pair_get_n_calls (void);

/* Compiles text number @n for the round; %NULL when another change of the running plan is on its way. */
HoloPlan *pair_round_compile (PairRound *round, guint n, HoloPlan *previous);
void pair_round_on_ended (HoloScheduler *scheduler, const GError *error, gpointer user_data);

G_END_DECLS
