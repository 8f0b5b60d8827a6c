/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A running graph on the device changes while frames flow, while half a join or a window is in hand, and while nothing can
 * leave: every frame comes out once and in order, through what was there or what is there now, or is reported as lost.
 *
 * HOLOFLOW_TEST_DEVICE=simulated: on the device that is not there, for the logic of it. */
#include <string.h>

#include "cuda-kinds.h"
#include "cuda-test.h"
#include "device/holo-runtime-hooks.h"
#include "scheduler/case-frames.h"
#include "scheduler/test-run.h"
#include "holo-cuda-task.h"
#include "sim-device.h"

#define ROW      (128 * 128) /* elements */
#define MAX_ROWS 4

static HoloDevice *device;

/* ---- graphs ---- */

#define INPUT(name, rows) name " Input {\"dtype\": \"F32\", \"shape\": [" rows ", 128, 128]}\n"
#define UP(name)          name " Memcpy {\"target\": \"Device\"}\n"
#define QUEUE(name)       name " Queue {\"capacity\": 4}\n"
#define OUT               "down Memcpy {\"target\": \"Host\"}\nout Output\n"

static HoloScheduler *
start (const gchar *text)
{
  g_autoptr (HoloPlan) plan = test_compile (text, device);
  HoloScheduler *scheduler = holo_scheduler_new (plan);

  test_watchdog (12 * CASE_SOON);
  test_start (scheduler);
  return scheduler;
}

/* A name stands for a task for as long as its kind does: all changes made here are of that sort. */
static void
assert_tasks_stay (HoloPlan *before, HoloPlan *after)
{
  for (guint i = 0; i < holo_plan_get_n_nodes (after); i++)
    {
      const gchar *name = holo_plan_get_node_name (after, i);
      guint old;

      if (holo_plan_find_node (before, name, &old) &&
          g_str_equal (holo_plan_get_node_kind (before, old), holo_plan_get_node_kind (after, i)))
        g_assert_true (holo_plan_get_node_task (before, old) == holo_plan_get_node_task (after, i));
    }
}

static void
update (HoloScheduler *scheduler, const gchar *text, CaseReport *report)
{
  g_autoptr (HoloPlan) running = holo_scheduler_get_plan (scheduler);
  g_autoptr (HoloGraph) graph = test_graph (text);
  g_autoptr (HoloPlan) next = test_compile_graph (graph, device, running);

  assert_tasks_stay (running, next);
  holo_scheduler_update (scheduler, next, case_report_func, report);
}

static guint64
update_and_wait (HoloScheduler *scheduler, const gchar *text)
{
  CaseReport report = { 0 };

  update (scheduler, text, &report);
  return case_report_wait (&report);
}

static void
set_text (HoloScheduler *scheduler, const gchar *node, const gchar *setting, const gchar *text)
{
  g_autoptr (HoloPlan) before = holo_scheduler_get_plan (scheduler);
  g_autoptr (HoloPlan) after = NULL;
  g_autoptr (GError) error = NULL;
  gboolean set = holo_scheduler_set_setting_text (scheduler, node, setting, text, &error);

  g_assert_no_error (error);
  g_assert_true (set);
  after = holo_scheduler_get_plan (scheduler);
  assert_tasks_stay (before, after);
}

/* What @node gives lies in memory of the plan on the device: to be kept it must be copied there. */
static void
assert_in_plan_memory (HoloScheduler *scheduler, const gchar *node)
{
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
  g_autoptr (JsonNode) root = holo_plan_to_json (plan);
  JsonArray *tensors = json_object_get_array_member (json_node_get_object (root), "tensors");
  JsonArray *storages = json_object_get_array_member (json_node_get_object (root), "storages");
  guint n_found = 0;

  for (guint i = 0; i < json_array_get_length (tensors); i++)
    {
      JsonObject *tensor = json_array_get_object_element (tensors, i), *storage;

      if (!g_str_equal (json_object_get_string_member (tensor, "producer"), node))
        continue;
      storage = json_array_get_object_element (storages, (guint) json_object_get_int_member (tensor, "storage"));
      g_assert_cmpstr (json_object_get_string_member (storage, "class"), ==, "plan");
      g_assert_cmpstr (json_object_get_string_member (storage, "mem_loc"), ==, "Device");
      n_found++;
    }
  g_assert_cmpuint (n_found, ==, 1);
}

