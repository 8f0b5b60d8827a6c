/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <sched.h>
#include <string.h>

#include "async-driver.h"

#define FRAME_NS 1000

/* Elements are U32 numbers that count up; a group of elements is one push. */
static void
init_queue (AsyncDriver *driver, gint64 group, gint64 capacity, gint64 size, gint64 stride)
{
  g_autofree gchar *settings =
      g_strdup_printf ("{\"target_capacity\": %" G_GINT64_FORMAT ", \"output_size\": %" G_GINT64_FORMAT
                       ", \"output_stride\": %" G_GINT64_FORMAT "}",
                       capacity, size, stride);
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_U32, HOLO_MEM_LOC_HOST, 1, &group);
  async_driver_init (driver, "BatchQueue", settings, &desc);
}

/* Acquires, fills and pushes group number @index. */
static HoloOpResult
push_group (AsyncDriver *driver, guint64 index)
{
  gint64 group = driver->in.desc.shape[0];
  HoloOpResult result = async_driver_acquire (driver);
  guint32 *data;

  if (result != HOLO_OP_OK)
    return result;
  data = holo_tensor_view_get_data (&driver->in);
  for (gint64 i = 0; i < group; i++)
    data[i] = (guint32) (index * (guint64) group + (guint64) i);
  driver->in.stamp =
      (HoloStamp){ index * (guint64) group * FRAME_NS, (guint64) group * FRAME_NS, index, index, index, 0 };
  return async_driver_push (driver);
}

static guint32
get_first (AsyncDriver *driver)
{
  return ((guint32 *) holo_tensor_view_get_data (&driver->out))[0];
}

/* The popped window is number @index, complete, with the right stamp. */
static void
check_window (AsyncDriver *driver, guint64 index, gint64 stride)
{
  gint64 size = driver->out.desc.shape[0], group = driver->in.desc.shape[0];
  const guint32 *data = holo_tensor_view_get_data (&driver->out);
  guint64 first = index * (guint64) stride, last = first + (guint64) size - 1;

  for (gint64 i = 0; i < size; i++)
    g_assert_cmpuint (data[i], ==, first + (guint64) i);
  g_assert_cmpuint (driver->out.stamp.seq, ==, index);
  g_assert_cmpuint (driver->out.stamp.pts, ==, first * FRAME_NS);
  g_assert_cmpuint (driver->out.stamp.duration, ==, (guint64) size * FRAME_NS);
  g_assert_cmpuint (driver->out.stamp.first, ==, first / (guint64) group);
  g_assert_cmpuint (driver->out.stamp.last, ==, last / (guint64) group);
}

typedef struct
{
  guint64 n_pushed;
  guint64 n_popped;
} Counts;

/* Pushes @n_groups and pops whatever comes, in an order drawn from @rand (or as soon as possible), to the
 * end. */
static Counts
run_all (AsyncDriver *driver, guint64 n_groups, gint64 stride, GRand *rand)
{
  Counts counts = { 0, 0 };
  gboolean ended = FALSE, given_out = FALSE;

  for (;;)
    {
      gboolean push = rand == NULL || g_rand_boolean (rand);

      if (push && !ended)
        {
          if (counts.n_pushed == n_groups)
            {
              holo_async_task_end_of_input (driver->task);
              ended = TRUE;
            }
          else if (push_group (driver, counts.n_pushed) == HOLO_OP_OK)
            counts.n_pushed++;
        }
      if (given_out && (rand == NULL || g_rand_boolean (rand)))
        {
          check_window (driver, counts.n_popped - 1, stride);
          async_driver_release (driver);
          given_out = FALSE;
        }
      if (!given_out)
        {
          HoloOpResult result = async_driver_pop (driver);

          if (result == HOLO_OP_EOF)
            break;
          if (result == HOLO_OP_OK)
            {
              check_window (driver, counts.n_popped++, stride);
              given_out = TRUE;
            }
        }
    }
  return counts;
}

