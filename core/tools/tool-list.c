/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tools/tool.h"

#include <stdio.h>

int
tool_list (int argc, char **argv)
{
  HoloRegistry *registry = holo_registry_get_default ();
  g_auto (GStrv) kinds = NULL;
  g_autoptr (GError) error = NULL;
  const HoloFftProvider *fft;
  int status;

  if (!tool_parse (&argc, &argv, NULL, "Lists the kinds of tasks with what they do.", NULL, 0, FALSE, &status))
    return status;
  kinds = holo_registry_list_kinds (registry);
  for (guint i = 0; kinds[i] != NULL; i++)
    {
      GType type = holo_registry_get_factory_type (registry, kinds[i], NULL);
      GTypeClass *klass = g_type_class_ref (type);
      const gchar *summary = holo_task_factory_class_get_summary (klass);

      printf ("%-16s %-6s %s\n", kinds[i], holo_registry_is_async (registry, kinds[i]) ? "async" : "sync",
              summary != NULL ? summary : "");
      g_type_class_unref (klass);
    }
  fft = holo_fft_get_provider (&error);
  if (fft == NULL)
    return tool_fail (error);
  printf ("\nFourier transforms on the host by %s (%s)\n", fft->name, fft->license);
  return TOOL_OK;
}
