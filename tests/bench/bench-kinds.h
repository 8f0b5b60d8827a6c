/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks that do nothing, for measuring what is around them. */
#pragma once

#include <holoflow/holoflow.h>

/* A registry with the built-in kinds and
 *   BenchSource {count, n, period-ns}  1-D F32 of n elements; ends after count frames (0 = never)
 *   BenchNoop                          separate output, does nothing
 *   BenchSink {count}                  ends after count frames (0 = never) */
HoloRegistry *bench_registry_new (void);
/* Time stamps of frames: the source writes the monotonic time in ns into the first 8 bytes, the sink collects the
 * differences when this is set. */
extern GArray *bench_latencies;
gint64 bench_now_ns (void);
/* Process CPU time in ns. */
gint64 bench_cpu_ns (void);
