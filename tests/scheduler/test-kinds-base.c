/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What test kinds have in common. */
#include "test-kinds-private.h"

static gint n_created, n_updated, fail_create, fail_update;

static gboolean
test_may_go_on (gint *count, gint *fail, const gchar *what, GError **error)
{
  g_atomic_int_inc (count);
  if (g_atomic_int_get (fail) <= 0 || !g_atomic_int_dec_and_test (fail))
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_FAILED, "the test made this %s fail", what);
  return FALSE;
}

G_DEFINE_ABSTRACT_TYPE (TestSyncTask, test_sync_task, HOLO_TYPE_SYNC_TASK)
G_DEFINE_ABSTRACT_TYPE (TestAsyncTask, test_async_task, HOLO_TYPE_ASYNC_TASK)
G_DEFINE_ABSTRACT_TYPE (TestSyncFactory, test_sync_factory, HOLO_TYPE_SYNC_TASK_FACTORY)
G_DEFINE_ABSTRACT_TYPE (TestAsyncFactory, test_async_factory, HOLO_TYPE_ASYNC_TASK_FACTORY)

static void
common_init (TestTaskCommon *common, HoloTaskFactory *factory, const HoloInference *inference, HoloDevice *device,
             gboolean had_stream)
{
  common->factory = g_object_ref (factory);
  holo_inference_copy (&common->inference, inference);
  common->device = device;
  common->had_stream = had_stream;
}

static void
common_clear (TestTaskCommon *common)
{
  g_clear_object (&common->factory);
  holo_inference_clear (&common->inference);
}

static void
test_sync_task_finalize (GObject *object)
{
  common_clear (&((TestSyncTask *) object)->common);
  G_OBJECT_CLASS (test_sync_task_parent_class)->finalize (object);
}

static void
test_sync_task_class_init (TestSyncTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_sync_task_finalize;
}

static void
test_sync_task_init (TestSyncTask *task)
{
}

static void
test_async_task_finalize (GObject *object)
{
  common_clear (&((TestAsyncTask *) object)->common);
  G_OBJECT_CLASS (test_async_task_parent_class)->finalize (object);
}

static void
test_async_task_class_init (TestAsyncTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_async_task_finalize;
}

static void
test_async_task_init (TestAsyncTask *task)
{
}

static HoloSyncTask *
test_sync_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                          const HoloSyncCreateContext *context, GError **error)
{
  TestSyncFactoryClass *klass =
      G_TYPE_INSTANCE_GET_CLASS (factory, test_sync_factory_get_type (), TestSyncFactoryClass);
  TestSyncTask *task;

  if (!test_may_go_on (&n_created, &fail_create, "create", error))
    return NULL;
  task = g_object_new (klass->task_type, NULL);
  common_init (&task->common, HOLO_TASK_FACTORY (factory), inference, context->device, context->stream != NULL);
  return HOLO_SYNC_TASK (task);
}

static HoloSyncTask *
test_sync_factory_update (HoloSyncTaskFactory *factory, HoloSyncTask *old, const HoloInference *old_inference,
                          const HoloInference *inference, const HoloSyncCreateContext *context, GError **error)
{
  if (!test_may_go_on (&n_updated, &fail_update, "update", error))
    return NULL;
  return holo_sync_task_factory_create (factory, inference, context, error);
}

static void
test_sync_factory_class_init (TestSyncFactoryClass *klass)
{
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = test_sync_factory_create;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->update = test_sync_factory_update;
}

static void
test_sync_factory_init (TestSyncFactory *factory)
{
}

static HoloAsyncTask *
test_async_factory_create (HoloAsyncTaskFactory *factory, const HoloInference *inference,
                           const HoloAsyncCreateContext *context, GError **error)
{
  TestAsyncFactoryClass *klass =
      G_TYPE_INSTANCE_GET_CLASS (factory, test_async_factory_get_type (), TestAsyncFactoryClass);
  TestAsyncTaskClass *task_class;
  TestAsyncTask *task;

  if (!test_may_go_on (&n_created, &fail_create, "create", error))
    return NULL;
  task = g_object_new (klass->task_type, NULL);
  common_init (&task->common, HOLO_TASK_FACTORY (factory), inference, context->device,
               (context->producer_stream != NULL || holo_inference_get_n_inputs (inference) == 0) &&
                   (context->consumer_stream != NULL || holo_inference_get_n_outputs (inference) == 0) &&
                   context->producer_stream != context->consumer_stream);
  task_class = G_TYPE_INSTANCE_GET_CLASS (task, test_async_task_get_type (), TestAsyncTaskClass);
  if (task_class->prepare != NULL && !task_class->prepare (task, error))
    g_clear_object (&task);
  return (HoloAsyncTask *) task;
}

