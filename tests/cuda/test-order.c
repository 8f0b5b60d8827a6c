/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whole graphs on the device: order, one frame, stopping, starting again. */
#include <glib/gstdio.h>
#include <string.h>

#include "cuda-kinds.h"
#include "cuda-test.h"
#include "device/holo-runtime-hooks.h"

static HoloDevice *device;
static gchar *folder;

/* ---- graphs ---- */

static HoloScheduler *
make_scheduler (const gchar *chain, HoloDevice *on)
{
  g_autoptr (HoloPlan) plan = cuda_compile_chain (chain, holo_registry_get_default (), on);

  return holo_scheduler_new (plan);
}

static void
run_scheduler (HoloScheduler *scheduler)
{
  g_autoptr (GError) error = NULL;

  holo_scheduler_start (scheduler, &error);
  g_assert_no_error (error);
  holo_scheduler_wait (scheduler, &error);
  g_assert_no_error (error);
}

/* Runs @chain, whose %s is the file it writes; the bytes of the file. */
static GBytes *
run_to_file (const gchar *chain, HoloDevice *on)
{
  g_autofree gchar *path = g_build_filename (folder, "out.npy", NULL);
  g_auto (GStrv) parts = g_strsplit (chain, "%s", 2);
  g_autofree gchar *text = g_strconcat (parts[0], path, parts[1], NULL);
  g_autoptr (HoloScheduler) scheduler = make_scheduler (text, on);
  g_autoptr (GError) error = NULL;
  gchar *bytes;
  gsize size;

  run_scheduler (scheduler);
  g_file_get_contents (path, &bytes, &size, &error);
  g_assert_no_error (error);
  g_unlink (path);
  return g_bytes_new_take (bytes, size);
}

static void
assert_equal_files (const gchar *on_device, const gchar *on_host)
{
  g_autoptr (GBytes) found = run_to_file (on_device, device);
  g_autoptr (GBytes) expected = run_to_file (on_host, holo_device_get_host ());

  g_assert_cmpuint (g_bytes_get_size (expected), >, 128);
  g_assert_true (g_bytes_equal (found, expected));
}

#define SOURCE       "Sequence {\"shape\": [64, 65], \"dtype\": \"F32\", \"count\": 200, \"start\": 1, \"step\": 0.5}"
#define SMALL_SOURCE "Sequence {\"shape\": [512, 512], \"dtype\": \"F32\", \"count\": 20, \"start\": 1, \"step\": 1}"
#define SINK         "NpyWriter {\"path\": \"%s\"}"
#define UP           "Memcpy {\"target\": \"Device\"}"
#define DOWN         "Memcpy {\"target\": \"Host\"}"
#define QUEUE        "Queue {\"capacity\": 8}"
#define HOST_GRAPH   SOURCE "\nSqrt {}\n" SINK

static void
test_plain (void)
{
  assert_equal_files (SOURCE "\n" UP "\nSqrt {}\n" DOWN "\n" SINK, HOST_GRAPH);
}

static void
test_queues (void)
{
  assert_equal_files (SOURCE "\n" QUEUE "\n" UP "\n" QUEUE "\nSqrt {}\n" QUEUE "\n" DOWN "\n" QUEUE "\n" SINK,
                      HOST_GRAPH);
}

/* In place, and queues of the smallest size. */
static void
test_small_queues (void)
{
  assert_equal_files (SOURCE "\n" UP "\nQueue {\"capacity\": 1}\nSqrt {}\nSqrt {}\nQueue {\"capacity\": 1}\n" DOWN
                             "\n" SINK,
                      SOURCE "\nSqrt {}\nSqrt {}\n" SINK);
}

/* A host source must not write into memory whose upload waits behind a slow kernel. */
static void
test_slow_upload (void)
{
  assert_equal_files (SMALL_SOURCE "\n" UP "\nDelay {\"ms\": 5}\n" DOWN "\n" SINK, SMALL_SOURCE "\n" SINK);
  assert_equal_files (SMALL_SOURCE "\n" QUEUE "\n" UP "\nDelay {\"ms\": 5}\n" QUEUE "\n" DOWN "\n" QUEUE "\n" SINK,
                      SMALL_SOURCE "\n" SINK);
}

