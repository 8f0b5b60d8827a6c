/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For LD_PRELOAD: the main thread is late whenever it is about to wait. What it waits for has happened by then, and
 * a program that counts on being there first hangs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <glib.h>
#include <unistd.h>

#define LATE (50 * G_TIME_SPAN_MILLISECOND)

__attribute__ ((visibility ("default"))) void g_main_loop_run (GMainLoop *loop);
__attribute__ ((visibility ("default"))) gboolean g_main_context_iteration (GMainContext *context, gboolean may_block);
__attribute__ ((visibility ("default"))) void g_cond_wait (GCond *cond, GMutex *mutex);

static void
be_late (void)
{
  if (gettid () == getpid ())
    usleep (LATE);
}

void
g_main_loop_run (GMainLoop *loop)
{
  void (*real) (GMainLoop *) = dlsym (RTLD_NEXT, "g_main_loop_run");

  be_late ();
  real (loop);
}

gboolean
g_main_context_iteration (GMainContext *context, gboolean may_block)
{
  gboolean (*real) (GMainContext *, gboolean) = dlsym (RTLD_NEXT, "g_main_context_iteration");

  be_late ();
  return real (context, may_block);
}

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  void (*real) (GCond *, GMutex *) = dlsym (RTLD_NEXT, "g_cond_wait");

  be_late ();
  real (cond, mutex);
}
