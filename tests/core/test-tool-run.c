/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `holoflow run` ends: at once, with an error, by a signal at any time; and what it has recorded is whole. */
#define _GNU_SOURCE /* pipe2(), F_SETPIPE_SZ */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <holoflow/holoflow.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tool-process.h"

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

/* Signals within this time mean the same, see tool-signals.c (us); another one has to come later. */
#define SAME_WISH (500 * G_TIME_SPAN_MILLISECOND)

/* ---- graphs ---- */

static const gchar *const once_graph =
    "{\"nodes\": {\"source\": {\"type\": \"Sequence\", \"params\": {\"shape\": [4], \"count\": 1}},"
    " \"root\": {\"type\": \"Sqrt\", \"params\": {}}},"
    " \"edges\": [{\"from\": \"source\", \"out\": 0, \"to\": \"root\", \"in\": 0}]}";

/* The file cannot be opened, because there is a folder of that name; that shows in the first frame. */
static const gchar *const failing_graph =
    "{\"nodes\": {\"source\": {\"type\": \"Sequence\", \"params\": {\"shape\": [4], \"count\": 1}},"
    " \"writer\": {\"type\": \"NpyWriter\", \"params\": {\"path\": \"taken\"}}},"
    " \"edges\": [{\"from\": \"source\", \"out\": 0, \"to\": \"writer\", \"in\": 0}]}";

/* Endless unless source.count is set. */
static const gchar *const recording_graph =
    "{\"nodes\": {\"source\": {\"type\": \"Sequence\", \"params\": {\"shape\": [4]}},"
    " \"queue\": {\"type\": \"Queue\", \"params\": {}},"
    " \"limiter\": {\"type\": \"RateLimiter\", \"params\": {\"max-fps\": 2000}},"
    " \"root\": {\"type\": \"Sqrt\", \"params\": {}},"
    " \"writer\": {\"type\": \"NpyWriter\", \"params\": {\"path\": \"out.npy\"}}},"
    " \"edges\": [{\"from\": \"source\", \"out\": 0, \"to\": \"queue\", \"in\": 0},"
    " {\"from\": \"queue\", \"out\": 0, \"to\": \"limiter\", \"in\": 0},"
    " {\"from\": \"limiter\", \"out\": 0, \"to\": \"root\", \"in\": 0},"
    " {\"from\": \"root\", \"out\": 0, \"to\": \"writer\", \"in\": 0}]}";

/* Two files, the second with a frame for every four of the first. */
static const gchar *const batch_graph =
    "{\"nodes\": {\"source\": {\"type\": \"Sequence\", \"params\": {\"shape\": [1, 4], \"count\": 10}},"
    " \"all\": {\"type\": \"NpyWriter\", \"params\": {\"path\": \"all.npy\"}},"
    " \"batch\": {\"type\": \"BatchQueue\", \"params\": {\"target-capacity\": 8, \"output-size\": 4}},"
    " \"fours\": {\"type\": \"NpyWriter\", \"params\": {\"path\": \"fours.npy\"}}},"
    " \"edges\": [{\"from\": \"source\", \"out\": 0, \"to\": \"all\", \"in\": 0},"
    " {\"from\": \"source\", \"out\": 0, \"to\": \"batch\", \"in\": 0},"
    " {\"from\": \"batch\", \"out\": 0, \"to\": \"fours\", \"in\": 0}]}";

static const gchar *const stubborn_graph =
    "{\"nodes\": {\"stubborn\": {\"type\": \"Stubborn\", \"params\": {\"mark\": \"mark\"}}}}";

/* ---- files and processes ---- */

static goffset
get_size (const gchar *path)
{
  GStatBuf info;

  return g_stat (path, &info) == 0 ? (goffset) info.st_size : -1;
}

static gboolean
exists (gconstpointer path)
{
  return get_size (path) >= 0;
}

