/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of a run, readable while it goes on, from any number of threads. */
#include "runtime/holo-scheduler-private.h"
#include "base/holo-boxed.h"

HOLO_DEFINE_PLAIN_TYPE (HoloNodeStatistics, holo_node_statistics)
HOLO_DEFINE_PLAIN_TYPE (HoloSectionStatistics, holo_section_statistics)

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
read_node (HoloBound *bound, HoloPlan *plan, guint index, HoloNodeStatistics *statistics)
{
  const HoloPlanNode *node = _holo_plan_node (plan, index);
  const HoloNodeRecord *record = bound->records[index];
  HoloEnd *end = bound->boundaries[index] != NULL ? bound->boundaries[index]->end : NULL;

  *statistics = (HoloNodeStatistics){ .kind = g_intern_string (node->kind), .type = node->inference.type };
  statistics->discarded = load (&record->discarded) + holo_task_get_discarded (node->task);
  statistics->dropped = load (&record->dropped) + holo_task_get_dropped (node->task);
  read_counters (&record->counters[HOLO_PART_NODE], &statistics->execute);
  read_counters (&record->counters[HOLO_PART_PUSH], &statistics->push);
  read_counters (&record->counters[HOLO_PART_POP], &statistics->pop);
  if (end != NULL) /* its other side is the application */
    (holo_end_is_input (end) ? &statistics->push : &statistics->pop)->calls = _holo_end_get_n_frames (end);
}

/**
 * holo_scheduler_get_node_statistics:
 * @scheduler: a scheduler
 * @node: name of a node of its plan
 * @statistics: (out caller-allocates): its numbers in the current or last run, over all updates
 *
 * Returns: whether there is such a node
 *
 * Since: 0.1
 */
gboolean
holo_scheduler_get_node_statistics (HoloScheduler *scheduler, const gchar *node, HoloNodeStatistics *statistics)
{
  g_autoptr (HoloPlan) plan = NULL;
  HoloBound *bound;
  gboolean found;
  guint index;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler) && node != NULL && statistics != NULL, FALSE);

  bound = _holo_runner_get_bound (_holo_scheduler_get_runner (scheduler), &plan);
  found =
      holo_plan_find_node (plan, node, &index); /* the plan of the reference: a setting may exchange that of @bound */
  if (found)
    read_node (bound, plan, index, statistics);
  else
    *statistics = (HoloNodeStatistics){ 0 };
  _holo_bound_unref (bound);
  return found;
}

static guint64
count_copies (HoloBound *bound, HoloPlan *plan, guint section)
{
  guint64 copies = 0;

  for (guint i = 0; i < bound->n_nodes; i++)
    if (_holo_plan_node (plan, i)->implicit && _holo_plan_node (plan, i)->section_in == (gint) section)
      copies += load (&bound->records[i]->counters[HOLO_PART_NODE].calls);
  return copies;
}

/**
 * holo_scheduler_get_section_statistics:
 * @scheduler: a scheduler
 * @section: number of a section in its plan of this moment
 * @statistics: (out caller-allocates): its numbers in the current or last run
 *
 * Returns: whether there is such a section
 *
 * Since: 0.1
 */
gboolean
holo_scheduler_get_section_statistics (HoloScheduler *scheduler, guint section, HoloSectionStatistics *statistics)
{
  g_autoptr (HoloPlan) plan = NULL;
  HoloBound *bound;
  gboolean found;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler) && statistics != NULL, FALSE);

  *statistics = (HoloSectionStatistics){ 0 };
  bound = _holo_runner_get_bound (_holo_scheduler_get_runner (scheduler), &plan);
  found = section < bound->n_sections;
  if (found)
    {
      const HoloSectionStatistics *source = &bound->sections[section]->statistics;

      statistics->name = holo_section_get_name (bound->sections[section]);
      statistics->iterations = load (&source->iterations);
      statistics->sleeps = load (&source->sleeps);
      statistics->waits_order = load (&source->waits_order);
      statistics->waits_throttle = load (&source->waits_throttle);
      statistics->waits_foreign = load (&bound->sections[section]->worker.waits_foreign);
      statistics->copies = count_copies (bound, plan, section);
    }
  _holo_bound_unref (bound);
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

static guint64
get_calls_out (const HoloNodeStatistics *node)
{
  return node->type == HOLO_TASK_SYNC ? node->execute.calls : node->pop.calls;
}

/* Frames per second since the last question, which this one is from now on. */
static gdouble
get_rate (HoloNodeRecord *record, guint64 calls, gdouble seconds)
{
  guint64 before = __atomic_exchange_n (&record->asked, calls, __ATOMIC_RELAXED);

  return seconds > 0 && calls >= before ? (gdouble) (calls - before) / seconds : 0;
}

static GVariant *
node_to_variant (const HoloNodeStatistics *node, gdouble rate)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "kind", g_variant_new_string (node->kind));
  if (node->type == HOLO_TASK_SYNC)
    add_calls (&builder, "", &node->execute);
  else
    {
      add_calls (&builder, "push-", &node->push);
      add_calls (&builder, "pop-", &node->pop);
    }
  g_variant_builder_add (&builder, "{sv}", "discarded", g_variant_new_uint64 (node->discarded));
  g_variant_builder_add (&builder, "{sv}", "dropped", g_variant_new_uint64 (node->dropped));
  if (rate >= 0)
    g_variant_builder_add (&builder, "{sv}", "rate", g_variant_new_double (rate));
  return g_variant_builder_end (&builder);
}

