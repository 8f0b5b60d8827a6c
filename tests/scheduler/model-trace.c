/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "model-trace.h"

Trace *
trace_new (gboolean threads)
{
  Trace *self = g_new0 (Trace, 1);

  self->threads = threads;
  self->held = g_array_new (FALSE, TRUE, sizeof (gint));
  for (guint i = 0; i < OPERATION_MAX_IDS; i++)
    {
      self->nodes[i].executions = g_array_new (FALSE, FALSE, sizeof (OperationEntry));
      self->nodes[i].resets = g_array_new (FALSE, FALSE, sizeof (guint));
    }
  return self;
}

void
trace_free (Trace *self)
{
  for (guint i = 0; i < OPERATION_MAX_IDS; i++)
    {
      g_array_unref (self->nodes[i].executions);
      g_array_unref (self->nodes[i].resets);
    }
  g_array_unref (self->held);
  g_free (self);
}

/* Frames, or calls that bring one, which a task may have taken and not given; 0: not to be said in calls. */
static guint
get_capacity (const ModelNode *node)
{
  if (node->kind == MODEL_QUEUE || node->kind == MODEL_BRIDGE)
    return node->capacity;
  return 0;
}

void
trace_expect (Trace *self, const Model *model)
{
  self->changing = FALSE;
  for (guint i = 0; i < model->n_nodes; i++)
    {
      TraceNode *node = &self->nodes[model->nodes[i].id];

      node->oldest_epoch = node->newest_epoch = model->nodes[i].epoch;
      node->capacity = get_capacity (&model->nodes[i]);
    }
}

void
trace_renew (Trace *self, guint id)
{
  self->nodes[id].first_push = self->nodes[id].n_pushed;
  self->nodes[id].first_pop = self->nodes[id].n_popped;
  self->nodes[id].refused = self->nodes[id].is_out = FALSE;
}

void
trace_restart (Trace *self)
{
  for (guint i = 0; i < OPERATION_MAX_IDS; i++)
    {
      trace_renew (self, i);
      self->nodes[i].run_executed = self->nodes[i].n_executed;
      self->nodes[i].run_pushed = self->nodes[i].n_pushed;
      self->nodes[i].run_popped = self->nodes[i].n_popped;
      self->nodes[i].run_returned = 0;
    }
}

void
trace_rest (Trace *self, guint id)
{
  self->nodes[id].n_popped -= self->nodes[id].is_out;
  self->nodes[id].is_out = FALSE;
}

gboolean
trace_can_pop (const Trace *self, const Model *model, guint index)
{
  const ModelNode *node = &model->nodes[index];
  const TraceNode *trace = &self->nodes[node->id];
  guint64 n_pushed = trace->n_pushed - trace->first_push, n_popped = trace->n_popped - trace->first_pop;

  if (node->kind == MODEL_BATCH)
    return n_pushed / (guint64) node->number > n_popped;
  if (node->kind == MODEL_WINDOW)
    return n_pushed * model->nodes[node->inputs[0]].shape[0] >= n_popped * node->limit + (guint64) node->number;
  return n_pushed > n_popped;
}

static gchar *
describe (const OperationEntry *entry, guint index, const gchar *what)
{
  static const gchar *const names[] = { "nothing", "execute",      "push",          "refuse", "pop",   "release",
                                        "empty",   "end of input", "end of output", "reset",  "commit" };

  return g_strdup_printf ("entry %u, n%02u, %s with epoch %u (task %u, frame %" G_GINT64_FORMAT "): %s", index,
                          entry->id, names[entry->what], entry->epoch, entry->instance, (gint64) entry->frame, what);
}

static const gchar *
check_epoch (TraceNode *node, const OperationEntry *entry)
{
  /* kinds of the catalogue are logged from outside, without epoch */
  if (entry->epoch == 0 || entry->what == OPERATION_RESET || entry->what == OPERATION_END_OF_INPUT ||
      entry->what == OPERATION_END_OF_OUTPUT || entry->what == OPERATION_COMMIT)
    return NULL;
  if (entry->epoch < node->last_epoch)
    return "its epoch fell";
  node->last_epoch = entry->epoch;
  if (entry->epoch < node->oldest_epoch)
    return "an old epoch after the commit of the update";
  if (entry->epoch > node->newest_epoch)
    return "a new epoch before it";
  return NULL;
}

static const gchar *
check_held (Trace *self, const TraceNode *node, const OperationEntry *entry)
{
  gint *held, slack = self->threads || self->changing ? 1 : 0;

  if (entry->instance == 0)
    return NULL;
  if (self->held->len <= entry->instance)
    g_array_set_size (self->held, entry->instance + 1);
  held = &g_array_index (self->held, gint, entry->instance);
  if (entry->what == OPERATION_RESET || entry->what == OPERATION_END_OF_OUTPUT)
    *held = 0;
  else
    *held += entry->what == OPERATION_PUSH;
  *held -= entry->what == OPERATION_POP;
  if (node->capacity == 0)
    return NULL;
  if (*held < -slack)
    return "it gave what it never took";
  return *held > (gint) node->capacity + slack ? "it took more than it has room for" : NULL;
}

static void
count (TraceNode *node, const OperationEntry *entry)
{
  guint n = node->executions->len;

  switch (entry->what)
    {
    case OPERATION_EXECUTE:
      g_array_append_val (node->executions, *entry);
      node->n_executed += entry->result == HOLO_OP_OK;
      break;
    case OPERATION_PUSH:
      node->n_pushed++;
      node->refused = FALSE;
      break;
    case OPERATION_REFUSE:
      node->refused = TRUE;
      break;
    case OPERATION_POP:
      node->n_popped += !node->is_out; /* else it went back before */
      node->is_out = entry->takes_back;
      break;
    case OPERATION_RELEASE:
      node->is_out = FALSE;
      break;
    case OPERATION_END_OF_INPUT:
      node->n_ended++;
      break;
    case OPERATION_END_OF_OUTPUT:
      node->n_closed++;
      break;
    case OPERATION_EMPTY:
      node->n_empty++;
      break;
    case OPERATION_RESET:
      g_array_append_val (node->resets, n);
      break;
    default:
      break;
    }
}

gchar *
trace_read (Trace *self, guint end)
{
  for (; self->n_read < MIN (end, operation_log_get_length ()); self->n_read++)
    {
      OperationEntry entry = operation_log_get (self->n_read);
      TraceNode *node = &self->nodes[entry.id];
      const gchar *wrong = check_epoch (node, &entry);

      if (wrong == NULL)
        wrong = check_held (self, node, &entry);
      if (wrong != NULL)
        return describe (&entry, self->n_read, wrong);
      count (node, &entry);
    }
  return NULL;
}
