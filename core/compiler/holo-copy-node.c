/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compiler/holo-copy-node.h"

#include "task/holo-kind.h"
#include "task/holo-task-private.h"

typedef struct
{
  HoloDevice *device;
} CopyNodeState;

static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  holo_inference_add_output (inference, holo_inference_get_input_desc (inference, 0));
  inference->stateful = FALSE;
  inference->capture_safe = TRUE;
  return TRUE;
}

static gboolean
set_up (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  CopyNodeState *state = holo_task_get_state (task);
  gboolean on_device = holo_inference_get_input_desc (inference, 0)->mem_loc == HOLO_MEM_LOC_DEVICE;

  /* Between two host tasks the copy must have ended when execute() returns: the host device copies at once. */
  state->device = g_object_ref (on_device ? context->device : holo_device_get_host ());
  return TRUE;
}

static HoloOpResult
execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  CopyNodeState *state = holo_task_get_state (task);

  return holo_device_copy (state->device, context->stream, context->outputs[0], context->inputs[0], error)
             ? HOLO_OP_OK
             : HOLO_OP_ERROR;
}

static void
clear (HoloTask *task)
{
  g_clear_object (&((CopyNodeState *) holo_task_get_state (task))->device);
}

static void
init_class (gpointer klass)
{
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE;
  holo_task_factory_class_set_description (klass, "Copies a tensor (inserted by the compiler)", NULL);
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     NULL);
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, NULL);
}

HoloTaskFactory *
_holo_copy_node_new (void)
{
  static const HoloSyncFunctions functions = {
    .state_size = sizeof (CopyNodeState), .infer = infer, .set_up = set_up, .execute = execute, .clear = clear
  };
  static const HoloKind kind = { .name = "copy",
                                 .factory_type_name = "HoloCopyNodeFactory",
                                 .task_type_name = "HoloCopyNodeTask",
                                 .get_base_type = holo_sync_task_factory_get_type,
                                 .settings_size = sizeof (HoloSyncTaskFactory),
                                 .class_init = init_class,
                                 .sync_functions = &functions };
  HoloTaskFactory *factory = g_object_new (_holo_kind_get_factory_type (&kind, NULL), NULL);

  _holo_task_factory_set_kind (factory, kind.name);
  return factory;
}
