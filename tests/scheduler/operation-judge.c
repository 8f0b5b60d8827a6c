/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What threads did, judged afterwards: the replay goes from change to change. */
#include "operation-threads.h"

typedef struct
{
  Threads *threads;
  Operations *operations;
  Trace *trace;
  Replay *replay;
  Model model;
  guint periods[OPERATION_MAX_IDS];
  guint n_judged[OPERATION_MAX_IDS]; /* of what passed an end */
} Judge;

/* ---- ends ---- */

/* Numbers begin again with the period, and an application sees that only afterwards. */
static guint
get_period_of (const ThreadEnd *end, guint n)
{
  const Passed *passed = &g_array_index (end->passed, Passed, n);

  if (n == 0 || passed->number <= g_array_index (end->passed, Passed, n - 1).number)
    return passed->period_after;
  return get_period_of (end, n - 1);
}

/* Whether somebody finds the end of an Input before the next flush of it, or the next run. */
static gboolean
is_found_empty (Judge *self, guint id, guint change)
{
  guint end = operation_log_get_length ();

  for (; change < self->threads->changes->len; change++)
    {
      const Change *next = &g_array_index (self->threads->changes, Change, change);

      if (next->flushed == (gint) id || next->restarts)
        {
          end = next->commit;
          break;
        }
    }
  for (guint i = self->trace->n_read; i < end; i++)
    {
      OperationEntry entry = operation_log_get (i);

      if (entry.id == id && entry.what == OPERATION_EMPTY)
        return TRUE;
    }
  return FALSE;
}

static void
feed_period (Judge *self, ThreadEnd *end, guint change)
{
  guint period = self->periods[end->id];

  for (; self->n_judged[end->id] < end->passed->len; self->n_judged[end->id]++)
    {
      const Passed *passed = &g_array_index (end->passed, Passed, self->n_judged[end->id]);

      if (get_period_of (end, self->n_judged[end->id]) > period)
        break;
      replay_feed (self->replay, end->id, passed->values);
    }
  for (guint i = 0; i < end->ended->len; i++)
    if (g_array_index (end->ended, guint, i) == period)
      replay_end_input (self->replay, end->id);
  for (guint i = 0; i < end->maybe_ended->len; i++)
    if (g_array_index (end->maybe_ended, guint, i) == period && is_found_empty (self, end->id, change))
      replay_end_input (self->replay, end->id);
}

static gboolean
take_next (Judge *self, ThreadEnd *end, const Passed *passed)
{
  GArray *expected;

  while ((expected = replay_take (self->replay, end->id)) != NULL)
    {
      g_autofree gchar *a = NULL, *b = NULL;
      gboolean same = operations_same_values (passed->values, expected);

      if (!same && !end->was_unread && passed->period == passed->period_after)
        {
          a = operations_values_to_text (passed->values);
          b = operations_values_to_text (expected);
          operations_fail (self->operations, "frame %u of n%02u (period %u) is %s, not %s", self->n_judged[end->id],
                           end->id, passed->period, a, b);
        }
      g_array_unref (expected);
      if (same || !end->was_unread)
        return same;
    }
  return FALSE;
}

/* Before the period ends. A frame that was pulled while it did may belong to the next one. */
static void
judge_pulled (Judge *self, ThreadEnd *end)
{
  guint period = self->periods[end->id];

  for (; self->n_judged[end->id] < end->passed->len; self->n_judged[end->id]++)
    {
      const Passed *passed = &g_array_index (end->passed, Passed, self->n_judged[end->id]);

      if (passed->period > period || (passed->period < passed->period_after && passed->period_after == period + 1 &&
                                      !take_next (self, end, passed)))
        break;
      if (passed->period == passed->period_after && !take_next (self, end, passed))
        operations_fail (self->operations, "n%02u gave a frame more than there can be in period %u", end->id, period);
    }
}

static void
begin_periods (Judge *self, const gboolean *reached)
{
  for (guint i = 0; i < self->threads->n_ends; i++)
    for (guint k = 0; k < self->model.n_nodes; k++)
      if (self->model.nodes[k].id == self->threads->ends[i].id && (reached == NULL || reached[k]))
        self->periods[self->model.nodes[k].id]++;
}

static void
judge_ends (Judge *self, const gboolean *reached)
{
  for (guint i = 0; i < self->threads->n_ends; i++)
    for (guint k = 0; k < self->model.n_nodes; k++)
      if (self->model.nodes[k].id == self->threads->ends[i].id && (reached == NULL || reached[k]) &&
          !self->threads->ends[i].is_input)
        judge_pulled (self, &self->threads->ends[i]);
}

static void
feed_ends (Judge *self, guint change)
{
  for (guint i = 0; i < self->threads->n_ends; i++)
    if (self->threads->ends[i].is_input)
      feed_period (self, &self->threads->ends[i], change);
}

static void
close_ends (Judge *self, guint change)
{
  for (guint i = 0; i < self->threads->n_ends; i++)
    if (self->threads->ends[i].closed_in == (gint) change)
      replay_close (self->replay, self->threads->ends[i].id);
}

/* ---- changes ---- */

/* Up to the next change. */
static void
advance (Judge *self, guint commit)
{
  guint64 calls[MODEL_MAX_NODES];
  g_autofree gchar *wrong = trace_read (self->trace, commit);

  if (wrong != NULL)
    operations_fail (self->operations, "%s", wrong);
  for (guint i = 0; i < self->model.n_nodes; i++)
    calls[i] = self->trace->nodes[self->model.nodes[i].id].executions->len;
  if (!replay_advance (self->replay, calls))
    operations_fail (self->operations, "%s", replay_get_failure (self->replay));
}

