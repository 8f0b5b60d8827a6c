/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What C calls in the .cu files. Neither GLib nor GObject in here. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

#define HOLO_CUDA_MAX_RANK 8

  /* The values of HoloDType. */
  enum
  {
    HOLO_CUDA_U8,
    HOLO_CUDA_I8,
    HOLO_CUDA_U16,
    HOLO_CUDA_I16,
    HOLO_CUDA_U32,
    HOLO_CUDA_I32,
    HOLO_CUDA_U64,
    HOLO_CUDA_I64,
    HOLO_CUDA_F16,
    HOLO_CUDA_F32,
    HOLO_CUDA_F64,
    HOLO_CUDA_CF32,
    HOLO_CUDA_CF64,
  };

  /* How the elements of an output and up to two inputs lie: dimensions that lie like one are one. Strides in
   * bytes. */
  typedef struct
  {
    uint64_t count;
    int32_t rank;
    int32_t is_dense; /* all three: element i lies at i times its size */
    int64_t shape[HOLO_CUDA_MAX_RANK];
    int64_t strides[3][HOLO_CUDA_MAX_RANK];
  } HoloCudaLoop;

  /* Enqueue; nothing for no elements. cudaErrorInvalidValue: element types that the kind does not have. */
  cudaError_t holo_cuda_copy_elements (const HoloCudaLoop *loop, int size, void *out, const void *in,
                                       cudaStream_t stream);
  cudaError_t holo_cuda_sqrt (const HoloCudaLoop *loop, int out_dtype, int in_dtype, int option, void *out,
                              const void *in, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
