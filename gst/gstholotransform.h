/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of synchronous kinds with one input and one output. */
#pragma once

#include <gst/base/gstbasetransform.h>

#include "gstholonode.h"

G_BEGIN_DECLS

#define GST_TYPE_HOLO_TRANSFORM (gst_holo_transform_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstHoloTransform, gst_holo_transform, GST, HOLO_TRANSFORM, GstBaseTransform)

struct _GstHoloTransformClass
{
  GstBaseTransformClass parent_class;

  const GstHoloKind *kind;
};

/* class_init of the class of one kind; @kind is its class_data. */
void gst_holo_transform_kind_class_init (gpointer klass, gpointer kind);

G_END_DECLS
