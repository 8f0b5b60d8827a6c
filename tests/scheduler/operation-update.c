/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An update in the middle of a run. What a task that goes still holds is drained by whoever drives, or nobody
 * does that and it is discarded. */
#include "model-operations.h"

#include "random-model.h"
#include "test-run.h"

#define SHORT_LIMIT 1000  /* us: nobody drives */
#define PATIENCE    15000 /* us: somebody does, and looks again for that long */

typedef struct
{
  gint done; /* atomic */
  guint64 n_discarded;
  gchar *message;
} Report;

static void
on_updated (HoloScheduler *scheduler, guint64 n_discarded, const GError *error, gpointer data)
{
  Report *report = data;

  report->n_discarded = n_discarded;
  report->message = error != NULL ? g_strdup (error->message) : NULL;
  g_atomic_int_set (&report->done, TRUE);
}

/* ---- what is kept ---- */

static gint
find_in (HoloPlan *plan, guint id)
{
  g_autofree gchar *name = g_strdup_printf ("n%02u", id);
  guint index;

  return holo_plan_find_node (plan, name, &index) ? (gint) index : -1;
}

/* A view has other descriptors than what it shows, so shapes do not tell. */
static gboolean
same_inputs (HoloPlan *a, gint index_a, HoloPlan *b, gint index_b)
{
  const HoloInference *inference_a = holo_plan_get_node_inference (a, (guint) index_a);
  const HoloInference *inference_b = holo_plan_get_node_inference (b, (guint) index_b);

  for (guint i = 0; i < holo_inference_get_n_inputs (inference_a); i++)
    if (!holo_tensor_desc_equal (holo_inference_get_input_desc (inference_a, i),
                                 holo_inference_get_input_desc (inference_b, i)))
      return FALSE;
  return TRUE;
}

static gboolean
same_node (const ModelNode *a, const ModelNode *b)
{
  return a->kind == b->kind && a->number == b->number && a->capacity == b->capacity && a->limit == b->limit &&
         a->room == b->room && a->rank == b->rank && memcmp (a->shape, b->shape, a->rank * sizeof *a->shape) == 0 &&
         a->epoch == b->epoch && a->renew == b->renew;
}

static const ModelNode *
find_node (const Model *model, guint id)
{
  for (guint i = 0; i < model->n_nodes; i++)
    if (model->nodes[i].id == id)
      return &model->nodes[i];
  return NULL;
}

/* A node that is as it was has its task still, unasked; a new epoch alone is staged. */
static void
check_kept (Operations *self, const ModelNode *node, gboolean kept)
{
  const ModelNode *old = find_node (&self->model, node->id);
  ModelNode aged = *node;

  if (same_node (old, node) && !kept)
    operations_fail (self, "n%02u has not changed and got another task", node->id);
  aged.epoch = old->epoch;
  if (same_node (old, &aged) && !node->renew && !kept)
    operations_fail (self, "n%02u got another task for an epoch", node->id);
}

void
operations_find_kept (Operations *self, const Model *next, HoloPlan *plan, gboolean *kept)
{
  for (guint i = 0; i < next->n_nodes; i++)
    {
      gint before = find_in (self->plan, next->nodes[i].id), after = find_in (plan, next->nodes[i].id);

      kept[i] = before >= 0 &&
                holo_plan_get_node_task (self->plan, (guint) before) == holo_plan_get_node_task (plan, (guint) after);
      if (next->nodes[i].kind == MODEL_INPUT || next->nodes[i].kind == MODEL_OUTPUT)
        kept[i] = TRUE; /* what they hold is the end's */
      else if (before >= 0 && (self->way & OPERATIONS_DEVICE) == 0 && same_inputs (self->plan, before, plan, after))
        check_kept (self, &next->nodes[i], kept[i]);
    }
}

/* ---- driving a drain ---- */

/* An asynchronous node whose task goes. */
typedef struct
{
  guint id;
  guint index;
  guint n_empty; /* how often it was found empty before */
  HoloSection *reader;
} Drain;

