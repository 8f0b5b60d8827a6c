/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A band-pass with queues between upload, transforms and download: its rate, and what the device does at the
 * same time, by events with timing around every stage of a few frames: the latter in bench-timeline only, where calls can
 * be looked at. */
#include "bench-cuda.h"
#include "cuda-kinds.h"
#include "cuda-test.h"
#include "device/holo-runtime-hooks.h"

#define N_FRAMES    5000
#define FIRST_TIMED 3000
#define N_TIMED     48
#define N_SHOWN     8

/* clang-format off */
static const gchar *const chain =
    BENCH_SOURCE ("Host", 5000) BENCH_QUEUE
    BENCH_UP BENCH_QUEUE
    "Conversion {\"target\": \"CF32\"}\nFFT2 {}\n" BENCH_QUEUE
    "FourierMask {\"r_outer\": 96, \"s_outer\": 32, \"r_inner\": 8, \"s_inner\": 4}\nIFFT2 {}\nAbs {}\n" BENCH_QUEUE
    "Normalize {\"maximum\": 255}\nConversion {\"target\": \"U8\"}\n" BENCH_QUEUE
    BENCH_DOWN BENCH_QUEUE
    BENCH_SINK;
/* clang-format on */

#ifdef HOLO_TESTING

/* From the start of one node to the end of another, or the same, in one section. */
typedef struct
{
  const gchar *name;
  const gchar *first;
  const gchar *last;
  HoloTask *first_task;
  HoloTask *last_task;
  cudaStream_t stream;
  guint n_started;
  guint n_ended;
  cudaEvent_t start[N_TIMED];
  cudaEvent_t end[N_TIMED];
} Stage;

static Stage stages[] = {
  { "upload", "n2", "n2" },  { "forward", "n4", "n5" },    { "mask", "n7", "n9" },
  { "scale", "n11", "n12" }, { "download", "n14", "n14" },
};
static HoloDevice *timed_device;

/* ---- taking times ---- */

static void
record (cudaEvent_t event, cudaStream_t stream)
{
  g_assert_true (holo_cuda_device_enter (HOLO_CUDA_DEVICE (timed_device), NULL));
  g_assert_cmpint (cudaEventRecord (event, stream), ==, cudaSuccess);
  holo_cuda_device_leave (HOLO_CUDA_DEVICE (timed_device));
}

static gboolean
is_timed (guint frame)
{
  return frame >= FIRST_TIMED && frame < FIRST_TIMED + N_TIMED;
}

/* A stage belongs to one section, so that one thread counts. */
static void
before_call (HoloTask *task, HoloRuntimeCall call, HoloTensorView *const *views, guint n_views, guint n_inputs)
{
  for (guint i = 0; i < G_N_ELEMENTS (stages) && call == HOLO_RUNTIME_EXECUTE; i++)
    if (stages[i].first_task == task)
      {
        if (is_timed (stages[i].n_started))
          record (stages[i].start[stages[i].n_started - FIRST_TIMED], stages[i].stream);
        stages[i].n_started++;
      }
}

static void
after_call (HoloTask *task, HoloRuntimeCall call, HoloTensorView *const *views, guint n_views, guint n_inputs,
            HoloOpResult result)
{
  for (guint i = 0; i < G_N_ELEMENTS (stages) && call == HOLO_RUNTIME_EXECUTE; i++)
    if (stages[i].last_task == task)
      {
        if (is_timed (stages[i].n_ended))
          record (stages[i].end[stages[i].n_ended - FIRST_TIMED], stages[i].stream);
        stages[i].n_ended++;
      }
}

static HoloTask *
find_task (HoloPlan *plan, const gchar *name, guint *node)
{
  g_assert_true (holo_plan_find_node (plan, name, node));
  return holo_plan_get_node_task (plan, *node);
}

static void
stage_init (Stage *stage, HoloPlan *plan)
{
  guint node;
  HoloStream *stream;

  stage->first_task = find_task (plan, stage->first, &node);
  stream = holo_plan_get_section_stream (plan, (guint) holo_plan_get_node_section (plan, node, FALSE));
  stage->stream = holo_cuda_stream_get (HOLO_CUDA_STREAM (stream));
  stage->last_task = find_task (plan, stage->last, &node);
  for (guint i = 0; i < N_TIMED; i++)
    {
      g_assert_cmpint (cudaEventCreate (&stage->start[i]), ==, cudaSuccess);
      g_assert_cmpint (cudaEventCreate (&stage->end[i]), ==, cudaSuccess);
    }
}

static void
stage_clear (Stage *stage)
{
  for (guint i = 0; i < N_TIMED; i++)
    {
      cudaEventDestroy (stage->start[i]);
      cudaEventDestroy (stage->end[i]);
    }
}

/* ---- looking at them ---- */

