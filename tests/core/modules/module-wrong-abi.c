/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <holoflow/holoflow.h>

static gboolean
register_kinds (HoloRegistry *registry, GError **error)
{
  g_assert_not_reached ();
}

__attribute__ ((visibility ("default"))) const HoloModuleInfo *holo_module_query (void);

const HoloModuleInfo *
holo_module_query (void)
{
  static const HoloModuleInfo info = { HOLO_MODULE_ABI_VERSION + 1000, "wrong-abi", register_kinds };

  return &info;
}
