/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds "Epoch" + name: the kind of that name, with three settings more. What a task does it writes into the
 * log of operations.
 *
 *   epoch   is added to every element of what a synchronous kind computes (not by those that make their own
 *           device tasks); a new one with each update
 *   id      how the log calls the node
 *   renew   an update makes a new task; otherwise it keeps the task, with the change staged, as long as the
 *           tensors are the same (and of an asynchronous kind all other settings) */
#include "test-kinds-private.h"

#include "operation-log.h"

typedef struct
{
  gint64 epoch;
  gint64 id;
  gboolean renew;
} Settings;

typedef struct
{
  guint instance;
  guint id;
  guint epoch; /* of the settings in use */
  HoloTaskFactory *staged;
} State;

/* A kind that there is, and what is made of it: both types end with a part of ours. */
typedef struct
{
  const gchar *name;
  GType base;
  GType base_task;
  GType factory;
  GType task;
  gsize settings; /* offsets */
  gsize state;
  gboolean adds_epoch;
} Kind;

static GQuark
kind_quark (void)
{
  return g_quark_from_static_string ("test-kind-epoch");
}

static const Kind *
kind_of (gpointer object)
{
  return g_type_get_qdata (G_OBJECT_TYPE (object), kind_quark ());
}

static const Settings *
settings_of (gpointer factory)
{
  return G_STRUCT_MEMBER_P (factory, kind_of (factory)->settings);
}

static State *
state_of (gpointer task)
{
  return G_STRUCT_MEMBER_P (task, kind_of (task)->state);
}

static TestTaskCommon *
common_of (gpointer task)
{
  return HOLO_IS_ASYNC_TASK (task) ? &((TestAsyncTask *) task)->common : &((TestSyncTask *) task)->common;
}

static void
add_entry (gpointer task, OperationWhat what, HoloOpResult result, guint32 hash, guint64 frame)
{
  const State *state = state_of (task);
  OperationEntry entry = { what, result, state->id, state->epoch, state->instance, hash, frame, FALSE };

  operation_log_add (&entry);
}

/* ---- what changes ---- */

static void
take_settings (gpointer task, gpointer factory)
{
  state_of (task)->epoch = (guint) settings_of (factory)->epoch;
  state_of (task)->id = (guint) settings_of (factory)->id;
}

static gpointer
made (gpointer task, gpointer factory)
{
  if (task == NULL)
    return NULL;
  state_of (task)->instance = operation_log_next_instance ();
  take_settings (task, factory);
  return task;
}

static void
epoch_commit (HoloTask *task)
{
  State *state = state_of (task);
  TestTaskCommon *common = common_of (task);

  if (state->staged == NULL)
    return;
  take_settings (task, state->staged);
  g_object_unref (common->factory);
  common->factory = g_steal_pointer (&state->staged);
  add_entry (task, OPERATION_COMMIT, HOLO_OP_OK, 0, HOLO_TIME_NONE);
}

static void
epoch_rollback (HoloTask *task)
{
  g_clear_object (&state_of (task)->staged);
}

static gboolean
same_tensors (const HoloInference *a, const HoloInference *b)
{
  gboolean same = holo_inference_get_n_inputs (a) == holo_inference_get_n_inputs (b) &&
                  holo_inference_get_n_outputs (a) == holo_inference_get_n_outputs (b);

  for (guint i = 0; same && i < holo_inference_get_n_inputs (a); i++)
    same = holo_tensor_desc_equal (holo_inference_get_input_desc (a, i), holo_inference_get_input_desc (b, i));
  for (guint i = 0; same && i < holo_inference_get_n_outputs (a); i++)
    same = holo_tensor_desc_equal (holo_inference_get_output_desc (a, i), holo_inference_get_output_desc (b, i));
  return same;
}

