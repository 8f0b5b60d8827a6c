/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/holo-version.h"

/* The header is installed as it is, so it has once more what the build calls its version: "0, 1, 0". */
#define IS_VERSION(major, minor, micro)                                                                                \
  ((major) == HOLO_MAJOR_VERSION && (minor) == HOLO_MINOR_VERSION && (micro) == HOLO_MICRO_VERSION)
#define IS_VERSION_LIST(list) IS_VERSION (list)
G_STATIC_ASSERT (IS_VERSION_LIST (HOLO_BUILD_VERSION));

/**
 * holo_version:
 * @major: (out) (optional): return location for the first number
 * @minor: (out) (optional): return location for the second number
 * @micro: (out) (optional): return location for the third number
 *
 * The version of the library that a program runs with, which may be later than the one it was compiled against (see
 * %HOLO_MAJOR_VERSION). Any thread.
 *
 * Since: 0.1
 */
void
holo_version (guint *major, guint *minor, guint *micro)
{
  if (major != NULL)
    *major = HOLO_MAJOR_VERSION;
  if (minor != NULL)
    *minor = HOLO_MINOR_VERSION;
  if (micro != NULL)
    *micro = HOLO_MICRO_VERSION;
}
