/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 6: gives every tensor a storage. Proves in-place, finds who owns the memory, and inserts a copy where two owners
 * meet or an overwrite is not allowed.
 *
 * First every tensor gets a storage in topological order, sharing its input's where the factory asks for it and the proof
 * holds; then the asynchronous consumers state their demands (adopt a block, offer a slot) and turn plan storage into
 * pool or slot storage, or get a copy. */
#include <string.h>

#include "compiler/holo-compilation.h"
#include "compiler/holo-copy-node.h"
#include "base/holo-error.h"
#include "task/holo-task-private.h"

guint
_holo_compilation_add_storage (HoloCompilation *c, HoloStorageClass storage_class, const HoloTensorDesc *desc,
                               gint section)
{
  HoloPlanStorage storage = {
    .storage_class = storage_class,
    .storage = g_atomic_rc_box_new0 (HoloStorage),
    .size = holo_tensor_desc_get_size (desc),
    .mem_loc = desc->mem_loc,
    .writable = TRUE,
    .section = section,
    .memory = -1,
    .pool_output = -1,
    .first_use = G_MAXINT,
    .last_use = -1,
  };

  g_array_append_val (c->plan->storages, storage);
  return c->plan->storages->len - 1;
}

static gint
get_tensor_section (HoloCompilation *c, const HoloPlanTensor *tensor)
{
  return _holo_plan_node (c->plan, tensor->producer.node)->section_out;
}

static HoloInPlace
get_in_place (const HoloPlanNode *node, guint output, guint input)
{
  const HoloInferredOutput *inferred = holo_inference_get_output (&node->inference, output);

  return inferred->in_place != HOLO_IN_PLACE_NONE && (guint) inferred->in_place_input == input ? inferred->in_place
                                                                                               : HOLO_IN_PLACE_NONE;
}

gboolean
_holo_compilation_insert_copy (HoloCompilation *c, guint tensor_id, guint node_id, guint slot, const gchar *why,
                               guint *copy_tensor, GError **error)
{
  HoloTensorDesc desc = _holo_plan_tensor (c->plan, tensor_id)->desc;
  gint section = get_tensor_section (c, _holo_plan_tensor (c->plan, tensor_id));
  HoloPlanNode copy = {
    .implicit = TRUE, .section_in = section, .section_out = section, .n_inputs = 1, .n_outputs = 1
  };
  HoloPlanPort consumer = { c->plan->nodes->len, 0 };
  GArray *consumers;
  guint id = c->plan->nodes->len;

  copy.factory = _holo_copy_node_new ();
  copy.name = g_strdup_printf ("copy-%u", c->plan->n_copies++);
  copy.kind = g_strdup ("copy");
  copy.note = g_strdup (why);
  copy.inputs = g_new0 (guint, 1);
  copy.outputs = g_new0 (guint, 1);
  copy.inputs[0] = tensor_id;
  if (!holo_task_factory_infer (copy.factory, &desc, 1, &copy.inference, error))
    {
      _holo_compilation_prefix_node (error, &copy);
      return FALSE;
    }
  copy.inferred = TRUE;
  g_array_append_val (c->plan->nodes, copy);

  *copy_tensor = _holo_compilation_add_tensor (c, &desc, id, 0);
  _holo_plan_node (c->plan, id)->outputs[0] = *copy_tensor;
  consumers = _holo_plan_tensor (c->plan, tensor_id)->consumers;
  for (guint i = 0; i < consumers->len; i++)
    {
      HoloPlanPort *old = &g_array_index (consumers, HoloPlanPort, i);

      if (old->node == node_id && old->slot == slot)
        {
          g_array_append_vals (_holo_plan_tensor (c->plan, *copy_tensor)->consumers, old, 1);
          *old = consumer;
        }
    }
  _holo_plan_node (c->plan, node_id)->inputs[slot] = *copy_tensor;
  g_array_append_val (_holo_plan_section (c->plan, (guint) section)->nodes, id);
  return TRUE;
}

/* ---- the proof of in-place ---- */

