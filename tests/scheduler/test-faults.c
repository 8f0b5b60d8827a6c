/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everything that can fail is made to fail once: each creation, update and allocation of a compilation, with
 * and without a
 * plan that runs beside it, each piece of device work, and tasks in every place. */
#include "test-run.h"

#include <string.h>

#include "host-faults.h"
#include "sim-device.h"

#define LINE                                                                                                           \
  "source SequenceSource {\"base\": [0, 1]}\nscale Scale {\"factor\": %d}\na TestQueue {\"capacity\": "                \
  "%d}\nsum Bump {}\n"                                                                                                 \
  "b TestQueue {\"mode\": \"owned\"}\nsink HistoryCollect {}\nsource > scale > a > sum > b > sink\n"
#define DEVICE_LINE                                                                                                    \
  "source SequenceSource {\"base\": [0, 1]}\nup Transfer {\"target\": \"Device\"}\nscale Scale "                       \
  "{\"factor\": %d}\n"                                                                                                 \
  "a TestQueue {\"capacity\": %d, \"fences\": true}\nsum Bump {}\nb TestQueue {\"mode\": \"owned\", "                  \
  "\"fences\": true}\n"                                                                                                \
  "down Transfer {\"target\": \"Host\"}\nsink HistoryCollect {}\n"                                                     \
  "source > up > scale > a > sum > b > down > sink\n"

typedef enum
{
  FAULT_CREATE,
  FAULT_UPDATE,
  FAULT_HOST_ALLOCATION,
  FAULT_DEVICE_ALLOCATION,
} Fault;

static HoloDevice *simulated;

/* Two nodes differ with @factor: a synchronous one, and a queue. */
static HoloGraph *
make_graph (gboolean on_device, gint factor)
{
  gint capacity = factor + 1;
  g_autofree gchar *text =
      on_device ? g_strdup_printf (DEVICE_LINE, factor, capacity) : g_strdup_printf (LINE, factor, capacity);

  return test_graph (text);
}

static void
arm (Fault fault, guint n)
{
  switch (fault)
    {
    case FAULT_CREATE:
      test_kinds_fail_create (n);
      break;
    case FAULT_UPDATE:
      test_kinds_fail_update (n);
      break;
    case FAULT_HOST_ALLOCATION:
      host_faults_fail_allocation (n);
      break;
    case FAULT_DEVICE_ALLOCATION:
      sim_device_fail_allocation (SIM_DEVICE (simulated), n);
      break;
    }
}

/* Compiles with the first, the second ... fault until it succeeds; returns that plan and counts the
 * failures. */
static HoloPlan *
compile_with_faults (HoloGraph *graph, HoloDevice *device, HoloPlan *previous, Fault fault, guint *n_failures)
{
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (test_kinds_get_registry ());

  if (device != NULL)
    holo_compiler_set_device (compiler, device);
  for (*n_failures = 0; *n_failures < 1000; ++*n_failures)
    {
      gsize allocated = sim_device_get_allocated (SIM_DEVICE (simulated));
      g_autoptr (GError) error = NULL;
      HoloPlan *plan;

      arm (fault, *n_failures + 1);
      plan = holo_compiler_compile (compiler, graph, previous, &error);
      arm (fault, 0);
      if (plan != NULL)
        {
          g_assert_no_error (error);
          return plan;
        }
      if (fault == FAULT_CREATE || fault == FAULT_UPDATE)
        g_assert_error (error, HOLO_ERROR, HOLO_ERROR_FAILED);
      else
        g_assert_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY);
      g_assert_nonnull (strstr (error->message, "the test made"));
      if (fault == FAULT_CREATE || fault == FAULT_UPDATE)
        g_assert_nonnull (strstr (error->message, "node \""));
      /* what the failed compilation had made is gone */
      g_assert_cmpuint (sim_device_get_allocated (SIM_DEVICE (simulated)), ==, allocated);
    }
  g_assert_not_reached ();
}

