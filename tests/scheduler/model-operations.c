/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "model-operations.h"

#include <stdlib.h>

#include "call-off.h"
#include "hb-checker.h"
#include "random-model.h"
#include "sim-device.h"
#include "test-run.h"

#define N_STEPS 80

static HoloDevice *simulated;

/* ---- telling ---- */

void
operations_tell (Operations *self, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  g_string_append_printf (self->story, "%u: ", operation_log_get_length ());
  g_string_append_vprintf (self->story, format, args);
  g_string_append_c (self->story, '\n');
  va_end (args);
}

/* HOLO_TEST_LOG=1 with HOLO_TEST_SEED: to see where two runs begin to differ. */
static void
print_log (void)
{
  for (guint i = 0; i < operation_log_get_length (); i++)
    {
      OperationEntry entry = operation_log_get (i);

      g_printerr ("%u: n%02u what %d, result %d, epoch %u, task %u, frame %" G_GINT64_FORMAT ", hash %08x\n", i,
                  entry.id, entry.what, entry.result, entry.epoch, entry.instance, (gint64) entry.frame, entry.hash);
    }
}

void
operations_fail (Operations *self, const gchar *format, ...)
{
  g_autofree gchar *what = NULL, *text = model_to_text (&self->model);
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_printerr ("%s\n", self->story->str);
  if (g_getenv ("HOLO_TEST_LOG") != NULL)
    print_log ();
  g_error ("graph %u, %s: %s\n%s", self->seed, self->way & OPERATIONS_DEVICE ? "simulated device" : "host", what, text);
}

guint
operations_roll (Operations *self, guint from, guint to)
{
  return (guint) g_rand_int_range (self->rand, (gint) from, (gint) to + 1);
}

gint
operations_find (Operations *self, ModelKind kind)
{
  guint first = operations_roll (self, 0, self->model.n_nodes - 1);

  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      guint index = (first + i) % self->model.n_nodes;

      if (self->model.nodes[index].kind == kind)
        return (gint) index;
    }
  return -1;
}

/* ---- comparing ---- */

gboolean
operations_same_values (const GArray *a, const GArray *b)
{
  gboolean same = a->len == b->len;

  for (guint i = 0; same && i < a->len; i++)
    same = g_array_index (a, gfloat, i) == g_array_index (b, gfloat, i);
  return same;
}

gchar *
operations_values_to_text (const GArray *values)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < values->len; i++)
    g_string_append_printf (text, i == 0 ? "%g" : ", %g", (gdouble) g_array_index (values, gfloat, i));
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

static void
compare_pulled (Operations *self, guint id)
{
  GArray *found;

  while ((found = g_queue_pop_head (&self->pulled[id])) != NULL)
    {
      GArray *expected = replay_take (self->replay, id);

      if (expected == NULL)
        operations_fail (self, "n%02u gave a frame more than there can be", id);
      if (!operations_same_values (found, expected))
        {
          g_autofree gchar *a = operations_values_to_text (found), *b = operations_values_to_text (expected);

          operations_fail (self, "n%02u gave %s, not %s", id, a, b);
        }
      g_array_unref (found);
      g_array_unref (expected);
    }
}

void
operations_read_log (Operations *self, guint end)
{
  g_autofree gchar *wrong = NULL;

  if (self->way & OPERATIONS_DEVICE)
    holo_device_synchronize (simulated, NULL); /* what is enqueued has not written its entry yet */
  wrong = trace_read (self->trace, end);
  if (wrong != NULL)
    operations_fail (self, "%s", wrong);
}

static void
compare (Operations *self)
{
  guint64 calls[MODEL_MAX_NODES];

  for (guint i = 0; i < self->model.n_nodes; i++)
    calls[i] = self->trace->nodes[self->model.nodes[i].id].executions->len;
  if (!replay_advance (self->replay, calls))
    operations_fail (self, "%s", replay_get_failure (self->replay));
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (self->model.nodes[i].kind == MODEL_OUTPUT)
      compare_pulled (self, self->model.nodes[i].id);
  operations_check_events (self);
}

void
operations_compare (Operations *self)
{
  operations_read_log (self, G_MAXUINT);
  compare (self);
}

void
operations_rest (Operations *self, guint end, const gboolean *back)
{
  operations_read_log (self, end);
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (back == NULL || back[i])
      trace_rest (self->trace, self->model.nodes[i].id);
  compare (self);
}

/* ---- steps ---- */

gboolean
operations_iterate (Operations *self, HoloSection *section)
{
  g_autoptr (GError) error = NULL;
  HoloOpResult result = holo_section_try_iterate (section, &error);

  if (result == HOLO_OP_ERROR)
    operations_fail (self, "%s: %s", holo_section_get_name (section), error->message);
  return result == HOLO_OP_OK;
}