/* ---- frames: all elements of a row are the same ---- */

static HoloOpResult
push (HoloEnd *input, gint64 n_rows, gfloat value)
{
  const gint64 shape[] = { n_rows, 128, 128 };
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;
  HoloTensorDesc desc;
  HoloOpResult result;
  gfloat *values;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 3, shape);
  holo_frame_init_alloc (&frame, &desc, &error);
  g_assert_no_error (error);
  values = holo_frame_get_data (&frame);
  for (gint64 i = 0; i < n_rows * ROW; i++)
    values[i] = value;
  result = holo_end_push (input, &frame, NULL, &error);
  g_assert_no_error (error);
  return result;
}

static void
push_into (HoloScheduler *scheduler, const gchar *name, gint64 n_rows, gfloat value)
{
  g_autoptr (HoloEnd) input = test_input (scheduler, name);

  g_assert_cmpint (push (input, n_rows, value), ==, HOLO_OP_OK);
}

static HoloOpResult
pull (HoloEnd *output, gfloat *rows, HoloStamp *stamp)
{
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;
  HoloOpResult result = holo_end_pull (output, &frame, NULL, &error);
  const gfloat *values;

  g_assert_no_error (error);
  if (result != HOLO_OP_OK)
    return result;
  g_assert_cmpint (frame.desc.shape[0], <=, MAX_ROWS);
  values = holo_frame_get_data (&frame);
  for (gint64 row = 0; row < frame.desc.shape[0]; row++, values += ROW)
    {
      rows[row] = values[0];
      for (guint i = 0; i < ROW; i++)
        g_assert_cmpfloat (values[i], ==, values[0]);
    }
  if (stamp != NULL)
    *stamp = frame.stamp;
  return HOLO_OP_OK;
}

static void
pull_from_out (HoloScheduler *scheduler, gfloat *rows)
{
  g_autoptr (HoloEnd) out = test_output (scheduler, "out");

  g_assert_cmpint (pull (out, rows, NULL), ==, HOLO_OP_OK);
}

/* ---- numbers ---- */

static guint64
state_count (HoloRuntimeState state)
{
  return holo_runtime_get_state_count (state);
}

/* To the end of all streams; the first one that ends may end the run. */
static void
end_and_wait (HoloScheduler *scheduler, const gchar *const *inputs)
{
  for (guint i = 0; inputs[i] != NULL; i++)
    {
      g_autoptr (HoloEnd) input = test_input (scheduler, inputs[i]);
      HoloOpResult result = holo_end_push_end (input, NULL);

      g_assert_true (result == HOLO_OP_OK || (i > 0 && result == HOLO_OP_EOF));
    }
  case_assert_pull_gives (scheduler, "out", HOLO_OP_EOF);
  case_wait_for_end (scheduler);
}

#define INPUTS(...) ((const gchar *const[]){ __VA_ARGS__, NULL })

/* Of the nodes that are there now, no one has lost anything. */
static void
assert_nothing_lost (HoloScheduler *scheduler)
{
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);

  for (guint i = 0; i < holo_plan_get_n_nodes (plan); i++)
    {
      HoloNodeStatistics statistics = case_statistics (scheduler, holo_plan_get_node_name (plan, i));

      g_assert_cmpuint (statistics.discarded + statistics.dropped, ==, 0);
    }
}

/* ---- while frames flow ---- */

#define CHAIN(q, node, way)                                                                                            \
  INPUT ("in", "1")                                                                                                    \
  UP ("up")                                                                                                            \
  QUEUE (q)                                                                                                            \
  node "root Sqrt\nslow Delay {\"ms\": 1}\n" QUEUE ("r") OUT "in > up > " q way " > root > slow > r > down > out\n"
#define PLAIN CHAIN ("q", "", "")
enum
{
  N_FLOWING = 150,
  N_AFTER = 50 /* of these: made after the report, whenever that comes */
};

typedef struct
{
  const gchar *name;
  const gchar *after; /* nullable: a live setting changes */
  gboolean turns;     /* takes frames below 0 */
} FlowCase;

static const FlowCase flow_cases[] = {
  { "renamed-queue", CHAIN ("other", "", ""), FALSE },
  { "inserted-node", CHAIN ("q", "abs Abs\n", " > abs"), TRUE },
  { "same-graph", PLAIN, FALSE },
  { "live-setting", NULL, FALSE },
};

