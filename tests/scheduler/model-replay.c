/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "model-replay.h"

#include <string.h>

typedef struct
{
  InterpreterMemory memory;
  gboolean finished;        /* is called no more; of an asynchronous node: nothing is taken out any more */
  gboolean by_reader;       /* for want of readers: comes back with one */
  gboolean input_ended;     /* asynchronous: nothing comes in any more */
  gboolean input_by_reader; /* because nobody takes anything out */
  gboolean output_ended;    /* asynchronous: what comes in is dropped */
  gboolean unread;
  gboolean closed;
  guint64 done;     /* calls; of an asynchronous node: frames taken out */
  guint64 n_pushed; /* asynchronous: frames that came while somebody took them out */
  guint64 n_kept;   /* of these, when the section before last rested */
  guint64 n_rest;   /* what it discarded when it learned of an end */
  guint n_ended;    /* before the present task: ends of its input and its output, and how often it was found empty */
  guint n_closed;
  guint n_empty;
  GArray *value;
  GArray *last; /* asynchronous: the last frame taken out */
} ReplayNode;

struct _Replay
{
  Model model;
  ReplayNode nodes[MODEL_MAX_NODES];
  const Trace *trace;
  guint64 n_discarded;
  guint64 n_by_rule; /* discarded by tasks for what they are, since replay_prepare_change() */
  gchar *failure;
  gboolean is_trial; /* a copy whose frames belong to another */
};

static gboolean
is_async (const Replay *self, guint index)
{
  return model_is_async (self->model.nodes[index].kind);
}

static const TraceNode *
trace_of (const Replay *self, guint index)
{
  return &self->trace->nodes[self->model.nodes[index].id];
}

static gboolean
reads (const Replay *self, guint reader, guint index)
{
  const ModelNode *node = &self->model.nodes[reader];

  for (guint j = 0; j < node->n_inputs; j++)
    if (node->inputs[j] == index)
      return TRUE;
  return FALSE;
}

G_GNUC_PRINTF (2, 3)
static void
fail (Replay *self, const gchar *format, ...)
{
  va_list args;

  if (self->failure != NULL)
    return;
  va_start (args, format);
  self->failure = g_strdup_vprintf (format, args);
  va_end (args);
}

/* ---- what is held ---- */

/* Windows that were taken out. */
static guint64
count_windows (const ModelNode *node, const InterpreterMemory *memory)
{
  guint64 size = (guint64) node->number;

  return (memory->taken_in < size ? 0 : (memory->taken_in - size) / node->limit + 1) - memory->held.length;
}

/* Of @n_in elements those between @n windows, and between the last and the next: lost by rule, and told when the next is taken out. */
static guint64
count_left_out (const ModelNode *node, guint64 n_in, guint64 n)
{
  guint64 size = (guint64) node->number, stride = node->limit;

  if (n == 0 || stride <= size)
    return 0;
  return (n - 1) * (stride - size) + MIN (n_in - ((n - 1) * stride + size), stride - size);
}

/* Those behind: in no window that was taken out, and not left out. */
static guint64
count_behind (const ModelNode *node, guint64 n_in, guint64 n)
{
  guint64 size = (guint64) node->number, stride = node->limit;
  guint64 end = n == 0 ? 0 : stride > size ? n * stride : (n - 1) * stride + size;

  return n_in > end ? n_in - end : 0;
}

/* As the kind counts what it discards: in frames of its input, or in elements. */
static guint64
count_held (const ModelNode *node, const InterpreterMemory *memory)
{
  if (node->kind == MODEL_BATCH)
    return memory->held.length * (guint64) node->number + (guint64) memory->count;
  if (node->kind == MODEL_WINDOW)
    return count_behind (node, memory->taken_in, count_windows (node, memory));
  return memory->held.length;
}

static void
discard_rest (Replay *self, guint index, guint64 n)
{
  self->nodes[index].n_rest += n;
  self->n_by_rule += n;
}