/* Microseconds since the first frame that was timed. */
static gdouble
get_time (cudaEvent_t event)
{
  gfloat ms = 0;

  g_assert_cmpint (cudaEventElapsedTime (&ms, stages[0].start[0], event), ==, cudaSuccess);
  return ms * 1e3;
}

typedef struct
{
  gdouble time;
  guint group; /* upload, compute, download */
  gint step;   /* 1: starts, -1: ends */
} Edge;

static gint
compare_edges (gconstpointer a, gconstpointer b)
{
  const Edge *x = a, *y = b;

  return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : x->step - y->step;
}

static guint
get_group (guint stage)
{
  return stage == 0 ? 0 : stage + 1 == G_N_ELEMENTS (stages) ? 2 : 1;
}

static GArray *
collect_edges (void)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (Edge));

  for (guint s = 0; s < G_N_ELEMENTS (stages); s++)
    for (guint i = 0; i < N_TIMED; i++)
      {
        Edge start = { get_time (stages[s].start[i]), get_group (s), 1 };
        Edge end = { get_time (stages[s].end[i]), get_group (s), -1 };

        g_array_append_val (edges, start);
        g_array_append_val (edges, end);
      }
  g_array_sort (edges, compare_edges);
  return edges;
}

/* How much of the time upload, compute and download are at work, and how many of them at a time: while frames
 * that are timed are in all stages. */
static void
print_overlap (void)
{
  g_autoptr (GArray) edges = collect_edges ();
  gdouble from = get_time (stages[G_N_ELEMENTS (stages) - 1].start[0]), to = get_time (stages[0].end[N_TIMED - 1]);
  gdouble busy = 0, two = 0, three = 0, group_time[3] = { 0, 0, 0 };
  gint active[3] = { 0, 0, 0 };

  for (guint i = 0; i + 1 < edges->len; i++)
    {
      const Edge *edge = &g_array_index (edges, Edge, i);
      gdouble length = MIN (g_array_index (edges, Edge, i + 1).time, to) - MAX (edge->time, from);
      guint n = 0;

      active[edge->group] += edge->step;
      if (length <= 0)
        continue;
      for (guint g = 0; g < 3; g++)
        {
          n += active[g] > 0;
          group_time[g] += active[g] > 0 ? length : 0;
        }
      busy += n >= 1 ? length : 0;
      two += n >= 2 ? length : 0;
      three += n >= 3 ? length : 0;
    }
  g_print ("band-pass: of %.0f us with work, upload is active for %.0f %%, compute %.0f %%, download %.0f %%\n", busy,
           100 * group_time[0] / busy, 100 * group_time[1] / busy, 100 * group_time[2] / busy);
  g_print ("band-pass: two of them at a time: %.0f %%, all three: %.0f %%\n", 100 * two / busy, 100 * three / busy);
}

static void
print_timeline (void)
{
  g_print ("band-pass: us from start to end of each stage\nframe");
  for (guint s = 0; s < G_N_ELEMENTS (stages); s++)
    g_print (" %19s", stages[s].name);
  for (guint i = 0; i < N_SHOWN; i++)
    {
      g_print ("\n%5u", FIRST_TIMED + i);
      for (guint s = 0; s < G_N_ELEMENTS (stages); s++)
        g_print (" %9.1f-%9.1f", get_time (stages[s].start[i]), get_time (stages[s].end[i]));
    }
  g_print ("\n");
}

static void
show_timeline (HoloScheduler *scheduler, HoloPlan *plan, HoloDevice *device)
{
  static const HoloRuntimeHooks hooks = { .before_call = before_call, .after_call = after_call };
  gdouble cpu;

  timed_device = device;
  g_assert_true (holo_cuda_device_enter (HOLO_CUDA_DEVICE (device), NULL));
  for (guint s = 0; s < G_N_ELEMENTS (stages); s++)
    stage_init (&stages[s], plan);
  holo_runtime_set_hooks (&hooks);
  bench_run (scheduler, &cpu);
  holo_runtime_set_hooks (NULL);
  print_timeline ();
  print_overlap ();
  for (guint s = 0; s < G_N_ELEMENTS (stages); s++)
    stage_clear (&stages[s]);
  holo_cuda_device_leave (HOLO_CUDA_DEVICE (device));
}

#endif


void
bench_band_pass (HoloDevice *device)
{
  g_autoptr (HoloPlan) plan = cuda_compile_chain (chain, holo_registry_get_default (), device);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  gdouble cpu, seconds;

  for (guint i = 0; i < 3; i++)
    {
      seconds = bench_run (scheduler, &cpu);
      g_print ("band-pass 512x512 with 6 queues: %.0f/s; CPU per frame %.1f us\n", N_FRAMES / seconds,
               cpu / N_FRAMES * 1e6);
    }
#ifdef HOLO_TESTING
  show_timeline (scheduler, plan, device);
#endif
}
