/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random graphs of test kinds. */
#pragma once

#include <holoflow/holoflow.h>

#include "interpreter.h"

G_BEGIN_DECLS

/* The same for the same @seed. Its sections are not checked, its capacities may be too small. */
void random_model (Model *model, guint seed);
/* Nodes that lie on the device get copies before and after them. With @use_ends sources become Inputs and
 * collectors
 * Outputs. */
HoloGraph *model_to_graph (const Model *model, gboolean use_device, gboolean use_ends);
gchar *model_to_text (const Model *model);

G_END_DECLS
