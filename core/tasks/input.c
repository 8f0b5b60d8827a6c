/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Input: an application pushes frames into the graph here. Their memory is lent to the graph and given back when the
 * last reader has let go of it. */
#include "base/holo-error.h"
#include "tasks/holo-builtin-kinds.h"
#include "tasks/holo-end-task.h"

typedef struct
{
  HoloAsyncTaskFactory parent_instance;

  gint dtype;
  GArray *shape;
  gint mem_loc;
  gboolean writable;
  gboolean has_desc;
  HoloTensorDesc desc; /* what will be pushed, when somebody has said so */
} InputSettings;

static void
input_set_desc (HoloAsyncTaskFactory *factory, const HoloTensorDesc *desc)
{
  InputSettings *self = (InputSettings *) factory;

  self->has_desc = desc != NULL;
  if (desc != NULL)
    self->desc = *desc;
}

static gboolean
check_shape (InputSettings *self, GError **error)
{
  if (self->shape == NULL || self->shape->len <= HOLO_MAX_RANK)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "shape has %u dimensions, at most %d are allowed",
               self->shape->len, HOLO_MAX_RANK);
  return FALSE;
}

/* What the settings say must agree with what arrives. */
static gboolean
check_desc (InputSettings *self, GError **error)
{
  gboolean has_dtype = holo_settings_is_set (HOLO_TASK_FACTORY (self), "dtype");
  gboolean has_mem_loc = holo_settings_is_set (HOLO_TASK_FACTORY (self), "mem-loc");
  gboolean agrees = (!has_dtype || self->dtype == (gint) self->desc.dtype) &&
                    (!has_mem_loc || self->mem_loc == (gint) self->desc.mem_loc);
  g_autofree gchar *found = NULL;

  if (self->shape != NULL)
    {
      agrees = agrees && self->shape->len == self->desc.rank;
      for (guint i = 0; agrees && i < self->desc.rank; i++)
        agrees = g_array_index (self->shape, gint64, i) == self->desc.shape[i];
    }
  if (agrees)
    return TRUE;
  found = holo_tensor_desc_to_string (&self->desc);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
               "%s arrives, but the settings dtype, shape or mem_loc of this Input ask for something else", found);
  return FALSE;
}

static gboolean
input_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  InputSettings *self = (InputSettings *) factory;
  HoloInferredOutput *output;
  HoloTensorDesc desc;

  if (!check_shape (self, error))
    return FALSE;
  if (self->has_desc)
    {
      if (!check_desc (self, error))
        return FALSE;
      desc = self->desc;
    }
  else if (self->shape != NULL && holo_settings_is_set (factory, "dtype"))
    holo_tensor_desc_init (&desc, (HoloDType) self->dtype, (HoloMemLoc) self->mem_loc, self->shape->len,
                           (const gint64 *) self->shape->data);
  else
    {
      g_set_error (
          error, HOLO_ERROR, HOLO_ERROR_INFERENCE,
          "the tensor that will be pushed is not known yet: set dtype and shape, or let the first frame decide");
      return FALSE;
    }
  output = holo_inference_add_output (inference, &desc);
  output->lent = TRUE;
  output->writable = self->writable;
  output->held_max = 1;
  inference->handles_fences = TRUE;
  inference->signals_readiness = TRUE;
  inference->stateful = FALSE;
  return TRUE;
}

static HoloOpResult
input_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "nothing inside a graph can feed an Input");
  return HOLO_OP_ERROR;
}

static HoloOpResult
input_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  HoloEndTaskState *self = holo_task_get_state (task);

  return self->end != NULL ? _holo_end_pop (self->end, context->outputs[0]) : HOLO_OP_NOT_READY;
}

static void
input_end_of_output (HoloAsyncTask *task)
{
  HoloEndTaskState *self = holo_task_get_state (task);

  if (self->end != NULL)
    _holo_end_no_more_output (self->end);
}

static void
holo_input_class_init (gpointer klass)
{
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->set_desc = input_set_desc;
  holo_task_factory_class_set_description (
      klass, "Takes frames from the application",
      "The application (or a sink pad) pushes frames here. Their memory is lent to the graph, not copied, and given back "
      "when the last reader has let go of it. `dtype` and `shape` may be left out: then the first frame, or the caps, "
      "decide and the graph is compiled at that moment. Memory is read-only inside the graph unless `writable` promises "
      "that the application does not look at it again.");
  holo_task_factory_class_set_example (klass, "{\"dtype\": \"U8\", \"shape\": [1024, 1024]}");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "The frame");
  holo_settings_install_enum (klass, "dtype", "Element type of the frames", HOLO_TYPE_DTYPE, HOLO_DTYPE_F32,
                              HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (InputSettings, dtype));
  holo_settings_install_int64_array (klass, "shape", "Extent of each dimension, outermost first", "elements", 0,
                                     G_MAXINT64, HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (InputSettings, shape));
  holo_settings_install_enum (klass, "mem-loc", "Where the frames lie", HOLO_TYPE_MEM_LOC, HOLO_MEM_LOC_HOST,
                              HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (InputSettings, mem_loc));
  holo_settings_install_boolean (klass, "writable", "Tasks may overwrite the frames in place", FALSE, HOLO_SETTING_NONE,
                                 G_STRUCT_OFFSET (InputSettings, writable));
}

/* The end checks what is pushed and keeps it over updates. */
static const HoloAsyncFunctions functions = {
  .state_size = sizeof (HoloEndTaskState),
  .infer = input_infer,
  .try_push = input_try_push,
  .try_pop = input_try_pop,
  .end_of_input = _holo_end_task_end_of_input,
  .end_of_output = input_end_of_output,
  .reset = _holo_end_task_reset,
  .clear = _holo_end_task_clear,
  .bind_end = _holo_end_task_bind_end,
};

HOLO_DEFINE_ASYNC_KIND (holo_input, "Input", InputSettings, functions)
