/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Command lines with `holoflow` in them, which must end. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Whatever is waited for comes within this time (s), or the test fails; it should take a small part of it. */
#define TOOL_LIMIT 40

typedef struct
{
  gint status;     /* as a shell says it: what it exited with, or 128 + the signal that killed it */
  gboolean killed; /* by a signal that it did not handle */
  gchar *out;      /* what it printed, where that goes to a pipe of the test's */
  gchar *err;
} ToolResult;

void tool_result_clear (ToolResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolResult, tool_result_clear)

/* To an empty folder, so that names of files need no path, and away from it again. */
gchar *tool_enter_folder (void);
void tool_leave_folder (gchar *folder);
void tool_write_file (const gchar *name, const gchar *text);

/* For tool_start(): its child has SIGINT, SIGTERM and SIGHUP as a terminal gives them, and dies with the test. */
GSubprocessLauncher *tool_new_launcher (GSubprocessFlags flags);
/* Starts a command as a shell takes it, in place of that shell. Without @launcher both outputs are read. */
GSubprocess *tool_start (GSubprocessLauncher *launcher, const gchar *format, ...) G_GNUC_PRINTF (2, 3);
/* Waits for its end. */
void tool_finish (GSubprocess *process, ToolResult *result);
/* Both. */
void tool_run (ToolResult *result, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

/* Waits until @func says so of @data. @what is for the message if it never does. */
typedef gboolean (*ToolCondition) (gconstpointer data);
void tool_wait_until (ToolCondition func, gconstpointer data, const gchar *what);

void tool_assert_contains (const gchar *text, const gchar *part);

G_END_DECLS