/* By rule, since nothing follows or nobody reads. */
static void
drop_held (Replay *self, guint index)
{
  InterpreterMemory *memory = &self->nodes[index].memory;
  const ModelNode *node = &self->model.nodes[index];

  discard_rest (self, index, count_held (node, memory));
  if (node->kind == MODEL_WINDOW)
    discard_rest (self, index, count_left_out (node, memory->taken_in, count_windows (node, memory)));
  interpreter_forget (memory);
}

/* A batch that will not be complete goes at once, the rest of a window when somebody wants to take it out. */
static void
drop_part (Replay *self, guint index)
{
  InterpreterMemory *memory = &self->nodes[index].memory;

  if (self->model.nodes[index].kind != MODEL_BATCH || self->is_trial)
    return;
  discard_rest (self, index, (guint64) memory->count);
  memory->count = 0;
  g_clear_pointer (&memory->part, g_array_unref);
}

/* ---- ends ---- */

static void finish (Replay *self, guint index, gboolean by_reader);

static gboolean
is_reader_finished (const Replay *self, guint reader)
{
  return is_async (self, reader) ? self->nodes[reader].input_ended : self->nodes[reader].finished;
}

static gboolean
has_no_reader (const Replay *self, guint index)
{
  gboolean any = FALSE;

  for (guint k = index + 1; k < self->model.n_nodes; k++)
    if (reads (self, k, index))
      {
        any = TRUE;
        if (!is_reader_finished (self, k))
          return FALSE;
      }
  return any;
}

static void
finish_writers (Replay *self, guint index)
{
  const ModelNode *node = &self->model.nodes[index];

  for (guint j = 0; j < node->n_inputs; j++)
    if (!self->nodes[node->inputs[j]].finished && has_no_reader (self, node->inputs[j]))
      finish (self, node->inputs[j], TRUE);
}

static void
end_input (Replay *self, guint index, gboolean by_reader)
{
  if (self->nodes[index].input_ended)
    return;
  self->nodes[index].input_ended = TRUE;
  self->nodes[index].input_by_reader = by_reader;
  drop_part (self, index);
  finish_writers (self, index);
}

/* With it those that need what it gave, and those of its section that work for nobody else. */
static void
finish (Replay *self, guint index, gboolean by_reader)
{
  ReplayNode *node = &self->nodes[index];

  if (node->finished)
    return;
  node->finished = TRUE;
  node->by_reader = by_reader;
  if (is_async (self, index))
    {
      node->output_ended = TRUE;
      node->done = trace_of (self, index)->n_popped;
      if (!self->is_trial)
        drop_held (self, index);
    }
  for (guint k = index + 1; k < self->model.n_nodes; k++)
    if (reads (self, k, index))
      {
        if (is_async (self, k))
          end_input (self, k, FALSE);
        else
          finish (self, k, FALSE);
      }
  if (!is_async (self, index))
    finish_writers (self, index);
}

/* Whether the log has one more frame that came into a node. */
static gboolean
has_come (const Replay *self, guint index)
{
  return trace_of (self, index)->n_pushed > self->nodes[index].n_pushed;
}

/* Whether the end of @reader would finish only nodes that were not called again: a section learns some time
 * later that nobody takes what it gives. */
static gboolean
may_learn (const Replay *self, guint reader, const guint64 *calls, gboolean *ended)
{
  const ModelNode *node = &self->model.nodes[reader];

  ended[reader] = TRUE;
  for (guint j = 0; j < node->n_inputs; j++)
    {
      guint writer = node->inputs[j];
      gboolean last = !self->nodes[writer].finished;

      for (guint k = writer + 1; k < self->model.n_nodes; k++)
        last &= !reads (self, k, writer) || ended[k] || is_reader_finished (self, k);
      if (!last)
        continue;
      if (is_async (self, writer))
        continue;
      if (self->nodes[writer].done < calls[writer] || !may_learn (self, writer, calls, ended))
        return FALSE;
    }
  return TRUE;
}

static void
learn (Replay *self, guint section, const guint64 *calls)
{
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      gboolean ended[MODEL_MAX_NODES] = { FALSE };

      if (model_is_pushed_by (&self->model, i, section) && self->nodes[i].output_ended && !self->nodes[i].input_ended &&
          !(self->nodes[i].closed && has_come (self, i)) && may_learn (self, i, calls, ended))
        end_input (self, i, TRUE);
    }
}