/* All but the epoch: a ring stays as it is. */
static gboolean
same_settings (gpointer a, gpointer b)
{
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (G_OBJECT_GET_CLASS (a), &n);
  gboolean same = TRUE;

  for (guint i = 0; same && i < n; i++)
    {
      g_auto (GValue) value_a = G_VALUE_INIT, value_b = G_VALUE_INIT;

      if (g_str_equal (pspecs[i]->name, "epoch"))
        continue;
      g_object_get_property (a, pspecs[i]->name, (g_value_init (&value_a, pspecs[i]->value_type), &value_a));
      g_object_get_property (b, pspecs[i]->name, (g_value_init (&value_b, pspecs[i]->value_type), &value_b));
      same = g_param_values_cmp (pspecs[i], &value_a, &value_b) == 0;
    }
  return same;
}

/* Whether @old, with its settings exchanged at the commit, can be the task of @factory. */
static gboolean
stage (gpointer factory, gpointer old, const HoloInference *old_inference, const HoloInference *inference)
{
  /* never the task that a device made for this kind */
  if (old == NULL || G_OBJECT_TYPE (old) != kind_of (factory)->task || settings_of (factory)->renew ||
      !same_tensors (old_inference, inference) ||
      (HOLO_IS_ASYNC_TASK (old) && !same_settings (common_of (old)->factory, factory)))
    return FALSE;
  epoch_rollback (old);
  state_of (old)->staged = g_object_ref (factory);
  return TRUE;
}

static HoloSyncTask *
epoch_create_sync (HoloSyncTaskFactory *factory, const HoloInference *inference, const HoloSyncCreateContext *context,
                   GError **error)
{
  HoloSyncTaskFactoryClass *klass = g_type_class_peek (test_sync_factory_get_type ());

  return made (klass->create (factory, inference, context, error), factory);
}

static HoloSyncTask *
epoch_update_sync (HoloSyncTaskFactory *factory, HoloSyncTask *old, const HoloInference *old_inference,
                   const HoloInference *inference, const HoloSyncCreateContext *context, GError **error)
{
  if (!test_may_update (error))
    return NULL;
  if (stage (factory, old, old_inference, inference))
    return g_object_ref (old);
  return holo_sync_task_factory_create (factory, inference, context, error);
}

static HoloAsyncTask *
epoch_create_async (HoloAsyncTaskFactory *factory, const HoloInference *inference,
                    const HoloAsyncCreateContext *context, GError **error)
{
  HoloAsyncTaskFactoryClass *klass = g_type_class_peek (test_async_factory_get_type ());

  return made (klass->create (factory, inference, context, error), factory);
}

static HoloAsyncTask *
epoch_update_async (HoloAsyncTaskFactory *factory, HoloAsyncTask *old, const HoloInference *old_inference,
                    const HoloInference *inference, const HoloAsyncCreateContext *context, GError **error)
{
  if (!test_may_update (error))
    return NULL;
  if (stage (factory, old, old_inference, inference))
    return g_object_ref (old);
  return holo_async_task_factory_create (factory, inference, context, error);
}

/* ---- synchronous ---- */

/* Device memory is closed to host code: a kind that makes its own device tasks has nothing to hash there. */
static guint32
hash_views (HoloTensorView **views, guint n)
{
  guint32 hash = 0;

  for (guint i = 0; i < n; i++)
    if (views[i]->desc.mem_loc == HOLO_MEM_LOC_HOST && !holo_tensor_desc_is_empty (&views[i]->desc))
      hash = operation_hash (hash, test_floats (views[i]), test_length (views[i]));
  return hash;
}

static void
add_epoch (HoloTensorView *view, guint epoch)
{
  for (guint i = 0; i < test_length (view); i++)
    test_floats (view)[i] += (gfloat) epoch;
}

static void
echo_events (HoloSyncContext *context)
{
  HoloEvent *event;

  while (context->reader != NULL && (event = holo_event_reader_pop (context->reader)) != NULL)
    {
      holo_event_writer_push (context->writer, event->data);
      holo_event_unref (event);
    }
}

