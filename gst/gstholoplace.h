/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* On which GPU an element works, and in which CUDA context: that of the pipeline, or one that it offers to the
 * pipeline. */
#pragma once

#include <gst/gst.h>
#include <holoflow/holoflow.h>

#include "holoflow/gstholorecycler-private.h"

G_BEGIN_DECLS

/**
 * GstHoloPlace:
 *
 * Embedded in an element. What its neighbours or the application share comes first; otherwise the context is
 * the GPU's primary one. References are held until gst_holo_place_close(), whatever the application drops.
 */
typedef struct
{
  GstElement *element; /* borrowed */
  GMutex lock;         /* guards the following; not held while others are asked */
  gchar *name;         /* "auto", "host" or "cuda:N" */
  GstObject *context;  /* (nullable): GstCudaContext */
  HoloDevice *device;  /* (nullable): found or made */
} GstHoloPlace;

void gst_holo_place_init (GstHoloPlace *place, gpointer element);
void gst_holo_place_clear (GstHoloPlace *place);

/* The property "device". */
GParamSpec *gst_holo_place_new_param_spec (void);
void gst_holo_place_set_name (GstHoloPlace *place, const gchar *name);
gchar *gst_holo_place_dup_name (GstHoloPlace *place);
gboolean gst_holo_place_is_auto (GstHoloPlace *place);

/* NULL to READY: a device that was asked for by name must be there. */
gboolean gst_holo_place_open (GstHoloPlace *place, HoloRegistry *registry, GError **error);
/* The device for work on a GPU; (transfer full) (nullable). Asks neighbours and the application: no locks of
 * the element may be held. */
HoloDevice *gst_holo_place_get_device (GstHoloPlace *place, HoloRegistry *registry, GError **error);
/* GStreamer's context of that device, once there is one; (transfer full) (nullable). */
GstObject *gst_holo_place_ref_context (GstHoloPlace *place);
/* Device memory for one source pad, with a stream of its own where GStreamer has streams; (transfer full)
 * (nullable). */
GstHoloRecycler *gst_holo_place_new_recycler (GstHoloPlace *place, HoloDevice *device, gsize size, GError **error);
/* Whether @frame can be worked on by @device; a tensor of another context of the same GPU cannot. @worker and @remedy
 * are words for @error: who works there, and what to do. */
gboolean gst_holo_frame_check_device (const HoloFrame *frame, HoloDevice *device, const gchar *worker,
                                      const gchar *remedy, GError **error);
/* READY to NULL. */
void gst_holo_place_close (GstHoloPlace *place);

/* For GstElementClass.set_context, and for CONTEXT queries on any pad: TRUE when it is answered. */
void gst_holo_place_set_context (GstHoloPlace *place, GstContext *context);
gboolean gst_holo_place_answer_context (GstHoloPlace *place, GstQuery *query);

G_END_DECLS
