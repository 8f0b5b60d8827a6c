/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The application's threads while operations go on, and what they saw; judged when all is at rest. */
#pragma once

#include "model-operations.h"

G_BEGIN_DECLS

/* One frame that went in or came out. @period: of the end, which a flush that reaches it or another run begins; as it was before the
 * call and after it. */
typedef struct
{
  GArray *values;
  guint64 number; /* that the Input gave it */
  guint period;
  guint period_after;
} Passed;

typedef struct
{
  struct _Threads *threads;
  guint index; /* of the first model */
  guint id;
  gboolean is_input;
  HoloEnd *end;
  GThread *thread;
  GRand *rand;
  guint period; /* atomic */
  gint gate;    /* atomic: closed while that changes */
  gint waits;   /* atomic: before the gate, or for the next period */
  gint calls;   /* atomic: is asleep, or at work, in a push or pull */

  GMutex lock;
  GArray *passed;      /* of Passed */
  GArray *ended;       /* Input: of guint: periods in which its end came */
  GArray *maybe_ended; /* those in which a flush or a stop came over the call: it may have been too late */
  gboolean is_unsure;  /* a call lasted from one period to the next, and may belong to either */
  gint closed_in;      /* Output: number of the change, -1: open */
  gboolean was_unread; /* Output: frames may be missing */
} ThreadEnd;

/* A change, and what there is to know of it. */
typedef struct
{
  Model next;
  gboolean kept[MODEL_MAX_NODES];
  guint commit; /* its place in the log */
  guint64 n_discarded;
  gint flushed;      /* id of an Input whose flush it lay within, or -1 */
  gboolean restarts; /* it came between two runs */
  gboolean is_last;  /* the run was over when it was reported, and may have been before */
} Change;

typedef struct _Threads
{
  Operations operations;
  Model first;
  HoloDriving driving;
  guint n_ends;
  ThreadEnd ends[2 * MODEL_MAX_NODES]; /* with queues that leak two for each */
  GArray *changes;                     /* of Change */
  gint quit;                           /* atomic */
  guint n_drivers;
  GThread *drivers[4];
} Threads;

/* Everything up to the present log, from the beginning. Fails when something cannot be. Returns what could go on and does not, or
 * NULL. */
gchar *threads_judge (Threads *self, gboolean is_over);
/* The same where frames may be dropped at any time: only what holds all the same. */
void threads_judge_leaky (Threads *self);

G_END_DECLS
