/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cuda.h> /* types only: nothing links the driver */
#include <glib.h>

G_BEGIN_DECLS

/**
 * HoloCudaDriver:
 *
 * The few functions of the driver that the runtime library does not offer: contexts. Found through the
 * runtime library.
 */
typedef struct
{
  CUresult (*device_get) (CUdevice *device, int ordinal);
  CUresult (*retain_primary) (CUcontext *context, CUdevice device);
  CUresult (*release_primary) (CUdevice device);
  CUresult (*push) (CUcontext context);
  CUresult (*pop) (CUcontext *context);
} HoloCudaDriver;

const HoloCudaDriver *holo_cuda_driver_get (GError **error);

G_END_DECLS
