/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of a run, readable while it goes on. */
#include "runtime/holo-scheduler-private.h"

static guint64
load (const guint64 *counter)
{
  return __atomic_load_n (counter, __ATOMIC_RELAXED);
}

static void
read_counters (const HoloCounters *counters, HoloCallStatistics *statistics)
{
  statistics->calls = load (&counters->calls);
  statistics->bytes = load (&counters->bytes);
  statistics->time = load (&counters->time);
  statistics->wait_input = load (&counters->wait_input);
  statistics->wait_room = load (&counters->wait_room);
  statistics->retries = load (&counters->retries);
}

static void
read_part (HoloScheduler *self, gint section_index, guint node, HoloPartType type, HoloCallStatistics *statistics)
{
  HoloSection *section;

  if (section_index < 0)
    return;
  section = _holo_scheduler_section (self, (guint) section_index);
  for (guint i = 0; i < section->n_parts; i++)
    if (section->parts[i].node == node && section->parts[i].type == type)
      read_counters (&section->parts[i].counters, statistics);
}

static gboolean
read_node (HoloScheduler *scheduler, guint node, HoloNodeStatistics *statistics)
{
  const HoloPlanNode *plan_node;

  *statistics = (HoloNodeStatistics) { 0 };
  if (node >= scheduler->n_nodes)
    return FALSE;
  plan_node = _holo_plan_node (scheduler->plan, node);
  statistics->name = plan_node->name;
  statistics->kind = plan_node->kind;
  statistics->type = plan_node->inference.type;
  statistics->discarded = holo_task_get_discarded (plan_node->task);
  statistics->dropped = holo_task_get_dropped (plan_node->task);
  if (statistics->type == HOLO_TASK_SYNC)
    read_part (scheduler, plan_node->section_in, node, HOLO_PART_NODE, &statistics->execute);
  else
    {
      read_part (scheduler, plan_node->section_in, node, HOLO_PART_PUSH, &statistics->push);
      read_part (scheduler, plan_node->section_out, node, HOLO_PART_POP, &statistics->pop);
    }
  return TRUE;
}

/**
 * holo_scheduler_get_node_statistics:
 * @scheduler: a scheduler
 * @node: number of a node of its plan
 * @statistics: (out caller-allocates): its numbers in the current or last run; the names belong to the plan
 *
 * Returns: whether there is such a node
 */
gboolean
holo_scheduler_get_node_statistics (HoloScheduler *scheduler, guint node, HoloNodeStatistics *statistics)
{
  gboolean found;

  g_rw_lock_reader_lock (&scheduler->binding);
  found = read_node (scheduler, node, statistics);
  g_rw_lock_reader_unlock (&scheduler->binding);
  return found;
}

static gboolean
read_section (HoloScheduler *scheduler, guint section, HoloSectionStatistics *statistics)
{
  const HoloSectionStatistics *source;

  *statistics = (HoloSectionStatistics) { 0 };
  if (section >= scheduler->plan->sections->len)
    return FALSE;
  source = &_holo_scheduler_section (scheduler, section)->statistics;
  statistics->name = _holo_scheduler_section (scheduler, section)->name;
  statistics->iterations = load (&source->iterations);
  statistics->sleeps = load (&source->sleeps);
  statistics->waits_order = load (&source->waits_order);
  statistics->waits_throttle = load (&source->waits_throttle);
  statistics->waits_foreign = load (&source->waits_foreign);
  for (guint i = 0; i < _holo_scheduler_section (scheduler, section)->n_nodes; i++)
    {
      const HoloPart *part = &_holo_scheduler_section (scheduler, section)->nodes[i];

      if (_holo_plan_node (scheduler->plan, part->node)->implicit)
        statistics->copies += load (&part->counters.calls);
    }
  return TRUE;
}

