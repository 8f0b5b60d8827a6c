/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda-kinds.h"

#include <string.h>

#include "cuda-test.h"

/* ---- Delay ---- */

typedef struct
{
  HoloSyncTask parent_instance;
  HoloDevice *device; /* who copies */
  guint ms;
  gint64 fault;
  gint64 n_calls;
} DelayTask;
typedef HoloSyncTaskClass DelayTaskClass;

static GType delay_task_get_type (void);
G_DEFINE_TYPE (DelayTask, delay_task, HOLO_TYPE_SYNC_TASK)

static HoloOpResult
delay_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  DelayTask *self = (DelayTask *) task;

  if (HOLO_IS_CUDA_DEVICE (self->device))
    cuda_test_enqueue_delay (context->stream, self->ms);
  if (self->fault != 0 && ++self->n_calls == self->fault)
    cuda_test_enqueue_fault (context->stream);
  return holo_device_copy (self->device, context->stream, context->outputs[0], context->inputs[0], error)
             ? HOLO_OP_OK
             : HOLO_OP_ERROR;
}

static void
delay_finalize (GObject *object)
{
  g_object_unref (((DelayTask *) object)->device);
  G_OBJECT_CLASS (delay_task_parent_class)->finalize (object);
}

static void
delay_task_class_init (DelayTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = delay_finalize;
  klass->execute = delay_execute;
}

static void
delay_task_init (DelayTask *task)
{
}

typedef struct
{
  HoloSyncTaskFactory parent_instance;
  gint64 ms;
  gint target;
  gint64 fault;
} DelayFactory;
typedef HoloSyncTaskFactoryClass DelayFactoryClass;

static GType delay_factory_get_type (void);
G_DEFINE_TYPE (DelayFactory, delay_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

static gboolean
touches_device (const HoloInference *inference)
{
  return holo_inference_get_input_desc (inference, 0)->mem_loc == HOLO_MEM_LOC_DEVICE ||
         holo_inference_get_output_desc (inference, 0)->mem_loc == HOLO_MEM_LOC_DEVICE;
}

static gboolean
delay_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloTensorDesc desc;

  holo_tensor_desc_init_dense_like (&desc, holo_inference_get_input_desc (inference, 0));
  if (holo_settings_is_set (factory, "target"))
    desc.mem_loc = (HoloMemLoc) ((DelayFactory *) factory)->target;
  holo_inference_add_output (inference, &desc);
  inference->uses_stream = touches_device (inference);
  return TRUE;
}

static HoloSyncTask *
delay_create (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
              GError **error)
{
  DelayTask *task = g_object_new (delay_task_get_type (), NULL);

  task->ms = (guint) ((DelayFactory *) factory)->ms;
  task->fault = ((DelayFactory *) factory)->fault;
  task->device = g_object_ref (touches_device (inference) ? context->device : holo_device_get_host ());
  return HOLO_SYNC_TASK (task);
}

static void
delay_factory_class_init (DelayFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = delay_infer;
  klass->create = delay_create;
  klass->creates_device_tasks = TRUE;
  holo_task_factory_class_set_description (klass, "Keeps the device busy", "For tests.");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "anything");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "the same");
  holo_settings_install_int64 (klass, "ms", "How long", "ms", 0, 10000, 1, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (DelayFactory, ms));
  holo_settings_install_enum (klass, "target", "Where the copy lies", HOLO_TYPE_MEM_LOC, HOLO_MEM_LOC_HOST,
                              HOLO_SETTING_NONE, G_STRUCT_OFFSET (DelayFactory, target));
  holo_settings_install_int64 (klass, "fault", "Call with a kernel that fails, 0 for none", NULL, 0, G_MAXINT32, 0,
                               HOLO_SETTING_NONE, G_STRUCT_OFFSET (DelayFactory, fault));
}

static void
delay_factory_init (DelayFactory *factory)
{
}

/* ---- Unfilled and Unread ---- */

typedef struct
{
  HoloSyncTask parent_instance;
  gint64 count; /* 0: no end */
  gint64 n_given;
} EndTask;
typedef HoloSyncTaskClass EndTaskClass;

static GType end_task_get_type (void);
G_DEFINE_TYPE (EndTask, end_task, HOLO_TYPE_SYNC_TASK)

static HoloOpResult
end_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  EndTask *self = (EndTask *) task;

  return self->count != 0 && self->n_given++ >= self->count ? HOLO_OP_EOF : HOLO_OP_OK;
}

