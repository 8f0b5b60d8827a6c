/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test-kinds.h"

#include <string.h>

#include "hb-checker.h"

static gint n_created, n_updated, fail_create, fail_update;

static gboolean
may_go_on (gint *count, gint *fail, const gchar *what, GError **error)
{
  g_atomic_int_inc (count);
  if (g_atomic_int_get (fail) <= 0 || !g_atomic_int_dec_and_test (fail))
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_FAILED, "the test made this %s fail", what);
  return FALSE;
}

/* ---- bases: a factory that makes tasks of one type; tasks that know their factory ---- */

typedef struct
{
  HoloTaskFactory *factory;
  HoloInference inference;
  HoloDevice *device;
  gboolean had_stream;
  gint n_calls, n_pushes, n_pops, n_push_refusals, n_pop_refusals;
} TestTaskCommon;

typedef struct
{
  HoloSyncTask parent_instance;
  TestTaskCommon common;
} TestSyncTask;
typedef struct
{
  HoloSyncTaskClass parent_class;
} TestSyncTaskClass;
static GType test_sync_task_get_type (void);
G_DEFINE_ABSTRACT_TYPE (TestSyncTask, test_sync_task, HOLO_TYPE_SYNC_TASK)

typedef struct
{
  HoloAsyncTask parent_instance;
  TestTaskCommon common;
} TestAsyncTask;
typedef struct
{
  HoloAsyncTaskClass parent_class;
  gboolean (*prepare) (TestAsyncTask *task, GError **error);
} TestAsyncTaskClass;
static GType test_async_task_get_type (void);
G_DEFINE_ABSTRACT_TYPE (TestAsyncTask, test_async_task, HOLO_TYPE_ASYNC_TASK)

typedef struct
{
  HoloSyncTaskFactory parent_instance;
} TestSyncFactory;
typedef struct
{
  HoloSyncTaskFactoryClass parent_class;
  GType task_type;
} TestSyncFactoryClass;
static GType test_sync_factory_get_type (void);
G_DEFINE_ABSTRACT_TYPE (TestSyncFactory, test_sync_factory, HOLO_TYPE_SYNC_TASK_FACTORY)

typedef struct
{
  HoloAsyncTaskFactory parent_instance;
} TestAsyncFactory;
typedef struct
{
  HoloAsyncTaskFactoryClass parent_class;
  GType task_type;
} TestAsyncFactoryClass;
static GType test_async_factory_get_type (void);
G_DEFINE_ABSTRACT_TYPE (TestAsyncFactory, test_async_factory, HOLO_TYPE_ASYNC_TASK_FACTORY)

static void
common_init (TestTaskCommon *common, HoloTaskFactory *factory, const HoloInference *inference, HoloDevice *device,
             gboolean had_stream)
{
  common->factory = g_object_ref (factory);
  holo_inference_copy (&common->inference, inference);
  common->device = device;
  common->had_stream = had_stream;
}

static void
common_clear (TestTaskCommon *common)
{
  g_clear_object (&common->factory);
  holo_inference_clear (&common->inference);
}

static void
test_sync_task_finalize (GObject *object)
{
  common_clear (&((TestSyncTask *) object)->common);
  G_OBJECT_CLASS (test_sync_task_parent_class)->finalize (object);
}

static void
test_sync_task_class_init (TestSyncTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_sync_task_finalize;
}

static void
test_sync_task_init (TestSyncTask *task)
{
}

static void
test_async_task_finalize (GObject *object)
{
  common_clear (&((TestAsyncTask *) object)->common);
  G_OBJECT_CLASS (test_async_task_parent_class)->finalize (object);
}

static void
test_async_task_class_init (TestAsyncTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_async_task_finalize;
}

static void
test_async_task_init (TestAsyncTask *task)
{
}

static HoloSyncTask *
test_sync_factory_create (HoloSyncTaskFactory *factory, const HoloInference *inference,
                          const HoloSyncCreateContext *context, GError **error)
{
  TestSyncFactoryClass *klass = G_TYPE_INSTANCE_GET_CLASS (factory, test_sync_factory_get_type (), TestSyncFactoryClass);
  TestSyncTask *task;

  if (!may_go_on (&n_created, &fail_create, "create", error))
    return NULL;
  task = g_object_new (klass->task_type, NULL);
  common_init (&task->common, HOLO_TASK_FACTORY (factory), inference, context->device, context->stream != NULL);
  return HOLO_SYNC_TASK (task);
}

static HoloSyncTask *
test_sync_factory_update (HoloSyncTaskFactory *factory, HoloSyncTask *old, const HoloInference *old_inference,
                          const HoloInference *inference, const HoloSyncCreateContext *context, GError **error)
{
  if (!may_go_on (&n_updated, &fail_update, "update", error))
    return NULL;
  return holo_sync_task_factory_create (factory, inference, context, error);
}

static void
test_sync_factory_class_init (TestSyncFactoryClass *klass)
{
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->create = test_sync_factory_create;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->update = test_sync_factory_update;
}

static void
test_sync_factory_init (TestSyncFactory *factory)
{
}

static HoloAsyncTask *
test_async_factory_create (HoloAsyncTaskFactory *factory, const HoloInference *inference,
                           const HoloAsyncCreateContext *context, GError **error)
{
  TestAsyncFactoryClass *klass
      = G_TYPE_INSTANCE_GET_CLASS (factory, test_async_factory_get_type (), TestAsyncFactoryClass);
  TestAsyncTaskClass *task_class;
  TestAsyncTask *task;

  if (!may_go_on (&n_created, &fail_create, "create", error))
    return NULL;
  task = g_object_new (klass->task_type, NULL);
  common_init (&task->common, HOLO_TASK_FACTORY (factory), inference, context->device,
               (context->producer_stream != NULL || holo_inference_get_n_inputs (inference) == 0)
                   && (context->consumer_stream != NULL || holo_inference_get_n_outputs (inference) == 0)
                   && context->producer_stream != context->consumer_stream);
  task_class = G_TYPE_INSTANCE_GET_CLASS (task, test_async_task_get_type (), TestAsyncTaskClass);
  if (task_class->prepare != NULL && !task_class->prepare (task, error))
    g_clear_object (&task);
  return (HoloAsyncTask *) task;
}

static HoloAsyncTask *
test_async_factory_update (HoloAsyncTaskFactory *factory, HoloAsyncTask *old, const HoloInference *old_inference,
                           const HoloInference *inference, const HoloAsyncCreateContext *context, GError **error)
{
  if (!may_go_on (&n_updated, &fail_update, "update", error))
    return NULL;
  return holo_async_task_factory_create (factory, inference, context, error);
}

static void
test_async_factory_class_init (TestAsyncFactoryClass *klass)
{
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->create = test_async_factory_create;
  HOLO_ASYNC_TASK_FACTORY_CLASS (klass)->update = test_async_factory_update;
}