static gboolean
iterate_any (Operations *self)
{
  guint n = holo_plan_get_n_sections (self->plan), i = operations_roll (self, 0, n - 1);
  g_autoptr (HoloSection) section = holo_scheduler_get_section (self->scheduler, i);

  return operations_iterate (self, section);
}

GArray *
operations_read_frame (const HoloFrame *frame)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (gfloat));

  hb_host_access (holo_frame_get_data (frame), &frame->desc, FALSE, "application");
  if (!holo_tensor_desc_is_empty (&frame->desc))
    g_array_append_vals (values, holo_frame_get_data (frame), (guint) holo_tensor_desc_count (&frame->desc));
  return values;
}

gboolean
operations_pull (Operations *self, guint index)
{
  guint id = self->model.nodes[index].id;
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;
  HoloOpResult result;

  if (self->over[id])
    return FALSE;
  result = holo_end_try_pull (self->ends[id], &frame, &error);
  if (result == HOLO_OP_ERROR)
    operations_fail (self, "a pull from n%02u: %s", id, error->message);
  operations_check_flushed (self, index, result);
  if (self->stopped && result != HOLO_OP_OK && result != HOLO_OP_CANCELLED && result != HOLO_OP_EOF)
    operations_fail (self, "a pull from n%02u after the end of the run: %s", id, holo_op_result_get_name (result));
  if (result == HOLO_OP_OK)
    {
      operations_tell (self, "pull from n%02u: frame %" G_GINT64_FORMAT, id, (gint64) frame.stamp.seq);
      g_queue_push_tail (&self->pulled[id], operations_read_frame (&frame));
      self->n_passed[id]++;
    }
  if (result == HOLO_OP_EOF)
    self->over[id] = TRUE;
  return result == HOLO_OP_OK;
}

gboolean
operations_pull_all (Operations *self)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->model.n_nodes; i++)
    if (self->model.nodes[i].kind == MODEL_OUTPUT)
      any |= operations_pull (self, i);
  return any;
}

GArray *
operations_make_frame (Operations *self, const ModelNode *node, HoloFrame *frame)
{
  gint64 shape[] = { node->shape[0] };
  GArray *values = g_array_sized_new (FALSE, TRUE, sizeof (gfloat), node->shape[0] + 1);
  guint64 n = __atomic_fetch_add (&self->n_offered[node->id], 1, __ATOMIC_RELAXED); /* several threads may push */
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  if (!holo_frame_init_alloc (frame, &desc, NULL))
    operations_fail (self, "no memory");
  hb_host_access (holo_frame_get_data (frame), &desc, TRUE, "application");
  g_array_set_size (values, node->shape[0]);
  for (guint i = 0; i < values->len; i++)
    g_array_index (values, gfloat, i) = (gfloat) (node->id + 1 + 10 * i + n);
  if (values->len > 0)
    memcpy (holo_frame_get_data (frame), values->data, values->len * sizeof (gfloat));
  return values;
}

/* A push that would wait is called off: nobody else is there to make room. The frame may be in all the same. */
static gboolean
push (Operations *self, guint index)
{
  const ModelNode *node = &self->model.nodes[index];
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  g_autoptr (GArray) values = NULL;
  g_autoptr (GError) error = NULL;
  HoloOpResult result;
  gboolean taken;

  if (self->over[node->id])
    return FALSE;
  values = operations_make_frame (self, node, &frame);
  result = call_off_push (self->ends[node->id], &frame, &error);
  taken = frame.block == NULL;
  operations_tell (self, "push %" G_GUINT64_FORMAT " into n%02u: %s%s", self->n_offered[node->id] - 1, node->id,
                   holo_op_result_get_name (result), taken ? "" : ", not taken");
  if (result == HOLO_OP_ERROR)
    operations_fail (self, "a push into n%02u: %s", node->id, error->message);
  operations_check_flushed (self, index, result);
  if ((result == HOLO_OP_OK || result == HOLO_OP_FLUSHED) && taken != (result == HOLO_OP_OK))
    operations_fail (self, "a push into n%02u gave %s and %s the frame", node->id, holo_op_result_get_name (result),
                     taken ? "took" : "did not take");
  if (result == HOLO_OP_EOF)
    self->over[node->id] = TRUE;
  self->n_passed[node->id] += taken;
  if (taken)
    replay_feed (self->replay, node->id, values);
  return taken;
}

