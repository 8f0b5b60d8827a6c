/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fences, sets of them, and the blocks of memory that carry them. */
#include <holoflow/holoflow.h>

/* ---- a stream whose work ends when the test says so ---- */

typedef struct
{
  HoloStream parent_instance;
  guint64 recorded;
  guint64 passed;
  guint n_host_waits;
  guint n_stream_waits;
  gboolean fails;
} FakeStream;
typedef HoloStreamClass FakeStreamClass;

static GType fake_stream_get_type (void);
G_DEFINE_TYPE (FakeStream, fake_stream, HOLO_TYPE_STREAM)

static gboolean
fake_record (HoloStream *stream, guint64 *number, GError **error)
{
  *number = ++((FakeStream *) stream)->recorded;
  return TRUE;
}

static gboolean
fake_wait_fence (HoloStream *stream, const HoloFence *fence, GError **error)
{
  ((FakeStream *) stream)->n_stream_waits++;
  return TRUE;
}

static gboolean
fake_is_passed (HoloStream *stream, guint64 number)
{
  return number <= ((FakeStream *) stream)->passed;
}

static gboolean
fake_wait_host (HoloStream *stream, guint64 number, GError **error)
{
  FakeStream *fake = (FakeStream *) stream;

  fake->n_host_waits++;
  if (fake->fails)
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE, "the device is gone");
      return FALSE;
    }
  fake->passed = MAX (fake->passed, number);
  return TRUE;
}

static void
fake_stream_class_init (FakeStreamClass *klass)
{
  klass->record_number = fake_record;
  klass->wait_fence = fake_wait_fence;
  klass->is_passed = fake_is_passed;
  klass->wait_host = fake_wait_host;
}

static void
fake_stream_init (FakeStream *stream)
{
}

static FakeStream *
fake_new (void)
{
  return g_object_new (fake_stream_get_type (), NULL);
}

/* ---- fences ---- */

static void
test_fence (void)
{
  FakeStream *stream = fake_new ();
  HoloFence always = HOLO_FENCE_INIT, fence, later;

  g_assert_true (holo_fence_is_passed (&always));
  g_assert_true (holo_fence_wait_host (&always, NULL));
  g_assert_true (holo_stream_record (HOLO_STREAM (stream), &fence, NULL));
  g_assert_true (holo_stream_record (HOLO_STREAM (stream), &later, NULL));
  g_assert_cmpuint (later.number, >, fence.number);
  g_assert_false (holo_fence_is_passed (&fence));
  stream->passed = fence.number;
  g_assert_true (holo_fence_is_passed (&fence));
  g_assert_false (holo_fence_is_passed (&later));
  /* A stream does not wait for itself, nor for what has always passed. */
  g_assert_true (holo_stream_wait_fence (HOLO_STREAM (stream), &later, NULL));
  g_assert_true (holo_stream_wait_fence (HOLO_STREAM (stream), &always, NULL));
  g_assert_cmpuint (stream->n_stream_waits, ==, 0);
  g_object_unref (stream);
}

/* One number per stream, the latest, also beyond the ones stored inside. */
static void
test_fence_set (void)
{
  FakeStream *streams[7];
  HoloFenceSet set = { 0 }, other = { 0 };
  HoloFence always = HOLO_FENCE_INIT;

  holo_fence_set_add (&set, &always);
  g_assert_cmpuint (set.n_fences, ==, 0);
  g_assert_true (holo_fence_set_is_passed (&set));
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    {
      HoloFence fence = { NULL, 5 + i };

      streams[i] = fake_new ();
      fence.stream = HOLO_STREAM (streams[i]);
      holo_fence_set_add (&set, &fence);
      fence.number = 2;
      holo_fence_set_add (&set, &fence);
      fence.number = 20 + i;
      holo_fence_set_add (&other, &fence);
    }
  g_assert_cmpuint (set.n_fences, ==, 7);
  for (guint i = 0; i < 7; i++)
    {
      g_assert_true (holo_fence_set_get (&set, i)->stream == HOLO_STREAM (streams[i]));
      g_assert_cmpuint (holo_fence_set_get (&set, i)->number, ==, 5 + i);
    }
  holo_fence_set_add_all (&set, &other);
  g_assert_cmpuint (set.n_fences, ==, 7);
  g_assert_cmpuint (holo_fence_set_get (&set, 6)->number, ==, 26);
  g_assert_false (holo_fence_set_is_passed (&set));
  g_assert_true (holo_fence_set_wait_stream (&set, HOLO_STREAM (streams[0]), NULL));
  g_assert_cmpuint (streams[0]->n_stream_waits, ==, 6);
  g_assert_true (holo_fence_set_wait_host (&set, NULL));
  g_assert_true (holo_fence_set_is_passed (&set));
  holo_fence_set_clear (&set);
  g_assert_cmpuint (set.n_fences, ==, 0);
  /* It can be used again. */
  holo_fence_set_add_all (&set, &other);
  g_assert_cmpuint (set.n_fences, ==, 7);
  holo_fence_set_clear (&set);
  holo_fence_set_clear (&other);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    g_object_unref (streams[i]);
}

