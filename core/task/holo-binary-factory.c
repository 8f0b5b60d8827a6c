/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "task/holo-binary-factory.h"

#include "base/holo-error.h"
#include "tensor/holo-loop.h"
#include "task/holo-task-private.h"

G_DEFINE_ABSTRACT_TYPE (HoloBinaryFactory, holo_binary_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

typedef struct
{
  HoloDType in[2];
  HoloDType as[2]; /* what the formula takes */
  HoloDType out;
  HoloBinaryFunc func;
} HoloBinaryEntry;

static const HoloBinaryEntry *
find_entry (HoloBinaryFactory *factory, HoloDType a, HoloDType b)
{
  GArray *entries = HOLO_BINARY_FACTORY_GET_CLASS (factory)->entries;

  for (guint i = 0; i < entries->len; i++)
    {
      const HoloBinaryEntry *entry = &g_array_index (entries, HoloBinaryEntry, i);

      if (entry->in[0] == a && entry->in[1] == b)
        return entry;
    }
  return NULL;
}

/* ---- task ---- */

#define HOLO_TYPE_BINARY_TASK (holo_binary_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloBinaryTask, holo_binary_task, HOLO, BINARY_TASK, HoloSyncTask)

struct _HoloBinaryTask
{
  HoloSyncTask parent_instance;

  HoloBinaryFactory *factory;
  HoloBinaryFunc func;
  HoloLoop loop;
};

G_DEFINE_FINAL_TYPE (HoloBinaryTask, holo_binary_task, HOLO_TYPE_SYNC_TASK)

static void
run_binary (gpointer user_data, gpointer out, gconstpointer const *in, gsize n)
{
  HoloBinaryTask *self = user_data;

  self->func (self->factory, out, in[0], in[1], n);
}

static HoloOpResult
holo_binary_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  HoloBinaryTask *self = HOLO_BINARY_TASK (task);

  _holo_loop_run (&self->loop, self, holo_tensor_view_get_data (context->outputs[0]),
                  holo_tensor_view_get_data (context->inputs[0]), holo_tensor_view_get_data (context->inputs[1]));
  return HOLO_OP_OK;
}

static void
holo_binary_task_finalize (GObject *object)
{
  g_object_unref (HOLO_BINARY_TASK (object)->factory);
  G_OBJECT_CLASS (holo_binary_task_parent_class)->finalize (object);
}

static void
holo_binary_task_class_init (HoloBinaryTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_binary_task_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = holo_binary_task_execute;
}

static void
holo_binary_task_init (HoloBinaryTask *self)
{
}

/* ---- factory ---- */

/* Extent of @desc at dimension @dim of a result of @rank dimensions; 1 where it has none. */
static gint64
get_extent (const HoloTensorDesc *desc, guint dim, guint rank)
{
  gint own = (gint) dim - (gint) (rank - desc->rank);

  return own < 0 ? 1 : desc->shape[own];
}

static gboolean
broadcast (const HoloTensorDesc *a, const HoloTensorDesc *b, guint *rank, gint64 *shape, GError **error)
{
  *rank = MAX (a->rank, b->rank);
  for (guint dim = 0; dim < *rank; dim++)
    {
      gint64 a_extent = get_extent (a, dim, *rank), b_extent = get_extent (b, dim, *rank);

      if (a_extent != b_extent && a_extent != 1 && b_extent != 1)
        {
          g_autofree gchar *a_text = holo_tensor_desc_to_string (a), *b_text = holo_tensor_desc_to_string (b);

          g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                       "input 0, %s, and input 1, %s, do not fit together: dimension %d from the end has "
                       "extents %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT "; extents must be equal or 1",
                       a_text, b_text, (gint) (*rank - dim), a_extent, b_extent);
          return FALSE;
        }
      shape[dim] = a_extent == 1 ? b_extent : a_extent;
    }
  return TRUE;
}

static gboolean
check_pair (HoloBinaryFactory *factory, const HoloTensorDesc *a, const HoloTensorDesc *b, GError **error)
{
  const gchar *hint = HOLO_BINARY_FACTORY_GET_CLASS (factory)->pair_hint;

  if (a->mem_loc != b->mem_loc)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "input 0 lies in %s memory and input 1 in %s memory; put a Memcpy before one of them",
                   holo_mem_loc_get_name (a->mem_loc), holo_mem_loc_get_name (b->mem_loc));
      return FALSE;
    }
  if (find_entry (factory, a->dtype, b->dtype) == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "input 0 is %s and input 1 is %s; %s",
                   holo_dtype_get_name (a->dtype), holo_dtype_get_name (b->dtype),
                   hint != NULL ? hint : "put a Conversion before one of them");
      return FALSE;
    }
  return TRUE;
}

