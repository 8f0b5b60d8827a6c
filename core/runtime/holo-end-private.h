/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of an end: a one-frame slot between the application's threads and a section, under one mutex. The tasks of the
 * kinds Input and Output are the section's side of it. */
#pragma once

#include <pthread.h>

#include "task/holo-task.h"
#include "runtime/holo-end.h"
#include "runtime/holo-owner.h"
#include "runtime/holo-worker.h"

/* Reference counted, so that it is notified after its last use and not in the middle of one. */
typedef struct
{
  gint ref_count;
  HoloAllocFunc func;
  gpointer data;
  GDestroyNotify notify;
} HoloEndAllocator;

HoloEndAllocator *_holo_end_get_allocator (HoloEnd *end); /* nullable, a reference */
void _holo_end_allocator_unref (HoloEndAllocator *allocator);

typedef enum
{
  HOLO_END_UNSTARTED,
  HOLO_END_OPEN,
  HOLO_END_OVER,
} HoloEndRun;

struct _HoloEnd
{
  gint ref_count;
  gchar *name;
  gboolean is_input;
  HoloOwner *owner; /* a reference: a shell is left of it when its scheduler has gone */

  pthread_mutex_t
      lock; /* guards the rest. A leaf but for the runner's `control`, which may be held when it is taken. Not
                           GLib's: ThreadSanitizer knows that the condition may be signalled without the lock */
  pthread_cond_t wake;
  guint n_sleepers;
  guint n_wakes; /* something that a sleeper has to look at has changed, other than the slot */
  HoloEndRun run;
  HoloOpResult over; /* what is said once the run is over: EOF or CANCELLED */
  gboolean flushing;
  gboolean held;  /* Input: an update drains what it holds; nothing more is taken meanwhile */
  gboolean ended; /* no frame follows */
  gboolean
      unwanted;    /* Input: nobody pops any more. Output: closed by the application, for this run. Read without lock */
  gboolean unread; /* Output: frames are dropped */
  gboolean reported;   /* Output: it has been said in this run that nobody pulls */
  HoloFrame slot;      /* block NULL: empty */
  guint64 next_number; /* Input: of the next frame */
  guint64 n_frames;    /* passed in this run */

  HoloTask *task;      /* nullable: there is no such node. Borrowed from the plan */
  HoloWorker *worker;  /* nullable, a reference: who pops from the Input, or pushes into the Output */
  HoloTensorDesc desc; /* Input: what it takes */
  gboolean writable;
  HoloDevice *device; /* Input: of the plan; borrowed */

  HoloEndAllocator *allocator;
};

HoloEnd *_holo_end_new (HoloOwner *owner, const gchar *name, gboolean is_input);

/* The runner's side, any thread. */
void _holo_end_bind (HoloEnd *end, HoloTask *task, HoloWorker *worker);
void _holo_end_unbind (HoloEnd *end);
void _holo_end_set_desc (HoloEnd *input, const HoloTensorDesc *desc, gboolean writable, HoloDevice *device);
void _holo_end_open (HoloEnd *end);
void _holo_end_join (HoloEnd *end);
void _holo_end_finish (HoloEnd *end, HoloOpResult over);
void _holo_end_set_flushing (HoloEnd *end, gboolean flushing);
void _holo_end_set_held (HoloEnd *end, gboolean held);
void _holo_end_wake (HoloEnd *end);
void _holo_end_set_wanted (HoloEnd *input);
/* Drops the frame in the slot; whether there was one. */
gboolean _holo_end_drop (HoloEnd *end);

/* The section's side, with its role. */
HoloOpResult _holo_end_pop (HoloEnd *input, HoloTensorView *view);
HoloOpResult _holo_end_offer (HoloEnd *output, const HoloTensorView *view);
gboolean _holo_end_is_ready (HoloEnd *input);
gboolean _holo_end_is_flushing (HoloEnd *end);
guint64 _holo_end_get_n_frames (HoloEnd *end);
/* Whether it is worth saying that nobody has pulled from it since the run began, and saying so, once. */
gboolean _holo_end_lacks_reader (HoloEnd *output);
void _holo_end_report_no_reader (HoloEnd *output);
void _holo_end_no_more_input (HoloEnd *end);
void _holo_end_no_more_output (HoloEnd *end);
void _holo_end_reset (HoloEnd *end);

/* A section looks in every iteration. */
static inline gboolean
_holo_end_is_closed (HoloEnd *output)
{
  return __atomic_load_n (&output->unwanted, __ATOMIC_ACQUIRE);
}