/* ---- iterations ---- */

static guint32
hash_frame (guint32 hash, const GArray *frame)
{
  return frame == NULL || frame->len == 0 ? hash : operation_hash (hash, (const gfloat *) frame->data, frame->len);
}

static void
check_execution (Replay *self, guint index, GArray *a, GArray *b, GArray *out)
{
  const ModelNode *node = &self->model.nodes[index];
  const TraceNode *trace = trace_of (self, index);
  guint32 hash = node->kind == MODEL_SOURCE ? hash_frame (0, out) : hash_frame (hash_frame (0, a), b);
  guint n = (guint) self->nodes[index].done;
  const OperationEntry *entry;

  if (n >= trace->executions->len)
    {
      fail (self, "n%02u was called %u times only", node->id, n);
      return;
    }
  entry = &g_array_index (trace->executions, OperationEntry, n);
  if (entry->epoch != node->epoch)
    fail (self, "call %u of n%02u was of epoch %u, not %u", n, node->id, entry->epoch, node->epoch);
  else if (entry->result != (out == NULL ? HOLO_OP_EOF : HOLO_OP_OK))
    fail (self, "call %u of n%02u gave %s", n, node->id, holo_op_result_get_name (entry->result));
  /* what makes its own device tasks cannot look into device memory */
  else if (entry->hash != hash && !(node->on_device && entry->hash == 0))
    fail (self, "call %u of n%02u (frame %" G_GINT64_FORMAT ") was given other values", n, node->id,
          (gint64) entry->frame);
}

static void
execute (Replay *self, guint index, const guint64 *calls)
{
  const ModelNode *node = &self->model.nodes[index];
  ReplayNode *state = &self->nodes[index];
  GArray *a = node->n_inputs > 0 ? self->nodes[node->inputs[0]].value : NULL;
  GArray *b = node->n_inputs > 1 ? self->nodes[node->inputs[1]].value : NULL;

  /* it lost an input in this iteration; what the others brought goes with it */
  if (node->n_inputs > 0 && (a == NULL || (node->n_inputs > 1 && b == NULL)))
    {
      self->n_discarded += (a != NULL) + (b != NULL);
      finish (self, index, FALSE);
      return;
    }
  if (state->done >= calls[index])
    return; /* before it came to that nobody needed it any more, see is_ready() */
  state->value = interpreter_execute (node, &state->memory, a, b);
  check_execution (self, index, a, b, state->value);
  state->done++;
  if (state->value == NULL)
    finish (self, index, FALSE);
}

static void
push (Replay *self, guint index)
{
  ReplayNode *node = &self->nodes[index];
  GArray *frame = self->nodes[self->model.nodes[index].inputs[0]].value;

  if (frame == NULL || (node->input_ended && !node->input_by_reader))
    return;
  if (node->closed)
    {
      /* some of it may have come before: whoever compares has seen what was taken out */
      node->n_pushed += has_come (self, index);
      interpreter_push (&self->model.nodes[index], &node->memory, frame);
      return;
    }
  if (node->output_ended)
    {
      /* refused, by which the section learns of the end; or the task has not been told yet and took it for nobody */
      if (has_come (self, index))
        {
          node->n_pushed++;
          discard_rest (self, index, self->model.nodes[index].kind == MODEL_WINDOW ? frame->len : 1);
        }
      return;
    }
  node->n_pushed++;
  interpreter_push (&self->model.nodes[index], &node->memory, frame);
}

static gboolean
is_member (const Replay *self, guint index, guint section)
{
  return self->model.section[index] == section && !self->nodes[index].finished &&
         self->model.nodes[index].kind != MODEL_OUTPUT;
}

static void
pop (Replay *self, guint index)
{
  ReplayNode *node = &self->nodes[index];

  node->value = g_queue_pop_head (&node->memory.held);
  if (node->value == NULL)
    return;
  g_clear_pointer (&node->last, g_array_unref);
  node->last = g_array_ref (node->value);
  node->done++;
}

