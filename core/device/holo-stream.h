/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "holo-fence.h"

G_BEGIN_DECLS

/**
 * HoloStream:
 *
 * A queue of device work, which is done in order. Made by holo_device_create_stream().
 *
 * Since: 0.1
 */
#define HOLO_TYPE_STREAM (holo_stream_get_type ())
HOLO_API
G_DECLARE_DERIVABLE_TYPE (HoloStream, holo_stream, HOLO, STREAM, GObject)

/**
 * HoloStreamFunc:
 * @user_data: what was given with the function
 *
 * Work that holo_stream_enqueue_func() puts in order on a stream. Runs in a thread of the device.
 *
 * Since: 0.1
 */
typedef void (*HoloStreamFunc) (gpointer user_data);

/**
 * HoloStreamClass:
 * @record_number: returns the number of a fence after all work enqueued so far. Called by the thread that drives the section.
 *   May return the same number twice when nothing was enqueued between. Returns FALSE with @error on a device error.
 * @wait_fence: makes later work of @stream wait for @fence, which is of the same device; does not block the host.
 * @is_passed: whether the work up to @number has ended; never blocks. Any thread.
 * @wait_host: blocks the caller until the work up to @number has ended; must not burn a core. Any thread.
 * @enqueue_func: (nullable): runs a host function in order on the stream. Only devices that simulate have it.
 *
 * A queue of device work that runs in order. One thread at a time enqueues the work of a run; while a new plan is
 * compiled beside it, factories may put set-up work of their tasks on the same stream from the compiling thread.
 *
 * Since: 0.1
 */
struct _HoloStreamClass
{
  GObjectClass parent_class;

  gboolean (*record_number) (HoloStream *stream, guint64 *number, GError **error);
  gboolean (*wait_fence) (HoloStream *stream, const HoloFence *fence, GError **error);
  gboolean (*is_passed) (HoloStream *stream, guint64 number);
  gboolean (*wait_host) (HoloStream *stream, guint64 number, GError **error);
  gboolean (*enqueue_func) (HoloStream *stream, HoloStreamFunc func, gpointer user_data, GError **error);

  gpointer padding[8];
};

HOLO_API HoloDevice *holo_stream_get_device (HoloStream *stream);
HOLO_API gboolean holo_stream_record (HoloStream *stream, HoloFence *fence, GError **error);
HOLO_API gboolean holo_stream_wait_fence (HoloStream *stream, const HoloFence *fence, GError **error);
HOLO_API gboolean holo_stream_synchronize (HoloStream *stream, GError **error);
HOLO_API gboolean holo_stream_enqueue_func (HoloStream *stream, HoloStreamFunc func, gpointer user_data,
                                            GError **error);

G_END_DECLS
