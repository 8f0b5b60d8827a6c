/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kinds that need more than a launcher, each in tasks/. */
#pragma once

#include "holo-cuda-map.h"

G_BEGIN_DECLS

#define HOLO_CUDA_DECLARE_KIND(name)                                                                                   \
  gboolean holo_cuda_set_up_##name (HoloCudaTask *task, HoloTaskFactory *factory, const HoloInference *inference,      \
                                    const HoloSyncCreateContext *context, GError **error);

HOLO_CUDA_DECLARE_KIND (conversion)
HOLO_CUDA_DECLARE_KIND (fft2)
HOLO_CUDA_DECLARE_KIND (fft_shift)
HOLO_CUDA_DECLARE_KIND (fourier_mask)
HOLO_CUDA_DECLARE_KIND (normalize)

G_END_DECLS
