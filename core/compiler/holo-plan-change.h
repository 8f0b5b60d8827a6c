/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What two plans for the same graph have in common. */
#pragma once

#include "compiler/holo-plan-private.h"

/* Whether kind, settings and tensors are the same. */
gboolean _holo_plan_node_is_unchanged (const HoloPlanNode *node, const HoloPlanNode *previous);
/* Whether a plan stays right when @a takes the place of @b: tensors, ownership and order. Rates and what is held may differ. */
gboolean _holo_inference_fits (const HoloInference *a, const HoloInference *b);
/* A plan like @plan but for one node; it shares memory, streams, storages and all other tasks with @plan, in whose place it
 * comes. @graph is what it is made of; @factory, @task and the content of @inference are taken over. */
HoloPlan *_holo_plan_change_node (HoloPlan *plan, HoloGraph *graph, guint node, HoloTaskFactory *factory,
                                  HoloTask *task, HoloInference *inference);
