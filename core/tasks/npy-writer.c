/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind NpyWriter: a sink that writes its tensors into one array of NumPy.
 *
 * The frames go into PATH.part, and behind each the number in its header is brought up to date: whatever ends
 * the program, that file holds whole frames and says how many. It becomes PATH at the end of the run, so that
 * PATH is never half an array. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/holo-error.h"
#include "tasks/holo-builtin-kinds.h"
#include "tasks/holo-npy.h"

typedef struct
{
  HoloSyncTaskFactory parent_instance;

  gchar *path;
  gint mode;
} NpyWriterSettings;

typedef struct
{
  gchar *path;
  gchar *part_path;
  HoloNpyMode mode;
  HoloTensorDesc desc;   /* of the input */
  HoloTensorDesc packed; /* the same, dense */
  guint8 *buffer;        /* a packed frame; NULL when the input is dense */
  gint fd;               /* -1: no file yet, or finished */
  gboolean finished;
  gint64 n_frames; /* read atomically by change() */
  gint64 end;      /* of the last whole frame */
} NpyWriterState;

/* ---- task ---- */

static gboolean
set_error (NpyWriterState *self, const gchar *what, gint code, GError **error)
{
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE, "\"%s\" cannot be %s: %s", self->part_path, what, g_strerror (code));
  return FALSE;
}

static gboolean
write_at (NpyWriterState *self, gint64 offset, gconstpointer data, gsize size, GCancellable *cancellable,
          GError **error)
{
  const guint8 *from = data;

  while (size > 0)
    {
      gssize n;

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      n = pwrite (self->fd, from, MIN (size, 8 << 20), (off_t) offset);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return set_error (self, "written", errno, error);
      from += n;
      offset += n;
      size -= (gsize) n;
    }
  return TRUE;
}

/* The header for @n_frames; it has the same length for every number. */
static gboolean
write_header (NpyWriterState *self, gint64 n_frames, gsize *size, GError **error)
{
  guint leading = self->mode == HOLO_NPY_MODE_FRAMES ? 1 : 0;
  gint64 shape[HOLO_NPY_MAX_RANK] = { n_frames };
  gchar header[HOLO_NPY_WRITTEN_HEADER];

  memcpy (shape + leading, self->packed.shape, self->packed.rank * sizeof *shape);
  *size = _holo_npy_format_header (header, self->packed.dtype, self->packed.rank + leading, shape);
  return write_at (self, 0, header, *size, NULL, error);
}

/* The lock is against another writer of the same file; it goes with the descriptor. */
static gboolean
open_part (NpyWriterState *self, GError **error)
{
  gsize size;

  self->fd = open (self->part_path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (self->fd < 0)
    return set_error (self, "created", errno, error);
  if (flock (self->fd, LOCK_EX | LOCK_NB) != 0)
    {
      close (self->fd);
      self->fd = -1;
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE,
                   "\"%s\" is being written by somebody else; give another \"path\"", self->part_path);
      return FALSE;
    }
  if (ftruncate (self->fd, 0) != 0)
    return set_error (self, "emptied", errno, error);
  __atomic_store_n (&self->n_frames, 0, __ATOMIC_RELAXED);
  if (!write_header (self, 0, &size, error))
    return FALSE;
  self->end = (gint64) size;
  return TRUE;
}

static gboolean
write_frame (NpyWriterState *self, const HoloTensorView *view, GCancellable *cancellable, GError **error)
{
  gconstpointer data = holo_tensor_view_get_data (view);
  gsize size = holo_tensor_desc_get_payload (&self->packed), header_size;

  if (self->buffer != NULL)
    {
      holo_tensor_copy_elements (self->buffer, &self->packed, data, &self->desc);
      data = self->buffer;
    }
  if (!write_at (self, self->end, data, size, cancellable, error))
    return FALSE;
  if (self->mode == HOLO_NPY_MODE_FRAMES && !write_header (self, self->n_frames + 1, &header_size, error))
    return FALSE;
  self->end += (gint64) size;
  __atomic_store_n (&self->n_frames, self->n_frames + 1, __ATOMIC_RELAXED);
  return TRUE;
}

