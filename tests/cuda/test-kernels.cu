/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels that tests need: slow ones, wrong ones, and a plain one that the benchmark compares with. */
#include <cuda_runtime.h>

extern "C" void cuda_test_delay (cudaStream_t stream, unsigned ms);
extern "C" void cuda_test_fault (cudaStream_t stream);
extern "C" void cuda_test_sqrt (cudaStream_t stream, float *out, const float *in, unsigned n);

__global__ void
delay (unsigned long long ns)
{
  unsigned long long start, now;

  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < ns);
}

__global__ void
fault (void)
{
  *(volatile int *) 16 = 1;
}

void
cuda_test_delay (cudaStream_t stream, unsigned ms)
{
  delay<<<1, 1, 0, stream>>> (ms * 1000000ull);
}

void
cuda_test_fault (cudaStream_t stream)
{
  fault<<<1, 1, 0, stream>>> ();
}

__global__ void
square_root (float *out, const float *in, unsigned n)
{
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    out[i] = sqrtf (in[i]);
}

void
cuda_test_sqrt (cudaStream_t stream, float *out, const float *in, unsigned n)
{
  square_root<<<(n + 255) / 256, 256, 0, stream>>> (out, in, n);
}