/* In which order the nodes are called is free: who ends because his reader has may have been called before or not. */
static void
iterate (Replay *self, guint section, const guint64 *calls)
{
  const Model *model = &self->model;
  gboolean takes_part[MODEL_MAX_NODES];

  for (guint i = 0; i < model->n_nodes; i++)
    {
      takes_part[i] = is_member (self, i, section);
      if (takes_part[i] && is_async (self, i))
        pop (self, i);
    }
  for (guint i = 0; i < model->n_nodes; i++)
    if (takes_part[i] && is_async (self, i) && self->nodes[i].value == NULL)
      finish (self, i, FALSE);
  for (guint i = 0; i < model->n_nodes; i++)
    if (takes_part[i] && !is_async (self, i))
      execute (self, i, calls);
  for (guint i = 0; i < model->n_nodes; i++)
    if (model_is_pushed_by (model, i, section))
      push (self, i);
  for (guint i = 0; i < model->n_nodes; i++)
    g_clear_pointer (&self->nodes[i].value, g_array_unref);
}

static gboolean
is_empty (const Replay *self, guint index)
{
  return self->nodes[index].memory.held.length == 0;
}

/* Whether the log tells of everything that ends with a node. Whoever finds it empty tells at once; only the end of a task that an
 * update drains ends nobody. */
static gboolean
is_told (const Replay *self, guint index)
{
  Replay trial = *self;

  trial.is_trial = TRUE;
  finish (&trial, index, FALSE);
  for (guint k = 0; k < self->model.n_nodes; k++)
    {
      const ReplayNode *before = &self->nodes[k], *after = &trial.nodes[k];

      if (k == index || !is_async (self, k))
        continue;
      if ((after->finished && !before->finished && trace_of (self, k)->n_closed == before->n_closed) ||
          (after->input_ended && !before->input_ended && trace_of (self, k)->n_ended == before->n_ended))
        return FALSE;
    }
  return TRUE;
}

/* Whether somebody has looked and found that nothing more comes. */
static gboolean
has_run_dry (const Replay *self, guint index)
{
  return is_empty (self, index) && self->nodes[index].input_ended &&
         trace_of (self, index)->n_empty > self->nodes[index].n_empty && is_told (self, index);
}

/* A node of the section that needs what @index gives and was called again. */
static gboolean
is_wanted (const Replay *self, guint index, const guint64 *calls)
{
  for (guint k = index + 1; k < self->model.n_nodes; k++)
    if (reads (self, k, index) && !is_async (self, k) && !self->nodes[k].finished &&
        (self->nodes[k].done < calls[k] || is_wanted (self, k, calls)))
      return TRUE;
  return FALSE;
}

/* An iteration that nobody was called in. */
static gboolean
finish_dry (Replay *self, guint section, const guint64 *calls)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->model.n_nodes; i++)
    if (is_member (self, i, section) && is_async (self, i) && has_run_dry (self, i) && !is_wanted (self, i, calls))
      {
        finish (self, i, FALSE);
        any = TRUE;
      }
  return any;
}

/* What comes straight from another asynchronous node: no call tells of it. */
static gboolean
is_forwarded (const Replay *self, guint index, guint section)
{
  guint writer = self->model.nodes[index].inputs[0];

  return model_is_pushed_by (&self->model, index, section) && is_async (self, writer) &&
         !self->nodes[writer].finished && !self->nodes[index].input_ended &&
         (self->nodes[index].closed || !self->nodes[index].output_ended);
}

/* Whether the log has one more iteration. Where nobody is called it is what was offered further on: between its pops and its
 * pushes such a section does nothing, and what came back to it unused is popped again without a call. */
static gboolean
goes_on (const Replay *self, guint section, const guint64 *calls)
{
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      if (is_forwarded (self, i, section) &&
          (has_come (self, i) ||
           (trace_of (self, i)->n_pushed + trace_of (self, i)->refused > self->nodes[i].n_pushed &&
            !self->nodes[i].closed)))
        return TRUE;
      if (is_member (self, i, section) && !is_async (self, i) && self->nodes[i].done < calls[i])
        return TRUE;
    }
  return FALSE;
}

