/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstholohost.h"

G_BEGIN_DECLS

/**
 * GstHoloPreroll:
 *
 * What makes a host a sink. Its lock is held while the state is committed and while the messages about that go out, as
 * GstBaseSink does it: they must come in the order of the states. The run's lock may be taken with it, not the other
 * way round.
 */
typedef struct
{
  GstHoloHost *host;
  GMutex lock;
  GCond cond;
  /* guarded by lock */
  gint holding;       /* frames wait for PLAYING (also read without) */
  guint n_waiting;    /* threads that do */
  gboolean committed; /* the state that was asked for is reached */
  gboolean reset_time;
  gboolean eos_posted;
  guint32 eos_seqnum;
} GstHoloPreroll;

void gst_holo_preroll_init (GstHoloPreroll *preroll, GstHoloHost *host);
void gst_holo_preroll_clear (GstHoloPreroll *preroll);
GstStateChangeReturn gst_holo_preroll_go_up (GstHoloPreroll *preroll, GstStateChange transition);
GstStateChangeReturn gst_holo_preroll_go_down (GstHoloPreroll *preroll, GstStateChange transition);
void gst_holo_preroll_wake (GstHoloPreroll *preroll);
void gst_holo_preroll_end (GstHoloPreroll *preroll, guint32 seqnum);
void gst_holo_host_set_roles (GstHoloHost *host, HoloGraph *graph);

G_END_DECLS
