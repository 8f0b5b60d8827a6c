/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-cuda-driver.h"
#include "holo-cuda-kernels.h"

cudaError_t
holo_cuda_launch (HoloCudaKernel *kernel, const void *symbol, unsigned n_blocks, unsigned n_threads, void **args,
                  cudaStream_t stream)
{
  HoloCudaKernel once = { NULL, NULL };

  if (kernel == NULL)
    kernel = &once;
  if (kernel->symbol != symbol)
    {
      cudaError_t status = cudaGetFuncBySymbol (&kernel->function, symbol);

      if (status != cudaSuccess)
        return status;
      kernel->symbol = symbol;
    }
  return (cudaError_t) holo_cuda_driver.launch (kernel->function, n_blocks, 1, 1, n_threads, 1, 1, 0, stream, args,
                                                NULL);
}
