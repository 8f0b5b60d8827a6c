/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Element-wise kernels: a formula is a function object, everything else is here. */
#pragma once

#include "holo-cuda-kernels.h"

#define HOLO_CUDA_BLOCK      256
#define HOLO_CUDA_MAX_BLOCKS 65535 /* more elements are taken in turns */

/* Elements at odd addresses are loaded and stored byte by byte. */
template <typename T>
__device__ inline T
holo_load (const char *at, bool aligned)
{
  T value;

  if (aligned)
    return *reinterpret_cast<const T *> (at);
  for (unsigned i = 0; i < sizeof (T); i++)
    reinterpret_cast<char *> (&value)[i] = at[i];
  return value;
}

template <typename T>
__device__ inline void
holo_store (char *at, bool aligned, T value)
{
  if (aligned)
    *reinterpret_cast<T *> (at) = value;
  else
    for (unsigned i = 0; i < sizeof (T); i++)
      at[i] = reinterpret_cast<const char *> (&value)[i];
}

/* Byte offsets of element @index in the operands. */
template <int N>
__device__ inline void
holo_locate (const HoloCudaLoop &loop, uint64_t index, int64_t *offsets)
{
  for (int k = 0; k < N; k++)
    offsets[k] = 0;
  for (int dim = loop.rank - 1; dim >= 0; dim--)
    {
      uint64_t extent = loop.shape[dim], quotient;

      /* 64-bit divisions take many times as long */
      if ((index | extent) >> 32)
        quotient = index / extent;
      else
        quotient = (uint32_t) index / (uint32_t) extent;
      for (int k = 0; k < N; k++)
        offsets[k] += (int64_t) (index - quotient * extent) * loop.strides[k][dim];
      index = quotient;
    }
}

inline bool
holo_is_aligned (const HoloCudaLoop *loop, int operand, const void *data, size_t alignment)
{
  size_t bits = (size_t) data;

  for (int dim = 0; dim < loop->rank; dim++)
    bits |= (size_t) loop->strides[operand][dim];
  return bits % alignment == 0;
}

inline unsigned
holo_count_blocks (uint64_t count)
{
  uint64_t n = (count + HOLO_CUDA_BLOCK - 1) / HOLO_CUDA_BLOCK;

  return n < HOLO_CUDA_MAX_BLOCKS ? (unsigned) n : HOLO_CUDA_MAX_BLOCKS;
}

#define HOLO_CUDA_FIRST ((uint64_t) blockIdx.x * blockDim.x + threadIdx.x)
#define HOLO_CUDA_STEP  ((uint64_t) gridDim.x * blockDim.x)

inline cudaError_t
holo_launch (HoloCudaKernel *kernel, const void *symbol, uint64_t count, void **args, cudaStream_t stream)
{
  return holo_cuda_launch (kernel, symbol, holo_count_blocks (count), HOLO_CUDA_BLOCK, args, stream);
}

/* ---- one input ---- */

/* Arguments are copied at each launch: a loop only where it is needed. */
template <typename Out, typename In, typename Formula>
__global__ void
holo_map_dense (uint64_t count, Out *out, const In *in, Formula formula)
{
  for (uint64_t i = HOLO_CUDA_FIRST; i < count; i += HOLO_CUDA_STEP)
    out[i] = formula (in[i]);
}

template <typename Out, typename In, typename Formula>
__global__ void
holo_map_strided (HoloCudaLoop loop, char *out, const char *in, bool aligned, Formula formula)
{
  int64_t offsets[2];

  for (uint64_t i = HOLO_CUDA_FIRST; i < loop.count; i += HOLO_CUDA_STEP)
    {
      holo_locate<2> (loop, i, offsets);
      holo_store<Out> (out + offsets[0], aligned, formula (holo_load<In> (in + offsets[1], aligned)));
    }
}

template <typename Out, typename In, typename Formula>
cudaError_t
holo_map (const HoloCudaLoop *loop, void *out, const void *in, Formula formula, HoloCudaKernel *kernel,
          cudaStream_t stream)
{
  bool aligned = holo_is_aligned (loop, 0, out, alignof (Out)) && holo_is_aligned (loop, 1, in, alignof (In));
  void *dense[] = { (void *) &loop->count, &out, &in, &formula };
  void *strided[] = { (void *) loop, &out, &in, &aligned, &formula };

  if (loop->count == 0)
    return cudaSuccess;
  return loop->is_dense && aligned ? holo_launch (kernel, (const void *) holo_map_dense<Out, In, Formula>,
                                                  loop->count, dense, stream)
                                   : holo_launch (kernel, (const void *) holo_map_strided<Out, In, Formula>,
                                                  loop->count, strided, stream);
}

/* ---- two inputs ---- */

template <typename Out, typename A, typename B, typename Formula>
__global__ void
holo_map2_dense (uint64_t count, Out *out, const A *a, const B *b, Formula formula)
{
  for (uint64_t i = HOLO_CUDA_FIRST; i < count; i += HOLO_CUDA_STEP)
    out[i] = formula (a[i], b[i]);
}

template <typename Out, typename A, typename B, typename Formula>
__global__ void
holo_map2_strided (HoloCudaLoop loop, char *out, const char *a, const char *b, bool aligned, Formula formula)
{
  int64_t offsets[3];

  for (uint64_t i = HOLO_CUDA_FIRST; i < loop.count; i += HOLO_CUDA_STEP)
    {
      holo_locate<3> (loop, i, offsets);
      holo_store<Out> (
          out + offsets[0], aligned,
          formula (holo_load<A> (a + offsets[1], aligned), holo_load<B> (b + offsets[2], aligned)));
    }
}

template <typename Out, typename A, typename B, typename Formula>
cudaError_t
holo_map2 (const HoloCudaLoop *loop, void *out, const void *a, const void *b, Formula formula,
           HoloCudaKernel *kernel, cudaStream_t stream)
{
  bool aligned = holo_is_aligned (loop, 0, out, alignof (Out)) && holo_is_aligned (loop, 1, a, alignof (A)) &&
                 holo_is_aligned (loop, 2, b, alignof (B));
  void *dense[] = { (void *) &loop->count, &out, &a, &b, &formula };
  void *strided[] = { (void *) loop, &out, &a, &b, &aligned, &formula };

  if (loop->count == 0)
    return cudaSuccess;
  return loop->is_dense && aligned
             ? holo_launch (kernel, (const void *) holo_map2_dense<Out, A, B, Formula>, loop->count, dense,
                            stream)
             : holo_launch (kernel, (const void *) holo_map2_strided<Out, A, B, Formula>, loop->count,
                            strided, stream);
}
