/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "runtime/holo-waiter.h"

#include <time.h>

void
_holo_waiter_init (HoloWaiter *waiter)
{
  pthread_condattr_t attributes;

  waiter->armed = 0;
  waiter->woken_at = 0;
  pthread_mutex_init (&waiter->lock, NULL);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&waiter->cond, &attributes);
  pthread_condattr_destroy (&attributes);
}

void
_holo_waiter_clear (HoloWaiter *waiter)
{
  pthread_cond_destroy (&waiter->cond);
  pthread_mutex_destroy (&waiter->lock);
}

void
_holo_waiter_prepare (HoloWaiter *waiter, gint how)
{
  __atomic_exchange_n (&waiter->armed, how, __ATOMIC_ACQ_REL);
}

void
_holo_waiter_cancel (HoloWaiter *waiter)
{
  __atomic_store_n (&waiter->armed, 0, __ATOMIC_RELEASE);
}

gboolean
_holo_waiter_wait (HoloWaiter *waiter, gint64 deadline)
{
  struct timespec until = { (time_t) (deadline / G_USEC_PER_SEC), (glong) (deadline % G_USEC_PER_SEC) * 1000 };
  gboolean woken = TRUE;

  pthread_mutex_lock (&waiter->lock);
  while (woken && __atomic_load_n (&waiter->armed, __ATOMIC_ACQUIRE) != 0)
    {
      if (deadline == 0)
        pthread_cond_wait (&waiter->cond, &waiter->lock);
      else
        woken = pthread_cond_timedwait (&waiter->cond, &waiter->lock, &until) == 0;
    }
  __atomic_store_n (&waiter->armed, 0, __ATOMIC_RELEASE);
  pthread_mutex_unlock (&waiter->lock);
  return woken;
}

/* The signal comes after the lock is free: who wakes up needs it first of all, and would sleep once more. */
void
_holo_waiter_wake (HoloWaiter *waiter)
{
  gboolean was_armed;

  pthread_mutex_lock (&waiter->lock);
  was_armed = __atomic_exchange_n (&waiter->armed, 0, __ATOMIC_ACQ_REL) != 0;
  if (was_armed)
    waiter->woken_at = g_get_monotonic_time () * 1000;
  pthread_mutex_unlock (&waiter->lock);
  if (was_armed)
    pthread_cond_signal (&waiter->cond);
}
