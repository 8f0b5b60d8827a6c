/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kind BatchQueue: regroups a stream along the leading dimension, without copies: the node before writes into
 * the ring, the node behind reads from it. Copied are only the elements at the start of the ring that a
 * window across its end needs a second time (see holo-window-ring.h). */
#include <string.h>

#include "base/holo-error.h"
#include "tasks/holo-builtin-kinds.h"
#include "tasks/holo-window-ring.h"

typedef struct
{
  HoloAsyncTaskFactory parent_instance;

  gint64 target_capacity;
  gint64 output_size;
  gint64 output_stride; /* see get_stride() */
} BatchQueueSettings;

/* ---- memory behind a ring ---- */

/* What is known of the elements of one push. */
typedef struct
{
  HoloStamp stamp;
  HoloFence written; /* producer's work that fills them */
  HoloFence read;    /* consumer's work that used them last */
} Group;

typedef struct
{
  HoloWindowRing ring;
  HoloDevice *device;
  HoloMemLoc mem_loc;
  gsize element_size;
  gsize offset; /* of the tensors that are written and read here */
  guint8 *memory;
  Group *groups;
} Ring;

static void
ring_free (Ring *self)
{
  holo_device_free (self->device, self->mem_loc, self->memory);
  g_clear_object (&self->device);
  g_free (self->groups);
  g_aligned_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Ring, ring_free)

static Ring *
ring_new (const HoloWindowRing *layout, const HoloTensorDesc *input, HoloDevice *device, GError **error)
{
  g_autoptr (Ring) self = g_aligned_alloc0 (1, sizeof (Ring), 64);
  gsize n_groups = layout->group > 0 ? (gsize) (layout->n_elements / layout->group) : 0, size;

  self->ring = *layout;
  self->device = g_object_ref (device);
  self->mem_loc = input->mem_loc;
  self->element_size = (gsize) input->strides[0];
  self->offset = (gsize) input->offset;
  /* Room for a mirror in any case: an update may need one. infer() has checked that this does not
   * overflow. */
  size = self->offset + (gsize) (layout->n_elements + layout->size - 1) * self->element_size;
  self->memory = holo_device_alloc (device, input->mem_loc, size, error);
  if (self->memory == NULL)
    return NULL;
  self->groups = g_try_new0 (Group, MAX (n_groups, 1));
  if (self->groups == NULL)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY, "no memory for the stamps of %" G_GSIZE_FORMAT " groups",
                   n_groups);
      return NULL;
    }
  return g_steal_pointer (&self);
}

/* Storage address at which a tensor's first element is element @position. */
static guint8 *
ring_get_address (Ring *self, gint64 position)
{
  return self->memory + (gsize) position * self->element_size;
}

static Group *
ring_get_group (Ring *self, gint64 position)
{
  return &self->groups[self->ring.group > 0 ? (position % self->ring.n_elements) / self->ring.group : 0];
}

static gboolean
copy_bytes (Ring *dst, gint64 dst_position, Ring *src, gint64 src_position, gint64 n, HoloStream *stream,
            GError **error)
{
  gint64 n_bytes = n * (gint64) src->element_size;
  guint8 *to = ring_get_address (dst, dst_position) + dst->offset,
         *from = ring_get_address (src, src_position) + src->offset;
  HoloTensorDesc desc;
  HoloStorage dst_storage = { to, (gsize) n_bytes, dst->mem_loc, dst->device, NULL };
  HoloStorage src_storage = { from, (gsize) n_bytes, src->mem_loc, src->device, NULL };
  HoloTensorView dst_view, src_view;

  if (n_bytes == 0)
    return TRUE;
  if (src->mem_loc == HOLO_MEM_LOC_HOST)
    {
      memcpy (to, from, (gsize) n_bytes);
      return TRUE;
    }
  holo_tensor_desc_init (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_DEVICE, 1, &n_bytes);
  holo_tensor_view_init (&dst_view, &desc, &dst_storage);
  holo_tensor_view_init (&src_view, &desc, &src_storage);
  return holo_device_copy (src->device, stream, &dst_view, &src_view, error);
}

/* Repeats what of @position .. + @n lies at the start of the ring behind its end; @fence then covers the
 * copy. */
