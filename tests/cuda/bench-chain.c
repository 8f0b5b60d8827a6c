/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Eight Sqrt on frames that lie on the device against eight launches back to back; what a boundary between
 * sections costs; and what a graph costs that waits. */
#include "bench-cuda.h"
#include "cuda-kinds.h"
#include "cuda-test.h"

#define N_FRAMES 20000
#define N_ROUNDS 5

/* ---- chain ---- */

/* Of one program that does nothing else: what its calls take, and until the device has done them. */
typedef struct
{
  gdouble rate;   /* frames/s */
  gdouble launch; /* us per launch until all are enqueued */
} Raw;

static Raw
run_raw (HoloDevice *device)
{
  guint n = BENCH_SIDE * BENCH_SIDE;
  HoloStream *stream = holo_device_create_stream (device, NULL);
  gfloat *memory = holo_device_alloc (device, HOLO_MEM_LOC_DEVICE, n * sizeof *memory, NULL);
  cudaStream_t raw = holo_cuda_stream_get (HOLO_CUDA_STREAM (stream));
  gint64 start, enqueued, end;

  g_assert_true (holo_device_fill_zero (device, stream, memory, n * sizeof *memory, NULL));
  g_assert_true (holo_cuda_device_enter (HOLO_CUDA_DEVICE (device), NULL));
  start = g_get_monotonic_time ();
  for (guint i = 0; i < N_FRAMES * 8; i++)
    cuda_test_sqrt (raw, memory, memory, n);
  enqueued = g_get_monotonic_time ();
  cudaStreamSynchronize (raw);
  end = g_get_monotonic_time ();
  holo_cuda_device_leave (HOLO_CUDA_DEVICE (device));
  holo_device_free (device, HOLO_MEM_LOC_DEVICE, memory);
  holo_device_release_stream (device, stream);
  return (Raw){ N_FRAMES / ((gdouble) (end - start) / 1e6), (gdouble) (enqueued - start) / (N_FRAMES * 8.0) };
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
      gdouble cpu, ours = N_FRAMES / bench_run (scheduler, &cpu);
      Raw raw = run_raw (device);

      g_print ("8 Sqrt on the device: %.0f/s, 8 raw launches %.0f/s, ratio %.3f; CPU per frame %.1f us; raw "
               "%.2f us per launch until all are enqueued\n",
               ours, raw.rate, ours / raw.rate, cpu / N_FRAMES * 1e6, raw.launch);
    }
  bench_print_waits ("8 Sqrt", scheduler);
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

  g_print ("boundary, frames %s: CPU per frame and boundary %.2f us (one queue %.1f us at %.0f/s, five %.1f us at "
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
  g_autoptr (HoloPlan) plan =
      cuda_compile_chain ("Input {\"dtype\": \"F32\", \"shape\": [512, 512]}\n" BENCH_QUEUE BENCH_UP BENCH_QUEUE
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
