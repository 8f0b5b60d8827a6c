/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "fft/holo-fft.h"

extern const HoloFftProvider _holo_fft_kiss;

/* The two builds of KissFFT, see holo-fft-kiss-lines.c.in. */
gpointer _holo_kiss_plan_f32 (gint length, gint n_lines, gboolean inverse, GError **error);
gsize _holo_kiss_get_scratch_size_f32 (gpointer plan);
void _holo_kiss_execute_f32 (gpointer plan, gconstpointer in, gpointer out, gpointer scratch);
void _holo_kiss_free_f32 (gpointer plan);
gpointer _holo_kiss_plan_f64 (gint length, gint n_lines, gboolean inverse, GError **error);
gsize _holo_kiss_get_scratch_size_f64 (gpointer plan);
void _holo_kiss_execute_f64 (gpointer plan, gconstpointer in, gpointer out, gpointer scratch);
void _holo_kiss_free_f64 (gpointer plan);
