/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Second step: a frame from each asynchronous task before the section. */
#include "runtime/holo-section-phases.h"

#include "device/holo-runtime-hooks.h"

static gboolean
order_popped (HoloSection *section, HoloPart *part, GError **error)
{
  for (guint i = 0; i < part->n_outputs; i++)
    {
      HoloTensorView *view = part->views[i];

      if (view->fence.stream == NULL)
        continue;
      if (part->stream_waits[i] &&
          !holo_runtime_wait_stream (HOLO_RUNTIME_WAIT_POPPED_STREAM, section->stream, &view->fence, error))
        return FALSE;
      if (part->host_waits[i] &&
          !_holo_section_wait_order (section, HOLO_RUNTIME_WAIT_POPPED_HOST, &view->fence, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
_holo_section_wait_for_stream (HoloSection *section, HoloRuntimeWait wait, GError **error)
{
  HoloFence fence;

  return holo_stream_record (section->stream, &fence, error) && _holo_section_wait_order (section, wait, &fence, error);
}

static gboolean
is_shared (HoloPart *part)
{
  for (guint i = 0; i < part->n_outputs; i++)
    if (part->output_lent[i] && part->views[i]->storage->block != NULL &&
        (part->views[i]->storage->block->read_only ||
         g_atomic_int_get (&part->views[i]->storage->block->ref_count) > 1))
      return TRUE;
  return FALSE;
}

/* The section writes over the frame, which somebody else holds: it was made for another plan, in which nobody wrote there. */
static gboolean
make_own (HoloSection *section, HoloPart *part, GError **error)
{
  HoloHeldFrame *copy = _holo_held_frame_new (part->views, part->n_outputs, TRUE, section->device, error);
  gboolean success =
      copy != NULL && _holo_held_frame_fill (copy, part->views, FALSE, section->device, section->stream, error);

  for (guint i = 0; i < part->n_outputs && success; i++)
    {
      HoloTensorView *view = part->views[i];

      holo_block_unref_after (view->storage->block, &view->fence);
      view->storage->block = g_steal_pointer (&copy->tensors[i].storage.block);
      view->storage->data = view->storage->block->data;
      view->storage->size = view->storage->block->size;
      view->fence = (HoloFence) HOLO_FENCE_INIT;
    }
  _holo_held_frame_free (copy);
  return success;
}

/* The end of a task that an update drains ends nobody: whoever asked for it is told. */
static HoloOpResult
note_drained (HoloSection *section, HoloPart *part)
{
  _holo_part_note_refusal (part, 0);
  part->next_try = 0;
  if (!__atomic_exchange_n (&part->boundary->drained, 1, __ATOMIC_ACQ_REL))
    section->owner->klass->tell (section->owner);
  return HOLO_OP_NOT_READY;
}

/* It was popped before, and came back unused. */
static HoloOpResult
pop_returned (HoloSection *section, HoloPart *part, GError **error)
{
  if (part->host_wait && !_holo_section_wait_for_stream (section, HOLO_RUNTIME_WAIT_POP, error))
    return _holo_section_error (section, part->task, "wait for the device", error);
  if (!_holo_section_take_returned (section, part, error))
    return _holo_section_error (section, part->task, "take a frame that came back", error);
  if (part->overwritten && is_shared (part) && !make_own (section, part, error))
    return _holo_section_error (section, part->task, "copy a frame that came back", error);
  _holo_part_note_success (part);
  if (!order_popped (section, part, error))
    return _holo_section_error (section, part->task, "wait for its frame", error);
  _holo_section_count_call (section, part);
  return HOLO_OP_OK;
}

static HoloOpResult
pop_part (HoloSection *section, HoloPart *part, GError **error)
{
  HoloOpResult result;

  if (G_UNLIKELY (__atomic_load_n (&part->boundary->drained, __ATOMIC_ACQUIRE)) && part->boundary->returned == NULL)
    return note_drained (section, part);
  if (G_UNLIKELY (part->boundary->returned != NULL))
    return pop_returned (section, part, error);
  if (section->n_blocks > 0)
    {
      result = _holo_section_acquire_pop_blocks (section, part, error);
      if (result != HOLO_OP_OK)
        return result;
    }
  if (part->host_wait && !_holo_section_wait_for_stream (section, HOLO_RUNTIME_WAIT_POP, error))
    return _holo_section_error (section, part->task, "wait for the device", error);
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
      _holo_part_note_success (part);
      if (part->overwritten && G_UNLIKELY (is_shared (part)) && !make_own (section, part, error))
        return _holo_section_error (section, part->task, "copy its frame", error);
      /* also in a section without device work: host memory may come with the fence of the copy that wrote it */
      if (!order_popped (section, part, error))
        return _holo_section_error (section, part->task, "wait for its frame", error);
      _holo_section_count_call (section, part);
      _holo_section_wake_other_side (section, part);
      return result;
    case HOLO_OP_NOT_READY:
      _holo_part_note_refusal (part, part->pop.retry_at);
      return result;
    case HOLO_OP_EOF:
      if (G_UNLIKELY (__atomic_load_n (&part->boundary->draining, __ATOMIC_ACQUIRE)))
        return note_drained (section, part);
      part->refused = FALSE;
      _holo_section_finish_part (section, part, HOLO_FINISHED_ITSELF);
      return HOLO_OP_OK;
    case HOLO_OP_CANCELLED:
      return _holo_section_handle_cancelled (section, NULL);
    case HOLO_OP_ERROR:
    case HOLO_OP_FLUSHED:
      break;
    }
  return _holo_section_error (section, part->task, "try_pop", error);
}

HoloOpResult
_holo_section_pop_pass (HoloSection *section, GError **error)
{
  HoloOpResult all = HOLO_OP_OK;

  _holo_section_check_ended_outputs (section);
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