static gint n_looked_at;

/* Memory that the copies of a plan touch is pinned, and all of it aligned. */
static void
look_at (HoloTask *task, HoloRuntimeCall call, HoloTensorView *const *views, guint n_views, guint n_inputs)
{
  if (call != HOLO_RUNTIME_EXECUTE || !g_str_equal (holo_task_get_kind (task), "Memcpy"))
    return;
  g_assert_true (holo_cuda_device_enter (HOLO_CUDA_DEVICE (device), NULL));
  for (guint i = 0; i < n_views; i++)
    {
      struct cudaPointerAttributes attributes;

      g_assert_cmpuint ((gsize) views[i]->storage->data % HOLO_MEMORY_ALIGNMENT, ==, 0);
      g_assert_cmpint (cudaPointerGetAttributes (&attributes, views[i]->storage->data), ==, cudaSuccess);
      g_assert_cmpint (attributes.type, ==,
                       views[i]->desc.mem_loc == HOLO_MEM_LOC_DEVICE ? cudaMemoryTypeDevice : cudaMemoryTypeHost);
      g_atomic_int_inc (&n_looked_at);
    }
  holo_cuda_device_leave (HOLO_CUDA_DEVICE (device));
}

static void
test_memory (void)
{
  static const HoloRuntimeHooks hooks = { .before_call = look_at };
  g_autoptr (HoloScheduler) scheduler =
      make_scheduler ("Unfilled {\"shape\": [17, 19], \"count\": 20}\n" UP "\nSqrt {}\n" DOWN "\n" QUEUE "\n" UP
                      "\n" QUEUE "\n" DOWN "\n" QUEUE "\nUnread {}",
                      device);
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
  g_autofree gchar *text = holo_plan_to_text (plan);

  g_assert_nonnull (strstr (text, " bytes on cuda:0\n"));
  g_assert_cmpuint (holo_plan_get_peak_bytes (plan, HOLO_MEM_LOC_DEVICE), >=, 2 * 17 * 19 * sizeof (gfloat));
  holo_runtime_set_hooks (&hooks);
  run_scheduler (scheduler);
  holo_runtime_set_hooks (NULL);
  g_assert_cmpint (n_looked_at, ==, 4 * 20 * 2);
}

/* Transforms that share a work area, back to back. */
static void
test_transforms (void)
{
  g_autoptr (GBytes) found =
      run_to_file (SMALL_SOURCE "\n" UP "\nConversion {\"target\": \"CF32\"}\nFFT2 {}\nIFFT2 {}\nFFT2 {}\nIFFT2 {}\n"
                                "Conversion {\"target\": \"F32\", \"strategy\": \"Real\"}\n" DOWN "\n" SINK,
                   device);
  gsize size, n = 20 * 512 * 512;
  const gfloat *values = g_bytes_get_data (found, &size);

  values += size / sizeof (gfloat) - n; /* behind the header */
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (values[i], 1 + (gdouble) (i % (512 * 512)) + (gdouble) (i / (512 * 512)), 2);
}

static void
test_rate_limiter (void)
{
  static const gchar *const modes[] = { "adopt", "copy", "slot" };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autofree gchar *limiter = g_strdup_printf ("RateLimiter {\"max_fps\": 1000, \"mode\": \"%s\"}\n", modes[i]);
      g_autofree gchar *on_device =
          g_strconcat (SMALL_SOURCE "\n" UP "\nDelay {\"ms\": 2}\n", limiter, "Sqrt {}\n" DOWN "\n" SINK, NULL);
      g_autofree gchar *on_host = g_strconcat (SMALL_SOURCE "\n", limiter, "Sqrt {}\n" SINK, NULL);

      assert_equal_files (on_device, SMALL_SOURCE "\nSqrt {}\n" SINK);
      assert_equal_files (on_host, SMALL_SOURCE "\nSqrt {}\n" SINK);
    }
}