static void
test_async_factory_init (TestAsyncFactory *factory)
{
}

/* Defines TestNameFactory (with FIELDS) and TestNameTask (with STATE); the caller writes the two class_init functions. */
#define DEFINE_KIND(Name, name, sync, SYNC, FIELDS, STATE)                                                            \
  typedef struct                                                                                                      \
  {                                                                                                                   \
    Test##sync##Factory parent_instance;                                                                              \
    FIELDS                                                                                                            \
  } Test##Name##Factory;                                                                                              \
  typedef struct                                                                                                      \
  {                                                                                                                   \
    Test##sync##FactoryClass parent_class;                                                                            \
  } Test##Name##FactoryClass;                                                                                         \
  static GType test_##name##_factory_get_type (void);                                                                 \
  G_DEFINE_TYPE (Test##Name##Factory, test_##name##_factory, test_##SYNC##_factory_get_type ())                       \
  typedef struct                                                                                                      \
  {                                                                                                                   \
    Test##sync##Task parent_instance;                                                                                 \
    STATE                                                                                                             \
  } Test##Name##Task;                                                                                                 \
  typedef struct                                                                                                      \
  {                                                                                                                   \
    Test##sync##TaskClass parent_class;                                                                               \
  } Test##Name##TaskClass;                                                                                            \
  static GType test_##name##_task_get_type (void);                                                                    \
  G_DEFINE_TYPE (Test##Name##Task, test_##name##_task, test_##SYNC##_task_get_type ())                                \
  static void test_##name##_factory_init (Test##Name##Factory *factory)                                               \
  {                                                                                                                   \
  }                                                                                                                   \
  static void test_##name##_task_init (Test##Name##Task *task)                                                        \
  {                                                                                                                   \
  }

#define DEFINE_SYNC_KIND(Name, name, FIELDS, STATE) DEFINE_KIND (Name, name, Sync, sync, FIELDS, STATE)
#define DEFINE_ASYNC_KIND(Name, name, FIELDS, STATE) DEFINE_KIND (Name, name, Async, async, FIELDS, STATE)

static void
declare (gpointer klass, GType task_type, const gchar *summary, guint n_inputs, guint n_outputs, guint places)
{
  static const gchar *const names[] = { "a", "b" };

  for (guint i = 0; i < n_inputs; i++)
    holo_task_factory_class_add_input (klass, names[i], HOLO_DTYPES (F32), places, 1, 4, HOLO_SLOT_DENSE, NULL);
  for (guint i = 0; i < n_outputs; i++)
    holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES (F32), places, 1, 4, HOLO_SLOT_NONE, NULL);
  holo_task_factory_class_set_description (klass, summary, NULL);
  if (HOLO_IS_ASYNC_TASK_FACTORY_CLASS (klass))
    ((TestAsyncFactoryClass *) klass)->task_type = task_type;
  else
    ((TestSyncFactoryClass *) klass)->task_type = task_type;
}

static gfloat *
floats (HoloTensorView *view)
{
  return holo_tensor_view_get_data (view);
}

static guint
length_of (HoloTensorView *view)
{
  return (guint) holo_tensor_desc_count (&view->desc);
}

static void
count_call (gpointer task)
{
  g_atomic_int_inc (&((TestSyncTask *) task)->common.n_calls);
}

/* A dense tensor of the shape and place of input 0. */
static HoloInferredOutput *
add_output_like_input (HoloInference *inference)
{
  HoloTensorDesc desc;

  holo_tensor_desc_init_dense_like (&desc, holo_inference_get_input_desc (inference, 0));
  return holo_inference_add_output (inference, &desc);
}

static gboolean
infer_like_input (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  add_output_like_input (inference);
  return TRUE;
}

static gboolean
infer_in_place (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloInferredOutput *output = add_output_like_input (inference);

  output->in_place = HOLO_IN_PLACE_MAY;
  output->in_place_input = 0;
  return TRUE;
}

static gboolean
infer_sink (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  return TRUE;
}

/* ---- VectorSource, SequenceSource ---- */

DEFINE_SYNC_KIND (VectorSource, vector_source, GArray *values; gchar * label;, )
DEFINE_SYNC_KIND (SequenceSource, sequence_source, GArray *base; gint64 end;, gint64 frame;)

static gboolean
add_vector_output (HoloInference *inference, GArray *values, GError **error)
{
  gint64 shape[] = { values != NULL ? values->len : 0 };
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  holo_inference_add_output (inference, &desc);
  return TRUE;
}

static gboolean
vector_source_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  return add_vector_output (inference, ((TestVectorSourceFactory *) factory)->values, error);
}

static void
fill (HoloTensorView *view, GArray *base, gint64 n)
{
  for (guint i = 0; i < length_of (view); i++)
    floats (view)[i] = (gfloat) (g_array_index (base, gdouble, i) + (gdouble) n);
}

static HoloOpResult
vector_source_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  count_call (task);
  fill (context->outputs[0], ((TestVectorSourceFactory *) ((TestSyncTask *) task)->common.factory)->values, 0);
  return HOLO_OP_OK;
}

static void
test_vector_source_task_class_init (TestVectorSourceTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = vector_source_execute;
}

static void
test_vector_source_factory_class_init (TestVectorSourceFactoryClass *klass)
{
  declare (klass, test_vector_source_task_get_type (), "The same vector for ever", 0, 1, HOLO_MEM_LOCS_HOST);
  holo_settings_install_double_array (klass, "values", "Elements", NULL, -G_MAXDOUBLE, G_MAXDOUBLE,
                                      HOLO_SETTING_REQUIRED, G_STRUCT_OFFSET (TestVectorSourceFactory, values));
  holo_settings_install_string (klass, "label", "For pictures", NULL, HOLO_SETTING_NULLABLE,
                                G_STRUCT_OFFSET (TestVectorSourceFactory, label));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = vector_source_infer;
}

static gboolean
sequence_source_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  return add_vector_output (inference, ((TestSequenceSourceFactory *) factory)->base, error);
}

static HoloOpResult
sequence_source_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestSequenceSourceTask *self = (TestSequenceSourceTask *) task;
  TestSequenceSourceFactory *factory = (TestSequenceSourceFactory *) self->parent_instance.common.factory;

  count_call (task);
  if (factory->end >= 0 && self->frame >= factory->end)
    return HOLO_OP_EOF;
  fill (context->outputs[0], factory->base, self->frame);
  context->outputs[0]->stamp.seq = (guint64) self->frame;
  context->outputs[0]->stamp.first = context->outputs[0]->stamp.last = (guint64) self->frame;
  self->frame++;
  return HOLO_OP_OK;
}

static gboolean
sequence_source_reset (HoloTask *task, GError **error)
{
  ((TestSequenceSourceTask *) task)->frame = 0;
  return TRUE;
}

