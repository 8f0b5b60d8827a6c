/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* holo-stats of the host. A scheduler counts from its start; a run starts its scheduler anew, or another one, whenever
 * caps or layouts change: what was counted before is kept here. */
#include "gstholohost-private.h"
#include "gstholotopology.h"

/* What schedulers that have been started anew had counted. */
struct _GstHoloNumbers
{
  GHashTable *nodes; /* name -> HoloNodeStatistics */
  guint64 copies;
  guint64 sleeps;
};

GstHoloNumbers *
gst_holo_numbers_new (void)
{
  GstHoloNumbers *numbers = g_new0 (GstHoloNumbers, 1);

  numbers->nodes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return numbers;
}

void
gst_holo_numbers_free (GstHoloNumbers *numbers)
{
  g_hash_table_unref (numbers->nodes);
  g_free (numbers);
}

/* ---- adding ---- */

static void
add_calls (HoloCallStatistics *sum, const HoloCallStatistics *calls)
{
  sum->calls += calls->calls;
  sum->bytes += calls->bytes;
  sum->time += calls->time;
  sum->wait_input += calls->wait_input;
  sum->wait_room += calls->wait_room;
  sum->retries += calls->retries;
}

static void
add_node (GstHoloNumbers *numbers, const gchar *name, const HoloNodeStatistics *node)
{
  HoloNodeStatistics *sum = g_hash_table_lookup (numbers->nodes, name);

  if (sum == NULL)
    {
      sum = g_new0 (HoloNodeStatistics, 1);
      g_hash_table_insert (numbers->nodes, g_strdup (name), sum);
    }
  sum->kind = node->kind;
  sum->type = node->type;
  add_calls (&sum->execute, &node->execute);
  add_calls (&sum->push, &node->push);
  add_calls (&sum->pop, &node->pop);
  sum->discarded += node->discarded;
  sum->dropped += node->dropped;
}

static void
add_scheduler (GstHoloNumbers *numbers, HoloScheduler *scheduler)
{
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);

  for (guint i = 0; i < holo_plan_get_n_nodes (plan); i++)
    {
      const gchar *name = holo_plan_get_node_name (plan, i);
      HoloNodeStatistics node;

      if (holo_scheduler_get_node_statistics (scheduler, name, &node))
        add_node (numbers, name, &node);
    }
  for (guint i = 0; i < holo_plan_get_n_sections (plan); i++)
    {
      HoloSectionStatistics section;

      if (!holo_scheduler_get_section_statistics (scheduler, i, &section))
        continue;
      numbers->copies += section.copies;
      numbers->sleeps += section.sleeps;
    }
}

static void
add_numbers (GstHoloNumbers *numbers, GstHoloNumbers *others)
{
  GHashTableIter iter;
  gpointer name, node;

  g_hash_table_iter_init (&iter, others->nodes);
  while (g_hash_table_iter_next (&iter, &name, &node))
    add_node (numbers, name, node);
  numbers->copies += others->copies;
  numbers->sleeps += others->sleeps;
}

/* ---- of a run ---- */

/* (transfer full): what the scheduler has counted since its start. */
static GstHoloNumbers *
read_scheduler (GstHoloRun *run)
{
  g_autoptr (HoloScheduler) scheduler = gst_holo_run_ref_scheduler (run);
  GstHoloNumbers *numbers = gst_holo_numbers_new ();

  if (scheduler != NULL)
    add_scheduler (numbers, scheduler);
  return numbers;
}

/* Before the scheduler counts from zero, or is exchanged. */
void
gst_holo_run_save_numbers (GstHoloRun *run)
{
  GstHoloNumbers *numbers = read_scheduler (run);

  g_mutex_lock (&run->lock);
  if (run->counting)
    add_numbers (run->past, numbers);
  run->counting = FALSE;
  g_mutex_unlock (&run->lock);
  gst_holo_numbers_free (numbers);
}

/* The scheduler has begun to count anew. */
void
gst_holo_run_begin_counting (GstHoloRun *run)
{
  g_mutex_lock (&run->lock);
  run->counting = TRUE;
  g_mutex_unlock (&run->lock);
}

/* (transfer full): everything since the element became PAUSED. */
static GstHoloNumbers *
read_run (GstHoloRun *run)
{
  GstHoloNumbers *numbers = read_scheduler (run), *sum = gst_holo_numbers_new ();

  g_mutex_lock (&run->lock);
  add_numbers (sum, run->past);
  if (run->counting)
    add_numbers (sum, numbers);
  g_mutex_unlock (&run->lock);
  gst_holo_numbers_free (numbers);
  return sum;
}

/* ---- as a structure ---- */

static void
put_calls (GstStructure *structure, const gchar *name, const HoloCallStatistics *calls)
{
  GstStructure *part = gst_structure_new (name, "calls", G_TYPE_UINT64, calls->calls, "bytes", G_TYPE_UINT64,
                                          calls->bytes, "time", G_TYPE_UINT64, calls->time, "wait-input", G_TYPE_UINT64,
                                          calls->wait_input, "wait-room", G_TYPE_UINT64, calls->wait_room, NULL);

  gst_structure_set (structure, name, GST_TYPE_STRUCTURE, part, NULL);
  gst_structure_free (part);
}

