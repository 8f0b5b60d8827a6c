/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <holoflow/holoflow.h>

#include <glib/gstdio.h>
#include <string.h>

static const gchar *modules; /* folder of the test modules */

static gchar *
get_path (const gchar *name)
{
  return g_strdup_printf ("%s/module-%s.so", modules, name);
}

static void
assert_fails (const gchar *path, HoloError code, const gchar *reason)
{
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) kinds = NULL;

  g_assert_false (holo_registry_load_module (registry, path, &error));
  g_assert_error (error, HOLO_ERROR, (gint) code);
  g_assert_nonnull (strstr (error->message, path));
  if (strstr (error->message, reason) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, reason);
  kinds = holo_registry_list_kinds (registry);
  g_assert_cmpuint (g_strv_length (kinds), ==, 0);
}

static void
test_good (void)
{
  g_autofree gchar *path = get_path ("good");
  g_autoptr (GError) error = NULL;

  /* A second registry may load it too. */
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (HoloRegistry) registry = holo_registry_new ();
      g_autoptr (HoloTaskFactory) factory = NULL;

      g_assert_true (holo_registry_load_module (registry, path, &error));
      g_assert_no_error (error);
      g_assert_true (holo_registry_is_sync (registry, "ModuleSync"));
      g_assert_true (holo_registry_is_async (registry, "ModuleAsync"));
      factory = holo_registry_create_factory (registry, "ModuleSync", NULL);
      g_assert_nonnull (factory);
      /* But not the same one twice. */
      g_assert_false (holo_registry_load_module (registry, path, &error));
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS);
      g_assert_nonnull (strstr (error->message, path));
      g_clear_error (&error);
    }
}

static void
test_broken (void)
{
  g_autofree gchar *wrong_abi = get_path ("wrong-abi"), *no_entry = get_path ("no-entry");
  g_autofree gchar *refuses = get_path ("refuses"), *unresolved = get_path ("unresolved");

  assert_fails (wrong_abi, HOLO_ERROR_MODULE, "is built for ABI version 1001 of the library, this one has version 1");
  assert_fails (no_entry, HOLO_ERROR_MODULE, "is not a task module: it has no function holo_module_query()");
  assert_fails (refuses, HOLO_ERROR_DEVICE, "(refuses): the driver is too old");
  assert_fails (unresolved, HOLO_ERROR_MODULE, "holo_test_function_that_is_nowhere");
}

/* One kind in two modules: both files are named, and neither GLib nor we say more. */
static void
test_twins (void)
{
  g_autofree gchar *first = g_build_filename (modules, "twins", "twin-first.so", NULL);
  g_autofree gchar *second = g_build_filename (modules, "twins", "twin-second.so", NULL);
  g_autoptr (HoloRegistry) registry = holo_registry_new (), other = holo_registry_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (holo_registry_load_module (registry, first, &error));
  g_assert_no_error (error);
  g_assert_false (holo_registry_load_module (registry, second, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS);
  g_assert_nonnull (strstr (error->message, "is defined twice in this process"));
  g_assert_nonnull (strstr (error->message, "twin-first.so"));
  g_assert_nonnull (strstr (error->message, "twin-second.so"));
  /* what runs in the process counts, not what a registry knows */
  assert_fails (second, HOLO_ERROR_EXISTS, "twin-first.so");
  g_assert_true (holo_registry_load_module (other, first, NULL));
}

static gchar *
write_file (const gchar *folder, const gchar *name, const gchar *text)
{
  gchar *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static void
test_not_a_module (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("holo-module-XXXXXX", NULL);
  g_autofree gchar *text = write_file (folder, "text.so", "this is no ELF file\n");
  g_autofree gchar *empty = write_file (folder, "empty.so", "");
  g_autofree gchar *missing = g_build_filename (folder, "missing.so", NULL);

  assert_fails (text, HOLO_ERROR_MODULE, "cannot be loaded: ");
  assert_fails (empty, HOLO_ERROR_MODULE, "cannot be loaded: ");
  assert_fails (missing, HOLO_ERROR_MODULE, "cannot be loaded: ");
  assert_fails (folder, HOLO_ERROR_MODULE, "cannot be loaded: ");
  g_unlink (text);
  g_unlink (empty);
  g_rmdir (folder);
}

static gboolean
any_mentions (GPtrArray *errors, const gchar *text)
{
  for (guint i = 0; i < errors->len; i++)
    if (strstr (((GError *) g_ptr_array_index (errors, i))->message, text) != NULL)
      return TRUE;
  return FALSE;
}

/* The broken ones are reported, the good one works; of two files with one name the first counts. */
static void
test_folders (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("holo-module-XXXXXX", NULL);
  g_autofree gchar *text = write_file (folder, "text.so", "no ELF\n");
  g_autofree gchar *shadow = write_file (folder, "module-no-entry.so", "no ELF either\n");
  g_autofree gchar *other = write_file (folder, "notes.txt", "not looked at\n");
  g_autofree gchar *path = g_strdup_printf ("%s:%s::%s/missing", folder, modules, folder);
  g_autofree gchar *hidden = get_path ("no-entry"), *missing = g_strdup_printf ("%s/missing", folder);
  g_autoptr (HoloRegistry) registry = holo_registry_new ();
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);

  g_assert_cmpuint (holo_registry_load_modules (registry, path, errors), ==, 1);
  g_assert_true (holo_registry_is_registered (registry, "ModuleSync"));
  g_assert_cmpuint (errors->len, ==, 6);
  g_assert_true (any_mentions (errors, text));
  g_assert_true (any_mentions (errors, shadow));
  g_assert_true (any_mentions (errors, "wrong-abi"));
  g_assert_true (any_mentions (errors, "refuses"));
  g_assert_true (any_mentions (errors, "unresolved"));
  g_assert_true (any_mentions (errors, missing));
  g_assert_false (any_mentions (errors, hidden));
  /* Nobody has to want the errors. */
  {
    g_autoptr (HoloRegistry) again = holo_registry_new ();

    g_assert_cmpuint (holo_registry_load_modules (again, path, NULL), ==, 1);
  }
  g_unlink (text);
  g_unlink (shadow);
  g_unlink (other);
  g_rmdir (folder);
}

/* The default registry loads what HOLOFLOW_MODULE_PATH names; broken modules are logged and end nothing,
 * although warnings are fatal in a test program. */
static void
test_default_registry (void)
{
  if (g_test_subprocess ())
    {
      g_setenv ("HOLOFLOW_MODULE_PATH", modules, TRUE);
      g_assert_true (holo_registry_is_registered (holo_registry_get_default (), "ModuleAsync"));
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*Warning: *module-wrong-abi.so*ABI version 1001*");
  g_test_trap_assert_stderr ("*Warning: *module-no-entry.so*holo_module_query()*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  modules = g_getenv ("HOLO_TEST_MODULES");
  if (modules == NULL)
    {
      g_test_message ("HOLO_TEST_MODULES does not name the folder of the test modules");
      return 77;
    }
  g_test_add_func ("/holo/module/good", test_good);
  g_test_add_func ("/holo/module/broken", test_broken);
  g_test_add_func ("/holo/module/twins", test_twins);
  g_test_add_func ("/holo/module/not-a-module", test_not_a_module);
  g_test_add_func ("/holo/module/folders", test_folders);
  g_test_add_func ("/holo/module/default-registry", test_default_registry);
  return g_test_run ();
}