static void
test_batch_queue (void)
{
  assert_equal_files (SMALL_SOURCE "\n" UP "\nBatchQueue {\"target_capacity\": 8, \"output_size\": 4}\nSqrt {}\n" DOWN
                                   "\n" SINK,
                      SMALL_SOURCE "\nBatchQueue {\"target_capacity\": 8, \"output_size\": 4}\nSqrt {}\n" SINK);
}

/* ---- one frame ---- */

static void
check_one_frame (const gchar *chain, guint max_in_flight)
{
  g_autoptr (HoloScheduler) scheduler = make_scheduler (chain, device);
  g_autoptr (HoloEnd) input = holo_scheduler_get_input (scheduler, "n0", NULL);
  g_autoptr (HoloEnd) output = NULL;
  gfloat *values;
  gint64 start, worst = 0;
  gint64 shape[] = { 512, 512 };
  guint n_lines = 0;
  g_autofree gchar *last = NULL;
  HoloTensorDesc desc;
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT, out = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;

  for (const gchar *at = chain; (at = strchr (at, '\n')) != NULL; at++)
    n_lines++;
  last = g_strdup_printf ("n%u", n_lines);
  output = holo_scheduler_get_output (scheduler, last, NULL);
  g_assert_true (input != NULL && output != NULL);
  holo_scheduler_set_max_in_flight (scheduler, max_in_flight);
  holo_scheduler_start (scheduler, &error);
  g_assert_no_error (error);
  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, shape);
  for (guint round = 0; round < 5; round++)
    {
      holo_frame_init_alloc (&frame, &desc, &error);
      g_assert_no_error (error);
      values = holo_frame_get_data (&frame);
      for (guint i = 0; i < 512 * 512; i++)
        values[i] = 4 * (gfloat) (round + 1) * (gfloat) (round + 1);
      start = g_get_monotonic_time ();
      g_assert_cmpint (holo_end_push (input, &frame, NULL, &error), ==, HOLO_OP_OK);
      g_assert_cmpint (holo_end_pull (output, &out, NULL, &error), ==, HOLO_OP_OK);
      start = g_get_monotonic_time () - start;
      worst = MAX (worst, start);
      g_assert_cmpint (start, <, round> 0 ? 50000 : 500000); /* the first one loads the kernels */
      for (guint i = 0; i < 512 * 512; i++)
        g_assert_cmpfloat (((gfloat *) holo_frame_get_data (&out))[i], ==, 2 * (gfloat) (round + 1));
      holo_frame_clear (&out);
    }
  g_test_message ("depth %u: a frame was out after %d us at most", max_in_flight, (gint) worst);
  holo_scheduler_stop (scheduler);
  holo_scheduler_wait (scheduler, NULL);
}

#define INPUT "Input {\"shape\": [512, 512], \"dtype\": \"F32\"}"

/* One frame in and none after: nothing may wait for a next one, however far a section may run ahead. */
static void
test_one_frame (void)
{
  static const guint depths[] = { 1, 2, 4, 8, 16 };

  for (guint i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      check_one_frame (INPUT "\n" UP "\nSqrt {}\n" DOWN "\nOutput {}", depths[i]);
      check_one_frame (INPUT "\n" UP "\n" QUEUE "\nSqrt {}\n" QUEUE "\n" DOWN "\nOutput {}", depths[i]);
      check_one_frame (INPUT "\n" QUEUE "\n" UP "\n" QUEUE "\nSqrt {}\n" QUEUE "\n" DOWN "\n" QUEUE "\nOutput {}",
                       depths[i]);
    }
}

/* ---- waits of a steady state ---- */

