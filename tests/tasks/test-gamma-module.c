/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The module of docs/writing-a-task.md works as that page says, and the page shows the file as it is. */
#include <string.h>

#include "tasks/task-runner.h"

static const gchar *module_path, *docs_folder;

static void
test_values (void)
{
  g_autoptr (TaskArray) in = task_array_new (HOLO_DTYPE_F32, TASK_SHAPE (2, 2), (const gfloat[]){ 0, 1, 2, 3 });

  task_check ("Gamma", "{\"exponent\": 2}", &in, 1, HOLO_DTYPE_F32, TASK_SHAPE (2, 2), (const gfloat[]){ 0, 1, 4, 9 },
              1e-6);
  task_check_refused ("Gamma", "{\"exponent\": 1000}", &in, 1, HOLO_ERROR_SETTING, "exponent");
}

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

/* Every block of C of the page is a piece of the file. */
static void
test_page (void)
{
  g_autofree gchar *page = read_file ("writing-a-task.md");
  g_autofree gchar *source = read_file ("examples/gamma-module.c");
  guint n_blocks = 0;

  for (gchar *block = strstr (page, "```c\n"); block != NULL; block = strstr (block, "```c\n"))
    {
      gchar *end = strstr (block + 5, "```");
      g_autofree gchar *code = g_strndup (block + 5, (gsize) (end - block - 5));

      if (strstr (source, code) == NULL)
        g_error ("docs/examples/gamma-module.c does not contain this block of docs/writing-a-task.md:\n%s", code);
      n_blocks++;
      block = end + 3;
    }
  g_assert_cmpuint (n_blocks, >=, 4);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 3);
  module_path = argv[1];
  docs_folder = argv[2];
  holo_registry_load_module (holo_registry_get_default (), module_path, &error);
  g_assert_no_error (error);
  g_test_add_func ("/tasks/gamma-module/values", test_values);
  g_test_add_func ("/tasks/gamma-module/page", test_page);
  return g_test_run ();
}
