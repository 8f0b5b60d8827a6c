/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations while threads push, pull and drive. */
#include "operation-threads.h"

#include "hb-checker.h"
#include "test-run.h"

#define N_OPERATIONS 6
#define IDLE         40000   /* us without an entry in the log: nothing moves */
#define LONG_IDLE    3000000 /* us: nothing moves, busy as the machine may be */

/* ---- pushers and pullers ---- */

static gboolean
quits (Threads *self)
{
  return g_atomic_int_get (&self->quit);
}

static guint
get_period (ThreadEnd *end)
{
  return (guint) g_atomic_int_get ((gint *) &end->period);
}

static void
pause_sometimes (ThreadEnd *end)
{
  if (g_rand_int_range (end->rand, 0, 6) == 0)
    g_usleep ((gulong) g_rand_int_range (end->rand, 0, 300));
}

/* Where nothing is to be asked of an end while its period changes. */
static void
pass_gate (ThreadEnd *end)
{
  if (!g_atomic_int_get (&end->gate))
    return;
  g_atomic_int_set (&end->waits, TRUE);
  while (!quits (end->threads) && g_atomic_int_get (&end->gate))
    g_usleep (50);
  g_atomic_int_set (&end->waits, FALSE);
}

/* Nothing passes any more in this period. */
static void
wait_for_period (ThreadEnd *end, guint period)
{
  g_atomic_int_set (&end->waits, TRUE);
  while (!quits (end->threads) && get_period (end) == period)
    g_usleep (100);
  g_atomic_int_set (&end->waits, FALSE);
}

static void
note_passed (ThreadEnd *end, GArray *values, guint64 number, guint period)
{
  Passed passed = { values, number, period, get_period (end) };

  g_mutex_lock (&end->lock);
  g_array_append_val (end->passed, passed);
  g_mutex_unlock (&end->lock);
}

static HoloOpResult
push_one (ThreadEnd *end, guint period)
{
  Operations *operations = &end->threads->operations;
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;
  GArray *values = operations_make_frame (operations, &end->threads->first.nodes[end->index], &frame);
  HoloOpResult result;

  g_atomic_int_set (&end->calls, TRUE);
  result = holo_end_push (end->end, &frame, NULL, &error);
  g_atomic_int_set (&end->calls, FALSE);
  if (result == HOLO_OP_ERROR)
    operations_fail (operations, "a push into n%02u: %s", end->id, error->message);
  if (result == HOLO_OP_NOT_READY || (result == HOLO_OP_OK && frame.block != NULL))
    operations_fail (operations, "a push into n%02u gave %s", end->id, holo_op_result_get_name (result));
  if (frame.block == NULL)
    note_passed (end, values, frame.stamp.seq, period);
  else
    g_array_unref (values);
  return result;
}

static HoloOpResult
push_end (ThreadEnd *end, guint period)
{
  g_autoptr (GError) error = NULL;
  HoloOpResult result = holo_end_push_end (end->end, &error);

  if (result == HOLO_OP_ERROR)
    operations_fail (&end->threads->operations, "the end of n%02u: %s", end->id, error->message);
  if (result == HOLO_OP_EOF)
    return result;
  g_mutex_lock (&end->lock);
  g_array_append_val (result == HOLO_OP_OK ? end->ended : end->maybe_ended, period);
  end->is_unsure |= get_period (end) != period;
  g_mutex_unlock (&end->lock);
  return result == HOLO_OP_OK ? HOLO_OP_EOF : result;
}

/* A flush of another Input sends away whoever drives its section for an end that was told: he has to come again. */
static void
stay_ended (ThreadEnd *end, guint period)
{
  while (!quits (end->threads) && get_period (end) == period)
    {
      push_end (end, period);
      g_usleep (500);
      pass_gate (end);
    }
}

