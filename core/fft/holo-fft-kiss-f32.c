/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define KISS_SUFFIX f32
#include "fft/holo-fft-kiss-lines.h"
