/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tensor/holo-stamp.h"
#include "base/holo-boxed.h"

HOLO_DEFINE_PLAIN_TYPE (HoloStamp, holo_stamp)

/**
 * holo_stamp_init:
 * @stamp: a stamp
 *
 * Makes it that of a frame about which nothing is known: %HOLO_STAMP_INIT.
 *
 * Since: 0.1
 */
void
holo_stamp_init (HoloStamp *stamp)
{
  *stamp = (HoloStamp) HOLO_STAMP_INIT;
}

/**
 * holo_stamp_merge:
 * @stamp: stamp of a group of frames
 * @next: stamp of the frame that joins the group behind it
 *
 * Time and number stay those of the group's first frame; the durations add up (unknown if one is) and the range of input
 * frames grows.
 *
 * Since: 0.1
 */
void
holo_stamp_merge (HoloStamp *stamp, const HoloStamp *next)
{
  if (stamp->duration == HOLO_TIME_NONE || next->duration == HOLO_TIME_NONE)
    stamp->duration = HOLO_TIME_NONE;
  else
    stamp->duration += next->duration;
  stamp->first = MIN (stamp->first, next->first);
  stamp->last = MAX (stamp->last, next->last);
  stamp->flags |= next->flags & HOLO_STAMP_DISCONT;
}
