/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include "sim-device.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hb-checker.h"

/* All device memory lies in one file that is mapped twice: host code gets addresses that it cannot touch,
 * the threads of the
 * streams use the other mapping. */
#define ARENA_SIZE ((gsize) 256 << 20)
#define PAGE       ((gsize) 4096)

typedef struct
{
  gsize offset;
  gsize size;
} Piece;

struct _SimDevice
{
  HoloDevice parent_instance;

  GMutex lock; /* guards everything below but the atomics */
  guint8 *closed;
  guint8 *open;
  GHashTable *used; /* offset -> rounded size */
  GArray *free;     /* Pieces, sorted by offset */
  gsize allocated;
  GHashTable *host_sizes; /* address -> size of host memory */
  guint n_allocations;
  guint fail_allocation;
  GPtrArray *streams;
  GPtrArray *free_streams;
  guint seed;
  guint max_delay_us;

  gint fail_work; /* atomic countdown */
  gint failed;    /* atomic: a piece of work failed */
  gint held;      /* atomic */

  GThread *retirer;
  GCond retire_cond;
  HoloBlock *retired; /* chain by next */
  gboolean finished;
};
G_DEFINE_FINAL_TYPE (SimDevice, sim_device, HOLO_TYPE_DEVICE)

/* ---- streams ---- */

typedef struct
{
  gint ref_count; /* captured work is launched again and again */
  HoloFence wait; /* stream NULL: no wait */
  HoloStreamFunc func;
  gpointer user_data;
  GDestroyNotify notify;
  /* what it touches, told to the checker at each launch */
  GArray *accesses;
} Work;

typedef struct
{
  gpointer data;
  HoloTensorDesc desc;
  gboolean write;
  const gchar *label;
} WorkAccess;

#define SIM_TYPE_STREAM (sim_stream_get_type ())
G_DECLARE_FINAL_TYPE (SimStream, sim_stream, SIM, STREAM, HoloStream)

struct _SimStream
{
  HoloStream parent_instance;

  SimDevice *sim; /* borrowed */
  GThread *thread;
  GMutex order; /* held while work is announced and queued, before lock */
  GMutex lock;
  GCond work_cond; /* the thread waits for work */
  GCond done_cond; /* others wait for the thread */
  GQueue queue;
  guint64 enqueued; /* under the lock */
  guint64 done;     /* atomic for readers */
  gboolean finished;
  GRand *rand;
  GPtrArray *captured; /* (nullable): capture goes on */
};
G_DEFINE_FINAL_TYPE (SimStream, sim_stream, HOLO_TYPE_STREAM)

static void
work_unref (gpointer data)
{
  Work *work = data;

  if (!g_atomic_int_dec_and_test (&work->ref_count))
    return;
  if (work->notify != NULL)
    work->notify (work->user_data);
  g_clear_pointer (&work->accesses, g_array_unref);
  g_free (work);
}

static Work *
work_new (HoloStreamFunc func, gpointer user_data, GDestroyNotify notify)
{
  Work *work = g_new0 (Work, 1);

  work->ref_count = 1;
  work->func = func;
  work->user_data = user_data;
  work->notify = notify;
  work->accesses = g_array_new (FALSE, FALSE, sizeof (WorkAccess));
  return work;
}

static void
work_add_access (Work *work, const HoloTensorView *view, gboolean write, const gchar *label)
{
  WorkAccess access = { holo_tensor_view_is_null (view) ? NULL : holo_tensor_view_get_data (view), view->desc, write,
                        label };

  if (access.data != NULL)
    g_array_append_val (work->accesses, access);
}

static gboolean
set_failed (SimDevice *self, GError **error)
{
  if (!g_atomic_int_get (&self->failed))
    return FALSE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "the simulated device failed");
  return TRUE;
}

static void
signal_retirer (SimDevice *self)
{
  g_mutex_lock (&self->lock);
  if (self->retired != NULL)
    g_cond_signal (&self->retire_cond);
  g_mutex_unlock (&self->lock);
}

static gboolean
is_done (SimStream *stream, guint64 number)
{
  return __atomic_load_n (&stream->done, __ATOMIC_ACQUIRE) >= number;
}

