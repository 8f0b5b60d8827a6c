/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The set of the dimensions that the setting `axes` names, each once; negative ones count from the end. FALSE when it names
 * one that a tensor of @rank does not have, or one twice. */
gboolean _holo_axes_get_set (const GArray *axes, guint rank, guint *set, GError **error);
