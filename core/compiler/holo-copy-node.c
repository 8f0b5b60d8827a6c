/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compiler/holo-copy-node.h"

#include "base/holo-error.h"

struct _HoloCopyNodeTask
{
  HoloSyncTask parent_instance;
  HoloDevice *device;
};
#define HOLO_TYPE_COPY_NODE_TASK (holo_copy_node_task_get_type ())
G_DECLARE_FINAL_TYPE (HoloCopyNodeTask, holo_copy_node_task, HOLO, COPY_NODE_TASK, HoloSyncTask)
G_DEFINE_FINAL_TYPE (HoloCopyNodeTask, holo_copy_node_task, HOLO_TYPE_SYNC_TASK)

static HoloOpResult
copy_node_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  HoloCopyNodeTask *self = HOLO_COPY_NODE_TASK (task);

  return holo_device_copy (self->device, context->stream, context->outputs[0], context->inputs[0], error)
             ? HOLO_OP_OK
             : HOLO_OP_ERROR;
}

static void
holo_copy_node_task_finalize (GObject *object)
{
  g_object_unref (HOLO_COPY_NODE_TASK (object)->device);
  G_OBJECT_CLASS (holo_copy_node_task_parent_class)->finalize (object);
}

static void
holo_copy_node_task_class_init (HoloCopyNodeTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_copy_node_task_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = copy_node_execute;
}

static void
holo_copy_node_task_init (HoloCopyNodeTask *task)
{
}

struct _HoloCopyNodeFactory
{
  HoloSyncTaskFactory parent_instance;
};
G_DEFINE_FINAL_TYPE (HoloCopyNodeFactory, holo_copy_node_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

static gboolean
copy_node_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  holo_inference_add_output (inference, holo_inference_get_input_desc (inference, 0));
  inference->stateful = FALSE;
  inference->capture_safe = TRUE;
  return TRUE;
}

static HoloSyncTask *
copy_node_create (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
                  GError **error)
{
  HoloCopyNodeTask *task = g_object_new (HOLO_TYPE_COPY_NODE_TASK, NULL);
  gboolean on_device = holo_inference_get_input_desc (inference, 0)->mem_loc == HOLO_MEM_LOC_DEVICE;

  /* Between two host tasks the copy must have ended when execute() returns: the host device copies at once. */
  task->device = g_object_ref (on_device ? context->device : holo_device_get_host ());
  return HOLO_SYNC_TASK (task);
}

static void
holo_copy_node_factory_class_init (HoloCopyNodeFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = copy_node_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = copy_node_create;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE;
  holo_task_factory_class_set_description (klass, "Copies a tensor (inserted by the compiler)", NULL);
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     NULL);
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, NULL);
}

static void
holo_copy_node_factory_init (HoloCopyNodeFactory *factory)
{
}
