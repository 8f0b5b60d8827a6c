/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pass 10: gives plan storage its memory. Two storages of one section share memory when their uses never overlap in the
 * section's order and that order is enforced: both touched by host tasks alone, or both by the section's stream alone. */
#include "compiler/holo-compilation.h"

typedef struct
{
  guint memory;
  gint section;
  gboolean on_stream;
  GArray *users; /* guint: storages in this memory */
} Candidate;

static gboolean
may_share (const HoloPlanStorage *storage)
{
  return storage->size > 0 && !storage->async_access && storage->host_access != storage->stream_access;
}

static gboolean
fits (HoloCompilation *c, const Candidate *candidate, const HoloPlanStorage *storage)
{
  if (candidate->section != storage->section || candidate->on_stream != storage->stream_access ||
      g_array_index (c->plan->memory_locs, HoloMemLoc, candidate->memory) != storage->mem_loc)
    return FALSE;
  for (guint i = 0; i < candidate->users->len; i++)
    {
      const HoloPlanStorage *other = _holo_plan_storage (c->plan, g_array_index (candidate->users, guint, i));

      if (storage->first_use <= other->last_use && other->first_use <= storage->last_use)
        return FALSE;
    }
  return TRUE;
}

static guint
add_memory (HoloCompilation *c, const HoloPlanStorage *storage)
{
  g_array_append_val (c->plan->memory_sizes, storage->size);
  g_array_append_val (c->plan->memory_locs, storage->mem_loc);
  return c->plan->memory_sizes->len - 1;
}

/* Largest first, so that the first fit is never too small. */
static gint
compare_sizes (gconstpointer a, gconstpointer b, gpointer user_data)
{
  HoloCompilation *c = user_data;
  guint ia = *(const guint *) a, ib = *(const guint *) b;
  gsize sa = _holo_plan_storage (c->plan, ia)->size, sb = _holo_plan_storage (c->plan, ib)->size;

  return sa != sb ? (sa > sb ? -1 : 1) : (ia > ib) - (ia < ib);
}

static void
place (HoloCompilation *c, GPtrArray *candidates, guint index)
{
  HoloPlanStorage *storage = _holo_plan_storage (c->plan, index);
  gboolean shareable = c->plan->storage_sharing && may_share (storage);
  Candidate *candidate;

  for (guint i = 0; shareable && i < candidates->len; i++)
    if (fits (c, candidates->pdata[i], storage))
      {
        candidate = candidates->pdata[i];
        storage->memory = (gint) candidate->memory;
        g_array_append_val (candidate->users, index);
        return;
      }
  storage->memory = (gint) add_memory (c, storage);
  if (!shareable)
    return;
  candidate = g_new0 (Candidate, 1);
  candidate->memory = (guint) storage->memory;
  candidate->section = storage->section;
  candidate->on_stream = storage->stream_access;
  candidate->users = g_array_new (FALSE, FALSE, sizeof (guint));
  g_array_append_val (candidate->users, index);
  g_ptr_array_add (candidates, candidate);
}

static void
free_candidate (gpointer data)
{
  Candidate *candidate = data;

  g_array_unref (candidate->users);
  g_free (candidate);
}

gboolean
_holo_pass_sharing (HoloCompilation *c, GError **error)
{
  g_autoptr (GArray) by_size = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GPtrArray) candidates = g_ptr_array_new_with_free_func (free_candidate);

  for (guint i = 0; i < c->plan->storages->len; i++)
    if (_holo_plan_storage (c->plan, i)->storage_class == HOLO_STORAGE_PLAN)
      g_array_append_val (by_size, i);
  g_array_sort_with_data (by_size, compare_sizes, c);
  for (guint i = 0; i < by_size->len; i++)
    place (c, candidates, g_array_index (by_size, guint, i));
  return TRUE;
}