static void
test_sequence_source_task_class_init (TestSequenceSourceTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = sequence_source_execute;
  HOLO_TASK_CLASS (klass)->reset = sequence_source_reset;
}

static void
test_sequence_source_factory_class_init (TestSequenceSourceFactoryClass *klass)
{
  declare (klass, test_sequence_source_task_get_type (), "Numbered vectors", 0, 1, HOLO_MEM_LOCS_HOST);
  holo_settings_install_double_array (klass, "base", "Elements of frame 0", NULL, -G_MAXDOUBLE, G_MAXDOUBLE,
                                      HOLO_SETTING_REQUIRED, G_STRUCT_OFFSET (TestSequenceSourceFactory, base));
  holo_settings_install_int64 (klass, "end", "Frames, -1 for no end", "frames", -1, G_MAXINT64, -1, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestSequenceSourceFactory, end));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = sequence_source_infer;
}

/* ---- element-wise ---- */

DEFINE_SYNC_KIND (Add, add, , )
DEFINE_SYNC_KIND (Scale, scale, gdouble factor;, gboolean has_factor; gfloat factor; gboolean staged; gfloat next_factor;)
DEFINE_SYNC_KIND (Bump, bump, gdouble amount;, )
DEFINE_SYNC_KIND (View, view, gint64 skip;, )
DEFINE_SYNC_KIND (Sum, sum, , gfloat * total; guint length;)

static gboolean
add_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const HoloTensorDesc *a = holo_inference_get_input_desc (inference, 0);
  const HoloTensorDesc *b = holo_inference_get_input_desc (inference, 1);

  if (!holo_tensor_desc_same_shape (a, b) || a->mem_loc != b->mem_loc)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "the inputs differ in shape or place");
      return FALSE;
    }
  return infer_in_place (factory, inference, error);
}

static HoloOpResult
add_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  count_call (task);
  for (guint i = 0; i < length_of (context->outputs[0]); i++)
    floats (context->outputs[0])[i] = floats (context->inputs[0])[i] + floats (context->inputs[1])[i];
  return HOLO_OP_OK;
}

static void
test_add_task_class_init (TestAddTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = add_execute;
}

static void
test_add_factory_class_init (TestAddFactoryClass *klass)
{
  declare (klass, test_add_task_get_type (), "Sum of two tensors", 2, 1, HOLO_MEM_LOCS_ANY);
  HOLO_TASK_FACTORY_CLASS (klass)->infer = add_infer;
}

static HoloOpResult
scale_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestScaleTask *self = (TestScaleTask *) task;
  gfloat factor = self->has_factor ? self->factor
                                   : (gfloat) ((TestScaleFactory *) self->parent_instance.common.factory)->factor;

  count_call (task);
  for (guint i = 0; i < length_of (context->outputs[0]); i++)
    floats (context->outputs[0])[i] = floats (context->inputs[0])[i] * factor;
  return HOLO_OP_OK;
}

static void
scale_commit (HoloTask *task)
{
  TestScaleTask *self = (TestScaleTask *) task;

  if (!self->staged)
    return;
  self->factor = self->next_factor;
  self->has_factor = TRUE;
  self->staged = FALSE;
}

static void
scale_rollback (HoloTask *task)
{
  ((TestScaleTask *) task)->staged = FALSE;
}

/* Keeps the task when only the factor changes, which it takes into use at the commit. */
static HoloSyncTask *
scale_update (HoloSyncTaskFactory *factory, HoloSyncTask *old, const HoloInference *old_inference,
              const HoloInference *inference, const HoloSyncCreateContext *context, GError **error)
{
  TestScaleTask *task = (TestScaleTask *) old;

  if (!may_go_on (&n_updated, &fail_update, "update", error))
    return NULL;
  /* never the task that a device made for this kind */
  g_assert (old == NULL || G_TYPE_CHECK_INSTANCE_TYPE (old, test_scale_task_get_type ()));
  if (old == NULL
      || !holo_tensor_desc_equal (holo_inference_get_input_desc (old_inference, 0),
                                  holo_inference_get_input_desc (inference, 0)))
    return holo_sync_task_factory_create (factory, inference, context, error);
  task->next_factor = (gfloat) ((TestScaleFactory *) factory)->factor;
  task->staged = TRUE;
  return g_object_ref (old);
}

static void
test_scale_task_class_init (TestScaleTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = scale_execute;
  HOLO_TASK_CLASS (klass)->commit = scale_commit;
  HOLO_TASK_CLASS (klass)->rollback = scale_rollback;
}

static void
test_scale_factory_class_init (TestScaleFactoryClass *klass)
{
  declare (klass, test_scale_task_get_type (), "Product with a number", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_double (klass, "factor", "Factor", NULL, -1e6, 1e6, 1, HOLO_SETTING_LIVE,
                                G_STRUCT_OFFSET (TestScaleFactory, factor));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = infer_in_place;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->update = scale_update;
}

static gboolean
bump_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloInferredOutput *output = holo_inference_add_output (inference, holo_inference_get_input_desc (inference, 0));

  output->in_place = HOLO_IN_PLACE_MUST;
  output->in_place_input = 0;
  return TRUE;
}

static HoloOpResult
bump_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  gfloat amount = (gfloat) ((TestBumpFactory *) ((TestSyncTask *) task)->common.factory)->amount;

  count_call (task);
  if (floats (context->inputs[0]) != floats (context->outputs[0]))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "input and output are not in one place");
      return HOLO_OP_ERROR;
    }
  for (guint i = 0; i < length_of (context->outputs[0]); i++)
    floats (context->outputs[0])[i] += amount;
  return HOLO_OP_OK;
}

static void
test_bump_task_class_init (TestBumpTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = bump_execute;
}

static void
test_bump_factory_class_init (TestBumpFactoryClass *klass)
{
  declare (klass, test_bump_task_get_type (), "Adds a number in place", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_double (klass, "amount", "Amount", NULL, -1e6, 1e6, 1, HOLO_SETTING_NONE,
                                G_STRUCT_OFFSET (TestBumpFactory, amount));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = bump_infer;
}

static gboolean
view_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloTensorDesc desc = *holo_inference_get_input_desc (inference, 0);
  gint64 skip = ((TestViewFactory *) factory)->skip;
  HoloInferredOutput *output;

  if (skip > desc.shape[0])
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_INFERENCE, "there are fewer than %" G_GINT64_FORMAT " elements", skip);
      return FALSE;
    }
  desc.shape[0] -= skip;
  desc.offset += skip * desc.strides[0];
  output = holo_inference_add_output (inference, &desc);
  output->in_place = HOLO_IN_PLACE_VIEW;
  output->in_place_input = 0;
  return TRUE;
}

static HoloOpResult
view_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  count_call (task);
  return HOLO_OP_OK;
}

static void
test_view_task_class_init (TestViewTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = view_execute;
}

