/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where one thread sleeps until something may have changed, and many may wake it.
 *
 *   waiter: prepare; look again; still nothing: wait          waker: change something; notify
 *
 * Both sides make a read-modify-write on `armed`: either the waker sees it set, or the waiter's second look sees the
 * change. While nobody is about to sleep a notify is one locked instruction on a line that only wakers write. */
#pragma once

#include <glib.h>
#include <pthread.h>

typedef struct
{
  gchar pad_before[60];
  gint armed;
  gint lent;            /* of a section: whether others may run it, see holo-section-lend.c */
  gchar pad_after[60];  /* the two above are the wakers'; what follows is touched only around a sleep */
  pthread_mutex_t lock; /* not GLib's: ThreadSanitizer knows that these may be signalled without the lock */
  pthread_cond_t cond;
  gint64 woken_at; /* ns, monotonic: when somebody last woke the sleeper */
} HoloWaiter;

void _holo_waiter_init (HoloWaiter *waiter);
void _holo_waiter_clear (HoloWaiter *waiter);
/* What the sleeper needs: to be woken at once, or when it suits the waker: then it sleeps only for a moment, see
 * wake_other_side() in holo-section.c. Values of `armed`. */
enum
{
  HOLO_WAITER_PATIENT = 1,
  HOLO_WAITER_URGENT = 2,
};

void _holo_waiter_prepare (HoloWaiter *waiter, gint how);
void _holo_waiter_cancel (HoloWaiter *waiter);
/* Until a notify after prepare, or @deadline (monotonic µs, 0 = none). FALSE at the deadline. */
gboolean _holo_waiter_wait (HoloWaiter *waiter, gint64 deadline);
void _holo_waiter_wake (HoloWaiter *waiter);

/* Whether somebody sleeps, or is about to, who must be woken now. */
static inline gboolean
_holo_waiter_is_urgent (HoloWaiter *waiter)
{
  return __atomic_fetch_or (&waiter->armed, 0, __ATOMIC_ACQ_REL) == HOLO_WAITER_URGENT;
}

static inline void
_holo_waiter_notify (HoloWaiter *waiter)
{
  if (__atomic_fetch_or (&waiter->armed, 0, __ATOMIC_ACQ_REL) != 0)
    _holo_waiter_wake (waiter);
}
