/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interpreter.h"

#include <string.h>

#define MAX_ITERATIONS 20000

typedef struct
{
  const Model *model;
  gboolean finished[MODEL_MAX_NODES];     /* gives nothing any more */
  gboolean output_ended[MODEL_MAX_NODES]; /* asynchronous: nobody reads it any more */
  gboolean input_ended[MODEL_MAX_NODES];  /* asynchronous: nothing comes any more */
  InterpreterMemory memory[MODEL_MAX_NODES];
  guint n_popped[MODEL_MAX_NODES]; /* asynchronous: frames given */
  GArray *value[MODEL_MAX_NODES];  /* of this iteration; NULL: none */
  GPtrArray **frames;
} Interpreter;

gboolean
model_is_async (ModelKind kind)
{
  return kind == MODEL_BRIDGE || kind == MODEL_QUEUE || kind == MODEL_BATCH || kind == MODEL_WINDOW ||
         kind == MODEL_INPUT || kind == MODEL_OUTPUT;
}

guint
model_count (const ModelNode *node)
{
  guint n = 1;

  for (guint i = 0; i < node->rank; i++)
    n *= node->shape[i];
  return n;
}

/* ---- sections ---- */

static guint
find_root (guint *root, guint node)
{
  while (root[node] != node)
    node = root[node];
  return node;
}

/* The section that pushes into an asynchronous node is that of its producer. */
gboolean
model_is_pushed_by (const Model *model, guint index, guint section)
{
  const ModelNode *node = &model->nodes[index];

  return model_is_async (node->kind) && node->n_inputs > 0 && model->section[node->inputs[0]] == section;
}

static gboolean
has_section_cycle (const Model *model)
{
  guint degree[MODEL_MAX_NODES] = { 0 };
  gboolean gone[MODEL_MAX_NODES] = { FALSE };
  guint n_gone = 0;
  gboolean progress = TRUE;

  while (progress)
    {
      progress = FALSE;
      memset (degree, 0, sizeof degree);
      for (guint i = 0; i < model->n_nodes; i++)
        if (model_is_async (model->nodes[i].kind) && model->nodes[i].n_inputs > 0 &&
            !gone[model->section[model->nodes[i].inputs[0]]])
          degree[model->section[i]]++;
      for (guint s = 0; s < model->n_sections; s++)
        if (!gone[s] && degree[s] == 0)
          {
            gone[s] = TRUE;
            n_gone++;
            progress = TRUE;
          }
    }
  return n_gone < model->n_sections;
}

gboolean
model_find_sections (Model *model)
{
  guint root[MODEL_MAX_NODES], number[MODEL_MAX_NODES];

  /* a node and what it reads work in step; an asynchronous node stands here for its output side */
  for (guint i = 0; i < model->n_nodes; i++)
    {
      root[i] = i;
      number[i] = G_MAXUINT;
    }
  for (guint i = 0; i < model->n_nodes; i++)
    for (guint j = 0; !model_is_async (model->nodes[i].kind) && j < model->nodes[i].n_inputs; j++)
      root[find_root (root, model->nodes[i].inputs[j])] = find_root (root, i);
  model->n_sections = 0;
  for (guint i = 0; i < model->n_nodes; i++)
    {
      guint r = find_root (root, i);

      if (number[r] == G_MAXUINT)
        number[r] = model->n_sections++;
      model->section[i] = number[r];
    }
  return !has_section_cycle (model);
}

/* ---- frames ---- */

static GArray *
new_frame (guint n)
{
  GArray *frame = g_array_sized_new (FALSE, TRUE, sizeof (gfloat), MAX (n, 1));

  return g_array_set_size (frame, n);
}

static gfloat *
elements (GArray *frame)
{
  return (gfloat *) frame->data;
}

static void
add_to_all (GArray *frame, gfloat number)
{
  for (guint i = 0; i < frame->len; i++)
    elements (frame)[i] += number;
}

