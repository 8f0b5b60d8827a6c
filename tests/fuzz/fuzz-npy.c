/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* .npy files from anybody: reading either gives an error or tensors that are no larger than the file, to the
 * last frame. The first byte says how the file is read. */
#define _GNU_SOURCE /* memfd_create() */
#include <holoflow/holoflow.h>

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Frames of no bytes may be many. */
#define MAX_FRAMES 100

static HoloRegistry *registry;
static gchar *settings[2];
static int fd;

static GLogWriterOutput
keep_quiet (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer user_data)
{
  g_assert ((level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) == 0);
  return G_LOG_WRITER_HANDLED;
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  g_log_set_writer_func (keep_quiet, NULL, NULL);
  registry = holo_registry_new ();
  holo_registry_add_builtin (registry);
  fd = memfd_create ("npy", MFD_CLOEXEC);
  g_assert (fd >= 0);
  settings[0] = g_strdup_printf ("{\"path\": \"/proc/self/fd/%d\"}", fd);
  settings[1] = g_strdup_printf ("{\"path\": \"/proc/self/fd/%d\", \"mode\": \"whole\"}", fd);
  return 0;
}

static void
write_file (const uint8_t *data, size_t size)
{
  g_assert (ftruncate (fd, 0) == 0);
  g_assert (pwrite (fd, data, size, 0) == (gssize) size);
}

static void
read_frames (HoloSyncTask *task, const HoloTensorDesc *desc, size_t size)
{
  gsize frame_size = holo_tensor_desc_get_size (desc), n_bytes = 0;
  HoloBlock *block = holo_block_new_alloc (frame_size, NULL);
  HoloStorage storage = { block->data, frame_size, HOLO_MEM_LOC_HOST, NULL, block };
  HoloTensorView view, *views[] = { &view };
  HoloSyncContext context = { .outputs = views, .n_outputs = 1 };

  holo_tensor_view_init (&view, desc, &storage);
  for (guint i = 0; i < MAX_FRAMES; i++)
    {
      g_autoptr (GError) error = NULL;
      HoloOpResult result = holo_sync_task_execute (task, &context, &error);

      g_assert (error == NULL && (result == HOLO_OP_OK || result == HOLO_OP_EOF));
      if (result == HOLO_OP_EOF)
        break;
      n_bytes += frame_size;
    }
  g_assert (n_bytes <= size);
  holo_block_unref (block);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (HoloTaskFactory) factory = holo_registry_create_factory (registry, "NpyReader", NULL);
  g_autoptr (JsonNode) node = json_from_string (settings[size > 0 ? data[0] & 1 : 0], NULL);
  HoloSyncCreateContext context = { NULL, holo_device_get_host () };
  g_autoptr (HoloSyncTask) task = NULL;
  g_auto (HoloInference) inference = { 0 };
  g_autoptr (GError) error = NULL;

  write_file (data + MIN (size, 1), size - MIN (size, 1));
  g_assert (holo_settings_apply_json (factory, json_node_get_object (node), "", NULL));
  if (!holo_task_factory_infer (factory, NULL, 0, &inference, &error))
    {
      g_assert (error != NULL && error->domain == HOLO_ERROR);
      return 0;
    }
  task = holo_sync_task_factory_create (HOLO_SYNC_TASK_FACTORY (factory), &inference, &context, &error);
  g_assert (error == NULL);
  read_frames (task, holo_inference_get_output_desc (&inference, 0), size);
  return 0;
}
