/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gives a section object the inside of a plan's section: parts, who feeds whom, slots and blocks. */
#include "base/holo-environment.h"
#include "task/holo-task-private.h"
#include "runtime/holo-section-private.h"

typedef struct
{
  HoloSection *section;
  HoloPlan *plan;
  const HoloWiring *wiring;
} Build;

G_DEFINE_BOXED_TYPE (HoloSection, holo_section, holo_section_ref, holo_section_unref)

/* How far it runs ahead of its device. */
void
_holo_section_choose_depth (HoloSection *section)
{
  guint wish = section->owner->max_in_flight;

  section->fixed_depth = wish != 0;
  section->max_in_flight = wish != 0 ? wish : HOLO_MIN_IN_FLIGHT;
  section->device_time = 0;
}

void
_holo_section_unbind (HoloSection *section)
{
  for (guint i = 0; i < section->n_parts; i++)
    _holo_part_clear (&section->parts[i]);
  for (guint i = 0; i < section->n_slots; i++)
    holo_device_free (section->device, section->slots[i].view->desc.mem_loc, section->slots[i].spare);
  g_clear_pointer (&section->parts, g_free);
  g_clear_pointer (&section->slots, g_free);
  g_clear_pointer (&section->blocks, g_free);
  section->n_parts = section->n_pops = section->n_nodes = section->n_pushes = section->n_slots = section->n_blocks = 0;
  section->pops = section->nodes = section->pushes = NULL;
  section->is_bound = FALSE;
  __atomic_fetch_add (&section->worker.n_bindings, 1, __ATOMIC_ACQ_REL);
  section->phase = HOLO_PHASE_IDLE;
  _holo_section_forget_in_flight (section);
}

static void
free_section (HoloWorker *worker)
{
  HoloSection *section = (HoloSection *) worker;

  _holo_section_unbind (section);
  g_object_unref (section->cancellable);
  g_object_unref (section->memory_cancellable);
  g_mutex_clear (&section->role);
  _holo_waiter_clear (&section->worker.waiter);
  _holo_owner_unref (section->owner);
  g_free (section->stall_text);
  g_free (section);
}

static HoloOpResult
drive (HoloWorker *worker, gboolean end, GCancellable *cancellable, GError **error)
{
  return _holo_section_drive ((HoloSection *) worker, end, cancellable, error);
}

HoloSection *
_holo_section_new (HoloOwner *owner)
{
  HoloSection *section = g_new0 (HoloSection, 1);

  _holo_runtime_read_environment ();
  section->worker.ref_count = 1;
  section->worker.drive = drive;
  section->worker.free = free_section;
  section->owner = _holo_owner_ref (owner);
  section->name = g_intern_static_string ("section");
  section->cancellable = g_cancellable_new ();
  section->memory_cancellable = g_cancellable_new ();
  _holo_section_choose_depth (section);
  g_mutex_init (&section->role);
  _holo_waiter_init (&section->worker.waiter);
  return section;
}

/**
 * holo_section_ref:
 * @section: a section
 *
 * Returns: (transfer full): the same
 *
 * Since: 0.1
 */
HoloSection *
holo_section_ref (HoloSection *section)
{
  g_return_val_if_fail (section != NULL, NULL);

  return (HoloSection *) _holo_worker_ref (&section->worker);
}

/**
 * holo_section_unref:
 * @section: (transfer full): a section
 *
 * Since: 0.1
 */
void
holo_section_unref (HoloSection *section)
{
  g_return_if_fail (section != NULL);

  _holo_worker_unref (&section->worker);
}

/* ---- parts ---- */

static HoloPart *
find_part (HoloSection *section, guint node, HoloPartType type)
{
  for (guint i = 0; i < section->n_parts; i++)
    if (section->parts[i].node == node && section->parts[i].type == type)
      return &section->parts[i];
  return NULL;
}

static gboolean
gives_away (Build *b, const HoloPart *part, guint storage)
{
  const HoloPlanNode *node = _holo_plan_node (b->plan, part->node);

  for (guint i = 0; i < node->n_inputs; i++)
    if (holo_inference_get_input (&node->inference, i)->owned &&
        _holo_plan_tensor (b->plan, node->inputs[i])->storage == storage)
      return TRUE;
  return FALSE;
}

static gboolean
reads_what_goes_away (Build *b, const HoloPart *reader, const HoloPart *owner)
{
  const HoloPlanNode *node = _holo_plan_node (b->plan, reader->node);

  for (guint i = 0; i < node->n_inputs; i++)
    if (gives_away (b, owner, _holo_plan_tensor (b->plan, node->inputs[i])->storage))
      return TRUE;
  return FALSE;
}

/* Once a slot is pushed its owner may write it again or lend it to somebody who does: the other pushes that read it come
 * first. Two that give away what the other reads are left in their order rather than made to wait for each other. */
