/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bench-kinds.h"

#include <string.h>
#include <time.h>

GArray *bench_latencies;

gint64
bench_now_ns (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (gint64) time.tv_sec * 1000000000 + time.tv_nsec;
}

gint64
bench_cpu_ns (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return (gint64) time.tv_sec * 1000000000 + time.tv_nsec;
}

/* ---- task: one class, what it does depends on its slots ---- */

typedef struct
{
  HoloSyncTask parent_instance;
  guint64 count;
  guint64 n;
  gint64 period;
  gint64 next;
} BenchTask;
typedef HoloSyncTaskClass BenchTaskClass;

GType bench_task_get_type (void);
G_DEFINE_TYPE (BenchTask, bench_task, HOLO_TYPE_SYNC_TASK)

static void
wait_for_period (BenchTask *self)
{
  struct timespec time;

  if (self->next == 0)
    self->next = bench_now_ns ();
  self->next += self->period;
  time.tv_sec = self->next / 1000000000;
  time.tv_nsec = self->next % 1000000000;
  clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static HoloOpResult
bench_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  BenchTask *self = (BenchTask *) task;

  if (context->n_inputs > 0 && context->n_outputs > 0)
    return HOLO_OP_OK;
  if (self->count > 0 && self->n >= self->count)
    return HOLO_OP_EOF;
  self->n++;
  if (context->n_outputs > 0)
    {
      if (self->period > 0)
        {
          gint64 now;

          wait_for_period (self);
          now = bench_now_ns ();
          memcpy (holo_tensor_view_get_data (context->outputs[0]), &now, sizeof now);
        }
    }
  else if (bench_latencies != NULL)
    {
      gint64 stamp, latency;

      memcpy (&stamp, holo_tensor_view_get_data (context->inputs[0]), sizeof stamp);
      latency = bench_now_ns () - stamp;
      g_array_append_val (bench_latencies, latency);
    }
  return HOLO_OP_OK;
}

static gboolean
bench_reset (HoloTask *task, GError **error)
{
  ((BenchTask *) task)->n = 0;
  ((BenchTask *) task)->next = 0;
  return TRUE;
}

static void
bench_task_class_init (BenchTaskClass *klass)
{
  HOLO_TASK_CLASS (klass)->reset = bench_reset;
  klass->execute = bench_execute;
}

static void
bench_task_init (BenchTask *self)
{
}

/* ---- factories ---- */

typedef struct
{
  HoloSyncTaskFactory parent_instance;
  gint64 count;
  gint64 n;
  gint64 period;
} BenchFactory;
typedef HoloSyncTaskFactoryClass BenchFactoryClass;

GType bench_factory_get_type (void);
G_DEFINE_ABSTRACT_TYPE (BenchFactory, bench_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

static gboolean
bench_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  BenchFactory *self = (BenchFactory *) factory;
  guint n_outputs;
  HoloTensorDesc desc;

  holo_task_factory_class_get_outputs (HOLO_TASK_FACTORY_GET_CLASS (factory), &n_outputs);
  if (n_outputs == 0)
    return TRUE;
  if (inference->inputs->len > 0)
    desc = *holo_inference_get_input_desc (inference, 0);
  else
    holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, &self->n);
  holo_inference_add_output (inference, &desc);
  return TRUE;
}

static HoloSyncTask *
bench_create (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
              GError **error)
{
  BenchTask *task = g_object_new (bench_task_get_type (), NULL);

  task->count = (guint64) ((BenchFactory *) factory)->count;
  task->period = ((BenchFactory *) factory)->period;
  return HOLO_SYNC_TASK (task);
}

static void
bench_factory_class_init (BenchFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = bench_infer;
  klass->create = bench_create;
}

static void
bench_factory_init (BenchFactory *self)
{
}

#define DEFINE_KIND(Name, name, has_input, has_output)                                                                 \
  typedef BenchFactory Bench##Name;                                                                                    \
  typedef BenchFactoryClass Bench##Name##Class;                                                                        \
  static GType bench_##name##_get_type (void);                                                                         \
  G_DEFINE_TYPE (Bench##Name, bench_##name, bench_factory_get_type ())                                                 \
  static void bench_##name##_init (Bench##Name *self)                                                                  \
  {                                                                                                                    \
  }                                                                                                                    \
  static void bench_##name##_class_init (Bench##Name##Class *klass)                                                    \
  {                                                                                                                    \
    if (has_input)                                                                                                     \
      holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_HOST, 0, HOLO_MAX_RANK, 0, NULL); \
    if (has_output)                                                                                                    \
      holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_HOST, 0, HOLO_MAX_RANK, 0,      \
                                          NULL);                                                                       \
    holo_settings_install_int64 (klass, "count", "Frames before the end", "frames", 0, G_MAXINT64, 0,                  \
                                 HOLO_SETTING_NONE, G_STRUCT_OFFSET (BenchFactory, count));                            \
    holo_settings_install_int64 (klass, "n", "Elements", "elements", 2, G_MAXINT64, 16, HOLO_SETTING_NONE,             \
                                 G_STRUCT_OFFSET (BenchFactory, n));                                                   \
    holo_settings_install_int64 (klass, "period", "Time between frames", "ns", 0, G_MAXINT64, 0, HOLO_SETTING_NONE,    \
                                 G_STRUCT_OFFSET (BenchFactory, period));                                              \
  }

DEFINE_KIND (Source, source, FALSE, TRUE)
DEFINE_KIND (Noop, noop, TRUE, TRUE)
DEFINE_KIND (Sink, sink, TRUE, FALSE)

HoloRegistry *
bench_registry_new (void)
{
  HoloRegistry *registry = holo_registry_new ();

  holo_registry_add_builtin (registry);
  g_assert_true (holo_registry_register_sync (registry, "BenchSource", bench_source_get_type (), NULL));
  g_assert_true (holo_registry_register_sync (registry, "BenchNoop", bench_noop_get_type (), NULL));
  g_assert_true (holo_registry_register_sync (registry, "BenchSink", bench_sink_get_type (), NULL));
  return registry;
}