static void
test_view_factory_class_init (TestViewFactoryClass *klass)
{
  declare (klass, test_view_task_get_type (), "A part of a tensor, without a copy", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_int64 (klass, "skip", "Elements left out", "elements", 0, G_MAXINT, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestViewFactory, skip));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = view_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE; /* does nothing anywhere */
}

static HoloOpResult
sum_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestSumTask *self = (TestSumTask *) task;

  count_call (task);
  if (self->total == NULL)
    {
      self->length = length_of (context->outputs[0]);
      self->total = g_new0 (gfloat, self->length + 1);
    }
  for (guint i = 0; i < self->length; i++)
    floats (context->outputs[0])[i] = self->total[i] += floats (context->inputs[0])[i];
  return HOLO_OP_OK;
}

static gboolean
sum_reset (HoloTask *task, GError **error)
{
  TestSumTask *self = (TestSumTask *) task;

  if (self->total != NULL)
    memset (self->total, 0, self->length * sizeof *self->total);
  return TRUE;
}

static void
sum_finalize (GObject *object)
{
  g_free (((TestSumTask *) object)->total);
  G_OBJECT_CLASS (test_sum_task_parent_class)->finalize (object);
}

static void
test_sum_task_class_init (TestSumTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sum_finalize;
  HOLO_SYNC_TASK_CLASS (klass)->execute = sum_execute;
  HOLO_TASK_CLASS (klass)->reset = sum_reset;
}

static void
test_sum_factory_class_init (TestSumFactoryClass *klass)
{
  declare (klass, test_sum_task_get_type (), "Running sum", 1, 1, HOLO_MEM_LOCS_ANY);
  HOLO_TASK_FACTORY_CLASS (klass)->infer = infer_like_input;
}

/* ---- copies that decide on the host: EndAt, FailAt, Transfer, Gate, Random ---- */

DEFINE_SYNC_KIND (EndAt, end_at, gint64 frames;, gint64 frame;)
DEFINE_SYNC_KIND (FailAt, fail_at, gint64 at; gchar *result;, gint64 frame;)
DEFINE_SYNC_KIND (Transfer, transfer, gchar *target;, )
DEFINE_SYNC_KIND (Gate, gate, , )
DEFINE_SYNC_KIND (Random, random, gint64 max_us; gint64 seed;, GRand * rand;)

static HoloOpResult
pass (gpointer task, HoloSyncContext *context, GError **error)
{
  HoloDevice *device = ((TestSyncTask *) task)->common.device;
  gboolean on_host = context->inputs[0]->desc.mem_loc == HOLO_MEM_LOC_HOST
                     && context->outputs[0]->desc.mem_loc == HOLO_MEM_LOC_HOST;

  count_call (task);
  if (on_host)
    {
      holo_tensor_copy_elements (floats (context->outputs[0]), &context->outputs[0]->desc, floats (context->inputs[0]),
                                 &context->inputs[0]->desc);
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
  declare (klass, test_end_at_task_get_type (), "Ends after some frames", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_int64 (klass, "frames", "Frames that pass", "frames", 0, G_MAXINT, 1, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestEndAtFactory, frames));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = infer_like_input;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE;
}

static HoloOpResult
give_result (const gchar *name, GError **error)
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
    return give_result (factory->result, error);
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
  declare (klass, test_fail_at_task_get_type (), "Fails at some frame", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_int64 (klass, "frame", "Frame that fails", NULL, 0, G_MAXINT, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestFailAtFactory, at));
  holo_settings_install_string (klass, "result", "How it fails", "error", HOLO_SETTING_NONE,
                                G_STRUCT_OFFSET (TestFailAtFactory, result));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = infer_like_input;
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
  declare (klass, test_transfer_task_get_type (), "Copies to host or device", 1, 1, HOLO_MEM_LOCS_ANY);
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
  declare (klass, test_gate_task_get_type (), "Blocks until it is opened", 1, 1, HOLO_MEM_LOCS_ANY);
  HOLO_TASK_FACTORY_CLASS (klass)->infer = infer_like_input;
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
  declare (klass, test_random_task_get_type (), "Passes frames after a random time", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_int64 (klass, "max-us", "Longest time", "us", 0, G_MAXINT, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestRandomFactory, max_us));
  holo_settings_install_int64 (klass, "seed", "Seed", NULL, 0, G_MAXUINT32, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestRandomFactory, seed));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = infer_like_input;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE;
}

/* ---- Collect, HistoryCollect ---- */

#define COLLECT_STATE                                                                                                 \
  GMutex lock;                                                                                                        \
  GPtrArray *frames;                                                                                                  \
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
static GType test_collect_factory_get_type (void);
G_DEFINE_TYPE (TestCollectFactory, test_collect_factory, test_history_factory_get_type ())

static HoloOpResult
history_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestHistoryTask *self = (TestHistoryTask *) task;
  HoloTaskFactory *factory = self->parent_instance.common.factory;
  gboolean only_one = G_TYPE_CHECK_INSTANCE_TYPE (factory, test_collect_factory_get_type ());
  gint64 count = only_one ? 1 : ((TestHistoryFactory *) factory)->count;
  HoloTensorView *view = context->inputs[0];
  GArray *frame = g_array_sized_new (FALSE, FALSE, sizeof (gfloat), length_of (view));
  gboolean last;

  count_call (task);
  if (!holo_tensor_desc_is_empty (&view->desc))
    g_array_append_vals (frame, floats (view), length_of (view));
  g_mutex_lock (&self->lock);
  if (self->frames == NULL)
    self->frames = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_ptr_array_add (self->frames, frame);
  self->last_address = floats (view);
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
  declare (klass, test_history_task_get_type (), "Keeps frames", 1, 0, HOLO_MEM_LOCS_HOST);
  holo_settings_install_int64 (klass, "count", "Frames to keep, 0 for no end", "frames", 0, G_MAXINT, 0,
                               HOLO_SETTING_NONE, G_STRUCT_OFFSET (TestHistoryFactory, count));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = infer_sink;
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
  count_call (task);
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
  declare (klass, test_null_task_get_type (), "Takes frames and keeps nothing", 1, 0, HOLO_MEM_LOCS_HOST);
  HOLO_TASK_FACTORY_CLASS (klass)->infer = infer_sink;
}

/* ---- Bridge ---- */

DEFINE_ASYNC_KIND (Bridge, bridge, gint64 seed; gint64 max_yields; gint64 forced_push; gint64 forced_pop;
                   gint64 forced_every; gboolean synchronizes;
                   , guint first_push; GMutex lock; GArray * slot; gboolean full; gboolean input_ended; gboolean output_ended;
                   HoloStamp stamp; guint push_calls; guint pop_calls;)