static void
find_reach (Judge *self, guint id, gboolean *reached)
{
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      reached[i] = self->model.nodes[i].id == id;
      for (guint j = 0; j < self->model.nodes[i].n_inputs; j++)
        reached[i] |= reached[self->model.nodes[i].inputs[j]];
    }
}

static void
apply_flush (Judge *self, guint id)
{
  gboolean reached[MODEL_MAX_NODES], dropped[MODEL_MAX_NODES] = { FALSE };

  find_reach (self, id, reached);
  judge_ends (self, reached);
  replay_flush (self->replay, reached, dropped);
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (reached[i])
      trace_renew (self->trace, self->model.nodes[i].id);
  begin_periods (self, reached);
}

static void
apply (Judge *self, guint number)
{
  const Change *change = &g_array_index (self->threads->changes, Change, number);
  guint64 n_by_rule, n_lost = replay_change (self->replay, &change->next, change->kept, &n_by_rule);

  if (!change->restarts && !change->is_last &&
      (change->n_discarded < n_lost || change->n_discarded > n_lost + n_by_rule))
    operations_fail (self->operations, "update %u reports %" G_GUINT64_FORMAT " frames lost, not %" G_GUINT64_FORMAT,
                     number, change->n_discarded, n_lost);
  self->model = change->next;
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (!change->kept[i])
      trace_renew (self->trace, self->model.nodes[i].id);
  if (change->flushed >= 0)
    apply_flush (self, (guint) change->flushed);
  if (!change->restarts)
    return;
  judge_ends (self, NULL);
  replay_restart (self->replay);
  trace_restart (self->trace);
  begin_periods (self, NULL);
}

/* Nothing moves any more: whoever sleeps at an end must have a reason. A push may be driving instead. */
static gchar *
find_sleeper (Judge *self)
{
  for (guint i = 0; i < self->threads->n_ends; i++)
    {
      const ThreadEnd *end = &self->threads->ends[i];

      if (!g_atomic_int_get (&end->calls) || end->was_unread)
        continue;
      if (end->is_input && self->threads->driving == HOLO_DRIVING_THREADS && replay_wants (self->replay, end->id))
        return g_strdup_printf ("a push into n%02u sleeps, and there is room", end->id);
      if (!end->is_input && end->closed_in < 0 && replay_has_come (self->replay, end->id))
        return g_strdup_printf ("a pull from n%02u sleeps, and there is a frame", end->id);
    }
  return NULL;
}

static gchar *
judge_end (Judge *self, gboolean is_over)
{
  guint n = self->threads->changes->len;
  gchar *standstill;

  judge_ends (self, NULL);
  replay_rest (self->replay);
  if (n > 0 && g_array_index (self->threads->changes, Change, n - 1).is_last)
    return NULL;
  if (is_over && replay_find_unfinished (self->replay) >= 0)
    operations_fail (self->operations, "the run is over, but n%02d has not ended",
                     replay_find_unfinished (self->replay));
  if (is_over)
    return NULL;
  standstill = replay_find_standstill (self->replay);
  return standstill != NULL ? standstill : find_sleeper (self);
}

static void
lock_ends (Threads *self, gboolean lock)
{
  for (guint i = 0; i < self->n_ends; i++)
    if (lock)
      g_mutex_lock (&self->ends[i].lock);
    else
      g_mutex_unlock (&self->ends[i].lock);
}

static gboolean
is_unsure (Threads *self)
{
  gboolean unsure = FALSE;

  for (guint i = 0; i < self->n_ends; i++)
    unsure |= self->ends[i].is_unsure;
  return unsure;
}

gchar *
threads_judge (Threads *self, gboolean is_over)
{
  Judge judge = { .threads = self, .operations = &self->operations, .model = self->first };
  guint n = self->changes->len;
  gchar *standstill = NULL;

  lock_ends (self, TRUE);
  judge.trace = trace_new (TRUE);
  judge.replay = replay_new (&self->first, judge.trace);
  for (guint i = 0; i <= n && !is_unsure (self); i++)
    {
      const Change *change = i < n ? &g_array_index (self->changes, Change, i) : NULL;

      trace_expect (judge.trace, &judge.model);
      feed_ends (&judge, i);
      close_ends (&judge, i);
      replay_prepare_change (judge.replay);
      advance (&judge, change != NULL ? change->commit : G_MAXUINT);
      if (change != NULL)
        apply (&judge, i);
    }
  if (!is_unsure (self))
    standstill = judge_end (&judge, is_over);
  lock_ends (self, FALSE);
  replay_free (judge.replay);
  trace_free (judge.trace);
  return standstill;
}

void
threads_judge_leaky (Threads *self)
{
  Trace *trace = trace_new (TRUE);
  Model model = self->first;

  for (guint i = 0; i <= self->changes->len; i++)
    {
      const Change *change = i < self->changes->len ? &g_array_index (self->changes, Change, i) : NULL;
      g_autofree gchar *wrong = NULL;

      trace_expect (trace, &model);
      wrong = trace_read (trace, change != NULL ? change->commit : G_MAXUINT);
      if (wrong != NULL)
        operations_fail (&self->operations, "%s", wrong);
      if (change != NULL)
        model = change->next;
    }
  trace_free (trace);
}