static gpointer
push_frames (gpointer data)
{
  ThreadEnd *end = data;
  gint64 number = end->threads->first.nodes[end->index].number;

  while (!quits (end->threads))
    {
      HoloOpResult result;
      guint period;

      pass_gate (end);
      period = get_period (end);
      result = number-- > 0 ? push_one (end, period) : push_end (end, period);
      if (result == HOLO_OP_FLUSHED)
        g_usleep (50);
      else if (result == HOLO_OP_EOF && number < 0)
        stay_ended (end, period);
      else if (result != HOLO_OP_OK)
        wait_for_period (end, period);
      if (number < 0)
        number = g_rand_int_range (end->rand, 0, 12); /* for the next period */
      pause_sometimes (end);
    }
  return NULL;
}

static gpointer
pull_frames (gpointer data)
{
  ThreadEnd *end = data;

  while (!quits (end->threads))
    {
      g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
      g_autoptr (GError) error = NULL;
      HoloOpResult result;
      guint period;

      pass_gate (end);
      period = get_period (end);
      g_atomic_int_set (&end->calls, TRUE);
      result = holo_end_pull (end->end, &frame, NULL, &error);
      g_atomic_int_set (&end->calls, FALSE);
      if (result == HOLO_OP_ERROR)
        operations_fail (&end->threads->operations, "a pull from n%02u: %s", end->id, error->message);
      if (result == HOLO_OP_OK)
        note_passed (end, operations_read_frame (&frame), frame.stamp.seq, period);
      else if (result == HOLO_OP_FLUSHED)
        g_usleep (50);
      else
        wait_for_period (end, period);
      pause_sometimes (end);
    }
  return NULL;
}

/* ---- drivers ---- */

/* All sections in turn, without waiting for any of them. */
static gpointer
drive (gpointer data)
{
  Threads *self = data;

  while (!quits (self))
    {
      gboolean any = FALSE;

      for (guint i = 0;; i++)
        {
          g_autoptr (HoloSection) section = holo_scheduler_get_section (self->operations.scheduler, i);
          g_autoptr (GError) error = NULL;
          HoloOpResult result;

          if (section == NULL)
            break;
          result = holo_section_try_iterate (section, &error);
          if (result == HOLO_OP_ERROR && !g_error_matches (error, HOLO_ERROR, HOLO_ERROR_STATE))
            operations_fail (&self->operations, "%s: %s", holo_section_get_name (section), error->message);
          any |= result == HOLO_OP_OK;
        }
      if (!any)
        g_usleep (50);
    }
  return NULL;
}

/* ---- changes ---- */

typedef struct
{
  gint done; /* atomic */
  guint reported;
  guint64 n_discarded;
  gchar *message;
} Report;

static void
on_updated (HoloScheduler *scheduler, guint64 n_discarded, const GError *error, gpointer data)
{
  Report *report = data;

  report->reported = operation_log_get_length ();
  report->n_discarded = n_discarded;
  report->message = error != NULL ? g_strdup (error->message) : NULL;
  g_atomic_int_set (&report->done, TRUE);
}

static void
make_change (Operations *operations, Change *change)
{
  ModelChange first = (ModelChange) operations_roll (operations, 0, N_CHANGES - 1);

  change->next = operations->model;
  operations_tell (operations, "update: %s", model_change_get_name (first));
  model_change (&change->next, first, operations->rand, &operations->id, &operations->epoch);
  if (operations_roll (operations, 0, 1) == 0)
    model_change (&change->next, CHANGE_ALL, operations->rand, &operations->id, &operations->epoch);
  model_touch_witness (&change->next, &operations->epoch);
}

static void
update (Threads *self, gboolean restarts)
{
  Operations *operations = &self->operations;
  Change change = { .flushed = -1, .restarts = restarts };
  Report report = { 0 };
  HoloPlan *plan;
  guint from;

  make_change (operations, &change);
  plan = operations_compile (operations, &change.next, operations->plan);
  operations_find_kept (operations, &change.next, plan, change.kept);
  from = operation_log_get_length ();
  holo_scheduler_update (operations->scheduler, plan, on_updated, &report);
  while (!g_atomic_int_get (&report.done))
    g_usleep (50);
  if (report.message != NULL)
    operations_fail (operations, "the update: %s", report.message);
  change.commit = operation_log_find_commit (from, model_get_witness (&change.next));
  if (change.commit == G_MAXUINT || change.commit >= report.reported)
    operations_fail (operations, "the update was reported and not committed");
  change.n_discarded = report.n_discarded;
  change.is_last = !restarts && !holo_scheduler_is_running (operations->scheduler);
  operations_tell (operations, "updated: %" G_GUINT64_FORMAT " discarded", report.n_discarded);
  holo_plan_unref (operations->plan);
  operations->plan = plan;
  operations->model = change.next;
  g_array_append_val (self->changes, change);
}

