/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind NpyReader: a source that reads an array of NumPy from a file, frame by frame or as a whole. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/holo-error.h"
#include "tasks/holo-builtin-kinds.h"
#include "tasks/holo-npy.h"

typedef struct
{
  HoloSyncTaskFactory parent_instance;

  gchar *path;
  gint mode;
  gboolean loop;
} NpyReaderSettings;

typedef struct
{
  gchar *path;
  HoloNpyMode mode;
  gboolean loop;
  gboolean staged_loop;
  gint fd;
  HoloNpyHeader header;
  HoloTensorDesc desc; /* of a frame, dense */
  gint64 n_frames;
  gint64 position; /* the next frame */
  guint64 n_given;
  guint8 *array; /* fortran_order: the whole array, read at the first frame */
} NpyReaderState;

/* ---- task ---- */

/* In fortran_order the elements of a frame are spread over the file. */
static gboolean
load_array (NpyReaderState *self, GCancellable *cancellable, GError **error)
{
  const HoloNpyHeader *header = &self->header;
  guint8 *array;

  if (self->array != NULL)
    return TRUE;
  array = g_try_malloc (MAX ((gsize) header->data_size, 1));
  if (array == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY,
                   "no memory for the %" G_GINT64_FORMAT
                   " bytes of \"%s\", which is in Fortran order and must be held as a whole",
                   header->data_size, self->path);
      return FALSE;
    }
  if (!_holo_npy_read (self->fd, self->path, header->data_offset, array, (gsize) header->data_size, cancellable, error))
    {
      g_free (array);
      return FALSE;
    }
  self->array = array;
  return TRUE;
}

/* The frame's place in the array: strides grow with the index. */
static void
init_fortran_desc (NpyReaderState *self, HoloTensorDesc *desc)
{
  guint leading = self->header.rank - self->desc.rank;
  gint64 stride = (gint64) holo_dtype_get_size (self->header.dtype);

  *desc = self->desc;
  if (leading == 1)
    {
      desc->offset = self->position * stride;
      stride *= self->header.shape[0];
    }
  for (guint i = 0; i < desc->rank; i++)
    {
      desc->strides[i] = stride;
      stride *= desc->shape[i];
    }
}

static gboolean
read_frame (NpyReaderState *self, gpointer data, GCancellable *cancellable, GError **error)
{
  gsize size = holo_tensor_desc_get_payload (&self->desc);
  HoloTensorDesc desc;

  if (size == 0)
    return TRUE;
  if (!self->header.fortran_order)
    return _holo_npy_read (self->fd, self->path, self->header.data_offset + self->position * (gint64) size, data, size,
                           cancellable, error);
  if (!load_array (self, cancellable, error))
    return FALSE;
  init_fortran_desc (self, &desc);
  holo_tensor_copy_elements (data, &self->desc, self->array + desc.offset, &desc);
  return TRUE;
}

static HoloOpResult
execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  NpyReaderState *self = holo_task_get_state (task);
  HoloTensorView *view = context->outputs[0];
  gpointer data = holo_tensor_view_get_data (view);

  if (self->position == self->n_frames)
    {
      if (!self->loop || self->n_frames == 0)
        return HOLO_OP_EOF;
      self->position = 0;
    }
  if (!read_frame (self, data, context->cancellable, error))
    {
      if (!g_cancellable_is_cancelled (context->cancellable))
        return HOLO_OP_ERROR;
      g_clear_error (error);
      return HOLO_OP_CANCELLED;
    }
  if (self->header.swaps)
    _holo_npy_swap (data, (gsize) holo_tensor_desc_count (&self->desc), self->desc.dtype);
  holo_stamp_init (&view->stamp);
  view->stamp.seq = view->stamp.first = view->stamp.last = self->n_given++;
  self->position++;
  return HOLO_OP_OK;
}

static gboolean
reset (HoloTask *task, GError **error)
{
  NpyReaderState *self = holo_task_get_state (task);

  self->position = 0;
  self->n_given = 0;
  return TRUE;
}

static void
commit (HoloTask *task)
{
  NpyReaderState *self = holo_task_get_state (task);

  self->loop = self->staged_loop;
}

static void
rollback (HoloTask *task)
{
  NpyReaderState *self = holo_task_get_state (task);

  self->staged_loop = self->loop;
}

static void
clear (HoloTask *task)
{
  NpyReaderState *self = holo_task_get_state (task);

  if (self->fd >= 0)
    close (self->fd);
  g_free (self->path);
  g_free (self->array);
}

/* ---- making it ---- */

/* Of an array without frames, nothing in the file vouches for the size that its header gives a frame. */
#define MAX_SIZE_OF_NO_FRAME (G_GUINT64_CONSTANT (1) << 30)

static gboolean
check_no_frame (const gchar *path, const HoloNpyHeader *header, const HoloTensorDesc *desc, GError **error)
{
  gsize size = holo_tensor_desc_get_payload (desc);

  if (header->data_size > 0 || size <= MAX_SIZE_OF_NO_FRAME)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE,
               "\"%s\" has no frames, but says that a frame has %" G_GSIZE_FORMAT " bytes; that is taken for an error",
               path, size);
  return FALSE;
}

