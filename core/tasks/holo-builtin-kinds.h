/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "task/holo-registry.h"

/* Each file of this folder defines one function of this type, holo_<file>_register(). */
typedef gboolean (*HoloKindRegisterFunc) (HoloRegistry *registry, GError **error);

/* NULL-terminated. */
const HoloKindRegisterFunc *holo_builtin_kinds_get (void);

/* The function of a file whose one kind is synchronous:
 * HOLO_DEFINE_SYNC_KIND (sqrt, "Sqrt", HOLO_TYPE_SQRT_FACTORY) */
#define HOLO_DEFINE_SYNC_KIND(file, kind, factory_type)                                                                \
  gboolean holo_##file##_register (HoloRegistry *registry, GError **error);                                            \
  gboolean holo_##file##_register (HoloRegistry *registry, GError **error)                                             \
  {                                                                                                                    \
    return holo_registry_register_sync (registry, kind, factory_type, error);                                          \
  }