static guint64
count_windows (guint64 n, gint64 size, gint64 stride)
{
  return n < (guint64) size ? 0 : (n - (guint64) size) / (guint64) stride + 1;
}

/* Elements that are in at least one of @n_windows windows. */
static guint64
count_covered (guint64 n_windows, gint64 size, gint64 stride)
{
  if (n_windows == 0)
    return 0;
  return stride >= size ? n_windows * (guint64) size : (n_windows - 1) * (guint64) stride + (guint64) size;
}

static void
check_run (gint64 group, gint64 capacity, gint64 size, gint64 stride, guint64 n_groups, GRand *rand)
{
  g_auto (AsyncDriver) driver;
  guint64 n = n_groups * (guint64) group, n_windows = count_windows (n, size, stride);
  Counts counts;

  init_queue (&driver, group, capacity, size, stride);
  for (guint round = 0; round < 2; round++)
    {
      guint64 before = async_driver_get_discarded (&driver);

      counts = run_all (&driver, n_groups, stride, rand);
      g_assert_cmpuint (counts.n_pushed, ==, n_groups);
      g_assert_cmpuint (counts.n_popped, ==, n_windows);
      g_assert_cmpuint (async_driver_get_discarded (&driver) - before, ==, n - count_covered (n_windows, size, stride));
      /* Asking again changes nothing. */
      g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_EOF);
      g_assert_cmpuint (async_driver_get_discarded (&driver) - before, ==, n - count_covered (n_windows, size, stride));
      g_assert_true (holo_task_reset (HOLO_TASK (driver.task), NULL));
    }
}

/* The cases of a report on another aggregator: windows, strides and ends written out. */
static void
test_known (void)
{
  static const struct
  {
    gint64 group, size, stride;
    guint64 n_groups;
    guint n_windows;
    guint32 first[8];
    guint64 n_discarded;
  } cases[] = {
    { 1, 4, 6, 10, 2, { 0, 6 }, 2 },   { 1, 4, 1, 10, 7, { 0, 1, 2, 3, 4, 5, 6 }, 0 },
    { 3, 4, 3, 4, 3, { 0, 3, 6 }, 2 }, { 1, 4, 4, 10, 2, { 0, 4 }, 2 },
    { 1, 4, 4, 3, 0, { 0 }, 3 },       { 8, 2, 2, 1, 4, { 0, 2, 4, 6 }, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (AsyncDriver) driver;
      guint n_windows = 0;

      init_queue (&driver, cases[i].group, 16, cases[i].size, cases[i].stride);
      for (guint64 k = 0; k < cases[i].n_groups; k++)
        g_assert_cmpint (push_group (&driver, k), ==, HOLO_OP_OK);
      holo_async_task_end_of_input (driver.task);
      while (async_driver_pop (&driver) == HOLO_OP_OK)
        {
          g_assert_cmpuint (get_first (&driver), ==, cases[i].first[n_windows]);
          check_window (&driver, n_windows++, cases[i].stride);
          async_driver_release (&driver);
        }
      g_assert_cmpuint (n_windows, ==, cases[i].n_windows);
      g_assert_cmpuint (async_driver_get_discarded (&driver), ==, cases[i].n_discarded);
    }
}

/* All small shapes; groups larger than the capacity, strides below, at and above the size, multiples of
 * nothing. */
static void
test_small_shapes (void)
{
  static const gint64 capacities[] = { 1, 2, 3, 7 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);

  for (gint64 group = 1; group <= 5; group++)
    for (guint c = 0; c < G_N_ELEMENTS (capacities); c++)
      for (gint64 size = 1; size <= 6; size++)
        for (gint64 stride = 1; stride <= 9; stride++)
          {
            check_run (group, capacities[c], size, stride, 23, NULL);
            check_run (group, capacities[c], size, stride, 37, rand);
          }
}

static void
test_full (void)
{
  g_auto (AsyncDriver) driver;
  guint n = 0;

  init_queue (&driver, 2, 6, 4, 4);
  while (push_group (&driver, n) == HOLO_OP_OK)
    n++;
  /* capacity and one group, rounded up to whole groups and windows */
  g_assert_cmpuint (n, ==, 4);
  g_assert_cmpint (async_driver_acquire (&driver), ==, HOLO_OP_NOT_READY);
  g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_OK);
  g_assert_cmpint (async_driver_acquire (&driver), ==, HOLO_OP_NOT_READY);
  async_driver_release (&driver);
  g_assert_cmpint (push_group (&driver, n++), ==, HOLO_OP_OK);
  g_assert_cmpint (push_group (&driver, n++), ==, HOLO_OP_OK);
  g_assert_cmpint (async_driver_acquire (&driver), ==, HOLO_OP_NOT_READY);
}

