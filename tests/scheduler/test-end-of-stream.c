/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The matrix of end of stream: every topology, every node that may end first, every phase in which it may,
 * in every way a
 * graph is run. */
#include "model-run.h"

#include <string.h>

#define N_FRAMES 12
#define NEVER    1000
#define NONE     G_MAXUINT

static guint
add (Model *model, ModelKind kind, gint64 number, guint a, guint b)
{
  ModelNode *node = &model->nodes[model->n_nodes];
  guint inputs[] = { a, b };

  node->id = model->n_nodes;
  node->kind = kind;
  node->number = number;
  node->capacity = kind == MODEL_BRIDGE ? 1 : 2;
  node->rank = 1;
  node->shape[0] = 3;
  node->on_device = kind != MODEL_SOURCE && kind != MODEL_COLLECT && kind != MODEL_BRIDGE;
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    if (inputs[i] != NONE)
      {
        node->inputs[node->n_inputs++] = inputs[i];
        node->rank = model->nodes[a].rank;
        memcpy (node->shape, model->nodes[a].shape, sizeof node->shape);
      }
  if (kind == MODEL_BATCH)
    {
      memmove (&node->shape[1], &node->shape[0], node->rank * sizeof *node->shape);
      node->shape[0] = (guint) number;
      node->rank++;
    }
  return model->n_nodes++;
}

static guint
add_source (Model *model)
{
  return add (model, MODEL_SOURCE, N_FRAMES, NONE, NONE);
}

/* A node that passes frames and may be told to end. */
static guint
add_pass (Model *model, guint input)
{
  return add (model, MODEL_END_AT, NEVER, input, NONE);
}

static void
make_single_section (Model *model)
{
  guint pass = add_pass (model, add_source (model));

  add (model, MODEL_COLLECT, 0, add_pass (model, pass), NONE);
}

static void
make_fan_out (Model *model)
{
  guint source = add_source (model);

  add (model, MODEL_COLLECT, 0, add_pass (model, source), NONE);
  add (model, MODEL_COLLECT, 0, add_pass (model, source), NONE);
}

static void
make_chain (Model *model)
{
  guint queue = add (model, MODEL_QUEUE, 0, add_pass (model, add_source (model)), NONE);
  guint next = add (model, MODEL_QUEUE, 3, add_pass (model, queue), NONE);

  add (model, MODEL_COLLECT, 0, add_pass (model, next), NONE);
}

static void
make_owned_chain (Model *model)
{
  guint queue = add (model, MODEL_QUEUE, 1, add_pass (model, add_source (model)), NONE);
  guint next = add (model, MODEL_BRIDGE, 2, add_pass (model, queue), NONE);

  add (model, MODEL_COLLECT, 0, add_pass (model, next), NONE);
}

static void
make_neighbours (Model *model)
{
  guint queue = add (model, MODEL_QUEUE, 3, add_source (model), NONE);

  queue = add (model, MODEL_QUEUE, 1, queue, NONE);
  queue = add (model, MODEL_QUEUE, 2, queue, NONE);
  add (model, MODEL_COLLECT, 0, queue, NONE);
}

static void
make_join (Model *model)
{
  guint left = add (model, MODEL_QUEUE, 0, add_pass (model, add_source (model)), NONE);
  guint right = add (model, MODEL_QUEUE, 1, add_pass (model, add_source (model)), NONE);

  add (model, MODEL_COLLECT, 0, add_pass (model, add (model, MODEL_ADD, 0, left, right)), NONE);
}

static void
make_join_and_rest (Model *model)
{
  guint left = add (model, MODEL_QUEUE, 1, add_source (model), NONE);
  guint right = add (model, MODEL_QUEUE, 2, add_source (model), NONE);

  add (model, MODEL_COLLECT, 0, add (model, MODEL_ADD, 0, add_pass (model, left), right), NONE);
  add (model, MODEL_COLLECT, 0, add_pass (model, right), NONE);
}

static void
make_diamond (Model *model)
{
  guint source = add_source (model);
  guint left = add (model, MODEL_QUEUE, 3, add_pass (model, source), NONE);
  guint right = add (model, MODEL_QUEUE, 1, add_pass (model, source), NONE);

  add (model, MODEL_COLLECT, 0, add (model, MODEL_ADD, 0, add_pass (model, left), right), NONE);
}

