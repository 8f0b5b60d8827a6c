/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What outlives the exchange of plans for a node, by its name: its numbers, which count from the start of the run, and
 * what of it has finished. */
#pragma once

#include <glib.h>

#include "base/holo-types.h"

/* Written by one thread, read by any: relaxed atomics. */
typedef struct
{
  guint64 calls;
  guint64 bytes;
  guint64 time;
  guint64 wait_input;
  guint64 wait_room;
  guint64 retries;
} HoloCounters;

static inline void
_holo_counter_add (guint64 *counter, guint64 n)
{
  __atomic_store_n (counter, *counter + n, __ATOMIC_RELAXED);
}

/* Somebody may be reading. */
static inline void
_holo_counters_reset (HoloCounters *counters)
{
  guint64 *numbers = (guint64 *) counters;

  for (gsize i = 0; i < sizeof *counters / sizeof *numbers; i++)
    __atomic_store_n (&numbers[i], 0, __ATOMIC_RELAXED);
}

/* Why a part has finished. */
typedef enum
{
  HOLO_UNFINISHED,
  HOLO_FINISHED_ITSELF,    /* it said EOF */
  HOLO_FINISHED_NO_INPUT,  /* an input that it needs gives no more */
  HOLO_FINISHED_NO_READER, /* all that read it have finished */
} HoloFinish;

typedef enum
{
  HOLO_PART_POP,
  HOLO_PART_NODE,
  HOLO_PART_PUSH,
  HOLO_N_PART_TYPES,
} HoloPartType;

typedef struct
{
  gint ref_count;
  HoloCounters counters[HOLO_N_PART_TYPES];
  HoloFinish finished[HOLO_N_PART_TYPES]; /* at the last exchange */
  guint64 discarded;                      /* by tasks of this name that are gone */
  guint64 dropped;
  guint64 asked; /* atomic: calls at the last question for statistics; what the rate is since */
} HoloNodeRecord;

static inline HoloNodeRecord *
_holo_node_record_new (void)
{
  HoloNodeRecord *record = g_new0 (HoloNodeRecord, 1);

  record->ref_count = 1;
  return record;
}

static inline HoloNodeRecord *
_holo_node_record_ref (HoloNodeRecord *record)
{
  g_atomic_int_inc (&record->ref_count);
  return record;
}

static inline void
_holo_node_record_unref (HoloNodeRecord *record)
{
  if (g_atomic_int_dec_and_test (&record->ref_count))
    g_free (record);
}