static void
wait_done (SimStream *stream, guint64 number)
{
  if (is_done (stream, number))
    return;
  g_mutex_lock (&stream->lock);
  while (!is_done (stream, number))
    g_cond_wait (&stream->done_cond, &stream->lock);
  g_mutex_unlock (&stream->lock);
}

static void
delay (SimStream *stream)
{
  guint max_us = __atomic_load_n (&stream->sim->max_delay_us, __ATOMIC_RELAXED);

  while (g_atomic_int_get (&stream->sim->held))
    g_usleep (200);
  if (max_us == 0)
    return;
  /* mostly a yield: sleeps are what makes a test long, and one in eight reorders enough */
  if (g_rand_int_range (stream->rand, 0, 8) == 0)
    g_usleep ((gulong) g_rand_int_range (stream->rand, 0, (gint) max_us) + 1);
  else
    sched_yield ();
}

static void
run_work (SimStream *stream, Work *work)
{
  if (work->wait.stream != NULL)
    wait_done (SIM_STREAM (work->wait.stream), work->wait.number);
  delay (stream);
  if (g_atomic_int_get (&stream->sim->fail_work) > 0 && g_atomic_int_dec_and_test (&stream->sim->fail_work))
    g_atomic_int_set (&stream->sim->failed, TRUE);
  /* a device that has failed runs nothing any more, but its streams go on to their end */
  if (work->func != NULL && !g_atomic_int_get (&stream->sim->failed))
    work->func (work->user_data);
}

static gpointer
stream_thread (gpointer data)
{
  SimStream *stream = data;

  g_mutex_lock (&stream->lock);
  for (;;)
    {
      Work *work = g_queue_pop_head (&stream->queue);

      if (work == NULL)
        {
          if (stream->finished)
            break;
          g_cond_wait (&stream->work_cond, &stream->lock);
          continue;
        }
      g_mutex_unlock (&stream->lock);
      run_work (stream, work);
      work_unref (work);
      g_mutex_lock (&stream->lock);
      __atomic_store_n (&stream->done, stream->done + 1, __ATOMIC_RELEASE);
      g_cond_broadcast (&stream->done_cond);
      g_mutex_unlock (&stream->lock);
      signal_retirer (stream->sim);
      g_mutex_lock (&stream->lock);
    }
  g_mutex_unlock (&stream->lock);
  return NULL;
}

/* Takes a reference to @work. */
static void
launch (SimStream *stream, Work *work)
{
  guint64 number;

  if (stream->captured != NULL)
    {
      g_ptr_array_add (stream->captured, work);
      return;
    }
  g_mutex_lock (&stream->order);
  number = stream->enqueued + 1;
  hb_stream_wait (HOLO_STREAM (stream), &work->wait);
  hb_stream_enqueue (HOLO_STREAM (stream), number);
  for (guint i = 0; i < work->accesses->len; i++)
    {
      const WorkAccess *access = &g_array_index (work->accesses, WorkAccess, i);

      hb_stream_access (HOLO_STREAM (stream), access->data, &access->desc, access->write, access->label);
    }
  g_mutex_lock (&stream->lock);
  stream->enqueued = number;
  g_queue_push_tail (&stream->queue, work);
  g_cond_signal (&stream->work_cond);
  g_mutex_unlock (&stream->lock);
  g_mutex_unlock (&stream->order);
}

static gboolean
sim_stream_record (HoloStream *stream, guint64 *number, GError **error)
{
  SimStream *self = SIM_STREAM (stream);

  if (set_failed (self->sim, error))
    return FALSE;
  g_mutex_lock (&self->lock);
  *number = self->enqueued;
  g_mutex_unlock (&self->lock);
  return TRUE;
}

static gboolean
sim_stream_wait_fence (HoloStream *stream, const HoloFence *fence, GError **error)
{
  SimStream *self = SIM_STREAM (stream);
  Work *work;

  if (set_failed (self->sim, error))
    return FALSE;
  if (self->captured != NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
                   "a stream that is being captured cannot wait for a fence from outside the capture");
      return FALSE;
    }
  if (!SIM_IS_STREAM (fence->stream))
    return holo_fence_wait_host (fence, error);
  work = work_new (NULL, NULL, NULL);
  work->wait = *fence;
  launch (self, work);
  return TRUE;
}

