/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/holo-error.h"
#include "task/holo-task-factory.h"
#include "tasks/holo-builtin-kinds.h"

#define HOLO_TYPE_RESHAPE_FACTORY (holo_reshape_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloReshapeFactory, holo_reshape_factory, HOLO, RESHAPE_FACTORY, HoloSyncTaskFactory)

struct _HoloReshapeFactory
{
  HoloSyncTaskFactory parent_instance;

  GArray *shape;
  gboolean copy;
};

G_DEFINE_FINAL_TYPE (HoloReshapeFactory, holo_reshape_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

/* ---- task ---- */

#define HOLO_TYPE_RESHAPE_TASK (holo_reshape_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloReshapeTask, holo_reshape_task, HOLO, RESHAPE_TASK, HoloSyncTask)

struct _HoloReshapeTask
{
  HoloSyncTask parent_instance;

  HoloDevice *device; /* for a copy on the device */
  gboolean copies;
  HoloTensorDesc packed; /* shape of the input, layout of the output */
};

G_DEFINE_FINAL_TYPE (HoloReshapeTask, holo_reshape_task, HOLO_TYPE_SYNC_TASK)

static HoloOpResult
holo_reshape_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  HoloReshapeTask *self = HOLO_RESHAPE_TASK (task);
  HoloTensorView dst = *context->outputs[0];

  if (!self->copies || holo_tensor_desc_is_empty (&self->packed))
    return HOLO_OP_OK;
  dst.desc = self->packed;
  return holo_device_copy (self->device, context->stream, &dst, context->inputs[0], error) ? HOLO_OP_OK : HOLO_OP_ERROR;
}

static void
holo_reshape_task_finalize (GObject *object)
{
  g_object_unref (HOLO_RESHAPE_TASK (object)->device);
  G_OBJECT_CLASS (holo_reshape_task_parent_class)->finalize (object);
}

static void
holo_reshape_task_class_init (HoloReshapeTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_reshape_task_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = holo_reshape_task_execute;
}

static void
holo_reshape_task_init (HoloReshapeTask *self)
{
}

/* ---- shape ---- */

static gboolean
refuse_shape (const HoloTensorDesc *input, const gchar *reason, GError **error)
{
  g_autofree gchar *text = holo_tensor_desc_to_string (input);

  g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
               "shape: %s; the input is %s with %" G_GUINT64_FORMAT " elements", reason, text,
               holo_tensor_desc_count (input));
  return FALSE;
}

/* Product of the given extents, and where the -1 is. */
static gboolean
measure (GArray *shape, const HoloTensorDesc *input, guint64 *product, gint *free_dim, GError **error)
{
  gboolean overflows = FALSE;

  *product = 1;
  *free_dim = -1;
  for (guint i = 0; i < shape->len; i++)
    {
      gint64 extent = g_array_index (shape, gint64, i);

      if (extent == -1 && *free_dim >= 0)
        return refuse_shape (input, "only one extent may be -1", error);
      if (extent == -1)
        *free_dim = (gint) i;
      else if (extent == 0)
        *product = 0;
      else
        overflows |= __builtin_mul_overflow (*product, (guint64) extent, product);
    }
  /* A zero makes the product zero whatever the others are; an overflow before it does not matter then. */
  if (overflows)
    {
      for (guint i = 0; i < shape->len; i++)
        if (g_array_index (shape, gint64, i) == 0)
          {
            *product = 0;
            return TRUE;
          }
      return refuse_shape (input, "the number of elements does not fit 64 bits", error);
    }
  return TRUE;
}

static gboolean
resolve_shape (HoloReshapeFactory *self, const HoloTensorDesc *input, HoloTensorDesc *out, GError **error)
{
  gint64 shape[HOLO_MAX_RANK];
  guint64 n = holo_tensor_desc_count (input), product;
  gint free_dim;

  if (self->shape->len > HOLO_MAX_RANK)
    return refuse_shape (input, "more than 8 dimensions", error);
  if (!measure (self->shape, input, &product, &free_dim, error))
    return FALSE;
  for (guint i = 0; i < self->shape->len; i++)
    shape[i] = g_array_index (self->shape, gint64, i);
  if (free_dim >= 0)
    {
      if (product == 0)
        return refuse_shape (input, "beside an extent of 0 the -1 could be any number", error);
      if (n % product != 0)
        return refuse_shape (input, "no whole number for the -1 gives that many elements", error);
      shape[free_dim] = (gint64) (n / product);
    }
  else if (product != n)
    return refuse_shape (input, "another number of elements", error);
  holo_tensor_desc_init (out, input->dtype, input->mem_loc, self->shape->len, shape);
  out->rate_n = input->rate_n;
  out->rate_d = input->rate_d;
  return holo_tensor_desc_validate (out, error);
}

