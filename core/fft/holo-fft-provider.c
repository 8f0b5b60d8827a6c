/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "fft/holo-fft-private.h"
#include "base/holo-environment.h"
#include "base/holo-error.h"

/* Providers live for ever: plans point to them, and modules stay loaded. */
static GMutex lock;
static GPtrArray *providers; /* under lock; the built-in one is first */

static GPtrArray *
get_providers_locked (void)
{
  if (providers == NULL)
    {
      providers = g_ptr_array_new ();
      g_ptr_array_add (providers, (gpointer) &_holo_fft_kiss);
    }
  return providers;
}

static const HoloFftProvider *
find_locked (const gchar *name)
{
  GPtrArray *all = get_providers_locked ();

  for (guint i = 0; i < all->len; i++)
    {
      const HoloFftProvider *provider = g_ptr_array_index (all, i);

      if (g_str_equal (provider->name, name))
        return provider;
    }
  return NULL;
}

/**
 * holo_fft_register_provider:
 * @provider: a static structure
 * @error: return location
 *
 * Adds a provider for plans made from now on. A module may be asked to register with several registries: the
 * same provider again is fine.
 *
 * Returns: %FALSE with %HOLO_ERROR_EXISTS when another provider has the name
 *
 * Since: 0.1
 */
gboolean
holo_fft_register_provider (const HoloFftProvider *provider, GError **error)
{
  const HoloFftProvider *known;

  g_mutex_lock (&lock);
  known = find_locked (provider->name);
  if (known == NULL)
    g_ptr_array_add (get_providers_locked (), (gpointer) provider);
  g_mutex_unlock (&lock);
  if (known == NULL || known == provider)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS, "there is already an FFT provider \"%s\"", provider->name);
  return FALSE;
}

/**
 * holo_fft_list_providers:
 *
 * Returns: (transfer container) (element-type HoloFftProvider): what is there now
 *
 * Since: 0.1
 */
GPtrArray *
holo_fft_list_providers (void)
{
  GPtrArray *list;

  g_mutex_lock (&lock);
  list = g_ptr_array_copy (get_providers_locked (), NULL, NULL);
  g_mutex_unlock (&lock);
  return list;
}

static void
set_unknown (const gchar *name, GError **error)
{
  g_autoptr (GPtrArray) list = holo_fft_list_providers ();
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < list->len; i++)
    g_string_append_printf (names, "%s\"%s\"", i > 0 ? ", " : "",
                            ((const HoloFftProvider *) g_ptr_array_index (list, i))->name);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_MODULE,
               "HOLOFLOW_FFT asks for FFT provider \"%s\", but there is only %s; unset it, or install the module "
               "that provides it (HOLOFLOW_MODULE_PATH names further folders)",
               name, names->str);
}

/**
 * holo_fft_get_provider:
 * @error: return location
 *
 * Returns: (transfer none) (nullable): the provider that new plans use: the one HOLOFLOW_FFT names, otherwise
 *   the one with the highest priority
 *
 * Since: 0.1
 */
const HoloFftProvider *
holo_fft_get_provider (GError **error)
{
  const gchar *name = holo_environment_get_fft ();
  const HoloFftProvider *best = NULL;

  g_mutex_lock (&lock);
  if (name != NULL && *name != '\0')
    best = find_locked (name);
  else
    for (guint i = 0; i < get_providers_locked ()->len; i++)
      {
        const HoloFftProvider *provider = g_ptr_array_index (providers, i);

        if (best == NULL || provider->priority > best->priority)
          best = provider;
      }
  g_mutex_unlock (&lock);
  if (best == NULL)
    set_unknown (name, error);
  return best;
}
