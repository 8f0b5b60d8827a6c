/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds made for tests: 32-bit float vectors, small, with every way of getting and giving memory. All but
 * sources and
 * collectors also take device tensors.
 *
 *   VectorSource    values            the same vector for ever
 *   SequenceSource  base, end         element i of frame n is base[i] + n; EOF after `end` frames (-1: never)
 *   TestAdd                           a + b; may work in place of a
 *   Scale           factor            may work in place; an update that changes the factor alone keeps the
 * task
 *   Bump            amount            adds in place; must be in place
 *   View            skip              all but the first `skip` elements, without a copy
 *   Sum                               running sum of the frames (has state)
 *   EndAt           frames            passes that many frames, then EOF
 *   Transfer        target            copies to Host or Device
 *   Collect                           keeps the frame, returns EOF
 *   HistoryCollect  count             keeps frames; EOF with the count-th (0: never)
 *   Null                              takes frames and keeps nothing
 *   Bridge          seed, max-yields, forced-push, forced-pop, forced-every, synchronizes
 *                                     one-slot mailbox without signals; refuses and yields on purpose
 *   TestQueue       capacity, mode, fences, signals, limit
 *                                     "copy" or "owned"; EOF by itself after `limit` frames
 *   TestBatch       size, capacity    stacks frames
 *   Pair                              takes a into a slot, and gives b on by reference
 *   Mailbox         size              asynchronous source that the test fills
 *   Relay                             synchronous; owns its input and its output; doubles
 *   Result          result            0 inputs, 0 outputs; "cancelled", "eof", "not-ready", "error"
 *   OwnedSource     frames            owns its output; {4,8} plus the frame's number, then EOF
 *   FailAt          frame, result     passes frames, then "error", "not-ready", "cancelled" or "eof" at that
 * frame
 *   Gate                              passes frames; blocks while closed, watching its cancellable
 *   Random          max-us, seed      passes frames after a random time
 */
#pragma once

#include <holoflow/holoflow.h>

G_BEGIN_DECLS

HoloRegistry *test_kinds_get_registry (void);

/* The @n-th creation (or update) of a test kind from now fails; 0: none. */
void test_kinds_fail_create (guint n);
void test_kinds_fail_update (guint n);
/* Counts since the start of the program. */
guint test_kinds_get_n_created (void);
guint test_kinds_get_n_updated (void);

/* Collect and HistoryCollect. Frames stay until the next run. */
guint test_collect_get_n_frames (HoloTask *task);
const gfloat *test_collect_get_frame (HoloTask *task, guint frame, guint *length);
gconstpointer test_collect_get_last_address (HoloTask *task);

/* Calls that reached any test task since it was made (not reset with the run). */
guint test_task_get_n_calls (HoloTask *task);
guint test_task_get_n_pushes (HoloTask *task);
guint test_task_get_n_pops (HoloTask *task);
guint test_task_get_n_push_refusals (HoloTask *task);
guint test_task_get_n_pop_refusals (HoloTask *task);
gboolean test_task_had_stream (HoloTask *task);

/* Bridge: which push of all bridges its first one was, from 1; 0 before. */
guint test_bridge_get_first_push (HoloTask *task);

/* Relay and OwnedSource. */
typedef struct
{
  guint n_acquires;
  guint n_releases;
  guint n_aborts;
  gboolean saw_own_input;
  gboolean storage_checked; /* storage 1 was refused with HOLO_ERROR_SLOT on both sides */
  gconstpointer output;
} TestRelayReport;
void test_relay_get_report (HoloTask *task, TestRelayReport *report);

/* Gates of the process. */
void test_gate_set_open (gboolean open);
guint test_gate_get_n_waiting (void);

/* FALSE when there is no room. */
gboolean test_mailbox_put (HoloTask *task, gfloat value);
void test_mailbox_end (HoloTask *task);

/* Something to do inside a task's call: run in the calls of kind Random (with the task as argument), once
 * per call. */
typedef void (*TestInsideFunc) (HoloTask *task, gpointer user_data);
void test_kinds_set_inside (TestInsideFunc func, gpointer user_data);

G_END_DECLS