/* Frames of a recording, which must be whole: as many as its header says. */
static guint64
count_recorded (const gchar *path, gsize frame_size)
{
  g_autofree gchar *data = NULL, *header = NULL;
  g_autoptr (GError) error = NULL;
  const gchar *shape;
  guint64 frames;
  gsize size, start;

  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (size, >, 10);
  start = 10 + (guint8) data[8] + 256 * (gsize) (guint8) data[9];
  g_assert_cmpuint (size, >=, start);
  header = g_strndup (data + 10, start - 10);
  shape = strstr (header, "'shape': (");
  g_assert_nonnull (shape);
  frames = g_ascii_strtoull (shape + strlen ("'shape': ("), NULL, 10);
  g_assert_cmpuint (size, ==, start + frames * frame_size);
  return frames;
}

/* What the tool says of them. */
static guint64
count_printed (const ToolResult *result, const gchar *before)
{
  const gchar *found = strstr (result->out, before);

  if (found == NULL)
    g_error ("\"%s\" is not in: %s (%s)", before, result->out, result->err);
  return g_ascii_strtoull (found + strlen (before), NULL, 10);
}

/* A run that was stopped has left its file complete, and nothing else. */
static void
assert_recorded (const ToolResult *result)
{
  guint64 printed = count_printed (result, "stopped after ");

  g_assert_false (exists ("out.npy.part"));
  g_assert_true (exists ("out.npy") == (printed > 0));
  if (printed > 0)
    g_assert_cmpuint (count_recorded ("out.npy", 16), ==, printed);
  g_unlink ("out.npy");
}

static pid_t
get_pid (GSubprocess *process)
{
  const gchar *text = g_subprocess_get_identifier (process);

  g_assert_nonnull (text); /* it has not ended */
  return (pid_t) g_ascii_strtoull (text, NULL, 10);
}

/* Signals that do not simply kill the process, as /proc shows them. */
static gboolean
takes_signals (gconstpointer process)
{
  g_autofree gchar *path = g_strdup_printf ("/proc/%d/status", get_pid ((GSubprocess *) process));
  g_autofree gchar *text = NULL;
  guint64 mask = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return FALSE;
  for (gchar *line = text; line != NULL; line = strchr (line + 1, '\n'))
    if (g_str_has_prefix (line, "\nSigBlk:\t") || g_str_has_prefix (line, "\nSigCgt:\t"))
      mask |= g_ascii_strtoull (line + strlen ("\nSigBlk:\t"), NULL, 16);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    if ((mask >> (signals[i] - 1) & 1) == 0)
      return FALSE;
  return TRUE;
}

static gboolean
is_recording (gconstpointer unused)
{
  return get_size ("out.npy.part") > 128 + 20 * 16;
}

static GSubprocess *
start_recording (void)
{
  GSubprocess *process = tool_start (NULL, "holoflow run recording.json");

  tool_wait_until (is_recording, NULL, "frames are recorded");
  return process;
}