GArray *
interpreter_execute (const ModelNode *node, InterpreterMemory *memory, GArray *a, GArray *b)
{
  GArray *out = new_frame (model_count (node));
  gfloat epoch = (gfloat) node->epoch;
  gboolean ended = FALSE;

  switch (node->kind)
    {
    case MODEL_SOURCE:
      ended = node->number >= 0 && memory->count >= node->number;
      for (guint i = 0; i < out->len; i++)
        elements (out)[i] = (gfloat) (node->id + 1 + 10 * i + memory->count);
      memory->count++;
      break;
    case MODEL_ADD:
      for (guint i = 0; i < out->len; i++)
        elements (out)[i] = elements (a)[i] + elements (b)[i];
      break;
    case MODEL_SCALE:
      for (guint i = 0; i < out->len; i++)
        elements (out)[i] = elements (a)[i] * (gfloat) node->number;
      break;
    case MODEL_BUMP:
      for (guint i = 0; i < out->len; i++)
        elements (out)[i] = elements (a)[i] + (gfloat) node->number;
      break;
    case MODEL_VIEW:
      if (out->len > 0)
        memcpy (out->data, elements (a) + (a->len - out->len), out->len * sizeof (gfloat));
      epoch = 0;
      break;
    case MODEL_SUM:
      if (memory->state == NULL)
        memory->state = new_frame (out->len);
      for (guint i = 0; i < out->len; i++)
        elements (out)[i] = elements (memory->state)[i] += elements (a)[i];
      break;
    case MODEL_END_AT:
      ended = memory->count++ >= node->number;
      if (out->len > 0)
        memcpy (out->data, a->data, out->len * sizeof (gfloat));
      epoch = 0;
      break;
    case MODEL_COLLECT:
      ended = node->number > 0 && ++memory->count >= node->number;
      break;
    default:
      g_assert_not_reached ();
    }
  add_to_all (out, epoch);
  if (ended)
    g_clear_pointer (&out, g_array_unref);
  return out;
}

/* Window: count is how many numbers are still to be left out before the next window begins. */
static void
push_elements (const ModelNode *node, InterpreterMemory *memory, GArray *frame)
{
  guint inner = model_count (node) / node->shape[0];
  GArray *part = memory->part;

  memory->taken_in += frame->len / inner;
  if (frame->len > 0)
    g_array_append_vals (part, frame->data, frame->len);
  for (;;)
    {
      guint skipped = (guint) MIN (memory->count, part->len);
      GArray *out;

      g_array_remove_range (part, 0, skipped);
      memory->count -= skipped;
      if (memory->count > 0 || part->len < node->number * inner)
        break;
      out = new_frame ((guint) node->number * inner);
      memcpy (out->data, part->data, out->len * sizeof (gfloat));
      g_queue_push_tail (&memory->held, out);
      memory->count = node->limit * inner;
    }
}

void
interpreter_push (const ModelNode *node, InterpreterMemory *memory, GArray *frame)
{
  if (node->kind == MODEL_WINDOW)
    {
      if (memory->part == NULL)
        memory->part = g_array_new (FALSE, FALSE, sizeof (gfloat));
      push_elements (node, memory, frame);
      return;
    }
  if (node->kind != MODEL_BATCH)
    {
      g_queue_push_tail (&memory->held, g_array_ref (frame));
      return;
    }
  if (memory->part == NULL)
    memory->part = g_array_new (FALSE, FALSE, sizeof (gfloat));
  if (frame->len > 0)
    g_array_append_vals (memory->part, frame->data, frame->len);
  if (++memory->count < node->number)
    return;
  g_queue_push_tail (&memory->held, g_steal_pointer (&memory->part));
  memory->count = 0;
}

void
interpreter_forget (InterpreterMemory *memory)
{
  g_queue_clear_full (&memory->held, (GDestroyNotify) g_array_unref);
  g_clear_pointer (&memory->part, g_array_unref);
  g_clear_pointer (&memory->state, g_array_unref);
  memory->count = 0;
  memory->taken_in = 0;
}

/* ---- one iteration of a section ---- */

static gboolean
is_live_input (const Interpreter *self, guint index, guint section)
{
  return model_is_async (self->model->nodes[index].kind) && self->model->section[index] == section &&
         !self->finished[index];
}

static gboolean
is_live_output (const Interpreter *self, guint index, guint section)
{
  const ModelNode *node = &self->model->nodes[index];

  return model_is_pushed_by (self->model, index, section) && !self->output_ended[index] && !self->input_ended[index] &&
         !self->finished[node->inputs[0]];
}

static gboolean
is_at_limit (const Interpreter *self, guint index)
{
  return self->model->nodes[index].kind == MODEL_QUEUE && self->model->nodes[index].limit > 0 &&
         self->n_popped[index] >= self->model->nodes[index].limit;
}

/* Every input has a frame or its end, every output has room: what a section waits for while it holds
 * nothing. */
