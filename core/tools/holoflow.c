/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tools/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct
{
  const gchar *name;
  ToolFunc run;
  const gchar *summary;
} commands[] = {
  { "list", tool_list, "List the kinds of tasks" },
  { "inspect", tool_inspect, "Describe a kind: settings, tensors, example" },
  { "check", tool_check, "Check a graph without running it" },
  { "plan", tool_plan, "Show how a graph would run: sections, tensors, memory" },
  { "run", tool_run, "Run a graph" },
};

static void
print_usage (FILE *file)
{
  fprintf (file, "Usage: holoflow COMMAND [OPTION...] [ARGUMENT]\n\nCommands:\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    fprintf (file, "  %-10s %s\n", commands[i].name, commands[i].summary);
  fprintf (file, "\n\"holoflow COMMAND --help\" describes a command.\n"
                 "Exit status: 0 success, 1 failure, 2 wrong usage, 128 + N a run that signal N stopped.\n");
}

static int
fail_unknown (const gchar *name)
{
  const gchar *names[G_N_ELEMENTS (commands) + 1] = { NULL };
  g_autofree gchar *near = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    names[i] = commands[i].name;
  near = holo_nearest_names (name, names);
  if (near != NULL)
    fprintf (stderr, "holoflow: there is no command \"%s\"; did you mean %s?\n", name, near);
  else
    {
      fprintf (stderr, "holoflow: there is no command \"%s\"\n\n", name);
      print_usage (stderr);
    }
  return TOOL_USAGE;
}

/* A file that is opened later must not get the number of a standard stream that was closed: what is printed
 * would go into it. What is opened here cannot be used either, so that use is still an error. */
static void
open_standard_streams (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0 && open ("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      _exit (TOOL_FAILED);
}

/* However the program ends (--help of GLib's leaves by exit()), output that could not be written is a failure. */
static void
close_output (void)
{
  gboolean failed = ferror (stdout) != 0;
  const gchar *reason;

  errno = 0;
  failed |= fflush (stdout) != 0;
  failed |= close (STDOUT_FILENO) != 0;
  if (!failed)
    return;
  reason = errno != 0 ? g_strerror (errno) : "something could not be written";
  fprintf (stderr, "holoflow: standard output: %s\n", reason);
  _exit (TOOL_FAILED);
}

int
main (int argc, char **argv)
{
  open_standard_streams ();
  atexit (close_output);
  /* Arguments come in the locale's encoding. Numbers are the same everywhere: scripts read them. */
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  g_set_prgname ("holoflow");
  if (argc < 2)
    {
      print_usage (stderr);
      return TOOL_USAGE;
    }
  if (g_str_equal (argv[1], "--help") || g_str_equal (argv[1], "-h") || g_str_equal (argv[1], "help"))
    {
      print_usage (stdout);
      return TOOL_OK;
    }
  if (g_str_equal (argv[1], "--version"))
    {
      puts ("holoflow " HOLO_VERSION_S);
      return TOOL_OK;
    }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (argv[1], commands[i].name))
      return commands[i].run (argc - 1, argv + 1);
  return fail_unknown (argv[1]);
}