static void
test_compile_faults (gconstpointer data)
{
  gboolean on_device = GPOINTER_TO_INT (data);
  static const Fault faults[] = { FAULT_CREATE, FAULT_HOST_ALLOCATION, FAULT_DEVICE_ALLOCATION };
  g_autoptr (HoloGraph) graph = make_graph (on_device, 2);

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      guint n_failures;
      g_autoptr (HoloPlan) plan G_GNUC_UNUSED =
          compile_with_faults (graph, on_device ? simulated : NULL, NULL, faults[i], &n_failures);

      g_assert_nonnull (plan);
      g_test_message ("%u failures", n_failures);
      if (faults[i] == FAULT_CREATE)
        g_assert_cmpuint (n_failures, ==, on_device ? 8 : 6);
      else if (on_device || faults[i] == FAULT_HOST_ALLOCATION)
        g_assert_cmpuint (n_failures, >=, 2);
    }
}

/* Frame n of the sink: its element i is (n + i) * factor + 1. */
static gboolean
has_factor (HoloTask *sink, guint n, gint factor)
{
  guint length;
  const gfloat *frame = test_collect_get_frame (sink, n, &length);

  g_assert_cmpuint (length, ==, 2);
  return frame[0] == (gfloat) ((gint) n * factor + 1) && frame[1] == (gfloat) ((gint) (n + 1) * factor + 1);
}

static void
assert_frames (HoloTask *sink, guint first, guint last, gint factor)
{
  for (guint n = first; n < last; n++)
    g_assert_true (has_factor (sink, n, factor));
}

/* The first frames have the old factor, at least @n_old of them, and all others the new one; returns how many the old. */
static guint
assert_change (HoloTask *sink, guint n_old, gint old_factor, gint new_factor)
{
  guint n = test_collect_get_n_frames (sink);

  while (n_old < n && has_factor (sink, n_old, old_factor))
    n_old++;
  assert_frames (sink, 0, n_old, old_factor);
  assert_frames (sink, n_old, n, new_factor);
  return n_old;
}

static void
note_update (HoloScheduler *scheduler, guint64 n_discarded, const GError *error, gpointer user_data)
{
  g_assert_no_error (error);
  g_assert_cmpuint (n_discarded, ==, 0);
  g_atomic_int_inc ((gint *) user_data);
}

static void
test_update_faults (gconstpointer data)
{
  gboolean on_device = GPOINTER_TO_INT (data) & 1;
  Fault fault = (Fault) (GPOINTER_TO_INT (data) >> 1);
  g_autoptr (HoloGraph) graph = make_graph (on_device, 2);
  g_autoptr (HoloGraph) changed = make_graph (on_device, 5);
  g_autoptr (HoloPlan) plan = test_compile_graph (graph, on_device ? simulated : NULL, NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloPlan) next = NULL;
  g_autoptr (GError) error = NULL;
  HoloTask *sink = test_task (plan, "sink");
  guint n_failures, before, n, n_old;
  gint n_updates = 0;

  test_watchdog (60);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  TEST_WAIT_UNTIL (test_collect_get_n_frames (sink) > 5, 5);
  before = test_collect_get_n_frames (sink);
  next = compile_with_faults (changed, on_device ? simulated : NULL, plan, fault, &n_failures);
  g_test_message ("%u failures", n_failures);
  TEST_WAIT_UNTIL (test_collect_get_n_frames (sink) > before + 5, 5);
  g_assert_true (holo_scheduler_is_running (scheduler));
  n = test_collect_get_n_frames (sink);
  assert_frames (sink, 0, n, 2);
  if (fault == FAULT_UPDATE)
    g_assert_cmpuint (n_failures, ==,
                      on_device ? 1 : 2); /* what has changed is asked; on a device, "scale" is its own */
  g_assert_true (test_task (next, "sink") == sink);

  holo_scheduler_update (scheduler, next, note_update, &n_updates);
  TEST_WAIT_UNTIL (g_atomic_int_get (&n_updates) == 1, 5);
  before = test_collect_get_n_frames (sink);
  TEST_WAIT_UNTIL (test_collect_get_n_frames (sink) > before + 15, 5); /* what the queues held has the old factor */
  holo_scheduler_stop (scheduler);
  g_assert_true (holo_scheduler_wait (scheduler, &error));
  test_watchdog (0);
  n_old = assert_change (sink, n, 2, 5);
  g_assert_cmpuint (n_old, <, test_collect_get_n_frames (sink));
}