static HoloAsyncTask *
test_async_factory_update (HoloAsyncTaskFactory *factory, HoloAsyncTask *old, const HoloInference *old_inference,
                           const HoloInference *inference, const HoloAsyncCreateContext *context, GError **error)
{
  if (!test_may_go_on (&n_updated, &fail_update, "update", error))
    return NULL;
  return holo_async_task_factory_create (factory, inference, context, error);
}

static void
test_async_factory_class_init (TestAsyncFactoryClass *klass)
{
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->create = test_async_factory_create;
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->update = test_async_factory_update;
}

static void
test_async_factory_init (TestAsyncFactory *factory)
{
}

void
test_kind_declare (gpointer klass, GType task_type, const gchar *summary, guint n_inputs, guint n_outputs, guint places)
{
  static const gchar *const names[] = { "a", "b" };

  for (guint i = 0; i < n_inputs; i++)
    holo_task_factory_class_add_input (klass, names[i], HOLO_DTYPES (F32), places, 1, 4, HOLO_SLOT_DENSE, NULL);
  for (guint i = 0; i < n_outputs; i++)
    holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES (F32), places, 1, 4, HOLO_SLOT_NONE, NULL);
  holo_task_factory_class_set_description (klass, summary, NULL);
  if (HOLO_IS_ASYNC_TASK_FACTORY_CLASS (klass))
    ((TestAsyncFactoryClass *) klass)->task_type = task_type;
  else
    ((TestSyncFactoryClass *) klass)->task_type = task_type;
}

gfloat *
test_floats (HoloTensorView *view)
{
  return holo_tensor_view_get_data (view);
}

guint
test_length (HoloTensorView *view)
{
  return (guint) holo_tensor_desc_count (&view->desc);
}

void
test_count_call (gpointer task)
{
  g_atomic_int_inc (&((TestSyncTask *) task)->common.n_calls);
}

HoloInferredOutput *
test_add_output_like_input (HoloInference *inference)
{
  HoloTensorDesc desc;

  holo_tensor_desc_init_dense_like (&desc, holo_inference_get_input_desc (inference, 0));
  return holo_inference_add_output (inference, &desc);
}

gboolean
test_infer_like_input (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  test_add_output_like_input (inference);
  return TRUE;
}

gboolean
test_infer_in_place (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloInferredOutput *output = test_add_output_like_input (inference);

  output->in_place = HOLO_IN_PLACE_MAY;
  output->in_place_input = 0;
  return TRUE;
}

gboolean
test_infer_sink (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  return TRUE;
}

void
test_kinds_fail_create (guint n)
{
  g_atomic_int_set (&fail_create, (gint) n);
}

void
test_kinds_fail_update (guint n)
{
  g_atomic_int_set (&fail_update, (gint) n);
}

guint
test_kinds_get_n_created (void)
{
  return (guint) g_atomic_int_get (&n_created);
}

guint
test_kinds_get_n_updated (void)
{
  return (guint) g_atomic_int_get (&n_updated);
}

static TestTaskCommon *
common_of (HoloTask *task)
{
  if (HOLO_IS_ASYNC_TASK (task))
    return &((TestAsyncTask *) task)->common;
  return &((TestSyncTask *) task)->common;
}

guint
test_task_get_n_calls (HoloTask *task)
{
  return (guint) g_atomic_int_get (&common_of (task)->n_calls);
}

guint
test_task_get_n_pushes (HoloTask *task)
{
  return (guint) g_atomic_int_get (&common_of (task)->n_pushes);
}

guint
test_task_get_n_pops (HoloTask *task)
{
  return (guint) g_atomic_int_get (&common_of (task)->n_pops);
}

guint
test_task_get_n_push_refusals (HoloTask *task)
{
  return (guint) g_atomic_int_get (&common_of (task)->n_push_refusals);
}

guint
test_task_get_n_pop_refusals (HoloTask *task)
{
  return (guint) g_atomic_int_get (&common_of (task)->n_pop_refusals);
}

gboolean
test_task_had_stream (HoloTask *task)
{
  return common_of (task)->had_stream;
}

gboolean
test_may_update (GError **error)
{
  return test_may_go_on (&n_updated, &fail_update, "update", error);
}
