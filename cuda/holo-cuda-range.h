/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-cuda-task.h"

G_BEGIN_DECLS

gboolean holo_cuda_task_set_range (HoloCudaTask *task, const HoloInference *inference, guint n_outer,
                                   gboolean normalizes, gdouble minimum, gdouble maximum, GError **error);

G_END_DECLS
