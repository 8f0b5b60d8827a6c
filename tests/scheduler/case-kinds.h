/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two more kinds for what is asked of a graph that changes:
 *
 *   Metered  id, amount   adds `amount` to each element; counts by `id` what its factories are asked for, and how many of
 *                         its tasks live
 *   Ear      gain         multiplies by `gain`; answers each event with {"heard": the event, "frame": the element}
 */
#pragma once

#include <holoflow/holoflow.h>

G_BEGIN_DECLS

/* Adds both to the registry of the test kinds. */
void case_kinds_register (void);

#define CASE_METERED_IDS 8
typedef struct
{
  gint n_infers;
  gint n_creates;
  gint n_updates;
} CaseMeter;
CaseMeter case_metered_get (guint id);
guint case_metered_get_n_alive (void);

/* Calls of an Ear so far, and those of them that found no reader or no writer. */
guint case_ear_get_n_calls (void);
guint case_ear_get_n_deaf (void);

G_END_DECLS
