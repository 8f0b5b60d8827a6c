/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A random graph at work, and what is done to it meanwhile. What it does is compared with a replay at every
 * operation. */
#pragma once

#include "model-change.h"
#include "model-replay.h"

G_BEGIN_DECLS

/* Ways to run a graph. */
enum
{
  OPERATIONS_DEVICE = 1 << 0, /* simulated */
  OPERATIONS_LEAKY = 1 << 1,  /* queues that drop frames: only what holds whatever passes is checked */
  OPERATIONS_PATIENT = 1 << 2, /* two runs are to be alike, also where others are at work on the machine */
};

typedef struct
{
  guint seed;
  guint way;
  GRand *rand;
  Model model;
  guint id; /* the last one given away */
  guint epoch;
  Trace *trace;
  Replay *replay;

  HoloCompiler *compiler;
  HoloScheduler *scheduler;
  HoloPlan *plan;

  /* by id: Inputs and Outputs */
  HoloEnd *ends[OPERATION_MAX_IDS];
  guint64 n_offered[OPERATION_MAX_IDS];
  gboolean over[OPERATION_MAX_IDS]; /* Input: ended or refused, Output: closed or at its end */
  gboolean flushing[OPERATION_MAX_IDS];
  gboolean unread[OPERATION_MAX_IDS];
  GQueue pulled[OPERATION_MAX_IDS]; /* of GArray: not compared yet */

  GString *story;
  guint n_operations;
} Operations;

/* ---- model-operations.c ---- */
/* Runs graph @seed from one thread; ends the program with its story when anything is wrong. Returns a number that is the same
 * for the same @seed. */
guint32 operations_run (guint seed, guint way);
void operations_start (void); /* for the process */
void operations_stop (void);

/* For the files of operations. */
G_NORETURN void operations_fail (Operations *self, const gchar *format, ...) G_GNUC_PRINTF (2, 3);
G_GNUC_PRINTF (2, 3) void operations_tell (Operations *self, const gchar *format, ...);
guint operations_roll (Operations *self, guint from, guint to);
/* The index of a random node of @kind, or -1. */
gint operations_find (Operations *self, ModelKind kind);
/* Everything up to now has been done: brings the replay there and compares. */
void operations_compare (Operations *self);
/* One call of each kind; whether anything moved. */
gboolean operations_iterate (Operations *self, HoloSection *section);
gboolean operations_pull (Operations *self, guint index);
gboolean operations_pull_all (Operations *self);
HoloPlan *operations_compile (Operations *self, const Model *model, HoloPlan *previous);

/* ---- operation-update.c ---- */
void operation_update (Operations *self);

G_END_DECLS
