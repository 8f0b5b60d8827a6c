/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every kind of wait is needed: with it left out, the checker finds accesses that nothing orders, every time
 * and whatever the timing; with it kept, none. */
#include "hb-checker.h"
#include "sim-device.h"
#include "test-run.h"

#define N_SEEDS 6
#define DEPTH   16 /* the throttle must not hide that another wait is missing */

static HoloDevice *simulated;

/* ---- graphs that run by themselves ---- */

typedef struct
{
  const gchar *name;
  HoloRuntimeWait wait;
  const gchar *graph;
} Case;

#define SOURCE "source SequenceSource {\"base\": [0, 1], \"end\": 12}\n"
#define UP     "up Transfer {\"target\": \"Device\"}\n"
#define DOWN   "down Transfer {\"target\": \"Host\"}\n"
#define SINK   "sink HistoryCollect {}\n"
#define SCALE  "scale Scale {\"factor\": 2}\n"

static const Case cases[] = {
  { "slot-stream", HOLO_RUNTIME_WAIT_SLOT_STREAM,
    SOURCE UP "q TestQueue {\"mode\": \"owned\", \"fences\": true, \"capacity\": 1}\n" SCALE "d Queue {}\n" DOWN SINK
              "source > up > q > scale > d > down > sink\n" },
  { "slot-host", HOLO_RUNTIME_WAIT_SLOT_HOST,
    SOURCE "q TestQueue {\"mode\": \"owned\", \"fences\": true, \"capacity\": 1}\n" UP "d Queue {}\n" DOWN SINK
           "source > q > up > d > down > sink\n" },
  { "block-stream", HOLO_RUNTIME_WAIT_BLOCK_STREAM,
    SOURCE UP "q Queue {\"capacity\": 1}\nend Null {}\nsource > up > q > end\n" },
  { "block-host", HOLO_RUNTIME_WAIT_BLOCK_HOST,
    SOURCE "q Queue {\"capacity\": 1}\n" UP "d Queue {}\n" DOWN SINK "source > q > up > d > down > sink\n" },
  { "popped-stream", HOLO_RUNTIME_WAIT_POPPED_STREAM,
    SOURCE UP "q Queue {}\n" SCALE "d Queue {}\n" DOWN SINK "source > up > q > scale > d > down > sink\n" },
  { "popped-host", HOLO_RUNTIME_WAIT_POPPED_HOST,
    SOURCE UP DOWN "q Queue {}\n" SINK "source > up > down > q > sink\n" },
  { "pop", HOLO_RUNTIME_WAIT_POP,
    SOURCE "q TestQueue {\"mode\": \"copy\"}\n" UP "d Queue {}\n" DOWN SINK "source > q > up > d > down > sink\n" },
  { "node", HOLO_RUNTIME_WAIT_NODE, SOURCE UP DOWN SINK "source > up > down > sink\n" },
  { "pushed", HOLO_RUNTIME_WAIT_PUSHED,
    SOURCE UP "q Queue {}\nother SequenceSource {\"base\": [5, 6], \"end\": 12}\n"
              "up2 Transfer {\"target\": \"Device\"}\nq2 Queue {}\n" SCALE
              "reader TestQueue {\"mode\": \"copy\", \"fences\": true}\npair Pair {}\n" DOWN SINK
              "end Null {}\nsource > up > q > pair.1\nother > up2 > q2 > scale > pair.0\n"
              "scale > reader > end\npair > down > sink\n" },
  { "push", HOLO_RUNTIME_WAIT_PUSH, SOURCE UP DOWN "q Bridge {}\n" SINK "source > up > down > q > sink\n" },
  { "release", HOLO_RUNTIME_WAIT_RELEASE,
    SOURCE UP "q TestQueue {\"mode\": \"owned\", \"capacity\": 1}\n" SCALE "d Queue {}\n" DOWN SINK
              "source > up > q > scale > d > down > sink\n" },
};