static gboolean
ring_mirror (Ring *self, gint64 position, gint64 n, HoloFence *fence, HoloStream *stream, GError **error)
{
  n = MIN (position + n, self->ring.n_mirrored) - position;
  if (n <= 0)
    return TRUE;
  if (self->mem_loc == HOLO_MEM_LOC_HOST)
    return holo_fence_wait_host (fence, error) &&
           copy_bytes (self, self->ring.n_elements + position, self, position, n, NULL, error);
  return holo_stream_wait_fence (stream, fence, error) &&
         copy_bytes (self, self->ring.n_elements + position, self, position, n, stream, error) &&
         holo_stream_record (stream, fence, error);
}

/* ---- moving contents, for a change of settings ---- */

static gint64
modulo (gint64 value, gint64 n)
{
  gint64 rest = value % n;

  return rest < 0 ? rest + n : rest;
}

/* Where the first of @held elements (less than 0: so many have yet to be skipped) may lie, so that the next
 * group starts at a multiple of its size and, without a mirror, the first window at one of the stride; -1 if
 * nowhere. */
static gint64
find_start (const HoloWindowRing *ring, gint64 held)
{
  gint64 step = ring->n_mirrored > 0 || ring->size == 1 ? 1 : ring->stride;

  for (gint64 start = 0; start < ring->n_elements; start += step)
    if (ring->group == 0 || modulo (start + held, ring->group) == 0)
      return start;
  return -1;
}

static gboolean
move_contents (Ring *dst, gint64 to, Ring *src, gint64 from, gint64 n, HoloStream *stream, GError **error)
{
  while (n > 0)
    {
      gint64 run = MIN (n, MIN (dst->ring.n_elements - to, src->ring.n_elements - from));

      if (!copy_bytes (dst, to, src, from, run, stream, error))
        return FALSE;
      for (gint64 i = 0; i < run; i++)
        *ring_get_group (dst, to + i) = *ring_get_group (src, from + i);
      to = (to + run) % dst->ring.n_elements;
      from = (from + run) % src->ring.n_elements;
      n -= run;
    }
  return TRUE;
}

/* Takes over counts and contents of @src, which has not more room and is not in use. */
static gboolean
ring_take_over (Ring *self, Ring *src, HoloStream *stream, GError **error)
{
  HoloWindowRing *ring = &self->ring;
  gint64 held = (gint64) (src->ring.written - src->ring.consumed), from = src->ring.read_position, to;
  HoloFence fence = HOLO_FENCE_INIT;

  to = find_start (ring, held);
  if (to < 0)
    {
      ring->n_mirrored = ring->size - 1;
      to = find_start (ring, held);
    }
  ring->written = src->ring.written;
  ring->consumed = src->ring.consumed;
  ring->accounted = src->ring.accounted;
  ring->read_position = to;
  ring->write_position = modulo (to + held, ring->n_elements);
  return move_contents (self, to, src, from, held, stream, error) &&
         ring_mirror (self, 0, ring->n_elements, &fence, stream, error) &&
         (stream == NULL || holo_stream_synchronize (stream, error));
}

/* ---- the running task ---- */

typedef struct
{
  HoloTask *task; /* that this is the state of */
  Ring *ring;
  Ring *staged;       /* replaces it at the next commit */
  HoloStream *stream; /* for moving contents on a device; borrowed */
  gint input_ended;   /* atomic */
  gint output_ended;  /* atomic */
  gboolean given_out; /* consumer: a window is popped and not released */
  guint64 n_popped;   /* consumer */
} BatchQueueState;

static void
discard (BatchQueueState *self, guint64 n)
{
  if (n > 0)
    holo_task_add_discarded (self->task, n);
}

static HoloOpResult
batch_acquire_input (HoloTask *task, guint index, HoloTensorView *view, GError **error)
{
  BatchQueueState *self = holo_task_get_state (task);
  HoloWindowRing *ring = &self->ring->ring;

  /* Behind an ended output the consumer may still hold its last window, wherever that lies. */
  if (g_atomic_int_get (&self->output_ended))
    return HOLO_OP_EOF;
  if (!_holo_window_ring_can_push (ring))
    return HOLO_OP_NOT_READY;
  view->storage->data = ring_get_address (self->ring, ring->write_position);
  view->fence = ring_get_group (self->ring, ring->write_position)->read;
  return HOLO_OP_OK;
}

