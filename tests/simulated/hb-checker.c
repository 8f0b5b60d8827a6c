/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hb-checker.h"

#include <malloc.h>
#include <sched.h>
#include <string.h>

/* A clock holds, per context (host thread or stream), how much of that context's past is known to be over. */
typedef GArray Clock; /* of guint64, by context index */

typedef struct
{
  guint index;
  gchar *name;
  Clock *clock;
  GPtrArray *history;   /* streams: the clock after each piece of work */
  guint64 first_number; /* number of history[0] */
} Context;

typedef struct
{
  guint context;
  guint64 time;
  const gchar *label; /* interned */
} Epoch;

/* Bytes with one and the same past; the cells are sorted and do not overlap. */
typedef struct
{
  guintptr start;
  guintptr end;
  Epoch write;   /* label NULL: never written */
  GArray *reads; /* (nullable): one Epoch per context since the write */
} Cell;

typedef struct
{
  guint64 borrowed_in; /* masks of slots */
  guint64 borrowed_out;
  guint64 views_out; /* show an input's memory and are not written */
  gboolean regroups;
} TaskSlots;

static struct
{
  GMutex lock;
  gint active;
  guint generation;
  gboolean collect;
  guint n_errors;
  gchar *first_error;
  const gchar *context;
  guint64 n_accesses;
  GPtrArray *contexts;
  GHashTable *streams;
  GHashTable *objects; /* address -> Clock */
  GHashTable *tasks;   /* HoloTask -> TaskSlots */
  GArray *cells;
} hb;

static __thread struct
{
  guint generation;
  Context *context;
} current_thread;

/* ---- clocks ---- */

static guint64
clock_get (const Clock *clock, guint index)
{
  return index < clock->len ? g_array_index (clock, guint64, index) : 0;
}

static void
clock_join (Clock *clock, const Clock *other)
{
  if (clock->len < other->len)
    g_array_set_size (clock, other->len);
  for (guint i = 0; i < other->len; i++)
    g_array_index (clock, guint64, i) = MAX (g_array_index (clock, guint64, i), g_array_index (other, guint64, i));
}

static void
clock_tick (Context *context)
{
  if (context->clock->len <= context->index)
    g_array_set_size (context->clock, context->index + 1);
  g_array_index (context->clock, guint64, context->index)++;
}

static Clock *
clock_new (void)
{
  return g_array_new (FALSE, TRUE, sizeof (guint64));
}

static void
context_free (gpointer data)
{
  Context *context = data;

  g_free (context->name);
  g_array_unref (context->clock);
  g_clear_pointer (&context->history, g_ptr_array_unref);
  g_free (context);
}

static Context *
context_new (gchar *name)
{
  Context *context = g_new0 (Context, 1);

  context->index = hb.contexts->len;
  context->name = name;
  context->clock = clock_new ();
  clock_tick (context);
  g_ptr_array_add (hb.contexts, context);
  return context;
}

static Context *
get_thread (void)
{
  if (current_thread.context == NULL || current_thread.generation != hb.generation)
    {
      current_thread.generation = hb.generation;
      current_thread.context = context_new (g_strdup_printf ("thread %u", hb.contexts->len));
    }
  return current_thread.context;
}

static Context *
get_stream (HoloStream *stream)
{
  Context *context = g_hash_table_lookup (hb.streams, stream);

  if (context == NULL)
    {
      context = context_new (g_strdup_printf ("stream %u", hb.contexts->len));
      context->history = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
      g_hash_table_insert (hb.streams, stream, context);
    }
  return context;
}

/* ---- cells ---- */

static void
cell_clear (gpointer data)
{
  g_clear_pointer (&((Cell *) data)->reads, g_array_unref);
}

static Cell *
cell_at (guint index)
{
  return &g_array_index (hb.cells, Cell, index);
}