/* Frames that pass sections which do nothing with them: what they are ordered by goes along. */
static const Case forwarding_cases[] = {
  { "forwarded-popped-stream", HOLO_RUNTIME_WAIT_POPPED_STREAM,
    SOURCE UP "a Queue {}\nb Queue {}\nc Queue {}\n" SCALE "d Queue {}\n" DOWN SINK
              "source > up > a > b > c > scale > d > down > sink\n" },
  { "forwarded-block-stream", HOLO_RUNTIME_WAIT_BLOCK_STREAM,
    SOURCE UP "a Queue {\"capacity\": 1}\nb Queue {\"capacity\": 1}\nend Null {}\nsource > up > a > b > end\n" },
  { "forwarded-twice", HOLO_RUNTIME_WAIT_BLOCK_STREAM,
    SOURCE UP "a Queue {\"capacity\": 1}\nb Queue {\"capacity\": 1}\nc Queue {\"capacity\": 1}\n"
              "end Null {}\nother Null {}\nsource > up > a > b > end\na > c > other\n" },
  /* what goes back does so with a fence behind the copy that a push has enqueued */
  { "copied-behind-the-fence", HOLO_RUNTIME_WAIT_BLOCK_STREAM,
    SOURCE UP "a Queue {\"capacity\": 1}\n" SCALE "d Queue {}\nc TestQueue {\"mode\": \"copy\", \"fences\": true}\n"
              "end Null {}\nother Null {}\nsource > up > a > scale > d > end\na > c > other\n" },
  { "forwarded-and-copied", HOLO_RUNTIME_WAIT_POPPED_STREAM,
    SOURCE UP "a Queue {}\nb Queue {}\nc TestQueue {\"mode\": \"copy\", \"fences\": true}\n" SCALE
              "d Queue {}\n" DOWN SINK "source > up > a > b > c > scale > d > down > sink\n" },
};

static void
start_checking (HoloRuntimeWait dropped)
{
  hb_checker_start ();
  hb_checker_set_collect (TRUE);
  holo_runtime_drop_wait (dropped);
}

/* What the checker found since start_checking(). Work may still go on that nobody waited for. */
static guint
stop_checking (void)
{
  guint n_errors = hb_checker_get_n_errors ();

  if (n_errors > 0)
    g_test_message ("%u errors, such as: %s", n_errors, hb_checker_get_first_error ());
  holo_runtime_drop_wait (HOLO_RUNTIME_WAIT_NONE);
  hb_checker_stop ();
  hb_checker_set_collect (FALSE);
  g_assert_true (holo_device_synchronize (simulated, NULL));
  return n_errors;
}

static guint
count_errors (const Case *c, HoloRuntimeWait dropped, guint seed)
{
  g_autoptr (HoloPlan) plan = test_compile (c->graph, simulated);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

  sim_device_set_delays (SIM_DEVICE (simulated), seed, seed % 3 * 200);
  holo_scheduler_set_max_in_flight (scheduler, DEPTH);
  start_checking (dropped);
  test_run (scheduler);
  return stop_checking ();
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;

  test_watchdog (60);
  for (guint seed = 0; seed < N_SEEDS; seed++)
    {
      g_assert_cmpuint (count_errors (c, HOLO_RUNTIME_WAIT_NONE, seed), ==, 0);
      g_assert_cmpuint (count_errors (c, c->wait, seed), >, 0);
    }
  test_watchdog (0);
}

/* Whether the section that takes from node @name uses its stream. */
static gboolean
uses_stream (HoloPlan *plan, const gchar *name)
{
  g_autoptr (JsonNode) json = holo_plan_to_json (plan);
  JsonArray *sections = json_object_get_array_member (json_node_get_object (json), "sections");
  guint section = (guint) test_section (plan, name, TRUE);

  return json_object_get_boolean_member (json_array_get_object_element (sections, section), "uses_device");
}

static gboolean
chain_uses_stream (const gchar *second)
{
  g_autofree gchar *text = g_strdup_printf (SOURCE UP "a Queue {}\nb %s\nc Queue {}\nend Null {}\n"
                                                      "source > up > a > b > c > end\n",
                                            second);
  g_autoptr (HoloPlan) plan = test_compile (text, simulated);

  g_assert_true (uses_stream (plan, "up"));
  g_assert_true (uses_stream (plan, "c")); /* reads */
  g_assert_cmpint (uses_stream (plan, "a"), ==, uses_stream (plan, "b"));
  return uses_stream (plan, "a");
}

