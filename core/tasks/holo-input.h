/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Input: the end that an application pushes into. Used by compiler, scheduler and this folder. */
#pragma once

#include "holo-task-factory.h"

#define HOLO_TYPE_INPUT_FACTORY (holo_input_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloInputFactory, holo_input_factory, HOLO, INPUT_FACTORY, HoloAsyncTaskFactory)

/* @desc (nullable): what will be pushed, over what the settings say. */
void _holo_input_factory_set_desc (HoloInputFactory *factory, const HoloTensorDesc *desc);

#define HOLO_TYPE_INPUT_TASK (holo_input_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloInputTask, holo_input_task, HOLO, INPUT_TASK, HoloAsyncTask)

/* Offers a frame to the one-frame slot. OK: taken (the frame is cleared). NOT_READY: full; @notify is called once, in any
 * thread, as soon as that may have changed. EOF: ended, or nobody reads any more. ERROR: the frame does not fit. */
HoloOpResult _holo_input_task_offer (HoloInputTask *task, HoloFrame *frame, GError **error);
/* Whether the slot holds a frame or the stream has ended, so that a pop will not wait. */
gboolean _holo_input_task_is_ready (HoloInputTask *task);
gboolean _holo_input_task_has_frame (HoloInputTask *task);
/* The number that the next offered frame gets. */
guint64 _holo_input_task_get_next_number (HoloInputTask *task);
/* A flush elsewhere interrupted the iteration that popped this frame: it goes out first next time. */
void _holo_input_task_put_back (HoloInputTask *task, HoloTensorView *view);
