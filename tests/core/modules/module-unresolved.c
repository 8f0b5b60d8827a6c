/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Needs a function that nobody has: must be found when it is loaded, not when it is called. */
#include <holoflow/holoflow.h>

gboolean holo_test_function_that_is_nowhere (HoloRegistry *registry, GError **error);

static gboolean
register_kinds (HoloRegistry *registry, GError **error)
{
  return holo_test_function_that_is_nowhere (registry, error);
}

HOLO_MODULE_DEFINE ("unresolved", register_kinds)