/* One node of the coming iteration, by the log: whether it has a frame for its readers. */
static gboolean
try_node (Replay *trial, guint index, const guint64 *calls, const gboolean *given)
{
  const ModelNode *node = &trial->model.nodes[index];
  GArray *executions = trace_of (trial, index)->executions;
  guint64 done = trial->nodes[index].done;

  if (is_async (trial, index))
    {
      if (!is_empty (trial, index))
        return TRUE;
      if (has_run_dry (trial, index))
        finish (trial, index, FALSE);
      return FALSE;
    }
  for (guint j = 0; j < node->n_inputs; j++)
    if (!given[node->inputs[j]])
      {
        if (trial->nodes[node->inputs[j]].finished)
          finish (trial, index, FALSE);
        return FALSE;
      }
  if (done >= calls[index])
    return FALSE;
  if (g_array_index (executions, OperationEntry, (guint) done).result == HOLO_OP_OK)
    return TRUE;
  finish (trial, index, FALSE);
  return FALSE;
}

/* Whether the coming iteration is possible: who is not called in it gets no frame, or works for nobody any more after it. */
static gboolean
is_ready (const Replay *self, guint section, const guint64 *calls)
{
  gboolean given[MODEL_MAX_NODES] = { FALSE };
  Replay trial = *self;

  trial.is_trial = TRUE;
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (is_member (&trial, i, section))
      given[i] = try_node (&trial, i, calls, given);
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (is_member (&trial, i, section) && !given[i])
      return FALSE;
  return TRUE;
}

/* Of ends further on a section hears through those between, which may do nothing else. */
static void
learn_behind (Replay *self, guint section, const guint64 *calls)
{
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (model_is_pushed_by (&self->model, i, section) && self->model.nodes[i].kind != MODEL_OUTPUT &&
        !self->nodes[i].output_ended && !goes_on (self, self->model.section[i], calls))
      learn_behind (self, self->model.section[i], calls);
  learn (self, section, calls);
}

static gboolean
step (Replay *self, guint section, const guint64 *calls)
{
  if (finish_dry (self, section, calls))
    return TRUE;
  if (!goes_on (self, section, calls))
    return FALSE;
  learn (self, section, calls);
  if (!is_ready (self, section, calls))
    learn_behind (self, section, calls);
  if (!is_ready (self, section, calls))
    return FALSE;
  iterate (self, section, calls);
  return TRUE;
}

/* Frames that came into an Output while nobody read it. What has been made for it and is not in it yet may still be read. */
static void
drop_unread (Replay *self, guint index)
{
  ReplayNode *node = &self->nodes[index];
  guint64 n_owed = node->n_pushed - MIN (node->n_pushed, trace_of (self, index)->n_pushed);

  for (; node->memory.held.length > n_owed; self->n_discarded++)
    g_array_unref (g_queue_pop_head (&node->memory.held));
}

static void
check_reached (Replay *self, const guint64 *calls)
{
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (!is_async (self, i) && self->nodes[i].done < calls[i])
      {
        guint section = self->model.section[i];

        fail (self,
              "n%02u was called %" G_GUINT64_FORMAT " times, which cannot be reached: it stays at %" G_GUINT64_FORMAT,
              self->model.nodes[i].id, calls[i], self->nodes[i].done);
        for (guint k = 0; k < self->model.n_nodes; k++)
          if (is_member (self, k, section))
            {
              g_autofree gchar *before = self->failure;

              self->failure =
                  g_strdup_printf ("%s; n%02u %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " (%s%u held)", before,
                                   self->model.nodes[k].id, self->nodes[k].done,
                                   is_async (self, k) ? trace_of (self, k)->n_popped : calls[k],
                                   self->nodes[k].input_ended ? "ended, " : "", self->nodes[k].memory.held.length);
            }
      }
}

