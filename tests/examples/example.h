/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What tests of example programs share: running a program, and looking at what it wrote. */
#pragma once

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

/* Runs @argv to its end; returns its exit status. What it printed goes to @output and @errors. */
static inline gint
example_run (gchar **argv, gchar **output, gchar **errors)
{
  g_autoptr (GError) error = NULL;
  gint wait_status = 0;

  g_spawn_sync (NULL, argv, NULL, output == NULL ? G_SPAWN_STDOUT_TO_DEV_NULL : G_SPAWN_DEFAULT, NULL, NULL, output,
                errors, &wait_status, &error);
  g_assert_no_error (error);
  if (g_spawn_check_wait_status (wait_status, &error))
    return 0;
  /* Any other domain means that it was killed. */
  if (error->domain != G_SPAWN_EXIT_ERROR)
    g_test_message ("%s: %s", argv[0], error->message);
  g_assert_true (error->domain == G_SPAWN_EXIT_ERROR);
  return error->code;
}

static inline GBytes *
example_read (const gchar *folder, const gchar *name)
{
  g_autofree gchar *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  gchar *text = NULL;
  gsize length = 0;

  g_file_get_contents (path, &text, &length, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (text, length);
}

/* The pixels of a binary PGM that must have this size and nothing behind them. */
static inline const guint8 *
example_pgm_pixels (GBytes *file, gint width, gint height)
{
  g_autofree gchar *header = g_strdup_printf ("P5\n%d %d\n255\n", width, height);
  gsize size, skip = strlen (header);
  const guint8 *data = g_bytes_get_data (file, &size);

  g_assert_cmpuint (size, ==, skip + (gsize) width * (gsize) height);
  g_assert_cmpmem (data, skip, header, skip);
  return data + skip;
}

static inline void
example_assert_contains (const gchar *text, const gchar *words)
{
  if (strstr (text, words) == NULL)
    g_test_message ("expected \"%s\" in: %s", words, text);
  g_assert_nonnull (strstr (text, words));
}

/* Removes @path and the files in it. */
static inline void
example_remove_folder (const gchar *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const gchar *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree gchar *file = g_build_filename (path, name, NULL);

      g_remove (file);
    }
  g_rmdir (path);
}
