/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <holoflow/holoflow.h>

#include "holo-cuda-kernels.h"

G_BEGIN_DECLS

void holo_cuda_loop_init (HoloCudaLoop *loop, const HoloTensorDesc *out, const HoloTensorDesc *a,
                          const HoloTensorDesc *b);

G_END_DECLS
