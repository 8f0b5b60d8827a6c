/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Third step: the synchronous tasks in their order. */
#include "runtime/holo-section-phases.h"

#include "base/holo-error.h"
#include "device/holo-runtime-hooks.h"

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
      numbered.seq = numbered.first = numbered.last = part->counters->calls;
      stamp = &numbered;
    }
  for (guint i = 0; i < part->n_outputs; i++)
    part->views[part->n_inputs + i]->stamp = *stamp;
}

static HoloOpResult
execute_node (HoloSection *section, HoloPart *part, GError **error)
{
  HoloOpResult result;

  if (part->host_wait && !_holo_section_wait_for_stream (section, HOLO_RUNTIME_WAIT_NODE, error))
    return _holo_section_error (section, part->task, "wait for the device", error);
  stamp_outputs (part);
  holo_runtime_pause (HOLO_RUNTIME_PAUSE_BEFORE_CALL);
  holo_runtime_before_call (part->task, HOLO_RUNTIME_EXECUTE, part->views, part->n_inputs + part->n_outputs,
                            part->n_inputs);
  result = part->execute ((HoloSyncTask *) part->task, &part->sync, error);
  holo_runtime_after_call (part->task, HOLO_RUNTIME_EXECUTE, part->views, part->n_inputs + part->n_outputs,
                           part->n_inputs, result);
  if (G_LIKELY (result == HOLO_OP_OK))
    {
      part->done = TRUE;
      section->worked = TRUE;
      _holo_section_count_call (section, part);
      if (G_UNLIKELY (section->sync_each) && !holo_stream_synchronize (section->stream, error))
        return HOLO_OP_ERROR;
    }
  return result;
}

HoloOpResult
_holo_section_execute_nodes (HoloSection *section, GCancellable *cancellable, GError **error)
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
          _holo_section_finish_part (section, part, HOLO_FINISHED_ITSELF);
          break;
        case HOLO_OP_CANCELLED:
          return _holo_section_handle_cancelled (section, cancellable);
        case HOLO_OP_ERROR:
          return _holo_section_error (section, part->task, "execute", error);
        default:
          g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "execute() returned %s, which a synchronous task must not",
                       holo_op_result_get_name (result));
          return _holo_section_error (section, part->task, "execute", error);
        }
    }
  return HOLO_OP_OK;
}
