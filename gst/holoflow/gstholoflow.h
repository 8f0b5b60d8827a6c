/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one header to include: <gst/holoflow/gstholoflow.h>. Tensors in GStreamer buffers, for applications and
 * elements. */
#pragma once

#include <gst/holoflow/gstholo-api.h>
#include <gst/holoflow/gstholoinfo.h>
#include <gst/holoflow/gstholotensormeta.h>
#include <gst/holoflow/gstholofence.h>
#include <gst/holoflow/gstholobuffer.h>
#include <gst/holoflow/gstholoframe.h>
#include <gst/holoflow/gstholoelements.h>
