/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cuda_runtime_api.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct _HoloCudaDevice HoloCudaDevice;

gboolean holo_cuda_check (HoloCudaDevice *device, cudaError_t status, const gchar *call, const gchar *file, gint line,
                          GError **error);
gboolean holo_cuda_is_sticky (cudaError_t status);

/**
 * HOLO_CUDA_CHECK:
 * @device: (nullable): whose call it is
 * @call: an expression that gives a cudaError_t
 * @error: return location
 *
 * Every call of CUDA goes through here: a failure becomes a #GError that says what failed, where and why.
 * After an error that CUDA does not forget the device is unusable until the process ends, and says so from
 * then on.
 *
 * Returns: whether @call succeeded
 */
#define HOLO_CUDA_CHECK(device, call, error) holo_cuda_check (device, call, #call, __FILE__, __LINE__, error)

G_END_DECLS