static void
push_end (Operations *self, guint index)
{
  guint id = self->model.nodes[index].id;
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloSection) section = NULL;
  gint number =
      holo_plan_get_node_section (self->plan, test_node (self->plan, holo_end_get_name (self->ends[id])), TRUE);
  HoloOpResult result;

  if (self->over[id])
    return;
  section = holo_scheduler_get_section (self->scheduler, (guint) number);
  result = call_off_push_end (self->ends[id], section, &error);
  operations_tell (self, "end of n%02u: %s", id, holo_op_result_get_name (result));
  if (result == HOLO_OP_ERROR)
    operations_fail (self, "the end of n%02u: %s", id, error->message);
  operations_check_flushed (self, index, result);
  if (result == HOLO_OP_FLUSHED)
    return;
  self->over[id] = TRUE;
  replay_end_input (self->replay, id);
}

static void
feed_any (Operations *self)
{
  gint index = operations_find (self, MODEL_INPUT);

  if (index < 0)
    return;
  if ((gint64) self->n_offered[self->model.nodes[index].id] >= self->model.nodes[index].number)
    push_end (self, (guint) index);
  else
    push (self, (guint) index);
}

gboolean
operations_is_over (Operations *self)
{
  guint n = holo_plan_get_n_sections (self->plan);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HoloSection) section = holo_scheduler_get_section (self->scheduler, i);

      if (!holo_section_is_finished (section))
        return FALSE;
    }
  return TRUE;
}

static void
operate (Operations *self)
{
  static void (*const operations[]) (Operations * self) = {
    operation_update,     operation_update,        operation_update,     operation_update,
    operation_flush,      operation_flush,         operation_flush,      operation_read_statistics,
    operation_send_event, operation_set_allocator, operation_set_unread,
  };
  guint what = operations_roll (self, 0, 99);

  if (what < 4)
    operation_restart (self);
  else if (what < 10)
    operation_close (self);
  else
    operations[what % G_N_ELEMENTS (operations)](self);
}

static void
step (Operations *self)
{
  guint what = operations_roll (self, 0, 99);

  if (what < 45)
    iterate_any (self);
  else if (what < 70)
    feed_any (self);
  else if (what < 90)
    {
      gint index = operations_find (self, MODEL_OUTPUT);

      if (index >= 0)
        operations_pull (self, (guint) index);
    }
  else
    operate (self);
}

/* ---- a graph from beginning to end ---- */

HoloDevice *
operations_get_device (void)
{
  return simulated;
}

HoloPlan *
operations_compile (Operations *self, const Model *model, HoloPlan *previous)
{
  g_autoptr (HoloGraph) graph = model_to_graph (model, self->way & OPERATIONS_DEVICE, FALSE);
  g_autoptr (GError) error = NULL;
  HoloPlan *plan = holo_compiler_compile (self->compiler, graph, previous, &error);

  if (plan == NULL)
    operations_fail (self, "compile: %s", error->message);
  if (hb_checker_is_active ())
    hb_checker_add_plan (plan);
  return plan;
}

static void
find_ends (Operations *self)
{
  for (guint i = 0; i < self->model.n_nodes; i++)
    {
      const ModelNode *node = &self->model.nodes[i];
      g_autofree gchar *name = g_strdup_printf ("n%02u", node->id);

      if (node->kind == MODEL_INPUT)
        self->ends[node->id] = test_input (self->scheduler, name);
      else if (node->kind == MODEL_OUTPUT)
        self->ends[node->id] = test_output (self->scheduler, name);
    }
}

void
operations_set_up (Operations *self, guint seed, guint way, HoloDriving driving)
{
  g_autoptr (GError) error = NULL;

  self->seed = seed;
  self->way = way;
  self->rand = g_rand_new_with_seed (seed);
  self->story = g_string_new (NULL);
  if (way & OPERATIONS_THREADS)
    model_make_logged (&self->model, seed, way & OPERATIONS_LEAKY);
  else
    model_make_operable (&self->model, seed);
  self->id = self->model.n_nodes;
  self->epoch = 1;
  operation_log_clear ();
  self->trace = trace_new (way & OPERATIONS_THREADS);
  trace_expect (self->trace, &self->model);
  self->replay = replay_new (&self->model, self->trace);
  self->compiler = holo_compiler_new (test_kinds_get_registry ());
  if (way & OPERATIONS_DEVICE)
    holo_compiler_set_device (self->compiler, simulated);
  self->plan = operations_compile (self, &self->model, NULL);
  self->scheduler = holo_scheduler_new (self->plan);
  holo_scheduler_set_driving (self->scheduler, driving);
  if (!holo_scheduler_start (self->scheduler, &error))
    operations_fail (self, "start: %s", error->message);
  find_ends (self);
}

