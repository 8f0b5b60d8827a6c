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

  /* Parts of a tensor that have a range of their own each, and memory on the device to find it. */
  typedef struct
  {
    uint64_t n_outer;  /* parts */
    uint64_t n_inner;  /* elements of one */
    unsigned n_chunks; /* blocks of threads for one */
    double *ranges;    /* smallest and largest, for each part */
    double *partial;   /* the same for each chunk of each part */
  } HoloCudaParts;

  /* What a task knows of the kernel that it launched last: not looked up again as long as it is that one.
   * Zeros at first. */
  typedef struct
  {
    const void *symbol;
    cudaFunction_t function;
  } HoloCudaKernel;

  /* As cudaLaunchKernel(), but looks @symbol up only where it has changed; @kernel may be NULL. The context is
   * entered. */
  cudaError_t holo_cuda_launch (HoloCudaKernel *kernel, const void *symbol, unsigned n_blocks, unsigned n_threads,
                                void **args, cudaStream_t stream);

  /* Everything here enqueues, and nothing for no elements. cudaErrorInvalidValue: the kind does not have
   * these element types. Element types are those of the tensors. */
  cudaError_t holo_cuda_copy_elements (const HoloCudaLoop *loop, int size, void *out, const void *in,
                                       HoloCudaKernel *kernel, cudaStream_t stream);
  cudaError_t holo_cuda_weigh (uint64_t count, int dtype, void *data, double factor, cudaStream_t stream);
  cudaError_t holo_cuda_find_range (const HoloCudaLoop *loop, int dtype, const void *in, const HoloCudaParts *parts,
                                    cudaStream_t stream);
  cudaError_t holo_cuda_scale (const HoloCudaLoop *loop, int out_dtype, void *out, int in_dtype, const void *in,
                               const HoloCudaParts *parts, int normalizes, double minimum, double maximum,
                               cudaStream_t stream);

/* Element-wise kinds of one input; @option is what the kind makes of its settings. */
#define HOLO_CUDA_DECLARE_MAP(name)                                                                                    \
  cudaError_t holo_cuda_##name (const HoloCudaLoop *loop, int out_dtype, int in_dtype, int option, void *out,          \
                                const void *in, HoloCudaKernel *kernel, cudaStream_t stream);
  HOLO_CUDA_DECLARE_MAP (abs)
  HOLO_CUDA_DECLARE_MAP (conversion)
  HOLO_CUDA_DECLARE_MAP (sqrt)

/* Of two. */
#define HOLO_CUDA_DECLARE_MAP2(name)                                                                                   \
  cudaError_t holo_cuda_##name (const HoloCudaLoop *loop, int out_dtype, int a_dtype, int b_dtype, void *out,          \
                                const void *a, const void *b, HoloCudaKernel *kernel, cudaStream_t stream);
  HOLO_CUDA_DECLARE_MAP2 (add)
  HOLO_CUDA_DECLARE_MAP2 (multiply)

#ifdef __cplusplus
}
#endif