static gboolean
sim_stream_is_passed (HoloStream *stream, guint64 number)
{
  SimStream *self = SIM_STREAM (stream);

  if (!is_done (self, number))
    return FALSE;
  hb_host_wait (stream, number);
  return TRUE;
}

static gboolean
sim_stream_wait_host (HoloStream *stream, guint64 number, GError **error)
{
  SimStream *self = SIM_STREAM (stream);

  wait_done (self, number);
  hb_host_wait (stream, number);
  return !set_failed (self->sim, error);
}

static gboolean
sim_stream_enqueue_func (HoloStream *stream, HoloStreamFunc func, gpointer user_data, GError **error)
{
  SimStream *self = SIM_STREAM (stream);

  if (set_failed (self->sim, error))
    return FALSE;
  launch (self, work_new (func, user_data, NULL));
  return TRUE;
}

gboolean
sim_stream_begin_capture (HoloStream *stream, GError **error)
{
  SimStream *self = SIM_STREAM (stream);

  if (self->captured != NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "the stream is being captured already");
      return FALSE;
    }
  self->captured = g_ptr_array_new_with_free_func (work_unref);
  return TRUE;
}

GPtrArray *
sim_stream_end_capture (HoloStream *stream)
{
  return g_steal_pointer (&SIM_STREAM (stream)->captured);
}

void
sim_stream_launch (HoloStream *stream, GPtrArray *captured)
{
  for (guint i = 0; i < captured->len; i++)
    {
      Work *work = g_ptr_array_index (captured, i);

      g_atomic_int_inc (&work->ref_count);
      launch (SIM_STREAM (stream), work);
    }
}

static void
sim_stream_finalize (GObject *object)
{
  SimStream *self = SIM_STREAM (object);

  g_mutex_lock (&self->lock);
  self->finished = TRUE;
  g_cond_signal (&self->work_cond);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  g_clear_pointer (&self->captured, g_ptr_array_unref);
  g_rand_free (self->rand);
  g_mutex_clear (&self->order);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->work_cond);
  g_cond_clear (&self->done_cond);
  G_OBJECT_CLASS (sim_stream_parent_class)->finalize (object);
}

static void
sim_stream_class_init (SimStreamClass *klass)
{
  HoloStreamClass *stream_class = HOLO_STREAM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sim_stream_finalize;
  stream_class->record_number = sim_stream_record;
  stream_class->wait_fence = sim_stream_wait_fence;
  stream_class->is_passed = sim_stream_is_passed;
  stream_class->wait_host = sim_stream_wait_host;
  stream_class->enqueue_func = sim_stream_enqueue_func;
}

static void
sim_stream_init (SimStream *self)
{
  g_mutex_init (&self->order);
  g_mutex_init (&self->lock);
  g_cond_init (&self->work_cond);
  g_cond_init (&self->done_cond);
  g_queue_init (&self->queue);
}

/* ---- memory ---- */

static gboolean
may_allocate (SimDevice *self, gsize size, GError **error)
{
  self->n_allocations++;
  if (self->fail_allocation == 0 || --self->fail_allocation > 0)
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY,
               "could not allocate %" G_GSIZE_FORMAT " bytes (the test made it fail)", size);
  return FALSE;
}

static gpointer
take_piece (SimDevice *self, gsize rounded)
{
  for (guint i = 0; i < self->free->len; i++)
    {
      Piece *piece = &g_array_index (self->free, Piece, i);
      gsize offset = piece->offset;

      if (piece->size < rounded)
        continue;
      piece->offset += rounded;
      piece->size -= rounded;
      if (piece->size == 0)
        g_array_remove_index (self->free, i);
      g_hash_table_insert (self->used, GSIZE_TO_POINTER (offset + 1), GSIZE_TO_POINTER (rounded));
      return self->closed + offset;
    }
  return NULL;
}