static HoloOpResult
epoch_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  HoloSyncTaskClass *base = g_type_class_peek (kind_of (task)->base_task);
  guint32 hash = hash_views (context->inputs, context->n_inputs);
  guint64 frame = context->n_inputs > 0 ? context->inputs[0]->stamp.seq : HOLO_TIME_NONE;
  HoloOpResult result = base->execute (task, context, error);

  if (result == HOLO_OP_OK)
    {
      for (guint i = 0; i < context->n_outputs && kind_of (task)->adds_epoch; i++)
        add_epoch (context->outputs[i], state_of (task)->epoch);
      if (context->n_inputs == 0)
        {
          hash = hash_views (context->outputs, context->n_outputs);
          frame = context->outputs[0]->stamp.seq;
        }
    }
  add_entry (task, OPERATION_EXECUTE, result, hash, frame);
  echo_events (context);
  return result;
}

/* ---- asynchronous ---- */

static HoloAsyncTaskClass *
async_base_of (gpointer task)
{
  return g_type_class_peek (kind_of (task)->base_task);
}

static HoloOpResult
epoch_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  HoloOpResult result = async_base_of (task)->try_push (task, context, error);

  if (result == HOLO_OP_OK || result == HOLO_OP_NOT_READY)
    add_entry (task, result == HOLO_OP_OK ? OPERATION_PUSH : OPERATION_REFUSE, result, 0,
               context->inputs[0]->stamp.seq);
  return result;
}

static HoloOpResult
epoch_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  HoloOpResult result = async_base_of (task)->try_pop (task, context, error);

  if (result == HOLO_OP_OK)
    add_entry (task, OPERATION_POP, result, 0, context->outputs[0]->stamp.seq);
  else if (result == HOLO_OP_EOF)
    add_entry (task, OPERATION_EMPTY, result, 0, HOLO_TIME_NONE);
  return result;
}

static void
epoch_end_of_input (HoloAsyncTask *task)
{
  add_entry (task, OPERATION_END_OF_INPUT, HOLO_OP_OK, 0, HOLO_TIME_NONE);
  async_base_of (task)->end_of_input (task);
}

static void
epoch_end_of_output (HoloAsyncTask *task)
{
  add_entry (task, OPERATION_END_OF_OUTPUT, HOLO_OP_OK, 0, HOLO_TIME_NONE);
  async_base_of (task)->end_of_output (task);
}

/* ---- both ---- */

static gboolean
epoch_reset (HoloTask *task, GError **error)
{
  HoloTaskClass *base = g_type_class_peek (kind_of (task)->base_task);

  add_entry (task, OPERATION_RESET, HOLO_OP_OK, 0, HOLO_TIME_NONE);
  return base->reset == NULL || base->reset (task, error);
}

static void
epoch_finalize (GObject *object)
{
  GObjectClass *base = g_type_class_peek (kind_of (object)->base_task);

  g_clear_object (&state_of (object)->staged);
  base->finalize (object);
}

static void
epoch_task_class_init (gpointer klass, gpointer data)
{
  G_OBJECT_CLASS (klass)->finalize = epoch_finalize;
  HOLO_TASK_CLASS (klass)->reset = epoch_reset;
  HOLO_TASK_CLASS (klass)->commit = epoch_commit;
  HOLO_TASK_CLASS (klass)->rollback = epoch_rollback;
  if (HOLO_IS_ASYNC_TASK_CLASS (klass))
    {
      HOLO_ASYNC_TASK_CLASS (klass)->try_push = epoch_try_push;
      HOLO_ASYNC_TASK_CLASS (klass)->try_pop = epoch_try_pop;
      HOLO_ASYNC_TASK_CLASS (klass)->end_of_input = epoch_end_of_input;
      HOLO_ASYNC_TASK_CLASS (klass)->end_of_output = epoch_end_of_output;
    }
  else
    HOLO_SYNC_TASK_CLASS (klass)->execute = epoch_execute;
}

