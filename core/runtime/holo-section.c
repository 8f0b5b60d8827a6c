/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One iteration of a section, as a machine that can stop at every wait and go on later: acquire slots, pop, execute, push,
 * release. Whoever holds the role drives it: the section's thread or a caller. */
#include "runtime/holo-section-private.h"

#include <time.h>

#include "holo-error.h"
#include "holo-private.h"
#include "runtime/holo-runtime-hooks.h"
#include "tasks/holo-input.h"

#define BACKOFF_FIRST 50  /* µs, for tasks that do not signal readiness */
#define BACKOFF_LAST 1000 /* µs */
#define WAKE_DELAY 20000 /* ns */
#define PATIENCE 200      /* µs */
#define SPIN_TIME 4000    /* ns */
#define STALL_TIME (5 * G_USEC_PER_SEC)

static gint64
now_ns (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (gint64) time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Time since the last look: one look at the clock between two calls serves both. */
static guint64
lap (HoloSection *section)
{
  gint64 now = now_ns (), before = section->clock;

  section->clock = now;
  return (guint64) (now - before);
}

static HoloOpResult
fail (HoloSection *section, HoloTask *task, const gchar *phase, GError **error)
{
  if (error != NULL && *error == NULL)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "the task failed without a reason");
  /* device work fails some time after the call that enqueued it, which is rarely the call that learns of it */
  g_prefix_error (error, "%snode \"%s\" (%s), %s in %s: ",
                  !section->sync_each && error != NULL && g_error_matches (*error, HOLO_ERROR, HOLO_ERROR_DEVICE)
                    ? "found at " : "",
                  holo_task_get_node_name (task), holo_task_get_kind (task), phase, section->name);
  return HOLO_OP_ERROR;
}

/* ---- finishing ---- */

static gboolean
all_consumers_finished (const HoloPart *part)
{
  for (guint i = 0; i < part->n_to; i++)
    if (!part->to[i]->finished)
      return FALSE;
  return TRUE;
}

void
_holo_boundary_end_input (HoloBoundary *boundary)
{
  if (__atomic_exchange_n (&boundary->input_ended, 1, __ATOMIC_ACQ_REL))
    return;
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
  holo_runtime_before_call (HOLO_TASK (boundary->task), HOLO_RUNTIME_END_OF_INPUT, NULL, 0, 0);
  holo_async_task_end_of_input (boundary->task);
  holo_runtime_after_call (HOLO_TASK (boundary->task), HOLO_RUNTIME_END_OF_INPUT, NULL, 0, 0, HOLO_OP_OK);
  if (boundary->consumer != NULL)
    _holo_waiter_notify (boundary->consumer);
}

void
_holo_boundary_end_output (HoloBoundary *boundary)
{
  if (__atomic_load_n (&boundary->output_ended, __ATOMIC_ACQUIRE))
    return;
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
  holo_runtime_before_call (HOLO_TASK (boundary->task), HOLO_RUNTIME_END_OF_OUTPUT, NULL, 0, 0);
  holo_async_task_end_of_output (boundary->task);
  holo_runtime_after_call (HOLO_TASK (boundary->task), HOLO_RUNTIME_END_OF_OUTPUT, NULL, 0, 0, HOLO_OP_OK);
  __atomic_store_n (&boundary->output_ended, 1, __ATOMIC_RELEASE);
  if (boundary->producer != NULL)
    _holo_waiter_notify (boundary->producer);
}

/* A part finishes once, and with it whoever needs its output and whoever only worked for it. */
void
_holo_section_finish_part (HoloSection *section, HoloPart *part, gboolean lost_input)
{
  if (part->finished)
    return;
  part->finished = TRUE;
  part->finished_in = section->iteration;
  part->lost_input = lost_input;
  if (part->type == HOLO_PART_PUSH)
    _holo_boundary_end_input (part->boundary);
  else if (part->type == HOLO_PART_POP)
    _holo_boundary_end_output (part->boundary);
  for (guint i = 0; i < part->n_to; i++)
    _holo_section_finish_part (section, part->to[i], TRUE);
  for (guint i = 0; i < part->n_from; i++)
    if (!part->from[i]->finished && all_consumers_finished (part->from[i]))
      _holo_section_finish_part (section, part->from[i], FALSE);
}

gboolean
_holo_section_all_finished (HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    if (!section->parts[i].finished)
      return FALSE;
  return TRUE;
}

/* Consumers behind our asynchronous nodes may have ended. */
static void
check_ended_outputs (HoloSection *section)
{
  for (guint i = 0; i < section->n_pushes; i++)
    if (!section->pushes[i].finished
        && __atomic_load_n (&section->pushes[i].boundary->output_ended, __ATOMIC_ACQUIRE))
      _holo_section_finish_part (section, &section->pushes[i], FALSE);
}

static void
revive_part (HoloPart *part)
{
  part->finished = part->lost_input = part->refused = FALSE;
  part->backoff = part->next_try = 0;
}

/* What gets nothing any more, or still has no reader, has not come back for long. */
static void
finish_again (HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    for (guint k = 0; k < section->parts[i].n_from; k++)
      if (section->parts[i].from[k]->finished)
        _holo_section_finish_part (section, &section->parts[i], TRUE);
  check_ended_outputs (section);
}

void
_holo_section_revive (HoloSection *section, const gboolean *nodes)
{
  for (guint i = 0; i < section->n_parts; i++)
    {
      HoloPart *part = &section->parts[i];

      if (!part->finished || (nodes != NULL ? !nodes[part->node] : part->lost_input))
        continue;
      if (nodes == NULL && part->type == HOLO_PART_PUSH
          && __atomic_load_n (&part->boundary->output_ended, __ATOMIC_ACQUIRE))
        continue;
      /* A pop that finished by itself (EOF) has told its task so; only a flush undoes that. */
      if (nodes == NULL && part->type == HOLO_PART_POP)
        continue;
      revive_part (part);
      if (part->type == HOLO_PART_PUSH)
        __atomic_store_n (&part->boundary->input_ended, 0, __ATOMIC_RELEASE);
    }
  finish_again (section);
  if (!_holo_section_all_finished (section) && __atomic_exchange_n (&section->finished, 0, __ATOMIC_ACQ_REL))
    _holo_scheduler_section_revived (section->scheduler, section);
}

static void
check_revive (HoloSection *section)
{
  if ((__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & HOLO_REQUEST_REVIVE) == 0)
    return;
  _holo_section_clear_request (section, HOLO_REQUEST_REVIVE);
  _holo_section_revive (section, NULL);
  section->reacquire = TRUE;
}