static HoloOpResult
execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  NpyWriterState *self = holo_task_get_state (task);

  if (self->mode == HOLO_NPY_MODE_WHOLE && self->n_frames == 1)
    return HOLO_OP_EOF;
  if ((self->fd >= 0 || open_part (self, error)) && write_frame (self, context->inputs[0], context->cancellable, error))
    return HOLO_OP_OK;
  if (!g_cancellable_is_cancelled (context->cancellable))
    return HOLO_OP_ERROR;
  g_clear_error (error);
  return HOLO_OP_CANCELLED;
}

static gboolean
close_part (NpyWriterState *self, GError **error)
{
  gint fd = self->fd;

  self->fd = -1;
  return close (fd) == 0 || set_error (self, "closed", errno, error);
}

/* Half a frame at the end, from an error or a stop, is cut off. */
static gboolean
trim_part (NpyWriterState *self, GError **error)
{
  return ftruncate (self->fd, (off_t) self->end) == 0 || set_error (self, "cut to whole frames", errno, error);
}

static gboolean
rename_part (NpyWriterState *self, GError **error)
{
  if (g_rename (self->part_path, self->path) == 0)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE, "\"%s\" cannot be renamed to \"%s\": %s", self->part_path,
               self->path, g_strerror (errno));
  return FALSE;
}

/* A stream that ends without frames is an array without frames; without its one tensor an array is nothing,
 * and a run that is stopped before the first frame leaves what is there alone. */
static gboolean
is_complete (NpyWriterState *self, HoloOpResult result)
{
  return self->n_frames > 0 ? result != HOLO_OP_ERROR : result == HOLO_OP_EOF && self->mode == HOLO_NPY_MODE_FRAMES;
}

static gboolean
finish (HoloTask *task, HoloOpResult result, GError **error)
{
  NpyWriterState *self = holo_task_get_state (task);
  gboolean complete = is_complete (self, result), ok;

  if (self->finished || (self->fd < 0 && !(complete && open_part (self, error))))
    return self->finished || !complete;
  self->finished = TRUE;
  ok = trim_part (self, error);
  if (!ok)
    error = NULL; /* the first one counts */
  ok = close_part (self, error) && ok;
  if (complete)
    return ok && rename_part (self, error);
  if (self->n_frames == 0)
    g_unlink (self->part_path);
  else
    holo_task_log (task, G_LOG_LEVEL_MESSAGE, "the run failed; \"%s\" has the %" G_GINT64_FORMAT " frames until then",
                   self->part_path, self->n_frames);
  return ok;
}

/* What an aborted run has left is no result. */
static gboolean
reset (HoloTask *task, GError **error)
{
  NpyWriterState *self = holo_task_get_state (task);

  if (self->fd >= 0)
    {
      close_part (self, NULL);
      g_unlink (self->part_path);
    }
  self->finished = FALSE;
  self->n_frames = 0;
  return TRUE;
}

static void
clear (HoloTask *task)
{
  NpyWriterState *self = holo_task_get_state (task);

  if (self->fd >= 0)
    close (self->fd);
  g_free (self->path);
  g_free (self->part_path);
  g_free (self->buffer);
}

/* ---- making it ---- */

/* Better said when the graph is compiled than after an hour of recording; makes no file. */
static gboolean
check_path (const gchar *path, GError **error)
{
  g_autofree gchar *folder = g_path_get_dirname (path);

  if (*path == '\0' || g_str_has_suffix (path, G_DIR_SEPARATOR_S) || g_file_test (path, G_FILE_TEST_IS_DIR))
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE, "\"%s\" is a folder; \"path\" must name a file", path);
  else if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE,
                 "\"%s\" is not a regular file; the number of frames is written at the end, which pipes and "
                 "devices cannot do",
                 path);
  else if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE, "there is no folder \"%s\" for the file \"%s\"", folder, path);
  else if (g_access (folder, W_OK) != 0)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE, "no file can be made in the folder \"%s\": %s", folder,
                 g_strerror (errno));
  else
    return TRUE;
  return FALSE;
}

