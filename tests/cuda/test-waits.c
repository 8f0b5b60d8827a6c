/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every kind of wait is needed on a real device too. A slow kernel lies in front of the work that the wait is
 * for: with the wait left out somebody sees wrong numbers, with it kept nobody does. */
#include "cuda-kinds.h"
#include "cuda-test.h"
#include "device/holo-runtime-hooks.h"
#include "scheduler/test-run.h"

#define SIDE     256
#define N_FRAMES 12
#define DEPTH    8 /* the throttle must not hide that another wait is missing */

static HoloDevice *device;
static gint64 n_runs;

/* ---- graphs that run by themselves ---- */

typedef struct
{
  const gchar *name;
  HoloRuntimeWait wait;
  const gchar *graph;
} Case;

/* Element i of frame n is the start plus i plus n; what an earlier run left in memory is never right. */
#define SOURCE                                                                                                         \
  "source Sequence {\"shape\": [256, 256], \"dtype\": \"F32\", \"count\": 12, \"start\": START, \"step\": "            \
  "1}\n"
#define UP      "up Memcpy {\"target\": \"Device\"}\n"
#define DOWN    "down Memcpy {\"target\": \"Host\"}\n"
#define SINK    "sink HistoryCollect {}\n"
#define SLOW    "slow Delay {\"ms\": 2}\n"
#define SLOW_UP "slow Delay {\"ms\": 2, \"target\": \"Device\"}\n"

static const Case cases[] = {
  { "slot-stream", HOLO_RUNTIME_WAIT_SLOT_STREAM,
    SOURCE UP "q TestQueue {\"mode\": \"owned\", \"fences\": true, \"capacity\": 1}\n" SLOW "d Queue {}\n" DOWN SINK
              "source > up > q > slow > d > down > sink\n" },
  { "slot-host", HOLO_RUNTIME_WAIT_SLOT_HOST,
    SOURCE "q TestQueue {\"mode\": \"owned\", \"fences\": true, \"capacity\": 1}\n" SLOW_UP "d Queue {}\n" DOWN SINK
           "source > q > slow > d > down > sink\n" },
  { "block-stream", HOLO_RUNTIME_WAIT_BLOCK_STREAM,
    SOURCE UP "q Queue {\"capacity\": 1}\n" SLOW "d Queue {}\n" DOWN SINK
              "source > up > q > slow > d > down > sink\n" },
  { "block-host", HOLO_RUNTIME_WAIT_BLOCK_HOST,
    SOURCE "q Queue {\"capacity\": 1}\n" SLOW_UP "d Queue {}\n" DOWN SINK "source > q > slow > d > down > sink\n" },
  { "popped-stream", HOLO_RUNTIME_WAIT_POPPED_STREAM,
    SOURCE UP SLOW "q Queue {}\n" DOWN SINK "source > up > slow > q > down > sink\n" },
  { "popped-host", HOLO_RUNTIME_WAIT_POPPED_HOST,
    SOURCE UP SLOW DOWN "q Queue {}\n" SINK "source > up > slow > down > q > sink\n" },
  { "pop", HOLO_RUNTIME_WAIT_POP,
    SOURCE "q TestQueue {\"mode\": \"copy\"}\n" SLOW_UP "d Queue {}\n" DOWN SINK
           "source > q > slow > d > down > sink\n" },
  { "node", HOLO_RUNTIME_WAIT_NODE, SOURCE UP SLOW DOWN SINK "source > up > slow > down > sink\n" },
  { "pushed", HOLO_RUNTIME_WAIT_PUSHED,
    SOURCE UP SLOW "q Queue {}\n"
                   "other Sequence {\"shape\": [64, 64], \"dtype\": \"F32\", \"count\": 12}\n"
                   "up2 Memcpy {\"target\": \"Device\"}\nq2 Queue {}\ncopy Memcpy {\"target\": \"Device\"}\n"
                   "reader TestQueue {\"mode\": \"copy\", \"fences\": true}\ndown2 Memcpy {\"target\": \"Host\"}\n"
                   "end HistoryCollect {}\npair Pair {}\n" DOWN SINK
                   "source > up > slow > q > pair.1\nother > up2 > q2 > copy > pair.0\n"
                   "copy > reader > down2 > end\npair > down > sink\n" },
  { "push", HOLO_RUNTIME_WAIT_PUSH, SOURCE UP SLOW DOWN "q Bridge {}\n" SINK "source > up > slow > down > q > sink\n" },
  { "release", HOLO_RUNTIME_WAIT_RELEASE,
    SOURCE UP "q TestQueue {\"mode\": \"owned\", \"capacity\": 1}\n" SLOW "d Queue {}\n" DOWN SINK
              "source > up > q > slow > d > down > sink\n" },
};

