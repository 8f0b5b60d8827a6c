/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-cuda-error.h"

#include <holoflow/holoflow.h>
#include <string.h>

#include "holo-cuda-device.h"

/* Errors after which every later call on the context fails too. */
gboolean
holo_cuda_is_sticky (cudaError_t status)
{
  switch (status)
    {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorUnknown:
    case cudaErrorContextIsDestroyed:
    case cudaErrorDeviceUninitialized:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
holo_cuda_check (HoloCudaDevice *device, cudaError_t status, const gchar *call, const gchar *file, gint line,
                 GError **error)
{
  g_autoptr (GError) made = NULL;
  g_autofree gchar *base = NULL;

  if (status == cudaSuccess)
    return TRUE;
  cudaGetLastError (); /* forgotten, so that a later launch in this thread does not report it again */
  base = g_path_get_basename (file);
  made = g_error_new (HOLO_ERROR, status == cudaErrorMemoryAllocation ? HOLO_ERROR_MEMORY : HOLO_ERROR_DEVICE,
                      "%s: %.*s failed: %s, %s (%s:%d)", device != NULL ? holo_cuda_device_get_name (device) : "CUDA",
                      (gint) strcspn (call, " ("), call, cudaGetErrorName (status), cudaGetErrorString (status), base,
                      line);
  if (device != NULL && holo_cuda_is_sticky (status))
    holo_cuda_device_poison (device, made->message);
  g_propagate_error (error, g_steal_pointer (&made));
  return FALSE;
}