static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  return check_path (((NpyWriterSettings *) factory)->path, error);
}

static gboolean
set_up (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  const NpyWriterSettings *settings = (NpyWriterSettings *) factory;
  NpyWriterState *self = holo_task_get_state (task);
  gsize size;

  self->fd = -1;
  self->path = g_strdup (settings->path);
  self->part_path = g_strconcat (settings->path, ".part", NULL);
  self->mode = (HoloNpyMode) settings->mode;
  self->desc = *holo_inference_get_input_desc (inference, 0);
  holo_tensor_desc_init_dense_like (&self->packed, &self->desc);
  size = holo_tensor_desc_get_payload (&self->packed);
  if (holo_tensor_desc_is_dense (&self->desc) || (self->buffer = g_try_malloc (size)) != NULL)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY, "no memory for a packed frame of %" G_GSIZE_FORMAT " bytes", size);
  return FALSE;
}

/* The same file goes on; another task must not begin it anew while this one writes it. */
static HoloChange
change (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  const NpyWriterSettings *settings = (NpyWriterSettings *) factory;
  NpyWriterState *self = holo_task_get_state (task);
  const HoloTensorDesc *desc = holo_inference_get_input_desc (inference, 0);
  g_autofree gchar *old_text = NULL, *new_text = NULL;

  if (!g_str_equal (self->path, settings->path))
    return HOLO_CHANGE_NEW_TASK;
  if (self->mode == (HoloNpyMode) settings->mode && holo_tensor_desc_equal (&self->desc, desc))
    return HOLO_CHANGE_STAGED;
  if (__atomic_load_n (&self->n_frames, __ATOMIC_RELAXED) == 0)
    return HOLO_CHANGE_NEW_TASK;
  old_text = holo_tensor_desc_to_string (&self->desc);
  new_text = holo_tensor_desc_to_string (desc);
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_STATE,
               "\"%s\" is being written with tensors %s and cannot go on with %s; give another \"path\"", self->path,
               old_text, new_text);
  return HOLO_CHANGE_REFUSED;
}

static void
holo_npy_writer_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (
      klass, "Writes its tensors into an array of NumPy in a .npy file",
      "With `mode` `frames` N tensors `[...]` make one array `[N, ...]`; with `whole` the first tensor is "
      "the array, and the node ends. Format version 1.0, byte order of the machine, C order whatever the "
      "strides.\n\n"
      "Frames go into `<path>.part`, whose header always says how many it holds. When the run ends or is "
      "stopped the file becomes `<path>`, and replaces what had that name; with `whole` and no tensor there is no array, "
      "and what had that name stays. After an error, and when the "
      "program is killed, the `.part` file stays: it is a valid array of the frames until then.");
  holo_task_factory_class_set_example (klass, "{\"path\": \"frames.npy\"}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_HOST, 0, HOLO_MAX_RANK, HOLO_SLOT_NONE,
                                     "one frame, or the array; any strides");
  holo_settings_install_string (klass, "path", "The file", NULL, HOLO_SETTING_REQUIRED,
                                G_STRUCT_OFFSET (NpyWriterSettings, path));
  holo_settings_install_enum (klass, "mode", "What one tensor is: a frame of the array, or all of it",
                              HOLO_TYPE_NPY_MODE, HOLO_NPY_MODE_FRAMES, HOLO_SETTING_NONE,
                              G_STRUCT_OFFSET (NpyWriterSettings, mode));
}

static const HoloSyncFunctions functions = {
  .state_size = sizeof (NpyWriterState),
  .infer = infer,
  .set_up = set_up,
  .execute = execute,
  .clear = clear,
  .reset = reset,
  .finish = finish,
  .change = change,
};

HOLO_DEFINE_SYNC_KIND (holo_npy_writer, "NpyWriter", NpyWriterSettings, functions)
