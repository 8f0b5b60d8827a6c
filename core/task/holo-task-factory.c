/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "task/holo-task-factory.h"

#include "base/holo-define-type.h"
#include "base/holo-error.h"
#include "task/holo-task-private.h"

/* What a class declares about its kind. Each class has its own; subclasses start with a copy of the parent's slots. */
struct _HoloFactoryClassData
{
  GType type; /* the class this belongs to */
  const gchar *summary;
  const gchar *description;
  const gchar *example;
  GArray *inputs;
  GArray *outputs;
  GHashTable *aliases; /* alias -> property name, static strings */
  GHashTable *ignored; /* key -> reason */
};

typedef struct
{
  gchar *kind;
  GHashTable *set_names; /* settings that were given a value: interned property names */
} HoloTaskFactoryPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (HoloTaskFactory, holo_task_factory, G_TYPE_OBJECT)

static void
copy_entries (GHashTable *dst, GHashTable *src)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, src);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (dst, key, value);
}

/* A subclass inherits a pointer to its parent's data (GObject copies class structures): the first declaration in its
 * class_init replaces it by a copy. Lives as long as the class, which is for ever. */
static HoloFactoryClassData *
get_own_data (gpointer klass)
{
  HoloTaskFactoryClass *factory_class = HOLO_TASK_FACTORY_CLASS (klass);
  HoloFactoryClassData *parent = factory_class->data, *data;

  if (parent != NULL && parent->type == G_TYPE_FROM_CLASS (klass))
    return parent;
  data = g_new0 (HoloFactoryClassData, 1);
  data->type = G_TYPE_FROM_CLASS (klass);
  data->inputs = parent != NULL ? g_array_copy (parent->inputs) : g_array_new (FALSE, TRUE, sizeof (HoloSlot));
  data->outputs = parent != NULL ? g_array_copy (parent->outputs) : g_array_new (FALSE, TRUE, sizeof (HoloSlot));
  data->aliases = g_hash_table_new (g_str_hash, g_str_equal);
  data->ignored = g_hash_table_new (g_str_hash, g_str_equal);
  if (parent != NULL)
    {
      copy_entries (data->aliases, parent->aliases);
      copy_entries (data->ignored, parent->ignored);
    }
  factory_class->data = data;
  return data;
}

static gboolean
default_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "%s has no inference", G_OBJECT_TYPE_NAME (factory));
  return FALSE;
}

static void
holo_task_factory_finalize (GObject *object)
{
  HoloTaskFactoryPrivate *priv = holo_task_factory_get_instance_private (HOLO_TASK_FACTORY (object));

  _holo_settings_free_members (HOLO_TASK_FACTORY (object));
  g_free (priv->kind);
  g_hash_table_unref (priv->set_names);
  G_OBJECT_CLASS (holo_task_factory_parent_class)->finalize (object);
}

static void
holo_task_factory_constructed (GObject *object)
{
  _holo_settings_init_members (HOLO_TASK_FACTORY (object));
  G_OBJECT_CLASS (holo_task_factory_parent_class)->constructed (object);
}

static void
holo_task_factory_class_init (HoloTaskFactoryClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = holo_task_factory_constructed;
  G_OBJECT_CLASS (klass)->finalize = holo_task_factory_finalize;
  klass->infer = default_infer;
  get_own_data (klass);
}

static void
holo_task_factory_init (HoloTaskFactory *factory)
{
  HoloTaskFactoryPrivate *priv = holo_task_factory_get_instance_private (factory);

  priv->set_names = g_hash_table_new (g_str_hash, g_str_equal);
}

/* ---- declarations ---- */

/**
 * holo_task_factory_class_set_description:
 * @klass: a factory class
 * @summary: one line, without a full stop
 * @description: (nullable): formula, edge cases, units; Markdown
 *
 * Since: 0.1
 */
void
holo_task_factory_class_set_description (gpointer klass, const gchar *summary, const gchar *description)
{
  HoloFactoryClassData *data = get_own_data (klass);

  data->summary = summary;
  data->description = description;
}

