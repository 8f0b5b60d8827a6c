/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sections that a caller drives: one call is one iteration, or less. */
#include <sched.h>

#include "runtime/holo-section-phases.h"

#include "runtime/holo-runtime-hooks.h"

static void
on_caller_cancelled (GCancellable *cancellable, gpointer user_data)
{
  HoloSection *section = user_data;

  g_cancellable_cancel (section->cancellable);
  _holo_waiter_notify (&section->waiter);
}

/* The caller's cancellable ends this call only: afterwards the section's own is usable again. */
static void
forget_caller (HoloSection *section, GCancellable *cancellable, gulong handler)
{
  if (cancellable == NULL)
    return;
  g_cancellable_disconnect (cancellable, handler);
  if (g_cancellable_is_cancelled (section->cancellable)
      && (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & (HOLO_REQUEST_STOP | HOLO_REQUEST_FLUSH)) == 0)
    g_cancellable_reset (section->cancellable);
}

static HoloOpResult
drive_once (HoloSection *section, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  gulong handler = 0;
  HoloOpResult result;

  holo_runtime_observe (section);
  __atomic_store_n (&section->driving, 1, __ATOMIC_RELEASE);
  if (cancellable != NULL)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (on_caller_cancelled), section, NULL);
  section->clock = _holo_section_now ();
  result = _holo_section_run (section, may_wait, cancellable, &local_error);
  forget_caller (section, cancellable, handler);
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
  __atomic_store_n (&section->driving, 0, __ATOMIC_RELEASE);
  holo_runtime_publish (section);
  if (result == HOLO_OP_ERROR)
    {
      _holo_scheduler_fail (section->scheduler, g_error_copy (local_error));
      g_propagate_error (error, g_steal_pointer (&local_error));
    }
  return result;
}

static HoloOpResult
enter_and_drive (HoloSection *section, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  HoloOpResult result;

  if (!_holo_scheduler_enter (section->scheduler))
    return __atomic_load_n (&section->finished, __ATOMIC_ACQUIRE) ? HOLO_OP_EOF : HOLO_OP_CANCELLED;
  do
    {
      _holo_scheduler_wait_unparked (section->scheduler, section);
      g_mutex_lock (&section->role);
      result = drive_once (section, may_wait, cancellable, error);
      g_mutex_unlock (&section->role);
    }
  while (result == HOLO_OP_NOT_READY
         && (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & HOLO_REQUEST_PARK) != 0);
  _holo_scheduler_leave (section->scheduler);
  return result;
}

/**
 * holo_section_iterate:
 * @section: a section of a running scheduler
 * @cancellable: (nullable): ends this call
 * @error: set exactly when the result is %HOLO_OP_ERROR; the run has then failed
 *
 * Returns: OK after an iteration, EOF when the section has finished, CANCELLED, FLUSHED, ERROR, or NOT_READY after
 *   holo_section_interrupt()
 */
HoloOpResult
holo_section_iterate (HoloSection *section, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (section != NULL, HOLO_OP_ERROR);

  return enter_and_drive (section, TRUE, cancellable, error);
}

/**
 * holo_section_try_iterate:
 * @section: a section of a running scheduler
 * @error: set exactly when the result is %HOLO_OP_ERROR
 *
 * Goes as far as it can without waiting; a later call goes on there.
 *
 * Returns: as holo_section_iterate(), NOT_READY where that would wait
 */
HoloOpResult
holo_section_try_iterate (HoloSection *section, GError **error)
{
  g_return_val_if_fail (section != NULL, HOLO_OP_ERROR);

  return enter_and_drive (section, FALSE, NULL, error);
}

/**
 * holo_section_set_may_spin:
 * @section: a caller-driven section
 * @may_spin: whether its callers may look again for a moment before they sleep
 *
 * What a wake of a sleeping thread costs here bounds that moment (some 2 to 120 us); a processor must be spare, and it is
 * offered to others meanwhile. Off unless set. Call it before the start.
 */
void
holo_section_set_may_spin (HoloSection *section, gboolean may_spin)
{
  g_return_if_fail (section != NULL);

  section->may_spin = may_spin;
}

/**
 * holo_section_interrupt:
 * @section: a section
 *
 * The holo_section_iterate() that waits now, or the next one that would, returns NOT_READY once; nothing is lost.
 */
void
holo_section_interrupt (HoloSection *section)
{
  g_return_if_fail (section != NULL);

  _holo_section_request (section, HOLO_REQUEST_INTERRUPT);
}

/* The role may be held by a driver, which will look again, or for a moment by whoever parks, flushes or ends the run. */
static gboolean
take_role_unless_driven (HoloSection *section)
{
  while (!g_mutex_trylock (&section->role))
    {
      if (__atomic_load_n (&section->driving, __ATOMIC_ACQUIRE))
        return FALSE;
      _holo_scheduler_wait_unparked (section->scheduler, section);
      sched_yield (); /* g_thread_yield() sleeps in newer GLib */
    }
  return TRUE;
}

/* The frame that completes a set may come while somebody else drives: that one looks again after it has given up the
 * role, so that no set is left lying. `offers` tells it that there is something new to look at. */
HoloOpResult
_holo_section_drive (HoloSection *section, gboolean end, GCancellable *cancellable, GError **error)
{
  HoloOpResult result = HOLO_OP_OK;
  gboolean again;
  gint seen;

  __atomic_fetch_add (&section->offers, 1, __ATOMIC_ACQ_REL);
  do
    {
      gboolean complete;

      seen = __atomic_load_n (&section->offers, __ATOMIC_ACQUIRE);
      _holo_scheduler_wait_unparked (section->scheduler, section);
      holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
      if (!take_role_unless_driven (section))
        return HOLO_OP_OK;
      complete = _holo_section_inputs_are_ready (section);
      if (complete)
        result = drive_once (section, TRUE, cancellable, error);
      else if (end)
        result = drive_once (section, FALSE, NULL, error);
      /* One look may stand for several offers: a frame and the end behind it take an iteration each. */
      again = (result == HOLO_OP_OK && _holo_section_inputs_are_ready (section))
              || (complete && result == HOLO_OP_NOT_READY
                  && (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & HOLO_REQUEST_PARK) != 0);
      g_mutex_unlock (&section->role);
      holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
    }
  while (again
         || ((result == HOLO_OP_OK || result == HOLO_OP_NOT_READY)
             && seen != __atomic_load_n (&section->offers, __ATOMIC_ACQUIRE)));
  return result;
}
