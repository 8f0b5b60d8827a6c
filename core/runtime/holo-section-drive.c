/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sections that a caller drives: one call is one iteration, or less. */
#include <sched.h>

#include "runtime/holo-section-phases.h"

#include "base/holo-error.h"
#include "device/holo-runtime-hooks.h"

static void
on_caller_cancelled (GCancellable *cancellable, gpointer user_data)
{
  HoloSection *section = user_data;

  g_cancellable_cancel (section->cancellable);
  g_cancellable_cancel (section->memory_cancellable);
  _holo_waiter_notify (&section->worker.waiter);
}

static void
reset_unless (HoloSection *section, GCancellable *cancellable, gint reasons)
{
  if (g_cancellable_is_cancelled (cancellable) &&
      (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & reasons) == 0)
    g_cancellable_reset (cancellable);
}

/* The caller's cancellable ends this call only: afterwards the section's own are usable again. */
static void
forget_caller (HoloSection *section, GCancellable *cancellable, gulong handler)
{
  if (cancellable == NULL)
    return;
  g_cancellable_disconnect (cancellable, handler);
  reset_unless (section, section->cancellable, HOLO_REQUEST_STOP | HOLO_REQUEST_FLUSH);
  reset_unless (section, section->memory_cancellable, HOLO_REQUEST_STOP | HOLO_REQUEST_FLUSH | HOLO_REQUEST_REST);
}

static HoloOpResult
drive_once (HoloSection *section, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  HoloOwner *before;
  gulong handler = 0;
  HoloOpResult result;

  holo_runtime_observe (section);
  __atomic_store_n (&section->driving, 1, __ATOMIC_RELEASE);
  if (cancellable != NULL)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (on_caller_cancelled), section, NULL);
  section->clock = _holo_section_now ();
  before = _holo_owner_enter_tasks (section->owner);
  result = _holo_section_run (section, may_wait, cancellable, &local_error);
  _holo_owner_leave_tasks (before);
  forget_caller (section, cancellable, handler);
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
  __atomic_store_n (&section->driving, 0, __ATOMIC_RELEASE);
  holo_runtime_publish (section);
  if (result == HOLO_OP_ERROR)
    {
      _holo_owner_fail (section->owner, g_error_copy (local_error));
      g_propagate_error (error, g_steal_pointer (&local_error));
    }
  return result;
}

static gboolean
has_to_rest (HoloSection *section)
{
  return (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & HOLO_REQUEST_REST) != 0;
}

static void
leave_role (HoloSection *section)
{
  g_mutex_unlock (&section->role);
  if (G_UNLIKELY (has_to_rest (section)))
    section->owner->klass->tell (section->owner);
}

/* With the role: whether there is anything to drive here, or what to say instead. */
static HoloOpResult
check_drivable (HoloSection *section)
{
  if (G_UNLIKELY (!_holo_owner_is_running (section->owner)))
    return __atomic_load_n (&section->finished, __ATOMIC_ACQUIRE) ? HOLO_OP_EOF : HOLO_OP_CANCELLED;
  return section->is_bound ? HOLO_OP_OK : HOLO_OP_EOF;
}

/* The role may be held by a driver, which will look again, or for a moment by whoever changes or ends the run. */
static gboolean
take_role_unless_driven (HoloSection *section, gboolean may_wait)
{
  while (!g_mutex_trylock (&section->role))
    {
      if (__atomic_load_n (&section->driving, __ATOMIC_ACQUIRE) ||
          !__atomic_load_n (&section->worker.caller_driven, __ATOMIC_ACQUIRE))
        return FALSE;
      if (may_wait)
        section->owner->klass->wait_unrested (section->owner, section);
      else if (has_to_rest (section))
        return FALSE;
      sched_yield (); /* g_thread_yield() sleeps in newer GLib */
    }
  return TRUE;
}

static HoloOpResult
refuse (GError **error, const gchar *why)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_STATE, "%s", why);
  return HOLO_OP_ERROR;
}