/* Whether synchronous node @from must run before @to already, by edges or by orderings added so far. */
static gboolean
runs_before (HoloCompilation *c, guint from, guint to)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));

  g_array_append_val (stack, from);
  while (stack->len > 0)
    {
      guint index = g_array_index (stack, guint, stack->len - 1);
      HoloPlanNode *node = _holo_plan_node (c->plan, index);

      g_array_set_size (stack, stack->len - 1);
      if (index == to)
        return TRUE;
      if (!_holo_plan_node_is_sync (node) || !g_hash_table_add (seen, GUINT_TO_POINTER (index)))
        continue;
      for (guint o = 0; o < node->n_outputs; o++)
        {
          GArray *consumers = _holo_plan_tensor (c->plan, node->outputs[o])->consumers;

          for (guint i = 0; i < consumers->len; i++)
            g_array_append_val (stack, g_array_index (consumers, HoloPlanPort, i).node);
        }
      for (guint i = 0; i < c->orderings->len; i++)
        {
          const HoloCompilationEdge *ordering = &g_array_index (c->orderings, HoloCompilationEdge, i);

          if (ordering->from == index)
            g_array_append_val (stack, ordering->to);
        }
    }
  return FALSE;
}

/* All readers of a tensor and of the views that others make of it, except (@writer, @writer_slot). */
static void
collect_readers (HoloCompilation *c, guint tensor_id, guint writer, guint writer_slot, GArray *readers)
{
  GArray *consumers = _holo_plan_tensor (c->plan, tensor_id)->consumers;

  for (guint i = 0; i < consumers->len; i++)
    {
      HoloPlanPort port = g_array_index (consumers, HoloPlanPort, i);
      HoloPlanNode *node = _holo_plan_node (c->plan, port.node);

      if (port.node == writer && port.slot == writer_slot)
        continue;
      g_array_append_val (readers, port);
      if (!_holo_plan_node_is_sync (node))
        continue;
      for (guint o = 0; o < node->n_outputs; o++)
        if (get_in_place (node, o, port.slot) == HOLO_IN_PLACE_VIEW)
          collect_readers (c, node->outputs[o], writer, writer_slot, readers);
    }
}

/* The tensor whose contents @tensor_id shows: the views are followed back to the last one that wrote them. Readers of
 * earlier contents of the storage already run before that writer, by the same proof. */
static guint
get_version (HoloCompilation *c, guint tensor_id)
{
  const HoloPlanTensor *tensor = _holo_plan_tensor (c->plan, tensor_id);

  while (tensor->shares && !tensor->written)
    {
      const HoloPlanNode *producer = _holo_plan_node (c->plan, tensor->producer.node);
      const HoloInferredOutput *output = holo_inference_get_output (&producer->inference, tensor->producer.slot);

      tensor_id = producer->inputs[output->in_place_input];
      tensor = _holo_plan_tensor (c->plan, tensor_id);
    }
  return tensor_id;
}

/* Whether a consumer of @tensor_id, through views, wants to own its memory: @slot a slot of its own, @adopt a block. */
static void
find_demands (HoloCompilation *c, guint tensor_id, gboolean *slot, gboolean *adopt)
{
  GArray *consumers = _holo_plan_tensor (c->plan, tensor_id)->consumers;

  for (guint i = 0; i < consumers->len; i++)
    {
      HoloPlanPort port = g_array_index (consumers, HoloPlanPort, i);
      HoloPlanNode *node = _holo_plan_node (c->plan, port.node);
      const HoloInferredInput *input = holo_inference_get_input (&node->inference, port.slot);

      *slot |= input->owned;
      *adopt |= input->adopts;
      for (guint o = 0; o < node->n_outputs; o++)
        if (get_in_place (node, o, port.slot) == HOLO_IN_PLACE_VIEW)
          find_demands (c, node->outputs[o], slot, adopt);
    }
}

/* Element i of the output must lie where element i of the input lies, or both must be one dense run from the same place: a
 * task that works in place reads an element just before it writes it. */
static gboolean
have_same_layout (const HoloTensorDesc *a, const HoloTensorDesc *b)
{
  if (a->offset != b->offset)
    return FALSE;
  if (holo_tensor_desc_is_dense (a) && holo_tensor_desc_is_dense (b))
    return TRUE;
  return holo_tensor_desc_same_shape (a, b) && holo_dtype_get_size (a->dtype) == holo_dtype_get_size (b->dtype) &&
         memcmp (a->strides, b->strides, a->rank * sizeof *a->strides) == 0;
}

/* Returns NULL when @node may write output @output over input @slot, else the reason why not. Adds the orderings that
 * put the other readers before the writer. */