static void
test_fence_error (void)
{
  FakeStream *stream = fake_new ();
  HoloFence fence = { HOLO_STREAM (stream), 1 };
  HoloFenceSet set = { 0 };
  g_autoptr (GError) error = NULL;

  stream->fails = TRUE;
  holo_fence_set_add (&set, &fence);
  g_assert_false (holo_fence_set_wait_host (&set, &error));
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE);
  holo_fence_set_clear (&set);
  g_object_unref (stream);
}

/* ---- blocks ---- */

static gint n_released;
static guint n_fences_at_release;

static void
count_release (HoloBlock *block)
{
  g_atomic_int_inc (&n_released);
  n_fences_at_release = block->fences.n_fences;
  holo_block_free (block);
}

static void
test_block (void)
{
  guint8 memory[4];
  HoloBlock *block = holo_block_new (memory, sizeof memory, count_release, NULL);

  n_released = 0;
  g_assert_true (holo_block_ref (block) == block);
  g_assert_false (block->read_only);
  g_assert_cmpint (block->mem_loc, ==, HOLO_MEM_LOC_HOST);
  holo_block_unref (block);
  g_assert_cmpint (n_released, ==, 0);
  holo_block_unref (block);
  g_assert_cmpint (n_released, ==, 1);
  g_assert_cmpuint (n_fences_at_release, ==, 0);
}

/* Memory of its own is not freed before the work that uses it has ended. */
static void
test_block_waits (void)
{
  FakeStream *stream = fake_new ();
  HoloFence fence = { HOLO_STREAM (stream), 3 };
  HoloBlock *block = holo_block_new_alloc (100, NULL);

  g_assert_cmpuint ((gsize) block->data % HOLO_MEMORY_ALIGNMENT, ==, 0);
  holo_block_ref (block);
  holo_block_unref_after (block, &fence);
  g_assert_cmpuint (stream->n_host_waits, ==, 0);
  holo_block_unref (block);
  g_assert_cmpuint (stream->n_host_waits, ==, 1);
  g_assert_true (holo_fence_is_passed (&fence));
  g_object_unref (stream);
}

typedef struct
{
  HoloBlock *block;
  HoloStream *stream;
} Holder;

static gpointer
ref_and_unref (gpointer data)
{
  Holder *holder = data;

  for (guint i = 1; i <= 2000; i++)
    {
      HoloFence fence = { holder->stream, i };

      holo_block_unref_after (holo_block_ref (holder->block), &fence);
    }
  holo_block_unref (holder->block);
  return NULL;
}

/* Whoever drops the last reference releases the block, once, with the fences of all holders. */
static void
test_block_threads (void)
{
  for (guint round = 0; round < 20; round++)
    {
      guint8 memory[4];
      HoloBlock *block = holo_block_new (memory, sizeof memory, count_release, NULL);
      Holder holders[4];
      GThread *threads[4];

      n_released = 0;
      for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
        {
          holders[i].block = holo_block_ref (block);
          holders[i].stream = HOLO_STREAM (fake_new ());
        }
      for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
        threads[i] = g_thread_new ("holder", ref_and_unref, &holders[i]);
      holo_block_unref (block);
      for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
        {
          g_thread_join (threads[i]);
          g_object_unref (holders[i].stream);
        }
      g_assert_cmpint (n_released, ==, 1);
      g_assert_cmpuint (n_fences_at_release, ==, 4);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/block/fence", test_fence);
  g_test_add_func ("/holo/block/fence-set", test_fence_set);
  g_test_add_func ("/holo/block/fence-error", test_fence_error);
  g_test_add_func ("/holo/block/block", test_block);
  g_test_add_func ("/holo/block/block-waits", test_block_waits);
  g_test_add_func ("/holo/block/block-threads", test_block_threads);
  return g_test_run ();
}
