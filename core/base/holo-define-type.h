/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib-object.h>

/* Defines a type as G_DEFINE_TYPE() does, whose new objects are all zeros: there is no _init() to write. @flags are
 * G_TYPE_FLAG_FINAL, G_TYPE_FLAG_ABSTRACT or 0. */
#define HOLO_DEFINE_TYPE(TypeName, type_name, parent_type, flags)                                                      \
  static void type_name##_init (TypeName *self)                                                                        \
  {                                                                                                                    \
  }                                                                                                                    \
  G_DEFINE_TYPE_EXTENDED (TypeName, type_name, parent_type, flags, {})

/* The same for a type with a private structure TypeNamePrivate. */
#define HOLO_DEFINE_TYPE_WITH_PRIVATE(TypeName, type_name, parent_type, flags)                                         \
  static void type_name##_init (TypeName *self)                                                                        \
  {                                                                                                                    \
  }                                                                                                                    \
  G_DEFINE_TYPE_EXTENDED (TypeName, type_name, parent_type, flags, G_ADD_PRIVATE (TypeName))

/* Before one of these: the class has nothing to set either. */
#define HOLO_NO_CLASS_INIT(TypeName, type_name)                                                                        \
  static void type_name##_class_init (TypeName##Class *klass)                                                          \
  {                                                                                                                    \
  }

/* Defines the static function @name_get_type() of an enumeration; the values are { value, description, nick }. */
#define HOLO_DEFINE_ENUM_TYPE(TypeName, name, ...)                                                                     \
  static GType name##_get_type (void)                                                                                  \
  {                                                                                                                    \
    static gsize type;                                                                                                 \
    static const GEnumValue values[] = { __VA_ARGS__, { 0, NULL, NULL } };                                             \
                                                                                                                       \
    if (g_once_init_enter (&type))                                                                                     \
      g_once_init_leave (&type, g_enum_register_static (#TypeName, values));                                           \
    return type;                                                                                                       \
  }
