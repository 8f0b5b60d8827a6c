/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A happens-before checker for tensor memory. Host threads and streams carry vector clocks; what
 * synchronises them merges
 * the clocks; every task call and every copy declares the bytes it reads and writes. Two accesses to one
 * byte, one of them a
 * write, that no synchronisation orders are an error at once, however far apart they happened to run. */
#pragma once

#include <holoflow/holoflow.h>

#include "device/holo-runtime-hooks.h"

G_BEGIN_DECLS

/* Not under ThreadSanitizer: the lock of the checker would order what must be found unordered. */
#if defined(__SANITIZE_THREAD__)
#define HB_CHECKER_AVAILABLE 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HB_CHECKER_AVAILABLE 0
#endif
#endif
#ifndef HB_CHECKER_AVAILABLE
#define HB_CHECKER_AVAILABLE 1
#endif

/* Installs the runtime hooks and forgets everything. Errors end the program, unless they are collected. */
void hb_checker_start (void);
void hb_checker_stop (void);
gboolean hb_checker_is_active (void);
/* Forgets every access and clock: between runs, when nothing is in progress. */
void hb_checker_reset (void);
/* What kinds mean by their slots, by the tasks of @plan. Without it the inputs and outputs of asynchronous
 * tasks count as
 * borrowed. Each plan that runs is given once; the table is forgotten at a reset. */
void hb_checker_add_plan (HoloPlan *plan);
/* The same for one task: masks of the slots that are neither owned nor adopted nor lent, and of the outputs
 * that only show an input's memory; and whether it gives out other pieces of its memory than it took: what it
 * orders is then known by the task, not by addresses. */
void hb_checker_set_slots (HoloTask *task, guint64 borrowed_in, guint64 borrowed_out, guint64 views_out,
                           gboolean regroups);
/* TRUE: errors are counted and the first text is kept instead of ending the program. */
void hb_checker_set_collect (gboolean collect);
/* What an error text says about the circumstances; borrowed. */
void hb_checker_set_context (const gchar *context);
guint hb_checker_get_n_errors (void);
const gchar *hb_checker_get_first_error (void);
guint64 hb_checker_get_n_accesses (void);

/* A pause at the places of the runtime: at @per_mille of them a sleep of up to @max_us (0: a yield), at
 * @places only (a mask
 * of 1 << HoloRuntimePause). Works without the rest of the checker too, and under ThreadSanitizer. */
void hb_checker_set_pauses (guint places, guint per_mille, guint max_us, guint seed);

/* Host threads. */
void hb_publish (gconstpointer object);
void hb_observe (gconstpointer object);
void hb_host_access (gconstpointer data, const HoloTensorDesc *desc, gboolean write, const gchar *label);
void hb_host_range (gconstpointer data, gsize size, gboolean write, const gchar *label);
/* @data is given back: nothing may touch it any more, and what touched it is forgotten. */
void hb_host_free (gconstpointer data, gsize size, const gchar *label);
void hb_host_wait (HoloStream *stream, guint64 number);

/* Streams: each piece of work is announced by hb_stream_enqueue() with the number it will have, then its
 * accesses. */
void hb_stream_enqueue (HoloStream *stream, guint64 number);
void hb_stream_access (HoloStream *stream, gconstpointer data, const HoloTensorDesc *desc, gboolean write,
                       const gchar *label);
void hb_stream_range (HoloStream *stream, gconstpointer data, gsize size, gboolean write, const gchar *label);
void hb_stream_wait (HoloStream *stream, const HoloFence *fence);

G_END_DECLS