/* The first cell that ends behind @address. */
static guint
find_cell (guintptr address)
{
  guint low = 0, high = hb.cells->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (cell_at (middle)->end <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Cuts the cell that contains @address in two, so that one starts there. */
static void
split_at (guintptr address)
{
  guint index = find_cell (address);
  Cell second;

  if (index >= hb.cells->len || cell_at (index)->start >= address)
    return;
  second = *cell_at (index);
  second.start = address;
  second.reads = second.reads != NULL ? g_array_copy (second.reads) : NULL;
  cell_at (index)->end = address;
  g_array_insert_val (hb.cells, index + 1, second);
}

static void
report (const Cell *cell, const Epoch *old, gboolean old_write, const Context *context, gboolean write,
        const gchar *label)
{
  const Context *other = g_ptr_array_index (hb.contexts, old->context);
  g_autofree gchar *text =
      g_strdup_printf ("nothing orders the %s by %s (%s) and the %s by %s (%s) of the bytes %#" G_GINT64_MODIFIER
                       "x to %#" G_GINT64_MODIFIER "x",
                       old_write ? "write" : "read", other->name, old->label, write ? "write" : "read", context->name,
                       label, (guint64) cell->start, (guint64) cell->end);

  hb.n_errors++;
  if (!hb.collect)
    g_error ("%s%s%s", text, hb.context != NULL ? "\n" : "", hb.context != NULL ? hb.context : "");
  if (hb.first_error == NULL)
    hb.first_error = g_steal_pointer (&text);
}

static gboolean
is_before (const Epoch *epoch, const Context *context)
{
  return clock_get (context->clock, epoch->context) >= epoch->time;
}

static void
check_cell (Cell *cell, const Context *context, gboolean write, const gchar *label)
{
  Epoch epoch = { context->index, clock_get (context->clock, context->index), label };
  guint i;

  if (cell->write.label != NULL && !is_before (&cell->write, context))
    report (cell, &cell->write, TRUE, context, write, label);
  if (write)
    {
      for (i = 0; cell->reads != NULL && i < cell->reads->len; i++)
        if (!is_before (&g_array_index (cell->reads, Epoch, i), context))
          report (cell, &g_array_index (cell->reads, Epoch, i), FALSE, context, TRUE, label);
      g_clear_pointer (&cell->reads, g_array_unref);
      cell->write = epoch;
      return;
    }
  if (cell->reads == NULL)
    cell->reads = g_array_new (FALSE, FALSE, sizeof (Epoch));
  for (i = 0; i < cell->reads->len; i++)
    if (g_array_index (cell->reads, Epoch, i).context == context->index)
      {
        g_array_index (cell->reads, Epoch, i) = epoch;
        return;
      }
  g_array_append_val (cell->reads, epoch);
}

static void
access_range (const Context *context, guintptr start, guintptr end, gboolean write, const gchar *label)
{
  guintptr at = start;
  guint index;

  if (start == end)
    return;
  hb.n_accesses++;
  label = g_intern_string (label != NULL ? label : "?");
  split_at (start);
  split_at (end);
  for (index = find_cell (start); at < end; index++)
    {
      if (index >= hb.cells->len || cell_at (index)->start > at)
        {
          Cell fresh = { at, index < hb.cells->len ? MIN (end, cell_at (index)->start) : end, { 0, 0, NULL }, NULL };

          g_array_insert_val (hb.cells, index, fresh);
        }
      check_cell (cell_at (index), context, write, label);
      at = cell_at (index)->end;
    }
}

static void
access_dims (const Context *context, guintptr address, const HoloTensorDesc *desc, guint dim, guint dense_from,
             gsize dense_bytes, gboolean write, const gchar *label)
{
  if (dim == dense_from)
    {
      access_range (context, address, address + dense_bytes, write, label);
      return;
    }
  for (gint64 i = 0; i < desc->shape[dim]; i++)
    access_dims (context, address + (guintptr) (i * desc->strides[dim]), desc, dim + 1, dense_from, dense_bytes, write,
                 label);
}

/* Declares the elements of @desc, run by run: the gaps of a strided tensor may be somebody else's. */
static void
access_desc (const Context *context, gconstpointer data, const HoloTensorDesc *desc, gboolean write, const gchar *label)
{
  gsize dense_bytes = holo_dtype_get_size (desc->dtype);
  guint dense_from = desc->rank;

  if (holo_tensor_desc_is_empty (desc))
    return;
  while (dense_from > 0 && (desc->shape[dense_from - 1] == 1 || desc->strides[dense_from - 1] == (gint64) dense_bytes))
    dense_bytes *= (gsize) desc->shape[--dense_from];
  access_dims (context, (guintptr) data, desc, 0, dense_from, dense_bytes, write, label);
}

/* ---- public: host ---- */

static gboolean
enter (void)
{
  if (!hb_checker_is_active ())
    return FALSE;
  g_mutex_lock (&hb.lock);
  return TRUE;
}

static void
leave (void)
{
  g_mutex_unlock (&hb.lock);
}

void
hb_publish (gconstpointer object)
{
  Clock *clock;

  if (object == NULL || !enter ())
    return;
  clock = g_hash_table_lookup (hb.objects, object);
  if (clock == NULL)
    g_hash_table_insert (hb.objects, (gpointer) object, clock = clock_new ());
  clock_join (clock, get_thread ()->clock);
  clock_tick (get_thread ());
  leave ();
}

void
hb_observe (gconstpointer object)
{
  Clock *clock;

  if (object == NULL || !enter ())
    return;
  clock = g_hash_table_lookup (hb.objects, object);
  if (clock != NULL)
    clock_join (get_thread ()->clock, clock);
  leave ();
}

void
hb_host_access (gconstpointer data, const HoloTensorDesc *desc, gboolean write, const gchar *label)
{
  if (!enter ())
    return;
  access_desc (get_thread (), data, desc, write, label);
  leave ();
}

void
hb_host_range (gconstpointer data, gsize size, gboolean write, const gchar *label)
{
  if (!enter ())
    return;
  access_range (get_thread (), (guintptr) data, (guintptr) data + size, write, label);
  leave ();
}

void
hb_host_free (gconstpointer data, gsize size, const gchar *label)
{
  guintptr start = (guintptr) data, end = start + size;
  guint first, last;

  if (!enter ())
    return;
  access_range (get_thread (), start, end, TRUE, label);
  first = find_cell (start);
  for (last = first; last < hb.cells->len && cell_at (last)->start < end; last++)
    ;
  g_array_remove_range (hb.cells, first, last - first);
  leave ();
}

void
hb_host_wait (HoloStream *stream, guint64 number)
{
  Context *context;

  if (!enter ())
    return;
  context = get_stream (stream);
  if (number >= context->first_number && number - context->first_number < context->history->len)
    clock_join (get_thread ()->clock, g_ptr_array_index (context->history, number - context->first_number));
  leave ();
}

/* ---- public: streams ---- */

void
hb_stream_enqueue (HoloStream *stream, guint64 number)
{
  Context *context;

  if (!enter ())
    return;
  context = get_stream (stream);
  clock_join (context->clock, get_thread ()->clock);
  clock_tick (get_thread ());
  clock_tick (context);
  if (context->history->len == 0)
    context->first_number = number;
  g_assert (context->first_number + context->history->len == number);
  g_ptr_array_add (context->history, g_array_copy (context->clock));
  leave ();
}

void
hb_stream_access (HoloStream *stream, gconstpointer data, const HoloTensorDesc *desc, gboolean write,
                  const gchar *label)
{
  if (!enter ())
    return;
  access_desc (get_stream (stream), data, desc, write, label);
  leave ();
}

void
hb_stream_range (HoloStream *stream, gconstpointer data, gsize size, gboolean write, const gchar *label)
{
  if (!enter ())
    return;
  access_range (get_stream (stream), (guintptr) data, (guintptr) data + size, write, label);
  leave ();
}

void
hb_stream_wait (HoloStream *stream, const HoloFence *fence)
{
  Context *context, *other;

  if (fence->stream == NULL || !enter ())
    return;
  context = get_stream (stream);
  other = get_stream (fence->stream);
  if (fence->number >= other->first_number && fence->number - other->first_number < other->history->len)
    clock_join (context->clock, g_ptr_array_index (other->history, fence->number - other->first_number));
  leave ();
}

/* ---- the runtime's hooks ---- */

static gboolean
touches_device (HoloTensorView *const *views, guint n_views)
{
  for (guint i = 0; i < n_views; i++)
    if (views[i]->desc.mem_loc == HOLO_MEM_LOC_DEVICE)
      return TRUE;
  return FALSE;
}

static void
declare (HoloTask *task, HoloTensorView *const *views, guint n_views, guint64 mask, gboolean write)
{
  const gchar *label = task != NULL ? holo_task_get_node_name (task) : "copy of the plan";

  for (guint i = 0; i < n_views; i++)
    if ((mask >> MIN (i, 63)) & 1 && views[i]->desc.mem_loc == HOLO_MEM_LOC_HOST &&
        !holo_tensor_view_is_null (views[i]))
      hb_host_access (holo_tensor_view_get_data (views[i]), &views[i]->desc, write, label);
}

/* Slots change hands by their address. */
static void
hand_over (HoloTensorView *const *views, guint n_views, guint64 borrowed, void (*edge) (gconstpointer object))
{
  for (guint i = 0; i < n_views; i++)
    if (((borrowed >> MIN (i, 63)) & 1) == 0 && views[i]->storage != NULL)
      edge (views[i]->storage->data);
}

static void
publish_task (HoloTask *task, const TaskSlots *slots)
{
  if (slots->regroups)
    hb_publish (task);
}

static TaskSlots
get_slots (HoloTask *task)
{
  TaskSlots all = { G_MAXUINT64, G_MAXUINT64, 0, FALSE }, *slots;

  if (task == NULL || !enter ())
    return all;
  slots = g_hash_table_lookup (hb.tasks, task);
  if (slots != NULL)
    all = *slots;
  leave ();
  return all;
}

static void
before_call (HoloTask *task, HoloRuntimeCall call, HoloTensorView *const *views, guint n_views, guint n_inputs)
{
  TaskSlots slots = get_slots (task);

  switch (call)
    {
    case HOLO_RUNTIME_EXECUTE:
      /* Work on a device is declared by the device, in the order of its stream. */
      if (touches_device (views, n_views))
        break;
      declare (task, views, n_inputs, G_MAXUINT64, FALSE);
      declare (task, views + n_inputs, n_views - n_inputs, slots.borrowed_out & ~slots.views_out, TRUE);
      break;
    case HOLO_RUNTIME_PUSH:
      declare (task, views, n_views, slots.borrowed_in, FALSE);
      hand_over (views, n_views, slots.borrowed_in, hb_publish);
      publish_task (task, &slots);
      break;
    case HOLO_RUNTIME_POP:
      declare (task, views, n_views, slots.borrowed_out, TRUE);
      break;
    case HOLO_RUNTIME_ABORT_INPUT:
    case HOLO_RUNTIME_RELEASE_OUTPUT:
      hand_over (views, n_views, 0, hb_publish);
      publish_task (task, &slots);
      break;
    default:
      break;
    }
}

static void
after_call (HoloTask *task, HoloRuntimeCall call, HoloTensorView *const *views, guint n_views, guint n_inputs,
            HoloOpResult result)
{
  TaskSlots slots = get_slots (task);

  if (result != HOLO_OP_OK)
    return;
  if (slots.regroups && (call == HOLO_RUNTIME_ACQUIRE_INPUT || call == HOLO_RUNTIME_POP))
    hb_observe (task);
  switch (call)
    {
    case HOLO_RUNTIME_EXECUTE:
      /* a sink that owns its input has taken the slot; a source that owns its output has published one */
      hand_over (views, n_inputs, slots.borrowed_in, hb_publish);
      hand_over (views + n_inputs, n_views - n_inputs, slots.borrowed_out, hb_observe);
      break;
    case HOLO_RUNTIME_ACQUIRE_INPUT:
      hand_over (views, n_views, 0, hb_observe);
      break;
    case HOLO_RUNTIME_POP:
      hand_over (views, n_views, slots.borrowed_out, hb_observe);
      break;
    default:
      break;
    }
}

/* ---- pauses ---- */

static guint pause_places, pause_per_mille, pause_max_us, pause_seed;

/* A small generator of its own per thread, which nobody has to free. */
static guint
roll (guint n)
{
  static __thread guint state, seed;
  static gint n_threads;

  if (state == 0 || seed != pause_seed)
    {
      seed = pause_seed;
      state = (seed * 65599u + (guint) g_atomic_int_add (&n_threads, 1)) * 2654435761u | 1;
    }
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % n;
}

static void
pause_now (HoloRuntimePause place)
{
  if ((pause_places & (1u << place)) == 0 || roll (1000) >= pause_per_mille)
    return;
  if (pause_max_us == 0)
    sched_yield ();
  else
    g_usleep (roll (pause_max_us) + 1);
}

/* ---- life ---- */

static const HoloRuntimeHooks checking_hooks = { before_call, after_call, hb_publish, hb_observe, pause_now };
static const HoloRuntimeHooks pausing_hooks = { NULL, NULL, NULL, NULL, pause_now };

static void
choose_hooks (void)
{
  if (hb_checker_is_active ())
    holo_runtime_set_hooks (&checking_hooks);
  else
    holo_runtime_set_hooks (pause_places != 0 ? &pausing_hooks : NULL);
}

void
hb_checker_set_pauses (guint places, guint per_mille, guint max_us, guint seed)
{
  pause_places = per_mille > 0 ? places : 0;
  pause_per_mille = per_mille;
  pause_max_us = max_us;
  pause_seed = seed;
  choose_hooks ();
}

gboolean
hb_checker_is_active (void)
{
  return g_atomic_int_get (&hb.active);
}

/* Host memory of the library that is freed is forgotten, since its address will be used again for something
 * else. */
static void (*host_free) (HoloDevice *device, gpointer data);

static void
free_host (HoloDevice *device, gpointer data)
{
  hb_host_free (data, malloc_usable_size (data), "free of host memory");
  host_free (device, data);
}

static void
watch_host_memory (void)
{
  HoloDeviceClass *klass = HOLO_DEVICE_GET_CLASS (holo_device_get_host ());

  if (klass->free_host == free_host)
    return;
  host_free = klass->free_host;
  klass->free_host = free_host;
}

static void
forget (void)
{
  g_clear_pointer (&hb.cells, g_array_unref);
  g_clear_pointer (&hb.tasks, g_hash_table_unref);
  g_clear_pointer (&hb.objects, g_hash_table_unref);
  g_clear_pointer (&hb.streams, g_hash_table_unref);
  g_clear_pointer (&hb.contexts, g_ptr_array_unref);
  hb.generation++;
}

void
hb_checker_reset (void)
{
  g_mutex_lock (&hb.lock);
  forget ();
  hb.contexts = g_ptr_array_new_with_free_func (context_free);
  hb.streams = g_hash_table_new (NULL, NULL);
  hb.objects = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  hb.tasks = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  hb.cells = g_array_new (FALSE, TRUE, sizeof (Cell));
  g_array_set_clear_func (hb.cells, cell_clear);
  g_mutex_unlock (&hb.lock);
}

void
hb_checker_start (void)
{
  if (!HB_CHECKER_AVAILABLE)
    return;
  watch_host_memory ();
  hb_checker_reset ();
  hb.n_errors = 0;
  hb.n_accesses = 0;
  g_clear_pointer (&hb.first_error, g_free);
  g_atomic_int_set (&hb.active, TRUE);
  choose_hooks ();
}

void
hb_checker_stop (void)
{
  if (!hb_checker_is_active ())
    return;
  g_atomic_int_set (&hb.active, FALSE);
  choose_hooks ();
  g_mutex_lock (&hb.lock);
  forget ();
  g_mutex_unlock (&hb.lock);
}

void
hb_checker_set_collect (gboolean collect)
{
  hb.collect = collect;
}

void
hb_checker_set_context (const gchar *context)
{
  hb.context = context;
}

guint
hb_checker_get_n_errors (void)
{
  return hb.n_errors;
}

const gchar *
hb_checker_get_first_error (void)
{
  return hb.first_error;
}

guint64
hb_checker_get_n_accesses (void)
{
  return hb.n_accesses;
}

void
hb_checker_set_slots (HoloTask *task, guint64 borrowed_in, guint64 borrowed_out, guint64 views_out, gboolean regroups)
{
  TaskSlots *slots;

  if (!enter ())
    return;
  slots = g_new (TaskSlots, 1);
  *slots = (TaskSlots){ borrowed_in, borrowed_out, views_out, regroups };
  g_hash_table_insert (hb.tasks, task, slots);
  leave ();
}