/* Moving references takes no stream; a task that copies, or waits for the stream itself, does. */
static void
test_forwarding (void)
{
  g_assert_false (chain_uses_stream ("Queue {}"));
  g_assert_false (chain_uses_stream ("RateLimiter {\"max_fps\": 1000000}"));
  g_assert_true (chain_uses_stream ("TestQueue {\"mode\": \"copy\", \"fences\": true}"));
  g_assert_true (chain_uses_stream ("TestQueue {\"mode\": \"owned\", \"fences\": true}"));
}

/* ---- graphs with an application around them ---- */

typedef guint (*Application) (HoloRuntimeWait dropped);

static void
push_one (HoloScheduler *scheduler)
{
  const gint64 shape[] = { 2 };
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  g_assert_true (holo_frame_init_alloc (&frame, &desc, NULL));
  test_push_into (scheduler, "in", &frame);
}

#define IN "in Input {\"dtype\": \"F32\", \"shape\": [2]}\n"

/* The application reads what it has pulled. */
static guint
pull (HoloRuntimeWait dropped)
{
  g_autoptr (HoloPlan) plan =
      test_compile (SOURCE UP "q Queue {}\n" DOWN "out Output {}\nsource > up > q > down > out\n", simulated);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

  holo_scheduler_set_max_in_flight (scheduler, DEPTH);
  start_checking (dropped);
  test_start (scheduler);
  for (guint i = 0; i < 5; i++)
    {
      g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

      test_pull_from (scheduler, "out", &frame);
      hb_host_access (holo_frame_get_data (&frame), &frame.desc, FALSE, "application");
    }
  test_finish (scheduler);
  return stop_checking ();
}

static gpointer
wait_for_fence (gpointer data)
{
  g_assert_true (holo_fence_wait_host (data, NULL));
  return NULL;
}

/* The work behind @fence has ended, but the checker does not learn that this thread knows. */
static void
wait_unseen (HoloFence *fence)
{
  g_thread_join (g_thread_new ("unseen", wait_for_fence, fence));
}

/* Work of the application's own goes on with memory whose plan is gone. */
static guint
keep (HoloRuntimeWait dropped)
{
  g_autoptr (HoloPlan) plan = test_compile (IN UP "out Output {}\nin > up > out\n", simulated);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  HoloStream *stream = holo_device_create_stream (simulated, NULL);
  g_auto (HoloFrame) copy = HOLO_FRAME_INIT;
  HoloFrame frame;
  HoloTensorView from, to;
  HoloStorage source, target;
  HoloTensorDesc desc;
  HoloFence fence;
  guint n_errors;

  holo_scheduler_set_max_in_flight (scheduler, DEPTH);
  start_checking (dropped);
  test_start (scheduler);
  push_one (scheduler);
  test_pull_from (scheduler, "out", &frame);
  test_finish (scheduler);
  desc = frame.desc;
  desc.mem_loc = HOLO_MEM_LOC_HOST;
  g_assert_true (holo_frame_init_alloc (&copy, &desc, NULL));
  holo_storage_init (&source, frame.block->data, frame.block->size);
  source.mem_loc = HOLO_MEM_LOC_DEVICE;
  holo_storage_init (&target, copy.block->data, copy.block->size);
  holo_tensor_view_init (&from, &frame.desc, &source);
  holo_tensor_view_init (&to, &desc, &target);
  g_assert_true (holo_stream_wait_fence (stream, &frame.fence, NULL));
  g_assert_true (holo_device_copy (simulated, stream, &to, &from, NULL));
  g_assert_true (holo_stream_record (stream, &fence, NULL));
  g_clear_object (&scheduler);
  g_clear_pointer (&plan, holo_plan_unref);
  wait_unseen (&fence);
  holo_block_unref_after (g_steal_pointer (&frame.block), &fence); /* the last reference to the pool */
  n_errors = stop_checking ();
  holo_device_release_stream (simulated, stream);
  return n_errors;
}

/* The second run writes into a slot that the device may still read for the first. */
static guint
restart (HoloRuntimeWait dropped)
{
  g_autoptr (HoloPlan) plan =
      test_compile (IN UP "q TestQueue {\"mode\": \"owned\", \"fences\": true, \"capacity\": 2}\n"
                          "end Null {}\nin > up > q > end\n",
                    simulated);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

  holo_scheduler_set_max_in_flight (scheduler, DEPTH);
  start_checking (dropped);
  for (guint run = 0; run < 2; run++)
    {
      test_start (scheduler);
      push_one (scheduler);
      test_push_end_into (scheduler, "in");
      g_assert_true (holo_scheduler_wait (scheduler, NULL));
    }
  return stop_checking ();
}