static void
order_pushes (HoloSection *section, Build *b)
{
  for (guint i = 0; i < section->n_pushes; i++)
    {
      HoloPart *owner = &section->pushes[i];

      owner->before = g_new0 (HoloPart *, section->n_pushes);
      for (guint k = 0; k < section->n_pushes; k++)
        {
          HoloPart *reader = &section->pushes[k];

          if (k != i && reads_what_goes_away (b, reader, owner) && !(k < i && reads_what_goes_away (b, owner, reader)))
            owner->before[owner->n_before++] = reader;
        }
    }
}

static void
link_parts (Build *b)
{
  HoloSection *section = b->section;
  g_autoptr (GHashTable) by_node = g_hash_table_new (NULL, NULL); /* producers */
  g_autofree guint *n_to = g_new0 (guint, section->n_parts + 1);

  for (guint i = 0; i < section->n_pops + section->n_nodes; i++)
    g_hash_table_insert (by_node, GUINT_TO_POINTER (section->parts[i].node), &section->parts[i]);
  for (guint i = section->n_pops; i < section->n_parts; i++)
    {
      HoloPart *part = &section->parts[i];
      const HoloPlanNode *node = _holo_plan_node (b->plan, part->node);

      part->from = g_new0 (HoloPart *, node->n_inputs + 1);
      part->n_from = node->n_inputs;
      for (guint k = 0; k < node->n_inputs; k++)
        {
          guint producer = _holo_plan_tensor (b->plan, node->inputs[k])->producer.node;

          part->from[k] = g_hash_table_lookup (by_node, GUINT_TO_POINTER (producer));
          n_to[part->from[k] - section->parts]++;
        }
    }
  for (guint i = 0; i < section->n_parts; i++)
    section->parts[i].to = g_new0 (HoloPart *, n_to[i] + 1);
  for (guint i = section->n_pops; i < section->n_parts; i++)
    for (guint k = 0; k < section->parts[i].n_from; k++)
      {
        HoloPart *from = section->parts[i].from[k];

        from->to[from->n_to++] = &section->parts[i];
      }
}

static void
make_parts (Build *b)
{
  HoloSection *section = b->section;
  HoloPlanSection *plan = _holo_plan_section (b->plan, section->id);

  section->n_pops = plan->pops->len;
  section->n_nodes = plan->nodes->len;
  section->n_pushes = plan->pushes->len;
  section->n_parts = section->n_pops + section->n_nodes + section->n_pushes;
  section->parts = g_new0 (HoloPart, section->n_parts + 1);
  section->pops = section->parts;
  section->nodes = section->pops + section->n_pops;
  section->pushes = section->nodes + section->n_nodes;
  for (guint i = 0; i < section->n_pops; i++)
    {
      _holo_part_init_pop (&section->pops[i], b->wiring, g_array_index (plan->pops, guint, i), section->stream,
                           section->cancellable);
      section->pops[i].host_wait = g_array_index (plan->pop_waits, gboolean, i);
    }
  for (guint i = 0; i < section->n_nodes; i++)
    {
      _holo_part_init_node (&section->nodes[i], b->wiring, g_array_index (plan->nodes, guint, i), section->stream,
                            section->cancellable);
      section->nodes[i].host_wait = g_array_index (plan->waits, gboolean, i);
    }
  for (guint i = 0; i < section->n_pushes; i++)
    {
      _holo_part_init_push (&section->pushes[i], b->wiring, g_array_index (plan->pushes, guint, i), section->stream,
                            section->cancellable);
      /* Only where nothing but pops can hold the section up: a task that blocks must not keep a frame from its reader. */
      section->pushes[i].wake_batch = section->n_nodes == 0 ? section->pushes[i].boundary->wake_batch : 1;
    }
  order_pushes (section, b);
  link_parts (b);
}

/* ---- slots and blocks ---- */

/* The part that first writes a storage of this section. */
static HoloPart *
find_producer (Build *b, guint storage)
{
  for (guint t = 0; t < b->plan->tensors->len; t++)
    {
      const HoloPlanTensor *tensor = _holo_plan_tensor (b->plan, t);
      gboolean sync;

      if (tensor->storage != storage || tensor->shares)
        continue;
      sync = _holo_plan_node_is_sync (_holo_plan_node (b->plan, tensor->producer.node));
      return find_part (b->section, tensor->producer.node, sync ? HOLO_PART_NODE : HOLO_PART_POP);
    }
  return NULL;
}

