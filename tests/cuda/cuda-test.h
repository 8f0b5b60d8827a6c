/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tests on a GPU share. */
#pragma once

#include "holo-cuda-device.h"
#include "holo-cuda-stream.h"
#include "tasks/task-runner.h"

G_BEGIN_DECLS

/* The first CUDA device. Without one the program says so as a TAP test result, and ends. */
HoloDevice *cuda_test_open (void);
/* How many there are. */
gint cuda_test_count (void);

/* Runs a kind of one output on the device, on inputs that lie there as @inputs lie on the host, and brings
 * the output back dense. Checks that nothing but the output was written. */
TaskArray *cuda_test_run (HoloDevice *device, const gchar *kind, const gchar *settings_json, TaskArray *const *inputs,
                          guint n_inputs, TaskRunMode mode, GError **error);

/* test-kernels.cu: keeps the stream busy; writes where nothing is. With the context entered. */
void cuda_test_delay (cudaStream_t stream, unsigned ms);
void cuda_test_fault (cudaStream_t stream);
/* The same on a stream of ours, on whatever device. */
void cuda_test_enqueue_delay (HoloStream *stream, guint ms);
void cuda_test_enqueue_fault (HoloStream *stream);
/* The least that a program of its own would write for Sqrt of dense floats. */
void cuda_test_sqrt (cudaStream_t stream, gfloat *out, const gfloat *in, guint n);

G_END_DECLS
