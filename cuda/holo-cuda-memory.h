/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-cuda-error.h"

G_BEGIN_DECLS

typedef struct _HoloCudaMemory HoloCudaMemory;

/* All with the context entered, but for the host memory, which needs none. */
/* @use_pool FALSE: every piece comes from the driver, in the context that is current. */
HoloCudaMemory *holo_cuda_memory_new (HoloCudaDevice *device, gint ordinal, gboolean use_pool, GError **error);
gpointer holo_cuda_memory_alloc (HoloCudaMemory *memory, gsize size, GError **error);
void holo_cuda_memory_free (HoloCudaMemory *memory, gpointer data);
void holo_cuda_memory_destroy (HoloCudaMemory *memory);

G_END_DECLS
