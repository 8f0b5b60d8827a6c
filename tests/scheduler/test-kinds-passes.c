/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds that pass frames on, or not: EndAt, FailAt, Transfer, Gate, Random; and Result. They decide on the
 * host. */
#include "test-kinds-private.h"

DEFINE_SYNC_KIND (EndAt, end_at, gint64 frames;, gint64 frame;)
DEFINE_SYNC_KIND (FailAt, fail_at, gint64 at; gchar * result;, gint64 frame;)
DEFINE_SYNC_KIND (Transfer, transfer, gchar *target;, )
DEFINE_SYNC_KIND (Gate, gate, , )
DEFINE_SYNC_KIND (Random, random, gint64 max_us; gint64 seed;, GRand *rand;)

static HoloOpResult
pass (gpointer task, HoloSyncContext *context, GError **error)
{
  HoloDevice *device = ((TestSyncTask *) task)->common.device;
  gboolean on_host =
      context->inputs[0]->desc.mem_loc == HOLO_MEM_LOC_HOST && context->outputs[0]->desc.mem_loc == HOLO_MEM_LOC_HOST;

  test_count_call (task);
  if (on_host)
    {
      holo_tensor_copy_elements (test_floats (context->outputs[0]), &context->outputs[0]->desc,
                                 test_floats (context->inputs[0]), &context->inputs[0]->desc);
      return HOLO_OP_OK;
    }
  return holo_device_copy (device, context->stream, context->outputs[0], context->inputs[0], error) ? HOLO_OP_OK
                                                                                                    : HOLO_OP_ERROR;
}

static HoloOpResult
end_at_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestEndAtTask *self = (TestEndAtTask *) task;

  if (self->frame >= ((TestEndAtFactory *) self->parent_instance.common.factory)->frames)
    return HOLO_OP_EOF;
  self->frame++;
  return pass (task, context, error);
}

static gboolean
end_at_reset (HoloTask *task, GError **error)
{
  ((TestEndAtTask *) task)->frame = 0;
  return TRUE;
}

static void
test_end_at_task_class_init (TestEndAtTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = end_at_execute;
  HOLO_TASK_CLASS (klass)->reset = end_at_reset;
}

static void
test_end_at_factory_class_init (TestEndAtFactoryClass *klass)
{
  test_kind_declare (klass, test_end_at_task_get_type (), "Ends after some frames", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_int64 (klass, "frames", "Frames that pass", "frames", 0, G_MAXINT, 1, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestEndAtFactory, frames));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = test_infer_like_input;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE;
}

static HoloOpResult
test_give_result (const gchar *name, GError **error)
{
  if (g_str_equal (name, "cancelled"))
    return HOLO_OP_CANCELLED;
  if (g_str_equal (name, "eof"))
    return HOLO_OP_EOF;
  if (g_str_equal (name, "not-ready"))
    return HOLO_OP_NOT_READY;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "the test made this call fail");
  return HOLO_OP_ERROR;
}

static HoloOpResult
fail_at_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestFailAtTask *self = (TestFailAtTask *) task;
  TestFailAtFactory *factory = (TestFailAtFactory *) self->parent_instance.common.factory;

  if (self->frame++ == factory->at)
    return test_give_result (factory->result, error);
  return pass (task, context, error);
}

static gboolean
fail_at_reset (HoloTask *task, GError **error)
{
  ((TestFailAtTask *) task)->frame = 0;
  return TRUE;
}

static void
test_fail_at_task_class_init (TestFailAtTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = fail_at_execute;
  HOLO_TASK_CLASS (klass)->reset = fail_at_reset;
}

static void
test_fail_at_factory_class_init (TestFailAtFactoryClass *klass)
{
  test_kind_declare (klass, test_fail_at_task_get_type (), "Fails at some frame", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_int64 (klass, "frame", "Frame that fails", NULL, 0, G_MAXINT, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestFailAtFactory, at));
  holo_settings_install_string (klass, "result", "How it fails", "error", HOLO_SETTING_NONE,
                                G_STRUCT_OFFSET (TestFailAtFactory, result));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = test_infer_like_input;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE;
}

static gboolean
transfer_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloTensorDesc desc;

  holo_tensor_desc_init_dense_like (&desc, holo_inference_get_input_desc (inference, 0));
  if (!holo_mem_loc_from_name (((TestTransferFactory *) factory)->target, &desc.mem_loc, error))
    return FALSE;
  holo_inference_add_output (inference, &desc);
  return TRUE;
}

static HoloOpResult
transfer_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  return pass (task, context, error);
}

static void
test_transfer_task_class_init (TestTransferTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = transfer_execute;
}

