/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind Bridge: a mailbox that refuses on purpose. */
#include "test-kinds-private.h"

#include <string.h>

DEFINE_ASYNC_KIND (Bridge, bridge, gint64 seed; gint64 max_yields; gint64 forced_push; gint64 forced_pop;
                   gint64 forced_every; gboolean synchronizes;, guint first_push; GMutex lock; GArray * slot;
                   gboolean full; gboolean input_ended; gboolean output_ended; HoloStamp stamp; guint push_calls;
                   guint pop_calls;)

static gboolean
bridge_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloInferredOutput *output = test_add_output_like_input (inference);

  output->held_max = 1;
  inference->synchronizes_producer_stream = ((TestBridgeFactory *) factory)->synchronizes;
  return TRUE;
}

static gint n_bridge_pushes;

guint
test_bridge_get_first_push (HoloTask *task)
{
  return ((TestBridgeTask *) task)->first_push;
}

/* Gives other threads a chance, as often as seed and call say; TRUE when this call must be refused. */
static gboolean
bridge_disturb (TestBridgeTask *self, guint call, gint64 forced)
{
  TestBridgeFactory *factory = (TestBridgeFactory *) self->parent_instance.common.factory;
  guint32 mixed = (guint32) factory->seed ^ (call * 1664525u + 1013904223u);

  for (guint i = 0; i < mixed % ((guint) factory->max_yields + 1); i++)
    g_thread_yield ();
  return call < forced || (factory->forced_every > 0 && mixed % (guint) factory->forced_every == 0);
}

static HoloOpResult
bridge_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  TestBridgeTask *self = (TestBridgeTask *) task;
  HoloTensorView *view = context->inputs[0];
  HoloOpResult result = HOLO_OP_NOT_READY;

  test_count_call (task);
  if (bridge_disturb (self, self->push_calls++,
                      ((TestBridgeFactory *) self->parent_instance.common.factory)->forced_push))
    {
      g_atomic_int_inc (&self->parent_instance.common.n_push_refusals);
      return HOLO_OP_NOT_READY;
    }
  g_mutex_lock (&self->lock);
  if (self->output_ended)
    result = HOLO_OP_EOF;
  else if (!self->full)
    {
      g_array_set_size (self->slot, 0);
      if (!holo_tensor_desc_is_empty (&view->desc))
        g_array_append_vals (self->slot, test_floats (view), test_length (view));
      self->stamp = view->stamp;
      self->full = TRUE;
      if (self->first_push == 0)
        self->first_push = (guint) g_atomic_int_add (&n_bridge_pushes, 1) + 1;
      result = HOLO_OP_OK;
    }
  g_mutex_unlock (&self->lock);
  g_atomic_int_inc (result == HOLO_OP_OK ? &self->parent_instance.common.n_pushes
                                         : &self->parent_instance.common.n_push_refusals);
  return result;
}

static HoloOpResult
bridge_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  TestBridgeTask *self = (TestBridgeTask *) task;
  HoloTensorView *view = context->outputs[0];
  HoloOpResult result = HOLO_OP_NOT_READY;

  test_count_call (task);
  if (bridge_disturb (self, self->pop_calls++,
                      ((TestBridgeFactory *) self->parent_instance.common.factory)->forced_pop))
    {
      g_atomic_int_inc (&self->parent_instance.common.n_pop_refusals);
      return HOLO_OP_NOT_READY;
    }
  g_mutex_lock (&self->lock);
  if (self->full)
    {
      if (self->slot->len > 0)
        if (self->slot->len > 0)
          memcpy (test_floats (view), self->slot->data, self->slot->len * sizeof (gfloat));
      view->stamp = self->stamp;
      self->full = FALSE;
      result = HOLO_OP_OK;
    }
  else if (self->input_ended)
    result = HOLO_OP_EOF;
  g_mutex_unlock (&self->lock);
  g_atomic_int_inc (result == HOLO_OP_OK ? &self->parent_instance.common.n_pops
                                         : &self->parent_instance.common.n_pop_refusals);
  return result;
}

static void
bridge_end_of_input (HoloAsyncTask *task)
{
  TestBridgeTask *self = (TestBridgeTask *) task;

  g_mutex_lock (&self->lock);
  self->input_ended = TRUE;
  g_mutex_unlock (&self->lock);
}

static void
bridge_end_of_output (HoloAsyncTask *task)
{
  TestBridgeTask *self = (TestBridgeTask *) task;

  g_mutex_lock (&self->lock);
  self->output_ended = TRUE;
  if (self->full)
    holo_task_add_discarded (HOLO_TASK (task), 1);
  self->full = FALSE;
  g_mutex_unlock (&self->lock);
}

static gboolean
bridge_reset (HoloTask *task, GError **error)
{
  TestBridgeTask *self = (TestBridgeTask *) task;

  self->full = self->input_ended = self->output_ended = FALSE;
  self->push_calls = self->pop_calls = 0;
  return TRUE;
}

static gboolean
bridge_prepare (TestAsyncTask *task, GError **error)
{
  ((TestBridgeTask *) task)->slot = g_array_new (FALSE, FALSE, sizeof (gfloat));
  return TRUE;
}

static void
bridge_finalize (GObject *object)
{
  g_clear_pointer (&((TestBridgeTask *) object)->slot, g_array_unref);
  G_OBJECT_CLASS (test_bridge_task_parent_class)->finalize (object);
}

static void
test_bridge_task_class_init (TestBridgeTaskClass *klass)
{
  HoloAsyncTaskClass *async_class = HOLO_ASYNC_TASK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = bridge_finalize;
  HOLO_TASK_CLASS (klass)->reset = bridge_reset;
  async_class->try_push = bridge_try_push;
  async_class->try_pop = bridge_try_pop;
  async_class->end_of_input = bridge_end_of_input;
  async_class->end_of_output = bridge_end_of_output;
  ((TestAsyncTaskClass *) klass)->prepare = bridge_prepare;
}

static void
test_bridge_factory_class_init (TestBridgeFactoryClass *klass)
{
  test_kind_declare (klass, test_bridge_task_get_type (), "A mailbox that refuses on purpose", 1, 1,
                     HOLO_MEM_LOCS_HOST);
  holo_settings_install_int64 (klass, "seed", "Seed", NULL, 0, G_MAXUINT32, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestBridgeFactory, seed));
  holo_settings_install_int64 (klass, "max-yields", "Yields per call at most", NULL, 0, 1000, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestBridgeFactory, max_yields));
  holo_settings_install_int64 (klass, "forced-push", "First pushes refused", NULL, 0, 1000, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestBridgeFactory, forced_push));
  holo_settings_install_int64 (klass, "forced-pop", "First pops refused", NULL, 0, G_MAXINT, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestBridgeFactory, forced_pop));
  holo_settings_install_int64 (klass, "forced-every", "Every so many calls one is refused", NULL, 0, 1000, 0,
                               HOLO_SETTING_NONE, G_STRUCT_OFFSET (TestBridgeFactory, forced_every));
  holo_settings_install_boolean (klass, "synchronizes", "Waits for the producer's stream itself", FALSE,
                                 HOLO_SETTING_NONE, G_STRUCT_OFFSET (TestBridgeFactory, synchronizes));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = bridge_infer;
}
