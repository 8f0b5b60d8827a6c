/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Upload, Sqrt, download of 512 x 512 floats: a graph with a Queue of 8 at all four places against the same
 * calls of CUDA with four streams in flight. */
#include "bench-cuda.h"
#include "cuda-kinds.h"
#include "cuda-test.h"

#define N_FRAMES  20000
#define N_STREAMS 4
#define N_ROUNDS  5

/* ---- raw ---- */

typedef struct
{
  cudaStream_t stream;
  gpointer in, out, memory;
} Lane;

static void
lane_init (Lane *lane, HoloDevice *device, gsize size)
{
  g_assert_cmpint (cudaStreamCreateWithFlags (&lane->stream, cudaStreamNonBlocking), ==, cudaSuccess);
  lane->in = holo_device_alloc (device, HOLO_MEM_LOC_HOST, size, NULL);
  lane->out = holo_device_alloc (device, HOLO_MEM_LOC_HOST, size, NULL);
  lane->memory = holo_device_alloc (device, HOLO_MEM_LOC_DEVICE, size, NULL);
}

static void
lane_clear (Lane *lane, HoloDevice *device)
{
  cudaStreamDestroy (lane->stream);
  holo_device_free (device, HOLO_MEM_LOC_HOST, lane->in);
  holo_device_free (device, HOLO_MEM_LOC_HOST, lane->out);
  holo_device_free (device, HOLO_MEM_LOC_DEVICE, lane->memory);
}

static gdouble
run_lanes (Lane *lanes, gsize size)
{
  gint64 start = g_get_monotonic_time ();

  for (guint n = 0; n < N_FRAMES; n++)
    {
      Lane *lane = &lanes[n % N_STREAMS];

      cudaMemcpyAsync (lane->memory, lane->in, size, cudaMemcpyDefault, lane->stream);
      cuda_test_sqrt (lane->stream, lane->memory, lane->memory, BENCH_SIDE * BENCH_SIDE);
      cudaMemcpyAsync (lane->out, lane->memory, size, cudaMemcpyDefault, lane->stream);
    }
  for (guint i = 0; i < N_STREAMS; i++)
    cudaStreamSynchronize (lanes[i].stream);
  return (gdouble) (g_get_monotonic_time () - start) / 1e6;
}

static gdouble
run_raw (HoloDevice *device)
{
  gsize size = BENCH_SIDE * BENCH_SIDE * sizeof (gfloat);
  Lane lanes[N_STREAMS];
  gdouble seconds;

  g_assert_true (holo_cuda_device_enter (HOLO_CUDA_DEVICE (device), NULL));
  for (guint i = 0; i < N_STREAMS; i++)
    lane_init (&lanes[i], device, size);
  seconds = run_lanes (lanes, size);
  for (guint i = 0; i < N_STREAMS; i++)
    lane_clear (&lanes[i], device);
  holo_cuda_device_leave (HOLO_CUDA_DEVICE (device));
  return N_FRAMES / seconds;
}

/* ---- ours ---- */

void
bench_upload (HoloDevice *device)
{
  g_autoptr (HoloPlan) plan = cuda_compile_chain (BENCH_SOURCE ("Host", 20000) BENCH_QUEUE BENCH_UP BENCH_QUEUE
                                                  "Sqrt {}\n" BENCH_QUEUE BENCH_DOWN BENCH_QUEUE BENCH_SINK,
                                                  holo_registry_get_default (), device);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

  for (guint i = 0; i < N_ROUNDS; i++)
    {
      gdouble cpu, ours = N_FRAMES / bench_run (scheduler, &cpu), raw = run_raw (device);

      g_print ("upload-sqrt-download, 4 queues: %.0f/s, raw with 4 streams %.0f/s, ratio %.3f; CPU per frame "
               "%.1f us, "
               "per frame and boundary %.1f us\n",
               ours, raw, ours / raw, cpu / N_FRAMES * 1e6, cpu / N_FRAMES * 1e6 / 4);
    }
  bench_print_waits ("upload", scheduler);
}
