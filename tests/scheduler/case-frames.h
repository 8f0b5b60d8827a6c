/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the cases share: frames of two equal numbers, counted while they live; a thread that reads an Output; what an update
 * reports. */
#pragma once

#include <holoflow/holoflow.h>

G_BEGIN_DECLS

/* An Input that takes them, as test_graph() reads it. */
#define CASE_INPUT(name) name " Input {\"dtype\": \"F32\", \"shape\": [2]}\n"

/* Seconds after which something that should be over is not: far more than it may take on a busy machine. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CASE_SOON 20
#else
#define CASE_SOON 5
#endif

/* A scheduler of that graph, at work, with a watchdog; then the ends of a run, by a stop and by itself, without it. */
HoloScheduler *case_start (const gchar *text, HoloDriving driving);
void case_finish (HoloScheduler *scheduler);
void case_wait_for_end (HoloScheduler *scheduler);
HoloNodeStatistics case_statistics (HoloScheduler *scheduler, const gchar *node);
void case_wait_until_popped (HoloScheduler *scheduler, const gchar *node, guint64 n);

void case_frame_init (HoloFrame *frame, gfloat value);
gfloat case_frame_get_value (const HoloFrame *frame);
/* Blocks made by case_frame_init() and case_alloc() that have not been released. */
guint case_get_n_blocks (void);
/* An allocator of an Output; @user_data is not used. */
HoloBlock *case_alloc (gsize size, GCancellable *cancellable, gpointer user_data, GError **error);

HoloOpResult case_try_push (HoloEnd *input, gfloat value, GError **error);
/* These must go well. */
void case_push (HoloScheduler *scheduler, const gchar *input, gfloat value);
gfloat case_pull (HoloScheduler *scheduler, const gchar *output);
/* Without a frame: @result says why. */
void case_assert_pull_gives (HoloScheduler *scheduler, const gchar *output, HoloOpResult result);
void case_assert_no_frame (HoloScheduler *scheduler, const gchar *output);

/* ---- what an update reports ---- */

typedef struct
{
  gint n; /* how often */
  guint64 n_discarded;
  gchar *message;
  gint64 time; /* monotonic */
} CaseReport;

void case_report_func (HoloScheduler *scheduler, guint64 n_discarded, const GError *error, gpointer user_data);
/* Waits for the report, which must come once and without an error. Returns the frames lost. */
guint64 case_report_wait (CaseReport *report);
/* A change of the running graph to the one in @text; returns at once. */
void case_update (HoloScheduler *scheduler, const gchar *text, CaseReport *report);
/* The same, and waits. */
guint64 case_update_and_wait (HoloScheduler *scheduler, const gchar *text);

/* ---- a thread that takes all frames of an Output ---- */

typedef struct
{
  HoloScheduler *scheduler;
  HoloEnd *output;
  GThread *thread;
  GMutex lock;
  GArray *values; /* gfloat; first element of each frame */
  GArray *sizes;  /* gint64: extent 0 */
  HoloOpResult result;
} CaseReader;

CaseReader *case_reader_new (HoloScheduler *scheduler, const gchar *output);
guint case_reader_get_n (CaseReader *reader);
gfloat case_reader_get (CaseReader *reader, guint frame);
void case_reader_wait_for (CaseReader *reader, guint n);
/* Waits for the end of the stream; returns the number of frames. */
guint case_reader_join (CaseReader *reader);
void case_reader_free (CaseReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CaseReader, case_reader_free)

G_END_DECLS