static gboolean
is_right (const gfloat *values, gint64 first)
{
  for (gint64 i = 0; i < SIDE * SIDE; i++)
    if (values[i] != (gfloat) (first + i))
      return FALSE;
  return TRUE;
}

/* Frames of the sink that are not what the source sent. */
static guint
count_wrong (HoloPlan *plan, gint64 start)
{
  HoloTask *sink = test_task (plan, "sink");
  guint n = 0, length;

  g_assert_cmpuint (test_collect_get_n_frames (sink), ==, N_FRAMES);
  for (guint i = 0; i < N_FRAMES; i++)
    n += !is_right (test_collect_get_frame (sink, i, &length), start + i);
  return n;
}

static HoloPlan *
compile_from (const gchar *graph, gint64 start)
{
  g_autofree gchar *number = g_strdup_printf ("%" G_GINT64_FORMAT, start);
  g_auto (GStrv) parts = g_strsplit (graph, "START", 2);
  g_autofree gchar *text = g_strjoinv (number, parts);

  return test_compile (text, device);
}

static guint
run_case (const Case *c, HoloRuntimeWait dropped)
{
  gint64 start = ++n_runs * 100;
  g_autoptr (HoloPlan) plan = compile_from (c->graph, start);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  guint n_wrong;

  holo_scheduler_set_max_in_flight (scheduler, DEPTH);
  holo_runtime_drop_wait (dropped);
  test_run (scheduler);
  holo_runtime_drop_wait (HOLO_RUNTIME_WAIT_NONE);
  g_assert_true (holo_device_synchronize (device, NULL));
  n_wrong = count_wrong (plan, start);
  g_test_message ("%u of %u frames wrong with the wait %s", n_wrong, N_FRAMES,
                  dropped == HOLO_RUNTIME_WAIT_NONE ? "kept" : "left out");
  return n_wrong;
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;

  test_watchdog (60);
  g_assert_cmpuint (run_case (c, HOLO_RUNTIME_WAIT_NONE), ==, 0);
  g_assert_cmpuint (run_case (c, c->wait), >, 0);
  g_assert_cmpuint (run_case (c, HOLO_RUNTIME_WAIT_NONE), ==, 0);
  test_watchdog (0);
}

/* ---- graphs with an application around them ---- */

#define IN "in Input {\"dtype\": \"F32\", \"shape\": [256, 256]}\n"

static void
init_frame (HoloFrame *frame)
{
  const gint64 shape[] = { SIDE, SIDE };
  HoloTensorDesc desc;
  g_autoptr (GError) error = NULL;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, shape);
  holo_frame_init_alloc (frame, &desc, &error);
  g_assert_no_error (error);
}

static void
push_one (HoloScheduler *scheduler, gint64 first)
{
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

  init_frame (&frame);
  for (gint64 i = 0; i < SIDE * SIDE; i++)
    ((gfloat *) holo_frame_get_data (&frame))[i] = (gfloat) (first + i);
  test_push_into (scheduler, "in", &frame);
}

/* Whether @frame, which lies on the device, holds the elements from @first on. */
static gboolean
is_right_on_device (HoloStream *stream, const HoloFrame *frame, gint64 first)
{
  g_auto (HoloFrame) copy = HOLO_FRAME_INIT;
  HoloTensorView from, to;
  HoloStorage source, target;
  g_autoptr (GError) error = NULL;

  init_frame (&copy);
  holo_storage_init (&source, frame->block->data, frame->block->size);
  source.mem_loc = HOLO_MEM_LOC_DEVICE;
  holo_storage_init (&target, copy.block->data, copy.block->size);
  holo_tensor_view_init (&from, &frame->desc, &source);
  holo_tensor_view_init (&to, &copy.desc, &target);
  holo_stream_wait_fence (stream, &frame->fence, &error);
  g_assert_no_error (error);
  holo_device_copy (device, stream, &to, &from, &error);
  g_assert_no_error (error);
  holo_stream_synchronize (stream, &error);
  g_assert_no_error (error);
  return is_right (holo_frame_get_data (&copy), first);
}

