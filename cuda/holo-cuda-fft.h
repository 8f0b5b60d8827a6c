/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cuFFT, which is loaded when the first transform is planned: nothing links it. */
#pragma once

#include "holo-cuda-device.h"

G_BEGIN_DECLS

typedef struct _HoloCudaFft HoloCudaFft;

HoloCudaFft *holo_cuda_fft_new (HoloCudaDevice *device, cudaStream_t stream, HoloDType dtype, gint64 height,
                                gint64 width, gint64 batch, GError **error);
gboolean holo_cuda_fft_execute (HoloCudaFft *fft, gpointer in, gpointer out, gboolean inverse, GError **error);
gconstpointer holo_cuda_fft_get_work_area (HoloCudaFft *fft);
void holo_cuda_fft_free (HoloCudaFft *fft);

G_END_DECLS
