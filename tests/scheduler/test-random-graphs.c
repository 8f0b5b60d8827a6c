/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random graphs, run in every way there is, against the interpreter. HOLO_TEST_SEED=n repeats graph n alone,
 * HOLO_TEST_GRAPHS
 * says how many. */
#include "hb-checker.h"
#include "model-run.h"
#include "random-model.h"
#include "sim-device.h"
#include "test-run.h"

#include <stdlib.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define N_GRAPHS 1000
#else
#define N_GRAPHS 10000
#endif

static guint n_refused, n_ended, n_resized;

/* The graph of @seed; FALSE when its sections go round in a circle. */
static gboolean
make_model (Model *model, guint seed, GPtrArray *frames[MODEL_MAX_NODES])
{
  random_model (model, seed);
  if (!model_find_sections (model))
    return FALSE;
  n_resized += model_make_runnable (model, frames);
  return TRUE;
}

static void
refuse_model (const Model *model, guint seed)
{
  g_autoptr (HoloGraph) graph = model_to_graph (model, FALSE, FALSE);
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (test_kinds_get_registry ());
  g_autoptr (HoloPlan) plan = NULL;
  g_autoptr (GError) error = NULL;

  plan = holo_compiler_compile (compiler, graph, NULL, &error);
  if (plan != NULL || !g_error_matches (error, HOLO_ERROR, HOLO_ERROR_GRAPH))
    g_error ("graph %u: a by-passed asynchronous node is not refused", seed);
  n_refused++;
}

static void
check_seed (guint seed)
{
  /* threads and hand drive on the host, one of the two on the simulated device, and an application's threads
   * */
  guint ways[] = { 0, MODEL_RUN_DRIVE, MODEL_RUN_DEVICE | (seed & 2 ? MODEL_RUN_DRIVE : 0),
                   MODEL_RUN_ENDS | (seed & 1 ? MODEL_RUN_DRIVE : 0) | (seed & 4 ? MODEL_RUN_DEVICE : 0) };
  g_autofree gchar *label = g_strdup_printf ("graph %u", seed);
  GPtrArray *frames[MODEL_MAX_NODES];
  Model model;

  if (!make_model (&model, seed, frames))
    {
      refuse_model (&model, seed);
      return;
    }
  if (g_test_verbose ())
    {
      g_autofree gchar *text = model_to_text (&model);

      g_test_message ("graph %u\n%s", seed, text);
    }
  sim_device_set_delays (SIM_DEVICE (model_run_get_device ()), seed, seed % 4 == 0 ? 200 : 0);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    model_run (&model, label, ways[i] | (((seed >> 2) + i) & 1 ? MODEL_RUN_NO_SHARING : 0), frames);
  for (guint i = 0; i < model.n_nodes; i++)
    g_ptr_array_unref (frames[i]);
  n_ended++;
}

/* Threads that push and drive in turn, with pauses where one leaves a section to the other. */
static void
test_drivers (void)
{
  for (guint seed = 30000; seed < 30000 + N_GRAPHS / 25; seed++)
    {
      g_autofree gchar *label = g_strdup_printf ("graph %u", seed);
      GPtrArray *frames[MODEL_MAX_NODES];
      Model model;

      if (!make_model (&model, seed, frames))
        continue;
      hb_checker_set_pauses (1u << HOLO_RUNTIME_PAUSE_HAND_OVER, 400, 200, seed);
      model_run (&model, label, MODEL_RUN_ENDS | MODEL_RUN_DRIVE, frames);
      for (guint i = 0; i < model.n_nodes; i++)
        g_ptr_array_unref (frames[i]);
    }
  hb_checker_set_pauses (0, 0, 0, 0);
}

/* Pauses at one kind of place: lost wakes and ends that overtake frames would show here. */
static void
test_pauses (gconstpointer data)
{
  guint place = GPOINTER_TO_UINT (data), n_graphs = N_GRAPHS / 40;

  for (guint seed = 0; seed < n_graphs; seed++)
    {
      hb_checker_set_pauses (1u << place, 300, 300, seed);
      check_seed (20000 + place * n_graphs + seed);
    }
  hb_checker_set_pauses (0, 0, 0, 0);
}

static guint
number_from (const gchar *variable, guint otherwise)
{
  const gchar *text = g_getenv (variable);

  return text != NULL ? (guint) strtoul (text, NULL, 10) : otherwise;
}

static void
test_graphs (gconstpointer data)
{
  guint part = GPOINTER_TO_UINT (data), n_graphs = number_from ("HOLO_TEST_GRAPHS", N_GRAPHS);

  if (g_getenv ("HOLO_TEST_SEED") != NULL)
    {
      if (part == 0)
        check_seed (number_from ("HOLO_TEST_SEED", 0));
      return;
    }
  for (guint seed = part; seed < n_graphs; seed += 10)
    check_seed (seed);
  g_test_message ("%u graphs so far equal, %u refused, %u got more room", n_ended, n_refused, n_resized);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  model_run_start ();
  for (guint part = 0; part < 10; part++)
    {
      g_autofree gchar *path = g_strdup_printf ("/random-graphs/%u", part);

      g_test_add_data_func (path, GUINT_TO_POINTER (part), test_graphs);
    }
  g_test_add_data_func ("/random-graphs/pauses/before-sleep", GUINT_TO_POINTER (HOLO_RUNTIME_PAUSE_BEFORE_SLEEP),
                        test_pauses);
  g_test_add_data_func ("/random-graphs/pauses/before-call", GUINT_TO_POINTER (HOLO_RUNTIME_PAUSE_BEFORE_CALL),
                        test_pauses);
  g_test_add_data_func ("/random-graphs/pauses/hand-over", GUINT_TO_POINTER (HOLO_RUNTIME_PAUSE_HAND_OVER),
                        test_pauses);
  g_test_add_func ("/random-graphs/pauses/drivers", test_drivers);
  status = g_test_run ();
  model_run_stop ();
  return status;
}