static void
test_abort (void)
{
  g_auto (AsyncDriver) driver;
  gpointer slot;

  init_queue (&driver, 1, 2, 1, 1);
  g_assert_cmpint (async_driver_acquire (&driver), ==, HOLO_OP_OK);
  slot = driver.in_storage.data;
  holo_task_abort_input (HOLO_TASK (driver.task), 0);
  g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_NOT_READY);
  g_assert_cmpint (push_group (&driver, 0), ==, HOLO_OP_OK);
  g_assert_true (driver.in_storage.data == slot);
}

/* What the consumer sees is the memory the producer wrote. */
static void
test_no_copy (void)
{
  g_auto (AsyncDriver) driver;

  init_queue (&driver, 4, 8, 4, 4);
  for (guint i = 0; i < 10; i++)
    {
      gpointer slot;

      g_assert_cmpint (push_group (&driver, i), ==, HOLO_OP_OK);
      slot = driver.in_storage.data;
      g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_OK);
      g_assert_true (driver.out_storage.data == slot);
      async_driver_release (&driver);
    }
}

static void
test_end_of_output (void)
{
  g_auto (AsyncDriver) driver;

  init_queue (&driver, 1, 4, 2, 2);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (push_group (&driver, i), ==, HOLO_OP_OK);
  g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_OK);
  async_driver_release (&driver);
  holo_async_task_end_of_output (driver.task);
  g_assert_cmpuint (async_driver_get_discarded (&driver), ==, 3);
  /* The node before may feed others: it gets memory, but nothing is taken. */
  for (guint i = 0; i < 20; i++)
    g_assert_cmpint (push_group (&driver, 5 + i), ==, HOLO_OP_EOF);
  holo_async_task_end_of_input (driver.task);
  g_assert_cmpuint (async_driver_get_discarded (&driver), ==, 3);
}

static void
test_empty_groups (void)
{
  g_auto (AsyncDriver) driver;

  init_queue (&driver, 0, 4, 2, 2);
  for (guint i = 0; i < 100; i++)
    g_assert_cmpint (push_group (&driver, i), ==, HOLO_OP_OK);
  g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_NOT_READY);
  holo_async_task_end_of_input (driver.task);
  g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_EOF);
  g_assert_cmpuint (async_driver_get_discarded (&driver), ==, 0);
}