/**
 * holo_task_factory_class_set_example:
 * @klass: a factory class
 * @settings_json: settings of a typical node as JSON text, "{\"capacity\": 4}"
 *
 * Since: 0.1
 */
void
holo_task_factory_class_set_example (gpointer klass, const gchar *settings_json)
{
  get_own_data (klass)->example = settings_json;
}

static void
add_slot (GArray *slots, const gchar *name, guint dtypes, guint mem_locs, guint min_rank, guint max_rank, guint flags,
          const gchar *blurb)
{
  HoloSlot slot = { name, dtypes, mem_locs, min_rank, max_rank, flags, blurb };

  g_array_append_val (slots, slot);
}

/**
 * holo_task_factory_class_add_input:
 * @klass: a factory class, in its class_init
 * @name: name of the slot
 * @dtypes: element types that it takes: HOLO_DTYPES (F32) | ...
 * @mem_locs: places that it takes: %HOLO_MEM_LOCS_HOST or %HOLO_MEM_LOCS_ANY
 * @min_rank: least number of dimensions
 * @max_rank: most dimensions, at most %HOLO_MAX_RANK
 * @flags: #HoloSlotFlags
 * @blurb: one line for people
 *
 * Declares the next input slot of the kind.
 *
 * Since: 0.1
 */
void
holo_task_factory_class_add_input (gpointer klass, const gchar *name, guint dtypes, guint mem_locs, guint min_rank,
                                   guint max_rank, guint flags, const gchar *blurb)
{
  add_slot (get_own_data (klass)->inputs, name, dtypes, mem_locs, min_rank, max_rank, flags, blurb);
}

/**
 * holo_task_factory_class_add_output:
 * @klass: a factory class, in its class_init
 * @name: name of the slot
 * @dtypes: element types that it takes: HOLO_DTYPES (F32) | ...
 * @mem_locs: places that it takes: %HOLO_MEM_LOCS_HOST or %HOLO_MEM_LOCS_ANY
 * @min_rank: least number of dimensions
 * @max_rank: most dimensions, at most %HOLO_MAX_RANK
 * @flags: #HoloSlotFlags
 * @blurb: one line for people
 *
 * Declares the next output slot of the kind.
 *
 * Since: 0.1
 */
void
holo_task_factory_class_add_output (gpointer klass, const gchar *name, guint dtypes, guint mem_locs, guint min_rank,
                                    guint max_rank, guint flags, const gchar *blurb)
{
  add_slot (get_own_data (klass)->outputs, name, dtypes, mem_locs, min_rank, max_rank, flags, blurb);
}

/* For bases that learn from their leaves, type by type, what a slot takes. */
void
_holo_factory_class_widen_input (gpointer klass, guint index, guint dtypes)
{
  g_array_index (get_own_data (klass)->inputs, HoloSlot, index).dtypes |= dtypes;
}

void
_holo_factory_class_widen_output (gpointer klass, guint index, guint dtypes)
{
  g_array_index (get_own_data (klass)->outputs, HoloSlot, index).dtypes |= dtypes;
}

/* What a synchronous kind declares for devices holds only where there is code for one: until a module has it, its slots
 * offer the host. */
void
_holo_factory_class_defer_device (gpointer klass)
{
  HoloFactoryClassData *data = get_own_data (klass);
  GArray *slots[] = { data->inputs, data->outputs };

  for (guint i = 0; i < 2; i++)
    for (guint k = 0; k < slots[i]->len; k++)
      {
        HoloSlot *slot = &g_array_index (slots[i], HoloSlot, k);

        if (slot->mem_locs & HOLO_MEM_LOCS_DEVICE)
          slot->flags |= HOLO_SLOT_DEVICE_BY_MODULE;
        slot->mem_locs &= ~(guint) HOLO_MEM_LOCS_DEVICE;
      }
}

void
_holo_factory_class_add_device (gpointer klass)
{
  HoloFactoryClassData *data = get_own_data (klass);
  GArray *slots[] = { data->inputs, data->outputs };

  for (guint i = 0; i < 2; i++)
    for (guint k = 0; k < slots[i]->len; k++)
      if (g_array_index (slots[i], HoloSlot, k).flags & HOLO_SLOT_DEVICE_BY_MODULE)
        g_array_index (slots[i], HoloSlot, k).mem_locs |= HOLO_MEM_LOCS_DEVICE;
}

