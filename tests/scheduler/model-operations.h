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
  OPERATIONS_DEVICE = 1 << 0,  /* simulated */
  OPERATIONS_LEAKY = 1 << 1,   /* queues that drop frames: only what holds whatever passes is checked */
  OPERATIONS_PATIENT = 1 << 2, /* two runs are to be alike, also where others are at work on the machine */
  OPERATIONS_THREADS = 1 << 3,
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
  guint64 n_passed[OPERATION_MAX_IDS]; /* in this run */
  gboolean over[OPERATION_MAX_IDS];    /* Input: ended or refused, Output: closed or at its end */
  gboolean flushing[OPERATION_MAX_IDS];
  gboolean closed[OPERATION_MAX_IDS];
  gboolean unread[OPERATION_MAX_IDS];
  GQueue events[OPERATION_MAX_IDS]; /* sent and not echoed */
  GQueue pulled[OPERATION_MAX_IDS]; /* of GArray: not compared yet */

  gboolean stopped;
  gint64 n_events;
  gint n_blocks; /* atomic, as the next */
  gint n_allocators;
  GString *story;
  guint n_operations;
} Operations;

/* ---- model-operations.c ---- */
/* Runs graph @seed from one thread; ends the program with its story when anything is wrong. Returns a number that is the same
 * for the same @seed. */
guint32 operations_run (guint seed, guint way);
/* By threads: only graph, operations and pauses come from the seed. */
void operations_run_threads (guint seed, guint way);
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
/* The same up to @end of the log, where sections rest; @back (by node): whose frames that were out have gone back, NULL: all. */
void operations_rest (Operations *self, guint end, const gboolean *back);
/* Only reads it. */
void operations_read_log (Operations *self, guint end);
/* One call of each kind; whether anything moved. */
gboolean operations_iterate (Operations *self, HoloSection *section);
gboolean operations_pull (Operations *self, guint index);
gboolean operations_pull_all (Operations *self);
HoloPlan *operations_compile (Operations *self, const Model *model, HoloPlan *previous);
HoloDevice *operations_get_device (void);
void operations_set_up (Operations *self, guint seed, guint way, HoloDriving driving);
void operations_tear_down (Operations *self);
/* Whether all sections have finished. */
gboolean operations_is_over (Operations *self);
/* The next frame for an Input, and its values. */
GArray *operations_make_frame (Operations *self, const ModelNode *node, HoloFrame *frame);
GArray *operations_read_frame (const HoloFrame *frame);
gboolean operations_same_values (const GArray *a, const GArray *b);
gchar *operations_values_to_text (const GArray *values);

/* ---- operation-update.c ---- */
void operation_update (Operations *self);
/* Which nodes of @next have their task still; fails where one must. */
void operations_find_kept (Operations *self, const Model *next, HoloPlan *plan, gboolean *kept);

/* ---- operation-ends.c ---- */
void operation_flush (Operations *self);
void operation_close (Operations *self);
void operation_set_unread (Operations *self);
void operation_set_allocator (Operations *self);
/* @reached, @flushed: by node; what frames of @index get to, and what is not let go of now. */
void operations_find_reach (Operations *self, guint index, gboolean *reached);
void operations_find_flushed (Operations *self, gboolean *flushed);
/* Whether an end says FLUSHED when it is, and only then. */
void operations_check_flushed (Operations *self, guint index, HoloOpResult result);
void operations_stop_flush (Operations *self, guint index);

/* ---- operation-run.c ---- */
void operation_restart (Operations *self);
void operation_read_statistics (Operations *self);
void operation_send_event (Operations *self);
void operations_check_events (Operations *self);

G_END_DECLS
