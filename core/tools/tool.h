/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The `holoflow` command: one file per sub-command. */
#pragma once

#include <holoflow/holoflow.h>

/* Exit statuses. */
enum
{
  TOOL_OK = 0,
  TOOL_FAILED = 1,
  TOOL_USAGE = 2,
  TOOL_SIGNALLED = 128, /* + the number of the signal, as shells say it */
};

typedef int (*ToolFunc) (int argc, char **argv);

int tool_list (int argc, char **argv);
int tool_inspect (int argc, char **argv);
int tool_check (int argc, char **argv);
int tool_plan (int argc, char **argv);
int tool_run (int argc, char **argv);

/* Parses the options of a sub-command. FALSE: @status is what main returns (after a message). Exactly @n_args arguments
 * (or up to, with @optional) remain in @argv from 1 on. */
gboolean tool_parse (int *argc, char ***argv, const gchar *usage, const gchar *summary, const GOptionEntry *entries,
                     guint n_args, gboolean optional, int *status);
int tool_fail (const GError *error);
/* The graph in @filename ("-" = standard input) with --set assignments ("node.setting=value") applied. */
HoloGraph *tool_load_graph (const gchar *filename, gchar **assignments, GError **error);
/* A compiler for @graph with --device and --input ("name=dtype:dim,dim") applied. */
HoloCompiler *tool_new_compiler (HoloGraph *graph, const gchar *device, gchar **inputs, GError **error);
/* Text of a description with line breaks, indented by two. */
void tool_print_wrapped (const gchar *text);

/* From here on signals end the program in the way tool-signals.c says. */
void tool_signals_watch (void);
/* From here on the first signal cancels the result, until the run ends. */
GCancellable *tool_signals_begin_run (void);
/* Returns what to exit with: @status if it says that the run failed, what stands for a signal if one stopped it. */
int tool_signals_end_run (int status);

/* Names of the nodes from which no edge leads on. */
GStrv tool_list_sinks (HoloGraph *graph);
/* Frames that a sink has taken, and the most that any has. */
guint64 tool_count_frames (HoloScheduler *scheduler, const gchar *sink);
guint64 tool_count_most_frames (HoloScheduler *scheduler, GStrv sinks);

/* Shows how far a run has come, if standard error is a terminal. @scheduler and @sinks outlive it. */
typedef struct _ToolProgress ToolProgress;
ToolProgress *tool_progress_start (HoloScheduler *scheduler, GStrv sinks);
void tool_progress_stop (ToolProgress *progress);