static HoloOpResult
batch_try_push (HoloAsyncTask *task, HoloPushContext *context, GError **error)
{
  BatchQueueState *self = holo_task_get_state (task);
  HoloWindowRing *ring = &self->ring->ring;
  HoloTensorView *view = context->inputs[0];
  Group *group;

  if (g_atomic_int_get (&self->output_ended))
    return HOLO_OP_EOF;
  if (!_holo_window_ring_can_push (ring))
    return HOLO_OP_NOT_READY;
  if (view->storage->data != ring_get_address (self->ring, ring->write_position))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_STATE,
                   "the tensor pushed into a BatchQueue does not lie in the slot it gave");
      return HOLO_OP_ERROR;
    }
  group = ring_get_group (self->ring, ring->write_position);
  if (!ring_mirror (self->ring, ring->write_position, ring->group, &view->fence, context->stream, error))
    return HOLO_OP_ERROR;
  group->stamp = view->stamp;
  group->written = view->fence;
  _holo_window_ring_push (ring);
  /* Either this thread sees the end of the output, or the one that ends it sees the new elements. */
  if (g_atomic_int_get (&self->output_ended))
    discard (self, _holo_window_ring_account (ring, ring->written));
  return HOLO_OP_OK;
}

/* Elements @first .. + @n of a group of @size elements. Without a duration, only the group's own time is
 * known. */
static HoloStamp
get_part (const HoloStamp *stamp, gint64 first, gint64 n, gint64 size)
{
  HoloStamp part = *stamp;
  guint64 start, end;

  if (stamp->duration == HOLO_TIME_NONE || n == size)
    return part;
  start = (guint64) ((gdouble) stamp->duration * (gdouble) first / (gdouble) size + 0.5);
  end = (guint64) ((gdouble) stamp->duration * (gdouble) (first + n) / (gdouble) size + 0.5);
  part.duration = end - start;
  if (part.pts != HOLO_TIME_NONE)
    part.pts += start;
  return part;
}

/* The stamp of a window, merged from the groups that it touches; the fence of the last one implies the
 * earlier ones. */
static void
get_window_stamp (BatchQueueState *self, HoloStamp *stamp, HoloFence *fence)
{
  const HoloWindowRing *ring = &self->ring->ring;
  gint64 position = ring->read_position, end = position + ring->size;
  gboolean filler = TRUE, first = TRUE;

  while (position < end)
    {
      const Group *group = ring_get_group (self->ring, position);
      gint64 inside = position % ring->group, n = MIN (ring->group - inside, end - position);
      HoloStamp part = get_part (&group->stamp, inside, n, ring->group);

      filler = filler && (part.flags & HOLO_STAMP_GAP);
      if (first)
        *stamp = part;
      else
        holo_stamp_merge (stamp, &part);
      first = FALSE;
      *fence = group->written;
      position += n;
    }
  if (!filler)
    stamp->flags &= ~(guint) HOLO_STAMP_GAP;
}

static HoloOpResult
batch_try_pop (HoloAsyncTask *task, HoloPopContext *context, GError **error)
{
  BatchQueueState *self = holo_task_get_state (task);
  HoloWindowRing *ring = &self->ring->ring;
  HoloTensorView *view = context->outputs[0];
  gboolean ended = g_atomic_int_get (&self->input_ended); /* before "empty" */

  if (self->given_out)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_STATE, "a BatchQueue was popped before its last output was released");
      return HOLO_OP_ERROR;
    }
  if (!_holo_window_ring_can_pop (ring))
    {
      if (!ended)
        return HOLO_OP_NOT_READY;
      discard (self, _holo_window_ring_account (ring, __atomic_load_n (&ring->written, __ATOMIC_ACQUIRE)));
      return HOLO_OP_EOF;
    }
  view->storage->data = ring_get_address (self->ring, ring->read_position);
  get_window_stamp (self, &view->stamp, &view->fence);
  view->stamp.seq = self->n_popped++;
  discard (self, _holo_window_ring_pop (ring));
  self->given_out = TRUE;
  return HOLO_OP_OK;
}

