/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What docs/examples/demo.sh says about wrong arguments, before it installs or builds anything. The argument
 * is the folder of the examples. */

#include <gio/gio.h>

#include "example.h"

static gchar *demo, *folder;

/* Runs the demo with @argument, and @value where it is not NULL. */
static void
assert_refused (const gchar *argument, const gchar *value, gint status, const gchar *words)
{
  const gchar *argv[] = { demo, "--no-install", argument, value, NULL };
  g_autofree gchar *output = NULL, *errors = NULL;

  g_assert_cmpint (example_run ((gchar **) argv, &output, &errors), ==, status);
  g_assert_cmpstr (output, ==, "");
  example_assert_contains (errors, words);
}

static void
assert_file_refused (const gchar *name, const gchar *content, gssize length, const gchar *words)
{
  g_autofree gchar *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, content, length, &error);
  g_assert_no_error (error);
  assert_refused (path, NULL, 1, words);
}

static void
test_files (void)
{
  g_autofree gchar *missing = g_build_filename (folder, "missing.png", NULL);

  assert_refused (missing, NULL, 1, "there is no file");
  assert_refused (folder, NULL, 1, "is a folder");
  assert_refused ("/dev/null", NULL, 1, "is not a regular file");
  assert_file_refused ("empty file.png", "", 0, "empty file.png is empty");
  assert_file_refused ("text.png", "no picture", -1, "is not a picture that this demo reads");
  /* The name says nothing, the first bytes do: half of a signature is none. */
  assert_file_refused ("half.png", "\x89PNG", -1, "is not a picture that this demo reads");
}

static void
test_options (void)
{
  assert_refused ("--centre", "1,2", 2, "unknown option --centre");
  assert_refused ("--center", NULL, 2, "--center needs a value");
  assert_refused ("--center", "332", 2, "--center needs two integers");
  assert_refused ("--center", "332,x", 2, "--center needs two integers");
  assert_refused ("--center", "332,", 2, "--center needs two integers");
  assert_refused ("--radius", "3", 2, "--radius needs an integer of at least 4, not 3");
  assert_refused ("--radius", "99999999999999999999", 2, "--radius needs an integer of at least 4");
  assert_refused ("--output", "", 2, "--output needs a value");
  assert_refused ("one.png", "two.png", 2, "one hologram at a time");
  assert_refused ("", NULL, 2, "the name of the hologram is empty");
}

static void
test_help (void)
{
  const gchar *argv[] = { demo, "--help", NULL };
  g_autofree gchar *output = NULL, *errors = NULL;

  g_assert_cmpint (example_run ((gchar **) argv, &output, &errors), ==, 0);
  example_assert_contains (output, "Usage: docs/examples/demo.sh");
  g_assert_cmpstr (errors, ==, "");
}

int
main (int argc, char **argv)
{
  gint status;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, >=, 2);
  demo = g_build_filename (argv[1], "demo.sh", NULL);
  folder = g_dir_make_tmp ("holoflow-test-XXXXXX", NULL);
  g_assert_nonnull (folder);

  g_test_add_func ("/examples/demo/files-that-are-no-pictures", test_files);
  g_test_add_func ("/examples/demo/wrong-options", test_options);
  g_test_add_func ("/examples/demo/help", test_help);

  status = g_test_run ();
  example_remove_folder (folder);
  g_free (folder);
  g_free (demo);
  return status;
}
