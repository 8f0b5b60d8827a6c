/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a section waits for frames and room. */
#include "runtime/holo-section-phases.h"

#include "device/holo-runtime-hooks.h"

#define PATIENCE   200 /* µs */
#define STALL_TIME (5 * G_USEC_PER_SEC)

HoloOpResult
_holo_section_check_requests (HoloSection *section, GCancellable *cancellable, gboolean waiting)
{
  gint requests = __atomic_load_n (&section->requests, __ATOMIC_ACQUIRE);

  if (requests & HOLO_REQUEST_STOP) /* which comes at the natural end, too */
    return __atomic_load_n (&section->finished, __ATOMIC_ACQUIRE) ? HOLO_OP_EOF : HOLO_OP_CANCELLED;
  if (requests & HOLO_REQUEST_FLUSH)
    return HOLO_OP_FLUSHED;
  if (waiting && (requests & (HOLO_REQUEST_INTERRUPT | HOLO_REQUEST_REST)) == HOLO_REQUEST_INTERRUPT)
    { /* one that meets a rest is for afterwards */
      __atomic_fetch_and (&section->requests, ~HOLO_REQUEST_INTERRUPT, __ATOMIC_ACQ_REL);
      return HOLO_OP_NOT_READY;
    }
  if (cancellable != NULL && g_cancellable_is_cancelled (cancellable))
    return HOLO_OP_CANCELLED;
  return HOLO_OP_OK;
}

static gboolean
waits_for_application (HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    {
      const HoloPart *part = &section->parts[i];

      if (part->refused && part->boundary != NULL && (part->boundary->is_input || part->boundary->is_output))
        return TRUE;
    }
  return FALSE;
}

/* An Output that is waited for and that nobody has ever pulled in this run; NULL if there is none, or it has been told. */
static HoloEnd *
find_unread_output (HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    {
      const HoloPart *part = &section->parts[i];

      if (part->refused && part->boundary != NULL && part->boundary->is_output && part->boundary->end != NULL &&
          _holo_end_lacks_reader (part->boundary->end))
        return part->boundary->end;
    }
  return NULL;
}

/* When to look again although nobody wakes us; 0 = only when woken. */
static gint64
get_deadline (HoloSection *section, gboolean *timed)
{
  gint64 deadline = 0;

  for (guint i = 0; i < section->n_parts; i++)
    {
      const HoloPart *part = &section->parts[i];

      if (part->refused && part->next_try != 0 && (deadline == 0 || part->next_try < deadline))
        deadline = part->next_try;
    }
  *timed = deadline != 0;
  return deadline;
}

void
_holo_section_count_wait (HoloSection *section, guint64 waited, gboolean timed_out)
{
  for (guint i = 0; i < section->n_parts; i++)
    {
      HoloPart *part = &section->parts[i];

      if (!part->refused)
        continue;
      _holo_counter_add (part->type == HOLO_PART_POP ? &part->counters->wait_input : &part->counters->wait_room,
                         waited);
      if (timed_out && part->boundary != NULL && !part->boundary->signals_readiness)
        _holo_counter_add (&part->counters->retries, 1);
    }
}

/* Slept for long: for what? */
static void
report_stall (HoloSection *section)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < section->n_parts; i++)
    if (section->parts[i].refused)
      g_string_append_printf (text, " %s waits for \"%s\" to %s;", section->name,
                              holo_task_get_node_name (section->parts[i].task),
                              section->parts[i].type == HOLO_PART_POP ? "give a frame" : "take a frame");
  section->owner->klass->check_stall (section->owner, section, text->str);
}

static void
sleep_until_woken (HoloSection *section)
{
  gboolean timed, external = waits_for_application (section), woken, lent;
  gint64 deadline = get_deadline (section, &timed);
  HoloEnd *unread = NULL;
  gboolean patient = section->patient;

  _holo_section_lap (section);
  _holo_section_deliver_wakes (section);
  if (patient && (!timed || deadline > g_get_monotonic_time () + PATIENCE))
    deadline = g_get_monotonic_time () + PATIENCE;
  else if (!timed && (!external || (unread = find_unread_output (section)) != NULL))
    deadline = g_get_monotonic_time () + STALL_TIME;
  __atomic_store_n (&section->sleep_since, section->clock / 1000, __ATOMIC_RELAXED);
  __atomic_store_n (&section->sleep_kind, timed || external ? 2 : 1, __ATOMIC_RELEASE);
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_BEFORE_SLEEP);
  __atomic_fetch_sub (&_holo_awake_sections, 1, __ATOMIC_RELAXED);
  lent = !timed && _holo_section_lend (section);
  woken = _holo_waiter_wait (&section->worker.waiter, deadline);
  if (lent)
    _holo_section_take_back (section);
  __atomic_fetch_add (&_holo_awake_sections, 1, __ATOMIC_RELAXED);
  __atomic_store_n (&section->statistics.sleeps, section->statistics.sleeps + 1, __ATOMIC_RELAXED);
  section->patient = patient && woken;
  if (!woken && unread != NULL)
    _holo_end_report_no_reader (unread);
  else if (!woken && !timed && !patient)
    report_stall (section);
  __atomic_store_n (&section->sleep_kind, 0, __ATOMIC_RELEASE);
  _holo_section_count_wait (section, _holo_section_lap (section), !woken && !patient);
  if (woken)
    _holo_section_note_wake (section);
}