gboolean
replay_advance (Replay *self, const guint64 *calls)
{
  gboolean progress = TRUE;

  while (progress && self->failure == NULL)
    {
      progress = FALSE;
      for (guint s = 0; s < self->model.n_sections; s++)
        while (self->failure == NULL && step (self, s, calls))
          progress = TRUE;
    }
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (self->nodes[i].unread)
      drop_unread (self, i);
  check_reached (self, calls);
  return self->failure == NULL;
}

/* ---- what the application does ---- */

static gint
find_id (const Model *model, guint id)
{
  for (guint i = 0; i < model->n_nodes; i++)
    if (model->nodes[i].id == id)
      return (gint) i;
  return -1;
}

static ReplayNode *
find (Replay *self, guint id)
{
  return &self->nodes[find_id (&self->model, id)];
}

void
replay_feed (Replay *self, guint id, GArray *frame)
{
  ReplayNode *node = find (self, id);

  if (node->output_ended)
    self->n_discarded++;
  else
    g_queue_push_tail (&node->memory.held, g_array_ref (frame));
}

void
replay_end_input (Replay *self, guint id)
{
  find (self, id)->input_ended = TRUE;
}

GArray *
replay_take (Replay *self, guint id)
{
  return g_queue_pop_head (&find (self, id)->memory.held);
}

void
replay_close (Replay *self, guint id)
{
  ReplayNode *node = find (self, id);

  node->output_ended = node->closed = TRUE;
}

void
replay_set_unread (Replay *self, guint id, gboolean unread)
{
  gint index = find_id (&self->model, id);

  self->nodes[index].unread = unread;
  if (unread)
    drop_unread (self, (guint) index);
}

void
replay_rest (Replay *self)
{
  guint64 calls[MODEL_MAX_NODES];

  for (guint i = 0; i < self->model.n_nodes; i++)
    calls[i] = self->nodes[i].done;
  for (guint round = 0; round < self->model.n_nodes; round++)
    for (guint s = 0; s < self->model.n_sections; s++)
      {
        finish_dry (self, s, calls);
        learn (self, s, calls);
      }
}

/* ---- operations ---- */

/* What ended for want of readers comes back with one; what gets nothing, or has none, ends. */
static void
settle (Replay *self)
{
  const Model *model = &self->model;

  for (guint i = 0; i < model->n_nodes; i++)
    {
      ReplayNode *node = &self->nodes[i];

      if (node->finished && node->by_reader)
        {
          node->finished = node->by_reader = FALSE;
          node->output_ended = node->closed;
        }
      if (node->input_ended && node->input_by_reader)
        node->input_ended = node->input_by_reader = FALSE;
    }
  for (guint i = 0; i < model->n_nodes; i++)
    for (guint j = 0; j < model->nodes[i].n_inputs; j++)
      if (self->nodes[model->nodes[i].inputs[j]].finished)
        {
          if (is_async (self, i))
            end_input (self, i, FALSE);
          else
            finish (self, i, FALSE);
        }
  for (guint i = model->n_nodes; i-- > 0;)
    if (!self->nodes[i].finished && has_no_reader (self, i))
      finish (self, i, TRUE);
}

/* What goes with the task of a node. A frame that was taken out and not used, or made and not taken in, is one frame, whatever
 * the kind counts. */
static guint64
count_lost (Replay *self, guint index)
{
  const ModelNode *node = &self->model.nodes[index];
  InterpreterMemory *memory = &self->nodes[index].memory;
  guint64 n_returned = self->nodes[index].done < trace_of (self, index)->n_popped && !is_empty (self, index);
  guint64 n_pending =
      self->nodes[index].n_pushed > trace_of (self, index)->n_pushed && !self->nodes[index].output_ended;
  guint64 group;

  if (!is_async (self, index))
    return 0;
  if (node->kind == MODEL_BATCH)
    return count_held (node, memory) - n_returned * ((guint64) node->number - 1);
  if (node->kind != MODEL_WINDOW)
    return count_held (node, memory);
  group = self->model.nodes[node->inputs[0]].shape[0];
  return n_returned + n_pending +
         count_behind (node, memory->taken_in - n_pending * group, count_windows (node, memory) + n_returned);
}

