/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "random-model.h"

#include <string.h>

#define MAX_NODES 16

static gint
roll (GRand *rand, gint from, gint to)
{
  return g_rand_int_range (rand, from, to + 1);
}

static ModelNode *
add_node (Model *model, ModelKind kind, gint64 number)
{
  ModelNode *node = &model->nodes[model->n_nodes++];

  node->kind = kind;
  node->number = number;
  return node;
}

static void
add_input (Model *model, ModelNode *node, guint input)
{
  node->inputs[node->n_inputs++] = input;
  node->rank = model->nodes[input].rank;
  memcpy (node->shape, model->nodes[input].shape, sizeof node->shape);
}

static gboolean
same_shape (const ModelNode *a, const ModelNode *b)
{
  return a->rank == b->rank && memcmp (a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

/* A node that has outputs: mostly one that nobody reads yet. */
static guint
choose_input (const Model *model, const guint *n_readers, GRand *rand)
{
  for (guint tries = 0;; tries++)
    {
      guint i = (guint) roll (rand, 0, (gint) model->n_nodes - 1);

      if (n_readers[i] == 0 || tries > 4 || roll (rand, 0, 3) == 0)
        return i;
    }
}

static void
add_source (Model *model, GRand *rand)
{
  ModelNode *node = add_node (model, MODEL_SOURCE, roll (rand, 0, 7) == 0 ? -1 : roll (rand, 0, 24));

  node->rank = 1;
  node->shape[0] = (guint) roll (rand, 1, 4);
}

static void
add_async (Model *model, GRand *rand, guint input)
{
  static const ModelKind kinds[] = { MODEL_BRIDGE, MODEL_QUEUE, MODEL_QUEUE, MODEL_QUEUE,
                                     MODEL_QUEUE,  MODEL_BATCH, MODEL_WINDOW };
  ModelKind kind = kinds[roll (rand, 0, G_N_ELEMENTS (kinds) - 1)];
  ModelNode *node;

  if (kind == MODEL_BATCH && model->nodes[input].rank == MODEL_MAX_RANK)
    kind = MODEL_QUEUE;
  /* a stream of nothing has no elements to regroup */
  if (kind == MODEL_WINDOW && model_count (&model->nodes[input]) == 0)
    kind = MODEL_QUEUE;
  node = add_node (model, kind, kind >= MODEL_BATCH ? roll (rand, 1, 4) : roll (rand, 0, 1000));
  add_input (model, node, input);
  node->capacity = kind == MODEL_BRIDGE ? 1 : (guint) roll (rand, 1, 4);
  if (kind == MODEL_WINDOW)
    {
      node->limit = (guint) roll (rand, 1, 5);
      node->room = 64;
      node->shape[0] = (guint) node->number;
    }
  if (kind != MODEL_BATCH)
    return;
  memmove (&node->shape[1], &node->shape[0], node->rank * sizeof *node->shape);
  node->shape[0] = (guint) node->number;
  node->rank++;
}

static void
add_inner (Model *model, GRand *rand, guint input, guint *n_readers)
{
  static const ModelKind kinds[] = { MODEL_ADD,  MODEL_ADD,  MODEL_SCALE, MODEL_SCALE, MODEL_BUMP,
                                     MODEL_BUMP, MODEL_VIEW, MODEL_SUM,   MODEL_END_AT };
  ModelKind kind = kinds[roll (rand, 0, G_N_ELEMENTS (kinds) - 1)];
  gint64 number = roll (rand, -2, 3);
  ModelNode *node;

  if (kind == MODEL_VIEW)
    number = roll (rand, 0, (gint) model->nodes[input].shape[0]);
  if (kind == MODEL_END_AT)
    number = roll (rand, 0, 12);
  node = add_node (model, kind, number);
  add_input (model, node, input);
  if (kind == MODEL_VIEW)
    node->shape[0] -= (guint) number;
  if (kind != MODEL_ADD)
    return;
  /* the second input: any of the same shape, or the first again */
  for (guint tries = 0; tries < 8; tries++)
    {
      guint other = (guint) roll (rand, 0, (gint) model->n_nodes - 2);

      if (same_shape (&model->nodes[other], node))
        {
          add_input (model, node, other);
          n_readers[other]++;
          return;
        }
    }
  add_input (model, node, input);
}

void
random_model (Model *model, guint seed)
{
  GRand *rand = g_rand_new_with_seed (seed);
  guint n_sources, n_inner, n_readers[MAX_NODES] = { 0 };

  memset (model, 0, sizeof *model);
  n_sources = (guint) roll (rand, 1, 3);
  n_inner = (guint) roll (rand, 0, 8);
  for (guint i = 0; i < n_sources; i++)
    add_source (model, rand);
  for (guint i = 0; i < n_inner && model->n_nodes < 9; i++)
    {
      guint input = choose_input (model, n_readers, rand);

      n_readers[input]++;
      if (roll (rand, 0, 2) == 0)
        add_async (model, rand, input);
      else
        add_inner (model, rand, input, n_readers);
    }
  for (guint i = 0, n = model->n_nodes; i < n && model->n_nodes < 12; i++)
    if (n_readers[i] == 0 || roll (rand, 0, 9) == 0)
      {
        add_input (model, add_node (model, MODEL_COLLECT, roll (rand, 0, 2) == 0 ? roll (rand, 1, 10) : 0), i);
        n_readers[i]++;
      }
  /* an asynchronous node that nobody reads would fill up */
  for (guint i = 0, n = model->n_nodes; i < n && model->n_nodes < MAX_NODES; i++)
    if (n_readers[i] == 0 && model->nodes[i].kind != MODEL_COLLECT)
      {
        add_input (model, add_node (model, MODEL_COLLECT, 0), i);
        n_readers[i]++;
      }
  for (guint i = 0; i < model->n_nodes; i++)
    model->nodes[i].on_device = model->nodes[i].kind != MODEL_SOURCE && model->nodes[i].kind != MODEL_COLLECT &&
                                model->nodes[i].kind != MODEL_BRIDGE && roll (rand, 0, 3) != 0;
  for (guint i = 0; i < model->n_nodes; i++)
    model->nodes[i].id = i;
  g_rand_free (rand);
}

/* ---- as a graph ---- */

static gchar *
source_settings (const ModelNode *node)
{
  GString *text = g_string_new ("{\"base\": [");

  for (guint i = 0; i < node->shape[0]; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? ", " : "", node->id + 1 + 10 * i);
  g_string_append_printf (text, "], \"end\": %" G_GINT64_FORMAT "}", node->number);
  return g_string_free (text, FALSE);
}

/* Settings of the plain kind, and that in @kind. */
static gchar *
describe_plain (const ModelNode *node, const gchar **kind)
{
  static const gchar *const kinds[] = { "SequenceSource", "TestAdd",   "Scale",     "Bump",
                                        "View",           "Sum",       "EndAt",     "HistoryCollect",
                                        "Bridge",         "TestQueue", "TestBatch", "BatchQueue",
                                        "Input",          "Output" };
  const gint64 number = node->number;

  *kind = kinds[node->kind];
  switch (node->kind)
    {
    case MODEL_SOURCE:
      return source_settings (node);
    case MODEL_INPUT:
      return g_strdup_printf ("{\"dtype\": \"F32\", \"shape\": [%u]}", node->shape[0]);
    case MODEL_SCALE:
      return g_strdup_printf ("{\"factor\": %" G_GINT64_FORMAT "}", number);
    case MODEL_BUMP:
      return g_strdup_printf ("{\"amount\": %" G_GINT64_FORMAT "}", number);
    case MODEL_VIEW:
      return g_strdup_printf ("{\"skip\": %" G_GINT64_FORMAT "}", number);
    case MODEL_END_AT:
      return g_strdup_printf ("{\"frames\": %" G_GINT64_FORMAT "}", number);
    case MODEL_COLLECT:
      return g_strdup_printf ("{\"count\": %" G_GINT64_FORMAT "}", number);
    case MODEL_BRIDGE:
      return g_strdup_printf ("{\"seed\": %" G_GINT64_FORMAT ", \"max_yields\": 3, \"forced_every\": %d}", number,
                              number % 4 != 0 ? (gint) (number % 4) + 1 : 0);
    case MODEL_WINDOW:
      return g_strdup_printf ("{\"output_size\": %" G_GINT64_FORMAT ", \"output_stride\": %u, \"target_capacity\": %u}",
                              number, node->limit, node->room);
    case MODEL_QUEUE:
      if (node->leaky)
        {
          *kind = "Queue";
          return g_strdup_printf ("{\"capacity\": %u, \"leaky\": \"%s\"}", node->capacity,
                                  number & 1 ? "upstream" : "downstream");
        }
      if ((number & 4) != 0 && node->limit == 0)
        {
          *kind = "Queue";
          return g_strdup_printf ("{\"capacity\": %u}", node->capacity);
        }
      return g_strdup_printf ("{\"capacity\": %u, \"limit\": %u, \"mode\": \"%s\", \"fences\": %s, \"signals\": %s}",
                              node->capacity, node->limit, number & 1 ? "owned" : "copy", number & 2 ? "true" : "false",
                              number % 8 == 0 ? "false" : "true");
    case MODEL_BATCH:
      return g_strdup_printf ("{\"size\": %" G_GINT64_FORMAT ", \"capacity\": %u}", number, node->capacity);
    default:
      return g_strdup ("{}");
    }
}

/* Those of the catalogue know nothing of epochs. */
static gboolean
has_epoch (const ModelNode *node, const gchar *kind)
{
  return node->epoch > 0 && node->kind != MODEL_INPUT && node->kind != MODEL_OUTPUT && node->kind != MODEL_WINDOW &&
         !g_str_equal (kind, "Queue");
}

/* Settings, and the kind in @kind. */
static gchar *
describe (const ModelNode *node, const gchar **kind)
{
  g_autofree gchar *name = NULL, *settings = describe_plain (node, kind);
  gchar *end;

  if (!has_epoch (node, *kind))
    return g_steal_pointer (&settings);
  name = g_strconcat ("Epoch", *kind, NULL);
  *kind = g_intern_string (name);
  end = strrchr (settings, '}');
  *end = '\0';
  return g_strdup_printf ("%s%s\"epoch\": %u, \"id\": %u, \"renew\": %s}", settings, end > settings + 1 ? ", " : "",
                          node->epoch, node->id, node->renew ? "true" : "false");
}

static gchar *
describe_end (const ModelNode *node, const gchar **kind)
{
  *kind = node->kind == MODEL_SOURCE ? "Input" : "Output";
  return node->kind == MODEL_SOURCE ? g_strdup_printf ("{\"dtype\": \"F32\", \"shape\": [%u]}", node->shape[0])
                                    : g_strdup ("{}");
}

HoloGraph *
model_to_graph (const Model *model, gboolean use_device, gboolean use_ends)
{
  HoloGraph *graph = holo_graph_new ();

  for (guint i = 0; i < model->n_nodes; i++)
    {
      const ModelNode *node = &model->nodes[i];
      g_autofree gchar *name = g_strdup_printf ("n%02u", node->id);
      gboolean is_end = use_ends && (node->kind == MODEL_SOURCE || node->kind == MODEL_COLLECT);
      const gchar *kind;
      g_autofree gchar *settings = is_end ? describe_end (node, &kind) : describe (node, &kind);

      holo_graph_add_node_text (graph, name, kind, settings);
    }
  for (guint i = 0; i < model->n_nodes; i++)
    for (guint j = 0; j < model->nodes[i].n_inputs; j++)
      {
        guint from = model->nodes[i].inputs[j], copy;
        g_autofree gchar *name = g_strdup_printf ("copy-%02u-%u", model->nodes[i].id, j);

        if (!use_device || model->nodes[from].on_device == model->nodes[i].on_device)
          {
            holo_graph_add_edge (graph, from, 0, i, j);
            continue;
          }
        copy = holo_graph_add_node_text (
            graph, name, "Transfer", model->nodes[i].on_device ? "{\"target\": \"Device\"}" : "{\"target\": \"Host\"}");
        holo_graph_add_edge (graph, from, 0, copy, 0);
        holo_graph_add_edge (graph, copy, 0, i, j);
      }
  return graph;
}

gchar *
model_to_text (const Model *model)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < model->n_nodes; i++)
    {
      const gchar *kind;
      g_autofree gchar *settings = describe (&model->nodes[i], &kind);

      g_string_append_printf (text, "n%02u %s %s%s section %u", model->nodes[i].id, kind, settings,
                              model->nodes[i].on_device ? " (device)" : "", model->section[i]);
      for (guint j = 0; j < model->nodes[i].n_inputs; j++)
        g_string_append_printf (text, "%s n%02u", j == 0 ? " <-" : ",", model->nodes[model->nodes[i].inputs[j]].id);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}
