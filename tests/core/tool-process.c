/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tool-process.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

void
tool_result_clear (ToolResult *result)
{
  g_clear_pointer (&result->out, g_free);
  g_clear_pointer (&result->err, g_free);
}

/* ---- files ---- */

gchar *
tool_enter_folder (void)
{
  g_autoptr (GError) error = NULL;
  gchar *folder = g_dir_make_tmp ("holoflow-tool-XXXXXX", &error);

  g_assert_no_error (error);
  g_assert_cmpint (g_chdir (folder), ==, 0);
  return folder;
}

void
tool_leave_folder (gchar *folder)
{
  g_autoptr (GDir) dir = g_dir_open (".", 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    g_assert_cmpint (g_remove (name), ==, 0);
  g_assert_cmpint (g_chdir ("/"), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
}

void
tool_write_file (const gchar *name, const gchar *text)
{
  g_autoptr (GError) error = NULL;

  g_file_set_contents (name, text, -1, &error);
  g_assert_no_error (error);
}

/* ---- processes ---- */

static void
set_up_child (gpointer data)
{
  signal (SIGINT, SIG_DFL);
  signal (SIGTERM, SIG_DFL);
  signal (SIGHUP, SIG_DFL);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
}

GSubprocessLauncher *
tool_new_launcher (GSubprocessFlags flags)
{
  GSubprocessLauncher *launcher = g_subprocess_launcher_new (flags);
  g_autofree gchar *folder = g_path_get_dirname (g_getenv ("HOLOFLOW_TOOL"));
  g_autofree gchar *path = g_strdup_printf ("%s:%s", folder, g_getenv ("PATH"));

  g_subprocess_launcher_setenv (launcher, "PATH", path, TRUE);
  g_subprocess_launcher_set_child_setup (launcher, set_up_child, NULL, NULL);
  return launcher;
}

static GSubprocess *G_GNUC_PRINTF (2, 0) start (GSubprocessLauncher *launcher, const gchar *format, va_list args)
{
  g_autofree gchar *command = g_strdup_vprintf (format, args), *line = g_strconcat ("exec ", command, NULL);
  const gchar *argv[] = { "sh", "-c", line, NULL };
  g_autoptr (GSubprocessLauncher) plain = NULL;
  g_autoptr (GError) error = NULL;
  GSubprocess *process;

  if (launcher == NULL)
    launcher = plain = tool_new_launcher (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  process = g_subprocess_launcher_spawnv (launcher, argv, &error);
  g_assert_no_error (error);
  return process;
}

GSubprocess *
tool_start (GSubprocessLauncher *launcher, const gchar *format, ...)
{
  GSubprocess *process;
  va_list args;

  va_start (args, format);
  process = start (launcher, format, args);
  va_end (args);
  return process;
}

typedef struct
{
  GSubprocess *process;
  ToolResult *result;
  gboolean ended;
  gboolean too_late;
} Wait;

static gboolean
on_limit (gpointer data)
{
  Wait *wait = data;

  wait->too_late = TRUE;
  g_subprocess_force_exit (wait->process);
  return G_SOURCE_CONTINUE;
}

static void
on_ended (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  Wait *wait = data;

  g_subprocess_communicate_utf8_finish (wait->process, result, &wait->result->out, &wait->result->err, &error);
  g_assert_no_error (error);
  wait->ended = TRUE;
}

void
tool_finish (GSubprocess *process, ToolResult *result)
{
  Wait wait = { .process = process, .result = result };
  guint limit = g_timeout_add_seconds (TOOL_LIMIT, on_limit, &wait);

  g_subprocess_communicate_utf8_async (process, NULL, NULL, on_ended, &wait);
  while (!wait.ended)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (limit);
  if (wait.too_late)
    g_error ("the command has not ended within %d s; it said: %s%s", TOOL_LIMIT, result->out, result->err);
  result->killed = g_subprocess_get_if_signaled (process);
  result->status = result->killed ? 128 + g_subprocess_get_term_sig (process) : g_subprocess_get_exit_status (process);
}

void
tool_run (ToolResult *result, const gchar *format, ...)
{
  g_autoptr (GSubprocess) process = NULL;
  va_list args;

  va_start (args, format);
  process = start (NULL, format, args);
  va_end (args);
  tool_finish (process, result);
}

void
tool_wait_until (ToolCondition func, gconstpointer data, const gchar *what)
{
  gint64 limit = g_get_monotonic_time () + TOOL_LIMIT * G_TIME_SPAN_SECOND;

  while (!func (data))
    {
      if (g_get_monotonic_time () > limit)
        g_error ("waited %d s in vain until %s", TOOL_LIMIT, what);
      g_usleep (500);
    }
}

void
tool_assert_contains (const gchar *text, const gchar *part)
{
  if (strstr (text, part) == NULL)
    g_error ("\"%s\" is not in: %s", part, text);
}
