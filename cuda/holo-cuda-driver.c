/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-cuda-driver.h"

#include <holoflow/holoflow.h>

#include "holo-cuda-error.h"

/* The version of the driver's interface whose functions are meant: since 4.0 they have been these. */
#define INTERFACE_VERSION 12000

HoloCudaDriver holo_cuda_driver;

static gboolean
find (const gchar *name, gpointer function, GError **error)
{
  enum cudaDriverEntryPointQueryResult found;
  gpointer *where = function;

#if CUDART_VERSION >= 12050
  if (!HOLO_CUDA_CHECK (
          NULL, cudaGetDriverEntryPointByVersion (name, where, INTERFACE_VERSION, cudaEnableDefault, &found), error))
    return FALSE;
#else
  if (!HOLO_CUDA_CHECK (NULL, cudaGetDriverEntryPoint (name, where, cudaEnableDefault, &found), error))
    return FALSE;
#endif
  if (found == cudaDriverEntryPointSuccess && *where != NULL)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "there is no CUDA device: the driver has no function %s", name);
  return FALSE;
}

static gboolean
find_all (HoloCudaDriver *driver, GError **error)
{
  return find ("cuDeviceGet", &driver->device_get, error) &&
         find ("cuDevicePrimaryCtxRetain", &driver->retain_primary, error) &&
         find ("cuDevicePrimaryCtxRelease", &driver->release_primary, error) &&
         find ("cuCtxPushCurrent", &driver->push, error) && find ("cuCtxPopCurrent", &driver->pop, error) &&
         find ("cuCtxGetCurrent", &driver->get_current, error) && find ("cuEventRecord", &driver->record, error) &&
         find ("cuEventQuery", &driver->query, error) && find ("cuStreamWaitEvent", &driver->wait, error) &&
         find ("cuLaunchKernel", &driver->launch, error);
}

/**
 * holo_cuda_driver_get:
 * @error: return location
 *
 * Returns: (nullable): the functions; %NULL without a driver
 */
const HoloCudaDriver *
holo_cuda_driver_get (GError **error)
{
  static GMutex lock;
  static gboolean is_found;
  gboolean ok;

  g_mutex_lock (&lock);
  if (!is_found)
    is_found = find_all (&holo_cuda_driver, error);
  ok = is_found;
  g_mutex_unlock (&lock);
  return ok ? &holo_cuda_driver : NULL;
}
