/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "runtime/holo-waiter.h"

void
_holo_waiter_init (HoloWaiter *waiter)
{
  waiter->armed = 0;
  g_mutex_init (&waiter->lock);
  g_cond_init (&waiter->cond);
}

void
_holo_waiter_clear (HoloWaiter *waiter)
{
  g_mutex_clear (&waiter->lock);
  g_cond_clear (&waiter->cond);
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
  gboolean woken = TRUE;

  g_mutex_lock (&waiter->lock);
  while (woken && __atomic_load_n (&waiter->armed, __ATOMIC_ACQUIRE) != 0)
    {
      if (deadline == 0)
        g_cond_wait (&waiter->cond, &waiter->lock);
      else
        woken = g_cond_wait_until (&waiter->cond, &waiter->lock, deadline);
    }
  __atomic_store_n (&waiter->armed, 0, __ATOMIC_RELEASE);
  g_mutex_unlock (&waiter->lock);
  return woken;
}

void
_holo_waiter_wake (HoloWaiter *waiter)
{
  g_mutex_lock (&waiter->lock);
  if (__atomic_exchange_n (&waiter->armed, 0, __ATOMIC_ACQ_REL) != 0)
    waiter->woken_at = g_get_monotonic_time () * 1000;
  g_cond_signal (&waiter->cond);
  g_mutex_unlock (&waiter->lock);
}
