/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One thing that a section does in an iteration: pop, execute or push one node. Each asynchronous node is a pop of one section and
 * a push of another, each synchronous one a node of its section. */
#pragma once

#include "runtime/holo-boundary.h"
#include "runtime/holo-node-record.h"

/* What parts are wired to, by number of the plan. */
typedef struct
{
  HoloPlan *plan;
  HoloTensorView **views;    /* by tensor */
  HoloBoundary **boundaries; /* by node */
  HoloNodeRecord **records;
  HoloEventReader **readers;
  HoloEventWriter **writers;
} HoloWiring;

typedef struct _HoloPart HoloPart;

struct _HoloPart
{
  HoloPartType type;
  guint node;
  HoloFinish finished;
  gboolean done;       /* gave (or took) its frame in this iteration */
  gboolean refused;    /* said NOT_READY in the last pass */
  guint64 finished_in; /* iteration in which it finished */
  gint64 backoff;      /* µs until the next try of a task that does not signal; 0 = none yet */
  gint64 next_try;

  HoloTask *task;
  HoloOpResult (*execute) (HoloSyncTask *task, HoloSyncContext *context, GError **error);
  HoloSyncContext sync;
  HoloPushContext push;
  HoloPopContext pop;
  HoloBoundary *boundary;
  HoloTensorView **views; /* inputs, then outputs */
  guint n_inputs;
  guint n_outputs;
  gsize bytes;
  guint wake_batch; /* calls that may pass before the other side is woken, see wake_other_side() */
  guint wakes_due;
  gint64 last_wake;   /* ns */
  gboolean host_wait; /* the host waits for the stream first */
  gboolean uses_stream;
  guint8 *output_owned;    /* per output: release_output() follows */
  guint8 *output_held;     /* pops, per output: the frame of this iteration was held, and lies in a block of our own */
  guint8 *output_lent;     /* per output: a block to drop */
  guint8 *output_fresh;    /* nodes, per output: to be poisoned; NULL unless the environment asks for it */
  guint8 *stream_waits;    /* pops, per output: device work of the section reads it */
  guint8 *host_waits;      /* pops, per output: host code of the section reads it */
  guint8 *input_on_stream; /* pushes, per input: device work of the section touches its memory */
  gboolean pushes_on_stream; /* pushes: the task may enqueue work of its own on the stream */
  HoloPart **before;         /* pushes: others that read a slot which this one gives away, so they go first */
  guint n_before;

  gboolean stateful;    /* nodes: results depend on earlier frames */
  gboolean overwritten; /* pops: some node of the section writes over the frame */
  HoloHeldFrame *held;  /* room for its frame, while the section is being folded */

  HoloPart **from; /* per input: who gives it */
  guint n_from;
  HoloPart **to; /* who reads any output */
  guint n_to;

  HoloCounters *counters; /* in the record of its node */
};

/* Zeroed parts get all that concerns themselves. @stream and @cancellable are the section's. */
void _holo_part_init_pop (HoloPart *part, const HoloWiring *wiring, guint node, HoloStream *stream,
                          GCancellable *cancellable);
void _holo_part_init_node (HoloPart *part, const HoloWiring *wiring, guint node, HoloStream *stream,
                           GCancellable *cancellable);
void _holo_part_init_push (HoloPart *part, const HoloWiring *wiring, guint node, HoloStream *stream,
                           GCancellable *cancellable);
void _holo_part_clear (HoloPart *part);
gboolean _holo_part_owns_outputs (const HoloPart *part);

/* What its last call said. NOT_READY of a task that does not signal is looked at again on a timer. */
void _holo_part_note_refusal (HoloPart *part, gint64 retry_at);
void _holo_part_note_success (HoloPart *part);

/* Whether nobody takes what this push would bring. */
static inline gboolean
_holo_part_is_unread (const HoloPart *push)
{
  return __atomic_load_n (&push->boundary->output_ended, __ATOMIC_ACQUIRE) ||
         (push->boundary->is_output && _holo_end_is_closed (push->boundary->end));
}
