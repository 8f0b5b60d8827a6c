/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "runtime/holo-runner-private.h"
#include "runtime/holo-scheduler.h"

HoloRunner *_holo_scheduler_get_runner (HoloScheduler *scheduler); /* borrowed */
