/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The only file that reads the environment. Every call looks again: who asks often keeps the answer. */
#include "base/holo-environment.h"
#include "base/holo-nearest-names.h"

static const gchar *
get_nonempty (const gchar *name)
{
  const gchar *value = g_getenv (name);

  return value != NULL && *value != '\0' ? value : NULL;
}

static gboolean
is_on (const gchar *name)
{
  const gchar *value = get_nonempty (name);

  return value != NULL && !g_str_equal (value, "0");
}

const gchar *
holo_environment_get_module_path (void)
{
  return get_nonempty ("HOLOFLOW_MODULE_PATH");
}

/* Says which of @topics nobody will ever ask for, once. */
static void
report_unknown_topics (gchar **topics)
{
  static const gchar *const known[] = { "infer", "place", "storage", "schedule", "events", "all", NULL };
  static gsize reported;

  if (!g_once_init_enter (&reported))
    return;
  for (guint i = 0; topics[i] != NULL; i++)
    {
      g_autofree gchar *nearest = holo_nearest_names (topics[i], known);

      if (*topics[i] != '\0' && !g_strv_contains (known, topics[i]))
        g_message ("HOLOFLOW_DEBUG has no topic \"%s\"; %s%s%s", topics[i],
                   nearest != NULL ? "did you mean " : "it has infer, place, storage, schedule, events and all",
                   nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
    }
  g_once_init_leave (&reported, 1);
}

gboolean
holo_environment_has_debug (const gchar *topic)
{
  const gchar *value = get_nonempty ("HOLOFLOW_DEBUG");
  g_auto (GStrv) topics = NULL;

  if (value == NULL)
    return FALSE;
  topics = g_strsplit (value, ",", -1);
  for (guint i = 0; topics[i] != NULL; i++)
    g_strstrip (topics[i]);
  report_unknown_topics (topics);
  return g_strv_contains ((const gchar *const *) topics, topic) ||
         g_strv_contains ((const gchar *const *) topics, "all");
}

gboolean
holo_environment_get_sync (void)
{
  return is_on ("HOLOFLOW_SYNC");
}

gboolean
holo_environment_get_poison (void)
{
  return is_on ("HOLOFLOW_POISON");
}

guint
holo_environment_get_stall (void)
{
  const gchar *value = get_nonempty ("HOLOFLOW_STALL");

  return value != NULL ? (guint) g_ascii_strtoull (value, NULL, 10) : 0;
}

const gchar *
holo_environment_get_fft (void)
{
  return get_nonempty ("HOLOFLOW_FFT");
}