/**
 * holo_task_factory_class_get_summary:
 * @klass: a factory class
 *
 * Returns: (nullable): one line on what the kind does
 *
 * Since: 0.1
 */
const gchar *
holo_task_factory_class_get_summary (gpointer klass)
{
  return HOLO_TASK_FACTORY_CLASS (klass)->data->summary;
}

/**
 * holo_task_factory_class_get_description:
 * @klass: a factory class
 *
 * Returns: (nullable): paragraphs on what the kind does
 *
 * Since: 0.1
 */
const gchar *
holo_task_factory_class_get_description (gpointer klass)
{
  return HOLO_TASK_FACTORY_CLASS (klass)->data->description;
}

/**
 * holo_task_factory_class_get_example:
 * @klass: a factory class
 *
 * Returns: (nullable): settings of an example, as JSON
 *
 * Since: 0.1
 */
const gchar *
holo_task_factory_class_get_example (gpointer klass)
{
  return HOLO_TASK_FACTORY_CLASS (klass)->data->example;
}

/**
 * holo_task_factory_class_get_inputs:
 * @klass: a factory class
 * @n_inputs: (out): their number
 *
 * Returns: (array length=n_inputs) (transfer none): the input slots of the kind; valid for ever
 *
 * Since: 0.1
 */
const HoloSlot *
holo_task_factory_class_get_inputs (gpointer klass, guint *n_inputs)
{
  GArray *slots = HOLO_TASK_FACTORY_CLASS (klass)->data->inputs;

  *n_inputs = slots->len;
  return (const HoloSlot *) slots->data;
}

/**
 * holo_task_factory_class_get_outputs:
 * @klass: a factory class
 * @n_outputs: (out): their number
 *
 * Returns: (array length=n_outputs) (transfer none): the output slots of the kind; valid for ever
 *
 * Since: 0.1
 */
const HoloSlot *
holo_task_factory_class_get_outputs (gpointer klass, guint *n_outputs)
{
  GArray *slots = HOLO_TASK_FACTORY_CLASS (klass)->data->outputs;

  *n_outputs = slots->len;
  return (const HoloSlot *) slots->data;
}

/**
 * holo_task_factory_class_get_task_type:
 * @klass: a factory class
 *
 * Returns: whether the kind is synchronous or asynchronous
 *
 * Since: 0.1
 */
HoloTaskType
holo_task_factory_class_get_task_type (gpointer klass)
{
  return HOLO_IS_ASYNC_TASK_FACTORY_CLASS (klass) ? HOLO_TASK_ASYNC : HOLO_TASK_SYNC;
}

GHashTable *
_holo_factory_class_get_aliases (gpointer klass)
{
  return get_own_data (klass)->aliases;
}

GHashTable *
_holo_factory_class_get_ignored (gpointer klass)
{
  return get_own_data (klass)->ignored;
}

/* ---- instances ---- */

/**
 * holo_task_factory_get_kind:
 * @factory: a factory
 *
 * Returns: the kind under which a registry made it; the type name otherwise
 *
 * Since: 0.1
 */
const gchar *
holo_task_factory_get_kind (HoloTaskFactory *factory)
{
  HoloTaskFactoryPrivate *priv = holo_task_factory_get_instance_private (factory);

  return priv->kind != NULL ? priv->kind : G_OBJECT_TYPE_NAME (factory);
}

void
_holo_task_factory_set_kind (HoloTaskFactory *factory, const gchar *kind)
{
  HoloTaskFactoryPrivate *priv = holo_task_factory_get_instance_private (factory);

  g_free (priv->kind);
  priv->kind = g_strdup (kind);
}

GHashTable *
_holo_task_factory_get_set_names (HoloTaskFactory *factory)
{
  HoloTaskFactoryPrivate *priv = holo_task_factory_get_instance_private (factory);

  return priv->set_names;
}

