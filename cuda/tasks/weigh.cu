/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dense complex elements times one number. */
#include "holo-cuda-launch.cuh"

struct Weigh
{
  double factor;

  __device__ float2
  operator() (float2 x) const
  {
    float f = (float) factor;

    return make_float2 (x.x * f, x.y * f);
  }
  __device__ double2
  operator() (double2 x) const
  {
    return make_double2 (x.x * factor, x.y * factor);
  }
};

cudaError_t
holo_cuda_weigh (uint64_t count, int dtype, void *data, double factor, cudaStream_t stream)
{
  HoloCudaLoop loop = { count, 0, 1, { 0 }, { { 0 } } };
  Weigh formula = { factor };

  if (dtype == HOLO_CUDA_CF32)
    return holo_map<float2, float2> (&loop, data, data, formula, NULL, stream);
  return holo_map<double2, double2> (&loop, data, data, formula, NULL, stream);
}