typedef struct
{
  Drain drains[MODEL_MAX_NODES];
  guint n_drains;
  GPtrArray *sections; /* of the old plan */
} Drains;

static gboolean
goes (const Model *next, const gboolean *kept, guint id)
{
  for (guint i = 0; i < next->n_nodes; i++)
    if (next->nodes[i].id == id)
      return !kept[i];
  return TRUE;
}

static void
find_drains (Operations *self, const Model *next, const gboolean *kept, Drains *drains)
{
  drains->n_drains = 0;
  drains->sections = g_ptr_array_new_with_free_func ((GDestroyNotify) holo_section_unref);
  for (guint i = 0; i < holo_plan_get_n_sections (self->plan); i++)
    g_ptr_array_add (drains->sections, holo_scheduler_get_section (self->scheduler, i));
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      const ModelNode *node = &self->model.nodes[i];
      g_autofree gchar *name = g_strdup_printf ("n%02u", node->id);
      gint section;

      /* what lies in an Input or an Output is not in its task */
      if (!model_is_async (node->kind) || node->kind == MODEL_INPUT || node->kind == MODEL_OUTPUT ||
          !goes (next, kept, node->id))
        continue;
      section = holo_plan_get_node_section (self->plan, test_node (self->plan, name), TRUE);
      drains->drains[drains->n_drains++] =
          (Drain){ node->id, i, self->trace->nodes[node->id].n_empty, drains->sections->pdata[section] };
    }
}

static gboolean
is_drained (Operations *self, const Drain *drain)
{
  return self->trace->nodes[drain->id].n_empty > drain->n_empty;
}

/* Not what is behind the commit already. */
static void
read_log (Operations *self)
{
  guint end = operation_log_get_length ();

  operations_read_log (self,
                       MIN (end, operation_log_find_commit (self->trace->n_read, model_get_witness (&self->model))));
}

/* One look at each reader that has something to take. Which are driven, and how far, follows from the state alone, not from how
 * far the update has come: else no run would be like another. */
static gboolean
drive_readers (Operations *self, const Drains *drains, gboolean *all)
{
  gboolean any = FALSE;

  *all = TRUE;
  for (guint i = 0; i < drains->n_drains; i++)
    {
      const Drain *drain = &drains->drains[i];

      if (is_drained (self, drain) || holo_section_is_finished (drain->reader))
        continue;
      *all = FALSE;
      any |= operations_iterate (self, drain->reader);
      read_log (self);
    }
  return any;
}

static gboolean
holds_any (Operations *self, const Drains *drains)
{
  for (guint i = 0; i < drains->n_drains; i++)
    if (!is_drained (self, &drains->drains[i]) && trace_can_pop (self->trace, &self->model, drains->drains[i].index))
      return TRUE;
  return FALSE;
}

/* Whether frames of any drained node get to @section. */
static gboolean
is_behind (Operations *self, const Drains *drains, guint section)
{
  gboolean behind[MODEL_MAX_NODES] = { FALSE };

  for (guint i = 0; i < drains->n_drains; i++)
    behind[drains->drains[i].index] = TRUE;
  for (guint i = 0; i < self->model.n_nodes; i++)
    for (guint j = 0; j < self->model.nodes[i].n_inputs; j++)
      behind[i] |= behind[self->model.nodes[i].inputs[j]];
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("n%02u", self->model.nodes[i].id);

      if (behind[i] && self->model.nodes[i].kind != MODEL_OUTPUT &&
          holo_plan_get_node_section (self->plan, test_node (self->plan, name), TRUE) == (gint) section)
        return TRUE;
    }
  return FALSE;
}

static gboolean
make_room (Operations *self, const Drains *drains)
{
  gboolean any = operations_pull_all (self);

  for (guint i = 0; i < drains->sections->len; i++)
    if (is_behind (self, drains, i))
      any |= operations_iterate (self, drains->sections->pdata[i]);
  read_log (self);
  return any;
}

