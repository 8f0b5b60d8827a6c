/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What SIGINT, SIGTERM and SIGHUP do to `holoflow run`.
 *
 * Before the run and after it nothing needs to be completed, and the program ends at once, whatever it waits for:
 * a standard input that says nothing, a slow device, a standard output that nobody reads. During the run the
 * first signal stops it, so that recordings are completed; if that takes too long, another one ends the
 * program at once.
 *
 * All this is up to a thread that does nothing else and waits for nothing else: no state of the program can
 * keep a signal from it. All other threads have the signals blocked. */
#include "tools/tool.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* Signals that follow this closely upon the first one mean the same (us): timeout(1), a service manager and a
 * terminal that closes send two at once. */
#define SAME_WISH (500 * G_TIME_SPAN_MILLISECOND)

static sigset_t awaited;

static GMutex lock;
static GCancellable *current_run; /* NULL before and after the run */
static int first_signal;          /* that came during the run; 0 = none */
static gint64 first_time;
static int decided_status; /* of a run that is over, if it is not TOOL_OK */

/* In a thread of its own, since the second signal must not wait for what the first one set off. */
static gpointer
stop_run (gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
  g_object_unref (cancellable);
  return NULL;
}

static void
take_signal (int number)
{
  gint64 now = g_get_monotonic_time ();

  g_mutex_lock (&lock);
  if (current_run != NULL && first_signal == 0)
    {
      first_signal = number;
      first_time = now;
      g_thread_unref (g_thread_new ("holoflow-stop", stop_run, g_object_ref (current_run)));
    }
  else if (first_signal == 0 || now - first_time > SAME_WISH)
    _exit (decided_status != TOOL_OK ? decided_status : TOOL_SIGNALLED + number);
  g_mutex_unlock (&lock);
}

static gpointer
take_signals (gpointer data)
{
  for (;;)
    {
      int number;

      if (sigwait (&awaited, &number) == 0)
        take_signal (number);
    }
  return NULL;
}

/* A signal that the program was told to ignore stays ignored: nohup(1), and SIGINT of a shell's background jobs. */
static void
await (int number)
{
  struct sigaction action;

  if (sigaction (number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
    sigaddset (&awaited, number);
}

void
tool_signals_watch (void)
{
  sigemptyset (&awaited);
  await (SIGINT);
  await (SIGTERM);
  await (SIGHUP);
  pthread_sigmask (SIG_BLOCK, &awaited, NULL);
  g_thread_unref (g_thread_new ("holoflow-signal", take_signals, NULL));
  /* Whoever reads our messages may go away; the recording goes on. */
  signal (SIGPIPE, SIG_IGN);
}

GCancellable *
tool_signals_begin_run (void)
{
  GCancellable *cancellable = g_cancellable_new ();

  g_mutex_lock (&lock);
  current_run = g_object_ref (cancellable);
  g_mutex_unlock (&lock);
  return cancellable;
}

int
tool_signals_end_run (int status)
{
  g_mutex_lock (&lock);
  g_clear_object (&current_run);
  if (status == TOOL_OK && first_signal != 0)
    status = TOOL_SIGNALLED + first_signal;
  decided_status = status;
  g_mutex_unlock (&lock);
  return status;
}
