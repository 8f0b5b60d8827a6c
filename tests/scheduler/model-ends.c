/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "model-ends.h"

#include "hb-checker.h"
#include "test-run.h"

typedef struct
{
  const Model *model;
  guint index;
  HoloScheduler *scheduler;
  HoloEnd *handle;
  GPtrArray *frames;
} End;

static void
fill (HoloFrame *frame, const ModelNode *node, guint index, gint64 n)
{
  gfloat *data = holo_frame_get_data (frame);

  hb_host_access (data, &frame->desc, TRUE, "application");
  for (guint i = 0; i < node->shape[0]; i++)
    data[i] = (gfloat) (index + 1 + 10 * i + n);
}

static gpointer
push_frames (gpointer user_data)
{
  End *end = user_data;
  const ModelNode *node = &end->model->nodes[end->index];
  gint64 shape[] = { node->shape[0] };
  HoloOpResult result = HOLO_OP_OK;
  g_autoptr (GError) error = NULL;
  HoloTensorDesc desc;

  hb_observe (end->scheduler);
  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  for (gint64 n = 0; result == HOLO_OP_OK && (node->number < 0 || n < node->number); n++)
    {
      g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

      if (!holo_frame_init_alloc (&frame, &desc, &error))
        break;
      fill (&frame, node, end->index, n);
      result = holo_end_push (end->handle, &frame, NULL, &error);
    }
  if (result == HOLO_OP_OK)
    result = holo_end_push_end (end->handle, &error);
  g_assert_no_error (error);
  if (result != HOLO_OP_OK && result != HOLO_OP_EOF)
    g_error ("a push gave %s", holo_op_result_get_name (result));
  hb_publish (end);
  return NULL;
}

static void
keep (End *end, const HoloFrame *frame)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (gfloat));
  HoloFence fence = frame->fence;

  g_assert_true (holo_tensor_desc_is_dense (&frame->desc));
  g_assert_true (holo_fence_is_passed (&fence)); /* host memory that leaves a graph is ready */
  hb_host_access (holo_frame_get_data (frame), &frame->desc, FALSE, "application");
  if (!holo_tensor_desc_is_empty (&frame->desc))
    g_array_append_vals (values, holo_frame_get_data (frame), (guint) holo_tensor_desc_count (&frame->desc));
  g_ptr_array_add (end->frames, values);
}

static gpointer
pull_frames (gpointer user_data)
{
  End *end = user_data;
  const ModelNode *node = &end->model->nodes[end->index];
  HoloOpResult result = HOLO_OP_OK;
  g_autoptr (GError) error = NULL;

  hb_observe (end->scheduler);
  while (result == HOLO_OP_OK && (node->number == 0 || end->frames->len < node->number))
    {
      g_auto (HoloFrame) frame = HOLO_FRAME_INIT;

      result = holo_end_pull (end->handle, &frame, NULL, &error);
      if (result == HOLO_OP_OK)
        keep (end, &frame);
    }
  g_assert_no_error (error);
  if (result == HOLO_OP_OK)
    holo_end_close (end->handle);
  else if (result != HOLO_OP_EOF)
    g_error ("a pull gave %s", holo_op_result_get_name (result));
  hb_publish (end);
  return NULL;
}

void
model_ends_run (const Model *model, HoloScheduler *scheduler, GPtrArray *found[MODEL_MAX_NODES])
{
  GThread *threads[MODEL_MAX_NODES] = { NULL };
  End ends[MODEL_MAX_NODES];

  hb_publish (scheduler);
  for (guint i = 0; i < model->n_nodes; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("n%02u", i);
      ModelKind kind = model->nodes[i].kind;

      if (kind != MODEL_SOURCE && kind != MODEL_COLLECT)
        continue;
      found[i] = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
      ends[i] = (End){ model, i, scheduler, NULL, found[i] };
      ends[i].handle = kind == MODEL_SOURCE ? test_input (scheduler, name) : test_output (scheduler, name);
      threads[i] = g_thread_new (name, kind == MODEL_SOURCE ? push_frames : pull_frames, &ends[i]);
    }
  for (guint i = 0; i < model->n_nodes; i++)
    if (threads[i] != NULL)
      {
        g_thread_join (threads[i]);
        hb_observe (&ends[i]);
        holo_end_unref (ends[i].handle);
      }
}