/* A compilation that fails while nothing runs leaves its predecessor as it was, also what tasks had staged.
 * */
static void
test_rollback (void)
{
  g_autoptr (HoloGraph) graph =
      test_graph ("source SequenceSource {\"base\": [1], \"end\": 4}\nscale Scale {\"factor\": 2}\n"
                  "sink HistoryCollect {}\nsource > scale > sink\n");
  g_autoptr (HoloGraph) changed = test_graph ("source SequenceSource {\"base\": [1], \"end\": 4}\n"
                                              "scale Scale {\"factor\": 7}\nsink HistoryCollect {}\n"
                                              "source > scale > sink\n");
  g_autoptr (HoloPlan) plan = test_compile_graph (graph, NULL, NULL);
  g_autoptr (HoloPlan) next = NULL;
  guint n_failures;

  test_watchdog (20);
  next = compile_with_faults (changed, NULL, plan, FAULT_UPDATE, &n_failures);
  g_assert_cmpuint (n_failures, ==, 1);
  g_clear_pointer (&next, holo_plan_unref); /* never scheduled: the staged change is forgotten */
  test_run_plan (plan);
  for (guint n = 0; n < 4; n++)
    test_assert_frame (plan, "sink", n, 1, 2.0 * (1 + n));
  next = test_compile_graph (changed, NULL, plan);
  g_assert_true (test_task (next, "scale") == test_task (plan, "scale"));
  test_run_plan (next);
  for (guint n = 0; n < 4; n++)
    test_assert_frame (next, "sink", n, 1, 7.0 * (1 + n));
  test_watchdog (0);
}

/* ---- faults of a run ---- */

/* Allocations that a run makes: it ends with the right frames or with the error, whichever allocation fails.
 * */
static void
test_run_allocations (void)
{
  guint n_failures = 0, n_quiet = 0;

  for (guint n = 1; n_quiet < 3 && n < 100; n++)
    {
      g_autoptr (HoloPlan) plan =
          test_compile ("source SequenceSource {\"base\": [0, 1], \"end\": 30}\na TestQueue {\"mode\": \"owned\"}\n"
                        "end EndAt {\"frames\": 3}\nshort HistoryCollect {}\nq Queue {\"capacity\": 3}\n"
                        "sink HistoryCollect {}\nsource > a > end > short\nsource > q > sink\n",
                        NULL);
      g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
      g_autoptr (GError) error = NULL;
      HoloTask *sink = test_task (plan, "sink");

      test_watchdog (10);
      host_faults_fail_allocation (n);
      if (!holo_scheduler_start (scheduler, &error) || !holo_scheduler_wait (scheduler, &error))
        {
          g_assert_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY);
          n_failures++;
          n_quiet = 0;
        }
      else
        {
          g_assert_cmpuint (test_collect_get_n_frames (sink), ==, 30);
          g_assert_cmpuint (test_collect_get_n_frames (test_task (plan, "short")), ==, 3);
          n_quiet++;
        }
      host_faults_fail_allocation (0);
      for (guint k = 0; k < test_collect_get_n_frames (sink); k++)
        test_assert_frame (plan, "sink", k, 2, (gdouble) k, 1.0 + k);
      test_watchdog (0);
    }
  g_test_message ("%u allocations of a run failed", n_failures);
}

