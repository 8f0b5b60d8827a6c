/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long one frame takes from the thread that gives it to the thread that takes it, a frame each millisecond, so that
 * both threads sleep in between. */
#pragma once

#include <glib.h>

/* Appends the latencies, in ns, of @n_buffers that a thread pushes through @description ("queue", several with '!') into
 * a pad whose chain function reads the clock; adds the CPU time of the process and the time that went by. FALSE when
 * there is no such element. */
gboolean bench_handoff_gst (const gchar *description, guint n_buffers, GArray *latencies, gint64 *cpu, gint64 *wall);