/* ---- waking the other side ---- */

static HoloWaiter *
get_other_side (HoloPart *part)
{
  return part->type == HOLO_PART_POP ? part->boundary->producer : part->boundary->consumer;
}

/* After a pop there is room, after a push a frame. Waking a thread costs a system call and a switch, so that a wake per frame
 * is dearer than a small frame itself.
 *
 * Room: who waits for room sleeps patiently at first, for PATIENCE; it is woken once half of the queue is free, or when we
 * sleep ourselves. If its patience ends first it looks for itself, and from then on is woken at each pop. So the capacity of
 * a queue counts in full whatever its consumer does between two pops.
 *
 * Frames: only a section that does nothing but forward puts wakes off, since nothing but its own sleep, before which it
 * delivers them, can hold it up; and never for longer than WAKE_DELAY. */
static void
wake_other_side (HoloSection *section, HoloPart *part)
{
  HoloWaiter *other = get_other_side (part);
  gboolean may_wait;

  if (other == NULL)
    return;
  if (part->type == HOLO_PART_POP)
    may_wait = !_holo_waiter_is_urgent (other);
  else
    may_wait = !section->caller_driven && section->clock - part->last_wake < WAKE_DELAY;
  if (++part->wakes_due < part->wake_batch && may_wait)
    {
      section->wakes_due = TRUE;
      return;
    }
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
  part->wakes_due = 0;
  part->last_wake = section->clock;
  _holo_waiter_notify (other);
}

static void
deliver_wakes (HoloSection *section)
{
  if (!section->wakes_due)
    return;
  section->wakes_due = FALSE;
  for (guint i = 0; i < section->n_parts; i++)
    if (section->parts[i].wakes_due > 0)
      {
        section->parts[i].wakes_due = 0;
        section->parts[i].last_wake = section->clock;
        _holo_waiter_notify (get_other_side (&section->parts[i]));
      }
}

/* ---- waiting ---- */

typedef HoloOpResult (*PassFunc) (HoloSection *section, GError **error);

