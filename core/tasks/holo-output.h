/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Output: the end that an application pulls from. */
#pragma once

#include "holo-task-factory.h"

#define HOLO_TYPE_OUTPUT_FACTORY (holo_output_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloOutputFactory, holo_output_factory, HOLO, OUTPUT_FACTORY, HoloAsyncTaskFactory)

#define HOLO_TYPE_OUTPUT_TASK (holo_output_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloOutputTask, holo_output_task, HOLO, OUTPUT_TASK, HoloAsyncTask)
