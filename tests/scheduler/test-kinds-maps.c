/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds TestAdd, Scale, Bump, View and Sum. */
#include "test-kinds-private.h"

#include <string.h>

DEFINE_SYNC_KIND (Add, add, , )
DEFINE_SYNC_KIND (Scale, scale, gdouble factor;, gboolean has_factor; gfloat factor; gboolean staged;
                  gfloat next_factor;)
DEFINE_SYNC_KIND (Bump, bump, gdouble amount;, )
DEFINE_SYNC_KIND (View, view, gint64 skip;, )
DEFINE_SYNC_KIND (Sum, sum, , gfloat *total; guint length;)

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
  return test_infer_in_place (factory, inference, error);
}

static HoloOpResult
add_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  test_count_call (task);
  for (guint i = 0; i < test_length (context->outputs[0]); i++)
    test_floats (context->outputs[0])[i] = test_floats (context->inputs[0])[i] + test_floats (context->inputs[1])[i];
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
  test_kind_declare (klass, test_add_task_get_type (), "Sum of two tensors", 2, 1, HOLO_MEM_LOCS_ANY);
  HOLO_TASK_FACTORY_CLASS (klass)->infer = add_infer;
}

static HoloOpResult
scale_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestScaleTask *self = (TestScaleTask *) task;
  gfloat factor =
      self->has_factor ? self->factor : (gfloat) ((TestScaleFactory *) self->parent_instance.common.factory)->factor;

  test_count_call (task);
  for (guint i = 0; i < test_length (context->outputs[0]); i++)
    test_floats (context->outputs[0])[i] = test_floats (context->inputs[0])[i] * factor;
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

  if (!test_may_update (error))
    return NULL;
  /* never the task that a device made for this kind */
  g_assert (old == NULL || G_TYPE_CHECK_INSTANCE_TYPE (old, test_scale_task_get_type ()));
  if (old == NULL || !holo_tensor_desc_equal (holo_inference_get_input_desc (old_inference, 0),
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
  test_kind_declare (klass, test_scale_task_get_type (), "Product with a number", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_double (klass, "factor", "Factor", NULL, -1e6, 1e6, 1, HOLO_SETTING_LIVE,
                                G_STRUCT_OFFSET (TestScaleFactory, factor));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = test_infer_in_place;
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

  test_count_call (task);
  if (test_floats (context->inputs[0]) != test_floats (context->outputs[0]))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_TASK, "input and output are not in one place");
      return HOLO_OP_ERROR;
    }
  for (guint i = 0; i < test_length (context->outputs[0]); i++)
    test_floats (context->outputs[0])[i] += amount;
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
  test_kind_declare (klass, test_bump_task_get_type (), "Adds a number in place", 1, 1, HOLO_MEM_LOCS_ANY);
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
  test_count_call (task);
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
  test_kind_declare (klass, test_view_task_get_type (), "A part of a tensor, without a copy", 1, 1, HOLO_MEM_LOCS_ANY);
  holo_settings_install_int64 (klass, "skip", "Elements left out", "elements", 0, G_MAXINT, 0, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestViewFactory, skip));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = view_infer;
  HOLO_SYNC_TASK_FACTORY_CLASS (klass)->creates_device_tasks = TRUE; /* does nothing anywhere */
}

static HoloOpResult
sum_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  TestSumTask *self = (TestSumTask *) task;

  test_count_call (task);
  if (self->total == NULL)
    {
      self->length = test_length (context->outputs[0]);
      self->total = g_new0 (gfloat, self->length + 1);
    }
  for (guint i = 0; i < self->length; i++)
    test_floats (context->outputs[0])[i] = self->total[i] += test_floats (context->inputs[0])[i];
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
  test_kind_declare (klass, test_sum_task_get_type (), "Running sum", 1, 1, HOLO_MEM_LOCS_ANY);
  HOLO_TASK_FACTORY_CLASS (klass)->infer = test_infer_like_input;
}
