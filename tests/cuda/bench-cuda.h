/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of bench-cuda: each prints its lines of the table, with what it is compared with in the same run. */
#pragma once

#include <holoflow/holoflow.h>

G_BEGIN_DECLS

#define BENCH_SIDE 512

/* Runs until the sources end; seconds that it took, and seconds of CPU. */
gdouble bench_run (HoloScheduler *scheduler, gdouble *cpu);
gdouble bench_get_cpu_seconds (void);
/* How often the sections of the last run waited. */
void bench_print_waits (const gchar *part, HoloScheduler *scheduler);

void bench_upload (HoloDevice *device);
void bench_chain (HoloDevice *device);
void bench_boundary (HoloDevice *device);
void bench_idle (HoloDevice *device);
void bench_band_pass (HoloDevice *device);

#define BENCH_SOURCE(target, count)                                                                                    \
  "Unfilled {\"shape\": [512, 512], \"target\": \"" target "\", \"count\": " G_STRINGIFY (count) "}\n"
#define BENCH_SINK  "Unread {}"
#define BENCH_QUEUE "Queue {\"capacity\": 8}\n"
#define BENCH_UP    "Memcpy {\"target\": \"Device\"}\n"
#define BENCH_DOWN  "Memcpy {\"target\": \"Host\"}\n"

G_END_DECLS
