/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "task/holo-kind.h"

/* Each file of this folder defines one function of this type, holo_<file>_register(). */
typedef gboolean (*HoloKindRegisterFunc) (HoloRegistry *registry, GError **error);

/* NULL-terminated. */
const HoloKindRegisterFunc *holo_builtin_kinds_get (void);
