/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an application does with a graph that has Inputs and Outputs: a thread for each. */
#pragma once

#include <holoflow/holoflow.h>

#include "interpreter.h"

G_BEGIN_DECLS

/* Feeds and empties a started scheduler until all ends have ended. @found: per collector what was pulled;
 * the caller frees. */
void model_ends_run (const Model *model, HoloScheduler *scheduler, GPtrArray *found[MODEL_MAX_NODES]);

G_END_DECLS
