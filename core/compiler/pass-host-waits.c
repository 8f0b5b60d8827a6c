/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 8: who touches what. Finds, for each host task of a section with device work, whether the host must wait for the
 * section's stream first because device work of this or an earlier iteration uses memory that the task touches. */
#include "compiler/holo-compilation.h"

static gboolean
node_uses_stream (const HoloPlanNode *node)
{
  return node->inference.uses_stream;
}

static void
note_access (HoloCompilation *c, guint tensor, const HoloPlanNode *node, gint position)
{
  HoloPlanStorage *storage = _holo_plan_storage (c->plan, _holo_plan_tensor (c->plan, tensor)->storage);

  storage->first_use = MIN (storage->first_use, position);
  storage->last_use = MAX (storage->last_use, position);
  if (!_holo_plan_node_is_sync (node))
    storage->async_access = TRUE;
  if (node_uses_stream (node))
    storage->stream_access = TRUE;
  else
    storage->host_access = TRUE;
}

static void
note_section (HoloCompilation *c, HoloPlanSection *section)
{
  for (guint i = 0; i < section->pops->len; i++)
    {
      const HoloPlanNode *node = _holo_plan_node (c->plan, g_array_index (section->pops, guint, i));

      for (guint o = 0; o < node->n_outputs; o++)
        note_access (c, node->outputs[o], node, -1);
    }
  for (guint i = 0; i < section->nodes->len; i++)
    {
      const HoloPlanNode *node = _holo_plan_node (c->plan, g_array_index (section->nodes, guint, i));

      for (guint k = 0; k < node->n_inputs; k++)
        note_access (c, node->inputs[k], node, (gint) i);
      for (guint o = 0; o < node->n_outputs; o++)
        note_access (c, node->outputs[o], node, (gint) i);
    }
  for (guint i = 0; i < section->pushes->len; i++)
    {
      const HoloPlanNode *node = _holo_plan_node (c->plan, g_array_index (section->pushes, guint, i));

      for (guint k = 0; k < node->n_inputs; k++)
        note_access (c, node->inputs[k], node, (gint) section->nodes->len);
    }
}

static gboolean
touches_stream_memory (HoloCompilation *c, const HoloPlanNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (_holo_plan_storage (c->plan, _holo_plan_tensor (c->plan, node->inputs[i])->storage)->stream_access)
      return TRUE;
  for (guint i = 0; i < node->n_outputs; i++)
    if (_holo_plan_storage (c->plan, _holo_plan_tensor (c->plan, node->outputs[i])->storage)->stream_access)
      return TRUE;
  return FALSE;
}

/* An asynchronous task that fills host memory of the section itself is host code too: what it gave before may still be on
 * its way to the device. What it owns or lends is ordered by fences. */
static gboolean
pop_waits (HoloCompilation *c, const HoloPlanNode *node)
{
  for (guint i = 0; i < node->n_outputs; i++)
    {
      const HoloInferredOutput *output = holo_inference_get_output (&node->inference, i);
      const HoloPlanStorage *storage =
          _holo_plan_storage (c->plan, _holo_plan_tensor (c->plan, node->outputs[i])->storage);

      if (!output->owned && !output->lent && storage->mem_loc == HOLO_MEM_LOC_HOST && storage->stream_access)
        return TRUE;
    }
  return FALSE;
}

/* Whether an asynchronous task may enqueue work of its own on the stream of the section that pushes to it: where it does not
 * take device memory over by reference. */
gboolean
_holo_plan_node_pushes_on_stream (HoloPlan *plan, const HoloPlanNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (_holo_plan_tensor (plan, node->inputs[i])->desc.mem_loc == HOLO_MEM_LOC_DEVICE &&
        !(node->inference.handles_fences && holo_inference_get_input (&node->inference, i)->adopts))
      return TRUE;
  return FALSE;
}

/* The same where it gives device memory: unless it lends what it holds. */
static gboolean
pops_on_stream (const HoloPlanNode *node)
{
  for (guint i = 0; i < node->n_outputs; i++)
    if (holo_inference_get_output_desc (&node->inference, i)->mem_loc == HOLO_MEM_LOC_DEVICE &&
        !(node->inference.handles_fences && holo_inference_get_output (&node->inference, i)->lent))
      return TRUE;
  return FALSE;
}

/* What only moves references to device memory from one task to the next leaves the stream alone: the fences travel with the
 * frames. */
static void
note_stream (HoloCompilation *c, HoloPlanSection *section)
{
  for (guint i = 0; i < section->nodes->len; i++)
    section->uses_device |= node_uses_stream (_holo_plan_node (c->plan, g_array_index (section->nodes, guint, i)));
  for (guint i = 0; i < section->pops->len; i++)
    section->uses_device |= pops_on_stream (_holo_plan_node (c->plan, g_array_index (section->pops, guint, i)));
  for (guint i = 0; i < section->pushes->len; i++)
    section->uses_device |= _holo_plan_node_pushes_on_stream (
        c->plan, _holo_plan_node (c->plan, g_array_index (section->pushes, guint, i)));
}

gboolean
_holo_pass_host_waits (HoloCompilation *c, GError **error)
{
  for (guint s = 0; s < c->plan->sections->len; s++)
    {
      note_section (c, _holo_plan_section (c->plan, s));
      note_stream (c, _holo_plan_section (c->plan, s));
    }
  for (guint s = 0; s < c->plan->sections->len; s++)
    {
      HoloPlanSection *section = _holo_plan_section (c->plan, s);

      g_array_set_size (section->waits, section->nodes->len);
      for (guint i = 0; i < section->nodes->len; i++)
        {
          const HoloPlanNode *node = _holo_plan_node (c->plan, g_array_index (section->nodes, guint, i));
          gboolean waits = section->uses_device && !node_uses_stream (node) && touches_stream_memory (c, node);

          g_array_index (section->waits, gboolean, i) = waits;
          section->host_waits |= waits;
        }
      g_array_set_size (section->pop_waits, section->pops->len);
      for (guint i = 0; i < section->pops->len; i++)
        {
          gboolean waits = pop_waits (c, _holo_plan_node (c->plan, g_array_index (section->pops, guint, i)));

          g_array_index (section->pop_waits, gboolean, i) = waits;
          section->host_waits |= waits;
        }
    }
  return TRUE;
}
