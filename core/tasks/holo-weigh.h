/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* One dense run of complex elements, in[0], times real weights, in[1]: a HoloRunFunc and a HoloMapFunc. */
void _holo_weigh_cf32 (gpointer unused, gpointer out, gconstpointer const *in, gsize n);
void _holo_weigh_cf64 (gpointer unused, gpointer out, gconstpointer const *in, gsize n);
