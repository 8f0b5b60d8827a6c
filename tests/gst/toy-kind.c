/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "toy-kind.h"

gint toy_n_published;
static GMutex busy_lock;
static GCond busy_cond;
static guint n_busy;

#define TOY_TYPE_FACTORY (toy_factory_get_type ())
G_DECLARE_FINAL_TYPE (ToyFactory, toy_factory, TOY, FACTORY, HoloSyncTaskFactory)

struct _ToyFactory
{
  HoloSyncTaskFactory parent_instance;

  gint64 add, minimum, maximum, end_after, fail_after, not_ready_after;
  gboolean must, owned, busy, tell;
};

G_DEFINE_FINAL_TYPE (ToyFactory, toy_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

#define TOY_TYPE_TASK (toy_task_get_type ())
G_DECLARE_FINAL_TYPE (ToyTask, toy_task, TOY, TASK, HoloSyncTask)

struct _ToyTask
{
  HoloSyncTask parent_instance;

  ToyFactory *settings, *staged;
  gint64 n;
  gfloat own[64];
};

G_DEFINE_FINAL_TYPE (ToyTask, toy_task, HOLO_TYPE_SYNC_TASK)

static void
stay_busy (GCancellable *cancellable)
{
  g_mutex_lock (&busy_lock);
  n_busy++;
  g_cond_signal (&busy_cond);
  g_mutex_unlock (&busy_lock);
  while (!g_cancellable_is_cancelled (cancellable))
    {
      GPollFD fd;

      if (g_cancellable_make_pollfd (cancellable, &fd))
        {
          g_poll (&fd, 1, -1);
          g_cancellable_release_fd (cancellable);
        }
    }
}

void
toy_wait_busy (void)
{
  g_mutex_lock (&busy_lock);
  while (n_busy == 0)
    g_cond_wait (&busy_cond, &busy_lock);
  n_busy = 0;
  g_mutex_unlock (&busy_lock);
}

static HoloOpResult
toy_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  ToyTask *self = TOY_TASK (task);
  ToyFactory *settings = self->settings;
  const gfloat *in = holo_tensor_view_get_data (context->inputs[0]);
  gfloat *out;

  if (settings->end_after != 0 && self->n == settings->end_after)
    return HOLO_OP_EOF;
  if (settings->not_ready_after != 0 && self->n == settings->not_ready_after)
    return HOLO_OP_NOT_READY;
  if (settings->fail_after != 0 && self->n == settings->fail_after)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "the toy broke");
      return HOLO_OP_ERROR;
    }
  if (settings->busy)
    {
      stay_busy (context->cancellable);
      return HOLO_OP_CANCELLED;
    }
  if (settings->must)
    g_assert_true (context->inputs[0]->storage->data == context->outputs[0]->storage->data);
  if (settings->owned)
    {
      HoloStorage *storage = holo_task_get_output_storage (HOLO_TASK (task), 0, NULL);

      g_assert_true (storage == context->outputs[0]->storage);
      storage->data = self->own;
      toy_n_published++;
    }
  out = holo_tensor_view_get_data (context->outputs[0]);
  for (guint64 i = 0; i < holo_tensor_desc_count (&context->inputs[0]->desc); i++)
    out[i] = in[i] + (gfloat) (settings->add + self->n);
  if (settings->tell)
    {
      g_autoptr (JsonNode) told = json_node_init_int (json_node_alloc (), self->n);

      holo_event_writer_push (context->writer, told);
    }
  self->n++;
  return HOLO_OP_OK;
}

static void
toy_task_release_output (HoloTask *task, guint index, const HoloFence *fence)
{
  toy_n_published--;
}

static gboolean
toy_task_reset (HoloTask *task, GError **error)
{
  TOY_TASK (task)->n = 0;
  return TRUE;
}

static void
toy_task_commit (HoloTask *task)
{
  ToyTask *self = TOY_TASK (task);

  g_set_object (&self->settings, self->staged);
  g_clear_object (&self->staged);
}

static void
toy_task_rollback (HoloTask *task)
{
  g_clear_object (&TOY_TASK (task)->staged);
}

static void
toy_task_finalize (GObject *object)
{
  g_clear_object (&TOY_TASK (object)->settings);
  g_clear_object (&TOY_TASK (object)->staged);
  G_OBJECT_CLASS (toy_task_parent_class)->finalize (object);
}