static void
make_fork (Model *model)
{
  guint source = add_source (model);
  guint left = add (model, MODEL_QUEUE, 0, source, NONE);
  guint right = add (model, MODEL_QUEUE, 1, source, NONE);

  add (model, MODEL_COLLECT, 0, add_pass (model, left), NONE);
  add (model, MODEL_COLLECT, 0, add_pass (model, right), NONE);
}

static void
make_batches (Model *model)
{
  guint batch = add (model, MODEL_BATCH, 5, add_pass (model, add_source (model)), NONE);
  guint queue = add (model, MODEL_QUEUE, 1, add_pass (model, batch), NONE);

  add (model, MODEL_COLLECT, 0, add_pass (model, queue), NONE);
}

static void
make_batch_join (Model *model)
{
  guint source = add_source (model);
  guint batch = add (model, MODEL_BATCH, 1, add_pass (model, source), NONE);
  guint queue = add (model, MODEL_QUEUE, 1, source, NONE);
  guint other = add (model, MODEL_BATCH, 1, queue, NONE);

  add (model, MODEL_COLLECT, 0, add (model, MODEL_ADD, 0, batch, add_pass (model, other)), NONE);
}

static const struct
{
  const gchar *name;
  void (*make) (Model *model);
} topologies[] = {
  { "single-section", make_single_section },
  { "fan-out", make_fan_out },
  { "chain", make_chain },
  { "owned-chain", make_owned_chain },
  { "neighbours", make_neighbours },
  { "join", make_join },
  { "join-and-rest", make_join_and_rest },
  { "diamond", make_diamond },
  { "fork", make_fork },
  { "batches", make_batches },
  { "batch-join", make_batch_join },
};

static void
run_all_ways (Model *model, const gchar *label)
{
  GPtrArray *frames[MODEL_MAX_NODES];

  g_assert_true (model_find_sections (model));
  model_make_runnable (model, frames);
  for (guint way = 0; way < 4; way++)
    {
      model_run (model, label, way, frames);
      model_run (model, label, way | MODEL_RUN_ENDS, frames);
    }
  for (guint i = 0; i < model->n_nodes; i++)
    g_ptr_array_unref (frames[i]);
}

/* Lets @node end in @phase: before the first frame, in the middle, with or around the source's last frame.
 * FALSE: not here. */
static gboolean
set_end (ModelNode *node, guint phase)
{
  static const guint frames[] = { 0, 1, 5, N_FRAMES - 1, N_FRAMES, N_FRAMES + 1 };

  switch (node->kind)
    {
    case MODEL_SOURCE:
    case MODEL_END_AT:
      node->number = frames[phase];
      return TRUE;
    case MODEL_COLLECT:
      node->number = frames[phase];
      return frames[phase] > 0;
    case MODEL_QUEUE:
      node->limit = frames[phase];
      return frames[phase] > 0;
    default:
      return FALSE;
    }
}

static void
test_topology (gconstpointer data)
{
  guint index = GPOINTER_TO_UINT (data), n_cases = 0;
  Model plain = { 0 };

  topologies[index].make (&plain);
  {
    Model model = plain;

    run_all_ways (&model, topologies[index].name);
  }
  for (guint node = 0; node < plain.n_nodes; node++)
    for (guint phase = 0; phase < 6; phase++)
      {
        g_autofree gchar *label = g_strdup_printf ("%s, node %u, phase %u", topologies[index].name, node, phase);
        Model model = plain;

        if (!set_end (&model.nodes[node], phase))
          continue;
        run_all_ways (&model, label);
        n_cases++;
      }
  g_assert_cmpuint (n_cases, >, 10);
}

/* A source without an end, whose readers end: the run must end with them. */
static void
test_endless_source (gconstpointer data)
{
  guint index = GPOINTER_TO_UINT (data);
  Model model = { 0 };

  topologies[index].make (&model);
  for (guint i = 0; i < model.n_nodes; i++)
    {
      if (model.nodes[i].kind == MODEL_SOURCE)
        model.nodes[i].number = -1;
      if (model.nodes[i].kind == MODEL_COLLECT)
        model.nodes[i].number = 3 + i;
    }
  run_all_ways (&model, topologies[index].name);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  model_run_start ();
  for (guint i = 0; i < G_N_ELEMENTS (topologies); i++)
    {
      g_autofree gchar *path = g_strdup_printf ("/end-of-stream/%s", topologies[i].name);
      g_autofree gchar *endless = g_strdup_printf ("/end-of-stream/%s/endless-source", topologies[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_topology);
      g_test_add_data_func (endless, GUINT_TO_POINTER (i), test_endless_source);
    }
  status = g_test_run ();
  model_run_stop ();
  return status;
}