/* Strides of @out over the memory of @input, if there are any: the dimensions of both are cut into the
 * smallest groups of equal size, and each group of the input must lie like one dimension. */
static gboolean
find_view (const HoloTensorDesc *input, HoloTensorDesc *out)
{
  guint from = 0, to = 0;

  out->offset = input->offset;
  if (holo_tensor_desc_is_empty (input))
    return TRUE;
  while (from < input->rank || to < out->rank)
    {
      guint from_end = from, to_end = to, last = from;
      gint64 from_size = 1, to_size = 1, stride = (gint64) holo_dtype_get_size (input->dtype);

      do
        {
          if (from_size <= to_size && from_end < input->rank)
            from_size *= input->shape[from_end++];
          else
            to_size *= out->shape[to_end++];
        }
      while (from_size != to_size);
      for (guint i = from; i < from_end; i++)
        if (input->shape[i] != 1)
          {
            if (input->shape[last] != 1 && last != i && input->strides[last] != input->strides[i] * input->shape[i])
              return FALSE;
            last = i;
          }
      if (from < from_end && input->shape[last] != 1)
        stride = input->strides[last];
      for (guint i = to_end; i-- > to;)
        {
          out->strides[i] = stride;
          stride *= out->shape[i];
        }
      from = from_end;
      to = to_end;
    }
  return TRUE;
}

/* ---- factory ---- */

static gboolean
holo_reshape_factory_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloReshapeFactory *self = HOLO_RESHAPE_FACTORY (factory);
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  gboolean is_set = holo_settings_is_set (factory, "copy");
  HoloInferredOutput *output;
  HoloTensorDesc dense, view;

  if (!resolve_shape (self, input, &dense, error))
    return FALSE;
  view = dense;
  inference->stateful = FALSE;
  inference->capture_safe = input->mem_loc == HOLO_MEM_LOC_DEVICE;
  if (!(is_set && self->copy) && find_view (input, &view))
    {
      output = holo_inference_add_output (inference, &view);
      output->in_place = HOLO_IN_PLACE_VIEW;
      output->in_place_input = 0;
      return TRUE;
    }
  if (is_set && !self->copy)
    {
      g_autofree gchar *text = holo_tensor_desc_to_string (input);

      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "copy is false, but %s cannot be seen in the new shape where it lies; leave copy out", text);
      return FALSE;
    }
  holo_inference_add_output (inference, &dense);
  return TRUE;
}

static HoloSyncTask *
holo_reshape_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                             const HoloSyncCreateContext *context, GError **error)
{
  HoloReshapeTask *self = g_object_new (HOLO_TYPE_RESHAPE_TASK, NULL);
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);

  self->device = g_object_ref (input->mem_loc == HOLO_MEM_LOC_HOST ? holo_device_get_host () : context->device);
  self->copies = holo_inference_get_output (inference, 0)->in_place != HOLO_IN_PLACE_VIEW;
  holo_tensor_desc_init_dense_like (&self->packed, input);
  return HOLO_SYNC_TASK (self);
}

static void
holo_reshape_factory_class_init (HoloReshapeFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = holo_reshape_factory_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = holo_reshape_factory_create;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE;
  holo_task_factory_class_set_description (
      klass, "The same elements, in the same order, in another shape",
      "Elements are taken in row-major order, as NumPy's `reshape` does. One extent may be -1: it\n"
      "becomes what is left over. `shape: []` makes a tensor of rank 0 from one element.\n\n"
      "Where the layout of the input allows it the output is a view: nothing is copied or executed.\n"
      "Otherwise (a transposed picture flattened, say) the elements are packed into new memory. `copy:\n"
      "true` always packs, `copy: false` refuses what is no view.");
  holo_task_factory_class_set_example (klass, "{\"shape\": [-1]}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "any layout");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "type and place of the input; a view, or dense");
  holo_settings_install_int64_array (klass, "shape", "Extents of the output; one may be -1", "elements", -1, G_MAXINT64,
                                     HOLO_SETTING_REQUIRED, G_STRUCT_OFFSET (HoloReshapeFactory, shape));
  holo_settings_install_boolean (klass, "copy", "Pack into new memory (true), never do (false), or as needed (unset)",
                                 FALSE, HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (HoloReshapeFactory, copy));
}

static void
holo_reshape_factory_init (HoloReshapeFactory *self)
{
}

HOLO_DEFINE_SYNC_KIND (reshape, "Reshape", HOLO_TYPE_RESHAPE_FACTORY)