static GSubprocess *
start_stubborn (const gchar *options)
{
  g_autoptr (GSubprocessLauncher) launcher =
      tool_new_launcher (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  GSubprocess *process;

  g_unlink ("mark");
  g_subprocess_launcher_setenv (launcher, "HOLOFLOW_MODULE_PATH", g_getenv ("HOLO_TEST_STUBBORN"), TRUE);
  process = tool_start (launcher, "holoflow run %s stubborn.json", options);
  tool_wait_until (exists, "mark", "the stubborn task is where it stays");
  return process;
}

/* ---- without signals ---- */

static void
assert_ends (const gchar *prefix)
{
  g_auto (ToolResult) once = { 0 }, failing = { 0 };

  tool_run (&once, "%sholoflow run once.json", prefix);
  g_assert_cmpint (once.status, ==, 0);
  g_assert_cmpuint (count_printed (&once, "done after "), ==, 1);
  tool_run (&failing, "%sholoflow run failing.json", prefix);
  g_assert_cmpint (failing.status, ==, 1);
  g_assert_cmpstr (failing.out, ==, "");
  tool_assert_contains (failing.err, "\"writer\"");
  tool_assert_contains (failing.err, "taken.part");
}

static void
test_short_runs (void)
{
  for (guint i = 0; i < 100; i++)
    assert_ends ("");
}

/* The sanitizer's library need not be the first one. */
static void
test_late_main_loop (void)
{
  g_autofree gchar *prefix =
      g_strdup_printf ("env ASAN_OPTIONS=\"$ASAN_OPTIONS:verify_asan_link_order=0\" LD_PRELOAD='%s' ",
                       g_getenv ("HOLO_TEST_LATE_MAIN_LOOP"));

  for (guint i = 0; i < 5; i++)
    assert_ends (prefix);
}

/* What it prints is what the files hold, not what the source gave. */
static void
test_frames (void)
{
  g_auto (ToolResult) two = { 0 }, one = { 0 };

  tool_run (&two, "holoflow run batch.json");
  g_assert_cmpint (two.status, ==, 0);
  g_assert_cmpuint (count_printed (&two, "done after "), ==, 10);
  g_assert_cmpuint (count_printed (&two, "  all: "), ==, 10);
  g_assert_cmpuint (count_printed (&two, "  fours: "), ==, 2);
  g_assert_cmpuint (count_recorded ("all.npy", 16), ==, 10);
  g_assert_cmpuint (count_recorded ("fours.npy", 64), ==, 2);
  tool_run (&one, "holoflow run --set source.count=25 recording.json");
  g_assert_cmpint (one.status, ==, 0);
  g_assert_cmpuint (count_printed (&one, "done after "), ==, 25);
  g_assert_null (strstr (one.out, "writer: "));
  g_assert_cmpuint (count_recorded ("out.npy", 16), ==, 25);
  g_unlink ("out.npy");
}

/* Who reads what the tool prints may go away; the recording goes on, and the loss is said. */
static void
test_reader_away (void)
{
  g_autoptr (GSubprocessLauncher) launcher = tool_new_launcher (G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GSubprocess) process = NULL;
  g_auto (ToolResult) result = { 0 };
  int ends[2];

  g_assert_true (pipe2 (ends, O_CLOEXEC) == 0);
  g_subprocess_launcher_take_stdout_fd (launcher, ends[1]);
  process = tool_start (launcher, "holoflow run --set source.count=25 recording.json");
  close (ends[0]);
  g_subprocess_launcher_close (launcher);
  tool_finish (process, &result);
  g_assert_cmpint (result.status, ==, 1);
  tool_assert_contains (result.err, "holoflow: standard output: ");
  g_assert_cmpuint (count_recorded ("out.npy", 16), ==, 25);
  g_unlink ("out.npy");
}

/* Nothing that is printed goes into a file which got the number of a closed stream. */
static void
test_closed_streams (void)
{
  g_auto (ToolResult) result = { 0 };

  tool_run (&result, "holoflow run --stats --set source.count=25 recording.json <&- >&- 2>&-");
  g_assert_cmpint (result.status, ==, 1);
  g_assert_cmpuint (count_recorded ("out.npy", 16), ==, 25);
  g_unlink ("out.npy");
}

/* ---- signals before the run ---- */

/* Ever later from exec() on, until the run is under way: it ends, whatever it does just then. */
static void
test_signal_while_starting (void)
{
  gint64 start = g_get_monotonic_time (), short_run;
  g_auto (ToolResult) once = { 0 };
  guint n_stopped = 0, n_steps = 60;

  tool_run (&once, "holoflow run once.json");
  short_run = g_get_monotonic_time () - start;
  for (guint i = 0; i < n_steps; i++)
    {
      g_autoptr (GSubprocess) process = tool_start (NULL, "holoflow run recording.json");
      g_auto (ToolResult) result = { 0 };
      int number = signals[i % G_N_ELEMENTS (signals)];

      g_usleep ((gulong) (2 * short_run * i / n_steps));
      g_subprocess_send_signal (process, number);
      tool_finish (process, &result);
      g_assert_cmpint (result.status, ==, 128 + number);
      if (*result.out != '\0')
        {
          g_assert_false (result.killed);
          assert_recorded (&result);
          n_stopped++;
        }
      g_assert_false (exists ("out.npy"));
      g_assert_false (exists ("out.npy.part"));
    }
  g_test_message ("%u of %u were stopped in the run", n_stopped, n_steps);
}

static void
assert_ends_by (GSubprocess *process, int number)
{
  g_auto (ToolResult) result = { 0 };

  g_subprocess_send_signal (process, number);
  tool_finish (process, &result);
  g_assert_false (result.killed);
  g_assert_cmpint (result.status, ==, 128 + number);
}

/* The graph comes from a standard input that says nothing. */
static void
test_signal_while_loading (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autoptr (GSubprocessLauncher) launcher =
          tool_new_launcher (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
      g_autoptr (GSubprocess) process = NULL;
      int ends[2];

      g_assert_true (pipe2 (ends, O_CLOEXEC) == 0);
      g_subprocess_launcher_take_stdin_fd (launcher, ends[0]);
      process = tool_start (launcher, "holoflow run -");
      tool_wait_until (takes_signals, process, "the tool takes signals");
      assert_ends_by (process, signals[i]);
      close (ends[1]);
    }
}

static void
test_signal_while_compiling (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autoptr (GSubprocess) process = start_stubborn ("--set stubborn.at-once=true");

      assert_ends_by (process, signals[i]);
    }
}

