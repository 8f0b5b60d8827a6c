/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Last step: everything that was acquired or popped goes back, whatever became of it. */
#include "runtime/holo-section-phases.h"

#include "device/holo-runtime-hooks.h"

static void
drop_block (HoloSection *section, HoloStorage *storage, const HoloFence *fence)
{
  HoloBlock *block = g_steal_pointer (&storage->block);

  storage->data = NULL;
  holo_runtime_publish (block->data);
  holo_block_unref_after (block, fence);
}

/* A slot of the task's own. */
static gboolean
release_output (HoloSection *section, HoloPart *part, guint index, const HoloFence *fence, gboolean handles_fences,
                GError **error)
{
  HoloTensorView **view = &part->views[part->n_inputs + index];
  HoloFence none = HOLO_FENCE_INIT;

  if (fence->stream != NULL && !handles_fences &&
      !_holo_section_wait_order (section, HOLO_RUNTIME_WAIT_RELEASE, fence, error))
    return FALSE;
  holo_runtime_before_call (part->task, HOLO_RUNTIME_RELEASE_OUTPUT, view, 1, 0);
  if (!holo_task_release_output (part->task, index, handles_fences ? fence : &none, error))
    return FALSE;
  holo_runtime_after_call (part->task, HOLO_RUNTIME_RELEASE_OUTPUT, view, 1, 0, HOLO_OP_OK);
  if (part->boundary != NULL && part->boundary->producer != NULL)
    _holo_waiter_notify (part->boundary->producer);
  return TRUE;
}

static gboolean
release_outputs (HoloSection *section, HoloPart *part, const HoloFence *fence, gboolean handles_fences, GError **error)
{
  HoloTensorView **outputs = part->views + part->n_inputs;

  for (guint i = 0; i < part->n_outputs; i++)
    {
      gboolean held = part->output_held != NULL && part->output_held[i];

      if ((part->output_lent[i] || held) && outputs[i]->storage->block != NULL)
        drop_block (section, outputs[i]->storage, fence);
      if (held)
        part->output_held[i] = FALSE;
      else if (!part->output_owned[i])
        continue;
      else if (!release_output (section, part, i, fence, handles_fences, error))
        return FALSE;
    }
  return TRUE;
}

/* What a pop gave, whose frame has been taken over or copied. All device work is over. */
gboolean
_holo_section_release_part (HoloSection *section, HoloPart *part, GError **error)
{
  const HoloFence none = HOLO_FENCE_INIT;

  return !_holo_part_owns_outputs (part) ||
         release_outputs (section, part, &none, part->boundary->handles_fences, error);
}

void
_holo_section_abort_slots (HoloSection *section)
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
void
_holo_section_count_discarded (HoloSection *section)
{
  for (guint i = section->n_pops; i < section->n_parts; i++)
    {
      HoloPart *part = &section->parts[i];
      guint64 n = 0;

      if (!part->finished || part->finished != HOLO_FINISHED_NO_INPUT || part->done ||
          part->finished_in != section->iteration)
        continue;
      for (guint k = 0; k < part->n_from; k++)
        n += part->from[k]->done;
      if (n > 0)
        holo_task_add_discarded (part->task, n);
    }
}

/* Gives everything of this iteration back, whatever became of it. */
gboolean
_holo_section_give_back (HoloSection *section, GError **error)
{
  gboolean success =
      !section->uses_device || !_holo_section_needs_fence (section) || _holo_section_record (section, error);
  HoloFence fence = section->fence;

  for (guint i = 0; i < section->n_pops + section->n_nodes; i++)
    {
      HoloPart *part = &section->parts[i];
      gboolean handles = part->boundary != NULL && part->boundary->handles_fences;

      if (part->done && _holo_part_owns_outputs (part) &&
          !release_outputs (section, part, &fence, handles, success ? error : NULL))
        success = FALSE;
    }
  for (guint i = 0; i < section->n_blocks; i++)
    if (section->blocks[i].storage->block != NULL)
      drop_block (section, section->blocks[i].storage, &fence);
  if (fence.stream != NULL)
    _holo_section_note_in_flight (section);
  return success;
}

void
_holo_section_start_iteration (HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    section->parts[i].done = section->parts[i].refused = FALSE;
  section->fence = (HoloFence) HOLO_FENCE_INIT;
  section->started = section->clock;
  section->next_node = 0;
  section->worked = FALSE;
  section->phase = HOLO_PHASE_DELIVER;
}

HoloOpResult
_holo_section_end_iteration (HoloSection *section, GError **error)
{
  gboolean worked = section->worked, success;

  for (guint i = 0; i < section->n_pops && !worked; i++)
    worked = section->pops[i].done;
  _holo_section_count_discarded (section);
  _holo_section_abort_slots (section);
  success =
      _holo_section_give_back (section, error) && (!section->uses_device || _holo_section_throttle (section, error));
  if (G_UNLIKELY (section->has_pending) && holo_runtime_mutant == HOLO_RUNTIME_MUTANT_PENDING_LAST)
    _holo_section_deliver_pass (section, NULL);
  section->phase = HOLO_PHASE_IDLE;
  section->iteration++;
  if (section->n_nodes == 0)
    _holo_section_note_work (section);
  if (!success)
    return _holo_section_device_error (section, "release", error);
  if (worked)
    {
      __atomic_store_n (&section->statistics.iterations, section->statistics.iterations + 1, __ATOMIC_RELAXED);
      return HOLO_OP_OK;
    }
  return _holo_section_all_finished (section) ? HOLO_OP_EOF : HOLO_OP_OK;
}