/* An update may ask for the role meanwhile; the section is found again behind it. */
static HoloOpResult
iterate (HoloSection *section, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  HoloOpResult result;
  gboolean rests;

  do
    {
      if (may_wait)
        section->owner->klass->wait_unrested (section->owner, section);
      else if (has_to_rest (section))
        return HOLO_OP_NOT_READY;                       /* the update may need the caller elsewhere to get on */
      if (!take_role_unless_driven (section, may_wait)) /* by somebody who pushes */
        return may_wait ? refuse (error, "another thread drives this section") : HOLO_OP_NOT_READY;
      result = check_drivable (section);
      if (result == HOLO_OP_OK)
        result = drive_once (section, may_wait, cancellable, error);
      rests = result == HOLO_OP_NOT_READY && has_to_rest (section); /* it may be over once the role is free */
      leave_role (section);
    }
  while (rests && may_wait && _holo_owner_is_running (section->owner));
  return result;
}

static HoloOpResult
claim_and_iterate (HoloSection *section, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  HoloOpResult result;

  if (_holo_owner_refuses_to_wait (section->owner, error))
    return HOLO_OP_ERROR;
  if (!__atomic_load_n (&section->owner->started, __ATOMIC_ACQUIRE))
    return refuse (error, "nothing has been started yet");
  if (!__atomic_load_n (&section->worker.caller_driven, __ATOMIC_ACQUIRE) && _holo_owner_is_running (section->owner))
    return refuse (error, "a thread of the scheduler drives this section (see holo_scheduler_set_driving())");
  if (__atomic_exchange_n (&section->iterating, 1, __ATOMIC_ACQ_REL))
    return refuse (error, "another thread iterates this section");
  result = iterate (section, may_wait, cancellable, error);
  __atomic_store_n (&section->iterating, 0, __ATOMIC_RELEASE);
  return result;
}

/**
 * holo_section_iterate:
 * @section: a section of a running scheduler
 * @cancellable: (nullable): ends this call only; the next one goes on where it stopped
 * @error: set exactly when the result is %HOLO_OP_ERROR; the run has then failed, unless it is %HOLO_ERROR_STATE
 *
 * Runs one iteration in the caller's thread; blocks as a thread of the scheduler would. During an update it stands aside and
 * goes on afterwards.
 *
 * Returns: OK after an iteration, EOF when the section has finished or is gone, CANCELLED (also when the run is over),
 *   FLUSHED, ERROR, or NOT_READY after holo_section_interrupt(). ERROR with %HOLO_ERROR_STATE before the first start, while
 *   another thread drives it or it has a thread of its own, and inside a task
 *
 * Since: 0.1
 */
HoloOpResult
holo_section_iterate (HoloSection *section, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (section != NULL, HOLO_OP_ERROR);

  return claim_and_iterate (section, TRUE, cancellable, error);
}

/**
 * holo_section_try_iterate:
 * @section: a section of a running scheduler
 * @error: set exactly when the result is %HOLO_OP_ERROR
 *
 * Goes as far as it can without waiting; a later call goes on there.
 *
 * Returns: as holo_section_iterate(), NOT_READY where that would wait
 *
 * Since: 0.1
 */
HoloOpResult
holo_section_try_iterate (HoloSection *section, GError **error)
{
  g_return_val_if_fail (section != NULL, HOLO_OP_ERROR);

  return claim_and_iterate (section, FALSE, NULL, error);
}

/**
 * holo_section_interrupt:
 * @section: a section
 *
 * The holo_section_iterate() that waits now, or the next one that would, returns NOT_READY once; nothing is lost.
 *
 * Since: 0.1
 */
void
holo_section_interrupt (HoloSection *section)
{
  g_return_if_fail (section != NULL);

  _holo_section_request (section, HOLO_REQUEST_INTERRUPT);
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
      section->owner->klass->wait_unrested (section->owner, section);
      holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
      if (!take_role_unless_driven (section, TRUE))
        return HOLO_OP_OK;
      result = check_drivable (section);
      complete = result == HOLO_OP_OK && _holo_section_inputs_are_ready (section);
      if (complete)
        result = drive_once (section, TRUE, cancellable, error);
      else if (end && result == HOLO_OP_OK)
        result = drive_once (section, FALSE, NULL, error);
      /* One look may stand for several offers: a frame and the end behind it take an iteration each. */
      again = (result == HOLO_OP_OK && _holo_section_inputs_are_ready (section)) ||
              (complete && result == HOLO_OP_NOT_READY && has_to_rest (section));
      leave_role (section);
      holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
    }
  while (again || ((result == HOLO_OP_OK || result == HOLO_OP_NOT_READY) &&
                   seen != __atomic_load_n (&section->offers, __ATOMIC_ACQUIRE)));
  return result;
}
