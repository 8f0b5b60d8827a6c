/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose sections and ends these are: a run, as far as they know it. All that they ask of it is here. */
#pragma once

#include "base/holo-types.h"

typedef struct _HoloOwner HoloOwner;

/* Any thread. */
typedef struct
{
  void (*free) (HoloOwner *owner);
  /* Ends the run: because of @error (transfer full), or (NULL) because it is to stop. */
  void (*stop) (HoloOwner *owner, GError *error);
  /* Something that may be waited for has changed. */
  void (*tell) (HoloOwner *owner);
  /* What has been left at an instant when nobody may drive it waits here. */
  void (*wait_unrested) (HoloOwner *owner, HoloSection *section);
  /* Nothing is left to do in one more of the sections, or there is again. */
  void (*section_finished) (HoloOwner *owner);
  void (*section_revived) (HoloOwner *owner);
  /* @section has slept for want of the others for long, and waits for @text. */
  void (*check_stall) (HoloOwner *owner, HoloSection *section, const gchar *text);
  /* The end of that name, made when it is not known yet; borrowed. */
  HoloEnd *(*get_end) (HoloOwner *owner, const gchar *name, gboolean is_input);
} HoloOwnerClass;

struct _HoloOwner
{
  const HoloOwnerClass *klass;
  gint ref_count;
  gint running;    /* atomic: calls may enter; set by start, cleared by the first that ends the run */
  gint started;    /* atomic: there has been a run */
  gint has_unread; /* atomic: something has finished in this run for want of readers */

  /* These three: changed before the start only. */
  gint driving; /* HoloDriving */
  gboolean may_spin;
  guint max_in_flight; /* 0: what is right */
};

void _holo_owner_init (HoloOwner *owner, const HoloOwnerClass *klass);
HoloOwner *_holo_owner_ref (HoloOwner *owner);
void _holo_owner_unref (HoloOwner *owner);

/* Around calls of tasks: inside them nobody may wait for the run. Gives what _leave_ takes. */
HoloOwner *_holo_owner_enter_tasks (HoloOwner *owner);
void _holo_owner_leave_tasks (HoloOwner *before);
/* TRUE in a call of a task (allocator, ...) of @owner: sets HOLO_ERROR_STATE. */
gboolean _holo_owner_refuses_to_wait (HoloOwner *owner, GError **error);

static inline gboolean
_holo_owner_is_running (HoloOwner *owner)
{
  return __atomic_load_n (&owner->running, __ATOMIC_ACQUIRE) != 0;
}

static inline void
_holo_owner_stop (HoloOwner *owner)
{
  owner->klass->stop (owner, NULL);
}

static inline void
_holo_owner_fail (HoloOwner *owner, GError *error)
{
  owner->klass->stop (owner, error);
}
