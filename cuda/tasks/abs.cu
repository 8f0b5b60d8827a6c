/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-cuda-launch.cuh"

#include <math_constants.h>

struct Abs
{
  /* Negated as unsigned: the smallest integer has no opposite and stays what it is. */
  __device__ int8_t
  operator() (int8_t x) const
  {
    return (int8_t) (x < 0 ? 0u - (uint8_t) x : (uint8_t) x);
  }
  __device__ int16_t
  operator() (int16_t x) const
  {
    return (int16_t) (x < 0 ? 0u - (uint16_t) x : (uint16_t) x);
  }
  __device__ int32_t
  operator() (int32_t x) const
  {
    return (int32_t) (x < 0 ? 0u - (uint32_t) x : (uint32_t) x);
  }
  __device__ int64_t
  operator() (int64_t x) const
  {
    return (int64_t) (x < 0 ? 0ull - (uint64_t) x : (uint64_t) x);
  }
  __device__ float
  operator() (float x) const
  {
    return fabsf (x);
  }
  __device__ double
  operator() (double x) const
  {
    return fabs (x);
  }

  /* Squares of floats are exact in double and neither overflow nor vanish there. */
  __device__ float
  operator() (float2 x) const
  {
    double re = x.x, im = x.y;

    return isinf (x.x) || isinf (x.y) ? CUDART_INF_F : (float) __dsqrt_rn (re * re + im * im);
  }

  __device__ double
  operator() (double2 x) const
  {
    return hypot (x.x, x.y);
  }
};

cudaError_t
holo_cuda_abs (const HoloCudaLoop *loop, int out_dtype, int in_dtype, int option, void *out, const void *in,
               HoloCudaKernel *kernel, cudaStream_t stream)
{
  switch (in_dtype)
    {
    case HOLO_CUDA_U8:
    case HOLO_CUDA_U16:
    case HOLO_CUDA_U32:
    case HOLO_CUDA_U64:
      return holo_cuda_copy_elements (loop, 1 << (in_dtype / 2), out, in, kernel, stream);
    case HOLO_CUDA_I8:
      return holo_map<int8_t, int8_t> (loop, out, in, Abs (), kernel, stream);
    case HOLO_CUDA_I16:
      return holo_map<int16_t, int16_t> (loop, out, in, Abs (), kernel, stream);
    case HOLO_CUDA_I32:
      return holo_map<int32_t, int32_t> (loop, out, in, Abs (), kernel, stream);
    case HOLO_CUDA_I64:
      return holo_map<int64_t, int64_t> (loop, out, in, Abs (), kernel, stream);
    case HOLO_CUDA_F32:
      return holo_map<float, float> (loop, out, in, Abs (), kernel, stream);
    case HOLO_CUDA_F64:
      return holo_map<double, double> (loop, out, in, Abs (), kernel, stream);
    case HOLO_CUDA_CF32:
      return holo_map<float, float2> (loop, out, in, Abs (), kernel, stream);
    case HOLO_CUDA_CF64:
      return holo_map<double, double2> (loop, out, in, Abs (), kernel, stream);
    default:
      return cudaErrorInvalidValue;
    }
}
