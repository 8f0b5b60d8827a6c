/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kind that can misbehave: out = in + add + number of the frame. */
#pragma once

#include <holoflow/holoflow.h>

/* Memory that toys have published and not got back. */
extern gint toy_n_published;

void toy_kind_register (HoloRegistry *registry);
/* Waits until a toy is in execute(), where busy=true keeps it until it is cancelled. */
void toy_wait_busy (void);