static gchar *
refuse_in_place (HoloCompilation *c, guint node_id, guint output, guint slot)
{
  HoloPlanNode *node = _holo_plan_node (c->plan, node_id);
  guint tensor_id = node->inputs[slot], root = _holo_plan_tensor (c->plan, tensor_id)->storage;
  HoloPlanStorage *storage = _holo_plan_storage (c->plan, root);
  g_autoptr (GArray) readers = g_array_new (FALSE, FALSE, sizeof (HoloPlanPort));
  gboolean wants_slot = FALSE, wants_adopt = FALSE;
  guint n_orderings = c->orderings->len;

  if (!c->plan->in_place)
    return g_strdup ("in-place is switched off");
  if (!storage->writable)
    return g_strdup_printf ("the memory of \"%s\" is not writable",
                            _holo_plan_node (c->plan, _holo_plan_tensor (c->plan, tensor_id)->producer.node)->name);
  if (storage->size < holo_tensor_desc_get_size (holo_inference_get_output_desc (&node->inference, output)))
    return g_strdup ("the output does not fit into the input's memory");
  if (!have_same_layout (holo_inference_get_input_desc (&node->inference, slot),
                         holo_inference_get_output_desc (&node->inference, output)))
    return g_strdup ("input and output are laid out differently");
  find_demands (c, node->outputs[output], &wants_slot, &wants_adopt);
  if (wants_slot && storage->storage_class != HOLO_STORAGE_PLAN)
    return g_strdup ("input and output have different owners");
  if (wants_adopt && storage->storage_class == HOLO_STORAGE_OWNED_OUTPUT)
    return g_strdup ("the output leaves the section, the input's slot must not");

  collect_readers (c, get_version (c, tensor_id), node_id, slot, readers);
  for (guint i = 0; i < readers->len; i++)
    {
      HoloPlanPort reader = g_array_index (readers, HoloPlanPort, i);
      HoloPlanNode *reader_node = _holo_plan_node (c->plan, reader.node);
      HoloCompilationEdge ordering = { .from = reader.node, .to = node_id };

      if (reader.node == node_id)
        {
          g_array_set_size (c->orderings, n_orderings);
          return g_strdup_printf ("input %u of the same node reads the same memory", reader.slot);
        }
      /* Nodes that wrote in place earlier in the chain run before this one by their edges. */
      if (_holo_plan_node_is_sync (reader_node) && runs_before (c, reader.node, node_id))
        continue;
      if (!_holo_plan_node_is_sync (reader_node) || runs_before (c, node_id, reader.node))
        {
          g_array_set_size (c->orderings, n_orderings);
          return g_strdup_printf ("\"%s\" still reads the input afterwards", reader_node->name);
        }
      g_array_append_val (c->orderings, ordering);
    }
  return NULL;
}

/* ---- first half: a storage for every tensor ---- */

/* Whether the blocks that @node lends out, adopted from its input, may be written by their consumer: nobody else may hold
 * them. */
static gboolean
lent_is_writable (HoloCompilation *c, const HoloPlanNode *node, const HoloInferredOutput *output)
{
  guint root;

  if (!output->writable)
    return FALSE;
  if (output->lends_input < 0)
    return TRUE;
  root = _holo_plan_tensor (c->plan, node->inputs[output->lends_input])->storage;
  if (!_holo_plan_storage (c->plan, root)->writable)
    return FALSE;
  for (guint t = 0; t < c->plan->tensors->len; t++)
    {
      const HoloPlanTensor *tensor = _holo_plan_tensor (c->plan, t);

      if (tensor->storage == root && tensor->consumers->len != 1)
        return FALSE;
    }
  return TRUE;
}

static guint
new_storage_for_output (HoloCompilation *c, guint node_id, guint slot)
{
  HoloPlanNode *node = _holo_plan_node (c->plan, node_id);
  const HoloInferredOutput *output = holo_inference_get_output (&node->inference, slot);
  HoloStorageClass storage_class = output->lent    ? HOLO_STORAGE_LENT
                                   : output->owned ? HOLO_STORAGE_OWNED_OUTPUT
                                                   : HOLO_STORAGE_PLAN;
  gboolean writable = output->lent ? lent_is_writable (c, node, output) : output->owned ? output->writable : TRUE;
  guint id = _holo_compilation_add_storage (c, storage_class, &output->desc, node->section_out);
  HoloPlanStorage *storage = _holo_plan_storage (c->plan, id);

  storage->writable = writable;
  storage->owner = (HoloPlanPort){ node_id, slot };
  return id;
}

