/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "async-driver.h"

#include <string.h>

HoloTaskFactory *
async_driver_make_factory (const gchar *kind, const gchar *settings_json, GError **error)
{
  g_autoptr (HoloTaskFactory) factory = NULL;
  g_autoptr (JsonNode) node = json_from_string (settings_json, error);

  if (node == NULL)
    return NULL;
  factory = holo_registry_create_factory (holo_registry_get_default (), kind, error);
  if (factory == NULL || !holo_settings_apply_json (factory, json_node_get_object (node), "/params", error))
    return NULL;
  return g_steal_pointer (&factory);
}

void
async_driver_init (AsyncDriver *driver, const gchar *kind, const gchar *settings_json, const HoloTensorDesc *input)
{
  HoloAsyncCreateContext context = { NULL, NULL, holo_device_get_host () };
  GError *error = NULL;

  memset (driver, 0, sizeof *driver);
  driver->factory = async_driver_make_factory (kind, settings_json, &error);
  g_assert_no_error (error);
  holo_task_factory_infer (driver->factory, input, 1, &driver->inference, &error);
  g_assert_no_error (error);
  driver->task =
      holo_async_task_factory_create (HOLO_ASYNC_TASK_FACTORY (driver->factory), &driver->inference, &context, &error);
  g_assert_no_error (error);

  holo_tensor_view_init (&driver->in, input, &driver->in_storage);
  holo_tensor_view_init (&driver->out, holo_inference_get_output_desc (&driver->inference, 0), &driver->out_storage);
  driver->in_views[0] = &driver->in;
  driver->out_views[0] = &driver->out;
  driver->push = (HoloPushContext){ .inputs = driver->in_views, .n_inputs = 1 };
  driver->pop = (HoloPopContext){ .outputs = driver->out_views, .n_outputs = 1 };
}

void
async_driver_clear (AsyncDriver *driver)
{
  g_clear_object (&driver->task);
  g_clear_object (&driver->factory);
  holo_inference_clear (&driver->inference);
}

HoloOpResult
async_driver_acquire (AsyncDriver *driver)
{
  g_autoptr (GError) error = NULL;
  HoloOpResult result = holo_task_acquire_input (HOLO_TASK (driver->task), 0, &driver->in, &error);

  g_assert_no_error (error);
  return result;
}

HoloOpResult
async_driver_push (AsyncDriver *driver)
{
  g_autoptr (GError) error = NULL;
  HoloOpResult result;

  driver->push.retry_at = 0;
  result = holo_async_task_try_push (driver->task, &driver->push, &error);
  g_assert_no_error (error);
  return result;
}

HoloOpResult
async_driver_pop (AsyncDriver *driver)
{
  g_autoptr (GError) error = NULL;
  HoloOpResult result;

  driver->pop.retry_at = 0;
  result = holo_async_task_try_pop (driver->task, &driver->pop, &error);
  g_assert_no_error (error);
  return result;
}

void
async_driver_release (AsyncDriver *driver)
{
  HoloFence passed = HOLO_FENCE_INIT;

  g_assert_true (holo_task_release_output (HOLO_TASK (driver->task), 0, &passed, NULL));
}

guint64
async_driver_get_discarded (AsyncDriver *driver)
{
  return holo_task_get_discarded (HOLO_TASK (driver->task));
}

void
assert_inference_refused (const gchar *kind, const gchar *settings_json, const HoloTensorDesc *input, const gchar *word)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloTaskFactory) factory = async_driver_make_factory (kind, settings_json, &error);
  HoloInference inference;

  g_assert_no_error (error);
  g_assert_false (holo_task_factory_infer (factory, input, 1, &inference, &error));
  g_assert_nonnull (error);
  if (strstr (error->message, word) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, word);
}

void
assert_settings_refused (const gchar *kind, const gchar *settings_json, const gchar *word)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (async_driver_make_factory (kind, settings_json, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SETTING);
  if (strstr (error->message, word) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, word);
}