static gboolean
init_frame_desc (const NpyReaderSettings *self, const HoloNpyHeader *header, HoloTensorDesc *desc, GError **error)
{
  guint leading = self->mode == HOLO_NPY_MODE_FRAMES ? 1 : 0;

  if (header->rank < leading)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE, "\"%s\" holds a single number; read it with \"mode\": \"whole\"",
                   self->path);
      return FALSE;
    }
  if (header->rank - leading > HOLO_MAX_RANK)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE,
                   "the array in \"%s\" has %u dimensions; at most %d can be read%s", self->path, header->rank,
                   HOLO_MAX_RANK + (gint) leading, leading == 1 ? "" : " as a whole");
      return FALSE;
    }
  holo_tensor_desc_init (desc, header->dtype, HOLO_MEM_LOC_HOST, header->rank - leading, header->shape + leading);
  return holo_tensor_desc_validate (desc, error) && check_no_frame (self->path, header, desc, error);
}

/* The open file, or -1. */
static gint
open_array (gpointer factory, HoloNpyHeader *header, HoloTensorDesc *desc, GError **error)
{
  const NpyReaderSettings *self = factory;
  gint fd = _holo_npy_open (self->path, error);

  if (fd < 0 || (_holo_npy_read_header (fd, self->path, header, error) && init_frame_desc (self, header, desc, error)))
    return fd;
  close (fd);
  return -1;
}

static gboolean
infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  HoloNpyHeader header;
  HoloTensorDesc desc;
  gint fd = open_array (factory, &header, &desc, error);

  if (fd < 0)
    return FALSE;
  close (fd);
  holo_inference_add_output (inference, &desc);
  return TRUE;
}

static gboolean
set_up (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  const NpyReaderSettings *settings = (NpyReaderSettings *) factory;
  NpyReaderState *self = holo_task_get_state (task);

  self->path = g_strdup (settings->path);
  self->mode = (HoloNpyMode) settings->mode;
  self->loop = self->staged_loop = settings->loop;
  self->fd = open_array (factory, &self->header, &self->desc, error);
  if (self->fd < 0)
    return FALSE;
  self->n_frames = self->mode == HOLO_NPY_MODE_FRAMES ? self->header.shape[0] : 1;
  if (!holo_tensor_desc_equal (&self->desc, holo_inference_get_output_desc (inference, 0)))
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_FILE, "\"%s\" has changed since the graph was compiled", self->path);
  return holo_tensor_desc_equal (&self->desc, holo_inference_get_output_desc (inference, 0));
}

/* Whether @path is still the file that @fd has open, unchanged in length. */
static gboolean
is_same_file (gint fd, const gchar *path)
{
  struct stat opened, named;

  return fstat (fd, &opened) == 0 && stat (path, &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino && opened.st_size == named.st_size;
}

/* The same file goes on where it is. */
static HoloChange
change (HoloSyncTaskFactory *factory, HoloSyncTask *task, const HoloInference *inference,
        const HoloSyncCreateContext *context, GError **error)
{
  const NpyReaderSettings *settings = (NpyReaderSettings *) factory;
  NpyReaderState *self = holo_task_get_state (task);

  if (!g_str_equal (self->path, settings->path) || self->mode != (HoloNpyMode) settings->mode ||
      !is_same_file (self->fd, settings->path) ||
      !holo_tensor_desc_equal (&self->desc, holo_inference_get_output_desc (inference, 0)))
    return HOLO_CHANGE_NEW_TASK;
  self->staged_loop = settings->loop;
  return HOLO_CHANGE_STAGED;
}

static void
holo_npy_reader_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (
      klass, "Reads an array of NumPy from a .npy file",
      "With `mode` `frames` the array `[N, ...]` gives N tensors `[...]`, one for each leading index, and "
      "then the stream ends; with `whole` the array is one tensor. `loop` starts again at the end.\n\n"
      "Versions 1.0, 2.0 and 3.0 of the format, either byte order, either order of elements (an array in "
      "Fortran order is held in memory as a whole). Integers, floats and complex numbers have the same type "
      "here; booleans are read as U8, byte by byte as they are in the file (NumPy writes 0 and 1). Structures, texts, dates, long doubles and Python objects "
      "are refused. The file is opened when the graph is compiled: its header says what comes out.");
  holo_task_factory_class_set_example (klass, "{\"path\": \"frames.npy\"}");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_HOST, 0, HOLO_MAX_RANK,
                                      HOLO_SLOT_DENSE, "one frame, or the array");
  holo_settings_install_string (klass, "path", "The file", NULL, HOLO_SETTING_REQUIRED,
                                G_STRUCT_OFFSET (NpyReaderSettings, path));
  holo_settings_install_enum (klass, "mode", "What one tensor is: a frame of the array, or all of it",
                              HOLO_TYPE_NPY_MODE, HOLO_NPY_MODE_FRAMES, HOLO_SETTING_NONE,
                              G_STRUCT_OFFSET (NpyReaderSettings, mode));
  holo_settings_install_boolean (klass, "loop", "Start again at the end", FALSE, HOLO_SETTING_LIVE,
                                 G_STRUCT_OFFSET (NpyReaderSettings, loop));
}

static const HoloSyncFunctions functions = {
  .state_size = sizeof (NpyReaderState),
  .infer = infer,
  .set_up = set_up,
  .execute = execute,
  .clear = clear,
  .reset = reset,
  .change = change,
  .commit = commit,
  .rollback = rollback,
};

HOLO_DEFINE_SYNC_KIND (holo_npy_reader, "NpyReader", NpyReaderSettings, functions)