static void
put_node (GstStructure *nodes, const gchar *name, const HoloNodeStatistics *statistics)
{
  GstStructure *node = gst_structure_new ("node", "kind", G_TYPE_STRING, statistics->kind, "discarded", G_TYPE_UINT64,
                                          statistics->discarded, "dropped", G_TYPE_UINT64, statistics->dropped, NULL);

  if (statistics->type == HOLO_TASK_SYNC)
    put_calls (node, "execute", &statistics->execute);
  else
    {
      put_calls (node, "push", &statistics->push);
      put_calls (node, "pop", &statistics->pop);
    }
  gst_structure_set (nodes, name, GST_TYPE_STRUCTURE, node, NULL);
  gst_structure_free (node);
}

/* Frames that the ends of the run had to pack. */
static guint64
count_packed (GstHoloRun *run)
{
  guint64 packed = 0;

  for (guint i = 0; i < run->inputs->len; i++)
    packed += ((GstHoloInput *) g_ptr_array_index (run->inputs, i))->n_packed;
  for (guint i = 0; i < run->outputs->len; i++)
    packed += ((GstHoloOutput *) g_ptr_array_index (run->outputs, i))->n_packed;
  return packed;
}

static guint64
count_foreign_waits (GstHoloRun *run)
{
  guint64 waits = 0;

  for (guint i = 0; i < run->outputs->len; i++)
    waits += ((GstHoloOutput *) g_ptr_array_index (run->outputs, i))->n_waits;
  return waits;
}

static guint64
count_unpaired (GstHoloRun *run)
{
  guint64 unpaired = 0;

  for (guint i = 0; i < run->groups->len; i++)
    unpaired += ((GstHoloGroup *) g_ptr_array_index (run->groups, i))->n_unpaired;
  return unpaired;
}

/**
 * gst_holo_host_get_statistics:
 * @host: the element
 *
 * Returns: (transfer full): `copies` (of whole frames, that nobody asked for), `packed` (those of them that were made
 *   because of a layout), `compiled` (how often a plan was made), `sleeps` (of threads for want of input or room),
 *   `unpaired` (frames without partner), `foreign-waits` (of the host for the device, before a frame went to an element
 *   that knows no fences) and `nodes` with the numbers of each node
 */
GstStructure *
gst_holo_host_get_statistics (GstHoloHost *host)
{
  g_autoptr (GPtrArray) runs = gst_holo_host_ref_runs (host);
  GstStructure *nodes = gst_structure_new_empty ("nodes"), *statistics;
  guint64 copies = 0, packed = 0, compiled = 0, sleeps = 0, unpaired = 0, waits = 0;

  for (guint i = 0; runs != NULL && i < runs->len; i++)
    {
      GstHoloRun *run = g_ptr_array_index (runs, i);
      GstHoloNumbers *numbers = read_run (run);
      GHashTableIter iter;
      gpointer name, node;

      g_hash_table_iter_init (&iter, numbers->nodes);
      while (g_hash_table_iter_next (&iter, &name, &node))
        put_node (nodes, name, node);
      copies += numbers->copies;
      sleeps += numbers->sleeps;
      packed += count_packed (run);
      compiled += run->n_compiled;
      unpaired += count_unpaired (run);
      waits += count_foreign_waits (run);
      gst_holo_numbers_free (numbers);
    }
  statistics = gst_structure_new ("holo-stats", "copies", G_TYPE_UINT64, copies + packed, "packed", G_TYPE_UINT64,
                                  packed, "compiled", G_TYPE_UINT64, compiled, "sleeps", G_TYPE_UINT64, sleeps,
                                  "unpaired", G_TYPE_UINT64, unpaired, "foreign-waits", G_TYPE_UINT64, waits, "nodes",
                                  GST_TYPE_STRUCTURE, nodes, NULL);
  gst_structure_free (nodes);
  return statistics;
}

/* ---- levels ---- */

static guint64
count_held (HoloScheduler *scheduler, const gchar *node)
{
  HoloNodeStatistics statistics;

  if (!holo_scheduler_get_node_statistics (scheduler, node, &statistics) || statistics.type != HOLO_TASK_ASYNC)
    return 0;
  return statistics.push.calls -
         MIN (statistics.push.calls, statistics.pop.calls + statistics.dropped + statistics.discarded);
}

/* Frames that @node holds: those that went in and neither came out nor were flushed since. */
guint64
gst_holo_run_get_level (GstHoloRun *run, const gchar *node)
{
  g_autoptr (HoloScheduler) scheduler = gst_holo_run_ref_scheduler (run);
  guint64 held, flushed;

  if (scheduler == NULL)
    return 0;
  held = count_held (scheduler, node);
  g_mutex_lock (&run->lock);
  flushed = GPOINTER_TO_SIZE (g_hash_table_lookup (run->flushed, node));
  g_mutex_unlock (&run->lock);
  return held - MIN (held, flushed);
}

/* After a flush of @input: what the counters say is held behind it is gone. */
void
gst_holo_run_note_flush (GstHoloRun *run, GstHoloInput *input, HoloScheduler *scheduler)
{
  g_autoptr (HoloPlan) plan = holo_scheduler_get_plan (scheduler);
  g_autoptr (HoloGraph) graph = gst_holo_run_ref_graph (run);
  guint from, to;

  holo_graph_find_node (graph, input->name, &from);
  for (guint i = 0; i < holo_plan_get_n_nodes (plan); i++)
    {
      const gchar *name = holo_plan_get_node_name (plan, i);

      if (!holo_graph_find_node (graph, name, &to) || !gst_holo_graph_reaches (graph, from, to))
        continue;
      g_mutex_lock (&run->lock);
      g_hash_table_replace (run->flushed, g_strdup (name), GSIZE_TO_POINTER (count_held (scheduler, name)));
      g_mutex_unlock (&run->lock);
    }
}
