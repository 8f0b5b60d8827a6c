/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading JSON that may come from anyone: a scan before json-glib sees the text, and errors with paths. */
#pragma once

#include <json-glib/json-glib.h>

#include "holo-types.h"

G_BEGIN_DECLS

/* Parses @text (UTF-8, @length bytes or -1). Refuses nesting over 200, integers beyond int64, numbers that overflow,
 * duplicate keys, anything that is not JSON. HOLO_ERROR_JSON with line and column, or the JSON path. */
HOLO_API JsonNode *holo_json_parse (const gchar *text, gssize length, GError **error);
HOLO_API JsonNode *holo_json_load_file (const gchar *filename, GError **error);
/* Stable text: members sorted, numbers in the C locale. */
HOLO_API gchar *holo_json_to_text (JsonNode *node, gboolean pretty);

G_END_DECLS
