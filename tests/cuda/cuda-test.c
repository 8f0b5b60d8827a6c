/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda-test.h"

#include <stdlib.h>
#include <string.h>

#include "holo-cuda-task.h"

#define GUARD      64
#define PATTERN    0x5a
#define MAX_INPUTS 4

HoloDevice *
cuda_test_open (void)
{
  g_autoptr (GError) error = NULL;
  HoloDevice *device = holo_cuda_device_new ("cuda:0", &error);

  if (device != NULL)
    {
      holo_cuda_task_add_kinds (holo_registry_get_default ()); /* as the module does when it is loaded */
      return device;
    }
  g_print ("1..0 # SKIP no CUDA device (%s)\n", error->message);
  exit (0);
}

gint
cuda_test_count (void)
{
  gint n = 0;

  return cudaGetDeviceCount (&n) == cudaSuccess ? n : 0;
}

void
cuda_test_enqueue_fault (HoloStream *stream)
{
  HoloCudaDevice *device = HOLO_CUDA_DEVICE (holo_stream_get_device (stream));

  g_assert_true (holo_cuda_device_enter (device, NULL));
  cuda_test_fault (holo_cuda_stream_get (HOLO_CUDA_STREAM (stream)));
  holo_cuda_device_leave (device);
}

void
cuda_test_enqueue_delay (HoloStream *stream, guint ms)
{
  HoloCudaDevice *device = HOLO_CUDA_DEVICE (holo_stream_get_device (stream));

  g_assert_true (holo_cuda_device_enter (device, NULL));
  cuda_test_delay (holo_cuda_stream_get (HOLO_CUDA_STREAM (stream)), ms);
  holo_cuda_device_leave (device);
}

/* ---- bytes ---- */

typedef struct
{
  HoloDevice *device;
  HoloStream *stream;
  HoloStorage storage; /* on the device, with a guard behind */
  guint8 *content;     /* what it was filled with, guard included */
  guint8 *fetched;     /* (nullable): what is in it now, once the stream has passed */
} Memory;

/* Enqueued. */
static void
move (Memory *memory, gpointer host, gsize size, gboolean up)
{
  gint64 shape[] = { (gint64) size };
  HoloStorage host_storage;
  HoloTensorDesc desc;
  HoloTensorView on_host, on_device;
  g_autoptr (GError) error = NULL;

  holo_storage_init (&host_storage, host, size);
  holo_tensor_desc_init (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 1, shape);
  holo_tensor_view_init (&on_host, &desc, &host_storage);
  desc.mem_loc = HOLO_MEM_LOC_DEVICE;
  holo_tensor_view_init (&on_device, &desc, &memory->storage);
  holo_device_copy (memory->device, memory->stream, up ? &on_device : &on_host, up ? &on_host : &on_device, &error);
  g_assert_no_error (error);
}

static void
memory_init (Memory *memory, HoloDevice *device, HoloStream *stream, gconstpointer bytes, gsize size)
{
  g_autoptr (GError) error = NULL;

  memory->content = g_malloc (size + GUARD);
  memset (memory->content, PATTERN, size + GUARD);
  if (bytes != NULL)
    memcpy (memory->content, bytes, size);
  memory->device = device;
  memory->stream = stream;
  holo_storage_init (&memory->storage, holo_device_alloc (device, HOLO_MEM_LOC_DEVICE, size + GUARD, &error), size);
  g_assert_no_error (error);
  memory->storage.mem_loc = HOLO_MEM_LOC_DEVICE;
  memory->storage.device = device;
  move (memory, memory->content, size + GUARD, TRUE);
}

/* Behind the work that may still use it. */
static void
memory_clear (Memory *memory)
{
  holo_device_free (memory->device, HOLO_MEM_LOC_DEVICE, memory->storage.data);
  g_free (memory->content);
  g_free (memory->fetched);
}

static void
memory_fetch (Memory *memory)
{
  memory->fetched = g_malloc (memory->storage.size + GUARD);
  move (memory, memory->fetched, memory->storage.size + GUARD, FALSE);
}

static void
memory_check_guard (const Memory *memory)
{
  for (guint i = 0; i < GUARD; i++)
    if (memory->fetched[memory->storage.size + i] != PATTERN)
      g_error ("the device wrote behind a tensor of %" G_GSIZE_FORMAT " bytes", memory->storage.size);
}

/* ---- one node ---- */

typedef struct
{
  HoloTensorDesc descs[MAX_INPUTS];
  HoloTensorView views[MAX_INPUTS + 1];
  HoloTensorView *pointers[MAX_INPUTS + 1];
  Memory memories[MAX_INPUTS];
  Memory output;
  gint shared; /* input whose memory the output has, or -1 */
} Node;

static void
set_inputs (Node *node, HoloDevice *device, HoloStream *stream, TaskArray *const *inputs, guint n_inputs)
{
  for (guint i = 0; i < n_inputs; i++)
    {
      memory_init (&node->memories[i], device, stream, inputs[i]->data, inputs[i]->size);
      holo_tensor_view_init (&node->views[i], &node->descs[i], &node->memories[i].storage);
      node->pointers[i] = &node->views[i];
    }
}

