/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Output: the end that an application pulls from. */
#pragma once

#include "holo-task-factory.h"

#define HOLO_TYPE_OUTPUT_FACTORY (holo_output_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloOutputFactory, holo_output_factory, HOLO, OUTPUT_FACTORY, HoloAsyncTaskFactory)

#define HOLO_TYPE_OUTPUT_TASK (holo_output_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloOutputTask, holo_output_task, HOLO, OUTPUT_TASK, HoloAsyncTask)

/* Takes the frame that waits. OK, NOT_READY, or EOF after the last one. */
HoloOpResult _holo_output_task_take (HoloOutputTask *task, HoloFrame *frame);
gboolean _holo_output_task_has_frame (HoloOutputTask *task);
/* Nobody takes any more (or somebody does again). */
void _holo_output_task_set_closed (HoloOutputTask *task, gboolean closed);
