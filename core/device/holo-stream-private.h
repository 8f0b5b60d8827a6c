/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "device/holo-stream.h"

void _holo_stream_set_device (HoloStream *stream, HoloDevice *device);
