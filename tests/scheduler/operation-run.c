/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Another run of the same graph, its numbers, and events to its nodes. */
#include "model-operations.h"

#include "test-run.h"

/* ---- numbers ---- */

static void
check_number (Operations *self, guint id, const gchar *what, guint64 found, guint64 expected, guint64 slack)
{
  if (found > expected || found + slack < expected)
    operations_fail (self, "n%02u counts %" G_GUINT64_FORMAT " %s, the log %" G_GUINT64_FORMAT, id, found, what,
                     expected);
}

static void
check_node (Operations *self, guint index)
{
  const ModelNode *node = &self->model.nodes[index];
  const TraceNode *trace = &self->trace->nodes[node->id];
  g_autofree gchar *name = g_strdup_printf ("n%02u", node->id);
  HoloNodeStatistics statistics;

  test_node_statistics (self->scheduler, name, &statistics);
  if (!model_is_async (node->kind))
    {
      check_number (self, node->id, "executions", statistics.execute.calls, trace->n_executed - trace->run_executed, 0);
      return;
    }
  check_number (self, node->id, "pushes", statistics.push.calls,
                node->kind == MODEL_INPUT ? self->n_passed[node->id] : trace->n_pushed - trace->run_pushed, 0);
  if (node->kind == MODEL_OUTPUT)
    check_number (self, node->id, "pops", statistics.pop.calls, self->n_passed[node->id], 0);
  else /* a frame that came back is counted when it is used */
    check_number (self, node->id, "pops", statistics.pop.calls, trace->n_popped - trace->run_popped,
                  1 + trace->run_returned);
}

static void
check_section (Operations *self, guint index)
{
  HoloSectionStatistics statistics;

  if (!holo_scheduler_get_section_statistics (self->scheduler, index, &statistics) || statistics.name == NULL)
    operations_fail (self, "section %u has no numbers", index);
}

void
operation_read_statistics (Operations *self)
{
  g_autoptr (GVariant) variant = NULL;
  g_autoptr (JsonNode) json = NULL;
  g_autofree gchar *text = NULL;

  operations_compare (self);
  for (guint i = 0; i < self->model.n_nodes; i++)
    check_node (self, i);
  for (guint i = 0; i < holo_plan_get_n_sections (self->plan); i++)
    check_section (self, i);
  variant = holo_scheduler_get_statistics (self->scheduler);
  json = holo_scheduler_get_statistics_json (self->scheduler);
  text = holo_scheduler_get_statistics_text (self->scheduler);
  if (variant == NULL || json == NULL || text == NULL || *text == '\0')
    operations_fail (self, "there are no numbers");
}

/* ---- another run ---- */

/* Frames that are left come first, then the word that it was stopped. */
static void
pull_what_is_left (Operations *self)
{
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      guint id = self->model.nodes[i].id;
      gboolean flushed[MODEL_MAX_NODES];

      operations_find_flushed (self, flushed);
      if (self->model.nodes[i].kind != MODEL_OUTPUT || self->over[id] || flushed[i])
        continue;
      self->stopped = TRUE;
      while (operations_pull (self, i))
        ;
    }
}

void
operation_restart (Operations *self)
{
  g_autoptr (GError) error = NULL;

  operation_read_statistics (self);
  operations_tell (self, "stop");
  holo_scheduler_stop (self->scheduler);
  if (!holo_scheduler_wait (self->scheduler, &error))
    operations_fail (self, "the run: %s", error->message);
  if (!holo_scheduler_was_stopped (self->scheduler) || holo_scheduler_is_running (self->scheduler))
    operations_fail (self, "the run was not stopped");
  pull_what_is_left (self);
  operations_compare (self);
  self->stopped = FALSE;
  operations_tell (self, "start");
  if (!holo_scheduler_start (self->scheduler, &error))
    operations_fail (self, "start: %s", error->message);
  replay_restart (self->replay);
  trace_restart (self->trace);
  memset (self->n_passed, 0, sizeof self->n_passed);
  memset (self->over, 0, sizeof self->over);
  memset (self->closed, 0, sizeof self->closed);
  memset (self->flushing, 0, sizeof self->flushing);
}

/* ---- events ---- */

typedef struct
{
  gint64 number;
  guint n_calls; /* of the node, before it was sent */
} Sent;

void
operation_send_event (Operations *self)
{
  const ModelNode *node = &self->model.nodes[operations_roll (self, 0, self->model.n_nodes - 1)];
  g_autofree gchar *name = g_strdup_printf ("n%02u", node->id);
  g_autoptr (GError) error = NULL;
  Sent *sent;
  JsonNode *json;

  if (model_is_async (node->kind))
    return;
  operations_compare (self);
  sent = g_new (Sent, 1);
  *sent = (Sent){ ++self->n_events, self->trace->nodes[node->id].executions->len };
  json = json_node_init_int (json_node_alloc (), sent->number);
  operations_tell (self, "event %" G_GINT64_FORMAT " to n%02u", sent->number, node->id);
  if (!holo_event_router_send (holo_scheduler_get_event_router (self->scheduler), name, json, &error))
    operations_fail (self, "event to %s: %s", name, error != NULL ? error->message : "refused");
  json_node_unref (json);
  g_queue_push_tail (&self->events[node->id], sent);
}

static void
take_echo (HoloEvent *event, gpointer data)
{
  Operations *self = data;
  guint id = (guint) g_ascii_strtoull (event->node + 1, NULL, 10);
  g_autofree Sent *sent = g_queue_pop_head (&self->events[id]);

  if (sent == NULL || json_node_get_int (event->data) != sent->number)
    operations_fail (self, "%s echoes event %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT, event->node,
                     json_node_get_int (event->data), sent != NULL ? sent->number : -1);
}

/* A node that was called again has got what was sent before, and the application its answer. */
void
operations_check_events (Operations *self)
{
  holo_event_router_dispatch (holo_scheduler_get_event_router (self->scheduler), G_MAXUINT, take_echo, self);
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      guint id = self->model.nodes[i].id;
      const Sent *sent = g_queue_peek_head (&self->events[id]);

      if (sent != NULL && self->trace->nodes[id].executions->len > sent->n_calls)
        operations_fail (self, "n%02u was called and did not echo event %" G_GINT64_FORMAT, id, sent->number);
    }
}
