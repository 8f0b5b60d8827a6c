/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include <holoflow/holoflow.h>

#ifndef GST_HOLO_API
#define GST_HOLO_API __attribute__ ((visibility ("default"))) extern
#endif