typedef struct
{
  HoloEnd *input;
  CaseReport *report;
  gboolean turns;
  gint n_turned; /* frames that were made knowing that the change is over */
} Pusher;

static gpointer
push_squares (gpointer data)
{
  Pusher *pusher = data;

  for (guint i = 0; i < N_FLOWING; i++)
    {
      gfloat value = 4 * (gfloat) (i + 1) * (gfloat) (i + 1);
      gboolean changed;

      if (i == N_FLOWING - N_AFTER)
        TEST_WAIT_UNTIL (g_atomic_int_get (&pusher->report->n) > 0, CASE_SOON);
      changed = g_atomic_int_get (&pusher->report->n) > 0;
      pusher->n_turned += changed;
      g_assert_cmpint (push (pusher->input, 1, pusher->turns && changed ? -value : value), ==, HOLO_OP_OK);
    }
  g_assert_cmpint (holo_end_push_end (pusher->input, NULL), ==, HOLO_OP_OK);
  return NULL;
}

static void
change_flow (HoloScheduler *scheduler, const FlowCase *flow, CaseReport *report)
{
  if (flow->after != NULL)
    {
      update (scheduler, flow->after, report);
      return;
    }
  set_text (scheduler, "q", "capacity", "7");
  g_atomic_int_inc (&report->n);
}

static void
check_flow (const FlowCase *flow, guint change_at)
{
  g_autoptr (HoloScheduler) scheduler = start (PLAIN);
  g_autoptr (HoloEnd) in = test_input (scheduler, "in");
  g_autoptr (HoloEnd) out = test_output (scheduler, "out");
  static const gchar *const nodes[] = { "up", "root", "slow", "down" };
  CaseReport report = { 0 };
  Pusher pusher = { in, &report, flow->turns, 0 };
  GThread *thread = g_thread_new ("pusher", push_squares, &pusher);
  HoloStamp stamp;
  gfloat row;
  guint n = 0;

  holo_scheduler_set_drain_limit (scheduler, 10 * G_USEC_PER_SEC); /* however slow this machine is */
  for (; pull (out, &row, &stamp) == HOLO_OP_OK; n++)
    {
      g_assert_cmpfloat (row, ==, 2 * (gfloat) (n + 1));
      g_assert_true (stamp.seq == n && stamp.first == n && stamp.last == n);
      if (n == change_at)
        change_flow (scheduler, flow, &report);
    }
  g_thread_join (thread);
  case_wait_for_end (scheduler);
  g_assert_cmpuint (n, ==, N_FLOWING);
  g_assert_cmpuint (case_report_wait (&report), ==, 0);
  g_assert_cmpint (pusher.n_turned, >=, N_AFTER);
  assert_nothing_lost (scheduler);
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    g_assert_cmpuint (case_statistics (scheduler, nodes[i]).execute.calls, ==, N_FLOWING);
  if (flow->turns)
    g_assert_cmpuint (case_statistics (scheduler, "abs").execute.calls, >=, pusher.n_turned);
  g_assert_cmpuint (case_statistics (scheduler, "r").push.calls, ==, N_FLOWING);
  g_assert_cmpuint (case_statistics (scheduler, "r").pop.calls, ==, N_FLOWING);
}

static void
test_flow (gconstpointer data)
{
  guint step = g_getenv ("HOLOFLOW_TEST_QUICK") != NULL ? 30 : 7;

  for (guint at = 0; at < 60; at += step)
    check_flow (data, at);
}

/* ---- half a join in hand ---- */

/* What stands between the two sections: its frame is memory that moves, memory of the plan, or memory of its own. */
typedef struct
{
  const gchar *name;
  const gchar *text;
  const gchar *setting, *value; /* a live change */
  guint n_room;                 /* frames that `a` takes after that although `b` brings none; 0: not looked at */
  guint n_rows;                 /* of what comes out */
  guint n_more;                 /* frames that it takes while that is in hand: at least so many */
  gboolean owns;                /* what comes out lies in its own memory */
  gboolean borrows;             /* ... in the plan's */
} Border;