static HoloOpResult
check_requests (HoloSection *section, GCancellable *cancellable, gboolean waiting)
{
  gint requests = __atomic_load_n (&section->requests, __ATOMIC_ACQUIRE);

  if (requests & HOLO_REQUEST_STOP)
    return HOLO_OP_CANCELLED;
  if (requests & HOLO_REQUEST_FLUSH)
    return HOLO_OP_FLUSHED;
  if (waiting && (requests & HOLO_REQUEST_INTERRUPT))
    {
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

static void
count_wait (HoloSection *section, guint64 waited, gboolean timed_out)
{
  for (guint i = 0; i < section->n_parts; i++)
    {
      HoloPart *part = &section->parts[i];

      if (!part->refused)
        continue;
      _holo_counter_add (part->type == HOLO_PART_POP ? &part->counters.wait_input : &part->counters.wait_room, waited);
      if (timed_out && part->boundary != NULL && !part->boundary->signals_readiness)
        _holo_counter_add (&part->counters.retries, 1);
    }
}

static void
sleep_until_woken (HoloSection *section)
{
  gboolean timed, external = waits_for_application (section), woken;
  gint64 deadline = get_deadline (section, &timed);
  gboolean patient = section->patient;

  lap (section);
  deliver_wakes (section);
  if (patient && (!timed || deadline > g_get_monotonic_time () + PATIENCE))
    deadline = g_get_monotonic_time () + PATIENCE;
  else if (!timed && !external)
    deadline = g_get_monotonic_time () + STALL_TIME;
  __atomic_store_n (&section->sleep_since, section->clock / 1000, __ATOMIC_RELAXED);
  __atomic_store_n (&section->sleep_kind, timed || external ? 2 : 1, __ATOMIC_RELEASE);
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_BEFORE_SLEEP);
  woken = _holo_waiter_wait (&section->waiter, deadline);
  __atomic_store_n (&section->statistics.sleeps, section->statistics.sleeps + 1, __ATOMIC_RELAXED);
  section->patient = patient && woken;
  if (!woken && !timed && !patient)
    _holo_scheduler_check_stall (section->scheduler);
  __atomic_store_n (&section->sleep_kind, 0, __ATOMIC_RELEASE);
  count_wait (section, lap (section), !woken && !patient);
}

gint _holo_running_sections;

static gboolean
may_spin (HoloSection *section)
{
  static guint n_processors; /* benign race: every thread finds the same */

  if (!section->may_spin && section->caller_driven)
    return FALSE;
  for (guint i = 0; i < section->n_parts; i++)
    if (section->parts[i].refused
        && (section->parts[i].boundary == NULL || !section->parts[i].boundary->signals_readiness))
      return FALSE;
  if (section->spin_skip > 0)
    {
      section->spin_skip--;
      return FALSE;
    }
  if (__atomic_load_n (&n_processors, __ATOMIC_RELAXED) == 0)
    __atomic_store_n (&n_processors, g_get_num_processors (), __ATOMIC_RELAXED);
  return (guint) __atomic_load_n (&_holo_running_sections, __ATOMIC_RELAXED)
         <= __atomic_load_n (&n_processors, __ATOMIC_RELAXED);
}

static void
relax (void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause ();
#elif defined(__aarch64__)
  __asm__ volatile ("yield");
#endif
}

/* A frame that comes within SPIN_TIME costs less to wait for than a sleep and a wake. Spins that find nothing make the next
 * ones rarer, so that a slow graph hardly spins at all. Never in a thread that is not ours, never with more sections than
 * processors. */
static HoloOpResult
spin (HoloSection *section, PassFunc pass, GError **error)
{
  HoloOpResult result = HOLO_OP_NOT_READY;
  gint64 deadline;

  if (!may_spin (section))
    return HOLO_OP_NOT_READY;
  lap (section);
  deliver_wakes (section);
  deadline = section->clock + SPIN_TIME;
  do
    {
      for (guint i = 0; i < 20; i++)
        relax ();
      result = pass (section, error);
    }
  while (result == HOLO_OP_NOT_READY && now_ns () < deadline
         && __atomic_load_n (&section->requests, __ATOMIC_RELAXED) == 0);
  section->spin_failures = result == HOLO_OP_NOT_READY ? MIN (section->spin_failures + 1, 6) : 0;
  section->spin_skip = (1u << section->spin_failures) - 1;
  return result;
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

/* Nothing comes in any more while the sections before this one are parked: what a drain waits for. */
static gboolean
leaves_for_park (HoloSection *section)
{
  gint requests = __atomic_load_n (&section->requests, __ATOMIC_ACQUIRE);

  if ((requests & HOLO_REQUEST_PARK) == 0)
    return FALSE;
  for (guint i = 0; i < section->n_pops; i++)
    if (section->pops[i].done)
      return FALSE;
  return section->phase <= HOLO_PHASE_POP && ((requests & HOLO_REQUEST_DRAIN) == 0 || section->phase == HOLO_PHASE_POP);
}

/* Repeats @pass until it no longer says NOT_READY, asleep between refusals. NOT_READY: the machine stays where it is, for
 * an interrupt, to be parked, or because the caller does not wait. */
static HoloOpResult
wait_for (HoloSection *section, PassFunc pass, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  gboolean armed = FALSE;
  HoloOpResult result;

  result = pass (section, error);
  if (result == HOLO_OP_NOT_READY && may_wait)
    result = spin (section, pass, error);
  section->patient = TRUE;
  for (; result == HOLO_OP_NOT_READY && may_wait; result = pass (section, error))
    {
      if (armed)
        sleep_until_woken (section);
      else
        {
          /* About to sleep; the next pass looks once more, so nothing is missed. */
          section->patient = section->patient && may_be_patient (section);
          _holo_waiter_prepare (&section->waiter, section->patient ? HOLO_WAITER_PATIENT : HOLO_WAITER_URGENT);
        }
      armed = !armed;
      result = check_requests (section, cancellable, TRUE);
      if (result == HOLO_OP_OK && leaves_for_park (section))
        result = HOLO_OP_NOT_READY;
      if (result != HOLO_OP_OK)
        break;
    }
  if (armed)
    _holo_waiter_cancel (&section->waiter);
  return result;
}

/* Notes a refusal; NOT_READY of a task that does not signal is looked at again on a timer. */
static void
note_refusal (HoloPart *part, gint64 retry_at)
{
  part->refused = TRUE;
  part->next_try = retry_at;
  if (part->boundary->signals_readiness)
    return;
  part->backoff = part->backoff == 0 ? BACKOFF_FIRST : MIN (part->backoff * 2, BACKOFF_LAST);
  if (retry_at == 0 || retry_at > g_get_monotonic_time () + part->backoff)
    part->next_try = g_get_monotonic_time () + part->backoff;
}

static void
note_success (HoloPart *part)
{
  part->refused = FALSE;
  part->done = TRUE;
  part->backoff = 0;
}

static void
count_call (HoloSection *section, HoloPart *part)
{
  _holo_counter_add (&part->counters.calls, 1);
  _holo_counter_add (&part->counters.bytes, part->bytes);
  _holo_counter_add (&part->counters.time, lap (section));
}

static void
count_wait_order (HoloSection *section)
{
  __atomic_store_n (&section->statistics.waits_order, section->statistics.waits_order + 1, __ATOMIC_RELAXED);
}

/* A task that says CANCELLED while nobody asked for it stops the run, as the original does. */
static HoloOpResult
handle_cancelled (HoloSection *section, GCancellable *cancellable)
{
  HoloOpResult result = check_requests (section, cancellable, FALSE);

  if (result == HOLO_OP_CANCELLED || result == HOLO_OP_FLUSHED)
    return result;
  holo_scheduler_stop (section->scheduler);
  return HOLO_OP_CANCELLED;
}

/* ---- acquire ---- */

static HoloOpResult
acquire_slot (HoloSection *section, HoloSectionSlot *slot, GError **error)
{
  HoloOpResult result;

  slot->view->fence = (HoloFence) HOLO_FENCE_INIT;
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_BEFORE_CALL);
  holo_runtime_before_call (slot->task, HOLO_RUNTIME_ACQUIRE_INPUT, &slot->view, 1, 1);
  result = holo_task_acquire_input (slot->task, slot->slot, slot->view, error);
  holo_runtime_after_call (slot->task, HOLO_RUNTIME_ACQUIRE_INPUT, &slot->view, 1, 1, result);
  if (result == HOLO_OP_OK)
    {
      slot->acquired = TRUE;
      if (slot->view->storage->data == NULL)
        {
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "acquire_input() returned OK without publishing a slot");
          return fail (section, slot->task, "acquire_input", error);
        }
      if (slot->view->fence.stream == NULL)
        return result;
      if (slot->producer->uses_stream)
        return holo_stream_wait_fence (section->stream, &slot->view->fence, error)
                 ? result
                 : fail (section, slot->task, "acquire_input", error);
      return holo_fence_wait_host (&slot->view->fence, error)
               ? result
               : fail (section, slot->task, "acquire_input", error);
    }
  return result == HOLO_OP_ERROR ? fail (section, slot->task, "acquire_input", error) : result;
}

static HoloBlock *
take_block (HoloSection *section, HoloSectionBlock *block, GError **error)
{
  HoloBoundary *output = block->output;

  if (output != NULL && output->alloc_func != NULL)
    return output->alloc_func (block->size, section->cancellable, output->alloc_data, error);
  return _holo_pool_take (block->pool, error);
}

