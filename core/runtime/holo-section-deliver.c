/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames that were under way when the section had to rest: what was made goes into its tasks before anything newer; what came
 * back unused is what the next pop gets. */
#include "runtime/holo-section-phases.h"

/* ---- returned ---- */

static gboolean
is_block_of_section (HoloSection *section, const HoloStorage *storage)
{
  for (guint i = 0; i < section->n_blocks; i++)
    if (section->blocks[i].storage == storage)
      return TRUE;
  return FALSE;
}

/* The storage takes the held block over. */
static void
move_to (HoloHeldTensor *tensor, HoloTensorView *view)
{
  view->storage->block = g_steal_pointer (&tensor->storage.block);
  view->storage->data = tensor->storage.data;
  view->storage->size = tensor->storage.size;
}

/* Into the views of @part, a pop, as if its task had just given the frame. */
gboolean
_holo_section_take_returned (HoloSection *section, HoloPart *part, GError **error)
{
  HoloHeldFrame *frame = g_steal_pointer (&part->boundary->returned);
  gboolean success = TRUE;

  for (guint i = 0; i < part->n_outputs && success; i++)
    {
      HoloHeldTensor *tensor = &frame->tensors[i];
      HoloTensorView *view = part->views[i];

      view->fence = (HoloFence) HOLO_FENCE_INIT;
      if (part->output_lent[i] || part->output_owned[i] || is_block_of_section (section, view->storage))
        {
          move_to (tensor, view);
          part->output_held[i] = part->output_owned[i];
          view->fence = tensor->fence;
        }
      else
        success = _holo_held_tensor_copy_to (tensor, view, section->device, section->stream, error);
      view->stamp = tensor->stamp;
    }
  _holo_held_frame_free (frame);
  return success;
}

/* ---- pending ---- */

/* The slot that the input of a push lies in, if its task owns it. */
static HoloSectionSlot *
find_slot (HoloSection *section, const HoloPart *part, guint input)
{
  for (guint i = 0; i < section->n_slots; i++)
    if (section->slots[i].owner == part && section->slots[i].slot == input)
      return &section->slots[i];
  return NULL;
}

static HoloOpResult
fill_slot (HoloSection *section, HoloSectionSlot *slot, const HoloHeldTensor *tensor, GError **error)
{
  HoloOpResult result;

  slot->view->fence = (HoloFence) HOLO_FENCE_INIT;
  holo_runtime_before_call (slot->task, HOLO_RUNTIME_ACQUIRE_INPUT, &slot->view, 1, 1);
  result = holo_task_acquire_input (slot->task, slot->slot, slot->view, error);
  holo_runtime_after_call (slot->task, HOLO_RUNTIME_ACQUIRE_INPUT, &slot->view, 1, 1, result);
  if (result != HOLO_OP_OK)
    return result;
  slot->acquired = TRUE;
  if (!_holo_held_tensor_copy_to (tensor, slot->view, section->device, section->stream, error))
    return HOLO_OP_ERROR;
  slot->view->fence = (HoloFence) HOLO_FENCE_INIT;
  return HOLO_OP_OK;
}

typedef struct
{
  HoloStorage storage;
  HoloTensorDesc desc;
} Saved;

/* Lends the held tensors to the views of @part; @saved gets what these were. */
static HoloOpResult
lend_inputs (HoloSection *section, HoloPart *part, Saved *saved, GError **error)
{
  HoloHeldFrame *frame = part->boundary->pending;
  HoloOpResult result = HOLO_OP_OK;

  for (guint i = 0; i < part->n_inputs; i++)
    saved[i] = (Saved){ *part->views[i]->storage, part->views[i]->desc };
  for (guint i = 0; i < part->n_inputs && result == HOLO_OP_OK; i++)
    {
      HoloSectionSlot *slot = find_slot (section, part, i);
      HoloTensorView *view = part->views[i];
      HoloHeldTensor *tensor = &frame->tensors[i];

      view->stamp = tensor->stamp;
      if (slot != NULL)
        {
          result = fill_slot (section, slot, tensor, error);
          continue;
        }
      view->storage->block = tensor->storage.block;
      view->storage->data = tensor->storage.data;
      view->storage->size = tensor->storage.size;
      view->desc = tensor->desc; /* an Output gives what was made for it, whatever it is made for now */
      view->fence = tensor->fence;
      if (!part->boundary->handles_fences && !holo_fence_wait_host (&tensor->fence, error))
        result = HOLO_OP_ERROR;
    }
  return result;
}

