/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/holo-json.h"

/* Nothing in the copy is shared: json_node_copy() shares objects, arrays and values, and counts who shares a value without atomic
 * operations. */
JsonNode *_holo_json_copy (JsonNode *node);
/* @text as a JSON string, with its quotes. */
gchar *_holo_json_quote (const gchar *text);
/* The shortest text that reads back as @number, always with a point or an exponent. */
gchar *_holo_json_format_double (gdouble number);
/* One line, cut to what fits a message. */
gchar *_holo_json_to_short_text (JsonNode *node);
/* @path and @key as a JSON pointer. */
gchar *_holo_json_path_append (const gchar *path, const gchar *key);
/* "a string", "an object": what @node is, for messages. */
const gchar *_holo_json_get_type_name (JsonNode *node);
