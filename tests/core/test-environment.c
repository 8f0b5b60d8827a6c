/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <holoflow/holoflow.h>

#include <string.h>

#include "base/holo-environment.h"

static gchar *
load (const gchar *name)
{
  g_autofree gchar *path = g_build_filename (HOLO_SOURCE_ROOT, name, NULL);
  gchar *text = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

/* The HOLOFLOW_ names in a text. */
static GHashTable *
find_names (const gchar *text, const gchar *pattern)
{
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  for (g_regex_match (regex, text, 0, &match); g_match_info_matches (match); g_match_info_next (match, NULL))
    g_hash_table_add (names, g_match_info_fetch (match, 1));
  return names;
}

static void
assert_contains (GHashTable *names, GHashTable *others, const gchar *where)
{
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, others);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (!g_hash_table_contains (names, name))
      g_error ("%s is not in %s", (const gchar *) name, where);
}

/* Every variable that is read has a row in the table, and nothing else has. */
static void
test_documented (void)
{
  g_autofree gchar *code = load ("core/base/holo-environment.c"), *page = load ("docs/environment.md");
  g_autoptr (GHashTable) read = find_names (code, "\"(HOLOFLOW_[A-Z_]+)\"");
  g_autoptr (GHashTable) documented = find_names (page, "\\| `(HOLOFLOW_[A-Z_]+)` \\|");

  g_assert_cmpuint (g_hash_table_size (read), >=, 6);
  assert_contains (documented, read, "docs/environment.md");
  assert_contains (read, documented, "core/base/holo-environment.c");
}

static void
check_folder (const gchar *folder)
{
  g_autofree gchar *path = g_build_filename (HOLO_SOURCE_ROOT, folder, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const gchar *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree gchar *member = g_build_filename (folder, name, NULL);
      g_autofree gchar *member_path = g_build_filename (HOLO_SOURCE_ROOT, member, NULL), *text = NULL;

      if (g_file_test (member_path, G_FILE_TEST_IS_DIR))
        check_folder (member);
      else if ((g_str_has_suffix (name, ".c") || g_str_has_suffix (name, ".cu")) &&
               !g_str_equal (name, "holo-environment.c"))
        {
          text = load (member);
          if (strstr (text, "getenv") != NULL)
            g_error ("%s reads the environment itself", member);
        }
    }
}

/* One file reads the environment. */
static void
test_one_reader (void)
{
  check_folder ("core");
  check_folder ("cuda");
  check_folder ("gst");
}

static void
test_values (void)
{
  g_unsetenv ("HOLOFLOW_FFT");
  g_assert_null (holo_environment_get_fft ());
  g_setenv ("HOLOFLOW_FFT", "", TRUE);
  g_assert_null (holo_environment_get_fft ());
  g_setenv ("HOLOFLOW_FFT", "kiss", TRUE);
  g_assert_cmpstr (holo_environment_get_fft (), ==, "kiss");

  g_unsetenv ("HOLOFLOW_SYNC");
  g_assert_false (holo_environment_get_sync ());
  g_setenv ("HOLOFLOW_SYNC", "0", TRUE);
  g_assert_false (holo_environment_get_sync ());
  g_setenv ("HOLOFLOW_SYNC", "1", TRUE);
  g_assert_true (holo_environment_get_sync ());
  g_setenv ("HOLOFLOW_POISON", "yes", TRUE);
  g_assert_true (holo_environment_get_poison ());

  g_unsetenv ("HOLOFLOW_STALL");
  g_assert_cmpuint (holo_environment_get_stall (), ==, 0);
  g_setenv ("HOLOFLOW_STALL", "17", TRUE);
  g_assert_cmpuint (holo_environment_get_stall (), ==, 17);

  g_unsetenv ("HOLOFLOW_DEBUG");
  g_assert_false (holo_environment_has_debug ("infer"));
  g_setenv ("HOLOFLOW_DEBUG", "storage, infer", TRUE);
  g_assert_true (holo_environment_has_debug ("infer"));
  g_assert_true (holo_environment_has_debug ("storage"));
  g_assert_false (holo_environment_has_debug ("place"));
  g_setenv ("HOLOFLOW_DEBUG", "all", TRUE);
  g_assert_true (holo_environment_has_debug ("place"));
  g_setenv ("HOLOFLOW_MODULE_PATH", "/a:/b", TRUE);
  g_assert_cmpstr (holo_environment_get_module_path (), ==, "/a:/b");
}

/* Nothing else would say that a topic was misspelt. */
static void
test_unknown_topic (void)
{
  if (g_test_subprocess ())
    {
      g_setenv ("HOLOFLOW_DEBUG", "infer, storge,plce,xyz,", TRUE);
      g_assert_true (holo_environment_has_debug ("infer"));
      g_assert_false (holo_environment_has_debug ("storage"));
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr (
      "*has no topic \"storge\"; did you mean \"storage\"?\n*has no topic \"plce\"; did you mean "
      "\"place\"?\n*has no topic \"xyz\"; it has infer, place,*");
  g_test_trap_assert_stderr_unmatched ("*topic \"infer\"*");
  g_test_trap_assert_stderr_unmatched ("*topic \"\"*");
  g_test_trap_assert_stderr_unmatched ("*storge*storge*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/environment/documented", test_documented);
  g_test_add_func ("/holo/environment/one-reader", test_one_reader);
  g_test_add_func ("/holo/environment/values", test_values);
  g_test_add_func ("/holo/environment/unknown-topic", test_unknown_topic);
  return g_test_run ();
}
