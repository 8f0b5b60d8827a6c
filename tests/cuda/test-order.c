/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whole graphs on the device: order, one frame, stopping, starting again. */
#include <glib/gstdio.h>
#include <string.h>

#include "cuda-test.h"

static HoloDevice *device;
static gchar *folder;

/* ---- kind Delay: keeps the device busy, then passes the tensor on ---- */

#define TYPE_DELAY_TASK (delay_task_get_type ())
G_DECLARE_FINAL_TYPE (DelayTask, delay_task, TEST, DELAY_TASK, HoloSyncTask)
struct _DelayTask
{
  HoloSyncTask parent_instance;
  guint ms;
};
G_DEFINE_FINAL_TYPE (DelayTask, delay_task, HOLO_TYPE_SYNC_TASK)

static HoloOpResult
delay_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  HoloDevice *where =
      context->inputs[0]->desc.mem_loc == HOLO_MEM_LOC_DEVICE ? device : holo_device_get_host ();

  if (where == device)
    cuda_test_enqueue_delay (context->stream, TEST_DELAY_TASK (task)->ms);
  return holo_device_copy (where, context->stream, context->outputs[0], context->inputs[0], error)
             ? HOLO_OP_OK
             : HOLO_OP_ERROR;
}

static void
delay_task_class_init (DelayTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = delay_task_execute;
}

static void
delay_task_init (DelayTask *task)
{
}

#define TYPE_DELAY_FACTORY (delay_factory_get_type ())
G_DECLARE_FINAL_TYPE (DelayFactory, delay_factory, TEST, DELAY_FACTORY, HoloSyncTaskFactory)
struct _DelayFactory
{
  HoloSyncTaskFactory parent_instance;
  gint64 ms;
};
G_DEFINE_FINAL_TYPE (DelayFactory, delay_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

static gboolean
delay_factory_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloTensorDesc desc;

  holo_tensor_desc_init_dense_like (&desc, holo_inference_get_input_desc (inference, 0));
  holo_inference_add_output (inference, &desc);
  return TRUE;
}

static HoloSyncTask *
delay_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                      const HoloSyncCreateContext *context, GError **error)
{
  DelayTask *task = g_object_new (TYPE_DELAY_TASK, NULL);

  task->ms = (guint) TEST_DELAY_FACTORY (factory)->ms;
  return HOLO_SYNC_TASK (task);
}

static void
delay_factory_class_init (DelayFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = delay_factory_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = delay_factory_create;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE;
  holo_task_factory_class_set_description (klass, "Keeps the device busy", "For tests.");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                     HOLO_SLOT_NONE, "anything");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "the same");
  holo_settings_install_int64 (klass, "ms", "How long", "ms", 0, 10000, 1, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (DelayFactory, ms));
}

static void
delay_factory_init (DelayFactory *factory)
{
}

/* ---- graphs ---- */

/* A chain: "Kind {settings}" one a line; node i is called ni. */
static HoloGraph *
make_chain (const gchar *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GString) json = g_string_new ("{\"nodes\": {");
  g_autoptr (GError) error = NULL;
  HoloGraph *graph;
  guint n = g_strv_length (lines);

  for (guint i = 0; i < n; i++)
    {
      gchar *settings = strchr (lines[i], ' ');

      g_string_append_printf (json, "%s\"n%u\": {\"type\": \"%.*s\", \"params\": %s}", i > 0 ? ", " : "", i,
                              (gint) (settings - lines[i]), lines[i], settings);
    }
  g_string_append (json, "}, \"edges\": [");
  for (guint i = 0; i + 1 < n; i++)
    g_string_append_printf (json, "%s{\"from\": \"n%u\", \"out\": 0, \"to\": \"n%u\", \"in\": 0}",
                            i > 0 ? ", " : "", i, i + 1);
  g_string_append (json, "]}");
  graph = holo_graph_new_from_text (json->str, -1, &error);
  g_assert_no_error (error);
  return graph;
}

static HoloScheduler *
make_scheduler (const gchar *chain, HoloDevice *on)
{
  g_autoptr (HoloGraph) graph = make_chain (chain);
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (holo_registry_get_default ());
  g_autoptr (HoloPlan) plan = NULL;
  g_autoptr (GError) error = NULL;

  holo_compiler_set_device (compiler, on);
  plan = holo_compiler_compile (compiler, graph, NULL, &error);
  g_assert_no_error (error);
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

#define SOURCE                                                                                               \
  "Sequence {\"shape\": [64, 65], \"dtype\": \"F32\", \"count\": 200, \"start\": 1, \"step\": 0.5}"
#define SMALL_SOURCE                                                                                         \
  "Sequence {\"shape\": [512, 512], \"dtype\": \"F32\", \"count\": 20, \"start\": 1, \"step\": 1}"
#define SINK       "NpyWriter {\"path\": \"%s\"}"
#define UP         "Memcpy {\"target\": \"Device\"}"
#define DOWN       "Memcpy {\"target\": \"Host\"}"
#define QUEUE      "Queue {\"capacity\": 8}"
#define HOST_GRAPH SOURCE "\nSqrt {}\n" SINK

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
  assert_equal_files (
      SOURCE "\n" UP "\nQueue {\"capacity\": 1}\nSqrt {}\nSqrt {}\nQueue {\"capacity\": 1}\n" DOWN "\n" SINK,
      SOURCE "\nSqrt {}\nSqrt {}\n" SINK);
}