static void
take_inputs_back (HoloSection *section, HoloPart *part, const Saved *saved, gboolean pushed)
{
  for (guint i = 0; i < part->n_inputs; i++)
    {
      HoloSectionSlot *slot = find_slot (section, part, i);

      *part->views[i]->storage = saved[i].storage;
      part->views[i]->desc = saved[i].desc;
      part->views[i]->fence = (HoloFence) HOLO_FENCE_INIT;
      if (slot == NULL || !slot->acquired)
        continue;
      slot->acquired = FALSE;
      if (pushed)
        continue;
      holo_runtime_before_call (slot->task, HOLO_RUNTIME_ABORT_INPUT, &slot->view, 1, 1);
      holo_task_abort_input (slot->task, slot->slot);
      holo_runtime_after_call (slot->task, HOLO_RUNTIME_ABORT_INPUT, &slot->view, 1, 1, HOLO_OP_OK);
    }
}

/* What the task enqueued may still read the held memory. */
static gboolean
drop_pending (HoloSection *section, HoloPart *part, GError **error)
{
  HoloHeldFrame *frame = g_steal_pointer (&part->boundary->pending);
  HoloFence fence = HOLO_FENCE_INIT;
  gboolean success = !section->uses_device || holo_stream_record (section->stream, &fence, error);

  for (guint i = 0; i < frame->n_tensors && fence.stream != NULL; i++)
    frame->tensors[i].fence = fence;
  _holo_held_frame_free (frame);
  if (part->finished)
    _holo_boundary_end_input (part->boundary);
  return success;
}

static HoloOpResult
call_push (HoloPart *part, GError **error)
{
  HoloOpResult result;

  part->push.retry_at = 0;
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_BEFORE_CALL);
  holo_runtime_before_call (part->task, HOLO_RUNTIME_PUSH, part->views, part->n_inputs, part->n_inputs);
  result = HOLO_ASYNC_TASK_GET_CLASS (part->task)->try_push (part->boundary->task, &part->push, error);
  holo_runtime_after_call (part->task, HOLO_RUNTIME_PUSH, part->views, part->n_inputs, part->n_inputs, result);
  return result;
}

static HoloOpResult
deliver (HoloSection *section, HoloPart *part, GError **error)
{
  g_autofree Saved *saved = g_new (Saved, MAX (part->n_inputs, 1));
  HoloOpResult result = lend_inputs (section, part, saved, error);

  if (result == HOLO_OP_OK)
    result = call_push (part, error);
  take_inputs_back (section, part, saved, result == HOLO_OP_OK);
  switch (result)
    {
    case HOLO_OP_OK:
      part->refused = FALSE;
      part->backoff = 0;
      _holo_section_count_call (section, part);
      _holo_section_wake_other_side (section, part);
      break;
    case HOLO_OP_NOT_READY:
      _holo_part_note_refusal (part, part->push.retry_at);
      return result;
    case HOLO_OP_EOF:
      _holo_section_finish_part (section, part, HOLO_FINISHED_ITSELF);
      break;
    case HOLO_OP_CANCELLED:
      return _holo_section_handle_cancelled (section, NULL);
    default:
      return _holo_section_error (section, part->task, "try_push", error);
    }
  return drop_pending (section, part, error) ? HOLO_OP_OK
                                             : _holo_section_error (section, part->task, "try_push", error);
}

/* Before the first step of an iteration. */
HoloOpResult
_holo_section_deliver_pass (HoloSection *section, GError **error)
{
  HoloOpResult all = HOLO_OP_OK;

  for (guint i = 0; i < section->n_pushes; i++)
    {
      HoloPart *part = &section->pushes[i];
      HoloOpResult result = HOLO_OP_OK;

      if (part->boundary->pending == NULL)
        continue;
      if (_holo_part_is_unread (part))
        {
          _holo_section_finish_part (section, part, HOLO_FINISHED_NO_READER);
          if (!drop_pending (section, part, error))
            return _holo_section_error (section, part->task, "drop a frame", error);
          continue;
        }
      result = deliver (section, part, error);
      if (result == HOLO_OP_NOT_READY)
        all = HOLO_OP_NOT_READY;
      else if (result != HOLO_OP_OK)
        return result;
    }
  section->has_pending = all != HOLO_OP_OK;
  return all;
}