static HoloOpResult
acquire_block (HoloSection *section, HoloSectionBlock *block, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  HoloBlock *taken = take_block (section, block, &local_error);

  if (taken == NULL)
    {
      if (g_error_matches (local_error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        return HOLO_OP_CANCELLED;
      g_propagate_error (error, g_steal_pointer (&local_error));
      return fail (section, block->producer->task, "allocation of its output", error);
    }
  holo_runtime_observe (taken->data);
  block->storage->block = taken;
  block->storage->data = taken->data;
  block->storage->size = taken->size;
  if (taken->fences.n_fences > 0)
    {
      /* Readers of the block's last round may still be at work on the device. */
      gboolean success = block->producer->uses_stream
                           ? holo_fence_set_wait_stream (&taken->fences, section->stream, error)
                           : holo_fence_set_wait_host (&taken->fences, error);

      holo_fence_set_clear (&taken->fences);
      if (!success)
        return fail (section, block->producer->task, "wait for its output's memory", error);
    }
  return HOLO_OP_OK;
}

/* The owner has finished, and its slots are not the producer's any more, which still works for its other readers. */
static gboolean
use_spare (HoloSection *section, HoloSectionSlot *slot, GError **error)
{
  if (slot->spare == NULL)
    slot->spare = holo_device_alloc (section->device, slot->view->desc.mem_loc, slot->size, error);
  slot->view->storage->data = slot->spare;
  return slot->spare != NULL;
}

static HoloOpResult
acquire_pass (HoloSection *section, GError **error)
{
  HoloOpResult all = HOLO_OP_OK, result;

  check_revive (section);
  check_ended_outputs (section);
  for (guint i = 0; i < section->n_slots; i++)
    {
      HoloSectionSlot *slot = &section->slots[i];

      slot->owner->refused = FALSE;
      if (slot->acquired || slot->producer->finished)
        continue;
      if (slot->owner->finished)
        {
          if (!use_spare (section, slot, error))
            return fail (section, slot->producer->task, "allocate", error);
          continue;
        }
      result = acquire_slot (section, slot, error);
      if (result == HOLO_OP_NOT_READY)
        {
          if (slot->boundary != NULL)
            note_refusal (slot->owner, 0);
          else
            {
              slot->owner->refused = TRUE;
              slot->owner->next_try = g_get_monotonic_time () + BACKOFF_LAST;
            }
          all = HOLO_OP_NOT_READY;
        }
      else if (result == HOLO_OP_EOF)
        {
          _holo_section_finish_part (section, slot->owner, FALSE);
          if (!slot->producer->finished && !use_spare (section, slot, error))
            return fail (section, slot->producer->task, "allocate", error);
        }
      else if (result != HOLO_OP_OK)
        return result;
    }
  return all;
}

static HoloOpResult
acquire_blocks (HoloSection *section, GError **error)
{
  for (guint i = 0; i < section->n_blocks; i++)
    {
      HoloSectionBlock *block = &section->blocks[i];
      HoloOpResult result;

      if (block->storage->block != NULL || block->producer->finished || block->producer->type == HOLO_PART_POP)
        continue;
      result = acquire_block (section, block, error);
      if (result != HOLO_OP_OK)
        return result;
    }
  return HOLO_OP_OK;
}

/* Pool storage that an asynchronous task fills itself in try_pop(). */
static HoloOpResult
acquire_pop_blocks (HoloSection *section, HoloPart *part, GError **error)
{
  for (guint i = 0; i < section->n_blocks; i++)
    if (section->blocks[i].producer == part && section->blocks[i].storage->block == NULL)
      {
        HoloOpResult result = acquire_block (section, &section->blocks[i], error);

        if (result != HOLO_OP_OK)
          return result;
      }
  return HOLO_OP_OK;
}

/* ---- pop ---- */

static gboolean
order_popped (HoloSection *section, HoloPart *part, GError **error)
{
  for (guint i = 0; i < part->n_outputs; i++)
    {
      HoloTensorView *view = part->views[i];

      if (view->fence.stream == NULL)
        continue;
      if (part->stream_waits[i] && !holo_stream_wait_fence (section->stream, &view->fence, error))
        return FALSE;
      if (part->host_waits[i])
        {
          if (!holo_fence_is_passed (&view->fence))
            count_wait_order (section);
          if (!holo_fence_wait_host (&view->fence, error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
wait_for_stream (HoloSection *section, GError **error)
{
  HoloFence fence;

  if (!holo_stream_record (section->stream, &fence, error))
    return FALSE;
  if (!holo_fence_is_passed (&fence))
    count_wait_order (section);
  return holo_fence_wait_host (&fence, error);
}

static HoloOpResult
pop_part (HoloSection *section, HoloPart *part, GError **error)
{
  HoloOpResult result;

  if (section->n_blocks > 0)
    {
      result = acquire_pop_blocks (section, part, error);
      if (result != HOLO_OP_OK)
        return result;
    }
  if (part->host_wait && !wait_for_stream (section, error))
    return fail (section, part->task, "wait for the device", error);
  for (guint i = 0; i < part->n_outputs; i++)
    part->views[i]->fence = (HoloFence) HOLO_FENCE_INIT;
  part->pop.retry_at = 0;
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_BEFORE_CALL);
  holo_runtime_before_call (part->task, HOLO_RUNTIME_POP, part->views, part->n_outputs, 0);
  result = HOLO_ASYNC_TASK_GET_CLASS (part->task)->try_pop (part->boundary->task, &part->pop, error);
  holo_runtime_after_call (part->task, HOLO_RUNTIME_POP, part->views, part->n_outputs, 0, result);
  switch (result)
    {
    case HOLO_OP_OK:
      note_success (part);
      /* also in a section without device work: host memory may come with the fence of the copy that wrote it */
      if (!order_popped (section, part, error))
        return fail (section, part->task, "wait for its frame", error);
      count_call (section, part);
      wake_other_side (section, part);
      return result;
    case HOLO_OP_NOT_READY:
      note_refusal (part, part->pop.retry_at);
      return result;
    case HOLO_OP_EOF:
      part->refused = FALSE;
      _holo_section_finish_part (section, part, FALSE);
      return HOLO_OP_OK;
    case HOLO_OP_CANCELLED:
      return handle_cancelled (section, NULL);
    case HOLO_OP_ERROR:
    case HOLO_OP_FLUSHED:
      break;
    }
  return fail (section, part->task, "try_pop", error);
}

/* A consumer came back while we waited for frames: its slots are still to be acquired. */
static HoloOpResult
reacquire (HoloSection *section, GError **error)
{
  HoloOpResult result;

  check_revive (section);
  if (!section->reacquire)
    return HOLO_OP_OK;
  result = acquire_pass (section, error);
  if (result == HOLO_OP_OK)
    result = acquire_blocks (section, error);
  if (result == HOLO_OP_OK)
    section->reacquire = FALSE;
  return result;
}

static HoloOpResult
pop_pass (HoloSection *section, GError **error)
{
  HoloOpResult all = reacquire (section, error);

  if (all != HOLO_OP_OK)
    return all;
  check_ended_outputs (section);
  for (guint i = 0; i < section->n_pops; i++)
    {
      HoloPart *part = &section->pops[i];
      HoloOpResult result;

      part->refused = FALSE;
      if (part->done || part->finished)
        continue;
      result = pop_part (section, part, error);
      if (result == HOLO_OP_NOT_READY)
        all = HOLO_OP_NOT_READY;
      else if (result != HOLO_OP_OK)
        return result;
    }
  /* A later end may have finished what an earlier pop still waits for. */
  if (all == HOLO_OP_NOT_READY)
    {
      all = HOLO_OP_OK;
      for (guint i = 0; i < section->n_pops; i++)
        if (!section->pops[i].done && !section->pops[i].finished)
          all = HOLO_OP_NOT_READY;
    }
  return all;
}

/* ---- execute ---- */

static void
stamp_outputs (HoloPart *part)
{
  const HoloStamp *stamp;
  HoloStamp numbered;

  if (part->n_inputs > 0)
    stamp = &part->views[0]->stamp;
  else
    {
      holo_stamp_init (&numbered);
      numbered.seq = numbered.first = numbered.last = part->counters.calls;
      stamp = &numbered;
    }
  for (guint i = 0; i < part->n_outputs; i++)
    part->views[part->n_inputs + i]->stamp = *stamp;
}

static HoloOpResult
execute_node (HoloSection *section, HoloPart *part, GError **error)
{
  HoloRuntimeCall call = part->task != NULL ? HOLO_RUNTIME_EXECUTE : HOLO_RUNTIME_COPY;
  HoloOpResult result;

  if (part->host_wait && !wait_for_stream (section, error))
    return fail (section, part->task, "wait for the device", error);
  stamp_outputs (part);
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_BEFORE_CALL);
  holo_runtime_before_call (part->task, call, part->views, part->n_inputs + part->n_outputs, part->n_inputs);
  result = part->execute ((HoloSyncTask *) part->task, &part->sync, error);
  holo_runtime_after_call (part->task, call, part->views, part->n_inputs + part->n_outputs, part->n_inputs, result);
  if (G_LIKELY (result == HOLO_OP_OK))
    {
      part->done = TRUE;
      section->worked = TRUE;
      count_call (section, part);
      if (G_UNLIKELY (section->sync_each) && !holo_stream_synchronize (section->stream, error))
        return HOLO_OP_ERROR;
    }
  return result;
}

static HoloOpResult
execute_nodes (HoloSection *section, GCancellable *cancellable, GError **error)
{
  for (; section->next_node < section->n_nodes; section->next_node++)
    {
      HoloPart *part = &section->nodes[section->next_node];
      HoloOpResult result;

      if (part->finished)
        continue;
      result = execute_node (section, part, error);
      if (G_LIKELY (result == HOLO_OP_OK))
        continue;
      switch (result)
        {
        case HOLO_OP_EOF:
          section->worked |= part->n_inputs > 0;
          _holo_section_finish_part (section, part, FALSE);
          break;
        case HOLO_OP_CANCELLED:
          return handle_cancelled (section, cancellable);
        case HOLO_OP_ERROR:
          return fail (section, part->task, "execute", error);
        default:
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "execute() returned %s, which a synchronous task must not",
                       holo_op_result_get_name (result));
          return fail (section, part->task, "execute", error);
        }
    }
  return HOLO_OP_OK;
}

/* ---- push ---- */

/* Before the first push: what device work the pushed tensors need. One fence per iteration serves all. */
static gboolean
order_pushed (HoloSection *section, GError **error)
{
  HoloFence fence = HOLO_FENCE_INIT;

  for (guint i = 0; i < section->n_pushes; i++)
    {
      HoloPart *part = &section->pushes[i];

      for (guint k = 0; !part->finished && k < part->n_inputs; k++)
        {
          if (!part->input_on_stream[k])
            continue;
          if (fence.stream == NULL && !holo_stream_record (section->stream, &fence, error))
            return FALSE;
          part->views[k]->fence = fence;
        }
    }
  return TRUE;
}

static gboolean
wait_before_push (HoloSection *section, HoloPart *part, GError **error)
{
  for (guint i = 0; i < part->n_inputs; i++)
    {
      const HoloFence *fence = &part->views[i]->fence;

      if (fence->stream == NULL)
        continue;
      if (!holo_fence_is_passed (fence))
        count_wait_order (section);
      if (!holo_fence_wait_host (fence, error))
        return FALSE;
    }
  return TRUE;
}

static HoloOpResult
push_part (HoloSection *section, HoloPart *part, gboolean *synchronized, GError **error)
{
  HoloOpResult result;

  if (!part->boundary->handles_fences && !*synchronized
      && !part->boundary->synchronizes && !wait_before_push (section, part, error))
    return fail (section, part->task, "wait before its push", error);
  part->push.retry_at = 0;
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_BEFORE_CALL);
  holo_runtime_before_call (part->task, HOLO_RUNTIME_PUSH, part->views, part->n_inputs, part->n_inputs);
  result = HOLO_ASYNC_TASK_GET_CLASS (part->task)->try_push (part->boundary->task, &part->push, error);
  holo_runtime_after_call (part->task, HOLO_RUNTIME_PUSH, part->views, part->n_inputs, part->n_inputs, result);
  switch (result)
    {
    case HOLO_OP_OK:
      note_success (part);
      section->worked = TRUE;
      count_call (section, part);
      wake_other_side (section, part);
      *synchronized |= part->boundary->synchronizes;
      return result;
    case HOLO_OP_NOT_READY:
      note_refusal (part, part->push.retry_at);
      return result;
    case HOLO_OP_EOF:
      part->refused = FALSE;
      _holo_section_finish_part (section, part, FALSE);
      return HOLO_OP_OK;
    case HOLO_OP_CANCELLED:
      return handle_cancelled (section, NULL);
    case HOLO_OP_ERROR:
    case HOLO_OP_FLUSHED:
      break;
    }
  return fail (section, part->task, "try_push", error);
}

/* Whether those that read the slots which @part gives away have done so. */
static gboolean
may_give_away (const HoloPart *part)
{
  for (guint i = 0; i < part->n_before; i++)
    if (!part->before[i]->done && !part->before[i]->finished)
      return FALSE;
  return TRUE;
}

/* The device copies of those that went before @part belong to what its reader waits for. */
static gboolean
renew_fences (HoloSection *section, HoloPart *part, GError **error)
{
  HoloFence fence;

  /* a frame that only passes through may come with the fence of another stream */
  for (guint i = 0; i < part->n_inputs; i++)
    if (!holo_stream_wait_fence (section->stream, &part->views[i]->fence, error))
      return FALSE;
  if (!holo_stream_record (section->stream, &fence, error))
    return FALSE;
  for (guint i = 0; i < part->n_inputs; i++)
    part->views[i]->fence = fence;
  return TRUE;
}

static HoloOpResult
push_some (HoloSection *section, gboolean last, gboolean *synchronized, GError **error)
{
  HoloOpResult all = HOLO_OP_OK;

  for (guint i = 0; i < section->n_pushes; i++)
    {
      HoloPart *part = &section->pushes[i];
      HoloOpResult result;

      if (part->done || part->finished || (part->n_before > 0) != last)
        continue;
      part->refused = FALSE;
      if (__atomic_load_n (&part->boundary->output_ended, __ATOMIC_ACQUIRE))
        {
          _holo_section_finish_part (section, part, FALSE);
          continue;
        }
      if (!may_give_away (part))
        {
          all = HOLO_OP_NOT_READY;
          continue;
        }
      if (last && section->uses_device && !renew_fences (section, part, error))
        return fail (section, part->task, "wait before its push", error);
      result = push_part (section, part, synchronized, error);
      if (result == HOLO_OP_NOT_READY)
        all = HOLO_OP_NOT_READY;
      else if (result != HOLO_OP_OK)
        return result;
    }
  return all;
}

static HoloOpResult
push_pass (HoloSection *section, GError **error)
{
  gboolean synchronized = FALSE;
  HoloOpResult result = push_some (section, FALSE, &synchronized, error);
  HoloOpResult last;

  if (result != HOLO_OP_OK && result != HOLO_OP_NOT_READY)
    return result;
  synchronized = FALSE;
  last = push_some (section, TRUE, &synchronized, error);
  return last != HOLO_OP_OK ? last : result;
}

/* ---- release ---- */

static void
drop_block (HoloSection *section, HoloStorage *storage, const HoloFence *fence)
{
  HoloBlock *block = g_steal_pointer (&storage->block);

  storage->data = NULL;
  holo_runtime_publish (block->data);
  holo_block_unref_after (block, fence);
}

static gboolean
release_outputs (HoloSection *section, HoloPart *part, const HoloFence *fence, gboolean handles_fences, GError **error)
{
  HoloTensorView **outputs = part->views + part->n_inputs;

  for (guint i = 0; i < part->n_outputs; i++)
    {
      HoloFence none = HOLO_FENCE_INIT;

      if (part->output_lent[i] && outputs[i]->storage->block != NULL)
        drop_block (section, outputs[i]->storage, fence);
      if (!part->output_owned[i])
        continue;
      if (fence->stream != NULL && !handles_fences)
        {
          if (!holo_fence_is_passed (fence))
            count_wait_order (section);
          if (!holo_fence_wait_host (fence, error))
            return FALSE;
        }
      holo_runtime_before_call (part->task, HOLO_RUNTIME_RELEASE_OUTPUT, &outputs[i], 1, 0);
      if (!holo_task_release_output (part->task, i, handles_fences ? fence : &none, error))
        return FALSE;
      holo_runtime_after_call (part->task, HOLO_RUNTIME_RELEASE_OUTPUT, &outputs[i], 1, 0, HOLO_OP_OK);
      if (part->boundary != NULL && part->boundary->producer != NULL)
        _holo_waiter_notify (part->boundary->producer);
    }
  return TRUE;
}

static gboolean
part_owns_outputs (const HoloPart *part)
{
  for (guint i = 0; i < part->n_outputs; i++)
    if (part->output_owned[i] || part->output_lent[i])
      return TRUE;
  return FALSE;
}

static void
abort_slots (HoloSection *section)
{
  for (guint i = 0; i < section->n_slots; i++)
    {
      HoloSectionSlot *slot = &section->slots[i];

      if (slot->acquired && !slot->owner->done)
        {
          holo_runtime_before_call (slot->task, HOLO_RUNTIME_ABORT_INPUT, &slot->view, 1, 1);
          holo_task_abort_input (slot->task, slot->slot);
          holo_runtime_after_call (slot->task, HOLO_RUNTIME_ABORT_INPUT, &slot->view, 1, 1, HOLO_OP_OK);
        }
      slot->acquired = FALSE;
    }
}

/* Frames that reached a part which a missing other input keeps from using them. */
static void
count_discarded (HoloSection *section)
{
  for (guint i = section->n_pops; i < section->n_parts; i++)
    {
      HoloPart *part = &section->parts[i];
      guint64 n = 0;

      if (!part->finished || !part->lost_input || part->done || part->finished_in != section->iteration)
        continue;
      for (guint k = 0; k < part->n_from; k++)
        n += part->from[k]->done;
      if (n > 0)
        holo_task_add_discarded (part->task, n);
    }
}

/* Gives everything of this iteration back, whatever became of it. */
static gboolean
give_back (HoloSection *section, GError **error)
{
  HoloFence fence = HOLO_FENCE_INIT;
  gboolean success = TRUE;

  if (section->uses_device && !holo_stream_record (section->stream, &fence, error))
    {
      success = FALSE;
      fence = (HoloFence) HOLO_FENCE_INIT;
    }
  for (guint i = 0; i < section->n_pops + section->n_nodes; i++)
    {
      HoloPart *part = &section->parts[i];
      gboolean handles = part->boundary != NULL && part->boundary->handles_fences;

      if (part->done && part_owns_outputs (part)
          && !release_outputs (section, part, &fence, handles, success ? error : NULL))
        success = FALSE;
    }
  for (guint i = 0; i < section->n_blocks; i++)
    if (section->blocks[i].storage->block != NULL)
      drop_block (section, section->blocks[i].storage, &fence);
  if (fence.stream != NULL)
    section->in_flight[section->n_in_flight++] = fence;
  return success;
}

/* Not too many iterations ahead of the device. */
static gboolean
throttle (HoloSection *section, GError **error)
{
  guint n_over;

  if (section->n_in_flight < section->max_in_flight)
    return TRUE;
  n_over = section->n_in_flight - section->max_in_flight + 1;
  if (!holo_fence_is_passed (&section->in_flight[n_over - 1]))
    {
      __atomic_store_n (&section->statistics.waits_throttle, section->statistics.waits_throttle + 1, __ATOMIC_RELAXED);
      if (!holo_fence_wait_host (&section->in_flight[n_over - 1], error))
        return FALSE;
    }
  section->n_in_flight -= n_over;
  for (guint i = 0; i < section->n_in_flight; i++)
    section->in_flight[i] = section->in_flight[i + n_over];
  return TRUE;
}

static void
start_iteration (HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    section->parts[i].done = section->parts[i].refused = FALSE;
  section->next_node = 0;
  section->worked = FALSE;
  section->phase = HOLO_PHASE_ACQUIRE;
}

static HoloOpResult
end_iteration (HoloSection *section, GError **error)
{
  gboolean worked = section->worked, success;

  for (guint i = 0; i < section->n_pops && !worked; i++)
    worked = section->pops[i].done;
  count_discarded (section);
  abort_slots (section);
  success = give_back (section, error) && (!section->uses_device || throttle (section, error));
  section->phase = HOLO_PHASE_IDLE;
  section->iteration++;
  if (!success)
    {
      g_prefix_error (error, "found at %s, release: ", section->name);
      return HOLO_OP_ERROR;
    }
  if (worked)
    {
      __atomic_store_n (&section->statistics.iterations, section->statistics.iterations + 1, __ATOMIC_RELAXED);
      return HOLO_OP_OK;
    }
  return _holo_section_all_finished (section) ? HOLO_OP_EOF : HOLO_OP_OK;
}

/* ---- the machine ---- */

static void
note_if_finished (HoloSection *section)
{
  if (!__atomic_load_n (&section->finished, __ATOMIC_RELAXED) && _holo_section_all_finished (section))
    {
      __atomic_store_n (&section->finished, 1, __ATOMIC_RELEASE);
      _holo_scheduler_section_finished (section->scheduler, section);
    }
}

static HoloOpResult
run_phases (HoloSection *section, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  HoloOpResult result;

  switch (section->phase)
    {
    case HOLO_PHASE_IDLE:
      check_revive (section);
      section->reacquire = FALSE;
      check_ended_outputs (section);
      if (_holo_section_all_finished (section))
        return HOLO_OP_EOF;
      start_iteration (section);
      G_GNUC_FALLTHROUGH;
    case HOLO_PHASE_ACQUIRE:
      if (section->n_slots > 0
          && (result = wait_for (section, acquire_pass, may_wait, cancellable, error)) != HOLO_OP_OK)
        return result;
      if (section->n_blocks > 0 && (result = acquire_blocks (section, error)) != HOLO_OP_OK)
        return result;
      section->phase = HOLO_PHASE_POP;
      G_GNUC_FALLTHROUGH;
    case HOLO_PHASE_POP:
      if (section->n_pops > 0 && (result = wait_for (section, pop_pass, may_wait, cancellable, error)) != HOLO_OP_OK)
        return result;
      section->phase = HOLO_PHASE_EXECUTE;
      G_GNUC_FALLTHROUGH;
    case HOLO_PHASE_EXECUTE:
      if ((result = execute_nodes (section, cancellable, error)) != HOLO_OP_OK)
        return result;
      if (section->uses_device && section->n_pushes > 0 && !order_pushed (section, error))
        return HOLO_OP_ERROR;
      section->phase = HOLO_PHASE_PUSH;
      G_GNUC_FALLTHROUGH;
    case HOLO_PHASE_PUSH:
      if (section->n_pushes > 0
          && (result = wait_for (section, push_pass, may_wait, cancellable, error)) != HOLO_OP_OK)
        return result;
      section->phase = HOLO_PHASE_RELEASE;
      G_GNUC_FALLTHROUGH;
    case HOLO_PHASE_RELEASE:
      return end_iteration (section, error);
    }
  g_return_val_if_reached (HOLO_OP_ERROR);
}

HoloOpResult
_holo_section_run (HoloSection *section, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  HoloOpResult result;

  if (G_UNLIKELY (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) != 0))
    {
      result = check_requests (section, cancellable, FALSE);
      if (result != HOLO_OP_OK)
        return result;
      if (section->phase == HOLO_PHASE_IDLE && leaves_for_park (section))
        return HOLO_OP_NOT_READY;
    }
  if (section->plan == NULL)
    return HOLO_OP_EOF;
  result = run_phases (section, may_wait, cancellable, error);
  if (result != HOLO_OP_OK)
    deliver_wakes (section);
  note_if_finished (section);
  return result;
}

/* An iteration under way will not go on: slots, frames and blocks go back. With @put_back, frames of Inputs that are not
 * being flushed return to their Input, if nothing has been pushed from this iteration yet. */
void
_holo_section_abort (HoloSection *section, gboolean put_back)
{
  gboolean pushed = FALSE;

  if (section->phase == HOLO_PHASE_IDLE)
    return;
  for (guint i = 0; i < section->n_pushes; i++)
    pushed |= section->pushes[i].done;
  for (guint i = 0; i < section->n_pops; i++)
    {
      HoloPart *part = &section->pops[i];

      if (!part->done)
        continue;
      if (put_back && !pushed && part->boundary->is_input && !part->boundary->end_flushing)
        {
          _holo_input_task_put_back (HOLO_INPUT_TASK (part->task), part->views[0]);
          _holo_counter_add (&part->counters.calls, (guint64) -1);
        }
      else if (!part->boundary->is_input || !part->boundary->end_flushing)
        holo_task_add_discarded (part->task, 1);
    }
  abort_slots (section);
  give_back (section, NULL);
  deliver_wakes (section);
  section->n_in_flight = 0;
  section->phase = HOLO_PHASE_IDLE;
  section->iteration++;
}

/* As at the start of a run. */
void
_holo_section_restart (HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    {
      HoloPart *part = &section->parts[i];

      part->finished = part->done = part->refused = part->lost_input = FALSE;
      part->backoff = part->next_try = part->last_wake = 0;
      part->wakes_due = 0;
      part->counters = (HoloCounters) { 0 };
    }
  section->statistics = (HoloSectionStatistics) { .name = section->name };
  section->n_in_flight = 0;
  section->phase = HOLO_PHASE_IDLE;
  __atomic_store_n (&section->finished, 0, __ATOMIC_RELEASE);
}

gboolean
_holo_section_inputs_are_ready (HoloSection *section)
{
  for (guint i = 0; i < section->n_pops; i++)
    {
      HoloPart *part = &section->pops[i];
      gboolean popped = section->phase != HOLO_PHASE_IDLE && part->done;

      if (part->boundary->is_input && !part->finished && !popped
          && !_holo_input_task_is_ready (HOLO_INPUT_TASK (part->task)))
        return FALSE;
    }
  return TRUE;
}

void
_holo_section_request (HoloSection *section, gint bits)
{
  __atomic_fetch_or (&section->requests, bits, __ATOMIC_ACQ_REL);
  _holo_waiter_notify (&section->waiter);
}

void
_holo_section_clear_request (HoloSection *section, gint bits)
{
  __atomic_fetch_and (&section->requests, ~bits, __ATOMIC_ACQ_REL);
}

/* ---- driven by a caller ---- */

static void
on_caller_cancelled (GCancellable *cancellable, gpointer user_data)
{
  HoloSection *section = user_data;

  g_cancellable_cancel (section->cancellable);
  _holo_waiter_notify (&section->waiter);
}

/* The caller's cancellable ends this call only: afterwards the section's own is usable again. */
static void
forget_caller (HoloSection *section, GCancellable *cancellable, gulong handler)
{
  if (cancellable == NULL)
    return;
  g_cancellable_disconnect (cancellable, handler);
  if (g_cancellable_is_cancelled (section->cancellable)
      && (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & (HOLO_REQUEST_STOP | HOLO_REQUEST_FLUSH)) == 0)
    g_cancellable_reset (section->cancellable);
}

static HoloOpResult
drive_once (HoloSection *section, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  gulong handler = 0;
  HoloOpResult result;

  holo_runtime_observe (section);
  __atomic_store_n (&section->driving, 1, __ATOMIC_RELEASE);
  if (cancellable != NULL)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (on_caller_cancelled), section, NULL);
  section->clock = now_ns ();
  result = _holo_section_run (section, may_wait, cancellable, &local_error);
  forget_caller (section, cancellable, handler);
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
  __atomic_store_n (&section->driving, 0, __ATOMIC_RELEASE);
  holo_runtime_publish (section);
  if (result == HOLO_OP_ERROR)
    {
      _holo_scheduler_fail (section->scheduler, g_error_copy (local_error));
      g_propagate_error (error, g_steal_pointer (&local_error));
    }
  return result;
}

static HoloOpResult
enter_and_drive (HoloSection *section, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  HoloOpResult result;

  if (!_holo_scheduler_enter (section->scheduler))
    return __atomic_load_n (&section->finished, __ATOMIC_ACQUIRE) ? HOLO_OP_EOF : HOLO_OP_CANCELLED;
  do
    {
      _holo_scheduler_wait_unparked (section->scheduler, section);
      g_mutex_lock (&section->role);
      result = drive_once (section, may_wait, cancellable, error);
      g_mutex_unlock (&section->role);
    }
  while (result == HOLO_OP_NOT_READY
         && (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & HOLO_REQUEST_PARK) != 0);
  _holo_scheduler_leave (section->scheduler);
  return result;
}

/**
 * holo_section_iterate:
 * @section: a section of a running scheduler
 * @cancellable: (nullable): ends this call
 * @error: set exactly when the result is %HOLO_OP_ERROR; the run has then failed
 *
 * Returns: OK after an iteration, EOF when the section has finished, CANCELLED, FLUSHED, ERROR, or NOT_READY after
 *   holo_section_interrupt()
 */
HoloOpResult
holo_section_iterate (HoloSection *section, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (section != NULL, HOLO_OP_ERROR);

  return enter_and_drive (section, TRUE, cancellable, error);
}

/**
 * holo_section_try_iterate:
 * @section: a section of a running scheduler
 * @error: set exactly when the result is %HOLO_OP_ERROR
 *
 * Goes as far as it can without waiting; a later call goes on there.
 *
 * Returns: as holo_section_iterate(), NOT_READY where that would wait
 */
HoloOpResult
holo_section_try_iterate (HoloSection *section, GError **error)
{
  g_return_val_if_fail (section != NULL, HOLO_OP_ERROR);

  return enter_and_drive (section, FALSE, NULL, error);
}

/**
 * holo_section_set_own_thread:
 * @section: a caller-driven section
 * @own_thread: whether the thread that iterates it has nothing else to do
 *
 * Lets a thread made for this section spin for a few microseconds before it sleeps, as the scheduler's own threads do. Call it
 * before the start.
 */
void
holo_section_set_own_thread (HoloSection *section, gboolean own_thread)
{
  g_return_if_fail (section != NULL);

  section->may_spin = own_thread;
}

/**
 * holo_section_interrupt:
 * @section: a section
 *
 * The holo_section_iterate() that waits now, or the next one that would, returns NOT_READY once; nothing is lost.
 */
void
holo_section_interrupt (HoloSection *section)
{
  g_return_if_fail (section != NULL);

  _holo_section_request (section, HOLO_REQUEST_INTERRUPT);
}

/* The role may be held by a driver, which will look again, or for a moment by whoever parks, flushes or ends the run. */
static gboolean
take_role_unless_driven (HoloSection *section)
{
  while (!g_mutex_trylock (&section->role))
    {
      if (__atomic_load_n (&section->driving, __ATOMIC_ACQUIRE))
        return FALSE;
      _holo_scheduler_wait_unparked (section->scheduler, section);
      g_thread_yield ();
    }
  return TRUE;
}

/* The frame that completes a set may come while somebody else drives: that one looks again after it has given up the
 * role, so that no set is left lying. `offers` tells it that there is something new to look at. */
HoloOpResult
_holo_section_drive (HoloSection *section, gboolean end, GCancellable *cancellable, GError **error)
{
  HoloOpResult result = HOLO_OP_OK;
  gboolean worked = FALSE, again;
  gint seen;

  __atomic_fetch_add (&section->offers, 1, __ATOMIC_ACQ_REL);
  do
    {
      gboolean complete;

      seen = __atomic_load_n (&section->offers, __ATOMIC_ACQUIRE);
      _holo_scheduler_wait_unparked (section->scheduler, section);
      holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
      if (!take_role_unless_driven (section))
        return HOLO_OP_OK;
      complete = _holo_section_inputs_are_ready (section);
      if (complete)
        result = drive_once (section, TRUE, cancellable, error);
      else if (end)
        result = drive_once (section, FALSE, NULL, error);
      /* the frame that was offered has had its iteration: that the section has ended now is for the next call */
      if (result == HOLO_OP_EOF && worked)
        {
          g_mutex_unlock (&section->role);
          return HOLO_OP_OK;
        }
      worked |= complete && result == HOLO_OP_OK;
      /* One look may stand for several offers: a frame and the end behind it take an iteration each. */
      again = (result == HOLO_OP_OK && _holo_section_inputs_are_ready (section))
              || (complete && result == HOLO_OP_NOT_READY
                  && (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & HOLO_REQUEST_PARK) != 0);
      g_mutex_unlock (&section->role);
      holo_runtime_pause (HOLO_RUNTIME_PAUSE_HAND_OVER);
    }
  while (again
         || ((result == HOLO_OP_OK || result == HOLO_OP_NOT_READY)
             && seen != __atomic_load_n (&section->offers, __ATOMIC_ACQUIRE)));
  return result;
}

guint
holo_section_get_id (HoloSection *section)
{
  return section->id;
}

const gchar *
holo_section_get_name (HoloSection *section)
{
  return section->name;
}

/**
 * holo_section_is_finished:
 * @section: a section
 *
 * Returns: whether all its nodes have finished
 */
gboolean
holo_section_is_finished (HoloSection *section)
{
  return __atomic_load_n (&section->finished, __ATOMIC_ACQUIRE) != 0;
}
