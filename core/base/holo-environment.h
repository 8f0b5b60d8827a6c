/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The environment variables of the library, all read here (docs/environment.md lists them). */
#pragma once

#include "base/holo-types.h"

G_BEGIN_DECLS

/* HOLOFLOW_MODULE_PATH: folders with task modules before the installed ones; NULL when unset. */
const gchar *holo_environment_get_module_path (void);
/* HOLOFLOW_DEBUG: comma-separated topics: infer, place, storage, schedule, events, all. */
gboolean holo_environment_has_debug (const gchar *topic);
/* HOLOFLOW_SYNC=1: wait for the device after each node, to name the culprit of a device error. */
gboolean holo_environment_get_sync (void);
/* HOLOFLOW_POISON=1: fill storage with 0xA5 before each frame (finds tasks that read what they must not). */
gboolean holo_environment_get_poison (void);
/* HOLOFLOW_STALL=seed: random pauses at the places where threads may meet; 0 = none. */
guint holo_environment_get_stall (void);
/* HOLOFLOW_FFT: "kiss" or "fftw" forces a provider; NULL when unset. */
const gchar *holo_environment_get_fft (void);

G_END_DECLS