static const struct
{
  const gchar *name;
  HoloRuntimeWait wait;
  Application run;
} applications[] = {
  { "pull", HOLO_RUNTIME_WAIT_PULL, pull },
  { "free", HOLO_RUNTIME_WAIT_FREE, keep },
  { "end", HOLO_RUNTIME_WAIT_END, restart },
};

static void
test_application (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

#ifdef __SANITIZE_ADDRESS__
  if (applications[i].wait == HOLO_RUNTIME_WAIT_FREE)
    {
      g_test_skip ("memory freed too early is AddressSanitizer's own");
      return;
    }
#endif
  test_watchdog (60);
  for (guint seed = 0; seed < N_SEEDS; seed++)
    {
      sim_device_set_delays (SIM_DEVICE (simulated), seed, seed % 3 * 200);
      g_assert_cmpuint (applications[i].run (HOLO_RUNTIME_WAIT_NONE), ==, 0);
      g_assert_cmpuint (applications[i].run (applications[i].wait), >, 0);
    }
  test_watchdog (0);
}

/* ---- depth ---- */

/* Frames that a section has taken while the device does nothing. */
static guint64
count_ahead (guint max_in_flight)
{
  g_autoptr (HoloPlan) plan =
      test_compile (SOURCE "q Queue {\"capacity\": 32}\n" UP "end Null {}\nsource > q > up > end\n", simulated);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  HoloNodeStatistics statistics = { 0 };
  g_autoptr (GError) error = NULL;
  gint64 last_change = g_get_monotonic_time ();
  guint64 seen = 0;

  holo_scheduler_set_max_in_flight (scheduler, max_in_flight);
  sim_device_hold (SIM_DEVICE (simulated), TRUE);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  while (g_get_monotonic_time () - last_change < G_USEC_PER_SEC / 4)
    {
      g_usleep (1000);
      test_node_statistics (scheduler, "q", &statistics);
      if (statistics.pop.calls != seen)
        last_change = g_get_monotonic_time ();
      seen = statistics.pop.calls;
    }
  sim_device_hold (SIM_DEVICE (simulated), FALSE);
  holo_scheduler_wait (scheduler, &error);
  g_assert_no_error (error);
  return seen;
}

/* Nothing reads too early without this wait, but a section runs away from its device. */
static void
test_throttle (void)
{
  static const guint depths[] = { 0, 1, 2, 4, 8 };

  test_watchdog (60);
  for (guint i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      g_assert_cmpuint (count_ahead (depths[i]), ==, depths[i] == 0 ? 2 : depths[i]);
      holo_runtime_drop_wait (HOLO_RUNTIME_WAIT_THROTTLE);
      g_assert_cmpuint (count_ahead (depths[i]), ==, 12);
      holo_runtime_drop_wait (HOLO_RUNTIME_WAIT_NONE);
    }
  test_watchdog (0);
}

/* None without the checker. */
static void
add_cases (const Case *some, guint n)
{
  for (guint i = 0; i < n && HB_CHECKER_AVAILABLE; i++)
    {
      g_autofree gchar *path = g_strconcat ("/waits/", some[i].name, NULL);

      g_test_add_data_func (path, &some[i], test_case);
    }
}

int
main (int argc, char **argv)
{
  gint result;

  g_test_init (&argc, &argv, NULL);
  simulated = sim_device_new (1, 0);
  add_cases (cases, G_N_ELEMENTS (cases));
  add_cases (forwarding_cases, G_N_ELEMENTS (forwarding_cases));
  g_test_add_func ("/waits/forwarding", test_forwarding);
  for (guint i = 0; i < G_N_ELEMENTS (applications) && HB_CHECKER_AVAILABLE; i++)
    {
      g_autofree gchar *path = g_strconcat ("/waits/", applications[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_application);
    }
  g_test_add_func ("/waits/throttle", test_throttle);
  /* one test per kind */
  G_STATIC_ASSERT (G_N_ELEMENTS (cases) + G_N_ELEMENTS (applications) + 2 == HOLO_RUNTIME_N_WAITS);
  result = g_test_run ();
  g_assert_finalize_object (simulated);
  return result;
}