static void
test_device_error (void)
{
  g_autoptr (HoloGraph) graph = make_graph (TRUE, 2);
  g_autoptr (HoloPlan) plan = test_compile_graph (graph, simulated, NULL);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

  test_watchdog (30);
  for (guint n = 1; n < 30; n += 3)
    {
      g_autoptr (GError) error = NULL;
      HoloTask *sink = test_task (plan, "sink");

      g_assert_true (holo_scheduler_start (scheduler, &error));
      sim_device_fail_work (SIM_DEVICE (simulated), n);
      g_assert_false (holo_scheduler_wait (scheduler, &error));
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
      g_assert_nonnull (strstr (error->message, "found at"));
      sim_device_fail_work (SIM_DEVICE (simulated), 0);
      /* the next run is as good as new */
      g_clear_error (&error);
      g_assert_true (holo_scheduler_start (scheduler, &error));
      TEST_WAIT_UNTIL (test_collect_get_n_frames (sink) > 3, 5);
      holo_scheduler_stop (scheduler);
      g_assert_true (holo_scheduler_wait (scheduler, &error));
      assert_frames (sink, 0, test_collect_get_n_frames (sink), 2);
    }
  test_watchdog (0);
}

/* With HOLOFLOW_SYNC=1 the text names who enqueued the work. */
static void
test_device_culprit (void)
{
  g_autoptr (HoloGraph) graph = make_graph (TRUE, 2);
  g_autoptr (HoloPlan) plan = test_compile_graph (graph, simulated, NULL);
  g_autoptr (HoloScheduler) scheduler = NULL;
  g_autoptr (GError) error = NULL;

  g_setenv ("HOLOFLOW_SYNC", "1", TRUE);
  scheduler = holo_scheduler_new (plan);
  test_watchdog (10);
  sim_device_fail_work (SIM_DEVICE (simulated), 2); /* the upload is the first */
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  g_assert_false (holo_scheduler_wait (scheduler, &error));
  g_unsetenv ("HOLOFLOW_SYNC");
  sim_device_fail_work (SIM_DEVICE (simulated), 0);
  test_watchdog (0);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
  g_assert_null (strstr (error->message, "found at"));
  g_assert_nonnull (strstr (error->message, "node \"scale\""));
}

/* A task that fails ends the run in every section, with node, kind and section in the text; the next run
 * fails alike. */