static gpointer
sim_device_alloc (HoloDevice *device, gsize size, GError **error)
{
  SimDevice *self = SIM_DEVICE (device);
  gsize rounded = (size + PAGE - 1) & ~(PAGE - 1);
  gpointer data = NULL;

  g_mutex_lock (&self->lock);
  if (may_allocate (self, size, error))
    {
      data = size <= ARENA_SIZE ? take_piece (self, rounded) : NULL;
      if (data == NULL)
        g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY, "the simulated device has no %" G_GSIZE_FORMAT " bytes left",
                     size);
      else
        self->allocated += rounded;
    }
  g_mutex_unlock (&self->lock);
  if (data != NULL)
    {
      /* memory that was given back is closed for the device too, until it is given out again */
      mprotect (sim_device_map (self, data), rounded, PROT_READ | PROT_WRITE);
      memset (sim_device_map (self, data), 0xA5, rounded);
    }
  return data;
}

static void
give_piece (SimDevice *self, gsize offset, gsize size)
{
  Piece piece = { offset, size };
  guint i = 0;

  while (i < self->free->len && g_array_index (self->free, Piece, i).offset < offset)
    i++;
  g_array_insert_val (self->free, i, piece);
  if (i + 1 < self->free->len && offset + size == g_array_index (self->free, Piece, i + 1).offset)
    {
      g_array_index (self->free, Piece, i).size += g_array_index (self->free, Piece, i + 1).size;
      g_array_remove_index (self->free, i + 1);
    }
  if (i > 0 &&
      g_array_index (self->free, Piece, i - 1).offset + g_array_index (self->free, Piece, i - 1).size == offset)
    {
      g_array_index (self->free, Piece, i - 1).size += g_array_index (self->free, Piece, i).size;
      g_array_remove_index (self->free, i);
    }
}

static void
sim_device_free (HoloDevice *device, gpointer data)
{
  SimDevice *self = SIM_DEVICE (device);
  gsize offset = (gsize) ((guint8 *) data - self->closed), size;

  g_mutex_lock (&self->lock);
  size = GPOINTER_TO_SIZE (g_hash_table_lookup (self->used, GSIZE_TO_POINTER (offset + 1)));
  g_mutex_unlock (&self->lock);
  g_assert_cmpuint (size, >, 0);
  hb_host_free (data, size, "free of device memory");
  mprotect (sim_device_map (self, data), size, PROT_NONE);
  g_mutex_lock (&self->lock);
  g_hash_table_remove (self->used, GSIZE_TO_POINTER (offset + 1));
  self->allocated -= size;
  give_piece (self, offset, size);
  g_mutex_unlock (&self->lock);
}

static gpointer
sim_device_alloc_host (HoloDevice *device, gsize size, GError **error)
{
  SimDevice *self = SIM_DEVICE (device);
  gboolean may;
  gpointer data;

  g_mutex_lock (&self->lock);
  may = may_allocate (self, size, error);
  g_mutex_unlock (&self->lock);
  if (!may)
    return NULL;
  data = holo_device_alloc (holo_device_get_host (), HOLO_MEM_LOC_HOST, size, error);
  if (data == NULL)
    return NULL;
  memset (data, 0xA5, size);
  g_mutex_lock (&self->lock);
  g_hash_table_insert (self->host_sizes, data, GSIZE_TO_POINTER (size));
  g_mutex_unlock (&self->lock);
  return data;
}

static void
sim_device_free_host (HoloDevice *device, gpointer data)
{
  SimDevice *self = SIM_DEVICE (device);
  gsize size;

  g_mutex_lock (&self->lock);
  size = GPOINTER_TO_SIZE (g_hash_table_lookup (self->host_sizes, data));
  g_hash_table_remove (self->host_sizes, data);
  g_mutex_unlock (&self->lock);
  g_assert_cmpuint (size, >, 0);
  hb_host_free (data, size, "free of host memory");
  holo_device_free (holo_device_get_host (), HOLO_MEM_LOC_HOST, data);
}

gpointer
sim_device_map (SimDevice *device, gconstpointer data)
{
  return device->open + ((const guint8 *) data - device->closed);
}

