/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/holoflow/gstholoelements.h>

#include "gstholobin.h"
#include "gstholokind.h"
#include "gstholotensortovideo.h"
#include "gstholovideototensor.h"

/**
 * gst_holo_elements_register:
 * @plugin: (nullable): the plugin that they belong to, or %NULL for none
 *
 * Registers holoflowbin, holovideototensor, holotensortovideo and an element for each kind of the default registry. The
 * plugin does so when it is loaded; an application that ships without plugins calls it after gst_init(). Never fails: an
 * element that cannot work says so when it is used, so that the list of features does not depend on the machine on which
 * GStreamer's registry was written. Any thread.
 *
 * Since: 0.1
 */
void
gst_holo_elements_register (GstPlugin *plugin)
{
  /* task modules add kinds: look again when one comes or goes */
  if (plugin != NULL)
    gst_plugin_add_dependency_simple (plugin, "HOLOFLOW_MODULE_PATH", HOLO_MODULE_DIR, ".so",
                                      GST_PLUGIN_DEPENDENCY_FLAG_FILE_NAME_IS_SUFFIX);
  GST_ELEMENT_REGISTER (holovideototensor, plugin);
  GST_ELEMENT_REGISTER (holotensortovideo, plugin);
  GST_ELEMENT_REGISTER (holoflowbin, plugin);
  gst_holo_kinds_register (plugin);
}
