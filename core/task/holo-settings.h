/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of a factory: each declared once, as a property, and read everywhere (JSON, element, tool, documentation).
 *
 * A leaf declares them in class_init, after the slots:
 *
 *   holo_settings_install_int64 (klass, "capacity", "Frames held at most", "frames", 1, G_MAXINT, 2,
 *                                HOLO_SETTING_NONE, G_STRUCT_OFFSET (HoloQueueFactory, capacity));
 *
 * and reads the struct member in infer() and create(). The helpers set set_property and get_property of the class: a leaf
 * must not. Array and string members are owned by the factory and freed by it. */
#pragma once

#include <json-glib/json-glib.h>

#include "../base/holo-types.h"

G_BEGIN_DECLS

/**
 * HoloSettingFlags:
 * @HOLO_SETTING_REQUIRED: has no default; inference is refused while it is unset
 * @HOLO_SETTING_NULLABLE: JSON `null` (or not setting it) leaves it unset; the member holds the default
 * @HOLO_SETTING_LIVE: a change alone never changes a descriptor: it is taken into use between two frames
 *
 * What holds for a setting.
 *
 * Since: 0.1
 */
typedef enum
{
  HOLO_SETTING_NONE = 0,
  HOLO_SETTING_REQUIRED = 1 << 0,
  HOLO_SETTING_NULLABLE = 1 << 1,
  HOLO_SETTING_LIVE = 1 << 2,
} HoloSettingFlags;

/**
 * HoloSettingArray:
 *
 * Value of array settings: int64 or double. Member type of `holo_settings_install_int64_array()` (GArray of gint64) and
 * of the double form (GArray of gdouble); %NULL when unset.
 *
 * Since: 0.1
 */
#define HOLO_TYPE_INT64_ARRAY  (holo_int64_array_get_type ())
#define HOLO_TYPE_DOUBLE_ARRAY (holo_double_array_get_type ())
HOLO_API GType holo_int64_array_get_type (void);
HOLO_API GType holo_double_array_get_type (void);

HOLO_API void holo_settings_install_boolean (gpointer klass, const gchar *name, const gchar *blurb,
                                             gboolean default_value, HoloSettingFlags flags, gsize offset);
HOLO_API void holo_settings_install_int64 (gpointer klass, const gchar *name, const gchar *blurb, const gchar *unit,
                                           gint64 minimum, gint64 maximum, gint64 default_value, HoloSettingFlags flags,
                                           gsize offset);
HOLO_API void holo_settings_install_double (gpointer klass, const gchar *name, const gchar *blurb, const gchar *unit,
                                            gdouble minimum, gdouble maximum, gdouble default_value,
                                            HoloSettingFlags flags, gsize offset);
HOLO_API void holo_settings_install_string (gpointer klass, const gchar *name, const gchar *blurb,
                                            const gchar *default_value, HoloSettingFlags flags, gsize offset);
HOLO_API void holo_settings_install_enum (gpointer klass, const gchar *name, const gchar *blurb, GType enum_type,
                                          gint default_value, HoloSettingFlags flags, gsize offset);
HOLO_API void holo_settings_install_int64_array (gpointer klass, const gchar *name, const gchar *blurb,
                                                 const gchar *unit, gint64 minimum, gint64 maximum,
                                                 HoloSettingFlags flags, gsize offset);
HOLO_API void holo_settings_install_double_array (gpointer klass, const gchar *name, const gchar *blurb,
                                                  const gchar *unit, gdouble minimum, gdouble maximum,
                                                  HoloSettingFlags flags, gsize offset);
HOLO_API void holo_settings_install_json (gpointer klass, const gchar *name, const gchar *blurb, HoloSettingFlags flags,
                                          gsize offset);

/* A second name under which JSON may give the setting ("axis" for "axes"). */
HOLO_API void holo_settings_add_alias (gpointer klass, const gchar *name, const gchar *alias);
/* A key of the original that means nothing here: reading it gives a warning with @reason instead of an error. */
HOLO_API void holo_settings_add_ignored (gpointer klass, const gchar *key, const gchar *reason);

/* What a property declares beyond its GParamSpec. */
HOLO_API gboolean holo_setting_is_setting (GParamSpec *pspec);
HOLO_API HoloSettingFlags holo_setting_get_flags (GParamSpec *pspec);
HOLO_API const gchar *holo_setting_get_unit (GParamSpec *pspec);
HOLO_API gboolean holo_setting_get_range (GParamSpec *pspec, gdouble *minimum, gdouble *maximum);
HOLO_API gchar *holo_setting_describe_allowed (GParamSpec *pspec);
HOLO_API JsonNode *holo_setting_to_json (GParamSpec *pspec, const GValue *value);
HOLO_API gboolean holo_setting_value_from_json (GParamSpec *pspec, JsonNode *node, const gchar *path, GValue *value,
                                                GError **error);
HOLO_API gboolean holo_setting_value_from_string (GParamSpec *pspec, const gchar *text, GValue *value, GError **error);
HOLO_API GParamSpec **holo_settings_list (gpointer factory_class, guint *n_settings);
HOLO_API GStrv holo_settings_list_aliases (gpointer factory_class, const gchar *name);
HOLO_API JsonNode *holo_settings_to_json_schema (gpointer factory_class);

/* All settings of a factory from a JSON object; keys with '_' and '-' are the same. @path is the JSON path of the object,
 * "/nodes/a/params". Either all are applied or none. */
HOLO_API gboolean holo_settings_apply_json (HoloTaskFactory *factory, JsonObject *object, const gchar *path,
                                            GError **error);
HOLO_API gboolean holo_settings_apply_value (HoloTaskFactory *factory, const gchar *name, const GValue *value,
                                             GError **error);
HOLO_API gboolean holo_settings_check_required (HoloTaskFactory *factory, GError **error);
HOLO_API gboolean holo_settings_is_set (HoloTaskFactory *factory, const gchar *name);
HOLO_API JsonObject *holo_settings_get_json (HoloTaskFactory *factory);
HOLO_API void holo_settings_copy (HoloTaskFactory *dst, HoloTaskFactory *src);

G_END_DECLS
