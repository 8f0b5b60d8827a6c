/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "model-run.h"

#include "hb-checker.h"
#include "model-ends.h"
#include "random-model.h"
#include "sim-device.h"
#include "test-run.h"

static HoloDevice *simulated;

/* Gives @model the room it needs and an end; afterwards @frames holds what it collects. */
guint
model_make_runnable (Model *model, GPtrArray *frames[MODEL_MAX_NODES])
{
  InterpreterResult result;
  guint n_resized = 0;

  while ((result = interpreter_run (model, frames)) != INTERPRETER_ENDED)
    {
      for (guint i = 0; i < model->n_nodes; i++)
        {
          ModelNode *node = &model->nodes[i];

          g_ptr_array_unref (frames[i]);
          if (result == INTERPRETER_ENDLESS && node->kind == MODEL_SOURCE && node->number < 0)
            node->number = 15;
          if (result == INTERPRETER_STUCK && node->kind == MODEL_BRIDGE)
            node->kind = MODEL_QUEUE;
          if (result == INTERPRETER_STUCK)
            node->capacity *= 2;
        }
      n_resized = 1;
    }
  /* room for the windows that the interpreter holds, one being read and one in the making */
  for (guint i = 0; i < model->n_nodes; i++)
    if (model->nodes[i].kind == MODEL_WINDOW)
      model->nodes[i].room = (model->nodes[i].capacity + 2) * (model->nodes[i].limit + (guint) model->nodes[i].number);
  return n_resized;
}

static gchar *
describe (const Model *model, const gchar *label, guint way, const gchar *what)
{
  g_autofree gchar *text = model_to_text (model);

  return g_strdup_printf ("%s, %s%s%s%s: %s\n%s", label, way & MODEL_RUN_DEVICE ? "simulated device" : "host",
                          way & MODEL_RUN_DRIVE ? ", driven from outside" : "",
                          way & MODEL_RUN_ENDS ? ", by Inputs and Outputs" : "",
                          way & MODEL_RUN_NO_SHARING ? ", no storage shared" : "", what, text);
}

static void
fail (const Model *model, const gchar *label, guint way, const gchar *what)
{
  g_autofree gchar *text = describe (model, label, way, what);

  g_error ("%s", text);
}

/* In = out + discarded, for an asynchronous node. */
static void
check_balance (const Model *model, guint index, const gchar *label, guint way, HoloScheduler *scheduler,
               const gchar *name)
{
  const ModelNode *node = &model->nodes[index];
  guint in_size = 1, out_size = 1;
  HoloNodeStatistics statistics;

  if (node->kind == MODEL_BATCH)
    out_size = (guint) node->number;
  if (node->kind == MODEL_WINDOW)
    {
      in_size = model->nodes[node->inputs[0]].shape[0];
      out_size = (guint) node->number;
      /* an element that comes out twice is counted once: not to be seen in these numbers */
      if (node->limit < node->number)
        return;
    }
  test_node_statistics (scheduler, name, &statistics);
  if (statistics.push.calls * in_size != statistics.pop.calls * out_size + statistics.discarded)
    {
      g_autofree gchar *what = g_strdup_printf (
          "%s took %" G_GUINT64_FORMAT " frames, gave %" G_GUINT64_FORMAT " and discarded %" G_GUINT64_FORMAT, name,
          statistics.push.calls, statistics.pop.calls, statistics.discarded);

      fail (model, label, way, what);
    }
}

static void
compare_ends (const Model *model, const gchar *label, guint way, GPtrArray *found[MODEL_MAX_NODES],
              GPtrArray *frames[MODEL_MAX_NODES])
{
  for (guint i = 0; i < model->n_nodes; i++)
    {
      g_autofree gchar *what = NULL;

      if (model->nodes[i].kind != MODEL_COLLECT)
        continue;
      if (found[i]->len != frames[i]->len)
        what = g_strdup_printf ("n%02u gave %u frames, not %u", i, found[i]->len, frames[i]->len);
      for (guint n = 0; what == NULL && n < frames[i]->len; n++)
        {
          GArray *a = g_ptr_array_index (found[i], n), *b = g_ptr_array_index (frames[i], n);

          for (guint k = 0; k < MAX (a->len, b->len); k++)
            if (a->len != b->len || g_array_index (a, gfloat, k) != g_array_index (b, gfloat, k))
              what = g_strdup_printf ("n%02u, frame %u, element %u is wrong", i, n, k);
        }
      if (what != NULL)
        fail (model, label, way, what);
    }
}

