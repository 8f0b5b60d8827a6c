/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pair-calls.h"

#include "case-frames.h"
#include "test-run.h"

/* ---- what may come back ---- */

static void
assert_state (const GError *error)
{
  g_assert_nonnull (error);
  if (!g_error_matches (error, HOLO_ERROR, HOLO_ERROR_STATE))
    g_error ("%s %d: %s", g_quark_to_string (error->domain), error->code, error->message);
}

#define R(result) (1u << HOLO_OP_##result)

/* One of @allowed (bits), or ERROR because the state does not fit. */
static void
check_result (const gchar *function, HoloOpResult result, guint allowed, const GError *error)
{
  if (result == HOLO_OP_ERROR)
    {
      assert_state (error);
      return;
    }
  g_assert_no_error (error);
  if (!(allowed & (1u << result)))
    g_error ("%s: %s is no answer here", function, holo_op_result_get_name (result));
}

#define assert_result(result, allowed, error) check_result (G_STRFUNC, result, allowed, error)

/* TRUE, or FALSE because the state does not fit. */
static void
assert_done (gboolean done, const GError *error)
{
  if (done)
    g_assert_no_error (error);
  else
    assert_state (error);
}

/* ---- plans whose tasks are counted ---- */

static void
on_task_gone (gpointer user_data, GObject *object)
{
  g_atomic_int_add ((gint *) user_data, -1);
}

HoloPlan *
pair_round_compile (PairRound *round, guint n, HoloPlan *previous)
{
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (test_kinds_get_registry ());
  g_autoptr (HoloGraph) graph = test_graph (round->texts[n]);
  g_autoptr (GError) error = NULL;
  HoloPlan *plan = holo_compiler_compile (compiler, graph, previous, &error);

  if (plan == NULL)
    {
      assert_state (error);
      return NULL;
    }
  for (guint i = 0; i < holo_plan_get_n_nodes (plan); i++)
    {
      g_atomic_int_inc (&round->n_tasks);
      g_object_weak_ref (G_OBJECT (holo_plan_get_node_task (plan, i)), on_task_gone, &round->n_tasks);
    }
  return plan;
}

/* ---- scheduler ---- */

static void
call_get_plan (PairRound *round, GRand *rand)
{
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (round->scheduler);

  g_assert_true (holo_plan_find_node (plan, "out", NULL));
}

static void
call_start (PairRound *round, GRand *rand)
{
  g_autoptr (GError) error = NULL;
  gboolean started = holo_scheduler_start (round->scheduler, &error);

  assert_done (started, error);
  if (started)
    g_atomic_int_inc (&round->n_starts);
}

static void
call_stop (PairRound *round, GRand *rand)
{
  holo_scheduler_stop (round->scheduler);
}

static void
call_wait (PairRound *round, GRand *rand)
{
  g_autoptr (GError) error = NULL;
  gboolean ended = holo_scheduler_wait (round->scheduler, &error);

  g_assert_no_error (error);
  g_assert_true (ended);
}

static void
call_run (PairRound *round, GRand *rand)
{
  g_autoptr (GError) error = NULL;

  if (holo_scheduler_run (round->scheduler, round->cancellable, &error))
    g_atomic_int_inc (&round->n_starts);
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_atomic_int_inc (&round->n_maybe_starts);
  else
    assert_state (error);
}

static void
call_is_running (PairRound *round, GRand *rand)
{
  gboolean running = holo_scheduler_is_running (round->scheduler);

  g_assert_true (running == TRUE || running == FALSE);
}

static void
call_was_stopped (PairRound *round, GRand *rand)
{
  gboolean stopped = holo_scheduler_was_stopped (round->scheduler);

  g_assert_true (stopped == TRUE || stopped == FALSE);
}

void
pair_round_on_ended (HoloScheduler *scheduler, const GError *error, gpointer user_data)
{
  PairRound *round = user_data;

  g_assert_no_error (error);
  g_assert_true (scheduler == round->scheduler);
  g_atomic_int_inc (&round->n_ends);
}

static void
call_set_ended_func (PairRound *round, GRand *rand)
{
  holo_scheduler_set_ended_func (round->scheduler, pair_round_on_ended, round, NULL);
}