static void
toy_task_class_init (ToyTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = toy_task_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = toy_task_execute;
  HOLO_TASK_CLASS (klass)->release_output = toy_task_release_output;
  HOLO_TASK_CLASS (klass)->reset = toy_task_reset;
  HOLO_TASK_CLASS (klass)->commit = toy_task_commit;
  HOLO_TASK_CLASS (klass)->rollback = toy_task_rollback;
}

static void
toy_task_init (ToyTask *self)
{
}

static gboolean
toy_factory_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  ToyFactory *self = TOY_FACTORY (factory);
  HoloTensorDesc desc;
  HoloInferredOutput *output;

  if (self->minimum > self->maximum)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_SETTING, "minimum is larger than maximum");
      return FALSE;
    }
  holo_tensor_desc_init_dense_like (&desc, holo_inference_get_input_desc (inference, 0));
  output = holo_inference_add_output (inference, &desc);
  output->owned = self->owned;
  if (self->must)
    {
      output->in_place = HOLO_IN_PLACE_MUST;
      output->in_place_input = 0;
    }
  return TRUE;
}

static HoloSyncTask *
toy_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
                    GError **error)
{
  ToyTask *self = g_object_new (TOY_TYPE_TASK, NULL);

  self->settings = g_object_ref (TOY_FACTORY (factory));
  return HOLO_SYNC_TASK (self);
}

static HoloSyncTask *
toy_factory_update (HoloSyncTaskFactory *factory, HoloSyncTask *old, const HoloInference *old_inference,
                    const HoloInference *inference, const HoloSyncCreateContext *context, GError **error)
{
  g_set_object (&TOY_TASK (old)->staged, TOY_FACTORY (factory));
  return g_object_ref (old);
}

static void
install_int (gpointer klass, const gchar *name, gint64 default_value, gsize offset)
{
  holo_settings_install_int64 (klass, name, "A number", "things", 0, 1000, default_value, HOLO_SETTING_NONE, offset);
}

static void
toy_factory_class_init (ToyFactoryClass *klass)
{
  HOLO_TASK_FACTORY_CLASS (klass)->infer = toy_factory_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = toy_factory_create;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->update = toy_factory_update;
  holo_task_factory_class_set_description (klass, "A toy", "A toy");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES (F32), HOLO_MEM_LOCS_HOST, 1, 3, HOLO_SLOT_DENSE, NULL);
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES (F32), HOLO_MEM_LOCS_HOST, 1, 3, HOLO_SLOT_NONE, NULL);
  install_int (klass, "add", 0, G_STRUCT_OFFSET (ToyFactory, add));
  install_int (klass, "minimum", 0, G_STRUCT_OFFSET (ToyFactory, minimum));
  install_int (klass, "maximum", 5, G_STRUCT_OFFSET (ToyFactory, maximum));
  install_int (klass, "end-after", 0, G_STRUCT_OFFSET (ToyFactory, end_after));
  install_int (klass, "fail-after", 0, G_STRUCT_OFFSET (ToyFactory, fail_after));
  install_int (klass, "not-ready-after", 0, G_STRUCT_OFFSET (ToyFactory, not_ready_after));
  holo_settings_install_boolean (klass, "must", "Only in place", FALSE, HOLO_SETTING_NONE,
                                 G_STRUCT_OFFSET (ToyFactory, must));
  holo_settings_install_boolean (klass, "owned", "Own memory", FALSE, HOLO_SETTING_NONE,
                                 G_STRUCT_OFFSET (ToyFactory, owned));
  holo_settings_install_boolean (klass, "tell", "Sends its number", FALSE, HOLO_SETTING_NONE,
                                 G_STRUCT_OFFSET (ToyFactory, tell));
  holo_settings_install_boolean (klass, "busy", "Until cancelled", FALSE, HOLO_SETTING_NONE,
                                 G_STRUCT_OFFSET (ToyFactory, busy));
}

static void
toy_factory_init (ToyFactory *self)
{
}

void
toy_kind_register (HoloRegistry *registry)
{
  g_autoptr (GError) error = NULL;

  holo_registry_register_sync (registry, "Toy", TOY_TYPE_FACTORY, &error);
  g_assert_no_error (error);
}
