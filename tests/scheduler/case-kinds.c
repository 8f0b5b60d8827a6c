/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "case-kinds.h"

#include "test-kinds-private.h"

/* ---- Metered ---- */

DEFINE_SYNC_KIND (Metered, metered, gint64 id; gdouble amount;, )

static CaseMeter meters[CASE_METERED_IDS];
static gint n_alive;

static gboolean
metered_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  g_atomic_int_inc (&meters[((TestMeteredFactory *) factory)->id].n_infers);
  return test_infer_in_place (factory, inference, error);
}

static HoloSyncTask *
metered_create (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
                GError **error)
{
  g_atomic_int_inc (&meters[((TestMeteredFactory *) factory)->id].n_creates);
  return HOLO_SYNC_TASK_FACTORY_CLASS (test_metered_factory_parent_class)->create (factory, inference, context, error);
}

static HoloSyncTask *
metered_update (HoloSyncTaskFactory *factory, HoloSyncTask *old, const HoloInference *old_inference,
                const HoloInference *inference, const HoloSyncCreateContext *context, GError **error)
{
  g_atomic_int_inc (&meters[((TestMeteredFactory *) factory)->id].n_updates);
  return HOLO_SYNC_TASK_FACTORY_CLASS (test_metered_factory_parent_class)
      ->update (factory, old, old_inference, inference, context, error);
}

static HoloOpResult
metered_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestMeteredFactory *factory = (TestMeteredFactory *) ((TestSyncTask *) task)->common.factory;
  const gfloat *in = test_floats (context->inputs[0]);
  gfloat *out = test_floats (context->outputs[0]);

  test_count_call (task);
  for (guint i = 0; i < test_length (context->inputs[0]); i++)
    out[i] = in[i] + (gfloat) factory->amount;
  return HOLO_OP_OK;
}

static void
metered_constructed (GObject *object)
{
  g_atomic_int_inc (&n_alive);
  G_OBJECT_CLASS (test_metered_task_parent_class)->constructed (object);
}

static void
metered_finalize (GObject *object)
{
  g_atomic_int_add (&n_alive, -1);
  G_OBJECT_CLASS (test_metered_task_parent_class)->finalize (object);
}

static void
test_metered_task_class_init (TestMeteredTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = metered_constructed;
  G_OBJECT_CLASS (klass)->finalize = metered_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = metered_execute;
}

static void
test_metered_factory_class_init (TestMeteredFactoryClass *klass)
{
  test_kind_declare (klass, test_metered_task_get_type (), "Adds, and is counted", 1, 1, HOLO_MEM_LOCS_HOST);
  holo_settings_install_int64 (klass, "id", "Counters of which it is", NULL, 0, CASE_METERED_IDS - 1, 0,
                               HOLO_SETTING_NONE, G_STRUCT_OFFSET (TestMeteredFactory, id));
  holo_settings_install_double (klass, "amount", "What is added", NULL, -1e6, 1e6, 0, HOLO_SETTING_LIVE,
                                G_STRUCT_OFFSET (TestMeteredFactory, amount));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = metered_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = metered_create;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->update = metered_update;
}

CaseMeter
case_metered_get (guint id)
{
  return (CaseMeter){ g_atomic_int_get (&meters[id].n_infers), g_atomic_int_get (&meters[id].n_creates),
                      g_atomic_int_get (&meters[id].n_updates) };
}

guint
case_metered_get_n_alive (void)
{
  return (guint) g_atomic_int_get (&n_alive);
}

/* ---- Ear ---- */

DEFINE_SYNC_KIND (Ear, ear, gdouble gain;, )

static gint n_ear_calls, n_deaf;

static void
answer (HoloEventWriter *writer, const HoloEvent *event, gdouble value)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  g_autoptr (JsonObject) object = json_object_new ();

  json_object_set_member (object, "heard", json_node_copy (event->data));
  json_object_set_double_member (object, "frame", value);
  json_node_set_object (node, object);
  holo_event_writer_push (writer, node);
}

static HoloOpResult
ear_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestEarFactory *factory = (TestEarFactory *) ((TestSyncTask *) task)->common.factory;
  const gfloat *in = test_floats (context->inputs[0]);
  gfloat *out = test_floats (context->outputs[0]);
  HoloEvent *event;

  g_atomic_int_inc (&n_ear_calls);
  for (guint i = 0; i < test_length (context->inputs[0]); i++)
    out[i] = in[i] * (gfloat) factory->gain;
  if (context->reader == NULL || context->writer == NULL)
    {
      g_atomic_int_inc (&n_deaf);
      return HOLO_OP_OK;
    }
  while ((event = holo_event_reader_pop (context->reader)) != NULL)
    {
      answer (context->writer, event, in[0]);
      holo_event_unref (event);
    }
  return HOLO_OP_OK;
}

static void
test_ear_task_class_init (TestEarTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = ear_execute;
}

static void
test_ear_factory_class_init (TestEarFactoryClass *klass)
{
  test_kind_declare (klass, test_ear_task_get_type (), "Answers events", 1, 1, HOLO_MEM_LOCS_HOST);
  holo_settings_install_double (klass, "gain", "Factor", NULL, -1e6, 1e6, 1, HOLO_SETTING_LIVE,
                                G_STRUCT_OFFSET (TestEarFactory, gain));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = test_infer_like_input;
}

guint
case_ear_get_n_calls (void)
{
  return (guint) g_atomic_int_get (&n_ear_calls);
}

guint
case_ear_get_n_deaf (void)
{
  return (guint) g_atomic_int_get (&n_deaf);
}

void
case_kinds_register (void)
{
  HoloRegistry *registry = test_kinds_get_registry ();
  g_autoptr (GError) error = NULL;

  holo_registry_register_sync (registry, "Metered", test_metered_factory_get_type (), &error);
  g_assert_no_error (error);
  holo_registry_register_sync (registry, "Ear", test_ear_factory_get_type (), &error);
  g_assert_no_error (error);
}
