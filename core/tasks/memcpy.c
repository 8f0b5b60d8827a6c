/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/holo-error.h"
#include "task/holo-task-factory.h"
#include "tasks/holo-builtin-kinds.h"

#define HOLO_TYPE_MEMCPY_FACTORY (holo_memcpy_factory_get_type ())
G_DECLARE_FINAL_TYPE (HoloMemcpyFactory, holo_memcpy_factory, HOLO, MEMCPY_FACTORY, HoloSyncTaskFactory)

struct _HoloMemcpyFactory
{
  HoloSyncTaskFactory parent_instance;

  gint target;
};

G_DEFINE_FINAL_TYPE (HoloMemcpyFactory, holo_memcpy_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

/* ---- task ---- */

#define HOLO_TYPE_MEMCPY_TASK (holo_memcpy_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloMemcpyTask, holo_memcpy_task, HOLO, MEMCPY_TASK, HoloSyncTask)

struct _HoloMemcpyTask
{
  HoloSyncTask parent_instance;

  HoloDevice *device; /* who copies: the host from host to host */
};

G_DEFINE_FINAL_TYPE (HoloMemcpyTask, holo_memcpy_task, HOLO_TYPE_SYNC_TASK)

static HoloOpResult
holo_memcpy_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  HoloMemcpyTask *self = HOLO_MEMCPY_TASK (task);

  if (holo_tensor_desc_is_empty (&context->inputs[0]->desc))
    return HOLO_OP_OK;
  return holo_device_copy (self->device, context->stream, context->outputs[0], context->inputs[0], error)
             ? HOLO_OP_OK
             : HOLO_OP_ERROR;
}

static void
holo_memcpy_task_finalize (GObject *object)
{
  g_object_unref (HOLO_MEMCPY_TASK (object)->device);
  G_OBJECT_CLASS (holo_memcpy_task_parent_class)->finalize (object);
}

static void
holo_memcpy_task_class_init (HoloMemcpyTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_memcpy_task_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = holo_memcpy_task_execute;
}

static void
holo_memcpy_task_init (HoloMemcpyTask *self)
{
}

/* ---- factory ---- */

static gboolean
touches_device (const HoloInference *inference)
{
  return holo_inference_get_input_desc (inference, 0)->mem_loc == HOLO_MEM_LOC_DEVICE ||
         holo_inference_get_output_desc (inference, 0)->mem_loc == HOLO_MEM_LOC_DEVICE;
}

static gboolean
holo_memcpy_factory_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloTensorDesc desc;

  holo_tensor_desc_init_dense_like (&desc, holo_inference_get_input_desc (inference, 0));
  desc.mem_loc = (HoloMemLoc) HOLO_MEMCPY_FACTORY (factory)->target;
  holo_inference_add_output (inference, &desc);
  inference->stateful = FALSE;
  inference->uses_stream = inference->capture_safe = touches_device (inference);
  return TRUE;
}

static HoloSyncTask *
holo_memcpy_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                            const HoloSyncCreateContext *context, GError **error)
{
  HoloMemcpyTask *self;

  if (touches_device (inference) && holo_device_is_host (context->device))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
                   "device memory is asked for, but the plan is compiled for the host; choose a device, or "
                   "set target to "
                   "Host");
      return NULL;
    }
  self = g_object_new (HOLO_TYPE_MEMCPY_TASK, NULL);
  self->device = g_object_ref (touches_device (inference) ? context->device : holo_device_get_host ());
  return HOLO_SYNC_TASK (self);
}

static void
holo_memcpy_factory_class_init (HoloMemcpyFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = holo_memcpy_factory_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = holo_memcpy_factory_create;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE;
  holo_task_factory_class_set_description (
      klass, "Copies a tensor to host or device memory",
      "The output has the elements of the input in dense, new memory at `target`: it also packs a\n"
      "strided tensor. Host to host the copy is done at once; to, from or on a device it is enqueued on\n"
      "the stream of the section.");
  holo_task_factory_class_set_example (klass, "{\"target\": \"Host\"}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "any layout");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "type and shape of the input, dense");
  holo_settings_install_enum (klass, "target", "Where the copy lies", HOLO_TYPE_MEM_LOC, HOLO_MEM_LOC_HOST,
                              HOLO_SETTING_REQUIRED, G_STRUCT_OFFSET (HoloMemcpyFactory, target));
}

static void
holo_memcpy_factory_init (HoloMemcpyFactory *self)
{
}

HOLO_DEFINE_SYNC_KIND (memcpy, "Memcpy", HOLO_TYPE_MEMCPY_FACTORY)
