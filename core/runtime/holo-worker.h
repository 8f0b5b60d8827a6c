/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who works behind an end: a section, as far as an end knows it. */
#pragma once

#include "base/holo-types.h"
#include "runtime/holo-waiter.h"

typedef struct _HoloWorker HoloWorker;

struct _HoloWorker
{
  gint ref_count;
  gint caller_driven;    /* atomic: nobody drives it but its callers */
  guint n_bindings;      /* atomic: how often it was given an inside */
  guint64 waits_foreign; /* atomic: waits of the host for those that know no fences */
  HoloWaiter waiter;     /* its driver sleeps here */

  /* Takes the role and drives while frames are there; @end: also once more after the end of an input. OK when somebody else
   * drives. */
  HoloOpResult (*drive) (HoloWorker *worker, gboolean end, GCancellable *cancellable, GError **error);
  void (*free) (HoloWorker *worker);
};

static inline HoloWorker *
_holo_worker_ref (HoloWorker *worker)
{
  g_atomic_int_inc (&worker->ref_count);
  return worker;
}

static inline void
_holo_worker_unref (HoloWorker *worker)
{
  if (g_atomic_int_dec_and_test (&worker->ref_count))
    worker->free (worker);
}
