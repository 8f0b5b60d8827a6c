/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Module: devices "cuda:N", and kinds on them. It loads everywhere; only asking for such a device needs a driver and a GPU. */
#include "holo-cuda-task.h"

static gboolean
register_devices (HoloRegistry *registry, GError **error)
{
  holo_cuda_task_add_kinds (registry);
  return holo_registry_register_device (registry, "cuda", holo_cuda_device_new, error);
}

HOLO_MODULE_DEFINE ("cuda", register_devices)
