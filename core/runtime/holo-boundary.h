/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An asynchronous task at work: what the section that pushes into it and the one that pops from it share. It lives as long
 * as its task is in the plan, over updates. */
#pragma once

#include "compiler/holo-plan-private.h"
#include "runtime/holo-end-private.h"
#include "runtime/holo-held-frame.h"
#include "runtime/holo-waiter.h"

typedef struct
{
  gint ref_count;
  HoloAsyncTask *task; /* owned */
  HoloEnd *end;        /* Input or Output: the application's side, a reference; else NULL */
  gboolean is_input;
  gboolean is_output;

  /* What the plan says; changed with the roles of both sections. */
  gboolean handles_fences;
  gboolean signals_readiness;
  gboolean synchronizes;
  guint wake_batch;              /* pops that a consumer may make before it wakes a patient producer */
  HoloSection *producer_section; /* nullable; borrowed from what is bound */
  HoloSection *consumer_section; /* nullable */
  HoloWaiter *producer;          /* nullable: where the section that waits for room sleeps */
  HoloWaiter *consumer;          /* nullable: where the one that waits for frames does */

  gint input_ended;  /* atomic: the task has been told */
  gint output_ended; /* atomic */
  gint draining;     /* atomic: an update waits until the task is empty: its end ends nobody */
  gint drained;      /* atomic: it is */

  HoloHeldFrame *returned; /* popped and not used: the next pop gets it. The consumer's */
  HoloHeldFrame *pending;  /* made and not pushed: goes first, and the end of the input behind it. The producer's */
} HoloBoundary;

HoloBoundary *_holo_boundary_new (const HoloPlanNode *node, HoloEnd *end);
HoloBoundary *_holo_boundary_ref (HoloBoundary *boundary);
void _holo_boundary_unref (HoloBoundary *boundary);
/* The task may wake both sides from any thread. */
void _holo_boundary_set_wakes (HoloBoundary *boundary, gboolean enabled);

/* Tell the task, once. */
void _holo_boundary_end_input (HoloBoundary *boundary);
void _holo_boundary_end_output (HoloBoundary *boundary);
/* As at the start of a run; the task has been reset. */
void _holo_boundary_restart (HoloBoundary *boundary);
/* Drops what is kept for the next pop and push; how many frames that were. */
guint _holo_boundary_drop_kept (HoloBoundary *boundary);
/* Whether its consumer (or the application) can be given a frame, an end, or nothing ever: a pop will not wait. */
gboolean _holo_boundary_is_ready (HoloBoundary *boundary);