static void
compare (const Model *model, const gchar *label, guint way, HoloScheduler *scheduler, HoloPlan *plan,
         GPtrArray *frames[MODEL_MAX_NODES])
{
  for (guint i = 0; i < model->n_nodes; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("n%02u", i);
      HoloTask *task = test_task (plan, name);

      if (model_is_async (model->nodes[i].kind))
        check_balance (model, i, label, way, scheduler, name);
      if (model->nodes[i].kind != MODEL_COLLECT)
        continue;
      if (test_collect_get_n_frames (task) != frames[i]->len)
        {
          g_autofree gchar *what =
              g_strdup_printf ("%s has %u frames, not %u", name, test_collect_get_n_frames (task), frames[i]->len);
          fail (model, label, way, what);
        }
      for (guint n = 0; n < frames[i]->len; n++)
        {
          guint length;
          const gfloat *found = test_collect_get_frame (task, n, &length);
          GArray *expected = g_ptr_array_index (frames[i], n);

          for (guint k = 0; k < MAX (length, expected->len); k++)
            if (length != expected->len || found[k] != g_array_index (expected, gfloat, k))
              {
                g_autofree gchar *what = g_strdup_printf ("%s, frame %u, element %u is wrong", name, n, k);

                fail (model, label, way, what);
              }
        }
    }
}

static HoloDriving
get_driving (guint way)
{
  if (!(way & MODEL_RUN_DRIVE))
    return HOLO_DRIVING_THREADS;
  return way & MODEL_RUN_ENDS ? HOLO_DRIVING_INPUTS : HOLO_DRIVING_CALLER;
}

void
model_run (const Model *model, const gchar *label, guint way, GPtrArray *frames[MODEL_MAX_NODES])
{
  g_autoptr (HoloGraph) graph = model_to_graph (model, way & MODEL_RUN_DEVICE, way & MODEL_RUN_ENDS);
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (test_kinds_get_registry ());
  g_autoptr (HoloScheduler) scheduler = NULL;
  g_autofree gchar *watchdog_text = NULL;
  GPtrArray *found[MODEL_MAX_NODES] = { NULL };
  g_autoptr (HoloPlan) plan = NULL;
  g_autoptr (GError) error = NULL;

  if (way & MODEL_RUN_DEVICE)
    holo_compiler_set_device (compiler, simulated);
  holo_compiler_set_storage_sharing (compiler, !(way & MODEL_RUN_NO_SHARING));
  plan = holo_compiler_compile (compiler, graph, NULL, &error);
  if (plan == NULL)
    fail (model, label, way, error->message);
  hb_checker_reset ();
  if (hb_checker_is_active ())
    hb_checker_add_plan (plan);
  scheduler = holo_scheduler_new (plan);
  holo_scheduler_set_driving (scheduler, get_driving (way));
  watchdog_text = describe (model, label, way, "time is over");
  test_watchdog_label (watchdog_text);
  hb_checker_set_context (watchdog_text);
  test_watchdog (20);
  if (!holo_scheduler_start (scheduler, &error))
    fail (model, label, way, error->message);
  if (way & MODEL_RUN_ENDS)
    model_ends_run (model, scheduler, found);
  else if (way & MODEL_RUN_DRIVE && !test_drive (scheduler, &error))
    fail (model, label, way, error != NULL ? error->message : "no section can go on");
  if (!holo_scheduler_wait (scheduler, &error))
    fail (model, label, way, error->message);
  test_watchdog (0);
  hb_checker_set_context (NULL);
  if (way & MODEL_RUN_ENDS)
    compare_ends (model, label, way, found, frames);
  else
    compare (model, label, way, scheduler, plan, frames);
  for (guint i = 0; way & MODEL_RUN_ENDS && i < model->n_nodes; i++)
    g_clear_pointer (&found[i], g_ptr_array_unref);
}

void
model_run_start (void)
{
  simulated = sim_device_new (1, 0);
  hb_checker_start ();
}

void
model_run_stop (void)
{
  hb_checker_stop ();
  g_clear_object (&simulated);
}

HoloDevice *
model_run_get_device (void)
{
  return simulated;
}
