/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pacing is tested on a clock of the test's own; the task with a period that no test lives to see, except
 * where a lower bound of real time is enough. */
#include <sched.h>
#include <math.h>
#include <string.h>

#include "../../core/tasks/holo-pacer.h"
#include "async-driver.h"

#define MS G_GINT64_CONSTANT (1000000)

/* ---- pacing ---- */

static void
test_absolute (void)
{
  HoloPacer pacer = { 10 * MS, HOLO_PACER_NEVER_USED };
  gint64 now = 1234567;

  g_assert_true (_holo_pacer_is_due (&pacer, now));
  _holo_pacer_pass (&pacer, now);
  /* A wake-up that is 3 ms late each time does not add up. */
  for (guint i = 1; i <= 100; i++)
    {
      now = 1234567 + i * 10 * MS;
      g_assert_false (_holo_pacer_is_due (&pacer, now - 1));
      g_assert_true (_holo_pacer_is_due (&pacer, now));
      _holo_pacer_pass (&pacer, now + 3 * MS);
    }
}

/* However late a frame is, the next ones keep their distance. */
static void
test_no_burst (void)
{
  for (gint64 late = 0; late < 100 * MS; late += 333333)
    {
      HoloPacer pacer = { 10 * MS, HOLO_PACER_NEVER_USED };
      gint64 last = 0;

      _holo_pacer_pass (&pacer, 0);
      last = pacer.due + late;
      _holo_pacer_pass (&pacer, last);
      for (guint i = 0; i < 5; i++)
        {
          g_assert_cmpint (pacer.due - last, >=, i == 0 ? 5 * MS : 10 * MS);
          g_assert_cmpint (pacer.due - last, <=, 10 * MS);
          last = pacer.due;
          _holo_pacer_pass (&pacer, last);
        }
    }
}

/* A source at 500 frames/s that stalls for 5 ms every 50 frames. */
static void
test_stalls (void)
{
  HoloPacer pacer = { 2 * MS, HOLO_PACER_NEVER_USED };
  gint64 now = 0, last = -2 * MS, largest = 0;

  for (guint i = 0; i < 2000; i++)
    {
      if (i > 0 && i % 50 == 0)
        now += 5 * MS;
      now = MAX (now, pacer.due);
      largest = MAX (largest, now - last);
      last = now;
      _holo_pacer_pass (&pacer, now);
    }
  g_assert_cmpint (largest, <=, 12 * MS);
  /* 2000 periods, and for each of 39 stalls the 5 ms minus the period that would have been waited anyway. */
  g_assert_cmpint (now, <=, 2000 * 2 * MS + 39 * 3 * MS);
  g_assert_cmpint (now, >=, 1999 * 2 * MS);
}

static void
test_retry_time (void)
{
  HoloPacer pacer = { 1500, HOLO_PACER_NEVER_USED };

  _holo_pacer_pass (&pacer, 10000);
  g_assert_cmpint (_holo_pacer_get_retry_time (&pacer), ==, 12);
  _holo_pacer_pass (&pacer, 11500);
  g_assert_cmpint (_holo_pacer_get_retry_time (&pacer), ==, 13);
}

/* ---- the task ---- */

static const gchar *const modes[] = { "adopt", "copy", "slot" };

/* One limiter with memory for what the plan would allocate. */
typedef struct
{
  AsyncDriver driver;
  const gchar *mode;
  guint32 in_memory[2];
  guint32 out_memory[2];
  gint n_released;
} Limiter;

static void
limiter_init (Limiter *limiter, const gchar *mode, gdouble max_fps)
{
  g_autofree gchar *settings = g_strdup_printf ("{\"max_fps\": %g, \"mode\": \"%s\"}", max_fps, mode);
  HoloTensorDesc desc;

  memset (limiter, 0, sizeof *limiter);
  limiter->mode = mode;
  holo_tensor_desc_init (&desc, HOLO_DTYPE_U32, HOLO_MEM_LOC_HOST, 1, (gint64[]){ 2 });
  async_driver_init (&limiter->driver, "RateLimiter", settings, &desc);
  if (g_str_equal (mode, "copy"))
    {
      holo_storage_init (&limiter->driver.in_storage, limiter->in_memory, 8);
      holo_storage_init (&limiter->driver.out_storage, limiter->out_memory, 8);
    }
}

