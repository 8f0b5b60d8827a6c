/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BatchQueue and RateLimiter inside running graphs: in host and in device memory (simulated, with every access
 * checked for its order), and while their settings change. */
#include "hb-checker.h"
#include "sim-device.h"
#include "test-run.h"

static HoloDevice *simulated;

/* Frame n of the source is the one number n, as a tensor [1]. */
static gchar *
make_text (guint n_frames, gboolean on_device, const gchar *middle)
{
  return g_strdup_printf ("source Sequence {\"shape\": [1], \"count\": %u}\nup Memcpy {\"target\": \"%s\"}\n"
                          "middle %s\ndown Memcpy {\"target\": \"Host\"}\nsink HistoryCollect {}\n"
                          "source > up > middle > down > sink\n",
                          n_frames, on_device ? "Device" : "Host", middle);
}

static void
check_frames (HoloPlan *plan, guint n_frames, guint size, guint stride)
{
  HoloTask *sink = test_task (plan, "sink");

  g_assert_cmpuint (test_collect_get_n_frames (sink), ==, n_frames);
  for (guint i = 0; i < n_frames; i++)
    {
      guint length;
      const gfloat *values = test_collect_get_frame (sink, i, &length);

      g_assert_cmpuint (length, ==, size);
      for (guint k = 0; k < size; k++)
        g_assert_cmpfloat (values[k], ==, (gfloat) (i * stride + k));
    }
}

static void
run_twice (const gchar *text, HoloDevice *device, guint n_frames, guint size, guint stride)
{
  g_autoptr (HoloPlan) plan = test_compile (text, device);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);

  for (guint i = 0; i < 2; i++)
    {
      if (hb_checker_is_active ())
        hb_checker_reset ();
      test_run (scheduler);
      check_frames (plan, n_frames, size, stride);
    }
}

/* Batches, gaps and overlaps, in rings that mirror and that do not. */
static void
test_windows (gconstpointer data)
{
  gboolean on_device = GPOINTER_TO_INT (data);
  static const struct
  {
    guint capacity, size, stride;
  } cases[] = { { 8, 4, 4 }, { 1, 3, 3 }, { 5, 2, 7 }, { 4, 4, 1 }, { 9, 5, 3 }, { 1, 1, 1 }, { 2, 1, 5 } };

  test_watchdog (60);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree gchar *queue =
          g_strdup_printf ("BatchQueue {\"target_capacity\": %u, \"output_size\": %u, \"output_stride\": %u}",
                           cases[i].capacity, cases[i].size, cases[i].stride);
      g_autofree gchar *text = make_text (60, on_device, queue);

      run_twice (text, on_device ? simulated : NULL, (60 - cases[i].size) / cases[i].stride + 1, cases[i].size,
                 cases[i].stride);
    }
  test_watchdog (0);
}

static void
test_limiter (gconstpointer data)
{
  gboolean on_device = GPOINTER_TO_INT (data);
  static const gchar *const modes[] = { "adopt", "copy", "slot" };

  test_watchdog (60);
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autofree gchar *limiter = g_strdup_printf ("RateLimiter {\"max_fps\": 1e9, \"mode\": \"%s\"}", modes[i]);
      g_autofree gchar *text = make_text (60, on_device, limiter);

      run_twice (text, on_device ? simulated : NULL, 60, 1, 1);
    }
  test_watchdog (0);
}

/* The rate in a running graph: 40 frames take at least 38.5 periods. */
static void
test_rate (void)
{
  g_autofree gchar *text = make_text (40, FALSE, "RateLimiter {\"max_fps\": 500}");
  g_autoptr (HoloPlan) plan = test_compile (text, NULL);
  gint64 began = g_get_monotonic_time ();

  test_watchdog (60);
  test_run_plan (plan);
  test_watchdog (0);
  check_frames (plan, 40, 1, 1);
  g_assert_cmpint (g_get_monotonic_time () - began, >=, 38 * 2000);
}

/* ---- changing settings ---- */

typedef struct
{
  gint n_reports;
  gint n_failures;
} Reports;

static void
count_report (HoloScheduler *scheduler, guint64 n_discarded, const GError *error, gpointer user_data)
{
  Reports *reports = user_data;

  if (error != NULL || n_discarded > 0)
    g_atomic_int_inc (&reports->n_failures);
  g_atomic_int_inc (&reports->n_reports);
}

static HoloGraph *
make_changing_graph (gboolean on_device, guint capacity)
{
  g_autofree gchar *text =
      g_strdup_printf ("in Input {\"dtype\": \"F32\", \"shape\": [1]}\nup Memcpy {\"target\": \"%s\"}\n"
                       "queue BatchQueue {\"target_capacity\": %u, \"output_size\": 4, \"output_stride\": 3}\n"
                       "down Memcpy {\"target\": \"Host\"}\nout Output {}\nin > up > queue > down > out\n",
                       on_device ? "Device" : "Host", capacity);

  return test_graph (text);
}