static void
epoch_factory_class_init (gpointer klass, gpointer data)
{
  const Kind *kind = data;

  holo_settings_install_int64 (klass, "epoch", "Number of the update", NULL, 0, G_MAXINT32, 0, HOLO_SETTING_LIVE,
                               (gsize) kind->settings + G_STRUCT_OFFSET (Settings, epoch));
  holo_settings_install_int64 (klass, "id", "Number in the log", NULL, 0, OPERATION_MAX_IDS - 1, 0, HOLO_SETTING_NONE,
                               kind->settings + G_STRUCT_OFFSET (Settings, id));
  holo_settings_install_boolean (klass, "renew", "An update makes a new task", FALSE, HOLO_SETTING_NONE,
                                 kind->settings + G_STRUCT_OFFSET (Settings, renew));
  if (HOLO_IS_ASYNC_TASK_FACTORY_CLASS (klass))
    {
      ((TestAsyncFactoryClass *) klass)->task_type = kind->task;
      HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->create = epoch_create_async;
      HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->update = epoch_update_async;
    }
  else
    {
      ((TestSyncFactoryClass *) klass)->task_type = kind->task;
      HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = epoch_create_sync;
      HOLO_SYNC_TASK_FACTORY_CLASS (klass)->update = epoch_update_sync;
    }
}

/* ---- types ---- */

/* A type like @base with @size more bytes at the end, which begin at @offset. */
static GType
derive (Kind *kind, GType base, const gchar *what, gsize size, gsize *offset, GClassInitFunc class_init)
{
  g_autofree gchar *name = g_strconcat ("TestEpoch", kind->name, what, NULL);
  GTypeInfo info = { .class_init = class_init, .class_data = kind };
  GTypeQuery query;
  GType type;

  g_type_query (base, &query);
  *offset = (query.instance_size + 7u) & ~7u;
  info.class_size = (guint16) query.class_size;
  info.instance_size = (guint16) (*offset + size);
  type = g_type_register_static (base, name, &info, 0);
  g_type_set_qdata (type, kind_quark (), kind);
  return type;
}

static void
add_kind (HoloRegistry *registry, const gchar *name, GType base, gboolean is_async)
{
  g_autofree gchar *label = g_strconcat ("Epoch", name, NULL);
  gpointer base_class = g_type_class_ref (base); /* for good */
  Kind *kind = g_new0 (Kind, 1);

  kind->name = g_intern_string (name);
  kind->base = base;
  kind->base_task =
      is_async ? ((TestAsyncFactoryClass *) base_class)->task_type : ((TestSyncFactoryClass *) base_class)->task_type;
  kind->adds_epoch = !is_async && !HOLO_SYNC_TASK_FACTORY_CLASS (base_class)->creates_device_tasks;
  g_type_class_ref (kind->base_task);
  kind->task = derive (kind, kind->base_task, "Task", sizeof (State), &kind->state, epoch_task_class_init);
  kind->factory = derive (kind, base, "Factory", sizeof (Settings), &kind->settings, epoch_factory_class_init);
  if (is_async)
    holo_registry_register_async (registry, g_intern_string (label), kind->factory, NULL);
  else
    holo_registry_register_sync (registry, g_intern_string (label), kind->factory, NULL);
}

#define DECLARE(kind, name)   GType test_##name##_factory_get_type (void);
#define ADD_SYNC(kind, name)  add_kind (registry, kind, test_##name##_factory_get_type (), FALSE);
#define ADD_ASYNC(kind, name) add_kind (registry, kind, test_##name##_factory_get_type (), TRUE);

TEST_EPOCH_SYNC_KINDS (DECLARE)
TEST_EPOCH_ASYNC_KINDS (DECLARE)

void
test_kinds_add_epoch (HoloRegistry *registry)
{
  TEST_EPOCH_SYNC_KINDS (ADD_SYNC)
  TEST_EPOCH_ASYNC_KINDS (ADD_ASYNC)
}