static gboolean
drive_once (Operations *self)
{
  guint n = holo_plan_get_n_sections (self->plan);
  gboolean any = operations_pull_all (self);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HoloSection) section = holo_scheduler_get_section (self->scheduler, i);

      any |= operations_iterate (self, section);
    }
  return any;
}

/* Until nothing moves any more; a look may be refused although nothing is missing (see Bridge). */
static void
drive_to_end (Operations *self)
{
  for (guint n_idle = 0; n_idle < 3;)
    n_idle = drive_once (self) ? 0 : n_idle + 1;
}

static void
end_run (Operations *self)
{
  g_autofree gchar *standstill = NULL;
  g_autoptr (GError) error = NULL;
  gboolean over;

  for (guint i = 0; i < self->model.n_nodes && !operations_is_over (self); i++)
    if (self->flushing[self->model.nodes[i].id])
      operations_stop_flush (self, i);
  for (guint i = 0; i < self->model.n_nodes; i++)
    if (self->model.nodes[i].kind == MODEL_INPUT)
      push_end (self, i);
  operations_tell (self, "to the end");
  drive_to_end (self);
  over = operations_is_over (self);
  operation_read_statistics (self);
  replay_rest (self->replay);
  if (over && replay_find_unfinished (self->replay) >= 0)
    operations_fail (self, "the run is over, but n%02d has not ended", replay_find_unfinished (self->replay));
  standstill = replay_find_standstill (self->replay);
  if (standstill != NULL)
    operations_fail (self, "%s", standstill);
  if (!over)
    holo_scheduler_stop (self->scheduler);
  if (!holo_scheduler_wait (self->scheduler, &error))
    operations_fail (self, "the run: %s", error->message);
}

/* What passed, node by node: streams of a device work beside the host. How often somebody looked in vain, and whether a task
 * that an update takes away was told of its end by that or before it, is no part of it. */
static gboolean
is_frame (OperationWhat what)
{
  return what == OPERATION_EXECUTE || what == OPERATION_PUSH || what == OPERATION_POP;
}

static guint32
hash_log (void)
{
  guint32 hashes[OPERATION_MAX_IDS][OPERATION_RESET + 1] = { 0 }, all = 0;

  for (guint i = 0; i < operation_log_get_length (); i++)
    {
      OperationEntry entry = operation_log_get (i);
      guint32 words[] = { entry.epoch, entry.instance, entry.hash, (guint32) entry.frame };
      guint32 *hash = &hashes[entry.id][entry.what];

      if (!is_frame (entry.what))
        continue;
      for (guint k = 0; k < G_N_ELEMENTS (words); k++)
        *hash = (*hash ^ words[k]) * 16777619u + 1;
    }
  for (guint i = 0; i < OPERATION_MAX_IDS; i++)
    for (guint k = 0; k <= OPERATION_RESET; k++)
      all = (all ^ hashes[i][k]) * 16777619u;
  return all;
}

void
operations_tear_down (Operations *self)
{
  if (g_getenv ("HOLO_TEST_LOG") != NULL)
    {
      g_printerr ("%s", self->story->str);
      print_log ();
    }

  for (guint i = 0; i < OPERATION_MAX_IDS; i++)
    {
      g_clear_pointer (&self->ends[i], holo_end_unref);
      g_queue_clear_full (&self->pulled[i], (GDestroyNotify) g_array_unref);
      g_queue_clear_full (&self->events[i], g_free);
    }
  g_object_unref (self->scheduler);
  if (self->n_allocators != 0)
    operations_fail (self, "%d allocators are in use after the end", self->n_allocators);
  holo_plan_unref (self->plan);
  g_object_unref (self->compiler);
  replay_free (self->replay);
  trace_free (self->trace);
  g_rand_free (self->rand);
  g_string_free (self->story, TRUE);
}

guint32
operations_run (guint seed, guint way)
{
  g_autofree Operations *self = g_new0 (Operations, 1);
  g_autofree gchar *label = g_strdup_printf ("graph %u of the operations, way %u", seed, way);
  guint32 hash;

  hb_checker_reset ();
  test_watchdog_label (label);
  test_watchdog (10);
  operations_set_up (self, seed, way, HOLO_DRIVING_CALLER);
  for (guint i = 0; i < N_STEPS && !operations_is_over (self); i++)
    step (self);
  end_run (self);
  hash = hash_log ();
  operations_tear_down (self);
  test_watchdog (0);
  return hash;
}

void
operations_start (void)
{
  simulated = sim_device_new (1, 0);
  call_off_start ();
}

void
operations_stop (void)
{
  call_off_stop ();
  g_clear_object (&simulated);
}
