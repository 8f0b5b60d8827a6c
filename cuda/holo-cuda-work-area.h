/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-cuda-device.h"

G_BEGIN_DECLS

/**
 * HoloCudaWorkArea:
 * @stream: whose work uses it
 * @size: its bytes
 * @data: device memory
 *
 * Memory that tasks of one stream use one after the other: what one leaves there nobody reads.
 */
typedef struct
{
  guint n_users; /* under the lock */
  HoloCudaDevice *device;
  cudaStream_t stream;
  gsize size;
  gpointer data;
} HoloCudaWorkArea;

HoloCudaWorkArea *holo_cuda_work_area_get (HoloCudaDevice *device, cudaStream_t stream, gsize size, GError **error);
void holo_cuda_work_area_unref (HoloCudaWorkArea *area);

G_END_DECLS
