/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holo-cuda-task.h"

#include "holo-cuda-kinds.h"
#include "holo-cuda-stream.h"

G_DEFINE_FINAL_TYPE (HoloCudaTask, holo_cuda_task, HOLO_TYPE_SYNC_TASK)

/* ---- kinds ---- */

/* Either a launcher of an element-wise kind without settings, or a function that sets the task up. */
static const struct
{
  const gchar *kind;
  HoloCudaMap map;
  HoloCudaMap2 map2;
  HoloCudaSetUp set_up;
} kinds[] = {
  { "Abs", .map = holo_cuda_abs },
  { "Add", .map2 = holo_cuda_add },
  { "Conversion", .set_up = holo_cuda_set_up_conversion },
  { "FFT2", .set_up = holo_cuda_set_up_fft2 },
  { "FFTShift", .set_up = holo_cuda_set_up_fft_shift },
  { "FourierMask", .set_up = holo_cuda_set_up_fourier_mask },
  { "IFFT2", .set_up = holo_cuda_set_up_fft2 },
  { "Multiply", .map2 = holo_cuda_multiply },
  { "Normalize", .set_up = holo_cuda_set_up_normalize },
  { "Sqrt", .map = holo_cuda_sqrt },
};

/* Kinds that the library makes itself for every device, through the device interface. */
static const gchar *const generic_kinds[] = { "Memcpy", "Reshape", NULL };

static gint
find_kind (const gchar *kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (kinds[i].kind, kind))
      return (gint) i;
  return -1;
}

static gboolean
set_up_kind (guint index, HoloCudaTask *task, HoloTaskFactory *factory, const HoloInference *inference,
             const HoloSyncCreateContext *context, GError **error)
{
  if (kinds[index].set_up != NULL)
    return kinds[index].set_up (task, factory, inference, context, error);
  if (kinds[index].map != NULL)
    holo_cuda_task_set_map (task, inference, kinds[index].map, 0);
  else
    holo_cuda_task_set_map2 (task, inference, kinds[index].map2);
  return TRUE;
}

/* Says which kinds there are for these devices. */
void
holo_cuda_task_add_kinds (HoloRegistry *registry)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    holo_registry_add_device_kind (registry, kinds[i].kind);
}

gboolean
holo_cuda_task_supports_kind (const gchar *kind)
{
  return find_kind (kind) >= 0 || g_strv_contains (generic_kinds, kind);
}

/* ---- the task ---- */

static HoloOpResult
holo_cuda_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  HoloCudaTask *self = HOLO_CUDA_TASK (task);
  gboolean ok;

  if (!holo_cuda_device_enter (self->device, error))
    return HOLO_OP_ERROR;
  ok = self->run (self, context, holo_cuda_stream_get (HOLO_CUDA_STREAM (context->stream)), error);
  holo_cuda_device_leave (self->device);
  return ok ? HOLO_OP_OK : HOLO_OP_ERROR;
}

static void
holo_cuda_task_finalize (GObject *object)
{
  HoloCudaTask *self = HOLO_CUDA_TASK (object);
  gboolean entered = holo_cuda_device_enter (self->device, NULL);

  if (self->free_state != NULL)
    self->free_state (self->state);
  if (entered)
    holo_cuda_device_leave (self->device);
  g_object_unref (self->device);
  G_OBJECT_CLASS (holo_cuda_task_parent_class)->finalize (object);
}

static void
holo_cuda_task_class_init (HoloCudaTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_cuda_task_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = holo_cuda_task_execute;
}

static void
holo_cuda_task_init (HoloCudaTask *self)
{
}

/* Until a kind can mix places: all its tensors lie on the device. */
static gboolean
check_places (const HoloInference *inference, const gchar *kind, GError **error)
{
  gboolean all = TRUE;

  for (guint i = 0; i < holo_inference_get_n_inputs (inference); i++)
    all &= holo_inference_get_input_desc (inference, i)->mem_loc == HOLO_MEM_LOC_DEVICE;
  for (guint i = 0; i < holo_inference_get_n_outputs (inference); i++)
    all &= holo_inference_get_output_desc (inference, i)->mem_loc == HOLO_MEM_LOC_DEVICE;
  if (!all)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED,
                 "%s has tensors on the host and on the device; put a Memcpy before it", kind);
  return all;
}

HoloTask *
holo_cuda_task_new (HoloCudaDevice *device, HoloTaskFactory *factory, const HoloInference *inference,
                    const HoloSyncCreateContext *context, GError **error)
{
  const gchar *kind = holo_task_factory_get_kind (factory);
  gint index = HOLO_IS_SYNC_TASK_FACTORY (factory) ? find_kind (kind) : -1;
  g_autoptr (HoloCudaTask) task = NULL;

  if (index < 0)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED,
                   "%s has no implementation of kind %s; put a Memcpy with target Host before it",
                   holo_cuda_device_get_name (device), kind);
      return NULL;
    }
  if (!check_places (inference, kind, error))
    return NULL;
  task = g_object_new (HOLO_TYPE_CUDA_TASK, NULL);
  task->device = g_object_ref (device);
  return set_up_kind ((guint) index, task, factory, inference, context, error) ? HOLO_TASK (g_steal_pointer (&task))
                                                                               : NULL;
}
