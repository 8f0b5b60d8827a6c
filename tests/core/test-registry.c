/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "toy-factories.h"

#include <string.h>

/* A kind with a setting that every element has already. */
typedef struct
{
  HoloSyncTaskFactory parent_instance;
  gint64 blocksize;
} Clash;
typedef HoloSyncTaskFactoryClass ClashClass;

static GType clash_get_type (void);
G_DEFINE_TYPE (Clash, clash, HOLO_TYPE_SYNC_TASK_FACTORY)

static void
clash_class_init (ClashClass *klass)
{
  holo_settings_install_int64 (klass, "blocksize", "Size", NULL, 0, 9, 4, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (Clash, blocksize));
}

static void
clash_init (Clash *clash)
{
}

/* ---- the original's rows ---- */

static void
test_sync (void)
{
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (holo_registry_register_sync (registry, "noop", toy_sync_factory_get_type (), &error));
  g_assert_no_error (error);
  g_assert_true (holo_registry_is_registered (registry, "noop"));
  g_assert_true (holo_registry_is_sync (registry, "noop"));
  g_assert_false (holo_registry_is_async (registry, "noop"));
  g_assert_cmpuint (holo_registry_get_factory_type (registry, "noop", NULL), ==, toy_sync_factory_get_type ());
}

static void
assert_exists (gboolean registered, GError **error)
{
  g_assert_false (registered);
  g_assert_error (*error, HOLO_ERROR, HOLO_ERROR_EXISTS);
  g_clear_error (error);
}

static void
test_duplicate_and_missing (void)
{
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (holo_registry_register_sync (registry, "noop", toy_sync_factory_get_type (), NULL));
  assert_exists (holo_registry_register_sync (registry, "noop", toy_sync_factory_get_type (), &error), &error);
  g_assert_null (holo_registry_create_factory (registry, "missing", &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_UNKNOWN_KIND);
  g_clear_error (&error);
  g_assert_cmpuint (holo_registry_get_factory_type (registry, "nop", &error), ==, G_TYPE_INVALID);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_UNKNOWN_KIND);
  g_assert_cmpstr (error->message, ==, "there is no kind \"nop\"; did you mean \"noop\"?");
  g_assert_false (holo_registry_is_registered (registry, "missing"));
  g_assert_false (holo_registry_is_sync (registry, "missing"));
  g_assert_false (holo_registry_is_async (registry, "missing"));
}

static void
test_async (void)
{
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (holo_registry_register_async (registry, "async", toy_async_factory_get_type (), NULL));
  g_assert_true (holo_registry_is_async (registry, "async"));
  g_assert_true (holo_registry_is_registered (registry, "async"));
  g_assert_false (holo_registry_is_sync (registry, "async"));
  assert_exists (holo_registry_register_sync (registry, "async", toy_sync_factory_get_type (), &error), &error);
  assert_exists (holo_registry_register_async (registry, "async", toy_async_factory_get_type (), &error), &error);
}

static void
assert_wrong_type (gboolean registered, GError **error)
{
  g_assert_false (registered);
  g_assert_error (*error, HOLO_ERROR, HOLO_ERROR_FAILED);
  g_clear_error (error);
}

/* Where the original refuses a null factory: a type that is none, abstract, or of the other kind. */
static void
test_wrong_type (void)
{
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_autoptr (GError) error = NULL;

  assert_wrong_type (holo_registry_register_sync (registry, "a", G_TYPE_INVALID, &error), &error);
  assert_wrong_type (holo_registry_register_async (registry, "a", G_TYPE_INVALID, &error), &error);
  assert_wrong_type (holo_registry_register_sync (registry, "a", G_TYPE_OBJECT, &error), &error);
  assert_wrong_type (holo_registry_register_sync (registry, "a", HOLO_TYPE_SYNC_TASK_FACTORY, &error), &error);
  assert_wrong_type (holo_registry_register_sync (registry, "a", toy_async_factory_get_type (), &error), &error);
  assert_wrong_type (holo_registry_register_async (registry, "a", toy_sync_factory_get_type (), &error), &error);
  g_assert_false (holo_registry_is_registered (registry, "a"));
}