static gboolean
is_reached (Threads *self, const ThreadEnd *end, const gboolean *reached)
{
  for (guint k = 0; reached != NULL && k < self->operations.model.n_nodes; k++)
    if (self->operations.model.nodes[k].id == end->id)
      return reached[k];
  return reached == NULL;
}

/* Until nobody asks these ends for anything: what they give then is of the old period. */
static void
close_gates (Threads *self, const gboolean *reached)
{
  for (guint i = 0; i < self->n_ends; i++)
    if (is_reached (self, &self->ends[i], reached))
      g_atomic_int_set (&self->ends[i].gate, TRUE);
  for (guint i = 0; i < self->n_ends; i++)
    while (is_reached (self, &self->ends[i], reached) && !g_atomic_int_get (&self->ends[i].waits))
      g_usleep (50);
}

static void
open_gates (Threads *self, const gboolean *reached, gboolean begins)
{
  for (guint i = 0; i < self->n_ends; i++)
    {
      if (begins && is_reached (self, &self->ends[i], reached))
        g_atomic_int_inc ((gint *) &self->ends[i].period);
      g_atomic_int_set (&self->ends[i].gate, FALSE);
    }
}

/* Whether the flush that began before the last change has done anything, or the run was over before. */
static gboolean
has_flushed (Threads *self, const gboolean *reached)
{
  const Model *model = &self->operations.model;
  guint commit = g_array_index (self->changes, Change, self->changes->len - 1).commit;

  if (holo_scheduler_is_running (self->operations.scheduler))
    return TRUE;
  for (guint i = commit; i < operation_log_get_length (); i++)
    {
      OperationEntry entry = operation_log_get (i);

      for (guint k = 0; k < model->n_nodes; k++)
        if (entry.what == OPERATION_RESET && reached[k] && model->nodes[k].id == entry.id)
          return TRUE;
    }
  return FALSE;
}

static void
flush (Threads *self)
{
  Operations *operations = &self->operations;
  gint index = operations_find (operations, MODEL_INPUT);
  gboolean reached[MODEL_MAX_NODES] = { FALSE }, works;
  g_autoptr (GError) error = NULL;
  guint id;

  if (index < 0)
    return;
  id = operations->model.nodes[index].id;
  operations_tell (operations, "flush of n%02u", id);
  holo_scheduler_flush_start (operations->scheduler, operations->ends[id]);
  update (self, FALSE);
  for (guint i = 0; i < operations->model.n_nodes; i++)
    if (operations->model.nodes[i].id == id)
      operations_find_reach (operations, i, reached);
  close_gates (self, reached);
  if (!holo_scheduler_flush_stop (operations->scheduler, operations->ends[id], &error))
    operations_fail (operations, "the flush of n%02u: %s", id, error->message);
  works = has_flushed (self, reached);
  if (works)
    g_array_index (self->changes, Change, self->changes->len - 1).flushed = (gint) id;
  open_gates (self, reached, works);
}

static void
restart (Threads *self)
{
  Operations *operations = &self->operations;
  g_autoptr (GError) error = NULL;

  operations_tell (operations, "stop");
  holo_scheduler_stop (operations->scheduler);
  if (!holo_scheduler_wait (operations->scheduler, &error))
    operations_fail (operations, "the run: %s", error->message);
  update (self, TRUE);
  close_gates (self, NULL);
  operations_tell (operations, "start");
  if (!holo_scheduler_start (operations->scheduler, &error))
    operations_fail (operations, "start: %s", error->message);
  open_gates (self, NULL, TRUE);
}

/* ---- the rest ---- */