/* %NULL when an update has just made it fewer. */
static HoloSection *
get_section (PairRound *round, GRand *rand)
{
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (round->scheduler);
  guint n = (guint) g_rand_int_range (rand, 0, (gint32) holo_plan_get_n_sections (plan));

  return holo_scheduler_get_section (round->scheduler, n);
}

static void
call_get_section (PairRound *round, GRand *rand)
{
  g_autoptr (HoloSection) section = get_section (round, rand);

  if (section != NULL)
    g_assert_nonnull (holo_section_get_name (section));
}

static void
call_get_event_router (PairRound *round, GRand *rand)
{
  HoloEventRouter *router = holo_scheduler_get_event_router (round->scheduler);
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_NULL);

  /* a full mailbox drops */
  holo_event_router_send (router, "m", node, NULL);
}

static void
call_get_node_statistics (PairRound *round, GRand *rand)
{
  HoloNodeStatistics statistics;

  g_assert_true (holo_scheduler_get_node_statistics (round->scheduler, "m", &statistics));
  g_assert_cmpstr (statistics.kind, ==, "Metered");
  g_assert_false (holo_scheduler_get_node_statistics (round->scheduler, "nobody", &statistics));
}

static void
call_get_section_statistics (PairRound *round, GRand *rand)
{
  HoloSectionStatistics statistics;

  g_assert_true (holo_scheduler_get_section_statistics (round->scheduler, 0, &statistics));
  g_assert_nonnull (statistics.name);
  g_assert_false (holo_scheduler_get_section_statistics (round->scheduler, 1000, &statistics));
}

static void
call_get_statistics (PairRound *round, GRand *rand)
{
  g_autoptr (GVariant) variant = g_variant_take_ref (holo_scheduler_get_statistics (round->scheduler));

  g_assert_true (g_variant_is_normal_form (variant));
}

static void
call_get_statistics_json (PairRound *round, GRand *rand)
{
  g_autoptr (JsonNode) json = holo_scheduler_get_statistics_json (round->scheduler);

  g_assert_true (JSON_NODE_HOLDS_OBJECT (json));
}

static void
call_get_statistics_text (PairRound *round, GRand *rand)
{
  g_autofree gchar *text = holo_scheduler_get_statistics_text (round->scheduler);

  g_assert_nonnull (g_strstr_len (text, -1, "out"));
}

static void
call_get_input (PairRound *round, GRand *rand)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloEnd) input = holo_scheduler_get_input (round->scheduler, "in", &error);

  g_assert_no_error (error);
  g_assert_true (holo_end_is_input (input));
}

static void
call_get_output (PairRound *round, GRand *rand)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloEnd) output = holo_scheduler_get_output (round->scheduler, "out", &error);

  g_assert_no_error (error);
  g_assert_false (holo_end_is_input (output));
}

static void
call_process (PairRound *round, GRand *rand)
{
  g_auto (HoloFrame) in = HOLO_FRAME_INIT, out = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;
  HoloOpResult result;

  case_frame_init (&in, 1);
  result = holo_scheduler_process (round->scheduler, &in, &out, round->cancellable, &error);
  if (round->n_inputs > 1)
    {
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SLOT); /* it is for graphs of one Input */
      return;
    }
  assert_result (result, R (OK) | R (FLUSHED) | R (EOF) | R (CANCELLED), error);
  g_assert_true ((result == HOLO_OP_OK) == (out.block != NULL));
}

static HoloEnd *
get_any_input (PairRound *round, GRand *rand)
{
  return round->inputs[g_rand_int_range (rand, 0, (gint32) round->n_inputs)];
}

static void
call_flush_start (PairRound *round, GRand *rand)
{
  holo_scheduler_flush_start (round->scheduler, get_any_input (round, rand));
}

static void
call_flush_stop (PairRound *round, GRand *rand)
{
  g_autoptr (GError) error = NULL;
  gboolean stopped = holo_scheduler_flush_stop (round->scheduler, get_any_input (round, rand), &error);

  assert_done (stopped, error);
}

