/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory, copies, streams, fences, retirement and errors of a CUDA device. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RUSAGE_THREAD */
#endif
#include <string.h>
#include <sys/resource.h>

#include "cuda-test.h"
#include "holo-cuda-driver.h"

static HoloDevice *device;

/* ---- helpers ---- */

static HoloStream *
new_stream (void)
{
  g_autoptr (GError) error = NULL;
  HoloStream *stream = holo_device_create_stream (device, &error);

  g_assert_no_error (error);
  return stream;
}

static HoloFence
record (HoloStream *stream)
{
  HoloFence fence;
  g_autoptr (GError) error = NULL;

  holo_stream_record (stream, &fence, &error);
  g_assert_no_error (error);
  return fence;
}

static void
wait (const HoloFence *fence)
{
  g_autoptr (GError) error = NULL;

  holo_fence_wait_host (fence, &error);
  g_assert_no_error (error);
}

static gdouble
get_cpu_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_THREAD, &usage);
  return (gdouble) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (gdouble) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* ---- copies ---- */

static void
copy_between (HoloTensorDesc *dst_desc, HoloStorage *dst, HoloTensorDesc *src_desc, HoloStorage *src)
{
  HoloStream *stream = new_stream ();
  HoloTensorView to, from;
  g_autoptr (GError) error = NULL;

  holo_tensor_view_init (&to, dst_desc, dst);
  holo_tensor_view_init (&from, src_desc, src);
  holo_device_copy (device, stream, &to, &from, &error);
  g_assert_no_error (error);
  holo_stream_synchronize (stream, &error);
  g_assert_no_error (error);
  holo_device_release_stream (device, stream);
}

static void
init_storage (HoloStorage *storage, HoloMemLoc loc, const HoloTensorDesc *desc)
{
  gsize size = holo_tensor_desc_get_size (desc);
  g_autoptr (GError) error = NULL;

  holo_storage_init (storage, holo_device_alloc (device, loc, size, &error), size);
  g_assert_no_error (error);
  g_assert_cmpuint ((gsize) storage->data % HOLO_MEMORY_ALIGNMENT, ==, 0);
  storage->mem_loc = loc;
}

/* Host in @from -> device in @to -> host in @from. */
static void
check_round_trip (const TaskArray *array, TaskLayout from, TaskLayout to, gboolean pinned)
{
  g_autoptr (TaskArray) source = task_array_copy (array, from);
  g_autoptr (TaskArray) shape = task_array_copy (array, to);
  g_autoptr (TaskArray) back = NULL;
  HoloTensorDesc on_device = shape->desc;
  HoloStorage host, memory;

  on_device.mem_loc = HOLO_MEM_LOC_DEVICE;
  init_storage (&memory, HOLO_MEM_LOC_DEVICE, &on_device);
  if (pinned)
    init_storage (&host, HOLO_MEM_LOC_HOST, &source->desc);
  else
    holo_storage_init (&host, g_malloc (source->size + 1), source->size);
  memcpy (host.data, source->data, source->size);
  copy_between (&on_device, &memory, &source->desc, &host);
  memset (host.data, 0, host.size);
  copy_between (&source->desc, &host, &on_device, &memory);
  back = task_array_new_for_desc (&source->desc);
  memcpy (back->data, host.data, host.size);
  task_array_assert_same (back, array, 0);
  holo_device_free (device, HOLO_MEM_LOC_DEVICE, memory.data);
  if (pinned)
    holo_device_free (device, HOLO_MEM_LOC_HOST, host.data);
  else
    g_free (host.data);
}

static void
test_copies (void)
{
  static const struct
  {
    guint rank;
    gint64 shape[4];
  } shapes[] = { { 0, { 0 } }, { 1, { 9 } }, { 2, { 17, 33 } }, { 3, { 4, 5, 6 } }, { 4, { 2, 3, 4, 5 } } };
  static const HoloDType dtypes[] = { HOLO_DTYPE_U8, HOLO_DTYPE_U16, HOLO_DTYPE_F32, HOLO_DTYPE_CF32, HOLO_DTYPE_CF64 };
  GRand *rand = g_rand_new_with_seed (2);

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
      {
        g_autoptr (TaskArray) array = task_array_new_random (dtypes[d], shapes[i].rank, shapes[i].shape, rand);

        for (guint from = 0; from < TASK_N_LAYOUTS; from++)
          for (guint to = 0; to < TASK_N_LAYOUTS; to++)
            for (guint pinned = 0; pinned < 2; pinned++)
              check_round_trip (array, (TaskLayout) from, (TaskLayout) to, pinned);
      }
  g_rand_free (rand);
}

