/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-types.h"

G_BEGIN_DECLS

/* The names nearest to @name among @names, quoted, for "did you mean" messages; NULL when none is near. */
HOLO_API gchar *holo_nearest_names (const gchar *name, const gchar *const *names);

G_END_DECLS
