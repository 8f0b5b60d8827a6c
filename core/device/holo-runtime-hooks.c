/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/holo-runtime-hooks.h"

void (*holo_runtime_pause_func) (HoloRuntimePause pause);

#ifdef HOLO_TESTING

const HoloRuntimeHooks *holo_runtime_hooks;
guint64 holo_runtime_states[HOLO_RUNTIME_N_STATES];
HoloRuntimeMutant holo_runtime_mutant;
HoloRuntimeWait holo_runtime_dropped_wait;

/**
 * holo_runtime_set_hooks:
 * @hooks: (nullable): functions that stay valid until the next call, or %NULL for none
 *
 * Sets the functions. Only while no scheduler of the process runs.
 */
void
holo_runtime_set_hooks (const HoloRuntimeHooks *hooks)
{
  holo_runtime_hooks = hooks;
  holo_runtime_pause_func = hooks != NULL ? hooks->pause : NULL;
}

guint64
holo_runtime_get_state_count (HoloRuntimeState state)
{
  return __atomic_load_n (&holo_runtime_states[state], __ATOMIC_RELAXED);
}

/**
 * holo_runtime_set_mutant:
 * @mutant: the fault to make, or %HOLO_RUNTIME_MUTANT_NONE
 *
 * Only while no scheduler of the process runs.
 */
void
holo_runtime_set_mutant (HoloRuntimeMutant mutant)
{
  holo_runtime_mutant = mutant;
}

/**
 * holo_runtime_drop_wait:
 * @wait: a kind of wait, or %HOLO_RUNTIME_WAIT_NONE
 *
 * Leaves all waits of that kind out. Only while no scheduler of the process runs.
 */
void
holo_runtime_drop_wait (HoloRuntimeWait wait)
{
  holo_runtime_dropped_wait = wait;
}

#endif
