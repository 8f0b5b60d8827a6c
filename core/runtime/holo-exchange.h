/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "runtime/holo-runner-private.h"

/* Changes to @plan, compiled beside the one that is bound, running or not. FALSE with @error: everything is as before. */
gboolean _holo_runner_exchange (HoloRunner *runner, HoloPlan *plan, guint64 *n_discarded, GError **error);