static const Border borders[] = {
  { .name = "queue",
    .text = "Queue {\"capacity\": 4}",
    .setting = "capacity",
    .value = "9",
    .n_room = 10,
    .n_rows = 1,
    .n_more = 1 },
  { .name = "copying-limiter",
    .text = "RateLimiter {\"max_fps\": 1e9, \"mode\": \"copy\"}",
    .setting = "max-fps",
    .value = "1e8",
    .n_rows = 1,
    .n_more = 1,
    .borrows = TRUE },
  { .name = "limiter-with-slot",
    .text = "RateLimiter {\"max_fps\": 1e9, \"mode\": \"slot\"}",
    .setting = "max-fps",
    .value = "1e8",
    .n_rows = 1,
    .owns = TRUE },
  { .name = "window",
    .text = "BatchQueue {\"target_capacity\": 8, \"output_size\": 4}",
    .setting = "target-capacity",
    .value = "20",
    .n_rows = 4,
    .n_more = 1,
    .owns = TRUE },
};

typedef enum
{
  CHANGE_NONE,
  CHANGE_NAME,
  CHANGE_INSERT,
  CHANGE_KIND,
  CHANGE_SETTING,
  N_CHANGES,
} Change;

static const gchar *const change_names[] = { "same-graph", "renamed", "inserted-node", "other-kind", "live-setting" };

typedef struct
{
  const Border *border;
  Change change;
} JoinCase;

static JoinCase join_cases[G_N_ELEMENTS (borders) * N_CHANGES];

/* The frame of `a` is popped while the device is still at work on it. The join works in place on what `b` brings. */
static gchar *
make_join (const JoinCase *join, Change change)
{
  const gchar *border = change == CHANGE_NAME ? "other" : "border";

  return g_strdup_printf (INPUT ("a", "1") INPUT ("b", "%u") UP ("ua") UP ("ub") QUEUE ("qb") QUEUE ("q") OUT
                          "slow Delay {\"ms\": 20}\n%s %s\njoin %s\n%s"
                          "a > ua > slow > %s%s > join.1\nb > ub > qb > join > q > down > out\n",
                          join->border->n_rows, border, join->border->text, change == CHANGE_KIND ? "Multiply" : "Add",
                          change == CHANGE_INSERT ? "abs Abs\n" : "", border, change == CHANGE_INSERT ? " > abs" : "");
}

static guint64
change_join (HoloScheduler *scheduler, const JoinCase *join)
{
  g_autofree gchar *text = make_join (join, join->change);

  if (join->change != CHANGE_SETTING)
    return update_and_wait (scheduler, text);
  set_text (scheduler, "border", join->border->setting, join->border->value);
  return 0;
}

static gfloat
get_result (Change change, gfloat a, gfloat b)
{
  a = change == CHANGE_INSERT ? ABS (a) : a;
  return change == CHANGE_KIND ? a * b : a + b;
}

/* Frames -1, -2, ... of `a` up to @n. */
static void
push_a (HoloScheduler *scheduler, guint *n_pushed, guint n)
{
  for (; *n_pushed < n; (*n_pushed)++)
    push_into (scheduler, "a", 1, -(gfloat) (*n_pushed + 1));
}

/* The next result of the join, of the rows of `a` from @first on. */
static void
check_join (HoloScheduler *scheduler, const JoinCase *join, Change change, guint first, gfloat b)
{
  gfloat rows[MAX_ROWS];

  push_into (scheduler, "b", join->border->n_rows, b);
  pull_from_out (scheduler, rows);
  for (guint i = 0; i < join->border->n_rows; i++)
    g_assert_cmpfloat (rows[i], ==, get_result (change, -(gfloat) (first + i + 1), b));
}

/* The scheduler of a join that has what comes out of the border in hand, with more of `a` in the border. */
static HoloScheduler *
start_join (const JoinCase *join, guint *n_pushed)
{
  g_autofree gchar *text = make_join (join, CHANGE_NONE);
  HoloScheduler *scheduler = start (text);

  if (join->border->borrows)
    assert_in_plan_memory (scheduler, "border");
  push_a (scheduler, n_pushed, join->border->n_rows + join->border->n_more);
  case_wait_until_popped (scheduler, "border", 1);
  TEST_WAIT_UNTIL (case_statistics (scheduler, "border").push.calls == *n_pushed, CASE_SOON);
  return scheduler;
}

