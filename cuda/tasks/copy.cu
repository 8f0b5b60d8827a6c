/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements as they are, for copies that no copy engine does in one piece. */
#include "holo-cuda-launch.cuh"

struct Same
{
  template <typename T>
  __device__ T
  operator() (T x) const
  {
    return x;
  }
};

cudaError_t
holo_cuda_copy_elements (const HoloCudaLoop *loop, int size, void *out, const void *in,
                         HoloCudaKernel *kernel, cudaStream_t stream)
{
  switch (size)
    {
    case 1:
      return holo_map<uint8_t, uint8_t> (loop, out, in, Same (), kernel, stream);
    case 2:
      return holo_map<uint16_t, uint16_t> (loop, out, in, Same (), kernel, stream);
    case 4:
      return holo_map<uint32_t, uint32_t> (loop, out, in, Same (), kernel, stream);
    case 8:
      return holo_map<uint64_t, uint64_t> (loop, out, in, Same (), kernel, stream);
    case 16:
      return holo_map<ulonglong2, ulonglong2> (loop, out, in, Same (), kernel, stream);
    default:
      return cudaErrorInvalidValue;
    }
}
