/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sections that others run while their own thread sleeps.
 *
 * A section without nodes only moves references from one asynchronous task to the next: far less work than waking a thread
 * for it. So while such a section sleeps it is lent: whoever would wake it runs it instead, in its own thread, until it is
 * refused again. Sections with nodes never are: their tasks may take as long as they like, and the queues between them are
 * there so that nobody waits for that. Neither are those that forward slowly (copies of large frames), or wait for a time or
 * a device, or that a caller drives, who is told of each iteration.
 *
 * The borrower leaves the section as its own thread would before a sleep: refused by a look that came after the thread had
 * prepared for its sleep. What happens later wakes that thread as ever. Who comes while the section is out asks the
 * borrower to look again. */
#include "runtime/holo-section-phases.h"

#include "device/holo-runtime-hooks.h"

#define LIGHT     5000  /* ns of work per iteration */
#define HEAVY     64000 /* ns; more is not told apart */
#define MAX_LOOKS 1024  /* in one go: then its own thread goes on */
#define MAX_DEPTH 32    /* what is borrowed may wake the next one, and so on */

typedef enum
{
  HOME,    /* its own thread is awake, or the section is not for others */
  OFFERED, /* its own thread sleeps */
  TAKEN,
  AGAIN,  /* taken, and there is something new */
  WANTED, /* taken, and its own thread waits to have it back */
} Lent;

static gboolean
change (HoloSection *section, gint from, gint to)
{
  return __atomic_compare_exchange_n (&section->worker.waiter.lent, &from, to, FALSE, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE);
}

/* After an iteration. */
void
_holo_section_note_work (HoloSection *section)
{
  if (section->work > section->work_time)
    section->work_time = MIN (section->work, HEAVY);
  else
    section->work_time -= (section->work_time - section->work) / 8;
  section->work = 0;
}

gboolean
_holo_section_is_lendable (HoloSection *section)
{
  return section->n_nodes == 0 && !section->worker.caller_driven && !section->uses_device &&
         section->work_time <= LIGHT;
}

/* Before the section's own thread sleeps, prepared. */
gboolean
_holo_section_lend (HoloSection *section)
{
  if (!_holo_section_is_lendable (section))
    return FALSE;
  holo_runtime_publish (section);
  __atomic_store_n (&section->worker.waiter.lent, OFFERED, __ATOMIC_RELEASE);
  return TRUE;
}

/* After the sleep; waits for a borrower, who does not wait for anything himself. */
void
_holo_section_take_back (HoloSection *section)
{
  HoloWaiter *waiter = &section->worker.waiter;

  while (!change (section, OFFERED, HOME))
    {
      if (!change (section, TAKEN, WANTED) && !change (section, AGAIN, WANTED))
        continue;
      pthread_mutex_lock (&waiter->lock);
      while (__atomic_load_n (&waiter->lent, __ATOMIC_ACQUIRE) == WANTED)
        pthread_cond_wait (&waiter->cond, &waiter->lock);
      pthread_mutex_unlock (&waiter->lock);
    }
  holo_runtime_observe (section);
}

/* FALSE: somebody came after the last look. */
static gboolean
give_back (HoloSection *section)
{
  HoloWaiter *waiter = &section->worker.waiter;

  if (change (section, TAKEN, OFFERED))
    return TRUE;
  if (change (section, AGAIN, OFFERED))
    return FALSE;
  pthread_mutex_lock (&waiter->lock);
  __atomic_store_n (&waiter->lent, OFFERED, __ATOMIC_RELEASE);
  pthread_cond_signal (&waiter->cond);
  pthread_mutex_unlock (&waiter->lock);
  return TRUE; /* its own thread is awake */
}

/* Its own thread is wanted to look again after a time, and once it has turned out that the section is not light. */
static gboolean
may_sleep_on (HoloSection *section)
{
  if (section->work_time > LIGHT)
    return FALSE;
  for (guint i = 0; i < section->n_parts; i++)
    if (section->parts[i].refused && section->parts[i].next_try != 0)
      return FALSE;
  return __atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) == 0;
}

static HoloOpResult
run_borrowed (HoloSection *section)
{
  g_autoptr (GError) error = NULL;
  HoloOpResult result;
  guint n_looks = 0;

  _holo_section_count_wait (section, _holo_section_lap (section), FALSE);
  do
    result = _holo_section_run (section, FALSE, NULL, &error);
  while ((result == HOLO_OP_OK || (result == HOLO_OP_NOT_READY && change (section, AGAIN, TAKEN))) &&
         ++n_looks < MAX_LOOKS);
  if (result == HOLO_OP_ERROR)
    _holo_owner_fail (section->owner, g_steal_pointer (&error));
  return result;
}

/* In place of waking the thread of @section; FALSE: it has to be woken. */
gboolean
_holo_section_borrow (HoloSection *section, HoloSection *borrower)
{
  HoloOpResult result;
  gboolean stays;

  if (__atomic_load_n (&section->worker.waiter.lent, __ATOMIC_RELAXED) == HOME)
    return FALSE;
  if (change (section, TAKEN, AGAIN) || change (section, AGAIN, AGAIN))
    return TRUE;
  if ((borrower->worker.caller_driven && !borrower->may_spin) || borrower->depth >= MAX_DEPTH ||
      !change (section, OFFERED, TAKEN))
    return FALSE;
  if (section->work_time > LIGHT) /* its own thread has been called, and is not up yet */
    {
      give_back (section);
      return FALSE;
    }
  holo_runtime_observe (section);
  section->depth = borrower->depth + 1;
  result = run_borrowed (section);
  section->depth = 0;
  stays = result == HOLO_OP_NOT_READY && may_sleep_on (section);
  __atomic_store_n (&section->sleep_since, section->clock / 1000, __ATOMIC_RELAXED);
  holo_runtime_publish (section);
  if (!give_back (section) || !stays)
    _holo_waiter_notify (&section->worker.waiter);
  _holo_section_lap (borrower); /* that was not its own time */
  return TRUE;
}
