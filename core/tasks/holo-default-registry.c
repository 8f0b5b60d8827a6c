/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The registry with everything that there is. */
#include "tasks/holo-builtin-kinds.h"

/**
 * holo_registry_add_builtin:
 * @registry: a registry
 *
 * Registers the kinds of the library. One that cannot be registered (its name is taken) is logged and left
 * out.
 *
 * Since: 0.1
 */
void
holo_registry_add_builtin (HoloRegistry *registry)
{
  for (const HoloKindRegisterFunc *func = holo_builtin_kinds_get (); *func != NULL; func++)
    {
      g_autoptr (GError) error = NULL;

      if (!(*func) (registry, &error))
        g_message ("Warning: a built-in kind is not available: %s", error->message);
    }
}

static gpointer
make_default (gpointer data)
{
  HoloRegistry *registry = holo_registry_new ();
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);

  holo_registry_add_builtin (registry);
  holo_registry_load_modules (registry, NULL, errors);
  /* A message, not a warning: somebody else's broken file must not end a program that makes warnings fatal. */
  for (guint i = 0; i < errors->len; i++)
    g_message ("Warning: %s", ((const GError *) g_ptr_array_index (errors, i))->message);
  return registry;
}

/**
 * holo_registry_get_default:
 *
 * Returns: (transfer none): the registry of the process, with the built-in kinds and those of the modules
 *   found in HOLOFLOW_MODULE_PATH and in the module folder of the installation. Modules that fail are logged.
 *
 * Since: 0.1
 */
HoloRegistry *
holo_registry_get_default (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, make_default, NULL);
}
