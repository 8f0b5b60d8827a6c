/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Input: an application pushes frames into the graph here. Their memory is lent to the graph and given back when the
 * last reader has let go of it. The frame waits in the application's end; the task is the section's side of that. */
#include "device/holo-device.h"
#include "base/holo-error.h"
#include "runtime/holo-end-private.h"
#include "tasks/holo-builtin-kinds.h"

#define HOLO_TYPE_INPUT_FACTORY (holo_input_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloInputFactory, holo_input_factory, HOLO, INPUT_FACTORY, HoloAsyncTaskFactory)

#define HOLO_TYPE_INPUT_TASK (holo_input_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloInputTask, holo_input_task, HOLO, INPUT_TASK, HoloAsyncTask)

gboolean holo_input_register (HoloRegistry *registry, GError **error);

/* ---- task ---- */

struct _HoloInputTask
{
  HoloAsyncTask parent_instance;

  HoloEnd *end; /* nullable; a reference */
};

G_DEFINE_FINAL_TYPE (HoloInputTask, holo_input_task, HOLO_TYPE_ASYNC_TASK)

static void
input_bind_end (HoloAsyncTask *task, HoloEnd *end)
{
  HoloInputTask *self = HOLO_INPUT_TASK (task);
  HoloEnd *old = self->end;

  self->end = end != NULL ? holo_end_ref (end) : NULL;
  g_clear_pointer (&old, holo_end_unref);
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
  HoloInputTask *self = (HoloInputTask *) task; /* once per frame: unchecked */

  return self->end != NULL ? _holo_end_pop (self->end, context->outputs[0]) : HOLO_OP_NOT_READY;
}

static void
input_end_of_input (HoloAsyncTask *task)
{
  if (HOLO_INPUT_TASK (task)->end != NULL)
    _holo_end_no_more_input (HOLO_INPUT_TASK (task)->end);
}

static void
input_end_of_output (HoloAsyncTask *task)
{
  if (HOLO_INPUT_TASK (task)->end != NULL)
    _holo_end_no_more_output (HOLO_INPUT_TASK (task)->end);
}

static gboolean
input_reset (HoloTask *task, GError **error)
{
  if (HOLO_INPUT_TASK (task)->end != NULL)
    _holo_end_reset (HOLO_INPUT_TASK (task)->end);
  return TRUE;
}

static void
holo_input_task_finalize (GObject *object)
{
  g_clear_pointer (&HOLO_INPUT_TASK (object)->end, holo_end_unref);
  G_OBJECT_CLASS (holo_input_task_parent_class)->finalize (object);
}

static void
holo_input_task_class_init (HoloInputTaskClass *klass)
{
  HoloAsyncTaskClass *async_class = HOLO_ASYNC_TASK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = holo_input_task_finalize;
  HOLO_TASK_CLASS (klass)->reset = input_reset;
  async_class->try_push = input_try_push;
  async_class->try_pop = input_try_pop;
  async_class->end_of_input = input_end_of_input;
  async_class->end_of_output = input_end_of_output;
  async_class->bind_end = input_bind_end;
}

static void
holo_input_task_init (HoloInputTask *self)
{
}

/* ---- factory ---- */

struct _HoloInputFactory
{
  HoloAsyncTaskFactory parent_instance;

  gint dtype;
  GArray *shape;
  gint mem_loc;
  gboolean writable;
  gboolean has_desc;
  HoloTensorDesc desc; /* what will be pushed, when somebody has said so */
};

G_DEFINE_FINAL_TYPE (HoloInputFactory, holo_input_factory, HOLO_TYPE_ASYNC_TASK_FACTORY)

static void
input_set_desc (HoloAsyncTaskFactory *factory, const HoloTensorDesc *desc)
{
  HoloInputFactory *self = HOLO_INPUT_FACTORY (factory);

  self->has_desc = desc != NULL;
  if (desc != NULL)
    self->desc = *desc;
}

static gboolean
check_shape (HoloInputFactory *self, GError **error)
{
  if (self->shape == NULL || self->shape->len <= HOLO_MAX_RANK)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "shape has %u dimensions, at most %d are allowed",
               self->shape->len, HOLO_MAX_RANK);
  return FALSE;
}

/* What the settings say must agree with what arrives. */
static gboolean
check_desc (HoloInputFactory *self, GError **error)
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
  HoloInputFactory *self = HOLO_INPUT_FACTORY (factory);
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

/* The end checks what is pushed and keeps it over updates. */
static HoloAsyncTask *
input_create (HoloAsyncTaskFactory *factory, const HoloInference *inference, const HoloAsyncCreateContext *context,
              GError **error)
{
  return g_object_new (HOLO_TYPE_INPUT_TASK, NULL);
}

static void
holo_input_factory_class_init (HoloInputFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = input_infer;
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->create = input_create;
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
                              HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (HoloInputFactory, dtype));
  holo_settings_install_int64_array (klass, "shape", "Extent of each dimension, outermost first", "elements", 0,
                                     G_MAXINT64, HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (HoloInputFactory, shape));
  holo_settings_install_enum (klass, "mem-loc", "Where the frames lie", HOLO_TYPE_MEM_LOC, HOLO_MEM_LOC_HOST,
                              HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (HoloInputFactory, mem_loc));
  holo_settings_install_boolean (klass, "writable", "Tasks may overwrite the frames in place", FALSE, HOLO_SETTING_NONE,
                                 G_STRUCT_OFFSET (HoloInputFactory, writable));
}

static void
holo_input_factory_init (HoloInputFactory *self)
{
}

gboolean
holo_input_register (HoloRegistry *registry, GError **error)
{
  return holo_registry_register_async (registry, "Input", HOLO_TYPE_INPUT_FACTORY, error);
}