/* A host source must not write into memory whose upload waits behind a slow kernel. */
static void
test_slow_upload (void)
{
  assert_equal_files (SMALL_SOURCE "\n" UP "\nDelay {\"ms\": 5}\n" DOWN "\n" SINK, SMALL_SOURCE "\n" SINK);
  assert_equal_files (SMALL_SOURCE "\n" QUEUE "\n" UP "\nDelay {\"ms\": 5}\n" QUEUE "\n" DOWN "\n" QUEUE
                                   "\n" SINK,
                      SMALL_SOURCE "\n" SINK);
}

static void
test_rate_limiter (void)
{
  assert_equal_files (SMALL_SOURCE "\n" UP "\nRateLimiter {\"max_fps\": 1000}\nSqrt {}\n" DOWN "\n" SINK,
                      SMALL_SOURCE "\nSqrt {}\n" SINK);
}

static void
test_batch_queue (void)
{
  assert_equal_files (
      SMALL_SOURCE "\n" UP "\nBatchQueue {\"target_capacity\": 8, \"output_size\": 4}\nSqrt {}\n" DOWN
                   "\n" SINK,
      SMALL_SOURCE "\nBatchQueue {\"target_capacity\": 8, \"output_size\": 4}\nSqrt {}\n" SINK);
}

/* ---- one frame ---- */

static void
check_one_frame (const gchar *chain)
{
  g_autoptr (HoloScheduler) scheduler = make_scheduler (chain, device);
  HoloPlan *plan = holo_scheduler_get_plan (scheduler);
  gfloat *values;
  gint64 start;
  gint64 shape[] = { 512, 512 };
  guint n_lines = 0, input, output;
  g_autofree gchar *last = NULL;
  HoloTensorDesc desc;
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT, out = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;

  for (const gchar *at = chain; (at = strchr (at, '\n')) != NULL; at++)
    n_lines++;
  last = g_strdup_printf ("n%u", n_lines);
  g_assert_true (holo_plan_find_node (plan, "n0", &input));
  g_assert_true (holo_plan_find_node (plan, last, &output));
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
      g_assert_cmpint (holo_scheduler_push (scheduler, input, &frame, NULL, &error), ==, HOLO_OP_OK);
      g_assert_cmpint (holo_scheduler_pull (scheduler, output, &out, NULL, &error), ==, HOLO_OP_OK);
      start = g_get_monotonic_time () - start;
      g_test_message ("frame %u was out after %d us", round, (gint) start);
      if (round > 0)
        g_assert_cmpint (start, <, 50000);
      for (guint i = 0; i < 512 * 512; i++)
        g_assert_cmpfloat (((gfloat *) holo_frame_get_data (&out))[i], ==, 2 * (gfloat) (round + 1));
      holo_frame_clear (&out);
    }
  holo_scheduler_stop (scheduler);
  holo_scheduler_wait (scheduler, NULL);
}

#define INPUT "Input {\"shape\": [512, 512], \"dtype\": \"F32\"}"

static void
test_one_frame (void)
{
  check_one_frame (INPUT "\n" UP "\nSqrt {}\n" DOWN "\nOutput {}");
  check_one_frame (INPUT "\n" UP "\n" QUEUE "\nSqrt {}\n" QUEUE "\n" DOWN "\nOutput {}");
  check_one_frame (INPUT "\n" QUEUE "\n" UP "\n" QUEUE "\nSqrt {}\n" QUEUE "\n" DOWN "\n" QUEUE
                         "\nOutput {}");
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
      g_assert_cmpint (g_get_monotonic_time () - start, <, 1500000);
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
  const gchar *chain = "Sequence {\"shape\": [512, 512], \"dtype\": \"F32\", \"count\": 4}\n" QUEUE "\n" UP
                       "\n" QUEUE "\nSqrt {}\n" QUEUE "\n" DOWN "\n" QUEUE "\n" SINK;
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
  holo_registry_register_sync (holo_registry_get_default (), "Delay", TYPE_DELAY_FACTORY, &error);
  g_assert_no_error (error);
  g_test_add_func ("/cuda/order/plain", test_plain);
  g_test_add_func ("/cuda/order/queues", test_queues);
  g_test_add_func ("/cuda/order/small-queues", test_small_queues);
  g_test_add_func ("/cuda/order/slow-upload", test_slow_upload);
  g_test_add_func ("/cuda/order/rate-limiter", test_rate_limiter);
  g_test_add_func ("/cuda/order/batch-queue", test_batch_queue);
  g_test_add_func ("/cuda/order/one-frame", test_one_frame);
  g_test_add_func ("/cuda/order/stop", test_stop);
  g_test_add_func ("/cuda/order/cycles", test_cycles);
  result = g_test_run ();
  g_rmdir (folder);
  g_free (folder);
  g_assert_finalize_object (device);
  return result;
}
