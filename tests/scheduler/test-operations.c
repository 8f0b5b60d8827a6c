/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random graphs, with operations while they run, against a replay of their log. HOLO_TEST_SEED=n repeats graph n alone,
 * HOLO_TEST_GRAPHS says how many: nine of ten from one thread, the tenth by threads. */
#include "model-operations.h"

#include <stdlib.h>

#include "device/holo-runtime-hooks.h"
#include "test-run.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define N_GRAPHS 100
#else
#define N_GRAPHS 500
#endif

static guint
number_from (const gchar *variable, guint otherwise)
{
  const gchar *text = g_getenv (variable);

  return text != NULL ? (guint) strtoul (text, NULL, 10) : otherwise;
}

/* What comes of a drain depends on whether its readers are driven in time: on a busy machine they may not be. */
static gboolean
are_alike (guint seed, guint way)
{
  for (guint tries = 0; tries < 3; tries++)
    if (operations_run (seed, way | OPERATIONS_PATIENT) == operations_run (seed, way | OPERATIONS_PATIENT))
      return TRUE;
  return FALSE;
}

static void
check_seed (guint seed)
{
  guint way = seed % 3 == 2 ? OPERATIONS_DEVICE : 0;

  operations_run (seed, way);
  if (seed % 25 == 0 && !are_alike (seed, way))
    g_error ("graph %u: two runs are not alike", seed);
}

static void
test_one_thread (gconstpointer data)
{
  guint part = GPOINTER_TO_UINT (data), n_graphs = number_from ("HOLO_TEST_GRAPHS", N_GRAPHS);

  if (g_getenv ("HOLO_TEST_SEED") != NULL)
    {
      if (part == 0)
        check_seed (number_from ("HOLO_TEST_SEED", 0));
      return;
    }
  for (guint seed = part; seed < n_graphs / 10 * 9; seed += 10)
    check_seed (seed);
}

static void
check_threads (guint seed)
{
  operations_run_threads (seed, (seed % 4 == 3 ? OPERATIONS_DEVICE : 0) | (seed % 5 == 4 ? OPERATIONS_LEAKY : 0));
}

static void
test_threads (gconstpointer data)
{
  guint part = GPOINTER_TO_UINT (data), n_graphs = number_from ("HOLO_TEST_GRAPHS", N_GRAPHS) / 10;

  if (g_getenv ("HOLO_TEST_SEED") != NULL)
    {
      if (part == 0)
        check_threads (number_from ("HOLO_TEST_SEED", 0));
      return;
    }
  for (guint seed = part; seed < n_graphs; seed += 10)
    check_threads (seed);
}

/* All that an operation can meet has been met. */
static void
test_states (void)
{
  static const gchar *const names[] = {
    "half a join", "a frame that came back",   "a frame kept",   "a window out", "a slot held",
    "a drain",     "an update within a flush", "an ended branch"
  };
  guint n_missing = 0;

  G_STATIC_ASSERT (G_N_ELEMENTS (names) == HOLO_RUNTIME_N_STATES);
  if (g_getenv ("HOLO_TEST_SEED") != NULL)
    return;
  for (guint i = 0; i < HOLO_RUNTIME_N_STATES; i++)
    {
      guint64 n = holo_runtime_get_state_count ((HoloRuntimeState) i);

      g_test_message ("%s: %" G_GUINT64_FORMAT, names[i], n);
      n_missing += n == 0;
    }
  g_assert_cmpuint (n_missing, ==, 0);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  holo_runtime_set_mutant ((HoloRuntimeMutant) number_from ("HOLO_TEST_MUTANT", HOLO_RUNTIME_MUTANT_NONE));
  operations_start ();
  for (guint part = 0; part < 10; part++)
    {
      g_autofree gchar *path = g_strdup_printf ("/operations/one-thread/%u", part);

      g_test_add_data_func (path, GUINT_TO_POINTER (part), test_one_thread);
    }
  for (guint part = 0; part < 10; part++)
    {
      g_autofree gchar *path = g_strdup_printf ("/operations/threads/%u", part);

      g_test_add_data_func (path, GUINT_TO_POINTER (part), test_threads);
    }
  g_test_add_func ("/operations/met/states", test_states);
  status = g_test_run ();
  operations_stop ();
  return status;
}
