/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/holoflow/gstholoelements.h>

static gboolean
plugin_init (GstPlugin *plugin)
{
  gst_holo_elements_register (plugin);
  return TRUE;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, holoflow, "Typed tensors and task graphs", plugin_init,
                   PACKAGE_VERSION, "LGPL", "holoflow", "Holoflow for GStreamer")