static void
test_transfer_factory_class_init (TestTransferFactoryClass *klass)
{
  test_kind_declare (klass, test_transfer_task_get_type (), "Copies to host or device", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_string (klass, "target", "Host or Device", "Device", HOLO_SETTING_NONE,
                                G_STRUCT_OFFSET (TestTransferFactory, target));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = transfer_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE;
}

static GMutex gate_lock;
static GCond gate_cond;
static gboolean gate_open;
static guint gate_n_waiting;

void
test_gate_set_open (gboolean open)
{
  g_mutex_lock (&gate_lock);
  gate_open = open;
  g_cond_broadcast (&gate_cond);
  g_mutex_unlock (&gate_lock);
}

guint
test_gate_get_n_waiting (void)
{
  guint n;

  g_mutex_lock (&gate_lock);
  n = gate_n_waiting;
  g_mutex_unlock (&gate_lock);
  return n;
}

static void
wake_gates (GCancellable *cancellable, gpointer data)
{
  g_mutex_lock (&gate_lock);
  g_cond_broadcast (&gate_cond);
  g_mutex_unlock (&gate_lock);
}

static HoloOpResult
gate_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  gulong id = g_cancellable_connect (context->cancellable, G_CALLBACK (wake_gates), NULL, NULL);

  g_mutex_lock (&gate_lock);
  gate_n_waiting++;
  while (!gate_open && !g_cancellable_is_cancelled (context->cancellable))
    g_cond_wait (&gate_cond, &gate_lock);
  gate_n_waiting--;
  g_mutex_unlock (&gate_lock);
  g_cancellable_disconnect (context->cancellable, id);
  return g_cancellable_is_cancelled (context->cancellable) ? HOLO_OP_CANCELLED : pass (task, context, error);
}

static void
test_gate_task_class_init (TestGateTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = gate_execute;
}

static void
test_gate_factory_class_init (TestGateFactoryClass *klass)
{
  test_kind_declare (klass, test_gate_task_get_type (), "Blocks until it is opened", 1, 1, HOLO_MEM_LOCS_ANY);
  HOLO_TASK_FACTORY_CLASS (klass)->infer = test_infer_like_input;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE;
}

static TestInsideFunc inside_func;
static gpointer inside_data;

void
test_kinds_set_inside (TestInsideFunc func, gpointer user_data)
{
  inside_data = user_data;
  g_atomic_pointer_set (&inside_func, func);
}

static HoloOpResult
random_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestRandomTask *self = (TestRandomTask *) task;
  TestRandomFactory *factory = (TestRandomFactory *) self->parent_instance.common.factory;
  TestInsideFunc func = g_atomic_pointer_get (&inside_func);

  if (self->rand == NULL)
    self->rand = g_rand_new_with_seed ((guint32) factory->seed);
  if (factory->max_us > 0)
    g_usleep ((gulong) g_rand_int_range (self->rand, 0, (gint32) factory->max_us + 1));
  if (func != NULL)
    func (HOLO_TASK (task), inside_data);
  return pass (task, context, error);
}

static void
random_finalize (GObject *object)
{
  g_clear_pointer (&((TestRandomTask *) object)->rand, g_rand_free);
  G_OBJECT_CLASS (test_random_task_parent_class)->finalize (object);
}

static void
test_random_task_class_init (TestRandomTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = random_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = random_execute;
}

static void
test_random_factory_class_init (TestRandomFactoryClass *klass)
{
  test_kind_declare (klass, test_random_task_get_type (), "Passes frames after a random time", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_int64 (klass, "max-us", "Longest time", "us", 0, G_MAXINT, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestRandomFactory, max_us));
  holo_settings_install_int64 (klass, "seed", "Seed", NULL, 0, G_MAXUINT32, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestRandomFactory, seed));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = test_infer_like_input;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE;
}

/* ---- Result ---- */

DEFINE_SYNC_KIND (Result, result, gchar *result;, )

static HoloOpResult
result_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  test_count_call (task);
  return test_give_result (((TestResultFactory *) ((TestSyncTask *) task)->common.factory)->result, error);
}

static void
test_result_task_class_init (TestResultTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = result_execute;
}

static void
test_result_factory_class_init (TestResultFactoryClass *klass)
{
  test_kind_declare (klass, test_result_task_get_type (), "Returns what it is told to", 0, 0, HOLO_MEM_LOCS_HOST);
  holo_settings_install_string (klass, "result", "What to return", "eof", HOLO_SETTING_NONE,
                                G_STRUCT_OFFSET (TestResultFactory, result));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = test_infer_sink;
}
