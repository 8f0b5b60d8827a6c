/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds that are asynchronous or have several pads: a host whose graph is Inputs -> kind -> Outputs. */
#pragma once

#include "gstholohost.h"
#include "gstholokind.h"

G_BEGIN_DECLS

#define GST_TYPE_HOLO_HOST_ELEMENT (gst_holo_host_element_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstHoloHostElement, gst_holo_host_element, GST, HOLO_HOST_ELEMENT, GstHoloHost)

struct _GstHoloHostElementClass
{
  GstHoloHostClass parent_class;
  const GstHoloKind *kind;
};

/* For gst_holo_kind_register_type(). */
void gst_holo_host_element_kind_class_init (gpointer klass, gpointer class_data);

G_END_DECLS