static void
test_join (gconstpointer data)
{
  const JoinCase *join = data;
  guint n_rows = join->border->n_rows, n_pushed = 0, lost;
  guint64 n_half = state_count (HOLO_RUNTIME_STATE_HALF_JOIN), n_out = state_count (HOLO_RUNTIME_STATE_WINDOW_OUT);
  guint n_at_once = join->change == CHANGE_SETTING ? join->border->n_room : 0, n = MAX (4, n_at_once);
  g_autoptr (HoloScheduler) scheduler = start_join (join, &n_pushed);

  /* What is in hand goes only with the node it came from. */
  lost = join->change == CHANGE_NAME ? n_pushed : 0;
  g_assert_cmpuint (change_join (scheduler, join), ==, lost);
  g_assert_cmpuint (state_count (HOLO_RUNTIME_STATE_HALF_JOIN), >, n_half);
  g_assert_true ((state_count (HOLO_RUNTIME_STATE_WINDOW_OUT) > n_out) == join->border->owns);
  case_assert_no_frame (scheduler, "out");
  push_a (scheduler, &n_pushed, n_at_once);
  for (guint i = 0; i < n; i++)
    {
      push_a (scheduler, &n_pushed, lost + n_rows * (i + 1));
      check_join (scheduler, join, join->change, lost + n_rows * i, 64 * (gfloat) (i + 1));
    }
  end_and_wait (scheduler, INPUTS ("a", "b"));
  assert_nothing_lost (scheduler);
  g_assert_cmpuint (case_statistics (scheduler, "a").pop.calls, ==, lost + n_rows * n);
  g_assert_cmpuint (case_statistics (scheduler, "join").execute.calls, ==, n);
  if (join->change != CHANGE_NAME)
    g_assert_cmpuint (case_statistics (scheduler, "border").pop.calls, ==, n);
}

/* ---- flush of one of two Inputs ---- */

/* Half a join of `a` in hand survives a flush of `b`, and nothing of `a` one of `a`. */
static void
test_flush_join (gconstpointer data)
{
  const JoinCase join = { data, CHANGE_NONE };
  guint n_rows = join.border->n_rows, n_pushed = 0, first;
  g_autoptr (HoloScheduler) scheduler = start_join (&join, &n_pushed);
  g_autoptr (HoloEnd) a = test_input (scheduler, "a");
  g_autoptr (HoloEnd) b = test_input (scheduler, "b");

  g_assert_true (holo_scheduler_flush_stop (scheduler, b, NULL));
  check_join (scheduler, &join, CHANGE_NONE, 0, 64);
  push_a (scheduler, &n_pushed, 2 * n_rows + join.border->n_more);
  case_wait_until_popped (scheduler, "border", 2);
  g_assert_true (holo_scheduler_flush_stop (scheduler, a, NULL));
  first = n_pushed;
  push_a (scheduler, &n_pushed, first + n_rows);
  check_join (scheduler, &join, CHANGE_NONE, first, 128);
  end_and_wait (scheduler, INPUTS ("a", "b"));
  g_assert_cmpuint (case_statistics (scheduler, "qb").pop.calls, ==, 2);
  g_assert_cmpuint (case_statistics (scheduler, "qb").discarded, ==, 0);
}

/* Values of `a` are numbers below this, those of `b` multiples of it: a sum says what it was made of. */
#define FACTOR 4096
#define BRANCHES                                                                                                       \
  INPUT ("a", "1")                                                                                                     \
  INPUT ("b", "1")                                                                                                     \
  UP ("ua")                                                                                                            \
  UP ("ub")                                                                                                            \
  QUEUE ("qa")                                                                                                         \
  QUEUE ("qb")                                                                                                         \
  QUEUE ("q")                                                                                                          \
  OUT "join Add\nslow Delay {\"ms\": 1}\na > ua > qa > join\nb > ub > qb\nqb > join.1\n"                               \
      "join > slow > q > down > out\n"

typedef struct
{
  HoloEnd *input;
  gfloat factor;
  gint n_pushed;
  guint n_refused;
} Feeder;

/* Until the end. A frame that a flush refuses is not tried again. */
static gpointer
feed (gpointer data)
{
  Feeder *feeder = data;
  HoloOpResult result = HOLO_OP_OK;

  for (guint i = 0; i < N_FLOWING || feeder->factor == 1; i++)
    {
      result = push (feeder->input, 1, feeder->factor * (gfloat) i);
      if (result != HOLO_OP_OK && result != HOLO_OP_FLUSHED)
        break;
      feeder->n_refused += result == HOLO_OP_FLUSHED;
      if (result == HOLO_OP_FLUSHED)
        g_usleep (1000);
      g_atomic_int_set (&feeder->n_pushed, (gint) i + 1);
    }
  if (result == HOLO_OP_OK)
    g_assert_cmpint (holo_end_push_end (feeder->input, NULL), ==, HOLO_OP_OK);
  return NULL;
}