static void
on_updated (HoloScheduler *scheduler, guint64 n_discarded, const GError *error, gpointer user_data)
{
  PairRound *round = user_data;

  assert_done (error == NULL, error);
  g_atomic_int_inc (&round->n_reports);
}

static void
call_update (PairRound *round, GRand *rand)
{
  g_autoptr (HoloPlan) running = holo_scheduler_get_plan (round->scheduler);
  guint n_texts = g_strv_length ((gchar **) round->texts);
  g_autoptr (HoloPlan) next = pair_round_compile (round, (guint) g_rand_int_range (rand, 0, (gint32) n_texts), running);

  if (next == NULL)
    return;
  g_atomic_int_inc (&round->n_updates);
  holo_scheduler_update (round->scheduler, next, on_updated, round);
}

static void
call_set_drain_limit (PairRound *round, GRand *rand)
{
  holo_scheduler_set_drain_limit (round->scheduler, g_rand_int_range (rand, 0, 2000));
}

static void
call_set_setting (PairRound *round, GRand *rand)
{
  g_auto (GValue) value = G_VALUE_INIT;
  g_autoptr (GError) error = NULL;
  gboolean set;

  g_value_init (&value, G_TYPE_DOUBLE);
  g_value_set_double (&value, g_rand_int_range (rand, 0, 100));
  set = holo_scheduler_set_setting (round->scheduler, "m", "amount", &value, &error);
  assert_done (set, error);
}

static void
call_set_setting_text (PairRound *round, GRand *rand)
{
  g_autofree gchar *text = g_strdup_printf ("%d", g_rand_int_range (rand, 0, 100));
  g_autoptr (GError) error = NULL;
  gboolean set = holo_scheduler_set_setting_text (round->scheduler, "m", "amount", text, &error);

  assert_done (set, error);
}

static void
call_set_settings (PairRound *round, GRand *rand)
{
  g_autoptr (JsonObject) settings = json_object_new ();
  g_autoptr (GError) error = NULL;
  gboolean set;

  json_object_set_double_member (settings, "amount", g_rand_int_range (rand, 0, 100));
  set = holo_scheduler_set_settings (round->scheduler, "m", settings, &error);
  assert_done (set, error);
}

/* ---- ends ---- */

static void
call_end_names (PairRound *round, GRand *rand)
{
  HoloEnd *end = holo_end_ref (g_rand_boolean (rand) ? round->output : round->inputs[0]);

  g_assert_cmpstr (holo_end_get_name (end), ==, end == round->output ? "out" : "in");
  g_assert_true (holo_end_is_input (end) == (end != round->output));
  holo_end_unref (end);
}

static void
call_push (PairRound *round, GRand *rand)
{
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;
  HoloOpResult result;

  case_frame_init (&frame, 1);
  result = holo_end_push (get_any_input (round, rand), &frame, round->cancellable, &error);
  assert_result (result, R (OK) | R (FLUSHED) | R (EOF) | R (CANCELLED), error);
  /* A frame that was taken and then met a flush or a stop, in the hands of the caller that drives, is gone either way. */
  if (result == HOLO_OP_OK)
    g_assert_null (frame.block);
}

static void
call_push_end (PairRound *round, GRand *rand)
{
  g_autoptr (GError) error = NULL;
  HoloOpResult result = holo_end_push_end (get_any_input (round, rand), &error);

  assert_result (result, R (OK) | R (FLUSHED) | R (EOF) | R (CANCELLED), error);
}

static void
call_pull (PairRound *round, GRand *rand)
{
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;
  HoloOpResult result = holo_end_pull (round->output, &frame, round->cancellable, &error);

  assert_result (result, R (OK) | R (FLUSHED) | R (EOF) | R (CANCELLED), error);
  g_assert_true ((result == HOLO_OP_OK) == (frame.block != NULL));
}

static void
call_try_pull (PairRound *round, GRand *rand)
{
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;
  HoloOpResult result = holo_end_try_pull (round->output, &frame, &error);

  assert_result (result, R (OK) | R (NOT_READY) | R (FLUSHED) | R (EOF) | R (CANCELLED), error);
  g_assert_true ((result == HOLO_OP_OK) == (frame.block != NULL));
}

static void
call_close (PairRound *round, GRand *rand)
{
  holo_end_close (round->output);
}