static void
test_pushed_elsewhere (void)
{
  g_auto (AsyncDriver) driver;
  g_autoptr (GError) error = NULL;
  guint32 elsewhere[1];

  init_queue (&driver, 1, 4, 2, 2);
  driver.in_storage.data = elsewhere;
  g_assert_cmpint (holo_async_task_try_push (driver.task, &driver.push, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
}

static void
test_popped_twice (void)
{
  g_auto (AsyncDriver) driver;
  g_autoptr (GError) error = NULL;

  init_queue (&driver, 1, 4, 1, 1);
  g_assert_cmpint (push_group (&driver, 0), ==, HOLO_OP_OK);
  g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_OK);
  g_assert_cmpint (holo_async_task_try_pop (driver.task, &driver.pop, &error), ==, HOLO_OP_ERROR);
  g_assert_error (error, HOLO_ERROR, HOLO_ERROR_STATE);
}

/* ---- stamps ---- */

static HoloOpResult
push_stamped (AsyncDriver *driver, HoloStamp stamp)
{
  HoloOpResult result = async_driver_acquire (driver);

  driver->in.stamp = stamp;
  return result == HOLO_OP_OK ? async_driver_push (driver) : result;
}

static void
test_unknown_times (void)
{
  g_auto (AsyncDriver) driver;
  HoloStamp stamp = HOLO_STAMP_INIT;

  init_queue (&driver, 2, 8, 3, 3);
  stamp.first = stamp.last = 5;
  g_assert_cmpint (push_stamped (&driver, stamp), ==, HOLO_OP_OK);
  stamp.first = stamp.last = 6;
  stamp.pts = 100;
  stamp.flags = HOLO_STAMP_DISCONT;
  g_assert_cmpint (push_stamped (&driver, stamp), ==, HOLO_OP_OK);
  g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_OK);
  g_assert_cmpuint (driver.out.stamp.pts, ==, HOLO_TIME_NONE);
  g_assert_cmpuint (driver.out.stamp.duration, ==, HOLO_TIME_NONE);
  g_assert_cmpuint (driver.out.stamp.first, ==, 5);
  g_assert_cmpuint (driver.out.stamp.last, ==, 6);
  g_assert_cmpuint (driver.out.stamp.flags, ==, HOLO_STAMP_DISCONT);
}

static void
test_gap (void)
{
  g_auto (AsyncDriver) driver;
  HoloStamp filler = { 0, 10, 0, 0, 0, HOLO_STAMP_GAP }, content = { 10, 10, 1, 1, 1, 0 };

  init_queue (&driver, 1, 8, 2, 2);
  g_assert_cmpint (push_stamped (&driver, filler), ==, HOLO_OP_OK);
  g_assert_cmpint (push_stamped (&driver, content), ==, HOLO_OP_OK);
  g_assert_cmpint (push_stamped (&driver, filler), ==, HOLO_OP_OK);
  g_assert_cmpint (push_stamped (&driver, filler), ==, HOLO_OP_OK);
  g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_OK);
  g_assert_cmpuint (driver.out.stamp.flags, ==, 0);
  async_driver_release (&driver);
  g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_OK);
  g_assert_cmpuint (driver.out.stamp.flags, ==, HOLO_STAMP_GAP);
}

/* ---- inference ---- */

static void
test_inference (void)
{
  g_auto (AsyncDriver) driver;
  const HoloInferredOutput *output;

  init_queue (&driver, 3, 10, 4, 8);
  output = holo_inference_get_output (&driver.inference, 0);
  g_assert_cmpint (driver.inference.type, ==, HOLO_TASK_ASYNC);
  g_assert_true (holo_inference_get_input (&driver.inference, 0)->owned);
  g_assert_true (output->owned);
  g_assert_true (output->writable);
  g_assert_true (driver.inference.signals_readiness);
  g_assert_cmpint (output->desc.shape[0], ==, 4);
  g_assert_cmpint (output->rate_n, ==, 3);
  g_assert_cmpint (output->rate_d, ==, 8);
  g_assert_cmpuint (output->held_min, ==, 1);
}

static void
test_overlap_is_read_only (void)
{
  g_auto (AsyncDriver) driver;

  init_queue (&driver, 1, 10, 4, 3);
  g_assert_false (holo_inference_get_output (&driver.inference, 0)->writable);
}

static void
test_default_stride (void)
{
  g_auto (AsyncDriver) driver;
  HoloTensorDesc desc;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_U32, HOLO_MEM_LOC_HOST, 1, (gint64[]){ 1 });
  async_driver_init (&driver, "BatchQueue", "{\"output-size\": 5}", &desc);
  g_assert_cmpint (holo_inference_get_output (&driver.inference, 0)->rate_d, ==, 5);
}

