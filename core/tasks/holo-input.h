/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Input: the end that an application pushes into. Used by compiler and this folder. */
#pragma once

#include "holo-task-factory.h"

#define HOLO_TYPE_INPUT_FACTORY (holo_input_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloInputFactory, holo_input_factory, HOLO, INPUT_FACTORY, HoloAsyncTaskFactory)

/* @desc (nullable): what will be pushed, over what the settings say. */
void _holo_input_factory_set_desc (HoloInputFactory *factory, const HoloTensorDesc *desc);

#define HOLO_TYPE_INPUT_TASK (holo_input_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloInputTask, holo_input_task, HOLO, INPUT_TASK, HoloAsyncTask)