static gboolean
place_output (HoloCompilation *c, guint node_id, guint slot, GError **error)
{
  HoloPlanNode *node = _holo_plan_node (c->plan, node_id);
  const HoloInferredOutput *output = holo_inference_get_output (&node->inference, slot);
  HoloInPlace in_place =
      output->owned || output->lent || !_holo_plan_node_is_sync (node) ? HOLO_IN_PLACE_NONE : output->in_place;
  guint input_slot = (guint) output->in_place_input, tensor_id = node->outputs[slot], copy;
  g_autofree gchar *reason = NULL;
  HoloPlanTensor *tensor;

  if (in_place == HOLO_IN_PLACE_MAY || in_place == HOLO_IN_PLACE_MUST)
    reason = refuse_in_place (c, node_id, slot, input_slot);
  if (in_place == HOLO_IN_PLACE_MUST && reason != NULL)
    {
      g_autofree gchar *why = g_strdup_printf ("\"%s\" overwrites its input, but %s", node->name, reason);

      if (!_holo_compilation_insert_copy (c, node->inputs[input_slot], node_id, input_slot, why, &copy, error))
        return FALSE;
      tensor = _holo_plan_tensor (c->plan, copy);
      tensor->storage = _holo_compilation_add_storage (c, HOLO_STORAGE_PLAN, &tensor->desc,
                                                       _holo_plan_node (c->plan, node_id)->section_in);
      tensor->note = g_strdup (why);
      g_clear_pointer (&reason, g_free);
      node = _holo_plan_node (c->plan, node_id);
    }
  tensor = _holo_plan_tensor (c->plan, tensor_id);
  if (in_place == HOLO_IN_PLACE_NONE || reason != NULL)
    {
      guint storage = new_storage_for_output (c, node_id, slot);

      tensor = _holo_plan_tensor (c->plan, tensor_id);
      tensor->storage = storage;
      if (reason != NULL)
        tensor->note = g_strdup_printf ("not in place: %s", reason);
      return TRUE;
    }
  tensor->storage = _holo_plan_tensor (c->plan, node->inputs[input_slot])->storage;
  tensor->shares = TRUE;
  tensor->written = in_place != HOLO_IN_PLACE_VIEW;
  tensor->note =
      g_strdup_printf (in_place == HOLO_IN_PLACE_VIEW ? "view of input %u" : "in place of input %u", input_slot);
  return TRUE;
}

/* ---- second half: demands of consumers ---- */

static gboolean
copy_for_consumer (HoloCompilation *c, guint tensor_id, HoloPlanPort port, HoloStorageClass storage_class,
                   const gchar *why, GError **error)
{
  guint copy, storage;

  if (!_holo_compilation_insert_copy (c, tensor_id, port.node, port.slot, why, &copy, error))
    return FALSE;
  storage = _holo_compilation_add_storage (c, storage_class, &_holo_plan_tensor (c->plan, copy)->desc,
                                           _holo_plan_node (c->plan, port.node)->section_in);
  _holo_plan_tensor (c->plan, copy)->storage = storage;
  _holo_plan_tensor (c->plan, copy)->note = g_strdup (why);
  _holo_plan_storage (c->plan, storage)->owner = port;
  return TRUE;
}

static gboolean
meet_slot_demand (HoloCompilation *c, guint tensor_id, HoloPlanPort port, GError **error)
{
  HoloPlanTensor *tensor = _holo_plan_tensor (c->plan, tensor_id);
  HoloPlanStorage *storage = _holo_plan_storage (c->plan, tensor->storage);
  const HoloPlanNode *node = _holo_plan_node (c->plan, port.node);
  g_autofree gchar *why = NULL;

  /* The slot is as large as its tensor: what lies beside that, a part that a view leaves out, may hold other frames. */
  if (storage->storage_class == HOLO_STORAGE_PLAN && tensor->desc.offset == 0 &&
      holo_tensor_desc_is_dense (&tensor->desc) && storage->size == holo_tensor_desc_get_size (&tensor->desc))
    {
      storage->storage_class = HOLO_STORAGE_OWNED_INPUT;
      storage->owner = port;
      return TRUE;
    }
  if (storage->storage_class == HOLO_STORAGE_PLAN)
    why = g_strdup_printf ("the slot of \"%s\" is smaller than the memory the tensor shares", node->name);
  else
    why = g_strdup_printf ("two owners: \"%s\" has slots of its own, and the memory belongs to \"%s\"", node->name,
                           _holo_plan_node (c->plan, storage->owner.node)->name);
  return copy_for_consumer (c, tensor_id, port, HOLO_STORAGE_OWNED_INPUT, why, error);
}