static gboolean
holo_binary_factory_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloBinaryFactory *self = HOLO_BINARY_FACTORY (factory);
  const HoloTensorDesc *a = holo_inference_get_input_desc (inference, 0);
  const HoloTensorDesc *b = holo_inference_get_input_desc (inference, 1);
  HoloInferredOutput *output;
  HoloTensorDesc desc;
  gint64 shape[HOLO_MAX_RANK];
  guint rank;

  if (!check_pair (self, a, b, error) || !broadcast (a, b, &rank, shape, error))
    return FALSE;
  holo_tensor_desc_init (&desc, find_entry (self, a->dtype, b->dtype)->out, a->mem_loc, rank, shape);
  desc.rate_n = a->rate_n;
  desc.rate_d = a->rate_d;
  output = holo_inference_add_output (inference, &desc);
  _holo_inference_offer_in_place (inference, output, 0);
  _holo_inference_offer_in_place (inference, output, 1);
  inference->stateful = FALSE;
  inference->capture_safe = a->mem_loc == HOLO_MEM_LOC_DEVICE;
  return TRUE;
}

static HoloSyncTask *
holo_binary_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                            const HoloSyncCreateContext *context, GError **error)
{
  HoloBinaryTask *self = g_object_new (HOLO_TYPE_BINARY_TASK, NULL);
  const HoloTensorDesc *a = holo_inference_get_input_desc (inference, 0);
  const HoloTensorDesc *b = holo_inference_get_input_desc (inference, 1);
  const HoloBinaryEntry *entry = find_entry (HOLO_BINARY_FACTORY (factory), a->dtype, b->dtype);

  self->factory = g_object_ref (HOLO_BINARY_FACTORY (factory));
  self->func = entry->func;
  _holo_loop_init (&self->loop, run_binary, holo_inference_get_output_desc (inference, 0), a, b);
  for (guint i = 0; i < 2; i++)
    _holo_loop_convert_input (&self->loop, i, entry->in[i], entry->as[i]);
  return HOLO_SYNC_TASK (self);
}

static void
holo_binary_factory_class_init (HoloBinaryFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = holo_binary_factory_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = holo_binary_factory_create;
  holo_task_factory_class_add_input (klass, "a", 0, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "any layout; broadcast against b");
  holo_task_factory_class_add_input (klass, "b", 0, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "any layout; broadcast against a");
  holo_task_factory_class_add_output (klass, "out", 0, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                      "the common shape, dense");
}

static void
holo_binary_factory_init (HoloBinaryFactory *factory)
{
}

/**
 * holo_binary_factory_class_add_converted:
 * @klass: a leaf class, in its class_init
 * @a: element type of the first input
 * @b: element type of the second input; each pair at most once
 * @a_as: what @a is converted to (by the rules of kind Conversion) before @func sees it
 * @b_as: what @b is converted to
 * @out: element type that comes out
 * @func: the formula
 *
 * Declares one pair of element types. The slots take what is declared so.
 */
void
holo_binary_factory_class_add_converted (gpointer klass, HoloDType a, HoloDType b, HoloDType a_as, HoloDType b_as,
                                         HoloDType out, HoloBinaryFunc func)
{
  HoloBinaryFactoryClass *binary_class = HOLO_BINARY_FACTORY_CLASS (klass);
  HoloBinaryFactoryClass *parent_class = g_type_class_peek_parent (klass);
  HoloBinaryEntry entry = { { a, b }, { a_as, b_as }, out, func };

  /* Class structures are copied from the parent's: the first pair of a class gets an array of its own. */
  if (binary_class->entries == NULL)
    binary_class->entries = g_array_new (FALSE, FALSE, sizeof (HoloBinaryEntry));
  else if (HOLO_IS_BINARY_FACTORY_CLASS (parent_class) && binary_class->entries == parent_class->entries)
    binary_class->entries = g_array_copy (parent_class->entries);
  g_array_append_val (binary_class->entries, entry);
  _holo_factory_class_widen_input (klass, 0, HOLO_DTYPE_MASK (a));
  _holo_factory_class_widen_input (klass, 1, HOLO_DTYPE_MASK (b));
  _holo_factory_class_widen_output (klass, 0, HOLO_DTYPE_MASK (out));
}

/**
 * holo_binary_factory_class_add:
 * @klass: a leaf class, in its class_init
 * @a: element type of the first input
 * @b: element type of the second input; each pair at most once
 * @out: element type that comes out
 * @func: the formula
 *
 * Declares a pair whose elements the formula takes as they are.
 */
void
holo_binary_factory_class_add (gpointer klass, HoloDType a, HoloDType b, HoloDType out, HoloBinaryFunc func)
{
  holo_binary_factory_class_add_converted (klass, a, b, a, b, out, func);
}