/* ---- work on views ---- */

typedef struct
{
  HoloTensorView view;
  HoloStorage storage;
} Capture;

/* Copies a view together with its storage, with the address that device threads use. */
static void
capture_view (SimDevice *self, Capture *capture, const HoloTensorView *view)
{
  capture->view = *view;
  if (view->storage == NULL)
    return;
  capture->storage = *view->storage;
  capture->view.storage = &capture->storage;
  if (view->desc.mem_loc == HOLO_MEM_LOC_DEVICE && capture->storage.data != NULL)
    {
      g_assert ((guint8 *) capture->storage.data >= self->closed &&
                (guint8 *) capture->storage.data < self->closed + ARENA_SIZE);
      capture->storage.data = sim_device_map (self, capture->storage.data);
    }
}

typedef struct
{
  Capture dst;
  Capture src;
} CopyJob;

static void
run_copy (gpointer data)
{
  CopyJob *job = data;

  holo_tensor_copy_elements (holo_tensor_view_get_data (&job->dst.view), &job->dst.view.desc,
                             holo_tensor_view_get_data (&job->src.view), &job->src.view.desc);
}

static gboolean
sim_device_copy (HoloDevice *device, HoloStream *stream, const HoloTensorView *dst, const HoloTensorView *src,
                 GError **error)
{
  SimDevice *self = SIM_DEVICE (device);
  CopyJob *job;
  Work *work;

  if (set_failed (self, error))
    return FALSE;
  job = g_new0 (CopyJob, 1);
  capture_view (self, &job->dst, dst);
  capture_view (self, &job->src, src);
  work = work_new (run_copy, job, g_free);
  work_add_access (work, src, FALSE, "source of a device copy");
  work_add_access (work, dst, TRUE, "destination of a device copy");
  launch (SIM_STREAM (stream), work);
  return TRUE;
}

typedef struct
{
  gpointer data;
  gsize size;
} ZeroJob;

static void
run_zero (gpointer data)
{
  ZeroJob *job = data;

  memset (job->data, 0, job->size);
}

static gboolean
sim_device_fill_zero (HoloDevice *device, HoloStream *stream, gpointer data, gsize size, GError **error)
{
  SimDevice *self = SIM_DEVICE (device);
  gint64 shape[] = { (gint64) size };
  WorkAccess access = { data, { 0 }, TRUE, "fill with zero" };
  ZeroJob *job;
  Work *work;

  if (set_failed (self, error))
    return FALSE;
  job = g_new (ZeroJob, 1);
  *job = (ZeroJob){ sim_device_map (self, data), size };
  holo_tensor_desc_init (&access.desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_DEVICE, 1, shape);
  work = work_new (run_zero, job, g_free);
  g_array_append_val (work->accesses, access);
  launch (SIM_STREAM (stream), work);
  return TRUE;
}

/* ---- tasks: the host implementation, in the stream's thread ---- */

#define SIM_TYPE_TASK (sim_task_get_type ())
G_DECLARE_FINAL_TYPE (SimTask, sim_task, SIM, TASK, HoloSyncTask)

struct _SimTask
{
  HoloSyncTask parent_instance;

  SimDevice *sim;
  HoloSyncTask *inner;
};
G_DEFINE_FINAL_TYPE (SimTask, sim_task, HOLO_TYPE_SYNC_TASK)

typedef struct
{
  HoloSyncTask *inner;
  SimDevice *sim;
  HoloSyncContext context;
  Capture *captures;
  HoloTensorView **views;
} TaskJob;

static void
task_job_free (gpointer data)
{
  TaskJob *job = data;

  g_clear_object (&job->context.cancellable);
  g_object_unref (job->inner);
  g_free (job->captures);
  g_free (job->views);
  g_free (job);
}

static void
run_task (gpointer data)
{
  TaskJob *job = data;
  HoloSyncContext context = job->context;
  g_autoptr (GError) error = NULL;
  HoloOpResult result = holo_sync_task_execute (job->inner, &context, &error);

  /* Device code has no results: what a kind decides must be decided by the host. */
  if (result == HOLO_OP_OK || result == HOLO_OP_CANCELLED)
    return;
  g_atomic_int_set (&job->sim->failed, TRUE);
}