static void
call_set_unread (PairRound *round, GRand *rand)
{
  holo_end_set_unread (round->output, g_rand_boolean (rand));
}

static void
on_allocator_gone (gpointer user_data)
{
  g_atomic_int_inc (&((PairRound *) user_data)->n_notified);
}

static void
call_set_allocator (PairRound *round, GRand *rand)
{
  g_atomic_int_inc (&round->n_allocators);
  holo_end_set_allocator (round->output, case_alloc, round, on_allocator_gone);
}

/* ---- sections ---- */

static void
call_section_names (PairRound *round, GRand *rand)
{
  g_autoptr (HoloSection) section = get_section (round, rand);

  if (section == NULL)
    return;
  holo_section_unref (holo_section_ref (section));
  g_assert_nonnull (holo_section_get_name (section));
  holo_section_is_finished (section);
}

static void
call_iterate (PairRound *round, GRand *rand)
{
  g_autoptr (HoloSection) section = get_section (round, rand);
  g_autoptr (GError) error = NULL;
  HoloOpResult result;

  if (section == NULL)
    return;
  result = holo_section_iterate (section, round->cancellable, &error);
  if (result != HOLO_OP_NOT_READY || !g_atomic_int_get (&round->interrupted))
    assert_result (result, R (OK) | R (FLUSHED) | R (EOF) | R (CANCELLED), error);
}

static void
call_try_iterate (PairRound *round, GRand *rand)
{
  g_autoptr (HoloSection) section = get_section (round, rand);
  g_autoptr (GError) error = NULL;
  HoloOpResult result;

  if (section == NULL)
    return;
  result = holo_section_try_iterate (section, &error);
  assert_result (result, R (OK) | R (NOT_READY) | R (FLUSHED) | R (EOF) | R (CANCELLED), error);
}

static void
call_interrupt (PairRound *round, GRand *rand)
{
  g_autoptr (HoloSection) section = get_section (round, rand);

  g_atomic_int_set (&round->interrupted, TRUE);
  if (section != NULL)
    holo_section_interrupt (section);
}

const PairCall pair_calls[] = {
  { "get-plan", call_get_plan, FALSE },
  { "start", call_start, FALSE },
  { "stop", call_stop, FALSE },
  { "wait", call_wait, TRUE },
  { "run", call_run, TRUE },
  { "is-running", call_is_running, FALSE },
  { "was-stopped", call_was_stopped, FALSE },
  { "set-ended-func", call_set_ended_func, FALSE },
  { "get-section", call_get_section, FALSE },
  { "get-event-router", call_get_event_router, FALSE },
  { "get-node-statistics", call_get_node_statistics, FALSE },
  { "get-section-statistics", call_get_section_statistics, FALSE },
  { "get-statistics", call_get_statistics, FALSE },
  { "get-statistics-json", call_get_statistics_json, FALSE },
  { "get-statistics-text", call_get_statistics_text, FALSE },
  { "get-input", call_get_input, FALSE },
  { "get-output", call_get_output, FALSE },
  { "process", call_process, TRUE },
  { "flush-start", call_flush_start, FALSE },
  { "flush-stop", call_flush_stop, FALSE },
  { "update", call_update, FALSE },
  { "set-drain-limit", call_set_drain_limit, FALSE },
  { "set-setting", call_set_setting, FALSE },
  { "set-setting-text", call_set_setting_text, FALSE },
  { "set-settings", call_set_settings, FALSE },
  { "end-names", call_end_names, FALSE },
  { "push", call_push, TRUE },
  { "push-end", call_push_end, TRUE },
  { "pull", call_pull, TRUE },
  { "try-pull", call_try_pull, FALSE },
  { "close", call_close, FALSE },
  { "set-unread", call_set_unread, FALSE },
  { "set-allocator", call_set_allocator, FALSE },
  { "section-names", call_section_names, FALSE },
  { "iterate", call_iterate, TRUE },
  { "try-iterate", call_try_iterate, FALSE },
  { "interrupt", call_interrupt, FALSE },
};

guint
pair_get_n_calls (void)
{
  return G_N_ELEMENTS (pair_calls);
}
