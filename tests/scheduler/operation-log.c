/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "operation-log.h"

#include <sched.h>

#define MAX_ENTRIES (1u << 20)

/* Two words per entry and one for the frame; the first is written last and is never 0. */
typedef struct
{
  guint64 head; /* what, result, id, epoch */
  guint64 tail; /* instance, hash */
  guint64 frame;
} Words;

static Words words[MAX_ENTRIES];
static guint n_entries;
static guint n_instances;

void
operation_log_add (const OperationEntry *entry)
{
  guint index = __atomic_fetch_add (&n_entries, 1, __ATOMIC_RELAXED);
  guint64 head = (guint64) entry->what | (guint64) entry->result << 8 | (guint64) (entry->takes_back != FALSE) << 15 |
                 (guint64) entry->id << 16 | (guint64) entry->epoch << 32;

  if (index >= MAX_ENTRIES)
    g_error ("the log of operations is full");
  words[index].tail = (guint64) entry->instance | (guint64) entry->hash << 32;
  words[index].frame = entry->frame;
  __atomic_store_n (&words[index].head, head, __ATOMIC_RELEASE);
}

guint
operation_log_get_length (void)
{
  return __atomic_load_n (&n_entries, __ATOMIC_RELAXED);
}

OperationEntry
operation_log_get (guint index)
{
  const Words *entry = &words[index];
  guint64 head;

  while ((head = __atomic_load_n (&entry->head, __ATOMIC_ACQUIRE)) == 0)
    sched_yield ();
  return (OperationEntry){ (OperationWhat) (head & 0xff),
                           (HoloOpResult) (head >> 8 & 0x7f),
                           (guint) (head >> 16 & 0xffff),
                           (guint) (head >> 32),
                           (guint) (entry->tail & 0xffffffff),
                           (guint32) (entry->tail >> 32),
                           entry->frame,
                           (head >> 15 & 1) != 0 };
}

void
operation_log_clear (void)
{
  for (guint i = 0; i < n_entries; i++)
    __atomic_store_n (&words[i].head, 0, __ATOMIC_RELAXED);
  __atomic_store_n (&n_entries, 0, __ATOMIC_RELAXED);
  __atomic_store_n (&n_instances, 0, __ATOMIC_RELAXED);
}

guint
operation_log_next_instance (void)
{
  return __atomic_add_fetch (&n_instances, 1, __ATOMIC_RELAXED);
}

guint
operation_log_find_commit (guint from, guint id)
{
  for (; from < operation_log_get_length (); from++)
    {
      OperationEntry entry = operation_log_get (from);

      if (entry.what == OPERATION_COMMIT && entry.id == id)
        return from;
    }
  return G_MAXUINT;
}

guint32
operation_hash (guint32 hash, const gfloat *values, guint n)
{
  const guint8 *bytes = (const guint8 *) values;

  hash ^= 2166136261u;
  for (gsize i = 0; i < n * sizeof *values; i++)
    hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}
