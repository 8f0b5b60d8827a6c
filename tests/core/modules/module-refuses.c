/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <holoflow/holoflow.h>

static gboolean
register_kinds (HoloRegistry *registry, GError **error)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "the driver is too old");
  return FALSE;
}

HOLO_MODULE_DEFINE ("refuses", register_kinds)