static HoloOpResult
sim_task_execute (HoloSyncTask *task, HoloSyncContext *context, GError **error)
{
  SimTask *self = SIM_TASK (task);
  guint n_inputs = context->n_inputs, n = n_inputs + context->n_outputs;
  const gchar *label = holo_task_get_node_name (HOLO_TASK (task));
  TaskJob *job;
  Work *work;

  if (set_failed (self->sim, error))
    return HOLO_OP_ERROR;
  job = g_new0 (TaskJob, 1);
  job->inner = g_object_ref (self->inner);
  job->sim = self->sim;
  job->captures = g_new0 (Capture, n);
  job->views = g_new0 (HoloTensorView *, n);
  work = work_new (run_task, job, task_job_free);
  for (guint i = 0; i < n; i++)
    {
      const HoloTensorView *view = i < n_inputs ? context->inputs[i] : context->outputs[i - n_inputs];

      capture_view (self->sim, &job->captures[i], view);
      job->views[i] = &job->captures[i].view;
      work_add_access (work, view, i >= n_inputs, label);
    }
  job->context = *context;
  job->context.inputs = job->views;
  job->context.outputs = job->views + n_inputs;
  if (context->cancellable != NULL)
    g_object_ref (context->cancellable);
  launch (SIM_STREAM (context->stream), work);
  return HOLO_OP_OK;
}

static gboolean
sim_task_reset (HoloTask *task, GError **error)
{
  return holo_task_reset (HOLO_TASK (SIM_TASK (task)->inner), error);
}

static gboolean
sim_task_finish (HoloTask *task, HoloOpResult result, GError **error)
{
  return holo_task_finish (HOLO_TASK (SIM_TASK (task)->inner), result, error);
}

static void
sim_task_finalize (GObject *object)
{
  SimTask *self = SIM_TASK (object);

  g_clear_object (&self->inner);
  G_OBJECT_CLASS (sim_task_parent_class)->finalize (object);
}

static void
sim_task_class_init (SimTaskClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sim_task_finalize;
  HOLO_TASK_CLASS (klass)->reset = sim_task_reset;
  HOLO_TASK_CLASS (klass)->finish = sim_task_finish;
  HOLO_SYNC_TASK_CLASS (klass)->execute = sim_task_execute;
}

static void
sim_task_init (SimTask *self)
{
}

static void
move_to_host (HoloInference *inference)
{
  for (guint i = 0; i < holo_inference_get_n_inputs (inference); i++)
    holo_inference_get_input (inference, i)->desc.mem_loc = HOLO_MEM_LOC_HOST;
  for (guint i = 0; i < holo_inference_get_n_outputs (inference); i++)
    holo_inference_get_output (inference, i)->desc.mem_loc = HOLO_MEM_LOC_HOST;
}

static HoloTask *
sim_device_create_task (HoloDevice *device, HoloTaskFactory *factory, const HoloInference *inference,
                        gconstpointer create_context, GError **error)
{
  HoloSyncTaskFactoryClass *klass;
  HoloSyncCreateContext context = { NULL, holo_device_get_host () };
  g_auto (HoloInference) on_host = { 0 };
  HoloSyncTask *inner;
  SimTask *task;

  if (!HOLO_IS_SYNC_TASK_FACTORY (factory))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_NOT_SUPPORTED,
                   "the simulated device runs synchronous kinds only, not %s", holo_task_factory_get_kind (factory));
      return NULL;
    }
  context.stream = ((const HoloSyncCreateContext *) create_context)->stream;
  holo_inference_copy (&on_host, inference);
  move_to_host (&on_host);
  klass = HOLO_SYNC_TASK_FACTORY_GET_CLASS (factory);
  inner = klass->create (HOLO_SYNC_TASK_FACTORY (factory), &on_host, &context, error);
  if (inner == NULL)
    return NULL;
  task = g_object_new (SIM_TYPE_TASK, NULL);
  task->sim = SIM_DEVICE (device);
  task->inner = inner;
  return HOLO_TASK (task);
}