/* The window is where it was. */
static void
batch_unpop (HoloAsyncTask *task, HoloPopContext *context)
{
  BatchQueueState *self = holo_task_get_state (task);

  if (!self->given_out)
    return;
  _holo_window_ring_unpop (&self->ring->ring);
  self->given_out = FALSE;
  self->n_popped--;
}

static void
batch_release_output (HoloTask *task, guint index, const HoloFence *fence)
{
  BatchQueueState *self = holo_task_get_state (task);
  HoloWindowRing *ring = &self->ring->ring;
  gint64 position = ring->read_position, end = position + ring->size;

  if (!self->given_out)
    return;
  /* Groups that are wholly behind the readers are free as soon as the count below says so. */
  while (fence != NULL && position < end)
    {
      ring_get_group (self->ring, position)->read = *fence;
      position += ring->group - position % ring->group;
    }
  self->given_out = FALSE;
  _holo_window_ring_release (ring);
}

static void
batch_end_of_input (HoloAsyncTask *task)
{
  g_atomic_int_set (&((BatchQueueState *) holo_task_get_state (task))->input_ended, TRUE);
}

static void
batch_end_of_output (HoloAsyncTask *task)
{
  BatchQueueState *self = holo_task_get_state (task);
  HoloWindowRing *ring = &self->ring->ring;

  g_atomic_int_set (&self->output_ended, TRUE);
  discard (self, _holo_window_ring_account (ring, __atomic_load_n (&ring->written, __ATOMIC_SEQ_CST)));
}

static gboolean
batch_reset (HoloTask *task, GError **error)
{
  BatchQueueState *self = holo_task_get_state (task);
  const HoloWindowRing *ring = &self->ring->ring;

  memset (self->ring->groups, 0,
          (ring->group > 0 ? (gsize) (ring->n_elements / ring->group) : 1) * sizeof *self->ring->groups);
  _holo_window_ring_reset (&self->ring->ring);
  self->input_ended = self->output_ended = FALSE;
  self->given_out = FALSE;
  self->n_popped = 0;
  return TRUE;
}

static void
batch_commit (HoloTask *task)
{
  BatchQueueState *self = holo_task_get_state (task);
  g_autoptr (GError) error = NULL;

  if (self->staged == NULL)
    return;
  if (!ring_take_over (self->staged, self->ring, self->stream, &error))
    {
      guint64 n = _holo_window_ring_account (&self->ring->ring, self->ring->ring.written);

      holo_task_log (task, G_LOG_LEVEL_WARNING,
                     "%" G_GUINT64_FORMAT " elements are lost with the change of settings: %s", n, error->message);
      discard (self, n);
      _holo_window_ring_reset (&self->staged->ring);
    }
  g_clear_pointer (&self->ring, ring_free);
  self->ring = g_steal_pointer (&self->staged);
}

static void
batch_rollback (HoloTask *task)
{
  g_clear_pointer (&((BatchQueueState *) holo_task_get_state (task))->staged, ring_free);
}

static void
batch_clear (HoloTask *task)
{
  batch_rollback (task);
  g_clear_pointer (&((BatchQueueState *) holo_task_get_state (task))->ring, ring_free);
}

/* ---- making it ---- */

static gint64
get_stride (const BatchQueueSettings *self)
{
  return holo_settings_is_set ((HoloTaskFactory *) self, "output-stride") ? self->output_stride : self->output_size;
}

/* The layout for @input; also used to ask whether the memory's size can be said at all. */
static gboolean
get_layout (const BatchQueueSettings *self, const HoloTensorDesc *input, HoloWindowRing *layout, GError **error)
{
  gint64 n_elements, n_bytes;

  if (_holo_window_ring_init (layout, input->shape[0], self->target_capacity, self->output_size, get_stride (self)) &&
      !__builtin_add_overflow (layout->n_elements, layout->size, &n_elements) &&
      !__builtin_mul_overflow (n_elements, input->strides[0], &n_bytes) &&
      !__builtin_add_overflow (n_bytes, input->offset, &n_bytes))
    return TRUE;
  g_set_error (error, HOLO_ERROR, HOLO_ERROR_OVERFLOW,
               "the memory for target_capacity %" G_GINT64_FORMAT ", output_size %" G_GINT64_FORMAT
               " and input groups of %" G_GINT64_FORMAT " does not fit 63 bits",
               self->target_capacity, self->output_size, input->shape[0]);
  return FALSE;
}

