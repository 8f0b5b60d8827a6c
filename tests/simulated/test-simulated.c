/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The simulated device and the checker are tools of other tests: here is that they see what they must see. */
#include "hb-checker.h"
#include "sim-device.h"

#include <string.h>

#define N 16

typedef struct
{
  HoloDevice *device;
  HoloStream *a;
  HoloStream *b;
  HoloTensorDesc host_desc;
  HoloTensorDesc device_desc;
  HoloStorage host;
  HoloStorage back;
  HoloStorage memory;
} Fixture;

static void
alloc_storage (Fixture *f, HoloStorage *storage, HoloMemLoc loc)
{
  storage->size = N * sizeof (gfloat);
  storage->mem_loc = loc;
  storage->data = holo_device_alloc (f->device, loc, storage->size, NULL);
  g_assert_nonnull (storage->data);
}

static void
set_up (Fixture *f, gconstpointer data)
{
  const gint64 shape[] = { N };

  f->device = sim_device_new (1, 300);
  hb_checker_start ();
  hb_checker_set_collect (TRUE);
  f->a = holo_device_create_stream (f->device, NULL);
  f->b = holo_device_create_stream (f->device, NULL);
  holo_tensor_desc_init (&f->host_desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 1, shape);
  holo_tensor_desc_init (&f->device_desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_DEVICE, 1, shape);
  alloc_storage (f, &f->host, HOLO_MEM_LOC_HOST);
  alloc_storage (f, &f->back, HOLO_MEM_LOC_HOST);
  alloc_storage (f, &f->memory, HOLO_MEM_LOC_DEVICE);
  for (guint i = 0; i < N; i++)
    ((gfloat *) f->host.data)[i] = i;
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_assert_true (holo_device_synchronize (f->device, NULL));
  holo_device_free (f->device, HOLO_MEM_LOC_HOST, f->host.data);
  holo_device_free (f->device, HOLO_MEM_LOC_HOST, f->back.data);
  holo_device_free (f->device, HOLO_MEM_LOC_DEVICE, f->memory.data);
  hb_checker_set_collect (FALSE);
  hb_checker_stop ();
  holo_device_release_stream (f->device, f->a);
  holo_device_release_stream (f->device, f->b);
  g_assert_finalize_object (f->device);
}

static void
copy (Fixture *f, HoloStream *stream, HoloStorage *dst, HoloStorage *src)
{
  HoloTensorView to, from;
  g_autoptr (GError) error = NULL;

  holo_tensor_view_init (&to, dst->mem_loc == HOLO_MEM_LOC_HOST ? &f->host_desc : &f->device_desc, dst);
  holo_tensor_view_init (&from, src->mem_loc == HOLO_MEM_LOC_HOST ? &f->host_desc : &f->device_desc, src);
  holo_device_copy (f->device, stream, &to, &from, &error);
  g_assert_no_error (error);
}

static void
test_round_trip (Fixture *f, gconstpointer data)
{
  HoloFence fence;
  g_autoptr (GError) error = NULL;

  hb_host_range (f->host.data, f->host.size, TRUE, "fill");
  copy (f, f->a, &f->memory, &f->host);
  holo_stream_record (f->a, &fence, &error);
  g_assert_no_error (error);
  holo_stream_wait_fence (f->b, &fence, &error);
  g_assert_no_error (error);
  copy (f, f->b, &f->back, &f->memory);
  holo_stream_synchronize (f->b, &error);
  g_assert_no_error (error);
  hb_host_range (f->back.data, f->back.size, FALSE, "look");
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (((gfloat *) f->back.data)[i], ==, i);
  g_assert_cmpuint (hb_checker_get_n_errors (), ==, 0);
  if (HB_CHECKER_AVAILABLE)
    g_assert_cmpuint (hb_checker_get_n_accesses (), >=, 6);
}

/* The same without the wait of stream b: an error even when the timing happens to be right. */
static void
test_missing_stream_wait (Fixture *f, gconstpointer data)
{
  copy (f, f->a, &f->memory, &f->host);
  g_assert_true (holo_stream_synchronize (f->a, NULL));
  hb_checker_reset (); /* forgets that the host has waited, as if it had not */
  copy (f, f->a, &f->memory, &f->host);
  g_usleep (2000);
  copy (f, f->b, &f->back, &f->memory);
  g_assert_cmpuint (hb_checker_get_n_errors (), ==, 1);
  g_assert_nonnull (strstr (hb_checker_get_first_error (), "destination of a device copy"));
}

static void
test_missing_host_wait (Fixture *f, gconstpointer data)
{
  copy (f, f->a, &f->memory, &f->host);
  copy (f, f->a, &f->back, &f->memory);
  hb_host_range (f->back.data, f->back.size, FALSE, "look");
  g_assert_cmpuint (hb_checker_get_n_errors (), ==, 1);
}

/* A source that writes its next frame into memory whose upload is pending. */
static void
test_write_after_read (Fixture *f, gconstpointer data)
{
  hb_host_range (f->host.data, f->host.size, TRUE, "source");
  copy (f, f->a, &f->memory, &f->host);
  hb_host_range (f->host.data, f->host.size, TRUE, "source");
  g_assert_cmpuint (hb_checker_get_n_errors (), ==, 1);
  g_assert_nonnull (strstr (hb_checker_get_first_error (), "read by stream"));
}

static gpointer
write_in_thread (gpointer data)
{
  Fixture *f = data;

  hb_observe (f);
  hb_host_range (f->host.data, f->host.size, TRUE, "other thread");
  return NULL;
}