static gboolean
bridge_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloInferredOutput *output = add_output_like_input (inference);

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

  count_call (task);
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
        g_array_append_vals (self->slot, floats (view), length_of (view));
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

  count_call (task);
  if (bridge_disturb (self, self->pop_calls++, ((TestBridgeFactory *) self->parent_instance.common.factory)->forced_pop))
    {
      g_atomic_int_inc (&self->parent_instance.common.n_pop_refusals);
      return HOLO_OP_NOT_READY;
    }
  g_mutex_lock (&self->lock);
  if (self->full)
    {
      if (self->slot->len > 0)
        memcpy (floats (view), self->slot->data, self->slot->len * sizeof (gfloat));
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
  declare (klass, test_bridge_task_get_type (), "A mailbox that refuses on purpose", 1, 1, HOLO_MEM_LOCS_HOST);
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

/* ---- TestQueue and TestBatch: a ring of slots on host or device ---- */

typedef struct
{
  HoloStorage storage;
  HoloStamp stamp;
  HoloFence written; /* the writer's work */
  HoloFence read;    /* the readers' work */
} Slot;

#define RING_STATE                                                                                                    \
  GMutex lock;                                                                                                        \
  Slot *slots;                                                                                                        \
  guint n_slots;                                                                                                      \
  guint first;      /* slot that is popped next */                                                                    \
  guint n_full;     /* slots that can be popped */                                                                    \
  guint n_popped;   /* owned: 0 or 1, the one before first, not yet released */                                       \
  guint n_gathered; /* batch: frames in the slot behind the full ones */                                              \
  gboolean acquired;                                                                                                  \
  guint n_given;    /* frames popped in this run */                                                                   \
  gboolean input_ended;                                                                                               \
  gboolean output_ended;

DEFINE_ASYNC_KIND (Queue, queue, gint64 capacity; gint64 limit; gchar * mode; gboolean fences; gboolean signals;
                   , RING_STATE)
DEFINE_ASYNC_KIND (Batch, batch, gint64 size; gint64 capacity;, RING_STATE)

/* A batch is a ring whose slots hold several frames. */
typedef TestQueueTask Ring;

/* What the lock orders is told to the checker, which sees the copies between tensors and slots. */
static void
ring_lock (Ring *self)
{
  g_mutex_lock (&self->lock);
  hb_observe (self);
}

static void
ring_unlock (Ring *self)
{
  hb_publish (self);
  g_mutex_unlock (&self->lock);
}

static gboolean
queue_is_owned (gpointer factory)
{
  return g_str_equal (((TestQueueFactory *) factory)->mode, "owned");
}

static gboolean
queue_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  TestQueueFactory *self = (TestQueueFactory *) factory;
  gboolean owned = queue_is_owned (self);
  /* a slot is read as it was written */
  HoloInferredOutput *output
      = owned ? holo_inference_add_output (inference, holo_inference_get_input_desc (inference, 0))
              : add_output_like_input (inference);

  output->held_max = (guint) self->capacity;
  output->owned = owned;
  output->writable = owned;
  holo_inference_get_input (inference, 0)->owned = owned;
  /* a copy by the host needs its tensor now: only slots that change hands, and copies on a stream, can go by fences */
  inference->handles_fences = self->fences && (owned || output->desc.mem_loc == HOLO_MEM_LOC_DEVICE);
  inference->signals_readiness = self->signals;
  return TRUE;
}