/* Extent 1 leaves the leading stride open; an element is what lies behind it. */
static void
normalise_strides (HoloTensorDesc *desc, const HoloTensorDesc *input)
{
  holo_tensor_desc_init_dense_like (desc, input);
  desc->offset = input->offset;
}

static void
set_rate (HoloInferredOutput *output, gint64 group, gint64 stride)
{
  gint64 a = group, b = stride;

  while (b != 0)
    {
      gint64 rest = a % b;

      a = b;
      b = rest;
    }
  output->rate_n = 0;
  output->rate_d = 1;
  if (group > 0 && group / a <= G_MAXINT && stride / a <= G_MAXINT)
    {
      output->rate_n = (gint) (group / a);
      output->rate_d = (gint) (stride / a);
    }
}

static gboolean
batch_infer (HoloTaskFactory *factory, HoloInference *inference, GError **error)
{
  BatchQueueSettings *self = (BatchQueueSettings *) factory;
  HoloInferredInput *input = holo_inference_get_input (inference, 0);
  gint64 group = input->desc.shape[0];
  HoloInferredOutput *output;
  HoloTensorDesc desc;
  HoloWindowRing layout;

  normalise_strides (&desc, &input->desc);
  if (!get_layout (self, &desc, &layout, error))
    return FALSE;
  desc.shape[0] = self->output_size;
  output = holo_inference_add_output (inference, &desc);
  output->owned = TRUE;
  /* A window that no other one shares may be overwritten by whoever reads it. */
  output->writable = layout.stride >= layout.size;
  set_rate (output, group, layout.stride);
  output->held_min = group > 0 ? (guint) MIN ((self->output_size - 1) / group, G_MAXINT) : 0;
  output->held_max = group > 0 ? (guint) MIN (layout.limit / group, G_MAXINT) : G_MAXUINT;
  input->owned = TRUE;
  inference->signals_readiness = TRUE;
  /* A mirror on the host is a copy made here: what it reads must be there. */
  inference->handles_fences = layout.n_mirrored == 0 || input->desc.mem_loc == HOLO_MEM_LOC_DEVICE;
  return TRUE;
}

static HoloStream *
get_stream (const HoloAsyncCreateContext *context)
{
  return context->consumer_stream != NULL ? context->consumer_stream : context->producer_stream;
}

static gboolean
batch_set_up (HoloAsyncTaskFactory *factory, HoloAsyncTask *task, const HoloInference *inference,
              const HoloAsyncCreateContext *context, GError **error)
{
  BatchQueueState *self = holo_task_get_state (task);
  HoloTensorDesc input;
  HoloWindowRing layout;

  self->task = HOLO_TASK (task);
  self->stream = get_stream (context);
  normalise_strides (&input, holo_inference_get_input_desc (inference, 0));
  if (get_layout ((BatchQueueSettings *) factory, &input, &layout, error))
    self->ring = ring_new (&layout, &input, context->device, error);
  return self->ring != NULL;
}

static gboolean
has_layout (const Ring *ring, const HoloWindowRing *layout)
{
  return layout->limit == ring->ring.limit && layout->size == ring->ring.size && layout->stride == ring->ring.stride;
}

/* Contents stay as long as the tensors do; a ring that changes is never smaller than the old one, so that
 * they fit. */