/* ---- the device ---- */

static const gchar *
sim_device_get_name (HoloDevice *device)
{
  return "simulated";
}

static HoloStream *
sim_device_create_stream (HoloDevice *device, GError **error)
{
  SimDevice *self = SIM_DEVICE (device);
  SimStream *stream;

  if (set_failed (self, error))
    return NULL;
  g_mutex_lock (&self->lock);
  if (self->free_streams->len > 0)
    stream = g_ptr_array_steal_index_fast (self->free_streams, self->free_streams->len - 1);
  else
    {
      stream = g_object_new (SIM_TYPE_STREAM, NULL);
      stream->sim = self;
      stream->rand = g_rand_new_with_seed (self->seed * 31u + self->streams->len);
      stream->thread = g_thread_new ("sim-stream", stream_thread, stream);
      g_ptr_array_add (self->streams, stream);
    }
  g_mutex_unlock (&self->lock);
  return HOLO_STREAM (stream);
}

static void
sim_device_release_stream (HoloDevice *device, HoloStream *stream)
{
  SimDevice *self = SIM_DEVICE (device);

  /* "its work has ended" is the caller's promise */
  g_assert_true (is_done (SIM_STREAM (stream), SIM_STREAM (stream)->enqueued));
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->free_streams, stream);
  g_mutex_unlock (&self->lock);
}

static gboolean
sim_device_synchronize (HoloDevice *device, GError **error)
{
  SimDevice *self = SIM_DEVICE (device);

  for (guint i = 0;; i++)
    {
      SimStream *stream = NULL;
      guint64 number;

      g_mutex_lock (&self->lock);
      if (i < self->streams->len)
        stream = g_ptr_array_index (self->streams, i);
      g_mutex_unlock (&self->lock);
      if (stream == NULL)
        break;
      g_mutex_lock (&stream->lock);
      number = stream->enqueued;
      g_mutex_unlock (&stream->lock);
      wait_done (stream, number);
      hb_host_wait (HOLO_STREAM (stream), number);
    }
  return !set_failed (self, error);
}

/* Takes the first block of the chain whose fences have passed out of it. */
static HoloBlock *
take_passed (SimDevice *self)
{
  for (HoloBlock **link = &self->retired; *link != NULL; link = &(*link)->next)
    if (holo_fence_set_is_passed (&(*link)->fences))
      {
        HoloBlock *block = *link;

        *link = block->next;
        block->next = NULL;
        return block;
      }
  return NULL;
}

static gpointer
retire_thread (gpointer data)
{
  SimDevice *self = data;

  g_mutex_lock (&self->lock);
  while (!self->finished || self->retired != NULL)
    {
      HoloBlock *block = take_passed (self);

      if (block == NULL)
        {
          g_cond_wait (&self->retire_cond, &self->lock);
          continue;
        }
      g_mutex_unlock (&self->lock);
      holo_fence_set_clear (&block->fences);
      hb_observe (block);
      hb_publish (block->data);
      block->release (block);
      g_mutex_lock (&self->lock);
    }
  g_mutex_unlock (&self->lock);
  return NULL;
}

static void
sim_device_retire (HoloDevice *device, HoloBlock *block)
{
  SimDevice *self = SIM_DEVICE (device);

  hb_publish (block);
  g_mutex_lock (&self->lock);
  block->next = self->retired;
  self->retired = block;
  g_cond_signal (&self->retire_cond);
  g_mutex_unlock (&self->lock);
}

static gboolean
sim_device_supports_kind (HoloDevice *device, const gchar *kind)
{
  return TRUE;
}

static void
sim_device_finalize (GObject *object)
{
  SimDevice *self = SIM_DEVICE (object);

  sim_device_hold (self, FALSE);
  g_mutex_lock (&self->lock);
  self->finished = TRUE;
  g_cond_signal (&self->retire_cond);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->retirer);     /* retired blocks name fences of the streams */
  g_ptr_array_unref (self->streams); /* joins the threads, which end when their queue is empty */
  g_ptr_array_unref (self->free_streams);
  g_assert_cmpuint (self->allocated, ==, 0);
  g_hash_table_unref (self->used);
  g_hash_table_unref (self->host_sizes);
  g_array_unref (self->free);
  munmap (self->closed, ARENA_SIZE);
  munmap (self->open, ARENA_SIZE);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->retire_cond);
  G_OBJECT_CLASS (sim_device_parent_class)->finalize (object);
}