static gboolean
can_iterate (const Interpreter *self, guint section)
{
  gboolean alive = FALSE;

  for (guint i = 0; i < self->model->n_nodes; i++)
    {
      if (is_live_input (self, i, section) && self->memory[i].held.length == 0 && !self->input_ended[i] &&
          !is_at_limit (self, i))
        return FALSE;
      if (is_live_output (self, i, section) && self->memory[i].held.length >= self->model->nodes[i].capacity)
        return FALSE;
      alive |= self->model->section[i] == section && !self->finished[i];
    }
  return alive;
}

static GArray *
execute (Interpreter *self, guint index)
{
  const ModelNode *node = &self->model->nodes[index];
  GArray *a = node->n_inputs > 0 ? self->value[node->inputs[0]] : NULL;
  GArray *b = node->n_inputs > 1 ? self->value[node->inputs[1]] : NULL;

  if (node->kind == MODEL_COLLECT)
    g_ptr_array_add (self->frames[index], g_array_ref (a));
  return interpreter_execute (node, &self->memory[index], a, b);
}

static void
iterate (Interpreter *self, guint section)
{
  const Model *model = self->model;

  for (guint i = 0; i < model->n_nodes; i++)
    {
      const ModelNode *node = &model->nodes[i];

      if (model->section[i] != section || self->finished[i])
        continue;
      if (model_is_async (node->kind))
        {
          if (is_at_limit (self, i))
            self->output_ended[i] = TRUE;
          else
            self->value[i] = g_queue_pop_head (&self->memory[i].held);
          self->n_popped[i]++;
        }
      else
        {
          gboolean complete = TRUE;

          for (guint j = 0; j < node->n_inputs; j++)
            complete &= self->value[node->inputs[j]] != NULL;
          self->value[i] = complete ? execute (self, i) : NULL;
        }
      self->finished[i] = self->value[i] == NULL;
    }
  for (guint i = 0; i < model->n_nodes; i++)
    if (model_is_pushed_by (model, i, section))
      {
        GArray *frame = self->value[model->nodes[i].inputs[0]];

        if (frame != NULL && !self->output_ended[i] && !self->input_ended[i])
          interpreter_push (&model->nodes[i], &self->memory[i], frame);
        self->input_ended[i] |= self->finished[model->nodes[i].inputs[0]];
      }
  for (guint i = 0; i < model->n_nodes; i++)
    g_clear_pointer (&self->value[i], g_array_unref);
}

/* A node whose readers have all ended ends too; through an asynchronous node that goes on upstream. */
static void
finish_backwards (Interpreter *self)
{
  const Model *model = self->model;

  for (guint i = model->n_nodes; i-- > 0;)
    {
      guint n_consumers = 0, n_ended = 0;

      for (guint k = i + 1; k < model->n_nodes; k++)
        for (guint j = 0; j < model->nodes[k].n_inputs; j++)
          if (model->nodes[k].inputs[j] == i)
            {
              n_consumers++;
              n_ended += model_is_async (model->nodes[k].kind) ? self->output_ended[k] : self->finished[k];
            }
      if (n_consumers == 0 || n_ended < n_consumers)
        continue;
      self->finished[i] = TRUE;
      self->output_ended[i] = TRUE;
    }
  for (guint i = 0; i < model->n_nodes; i++)
    if (model_is_async (model->nodes[i].kind))
      self->input_ended[i] |= self->finished[model->nodes[i].inputs[0]];
}

InterpreterResult
interpreter_run (const Model *model, GPtrArray *frames[MODEL_MAX_NODES])
{
  Interpreter *self = g_new0 (Interpreter, 1);
  InterpreterResult result = INTERPRETER_ENDED;
  guint n_iterations = 0;
  gboolean progress = TRUE;

  self->model = model;
  self->frames = frames;
  for (guint i = 0; i < model->n_nodes; i++)
    frames[i] = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  while (progress && n_iterations < MAX_ITERATIONS)
    {
      progress = FALSE;
      for (guint s = 0; s < model->n_sections; s++)
        if (can_iterate (self, s))
          {
            iterate (self, s);
            finish_backwards (self);
            n_iterations++;
            progress = TRUE;
          }
    }
  for (guint i = 0; i < model->n_nodes; i++)
    if (!self->finished[i])
      result = progress ? INTERPRETER_ENDLESS : INTERPRETER_STUCK;
  for (guint i = 0; i < model->n_nodes; i++)
    interpreter_forget (&self->memory[i]);
  g_free (self);
  return result;
}
