/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds Collect, HistoryCollect and Null. */
#include "test-kinds-private.h"

#define COLLECT_STATE                                                                                                  \
  GMutex lock;                                                                                                         \
  GPtrArray *frames;                                                                                                   \
  gconstpointer last_address;

DEFINE_SYNC_KIND (History, history, gint64 count;, COLLECT_STATE)

typedef struct
{
  TestHistoryFactory parent_instance;
} TestCollectFactory;
typedef struct
{
  TestHistoryFactoryClass parent_class;
} TestCollectFactoryClass;
GType test_collect_factory_get_type (void);
G_DEFINE_TYPE (TestCollectFactory, test_collect_factory, test_history_factory_get_type ())

static HoloOpResult
history_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestHistoryTask *self = (TestHistoryTask *) task;
  HoloTaskFactory *factory = self->parent_instance.common.factory;
  gboolean only_one = G_TYPE_CHECK_INSTANCE_TYPE (factory, test_collect_factory_get_type ());
  gint64 count = only_one ? 1 : ((TestHistoryFactory *) factory)->count;
  HoloTensorView *view = context->inputs[0];
  GArray *frame = g_array_sized_new (FALSE, FALSE, sizeof (gfloat), test_length (view));
  gboolean last;

  test_count_call (task);
  if (!holo_tensor_desc_is_empty (&view->desc))
    g_array_append_vals (frame, test_floats (view), test_length (view));
  g_mutex_lock (&self->lock);
  if (self->frames == NULL)
    self->frames = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_ptr_array_add (self->frames, frame);
  self->last_address = test_floats (view);
  last = count > 0 && self->frames->len >= count;
  g_mutex_unlock (&self->lock);
  return last ? HOLO_OP_EOF : HOLO_OP_OK;
}

static gboolean
history_reset (HoloTask *task, GError **error)
{
  g_clear_pointer (&((TestHistoryTask *) task)->frames, g_ptr_array_unref);
  return TRUE;
}

static void
history_finalize (GObject *object)
{
  g_clear_pointer (&((TestHistoryTask *) object)->frames, g_ptr_array_unref);
  G_OBJECT_CLASS (test_history_task_parent_class)->finalize (object);
}

static void
test_history_task_class_init (TestHistoryTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = history_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = history_execute;
  HOLO_TASK_CLASS (klass)->reset = history_reset;
}

static void
test_history_factory_class_init (TestHistoryFactoryClass *klass)
{
  test_kind_declare (klass, test_history_task_get_type (), "Keeps frames", 1, 0, HOLO_MEM_LOCS_HOST);
  holo_settings_install_int64 (klass, "count", "Frames to keep, 0 for no end", "frames", 0, G_MAXINT, 0,
                               HOLO_SETTING_NONE, G_STRUCT_OFFSET (TestHistoryFactory, count));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = test_infer_sink;
}

static void
test_collect_factory_class_init (TestCollectFactoryClass *klass)
{
  holo_task_factory_class_set_description (klass, "Keeps one frame", NULL);
}

static void
test_collect_factory_init (TestCollectFactory *factory)
{
}

guint
test_collect_get_n_frames (HoloTask *task)
{
  TestHistoryTask *self = (TestHistoryTask *) task;
  guint n;

  g_mutex_lock (&self->lock);
  n = self->frames != NULL ? self->frames->len : 0;
  g_mutex_unlock (&self->lock);
  return n;
}

const gfloat *
test_collect_get_frame (HoloTask *task, guint frame, guint *length)
{
  TestHistoryTask *self = (TestHistoryTask *) task;
  GArray *values;

  g_mutex_lock (&self->lock);
  g_assert_nonnull (self->frames);
  g_assert_cmpuint (frame, <, self->frames->len);
  values = g_ptr_array_index (self->frames, frame);
  g_mutex_unlock (&self->lock);
  if (length != NULL)
    *length = values->len;
  return (const gfloat *) values->data;
}

gconstpointer
test_collect_get_last_address (HoloTask *task)
{
  return ((TestHistoryTask *) task)->last_address;
}

/* ---- Null ---- */

DEFINE_SYNC_KIND (Null, null, , )

static HoloOpResult
null_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  test_count_call (task);
  return HOLO_OP_OK;
}

static void
test_null_task_class_init (TestNullTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = null_execute;
}

static void
test_null_factory_class_init (TestNullFactoryClass *klass)
{
  test_kind_declare (klass, test_null_task_get_type (), "Takes frames and keeps nothing", 1, 0, HOLO_MEM_LOCS_ANY);
  HOLO_TASK_FACTORY_CLASS (klass)->infer = test_infer_sink;
}
