/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Mailbox: an asynchronous source that the test fills. */
#include "test-kinds-private.h"

DEFINE_ASYNC_KIND (Mailbox, mailbox, gint64 size;, GMutex lock; gfloat value; gboolean full; gboolean ended;
                   gboolean output_ended;)

static gboolean
mailbox_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  gint64 shape[] = { ((TestMailboxFactory *) factory)->size };
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  holo_inference_add_output (inference, &desc);
  inference->signals_readiness = TRUE;
  return TRUE;
}

static HoloOpResult
mailbox_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  g_assert_not_reached ();
}

static HoloOpResult
mailbox_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  TestMailboxTask *self = (TestMailboxTask *) task;
  HoloOpResult result = HOLO_OP_NOT_READY;

  test_count_call (task);
  g_mutex_lock (&self->lock);
  if (self->full)
    {
      for (guint i = 0; i < test_length (context->outputs[0]); i++)
        test_floats (context->outputs[0])[i] = self->value;
      self->full = FALSE;
      result = HOLO_OP_OK;
    }
  else if (self->ended)
    result = HOLO_OP_EOF;
  g_mutex_unlock (&self->lock);
  g_atomic_int_inc (result == HOLO_OP_OK ? &self->parent_instance.common.n_pops
                                         : &self->parent_instance.common.n_pop_refusals);
  return result;
}

static void
mailbox_end_of_input (HoloAsyncTask *task)
{
}

static void
mailbox_end_of_output (HoloAsyncTask *task)
{
  TestMailboxTask *self = (TestMailboxTask *) task;

  g_mutex_lock (&self->lock);
  self->output_ended = TRUE;
  holo_task_add_discarded (HOLO_TASK (task), self->full ? 1 : 0);
  self->full = FALSE;
  g_mutex_unlock (&self->lock);
}

static gboolean
mailbox_reset (HoloTask *task, GError **error)
{
  TestMailboxTask *self = (TestMailboxTask *) task;

  self->full = self->ended = self->output_ended = FALSE;
  return TRUE;
}

static void
test_mailbox_task_class_init (TestMailboxTaskClass *klass)
{
  HoloAsyncTaskClass *async_class = HOLO_ASYNC_TASK_CLASS (klass);

  HOLO_TASK_CLASS (klass)->reset = mailbox_reset;
  async_class->try_push = mailbox_try_push;
  async_class->try_pop = mailbox_try_pop;
  async_class->end_of_input = mailbox_end_of_input;
  async_class->end_of_output = mailbox_end_of_output;
}

static void
test_mailbox_factory_class_init (TestMailboxFactoryClass *klass)
{
  test_kind_declare (klass, test_mailbox_task_get_type (), "A source that the test fills", 0, 1, HOLO_MEM_LOCS_HOST);
  holo_settings_install_int64 (klass, "size", "Elements", NULL, 0, 64, 1, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestMailboxFactory, size));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = mailbox_infer;
}

gboolean
test_mailbox_put (HoloTask *task, gfloat value)
{
  TestMailboxTask *self = (TestMailboxTask *) task;
  gboolean taken;

  g_mutex_lock (&self->lock);
  taken = !self->full && !self->output_ended;
  if (taken)
    {
      self->value = value;
      self->full = TRUE;
    }
  g_mutex_unlock (&self->lock);
  holo_async_task_wake (HOLO_ASYNC_TASK (task));
  return taken;
}

void
test_mailbox_end (HoloTask *task)
{
  TestMailboxTask *self = (TestMailboxTask *) task;

  g_mutex_lock (&self->lock);
  self->ended = TRUE;
  g_mutex_unlock (&self->lock);
  holo_async_task_wake (HOLO_ASYNC_TASK (task));
}