static void
test_refused (void)
{
  static const gchar *const settings[] = {
    "{\"output_size\": 0}",     "{\"output_size\": 2147483648}", "{\"output_stride\": 0}", "{\"output_stride\": -1}",
    "{\"target_capacity\": 0}", "{\"target_capacity\": -4}",     "{\"output_size\": 1.5}", "{\"output_size\": \"4\"}",
  };
  HoloTensorDesc scalar, strided, huge;

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    assert_settings_refused ("BatchQueue", settings[i], "/params");
  holo_tensor_desc_init (&scalar, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 0, NULL);
  assert_inference_refused ("BatchQueue", "{}", &scalar, "rank");
  holo_tensor_desc_init_strided (&strided, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, (gint64[]){ 4, 4 },
                                 (gint64[]){ 32, 4 }, 0);
  assert_inference_refused ("BatchQueue", "{}", &strided, "dense");
  holo_tensor_desc_init (&huge, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 2, (gint64[]){ 1, G_GINT64_CONSTANT (1) << 40 });
  assert_inference_refused ("BatchQueue", "{\"target_capacity\": 2147483647}", &huge, "63 bits");
}

static void
test_rank_and_offset (void)
{
  g_auto (AsyncDriver) driver;
  HoloTensorDesc desc;

  holo_tensor_desc_init_strided (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 3, (gint64[]){ 1, 2, 3 },
                                 (gint64[]){ 999, 3, 1 }, 5);
  async_driver_init (&driver, "BatchQueue", "{\"output_size\": 2, \"output_stride\": 1, \"target_capacity\": 3}",
                     &desc);
  for (guint8 i = 0; i < 20; i++)
    {
      g_assert_cmpint (async_driver_acquire (&driver), ==, HOLO_OP_OK);
      memset (holo_tensor_view_get_data (&driver.in), i, 6);
      g_assert_cmpint (async_driver_push (&driver), ==, HOLO_OP_OK);
      if (async_driver_pop (&driver) == HOLO_OP_OK)
        {
          const guint8 *data = holo_tensor_view_get_data (&driver.out);

          for (guint k = 0; k < 12; k++)
            g_assert_cmpuint (data[k], ==, k < 6 ? i - 1 : i);
          async_driver_release (&driver);
        }
      else
        g_assert_cmpuint (i, ==, 0);
    }
}

/* ---- update ---- */

static void
update_queue (AsyncDriver *driver, const gchar *settings)
{
  HoloAsyncCreateContext context = { NULL, NULL, holo_device_get_host () };
  g_autoptr (HoloTaskFactory) factory = async_driver_make_factory ("BatchQueue", settings, NULL);
  g_auto (HoloInference) inference = { 0 };
  g_autoptr (HoloAsyncTask) task = NULL;
  g_autoptr (GError) error = NULL;

  holo_task_factory_infer (factory, &driver->in.desc, 1, &inference, &error);
  g_assert_no_error (error);
  task = holo_async_task_factory_update (HOLO_ASYNC_TASK_FACTORY (factory), driver->task, &driver->inference,
                                         &inference, &context, &error);
  g_assert_no_error (error);
  g_assert_true (task == driver->task);
}

/* Any change of capacity and stride, at any fill and position: nothing is lost or repeated. */
static void
check_update (gint64 group, gint64 size, gint64 old_stride, gint64 new_stride, gint64 new_capacity, guint n_before)
{
  g_auto (AsyncDriver) driver;
  g_autofree gchar *settings = g_strdup_printf ("{\"target_capacity\": %d, \"output_size\": %d, \"output_stride\": %d}",
                                                (gint) new_capacity, (gint) size, (gint) new_stride);
  guint64 index = 0, start = 0;

  init_queue (&driver, group, 6, size, old_stride);
  for (guint i = 0; i < n_before; i++)
    {
      while (push_group (&driver, index) == HOLO_OP_OK)
        index++;
      if (async_driver_pop (&driver) == HOLO_OP_OK)
        {
          g_assert_cmpuint (get_first (&driver), ==, start);
          start += (guint64) old_stride;
          async_driver_release (&driver);
        }
    }
  update_queue (&driver, settings);
  holo_task_commit (HOLO_TASK (driver.task));
  for (guint i = 0; i < 30; i++)
    {
      while (push_group (&driver, index) == HOLO_OP_OK)
        index++;
      while (async_driver_pop (&driver) == HOLO_OP_OK)
        {
          const guint32 *data = holo_tensor_view_get_data (&driver.out);

          for (gint64 k = 0; k < size; k++)
            g_assert_cmpuint (data[k], ==, start + (guint64) k);
          start += (guint64) new_stride;
          async_driver_release (&driver);
        }
    }
  g_assert_cmpuint (start, >, 30);
}

