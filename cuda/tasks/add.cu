/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-cuda-launch.cuh"

/* Integers wrap around: they are added as unsigned ones. */
struct Add
{
  template <typename T>
  __device__ T
  operator() (T a, T b) const
  {
    return (T) (a + b);
  }
  __device__ float2
  operator() (float2 a, float2 b) const
  {
    return make_float2 (a.x + b.x, a.y + b.y);
  }
  __device__ double2
  operator() (double2 a, double2 b) const
  {
    return make_double2 (a.x + b.x, a.y + b.y);
  }
};

template <typename T>
static cudaError_t
add (const HoloCudaLoop *loop, void *out, const void *a, const void *b, HoloCudaKernel *kernel,
     cudaStream_t stream)
{
  return holo_map2<T, T, T> (loop, out, a, b, Add (), kernel, stream);
}

cudaError_t
holo_cuda_add (const HoloCudaLoop *loop, int out_dtype, int a_dtype, int b_dtype, void *out, const void *a,
               const void *b, HoloCudaKernel *kernel, cudaStream_t stream)
{
  switch (out_dtype)
    {
    case HOLO_CUDA_U8:
    case HOLO_CUDA_I8:
      return add<uint8_t> (loop, out, a, b, kernel, stream);
    case HOLO_CUDA_U16:
    case HOLO_CUDA_I16:
      return add<uint16_t> (loop, out, a, b, kernel, stream);
    case HOLO_CUDA_U32:
    case HOLO_CUDA_I32:
      return add<uint32_t> (loop, out, a, b, kernel, stream);
    case HOLO_CUDA_U64:
    case HOLO_CUDA_I64:
      return add<uint64_t> (loop, out, a, b, kernel, stream);
    case HOLO_CUDA_F32:
      return add<float> (loop, out, a, b, kernel, stream);
    case HOLO_CUDA_F64:
      return add<double> (loop, out, a, b, kernel, stream);
    case HOLO_CUDA_CF32:
      return add<float2> (loop, out, a, b, kernel, stream);
    case HOLO_CUDA_CF64:
      return add<double2> (loop, out, a, b, kernel, stream);
    default:
      return cudaErrorInvalidValue;
    }
}
