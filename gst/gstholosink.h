/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of synchronous kinds with one input and without output. */
#pragma once

#include <gst/base/gstbasesink.h>

#include "gstholonode.h"

G_BEGIN_DECLS

#define GST_TYPE_HOLO_SINK (gst_holo_sink_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstHoloSink, gst_holo_sink, GST, HOLO_SINK, GstBaseSink)

struct _GstHoloSinkClass
{
  GstBaseSinkClass parent_class;

  const GstHoloKind *kind;
};

/* class_init of the class of one kind; @kind is its class_data. */
void gst_holo_sink_kind_class_init (gpointer klass, gpointer kind);

G_END_DECLS