/* The application reads what it has pulled. */
static guint
pull (void)
{
  gint64 start = ++n_runs * 100;
  g_autoptr (HoloPlan) plan =
      compile_from (SOURCE UP SLOW "q Queue {}\n" DOWN "out Output {}\nsource > up > slow > q > down > out\n", start);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  guint n_wrong = 0;

  holo_scheduler_set_max_in_flight (scheduler, DEPTH);
  test_start (scheduler);
  for (guint i = 0; i < N_FRAMES; i++)
    {
      g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

      test_pull_from (scheduler, "out", &frame);
      n_wrong += !is_right (holo_frame_get_data (&frame), start + i);
    }
  test_finish (scheduler);
  return n_wrong;
}

/* Work of the application's own goes on with memory whose plan is gone, and which somebody else gets. */
static guint
keep (void)
{
  g_autoptr (HoloPlan) plan = test_compile (IN UP "out Output {}\nin > up > out\n", device);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  HoloStream *stream = holo_device_create_stream (device, NULL);
  HoloStream *other = holo_device_create_stream (device, NULL);
  gsize size = SIDE * SIDE * sizeof (gfloat);
  gpointer pinned = holo_device_alloc (device, HOLO_MEM_LOC_HOST, size, NULL), memory, next[8];
  gint64 shape[] = { SIDE, SIDE };
  HoloTensorView from, to;
  HoloStorage source, target;
  HoloTensorDesc desc;
  HoloFrame frame;
  HoloFence fence;
  guint n_wrong;

  holo_scheduler_set_max_in_flight (scheduler, DEPTH);
  test_start (scheduler);
  push_one (scheduler, 5);
  test_pull_from (scheduler, "out", &frame);
  test_finish (scheduler);
  holo_storage_init (&source, frame.block->data, size);
  holo_storage_init (&target, pinned, size);
  source.mem_loc = HOLO_MEM_LOC_DEVICE;
  holo_tensor_view_init (&from, &frame.desc, &source);
  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, shape);
  holo_tensor_view_init (&to, &desc, &target);
  g_assert_true (holo_stream_wait_fence (stream, &frame.fence, NULL));
  cuda_test_enqueue_delay (stream, 20);
  g_assert_true (holo_device_copy (device, stream, &to, &from, NULL));
  g_assert_true (holo_stream_record (stream, &fence, NULL));
  g_clear_object (&scheduler);
  g_clear_pointer (&plan, holo_plan_unref);
  memory = frame.block->data;
  holo_block_unref_after (g_steal_pointer (&frame.block), &fence);
  for (guint i = 0; i < G_N_ELEMENTS (next); i++)
    {
      next[i] = holo_device_alloc (device, HOLO_MEM_LOC_DEVICE, size, NULL);
      if (next[i] == memory)
        g_test_message ("allocation %u got the memory", i);
      g_assert_true (holo_device_fill_zero (device, other, next[i], size, NULL));
    }
  g_assert_true (holo_stream_synchronize (other, NULL));
  g_assert_true (holo_stream_synchronize (stream, NULL));
  n_wrong = !is_right (pinned, 5);
  for (guint i = 0; i < G_N_ELEMENTS (next); i++)
    holo_device_free (device, HOLO_MEM_LOC_DEVICE, next[i]);
  holo_device_free (device, HOLO_MEM_LOC_HOST, pinned);
  holo_device_release_stream (device, stream);
  holo_device_release_stream (device, other);
  return n_wrong;
}

/* The second run writes into a slot that the device still reads for the first. */
static guint
restart (void)
{
  g_autoptr (HoloPlan) plan =
      test_compile (IN UP "q TestQueue {\"mode\": \"owned\", \"fences\": true, \"capacity\": 2}\n"
                          "slow Delay {\"ms\": 50}\nout Output {}\nin > up > q > slow > out\n",
                    device);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  HoloStream *stream = holo_device_create_stream (device, NULL);
  HoloFrame frames[2];
  guint n_wrong = 0;

  holo_scheduler_set_max_in_flight (scheduler, DEPTH);
  for (guint run = 0; run < 2; run++)
    {
      test_start (scheduler);
      push_one (scheduler, 1000 * (run + 1));
      test_push_end_into (scheduler, "in");
      test_pull_from (scheduler, "out", &frames[run]);
      g_assert_true (holo_scheduler_wait (scheduler, NULL));
    }
  for (guint run = 0; run < 2; run++)
    {
      n_wrong += !is_right_on_device (stream, &frames[run], 1000 * (run + 1));
      holo_frame_clear (&frames[run]);
    }
  holo_device_release_stream (device, stream);
  return n_wrong;
}