static ThreadEnd *
find_output (Threads *self)
{
  guint first = operations_roll (&self->operations, 0, MODEL_MAX_NODES);

  for (guint i = 0; i < self->n_ends; i++)
    {
      ThreadEnd *end = &self->ends[(first + i) % self->n_ends];

      if (!end->is_input)
        return end;
    }
  return NULL;
}

static void
change_output (Threads *self)
{
  ThreadEnd *end = find_output (self);
  gboolean closes = operations_roll (&self->operations, 0, 2) == 0;

  if (end == NULL || end->closed_in >= 0)
    return;
  operations_tell (&self->operations, "%s n%02u", closes ? "close" : "do not read", end->id);
  if (closes)
    {
      end->closed_in = (gint) self->changes->len;
      holo_end_close (end->end);
      return;
    }
  end->was_unread = TRUE;
  holo_end_set_unread (end->end, TRUE);
  g_usleep ((gulong) operations_roll (&self->operations, 0, 500));
  holo_end_set_unread (end->end, FALSE);
}

static void
look (Threads *self)
{
  HoloScheduler *scheduler = self->operations.scheduler;
  g_autoptr (GVariant) variant = holo_scheduler_get_statistics (scheduler);
  g_autoptr (JsonNode) json = holo_scheduler_get_statistics_json (scheduler);
  g_autofree gchar *text = holo_scheduler_get_statistics_text (scheduler);
  HoloNodeStatistics statistics;

  for (guint i = 0; i < self->operations.model.n_nodes; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("n%02u", self->operations.model.nodes[i].id);

      test_node_statistics (scheduler, name, &statistics);
    }
  if (variant == NULL || json == NULL || text == NULL)
    operations_fail (&self->operations, "there are no numbers");
}

/* Flushes that overlap, and nothing between them. */
static void
flush_twice (Threads *self)
{
  Operations *operations = &self->operations;
  gint index[2] = { operations_find (operations, MODEL_INPUT), operations_find (operations, MODEL_INPUT) };

  for (guint i = 0; i < 2 && index[i] >= 0; i++)
    holo_scheduler_flush_start (operations->scheduler, operations->ends[operations->model.nodes[index[i]].id]);
  g_usleep ((gulong) operations_roll (operations, 0, 300));
  for (guint i = 0; i < 2 && index[i] >= 0; i++)
    holo_scheduler_flush_stop (operations->scheduler, operations->ends[operations->model.nodes[index[i]].id], NULL);
  open_gates (self, NULL, TRUE);
}

static void
operate (Threads *self)
{
  guint what = operations_roll (&self->operations, 0, 15);

  g_usleep ((gulong) operations_roll (&self->operations, 0, 1500));
  if (what < 8)
    update (self, FALSE);
  else if (what < 11 && (self->operations.way & OPERATIONS_LEAKY) != 0)
    flush_twice (self);
  else if (what < 11)
    flush (self);
  else if (what < 12)
    restart (self);
  else if (what < 14)
    change_output (self);
  else if (what < 15)
    look (self);
  else
    operation_set_allocator (&self->operations);
}

/* ---- a graph from beginning to end ---- */

static void
start_end (Threads *self, guint index)
{
  const ModelNode *node = &self->first.nodes[index];
  ThreadEnd *end = &self->ends[self->n_ends++];

  end->threads = self;
  end->index = index;
  end->id = node->id;
  end->is_input = node->kind == MODEL_INPUT;
  end->end = self->operations.ends[node->id];
  end->rand = g_rand_new_with_seed (self->operations.seed + 31 * self->n_ends);
  end->closed_in = -1;
  end->passed = g_array_new (FALSE, FALSE, sizeof (Passed));
  end->ended = g_array_new (FALSE, FALSE, sizeof (guint));
  end->maybe_ended = g_array_new (FALSE, FALSE, sizeof (guint));
  g_mutex_init (&end->lock);
  end->thread = g_thread_new ("end", end->is_input ? push_frames : pull_frames, end);
}