static gboolean
ring_prepare (Ring *self, guint n_slots, GError **error)
{
  const HoloTensorDesc *desc = holo_inference_get_output_desc (&self->parent_instance.common.inference, 0);
  HoloDevice *device = self->parent_instance.common.device;

  self->slots = g_new0 (Slot, n_slots);
  self->n_slots = n_slots;
  for (guint i = 0; i < n_slots; i++)
    {
      HoloStorage *storage = &self->slots[i].storage;

      storage->size = holo_tensor_desc_get_size (desc);
      storage->mem_loc = desc->mem_loc;
      storage->device = device;
      storage->data = holo_device_alloc (device, desc->mem_loc, storage->size, error);
      if (storage->data == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
queue_prepare (TestAsyncTask *task, GError **error)
{
  return ring_prepare ((Ring *) task, (guint) ((TestQueueFactory *) task->common.factory)->capacity, error);
}

static void
ring_free (Ring *self)
{
  for (guint i = 0; i < self->n_slots; i++)
    holo_device_free (self->parent_instance.common.device, self->slots[i].storage.mem_loc, self->slots[i].storage.data);
  g_free (self->slots);
}

static void
queue_finalize (GObject *object)
{
  ring_free ((Ring *) object);
  G_OBJECT_CLASS (test_queue_task_parent_class)->finalize (object);
}

static Slot *
slot_at (Ring *self, guint index)
{
  return &self->slots[(self->first + index) % self->n_slots];
}

/* Copies between a slot and a tensor of a section, in the order of the section's stream. */
static gboolean
ring_copy (Ring *self, HoloStream *stream, HoloTensorView *dst, HoloTensorView *src, const HoloFence *before,
           HoloFence *after, GError **error)
{
  TestTaskCommon *common = &self->parent_instance.common;

  if (src->desc.mem_loc == HOLO_MEM_LOC_HOST)
    {
      holo_tensor_copy_elements (floats (dst), &dst->desc, floats (src), &src->desc);
      return TRUE;
    }
  /* @src: of a task that handles fences the writer's work may still go on */
  if (!holo_stream_wait_fence (stream, before, error) || !holo_stream_wait_fence (stream, &src->fence, error)
      || !holo_device_copy (common->device, stream, dst, src, error))
    return FALSE;
  if (common->inference.handles_fences)
    return holo_stream_record (stream, after, error);
  return holo_stream_synchronize (stream, error);
}

/* A view of the part of @slot that frame number @part of a batch goes to, or of the whole slot. */
static void
slot_view (Slot *slot, const HoloTensorDesc *desc, guint part, HoloTensorView *view)
{
  holo_tensor_view_init (view, desc, &slot->storage);
  view->desc.offset = (gint64) (part * holo_tensor_desc_get_size (desc));
}

static HoloOpResult
count_result (Ring *self, HoloOpResult result, gboolean push)
{
  TestTaskCommon *common = &self->parent_instance.common;

  if (push)
    g_atomic_int_inc (result == HOLO_OP_OK ? &common->n_pushes : &common->n_push_refusals);
  else
    g_atomic_int_inc (result == HOLO_OP_OK ? &common->n_pops : &common->n_pop_refusals);
  return result;
}

static HoloOpResult
queue_acquire_input (HoloTask *task, guint index, HoloTensorView *view, GError **error)
{
  Ring *self = (Ring *) task;
  HoloOpResult result = HOLO_OP_NOT_READY;

  ring_lock (self);
  g_assert (!self->acquired);
  if (self->n_full + self->n_popped < self->n_slots)
    {
      Slot *slot = slot_at (self, self->n_full);

      self->acquired = TRUE;
      view->storage->data = slot->storage.data;
      view->fence = slot->read;
      result = HOLO_OP_OK;
    }
  ring_unlock (self);
  return result;
}

static void
queue_abort_input (HoloTask *task, guint index)
{
  Ring *self = (Ring *) task;

  ring_lock (self);
  g_assert (self->acquired);
  self->acquired = FALSE;
  ring_unlock (self);
}

static HoloOpResult
queue_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  Ring *self = (Ring *) task;
  HoloTensorView *view = context->inputs[0], to;
  HoloOpResult result = HOLO_OP_NOT_READY;
  Slot *slot;

  count_call (task);
  ring_lock (self);
  if (self->output_ended)
    result = HOLO_OP_EOF;
  else if (self->acquired)
    {
      slot = slot_at (self, self->n_full);
      g_assert (view->storage->data == slot->storage.data);
      slot->written = view->fence;
      result = HOLO_OP_OK;
    }
  else if (!queue_is_owned (self->parent_instance.common.factory) && self->n_full < self->n_slots)
    {
      slot = slot_at (self, self->n_full);
      slot_view (slot, &view->desc, 0, &to);
      holo_tensor_desc_init_dense_like (&to.desc, &view->desc);
      result = ring_copy (self, context->stream, &to, view, &slot->read, &slot->written, error) ? HOLO_OP_OK
                                                                                                : HOLO_OP_ERROR;
    }
  if (result == HOLO_OP_OK)
    {
      slot_at (self, self->n_full++)->stamp = view->stamp;
      self->acquired = FALSE;
    }
  ring_unlock (self);
  return count_result (self, result, TRUE);
}

static HoloOpResult
queue_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  Ring *self = (Ring *) task;
  HoloTensorView *view = context->outputs[0], from;
  TestQueueFactory *factory = (TestQueueFactory *) self->parent_instance.common.factory;
  gboolean owned = queue_is_owned (factory);
  HoloOpResult result = HOLO_OP_NOT_READY;

  count_call (task);
  ring_lock (self);
  g_assert (self->n_popped == 0);
  if (factory->limit > 0 && self->n_given >= factory->limit)
    {
      holo_task_add_discarded (HOLO_TASK (task), self->n_full);
      self->n_full = 0;
      self->output_ended = TRUE;
      result = HOLO_OP_EOF;
    }
  else if (self->n_full > 0)
    {
      self->n_given++;
      Slot *slot = slot_at (self, 0);

      view->stamp = slot->stamp;
      result = HOLO_OP_OK;
      if (owned)
        {
          view->storage->data = slot->storage.data;
          view->fence = slot->written;
          self->n_popped = 1;
        }
      else
        {
          slot_view (slot, &view->desc, 0, &from);
          if (!ring_copy (self, context->stream, view, &from, &slot->written, &slot->read, error))
            result = HOLO_OP_ERROR;
          view->fence = slot->read; /* the copy that it enqueues itself it fences itself */
        }
      self->first = (self->first + 1) % self->n_slots;
      self->n_full--;
    }
  else if (self->input_ended)
    result = HOLO_OP_EOF;
  ring_unlock (self);
  return count_result (self, result, FALSE);
}

static void
queue_release_output (HoloTask *task, guint index, const HoloFence *fence)
{
  Ring *self = (Ring *) task;

  ring_lock (self);
  g_assert (self->n_popped == 1);
  slot_at (self, self->n_slots - 1)->read = *fence;
  self->n_popped = 0;
  ring_unlock (self);
}

static void
ring_end_of_input (HoloAsyncTask *task)
{
  Ring *self = (Ring *) task;

  ring_lock (self);
  self->input_ended = TRUE;
  ring_unlock (self);
}

static void
ring_end_of_output (HoloAsyncTask *task)
{
  Ring *self = (Ring *) task;

  ring_lock (self);
  self->output_ended = TRUE;
  holo_task_add_discarded (HOLO_TASK (task), self->n_full);
  self->n_full = 0;
  ring_unlock (self);
}

static gboolean
ring_reset (HoloTask *task, GError **error)
{
  Ring *self = (Ring *) task;

  self->first = self->n_full = self->n_popped = self->n_gathered = self->n_given = 0;
  self->acquired = self->input_ended = self->output_ended = FALSE;
  for (guint i = 0; i < self->n_slots; i++)
    self->slots[i].written = self->slots[i].read = (HoloFence) HOLO_FENCE_INIT;
  return TRUE;
}

static void
test_queue_task_class_init (TestQueueTaskClass *klass)
{
  HoloTaskClass *task_class = HOLO_TASK_CLASS (klass);
  HoloAsyncTaskClass *async_class = HOLO_ASYNC_TASK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = queue_finalize;
  task_class->acquire_input = queue_acquire_input;
  task_class->abort_input = queue_abort_input;
  task_class->release_output = queue_release_output;
  task_class->reset = ring_reset;
  async_class->try_push = queue_try_push;
  async_class->try_pop = queue_try_pop;
  async_class->end_of_input = ring_end_of_input;
  async_class->end_of_output = ring_end_of_output;
  ((TestAsyncTaskClass *) klass)->prepare = queue_prepare;
}

static void
test_queue_factory_class_init (TestQueueFactoryClass *klass)
{
  declare (klass, test_queue_task_get_type (), "A queue by copies or by slots", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_int64 (klass, "capacity", "Frames held at most", "frames", 1, 4096, 2, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestQueueFactory, capacity));
  holo_settings_install_int64 (klass, "limit", "Frames before it ends by itself, 0 for no end", "frames", 0, G_MAXINT, 0,
                               HOLO_SETTING_NONE, G_STRUCT_OFFSET (TestQueueFactory, limit));
  holo_settings_install_string (klass, "mode", "copy or owned", "copy", HOLO_SETTING_NONE,
                                G_STRUCT_OFFSET (TestQueueFactory, mode));
  holo_settings_install_boolean (klass, "fences", "Passes fences on", FALSE, HOLO_SETTING_NONE,
                                 G_STRUCT_OFFSET (TestQueueFactory, fences));
  holo_settings_install_boolean (klass, "signals", "Needs no timer", TRUE, HOLO_SETTING_NONE,
                                 G_STRUCT_OFFSET (TestQueueFactory, signals));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = queue_infer;
}

static gboolean
batch_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  TestBatchFactory *self = (TestBatchFactory *) factory;
  const HoloTensorDesc *input = holo_inference_get_input_desc (inference, 0);
  gint64 shape[HOLO_MAX_RANK] = { self->size };
  HoloInferredOutput *output;
  HoloTensorDesc desc;

  memcpy (&shape[1], input->shape, input->rank * sizeof *shape);
  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, input->mem_loc, input->rank + 1, shape);
  output = holo_inference_add_output (inference, &desc);
  output->rate_d = (gint) self->size;
  output->held_min = (guint) self->size - 1;
  output->held_max = (guint) (self->size * self->capacity);
  inference->signals_readiness = TRUE;
  return TRUE;
}