/* ---- memory ---- */

static enum cudaMemoryType
get_type (gconstpointer data)
{
  struct cudaPointerAttributes attributes;

  g_assert_true (holo_cuda_device_enter (HOLO_CUDA_DEVICE (device), NULL));
  g_assert_cmpint (cudaPointerGetAttributes (&attributes, data), ==, cudaSuccess);
  holo_cuda_device_leave (HOLO_CUDA_DEVICE (device));
  return attributes.type;
}

/* Of any size: aligned, on the device or pinned. */
static void
test_memory (void)
{
  static const HoloMemLoc places[] = { HOLO_MEM_LOC_DEVICE, HOLO_MEM_LOC_HOST };

  for (guint p = 0; p < G_N_ELEMENTS (places); p++)
    {
      gpointer blocks[64];

      for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
        {
          blocks[i] = holo_device_alloc (device, places[p], i * i * i + 1, NULL);
          g_assert_nonnull (blocks[i]);
          g_assert_cmpuint ((gsize) blocks[i] % HOLO_MEMORY_ALIGNMENT, ==, 0);
          g_assert_cmpint (get_type (blocks[i]), ==,
                           places[p] == HOLO_MEM_LOC_DEVICE ? cudaMemoryTypeDevice : cudaMemoryTypeHost);
        }
      for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
        holo_device_free (device, places[p], blocks[i]);
    }
}

/* ---- context ---- */

static CUresult (*get_current) (CUcontext *context);

static void
find_get_current (void)
{
  enum cudaDriverEntryPointQueryResult found;

#if CUDART_VERSION >= 12050
  cudaGetDriverEntryPointByVersion ("cuCtxGetCurrent", (void **) &get_current, 12000, cudaEnableDefault, &found);
#else
  cudaGetDriverEntryPoint ("cuCtxGetCurrent", (void **) &get_current, cudaEnableDefault, &found);
#endif
  g_assert_nonnull (get_current);
}

static gpointer
use_in_thread (gpointer data)
{
  CUcontext context = (CUcontext) 1;
  HoloStream *stream = new_stream ();
  HoloFence fence;
  gpointer memory = holo_device_alloc (device, HOLO_MEM_LOC_DEVICE, 1000, NULL);

  g_assert_true (holo_device_fill_zero (device, stream, memory, 1000, NULL));
  fence = record (stream);
  wait (&fence);
  holo_device_free (device, HOLO_MEM_LOC_DEVICE, memory);
  holo_device_release_stream (device, stream);
  g_assert_cmpint (get_current (&context), ==, CUDA_SUCCESS);
  g_assert_null (context);
  return NULL;
}

static void
test_context (void)
{
  find_get_current ();
  g_thread_join (g_thread_new ("user", use_in_thread, NULL));
}

/* ---- fences ---- */

static void
test_fences (void)
{
  HoloStream *a = new_stream (), *b = new_stream ();
  HoloFence first, second;
  g_autoptr (GError) error = NULL;

  g_assert_true (a != b);
  cuda_test_enqueue_delay (a, 30);
  first = record (a);
  second = record (a);
  g_assert_cmpuint (second.number, >=, first.number);
  g_assert_false (holo_fence_is_passed (&first));
  holo_stream_wait_fence (b, &first, &error);
  g_assert_no_error (error);
  second = record (b);
  g_assert_false (holo_fence_is_passed (&second));
  wait (&second);
  g_assert_true (holo_fence_is_passed (&first));
  g_assert_true (holo_fence_is_passed (&second));
  holo_device_release_stream (device, a);
  holo_device_release_stream (device, b);
}

/* Thousands of fences that nobody asks about, and asking for old ones. */
static void
test_many_fences (void)
{
  HoloStream *stream = new_stream ();
  HoloFence first = record (stream), last = first;

  for (guint i = 0; i < 20000; i++)
    last = record (stream);
  wait (&last);
  g_assert_true (holo_fence_is_passed (&first));
  holo_device_release_stream (device, stream);
}

static void
test_wait_sleeps (void)
{
  HoloStream *stream = new_stream ();
  gdouble cpu;
  gint64 start;
  HoloFence fence;

  cuda_test_enqueue_delay (stream, 300);
  fence = record (stream);
  start = g_get_monotonic_time ();
  cpu = get_cpu_seconds ();
  wait (&fence);
  cpu = get_cpu_seconds () - cpu;
  g_assert_cmpint (g_get_monotonic_time () - start, >, 250000);
  g_test_message ("waiting 300 ms took %.2f ms of CPU", cpu * 1e3);
  g_assert_cmpfloat (cpu, <, 0.03);
  holo_device_release_stream (device, stream);
}