static gboolean
end_reset (HoloTask *task, GError **error)
{
  ((EndTask *) task)->n_given = 0;
  return TRUE;
}

static void
end_task_class_init (EndTaskClass *klass)
{
  klass->execute = end_execute;
  HOLO_TASK_CLASS (klass)->reset = end_reset;
}

static void
end_task_init (EndTask *task)
{
}

typedef struct
{
  HoloSyncTaskFactory parent_instance;
  GArray *shape;
  gint target;
  gint64 count;
} SourceFactory;
typedef HoloSyncTaskFactoryClass SourceFactoryClass;
typedef HoloSyncTaskFactory SinkFactory;
typedef HoloSyncTaskFactoryClass SinkFactoryClass;

static GType source_factory_get_type (void);
static GType sink_factory_get_type (void);
G_DEFINE_TYPE (SourceFactory, source_factory, HOLO_TYPE_SYNC_TASK_FACTORY)
G_DEFINE_TYPE (SinkFactory, sink_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

static gboolean
source_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  SourceFactory *self = (SourceFactory *) factory;
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, (HoloMemLoc) self->target, self->shape->len,
                         (const gint64 *) self->shape->data);
  holo_inference_add_output (inference, &desc);
  return TRUE;
}

static HoloSyncTask *
source_create (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
               GError **error)
{
  EndTask *task = g_object_new (end_task_get_type (), NULL);

  task->count = ((SourceFactory *) factory)->count;
  return HOLO_SYNC_TASK (task);
}

static void
source_factory_class_init (SourceFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = source_infer;
  klass->create = source_create;
  klass->creates_device_tasks = TRUE;
  holo_task_factory_class_set_description (klass, "Frames that nobody fills", "For measuring.");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES (F32), HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "any");
  holo_settings_install_int64_array (klass, "shape", "Of a frame", NULL, 1, G_MAXINT32, HOLO_SETTING_REQUIRED,
                                     G_STRUCT_OFFSET (SourceFactory, shape));
  holo_settings_install_enum (klass, "target", "Where they lie", HOLO_TYPE_MEM_LOC, HOLO_MEM_LOC_HOST,
                              HOLO_SETTING_NONE, G_STRUCT_OFFSET (SourceFactory, target));
  holo_settings_install_int64 (klass, "count", "Frames, 0 for no end", "frames", 0, G_MAXINT64, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (SourceFactory, count));
}

static void
source_factory_init (SourceFactory *factory)
{
}

static gboolean
sink_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  return TRUE;
}

static HoloSyncTask *
sink_create (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
             GError **error)
{
  return g_object_new (end_task_get_type (), NULL);
}

static void
sink_factory_class_init (SinkFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = sink_infer;
  klass->create = sink_create;
  klass->creates_device_tasks = TRUE;
  holo_task_factory_class_set_description (klass, "Takes frames and does nothing", "For measuring.");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "any");
}

static void
sink_factory_init (SinkFactory *factory)
{
}

void
cuda_kinds_register (HoloRegistry *registry)
{
  g_assert_true (holo_registry_register_sync (registry, "Delay", delay_factory_get_type (), NULL));
  g_assert_true (holo_registry_register_sync (registry, "Unfilled", source_factory_get_type (), NULL));
  g_assert_true (holo_registry_register_sync (registry, "Unread", sink_factory_get_type (), NULL));
}

/* ---- chains ---- */

HoloGraph *
cuda_make_chain (const gchar *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  HoloGraph *graph = holo_graph_new ();

  for (guint i = 0; lines[i] != NULL; i++)
    {
      gchar *settings = strchr (lines[i], ' ');
      g_autofree gchar *kind = g_strndup (lines[i], (gsize) (settings - lines[i]));
      g_autofree gchar *name = g_strdup_printf ("n%u", i);
      g_autofree gchar *before = g_strdup_printf ("n%u", i - 1);
      g_autoptr (GError) error = NULL;

      holo_graph_add_node_text (graph, name, kind, settings + 1);
      if (i > 0)
        holo_graph_link (graph, before, 0, name, 0, &error);
      g_assert_no_error (error);
    }
  return graph;
}

HoloPlan *
cuda_compile_chain (const gchar *text, HoloRegistry *registry, HoloDevice *device)
{
  g_autoptr (HoloGraph) graph = cuda_make_chain (text);
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (registry);
  g_autoptr (GError) error = NULL;
  HoloPlan *plan;

  holo_compiler_set_device (compiler, device);
  plan = holo_compiler_compile (compiler, graph, NULL, &error);
  g_assert_no_error (error);
  return plan;
}