static gint64
get_patience (Operations *self)
{
  return self->way & OPERATIONS_PATIENT ? 10 * PATIENCE : PATIENCE;
}

/* The update itself brings in what had been made and not pushed, so a reader that finds nothing looks again for a while. */
static void
wait_for_report (Operations *self, Report *report, const Drains *drains, gboolean drive)
{
  gint64 last = g_get_monotonic_time ();
  gboolean all = !drive;

  while (!g_atomic_int_get (&report->done))
    {
      gboolean any = !all && drive_readers (self, drains, &all);

      if (!any && !all && holds_any (self, drains))
        any = make_room (self, drains);
      if (any)
        last = g_get_monotonic_time ();
      else if (g_get_monotonic_time () > last + get_patience (self))
        all = TRUE;
      if (!any)
        g_usleep (20);
    }
}

/* ---- the update ---- */

static void
change_model (Operations *self, Model *next)
{
  guint n = operations_roll (self, 0, 3) == 0 ? 3 : 1;

  *next = self->model;
  for (guint i = 0; i < n; i++)
    {
      ModelChange change = (ModelChange) operations_roll (self, 0, N_CHANGES - 1);

      if (model_change (next, change, self->rand, &self->id, &self->epoch))
        operations_tell (self, "update: %s", model_change_get_name (change));
    }
  model_touch_witness (next, &self->epoch);
}

void
operation_update (Operations *self)
{
  Report report = { FALSE, 0, NULL };
  gboolean kept[MODEL_MAX_NODES], drive = operations_roll (self, 0, 2) > 0;
  guint64 n_lost, n_by_rule;
  guint commit;
  Drains drains;
  HoloPlan *plan;
  Model next;

  if (self->id + 4 > OPERATION_MAX_IDS)
    return;
  self->n_operations++;
  operations_compare (self);
  replay_prepare_change (self->replay);
  change_model (self, &next);
  if (g_getenv ("HOLO_TEST_LOG") != NULL)
    {
      g_autofree gchar *text = model_to_text (&next);

      operations_tell (self, "to\n%s", text);
    }
  plan = operations_compile (self, &next, self->plan);
  operations_find_kept (self, &next, plan, kept);
  find_drains (self, &next, kept, &drains);
  self->trace->changing = TRUE;
  holo_scheduler_set_drain_limit (self->scheduler, drive ? 5 * get_patience (self) : SHORT_LIMIT);
  holo_scheduler_update (self->scheduler, plan, on_updated, &report);
  wait_for_report (self, &report, &drains, drive && drains.n_drains > 0);
  operations_tell (self, "updated: %" G_GUINT64_FORMAT " discarded", report.n_discarded);
  g_ptr_array_unref (drains.sections);
  if (report.message != NULL)
    operations_fail (self, "the update: %s", report.message);
  commit = operation_log_find_commit (self->trace->n_read, model_get_witness (&self->model));
  if (commit == G_MAXUINT)
    operations_fail (self, "the update was reported and not committed");
  operations_rest (self, commit, NULL);
  for (guint i = 0; i < self->model.n_nodes; i++)
    self->trace->nodes[self->model.nodes[i].id].run_returned +=
        goes (&next, kept, self->model.nodes[i].id) && replay_is_in_hand (self->replay, i);
  n_lost = replay_change (self->replay, &next, kept, &n_by_rule);
  self->model = next;
  holo_plan_unref (self->plan);
  self->plan = plan;
  trace_expect (self->trace, &self->model);
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (!kept[i])
      trace_renew (self->trace, self->model.nodes[i].id);
  /* it cannot tell what tasks discard by rule while they are drained */
  if (report.n_discarded < n_lost || report.n_discarded > n_lost + n_by_rule)
    operations_fail (self, "the update reports %" G_GUINT64_FORMAT " frames lost, not %" G_GUINT64_FORMAT,
                     report.n_discarded, n_lost);
}