/**
 * holo_task_factory_copy:
 * @factory: a factory
 *
 * Returns: (transfer full): another one with the same settings: what a plan freezes
 *
 * Since: 0.1
 */
HoloTaskFactory *
holo_task_factory_copy (HoloTaskFactory *factory)
{
  HoloTaskFactoryPrivate *priv = holo_task_factory_get_instance_private (factory);
  HoloTaskFactory *copy = g_object_new (G_OBJECT_TYPE (factory), NULL);

  _holo_task_factory_set_kind (copy, priv->kind);
  holo_settings_copy (copy, factory);
  return copy;
}

/* ---- inference ---- */

static gboolean
check_count (guint n, const HoloSlot *slots, guint n_slots, GError **error)
{
  guint n_min = 0, n_max = n_slots;

  for (guint i = 0; i < n_slots; i++)
    {
      if ((slots[i].flags & HOLO_SLOT_OPTIONAL) == 0)
        n_min = i + 1;
      if (slots[i].flags & HOLO_SLOT_REPEATED)
        n_max = G_MAXUINT;
    }
  if (n >= n_min && n <= n_max)
    return TRUE;
  if (n < n_min)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                 "input %u (\"%s\") is not connected; %u input%s expected, %u connected", n, slots[n].name, n_min,
                 n_min == 1 ? " is" : "s are", n);
  else
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "%u inputs are connected, at most %u %s taken", n, n_max,
                 n_max == 1 ? "is" : "are");
  return FALSE;
}

static gboolean
check_input (guint index, const HoloTensorDesc *desc, const HoloSlot *slot, GError **error)
{
  g_autofree gchar *found = holo_tensor_desc_to_string (desc);

  if ((slot->dtypes & HOLO_DTYPE_MASK (desc->dtype)) == 0)
    {
      g_autofree gchar *expected = holo_dtype_mask_to_string (slot->dtypes);

      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "input %u (\"%s\") takes %s, but got %s", index, slot->name,
                   expected, found);
      return FALSE;
    }
  if ((slot->mem_locs & HOLO_MEM_LOC_MASK (desc->mem_loc)) == 0)
    {
      g_set_error (
          error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
          "input %u (\"%s\") takes %s memory only, but got %s%s; put a Memcpy before it", index, slot->name,
          holo_mem_loc_get_name (slot->mem_locs & HOLO_MEM_LOCS_HOST ? HOLO_MEM_LOC_HOST : HOLO_MEM_LOC_DEVICE), found,
          slot->flags & HOLO_SLOT_DEVICE_BY_MODULE ? ", and no module that is loaded has this kind for a device" : "");
      return FALSE;
    }
  if (desc->rank < slot->min_rank || desc->rank > slot->max_rank)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "input %u (\"%s\") takes tensors of rank %u to %u, but got %s of rank %u", index, slot->name,
                   slot->min_rank, slot->max_rank, found, desc->rank);
      return FALSE;
    }
  if ((slot->flags & HOLO_SLOT_DENSE) && !holo_tensor_desc_is_dense (desc))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "input %u (\"%s\") takes dense tensors only, but got %s; put a Memcpy before it, which packs", index,
                   slot->name, found);
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_inputs (HoloTaskFactory *factory, const HoloTensorDesc *inputs, guint n_inputs, GError **error)
{
  guint n_slots;
  const HoloSlot *slots = holo_task_factory_class_get_inputs (HOLO_TASK_FACTORY_GET_CLASS (factory), &n_slots);

  if (!check_count (n_inputs, slots, n_slots, error))
    return FALSE;
  for (guint i = 0; i < n_inputs; i++)
    {
      if (!holo_tensor_desc_validate (&inputs[i], error))
        {
          g_prefix_error (error, "input %u: ", i);
          return FALSE;
        }
      if (!check_input (i, &inputs[i], &slots[MIN (i, n_slots - 1)], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_in_place (guint index, const HoloInferredOutput *output, const HoloInference *inference, GError **error)
{
  const HoloTensorDesc *input;

  if (output->in_place == HOLO_IN_PLACE_NONE)
    return TRUE;
  if (output->in_place_input < 0 || (guint) output->in_place_input >= inference->inputs->len)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "output %u shares storage with input %d, which is not there", index, output->in_place_input);
      return FALSE;
    }
  input = holo_inference_get_input_desc (inference, (guint) output->in_place_input);
  if (input->mem_loc != output->desc.mem_loc)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "output %u shares storage with input %d, but one lies on %s and the other on %s", index,
                   output->in_place_input, holo_mem_loc_get_name (output->desc.mem_loc),
                   holo_mem_loc_get_name (input->mem_loc));
      return FALSE;
    }
  if (output->in_place != HOLO_IN_PLACE_MAY &&
      holo_tensor_desc_get_size (&output->desc) > holo_tensor_desc_get_size (input))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "output %u needs %" G_GSIZE_FORMAT " bytes in the storage of input %d, which has %" G_GSIZE_FORMAT,
                   index, holo_tensor_desc_get_size (&output->desc), output->in_place_input,
                   holo_tensor_desc_get_size (input));
      return FALSE;
    }
  return TRUE;
}

