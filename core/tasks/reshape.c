/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/holo-error.h"
#include "tasks/holo-builtin-kinds.h"

typedef struct
{
  HoloSyncTaskFactory parent_instance;

  GArray *shape;
  gboolean copy;
} ReshapeSettings;

typedef struct
{
  HoloDevice *device;    /* who copies; NULL: the output is a view */
  HoloTensorDesc packed; /* shape of the input, layout of the output */
} ReshapeState;

/* ---- shape ---- */

static gboolean
refuse_shape (const GArray *shape, const HoloTensorDesc *input, const gchar *reason, GError **error)
{
  g_autofree gchar *text = holo_tensor_desc_to_string (input);
  g_autoptr (GString) wanted = g_string_new ("[");

  for (guint i = 0; i < shape->len; i++)
    g_string_append_printf (wanted, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", g_array_index (shape, gint64, i));
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
               "shape %s]: %s; the input is %s with %" G_GUINT64_FORMAT " elements", wanted->str, reason, text,
               holo_tensor_desc_count (input));
  return FALSE;
}

/* Product of the given extents, and where the -1 is. A zero makes the product zero, however large the others are. */
static gboolean
measure (const GArray *shape, const HoloTensorDesc *input, guint64 *product, gint *free_dim, GError **error)
{
  gboolean overflows = FALSE, is_empty = FALSE;

  *product = 1;
  *free_dim = -1;
  for (guint i = 0; i < shape->len; i++)
    {
      gint64 extent = g_array_index (shape, gint64, i);

      if (extent == -1 && *free_dim >= 0)
        return refuse_shape (shape, input, "only one extent may be -1", error);
      if (extent == -1)
        *free_dim = (gint) i;
      else if (extent == 0)
        is_empty = TRUE;
      else
        overflows |= __builtin_mul_overflow (*product, (guint64) extent, product);
    }
  if (is_empty)
    *product = 0;
  return is_empty || !overflows || refuse_shape (shape, input, "the number of elements does not fit 64 bits", error);
}

static gboolean
resolve_shape (const GArray *wanted, const HoloTensorDesc *input, HoloTensorDesc *out, GError **error)
{
  gint64 shape[HOLO_MAX_RANK];
  guint64 n = holo_tensor_desc_count (input), product;
  gint free_dim;

  if (wanted->len > HOLO_MAX_RANK)
    return refuse_shape (wanted, input, "more than 8 dimensions", error);
  if (!measure (wanted, input, &product, &free_dim, error))
    return FALSE;
  for (guint i = 0; i < wanted->len; i++)
    shape[i] = g_array_index (wanted, gint64, i);
  if (free_dim >= 0)
    {
      if (product == 0)
        return refuse_shape (wanted, input, "beside an extent of 0 the -1 could be any number", error);
      if (n % product != 0)
        return refuse_shape (wanted, input, "no whole number for the -1 gives that many elements", error);
      shape[free_dim] = (gint64) (n / product);
    }
  else if (product != n)
    return refuse_shape (wanted, input, "another number of elements", error);
  holo_tensor_desc_init (out, input->dtype, input->mem_loc, wanted->len, shape);
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

/* ---- the kind ---- */

static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const ReshapeSettings *settings = (ReshapeSettings *) factory;
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  gboolean is_set = holo_settings_is_set (factory, "copy");
  HoloInferredOutput *output;
  HoloTensorDesc dense, view;

  if (!resolve_shape (settings->shape, input, &dense, error))
    return FALSE;
  view = dense;
  inference->stateful = FALSE;
  inference->capture_safe = input->mem_loc == HOLO_MEM_LOC_DEVICE;
  if (!(is_set && settings->copy) && find_view (input, &view))
    {
      output = holo_inference_add_output (inference, &view);
      output->in_place = HOLO_IN_PLACE_VIEW;
      output->in_place_input = 0;
      return TRUE;
    }
  if (is_set && !settings->copy)
    {
      g_autofree gchar *text = holo_tensor_desc_to_string (input);

      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
                   "copy is false, but %s cannot be seen in the new shape where it lies; leave copy out", text);
      return FALSE;
    }
  holo_inference_add_output (inference, &dense);
  return TRUE;
}

static gboolean
set_up (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  ReshapeState *state = holo_task_get_state (task);
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);

  holo_tensor_desc_init_dense_like (&state->packed, input);
  if (holo_inference_get_output (inference, 0)->in_place != HOLO_IN_PLACE_VIEW)
    state->device = g_object_ref (input->mem_loc == HOLO_MEM_LOC_HOST ? holo_device_get_host () : context->device);
  return TRUE;
}

static HoloOpResult
execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  ReshapeState *state = holo_task_get_state (task);
  HoloTensorView dst = *context->outputs[0];

  if (state->device == NULL || holo_tensor_desc_is_empty (&state->packed))
    return HOLO_OP_OK;
  dst.desc = state->packed;
  return holo_device_copy (state->device, context->stream, &dst, context->inputs[0], error) ? HOLO_OP_OK
                                                                                            : HOLO_OP_ERROR;
}

static void
clear (HoloTask *task)
{
  g_clear_object (&((ReshapeState *) holo_task_get_state (task))->device);
}

static void
holo_reshape_class_init (gpointer klass)
{
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
                                     HOLO_SETTING_REQUIRED, G_STRUCT_OFFSET (ReshapeSettings, shape));
  holo_settings_install_boolean (klass, "copy", "Pack into new memory (true), never do (false), or as needed (unset)",
                                 FALSE, HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (ReshapeSettings, copy));
}

static const HoloSyncFunctions functions = {
  .state_size = sizeof (ReshapeState),
  .infer = infer,
  .set_up = set_up,
  .execute = execute,
  .clear = clear,
};

HOLO_DEFINE_SYNC_KIND (holo_reshape, "Reshape", ReshapeSettings, functions)
