/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First step of an iteration: slots of consumers that own their memory, and blocks for what leaves the section. */
#include "runtime/holo-section-phases.h"

#include "base/holo-error.h"
#include "device/holo-runtime-hooks.h"

#define BACKOFF_LAST 1000 /* µs */

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
          return _holo_section_error (section, slot->task, "acquire_input", error);
        }
      if (slot->view->fence.stream == NULL)
        return result;
      if (slot->producer->uses_stream)
        return holo_runtime_wait_stream (HOLO_RUNTIME_WAIT_SLOT_STREAM, section->stream, &slot->view->fence, error)
                   ? result
                   : _holo_section_error (section, slot->task, "acquire_input", error);
      return _holo_section_wait_order (section, HOLO_RUNTIME_WAIT_SLOT_HOST, &slot->view->fence, error)
                 ? result
                 : _holo_section_error (section, slot->task, "acquire_input", error);
    }
  return result == HOLO_OP_ERROR ? _holo_section_error (section, slot->task, "acquire_input", error) : result;
}

static HoloBlock *
take_block (HoloSection *section, HoloSectionBlock *block, GError **error)
{
  HoloEndAllocator *allocator = block->output != NULL ? _holo_end_get_allocator (block->output->end) : NULL;
  HoloBlock *taken;

  if (allocator == NULL)
    return _holo_pool_take (block->pool, error);
  taken = allocator->func != NULL ? allocator->func (block->size, section->memory_cancellable, allocator->data, error)
                                  : _holo_pool_take (block->pool, error);
  _holo_end_allocator_unref (allocator);
  return taken;
}

static gboolean
wait_for_block (HoloSection *section, HoloBlock *block, GError **error)
{
  for (guint i = 0; i < block->fences.n_fences; i++)
    if (!_holo_section_wait_order (section, HOLO_RUNTIME_WAIT_BLOCK_HOST, holo_fence_set_get (&block->fences, i),
                                   error))
      return FALSE;
  return TRUE;
}

static gboolean
wait_for_block_on_stream (HoloSection *section, HoloBlock *block, GError **error)
{
  return holo_runtime_drops_wait (HOLO_RUNTIME_WAIT_BLOCK_STREAM) ||
         holo_fence_set_wait_stream (&block->fences, section->stream, error);
}

static HoloOpResult
acquire_block (HoloSection *section, HoloSectionBlock *block, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  HoloBlock *taken = take_block (section, block, &local_error);

  if (taken == NULL)
    {
      if (g_error_matches (local_error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        return _holo_section_handle_cancelled (section, NULL);
      g_propagate_error (error, g_steal_pointer (&local_error));
      return _holo_section_error (section, block->producer->task, "allocation of its output", error);
    }
  holo_runtime_observe (taken->data);
  block->storage->block = taken;
  block->storage->data = taken->data;
  block->storage->size = taken->size;
  if (taken->fences.n_fences > 0)
    {
      /* Readers of the block's last round may still be at work on the device. */
      gboolean success = block->producer->uses_stream ? wait_for_block_on_stream (section, taken, error)
                                                      : wait_for_block (section, taken, error);

      holo_fence_set_clear (&taken->fences);
      if (!success)
        return _holo_section_error (section, block->producer->task, "wait for its output's memory", error);
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

HoloOpResult
_holo_section_acquire_pass (HoloSection *section, GError **error)
{
  HoloOpResult all = HOLO_OP_OK, result;

  _holo_section_check_ended_outputs (section);
  for (guint i = 0; i < section->n_slots; i++)
    {
      HoloSectionSlot *slot = &section->slots[i];

      slot->owner->refused = FALSE;
      if (slot->acquired || slot->producer->finished)
        continue;
      if (slot->owner->finished)
        {
          if (!use_spare (section, slot, error))
            return _holo_section_error (section, slot->producer->task, "allocate", error);
          continue;
        }
      result = acquire_slot (section, slot, error);
      if (result == HOLO_OP_NOT_READY)
        {
          if (slot->boundary != NULL)
            _holo_part_note_refusal (slot->owner, 0);
          else
            {
              slot->owner->refused = TRUE;
              slot->owner->next_try = g_get_monotonic_time () + BACKOFF_LAST;
            }
          all = HOLO_OP_NOT_READY;
        }
      else if (result == HOLO_OP_EOF)
        {
          _holo_section_finish_part (section, slot->owner, HOLO_FINISHED_ITSELF);
          if (!slot->producer->finished && !use_spare (section, slot, error))
            return _holo_section_error (section, slot->producer->task, "allocate", error);
        }
      else if (result != HOLO_OP_OK)
        return result;
    }
  return all;
}

HoloOpResult
_holo_section_acquire_blocks (HoloSection *section, GError **error)
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
HoloOpResult
_holo_section_acquire_pop_blocks (HoloSection *section, HoloPart *part, GError **error)
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
