/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "toy-factories.h"

/* The original's row: hooks of slots that a task does not own fail. */
static void
test_default_hooks (void)
{
  HoloTask *task = g_object_new (toy_sync_task_get_type (), NULL);
  const HoloFence fence = HOLO_FENCE_INIT;
  HoloTensorView view = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (holo_task_acquire_input (task, 0, &view, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SLOT);
  g_assert_cmpstr (error->message, ==, "node \"(unbound)\" (ToySyncTask) owns no input 0");
  g_clear_error (&error);
  g_assert_false (holo_task_release_output (task, 0, &fence, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SLOT);
  g_clear_error (&error);
  /* A task that no plan has bound has no storage. */
  g_assert_null (holo_task_get_input_storage (task, 0, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SLOT);
  g_clear_error (&error);
  g_assert_null (holo_task_get_output_storage (task, 0, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SLOT);
  g_object_unref (task);
}

/* The original's row: the default update makes a new task, also without an old one. */
static void
test_default_update (void)
{
  HoloSyncTaskFactory *sync = g_object_new (toy_sync_factory_get_type (), NULL);
  HoloAsyncTaskFactory *async = g_object_new (toy_async_factory_get_type (), NULL);
  HoloSyncCreateContext sync_context = { NULL, holo_device_get_host () };
  HoloAsyncCreateContext async_context = { NULL, NULL, holo_device_get_host () };
  g_auto (HoloInference) sync_inference = { 0 }, async_inference = { 0 };
  g_autoptr (GError) error = NULL;
  HoloSyncTask *sync_task, *updated;
  HoloAsyncTask *async_task;

  g_assert_true (holo_task_factory_infer (HOLO_TASK_FACTORY (sync), NULL, 0, &sync_inference, &error));
  g_assert_true (holo_task_factory_infer (HOLO_TASK_FACTORY (async), NULL, 0, &async_inference, &error));
  sync_task = holo_sync_task_factory_update (sync, NULL, NULL, &sync_inference, &sync_context, &error);
  g_assert_no_error (error);
  g_assert_true (HOLO_IS_SYNC_TASK (sync_task));
  updated = holo_sync_task_factory_update (sync, sync_task, &sync_inference, &sync_inference, &sync_context, &error);
  g_assert_true (HOLO_IS_SYNC_TASK (updated));
  g_assert_true (updated != sync_task);
  async_task = holo_async_task_factory_update (async, NULL, NULL, &async_inference, &async_context, &error);
  g_assert_no_error (error);
  g_assert_true (HOLO_IS_ASYNC_TASK (async_task));
  g_object_unref (updated);
  g_object_unref (sync_task);
  g_object_unref (async_task);
  g_object_unref (sync);
  g_object_unref (async);
}

/* Where the original aborts, an unbound task can still log and be counted. */
static void
test_unbound (void)
{
  HoloTask *task = g_object_new (toy_sync_task_get_type (), NULL);

  g_assert_cmpstr (holo_task_get_node_name (task), ==, "(unbound)");
  g_assert_cmpstr (holo_task_get_kind (task), ==, "ToySyncTask");
  holo_task_log (task, G_LOG_LEVEL_DEBUG, "number %d", 1);
  holo_task_add_discarded (task, 3);
  holo_task_add_dropped (task, 2);
  g_assert_cmpuint (holo_task_get_discarded (task), ==, 3);
  g_assert_cmpuint (holo_task_get_dropped (task), ==, 2);
  g_assert_true (holo_task_reset (task, NULL));
  g_object_unref (task);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/task/default-hooks", test_default_hooks);
  g_test_add_func ("/holo/task/default-update", test_default_update);
  g_test_add_func ("/holo/task/unbound", test_unbound);
  return g_test_run ();
}
