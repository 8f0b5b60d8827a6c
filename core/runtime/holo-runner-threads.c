/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of sections that callers do not drive. */
#include "runtime/holo-runner-private.h"

#include "device/holo-runtime-hooks.h"

static gboolean
is_on (HoloSection *section)
{
  return _holo_owner_is_running (section->owner);
}

/* As long as one of @requests holds the section, and @may_wait says so. */
static void
wait_let_go (HoloRunner *runner, HoloSection *section, gint requests, gboolean (*may_wait) (HoloSection *section))
{
  if ((__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & requests) == 0)
    return;
  _holo_runner_lock (runner);
  g_cond_broadcast (&runner->changed); /* whoever waits for the section to rest */
  while (may_wait (section) && (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & requests) != 0)
    g_cond_wait (&runner->changed, &runner->control);
  _holo_runner_unlock (runner);
}

/* What a section that has been left at an instant when it should not be driven has to wait for. */
void
_holo_runner_wait_unrested (HoloOwner *owner, HoloSection *section)
{
  wait_let_go ((HoloRunner *) owner, section, HOLO_REQUEST_REST, is_on);
}

/* A section that has finished may be revived by a flush or an update: its thread stays until the run is over. */
static void
wait_finished (HoloRunner *runner, HoloSection *section)
{
  _holo_runner_lock (runner);
  while (__atomic_load_n (&section->finished, __ATOMIC_ACQUIRE) && _holo_owner_is_running (&runner->owner) &&
         !__atomic_load_n (&section->gone, __ATOMIC_ACQUIRE) &&
         (__atomic_load_n (&section->requests, __ATOMIC_ACQUIRE) & ~HOLO_REQUEST_INTERRUPT) == 0)
    g_cond_wait (&runner->changed, &runner->control);
  _holo_runner_unlock (runner);
}

static HoloOpResult
run_until_interrupted (HoloSection *section)
{
  g_autoptr (GError) error = NULL;
  HoloOpResult result;

  g_mutex_lock (&section->role);
  holo_runtime_observe (section);
  section->clock = g_get_monotonic_time () * 1000;
  do
    result = _holo_section_run (section, TRUE, NULL, &error);
  while (result == HOLO_OP_OK);
  holo_runtime_publish (section);
  g_mutex_unlock (&section->role);
  if (result == HOLO_OP_ERROR)
    _holo_owner_fail (section->owner, g_steal_pointer (&error));
  return result;
}

static gboolean
is_thread_wanted (HoloSection *section)
{
  return _holo_owner_is_running (section->owner) && !__atomic_load_n (&section->gone, __ATOMIC_ACQUIRE) &&
         !__atomic_load_n (&section->worker.caller_driven, __ATOMIC_ACQUIRE);
}

static gpointer
section_thread (gpointer data)
{
  HoloSection *section = data;
  HoloRunner *runner = (HoloRunner *) section->owner;

  _holo_owner_enter_tasks (&runner->owner);
  while (is_thread_wanted (section))
    {
      HoloOpResult result = run_until_interrupted (section);

      if (result == HOLO_OP_CANCELLED || result == HOLO_OP_ERROR)
        break;
      if (result == HOLO_OP_EOF)
        wait_finished (runner, section);
      /* one that an update takes away, or gives to callers, within a flush is not let go by the end of that */
      wait_let_go (runner, section, HOLO_REQUEST_FLUSH | HOLO_REQUEST_REST, is_thread_wanted);
    }
  _holo_owner_leave_tasks (NULL);
  runner->owner.klass->tell (&runner->owner);
  holo_section_unref (section);
  return NULL;
}

void
_holo_runner_start_thread (HoloRunner *runner, HoloSection *section)
{
  /* Linux shows 15 characters. */
  g_autofree gchar *name = g_strdup_printf ("holo-%u", section->id);

  holo_runtime_publish (section);
  section->thread = g_thread_new (name, section_thread, holo_section_ref (section));
}

void
_holo_runner_join (HoloRunner *runner, HoloSection *section)
{
  if (section->thread == NULL)
    return;
  g_thread_join (g_steal_pointer (&section->thread));
  holo_runtime_observe (section);
}
