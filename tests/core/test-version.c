/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <holoflow/holoflow.h>

static void
test_run_time (void)
{
  guint major = 9, minor = 9, micro = 9;
  g_autofree gchar *text = NULL;

  holo_version (&major, &minor, &micro);
  text = g_strdup_printf ("%u.%u.%u", major, minor, micro);
  g_assert_cmpstr (text, ==, HOLO_VERSION_S);
  g_assert_true (HOLO_CHECK_VERSION ((gint) major, (gint) minor, (gint) micro));
  g_assert_false (HOLO_CHECK_VERSION ((gint) major, (gint) minor, (gint) micro + 1));
  g_assert_false (HOLO_CHECK_VERSION ((gint) major, (gint) minor + 1, 0));
  g_assert_false (HOLO_CHECK_VERSION ((gint) major + 1, 0, 0));
  holo_version (NULL, &minor, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/holo/version/run-time", test_run_time);
  return g_test_run ();
}
