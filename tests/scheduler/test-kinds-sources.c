/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds VectorSource and SequenceSource. */
#include "test-kinds-private.h"

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
  for (guint i = 0; i < test_length (view); i++)
    test_floats (view)[i] = (gfloat) (g_array_index (base, gdouble, i) + (gdouble) n);
}

static HoloOpResult
vector_source_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  test_count_call (task);
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
  test_kind_declare (klass, test_vector_source_task_get_type (), "The same vector for ever", 0, 1, HOLO_MEM_LOCS_HOST);
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

  test_count_call (task);
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
  test_kind_declare (klass, test_sequence_source_task_get_type (), "Numbered vectors", 0, 1, HOLO_MEM_LOCS_HOST);
  holo_settings_install_double_array (klass, "base", "Elements of frame 0", NULL, -G_MAXDOUBLE, G_MAXDOUBLE,
                                      HOLO_SETTING_REQUIRED, G_STRUCT_OFFSET (TestSequenceSourceFactory, base));
  holo_settings_install_int64 (klass, "end", "Frames, -1 for no end", "frames", -1, G_MAXINT64, -1, HOLO_SETTING_NONE,
                               G_STRUCT_OFFSET (TestSequenceSourceFactory, end));
  HOLO_TASK_FACTORY_CLASS (klass)->infer = sequence_source_infer;
}
