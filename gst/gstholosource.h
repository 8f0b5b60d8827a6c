/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of synchronous kinds without input and with one output. */
#pragma once

#include <gst/base/gstpushsrc.h>

#include "gstholonode.h"

G_BEGIN_DECLS

#define GST_TYPE_HOLO_SOURCE (gst_holo_source_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstHoloSource, gst_holo_source, GST, HOLO_SOURCE, GstPushSrc)

struct _GstHoloSourceClass
{
  GstPushSrcClass parent_class;

  const GstHoloKind *kind;
};

/* class_init of the class of one kind; @kind is its class_data. */
void gst_holo_source_kind_class_init (gpointer klass, gpointer kind);

G_END_DECLS