static gboolean
batch_prepare (TestAsyncTask *task, GError **error)
{
  return ring_prepare ((Ring *) task, (guint) ((TestBatchFactory *) task->common.factory)->capacity, error);
}

static void
batch_finalize (GObject *object)
{
  ring_free ((Ring *) object);
  G_OBJECT_CLASS (test_batch_task_parent_class)->finalize (object);
}

static HoloOpResult
batch_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  Ring *self = (Ring *) task;
  guint size = (guint) ((TestBatchFactory *) self->parent_instance.common.factory)->size;
  HoloTensorView *view = context->inputs[0], to;
  HoloOpResult result = HOLO_OP_NOT_READY;

  count_call (task);
  ring_lock (self);
  if (self->output_ended)
    result = HOLO_OP_EOF;
  else if (self->n_full < self->n_slots)
    {
      Slot *slot = slot_at (self, self->n_full);
      HoloTensorDesc dense;

      holo_tensor_desc_init_dense_like (&dense, &view->desc);
      slot_view (slot, &dense, self->n_gathered, &to);
      result = ring_copy (self, context->stream, &to, view, &slot->read, &slot->written, error) ? HOLO_OP_OK
                                                                                                : HOLO_OP_ERROR;
      if (self->n_gathered == 0)
        slot->stamp = view->stamp;
      else
        holo_stamp_merge (&slot->stamp, &view->stamp);
      if (++self->n_gathered == size)
        {
          self->n_full++;
          self->n_gathered = 0;
        }
    }
  ring_unlock (self);
  return count_result (self, result, TRUE);
}

static HoloOpResult
batch_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  Ring *self = (Ring *) task;
  HoloTensorView *view = context->outputs[0], from;
  HoloOpResult result = HOLO_OP_NOT_READY;

  count_call (task);
  ring_lock (self);
  if (self->n_full > 0)
    {
      Slot *slot = slot_at (self, 0);

      slot_view (slot, &view->desc, 0, &from);
      view->stamp = slot->stamp;
      result = ring_copy (self, context->stream, view, &from, &slot->written, &slot->read, error) ? HOLO_OP_OK
                                                                                                  : HOLO_OP_ERROR;
      self->first = (self->first + 1) % self->n_slots;
      self->n_full--;
    }
  else if (self->input_ended)
    result = HOLO_OP_EOF;
  ring_unlock (self);
  return count_result (self, result, FALSE);
}

static void
batch_end_of_input (HoloAsyncTask *task)
{
  Ring *self = (Ring *) task;

  ring_lock (self);
  self->input_ended = TRUE;
  holo_task_add_discarded (HOLO_TASK (task), self->n_gathered);
  self->n_gathered = 0;
  ring_unlock (self);
}

static void
batch_end_of_output (HoloAsyncTask *task)
{
  Ring *self = (Ring *) task;
  guint size = (guint) ((TestBatchFactory *) self->parent_instance.common.factory)->size;

  ring_lock (self);
  self->output_ended = TRUE;
  holo_task_add_discarded (HOLO_TASK (task), self->n_full * size + self->n_gathered);
  self->n_full = self->n_gathered = 0;
  ring_unlock (self);
}

static void
test_batch_task_class_init (TestBatchTaskClass *klass)
{
  HoloAsyncTaskClass *async_class = HOLO_ASYNC_TASK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = batch_finalize;
  HOLO_TASK_CLASS (klass)->reset = ring_reset;
  async_class->try_push = batch_try_push;
  async_class->try_pop = batch_try_pop;
  async_class->end_of_input = batch_end_of_input;
  async_class->end_of_output = batch_end_of_output;
  ((TestAsyncTaskClass *) klass)->prepare = batch_prepare;
}

static void
test_batch_factory_class_init (TestBatchFactoryClass *klass)
{
  declare (klass, test_batch_task_get_type (), "Stacks frames", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_int64 (klass, "size", "Frames per batch", "frames", 1, 64, 2, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestBatchFactory, size));
  holo_settings_install_int64 (klass, "capacity", "Batches held at most", "batches", 1, 4096, 2, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestBatchFactory, capacity));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = batch_infer;
}

/* ---- Mailbox ---- */

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

  count_call (task);
  g_mutex_lock (&self->lock);
  if (self->full)
    {
      for (guint i = 0; i < length_of (context->outputs[0]); i++)
        floats (context->outputs[0])[i] = self->value;
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
  declare (klass, test_mailbox_task_get_type (), "A source that the test fills", 0, 1, HOLO_MEM_LOCS_HOST);
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

/* ---- Relay, OwnedSource, Result ---- */

DEFINE_SYNC_KIND (Relay, relay, , gfloat in[16]; gfloat out[16]; TestRelayReport report;)
DEFINE_SYNC_KIND (OwnedSource, owned_source, gint64 frames;, gint64 frame; gfloat out[2]; TestRelayReport report;)
DEFINE_SYNC_KIND (Result, result, gchar *result;, )

static gboolean
relay_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  infer_like_input (factory, inference, error);
  holo_inference_get_input (inference, 0)->owned = TRUE;
  holo_inference_get_output (inference, 0)->owned = TRUE;
  return TRUE;
}

/* The first call gives nothing, as a task does whose slots are all in use. */
static HoloOpResult
relay_acquire_input (HoloTask *task, guint index, HoloTensorView *view, GError **error)
{
  TestRelayTask *self = (TestRelayTask *) task;
  HoloStorage *storage = holo_task_get_input_storage (task, index, error);

  if (storage == NULL)
    return HOLO_OP_ERROR;
  if (self->report.n_acquires++ == 0)
    return HOLO_OP_NOT_READY;
  storage->data = self->in;
  return HOLO_OP_OK;
}

static void
relay_abort_input (HoloTask *task, guint index)
{
  ((TestRelayTask *) task)->report.n_aborts++;
}

static void
relay_release_output (HoloTask *task, guint index, const HoloFence *fence)
{
  ((TestRelayTask *) task)->report.n_releases++;
}

static gboolean
refuses_slot_1 (HoloTask *task)
{
  g_autoptr (GError) input_error = NULL;
  g_autoptr (GError) output_error = NULL;

  return holo_task_get_input_storage (task, 1, &input_error) == NULL
         && holo_task_get_output_storage (task, 1, &output_error) == NULL
         && g_error_matches (input_error, HOLO_ERROR, HOLO_ERROR_SLOT)
         && g_error_matches (output_error, HOLO_ERROR, HOLO_ERROR_SLOT);
}

static HoloOpResult
relay_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestRelayTask *self = (TestRelayTask *) task;
  HoloStorage *storage = holo_task_get_output_storage (HOLO_TASK (task), 0, error);

  count_call (task);
  if (storage == NULL)
    return HOLO_OP_ERROR;
  self->report.saw_own_input = floats (context->inputs[0]) == self->in;
  self->report.storage_checked = refuses_slot_1 (HOLO_TASK (task));
  for (guint i = 0; i < length_of (context->inputs[0]) && i < G_N_ELEMENTS (self->out); i++)
    self->out[i] = 2 * self->in[i];
  storage->data = self->out;
  self->report.output = self->out;
  return HOLO_OP_OK;
}

