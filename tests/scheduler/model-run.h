/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a model as a real graph and compares what it collects with the interpreter. */
#pragma once

#include <holoflow/holoflow.h>

#include "interpreter.h"

G_BEGIN_DECLS

#define MODEL_RUN_DEVICE     1 /* on the simulated device */
#define MODEL_RUN_DRIVE      2 /* without threads of the scheduler */
#define MODEL_RUN_NO_SHARING 4 /* every tensor has its own storage */
#define MODEL_RUN_ENDS                                                                                                 \
  8 /* threads of an application push into Inputs and pull from Outputs; with _DRIVE those that
                                  push also drive */

/* The simulated device and the happens-before checker, around everything else. */
void model_run_start (void);
void model_run_stop (void);
HoloDevice *model_run_get_device (void);

/* Returns 1 when capacities or an end had to be changed. The caller frees @frames. */
guint model_make_runnable (Model *model, GPtrArray *frames[MODEL_MAX_NODES]);
/* Ends the program with @label and the graph when anything differs. */
void model_run (const Model *model, const gchar *label, guint way, GPtrArray *frames[MODEL_MAX_NODES]);

G_END_DECLS