static void
limiter_clear (Limiter *limiter)
{
  async_driver_clear (&limiter->driver);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Limiter, limiter_clear)

static void
count_release (HoloBlock *block)
{
  g_atomic_int_inc ((gint *) block->owner);
  g_free (block->data);
  holo_block_free (block);
}

/* As the runtime does: gives memory, writes, pushes, and drops its own reference. */
static HoloOpResult
limiter_push (Limiter *limiter, guint32 value)
{
  AsyncDriver *driver = &limiter->driver;
  HoloBlock *block = NULL;
  HoloOpResult result = HOLO_OP_OK;
  guint32 *data;

  if (g_str_equal (limiter->mode, "slot"))
    result = async_driver_acquire (driver);
  else if (g_str_equal (limiter->mode, "adopt"))
    {
      block = holo_block_new (g_malloc (8), 8, count_release, &limiter->n_released);
      driver->in_storage = (HoloStorage){ block->data, 8, HOLO_MEM_LOC_HOST, NULL, block };
    }
  if (result != HOLO_OP_OK)
    return result;
  data = holo_tensor_view_get_data (&driver->in);
  if (!g_str_equal (limiter->mode, "slot") || result == HOLO_OP_OK)
    data[0] = data[1] = value;
  driver->in.stamp = (HoloStamp){ value, 1, value, value, value, HOLO_STAMP_DISCONT };
  result = async_driver_push (driver);
  if (block != NULL)
    holo_block_unref (block);
  return result;
}

static HoloOpResult
limiter_pop (Limiter *limiter, guint32 expected)
{
  AsyncDriver *driver = &limiter->driver;
  HoloOpResult result = async_driver_pop (driver);
  const guint32 *data;

  if (result != HOLO_OP_OK)
    return result;
  data = holo_tensor_view_get_data (&driver->out);
  g_assert_cmpuint (data[0], ==, expected);
  g_assert_cmpuint (data[1], ==, expected);
  g_assert_cmpuint (driver->out.stamp.pts, ==, expected);
  g_assert_cmpuint (driver->out.stamp.last, ==, expected);
  g_assert_cmpuint (driver->out.stamp.flags, ==, HOLO_STAMP_DISCONT);
  if (g_str_equal (limiter->mode, "adopt"))
    holo_block_unref (g_steal_pointer (&driver->out_storage.block));
  else if (g_str_equal (limiter->mode, "slot"))
    async_driver_release (driver);
  return result;
}

/* The first frame at once, the second one not before its time, and never lost; room for one. */
static void
test_holds (void)
{
  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      g_auto (Limiter) limiter;
      gint64 before, after;

      limiter_init (&limiter, modes[m], 1e-3);
      g_assert_cmpint (limiter_pop (&limiter, 0), ==, HOLO_OP_NOT_READY);
      g_assert_cmpint (limiter.driver.pop.retry_at, ==, 0);
      g_assert_cmpint (limiter_push (&limiter, 1), ==, HOLO_OP_OK);
      g_assert_cmpint (limiter_push (&limiter, 2), ==, HOLO_OP_NOT_READY);
      before = g_get_monotonic_time ();
      g_assert_cmpint (limiter_pop (&limiter, 1), ==, HOLO_OP_OK);
      after = g_get_monotonic_time ();
      g_assert_cmpint (limiter_push (&limiter, 2), ==, HOLO_OP_OK);
      g_assert_cmpint (limiter_pop (&limiter, 2), ==, HOLO_OP_NOT_READY);
      g_assert_cmpint (limiter.driver.pop.retry_at, >=, before + 1000 * G_USEC_PER_SEC);
      g_assert_cmpint (limiter.driver.pop.retry_at, <=, after + 1000 * G_USEC_PER_SEC);
      g_assert_cmpint (limiter_push (&limiter, 3), ==, HOLO_OP_NOT_READY);
      g_assert_cmpuint (async_driver_get_discarded (&limiter.driver), ==, 0);
    }
}

/* The end of the stream comes behind the last frame, and needs no waiting of its own. */
static void
test_end_of_input (void)
{
  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      g_auto (Limiter) limiter;

      limiter_init (&limiter, modes[m], 1e-3);
      g_assert_cmpint (limiter_push (&limiter, 1), ==, HOLO_OP_OK);
      holo_async_task_end_of_input (limiter.driver.task);
      g_assert_cmpint (limiter_pop (&limiter, 1), ==, HOLO_OP_OK);
      g_assert_cmpint (limiter_pop (&limiter, 0), ==, HOLO_OP_EOF);
      g_assert_true (holo_task_reset (HOLO_TASK (limiter.driver.task), NULL));
      g_assert_cmpint (limiter_push (&limiter, 2), ==, HOLO_OP_OK);
      g_assert_cmpint (limiter_pop (&limiter, 2), ==, HOLO_OP_OK);
    }
}

