/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Is ThreadSanitizer fit to judge?  A race put here on purpose must be reported,
 * and programs that synchronise correctly with GLib must not be: with a GLib that
 * was built without the sanitizer they are, since its mutexes are plain futexes.
 * Built only in the ThreadSanitizer build, see build-deps.sh.
 */

#include <glib-object.h>

#ifdef HAVE_GST
#include <gst/gst.h>
#endif

#define N_THREADS 4
#define N_ROUNDS  2000

typedef struct
{
  GMutex mutex;
  GCond cond;
  GAsyncQueue *queue;
  gint value;
  gboolean ready;
} Shared;

static void
run_threads (GThreadFunc func, Shared *shared)
{
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("worker", func, shared);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

/* --- each body runs in a process of its own, so that a report has an exit status --- */

static gpointer
count_unlocked (gpointer data)
{
  Shared *shared = data;

  for (guint i = 0; i < N_ROUNDS; i++)
    shared->value++;
  return NULL;
}

static void
race (void)
{
  Shared shared = { 0 };

  run_threads (count_unlocked, &shared);
}

static gpointer
count_locked (gpointer data)
{
  Shared *shared = data;

  for (guint i = 0; i < N_ROUNDS; i++)
    {
      g_mutex_lock (&shared->mutex);
      shared->value++;
      g_mutex_unlock (&shared->mutex);
    }
  return NULL;
}

static void
mutex (void)
{
  Shared shared = { 0 };

  g_mutex_init (&shared.mutex);
  run_threads (count_locked, &shared);
  g_assert_cmpint (shared.value, ==, N_THREADS * N_ROUNDS);
  g_mutex_clear (&shared.mutex);
}

/* Reads the value after the unlock: ordered by the signal alone. */
static gpointer
wait_ready (gpointer data)
{
  Shared *shared = data;

  g_mutex_lock (&shared->mutex);
  while (!shared->ready)
    g_cond_wait (&shared->cond, &shared->mutex);
  g_mutex_unlock (&shared->mutex);
  g_assert_cmpint (shared->value, ==, 42);
  return NULL;
}

static void
cond (void)
{
  Shared shared = { 0 };
  GThread *waiter;

  g_mutex_init (&shared.mutex);
  g_cond_init (&shared.cond);
  waiter = g_thread_new ("waiter", wait_ready, &shared);
  shared.value = 42;
  g_mutex_lock (&shared.mutex);
  shared.ready = TRUE;
  g_cond_signal (&shared.cond);
  g_mutex_unlock (&shared.mutex);
  g_thread_join (waiter);
  g_cond_clear (&shared.cond);
  g_mutex_clear (&shared.mutex);
}

static gpointer
pop_boxes (gpointer data)
{
  Shared *shared = data;
  gint sum = 0;

  for (guint i = 0; i < N_ROUNDS; i++)
    {
      gint *box = g_async_queue_pop (shared->queue);

      sum += *box;
      g_free (box);
    }
  return GINT_TO_POINTER (sum);
}

/* The boxes' contents are ordered by the queue alone. */
static void
async_queue (void)
{
  Shared shared = { 0 };
  GThread *popper;

  shared.queue = g_async_queue_new ();
  popper = g_thread_new ("popper", pop_boxes, &shared);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      gint *box = g_new (gint, 1);

      *box = 1;
      g_async_queue_push (shared.queue, box);
    }
  g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (popper)), ==, N_ROUNDS);
  g_async_queue_unref (shared.queue);
}

static gpointer
use_object (gpointer data)
{
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      GObject *object = g_object_ref (data);

      g_object_set_data (object, "round", GUINT_TO_POINTER (i));
      g_object_unref (object);
    }
  return NULL;
}

static void
object (void)
{
  g_autoptr (GObject) shared = g_object_new (G_TYPE_OBJECT, NULL);
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("user", use_object, shared);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

#ifdef HAVE_GST
static void
pipeline (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) bin = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstMessage) message = NULL;

  gst_init (NULL, NULL);
  bin = gst_parse_launch ("fakesrc num-buffers=500 sizetype=fixed sizemax=64 ! queue max-size-buffers=2 ! fakesink",
                          &error);
  g_assert_no_error (error);
  gst_element_set_state (bin, GST_STATE_PLAYING);
  bus = gst_element_get_bus (bin);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  gst_element_set_state (bin, GST_STATE_NULL);
}
#endif

/* --- the cases --- */

static void
test_reported (gconstpointer body)
{
  if (g_test_subprocess ())
    {
      ((void (*) (void)) body) ();
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*WARNING: ThreadSanitizer: data race*count_unlocked*");
}

static void
test_silent (gconstpointer body)
{
  if (g_test_subprocess ())
    {
      ((void (*) (void)) body) ();
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_stderr_unmatched ("*ThreadSanitizer*");
  g_test_trap_assert_passed ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/tsan/seeded-race-is-reported", race, test_reported);
  g_test_add_data_func ("/tsan/mutex-is-understood", mutex, test_silent);
  g_test_add_data_func ("/tsan/cond-is-understood", cond, test_silent);
  g_test_add_data_func ("/tsan/async-queue-is-understood", async_queue, test_silent);
  g_test_add_data_func ("/tsan/object-is-understood", object, test_silent);
#ifdef HAVE_GST
  g_test_add_data_func ("/tsan/pipeline-is-understood", pipeline, test_silent);
#endif
  return g_test_run ();
}
