/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tool.h"

#include <stdio.h>
#include <string.h>

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
                 "Exit status: 0 success, 1 failure, 2 wrong usage.\n");
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

int
main (int argc, char **argv)
{
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
      printf ("holoflow %s\n", HOLO_VERSION);
      return TOOL_OK;
    }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (argv[1], commands[i].name))
      return commands[i].run (argc - 1, argv + 1);
  return fail_unknown (argv[1]);
}
