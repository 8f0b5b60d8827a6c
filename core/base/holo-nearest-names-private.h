/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/holo-nearest-names.h"

/* How a message about the unknown @name ends: `; did you mean "count"?`, or nothing when none of @names is near. */
gchar *_holo_did_you_mean (const gchar *name, const gchar *const *names);
