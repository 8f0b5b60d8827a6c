/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cuda.h> /* types only: nothing links the driver */
#include <cuda_runtime_api.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * HoloCudaDriver:
 *
 * Functions of the driver, found through the runtime library: those that it does not offer (contexts), and
 * those that are called for each frame, where its own look the device up every time.
 */
typedef struct
{
  CUresult (*device_get) (CUdevice *device, int ordinal);
  CUresult (*retain_primary) (CUcontext *context, CUdevice device);
  CUresult (*release_primary) (CUdevice device);
  CUresult (*push) (CUcontext context);
  CUresult (*pop) (CUcontext *context);
  CUresult (*get_current) (CUcontext *context);
  CUresult (*record) (CUevent event, CUstream stream);
  CUresult (*query) (CUevent event);
  CUresult (*wait) (CUstream stream, CUevent event, unsigned flags);
  CUresult (*launch) (CUfunction function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x,
                      unsigned threads_y, unsigned threads_z, unsigned shared_bytes, CUstream stream, void **args,
                      void **extra);
} HoloCudaDriver;

const HoloCudaDriver *holo_cuda_driver_get (GError **error);

/* Filled in once there is a device. */
extern HoloCudaDriver holo_cuda_driver;

/* Both interfaces number their errors alike. */
G_STATIC_ASSERT ((int) CUDA_ERROR_NOT_READY == (int) cudaErrorNotReady &&
                 (int) CUDA_ERROR_OUT_OF_MEMORY == (int) cudaErrorMemoryAllocation &&
                 (int) CUDA_ERROR_ILLEGAL_ADDRESS == (int) cudaErrorIllegalAddress &&
                 (int) CUDA_ERROR_LAUNCH_FAILED == (int) cudaErrorLaunchFailure);

static inline cudaError_t
holo_cuda_record_event (cudaEvent_t event, cudaStream_t stream)
{
  return (cudaError_t) holo_cuda_driver.record (event, stream);
}

static inline cudaError_t
holo_cuda_query_event (cudaEvent_t event)
{
  return (cudaError_t) holo_cuda_driver.query (event);
}

static inline cudaError_t
holo_cuda_wait_event (cudaStream_t stream, cudaEvent_t event)
{
  return (cudaError_t) holo_cuda_driver.wait (stream, event, 0);
}

G_END_DECLS
