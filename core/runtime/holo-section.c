/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "runtime/holo-section-phases.h"

#include "base/holo-error.h"

HoloOpResult
_holo_section_error (HoloSection *section, HoloTask *task, const gchar *phase, GError **error)
{
  if (error != NULL && *error == NULL)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "the task failed without a reason");
  /* device work fails some time after the call that enqueued it, which is rarely the call that learns of it */
  g_prefix_error (error, "%snode \"%s\" (%s), %s in %s: ",
                  !section->sync_each && error != NULL && g_error_matches (*error, HOLO_ERROR, HOLO_ERROR_DEVICE)
                      ? "found at "
                      : "",
                  holo_task_get_node_name (task), holo_task_get_kind (task), phase, section->name);
  return HOLO_OP_ERROR;
}

/* A device error that a wait or a fence of the section itself brought to light, at no node. */
HoloOpResult
_holo_section_device_error (HoloSection *section, const gchar *phase, GError **error)
{
  g_prefix_error (error, "found at %s, %s: ", section->name, phase);
  return HOLO_OP_ERROR;
}

static void
note_if_finished (HoloSection *section)
{
  if (!__atomic_load_n (&section->finished, __ATOMIC_RELAXED) && _holo_section_all_finished (section))
    {
      __atomic_store_n (&section->finished, 1, __ATOMIC_RELEASE);
      section->owner->klass->section_finished (section->owner);
    }
}

/* One look at what a phase waits for. What was prepared for a sleep is called off once there is something to do. */
static inline HoloOpResult
look (HoloSection *section, HoloPassFunc pass, GError **error)
{
  HoloOpResult result = pass (section, error);

  if (G_UNLIKELY (section->wait_stage != HOLO_WAIT_NONE) && result != HOLO_OP_NOT_READY)
    _holo_section_end_wait (section);
  return result;
}

/* As far as it goes without waiting, at most to the end of the iteration; NOT_READY: a later call goes on there. */
static HoloOpResult
run_phases (HoloSection *section, GCancellable *cancellable, GError **error)
{
  HoloOpResult result;

  switch (section->phase)
    {
    case HOLO_PHASE_IDLE:
      _holo_section_check_ended_outputs (section);
      if (_holo_section_all_finished (section))
        return HOLO_OP_EOF;
      _holo_section_start_iteration (section);
      G_GNUC_FALLTHROUGH;
    case HOLO_PHASE_DELIVER:
      if (G_UNLIKELY (section->has_pending) && holo_runtime_mutant != HOLO_RUNTIME_MUTANT_PENDING_LAST &&
          (result = look (section, _holo_section_deliver_pass, error)) != HOLO_OP_OK)
        return result;
      section->phase = HOLO_PHASE_ACQUIRE;
      G_GNUC_FALLTHROUGH;
    case HOLO_PHASE_ACQUIRE:
      if (section->n_slots > 0 && (result = look (section, _holo_section_acquire_pass, error)) != HOLO_OP_OK)
        return result;
      if (section->n_blocks > 0 && (result = _holo_section_acquire_blocks (section, error)) != HOLO_OP_OK)
        return result;
      section->phase = HOLO_PHASE_POP;
      G_GNUC_FALLTHROUGH;
    case HOLO_PHASE_POP:
      if (section->n_pops > 0 && (result = look (section, _holo_section_pop_pass, error)) != HOLO_OP_OK)
        return result;
      section->phase = HOLO_PHASE_EXECUTE;
      G_GNUC_FALLTHROUGH;
    case HOLO_PHASE_EXECUTE:
      if ((result = _holo_section_execute_nodes (section, cancellable, error)) != HOLO_OP_OK)
        return result;
      if (section->uses_device && section->n_pushes > 0 && !_holo_section_order_pushed (section, error))
        return _holo_section_device_error (section, "fences of its pushes", error);
      section->phase = HOLO_PHASE_PUSH;
      G_GNUC_FALLTHROUGH;
    case HOLO_PHASE_PUSH:
      if (section->n_pushes > 0 && (result = look (section, _holo_section_push_pass, error)) != HOLO_OP_OK)
        return result;
      section->phase = HOLO_PHASE_RELEASE;
      G_GNUC_FALLTHROUGH;
    case HOLO_PHASE_RELEASE:
      return _holo_section_end_iteration (section, error);
    }
  g_return_val_if_reached (HOLO_OP_ERROR);
}

