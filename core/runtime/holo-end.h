/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "../device/holo-tensor-view.h"

G_BEGIN_DECLS

/**
 * HoloEnd:
 *
 * One end of a running graph: a node of kind Input, into which an application pushes frames, or of kind Output, from which
 * it pulls them. An end is a handle by name: it lives on when an update takes its node away, and is bound again when a
 * node of that name and kind returns. It keeps no scheduler alive.
 *
 * All functions may be called from any thread at any time. Several threads may push into one Input or pull from one
 * Output: each frame goes to one of them, all learn of the end. What a call returns while the graph is in another state:
 *
 * - not started yet, or the node is gone from the graph, or the scheduler is: ERROR with %HOLO_ERROR_STATE
 * - a flush that reaches this end is on its way: FLUSHED
 * - the stream or the run is over: EOF, or CANCELLED after a stop or an error; frames that are left come first
 *
 * holo_end_push(), holo_end_push_end() and holo_end_pull() block, so they give ERROR with %HOLO_ERROR_STATE inside a task.
 *
 * Since: 0.1
 */
#define HOLO_TYPE_END (holo_end_get_type ())
HOLO_API GType holo_end_get_type (void);

HOLO_API HoloEnd *holo_end_ref (HoloEnd *end);
HOLO_API void holo_end_unref (HoloEnd *end);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloEnd, holo_end_unref)

/**
 * holo_end_get_name:
 * @end: an end
 *
 * Returns: name of the node; valid as long as @end. Any thread, at any time
 *
 * Since: 0.1
 */
HOLO_API const gchar *holo_end_get_name (HoloEnd *end);
/**
 * holo_end_is_input:
 * @end: an end
 *
 * Returns: whether it is an Input. Any thread, at any time
 *
 * Since: 0.1
 */
HOLO_API gboolean holo_end_is_input (HoloEnd *end);

HOLO_API HoloOpResult holo_end_push (HoloEnd *input, HoloFrame *frame, GCancellable *cancellable, GError **error);
HOLO_API HoloOpResult holo_end_push_end (HoloEnd *input, GError **error);
HOLO_API HoloOpResult holo_end_pull (HoloEnd *output, HoloFrame *frame, GCancellable *cancellable, GError **error);
HOLO_API HoloOpResult holo_end_try_pull (HoloEnd *output, HoloFrame *frame, GError **error);
HOLO_API void holo_end_close (HoloEnd *output);
HOLO_API void holo_end_set_unread (HoloEnd *output, gboolean unread);

/**
 * HoloAllocFunc:
 * @size: bytes wanted
 * @cancellable: cancelled by a stop, a flush, or an update that wants the section to rest: give up then with
 *   %G_IO_ERROR_CANCELLED; the section asks again when it goes on
 * @user_data: what was given to holo_end_set_allocator()
 * @error: return location
 *
 * Gives memory that a frame of an Output will be written into. Called in the thread of the writing section; may block
 * as long as @cancellable allows. An update waits for a call that ignores it. It may call whatever a task may call.
 *
 * Returns: (transfer full) (nullable): a block of at least @size bytes, or %NULL with @error
 *
 * Since: 0.1
 */
typedef HoloBlock *(*HoloAllocFunc) (gsize size, GCancellable *cancellable, gpointer user_data, GError **error);

HOLO_API void holo_end_set_allocator (HoloEnd *output, HoloAllocFunc func, gpointer user_data, GDestroyNotify notify);

G_END_DECLS
