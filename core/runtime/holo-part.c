/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "runtime/holo-part.h"

#define BACKOFF_FIRST 50   /* µs, for tasks that do not signal readiness */
#define BACKOFF_LAST  1000 /* µs */

static void
fill_views (const HoloWiring *wiring, HoloPart *part, gboolean inputs, gboolean outputs)
{
  const HoloPlanNode *node = _holo_plan_node (wiring->plan, part->node);

  part->n_inputs = inputs ? node->n_inputs : 0;
  part->n_outputs = outputs ? node->n_outputs : 0;
  part->views = g_new0 (HoloTensorView *, part->n_inputs + part->n_outputs + 1);
  for (guint i = 0; i < part->n_inputs; i++)
    part->views[i] = wiring->views[node->inputs[i]];
  for (guint i = 0; i < part->n_outputs; i++)
    part->views[part->n_inputs + i] = wiring->views[node->outputs[i]];
  for (guint i = 0; i < part->n_inputs + part->n_outputs; i++)
    part->bytes += holo_tensor_desc_get_payload (&part->views[i]->desc);
}

static void
fill_ownership (const HoloWiring *wiring, HoloPart *part)
{
  const HoloPlanNode *node = _holo_plan_node (wiring->plan, part->node);

  part->output_owned = g_new0 (guint8, part->n_outputs + 1);
  part->output_lent = g_new0 (guint8, part->n_outputs + 1);
  for (guint i = 0; i < part->n_outputs; i++)
    {
      part->output_owned[i] = (guint8) holo_inference_get_output (&node->inference, i)->owned;
      part->output_lent[i] = (guint8) holo_inference_get_output (&node->inference, i)->lent;
    }
}

/* Who of the section, besides the popping side, touches the memory of @tensor. */
static void
find_readers (const HoloWiring *wiring, guint tensor, guint8 *on_stream, guint8 *on_host)
{
  guint storage = _holo_plan_tensor (wiring->plan, tensor)->storage;

  for (guint t = 0; t < wiring->plan->tensors->len; t++)
    {
      const HoloPlanTensor *other = _holo_plan_tensor (wiring->plan, t);

      for (guint i = 0; other->storage == storage && i < other->consumers->len; i++)
        {
          const HoloPlanNode *node =
              _holo_plan_node (wiring->plan, g_array_index (other->consumers, HoloPlanPort, i).node);

          if (_holo_plan_node_is_sync (node))
            {
              if (node->inference.uses_stream)
                *on_stream = TRUE;
              else
                *on_host = TRUE;
            }
          else if (!node->inference.handles_fences)
            *on_host = TRUE;
        }
    }
}

/* Whether some node writes over what @node gives. */
static gboolean
is_overwritten (const HoloWiring *wiring, const HoloPlanNode *node)
{
  for (guint i = 0; i < node->n_outputs; i++)
    for (guint t = 0; t < wiring->plan->tensors->len; t++)
      {
        const HoloPlanTensor *other = _holo_plan_tensor (wiring->plan, t);

        if (other->written && other->storage == _holo_plan_tensor (wiring->plan, node->outputs[i])->storage)
          return TRUE;
      }
  return FALSE;
}

static const HoloPlanNode *
init_part (HoloPart *part, HoloPartType type, const HoloWiring *wiring, guint node)
{
  const HoloPlanNode *plan_node = _holo_plan_node (wiring->plan, node);

  part->type = type;
  part->node = node;
  part->task = plan_node->task;
  part->counters = &wiring->records[node]->counters[type];
  return plan_node;
}

void
_holo_part_init_node (HoloPart *part, const HoloWiring *wiring, guint node, HoloStream *stream,
                      GCancellable *cancellable)
{
  const HoloPlanNode *plan_node = init_part (part, HOLO_PART_NODE, wiring, node);

  fill_views (wiring, part, TRUE, TRUE);
  fill_ownership (wiring, part);
  part->execute = HOLO_SYNC_TASK_GET_CLASS (plan_node->task)->execute;
  part->uses_stream = plan_node->inference.uses_stream;
  part->stateful = plan_node->inference.stateful;
  part->sync = (HoloSyncContext){
    .inputs = part->views,
    .outputs = part->views + part->n_inputs,
    .n_inputs = part->n_inputs,
    .n_outputs = part->n_outputs,
    .stream = stream,
    .cancellable = cancellable,
    .reader = wiring->readers[node],
    .writer = wiring->writers[node],
  };
}

