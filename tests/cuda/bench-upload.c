/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Upload, Sqrt, download of 512 x 512 floats: a graph with a Queue of 8 at all four places against the same
 * calls of CUDA with four streams in flight. One line for each round: frames per second of both, and their
 * ratio. */
#include <sys/resource.h>

#include "cuda-test.h"
#include "holo-cuda-loop.h"

#define SIDE      512
#define N_FRAMES  20000
#define N_STREAMS 4
#define N_ROUNDS  5

static HoloDevice *device;

/* ---- raw ---- */

typedef struct
{
  cudaStream_t stream;
  gpointer in, out, memory;
} Lane;

static gdouble
run_raw (void)
{
  gsize size = SIDE * SIDE * sizeof (gfloat);
  HoloTensorDesc desc;
  const gint64 shape[] = { SIDE, SIDE };
  Lane lanes[N_STREAMS];
  HoloCudaLoop loop;
  gint64 start;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_DEVICE, 2, shape);
  holo_cuda_loop_init (&loop, &desc, &desc, NULL);
  g_assert_true (holo_cuda_device_enter (HOLO_CUDA_DEVICE (device), NULL));
  for (guint i = 0; i < N_STREAMS; i++)
    {
      g_assert_cmpint (cudaStreamCreateWithFlags (&lanes[i].stream, cudaStreamNonBlocking), ==, cudaSuccess);
      lanes[i].in = holo_device_alloc (device, HOLO_MEM_LOC_HOST, size, NULL);
      lanes[i].out = holo_device_alloc (device, HOLO_MEM_LOC_HOST, size, NULL);
      lanes[i].memory = holo_device_alloc (device, HOLO_MEM_LOC_DEVICE, size, NULL);
    }
  start = g_get_monotonic_time ();
  for (guint n = 0; n < N_FRAMES; n++)
    {
      Lane *lane = &lanes[n % N_STREAMS];

      cudaMemcpyAsync (lane->memory, lane->in, size, cudaMemcpyDefault, lane->stream);
      holo_cuda_sqrt (&loop, HOLO_CUDA_F32, HOLO_CUDA_F32, 0, lane->memory, lane->memory, lane->stream);
      cudaMemcpyAsync (lane->out, lane->memory, size, cudaMemcpyDefault, lane->stream);
    }
  for (guint i = 0; i < N_STREAMS; i++)
    cudaStreamSynchronize (lanes[i].stream);
  start = g_get_monotonic_time () - start;
  for (guint i = 0; i < N_STREAMS; i++)
    {
      cudaStreamDestroy (lanes[i].stream);
      holo_device_free (device, HOLO_MEM_LOC_HOST, lanes[i].in);
      holo_device_free (device, HOLO_MEM_LOC_HOST, lanes[i].out);
      holo_device_free (device, HOLO_MEM_LOC_DEVICE, lanes[i].memory);
    }
  holo_cuda_device_leave (HOLO_CUDA_DEVICE (device));
  return N_FRAMES / ((gdouble) start / 1e6);
}

/* ---- the graph, between two kinds that touch no element ---- */

typedef HoloSyncTask EndTask;
typedef HoloSyncTaskClass EndTaskClass;
static GType end_task_get_type (void);
G_DEFINE_TYPE (EndTask, end_task, HOLO_TYPE_SYNC_TASK)
static gint n_left; /* of the source */

static HoloOpResult
end_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  return context->n_inputs == 0 && n_left-- <= 0 ? HOLO_OP_EOF : HOLO_OP_OK;
}

static void
end_task_class_init (EndTaskClass *klass)
{
  klass->execute = end_task_execute;
}

static void
end_task_init (EndTask *task)
{
}

typedef HoloSyncTaskFactory EndFactory;
typedef HoloSyncTaskFactoryClass EndFactoryClass;
typedef HoloSyncTaskFactory SinkFactory;
typedef HoloSyncTaskFactoryClass SinkFactoryClass;
static GType end_factory_get_type (void);
static GType sink_factory_get_type (void);
G_DEFINE_TYPE (EndFactory, end_factory, HOLO_TYPE_SYNC_TASK_FACTORY)
G_DEFINE_TYPE (SinkFactory, sink_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

static gboolean
infer_source (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const gint64 shape[] = { SIDE, SIDE };
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, shape);
  holo_inference_add_output (inference, &desc);
  return TRUE;
}

static gboolean
infer_sink (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  return TRUE;
}

static HoloSyncTask *
create_end (HoloSyncTaskFactory *factory, const HoloInference *inference,
            const HoloSyncCreateContext *context, GError **error)
{
  return g_object_new (end_task_get_type (), NULL);
}

