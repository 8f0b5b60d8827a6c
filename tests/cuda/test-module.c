/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The module as an application sees it: it loads on every machine, and its devices can be had where there are
 * any. */
#include <holoflow/holoflow.h>
#include <string.h>

static HoloRegistry *
load (void)
{
  HoloRegistry *registry = holo_registry_new ();
  g_autoptr (GError) error = NULL;

  holo_registry_add_builtin (registry);
  holo_registry_load_module (registry, g_getenv ("HOLOFLOW_TEST_CUDA_MODULE"), &error);
  g_assert_no_error (error);
  return registry;
}

static void
test_open (void)
{
  g_autoptr (HoloRegistry) registry = load ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloDevice) device = holo_device_new_by_name (registry, "cuda:0", &error);
  g_autoptr (HoloDevice) again = NULL;

  if (device == NULL)
    {
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
      g_assert_true (g_str_has_prefix (error->message, "there is no CUDA device \"cuda:0\": "));
      g_test_skip ("no CUDA device");
      return;
    }
  g_assert_cmpstr (holo_device_get_name (device), ==, "cuda:0");
  again = holo_device_new_by_name (registry, "auto", &error);
  g_assert_no_error (error);
  g_assert_true (again == device);
  g_assert_true (holo_device_supports_kind (device, "Sqrt"));
  g_assert_true (holo_device_supports_kind (device, "Memcpy"));
  g_assert_false (holo_device_supports_kind (device, "NpyReader"));
}

/* With and without a GPU. */
static void
test_bad_names (void)
{
  static const gchar *const names[] = { "cuda:99", "cuda:", "cuda:-1", "cuda:x", "cuda:0x" };
  g_autoptr (HoloRegistry) registry = load ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (holo_device_new_by_name (registry, names[i], &error));
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
      g_assert_nonnull (strstr (error->message, "there is no CUDA device"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/module/open", test_open);
  g_test_add_func ("/cuda/module/bad-names", test_bad_names);
  return g_test_run ();
}