/* ---- signals during the run ---- */

static void
test_signal_while_running (void)
{
  for (guint i = 0; i < 2 * G_N_ELEMENTS (signals); i++)
    {
      g_autoptr (GSubprocess) process = start_recording ();
      g_auto (ToolResult) result = { 0 };
      int number = signals[i % G_N_ELEMENTS (signals)];

      g_subprocess_send_signal (process, number);
      tool_finish (process, &result);
      g_assert_false (result.killed);
      g_assert_cmpint (result.status, ==, 128 + number);
      g_assert_cmpuint (count_printed (&result, "stopped after "), >, 20);
      assert_recorded (&result);
    }
}

/* timeout(1) sends its signal to the command and to its group, a service manager SIGTERM and SIGHUP. */
static void
test_two_signals_at_once (void)
{
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (GSubprocess) process = start_recording ();
      g_auto (ToolResult) result = { 0 };

      g_subprocess_send_signal (process, SIGTERM);
      g_subprocess_send_signal (process, SIGHUP);
      tool_finish (process, &result);
      g_assert_false (result.killed);
      g_assert_true (result.status == 128 + SIGTERM || result.status == 128 + SIGHUP);
      assert_recorded (&result);
    }
}

/* A task does not heed the stop: the second signal needs nobody's consent. */
static void
test_second_signal (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autoptr (GSubprocess) process = start_stubborn ("");

      g_subprocess_send_signal (process, SIGTERM);
      g_usleep (2 * SAME_WISH);
      get_pid (process);
      assert_ends_by (process, signals[i]);
    }
}

static gboolean
has_grown (gconstpointer size)
{
  return get_size ("out.npy.part") > *(const goffset *) size;
}

/* More frames follow the signal than come in the time that a stop takes. */
static void
test_ignored_signal (void)
{
  g_autoptr (GSubprocess) process = tool_start (NULL, "nohup holoflow run recording.json");
  g_auto (ToolResult) result = { 0 };
  goffset later;

  tool_wait_until (is_recording, NULL, "frames are recorded");
  g_subprocess_send_signal (process, SIGHUP);
  later = get_size ("out.npy.part") + 600 * 16;
  tool_wait_until (has_grown, &later, "frames are recorded after the signal");
  g_subprocess_send_signal (process, SIGTERM);
  tool_finish (process, &result);
  g_assert_false (result.killed);
  g_assert_cmpint (result.status, ==, 128 + SIGTERM);
  assert_recorded (&result);
}

/* The recording cannot be completed, since somebody has taken it away. */
static void
test_error_and_signal (void)
{
  g_autoptr (GSubprocess) process = start_recording ();
  g_auto (ToolResult) result = { 0 };

  g_assert_cmpint (g_unlink ("out.npy.part"), ==, 0);
  g_subprocess_send_signal (process, SIGINT);
  tool_finish (process, &result);
  g_assert_cmpint (result.status, ==, 1);
  tool_assert_contains (result.err, "\"writer\"");
  tool_assert_contains (result.err, "out.npy.part");
}