static void
set_output (Node *node, HoloDevice *device, HoloStream *stream, const HoloInferredOutput *output, guint n_inputs,
            TaskRunMode mode)
{
  gboolean shares = output->in_place == HOLO_IN_PLACE_VIEW || output->in_place == HOLO_IN_PLACE_MUST ||
                    (output->in_place == HOLO_IN_PLACE_MAY && mode == TASK_RUN_IN_PLACE);

  node->shared = shares ? output->in_place_input : -1;
  if (!shares)
    memory_init (&node->output, device, stream, NULL, holo_tensor_desc_get_size (&output->desc));
  holo_tensor_view_init (&node->views[n_inputs], &output->desc,
                         shares ? &node->memories[node->shared].storage : &node->output.storage);
  node->pointers[n_inputs] = &node->views[n_inputs];
}

static TaskArray *
get_output (Node *node, const HoloTensorDesc *desc)
{
  Memory *memory = node->shared >= 0 ? &node->memories[node->shared] : &node->output;
  TaskArray whole = { .desc = *desc, .data = memory->fetched, .size = memory->storage.size };

  memory_check_guard (memory);
  whole.desc.mem_loc = HOLO_MEM_LOC_HOST;
  return task_array_copy (&whole, TASK_LAYOUT_DENSE);
}

static void
check_inputs (Node *node, TaskArray *const *inputs, guint n_inputs)
{
  for (guint i = 0; i < n_inputs; i++)
    {
      memory_check_guard (&node->memories[i]);
      if ((gint) i != node->shared && memcmp (node->memories[i].fetched, inputs[i]->data, inputs[i]->size) != 0)
        g_error ("the device wrote into input %u", i);
    }
}

/* Waits once, for all: that is what takes the time of thousands of comparisons. */
static TaskArray *
run_task (Node *node, HoloSyncTask *task, HoloStream *stream, TaskArray *const *inputs, guint n_inputs, GError **error)
{
  HoloSyncContext context = { .inputs = node->pointers,
                              .outputs = node->pointers + n_inputs,
                              .n_inputs = n_inputs,
                              .n_outputs = 1,
                              .stream = stream };
  gboolean ok = holo_sync_task_execute (task, &context, error) == HOLO_OP_OK;

  for (guint i = 0; i < n_inputs; i++)
    memory_fetch (&node->memories[i]);
  if (node->shared < 0)
    memory_fetch (&node->output);
  if (!holo_stream_synchronize (stream, ok ? error : NULL) || !ok)
    return NULL;
  check_inputs (node, inputs, n_inputs);
  return get_output (node, &node->views[n_inputs].desc);
}

static HoloTaskFactory *
make_factory (const gchar *kind, const gchar *settings_json, GError **error)
{
  g_autoptr (HoloTaskFactory) factory = holo_registry_create_factory (holo_registry_get_default (), kind, error);
  g_autoptr (JsonNode) node = json_from_string (settings_json, error);

  g_assert_nonnull (factory);
  g_assert_nonnull (node);
  if (!holo_settings_apply_json (factory, json_node_get_object (node), "/test", error))
    return NULL;
  return g_steal_pointer (&factory);
}

TaskArray *
cuda_test_run (HoloDevice *device, const gchar *kind, const gchar *settings_json, TaskArray *const *inputs,
               guint n_inputs, TaskRunMode mode, GError **error)
{
  g_autoptr (HoloTaskFactory) factory = make_factory (kind, settings_json, error);
  g_auto (HoloInference) inference = { 0 };
  g_autoptr (HoloSyncTask) task = NULL;
  HoloSyncCreateContext context = { .device = device };
  TaskArray *output = NULL;
  Node node = { .shared = -1 };

  g_assert_cmpuint (n_inputs, <=, MAX_INPUTS);
  for (guint i = 0; i < n_inputs; i++)
    {
      node.descs[i] = inputs[i]->desc;
      node.descs[i].mem_loc = HOLO_MEM_LOC_DEVICE;
    }
  if (factory == NULL || !holo_task_factory_infer (factory, node.descs, n_inputs, &inference, error))
    return NULL;
  g_assert_cmpuint (holo_inference_get_n_outputs (&inference), ==, 1);
  context.stream = holo_device_create_stream (device, error);
  g_assert_nonnull (context.stream);
  task = holo_sync_task_factory_create (HOLO_SYNC_TASK_FACTORY (factory), &inference, &context, error);
  if (task != NULL)
    {
      set_inputs (&node, device, context.stream, inputs, n_inputs);
      set_output (&node, device, context.stream, holo_inference_get_output (&inference, 0), n_inputs, mode);
      output = run_task (&node, task, context.stream, inputs, n_inputs, error);
      for (guint i = 0; i < n_inputs; i++)
        memory_clear (&node.memories[i]);
      if (node.shared < 0)
        memory_clear (&node.output);
    }
  g_clear_object (&task);
  holo_device_release_stream (device, context.stream);
  return output;
}