static gboolean
meet_adopt_demand (HoloCompilation *c, guint tensor_id, HoloPlanPort port, GError **error)
{
  HoloPlanStorage *storage = _holo_plan_storage (c->plan, _holo_plan_tensor (c->plan, tensor_id)->storage);
  g_autofree gchar *why = NULL;

  switch (storage->storage_class)
    {
    case HOLO_STORAGE_PLAN:
      storage->storage_class = HOLO_STORAGE_POOL;
      storage->owner = port;
      return TRUE;
    case HOLO_STORAGE_POOL:
    case HOLO_STORAGE_LENT:
      return TRUE;
    case HOLO_STORAGE_OWNED_INPUT:
    case HOLO_STORAGE_OWNED_OUTPUT:
      why = g_strdup_printf ("two owners: \"%s\" keeps the memory, which is a slot of \"%s\"",
                             _holo_plan_node (c->plan, port.node)->name,
                             _holo_plan_node (c->plan, storage->owner.node)->name);
      return copy_for_consumer (c, tensor_id, port, HOLO_STORAGE_POOL, why, error);
    }
  return TRUE;
}

static gboolean
meet_demands (HoloCompilation *c, GError **error)
{
  guint n_tensors = c->plan->tensors->len; /* copies need no second look */

  for (guint t = 0; t < n_tensors; t++)
    {
      g_autoptr (GArray) consumers = g_array_copy (_holo_plan_tensor (c->plan, t)->consumers);

      for (guint i = 0; i < consumers->len; i++)
        {
          HoloPlanPort port = g_array_index (consumers, HoloPlanPort, i);
          HoloPlanNode *node = _holo_plan_node (c->plan, port.node);
          const HoloInferredInput *input = holo_inference_get_input (&node->inference, port.slot);

          if (input->owned && !meet_slot_demand (c, t, port, error))
            return FALSE;
          if (input->adopts && !meet_adopt_demand (c, t, port, error))
            return FALSE;
        }
    }
  return TRUE;
}

/* ---- pools: how many blocks, and whose ---- */

static gboolean
is_pulled (HoloPlanNode *node)
{
  return HOLO_IS_ASYNC_TASK_FACTORY (node->factory) && HOLO_ASYNC_TASK_FACTORY_GET_CLASS (node->factory)->is_pulled;
}

/* Follows the adopting tasks from @tensor_id on: sums what they hold, and finds an Output at the end. */
static void
follow_blocks (HoloCompilation *c, guint tensor_id, guint *n_blocks, gint *output)
{
  GArray *consumers = _holo_plan_tensor (c->plan, tensor_id)->consumers;

  *n_blocks += 1;
  for (guint i = 0; i < consumers->len; i++)
    {
      HoloPlanPort port = g_array_index (consumers, HoloPlanPort, i);
      HoloPlanNode *node = _holo_plan_node (c->plan, port.node);

      if (is_pulled (node) && *output < 0)
        *output = (gint) port.node;
      if (!holo_inference_get_input (&node->inference, port.slot)->adopts)
        {
          for (guint o = 0; _holo_plan_node_is_sync (node) && o < node->n_outputs; o++)
            if (_holo_plan_tensor (c->plan, node->outputs[o])->shares &&
                get_in_place (node, o, port.slot) != HOLO_IN_PLACE_NONE)
              {
                follow_blocks (c, node->outputs[o], n_blocks, output);
                *n_blocks -= 1;
              }
          continue;
        }
      for (guint o = 0; o < node->n_outputs; o++)
        {
          const HoloInferredOutput *inferred = holo_inference_get_output (&node->inference, o);

          if (inferred->lends_input != (gint) port.slot)
            continue;
          *n_blocks += inferred->held_max == G_MAXUINT ? 2 : MIN (inferred->held_max, 1024);
          follow_blocks (c, node->outputs[o], n_blocks, output);
        }
    }
}

static void
plan_pools (HoloCompilation *c)
{
  for (guint t = 0; t < c->plan->tensors->len; t++)
    {
      HoloPlanTensor *tensor = _holo_plan_tensor (c->plan, t);
      HoloPlanStorage *storage = _holo_plan_storage (c->plan, tensor->storage);

      if (storage->storage_class == HOLO_STORAGE_POOL && !tensor->shares)
        follow_blocks (c, t, &storage->pool_blocks, &storage->pool_output);
    }
}

gboolean
_holo_pass_storage (HoloCompilation *c, GError **error)
{
  for (guint i = 0; i < c->order->len; i++)
    {
      guint index = g_array_index (c->order, guint, i);

      for (guint slot = 0; slot < _holo_plan_node (c->plan, index)->n_outputs; slot++)
        if (!place_output (c, index, slot, error))
          return FALSE;
    }
  if (!meet_demands (c, error))
    return FALSE;
  plan_pools (c);
  return TRUE;
}
