/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the pictures of graphs and plans share. */
#pragma once

#include <glib.h>

/* Appends @text as the inside of a double-quoted DOT string: line ends become \\n, carriage returns go. */
void _holo_dot_append_escaped (GString *dot, const gchar *text);
