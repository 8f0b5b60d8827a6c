/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Module: devices "cuda:N". It loads everywhere; only asking for such a device needs a driver and a GPU. */
#include "holo-cuda-device.h"

static gboolean
register_devices (HoloRegistry *registry, GError **error)
{
  return holo_registry_register_device (registry, "cuda", holo_cuda_device_new, error);
}

HOLO_MODULE_DEFINE ("cuda", register_devices)