static void
test_end_of_output (void)
{
  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      g_auto (Limiter) limiter;

      limiter_init (&limiter, modes[m], 1e-3);
      g_assert_cmpint (limiter_push (&limiter, 1), ==, HOLO_OP_OK);
      holo_async_task_end_of_output (limiter.driver.task);
      g_assert_cmpuint (async_driver_get_discarded (&limiter.driver), ==, 1);
      g_assert_cmpint (limiter_push (&limiter, 2), ==, HOLO_OP_EOF);
      g_assert_cmpuint (async_driver_get_discarded (&limiter.driver), ==, 1);
      if (m == 0)
        g_assert_cmpint (limiter.n_released, ==, 2);
    }
}

/* A frame that is held when the task goes goes with it. */
static void
test_references (void)
{
  Limiter limiter;

  limiter_init (&limiter, "adopt", 1e-3);
  g_assert_cmpint (limiter_push (&limiter, 1), ==, HOLO_OP_OK);
  g_assert_cmpint (limiter.n_released, ==, 0);
  g_assert_true (holo_task_reset (HOLO_TASK (limiter.driver.task), NULL));
  g_assert_cmpint (limiter.n_released, ==, 1);
  g_assert_cmpint (limiter_push (&limiter, 2), ==, HOLO_OP_OK);
  limiter_clear (&limiter);
  g_assert_cmpint (limiter.n_released, ==, 2);
}

/* mode slot: no other frame fits in before the reader has let go; an aborted slot is free. */
static void
test_slot (void)
{
  g_auto (Limiter) limiter;
  g_autoptr (GError) error = NULL;

  limiter_init (&limiter, "slot", 1e9);
  g_assert_cmpint (async_driver_acquire (&limiter.driver), ==, HOLO_OP_OK);
  holo_task_abort_input (HOLO_TASK (limiter.driver.task), 0);
  g_assert_cmpint (limiter_push (&limiter, 1), ==, HOLO_OP_OK);
  g_assert_cmpint (async_driver_acquire (&limiter.driver), ==, HOLO_OP_NOT_READY);
  g_assert_cmpint (async_driver_pop (&limiter.driver), ==, HOLO_OP_OK);
  g_assert_true (limiter.driver.out_storage.data == limiter.driver.in_storage.data);
  g_assert_cmpint (async_driver_acquire (&limiter.driver), ==, HOLO_OP_NOT_READY);
  g_assert_cmpint (holo_async_task_try_pop (limiter.driver.task, &limiter.driver.pop, &error), ==, HOLO_OP_ERROR);
  async_driver_release (&limiter.driver);
  g_assert_cmpint (async_driver_acquire (&limiter.driver), ==, HOLO_OP_OK);
}

static void
check_flags (const gchar *settings, gboolean adopts, gboolean owned, gboolean handles_fences)
{
  g_autoptr (HoloTaskFactory) factory = async_driver_make_factory ("RateLimiter", settings, NULL);
  g_auto (HoloInference) inference = { 0 };
  HoloTensorDesc desc;

  holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, (gint64[]){ 3, 4 }, (gint64[]){ 64, 8 },
                                 16);
  g_assert_true (holo_task_factory_infer (factory, &desc, 1, &inference, NULL));
  g_assert_cmpint (holo_inference_get_input (&inference, 0)->adopts, ==, adopts);
  g_assert_cmpint (holo_inference_get_output (&inference, 0)->lent, ==, adopts);
  g_assert_cmpint (holo_inference_get_output (&inference, 0)->lends_input, ==, adopts ? 0 : -1);
  g_assert_cmpint (holo_inference_get_input (&inference, 0)->owned, ==, owned);
  g_assert_cmpint (holo_inference_get_output (&inference, 0)->owned, ==, owned);
  g_assert_cmpint (inference.handles_fences, ==, handles_fences);
  g_assert_true (inference.signals_readiness);
  g_assert_cmpint (holo_tensor_desc_equal (holo_inference_get_output_desc (&inference, 0), &desc), ==, adopts || owned);
}