/* All of `b` met frames of `a`. Those that did not come out were behind the join at a flush: in the queue, in the Output, and
 * in the hands of the two sections. */
static void
assert_flushed_flow (HoloScheduler *scheduler, guint n_pulled, guint n_flushes)
{
  HoloNodeStatistics qb = case_statistics (scheduler, "qb");
  guint64 n_met = case_statistics (scheduler, "join").execute.calls;

  g_assert_cmpuint (qb.push.calls, ==, N_FLOWING);
  g_assert_cmpuint (qb.pop.calls, ==, N_FLOWING);
  g_assert_cmpuint (n_met + qb.discarded, >=, N_FLOWING);
  g_assert_cmpuint (N_FLOWING - n_pulled, <=, n_flushes * (4 + 1 + 2));
  g_assert_cmpuint (case_statistics (scheduler, "out").pop.calls, ==, n_pulled);
}

/* What `a` brings is a newer frame each time, never one from before the last flush; `b` is in order, and what is missing of it
 * had met a frame of `a`. */
static void
test_flush_flow (void)
{
  g_autoptr (HoloScheduler) scheduler = start (BRANCHES);
  g_autoptr (HoloEnd) a = test_input (scheduler, "a");
  g_autoptr (HoloEnd) b = test_input (scheduler, "b");
  g_autoptr (HoloEnd) out = test_output (scheduler, "out");
  Feeder feeders[] = { { a, 1, 0, 0 }, { b, FACTOR, 0, 0 } };
  GThread *threads[] = { g_thread_new ("a", feed, &feeders[0]), g_thread_new ("b", feed, &feeders[1]) };
  gint next_a = 0, next_b = 0, n_old;
  guint n = 0, n_flushes = 0;
  gfloat row;

  for (; pull (out, &row, NULL) == HOLO_OP_OK; n++)
    {
      gint of_a = (gint) row % FACTOR, of_b = (gint) row / FACTOR;

      g_assert_cmpint (of_a, >=, next_a);
      g_assert_cmpint (of_b, >=, next_b);
      next_a = of_a + 1;
      next_b = of_b + 1;
      if (n % 10 != 9)
        continue;
      holo_scheduler_flush_start (scheduler, a);
      n_old = g_atomic_int_get (&feeders[0].n_pushed);
      g_assert_true (holo_scheduler_flush_stop (scheduler, a, NULL));
      /* After the end a flush leaves the last frames where they are. */
      if (holo_scheduler_is_running (scheduler))
        next_a = MAX (next_a, n_old);
      n_flushes++;
    }
  g_thread_join (threads[0]);
  g_thread_join (threads[1]);
  case_wait_for_end (scheduler);
  g_test_message ("%u of %d frames came out; %u flushes refused %u", n, N_FLOWING, n_flushes, feeders[0].n_refused);
  g_assert_cmpuint (feeders[1].n_refused, ==, 0);
  assert_flushed_flow (scheduler, n, n_flushes);
}

/* ---- nothing can leave ---- */

#define STUCK(limit, first, way1, last, way2)                                                                          \
  INPUT ("in", "1")                                                                                                    \
  UP ("up")                                                                                                            \
  first "root Sqrt\n" limit " RateLimiter {\"max_fps\": 1e9, \"mode\": \"copy\"}\n" last OUT "in > up" way1            \
        " > root > " limit way2 " > down > out\n"

typedef struct
{
  const gchar *name;
  const gchar *after; /* nullable: a live setting changes */
  gboolean turns;     /* takes frames below 0 */
  guint n_lost;
} StuckCase;

static const StuckCase stuck_cases[] = {
  { "same-graph", STUCK ("limit", "", "", "", ""), FALSE, 0 },
  { "inserted-before", STUCK ("limit", "abs Abs\n", " > abs", "", ""), TRUE, 0 },
  { "inserted-behind", STUCK ("limit", "", "", "abs Abs\n", " > abs"), FALSE, 0 },
  { "live-setting", NULL, FALSE, 0 },
  /* what the limiter holds and what is made for it */
  { "renamed", STUCK ("other", "", "", "", ""), FALSE, 2 },
};