/* What was on its way is not there any more. */
static void
begin_anew (Replay *self, guint index)
{
  self->nodes[index].done = trace_of (self, index)->n_popped;
  self->nodes[index].n_pushed = trace_of (self, index)->n_pushed;
  self->nodes[index].n_ended = trace_of (self, index)->n_ended;
  self->nodes[index].n_closed = trace_of (self, index)->n_closed;
  self->nodes[index].n_empty = trace_of (self, index)->n_empty;
  self->nodes[index].n_rest = 0;
}

/* Whether the log knows of the end of a task. The sections beside it may not have looked yet. */
static gboolean
has_told (const Replay *self, guint index)
{
  const ReplayNode *node = &self->nodes[index];
  const TraceNode *trace = trace_of (self, index);

  if (!node->finished)
    return trace->n_ended > node->n_ended;
  return node->by_reader ? trace->n_closed > node->n_closed : trace->n_empty > node->n_empty;
}

/* What had been made is no part of an iteration any more. */
static void
keep_pending (Replay *self, guint index)
{
  if (is_async (self, index))
    self->nodes[index].n_kept = self->nodes[index].n_pushed;
}

/* Of those left out what has surely been told. */
static guint64
count_told (const ModelNode *node, const InterpreterMemory *memory)
{
  guint64 n = count_windows (node, memory);

  return n > 1 ? count_left_out (node, (n - 1) * node->limit, n - 1) : 0;
}

gboolean
replay_is_in_hand (Replay *self, guint index)
{
  return is_async (self, index) && self->nodes[index].done < trace_of (self, index)->n_popped;
}

void
replay_prepare_change (Replay *self)
{
  self->n_by_rule = 0;
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      ReplayNode *node = &self->nodes[i];

      if (self->model.nodes[i].kind == MODEL_WINDOW)
        self->n_by_rule -= count_told (&self->model.nodes[i], &node->memory);
      if (!has_told (self, i))
        self->n_by_rule += node->n_rest;
      /* a frame for a task that takes nothing any more goes when its section next looks, or now */
      if (node->output_ended && node->n_pushed > trace_of (self, i)->n_pushed)
        self->n_by_rule++;
    }
}

guint64
replay_change (Replay *self, const Model *next, const gboolean *kept, guint64 *n_by_rule)
{
  ReplayNode nodes[MODEL_MAX_NODES] = { 0 };
  guint64 n_lost = 0;

  replay_rest (self); /* by whoever drove, or by the update itself: an update tells everybody of every end */
  *n_by_rule = self->n_by_rule;
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      const ModelNode *node = &self->model.nodes[i];
      gint index = find_id (next, node->id);

      if (node->kind == MODEL_WINDOW)
        *n_by_rule +=
            count_left_out (node, self->nodes[i].memory.taken_in, count_windows (node, &self->nodes[i].memory));
      g_clear_pointer (&self->nodes[i].last, g_array_unref);
      if (index < 0 || !kept[index])
        {
          n_lost += count_lost (self, i);
          interpreter_forget (&self->nodes[i].memory);
        }
      if (index >= 0)
        nodes[index] = self->nodes[i];
    }
  self->model = *next;
  memcpy (self->nodes, nodes, sizeof nodes);
  for (guint i = 0; i < next->n_nodes; i++)
    {
      if (is_async (self, i) && !kept[i])
        begin_anew (self, i);
      keep_pending (self, i);
    }
  settle (self);
  replay_rest (self);
  return n_lost;
}

static void
reset (Replay *self, guint index)
{
  ReplayNode *node = &self->nodes[index];

  interpreter_forget (&node->memory);
  node->finished = node->by_reader = node->input_ended = node->input_by_reader = FALSE;
  node->output_ended = node->closed;
  if (is_async (self, index))
    begin_anew (self, index);
}

/* Whether the last iteration of @section has brought something further that is not in yet. */
static gboolean
is_pushing (const Replay *self, guint section)
{
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      const ReplayNode *node = &self->nodes[i];

      if (model_is_pushed_by (&self->model, i, section) && !node->input_ended && !node->output_ended &&
          node->n_pushed > trace_of (self, i)->n_pushed && node->n_pushed != node->n_kept)
        return TRUE;
    }
  return FALSE;
}