static void
start_threads (Threads *self)
{
  guint n = self->operations.way & OPERATIONS_LEAKY ? 2 : 1;

  for (guint i = 0; i < self->first.n_nodes; i++)
    for (guint k = 0; k < n && (self->first.nodes[i].kind == MODEL_INPUT || self->first.nodes[i].kind == MODEL_OUTPUT);
         k++)
      start_end (self, i);
  self->n_drivers = self->driving == HOLO_DRIVING_CALLER ? 2 : 0;
  for (guint i = 0; i < self->n_drivers; i++)
    self->drivers[i] = g_thread_new ("driver", drive, self);
}

static void
join_threads (Threads *self)
{
  g_atomic_int_set (&self->quit, TRUE);
  for (guint i = 0; i < self->n_ends; i++)
    g_thread_join (self->ends[i].thread);
  for (guint i = 0; i < self->n_drivers; i++)
    g_thread_join (self->drivers[i]);
}

static void
wait_until_idle (Threads *self, gint64 idle)
{
  gint64 last = g_get_monotonic_time ();
  guint length = operation_log_get_length ();

  while (holo_scheduler_is_running (self->operations.scheduler) && g_get_monotonic_time () < last + idle)
    {
      g_usleep (1000);
      if (operation_log_get_length () != length)
        last = g_get_monotonic_time ();
      length = operation_log_get_length ();
    }
}

static void
end_run (Threads *self)
{
  Operations *operations = &self->operations;
  gboolean is_over;
  g_autoptr (GError) error = NULL;
  g_autofree gchar *standstill = NULL;
  guint length;

  do
    {
      wait_until_idle (self, standstill == NULL ? IDLE : LONG_IDLE);
      length = operation_log_get_length ();
      is_over = !holo_scheduler_is_running (operations->scheduler);
      if (is_over)
        close_gates (self, NULL); /* everybody has noted what he saw */
      g_free (standstill);
      standstill = NULL;
      if (operations->way & OPERATIONS_LEAKY)
        threads_judge_leaky (self);
      else
        standstill = threads_judge (self, is_over);
      if (standstill != NULL && length == operation_log_get_length () && !is_over)
        {
          wait_until_idle (self, LONG_IDLE);
          if (length == operation_log_get_length () && holo_scheduler_is_running (operations->scheduler))
            operations_fail (operations, "%s", standstill);
        }
    }
  while (standstill != NULL);
  holo_scheduler_stop (operations->scheduler);
  if (!holo_scheduler_wait (operations->scheduler, &error))
    operations_fail (operations, "the run: %s", error->message);
}

static void
clear_end (ThreadEnd *end)
{
  for (guint i = 0; i < end->passed->len; i++)
    g_array_unref (g_array_index (end->passed, Passed, i).values);
  g_array_unref (end->passed);
  g_array_unref (end->ended);
  g_array_unref (end->maybe_ended);
  g_rand_free (end->rand);
  g_mutex_clear (&end->lock);
}

void
operations_run_threads (guint seed, guint way)
{
  static const HoloDriving drivings[] = { HOLO_DRIVING_THREADS, HOLO_DRIVING_INPUTS, HOLO_DRIVING_CALLER };
  g_autofree Threads *self = g_new0 (Threads, 1);
  g_autofree gchar *label = g_strdup_printf ("graph %u of the operations by threads, way %u", seed, way);

  self->driving = drivings[seed % G_N_ELEMENTS (drivings)];
  hb_checker_reset ();
  test_watchdog_label (label);
  test_watchdog (30);
  operations_set_up (&self->operations, seed, way | OPERATIONS_THREADS, self->driving);
  holo_scheduler_set_drain_limit (self->operations.scheduler, 20000);
  self->first = self->operations.model;
  self->changes = g_array_new (FALSE, FALSE, sizeof (Change));
  start_threads (self);
  for (guint i = 0; i < N_OPERATIONS && holo_scheduler_is_running (self->operations.scheduler); i++)
    operate (self);
  end_run (self);
  join_threads (self);
  for (guint i = 0; i < self->n_ends; i++)
    clear_end (&self->ends[i]);
  g_array_unref (self->changes);
  operations_tear_down (&self->operations);
  test_watchdog (0);
}
