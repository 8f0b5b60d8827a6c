/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzzer's function on every file of a folder, without libFuzzer: one TAP line per file. */
#include <glib.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);
int __attribute__ ((weak)) LLVMFuzzerInitialize (int *argc, char ***argv);

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar *const *) a, *(const gchar *const *) b);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = argc == 2 ? g_dir_open (argv[1], 0, NULL) : NULL;
  const gchar *name;

  if (dir == NULL)
    {
      fprintf (stderr, "usage: %s FOLDER\n", argv[0]);
      return 2;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  if (LLVMFuzzerInitialize != NULL)
    LLVMFuzzerInitialize (&argc, &argv);
  printf ("1..%u\n", names->len);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree gchar *path = g_build_filename (argv[1], g_ptr_array_index (names, i), NULL), *text = NULL;
      g_autofree uint8_t *bytes = NULL;
      gsize size;
      gboolean ok = g_file_get_contents (path, &text, &size, NULL);

      if (ok)
        {
          /* Of exactly the size, so that a sanitizer sees a read behind it. */
          bytes = g_memdup2 (text, size);
          LLVMFuzzerTestOneInput (bytes != NULL ? bytes : (const uint8_t *) "", size);
        }
      printf ("%s %u %s\n", ok ? "ok" : "not ok", i + 1, (const gchar *) g_ptr_array_index (names, i));
      fflush (stdout);
    }
  return 0;
}
