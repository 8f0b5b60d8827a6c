/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../toy-factories.h"

static gboolean
register_kinds (HoloRegistry *registry, GError **error)
{
  return holo_registry_register_sync (registry, "ModuleSync", toy_sync_factory_get_type (), error) &&
         holo_registry_register_async (registry, "ModuleAsync", toy_async_factory_get_type (), error);
}

HOLO_MODULE_DEFINE ("good", register_kinds)
