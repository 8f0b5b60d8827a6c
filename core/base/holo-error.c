/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/holo-error.h"

/**
 * holo_error_quark:
 *
 * Returns: the domain of all errors of the library
 *
 * Since: 0.1
 */
GQuark
holo_error_quark (void)
{
  return g_quark_from_static_string ("holo-error-quark");
}

/**
 * holo_op_result_get_name:
 * @result: any result
 *
 * Returns: its name, for messages
 *
 * Since: 0.1
 */
const gchar *
holo_op_result_get_name (HoloOpResult result)
{
  static const gchar *const names[] = { "OK", "NOT_READY", "CANCELLED", "EOF", "ERROR", "FLUSHED" };

  return (guint) result < G_N_ELEMENTS (names) ? names[result] : "invalid";
}