void
_holo_part_init_pop (HoloPart *part, const HoloWiring *wiring, guint node, HoloStream *stream,
                     GCancellable *cancellable)
{
  const HoloPlanNode *plan_node = init_part (part, HOLO_PART_POP, wiring, node);

  fill_views (wiring, part, FALSE, TRUE);
  fill_ownership (wiring, part);
  part->output_held = g_new0 (guint8, part->n_outputs + 1);
  part->boundary = wiring->boundaries[node];
  part->overwritten = is_overwritten (wiring, plan_node);
  part->wake_batch = part->boundary->wake_batch;
  part->stream_waits = g_new0 (guint8, part->n_outputs + 1);
  part->host_waits = g_new0 (guint8, part->n_outputs + 1);
  for (guint i = 0; i < part->n_outputs; i++)
    find_readers (wiring, plan_node->outputs[i], &part->stream_waits[i], &part->host_waits[i]);
  part->pop = (HoloPopContext){
    .outputs = part->views,
    .n_outputs = part->n_outputs,
    .stream = stream,
    .cancellable = cancellable,
    .reader = wiring->readers[node],
    .writer = wiring->writers[node],
  };
}

void
_holo_part_init_push (HoloPart *part, const HoloWiring *wiring, guint node, HoloStream *stream,
                      GCancellable *cancellable)
{
  const HoloPlanNode *plan_node = init_part (part, HOLO_PART_PUSH, wiring, node);

  fill_views (wiring, part, TRUE, FALSE);
  part->boundary = wiring->boundaries[node];
  part->pushes_on_stream = _holo_plan_node_pushes_on_stream (wiring->plan, plan_node);
  part->input_on_stream = g_new0 (guint8, part->n_inputs + 1);
  for (guint i = 0; i < part->n_inputs; i++)
    {
      const HoloPlanTensor *tensor = _holo_plan_tensor (wiring->plan, plan_node->inputs[i]);
      const HoloPlanNode *producer = _holo_plan_node (wiring->plan, tensor->producer.node);
      guint8 on_stream = FALSE, on_host = FALSE;

      find_readers (wiring, plan_node->inputs[i], &on_stream, &on_host);
      part->input_on_stream[i] = on_stream || (_holo_plan_node_is_sync (producer) && producer->inference.uses_stream);
    }
  part->push = (HoloPushContext){
    .inputs = part->views,
    .n_inputs = part->n_inputs,
    .stream = stream,
    .cancellable = cancellable,
    .reader = wiring->readers[node],
    .writer = wiring->writers[node],
  };
}

void
_holo_part_clear (HoloPart *part)
{
  g_free (part->views);
  g_free (part->output_owned);
  g_free (part->output_lent);
  g_free (part->output_held);
  g_clear_pointer (&part->held, _holo_held_frame_free);
  g_free (part->output_fresh);
  g_free (part->stream_waits);
  g_free (part->host_waits);
  g_free (part->before);
  g_free (part->input_on_stream);
  g_free (part->from);
  g_free (part->to);
}

/* Whether what it gave has to go back to it, or to whom its block belongs. */
gboolean
_holo_part_owns_outputs (const HoloPart *part)
{
  for (guint i = 0; i < part->n_outputs; i++)
    if (part->output_owned[i] || part->output_lent[i])
      return TRUE;
  return FALSE;
}

void
_holo_part_note_refusal (HoloPart *part, gint64 retry_at)
{
  part->refused = TRUE;
  part->next_try = retry_at;
  if (part->boundary->signals_readiness)
    return;
  part->backoff = part->backoff == 0 ? BACKOFF_FIRST : MIN (part->backoff * 2, BACKOFF_LAST);
  if (retry_at == 0 || retry_at > g_get_monotonic_time () + part->backoff)
    part->next_try = g_get_monotonic_time () + part->backoff;
}

void
_holo_part_note_success (HoloPart *part)
{
  part->refused = FALSE;
  part->done = TRUE;
  part->backoff = 0;
}
