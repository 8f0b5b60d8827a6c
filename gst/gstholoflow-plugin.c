/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstholobin.h"
#include "gstholokind.h"
#include "gstholotensortovideo.h"
#include "gstholovideototensor.h"

/* Never fails: an element that cannot work says so when it is used, so that the list of features does not
 * depend on the machine on which the registry was written. */
static gboolean
plugin_init (GstPlugin *plugin)
{
  /* task modules add kinds: look again when one comes or goes */
  gst_plugin_add_dependency_simple (plugin, "HOLOFLOW_MODULE_PATH", HOLO_MODULE_DIR, ".so",
                                    GST_PLUGIN_DEPENDENCY_FLAG_FILE_NAME_IS_SUFFIX);
  GST_ELEMENT_REGISTER (holovideototensor, plugin);
  GST_ELEMENT_REGISTER (holotensortovideo, plugin);
  GST_ELEMENT_REGISTER (holoflowbin, plugin);
  gst_holo_kinds_register (plugin);
  return TRUE;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, holoflow, "Typed tensors and task graphs", plugin_init,
                   PACKAGE_VERSION, "LGPL", "holoflow", "Holoflow for GStreamer")
