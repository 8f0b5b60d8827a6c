/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-task-factory.h"

G_BEGIN_DECLS

#define HOLO_TYPE_REGISTRY (holo_registry_get_type ())
HOLO_API
G_DECLARE_FINAL_TYPE (HoloRegistry, holo_registry, HOLO, REGISTRY, GObject)

/**
 * HoloRegistry:
 *
 * Maps kinds ("FFT2") to factory types. Thread safe. holo_registry_get_default() knows the built-in kinds and those of
 * the task modules found; holo_registry_new() starts empty, holo_registry_add_builtin() fills it.
 *
 * Since: 0.1
 */
HOLO_API HoloRegistry *holo_registry_get_default (void);
HOLO_API HoloRegistry *holo_registry_new (void);
HOLO_API void holo_registry_add_builtin (HoloRegistry *registry);
HOLO_API gboolean holo_registry_register_sync (HoloRegistry *registry, const gchar *kind, GType factory_type,
                                               GError **error);
HOLO_API gboolean holo_registry_register_async (HoloRegistry *registry, const gchar *kind, GType factory_type,
                                                GError **error);
HOLO_API gboolean holo_registry_register_alias (HoloRegistry *registry, const gchar *alias, const gchar *kind,
                                                GError **error);
HOLO_API gboolean holo_registry_is_registered (HoloRegistry *registry, const gchar *kind);
HOLO_API gboolean holo_registry_is_sync (HoloRegistry *registry, const gchar *kind);
HOLO_API gboolean holo_registry_is_async (HoloRegistry *registry, const gchar *kind);
HOLO_API GType holo_registry_get_factory_type (HoloRegistry *registry, const gchar *kind, GError **error);
HOLO_API const gchar *holo_registry_resolve_alias (HoloRegistry *registry, const gchar *kind);
HOLO_API HoloTaskFactory *holo_registry_create_factory (HoloRegistry *registry, const gchar *kind, GError **error);
HOLO_API GStrv holo_registry_list_kinds (HoloRegistry *registry);
HOLO_API GStrv holo_registry_list_names (HoloRegistry *registry);

/**
 * HoloDeviceCreateFunc:
 * @name: name of a device, "cuda:0"
 * @error: return location
 *
 * Makes a device, in any thread.
 *
 * Returns: (transfer full): the device, or %NULL with @error
 *
 * Since: 0.1
 */
typedef HoloDevice *(*HoloDeviceCreateFunc) (const gchar *name, GError **error);
HOLO_API gboolean holo_registry_register_device (HoloRegistry *registry, const gchar *prefix,
                                                 HoloDeviceCreateFunc create, GError **error);
HOLO_API HoloDevice *holo_registry_create_device (HoloRegistry *registry, const gchar *name, GError **error);
HOLO_API HoloDevice *holo_device_new_by_name (HoloRegistry *registry, const gchar *name, GError **error);

HOLO_API void holo_registry_add_device_kind (HoloRegistry *registry, const gchar *kind);

/* Task modules. */
HOLO_API gboolean holo_registry_load_module (HoloRegistry *registry, const gchar *path, GError **error);
HOLO_API guint holo_registry_load_modules (HoloRegistry *registry, const gchar *search_path, GPtrArray *errors);

G_END_DECLS
