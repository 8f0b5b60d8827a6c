/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two GPUs in one process: graphs on both at once, and tensors that lie on the wrong one. */
#include <string.h>

#include "cuda-kinds.h"
#include "cuda-test.h"
#include "scheduler/test-run.h"

static HoloDevice *devices[2];

#define LINE                                                                                                           \
  "source Sequence {\"shape\": [64, 64], \"count\": 200}\nq Queue {}\nup Memcpy {\"target\": \"Device\"}\n"            \
  "q1 Queue {}\nroot Sqrt {}\nabs Abs {}\nq2 Queue {}\ndown Memcpy {\"target\": \"Host\"}\nsink "                      \
  "HistoryCollect {}\n"                                                                                                \
  "source > q > up > q1 > root > abs > q2 > down > sink\n"

static void
compare_sinks (HoloPlan *a, HoloPlan *b)
{
  HoloTask *sinks[] = { test_task (a, "sink"), test_task (b, "sink") };

  g_assert_cmpuint (test_collect_get_n_frames (sinks[0]), ==, 200);
  g_assert_cmpuint (test_collect_get_n_frames (sinks[1]), ==, 200);
  for (guint i = 0; i < 200; i++)
    {
      guint n, m;
      const gfloat *x = test_collect_get_frame (sinks[0], i, &n);
      const gfloat *y = test_collect_get_frame (sinks[1], i, &m);

      g_assert_cmpmem (x, n * sizeof *x, y, m * sizeof *y);
    }
}

static void
test_both (void)
{
  g_autoptr (HoloPlan) first = test_compile (LINE, devices[0]);
  g_autoptr (HoloPlan) second = test_compile (LINE, devices[1]);
  g_autoptr (HoloScheduler) one = holo_scheduler_new (first);
  g_autoptr (HoloScheduler) two = holo_scheduler_new (second);
  g_autoptr (GError) error = NULL;

  test_watchdog (60);
  for (guint round = 0; round < 3; round++)
    {
      test_start (one);
      test_start (two);
      holo_scheduler_wait (one, &error);
      g_assert_no_error (error);
      holo_scheduler_wait (two, &error);
      g_assert_no_error (error);
      compare_sinks (first, second);
    }
  test_watchdog (0);
}

#define IN "in Input {\"dtype\": \"F32\", \"shape\": [16], \"mem_loc\": \"%s\"}\n"

static void
pull_from (HoloDevice *device, HoloFrame *frame)
{
  g_autofree gchar *in =
      g_strdup_printf (IN "up Memcpy {\"target\": \"Device\"}\nout Output {}\nin > up > out\n", "Host");
  g_autoptr (HoloPlan) plan = test_compile (in, device);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_auto (HoloFrame) pushed = HOLO_FRAME_INIT;
  const gint64 shape[] = { 16 };
  HoloTensorDesc desc;

  test_start (scheduler);
  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  g_assert_true (holo_frame_init_alloc (&pushed, &desc, NULL));
  test_push_into (scheduler, "in", &pushed);
  test_pull_from (scheduler, "out", frame);
  test_finish (scheduler);
}

/* A tensor of one device does not get into a graph on the other. */
static void
test_wrong_device (void)
{
  g_autofree gchar *text =
      g_strdup_printf (IN "down Memcpy {\"target\": \"Host\"}\nsink HistoryCollect {}\nin > down > sink\n", "Device");
  g_autoptr (HoloPlan) plan = test_compile (text, devices[1]);
  g_autoptr (HoloScheduler) scheduler = holo_scheduler_new (plan);
  g_autoptr (HoloEnd) in = test_input (scheduler, "in");
  g_auto (HoloFrame) frame = HOLO_FRAME_INIT;
  g_autoptr (GError) error = NULL;

  test_watchdog (20);
  pull_from (devices[0], &frame);
  test_start (scheduler);
  g_assert_cmpint (holo_end_push (in, &frame, NULL, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "cuda:0"));
  g_assert_nonnull (strstr (error->message, "cuda:1"));
  g_assert_nonnull (strstr (error->message, "Memcpy"));
  test_finish (scheduler);
  test_watchdog (0);
}

int
main (int argc, char **argv)
{
  gint result;

  g_test_init (&argc, &argv, NULL);
  devices[0] = cuda_test_open ();
  if (cuda_test_count () < 2)
    {
      g_print ("1..0 # SKIP only one CUDA device\n");
      g_object_unref (devices[0]);
      return 0;
    }
  devices[1] = holo_cuda_device_new ("cuda:1", NULL);
  g_assert_nonnull (devices[1]);
  g_assert_true (devices[0] != devices[1]);
  cuda_kinds_register (test_kinds_get_registry ());
  g_test_add_func ("/cuda/several/both", test_both);
  g_test_add_func ("/cuda/several/wrong-device", test_wrong_device);
  result = g_test_run ();
  g_assert_finalize_object (devices[0]);
  g_assert_finalize_object (devices[1]);
  return result;
}
