/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A locale whose numbers have a decimal comma, made for the test where none is installed. */
#pragma once

#include <glib.h>
#include <glib/gstdio.h>

#include <locale.h>
#include <stdlib.h>

static inline gboolean
comma_locale_set (const gchar *name)
{
  if (setlocale (LC_ALL, name) == NULL)
    return FALSE;
  if (strtod ("1,5", NULL) == 1.5)
    return TRUE;
  setlocale (LC_ALL, "C");
  return FALSE;
}

static inline void
comma_locale_remove (const gchar *folder)
{
  const gchar *const argv[] = { "rm", "-rf", "--", folder, NULL };

  g_spawn_sync (NULL, (gchar **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
}

/* Runs @func under such a locale; the test is skipped when there is none and none can be made. */
static inline void
comma_locale_run (void (*func) (void))
{
  g_autofree gchar *folder = g_dir_make_tmp ("holo-locale-XXXXXX", NULL);
  g_autofree gchar *compiled = g_build_filename (folder, "de_DE.UTF-8", NULL);
  const gchar *const argv[] = { "localedef", "-i", "de_DE", "-f", "UTF-8", compiled, NULL };
  gboolean found = comma_locale_set ("de_DE.UTF-8") || comma_locale_set ("fr_FR.UTF-8");

  if (!found && g_spawn_sync (NULL, (gchar **) argv, NULL,
                              G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                              NULL, NULL, NULL, NULL))
    {
      g_setenv ("LOCPATH", folder, TRUE);
      found = comma_locale_set ("de_DE.UTF-8");
    }
  if (found)
    func ();
  else
    g_test_skip ("no locale with a decimal comma is installed, and none can be made");
  setlocale (LC_ALL, "C");
  g_unsetenv ("LOCPATH");
  comma_locale_remove (folder);
}
