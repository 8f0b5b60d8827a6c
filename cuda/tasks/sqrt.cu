/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-cuda-launch.cuh"

struct Sqrt
{
  __device__ float
  operator() (float x) const
  {
    return __fsqrt_rn (x);
  }
  __device__ double
  operator() (double x) const
  {
    return __dsqrt_rn (x);
  }
};

cudaError_t
holo_cuda_sqrt (const HoloCudaLoop *loop, int out_dtype, int in_dtype, int option, void *out, const void *in,
                HoloCudaKernel *kernel, cudaStream_t stream)
{
  switch (in_dtype)
    {
    case HOLO_CUDA_F32:
      return holo_map<float, float> (loop, out, in, Sqrt (), kernel, stream);
    case HOLO_CUDA_F64:
      return holo_map<double, double> (loop, out, in, Sqrt (), kernel, stream);
    default:
      return cudaErrorInvalidValue;
    }
}
