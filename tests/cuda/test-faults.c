/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What goes wrong on a device ends in an error that says so, and in an orderly stop: each case in a process of
 * its own. */
#include <string.h>

#include "cuda-kinds.h"
#include "cuda-test.h"

static HoloDevice *device;

static HoloPlan *
try_compile (const gchar *chain, GError **error)
{
  g_autoptr (HoloGraph) graph = cuda_make_chain (chain);
  g_autoptr (HoloCompiler) compiler = holo_compiler_new (holo_registry_get_default ());

  holo_compiler_set_device (compiler, device);
  return holo_compiler_compile (compiler, graph, NULL, error);
}

static gboolean
try_run (HoloScheduler *scheduler, GError **error)
{
  return holo_scheduler_start (scheduler, error) && holo_scheduler_wait (scheduler, error);
}

static void
run_well (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloPlan) plan =
      try_compile ("Unfilled {\"shape\": [100], \"count\": 20}\nMemcpy {\"target\": \"Device\"}\nSqrt {}\n"
                   "Memcpy {\"target\": \"Host\"}\nUnread {}",
                   &error);
  g_autoptr (HoloScheduler) scheduler = NULL;

  g_assert_no_error (error);
  scheduler = holo_scheduler_new (plan);
  try_run (scheduler, &error);
  g_assert_no_error (error);
}

/* ---- a kernel that fails ---- */

static void
assert_poisoned (const GError *error)
{
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
  g_printerr ("later: %s\n", error->message);
  g_assert_nonnull (strstr (error->message, "cannot be used any more in this process"));
  g_assert_nonnull (strstr (error->message, "cudaErrorIllegalAddress"));
}

static void
fail_in_graph (const gchar *chain)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloPlan) plan = try_compile (chain, &error);
  g_autoptr (HoloPlan) next = NULL;
  g_autoptr (HoloScheduler) scheduler = NULL;

  g_assert_no_error (error);
  scheduler = holo_scheduler_new (plan);
  g_assert_false (try_run (scheduler, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
  g_printerr ("first: %s\n", error->message);
  g_assert_nonnull (strstr (error->message, "cudaErrorIllegalAddress"));
  g_clear_error (&error);
  /* the same scheduler, and a new plan */
  g_assert_false (try_run (scheduler, &error));
  assert_poisoned (error);
  g_clear_error (&error);
  next = try_compile ("Unfilled {\"shape\": [4], \"target\": \"Device\"}\nUnread {}", &error);
  g_assert_null (next);
  assert_poisoned (error);
}

#define FAULT_CHAIN(middle)                                                                                            \
  "Unfilled {\"shape\": [512, 512], \"count\": 200}\n" middle "Memcpy {\"target\": \"Device\"}\n" middle               \
  "Delay {\"ms\": 0, \"fault\": 20}\n" middle "Memcpy {\"target\": \"Host\"}\n" middle "Unread {}"

static void
test_fault (gconstpointer data)
{
  if (g_test_subprocess ())
    {
      fail_in_graph (data);
      return;
    }
  g_test_trap_subprocess (NULL, 60 * G_USEC_PER_SEC, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*first: *cudaError*later: *cuda:0*later: *");
}

/* With HOLOFLOW_SYNC the error names the node. */
static void
test_culprit (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HoloPlan) plan = try_compile (FAULT_CHAIN (""), &error);
      g_autoptr (HoloScheduler) scheduler = NULL;

      g_assert_no_error (error);
      g_setenv ("HOLOFLOW_SYNC", "1", TRUE);
      scheduler = holo_scheduler_new (plan);
      g_assert_false (try_run (scheduler, &error));
      g_printerr ("%s\n", error->message);
      return;
    }
  g_test_trap_subprocess (NULL, 60 * G_USEC_PER_SEC, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*node \"n2\" (Delay), execute in section-0: *");
}

/* ---- no memory ---- */

/* 4 TiB on the device: the graph is refused, and the device is as good as before. */
static void
test_no_memory (void)
{
  static const gchar *const chains[] = {
    "Unfilled {\"shape\": [1048576, 1048576], \"target\": \"Device\"}\nUnread {}",
    "Unfilled {\"shape\": [1048576, 1048576], \"target\": \"Device\"}\nQueue {}\nUnread {}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (chains); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HoloPlan) plan = try_compile (chains[i], &error);

      g_assert_null (plan);
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY);
      g_test_message ("%s", error->message);
    }
  run_well ();
}

static void
take_all (GPtrArray *blocks)
{
  for (gsize size = (gsize) 1 << 36; size >= (gsize) 1 << 20; size /= 2)
    {
      gpointer block;

      while ((block = holo_device_alloc (device, HOLO_MEM_LOC_DEVICE, size, NULL)) != NULL)
        g_ptr_array_add (blocks, block);
    }
}

/* Others have all the memory. In a process that ends with it: the pool keeps what it had. */
static void
test_memory_taken (void)
{
  g_autoptr (GPtrArray) blocks = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HoloPlan) plan = NULL;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 60 * G_USEC_PER_SEC, 0);
      g_test_trap_assert_passed ();
      g_test_trap_assert_stderr ("*cudaErrorMemoryAllocation*");
      return;
    }
  run_well (); /* kernels are loaded */
  take_all (blocks);
  plan = try_compile ("Unfilled {\"shape\": [2039, 2029], \"target\": \"Device\"}\n"
                      "Conversion {\"target\": \"CF32\"}\nFFT2 {}\nUnread {}",
                      &error);
  g_assert_null (plan);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY);
  g_printerr ("%s\n", error->message);
  for (guint i = 0; i < blocks->len; i++)
    holo_device_free (device, HOLO_MEM_LOC_DEVICE, blocks->pdata[i]);
  run_well ();
}

/* ---- names ---- */

static void
test_bad_ordinal (void)
{
  g_autofree gchar *name = g_strdup_printf ("cuda:%d", cuda_test_count ());
  g_autoptr (GError) error = NULL;

  g_assert_null (holo_cuda_device_new (name, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, name));
  run_well ();
}

int
main (int argc, char **argv)
{
  gint result;

  g_test_init (&argc, &argv, NULL);
  device = cuda_test_open ();
  cuda_kinds_register (holo_registry_get_default ());
  g_test_add_data_func ("/cuda/faults/kernel/one-section", FAULT_CHAIN (""), test_fault);
  g_test_add_data_func ("/cuda/faults/kernel/queues", FAULT_CHAIN ("Queue {}\n"), test_fault);
  g_test_add_func ("/cuda/faults/kernel/culprit", test_culprit);
  g_test_add_func ("/cuda/faults/no-memory", test_no_memory);
  g_test_add_func ("/cuda/faults/memory-taken", test_memory_taken);
  g_test_add_func ("/cuda/faults/bad-ordinal", test_bad_ordinal);
  result = g_test_run ();
  g_object_unref (device);
  return result;
}
