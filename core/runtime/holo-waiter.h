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

typedef struct
{
  gint armed;
  gchar pad[60]; /* the line above is the wakers'; what follows is touched only around a sleep */
  GMutex lock;
  GCond cond;
} HoloWaiter;

void _holo_waiter_init (HoloWaiter *waiter);
void _holo_waiter_clear (HoloWaiter *waiter);
void _holo_waiter_prepare (HoloWaiter *waiter);
void _holo_waiter_cancel (HoloWaiter *waiter);
/* Until a notify after prepare, or @deadline (monotonic µs, 0 = none). FALSE at the deadline. */
gboolean _holo_waiter_wait (HoloWaiter *waiter, gint64 deadline);
void _holo_waiter_wake (HoloWaiter *waiter);

static inline void
_holo_waiter_notify (HoloWaiter *waiter)
{
  if (__atomic_fetch_or (&waiter->armed, 0, __ATOMIC_ACQ_REL) != 0)
    _holo_waiter_wake (waiter);
}
