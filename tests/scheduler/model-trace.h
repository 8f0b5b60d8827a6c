/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of operations, node by node, and what must hold for it whatever the graph is: epochs never fall, are
 * those of the settings in use, and an asynchronous task never gives what it did not take, nor takes more than
 * it has room for. */
#pragma once

#include "interpreter.h"
#include "operation-log.h"

G_BEGIN_DECLS

/* Of one node of the model, by its id. */
typedef struct
{
  GArray *executions; /* of OperationEntry */
  GArray *resets;     /* of guint: executions before each */
  guint64 n_executed; /* those that gave a frame */
  guint64 n_pushed;
  gboolean refused; /* one frame more has been offered */
  guint64 n_popped;
  gboolean is_out;    /* a window is being read, or goes back to its task */
  guint64 first_push; /* what the present task took and gave before it was there */
  guint64 first_pop;
  guint64 run_executed; /* before this run */
  guint64 run_pushed;
  guint64 run_popped;
  guint run_returned; /* frames of this run that came back, and went before anybody used them */
  guint n_ended;      /* ends of the input */
  guint n_closed;     /* ends of the output */
  guint n_empty;      /* pops that found the end */
  guint oldest_epoch; /* what may be seen now */
  guint newest_epoch;
  guint last_epoch;
  guint capacity; /* calls that may be taken and not given; 0: not known */
} TraceNode;

typedef struct
{
  TraceNode nodes[OPERATION_MAX_IDS];
  GArray *held;      /* of gint, by number of the task: taken and not given */
  guint n_read;      /* entries of the log */
  gboolean threads;  /* pushes and pops may be written in the wrong order */
  gboolean changing; /* so they may while an update pushes what is left and others pop */
} Trace;

Trace *trace_new (gboolean threads);
void trace_free (Trace *self);
/* The settings that are in use. */
void trace_expect (Trace *self, const Model *model);
/* Another run has begun, with every task reset. */
void trace_restart (Trace *self);
/* The section behind rests: what was out has gone back. */
void trace_rest (Trace *self, guint id);
/* The node has another task, or one that was reset. */
void trace_renew (Trace *self, guint id);
/* Whether an asynchronous node has a frame to give. */
gboolean trace_can_pop (const Trace *self, const Model *model, guint index);
/* Reads the log up to @end (G_MAXUINT: all there is); NULL, or what is wrong with it. */
gchar *trace_read (Trace *self, guint end);

G_END_DECLS