static HoloOpResult
run_and_wait (HoloSection *section, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  HoloOpResult result;

  do
    result = run_phases (section, cancellable, error);
  while (result == HOLO_OP_NOT_READY && may_wait && (result = _holo_section_wait (section, cancellable)) == HOLO_OP_OK);
  return result;
}

/* The device is entered once for all that an iteration asks of it. */
static HoloOpResult
run_entered (HoloSection *section, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  HoloDevice *device = section->device;
  HoloDeviceClass *klass = HOLO_DEVICE_GET_CLASS (device);
  gboolean entered = klass->enter != NULL && klass->enter (device);
  HoloOpResult result = run_and_wait (section, may_wait, cancellable, error);

  if (entered)
    klass->leave (device);
  return result;
}

HoloOpResult
_holo_section_run (HoloSection *section, gboolean may_wait, GCancellable *cancellable, GError **error)
{
  HoloOpResult result;

  if (G_UNLIKELY (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) != 0))
    {
      result = _holo_section_check_requests (section, cancellable, FALSE);
      if (result != HOLO_OP_OK)
        return result;
      if (_holo_section_leaves_to_rest (section))
        return HOLO_OP_NOT_READY;
    }
  if (!section->is_bound)
    return HOLO_OP_EOF;
  result = section->uses_device ? run_entered (section, may_wait, cancellable, error)
                                : run_and_wait (section, may_wait, cancellable, error);
  if (result != HOLO_OP_OK)
    {
      _holo_section_end_wait (section);
      _holo_section_deliver_wakes (section);
    }
  note_if_finished (section);
  return result;
}

/* Somebody may be reading. */
static void
reset_statistics (HoloSectionStatistics *statistics)
{
  guint64 *const numbers[] = { &statistics->iterations, &statistics->sleeps, &statistics->waits_order,
                               &statistics->waits_throttle, &statistics->copies };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    __atomic_store_n (numbers[i], 0, __ATOMIC_RELAXED);
}

/* As at the start of a run. */
void
_holo_section_restart (HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    {
      HoloPart *part = &section->parts[i];

      part->finished = HOLO_UNFINISHED;
      part->done = part->refused = FALSE;
      part->backoff = part->next_try = part->last_wake = 0;
      part->wakes_due = 0;
      _holo_counters_reset (part->counters);
    }
  reset_statistics (&section->statistics);
  __atomic_store_n (&section->worker.waits_foreign, 0, __ATOMIC_RELAXED);
  _holo_section_forget_in_flight (section);
  section->work = section->work_time = 0;
  section->has_pending = FALSE;
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

      if (part->boundary->is_input && !part->finished && !popped && !_holo_boundary_is_ready (part->boundary))
        return FALSE;
    }
  return TRUE;
}

void
_holo_section_request (HoloSection *section, gint bits)
{
  __atomic_fetch_or (&section->requests, bits, __ATOMIC_ACQ_REL);
  _holo_waiter_notify (&section->worker.waiter);
}

void
_holo_section_clear_request (HoloSection *section, gint bits)
{
  __atomic_fetch_and (&section->requests, ~bits, __ATOMIC_ACQ_REL);
}

/**
 * holo_section_get_name:
 * @section: a section
 *
 * Returns: (transfer none): its name in the plan; stays valid for ever, but an update may give it another
 *
 * Since: 0.1
 */
const gchar *
holo_section_get_name (HoloSection *section)
{
  g_return_val_if_fail (section != NULL, NULL);

  return __atomic_load_n (&section->name, __ATOMIC_ACQUIRE);
}

/**
 * holo_section_is_finished:
 * @section: a section
 *
 * Returns: whether all its nodes have finished
 *
 * Since: 0.1
 */
gboolean
holo_section_is_finished (HoloSection *section)
{
  g_return_val_if_fail (section != NULL, TRUE);

  return __atomic_load_n (&section->finished, __ATOMIC_ACQUIRE) != 0;
}
