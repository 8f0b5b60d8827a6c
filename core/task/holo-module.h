/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-registry.h"

G_BEGIN_DECLS

/**
 * HOLO_MODULE_ABI_VERSION:
 *
 * Changes whenever a module must be built again.
 *
 * Since: 0.1
 */
#define HOLO_MODULE_ABI_VERSION 1

/**
 * HoloModuleInfo:
 * @abi_version: %HOLO_MODULE_ABI_VERSION at build time; first member in every version
 * @name: name of the module
 * @register_kinds: registers kinds and devices; returns FALSE with @error set when it cannot
 *
 * What a module's one entry function `const HoloModuleInfo *holo_module_query (void)` returns; static.
 *
 * Since: 0.1
 */
typedef struct
{
  guint abi_version;
  const gchar *name;
  gboolean (*register_kinds) (HoloRegistry *registry, GError **error);
} HoloModuleInfo;

/**
 * HoloModuleQueryFunc:
 *
 * The entry function of a module, `holo_module_query`.
 *
 * Returns: (transfer none): what the module is; static
 *
 * Since: 0.1
 */
typedef const HoloModuleInfo *(*HoloModuleQueryFunc) (void);

/**
 * HOLO_MODULE_DEFINE:
 * @module_name: a string
 * @register_func: HoloModuleInfo.register_kinds
 *
 * Defines the entry function of a task module.
 *
 * Since: 0.1
 */
#define HOLO_MODULE_DEFINE(module_name, register_func)                                                                 \
  G_BEGIN_DECLS                                                                                                        \
  __attribute__ ((visibility ("default"))) const HoloModuleInfo *holo_module_query (void);                             \
  G_END_DECLS                                                                                                          \
  const HoloModuleInfo *holo_module_query (void)                                                                       \
  {                                                                                                                    \
    static const HoloModuleInfo info = { HOLO_MODULE_ABI_VERSION, module_name, register_func };                        \
    return &info;                                                                                                      \
  }

G_END_DECLS