static HoloChange
batch_change (HoloAsyncTaskFactory *factory, HoloAsyncTask *task, const HoloInference *old_inference,
              const HoloInference *inference, const HoloAsyncCreateContext *context, GError **error)
{
  BatchQueueState *self = holo_task_get_state (task);
  HoloTensorDesc input;
  HoloWindowRing layout, staged;

  if (!holo_tensor_desc_equal (holo_inference_get_input_desc (old_inference, 0),
                               holo_inference_get_input_desc (inference, 0)) ||
      !holo_tensor_desc_equal (holo_inference_get_output_desc (old_inference, 0),
                               holo_inference_get_output_desc (inference, 0)) ||
      self->ring->device != context->device)
    return HOLO_CHANGE_NEW_TASK;
  normalise_strides (&input, holo_inference_get_input_desc (inference, 0));
  if (!get_layout ((BatchQueueSettings *) factory, &input, &layout, error))
    return HOLO_CHANGE_REFUSED;
  batch_rollback (HOLO_TASK (task));
  self->stream = get_stream (context);
  if (has_layout (self->ring, &layout))
    return HOLO_CHANGE_STAGED;
  staged = layout;
  if (layout.n_elements < self->ring->ring.n_elements &&
      !_holo_window_ring_init (&staged, layout.group, self->ring->ring.n_elements, layout.size, layout.stride))
    staged = layout;
  self->staged = ring_new (&staged, &input, context->device, error);
  if (self->staged == NULL)
    return HOLO_CHANGE_REFUSED;
  self->staged->ring.limit = layout.limit;
  return HOLO_CHANGE_STAGED;
}

static void
holo_batch_queue_class_init (gpointer klass)
{
  holo_task_factory_class_set_description (
      klass, "Regroups a stream along its leading dimension into windows, in a ring without copies",
      "Input tensors `[n, ...]` are taken as n elements each; output `k` holds elements `k * output_stride` "
      "to `k * output_stride + output_size - 1` as one tensor `[output_size, ...]`. With `output_stride` "
      "equal to `output_size` that is batching; a larger stride leaves elements out, a smaller one makes "
      "windows overlap.\n\n"
      "The node before writes straight into the ring, the node behind reads there. When the ring is full, "
      "the node before waits: nothing is dropped. Room is `target_capacity` (or `output_size`, if that is "
      "more) and one input tensor, rounded up.\n\n"
      "Stamps: time of the first element, sum of the durations, first and last input frame of the window. "
      "Counted as `discarded` are elements that no window holds: those between windows when the stride is "
      "larger than the size, and at the end of the stream those of an incomplete window. Elements in = "
      "elements that came out at least once + discarded.");
  holo_task_factory_class_set_example (klass, "{\"target_capacity\": 64, \"output_size\": 16, \"output_stride\": 16}");
  holo_task_factory_class_add_input (klass, "in", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 1, HOLO_MAX_RANK, HOLO_SLOT_DENSE,
                                     "groups of elements [n, ...]");
  holo_task_factory_class_add_output (klass, "out", HOLO_DTYPES_ALL, HOLO_MEM_LOCS_ANY, 1, HOLO_MAX_RANK,
                                      HOLO_SLOT_DENSE, "windows [output_size, ...]");
  holo_settings_install_int64 (klass, "target-capacity", "Elements the ring has room for at least", "elements", 1,
                               G_MAXINT, 16, HOLO_SETTING_LIVE, G_STRUCT_OFFSET (BatchQueueSettings, target_capacity));
  holo_settings_install_int64 (klass, "output-size", "Elements of one output", "elements", 1, G_MAXINT, 1,
                               HOLO_SETTING_NONE, G_STRUCT_OFFSET (BatchQueueSettings, output_size));
  holo_settings_install_int64 (
      klass, "output-stride", "Elements from the start of one output to that of the next; unset: output-size",
      "elements", 1, G_MAXINT, 1, HOLO_SETTING_NULLABLE, G_STRUCT_OFFSET (BatchQueueSettings, output_stride));
}

static const HoloAsyncFunctions functions = {
  .state_size = sizeof (BatchQueueState),
  .infer = batch_infer,
  .set_up = batch_set_up,
  .try_push = batch_try_push,
  .try_pop = batch_try_pop,
  .end_of_input = batch_end_of_input,
  .end_of_output = batch_end_of_output,
  .reset = batch_reset,
  .clear = batch_clear,
  .acquire_input = batch_acquire_input,
  .release_output = batch_release_output,
  .unpop = batch_unpop,
  .change = batch_change,
  .commit = batch_commit,
  .rollback = batch_rollback,
};

HOLO_DEFINE_ASYNC_KIND (holo_batch_queue, "BatchQueue", BatchQueueSettings, functions)
