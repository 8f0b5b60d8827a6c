/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* After ten iterations a run neither allocates nor frees. This program brings its own malloc(), which
 * counts. */
#include "test-run.h"

#include <malloc.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define COUNTS 0
static gint n_calls;
#else
#define COUNTS 1

static gint n_calls;

#pragma GCC visibility push(default) /* also for the libraries */
extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *memory, size_t size);
extern void *__libc_memalign (size_t alignment, size_t size);
extern void __libc_free (void *memory);

void *
malloc (size_t size)
{
  __atomic_fetch_add (&n_calls, 1, __ATOMIC_RELAXED);
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  __atomic_fetch_add (&n_calls, 1, __ATOMIC_RELAXED);
  return __libc_calloc (n, size);
}

void *
realloc (void *memory, size_t size)
{
  __atomic_fetch_add (&n_calls, 1, __ATOMIC_RELAXED);
  return __libc_realloc (memory, size);
}

int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  __atomic_fetch_add (&n_calls, 1, __ATOMIC_RELAXED);
  *memory = __libc_memalign (alignment, size);
  return *memory != NULL ? 0 : 12;
}

void
free (void *memory)
{
  if (memory != NULL)
    __atomic_fetch_add (&n_calls, 1, __ATOMIC_RELAXED);
  __libc_free (memory);
}
#pragma GCC visibility pop
#endif

static gint
count (void)
{
  return __atomic_load_n (&n_calls, __ATOMIC_RELAXED);
}

static void
test_counting (void)
{
  gint before = count ();

  g_free (g_malloc (1234));
  g_assert_cmpint (count () - before, >=, 2);
}

static void
test_graph_runs_without (gconstpointer data)
{
  g_autoptr (HoloPlan) plan = test_compile (data, NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  HoloTask *sink = test_task (plan, "sink");
  gint before;

  test_watchdog (30);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  TEST_WAIT_UNTIL (test_task_get_n_calls (sink) >= 10, 10);
  before = count ();
  TEST_WAIT_UNTIL (test_task_get_n_calls (sink) >= 5000, 20);
  g_assert_cmpint (count (), ==, before);
  holo_scheduler_stop (scheduler);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  test_watchdog (0);
}

/* ---- an application's frames, in memory that goes round ---- */

#define N_BLOCKS 8

typedef struct
{
  HoloEnd *input;
  HoloBlock blocks[N_BLOCKS];
  gint busy[N_BLOCKS];
  gfloat memory[N_BLOCKS][4];
  gint n_pushed;
  gint stop;
} Ring;

static void
give_back (HoloBlock *block)
{
  g_atomic_int_set ((gint *) block->owner, FALSE);
}

static gpointer
push_ring (gpointer user_data)
{
  Ring *ring = user_data;
  const gint64 shape[] = { 4 };
  HoloFrame frame = HOLO_FRAME_INIT;

  holo_tensor_desc_init (&frame.desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  for (guint n = 0; !g_atomic_int_get (&ring->stop); n = (n + 1) % N_BLOCKS)
    {
      while (g_atomic_int_get (&ring->busy[n]))
        g_thread_yield ();
      g_atomic_int_set (&ring->busy[n], TRUE);
      holo_block_init (&ring->blocks[n], ring->memory[n], sizeof ring->memory[n], give_back, &ring->busy[n]);
      frame.block = &ring->blocks[n];
      if (holo_end_push (ring->input, &frame, NULL, NULL) != HOLO_OP_OK)
        break;
      g_atomic_int_inc (&ring->n_pushed);
    }
  holo_end_push_end (ring->input, NULL);
  return NULL;
}

static void
test_ends_run_without (gconstpointer data)
{
  g_autoptr (HoloPlan) plan = test_compile ("in Input {\"dtype\": \"F32\", \"shape\": [4]}\nq Queue {\"capacity\": 3}\n"
                                            "out Output {}\nin > q > out\n",
                                            NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloEnd) in = test_input (scheduler, "in");
  g_autoptr (HoloEnd) out = test_output (scheduler, "out");
  Ring *ring = g_new0 (Ring, 1);
  GThread *thread;
  gint before = 0;

  ring->input = in;
  holo_scheduler_set_driving (scheduler, (HoloDriving) GPOINTER_TO_INT (data));
  test_watchdog (30);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  thread = g_thread_new ("push", push_ring, ring);
  for (guint n = 0;; n++)
    {
      g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

      if (n == 20)
        before = count ();
      if (n == 5000)
        {
          g_assert_cmpint (count (), ==, before);
          g_atomic_int_set (&ring->stop, TRUE);
        }
      if (holo_end_pull (out, &frame, NULL, NULL) != HOLO_OP_OK)
        break;
    }
  g_thread_join (thread);
  g_assert_true (holo_scheduler_wait (scheduler, NULL));
  g_assert_cmpint (g_atomic_int_get (&ring->n_pushed), >=, 5000);
  test_watchdog (0);
  g_free (ring);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!COUNTS)
    {
      g_print ("1..0 # SKIP the sanitizer has a malloc of its own\n");
      return 0;
    }
  g_test_add_func ("/allocations/counting", test_counting);
  g_test_add_data_func (
      "/allocations/one-section",
      "source SequenceSource {\"base\": [0, 1]}\nscale Scale {\"factor\": 2}\nbump Bump {}\nsink Null {}\n"
      "source > scale > bump > sink\n",
      test_graph_runs_without);
  g_test_add_data_func (
      "/allocations/queues",
      "source SequenceSource {\"base\": [0, 1]}\na Queue {\"capacity\": 3}\nscale Scale {}\n"
      "b TestQueue {\"mode\": \"owned\"}\nc Bridge {}\nd BatchQueue {\"output_size\": 4}\nsink Null {}\n"
      "source > a > scale > b > c > d > sink\n",
      test_graph_runs_without);
  g_test_add_data_func ("/allocations/ends/threads", GINT_TO_POINTER (HOLO_DRIVING_THREADS), test_ends_run_without);
  g_test_add_data_func ("/allocations/ends/caller-driven", GINT_TO_POINTER (HOLO_DRIVING_INPUTS),
                        test_ends_run_without);
  return g_test_run ();
}
