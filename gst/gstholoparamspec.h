/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of a kind as properties of an element: the one place where the two are mapped. */
#pragma once

#include <gst/gst.h>
#include <holoflow/holoflow.h>

G_BEGIN_DECLS

/* Installs one property per setting of @factory_class, in its order, with ids from @first_id on. Numbers
 * outside the range are handed to set_property as they are: the element refuses them with words instead of
 * GObject clamping them. Returns the number of properties. */
guint gst_holo_settings_install (GObjectClass *klass, gpointer factory_class, guint first_id);

/* A GParamSpec for one setting, as gst_holo_settings_install() makes them. (transfer floating) */
GParamSpec *gst_holo_setting_to_param_spec (GParamSpec *setting);

/* From what a property (or a field of a GstStructure) holds to what holo_settings_apply_value() takes: arrays
 * come as GstValueArray or GstValueList. @converted is zero-filled before. FALSE with HOLO_ERROR_SETTING. */
gboolean gst_holo_setting_from_property (GParamSpec *setting, const GValue *value, GValue *converted, GError **error);
/* The other way: @value has the type of the property. */
void gst_holo_setting_to_property (GParamSpec *setting, const GValue *setting_value, GValue *value);

G_END_DECLS
