/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interpreter of a graph that changes while it runs. Without kinds that leak a graph is a Kahn network:
 * what passes each edge follows from what came in, and only where an operation cuts into it is free. So the cut
 * is taken from the log, each section is brought exactly there, the operation applied, and so on; a cut that
 * cannot be reached, or an execution whose input differs, is a failure. Queues have no end here: what was given
 * back to one, or waits before it, is simply in it. */
#pragma once

#include "model-trace.h"

G_BEGIN_DECLS

typedef struct _Replay Replay;

/* @trace: borrowed. */
Replay *replay_new (const Model *model, const Trace *trace);
void replay_free (Replay *self);
/* What went wrong first; NULL: nothing. */
const gchar *replay_get_failure (Replay *self);

/* What the application did; by id. */
void replay_feed (Replay *self, guint id, GArray *frame);
void replay_end_input (Replay *self, guint id);
GArray *replay_take (Replay *self, guint id); /* nullable, full */
void replay_close (Replay *self, guint id);
void replay_set_unread (Replay *self, guint id, gboolean unread);

/* Goes on until every node has been called as often as @calls (by node) says; FALSE with a failure. */
gboolean replay_advance (Replay *self, const guint64 *calls);
/* Whether a frame of a node was taken out and not used. */
gboolean replay_is_in_hand (Replay *self, guint index);
/* Before an update is asked for. */
void replay_prepare_change (Replay *self);
/* An update: @kept says of each node of @next whether it has its old task. Returns what goes with the others, as their kinds
 * count it; @n_by_rule: what was discarded since replay_prepare_change() without being lost: between windows, or at an end that
 * came of itself. */
guint64 replay_change (Replay *self, const Model *next, const gboolean *kept, guint64 *n_by_rule);
/* A flush: nodes that are @reached (by node) begin anew. An iteration that had called its nodes and pushed nothing gives back what
 * came from elsewhere, or drops it: @dropped (by node) says whether a node counted that. */
void replay_flush (Replay *self, const gboolean *reached, const gboolean *dropped);
/* Another run. */
void replay_restart (Replay *self);
/* All sections have been driven until they waited: they have learned of every end by now. */
void replay_rest (Replay *self);
/* A section that has all it needs for an iteration, and room behind it; NULL: none. */
gchar *replay_find_standstill (Replay *self);
/* Whether there is room in an Input that somebody takes from; whether an Output holds a frame. */
gboolean replay_wants (Replay *self, guint id);
gboolean replay_has_come (Replay *self, guint id);
/* The id of a node that has not finished; -1: all have. */
gint replay_find_unfinished (Replay *self);
/* Frames dropped by rule so far: of joins, of Outputs that are closed or not read. */
guint64 replay_get_discarded (Replay *self);

G_END_DECLS
