/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds Relay and OwnedSource: tasks that own memory. */
#include "test-kinds-private.h"

DEFINE_SYNC_KIND (Relay, relay, , gfloat in[16]; gfloat out[16]; TestRelayReport report;)
DEFINE_SYNC_KIND (OwnedSource, owned_source, gint64 frames;, gint64 frame; gfloat out[2]; TestRelayReport report;)

static gboolean
relay_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  test_infer_like_input (factory, inference, error);
  holo_inference_get_input (inference, 0)->owned = TRUE;
  holo_inference_get_output (inference, 0)->owned = TRUE;
  return TRUE;
}

/* The first call gives nothing, as a task does whose slots are all in use. */
static HoloOpResult
relay_acquire_input (HoloTask *task, guint index, HoloTensorView *view, GError **error)
{
  TestRelayTask *self = (TestRelayTask *) task;
  HoloStorage *storage = holo_task_get_input_storage (task, index, error);

  if (storage == NULL)
    return HOLO_OP_ERROR;
  if (self->report.n_acquires++ == 0)
    return HOLO_OP_NOT_READY;
  storage->data = self->in;
  return HOLO_OP_OK;
}

static void
relay_abort_input (HoloTask *task, guint index)
{
  ((TestRelayTask *) task)->report.n_aborts++;
}

static void
relay_release_output (HoloTask *task, guint index, const HoloFence *fence)
{
  ((TestRelayTask *) task)->report.n_releases++;
}

static gboolean
refuses_slot_1 (HoloTask *task)
{
  g_autoptr (GError) input_error = NULL;
  g_autoptr (GError) output_error = NULL;

  return holo_task_get_input_storage (task, 1, &input_error) == NULL &&
         holo_task_get_output_storage (task, 1, &output_error) == NULL &&
         g_error_matches (input_error, HOLO_ERROR, HOLO_ERROR_SLOT) &&
         g_error_matches (output_error, HOLO_ERROR, HOLO_ERROR_SLOT);
}

static HoloOpResult
relay_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestRelayTask *self = (TestRelayTask *) task;
  HoloStorage *storage = holo_task_get_output_storage (HOLO_TASK (task), 0, error);

  test_count_call (task);
  if (storage == NULL)
    return HOLO_OP_ERROR;
  self->report.saw_own_input = test_floats (context->inputs[0]) == self->in;
  self->report.storage_checked = refuses_slot_1 (HOLO_TASK (task));
  for (guint i = 0; i < test_length (context->inputs[0]) && i < G_N_ELEMENTS (self->out); i++)
    self->out[i] = 2 * self->in[i];
  storage->data = self->out;
  self->report.output = self->out;
  return HOLO_OP_OK;
}

static void
test_relay_task_class_init (TestRelayTaskClass *klass)
{
  HOLO_TASK_CLASS (klass)->acquire_input = relay_acquire_input;
  HOLO_TASK_CLASS (klass)->abort_input = relay_abort_input;
  HOLO_TASK_CLASS (klass)->release_output = relay_release_output;
  HOLO_SYNC_TASK_CLASS (klass)->execute = relay_execute;
}

static void
test_relay_factory_class_init (TestRelayFactoryClass *klass)
{
  test_kind_declare (klass, test_relay_task_get_type (), "Doubles from its own memory into its own memory", 1, 1,
                     HOLO_MEM_LOCS_HOST);
  HOLO_TASK_FACTORY_CLASS (klass)->infer = relay_infer;
}

static gboolean
owned_source_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const gint64 shape[] = { 2 };
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  holo_inference_add_output (inference, &desc)->owned = TRUE;
  return TRUE;
}

static HoloOpResult
owned_source_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestOwnedSourceTask *self = (TestOwnedSourceTask *) task;

  test_count_call (task);
  if (self->frame >= ((TestOwnedSourceFactory *) self->parent_instance.common.factory)->frames)
    return HOLO_OP_EOF;
  self->out[0] = 4 + (gfloat) self->frame;
  self->out[1] = 8 + (gfloat) self->frame;
  self->frame++;
  context->outputs[0]->storage->data = self->out;
  return HOLO_OP_OK;
}

static gboolean
owned_source_reset (HoloTask *task, GError **error)
{
  ((TestOwnedSourceTask *) task)->frame = 0;
  return TRUE;
}

static void
owned_source_release_output (HoloTask *task, guint index, const HoloFence *fence)
{
  ((TestOwnedSourceTask *) task)->report.n_releases++;
}

static void
test_owned_source_task_class_init (TestOwnedSourceTaskClass *klass)
{
  HOLO_TASK_CLASS (klass)->release_output = owned_source_release_output;
  HOLO_TASK_CLASS (klass)->reset = owned_source_reset;
  HOLO_SYNC_TASK_CLASS (klass)->execute = owned_source_execute;
}

static void
test_owned_source_factory_class_init (TestOwnedSourceFactoryClass *klass)
{
  test_kind_declare (klass, test_owned_source_task_get_type (), "{4,8} and so on from its own memory", 0, 1,
                     HOLO_MEM_LOCS_HOST);
  holo_settings_install_int64 (klass, "frames", "Frames before the end", "frames", 0, G_MAXINT, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestOwnedSourceFactory, frames));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = owned_source_infer;
}

void
test_relay_get_report (HoloTask *task, TestRelayReport *report)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (task, test_owned_source_task_get_type ()))
    *report = ((TestOwnedSourceTask *) task)->report;
  else
    *report = ((TestRelayTask *) task)->report;
}
