/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "task/holo-map-factory.h"

#include "base/holo-error.h"
#include "tensor/holo-loop.h"
#include "task/holo-task-private.h"

G_DEFINE_ABSTRACT_TYPE (HoloMapFactory, holo_map_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

typedef struct
{
  HoloDType in;
  HoloDType out;
  HoloMapFunc func;
} HoloMapEntry;

static const HoloMapEntry *
find_entry (HoloMapFactory *factory, HoloDType in)
{
  GArray *entries = HOLO_MAP_FACTORY_GET_CLASS (factory)->entries;

  for (guint i = 0; i < entries->len; i++)
    if (g_array_index (entries, HoloMapEntry, i).in == in)
      return &g_array_index (entries, HoloMapEntry, i);
  return NULL;
}

/* ---- task ---- */

#define HOLO_TYPE_MAP_TASK (holo_map_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloMapTask, holo_map_task, HOLO, MAP_TASK, HoloSyncTask)

struct _HoloMapTask
{
  HoloSyncTask parent_instance;

  HoloMapFactory *factory;
  HoloMapFunc func;
  HoloLoop loop;
};

G_DEFINE_FINAL_TYPE (HoloMapTask, holo_map_task, HOLO_TYPE_SYNC_TASK)

static void
run_map (gpointer user_data, gpointer out, gconstpointer const *in, gsize n)
{
  HoloMapTask *self = user_data;

  self->func (self->factory, out, in[0], n);
}

static HoloOpResult
holo_map_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  HoloMapTask *self = HOLO_MAP_TASK (task);

  _holo_loop_run (&self->loop, self, holo_tensor_view_get_data (context->outputs[0]),
                  holo_tensor_view_get_data (context->inputs[0]), NULL);
  return HOLO_OP_OK;
}

static void
holo_map_task_finalize (GObject *object)
{
  g_object_unref (HOLO_MAP_TASK (object)->factory);
  G_OBJECT_CLASS (holo_map_task_parent_class)->finalize (object);
}

static void
holo_map_task_class_init (HoloMapTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_map_task_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = holo_map_task_execute;
}

static void
holo_map_task_init (HoloMapTask *self)
{
}

/* ---- factory ---- */

static gboolean
holo_map_factory_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  HoloTensorDesc desc;

  holo_tensor_desc_init_dense_like (&desc, input);
  desc.dtype = find_entry (HOLO_MAP_FACTORY (factory), input->dtype)->out;
  holo_tensor_desc_init_dense_like (&desc, &desc);
  _holo_inference_offer_in_place (inference, holo_inference_add_output (inference, &desc), 0);
  inference->stateful = FALSE;
  inference->capture_safe = input->mem_loc == HOLO_MEM_LOC_DEVICE;
  return TRUE;
}

static HoloSyncTask *
holo_map_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                         const HoloSyncCreateContext *context, GError **error)
{
  HoloMapTask *self = g_object_new (HOLO_TYPE_MAP_TASK, NULL);
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);

  self->factory = g_object_ref (HOLO_MAP_FACTORY (factory));
  self->func = find_entry (self->factory, input->dtype)->func;
  _holo_loop_init (&self->loop, run_map, holo_inference_get_output_desc (inference, 0), input, NULL);
  return HOLO_SYNC_TASK (self);
}

static void
holo_map_factory_class_init (HoloMapFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = holo_map_factory_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = holo_map_factory_create;
  holo_task_factory_class_add_input (klass, "in", 0, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE, "any layout");
  holo_task_factory_class_add_output (klass, "out", 0, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                      "shape and place of the input, dense");
}

static void
holo_map_factory_init (HoloMapFactory *factory)
{
}

/**
 * holo_map_factory_class_add:
 * @klass: a leaf class, in its class_init
 * @in: element type of the input; each at most once
 * @out: element type that comes out
 * @func: the formula
 *
 * Declares one pair of element types. The slots take what is declared so.
 */
void
holo_map_factory_class_add (gpointer klass, HoloDType in, HoloDType out, HoloMapFunc func)
{
  HoloMapFactoryClass *map_class = HOLO_MAP_FACTORY_CLASS (klass);
  HoloMapFactoryClass *parent_class = g_type_class_peek_parent (klass);
  HoloMapEntry entry = { in, out, func };

  /* Class structures are copied from the parent's: the first pair of a class gets an array of its own. */
  if (map_class->entries == NULL)
    map_class->entries = g_array_new (FALSE, FALSE, sizeof (HoloMapEntry));
  else if (HOLO_IS_MAP_FACTORY_CLASS (parent_class) && map_class->entries == parent_class->entries)
    map_class->entries = g_array_copy (parent_class->entries);
  g_array_append_val (map_class->entries, entry);
  _holo_factory_class_widen_input (klass, 0, HOLO_DTYPE_MASK (in));
  _holo_factory_class_widen_output (klass, 0, HOLO_DTYPE_MASK (out));
}