static void
test_inference (void)
{
  check_flags ("{\"max_fps\": 30}", TRUE, FALSE, TRUE);
  check_flags ("{\"max-fps\": 30, \"mode\": \"copy\"}", FALSE, FALSE, FALSE);
  check_flags ("{\"max-fps\": 30, \"mode\": \"slot\"}", FALSE, TRUE, TRUE);
}

/* mode copy takes any layout and gives a dense tensor. */
static void
test_copy_strided (void)
{
  g_auto (AsyncDriver) driver;
  HoloTensorDesc desc;
  guint8 in[12] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }, out[6];

  holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 2, (gint64[]){ 3, 2 }, (gint64[]){ 1, 6 }, 2);
  async_driver_init (&driver, "RateLimiter", "{\"max_fps\": 1, \"mode\": \"copy\"}", &desc);
  holo_storage_init (&driver.in_storage, in, sizeof in);
  holo_storage_init (&driver.out_storage, out, sizeof out);
  g_assert_cmpint (async_driver_push (&driver), ==, HOLO_OP_OK);
  memset (in, 0, sizeof in);
  g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_OK);
  g_assert_cmpmem (out, 6, ((guint8[]){ 2, 8, 3, 9, 4, 10 }), 6);
}

static void
test_refused (void)
{
  static const gchar *const settings[] = { "{\"max_fps\": 0}",        "{\"max_fps\": -1}",     "{\"max_fps\": 1e-300}",
                                           "{\"max_fps\": 1e300}",    "{\"max_fps\": 5e-324}", "{\"max_fps\": \"30\"}",
                                           "{\"max_fps\": 0.0000001}" };
  static const gdouble values[] = { NAN, INFINITY, -INFINITY, 0, -0.0, -30, 1e-310 };
  HoloTensorDesc desc;

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    assert_settings_refused ("RateLimiter", settings[i], "/params/max_fps");
  holo_tensor_desc_init (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 1, (gint64[]){ 2 });
  assert_inference_refused ("RateLimiter", "{}", &desc, "max_fps");
  assert_settings_refused ("RateLimiter", "{\"max_fps\": 30, \"mode\": \"drop\"}", "adopt");
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autoptr (HoloTaskFactory) factory = async_driver_make_factory ("RateLimiter", "{}", NULL);
      g_auto (GValue) value = G_VALUE_INIT;
      g_autoptr (GError) error = NULL;

      g_value_init (&value, G_TYPE_DOUBLE);
      g_value_set_double (&value, values[i]);
      g_assert_false (holo_settings_apply_value (factory, "max-fps", &value, &error));
      g_assert_error (error, HOLO_ERROR, HOLO_ERROR_SETTING);
    }
}

/* ---- update ---- */

static HoloAsyncTask *
update_limiter (Limiter *limiter, const gchar *settings)
{
  HoloAsyncCreateContext context = { NULL, NULL, holo_device_get_host () };
  g_autoptr (HoloTaskFactory) factory = async_driver_make_factory ("RateLimiter", settings, NULL);
  g_auto (HoloInference) inference = { 0 };

  g_assert_true (holo_task_factory_infer (factory, &limiter->driver.in.desc, 1, &inference, NULL));
  return holo_async_task_factory_update (HOLO_ASYNC_TASK_FACTORY (factory), limiter->driver.task,
                                         &limiter->driver.inference, &inference, &context, NULL);
}

/* A new rate counts for the frame that waits; until the commit the old one does. */
static void
test_update (void)
{
  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      g_auto (Limiter) limiter;
      g_autofree gchar *settings = g_strdup_printf ("{\"max_fps\": 1e9, \"mode\": \"%s\"}", modes[m]);
      g_autoptr (HoloAsyncTask) first = NULL, second = NULL;

      limiter_init (&limiter, modes[m], 1e-3);
      g_assert_cmpint (limiter_push (&limiter, 1), ==, HOLO_OP_OK);
      g_assert_cmpint (limiter_pop (&limiter, 1), ==, HOLO_OP_OK);
      g_assert_cmpint (limiter_push (&limiter, 2), ==, HOLO_OP_OK);
      first = update_limiter (&limiter, settings);
      g_assert_true (first == limiter.driver.task);
      g_assert_cmpint (limiter_pop (&limiter, 2), ==, HOLO_OP_NOT_READY);
      holo_task_rollback (HOLO_TASK (first));
      holo_task_commit (HOLO_TASK (first));
      g_assert_cmpint (limiter_pop (&limiter, 2), ==, HOLO_OP_NOT_READY);
      second = update_limiter (&limiter, settings);
      holo_task_commit (HOLO_TASK (second));
      /* Not before the next microsecond. */
      while (limiter_pop (&limiter, 2) == HOLO_OP_NOT_READY)
        ;
      g_assert_cmpint (limiter_pop (&limiter, 0), ==, HOLO_OP_NOT_READY);
    }
}