static HoloPlan *
compile_capacity (gboolean on_device, guint capacity, HoloPlan *previous)
{
  g_autoptr (HoloGraph) graph = make_changing_graph (on_device, capacity);
  HoloPlan *plan = test_compile_graph (graph, on_device ? simulated : NULL, previous);

  if (hb_checker_is_active ())
    hb_checker_add_plan (plan);
  return plan;
}

typedef struct
{
  HoloEnd *input;
  guint n;
  HoloOpResult result;
} Pusher;

static gpointer
push_numbers (gpointer data)
{
  Pusher *pusher = data;
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, (gint64[]){ 1 });
  for (guint i = 0; i < 3000; i++)
    {
      HoloFrame frame;

      g_assert_true (holo_frame_init_alloc (&frame, &desc, NULL));
      *(gfloat *) holo_frame_get_data (&frame) = (gfloat) i;
      if (hb_checker_is_active ())
        hb_host_range (holo_frame_get_data (&frame), sizeof (gfloat), TRUE, "pusher");
      pusher->result = holo_end_push (pusher->input, &frame, NULL, NULL);
      if (pusher->result != HOLO_OP_OK)
        {
          pusher->n = i;
          holo_frame_clear (&frame);
          return NULL;
        }
    }
  g_assert_cmpint (holo_end_push_end (pusher->input, NULL), ==, HOLO_OP_OK);
  return NULL;
}

/* The capacity changes again and again while frames pass: every window comes, once and in order. */
static void
test_change_capacity (gconstpointer data)
{
  gboolean on_device = GPOINTER_TO_INT (data);
  static const guint capacities[] = { 3, 40, 1, 17, 5, 100, 2 };
  HoloPlan *plan;
  g_autoptr (HoloScheduler) scheduler = NULL;
  g_autoptr (HoloEnd) in = NULL;
  g_autoptr (HoloEnd) out = NULL;
  Reports reports = { 0, 0 };
  guint n = 0, n_changes = 0;
  HoloFrame frame;
  Pusher pusher;
  g_autoptr (GError) error = NULL;
  GThread *thread;

  if (hb_checker_is_active ())
    hb_checker_reset ();
  test_watchdog (60);
  plan = compile_capacity (on_device, 8, NULL);
  scheduler = holo_scheduler_new (plan);
  g_assert_true (holo_scheduler_start (scheduler, NULL));
  in = test_input (scheduler, "in");
  out = test_output (scheduler, "out");
  pusher = (Pusher){ in };
  thread = g_thread_new ("pusher", push_numbers, &pusher);
  while (holo_end_pull (out, &frame, NULL, NULL) == HOLO_OP_OK)
    {
      const gfloat *values = holo_frame_get_data (&frame);

      for (guint k = 0; k < 4; k++)
        g_assert_cmpfloat (values[k], ==, (gfloat) (n * 3 + k));
      g_assert_cmpuint (frame.stamp.seq, ==, n);
      g_assert_cmpuint (frame.stamp.first, ==, n * 3);
      g_assert_cmpuint (frame.stamp.last, ==, n * 3 + 3);
      holo_frame_clear (&frame);
      /* The next change when the last one is through. */
      if (n++ % 20 == 10 && g_atomic_int_get (&reports.n_reports) == (gint) n_changes)
        {
          g_autoptr (HoloPlan) running = holo_scheduler_get_plan (scheduler);
          HoloPlan *next = compile_capacity (on_device, capacities[n_changes++ % G_N_ELEMENTS (capacities)], running);

          holo_scheduler_update (scheduler, next, count_report, &reports);
          holo_plan_unref (plan);
          plan = next;
        }
    }
  g_thread_join (thread);
  holo_scheduler_wait (scheduler, &error);
  g_assert_no_error (error);
  g_assert_cmpint (pusher.result, ==, HOLO_OP_OK);
  test_watchdog (0);
  g_assert_cmpuint (n, ==, (3000 - 4) / 3 + 1);
  g_assert_cmpint (reports.n_failures, ==, 0);
  g_assert_cmpuint (n_changes, >, 2);
  holo_plan_unref (plan);
}

static void
add_both (const gchar *name, GTestDataFunc func)
{
  g_autofree gchar *host = g_strdup_printf ("/holo/windows/%s/host", name);
  g_autofree gchar *device = g_strdup_printf ("/holo/windows/%s/device", name);

  g_test_add_data_func (host, GINT_TO_POINTER (FALSE), func);
  g_test_add_data_func (device, GINT_TO_POINTER (TRUE), func);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  simulated = sim_device_new (5, 50);
  if (HB_CHECKER_AVAILABLE)
    hb_checker_start ();
  add_both ("windows", test_windows);
  add_both ("limiter", test_limiter);
  add_both ("change-capacity", test_change_capacity);
  g_test_add_func ("/holo/windows/rate", test_rate);
  status = g_test_run ();
  if (HB_CHECKER_AVAILABLE)
    hb_checker_stop ();
  g_object_unref (simulated);
  return status;
}
