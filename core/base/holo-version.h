/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which version this is, and which functions an application wants to see. */
#pragma once

#include <glib.h>

/**
 * HOLO_MAJOR_VERSION:
 *
 * First number of the version that a program is compiled against; holo_version() gives that of the library it runs with.
 *
 * Since: 0.1
 */
#define HOLO_MAJOR_VERSION 0
/**
 * HOLO_MINOR_VERSION:
 *
 * Second number of the version that a program is compiled against.
 *
 * Since: 0.1
 */
#define HOLO_MINOR_VERSION 1
/**
 * HOLO_MICRO_VERSION:
 *
 * Third number of the version that a program is compiled against.
 *
 * Since: 0.1
 */
#define HOLO_MICRO_VERSION 0

/**
 * HOLO_VERSION_S:
 *
 * The version that a program is compiled against as a string, "0.1.0".
 *
 * Since: 0.1
 */
#define HOLO_VERSION_S                                                                                                 \
  G_STRINGIFY (HOLO_MAJOR_VERSION) "." G_STRINGIFY (HOLO_MINOR_VERSION) "." G_STRINGIFY (HOLO_MICRO_VERSION)

/**
 * HOLO_CHECK_VERSION:
 * @major: first number of a version
 * @minor: second number
 * @micro: third number
 *
 * For the preprocessor: true when the version that a program is compiled against is the given one or a later one.
 *
 * Since: 0.1
 */
#define HOLO_CHECK_VERSION(major, minor, micro)                                                                        \
  (HOLO_MAJOR_VERSION > (major) || (HOLO_MAJOR_VERSION == (major) && HOLO_MINOR_VERSION > (minor)) ||                  \
   (HOLO_MAJOR_VERSION == (major) && HOLO_MINOR_VERSION == (minor) && HOLO_MICRO_VERSION >= (micro)))

/**
 * HOLO_VERSION_0_1:
 *
 * Version 0.1, for %HOLO_VERSION_MIN_REQUIRED and %HOLO_VERSION_MAX_ALLOWED.
 *
 * Since: 0.1
 */
#define HOLO_VERSION_0_1 (G_ENCODE_VERSION (0, 1))

/**
 * HOLO_VERSION_CUR:
 *
 * The version of the headers, in the form of %HOLO_VERSION_0_1: what a program gets that asks for none.
 *
 * Since: 0.1
 */
#define HOLO_VERSION_CUR (G_ENCODE_VERSION (HOLO_MAJOR_VERSION, HOLO_MINOR_VERSION))

/**
 * HOLO_VERSION_MIN_REQUIRED:
 *
 * A program that defines it before it includes the headers needs at least that version: functions deprecated in it or
 * before warn when they are used, later deprecations do not. The version of the headers unless defined.
 *
 * Since: 0.1
 */
#ifndef HOLO_VERSION_MIN_REQUIRED
#define HOLO_VERSION_MIN_REQUIRED HOLO_VERSION_CUR
#endif

/**
 * HOLO_VERSION_MAX_ALLOWED:
 *
 * A program that defines it before it includes the headers is also to build with that version: functions that came later
 * warn when they are used. The version of the headers unless defined.
 *
 * Since: 0.1
 */
#ifndef HOLO_VERSION_MAX_ALLOWED
#define HOLO_VERSION_MAX_ALLOWED HOLO_VERSION_CUR
#endif

#if HOLO_VERSION_MAX_ALLOWED < HOLO_VERSION_MIN_REQUIRED
#error "HOLO_VERSION_MAX_ALLOWED must not be less than HOLO_VERSION_MIN_REQUIRED"
#endif
#if HOLO_VERSION_MIN_REQUIRED < HOLO_VERSION_0_1
#error "HOLO_VERSION_MIN_REQUIRED must not be less than HOLO_VERSION_0_1"
#endif

/**
 * HOLO_EXTERN:
 *
 * In front of what a shared library exports.
 *
 * Since: 0.1
 */
#define HOLO_EXTERN __attribute__ ((visibility ("default"))) extern

/**
 * HOLO_AVAILABLE_IN_ALL:
 *
 * In front of a public function that the first release had.
 *
 * Since: 0.1
 */
#define HOLO_AVAILABLE_IN_ALL HOLO_EXTERN
/**
 * HOLO_AVAILABLE_IN_0_1:
 *
 * In front of a public function that came with version 0.1: it warns where %HOLO_VERSION_MAX_ALLOWED is less.
 *
 * Since: 0.1
 */
#if HOLO_VERSION_MAX_ALLOWED < HOLO_VERSION_0_1
#define HOLO_AVAILABLE_IN_0_1 HOLO_EXTERN G_UNAVAILABLE (0, 1)
#else
#define HOLO_AVAILABLE_IN_0_1 HOLO_EXTERN
#endif
/* Short, for what the first release had. */
#define HOLO_API HOLO_AVAILABLE_IN_ALL

G_BEGIN_DECLS

HOLO_API void holo_version (guint *major, guint *minor, guint *micro);

G_END_DECLS
