/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-task-factory.h"
void holo_settings_copy (HoloTaskFactory *dst, HoloTaskFactory *src) {}
gboolean holo_settings_check_required (HoloTaskFactory *factory, GError **error) { return TRUE; }
HoloDevice *holo_registry_create_device (HoloRegistry *r, const gchar *n, GError **e) { return NULL; }
