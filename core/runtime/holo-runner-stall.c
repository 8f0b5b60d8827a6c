/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A graph in which everybody waits for somebody else says so. */
#include "runtime/holo-runner-private.h"

#define STALL_TIME (4 * G_USEC_PER_SEC)

static gboolean
all_stalled (HoloRunner *runner, gint64 limit)
{
  for (guint i = 0; i < runner->bound->n_sections; i++)
    {
      HoloSection *section = runner->bound->sections[i];

      if (__atomic_load_n (&section->finished, __ATOMIC_ACQUIRE))
        continue;
      if (section->stall_text == NULL || __atomic_load_n (&section->sleep_kind, __ATOMIC_ACQUIRE) != 1 ||
          __atomic_load_n (&section->sleep_since, __ATOMIC_RELAXED) > limit)
        return FALSE;
    }
  return !runner->stall_reported;
}

/* @section has slept for want of the others for 5 s and waits for @text. When all do: says once who waits for whom. */
void
_holo_runner_check_stall (HoloOwner *owner, HoloSection *section, const gchar *text)
{
  HoloRunner *runner = (HoloRunner *) owner;
  GString *message = NULL;

  _holo_runner_lock (runner);
  g_free (section->stall_text);
  section->stall_text = g_strdup (text);
  if (runner->bound != NULL && all_stalled (runner, g_get_monotonic_time () - STALL_TIME))
    {
      runner->stall_reported = TRUE;
      message = g_string_new ("nothing has moved for 5 seconds:");
      for (guint i = 0; i < runner->bound->n_sections; i++)
        if (!__atomic_load_n (&runner->bound->sections[i]->finished, __ATOMIC_ACQUIRE))
          g_string_append (message, runner->bound->sections[i]->stall_text);
    }
  _holo_runner_unlock (runner);
  if (message == NULL)
    return;
  g_message ("%s", message->str);
  g_string_free (message, TRUE);
}