static const struct
{
  const gchar *name;
  HoloRuntimeWait wait;
  guint (*run) (void);
} applications[] = {
  { "pull", HOLO_RUNTIME_WAIT_PULL, pull },
  { "free", HOLO_RUNTIME_WAIT_FREE, keep },
  { "end", HOLO_RUNTIME_WAIT_END, restart },
};

static guint
run_application (guint i, HoloRuntimeWait dropped)
{
  guint n_wrong;

  holo_runtime_drop_wait (dropped);
  n_wrong = applications[i].run ();
  holo_runtime_drop_wait (HOLO_RUNTIME_WAIT_NONE);
  g_assert_true (holo_device_synchronize (device, NULL));
  g_test_message ("%u frames wrong with the wait %s", n_wrong, dropped == HOLO_RUNTIME_WAIT_NONE ? "kept" : "left out");
  return n_wrong;
}

static void
test_application (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  test_watchdog (60);
  g_assert_cmpuint (run_application (i, HOLO_RUNTIME_WAIT_NONE), ==, 0);
  g_assert_cmpuint (run_application (i, applications[i].wait), >, 0);
  g_assert_cmpuint (run_application (i, HOLO_RUNTIME_WAIT_NONE), ==, 0);
  test_watchdog (0);
}

/* ---- depth ---- */

/* Frames that a section has taken while the first one is on the device for 100 ms. */
static guint64
count_ahead (guint max_in_flight)
{
  g_autoptr (HoloPlan) plan =
      test_compile ("source Sequence {\"shape\": [16], \"dtype\": \"F32\", \"count\": 12}\n"
                    "q Queue {\"capacity\": 32}\nslow Delay {\"ms\": 100, \"target\": \"Device\"}\n"
                    "end Unread {}\nsource > q > slow > end\n",
                    device);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  HoloNodeStatistics statistics = { 0 };
  g_autoptr (GError) error = NULL;

  holo_scheduler_set_max_in_flight (scheduler, max_in_flight);
  test_start (scheduler);
  do
    {
      g_usleep (100);
      test_node_statistics (scheduler, "q", &statistics);
    }
  while (statistics.pop.calls == 0);
  g_usleep (60000);
  test_node_statistics (scheduler, "q", &statistics);
  holo_scheduler_wait (scheduler, &error);
  g_assert_no_error (error);
  return statistics.pop.calls;
}

static void
test_throttle (void)
{
  static const guint depths[] = { 0, 1, 2, 4 };

  test_watchdog (60);
  for (guint i = 0; i < G_N_ELEMENTS (depths); i++)
    g_assert_cmpuint (count_ahead (depths[i]), ==, depths[i] == 0 ? 2 : depths[i]);
  holo_runtime_drop_wait (HOLO_RUNTIME_WAIT_THROTTLE);
  g_assert_cmpuint (count_ahead (2), ==, 12);
  holo_runtime_drop_wait (HOLO_RUNTIME_WAIT_NONE);
  test_watchdog (0);
}

int
main (int argc, char **argv)
{
  gint result;

  g_test_init (&argc, &argv, NULL);
  device = cuda_test_open ();
  cuda_kinds_register (test_kinds_get_registry ());
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree gchar *path = g_strconcat ("/cuda/waits/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  for (guint i = 0; i < G_N_ELEMENTS (applications); i++)
    {
      g_autofree gchar *path = g_strconcat ("/cuda/waits/", applications[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_application);
    }
  g_test_add_func ("/cuda/waits/throttle", test_throttle);
  G_STATIC_ASSERT (G_N_ELEMENTS (cases) + G_N_ELEMENTS (applications) + 2 == HOLO_RUNTIME_N_WAITS);
  result = g_test_run ();
  g_assert_finalize_object (device);
  return result;
}
