/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Smallest and largest finite element of each part of a tensor, and what kinds make of them. */
#include "holo-cuda-number.cuh"

#define LANES 256

__device__ inline void
widen (double x, double *lo, double *hi)
{
  if (isfinite (x))
    {
      *lo = x < *lo ? x : *lo;
      *hi = x > *hi ? x : *hi;
    }
}

/* Of the threads of a block; thread 0 writes. */
__device__ inline void
combine (double lo, double hi, double *range)
{
  __shared__ double lows[LANES], highs[LANES];

  lows[threadIdx.x] = lo;
  highs[threadIdx.x] = hi;
  for (unsigned n = LANES / 2; n > 0; n /= 2)
    {
      __syncthreads ();
      if (threadIdx.x < n)
        {
          lows[threadIdx.x] = fmin (lows[threadIdx.x], lows[threadIdx.x + n]);
          highs[threadIdx.x] = fmax (highs[threadIdx.x], highs[threadIdx.x + n]);
        }
    }
  if (threadIdx.x == 0)
    {
      range[0] = lows[0];
      range[1] = highs[0];
    }
}

/* Block b looks at chunk b % n_chunks of part b / n_chunks. */
__global__ void
find_chunks (HoloCudaLoop loop, const char *in, int dtype, int size, bool aligned, uint64_t n_inner,
             unsigned n_chunks, double *partial)
{
  const int sizes[2] = { size, size };
  uint64_t part = blockIdx.x / n_chunks, step = (uint64_t) n_chunks * blockDim.x;
  double lo = CUDART_INF, hi = -CUDART_INF;
  int64_t offsets[2];

  for (uint64_t i = (uint64_t) (blockIdx.x % n_chunks) * blockDim.x + threadIdx.x; i < n_inner; i += step)
    {
      if (loop.is_dense)
        offsets[1] = (int64_t) (part * n_inner + i) * sizes[1];
      else
        holo_locate<2> (loop, part * n_inner + i, offsets);
      widen (holo_read<double> (in + offsets[1], dtype, aligned), &lo, &hi);
    }
  combine (lo, hi, partial + 2 * (uint64_t) blockIdx.x);
}

__global__ void
find_parts (const double *partial, unsigned n_chunks, double *ranges)
{
  double lo = CUDART_INF, hi = -CUDART_INF;

  partial += 2 * (uint64_t) blockIdx.x * n_chunks;
  for (unsigned i = threadIdx.x; i < n_chunks; i += blockDim.x)
    {
      lo = fmin (lo, partial[2 * i]);
      hi = fmax (hi, partial[2 * i + 1]);
    }
  combine (lo, hi, ranges + 2 * (uint64_t) blockIdx.x);
}

cudaError_t
holo_cuda_find_range (const HoloCudaLoop *loop, int dtype, const void *in, const HoloCudaParts *parts,
                      cudaStream_t stream)
{
  int size = holo_dtype_size (dtype);
  bool aligned = holo_is_aligned (loop, 1, in, (size_t) size);
  HoloCudaLoop copy = *loop;
  uint64_t n_inner = parts->n_inner;
  unsigned n_chunks = parts->n_chunks;
  double *partial = parts->partial, *ranges = parts->ranges;
  void *args[] = { &copy, &in, &dtype, &size, &aligned, &n_inner, &n_chunks, &partial };
  void *more_args[] = { &partial, &n_chunks, &ranges };
  cudaError_t status;

  if (loop->count == 0)
    return cudaSuccess;
  status = cudaLaunchKernel ((const void *) find_chunks, dim3 ((unsigned) parts->n_outer * n_chunks),
                             dim3 (LANES), args, 0, stream);
  if (status != cudaSuccess)
    return status;
  return cudaLaunchKernel ((const void *) find_parts, dim3 ((unsigned) parts->n_outer), dim3 (LANES),
                           more_args, 0, stream);
}

/* ---- Normalize, and Conversion with Scaled: the order of operations is part of the rule ---- */

__device__ inline double
clamp (double x, double lo, double hi)
{
  x = x < lo ? lo : x;
  return x > hi ? hi : x;
}

__global__ void
scale (HoloCudaLoop loop, char *out, int out_dtype, int out_size, bool aligned, const char *in, int in_dtype,
       int in_size, bool in_aligned, uint64_t n_inner, const double *ranges, bool normalizes, double minimum,
       double maximum)
{
  const int sizes[2] = { out_size, in_size };
  int64_t offsets[2];

  for (uint64_t i = HOLO_CUDA_FIRST; i < loop.count; i += HOLO_CUDA_STEP)
    {
      const double *range = ranges + 2 * (i / n_inner);
      bool is_empty = range[0] > range[1]; /* nothing finite */
      double lo = is_empty ? 0 : range[0], hi = is_empty ? 0 : range[1], factor = 1, base, width, x;

      if (normalizes)
        factor = isinf (hi - lo) ? 0.5 : 1;
      else
        factor = isinf (hi - lo) || hi - lo > 0x1p900 ? 0x1p-128 : 1;
      base = lo * factor;
      width = hi > lo ? hi * factor - base : 1;
      holo_find<2> (loop, i, sizes, offsets);
      x = clamp (holo_read<double> (in + offsets[1], in_dtype, in_aligned), lo, hi);
      if (normalizes)
        x = minimum + (x * factor - base) / width * (maximum - minimum);
      else
        x = (x * factor - base) * maximum / width;
      holo_write (out + offsets[0], out_dtype, aligned, x);
    }
}

cudaError_t
holo_cuda_scale (const HoloCudaLoop *loop, int out_dtype, void *out, int in_dtype, const void *in,
                 const HoloCudaParts *parts, int normalizes_int, double minimum, double maximum,
                 cudaStream_t stream)
{
  int out_size = holo_dtype_size (out_dtype), in_size = holo_dtype_size (in_dtype);
  bool aligned = holo_is_aligned (loop, 0, out, (size_t) out_size);
  bool in_aligned = holo_is_aligned (loop, 1, in, (size_t) in_size), normalizes = normalizes_int;
  HoloCudaLoop copy = *loop;
  uint64_t n_inner = parts->n_inner;
  const double *ranges = parts->ranges;
  void *args[] = { &copy,    &out,        &out_dtype, &out_size, &aligned,    &in,      &in_dtype,
                   &in_size, &in_aligned, &n_inner,   &ranges,   &normalizes, &minimum, &maximum };

  if (loop->count == 0)
    return cudaSuccess;
  return cudaLaunchKernel ((const void *) scale, dim3 (holo_count_blocks (loop->count)),
                           dim3 (HOLO_CUDA_BLOCK), args, 0, stream);
}
