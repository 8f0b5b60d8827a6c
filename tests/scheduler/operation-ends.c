/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an application does at the ends of a graph: flushes, closing, not reading, other memory. */
#include "model-operations.h"

#include "test-run.h"

/* ---- flush ---- */

void
operations_find_reach (Operations *self, guint index, gboolean *reached)
{
  reached[index] = TRUE;
  for (guint i = index + 1; i < self->model.n_nodes; i++)
    for (guint j = 0; j < self->model.nodes[i].n_inputs; j++)
      reached[i] |= reached[self->model.nodes[i].inputs[j]];
}

/* By all flushes that are on. */
void
operations_find_flushed (Operations *self, gboolean *flushed)
{
  memset (flushed, 0, MODEL_MAX_NODES * sizeof *flushed);
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      gboolean reached[MODEL_MAX_NODES] = { FALSE };

      if (!self->flushing[self->model.nodes[i].id])
        continue;
      operations_find_reach (self, i, reached);
      for (guint k = 0; k < self->model.n_nodes; k++)
        flushed[k] |= reached[k];
    }
}

void
operations_check_flushed (Operations *self, guint index, HoloOpResult result)
{
  gboolean flushed[MODEL_MAX_NODES];

  operations_find_flushed (self, flushed);
  if (flushed[index] != (result == HOLO_OP_FLUSHED))
    operations_fail (self, "n%02u is %sbeing flushed and gave %s", self->model.nodes[index].id,
                     flushed[index] ? "" : "not ", holo_op_result_get_name (result));
}

static guint64
get_discarded (Operations *self, guint index)
{
  g_autofree gchar *name = g_strdup_printf ("n%02u", self->model.nodes[index].id);
  HoloNodeStatistics statistics;

  test_node_statistics (self->scheduler, name, &statistics);
  return statistics.discarded;
}

static void
start_flush (Operations *self, guint index)
{
  guint id = self->model.nodes[index].id;

  operations_tell (self, "flush of n%02u", id);
  self->flushing[id] = TRUE;
  holo_scheduler_flush_start (self->scheduler, self->ends[id]);
}

/* Nodes that are not @reached, and give to sections which are. */
static void
find_returned (Operations *self, const gboolean *reached, gboolean *back)
{
  const Model *model = &self->model;

  for (guint i = 0; i < model->n_nodes; i++)
    {
      back[i] = FALSE;
      for (guint k = 0; k < model->n_nodes && !reached[i]; k++)
        back[i] |= reached[k] && (model_is_pushed_by (model, k, model->section[i]) ||
                                  (model->nodes[k].kind != MODEL_OUTPUT && model->section[k] == model->section[i]));
    }
}

void
operations_stop_flush (Operations *self, guint index)
{
  guint id = self->model.nodes[index].id;
  gboolean reached[MODEL_MAX_NODES] = { FALSE }, dropped[MODEL_MAX_NODES], back[MODEL_MAX_NODES];
  guint64 before[MODEL_MAX_NODES];
  g_autoptr (GError) error = NULL;

  operations_compare (self);
  operations_find_reach (self, index, reached);
  for (guint i = 0; i < self->model.n_nodes; i++)
    before[i] = get_discarded (self, i);
  if (!holo_scheduler_flush_stop (self->scheduler, self->ends[id], &error))
    operations_fail (self, "the flush of n%02u: %s", id, error->message);
  operations_tell (self, "no flush of n%02u", id);
  self->flushing[id] = FALSE;
  for (guint i = 0; i < self->model.n_nodes; i++)
    dropped[i] = get_discarded (self, i) > before[i];
  find_returned (self, reached, back);
  operations_rest (self, G_MAXUINT, back);
  for (guint i = 0; i < self->model.n_nodes; i++)
    self->trace->nodes[self->model.nodes[i].id].run_returned += reached[i] && replay_is_in_hand (self->replay, i);
  replay_flush (self->replay, reached, dropped);
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (reached[i])
      {
        trace_renew (self->trace, self->model.nodes[i].id);
        self->over[self->model.nodes[i].id] = self->closed[self->model.nodes[i].id];
      }
}

/* One begins or ends. */
void
operation_flush (Operations *self)
{
  gint index = operations_find (self, MODEL_INPUT);

  if (index < 0)
    return;
  if (self->flushing[self->model.nodes[index].id])
    operations_stop_flush (self, (guint) index);
  else
    start_flush (self, (guint) index);
}

/* ---- Outputs ---- */

void
operation_close (Operations *self)
{
  gint index = operations_find (self, MODEL_OUTPUT);
  guint id;

  if (index < 0 || self->over[self->model.nodes[index].id])
    return;
  id = self->model.nodes[index].id;
  operations_compare (self);
  operations_tell (self, "close n%02u", id);
  holo_end_close (self->ends[id]);
  self->over[id] = self->closed[id] = TRUE;
  replay_close (self->replay, id);
}

void
operation_set_unread (Operations *self)
{
  gint index = operations_find (self, MODEL_OUTPUT);
  guint id;

  if (index < 0)
    return;
  id = self->model.nodes[index].id;
  operations_compare (self);
  self->unread[id] = !self->unread[id];
  operations_tell (self, "n%02u is %s", id, self->unread[id] ? "not read" : "read again");
  holo_end_set_unread (self->ends[id], self->unread[id]);
  replay_set_unread (self->replay, id, self->unread[id]);
}

static HoloBlock *
alloc_block (gsize size, GCancellable *cancellable, gpointer data, GError **error)
{
  Operations *self = data;

  g_atomic_int_inc (&self->n_blocks);
  return holo_block_new_alloc (size, error);
}

static void
on_allocator_gone (gpointer data)
{
  Operations *self = data;

  g_atomic_int_add (&self->n_allocators, -1);
}

void
operation_set_allocator (Operations *self)
{
  gint index = operations_find (self, MODEL_OUTPUT);
  gboolean other;

  if (index < 0)
    return;
  other = operations_roll (self, 0, 2) > 0;
  operations_tell (self, "%s allocator for n%02u", other ? "an" : "no", self->model.nodes[index].id);
  if (other)
    g_atomic_int_inc (&self->n_allocators);
  holo_end_set_allocator (self->ends[self->model.nodes[index].id], other ? alloc_block : NULL, self,
                          other ? on_allocator_gone : NULL);
}
