/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "runtime/holo-owner.h"

#include "base/holo-error.h"

static __thread HoloOwner *owner_of_tasks; /* whose task is being called in this thread */

void
_holo_owner_init (HoloOwner *owner, const HoloOwnerClass *klass)
{
  owner->klass = klass;
  owner->ref_count = 1;
}

HoloOwner *
_holo_owner_ref (HoloOwner *owner)
{
  g_atomic_int_inc (&owner->ref_count);
  return owner;
}

void
_holo_owner_unref (HoloOwner *owner)
{
  if (g_atomic_int_dec_and_test (&owner->ref_count))
    owner->klass->free (owner);
}

HoloOwner *
_holo_owner_enter_tasks (HoloOwner *owner)
{
  HoloOwner *before = owner_of_tasks;

  owner_of_tasks = owner;
  return before;
}

void
_holo_owner_leave_tasks (HoloOwner *before)
{
  owner_of_tasks = before;
}

gboolean
_holo_owner_refuses_to_wait (HoloOwner *owner, GError **error)
{
  if (G_LIKELY (owner_of_tasks != owner))
    return FALSE;
  g_set_error (
      error, HOLO_ERROR, HOLO_ERROR_STATE,
      "this call could wait for the task that makes it; do it in another thread, or after the task has returned");
  return TRUE;
}
