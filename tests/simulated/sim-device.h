/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A device that is not there: streams are threads with random delays, device memory cannot be read or
 * written by host code,
 * and every kind with a host implementation runs on it. Accesses are told to the happens-before checker when
 * they are
 * enqueued, in stream order. */
#pragma once

#include <holoflow/holoflow.h>

G_BEGIN_DECLS

#define SIM_TYPE_DEVICE (sim_device_get_type ())
G_DECLARE_FINAL_TYPE (SimDevice, sim_device, SIM, DEVICE, HoloDevice)

/* Each piece of work takes up to @max_delay_us longer than it must, at random by @seed; 0: no delay. */
HoloDevice *sim_device_new (guint seed, guint max_delay_us);
void sim_device_set_delays (SimDevice *device, guint seed, guint max_delay_us);

/* The @n-th allocation from now fails (1 = the next); 0: none. Device and host memory count alike. */
void sim_device_fail_allocation (SimDevice *device, guint n);
guint sim_device_get_n_allocations (SimDevice *device);
/* Bytes of device memory that are allocated now. */
gsize sim_device_get_allocated (SimDevice *device);
/* The @n-th piece of work from now fails: the error stays and is found by a later call. */
void sim_device_fail_work (SimDevice *device, guint n);

/* The address under which device threads (and tests) see device memory. */
gpointer sim_device_map (SimDevice *device, gconstpointer data);

/* Holds the streams back until they are let go: whatever is enqueued stays undone. */
void sim_device_hold (SimDevice *device, gboolean hold);

/* Capture, as CUDA's: work is collected instead of run; waiting for a fence from before the capture fails. */
gboolean sim_stream_begin_capture (HoloStream *stream, GError **error);
GPtrArray *sim_stream_end_capture (HoloStream *stream);
void sim_stream_launch (HoloStream *stream, GPtrArray *captured);

G_END_DECLS
