/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/holo-error.h"
#include "tasks/holo-builtin-kinds.h"

typedef struct
{
  HoloSyncTaskFactory parent_instance;

  gint target;
} MemcpySettings;

typedef struct
{
  HoloDevice *device; /* who copies: the host from host to host */
} MemcpyState;

static gboolean
touches_device (const HoloInference *inference)
{
  return holo_inference_get_input_desc (inference, 0)->mem_loc == HOLO_MEM_LOC_DEVICE ||
         holo_inference_get_output_desc (inference, 0)->mem_loc == HOLO_MEM_LOC_DEVICE;
}

static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloTensorDesc desc;

  holo_tensor_desc_init_dense_like (&desc, holo_inference_get_input_desc (inference, 0));
  desc.mem_loc = (HoloMemLoc) ((MemcpySettings *) factory)->target;
  holo_inference_add_output (inference, &desc);
  inference->stateful = FALSE;
  inference->uses_stream = inference->capture_safe = touches_device (inference);
  return TRUE;
}

static gboolean
set_up (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  MemcpyState *state = holo_task_get_state (task);

  if (touches_device (inference) && holo_device_is_host (context->device))
    {
      g_set_error (
          error, HOLO_ERROR, HOLO_ERROR_DEVICE,
          "device memory is asked for, but the plan is compiled for the host; choose a device, or set target to "
          "Host");
      return FALSE;
    }
  state->device = g_object_ref (touches_device (inference) ? context->device : holo_device_get_host ());
  return TRUE;
}

static HoloOpResult
execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  MemcpyState *state = holo_task_get_state (task);

  if (holo_tensor_desc_is_empty (&context->inputs[0]->desc))
    return HOLO_OP_OK;
  return holo_device_copy (state->device, context->stream, context->outputs[0], context->inputs[0], error)
             ? HOLO_OP_OK
             : HOLO_OP_ERROR;
}

static void
clear (HoloTask *task)
{
  g_clear_object (&((MemcpyState *) holo_task_get_state (task))->device);
}

static void
holo_memcpy_class_init (gpointer klass)
{
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
                              HOLO_SETTING_REQUIRED, G_STRUCT_OFFSET (MemcpySettings, target));
}

static const HoloSyncFunctions functions = {
  .state_size = sizeof (MemcpyState),
  .infer = infer,
  .set_up = set_up,
  .execute = execute,
  .clear = clear,
};

HOLO_DEFINE_SYNC_KIND (holo_memcpy, "Memcpy", MemcpySettings, functions)