/* What infer() must not get wrong, checked for every kind so that the compiler can rely on it. */
static gboolean
check_result (HoloTaskFactory *factory, const HoloTensorDesc *inputs, guint n_inputs, const HoloInference *inference,
              GError **error)
{
  HoloTaskType type = holo_task_factory_class_get_task_type (HOLO_TASK_FACTORY_GET_CLASS (factory));

  if (inference->type != type)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "the inference says %s, but the kind is registered as %s",
                   inference->type == HOLO_TASK_SYNC ? "synchronous" : "asynchronous",
                   type == HOLO_TASK_SYNC ? "synchronous" : "asynchronous");
      return FALSE;
    }
  if (inference->inputs->len != n_inputs)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "the inference names %u inputs, but %u are connected",
                   inference->inputs->len, n_inputs);
      return FALSE;
    }
  for (guint i = 0; i < n_inputs; i++)
    if (!holo_tensor_desc_equal (holo_inference_get_input_desc (inference, i), &inputs[i]))
      {
        g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "the inference changed the descriptor of input %u", i);
        return FALSE;
      }
  for (guint i = 0; i < inference->outputs->len; i++)
    {
      const HoloInferredOutput *output = holo_inference_get_output (inference, i);

      if (!holo_tensor_desc_validate (&output->desc, error))
        {
          g_prefix_error (error, "output %u: ", i);
          return FALSE;
        }
      if (!check_in_place (i, output, inference, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * holo_task_factory_infer:
 * @factory: a factory with its settings
 * @inputs: (array length=n_inputs): the connected tensors
 * @n_inputs: their number
 * @inference: (out caller-allocates): filled in on success; clear it with holo_inference_clear()
 * @error: return location
 *
 * Checks the inputs against the declared slots, asks the kind, and checks its answer.
 *
 * Returns: %FALSE when the tensors or settings are refused; the message says why, without the node's name
 *
 * Since: 0.1
 */
gboolean
holo_task_factory_infer (HoloTaskFactory *factory, const HoloTensorDesc *inputs, guint n_inputs,
                         HoloInference *inference, GError **error)
{
  HoloTaskFactoryClass *klass = HOLO_TASK_FACTORY_GET_CLASS (factory);

  if (!holo_settings_check_required (factory, error) || !check_inputs (factory, inputs, n_inputs, error))
    return FALSE;
  holo_inference_init (inference, holo_task_factory_class_get_task_type (klass));
  for (guint i = 0; i < n_inputs; i++)
    {
      holo_inference_add_input (inference, &inputs[i]);
      if (inputs[i].mem_loc == HOLO_MEM_LOC_DEVICE)
        inference->uses_stream = TRUE;
    }
  if (klass->infer (factory, inference, error) && check_result (factory, inputs, n_inputs, inference, error))
    {
      for (guint i = 0; i < inference->outputs->len; i++)
        if (holo_inference_get_output_desc (inference, i)->mem_loc == HOLO_MEM_LOC_DEVICE)
          inference->uses_stream = TRUE;
      return TRUE;
    }
  g_assert (error == NULL || *error != NULL);
  holo_inference_clear (inference);
  return FALSE;
}

/* ---- synchronous ---- */

HOLO_DEFINE_TYPE (HoloSyncTaskFactory, holo_sync_task_factory, HOLO_TYPE_TASK_FACTORY, G_TYPE_FLAG_ABSTRACT)

static HoloSyncTask *
default_sync_create (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
                     GError **error)
{
  HoloSyncTaskFactoryClass *klass = HOLO_SYNC_TASK_FACTORY_GET_CLASS (factory);
  g_autoptr (HoloSyncTask) task = g_object_new (klass->task_type, NULL);

  if (klass->functions->set_up != NULL && !klass->functions->set_up (factory, task, inference, context, error))
    return NULL;
  return g_steal_pointer (&task);
}

static HoloSyncTask *
default_sync_update (HoloSyncTaskFactory *factory, HoloSyncTask *old, const HoloInference *old_inference,
                     const HoloInference *inference, const HoloSyncCreateContext *context, GError **error)
{
  HoloSyncTaskFactoryClass *klass = HOLO_SYNC_TASK_FACTORY_GET_CLASS (factory);
  HoloChange change = HOLO_CHANGE_NEW_TASK;

  if (old != NULL && klass->functions != NULL && klass->functions->change != NULL &&
      G_OBJECT_TYPE (old) == klass->task_type)
    change = klass->functions->change (factory, old, inference, context, error);
  return change == HOLO_CHANGE_STAGED     ? g_object_ref (old)
         : change == HOLO_CHANGE_NEW_TASK ? holo_sync_task_factory_create (factory, inference, context, error)
                                          : NULL;
}

static void
holo_sync_task_factory_class_init (HoloSyncTaskFactoryClass *klass)
{
  klass->create = default_sync_create;
  klass->update = default_sync_update;
}

static gboolean
touches_device (const HoloInference *inference)
{
  for (guint i = 0; i < inference->inputs->len; i++)
    if (holo_inference_get_input_desc (inference, i)->mem_loc == HOLO_MEM_LOC_DEVICE)
      return TRUE;
  for (guint i = 0; i < inference->outputs->len; i++)
    if (holo_inference_get_output_desc (inference, i)->mem_loc == HOLO_MEM_LOC_DEVICE)
      return TRUE;
  return FALSE;
}

/**
 * holo_sync_task_factory_create:
 * @factory: a factory
 * @inference: what holo_task_factory_infer() gave
 * @context: stream and device
 * @error: return location
 *
 * Returns: (transfer full) (nullable): the running task
 *
 * Since: 0.1
 */
HoloSyncTask *
holo_sync_task_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                               const HoloSyncCreateContext *context, GError **error)
{
  HoloSyncTaskFactoryClass *klass = HOLO_SYNC_TASK_FACTORY_GET_CLASS (factory);

  if (!touches_device (inference) || klass->creates_device_tasks)
    return klass->create (factory, inference, context, error);
  if (!holo_device_is_host (context->device))
    return (HoloSyncTask *) holo_device_create_task (context->device, HOLO_TASK_FACTORY (factory), inference, context,
                                                     error);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
               "a tensor of kind %s lies on a device, but the plan is compiled for the host; choose a device, or put a "
               "Memcpy with target Host before it",
               holo_task_factory_get_kind (HOLO_TASK_FACTORY (factory)));
  return NULL;
}

/**
 * holo_sync_task_factory_update:
 * @factory: a factory with the new settings
 * @old: (nullable): the task of an earlier plan; stays the caller's
 * @old_inference: (nullable): what @old was made for
 * @inference: what it shall be now
 * @context: stream and device
 * @error: return location
 *
 * Returns: (transfer full) (nullable): a new task, or another reference to @old with the change staged; %NULL with
 *   @error leaves @old as it was
 *
 * Since: 0.1
 */
HoloSyncTask *
holo_sync_task_factory_update (HoloSyncTaskFactory *factory, HoloSyncTask *old, const HoloInference *old_inference,
                               const HoloInference *inference, const HoloSyncCreateContext *context, GError **error)
{
  HoloSyncTaskFactoryClass *klass = HOLO_SYNC_TASK_FACTORY_GET_CLASS (factory);

  /* A task that a device made is of the device's class: the kind could not keep it, nor know what it is. */
  if (!klass->creates_device_tasks &&
      (touches_device (inference) || (old_inference != NULL && touches_device (old_inference))))
    return holo_sync_task_factory_create (factory, inference, context, error);
  return klass->update (factory, old, old_inference, inference, context, error);
}

/* ---- asynchronous ---- */

HOLO_DEFINE_TYPE (HoloAsyncTaskFactory, holo_async_task_factory, HOLO_TYPE_TASK_FACTORY, G_TYPE_FLAG_ABSTRACT)

static HoloAsyncTask *
default_async_create (HoloAsyncTaskFactory *factory, const HoloInference *inference,
                      const HoloAsyncCreateContext *context, GError **error)
{
  HoloAsyncTaskFactoryClass *klass = HOLO_ASYNC_TASK_FACTORY_GET_CLASS (factory);
  g_autoptr (HoloAsyncTask) task = g_object_new (klass->task_type, NULL);

  if (klass->functions->set_up != NULL && !klass->functions->set_up (factory, task, inference, context, error))
    return NULL;
  return g_steal_pointer (&task);
}

static HoloAsyncTask *
default_async_update (HoloAsyncTaskFactory *factory, HoloAsyncTask *old, const HoloInference *old_inference,
                      const HoloInference *inference, const HoloAsyncCreateContext *context, GError **error)
{
  HoloAsyncTaskFactoryClass *klass = HOLO_ASYNC_TASK_FACTORY_GET_CLASS (factory);
  HoloChange change = HOLO_CHANGE_NEW_TASK;

  if (old != NULL && old_inference != NULL && klass->functions != NULL && klass->functions->change != NULL &&
      G_OBJECT_TYPE (old) == klass->task_type)
    change = klass->functions->change (factory, old, old_inference, inference, context, error);
  return change == HOLO_CHANGE_STAGED     ? g_object_ref (old)
         : change == HOLO_CHANGE_NEW_TASK ? holo_async_task_factory_create (factory, inference, context, error)
                                          : NULL;
}

static void
holo_async_task_factory_class_init (HoloAsyncTaskFactoryClass *klass)
{
  klass->create = default_async_create;
  klass->update = default_async_update;
}

/**
 * holo_async_task_factory_create:
 * @factory: a frozen factory
 * @inference: the contract of its node
 * @context: (not nullable): what the task may use
 * @error: return location
 *
 * Makes the running task of a node: HoloAsyncTaskFactoryClass.create().
 *
 * Returns: (transfer full): the task, or %NULL with @error
 *
 * Since: 0.1
 */
HoloAsyncTask *
holo_async_task_factory_create (HoloAsyncTaskFactory *factory, const HoloInference *inference,
                                const HoloAsyncCreateContext *context, GError **error)
{
  return HOLO_ASYNC_TASK_FACTORY_GET_CLASS (factory)->create (factory, inference, context, error);
}

/**
 * holo_async_task_factory_update:
 * @factory: a frozen factory
 * @old: (transfer none): the task of the node in the plan that runs
 * @old_inference: the contract it was made for
 * @inference: the contract of the node now
 * @context: (not nullable): what the task may use
 * @error: return location
 *
 * Makes the task of a changed node: HoloAsyncTaskFactoryClass.update(), or a new one where the class has none.
 *
 * Returns: (transfer full): @old, with changes staged, or a new task, or %NULL with @error
 *
 * Since: 0.1
 */
HoloAsyncTask *
holo_async_task_factory_update (HoloAsyncTaskFactory *factory, HoloAsyncTask *old, const HoloInference *old_inference,
                                const HoloInference *inference, const HoloAsyncCreateContext *context, GError **error)
{
  HoloAsyncTaskFactoryClass *klass = HOLO_ASYNC_TASK_FACTORY_GET_CLASS (factory);

  return klass->update (factory, old, old_inference, inference, context, error);
}