static void
test_failing_task (gconstpointer data)
{
  const gchar *result = data;
  static const gchar *const places[] = {
    "source SequenceSource {\"base\": [0]}\na TestQueue {}\nb Bridge {}\n"
    "sink HistoryCollect {}\nsource > fail > a > b > sink\n",
    "source SequenceSource {\"base\": [0]}\na TestQueue {}\nb Bridge {}\n"
    "sink HistoryCollect {}\nsource > a > fail > b > sink\n",
    "source SequenceSource {\"base\": [0]}\n"
    "a TestQueue {\"mode\": \"owned\"}\nb Bridge {}\nsink HistoryCollect {}\nsource > a > b > fail > sink\n",
    "source SequenceSource {\"base\": [0]}\na TestQueue {}\nb TestQueue {}\n"
    "sink HistoryCollect {}\nother HistoryCollect {}\nsource > a > fail > sink\nsource > b > other\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    for (guint frame = 0; frame < 8; frame += 3)
      {
        g_autofree gchar *node = g_strdup_printf ("fail FailAt {\"frame\": %u, \"result\": \"%s\"}\n", frame, result);
        g_autofree gchar *text = g_strconcat (node, places[i], NULL);
        g_autoptr (HoloPlan) plan = test_compile (text, NULL);
        g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

        test_watchdog (10);
        for (guint run = 0; run < 2; run++)
          {
            g_autoptr (GError) error = NULL;
            gboolean success;

            g_assert_true (holo_scheduler_start (scheduler, NULL));
            success = holo_scheduler_wait (scheduler, &error);
            g_assert_false (holo_scheduler_is_running (scheduler));
            if (g_str_equal (result, "cancelled"))
              {
                g_assert_true (success);
                continue;
              }
            g_assert_false (success);
            g_assert_error (error, HOLO_ERROR, HOLO_ERROR_TASK);
            g_assert_nonnull (strstr (error->message, "\"fail\""));
            g_assert_nonnull (strstr (error->message, "FailAt"));
            g_assert_nonnull (strstr (error->message, "section"));
            g_assert_nonnull (strstr (error->message, "execute"));
          }
        test_watchdog (0);
      }
}

/* ---- two devices ---- */

static void
free_on_device (HoloBlock *block)
{
  holo_device_free (block->device, HOLO_MEM_LOC_DEVICE, block->data);
  holo_block_free (block);
}

static void
init_device_frame (HoloFrame *frame, HoloDevice *device)
{
  const gint64 shape[] = { 2 };
  g_autoptr (GError) error = NULL;
  gpointer data = holo_device_alloc (device, HOLO_MEM_LOC_DEVICE, 2 * sizeof (gfloat), &error);

  g_assert_no_error (error);
  holo_tensor_desc_init (&frame->desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_DEVICE, 1, shape);
  frame->block = holo_block_new (data, 2 * sizeof (gfloat), free_on_device, NULL);
  frame->block->mem_loc = HOLO_MEM_LOC_DEVICE;
  frame->block->device = device;
}

/* A tensor of one device does not get into a graph on another, and the message says how it would. */
static void
test_other_device (void)
{
  HoloDevice *other = sim_device_new (4, 0);
  g_autoptr (HoloPlan) plan =
      test_compile ("in Input {\"dtype\": \"F32\", \"shape\": [2], \"mem_loc\": \"Device\"}\n"
                    "down Transfer {\"target\": \"Host\"}\nsink HistoryCollect {}\nin > down > sink\n",
                    simulated);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloEnd) in = test_input (scheduler, "in");
  g_auto (HoloFrame) wrong = HOLO_FRAME_INIT, right = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;

  test_watchdog (20);
  test_start (scheduler);
  init_device_frame (&wrong, other);
  g_assert_cmpint (holo_end_push (in, &wrong, NULL, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "\"in\""));
  g_assert_nonnull (strstr (error->message, "Memcpy"));
  init_device_frame (&right, simulated);
  test_push_into (scheduler, "in", &right);
  TEST_WAIT_UNTIL (test_collect_get_n_frames (test_task (plan, "sink")) == 1, 5);
  test_finish (scheduler);
  test_watchdog (0);
  holo_frame_clear (&wrong);
  g_assert_finalize_object (other);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  simulated = sim_device_new (3, 50);
  g_test_add_data_func ("/faults/compile/host", GINT_TO_POINTER (FALSE), test_compile_faults);
  g_test_add_data_func ("/faults/compile/device", GINT_TO_POINTER (TRUE), test_compile_faults);
  g_test_add_func ("/faults/compile/rollback", test_rollback);
  g_test_add_data_func ("/faults/update/create/host", GINT_TO_POINTER (FAULT_CREATE << 1), test_update_faults);
  g_test_add_data_func ("/faults/update/update/host", GINT_TO_POINTER (FAULT_UPDATE << 1), test_update_faults);
  g_test_add_data_func ("/faults/update/allocation/host", GINT_TO_POINTER (FAULT_HOST_ALLOCATION << 1),
                        test_update_faults);
  g_test_add_data_func ("/faults/update/create/device", GINT_TO_POINTER (FAULT_CREATE << 1 | 1), test_update_faults);
  g_test_add_data_func ("/faults/update/update/device", GINT_TO_POINTER (FAULT_UPDATE << 1 | 1), test_update_faults);
  g_test_add_data_func ("/faults/update/allocation/device", GINT_TO_POINTER (FAULT_DEVICE_ALLOCATION << 1 | 1),
                        test_update_faults);
  g_test_add_func ("/faults/run/allocations", test_run_allocations);
  g_test_add_func ("/faults/run/device-error", test_device_error);
  g_test_add_func ("/faults/run/device-culprit", test_device_culprit);
  g_test_add_func ("/faults/run/other-device", test_other_device);
  g_test_add_data_func ("/faults/run/task/error", "error", test_failing_task);
  g_test_add_data_func ("/faults/run/task/not-ready", "not-ready", test_failing_task);
  g_test_add_data_func ("/faults/run/task/cancelled", "cancelled", test_failing_task);
  status = g_test_run ();
  g_object_unref (simulated);
  return status;
}
