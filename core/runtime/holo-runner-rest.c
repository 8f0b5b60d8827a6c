/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making sections stand still: their drivers are asked to leave at their next wait, and stay away until they are let go.
 * Only an operation does this, so only it ever holds more than one role. */
#include "base/holo-error.h"
#include "runtime/holo-runner-private.h"
#include "device/holo-runtime-hooks.h"

static gboolean
is_meant (const gboolean *which, guint index)
{
  return which == NULL || which[index];
}

void
_holo_runner_rest (HoloRunner *runner, HoloBound *bound, const gboolean *which)
{
  for (guint i = 0; i < bound->n_sections; i++)
    if (is_meant (which, i))
      {
        _holo_section_request (bound->sections[i], HOLO_REQUEST_REST);
        g_cancellable_cancel (bound->sections[i]->memory_cancellable);
      }
  for (guint i = 0; i < bound->n_sections; i++)
    if (is_meant (which, i))
      {
        g_mutex_lock (&bound->sections[i]->role);
        holo_runtime_observe (bound->sections[i]);
        bound->sections[i]->clock = g_get_monotonic_time () * 1000;
      }
}

/* A stop or a flush has cancelled it for good, or will. */
static void
reset_memory_cancellable (HoloSection *section)
{
  gint requests = __atomic_load_n (&section->requests, __ATOMIC_ACQUIRE);

  if ((requests & (HOLO_REQUEST_STOP | HOLO_REQUEST_FLUSH)) == 0)
    g_cancellable_reset (section->memory_cancellable);
}

void
_holo_runner_unrest (HoloRunner *runner, HoloBound *bound, const gboolean *which)
{
  _holo_runner_lock (runner);
  while (runner->n_cancelling > 0)
    g_cond_wait (&runner->changed, &runner->control);
  for (guint i = 0; i < bound->n_sections; i++)
    if (is_meant (which, i))
      {
        reset_memory_cancellable (bound->sections[i]);
        holo_runtime_publish (bound->sections[i]);
        _holo_section_clear_request (bound->sections[i], HOLO_REQUEST_REST | HOLO_REQUEST_DELIVER);
        g_mutex_unlock (&bound->sections[i]->role);
      }
  g_cond_broadcast (&runner->changed);
  _holo_runner_unlock (runner);
}

void
_holo_runner_synchronize (HoloBound *bound, const gboolean *which)
{
  for (guint i = 0; i < bound->n_sections; i++)
    if (is_meant (which, i) && bound->sections[i]->uses_device)
      holo_stream_synchronize (bound->sections[i]->stream, NULL);
}

gboolean
_holo_runner_fold (HoloBound *bound, const gboolean *which, GError **error)
{
  gboolean success = TRUE;

  for (guint i = 0; i < bound->n_sections && success; i++)
    if (is_meant (which, i))
      success = _holo_section_prepare_fold (bound->sections[i], error);
  for (guint i = 0; i < bound->n_sections; i++)
    {
      g_autoptr (GError) local_error = NULL;

      if (!is_meant (which, i))
        continue;
      if (!success)
        _holo_section_cancel_fold (bound->sections[i]);
      else if (!_holo_section_fold (bound->sections[i], &local_error))
        _holo_owner_fail (bound->sections[i]->owner, g_steal_pointer (&local_error)); /* of the device */
    }
  return success;
}
