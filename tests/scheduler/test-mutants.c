/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the model with operations is worth: the runtime is made to commit a fault, and test-operations has to find it within
 * 2,000 graphs. Five faults, or with HOLO_TEST_MUTANTS=all every one; HOLO_TEST_MUTANTS=n that one alone. */
#include <glib.h>
#include <stdlib.h>

#include "device/holo-runtime-hooks.h"

#define N_GRAPHS       "2000"
#define N_SOUND_GRAPHS "60" /* some that pass without a fault: failures are the fault's */

static const HoloRuntimeMutant usual[] = { HOLO_RUNTIME_MUTANT_SKIP_FOLD, HOLO_RUNTIME_MUTANT_LOSE_PENDING,
                                           HOLO_RUNTIME_MUTANT_FORGET_ENDED, HOLO_RUNTIME_MUTANT_SKIP_RESET,
                                           HOLO_RUNTIME_MUTANT_DRAIN_FINISHES };

static const gchar *program;

static gboolean
run_with (guint mutant, const gchar *n_graphs)
{
  g_autofree gchar *number = g_strdup_printf ("%u", mutant);
  g_auto (GStrv) environment = g_get_environ ();
  const gchar *arguments[] = { program, NULL };
  g_autoptr (GError) error = NULL;
  g_autofree gchar *output = NULL;
  gint status;

  environment = g_environ_setenv (environment, "HOLO_TEST_MUTANT", number, TRUE);
  environment = g_environ_setenv (environment, "HOLO_TEST_GRAPHS", n_graphs, TRUE);
  g_spawn_sync (NULL, (gchar **) arguments, environment, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output, NULL, &status,
                &error);
  g_assert_no_error (error);
  return g_spawn_check_wait_status (status, NULL);
}

static void
test_sound (void)
{
  g_assert_true (run_with (HOLO_RUNTIME_MUTANT_NONE, N_SOUND_GRAPHS));
}

static void
test_mutant (gconstpointer user_data)
{
  guint mutant = GPOINTER_TO_UINT (user_data);

  if (run_with (mutant, N_GRAPHS))
    g_error ("fault %u was not found within " N_GRAPHS " graphs", mutant);
}

static void
add (guint mutant)
{
  g_autofree gchar *path = g_strdup_printf ("/mutants/%u", mutant);

  g_test_add_data_func (path, GUINT_TO_POINTER (mutant), test_mutant);
}

int
main (int argc, char **argv)
{
  const gchar *wish = g_getenv ("HOLO_TEST_MUTANTS");
  g_autofree gchar *folder = NULL, *path = NULL;

  g_test_init (&argc, &argv, NULL);
  folder = g_path_get_dirname (argv[0]);
  program = path = g_build_filename (folder, "test-operations", NULL);
  g_test_add_func ("/mutants/none", test_sound);
  if (wish != NULL && g_ascii_isdigit (*wish))
    add ((guint) strtoul (wish, NULL, 10));
  else if (wish != NULL)
    for (guint i = HOLO_RUNTIME_MUTANT_NONE + 1; i < HOLO_RUNTIME_N_MUTANTS; i++)
      add (i);
  else
    for (guint i = 0; i < G_N_ELEMENTS (usual); i++)
      add (usual[i]);
  return g_test_run ();
}