static void
end_factory_class_init (EndFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = infer_source;
  klass->create = create_end;
  holo_task_factory_class_set_description (klass, "Frames that nobody fills", "For measuring.");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES (F32), HOLO_MEM_LOCS_HOST, 2, 2,
                                      HOLO_SLOT_NONE, "any");
}

static void
end_factory_init (EndFactory *factory)
{
}

static void
sink_factory_class_init (SinkFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = infer_sink;
  klass->create = create_end;
  holo_task_factory_class_set_description (klass, "Takes frames and does nothing", "For measuring.");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES (F32), HOLO_MEM_LOCS_HOST, 2, 2, HOLO_SLOT_NONE,
                                     "any");
}

static void
sink_factory_init (SinkFactory *factory)
{
}

#define NODE(name, kind, params) "\"" name "\": {\"type\": \"" kind "\", \"params\": " params "}"
#define EDGE(from, to)           "{\"from\": \"" from "\", \"out\": 0, \"to\": \"" to "\", \"in\": 0}"
#define Q                        "{\"capacity\": 8}"

/* clang-format off */
static const gchar *const text =
    "{\"nodes\": {" NODE ("s", "Unfilled", "{}") "," NODE ("q0", "Queue", Q) ","
    NODE ("up", "Memcpy", "{\"target\": \"Device\"}") "," NODE ("q1", "Queue", Q) ","
    NODE ("r", "Sqrt", "{}") "," NODE ("q2", "Queue", Q) ","
    NODE ("down", "Memcpy", "{\"target\": \"Host\"}") "," NODE ("q3", "Queue", Q) ","
    NODE ("e", "Unread", "{}") "}, \"edges\": [" EDGE ("s", "q0") "," EDGE ("q0", "up") ","
    EDGE ("up", "q1") "," EDGE ("q1", "r") "," EDGE ("r", "q2") "," EDGE ("q2", "down") ","
    EDGE ("down", "q3") "," EDGE ("q3", "e") "]}";
/* clang-format on */

static gdouble
get_cpu_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (gdouble) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (gdouble) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static gdouble
run_graph (HoloScheduler *scheduler, gdouble *cpu)
{
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();

  n_left = N_FRAMES;
  *cpu = get_cpu_seconds ();
  holo_scheduler_start (scheduler, &error);
  g_assert_no_error (error);
  holo_scheduler_wait (scheduler, &error);
  g_assert_no_error (error);
  *cpu = get_cpu_seconds () - *cpu;
  return N_FRAMES / ((gdouble) (g_get_monotonic_time () - start) / 1e6);
}

static void
print_waits (HoloScheduler *scheduler)
{
  guint n = holo_plan_get_n_sections (holo_scheduler_get_plan (scheduler));

  for (guint i = 0; i < n; i++)
    {
      HoloSectionStatistics s;

      holo_scheduler_get_section_statistics (scheduler, i, &s);
      g_print ("section %u: %" G_GUINT64_FORMAT " iterations, waits: %" G_GUINT64_FORMAT
               " order, %" G_GUINT64_FORMAT " throttle, %" G_GUINT64_FORMAT " foreign; %" G_GUINT64_FORMAT
               " sleeps\n",
               i, s.iterations, s.waits_order, s.waits_throttle, s.waits_foreign, s.sleeps);
    }
}

int
main (int argc, char **argv)
{
  HoloRegistry *registry = holo_registry_get_default ();
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (registry);
  g_autoptr (HoloGraph) graph = NULL;
  g_autoptr (HoloPlan) plan = NULL;
  g_autoptr (HoloScheduler) scheduler = NULL;
  g_autoptr (GError) error = NULL;

  device = cuda_test_open ();
  holo_registry_register_sync (registry, "Unfilled", end_factory_get_type (), NULL);
  holo_registry_register_sync (registry, "Unread", sink_factory_get_type (), NULL);
  holo_compiler_set_device (compiler, device);
  graph = holo_graph_new_from_text (text, -1, &error);
  g_assert_no_error (error);
  plan = holo_compiler_compile (compiler, graph, NULL, &error);
  g_assert_no_error (error);
  scheduler = holo_scheduler_new (plan);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      gdouble cpu, ours = run_graph (scheduler, &cpu), raw = run_raw ();

      g_print ("graph %.0f/s, raw %.0f/s, ratio %.3f; CPU %.1f us per frame\n", ours, raw, ours / raw,
               cpu / N_FRAMES * 1e6);
    }
  print_waits (scheduler);
  return 0;
}