gboolean
holo_scheduler_get_section_statistics (HoloScheduler *scheduler, guint section, HoloSectionStatistics *statistics)
{
  gboolean found;

  g_rw_lock_reader_lock (&scheduler->binding);
  found = read_section (scheduler, section, statistics);
  g_rw_lock_reader_unlock (&scheduler->binding);
  return found;
}

static void
add_calls (GVariantBuilder *builder, const gchar *prefix, const HoloCallStatistics *calls)
{
  const struct
  {
    const gchar *name;
    guint64 value;
  } numbers[] = {
    { "calls", calls->calls },           { "bytes", calls->bytes },         { "time", calls->time },
    { "wait-input", calls->wait_input }, { "wait-room", calls->wait_room }, { "retries", calls->retries },
  };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree gchar *name = g_strconcat (prefix, numbers[i].name, NULL);

      g_variant_builder_add (builder, "{sv}", name, g_variant_new_uint64 (numbers[i].value));
    }
}

/* Frames per second since the last question. */
static gdouble
get_rate (GVariant *last, const gchar *node, const gchar *key, guint64 calls, gdouble seconds)
{
  g_autoptr (GVariant) entry = NULL;
  guint64 before = 0;

  if (last == NULL || seconds <= 0)
    return 0;
  entry = g_variant_lookup_value (last, node, G_VARIANT_TYPE_VARDICT);
  if (entry != NULL)
    g_variant_lookup (entry, key, "t", &before);
  return calls >= before ? (gdouble) (calls - before) / seconds : 0;
}

static GVariant *
node_to_variant (HoloScheduler *self, guint index, GVariant *last, gdouble seconds)
{
  GVariantBuilder builder;
  HoloNodeStatistics node;
  gboolean sync;

  read_node (self, index, &node);
  sync = node.type == HOLO_TASK_SYNC;
  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "kind", g_variant_new_string (node.kind));
  if (sync)
    add_calls (&builder, "", &node.execute);
  else
    {
      add_calls (&builder, "push-", &node.push);
      add_calls (&builder, "pop-", &node.pop);
    }
  g_variant_builder_add (&builder, "{sv}", "discarded", g_variant_new_uint64 (node.discarded));
  g_variant_builder_add (&builder, "{sv}", "dropped", g_variant_new_uint64 (node.dropped));
  g_variant_builder_add (&builder, "{sv}", "rate",
                         g_variant_new_double (sync ? get_rate (last, node.name, "calls", node.execute.calls, seconds)
                                                    : get_rate (last, node.name, "pop-calls", node.pop.calls,
                                                                seconds)));
  return g_variant_builder_end (&builder);
}

/**
 * holo_scheduler_get_statistics:
 * @scheduler: a scheduler
 *
 * A dictionary node name -> dictionary of its numbers (`calls`, `bytes`, `time` in ns, `push-calls`, `pop-calls`,
 * `discarded`, `dropped`, ...). `rate` is frames per second since the previous call of this function.
 *
 * Returns: (transfer full): a{sv}
 */
GVariant *
holo_scheduler_get_statistics (HoloScheduler *scheduler)
{
  gint64 now = g_get_monotonic_time ();
  gdouble seconds = (gdouble) (now - scheduler->last_statistics_time) / G_USEC_PER_SEC;
  GVariantBuilder builder;
  GVariant *result;

  g_rw_lock_reader_lock (&scheduler->binding);
  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; i < scheduler->n_nodes; i++)
    g_variant_builder_add (&builder, "{sv}", _holo_plan_node (scheduler->plan, i)->name,
                           node_to_variant (scheduler, i, scheduler->last_statistics, seconds));
  result = g_variant_ref_sink (g_variant_builder_end (&builder));
  g_clear_pointer (&scheduler->last_statistics, g_variant_unref);
  scheduler->last_statistics = g_variant_ref (result);
  scheduler->last_statistics_time = now;
  g_rw_lock_reader_unlock (&scheduler->binding);
  return result;
}
