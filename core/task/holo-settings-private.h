/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files about settings share. */
#pragma once

#include "task/holo-task-private.h"
#include "task/holo-settings.h"

/* Hangs on the GParamSpec of a setting. */
typedef struct
{
  HoloSettingFlags flags;
  const gchar *unit;
  gsize offset; /* of the member in the factory's instance structure */
  /* Of the elements of an array; the other types have their range in the GParamSpec. */
  gint64 int_minimum, int_maximum;
  gdouble double_minimum, double_maximum;
} HoloSettingInfo;

HoloSettingInfo *_holo_setting_get_info (GParamSpec *pspec);
gchar *_holo_setting_canonicalize (const gchar *name);
gchar *_holo_setting_get_json_name (const gchar *name);
GParamSpec *_holo_settings_find (gpointer factory_class, const gchar *name);
/* @name in any spelling, or an error at @path that says what @factory has. */
GParamSpec *_holo_settings_require (HoloTaskFactory *factory, const gchar *name, const gchar *path, GError **error);
/* As holo_settings_check_required(); @path (nullable) is the place of the settings object. */
gboolean _holo_settings_check_required (HoloTaskFactory *factory, const gchar *path, GError **error);
/* As holo_setting_value_from_string(), with the place for messages. */
gboolean _holo_setting_value_from_text (GParamSpec *pspec, const gchar *text, const gchar *path, GValue *value,
                                        GError **error);
gboolean _holo_setting_check_range (GParamSpec *pspec, const GValue *value);
gboolean _holo_setting_refuse (GParamSpec *pspec, const gchar *path, const gchar *found, GError **error);

#define HOLO_JSON_SCHEMA_DIALECT "https://json-schema.org/draft/2020-12/schema"