static void
sim_device_class_init (SimDeviceClass *klass)
{
  HoloDeviceClass *device_class = HOLO_DEVICE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sim_device_finalize;
  device_class->get_name = sim_device_get_name;
  device_class->alloc = sim_device_alloc;
  device_class->free = sim_device_free;
  device_class->alloc_host = sim_device_alloc_host;
  device_class->free_host = sim_device_free_host;
  device_class->create_stream = sim_device_create_stream;
  device_class->release_stream = sim_device_release_stream;
  device_class->copy = sim_device_copy;
  device_class->fill_zero = sim_device_fill_zero;
  device_class->create_task = sim_device_create_task;
  device_class->synchronize = sim_device_synchronize;
  device_class->retire = sim_device_retire;
  device_class->supports_kind = sim_device_supports_kind;
}

static void
sim_device_init (SimDevice *self)
{
  Piece all = { 0, ARENA_SIZE };
  int file = memfd_create ("simulated-device", MFD_CLOEXEC);

  g_mutex_init (&self->lock);
  g_cond_init (&self->retire_cond);
  if (file < 0 || ftruncate (file, ARENA_SIZE) != 0)
    g_error ("no memory for the simulated device");
  self->closed = mmap (NULL, ARENA_SIZE, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
  self->open = mmap (NULL, ARENA_SIZE, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (self->closed == MAP_FAILED || self->open == MAP_FAILED)
    g_error ("no memory for the simulated device");
  close (file);
  self->used = g_hash_table_new (NULL, NULL);
  self->host_sizes = g_hash_table_new (NULL, NULL);
  self->free = g_array_new (FALSE, FALSE, sizeof (Piece));
  g_array_append_val (self->free, all);
  self->streams = g_ptr_array_new_with_free_func (g_object_unref);
  self->free_streams = g_ptr_array_new ();
  self->retirer = g_thread_new ("sim-retire", retire_thread, self);
}

HoloDevice *
sim_device_new (guint seed, guint max_delay_us)
{
  SimDevice *self = g_object_new (SIM_TYPE_DEVICE, NULL);

  self->seed = seed;
  self->max_delay_us = max_delay_us;
  return HOLO_DEVICE (self);
}

/* Streams that exist keep their sequence; @seed counts for those made later. */
void
sim_device_set_delays (SimDevice *device, guint seed, guint max_delay_us)
{
  g_mutex_lock (&device->lock);
  device->seed = seed;
  __atomic_store_n (&device->max_delay_us, max_delay_us, __ATOMIC_RELAXED);
  g_mutex_unlock (&device->lock);
}

void
sim_device_fail_allocation (SimDevice *device, guint n)
{
  g_mutex_lock (&device->lock);
  device->fail_allocation = n;
  g_mutex_unlock (&device->lock);
}

guint
sim_device_get_n_allocations (SimDevice *device)
{
  guint n;

  g_mutex_lock (&device->lock);
  n = device->n_allocations;
  g_mutex_unlock (&device->lock);
  return n;
}

gsize
sim_device_get_allocated (SimDevice *device)
{
  gsize allocated;

  g_mutex_lock (&device->lock);
  allocated = device->allocated;
  g_mutex_unlock (&device->lock);
  return allocated;
}

void
sim_device_fail_work (SimDevice *device, guint n)
{
  g_atomic_int_set (&device->fail_work, (gint) n);
  if (n > 0 || !g_atomic_int_get (&device->failed))
    return;
  /* It refuses to be waited for, so nobody has: what it still has to do is left out before it is revived. */
  sim_device_synchronize (HOLO_DEVICE (device), NULL);
  g_atomic_int_set (&device->failed, FALSE);
}

void
sim_device_hold (SimDevice *device, gboolean hold)
{
  g_atomic_int_set (&device->held, hold);
}
