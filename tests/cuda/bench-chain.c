/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Eight Sqrt on frames that lie on the device against eight launches back to back; what a boundary between
 * sections costs; and what a graph costs that waits. */
#include "bench-cuda.h"
#include "cuda-kinds.h"
#include "cuda-test.h"
#include "holo-cuda-loop.h"

#define N_FRAMES 20000
#define N_ROUNDS 5

/* ---- chain ---- */

static gdouble
run_raw (HoloDevice *device)
{
  gsize size = BENCH_SIDE * BENCH_SIDE * sizeof (gfloat);
  const gint64 shape[] = { BENCH_SIDE, BENCH_SIDE };
  HoloStream *stream = holo_device_create_stream (device, NULL);
  gpointer memory = holo_device_alloc (device, HOLO_MEM_LOC_DEVICE, size, NULL);
  cudaStream_t raw = holo_cuda_stream_get (HOLO_CUDA_STREAM (stream));
  HoloTensorDesc desc;
  HoloCudaLoop loop;
  gint64 start;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_DEVICE, 2, shape);
  holo_cuda_loop_init (&loop, &desc, &desc, NULL);
  g_assert_true (holo_device_fill_zero (device, stream, memory, size, NULL));
  g_assert_true (holo_cuda_device_enter (HOLO_CUDA_DEVICE (device), NULL));
  start = g_get_monotonic_time ();
  for (guint n = 0; n < N_FRAMES * 8; n++)
    holo_cuda_sqrt (&loop, HOLO_CUDA_F32, HOLO_CUDA_F32, 0, memory, memory, raw);
  cudaStreamSynchronize (raw);
  start = g_get_monotonic_time () - start;
  holo_cuda_device_leave (HOLO_CUDA_DEVICE (device));
  holo_device_free (device, HOLO_MEM_LOC_DEVICE, memory);
  holo_device_release_stream (device, stream);
  return N_FRAMES / ((gdouble) start / 1e6);
}

void
bench_chain (HoloDevice *device)
{
#define TWO "Sqrt {}\nSqrt {}\n"
  g_autoptr (HoloPlan) plan = cuda_compile_chain (BENCH_SOURCE ("Device", 20000) TWO TWO TWO TWO BENCH_SINK,
                                                  holo_registry_get_default (), device);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

  for (guint i = 0; i < N_ROUNDS; i++)
    {
      gdouble cpu, ours = N_FRAMES / bench_run (scheduler, &cpu), raw = run_raw (device);

      g_print ("8 Sqrt on the device: %.0f/s, 8 raw launches %.0f/s, ratio %.3f; CPU per frame %.1f us\n",
               ours, raw, ours / raw, cpu / N_FRAMES * 1e6);
    }
}

/* ---- boundary ---- */

static gdouble
get_cpu_per_frame (const gchar *chain, HoloDevice *device, gdouble *rate)
{
  g_autoptr (HoloPlan) plan = cuda_compile_chain (chain, holo_registry_get_default (), device);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  gdouble cpu, seconds, best = G_MAXDOUBLE;

  for (guint i = 0; i < 3; i++)
    {
      seconds = bench_run (scheduler, &cpu);
      *rate = N_FRAMES / seconds;
      best = MIN (best, cpu / N_FRAMES * 1e6);
    }
  return best;
}

/* The slope over queues between the same two ends. */
static void
print_boundary (HoloDevice *device, const gchar *where, const gchar *one, const gchar *five)
{
  gdouble rate_one, rate_five, cpu_one = get_cpu_per_frame (one, device, &rate_one),
                               cpu_five = get_cpu_per_frame (five, device, &rate_five);

  g_print (
      "boundary, frames %s: CPU per frame and boundary %.2f us (one queue %.1f us at %.0f/s, five %.1f us at "
      "%.0f/s)\n",
      where, (cpu_five - cpu_one) / 4, cpu_one, rate_one, cpu_five, rate_five);
}

void
bench_boundary (HoloDevice *device)
{
#define FOUR BENCH_QUEUE BENCH_QUEUE BENCH_QUEUE BENCH_QUEUE
  print_boundary (device, "on the host", BENCH_SOURCE ("Host", 20000) BENCH_QUEUE BENCH_SINK,
                  BENCH_SOURCE ("Host", 20000) BENCH_QUEUE FOUR BENCH_SINK);
  print_boundary (device, "on the device", BENCH_SOURCE ("Device", 20000) BENCH_QUEUE BENCH_SINK,
                  BENCH_SOURCE ("Device", 20000) BENCH_QUEUE FOUR BENCH_SINK);
}

/* ---- idle ---- */

void
bench_idle (HoloDevice *device)
{
  g_autoptr (HoloPlan) plan = cuda_compile_chain (
      "Input {\"dtype\": \"F32\", \"shape\": [512, 512]}\n" BENCH_QUEUE BENCH_UP BENCH_QUEUE
      "Sqrt {}\n" BENCH_QUEUE BENCH_DOWN "Output {}",
      holo_registry_get_default (), device);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (GError) error = NULL;
  gdouble cpu;

  holo_scheduler_start (scheduler, &error);
  g_assert_no_error (error);
  g_usleep (100000);
  cpu = bench_get_cpu_seconds ();
  g_usleep (2 * G_USEC_PER_SEC);
  cpu = bench_get_cpu_seconds () - cpu;
  g_print ("idle: %.3f %% of a core\n", cpu / 2 * 100);
  holo_scheduler_stop (scheduler);
  holo_scheduler_wait (scheduler, NULL);
}