static void
check_section (HoloScheduler *scheduler, guint section)
{
  HoloSectionStatistics s;

  holo_scheduler_get_section_statistics (scheduler, section, &s);
  g_test_message ("%s: %" G_GUINT64_FORMAT " iterations, waits: %" G_GUINT64_FORMAT " order, %" G_GUINT64_FORMAT
                  " throttle, %" G_GUINT64_FORMAT " foreign",
                  s.name, s.iterations, s.waits_order, s.waits_throttle, s.waits_foreign);
  g_assert_cmpuint (s.waits_order, ==, 0);
  g_assert_cmpuint (s.waits_foreign, ==, 0);
  g_assert_cmpuint (s.waits_throttle, <=, s.iterations);
}

/* All of it on the device; and the sections of a stream from host to host that work on the device alone. */
static void
test_steady_state (void)
{
  g_autoptr (HoloScheduler) resident =
      make_scheduler ("Unfilled {\"shape\": [512, 512], \"target\": \"Device\", \"count\": 2000}\nSqrt {}\n" QUEUE
                      "\nSqrt {}\nSqrt {}\n" QUEUE "\nSqrt {}\nUnread {}",
                      device);
  g_autoptr (HoloScheduler) streaming =
      make_scheduler ("Unfilled {\"shape\": [512, 512], \"count\": 2000}\n" QUEUE "\n" UP "\n" QUEUE "\nSqrt {}\n" QUEUE
                      "\n" DOWN "\n" QUEUE "\nUnread {}",
                      device);
  g_autoptr (HoloPlan) resident_plan = holo_scheduler_get_plan (resident);
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (streaming);
  static const gchar *const on_device[] = { "n2", "n4", "n6" };

  run_scheduler (resident);
  for (guint i = 0; i < holo_plan_get_n_sections (resident_plan); i++)
    check_section (resident, i);
  run_scheduler (streaming);
  for (guint i = 0; i < G_N_ELEMENTS (on_device); i++)
    {
      guint node;

      g_assert_true (holo_plan_find_node (plan, on_device[i], &node));
      check_section (streaming, (guint) holo_plan_get_node_section (plan, node, FALSE));
    }
}

/* ---- frames that are shown twice ---- */

#define LOOP_FRAMES 5

/* What a task does in place must not be seen in the next loop over cached frames. */
static void
check_loops (const gchar *chain)
{
  g_autoptr (GBytes) found = run_to_file (chain, device);
  gsize size, loop = LOOP_FRAMES * 256 * 256 * sizeof (gfloat);
  const guint8 *bytes = g_bytes_get_data (found, &size);
  const gfloat *values;

  g_assert_cmpuint (size, >, 2 * loop);
  bytes += size - 2 * loop; /* behind the header */
  g_assert_cmpmem (bytes, loop, bytes + loop, loop);
  values = (const gfloat *) (gconstpointer) bytes;
  g_assert_cmpfloat (values[0], ==, 1);
  g_assert_cmpfloat (values[255], ==, 4); /* the root of the root of 256 */
}

static void
test_cached_loops (void)
{
#define CACHED(target)                                                                                                 \
  "Cached {\"shape\": [256, 256], \"count\": " G_STRINGIFY (LOOP_FRAMES) ", \"loops\": 2, \"target\": \"" target "\"}"

  check_loops (CACHED ("Device") "\nSqrt {}\nSqrt {}\n" DOWN "\n" SINK);
  check_loops (CACHED ("Device") "\nSqrt {}\n" QUEUE "\nSqrt {}\n" DOWN "\n" SINK);
  check_loops (CACHED ("Host") "\n" UP "\nSqrt {}\nSqrt {}\n" DOWN "\n" SINK);
}

/* ---- stop ---- */