/* Nobody pulls. One frame is in the Output, one made for it, one in the limiter, one made for that in memory of the plan on the
 * device, and one waits in the Input. */
static void
test_stuck (gconstpointer data)
{
  const StuckCase *stuck = data;
  g_autoptr (HoloScheduler) scheduler = start (STUCK ("limit", "", "", "", ""));
  guint64 n_pending = state_count (HOLO_RUNTIME_STATE_PENDING), n_lost = 0;
  enum
  {
    N_IN = 5,
    N = 12
  };

  assert_in_plan_memory (scheduler, "root");
  for (guint i = 1; i <= N_IN; i++)
    push_into (scheduler, "in", 1, 4 * (gfloat) i * (gfloat) i);
  TEST_WAIT_UNTIL (case_statistics (scheduler, "root").execute.calls == N_IN - 1, CASE_SOON);
  TEST_WAIT_UNTIL (case_statistics (scheduler, "limit").push.calls == N_IN - 2, CASE_SOON);
  TEST_WAIT_UNTIL (case_statistics (scheduler, "down").execute.calls == 2, CASE_SOON);
  if (stuck->after != NULL)
    n_lost = update_and_wait (scheduler, stuck->after);
  else
    set_text (scheduler, "limit", "max-fps", "1e8");
  g_assert_cmpuint (n_lost, ==, stuck->n_lost);
  g_assert_cmpuint (state_count (HOLO_RUNTIME_STATE_PENDING) - n_pending, ==, 2);
  for (guint i = 1; i <= N; i++)
    {
      gfloat value = 4 * (gfloat) i * (gfloat) i, row;

      if (i > N_IN)
        push_into (scheduler, "in", 1, stuck->turns ? -value : value);
      if (i > 2 && i <= 2 + stuck->n_lost)
        continue;
      pull_from_out (scheduler, &row);
      g_assert_cmpfloat (row, ==, 2 * (gfloat) i);
    }
  end_and_wait (scheduler, INPUTS ("in"));
  assert_nothing_lost (scheduler);
  g_assert_cmpuint (case_statistics (scheduler, "root").execute.calls, ==, N);
  g_assert_cmpuint (case_statistics (scheduler, "out").push.calls, ==, N - n_lost);
}

/* ---- all of them ---- */

static void
add_case (const gchar *group, const gchar *part, const gchar *name, gconstpointer data, GTestDataFunc func)
{
  g_autofree gchar *path = g_strdup_printf ("/cuda/update/%s/%s%s", group, part, name);

  g_test_add_data_func (path, data, func);
}

static void
add_joins (const Border *border, JoinCase *cases)
{
  g_autofree gchar *part = g_strconcat (border->name, "/", NULL);

  for (guint i = 0; i < N_CHANGES; i++)
    {
      cases[i] = (JoinCase){ border, (Change) i };
      add_case ("join", part, change_names[i], &cases[i], test_join);
    }
  add_case ("flush", "", border->name, border, test_flush_join);
}

static HoloDevice *
open_device (void)
{
  if (g_strcmp0 (g_getenv ("HOLOFLOW_TEST_DEVICE"), "simulated") != 0)
    return cuda_test_open ();
  holo_cuda_task_add_kinds (holo_registry_get_default ());
  return sim_device_new (1, 200);
}

int
main (int argc, char **argv)
{
  gint result;

  g_test_init (&argc, &argv, NULL);
  device = open_device ();
  cuda_kinds_register (test_kinds_get_registry ());
  for (guint i = 0; i < G_N_ELEMENTS (flow_cases); i++)
    add_case ("flow", "", flow_cases[i].name, &flow_cases[i], test_flow);
  for (guint i = 0; i < G_N_ELEMENTS (borders); i++)
    add_joins (&borders[i], &join_cases[i * N_CHANGES]);
  g_test_add_func ("/cuda/update/flush/flow", test_flush_flow);
  for (guint i = 0; i < G_N_ELEMENTS (stuck_cases); i++)
    add_case ("stuck", "", stuck_cases[i].name, &stuck_cases[i], test_stuck);
  result = g_test_run ();
  g_assert_finalize_object (device);
  return result;
}