/* Only room in queues that put wakes off is waited for. */
static gboolean
may_be_patient (HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    {
      const HoloPart *part = &section->parts[i];

      if (part->refused && (part->type != HOLO_PART_PUSH || part->boundary->wake_batch < 2))
        return FALSE;
    }
  return TRUE;
}

/* Whether what it makes, or has made, is for a task that is being drained. */
gboolean
_holo_section_owes_to_drained (HoloSection *section)
{
  if (section->phase < HOLO_PHASE_EXECUTE)
    return FALSE;
  for (guint i = 0; i < section->n_pushes; i++)
    if (!section->pushes[i].done && !section->pushes[i].finished &&
        __atomic_load_n (&section->pushes[i].boundary->draining, __ATOMIC_ACQUIRE))
      return TRUE;
  return FALSE;
}

/* An update or a flush wants the section to stand still. It leaves at a wait or between two iterations; if tasks behind it are
 * being drained, once they have what it has made for them. */
gboolean
_holo_section_leaves_to_rest (HoloSection *section)
{
  gint requests = __atomic_load_n (&section->requests, __ATOMIC_ACQUIRE);

  if ((requests & HOLO_REQUEST_REST) == 0)
    return FALSE;
  return (requests & HOLO_REQUEST_DELIVER) == 0 || !_holo_section_owes_to_drained (section);
}

/* The coming sleep, if nothing turns up in a last look: for a moment, or until somebody wakes us. */
static void
prepare_sleep (HoloSection *section)
{
  section->patient = section->patient && may_be_patient (section) && !_holo_section_is_lendable (section);
  _holo_waiter_prepare (&section->worker.waiter, section->patient ? HOLO_WAITER_PATIENT : HOLO_WAITER_URGENT);
  section->wait_stage = HOLO_WAIT_PREPARED;
}

/* After a refusal: OK when it is time to look again, or why the section leaves: stop, flush, the caller's cancellable, or
 * NOT_READY for an interrupt or to rest. A wait goes from stage to stage with a look between any two: some spinning,
 * then prepared for sleep, asleep, prepared again. */
HoloOpResult
_holo_section_wait (HoloSection *section, GCancellable *cancellable)
{
  HoloOpResult result = _holo_section_check_requests (section, cancellable, TRUE);

  if (result != HOLO_OP_OK)
    return result;
  if (_holo_section_leaves_to_rest (section))
    return HOLO_OP_NOT_READY;
  switch (section->wait_stage)
    {
    case HOLO_WAIT_NONE:
      section->patient = TRUE;
      if (_holo_section_may_spin (section))
        _holo_section_start_spin (section);
      else
        prepare_sleep (section);
      break;
    case HOLO_WAIT_SPINNING:
      if (!_holo_section_spin (section))
        prepare_sleep (section);
      break;
    case HOLO_WAIT_PREPARED:
      section->wait_stage = HOLO_WAIT_SLEPT;
      sleep_until_woken (section);
      break;
    case HOLO_WAIT_SLEPT:
      prepare_sleep (section);
      break;
    }
  return HOLO_OP_OK;
}

/* There is something to do, or the section leaves. */
void
_holo_section_end_wait (HoloSection *section)
{
  if (section->wait_stage == HOLO_WAIT_SPINNING)
    section->spin_failures = section->spin_skip = 0;
  else if (section->wait_stage == HOLO_WAIT_PREPARED)
    _holo_waiter_cancel (&section->worker.waiter);
  section->wait_stage = HOLO_WAIT_NONE;
}

/* The host waits because the order of accesses asks for it. */
gboolean
_holo_section_wait_order (HoloSection *section, HoloRuntimeWait wait, const HoloFence *fence, GError **error)
{
  if (holo_runtime_drops_wait (wait))
    return TRUE;
  if (!holo_fence_is_passed (fence))
    __atomic_store_n (&section->statistics.waits_order, section->statistics.waits_order + 1, __ATOMIC_RELAXED);
  return holo_fence_wait_host (fence, error);
}

/* A task that says CANCELLED while nobody asked for it stops the run, as the original does. An allocator may have been called
 * off for the section to rest: then nothing has happened. */
HoloOpResult
_holo_section_handle_cancelled (HoloSection *section, GCancellable *cancellable)
{
  HoloOpResult result = _holo_section_check_requests (section, cancellable, FALSE);

  if (result == HOLO_OP_CANCELLED || result == HOLO_OP_FLUSHED)
    return result;
  if (section->phase < HOLO_PHASE_EXECUTE &&
      (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & HOLO_REQUEST_REST) != 0)
    return HOLO_OP_NOT_READY;
  section->owner->klass->stop (section->owner, NULL);
  return HOLO_OP_CANCELLED;
}
