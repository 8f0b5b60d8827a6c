/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pushes for a program of one thread, in which nobody could ever make room: as soon as one would sleep it is
 * called off by a helper. And what the kinds of the catalogue do, written into the log of operations. */
#pragma once

#include <holoflow/holoflow.h>

G_BEGIN_DECLS

/* Sets the hooks of the runtime, in front of those that are set. */
void call_off_start (void);
void call_off_stop (void);

HoloOpResult call_off_push (HoloEnd *input, HoloFrame *frame, GError **error);
/* @section: that takes from @input. */
HoloOpResult call_off_push_end (HoloEnd *input, HoloSection *section, GError **error);

G_END_DECLS