static gboolean
is_touched (const Replay *self, guint section, const gboolean *reached)
{
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (reached[i] && ((self->model.section[i] == section && self->model.nodes[i].kind != MODEL_OUTPUT) ||
                       model_is_pushed_by (&self->model, i, section)))
      return TRUE;
  return FALSE;
}

static void
give_back (Replay *self, guint section, const gboolean *reached, const gboolean *dropped)
{
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      ReplayNode *node = &self->nodes[i];

      if (!is_member (self, i, section) || !is_async (self, i) || reached[i] || dropped[i] || node->last == NULL)
        continue;
      g_queue_push_head (&node->memory.held, g_steal_pointer (&node->last));
      node->done--;
    }
}

void
replay_flush (Replay *self, const gboolean *reached, const gboolean *dropped)
{
  for (guint s = 0; s < self->model.n_sections; s++)
    if (is_touched (self, s, reached) && is_pushing (self, s))
      give_back (self, s, reached, dropped);
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (reached[i])
      reset (self, i);
    else
      keep_pending (self, i);
  settle (self);
}

void
replay_restart (Replay *self)
{
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      self->nodes[i].closed = FALSE;
      reset (self, i);
    }
}

/* ---- the end ---- */

static gboolean
has_room (const Replay *self, guint index)
{
  const ModelNode *node = &self->model.nodes[index];

  if (self->nodes[index].input_ended || self->nodes[index].output_ended || self->nodes[index].unread)
    return TRUE;
  /* of what regroups it is only sure that nothing to be taken out means room */
  if (node->kind == MODEL_QUEUE || node->kind == MODEL_BRIDGE)
    return self->nodes[index].memory.held.length < node->capacity;
  return is_empty (self, index);
}

static gboolean
may_go_on (const Replay *self, guint section)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      if (model_is_pushed_by (&self->model, i, section) && !has_room (self, i))
        return FALSE;
      if (!is_member (self, i, section))
        continue;
      if (is_async (self, i) && is_empty (self, i) && !self->nodes[i].input_ended)
        return FALSE;
      any = TRUE;
    }
  return any;
}

gchar *
replay_find_standstill (Replay *self)
{
  for (guint s = 0; s < self->model.n_sections; s++)
    if (may_go_on (self, s))
      for (guint i = 0; i < self->model.n_nodes; i++)
        if (is_member (self, i, s))
          return g_strdup_printf ("the section of n%02u has all it needs and does not go on", self->model.nodes[i].id);
  return NULL;
}

gboolean
replay_wants (Replay *self, guint id)
{
  const ReplayNode *node = find (self, id);

  return node->memory.held.length == 0 && !node->input_ended && !node->finished;
}

gboolean
replay_has_come (Replay *self, guint id)
{
  gint index = find_id (&self->model, id);

  /* not what waits before it */
  return self->nodes[index].memory.held.length > 0 &&
         self->nodes[index].n_pushed - self->nodes[index].memory.held.length < trace_of (self, (guint) index)->n_pushed;
}

gint
replay_find_unfinished (Replay *self)
{
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (self->model.nodes[i].kind != MODEL_OUTPUT && !self->nodes[i].finished)
      return (gint) self->model.nodes[i].id;
  return -1;
}

guint64
replay_get_discarded (Replay *self)
{
  return self->n_discarded;
}

const gchar *
replay_get_failure (Replay *self)
{
  return self->failure;
}

Replay *
replay_new (const Model *model, const Trace *trace)
{
  Replay *self = g_new0 (Replay, 1);

  self->model = *model;
  self->trace = trace;
  return self;
}

void
replay_free (Replay *self)
{
  for (guint i = 0; i < MODEL_MAX_NODES; i++)
    {
      interpreter_forget (&self->nodes[i].memory);
      g_clear_pointer (&self->nodes[i].last, g_array_unref);
    }
  g_free (self->failure);
  g_free (self);
}
