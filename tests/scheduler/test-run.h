/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Graphs from a few lines of text, compiled and run with a watchdog. */
#pragma once

#include <holoflow/holoflow.h>

#include "test-kinds.h"

G_BEGIN_DECLS

/* One statement per line: `name Kind {settings}` or `from[.out] > to[.in]`; several `>` make a chain. */
HoloGraph *test_graph (const gchar *text);
/* @device (nullable): the host. These fail the test on an error. */
HoloPlan *test_compile (const gchar *text, HoloDevice *device);
HoloPlan *test_compile_graph (HoloGraph *graph, HoloDevice *device, HoloPlan *previous);
HoloTask *test_task (HoloPlan *plan, const gchar *name);
guint test_node (HoloPlan *plan, const gchar *name);
gint test_section (HoloPlan *plan, const gchar *name, gboolean output);
/* These fail on an error: starting, all until the end, and ending before it. */
void test_start (HoloScheduler *scheduler);
void test_run (HoloScheduler *scheduler);
void test_finish (HoloScheduler *scheduler);
void test_run_plan (HoloPlan *plan);
/* The end of that name, which must be there. */
HoloEnd *test_input (HoloScheduler *scheduler, const gchar *name);
HoloEnd *test_output (HoloScheduler *scheduler, const gchar *name);
/* One frame through an Input or Output, which must go well. */
void test_push_into (HoloScheduler *scheduler, const gchar *input, HoloFrame *frame);
void test_pull_from (HoloScheduler *scheduler, const gchar *output, HoloFrame *frame);
void test_push_end_into (HoloScheduler *scheduler, const gchar *input);
/* Numbers of a node that must be there. */
void test_node_statistics (HoloScheduler *scheduler, const gchar *name, HoloNodeStatistics *statistics);
/* Drives all sections from this thread until they have finished or none can go on; FALSE in the latter case. */
gboolean test_drive (HoloScheduler *scheduler, GError **error);
void test_assert_frame (HoloPlan *plan, const gchar *name, guint frame, guint n, ...);
/* The program is aborted when the test has not called this again (or with 0) after @seconds. */
void test_watchdog (guint seconds);
/* What it says then. */
void test_watchdog_label (const gchar *label);
/* Waits until @condition holds, for at most @seconds. */
#define TEST_WAIT_UNTIL(condition, seconds)                                                                            \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    gint64 end_ = g_get_monotonic_time () + (gint64) ((seconds) *G_USEC_PER_SEC);                                      \
    while (!(condition))                                                                                               \
      {                                                                                                                \
        g_assert_cmpint (g_get_monotonic_time (), <, end_);                                                            \
        g_usleep (200);                                                                                                \
      }                                                                                                                \
  }                                                                                                                    \
  G_STMT_END

G_END_DECLS
