/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The task behind copies that the compiler inserts: same layout on both sides. */
#pragma once

#include "task/holo-task-factory.h"

#define HOLO_TYPE_COPY_NODE_FACTORY (holo_copy_node_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloCopyNodeFactory, holo_copy_node_factory, HOLO, COPY_NODE_FACTORY, HoloSyncTaskFactory)