/* @seconds: since the last question; negative: without rates. */
static GVariant *
to_variant (HoloRunner *runner, gdouble seconds)
{
  g_autoptr (HoloPlan) plan = NULL;
  HoloBound *bound = _holo_runner_get_bound (runner, &plan);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; i < bound->n_nodes; i++)
    {
      HoloNodeStatistics node;
      gdouble rate;

      read_node (bound, plan, i, &node);
      rate = seconds >= 0 ? get_rate (bound->records[i], get_calls_out (&node), seconds) : -1;
      g_variant_builder_add (&builder, "{sv}", _holo_plan_node (plan, i)->name, node_to_variant (&node, rate));
    }
  _holo_bound_unref (bound);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

/**
 * holo_scheduler_get_statistics:
 * @scheduler: a scheduler
 *
 * A dictionary node name -> dictionary of its numbers (`calls`, `bytes`, `time` in ns, `push-calls`, `pop-calls`,
 * `discarded`, `dropped`, ...), in the order of the plan. `rate` is frames per second since the previous call of this
 * function, by whatever thread; 0 in the first.
 *
 * Returns: (transfer full): a{sv}, not floating
 *
 * Since: 0.1
 */
GVariant *
holo_scheduler_get_statistics (HoloScheduler *scheduler)
{
  gint64 now = g_get_monotonic_time (), before;
  HoloRunner *runner;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler), NULL);

  runner = _holo_scheduler_get_runner (scheduler);
  _holo_runner_lock (runner);
  before = runner->asked_at;
  runner->asked_at = now;
  _holo_runner_unlock (runner);
  return to_variant (runner, before != 0 ? (gdouble) (now - before) / G_USEC_PER_SEC : 0);
}

/**
 * holo_scheduler_get_statistics_json:
 * @scheduler: a scheduler
 *
 * Returns: (transfer full): what holo_scheduler_get_statistics() gives, as a JSON object, without rates
 *
 * Since: 0.1
 */
JsonNode *
holo_scheduler_get_statistics_json (HoloScheduler *scheduler)
{
  g_autoptr (GVariant) variant = NULL;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler), NULL);

  variant = to_variant (_holo_scheduler_get_runner (scheduler), -1);
  return json_gvariant_serialize (variant);
}

static void
append_row (GString *text, const gchar *name, gint width, const gchar *call, const HoloCallStatistics *calls)
{
  if (calls->calls == 0)
    return;
  g_string_append_printf (text, "%s%*s %-8s %10" G_GUINT64_FORMAT " %12.1f %10.2f %10.1f %10.1f\n", name,
                          width - (gint) g_utf8_strlen (name, -1), "", call, calls->calls, (gdouble) calls->bytes / 1e6,
                          (gdouble) calls->time / 1e3 / (gdouble) calls->calls, (gdouble) calls->wait_input / 1e6,
                          (gdouble) calls->wait_room / 1e6);
}

static gint
find_width (HoloPlan *plan)
{
  glong width = 20;

  for (guint i = 0; i < plan->nodes->len; i++)
    width = MAX (width, g_utf8_strlen (_holo_plan_node (plan, i)->name, -1));
  return (gint) width;
}

/**
 * holo_scheduler_get_statistics_text:
 * @scheduler: a scheduler
 *
 * A table for people, in the order of the graph: calls, megabytes, host time per call, and how long sections waited for the
 * node to give a frame (in) and to take one (out).
 *
 * Returns: (transfer full): lines of text
 *
 * Since: 0.1
 */
gchar *
holo_scheduler_get_statistics_text (HoloScheduler *scheduler)
{
  g_autoptr (HoloPlan) plan = NULL;
  GString *text = g_string_new (NULL);
  HoloBound *bound;
  gint width;

  g_return_val_if_fail (HOLO_IS_SCHEDULER (scheduler), NULL);

  bound = _holo_runner_get_bound (_holo_scheduler_get_runner (scheduler), &plan);
  width = find_width (plan);
  g_string_append_printf (text, "%-*s %-8s %10s %12s %10s %10s %10s\n", width, "node", "call", "calls", "MB", "us/call",
                          "wait in ms", "wait out ms");
  for (guint i = 0; i < bound->n_nodes; i++)
    {
      const gchar *name = _holo_plan_node (plan, i)->name;
      HoloNodeStatistics node;

      read_node (bound, plan, i, &node);
      append_row (text, name, width, "execute", &node.execute);
      append_row (text, name, width, "push", &node.push);
      append_row (text, name, width, "pop", &node.pop);
      if (node.discarded + node.dropped > 0)
        g_string_append_printf (text, "%s%*s          %" G_GUINT64_FORMAT " discarded, %" G_GUINT64_FORMAT " dropped\n",
                                name, width - (gint) g_utf8_strlen (name, -1), "", node.discarded, node.dropped);
    }
  _holo_bound_unref (bound);
  return g_string_free (text, FALSE);
}
