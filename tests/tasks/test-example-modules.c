/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The modules of docs/writing-a-task.md work as that page says, and its blocks of C are their files. */
#include <string.h>

#include "async-driver.h"
#include "tasks/task-runner.h"

static const gchar *docs_folder;

static void
test_gamma (void)
{
  g_autoptr (TaskArray) in = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2, 2), (const gfloat[]){ 0, 1, 2, 3 });

  task_check ("Gamma", "{\"exponent\": 2}", &in, 1, HOLO_DTYPE_F32, TASK_SHAPE (2, 2), (const gfloat[]){ 0, 1, 4, 9 },
              1e-6);
  task_check_refused ("Gamma", "{\"exponent\": 1000}", &in, 1, HOLO_ERROR_SETTING, "exponent");
}

/* ---- Delay ---- */

static gint n_released;

static void
count_release (HoloBlock *block)
{
  n_released++;
  g_free (block->data);
  holo_block_free (block);
}

/* As the runtime does: a block of its own for each frame, whose reference it drops after the push. */
static HoloOpResult
delay_push (AsyncDriver *driver, guint8 value)
{
  HoloBlock *block = holo_block_new (g_memdup2 (&value, 1), 1, count_release, NULL);
  HoloOpResult result;

  holo_storage_init (&driver->in_storage, block->data, 1);
  driver->in_storage.block = block;
  result = async_driver_push (driver);
  holo_block_unref (block);
  return result;
}

static gint
delay_pop (AsyncDriver *driver)
{
  gint value;

  if (async_driver_pop (driver) != HOLO_OP_OK)
    return -1;
  value = *(guint8 *) holo_tensor_view_get_data (&driver->out);
  holo_block_unref (g_steal_pointer (&driver->out_storage.block));
  return value;
}

static void
delay_init (AsyncDriver *driver)
{
  HoloTensorDesc desc;

  n_released = 0;
  holo_tensor_desc_init (&desc, HOLO_DTYPE_U8, HOLO_MEM_LOC_HOST, 0, NULL);
  async_driver_init (driver, "Delay", "{\"frames\": 2}", &desc);
}

static void
test_delay (void)
{
  g_auto (AsyncDriver) driver = { NULL };

  delay_init (&driver);
  for (guint run = 0; run < 2; run++)
    {
      g_assert_cmpint (delay_push (&driver, 10), ==, HOLO_OP_OK);
      g_assert_cmpint (delay_push (&driver, 11), ==, HOLO_OP_OK);
      g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_NOT_READY);
      g_assert_cmpint (delay_push (&driver, 12), ==, HOLO_OP_OK);
      g_assert_cmpint (delay_push (&driver, 13), ==, HOLO_OP_NOT_READY);
      g_assert_cmpint (delay_pop (&driver), ==, 10);
      g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_NOT_READY);
      holo_async_task_end_of_input (driver.task);
      g_assert_cmpint (delay_pop (&driver), ==, 11);
      g_assert_cmpint (delay_pop (&driver), ==, 12);
      g_assert_cmpint (async_driver_pop (&driver), ==, HOLO_OP_EOF);
      g_assert_true (holo_task_reset (HOLO_TASK (driver.task), NULL));
    }
  g_assert_cmpint (n_released, ==, 2 * 4);
  g_assert_cmpuint (async_driver_get_discarded (&driver), ==, 0);
}

static void
test_delay_discards (void)
{
  g_auto (AsyncDriver) driver = { NULL };

  delay_init (&driver);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (delay_push (&driver, (guint8) i), ==, HOLO_OP_OK);
  holo_async_task_end_of_output (driver.task);
  g_assert_cmpint (n_released, ==, 3);
  g_assert_cmpuint (async_driver_get_discarded (&driver), ==, 3);
  g_assert_cmpint (delay_push (&driver, 3), ==, HOLO_OP_EOF);
}

/* ---- the page ---- */

static gchar *
read_file (const gchar *name)
{
  g_autofree gchar *path = g_build_filename (docs_folder, name, NULL);
  g_autoptr (GError) error = NULL;
  gchar *text = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

/* The blocks of C of the page, pasted one below the other with an empty line between, are the files. */
static void
test_page (void)
{
  g_autofree gchar *page = read_file ("writing-a-task.md");
  g_autofree gchar *gamma = read_file ("examples/gamma-module.c"), *delay = read_file ("examples/delay-module.c");
  g_autofree gchar *files = g_strconcat (gamma, "\n", delay, NULL);
  g_autoptr (GString) blocks = g_string_new (NULL);

  for (gchar *block = strstr (page, "```c\n"); block != NULL; block = strstr (block, "```c\n"))
    {
      gchar *end = strstr (block + 5, "```");

      g_string_append_printf (blocks, "%s%.*s", blocks->len > 0 ? "\n" : "", (gint) (end - block - 5), block + 5);
      block = end + 3;
    }
  if (!g_str_equal (blocks->str, files))
    g_error ("the blocks of docs/writing-a-task.md are not docs/examples/gamma-module.c and delay-module.c, but:\n%s",
             blocks->str);
}

/* test-example-modules DOCS MODULE ... */
int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 4);
  docs_folder = argv[1];
  for (gint i = 2; i < argc; i++)
    {
      holo_registry_load_module (holo_registry_get_default (), argv[i], &error);
      g_assert_no_error (error);
    }
  g_test_add_func ("/tasks/example-modules/gamma", test_gamma);
  g_test_add_func ("/tasks/example-modules/delay", test_delay);
  g_test_add_func ("/tasks/example-modules/delay-discards", test_delay_discards);
  g_test_add_func ("/tasks/example-modules/page", test_page);
  return g_test_run ();
}