static void
add_slot (Build *b, GArray *slots, guint index)
{
  const HoloPlanStorage *storage = _holo_plan_storage (b->plan, index);
  const HoloPlanNode *node = _holo_plan_node (b->plan, storage->owner.node);
  gboolean sync = _holo_plan_node_is_sync (node);
  HoloSectionSlot slot = {
    .task = node->task,
    .slot = storage->owner.slot,
    .owner = find_part (b->section, storage->owner.node, sync ? HOLO_PART_NODE : HOLO_PART_PUSH),
    .producer = find_producer (b, index),
    .boundary = sync ? NULL : b->wiring->boundaries[storage->owner.node],
    .view = b->wiring->views[node->inputs[storage->owner.slot]],
    .handles_fences = node->inference.handles_fences,
    .size = storage->size,
  };

  g_array_append_val (slots, slot);
}

static void
add_block (Build *b, GArray *blocks, guint index)
{
  const HoloPlanStorage *storage = _holo_plan_storage (b->plan, index);
  HoloSectionBlock block = {
    .storage = storage->storage,
    .pool = storage->pool,
    .output = storage->pool_output >= 0 ? b->wiring->boundaries[storage->pool_output] : NULL,
    .producer = find_producer (b, index),
    .size = storage->size,
    .stream_access = storage->stream_access,
  };

  g_array_append_val (blocks, block);
}

static void
make_slots (Build *b)
{
  HoloSection *section = b->section;
  GArray *slots = g_array_new (FALSE, TRUE, sizeof (HoloSectionSlot));
  GArray *blocks = g_array_new (FALSE, TRUE, sizeof (HoloSectionBlock));

  for (guint i = 0; i < b->plan->storages->len; i++)
    {
      const HoloPlanStorage *storage = _holo_plan_storage (b->plan, i);

      if (storage->section != (gint) section->id)
        continue;
      if (storage->storage_class == HOLO_STORAGE_OWNED_INPUT)
        add_slot (b, slots, i);
      else if (storage->storage_class == HOLO_STORAGE_POOL)
        add_block (b, blocks, i);
    }
  section->n_slots = slots->len;
  section->n_blocks = blocks->len;
  section->slots = (HoloSectionSlot *) g_array_free (slots, FALSE);
  section->blocks = (HoloSectionBlock *) g_array_free (blocks, FALSE);
}

static gboolean
gives_back (HoloSection *section)
{
  for (guint i = 0; i < section->n_nodes; i++)
    if (_holo_part_owns_outputs (&section->nodes[i]))
      return TRUE;
  return section->n_pops > 0 || section->n_slots > 0 || section->n_blocks > 0;
}

static gboolean
is_driven_by_callers (HoloSection *section)
{
  switch (section->owner->driving)
    {
    case HOLO_DRIVING_CALLER:
      return TRUE;
    case HOLO_DRIVING_INPUTS:
      for (guint i = 0; i < section->n_pops; i++)
        if (section->pops[i].boundary->is_input)
          return TRUE;
      return FALSE;
    case HOLO_DRIVING_THREADS:
    default:
      return FALSE;
    }
}

void
_holo_section_choose_driver (HoloSection *section)
{
  __atomic_store_n (&section->worker.caller_driven, is_driven_by_callers (section), __ATOMIC_RELEASE);
}

void
_holo_section_look_for_pending (HoloSection *section)
{
  section->has_pending = FALSE;
  for (guint i = 0; i < section->n_pushes; i++)
    section->has_pending |= section->pushes[i].boundary->pending != NULL;
}

void
_holo_section_bind (HoloSection *section, const HoloWiring *wiring, guint id)
{
  HoloPlan *plan = wiring->plan;
  HoloPlanSection *inside = _holo_plan_section (plan, id);
  Build b = { section, plan, wiring };

  section->id = id;
  section->is_bound = TRUE;
  __atomic_fetch_add (&section->worker.n_bindings, 1, __ATOMIC_ACQ_REL);
  section->stream = inside->stream->stream;
  section->device = plan->device;
  section->sync_each = holo_environment_get_sync () && !holo_device_is_host (plan->device);
  section->uses_device = inside->uses_device && !holo_device_is_host (plan->device);
  section->may_spin = section->owner->may_spin;
  __atomic_store_n (&section->name, g_intern_string (inside->name), __ATOMIC_RELEASE);
  make_parts (&b);
  make_slots (&b);
  section->gives_back = gives_back (section);
  _holo_section_look_for_pending (section);
  _holo_section_choose_driver (section);
  _holo_section_read_environment (section, plan);
}

/* The plan has another task for @node, with the same tensors and the same memory. */
void
_holo_section_replace_task (HoloSection *section, HoloTask *task, guint node)
{
  for (guint i = 0; i < section->n_parts; i++)
    if (section->parts[i].node == node)
      {
        section->parts[i].task = task;
        if (section->parts[i].type == HOLO_PART_NODE && section->parts[i].output_fresh == NULL &&
            !holo_environment_get_sync ())
          section->parts[i].execute = HOLO_SYNC_TASK_GET_CLASS (task)->execute;
      }
  for (guint i = 0; i < section->n_slots; i++)
    if (section->slots[i].owner->node == node)
      section->slots[i].task = task;
}
