/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-cuda-task.h"

G_BEGIN_DECLS

/**
 * HoloCudaMap:
 *
 * Launches an element-wise kind of one input; @in_dtype and @out_dtype are those of the tensors, @option what
 * the kind makes of its settings.
 */
typedef cudaError_t (*HoloCudaMap) (const HoloCudaLoop *loop, int out_dtype, int in_dtype, int option, void *out,
                                    const void *in, HoloCudaKernel *kernel, cudaStream_t stream);
typedef cudaError_t (*HoloCudaMap2) (const HoloCudaLoop *loop, int out_dtype, int a_dtype, int b_dtype, void *out,
                                     const void *a, const void *b, HoloCudaKernel *kernel, cudaStream_t stream);

void holo_cuda_task_set_map (HoloCudaTask *task, const HoloInference *inference, HoloCudaMap map, int option);
void holo_cuda_task_set_map2 (HoloCudaTask *task, const HoloInference *inference, HoloCudaMap2 map);

G_END_DECLS