static void
test_stop (void)
{
  const gchar *chain = "Sequence {\"shape\": [64], \"dtype\": \"F32\", \"count\": 0}\n" UP
                       "\nDelay {\"ms\": 300}\n" QUEUE "\n" DOWN "\nNpyWriter {\"path\": \"/dev/null\"}";
  g_autofree gchar *path = g_build_filename (folder, "stop.npy", NULL);
  g_auto (GStrv) parts = g_strsplit (chain, "/dev/null", 2);
  g_autofree gchar *text = g_strconcat (parts[0], path, parts[1], NULL);
  g_autoptr (HoloScheduler) scheduler = make_scheduler (text, device);
  g_autoptr (GError) error = NULL;

  for (guint round = 0; round < 3; round++)
    {
      gint64 start;

      holo_scheduler_start (scheduler, &error);
      g_assert_no_error (error);
      g_usleep (50000);
      start = g_get_monotonic_time ();
      holo_scheduler_stop (scheduler);
      holo_scheduler_wait (scheduler, &error);
      g_assert_no_error (error);
      /* what was enqueued, at most two iterations, is waited for */
      g_test_message ("stopped after %d ms", (gint) ((g_get_monotonic_time () - start) / 1000));
      g_assert_cmpint (g_get_monotonic_time () - start, <, 800000);
    }
  g_unlink (path);
}

/* ---- again and again ---- */

static guint
count_threads (void)
{
  GDir *dir = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  g_dir_close (dir);
  return n;
}

static gsize
get_free_memory (void)
{
  gsize free_bytes, total;

  g_assert_true (holo_cuda_device_enter (HOLO_CUDA_DEVICE (device), NULL));
  g_assert_cmpint (cudaMemGetInfo (&free_bytes, &total), ==, cudaSuccess);
  holo_cuda_device_leave (HOLO_CUDA_DEVICE (device));
  return free_bytes;
}

static void
test_cycles (void)
{
  const gchar *chain = "Sequence {\"shape\": [512, 512], \"dtype\": \"F32\", \"count\": 4}\n" QUEUE "\n" UP "\n" QUEUE
                       "\nSqrt {}\n" QUEUE "\n" DOWN "\n" QUEUE "\n" SINK;
  gsize free_bytes = 0;
  guint n_threads = 0;

  for (guint i = 0; i < 103; i++)
    {
      if (i == 3)
        {
          free_bytes = get_free_memory ();
          n_threads = count_threads ();
        }
      g_bytes_unref (run_to_file (chain, device));
    }
  g_test_message ("free device memory %" G_GSIZE_FORMAT " and now %" G_GSIZE_FORMAT ", threads %u and now %u",
                  free_bytes, get_free_memory (), n_threads, count_threads ());
  g_assert_cmpuint (get_free_memory (), >=, free_bytes);
  g_assert_cmpuint (count_threads (), <=, n_threads);
}

int
main (int argc, char **argv)
{
  gint result;
  g_autoptr (GError) error = NULL;

  g_test_init (&argc, &argv, NULL);
  device = cuda_test_open ();
  folder = g_dir_make_tmp ("holo-cuda-XXXXXX", &error);
  g_assert_no_error (error);
  cuda_kinds_register (holo_registry_get_default ());
  cuda_kinds_register_cached (holo_registry_get_default ());
  g_test_add_func ("/cuda/order/plain", test_plain);
  g_test_add_func ("/cuda/order/queues", test_queues);
  g_test_add_func ("/cuda/order/small-queues", test_small_queues);
  g_test_add_func ("/cuda/order/slow-upload", test_slow_upload);
  g_test_add_func ("/cuda/order/memory", test_memory);
  g_test_add_func ("/cuda/order/transforms", test_transforms);
  g_test_add_func ("/cuda/order/rate-limiter", test_rate_limiter);
  g_test_add_func ("/cuda/order/batch-queue", test_batch_queue);
  g_test_add_func ("/cuda/order/one-frame", test_one_frame);
  g_test_add_func ("/cuda/order/steady-state", test_steady_state);
  g_test_add_func ("/cuda/order/cached-loops", test_cached_loops);
  g_test_add_func ("/cuda/order/stop", test_stop);
  g_test_add_func ("/cuda/order/cycles", test_cycles);
  result = g_test_run ();
  g_rmdir (folder);
  g_free (folder);
  g_assert_finalize_object (device);
  return result;
}
