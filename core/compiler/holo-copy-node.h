/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kind behind copies that the compiler inserts: same layout on both sides. In no registry. */
#pragma once

#include "task/holo-task-factory.h"

HoloTaskFactory *_holo_copy_node_new (void);
