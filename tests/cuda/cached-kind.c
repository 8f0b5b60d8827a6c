/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Cached: frames in memory of its own that it shows again in every loop, as a file that was read once. */
#include "cuda-kinds.h"
#include "cuda-test.h"

typedef struct
{
  HoloSyncTask parent_instance;
  HoloDevice *device;
  HoloStorage storage;
  gsize frame_size;
  gint64 count;
  gint64 loops;
  gint64 n_given;
} CachedTask;
typedef HoloSyncTaskClass CachedTaskClass;

static GType cached_task_get_type (void);
G_DEFINE_TYPE (CachedTask, cached_task, HOLO_TYPE_SYNC_TASK)

static HoloOpResult
cached_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  CachedTask *self = (CachedTask *) task;

  if (self->n_given == self->count * self->loops)
    return HOLO_OP_EOF;
  context->outputs[0]->storage->data =
      (guint8 *) self->storage.data + (gsize) (self->n_given++ % self->count) * self->frame_size;
  return HOLO_OP_OK;
}

static void
cached_release_output (HoloTask *task, guint index, const HoloFence *fence)
{
}

static gboolean
cached_reset (HoloTask *task, GError **error)
{
  ((CachedTask *) task)->n_given = 0;
  return TRUE;
}

static void
cached_finalize (GObject *object)
{
  CachedTask *self = (CachedTask *) object;

  holo_device_free (self->device, self->storage.mem_loc, self->storage.data);
  g_object_unref (self->device);
  G_OBJECT_CLASS (cached_task_parent_class)->finalize (object);
}

static void
cached_task_class_init (CachedTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = cached_finalize;
  HOLO_TASK_CLASS (klass)->release_output = cached_release_output;
  HOLO_TASK_CLASS (klass)->reset = cached_reset;
  klass->execute = cached_execute;
}

static void
cached_task_init (CachedTask *task)
{
}

/* ---- factory ---- */

typedef struct
{
  HoloSyncTaskFactory parent_instance;
  GArray *shape;
  gint target;
  gint64 count;
  gint64 loops;
} CachedFactory;
typedef HoloSyncTaskFactoryClass CachedFactoryClass;

static GType cached_factory_get_type (void);
G_DEFINE_TYPE (CachedFactory, cached_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

static gboolean
cached_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  CachedFactory *self = (CachedFactory *) factory;
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, (HoloMemLoc) self->target, self->shape->len,
                         (const gint64 *) self->shape->data);
  holo_inference_add_output (inference, &desc)->owned = TRUE;
  return TRUE;
}

/* Element i of the cache is i + 1. */
static gboolean
fill (CachedTask *self, HoloStream *stream, GError **error)
{
  gint64 n = (gint64) (self->storage.size / sizeof (gfloat));
  g_autofree gfloat *values = g_new (gfloat, n);
  HoloTensorView to, from;
  HoloStorage source;
  HoloTensorDesc desc;

  for (gint64 i = 0; i < n; i++)
    values[i] = (gfloat) (i + 1);
  holo_storage_init (&source, values, self->storage.size);
  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, &n);
  holo_tensor_view_init (&from, &desc, &source);
  desc.mem_loc = self->storage.mem_loc;
  holo_tensor_view_init (&to, &desc, &self->storage);
  return holo_device_copy (self->device, stream, &to, &from, error) && holo_stream_synchronize (stream, error);
}

static HoloSyncTask *
cached_create (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
               GError **error)
{
  CachedFactory *self = (CachedFactory *) factory;
  g_autoptr (HoloSyncTask) task = g_object_new (cached_task_get_type (), NULL);
  CachedTask *cached = (CachedTask *) task;

  cached->device = g_object_ref (context->device);
  cached->count = self->count;
  cached->loops = self->loops;
  cached->frame_size = holo_tensor_desc_get_size (holo_inference_get_output_desc (inference, 0));
  holo_storage_init (&cached->storage, NULL, cached->frame_size * (gsize) self->count);
  cached->storage.mem_loc = (HoloMemLoc) self->target;
  cached->storage.data = holo_device_alloc (context->device, cached->storage.mem_loc, cached->storage.size, error);
  if (cached->storage.data == NULL || !fill (cached, context->stream, error))
    return NULL;
  return g_steal_pointer (&task);
}

static void
cached_factory_class_init (CachedFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = cached_infer;
  klass->create = cached_create;
  klass->creates_device_tasks = TRUE;
  holo_task_factory_class_set_description (klass, "Shows the same frames again and again", "For tests.");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES (F32), HOLO_MEM_LOCS_ANY, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_NONE, "any");
  holo_settings_install_int64_array (klass, "shape", "Of a frame", NULL, 1, G_MAXINT32, HOLO_SETTING_REQUIRED,
                                     G_STRUCT_OFFSET (CachedFactory, shape));
  holo_settings_install_enum (klass, "target", "Where they lie", HOLO_TYPE_MEM_LOC, HOLO_MEM_LOC_HOST,
                              HOLO_SETTING_NONE, G_STRUCT_OFFSET (CachedFactory, target));
  holo_settings_install_int64 (klass, "count", "Frames of a loop", "frames", 1, G_MAXINT32, 1, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (CachedFactory, count));
  holo_settings_install_int64 (klass, "loops", "Loops", NULL, 1, G_MAXINT32, 2, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (CachedFactory, loops));
}

static void
cached_factory_init (CachedFactory *factory)
{
}

void
cuda_kinds_register_cached (HoloRegistry *registry)
{
  g_assert_true (holo_registry_register_sync (registry, "Cached", cached_factory_get_type (), NULL));
}