static void
test_update_mode (void)
{
  g_auto (Limiter) limiter;
  g_autoptr (HoloAsyncTask) task = NULL;

  limiter_init (&limiter, "adopt", 1);
  task = update_limiter (&limiter, "{\"max_fps\": 1, \"mode\": \"copy\"}");
  g_assert_nonnull (task);
  g_assert_true (task != limiter.driver.task);
}

/* ---- two threads ---- */

typedef struct
{
  Limiter limiter;
  guint32 n;
  guint32 n_taken;
} Stress;

static gpointer
produce (gpointer data)
{
  Stress *stress = data;

  for (guint32 i = 0; i < stress->n; i++)
    {
      HoloOpResult result;

      while ((result = limiter_push (&stress->limiter, i)) == HOLO_OP_NOT_READY)
        sched_yield ();
      if (result == HOLO_OP_EOF)
        break;
      stress->n_taken++;
    }
  holo_async_task_end_of_input (stress->limiter.driver.task);
  return NULL;
}

static void
check_threads (const gchar *mode, gdouble max_fps, guint32 n, guint32 n_at_most)
{
  Stress stress = { .n = n };
  guint32 n_popped = 0;
  gint64 began = g_get_monotonic_time ();
  GThread *producer;

  limiter_init (&stress.limiter, mode, max_fps);
  producer = g_thread_new ("producer", produce, &stress);
  while (n_popped < n_at_most)
    {
      HoloOpResult result = limiter_pop (&stress.limiter, n_popped);

      if (result == HOLO_OP_EOF)
        break;
      if (result == HOLO_OP_OK)
        n_popped++;
      else
        sched_yield ();
    }
  holo_async_task_end_of_output (stress.limiter.driver.task);
  g_thread_join (producer);
  g_assert_cmpuint (n_popped + async_driver_get_discarded (&stress.limiter.driver), ==, stress.n_taken);
  if (n_popped > 1)
    g_assert_cmpfloat ((gdouble) (g_get_monotonic_time () - began), >=, (n_popped - 1.5) * 1e6 / max_fps - 1);
  if (n_at_most > n)
    g_assert_cmpuint (n_popped, ==, n);
  limiter_clear (&stress.limiter);
}

static void
test_threads (void)
{
  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      check_threads (modes[m], 1e9, g_test_slow () ? 200000 : 3000, G_MAXUINT32);
      check_threads (modes[m], 2000, 100, G_MAXUINT32);
      for (guint32 i = 0; i < 100; i++)
        check_threads (modes[m], 1e9, 50, i % 10);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/rate-limiter/absolute", test_absolute);
  g_test_add_func ("/holo/rate-limiter/no-burst", test_no_burst);
  g_test_add_func ("/holo/rate-limiter/stalls", test_stalls);
  g_test_add_func ("/holo/rate-limiter/retry-time", test_retry_time);
  g_test_add_func ("/holo/rate-limiter/holds", test_holds);
  g_test_add_func ("/holo/rate-limiter/end-of-input", test_end_of_input);
  g_test_add_func ("/holo/rate-limiter/end-of-output", test_end_of_output);
  g_test_add_func ("/holo/rate-limiter/references", test_references);
  g_test_add_func ("/holo/rate-limiter/slot", test_slot);
  g_test_add_func ("/holo/rate-limiter/inference", test_inference);
  g_test_add_func ("/holo/rate-limiter/copy-strided", test_copy_strided);
  g_test_add_func ("/holo/rate-limiter/refused", test_refused);
  g_test_add_func ("/holo/rate-limiter/update", test_update);
  g_test_add_func ("/holo/rate-limiter/update-mode", test_update_mode);
  g_test_add_func ("/holo/rate-limiter/threads", test_threads);
  return g_test_run ();
}
