/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../base/holo-types.h"

G_BEGIN_DECLS

/**
 * HoloStampFlags:
 * @HOLO_STAMP_DISCONT: frames are missing directly before this one.
 * @HOLO_STAMP_GAP: the frame carries no information (filler).
 *
 * What is special about a frame.
 *
 * Since: 0.1
 */
typedef enum
{
  HOLO_STAMP_NONE = 0,
  HOLO_STAMP_DISCONT = 1 << 0,
  HOLO_STAMP_GAP = 1 << 1,
} HoloStampFlags;

/**
 * HoloStamp:
 * @pts: presentation time in ns, or %HOLO_TIME_NONE
 * @duration: duration in ns, or %HOLO_TIME_NONE
 * @seq: number of the frame in its stream, from 0; %HOLO_TIME_NONE = not numbered yet (an Input numbers it)
 * @first: number of the first frame of its Input that went into this one
 * @last: number of the last frame of its Input that went into this one
 * @flags: #HoloStampFlags
 *
 * Time and identity of a frame. A source sets it; before a synchronous task executes, its outputs hold the first
 * input's stamp; asynchronous tasks keep stamps with the frames they hold and merge them with holo_stamp_merge().
 *
 * Since: 0.1
 */
struct _HoloStamp
{
  guint64 pts;
  guint64 duration;
  guint64 seq;
  guint64 first;
  guint64 last;
  guint flags;

  /*< private >*/
  gpointer padding[2];
};

/**
 * HOLO_STAMP_INIT:
 *
 * Initialiser of a #HoloStamp about which nothing is known. For C and C++.
 *
 * Since: 0.1
 */
#define HOLO_STAMP_INIT                                                                                                \
  {                                                                                                                    \
    HOLO_TIME_NONE, HOLO_TIME_NONE, HOLO_TIME_NONE, HOLO_TIME_NONE, HOLO_TIME_NONE, 0,                                 \
    {                                                                                                                  \
      NULL, NULL                                                                                                       \
    }                                                                                                                  \
  }

#define HOLO_TYPE_STAMP (holo_stamp_get_type ())
HOLO_API GType holo_stamp_get_type (void);

/**
 * holo_stamp_copy:
 * @stamp: a stamp
 *
 * Any thread.
 *
 * Returns: (transfer full): a copy, to be freed with holo_stamp_free()
 *
 * Since: 0.1
 */
HOLO_API HoloStamp *holo_stamp_copy (const HoloStamp *stamp);
/**
 * holo_stamp_free:
 * @stamp: (transfer full): what holo_stamp_copy() gave
 *
 * Any thread.
 *
 * Since: 0.1
 */
HOLO_API void holo_stamp_free (HoloStamp *stamp);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HoloStamp, holo_stamp_free)
HOLO_API void holo_stamp_init (HoloStamp *stamp);
HOLO_API void holo_stamp_merge (HoloStamp *stamp, const HoloStamp *next);

G_END_DECLS