static void
test_update_keeps_contents (void)
{
  static const gint64 capacities[] = { 1, 6, 40 };

  for (gint64 group = 1; group <= 3; group++)
    for (gint64 size = 1; size <= 4; size++)
      for (gint64 old_stride = 1; old_stride <= 7; old_stride++)
        for (gint64 new_stride = 1; new_stride <= 7; new_stride++)
          for (guint c = 0; c < G_N_ELEMENTS (capacities); c++)
            for (guint n_before = 0; n_before < 4; n_before++)
              check_update (group, size, old_stride, new_stride, capacities[c], n_before);
}

static void
test_rollback (void)
{
  g_auto (AsyncDriver) driver;

  init_queue (&driver, 1, 4, 2, 2);
  g_assert_cmpint (push_group (&driver, 0), ==, HOLO_OP_OK);
  update_queue (&driver, "{\"target_capacity\": 50, \"output_size\": 2, \"output_stride\": 1}");
  g_assert_cmpint (push_group (&driver, 1), ==, HOLO_OP_OK);
  holo_task_rollback (HOLO_TASK (driver.task));
  holo_task_commit (HOLO_TASK (driver.task));
  for (guint i = 2; i < 6; i++)
    g_assert_cmpint (push_group (&driver, i), ==, HOLO_OP_OK);
  g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_OK);
  check_window (&driver, 0, 2);
  async_driver_release (&driver);
  g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_OK);
  check_window (&driver, 1, 2);
}

static void
test_update_other_tensor (void)
{
  g_auto (AsyncDriver) driver;
  HoloAsyncCreateContext context = { NULL, NULL, holo_device_get_host () };
  g_auto (HoloInference) inference = { 0 };
  g_autoptr (HoloAsyncTask) task = NULL, fresh = NULL;
  HoloTensorDesc desc;

  init_queue (&driver, 1, 4, 2, 2);
  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, (gint64[]){ 1, 3 });
  g_assert_true (holo_task_factory_infer (driver.factory, &desc, 1, &inference, NULL));
  task = holo_async_task_factory_update (HOLO_ASYNC_TASK_FACTORY (driver.factory), driver.task, &driver.inference,
                                         &inference, &context, NULL);
  g_assert_nonnull (task);
  g_assert_true (task != driver.task);
  fresh =
      holo_async_task_factory_update (HOLO_ASYNC_TASK_FACTORY (driver.factory), NULL, NULL, &inference, &context, NULL);
  g_assert_nonnull (fresh);
}

/* ---- two threads ---- */

typedef struct
{
  AsyncDriver driver;
  guint64 n_groups;
  guint64 n_taken; /* producer */
} Stress;

static gpointer
produce (gpointer data)
{
  Stress *stress = data;

  for (guint64 i = 0; i < stress->n_groups; i++)
    {
      HoloOpResult result;

      while ((result = push_group (&stress->driver, i)) == HOLO_OP_NOT_READY)
        sched_yield ();
      if (result == HOLO_OP_EOF)
        break;
      stress->n_taken++;
    }
  holo_async_task_end_of_input (stress->driver.task);
  return NULL;
}

static guint64
consume (Stress *stress, gint64 stride, guint64 n_at_most)
{
  guint64 n = 0;
  HoloOpResult result;

  while (n < n_at_most && (result = async_driver_pop (&stress->driver)) != HOLO_OP_EOF)
    {
      if (result == HOLO_OP_NOT_READY)
        {
          sched_yield ();
          continue;
        }
      check_window (&stress->driver, n++, stride);
      async_driver_release (&stress->driver);
    }
  return n;
}