static void
test_relay_task_class_init (TestRelayTaskClass *klass)
{
  HOLO_TASK_CLASS (klass)->acquire_input = relay_acquire_input;
  HOLO_TASK_CLASS (klass)->abort_input = relay_abort_input;
  HOLO_TASK_CLASS (klass)->release_output = relay_release_output;
  HOLO_SYNC_TASK_CLASS (klass)->execute = relay_execute;
}

static void
test_relay_factory_class_init (TestRelayFactoryClass *klass)
{
  declare (klass, test_relay_task_get_type (), "Doubles from its own memory into its own memory", 1, 1,
           HOLO_MEM_LOCS_HOST);
  HOLO_TASK_FACTORY_CLASS (klass)->infer = relay_infer;
}

static gboolean
owned_source_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  const gint64 shape[] = { 2 };
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  holo_inference_add_output (inference, &desc)->owned = TRUE;
  return TRUE;
}

static HoloOpResult
owned_source_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestOwnedSourceTask *self = (TestOwnedSourceTask *) task;

  count_call (task);
  if (self->frame >= ((TestOwnedSourceFactory *) self->parent_instance.common.factory)->frames)
    return HOLO_OP_EOF;
  self->out[0] = 4 + (gfloat) self->frame;
  self->out[1] = 8 + (gfloat) self->frame;
  self->frame++;
  context->outputs[0]->storage->data = self->out;
  return HOLO_OP_OK;
}

static gboolean
owned_source_reset (HoloTask *task, GError **error)
{
  ((TestOwnedSourceTask *) task)->frame = 0;
  return TRUE;
}

static void
owned_source_release_output (HoloTask *task, guint index, const HoloFence *fence)
{
  ((TestOwnedSourceTask *) task)->report.n_releases++;
}

static void
test_owned_source_task_class_init (TestOwnedSourceTaskClass *klass)
{
  HOLO_TASK_CLASS (klass)->release_output = owned_source_release_output;
  HOLO_TASK_CLASS (klass)->reset = owned_source_reset;
  HOLO_SYNC_TASK_CLASS (klass)->execute = owned_source_execute;
}

static void
test_owned_source_factory_class_init (TestOwnedSourceFactoryClass *klass)
{
  declare (klass, test_owned_source_task_get_type (), "{4,8} and so on from its own memory", 0, 1, HOLO_MEM_LOCS_HOST);
  holo_settings_install_int64 (klass, "frames", "Frames before the end", "frames", 0, G_MAXINT, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestOwnedSourceFactory, frames));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = owned_source_infer;
}

void
test_relay_get_report (HoloTask *task, TestRelayReport *report)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (task, test_owned_source_task_get_type ()))
    *report = ((TestOwnedSourceTask *) task)->report;
  else
    *report = ((TestRelayTask *) task)->report;
}

static HoloOpResult
result_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  count_call (task);
  return give_result (((TestResultFactory *) ((TestSyncTask *) task)->common.factory)->result, error);
}

static void
test_result_task_class_init (TestResultTaskClass *klass)
{
  HOLO_SYNC_TASK_CLASS (klass)->execute = result_execute;
}

static void
test_result_factory_class_init (TestResultFactoryClass *klass)
{
  declare (klass, test_result_task_get_type (), "Returns what it is told to", 0, 0, HOLO_MEM_LOCS_HOST);
  holo_settings_install_string (klass, "result", "What to return", "eof", HOLO_SETTING_NONE,
                                G_STRUCT_OFFSET (TestResultFactory, result));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = infer_sink;
}

/* ---- all together ---- */

HoloRegistry *
test_kinds_get_registry (void)
{
  static HoloRegistry *registry;
  HoloRegistry *fresh;

  if (!g_once_init_enter (&registry))
    return registry;
  fresh = holo_registry_new ();
  holo_registry_add_builtin (fresh);
  /* names of the catalogue are not taken: "Add" there has other settings */
  holo_registry_register_sync (fresh, "VectorSource", test_vector_source_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "SequenceSource", test_sequence_source_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "TestAdd", test_add_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "Scale", test_scale_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "Bump", test_bump_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "View", test_view_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "Sum", test_sum_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "EndAt", test_end_at_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "FailAt", test_fail_at_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "Transfer", test_transfer_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "Gate", test_gate_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "Random", test_random_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "Collect", test_collect_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "HistoryCollect", test_history_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "Null", test_null_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "Relay", test_relay_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "OwnedSource", test_owned_source_factory_get_type (), NULL);
  holo_registry_register_sync (fresh, "Result", test_result_factory_get_type (), NULL);
  holo_registry_register_async (fresh, "Bridge", test_bridge_factory_get_type (), NULL);
  holo_registry_register_async (fresh, "TestQueue", test_queue_factory_get_type (), NULL);
  holo_registry_register_async (fresh, "TestBatch", test_batch_factory_get_type (), NULL);
  holo_registry_register_async (fresh, "Mailbox", test_mailbox_factory_get_type (), NULL);
  g_once_init_leave (&registry, fresh);
  return registry;
}

void
test_kinds_fail_create (guint n)
{
  g_atomic_int_set (&fail_create, (gint) n);
}

void
test_kinds_fail_update (guint n)
{
  g_atomic_int_set (&fail_update, (gint) n);
}

guint
test_kinds_get_n_created (void)
{
  return (guint) g_atomic_int_get (&n_created);
}

guint
test_kinds_get_n_updated (void)
{
  return (guint) g_atomic_int_get (&n_updated);
}

static TestTaskCommon *
common_of (HoloTask *task)
{
  if (HOLO_IS_ASYNC_TASK (task))
    return &((TestAsyncTask *) task)->common;
  return &((TestSyncTask *) task)->common;
}

guint
test_task_get_n_calls (HoloTask *task)
{
  return (guint) g_atomic_int_get (&common_of (task)->n_calls);
}

guint
test_task_get_n_pushes (HoloTask *task)
{
  return (guint) g_atomic_int_get (&common_of (task)->n_pushes);
}

guint
test_task_get_n_pops (HoloTask *task)
{
  return (guint) g_atomic_int_get (&common_of (task)->n_pops);
}

guint
test_task_get_n_push_refusals (HoloTask *task)
{
  return (guint) g_atomic_int_get (&common_of (task)->n_push_refusals);
}

guint
test_task_get_n_pop_refusals (HoloTask *task)
{
  return (guint) g_atomic_int_get (&common_of (task)->n_pop_refusals);
}

gboolean
test_task_had_stream (HoloTask *task)
{
  return common_of (task)->had_stream;
}
