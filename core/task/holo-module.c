/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "task/holo-module.h"

#include <gmodule.h>
#include <string.h>

#include "base/holo-environment.h"
#include "base/holo-error.h"
#include "task/holo-task-private.h"

static gboolean
use_module (HoloRegistry *registry, GModule *module, const gchar *path, GError **error)
{
  HoloModuleQueryFunc query;
  const HoloModuleInfo *info;

  if (!g_module_symbol (module, "holo_module_query", (gpointer *) &query) || query == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_MODULE, "\"%s\" is not a task module: it has no function %s", path,
                   "holo_module_query()");
      return FALSE;
    }
  info = query ();
  if (info == NULL || info->abi_version != HOLO_MODULE_ABI_VERSION)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_MODULE,
                   "the task module \"%s\" is built for ABI version %u of the library, this one has version %d; build "
                   "it again",
                   path, info != NULL ? info->abi_version : 0, HOLO_MODULE_ABI_VERSION);
      return FALSE;
    }
  /* Before it registers anything: types and functions of a module are never unloaded. */
  g_module_make_resident (module);
  if (info->register_kinds (registry, error))
    return TRUE;
  g_prefix_error (error, "the task module \"%s\" (%s): ", path, info->name);
  return FALSE;
}

/**
 * holo_registry_load_module:
 * @registry: a registry
 * @path: a shared object
 * @error: return location
 *
 * Loads a task module (see %HOLO_MODULE_DEFINE) and lets it register its kinds and devices. What it
 * registered before it failed stays. Loading a file runs its code: take files from trusted folders only.
 *
 * Returns: %FALSE with an error that names the file and the reason, mostly %HOLO_ERROR_MODULE
 *
 * Since: 0.1
 */
gboolean
holo_registry_load_module (HoloRegistry *registry, const gchar *path, GError **error)
{
  GModule *module;
  gboolean ok;

  g_return_val_if_fail (HOLO_IS_REGISTRY (registry) && path != NULL, FALSE);

  module = g_module_open (path, G_MODULE_BIND_LOCAL);
  if (module == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_MODULE, "the task module \"%s\" cannot be loaded: %s", path,
                   g_module_error ());
      return FALSE;
    }
  ok = use_module (registry, module, path, error);
  g_module_close (module);
  return ok;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar *const *) a, *(const gchar *const *) b);
}

/* Sorted, so that which of two equal kinds wins does not depend on the file system. */
static GPtrArray *
list_files (const gchar *folder, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  GPtrArray *files;
  const gchar *name;

  if (dir == NULL)
    return NULL;
  files = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, "." G_MODULE_SUFFIX))
      g_ptr_array_add (files, g_strdup (name));
  g_ptr_array_sort (files, compare_names);
  return files;
}

static void
add_error (GPtrArray *errors, GError *error)
{
  if (errors != NULL)
    g_ptr_array_add (errors, error);
  else
    g_error_free (error);
}

static guint
load_folder (HoloRegistry *registry, const gchar *folder, gboolean must_exist, GPtrArray *errors)
{
  GError *error = NULL;
  g_autoptr (GPtrArray) files = NULL;
  guint n_loaded = 0;

  if (!must_exist && !g_file_test (folder, G_FILE_TEST_EXISTS))
    return 0;
  files = list_files (folder, &error);
  if (files == NULL)
    {
      add_error (errors, g_error_new (HOLO_ERROR, HOLO_ERROR_MODULE, "the module folder \"%s\" cannot be read: %s",
                                      folder, error->message));
      g_error_free (error);
      return 0;
    }
  for (guint i = 0; i < files->len; i++)
    {
      const gchar *name = g_ptr_array_index (files, i);
      g_autofree gchar *path = g_build_filename (folder, name, NULL);

      if (!_holo_registry_claim_module (registry, name))
        continue;
      if (holo_registry_load_module (registry, path, &error))
        n_loaded++;
      else
        add_error (errors, g_steal_pointer (&error));
    }
  return n_loaded;
}

static guint
load_path (HoloRegistry *registry, const gchar *search_path, GPtrArray *errors)
{
  g_auto (GStrv) folders = g_strsplit (search_path, G_SEARCHPATH_SEPARATOR_S, -1);
  guint n_loaded = 0;

  for (guint i = 0; folders[i] != NULL; i++)
    if (*folders[i] != '\0')
      n_loaded += load_folder (registry, folders[i], TRUE, errors);
  return n_loaded;
}

/**
 * holo_registry_load_modules:
 * @registry: a registry
 * @search_path: (nullable): folders as in PATH; %NULL for HOLOFLOW_MODULE_PATH and then the folder of the
 *   installation
 * @errors: (nullable) (element-type GError): gets an error for each module that fails; the others are loaded
 *   all the same
 *
 * Loads every shared object of the folders. Of files with the same name the first wins.
 *
 * Returns: how many were loaded
 *
 * Since: 0.1
 */
guint
holo_registry_load_modules (HoloRegistry *registry, const gchar *search_path, GPtrArray *errors)
{
  const gchar *from_environment;
  guint n_loaded = 0;

  g_return_val_if_fail (HOLO_IS_REGISTRY (registry), 0);

  if (search_path != NULL)
    return load_path (registry, search_path, errors);
  from_environment = holo_environment_get_module_path ();
  if (from_environment != NULL)
    n_loaded += load_path (registry, from_environment, errors);
  return n_loaded + load_folder (registry, HOLO_MODULE_DIR, FALSE, errors);
}
