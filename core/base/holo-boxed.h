/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib-object.h>

/* The boxed type of a plain value, which owns nothing. */
#define HOLO_DEFINE_PLAIN_TYPE(Type, type_name)                                                                        \
  Type *type_name##_copy (const Type *value)                                                                           \
  {                                                                                                                    \
    return g_memdup2 (value, sizeof *value);                                                                           \
  }                                                                                                                    \
  void type_name##_free (Type *value)                                                                                  \
  {                                                                                                                    \
    g_free (value);                                                                                                    \
  }                                                                                                                    \
  G_DEFINE_BOXED_TYPE (Type, type_name, type_name##_copy, type_name##_free)