/* ---- ours ---- */

static void
test_names (void)
{
  const gchar *const bad[] = { "", "9a", "-a", "a b", "a/b", "\xc3\xa9" };
  const gchar *const taken[] = { "FlowBin", "flowbin", "Mux", "Demux", "VideoToTensor", "TensorToVideo" };
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    assert_wrong_type (holo_registry_register_sync (registry, bad[i], toy_sync_factory_get_type (), &error), &error);
  for (guint i = 0; i < G_N_ELEMENTS (taken); i++)
    assert_exists (holo_registry_register_sync (registry, taken[i], toy_sync_factory_get_type (), &error), &error);
  g_assert_true (holo_registry_register_sync (registry, "FFT2", toy_sync_factory_get_type (), NULL));
  g_assert_false (holo_registry_register_sync (registry, "fft2", toy_sync_factory_get_type (), &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS);
  g_assert_cmpstr (error->message, ==,
                   "the kind \"fft2\" differs from the registered \"FFT2\" in upper and lower case only");
}

static void
test_setting_of_every_element (void)
{
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_autoptr (GError) error = NULL;

  g_assert_false (holo_registry_register_sync (registry, "Clash", clash_get_type (), &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS);
  g_assert_cmpstr (error->message, ==,
                   "the kind \"Clash\" cannot have a setting \"blocksize\": every element has a property of that name");
}

static void
test_alias (void)
{
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_autoptr (HoloTaskFactory) factory = NULL;
  g_auto (GStrv) kinds = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (holo_registry_register_alias (registry, "FFTShiftNp", "FFTShift", &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_UNKNOWN_KIND);
  g_clear_error (&error);
  g_assert_true (holo_registry_register_sync (registry, "FFTShift", toy_sync_factory_get_type (), NULL));
  g_assert_true (holo_registry_register_alias (registry, "FFTShiftNp", "FFTShift", NULL));
  assert_exists (holo_registry_register_alias (registry, "FFTShiftNp", "FFTShift", &error), &error);
  assert_exists (holo_registry_register_sync (registry, "fftshiftnp", toy_sync_factory_get_type (), &error), &error);
  g_assert_true (holo_registry_is_sync (registry, "FFTShiftNp"));
  g_assert_cmpstr (holo_registry_resolve_alias (registry, "FFTShiftNp"), ==, "FFTShift");
  g_assert_cmpstr (holo_registry_resolve_alias (registry, "other"), ==, "other");
  factory = holo_registry_create_factory (registry, "FFTShiftNp", NULL);
  g_assert_cmpstr (holo_task_factory_get_kind (factory), ==, "FFTShift");
  kinds = holo_registry_list_kinds (registry);
  g_assert_cmpuint (g_strv_length (kinds), ==, 1);
}

static void
test_list (void)
{
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_auto (GStrv) kinds = NULL;

  holo_registry_register_sync (registry, "b", toy_sync_factory_get_type (), NULL);
  holo_registry_register_async (registry, "A", toy_async_factory_get_type (), NULL);
  holo_registry_register_sync (registry, "c", toy_sync_factory_get_type (), NULL);
  kinds = holo_registry_list_kinds (registry);
  g_assert_cmpuint (g_strv_length (kinds), ==, 3);
  g_assert_cmpstr (kinds[0], ==, "A");
  g_assert_cmpstr (kinds[1], ==, "b");
  g_assert_cmpstr (kinds[2], ==, "c");
}

/* Every node has a factory of its own. */
static void
test_own_factories (void)
{
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_autoptr (HoloTaskFactory) one = NULL, two = NULL;

  holo_registry_register_sync (registry, "noop", toy_sync_factory_get_type (), NULL);
  one = holo_registry_create_factory (registry, "noop", NULL);
  two = holo_registry_create_factory (registry, "noop", NULL);
  g_assert_true (one != two);
  g_assert_cmpstr (holo_task_factory_get_kind (one), ==, "noop");
}

static HoloDevice *
make_device (const gchar *name, GError **error)
{
  if (g_str_equal (name, "toy:0"))
    return g_object_ref (holo_device_get_host ());
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "no %s", name);
  return NULL;
}

static void
test_devices (void)
{
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_autoptr (HoloDevice) host = holo_registry_create_device (registry, "host", NULL), toy = NULL, best = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (holo_device_is_host (host));
  g_assert_null (holo_registry_create_device (registry, "cuda:0", &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
  g_assert_true (g_str_has_prefix (error->message, "there is no CUDA device \"cuda:0\": "));
  g_clear_error (&error);
  g_assert_null (holo_registry_create_device (registry, "toy:0", &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
  g_clear_error (&error);

  g_assert_true (holo_registry_register_device (registry, "toy", make_device, NULL));
  assert_exists (holo_registry_register_device (registry, "toy", make_device, &error), &error);
  assert_exists (holo_registry_register_device (registry, "host", make_device, &error), &error);
  toy = holo_registry_create_device (registry, "toy:0", NULL);
  g_assert_nonnull (toy);
  g_assert_null (holo_registry_create_device (registry, "toy:1", &error));
  g_assert_cmpstr (error->message, ==, "no toy:1");
  best = holo_device_new_by_name (registry, "auto", NULL);
  g_assert_true (holo_device_is_host (best));
}

/* All of the built-in kinds can be registered, and that is quick. */
static void
test_builtin (void)
{
  gint64 start = g_get_monotonic_time ();
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_auto (GStrv) kinds = NULL;

  holo_registry_add_builtin (registry);
  kinds = holo_registry_list_kinds (registry);
  g_test_message ("%u kinds in %" G_GINT64_FORMAT " us", g_strv_length (kinds), g_get_monotonic_time () - start);
  g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC);
  g_assert_true (holo_registry_get_default () == holo_registry_get_default ());
  for (guint i = 0; kinds[i] != NULL; i++)
    g_assert_true (holo_registry_is_registered (holo_registry_get_default (), kinds[i]));
}

typedef struct
{
  HoloRegistry *registry;
  guint number;
} Worker;

static gpointer
register_and_look_up (gpointer data)
{
  Worker *worker = data;

  for (guint i = 0; i < 200; i++)
    {
      g_autofree gchar *kind = g_strdup_printf ("Kind%u_%u", worker->number, i);
      g_autoptr (HoloTaskFactory) factory = NULL;

      g_assert_true (holo_registry_register_sync (worker->registry, kind, toy_sync_factory_get_type (), NULL));
      factory = holo_registry_create_factory (worker->registry, kind, NULL);
      g_assert_cmpstr (holo_task_factory_get_kind (factory), ==, kind);
    }
  return NULL;
}

static void
test_threads (void)
{
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_auto (GStrv) kinds = NULL;
  Worker workers[4];
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      workers[i] = (Worker){ registry, i };
      threads[i] = g_thread_new ("register", register_and_look_up, &workers[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  kinds = holo_registry_list_kinds (registry);
  g_assert_cmpuint (g_strv_length (kinds), ==, 800);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/registry/sync", test_sync);
  g_test_add_func ("/holo/registry/duplicate-and-missing", test_duplicate_and_missing);
  g_test_add_func ("/holo/registry/async", test_async);
  g_test_add_func ("/holo/registry/wrong-type", test_wrong_type);
  g_test_add_func ("/holo/registry/names", test_names);
  g_test_add_func ("/holo/registry/setting-of-every-element", test_setting_of_every_element);
  g_test_add_func ("/holo/registry/alias", test_alias);
  g_test_add_func ("/holo/registry/list", test_list);
  g_test_add_func ("/holo/registry/own-factories", test_own_factories);
  g_test_add_func ("/holo/registry/devices", test_devices);
  g_test_add_func ("/holo/registry/builtin", test_builtin);
  g_test_add_func ("/holo/registry/threads", test_threads);
  return g_test_run ();
}