static void
test_threads (Fixture *f, gconstpointer data)
{
  gboolean ordered = GPOINTER_TO_INT (data);
  GThread *thread;

  hb_host_range (f->host.data, f->host.size, TRUE, "main thread");
  if (ordered)
    hb_publish (f);
  thread = g_thread_new ("write", write_in_thread, f);
  g_thread_join (thread);
  g_assert_cmpuint (hb_checker_get_n_errors (), ==, ordered ? 0 : 1);
  hb_checker_reset ();
}

/* Even and odd elements belong to different streams. */
static void
test_strides (Fixture *f, gconstpointer data)
{
  const gint64 shape[] = { N / 2 }, strides[] = { 2 * sizeof (gfloat) };
  HoloTensorDesc desc;
  guint8 *base = f->memory.data;

  holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_DEVICE, 1, shape, strides, 0);
  hb_stream_enqueue (f->a, 1);
  hb_stream_access (f->a, base, &desc, TRUE, "even");
  hb_stream_enqueue (f->b, 1);
  hb_stream_access (f->b, base + sizeof (gfloat), &desc, TRUE, "odd");
  g_assert_cmpuint (hb_checker_get_n_errors (), ==, 0);
  hb_stream_access (f->b, base, &desc, FALSE, "even too");
  g_assert_cmpuint (hb_checker_get_n_errors (), ==, N / 2);
  hb_checker_reset ();
}

static void
test_free_too_early (Fixture *f, gconstpointer data)
{
  gpointer memory = f->memory.data;

  copy (f, f->a, &f->memory, &f->host);
  hb_host_free (memory, f->memory.size, "free");
  g_assert_cmpuint (hb_checker_get_n_errors (), ==, 1);
}

static void
test_closed_memory (Fixture *f, gconstpointer data)
{
  if (g_test_subprocess ())
    {
      ((volatile gfloat *) f->memory.data)[0] = 1;
      return;
    }
  g_test_trap_subprocess ("/simulated/closed-memory", 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed ();
}

static void
release_block (HoloBlock *block)
{
  g_atomic_int_set ((gint *) block->owner, 1);
}

static void
test_retire (Fixture *f, gconstpointer data)
{
  HoloBlock block;
  HoloFence fence;
  gint released = 0;
  gint64 start;

  sim_device_hold (SIM_DEVICE (f->device), TRUE);
  copy (f, f->a, &f->memory, &f->host);
  g_assert_true (holo_stream_record (f->a, &fence, NULL));
  holo_block_init (&block, f->memory.data, f->memory.size, release_block, &released);
  block.ref_count = 0;
  holo_fence_set_add (&block.fences, &fence);
  holo_device_retire (f->device, &block);
  g_usleep (5000);
  g_assert_cmpint (g_atomic_int_get (&released), ==, 0);
  sim_device_hold (SIM_DEVICE (f->device), FALSE);
  start = g_get_monotonic_time ();
  while (!g_atomic_int_get (&released) && g_get_monotonic_time () < start + G_USEC_PER_SEC)
    g_usleep (50);
  g_assert_cmpint (g_atomic_int_get (&released), ==, 1);
}

static void
count (gpointer data)
{
  g_atomic_int_inc ((gint *) data);
}

static void
test_capture (Fixture *f, gconstpointer data)
{
  g_autoptr (GPtrArray) captured = NULL;
  g_autoptr (GError) error = NULL;
  HoloFence outside;
  gint n_calls = 0;

  g_assert_true (holo_stream_record (f->b, &outside, NULL));
  g_assert_true (sim_stream_begin_capture (f->a, NULL));
  g_assert_true (holo_stream_enqueue_func (f->a, count, &n_calls, NULL));
  g_assert_false (holo_stream_wait_fence (f->a, &outside, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
  captured = sim_stream_end_capture (f->a);
  g_assert_true (holo_stream_synchronize (f->a, NULL));
  g_assert_cmpint (n_calls, ==, 0);
  sim_stream_launch (f->a, captured);
  sim_stream_launch (f->a, captured);
  g_assert_true (holo_stream_synchronize (f->a, NULL));
  g_assert_cmpint (n_calls, ==, 2);
}

static void
test_faults (Fixture *f, gconstpointer data)
{
  SimDevice *device = SIM_DEVICE (f->device);
  g_autoptr (GError) error = NULL;
  gpointer memory;

  sim_device_fail_allocation (device, 2);
  memory = holo_device_alloc (f->device, HOLO_MEM_LOC_DEVICE, 100, NULL);
  g_assert_nonnull (memory);
  g_assert_null (holo_device_alloc (f->device, HOLO_MEM_LOC_HOST, 100, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_MEMORY);
  g_clear_error (&error);
  holo_device_free (f->device, HOLO_MEM_LOC_DEVICE, memory);

  sim_device_fail_work (device, 1);
  copy (f, f->a, &f->memory, &f->host);
  g_assert_false (holo_stream_synchronize (f->a, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
  sim_device_fail_work (device, 0);
}

#define ADD(name, data, func) g_test_add ("/simulated/" name, Fixture, data, set_up, func, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("round-trip", NULL, test_round_trip);
  ADD ("closed-memory", NULL, test_closed_memory);
  ADD ("retire", NULL, test_retire);
  ADD ("capture", NULL, test_capture);
  ADD ("faults", NULL, test_faults);
  if (HB_CHECKER_AVAILABLE)
    {
      ADD ("checker/missing-stream-wait", NULL, test_missing_stream_wait);
      ADD ("checker/missing-host-wait", NULL, test_missing_host_wait);
      ADD ("checker/write-after-read", NULL, test_write_after_read);
      ADD ("checker/threads-unordered", GINT_TO_POINTER (FALSE), test_threads);
      ADD ("checker/threads-ordered", GINT_TO_POINTER (TRUE), test_threads);
      ADD ("checker/strides", NULL, test_strides);
      ADD ("checker/free-too-early", NULL, test_free_too_early);
    }
  return g_test_run ();
}