/* ---- signals after the run ---- */

static gboolean
has_input (gconstpointer fd)
{
  int n = 0;

  g_assert_cmpint (ioctl (GPOINTER_TO_INT (fd), FIONREAD, &n), ==, 0);
  return n > 0;
}

/* A chain so long that its statistics do not fit into the pipe. */
static void
write_long_graph (guint n_bytes)
{
  g_autoptr (GString) nodes =
      g_string_new ("\"n0\": {\"type\": \"Sequence\", \"params\": {\"shape\": [4], \"count\": 1}}");
  g_autoptr (GString) edges = g_string_new (NULL);
  g_autofree gchar *text = NULL;

  for (guint i = 1; i < n_bytes / 40; i++)
    {
      g_string_append_printf (nodes, ", \"n%u\": {\"type\": \"Sqrt\", \"params\": {}}", i);
      g_string_append_printf (edges, "%s{\"from\": \"n%u\", \"out\": 0, \"to\": \"n%u\", \"in\": 0}",
                              i == 1 ? "" : ", ", i - 1, i);
    }
  text = g_strdup_printf ("{\"nodes\": {%s}, \"edges\": [%s]}", nodes->str, edges->str);
  tool_write_file ("long.json", text);
}

/* Nobody reads what it prints. */
static void
test_signal_while_printing (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autoptr (GSubprocessLauncher) launcher = tool_new_launcher (G_SUBPROCESS_FLAGS_STDERR_PIPE);
      g_autoptr (GSubprocess) process = NULL;
      int ends[2], capacity;

      g_assert_true (pipe2 (ends, O_CLOEXEC) == 0);
      capacity = fcntl (ends[1], F_SETPIPE_SZ, 4096);
      g_assert_cmpint (capacity, >, 0);
      write_long_graph ((guint) capacity);
      g_subprocess_launcher_take_stdout_fd (launcher, ends[1]);
      process = tool_start (launcher, "holoflow run --stats long.json");
      tool_wait_until (has_input, GINT_TO_POINTER (ends[0]), "the tool prints");
      assert_ends_by (process, signals[i]);
      close (ends[0]);
    }
}

int
main (int argc, char **argv)
{
  gchar *folder;
  gint status;

  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("HOLOFLOW_TOOL") == NULL)
    {
      g_test_message ("HOLOFLOW_TOOL does not name the tool");
      return 77;
    }
  folder = tool_enter_folder ();
  g_mkdir ("taken.part", 0777);
  tool_write_file ("once.json", once_graph);
  tool_write_file ("failing.json", failing_graph);
  tool_write_file ("recording.json", recording_graph);
  tool_write_file ("batch.json", batch_graph);
  tool_write_file ("stubborn.json", stubborn_graph);
  g_test_add_func ("/holo/tool-run/short-runs", test_short_runs);
  g_test_add_func ("/holo/tool-run/late-main-loop", test_late_main_loop);
  g_test_add_func ("/holo/tool-run/frames", test_frames);
  g_test_add_func ("/holo/tool-run/reader-away", test_reader_away);
  g_test_add_func ("/holo/tool-run/closed-streams", test_closed_streams);
  g_test_add_func ("/holo/tool-run/signal-while-starting", test_signal_while_starting);
  g_test_add_func ("/holo/tool-run/signal-while-loading", test_signal_while_loading);
  g_test_add_func ("/holo/tool-run/signal-while-compiling", test_signal_while_compiling);
  g_test_add_func ("/holo/tool-run/signal-while-running", test_signal_while_running);
  g_test_add_func ("/holo/tool-run/two-signals-at-once", test_two_signals_at_once);
  g_test_add_func ("/holo/tool-run/second-signal", test_second_signal);
  g_test_add_func ("/holo/tool-run/ignored-signal", test_ignored_signal);
  g_test_add_func ("/holo/tool-run/error-and-signal", test_error_and_signal);
  g_test_add_func ("/holo/tool-run/signal-while-printing", test_signal_while_printing);
  status = g_test_run ();
  tool_leave_folder (folder);
  return status;
}
