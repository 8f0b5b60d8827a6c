/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tasks/holo-npy-mode.h"

GType
_holo_npy_mode_get_type (void)
{
  static gsize type;
  static const GEnumValue values[] = {
    { HOLO_NPY_MODE_FRAMES, "frames: one tensor for each leading index of the array", "frames" },
    { HOLO_NPY_MODE_WHOLE, "whole: the array is one tensor", "whole" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("HoloNpyMode", values));
  return type;
}