static void
check_stress (gint64 group, gint64 capacity, gint64 size, gint64 stride, guint64 n_groups)
{
  Stress stress = { .n_groups = n_groups };
  guint64 n = n_groups * (guint64) group, n_windows = count_windows (n, size, stride);
  GThread *producer;

  init_queue (&stress.driver, group, capacity, size, stride);
  producer = g_thread_new ("producer", produce, &stress);
  g_assert_cmpuint (consume (&stress, stride, G_MAXUINT64), ==, n_windows);
  g_thread_join (producer);
  g_assert_cmpuint (async_driver_get_discarded (&stress.driver), ==, n - count_covered (n_windows, size, stride));
  async_driver_clear (&stress.driver);
}

static void
test_threads (void)
{
  static const gint64 capacities[] = { 1, 2, 3, 7 };
  guint64 n = g_test_slow () ? 1000000 : 3000;

  for (guint c = 0; c < G_N_ELEMENTS (capacities); c++)
    for (gint64 group = 1; group <= 5; group += 2)
      {
        check_stress (group, capacities[c], 1, 1, n);
        check_stress (group, capacities[c], 3, 2, n);
        check_stress (group, capacities[c], 2, 5, n);
        check_stress (group, capacities[c], 4, 4, n);
      }
}

/* The consumer leaves at any moment: every element is popped or discarded. */
static void
test_threads_end_of_output (void)
{
  for (guint round = 0; round < (g_test_slow () ? 20000 : 200); round++)
    {
      Stress stress = { .n_groups = 64 };
      GThread *producer;
      guint64 n_popped;

      init_queue (&stress.driver, 1, 3, 2, 2);
      producer = g_thread_new ("producer", produce, &stress);
      n_popped = consume (&stress, 2, round % 24);
      holo_async_task_end_of_output (stress.driver.task);
      g_thread_join (producer);
      g_assert_cmpuint (n_popped * 2 + async_driver_get_discarded (&stress.driver), ==, stress.n_taken);
      async_driver_clear (&stress.driver);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/batch-queue/known", test_known);
  g_test_add_func ("/holo/batch-queue/small-shapes", test_small_shapes);
  g_test_add_func ("/holo/batch-queue/full", test_full);
  g_test_add_func ("/holo/batch-queue/abort", test_abort);
  g_test_add_func ("/holo/batch-queue/no-copy", test_no_copy);
  g_test_add_func ("/holo/batch-queue/end-of-output", test_end_of_output);
  g_test_add_func ("/holo/batch-queue/empty-groups", test_empty_groups);
  g_test_add_func ("/holo/batch-queue/pushed-elsewhere", test_pushed_elsewhere);
  g_test_add_func ("/holo/batch-queue/popped-twice", test_popped_twice);
  g_test_add_func ("/holo/batch-queue/unknown-times", test_unknown_times);
  g_test_add_func ("/holo/batch-queue/gap", test_gap);
  g_test_add_func ("/holo/batch-queue/inference", test_inference);
  g_test_add_func ("/holo/batch-queue/overlap-is-read-only", test_overlap_is_read_only);
  g_test_add_func ("/holo/batch-queue/default-stride", test_default_stride);
  g_test_add_func ("/holo/batch-queue/refused", test_refused);
  g_test_add_func ("/holo/batch-queue/rank-and-offset", test_rank_and_offset);
  g_test_add_func ("/holo/batch-queue/update-keeps-contents", test_update_keeps_contents);
  g_test_add_func ("/holo/batch-queue/rollback", test_rollback);
  g_test_add_func ("/holo/batch-queue/update-other-tensor", test_update_other_tensor);
  g_test_add_func ("/holo/batch-queue/threads/stream", test_threads);
  g_test_add_func ("/holo/batch-queue/threads/end-of-output", test_threads_end_of_output);
  return g_test_run ();
}
