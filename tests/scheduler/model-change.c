/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "model-change.h"

#include <string.h>

#include "random-model.h"

static guint
roll (GRand *rand, gint from, gint to)
{
  return (guint) g_rand_int_range (rand, from, to + 1);
}

static gboolean
is_end (const ModelNode *node)
{
  return node->kind == MODEL_INPUT || node->kind == MODEL_OUTPUT;
}

/* ---- shapes ---- */

static gboolean
take_shape (ModelNode *node, const ModelNode *a, const ModelNode *b)
{
  node->rank = a->rank;
  memcpy (node->shape, a->shape, sizeof node->shape);
  switch (node->kind)
    {
    case MODEL_ADD:
      return a->rank == b->rank && memcmp (a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
    case MODEL_VIEW:
      if (node->number > node->shape[0])
        return FALSE;
      node->shape[0] -= (guint) node->number;
      return TRUE;
    case MODEL_BATCH:
      if (node->rank == MODEL_MAX_RANK)
        return FALSE;
      memmove (&node->shape[1], &node->shape[0], node->rank * sizeof *node->shape);
      node->shape[0] = (guint) node->number;
      node->rank++;
      return TRUE;
    case MODEL_WINDOW:
      node->shape[0] = (guint) node->number;
      node->room = (node->capacity + 2) * (node->limit + (guint) node->number);
      return model_count (a) > 0;
    default:
      return TRUE;
    }
}

/* All shapes anew; FALSE when the graph is none. */
static gboolean
complete (Model *model)
{
  for (guint i = 0; i < model->n_nodes; i++)
    {
      ModelNode *node = &model->nodes[i];

      if (node->n_inputs > 0 &&
          !take_shape (node, &model->nodes[node->inputs[0]], &model->nodes[node->inputs[node->n_inputs - 1]]))
        return FALSE;
    }
  return model_find_sections (model);
}

/* ---- a graph ---- */

static guint
append (Model *model, GRand *rand, ModelKind kind, gint64 number, guint a, guint b)
{
  ModelNode *node = &model->nodes[model->n_nodes];

  *node = (ModelNode){ .kind = kind, .number = number, .id = model->n_nodes, .inputs = { a, b } };
  node->capacity = roll (rand, 1, 4);
  node->n_inputs = kind == MODEL_SOURCE ? 0 : kind == MODEL_ADD ? 2 : 1;
  node->on_device = kind != MODEL_SOURCE && kind != MODEL_COLLECT && roll (rand, 0, 3) == 0;
  return model->n_nodes++;
}

/* A stream of vectors of @length elements, out of some asynchronous node or straight from where they come. */
static guint
append_stream (Model *model, GRand *rand, guint length)
{
  guint source = append (model, rand, MODEL_SOURCE, (gint64) roll (rand, 5, 24), 0, 0), last = source;

  model->nodes[source].rank = 1;
  model->nodes[source].shape[0] = length;
  if (roll (rand, 0, 1) == 0)
    last = append (model, rand, MODEL_BUMP, (gint64) roll (rand, 0, 3), last, 0);
  switch (roll (rand, 0, 3))
    {
    case 0:
      last = append (model, rand, MODEL_WINDOW, length, last, 0);
      model->nodes[last].limit = roll (rand, 1, length + 1);
      break;
    case 1:
    case 2:
      last = append (model, rand, MODEL_QUEUE, (gint64) roll (rand, 0, 7), last, 0);
      break;
    default:
      break;
    }
  return last;
}

/* Streams that are joined: where one gives and another does not, half a join is in hand. */
static void
join_streams (Model *model, GRand *rand)
{
  guint length = roll (rand, 1, 4), n = roll (rand, 2, 3), last;

  memset (model, 0, sizeof *model);
  last = append_stream (model, rand, length);
  for (guint i = 1; i < n; i++)
    {
      guint other = append_stream (model, rand, length);

      last = append (model, rand, MODEL_ADD, 0, last, other);
      if (roll (rand, 0, 3) == 0)
        append (model, rand, MODEL_COLLECT, 0, other, 0);
    }
  if (roll (rand, 0, 1) == 0)
    last = append (model, rand, MODEL_SUM, 0, last, 0);
  if (roll (rand, 0, 1) == 0)
    last = append (model, rand, MODEL_QUEUE, (gint64) roll (rand, 0, 7), last, 0);
  append (model, rand, MODEL_COLLECT, 0, last, 0);
}

static void
make_operable (ModelNode *node, GRand *rand)
{
  node->epoch = 1;
  node->renew = roll (rand, 0, 2) == 0;
  if (node->kind == MODEL_SOURCE && roll (rand, 0, 2) > 0)
    node->kind = MODEL_INPUT;
  if (node->kind == MODEL_SOURCE || node->kind == MODEL_INPUT)
    node->number = node->number < 0 ? 40 : node->number + (gint64) roll (rand, 0, 20);
  if (node->kind == MODEL_COLLECT && roll (rand, 0, 3) > 0)
    node->kind = MODEL_OUTPUT;
  if (node->kind == MODEL_COLLECT && node->number > 0)
    node->number += (gint64) roll (rand, 0, 20);
  if (node->kind == MODEL_END_AT)
    node->number += (gint64) roll (rand, 0, 20);
  if (node->kind == MODEL_BRIDGE)
    node->kind = MODEL_QUEUE;
  if (is_end (node))
    node->on_device = FALSE;
}

/* A task that every update stages a change for, so that the log can say when it was committed. */
static void
add_witness (Model *model)
{
  const guint at = model->n_nodes;

  model->nodes[at] =
      (ModelNode){ .kind = MODEL_SOURCE, .rank = 1, .shape = { 1 }, .id = at, .epoch = 1, .fixed = TRUE };
  model->nodes[at + 1] =
      (ModelNode){ .kind = MODEL_COLLECT, .n_inputs = 1, .inputs = { at }, .id = at + 1, .epoch = 1, .fixed = TRUE };
  model->n_nodes += 2;
}

void
model_make_operable (Model *model, guint seed)
{
  GRand *rand = g_rand_new_with_seed (seed ^ 0x6f706572u);

  do
    {
      if (roll (rand, 0, 2) == 0)
        join_streams (model, rand);
      else
        random_model (model, g_rand_int (rand));
      for (guint i = 0; i < model->n_nodes; i++)
        make_operable (&model->nodes[i], rand);
    }
  while (!complete (model));
  add_witness (model);
  complete (model);
  g_rand_free (rand);
}

/* Bit 2 of a queue's number stands for the kind of the catalogue. */
static void
make_logged (Model *model)
{
  model->is_logged = TRUE;
  for (guint i = 0; i < model->n_nodes; i++)
    {
      ModelNode *node = &model->nodes[i];

      if (node->kind == MODEL_WINDOW)
        *node = (ModelNode){ .kind = MODEL_QUEUE,
                             .number = 1,
                             .capacity = node->capacity,
                             .n_inputs = 1,
                             .inputs = { node->inputs[0] },
                             .on_device = node->on_device,
                             .id = node->id,
                             .epoch = node->epoch,
                             .renew = node->renew };
      else if (node->kind == MODEL_QUEUE)
        node->number &= ~(gint64) 4;
    }
}

void
model_make_logged (Model *model, guint seed, gboolean leaky)
{
  do
    {
      model_make_operable (model, seed);
      make_logged (model);
      for (guint i = 0; i < model->n_nodes && leaky; i++)
        model->nodes[i].leaky = model->nodes[i].kind == MODEL_QUEUE && i % 2 == 0;
      seed += 1000003;
    }
  while (!complete (model));
}

/* ---- changes ---- */

static gboolean
change_one (Model *model, GRand *rand, guint epoch)
{
  guint i = roll (rand, 0, (gint) model->n_nodes - 1);

  model->nodes[i].epoch = epoch;
  if (roll (rand, 0, 3) == 0 && !model->nodes[i].fixed)
    model->nodes[i].renew = !model->nodes[i].renew;
  return !is_end (&model->nodes[i]);
}

static void
make_room (Model *model, guint at)
{
  memmove (&model->nodes[at + 1], &model->nodes[at], (model->n_nodes - at) * sizeof *model->nodes);
  model->n_nodes++;
  for (guint i = at + 1; i < model->n_nodes; i++)
    for (guint j = 0; j < model->nodes[i].n_inputs; j++)
      model->nodes[i].inputs[j] += model->nodes[i].inputs[j] >= at;
}

static gboolean
insert (Model *model, GRand *rand, guint id, guint epoch)
{
  static const ModelKind kinds[] = { MODEL_SCALE, MODEL_BUMP, MODEL_SUM, MODEL_QUEUE, MODEL_QUEUE, MODEL_END_AT };
  guint reader = roll (rand, 0, (gint) model->n_nodes - 1), input, writer;
  ModelNode *node = &model->nodes[reader];

  if (node->n_inputs == 0 || model->n_nodes == MODEL_MAX_NODES)
    return FALSE;
  input = roll (rand, 0, (gint) node->n_inputs - 1);
  writer = node->inputs[input];
  make_room (model, reader);
  model->nodes[reader + 1].inputs[input] = reader;
  memset (node, 0, sizeof *node);
  node->kind = kinds[roll (rand, 0, G_N_ELEMENTS (kinds) - 1)];
  node->number = node->kind == MODEL_QUEUE ? (gint64) roll (rand, 0, 1000) : (gint64) roll (rand, 1, 3);
  if (node->kind == MODEL_QUEUE && model->is_logged)
    node->number &= ~(gint64) 4;
  if (node->kind == MODEL_END_AT)
    node->number = (gint64) roll (rand, 0, 20);
  node->capacity = roll (rand, 1, 4);
  node->n_inputs = 1;
  node->inputs[0] = writer;
  node->on_device = model->nodes[writer].on_device;
  node->id = id;
  node->epoch = epoch;
  node->renew = roll (rand, 0, 2) == 0;
  return TRUE;
}

static gboolean
remove_node (Model *model, GRand *rand)
{
  guint at = roll (rand, 0, (gint) model->n_nodes - 1), writer;
  const ModelNode *node = &model->nodes[at];

  if (node->n_inputs != 1 || node->kind == MODEL_OUTPUT || node->kind == MODEL_COLLECT)
    return FALSE;
  writer = node->inputs[0];
  for (guint i = at + 1; i < model->n_nodes; i++)
    for (guint j = 0; j < model->nodes[i].n_inputs; j++)
      {
        guint *input = &model->nodes[i].inputs[j];

        *input = *input == at ? writer : *input - (*input > at);
      }
  model->n_nodes--;
  memmove (&model->nodes[at], &model->nodes[at + 1], (model->n_nodes - at) * sizeof *model->nodes);
  return TRUE;
}

static gboolean
rename_node (Model *model, GRand *rand, guint id)
{
  ModelNode *node = &model->nodes[roll (rand, 0, (gint) model->n_nodes - 1)];

  node->id = id;
  return !is_end (node) && !node->fixed;
}

static gboolean
reshape (Model *model, GRand *rand, guint epoch)
{
  ModelNode *node = &model->nodes[roll (rand, 0, (gint) model->n_nodes - 1)];
  gint64 number = node->number;

  node->epoch = epoch;
  if (node->kind == MODEL_VIEW)
    node->number = (gint64) roll (rand, 0, 2);
  else if (node->kind == MODEL_BATCH || node->kind == MODEL_WINDOW)
    node->number = (gint64) roll (rand, 1, 4);
  return node->number != number;
}

static gboolean
change_room (Model *model, GRand *rand)
{
  ModelNode *node = &model->nodes[roll (rand, 0, (gint) model->n_nodes - 1)];
  guint capacity = node->capacity;

  node->capacity = roll (rand, 1, 6);
  return node->capacity != capacity && model_is_async (node->kind) && !is_end (node);
}

static gboolean
try_change (Model *model, ModelChange change, GRand *rand, guint id, guint epoch)
{
  switch (change)
    {
    case CHANGE_ALL:
      for (guint i = 0; i < model->n_nodes; i++)
        model->nodes[i].epoch = epoch;
      return TRUE;
    case CHANGE_ONE:
      return change_one (model, rand, epoch);
    case CHANGE_INSERT:
      return insert (model, rand, id, epoch);
    case CHANGE_REMOVE:
      return remove_node (model, rand);
    case CHANGE_RENAME:
      return rename_node (model, rand, id);
    case CHANGE_RESHAPE:
      return reshape (model, rand, epoch);
    case CHANGE_ROOM:
      return change_room (model, rand);
    default:
      return TRUE;
    }
}

gboolean
model_change (Model *model, ModelChange change, GRand *rand, guint *id, guint *epoch)
{
  for (guint tries = 0; tries < 8; tries++)
    {
      Model changed = *model;

      if (!try_change (&changed, change, rand, *id + 1, *epoch + 1) || !complete (&changed))
        continue;
      *model = changed;
      *id += 1;
      *epoch += 1;
      return TRUE;
    }
  return FALSE;
}

static ModelNode *
find_witness (const Model *model)
{
  for (guint i = 0; i < model->n_nodes; i++)
    if (model->nodes[i].fixed)
      return (ModelNode *) &model->nodes[i];
  g_assert_not_reached ();
}

void
model_touch_witness (Model *model, guint *epoch)
{
  find_witness (model)->epoch = ++*epoch;
}

guint
model_get_witness (const Model *model)
{
  return find_witness (model)->id;
}

const gchar *
model_change_get_name (ModelChange change)
{
  static const gchar *const names[] = { "nothing", "all epochs", "one epoch", "insert",
                                        "remove",  "rename",     "reshape",   "room" };

  return names[change];
}
