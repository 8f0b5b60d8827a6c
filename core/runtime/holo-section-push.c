/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fourth step: a frame to each asynchronous task behind the section. */
#include "runtime/holo-section-phases.h"

#include "device/holo-runtime-hooks.h"

/* One fence per iteration serves all, unless work is enqueued behind it. */
gboolean
_holo_section_record (HoloSection *section, GError **error)
{
  if (section->fence.stream != NULL || holo_stream_record (section->stream, &section->fence, error))
    return TRUE;
  section->fence = (HoloFence) HOLO_FENCE_INIT;
  return FALSE;
}

/* Before the first push: what device work the pushed tensors need. */
gboolean
_holo_section_order_pushed (HoloSection *section, GError **error)
{
  for (guint i = 0; i < section->n_pushes; i++)
    {
      HoloPart *part = &section->pushes[i];

      for (guint k = 0; !part->finished && k < part->n_inputs; k++)
        {
          if (!part->input_on_stream[k])
            continue;
          if (!_holo_section_record (section, error))
            return FALSE;
          part->views[k]->fence = section->fence;
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

      if (fence->stream != NULL && !_holo_section_wait_order (section, HOLO_RUNTIME_WAIT_PUSH, fence, error))
        return FALSE;
    }
  return TRUE;
}

static HoloOpResult
push_part (HoloSection *section, HoloPart *part, gboolean *synchronized, GError **error)
{
  HoloOpResult result;

  if (!part->boundary->handles_fences && !*synchronized && !part->boundary->synchronizes &&
      !wait_before_push (section, part, error))
    return _holo_section_error (section, part->task, "wait before its push", error);
  if (part->pushes_on_stream)
    section->fence = (HoloFence) HOLO_FENCE_INIT;
  part->push.retry_at = 0;
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_BEFORE_CALL);
  holo_runtime_before_call (part->task, HOLO_RUNTIME_PUSH, part->views, part->n_inputs, part->n_inputs);
  result = HOLO_ASYNC_TASK_GET_CLASS (part->task)->try_push (part->boundary->task, &part->push, error);
  holo_runtime_after_call (part->task, HOLO_RUNTIME_PUSH, part->views, part->n_inputs, part->n_inputs, result);
  switch (result)
    {
    case HOLO_OP_OK:
      _holo_part_note_success (part);
      section->worked = TRUE;
      _holo_section_count_call (section, part);
      _holo_section_wake_other_side (section, part);
      *synchronized |= part->boundary->synchronizes;
      return result;
    case HOLO_OP_NOT_READY:
      _holo_part_note_refusal (part, part->push.retry_at);
      return result;
    case HOLO_OP_EOF:
      part->refused = FALSE;
      _holo_section_finish_part (section, part, HOLO_FINISHED_ITSELF);
      return HOLO_OP_OK;
    case HOLO_OP_CANCELLED:
      return _holo_section_handle_cancelled (section, NULL);
    case HOLO_OP_ERROR:
    case HOLO_OP_FLUSHED:
      break;
    }
  return _holo_section_error (section, part->task, "try_push", error);
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
  /* a frame that only passes through may come with the fence of another stream */
  for (guint i = 0; i < part->n_inputs; i++)
    if (!holo_runtime_wait_stream (HOLO_RUNTIME_WAIT_PUSHED, section->stream, &part->views[i]->fence, error))
      return FALSE;
  section->fence = (HoloFence) HOLO_FENCE_INIT;
  if (!_holo_section_record (section, error))
    return FALSE;
  for (guint i = 0; i < part->n_inputs; i++)
    part->views[i]->fence = section->fence;
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
      if (_holo_part_is_unread (part))
        {
          _holo_section_finish_part (section, part, HOLO_FINISHED_NO_READER);
          continue;
        }
      if (!may_give_away (part))
        {
          all = HOLO_OP_NOT_READY;
          continue;
        }
      if (last && section->uses_device && !renew_fences (section, part, error))
        return _holo_section_error (section, part->task, "wait before its push", error);
      result = push_part (section, part, synchronized, error);
      if (result == HOLO_OP_NOT_READY)
        all = HOLO_OP_NOT_READY;
      else if (result != HOLO_OP_OK)
        return result;
    }
  return all;
}

HoloOpResult
_holo_section_push_pass (HoloSection *section, GError **error)
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