static gpointer
wait_in_thread (gpointer data)
{
  wait (data);
  return NULL;
}

static void
test_many_waiters (void)
{
  HoloStream *stream = new_stream ();
  GThread *threads[16];
  HoloFence fences[16];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      cuda_test_enqueue_delay (stream, i % 3 + 1);
      fences[i] = record (stream);
    }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("waiter", wait_in_thread, &fences[i]);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_true (holo_fence_is_passed (&fences[i]));
  holo_device_release_stream (device, stream);
}

/* ---- retirement ---- */

static void
release (HoloBlock *block)
{
  gint64 *at = block->owner;

  __atomic_store_n (at, g_get_monotonic_time (), __ATOMIC_SEQ_CST);
}

static void
test_retire (void)
{
  HoloStream *stream = new_stream ();
  gint64 released = 0, passed;
  HoloBlock block;
  HoloFence fence;

  cuda_test_enqueue_delay (stream, 20);
  fence = record (stream);
  holo_block_init (&block, NULL, 0, release, &released);
  block.ref_count = 0;
  holo_fence_set_add (&block.fences, &fence);
  holo_device_retire (device, &block);
  g_assert_cmpint (__atomic_load_n (&released, __ATOMIC_SEQ_CST), ==, 0);
  while (!holo_fence_is_passed (&fence))
    ;
  passed = g_get_monotonic_time ();
  while (__atomic_load_n (&released, __ATOMIC_SEQ_CST) == 0 && g_get_monotonic_time () < passed + G_USEC_PER_SEC)
    g_usleep (50);
  g_assert_cmpint (released, >, 0);
  g_test_message ("released %d us after the fence was seen to have passed", (gint) (released - passed));
  g_assert_cmpint (released - passed, <, 1000);
  holo_device_release_stream (device, stream);
}

/* ---- errors ---- */

static void
test_out_of_memory (void)
{
  g_autoptr (GError) error = NULL;
  gpointer memory;

  g_assert_null (holo_device_alloc (device, HOLO_MEM_LOC_DEVICE, (gsize) 1 << 45, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "cudaErrorMemoryAllocation"));
  g_clear_error (&error);
  memory = holo_device_alloc (device, HOLO_MEM_LOC_DEVICE, 1 << 20, &error);
  g_assert_no_error (error);
  holo_device_free (device, HOLO_MEM_LOC_DEVICE, memory);
}

/* A kernel that fails makes the device say so for ever, and nothing hangs. */
static void
test_fault (void)
{
  if (g_test_subprocess ())
    {
      HoloStream *stream = new_stream ();
      HoloFence fence;
      g_autoptr (GError) error = NULL;

      g_assert_true (holo_cuda_device_enter (HOLO_CUDA_DEVICE (device), NULL));
      cuda_test_fault (holo_cuda_stream_get (HOLO_CUDA_STREAM (stream)));
      holo_cuda_device_leave (HOLO_CUDA_DEVICE (device));
      if (holo_stream_record (stream, &fence, &error))
        holo_fence_wait_host (&fence, &error);
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
      g_printerr ("%s\n", error->message);
      g_clear_error (&error);
      g_assert_true (holo_fence_is_passed (&fence));
      g_assert_null (holo_device_create_stream (device, &error));
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
      holo_device_release_stream (device, stream);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*cuda:0*cudaError*");
}

int
main (int argc, char **argv)
{
  gint result;

  g_test_init (&argc, &argv, NULL);
  device = cuda_test_open ();
  g_test_add_func ("/cuda/device/copies", test_copies);
  g_test_add_func ("/cuda/device/memory", test_memory);
  g_test_add_func ("/cuda/device/context", test_context);
  g_test_add_func ("/cuda/device/fences", test_fences);
  g_test_add_func ("/cuda/device/many-fences", test_many_fences);
  g_test_add_func ("/cuda/device/wait-sleeps", test_wait_sleeps);
  g_test_add_func ("/cuda/device/many-waiters", test_many_waiters);
  g_test_add_func ("/cuda/device/retire", test_retire);
  g_test_add_func ("/cuda/device/out-of-memory", test_out_of_memory);
  g_test_add_func ("/cuda/device/fault", test_fault);
  result = g_test_run ();
  g_assert_finalize_object (device);
  return result;
}
